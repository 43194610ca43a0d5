/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of joints are at most quadratic in q, so that their gradient at the mean place is the discrete one; alignments,
 * whose directions turn with a rigid base, are the bilinear rows of two directions. A coordinate that is a function of
 * such rows has the discrete gradient of that function:
 *     angle     atan2(f, g):  (g dF - f dG)/m² at the means, times (turn m²)/(f_1 g_0 - f_0 g_1)
 *     tilt      asin(f):      dF times the difference quotient
 *     length    |d|:          2 d_mean/(|d_0| + |d_1|) */
#include "conserve/measure.h"

#include <math.h>
#include <string.h>

#include "constraint/tuning.h"
#include "joint/axis.h"

static const double world_place[AFXI_AFFINE_WIDTH] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};

static const double *at(const double *place, uint32_t body) {
    return body == AFXI_WORLD ? world_place : place + (size_t)AFXI_AFFINE_WIDTH * body;
}

/* Two bodies and the points and axes that a row measures between them. */
typedef struct Pair {
    uint32_t a, b; /* follower, base */
    const AfxiJointFrame *frame;
    double length;
    AfxiPairState begin, mean, end;
} Pair;

static void put_state(AfxiPairState *state, const double *a, const double *b) {
    memset(state, 0, sizeof *state);
    state->a_a = mat3_load(a);
    state->a_b = mat3_load(b);
    state->t_a = vec3_load(a + 9);
    state->t_b = vec3_load(b + 9);
    state->r_a = state->r_b = mat3_identity(); /* gradients in world axes */
}

static void put_mean(const double *p, const double *q, double *out) {
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        out[k] = 0.5 * (p[k] + q[k]);
    }
}

static void put_places(Pair *pair, const double *begin, const double *end) {
    double a[AFXI_AFFINE_WIDTH], b[AFXI_AFFINE_WIDTH];
    put_state(&pair->begin, at(begin, pair->a), at(begin, pair->b));
    put_state(&pair->end, at(end, pair->a), at(end, pair->b));
    put_mean(at(begin, pair->a), at(end, pair->a), a);
    put_mean(at(begin, pair->b), at(end, pair->b), b);
    put_state(&pair->mean, a, b);
}

static Pair pair_of(const AfxiConserve *work, uint32_t joint, const double *begin, const double *end) {
    const AfxiJoint *source = &work->model->joints[joint];
    Pair pair = {.a = source->follower, .b = source->base, .frame = afxi_world_joint_frame(work->world, joint)};
    pair.length = *afxi_world_param(work->world, AFX_PARAM_JOINT_LENGTH, joint);
    put_places(&pair, begin, end);
    return pair;
}

static AfxiRowSpec rigid_spec(AfxiRowSpec spec) {
    spec.type = spec.type == AFXI_ROW_ALIGN ? AFXI_ROW_DIRECTION : spec.type;
    return spec;
}

/* ---- gradients ---- */

static double *side_of(AfxiConserveMeasure *out, uint32_t body) {
    for (uint32_t k = 0; k < out->count; k++) {
        if (out->body[k] == body) {
            return out->gradient[k];
        }
    }
    out->body[out->count] = body;
    memset(out->gradient[out->count], 0, sizeof out->gradient[0]);
    return out->gradient[out->count++];
}

/* A gradient on (A, t) is one on (dt, c): dA = [c] A. */
static void add_side(AfxiConserveMeasure *out, uint32_t body, double factor, const AfxiMat3 *a, const double *g) {
    if (body == AFXI_WORLD) {
        return;
    }
    double *to = side_of(out, body);
    AfxVec3 turn = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        turn = vec3_add(turn, vec3_cross(mat3_column(a, k), vec3_load(g + 3 * k)));
    }
    vec3_store(to, vec3_mad(vec3_load(to), factor, vec3_load(g + 9)));
    vec3_store(to + 3, vec3_mad(vec3_load(to + 3), factor, turn));
}

