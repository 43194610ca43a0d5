/* SPDX-License-Identifier: Apache-2.0 */
/* Block-sparse factor and solve on the dual matrices of nets of ball joints, trees and chains. Where CHOLMOD is there,
 * it does the same matrix (supernodal, METIS) in the same run. Times are the best of some rounds, one thread.
 * Arguments: names of problems (net10 ... net100, tree, edges, chain); all when there are none. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sparse/block.h"
#include "sparse/factor.h"
#include "sparse/library.h"
#include "sparse/plan.h"
#include "sparse/solve.h"
#include "sparse/values.h"
#ifdef BENCH_CHOLMOD
#include <cholmod.h>
#endif

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double random_unit(uint64_t *seed) {
    uint64_t z = (*seed += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void *allocate(size_t count, size_t size) {
    void *block = calloc(count + 1, size);
    if (!block) {
        fprintf(stderr, "bench: out of memory\n");
        exit(1);
    }
    return block;
}

/* Blocks of equal size and cliques of them. */
typedef struct Mesh {
    uint32_t count, rows, clique_count;
    uint32_t *size, *clique_start, *member;
} Mesh;

/* From a list of (clique, block), entries of them. */
static Mesh mesh_make(uint32_t count, uint32_t rows, uint32_t cliques, uint32_t entries, const uint32_t *clique,
                      const uint32_t *block) {
    Mesh mesh = {count, rows, cliques, allocate(count, 4), allocate(cliques + 2, 4), allocate(entries, 4)};
    for (uint32_t k = 0; k < count; k++) {
        mesh.size[k] = rows;
    }
    for (uint32_t k = 0; k < entries; k++) {
        mesh.clique_start[clique[k] + 2]++;
    }
    for (uint32_t k = 0; k < cliques; k++) {
        mesh.clique_start[k + 2] += mesh.clique_start[k + 1];
    }
    for (uint32_t k = 0; k < entries; k++) {
        mesh.member[mesh.clique_start[clique[k] + 1]++] = block[k];
    }
    return mesh;
}

/* k x k bodies, a link between neighbours, a ball joint at either end of every link. */
static Mesh mesh_net(uint32_t k) {
    uint32_t nodes = k * k, links = 2 * k * (k - 1), entries = 0, link = 0;
    uint32_t *clique = allocate(8 * (size_t)links, 4), *block = clique + 4 * links;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t neighbour[2] = {node + 1, node + k};
        int there[2] = {node % k + 1 < k, node + k < nodes};
        for (int side = 0; side < 2; side++) {
            for (uint32_t end = 0; there[side] && end < 2; end++) {
                clique[entries] = end ? neighbour[side] : node;
                block[entries++] = 2 * link + end;
                clique[entries] = nodes + link;
                block[entries++] = 2 * link + end;
            }
            link += (uint32_t)there[side];
        }
    }
    Mesh mesh = mesh_make(2 * links, 3, nodes + links, entries, clique, block);
    free(clique);
    return mesh;
}

/* A tree of bodies with up to two children each; bodies are cliques, or (edges) a joint is joined to its parent's. */
static Mesh mesh_tree(uint32_t count, uint32_t rows, int edges) {
    uint64_t seed = 7;
    uint32_t *clique = allocate(4 * (size_t)count, 4), *block = clique + 2 * (size_t)count, entries = 0, free_count = 1;
    uint32_t *open = allocate(2 * (size_t)count + 2, 4), *parent = allocate(count + 1, 4);
    open[0] = 0; /* bodies that can take a child, a place for each */
    for (uint32_t k = 0; k < count; k++) {
        uint32_t pick = (uint32_t)(random_unit(&seed) * free_count);
        parent[k + 1] = open[pick]; /* joint k hangs body k + 1 on this one */
        open[pick] = open[--free_count];
        open[free_count++] = k + 1;
        open[free_count++] = k + 1;
        if (edges) {
            if (parent[k + 1] > 0) {
                clique[entries] = k;
                block[entries++] = parent[k + 1] - 1;
            }
            clique[entries] = k;
            block[entries++] = k;
        } else {
            clique[entries] = parent[k + 1];
            block[entries++] = k;
            clique[entries] = k + 1;
            block[entries++] = k;
        }
    }
    Mesh mesh = mesh_make(count, rows, count + 1, entries, clique, block);
    free(clique);
    free(open);
    free(parent);
    return mesh;
}

