/* SPDX-License-Identifier: Apache-2.0 */
/* Drives through a step: targets from data or input, and which branch of its law each is on. */
#include "constraint/drive.h"

#include <math.h>
#include <string.h>

#include "constraint/reaction.h"
#include "constraint/tuning.h"

/* The signal of a drive at a time, with its rate; where it has none, what follows it fails. */
static void signal_at(const AfxiWorld *world, uint32_t drive, double time, double *out_value, double *out_rate) {
    *out_value = *out_rate = NAN;
    afx_signal_evaluate(&world->model->drives[drive].target, time, out_value, out_rate, NULL);
}

/* Position that a velocity drive has reached at `fraction` of the step: Simpson's rule over its rate. */
static double travelled(const AfxiWorld *world, uint32_t drive, double fraction) {
    double span = fraction * world->state.head->dt, time = afxi_state_time(&world->state), rate[3], unused;
    if (world->model->drives[drive].from_input) {
        const double *begin = world->state.drive_input + 4 * (size_t)drive, *end = begin + 2;
        double now = begin[0] + fraction * (end[0] - begin[0]);
        return world->state.drive_travel[drive] + span * 0.5 * (begin[0] + now);
    }
    for (int k = 0; k < 3; k++) {
        signal_at(world, drive, time + 0.5 * k * span, &rate[k], &unused);
    }
    return world->state.drive_travel[drive] + span * (rate[0] + 4 * rate[1] + rate[2]) / 6;
}

/* Whether the target of a drive is one number for ever. */
static bool stands_still(const AfxiDrive *drive) {
    return !drive->from_input && drive->kind != AFX_DRIVE_VELOCITY && drive->target.kind == AFX_SIGNAL_CONSTANT;
}

void afxi_drives_list(AfxiWorld *world) {
    world->drive_moving_count = 0;
    for (uint32_t k = 0; k < world->model->drive_count; k++) {
        if (stands_still(&world->model->drives[k])) {
            signal_at(world, k, 0, &world->drive_target[2 * (size_t)k], &world->drive_target[2 * (size_t)k + 1]);
        } else {
            world->drive_moving[world->drive_moving_count++] = k;
        }
    }
}

void afxi_drives_targets(AfxiWorld *world, double fraction) {
    for (uint32_t j = 0; j < world->drive_moving_count; j++) {
        const uint32_t k = world->drive_moving[j];
        double *target = world->drive_target + 2 * (size_t)k;
        const double *begin = world->state.drive_input + 4 * (size_t)k, *end = begin + 2;
        if (world->model->drives[k].kind == AFX_DRIVE_VELOCITY) {
            target[0] = travelled(world, k, fraction);
            target[1] = 0;
        } else if (world->model->drives[k].from_input) {
            target[0] = begin[0] + fraction * (end[0] - begin[0]);
            target[1] = begin[1] + fraction * (end[1] - begin[1]);
        } else {
            signal_at(world, k, afxi_state_time(&world->state) + fraction * world->state.head->dt, &target[0],
                      &target[1]);
        }
    }
}

double afxi_drive_acceleration(const AfxiWorld *world, uint32_t drive) {
    const AfxiDrive *source = &world->model->drives[drive];
    double rate = 0, acceleration = 0;
    if (!source->from_input) {
        afx_signal_evaluate(&source->target, afxi_state_time(&world->state), NULL, &rate, &acceleration);
    }
    return source->kind == AFX_DRIVE_POSITION ? acceleration : source->kind == AFX_DRIVE_VELOCITY ? rate : 0;
}

double afxi_friction_limit(const AfxiWorld *world, uint32_t drive) {
    const double *numbers = afxi_world_param(world, AFX_PARAM_DRIVE, drive);
    double share = numbers[AFXI_DRIVE_COEFFICIENT] * numbers[AFXI_DRIVE_RADIUS];
    if (share == 0) {
        return numbers[AFXI_DRIVE_EFFORT];
    }
    AfxWrench reaction;
    afxi_joint_reaction(world, world->state.lambda, world->model->drives[drive].joint, &reaction);
    return numbers[AFXI_DRIVE_EFFORT] + share * vec3_length(reaction.force);
}

