/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors between the numberings of the numeric phase. */
#ifndef AFXI_SPARSE_NUMERIC_H
#define AFXI_SPARSE_NUMERIC_H

#include "sparse/tree.h"

/* Asks for the panels of a job ahead of time, as far as they are short: jobs follow each other in memory, but not
 * closely enough for the hardware to see it. */
static inline void afxi_prefetch(const AfxiBlockTree *tree, const double *value, const AfxiJob *job) {
    for (uint32_t l = 0; l < AFXI_BATCH && job->front[l] != AFXI_NO_FRONT; l++) {
        const AfxiFront *front = &tree->front[job->front[l]];
        size_t length = (size_t)front->width * front->leading;
        for (size_t k = 0; k < length && k < 256; k += 8) {
            __builtin_prefetch(value + front->panel + k);
        }
    }
}

#endif
