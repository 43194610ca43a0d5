/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities that jump: a coordinate that has just reached its limit bounces or stops, and every other row keeps its
 * rate. In the metric of the rigid mass matrix,
 *     v+ = v - M^-1 J^T impulse,   J v+ = wanted rates,
 * v being the velocity at the end of the step, which has what gravity and contacts did in it; the step has stopped part
 * of the approach, so that its speed is that at the beginning. Only bodies that joints hold to the struck one change.
 * Their multistep history no longer fits afterwards.
 *
 * Restitution is the same: a point that struck leaves with e times the speed of approach. The step itself stops what
 * strikes; this comes after it, as a change of velocities. */
#include "solve/impact.h"

#include <math.h>
#include <string.h>

#include "constraint/drive.h"
#include "constraint/rows_start.h"
#include "constraint/spring.h"
#include "constraint/tuning.h"
#include "dual/system.h"
#include "engine/closed_form.h"
#include "solve/tuning.h"
#include "state/pace.h"

/* Frames at the present state, rigid inverses, and the velocities as the start of the dual solve. */
static void load_velocities(AfxiLot *lot, const double *velocities) {
    const AfxiGraph *graph = lot->rows.graph;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        size_t at = (size_t)12 * graph->body[k];
        double *start = lot->system.start + (size_t)12 * k;
        afxi_lot_rigid(lot, k);
        /* rigid: a rate of strain would pass the rows and part the joints later */
        AfxiMat3 rate = mat3_load(velocities + at), local = mat3_multiply_tn(&lot->rows.frame[k], &rate);
        AfxiMat3 spin = mat3_skew(mat3_axial(&local));
        memcpy(start, spin.m, sizeof spin.m);
        memcpy(start + 9, velocities + at + 9, 3 * sizeof *start);
    }
}

static void store_velocities(const AfxiLot *lot, uint32_t begin, uint32_t end) {
    double *v = lot->rows.world->state.v;
    for (uint32_t k = begin; k < end; k++) {
        size_t at = (size_t)12 * lot->rows.graph->body[k];
        const double *delta = lot->system.delta + (size_t)12 * k;
        for (int e = 0; e < 3; e++) {
            vec3_store(v + at + 3 * e, mat3_apply(&lot->rows.frame[k], vec3_load(delta + 3 * e)));
        }
        memcpy(v + at + 9, delta + 9, 3 * sizeof *delta);
    }
}

/* Rate of a row for the velocities in system.start; rows.rate holds the share of bodies that are not solved for. */
static double row_rate(const AfxiLot *lot, uint32_t row) {
    const AfxiGraph *graph = lot->rows.graph;
    const AfxiGraphBlock *block = &graph->block[graph->row[row].block];
    double sum = lot->rows.rate[row];
    for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
        const double *g = lot->rows.jacobian + 12 * (graph->entry[e].jacobian + row - block->first_row);
        const double *start = lot->system.start + 12 * (size_t)graph->entry[e].body;
        for (int k = 0; k < 12; k++) {
            sum += g[k] * start[k];
        }
    }
    return sum;
}

/* The rate of a limit that is met: it bounces off what came at it with `approach`, and what leaves goes on. */
static double limit_rate(AfxiLot *lot, uint32_t row, uint32_t index, double approach) {
    AfxiWorld *world = lot->rows.world;
    const double *numbers = afxi_world_param(world, AFX_PARAM_DRIVE, index);
    double side = world->state.drive_branch[index] == AFXI_BRANCH_LOW ? 1 : -1; /* the way out */
    double rate = fmax(0, side * row_rate(lot, row));
    if (side * approach < 0) {
        rate = -numbers[AFXI_DRIVE_RESTITUTION] * side * approach;
    }
    if (rate > AFXI_STILL) { /* it leaves again */
        world->state.drive_branch[index] = AFXI_BRANCH_FREE;
    }
    return side * rate;
}

/* The rate that an active row is to have. */
static double wanted_rate(AfxiLot *lot, uint32_t row) {
    const AfxiWorld *world = lot->rows.world;
    const AfxiGraphRow *source = &lot->rows.graph->row[row];
    if (source->source != AFXI_SOURCE_DRIVE) {
        return 0;
    }
    const AfxiDrive *drive = &world->model->drives[source->index];
    if (drive->kind == AFX_DRIVE_LIMIT) {
        return limit_rate(lot, row, source->index, lot->kept[row]);
    }
    double value = 0, rate = 0;
    afx_signal_evaluate(&drive->target, afxi_state_time(&world->state) + world->state.head->dt, &value, &rate, NULL);
    if (drive->from_input) {
        value = world->state.drive_input[4 * (size_t)source->index + 2];
        rate = world->state.drive_input[4 * (size_t)source->index + 3];
    }
    return drive->kind == AFX_DRIVE_VELOCITY ? value : rate;
}

