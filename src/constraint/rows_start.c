/* SPDX-License-Identifier: Apache-2.0 */
/* The rows at a start: their accelerations instead of their values. An exact row asks for
 *     J q'' + velocity term + share of bodies that are not solved for = acceleration of its target,
 * every other row acts with the multiplier that its law has in the present state. */
#include <math.h>
#include <string.h>

#include "constraint/drive.h"
#include "constraint/reaction.h"
#include "constraint/rows_start.h"
#include "constraint/tuning.h"
#include "state/input.h"

static const double world_rate[AFXI_AFFINE_WIDTH];

/* Second derivative of a coordinate along the present velocities, by a central difference of its rate: this is only for
 * the start of drives and couplings. */
static double coordinate_velocity_term(const AfxiRows *rows, uint32_t joint, uint32_t axis) {
    const AfxiJoint *source = &rows->world->model->joints[joint];
    const double *rate_a = source->follower == AFXI_WORLD
                               ? world_rate
                               : rows->world->state.v + (size_t)AFXI_AFFINE_WIDTH * source->follower;
    const double *rate_b =
        source->base == AFXI_WORLD ? world_rate : rows->world->state.v + (size_t)AFXI_AFFINE_WIDTH * source->base;
    double step = 1e-5, difference = 0;
    for (int sign = -1; sign <= 1; sign += 2) {
        AfxiPairState state = afxi_joint_state(rows->world, joint);
        for (int k = 0; k < 9; k++) {
            state.a_a.m[k] += sign * step * rate_a[k];
            state.a_b.m[k] += sign * step * rate_b[k];
        }
        state.t_a = vec3_mad(state.t_a, sign * step, vec3_load(rate_a + 9));
        state.t_b = vec3_mad(state.t_b, sign * step, vec3_load(rate_b + 9));
        difference += sign * afxi_axis_rate(afxi_row_axis(rows, joint, axis, &state),
                                            afxi_world_joint_frame(rows->world, joint), &state, rate_a, rate_b);
    }
    return difference / (2 * step);
}

static double velocity_term(AfxiRows *rows, uint32_t row) {
    const AfxiGraphRow *source = &rows->graph->row[row];
    uint32_t joint = afxi_row_block(rows, row)->index;
    double sum = 0;
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_JOINT: {
        const AfxiJoint *own = &rows->world->model->joints[joint];
        const AfxiPairState *state = afxi_row_state(rows, joint, AFXI_AT_FRAMES);
        return afxi_row_velocity_term(
            afxi_row_spec(rows, row), afxi_world_joint_frame(rows->world, joint), afxi_row_length(rows, joint), state,
            own->follower == AFXI_WORLD ? world_rate : rows->world->state.v + (size_t)AFXI_AFFINE_WIDTH * own->follower,
            own->base == AFXI_WORLD ? world_rate : rows->world->state.v + (size_t)AFXI_AFFINE_WIDTH * own->base);
    }
    case AFXI_SOURCE_SCREW:
        return coordinate_velocity_term(rows, joint, 0) -
               *afxi_world_param(rows->world, AFX_PARAM_JOINT_PITCH, joint) * coordinate_velocity_term(rows, joint, 1);
    case AFXI_SOURCE_DRIVE:
        return coordinate_velocity_term(rows, joint, rows->world->model->drives[source->index].axis) -
               afxi_drive_acceleration(rows->world, source->index);
    case AFXI_SOURCE_COUPLING: {
        const AfxiCoupling *coupling = &rows->world->model->couplings[source->index];
        const double *numbers = afxi_world_param(rows->world, AFX_PARAM_COUPLING, source->index);
        for (uint32_t term = 0; term < coupling->term_count; term++) {
            sum += numbers[term] * coordinate_velocity_term(rows, coupling->joint[term], coupling->axis[term]);
        }
        return sum;
    }
    case AFXI_SOURCE_SPRING:
    case AFXI_SOURCE_ROTATIONAL_SPRING:
        return 0;
    case AFXI_SOURCE_CONTACT: /* made by the contacts themselves */
        break;
    }
    return 0;
}

/* The multiplier a law has in the present state; the rate of a row was measured with the body's own velocities. */
static double fixed_now(const AfxiRows *rows, uint32_t row) {
    const AfxiGraphRow *source = &rows->graph->row[row];
    double x = rows->measured[row], rate = rows->rate[row];
    if (source->source == AFXI_SOURCE_DRIVE) {
        AfxiLawInput input = afxi_row_law_input(rows, row, x, rate);
        return afxi_law_fixed((AfxDriveKind)rows->world->model->drives[source->index].kind,
                              (AfxiBranch)rows->world->state.drive_branch[source->index],
                              afxi_world_param(rows->world, AFX_PARAM_DRIVE, source->index), &input);
    }
    if (source->source == AFXI_SOURCE_ROTATIONAL_SPRING) {
        size_t turn = afxi_row_block(rows, row)->rotational_spring;
        return rows
            ->rotational_spring[AFXI_ROTATIONAL_SPRING_RESULT * turn + AFXI_ROTATIONAL_SPRING_TORQUE + source->index];
    }
    if (source->source == AFXI_SOURCE_SPRING) {
        double numbers[AFXI_DRIVE_SIZE];
        AfxiLawInput input = {.x = x, .rate = rate};
        input.tabled = afxi_row_tables(rows, row, numbers, &input.tables);
        return afxi_law_fixed(AFX_DRIVE_SPRING, AFXI_BRANCH_FREE, numbers, &input);
    }
    return 0;
}

