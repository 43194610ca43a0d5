/* SPDX-License-Identifier: Apache-2.0 */
/* Which bodies intersect in the present state, by plain tests that share nothing with distances, candidates and CCD but
 * the surfaces: segments through triangles, and for shapes with a radius how far apart they are. */
#ifndef AFXI_BARRIER_INTERSECT_H
#define AFXI_BARRIER_INTERSECT_H

#include "barrier/inner.h"

/** Pairs of bodies that may touch and whose surfaces intersect, by rising numbers; as afx_sim_intersections. */
AfxStatus afxi_barrier_intersections(AfxiBarrier *work, AfxOverlap *out, uint32_t capacity, uint32_t *out_count);
/** Whether the segment p q goes through the triangle a b c. */
bool afxi_segment_pierces(AfxVec3 p, AfxVec3 q, AfxVec3 a, AfxVec3 b, AfxVec3 c);
/** Distance of a segment from a triangle; 0 where it goes through. */
double afxi_segment_triangle(AfxVec3 p, AfxVec3 q, AfxVec3 a, AfxVec3 b, AfxVec3 c);

#endif
