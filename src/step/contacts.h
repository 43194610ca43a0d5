/* SPDX-License-Identifier: Apache-2.0 */
/* Contact in a sim: which points touch, the rows they make, and whether a solve agrees with their laws.
 *
 * A point of touch has a normal n, from b towards a, and a point fixed in each body. With gap = n . (p_a - p_b), and u
 * the slip of the step added to what the point held before,
 *     normal force   N = k max(0, -gap - rest),
 *     friction       F = -k_u u,   k_u = min(k, mu N / |u|):
 * below the cone it sticks as a spring that remembers, on the cone it slides against the slip. A solve is linear and
 * symmetric: it has the k_u of the last one; where the point slides, the force along the slip is that of the last one
 * but for a small share of k_u, so that it does not grow with the slip. Slip is what the end velocity makes, dt (v_a -
 * v_b): rolling has none.
 *
 * Where b is not solved for, the rows go into the body's own block (dual/touch.h); between two solved bodies they are
 * compliant rows of the joint graph. */
#ifndef AFXI_STEP_CONTACTS_H
#define AFXI_STEP_CONTACTS_H

#include "contact/broad.h"
#include "contact/geometry.h"
#include "step/beside.h"

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
    bool chained;            /* a is a link of a ball chain ... */
    uint32_t chain;          /* ... this one */
    bool active, fresh;      /* in the next solve; did not touch in the last step */
    bool pushed;             /* when it was last solved for: it is expected to touch */
    bool settled;            /* the chain is done */
    uint8_t row_count;
    uint32_t row;   /* of touches or, for a pair, of the graph */
    double axis[9]; /* columns: normal and two tangents */
    double x_a[3];  /* in the principal frame of a */
    double x_b[3];  /* of b; where b is not solved for, in the world at the end of the stage */
    double core_a[3],
        core_b[3];    /* a round shape is a point with a radius: the normal force acts there, without a lever */
    double round;     /* radii of those that are round and solved for */
    double before[3]; /* what slip is counted from: p_a - p_b by qv */
    double spun[3];   /* what the turn is counted from */
    double friction, rolling, torsion, restitution;
    double stiffness, grip, turn_stiffness;
    double volume;    /* of a */
    double drift[3];  /* m/s, of the surface of b where it deforms by itself */
    double approach;  /* normal velocity at the beginning of the step */
    double carried;   /* that of b alone, where it is not solved for */
    double first_gap; /* where the bodies were expected */
    double rest;      /* m, depth without force: what lay too deep comes out slowly, without being thrown */
    double pull;      /* m, gap up to which it may pull */
    double slack;     /* m, depth that need not be met at once */
    uint32_t island;
    AfxiPointState tried, at; /* of the last solve; where the next one starts from */
    double gap, force;        /* that count: of the last solve of all */
} AfxiPoint;

typedef struct AfxiPointList {
    AfxiPoint *point;
    uint32_t count, capacity;
} AfxiPointList;

/** Where a body is taken to be when its points are looked for. */
typedef struct AfxiBodyPlace {
    AfxiMat3 frame;
    AfxVec3 origin;
} AfxiBodyPlace;

/** The gradient of a row of a point on one of its bodies, in world axes. */
typedef struct AfxiContactRow {
    double g[12];
    double target; /* added to what the gradients give */
} AfxiContactRow;

typedef struct AfxiPairBlock AfxiPairBlock;

/** The joint graph with blocks for pairs of solved bodies that touch. */
typedef struct AfxiPairGraph {
    AfxiPairBlock *block; /* [count] sorted by items */
    uint32_t count, capacity;
    AfxiBeside beside;
    bool planned; /* there is such a graph */
    bool used;    /* pairs touch in this step */
} AfxiPairGraph;

/** Box of a shape in its body's principal frame. */
typedef struct AfxiItemBox {
    double center[3], half[3];
    double inner; /* radius of a ball inside */
    bool unbounded;
} AfxiItemBox;

/** Bodies that joints or points hold together, and how far their points have come. Islands do not wait for each other's
 * friction, nor are their steps cut together. */
