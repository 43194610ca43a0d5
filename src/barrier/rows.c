/* SPDX-License-Identifier: Apache-2.0 */
/* Rows at any place of the bodies, from the definitions of joints, axes and laws (src/joint). Gradients are in the
 * numbers that a body moves by: with N the gradient on A and G = A^T N,
 *     turn: 2 axial(G),   strain: G_ii and G_ij + G_ji,   shift: the gradient on t.
 * A compliant row with value v and compliance c has the energy v²/2c, a given multiplier m that of m x. */
#include "barrier/rows.h"

#include <string.h>

#include "barrier/body.h"
#include "constraint/drive.h"
#include "joint/axis.h"
#include "joint/law.h"

static const double world_q[AFXI_AFFINE_WIDTH] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};

/* ---- measuring ---- */

/* Both bodies of a joint or spring at a place. */
static AfxiPairState pair_state(const AfxiBarrier *work, uint32_t a, uint32_t b, AfxiBarrierPlace place) {
    AfxiPairState state = {.t_a = {0, 0, 0}};
    const double *qa = a == AFXI_WORLD ? world_q : barrier_place(work, place, a);
    const double *qb = b == AFXI_WORLD ? world_q : barrier_place(work, place, b);
    state.a_a = mat3_load(qa);
    state.t_a = vec3_load(qa + 9);
    state.r_a = a == AFXI_WORLD ? state.a_a : work->rotation[place][a];
    state.a_b = mat3_load(qb);
    state.t_b = vec3_load(qb + 9);
    state.r_b = b == AFXI_WORLD ? state.a_b : work->rotation[place][b];
    for (int k = 0; k < 3; k++) {
        AfxVec3 column = mat3_apply_transposed(&state.r_b, mat3_column(&state.a_b, k));
        state.strain_b[k] = vec3_sub(column, vec3(k == 0, k == 1, k == 2));
    }
    return state;
}

/* Sides of a row as they come together. */
typedef struct Sides {
    const AfxiBarrier *work;
    uint32_t count;
    uint32_t *body;
    double (*gradient)[AFXI_BARRIER_WIDTH]; /* NULL: not wanted */
} Sides;

/* Adds factor g on a body, g turned into the axes r of a body with A = a. */
static void add_side(Sides *sides, uint32_t body, const AfxiMat3 *a, const AfxiMat3 *r, const double *g,
                     double factor) {
    if (body == AFXI_WORLD || sides->work->slot[body] == UINT32_MAX) {
        return;
    }
    uint32_t k = 0;
    while (k < sides->count && sides->body[k] != body) {
        k++;
    }
    if (k == sides->count) {
        sides->body[sides->count++] = body;
        memset(sides->gradient[k], 0, sizeof sides->gradient[k]);
    }
    AfxiMat3 turned = mat3_load(g), stretch = mat3_multiply_tn(r, a), own = mat3_multiply_tn(&stretch, &turned);
    double local[AFXI_BARRIER_WIDTH];
    afxi_barrier_local(&own, vec3_load(g + 9), local);
    for (uint32_t e = 0; e < AFXI_BARRIER_WIDTH; e++) {
        sides->gradient[k][e] += factor * local[e];
    }
}

static void add_sides(Sides *sides, uint32_t a, uint32_t b, const AfxiPairState *state, const AfxiRowGradient *on_a,
                      const AfxiRowGradient *on_b, double factor) {
    add_side(sides, a, &state->a_a, &state->r_a, on_a->g, factor);
    add_side(sides, b, &state->a_b, &state->r_b, on_b->g, factor);
}

/* Velocities of a body at a place. */
static void rates_of(const AfxiBarrier *work, uint32_t body, AfxiBarrierPlace place, double *out) {
    uint32_t slot = body == AFXI_WORLD ? UINT32_MAX : work->slot[body];
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        out[k] =
            slot != UINT32_MAX
                ? (barrier_place(work, place, body)[k] - work->bodies[slot].qv[k]) / barrier_h_rate(&work->bodies[slot])
                : (body == AFXI_WORLD ? 0 : work->world->state.v[(size_t)AFXI_AFFINE_WIDTH * body + k]);
    }
}

