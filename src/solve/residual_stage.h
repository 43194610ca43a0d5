/* SPDX-License-Identifier: Apache-2.0 */
/* What the oracle is told of a stage (equations in residual.h), and what it keeps of a body. */
#ifndef AFXI_SOLVE_RESIDUAL_STAGE_H
#define AFXI_SOLVE_RESIDUAL_STAGE_H

#include "affix/sim.h"
#include "model/model.h"

/** A point held by a spring and a damper. */
typedef struct AfxiResidualHold {
    uint32_t body;
    double point[3];  /* principal frame */
    double target[3]; /* at the stage's end */
    double stiffness, damping;
} AfxiResidualHold;

/** A point of contact: geometry, what it remembers, and the forces that it was solved with. Forces act on a. */
typedef struct AfxiResidualPoint {
    uint32_t body_a, body_b;
    uint32_t item_a, item_b, feature; /* whose it is: shapes of the model, either of which may be that of a */
    uint32_t index;                   /* in AfxiContactSet.now */
    bool pair;                        /* b is solved for as well */
    double normal[3];                 /* from b towards a */
    double core_a[3], core_b[3];      /* where the normal force acts: principal frames; x_b, core_b of a body that is */
    double x_a[3], x_b[3];            /* where friction acts;          not solved for are in the world */
    double round, rest;               /* gap = n . (p_a - p_b) - round; N = k max(0, -gap - rest) */
    double dt;                        /* slip is dt times the end velocity */
    double moved[3], rolled[3];       /* of the surface of b in dt, where b is not solved for: way and turn */
    double frame_a[9], frame_b[9];    /* turns are counted from these rotations */
    double stretch[3], turned[3];     /* slip and turn that the point holds from before */
    double stiffness, grip, turn_stiffness;
    double friction, rolling, torsion;
    double push, force[3], moment[3]; /* as solved */
} AfxiResidualPoint;

/** What is added up for a body: F without grad W; the sizes of its parts on A and on t; what rounding makes of them. */
typedef struct AfxiResidualBody {
    double force[AFXI_AFFINE_WIDTH];
    double size_a, size_t;
    double floor_a, floor_t;
    AfxiMat3 rotation;   /* rotation part of A */
    AfxiBodyClass class; /* from the parameters themselves, not from what the solver made of them */
} AfxiResidualBody;

/** What is asked about. Arrays by body are those of the model. */
typedef struct AfxiResidualStage {
    const AfxModel *model;
    const double *params;           /* laid out as the model's */
    const AfxiScale *scale;         /* [bodies] h², h_v of those that are solved for: islands have their own */
    const uint8_t *absent;          /* [bodies] have no part in the stage; NULL: all have */
    const double *q, *qhat, *qv;    /* [bodies][12] */
    const double *v;                /* [bodies][12] rates of those that are not solved for */
    const double *directions;       /* [bodies][12] where the directions of alignments are taken; NULL: q */
    const double *lambda;           /* [rows of the model], then [slots of ball chains][3] */
    const double *angle;            /* [angles] of the last step: whole turns are counted on from these */
    const uint8_t *joint_active;    /* [joints] */
    const uint8_t *branch;          /* [drives] AfxiBranch */
    const double *target;           /* [drives][2] target and rate */
    const double *friction_limit;   /* [drives] */
    const AfxWrench *body_wrenches; /* [bodies], or NULL */
    double force_time;              /* s, of the stage: when signals of wrenches are taken */
    const AfxiResidualHold *hold;
    const AfxiResidualPoint *point;
    uint32_t hold_count, point_count;
    const AfxiResidualBody
        *known; /* [bodies] with their rotations and classes; NULL: rotations are found where needed */
} AfxiResidualStage;

#endif
