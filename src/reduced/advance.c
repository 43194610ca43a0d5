/* SPDX-License-Identifier: Apache-2.0 */
/* The step of an island. Its state is q and u; raw coordinates are written after every step, and read again where they
 * were edited. */
#include "reduced/advance.h"

#include <math.h>
#include <string.h>

#include "reduced/explicit.h"
#include "reduced/flywheel.h"
#include "reduced/forces.h"
#include "reduced/held.h"
#include "reduced/impact.h"
#include "reduced/implicit.h"
#include "reduced/make.h"
#include "reduced/momentum.h"
#include "reduced/parts.h"
#include "reduced/refuse.h"
#include "reduced/smooth.h"
#include "reduced/spatial.h"
#include "reduced/system.h"
#include "reduced/touch.h"

/* ---- from and to the state ---- */

/* All that follows from parameters. */
void afxi_reduced_numbers(AfxiReduced *work) {
    work->seat = NULL;
    work->work.placed = false;
    afxi_tree_numbers(&work->tree, work->world->params);
    afxi_reduced_gather(work);
    afxi_reduced_list_angles(work);
}

/* Momenta of the state's coordinates and velocities; rk4 alone has no use for them. */
static void set_momenta(AfxiReduced *work) {
    AfxiReducedState own = afxi_reduced_state(work);
    if (work->world->def.integrator != AFX_RK4) {
        afxi_reduced_momenta_at(work, own.q, own.u, own.momentum);
    }
}

/* Whether momenta of the state are those of other masses than the present ones, as where it is a snapshot of a sim that
 * had others. */
static bool has_other_momenta(AfxiReduced *work) {
    AfxiReducedState own = afxi_reduced_state(work);
    double off[2] = {0, 0}, size[2] = {0, 0};
    uint32_t count = 0;
    if (work->world->def.integrator == AFX_RK4) {
        return false;
    }
    afxi_tree_set_moved(&work->work, work->world->state.q, work->world->state.v);
    afxi_reduced_momenta_at(work, own.q, own.u, work->momentum);
    for (uint32_t k = 0; k < work->tree.node_count; k++) {
        if (work->tree.node[k].mass > 0) {
            AfxiSpatial now = work->momentum[count], change = spatial_sub(now, own.momentum[count]);
            off[0] += vec3_dot(change.w, change.w);
            off[1] += vec3_dot(change.v, change.v);
            size[0] += vec3_dot(now.w, now.w);
            size[1] += vec3_dot(now.v, now.v);
            count++;
        }
    }
    double rounding = AFXI_REDUCED_SAME_MOMENTA * AFXI_REDUCED_SAME_MOMENTA, length = work->model->size;
    return off[0] > rounding * (size[0] + length * length * size[1]) || off[1] > rounding * size[1];
}

void afxi_reduced_load(AfxiReduced *work, AfxStepReport *report) {
    const AfxiState *state = &work->world->state;
    AfxiReducedState own = afxi_reduced_state(work);
    size_t q = work->tree.coordinate_count * sizeof(double), u = work->tree.dof_count * sizeof(double);
    work->touch.starting = !state->head->has_history || state->head->uneven;
    work->fresh = work->stale || work->touch.starting;
    if (work->stale) {
        afxi_reduced_numbers(work);
        work->stale = false;
    }
    bool edited = work->classes_seen != UINT32_MAX && work->classes_seen != work->world->classes_version;
    work->classes_seen = work->world->classes_version;
    if (!work->touch.starting) {
        edited = edited || (work->fresh && has_other_momenta(work));
        memcpy(work->q, own.q, q);
        memcpy(work->u, own.u, u);
        if (edited) { /* momenta are those of other masses */
            *own.history = fmin(*own.history, 0);
            *own.kept = 0;
            set_momenta(work);
        }
        return;
    }
    if (!(report->flags & AFX_STEP_RESTARTED)) { /* once for all islands */
        afxi_trace_part(work->world->trace, 0, 1);
        afxi_trace_restart(work->world->trace);
    }
    report->flags |= AFX_STEP_RESTARTED;
    *own.history = *own.kept = 0;
    afxi_tree_near(&work->tree, state->angle, work->row);
    afxi_tree_from_raw(&work->tree, state->q, state->v, work->row, work->q, work->u);
    afxi_tree_set_moved(&work->work, state->q, state->v);
}

bool afxi_reduced_start(AfxiReduced *work) {
    AfxiReducedState own = afxi_reduced_state(work);
    if (!work->touch.starting) {
        return work->fresh;
    }
    afxi_reduced_inputs(work, 0);
    if (work->exact_count) { /* velocities that fit drives; a start that cannot be closed fails in the step */
        afxi_reduced_project(work, work->q, work->u, 0);
    }
    memcpy(own.q, work->q, work->tree.coordinate_count * sizeof(double)); /* what the next step has before it */
    memcpy(own.u, work->u, work->tree.dof_count * sizeof(double));
    set_momenta(work);
    return work->fresh;
}

