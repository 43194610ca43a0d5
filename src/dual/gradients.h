/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and bodies by stored gradients, four numbers of a gradient side by side: J^T lambda of a body, and what the rows
 * of a block lack. Sums are those of the numbers 0, 4, 8; 1, 5, 9; and so on, put together at the end, at any number of
 * lanes. */
#ifndef AFXI_DUAL_GRADIENTS_H
#define AFXI_DUAL_GRADIENTS_H

#include "model/model.h"

struct AfxiSystem;

typedef struct AfxiGradientKernel {
    /** out = J^T lambda of a body of the graph. */
    void (*force)(const struct AfxiSystem *system, uint32_t body, double out[AFXI_AFFINE_WIDTH]);
    /** out = C + J delta - compliance lambda of the rows of a block. */
    void (*lack)(const struct AfxiSystem *system, const AfxiGraphBlock *block, double *out);
} AfxiGradientKernel;

/** The kernel for a lane count: one lane, or the widest that pays (0 and all other counts). */
const AfxiGradientKernel *afxi_gradient_kernel(uint32_t lanes);

#endif
