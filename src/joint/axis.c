/* SPDX-License-Identifier: Apache-2.0 */
/* Joint coordinates from the rows that measure them. */
#include "joint/axis.h"

#include <math.h>
#include <string.h>

#include "joint/swing.h"
#include "joint/tuning.h"
#include "math/vec3.h"

static AfxiRowSpec sine_row(AfxiAxisSpec axis) {
    return (AfxiRowSpec){AFXI_ROW_DIRECTION, axis.p, axis.q, axis.sign, 0};
}

static AfxiRowSpec slide_row(AfxiAxisSpec axis) {
    return (AfxiRowSpec){AFXI_ROW_OFFSET, 0, axis.axis, 1, 0};
}

/* The axes that an angle is read from, where they are, and what is read. */
typedef struct Turn {
    AfxVec3 up, ur, vq, vs;
    double f, g;
} Turn;

static Turn turn_of(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state) {
    Turn turn;
    turn.up = mat3_apply(&state->a_a, mat3_column(&frame->axes_a, axis.p));
    turn.ur = axis.r == axis.p ? turn.up : mat3_apply(&state->a_a, mat3_column(&frame->axes_a, axis.r));
    turn.vq = mat3_apply(&state->a_b, mat3_column(&frame->axes_b, axis.q));
    turn.vs = axis.s == axis.q ? turn.vq : mat3_apply(&state->a_b, mat3_column(&frame->axes_b, axis.s));
    turn.f = axis.sign * vec3_dot(turn.up, turn.vq);
    turn.g = vec3_dot(turn.ur, turn.vs);
    return turn;
}

/* What the middle Cardan angle is read from: the follower's axis u along v of the base, and along n, which lies across
 * v where u points to. With n it is a rotation like others, whose slope is 1 at a right angle too; the sine alone has
 * none there, and a strain of e would be an angle of sqrt(2 e). */
typedef struct Tilt {
    AfxVec3 u, v, n, local_n;
    double f, g;
} Tilt;

static Tilt tilt_of(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state) {
    Tilt tilt;
    AfxVec3 across[2] = {mat3_column(&frame->axes_b, (axis.q + 1) % 3), mat3_column(&frame->axes_b, (axis.q + 2) % 3)};
    tilt.u = mat3_apply(&state->a_a, mat3_column(&frame->axes_a, axis.p));
    tilt.v = mat3_apply(&state->a_b, mat3_column(&frame->axes_b, axis.q));
    double y = vec3_dot(tilt.u, mat3_apply(&state->a_b, across[0]));
    double z = vec3_dot(tilt.u, mat3_apply(&state->a_b, across[1])), length = sqrt(y * y + z * z);
    double per = length > 1e-150 ? axis.fold / length : 0; /* at the right angle itself any n is as good */
    tilt.local_n = per != 0 ? vec3_mad(vec3_scale(per * y, across[0]), per * z, across[1]) : across[1];
    tilt.n = mat3_apply(&state->a_b, tilt.local_n);
    tilt.f = axis.sign * vec3_dot(tilt.u, tilt.v);
    tilt.g = axis.fold * length;
    return tilt;
}

/* ---- which axes there are ---- */

/* Three free rotations come last, the tilt between the two others. */
static bool is_ball(const AfxiJointKind *kind) {
    return kind->axis_count >= 3 && kind->axes[kind->axis_count - 2].type == AFXI_AXIS_TILT;
}

AfxiAxisSpec afxi_axis_of(const AfxiJointKind *kind, uint32_t axis) {
    static const uint8_t further[3] = {AFXI_AXIS_SWING, AFXI_AXIS_TWIST, AFXI_AXIS_ANGLE};
    return axis < AFX_AXIS_SWING ? kind->axes[axis]
                                 : (AfxiAxisSpec){.type = further[axis - AFX_AXIS_SWING], .sign = 1, .fold = 1};
}

bool afxi_axis_exists(const AfxiJointKind *kind, uint32_t axis) {
    return axis < kind->axis_count || (is_ball(kind) && axis >= AFX_AXIS_SWING && axis <= AFX_AXIS_ANGLE);
}

uint32_t afxi_axis_place(const AfxiJointKind *kind, uint32_t axis) {
    return axis < kind->axis_count ? axis : axis == AFX_AXIS_TWIST ? kind->axis_count : UINT32_MAX;
}

uint32_t afxi_axis_places(const AfxiJointKind *kind) {
    return kind->axis_count + is_ball(kind);
}

