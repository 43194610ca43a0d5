/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of every mechanism, whatever is in it. */
#ifndef AFX_TEST_RANDOM_EXAMINE_H
#define AFX_TEST_RANDOM_EXAMINE_H

#include "mechanism.h"

/* fault, name, what it is */
#define FAULT_TABLE(X)                                                                                          \
    X(NONE, "none", "all is well")                                                                              \
    X(INFEASIBLE, "infeasible", "what is told cannot be, or not with this dt, and the step said why: no fault") \
    X(REFUSED, "refused", "a scene that should be fine was refused")                                            \
    X(FAILS, "fails", "a step failed though nothing stood in its way")                                          \
    X(SILENT, "silent", "a state that is not finite without an error, or an error that names no body")          \
    X(OPEN, "open", "joints that do not hold")                                                                  \
    X(ENERGY, "energy", "energy from nothing")                                                                  \
    X(BOOK, "book", "an energy book that does not add up, or not to what is stored")                            \
    X(THREADS, "threads", "other bits with two threads")                                                        \
    X(LANES, "lanes", "other bits with one lane")                                                               \
    X(RESTORE, "restore", "other bits after a snapshot was put back")                                           \
    X(WORK, "work", "a step that took more than fifty times the solver iterations of the median one")

typedef enum Fault {
#define FAULT_ENUM(fault, name, text) FAULT_##fault,
    FAULT_TABLE(FAULT_ENUM)
#undef FAULT_ENUM
        FAULT_COUNT
} Fault;

typedef struct Finding {
    Fault fault;
    uint32_t step;  /* where it showed first, from 1; 0: before the first */
    double amount;  /* gap over what is allowed, energy gained over that in motion, iterations over the median */
    uint32_t steps; /* that were taken */
    char text[200];
} Finding;

/** The name of a fault. */
const char *fault_name(Fault fault);
/** Runs a mechanism and looks at everything; the first fault found, in the order of the table, is told. */
Finding examine(const Mechanism *mechanism);
/** The same for one fault only, with no more runs than it takes. */
Finding examine_for(const Mechanism *mechanism, Fault fault);
/** The order that halving the step shows, over the first part of the run; NaN where it cannot be told. */
double examine_order(const Mechanism *mechanism);

/** Energy of all that stores some: motion, gravity, strain, springs of all kinds, and servos and forces that are
 * constant. *out_springs: of springs and compliant couplings. */
double stored_energy(const Mechanism *mechanism, const AfxSim *sim, AfxEnergy *out_parts, double *out_springs);

#endif
