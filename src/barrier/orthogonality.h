/* SPDX-License-Identifier: Apache-2.0 */
/* The energy that keeps published affine bodies near rotations, k |A^T A - I|². */
#ifndef AFXI_BARRIER_ORTHOGONALITY_H
#define AFXI_BARRIER_ORTHOGONALITY_H

/** The energy at A (the first nine of q). Adds its gradient by the six strains of A' = A (w x + s), and its Hessian by
 * turn and strains [12][12], what is not definite of it left out; either may be NULL. */
double afxi_orthogonality(double k, const double *q, double *gradient, double *hessian);

#endif
