/* SPDX-License-Identifier: Apache-2.0 */
/* Random pairs of bodies, and small changes of them. */
#include "pair.h"

AfxiJointFrame random_frame(uint64_t *seed) {
    AfxiJointFrame frame;
    frame.point_a = random_vec3(seed, 1);
    frame.point_b = random_vec3(seed, 1);
    frame.axes_a = mat3_from_quat(random_quat(seed));
    frame.axes_b = mat3_from_quat(random_quat(seed));
    return frame;
}

AfxiPairState random_state(uint64_t *seed) {
    AfxiPairState state = {.t_a = {0, 0, 0}};
    state.r_a = state.a_a = mat3_from_quat(random_quat(seed));
    state.r_b = state.a_b = mat3_from_quat(random_quat(seed));
    state.t_a = random_vec3(seed, 1);
    state.t_b = random_vec3(seed, 1);
    return state;
}

AfxiPairState moved(const AfxiPairState *state, int body, const double by[12], double s) {
    AfxiPairState to = *state;
    AfxiMat3 *a = body == 0 ? &to.a_a : &to.a_b;
    AfxVec3 *t = body == 0 ? &to.t_a : &to.t_b;
    for (int k = 0; k < 9; k++) {
        a->m[k] += s * by[k];
    }
    *t = v3_add(*t, v3(s * by[9], s * by[10], s * by[11]));
    return to;
}

double along(const AfxiRowGradient *gradient, const AfxiMat3 *r, const double by[12]) {
    double sum = 0;
    for (int column = 0; column < 3; column++) {
        for (int k = 0; k < 3; k++) {
            double turned = 0;
            for (int row = 0; row < 3; row++) {
                turned += r->m[3 * k + row] * by[3 * column + row];
            }
            sum += gradient->g[3 * column + k] * turned;
        }
    }
    for (int k = 9; k < 12; k++) {
        sum += gradient->g[k] * by[k];
    }
    return sum;
}

void random_direction(double by[12], uint64_t *seed) {
    for (int k = 0; k < 12; k++) {
        by[k] = 2 * random_unit(seed) - 1;
    }
}

AfxiPairState holding_state(AfxJointKind kind, const AfxiJointFrame *f, double length, AfxPose *out_motion,
                            uint64_t *seed) {
    AfxiPairState state = random_state(seed);
    *out_motion = kind_random_motion(kind, length, 1.2, seed);
    AfxiMat3 turn = mat3_from_quat(out_motion->rotation), back = mat3_transpose(&f->axes_a);
    AfxiMat3 base = mat3_multiply(&state.a_b, &f->axes_b), axes = mat3_multiply(&base, &turn);
    state.r_a = state.a_a = mat3_multiply(&axes, &back);
    AfxVec3 point = v3_add(mat3_apply(&state.a_b, f->point_b), state.t_b);
    point = v3_add(point, mat3_apply(&base, out_motion->position));
    state.t_a = v3_sub(point, mat3_apply(&state.a_a, f->point_a));
    return state;
}