const double *afxi_drive_numbers(const AfxiWorld *world, uint32_t drive, double *copy) {
    const double *numbers = afxi_world_param(world, AFX_PARAM_DRIVE, drive);
    const AfxiDrive *source = &world->model->drives[drive];
    if (source->kind != AFX_DRIVE_LIMIT || source->axis != AFX_AXIS_TWIST) {
        return numbers;
    }
    const AfxiJoint *joint = &world->model->joints[source->joint];
    double last =
        world->state.angle[joint->angle + afxi_axis_place(afxi_joint_kind((AfxJointKind)joint->kind), source->axis)];
    memcpy(copy, numbers, AFXI_DRIVE_SIZE * sizeof *copy);
    copy[AFXI_DRIVE_LOWER] = fmin(last, numbers[AFXI_DRIVE_LOWER]);
    copy[AFXI_DRIVE_UPPER] = fmax(last, numbers[AFXI_DRIVE_UPPER]);
    return copy;
}

/* Change of what a row measures, to first order: J delta. */
static double row_change(const AfxiRows *rows, uint32_t row) {
    const AfxiGraph *graph = rows->graph;
    const AfxiGraphBlock *block = &graph->block[graph->row[row].block];
    double sum = 0;
    for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
        const double *g = rows->jacobian + graph->entry[e].jacobian + AFXI_AFFINE_WIDTH * (row - block->first_row);
        const double *delta = rows->delta + AFXI_AFFINE_WIDTH * (size_t)graph->entry[e].dof.index;
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            sum += g[k] * delta[k];
        }
    }
    return sum;
}

/* Whether a row is that of a drive on the coordinate of another drive's row. */
static bool shares_coordinate(const AfxiRows *rows, uint32_t row, uint32_t other) {
    const AfxiGraphRow *a = &rows->graph->row[row], *b = &rows->graph->row[other];
    const AfxiDrive *drives = rows->world->model->drives;
    return b->source == AFXI_SOURCE_DRIVE && drives[b->index].joint == drives[a->index].joint &&
           drives[b->index].axis == drives[a->index].axis;
}

/* The row of a limit that holds the coordinate of a drive; UINT32_MAX: none does. */
static uint32_t limit_met(const AfxiRows *rows, uint32_t row) {
    const AfxiGraph *graph = rows->graph;
    const AfxiGraphBlock *block = &graph->block[graph->row[row].block];
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
        if (shares_coordinate(rows, row, k) &&
            rows->world->model->drives[graph->row[k].index].kind == AFX_DRIVE_LIMIT &&
            rows->world->state.drive_branch[graph->row[k].index] != AFXI_BRANCH_FREE) {
            return k;
        }
    }
    return UINT32_MAX;
}

/* Friction that slides the other way than it was taken to: at what others on its coordinate give way by alone, turning
 * its force round changes the path of the step by no more than twice its limit over their stiffness. Where the path is
 * longer it slides that way, and need not stick first to be told so. */
static AfxiBranch turn_round(const AfxiRows *rows, uint32_t row, AfxiBranch branch, double rate) {
    const AfxiGraphBlock *block = &rows->graph->block[rows->graph->row[row].block];
    double stiffness = 0;
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
        bool yields = rows->active[k] && rows->compliance[k] > 0 && shares_coordinate(rows, row, k);
        stiffness += yields ? 1 / rows->compliance[k] : 0;
    }
    double limit = afxi_friction_limit(rows->world, rows->graph->row[row].index);
    return !(fabs(rate) * rows->h_rate * stiffness > 2 * limit) ? AFXI_BRANCH_FREE
           : branch == AFXI_BRANCH_HIGH                         ? AFXI_BRANCH_LOW
                                                                : AFXI_BRANCH_HIGH;
}

/* Whether friction or a limit on the coordinate of a drive has another branch since the solve than its row had in it.
 */
static bool others_changed(const AfxiRows *rows, uint32_t row) {
    const AfxiGraph *graph = rows->graph;
    const AfxiGraphBlock *block = &graph->block[graph->row[row].block];
    bool changed = false;
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
        if (k == row || !shares_coordinate(rows, row, k)) {
            continue;
        }
        const uint8_t kind = rows->world->model->drives[graph->row[k].index].kind;
        const AfxiBranch now = (AfxiBranch)rows->world->state.drive_branch[graph->row[k].index];
        const bool free = now == AFXI_BRANCH_FREE, on = rows->active[k];
        bool same = kind == AFX_DRIVE_LIMIT ? on != free
                    : on                    ? free
                                            : !free && (now == AFXI_BRANCH_LOW) == (rows->fixed[k] < 0);
        changed |= (kind == AFX_DRIVE_LIMIT || kind == AFX_DRIVE_FRICTION) && !same;
    }
    return changed;
}

/* Friction where a limit holds the coordinate: against the rate that it has when it is at its end, and it does not
 * stick as well, which the limit would make redundant. At rest any force up to its limit fits: it keeps the one that it
 * has, or takes that with which it has come there. `fit` is what its law says by itself, at `rate`, and `branch` what
 * it had. */