/* Adds factor times a joint coordinate; target not NULL: how far it is from there, and the target. */
static double add_coordinate(Sides *sides, uint32_t joint, uint32_t axis, double factor, AfxiBarrierPlace place,
                             const double *target, double *out_rate) {
    const AfxiBarrier *work = sides->work;
    const AfxiWorld *world = work->world;
    const AfxiJoint *source = &work->model->joints[joint];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
    const AfxiJointFrame *frame = afxi_world_joint_frame(world, joint);
    AfxiPairState state = pair_state(work, source->follower, source->base, place);
    const double *last = source->counted ? world->state.angle + source->angle : NULL;
    uint32_t at = afxi_axis_place(kind, axis);
    AfxiAxisSpec spec = last ? afxi_axis_after(kind, axis, frame, &state, last) : afxi_axis_of(kind, axis);
    double near = last && at != UINT32_MAX ? last[at] : 0, value;
    AfxiRowGradient a, b;
    value = target ? *target + afxi_axis_off(spec, frame, &state, *target, near)
                   : (last ? afxi_axis_counted(spec, frame, &state, near) : afxi_axis_value(spec, frame, &state));
    if (sides->gradient) {
        if (target) {
            afxi_axis_off_gradient(spec, frame, &state, *target, &a, &b);
        } else {
            afxi_axis_gradient(spec, frame, &state, &a, &b);
        }
        add_sides(sides, source->follower, source->base, &state, &a, &b, factor);
    }
    if (out_rate) {
        double rate_a[AFXI_AFFINE_WIDTH], rate_b[AFXI_AFFINE_WIDTH];
        rates_of(work, source->follower, place, rate_a);
        rates_of(work, source->base, place, rate_b);
        *out_rate = afxi_axis_rate(spec, frame, &state, rate_a, rate_b);
    }
    return factor * value;
}

/* Length of a spring between points. */
static double add_length(Sides *sides, uint32_t index, AfxiBarrierPlace place, double *out_rate) {
    const AfxiBarrier *work = sides->work;
    const AfxiSpring *spring = &work->model->springs[index];
    AfxiPairState state = pair_state(work, spring->body_a, spring->body_b, place);
    AfxiJointFrame frame = {spring->point_a, spring->point_b, mat3_identity(), mat3_identity()};
    AfxVec3 d = vec3_sub(vec3_add(mat3_apply(&state.a_a, spring->point_a), state.t_a),
                         vec3_add(mat3_apply(&state.a_b, spring->point_b), state.t_b));
    double length = vec3_length(d);
    AfxiRowGradient a, b;
    if (sides->gradient && length > 0) { /* the gradient of |d|²/2l */
        afxi_row_gradient((AfxiRowSpec){AFXI_ROW_DISTANCE, 0, 0, 1, 0}, &frame, length, &state, &a, &b);
        add_sides(sides, spring->body_a, spring->body_b, &state, &a, &b, 1);
    }
    if (out_rate) {
        double rate_a[AFXI_AFFINE_WIDTH], rate_b[AFXI_AFFINE_WIDTH];
        rates_of(work, spring->body_a, place, rate_a);
        rates_of(work, spring->body_b, place, rate_b);
        AfxiMat3 va = mat3_load(rate_a), vb = mat3_load(rate_b);
        AfxVec3 slip = vec3_sub(vec3_add(mat3_apply(&va, spring->point_a), vec3_load(rate_a + 9)),
                                vec3_add(mat3_apply(&vb, spring->point_b), vec3_load(rate_b + 9)));
        *out_rate = length > 0 ? vec3_dot(d, slip) / length : 0;
    }
    return length;
}

