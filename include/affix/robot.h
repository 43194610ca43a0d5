/* SPDX-License-Identifier: Apache-2.0 */
/* affix/robot.h: state and control as files of robots have them. Generalised coordinates with names, in the order and
 * units of the file (qpos, qvel: quaternions for balls and free bodies); controls in the units of the file, within
 * their ranges (ctrl); keyframes of these; sites, which are frames on bodies. A model always has coordinates: where the
 * scene names none they are those of its joints (afx_model_generalized). */
#ifndef AFFIX_ROBOT_H
#define AFFIX_ROBOT_H

#include "affix/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AfxSiteId {
    uint32_t index, scene;
} AfxSiteId;

typedef enum AfxGeneralizedKind {
    AFX_GENERALIZED_AXIS = 0, /* a free axis of a joint: one number, one rate */
    AFX_GENERALIZED_BALL, /* the three rotations of a joint: a quaternion, and the angular velocity in the axes of the
                             body that turns */
    AFX_GENERALIZED_FREE  /* a body in the world: position and quaternion; velocity of its origin in the world's axes,
                             angular velocity in its own */
} AfxGeneralizedKind;

/** A generalised coordinate. AXIS: sign times the coordinate of the joint plus offset. BALL: the orientation of the
 * follower's frame relative to the base's, seen in the axes of the follower's body, identity where the joint's frames
 * agree; with sign -1 that of the base relative to the follower, in the axes of the base's body. */
typedef struct AfxGeneralizedDef {
    uint32_t cookie;
    const char *name; /* optional, unique when given; copied */
    AfxGeneralizedKind kind;
    AfxJointId joint; /* AXIS, BALL: of a joint with three rotations */
    uint32_t axis;    /* AXIS: which free axis */
    double sign;      /* 1 or -1 */
    double offset;
    AfxBodyId body; /* FREE: a dynamic body */
} AfxGeneralizedDef;

/** One of a kind, of nothing yet: sign 1, offset 0. */
AFX_API AfxGeneralizedDef afx_default_generalized(AfxGeneralizedKind kind);
/** Adds a generalised coordinate behind the others. No coordinate of a joint, and no body, can be in two. */
AFX_API AfxStatus afx_scene_add_generalized(AfxScene *scene, const AfxGeneralizedDef *def);
/** Number of generalised coordinates that were added. */
AFX_API uint32_t afx_scene_generalized_count(const AfxScene *scene);
/** Reads one back, in authoring order (its name points into the scene). */
AFX_API AfxStatus afx_scene_get_generalized(const AfxScene *scene, uint32_t index, AfxGeneralizedDef *out_def);

/** How the activation a of a control follows its value u. */
typedef enum AfxActivationKind {
    AFX_ACTIVATION_NONE = 0,     /* a is u */
    AFX_ACTIVATION_INTEGRATOR,   /* a' = u */
    AFX_ACTIVATION_FILTER,       /* a' = (u - a)/time[0], by a step of Euler's */
    AFX_ACTIVATION_FILTER_EXACT, /* the same, exactly for u held over the step */
    AFX_ACTIVATION_MUSCLE        /* a' = (u - a)/T, u within 0 .. 1, with T = time[0] (0.5 + 1.5 a) where a grows and
                                    time[1]/(0.5
                                    + 1.5 a) where it falls; over time[2] about u = a, where that is not 0, the one goes into
                                    the other */
} AfxActivationKind;

/** The activation of a control: a state of the sim, which snapshots keep. It acts in place of u, as it is at the
 * beginning of a step, and goes on at the end of it. */
typedef struct AfxActivation {
    AfxActivationKind kind;
    double time[3];      /* s; default 1, 0, 0; of a muscle 0.01, 0.04, 0 */
    double lower, upper; /* it is kept within; -INFINITY, INFINITY */
    double start;        /* 0 */
} AfxActivation;

/** The kind's name in files: "none", "integrator", "filter", "filterexact", "muscle"; or "unknown". */
AFX_API const char *afx_activation_name(AfxActivationKind kind);

/** A muscle along the length L = gear c + offset of the coordinate c of a force drive, which pulls by
 *     force (FL(l) FV(v) a + FP(l)),   l = range[0] + (L - length[0])/L0, v = L'/(L0 vmax), L0 = (length[1] -
 * length[0])/(range[1] - range[0]). FL rises from 0 at lmin over 1 at l = 1 to 0 at lmax by parabolas, FV from 0 at v =
 * -1 over 1 at 0 to fvmax, FP from 0 at l = 1 to fpmax/2 at (1 + lmax)/2 by a parabola and on straight: MuJoCo's. What
 * it pulls by is that of the beginning of the step. */
