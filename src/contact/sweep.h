/* SPDX-License-Identifier: Apache-2.0 */
/* When moving shapes come near each other. */
#ifndef AFXI_CONTACT_SWEEP_H
#define AFXI_CONTACT_SWEEP_H

#include "contact/geometry.h"

/** Earliest s in [0, 1) at which a, moved by s * move_a, comes as near as `target` (> 0) to b, moved by s * move_b;
 * turning is left out. True with the touch there (one point), false and *out_s = 1 when never. Shapes that are nearer
 * than target at the start give s = 0 if they approach there; else they are let go. Never late; early by less than
 * 1e-6 of the target for convex shapes, by more for what slides along a mesh. */
bool afxi_sweep(const AfxiGeometry *a, const AfxiPlace *place_a, const double move_a[3], const AfxiGeometry *b,
                const AfxiPlace *place_b, const double move_b[3], double target, double *out_s, AfxiTouch *out);

#endif
