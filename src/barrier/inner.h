/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of barrier contact share. A stage minimises, over all bodies that are solved for,
 *
 *     sum 1/2 |q - q^|²_M / h² + V(q) - loads + kappa sum w e B(d) + sum mu lambda f(|u|)     under C(q) = 0
 *
 * by Newton's method. A body moves by a turn w and, where it is elastic, a strain s, both in its own axes, and a shift:
 *     A' = A exp[w] (I + s),   t' = t + x:   6 or 12 numbers.
 * A contact is two points of two bodies, a normal, and the derivatives of its barrier: to the matrix it is rank 1. */
#ifndef AFXI_BARRIER_INNER_H
#define AFXI_BARRIER_INNER_H

#include "barrier/distance.h"
#include "barrier/surface.h"
#include "barrier/tuning.h"
#include "contact/broad.h"
#include "sparse/block.h"
#include "state/integrator.h"
#include "state/world.h"

#define AFXI_BARRIER_WIDTH 12u
#define AFXI_BARRIER_SIDES (2 * AFX_COUPLING_TERMS)

/* Where all bodies are: at the beginning of the step, at the present iterate, at the one that is tried. */
typedef enum AfxiBarrierPlace { AFXI_BEGIN, AFXI_NOW, AFXI_TRIED, AFXI_BARRIER_PLACES } AfxiBarrierPlace;

/** A body that is solved for. */
typedef struct AfxiBarrierBody {
    uint32_t body;  /* of the model */
    uint32_t width; /* 6: rigid, 12: elastic */
    uint32_t first; /* of its numbers in the vector of all unknowns */
    double c[3];    /* s_k / h², damping included */
    double c_t;     /* m / h², likewise */
    double mu, la;  /* elastic: V mu, V lambda */
    double k;       /* of the published energy: V k */
    bool straight;  /* coordinates go along straight lines, as published */
    double qhat[AFXI_AFFINE_WIDTH], qv[AFXI_AFFINE_WIDTH];
    double target[AFXI_AFFINE_WIDTH]; /* what inertia draws it to */
    double force_a[9], force[3];      /* loads on A and t, as they are at the iterate */
    double extent;                    /* of its surface, or of what it is held at */
    double stiffness;                 /* what its barriers are multiplied by */
    const AfxiStagePlan *plan;
    bool touched; /* a contact pushes it */
    bool bound;   /* by rows or contacts, at the iterate */
} AfxiBarrierBody;

/** Two primitives that may come near each other. */
typedef struct AfxiCandidate {
    uint8_t stencil; /* AfxiStencil */
    uint32_t v[4];   /* vertices */
    uint32_t shape[2];
    uint32_t feature; /* of the first side: a vertex, or behind these an edge */
    double weight;
} AfxiCandidate;

/** What holds a shape, in the principal frame of its body: the box of its vertices, `radius` wider. */
typedef struct AfxiBarrierBox {
    AfxVec3 center, half;
    double radius;
} AfxiBarrierBox;

/** What a primitive sweeps from AFXI_NOW to AFXI_TRIED. */
typedef struct AfxiBarrierSwept {
    double lower[3], upper[3];
} AfxiBarrierSwept;

/** A primitive in the box that two shapes have in common, and where it begins along the axis by which they are sorted.
 */
typedef struct AfxiBarrierNear {
    double key;
    uint32_t of;
} AfxiBarrierNear;

/** Primitives of a shape that are near, sorted; none is longer than `longest` along the axis. */
typedef struct AfxiBarrierNearList {
    AfxiBarrierNear *near;
    const AfxiBarrierSwept *box; /* of all primitives of this sort */
    uint32_t count, capacity;
    double longest;
} AfxiBarrierNearList;

/** Two primitives that are near: points y of two bodies (the second may stand still), n from the second to the first.
 */
typedef struct AfxiBarrierContact {
    uint32_t body[2]; /* of the model */
    uint32_t shape[2];
    uint32_t feature;
    AfxVec3 y[2], n;
    double kappa;           /* of its barrier, with all weights */
    double gap, force;      /* force > 0 pushes them apart */
    double stiffness, lead; /* of the line that stands for the barrier, and what it pushes more than that */
    double fade;            /* edges: dE/dc of the mollifier's c = |u x v|² */
    AfxVec3 edge[2];        /* ... and the edges, in their bodies */
    AfxiCandidate of;
    double rate; /* of its gap along the Newton step */
} AfxiBarrierContact;

