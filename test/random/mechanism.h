/* SPDX-License-Identifier: Apache-2.0 */
/* Random mechanisms as plain data: what is in them can be taken out again, one thing at a time, and what is left still
 * stands where it stood. Everything is placed by joint coordinates, so that all joints meet at the start. */
#ifndef AFX_TEST_RANDOM_MECHANISM_H
#define AFX_TEST_RANDOM_MECHANISM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "affix/affix.h"

/* What a mechanism may have: feature, name, what it is. */
#define FEATURE_TABLE(X)                                                             \
    X(LOOPS, "loops", "joints that close loops")                                     \
    X(PLANAR, "planar", "all joints turn about parallel axes: loops are redundant")  \
    X(MASSES, "masses", "five decades of density")                                   \
    X(ELASTIC, "elastic", "elastic bodies, E = 1e7 to 1e11 Pa")                      \
    X(SPINNING, "spinning", "a start in motion")                                     \
    X(CONTACT, "contact", "bodies that touch the ground and each other")             \
    X(BOUNCE, "bounce", "restitution of contacts and limits")                        \
    X(SPRINGS, "springs", "springs between points")                                  \
    X(AXIS_SPRINGS, "axis-springs", "springs and dampers on joint coordinates")      \
    X(BALL_SPRINGS, "ball-springs", "rotational springs of ball joints")             \
    X(LIMITS, "limits", "limits of joint coordinates")                               \
    X(BALL_LIMITS, "ball-limits", "limits of the angles of ball joints")             \
    X(FRICTION, "friction", "friction in joints")                                    \
    X(COUPLINGS, "couplings", "relations between joint coordinates")                 \
    X(SERVOS, "servos", "servos, limited and not")                                   \
    X(POSITIONS, "positions", "coordinates that are told where to be")               \
    X(BALL_POSITIONS, "ball-positions", "angles of ball joints that are told where") \
    X(VELOCITIES, "velocities", "coordinates that are told how fast")                \
    X(FORCES, "forces", "forces along coordinates")                                  \
    X(KINEMATIC, "kinematic", "a base that moves by itself")                         \
    X(WRENCHES, "wrenches", "forces and torques on bodies")                          \
    X(DAMPING, "damping", "bodies in a medium")

typedef enum Feature {
#define FEATURE_ENUM(feature, name, text) FEATURE_##feature,
    FEATURE_TABLE(FEATURE_ENUM)
#undef FEATURE_ENUM
        FEATURE_COUNT
} Feature;

enum {
    BODIES_MOST = 48,
    JOINTS_MOST = 64,
    DRIVES_MOST = 128,
    SPRINGS_MOST = 16,
    COUPLINGS_MOST = 8,
    WRENCHES_MOST = 16,
    EXCLUSIONS_MOST = 1200,
    AXES_MOST = 6
};

/* The world, as an end of joints and springs. */
#define WORLD UINT32_MAX

typedef struct PartBody {
    bool gone;
    AfxBodyDef def;
    AfxShapeDef shape;
    double size;
} PartBody;

typedef struct PartJoint {
    bool gone;
    AfxJointDef def;
    uint32_t base, follower;
    double coordinate[AXES_MOST]; /* at the start */
    bool closes;                  /* a loop */
} PartJoint;

typedef struct PartDrive {
    bool gone;
    AfxDriveDef def;
    uint32_t joint;
} PartDrive;

typedef struct PartSpring {
    bool gone;
    AfxSpringDef def;
    uint32_t a, b;
} PartSpring;

typedef struct PartCoupling {
    bool gone;
    AfxCouplingDef def;
    uint32_t joint[AFX_COUPLING_TERMS];
} PartCoupling;

typedef struct PartWrench {
    bool gone;
    AfxWrenchDef def;
    uint32_t body;
} PartWrench;

typedef struct Mechanism {
    uint64_t seed;
    uint32_t features; /* bits of Feature that it was made with */
    double size;       /* m */
    AfxVec3 gravity;
    bool contact;
    AfxMaterialDef material;
    uint32_t body_count, joint_count, drive_count, spring_count, coupling_count, wrench_count, exclusion_count;
    PartBody body[BODIES_MOST];
    PartJoint joint[JOINTS_MOST];
    PartDrive drive[DRIVES_MOST];
    PartSpring spring[SPRINGS_MOST];
    PartCoupling coupling[COUPLINGS_MOST];
    PartWrench wrench[WRENCHES_MOST];
    uint32_t exclusion[EXCLUSIONS_MOST][2];
    AfxSimDef sim;
    uint32_t steps;
    uint32_t snapshot_step; /* where the run is interrupted */
    double work_most;       /* solver iterations times bodies, after which the run is long enough; 0: all steps */
} Mechanism;

/** The name of a feature. */
const char *feature_name(Feature feature);
/** The feature of a name, FEATURE_COUNT when there is none. */
Feature feature_find(const char *name);

/** The mechanism of a seed. `only`: bits of features that it has for certain, and no others; 0: any. */
void mechanism_generate(Mechanism *mechanism, uint64_t seed, uint32_t only);
/** Drives, springs, couplings and wrenches of a mechanism whose bodies and joints are there. */
void mechanism_add_actions(Mechanism *mechanism, uint64_t *seed);
/** The scene of what is not gone; NULL with a text when it is refused. To be destroyed. */
AfxScene *mechanism_scene(const Mechanism *mechanism, AfxError *out_error);

/** Whether a feature is on. */
static inline bool has(const Mechanism *mechanism, Feature feature) {
    return mechanism->features >> feature & 1;
}

/** Whether a drive acts: it and its joint are there. */
static inline bool acts(const Mechanism *mechanism, const PartDrive *drive) {
    return !drive->gone && !mechanism->joint[drive->joint].gone;
}

/** Bodies that move and are not gone. */
uint32_t mechanism_moving(const Mechanism *mechanism);
/** Whether its integrator is one that conserves. */
bool mechanism_conserves(const Mechanism *mechanism);
/** Whether nothing puts energy into it: what moves was in motion or high up at the start. */
bool mechanism_passive(const Mechanism *mechanism);
/** Whether what is told exactly (positions, velocities, exact couplings, bases that move) may be impossible: in loops,
 * against limits, or told twice. A failed step is then no fault, if it says where. */
bool mechanism_may_be_infeasible(const Mechanism *mechanism);
/** Whether the motion has as many derivatives as an integrator's order asks for: no contact, limits or friction. */
bool mechanism_smooth(const Mechanism *mechanism);

#endif
