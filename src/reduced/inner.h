/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the formulation share. */
#ifndef AFXI_REDUCED_INNER_H
#define AFXI_REDUCED_INNER_H

#include "collide/stale.h"
#include "joint/axis.h"
#include "joint/law.h"
#include "reduced/joined.h"
#include "reduced/recursion.h"
#include "reduced/reduced.h"
#include "reduced/tuning.h"
#include "solve/activeset.h"

/** What a row measures. */
typedef enum AfxiReducedSource {
    AFXI_REDUCED_LOOP,     /* a row of a joint that is no branch */
    AFXI_REDUCED_SCREW,    /* the advance of such a screw */
    AFXI_REDUCED_DRIVE,    /* a coordinate */
    AFXI_REDUCED_COUPLING, /* a sum of coordinates */
    AFXI_REDUCED_SPRING    /* a length */
} AfxiReducedSource;

/** How a row is held in a solve. */
typedef enum AfxiReducedHolds {
    AFXI_HOLDS_VALUE, /* at its target */
    AFXI_HOLDS_END,   /* at the end of a limit */
    AFXI_HOLDS_RATE,  /* at rest */
    AFXI_HOLDS_LAW    /* by the law of a force */
} AfxiReducedHolds;

/** One scalar of the state, with its gradient: exact rows, and what forces act along. */
typedef struct AfxiReducedRow {
    AfxiReducedSource source;
    uint32_t index; /* of its source: joint, drive, coupling or spring */
    uint32_t part;  /* LOOP: row of the joint's kind */
    uint32_t place; /* of its multiplier in the state; UINT32_MAX: none */
    uint32_t dof;   /* DRIVE: its coordinate is factor times that of one velocity; AFXI_TREE_NONE: not so */
    double factor;
    double sign; /* of its multiplier there */
    AfxiReducedHolds holds;
    double lambda, *multiplier; /* of the present step; where a copy in work->active keeps it */
    uint32_t limit;             /* friction: of its coordinate, in work->held; AFXI_TREE_NONE: none */
    bool let_go, struck;        /* a limit that an impact does not push; that came at its end in one */
    double leave;               /* the rate that an impact gives to a limit */
    uint32_t coordinate;        /* DRIVE with a dof: of that velocity */
    const double *numbers;      /* DRIVE: its parameters, since the last afxi_reduced_gather */
    bool linear;                /* DRIVE: a spring without tables, or a servo */
    const double *target;       /* DRIVE: of a servo, its place and rate; NULL: none */
    bool bends;                 /* it goes by a coordinate of a joint that is no branch: see afxi_reduced_accelerate */
} AfxiReducedRow;

/** What a row is at a state. */
typedef struct AfxiReducedMeasure {
    double value, rate; /* of the motion: targets are not in it */
    double free; /* 1/mass along it of its bodies by themselves: what a gradient that is but rounding is told by */
    double bend; /* LOOP, with its gradient: second derivative at no acceleration, after inverse dynamics without any */
} AfxiReducedMeasure;

/* Numbers of a body in it at most: seven coordinates, six velocities, six momenta and six accelerations, twice. */
enum { AFXI_REDUCED_STATE = 50 };

/** The state of the formulation itself, in a snapshot; raw coordinates follow from it. */
typedef struct AfxiReducedState {
    double *q, *u;                         /* [coordinates], [dofs] */
    double *past_q, *past_u;               /* a step before; */
    AfxiSpatial *momentum, *past_momentum; /* of both (momentum.h) */
    double *history; /* 1: they fit; 0: a start or an impact lies between, and less: so many steps more go by one */
    double *rate[2], *kept; /* accelerations of the step, and what they are (smooth.h) */
} AfxiReducedState;

/** An angle of the state that is a coordinate of the tree: scale times it, and an offset. */
typedef struct AfxiReducedAngle {
    uint32_t place, coordinate;
    double scale, offset;
} AfxiReducedAngle;

/** What a contact point has beside constraint/contact.h: how the surface of what is not solved for moves there. */
typedef struct AfxiReducedPoint {
    AfxVec3 velocity, turning;
} AfxiReducedPoint;

