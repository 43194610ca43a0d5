/* SPDX-License-Identifier: Apache-2.0 */
/* Runs to be watched, as a kind of output. A frame is written when the last one is old enough, so that a fast run does
 * not spend its time here; the last one of all is written when the output is closed. Nothing is forced to the disk. */
#include "out/live.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "out/drawing.h"
#include "out/file.h"
#include "out/kept.h"
#include "out/look.h"
#include "out/output.h"
#include "out/snapshot.h"

#define PAUSE (1.0 / 60) /* s between frames: what a viewer shows */
#define SHARE 9.0        /* and as many times what writing one takes: a tenth of the time, at most */

typedef struct Live {
    AfxiBytes scene, state, drawing, contacts;
    AfxiLiveReport report;
    double time;    /* of the state */
    uint64_t step;  /* the same */
    bool waiting;   /* the state has not been written */
    double not_yet; /* on the clock: no frame before */
} Live;

static void release(AfxOutput *output) {
    Live *live = output->state;
    afxi_bytes_destroy(&live->scene);
    afxi_bytes_destroy(&live->state);
    afxi_bytes_destroy(&live->drawing);
    afxi_bytes_destroy(&live->contacts);
    afxi_release(&output->allocator, live, sizeof *live);
    output->state = NULL;
}

/* The run as the caller tells it, or one with the sim's own step and integrator. */
static AfxStatus pack_scene(Live *live, const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim) {
    AfxRunDef *run = afxi_allocate(&live->scene.allocator, sizeof *run);
    if (!run) {
        return AFX_E_MEMORY;
    }
    *run = def->run ? *def->run : afx_default_run();
    run->sim.dt = afx_sim_dt(sim);
    run->sim.integrator = afx_sim_integrator(sim);
    AfxStatus status = afxi_kept_pack(&live->scene, scene, run);
    afxi_release(&live->scene.allocator, run, sizeof *run);
    return status == AFX_OK ? live->scene.status : status;
}

static AfxStatus live_open(AfxOutput *output, const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim,
                           AfxiMark *mark, AfxError *out_error) {
    (void)mark; /* there is nothing to go back to */
    AfxStatus status = afxi_path_replaceable(output->path, out_error);
    if (status != AFX_OK) {
        return status;
    }
    Live *live = output->state = afxi_allocate(&output->allocator, sizeof *live);
    if (!live) {
        return afxi_output_memory(output, out_error);
    }
    live->scene = live->state = live->drawing = live->contacts = afxi_bytes_begin(&output->allocator);
    status = pack_scene(live, def, scene, sim);
    if (status != AFX_OK) {
        afxi_output_memory(output, out_error);
    } else if (live->scene.size == 0) {
        status = afxi_file_error(out_error, AFX_E_LIMIT, output->path,
                                 "the scene is too large to be watched, or has a "
                                 "name that is not UTF-8",
                                 "watch a smaller one");
    }
    if (status != AFX_OK) {
        release(output);
    }
    return status;
}

static AfxStatus write_now(AfxOutput *output, AfxError *out_error) {
    Live *live = output->state;
    double begin = afxi_clock();
    const AfxSnapshotPart parts[] = {{"state", live->state.data, live->state.size},
                                     {AFXI_KEPT_PART, live->scene.data, live->scene.size},
                                     {AFXI_LIVE_REPORT, &live->report, sizeof live->report},
                                     {AFXI_LIVE_DRAWING, live->drawing.data, live->drawing.size},
                                     {AFXI_LIVE_CONTACTS, live->contacts.data, live->contacts.size}};
    AfxSnapshotDef def = afx_default_snapshot();
    def.allocator = output->allocator;
    def.path = output->path;
    def.keep = false;
    def.step = live->step;
    AfxiSnapshotOf of = {live->time, output->catalog.model_hash, true};
    AfxStatus status = afxi_snapshot_save(&def, &of, parts, sizeof parts / sizeof *parts, out_error);
    double end = afxi_clock(), pause = SHARE * (end - begin);
    live->not_yet = end + (pause > PAUSE ? pause : PAUSE);
    live->waiting = false;
    return status;
}

static AfxStatus take_contacts(Live *live, const AfxSim *sim) {
    uint32_t touching = afxi_look_touching(sim);
    uint32_t count = touching < AFXI_LIVE_CONTACTS_MOST ? touching : AFXI_LIVE_CONTACTS_MOST;
    live->contacts.size = 0;
    float *room = count ? afxi_bytes_extend(&live->contacts, count * AFXI_LOOK_CONTACT * sizeof *room) : NULL;
    if (room) {
        afxi_look_contacts(sim, touching, count, room);
    }
    return live->contacts.status;
}

static AfxStatus live_frame(AfxOutput *output, const AfxSim *sim, AfxError *out_error) {
    Live *live = output->state;
    const AfxStepReport *report = &output->report;
    size_t size = afx_sim_snapshot_size(sim);
    live->state.size = 0;
    void *room = afxi_bytes_extend(&live->state, size);
    if (!room || afx_sim_snapshot(sim, room, size) != AFX_OK || take_contacts(live, sim) != AFX_OK) {
        return afxi_output_memory(output, out_error);
    }
    live->report = (AfxiLiveReport){.residual = report->residual,
                                    .rotation_error = report->rotation_error,
                                    .solves = report->solves,
                                    .flags = report->flags,
                                    .contacts = report->contacts,
                                    .reason = (uint32_t)output->reason};
    for (int k = 0; k < AFX_STAGE_COUNT; k++) {
        live->report.seconds += report->stage_seconds[k] / (double)output->every;
    }
    live->time = afx_sim_time(sim);
    live->step = report->step;
    live->waiting = true;
    return afxi_clock() < live->not_yet ? AFX_OK : write_now(output, out_error);
}

static AfxStatus live_mark(AfxOutput *output, AfxError *out_error) {
    (void)output;
    (void)out_error;
    return AFX_OK;
}

static AfxStatus live_close(AfxOutput *output, bool complete, AfxError *out_error) {
    Live *live = output->state;
    AfxStatus status = complete && live->waiting ? write_now(output, out_error) : AFX_OK;
    release(output);
    return status;
}

static AfxStatus live_draw(AfxOutput *output, const AfxDrawing *drawing, AfxError *out_error) {
    Live *live = output->state;
    live->drawing.size = 0;
    afxi_drawing_put(drawing, &live->drawing);
    if (live->drawing.status != AFX_OK) {
        live->drawing.status = AFX_OK;
        live->drawing.size = 0;
        return afxi_output_memory(output, out_error);
    }
    return AFX_OK;
}

const AfxiOutputKind afxi_output_live = {live_open, live_frame, live_mark, live_close, live_draw};

bool afxi_live_is(const char *path) {
    AfxSnapshot *snapshot = NULL;
    const void *data;
    size_t size;
    AfxError error;
    bool is = afxi_result_kind(path) == AFXI_RESULT_SNAPSHOT &&
              afx_snapshot_read(path, NULL, &snapshot, &error) == AFX_OK &&
              afx_snapshot_part(snapshot, AFXI_LIVE_REPORT, &data, &size) == AFX_OK && size == sizeof(AfxiLiveReport);
    afx_snapshot_destroy(snapshot);
    return is;
}
