/* SPDX-License-Identifier: Apache-2.0 */
#include "dual/hubs.h"

#include <math.h>
#include <string.h>

#include "dual/apply.h"
#include "dual/system.h"
#include "dual/tuning.h"

#define WIDTH AFXI_AFFINE_WIDTH
#define STRAINS 6

/* The two entries of a column-major matrix whose sum is a shear and whose difference a turn. */
static const int upper[3] = {3, 6, 7}, under[3] = {1, 2, 5};

/* ---- workspace ---- */

static uint32_t pair_count(const AfxiGraph *graph) {
    return graph->block_count - afxi_graph_planned_blocks(graph);
}

static const AfxiGraphBlock *pair_block(const AfxiGraph *graph, uint32_t pair) {
    return &graph->block[graph->joint_blocks + pair];
}

void afxi_hubs_take(AfxiSystem *system, AfxiArena *arena) {
    const AfxiGraph *graph = system->graph;
    AfxiHubs *hubs = &system->hubs;
    uint32_t rows = graph->row_count - graph->joint_rows;
    if (!graph->hub_width) {
        return;
    }
    hubs->image = afxi_arena_take(arena, graph->jacobian_length, sizeof(double));
    hubs->residual = afxi_arena_take(arena, rows, sizeof(double));
    hubs->scale = afxi_arena_take(arena, rows, sizeof(double));
    hubs->of = afxi_arena_take(arena, graph->body_count, sizeof *hubs->of);
    hubs->own = afxi_arena_take(arena, graph->high_degree_count, sizeof *hubs->own);
    if (arena->base) {
        memset(hubs->of, 0xff, graph->body_count * sizeof *hubs->of);
        for (uint32_t h = 0; h < graph->high_degree_count; h++) {
            uint32_t body = graph->high_degree[h];
            hubs->of[body] = h;
            hubs->own[h] = graph->spot[graph->pair_start[body] + afxi_graph_planned_entries(graph, body)];
        }
    }
}

/* ---- the split of a body ---- */

/* Strains, then turns and translations, of a vector on a body: an orthonormal change of axes. */
static void to_motions(const double g[WIDTH], double out[WIDTH]) {
    const double half = 0.70710678118654752440;
    for (int k = 0; k < 3; k++) {
        out[k] = g[4 * k];
        out[3 + k] = half * (g[under[k]] + g[upper[k]]);
        out[STRAINS + k] = half * (g[under[k]] - g[upper[k]]);
        out[STRAINS + 3 + k] = g[9 + k];
    }
}

static void from_motions(int axis, double out[WIDTH]) {
    const double half = 0.70710678118654752440;
    memset(out, 0, WIDTH * sizeof *out);
    if (axis < 3) {
        out[4 * axis] = 1;
    } else if (axis >= STRAINS + 3) {
        out[axis] = 1;
    } else {
        out[under[axis % 3]] = half;
        out[upper[axis % 3]] = axis < STRAINS ? half : -half;
    }
}

/* Cholesky factor in place, lower, row by row; columns of what is no more than rounding of `size` are zero. */
static void split(double z[WIDTH][WIDTH], double size) {
    for (int c = 0; c < WIDTH; c++) {
        double pivot = z[c][c];
        for (int k = 0; k < c; k++) {
            pivot -= z[c][k] * z[c][k];
        }
        double root = pivot > AFXI_HUB_ROUNDING * (c < STRAINS ? size : z[c][c]) ? sqrt(pivot) : 0;
        double inverse = root > 0 ? 1 / root : 0;
        z[c][c] = root;
        for (int r = c + 1; r < WIDTH; r++) {
            double sum = z[r][c];
            for (int k = 0; k < c; k++) {
                sum -= z[r][k] * z[c][k];
            }
            z[r][c] = sum * inverse;
        }
    }
}

/* L of a hub: root[row][column], the six columns of rigid motions first. */
static void make_root(const AfxiSystem *system, uint32_t body, double root[WIDTH][WIDTH]) {
    double z[WIDTH][WIDTH];
    for (int c = 0; c < WIDTH; c++) {
        double axis[WIDTH], moved[WIDTH], own[WIDTH];
        from_motions(c, axis);
        afxi_system_apply(system, body, axis, moved);
        to_motions(moved, own);
        for (int r = c; r < WIDTH; r++) {
            z[r][c] = own[r];
        }
    }
    split(z, fmax(z[6][6], fmax(z[7][7], z[8][8])));
    for (int r = 0; r < WIDTH; r++) {
        for (int c = 0; c < WIDTH; c++) {
            root[r][(c + STRAINS) % WIDTH] = c <= r ? z[r][c] : 0;
        }
    }
}

