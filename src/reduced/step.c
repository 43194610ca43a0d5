/* SPDX-License-Identifier: Apache-2.0 */
/* The step in joint coordinates. Its state is q and u; raw coordinates are written after every step, and read again
 * where they were edited. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/status.h"
#include "constraint/angles.h"
#include "constraint/drive.h"
#include "constraint/reaction.h"
#include "reduced/explicit.h"
#include "reduced/flywheel.h"
#include "reduced/forces.h"
#include "reduced/held.h"
#include "reduced/implicit.h"
#include "reduced/make.h"
#include "reduced/momentum.h"
#include "reduced/parts.h"
#include "reduced/reaction.h"
#include "reduced/refuse.h"
#include "reduced/smooth.h"
#include "reduced/system.h"
#include "reduced/touch.h"
#include "state/input.h"
#include "state/pace.h"

/* Seven coordinates, six velocities, six momenta and six accelerations of a body at most, twice. */
static size_t state_size(const AfxModel *model) {
    return (50 * (size_t)model->dynamic_count + 2) * sizeof(double);
}

/* ---- from and to the state ---- */

/* All that follows from parameters. */
static void set_numbers(AfxiReduced *work) {
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

/* True where parameters or the state have changed since the last step, and what rests on them is to be looked at. */
static bool load(AfxiReduced *work, AfxStepReport *report) {
    bool fresh = work->stale;
    const AfxiState *state = &work->world->state;
    AfxiReducedState own = afxi_reduced_state(work);
    size_t q = work->tree.coordinate_count * sizeof(double), u = work->tree.dof_count * sizeof(double);
    if (work->stale) {
        set_numbers(work);
        work->stale = false;
    }
    work->touch.starting = !state->head->has_history || state->head->uneven;
    bool edited = work->classes_seen != UINT32_MAX && work->classes_seen != work->world->classes_version;
    work->classes_seen = work->world->classes_version;
    if (!work->touch.starting) {
        memcpy(work->q, own.q, q);
        memcpy(work->u, own.u, u);
        if (edited) { /* momenta are those of other masses */
            *own.history = fmin(*own.history, 0);
            *own.kept = 0;
            set_momenta(work);
        }
        return fresh;
    }
    report->flags |= AFX_STEP_RESTARTED;
    afxi_trace_part(work->world->trace, 0, 1);
    afxi_trace_restart(work->world->trace);
    *own.history = *own.kept = 0;
    afxi_tree_near(&work->tree, state->angle, work->row);
    afxi_tree_from_raw(&work->tree, state->q, state->v, work->row, work->q, work->u);
    afxi_tree_set_moved(&work->work, state->q, state->v);
    afxi_reduced_inputs(work, 0);
    if (work->exact_count) { /* velocities that fit drives; a start that cannot be closed fails in the step */
        afxi_reduced_project(work, work->q, work->u, 0);
    }
    memcpy(own.q, work->q, q); /* what the next step has before it */
    memcpy(own.u, work->u, u);
    set_momenta(work);
    return true;
}

static bool is_finite(const AfxiReduced *work) {
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

static void commit(AfxiReduced *work, double history) {
    AfxiState *state = &work->world->state;
    AfxiReducedState own = afxi_reduced_state(work);
    memcpy(own.past_q, own.q, work->tree.coordinate_count * sizeof(double));
    memcpy(own.past_u, own.u, work->tree.dof_count * sizeof(double));
    *own.history = history;
    *own.kept = work->kept;
    for (int k = 0; k < 2 && work->kept > 0; k++) {
        memcpy(own.rate[k], work->stage_du[2 + k], work->tree.dof_count * sizeof(double));
    }
    memcpy(own.q, work->q, work->tree.coordinate_count * sizeof(double));
    memcpy(own.u, work->u, work->tree.dof_count * sizeof(double));
    memcpy(own.past_momentum, own.momentum, 6 * (size_t)work->model->dynamic_count * sizeof(double));
    afxi_tree_pose(&work->work, work->q);
    afxi_tree_velocity(&work->work, work->u);
    if (work->world->def.integrator != AFX_RK4) {
        afxi_tree_inertia(&work->work);
        afxi_reduced_momenta(work, own.momentum);
    }
    afxi_tree_to_raw(&work->work, work->q, work->u, state->q, state->v);
    store_told(work);
    if (work->angles_left) {
        afxi_angles_follow(work->world);
    }
    for (uint32_t k = 0; k < work->angle_count; k++) {
        const AfxiReducedAngle *angle = &work->angle[k];
        state->angle[angle->place] = angle->scale * work->q[angle->coordinate] + angle->offset;
    }
    afxi_drives_finish(work->world);
    afxi_pace_finish(state, work->model->body_count, NULL);
    state->head->has_history = 1;
}

/* ---- the step ---- */

/* Parameters of the sim itself may ask for what is not there. */
static AfxStatus refuse_own(const AfxiReduced *work) {
    const AfxiWorld *world = work->world;
    if (world->params == work->model->params) {
        return AFX_OK;
    }
    bool unfit = afxi_flywheels_unfit(&work->tree, world->params) != AFXI_TREE_NONE;
    return unfit ? AFX_E_INPUT : afxi_reduced_refuse(work->model, world->params, world->def.integrator, NULL);
}

/* What the next step may go by: two where this one knows of no jump, or one, and after a blow several times. */
static double history_after(const AfxiReduced *work, bool limits, bool points) {
    double before = *afxi_reduced_state(work).history, next = before < 0 ? before + 1 : 1;
    return points ? -AFXI_REDUCED_SHOCK : limits ? fmin(0, next) : next;
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
            afxi_drives_reset(work->world);
        }
    }
    fine = fine || afxi_reduced_in_parts(work, h, report);
    bool struck = fine && afxi_reduced_strike(work, afxi_reduced_state(work).u);
    report->flags |= struck ? AFX_STEP_IMPACT : 0;
    *out_history = history_after(work, struck, jumps || (struck && work->touch.collide));
    return fine;
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
    return fine && is_finite(work);
}