bool afxi_reduced_finite(const AfxiReduced *work) {
    bool finite = true;
    for (uint32_t k = 0; k < work->tree.coordinate_count; k++) {
        finite = finite && isfinite(work->q[k]);
    }
    for (uint32_t k = 0; k < work->tree.dof_count; k++) {
        finite = finite && isfinite(work->u[k]);
    }
    return finite;
}

static void store_told(AfxiReduced *work) {
    double *lambda = work->world->state.lambda;
    const AfxiReducedRow *lists[3] = {work->exact, work->force, work->held};
    const uint32_t counts[3] = {work->exact_count, work->force_count, work->held_count};
    for (int list = 0; list < 3; list++) {
        for (uint32_t k = 0; k < counts[list]; k++) {
            uint32_t place = lists[list][k].place;
            if (place != UINT32_MAX) {
                lambda[place] = work->told[place];
            }
        }
    }
    for (uint32_t k = 0; k < work->ball_count; k++) {
        uint32_t row = work->model->joints[work->ball[k]].row;
        if (row != UINT32_MAX) {
            memcpy(lambda + row + 3, work->told + row + 3, 3 * sizeof *lambda);
        }
    }
}

void afxi_reduced_commit_coordinates(AfxiReduced *work) {
    AfxiReducedState own = afxi_reduced_state(work);
    memcpy(own.past_q, own.q, work->tree.coordinate_count * sizeof(double));
    memcpy(own.past_u, own.u, work->tree.dof_count * sizeof(double));
    *own.history = work->next_history;
    *own.kept = work->kept;
    for (int k = 0; k < 2 && work->kept > 0; k++) {
        memcpy(own.rate[k], work->stage_du[2 + k], work->tree.dof_count * sizeof(double));
    }
    memcpy(own.q, work->q, work->tree.coordinate_count * sizeof(double));
    memcpy(own.u, work->u, work->tree.dof_count * sizeof(double));
    if (work->world->def.integrator != AFX_RK4) {
        memcpy(own.past_momentum, own.momentum, 6 * (size_t)work->body_count * sizeof(double));
    }
    store_told(work);
}

void afxi_reduced_commit(AfxiReduced *work) {
    AfxiState *state = &work->world->state;
    afxi_reduced_commit_coordinates(work);
    if (work->world->def.integrator != AFX_RK4) {
        afxi_reduced_momenta_at(work, work->q, work->u, afxi_reduced_state(work).momentum);
    } else {
        afxi_tree_pose(&work->work, work->q);
        afxi_tree_velocity(&work->work, work->u);
    }
    afxi_tree_to_raw(&work->work, work->q, work->u, state->q, state->v);
    memcpy(work->place[0], work->q, work->tree.coordinate_count * sizeof(double)); /* for afxi_reduced_rk4 */
    memcpy(work->stage_u[0], work->u, work->tree.dof_count * sizeof(double));
    work->work.placed = !work->model->kinematic_count;
}

/* ---- the step ---- */

/* Parameters of the sim itself may ask for what is not there. */
AfxStatus afxi_reduced_refuse_own(AfxiReduced *work) {
    const AfxiWorld *world = work->world;
    if (world->params == work->model->params || work->params_seen == world->params_version) {
        return AFX_OK;
    }
    bool unfit = afxi_flywheels_unfit(&work->tree, world->params) != AFXI_TREE_NONE;
    AfxStatus status =
        unfit ? AFX_E_INPUT : afxi_reduced_refuse(work->model, world->params, world->def.integrator, NULL);
    work->params_seen = status == AFX_OK ? world->params_version : UINT32_MAX;
    return status;
}

/* What the next step may go by: two where this one knows of no jump, or one, and after a blow several times. */
static double history_after(const AfxiReduced *work, bool limits, bool points) {
    double before = *afxi_reduced_state(work).history, next = before < 0 ? before + 1 : 1;
    return points ? -AFXI_REDUCED_SHOCK : limits ? fmin(0, next) : next;
}

/* What the end of a step meets, and what it leaves for the next one. */
static void end_implicit(AfxiReduced *work, bool fine, bool jumps, double *out_history, AfxStepReport *report) {
    bool struck = fine && afxi_reduced_strike(work, afxi_reduced_state(work).u);
    report->flags |= struck ? AFX_STEP_IMPACT : 0;
    *out_history = history_after(work, struck, jumps || (struck && work->touch.collide));
}

/* A step by backward differences; *out_history: as history_after. What is not converged by two goes by one, which
 * forgets. `looked`: contact points were looked for. */
static bool implicit_step(AfxiReduced *work, double h, bool looked, double *out_history, AfxStepReport *report) {
    bool fine = false, jumps = false;
    for (int pass = 0; pass < 2 && !fine; pass++) {
        afxi_reduced_go_back(work);
        if (!((looked && pass == 0) || afxi_reduced_look(work, h))) {
            break;
        }
        jumps = jumps || afxi_reduced_touch_struck(work);
        fine = afxi_reduced_bdf(work, h, pass == 0 && !jumps);
        if (!fine) {
            afxi_reduced_branches_back(work);
        }
    }
    fine = fine || afxi_reduced_in_parts(work, h, report);
    end_implicit(work, fine, jumps, out_history, report);
    return fine;
}