/* L^T g; of a narrow hub the other half of it is nothing. */
static void make_image(double root[WIDTH][WIDTH], const double g[WIDTH], uint32_t width, double out[WIDTH]) {
    double own[WIDTH], sum[WIDTH] = {0};
    to_motions(g, own);
    if (width <= AFXI_HUB_NARROW) {
        for (int r = STRAINS; r < WIDTH; r++) {
            for (uint32_t c = 0; c < AFXI_HUB_NARROW; c++) {
                sum[c] += root[r][c] * own[r];
            }
        }
    } else {
        for (int r = 0; r < WIDTH; r++) {
            for (int c = 0; c < WIDTH; c++) {
                sum[c] += root[r][c] * own[r];
            }
        }
    }
    memcpy(out, sum, sizeof sum);
}

static void make_images(AfxiSystem *system, uint32_t body) {
    const AfxiGraph *graph = system->graph;
    double root[WIDTH][WIDTH];
    make_root(system, body, root);
    for (uint32_t x = graph->body_start[body]; x < graph->body_start[body + 1]; x++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[x]];
        const AfxiGraphBlock *block = &graph->block[entry->block];
        for (uint32_t r = 0; r < block->row_count; r++) {
            size_t at = entry->jacobian + (size_t)WIDTH * r;
            if (system->active[block->first_row + r]) {
                make_image(root, system->jacobian + at, graph->hub_width[body], system->hubs.image + at);
            } else {
                memset(system->hubs.image + at, 0, WIDTH * sizeof(double));
            }
        }
    }
}

/* ---- matrix ---- */

static double *place(const AfxiSystem *system, const AfxiBlockSpot *spot, uint32_t r, uint32_t c) {
    return system->factor.value + spot->at + (size_t)r * spot->row_step + (size_t)c * spot->column_step;
}

static inline double dot(const double *a, const double *b, uint32_t count) {
    if (count == AFXI_HUB_NARROW) { /* no sum waits for the one before */
        return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5]);
    }
    double sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* J L and -I of a hub. */
static void add_joints(AfxiSystem *system, uint32_t hub) {
    const AfxiGraph *graph = system->graph;
    uint32_t body = graph->high_degree[hub], width = graph->hub_width[body];
    const AfxiBlockSpot *spot = graph->spot + graph->pair_start[body], *own = &system->hubs.own[hub];
    for (uint32_t x = graph->body_start[body];
         spot < graph->spot + graph->pair_start[body] + afxi_graph_planned_entries(graph, body); x++, spot++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[x]];
        for (uint32_t r = 0; r < graph->block[entry->block].row_count; r++) {
            const double *image = system->hubs.image + entry->jacobian + (size_t)WIDTH * r;
            for (uint32_t c = 0; c < width; c++) {
                *place(system, spot, r, c) += image[c];
            }
        }
    }
    for (uint32_t c = 0; c < width; c++) {
        *place(system, own, c, c) -= 1;
    }
}

/* What a pair touches: images of its rows on each side, and how wide its hubs are. */
typedef struct Sides {
    const double *image[2];
    uint32_t width[2], hub[2];
} Sides;

static Sides sides_of(const AfxiSystem *system, const AfxiGraphBlock *block) {
    Sides out;
    for (int s = 0; s < 2; s++) {
        const AfxiGraphEntry *entry = &system->graph->entry[block->first_entry + (uint32_t)s];
        out.image[s] = system->hubs.image + entry->jacobian;
        out.hub[s] = system->hubs.of[entry->dof.index];
        out.width[s] = system->graph->hub_width[entry->dof.index];
    }
    return out;
}

/* product += d a b^T */
static inline void add_product(double product[WIDTH][WIDTH], uint32_t width, double d, const double *restrict a,
                               const double *restrict b) {
    for (uint32_t i = 0; i < width; i++) {
        double scaled = d * a[i];
        for (uint32_t j = 0; j < width; j++) {
            product[i][j] += scaled * b[j];
        }
    }
}

/* Products of the active rows of a pair, of each side with itself and of both; whether there are any. `width`: of the
 * wider hub. */
static inline bool multiply_pair(const AfxiSystem *system, const AfxiGraphBlock *block, const Sides *sides,
                                 uint32_t width, double product[3][WIDTH][WIDTH]) {
    bool any = false;
    for (uint32_t r = 0; r < block->row_count; r++) {
        if (system->active[block->first_row + r]) {
            const double *a = sides->image[0] + (size_t)WIDTH * r, *b = sides->image[1] + (size_t)WIDTH * r;
            double d = 1 / system->compliance[block->first_row + r];
            add_product(product[0], width, d, a, a);
            add_product(product[1], width, d, b, b);
            add_product(product[2], width, d, a, b);
            any = true;
        }
    }
    return any;
}

