/* SPDX-License-Identifier: Apache-2.0 */
/* CHOLMOD on the dual matrix of a sim: that of its last solve is assembled once more, and read from where the sim's own
 * factor takes it (src/sparse/block.h), which overwrites it.
 *
 * CHOLMOD gets what it likes best: the lower triangle by columns, analysed beforehand, supernodal, ordered by METIS.
 * Without CHOLMOD (package libsuitesparse-dev) there is no peer. */
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dual/assemble.h"
#include "sparse/factor.h"
#include "sparse/solve.h"
#include "sparse/values.h"
#include "step/sim.h"

#ifdef BENCH_CHOLMOD
#include <cholmod.h>

struct BenchPeer {
    cholmod_common common;
    cholmod_sparse *matrix;
    cholmod_factor *factor;
    cholmod_dense *rhs, *solution, *y, *e;
};

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Pairs i >= j of blocks that share a body, each once, as i 2^32 + j. */
static uint64_t *block_pairs(const AfxiGraph *graph, size_t *out_count) {
    size_t count = 0, kept = 0;
    for (uint32_t body = 0; body < graph->body_count; body++) {
        size_t entries = graph->body_start[body + 1] - graph->body_start[body];
        count += entries * (entries + 1) / 2;
    }
    uint64_t *pair = bench_allocate(count * sizeof *pair);
    count = 0;
    for (uint32_t body = 0; body < graph->body_count; body++) {
        for (uint32_t a = graph->body_start[body]; a < graph->body_start[body + 1]; a++) {
            for (uint32_t b = graph->body_start[body]; b <= a; b++) {
                uint64_t i = graph->entry[graph->body_entry[a]].block, j = graph->entry[graph->body_entry[b]].block;
                pair[count++] = i > j ? i << 32 | j : j << 32 | i;
            }
        }
    }
    qsort(pair, count, sizeof *pair, compare);
    for (size_t k = 0; k < count; k++) {
        if (k == 0 || pair[k] != pair[kept - 1]) {
            pair[kept++] = pair[k];
        }
    }
    *out_count = kept;
    return pair;
}

/* Element (row, column) of a pair's block, lower triangle, as a triplet. Rows that the sim leaves out become rows of
 * the identity, as they do in its own factor. */
static void add_block(cholmod_triplet *t, const AfxiSystem *system, uint32_t i, uint32_t j) {
    const AfxiBlockPlan *plan = &system->graph->plan;
    AfxiBlockSpot spot;
    if (!afxi_block_spot(plan, i, j, &spot)) {
        bench_fail("blocks %u and %u have no place in the matrix", (unsigned)i, (unsigned)j);
    }
    for (uint32_t r = plan->first_row[i]; r < plan->first_row[i + 1]; r++) {
        for (uint32_t c = plan->first_row[j]; c < plan->first_row[j + 1] && c <= r; c++) {
            double value = system->factor.value[spot.at + (size_t)(r - plan->first_row[i]) * spot.row_step +
                                                (size_t)(c - plan->first_row[j]) * spot.column_step];
            bool out = system->scale[r] == 0 || system->scale[c] == 0;
            ((int *)t->i)[t->nnz] = (int)r;
            ((int *)t->j)[t->nnz] = (int)c;
            ((double *)t->x)[t->nnz++] = out ? (double)(r == c) : value;
        }
    }
}

static cholmod_sparse *read_matrix(const AfxiSystem *system, cholmod_common *common) {
    const AfxiBlockPlan *plan = &system->graph->plan;
    size_t pairs, room = 0;
    uint64_t *pair = block_pairs(system->graph, &pairs);
    for (size_t k = 0; k < pairs; k++) {
        uint32_t i = (uint32_t)(pair[k] >> 32), j = (uint32_t)pair[k];
        room += (size_t)(plan->first_row[i + 1] - plan->first_row[i]) * (plan->first_row[j + 1] - plan->first_row[j]);
    }
    cholmod_triplet *t = cholmod_allocate_triplet(plan->row_count, plan->row_count, room, -1, CHOLMOD_REAL, common);
    if (!t) {
        bench_fail("CHOLMOD has no memory for the matrix");
    }
    for (size_t k = 0; k < pairs; k++) {
        add_block(t, system, (uint32_t)(pair[k] >> 32), (uint32_t)pair[k]);
    }
    cholmod_sparse *sparse = cholmod_triplet_to_sparse(t, t->nnz, common);
    cholmod_free_triplet(&t, common);
    free(pair);
    return sparse;
}

