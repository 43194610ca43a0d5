/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share. Bodies are exactly rigid and have six coordinates in a sub-step of length h, the
 * change d = (dt, c) of their place: t_1 = t_0 + dt, R_1 = cay(c) R_0, cay(c) = (I - [c]/2)^-1 (I + [c]/2), so that
 *     R_1 - R_0 = [c] (R_0 + R_1)/2
 * and every row C that is at most quadratic in q changes by exactly G d, G = dC/d(dt, c) at the mean of both q.
 *
 * Midpoint (order 2; momenta p = m v, p = R J Omega, force f, rows with multipliers lambda):
 *     p_1 - p_0 = h (f_mid - G_mid^T lambda),  d = h (v_0 + v_1)/2 (for c: in the axes of the body),  C(q_1) = 0:
 * the change of kinetic energy is d . (p_1 - p_0)/h, in which G_mid d = C(q_1) - C(q_0) = 0. Rows that are not
 * quadratic (angles, lengths) have a discrete gradient, for which the same holds.
 * RATTLE (order 2): half a step with forces and G at q_0 so that C(q_1) = 0, half a one at q_1 so that G v_1 = 0; the
 * rotation between by the discrete equations of Moser and Veselov. */
#ifndef AFXI_CONSERVE_INNER_H
#define AFXI_CONSERVE_INNER_H

#include "conserve/conserve.h"
#include "conserve/tuning.h"
#include "sparse/block.h"

#define AFXI_RIGID_WIDTH 6
#define AFXI_CONSERVE_SIDES (2 * AFX_COUPLING_TERMS)

/** A row, as in AfxiGraphRow. */
typedef struct AfxiConserveRow {
    uint32_t index; /* of its source */
    uint32_t joint; /* of joints, screws, drives and rotational springs */
    uint32_t place; /* of its multiplier in the state */
    uint8_t source; /* AfxiRowSource */
    int8_t sign;    /* of the multiplier there */
} AfxiConserveRow;

/** Rows that share their bodies: of a joint with its drives, of a coupling, of a spring. */
typedef struct AfxiConserveBlock {
    uint32_t first_row, row_count, first_entry, entry_count;
} AfxiConserveBlock;

/** A block on one moving body: gradients [rows][6], and H^-1 times them. */
typedef struct AfxiConserveEntry {
    uint32_t block, body; /* body: of the work */
    size_t gradient;
} AfxiConserveEntry;

typedef struct AfxiConserveBody {
    uint32_t body; /* of the model */
    uint32_t first_entry, entry_count;
    size_t first_spot;  /* of entries a >= b: first_spot + a (a + 1)/2 + b */
    AfxiMat3 r;         /* present state */
    AfxVec3 t, v, w;    /* w: angular velocity, world */
    AfxVec3 dv, dw;     /* accelerations of the last state: where the next one is expected */
    double translation; /* 1 / H */
    double rotation[6]; /* H^-1, symmetric */
    AfxiMat3 newton;    /* exact inverse of the rotation's block */
} AfxiConserveBody;

/** Bodies that joints, couplings and springs hold together: solved for by themselves. */
typedef struct AfxiConserveComponent {
    uint32_t first_body, body_count, first_block, block_count, first_row, row_count;
    uint32_t root; /* smallest body */
    double size;   /* m */
    AfxiBlockPlan plan;
    AfxiBlockFactor factor;
    bool redundant; /* the present factor is regularised */
} AfxiConserveComponent;

/** What a row measures at both ends of a sub-step, with a gradient g by which end - begin = sum g . d, exactly. */
typedef struct AfxiConserveMeasure {
    double begin, end;
    uint32_t count;
    uint32_t body[AFXI_CONSERVE_SIDES];                     /* of the model */
    double gradient[AFXI_CONSERVE_SIDES][AFXI_RIGID_WIDTH]; /* on dt, on c */
} AfxiConserveMeasure;

/** A row in a sub-step: exact, compliant (multiplier = law), or with a given multiplier. */
typedef struct AfxiConserveLaw {
    bool active;
    double compliance; /* active: 0 is exact; else that of a spring, 0: it is none */
    double value;      /* active: by how much it is off, as a length */
    double fixed;      /* not active: its multiplier */
} AfxiConserveLaw;

typedef struct AfxiConserve {
    AfxAllocator allocator;
    AfxiWorld *world;
    const AfxModel *model;
    bool rattle;
    uint32_t stage_count; /* sub-steps of a step, and their lengths */
    const double *stage;
    void *raw, *structure_raw;
    size_t raw_size, structure_size;
    uint32_t planned; /* components that have a plan, or need none */
    uint32_t component_count, body_count, block_count, entry_count, row_count;
    AfxiConserveComponent *components;
    AfxiConserveBody *bodies, *kept_bodies; /* kept: as they were before a part, to go back to */
    uint32_t *slot;                         /* [bodies of the model] into bodies; UINT32_MAX: not solved for */
    AfxiConserveBlock *blocks;
    AfxiConserveEntry *entries;
    uint32_t *body_entry; /* [entries] of each body */
    AfxiBlockSpot *spots, *diagonals;
    AfxiConserveRow *rows;
    double *gradient, *weighted; /* [entries' rows][6] */
    size_t gradient_count;
    double *spring_compliance; /* [rows][3] of rotational springs: the row of their 3x3 compliance */
    AfxiConserveLaw *laws;     /* [rows] */
    double *lambda, *scale, *diagonal, *row_residual, *row_step, *scratch, *kept_lambda; /* [rows] */
    double *change, *body_residual, *body_step;                                          /* [bodies][6] */
    double *update[(AFXI_CONSERVE_UPDATES_MOST + 1)];            /* each [6 bodies + rows of the largest component] */
    double *place[2], *rate, *acceleration;                      /* [bodies of the model][12] */
    double *twist;                                               /* [bodies of the model][6] */
    double *target[2];                                           /* [drives][2] at the middle and at the end */
    uint8_t *branch, *branch_end, *branch_changes, *kept_branch; /* [drives] */
    double *kept_angle;                                          /* [angles of the model] at the beginning of a step */
} AfxiConserve;

/** What came of a step. */
typedef struct AfxiConserveOutcome {
    uint32_t iterations; /* most of a sub-step */
    uint64_t body_iterations;
    double violation;
    uint32_t failed_body;
    AfxTraceReason reason;
    bool regularised, substepped, turns_far;
} AfxiConserveOutcome;

/** A sub-step: from fraction `begin` to `end` of the step. */
typedef struct AfxiConserveSpan {
    double begin, end, h;
} AfxiConserveSpan;

#endif