/* Where a drive holds its coordinate now. */
static bool holds_at(const AfxiBarrier *work, uint32_t drive, double *out_target) {
    const AfxiWorld *world = work->world;
    AfxDriveKind kind = (AfxDriveKind)work->model->drives[drive].kind;
    *out_target = world->drive_target[2 * (size_t)drive];
    if (kind == AFX_DRIVE_LIMIT) {
        double copy[AFXI_DRIVE_SIZE];
        bool low = world->state.drive_branch[drive] == AFXI_BRANCH_LOW;
        *out_target = afxi_drive_numbers(world, drive, copy)[low ? AFXI_DRIVE_LOWER : AFXI_DRIVE_UPPER];
        return world->state.drive_branch[drive] != AFXI_BRANCH_FREE;
    }
    return afxi_law_exact(kind);
}

/* What a row measures, with its gradients where `sides` has room for them, and its rate unless NULL. */
static double measure(Sides *sides, uint32_t row, AfxiBarrierPlace place, double *out_rate) {
    const AfxiBarrier *work = sides->work;
    const AfxiBarrierRow *source = &work->rows[row];
    double sum = 0, target;
    if (out_rate) {
        *out_rate = 0;
    }
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_JOINT: {
        const AfxiJoint *joint = &work->model->joints[source->joint];
        AfxiRowSpec spec = afxi_joint_kind((AfxJointKind)joint->kind)->rows[source->index];
        const AfxiJointFrame *frame = afxi_world_joint_frame(work->world, source->joint);
        double length = *afxi_world_param(work->world, AFX_PARAM_JOINT_LENGTH, source->joint);
        AfxiPairState state = pair_state(work, joint->follower, joint->base, place);
        AfxiRowGradient a, b;
        if (sides->gradient) {
            afxi_row_gradient(spec, frame, length, &state, &a, &b);
            add_sides(sides, joint->follower, joint->base, &state, &a, &b, 1);
        }
        return afxi_row_value(spec, frame, length, &state);
    }
    case AFXI_SOURCE_SCREW:
        sum = add_coordinate(sides, source->joint, 0, 1, place, NULL, NULL);
        return sum + add_coordinate(sides, source->joint, 1,
                                    -*afxi_world_param(work->world, AFX_PARAM_JOINT_PITCH, source->joint), place, NULL,
                                    NULL);
    case AFXI_SOURCE_DRIVE: {
        bool holds = holds_at(work, source->index, &target);
        return add_coordinate(sides, source->joint, work->model->drives[source->index].axis, 1, place,
                              holds ? &target : NULL, out_rate);
    }
    case AFXI_SOURCE_COUPLING: {
        const AfxiCoupling *coupling = &work->model->couplings[source->index];
        const double *numbers = afxi_world_param(work->world, AFX_PARAM_COUPLING, source->index);
        for (uint32_t k = 0; k < coupling->term_count; k++) {
            sum += add_coordinate(sides, coupling->joint[k], coupling->axis[k], numbers[k], place, NULL, NULL);
        }
        return sum - numbers[AFX_COUPLING_TERMS];
    }
    case AFXI_SOURCE_SPRING:
        return add_length(sides, source->index, place, out_rate);
    case AFXI_SOURCE_ROTATIONAL_SPRING:
    case AFXI_SOURCE_CONTACT:
        break;
    }
    return 0;
}

uint32_t afxi_barrier_measure(const AfxiBarrier *work, uint32_t row, AfxiBarrierPlace place, double *out_value,
                              uint32_t *out_body, double (*out_gradient)[AFXI_BARRIER_WIDTH]) {
    Sides sides = {work, 0, out_body, out_gradient};
    *out_value = measure(&sides, row, place, NULL);
    return sides.count;
}

/* ---- laws ---- */

static bool is_on(const AfxiBarrier *work, const AfxiBarrierRow *row) {
    return row->joint == UINT32_MAX || work->world->state.joint_active[row->joint];
}

