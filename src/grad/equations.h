/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of an entry and their derivatives by all that comes in (equations in solve/residual.h).
 *
 * Results are numbered: F of each body, twelve numbers (of a start six: the torque in the body's axes, and the force),
 * then one for each row. They are 0 where the forward step has converged. */
#ifndef AFXI_GRAD_EQUATIONS_H
#define AFXI_GRAD_EQUATIONS_H

#include "grad/local.h"
#include "grad/terms.h"

typedef struct AfxiGradEquations {
    AfxiGradLocal local;
    AfxiGradTerms terms;   /* by slot of AfxiGradLayout */
    AfxiGradTerms outcome; /* of a start: accelerations [bodies][12] */
    uint8_t *present;      /* [rows] there is an equation */
    double *value;         /* [12 bodies + rows] what is left of each equation */
} AfxiGradEquations;

/** Evaluates all of an entry; out->local.tape, layout and model, and the allocators of terms, are given. */
void afxi_grad_equations(AfxiGradEquations *out, const AfxiGradEntry *entry);
/** A row with value x, and its multiplier, as an equation of a stage, or of a start. */
AfxiVar afxi_grad_stage_row(AfxiGradLocal *local, const AfxiGraph *graph, uint32_t row, AfxiVar x, AfxiVar lambda);
AfxiVar afxi_grad_start_row(AfxiGradLocal *local, const AfxiGraph *graph, uint32_t row, AfxiVar x, AfxiVar lambda);
/** The second time derivative of x at a start, with the accelerations of bodies. */
AfxiVar afxi_grad_row_acceleration(AfxiGradLocal *local, AfxiVar x);
/** What a spring with tables adds to its force at x from its rest and a rate. */
AfxiVar afxi_grad_tables(AfxiGradLocal *local, const AfxiTables *tables, AfxiVar off, AfxiVar rate);
/** q'' of a body of a start. */
void afxi_grad_accelerations(AfxiGradLocal *local, AfxiGradBody *body, AfxiVar out[AFXI_AFFINE_WIDTH]);

#endif
