/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the jointed bodies: values and gradients at the frames of a solve, residuals at its result, and the
 * geometric stiffness that their multipliers bring.
 *
 * A row with multiplier lambda and gradient matrix G on a body adds lambda (sym G - tr G I) to the stiffness of that
 * body's twist; its size is at most |lambda| times the row's lever arm, which is the bound. */
#include "step/rows_inner.h"

#include <math.h>
#include <string.h>

static const double world_q[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};

static uint32_t local_of(const AfxSim *sim, uint32_t body) {
    return body == AFXI_WORLD ? UINT32_MAX : sim->model->graph.local[body];
}

/* A body that is not solved for is where its q says. */
static void side(const AfxSim *sim, uint32_t body, AfxiPlaceOfRows place, AfxiMat3 *out_a, AfxVec3 *out_t,
                 AfxiMat3 *out_r) {
    uint32_t local = local_of(sim, body);
    const double *q = body == AFXI_WORLD ? world_q : sim->q + (size_t)12 * body;
    if (local != UINT32_MAX) {
        *out_r = sim->jointed.frame[local];
        q = (place == AFXI_AT_FRAMES ? sim->jointed.at : sim->jointed.next) + (size_t)12 * local;
    }
    memcpy(out_a->m, q, sizeof out_a->m);
    *out_t = vec3_load(q + 9);
    if (local == UINT32_MAX) {
        *out_r = *out_a;
    }
}

static AfxiPairState pair_state(const AfxSim *sim, uint32_t follower, uint32_t base, AfxiPlaceOfRows place) {
    AfxiPairState state = {.t_a = {0, 0, 0}};
    uint32_t local = local_of(sim, base);
    side(sim, follower, place, &state.a_a, &state.t_a, &state.r_a);
    side(sim, base, place, &state.a_b, &state.t_b, &state.r_b);
    for (int k = 0; local != UINT32_MAX && k < 3; k++) { /* where the solve linearises, at either place */
        AfxVec3 column = vec3_load(sim->jointed.at + (size_t)12 * local + 3 * k);
        state.strain_b[k] = vec3_sub(mat3_apply_transposed(&state.r_b, column), vec3(k == 0, k == 1, k == 2));
    }
    return state;
}

const AfxiPairState *afxi_row_state(const AfxSim *sim, uint32_t joint, AfxiPlaceOfRows place) {
    AfxiRowCache *cache = sim->jointed.cache;
    if (cache->joint != joint || cache->place != (uint32_t)place) {
        cache->joint = joint;
        cache->place = place;
        cache->state = pair_state(sim, sim->model->joints[joint].follower, sim->model->joints[joint].base, place);
    }
    return &cache->state;
}

/* Forgets the state of the last joint: bodies have moved. */
static void forget_state(const AfxSim *sim) {
    sim->jointed.cache->joint = UINT32_MAX;
}

double afxi_row_length(const AfxSim *sim, uint32_t joint) {
    return *afxi_param_const(sim->model, sim->params, AFX_PARAM_JOINT_LENGTH, joint);
}

AfxiAxisSpec afxi_row_axis(const AfxSim *sim, uint32_t joint, uint32_t axis) {
    return afxi_joint_kind((AfxJointKind)sim->model->joints[joint].kind)->axes[axis];
}

/* A joint coordinate, its turns counted on from the last step. */
static double coordinate(const AfxSim *sim, uint32_t joint, uint32_t axis, AfxiPlaceOfRows place) {
    AfxiAxisSpec spec = afxi_row_axis(sim, joint, axis);
    const AfxiPairState *state = afxi_row_state(sim, joint, place);
    double value = afxi_axis_value(spec, afxi_joint_frame(sim, joint), state);
    double last = sim->angle[sim->model->joints[joint].angle + axis];
    return spec.type == AFXI_AXIS_ROTATION ? afxi_angle_near(value, last) : value;
}

/* A spring's two points as the frame of a distance row. */
static AfxiJointFrame spring_frame(const AfxiSpring *spring) {
    AfxiJointFrame frame = {spring->point_a, spring->point_b, mat3_identity(), mat3_identity()};
    return frame;
}

