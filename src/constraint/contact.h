/* SPDX-License-Identifier: Apache-2.0 */
/* Contact points: what they remember, the rows they make.
 *
 * A contact point has a normal n, from b towards a, and a point fixed in each body. With gap = n . (p_a - p_b), and u
 * the slip of the step added to what the point held before,
 *     normal force   N = k max(0, -gap - rest),
 *     friction       F = -k_u u,   k_u = min(k, mu N / |u|):
 * below the cone it sticks as a spring that remembers (in series with a damper where its material has one, so that it
 * creeps), on the cone it slides against the slip. A solve is linear and
 * symmetric: it has the k_u of the last one; where the point slides, the force along the slip is that of the last one
 * but for a small share of k_u, so that it does not grow with the slip. Slip is what the end velocity makes, dt (v_a -
 * v_b): rolling has none.
 *
 * Where b is not solved for, the rows go into the body's own block (body/woodbury.h); between two solved bodies they
 * are compliant rows of the joint graph. */
#ifndef AFXI_CONSTRAINT_CONTACT_H
#define AFXI_CONSTRAINT_CONTACT_H

#include "body/woodbury.h"
#include "constraint/rows.h"
#include "state/holds.h"
#include "state/integrator.h"

/* Rows of a point: normal, two of friction; with rolling or torsional friction two more of rolling, one of spin. */
#define AFXI_POINT_ROWS 3u
#define AFXI_POINT_ROWS_ROLLING 6u

/** What stays of a point from step to step. */
typedef struct AfxiPointMemory {
    uint32_t item_a, item_b, feature; /* whose it is: points are sorted by these three */
    uint32_t sliding;                 /* the next solve takes friction on the cone as given */
    double stretch[3];                /* the friction spring, world axes, m */
    double turned[3];                 /* the same for rolling and spin, rad */
    double slip, roll, spin;          /* stiffnesses of friction for the next solve: N/m, Nm, Nm */
    double slid, limit;               /* sliding: size of u, and the force there */
    double push;                      /* normal force, N */
    double limit_roll, limit_spin;
} AfxiPointMemory;

/** Where a point is: vectors in world axes. Forces act on a. */
typedef struct AfxiPointState {
    double gap, push;
    double slip[3], friction[3];
    double turn[3], moment[3];
} AfxiPointState;

typedef struct AfxiPoint {
    AfxiPointMemory memory;
    uint32_t body_a, body_b; /* of the model; a is solved for */
    bool pair;               /* b is solved for as well */
    bool chained;            /* a is solved for as a link of a ball chain */
    bool active, fresh;      /* in the next solve; did not touch in the last step */
    bool pushed;             /* when it was last solved for: it is expected to touch */
    bool impact;             /* it is new, and not gentle */
    bool soft;               /* its law is that of constraint/soft.h */
    bool slid_before;        /* its rows were last made for friction that slides */
    uint8_t row_count;
    uint32_t row;   /* of the Woodbury set or, for a pair, of the graph */
    uint32_t run;   /* what solves it in this stage */
    double axis[9]; /* columns: normal and two tangents */
    double x_a[3];  /* in the principal frame of a */
    double x_b[3];  /* of b; where b is not solved for, in the world at the end of the stage */
    double core_a[3],
        core_b[3];    /* a round shape is a point with a radius: the normal force acts there, without a lever */
    double round;     /* radii of those that are round and solved for, and the margin */
    double before[3]; /* what slip is counted from: p_a - p_b by qv */
    double spun[3];   /* what the turn is counted from */
    double friction, rolling, torsion, restitution;
    double stiffness, grip, turn_stiffness;
    double stick;             /* N/m: `grip` without creep */
    double creep;             /* m/N: how far a force makes what sticks slip in the stage */
    double margin;            /* m, in `round` */
    double stiffest;          /* what cannot be told from rigid; of soft ones, which come nearer to it in a step */
    uint32_t materials;       /* the item of AFX_PARAM_MATERIAL_PAIR */
    double volume;            /* of a */
    double drift[3];          /* m/s, of the surface of b where it deforms by itself */
    double approach;          /* normal velocity at the beginning of the step */
    double carried[3];        /* velocity of b there, where it is not solved for */
    double jump[3];           /* rates along the axes that an impact gives it; NaN: it leaves them free */
    double slide[2];          /* impulse of friction that slides, along the tangents */
    bool struck;              /* an impact has gone through it */
    double first_gap;         /* where the bodies were expected */
    double rest;              /* m, depth without force: what lay too deep comes out slowly, without being thrown */
    double pull;              /* m, gap up to which it may pull */
    double slack;             /* m, depth that need not be met at once */
    double tolerance;         /* m, of the gap */
    double slip_scale;        /* length of the stage over h of its rates */
    double dt;                /* s, length of the stage */
    double least_slip;        /* m, that a body makes in it when it begins to slide */
    AfxiPointState tried, at; /* of the last solve; where the next one starts from */
    double gap, force;        /* that count: of the last solve of all */
    double followed, lag; /* `converged`: the limit of friction that the last round asked for, and by how much more */
} AfxiPoint;

typedef struct AfxiPointList {
    AfxiPoint *point;
    uint32_t count, capacity;
} AfxiPointList;

