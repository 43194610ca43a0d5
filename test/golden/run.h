/* SPDX-License-Identifier: Apache-2.0 */
/* One scene, one integrator, one accuracy: the steps are run and what the public API tells of them is hashed. */
#ifndef AFX_TEST_GOLDEN_RUN_H
#define AFX_TEST_GOLDEN_RUN_H

#include "affix/affix.h"

#include <stdio.h>

/* What an action needs from one step to another; freed by the run. */
typedef struct GoldenMemory {
    void *snapshot;
    size_t size;
} GoldenMemory;

/** Called before step `step` (from 0): inputs, switches, edits. */
typedef void GoldenAct(AfxSim *sim, uint32_t step, GoldenMemory *memory);

typedef struct GoldenScene {
    const char *label;
    const char *from;                     /* a built-in case, or NULL */
    const char *args;                     /* of the case: "name=value name=value" */
    AfxStatus (*build)(AfxScene **scene); /* where there is no case */
    AfxSolver solver;                     /* of the model */
    GoldenAct *act;                       /* may be NULL */
    double dt;                            /* 0: the case's, or 0.01 */
    uint32_t steps;                       /* 0: as the settings say */
    uint32_t solves;                      /* a fixed number of them; 0: as many as are needed */
    uint32_t poor;                        /* from this step on (from 1) there is no memory for two steps; 0: never */
    AfxFormulation formulation;           /* others than our own are run with BDF1 alone: they are defined with it */
} GoldenScene;

/** Called when a sim was made, and after each of its steps (`report` is NULL the first time). */
typedef void GoldenWatch(AfxSim *sim, const AfxStepReport *report);

typedef struct GoldenSettings {
    AfxIntegrator integrator;
    AfxAccuracy accuracy;
    uint32_t steps, lanes, threads;
    GoldenWatch *watch; /* may be NULL */
} GoldenSettings;

typedef struct GoldenLine {
    uint64_t values; /* of coordinates, velocities, reactions, joint coordinates and contacts of every step */
    uint64_t solves; /* of status, solves and flags of every step */
    uint32_t steps, failed, flags; /* flags: those of all steps together */
    double energy, largest;        /* at the end: total energy, largest |q| */
} GoldenLine;

/** Runs a scene. Where `dump` is not NULL the final coordinates are written to it, after `label`. False: the scene
 * could not be made, `error` says why. */
bool golden_run(const GoldenScene *scene, const GoldenSettings *settings, const char *label, FILE *dump,
                GoldenLine *out_line, AfxError *error);

/** Whether a scene is run with an integrator. */
bool golden_takes(const GoldenScene *scene, AfxIntegrator integrator);

/** The scenes: built-in cases first, then those made here. */
extern const GoldenScene golden_cases[], golden_made[];
extern const uint32_t golden_case_count, golden_made_count;

#endif
