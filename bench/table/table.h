/* SPDX-License-Identifier: Apache-2.0 */
/* The table of benchmarks: subjects (a case, compiled and running), rounds that alternate, rows, and what is written.
 *
 * Whatever is compared runs in the same process, one round of each in turn, and the medians of the rounds are divided.
 * A machine that is slow for a while is then slow for all of them. */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdio.h>

#include "affix/affix.h"

#define BENCH_ROUNDS 21u
#define BENCH_GOALS 4u
#define BENCH_WARM 10u /* steps before a mark: a start is smoother than what follows, and takes fewer solves */

/** Bytes that an allocator of ours handed out. */
typedef struct BenchCount {
    size_t live, peak;
} BenchCount;

/** A built-in case that is compiled and running. */
typedef struct BenchSubject {
    BenchCount model_bytes, sim_bytes;
    AfxModel *model;
    AfxSim *sim;
    bool owns_model;
    uint32_t bodies;
    double scene_seconds, compile_seconds, create_seconds;
    void *mark; /* snapshot of bench_mark */
    size_t mark_size;
    /* Over all steps since bench_mark. */
    uint64_t steps, halved;  /* halved: steps that were done in smaller ones */
    uint32_t solves_most;    /* of any body in a step */
    double solves, residual; /* sum of the means over bodies; largest joint row */
} BenchSubject;

/** Arguments "name=value", separated by blanks. Ends the program with a message when the case cannot be built. */
void bench_open(BenchSubject *subject, const char *name, const char *arguments, const AfxSimDef *def);
/** A second sim of the same model. */
void bench_open_beside(BenchSubject *subject, const BenchSubject *other, const AfxSimDef *def);
void bench_close(BenchSubject *subject);
/** Steps, and keeps what the reports say; ends the program when a step fails. */
void bench_steps(BenchSubject *subject, uint32_t count);
/** The state that every round begins with: some steps from the start. Rounds then do the same work, bit for bit. */
void bench_mark(BenchSubject *subject, uint32_t steps);
/** Back to the mark; the context is a BenchSubject. */
void bench_rewind(void *context);
double bench_solves(const BenchSubject *subject);
/** Bytes per body of model and sim. */
double bench_bytes(const BenchSubject *subject);

/** Processor time of the calling thread. */
double bench_seconds(void);
/** Never returns NULL. */
void *bench_allocate(size_t size);
/** Prints the message and ends the program. */
_Noreturn void bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** One side of a comparison: `run` is what a round does; `prepare`, which may be NULL, is not timed. */
typedef struct BenchSide {
    void (*prepare)(void *context);
    void (*run)(void *context, uint32_t count);
    void *context;
    uint32_t count; /* passed to run; times are divided by it */
    double time[BENCH_ROUNDS];
    double median, least; /* s */
} BenchSide;

/** Rounds of `steps` steps of a subject from its mark. */
BenchSide bench_side(BenchSubject *subject, uint32_t steps);
/** Runs `rounds` (at most BENCH_ROUNDS) rounds of every side in turn, and sets medians and minima. */
void bench_alternate(BenchSide *sides, uint32_t count, uint32_t rounds);

typedef struct BenchGoal {
    const char *what;
    double value, limit;
    bool at_least; /* value >= limit is wanted, else value <= limit */
} BenchGoal;

typedef struct BenchRow {
    char name[80];
    uint32_t bodies;
    double median, least; /* s per step */
    double solves, residual, bytes;
    uint32_t solves_most;
    double halved; /* share of the steps */
    char more[240];
    const char *published;
    BenchGoal goal[BENCH_GOALS];
    uint32_t goal_count;
    bool smaller; /* a quick run's size: the goals do not apply */
} BenchRow;

/** Where rows go: the terminal and a file of Markdown. */
typedef struct BenchTable {
    FILE *file;
    bool quick;
    uint32_t rows, goals, met;
} BenchTable;

/** Name, bodies, times, solves, residual and bytes of a subject. */
BenchRow bench_row(const char *name, const BenchSubject *subject, const BenchSide *side);
void bench_goal(BenchRow *row, const char *what, double value, double limit, bool at_least);
void bench_head(BenchTable *table);
void bench_print(BenchTable *table, const BenchRow *row);

void bench_rows_chains(BenchTable *table);
void bench_rows_free(BenchTable *table);
void bench_rows_graph(BenchTable *table);
void bench_rows_lanes(BenchTable *table);
/** Writes scaling.csv. */
void bench_scaling(FILE *file, bool quick);

/** A dual matrix in CHOLMOD, ready to be factored (supernodal, ordered by METIS). NULL when CHOLMOD is not built in. */
typedef struct BenchPeer BenchPeer;
/** The matrix of the last solve of the subject, which has general joints. */
BenchPeer *bench_peer_open(const BenchSubject *subject);
/** One factorisation and one solve, `count` times; the context is a BenchPeer. */
void bench_peer_run(void *context, uint32_t count);
/** Largest difference between the peer's solution and that of the sim's own factor, relative to the largest entry. */
double bench_peer_difference(BenchPeer *peer, const BenchSubject *subject);
/** File of the BLAS that the process uses. */
void bench_peer_blas(char *out_name, size_t size);
void bench_peer_close(BenchPeer *peer);

#endif
