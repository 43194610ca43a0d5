/* SPDX-License-Identifier: Apache-2.0 */
/* Products J H^-1 J^T of the rows of bodies that are held alike, one body per lane, added where they stand in K. */
#include "math/simd.h"

#include "dual/apply.h"
#include "dual/inverse_wide.h"
#include "dual/system.h"

#if AFXI_WIDE_PAYS

/* Places in AfxiBodyInverse. */
enum { PAIR = 3, DIAGONAL = 12, TRANSLATION = 18, TWIST = 21, INVERSE_SIZE = 28 };

typedef struct Row {
    Wide g[AFXI_AFFINE_WIDTH];
} Row;

/* out = H^-1 g */
WIDE_INLINE void apply(const Wide inverse[INVERSE_SIZE], bool twisted, const Wide g[AFXI_AFFINE_WIDTH],
                       Wide out[AFXI_AFFINE_WIDTH]) {
    wide_inverse_apply(inverse + DIAGONAL, inverse + PAIR, inverse + TWIST, twisted, g, out);
    for (int k = 9; k < AFXI_AFFINE_WIDTH; k++) {
        out[k] = inverse[TRANSLATION] * g[k];
    }
}

WIDE_INLINE Wide dot(const Wide a[AFXI_AFFINE_WIDTH], const Wide b[AFXI_AFFINE_WIDTH]) {
    Wide first = a[0] * b[0], second = a[1] * b[1], third = a[2] * b[2];
    for (int k = 3; k < AFXI_AFFINE_WIDTH; k += 3) {
        first = wide_fma(a[k], b[k], first);
        second = wide_fma(a[k + 1], b[k + 1], second);
        third = wide_fma(a[k + 2], b[k + 2], third);
    }
    return first + (second + third);
}

/* Products of all rows with row c of entry b, whose image is x. */
WIDE_INLINE void add_column(const AfxiSystem *system, const uint32_t *bodies, uint32_t lanes, const Row *rows,
                            const uint32_t *entry_begin, uint32_t entries, uint32_t b, uint32_t c,
                            const Wide x[AFXI_AFFINE_WIDTH]) {
    const AfxiGraph *graph = system->graph;
    double *value = system->factor.value;
    for (uint32_t a = b; a < entries; a++) {
        const AfxiBlockSpot *spot[AFXI_LANES];
        double *to[AFXI_LANES];
        for (uint32_t l = 0; l < lanes; l++) {
            spot[l] = &graph->spot[graph->pair_start[bodies[l]] + (size_t)a * (a + 1) / 2 + b];
            to[l] = value + spot[l]->at + (size_t)c * spot[l]->column_step;
        }
        for (uint32_t r = a == b ? c : 0; r < entry_begin[a + 1] - entry_begin[a]; r++) {
            Wide product = dot(rows[entry_begin[a] + r].g, x);
            for (uint32_t l = 0; l < lanes; l++) {
                to[l][(size_t)r * spot[l]->row_step] += wide_lane(product, (int)l);
            }
        }
    }
}

/* At most AFXI_LANES bodies. */
static void add_bodies(const AfxiSystem *system, const uint32_t *bodies, uint32_t lanes) {
    const AfxiGraph *graph = system->graph;
    const double *inverse_row[AFXI_LANES];
    Wide inverse[INVERSE_SIZE];
    Row rows[AFXI_BODY_ROWS_MOST];
    uint32_t entry_begin[AFXI_BODY_ROWS_MOST + 1], count = 0, first = graph->body_start[bodies[0]];
    uint32_t entries = graph->body_start[bodies[0] + 1] - first;
    bool twisted = false;
    for (uint32_t l = 0; l < AFXI_LANES; l++) {
        const AfxiBodyInverse *own = &system->inverse[bodies[l < lanes ? l : 0]];
        inverse_row[l] = (const double *)own;
        twisted |= own->has_twist != 0;
    }
    wide_gather(inverse_row, INVERSE_SIZE / 4, inverse);
    for (uint32_t e = 0; e < entries; e++) {
        const double *from[AFXI_LANES];
        entry_begin[e] = count;
        for (uint32_t l = 0; l < AFXI_LANES; l++) {
            uint32_t body = bodies[l < lanes ? l : 0];
            from[l] = system->jacobian + graph->entry[graph->body_entry[graph->body_start[body] + e]].jacobian;
        }
        for (uint32_t r = afxi_dual_entry_rows(graph, &graph->entry[graph->body_entry[first + e]]); r-- > 0;) {
            wide_gather(from, 3, rows[count++].g);
            for (uint32_t l = 0; l < AFXI_LANES; l++) {
                from[l] += 12;
            }
        }
    }
    entry_begin[entries] = count;
    for (uint32_t b = 0; b < entries; b++) {
        for (uint32_t c = 0; c < entry_begin[b + 1] - entry_begin[b]; c++) {
            Wide x[AFXI_AFFINE_WIDTH];
            apply(inverse, twisted, rows[entry_begin[b] + c].g, x);
            add_column(system, bodies, lanes, rows, entry_begin, entries, b, c, x);
        }
    }
}

