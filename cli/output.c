/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs of a run: options, opening, stepping, closing. */
#include "cli/output.h"

#include "load/run.h"
#include "out/quiet.h"

#include <math.h>
#include <string.h>

#define PAGE_FRAMES 60 /* per second of simulated time; of many bodies half as many: pages draw what is between */
#define MANY_BODIES 10000u

static const CliOption options[] = {CLI_OUTPUT_OPTIONS(0)};

const char *cli_output_name(uint32_t file) {
    return options[file].name;
}

bool cli_output_any(const CliOutputSettings *settings) {
    bool any = settings->snapshot != NULL;
    for (uint32_t k = 0; k < CLI_OUTPUT_FILES; ++k) {
        any = any || settings->paths[k];
    }
    return any;
}

/* An option that makes no sense without another one. */
static bool needs(const char *const *values, uint32_t option, uint32_t other) {
    if (values[option] && !values[other]) {
        char element[40], cure[80];
        snprintf(element, sizeof(element), "--%s", options[option].name);
        snprintf(cure, sizeof(cure), "add --%s %s", options[other].name, options[other].value);
        cli_error(element, cure, "needs --%s", options[other].name);
        return false;
    }
    return true;
}

static bool read_small(const char *const *values, uint32_t option, uint64_t min, uint64_t max, uint32_t *out_value) {
    uint64_t value = *out_value;
    if (values[option] && !cli_option_integer(options[option].name, values[option], min, max, &value)) {
        return false;
    }
    *out_value = (uint32_t)value;
    return true;
}

/* No two files may be one. */
static bool all_different(const char *const *values) {
    static const uint32_t files[] = {CLI_OUTPUT_TRAJECTORY, CLI_OUTPUT_CSV,  CLI_OUTPUT_GLTF,    CLI_OUTPUT_VTK,
                                     CLI_OUTPUT_HTML,       CLI_OUTPUT_LIVE, CLI_OUTPUT_SNAPSHOT};
    for (size_t a = 0; a < sizeof(files) / sizeof(files[0]); ++a) {
        for (size_t b = 0; b < a; ++b) {
            const char *one = values[files[a]], *other = values[files[b]];
            if (one && other && strcmp(one, other) == 0) {
                cli_error(one, "give each its own", "is the file of --%s and of --%s", options[files[b]].name,
                          options[files[a]].name);
                return false;
            }
        }
    }
    return true;
}

bool cli_output_is_stdout(const CliOutputSettings *settings) {
    return settings->paths[CLI_OUTPUT_CSV] && strcmp(settings->paths[CLI_OUTPUT_CSV], "-") == 0;
}

/* --out by the ending of its file, where the option of that kind is not given itself. */
static void sort_by_ending(const char **values) {
    static const struct {
        const char *ending;
        uint32_t file;
    } kinds[] = {{".csv", CLI_OUTPUT_CSV},   {"-", CLI_OUTPUT_CSV},    {".glb", CLI_OUTPUT_GLTF},
                 {".gltf", CLI_OUTPUT_GLTF}, {".pvd", CLI_OUTPUT_VTK}, {".html", CLI_OUTPUT_HTML},
                 {".live", CLI_OUTPUT_LIVE}};
    const char *path = values[CLI_OUTPUT_TRAJECTORY];
    size_t length = path ? strlen(path) : 0;
    for (size_t k = 0; path && k < sizeof(kinds) / sizeof(kinds[0]); ++k) {
        size_t tail = strlen(kinds[k].ending);
        bool fits = length >= tail && strcmp(path + length - tail, kinds[k].ending) == 0 && (tail > 1 || length == 1);
        if (fits && !values[kinds[k].file]) {
            values[kinds[k].file] = path;
            values[CLI_OUTPUT_TRAJECTORY] = NULL;
            return;
        }
    }
}

