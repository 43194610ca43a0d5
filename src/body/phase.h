/* SPDX-License-Identifier: Apache-2.0 */
/* Phase fitting: difference formulas that are exact for a body that goes on turning.
 *
 * A stage sets q'' = (q - qhat)/h² and v = (q - qv)/hv, with qhat and qv linear in what is known. For a body that turns
 * these are wrong in their fourth and third order, which takes spin away. What they would make of even turning is
 * known, so that qhat can be turned on by the angle that it would be behind, and v be told without what differences
 * have too much of it. That much, the gap, is remembered, since the formulas are stable only with velocities by
 * differences. The order of the method stays what it is, the matrix too; a body that turns evenly is where it should
 * be, whatever its angle in a step (docs/step.md, 2). */
#ifndef AFXI_BODY_PHASE_H
#define AFXI_BODY_PHASE_H

#include "body/free.h"

/* What is added for a body, twelve numbers each. */
enum {
    AFXI_PHASE_QHAT = 0,
    AFXI_PHASE_QV = 12,
    AFXI_PHASE_LINE = 24, /* to where it is expected along the tangent, */
    AFXI_PHASE_BEND = 36, /* and what the parabola adds to that */
    AFXI_PHASE_NEXT = 48, /* after a start: the gaps of the new v and the old */
    AFXI_PHASE_LAST = 60,
    AFXI_PHASE_EASE = 72, /* what is taken from qhat of A again, once joints have what they need of it */
    AFXI_PHASE_SIZE = 84
};

/** Where it is read from. */
typedef struct AfxiPhaseStage {
    AfxiPhase phase;
    bool expects; /* LINE and BEND are wanted */
    const AfxiStageWeights *weights;
    double step; /* s, of the stage */
    const double *q, *v, *x2, *x3, *gap, *last_gap;
    const AfxiBodyClass *classes;
    const uint32_t *class_of; /* [bodies] */
} AfxiPhaseStage;

/** What is added to A of bodies, one row of AFXI_PHASE_SIZE after the other; t is left alone. False: nothing to any of
 * them, and none has a gap. */
typedef bool AfxiPhaseRows(const AfxiPhaseStage *stage, const uint32_t *bodies, uint32_t count, double *rows);

/** A body of a tree of joints. */
typedef struct AfxiPhaseNode {
    uint32_t parent;     /* slot of the body that it turns about; 0: none, the ground or nothing */
    uint32_t joint;      /* to its parent or the ground; UINT32_MAX: none */
    uint32_t first, end; /* slots of its component */
    double point[3];     /* of the joint in the body */
} AfxiPhaseNode;

/** Trees of bodies that turn about joints: by slot, parents first. */
typedef struct AfxiPhaseTree {
    const AfxiPhaseNode *node;
    const uint32_t *body;
    const uint8_t *active; /* [joints] */
    double *rows;          /* [slots][AFXI_PHASE_SIZE] */
    uint32_t *root;        /* [slots] of a tree that nothing holds: the slot of its root; 0: it is held */
} AfxiPhaseTree;

/** What is added to t of bodies, slots `first` to `end`, so that their joints go with their parents; true: nothing
 * holds some of them. */
typedef bool AfxiPhaseAbout(const AfxiPhaseStage *stage, const AfxiPhaseTree *tree, uint32_t first, uint32_t end);
/** Once joints have what they need of A, rows are eased, and qhat that has velocities by differences gets gaps by their
 * weights. */
typedef void AfxiPhaseFinish(const AfxiPhaseStage *stage, const uint32_t *bodies, uint32_t count, double *rows);

typedef struct AfxiPhaseKernel {
    AfxiPhaseRows *rows;
    AfxiPhaseAbout *about;
    AfxiPhaseFinish *finish;
} AfxiPhaseKernel;

/** The kernel for a lane count (0: widest that pays); one body at a time: 1. All have the same bits. */
const AfxiPhaseKernel *afxi_phase_kernel(uint32_t lanes);

#endif
