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

AfxiDualBlocks AFXI_WIDE(afxi_dual_blocks);

void AFXI_WIDE(afxi_dual_blocks)(const AfxiSystem *system, const uint32_t *bodies, uint32_t count) {
    for (uint32_t k = 0; k < count; k += AFXI_LANES) {
        add_bodies(system, bodies + k, count - k < AFXI_LANES ? count - k : AFXI_LANES);
    }
}

#else
typedef int AfxiNoBlocksVariant; /* a file may not be empty */
#endif
