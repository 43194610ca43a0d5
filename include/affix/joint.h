/* SPDX-License-Identifier: Apache-2.0 */
/* affix/joint.h: authoring of joints and of what acts on their free axes.
 *
 * A joint ties a follower to a base (a body or the world). Its frame is given twice, in the base's and in the
 * follower's own frame; the two coincide where all joint coordinates are zero. The free axes of each kind, in the
 * joint's frame, are those of AFX_JOINT_TABLE: translations first, then rotations. */
#ifndef AFFIX_JOINT_H
#define AFFIX_JOINT_H

#include "affix/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AfxJointId {
    uint32_t index, scene;
} AfxJointId;
typedef struct AfxDriveId {
    uint32_t index, scene;
} AfxDriveId;
typedef struct AfxCouplingId {
    uint32_t index, scene;
} AfxCouplingId;
typedef struct AfxSpringId {
    uint32_t index, scene;
} AfxSpringId;

/** The world as a body, for either end of a joint or spring. The id that a failed call leaves behind reads the same:
 * check the status of what gave a body. */
AFX_API AfxBodyId afx_world(void);

/* kind, name, free translations, free rotations */
#define AFX_JOINT_TABLE(X)                                        \
    X(AFX_JOINT_FIXED, "fixed", "", "")                           \
    X(AFX_JOINT_PRISMATIC, "prismatic", "x", "")                  \
    X(AFX_JOINT_REVOLUTE, "revolute", "", "x")                    \
    X(AFX_JOINT_RECTANGULAR, "rectangular", "xy", "")             \
    X(AFX_JOINT_CYLINDRICAL, "cylindrical", "x", "x")             \
    X(AFX_JOINT_PIN_IN_SLOT, "pin-in-slot", "x", "y")             \
    X(AFX_JOINT_UNIVERSAL, "universal", "", "xy")                 \
    X(AFX_JOINT_CARTESIAN, "cartesian", "xyz", "")                \
    X(AFX_JOINT_PLANAR, "planar", "xy", "z")                      \
    X(AFX_JOINT_SPHERICAL, "spherical", "", "xyz")                \
    X(AFX_JOINT_SLOT, "slot", "x", "xyz")                         \
    X(AFX_JOINT_FREE, "free", "xyz", "xyz")                       \
    X(AFX_JOINT_DISTANCE, "distance", "", "")                     \
    X(AFX_JOINT_SCREW, "screw", "x", "x")                         \
    X(AFX_JOINT_REVOLUTE_POINTS, "revolute-points", "", "x")      \
    X(AFX_JOINT_REVOLUTE_SPHERICAL, "revolute-spherical", "", "") \
    X(AFX_JOINT_REVOLUTE_REVOLUTE, "revolute-revolute", "", "x")  \
    X(AFX_JOINT_POINT_ON_PLANE, "point-on-plane", "xy", "xyz")    \
    X(AFX_JOINT_PARALLEL_AXES, "parallel-axes", "xyz", "x")

/* Other names of kinds that are accepted wherever a kind is read: alias, kind. */
#define AFX_JOINT_ALIAS_TABLE(X)    \
    X("hinge", AFX_JOINT_REVOLUTE)  \
    X("slide", AFX_JOINT_PRISMATIC) \
    X("ball", AFX_JOINT_SPHERICAL)  \
    X("rod", AFX_JOINT_DISTANCE)

/** REVOLUTE_POINTS holds two points of the axis together (6 constraints, for comparison with the published linear
 * hinge); UNIVERSAL turns about x of the base, then y of the follower. REVOLUTE_SPHERICAL is a link without mass,
 * `length` long, that turns on a hinge about x of the base and ends in a ball joint on the follower; REVOLUTE_REVOLUTE
 * is one between two parallel hinges, about x of both. DISTANCE is one between two balls. */
typedef enum AfxJointKind {
#define AFX_JOINT_ENUM(kind, name, translations, rotations) kind,
    AFX_JOINT_TABLE(AFX_JOINT_ENUM)
#undef AFX_JOINT_ENUM
        AFX_JOINT_KIND_COUNT
} AfxJointKind;

/** A spring and damper about all three axes of a SPHERICAL joint. With the rotation vector θ that turns `rest` into the
 * follower's frame as the base sees it, the energy is half the sum of stiffness times θ², axis by axis of the base's
 * frame: the torque of equal stiffnesses is stiffness times angle, up to half a turn. Damping acts on the relative
 * angular velocity. All 0: no spring; else stiffness or damping is above 0 on every axis. */