/* ---- Cardan angles ---- */

static double square_near(double angle, double last) {
    double off = afxi_angle_near(angle, last) - last;
    return off * off;
}

/* Which of the two sets of angles goes on from `last` [3]. Away from a right angle the middle one decides, whose
 * cosine keeps its sign; near it, the set that is nearer. */
static int8_t fold_of(const AfxiAxisSpec *axes, const AfxiJointFrame *frame, const AfxiPairState *state,
                      const double *last) {
    double sine = afxi_row_value(sine_row(axes[1]), frame, 0, state), cosine = cos(last[1]);
    int8_t before = cosine < 0 ? -1 : 1;
    if (1 - sine * sine >= AFXI_CARDAN_FAR * AFXI_CARDAN_FAR || fabs(cosine) >= AFXI_CARDAN_FAR) {
        return before;
    }
    double straight = 0, folded = 0;
    for (int k = 0; k < 3; k++) {
        double angle = afxi_axis_value(axes[k], frame, state);
        straight += square_near(angle, last[k]);
        folded += square_near(k == 1 ? (AFXI_TWO_PI / 2) - angle : (AFXI_TWO_PI / 2) + angle, last[k]);
    }
    return folded < straight ? -1 : straight < folded ? 1 : before;
}

AfxiAxisSpec afxi_axis_after(const AfxiJointKind *kind, uint32_t axis, const AfxiJointFrame *frame,
                             const AfxiPairState *state, const double *last) {
    AfxiAxisSpec spec = afxi_axis_of(kind, axis);
    if (spec.type == AFXI_AXIS_CARDAN || spec.type == AFXI_AXIS_TILT) {
        uint32_t first = kind->axis_count - 3u;
        spec.fold = fold_of(kind->axes + first, frame, state, last + first);
    }
    return spec;
}

/* ---- values ---- */

double afxi_axis_value(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state) {
    switch ((AfxiAxisType)axis.type) {
    case AFXI_AXIS_TRANSLATION:
        return afxi_row_value(slide_row(axis), frame, 0, state);
    case AFXI_AXIS_TILT: {
        Tilt tilt = tilt_of(axis, frame, state);
        return atan2(tilt.f, tilt.g);
    }
    case AFXI_AXIS_ROTATION:
    case AFXI_AXIS_CARDAN: {
        Turn turn = turn_of(axis, frame, state);
        return axis.fold < 0 ? atan2(-turn.f, -turn.g) : atan2(turn.f, turn.g);
    }
    default:
        return afxi_swing_value((AfxiAxisType)axis.type, frame, state);
    }
}

double afxi_axis_counted(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state, double last) {
    double value = afxi_axis_value(axis, frame, state);
    bool counted = axis.type == AFXI_AXIS_ROTATION || axis.type == AFXI_AXIS_CARDAN || axis.type == AFXI_AXIS_TILT ||
                   axis.type == AFXI_AXIS_TWIST;
    return counted ? afxi_angle_near(value, last) : value;
}

double afxi_axis_off(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state, double target,
                     double last) {
    if (axis.type != AFXI_AXIS_CARDAN) {
        return afxi_axis_counted(axis, frame, state, last) - target;
    }
    Turn turn = turn_of(axis, frame, state);
    double f = turn.f, g = turn.g;
    return axis.fold * (f * cos(target) - g * sin(target)) / fmax(AFXI_CARDAN_LEAST, sqrt(f * f + g * g));
}

double afxi_axis_regular(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state) {
    if (axis.type == AFXI_AXIS_CARDAN) {
        Turn turn = turn_of(axis, frame, state);
        return sqrt(turn.f * turn.f + turn.g * turn.g);
    }
    return axis.type >= AFXI_AXIS_SWING ? afxi_swing_regular((AfxiAxisType)axis.type, frame, state) : 1;
}

/* ---- gradients ---- */

/* n x^T + m y^T on A, turned into the frame r; t has no part. */
static void put_turns(const AfxiMat3 *r, AfxVec3 n, AfxVec3 x, AfxVec3 m, AfxVec3 y, AfxiRowGradient *out) {
    AfxVec3 first = mat3_apply_transposed(r, n), second = mat3_apply_transposed(r, m);
    const double weight[2][3] = {{x.x, x.y, x.z}, {y.x, y.y, y.z}};
    for (int k = 0; k < 3; k++) {
        vec3_store(out->g + 3 * k, vec3_mad(vec3_scale(weight[0][k], first), weight[1][k], second));
    }
    vec3_store(out->g + 9, vec3(0, 0, 0));
}

