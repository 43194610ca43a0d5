/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the jointed bodies: values and gradients at the frames of a solve, residuals at its result, and the
 * geometric stiffness that their multipliers bring.
 *
 * A row with multiplier lambda and gradient matrix G on a body adds lambda (sym G - tr G I) to the stiffness of that
 * body's twist; its size is at most |lambda| times the row's lever arm, which is the bound. */
#include "constraint/rows.h"

#include <math.h>
#include <string.h>

#include "constraint/carried.h"
#include "constraint/drive.h"
#include "constraint/spring.h"
#include "constraint/tuning.h"
#include "joint/tuning.h"
#include "state/input.h"

static const double world_q[AFXI_AFFINE_WIDTH] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};

static uint32_t local_of(const AfxiRows *rows, uint32_t body) {
    return body == AFXI_WORLD ? UINT32_MAX : rows->graph->local[body];
}

/* A body that is not solved for is where its q says. */
static void side_of(const AfxiRows *rows, uint32_t body, AfxiPlaceOfRows place, AfxiMat3 *out_a, AfxVec3 *out_t,
                    AfxiMat3 *out_r) {
    uint32_t local = local_of(rows, body);
    const double *q = body == AFXI_WORLD ? world_q : rows->world->state.q + (size_t)AFXI_AFFINE_WIDTH * body;
    if (local != UINT32_MAX) {
        *out_r = rows->frame[local];
        q = (place == AFXI_AT_FRAMES ? rows->at : rows->next) + (size_t)AFXI_AFFINE_WIDTH * local;
    }
    memcpy(out_a->m, q, sizeof out_a->m);
    *out_t = vec3_load(q + 9);
    if (local == UINT32_MAX) {
        *out_r = *out_a;
    }
}

static AfxiPairState pair_state(const AfxiRows *rows, uint32_t follower, uint32_t base, AfxiPlaceOfRows place) {
    AfxiPairState state = {.t_a = {0, 0, 0}};
    uint32_t local = local_of(rows, base);
    side_of(rows, follower, place, &state.a_a, &state.t_a, &state.r_a);
    side_of(rows, base, place, &state.a_b, &state.t_b, &state.r_b);
    for (int k = 0; local != UINT32_MAX && k < 3; k++) { /* where the solve linearises, at either place */
        AfxVec3 column = vec3_load(rows->at + (size_t)AFXI_AFFINE_WIDTH * local + 3 * k);
        state.strain_b[k] = vec3_sub(mat3_apply_transposed(&state.r_b, column), vec3(k == 0, k == 1, k == 2));
    }
    return state;
}

const AfxiPairState *afxi_row_state(const AfxiRows *rows, uint32_t joint, AfxiPlaceOfRows place) {
    AfxiRowCache *cache = rows->cache;
    if (cache->joint != joint || cache->place != (uint32_t)place) {
        cache->joint = joint;
        cache->place = place;
        cache->fold = 0;
        cache->state =
            pair_state(rows, rows->world->model->joints[joint].follower, rows->world->model->joints[joint].base, place);
    }
    return &cache->state;
}

/* Forgets the state of the last joint: bodies have moved. */
static void forget_state(const AfxiRows *rows) {
    rows->cache->joint = UINT32_MAX;
}

double afxi_row_length(const AfxiRows *rows, uint32_t joint) {
    return *afxi_world_param(rows->world, AFX_PARAM_JOINT_LENGTH, joint);
}

AfxiAxisSpec afxi_row_axis(const AfxiRows *rows, uint32_t joint, uint32_t axis, const AfxiPairState *state) {
    const AfxiJoint *source = &rows->world->model->joints[joint];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
    AfxiAxisSpec spec = afxi_axis_of(kind, axis);
    if (spec.type != AFXI_AXIS_CARDAN && spec.type != AFXI_AXIS_TILT) {
        return spec;
    }
    AfxiRowCache *cache = rows->cache;
    bool cached = state == &cache->state;
    spec.fold = cached && cache->fold ? cache->fold
                                      : afxi_axis_after(kind, axis, afxi_world_joint_frame(rows->world, joint), state,
                                                        rows->world->state.angle + source->angle)
                                            .fold;
    cache->fold = cached ? spec.fold : cache->fold; /* one for all three angles of the joint */
    return spec;
}