typedef struct AfxJointSpring {
    AfxVec3 stiffness; /* Nm/rad about x, y, z */
    AfxVec3 damping;   /* Nms/rad */
    AfxQuat rest;      /* orientation of the follower's frame in the base's where the torque is 0 */
} AfxJointSpring;

typedef struct AfxJointDef {
    uint32_t cookie;
    const char *name; /* optional, unique when given; copied */
    AfxJointKind kind;
    AfxBodyId base, follower; /* one of them may be afx_world() */
    AfxPose base_frame;       /* the joint's frame in the base's frame */
    AfxPose follower_frame;   /* and in the follower's */
    double length;            /* kinds with a length: between the two origins, m */
    double pitch;             /* SCREW: advance per radian, m */
    bool active;              /* false: declared now, switched on later with afx_sim_set_joint_active */
    double break_force;       /* N; 0: never breaks */
    double break_torque;      /* Nm; 0: never breaks */
    bool contact;             /* its two bodies may collide; default false, active or not, broken or not */
    AfxJointSpring spring;    /* SPHERICAL */
    double armature[6];       /* inertia along each free axis by itself: kg along one, kg m² about one. Kinetic energy
                                 armature rate² / 2 and no weight: rotors of geared motors. No body, joint or state of the
                                 model shows it; where it is not 0 at first, AFX_PARAM_JOINT_ARMATURE changes it */
} AfxJointDef;

/** An active joint between the world and nothing yet, frames at the origins. */
AFX_API AfxJointDef afx_default_joint(AfxJointKind kind);
/** Fills both frames of a definition from one frame in the world and the poses its bodies have in the scene. */
AFX_API AfxStatus afx_joint_place(const AfxScene *scene, AfxJointDef *def, AfxPose world_frame);
/** A frame at `point` whose x axis is along `axis` (any length but 0). */
AFX_API AfxPose afx_frame_along(AfxVec3 point, AfxVec3 axis);
/** Fills both frames of a definition from control points, two on each body in its own frame: the origin at the first, x
 * along the edge to the second. y and z agree in the world, at the poses the bodies have in the scene, where the edges
 * are parallel there (else they are turned as little as the edges are): coordinates then start at 0, but for a distance
 * along the axis. The edges must be equally long within 1e-9 (AFX_E_INPUT). SPHERICAL and DISTANCE take the first
 * points only. */
AFX_API AfxStatus afx_joint_on_points(const AfxScene *scene, AfxJointDef *def, const AfxVec3 base_points[2],
                                      const AfxVec3 follower_points[2]);
/** Adds a joint. AFX_E_INPUT with afx_scene_error when a value is not valid; the scene is then unchanged. */
AFX_API AfxStatus afx_scene_add_joint(AfxScene *scene, const AfxJointDef *def, AfxJointId *out_joint);
/** Adds a definition of kind UNIVERSAL as two hinges on a cross, for comparison. The cross is a rigid ball of mass
 * cross_mass (kg) and diameter cross_size (m) at the joint's point; out_joints[0] turns about x of the base's frame and
 * ends at it, out_joints[1] turns about y of the follower's frame and starts from it; their coordinates are those of
 * UNIVERSAL. Pose and velocity of the cross follow from the bodies' in the scene. The parts are called NAME-cross,
 * NAME-x and NAME-y; activity and breaking hold for both hinges; unless `contact` is
 * true, base and follower are excluded from contact. The scene is unchanged on failure. */
AFX_API AfxStatus afx_scene_add_universal_cross(AfxScene *scene, const AfxJointDef *def, double cross_mass,
                                                double cross_size, AfxJointId out_joints[2], AfxBodyId *out_cross);
/** Number of joints. */
AFX_API uint32_t afx_scene_joint_count(const AfxScene *scene);
/** The id of joint `index` in authoring order; an id that is not valid when out of range. */
AFX_API AfxJointId afx_scene_joint(const AfxScene *scene, uint32_t index);
/** Finds a joint by name; AFX_E_ARGUMENT when there is none. */
AFX_API AfxStatus afx_scene_find_joint(const AfxScene *scene, const char *name, AfxJointId *out_joint);
/** The joint's name, "" when it has none, NULL for an id that is not valid. Lives as long as the scene. */
AFX_API const char *afx_scene_joint_name(const AfxScene *scene, AfxJointId joint);
/** Reads a joint's definition back (its name points into the scene). */
AFX_API AfxStatus afx_scene_get_joint(const AfxScene *scene, AfxJointId joint, AfxJointDef *out_def);
/** Number of coordinates (free axes) of a kind: translations, then rotations. */
AFX_API uint32_t afx_joint_axis_count(AfxJointKind kind);
/** Whether a kind keeps its two origins AfxJointDef.length apart: DISTANCE, REVOLUTE_SPHERICAL, REVOLUTE_REVOLUTE. */
AFX_API bool afx_joint_has_length(AfxJointKind kind);
/** The kind's name in AFX_JOINT_TABLE, or "unknown". */
AFX_API const char *afx_joint_kind_name(AfxJointKind kind);
/** The kind of a name of AFX_JOINT_TABLE or AFX_JOINT_ALIAS_TABLE ("hinge" is AFX_JOINT_REVOLUTE); AFX_E_ARGUMENT when
 * there is none. */
