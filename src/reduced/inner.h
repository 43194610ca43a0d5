/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the formulation share. */
#ifndef AFXI_REDUCED_INNER_H
#define AFXI_REDUCED_INNER_H

#include "joint/axis.h"
#include "joint/law.h"
#include "reduced/dynamics.h"
#include "reduced/reduced.h"
#include "reduced/tuning.h"

/** What a row measures. */
typedef enum AfxiReducedSource {
    AFXI_REDUCED_LOOP,     /* a row of a joint that is no branch */
    AFXI_REDUCED_SCREW,    /* the advance of such a screw */
    AFXI_REDUCED_DRIVE,    /* a coordinate */
    AFXI_REDUCED_COUPLING, /* a sum of coordinates */
    AFXI_REDUCED_SPRING    /* a length */
} AfxiReducedSource;

/** One scalar of the state, with its gradient: exact rows, and what forces act along. */
typedef struct AfxiReducedRow {
    AfxiReducedSource source;
    uint32_t index; /* of its source: joint, drive, coupling or spring */
    uint32_t part;  /* LOOP: row of the joint's kind */
    uint32_t place; /* of its multiplier in the state; UINT32_MAX: none */
    uint32_t dof;   /* DRIVE: its coordinate is factor times that of one velocity; AFXI_TREE_NONE: not so */
    double factor;
    double sign; /* of its multiplier there */
} AfxiReducedRow;

/** What a row is at a state. */
typedef struct AfxiReducedMeasure {
    double value, rate; /* of the motion: targets are not in it */
} AfxiReducedMeasure;

/** The state of the formulation itself, in a snapshot; raw coordinates follow from it. */
typedef struct AfxiReducedState {
    double *q, *u; /* [coordinates], [dofs] */
} AfxiReducedState;

typedef struct AfxiReduced {
    struct AfxiReduced *self;
    AfxAllocator allocator;
    AfxiWorld *world;
    const AfxModel *model;
    AfxiTree tree;
    AfxiTreeWork work;
    void *raw;
    size_t raw_size;
    bool stale;                        /* parameters were edited */
    uint32_t exact_count, force_count; /* rows that hold exactly; along which forces act */
    AfxiReducedRow *exact, *force;
    uint32_t ball_count, *ball; /* joints with a spring about three axes */
    double *q, *u, *du;         /* [coordinates], [dofs], [dofs] at the evaluation */
    double *bias, *tau, *mass;  /* [dofs], [dofs], [dofs][dofs] */
    double *stage_q, *place[4], *stage_u[4], *stage_du[4];
    double *gradient, *half, *schur, *side, *lambda,
        *rest;                    /* of the exact rows: [rows][dofs] twice, [rows][rows] ... */
    double *row, *force_gradient; /* [dofs] */
    AfxiReducedMeasure *measure;  /* [exact rows] */
    AfxiSpatial *external;        /* [nodes] */
    double *told;                 /* multipliers by place, of the end of a step */
    AfxiSpatial *wrench;          /* [carried] of reactions */
    double violation;
    bool regularised;
} AfxiReduced;

/** How q and u lie in the state's own bytes. */
AfxiReducedState afxi_reduced_state(const AfxiReduced *work);

#endif
