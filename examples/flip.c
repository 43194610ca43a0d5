/* SPDX-License-Identifier: Apache-2.0 */
/* flip [bdf1|bdf2|alpha|sdirk2] [dt] [time]: a rigid T-handle spins about its intermediate axis and turns over again
 * and again. Prints CSV: time, angular velocity in the body's own axes, energy. tools/make_pictures draws it. */
#include <affix/affix.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS 0.02    /* m, of both cylinders */
#define BAR 0.30       /* along y, through the origin */
#define STEM 0.15      /* along x, from the bar's surface outwards */
#define DENSITY 2700.0 /* kg/m³ */
#define QUARTER 1.5707963267948966

static AfxStatus add_handle(AfxScene *scene, AfxMass *out_mass) {
    AfxBodyDef body = afx_default_body();
    body.name = "handle";
    body.young = INFINITY;
    body.angular_velocity = (AfxVec3){15, 0.1, 0.1};
    AfxShapeDef bar = afx_default_cylinder(RADIUS, BAR), stem = afx_default_cylinder(RADIUS, STEM);
    bar.density = stem.density = DENSITY;
    bar.pose.rotation = afx_quat_from_axis_angle((AfxVec3){1, 0, 0}, QUARTER);
    stem.pose.rotation = afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, QUARTER);
    stem.pose.position.x = RADIUS + STEM / 2;
    AfxBodyId id;
    AfxStatus status = afx_scene_add_body(scene, &body, &id);
    status = status == AFX_OK ? afx_scene_add_shape(scene, id, &bar) : status;
    status = status == AFX_OK ? afx_scene_add_shape(scene, id, &stem) : status;
    status = status == AFX_OK ? afx_scene_body_mass(scene, id, out_mass) : status;
    if (status != AFX_OK) {
        return status;
    }
    /* The centre of mass lies on the x axis and is to stand still: the origin moves by -(omega x centre). */
    body.linear_velocity = (AfxVec3){0, -0.1 * out_mass->center.x, 0.1 * out_mass->center.x};
    return afx_scene_set_body(scene, id, &body);
}

static AfxModel *make_model(void) {
    AfxSceneDef def = afx_default_scene();
    def.gravity = (AfxVec3){0, 0, 0};
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxMass mass;
    AfxError error = {.text = "out of memory"};
    if (afx_scene_create(&def, &scene) == AFX_OK) {
        if (add_handle(scene, &mass) != AFX_OK) {
            error = *afx_scene_error(scene);
        } else if (afx_model_create(scene, &model, &error) == AFX_OK) {
            printf("# principal inertia %.17g %.17g %.17g\n", mass.inertia[0], mass.inertia[1], mass.inertia[2]);
        }
    }
    if (!model) {
        fprintf(stderr, "flip: %s: %s\n", error.element, error.text);
    }
    afx_scene_destroy(scene);
    return model;
}

static void print_row(const AfxSim *sim) {
    AfxPose pose;
    AfxTwist twist;
    AfxEnergy energy;
    if (afx_sim_body_pose(sim, 0, &pose) != AFX_OK || afx_sim_body_twist(sim, 0, &twist) != AFX_OK ||
        afx_sim_energy(sim, &energy) != AFX_OK) {
        return;
    }
    AfxQuat back = {pose.rotation.w, -pose.rotation.x, -pose.rotation.y, -pose.rotation.z};
    AfxVec3 omega = afx_quat_rotate(back, twist.angular);
    printf("%.6f,%.9g,%.9g,%.9g,%.17g\n", afx_sim_time(sim), omega.x, omega.y, omega.z, energy.total);
}

static int simulate(AfxSim *sim, double time) {
    puts("time,omega_x,omega_y,omega_z,energy");
    print_row(sim);
    long steps = lround(time / afx_sim_dt(sim));
    for (long step = 0; step < steps; step++) {
        AfxStatus status = afx_step(sim, NULL);
        if (status != AFX_OK) {
            fprintf(stderr, "flip: step %ld: %s\n", step + 1, afx_status_text(status));
            return 1;
        }
        print_row(sim);
    }
    return 0;
}

static bool read_integrator(const char *name, AfxIntegrator *out_integrator) {
    static const char *const names[] = {
        [AFX_BDF2] = "bdf2", [AFX_BDF1] = "bdf1", [AFX_ALPHA] = "alpha", [AFX_SDIRK2] = "sdirk2"};
    for (int k = 0; k < 4; k++) {
        if (strcmp(name, names[k]) == 0) {
            *out_integrator = (AfxIntegrator)k;
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv) {
    AfxSimDef def = afx_default_sim();
    def.dt = argc > 2 ? strtod(argv[2], NULL) : 0.001;
    double time = argc > 3 ? strtod(argv[3], NULL) : 10;
    if ((argc > 1 && !read_integrator(argv[1], &def.integrator)) || argc > 4 || !(time >= 0 && time <= 1e4)) {
        fputs("Usage: flip [bdf1|bdf2|alpha|sdirk2] [dt] [time]\n", stderr);
        return 2;
    }
    AfxModel *model = make_model();
    AfxSim *sim = NULL;
    int code = 1;
    if (model && afx_sim_create(model, &def, &sim) == AFX_OK) {
        code = simulate(sim, time);
    } else if (model) {
        fputs("flip: no sim: is dt more than 0?\n", stderr);
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    return code;
}
