/* SPDX-License-Identifier: Apache-2.0 */
/* The normal force of contacts whose material has a damping or grows stiffer with depth:
 *     N = F(r) + C(r) r',   F = d²/(1 - d) k r,   C = d/(1 - d) c,   d = d(r),
 * or F = k r, C = c without an impedance. Over a step it is the line that touches it where the step begins,
 *     N = F(r0) + F'(r0) (r - r0) + C(r0) (r - r0)/h = S (r - rest),
 * which is the law of all contact points with another stiffness and rest (constraint/contact.h). F is convex, so that
 * 0 <= rest <= r0; a contact that does not move has its force exactly. */
#ifndef AFXI_CONSTRAINT_SOFT_H
#define AFXI_CONSTRAINT_SOFT_H

#include <stdbool.h>

typedef struct AfxiSoft {
    double stiffness, rest; /* S, N/m, and m */
} AfxiSoft;

/** Whether a pair of materials (numbers of AFX_PARAM_MATERIAL_PAIR) has this law. */
bool afxi_soft_is(const double *pair);
/** Static force of a pair at a depth, and its slope (may be NULL). */
double afxi_soft_force(const double *pair, double depth, double *out_slope);
/** What friction creeps against at a depth, N s/m; 0: it does not. */
double afxi_soft_friction_damping(const double *pair, double depth);
/** The line of a step of length h from a depth on, which may be negative: then there is no force yet. No stiffer than
 * `stiffest`. */
AfxiSoft afxi_soft_line(const double *pair, double depth, double h, double stiffest);

#endif