static AfxiBranch friction_at_end(const AfxiRows *rows, uint32_t row, AfxiBranch branch, AfxiBranch fit, double rate) {
    uint32_t limit = limit_met(rows, row);
    if (limit == UINT32_MAX) {
        return fit;
    }
    double copy[AFXI_DRIVE_SIZE];
    const uint32_t drive = rows->graph->row[limit].index;
    const double *numbers = afxi_drive_numbers(rows->world, drive, copy);
    AfxiBranch end = (AfxiBranch)rows->world->state.drive_branch[drive];
    double ahead = numbers[end == AFXI_BRANCH_LOW ? AFXI_DRIVE_LOWER : AFXI_DRIVE_UPPER] - rows->result[limit];
    double path = rate * rows->h_rate + ahead, slack = afxi_limit_slack(rows->graph);
    slack *= branch == AFXI_BRANCH_FREE ? 1 : AFXI_LIMIT_AT_REST;
    return path > slack    ? AFXI_BRANCH_HIGH
           : path < -slack ? AFXI_BRANCH_LOW
                           : (branch == AFXI_BRANCH_FREE ? end : branch);
}

/* The branch that fits what a solve made of the row of a drive. */
static AfxiBranch branch_of(const AfxiRows *rows, uint32_t row, double lambda) {
    const AfxiWorld *world = rows->world;
    uint32_t drive = rows->graph->row[row].index;
    AfxDriveKind kind = (AfxDriveKind)world->model->drives[drive].kind;
    AfxiBranch branch = (AfxiBranch)world->state.drive_branch[drive];
    double copy[AFXI_DRIVE_SIZE];
    const double *numbers = afxi_drive_numbers(world, drive, copy);
    bool friction = kind == AFX_DRIVE_FRICTION, bound = branch != AFXI_BRANCH_FREE;
    /* what its law asks for on this branch: group_result_wide.c leaves out what it does not */
    double x = kind == AFX_DRIVE_LIMIT || (kind == AFX_DRIVE_SERVO && bound) ? rows->result[row] : 0;
    double rate =
        friction || (bound && kind != AFX_DRIVE_LIMIT) ? rows->rate[row] + row_change(rows, row) / rows->h_rate : 0;
    if (kind == AFX_DRIVE_LIMIT && afxi_row_lost(rows, row)) {
        return AFXI_BRANCH_FREE;
    }
    bool folds = kind == AFX_DRIVE_LIMIT && afxi_row_passes_fold(rows, row);
    if (folds && bound) {
        return branch; /* on its way through a right angle it is held: which way is back changes there */
    }
    if (folds && (x < numbers[AFXI_DRIVE_LOWER] || x > numbers[AFXI_DRIVE_UPPER])) {
        x = afxi_row_unfolded(rows, row); /* it meets the end that was before it, not the one beyond the right angle */
    }
    if (kind == AFX_DRIVE_SERVO && bound) {
        const double *target = world->drive_target + 2 * (size_t)drive;
        lambda = numbers[AFXI_DRIVE_STIFFNESS] * (x - target[0]) + numbers[AFXI_DRIVE_DAMPING] * (rate - target[1]);
    }
    double slack = kind == AFX_DRIVE_LIMIT ? afxi_limit_slack(rows->graph)
                   : friction              ? AFXI_BRANCH_ROUNDING * rows->graph->size / rows->h_rate
                                           : AFXI_BRANCH_ROUNDING * rows->graph->size;
    AfxiBranch fit = afxi_law_branch(kind, branch, numbers, x, rate, lambda,
                                     friction ? afxi_friction_limit(world, drive) : 0, slack);
    if (friction && bound && fit == AFXI_BRANCH_FREE) {
        fit = turn_round(rows, row, branch, rate);
    }
    /* a servo that asked for more than it has while friction or a limit held asks for less once that gives way: with
     * what it has at most, and neither stiffness nor damping, a light body would be thrown about till then */
    if (kind == AFX_DRIVE_SERVO && !bound && fit != AFXI_BRANCH_FREE && others_changed(rows, row)) {
        return AFXI_BRANCH_FREE;
    }
    return friction ? friction_at_end(rows, row, branch, fit, rate) : fit;
}