AFX_API AfxStatus afx_joint_kind_find(const char *name, AfxJointKind *out_kind);

/* ---- what acts on one free axis ---- */

/** Further axes of joints with three free rotations (SPHERICAL, SLOT, FREE), for drives. The rotation is a twist about
 * x of the joint's frame and then a swing, which turns x by the shortest way to where it points. They are no
 * coordinates of the joint, and have no singular position but half a turn. */
typedef enum AfxAxis {
    AFX_AXIS_SWING = 6, /* angle between the x axes of base and follower, 0 .. pi; LIMIT only: `upper` is a cone */
    AFX_AXIS_TWIST,     /* angle about x without the swing; all kinds of drives but POSITION and VELOCITY */
    AFX_AXIS_ANGLE      /* angle of the whole rotation, 0 .. pi; LIMIT only */
} AfxAxis;

typedef enum AfxDriveKind {
    AFX_DRIVE_POSITION = 0, /* the coordinate is `target`, exactly */
    AFX_DRIVE_VELOCITY,     /* its rate is `target`, exactly */
    AFX_DRIVE_FORCE,        /* a force or torque `target` acts along it */
    AFX_DRIVE_SERVO,        /* stiffness (target - x) + damping (rate of target - rate), at most `effort` */
    AFX_DRIVE_SPRING,       /* stiffness (rest - x) - damping rate, and less the tables that it has */
    AFX_DRIVE_LIMIT,        /* lower <= x <= upper, bouncing with `restitution` */
    AFX_DRIVE_FRICTION      /* Coulomb: up to `effort` + coefficient * radius * reaction force */
} AfxDriveKind;

/** Force over a length, an angle or a rate, by samples. Between them it is a monotone cubic (it rises where its samples
 * rise, and does not overshoot) with a continuous slope, whose work is exact. Beyond its ends the force goes on along
 * its slope where it rises, and is held where it falls. */
typedef struct AfxForceTable {
    const double *positions; /* [count] rising: m, rad, m/s or rad/s; copied by the scene */
    const double *forces;    /* [count] N or Nm */
    uint32_t count;          /* 0: there is no table; else at least 2 */
} AfxForceTable;

/** The force of a table at a position, its slope, and its energy: the work from position 0 to there. Any output may be
 * NULL. AFX_E_ARGUMENT for a table that a scene would not take. */
AFX_API AfxStatus afx_force_table_evaluate(const AfxForceTable *table, double position, double *out_force,
                                           double *out_slope, double *out_energy);

typedef struct AfxDriveDef {
    uint32_t cookie;
    const char *name;
    AfxDriveKind kind;
    AfxJointId joint;
    AfxCouplingId coupling; /* instead of a joint: a coupling with inertia, whose coordinate is axis 0 */
    uint32_t axis;          /* which of the joint's free axes, from 0, or AFX_AXIS_SWING, _TWIST, _ANGLE */
    AfxSignal target;       /* POSITION, VELOCITY, FORCE, SERVO */
    bool from_input;        /* the target comes from afx_sim_set_drive_target instead */
    double stiffness, damping, rest;
    double effort; /* INFINITY: no limit */
    double lower, upper, restitution;
    double coefficient, radius;
    AfxForceTable spring_table; /* SPRING: over x - rest, adds to stiffness (x - rest) */
    AfxForceTable
        damper_table; /* SPRING: over the rate, adds to damping rate; never drives, and has the sample (0, 0) */
} AfxDriveDef;

