/* SPDX-License-Identifier: Apache-2.0 */
/* Additive CCD (Li, Kaufman, Jiang, Codimensional IPC, 2021, section 5): no two points of the sides come together
 * faster than the largest motions of the sides added, so a step of a share of the gap over that speed is safe; steps
 * are added until a tenth of the first gap is left or the way is done. Motion that all corners share is taken out
 * first.
 *
 * A second step is safe too, and far longer where sides slide along each other: between the nearest points stands a
 * plane, and until a corner of one side has come so near to a corner of the other across it nothing has met. Corners
 * move straight, so that this time is exact. The longer step is taken. */
#include "barrier/ccd.h"

#include "barrier/tuning.h"

/* The normal of two edges, or of a triangle, in place of n where both are the same but for rounding: between points
 * that are very near each other n is that of their rounding. */
static AfxVec3 sharpen(AfxiStencil stencil, const AfxVec3 *x, AfxVec3 n) {
    bool edges = stencil == AFXI_STENCIL_EDGES;
    if (!edges && stencil != AFXI_STENCIL_POINT_TRIANGLE) {
        return n;
    }
    AfxVec3 u = edges ? vec3_sub(x[1], x[0]) : vec3_sub(x[2], x[1]);
    AfxVec3 m = vec3_cross(u, edges ? vec3_sub(x[3], x[2]) : vec3_sub(x[3], x[1]));
    double length = vec3_length(m), along = length > 0 ? vec3_dot(m, n) / length : 0;
    return fabs(along) > AFXI_CCD_SAME ? vec3_scale(along > 0 ? 1 / length : -1 / length, m) : n;
}

/* Gap, and the unit vector between the nearest points; zero where they meet. */
static double gap_of(AfxiStencil stencil, const AfxVec3 *x, double radius, AfxVec3 *out_n) {
    double weight[4];
    AfxVec3 r = afxi_stencil_nearest(stencil, x, weight);
    double length = vec3_length(r);
    *out_n = sharpen(stencil, x, vec3_scale(length > 0 ? 1 / length : 0, r));
    return length - radius;
}

/* How long all corners of the first side stay apart from those of the second along n by more than `least`. */
static double time_across(AfxiStencil stencil, const AfxVec3 *x, const AfxVec3 *p, AfxVec3 n, double least) {
    int first = afxi_stencil_first(stencil), count = afxi_stencil_count(stencil);
    double time = INFINITY;
    for (int i = 0; i < first; i++) {
        for (int j = first; j < count; j++) {
            double apart = vec3_dot(n, vec3_sub(x[i], x[j])) - least, rate = vec3_dot(n, vec3_sub(p[i], p[j]));
            if (!(apart >= 0)) {
                return 0; /* no plane across n stands between them: it says nothing */
            }
            if (rate < 0) {
                time = fmin(time, apart / -rate);
            }
        }
    }
    return time;
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

/* Below this gap rounding of the coordinates might let the sides pass each other unseen. */
static double floor_of(AfxiStencil stencil, const AfxVec3 *x, const AfxVec3 *p) {
    double most = 0;
    for (int k = 0; k < afxi_stencil_count(stencil); k++) {
        most = fmax(most,
                    fmax(fabs(x[k].x) + fabs(p[k].x), fmax(fabs(x[k].y) + fabs(p[k].y), fabs(x[k].z) + fabs(p[k].z))));
    }
    return AFXI_CCD_FLOOR * most;
}

static double triple(AfxVec3 a, AfxVec3 b, AfxVec3 c) {
    return vec3_dot(a, vec3_cross(b, c));
}

/* Whether the corners, without radius, are in no plane all the way: 6 times the volume between them is a cubic of time,
 * which lies between its Bernstein coefficients. `least` is the gap that rounding may hide. */
static bool stays_on_its_side(AfxiStencil stencil, const AfxVec3 *x, const AfxVec3 *p, double least) {
    static const int ends[2][3][2] = {{{1, 0}, {2, 1}, {3, 1}}, {{2, 0}, {1, 0}, {3, 2}}};
    bool edges = stencil == AFXI_STENCIL_EDGES;
    AfxVec3 a[3], b[3];
    double most[3];
    for (int k = 0; k < 3; k++) {
        int to = ends[edges][k][0], from = ends[edges][k][1];
        a[k] = vec3_sub(x[to], x[from]);
        b[k] = vec3_add(a[k], vec3_sub(p[to], p[from]));
        most[k] = fmax(vec3_length(a[k]), vec3_length(b[k]));
    }
    double volume[4] = {
        triple(a[0], a[1], a[2]), (triple(b[0], a[1], a[2]) + triple(a[0], b[1], a[2]) + triple(a[0], a[1], b[2])) / 3,
        (triple(a[0], b[1], b[2]) + triple(b[0], a[1], b[2]) + triple(b[0], b[1], a[2])) / 3, triple(b[0], b[1], b[2])};
    double low = fmin(fmin(volume[0], volume[1]), fmin(volume[2], volume[3]));
    double high = fmax(fmax(volume[0], volume[1]), fmax(volume[2], volume[3]));
    double hidden = least * (most[1] * most[2] + most[0] * (most[1] + most[2]));
    return low > hidden || high < -hidden;
}

/* Whether all of the way is free by that, and ends far enough. */
static bool is_free(AfxiStencil stencil, const AfxVec3 *x, const AfxVec3 *p, double least, double left) {
    bool solid = stencil == AFXI_STENCIL_EDGES || stencil == AFXI_STENCIL_POINT_TRIANGLE;
    AfxVec3 end[4], n;
    if (!solid || !stays_on_its_side(stencil, x, p, least)) {
        return false;
    }
    for (int k = 0; k < 4; k++) {
        end[k] = vec3_add(x[k], p[k]);
    }
    return gap_of(stencil, end, 0, &n) > left;
}

double afxi_ccd(AfxiStencil stencil, const AfxVec3 x[4], const AfxVec3 p[4], double radius, double near) {
    int count = afxi_stencil_count(stencil);
    AfxVec3 at[4], motion[4];
    for (int k = 0; k < count; k++) {
        at[k] = x[k];
        motion[k] = p[k];
    }
    AfxVec3 n;
    double speed = speed_of(stencil, motion), gap = gap_of(stencil, x, radius, &n), least = floor_of(stencil, x, p);
    double left = fmax(least, AFXI_CCD_LEFT * fmin(gap, near));
    if (!(speed > 0)) {
        return 1;
    }
    if (!(gap > least)) {
        return 0;
    }
    if (radius == 0 && is_free(stencil, x, motion, least, left)) {
        return 1;
    }
    double time = 0;
    for (unsigned round = 0; round < AFXI_CCD_ITERATIONS_MOST; round++) {
        double apart = radius + (1 - AFXI_CCD_SHARE) * gap;
        double step = fmax(AFXI_CCD_SHARE * gap / speed, time_across(stencil, at, motion, n, apart));
        if (time + step >= 1) {
            return 1;
        }
        for (int k = 0; k < count; k++) {
            at[k] = vec3_mad(x[k], time + step, motion[k]);
        }
        gap = gap_of(stencil, at, radius, &n);
        if (!(gap > left)) {
            return time; /* where it was still further away */
        }
        time += step;
    }
    return time;
}

double afxi_ccd_plane(double begin, double end, double near) {
    double left = (1 - AFXI_CCD_SHARE) * fmin(begin, near);
    if (end >= left) {
        return 1;
    }
    return begin > 0 ? (begin - left) / (begin - end) : 0;
}