typedef struct AfxiIsland {
    uint32_t rounds;              /* of the stage, in which limits of friction followed */
    bool listed;                  /* it has points that the review is about */
    uint32_t pushing, wrong;      /* points that push, and that are on the wrong side */
    bool misplaced;               /* more of them than may be */
    bool drives;                  /* friction drives what it should brake */
    bool moving;                  /* a body turned so far that its frame must follow */
    bool changed, followed;       /* the next solve has other rows; by other limits of friction */
    double largest;               /* normal force of the last solve */
    double off, limit;            /* squares: by how much friction is off, and may be at most */
    double cut, low, high, slope; /* of a step that is cut */
} AfxiIsland;

/** How far the points of a stage have come. */
typedef struct AfxiReview {
    uint32_t count; /* of reviews */
    bool started;   /* there was a solve at these frames */
    bool given_up;  /* the last solve was taken though points were not settled */
    bool sunk;      /* and some lie too deep */
} AfxiReview;

typedef struct AfxiContactWork {
    AfxAllocator allocator;
    AfxiBroad *broad;
    AfxiGeometry *geometry; /* [geometries of the model] */
    AfxiHullMesh *hull;     /* [geometries of the model], of those that have one */
    AfxiTriangles *mesh;
    uint32_t geometry_count;
    double **rates;   /* [geometries of the model] of those with vertex frames: velocities [3 * vertex_count], m/s */
    bool deforming;   /* there are such */
    AfxiItemBox *box; /* [box_count] */
    uint32_t box_count, box_capacity;
    uint32_t *box_of;                /* [items] */
    double (*lower)[3], (*upper)[3]; /* [items] over the step */
    double *pad;                     /* [items] by which the boxes were widened */
    AfxiPointMemory *past;           /* [past_count] of the last step, sorted */
    uint32_t past_count, past_capacity;
    AfxiPointList now;
    AfxiPointList last; /* of this stage, before they were looked for again */
    AfxiPairGraph pairs;
    AfxiTouches touches;
    uint32_t touch_rows_capacity, touch_images_capacity, touch_bodies_capacity;
    uint32_t *touch_of;   /* [bodies of the graph] into touches */
    uint32_t *link_touch; /* [links] into touches */
    uint32_t *link_of;    /* [bodies] link; NULL without chains */
    uint32_t *chain_of;   /* [links] */
    uint32_t *place_of;   /* [bodies] into place, or UINT32_MAX */
    uint32_t *placed;     /* [place_count] bodies */
    AfxiBodyPlace *place; /* [place_count] */
    uint32_t place_count, place_capacity, placed_capacity;
    uint32_t *island_of; /* [bodies of the graph] a forest */
    AfxiIsland *island;  /* [bodies of the graph, then chains] by their roots */
    uint32_t *listed;    /* [listed_count] islands with points that a review is about */
    uint32_t listed_count;
    double *result;        /* [bodies of the graph][12] and ... */
    double *known;         /* [joint rows] multipliers of the last solve, if ... */
    bool warm;             /* ... points are looked for again there, and solves go on from there */
    double dt, slip_scale; /* of the stage: its length, and that by h_rate */
    bool strict;           /* a stage in which points lie too deep is done again in smaller steps */
    bool impact;           /* something new touches, and not gently */
    AfxiReview review[2];  /* of this stage: bodies of the graph, links of chains */
    double tolerance;      /* m, of gaps */
    double least_slip;     /* m, that a body makes in a step when it begins to slide */
    double depth;          /* deepest after the step */
    double unseen;         /* deepest that the last solve found beside the planes of its points */
    double seconds_broad, seconds_narrow;
    void *raw;
    size_t raw_size;
} AfxiContactWork;

/** Makes what contact needs; *out is NULL when nothing of the model can touch. */
AfxStatus afxi_contact_work_create(AfxSim *sim, AfxiContactWork **out);
void afxi_contact_work_destroy(AfxiContactWork *work);

/** Puts the vertices of meshes that deform where they are at a time. */
void afxi_contacts_deform(AfxSim *sim, double time);
/** Looks for points of touch at the end of a stage, from the state at its beginning or, if `warm`, from its last
 * result. */
AfxStatus afxi_contacts_find(AfxSim *sim, const AfxiStagePlan *plan);
/** A shape where it is expected at the end of the stage; its body's place is known. */
AfxiPlace afxi_shape_expected(const AfxSim *sim, const AfxiContactShape *shape);
/** Where a solve put a body: in `next` [bodies of the graph][12] or, without it and where it is not solved for, in the
 * state. */
