/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a solve put shapes so far from where they were expected that points of touch must be looked for again. */
#include <math.h>
#include <string.h>

#include "step/contacts.h"

/* Points are looked for again when bodies come to lie by this share of their size elsewhere than expected. */
#define STRAY 5e-3
#define STRAY_ROUND 0.1 /* of the radius */

/* How far a shape is from where it was expected: its middle, and what turns with it (a ball has nothing that turns, a
 * capsule its axis); and how far it may be when it touches something. */
typedef struct Stray {
    AfxVec3 moved;
    double turned, most;
} Stray;

static Stray stray_of(const AfxSim *sim, uint32_t item, const double *next) {
    const AfxiContactWork *work = sim->contacts;
    const AfxiContactShape *shape = &sim->model->contacts.shapes[item];
    const AfxiContactPose *pose = &sim->model->contacts.poses[shape->pose];
    const AfxiGeometry *geometry = &work->geometry[shape->geometry];
    const AfxiBodyPlace *place = &work->place[work->place_of[shape->body]];
    double reach = vec3_length(vec3_load(work->box[work->box_of[item]].half)), square = 0;
    uint32_t local = sim->model->graph.local[shape->body];
    Stray out = {vec3(0, 0, 0), 0, INFINITY};
    if (sim->model->kind[shape->body] != AFX_BODY_DYNAMIC || local == UINT32_MAX) {
        return out;
    }
    const double *q = next + (size_t)12 * local;
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
    double far = fmax(work->pad[item], STRAY * reach);
    out.most = afxi_geometry_radius(geometry) > 0 ? fmin(far, STRAY_ROUND * geometry->radius) : far;
    return out;
}

/* Two shapes stray when one comes nearer to the other than points were looked for or, where they touch, when the planes
 * at their points are no longer those of the surfaces. */
bool afxi_contacts_strayed(const AfxSim *sim, const double *next) {
    const AfxiContactWork *work = sim->contacts;
    uint32_t count, at = 0;
    const AfxiPair *pair = afxi_broad_pairs(work->broad, &count);
    for (uint32_t k = 0; k < count; k++) {
        Stray a = stray_of(sim, pair[k].a, next), b = stray_of(sim, pair[k].b, next);
        double far = work->pad[pair[k].a] + work->pad[pair[k].b];
        for (; at < work->now.count && work->now.point[at].memory.item_a == pair[k].a &&
               work->now.point[at].memory.item_b == pair[k].b;
             at++) {
            bool pushes = work->now.point[at].tried.push > 0 || work->now.point[at].first_gap < 0;
            far = pushes ? fmin(far, fmin(a.most, b.most)) : far;
        }
        if (vec3_length(vec3_sub(a.moved, b.moved)) + a.turned + b.turned > far) {
            return true;
        }
    }
    return false;
}

void afxi_contacts_keep_result(AfxSim *sim, const double *next, const double *lambda) {
    const AfxiGraph *graph = &sim->model->graph;
    memcpy(sim->contacts->result, next, 12 * (size_t)graph->body_count * sizeof *next);
    memcpy(sim->contacts->known, lambda, graph->joint_rows * sizeof *lambda);
    sim->contacts->warm = true;
}
