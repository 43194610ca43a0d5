/* SPDX-License-Identifier: Apache-2.0 */
#include "body/definite.h"

#include <math.h>

#include "body/tuning.h"
#include "math/eigen.h"

bool afxi_body_make_definite(const AfxiBodyInverse *inverse, const double k[6], double least, double out[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double root[3], scaled[6], value[3], size = 0;
    AfxiMat3 vector;
    for (int e = 0; e < 3; e++) { /* pairs (0,1), (0,2), (1,2) turn about z, y, x */
        const double *pair = inverse->blocks.pair[2 - e];
        root[e] = sqrt(0.25 * (pair[0] + pair[1] - 2 * pair[2]));
    }
    for (int e = 0; e < 6; e++) {
        scaled[e] = k[e] * root[row[e]] * root[column[e]];
        size += (e < 3 ? 1 : 2) * scaled[e] * scaled[e];
    }
    if (!(size <= AFXI_DEFINITE_MOST * AFXI_DEFINITE_MOST)) {
        return false;
    }
    afxi_eigen_sym3(scaled, value, &vector);
    for (int e = 0; e < 6; e++) {
        out[e] = 0;
        for (int v = 0; v < 3; v++) {
            double used = fmax(fabs(1 + value[v]), least) - 1;
            out[e] += used * vector.m[3 * v + row[e]] * vector.m[3 * v + column[e]];
        }
        out[e] /= root[row[e]] * root[column[e]];
    }
    return true;
}
