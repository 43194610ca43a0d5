/* SPDX-License-Identifier: Apache-2.0 */
/* Points of a design from a CSV file: a line of names, among them those of all that varies, then numbers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/error.h"
#include "sweep/read.h"

#define FIELDS 4096

/* Cuts a line at its commas, in place; quotes around a field are taken away. */
static uint32_t cut(char *line, char **out_fields) {
    uint32_t count = 0;
    char *at = line;
    while (count < FIELDS) {
        char *end;
        if (*at == '"') {
            out_fields[count++] = ++at;
            end = at + strcspn(at, "\"");
            *end = *end ? '\0' : *end;
            end += strcspn(end + 1, ",") + 1;
        } else {
            out_fields[count++] = at;
            end = at + strcspn(at, ",\r\n");
        }
        if (*end != ',') {
            *end = '\0';
            break;
        }
        *end = '\0';
        at = end + 1;
    }
    return count;
}

static AfxStatus line_error(const AfxiReader *reader, const char *path, int line, const char *cure, const char *text) {
    AfxStatus status = afxi_sweep_error(reader->error, AFX_E_INPUT, path, "table", cure, "%s", text);
    if (reader->error) {
        reader->error->line = line;
    }
    return status;
}

static AfxStatus find_columns(const AfxiReader *reader, const char *path, char **fields, uint32_t count,
                              uint32_t *out_columns) {
    for (uint32_t k = 0; k < reader->study->vary_count; k++) {
        uint32_t column = 0;
        while (column < count && strcmp(fields[column], reader->study->vary[k].name) != 0) {
            column++;
        }
        if (column == count) {
            return line_error(reader, path, 1, reader->study->vary[k].name, "a column of what varies is missing");
        }
        out_columns[k] = column;
    }
    return AFX_OK;
}

/* A number, or the name of a choice. */
static bool read_field(const AfxiVary *vary, const char *text, double *out_value) {
    for (uint32_t k = 0; vary->parameter && vary->parameter->choices[k]; k++) {
        if (strcmp(vary->parameter->choices[k], text) == 0) {
            *out_value = k;
            return true;
        }
    }
    char *end;
    *out_value = strtod(text, &end);
    return end != text && end[strspn(end, " \t\r\n")] == '\0' && !isnan(*out_value);
}

static AfxStatus add_row(const AfxiReader *reader, const char *path, int line, char **fields, uint32_t count,
                         const uint32_t *columns, uint64_t *capacity) {
    AfxiStudy *study = reader->study;
    if (study->run_count == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 256;
        double *points = realloc(study->points, *capacity * study->vary_count * sizeof *points);
        if (!points) {
            return afxi_sweep_memory(reader->error);
        }
        study->points = points;
    }
    double *point = study->points + study->run_count++ * study->vary_count;
    for (uint32_t k = 0; k < study->vary_count; k++) {
        if (columns[k] >= count || !read_field(&study->vary[k], fields[columns[k]], &point[k])) {
            return line_error(reader, path, line, study->vary[k].name, "a value is missing or not a number");
        }
    }
    return AFX_OK;
}

AfxStatus afxi_read_table(const AfxiReader *reader, const char *path) {
    AfxiStudy *study = reader->study;
    FILE *file = fopen(path, "r");
    if (!file) {
        return afxi_sweep_system(reader->error, path, "cannot be read", errno);
    }
    char *text = NULL, **fields = malloc(FIELDS * sizeof *fields);
    uint32_t *columns = malloc(study->vary_count * sizeof *columns);
    size_t size = 0;
    uint64_t capacity = 0;
    AfxStatus status = fields && columns ? AFX_OK : afxi_sweep_memory(reader->error);
    study->run_count = 0;
    for (int line = 1; status == AFX_OK && getline(&text, &size, file) > 0; line++) {
        if (text[strspn(text, " \t\r\n")] == '\0') {
            continue;
        }
        bool marked = line == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0; /* spreadsheets begin UTF-8 like this */
        uint32_t count = cut(text + (marked ? 3 : 0), fields);
        status = line == 1 ? find_columns(reader, path, fields, count, columns)
                           : add_row(reader, path, line, fields, count, columns, &capacity);
    }
    if (status == AFX_OK && study->run_count == 0) {
        status = line_error(reader, path, 1, "a line of names, then a line for each run", "has no runs");
    }
    free(text);
    free(fields);
    free(columns);
    fclose(file);
    return status;
}
