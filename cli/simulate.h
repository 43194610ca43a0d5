/* SPDX-License-Identifier: Apache-2.0 */
/* cli/simulate.h: from settings to the numbers of a finished run. */
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include "cli/energy.h"
#include "cli/failure.h"
#include "cli/interrupt.h"
#include "cli/memory.h"
#include "cli/names.h"
#include "cli/settings.h"
#include "cli/start.h"
#include "cli/trace.h"
#include "cli/verify.h"
#include "out/bytes.h"
#include "out/lock.h"

/** The snapshots of a run; see cli/checkpoint.h. */
typedef struct CliCheckpoint {
    double next; /* cli_clock time of the next one, where the clock decides */
    bool saved;  /* there is one of this run */
    bool keep;   /* and it is sound: the next one keeps it */
    bool failed; /* the last one could not be written */
    AfxiLock lock;
    AfxiBytes scene; /* for the snapshots, packed */
} CliCheckpoint;

/** What comes before the first step. */
typedef enum CliStart {
    CLI_START_SCENE,   /* building or loading the scene */
    CLI_START_COMPILE, /* scene to model; the scene is freed where nothing needs it any more */
    CLI_START_CREATE,  /* model to sim, and the outputs */
    CLI_START_COUNT
} CliStart;

typedef struct CliRun {
    /* what is alive while the run is reported */
    CliMemory memory;
    AfxModel *model;
    AfxSim *sim;
    CliNames names;
    int64_t freedom;
    uint32_t redundant;
    CliMisfits misfits; /* at the start; none of a run that goes on from a snapshot */
    bool mobile;        /* freedom and redundant are known */
    bool interrupted;   /* the run ended before its time */
    CliOutputs outputs;
    CliCheckpoint checkpoint;
    CliInterrupt interrupt;
    CliVerify verify;
    CliEnergyBook energy_book;
    uint64_t resumed_step; /* where a resumed run went on; else 0 */
    uint64_t traced_step;  /* where the trace begins */
    CliTraceFile trace_file;
    CliFailure failure_kept; /* what is needed of a step that fails */
    /* what came out */
    AfxStatus status; /* of the last step */
    AfxStepReport failure;
    uint64_t steps;                        /* made */
    double start_seconds[CLI_START_COUNT]; /* until the first step can be taken */
    double wall_seconds;
    double step_seconds;                   /* median; NaN without steps */
    double stage_seconds[AFX_STAGE_COUNT]; /* sums */
    double solves_sum;                     /* of the means per body */
    uint32_t solves_max;
    double residual_max, rotation_error_max;
    uint32_t asleep;       /* bodies, after the last step */
    uint32_t contacts_max; /* most points that touched after a step */
    double depth_max;      /* m, deepest of them */
    uint32_t flags;        /* of all steps */
    AfxEnergy energy_first, energy_last;
    AfxMomentum momentum_first, momentum_last;
    bool finite;
} CliRun;

/** Builds scene, model and sim, and opens the outputs. An exit code, with the error printed. The run must be destroyed
 * in any case. */
int cli_run_create(CliSettings *settings, CliRun *out_run);
/** Takes all steps, or stops at the first that fails. trace may be NULL. An exit code; only memory is an error
 * here: a numerical failure is in run->status. */
int cli_run_simulate(const CliSettings *settings, CliRun *run, CliTrace *trace);
/** Frees everything; when a signal was held back, it ends the program here. */
void cli_run_destroy(CliRun *run);
/** FNV-1a of the bytes of all raw coordinates and velocities: equal for equal bits. */
uint64_t cli_run_hash(const CliRun *run);

#endif