/** Contact points of a stage (touch.h). */
typedef struct AfxiReducedTouch {
    AfxiCollide *collide; /* NULL: nothing can touch; its `result` has raw coordinates after a solve */
    AfxiActiveSet active;
    AfxiPlans plans;
    double length;           /* s, of the stage */
    bool starting;           /* the step has no past */
    AfxiPointList told;      /* of the last step */
    AfxiReducedPoint *point; /* [points of the stage] */
    uint32_t *index;         /* [points of the stage] */
    uint32_t point_capacity, index_capacity;
    double *v, *frame;     /* [bodies][12] raw velocities and coordinates of the iteration */
    uint8_t *touched;      /* [bodies] */
    uint32_t *path, *body; /* [dofs] of a point, rising; [body_count] in `carried`, of bodies with points */
    uint32_t body_count;
    double *kept;     /* [2][bodies][12] raw coordinates and velocities before a step in parts */
    double *gradient; /* [dofs] of a row of a point, by its path */
    AfxiJoinedRows joined;
    bool rough, dropped, acting; /* acting: forces of the last step count as given */
    double unseen;
    AfxStatus status; /* of the last look */
    size_t numbers_size, marks_size, path_size;
} AfxiReducedTouch;

struct AfxiReducedLanes;
struct AfxiReducedSeats;

typedef struct AfxiReduced {
    AfxAllocator allocator;
    AfxiWorld *world;
    const AfxModel *model;
    AfxiTree tree;
    AfxiTreeWork work;
    void *raw;
    size_t raw_size;
    const uint8_t *member, *member_joint; /* [bodies], [joints] of its island (islands.h); NULL: all */
    uint32_t body_count;                  /* moving bodies of it */
    size_t state_at;                      /* where its own numbers begin */
    double next_history;                  /* what a step that is done leaves for the next one */
    bool stale;                           /* parameters were edited */
    bool fresh;                           /* the present step begins with others, or anew */
    uint32_t exact_count, force_count;    /* rows that hold exactly; along which forces act */
    AfxiReducedRow *exact, *force;
    uint32_t held_count, active_count; /* limits and friction; rows of the present solve */
    AfxiReducedRow *held, *active;
    uint32_t along_count; /* at most: forces along scalars that are no coordinates of the tree */
    double *compliance;   /* [active] */
    uint32_t solves;      /* of the step */
    uint32_t angle_count; /* of those that are coordinates of the tree; */
    bool angles_left;     /* there are others */
    AfxiReducedAngle *angle;
    uint32_t ball_count, *ball; /* joints with a spring about three axes */
    double *q, *u, *du;         /* [coordinates], [dofs], [dofs] at the evaluation */
    AfxiTreeRows rows;
    double *bias, *tau, *mass;    /* [dofs], [dofs], packed as `rows` say */
    const AfxiTreeRows *rows_now; /* of the present factor, and the factor: those above, or with points joined */
    double *mass_now;
    double part_from, part_share; /* of the step: the part that is being done */
    AfxiReducedTouch touch;
    double *stage_q, *place[4], *stage_u[4], *stage_du[4];
    double *gradient, *half, *schur, *side, *slip, *lambda,
        *rest;                       /* of the active rows: [rows][dofs] twice, [rows][rows] ... */
    double *row, *force_gradient;    /* [dofs] */
    AfxiReducedMeasure *measure;     /* [active rows] */
    double *told;                    /* multipliers by place, of the end of a step */
    AfxiSpatial *wrench;             /* [carried] of reactions */
    AfxiSpatial *momentum, *balance; /* [moving bodies] p* of a step, [nodes] of its balance */
    uint32_t classes_seen;           /* version of the masses that the state's momenta are of; UINT32_MAX: none yet */
    double violation;
    double kept;                    /* what a step leaves in stage_du[2] and [3] (smooth.h) */
    bool regularised, bends;        /* some exact row is such a one */
    bool straight;                  /* all exact rows, and all forces, go by coordinates of the tree */
    uint32_t params_seen;           /* parameters that were not refused; UINT32_MAX: none yet */
    struct AfxiReducedLanes *lanes; /* of robots that it leads (lanes.h); NULL: none yet */
    struct AfxiReducedSeats *seats; /* of itself and the robots behind it; NULL: none yet */
    const void *seat;               /* in which its numbers are; NULL: in none */
} AfxiReduced;

/** How q and u lie in the state's own bytes. */
AfxiReducedState afxi_reduced_state(const AfxiReduced *work);

#endif
