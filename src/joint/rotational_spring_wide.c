/* SPDX-License-Identifier: Apache-2.0 */
/* Springs of ball joints, one per lane: rotational_spring.h has the equations. */
#include "joint/rotational_spring_solve_wide.h"

#if AFXI_WIDE_PAYS

AfxiRotationalSpringKernel AFXI_WIDE(afxi_rotational_spring);

void AFXI_WIDE(afxi_rotational_spring)(const AfxiRotationalSpringEnds *ends, const double *constants, double per_h,
                                       uint32_t begin, uint32_t end, double *out) {
    for (uint32_t first = begin; first < end; first += AFXI_LANES) {
        const double *from[AFXI_LANES], *r[2][AFXI_LANES], *x[2][AFXI_LANES];
        double *to[AFXI_LANES];
        Wide in[AFXI_ROTATIONAL_SPRING_CONSTANTS], frame[2][AFXI_AFFINE_WIDTH], past[2][AFXI_AFFINE_WIDTH], rate[2][3],
            result[AFXI_ROTATIONAL_SPRING_RESULT];
        WideView factor[2];
        for (uint32_t l = 0; l < AFXI_LANES; l++) {
            size_t k = first + l < end ? first + l : end - 1;
            from[l] = constants + AFXI_ROTATIONAL_SPRING_CONSTANTS * k;
            to[l] = out + AFXI_ROTATIONAL_SPRING_RESULT * k;
            for (int side = 0; side < 2; side++) {
                r[side][l] = ends[k].r[side];
                x[side][l] = ends[k].x[side];
                factor[side].lane[l] = ends[k].solved[side] ? -0.5 * per_h : 0.5;
            }
        }
        wide_gather(from, AFXI_ROTATIONAL_SPRING_CONSTANTS / 4, in);
        for (int side = 0; side < 2; side++) {
            wide_gather(r[side], 3, frame[side]);
            wide_gather(x[side], 3, past[side]);
            turn_spin(frame[side], past[side], factor[side].wide, rate[side]);
        }
        for (int e = 0; e < 3; e++) {
            rate[0][e] = rate[0][e] - rate[1][e];
        }
        turn_solve(in, frame[0], frame[1], rate[0], wide_all(per_h), result);
        wide_scatter(to, AFXI_ROTATIONAL_SPRING_RESULT / 4, result);
    }
}

#else
typedef int AfxiNoRotationalSpringVariant; /* a file may not be empty */
#endif
