/* SPDX-License-Identifier: Apache-2.0 */
/* affix/kinematics.h: forward and inverse kinematics: where frames are at a posture, and postures that bring frames
 * where they are wanted.
 *
 * Inverse kinematics is damped least squares (Levenberg and Marquardt) on the joint coordinates of the trees
 * (affix/dynamics.h), with joints that close loops and exact couplings as exact constraints, and limits of joints by an
 * active set. With targets as point masses, and damping as armature, the matrix of the normal equations is the mass
 * matrix of a tree: a step is one pass of forward dynamics, and trees of many thousands of joints are no trouble. */
#ifndef AFFIX_KINEMATICS_H
#define AFFIX_KINEMATICS_H

#include "affix/robot.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Forward kinematics: poses of sites [count] in the world at generalised coordinates qpos. The sim stays as it is;
 * loops are left open, as by afx_sim_set_qpos. Allocates while it runs. */
AFX_API AfxStatus afx_sim_forward_kinematics(AfxSim *sim, const double *qpos, uint32_t count, const uint32_t *sites,
                                             AfxPose *out_poses);

/** A frame, where it is wanted in the world, and what an error of 1 m and of 1 rad counts; 0: it does not. */
typedef struct AfxFrameTarget {
    uint32_t site; /* this one; UINT32_MAX: `frame` of `body`, in the body's own frame */
    uint32_t body;
    AfxPose frame;
    AfxPose target;
    double position_weight, rotation_weight;
} AfxFrameTarget;

typedef struct AfxReachDef {
    uint32_t cookie;
    const AfxFrameTarget *targets; /* [target_count] */
    uint32_t target_count;
    const bool
        *locked; /* [afx_model_qvel_count] what does not move; of three Cardan angles all or none. NULL: all move */
    bool limits; /* joints stay within their limits: true */
    double stay; /* what a move of 1 m or 1 rad away from where each coordinate begins counts: 0 */
    double tolerance;    /* weighted error that is good enough, m: 1e-9 */
    uint32_t iterations; /* at most: 200; trees of many joints in a row may take more to come near */
} AfxReachDef;

typedef struct AfxReachReport {
    double error;  /* root of the sum of squares of weighted errors, m */
    double open;   /* how far what closes loops is from being closed, m or rad */
    double beyond; /* how far a coordinate is out of limits that are not kept: those of joints that close loops, and of
                      Cardan angles; m or rad */
    uint32_t iterations;
    uint32_t at_limits; /* coordinates that their limits hold */
    bool converged;     /* the error is within the tolerance */
} AfxReachReport;

/** No targets. */
AFX_API AfxReachDef afx_default_reach(void);
/** A target of a site: both weights 1 for a position and 0.3 for an orientation. */
AFX_API AfxFrameTarget afx_default_frame_target(uint32_t site, AfxPose target);
/** Inverse kinematics: moves the bodies to a posture that brings frames where they are wanted, from where they are.
 * What cannot be reached is come near to; the report says how near. Generalised velocities stay what they were; a
 * multistep method restarts. AFX_E_LIMIT where there are loops and more than AFX_DOFS_MOST degrees of freedom;
 * AFX_E_NUMERIC where loops cannot be closed, and then nothing has moved. Allocates while it runs. */
AFX_API AfxStatus afx_sim_inverse_kinematics(AfxSim *sim, const AfxReachDef *def, AfxReachReport *out_report);
/** Fits all coordinates to markers over time: frame by frame, each from the one before it, targets [target_count] have
 * the positions [frame_count][target_count], their orientations as `def` says. out_qpos
 * [frame_count][afx_model_qpos_count] and out_reports [frame_count] may be NULL. The bodies are then in the last
 * posture. */
AFX_API AfxStatus afx_sim_fit(AfxSim *sim, const AfxReachDef *def, uint32_t frame_count, const AfxVec3 *positions,
                              double *out_qpos, AfxReachReport *out_reports);

#ifdef __cplusplus
}
#endif
#endif
