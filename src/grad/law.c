/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as equations: exact ones, those that give way, and the branches of laws (solve/residual_rows.c). Equations of
 * forces are over the stiffness, so that they are lengths or angles; that scale is a number: what it multiplies is 0.
 */
#include "grad/equations.h"

#include <math.h>

#include "grad/row.h"
#include "grad/tuning.h"
#include "joint/axis.h"
#include "joint/law.h"
#include "math/table.h"
#include "model/params.h"

/* ---- tables of springs ---- */

/* The force of a table at x; samples count by differences of the table's own formula, in which they come in pieces. */
static AfxiVar table_force(AfxiGradLocal *local, uint32_t first, uint32_t count, AfxiVar x) {
    const AfxModel *model = local->model;
    double slope, copy[2 * AFXI_EQUATION_PARTS], *forces = copy;
    const double *samples = local->entry->at.params + model->param_offset[AFX_PARAM_TABLE] + first;
    AfxForceTable table = {model->table_position + first, samples, count};
    double value = count ? afxi_table_force(&table, x.value, &slope) : 0;
    if (!count) {
        return afxi_number(0);
    }
    AfxiVar sum = afxi_tape_function(local->tape, x, value, slope);
    size_t bytes = count * sizeof *forces;
    forces = count > sizeof copy / sizeof *copy ? afxi_allocate(local->tape->allocator, bytes) : copy;
    local->tape->failed = local->tape->failed || !forces;
    for (uint32_t k = 0; forces && k < count; k++) {
        forces[k] = samples[k];
    }
    for (uint32_t k = 0; forces && k < count; k++) {
        double step = AFXI_GRAD_TABLE_STEP * fmax(fabs(samples[k]), 1e-3), ends[2], unused;
        for (int side = 0; side < 2; side++) {
            forces[k] = samples[k] + (side ? step : -step);
            ends[side] = afxi_table_force(&(AfxForceTable){table.positions, forces, count}, x.value, &unused);
        }
        forces[k] = samples[k];
        double by = (ends[1] - ends[0]) / (2 * step);
        AfxiVar sample = afxi_grad_param(local, AFX_PARAM_TABLE, first + k, 0);
        AfxiVar change = afxi_tape_linear(local->tape, by, sample, 1, afxi_number(-by * samples[k]));
        sum = by != 0 ? afxi_add(local->tape, sum, change) : sum;
    }
    if (forces != copy) {
        afxi_release(local->tape->allocator, forces, bytes);
    }
    return sum;
}

AfxiVar afxi_grad_tables(AfxiGradLocal *local, const AfxiTables *tables, AfxiVar off, AfxiVar rate) {
    if (!tables) {
        return afxi_number(0);
    }
    AfxiVar force = table_force(local, tables->spring, tables->spring_count, off);
    return afxi_add(local->tape, force, table_force(local, tables->damper, tables->damper_count, rate));
}

/* ---- laws ---- */

/* k (x - p) + d (x' - p') */
static AfxiVar spring_force(AfxiTape *tape, AfxiVar k, AfxiVar d, AfxiVar off, AfxiVar rate) {
    return afxi_add(tape, afxi_tape_multiply(tape, k, off), afxi_tape_multiply(tape, d, rate));
}

/* force - lambda, as a length: over the stiffness of the row. */
static AfxiVar compliant(AfxiGradLocal *local, AfxiVar force, AfxiVar lambda, double stiffness) {
    return afxi_scale(local->tape, stiffness > 0 ? 1 / stiffness : 1, afxi_subtract(local->tape, force, lambda));
}

static AfxiVar drive_number(AfxiGradLocal *local, uint32_t drive, uint32_t which) {
    return afxi_grad_param(local, AFX_PARAM_DRIVE, drive, which);
}

static AfxiVar servo_force(AfxiGradLocal *local, uint32_t drive, AfxiVar x, AfxiVar rate) {
    AfxiTape *tape = local->tape;
    AfxiVar off = afxi_subtract(tape, x, afxi_grad_target(local, drive, 0));
    AfxiVar late = afxi_subtract(tape, rate, afxi_grad_target(local, drive, 1));
    return spring_force(tape, drive_number(local, drive, AFXI_DRIVE_STIFFNESS),
                        drive_number(local, drive, AFXI_DRIVE_DAMPING), off, late);
}

/* The force of a spring on a coordinate, and how stiff it is. */
static AfxiVar spring_of_drive(AfxiGradLocal *local, uint32_t drive, AfxiVar x, AfxiVar rate) {
    AfxiVar off = afxi_subtract(local->tape, x, drive_number(local, drive, AFXI_DRIVE_REST));
    AfxiVar force = spring_force(local->tape, drive_number(local, drive, AFXI_DRIVE_STIFFNESS),
                                 drive_number(local, drive, AFXI_DRIVE_DAMPING), off, rate);
    const AfxiTables *tables = local->model->drive_tables ? &local->model->drive_tables[drive] : NULL;
    return afxi_add(local->tape, force, afxi_grad_tables(local, tables, off, rate));
}

