/* SPDX-License-Identifier: Apache-2.0 */
/* Joint coordinates from the rows that measure them. */
#include "joint/axis.h"

#include <math.h>
#include <string.h>

#include "math/vec3.h"

static AfxiRowSpec sine_row(AfxiAxisSpec axis) {
    return (AfxiRowSpec){AFXI_ROW_DIRECTION, axis.p, axis.q, axis.sign, 0};
}

static AfxiRowSpec cosine_row(AfxiAxisSpec axis) {
    return (AfxiRowSpec){AFXI_ROW_DIRECTION, axis.r, axis.s, 1, 0};
}

static AfxiRowSpec slide_row(AfxiAxisSpec axis) {
    return (AfxiRowSpec){AFXI_ROW_OFFSET, 0, axis.axis, 1, 0};
}

double afxi_axis_value(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state) {
    if (axis.type == AFXI_AXIS_TRANSLATION) {
        return afxi_row_value(slide_row(axis), frame, 0, state);
    }
    if (axis.type == AFXI_AXIS_TILT) {
        return asin(fmax(-1, fmin(1, afxi_row_value(sine_row(axis), frame, 0, state))));
    }
    return atan2(afxi_row_value(sine_row(axis), frame, 0, state), afxi_row_value(cosine_row(axis), frame, 0, state));
}

void afxi_axis_gradient(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state,
                        AfxiRowGradient *out_a, AfxiRowGradient *out_b) {
    if (axis.type == AFXI_AXIS_TRANSLATION) {
        afxi_row_gradient(slide_row(axis), frame, 0, state, out_a, out_b);
        return;
    }
    AfxiRowGradient cosine_a, cosine_b;
    double f = afxi_row_value(sine_row(axis), frame, 0, state), g = afxi_row_value(cosine_row(axis), frame, 0, state);
    double square = f * f + g * g;
    if (axis.type == AFXI_AXIS_TILT) {
        double cosine = sqrt(fmax(1e-24, 1 - f * f));
        afxi_row_gradient(sine_row(axis), frame, 0, state, out_a, out_b);
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            out_a->g[k] /= cosine;
            out_b->g[k] /= cosine;
        }
        return;
    }
    double scale = square > 1e-300 ? 1 / square : 0;
    afxi_row_gradient(sine_row(axis), frame, 0, state, out_a, out_b);
    afxi_row_gradient(cosine_row(axis), frame, 0, state, &cosine_a, &cosine_b);
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        out_a->g[k] = scale * (g * out_a->g[k] - f * cosine_a.g[k]);
        out_b->g[k] = scale * (g * out_b->g[k] - f * cosine_b.g[k]);
    }
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
