/* SPDX-License-Identifier: Apache-2.0 */
/* A brick is thrown and tumbles: scene, body, shape, model, sim, steps. Prints a line every tenth of a second. */
#include <affix/affix.h>

#include <stdio.h>

#define EDGE_X 0.215 /* m */
#define EDGE_Y 0.1025
#define EDGE_Z 0.065
#define DENSITY 1900.0 /* kg/m³ */

static const AfxVec3 start = {0, 0, 1.5};   /* m */
static const AfxVec3 throw_at = {3, 0, 4};  /* m/s */
static const AfxVec3 spin = {0.5, 15, 0.5}; /* rad/s, mostly about y, the brick's intermediate axis */

/* What went wrong, and the cure. */
static void complain(const AfxError *error) {
    fprintf(stderr, "hello: %s: %s (%s)\n", error->element, error->text, error->cure);
}

/* The scene: one body with one shape. Every value that is not set here keeps its default. */
static AfxStatus add_brick(AfxScene *scene) {
    AfxBodyDef body = afx_default_body();
    body.name = "brick";
    body.pose.position = start;
    body.linear_velocity = throw_at;
    body.angular_velocity = spin;
    AfxBodyId brick;
    AfxStatus status = afx_scene_add_body(scene, &body, &brick);
    if (status != AFX_OK) {
        return status;
    }
    AfxShapeDef box = afx_default_box(EDGE_X, EDGE_Y, EDGE_Z);
    box.density = DENSITY;
    return afx_scene_add_shape(scene, brick, &box);
}

/* The model: the scene checked as a whole and laid out for speed. The scene is not needed afterwards. */
static AfxModel *make_model(void) {
    AfxSceneDef def = afx_default_scene(); /* z up, gravity 9.81 m/s² */
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    if (afx_scene_create(&def, &scene) != AFX_OK) {
        fputs("hello: no memory for a scene\n", stderr);
        return NULL;
    }
    AfxError error;
    if (add_brick(scene) != AFX_OK) {
        complain(afx_scene_error(scene));
    } else if (afx_model_create(scene, &model, &error) != AFX_OK) {
        complain(&error);
    }
    afx_scene_destroy(scene);
    return model;
}

/* One line: time, position, where the brick's y axis points (+1: as at the start, -1: turned over), energy. */
static void print_line(const AfxSim *sim) {
    AfxPose pose;
    AfxEnergy energy;
    if (afx_sim_body_pose(sim, 0, &pose) != AFX_OK || afx_sim_energy(sim, &energy) != AFX_OK) {
        return;
    }
    AfxVec3 axis = afx_quat_rotate(pose.rotation, (AfxVec3){0, 1, 0});
    printf("%6.2f  %8.4f %8.4f %8.4f  %+7.4f  %12.8f\n", afx_sim_time(sim), pose.position.x, pose.position.y,
           pose.position.z, axis.y, energy.total);
}

static int simulate(AfxSim *sim) {
    puts("time, s     x, m     y, m     z, m   y axis     energy, J");
    print_line(sim);
    for (int step = 1; step <= 100; step++) {
        AfxStepReport report;
        AfxStatus status = afx_step(sim, &report);
        if (status != AFX_OK) { /* the state before the step was kept */
            fprintf(stderr, "hello: step %d, body %u: %s\n", step, (unsigned)report.body, afx_status_text(status));
            return 1;
        }
        if (step % 10 == 0) {
            print_line(sim);
        }
    }
    double t = afx_sim_time(sim), exact = start.z + throw_at.z * t - 0.5 * 9.81 * t * t;
    AfxPose pose;
    afx_sim_body_pose(sim, 0, &pose);
    printf("height by the formula: %.4f m, off by %.0e m\n", exact, pose.position.z - exact);
    return 0;
}

int main(void) {
    AfxModel *model = make_model();
    if (!model) {
        return 1;
    }
    AfxSimDef def = afx_default_sim(); /* BDF2, dt = 0.01 s */
    AfxSim *sim = NULL;
    AfxStatus status = afx_sim_create(model, &def, &sim);
    int code = 1;
    if (status == AFX_OK) {
        code = simulate(sim);
    } else {
        fprintf(stderr, "hello: no sim: %s\n", afx_status_text(status));
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    return code;
}
