/* SPDX-License-Identifier: Apache-2.0 */
/* Optimisers that ask for rounds of points and are told what they gave, so that the workers do the runs of a round side
 * by side. They work in the unit cube of the parameters' ranges, and are functions of the study and of what they are
 * told alone: told the same, they ask the same, whichever process did what. */
#ifndef AFXI_SWEEP_OPTIMISE_H
#define AFXI_SWEEP_OPTIMISE_H

#include "sweep/study.h"

typedef struct AfxiOptimiser AfxiOptimiser;

/** A method: fills points of a round into optimiser->units, and learns from optimiser->results. */
typedef struct AfxiMethodTable {
    /** Doubles of memory that it needs beside the rounds, for n parameters and m residuals. */
    size_t (*memory)(const AfxiOptimiser *optimiser);
    /** Points of the largest round. */
    uint32_t (*most)(const AfxiOptimiser *optimiser);
    void (*begin)(AfxiOptimiser *optimiser);
    /** Sets optimiser->count; 0: it is over. */
    void (*ask)(AfxiOptimiser *optimiser);
    void (*tell)(AfxiOptimiser *optimiser);
} AfxiMethodTable;

struct AfxiOptimiser {
    const AfxiStudy *study;
    const AfxiOptimiserDef *def;
    const AfxiMethodTable *table;
    uint32_t n;                 /* parameters */
    uint32_t width;             /* numbers that a run gives: objective, residuals */
    uint32_t population;        /* points of a round where the method is free to choose */
    uint32_t round;             /* rounds that were told */
    uint32_t count;             /* points of the round that was asked for */
    double *units;              /* [most][n] */
    double *results;            /* [most][width]; objectives that are not finite count as the worst */
    double *memory;             /* the method's */
    uint32_t stage;             /* the method's */
    double best;                /* smallest objective so far */
    double *best_unit;          /* [n] */
    double before;              /* best of the last round, for the tolerance */
    uint32_t still, still_most; /* rounds without progress, and when there were enough of them */
};

extern const AfxiMethodTable afxi_method_cma, afxi_method_cross_entropy, afxi_method_gauss_newton, afxi_method_lbfgs;

AfxStatus afxi_optimiser_create(const AfxiStudy *study, AfxiOptimiser **out_optimiser, AfxError *out_error);
void afxi_optimiser_destroy(AfxiOptimiser *optimiser);
/** The next round: its number of points; 0 when it is over. */
uint32_t afxi_optimiser_ask(AfxiOptimiser *optimiser);
/** After results[count][width] were filled. */
void afxi_optimiser_tell(AfxiOptimiser *optimiser);
/** Runs of all rounds, at most. */
uint64_t afxi_optimiser_most(const AfxiOptimiser *optimiser);

/* ---- for methods ---- */

/** Mirrors a coordinate into [0, 1]. */
double afxi_unit_fold(double x);
/** Indices of the results by rising objective. */
void afxi_optimiser_rank(const AfxiOptimiser *optimiser, uint32_t *out_order);
/** The start in the unit cube. */
void afxi_optimiser_start(const AfxiOptimiser *optimiser, double *out_unit);
/** Solves a symmetric positive definite system by Cholesky, in place (a [n][n], b [n]); false when it is none. */
bool afxi_cholesky_solve(uint32_t n, double *a, double *b);

#endif