static double spring_length(const AfxSim *sim, const AfxiSpring *spring, AfxiPlaceOfRows place) {
    AfxiPairState state = pair_state(sim, spring->body_a, spring->body_b, place);
    AfxVec3 a = vec3_add(mat3_apply(&state.a_a, spring->point_a), state.t_a);
    AfxVec3 b = vec3_add(mat3_apply(&state.a_b, spring->point_b), state.t_b);
    return vec3_length(vec3_sub(a, b));
}

/* ---- gradients ---- */

/* Where a row keeps its gradient on a body, or NULL when that body is not solved for. */
static double *gradient_at(const AfxSim *sim, uint32_t row, uint32_t body) {
    const AfxiGraph *graph = &sim->model->graph;
    const AfxiGraphBlock *block = &graph->block[graph->row[row].block];
    uint32_t local = local_of(sim, body);
    for (uint32_t e = block->first_entry; local != UINT32_MAX && e < block->first_entry + block->entry_count; e++) {
        if (graph->entry[e].body == local) {
            return sim->jointed.system.jacobian + 12 * (graph->entry[e].jacobian + row - block->first_row);
        }
    }
    return NULL;
}

/* What the acceleration of a body that is not solved for does to a row. */
static double base_acceleration(const AfxSim *sim, uint32_t body, const AfxiMat3 *r, const AfxiRowGradient *gradient) {
    double second[12];
    afxi_input_acceleration(sim, body, second);
    double sum = vec3_dot(vec3_load(gradient->g + 9), vec3_load(second + 9));
    for (int k = 0; k < 3; k++) {
        sum += vec3_dot(vec3_load(gradient->g + 3 * k), mat3_apply_transposed(r, vec3_load(second + 3 * k)));
    }
    return sum;
}

/* g . (R^T A - I): what a row's value owes to the strain of the place it is linearised at. */
static double strain_share(const AfxSim *sim, uint32_t local, const AfxiRowGradient *gradient) {
    const AfxiMat3 *r = &sim->jointed.frame[local];
    const double *at = sim->jointed.at + (size_t)12 * local;
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double column[3];
        vec3_store(column, mat3_apply_transposed(r, vec3_load(at + 3 * k)));
        column[k] -= 1;
        sum += vec3_dot(vec3_load(gradient->g + 3 * k), vec3_load(column));
    }
    return sum;
}

/* Adds factor * gradient on one body, and what its motion alone does to the row's rate. */
static void add_side(AfxSim *sim, uint32_t row, uint32_t body, double factor, const AfxiRowGradient *gradient) {
    double *to = gradient_at(sim, row, body), *rate = &sim->jointed.rate[row];
    if (to) {
        const AfxiMat3 *r = &sim->jointed.frame[local_of(sim, body)];
        const double *qv = sim->jointed.qv + (size_t)12 * local_of(sim, body);
        double past =
            vec3_dot(vec3_load(gradient->g + 9), vec3_sub(vec3_load(qv + 9), sim->jointed.origin[local_of(sim, body)]));
        for (int k = 0; k < 3; k++) {
            AfxVec3 column = mat3_apply_transposed(r, vec3_load(qv + 3 * k));
            double local[3];
            vec3_store(local, column);
            local[k] -= 1;
            past += vec3_dot(vec3_load(gradient->g + 3 * k), vec3_load(local));
        }
        *rate -= factor * past / sim->jointed.h_rate;
        sim->jointed.shift[row] += factor * strain_share(sim, local_of(sim, body), gradient);
        for (int e = 0; e < 12; e++) {
            to[e] += factor * gradient->g[e];
        }
    } else if (body != AFXI_WORLD) {
        const double *q = sim->q + (size_t)12 * body, *v = sim->v + (size_t)12 * body;
        AfxiMat3 r;
        memcpy(r.m, q, sizeof r.m);
        double now = vec3_dot(vec3_load(gradient->g + 9), vec3_load(v + 9));
        for (int k = 0; k < 3; k++) {
            now += vec3_dot(vec3_load(gradient->g + 3 * k), mat3_apply_transposed(&r, vec3_load(v + 3 * k)));
        }
        *rate += factor * now;
        if (sim->jointed.starting) {
            sim->jointed.base_acceleration[row] += factor * base_acceleration(sim, body, &r, gradient);
        }
    }
}

