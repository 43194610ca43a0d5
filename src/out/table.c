/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: the public functions. The format is told by the first bytes. */
#include "out/table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/status.h"
#include "out/file.h"

AfxStatus afxi_table_reserve(AfxTable *table, uint64_t rows) {
    uint64_t columns = table->columns.count;
    if (columns == 0 || rows > SIZE_MAX / sizeof(double) / columns) {
        return AFX_E_LIMIT;
    }
    if (rows > 0) {
        table->values = afxi_allocate(&table->allocator, (size_t)(rows * columns) * sizeof(double));
        if (!table->values) {
            return AFX_E_MEMORY;
        }
    }
    table->rows = rows;
    return AFX_OK;
}

/* Whether a regular file begins as an HDF5 file does. */
static AfxStatus look_at(const char *path, bool *out_h5, AfxError *out_error) {
    static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    char begin[sizeof signature] = {0};
    struct stat info;
    if (stat(path, &info) != 0) {
        return afxi_file_errno(out_error, path, "cannot be opened", errno);
    }
    if (!S_ISREG(info.st_mode)) {
        return afxi_file_error(out_error, AFX_E_INPUT, path, "is not a regular file",
                               "give the name of a trajectory or of a CSV file");
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        return afxi_file_errno(out_error, path, "cannot be opened", errno);
    }
    size_t count = fread(begin, 1, sizeof begin, file);
    fclose(file);
    *out_h5 = count == sizeof begin && memcmp(begin, signature, sizeof begin) == 0;
    return AFX_OK;
}

AfxStatus afx_table_read(const char *path, uint32_t name_count, const char *const *names, const AfxAllocator *allocator,
                         AfxTable **out_table, AfxError *out_error) {
    AfxAllocator from = allocator ? *allocator : afx_default_allocator();
    bool fine = path && out_table && name_count > 0 && names && from.reallocate;
    for (uint32_t k = 0; fine && k < name_count; k++) {
        fine = names[k] != NULL;
    }
    if (!fine) {
        return afxi_error(out_error, AFX_E_ARGUMENT, "table", "an argument is missing", "");
    }
    *out_table = NULL;
    bool h5 = false;
    AfxStatus status = look_at(path, &h5, out_error);
    if (status != AFX_OK) {
        return status;
    }
    AfxTable *table = afxi_allocate(&from, sizeof *table);
    if (!table) {
        return afxi_file_error(out_error, AFX_E_MEMORY, path, afx_status_text(AFX_E_MEMORY), "");
    }
    table->allocator = table->columns.allocator = from;
    AfxiTableRequest request = {path, name_count, names, out_error};
    status = h5 ? afxi_table_from_h5(table, &request) : afxi_table_from_csv(table, &request);
    if (status != AFX_OK) {
        afx_table_destroy(table);
        return status;
    }
    *out_table = table;
    return AFX_OK;
}

void afx_table_destroy(AfxTable *table) {
    if (table) {
        AfxAllocator allocator = table->allocator;
        afxi_release(&allocator, table->values, (size_t)(table->rows * table->columns.count) * sizeof(double));
        afxi_columns_destroy(&table->columns);
        afxi_release(&allocator, table, sizeof *table);
    }
}

uint32_t afx_table_column_count(const AfxTable *table) {
    return table ? table->columns.count : 0;
}

uint64_t afx_table_row_count(const AfxTable *table) {
    return table ? table->rows : 0;
}

const char *afx_table_name(const AfxTable *table, uint32_t column) {
    return table && column < table->columns.count ? table->columns.items[column].name : NULL;
}

const double *afx_table_column(const AfxTable *table, uint32_t column) {
    return table && column < table->columns.count ? table->values + column * table->rows : NULL;
}