/** A drive of a kind, on axis 0 of no joint yet: target and gains 0, no limits (of friction: effort 0). */
AFX_API AfxDriveDef afx_default_drive(AfxDriveKind kind);
/** Adds a drive to a free axis of a joint. One position or velocity drive per axis; others may be combined. */
AFX_API AfxStatus afx_scene_add_drive(AfxScene *scene, const AfxDriveDef *def, AfxDriveId *out_drive);
/** Number of drives. */
AFX_API uint32_t afx_scene_drive_count(const AfxScene *scene);
/** The id of drive `index` in authoring order; an id that is not valid when out of range. */
AFX_API AfxDriveId afx_scene_drive(const AfxScene *scene, uint32_t index);
/** Reads drive `index` back, in authoring order (name and table point into the scene). */
AFX_API AfxStatus afx_scene_get_drive(const AfxScene *scene, uint32_t index, AfxDriveDef *out_def);

/* ---- relations between coordinates, and springs between points ---- */

#define AFX_COUPLING_TERMS 8

#define AFX_PATH_ITEMS 256 /* of one path at most */

/** What a path goes by. */
typedef enum AfxPathKind {
    AFX_PATH_POINT = 0, /* a point of a body */
    AFX_PATH_SPHERE,    /* a sphere or */
    AFX_PATH_CYLINDER,  /* a cylinder without ends, between two points: it goes around where that is in the way */
    AFX_PATH_PULLEY     /* a new path begins, whose length counts by 1/divisor */
} AfxPathKind;

typedef struct AfxPathItem {
    AfxPathKind kind;
    AfxBodyId body; /* or the world */
    AfxPose pose;   /* in the body's frame: the point, the centre; the axis of a cylinder is z */
    double radius;  /* m */
    bool sided;     /* it goes around on the side of the point `side`, in the body's frame, outside of it */
    AfxVec3 side;
    double divisor; /* PULLEY */
} AfxPathItem;

/** sum of factor * coordinate = constant: gears, racks, mimic joints, coupled fingers. */
typedef struct AfxCouplingDef {
    uint32_t cookie;
    const char *name;
    uint32_t term_count; /* 1 .. AFX_COUPLING_TERMS */
    AfxJointId joint[AFX_COUPLING_TERMS];
    uint32_t axis[AFX_COUPLING_TERMS];
    double factor[AFX_COUPLING_TERMS];
    double constant;
    double compliance; /* 0: exact */
    double inertia;    /* 0: the sum is held. Else the coupling holds nothing: sum - constant is a coordinate of its own
                          with this inertia (kg or kg m²) and no weight, for drives to act on: a tendon. At most 7 terms,
                          exact */
    const AfxPathItem *path; /* with inertia: the coordinate is the length of this path, a tendon around bodies that the
                                terms move; copied. Factors and constant are worked out from it, anew before each step,
                                and held over it: its rate is exact, its length to second order of the step */
    uint32_t path_count;
} AfxCouplingDef;

/** A coupling without terms: constant 0, exact. */
AFX_API AfxCouplingDef afx_default_coupling(void);
/** Adds a coupling between joint coordinates. */
AFX_API AfxStatus afx_scene_add_coupling(AfxScene *scene, const AfxCouplingDef *def, AfxCouplingId *out_coupling);
/** Number of couplings. */
AFX_API uint32_t afx_scene_coupling_count(const AfxScene *scene);
/** Reads coupling `index` back, in authoring order. */
AFX_API AfxStatus afx_scene_get_coupling(const AfxScene *scene, uint32_t index, AfxCouplingDef *out_def);

/** A spring and damper between a point of one body and a point of another (or the world), integrated implicitly. */
typedef struct AfxSpringDef {
    uint32_t cookie;
    const char *name;
    AfxBodyId body_a, body_b;
    AfxVec3 point_a, point_b; /* in each body's frame */
    double rest_length, stiffness, damping;
    AfxForceTable spring_table; /* over length - rest_length, adds to stiffness times that; positive forces pull */
    AfxForceTable damper_table; /* over the length's rate, adds to damping times that; as that of a drive */
} AfxSpringDef;

/** A spring between the world and nothing yet: rest length, stiffness and damping 0. */
AFX_API AfxSpringDef afx_default_spring(void);
/** Adds a spring between two points. */
AFX_API AfxStatus afx_scene_add_spring(AfxScene *scene, const AfxSpringDef *def, AfxSpringId *out_spring);
/** Number of springs between points. */
AFX_API uint32_t afx_scene_spring_count(const AfxScene *scene);
/** Reads spring `index` back, in authoring order. */
AFX_API AfxStatus afx_scene_get_spring(const AfxScene *scene, uint32_t index, AfxSpringDef *out_def);

#ifdef __cplusplus
}
#endif
#endif