typedef struct AfxMuscle {
    double force; /* N, at most when it holds; 0 (default): no muscle */
    double gear, offset;
    double length[2], range[2];
    double lmin, lmax, vmax, fpmax, fvmax;
} AfxMuscle;

/** Bounds of what a force drive gives, by its coordinate c, as ROS's safety controllers have them: the rate is asked to
 * be within position_gain times (lower - c) .. (upper - c), and within +-speed; the force is kept within k times what
 * the rate is short of these. k is the damping of the brake, which takes over where the bounds count when a step
 * begins. */
typedef struct AfxSafety {
    AfxDriveId brake;     /* a servo without stiffness that takes input, on the same coordinate; index UINT32_MAX
                             (default): there are no such bounds */
    double lower, upper;  /* -INFINITY, INFINITY */
    double speed;         /* INFINITY */
    double position_gain; /* 1/s; default 0: lower and upper do not count */
} AfxSafety;

/** A control: what a robot's actuator takes as input. Its value u is kept within lower .. upper and then held over a
 * step: a drive that takes input gets gain u + offset as target (a servo without stiffness as the target's rate), a
 * wrench is gain u times `direction`, a force drive with a muscle what that pulls by. With an activation a takes the
 * place of u. */
typedef struct AfxControlDef {
    uint32_t cookie;
    const char *name;    /* optional, unique when given; copied */
    AfxDriveId drive;    /* this, from_input, */
    AfxWrenchId wrench;  /* or this, or `adhesion` */
    double gain, offset; /* gain 1, offset 0 */
    double direction[6]; /* of a wrench: force, torque */
    double damping; /* N s/m, of a drive that is a servo without stiffness: not 0: it takes no input, but its damping
                       is this times u */
    AfxBodyId adhesion; /* or of a body: gain u, shared equally among its contacts, pulls at them along their normals */
    double lower, upper; /* -INFINITY, INFINITY */
    double start;        /* of a drive's: its value to begin with, 0; a wrench's begins as the scene has it */
    double gear, length; /* of a drive's: the actuator's length is gear c + length; 1, 0 (told by sensors) */
    AfxActivation activation;
    AfxMuscle muscle;
    AfxSafety safety; /* of a force drive's */
} AfxControlDef;

/** A control of nothing yet. */
AFX_API AfxControlDef afx_default_control(void);
/** Adds a control behind the others. */
AFX_API AfxStatus afx_scene_add_control(AfxScene *scene, const AfxControlDef *def);
/** Number of controls. */
AFX_API uint32_t afx_scene_control_count(const AfxScene *scene);
/** The number of a control by name; AFX_E_ARGUMENT when there is none. */
AFX_API AfxStatus afx_scene_find_control(const AfxScene *scene, const char *name, uint32_t *out_index);
/** Reads a control back, in authoring order. */
AFX_API AfxStatus afx_scene_get_control(const AfxScene *scene, uint32_t index, AfxControlDef *out_def);

/** A posture with a name. Any of the arrays may be NULL: they leave what they would set. */
typedef struct AfxKeyframeDef {
    uint32_t cookie;
    const char *name;   /* optional, unique when given; copied */
    double time;        /* s */
    const double *qpos; /* [afx_model_qpos_count]; copied */
    const double *qvel; /* [afx_model_qvel_count] */
    const double *ctrl; /* [controls] */
    uint32_t qpos_count, qvel_count, ctrl_count;
} AfxKeyframeDef;

/** A keyframe that sets nothing. */
AFX_API AfxKeyframeDef afx_default_keyframe(void);
/** Adds a keyframe; that its arrays fit the model is checked where the model is made. */
AFX_API AfxStatus afx_scene_add_keyframe(AfxScene *scene, const AfxKeyframeDef *def);
/** Number of keyframes. */
AFX_API uint32_t afx_scene_keyframe_count(const AfxScene *scene);
/** Reads a keyframe back (name and arrays point into the scene). */
AFX_API AfxStatus afx_scene_get_keyframe(const AfxScene *scene, uint32_t index, AfxKeyframeDef *out_def);

/** Adds a site, a frame on a body: `pose` is in the body's own frame. The name is optional, unique when given. */
AFX_API AfxStatus afx_scene_add_site(AfxScene *scene, AfxBodyId body, const char *name, AfxPose pose,
                                     AfxSiteId *out_site);