static void add_gradient(AfxiConserveMeasure *out, const Pair *pair, AfxiRowSpec spec, double factor) {
    AfxiRowGradient a, b;
    afxi_row_gradient(spec, pair->frame, pair->length, &pair->mean, &a, &b);
    add_side(out, pair->a, factor, &pair->mean.a_a, a.g);
    add_side(out, pair->b, factor, &pair->mean.a_b, b.g);
}

static void add_spec(AfxiConserveMeasure *out, const Pair *pair, AfxiRowSpec spec, double factor) {
    out->begin += factor * afxi_row_value(spec, pair->frame, pair->length, &pair->begin);
    out->end += factor * afxi_row_value(spec, pair->frame, pair->length, &pair->end);
    add_gradient(out, pair, spec, factor);
}

/* ---- joint coordinates ---- */

static AfxiRowSpec sine_of(AfxiAxisSpec axis) {
    return (AfxiRowSpec){AFXI_ROW_DIRECTION, axis.p, axis.q, axis.sign, 0};
}

static AfxiRowSpec cosine_of(AfxiAxisSpec axis) {
    return (AfxiRowSpec){AFXI_ROW_DIRECTION, axis.r, axis.s, 1, 0};
}

static void add_tilt(AfxiConserveMeasure *out, const Pair *pair, AfxiAxisSpec axis, double factor) {
    double begin = afxi_axis_value(axis, pair->frame, &pair->begin);
    double end = afxi_axis_value(axis, pair->frame, &pair->end);
    double half = 0.5 * (end - begin), slope = cos(0.5 * (begin + end)); /* sin b - sin a = 2 slope sin(half) */
    double stretch = fabs(half) > 1e-4 ? half / sin(half) : 1 + half * half / 6;
    out->begin += factor * begin;
    out->end += factor * end;
    add_gradient(out, pair, sine_of(axis), factor * stretch / fmax(1e-12, slope));
}

/* near: the angle at the last step's end, turns counted */
static void add_turn(AfxiConserveMeasure *out, const Pair *pair, AfxiAxisSpec axis, double factor, const double *near) {
    AfxiRowSpec sine = sine_of(axis), cosine = cosine_of(axis);
    double f0 = afxi_row_value(sine, pair->frame, 0, &pair->begin);
    double f1 = afxi_row_value(sine, pair->frame, 0, &pair->end);
    double g0 = afxi_row_value(cosine, pair->frame, 0, &pair->begin);
    double g1 = afxi_row_value(cosine, pair->frame, 0, &pair->end);
    double cross = f1 * g0 - f0 * g1, dot = f0 * f1 + g0 * g1, turn = atan2(cross, dot);
    double begin = near ? afxi_angle_near(atan2(f0, g0), *near) : atan2(f0, g0);
    double ratio = cross / dot; /* turn / cross, where both are small */
    double slope = fabs(ratio) > 1e-4 ? turn / cross : (1 - ratio * ratio / 3) / dot;
    out->begin += factor * begin;
    out->end += factor * (begin + turn);
    add_gradient(out, pair, sine, factor * slope * 0.5 * (g0 + g1));
    add_gradient(out, pair, cosine, -factor * slope * 0.5 * (f0 + f1));
}

static void add_coordinate(const AfxiConserve *work, AfxiConserveMeasure *out, uint32_t joint, uint32_t axis,
                           double factor, const double *begin, const double *end) {
    const AfxiJoint *source = &work->model->joints[joint];
    AfxiAxisSpec spec = afxi_joint_kind((AfxJointKind)source->kind)->axes[axis];
    Pair pair = pair_of(work, joint, begin, end);
    if (spec.type == AFXI_AXIS_TRANSLATION) {
        add_spec(out, &pair, (AfxiRowSpec){AFXI_ROW_OFFSET, 0, spec.axis, 1, 0}, factor);
    } else if (spec.type == AFXI_AXIS_TILT) {
        add_tilt(out, &pair, spec, factor);
    } else {
        const double *near = source->counted ? &work->world->state.angle[source->angle + axis] : NULL;
        add_turn(out, &pair, spec, factor, near);
    }
}

static AfxVec3 gap_of(const AfxiSpring *spring, const AfxiPairState *state) {
    return vec3_sub(vec3_add(mat3_apply(&state->a_a, spring->point_a), state->t_a),
                    vec3_add(mat3_apply(&state->a_b, spring->point_b), state->t_b));
}

