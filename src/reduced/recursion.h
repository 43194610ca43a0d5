/* SPDX-License-Identifier: Apache-2.0 */
/* The recursions over a tree in lanes: one robot, or several of one model side by side, each in a lane of its own. One
 * lane and many give the same bits.
 *
 * All arrays are in lanes: [..][lanes]. With one lane, they are the plain arrays of dynamics.h, and numbers are those
 * of the tree; with more, numbers of each robot's own parameters are in the workspace (afxi_tree_work_numbers).
 *
 * The mass matrix and its factor M = L^T L are packed: row i holds the entries of the degrees of freedom on the way
 * from the root to i, i last. The way to an ancestor is a part of the way to i, so that rows line up (Featherstone
 * 2008, 6.5). The factor's diagonal is kept as its inverse. */
#ifndef AFXI_REDUCED_RECURSION_H
#define AFXI_REDUCED_RECURSION_H

#include "reduced/dynamics.h"

/** Rows of a packed matrix. */
typedef struct AfxiTreeRows {
    uint32_t dof_count, size;
    uint32_t *row;   /* [dofs + 1] where row i begins */
    uint32_t *above; /* [size] columns of its entries, in ascending order: from the root to i */
    uint32_t *run;   /* [dofs] the first of those in a row, without a gap, that end its way with i */
} AfxiTreeRows;

/** How many entries the rows have. */
size_t afxi_tree_rows_size(const AfxiTree *tree);
/** Fills them in; the arrays are there. */
void afxi_tree_rows_set(const AfxiTree *tree, AfxiTreeRows *out_rows);
/** Fills in `run` from the others. */
void afxi_tree_rows_runs(AfxiTreeRows *rows);

/** The mass matrix, packed, from the inertias beyond the nodes as they are; one lane. */
void afxi_tree_mass_packed(const AfxiTreeWork *work, const AfxiTreeRows *rows, double *out_mass);

/** What a step evaluates at once. Inputs that may be NULL count as 0; outputs that may be NULL are not made. */
typedef struct AfxiTreeTask {
    const double *q, *u;
    const double *du;            /* may be NULL */
    const AfxiSpatial *external; /* may be NULL */
    const AfxiTreeRows *rows;    /* of `mass` */
    double *tau;                 /* [dofs] what accelerations du take, less what external wrenches give */
    double *mass;                /* [rows->size], may be NULL */
    bool placed;                 /* frames, motion axes and velocities of q, u are there */
    const double *past, *rate;   /* `balance`: momenta before, [6] of each node with mass, and 1 / b, one number */
} AfxiTreeTask;

/** Rows J over a factored mass matrix, and room for their system S = J M^-1 J^T. */
typedef struct AfxiTreeSystem {
    const AfxiTreeRows *rows; /* of the factor */
    const double *factor;
    uint32_t row_count;
    double *gradient;          /* [rows][dofs] J; rows that nothing changes become 0 */
    double *free;              /* [rows] 1/mass along a row of its bodies by themselves; may be `rest` */
    double *compliance, *side; /* [rows] how they give way; what they are off by at x = 0 */
    double *half, *schur;      /* [rows][dofs], [rows][rows] */
    double *lambda, *rest;     /* [rows] multipliers; what is left */
    double *row;               /* [dofs] */
} AfxiTreeSystem;

/* Numbers of a force along a coordinate x: push = stiffness (x - target) + damping (x' - its rate), no more than
 * `most`; tau -= factor push. */
enum {
    AFXI_LAW_FACTOR,
    AFXI_LAW_STIFFNESS,
    AFXI_LAW_DAMPING,
    AFXI_LAW_TARGET,
    AFXI_LAW_TARGET_RATE,
    AFXI_LAW_MOST,
    AFXI_LAW_PUSH,
    AFXI_LAW_NUMBERS
};

/** A force along a coordinate of the tree. */
typedef struct AfxiTreeLaw {
    uint32_t dof, coordinate;
    bool linear;    /* else `push` is given */
    double *number; /* [AFXI_LAW_NUMBERS] as above */
} AfxiTreeLaw;

struct AfxiTreeKernels {
    uint32_t lanes;
    void (*pose)(AfxiTreeWork *work, const double *q);
    void (*velocity)(AfxiTreeWork *work, const double *u);
    void (*inertia)(AfxiTreeWork *work);
    void (*inverse)(AfxiTreeWork *work, const double *du, const AfxiSpatial *external, double *out_tau);
    void (*evaluate)(AfxiTreeWork *work, const AfxiTreeTask *task);
    /** The same with what takes momenta of the nodes with mass, each about its centre, from the past ones to those of
     * q, u in a time b, less weights, in place of inverse dynamics; du moves armature alone, and accelerations of nodes
     * are not made. */
    void (*balance)(AfxiTreeWork *work, const AfxiTreeTask *task);
    /** Frames, motion axes, velocities and inertias of the nodes themselves, and these momenta, [6] of each. */
    void (*momenta)(AfxiTreeWork *work, const double *q, const double *u, double *out);
    /** M = L^T L in place; bit l is set where that of lane l is positive definite. */
    unsigned (*factor)(const AfxiTreeRows *rows, double *mass);
    /** x = M^-1 x, and x = L^-T x, half of it. */
    void (*solve)(const AfxiTreeRows *rows, const double *factor, double *x);
    void (*half_solve)(const AfxiTreeRows *rows, const double *factor, double *x);
    /** out += h q'(at, u), rotations by their four numbers; `normalise` makes these unit again. */
    void (*add_rate)(const AfxiTree *tree, const double *at, const double *u, double h, double *out);
    void (*normalise)(const AfxiTree *tree, double *q);
    /** S with a share of its diagonal, `damping`, factored: bit l is set where lane l has redundant rows and it was
     * regularised. */
    unsigned (*system_factor)(const AfxiTreeSystem *system, double damping);
    /** x -= M^-1 J^T lambda until J x + side = compliance lambda: bit l is set where that of lane l is finite. */
    unsigned (*system_correct)(const AfxiTreeSystem *system, double *x, int passes);
    /** The same after x = M^-1 x. */
    unsigned (*system_fall)(const AfxiTreeSystem *system, double *x, int passes);
    /** As afxi_tree_to_raw, of each lane's robot: raw coordinates and velocities [lanes]. */
    void (*to_raw)(const AfxiTreeWork *work, const double *q, const double *u, double *const *raw_q,
                   double *const *raw_v);
    /** Adds what `count` forces give to tau; what each pushes with is left among its numbers. */
    void (*push)(const AfxiTreeLaw *law, uint32_t count, const double *q, const double *u, double *tau);
    /** out = a + scale b, of `count` numbers. */
    void (*add_scaled)(size_t count, const double *a, double scale, const double *b, double *out);
    /** Bit l is set where all numbers of lane l are finite. */
    unsigned (*finite)(size_t count, const double *x);
    /** Sines and cosines of angles, one in each lane. */
    void (*sincos)(const double *angle, double *out_sin, double *out_cos);
};

/** Those for a number of lanes: 1, or what this machine does at once (0). */
const AfxiTreeKernels *afxi_tree_kernels(uint32_t lanes);

/** Frames, motion axes, velocities, inertias, inverse dynamics and the mass matrix in one pass outwards and one
 * inwards. */
static inline void afxi_tree_evaluate(AfxiTreeWork *work, const AfxiTreeTask *task) {
    work->placed = false;
    work->kernels->evaluate(work, task);
}

#endif