/* qv = q makes the constant part of a row's rate the share of the bodies that are not solved for. */
static void still_bodies(AfxiLot *lot) {
    for (uint32_t k = 0; k < lot->rows.graph->body_count; k++) {
        double *qv = lot->rows.qv + (size_t)12 * k;
        memcpy(qv, lot->rows.frame[k].m, sizeof lot->rows.frame[k].m);
        vec3_store(qv + 9, lot->rows.origin[k]);
    }
    lot->rows.h_rate = 1;
}

/* Rows at the present frames. `before`: velocities with which limits were approached. */
static void prepare(AfxiLot *lot, const double *before) {
    const AfxiGraph *graph = lot->rows.graph;
    load_velocities(lot, before);
    still_bodies(lot);
    lot->system.touches = NULL;
    lot->rows.rates = true;
    afxi_turns_refresh(&lot->rows);
    afxi_closed_form(lot, true);
    afxi_lot_linearise(lot);
    lot->rows.rates = false;
    afxi_rows_keep_exact(&lot->rows);
    for (uint32_t k = 0; k < graph->drive_count; k++) {
        uint32_t row = graph->drive_row[k];
        if (lot->rows.world->model->drives[graph->row[row].index].kind == AFX_DRIVE_LIMIT) {
            lot->kept[row] = row_rate(lot, row);
        }
    }
}

/* The present velocities as near as rows allow, into system.delta. */
static void load_rates(AfxiLot *lot) {
    AfxiSystem *system = &lot->system;
    load_velocities(lot, lot->rows.world->state.v);
    afxi_rows_closed_rates(&lot->rows, false);
    for (uint32_t b = 0; b < afxi_blocks_left(&lot->rows); b++) {
        const AfxiGraphBlock *block = afxi_block_left(&lot->rows, b);
        for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
            system->value[row] = system->active[row] ? lot->rows.rate[row] - wanted_rate(lot, row) : 0;
        }
    }
}

static void project(AfxiLot *lot) {
    AfxiDualReport dual;
    afxi_dual_solve_apart(&lot->system, true, &dual);
    afxi_closed_form(lot, false);
}

void afxi_velocities_project(AfxiLot *lot) {
    prepare(lot, lot->rows.world->state.v);
    load_rates(lot);
    project(lot);
    store_velocities(lot, 0, lot->rows.graph->body_count);
}

/* ---- limits ---- */

/* Whether the drive of a row is a limit that was met in this step. */
static bool struck(const AfxiLot *lot, uint32_t row) {
    const AfxiWorld *world = lot->rows.world;
    uint32_t drive = lot->rows.graph->row[row].index;
    return world->model->drives[drive].kind == AFX_DRIVE_LIMIT && world->branch_begin[drive] == AFXI_BRANCH_FREE &&
           world->state.drive_branch[drive] != AFXI_BRANCH_FREE;
}

bool afxi_impact(AfxiSolver *solver, const double *before) {
    AfxiState *state = &solver->world->state;
    bool any = false;
    for (uint32_t g = 0; g < solver->world->model->graph_count; g++) {
        AfxiLot *lot = &solver->lot[g];
        bool own = false;
        for (uint32_t k = 0; k < lot->rows.graph->drive_count; k++) {
            uint32_t row = lot->rows.graph->drive_row[k], drive = lot->rows.graph->row[row].index;
            bool met = struck(lot, row);
            afxi_trace_limit(met ? solver->world->trace : NULL, solver->world->model->drives[drive].joint);
            own |= met;
        }
        if (own) { /* only what joints hold to the struck one changes */
            prepare(lot, before);
            load_rates(lot);
            project(lot);
            store_velocities(lot, 0, lot->rows.graph->body_count);
            for (uint32_t k = 0; k < lot->rows.graph->body_count; k++) {
                afxi_pace_restart(state, lot->rows.graph->body[k]);
            }
            any = true;
        }
    }
    return any;
}

/* ---- contacts ---- */

/* Speed away from b after the bounce, or 0. The speed of approach is that at the moment of touch: from the beginning of
 * the step to there, gravity has added its share. */
