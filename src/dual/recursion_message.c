/* SPDX-License-Identifier: Apache-2.0 */
/* What bodies leave for the next one in the elimination of recursion.h. */
#include "dual/recursion_message.h"

double *afxi_recursion_message(const AfxiSystem *system, uint32_t message) {
    return system->recursion.message + (size_t)AFXI_RECURSION_SIZE * (message & ~(AFXI_RECURSION_LANES - 1u)) +
           message % AFXI_RECURSION_LANES;
}

void afxi_recursion_pose(const AfxiSystem *system, uint32_t place, const double x[3], const double *rate, double factor,
                         double *message) {
    const double *r = system->bodies.frame[place].m, *t = &system->bodies.origin[place].x;
    for (int k = 0; k < 9; k++) {
        message[AFXI_RECURSION_LANES * (AFXI_RECURSION_FRAME + k)] = r[k];
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double sum = 0;
        for (int c = 0; rate && c < 3; c++) {
            sum += r[3 * c + i] * rate[3 * c + j] - r[3 * c + j] * rate[3 * c + i];
        }
        message[AFXI_RECURSION_LANES * (AFXI_RECURSION_SPIN + k)] = factor * sum;
        message[AFXI_RECURSION_LANES * (AFXI_RECURSION_END + k)] =
            r[k] * x[0] + r[3 + k] * x[1] + r[6 + k] * x[2] + t[k];
    }
}
