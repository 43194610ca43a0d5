/* SPDX-License-Identifier: Apache-2.0 */
/* Fig. 2 of M-ABD: 10,000 steps of one body. A cylinder turns and moves freely at the pace of one that rolls: what
 * differs between the methods is the body's own step, and contact would only add the same to all. Methods take turns
 * for some rounds; the least time of each is printed. */
#include "papers/papers.h"
#include "papers/rigid.h"

#include <stdio.h>
#include <stdlib.h>

enum { OURS_BDF2, OURS_BDF1, MABD, MABD_NOPOLAR, VANILLA, RIGID_BDF1, RIGID_SEMI, METHODS };

static const struct {
    const char *name;
    AfxFormulation formulation;
    AfxIntegrator integrator;
} methods[METHODS] = {
    [OURS_BDF2] = {"affix-bdf2", AFX_AFFIX, AFX_BDF2},
    [OURS_BDF1] = {"affix-bdf1", AFX_AFFIX, AFX_BDF1},
    [MABD] = {"mabd-paper", AFX_MABD_PAPER, AFX_BDF1},
    [MABD_NOPOLAR] = {"mabd-paper-nopolar", AFX_MABD_PAPER_NOPOLAR, AFX_BDF1},
    [VANILLA] = {"abd-vanilla", AFX_ABD_VANILLA, AFX_BDF1},
    [RIGID_BDF1] = {"rigid-implicit", AFX_AFFIX, AFX_BDF1},
    [RIGID_SEMI] = {"rigid-explicit", AFX_AFFIX, AFX_BDF1},
};

static AfxScene *cylinder(void) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxBodyDef body = afx_default_body();
    AfxBodyId id;
    AfxShapeDef shape = afx_default_cylinder(0.5, 1);
    def.gravity = (AfxVec3){0, 0, 0};
    body.pose.rotation = afx_quat_from_axis_angle((AfxVec3){1, 0, 0}, 1.5707963267948966);
    body.linear_velocity = (AfxVec3){1, 0, 0};
    body.angular_velocity = (AfxVec3){0, 2, 0};
    papers_check(afx_scene_create(&def, &scene), "scene");
    papers_check(afx_scene_add_body(scene, &body, &id), "body");
    papers_check(afx_scene_add_shape(scene, id, &shape), "shape");
    return scene;
}

/* Seconds for the steps by one method; how far the body came tells that they were made. */
static double run(const AfxScene *scene, const AfxModel *model, int method, uint32_t steps, double *out_way) {
    const double h = 0.01;
    if (method >= RIGID_BDF1) {
        Rigid body = rigid_of_scene(scene, 0);
        double begin = papers_seconds();
        for (uint32_t k = 0; k < steps; ++k) {
            rigid_step(&body, method == RIGID_BDF1 ? RIGID_IMPLICIT : RIGID_EXPLICIT, h);
        }
        *out_way = body.t.x;
        return papers_seconds() - begin;
    }
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = NULL;
    AfxPose pose;
    def.dt = h;
    def.formulation = methods[method].formulation;
    def.integrator = methods[method].integrator;
    papers_check(afx_sim_create(model, &def, &sim), "sim");
    double begin = papers_seconds();
    for (uint32_t k = 0; k < steps; ++k) {
        papers_check(afx_step(sim, NULL), "step");
    }
    double seconds = papers_seconds() - begin;
    papers_check(afx_sim_body_pose(sim, 0, &pose), "pose");
    *out_way = pose.position.x;
    afx_sim_destroy(sim);
    return seconds;
}

int papers_single(int count, char **words) {
    uint32_t steps = count > 0 ? (uint32_t)strtoul(words[0], NULL, 10) : 10000;
    uint32_t rounds = count > 1 ? (uint32_t)strtoul(words[1], NULL, 10) : 9;
    double least[METHODS] = {0}, way[METHODS] = {0};
    AfxScene *scene = cylinder();
    AfxModel *model = NULL;
    papers_check(afx_model_create(scene, &model, NULL), "model");
    for (uint32_t round = 0; round < rounds; ++round) {
        for (int k = 0; k < METHODS; ++k) {
            double seconds = run(scene, model, k, steps, &way[k]);
            least[k] = round == 0 || seconds < least[k] ? seconds : least[k];
        }
    }
    printf("{\"steps\": %u, \"methods\": {", (unsigned)steps);
    for (int k = 0; k < METHODS; ++k) {
        printf("%s\"%s\": {\"ms\": %.6g, \"way\": %.9g}", k ? ", " : "", methods[k].name, 1e3 * least[k], way[k]);
    }
    printf("}}\n");
    afx_model_destroy(model);
    afx_scene_destroy(scene);
    return 0;
}
