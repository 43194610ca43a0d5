/* SPDX-License-Identifier: Apache-2.0 */
/* Where shapes are at the beginning of a stage, where they are expected, and where a solve puts them. */
#ifndef AFXI_COLLIDE_PLACE_H
#define AFXI_COLLIDE_PLACE_H

#include "collide/collide.h"

/** Where a solve put a body, or NULL. */
const double *afxi_collide_result(const AfxiCollide *collide, uint32_t body);
/** A shape where it is expected at the end of the stage; its body's place is known. */
AfxiPlace afxi_shape_expected(const AfxiCollide *collide, const AfxiContactShape *shape);
/** Where a shape is on a body of that frame and origin. */
AfxiPlace afxi_shape_on(const AfxiCollide *collide, const AfxiContactShape *shape, const AfxiMat3 *frame,
                        AfxVec3 origin);
/** How far strain of a body at q may carry points of a shape (item) of it, m; 0 where margins are wider than that, and
 * for bodies that are rigid or not solved for. */
double afxi_strain_reach(const AfxiCollide *collide, uint32_t item, const double q[AFXI_AFFINE_WIDTH]);
/** S - I of the body of an item at q, A = R S; false: it is too little to matter. */
bool afxi_strain_of(const AfxiCollide *collide, uint32_t item, const double q[AFXI_AFFINE_WIDTH], AfxiMat3 *out);
/** Points of two items whose bodies are at q_a and q_b, AFXI_TOUCH_MAX at most; their number comes back. */
uint32_t afxi_touch_after(const AfxiCollide *collide, const AfxiPair *pair, const double *q_a, const double *q_b,
                          double margin, AfxiTouch *touch);
/** How deep two items lay in each other at the beginning of the stage, where bodies were at q [bodies][12]; from a
 * margin on. */
double afxi_depth_before(const AfxiCollide *collide, uint32_t a, uint32_t b, double margin, const double *q);
/** How far strain may have carried points of both then. */
double afxi_strain_before(const AfxiCollide *collide, uint32_t a, uint32_t b, const double *q);

#endif