/* Only a table can go to stdout, and what is there cannot be cut back to a snapshot. */
static bool stdout_fits(const char *const *values) {
    for (uint32_t k = 0; k < CLI_OUTPUT_FILES; ++k) {
        if (k != CLI_OUTPUT_CSV && values[k] && strcmp(values[k], "-") == 0) {
            cli_error("-", "give a file", "--%s cannot be written to stdout", options[k].name);
            return false;
        }
    }
    if (values[CLI_OUTPUT_CSV] && strcmp(values[CLI_OUTPUT_CSV], "-") == 0 && values[CLI_OUTPUT_SNAPSHOT]) {
        cli_error("--snapshot", "write the table to a file", "cannot resume what went to stdout");
        return false;
    }
    return true;
}

/* What a file says of outputs, unless the command line asks for some of its own. */
static void take_outputs(const AfxRunDef *run, const char **values) {
    bool any = false;
    for (uint32_t k = 0; k < CLI_OUTPUT_FILES; ++k) {
        any = any || values[k];
    }
    for (uint32_t k = 0; k < run->output_count && !any; ++k) {
        values[afxi_run_output_kind(run->outputs[k])] = run->outputs[k];
    }
    if (values[CLI_OUTPUT_TRAJECTORY] && !values[CLI_OUTPUT_RECORD] && run->record[0]) {
        values[CLI_OUTPUT_RECORD] = run->record;
    }
    if (values[CLI_OUTPUT_CSV] && !values[CLI_OUTPUT_COLUMNS] && run->columns[0]) {
        values[CLI_OUTPUT_COLUMNS] = run->columns;
    }
}

bool cli_output_read(const char *const *given, const AfxRunDef *run, CliOutputSettings *out_settings) {
    const char *values[CLI_OUTPUT_OPTION_COUNT];
    memcpy(values, given, sizeof(values));
    sort_by_ending(values);
    if (run) {
        take_outputs(run, values);
    }
    if (!stdout_fits(values)) {
        return false;
    }
    *out_settings = (CliOutputSettings){
        .record = values[CLI_OUTPUT_RECORD],
        .columns = values[CLI_OUTPUT_COLUMNS],
        .compression = 1,
        .snapshot = values[CLI_OUTPUT_SNAPSHOT],
    };
    bool any = false;
    for (uint32_t k = 0; k < CLI_OUTPUT_FILES; ++k) {
        out_settings->paths[k] = values[k];
        any = any || values[k];
    }
    if (values[CLI_OUTPUT_EVERY] && !any && run) {
        cli_error("--every", "add --out FILE or another output", "needs an output");
        return false;
    }
    out_settings->every = run ? run->every : 0;
    return (!run || (needs(values, CLI_OUTPUT_RECORD, CLI_OUTPUT_TRAJECTORY) &&
                     needs(values, CLI_OUTPUT_CHUNK, CLI_OUTPUT_TRAJECTORY) &&
                     needs(values, CLI_OUTPUT_COMPRESS, CLI_OUTPUT_TRAJECTORY) &&
                     needs(values, CLI_OUTPUT_COLUMNS, CLI_OUTPUT_CSV))) &&
           needs(values, CLI_OUTPUT_SNAPSHOT_EVERY, CLI_OUTPUT_SNAPSHOT) && all_different(values) &&
           (!values[CLI_OUTPUT_EVERY] ||
            cli_option_integer("every", values[CLI_OUTPUT_EVERY], 1, 1000000000000000u, &out_settings->every)) &&
           (!values[CLI_OUTPUT_SNAPSHOT_EVERY] ||
            cli_option_integer("snapshot-every", values[CLI_OUTPUT_SNAPSHOT_EVERY], 1, 1000000000000000u,
                               &out_settings->snapshot_every)) &&
           read_small(values, CLI_OUTPUT_CHUNK, 1, 1000000, &out_settings->chunk) &&
           read_small(values, CLI_OUTPUT_COMPRESS, 0, 9, &out_settings->compression);
}