/* The force between two points at a length. */
static AfxiVar spring_of_points(AfxiGradLocal *local, uint32_t spring, AfxiVar x, AfxiVar rate) {
    AfxiVar off = afxi_subtract(local->tape, x, afxi_grad_param(local, AFX_PARAM_SPRING, spring, 0));
    AfxiVar force = spring_force(local->tape, afxi_grad_param(local, AFX_PARAM_SPRING, spring, 1),
                                 afxi_grad_param(local, AFX_PARAM_SPRING, spring, 2), off, rate);
    const AfxiTables *tables = local->model->spring_tables ? &local->model->spring_tables[spring] : NULL;
    return afxi_add(local->tape, force, afxi_grad_tables(local, tables, off, rate));
}

/* -clamp(target, effort) */
static AfxiVar told_force(AfxiGradLocal *local, uint32_t drive) {
    AfxiVar target = afxi_grad_target(local, drive, 0), effort = drive_number(local, drive, AFXI_DRIVE_EFFORT);
    AfxiTape *tape = local->tape;
    bool above = !afxi_tape_between(tape, afxi_subtract(tape, target, effort), -INFINITY, 0);
    bool below = !afxi_tape_between(tape, afxi_add(tape, target, effort), 0, INFINITY);
    bool held = (above || below) && fabs(target.value) > effort.value;
    return afxi_scale(tape, held && below ? 1 : -1, held ? effort : target);
}

static double stiffness_of(const AfxiGradLocal *local, const double *k_and_d) {
    return k_and_d[0] + k_and_d[1] / afxi_grad_h_rate(local);
}

/* The row of a drive in a stage. */
static AfxiVar drive_row(AfxiGradLocal *local, uint32_t drive, AfxiVar x, AfxiVar lambda) {
    AfxiTape *tape = local->tape;
    const double *numbers = afxi_param_const(local->model, local->entry->at.params, AFX_PARAM_DRIVE, drive);
    AfxiBranch branch = (AfxiBranch)local->entry->at.branch[drive];
    double sign = branch == AFXI_BRANCH_HIGH ? 1 : -1;
    switch ((AfxDriveKind)local->model->drives[drive].kind) {
    case AFX_DRIVE_POSITION:
    case AFX_DRIVE_VELOCITY:
        return afxi_subtract(tape, x, afxi_grad_target(local, drive, 0));
    case AFX_DRIVE_FORCE:
        return afxi_subtract(tape, lambda, told_force(local, drive));
    case AFX_DRIVE_SERVO:
        if (branch != AFXI_BRANCH_FREE) {
            return afxi_tape_linear(tape, 1, lambda, -sign, drive_number(local, drive, AFXI_DRIVE_EFFORT));
        }
        return compliant(local, servo_force(local, drive, x, afxi_grad_rate(local, x)), lambda,
                         stiffness_of(local, numbers));
    case AFX_DRIVE_SPRING:
        return compliant(local, spring_of_drive(local, drive, x, afxi_grad_rate(local, x)), lambda,
                         stiffness_of(local, numbers));
    case AFX_DRIVE_LIMIT:
        if (branch == AFXI_BRANCH_FREE) {
            return lambda;
        }
        return afxi_subtract(
            tape, x, drive_number(local, drive, branch == AFXI_BRANCH_LOW ? AFXI_DRIVE_LOWER : AFXI_DRIVE_UPPER));
    case AFX_DRIVE_FRICTION:
        if (branch == AFXI_BRANCH_FREE) {
            return afxi_scale(tape, afxi_grad_h_rate(local), afxi_grad_rate(local, x));
        }
        return afxi_tape_linear(tape, 1, lambda, -sign, drive_number(local, drive, AFXI_DRIVE_EFFORT));
    }
    return lambda;
}

AfxiVar afxi_grad_stage_row(AfxiGradLocal *local, const AfxiGraph *graph, uint32_t row, AfxiVar x, AfxiVar lambda) {
    const AfxiGraphRow *source = &graph->row[row];
    const AfxiGraphBlock *block = &graph->block[source->block];
    double stiffness;
    if (block->type == AFXI_BLOCK_JOINT && !local->entry->at.joint_active[block->index]) {
        return lambda;
    }
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_DRIVE:
        return drive_row(local, source->index, x, lambda);
    case AFXI_SOURCE_COUPLING: {
        AfxiVar soft = afxi_grad_param(local, AFX_PARAM_COUPLING, source->index, AFX_COUPLING_TERMS + 1);
        return afxi_subtract(local->tape, x, afxi_tape_multiply(local->tape, soft, lambda));
    }
    case AFXI_SOURCE_SPRING:
        return compliant(
            local, spring_of_points(local, source->index, x, afxi_grad_rate(local, x)), lambda,
            stiffness_of(local,
                         afxi_param_const(local->model, local->entry->at.params, AFX_PARAM_SPRING, source->index) + 1));
    case AFXI_SOURCE_ROTATIONAL_SPRING: {
        AfxiVar3 torque = afxi_grad_spring_torque(local, block->index, &stiffness);
        return compliant(local, torque.x[source->index], lambda, stiffness);
    }
    case AFXI_SOURCE_JOINT:
    case AFXI_SOURCE_SCREW:
    case AFXI_SOURCE_CONTACT:
        break;
    }
    return x;
}

