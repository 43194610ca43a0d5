/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the reference share. */
#ifndef AFX_TEST_MATRIX_DENSE_INNER_H
#define AFX_TEST_MATRIX_DENSE_INNER_H

#include "dense.h"

/* Matrices are stored by columns. */
void dense_product(const double a[9], const double b[9], double out[9]);
/** aᵀ b */
void dense_product_transposed(const double a[9], const double b[9], double out[9]);

/* What an element measures. */
typedef enum DenseMeasure {
    DENSE_OF_JOINT,  /* a row of the joint */
    DENSE_OF_SUM,    /* its sum of joint coordinates */
    DENSE_OF_LENGTH, /* the distance of its two points */
    DENSE_OF_HEIGHT  /* that of its point from its plane */
} DenseMeasure;

/** Value and gradient ([ends][12]) at q; exact, by complex steps. */
double dense_measure(const DenseElement *element, DenseMeasure measure, uint32_t row, double q[][12],
                     double gradient[][12]);
/** The force of a table at x; 0 where it has no samples. */
double dense_table(const AfxForceTable *table, double x);
/** The spring of a ball joint. */
void dense_turn_spring(const Dense *dense, const DenseElement *element, double q[][12], double *r);

/* A scene that is being read. */
typedef struct DenseReader {
    const AfxScene *scene;
    const AfxSim *sim;
    const AfxModel *model;
    const DenseHistory *history;
    Dense *dense;
    uint32_t world;
    AfxPose frame[DENSE_BODIES_MOST]; /* principal, in the body's */
} DenseReader;

void dense_store(double out[3], AfxVec3 v);
/** Where a body of the scene is among the bodies of the reference; the world is the last. */
uint32_t dense_body_index(const DenseReader *reader, AfxBodyId id);
/** A point of a body in its principal axes. */
void dense_point_of(const DenseReader *reader, uint32_t body, AfxVec3 point, double out[3]);
/** Adds an element between bodies a and b. */
DenseElement *dense_add(Dense *dense, DenseKind kind, uint32_t ends, uint32_t a, uint32_t b);
/** What fits hat and past of the bodies to their turning. */
void dense_fit_phase(DenseReader *reader);
/** Drives, couplings, springs and contacts; and a hold, which may be NULL. */
void dense_read_laws(DenseReader *reader, const DenseHold *hold);

#endif
