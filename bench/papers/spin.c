/* SPDX-License-Identifier: Apache-2.0 */
/* Fig. 6 of the quaternion paper: a rod on a hinge at its end (or free) without gravity turns at a rate of which the
 * truth keeps every bit; angle and constraint after 1 and 10 steps of 0.01 s, for turns from 0.01 to 2 rad in a step.
 */
#include "papers/papers.h"
#include "papers/rigid.h"

#include <stdio.h>

static const double turns[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2};
static const double step = 0.01;

enum { BDF2, BDF1, SEMI, METHODS };
static const char *const names[METHODS] = {"affix-bdf2", "affix-bdf1", "rigid-explicit"};

static AfxScene *rod(bool hinged, double omega) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxBodyDef body = afx_default_body();
    AfxBodyId id;
    AfxShapeDef box = afx_default_box(1, 0.1, 0.1);
    def.gravity = (AfxVec3){0, 0, 0};
    body.young = INFINITY;
    body.pose.position.x = 0.5;
    body.angular_velocity.z = omega;
    body.linear_velocity.y = hinged ? 0.5 * omega : 0;
    papers_check(afx_scene_create(&def, &scene), "scene");
    papers_check(afx_scene_add_body(scene, &body, &id), "body");
    papers_check(afx_scene_add_shape(scene, id, &box), "shape");
    if (hinged) {
        AfxJointDef joint = afx_default_joint(AFX_JOINT_REVOLUTE);
        AfxJointId joint_id;
        joint.follower = id;
        papers_check(afx_joint_place(scene, &joint, afx_frame_along((AfxVec3){0, 0, 0}, (AfxVec3){0, 0, 1})), "frame");
        papers_check(afx_scene_add_joint(scene, &joint, &joint_id), "joint");
    }
    return scene;
}

/* The angle counted on from the last one: no method turns by more than half a turn in a step here. */
static double follow(double before, AfxVec3 x) {
    return before + remainder(atan2(x.y, x.x) - before, 2 * 3.14159265358979323846);
}

static double spin_rigid(const AfxScene *scene, int steps, double *out_gap) {
    Rigid body = rigid_of_scene(scene, 0);
    AfxVec3 start = mat3_apply_transposed(&body.r, (AfxVec3){1, 0, 0});
    double angle = 0;
    for (int k = 0; k < steps; ++k) {
        rigid_step(&body, RIGID_EXPLICIT, step);
        angle = follow(angle, mat3_apply(&body.r, start));
    }
    *out_gap = rigid_gap(&body);
    return angle;
}

static double spin_affix(const AfxScene *scene, AfxIntegrator integrator, int steps, double *out_gap) {
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    double angle = 0;
    def.dt = step;
    def.integrator = integrator;
    papers_check(afx_model_create(scene, &model, NULL), "model");
    papers_check(afx_sim_create(model, &def, &sim), "sim");
    *out_gap = 0;
    for (int k = 0; k < steps; ++k) {
        AfxStepReport report;
        AfxPose pose;
        papers_check(afx_step(sim, &report), "step");
        papers_check(afx_sim_body_pose(sim, 0, &pose), "pose");
        *out_gap = fmax(*out_gap, report.residual);
        angle = follow(angle, afx_quat_rotate(pose.rotation, (AfxVec3){1, 0, 0}));
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    return angle;
}

static void print_case(bool hinged, int method, double turn, int steps, bool first) {
    AfxScene *scene = rod(hinged, turn / step);
    double gap, angle = method == SEMI ? spin_rigid(scene, steps, &gap)
                                       : spin_affix(scene, method == BDF2 ? AFX_BDF2 : AFX_BDF1, steps, &gap);
    printf(
        "%s\n {\"hinged\": %s, \"method\": \"%s\", \"turn\": %g, \"steps\": %d, \"angle_error\": %.6g, \"gap\": %.6g}",
        first ? "" : ",", hinged ? "true" : "false", names[method], turn, steps, fabs(angle - turn * steps), gap);
    afx_scene_destroy(scene);
}

int papers_spin(void) {
    bool first = true;
    printf("[");
    for (int hinged = 1; hinged >= 0; --hinged) {
        for (int method = 0; method < METHODS; ++method) {
            for (int steps = 1; steps <= 10; steps += 9) {
                for (size_t k = 0; k < sizeof(turns) / sizeof(turns[0]); ++k) {
                    print_case(hinged, method, turns[k], steps, first);
                    first = false;
                }
            }
        }
    }
    printf("]\n");
    return 0;
}