/* The coordinate after the last step. */
static double last_of(const AfxiRows *rows, uint32_t joint, uint32_t axis) {
    const AfxiJoint *source = &rows->world->model->joints[joint];
    uint32_t place = afxi_axis_place(afxi_joint_kind((AfxJointKind)source->kind), axis);
    return place == UINT32_MAX ? 0 : rows->world->state.angle[source->angle + place];
}

/* A joint coordinate, its turns counted on from the last step. */
static double coordinate(const AfxiRows *rows, uint32_t joint, uint32_t axis, AfxiPlaceOfRows place) {
    const AfxiPairState *state = afxi_row_state(rows, joint, place);
    AfxiAxisSpec spec = afxi_row_axis(rows, joint, axis, state);
    return afxi_axis_counted(spec, afxi_world_joint_frame(rows->world, joint), state, last_of(rows, joint, axis));
}

bool afxi_row_passes_fold(const AfxiRows *rows, uint32_t row) {
    const AfxiDrive *drive = &rows->world->model->drives[rows->graph->row[row].index];
    const AfxiJoint *joint = &rows->world->model->joints[drive->joint];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)joint->kind);
    if (afxi_axis_of(kind, drive->axis).type != AFXI_AXIS_CARDAN) {
        return false;
    }
    double before = cos(rows->world->state.angle[joint->angle + kind->axis_count - 2u]);
    bool passes = false;
    for (int place = AFXI_AT_FRAMES; place <= AFXI_AT_RESULT; place++) {
        const AfxiPairState *state = afxi_row_state(rows, drive->joint, (AfxiPlaceOfRows)place);
        passes |= afxi_row_axis(rows, drive->joint, drive->axis, state).fold * before < 0;
    }
    return passes;
}

bool afxi_row_lost(const AfxiRows *rows, uint32_t row) {
    const AfxiDrive *drive = &rows->world->model->drives[rows->graph->row[row].index];
    if (drive->axis != AFX_AXIS_TWIST) {
        return false;
    }
    AfxiAxisSpec spec = {.type = AFXI_AXIS_TWIST};
    return afxi_axis_regular(spec, afxi_world_joint_frame(rows->world, drive->joint),
                             afxi_row_state(rows, drive->joint, AFXI_AT_RESULT)) < AFXI_TWIST_LOST;
}

double afxi_row_unfolded(const AfxiRows *rows, uint32_t row) {
    const AfxiDrive *drive = &rows->world->model->drives[rows->graph->row[row].index];
    const AfxiJoint *joint = &rows->world->model->joints[drive->joint];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)joint->kind);
    AfxiAxisSpec spec = afxi_axis_of(kind, drive->axis);
    spec.fold = cos(rows->world->state.angle[joint->angle + kind->axis_count - 2u]) < 0 ? -1 : 1;
    return afxi_axis_counted(spec, afxi_world_joint_frame(rows->world, drive->joint),
                             afxi_row_state(rows, drive->joint, AFXI_AT_RESULT),
                             last_of(rows, drive->joint, drive->axis));
}

/* Whether a drive holds its coordinate now, and where. */
static bool holds_at(const AfxiRows *rows, uint32_t drive, double *out_target) {
    const AfxiWorld *world = rows->world;
    AfxDriveKind kind = (AfxDriveKind)world->model->drives[drive].kind;
    *out_target = world->drive_target[2 * (size_t)drive];
    if (kind == AFX_DRIVE_LIMIT) {
        bool low = world->state.drive_branch[drive] == AFXI_BRANCH_LOW;
        double copy[AFXI_DRIVE_SIZE];
        *out_target = afxi_drive_numbers(world, drive, copy)[low ? AFXI_DRIVE_LOWER : AFXI_DRIVE_UPPER];
        return world->state.drive_branch[drive] != AFXI_BRANCH_FREE;
    }
    return afxi_law_exact(kind);
}

/* What the law of a drive is told of its coordinate: where that is held, by how far it is off. */
static double driven_coordinate(const AfxiRows *rows, uint32_t drive, AfxiPlaceOfRows place) {
    uint32_t joint = rows->world->model->drives[drive].joint, axis = rows->world->model->drives[drive].axis;
    double target;
    if (!holds_at(rows, drive, &target)) {
        return coordinate(rows, joint, axis, place);
    }
    const AfxiPairState *state = afxi_row_state(rows, joint, place);
    AfxiAxisSpec spec = afxi_row_axis(rows, joint, axis, state);
    return target +
           afxi_axis_off(spec, afxi_world_joint_frame(rows->world, joint), state, target, last_of(rows, joint, axis));
}

