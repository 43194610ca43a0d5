/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of an entry and their derivatives by all that comes in (equations in solve/residual.h).
 *
 * Results are numbered: F of each body, twelve numbers (of a rigid one six: torque and force; at a start the torque is
 * in the body's axes), then one for each row. They are 0 where the forward step has converged.
 *
 * What an element adds to them (a body, a block of rows, a wrench) is a program, which is recorded once and serves
 * until the branches of the element change. */
#ifndef AFXI_GRAD_EQUATIONS_H
#define AFXI_GRAD_EQUATIONS_H

#include "grad/local.h"
#include "grad/program.h"
#include "grad/terms.h"

/** What one element adds to the equations. */
typedef struct AfxiGradElement {
    AfxiProgram program; /* terms by unknowns come first */
    uint64_t branches;   /* what its formulas rest on */
    uint64_t shape;      /* where its terms by unknowns are */
} AfxiGradElement;

typedef struct AfxiGradEquations {
    const AfxAllocator *allocator;
    AfxiGradLocal local;
    AfxiGradElement *element[AFXI_GRAD_SORTS]; /* [element_count] of stages, starts, jumps */
    uint32_t element_count; /* bodies, wrenches, blocks of all graphs, slots of ball chains, holds, points */
    uint32_t element_capacity, first_point;
    AfxiGradElement *now;            /* those of the present entry */
    uint64_t shape[AFXI_GRAD_SORTS]; /* changes with where terms by unknowns are; 0: no equations yet */
    AfxiProgramResult *result;       /* of the element that is recorded */
    uint32_t result_count, result_capacity;
    AfxiGradTerms outcome; /* of a start: accelerations [bodies][12] */
    AfxiGradTerms memory;  /* [points][6] what friction holds at the end */
    uint8_t *present;      /* [rows] there is an equation */
    double *input;         /* [layout.all] */
    double *value;         /* [12 bodies + rows] of a start: what is left of each equation */
    AfxStatus status;
} AfxiGradEquations;

/** out->local (tape, layout, model), allocator, present, input and value are given. */
AfxStatus afxi_grad_equations_create(AfxiGradEquations *out);
void afxi_grad_equations_release(AfxiGradEquations *out);
/** Evaluates all of an entry. */
AfxStatus afxi_grad_equations(AfxiGradEquations *out, const AfxiGradEntry *entry);
/** Puts what an element has on the tape among its results; the parts of `elements.c`. */
void afxi_grad_put_body(AfxiGradEquations *out, uint32_t body);
void afxi_grad_put_wrench(AfxiGradEquations *out, uint32_t index);
void afxi_grad_put_hold(AfxiGradEquations *out, const AfxiResidualHold *hold);
void afxi_grad_put_block(AfxiGradEquations *out, const AfxiGraph *graph, const AfxiGraphBlock *block);
void afxi_grad_put_slot(AfxiGradEquations *out, uint32_t slot);
void afxi_grad_put_point(AfxiGradEquations *out, uint32_t index);
/** The same of jumps; jump.c. */
void afxi_grad_put_jump_body(AfxiGradEquations *out, uint32_t body);
void afxi_grad_put_strike(AfxiGradEquations *out, uint32_t index);
AfxiVar afxi_grad_jump_row(AfxiGradLocal *local, const AfxiGraph *graph, uint32_t row, AfxiVar x, AfxiVar lambda);
/** What the element on the tape puts on its bodies, among its results. */
void afxi_grad_put_forces(AfxiGradEquations *out);
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
