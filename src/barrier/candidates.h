/* SPDX-License-Identifier: Apache-2.0 */
/* Which primitives may come near each other on the way from AFXI_NOW to AFXI_TRIED. */
#ifndef AFXI_BARRIER_CANDIDATES_H
#define AFXI_BARRIER_CANDIDATES_H

#include "barrier/inner.h"

/** Places of the vertices at AFXI_NOW (0) or AFXI_TRIED (1). */
void afxi_barrier_vertices(AfxiBarrier *work, AfxiBarrierPlace place, AfxVec3 *out);
/** Pairs of shapes whose swept boxes, half a gap wider, overlap (work->broad). AFX_E_MEMORY, AFX_E_LIMIT. */
AfxStatus afxi_barrier_shapes(AfxiBarrier *work);
/** The candidates of these pairs: all pairs of primitives that are nearer than the gap at some point of the way. */
AfxStatus afxi_barrier_candidates(AfxiBarrier *work);
/** Puts two shapes into the frame of a body, at both ends of the step, and adds what may come near each other there
 * to the candidates; UINT32_MAX: puts them back into the world, without adding any. AFX_E_MEMORY. */
AfxStatus afxi_barrier_pair_in(AfxiBarrier *work, const uint32_t shape[2], uint32_t body);
/** Corners of a candidate at AFXI_NOW (0) or AFXI_TRIED (1). */
void afxi_candidate_corners(const AfxiBarrier *work, const AfxiCandidate *candidate, int end, AfxVec3 out[4]);
/** Height of a point over the plane of a shape, less the point's radius, at AFXI_NOW (0) or AFXI_TRIED (1). */
double afxi_candidate_height(const AfxiBarrier *work, const AfxiCandidate *candidate, int end);
/** Sum of the radii of both sides. */
double afxi_candidate_radius(const AfxiBarrier *work, const AfxiCandidate *candidate);

#endif