/* A spring's two points as the frame of a distance row. */
static AfxiJointFrame spring_frame(const AfxiSpring *spring) {
    AfxiJointFrame frame = {spring->point_a, spring->point_b, mat3_identity(), mat3_identity()};
    return frame;
}

static double spring_length(const AfxiRows *rows, const AfxiSpring *spring, AfxiPlaceOfRows place) {
    AfxiPairState state = pair_state(rows, spring->body_a, spring->body_b, place);
    AfxVec3 a = vec3_add(mat3_apply(&state.a_a, spring->point_a), state.t_a);
    AfxVec3 b = vec3_add(mat3_apply(&state.a_b, spring->point_b), state.t_b);
    return vec3_length(vec3_sub(a, b));
}

/* ---- gradients ---- */

/* Where a row keeps its gradient on a body, or NULL when that body is not solved for. */
static double *gradient_at(const AfxiRows *rows, uint32_t row, uint32_t body) {
    const AfxiGraph *graph = rows->graph;
    const AfxiGraphBlock *block = &graph->block[graph->row[row].block];
    uint32_t local = local_of(rows, body);
    for (uint32_t e = block->first_entry; local != UINT32_MAX && e < block->first_entry + block->entry_count; e++) {
        if (graph->entry[e].dof.index == local) {
            return rows->jacobian + graph->entry[e].jacobian + AFXI_AFFINE_WIDTH * (row - block->first_row);
        }
    }
    return NULL;
}

/* What the acceleration of a body that is not solved for does to a row. */
static double acceleration_of(const AfxiRows *rows, uint32_t body, const AfxiMat3 *r, const AfxiRowGradient *gradient) {
    double second[AFXI_AFFINE_WIDTH];
    afxi_input_acceleration(rows->world, body, second);
    double sum = vec3_dot(vec3_load(gradient->g + 9), vec3_load(second + 9));
    for (int k = 0; k < 3; k++) {
        sum += vec3_dot(vec3_load(gradient->g + 3 * k), mat3_apply_transposed(r, vec3_load(second + 3 * k)));
    }
    return sum;
}

/* g . (R^T A - I): what a row's value owes to the strain of the place it is linearised at. */
static double strain_share(const AfxiRows *rows, uint32_t local, const AfxiRowGradient *gradient) {
    const AfxiMat3 *r = &rows->frame[local];
    const double *at = rows->at + (size_t)AFXI_AFFINE_WIDTH * local;
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double column[3];
        vec3_store(column, mat3_apply_transposed(r, vec3_load(at + 3 * k)));
        column[k] -= 1;
        sum += vec3_dot(vec3_load(gradient->g + 3 * k), vec3_load(column));
    }
    return sum;
}

/* What a row's gradient on a body makes of where the past leads that body. */
static double past_share(const AfxiRows *rows, uint32_t local, const AfxiRowGradient *gradient) {
    const AfxiMat3 *r = &rows->frame[local];
    const double *qv = rows->qv + (size_t)AFXI_AFFINE_WIDTH * local;
    double past = vec3_dot(vec3_load(gradient->g + 9), vec3_sub(vec3_load(qv + 9), rows->origin[local]));
    for (int k = 0; k < 3; k++) {
        double column[3];
        vec3_store(column, mat3_apply_transposed(r, vec3_load(qv + 3 * k)));
        column[k] -= 1;
        past += vec3_dot(vec3_load(gradient->g + 3 * k), vec3_load(column));
    }
    return past;
}

/* Adds factor * gradient on one body, and what its motion alone does to the row's rate; laws of couplings do not ask
 * for that. */