/* Methods that iterate are cut into parts where they do not converge. */
static bool cut_smooth(AfxiReduced *work, double h, AfxStepReport *report) {
    bool fine = smooth_parts(work, h, 1), iterates = work->world->def.integrator != AFX_AUTO;
    for (uint32_t parts = 2; iterates && !fine && parts <= AFXI_REDUCED_PARTS_MOST; parts *= 2) {
        afxi_drives_reset(work->world);
        fine = smooth_parts(work, h, parts);
        report->flags |= fine ? AFX_STEP_SUBSTEPPED : 0;
    }
    return fine;
}

/* A step of smooth motion; false: it does not converge, or something is stiff, met or beyond a limit, rubs or touches.
 */
static bool smooth_step(AfxiReduced *work, double h, AfxStepReport *report) {
    bool free = !afxi_reduced_beyond(work, work->q) && !afxi_reduced_touch_expected(work) &&
                cut_smooth(work, h, report) && !afxi_reduced_beyond(work, work->q);
    return free && (!work->touch.collide || afxi_reduced_touch_clear(work));
}

/* Smooth motion goes by the integrator's own method; what is not, by backward differences. */
static bool auto_step(AfxiReduced *work, double h, double *out_history, AfxStepReport *report) {
    if (!afxi_reduced_look(work, h)) {
        return false;
    }
    bool smooth = smooth_step(work, h, report), gives_way = work->world->def.integrator != AFX_CONSERVING;
    report->flags |= smooth && work->world->def.integrator == AFX_AUTO ? AFX_STEP_EXPLICIT : 0;
    if (smooth || !gives_way) {
        return smooth;
    }
    afxi_drives_reset(work->world);
    report->flags &= ~(uint32_t)AFX_STEP_SUBSTEPPED;
    work->kept = 0;
    return implicit_step(work, h, work->touch.collide != NULL, out_history, report);
}

/* The step itself; what was too stiff for it is in *out_stiff. */
static bool advance(AfxiReduced *work, bool fresh, AfxStepReport *report, uint32_t *out_stiff) {
    double h = work->world->state.head->dt, history = 1;
    bool fine;
    *out_stiff = AFXI_TREE_NONE;
    switch (work->world->def.integrator) {
    case AFX_RK4:
        *out_stiff = fresh ? afxi_reduced_too_stiff(work, h, AFXI_REDUCED_STIFF) : AFXI_TREE_NONE;
        fine = *out_stiff == AFXI_TREE_NONE && afxi_reduced_rk4(work, h, false);
        break;
    case AFX_AUTO:
    case AFX_GAUSS2:
    case AFX_ALPHA:
    case AFX_CONSERVING:
        fine = auto_step(work, h, &history, report);
        break;
    default:
        fine = implicit_step(work, h, false, &history, report);
    }
    fine = fine && is_finite(work);
    if (fine) {
        commit(work, history);
        afxi_reduced_touch_finish(work, report);
    }
    return fine;
}

/* What a step begins with. */
static void begin_step(AfxiReduced *work) {
    AfxiState *state = &work->world->state;
    work->violation = 0;
    work->regularised = false;
    work->solves = 0;
    work->kept = 0;
    work->touch.status = AFX_OK;
    afxi_reduced_touch_keep(work);
    afxi_input_begin(work->world);
    afxi_drives_begin(work->world);
    for (uint32_t k = 0; k < work->model->kinematic_count; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * work->model->kinematic[k].body;
        memcpy(state->previous_q + at, state->q + at, AFXI_AFFINE_WIDTH * sizeof(double));
    }
}

