/* SPDX-License-Identifier: Apache-2.0 */
/* Rigid bodies as trees in joint coordinates: which joints are the branches, what each coordinate moves, and which
 * joints close loops. Made from a model; needs no sim.
 *
 * A *node* is a frame that moves against its parent's by one elementary motion: about x, along x, about x with an
 * advance, any rotation (a unit quaternion), or any translation. Joints of several freedoms are several nodes, as their
 * coordinates are composed (joint/kind.h): translations along the base's axes first, then rotations. Only the last one
 * carries bodies. Fixed joints add no node: their bodies are carried by the same one. Bodies that no joint holds to
 * what stands still begin a tree of their own, with a translation and a rotation of the body's own frame.
 *
 * Where a joint is met from its follower's side, its motions are the inverse ones in inverse order: each about or along
 * the opposite axis, so that coordinates keep their sense.
 *
 * *Coordinates* q [coordinate_count] are those of the nodes, four numbers for a rotation; *velocities* u [dof_count]
 * are their rates, for a rotation the angular velocity in the node's own axes, for a translation in the axes of the
 * frame that it moves in. */
#ifndef AFXI_REDUCED_TREE_H
#define AFXI_REDUCED_TREE_H

#include "base/memory.h"
#include "model/model.h"

#define AFXI_TREE_NONE UINT32_MAX

typedef enum AfxiNodeKind {
    AFXI_NODE_HINGE,     /* turns about x */
    AFXI_NODE_SLIDE,     /* moves along x */
    AFXI_NODE_SCREW,     /* turns about x and advances by `pitch` times the angle */
    AFXI_NODE_BALL,      /* any rotation: 3 velocities, 4 coordinates */
    AFXI_NODE_TRANSLATE, /* any translation: 3 velocities */
    AFXI_NODE_MOVED      /* a kinematic body: no velocity of its own */
} AfxiNodeKind;

/** Where numbers of a node are that follow from parameters; moments and inertias are behind their masses. */
enum { AFXI_NODE_PITCH = 0, AFXI_NODE_MASS = 1, AFXI_NODE_DRAG = 11, AFXI_NODE_LIGHT = 21, AFXI_NODE_NUMBERS = 25 };

/** A frame of the tree. `turn` and `shift`: where it is in its parent's frame (AFXI_TREE_NONE: the world) at 0. */
typedef struct AfxiNode {
    uint32_t parent;
    uint32_t dof, coordinate; /* the first of its own */
    uint32_t first;           /* first node of its tree */
    uint32_t body;            /* MOVED: the kinematic body */
    uint8_t kind, dof_count;
    AfxiMat3 turn;
    AfxVec3 shift;
    union {
        struct { /* as AFXI_NODE_ names them */
            double pitch;
            double mass;
            AfxVec3 moment;    /* mass times centre, of all that it carries, in its frame */
            double inertia[6]; /* about its origin: xx, yy, zz, xy, xz, yz */
            double drag_mass;  /* the same of what a medium brakes, by rates: force = -drag times velocity */
            AfxVec3 drag_moment;
            double drag_inertia[6];
            double light_mass; /* of bodies that gravity does not act on */
            AfxVec3 light_moment;
        };
        double number[AFXI_NODE_NUMBERS];
    };
} AfxiNode;

/** A moving body: the node that carries it (AFXI_TREE_NONE: it stands still) and its principal frame there. */
typedef struct AfxiCarried {
    uint32_t body, node;
    uint32_t joint;  /* by which it is reached; AFXI_TREE_NONE: none */
    uint32_t parent; /* in `carried`: the body on the near side; AFXI_TREE_NONE: the world */
    AfxiMat3 turn;
    AfxVec3 shift;
} AfxiCarried;