static Mesh mesh_chain(uint32_t count) {
    uint32_t *clique = allocate(4 * (size_t)count, 4), *block = clique + 2 * (size_t)count, entries = 0;
    for (uint32_t k = 0; k + 1 < count; k++) {
        for (uint32_t end = 0; end < 2; end++) {
            clique[entries] = k;
            block[entries++] = k + end;
        }
    }
    Mesh mesh = mesh_make(count, 3, count - 1, entries, clique, block);
    free(clique);
    return mesh;
}

/* The matrix: for every clique G G^T over its members, G random, and the identity. */
typedef struct Matrix {
    const Mesh *mesh;
    uint32_t pair_count;
    uint32_t (*pair)[2];
    double *value; /* [pairs][rows * rows], column by column */
    double *b;
} Matrix;

static void add_clique(Matrix *matrix, uint32_t e, uint64_t *seed) {
    const Mesh *mesh = matrix->mesh;
    uint32_t n = mesh->clique_start[e + 1] - mesh->clique_start[e], m = mesh->rows, all = n * m;
    double *g = allocate((size_t)all * 12, sizeof(double));
    for (size_t k = 0; k < (size_t)all * 12; k++) {
        g[k] = (2 * random_unit(seed) - 1) * 0.5;
    }
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = 0; b <= a; b++) {
            uint32_t p = matrix->pair_count++;
            matrix->pair[p][0] = mesh->member[mesh->clique_start[e] + a];
            matrix->pair[p][1] = mesh->member[mesh->clique_start[e] + b];
            for (uint32_t c = 0; c < m; c++) {
                for (uint32_t r = 0; r < m; r++) {
                    double sum = a == b && r == c ? 0.5 : 0;
                    for (int k = 0; k < 12; k++) {
                        sum += g[12 * (a * m + r) + (uint32_t)k] * g[12 * (b * m + c) + (uint32_t)k];
                    }
                    matrix->value[((size_t)p * m + c) * m + r] = sum;
                }
            }
        }
    }
    free(g);
}

static Matrix matrix_make(const Mesh *mesh) {
    Matrix matrix = {.mesh = mesh};
    uint64_t seed = 3, pairs = 0;
    for (uint32_t e = 0; e < mesh->clique_count; e++) {
        uint64_t n = mesh->clique_start[e + 1] - mesh->clique_start[e];
        pairs += n * (n + 1) / 2;
    }
    matrix.pair = allocate(pairs, sizeof *matrix.pair);
    matrix.value = allocate(pairs * mesh->rows * mesh->rows, sizeof(double));
    matrix.b = allocate((size_t)mesh->count * mesh->rows, sizeof(double));
    for (uint32_t e = 0; e < mesh->clique_count; e++) {
        add_clique(&matrix, e, &seed);
    }
    for (size_t k = 0; k < (size_t)mesh->count * mesh->rows; k++) {
        matrix.b[k] = 2 * random_unit(&seed) - 1;
    }
    return matrix;
}

/* |A x - b|, the largest. */
static double residual(const Matrix *matrix, const double *x) {
    uint32_t m = matrix->mesh->rows;
    size_t rows = (size_t)matrix->mesh->count * m;
    double *left = allocate(rows, sizeof(double)), largest = 0;
    for (uint32_t p = 0; p < matrix->pair_count; p++) {
        size_t i = (size_t)matrix->pair[p][0] * m, j = (size_t)matrix->pair[p][1] * m;
        for (uint32_t c = 0; c < m; c++) {
            for (uint32_t r = 0; r < m; r++) {
                double value = matrix->value[((size_t)p * m + c) * m + r];
                left[i + r] += value * x[j + c];
                left[j + c] += i == j ? 0 : value * x[i + r];
            }
        }
    }
    for (size_t k = 0; k < rows; k++) {
        largest = fmax(largest, fabs(left[k] - matrix->b[k]));
    }
    free(left);
    return largest;
}

typedef struct Times {
    double plan, fill, factor, back, solve;
} Times;

static void keep_best(double *best, double time) {
    *best = *best == 0 || time < *best ? time : *best;
}

