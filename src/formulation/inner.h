/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the published formulations share. They are for comparison with our own: the same model and state,
 * implicit Euler, ball joints, hinges and fixed joints.
 *
 *     AFX_MABD_PAPER           M-ABD, Eqs. 13 to 17, 26 to 28: one Newton step from the old state with the Hessian of
 *                              linear elasticity turned by the rotation of the old state
 *     AFX_MABD_PAPER_NOPOLAR   the same with Eq. 17 (Alg. 1) in place of the polar decomposition
 *     AFX_ABD_VANILLA          affine body dynamics, Eq. 3: V k |A A^T - I|², Newton to convergence
 *
 * All rows are components of differences of points, e · (A_a x_a + t_a - A_b x_b - t_b), linear in q once e is frozen:
 * a ball joint is three of them at one point, a hinge two more at a second point of its axis, square to it, a fixed
 * joint three more at two other points. M-ABD's hinge of five rows (its Eq. 21) is this: what its Eqs. 30 to 35 add to
 * the gradient is a multiple of the differences, and these are zero where the joint is met.
 *
 * With a body's Hessian H and force f, q is eliminated: K λ = C + J H^-1 f, K = J H^-1 J^T, δq = H^-1 (f - J^T λ). */
#ifndef AFXI_FORMULATION_INNER_H
#define AFXI_FORMULATION_INNER_H

#include "formulation/formulation.h"

/** A row: follower's point less base's point along a direction. */
typedef struct AfxiPointRow {
    uint32_t body[2];  /* follower, base; AFXI_WORLD for the world */
    AfxVec3 point[2];  /* in principal frames */
    AfxVec3 direction; /* in the base's frame where `turned`, else in the world */
    bool turned;
} AfxiPointRow;

/** One row on one moving body. */
typedef struct AfxiRowSide {
    uint32_t row;
    double sign;                  /* 1: follower, -1: base */
    double g[AFXI_AFFINE_WIDTH];  /* gradient, in the coordinates of the body's solve */
    double hg[AFXI_AFFINE_WIDTH]; /* H^-1 g */
} AfxiRowSide;

/** A symmetric matrix of which each row is kept from its first element that is not zero on: L D L^T stays inside. */
typedef struct AfxiEnvelope {
    uint32_t count;
    uint32_t *first;  /* [count] column of the row's first element */
    size_t *start;    /* [count + 1] where a row begins in `value`; its last element is the diagonal's */
    double *value;    /* [start[count]] */
    double *inverse;  /* [count] 1 / D; 0: a row that repeats others */
    double *diagonal; /* [count] of the matrix, before it is factored */
} AfxiEnvelope;

/** One moving body during a solve. */
typedef struct AfxiPublishedBody {
    uint32_t body;
    uint32_t first_side, side_count;
    AfxiMat3 frame;                 /* M-ABD: R, or A for Eq. 17 */
    AfxiBlocks blocks;              /* M-ABD: inverse of M / h² + K of the rest shape */
    double factor[45];              /* vanilla: Cholesky factor of the part of A, row by row */
    double step[AFXI_AFFINE_WIDTH]; /* H^-1 f, then the change of the coordinates of the solve */
    double begin[AFXI_AFFINE_WIDTH], begin_v[AFXI_AFFINE_WIDTH],
        target[AFXI_AFFINE_WIDTH]; /* state before the step; q + h v */
} AfxiPublishedBody;

typedef struct AfxiPublished {
    AfxAllocator allocator;
    AfxiWorld *world;
    const AfxModel *model;
    AfxFormulation formulation;
    uint32_t solves; /* as AfxSimDef */
    double tolerance;
    void *raw;
    size_t raw_size;
    uint32_t row_count, side_count, body_count;
    AfxiPointRow *rows;        /* [row_count] */
    AfxVec3 *direction;        /* [row_count] in the world, of the present solve */
    double *lambda;            /* [row_count] */
    AfxiRowSide *sides;        /* [side_count] by body, then by row */
    AfxiPublishedBody *bodies; /* [body_count] */
    AfxiEnvelope matrix;
    double blocks_dt; /* that the blocks of the bodies are of; 0: none */
} AfxiPublished;

/** What came of a step. */
typedef struct AfxiPublishedOutcome {
    uint32_t solves, failed_body; /* failed_body: UINT32_MAX when all is finite */
    double residual;              /* largest row */
    bool capped, redundant;
} AfxiPublishedOutcome;

/** What a body's solve needs besides its state. */
typedef struct AfxiBodyForce {
    const AfxiBodyClass *class;
    double h;
    AfxVec3 weight; /* N */
} AfxiBodyForce;

/** One step of the moving bodies, as the table of formulations wants it. */
AfxStatus afxi_published_step(void *work, AfxStepReport *report);

/** Number of rows of a joint kind; 0: not one of the formulations'. */
uint32_t afxi_published_rows_of(AfxJointKind kind);
/** The rows of a joint into out[afxi_published_rows_of(kind)]. */
void afxi_published_rows(const AfxModel *model, const AfxiJoint *joint, AfxiPointRow *out);
/** Value of a row, and its direction in the world; q [bodies][12]. */
double afxi_published_row_value(const AfxiPointRow *row, const double *q, AfxVec3 *out_direction);

/** M-ABD: frame, and step = H^-1 f at q. */
void afxi_corotated_begin(AfxiPublishedBody *body, const AfxiBodyForce *force, bool polar, const double *q);
/** Gradient and H^-1 of a row's side: direction e in the world and point x. */
void afxi_corotated_side(const AfxiPublishedBody *body, bool polar, AfxVec3 direction, AfxVec3 point,
                         AfxiRowSide *side);
/** q += the change that `step` means. */
void afxi_corotated_finish(const AfxiPublishedBody *body, bool polar, double *q);

/** The same of vanilla ABD. */
void afxi_vanilla_begin(AfxiPublishedBody *body, const AfxiBodyForce *force, const double *q);
void afxi_vanilla_side(const AfxiPublishedBody *body, const AfxiBodyForce *force, AfxVec3 direction, AfxVec3 point,
                       AfxiRowSide *side);
void afxi_vanilla_finish(const AfxiPublishedBody *body, double *q);

/** Factors in place. True when a row was left out because it repeats others. */
bool afxi_envelope_factor(AfxiEnvelope *matrix);
/** x becomes the solution. */
void afxi_envelope_solve(const AfxiEnvelope *matrix, double *x);

#endif
