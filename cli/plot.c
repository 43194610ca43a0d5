/* SPDX-License-Identifier: Apache-2.0 */
/* The plot: a grid of 2x4 dots per character; Unicode's braille patterns U+2800.. have one bit for each of them. */
#include "cli/plot.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 64
#define HEIGHT 12
#define DOTS_X (2 * WIDTH)
#define DOTS_Y (4 * HEIGHT)

typedef struct Grid {
    bool dots[DOTS_Y][DOTS_X]; /* from the top left */
} Grid;

static bool speaks_utf8(void) {
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int k = 0; k < 3; ++k) {
        const char *value = getenv(variables[k]);
        if (value && value[0]) {
            return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8") || strstr(value, "utf-8");
        }
    }
    return false;
}

static int dot_row(double value, double scale) {
    double row = (1 - value / scale) / 2 * (DOTS_Y - 1);
    return row < 0 ? 0 : row > DOTS_Y - 1 ? DOTS_Y - 1 : (int)(row + 0.5);
}

/* A column of dots from one row to the other; the last rows drawn are joined to it. */
static void draw_column(Grid *grid, int x, int top, int bottom, int *last_top, int *last_bottom) {
    int from = top, to = bottom;
    if (*last_top >= 0) {
        from = *last_bottom < from ? *last_bottom + 1 : from;
        to = *last_top > to ? *last_top - 1 : to;
    }
    for (int y = from; y <= to; ++y) {
        grid->dots[y][x] = true;
    }
    *last_top = top;
    *last_bottom = bottom;
}

static void draw(Grid *grid, const double *low, const double *high, uint32_t count, double scale) {
    int last_top = -1, last_bottom = -1;
    double lower = 0, upper = 0;
    for (int x = 0; x < DOTS_X; ++x) {
        uint32_t k = (uint32_t)x * count / DOTS_X;
        bool known = low[k] <= high[k];
        if (!known && last_top < 0) {
            continue;
        }
        lower = known ? low[k] : lower; /* a gap repeats the value before it */
        upper = known ? high[k] : upper;
        draw_column(grid, x, dot_row(upper, scale), dot_row(lower, scale), &last_top, &last_bottom);
    }
}

static void print_cell(FILE *file, const Grid *grid, int row, int column, bool utf8) {
    static const unsigned bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    unsigned pattern = 0;
    for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 2; ++x) {
            pattern |= grid->dots[4 * row + y][2 * column + x] ? bits[y][x] : 0;
        }
    }
    if (utf8 && pattern) {
        fprintf(file, "\xe2%c%c", (int)(0xa0 | pattern >> 6), (int)(0x80 | (pattern & 0x3f)));
    } else {
        fputc(pattern ? '*' : ' ', file);
    }
}

void cli_plot(FILE *file, const double *low, const double *high, uint32_t count, double end) {
    Grid grid = {0};
    bool utf8 = speaks_utf8();
    double scale = 0;
    for (uint32_t k = 0; k < count; ++k) {
        if (low[k] <= high[k]) {
            scale = fmax(scale, fmax(fabs(low[k]), fabs(high[k])));
        }
    }
    draw(&grid, low, high, count, scale > 0 ? scale : 1);
    for (int row = 0; row < HEIGHT; ++row) {
        char label[16] = "";
        if (row == 0 || row == HEIGHT - 1) {
            snprintf(label, sizeof(label), "%+.3g", row ? -scale : scale);
        } else if (row == HEIGHT / 2) {
            snprintf(label, sizeof(label), "0");
        }
        fprintf(file, "  %9s %s", label, utf8 ? (label[0] ? "┤" : "│") : (label[0] ? "+" : "|"));
        for (int column = 0; column < WIDTH; ++column) {
            print_cell(file, &grid, row, column, utf8);
        }
        fputc('\n', file);
    }
    fprintf(file, "            0%*.4g s\n", WIDTH - 3, end);
}
