/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest points of points, segments and triangles, degenerate ones included. Weights are those of the corners: the
 * nearest point is their weighted mean. */
#ifndef AFXI_BARRIER_DISTANCE_H
#define AFXI_BARRIER_DISTANCE_H

#include "math/vec3.h"

typedef enum AfxiStencil {
    AFXI_STENCIL_POINTS,         /* a point, a point */
    AFXI_STENCIL_POINT_EDGE,     /* a point, two ends */
    AFXI_STENCIL_POINT_TRIANGLE, /* a point, three corners */
    AFXI_STENCIL_EDGES,          /* two ends, two ends */
    AFXI_STENCIL_POINT_PLANE     /* a point; the half-space is given apart */
} AfxiStencil;

/** How many of the corners belong to the first side, and in all. */
static inline int afxi_stencil_first(AfxiStencil stencil) {
    return stencil == AFXI_STENCIL_EDGES ? 2 : 1;
}
static inline int afxi_stencil_count(AfxiStencil stencil) {
    static const int count[] = {2, 3, 4, 4, 1};
    return count[stencil];
}

/** Weights [4] of the corners x: of each side they add up to 1. The vector from the second nearest point to the first
 * comes back. Not for planes. */
AfxVec3 afxi_stencil_nearest(AfxiStencil stencil, const AfxVec3 x[4], double weight[4]);

#endif