/** A degree of freedom. */
typedef struct AfxiTreeDof {
    uint32_t joint;  /* AFXI_TREE_NONE: of a tree that nothing holds */
    uint32_t axis;   /* of the joint, or 0 ... 5 of a free base: translations, then rotations */
    uint32_t body;   /* that it moves next to */
    uint32_t node;   /* its own */
    uint32_t parent; /* the one before it on the way to the root, or AFXI_TREE_NONE */
    double armature; /* inertia of flywheels that are geared to it */
} AfxiTreeDof;

/** How a joint is in the tree. Axis k of the joint is dof[k], its rate factor[k] times that velocity; AFXI_TREE_NONE
 * where it is none (angles of a rotation; joints that are not branches). */
typedef struct AfxiTreeJoint {
    bool branch;   /* of the tree; else, it closes a loop */
    bool reversed; /* its follower is nearer to the root */
    uint32_t ball; /* node of its rotation, or AFXI_TREE_NONE */
    uint32_t last; /* node of its far side, or that of both sides where it is fixed */
    uint32_t dof[AFXI_JOINT_AXES_MOST];
    double factor[AFXI_JOINT_AXES_MOST];
} AfxiTreeJoint;

/** A body that only a coupling moves (model/flywheel.h): its joint's coordinate is ratio * coordinate + offset. */
typedef struct AfxiFlywheel {
    uint32_t body, joint, coupling, dof;
    double ratio, offset;
    /* where it is at coordinate y: turn[0] + cos y turn[1] + sin y turn[2], and the same of its centre, + y along */
    AfxiMat3 turn[3];
    AfxVec3 centre[3], along;
} AfxiFlywheel;

typedef struct AfxiTree {
    const AfxModel *model;
    AfxAllocator allocator;
    void *raw;
    size_t raw_size;
    uint32_t node_count, dof_count, coordinate_count, carried_count, flywheel_count;
    AfxiNode *node;           /* [node_count] parents first */
    AfxiCarried *carried;     /* [carried_count] in the order of the tree */
    AfxiTreeDof *dof;         /* [dof_count] */
    AfxiTreeJoint *joint;     /* [joints] */
    AfxiFlywheel *flywheel;   /* [flywheel_count] */
    uint32_t *place;          /* [bodies] in `carried`; AFXI_TREE_NONE: it does not move, or is a flywheel */
    uint8_t *coupling_folded; /* [couplings] it is a flywheel's */
    double gravity[3];
    bool damped;      /* a body moves in a medium */
    bool gravity_off; /* gravity does not act on some body */
    bool has_armature;
} AfxiTree;

/** The trees of a model, with joints as `active` [joints] says. On failure there is nothing to destroy. */
AfxStatus afxi_tree_create(const AfxModel *model, const uint8_t *active, const AfxAllocator *allocator,
                           AfxiTree *out_tree);
/** The same of some of its moving bodies, `member` [bodies], which no active joint ties to others; NULL: all. */
AfxStatus afxi_tree_create_part(const AfxModel *model, const uint8_t *active, const uint8_t *member,
                                const AfxAllocator *allocator, AfxiTree *out_tree);
/** Frees it; all 0 is allowed. */
void afxi_tree_destroy(AfxiTree *tree);
/** Masses, pitches, armature and gravity from a block of parameters; afxi_tree_create takes the model's. */
void afxi_tree_numbers(AfxiTree *tree, const double *params);

/** Coordinates and velocities from raw ones [bodies][12], with bodies made rigid; angles lie within half a turn of
 * `near` [dof_count] (NULL: of 0), in which each has its value. Any output may be NULL. */
void afxi_tree_from_raw(const AfxiTree *tree, const double *raw_q, const double *raw_v, const double *near,
                        double *out_q, double *out_u);
/** Coordinates as the turns of joints were last counted, `angle` of a state, by velocity: for `near` above. */
void afxi_tree_near(const AfxiTree *tree, const double *angle, double *out);
/** The coordinate that velocity `dof` is the rate of; AFXI_TREE_NONE for rotations. */
uint32_t afxi_tree_coordinate(const AfxiTree *tree, uint32_t dof);

#endif
