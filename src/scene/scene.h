/* SPDX-License-Identifier: Apache-2.0 */
/* The scene's storage, as the model compiler reads it. Everything here has been validated when it was added:
 * numbers are finite, rotations unit, names unique, meshes closed where they weigh; only whether a dynamic body has
 * mass at all is left to afxi_scene_body_mass. Storage is dense and in authoring order; links are indices, AFXI_NONE
 * for none. What is often the same for many (matter, shapes, how joints are fitted) is kept once for all that share it:
 * a million equal links then take 130 MB, not 580. */
#ifndef AFXI_SCENE_SCENE_H
#define AFXI_SCENE_SCENE_H

#include "affix/contact.h"
#include "affix/joint.h"
#include "affix/robot.h"
#include "affix/sensor.h"
#include "base/intern.h"
#include "scene/name.h"

#define AFXI_NONE UINT32_MAX

/** What a body is made of, and how it is treated. Interned: no padding. */
typedef struct AfxiSceneMatter {
    double mass; /* with AFX_MASS_FROM_SHAPES: rescales the sum when > 0 */
    AfxVec3 center;
    double inertia[6];
    double young, poisson;
    double linear_damping, angular_damping;
    uint32_t kind;        /* AfxBodyKind */
    uint32_t mass_source; /* AfxMassSource */
    uint32_t gravity;     /* 1: it acts */
    uint32_t unused;
} AfxiSceneMatter;

/** A body: AfxBodyDef without its motion. */
typedef struct AfxiSceneBody {
    const char *name; /* NULL when it has none; in the scene's text pool */
    AfxPose pose;
    uint32_t matter;                               /* into AfxScene.matters */
    uint32_t twist;                                /* into AfxScene.twists; AFXI_NONE: at rest */
    uint32_t first_shape, last_shape, shape_count; /* list through AfxiSceneUse.next, in order of adding */
    uint32_t motion;                               /* into AfxScene.motions; AFXI_NONE unless kinematic */
} AfxiSceneBody;

/** The motion of one kinematic body. */
typedef struct AfxiSceneMotion {
    AfxMotion motion; /* axis is unit; the tables are the scene's own */
    uint32_t body;
} AfxiSceneMotion;

/** A shape: what its kind needs of AfxShapeDef. Interned: no padding. */
typedef struct AfxiSceneShape {
    AfxPose pose;
    double size[3]; /* box, ellipsoid: half extents; sphere: radius; capsule, cylinder: radius, length; height field:
                     * half extents x, y */
    double density, mass;
    uint32_t mesh;     /* into AfxScene.meshes; AFXI_NONE unless convex, mesh or height field */
    uint32_t material; /* index */
    uint32_t contact_group, contact_mask;
    uint32_t kind;   /* AfxShapeKind */
    uint32_t visual; /* 1: it is */
} AfxiSceneShape;

/** A shape on a body. */
typedef struct AfxiSceneUse {
    uint32_t shape;   /* into AfxScene.shapes */
    uint32_t next;    /* of the same body, into AfxScene.uses */
    uint32_t color;   /* as in AfxShapeDef: of the use, so that models do not see it */
    uint32_t texture; /* 1 + index; 0: none */
} AfxiSceneUse;

/** A picture: a PNG or JPEG file. */
typedef struct AfxiSceneTexture {
    unsigned char *data; /* [size] */
    size_t size;
    double tile;
} AfxiSceneTexture;

/** Geometry of a mesh, of a convex shape with the triangles of its hull, or of a height field. */
typedef struct AfxiSceneMesh {
    double *vertices;    /* [3 * vertex_count] in the shape's frame */
    uint32_t *triangles; /* [3 * triangle_count] counter-clockwise seen from outside */
    uint32_t vertex_count, triangle_count;
    AfxMass unit;    /* of density 1, in the shape's frame; all 0 unless solid */
    double *heights; /* [rows * columns] */
    uint32_t columns, rows;
    double *frames; /* [frame_count][vertex_count][3]; NULL: rigid */
    uint32_t frame_count;
    double frame_rate; /* > 0 */
    bool loop;
    bool solid; /* it encloses one; otherwise it has no mass */
} AfxiSceneMesh;

/** A material, or what was set for a pair of them (then without name). */
typedef struct AfxiSceneMaterial {
    const char *name; /* NULL when it has none */
    double friction, restitution, rolling_friction, torsional_friction, stiffness, damping;
    double impedance[5];
    double friction_damping, margin;
} AfxiSceneMaterial;

/** What was set for the materials a <= b. */
typedef struct AfxiScenePair {
    uint32_t a, b;
    AfxiSceneMaterial values;
} AfxiScenePair;

/** Two bodies that pass through each other. */
typedef struct AfxiSceneExclusion {
    uint32_t a, b;
} AfxiSceneExclusion;

typedef struct AfxiSceneMarker {
    const char *name;
    uint32_t body;
    AfxVec3 point;
} AfxiSceneMarker;

typedef struct AfxiSceneWrench {
    uint32_t body;
    AfxFrame frame;
    AfxVec3 point, force, torque;
    uint32_t signals; /* into AfxScene.wrench_signals; AFXI_NONE: it has none */
} AfxiSceneWrench;

