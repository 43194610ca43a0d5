/* SPDX-License-Identifier: Apache-2.0 */
/* The spool of a replay, and replays as a kind of output. */
#include "out/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "out/file.h"
#include "out/output.h"
#include "out/page.h"

static void release(AfxiReplay *replay) {
    if (replay->spool.buffer) {
        afxi_sink_close(&replay->spool, false);
    }
    afxi_path_release(&replay->allocator, replay->spool_path);
    afxi_bytes_destroy(&replay->look);
    afxi_drawings_destroy(&replay->drawings);
    replay->spool_path = NULL;
}

static AfxStatus open_spool(AfxiReplay *replay, bool resumed, AfxError *out_error) {
    struct stat info;
    uint64_t size = replay->frames * afxi_replay_record(replay);
    int fd = open(replay->spool_path, O_RDWR | O_CLOEXEC | (resumed ? 0 : O_CREAT | O_TRUNC), 0666);
    if (fd < 0) {
        return resumed ? afxi_file_errno(out_error, replay->spool_path, "cannot be opened to go on from", errno)
                       : afxi_file_errno(out_error, replay->path, "cannot be made", errno);
    }
    if (resumed && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || (uint64_t)info.st_size < size ||
                    ftruncate(fd, (off_t)size) != 0 || lseek(fd, (off_t)size, SEEK_SET) < 0)) {
        close(fd);
        return afxi_file_error(out_error, AFX_E_INPUT, replay->spool_path,
                               "is shorter than when the snapshot was taken", "restore it, or start the run anew");
    }
    if (!afxi_sink_open(&replay->allocator, fd, size, &replay->spool)) {
        close(fd);
        return afxi_file_error(out_error, AFX_E_MEMORY, replay->path, afx_status_text(AFX_E_MEMORY), "");
    }
    return AFX_OK;
}

AfxStatus afxi_replay_open(const AfxAllocator *allocator, const char *path, AfxiBytes *look, bool resumed,
                           AfxiReplay *replay, AfxError *out_error) {
    size_t size;
    *replay = (AfxiReplay){.allocator = *allocator,
                           .path = path,
                           .look = *look,
                           .bodies = replay->bodies,
                           .contacts = replay->contacts,
                           .joints = replay->joints,
                           .ties = replay->ties,
                           .reach = replay->reach,
                           .drawings = afxi_drawings_begin(allocator),
                           .frames = resumed ? replay->frames : 0,
                           .keep = resumed};
    replay->spool.fd = -1;
    *look = afxi_bytes_begin(allocator);
    AfxStatus status = afxi_page_packed(&size) ? AFX_OK : afxi_page_missing(out_error);
    if (status == AFX_OK) {
        status = afxi_path_replaceable(path, out_error);
    }
    if (status == AFX_OK) {
        status = afxi_file_needs_little_endian(path, out_error);
    }
    if (status == AFX_OK) {
        replay->spool_path = afxi_path_with(allocator, path, ".part");
        status = replay->spool_path ? open_spool(replay, resumed, out_error)
                                    : afxi_file_error(out_error, AFX_E_MEMORY, path, afx_status_text(AFX_E_MEMORY), "");
    }
    if (status != AFX_OK) {
        release(replay);
    }
    return status;
}

static AfxStatus spool_error(const AfxiReplay *replay, AfxError *out_error) {
    return afxi_file_errno(out_error, replay->spool_path, "cannot be written", replay->spool.error);
}

AfxStatus afxi_replay_add(AfxiReplay *replay, const AfxiReplayNumbers *numbers, const float *bodies,
                          const float *touches, const float *reactions, AfxError *out_error) {
    afxi_sink_write(&replay->spool, numbers, sizeof *numbers);
    afxi_sink_write(&replay->spool, bodies, AFXI_LOOK_FLOATS * sizeof(float) * (size_t)replay->bodies);
    afxi_sink_write(&replay->spool, touches, afxi_replay_touches(replay->contacts) * sizeof(float));
    afxi_sink_write(&replay->spool, reactions, AFXI_LOOK_REACTION * sizeof(float) * (size_t)replay->joints);
    replay->frames++;
    return replay->spool.error ? spool_error(replay, out_error) : AFX_OK;
}