static void add_length(const AfxiConserve *work, AfxiConserveMeasure *out, uint32_t index, const double *begin,
                       const double *end) {
    const AfxiSpring *spring = &work->model->springs[index];
    AfxiJointFrame frame = {spring->point_a, spring->point_b, mat3_identity(), mat3_identity()};
    Pair pair = {.a = spring->body_a, .b = spring->body_b, .frame = &frame};
    put_places(&pair, begin, end);
    out->begin = vec3_length(gap_of(spring, &pair.begin));
    out->end = vec3_length(gap_of(spring, &pair.end));
    pair.length = 0.5 * (out->begin + out->end);
    if (pair.length > 0) { /* the gradient of |d|² / 2 length */
        add_gradient(out, &pair, (AfxiRowSpec){AFXI_ROW_DISTANCE, 0, 0, 1, 0}, 1);
    }
}

void afxi_conserve_measure(const AfxiConserve *work, uint32_t row, const double *begin, const double *end,
                           AfxiConserveMeasure *out) {
    const AfxiConserveRow *source = &work->rows[row];
    out->begin = out->end = 0;
    out->count = 0;
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_JOINT: {
        Pair pair = pair_of(work, source->joint, begin, end);
        AfxiRowSpec spec = afxi_joint_kind((AfxJointKind)work->model->joints[source->joint].kind)->rows[source->index];
        add_spec(out, &pair, rigid_spec(spec), 1);
        break;
    }
    case AFXI_SOURCE_SCREW:
        add_coordinate(work, out, source->joint, 0, 1, begin, end);
        add_coordinate(work, out, source->joint, 1,
                       -*afxi_world_param(work->world, AFX_PARAM_JOINT_PITCH, source->joint), begin, end);
        break;
    case AFXI_SOURCE_DRIVE:
        add_coordinate(work, out, source->joint, work->model->drives[source->index].axis, 1, begin, end);
        break;
    case AFXI_SOURCE_COUPLING: {
        const AfxiCoupling *coupling = &work->model->couplings[source->index];
        const double *numbers = afxi_world_param(work->world, AFX_PARAM_COUPLING, source->index);
        for (uint32_t k = 0; k < coupling->term_count; k++) {
            add_coordinate(work, out, coupling->joint[k], coupling->axis[k], numbers[k], begin, end);
        }
        out->begin -= numbers[AFX_COUPLING_TERMS];
        out->end -= numbers[AFX_COUPLING_TERMS];
        break;
    }
    case AFXI_SOURCE_SPRING:
        add_length(work, out, source->index, begin, end);
        break;
    case AFXI_SOURCE_ROTATIONAL_SPRING: { /* the turn of the follower less that of the base about a world axis */
        const AfxiJoint *joint = &work->model->joints[source->joint];
        if (joint->follower != AFXI_WORLD) {
            side_of(out, joint->follower)[3 + source->index] += 1;
        }
        if (joint->base != AFXI_WORLD) {
            side_of(out, joint->base)[3 + source->index] -= 1;
        }
        break;
    }
    case AFXI_SOURCE_CONTACT:
        break;
    }
}

/* ---- second time derivatives ---- */

static const double *moving(const double *rates, uint32_t body) {
    static const double still[AFXI_AFFINE_WIDTH];
    return body == AFXI_WORLD ? still : rates + (size_t)AFXI_AFFINE_WIDTH * body;
}

static double dot12(const double *g, const double *x) {
    double sum = 0;
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        sum += g[k] * x[k];
    }
    return sum;
}

/* Value, rate and second derivative of a quadratic row. */
static void spec_rates(const Pair *pair, AfxiRowSpec spec, const double *rate, const double *acceleration,
                       double out[3]) {
    const double *rate_a = moving(rate, pair->a), *rate_b = moving(rate, pair->b);
    AfxiRowGradient a, b;
    afxi_row_gradient(spec, pair->frame, pair->length, &pair->end, &a, &b);
    out[0] = afxi_row_value(spec, pair->frame, pair->length, &pair->end);
    out[1] = dot12(a.g, rate_a) + dot12(b.g, rate_b);
    out[2] = dot12(a.g, moving(acceleration, pair->a)) + dot12(b.g, moving(acceleration, pair->b)) +
             afxi_row_velocity_term(spec, pair->frame, pair->length, &pair->end, rate_a, rate_b);
}