/** What a Newton step leads to: a candidate, and the force that it would have there (negative: not known). */
typedef struct AfxiBarrierWatch {
    AfxiCandidate of;
    double force;
} AfxiBarrierWatch;

/** A contact whose friction acts, with what is frozen of it. */
typedef struct AfxiBarrierFriction {
    uint32_t body[2], feature;
    AfxVec3 y[2], n;
    AfxVec3 offset; /* slip at the beginning of the step less the place there */
    double limit;   /* mu lambda */
    AfxVec3 share;  /* of Coulomb's force that the last Newton step leads to, along the slip: a length of 1 at most */
} AfxiBarrierFriction;

/** What a vertex or an edge remembers of a body that it touches: the slip of its friction. */
typedef struct AfxiBarrierMemory {
    double slip[3];
    uint32_t partner; /* body + 1; 0: none */
    uint32_t unused;
} AfxiBarrierMemory;

#define AFXI_BARRIER_PARTNERS 2u

typedef struct AfxiBarrierRow {
    uint32_t index, joint; /* as AfxiGraphRow; UINT32_MAX: of no joint */
    uint32_t lambda;       /* in the state; UINT32_MAX: nowhere */
    uint32_t slot;         /* of one of its bodies */
    uint8_t source;        /* AfxiRowSource */
    int8_t sign;           /* of its multiplier in the state */
    bool active;
    double measured, value, compliance, fixed, multiplier;
} AfxiBarrierRow;

/** Rows of a joint, coupling or spring, and the bodies that they act on. */
typedef struct AfxiBarrierBlock {
    uint32_t first_row, row_count, first_entry, entry_count;
} AfxiBarrierBlock;

typedef struct AfxiBarrierEntry {
    uint32_t slot;
    size_t gradient; /* of the rows of its block, [rows][12] */
} AfxiBarrierEntry;

/** A pair of bodies that are solved for and are near each other: slots a < b. */
typedef struct AfxiBarrierPair {
    uint32_t a, b;
} AfxiBarrierPair;

/** The matrix: bodies, pairs of bodies that touch, rows. */
typedef struct AfxiBarrierSystem {
    AfxiBlockPlan plan;
    AfxiBlockFactor factor;
    bool planned;
    void *raw;
    size_t raw_size;
    AfxiBarrierPair *pairs; /* [pair_count] sorted */
    uint32_t pair_count, pair_capacity;
    AfxiBlockSpot *pair_spot, *body_spot, *entry_spot, *row_spot;
    double *pair_block;      /* [pair_count][144] column-major: rows of b, columns of a */
    double *scale;           /* [unknowns] */
    double *residual, *step; /* [unknowns] */
    uint32_t unknown_count;
} AfxiBarrierSystem;

/** What came of a step. */
typedef struct AfxiBarrierOutcome {
    uint32_t iterations, lags, cuts;
    double gap, violation;
    uint32_t body;  /* that failed, and */
    uint32_t joint; /* ... that could not be where it is told to be, of */
    uint32_t blocked_body;
    bool blocked, intersects, regularised, substepped, capped;
    bool again; /* others have come near what is near: the step is to be done again with them */
    uint32_t contacts;
} AfxiBarrierOutcome;

