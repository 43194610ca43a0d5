/* SPDX-License-Identifier: Apache-2.0 */
/* Robots of one model side by side: each in a lane of the recursions (recursion.h), with coordinates, parameters, input
 * and contact of its own. Smooth steps, by Runge-Kutta or backward differences, go in lanes as a whole; a robot that
 * touches, is at a limit or, by Runge-Kutta, has something stiff leaves them for that step, and comes back. Every robot
 * has the bits of a step by itself. */
#ifndef AFXI_REDUCED_LANES_H
#define AFXI_REDUCED_LANES_H

#include "reduced/inner.h"

/** The robots of a group, one in each lane, and their numbers there: what the first of them, who owns it, keeps from
 * step to step. */
typedef struct AfxiReducedSeats {
    AfxAllocator allocator;
    void *raw;
    size_t raw_size;
    AfxiTreeWork numbers; /* number, armature, gravity, wheel */
    AfxiReduced **robot;  /* [lanes] whose numbers are there; lanes behind the last robot have the first one's */
    uint32_t *version;    /* [lanes] of their parameters */
    double *laws;         /* [forces][AFXI_LAW_NUMBERS] */
    double *gradient;     /* [rows][dofs] of rows of coordinates of the tree */
    unsigned fits;        /* bit l: that robot is like the first in what is the same for all lanes */
} AfxiReducedSeats;

#define AFXI_LANES_MOST 8 /* of any machine */

/** Room for the steps of a group: the first robot of many groups owns it, and all work in it one after the other. */
typedef struct AfxiReducedLanes {
    AfxAllocator allocator;
    void *raw;
    size_t raw_size;
    uint32_t lanes;
    const AfxiTree *tree; /* the owner's */
    AfxiTreeWork work;
    AfxiReducedSeats *seats; /* of the present group */
    AfxiReduced **robot;     /* [lanes] those of the seats */
    bool plain, plain_rows;  /* all forces are along coordinates of the tree; so are all exact rows */
    bool given;              /* some forces are evaluated robot by robot */
    bool lively;             /* some forces change by themselves: targets of servos, what is not linear */
    double *q, *u;           /* all in lanes from here on */
    double *place[4], *stage_u[4], *stage_du[4];
    double *bias, *tau, *mass;
    double *momentum; /* [moving bodies][6] */
    AfxiTreeLaw *law; /* [forces] */
    AfxiTreeSystem equations;
    AfxiTreeSystem renewed;       /* the same as far as lanes get a matrix of their own: gradient, half, schur */
    double *du, *rate, *new_mass; /* of implicit steps */
    double **raw_q, **raw_v;      /* [lanes] where the robots' raw coordinates go */
    double *nowhere;              /* [bodies][12] those of lanes that do not count */
} AfxiReducedLanes;

/** Which lanes count: bit l. */
typedef unsigned AfxiLaneBits;

static inline bool afxi_lane_in(AfxiLaneBits bits, uint32_t lane) {
    return bits >> lane & 1;
}

/** Room for steps of robots like one, into robot->lanes; false: there is no memory. */
bool afxi_lanes_create(AfxiReduced *robot);
/** NULL is allowed. */
void afxi_lanes_destroy(AfxiReducedLanes *lanes);
void afxi_seats_destroy(AfxiReducedSeats *seats);
/** Takes robots of one model into lanes: those that can go there. */
AfxiLaneBits afxi_lanes_seat(AfxiReducedLanes *lanes, AfxiReduced *const *robots, uint32_t count);

/** Numbers of one robot, [count], into its lane, and back. */
void afxi_lanes_put(const AfxiReducedLanes *lanes, uint32_t lane, size_t count, const double *from, double *to);
void afxi_lanes_get(const AfxiReducedLanes *lanes, uint32_t lane, size_t count, const double *from, double *to);
/** Frames, velocities, accelerations and inertias of a lane into its robot's own workspace. */
void afxi_lanes_get_frames(const AfxiReducedLanes *lanes, uint32_t lane);

/** Targets of servos, and forces that are given at the robot's coordinates and velocities. */
void afxi_lanes_put_targets(AfxiReducedLanes *lanes, uint32_t lane, const double *q, const double *u);
/** How kinematic bodies move. */
void afxi_lanes_put_moved(AfxiReducedLanes *lanes, uint32_t lane);
/** Whether an implicit step of such a robot can go in lanes: all that acts on it goes by coordinates. */
bool afxi_lanes_take_implicit(const AfxiReduced *robot);
/** A step of afxi_reduced_bdf, by two where bits of `two` are set, of the lanes `going`: those that converge and leave
 * no limit. Others are where they were before afxi_reduced_go_back, but for branches. */
AfxiLaneBits afxi_lanes_bdf(AfxiReducedLanes *lanes, AfxiLaneBits going, double h, AfxiLaneBits two);
/** A step of afxi_reduced_rk4 from the robots' q and u to the same, of the lanes `going`: those in which it is true. */
AfxiLaneBits afxi_lanes_rk4(AfxiReducedLanes *lanes, AfxiLaneBits going, double h, bool smooth);
/** The robots' q and u become their states, raw coordinates too. */
void afxi_lanes_commit(AfxiReducedLanes *lanes, AfxiLaneBits fine);

/** A step of each of several sims, as their formulation does it: statuses [count]. */
void afxi_lanes_step(void *const *works, uint32_t count, AfxStepReport *const *reports, AfxStatus *out_statuses);

#endif