static void add_side(AfxiRows *rows, uint32_t row, uint32_t body, double factor, const AfxiRowGradient *gradient) {
    double *to = gradient_at(rows, row, body), *rate = &rows->rate[row];
    if (to) {
        if (rows->rates || rows->graph->row[row].source != AFXI_SOURCE_COUPLING) {
            *rate -= factor * past_share(rows, local_of(rows, body), gradient) / rows->h_rate;
        }
        rows->shift[row] += factor * strain_share(rows, local_of(rows, body), gradient);
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            to[e] += factor * gradient->g[e];
        }
    } else if (body != AFXI_WORLD) {
        const double *q = rows->world->state.q + (size_t)AFXI_AFFINE_WIDTH * body,
                     *v = rows->world->state.v + (size_t)AFXI_AFFINE_WIDTH * body;
        AfxiMat3 r;
        memcpy(r.m, q, sizeof r.m);
        double now = vec3_dot(vec3_load(gradient->g + 9), vec3_load(v + 9));
        for (int k = 0; k < 3; k++) {
            now += vec3_dot(vec3_load(gradient->g + 3 * k), mat3_apply_transposed(&r, vec3_load(v + 3 * k)));
        }
        *rate += factor * now;
        if (rows->starting) {
            rows->base_acceleration[row] += factor * acceleration_of(rows, body, &r, gradient);
        }
    }
}

static void add_coordinate(AfxiRows *rows, uint32_t row, uint32_t joint, uint32_t axis, double factor) {
    AfxiRowGradient a, b;
    const AfxiPairState *state = afxi_row_state(rows, joint, AFXI_AT_FRAMES);
    afxi_axis_gradient(afxi_row_axis(rows, joint, axis, state), afxi_world_joint_frame(rows->world, joint), state, &a,
                       &b);
    add_side(rows, row, rows->world->model->joints[joint].follower, factor, &a);
    add_side(rows, row, rows->world->model->joints[joint].base, factor, &b);
}

static void add_driven(AfxiRows *rows, uint32_t row, uint32_t drive) {
    AfxiRowGradient a, b;
    uint32_t joint = rows->world->model->drives[drive].joint, axis = rows->world->model->drives[drive].axis;
    const AfxiPairState *state = afxi_row_state(rows, joint, AFXI_AT_FRAMES);
    double target;
    if (!holds_at(rows, drive, &target)) {
        add_coordinate(rows, row, joint, axis, 1);
        return;
    }
    afxi_axis_off_gradient(afxi_row_axis(rows, joint, axis, state), afxi_world_joint_frame(rows->world, joint), state,
                           target, &a, &b);
    add_side(rows, row, rows->world->model->joints[joint].follower, 1, &a);
    add_side(rows, row, rows->world->model->joints[joint].base, 1, &b);
}

static void add_spec(AfxiRows *rows, uint32_t row, uint32_t joint, AfxiRowSpec spec) {
    AfxiRowGradient a, b;
    const AfxiPairState *state = afxi_row_state(rows, joint, AFXI_AT_FRAMES);
    afxi_row_gradient(spec, afxi_world_joint_frame(rows->world, joint), afxi_row_length(rows, joint), state, &a, &b);
    add_side(rows, row, rows->world->model->joints[joint].follower, 1, &a);
    add_side(rows, row, rows->world->model->joints[joint].base, 1, &b);
}

static void add_spring(AfxiRows *rows, uint32_t row, const AfxiSpring *spring) {
    AfxiRowGradient a, b;
    AfxiRowSpec spec = {AFXI_ROW_DISTANCE, 0, 0, 1, 0};
    AfxiJointFrame frame = spring_frame(spring);
    AfxiPairState state = pair_state(rows, spring->body_a, spring->body_b, AFXI_AT_FRAMES);
    double length = spring_length(rows, spring, AFXI_AT_FRAMES);
    afxi_row_gradient(spec, &frame, length > 0 ? length : 1, &state, &a, &b); /* d / |d| */
    add_side(rows, row, spring->body_a, 1, &a);
    add_side(rows, row, spring->body_b, 1, &b);
}

/* ---- rows ---- */

const AfxiGraphBlock *afxi_row_block(const AfxiRows *rows, uint32_t row) {
    return &rows->graph->block[rows->graph->row[row].block];
}

AfxiRowSpec afxi_row_spec(const AfxiRows *rows, uint32_t row) {
    const AfxiJoint *joint = &rows->world->model->joints[afxi_row_block(rows, row)->index];
    return afxi_joint_kind((AfxJointKind)joint->kind)->rows[rows->graph->row[row].index];
}

