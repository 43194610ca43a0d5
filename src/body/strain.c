/* SPDX-License-Identifier: Apache-2.0 */
#include "body/strain.h"

#include <math.h>
#include <string.h>

#include "math/polar.h"

double afxi_body_strain_energy(const AfxiBodyClass *class, const double *q) {
    if (isinf(class->young)) {
        return 0;
    }
    AfxiMat3 a;
    memcpy(a.m, q, sizeof a.m);
    AfxiMat3 r = afxi_rotation_part(&a, NULL);
    AfxiMat3 stretch = mat3_multiply_tn(&r, &a);
    double square = 0, trace = 0;
    for (int k = 0; k < 9; k++) {
        double strain = stretch.m[k] - (k % 4 == 0);
        square += strain * strain;
        trace += k % 4 == 0 ? strain : 0;
    }
    double mu = class->young / (2 * (1 + class->poisson));
    double lambda = 2 * mu * class->poisson / (1 - 2 * class->poisson);
    return class->volume * (mu * square + 0.5 * lambda * trace * trace);
}
