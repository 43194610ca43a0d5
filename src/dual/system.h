/* SPDX-License-Identifier: Apache-2.0 */
/* The dual system of one solve: rows per block -> dual blocks -> multipliers -> bodies.
 *
 * In the frames R_k the unknown of a body is delta = (beta, t - t_k), A = R_k (I + beta). With H block-diagonal,
 *     K lambda = C + J delta_0,   K = J H^-1 J^T + compliance,   delta = delta_0 - H^-1 J^T lambda,
 * delta_0 the solve without rows. K is scaled to unit diagonal. Where a pivot then shows redundant rows, a small eps is
 * added from there on, and refinement against the true K takes its effect out again. Contacts may be left
 * out of the matrix for the bodies that touch (hubs.h). */
#ifndef AFXI_DUAL_SYSTEM_H
#define AFXI_DUAL_SYSTEM_H

#include "base/memory.h"
#include "body/class.h"
#include "body/woodbury.h"
#include "dual/closed_form.h"
#include "dual/fold.h"
#include "dual/gradients.h"
#include "dual/hubs.h"
#include "dual/recursion.h"
#include "joint/rotational_spring.h"
#include "joint/row.h"
#include "model/model.h"

struct AfxiSystem;
/** Adds the products of the rows of `count` bodies of one batch to K. */
typedef void AfxiDualBlocks(const struct AfxiSystem *system, const uint32_t *bodies, uint32_t count);

/** The kernel for a lane count: one lane, or the widest that pays (0 and all other counts). */
AfxiDualBlocks *afxi_dual_blocks(uint32_t lanes);

/** The matrix whose factor serves AFX_SOLVER_CG, part of the state of a sim, and vectors. */
typedef struct AfxiOlderFactor {
    uint32_t *valid;                  /* [1] */
    double *matrix;                   /* [plan.clear_length] A */
    double *scale;                    /* [rows of the plan] */
    uint8_t *active;                  /* [rows] */
    bool stale;                       /* the factor is of another matrix and must be made anew from this one */
    double *direction, *image, *left; /* [rows] of the iteration, and of refinement; not part of the state */
} AfxiOlderFactor;

/** What AFX_SOLVER_GS needs: for each block the factor of its own part of K, and H^-1 J^T. */
typedef struct AfxiSweeps {
    size_t *square; /* [blocks + 1] into lower */
    double *lower;  /* row by row, a square per block */
    double *image;  /* as the jacobian */
    double *step;   /* [rows of the largest block] */
} AfxiSweeps;

/** Workspace and numbers of the rows of a sim. */
typedef struct AfxiSystem {
    const AfxiGraph *graph;
    AfxiBodyInverse *inverse;  /* [bodies of the graph] */
    double *start;             /* [bodies][12] delta_0 */
    double *delta;             /* [bodies][12] */
    double *value;             /* [rows] C at the frames */
    double *compliance;        /* [rows] */
    uint8_t *active;           /* [rows] 0: the multiplier is `fixed` */
    double *fixed;             /* [rows] */
    double *lambda;            /* [rows] result */
    double *residual, *scale;  /* [rows of the plan] */
    double rounding;           /* what rows of places need not hold better than, m or rad; 0: rows are of rates */
    double *jacobian;          /* [entry rows][12] */
    bool *points_out;          /* those of points are not there; NULL: they are */
    double *rotational_spring; /* [springs of ball joints][AFXI_ROTATIONAL_SPRING_RESULT] */
    AfxiBodiesWork bodies;     /* what closed forms need */
    const AfxiClosedFormKernel *closed_form;
    const AfxiClosedFormJointKernel *closed_form_joints;
    AfxiBodiesTally *bodies_tally; /* [parts] */
    AfxiJointsTally *joints_tally; /* [parts] */
    AfxiRecursionWork recursion;
    AfxiFold fold; /* drives that act on one coordinate, in trees */
    AfxiBlockFactor factor;
    AfxiDualBlocks *blocks; /* kernel of dual/blocks_wide.c */
    const AfxiGradientKernel *gradients;
    uint8_t *regularise;             /* part of the state: redundant rows were met */
    const AfxiWoodburySet *woodbury; /* contacts in the bodies' own blocks; NULL: none */
    const uint32_t *woodbury_of;     /* [bodies of the graph] into the Woodbury set, or UINT32_MAX */
    const AfxiMat3 *frame;           /* [bodies of the graph] R_k */
    AfxiOlderFactor older;           /* AFX_SOLVER_CG */
    AfxiSweeps sweeps;               /* AFX_SOLVER_GS */
    AfxiHubs hubs;                   /* of graphs that have some */
} AfxiSystem;

/** Lays the workspace out in an arena (both passes). */
void afxi_system_take(AfxiSystem *system, AfxiArena *arena, const AfxiGraph *graph);

typedef struct AfxiDualReport {
    double residual; /* largest |K lambda - rhs| after refinement, on the scaled rows */
    double pivot;    /* smallest; 1 where nothing was factored */
    uint32_t refinements;
    uint32_t iterations; /* of AFX_SOLVER_CG, or sweeps of AFX_SOLVER_GS */
    bool regularised;
    bool factored;    /* K has been, and afxi_dual_solve_again can be used */
    bool unconverged; /* AFX_SOLVER_GS: the cap of sweeps was reached */
} AfxiDualReport;

/** Makes lambda from value and start, then delta, for the present jacobians, inverses and active rows: by factoring K,
 * or as the solver of the graph says. `consistent`: redundant rows agree, as they do in all solves but the first. */
void afxi_dual_solve(AfxiSystem *system, bool consistent, AfxiDualReport *out);
/** The same for a solve that is not part of a step, always by factoring: what it finds of redundant rows is forgotten
 * again. */
void afxi_dual_solve_apart(AfxiSystem *system, bool consistent, AfxiDualReport *out);
/** After a solve that has factored K, with another start: lambda goes on from what it is until the rows hold. */
void afxi_dual_solve_again(AfxiSystem *system, AfxiDualReport *out);
/** Whether the last solve has left a factor that afxi_dual_meet can go by. */
bool afxi_dual_can_meet(const AfxiSystem *system);
/** With the factor of the last solve: lambda and delta that also make up for what rows are off by at its result, which
 * is more than first order, and in `residual`. */
void afxi_dual_meet(AfxiSystem *system);

#endif
