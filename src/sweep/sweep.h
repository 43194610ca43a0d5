/* SPDX-License-Identifier: Apache-2.0 */
/* sweep/sweep.h: parameter studies: many runs of one scene, on threads of this process and on the processes of an MPI
 * job. docs/sweeps.md describes the study file and what is written. This room uses the public headers and the cases
 * only, so that the program and the Python package share it; it is a library of its own, not installed. */
#ifndef AFXI_SWEEP_SWEEP_H
#define AFXI_SWEEP_SWEEP_H

#include "affix/affix.h"

/** How the processes of a job talk. All calls come from one thread. Messages between two processes arrive in order. */
typedef struct AfxiTransport {
    void *state;
    uint32_t rank, size;
    /** Copies the message and returns at once. False when there is no memory. */
    bool (*send)(void *state, uint32_t to, const void *data, size_t size);
    /** The next message, if one is there: *out_data is freed by the caller. False when there is none. */
    bool (*receive)(void *state, uint32_t *out_from, void **out_data, size_t *out_size);
    /** The last call. */
    void (*close)(void *state);
} AfxiTransport;

typedef struct AfxiSweepProgress {
    uint64_t total;   /* runs of the study; of an optimiser the most there can be */
    uint64_t done;    /* with those that were done before */
    uint64_t resumed; /* done by an earlier start */
    uint64_t failed;  /* rows with a status other than AFX_OK */
    double best;      /* smallest objective so far; NaN without */
    uint32_t processes;
} AfxiSweepProgress;

typedef struct AfxiSweepDef {
    const char *path;               /* of the study file; relative scenes and tables are looked up from its folder */
    const char *text;               /* the study itself; NULL: read it from the path */
    const char *scene;              /* replaces the scene of the study; NULL: keep */
    const char *folder;             /* for results; made when it is not there */
    uint32_t jobs;                  /* threads of this process; 0: one */
    bool resume;                    /* go on with what the folder holds */
    bool merge;                     /* one HDF5 file of all runs, ordered, beside those of the ranks */
    bool hdf5;                      /* write HDF5 at all */
    uint32_t replays;               /* pages of the best runs */
    const AfxiTransport *transport; /* NULL: this process alone */
    void (*progress)(void *user, const AfxiSweepProgress *progress); /* may be NULL; a few times a second, on rank 0 */
    void *progress_user;
    const int32_t *stop; /* may be NULL: when it becomes other than 0, the runs at work are finished and kept */
} AfxiSweepDef;

typedef struct AfxiSweepOutcome {
    AfxiSweepProgress progress;
    bool stopped;          /* before all was done */
    uint64_t best_run;     /* UINT64_MAX: none */
    double best_objective; /* NaN: none */
    double run_seconds;    /* wall time of the runs, without reading before and writing after them */
    double busy_seconds;   /* that threads of all processes spent in runs */
    double finish_seconds; /* table, index and report */
    double index_seconds;  /* of it, the index over the files of the ranks */
} AfxiSweepOutcome;

AfxiSweepDef afxi_default_sweep(void);
/** Does the whole study. Every process of the job calls it; the outcome is that of rank 0. The error is the first one
 * of any process, where it can be told. */
AfxStatus afxi_sweep_study(const AfxiSweepDef *def, AfxiSweepOutcome *out_outcome, AfxError *out_error);

/* ---- single runs of a study, for callers with workers of their own ---- */

typedef struct AfxiStudy AfxiStudy;
typedef struct AfxiWorker AfxiWorker;

/** Reads a study and compiles its scene. `text` and `scene` may be NULL, as in AfxiSweepDef. */
AfxStatus afxi_study_open(const char *path, const char *text, const char *scene, AfxiStudy **out_study,
                          AfxError *out_error);
void afxi_study_close(AfxiStudy *study);
/** Runs of the design; 0 for an optimiser. */
uint64_t afxi_study_run_count(const AfxiStudy *study);
uint32_t afxi_study_vary_count(const AfxiStudy *study);
const char *afxi_study_vary_name(const AfxiStudy *study, uint32_t k);
/** Numbers that a run gives: the records, then the objective where there is one. */
uint32_t afxi_study_value_count(const AfxiStudy *study);
const char *afxi_study_value_name(const AfxiStudy *study, uint32_t k);
/** Parameters [vary_count] of a run of the design. */
AfxStatus afxi_study_point(const AfxiStudy *study, uint64_t run, double *out_point);

/** A worker does one run at a time; several of a study can work in several threads. */
AfxStatus afxi_worker_create(const AfxiStudy *study, AfxiWorker **out_worker, AfxError *out_error);
void afxi_worker_destroy(AfxiWorker *worker);
/** One run with parameters point[vary_count]: values[value_count] (NaN where it failed), a hash of the last state as in
 * `affix run --json`. The status is the run's; *out_error (may be NULL) tells what stopped it. */
AfxStatus afxi_worker_evaluate(AfxiWorker *worker, const double *point, double *out_values, uint64_t *out_hash,
                               AfxError *out_error);

#endif