/* Friction that does not slide holds its coordinate at the start, or brings it to rest within the step. */
static bool sticks(const AfxiRows *rows, uint32_t row) {
    const AfxiGraphRow *source = &rows->graph->row[row];
    return source->source == AFXI_SOURCE_DRIVE &&
           rows->world->model->drives[source->index].kind == AFX_DRIVE_FRICTION &&
           rows->world->state.drive_branch[source->index] == AFXI_BRANCH_FREE;
}

/* sign times the rate of a point of a body, by place: (R - qv) / h where the body is solved for. */
static AfxVec3 point_rate(const AfxiRows *rows, uint32_t place, AfxVec3 x, AfxVec3 *out_acceleration) {
    const AfxiGraph *graph = rows->graph;
    double rate[AFXI_AFFINE_WIDTH] = {0}, second[AFXI_AFFINE_WIDTH] = {0};
    if (place < graph->body_count) {
        const double *qv = rows->qv + (size_t)AFXI_AFFINE_WIDTH * place, *t = &rows->origin[place].x;
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            rate[k] = ((k < 9 ? rows->frame[place].m[k] : t[k - 9]) - qv[k]) / rows->h_rate;
        }
    } else if (graph->closed_form.ground[place - graph->body_count] != AFXI_WORLD) {
        uint32_t body = graph->closed_form.ground[place - graph->body_count];
        memcpy(rate, rows->world->state.v + (size_t)AFXI_AFFINE_WIDTH * body, sizeof rate);
        if (rows->starting) {
            afxi_input_acceleration(rows->world, body, second);
        }
    }
    AfxiMat3 a = mat3_load(rate), b = mat3_load(second);
    *out_acceleration = vec3_add(mat3_apply(&b, x), vec3_load(second + 9));
    return vec3_add(mat3_apply(&a, x), vec3_load(rate + 9));
}

double afxi_rows_closed_form_rates(AfxiRows *rows, bool accelerations) {
    const AfxiGraph *graph = rows->graph;
    double largest = 0;
    for (uint32_t k = 0; rows->closed_form && k < graph->closed_form.joint_count; k++) {
        const AfxiClosedFormJoint *joint = &graph->closed_form.joint[k];
        const AfxiJointFrame *frame = (const AfxiJointFrame *)rows->world->model->joint_frames.items + joint->frame;
        AfxVec3 second[2], a = point_rate(rows, joint->a, frame->point_a, &second[0]);
        AfxVec3 b = point_rate(rows, joint->b, frame->point_b, &second[1]);
        double *value = rows->value + joint->first_row;
        vec3_store(value, accelerations ? vec3_sub(second[0], second[1]) : vec3_sub(a, b));
        for (int r = 0; r < 3; r++) {
            value[r] = rows->active[joint->first_row] ? value[r] : 0;
            largest = fmax(largest, fabs(value[r]));
        }
    }
    return largest;
}

/* Rows in closed form: points are linear in q, and springs act with their torque. */
static void closed_form_terms(AfxiRows *rows) {
    const AfxiGraph *graph = rows->graph;
    for (uint32_t k = 0; k < graph->closed_form.joint_count; k++) {
        const AfxiClosedFormJoint *joint = &graph->closed_form.joint[k];
        const double *torque = rows->rotational_spring +
                               (size_t)AFXI_ROTATIONAL_SPRING_RESULT * joint->rotational_spring +
                               AFXI_ROTATIONAL_SPRING_TORQUE;
        for (uint32_t r = 3; r < graph->block[joint->block].row_count; r++) {
            uint32_t row = joint->first_row + r;
            rows->fixed[row] = rows->active[row] ? torque[r - 3] : 0;
            rows->active[row] = 0;
            rows->value[row] = rows->compliance[row] = 0;
        }
    }
    afxi_rows_closed_form_rates(rows, true);
}

/* Rows of a block by their gradients. */
static void general_terms(AfxiRows *rows, const AfxiGraphBlock *block, double dt) {
    double target;
    for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
        bool stops = sticks(rows, row), exact = rows->active[row] && (afxi_row_exact(rows, row, &target) || stops);
        rows->value[row] = exact ? velocity_term(rows, row) + rows->base_acceleration[row] : 0;
        rows->value[row] += exact && stops ? rows->rate[row] / dt : 0;
        rows->fixed[row] = exact || !afxi_row_on(rows, row) ? 0 : fixed_now(rows, row);
        rows->active[row] = exact;
        rows->compliance[row] = 0;
    }
}

void afxi_rows_velocity_terms(AfxiRows *rows, double dt) {
    if (rows->closed_form) {
        closed_form_terms(rows);
    }
    for (uint32_t b = 0; b < afxi_blocks_left(rows); b++) {
        general_terms(rows, afxi_block_left(rows, b), dt);
    }
}
