/* SPDX-License-Identifier: Apache-2.0 */
/* Replay pages for films: from a run, or from a trajectory, which has the motion and the scene. */
#include "cli/video_page.h"
#include "cli/video_reactions.h"

#include "affix/out.h"
#include "out/quiet.h"
#include "out/replay.h"
#include "out/trajectory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MOST 64

typedef struct Scene {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
} Scene;

static int fail(AfxError *error, AfxStatus status) {
    error->status = status;
    return cli_error_from(error);
}

/* With the time step that was asked for, else (0) that of the case or file. */
static int make_scene(CliSource *source, double dt, Scene *out) {
    AfxError error = {0};
    AfxSceneDef scene_def = afx_default_scene();
    AfxSimDef sim_def;
    *out = (Scene){0};
    int code = cli_source_build(source, &scene_def, &out->scene);
    if (code != CLI_EXIT_FINE) {
        return code;
    }
    sim_def = source->run.sim;
    sim_def.dt = dt > 0 ? dt : sim_def.dt;
    sim_def.error = &error;
    AfxStatus status = afx_model_create_with(out->scene, &source->run.model, &out->model, &error);
    status = status == AFX_OK ? cli_source_check(source, out->model, &error) : status;
    status = status == AFX_OK ? afx_sim_create(out->model, &sim_def, &out->sim) : status;
    return status == AFX_OK ? CLI_EXIT_FINE : fail(&error, status);
}

static void destroy_scene(Scene *scene) {
    afx_sim_destroy(scene->sim);
    afx_model_destroy(scene->model);
    afx_scene_destroy(scene->scene);
}

static int take_steps(AfxSim *sim, AfxOutput *output, double time) {
    AfxError error = {0};
    AfxStatus status = AFX_OK;
    double steps = ceil(time / afx_sim_dt(sim) - 1e-9);
    for (double k = 0; k < steps && status == AFX_OK; ++k) {
        AfxStepReport report;
        status = afx_step(sim, &report);
        if (status != AFX_OK) {
            cli_error("step", "the video ends there; affix run reports the cause", "%s", afx_status_text(status));
            return CLI_EXIT_FINE;
        }
        status = afx_output_step(output, sim, &report, &error);
    }
    return status == AFX_OK ? CLI_EXIT_FINE : fail(&error, status);
}

int cli_video_simulate(CliSource *source, const char *title, const CliVideoRun *run, const char *page) {
    Scene scene;
    AfxError error = {0};
    AfxOutput *output = NULL;
    int code = make_scene(source, run->dt, &scene);
    if (code == CLI_EXIT_FINE) {
        double dt = afx_sim_dt(scene.sim), time = run->time > 0 ? run->time : source->run.time;
        AfxOutputDef def = afx_default_output(AFX_OUTPUT_HTML);
        def.path = page;
        def.title = title;
        def.run = &source->run;
        def.every = run->interval > dt ? (uint64_t)(run->interval / dt + 1e-9) : 1;
        AfxStatus status = afx_output_create(&def, scene.scene, scene.sim, &output, &error);
        code = status == AFX_OK ? take_steps(scene.sim, output, time) : fail(&error, status);
        status = afx_output_close(output, &error);
        code = code == CLI_EXIT_FINE && status != AFX_OK ? fail(&error, status) : code;
    }
    destroy_scene(&scene);
    return code;
}

/* ---- trajectories ---- */

