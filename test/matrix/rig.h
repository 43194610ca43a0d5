/* SPDX-License-Identifier: Apache-2.0 */
/* Mechanisms, one for each way in which the library solves them, and what can be put on them. */
#ifndef AFX_TEST_MATRIX_RIG_H
#define AFX_TEST_MATRIX_RIG_H

#include "affix/affix.h"

#define RIG_MOST 16

/* name of the column */
#define ENGINE_TABLE(X)            \
    X(ENGINE_FREE, "free")         \
    X(ENGINE_CHAIN, "chain")       \
    X(ENGINE_TREE, "tree")         \
    X(ENGINE_HINGES, "hinge tree") \
    X(ENGINE_GRAPH, "graph")       \
    X(ENGINE_CG, "cg")             \
    X(ENGINE_GS, "gs")

typedef enum Engine {
#define ENGINE_ENUM(engine, name) engine,
    ENGINE_TABLE(ENGINE_ENUM)
#undef ENGINE_ENUM
        ENGINE_COUNT
} Engine;

/* name of the row */
#define FEATURE_TABLE(X)                         \
    X(FEATURE_NONE, "nothing else")              \
    X(FEATURE_GROUND, "static contact")          \
    X(FEATURE_GRIP, "contact that grips")        \
    X(FEATURE_SLIDE, "contact that slides")      \
    X(FEATURE_PAIR, "pair contact")              \
    X(FEATURE_HOLD, "hold")                      \
    X(FEATURE_LIMIT, "limit")                    \
    X(FEATURE_STICK, "friction, sticks")         \
    X(FEATURE_STOP, "friction, stops")           \
    X(FEATURE_SLIP, "friction, slips")           \
    X(FEATURE_POSITION, "position drive")        \
    X(FEATURE_VELOCITY, "velocity drive")        \
    X(FEATURE_FORCE, "force drive")              \
    X(FEATURE_SERVO, "servo")                    \
    X(FEATURE_SATURATED, "servo at its effort")  \
    X(FEATURE_DRIVE_SPRING, "spring of an axis") \
    X(FEATURE_DRIVE_TABLE, "table of an axis")   \
    X(FEATURE_BALL_SPRING, "spring of a ball")   \
    X(FEATURE_SPRING, "spring of points")        \
    X(FEATURE_SPRING_TABLE, "table of points")   \
    X(FEATURE_WRENCH, "wrench of time")          \
    X(FEATURE_COUPLING, "coupling")              \
    X(FEATURE_COMPLIANT, "compliant coupling")   \
    X(FEATURE_KINEMATIC, "kinematic base")       \
    X(FEATURE_PARAMETER, "changed parameter")    \
    X(FEATURE_SWITCHED, "switched joint")        \
    X(FEATURE_BROKEN, "broken joint")            \
    X(FEATURE_SNAPSHOT, "snapshot, restore")     \
    X(FEATURE_SUBSTEP, "step in parts")          \
    X(FEATURE_THREADS, "threads")                \
    X(FEATURE_LANES, "lanes")

typedef enum Feature {
#define FEATURE_ENUM(feature, name) feature,
    FEATURE_TABLE(FEATURE_ENUM)
#undef FEATURE_ENUM
        FEATURE_COUNT
} Feature;

typedef struct Rig {
    AfxScene *scene;
    AfxSolver solver;
    AfxBodyId base; /* what the first body hangs on */
    AfxVec3 shift;  /* of the whole rig */
    AfxBodyId body[RIG_MOST];
    AfxVec3 tip[RIG_MOST]; /* the far end of each link, world */
    uint32_t bodies;
    AfxJointId joint[RIG_MOST];
    uint32_t joints;
    AfxJointId driven[2]; /* what drives and couplings are put on */
    uint32_t axis[2];
    uint32_t picked;      /* body that is touched, held, changed */
    bool breaks, springs; /* of joints, while they are made */
    bool still;           /* begins at rest */
    bool box;             /* the ground is a box */
} Rig;

/** A mechanism with a feature on it. The scene is the caller's to destroy. */
void rig_make(Engine engine, Feature feature, Rig *out_rig);
/** The same in a scene that is there already, moved by `shift`; the ground is a box, which ends somewhere. */
void rig_add(Engine engine, Feature feature, AfxScene *scene, AfxVec3 shift, Rig *out_rig);
/** A fixed ground just below the rig; features with contact have one. */
void rig_add_ground(Rig *rig);
/** A random mechanism of 3 to 8 links on balls, hinges, universal joints and slides; every second one has a loop. */
void rig_add_random(uint32_t seed, AfxScene *scene, AfxVec3 shift, Rig *out_rig);

#endif
