/* SPDX-License-Identifier: Apache-2.0 */
/* Where shapes are at the beginning of a stage, where they are expected, and where a solve puts them. */
#include <math.h>
#include <string.h>

#include "collide/place.h"
#include "collide/tuning.h"
#include "contact/geometry.h"
#include "math/polar.h"

const double *afxi_collide_result(const AfxiCollide *collide, uint32_t body) {
    return collide->warm[body] ? collide->result + (size_t)12 * body : NULL;
}

AfxiPlace afxi_shape_on(const AfxiCollide *collide, const AfxiContactShape *shape, const AfxiMat3 *frame,
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
    return afxi_shape_on(collide, shape, &body->frame, body->origin);
}

static AfxiPlace place_at(const AfxiCollide *collide, const AfxiContactShape *shape,
                          const double q[AFXI_AFFINE_WIDTH]) {
    AfxiMat3 a = mat3_load(q), frame = afxi_rotation_part(&a, NULL);
    return afxi_shape_on(collide, shape, &frame, vec3_load(q + 9));
}

/* `q` [bodies][12] at the beginning of the stage; kinematic bodies are ahead of it. */
static const double *q_before(const AfxiCollide *collide, uint32_t item, const double *q) {
    uint32_t body = collide->set.world->model->contacts.shapes[item].body;
    bool carried = collide->set.world->model->kind[body] == AFX_BODY_KINEMATIC;
    return (carried ? collide->set.world->state.previous_q : q) + (size_t)AFXI_AFFINE_WIDTH * body;
}

/* ---- strain ---- */

/* Whether a strain that may carry points by `shift`, m, counts: not what turns of the last solve have left, nor what
 * margins are wider than. */
static bool counts(const AfxiWorld *world, const AfxiShapeBox *box, double strain, double shift) {
    double dt = world->state.head->dt;
    AfxVec3 fall = vec3_scale(AFXI_STRAIN_FALLS * dt * dt, vec3_load(afxi_world_param(world, AFX_PARAM_GRAVITY, 0)));
    double square = vec3_dot(fall, fall);
    return (strain > AFXI_STRAIN_LEAST && shift > AFXI_MARGIN_SIZE * box->inner) ||
           (square > 0 && shift * shift > square);
}

/* |S - I|, or more, of A = R S: |S - I| <= |S² - I|; A's columns are stored one after the other. */
static double strain_most(const double q[AFXI_AFFINE_WIDTH]) {
    AfxVec3 a = vec3_load(q), b = vec3_load(q + 3), c = vec3_load(q + 6), cross = vec3_cross(a, b);
    double aa = vec3_dot(a, a) - 1, bb = vec3_dot(b, b) - 1, cc = vec3_dot(c, c) - 1;
    double ab = vec3_dot(a, b), ac = vec3_dot(a, c), bc = vec3_dot(b, c);
    double square = aa * aa + bb * bb + cc * cc + 2 * (ab * ab + ac * ac + bc * bc);
    return sqrt(square) + (vec3_dot(cross, c) < 0 ? 2 : 0); /* turned inside out */
}

double afxi_strain_reach(const AfxiCollide *collide, uint32_t item, const double q[AFXI_AFFINE_WIDTH]) {
    const AfxiWorld *world = collide->set.world;
    const AfxiShapeBox *box = &collide->box[collide->box_of[item]];
    uint32_t body = world->model->contacts.shapes[item].body;
    if (box->unbounded || world->model->kind[body] != AFX_BODY_DYNAMIC ||
        !isfinite(afxi_world_class(world, body)->young)) {
        return 0;
    }
    AfxVec3 far = vec3(fabs(box->center[0]) + box->half[0], fabs(box->center[1]) + box->half[1],
                       fabs(box->center[2]) + box->half[2]);
    double strain = strain_most(q), shift = vec3_length(far) * strain;
    return counts(world, box, strain, shift) ? shift : 0;
}

bool afxi_strain_of(const AfxiCollide *collide, uint32_t item, const double q[AFXI_AFFINE_WIDTH], AfxiMat3 *out) {
    if (!(afxi_strain_reach(collide, item, q) > 0)) {
        return false;
    }
    AfxiMat3 a = mat3_load(q), r = afxi_rotation_part(&a, NULL);
    *out = mat3_multiply_tn(&r, &a);
    for (int k = 0; k < 3; k++) {
        out->m[4 * k] -= 1;
    }
    return true;
}

/* Shapes are rigid; where their points are on strained bodies. */
static void strain_touches(const AfxiCollide *collide, uint32_t item, const double q[AFXI_AFFINE_WIDTH], bool second,
                           AfxiTouch *touch, uint32_t count) {
    AfxiMat3 strain, a = mat3_load(q);
    if (!afxi_strain_of(collide, item, q, &strain)) {
        return;
    }
    AfxiMat3 r = afxi_rotation_part(&a, NULL);
    for (uint32_t k = 0; k < count; k++) {
        double *p = second ? touch[k].point_b : touch[k].point_a;
        AfxVec3 x = mat3_apply_transposed(&r, vec3_sub(vec3_load(p), vec3_load(q + 9)));
        AfxVec3 shift = mat3_apply(&r, mat3_apply(&strain, x));
        vec3_store(p, vec3_add(vec3_load(p), shift));
        touch[k].gap += (second ? -1 : 1) * vec3_dot(vec3_load(touch[k].normal), shift);
    }
}

/* ---- touches ---- */

uint32_t afxi_touch_after(const AfxiCollide *collide, const AfxiPair *pair, const double *q_a, const double *q_b,
                          double margin, AfxiTouch *touch) {
    const AfxiContactShape *a = &collide->set.world->model->contacts.shapes[pair->a],
                           *b = &collide->set.world->model->contacts.shapes[pair->b];
    AfxiPlace place_a = place_at(collide, a, q_a);
    AfxiPlace place_b = place_at(collide, b, q_b);
    margin += afxi_strain_reach(collide, pair->a, q_a) + afxi_strain_reach(collide, pair->b, q_b);
    uint32_t found =
        afxi_touch(&collide->geometry[a->geometry], &place_a, &collide->geometry[b->geometry], &place_b, margin, touch);
    strain_touches(collide, pair->a, q_a, false, touch, found);
    strain_touches(collide, pair->b, q_b, true, touch, found);
    return found;
}

double afxi_depth_before(const AfxiCollide *collide, uint32_t a, uint32_t b, double margin, const double *q) {
    AfxiPair pair = {a, b};
    AfxiTouch touch[AFXI_TOUCH_MAX];
    const double *q_a = q_before(collide, a, q), *q_b = q_before(collide, b, q);
    uint32_t found = afxi_touch_after(collide, &pair, q_a, q_b, margin, touch);
    double depth = 0;
    for (uint32_t k = 0; k < found; k++) {
        depth = fmax(depth, margin - touch[k].gap);
    }
    return depth;
}

double afxi_strain_before(const AfxiCollide *collide, uint32_t a, uint32_t b, const double *q) {
    const double *q_a = q_before(collide, a, q), *q_b = q_before(collide, b, q);
    return afxi_strain_reach(collide, a, q_a) + afxi_strain_reach(collide, b, q_b);
}
