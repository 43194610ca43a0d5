/* SPDX-License-Identifier: Apache-2.0 */
/* Columns out of a CSV file with a line of names: RFC 4180 with line feeds or CR LF. What is not a number reads as NaN.
 */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "out/file.h"
#include "out/table.h"

#define FIELD 512 /* bytes of a field that are looked at */

typedef struct Csv {
    const AfxiTableRequest *request;
    const AfxAllocator *allocator;
    char *text; /* [size + 1], ends with a zero */
    size_t size;
    const char *at, *end;
} Csv;

static AfxStatus refuse(const Csv *csv, AfxStatus status, const char *text) {
    return afxi_file_error(csv->request->error, status, csv->request->path, text, "");
}

static AfxStatus load(Csv *csv) {
    FILE *file = fopen(csv->request->path, "rb");
    if (!file) {
        return afxi_file_errno(csv->request->error, csv->request->path, "cannot be opened", errno);
    }
    bool sized = fseek(file, 0, SEEK_END) == 0;
    long size = sized ? ftell(file) : -1;
    AfxStatus status = size >= 0 && fseek(file, 0, SEEK_SET) == 0 ? AFX_OK : AFX_E_SYSTEM;
    if (status == AFX_OK) {
        csv->text = afxi_allocate(csv->allocator, (size_t)size + 1);
        csv->size = csv->text ? (size_t)size : 0;
        status = csv->text ? AFX_OK : AFX_E_MEMORY;
    }
    if (status == AFX_OK && fread(csv->text, 1, csv->size, file) != csv->size) {
        status = AFX_E_SYSTEM;
    }
    fclose(file);
    csv->at = csv->text;
    csv->end = csv->text + csv->size;
    return status == AFX_OK ? AFX_OK : refuse(csv, status, status == AFX_E_SYSTEM ? "cannot be read" : "is too large");
}

/* Reads one field into out[FIELD], cut to fit; true when another one follows on the same line. */
static bool next_field(Csv *csv, char *out) {
    size_t used = 0;
    bool quoted = csv->at < csv->end && *csv->at == '"';
    csv->at += quoted;
    while (csv->at < csv->end) {
        char letter = *csv->at;
        if (quoted && letter == '"') {
            if (csv->at + 1 < csv->end && csv->at[1] == '"') {
                csv->at++;
            } else {
                quoted = false;
                csv->at++;
                continue;
            }
        } else if (!quoted && (letter == ',' || letter == '\n')) {
            break;
        }
        if (used + 1 < FIELD && (quoted || letter != '\r')) {
            out[used++] = letter;
        }
        csv->at++;
    }
    out[used] = '\0';
    bool more = csv->at < csv->end && *csv->at == ',';
    csv->at += csv->at < csv->end;
    return more;
}

static double number(const char *text) {
    char copy[FIELD];
    const char *point = localeconv()->decimal_point;
    snprintf(copy, sizeof copy, "%s", text);
    char *dot = strchr(copy, '.');
    if (dot && point[0] && !point[1]) {
        *dot = point[0];
    }
    char *end;
    double value = strtod(copy, &end);
    return end == copy || *end != '\0' ? NAN : value;
}

/* Whether a column of the file is what a name asks for: itself, or all that begin with it and a point. */
static bool meant(const char *name, const char *column) {
    size_t length = strlen(name);
    return strncmp(column, name, length) == 0 && (column[length] == '\0' || column[length] == '.');
}

/* Goes through the line of names once for each name asked for, so that the columns come in that order. The index of a
 * column is its place in the line. */
static AfxStatus find_columns(Csv *csv, AfxTable *table) {
    for (uint32_t k = 0; k < csv->request->name_count; k++) {
        uint32_t before = table->columns.count, field = 0;
        bool more = true;
        csv->at = csv->text;
        while (more) {
            char name[FIELD];
            more = next_field(csv, name);
            if (meant(csv->request->names[k], name)) {
                AfxStatus status = afxi_columns_push(&table->columns, AFXI_QUANTITY_COUNT, field, name);
                if (status != AFX_OK) {
                    return refuse(csv, status, afx_status_text(status));
                }
            }
            field++;
        }
        if (table->columns.count == before) {
            char text[200];
            snprintf(text, sizeof text, "has no column \"%.120s\" in its first line", csv->request->names[k]);
            return refuse(csv, AFX_E_INPUT, text);
        }
    }
    return AFX_OK;
}

static uint64_t count_rows(const char *at, const char *end) {
    uint64_t rows = 0;
    for (; at < end; at++) {
        rows += *at == '\n' || at + 1 == end;
    }
    return rows;
}

static AfxStatus read_rows(Csv *csv, AfxTable *table) {
    const char *begin = csv->at;
    uint64_t rows = count_rows(begin, csv->end); /* at most: quoted fields may hold line ends */
    AfxStatus status = afxi_table_reserve(table, rows);
    if (status != AFX_OK) {
        return refuse(csv, status, afx_status_text(status));
    }
    for (uint64_t row = 0; row < rows; row++) {
        for (uint32_t k = 0; k < table->columns.count; k++) {
            table->values[k * rows + row] = NAN;
        }
        bool more = csv->at < csv->end;
        for (uint32_t field = 0; more; field++) {
            char text[FIELD];
            more = next_field(csv, text);
            for (uint32_t k = 0; k < table->columns.count; k++) {
                if (table->columns.items[k].index == field) {
                    table->values[k * rows + row] = number(text);
                }
            }
        }
    }
    return AFX_OK;
}

AfxStatus afxi_table_from_csv(AfxTable *table, const AfxiTableRequest *request) {
    Csv csv = {.request = request, .allocator = &table->allocator};
    AfxStatus status = load(&csv);
    if (status == AFX_OK && csv.size == 0) {
        status = refuse(&csv, AFX_E_INPUT, "is empty");
    }
    if (status == AFX_OK) {
        status = find_columns(&csv, table);
    }
    if (status == AFX_OK) {
        status = read_rows(&csv, table);
    }
    afxi_release(&table->allocator, csv.text, csv.text ? csv.size + 1 : 0);
    return status;
}
