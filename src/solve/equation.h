/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints as functions of the coordinates of a stage. */
#ifndef AFXI_SOLVE_EQUATION_H
#define AFXI_SOLVE_EQUATION_H

#include "solve/residual_stage.h"

#define AFXI_EQUATION_PARTS (2 * AFX_COUPLING_TERMS)

/** A scalar function of the coordinates of some bodies, with its gradient on each; the world has no part. */
typedef struct AfxiEquation {
    double value;
    uint32_t count;
    uint32_t body[AFXI_EQUATION_PARTS];
    double gradient[AFXI_EQUATION_PARTS][AFXI_AFFINE_WIDTH];
} AfxiEquation;

/** Row `row` of a joint graph of the model as a function of q: what a joint's row must keep at zero, the coordinate of
 * a drive, the sum of a coupling, the length of a spring. Rows of a ball joint's spring have value 0. */
void afxi_equation_of_row(const AfxiResidualStage *stage, const AfxiGraph *graph, uint32_t row, AfxiEquation *out);
/** Adds `factor` times coordinate `axis` of a joint, turns counted. */
void afxi_equation_of_axis(const AfxiResidualStage *stage, uint32_t joint, uint32_t axis, double factor,
                           AfxiEquation *out);
/** Row `index` of the rows of a joint's kind. */
void afxi_equation_of_joint(const AfxiResidualStage *stage, uint32_t joint, uint32_t index, AfxiEquation *out);
/** Its rate with the velocities of the stage's end. */
double afxi_equation_rate(const AfxiResidualStage *stage, const AfxiEquation *equation);

/** Whether the stage solves for a body; those of one constraint are all solved for together, or none is. */
bool afxi_residual_solves(const AfxiResidualStage *stage, uint32_t body);
/** The rate q' of a body at the stage's end. */
void afxi_residual_rate(const AfxiResidualStage *stage, uint32_t body, double out[AFXI_AFFINE_WIDTH]);
/** Rotation part of the A of a body. */
AfxiMat3 afxi_residual_rotation(const AfxiResidualStage *stage, uint32_t body);
/** q of a body; the world has one too. */
const double *afxi_residual_place(const AfxiResidualStage *stage, uint32_t body);

#endif
