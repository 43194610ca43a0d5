/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar parts of turn.h. */
#include "joint/turn.h"

#include <string.h>

#include "math/variant.h"

void afxi_turn_constants(const double *numbers, const AfxiMat3 *axes_a, const AfxiMat3 *axes_b, double *out) {
    const double *q = numbers + AFXI_TURN_REST;
    AfxiMat3 rest = mat3_from_quat(afxi_quat_normalized((AfxQuat){q[0], q[1], q[2], q[3]}));
    AfxiMat3 back = {
        {rest.m[0], rest.m[3], rest.m[6], rest.m[1], rest.m[4], rest.m[7], rest.m[2], rest.m[5], rest.m[8]}};
    AfxiMat3 a = mat3_multiply(axes_a, &back);
    memcpy(out + AFXI_TURN_AXES_A, a.m, sizeof a.m);
    memcpy(out + AFXI_TURN_AXES_B, axes_b->m, sizeof axes_b->m);
    memcpy(out + AFXI_TURN_K, numbers + AFXI_TURN_STIFFNESS, 3 * sizeof *out);
    memcpy(out + AFXI_TURN_D, numbers + AFXI_TURN_DAMPING, 3 * sizeof *out);
}

/* The twist is half the difference of the entries (k,i) and (i,k). */
void afxi_turn_gradient(const double *r, uint32_t axis, double sign, double *out) {
    double x = 0.5 * sign * r[axis], y = 0.5 * sign * r[3 + axis], z = 0.5 * sign * r[6 + axis];
    const double g[12] = {0, z, -y, -z, 0, x, y, -x, 0, 0, 0, 0};
    memcpy(out, g, sizeof g);
}

AFXI_BUILDS(AfxiTurnKernel, afxi_turn);

AfxiTurnKernel *afxi_turn_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_turn, lanes);
}
