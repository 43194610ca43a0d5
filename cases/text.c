/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, near names and errors. Nearness is the optimal string alignment distance (insert, delete, replace, swap
 * two neighbours), by dynamic programming over three rows. */
#include "cases/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_LIMIT 64u /* longer words are compared up to here */

bool afxi_case_number(const char *text, double *out_value) {
    if (text[0] == '\0' || isspace((unsigned char)text[0])) {
        return false;
    }
    size_t sign = text[0] == '-' || text[0] == '+';
    if (strcmp(text + sign, "infinite") == 0) { /* strtod knows "inf" and "infinity" */
        *out_value = text[0] == '-' ? -INFINITY : INFINITY;
        return true;
    }
    char *end = NULL;
    errno = 0;
    double value = strtod(text, &end);
    bool overflow = errno == ERANGE && isinf(value);
    if (*end != '\0' || isnan(value) || overflow) {
        return false;
    }
    *out_value = value;
    return true;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t edit_distance(const char *a, const char *b) {
    uint32_t rows[3][WORD_LIMIT + 1];
    uint32_t a_length = (uint32_t)strnlen(a, WORD_LIMIT);
    uint32_t b_length = (uint32_t)strnlen(b, WORD_LIMIT);
    for (uint32_t j = 0; j <= b_length; ++j) {
        rows[0][j] = j;
    }
    for (uint32_t i = 1; i <= a_length; ++i) {
        uint32_t *row = rows[i % 3];
        const uint32_t *above = rows[(i + 2) % 3];
        const uint32_t *second_above = rows[(i + 1) % 3];
        row[0] = i;
        for (uint32_t j = 1; j <= b_length; ++j) {
            uint32_t replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = smaller(replaced, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = smaller(row[j], second_above[j - 2] + 1);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

void afxi_case_nearest_try(AfxiCaseNearest *nearest, const char *candidate) {
    size_t length = strlen(nearest->word);
    uint32_t distance = edit_distance(nearest->word, candidate);
    if (length >= 2 && strncmp(nearest->word, candidate, length) == 0) {
        distance = 1; /* the beginning of a name counts as one slip */
    }
    uint32_t allowed = length <= 3 ? 1 : (uint32_t)smaller((uint32_t)length / 3 + 1, 4);
    if (distance <= allowed && (!nearest->best || distance < nearest->distance)) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}

AfxStatus afxi_case_error(AfxError *out_error, AfxStatus status, const char *element, const char *cure,
                          const char *text, ...) {
    if (out_error) {
        *out_error = (AfxError){.status = status};
        snprintf(out_error->element, sizeof(out_error->element), "%s", element);
        snprintf(out_error->cure, sizeof(out_error->cure), "%s", cure ? cure : "");
        va_list list;
        va_start(list, text);
        vsnprintf(out_error->text, sizeof(out_error->text), text, list);
        va_end(list);
    }
    return status;
}