/* The gradient of along_f f + along_g g. */
static void combine(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state, const Turn *turn,
                    double along_f, double along_g, AfxiRowGradient *out_a, AfxiRowGradient *out_b) {
    along_f *= axis.sign;
    put_turns(&state->r_a, vec3_scale(along_f, turn->vq), mat3_column(&frame->axes_a, axis.p),
              vec3_scale(along_g, turn->vs), mat3_column(&frame->axes_a, axis.r), out_a);
    put_turns(&state->r_b, vec3_scale(along_f, turn->up), mat3_column(&frame->axes_b, axis.q),
              vec3_scale(along_g, turn->ur), mat3_column(&frame->axes_b, axis.s), out_b);
}

static void tilt_gradient(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state,
                          AfxiRowGradient *out_a, AfxiRowGradient *out_b) {
    Tilt tilt = tilt_of(axis, frame, state);
    double square = tilt.f * tilt.f + tilt.g * tilt.g, scale = square > 1e-300 ? 1 / square : 0;
    double along_f = scale * tilt.g, along_g = -scale * tilt.f;
    AfxVec3 u = mat3_column(&frame->axes_a, axis.p), v = mat3_column(&frame->axes_b, axis.q);
    put_turns(&state->r_a, vec3_scale(along_f, tilt.v), u, vec3_scale(along_g, tilt.n), u, out_a);
    put_turns(&state->r_b, vec3_scale(along_f, tilt.u), v, vec3_scale(along_g, tilt.u), tilt.local_n, out_b);
}

void afxi_axis_gradient(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state,
                        AfxiRowGradient *out_a, AfxiRowGradient *out_b) {
    if (axis.type == AFXI_AXIS_TRANSLATION) {
        afxi_row_gradient(slide_row(axis), frame, 0, state, out_a, out_b);
        return;
    }
    if (axis.type == AFXI_AXIS_TILT) {
        tilt_gradient(axis, frame, state, out_a, out_b);
        return;
    }
    if (axis.type >= AFXI_AXIS_SWING) {
        afxi_swing_gradient((AfxiAxisType)axis.type, frame, state, out_a, out_b);
        return;
    }
    Turn turn = turn_of(axis, frame, state);
    double square = turn.f * turn.f + turn.g * turn.g, scale = square > 1e-300 ? 1 / square : 0;
    if (axis.type == AFXI_AXIS_CARDAN && square < AFXI_CARDAN_LEAST * AFXI_CARDAN_LEAST) {
        scale = square > 1e-300 ? 1 / (AFXI_CARDAN_LEAST * sqrt(square)) : 0;
    }
    combine(axis, frame, state, &turn, scale * turn.g, -scale * turn.f, out_a, out_b);
}

void afxi_axis_off_gradient(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state, double target,
                            AfxiRowGradient *out_a, AfxiRowGradient *out_b) {
    if (axis.type != AFXI_AXIS_CARDAN) {
        afxi_axis_gradient(axis, frame, state, out_a, out_b);
        return;
    }
    Turn turn = turn_of(axis, frame, state);
    double scale = axis.fold / fmax(AFXI_CARDAN_LEAST, sqrt(turn.f * turn.f + turn.g * turn.g));
    combine(axis, frame, state, &turn, scale * cos(target), -scale * sin(target), out_a, out_b);
}

/* g . rate, with g turned into the frame r and the rate in world axes. */
static double along(const AfxiRowGradient *gradient, const AfxiMat3 *r, const double *rate) {
    double sum = vec3_dot(vec3_load(gradient->g + 9), vec3_load(rate + 9));
    for (int k = 0; k < 3; k++) {
        sum += vec3_dot(vec3_load(gradient->g + 3 * k), mat3_apply_transposed(r, vec3_load(rate + 3 * k)));
    }
    return sum;
}

double afxi_axis_rate(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state, const double *rate_a,
                      const double *rate_b) {
    AfxiRowGradient a, b;
    afxi_axis_gradient(axis, frame, state, &a, &b);
    return along(&a, &state->r_a, rate_a) + along(&b, &state->r_b, rate_b);
}

double afxi_angle_near(double raw, double near) {
    return raw + AFXI_TWO_PI * round((near - raw) / AFXI_TWO_PI);
}