static void add_coordinate(AfxSim *sim, uint32_t row, uint32_t joint, uint32_t axis, double factor) {
    AfxiRowGradient a, b;
    const AfxiPairState *state = afxi_row_state(sim, joint, AFXI_AT_FRAMES);
    afxi_axis_gradient(afxi_row_axis(sim, joint, axis), afxi_joint_frame(sim, joint), state, &a, &b);
    add_side(sim, row, sim->model->joints[joint].follower, factor, &a);
    add_side(sim, row, sim->model->joints[joint].base, factor, &b);
}

static void add_spec(AfxSim *sim, uint32_t row, uint32_t joint, AfxiRowSpec spec) {
    AfxiRowGradient a, b;
    const AfxiPairState *state = afxi_row_state(sim, joint, AFXI_AT_FRAMES);
    afxi_row_gradient(spec, afxi_joint_frame(sim, joint), afxi_row_length(sim, joint), state, &a, &b);
    add_side(sim, row, sim->model->joints[joint].follower, 1, &a);
    add_side(sim, row, sim->model->joints[joint].base, 1, &b);
}

static void add_spring(AfxSim *sim, uint32_t row, const AfxiSpring *spring) {
    AfxiRowGradient a, b;
    AfxiRowSpec spec = {AFXI_ROW_DISTANCE, 0, 0, 1, 0};
    AfxiJointFrame frame = spring_frame(spring);
    AfxiPairState state = pair_state(sim, spring->body_a, spring->body_b, AFXI_AT_FRAMES);
    double length = spring_length(sim, spring, AFXI_AT_FRAMES);
    afxi_row_gradient(spec, &frame, length > 0 ? length : 1, &state, &a, &b); /* d / |d| */
    add_side(sim, row, spring->body_a, 1, &a);
    add_side(sim, row, spring->body_b, 1, &b);
}

/* ---- rows ---- */

const AfxiGraphBlock *afxi_row_block(const AfxSim *sim, uint32_t row) {
    return &sim->model->graph.block[sim->model->graph.row[row].block];
}

AfxiRowSpec afxi_row_spec(const AfxSim *sim, uint32_t row) {
    const AfxiJoint *joint = &sim->model->joints[afxi_row_block(sim, row)->index];
    return afxi_joint_kind((AfxJointKind)joint->kind)->rows[sim->model->graph.row[row].index];
}

/* What the row measures, before any law: how far an exact row is from holding. */
static double measure(const AfxSim *sim, uint32_t row, AfxiPlaceOfRows place) {
    const AfxiGraphRow *source = &sim->model->graph.row[row];
    uint32_t joint = afxi_row_block(sim, row)->index;
    double sum = 0;
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_TURN: /* linearised apart, and never exact */
        return 0;
    case AFXI_SOURCE_JOINT: {
        const AfxiPairState *state = afxi_row_state(sim, joint, place);
        return afxi_row_value(afxi_row_spec(sim, row), afxi_joint_frame(sim, joint), afxi_row_length(sim, joint),
                              state);
    }
    case AFXI_SOURCE_SCREW:
        return coordinate(sim, joint, 0, place) -
               *afxi_param_const(sim->model, sim->params, AFX_PARAM_JOINT_PITCH, joint) *
                   coordinate(sim, joint, 1, place);
    case AFXI_SOURCE_DRIVE:
        return coordinate(sim, joint, sim->model->drives[source->index].axis, place);
    case AFXI_SOURCE_COUPLING: {
        const AfxiCoupling *coupling = &sim->model->couplings[source->index];
        const double *numbers = afxi_param_const(sim->model, sim->params, AFX_PARAM_COUPLING, source->index);
        for (uint32_t term = 0; term < coupling->term_count; term++) {
            sum += numbers[term] * coordinate(sim, coupling->joint[term], coupling->axis[term], place);
        }
        return sum - numbers[AFX_COUPLING_TERMS];
    }
    case AFXI_SOURCE_SPRING:
        return spring_length(sim, &sim->model->springs[source->index], place);
    case AFXI_SOURCE_CONTACT: /* made by the contacts themselves */
        break;
    }
    return 0;
}