static int open_one(CliOutputs *outputs, uint32_t file, const AfxOutputDef *def, const AfxScene *scene, AfxSim *sim,
                    const AfxSnapshot *snapshot) {
    AfxError error = {0};
    AfxStatus status = AFX_OK;
    if (snapshot) {
        const void *mark = NULL;
        size_t size = 0;
        if (afx_snapshot_part(snapshot, cli_output_name(file), &mark, &size) != AFX_OK) {
            cli_error(def->path, "start the run anew", "the snapshot does not know --%s", cli_output_name(file));
            return CLI_EXIT_INPUT;
        }
        status = afx_output_resume(def, scene, sim, mark, size, &outputs->files[file], &error);
    } else {
        status = afx_sim_start_reactions(sim); /* the first frame has them */
        status = status ? status : afx_output_create(def, scene, sim, &outputs->files[file], &error);
    }
    if (status != AFX_OK) {
        error.status = status;
        return cli_error_from(&error);
    }
    return CLI_EXIT_FINE;
}

/* A page needs no more frames than a screen shows. */
static uint64_t default_every(uint32_t file, const AfxSim *sim) {
    double rate = afx_model_body_count(afx_sim_model(sim)) > MANY_BODIES ? 0.5 * PAGE_FRAMES : PAGE_FRAMES;
    double steps = file == CLI_OUTPUT_HTML ? nearbyint(1 / (rate * afx_sim_dt(sim))) : 1;
    return steps >= 1 && steps < 1e15 ? (uint64_t)steps : 1;
}

int cli_outputs_open(CliOutputs *outputs, const CliOutputSettings *settings, const AfxAllocator *allocator,
                     const char *title, const AfxRunDef *run, const AfxScene *scene, AfxSim *sim,
                     const AfxSnapshot *snapshot) {
    int code = CLI_EXIT_FINE;
    if (settings->paths[CLI_OUTPUT_TRAJECTORY]) {
        afxi_out_quiet();
    }
    for (uint32_t k = 0; k < CLI_OUTPUT_FILES && code == CLI_EXIT_FINE; ++k) {
        if (!settings->paths[k]) {
            continue;
        }
        AfxOutputDef def = afx_default_output((AfxOutputKind)k);
        def.allocator = *allocator;
        def.path = settings->paths[k];
        def.what = k == CLI_OUTPUT_TRAJECTORY ? settings->record : k == CLI_OUTPUT_CSV ? settings->columns : NULL;
        def.every = settings->every ? settings->every : default_every(k, sim);
        def.chunk = settings->chunk;
        def.compression = settings->compression;
        def.title = title;
        def.run = run;
        code = open_one(outputs, k, &def, scene, sim, snapshot);
    }
    return code;
}

/* Says the error of an output, and closes it. */
static void fail(CliOutputs *outputs, uint32_t file, const AfxError *error) {
    cli_error_from(error);
    outputs->failed = true;
    afx_output_close(outputs->files[file], NULL);
    outputs->files[file] = NULL;
}

void cli_outputs_step(CliOutputs *outputs, const AfxSim *sim, const AfxStepReport *report) {
    for (uint32_t k = 0; k < CLI_OUTPUT_FILES; ++k) {
        AfxError error = {0};
        if (outputs->files[k] && afx_output_step(outputs->files[k], sim, report, &error) != AFX_OK) {
            fail(outputs, k, &error);
        }
    }
}

bool cli_outputs_mark(CliOutputs *outputs, AfxSnapshotPart *parts, uint32_t *count) {
    for (uint32_t k = 0; k < CLI_OUTPUT_FILES; ++k) {
        AfxError error = {0};
        AfxSnapshotPart *part = &parts[*count];
        if (!outputs->files[k]) {
            continue;
        }
        if (afx_output_mark(outputs->files[k], &part->data, &part->size, &error) != AFX_OK) {
            fail(outputs, k, &error);
            return false;
        }
        part->name = cli_output_name(k);
        ++*count;
    }
    return true;
}

void cli_outputs_close(CliOutputs *outputs) {
    for (uint32_t k = 0; k < CLI_OUTPUT_FILES; ++k) {
        AfxError error = {0};
        if (afx_output_close(outputs->files[k], &error) != AFX_OK) {
            cli_error_from(&error);
            outputs->failed = true;
        }
        outputs->files[k] = NULL;
    }
}