/* The words of a title: a path may have blanks, but then it is all there is. */
static uint32_t split(char *title, char **words) {
    uint32_t count = 0;
    if (!strchr(title, '=')) {
        words[count++] = title;
        return count;
    }
    for (char *word = strtok(title, " "); word && count < WORDS_MOST; word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    return count;
}

/* Columns that a trajectory may have, in the order of AfxiReplayNumbers from energy on. */
static const char *const number_names[] = {"energy.kinetic", "energy.potential", "energy.elastic", "energy.total",
                                           "residual",       "rotation_error",   "solves",         "flags",
                                           "contacts"};
#define NUMBERS (sizeof(number_names) / sizeof(number_names[0]))

typedef struct Numbers {
    AfxTable *tables[NUMBERS]; /* NULL: not recorded */
} Numbers;

static void read_numbers(const char *path, Numbers *out) {
    for (size_t k = 0; k < NUMBERS; ++k) {
        if (afx_table_read(path, 1, &number_names[k], NULL, &out->tables[k], NULL) != AFX_OK) {
            out->tables[k] = NULL;
        }
    }
}

static void destroy_numbers(Numbers *numbers) {
    for (size_t k = 0; k < NUMBERS; ++k) {
        afx_table_destroy(numbers->tables[k]);
    }
}

static double number_at(const Numbers *numbers, size_t which, uint64_t row) {
    const AfxTable *table = numbers->tables[which];
    return table && row < afx_table_row_count(table) ? afx_table_column(table, 0)[row] : which == 7 ? 0 : NAN;
}

static void copy_frame(const AfxTable *table, const Numbers *more, uint64_t row, uint32_t bodies,
                       AfxiReplayNumbers *numbers, float *records) {
    *numbers = (AfxiReplayNumbers){.time = afx_table_column(table, 0)[row], .step = afx_table_column(table, 1)[row]};
    for (size_t k = 0; k < 4; ++k) {
        numbers->energy[k] = number_at(more, k, row);
    }
    numbers->residual = number_at(more, 4, row);
    numbers->rotation_error = number_at(more, 5, row);
    numbers->solves = number_at(more, 6, row);
    numbers->flags = number_at(more, 7, row);
    numbers->contacts = number_at(more, 8, row);
    for (int k = 0; k < AFXI_LOOK_BOOK; k++) {
        numbers->book[k] = NAN;
    }
    for (uint32_t body = 0; body < bodies; ++body) {
        static const int places[7] = {0, 1, 2, 7, 4, 5, 6}; /* x y z qw qx qy qz */
        for (int k = 0; k < 7; ++k) {
            records[AFXI_LOOK_FLOATS * (size_t)body + (size_t)places[k]] =
                (float)afx_table_column(table, 2 + 7 * body + (uint32_t)k)[row];
        }
    }
}

static AfxStatus read_poses(const char *path, uint32_t bodies, AfxTable **out_table, AfxError *out_error) {
    size_t count = (size_t)bodies + 2, width = 24;
    const char **names = calloc(count, sizeof(*names));
    char *texts = calloc(count, width);
    AfxStatus status = AFX_E_MEMORY;
    if (names && texts) {
        for (size_t k = 0; k < count; ++k) {
            names[k] = texts + k * width;
            snprintf(texts + k * width, width, k == 0 ? "time" : k == 1 ? "step" : "body:%zu", k - 2);
        }
        status = afx_table_read(path, (uint32_t)count, names, NULL, out_table, out_error);
    }
    free(names);
    free(texts);
    return status;
}

/* The scene as the page draws it, with the cameras of its run. */
static AfxStatus write_look(const AfxRunDef *run, const char *title, const Scene *scene, AfxiBytes *look) {
    AfxiBytes more = afxi_bytes_begin(&look->allocator);
    afxi_look_cameras(&more, scene->scene, run);
    afxi_bytes_add(&more, "", 1);
    AfxStatus status =
        more.status ? more.status : afxi_look_write(look, scene->scene, scene->sim, title, (const char *)more.data);
    afxi_bytes_destroy(&more);
    return status;
}

/* Which drawing a frame shows: that of the last change up to it. */
static double drawing_at(const AfxiBytes *changes, uint64_t frame, size_t *next) {
    AfxiDrawingChange change = {0};
    while (*next * sizeof(change) < changes->size) {
        memcpy(&change, changes->data + *next * sizeof(change), sizeof(change));
        if (change.frame > frame) {
            break;
        }
        ++*next;
    }
    if (*next > 0) {
        memcpy(&change, changes->data + (*next - 1) * sizeof(change), sizeof(change));
        return (double)change.drawing;
    }
    return 0;
}

/* All frames of the trajectory, with its drawings. */
static AfxStatus copy_frames(const char *path, const AfxTable *table, CliReactions *reactions, float *records,
                             AfxiReplay *replay, AfxError *out_error) {
    Numbers more = {0};
    AfxiBytes changes = {0};
    size_t next = 0;
    AfxStatus status =
        afxi_trajectory_drawings(path, &replay->allocator, &replay->drawings, &changes, out_error); /* was empty */
    read_numbers(path, &more);
    for (uint64_t row = 0; row < afx_table_row_count(table) && status == AFX_OK; ++row) {
        AfxiReplayNumbers numbers;
        copy_frame(table, &more, row, replay->bodies, &numbers, records);
        numbers.drawing = drawing_at(&changes, row, &next);
        if (reactions->count) {
            cli_reactions_take(reactions, row, table, 2, replay->bodies);
        }
        status = afxi_replay_add(replay, &numbers, records, NULL, reactions->values, out_error);
    }
    afxi_bytes_destroy(&changes);
    destroy_numbers(&more);
    return status;
}

static int write_page(const char *path, const char *title, const AfxRunDef *run, const Scene *scene, const char *page) {
    AfxError error = {0};
    AfxTable *table = NULL;
    CliReactions reactions = {0};
    AfxAllocator allocator = afx_default_allocator();
    AfxiReplay replay = {.bodies = afx_model_body_count(scene->model)};
    uint32_t bodies = replay.bodies;
    float *records = calloc(bodies ? bodies : 1, AFXI_LOOK_FLOATS * sizeof(*records));
    AfxiBytes look = afxi_bytes_begin(&allocator);
    AfxStatus status = records ? read_poses(path, bodies, &table, &error) : AFX_E_MEMORY;
    if (status == AFX_OK && (afx_table_row_count(table) == 0 || afx_table_column_count(table) != 2 + 7 * bodies)) {
        cli_error(path, "was it made from another version of the scene?", "does not fit to %s", title);
        status = AFX_E_INPUT;
    } else if (status == AFX_OK) {
        status = write_look(run, title, scene, &look);
    }
    if (status == AFX_OK) {
        cli_reactions_read(path, scene->scene, &reactions);
        replay.joints = reactions.count;
        status = afxi_replay_open(&allocator, page, &look, false, &replay, &error);
    }
    if (status == AFX_OK) {
        status = copy_frames(path, table, &reactions, records, &replay, &error);
        AfxStatus closed = afxi_replay_close(&replay, status == AFX_OK, &error);
        status = status == AFX_OK ? closed : status;
    }
    cli_reactions_destroy(&reactions);
    afx_table_destroy(table);
    afxi_bytes_destroy(&look);
    free(records);
    return status == AFX_OK ? CLI_EXIT_FINE : error.text[0] ? fail(&error, status) : cli_exit_code(status);
}

/* The scene in a trajectory or, of earlier versions, the one that its title names. */
static int find_scene(const char *path, char *title, CliSource *source, Scene *scene) {
    char *words[WORDS_MOST];
    const char *const itself[] = {path};
    CliArguments given = {.word_count = 1, .words = itself};
    int code = cli_source_read(&given, "video", 0, source);
    AfxSceneDef def = afx_default_scene();
    AfxScene *kept = NULL;
    AfxError error = {0};
    bool holds = code == CLI_EXIT_FINE && cli_source_make(source, &def, &kept, &error) == AFX_OK;
    afx_scene_destroy(kept);
    if (!holds) {
        cli_source_destroy(source);
        given = (CliArguments){.word_count = split(title, words), .words = (const char *const *)words};
        code = cli_source_read(&given, "video", 0, source);
    }
    return code == CLI_EXIT_FINE ? make_scene(source, 0, scene) : code;
}

int cli_video_from_trajectory(const char *path, const char *page) {
    char title[200], words[200];
    uint64_t hash = 0;
    AfxError error = {0};
    afxi_out_quiet();
    AfxStatus status = afxi_trajectory_title(path, title, sizeof(title), &hash, &error);
    if (status != AFX_OK) {
        return fail(&error, status);
    }
    snprintf(words, sizeof(words), "%s", title);
    CliSource source = {0};
    Scene scene = {0};
    int code = find_scene(path, words, &source, &scene);
    if (code == CLI_EXIT_FINE && afx_model_hash(scene.model) != hash) {
        cli_note("%s is not the model of the trajectory (other options, or changed since)", title);
    }
    code = code == CLI_EXIT_FINE ? write_page(path, title, &source.run, &scene, page) : code;
    destroy_scene(&scene);
    cli_source_destroy(&source);
    return code;
}