static double bounce_of(const AfxiContactSet *set, const AfxiPoint *point) {
    AfxVec3 gravity = vec3_load(afxi_world_param(set->world, AFX_PARAM_GRAVITY, 0));
    if (point->chained || !(point->restitution > 0) || !(point->force > 0) || !(point->approach < 0)) {
        return 0;
    }
    double pull = point->pair ? 0 : -vec3_dot(gravity, vec3_load(point->axis));
    double way = point->first_gap - point->dt * point->approach; /* gap at the beginning of the step */
    double speed = sqrt(fmax(0, point->approach * point->approach + 2 * pull * fmax(0, way)));
    double after = point->restitution * speed;
    return after > AFXI_BOUNCE_LEAST * vec3_length(gravity) * point->dt ? after : 0;
}

/* Where b is not solved for: a stiff row in the block of a. What b moves along the normal is part of the speed. */
static void bounce_touch(AfxiContactSet *set, AfxiLot *lot, const AfxiPoint *point, double after) {
    uint32_t body = lot->rows.graph->local[point->body_a];
    AfxiContactRow side[2];
    AfxiTouchRow *row = &set->touches.row[point->row];
    afxi_contacts_row(set, point, 0, side);
    memcpy(row->g, side[0].g, sizeof row->g);
    double at[12];
    memcpy(at, lot->rows.frame[body].m, 9 * sizeof *at);
    vec3_store(at + 9, lot->rows.origin[body]);
    row->target = 0;
    row->target = afxi_touch_value(row, at) + after + point->carried;
    row->stiffness = AFXI_BOUNCE_STIFFNESS * afxi_world_class(set->world, point->body_a)->mass;
}

static void bounce_pair(const AfxiContactSet *set, AfxiLot *lot, const AfxiPoint *point, double after) {
    AfxiSystem *system = &lot->system;
    uint32_t row = point->row;
    system->active[row] = 1;
    system->value[row] = -after;
    system->compliance[row] = 1 / (AFXI_BOUNCE_STIFFNESS * afxi_world_class(set->world, point->body_a)->mass);
    afxi_contacts_gradient(set, &lot->rows, point, 0);
}

/* Rows of the points of a run that bounce, for velocities in the dual system. */
static void bounce_rows(AfxiContactSet *set, AfxiLot *lot, const AfxiActiveSet *active) {
    const AfxiGraph *graph = lot->rows.graph;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        uint32_t own = set->touch_of[graph->body[k]];
        for (uint32_t r = 0; own != UINT32_MAX && r < set->touches.body[own].row_count; r++) {
            set->touches.row[set->touches.body[own].first_row + r].stiffness = 0;
        }
    }
    if (lot->pairs) {
        afxi_contacts_clear(&lot->rows);
    }
    for (uint32_t k = 0; k < active->count; k++) {
        const AfxiPoint *point = &set->now.point[active->point[k]];
        double after = bounce_of(set, point);
        if (after > 0 && point->row_count) {
            afxi_trace_bounce(set->world->trace, point->body_a);
            if (point->pair) {
                bounce_pair(set, lot, point, after);
            } else {
                bounce_touch(set, lot, point, after);
            }
        }
    }
    lot->system.touches = &set->touches;
    lot->system.touch_of = lot->touch_of;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        lot->touch_of[k] = set->touch_of[graph->body[k]];
        if (lot->touch_of[k] != UINT32_MAX) {
            afxi_touch_load(&set->touches, lot->touch_of[k], &lot->rows.frame[k], lot->rows.origin[k],
                            &lot->system.inverse[k], lot->system.start + (size_t)12 * k);
        }
    }
}

static bool bounce_run(AfxiContactSet *set, AfxiRun *run) {
    const AfxiActiveSet *active = &run->island[0].active;
    bool any = false;
    for (uint32_t k = 0; k < active->count && !any; k++) {
        any = bounce_of(set, &set->now.point[active->point[k]]) > 0;
    }
    if (!any || !run->accepted[0] || run->count > 1) {
        return false;
    }
    AfxiLot *lot = run->lot;
    prepare(lot, lot->rows.world->state.v);
    load_rates(lot);
    bounce_rows(set, lot, active);
    project(lot);
    store_velocities(lot, 0, lot->rows.graph->body_count);
    return true;
}

bool afxi_contacts_bounce(AfxiSolver *solver) {
    bool any = false;
    for (uint32_t k = 0; solver->collide && k < solver->world->model->graph_count; k++) {
        any |= solver->run[k].count == 1 && bounce_run(solver->set, &solver->run[k]);
    }
    for (uint32_t k = 0; solver->collide && k < solver->island_count; k++) {
        any |= bounce_run(solver->set, solver->island[k]);
    }
    return any;
}