/* ---- a start ---- */

/* The second time derivative of x, with the accelerations of bodies. */
AfxiVar afxi_grad_row_acceleration(AfxiGradLocal *local, AfxiVar x) {
    AfxiVar wrt[2 * AFXI_AFFINE_WIDTH * (AFXI_EQUATION_PARTS + 1)],
        dot[2 * AFXI_AFFINE_WIDTH * (AFXI_EQUATION_PARTS + 1)];
    AfxiVar first = afxi_grad_rate(local, x), second[AFXI_AFFINE_WIDTH];
    uint32_t count = 0;
    for (uint32_t k = 0; k < local->count; k++) {
        AfxiGradBody *body = &local->body[k];
        bool solved = afxi_grad_solves(local->entry, body->body);
        if (body->body == AFXI_WORLD || (!solved && local->model->kind[body->body] != AFX_BODY_KINEMATIC)) {
            continue;
        }
        if (solved) {
            afxi_grad_accelerations(local, body, second);
        }
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            wrt[count] = body->q[e];
            dot[count++] = body->rate[e];
            wrt[count] = body->rate[e];
            dot[count++] = solved ? second[e] : afxi_number(local->entry->second[AFXI_AFFINE_WIDTH * body->body + e]);
        }
    }
    return afxi_tape_rate(local->tape, first, wrt, dot, count);
}

/* Whether a drive holds its coordinate where it is at a start; *out_rest: and brings it to rest. */
static bool start_holds(const AfxiGradLocal *local, uint32_t drive, bool *out_rest) {
    AfxDriveKind kind = (AfxDriveKind)local->model->drives[drive].kind;
    bool free = local->entry->at.branch[drive] == AFXI_BRANCH_FREE;
    *out_rest = kind == AFX_DRIVE_FRICTION && free;
    return afxi_law_exact(kind) || *out_rest || (kind == AFX_DRIVE_LIMIT && !free);
}

/* The force that a drive has in the present state. */
static AfxiVar start_force(AfxiGradLocal *local, uint32_t drive, AfxiVar x) {
    AfxiVar effort = drive_number(local, drive, AFXI_DRIVE_EFFORT), force;
    bool high = local->entry->at.branch[drive] == AFXI_BRANCH_HIGH;
    switch ((AfxDriveKind)local->model->drives[drive].kind) {
    case AFX_DRIVE_FORCE:
        return told_force(local, drive);
    case AFX_DRIVE_SERVO:
        force = servo_force(local, drive, x, afxi_grad_rate(local, x));
        return fabs(force.value) <= effort.value ? force : afxi_scale(local->tape, force.value > 0 ? 1 : -1, effort);
    case AFX_DRIVE_SPRING:
        return spring_of_drive(local, drive, x, afxi_grad_rate(local, x));
    case AFX_DRIVE_FRICTION:
        return afxi_scale(local->tape, high ? 1 : -1, effort);
    default:
        return afxi_number(0);
    }
}

static AfxiVar start_drive(AfxiGradLocal *local, uint32_t drive, AfxiVar x, AfxiVar lambda) {
    bool rest;
    if (!start_holds(local, drive, &rest)) {
        return afxi_subtract(local->tape, lambda, start_force(local, drive, x));
    }
    AfxiVar second = afxi_grad_row_acceleration(local, x);
    if (rest) {
        return afxi_tape_linear(local->tape, 1, second, 1 / local->entry->dt, afxi_grad_rate(local, x));
    }
    return afxi_add(local->tape, second, afxi_number(-local->entry->target_second[drive]));
}

AfxiVar afxi_grad_start_row(AfxiGradLocal *local, const AfxiGraph *graph, uint32_t row, AfxiVar x, AfxiVar lambda) {
    const AfxiGraphRow *source = &graph->row[row];
    const AfxiGraphBlock *block = &graph->block[source->block];
    double unused;
    if (block->type == AFXI_BLOCK_JOINT && !local->entry->at.joint_active[block->index]) {
        return lambda;
    }
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_DRIVE:
        return start_drive(local, source->index, x, lambda);
    case AFXI_SOURCE_COUPLING:
        if (afxi_param_const(local->model, local->entry->at.params, AFX_PARAM_COUPLING,
                             source->index)[AFX_COUPLING_TERMS + 1] > 0) {
            return lambda;
        }
        break;
    case AFXI_SOURCE_SPRING:
        return afxi_subtract(local->tape, lambda, spring_of_points(local, source->index, x, afxi_grad_rate(local, x)));
    case AFXI_SOURCE_ROTATIONAL_SPRING:
        return afxi_subtract(local->tape, lambda,
                             afxi_grad_spring_torque(local, block->index, &unused).x[source->index]);
    case AFXI_SOURCE_JOINT:
    case AFXI_SOURCE_SCREW:
    case AFXI_SOURCE_CONTACT:
        break;
    }
    return afxi_grad_row_acceleration(local, x);
}
