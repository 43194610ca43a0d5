/* SPDX-License-Identifier: Apache-2.0 */
/* Where shapes are at the beginning of a stage, where they are expected, and where a solve puts them. */
#include <math.h>
#include <string.h>

#include "math/polar.h"
#include "step/contacts.h"

/* A shape of a body that is there. */
static AfxiPlace place_on(const AfxSim *sim, const AfxiContactShape *shape, const AfxiMat3 *frame, AfxVec3 origin) {
    const AfxiContactPose *pose = &sim->model->contacts.poses[shape->pose];
    AfxiPlace out;
    AfxiMat3 own = mat3_load(pose->r), r = mat3_multiply(frame, &own);
    memcpy(out.r, r.m, sizeof out.r);
    vec3_store(out.t, vec3_add(origin, mat3_apply(frame, vec3_load(pose->t))));
    return out;
}

AfxiPlace afxi_shape_expected(const AfxSim *sim, const AfxiContactShape *shape) {
    const AfxiBodyPlace *body = &sim->contacts->place[sim->contacts->place_of[shape->body]];
    return place_on(sim, shape, &body->frame, body->origin);
}

static AfxiPlace place_at(const AfxSim *sim, const AfxiContactShape *shape, const double q[12]) {
    AfxiMat3 a = mat3_load(q), frame = afxi_rotation_part(&a, NULL);
    return place_on(sim, shape, &frame, vec3_load(q + 9));
}

/* `q` [bodies][12] at the beginning of the stage; kinematic bodies are ahead of it. */
static AfxiPlace place_before(const AfxSim *sim, const AfxiContactShape *shape, const double *q) {
    bool carried = sim->model->kind[shape->body] == AFX_BODY_KINEMATIC;
    return place_at(sim, shape, (carried ? sim->previous_q : q) + (size_t)12 * shape->body);
}

const double *afxi_contacts_result(const AfxSim *sim, uint32_t body, const double *next) {
    uint32_t local = sim->model->graph.local[body];
    bool solved = sim->model->kind[body] == AFX_BODY_DYNAMIC && local != UINT32_MAX;
    return solved && next ? next + (size_t)12 * local : sim->q + (size_t)12 * body;
}

uint32_t afxi_touch_after(const AfxSim *sim, const AfxiPair *pair, const double *next, double margin,
                          AfxiTouch *touch) {
    const AfxiContactWork *work = sim->contacts;
    const AfxiContactShape *a = &sim->model->contacts.shapes[pair->a], *b = &sim->model->contacts.shapes[pair->b];
    AfxiPlace place_a = place_at(sim, a, afxi_contacts_result(sim, a->body, next));
    AfxiPlace place_b = place_at(sim, b, afxi_contacts_result(sim, b->body, next));
    return afxi_touch(&work->geometry[a->geometry], &place_a, &work->geometry[b->geometry], &place_b, margin, touch);
}

double afxi_contacts_depth_before(const AfxSim *sim, uint32_t a, uint32_t b, const double *q) {
    const AfxiContactWork *work = sim->contacts;
    const AfxiContactShape *shape_a = &sim->model->contacts.shapes[a], *shape_b = &sim->model->contacts.shapes[b];
    AfxiPlace place_a = place_before(sim, shape_a, q), place_b = place_before(sim, shape_b, q);
    AfxiTouch touch[AFXI_TOUCH_MAX];
    uint32_t found = afxi_touch(&work->geometry[shape_a->geometry], &place_a, &work->geometry[shape_b->geometry],
                                &place_b, 0, touch);
    double depth = 0;
    for (uint32_t k = 0; k < found; k++) {
        depth = fmax(depth, -touch[k].gap);
    }
    return depth;
}
