/* SPDX-License-Identifier: Apache-2.0 */
/* A scene with contact as its definitions and poses tell it: which shapes may touch, how deep they lie in each other,
 * whether they passed through each other, and how much energy the moving parts have put in. Nothing of the library's
 * contact is asked, but for the forces of contacts on bodies that move by themselves. */
#ifndef TEST_CASES_CROWD_H
#define TEST_CASES_CROWD_H

#include "affix/affix.h"
#include "apart.h"

typedef enum CrowdKind { CROWD_ROUND, CROWD_HULL, CROWD_PLANE } CrowdKind;

typedef struct CrowdShape {
    CrowdKind kind;
    uint32_t body, group, mask;
    double radius; /* of a sphere or capsule */
    double size;   /* radius of a sphere about `centre` that holds it; a plane: 0 */
    AfxVec3 centre, up;
    ApartSegment segment;
    ApartHull hull;
} CrowdShape;

/** Two shapes that may touch; a plane is the second. */
typedef struct CrowdPair {
    uint32_t a, b;
} CrowdPair;

/** The worst of all pairs and steps so far. */
typedef struct CrowdWorst {
    double value;
    uint32_t body_a, body_b;
    double time;
} CrowdWorst;

typedef struct Crowd {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
    uint32_t body_count, shape_count, pair_count;
    CrowdShape *own;            /* [shape_count], in the frames of their bodies */
    CrowdShape *before, *after; /* [shape_count], in the world, before and after the last step */
    CrowdPair *pairs;           /* [pair_count] */
    AfxPose *poses_before, *poses;
    CrowdWorst depth;  /* m */
    CrowdWorst passed; /* 1 where a pair passed */
    double energy;     /* J, springs included; what drives and moving bodies did is taken off */
    double work;       /* J, that drives and kinematic bodies did from the start */
    double *efforts;   /* [drives], after the last step */
    double *values;    /* [drives], the coordinates they act on */
    AfxVec3 *forces;   /* [joints], of kinematic bodies, after the last step */
} Crowd;

/** A case from "name=value name=value", at its own time step. */
Crowd crowd_start(const char *name, const char *arguments);
void crowd_finish(Crowd *crowd);
/** Takes a step and looks at all pairs. The test fails when the step does, and when a number is not finite. */
AfxStepReport crowd_step(Crowd *crowd);

/** crowd_energy.c: brings energy and work up to date after a step, or at the start. */
void crowd_energy_start(Crowd *crowd);
void crowd_energy_step(Crowd *crowd);

#endif