/* What the row measures, before any law: how far an exact row is from holding. */
static double measure(const AfxiRows *rows, uint32_t row, AfxiPlaceOfRows place) {
    const AfxiGraphRow *source = &rows->graph->row[row];
    uint32_t joint = afxi_row_block(rows, row)->index;
    double sum = 0;
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_ROTATIONAL_SPRING: /* linearised apart, and never exact */
        return 0;
    case AFXI_SOURCE_JOINT: {
        const AfxiPairState *state = afxi_row_state(rows, joint, place);
        return afxi_row_value(afxi_row_spec(rows, row), afxi_world_joint_frame(rows->world, joint),
                              afxi_row_length(rows, joint), state);
    }
    case AFXI_SOURCE_SCREW:
        return coordinate(rows, joint, 0, place) -
               *afxi_world_param(rows->world, AFX_PARAM_JOINT_PITCH, joint) * coordinate(rows, joint, 1, place);
    case AFXI_SOURCE_DRIVE:
        return driven_coordinate(rows, source->index, place);
    case AFXI_SOURCE_COUPLING: {
        const AfxiCoupling *coupling = &rows->world->model->couplings[source->index];
        const double *numbers = afxi_world_param(rows->world, AFX_PARAM_COUPLING, source->index);
        for (uint32_t term = 0; term < coupling->term_count; term++) {
            sum += numbers[term] * coordinate(rows, coupling->joint[term], coupling->axis[term], place);
        }
        return sum - numbers[AFX_COUPLING_TERMS];
    }
    case AFXI_SOURCE_SPRING:
        return spring_length(rows, &rows->world->model->springs[source->index], place);
    case AFXI_SOURCE_CONTACT: /* made by the contacts themselves */
        break;
    }
    return 0;
}

static void add_gradient(AfxiRows *rows, uint32_t row) {
    const AfxiGraphRow *source = &rows->graph->row[row];
    uint32_t joint = afxi_row_block(rows, row)->index;
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_ROTATIONAL_SPRING:
        break;
    case AFXI_SOURCE_JOINT:
        add_spec(rows, row, joint, afxi_row_spec(rows, row));
        break;
    case AFXI_SOURCE_SCREW:
        add_coordinate(rows, row, joint, 0, 1);
        add_coordinate(rows, row, joint, 1, -*afxi_world_param(rows->world, AFX_PARAM_JOINT_PITCH, joint));
        break;
    case AFXI_SOURCE_DRIVE:
        add_driven(rows, row, source->index);
        break;
    case AFXI_SOURCE_COUPLING: /* with what it measures */
        break;
    case AFXI_SOURCE_SPRING:
        add_spring(rows, row, &rows->world->model->springs[source->index]);
        break;
    case AFXI_SOURCE_CONTACT: /* made by the contacts themselves */
        break;
    }
}

bool afxi_row_on(const AfxiRows *rows, uint32_t row) {
    const AfxiGraphBlock *block = afxi_row_block(rows, row);
    return block->type != AFXI_BLOCK_JOINT || rows->world->state.joint_active[block->index];
}

AfxiLawInput afxi_row_law_input(const AfxiRows *rows, uint32_t row, double x, double rate) {
    uint32_t drive = rows->graph->row[row].index;
    bool friction = rows->world->model->drives[drive].kind == AFX_DRIVE_FRICTION;
    AfxiLawInput input = {.x = x,
                          .rate = rate,
                          .h_rate = rows->h_rate,
                          .target = rows->world->drive_target[2 * drive],
                          .target_rate = rows->world->drive_target[2 * drive + 1],
                          .friction_limit = friction ? afxi_friction_limit(rows->world, drive) : 0};
    input.tabled = afxi_drive_tables(rows->world->model, rows->world->params, drive, &input.tables);
    return input;
}

/* The numbers of a spring between points as those of a spring on a coordinate. */
static void numbers_of_spring(const AfxiRows *rows, uint32_t spring, double out[AFXI_DRIVE_SIZE]) {
    const double *numbers = afxi_world_param(rows->world, AFX_PARAM_SPRING, spring);
    memset(out, 0, AFXI_DRIVE_SIZE * sizeof *out);
    out[AFXI_DRIVE_STIFFNESS] = numbers[1];
    out[AFXI_DRIVE_DAMPING] = numbers[2];
    out[AFXI_DRIVE_REST] = numbers[0];
}

