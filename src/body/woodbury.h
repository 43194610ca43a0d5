/* SPDX-License-Identifier: Apache-2.0 */
/* Loads on single bodies that depend on where the body is: contacts with what is not solved for, and springs that hold
 * a point in the world. Each is a row
 *     C(q) = g . q - target   with energy 1/2 k C²,
 * so H of the body becomes H + G^T k G, and chains stay chains, trees stay trees. With X = H^-1 (Woodbury)
 *     X' = X - Y^T Y,   Y = L^-1 (X G^T k^1/2)^T,   L L^T = I + k^1/2 G X G^T k^1/2,
 * finite for every stiffness of the body, rigid included: L L^T is never smaller than I. */
#ifndef AFXI_BODY_WOODBURY_H
#define AFXI_BODY_WOODBURY_H

#include "body/inverse.h"
#include "math/vec3.h"

/* Rows that one body may have: 16 points of 3 rows, and a little more. */
#define AFXI_WOODBURY_ROWS_MOST 64

typedef struct AfxiWoodburyRow {
    double g[AFXI_AFFINE_WIDTH]; /* gradient on the columns of A and on t, in world axes */
    double target;
    double stiffness; /* 0: the row is off */
    bool turns; /* C is the turn about the axis g[0 .. 2] of the body's frame, away from it: geometric stiffness */
} AfxiWoodburyRow;

/** The rows of one body. */
typedef struct AfxiWoodburyBody {
    uint32_t body; /* of the model */
    uint32_t first_row, row_count;
    uint32_t image_count;            /* rows of Y, made by afxi_woodbury_load */
    bool changed;                    /* a row has, since then */
    double start[AFXI_AFFINE_WIDTH]; /* the solve without joints and rows; kept by who may need it again */
} AfxiWoodburyBody;

/** All bodies that have such rows. */
typedef struct AfxiWoodburySet {
    AfxiWoodburyBody *body; /* [body_count] */
    uint32_t body_count;
    AfxiWoodburyRow *row; /* [row_count] */
    double *image;        /* [row_count][12] Y of each body, from its first_row on */
    uint32_t row_count;
} AfxiWoodburySet;

/** Value of a row at q [12]. */
double afxi_woodbury_value(const AfxiWoodburyRow *row, const double q[AFXI_AFFINE_WIDTH]);
/** Gradient of a row on delta in the frame r. */
void afxi_woodbury_gradient(const AfxiWoodburyRow *row, const AfxiMat3 *r, double local[AFXI_AFFINE_WIDTH]);
/** Makes Y for a body with frame r, origin t and inverse X, and changes the solve without joints, delta = (beta, t -
 * origin), to that with the rows; NULL: Y only. */
void afxi_woodbury_load(const AfxiWoodburySet *woodbury, uint32_t index, const AfxiMat3 *r, AfxVec3 origin,
                        const AfxiBodyInverse *inverse, double delta[AFXI_AFFINE_WIDTH]);
/** The same about a result q that the rows' forces balance: the rows keep these forces but for what delta is off q. */
void afxi_woodbury_load_balanced(const AfxiWoodburySet *woodbury, uint32_t index, const AfxiMat3 *r, AfxVec3 origin,
                                 const AfxiBodyInverse *inverse, const double q[AFXI_AFFINE_WIDTH],
                                 double delta[AFXI_AFFINE_WIDTH]);
/** out -= Y^T Y g */
void afxi_woodbury_apply(const AfxiWoodburySet *woodbury, uint32_t index, const double g[AFXI_AFFINE_WIDTH],
                         double out[AFXI_AFFINE_WIDTH]);
/** image [image_count] = Y g */
void afxi_woodbury_image(const AfxiWoodburySet *woodbury, uint32_t index, const double g[AFXI_AFFINE_WIDTH],
                         double *image);

#endif