static double coordinate_second(const AfxiConserve *work, uint32_t joint, uint32_t axis, const double *place,
                                const double *rate, const double *acceleration) {
    AfxiAxisSpec spec = afxi_joint_kind((AfxJointKind)work->model->joints[joint].kind)->axes[axis];
    Pair pair = pair_of(work, joint, place, place);
    double f[3], g[3];
    if (spec.type == AFXI_AXIS_TRANSLATION) {
        spec_rates(&pair, (AfxiRowSpec){AFXI_ROW_OFFSET, 0, spec.axis, 1, 0}, rate, acceleration, f);
        return f[2];
    }
    spec_rates(&pair, sine_of(spec), rate, acceleration, f);
    if (spec.type == AFXI_AXIS_TILT) {
        double cosine = sqrt(fmax(1e-24, 1 - f[0] * f[0]));
        return f[2] / cosine + f[0] * f[1] * f[1] / (cosine * cosine * cosine);
    }
    spec_rates(&pair, cosine_of(spec), rate, acceleration, g);
    double square = f[0] * f[0] + g[0] * g[0];
    return (g[0] * f[2] - f[0] * g[2]) / square -
           2 * (f[0] * f[1] + g[0] * g[1]) * (g[0] * f[1] - f[0] * g[1]) / (square * square);
}

double afxi_conserve_second(const AfxiConserve *work, uint32_t row, const double *place, const double *rate,
                            const double *acceleration) {
    const AfxiConserveRow *source = &work->rows[row];
    double sum = 0, out[3];
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_JOINT: {
        Pair pair = pair_of(work, source->joint, place, place);
        AfxiRowSpec spec = afxi_joint_kind((AfxJointKind)work->model->joints[source->joint].kind)->rows[source->index];
        spec_rates(&pair, rigid_spec(spec), rate, acceleration, out);
        return out[2];
    }
    case AFXI_SOURCE_SCREW:
        return coordinate_second(work, source->joint, 0, place, rate, acceleration) -
               *afxi_world_param(work->world, AFX_PARAM_JOINT_PITCH, source->joint) *
                   coordinate_second(work, source->joint, 1, place, rate, acceleration);
    case AFXI_SOURCE_DRIVE:
        return coordinate_second(work, source->joint, work->model->drives[source->index].axis, place, rate,
                                 acceleration);
    case AFXI_SOURCE_COUPLING: {
        const AfxiCoupling *coupling = &work->model->couplings[source->index];
        const double *numbers = afxi_world_param(work->world, AFX_PARAM_COUPLING, source->index);
        for (uint32_t k = 0; k < coupling->term_count; k++) {
            sum +=
                numbers[k] * coordinate_second(work, coupling->joint[k], coupling->axis[k], place, rate, acceleration);
        }
        return sum;
    }
    default:
        return 0; /* compliant: its force is known */
    }
}

bool afxi_conserve_consistent(const AfxiConserve *work, const AfxiConserveComponent *component, const double *place) {
    for (uint32_t b = component->first_block; b < component->first_block + component->block_count; b++) {
        const AfxiConserveRow *source = &work->rows[work->blocks[b].first_row];
        bool joint = source->source == AFXI_SOURCE_JOINT && work->world->state.joint_active[source->joint];
        if (!joint) {
            continue;
        }
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)work->model->joints[source->joint].kind);
        Pair pair = pair_of(work, source->joint, place, place);
        for (uint32_t c = 0; c < kind->consistency_count; c++) {
            AfxiRowSpec row = {AFXI_ROW_DIRECTION, kind->consistency[c].i, kind->consistency[c].j, 1, 0};
            if (!(afxi_row_value(row, pair.frame, 1, &pair.end) > AFXI_CONSISTENT_COSINE)) {
                return false;
            }
        }
    }
    return true;
}