/** Where a body is taken to be when its points are looked for. */
typedef struct AfxiBodyPlace {
    AfxiMat3 frame;
    AfxVec3 origin;
    const AfxiStagePlan *plan; /* by which it was expected there; NULL: it does not move, or a solve put it there */
} AfxiBodyPlace;

/** Derivatives of a point by where its bodies were expected (collide/vary.h): by turns of a about its origin, in world
 * axes, shifts of a, and the same of b; of the normal and of the point on either shape, in the world. */
typedef struct AfxiPointSlope {
    double normal[3][12], point_a[3][12], point_b[3][12];
    bool known;
} AfxiPointSlope;

/** The gradient of a row of a point on one of its bodies, in world axes. */
typedef struct AfxiContactRow {
    double g[AFXI_AFFINE_WIDTH];
    double target; /* added to what the gradients give */
} AfxiContactRow;

/** The contact points of a stage and what they leave for the next step. */
typedef struct AfxiContactSet {
    AfxiWorld *world;
    AfxiPointMemory *past; /* [past_count] of the last step, sorted */
    uint32_t past_count, past_capacity;
    AfxiPointMemory *kept; /* [kept_count] `past` at the beginning of a step that is cut into smaller ones */
    uint32_t kept_count, kept_capacity;
    AfxiPointList now;  /* sorted by items */
    AfxiPointList last; /* of this stage, before they were looked for again */
    AfxiWoodburySet woodbury;
    uint32_t woodbury_rows_capacity, woodbury_images_capacity, woodbury_bodies_capacity;
    uint32_t *woodbury_of; /* [bodies] into the Woodbury set, or UINT32_MAX */
    uint32_t *place_of;    /* [bodies] into place, or UINT32_MAX */
    uint32_t *placed;      /* [place_count] bodies */
    AfxiBodyPlace *place;  /* [place_count] */
    uint32_t place_count, place_capacity, placed_capacity;
    uint32_t dropped; /* points beyond the rows that one body can have */
} AfxiContactSet;

/** Memory of the set: arrays by body in an arena (both passes); the rest grows. */
void afxi_contacts_take(AfxiContactSet *set, AfxiArena *arena, AfxiWorld *world);
void afxi_contacts_release(AfxiContactSet *set);
/** Makes room for so many bodies and rows of the Woodbury set; false when there is no memory. */
bool afxi_contacts_reserve(AfxiContactSet *set, uint32_t bodies, uint32_t rows);
/** Keeps what points remember, for a step whose parts write over it; and brings it back. */
AfxStatus afxi_contacts_keep_past(AfxiContactSet *set);
void afxi_contacts_bring_back_past(AfxiContactSet *set);
/** Gives every point that touches something not solved for its rows, body by body; held points first. */
AfxStatus afxi_contacts_place_rows(AfxiContactSet *set);
/** Counts slip and turn of a point from the past of a stage by `plan`. */
void afxi_point_count_from(AfxiContactSet *set, const AfxiStagePlan *plan, AfxiPoint *point);
/** How deep the material points were that will touch, m. */
double afxi_point_depth_before(const AfxiContactSet *set, const AfxiPoint *point);
/** Gradients of row r of a point on both bodies (the second with its own sign), the constant in side[0].target; the
 * row's stiffness comes back. */
double afxi_contacts_row(const AfxiContactSet *set, const AfxiPoint *point, uint32_t r, AfxiContactRow side[2]);
/** p_a - p_b, and the turn of a less that of b, at q of both (b only where it is solved for). */
AfxVec3 afxi_point_distance(const AfxiPoint *point, const double *q_a, const double *q_b);
AfxVec3 afxi_point_turn(const AfxiContactSet *set, const AfxiPoint *point, const double *q_a, const double *q_b);
/** The gap at q of both bodies (b only where it is solved for). */
double afxi_point_gap(const AfxiPoint *point, const double *q_a, const double *q_b);
/** Along the slip the force of sliding friction is limit + this (u - slid). */
double afxi_point_along_slip(const AfxiPoint *point);
/** How the force of row r of a point grows with what the row measures: N/m, Nm. */
double afxi_point_stiffness(const AfxiPoint *point, uint32_t r);
/** How far the surface of a body that is not solved for moves in the stage where the point is, and how it turns. */
AfxVec3 afxi_point_carried(const AfxiContactSet *set, const AfxiPoint *point, AfxVec3 *out_turn);
/** Puts the rows of a point in the block of its body as they now are. */
void afxi_point_stiffen(AfxiContactSet *set, AfxiPoint *point);
/** The same after they have been put there in this stage: only what may be other is made anew. */
void afxi_point_stiffen_again(AfxiContactSet *set, AfxiPoint *point);

/** Switches off all rows between solved bodies. */
void afxi_contacts_clear(AfxiRows *rows);
/** Gradient of row r of a point between solved bodies at the present frames; what it measures there comes back. */
double afxi_contacts_gradient(const AfxiContactSet *set, AfxiRows *rows, const AfxiPoint *point, uint32_t r);
/** Gradient, value and compliance of all rows of such a point, at the frames of the next solve. */
void afxi_contacts_linearise_point(const AfxiContactSet *set, AfxiRows *rows, AfxiPoint *point);
/** The same where they have been made at these frames: only what may be other is made anew. */
void afxi_contacts_follow_point(const AfxiContactSet *set, AfxiRows *rows, AfxiPoint *point);

#endif
