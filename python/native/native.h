/* SPDX-License-Identifier: Apache-2.0 */
/* python/native/native.h: what the Python package does in C: counted handles, runs of many steps, batches, bulk reads.
 *
 * The package sees the public headers, cases/cases.h and this file, all through python/tools/generate.py; so a
 * declaration here is a declaration there. A run is everything that stepping one sim needs, kept in one struct, so that
 * a step from Python is one call with two arguments. */
#ifndef AFXI_PYTHON_NATIVE_H
#define AFXI_PYTHON_NATIVE_H

#include "affix/affix.h"
#include "affix/out.h"

/* ---- memory ---- */

/** Blocks and bytes that are alive, of everything that the package made. */
typedef struct AfxiPyMemory {
    int64_t blocks;
    int64_t bytes;
} AfxiPyMemory;

typedef struct AfxiPyCounter AfxiPyCounter;

/** A counter for afxi_py_allocator, or NULL. It is never freed: the last object may go after the interpreter's
 * modules have. */
AfxiPyCounter *afxi_py_counter_create(void);
/** The C library's allocator, counted. */
AfxAllocator afxi_py_allocator(AfxiPyCounter *counter);
AfxiPyMemory afxi_py_memory(const AfxiPyCounter *counter);

/* ---- handles ---- */

/* A model lives until its owner and all its sims have dropped it, in whatever order the collector finds them. */
typedef struct AfxiPyModel AfxiPyModel;
typedef struct AfxiPySim AfxiPySim;

AfxStatus afxi_py_model_create(const AfxScene *scene, const AfxModelDef *def, AfxAllocator allocator,
                               AfxiPyModel **out_model, AfxError *out_error);
const AfxModel *afxi_py_model(const AfxiPyModel *model);
void afxi_py_model_drop(AfxiPyModel *model);
AfxStatus afxi_py_sim_create(AfxiPyModel *model, const AfxSimDef *def, AfxiPySim **out_sim);
AfxSim *afxi_py_sim(const AfxiPySim *sim);
void afxi_py_sim_drop(AfxiPySim *sim);

/* ---- runs ---- */

typedef enum AfxiPyStop {
    AFXI_PY_DONE = 0,
    AFXI_PY_PAUSED, /* `seconds` are over: call again for the rest */
    AFXI_PY_BUSY,   /* another thread is stepping this sim */
    AFXI_PY_INPUT,  /* input number `bad` was refused */
    AFXI_PY_OUTPUT, /* an output failed: `error` */
    AFXI_PY_STEP    /* a step failed: `status`, `report` */
} AfxiPyStop;

typedef struct AfxiPyRun {
    AfxSim *sim;
    uint32_t input_count;
    const uint32_t *drives; /* [input_count] drives that take input; NULL: inputs are the controls of the model */
    const double *wanted;   /* [input_count] their targets */
    double *given;          /* [input_count] what the sim was told last */
    uint32_t output_count;
    AfxOutput *const *outputs; /* [output_count] */
    double seconds;            /* return after this time at the latest, when steps are left */
    uint64_t done;             /* steps of the last call */
    uint32_t flags;            /* of all steps together; whoever asks clears them */
    uint32_t busy;
    uint32_t bad;
    AfxStatus status;
    AfxStepReport report; /* of the last step */
    AfxError error;
} AfxiPyRun;

/** Tells the sim which inputs have changed, then does up to `steps` steps with their outputs. */
AfxiPyStop afxi_py_run(AfxiPyRun *run, uint64_t steps);
/** The same for many sims on up to `threads` threads; a sim that fails stops, the others go on. Every sim is stepped by
 * one thread, so the results do not depend on their number. Pauses as a whole; left[count] holds the steps that each
 * has still to do, and is updated; stops[count] says why a sim that did any is not stepped further. Returns how many
 * stopped for another reason than DONE or PAUSED. */
uint32_t afxi_py_batch_run(AfxiPyRun *const *runs, uint32_t count, uint64_t *left, AfxiPyStop *stops, uint32_t threads);

/* ---- reading many numbers at once ---- */

typedef enum AfxiPyWhat {
    AFXI_PY_Q = 0,     /* bodies x 12 */
    AFXI_PY_V,         /* bodies x 12 */
    AFXI_PY_POSES,     /* bodies x 7 */
    AFXI_PY_TWISTS,    /* bodies x 6 */
    AFXI_PY_JOINTS,    /* coordinates */
    AFXI_PY_RATES,     /* coordinates */
    AFXI_PY_REACTIONS, /* joints x 6 */
    AFXI_PY_EFFORTS,   /* drives */
    AFXI_PY_MARKERS,   /* markers x 6: position, velocity */
    AFXI_PY_CONTACTS,  /* bodies x 6: forces of all contacts, torques about the centres of mass */
    AFXI_PY_ENERGY,    /* 4 */
    AFXI_PY_TIME,      /* 1 */
    AFXI_PY_WHAT_COUNT
} AfxiPyWhat;

/** The first coordinate of every joint, and the number of all: [joints + 1]. */
void afxi_py_joint_first(const AfxModel *model, int64_t *out_first);
/** Doubles that afxi_py_read writes. */
uint64_t afxi_py_read_size(const AfxModel *model, AfxiPyWhat what);
AfxStatus afxi_py_read(const AfxSim *sim, AfxiPyWhat what, double *out_values);
/** The same of many sims of one model, one after the other: [count][afxi_py_read_size]. */
AfxStatus afxi_py_batch_read(AfxiPyRun *const *runs, uint32_t count, AfxiPyWhat what, double *out_values);

/** The first `count` contacts of a sim: out_contacts[count]. */
AfxStatus afxi_py_contacts(const AfxSim *sim, uint32_t count, AfxContact *out_contacts);

#endif
