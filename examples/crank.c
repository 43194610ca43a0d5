/* SPDX-License-Identifier: Apache-2.0 */
/* A slider-crank: three rigid links, three hinges, a slide, and a motor that turns the crank once a second. Prints the
 * slider's place beside the formula, the torque that the motor needs, and the side force of the guide. */
#include <affix/affix.h>

#include <math.h>
#include <stdio.h>

#define CRANK 0.1 /* m */
#define ROD 0.3
#define SPEED 6.283185307179586 /* rad/s */

/* A link along x from x0 to x1; the frame is at x0. */
static AfxBodyId add_link(AfxScene *scene, const char *name, double x0, double x1) {
    AfxBodyDef body = afx_default_body();
    body.name = name;
    body.pose.position.x = x0;
    body.young = INFINITY; /* exactly rigid */
    AfxShapeDef box = afx_default_box(x1 - x0, 0.02, 0.02);
    box.pose.position.x = (x1 - x0) / 2;
    AfxBodyId id;
    if (afx_scene_add_body(scene, &body, &id) == AFX_OK) {
        afx_scene_add_shape(scene, id, &box);
    }
    return id;
}

/* A joint at (x, 0, 0), its first axis along `axis`; its coordinate is 0 as the bodies stand. */
static AfxJointId add_joint(AfxScene *scene, const char *name, AfxJointKind kind, AfxBodyId base, AfxBodyId follower,
                            double x, AfxVec3 axis) {
    AfxJointDef joint = afx_default_joint(kind);
    joint.name = name;
    joint.base = base;
    joint.follower = follower;
    AfxJointId id = {0, 0};
    if (afx_joint_place(scene, &joint, afx_frame_along((AfxVec3){x, 0, 0}, axis)) == AFX_OK) {
        afx_scene_add_joint(scene, &joint, &id);
    }
    return id;
}

static AfxStatus build(AfxScene *scene) {
    const AfxVec3 across = {0, -1, 0}, along = {1, 0, 0}; /* turning about -y lifts x */
    AfxBodyId crank = add_link(scene, "crank", 0, CRANK), rod = add_link(scene, "rod", CRANK, CRANK + ROD);
    AfxBodyId slider = add_link(scene, "slider", CRANK + ROD, CRANK + ROD + 0.05);
    AfxJointId motor = add_joint(scene, "motor", AFX_JOINT_REVOLUTE, afx_world(), crank, 0, across);
    add_joint(scene, "pin", AFX_JOINT_REVOLUTE, crank, rod, CRANK, across);
    add_joint(scene, "wrist", AFX_JOINT_REVOLUTE, rod, slider, CRANK + ROD, across);
    add_joint(scene, "guide", AFX_JOINT_PRISMATIC, afx_world(), slider, CRANK + ROD, along);
    AfxDriveDef drive = afx_default_drive(AFX_DRIVE_POSITION);
    drive.joint = motor;
    drive.target.kind = AFX_SIGNAL_POLYNOMIAL;
    drive.target.coefficients[1] = SPEED; /* angle = SPEED t */
    AfxDriveId id;
    afx_scene_add_drive(scene, &drive, &id);
    return afx_scene_error(scene)->status; /* what the last failed call found */
}

static int simulate(AfxSim *sim) {
    puts("time, s  angle, rad  slider, m  formula, m  torque, Nm  guide, N");
    for (int step = 1; step <= 100; step++) {
        AfxStepReport report;
        AfxStatus status = afx_step(sim, &report);
        if (status != AFX_OK) {
            fprintf(stderr, "crank: step %d: %s\n", step, afx_status_text(status));
            return 1;
        }
        double angle, slide, torque;
        AfxWrench reaction;
        afx_sim_joint_coordinate(sim, 0, 0, &angle, NULL); /* joints are numbered as they were added */
        afx_sim_joint_coordinate(sim, 3, 0, &slide, NULL);
        afx_sim_drive_effort(sim, 0, &torque);
        afx_sim_joint_reaction(sim, 3, &reaction);
        double exact = CRANK * cos(angle) + sqrt(ROD * ROD - pow(CRANK * sin(angle), 2));
        if (step % 10 == 0) {
            printf("%7.2f  %10.4f  %9.4f  %10.4f  %10.4f  %8.4f\n", report.time, angle, CRANK + ROD + slide, exact,
                   torque, hypot(reaction.force.y, reaction.force.z));
        }
    }
    return 0;
}

int main(void) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxSimDef sim_def = afx_default_sim();
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxError error = {.text = "out of memory"};
    sim_def.error = &error;
    int code = 1;
    if (afx_scene_create(&scene_def, &scene) == AFX_OK && build(scene) != AFX_OK) {
        error = *afx_scene_error(scene);
    } else if (scene && afx_model_create(scene, &model, &error) == AFX_OK &&
               afx_sim_create(model, &sim_def, &sim) == AFX_OK) {
        code = simulate(sim);
    }
    if (!sim) {
        fprintf(stderr, "crank: %s: %s (%s)\n", error.element, error.text, error.cure);
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
    return code;
}
