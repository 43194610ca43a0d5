/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a solve put shapes so far from where they were expected that points of touch must be looked for again: where
 * they may have, those that are found there are compared with those that were solved for. */
#include <math.h>
#include <string.h>

#include "step/contacts.h"

/* Points may no longer fit when bodies come to lie by this share of their size elsewhere than expected. */
#define STRAY 5e-3
#define STRAY_ROUND 0.1 /* of the radius */
/* They do not when a gap is by this share of the inner radius another, or a normal by this cosine. */
#define OTHER_GAP 1e-4
#define OTHER_NORMAL 0.98
/* Share of the inner radius by which a shape may come to lie in another unseen. */
#define SUNK 0.025

/* How far a shape is from where it was expected: its middle, and what turns with it (a ball has nothing that turns, a
 * capsule its axis); and how far it may be when it touches something. */
typedef struct Stray {
    AfxVec3 moved;
    double turned, most;
} Stray;

static bool is_link(const AfxSim *sim, uint32_t item) {
    uint32_t body = sim->model->contacts.shapes[item].body;
    return sim->model->kind[body] == AFX_BODY_DYNAMIC && sim->model->graph.local[body] == UINT32_MAX;
}

static Stray stray_of(const AfxSim *sim, uint32_t item, const double *next) {
    const AfxiContactWork *work = sim->contacts;
    const AfxiContactShape *shape = &sim->model->contacts.shapes[item];
    const AfxiContactPose *pose = &sim->model->contacts.poses[shape->pose];
    const AfxiGeometry *geometry = &work->geometry[shape->geometry];
    const AfxiBodyPlace *place = &work->place[work->place_of[shape->body]];
    double reach = vec3_length(vec3_load(work->box[work->box_of[item]].half)), square = 0;
    Stray out = {vec3(0, 0, 0), 0, INFINITY};
    if (sim->model->kind[shape->body] != AFX_BODY_DYNAMIC || (next && is_link(sim, item))) {
        return out;
    }
    const double *q = afxi_contacts_result(sim, shape->body, next);
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

/* What the last solve made of the points of two items: the least gap, along which normal, whether one pushes, and
 * whether one does or was expected to. */
typedef struct Solved {
    double gap;
    AfxVec3 normal;
    bool any, pushes, near;
} Solved;

/* Whether two items do not fit to what was solved for. */
static AfxiFit fit_of(const AfxSim *sim, const AfxiPair *pair, const Solved *solved, const double *next) {
    AfxiContactWork *work = sim->contacts;
    double inner = fmin(work->box[work->box_of[pair->a]].inner, work->box[work->box_of[pair->b]].inner);
    double least = fmax(work->tolerance, OTHER_GAP * inner), gap = least;
    AfxiTouch touch[AFXI_TOUCH_MAX];
    uint32_t found = afxi_touch_after(sim, pair, next, least, touch), first = 0;
    for (uint32_t k = 0; k < found; k++) {
        first = touch[k].gap < touch[first].gap ? k : first;
        gap = fmin(gap, touch[k].gap);
    }
    double thought = solved->any ? fmin(solved->gap, least) : least;
    if (gap < thought - least) {
        work->unseen = fmax(work->unseen, -gap);
    }
    if (gap < -SUNK * inner &&
        -gap > afxi_contacts_depth_before(sim, pair->a, pair->b, next ? sim->q : sim->saved_q) + 0.5 * SUNK * inner) {
        return AFXI_FIT_SUNK;
    }
    if (gap < -work->tolerance && gap < thought - least) {
        return AFXI_FIT_STRAYED;
    }
    bool turned =
        solved->pushes && found && fabs(vec3_dot(solved->normal, vec3_load(touch[first].normal))) < OTHER_NORMAL;
    return turned || (solved->pushes && gap > thought + least) ? AFXI_FIT_STRAYED : AFXI_FIT;
}

/* Two shapes may not fit when one comes nearer to the other than points were looked for or, where they touch, when the
 * planes at their points may no longer be those of the surfaces. */
static bool may_stray(const AfxSim *sim, const AfxiPair *pair, bool near, const double *next) {
    const AfxiContactWork *work = sim->contacts;
    Stray a = stray_of(sim, pair->a, next), b = stray_of(sim, pair->b, next);
    double far = work->pad[pair->a] + work->pad[pair->b];
    far = near ? fmin(far, fmin(a.most, b.most)) : far;
    return vec3_length(vec3_sub(a.moved, b.moved)) + a.turned + b.turned > far;
}

AfxiFit afxi_contacts_fit(const AfxSim *sim, const double *next) {
    const AfxiContactWork *work = sim->contacts;
    uint32_t count, at = 0;
    const AfxiPair *pair = afxi_broad_pairs(work->broad, &count);
    AfxiFit worst = AFXI_FIT;
    sim->contacts->unseen = next ? 0 : work->unseen;
    for (uint32_t k = 0; k < count && worst != AFXI_FIT_SUNK; k++) {
        bool asked = next || is_link(sim, pair[k].a) || is_link(sim, pair[k].b);
        Solved solved = {.gap = INFINITY};
        for (; at < work->now.count && work->now.point[at].memory.item_a == pair[k].a &&
               work->now.point[at].memory.item_b == pair[k].b;
             at++) {
            const AfxiPoint *point = &work->now.point[at];
            double gap = point->tried.gap - point->rest;
            solved.normal = gap < solved.gap ? vec3_load(point->axis) : solved.normal;
            solved.gap = fmin(solved.gap, gap);
            solved.pushes |= point->tried.push > 0;
            solved.near |= point->tried.push > 0 || point->first_gap < 0;
            solved.any = true;
        }
        if (asked && may_stray(sim, &pair[k], solved.near, next)) {
            AfxiFit fit = fit_of(sim, &pair[k], &solved, next);
            worst = fit > worst ? fit : worst;
        }
    }
    return worst;
}

void afxi_contacts_keep_result(AfxSim *sim, const double *next, const double *lambda) {
    const AfxiGraph *graph = &sim->model->graph;
    memcpy(sim->contacts->result, next, 12 * (size_t)graph->body_count * sizeof *next);
    memcpy(sim->contacts->known, lambda, graph->joint_rows * sizeof *lambda);
    sim->contacts->warm = true;
}
