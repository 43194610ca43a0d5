/* SPDX-License-Identifier: Apache-2.0 */
/* Heights from files: PNG pictures, and MuJoCo's own binary format. */
#ifndef AFXI_LOAD_HEIGHT_FILE_H
#define AFXI_LOAD_HEIGHT_FILE_H

#include "affix/base.h"

#define AFXI_HEIGHTS_EDGE 4096u /* samples along an edge at most */

typedef struct AfxiHeights {
    double *values; /* [rows][columns], the first row at the near end (least y); to be released */
    uint32_t rows, columns;
} AfxiHeights;

/** Reads heights: of a picture the red of each pixel, the top row at the far end. NULL, or why it cannot. */
const char *afxi_heights_read(const AfxAllocator *allocator, const void *data, size_t size, AfxiHeights *out);

#endif