/** Number of sites. */
AFX_API uint32_t afx_scene_site_count(const AfxScene *scene);
/** Reads site `index` back; out_name (may be NULL) points into the scene. */
AFX_API AfxStatus afx_scene_get_site(const AfxScene *scene, uint32_t index, const char **out_name, AfxBodyId *out_body,
                                     AfxPose *out_pose);

/* ---- of a model ---- */

/** A generalised coordinate of a model, and where its numbers are. */
typedef struct AfxGeneralized {
    AfxGeneralizedKind kind;
    uint32_t joint, axis; /* AXIS, BALL; UINT32_MAX for FREE */
    uint32_t body;        /* FREE; else UINT32_MAX */
    uint32_t qpos, qvel;  /* first number, of 1, 4 or 7, and first rate, of 1, 3 or 6 */
} AfxGeneralized;

/** Number of generalised coordinates. Where the scene adds none: body by body, first the body itself where it is the
 * first of a mechanism that hangs on nothing (FREE), then the axes of the joint that ties it to what comes before it;
 * three rotations of a spherical joint are a BALL. Joints that close loops have none. A scene of more than 50,000
 * bodies that adds none has none. */
AFX_API uint32_t afx_model_generalized_count(const AfxModel *model);
/** Generalised coordinate `index`; AFX_E_ARGUMENT when out of range. */
AFX_API AfxStatus afx_model_generalized(const AfxModel *model, uint32_t index, AfxGeneralized *out_generalized);
/** Length of qpos. */
AFX_API uint32_t afx_model_qpos_count(const AfxModel *model);
/** Length of qvel. */
AFX_API uint32_t afx_model_qvel_count(const AfxModel *model);
/** Number of controls. */
AFX_API uint32_t afx_model_control_count(const AfxModel *model);
/** Number of sites. */
AFX_API uint32_t afx_model_site_count(const AfxModel *model);
/** Number of keyframes. */
AFX_API uint32_t afx_model_keyframe_count(const AfxModel *model);

/* ---- of a sim ---- */

/** Generalised coordinates, [afx_model_qpos_count]. */
AFX_API AfxStatus afx_sim_qpos(const AfxSim *sim, double *out_qpos);
/** Places bodies by generalised coordinates, by forward kinematics and nothing else: what is set is what
 * afx_sim_qpos tells, and bodies that no generalised coordinate moves stay. Generalised velocities stay what they were.
 * Loops are left open, and limits violated: afx_sim_assemble closes loops; the next step begins by that and by moving
 * coordinates to their limits, without velocity, and says AFX_STEP_ASSEMBLED. Quaternions are made
 * unit; AFX_E_ARGUMENT when a number is not finite or a quaternion is 0. A multistep method restarts. */
AFX_API AfxStatus afx_sim_set_qpos(AfxSim *sim, const double *qpos);
/** Generalised velocities, [afx_model_qvel_count]. */
AFX_API AfxStatus afx_sim_qvel(const AfxSim *sim, double *out_qvel);
/** Sets the velocities of the bodies by generalised velocities. A multistep method restarts. */
AFX_API AfxStatus afx_sim_set_qvel(AfxSim *sim, const double *qvel);
/** Sets a control from the next step on; values out of its range are kept at the nearer end. */
AFX_API AfxStatus afx_sim_set_control(AfxSim *sim, uint32_t control, double value);
/** The value of a control as it acts, within its range. */
AFX_API AfxStatus afx_sim_control(const AfxSim *sim, uint32_t control, double *out_value);
/** The activation of a control; of one without, its value. */
AFX_API AfxStatus afx_sim_activation(const AfxSim *sim, uint32_t control, double *out_activation);
/** Sets the activation of a control that has one; it is kept within its bounds. */
AFX_API AfxStatus afx_sim_set_activation(AfxSim *sim, uint32_t control, double activation);
/** Force that a control's actuator puts along its axis in the last step: of a drive its effort, of a wrench gain times
 * value. */
AFX_API AfxStatus afx_sim_control_force(const AfxSim *sim, uint32_t control, double *out_force);
/** Sets qpos, qvel (0 where the keyframe has none) and the controls of a keyframe; activations are those of the start.
 */
AFX_API AfxStatus afx_sim_set_keyframe(AfxSim *sim, uint32_t keyframe);
/** Pose of a site in the world and velocity of its origin, world axes (either may be NULL). */
AFX_API AfxStatus afx_sim_site(const AfxSim *sim, uint32_t site, AfxPose *out_pose, AfxTwist *out_twist);

#ifdef __cplusplus
}
#endif
#endif