/* Whether the drive of a row had to change its branch. */
static bool change_branch(const AfxiRows *rows, uint32_t row, double lambda) {
    AfxiWorld *world = rows->world;
    uint32_t drive = rows->graph->row[row].index;
    AfxDriveKind kind = (AfxDriveKind)world->model->drives[drive].kind;
    if (world->drive_changes[drive] >= AFXI_BRANCH_CHANGES_MOST) {
        return false;
    }
    AfxiBranch fit = branch_of(rows, row, lambda);
    if (fit == (AfxiBranch)world->state.drive_branch[drive]) {
        return false;
    }
    world->state.drive_branch[drive] = (uint8_t)fit;
    world->drive_changes[drive]++;
    afxi_trace_branch(world->trace, kind);
    return true;
}

/* Whether a spring with tables gave another force than its tables have where the solve has led: they are not linear.
 * The coordinate is the linear one, as that of any spring: what bodies turn is judged by itself. */
static bool off_table(const AfxiRows *rows, uint32_t row, double lambda) {
    static const double tolerance[] = {[AFX_FAST] = AFXI_TABLE_TOLERANCE_FAST,
                                       [AFX_ACCURATE] = AFXI_TABLE_TOLERANCE_ACCURATE,
                                       [AFX_CONVERGED] = AFXI_TABLE_TOLERANCE_CONVERGED};
    double numbers[AFXI_DRIVE_SIZE], k, d, change = row_change(rows, row);
    AfxiSpringTables tables;
    if (!afxi_row_on(rows, row)) {
        return false;
    }
    afxi_row_tables(rows, row, numbers, &tables);
    double force = afxi_law_spring(numbers, &tables, rows->measured[row] + change,
                                   rows->rate[row] + change / rows->h_rate, &k, &d);
    double rounding = AFXI_BRANCH_ROUNDING * rows->graph->size * (fabs(k) + fabs(d) / rows->h_rate);
    double most = tolerance[rows->world->def.accuracy] * fmax(fabs(force), fabs(lambda)) + rounding;
    return !(fabs(force - lambda) <= most);
}

/* Drives of one kind. */
static uint32_t change_branches(const AfxiRows *rows, const double *lambda, AfxDriveKind kind) {
    const AfxiRowGroups *groups = &rows->groups;
    const AfxiDrive *drives = rows->world->model->drives;
    uint32_t changed = 0;
    for (uint32_t k = groups->own_count; k < groups->general_count; k++) {
        const AfxiRowGroup *group = &groups->group[k];
        if (group->rows == AFXI_GROUP_SCREW || group->law != (uint8_t)kind ||
            groups->kernel->settled(rows, lambda, group)) {
            continue;
        }
        for (uint32_t l = 0; l < group->lanes; l++) {
            changed += change_branch(rows, group->row[l], lambda[group->row[l]]);
        }
    }
    for (uint32_t k = 0; k < groups->odd_count; k++) {
        uint32_t row = groups->odd[k];
        if (drives[rows->graph->row[row].index].kind == kind) {
            changed += change_branch(rows, row, lambda[row]);
        }
    }
    return changed;
}

uint32_t afxi_drives_branches(AfxiRows *rows, const double *lambda) {
    static const AfxDriveKind order[] = {AFX_DRIVE_LIMIT, /* where one holds, nothing sticks, ... */
                                         AFX_DRIVE_FRICTION,
                                         AFX_DRIVE_SERVO}; /* ... and where that yields, ask again */
    const AfxiRowGroups *groups = &rows->groups;
    uint32_t changed = 0;
    for (int k = 0; k < 3; k++) {
        changed += change_branches(rows, lambda, order[k]);
    }
    for (uint32_t k = 0; k < groups->table_count; k++) {
        changed += off_table(rows, groups->table[k], lambda[groups->table[k]]);
    }
    return changed;
}

void afxi_drives_begin(AfxiWorld *world) {
    memset(world->drive_changes, 0, world->model->drive_count);
    memcpy(world->branch_begin, world->state.drive_branch, world->model->drive_count);
}

void afxi_drives_reset(AfxiWorld *world) {
    memset(world->drive_changes, 0, world->model->drive_count);
    memcpy(world->state.drive_branch, world->branch_begin, world->model->drive_count);
}

void afxi_drives_finish(AfxiWorld *world) {
    for (uint32_t j = 0; j < world->drive_moving_count; j++) { /* others have no input, and do not travel */
        const uint32_t k = world->drive_moving[j];
        double *begin = world->state.drive_input + 4 * (size_t)k;
        if (world->model->drives[k].kind == AFX_DRIVE_VELOCITY) {
            world->state.drive_travel[k] = travelled(world, k, 1);
        }
        begin[0] = begin[2];
        begin[1] = begin[3];
    }
}
