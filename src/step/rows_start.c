/* SPDX-License-Identifier: Apache-2.0 */
/* The rows at a start: their accelerations instead of their values. An exact row asks for
 *     J q'' + velocity term + share of bodies that are not solved for = acceleration of its target,
 * every other row acts with the multiplier that its law has in the present state. */
#include <math.h>

#include "step/rows_inner.h"

static const double world_rate[12];

/* Second derivative of a coordinate along the present velocities, by a central difference of its rate: this is only for
 * the start of drives and couplings. */
static double coordinate_velocity_term(const AfxSim *sim, uint32_t joint, uint32_t axis) {
    const AfxiJoint *source = &sim->model->joints[joint];
    const double *rate_a = source->follower == AFXI_WORLD ? world_rate : sim->v + (size_t)12 * source->follower;
    const double *rate_b = source->base == AFXI_WORLD ? world_rate : sim->v + (size_t)12 * source->base;
    double step = 1e-5, difference = 0;
    for (int sign = -1; sign <= 1; sign += 2) {
        AfxiPairState state = afxi_joint_state(sim, joint);
        for (int k = 0; k < 9; k++) {
            state.a_a.m[k] += sign * step * rate_a[k];
            state.a_b.m[k] += sign * step * rate_b[k];
        }
        state.t_a = vec3_mad(state.t_a, sign * step, vec3_load(rate_a + 9));
        state.t_b = vec3_mad(state.t_b, sign * step, vec3_load(rate_b + 9));
        difference += sign * afxi_axis_rate(afxi_row_axis(sim, joint, axis), afxi_joint_frame(sim, joint), &state,
                                            rate_a, rate_b);
    }
    return difference / (2 * step);
}

static double velocity_term(AfxSim *sim, uint32_t row) {
    const AfxiGraphRow *source = &sim->model->graph.row[row];
    uint32_t joint = afxi_row_block(sim, row)->index;
    double sum = 0;
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_JOINT: {
        const AfxiJoint *own = &sim->model->joints[joint];
        const AfxiPairState *state = afxi_row_state(sim, joint, AFXI_AT_FRAMES);
        return afxi_row_velocity_term(afxi_row_spec(sim, row), afxi_joint_frame(sim, joint),
                                      afxi_row_length(sim, joint), state,
                                      own->follower == AFXI_WORLD ? world_rate : sim->v + (size_t)12 * own->follower,
                                      own->base == AFXI_WORLD ? world_rate : sim->v + (size_t)12 * own->base);
    }
    case AFXI_SOURCE_SCREW:
        return coordinate_velocity_term(sim, joint, 0) -
               *afxi_param_const(sim->model, sim->params, AFX_PARAM_JOINT_PITCH, joint) *
                   coordinate_velocity_term(sim, joint, 1);
    case AFXI_SOURCE_DRIVE:
        return coordinate_velocity_term(sim, joint, sim->model->drives[source->index].axis) -
               afxi_drive_acceleration(sim, source->index);
    case AFXI_SOURCE_COUPLING: {
        const AfxiCoupling *coupling = &sim->model->couplings[source->index];
        const double *numbers = afxi_param_const(sim->model, sim->params, AFX_PARAM_COUPLING, source->index);
        for (uint32_t term = 0; term < coupling->term_count; term++) {
            sum += numbers[term] * coordinate_velocity_term(sim, coupling->joint[term], coupling->axis[term]);
        }
        return sum;
    }
    case AFXI_SOURCE_SPRING:
    case AFXI_SOURCE_TURN:
        return 0;
    case AFXI_SOURCE_CONTACT: /* made by the contacts themselves */
        break;
    }
    return 0;
}

/* The multiplier a law has in the present state; the rate of a row was measured with the body's own velocities. */
static double given_now(const AfxSim *sim, uint32_t row) {
    const AfxiGraphRow *source = &sim->model->graph.row[row];
    double x = sim->jointed.measured[row], rate = sim->jointed.rate[row];
    if (source->source == AFXI_SOURCE_DRIVE) {
        AfxiLawInput input = afxi_row_law_input(sim, row, x, rate);
        return afxi_law_given((AfxDriveKind)sim->model->drives[source->index].kind,
                              (AfxiBranch)sim->drive_branch[source->index],
                              afxi_param_const(sim->model, sim->params, AFX_PARAM_DRIVE, source->index), &input);
    }
    if (source->source == AFXI_SOURCE_TURN) {
        size_t turn = afxi_row_block(sim, row)->turn;
        return sim->jointed.system.turn[AFXI_TURN_RESULT * turn + AFXI_TURN_TORQUE + source->index];
    }
    if (source->source == AFXI_SOURCE_SPRING) {
        const double *numbers = afxi_param_const(sim->model, sim->params, AFX_PARAM_SPRING, source->index);
        return numbers[1] * (x - numbers[0]) + numbers[2] * rate;
    }
    return 0;
}

/* Friction that does not slide holds its coordinate at the start. */
static bool sticks(const AfxSim *sim, uint32_t row) {
    const AfxiGraphRow *source = &sim->model->graph.row[row];
    return source->source == AFXI_SOURCE_DRIVE && sim->model->drives[source->index].kind == AFX_DRIVE_FRICTION &&
           sim->drive_branch[source->index] == AFXI_BRANCH_FREE && fabs(sim->jointed.rate[row]) < AFXI_STILL;
}

/* Rows in closed form: points are linear in q, and springs act with their torque. */
static void closed_terms(AfxSim *sim) {
    const AfxiGraph *graph = &sim->model->graph;
    AfxiSystem *system = &sim->jointed.system;
    for (uint32_t k = 0; k < graph->closed.joint_count; k++) {
        const AfxiClosedJoint *joint = &graph->closed.joint[k];
        const double *torque = system->turn + (size_t)AFXI_TURN_RESULT * joint->turn + AFXI_TURN_TORQUE;
        for (uint32_t r = 3; r < graph->block[joint->block].row_count; r++) {
            uint32_t row = joint->first_row + r;
            system->given[row] = system->active[row] ? torque[r - 3] : 0;
            system->active[row] = 0;
            system->value[row] = system->compliance[row] = 0;
        }
    }
    afxi_swift_rates(sim, true);
}

/* Rows of a block by their gradients. */
static void open_terms(AfxSim *sim, const AfxiGraphBlock *block) {
    AfxiSystem *system = &sim->jointed.system;
    double target;
    for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
        bool exact = system->active[row] && (afxi_row_exact(sim, row, &target) || sticks(sim, row));
        system->value[row] = exact ? velocity_term(sim, row) + sim->jointed.base_acceleration[row] : 0;
        system->given[row] = exact || !afxi_row_on(sim, row) ? 0 : given_now(sim, row);
        system->active[row] = exact;
        system->compliance[row] = 0;
    }
}

void afxi_rows_velocity_terms(AfxSim *sim) {
    if (sim->jointed.system.bodies.on) {
        closed_terms(sim);
    }
    for (uint32_t b = 0; b < afxi_blocks_left(sim); b++) {
        open_terms(sim, afxi_block_left(sim, b));
    }
}