/** What signals add to the components of a wrench, force first; tables are the scene's own. */
typedef struct AfxiWrenchSignals {
    AfxSignal of[6];
} AfxiWrenchSignals;

/** How a joint sits between its bodies. Frames are those of the definition, rotations unit. Interned: no padding. */
typedef struct AfxiSceneFit {
    AfxPose base_frame;     /* in the base's user frame; the world's when base is AFXI_NONE */
    AfxPose follower_frame; /* the same of the follower */
    double length;          /* DISTANCE: > 0 */
    double pitch;           /* SCREW: m per radian */
    double break_force;     /* 0: never */
    double break_torque;    /* 0: never */
} AfxiSceneFit;

/** A joint. */
typedef struct AfxiSceneJoint {
    const char *name;        /* NULL when it has none */
    uint32_t fit;            /* into AfxScene.fits */
    uint32_t base, follower; /* body index; AFXI_NONE: the world; never equal */
    uint32_t spring;         /* into AfxScene.joint_springs; AFXI_NONE: it has none */
    uint32_t armature;       /* into AfxScene.armatures; AFXI_NONE: it has none */
    uint8_t kind;            /* AfxJointKind */
    uint8_t exact_axes;      /* bit k: a position or velocity drive holds axis k */
    bool active;
    bool contact; /* its bodies may touch each other */
} AfxiSceneJoint;

/** Inertia along the free axes of a joint. */
typedef struct AfxiSceneArmature {
    double of[6]; /* >= 0 */
} AfxiSceneArmature;

/** What acts on one axis of a joint. Every number is valid for every kind, used or not. */
typedef struct AfxiSceneDrive {
    const char *name; /* NULL when it has none */
    AfxSignal target; /* its table is the scene's own; constant 0 where from_input, or where the kind has no target */
    double stiffness, damping, rest;
    double effort;       /* > 0, FRICTION: >= 0; may be INFINITY */
    double lower, upper; /* -INFINITY <= lower <= upper <= INFINITY */
    double restitution;  /* 0 .. 1 */
    double coefficient, radius;
    AfxForceTable spring_table, damper_table; /* the scene's own; none where the kind is not SPRING */
    uint32_t joint;                           /* AFXI_NONE: it acts on a coupling */
    uint32_t coupling;                        /* with inertia; AFXI_NONE: it acts on a joint */
    uint8_t kind;                             /* AfxDriveKind */
    uint8_t axis;                             /* below the axis count of the joint's kind */
    bool from_input;                          /* only where the kind has a target */
} AfxiSceneDrive;

/** sum over terms of factor * coordinate = constant. */
typedef struct AfxiSceneCoupling {
    const char *name;                  /* NULL when it has none */
    double factor[AFX_COUPLING_TERMS]; /* not all 0 */
    double constant, compliance;
    double inertia; /* 0: the sum is held */
    uint32_t joint[AFX_COUPLING_TERMS];
    uint8_t axis[AFX_COUPLING_TERMS]; /* no (joint, axis) twice */
    uint8_t term_count;               /* 1 .. AFX_COUPLING_TERMS; what is behind is 0 */
    AfxPathItem *path;                /* [path_count]; NULL: none */
    uint32_t path_count;
} AfxiSceneCoupling;

/** A spring and damper between two points. */
typedef struct AfxiSceneSpring {
    const char *name;                         /* NULL when it has none */
    AfxVec3 point_a, point_b;                 /* in each body's user frame; the world's for AFXI_NONE */
    double rest_length, stiffness, damping;   /* >= 0; stiffness or damping > 0, or a table */
    AfxForceTable spring_table, damper_table; /* the scene's own */
    uint32_t body_a, body_b;                  /* body index; AFXI_NONE: the world; never equal */
} AfxiSceneSpring;

/** A generalised coordinate. */
typedef struct AfxiSceneGeneralized {
    const char *name; /* NULL when it has none */
    double sign, offset;
    uint32_t joint, axis; /* AFXI_NONE, 0 for FREE */
    uint32_t body;        /* AFXI_NONE unless FREE */
    uint8_t kind;         /* AfxGeneralizedKind */
} AfxiSceneGeneralized;

typedef struct AfxiSceneActuation {
    AfxActivation activation;
    AfxMuscle muscle;
    AfxSafety safety;
} AfxiSceneActuation;

typedef struct AfxiSceneControl {
    const char *name;
    uint32_t drive, wrench, adhesion; /* two are AFXI_NONE */
    double damping;                   /* not 0: the drive's per unit of the control */
    double gain, offset, lower, upper, start;
    double direction[6];
    double gear, length;                  /* the actuator's length is gear c + length */
    struct AfxiSceneActuation *actuation; /* NULL: it has neither activation nor muscle */
} AfxiSceneControl;

typedef struct AfxiSceneKeyframe {
    const char *name;
    double time;
    double *numbers; /* [qpos_count + qvel_count + ctrl_count] */
    uint32_t qpos_count, qvel_count, ctrl_count;
} AfxiSceneKeyframe;