/* The law of a row that measures x at a rate: value, compliance, whether it is active. */
static AfxiLawRow law_of(const AfxiBarrier *work, const AfxiBarrierRow *row, double x, double rate) {
    const AfxiWorld *world = work->world;
    double copy[AFXI_DRIVE_SIZE] = {0};
    AfxiLawInput input = {.x = x, .rate = rate, .h_rate = barrier_h_rate(&work->bodies[row->slot])};
    if (!is_on(work, row)) {
        return (AfxiLawRow){.active = false};
    }
    if (row->source == AFXI_SOURCE_DRIVE) {
        AfxDriveKind kind = (AfxDriveKind)work->model->drives[row->index].kind;
        input.target = world->drive_target[2 * row->index];
        input.target_rate = world->drive_target[2 * row->index + 1];
        input.friction_limit = kind == AFX_DRIVE_FRICTION ? afxi_friction_limit(world, row->index) : 0;
        return afxi_law_row(kind, (AfxiBranch)world->state.drive_branch[row->index],
                            afxi_drive_numbers(world, row->index, copy), &input);
    }
    if (row->source == AFXI_SOURCE_SPRING) {
        const double *numbers = afxi_world_param(world, AFX_PARAM_SPRING, row->index);
        copy[AFXI_DRIVE_REST] = numbers[0];
        copy[AFXI_DRIVE_STIFFNESS] = numbers[1];
        copy[AFXI_DRIVE_DAMPING] = numbers[2];
        return afxi_law_row(AFX_DRIVE_SPRING, AFXI_BRANCH_FREE, copy, &input);
    }
    double compliance = row->source == AFXI_SOURCE_COUPLING
                            ? afxi_world_param(world, AFX_PARAM_COUPLING, row->index)[AFX_COUPLING_TERMS + 1]
                            : 0;
    return (AfxiLawRow){x, compliance, 0, true};
}

static AfxiLawRow law_at(const AfxiBarrier *work, uint32_t row, AfxiBarrierPlace place, double *out_x,
                         double *out_rate) {
    Sides sides = {work, 0, NULL, NULL};
    *out_x = measure(&sides, row, place, out_rate);
    return law_of(work, &work->rows[row], *out_x, *out_rate);
}

void afxi_barrier_rows_linearise(AfxiBarrier *work) {
    uint32_t body[AFXI_BARRIER_SIDES];
    double gradient[AFXI_BARRIER_SIDES][AFXI_BARRIER_WIDTH];
    for (uint32_t b = 0; b < work->block_count; b++) {
        const AfxiBarrierBlock *block = &work->blocks[b];
        for (uint32_t r = 0; r < block->row_count; r++) {
            AfxiBarrierRow *row = &work->rows[block->first_row + r];
            Sides sides = {work, 0, body, gradient};
            double rate;
            row->measured = measure(&sides, block->first_row + r, AFXI_NOW, &rate);
            AfxiLawRow law = law_of(work, row, row->measured, rate);
            row->active = law.active;
            row->value = law.value;
            row->compliance = law.compliance;
            row->fixed = law.fixed;
            for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
                double *to = work->row_gradient + work->entries[e].gradient + (size_t)AFXI_BARRIER_WIDTH * r;
                memset(to, 0, AFXI_BARRIER_WIDTH * sizeof *to);
                for (uint32_t k = 0; k < sides.count; k++) {
                    if (work->slot[body[k]] == work->entries[e].slot) {
                        memcpy(to, gradient[k], AFXI_BARRIER_WIDTH * sizeof *to);
                    }
                }
            }
        }
    }
}

double afxi_barrier_rows_values(const AfxiBarrier *work, AfxiBarrierPlace place, double *out) {
    double most = 0, x, rate;
    for (uint32_t row = 0; row < work->row_count; row++) {
        out[row] = 0;
        if (work->rows[row].active && work->rows[row].compliance == 0) {
            AfxiLawRow law = law_at(work, row, place, &x, &rate);
            out[row] = law.value;
            most = fabs(law.value) <= most ? most : fabs(law.value);
        }
    }
    return most;
}

void afxi_barrier_rows_energy(const AfxiBarrier *work, AfxiBarrierPlace place, double *energy, double *size) {
    for (uint32_t b = 0; b < work->block_count; b++) {
        const AfxiBarrierBlock *block = &work->blocks[b];
        uint32_t slot = work->entries[block->first_entry].slot;
        for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
            double x, rate;
            if (work->rows[row].active && work->rows[row].compliance == 0) {
                continue;
            }
            AfxiLawRow law = law_at(work, row, place, &x, &rate);
            double own = law.active ? (law.compliance > 0 ? 0.5 * law.value * law.value / law.compliance : 0)
                                    : law.fixed * (x - work->rows[row].measured);
            energy[slot] += own;
            size[slot] += fabs(own);
        }
    }
}

