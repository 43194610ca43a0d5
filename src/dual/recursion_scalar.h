/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of one body in the elimination of recursion.h, by gradients. */
#ifndef AFXI_DUAL_RECURSION_SCALAR_H
#define AFXI_DUAL_RECURSION_SCALAR_H

#include "dual/system.h"

void afxi_recursion_backward_scalar(const AfxiSystem *system, const AfxiRecursionJob *job);
void afxi_recursion_forward_scalar(const AfxiSystem *system, const AfxiRecursionJob *job);

#endif
