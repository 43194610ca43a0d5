/* SPDX-License-Identifier: Apache-2.0 */
/* A cell of the matrix: one feature on one mechanism. */
#ifndef AFX_TEST_MATRIX_CELL_H
#define AFX_TEST_MATRIX_CELL_H

#include "dense.h"
#include "rig.h"

typedef enum Verdict {
    VERDICT_NONE = 0,  /* not tried */
    VERDICT_GOOD,      /* agrees */
    VERDICT_BAD,       /* does not agree */
    VERDICT_REFUSED,   /* the library says that it does not do this, with an error */
    VERDICT_UNREACHED, /* what was to be tried did not happen */
    VERDICT_FAILED     /* a step failed, or was done in parts */
} Verdict;

typedef struct Cell {
    Verdict verdict;
    double error;   /* largest difference of a coordinate */
    char note[240]; /* what users are told, or what is wrong */
} Cell;

extern Cell cells[FEATURE_COUNT][ENGINE_COUNT];
extern const char *const feature_name[], *const engine_name[];
/** The integrator's name. */
const char *integrator_name(AfxIntegrator integrator);

/** Whether what a cell came to fails the test. */
bool cell_counts(Engine engine, Feature feature);

/** A running rig. */
typedef struct Run {
    Rig rig;
    AfxModel *model;
    AfxSim *sim;
    DenseHold hold;
    AfxStepReport report;
    uint32_t step, quiet, touching; /* steps since the last restart, impact or breaking; with contact, in a row */
    bool turning;                   /* generalised-alpha went by BDF2 */
} Run;

typedef struct RunOptions {
    AfxIntegrator integrator;
    AfxAccuracy accuracy;
    double dt;
    uint32_t solves, lanes, threads;
} RunOptions;

/** Starts a rig. False: it is refused, and the error says why. */
bool run_start(Engine engine, Feature feature, const RunOptions *options, Run *out_run, AfxError *out_error);
/** What happens before a step (switches, parameters, holds), and the step. */
AfxStatus run_step(Feature feature, Run *run);
void run_end(Run *run);
/** Whether the step just done is one that shows the feature. */
bool run_shows(Feature feature, const Run *run);
/** Largest difference of the sims' coordinates; 0 only when all bits are equal, and so are the velocities'. */
double run_distance(const AfxSim *a, const AfxSim *b);
/** The same of `count` bodies from `body` on. */
double run_distance_of(const AfxSim *a, const AfxSim *b, uint32_t body, uint32_t count);

#endif