uint32_t afxi_barrier_rows_branches(AfxiBarrier *work, uint8_t *changed) {
    AfxiWorld *world = work->world;
    uint32_t count = 0;
    for (uint32_t b = 0; b < work->block_count; b++) {
        const AfxiBarrierBlock *block = &work->blocks[b];
        for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
            const AfxiBarrierRow *row = &work->rows[k];
            if (row->source != AFXI_SOURCE_DRIVE || !is_on(work, row) ||
                world->drive_changes[row->index] >= AFXI_BRANCH_CHANGES_MOST) {
                continue;
            }
            AfxDriveKind kind = (AfxDriveKind)work->model->drives[row->index].kind;
            AfxiBranch branch = (AfxiBranch)world->state.drive_branch[row->index];
            double copy[AFXI_DRIVE_SIZE], x, rate, lambda = row->multiplier;
            const double *numbers = afxi_drive_numbers(world, row->index, copy);
            law_at(work, k, AFXI_NOW, &x, &rate);
            if (kind == AFX_DRIVE_SERVO) {
                const double *target = world->drive_target + 2 * (size_t)row->index;
                lambda =
                    numbers[AFXI_DRIVE_STIFFNESS] * (x - target[0]) + numbers[AFXI_DRIVE_DAMPING] * (rate - target[1]);
            }
            double limit = kind == AFX_DRIVE_FRICTION ? afxi_friction_limit(world, row->index) : 0;
            double slack = kind == AFX_DRIVE_LIMIT
                               ? AFXI_LIMIT_SLACK * fmax(1, work->size)
                               : AFXI_BRANCH_ROUNDING * work->size / barrier_h_rate(&work->bodies[row->slot]);
            AfxiBranch fit = afxi_law_branch(kind, branch, numbers, x, rate, lambda, limit, slack);
            if (fit != branch) {
                world->state.drive_branch[row->index] = (uint8_t)fit;
                world->drive_changes[row->index]++;
                changed[work->entries[block->first_entry].slot] = 1;
                count++;
            }
        }
    }
    return count;
}

/* ---- lists ---- */

/* The bodies that are solved for among those that a source touches; joints, then couplings, then springs. */
static uint32_t touched_by(const AfxModel *model, uint32_t source, uint32_t body[AFXI_BARRIER_SIDES]) {
    uint32_t all[AFXI_BARRIER_SIDES], count = 0, found = 0;
    if (source < model->joint_count) {
        all[count++] = model->joints[source].follower;
        all[count++] = model->joints[source].base;
    } else if (source - model->joint_count < model->coupling_count) {
        const AfxiCoupling *coupling = &model->couplings[source - model->joint_count];
        for (uint32_t k = 0; k < coupling->term_count; k++) {
            all[count++] = model->joints[coupling->joint[k]].follower;
            all[count++] = model->joints[coupling->joint[k]].base;
        }
    } else {
        const AfxiSpring *spring = &model->springs[source - model->joint_count - model->coupling_count];
        all[count++] = spring->body_a;
        all[count++] = spring->body_b;
    }
    for (uint32_t k = 0; k < count; k++) {
        bool take = all[k] != AFXI_WORLD && model->kind[all[k]] == AFX_BODY_DYNAMIC;
        for (uint32_t j = 0; j < found; j++) {
            take = take && body[j] != all[k];
        }
        if (take) {
            body[found++] = all[k];
        }
    }
    return found;
}

static uint32_t rows_of(const AfxModel *model, uint32_t source) {
    if (source >= model->joint_count) {
        return 1;
    }
    const AfxiJoint *joint = &model->joints[source];
    return afxi_joint_kind((AfxJointKind)joint->kind)->row_count + (joint->kind == AFX_JOINT_SCREW) +
           joint->drive_count;
}