#if AFXI_LANES > 1
/* A row of a body that is on, and its place in its entry. */
typedef struct OwnRow {
    const double *g;
    uint32_t row;
} OwnRow;

/* Rows of a body that are on, entry by entry; the others are scaled by 0, whatever stands in K. */
static uint32_t list_rows(const AfxiSystem *system, uint32_t body, OwnRow list[AFXI_BODY_ROWS_MOST],
                          uint32_t begin[AFXI_BODY_ROWS_MOST + 1]) {
    const AfxiGraph *graph = system->graph;
    uint32_t count = 0, first = graph->body_start[body], entries = graph->body_start[body + 1] - first;
    for (uint32_t e = 0; e < entries; e++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[first + e]];
        const uint8_t *active = system->active + graph->block[entry->block].first_row;
        begin[e] = count;
        for (uint32_t r = 0; r < afxi_dual_entry_rows(graph, entry); r++) {
            if (active[r]) {
                list[count++] = (OwnRow){system->jacobian + entry->jacobian + (size_t)AFXI_AFFINE_WIDTH * r, r};
            }
        }
    }
    begin[entries] = count;
    return count;
}

/* Adds products [column][row] of rows [row, row_end) with a column to its place; only what is not above the diagonal.
 */
static void add_products(const OwnRow *list, uint32_t row, uint32_t row_end, const double *product, double *to,
                         size_t step) {
    bool whole = row_end - row == list[row_end - 1].row - list[row].row + 1;
    if (whole && step == 1) {
        double *place = to + list[row].row;
        for (uint32_t i = row; i < row_end; i++) {
            place[i - row] += product[i];
        }
    } else {
        for (uint32_t i = row; i < row_end; i++) {
            to[step * list[i].row] += product[i];
        }
    }
}

/* One body, with one row of it per lane: bodies of a pile are hardly ever held alike. The same numbers as above. */
static void add_body(const AfxiSystem *system, uint32_t body) {
    const AfxiGraph *graph = system->graph;
    const AfxiBodyInverse *own = &system->inverse[body];
    const AfxiBlockSpot *spots = &graph->spot[graph->pair_start[body]];
    Wide inverse[INVERSE_SIZE];
    OwnRow list[AFXI_BODY_ROWS_MOST];
    Row rows[AFXI_BODY_ROWS_MOST / AFXI_LANES + 1];
    uint32_t begin[AFXI_BODY_ROWS_MOST + 1], entries = graph->body_start[body + 1] - graph->body_start[body];
    double image[AFXI_BODY_ROWS_MOST + AFXI_LANES][AFXI_AFFINE_WIDTH], product[AFXI_BODY_ROWS_MOST + AFXI_LANES];
    uint32_t count = list_rows(system, body, list, begin);
    for (int k = 0; k < INVERSE_SIZE; k++) {
        inverse[k] = wide_all(((const double *)own)[k]);
    }
    for (uint32_t first = 0; first < count; first += AFXI_LANES) {
        const double *from[AFXI_LANES];
        double *to[AFXI_LANES];
        Wide x[AFXI_AFFINE_WIDTH];
        for (uint32_t l = 0; l < AFXI_LANES; l++) {
            from[l] = list[first + l < count ? first + l : first].g;
            to[l] = image[first + l];
        }
        wide_gather(from, 3, rows[first / AFXI_LANES].g);
        apply(inverse, own->has_twist != 0, rows[first / AFXI_LANES].g, x);
        wide_scatter(to, 3, x);
    }
    for (uint32_t b = 0; b < entries; b++) {
        for (uint32_t j = begin[b]; j < begin[b + 1]; j++) {
            Wide x[AFXI_AFFINE_WIDTH];
            for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
                x[k] = wide_all(image[j][k]);
            }
            for (uint32_t first = j / AFXI_LANES * AFXI_LANES; first < count; first += AFXI_LANES) {
                Wide four = dot(rows[first / AFXI_LANES].g, x);
                __builtin_memcpy(product + first, &four, sizeof four);
            }
            for (uint32_t a = b; a < entries; a++) {
                const AfxiBlockSpot *spot = &spots[(size_t)a * (a + 1) / 2 + b];
                uint32_t row = a == b ? j : begin[a];
                if (row < begin[a + 1]) {
                    double *to = system->factor.value + spot->at + (size_t)list[j].row * spot->column_step;
                    add_products(list, row, begin[a + 1], product, to, spot->row_step);
                }
            }
        }
    }
}
#endif

AfxiDualBlocks AFXI_WIDE(afxi_dual_blocks);

void AFXI_WIDE(afxi_dual_blocks)(const AfxiSystem *system, const uint32_t *bodies, uint32_t count) {
    uint32_t k = 0;
    for (; k + AFXI_LANES <= count; k += AFXI_LANES) {
        add_bodies(system, bodies + k, AFXI_LANES);
    }
#if AFXI_LANES > 1
    for (; k < count; k++) {
        add_body(system, bodies[k]);
    }
#endif
}

#else
typedef int AfxiNoBlocksVariant; /* a file may not be empty */
#endif