static void add_gradient(AfxSim *sim, uint32_t row) {
    const AfxiGraphRow *source = &sim->model->graph.row[row];
    uint32_t joint = afxi_row_block(sim, row)->index;
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_TURN:
        break;
    case AFXI_SOURCE_JOINT:
        add_spec(sim, row, joint, afxi_row_spec(sim, row));
        break;
    case AFXI_SOURCE_SCREW:
        add_coordinate(sim, row, joint, 0, 1);
        add_coordinate(sim, row, joint, 1, -*afxi_param_const(sim->model, sim->params, AFX_PARAM_JOINT_PITCH, joint));
        break;
    case AFXI_SOURCE_DRIVE:
        add_coordinate(sim, row, joint, sim->model->drives[source->index].axis, 1);
        break;
    case AFXI_SOURCE_COUPLING: {
        const AfxiCoupling *coupling = &sim->model->couplings[source->index];
        const double *numbers = afxi_param_const(sim->model, sim->params, AFX_PARAM_COUPLING, source->index);
        for (uint32_t term = 0; term < coupling->term_count; term++) {
            add_coordinate(sim, row, coupling->joint[term], coupling->axis[term], numbers[term]);
        }
        break;
    }
    case AFXI_SOURCE_SPRING:
        add_spring(sim, row, &sim->model->springs[source->index]);
        break;
    case AFXI_SOURCE_CONTACT: /* made by the contacts themselves */
        break;
    }
}

bool afxi_row_on(const AfxSim *sim, uint32_t row) {
    const AfxiGraphBlock *block = afxi_row_block(sim, row);
    return block->type != AFXI_BLOCK_JOINT || sim->joint_active[block->index];
}

AfxiLawInput afxi_row_law_input(const AfxSim *sim, uint32_t row, double x, double rate) {
    uint32_t drive = sim->model->graph.row[row].index;
    return (AfxiLawInput){x,
                          rate,
                          sim->jointed.h_rate,
                          sim->jointed.drive_target[2 * drive],
                          sim->jointed.drive_target[2 * drive + 1],
                          afxi_friction_limit(sim, drive)};
}

/* Value, compliance and activity from what the row measures. */
static AfxiLawRow law_of(const AfxSim *sim, uint32_t row, double x) {
    const AfxiGraphRow *source = &sim->model->graph.row[row];
    if (source->source == AFXI_SOURCE_DRIVE) {
        AfxiLawInput input = afxi_row_law_input(sim, row, x, sim->jointed.rate[row]);
        return afxi_law_row((AfxDriveKind)sim->model->drives[source->index].kind,
                            (AfxiBranch)sim->drive_branch[source->index],
                            afxi_param_const(sim->model, sim->params, AFX_PARAM_DRIVE, source->index), &input);
    }
    if (source->source == AFXI_SOURCE_SPRING) {
        const double *numbers = afxi_param_const(sim->model, sim->params, AFX_PARAM_SPRING, source->index);
        const double as_drive[AFXI_DRIVE_SIZE] = {
            [AFXI_DRIVE_STIFFNESS] = numbers[1], [AFXI_DRIVE_DAMPING] = numbers[2], [AFXI_DRIVE_REST] = numbers[0]};
        AfxiLawInput input = {.x = x, .rate = sim->jointed.rate[row], .h_rate = sim->jointed.h_rate};
        return afxi_law_row(AFX_DRIVE_SPRING, AFXI_BRANCH_FREE, as_drive, &input);
    }
    double compliance = 0;
    if (source->source == AFXI_SOURCE_COUPLING) {
        compliance =
            afxi_param_const(sim->model, sim->params, AFX_PARAM_COUPLING, source->index)[AFX_COUPLING_TERMS + 1];
    }
    return (AfxiLawRow){x, compliance, 0, true};
}

static bool is_turn(const AfxSim *sim, uint32_t row) {
    return sim->model->graph.row[row].source == AFXI_SOURCE_TURN;
}

static void linearise_row(AfxSim *sim, uint32_t row) {
    sim->jointed.rate[row] = sim->jointed.shift[row] = sim->jointed.base_acceleration[row] = 0;
    add_gradient(sim, row);
    sim->jointed.measured[row] = measure(sim, row, AFXI_AT_FRAMES) - sim->jointed.shift[row];
}

static void apply_law(AfxSim *sim, uint32_t row) {
    AfxiSystem *system = &sim->jointed.system;
    AfxiLawRow law = law_of(sim, row, sim->jointed.measured[row]);
    bool on = afxi_row_on(sim, row);
    system->value[row] = law.value;
    system->compliance[row] = law.compliance;
    system->active[row] = law.active && on;
    system->given[row] = on ? law.given : 0;
}