const double *afxi_contacts_result(const AfxSim *sim, uint32_t body, const double *next);
/** Points of two items there, AFXI_TOUCH_MAX at most; their number comes back. */
uint32_t afxi_touch_after(const AfxSim *sim, const AfxiPair *pair, const double *next, double margin, AfxiTouch *touch);
/** How deep two items lay in each other at the beginning of the stage, where bodies were at q [bodies][12]. */
double afxi_contacts_depth_before(const AfxSim *sim, uint32_t a, uint32_t b, const double *q);
/** Of the points of bodies of the graph to `next` [bodies of the graph][12] or, without it, of those of links of chains
 * to the state of all bodies. */
AfxiFit afxi_contacts_fit(const AfxSim *sim, const double *next);
/** Keeps a result and its multipliers [joint rows] for the points to be looked for there. */
void afxi_contacts_keep_result(AfxSim *sim, const double *next, const double *lambda);
/** Makes the rows of all points from the memory and the stage. */
AfxStatus afxi_contacts_begin(AfxSim *sim, const AfxiStagePlan *plan);
/** Makes room for so many bodies and rows of touches; false when there is no memory. */
bool afxi_contacts_reserve(AfxiContactWork *work, uint32_t bodies, uint32_t rows);
/** Makes sure that pairs of solved bodies have their blocks. */
AfxStatus afxi_contacts_plan(AfxSim *sim);
void afxi_contacts_release_pairs(AfxiContactWork *work);
/** Gradients of row r of a point on both bodies (the second with its own sign), the constant in side[0].target; the
 * row's stiffness comes back. */
double afxi_contacts_row(const AfxiContactWork *work, const AfxiPoint *point, uint32_t r, AfxiContactRow side[2]);
/** The dual system reckons with the contacts of this stage, or no longer. */
void afxi_contacts_attach(AfxSim *sim, bool on);
/** Gradients, values and compliances of the rows between solved bodies, at the frames of the next solve. */
void afxi_contacts_linearise(AfxSim *sim);
/** Switches off all rows between solved bodies. */
void afxi_contacts_clear(AfxSim *sim);
/** Gradient of row r of such a point at the present frames; what it measures there comes back. */
double afxi_contacts_gradient(AfxSim *sim, const AfxiPoint *point, uint32_t r);
/** p_a - p_b, and the turn of a less that of b, at q of both (b only where it is solved for). */
AfxVec3 afxi_point_distance(const AfxiPoint *point, const double *q_a, const double *q_b);
AfxVec3 afxi_point_turn(const AfxiContactWork *work, const AfxiPoint *point, const double *q_a, const double *q_b);
/** The gap at q of both bodies (b only where it is solved for). */
double afxi_point_gap(const AfxiPoint *point, const double *q_a, const double *q_b);
/** Along the slip the force of sliding friction is limit + this (u - slid). */
double afxi_point_along_slip(const AfxiContactWork *work, const AfxiPointMemory *memory);
/** Puts the rows of a point in the block of its body as they now are. */
void afxi_point_stiffen(AfxiContactWork *work, AfxiPoint *point);
void afxi_contacts_law_begin(AfxSim *sim);
/** The frames of the next solve are others. */
void afxi_contacts_moved(AfxSim *sim, bool chained);
/** Compares what a solve gave with the laws, and changes the rows where it differs; true when it must be solved again.
 * `chained`: for links of ball chains, whose new q is in `next` [bodies][12]; else for the bodies of the graph. Where a
 * body turned by more than turn_most, friction waits for its next frame. */
bool afxi_contacts_review(AfxSim *sim, bool chained, const double *next, double turn_most);
/** Whether a point struck that bounces. */
bool afxi_contacts_bouncing(const AfxSim *sim);
/** Rows of the points that bounce, for velocities in the dual system: attached, with frames and rigid inverses. */
void afxi_contacts_bounce_rows(AfxSim *sim);
/** Lets what struck bounce; true when something did. All joints keep their rates. */
bool afxi_contacts_bounce(AfxSim *sim);
/** Puts back what `count` points remembered. */
AfxStatus afxi_contacts_restore(AfxSim *sim, const void *memories, uint32_t count);
/** Keeps what the next step needs to remember. */
void afxi_contacts_finish(AfxSim *sim);

#endif
