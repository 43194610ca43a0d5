/* SPDX-License-Identifier: Apache-2.0 */
/* Where shapes are at the beginning of a stage, where they are expected, and where a solve puts them. */
#include <math.h>
#include <string.h>

#include "collide/place.h"
#include "contact/geometry.h"
#include "math/polar.h"

const double *afxi_collide_result(const AfxiCollide *collide, uint32_t body) {
    return collide->warm[body] ? collide->result + (size_t)12 * body : NULL;
}

/* A shape of a body that is there. */
static AfxiPlace place_on(const AfxiCollide *collide, const AfxiContactShape *shape, const AfxiMat3 *frame,
                          AfxVec3 origin) {
    const AfxiContactPose *pose = &collide->set.world->model->contacts.poses[shape->pose];
    AfxiPlace out;
    AfxiMat3 own = mat3_load(pose->r), r = mat3_multiply(frame, &own);
    memcpy(out.r, r.m, sizeof out.r);
    vec3_store(out.t, vec3_add(origin, mat3_apply(frame, vec3_load(pose->t))));
    return out;
}

AfxiPlace afxi_shape_expected(const AfxiCollide *collide, const AfxiContactShape *shape) {
    const AfxiBodyPlace *body = &collide->set.place[collide->set.place_of[shape->body]];
    return place_on(collide, shape, &body->frame, body->origin);
}

static AfxiPlace place_at(const AfxiCollide *collide, const AfxiContactShape *shape,
                          const double q[AFXI_AFFINE_WIDTH]) {
    AfxiMat3 a = mat3_load(q), frame = afxi_rotation_part(&a, NULL);
    return place_on(collide, shape, &frame, vec3_load(q + 9));
}

/* `q` [bodies][12] at the beginning of the stage; kinematic bodies are ahead of it. */
static AfxiPlace place_before(const AfxiCollide *collide, const AfxiContactShape *shape, const double *q) {
    bool carried = collide->set.world->model->kind[shape->body] == AFX_BODY_KINEMATIC;
    return place_at(collide, shape,
                    (carried ? collide->set.world->state.previous_q : q) + (size_t)AFXI_AFFINE_WIDTH * shape->body);
}

uint32_t afxi_touch_after(const AfxiCollide *collide, const AfxiPair *pair, const double *q_a, const double *q_b,
                          double margin, AfxiTouch *touch) {
    const AfxiContactShape *a = &collide->set.world->model->contacts.shapes[pair->a],
                           *b = &collide->set.world->model->contacts.shapes[pair->b];
    AfxiPlace place_a = place_at(collide, a, q_a);
    AfxiPlace place_b = place_at(collide, b, q_b);
    return afxi_touch(&collide->geometry[a->geometry], &place_a, &collide->geometry[b->geometry], &place_b, margin,
                      touch);
}

double afxi_depth_before(const AfxiCollide *collide, uint32_t a, uint32_t b, const double *q) {
    const AfxiContactShape *shape_a = &collide->set.world->model->contacts.shapes[a],
                           *shape_b = &collide->set.world->model->contacts.shapes[b];
    AfxiPlace place_a = place_before(collide, shape_a, q), place_b = place_before(collide, shape_b, q);
    AfxiTouch touch[AFXI_TOUCH_MAX];
    uint32_t found = afxi_touch(&collide->geometry[shape_a->geometry], &place_a, &collide->geometry[shape_b->geometry],
                                &place_b, 0, touch);
    double depth = 0;
    for (uint32_t k = 0; k < found; k++) {
        depth = fmax(depth, -touch[k].gap);
    }
    return depth;
}
