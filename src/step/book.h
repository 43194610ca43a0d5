/* SPDX-License-Identifier: Apache-2.0 */
/* The energy book of a sim that was told to keep one: what was stored at the two ends of a step, and the work of all
 * that acted in between. What the sum leaves over is the integrator's. */
#ifndef AFXI_STEP_BOOK_H
#define AFXI_STEP_BOOK_H

#include "solve/stage.h"
#include "step/sim.h"

typedef struct AfxiBook {
    double *q, *v;         /* [bodies][12] at the beginning of a part of the step */
    AfxiFreeForce *forces; /* [dynamic bodies] by slot: wrenches there; NULL: none of them changes with time */
    double *lambda;        /* [rows], then [slots][3]: multipliers there */
    bool fits;             /* ... which are those of a step before */
    double share;          /* > 0: lambda is that of an earlier stage, whose forces have this share in the step */
    double sudden;         /* h²/h_v of the only stage over the part's length; 1 where there are several */
    double sudden_turning; /* the same of bodies that turn too far for generalised-α */
    AfxEnergyBook step;    /* of the last step, or of this one so far */
    AfxEnergyBook part;    /* of parts that may yet be done again in smaller ones */
    AfxEnergyBook total;
    double stored; /* J, at the beginning of the step */
    double made;   /* J, by the integrator, less what it dissipated since; never below 0 */
    double swing;  /* J, the largest so far in motion, strain and springs */
    double worked; /* J, by all others, as a sum of sizes */
    void *raw;
    size_t raw_size;
} AfxiBook;

/** The step begins. */
void afxi_book_open(AfxSim *sim);
/** A part of the step begins, at `begin` of it: the whole of it is one too. */
void afxi_book_begin(AfxSim *sim, double begin);
/** A stage that is not the last one is committed: its forces have this share in the step. */
void afxi_book_stage(AfxSim *sim, double length, double share);
/** The last stage of a part of the length `length`, of the step, is committed: adds the work on bodies that it moved.
 */
void afxi_book_end(AfxSim *sim, double length, const AfxiPlans *plans);
/** What the last parts were booked with stays: the whole step, or all parts of a component. */
void afxi_book_commit(AfxSim *sim);
/** Velocities jumped: they had the kinetic energy `before`. */
void afxi_book_jump(AfxSim *sim, double before);
/** Kinetic energy of all; 0 without a book. */
double afxi_book_kinetic(const AfxSim *sim);
/** The step is done: what is left is the integrator's. A step that failed has an empty book. True: the integrator has
 * made energy from nothing. */
bool afxi_book_close(AfxSim *sim, bool fine);
void afxi_book_destroy(AfxSim *sim);

/** Energy of springs of all kinds at q. */
double afxi_book_springs(const AfxSim *sim, const double *q);
/** Adds the work of rows, wrenches and dampers in a part of h seconds, which began with the book's q, v and multipliers
 * and ended with the state's. */
void afxi_book_work(const AfxSim *sim, double h, AfxEnergyBook *out);
/** Adds that of contacts and holds, whose forces are those of a stage and act for a share of the h seconds. */
void afxi_book_touch(const AfxSim *sim, double h, double share, AfxEnergyBook *out);

#endif