static void add_all(const Matrix *matrix, const AfxiBlockSpot *spot, double *value) {
    uint32_t m = matrix->mesh->rows;
    for (uint32_t p = 0; p < matrix->pair_count; p++) {
        const double *from = matrix->value + (size_t)p * m * m;
        for (uint32_t c = 0; c < m; c++) {
            double *to = value + spot[p].at + (size_t)c * spot[p].column_step;
            for (uint32_t r = 0; r < m; r++) {
                to[(size_t)r * spot[p].row_step] += from[c * m + r];
            }
        }
    }
}

static Times run_own(const Matrix *matrix, AfxiBlockOrder order, int rounds, double *x) {
    const Mesh *mesh = matrix->mesh;
    AfxAllocator allocator = afx_default_allocator();
    AfxiBlockGraph graph = {.count = mesh->count,
                            .size = mesh->size,
                            .clique_count = mesh->clique_count,
                            .clique_start = mesh->clique_start,
                            .member = mesh->member,
                            .order = order};
    AfxiBlockPlan plan;
    AfxiBlockFactor factor;
    AfxiBlockReport report;
    Times times = {0};
    double start = seconds();
    if (afxi_block_plan_create(&allocator, &graph, &plan) != AFX_OK) {
        fprintf(stderr, "bench: no plan\n");
        exit(1);
    }
    times.plan = seconds() - start;
    AfxiArena arena = {0};
    void *raw;
    size_t raw_size;
    afxi_block_take(&factor, &arena, &plan);
    arena.base = afxi_allocate_aligned(&allocator, arena.used, &raw, &raw_size);
    if (!arena.base) {
        fprintf(stderr, "bench: no memory\n");
        exit(1);
    }
    arena.used = 0;
    afxi_block_take(&factor, &arena, &plan);
    AfxiBlockSpot *spot = allocate(matrix->pair_count, sizeof *spot);
    for (uint32_t p = 0; p < matrix->pair_count; p++) {
        afxi_block_spot(&plan, matrix->pair[p][0], matrix->pair[p][1], &spot[p]);
    }
    for (int round = 0; round < rounds; round++) {
        start = seconds();
        afxi_block_clear(&plan, &factor);
        add_all(matrix, spot, factor.value);
        double filled = seconds();
        afxi_block_factor(&plan, &factor, NULL, 0, matrix->b, &report);
        double factored = seconds();
        afxi_block_back(&plan, &factor, x);
        double back = seconds();
        memcpy(x, matrix->b, plan.row_count * sizeof(double));
        double copied = seconds();
        afxi_block_solve(&plan, &factor, x);
        double solved = seconds();
        keep_best(&times.fill, filled - start);
        keep_best(&times.factor, factored - filled);
        keep_best(&times.back, back - factored);
        keep_best(&times.solve, solved - copied);
    }
    static const char *names[] = {"auto", "given", "dense", "own", "amd", "metis"};
    printf("  %-6s plan %8.2f fill %7.3f factor+forward %7.3f back %7.3f both %7.3f ms, solve %7.3f; "
           "%5.2f GFLOP/s of %.1f Mflop, %.1f MB, %u fronts, residual %.1e\n",
           names[plan.used], 1e3 * times.plan, 1e3 * times.fill, 1e3 * times.factor, 1e3 * times.back,
           1e3 * (times.factor + times.back), 1e3 * times.solve, 1e-9 * plan.flops / times.factor, 1e-6 * plan.flops,
           8e-6 * (double)plan.factor_length, (unsigned)plan.front_count, residual(matrix, x));
    free(spot);
    afxi_release(&allocator, raw, raw_size);
    afxi_block_plan_destroy(&plan);
    return times;
}

#ifdef BENCH_CHOLMOD
static cholmod_sparse *to_cholmod(const Matrix *matrix, cholmod_common *common) {
    uint32_t m = matrix->mesh->rows;
    size_t rows = (size_t)matrix->mesh->count * m, at = 0;
    cholmod_triplet *t =
        cholmod_allocate_triplet(rows, rows, (size_t)matrix->pair_count * m * m, -1, CHOLMOD_REAL, common);
    for (uint32_t p = 0; p < matrix->pair_count; p++) {
        size_t i = (size_t)matrix->pair[p][0] * m, j = (size_t)matrix->pair[p][1] * m;
        for (uint32_t c = 0; c < m; c++) {
            for (uint32_t r = i == j ? c : 0; r < m; r++) {
                size_t row = i + r, column = j + c;
                ((int *)t->i)[at] = (int)(row > column ? row : column);
                ((int *)t->j)[at] = (int)(row > column ? column : row);
                ((double *)t->x)[at++] = matrix->value[((size_t)p * m + c) * m + r];
            }
        }
    }
    t->nnz = at;
    cholmod_sparse *sparse = cholmod_triplet_to_sparse(t, at, common);
    cholmod_free_triplet(&t, common);
    return sparse;
}