typedef struct AfxiSceneSite {
    const char *name;
    uint32_t body;
    AfxPose pose;
} AfxiSceneSite;

typedef struct AfxiSceneSensor {
    const char *name;
    double cutoff, noise;
    uint32_t object, reference, part[2];
    uint8_t kind; /* AfxSensorKind */
    uint8_t zone; /* 0, or 1 + AfxShapeKind */
    uint8_t reduce, data;
    bool subtree[2];
    uint32_t slots, inside;
    double zone_size[3];
    AfxVec3 field;
} AfxiSceneSensor;

struct AfxScene {
    AfxAllocator allocator;
    AfxLog log;
    AfxVec3 gravity;
    bool contact;    /* switched on */
    uint32_t id;     /* AfxBodyId.scene and so on; never 0 */
    AfxError *error; /* what the last failed public call found; apart, so that const calls can fail too */
    AfxiSceneBody *bodies;
    AfxTwist *twists;   /* of the bodies that have one */
    AfxiSceneUse *uses; /* shapes on all bodies, in order of adding */
    AfxiIntern matters; /* of AfxiSceneMatter */
    AfxiIntern shapes;  /* of AfxiSceneShape */
    AfxiIntern fits;    /* of AfxiSceneFit */
    AfxiSceneMesh *meshes;
    AfxiSceneMotion *motions; /* in no particular order */
    AfxiSceneMarker *markers;
    AfxiSceneWrench *wrenches;
    AfxiWrenchSignals *wrench_signals;
    AfxiSceneJoint *joints;
    AfxJointSpring *joint_springs; /* of the joints that have one, rotations unit */
    AfxiSceneArmature *armatures;  /* of the joints that have some */
    AfxiSceneDrive *drives;
    AfxiSceneCoupling *couplings;
    AfxiSceneSpring *springs;
    AfxiSceneMaterial first_material; /* material 0 */
    AfxiSceneMaterial *materials;     /* [material_count], from material 1 on */
    AfxiScenePair *pairs;             /* no (a, b) twice */
    AfxiSceneExclusion *exclusions;
    AfxiSceneTexture *textures;
    AfxiSceneGeneralized *generalized;
    AfxiSceneControl *controls;
    AfxiSceneKeyframe *keyframes;
    AfxiSceneSite *sites;
    AfxiSceneSensor *sensors;
    uint32_t sensor_count, sensor_capacity;
    uint32_t generalized_count, generalized_capacity;
    uint32_t generalized_joints, generalized_bodies; /* behind the last joint and body that they name */
    bool generalized_mixed;                          /* they do not name joints and bodies in rising order */
    uint32_t control_count, control_capacity;
    uint32_t keyframe_count, keyframe_capacity;
    uint32_t site_count, site_capacity;
    uint32_t body_count, body_capacity;
    uint32_t twist_count, twist_capacity;
    uint32_t use_count, use_capacity;
    uint32_t mesh_count, mesh_capacity;
    uint32_t motion_count, motion_capacity;
    uint32_t marker_count, marker_capacity;
    uint32_t wrench_count, wrench_capacity;
    uint32_t wrench_signal_count, wrench_signal_capacity;
    uint32_t joint_count, joint_capacity;
    uint32_t joint_spring_count, joint_spring_capacity;
    uint32_t armature_count, armature_capacity;
    uint32_t drive_count, drive_capacity;
    uint32_t coupling_count, coupling_capacity;
    uint32_t spring_count, spring_capacity;
    uint32_t material_count, material_capacity; /* without material 0 */
    uint32_t pair_count, pair_capacity;
    uint32_t exclusion_count, exclusion_capacity;
    uint32_t texture_count, texture_capacity;
    AfxiNames body_names, marker_names, joint_names, drive_names, coupling_names, spring_names, material_names;
    AfxiNames generalized_names, control_names, keyframe_names, site_names, sensor_names;
    AfxiTexts texts; /* every name, each at a stable address until the scene goes */
};

/** What body `body` is made of. */
static inline const AfxiSceneMatter *afxi_scene_matter(const AfxScene *scene, uint32_t body) {
    return (const AfxiSceneMatter *)scene->matters.items + scene->bodies[body].matter;
}

/** How body `body` moves at the start. */
static inline AfxTwist afxi_scene_twist(const AfxScene *scene, uint32_t body) {
    uint32_t twist = scene->bodies[body].twist;
    return twist == AFXI_NONE ? (AfxTwist){{0, 0, 0}, {0, 0, 0}} : scene->twists[twist];
}

/** The shape of use `use`. */
static inline const AfxiSceneShape *afxi_scene_shape(const AfxScene *scene, uint32_t use) {
    return (const AfxiSceneShape *)scene->shapes.items + scene->uses[use].shape;
}

/** How joint `joint` sits between its bodies. */
static inline const AfxiSceneFit *afxi_scene_fit(const AfxScene *scene, uint32_t joint) {
    return (const AfxiSceneFit *)scene->fits.items + scene->joints[joint].fit;
}

#endif
