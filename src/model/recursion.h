/* SPDX-License-Identifier: Apache-2.0 */
/* Elimination from the leaves to the roots of a forest. */
#ifndef AFXI_MODEL_RECURSION_H
#define AFXI_MODEL_RECURSION_H

#include "model/model.h"

/** Plans the elimination of a forest from the leaves; bodies that its kernels cannot take are in closed form no longer.
 * Without closed forms all bodies go by their gradients. */
AfxStatus afxi_recursion_create(const AfxAllocator *allocator, const AfxModel *model, AfxiGraph *graph);

#endif