static uint32_t source_count(const AfxModel *model) {
    return model->joint_count + model->coupling_count + model->spring_count;
}

void afxi_barrier_rows_count(AfxiBarrier *work) {
    uint32_t body[AFXI_BARRIER_SIDES];
    for (uint32_t s = 0; s < source_count(work->model); s++) {
        uint32_t count = touched_by(work->model, s, body), rows = rows_of(work->model, s);
        if (count && rows) {
            work->block_count++;
            work->row_count += rows;
            work->entry_count += count;
            work->gradient_count += (size_t)AFXI_BARRIER_WIDTH * rows * count;
        }
    }
}

/* Where the state has the multiplier of a coupling; those of springs are told by the model. */
static uint32_t coupling_row(const AfxModel *model, uint32_t coupling) {
    for (uint32_t g = 0; g < model->graph_count; g++) {
        const AfxiGraph *graph = &model->graph[g];
        for (uint32_t b = 0; b < graph->block_count; b++) {
            if (graph->block[b].type == AFXI_BLOCK_COUPLING && graph->block[b].index == coupling) {
                return graph->first_row + graph->block[b].first_row;
            }
        }
    }
    return UINT32_MAX;
}

static void put_row(AfxiBarrier *work, uint32_t *at, AfxiRowSource source, uint32_t index, uint32_t joint,
                    uint32_t lambda) {
    bool reversed = source == AFXI_SOURCE_JOINT && work->model->joints[joint].reversed;
    work->rows[(*at)++] = (AfxiBarrierRow){
        .index = index, .joint = joint, .lambda = lambda, .source = (uint8_t)source, .sign = reversed ? -1 : 1};
}

static void put_rows(AfxiBarrier *work, uint32_t source, uint32_t *at) {
    const AfxModel *model = work->model;
    uint32_t index = source - model->joint_count;
    if (source >= model->joint_count) {
        if (index < model->coupling_count) {
            put_row(work, at, AFXI_SOURCE_COUPLING, index, UINT32_MAX, coupling_row(model, index));
        } else {
            index -= model->coupling_count;
            put_row(work, at, AFXI_SOURCE_SPRING, index, UINT32_MAX, model->springs[index].row);
        }
        return;
    }
    const AfxiJoint *joint = &model->joints[source];
    uint32_t plain = afxi_joint_kind((AfxJointKind)joint->kind)->row_count;
    for (uint32_t r = 0; r < plain; r++) {
        put_row(work, at, AFXI_SOURCE_JOINT, r, source, joint->row + r);
    }
    if (joint->kind == AFX_JOINT_SCREW) {
        put_row(work, at, AFXI_SOURCE_SCREW, 0, source, joint->row + plain);
    }
    for (uint32_t d = 0; d < joint->drive_count; d++) {
        uint32_t drive = model->drive_order[joint->first_drive + d];
        put_row(work, at, AFXI_SOURCE_DRIVE, drive, source, model->drives[drive].row);
    }
}

void afxi_barrier_rows_list(AfxiBarrier *work) {
    uint32_t body[AFXI_BARRIER_SIDES];
    size_t gradient = 0;
    work->block_count = work->row_count = work->entry_count = 0;
    for (uint32_t s = 0; s < source_count(work->model); s++) {
        uint32_t count = touched_by(work->model, s, body), rows = rows_of(work->model, s);
        if (!count || !rows || work->slot[body[0]] == UINT32_MAX) { /* bodies of one component are near together */
            continue;
        }
        work->blocks[work->block_count++] = (AfxiBarrierBlock){work->row_count, rows, work->entry_count, count};
        put_rows(work, s, &work->row_count);
        for (uint32_t r = work->row_count - rows; r < work->row_count; r++) {
            work->rows[r].slot = work->slot[body[0]];
        }
        for (uint32_t k = 0; k < count; k++) {
            work->entries[work->entry_count++] = (AfxiBarrierEntry){work->slot[body[k]], gradient};
            gradient += (size_t)AFXI_BARRIER_WIDTH * rows;
        }
    }
}
