/* SPDX-License-Identifier: Apache-2.0 */
/* A step of a sim, and of many at once, whatever their formulation: what happens before and after it is told. */
#include "base/assert.h"
#include "base/released.h"
#include "state/trace.h"
#include "step/adhesion.h"
#include "step/book.h"
#include "step/control_input.h"
#include "step/own.h"
#include "step/path.h"
#include "step/settle.h"
#include "step/sim.h"
#include "step/tuning.h"

/* What all formulations begin with. A status other than AFX_OK: the step has not begun. */
static AfxStatus begin(AfxSim *sim, AfxStepReport *report) {
    AFXI_ASSERT_ALIVE(sim);
    const AfxiStateHead *head = sim->world.state.head;
    *report = (AfxStepReport){.step = head->steps + 1, .body = UINT32_MAX, .joint = UINT32_MAX};
    report->flags |= sim->assembled && head->steps == 0 ? AFX_STEP_ASSEMBLED : 0;
    report->flags |= sim->model->any_floored ? AFX_STEP_INERTIA_FLOOR : 0;
    afxi_trace_step(sim->world.trace, report->step, afx_sim_time(sim));
    afxi_classes_refresh(sim);
    bool moved = false;
    AfxStatus status = afxi_settle(sim, &moved);
    if (status != AFX_OK) {
        return status;
    }
    report->flags |= moved ? AFX_STEP_ASSEMBLED : 0;
    sim->settled = moved;
    afxi_paths_follow(sim);
    if (sim->book) {
        afxi_book_open(sim);
    }
    afxi_controls_begin(sim);
    afxi_adhesion_begin(sim);
    afxi_classes_refresh(sim); /* they may have made the sim's own parameters */
    return AFX_OK;
}

static void finish(AfxSim *sim, AfxStatus status, AfxStepReport *report) {
    AfxiStateHead *head = sim->world.state.head;
    if (sim->book && afxi_book_close(sim, status == AFX_OK)) {
        report->flags |= AFX_STEP_ENERGY;
    }
    if (status == AFX_OK) {
        report->body = UINT32_MAX;
        afxi_controls_finish(sim);
        afxi_adhesion_finish(sim);
        head->base_steps++;
        head->steps++;
    } else {
        report->flags |= AFX_STEP_FAILED;
        afxi_trace_failed(sim->world.trace, status, report->body);
    }
    report->time = afx_sim_time(sim);
}

AfxStatus afx_step(AfxSim *sim, AfxStepReport *out_report) {
    if (!sim) {
        return AFX_E_ARGUMENT;
    }
    AfxStepReport report;
    AfxStatus status = begin(sim, &report);
    if (status != AFX_OK) {
        return status;
    }
    status = sim->formulation->step(sim->work, &report);
    finish(sim, status, &report);
    if (out_report) {
        *out_report = report;
    }
    return status;
}

/* ---- many at once ---- */

/* Sims whose steps are under way. */
typedef struct Many {
    uint32_t count;
    AfxSim *sim[AFXI_STEP_MANY];
    void *work[AFXI_STEP_MANY];
    AfxStepReport report[AFXI_STEP_MANY], *told[AFXI_STEP_MANY];
    AfxStatus status[AFXI_STEP_MANY];
    uint32_t place[AFXI_STEP_MANY]; /* in what the caller has given */
} Many;

/* All that have begun, of one formulation, and where what came of them is told. */
static void go(Many *many, AfxStepReport *out_reports, AfxStatus *statuses) {
    const AfxiFormulationKind *kind = many->count ? many->sim[0]->formulation : NULL;
    if (kind && kind->step_many) {
        kind->step_many(many->work, many->count, many->told, many->status);
    }
    for (uint32_t k = 0; k < many->count; k++) {
        if (!kind->step_many) {
            many->status[k] = kind->step(many->work[k], many->told[k]);
        }
        finish(many->sim[k], many->status[k], many->told[k]);
        statuses[many->place[k]] = many->status[k];
        if (out_reports) {
            out_reports[many->place[k]] = *many->told[k];
        }
    }
    many->count = 0;
}

/* Up to AFXI_STEP_MANY sims. */
static void step_some(AfxSim *const *sims, uint32_t count, AfxStepReport *out_reports, AfxStatus *statuses) {
    Many many;
    many.count = 0;
    for (uint32_t k = 0; k < count; k++) {
        AfxSim *sim = sims[k];
        uint32_t at = many.count;
        if (!sim || sim->stepping) {
            statuses[k] = AFX_E_ARGUMENT;
            continue;
        }
        if (at && many.sim[0]->formulation != sim->formulation) {
            go(&many, out_reports, statuses);
            at = 0;
        }
        sim->stepping = true;
        statuses[k] = begin(sim, &many.report[at]);
        if (statuses[k] == AFX_OK) {
            many.sim[at] = sim;
            many.work[at] = sim->work;
            many.told[at] = &many.report[at];
            many.place[at] = k;
            many.count++;
        }
    }
    go(&many, out_reports, statuses);
}

AfxStatus afx_step_many(AfxSim *const *sims, uint32_t count, AfxStepReport *out_reports, AfxStatus *out_statuses) {
    AfxStatus first = AFX_OK;
    if (!sims && count) {
        return AFX_E_ARGUMENT;
    }
    for (uint32_t k = 0; k < count; k += AFXI_STEP_MANY) {
        AfxStatus statuses[AFXI_STEP_MANY];
        uint32_t some = count - k < AFXI_STEP_MANY ? count - k : AFXI_STEP_MANY;
        step_some(sims + k, some, out_reports ? out_reports + k : NULL, statuses);
        for (uint32_t e = 0; e < some; e++) {
            first = first ? first : statuses[e];
            if (out_statuses) {
                out_statuses[k + e] = statuses[e];
            }
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        if (sims[k]) {
            sims[k]->stepping = false;
        }
    }
    return first;
}