bool afxi_row_tables(const AfxiRows *rows, uint32_t row, double numbers[AFXI_DRIVE_SIZE], AfxiSpringTables *out) {
    const AfxiGraphRow *source = &rows->graph->row[row];
    const AfxiWorld *world = rows->world;
    if (source->source == AFXI_SOURCE_SPRING) {
        numbers_of_spring(rows, source->index, numbers);
        return afxi_spring_tables(world->model, world->params, source->index, out);
    }
    if (source->source == AFXI_SOURCE_DRIVE) {
        memcpy(numbers, afxi_world_param(world, AFX_PARAM_DRIVE, source->index), AFXI_DRIVE_SIZE * sizeof *numbers);
        return afxi_drive_tables(world->model, world->params, source->index, out);
    }
    return false;
}

AfxiLawRow afxi_row_law(const AfxiRows *rows, uint32_t row, double x, double rate, double shift) {
    const AfxiGraphRow *source = &rows->graph->row[row];
    if (source->source == AFXI_SOURCE_DRIVE) {
        AfxiLawInput input = afxi_row_law_input(rows, row, x, rate);
        input.shift = shift;
        double copy[AFXI_DRIVE_SIZE];
        return afxi_law_row((AfxDriveKind)rows->world->model->drives[source->index].kind,
                            (AfxiBranch)rows->world->state.drive_branch[source->index],
                            afxi_drive_numbers(rows->world, source->index, copy), &input);
    }
    if (source->source == AFXI_SOURCE_SPRING) {
        double numbers[AFXI_DRIVE_SIZE];
        AfxiLawInput input = {.x = x, .rate = rate, .h_rate = rows->h_rate, .shift = shift};
        input.tabled = afxi_row_tables(rows, row, numbers, &input.tables);
        return afxi_law_row(AFX_DRIVE_SPRING, AFXI_BRANCH_FREE, numbers, &input);
    }
    double compliance = 0;
    if (source->source == AFXI_SOURCE_COUPLING) {
        compliance = afxi_world_param(rows->world, AFX_PARAM_COUPLING, source->index)[AFX_COUPLING_TERMS + 1];
    }
    return (AfxiLawRow){x, compliance, 0, true};
}

static bool is_rotational_spring(const AfxiRows *rows, uint32_t row) {
    return rows->graph->row[row].source == AFXI_SOURCE_ROTATIONAL_SPRING;
}

/* Gradient of a coupling and what it measures, term by term, while the bodies of each are at hand. */
static double add_coupling(AfxiRows *rows, uint32_t row) {
    uint32_t index = rows->graph->row[row].index;
    const AfxiCoupling *coupling = &rows->world->model->couplings[index];
    const double *numbers = afxi_world_param(rows->world, AFX_PARAM_COUPLING, index);
    double sum = 0;
    for (uint32_t term = 0; term < coupling->term_count; term++) {
        add_coordinate(rows, row, coupling->joint[term], coupling->axis[term], numbers[term]);
        sum += numbers[term] * coordinate(rows, coupling->joint[term], coupling->axis[term], AFXI_AT_FRAMES);
    }
    return sum - numbers[AFX_COUPLING_TERMS];
}

static void linearise_row(AfxiRows *rows, uint32_t row) {
    bool coupling = rows->graph->row[row].source == AFXI_SOURCE_COUPLING;
    rows->rate[row] = rows->shift[row] = rows->base_acceleration[row] = 0;
    add_gradient(rows, row);
    double value = coupling ? add_coupling(rows, row) : measure(rows, row, AFXI_AT_FRAMES);
    rows->measured[row] = value - rows->shift[row];
}

static void apply_law(AfxiRows *rows, uint32_t row) {
    AfxiLawRow law = afxi_row_law(rows, row, rows->measured[row], rows->rate[row], rows->shift[row]);
    bool on = afxi_row_on(rows, row);
    rows->value[row] = law.value;
    rows->compliance[row] = law.compliance;
    rows->active[row] = law.active && on;
    rows->fixed[row] = on ? law.fixed : 0;
}

bool afxi_row_follow_branch(const AfxiRows *rows, uint32_t row) {
    const AfxDriveKind kind = (AfxDriveKind)rows->world->model->drives[rows->graph->row[row].index].kind;
    if (kind != AFX_DRIVE_LIMIT && kind != AFX_DRIVE_SERVO && kind != AFX_DRIVE_FRICTION) {
        return false;
    }
    AfxiLawRow law = afxi_row_law(rows, row, rows->measured[row], rows->rate[row], 0);
    const bool on = afxi_row_on(rows, row), active = law.active && on;
    const double fixed = on ? law.fixed : 0;
    if (active == rows->active[row] && fixed == rows->fixed[row] &&
        (kind != AFX_DRIVE_LIMIT || law.value == rows->value[row])) {
        return false;
    }
    rows->value[row] = law.value;
    rows->compliance[row] = law.compliance;
    rows->active[row] = active;
    rows->fixed[row] = fixed;
    return true;
}