bool afxi_reduced_implicit_before(const AfxiReduced *work) {
    return !afxi_reduced_touch_any(work) && !afxi_reduced_beyond(work, work->q);
}

bool afxi_reduced_implicit_after(AfxiReduced *work, AfxStepReport *report) {
    if (work->touch.collide) {
        afxi_tree_pose(&work->work, work->q);
        afxi_tree_velocity(&work->work, work->u);
        if (afxi_reduced_touch_fit(work) != AFXI_FIT) {
            return false;
        }
    }
    end_implicit(work, true, false, &work->next_history, report);
    return afxi_reduced_finite(work);
}

/* The step by the integrator's own method for smooth motion, in parts of equal length; false: it does not converge, or
 * `auto` finds something stiff. */
static bool smooth_parts(AfxiReduced *work, double h, uint32_t parts) {
    AfxIntegrator integrator = work->world->def.integrator;
    bool fine = true;
    afxi_reduced_go_back(work);
    work->part_share = 1.0 / parts;
    for (uint32_t k = 0; fine && k < parts; k++) {
        work->part_from = (double)k / parts;
        fine = integrator == AFX_AUTO     ? afxi_reduced_rk4(work, h / parts, true)
               : integrator == AFX_GAUSS2 ? afxi_reduced_gauss2(work, h / parts)
               : integrator == AFX_ALPHA  ? afxi_reduced_alpha(work, h / parts)
                                          : afxi_reduced_conserving(work, h / parts);
    }
    work->part_from = 0;
    work->part_share = 1;
    work->kept = fine && parts == 1 ? work->kept : 0;
    return fine && afxi_reduced_finite(work);
}

/* Methods that iterate are cut into parts where they do not converge. */
static bool cut_smooth(AfxiReduced *work, double h, AfxStepReport *report) {
    bool fine = smooth_parts(work, h, 1), iterates = work->world->def.integrator != AFX_AUTO;
    for (uint32_t parts = 2; iterates && !fine && parts <= AFXI_REDUCED_PARTS_MOST; parts *= 2) {
        afxi_reduced_branches_back(work);
        fine = smooth_parts(work, h, parts);
        report->flags |= fine ? AFX_STEP_SUBSTEPPED : 0;
    }
    return fine;
}

bool afxi_reduced_smooth_before(AfxiReduced *work, double h, bool *out_looked) {
    *out_looked = afxi_reduced_look(work, h);
    return *out_looked && !afxi_reduced_beyond(work, work->q) && !afxi_reduced_touch_expected(work);
}

bool afxi_reduced_smooth_after(AfxiReduced *work) {
    bool free = afxi_reduced_finite(work) && !afxi_reduced_beyond(work, work->q);
    return free && (!work->touch.collide || afxi_reduced_touch_clear(work));
}

void afxi_reduced_go_rough(AfxiReduced *work, AfxStepReport *report) {
    afxi_reduced_branches_back(work);
    afxi_reduced_go_back(work);
    report->flags &= ~(uint32_t)AFX_STEP_SUBSTEPPED;
    work->kept = 0;
    work->next_history = 1;
}

bool afxi_reduced_advance_rough(AfxiReduced *work, AfxStepReport *report) {
    double h = work->world->state.head->dt;
    afxi_reduced_go_rough(work, report);
    work->solves = 0;
    return implicit_step(work, h, work->touch.collide != NULL, &work->next_history, report) &&
           afxi_reduced_finite(work);
}

/* Smooth motion goes by the integrator's own method; what is not, by backward differences. */
static bool auto_step(AfxiReduced *work, double h, AfxStepReport *report) {
    bool looked, smooth = afxi_reduced_smooth_before(work, h, &looked) && cut_smooth(work, h, report) &&
                          afxi_reduced_smooth_after(work);
    bool gives_way = work->world->def.integrator != AFX_CONSERVING;
    report->flags |= smooth && work->world->def.integrator == AFX_AUTO ? AFX_STEP_EXPLICIT : 0;
    return smooth || (looked && gives_way && afxi_reduced_advance_rough(work, report));
}

/* The step itself; what was too stiff for it is in *out_stiff. */
bool afxi_reduced_advance(AfxiReduced *work, bool fresh, AfxStepReport *report, uint32_t *out_stiff) {
    double h = work->world->state.head->dt;
    bool fine;
    *out_stiff = AFXI_TREE_NONE;
    work->next_history = 1;
    switch (work->world->def.integrator) {
    case AFX_RK4:
        *out_stiff = fresh ? afxi_reduced_too_stiff(work, h, AFXI_REDUCED_STIFF) : AFXI_TREE_NONE;
        fine = *out_stiff == AFXI_TREE_NONE && afxi_reduced_rk4(work, h, false);
        break;
    case AFX_AUTO:
    case AFX_GAUSS2:
    case AFX_ALPHA:
    case AFX_CONSERVING:
        fine = auto_step(work, h, report);
        break;
    default:
        fine = implicit_step(work, h, false, &work->next_history, report);
    }
    return fine && afxi_reduced_finite(work);
}
