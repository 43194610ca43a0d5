/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and bodies one at a time, by stored gradients: H^-1 of a body, its root, what rows do to it. */
#include "dual/apply.h"

#include <math.h>

#include "math/vec3.h"

double afxi_dual_compliance(const AfxiSystem *system, const AfxiGraphBlock *block, uint32_t r, const double *lambda) {
    double sum = system->compliance[block->first_row + r] * lambda[r];
    if (r >= block->plain && r < block->leading) {
        const double *cross = system->rotational_spring +
                              (size_t)AFXI_ROTATIONAL_SPRING_RESULT * block->rotational_spring +
                              AFXI_ROTATIONAL_SPRING_COMPLIANCE + 3;
        uint32_t axis = r - block->plain, next = (axis + 1) % 3, after = (axis + 2) % 3;
        sum += cross[axis + next - 1] * lambda[block->plain + next] +
               cross[axis + after - 1] * lambda[block->plain + after];
    }
    return sum;
}

/* L with L L^T = [[a, o], [o, b]], which may be semidefinite. */
static void root2(double a, double b, double o, double out[3]) {
    out[0] = a > 0 ? sqrt(a) : 0;
    out[1] = out[0] > 0 ? o / out[0] : 0;
    double rest = b - out[1] * out[1];
    out[2] = rest > 0 ? sqrt(rest) : 0;
}

void afxi_dual_root_apply(const AfxiBlocks *x, const double g[AFXI_AFFINE_WIDTH], double out[AFXI_AFFINE_WIDTH]) {
    static const int ik[3] = {3, 6, 7}, ki[3] = {1, 2, 5};
    const double *d = x->diagonal;
    double top[3], l20 = 0, l21 = 0, l22;
    root2(d[0], d[1], d[3], top);
    l20 = top[0] > 0 ? d[4] / top[0] : 0;
    l21 = top[2] > 0 ? (d[5] - l20 * top[1]) / top[2] : 0;
    l22 = d[2] - l20 * l20 - l21 * l21;
    l22 = l22 > 0 ? sqrt(l22) : 0;
    out[0] = top[0] * g[0] + top[1] * g[4] + l20 * g[8];
    out[4] = top[2] * g[4] + l21 * g[8];
    out[8] = l22 * g[8];
    for (int p = 0; p < 3; p++) {
        double l[3];
        root2(x->pair[p][0], x->pair[p][1], x->pair[p][2], l);
        out[ik[p]] = l[0] * g[ik[p]] + l[1] * g[ki[p]];
        out[ki[p]] = l[2] * g[ki[p]];
    }
    for (int k = 9; k < AFXI_AFFINE_WIDTH; k++) {
        out[k] = sqrt(x->translation) * g[k];
    }
}

void afxi_system_apply(const AfxiSystem *system, uint32_t body, const double g[AFXI_AFFINE_WIDTH],
                       double out[AFXI_AFFINE_WIDTH]) {
    afxi_body_apply(&system->inverse[body], g, out);
    if (system->woodbury && system->woodbury_of[body] != UINT32_MAX) {
        afxi_woodbury_apply(system->woodbury, system->woodbury_of[body], g, out);
    }
}

void afxi_dual_place_body(const AfxiSystem *system, uint32_t body) {
    const double *delta = system->delta + AFXI_AFFINE_WIDTH * (size_t)body, *r = system->bodies.frame[body].m;
    double *next = system->bodies.next + AFXI_AFFINE_WIDTH * (size_t)body;
    for (int e = 0; e < 9; e++) {
        const double *column = delta + e / 3 * 3;
        next[e] = r[e] + (r[e % 3] * column[0] + r[3 + e % 3] * column[1] + r[6 + e % 3] * column[2]);
    }
    vec3_store(next + 9, vec3_add(system->bodies.origin[body], vec3_load(delta + 9)));
}

void afxi_dual_primal_body(const AfxiSystem *system, uint32_t body) {
    const double *start = system->start + AFXI_AFFINE_WIDTH * (size_t)body;
    double force[AFXI_AFFINE_WIDTH], moved[AFXI_AFFINE_WIDTH],
        *delta = system->delta + AFXI_AFFINE_WIDTH * (size_t)body;
    system->gradients->force(system, body, force);
    afxi_system_apply(system, body, force, moved);
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        delta[k] = start[k] - moved[k];
    }
    if (system->bodies.on) {
        afxi_dual_place_body(system, body);
    }
}