uint32_t afxi_blocks_left(const AfxiRows *rows) {
    const AfxiGraph *graph = rows->graph;
    return rows->closed_form ? graph->closed_form.general_block_count : graph->joint_blocks;
}

const AfxiGraphBlock *afxi_block_left(const AfxiRows *rows, uint32_t k) {
    const AfxiGraph *graph = rows->graph;
    return &graph->block[rows->closed_form ? graph->closed_form.general_block[k] : k];
}

/* Rows of a block, one by one. */
static void linearise_block(AfxiRows *rows, const AfxiGraphBlock *block) {
    const AfxiGraph *graph = rows->graph;
    for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
        memset(rows->jacobian + graph->entry[e].jacobian, 0, AFXI_AFFINE_WIDTH * block->row_count * sizeof(double));
    }
    for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
        if (!is_rotational_spring(rows, row)) {
            linearise_row(rows, row);
            apply_law(rows, row);
        }
    }
}

/* A row of a block whose others go in lanes. */
static void linearise_odd(AfxiRows *rows, uint32_t row) {
    const AfxiGraph *graph = rows->graph;
    const AfxiGraphBlock *block = afxi_row_block(rows, row);
    for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
        memset(rows->jacobian + graph->entry[e].jacobian + (size_t)AFXI_AFFINE_WIDTH * (row - block->first_row), 0,
               AFXI_AFFINE_WIDTH * sizeof(double));
    }
    linearise_row(rows, row);
    apply_law(rows, row);
}

void afxi_rows_linearise(AfxiRows *rows) {
    const AfxiGraph *graph = rows->graph;
    forget_state(rows);
    rows->fresh &= rows->closed_form;
    rows->points_out = graph->recursion.on && !rows->rates && (rows->closed_form || !graph->closed_form.joint_count);
    if (rows->rates) {
        for (uint32_t b = 0; b < afxi_blocks_left(rows); b++) {
            linearise_block(rows, afxi_block_left(rows, b));
        }
    } else {
        afxi_groups_linearise(rows);
        for (uint32_t k = 0; k < rows->groups.odd_count; k++) {
            linearise_odd(rows, rows->groups.odd[k]);
        }
        for (uint32_t k = 0; k < rows->groups.single_count; k++) {
            const AfxiGraphBlock *block = &rows->graph->block[rows->groups.single[k]];
            if (!afxi_carried_linearise(rows, block)) {
                linearise_block(rows, block);
            }
        }
    }
    afxi_rotational_springs_linearise(rows);
}

double afxi_rows_keep_exact(AfxiRows *rows) {
    double largest = 0;
    for (uint32_t row = 0; row < rows->graph->joint_rows; row++) {
        const AfxiGraphRow *source = &rows->graph->row[row];
        bool friction =
            source->source == AFXI_SOURCE_DRIVE && rows->world->model->drives[source->index].kind == AFX_DRIVE_FRICTION;
        rows->active[row] = rows->active[row] && rows->compliance[row] == 0 && !friction;
        rows->compliance[row] = 0;
        rows->fixed[row] = 0;
        largest = rows->active[row] ? fmax(largest, fabs(rows->value[row])) : largest;
    }
    return largest;
}

/* What an exact row must measure: 0, or the target of its drive, or the end of a limit. */
bool afxi_row_exact(const AfxiRows *rows, uint32_t row, double *out_target) {
    const AfxiGraphRow *source = &rows->graph->row[row];
    *out_target = 0;
    if (source->source == AFXI_SOURCE_DRIVE) {
        return holds_at(rows, source->index, out_target);
    }
    return source->source != AFXI_SOURCE_SPRING && source->source != AFXI_SOURCE_ROTATIONAL_SPRING &&
           rows->compliance[row] == 0;
}

/* The larger of `largest` and how far a row that holds exactly is off where it measures `value`. */
static double larger_miss(const AfxiRows *rows, uint32_t row, double value, double largest) {
    double target;
    if (!rows->active[row] || !afxi_row_exact(rows, row, &target)) {
        return largest;
    }
    double miss = fabs(value - target);
    return miss > largest || isnan(miss) ? miss : largest;
}