typedef struct AfxiBarrier {
    AfxAllocator allocator;
    AfxiWorld *world;
    const AfxModel *model;
    AfxiSurface surface;
    AfxiBroad *broad;
    bool published; /* AFX_ABD_IPC: as affine body dynamics was published, for comparison */
    void *owner;    /* of the sim's, for who steps it (step/handover.c) */

    /* Who comes near anything in a step (reach.h). */
    AfxiBroad *ahead;
    AfxiBarrierBox *box;                         /* [shapes] */
    double (*reach_lower)[3], (*reach_upper)[3]; /* [shapes] what they may sweep */
    uint8_t *reached_root, *reached;             /* [bodies] by root of their components; by body */
    bool any_plane;

    /* Only what is near is solved for: from here on bodies, blocks and rows are those of near components. */
    uint8_t *chosen;     /* [bodies] `reached` as it was when the lists were made */
    uint8_t *idle;       /* [shapes] of bodies that are not near */
    bool listed;         /* there are lists */
    uint32_t classes_at; /* version of what bodies are made of that was looked at */
    uint32_t params_at;
    bool forgotten; /* the state remembers no slips and stiffnesses */
    double gap;     /* d^ */
    double slip;    /* at which friction is all there */
    double size;    /* of what is solved for, for tolerances */
    uint32_t lags_most;
    void *raw;
    size_t raw_size;

    uint32_t body_count, block_count, row_count, entry_count;
    size_t gradient_count;
    AfxiBarrierBody *bodies;
    uint32_t *slot; /* [bodies of the model]; UINT32_MAX: not solved for */
    AfxiBarrierBlock *blocks;
    AfxiBarrierEntry *entries;
    AfxiBarrierRow *rows;
    double *row_gradient;
    double *row_value[2];                    /* [rows] at AFXI_NOW, and what a restoration is to reach */
    double *place[AFXI_BARRIER_PLACES];      /* [bodies][12] */
    AfxiMat3 *rotation[AFXI_BARRIER_PLACES]; /* [bodies] rotation part of A */
    AfxVec3 *way;                            /* [bodies] how far they would go in the step if nothing were in the way */
    double *reach;                           /* [bodies] ... and how far their turn would take their points */
    double *kinematic;                       /* [bodies][12] where these are at the end of the stage */
    double *saved[4];                        /* [bodies][12] q, v, x2, x3 at the beginning of the step */
    double *saved_lambda;                    /* [rows] ... and the rest of the state that a part of a step changes */
    uint8_t *saved_pace;                     /* [bodies] */
    void *saved_own;
    uint32_t saved_uneven;
    AfxVec3 *x[2];                         /* [vertices] at AFXI_NOW, AFXI_TRIED */
    double (*lower)[3], (*upper)[3];       /* [shapes] */
    AfxiBarrierSwept *swept[3];            /* of vertices; of edges and triangles */
    uint8_t *boxed;                        /* [shapes] ... if this says so */
    double *hessian;                       /* [slots][144] column-major */
    double *gradient, *delta, *correction; /* [unknowns] */
    uint32_t unknown_count, width_count;   /* all unknowns; those of bodies */
    double *turn_gradient;                 /* [slots][9] A^T dE/dA without elasticity, column-major */
    uint32_t *parent;                      /* [slots] islands */
    double *energy[2], *energy_size[2];    /* [slots] at AFXI_NOW, AFXI_TRIED, and the sum of their terms' sizes */
    double *descent, *share, *time;        /* [slots] by root: g . delta, alpha, what CCD allows */
    uint8_t *settled;                      /* [slots] by root: 0 searching, 1 accepted */
    uint8_t *reduced;                      /* [slots] goes by BDF1 in this step */
    AfxiCandidate *candidates;
    uint32_t candidate_count, candidate_capacity;
    AfxiBarrierWatch *watch; /* what the last Newton step leads to or runs through */
    uint32_t watch_count, watch_capacity, watch_sorted;
    AfxiBarrierContact *contacts;
    uint32_t contact_count, contact_capacity;
    AfxiBarrierFriction *friction;
    uint32_t friction_count, friction_capacity;
    AfxiBarrierNearList near[2][3]; /* of two shapes: vertices, edges, triangles */
    AfxiBarrierSystem kkt;
    AfxiBarrierMemory *memory; /* in the state: [features][AFXI_BARRIER_PARTNERS] */
    double *remembered;        /* in the state: [bodies] stiffness less 1 */
    double *feature_force[2];  /* [features] normal forces of this lag and the one before */
    AfxiStagePlan plan[2];     /* of the stage: the method, and BDF1 */
    bool whole;                /* the step is not done in parts */
    double end;                /* of the stage, as a fraction of the step */
    double row_most;           /* largest violation of an exact row at AFXI_NOW */
    bool fresh;                /* the solve begins: the matrix is to have the pairs that there are, and no others */
    bool plain;                /* the last iteration came to nothing: barriers stand for themselves in the next one */
    bool bends;                /* trials bring gaps back to what the step was to leave */
    bool checked;              /* the state has no intersections */
    bool kinematic_now;        /* kinematic bodies have come to where they should */
} AfxiBarrier;

/** Step of the velocity in the stage of a body. */
static inline double barrier_h_rate(const AfxiBarrierBody *body) {
    return body->plan->weights.scale.h_rate;
}

/** Place of a body. */
static inline const double *barrier_place(const AfxiBarrier *work, AfxiBarrierPlace place, uint32_t body) {
    return work->place[place] + (size_t)AFXI_AFFINE_WIDTH * body;
}

#endif
