/* SPDX-License-Identifier: Apache-2.0 */
/* What bodies leave for the next one in the elimination of climb.h. */
#include "dual/climb_slot.h"

double *afxi_climb_slot(const AfxiSystem *system, uint32_t slot) {
    return system->climb.slot + (size_t)AFXI_CLIMB_SIZE * (slot & ~(AFXI_CLIMB_LANES - 1u)) + slot % AFXI_CLIMB_LANES;
}

void afxi_climb_pose(const AfxiSystem *system, uint32_t place, const double x[3], const double *rate, double factor,
                     double *slot) {
    const double *r = system->bodies.frame[place].m, *t = &system->bodies.origin[place].x;
    for (int k = 0; k < 9; k++) {
        slot[AFXI_CLIMB_LANES * (AFXI_CLIMB_FRAME + k)] = r[k];
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double sum = 0;
        for (int c = 0; rate && c < 3; c++) {
            sum += r[3 * c + i] * rate[3 * c + j] - r[3 * c + j] * rate[3 * c + i];
        }
        slot[AFXI_CLIMB_LANES * (AFXI_CLIMB_SPIN + k)] = factor * sum;
        slot[AFXI_CLIMB_LANES * (AFXI_CLIMB_END + k)] = r[k] * x[0] + r[3 + k] * x[1] + r[6 + k] * x[2] + t[k];
    }
}