/* The matrix of the last solve: frames, inverses and scale are still those of it. */
static void assemble(AfxiSystem *system) {
    bool closed_form = system->bodies.on;
    system->bodies.on = true;
    afxi_dual_assemble(system);
    system->bodies.on = closed_form;
}

BenchPeer *bench_peer_open(const BenchSubject *subject) {
    AfxiSystem *system = &subject->sim->solver.lot[0].system;
    BenchPeer *peer = bench_allocate(sizeof *peer);
    if (system->graph->high_degree_count > 0) {
        bench_fail("the matrix of a hub is indefinite, which CHOLMOD's supernodal factor does not do");
    }
    cholmod_start(&peer->common);
    peer->common.supernodal = CHOLMOD_SUPERNODAL;
    peer->common.nmethods = 1;
    peer->common.method[0].ordering = CHOLMOD_METIS;
    peer->common.postorder = 1;
    assemble(system);
    peer->matrix = read_matrix(system, &peer->common);
    peer->factor = cholmod_analyze(peer->matrix, &peer->common);
    peer->rhs = cholmod_ones(peer->matrix->nrow, 1, CHOLMOD_REAL, &peer->common);
    if (!peer->matrix || !peer->factor || !peer->rhs) {
        bench_fail("CHOLMOD cannot analyse the matrix: status %d", peer->common.status);
    }
    return peer;
}

void bench_peer_run(void *context, uint32_t count) {
    BenchPeer *peer = context;
    for (uint32_t k = 0; k < count; k++) {
        if (!cholmod_factorize(peer->matrix, peer->factor, &peer->common) || peer->common.status != CHOLMOD_OK ||
            !cholmod_solve2(CHOLMOD_A, peer->factor, peer->rhs, NULL, &peer->solution, NULL, &peer->y, &peer->e,
                            &peer->common)) {
            bench_fail("CHOLMOD cannot factor the matrix: status %d", peer->common.status);
        }
    }
}

/* K x = 1 by the sim's factor of S K S: x = S (S K S)^-1 S 1. */
double bench_peer_difference(BenchPeer *peer, const BenchSubject *subject) {
    AfxiSystem *system = &subject->sim->solver.lot[0].system;
    const AfxiBlockPlan *plan = &system->graph->plan;
    double *x = bench_allocate(plan->row_count * sizeof *x), largest = 0, difference = 0;
    AfxiBlockReport report;
    memcpy(x, system->scale, plan->row_count * sizeof *x);
    assemble(system);
    afxi_block_factor(plan, &system->factor, system->scale, 0, NULL, &report);
    afxi_block_solve(plan, &system->factor, x);
    bench_peer_run(peer, 1);
    for (uint32_t row = 0; row < plan->row_count; row++) {
        double other = ((const double *)peer->solution->x)[row];
        largest = fmax(largest, fabs(other));
        difference = fmax(difference, system->scale[row] == 0 ? 0 : fabs(system->scale[row] * x[row] - other));
    }
    free(x);
    return difference / largest;
}

void bench_peer_close(BenchPeer *peer) {
    cholmod_free_dense(&peer->solution, &peer->common);
    cholmod_free_dense(&peer->y, &peer->common);
    cholmod_free_dense(&peer->e, &peer->common);
    cholmod_free_dense(&peer->rhs, &peer->common);
    cholmod_free_factor(&peer->factor, &peer->common);
    cholmod_free_sparse(&peer->matrix, &peer->common);
    cholmod_finish(&peer->common);
    free(peer);
}

#else

BenchPeer *bench_peer_open(const BenchSubject *subject) {
    (void)subject;
    return NULL;
}

void bench_peer_run(void *context, uint32_t count) {
    (void)context;
    (void)count;
}

double bench_peer_difference(BenchPeer *peer, const BenchSubject *subject) {
    (void)peer;
    (void)subject;
    return 0;
}

void bench_peer_close(BenchPeer *peer) {
    (void)peer;
}

#endif

/* The name that the loader mapped, with its version: the alternatives behind libblas.so.3 differ much in speed. */
void bench_peer_blas(char *out_name, size_t size) {
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    snprintf(out_name, size, "unknown");
    while (maps && fgets(line, sizeof line, maps)) {
        char *file = strrchr(line, '/');
        if (file && strstr(file, "blas")) {
            file[strcspn(file, "\n")] = '\0';
            snprintf(out_name, size, "%s", file + 1);
            if (strstr(file, "openblas")) {
                break; /* what a libblas.so of this build hands on to */
            }
        }
    }
    if (maps) {
        fclose(maps);
    }
}