/* -M of a pair: its own places in both hubs, and between them. */
static void add_pair(AfxiSystem *system, uint32_t pair) {
    const AfxiGraph *graph = system->graph;
    const AfxiGraphBlock *block = pair_block(graph, pair);
    Sides sides = sides_of(system, block);
    double product[3][WIDTH][WIDTH] = {{{0}}};
    bool narrow = sides.width[0] <= AFXI_HUB_NARROW && sides.width[1] <= AFXI_HUB_NARROW;
    bool any = narrow ? multiply_pair(system, block, &sides, AFXI_HUB_NARROW, product)
                      : multiply_pair(system, block, &sides, WIDTH, product);
    for (uint32_t s = 0; any && s < 3; s++) {
        const AfxiBlockSpot *spot = s < 2 ? &system->hubs.own[sides.hub[s]] : &graph->touch[pair];
        for (uint32_t r = 0; r < sides.width[s % 2]; r++) {
            for (uint32_t c = 0; c < (s < 2 ? r + 1 : sides.width[1]); c++) {
                *place(system, spot, r, c) -= product[s][r][c];
            }
        }
    }
}

void afxi_hubs_assemble(AfxiSystem *system) {
    for (uint32_t hub = 0; hub < system->graph->high_degree_count; hub++) {
        make_images(system, system->graph->high_degree[hub]);
        add_joints(system, hub);
    }
    for (uint32_t pair = 0; pair < pair_count(system->graph); pair++) {
        add_pair(system, pair);
    }
}

/* ---- scale, right-hand sides, multipliers ---- */

void afxi_hubs_scale(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t hub = 0; hub < graph->high_degree_count; hub++) {
        uint32_t body = graph->high_degree[hub], begin = graph->body_start[body];
        for (uint32_t x = begin; x < begin + afxi_graph_planned_entries(graph, body); x++) {
            const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[x]];
            const AfxiGraphBlock *block = &graph->block[entry->block];
            for (uint32_t r = 0; r < block->row_count; r++) {
                const double *image = system->hubs.image + entry->jacobian + (size_t)WIDTH * r;
                system->scale[block->first_row + r] += dot(image, image, graph->hub_width[body]);
            }
        }
    }
    for (uint32_t pair = 0; pair < pair_count(graph); pair++) {
        const AfxiGraphBlock *block = pair_block(graph, pair);
        Sides sides = sides_of(system, block);
        for (uint32_t r = 0; r < block->row_count; r++) {
            const double *a = sides.image[0] + (size_t)WIDTH * r, *b = sides.image[1] + (size_t)WIDTH * r;
            double sum =
                system->compliance[block->first_row + r] + dot(a, a, sides.width[0]) + dot(b, b, sides.width[1]);
            bool on = system->active[block->first_row + r] && sum > 0;
            system->hubs.scale[block->first_row + r - graph->joint_rows] = on ? 1 / sqrt(sum) : 0;
        }
    }
}

static uint32_t hub_row(const AfxiGraph *graph, uint32_t hub) {
    return graph->plan.first_row[graph->joint_blocks + hub];
}

void afxi_hubs_load(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t pair = 0; pair < pair_count(graph); pair++) {
        const AfxiGraphBlock *block = pair_block(graph, pair);
        Sides sides = sides_of(system, block);
        const double *residual = system->hubs.residual + block->first_row - graph->joint_rows;
        double *to[2] = {system->residual + hub_row(graph, sides.hub[0]),
                         system->residual + hub_row(graph, sides.hub[1])};
        for (uint32_t r = 0; r < block->row_count; r++) {
            if (system->active[block->first_row + r]) {
                double force = residual[r] / system->compliance[block->first_row + r];
                for (int s = 0; s < 2; s++) {
                    const double *image = sides.image[s] + (size_t)WIDTH * r;
                    for (uint32_t c = 0; c < sides.width[s]; c++) {
                        to[s][c] -= image[c] * force;
                    }
                }
            }
        }
    }
    for (uint32_t row = graph->joint_rows; row < graph->plan.row_count; row++) {
        system->residual[row] *= system->scale[row];
    }
}

void afxi_hubs_correct(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t row = graph->joint_rows; row < graph->plan.row_count; row++) {
        system->residual[row] *= system->scale[row];
    }
    for (uint32_t pair = 0; pair < pair_count(graph); pair++) {
        const AfxiGraphBlock *block = pair_block(graph, pair);
        Sides sides = sides_of(system, block);
        const double *residual = system->hubs.residual + block->first_row - graph->joint_rows;
        for (uint32_t r = 0; r < block->row_count; r++) {
            uint32_t row = block->first_row + r;
            double rest = residual[r];
            for (int s = 0; system->active[row] && s < 2; s++) {
                const double *moved = system->residual + hub_row(graph, sides.hub[s]);
                rest -= dot(sides.image[s] + (size_t)WIDTH * r, moved, sides.width[s]);
            }
            system->lambda[row] += system->active[row] ? rest / system->compliance[row] : 0;
        }
    }
}