AfxStatus afxi_replay_close(AfxiReplay *replay, bool complete, AfxError *out_error) {
    AfxStatus status = AFX_OK;
    if (complete) {
        status = afxi_sink_flush(&replay->spool, false) ? afxi_replay_pack(replay, replay->spool.fd, out_error)
                                                        : spool_error(replay, out_error);
    }
    if (!replay->keep) {
        unlink(replay->spool_path);
    }
    release(replay);
    return status;
}

/* ---- as a kind of output ---- */

typedef struct Html {
    AfxiReplay replay;
    AfxiStiffness stiffness;
    AfxPose *poses;      /* [bodies] */
    float *record;       /* [bodies][AFXI_LOOK_FLOATS] */
    float *touches;      /* [afxi_replay_touches(replay.contacts)] */
    AfxJointDef *joints; /* [replay.joints] names are not kept */
    float *reactions;    /* [replay.joints][AFXI_LOOK_REACTION] */
} Html;

static void html_release(AfxOutput *output) {
    Html *html = output->state;
    size_t bodies = output->catalog.count[AFXI_ITEM_BODY];
    afxi_stiffness_destroy(&html->stiffness);
    afxi_release(&output->allocator, html->poses, bodies * sizeof *html->poses);
    afxi_release(&output->allocator, html->record, bodies * AFXI_LOOK_FLOATS * sizeof *html->record);
    afxi_release(&output->allocator, html->touches, afxi_replay_touches(html->replay.contacts) * sizeof(float));
    afxi_release(&output->allocator, html->joints, html->replay.joints * sizeof *html->joints);
    afxi_release(&output->allocator, html->reactions, html->replay.joints * AFXI_LOOK_REACTION * sizeof(float));
    afxi_replay_unprepare(&html->replay, &output->allocator);
    afxi_release(&output->allocator, html, sizeof *html);
    output->state = NULL;
}

/* Where nothing can touch, a model has no numbers for pairs of materials. */
static uint32_t most_contacts(const AfxSim *sim) {
    AfxParamInfo pairs = {0};
    const AfxModel *model = afx_sim_model(sim);
    uint64_t room = 8 * (uint64_t)afx_model_body_count(model); /* a box on another has four points, a pile some more */
    afx_model_param_info(model, AFX_PARAM_MATERIAL_PAIR, &pairs);
    return pairs.count == 0 ? 0 : room < AFXI_REPLAY_CONTACTS ? (uint32_t)room : AFXI_REPLAY_CONTACTS;
}

/* Room for reactions, where joints are not too many. */
static AfxStatus prepare_joints(Html *html, const AfxAllocator *allocator, const AfxScene *scene) {
    uint32_t count = afx_scene_joint_count(scene);
    if (count == 0 || count > AFXI_REPLAY_JOINTS) {
        return AFX_OK;
    }
    html->replay.joints = count;
    html->joints = afxi_allocate(allocator, count * sizeof *html->joints);
    html->reactions = afxi_allocate(allocator, count * AFXI_LOOK_REACTION * sizeof *html->reactions);
    AfxStatus status = html->joints && html->reactions ? AFX_OK : AFX_E_MEMORY;
    for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
        status = afx_scene_get_joint(scene, afx_scene_joint(scene, k), &html->joints[k]);
        html->joints[k].name = NULL;
    }
    return status;
}

static AfxStatus html_prepare(AfxOutput *output, const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim,
                              AfxiBytes *look) {
    Html *html = output->state;
    size_t bodies = output->catalog.count[AFXI_ITEM_BODY];
    html->poses = afxi_allocate(&output->allocator, bodies * sizeof *html->poses);
    html->record = afxi_allocate(&output->allocator, bodies * AFXI_LOOK_FLOATS * sizeof *html->record);
    html->replay.bodies = (uint32_t)bodies;
    html->replay.contacts = most_contacts(sim);
    html->touches =
        afxi_allocate(&output->allocator, afxi_replay_touches(html->replay.contacts) * sizeof *html->touches);
    if ((bodies && (!html->poses || !html->record)) || (html->replay.contacts && !html->touches)) {
        return AFX_E_MEMORY;
    }
    AfxStatus status = afxi_stiffness_create(&output->allocator, sim, &html->stiffness);
    if (status == AFX_OK) {
        status = afxi_replay_prepare(&html->replay, &output->allocator, scene);
    }
    if (status == AFX_OK) {
        status = prepare_joints(html, &output->allocator, scene);
    }
    if (status != AFX_OK) {
        return status;
    }
    AfxiBytes more = afxi_bytes_begin(&output->allocator);
    afxi_look_cameras(&more, scene, def->run);
    afxi_bytes_add(&more, "", 1);
    status = more.status ? more.status : afxi_look_write(look, scene, sim, def->title, (const char *)more.data);
    afxi_bytes_destroy(&more);
    return status;
}

