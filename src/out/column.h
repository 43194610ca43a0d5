/* SPDX-License-Identifier: Apache-2.0 */
/* Columns by name: which number of which quantity's row each one is. */
#ifndef AFXI_OUT_COLUMN_H
#define AFXI_OUT_COLUMN_H

#include "out/quantity.h"

#define AFXI_COLUMN_NAME 320 /* names in a scene have at most 255 bytes */

typedef struct AfxiColumn {
    AfxiQuantity quantity;
    size_t index; /* in the quantity's row */
    char name[AFXI_COLUMN_NAME];
} AfxiColumn;

typedef struct AfxiColumns {
    AfxAllocator allocator;
    AfxiColumn *items; /* [count] */
    uint32_t count, capacity;
} AfxiColumns;

/** Adds the columns that `length` characters of `name` stand for:
 *     time, step, residual, rotation_error, contacts, depth, solves, flags
 *     energy[.kinetic|potential|elastic|total], momentum[.cx|cy|cz|px|py|pz|lx|ly|lz]
 *     body:NAME[.x|y|z|qw|qx|qy|qz], velocity:NAME[.vx|vy|vz|wx|wy|wz], marker:NAME[.x|y|z]
 *     joint:NAME[.0|1|...], rate:NAME[.0|1|...], reaction:NAME[.fx|fy|fz|tx|ty|tz], effort:NAME
 * NAME may be the index where the thing has no name. Without the part after the point: all of them. */
AfxStatus afxi_columns_add(AfxiColumns *columns, const AfxiCatalog *catalog, const char *name, size_t length,
                           AfxError *out_error);
/** Adds all columns of a list with commas. */
AfxStatus afxi_columns_parse(AfxiColumns *columns, const AfxiCatalog *catalog, const char *list, AfxError *out_error);
/** Adds one column; a long name is cut. */
AfxStatus afxi_columns_push(AfxiColumns *columns, AfxiQuantity quantity, size_t index, const char *name);
void afxi_columns_destroy(AfxiColumns *columns);

#endif
