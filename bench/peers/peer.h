/* SPDX-License-Identifier: Apache-2.0 */
/* What the drivers of the comparison share: the scene, the state, the measurements and the line that is printed.
 *
 * A driver is one engine behind PeerEngine; peer_main reads the scene that `peer_affix --scene` wrote, steps the
 * engine, and measures all engines by the same code: the gap of every joint, the depth of every contact, the energy,
 * where the marker is. */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PeerPose {
    double position[3];
    double rotation[4]; /* w, x, y, z */
} PeerPose;

/** A rigid body: its frame is at the centre of mass, along the principal axes. */
typedef struct PeerBody {
    bool fixed;
    double mass;
    double inertia[3];
    double position[3];
    double rotation[4];           /* w, x, y, z */
    double linear[3], angular[3]; /* at the start; world axes */
    uint32_t first_shape, shape_count;
} PeerBody;

typedef enum PeerShapeKind {
    PEER_SPHERE = 0, /* size: radius */
    PEER_CAPSULE,    /* radius, half the length between the centres of its ends; along z */
    PEER_BOX,        /* half edges */
    PEER_PLANE       /* the half-space below z = 0 */
} PeerShapeKind;

/** A moving body has at most one shape, in its own frame. Shapes a and b touch when their bodies share no joint, one of
 * these moves, and a.group & b.mask, which says the same as b.group & a.mask. */
typedef struct PeerShape {
    uint32_t body;
    PeerShapeKind kind;
    double size[3];
    PeerPose pose; /* in the body's frame */
    uint32_t group, mask;
} PeerShape;

typedef enum PeerJointKind {
    PEER_BALL = 0,
    PEER_HINGE,    /* about x */
    PEER_SLIDE,    /* along x */
    PEER_UNIVERSAL /* about x of the first body's frame and y of the second's */
} PeerJointKind;

typedef struct PeerJoint {
    PeerJointKind kind;
    int32_t a, b; /* bodies; a = -1 is the world */
    PeerPose on_a, on_b;
    double lower, upper; /* stops of a slide; equal: none */
} PeerJoint;

typedef struct PeerScene {
    char name[120];
    double gravity[3];
    double friction;
    double young; /* Pa, of the bodies; infinite where nothing touches. Engines of rigid bodies have no use for it. */
    uint32_t body_count, shape_count, joint_count;
    PeerBody *bodies;  /* [body_count] */
    PeerShape *shapes; /* [shape_count], in the order of bodies; none: nothing collides */
    PeerJoint *joints; /* [joint_count] */
    uint32_t marker_body;
    double marker[3];
    uint32_t *first_mate; /* [body_count + 1] */
    uint32_t *mates;      /* bodies that share a joint with a body: from first_mate[body] on */
} PeerScene;

/** State of a body: centre of mass, rotation, velocity of the centre, angular velocity; world axes. */
typedef struct PeerState {
    double position[3], rotation[4], linear[3], angular[3];
} PeerState;

typedef struct PeerOptions {
    const char *variant;
    double h;            /* s */
    uint32_t iterations; /* 0: the engine's default */
    uint32_t substeps;
    double accuracy; /* of error-controlled integrators; 0: the driver's default */
    double erp;      /* share of a joint's error that a step corrects; 0: the driver's default */
    char **command;  /* of the engine that runs, see PeerEngine */
} PeerOptions;

typedef struct PeerEngine {
    const char *name, *version;
    /** NULL and a message on standard error when the scene cannot be run. */
    void *(*create)(const PeerScene *scene, const PeerOptions *options);
    /** Advances by options->h; false when the engine says that it failed. */
    bool (*step)(void *engine);
    void (*read)(void *engine, PeerState *out_states); /* [body_count] */
    /** The largest gap of the engine's own unknowns, where bodies are more than a pose; may be NULL. */
    double (*own_gap)(void *engine);
    /** For an engine in a process of its own: what the last step took there, and its name; NULL for all others. */
    double (*seconds)(void *engine);
    const char *(*title)(void *engine);
    char **command; /* and how it is started */
} PeerEngine;

/* ---- scenes (scene.c) ---- */

PeerScene peer_scene_read(const char *path);
/** Whether two shapes touch when they meet. */
bool peer_may_touch(const PeerScene *scene, const PeerShape *a, const PeerShape *b);
bool peer_share_joint(const PeerScene *scene, uint32_t a, uint32_t b);
/** A joint that both bodies stand still at. */
bool peer_joint_stands(const PeerScene *scene, const PeerJoint *joint);
/** A joint's frame on its first or second body, in the world at the start. */
PeerPose peer_joint_start(const PeerScene *scene, const PeerJoint *joint, bool on_a);
/** Bodies in an order that is random, but the same in every run; to be freed. */
uint32_t *peer_shuffle(uint32_t count);

/** A body of the tree of joints that starts at what stands still, breadth first; joint -1: it floats freely. */
typedef struct PeerBranch {
    int32_t joint, parent, child; /* parent -1: the world */
    bool from_a;                  /* the parent is the joint's first body */
} PeerBranch;

typedef struct PeerTree {
    uint32_t count;
    PeerBranch *branches; /* [count], parents first */
    bool *used;           /* [joint_count]; what is left closes loops */
} PeerTree;

PeerTree peer_tree(const PeerScene *scene);
/** The rate of a hinge or slide of the tree at the start, of the child against the parent along the joint's x axis; a
 * ball must be at rest. */
double peer_branch_rate(const PeerScene *scene, const PeerBranch *branch);
/** The points on the joint's two bodies that hold a joint which closes a loop: one for a ball, two on the axis for a
 * hinge. Fails for other kinds. */
int peer_loop_points(const PeerJoint *joint, double out_a[2][3], double out_b[2][3]);

/* ---- geometry (measure.c, depth.c) ---- */

void peer_rotate(const double rotation[4], const double v[3], double out[3]);
void peer_multiply(const double p[4], const double q[4], double out[4]);
/** a then b, seen from outside. */
PeerPose peer_compose(const PeerPose *a, const PeerPose *b);
PeerPose peer_inverse(const PeerPose *pose);
/** Where body k is at the start; -1: the world. */
PeerPose peer_body_pose(const PeerScene *scene, int32_t body);
/** The place in the world of a point of a body, -1 for the world. */
void peer_point(const PeerState *states, int32_t body, const double point[3], double out[3]);

/** A joint's frame on one body: its origin and its axes, which need not be orthonormal. */
typedef struct PeerFrame {
    double origin[3], axis[3][3];
} PeerFrame;

/** The reach of a joint, m: so far from its origin the gap of a joint that holds directions is measured too. */
#define PEER_REACH 0.1
/** The largest distance between points at the joint's origin and at its reach that the joint should keep together. */
double peer_joint_gap(const PeerJoint *joint, const PeerFrame *a, const PeerFrame *b);
double peer_largest_gap(const PeerScene *scene, const PeerState *states);
void peer_energy(const PeerScene *scene, const PeerState *states, double *out_kinetic, double *out_potential);
/** How deep any two shapes that should not overlap do so; 0: nowhere. */
double peer_depth(const PeerScene *scene, const PeerState *states);

void *peer_allocate(size_t count, size_t size);
void peer_fail(const char *format, ...);
int peer_main(int argc, char **argv, const PeerEngine *engine);

#ifdef __cplusplus
}
#endif
#endif