double afxi_rows_residual(const AfxiRows *rows) {
    forget_state(rows);
    double largest = rows->closed_form ? rows->closed_form_gap : 0, own = afxi_groups_residual(rows);
    largest = own > largest || isnan(own) ? own : largest;
    for (uint32_t k = rows->groups.own_count; k < rows->groups.general_count; k++) {
        const AfxiRowGroup *group = &rows->groups.group[k];
        for (uint32_t l = 0; afxi_group_exact(group) && l < group->lanes; l++) {
            largest = larger_miss(rows, group->row[l], rows->result[group->row[l]], largest);
        }
    }
    for (uint32_t k = 0; k < rows->groups.odd_count; k++) {
        uint32_t row = rows->groups.odd[k];
        rows->result[row] = measure(rows, row, AFXI_AT_RESULT);
        largest = larger_miss(rows, row, rows->result[row], largest);
    }
    for (uint32_t k = 0; k < rows->groups.single_count; k++) { /* one row each */
        const AfxiGraphBlock *block = &rows->graph->block[rows->groups.single[k]];
        double value;
        if (rows->active[block->first_row]) {
            value = afxi_carried_result(rows, block, &value) ? value : measure(rows, block->first_row, AFXI_AT_RESULT);
            rows->result[block->first_row] = value;
            largest = larger_miss(rows, block->first_row, value, largest);
        }
    }
    return largest;
}

void afxi_rows_misses(const AfxiRows *rows, double *out) {
    const AfxiGraph *graph = rows->graph;
    memset(out, 0, graph->row_count * sizeof *out);
    afxi_groups_values(rows);
    for (uint32_t b = 0; b < graph->joint_blocks; b++) {
        const AfxiGraphBlock *block = &graph->block[b];
        double target;
        for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
            bool own = !(rows->closed_form && block->closed_form) && rows->active[row];
            out[row] = own && afxi_row_exact(rows, row, &target) ? rows->result[row] - target : 0;
        }
    }
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

/* Adds what a row does to the share of an entry; a lever arm that bounds the second order is that of the gradient. */
static void add_share(const AfxiRows *rows, uint32_t row, uint32_t entry, double lambda) {
    uint32_t first = afxi_row_block(rows, row)->first_row;
    const double *g = rows->jacobian + rows->graph->entry[entry].jacobian + (size_t)AFXI_AFFINE_WIDTH * (row - first);
    double *share = rows->groups.share + (size_t)AFXI_SHARE * entry, square = 0;
    for (int i = 0; i < 9; i++) {
        square += g[i] * g[i];
    }
    share[0] += fabs(lambda) * 2 * sqrt(square);
    add_stiffness(share + 1, lambda, g);
}

/* Shares of rows that go one by one: of couplings and springs, one row each, and of drives on angles of balls, which
 * add to those of their joints. */
static void add_singles(const AfxiRows *rows, const double *lambda) {
    const AfxiGraph *graph = rows->graph;
    for (uint32_t k = 0; k < rows->groups.single_count; k++) {
        const AfxiGraphBlock *block = &graph->block[rows->groups.single[k]];
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            memset(rows->groups.share + (size_t)AFXI_SHARE * e, 0, AFXI_SHARE * sizeof(double));
            if (!afxi_carried_rotor(rows, block, e)) {
                add_share(rows, block->first_row, e, lambda[block->first_row]);
            }
        }
    }
    for (uint32_t k = 0; k < rows->groups.odd_count; k++) {
        uint32_t row = rows->groups.odd[k];
        const AfxiGraphBlock *block = afxi_row_block(rows, row);
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            add_share(rows, row, e, lambda[row]);
        }
    }
}

void afxi_rows_stiffness(AfxiRows *rows, const double *lambda, double *out_bound, double *out_exact) {
    const AfxiGraph *graph = rows->graph;
    const AfxiClosedForm *closed_form = &graph->closed_form;
    afxi_groups_stiffness(rows, lambda, out_exact != NULL);
    add_singles(rows, lambda);
    rows->groups.kernel->sum(rows, rows->closed_form ? closed_form->general_body : NULL,
                             rows->closed_form ? closed_form->general_body_count : graph->body_count, out_bound,
                             out_exact);
}

bool afxi_joints_consistent(const AfxiRows *rows) {
    return afxi_groups_consistent(rows);
}