static AfxStatus step(void *data, AfxStepReport *report) {
    AfxiReduced *work = data;
    AfxiWorld *world = work->world;
    double mark = afxi_clock();
    uint32_t stiff;
    AfxStatus status = refuse_own(work);
    if (status != AFX_OK) {
        return status;
    }
    begin_step(work);
    bool fresh = load(work, report), fine = advance(work, fresh, report, &stiff);
    if (!fine) {
        afxi_reduced_touch_bring_back(work);
        afxi_input_back(world);
        afxi_drives_reset(world);
        work->stale = true;
        report->body = stiff != AFXI_TREE_NONE      ? stiff
                       : work->model->dynamic_count ? work->model->dynamic[0]
                                                    : UINT32_MAX;
    }
    report->solves = work->solves ? work->solves : 1;
    report->solves_mean = report->solves;
    report->residual = work->violation;
    report->flags |= work->regularised ? AFX_STEP_REGULARISED : 0;
    report->stage_seconds[AFX_STAGE_JOINTS] += afxi_clock() - mark;
    status = work->touch.status ? work->touch.status : AFX_E_NUMERIC;
    return fine ? AFX_OK : status;
}

double afxi_reduced_cost(const void *data, uint32_t *out_dofs) {
    const AfxiReduced *work = data;
    double rows = work->exact_count + (double)work->held_count, n = work->tree.dof_count, squares = 0;
    double sum = AFXI_REDUCED_COST_STEP + AFXI_REDUCED_COST_ROW * (double)work->exact_count +
                 AFXI_REDUCED_COST_HELD * (double)work->held_count;
    for (uint32_t k = 0; k < work->tree.node_count; k++) {
        bool ball = work->tree.node[k].kind == AFXI_NODE_BALL;
        sum += AFXI_REDUCED_COST_NODE + (ball ? AFXI_REDUCED_COST_BALL : 0);
    }
    for (uint32_t d = 0; d < work->tree.dof_count; d++) {
        double above = work->rows.row[d + 1] - work->rows.row[d];
        squares += above * above;
    }
    *out_dofs = work->tree.dof_count;
    return sum + AFXI_REDUCED_COST_SQUARE * (squares + rows * rows * (n + rows / 3));
}

/* ---- the entry of the table ---- */

static void destroy(void *data) {
    AfxiReduced *work = data;
    if (work) {
        AfxAllocator allocator = work->allocator;
        afxi_reduced_release(work);
        afxi_release(&allocator, work, sizeof *work);
    }
}

static AfxStatus create(void *owner, AfxiWorld *world, void **out_work) {
    const AfxSimDef *def = &world->def;
    AfxiReduced *work = afxi_allocate(&def->allocator, sizeof *work);
    (void)owner;
    *out_work = NULL;
    AfxStatus status = AFX_E_MEMORY;
    if (work) {
        *work = (AfxiReduced){.allocator = def->allocator, .world = world, .model = world->model, .stale = true};
        work->self = work;
        status = afxi_reduced_make(work);
    }
    if (status == AFX_OK && (afxi_reduced_refuse_rows(work, def->error) != AFX_OK ||
                             afxi_reduced_refuse_wheels(work, def->error) != AFX_OK)) {
        destroy(work);
        return AFX_E_INPUT;
    }
    if (status != AFX_OK) {
        destroy(work);
        return afxi_error(def->error, status, "formulation reduced", afx_status_text(status),
                          status == AFX_E_LIMIT ? "take the formulation affix: there are too many degrees of freedom"
                                                : "use a smaller scene or free some memory");
    }
    *out_work = work;
    return AFX_OK;
}

static AfxStatus refuse(const AfxModel *model, const AfxSimDef *def) {
    return afxi_reduced_refuse(model, model->params, def->integrator, def->error);
}

static AfxStatus attach(void *data, AfxiCollide *collide) {
    return afxi_reduced_touch_attach(data, collide);
}

static void refresh(void *data) {
    ((AfxiReduced *)data)->stale = true;
}

/* Accelerations of the present state say what branches carry; rows have their multipliers. */
static void reaction(const void *data, uint32_t joint, AfxWrench *out_reaction) {
    AfxiReduced *work = ((const AfxiReduced *)data)->self; /* what it has beside the state is room to work in */
    AfxiWorld *world = work->world;
    *out_reaction = (AfxWrench){{0, 0, 0}, {0, 0, 0}};
    if (!world->state.head->steps || !world->state.head->has_history) {
        return;
    }
    set_numbers(work);
    AfxiReducedState own = afxi_reduced_state(work);
    memcpy(work->q, own.q, work->tree.coordinate_count * sizeof(double));
    memcpy(work->u, own.u, work->tree.dof_count * sizeof(double));
    afxi_reduced_inputs_now(work);
    work->touch.acting = work->touch.collide != NULL;
    bool fine = afxi_reduced_accelerate(work, 0, work->q, work->u, work->du, work->told);
    work->touch.acting = false;
    if (!fine) {
        return;
    }
    if (work->tree.joint[joint].branch) {
        afxi_tree_inverse(&work->work, work->du, NULL, work->row);
        afxi_reduced_reaction(work, joint, work->told, out_reaction);
    } else {
        afxi_joint_reaction(world, work->told, joint, out_reaction);
    }
}

const AfxiFormulationKind afxi_formulation_reduced = {
    .name = "reduced",
    .can = AFXI_FORMULATION_WRENCHES,
    .refuse = refuse,
    .state_size = state_size,
    .create = create,
    .attach = attach,
    .destroy = destroy,
    .refresh = refresh,
    .step = step,
    .reaction = reaction,
};