uint32_t afxi_blocks_left(const AfxSim *sim) {
    const AfxiGraph *graph = &sim->model->graph;
    return sim->jointed.system.bodies.on ? graph->closed.open_block_count : graph->joint_blocks;
}

const AfxiGraphBlock *afxi_block_left(const AfxSim *sim, uint32_t k) {
    const AfxiGraph *graph = &sim->model->graph;
    return &graph->block[sim->jointed.system.bodies.on ? graph->closed.open_block[k] : k];
}

void afxi_rows_linearise(AfxSim *sim) {
    forget_state(sim);
    const AfxiGraph *graph = &sim->model->graph;
    AfxiSystem *system = &sim->jointed.system;
    sim->jointed.rows_fresh &= system->bodies.on;
    for (uint32_t b = 0; b < afxi_blocks_left(sim); b++) {
        const AfxiGraphBlock *block = afxi_block_left(sim, b);
        uint32_t leading = sim->jointed.rates ? 0 : block->leading;
        if (block->plain) { /* also where their rates are wanted: for the frozen directions */
            afxi_plain_linearise(sim, block);
        }
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            memset(system->jacobian + 12 * (graph->entry[e].jacobian + leading), 0,
                   12 * (block->row_count - leading) * sizeof(double));
        }
        for (uint32_t row = block->first_row + leading; row < block->first_row + block->row_count; row++) {
            if (!is_turn(sim, row)) {
                linearise_row(sim, row);
                apply_law(sim, row);
            }
        }
    }
    afxi_turns_linearise(sim);
}

void afxi_rows_laws(AfxSim *sim) {
    for (uint32_t b = 0; b < afxi_blocks_left(sim); b++) {
        const AfxiGraphBlock *block = afxi_block_left(sim, b);
        for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
            if (!is_turn(sim, row)) { /* their law has no branches */
                apply_law(sim, row);
            }
        }
    }
}

double afxi_rows_keep_exact(AfxSim *sim) {
    AfxiSystem *system = &sim->jointed.system;
    double largest = 0;
    for (uint32_t row = 0; row < sim->model->graph.joint_rows; row++) {
        const AfxiGraphRow *source = &sim->model->graph.row[row];
        bool friction =
            source->source == AFXI_SOURCE_DRIVE && sim->model->drives[source->index].kind == AFX_DRIVE_FRICTION;
        system->active[row] = system->active[row] && system->compliance[row] == 0 && !friction;
        system->compliance[row] = 0;
        system->given[row] = 0;
        largest = system->active[row] ? fmax(largest, fabs(system->value[row])) : largest;
    }
    return largest;
}

double afxi_row_result(const AfxSim *sim, uint32_t row) {
    return measure(sim, row, AFXI_AT_RESULT);
}

/* What an exact row must measure: 0, or the target of its drive, or the end of a limit. */
bool afxi_row_exact(const AfxSim *sim, uint32_t row, double *out_target) {
    const AfxiGraphRow *source = &sim->model->graph.row[row];
    *out_target = 0;
    if (source->source == AFXI_SOURCE_DRIVE) {
        uint32_t drive = source->index;
        const double *numbers = afxi_param_const(sim->model, sim->params, AFX_PARAM_DRIVE, drive);
        AfxDriveKind kind = (AfxDriveKind)sim->model->drives[drive].kind;
        *out_target = sim->jointed.drive_target[2 * drive];
        if (kind == AFX_DRIVE_LIMIT) {
            bool low = sim->drive_branch[drive] == AFXI_BRANCH_LOW;
            *out_target = numbers[low ? AFXI_DRIVE_LOWER : AFXI_DRIVE_UPPER];
            return sim->drive_branch[drive] != AFXI_BRANCH_FREE;
        }
        return afxi_law_exact(kind);
    }
    return source->source != AFXI_SOURCE_SPRING && source->source != AFXI_SOURCE_TURN &&
           sim->jointed.system.compliance[row] == 0;
}

