/* SPDX-License-Identifier: Apache-2.0 */
/* K by the block solver of src/sparse. H is a body's mass or inertia half-way through the sub-step, symmetric: what is
 * not in it (gyroscopic terms, geometric stiffness, gradients at other places) is left to the iteration. */
#include "conserve/system.h"

#include <math.h>
#include <string.h>

#include "sparse/factor.h"
#include "sparse/solve.h"

/* H^-1 G of all entries of a body. */
static void weigh(AfxiConserve *work, const AfxiConserveBody *body) {
    for (uint32_t k = 0; k < body->entry_count; k++) {
        const AfxiConserveEntry *entry = &work->entries[work->body_entry[body->first_entry + k]];
        for (uint32_t r = 0; r < work->blocks[entry->block].row_count; r++) {
            const double *g = work->gradient + entry->gradient + AFXI_RIGID_WIDTH * (size_t)r;
            double *to = work->weighted + entry->gradient + AFXI_RIGID_WIDTH * (size_t)r;
            vec3_store(to, vec3_scale(body->translation, vec3_load(g)));
            vec3_store(to + 3, sym3_apply(body->rotation, vec3_load(g + 3)));
        }
    }
}

static double dot6(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/* What a body adds for two of its entries. */
static void add_pair(const AfxiConserve *work, AfxiBlockFactor *factor, const AfxiConserveEntry *a,
                     const AfxiConserveEntry *b, AfxiBlockSpot spot) {
    uint32_t rows = work->blocks[a->block].row_count, columns = work->blocks[b->block].row_count;
    for (uint32_t r = 0; r < rows; r++) {
        const double *g = work->gradient + a->gradient + AFXI_RIGID_WIDTH * (size_t)r;
        uint32_t last = a == b ? r + 1 : columns;
        for (uint32_t c = 0; c < last; c++) {
            const double *w = work->weighted + b->gradient + AFXI_RIGID_WIDTH * (size_t)c;
            factor->value[spot.at + (size_t)r * spot.row_step + (size_t)c * spot.column_step] += dot6(g, w);
        }
    }
}

/* Compliances; those of a rotational spring are a 3x3 block. */
static void add_compliance(const AfxiConserve *work, AfxiBlockFactor *factor, uint32_t b) {
    const AfxiConserveBlock *block = &work->blocks[b];
    AfxiBlockSpot spot = work->diagonals[b];
    for (uint32_t r = 0; r < block->row_count; r++) {
        uint32_t row = block->first_row + r;
        const AfxiConserveRow *source = &work->rows[row];
        double *diagonal = &factor->value[spot.at + (size_t)r * (spot.row_step + spot.column_step)];
        if (!work->laws[row].active) {
            continue;
        }
        *diagonal += work->laws[row].compliance;
        for (uint32_t m = 0; source->source == AFXI_SOURCE_ROTATIONAL_SPRING && m < source->index; m++) {
            diagonal[-(ptrdiff_t)((source->index - m) * spot.column_step)] += work->spring_compliance[3 * row + m];
        }
    }
}

static void assemble(AfxiConserve *work, AfxiConserveComponent *component) {
    afxi_block_clear(&component->plan, &component->factor);
    for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
        const AfxiConserveBody *body = &work->bodies[k];
        const AfxiBlockSpot *spot = work->spots + body->first_spot;
        weigh(work, body);
        for (uint32_t a = 0; a < body->entry_count; a++) {
            const AfxiConserveEntry *first = &work->entries[work->body_entry[body->first_entry + a]];
            for (uint32_t b = 0; b <= a; b++) {
                const AfxiConserveEntry *second = &work->entries[work->body_entry[body->first_entry + b]];
                add_pair(work, &component->factor, first, second, *spot++);
            }
        }
    }
    for (uint32_t b = component->first_block; b < component->first_block + component->block_count; b++) {
        add_compliance(work, &component->factor, b);
    }
}

bool afxi_conserve_factor(AfxiConserve *work, AfxiConserveComponent *component) {
    if (!component->row_count) {
        return false;
    }
    AfxiBlockReport report;
    double *scale = work->scale + component->first_row, *diagonal = work->diagonal + component->first_row;
    assemble(work, component);
    afxi_block_diagonal(&component->plan, &component->factor, diagonal);
    for (uint32_t r = 0; r < component->row_count; r++) {
        bool active = work->laws[component->first_row + r].active;
        scale[r] = active && diagonal[r] > 0 ? 1 / sqrt(diagonal[r]) : 0;
    }
    afxi_block_factor(&component->plan, &component->factor, scale, 0, NULL, &report);
    component->redundant = !(report.pivot > AFXI_CONSERVE_REDUNDANT_PIVOT);
    if (!component->redundant) {
        return false;
    }
    assemble(work, component); /* factoring has overwritten it */
    afxi_block_factor(&component->plan, &component->factor, scale, AFXI_CONSERVE_REGULARISATION, NULL, &report);
    return true;
}

void afxi_conserve_solve(AfxiConserve *work, AfxiConserveComponent *component, double *rows) {
    if (!component->row_count) {
        return;
    }
    const double *scale = work->scale + component->first_row;
    double *x = rows + component->first_row;
    for (uint32_t r = 0; r < component->row_count; r++) {
        x[r] *= scale[r];
    }
    afxi_block_solve(&component->plan, &component->factor, x);
    /* x - eps K^-1 x, as often as asked for: next to nothing is left along what the matrix does not have */
    for (uint32_t pass = 0; component->redundant && pass < AFXI_CONSERVE_FILTERS; pass++) {
        double *again = work->scratch + component->first_row;
        memcpy(again, x, component->row_count * sizeof *x);
        afxi_block_solve(&component->plan, &component->factor, again);
        for (uint32_t r = 0; r < component->row_count; r++) {
            x[r] -= AFXI_CONSERVE_REGULARISATION * again[r];
        }
    }
    for (uint32_t r = 0; r < component->row_count; r++) {
        x[r] *= scale[r];
    }
}

void afxi_conserve_apply(const AfxiConserve *work, const AfxiConserveComponent *component, const double *x,
                         double *rows) {
    for (uint32_t b = component->first_block; b < component->first_block + component->block_count; b++) {
        const AfxiConserveBlock *block = &work->blocks[b];
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            const double *g = work->gradient + work->entries[e].gradient;
            const double *own = x + AFXI_RIGID_WIDTH * (size_t)work->entries[e].body;
            for (uint32_t r = 0; r < block->row_count; r++, g += AFXI_RIGID_WIDTH) {
                rows[block->first_row + r] += work->laws[block->first_row + r].active ? dot6(g, own) : 0;
            }
        }
    }
}

void afxi_conserve_pull(const AfxiConserve *work, const AfxiConserveComponent *component, const double *rows,
                        double *x) {
    for (uint32_t b = component->first_block; b < component->first_block + component->block_count; b++) {
        const AfxiConserveBlock *block = &work->blocks[b];
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            const double *g = work->gradient + work->entries[e].gradient;
            double *own = x + AFXI_RIGID_WIDTH * (size_t)work->entries[e].body;
            for (uint32_t r = 0; r < block->row_count; r++, g += AFXI_RIGID_WIDTH) {
                for (int k = 0; k < AFXI_RIGID_WIDTH; k++) {
                    own[k] -= g[k] * rows[block->first_row + r];
                }
            }
        }
    }
}
