/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of numbers read from a file; one reader per format. */
#ifndef AFXI_OUT_TABLE_H
#define AFXI_OUT_TABLE_H

#include "out/column.h"

struct AfxTable {
    AfxAllocator allocator;
    AfxiColumns columns;
    uint64_t rows;
    double *values; /* [columns][rows] */
};

/** What is asked for, and where errors go. */
typedef struct AfxiTableRequest {
    const char *path;
    uint32_t name_count;
    const char *const *names; /* [name_count] */
    AfxError *error;          /* may be NULL */
} AfxiTableRequest;

/** Makes room for `rows` rows of all columns. */
AfxStatus afxi_table_reserve(AfxTable *table, uint64_t rows);
/** Fills columns and values. */
AfxStatus afxi_table_from_h5(AfxTable *table, const AfxiTableRequest *request);
AfxStatus afxi_table_from_csv(AfxTable *table, const AfxiTableRequest *request);

#endif
