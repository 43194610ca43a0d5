/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a stage, or of a start from accelerations, to differentiate it: where it began, what it came to, and
 * all that acted on it. Everything else follows from the equations. */
#ifndef AFXI_GRAD_ENTRY_H
#define AFXI_GRAD_ENTRY_H

#include "constraint/contact.h"
#include "solve/residual_stage.h"
#include "state/integrator.h"

#define AFXI_GRAD_PLANS 8
/* Points of contact that an entry may have, and what friction holds at each: slip, turn. */
#define AFXI_GRAD_POINTS 256u
#define AFXI_GRAD_HELD 6u

/* Parts of a body's state, twelve numbers each: q, v, x2, x3, gap, last_gap. */
enum { AFXI_GRAD_PARTS = 6 };

/* What becomes of velocities that jump: those before the impact as joints allow them, then those after it. */
typedef enum AfxiGradJump { AFXI_GRAD_NO_JUMP, AFXI_GRAD_FIT, AFXI_GRAD_BOUNCE } AfxiGradJump;
/* Points and limits of a jump: that strike, and go on with restitution, or hold by friction. */
enum { AFXI_GRAD_STRUCK = 1, AFXI_GRAD_BOUNCES = 2, AFXI_GRAD_STICKS = 4 };

typedef struct AfxiGradEntry {
    AfxiResidualStage at;                /* what the oracle was told; arrays are the entry's own */
    const double *past[AFXI_GRAD_PARTS]; /* [bodies][12] at its beginning; NULL: there are no gaps */
    bool start;                          /* accelerations of bodies that are not `absent`, at the beginning */
    bool told;                           /* no stage at all: q and v of all bodies are given (quantity.c) */
    bool both;                           /* start: they go to x3 as well as to x2 */
    const double *second;                /* start: [bodies][12] accelerations of bodies that are told how to move */
    const double *target_second;         /* start: [drives] of what positions and velocities follow */
    AfxiGradJump jump;                   /* a start of velocities, not of accelerations; at.v: [bodies][12] q at the
                                            beginning of the step (fit), velocities that were fitted (bounce) */
    const uint8_t *limit_mark;           /* [drives] */
    const uint8_t *point_mark;           /* [points] */
    const uint32_t *first_blow;          /* [bodies] 1 + the point by which it is first struck; 0: none */
    const double *carried;               /* [points][3] velocity of what is not solved for */
    const double *first_gap;             /* [points] where bodies were expected */
    const double *falls_on;              /* [points] s, after the blow, in which gravity goes on along the surface */
    double dt;                           /* s, of the step or the part of it that it belongs to */
    double fraction;                     /* of the step, where it ends */
    const AfxiPointSlope *slope;         /* [points] */
    double *held;                        /* [points][3] what friction held, before it was laid across the normal */
    double *stretch;                     /* [points][6] derivatives of what friction holds at the end of it */
    double **source;                     /* [points] those that a point goes on from; NULL: none */
    uint8_t *plan_of;                    /* [bodies] */
    uint8_t *look_of;                    /* [bodies] 1 + the plan by which it was expected, for its points; 0: none */
    AfxiStagePlan plan[AFXI_GRAD_PLANS];
    uint32_t plan_count;
    void *raw;
    size_t raw_size;
} AfxiGradEntry;

/** Where inputs of the equations of an entry stand. Of a rigid body the first six numbers of q are a small turn w, from
 * where it is, and t. Of a start, qhat is q, qv is v, and these six are the angular acceleration in the body's axes,
 * and t''. */
typedef struct AfxiGradLayout {
    uint32_t bodies, rows, drives; /* rows: of graphs, then of ball chains */
    uint32_t q, lambda, qhat, qv;  /* [bodies][12], [rows], [bodies][12] twice */
    uint32_t rate;                 /* [bodies][12] of bodies that are told how to move */
    uint32_t target;               /* [drives][2] */
    uint32_t wrench;               /* [bodies][6] run-time wrenches */
    uint32_t stretch;              /* [AFXI_GRAD_POINTS][6] what friction of points of contact holds from before */
    uint32_t expect;               /* [bodies][6] turns and shifts of where bodies were expected to touch */
    uint32_t param;                /* the registry */
    uint32_t frame; /* [joints][2][6] turns and shifts of their frames, on the follower, then on the base,
                       in principal axes; none where they are not asked for */
    bool frames;
    uint32_t count;  /* of these; what follows is not differentiated by */
    uint32_t place;  /* [bodies][12] coordinates */
    uint32_t per;    /* [bodies][2] 1/h², 1/h_v */
    uint32_t signal; /* [wrenches][6] */
    uint32_t angle;  /* [angles] of the last step */
    uint32_t all;
} AfxiGradLayout;

/** `frames`: with those of joints. */
void afxi_grad_layout(const AfxModel *model, bool frames, AfxiGradLayout *out);
/** How many numbers derivatives are taken by: the registry, and frames of joints. */
static inline uint32_t afxi_grad_params(const AfxiGradLayout *layout) {
    return layout->count - layout->param;
}
/** x [layout.all] <- the inputs of an entry. */
void afxi_grad_fill(const AfxiGradLayout *layout, const AfxiGradEntry *entry, double *x);
/** Unknowns of a body that is solved for: 6, or 12 where it is elastic. */
uint32_t afxi_grad_width(const AfxiGradEntry *entry, uint32_t body);

/** Which equations an entry has: 0 a stage, 1 a start, 2 and 3 jumps. */
#define AFXI_GRAD_SORTS 4
static inline uint32_t afxi_grad_sort(const AfxiGradEntry *entry) {
    return entry->jump ? 1u + (uint32_t)entry->jump : entry->start;
}

static inline const AfxiStagePlan *afxi_grad_plan(const AfxiGradEntry *entry, uint32_t body) {
    return &entry->plan[entry->plan_of[body]];
}

#endif
