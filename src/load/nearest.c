/* SPDX-License-Identifier: Apache-2.0 */
/* Slips between two words by the usual recurrence over their beginnings, three rows of it at a time. */
#include "load/nearest.h"

#include <string.h>

static uint32_t lesser(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/** Whether the last two letters of both beginnings have changed places. */
static int swapped(const char *a, size_t i, const char *b, size_t j) {
    return i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
}

static uint32_t count_slips(const char *a, size_t a_length, const char *b, size_t b_length) {
    uint32_t rows[3][AFXI_NEAREST_SIZE];
    for (size_t j = 0; j <= b_length; j++) {
        rows[0][j] = (uint32_t)j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        uint32_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *second_above = rows[(i + 1) % 3];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = lesser(above[j - 1] + (a[i - 1] != b[j - 1]), lesser(above[j], row[j - 1]) + 1);
            if (swapped(a, i, b, j)) {
                row[j] = lesser(row[j], second_above[j - 2] + 1);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

void afxi_nearest_try(AfxiNearest *nearest, const char *word, size_t length) {
    size_t own = strlen(nearest->word), apart = own < length ? length - own : own - length;
    uint32_t allowed = own <= 3 ? 1 : lesser((uint32_t)own / 3 + 1, 3);
    if (own == 0 || own >= AFXI_NEAREST_SIZE || length == 0 || length >= AFXI_NEAREST_SIZE || apart > allowed) {
        return;
    }
    uint32_t slips = count_slips(nearest->word, own, word, length);
    if (slips <= allowed && slips < own && (!nearest->best[0] || slips < nearest->slips)) {
        memcpy(nearest->best, word, length);
        nearest->best[length] = '\0';
        nearest->slips = slips;
    }
}

void afxi_nearest_try_list(AfxiNearest *nearest, const char *words) {
    while (*words) {
        size_t length = strcspn(words, " ");
        afxi_nearest_try(nearest, words, length);
        words += length;
        words += *words == ' ';
    }
}
