/* SPDX-License-Identifier: Apache-2.0 */
/* Additive CCD (Li, Kaufman, Jiang, Codimensional IPC, 2021, section 5): no two points of the sides come together faster
 * than the largest motions of the sides added, so a step of a share of the gap over that speed is safe; steps are added
 * until a tenth of the first gap is left or the way is done. Motion that all corners share is taken out first. */
#include "barrier/ccd.h"

#include "barrier/tuning.h"

static double gap_of(AfxiStencil stencil, const AfxVec3 *x, double radius) {
    double weight[4];
    return vec3_length(afxi_nearest(stencil, x, weight)) - radius;
}

/* The largest motions of the two sides, added, of motions without their mean. */
static double speed_of(AfxiStencil stencil, AfxVec3 *p) {
    int first = afxi_stencil_first(stencil), count = afxi_stencil_count(stencil);
    AfxVec3 mean = {0, 0, 0};
    double most[2] = {0, 0};
    for (int k = 0; k < count; k++) {
        mean = vec3_mad(mean, 1.0 / count, p[k]);
    }
    for (int k = 0; k < count; k++) {
        p[k] = vec3_sub(p[k], mean);
        most[k >= first] = fmax(most[k >= first], vec3_length(p[k]));
    }
    return most[0] + most[1];
}

double afxi_ccd(AfxiStencil stencil, const AfxVec3 x[4], const AfxVec3 p[4], double radius) {
    int count = afxi_stencil_count(stencil);
    AfxVec3 at[4], motion[4];
    for (int k = 0; k < count; k++) {
        at[k] = x[k];
        motion[k] = p[k];
    }
    double speed = speed_of(stencil, motion), gap = gap_of(stencil, x, radius), left = (1 - AFXI_CCD_SHARE) * gap;
    if (!(speed > 0)) {
        return 1;
    }
    if (!(gap > 0)) {
        return 0;
    }
    double time = 0, step = AFXI_CCD_SHARE * gap / speed;
    for (unsigned n = 0; n < AFXI_CCD_ITERATIONS_MOST; n++) {
        if (time + step >= 1) {
            return 1;
        }
        for (int k = 0; k < count; k++) {
            at[k] = vec3_mad(x[k], time + step, motion[k]);
        }
        gap = gap_of(stencil, at, radius);
        if (n > 0 && !(gap > left)) {
            return time; /* where it was still further away */
        }
        time += step;
        step = AFXI_CCD_SHARE * gap / speed;
    }
    return time;
}

double afxi_ccd_plane(double begin, double end) {
    if (end >= (1 - AFXI_CCD_SHARE) * begin) {
        return 1;
    }
    return begin > 0 ? AFXI_CCD_SHARE * begin / (begin - end) : 0;
}
