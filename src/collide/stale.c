/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a solve put shapes so far from where they were expected that points of touch must be looked for again: where
 * they may have, those that are found there are compared with those that were solved for. */
#include <math.h>
#include <string.h>

#include "collide/stale.h"

#include "collide/tuning.h"
#include "contact/geometry.h"

/* How far a shape is from where it was expected: its middle, and what turns with it (a ball has nothing that turns, a
 * capsule its axis); and how far it may be when it touches something. */
typedef struct Stray {
    AfxVec3 moved;
    double turned, most;
} Stray;

static Stray stray_of(const AfxiCollide *collide, uint32_t item, const double *q) {
    const AfxiContactShape *shape = &collide->set.world->model->contacts.shapes[item];
    const AfxiContactPose *pose = &collide->set.world->model->contacts.poses[shape->pose];
    const AfxiGeometry *geometry = &collide->geometry[shape->geometry];
    const AfxiBodyPlace *place = &collide->set.place[collide->set.place_of[shape->body]];
    double reach = vec3_length(vec3_load(collide->box[collide->box_of[item]].half)), square = 0;
    Stray out = {vec3(0, 0, 0), 0, INFINITY};
    if (collide->set.world->model->kind[shape->body] != AFX_BODY_DYNAMIC) {
        return out;
    }
    AfxiMat3 now = mat3_load(q), own = mat3_load(pose->r), off;
    for (int e = 0; e < 9; e++) {
        off.m[e] = now.m[e] - place->frame.m[e];
        square += 0.5 * off.m[e] * off.m[e];
    }
    out.moved = vec3_add(vec3_sub(vec3_load(q + 9), place->origin), mat3_apply(&off, vec3_load(pose->t)));
    if (geometry->kind == AFXI_GEOMETRY_CAPSULE) {
        out.turned = geometry->half_length * vec3_length(mat3_apply(&off, mat3_column(&own, 2)));
    } else if (geometry->kind != AFXI_GEOMETRY_SPHERE) {
        out.turned = reach * sqrt(square);
    }
    double far = fmax(collide->pad[item], AFXI_STALE_SHIFT * reach);
    out.most = afxi_geometry_radius(geometry) > 0 ? fmin(far, AFXI_STALE_SHIFT_ROUND * geometry->radius) : far;
    return out;
}

/* Two shapes may not fit when one comes nearer to the other than points were looked for or, where they touch, when the
 * planes at their points may no longer be those of the surfaces. */
static bool may_stray(const AfxiCollide *collide, const AfxiPair *pair, bool near, const double *q_a,
                      const double *q_b) {
    Stray a = stray_of(collide, pair->a, q_a), b = stray_of(collide, pair->b, q_b);
    double far = collide->pad[pair->a] + collide->pad[pair->b];
    far = near ? fmin(far, fmin(a.most, b.most)) : far;
    return vec3_length(vec3_sub(a.moved, b.moved)) + a.turned + b.turned > far;
}

AfxiFit afxi_collide_fit(AfxiCollide *collide, const AfxiPair *pair, const AfxiSolvedPair *solved, const double *q_a,
                         const double *q_b, const double *before) {
    if (!may_stray(collide, pair, solved->near, q_a, q_b)) {
        return AFXI_FIT;
    }
    double inner = fmin(collide->box[collide->box_of[pair->a]].inner, collide->box[collide->box_of[pair->b]].inner);
    double least = fmax(solved->tolerance, AFXI_STALE_GAP * inner), gap = least;
    AfxiTouch touch[AFXI_TOUCH_MAX];
    uint32_t found = afxi_touch_after(collide, pair, q_a, q_b, least, touch), first = 0;
    for (uint32_t k = 0; k < found; k++) {
        first = touch[k].gap < touch[first].gap ? k : first;
        gap = fmin(gap, touch[k].gap);
    }
    double thought = solved->any ? fmin(solved->gap, least) : least;
    if (gap < thought - least) {
        collide->unseen = fmax(collide->unseen, -gap);
    }
    double most = (solved->soft ? AFXI_PENETRATION_SOFT : AFXI_PENETRATION_MOST) * inner;
    if (gap < -most && -gap > afxi_depth_before(collide, pair->a, pair->b, 0, before) + 0.5 * most) {
        return AFXI_FIT_PENETRATING;
    }
    if (gap < -solved->tolerance && gap < thought - least) {
        return AFXI_FIT_STALE;
    }
    bool turned =
        solved->pushes && found && fabs(vec3_dot(solved->normal, vec3_load(touch[first].normal))) < AFXI_STALE_NORMAL;
    return turned || (solved->pushes && gap > thought + least) ? AFXI_FIT_STALE : AFXI_FIT;
}

AfxiSolvedPair afxi_solved_pair(const AfxiContactSet *set, uint32_t begin, uint32_t end, double tolerance) {
    AfxiSolvedPair solved = {.gap = INFINITY, .tolerance = tolerance};
    for (uint32_t k = begin; k < end; k++) {
        const AfxiPoint *point = &set->now.point[k];
        double gap = point->tried.gap - point->rest + point->margin; /* between the surfaces */
        solved.normal = gap < solved.gap ? vec3_load(point->axis) : solved.normal;
        solved.gap = fmin(solved.gap, gap);
        solved.pushes |= point->tried.push > 0;
        solved.soft |= point->soft;
        solved.near |= point->tried.push > 0 || point->first_gap < 0;
        solved.any = true;
    }
    return solved;
}