static AfxStatus html_draw(AfxOutput *output, const AfxDrawing *drawing, AfxError *out_error) {
    return afxi_drawings_draw(&((Html *)output->state)->replay.drawings, output, drawing, out_error);
}

static AfxStatus html_open(AfxOutput *output, const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim,
                           AfxiMark *mark, AfxError *out_error) {
    Html *html = output->state = afxi_allocate(&output->allocator, sizeof *html);
    if (!html) {
        return afxi_output_memory(output, out_error);
    }
    AfxiBytes look = afxi_bytes_begin(&output->allocator);
    AfxStatus status = html_prepare(output, def, scene, sim, &look);
    if (status != AFX_OK) {
        afxi_file_error(out_error, status, output->path, afx_status_text(status), "");
    } else {
        html->replay.frames = output->frames;
        status = afxi_replay_open(&output->allocator, output->path, &look, mark != NULL, &html->replay, out_error);
    }
    if (status == AFX_OK && mark) {
        status = afxi_drawings_resume(&html->replay.drawings, output, mark, out_error);
        if (status != AFX_OK) {
            afxi_replay_close(&html->replay, false, NULL);
        }
    }
    afxi_bytes_destroy(&look);
    if (status != AFX_OK) {
        html_release(output);
    }
    return status;
}

static AfxStatus html_frame(AfxOutput *output, const AfxSim *sim, AfxError *out_error) {
    Html *html = output->state;
    const AfxStepReport *report = &output->report;
    AfxEnergy energy = {0};
    afx_sim_energy(sim, &energy);
    afxi_look_poses(sim, html->poses, html->record);
    for (uint32_t k = 0; k < html->stiffness.count; k++) {
        html->record[AFXI_LOOK_FLOATS * (size_t)k + 3] = (float)afxi_stress(&html->stiffness, sim, k);
    }
    AfxiReplayNumbers numbers = {
        .time = afx_sim_time(sim),
        .step = (double)report->step,
        .energy = {energy.kinetic, energy.potential, energy.elastic, energy.total},
        .residual = report->residual,
        .rotation_error = report->rotation_error,
        .solves = report->solves,
        .flags = report->flags,
        .contacts = afxi_look_touching(sim),
        .reason = output->reason,
        .drawing = html->replay.drawings.shown,
    };
    afxi_look_book(sim, numbers.book);
    if (html->touches) {
        uint32_t touching = (uint32_t)numbers.contacts, most = html->replay.contacts;
        html->touches[0] = (float)(touching < most ? touching : most);
        afxi_look_contacts(sim, touching, (uint32_t)html->touches[0], html->touches + 1);
    }
    for (uint32_t k = 0; k < html->replay.joints; k++) {
        afxi_look_reaction(sim, k, &html->joints[k], html->poses, html->replay.bodies,
                           html->reactions + AFXI_LOOK_REACTION * (size_t)k);
    }
    return afxi_replay_add(&html->replay, &numbers, html->record, html->touches, html->reactions, out_error);
}

static AfxStatus html_mark(AfxOutput *output, AfxError *out_error) {
    AfxiReplay *replay = &((Html *)output->state)->replay;
    replay->keep = true;
    AfxStatus status = afxi_drawings_mark(&replay->drawings, output);
    if (status != AFX_OK) {
        return afxi_output_memory(output, out_error);
    }
    return afxi_sink_flush(&replay->spool, true) ? AFX_OK : spool_error(replay, out_error);
}

static AfxStatus html_close(AfxOutput *output, bool complete, AfxError *out_error) {
    Html *html = output->state;
    AfxStatus status = afxi_replay_close(&html->replay, complete, out_error);
    html_release(output);
    return status;
}

const AfxiOutputKind afxi_output_html = {html_open, html_frame, html_mark, html_close, html_draw};