static Times run_cholmod(const Matrix *matrix, int rounds, double *x) {
    cholmod_common common;
    Times times = {0};
    cholmod_start(&common);
    common.supernodal = CHOLMOD_SUPERNODAL;
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_METIS;
    common.postorder = 1;
    cholmod_sparse *a = to_cholmod(matrix, &common);
    cholmod_dense *b = cholmod_zeros(a->nrow, 1, CHOLMOD_REAL, &common);
    memcpy(b->x, matrix->b, a->nrow * sizeof(double));
    double start = seconds();
    cholmod_factor *l = cholmod_analyze(a, &common);
    times.plan = seconds() - start;
    cholmod_dense *solution = NULL, *y = NULL, *e = NULL;
    for (int round = 0; round < rounds; round++) {
        start = seconds();
        cholmod_factorize(a, l, &common);
        double factored = seconds();
        cholmod_solve2(CHOLMOD_A, l, b, NULL, &solution, NULL, &y, &e, &common);
        double solved = seconds();
        keep_best(&times.factor, factored - start);
        keep_best(&times.back, solved - factored);
    }
    memcpy(x, solution->x, a->nrow * sizeof(double));
    printf("  %-6s plan %8.2f              factor         %7.3f solve %6.3f both %7.3f ms; "
           "%5.2f GFLOP/s of %.1f Mflop, %.1f MB, residual %.1e\n",
           "cholmod", 1e3 * times.plan, 1e3 * times.factor, 1e3 * times.back, 1e3 * (times.factor + times.back),
           1e-9 * common.fl / times.factor, 1e-6 * common.fl, 8e-6 * common.lnz, residual(matrix, x));
    cholmod_free_dense(&solution, &common);
    cholmod_free_dense(&y, &common);
    cholmod_free_dense(&e, &common);
    cholmod_free_dense(&b, &common);
    cholmod_free_factor(&l, &common);
    cholmod_free_sparse(&a, &common);
    cholmod_finish(&common);
    return times;
}
#endif

static void run(const char *name, Mesh mesh, int rounds) {
    Matrix matrix = matrix_make(&mesh);
    double *x = allocate((size_t)mesh.count * mesh.rows, sizeof(double));
    printf("%s: %u blocks of %u rows\n", name, (unsigned)mesh.count, (unsigned)mesh.rows);
    static const AfxiBlockOrder orders[] = {AFXI_ORDER_OWN, AFXI_ORDER_AMD, AFXI_ORDER_METIS, AFXI_ORDER_AUTO};
    Times own = {0};
    for (int k = 0; k < 4; k++) {
        if (afxi_block_order_exists(orders[k])) {
            own = run_own(&matrix, orders[k], rounds, x);
        }
    }
#ifdef BENCH_CHOLMOD
    Times peer = run_cholmod(&matrix, rounds < 5 ? rounds : 5, x);
    printf("  factor and solve: %.1f times as fast as CHOLMOD\n", (peer.factor + peer.back) / (own.factor + own.back));
#else
    (void)own;
#endif
    free(x);
    free(matrix.pair);
    free(matrix.value);
    free(matrix.b);
    free(mesh.size);
    free(mesh.clique_start);
    free(mesh.member);
}

static int wanted(int argc, char **argv, const char *name) {
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], name) == 0) {
            return 1;
        }
    }
    return argc < 2;
}

int main(int argc, char **argv) {
    static const uint32_t nets[] = {10, 20, 50, 100};
    for (int k = 0; k < 4; k++) {
        char name[16];
        snprintf(name, sizeof name, "net%u", (unsigned)nets[k]);
        if (wanted(argc, argv, name)) {
            run(name, mesh_net(nets[k]), nets[k] < 50 ? 60 : 12);
        }
    }
    if (wanted(argc, argv, "tree")) {
        run("tree", mesh_tree(21000, 6, 0), 25);
    }
    if (wanted(argc, argv, "edges")) {
        run("edges", mesh_tree(21000, 6, 1), 25);
    }
    if (wanted(argc, argv, "chain")) {
        run("chain", mesh_chain(100000), 15);
    }
    return 0;
}