double afxi_rows_residual(const AfxSim *sim) {
    forget_state(sim);
    double largest = sim->jointed.system.bodies.on ? sim->jointed.system.bodies.gap : 0, target;
    for (uint32_t b = 0; b < afxi_blocks_left(sim); b++) {
        const AfxiGraphBlock *block = afxi_block_left(sim, b);
        if (block->plain) {
            double value = sim->joint_active[block->index] ? afxi_plain_residual(sim, block) : 0;
            largest = value > largest || isnan(value) ? value : largest;
        }
        for (uint32_t row = block->first_row + block->leading; row < block->first_row + block->row_count; row++) {
            if (!sim->jointed.system.active[row] || !afxi_row_exact(sim, row, &target)) {
                continue;
            }
            double value = fabs(measure(sim, row, AFXI_AT_RESULT) - target);
            largest = value > largest || isnan(value) ? value : largest;
        }
    }
    return largest;
}

/* ---- second order ---- */

/* lambda (sym G - tr G I) into k = xx, yy, zz, xy, xz, yz */
static void add_stiffness(double *k, double lambda, const double *g) {
    double trace = g[0] + g[4] + g[8];
    k[0] += lambda * (g[0] - trace);
    k[1] += lambda * (g[4] - trace);
    k[2] += lambda * (g[8] - trace);
    k[3] += 0.5 * lambda * (g[1] + g[3]);
    k[4] += 0.5 * lambda * (g[2] + g[6]);
    k[5] += 0.5 * lambda * (g[5] + g[7]);
}

/* A lever arm that bounds the row's second order: that of its own kind, else from its gradient. */
static double arm_of(const AfxSim *sim, uint32_t row, uint32_t body, const double *g) {
    if (sim->model->graph.row[row].source == AFXI_SOURCE_JOINT) {
        uint32_t joint = afxi_row_block(sim, row)->index;
        double arm_a, arm_b;
        const AfxiPairState *state = afxi_row_state(sim, joint, AFXI_AT_FRAMES);
        afxi_row_arms(afxi_row_spec(sim, row), afxi_joint_frame(sim, joint), state, &arm_a, &arm_b);
        return body == sim->model->joints[joint].follower ? arm_a : arm_b;
    }
    double square = 0;
    for (int k = 0; k < 9; k++) {
        square += g[k] * g[k];
    }
    return 2 * sqrt(square);
}

void afxi_rows_stiffness(AfxSim *sim, const double *lambda, double *out_bound, double *out_exact) {
    forget_state(sim);
    const AfxiGraph *graph = &sim->model->graph;
    const AfxiClosed *closed = &graph->closed;
    bool swift = sim->jointed.system.bodies.on;
    for (uint32_t k = 0; k < (swift ? closed->open_body_count : graph->body_count); k++) {
        uint32_t body = swift ? closed->open_body[k] : k;
        out_bound[body] = 0;
        memset(out_exact + 6 * (size_t)body, 0, 6 * sizeof *out_exact);
    }
    for (uint32_t b = 0; b < afxi_blocks_left(sim); b++) {
        const AfxiGraphBlock *block = afxi_block_left(sim, b);
        if (block->plain) {
            afxi_plain_stiffness(sim, block, lambda, out_bound, out_exact);
        }
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            const AfxiGraphEntry *entry = &graph->entry[e];
            for (uint32_t r = block->leading; r < block->row_count; r++) {
                uint32_t row = block->first_row + r;
                const double *g = sim->jointed.system.jacobian + 12 * (entry->jacobian + r);
                if (lambda[row] != 0) {
                    out_bound[entry->body] += fabs(lambda[row]) * arm_of(sim, row, graph->body[entry->body], g);
                    add_stiffness(out_exact + 6 * (size_t)entry->body, lambda[row], g);
                }
            }
        }
    }
}

/* The two sides of every joint still point the same way. */
bool afxi_joints_consistent(const AfxSim *sim) {
    forget_state(sim);
    for (uint32_t b = 0; b < afxi_blocks_left(sim); b++) {
        const AfxiGraphBlock *block = afxi_block_left(sim, b);
        uint32_t k = block->index;
        if (block->type != AFXI_BLOCK_JOINT || !sim->joint_active[k]) {
            continue;
        }
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)sim->model->joints[k].kind);
        const AfxiPairState *state = afxi_row_state(sim, k, AFXI_AT_RESULT);
        for (uint32_t c = 0; c < kind->consistency_count; c++) {
            AfxiRowSpec row = {AFXI_ROW_DIRECTION, kind->consistency[c].i, kind->consistency[c].j, 1, 0};
            if (!(afxi_row_value(row, afxi_joint_frame(sim, k), 1, state) > 0.2)) {
                return false;
            }
        }
    }
    return true;
}
