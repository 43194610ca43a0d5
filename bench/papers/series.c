/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities over time of a case's first body, by Affix, a published formulation or a rigid baseline; `place` is the
 * origin of its frame, for a rigid baseline its centre of mass. */
#include "papers/papers.h"
#include "papers/rigid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    AfxFormulation formulation;
    AfxIntegrator integrator;
    int rigid; /* RigidMethod, or -1 */
} methods[] = {
    {"affix-bdf2", AFX_AFFIX, AFX_BDF2, -1},
    {"affix-bdf1", AFX_AFFIX, AFX_BDF1, -1},
    {"affix-alpha", AFX_AFFIX, AFX_ALPHA, -1},
    {"affix-sdirk2", AFX_AFFIX, AFX_SDIRK2, -1},
    {"mabd-paper", AFX_MABD_PAPER, AFX_BDF1, -1},
    {"mabd-paper-nopolar", AFX_MABD_PAPER_NOPOLAR, AFX_BDF1, -1},
    {"abd-vanilla", AFX_ABD_VANILLA, AFX_BDF1, -1},
    {"rigid-implicit", AFX_AFFIX, AFX_BDF1, RIGID_IMPLICIT},
    {"rigid-explicit", AFX_AFFIX, AFX_BDF1, RIGID_EXPLICIT},
    {"rigid-rk4", AFX_AFFIX, AFX_BDF1, RIGID_RK4},
};

typedef struct Run {
    AfxModel *model;
    AfxSim *sim; /* NULL: a rigid baseline */
    Rigid rigid;
    RigidMethod method;
    AfxVec3 marker; /* in principal axes */
    AfxPose frame;
    double h, residual;
    bool failed;
} Run;

static void advance(Run *run) {
    AfxStepReport report;
    if (!run->sim) {
        rigid_step(&run->rigid, run->method, run->h);
        double gap = rigid_gap(&run->rigid);
        run->residual = gap > run->residual ? gap : run->residual;
        return;
    }
    run->failed = run->failed || afx_step(run->sim, &report) != AFX_OK;
    run->residual = !run->failed && report.residual > run->residual ? report.residual : run->residual;
}

static void print_vector(AfxVec3 a) {
    printf("[%.12g, %.12g, %.12g]", a.x, a.y, a.z);
}

static void print_row(const Run *run, double time, bool first) {
    double energy;
    AfxVec3 momentum, omega, marker, place;
    if (run->sim) {
        AfxEnergy all;
        AfxMomentum sum;
        AfxPose pose;
        AfxTwist twist;
        papers_check(afx_sim_energy(run->sim, &all), "energy");
        papers_check(afx_sim_momentum(run->sim, &sum), "momentum");
        papers_check(afx_sim_body_pose(run->sim, 0, &pose), "pose");
        papers_check(afx_sim_body_twist(run->sim, 0, &twist), "twist");
        papers_check(afx_sim_marker(run->sim, 0, &marker, NULL), "marker");
        AfxiMat3 axes = mat3_from_quat(afx_quat_multiply(pose.rotation, run->frame.rotation));
        place = pose.position;
        energy = all.total;
        momentum = sum.angular;
        omega = mat3_apply_transposed(&axes, twist.angular);
    } else {
        place = run->rigid.t;
        energy = rigid_energy(&run->rigid);
        momentum = rigid_momentum(&run->rigid);
        omega = run->rigid.omega;
        marker = vec3_add(mat3_apply(&run->rigid.r, run->marker), run->rigid.t);
    }
    printf("%s\n  {\"t\": %.12g, \"energy\": %.15g, \"momentum\": ", first ? "" : ",", time, energy);
    print_vector(momentum);
    printf(", \"omega\": ");
    print_vector(omega);
    printf(", \"marker\": ");
    print_vector(marker);
    printf(", \"place\": ");
    print_vector(place);
    printf("}");
}

static Run start(size_t method, double h, const AfxScene *scene) {
    Run run = {.h = h};
    AfxBodyId body;
    AfxVec3 point;
    AfxError error = {0};
    papers_check(afx_model_create(scene, &run.model, NULL), "model");
    papers_check(afx_model_body_frame(run.model, 0, &run.frame), "frame");
    papers_check(afx_scene_get_marker(scene, 0, NULL, &body, &point), "marker");
    AfxiMat3 axes = mat3_from_quat(run.frame.rotation);
    run.marker = mat3_apply_transposed(&axes, vec3_sub(point, run.frame.position));
    if (methods[method].rigid >= 0) {
        run.rigid = rigid_of_scene(scene, 0);
        run.method = (RigidMethod)methods[method].rigid;
        return run;
    }
    AfxSimDef def = afx_default_sim();
    def.dt = h;
    def.formulation = methods[method].formulation;
    def.integrator = methods[method].integrator;
    def.error = &error;
    if (afx_sim_create(run.model, &def, &run.sim) != AFX_OK) {
        fprintf(stderr, "bench_papers: %s: %s\n", error.element, error.text);
        exit(1);
    }
    return run;
}

int papers_series(int count, char **words) {
    size_t method = 0;
    while (count >= 5 && method < sizeof(methods) / sizeof(methods[0]) && strcmp(methods[method].name, words[0]) != 0) {
        ++method;
    }
    double h = count >= 5 ? strtod(words[1], NULL) : 0, time = count >= 5 ? strtod(words[2], NULL) : 0;
    long samples = count >= 5 ? strtol(words[3], NULL, 10) : 0;
    if (method == sizeof(methods) / sizeof(methods[0]) || !(h > 0) || !(time > 0) || samples < 1 || time / h > 1e8) {
        fprintf(stderr, "bench_papers: series METHOD DT TIME SAMPLES CASE [name=value ...]\n");
        return 2;
    }
    AfxScene *scene = papers_scene(words[4], count - 5, words + 5);
    Run run = start(method, h, scene);
    long steps = lround(time / h), done = 0;
    printf("{\"method\": \"%s\", \"h\": %.12g, \"rows\": [", methods[method].name, h);
    print_row(&run, 0, true);
    for (long sample = 1; sample <= samples && !run.failed; ++sample) {
        for (; done < steps * sample / samples && !run.failed; ++done) {
            advance(&run);
        }
        print_row(&run, (double)done * h, false);
    }
    printf("],\n \"residual\": %.6g, \"failed\": %s}\n", run.residual, run.failed ? "true" : "false");
    afx_sim_destroy(run.sim);
    afx_model_destroy(run.model);
    afx_scene_destroy(scene);
    return 0;
}
