/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of shapes, swept over a stage and widened by what they may be off: of each shape that may meet something, and
 * of clusters of shapes from the ranges of their bodies' coordinates alone. */
#include "collide/box.h"

#include <math.h>
#include <string.h>

#include "collide/place.h"
#include "collide/span.h"
#include "collide/tuning.h"
#include "math/variant.h"

AFXI_BUILDS(AfxiSpanKernel, afxi_span);

AfxiSpanKernel *afxi_span_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_span, lanes);
}

/* ---- one shape ---- */

static void extend(const AfxiShapeBox *box, const double q[12], double lower[3], double upper[3]) {
    for (int i = 0; i < 3; i++) {
        double middle = q[9 + i], half = 0;
        for (int k = 0; k < 3; k++) {
            middle += q[3 * k + i] * box->center[k];
            half += fabs(q[3 * k + i]) * box->half[k];
        }
        lower[i] = fmin(lower[i], middle - half);
        upper[i] = fmax(upper[i], middle + half);
    }
}

/* Where the bodies are, and will be by their velocities and by the last solve; how far their middle goes comes back. */
static double sweep_box(const AfxiCollide *collide, uint32_t body, const AfxiShapeBox *box, double dt, double lower[3],
                        double upper[3]) {
    const AfxiWorld *world = collide->set.world;
    const double *q = world->state.q + (size_t)12 * body, *v = world->state.v + (size_t)12 * body;
    const double *result = afxi_collide_result(collide, body);
    double ahead[12], way = 0;
    const double *other = ahead;
    for (int i = 0; i < 3; i++) {
        lower[i] = box->unbounded ? -INFINITY : INFINITY;
        upper[i] = -lower[i];
    }
    if (box->unbounded) {
        return 0;
    }
    extend(box, q, lower, upper);
    if (world->model->kind[body] == AFX_BODY_FIXED) {
        return 0;
    }
    if (world->model->kind[body] == AFX_BODY_KINEMATIC) {
        other = world->state.previous_q + (size_t)12 * body;
    } else {
        for (int e = 0; e < 12; e++) {
            ahead[e] = q[e] + dt * v[e];
        }
    }
    extend(box, other, lower, upper);
    if (result) {
        extend(box, result, lower, upper);
    }
    for (int i = 0; i < 3; i++) {
        way += (other[9 + i] - q[9 + i]) * (other[9 + i] - q[9 + i]);
    }
    return sqrt(way);
}

/* Shapes are rigid where points are looked for: what strain does to them is a margin. */
static double strain_margin(const AfxiCollide *collide, uint32_t item, uint32_t body) {
    const double *result = afxi_collide_result(collide, body);
    return fmax(afxi_strain_reach(collide, item, collide->set.world->state.q + (size_t)AFXI_AFFINE_WIDTH * body),
                result ? afxi_strain_reach(collide, item, result) : 0);
}

/* What all boxes of a stage are made by. */
typedef struct Stage {
    AfxiCollide *collide;
    const uint8_t *look;
    double dt, pad;
} Stage;

/* The boxes of bodies that are not looked at stay, where they were made before. */
static bool stays(const Stage *stage, uint32_t body) {
    return stage->look && !stage->look[body] && stage->collide->set.world->model->kind[body] == AFX_BODY_DYNAMIC;
}

static void make_boxes(void *context, const uint32_t *item, uint32_t count) {
    const Stage *stage = context;
    AfxiCollide *collide = stage->collide;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t k = item[n], body = collide->set.world->model->contacts.shapes[k].body;
        const AfxiShapeBox *box = &collide->box[collide->box_of[k]];
        if (collide->boxed[k] && stays(stage, body)) {
            continue;
        }
        double way = sweep_box(collide, body, box, stage->dt, collide->lower[k], collide->upper[k]);
        double pad = stage->pad + AFXI_MARGIN_WAY * way + AFXI_MARGIN_SIZE * (isfinite(box->inner) ? box->inner : 0);
        pad += strain_margin(collide, k, body);
        collide->pad[k] = pad;
        collide->boxed[k] = 1;
        for (int i = 0; i < 3; i++) {
            collide->lower[k][i] -= pad + 0.5 * collide->margin;
            collide->upper[k][i] += pad + 0.5 * collide->margin;
        }
    }
}

/* ---- clusters ---- */

/* Results of solves belong to the range. */
static void extend_span(const AfxiCollide *collide, const uint32_t *body, uint32_t count, AfxiRange *span) {
    for (uint32_t k = 0; k < count; k++) {
        const double *result = afxi_collide_result(collide, body[k]);
        for (int e = 0; result && e < 12; e++) {
            span->lower[e] = fmin(span->lower[e], result[e]);
            span->upper[e] = fmax(span->upper[e], result[e]);
        }
    }
}

/* No shape of a body reaches further along a body's axis than `reach` of its cluster. */
static void make_bound(void *context, uint32_t cluster, double lower[3], double upper[3]) {
    const Stage *stage = context;
    const AfxiCollide *collide = stage->collide;
    const AfxiState *state = &collide->set.world->state;
    const AfxiClusterReach *own = &collide->cluster[cluster];
    const uint32_t *body = collide->cluster_body + own->first_body;
    AfxiRange span;
    if (stays(stage, body[0])) {
        return;
    }
    collide->span(state->q, state->v, body, own->body_count, stage->dt, &span);
    if (stage->look) {
        extend_span(collide, body, own->body_count, &span);
    }
    double way = 0;
    for (int i = 9; i < 12; i++) {
        double most = fmax(-span.slow[i], span.fast[i]);
        way += most * most;
    }
    double pad = stage->pad + AFXI_MARGIN_WAY * sqrt(way) + AFXI_MARGIN_SIZE * own->inner + 0.5 * collide->margin;
    for (int i = 0; i < 3; i++) {
        double reach = pad, from = span.lower[9 + i], to = span.upper[9 + i];
        for (int k = 0; k < 3; k++) {
            reach += fmax(-span.lower[3 * k + i], span.upper[3 * k + i]) * own->reach[k];
        }
        reach += AFXI_BOUND_ROUNDING * (fabs(from) + fabs(to) + reach);
        lower[i] = from - reach;
        upper[i] = to + reach;
    }
}

/* ---- planes ---- */

/* How far the nearest corner of a box is above a plane, the z = 0 of a shape whose body is at q. */
static double height(const AfxiContactPose *pose, const double q[12], const double lower[3], const double upper[3]) {
    AfxiMat3 a = mat3_load(q), own = mat3_load(pose->r);
    double n[3], p[3], height = 0;
    vec3_store(n, mat3_apply(&a, mat3_column(&own, 2)));
    vec3_store(p, vec3_add(vec3_load(q + 9), mat3_apply(&a, vec3_load(pose->t))));
    for (int i = 0; i < 3; i++) {
        height += n[i] == 0 ? 0 : n[i] * ((n[i] > 0 ? lower[i] : upper[i]) - p[i]);
    }
    return height;
}

/* Whether a plane, which no body that is solved for has, at the beginning of the stage or at its end, is nearer to a
 * box than points are looked for. */
static bool plane_reaches(void *context, uint32_t item, const double lower[3], const double upper[3]) {
    const Stage *stage = context;
    const AfxiCollide *collide = stage->collide;
    const AfxiWorld *world = collide->set.world;
    const AfxiContactShape *shape = &world->model->contacts.shapes[item];
    const AfxiContactPose *pose = &world->model->contacts.poses[shape->pose];
    size_t at = (size_t)12 * shape->body;
    double pad = collide->pad[item] + 0.5 * collide->margin;
    return !(height(pose, world->state.q + at, lower, upper) > pad) ||
           (world->model->kind[shape->body] == AFX_BODY_KINEMATIC &&
            !(height(pose, world->state.previous_q + at, lower, upper) > pad));
}

/* ---- making ---- */

/* What items have in common that may be a cluster: a mechanism; of free bodies each is its own. */
static uint32_t whole_of(const AfxiCollide *collide, uint32_t item) {
    const AfxModel *model = collide->set.world->model;
    uint32_t body = model->contacts.shapes[item].body;
    bool jointed = model->kind[body] == AFX_BODY_DYNAMIC &&
                   (model->graph_of[body] != UINT32_MAX || afxi_model_in_chain(model, body));
    return jointed ? model->root[body] : UINT32_MAX;
}

/* What the bounds of clusters are made from. */
static AfxStatus list_bodies(AfxiCollide *collide) {
    const AfxAllocator *allocator = &collide->set.world->def.allocator;
    uint32_t clusters = afxi_clusters_count(collide->clusters), at = 0, count;
    collide->cluster = afxi_allocate(allocator, clusters * sizeof *collide->cluster);
    collide->cluster_body = afxi_allocate(allocator, collide->item_count * sizeof *collide->cluster_body);
    if (clusters && (!collide->cluster || !collide->cluster_body)) {
        return AFX_E_MEMORY;
    }
    for (uint32_t c = 0; c < clusters; c++) {
        AfxiClusterReach *own = &collide->cluster[c];
        const uint32_t *item = afxi_cluster_items(collide->clusters, c, &count);
        own->first_body = at;
        for (uint32_t k = 0; k < count; k++) { /* items of one body follow one another */
            uint32_t body = collide->set.world->model->contacts.shapes[item[k]].body;
            const AfxiShapeBox *box = &collide->box[collide->box_of[item[k]]];
            if (at == own->first_body || collide->cluster_body[at - 1] != body) {
                collide->cluster_body[at++] = body;
            }
            own->inner = fmax(own->inner, isfinite(box->inner) ? box->inner : 0);
            for (int i = 0; i < 3; i++) {
                own->reach[i] = fmax(own->reach[i], fabs(box->center[i]) + box->half[i]);
            }
        }
        own->body_count = at - own->first_body;
    }
    return AFX_OK;
}

AfxStatus afxi_collide_cluster(AfxiCollide *collide) {
    const AfxModel *model = collide->set.world->model;
    const AfxiContacts *contacts = &model->contacts;
    const AfxAllocator *allocator = &collide->set.world->def.allocator;
    size_t items = contacts->shape_count;
    AfxiBroadItem *item = afxi_allocate(allocator, items * sizeof *item);
    uint32_t *whole = afxi_allocate(allocator, items * sizeof *whole);
    uint8_t *unbounded = afxi_allocate(allocator, items);
    AfxStatus status = item && whole && unbounded ? AFX_OK : AFX_E_MEMORY;
    for (uint32_t k = 0; status == AFX_OK && k < contacts->shape_count; k++) {
        const AfxiContactShape *shape = &contacts->shapes[k];
        uint8_t kind = model->kind[shape->body];
        item[k] = (AfxiBroadItem){shape->body, shape->group, shape->mask, kind == AFX_BODY_DYNAMIC,
                                  kind == AFX_BODY_FIXED && !contacts->geometries[shape->geometry].frames};
        whole[k] = whole_of(collide, k);
        unbounded[k] = collide->box[collide->box_of[k]].unbounded;
    }
    AfxiClusterDef def = {.allocator = *allocator,
                          .items = item,
                          .whole = whole,
                          .unbounded = unbounded,
                          .count = contacts->shape_count,
                          .excluded = (const AfxiPair *)contacts->excluded,
                          .excluded_count = contacts->excluded_count};
    status = status ? status : afxi_clusters_create(&def, &collide->clusters);
    afxi_release(allocator, item, items * sizeof *item);
    afxi_release(allocator, whole, items * sizeof *whole);
    afxi_release(allocator, unbounded, items);
    collide->span = afxi_span_kernel(collide->set.world->def.lanes);
    return status ? status : list_bodies(collide);
}

/* The largest margin of all materials. */
static double largest_margin(const AfxiWorld *world) {
    double most = 0;
    if (world->model->contacts.margins || world->params != world->model->params) {
        for (uint32_t k = 0; k < world->model->param_count[AFX_PARAM_MATERIAL_PAIR]; k++) {
            most = fmax(most, afxi_world_param(world, AFX_PARAM_MATERIAL_PAIR, k)[AFXI_PAIR_MARGIN]);
        }
    }
    return most;
}

AfxStatus afxi_collide_pairs(AfxiCollide *collide, double dt, const uint8_t *look) {
    const AfxiWorld *world = collide->set.world;
    double gravity = vec3_length(vec3_load(afxi_world_param(world, AFX_PARAM_GRAVITY, 0)));
    Stage stage = {collide, look, dt, gravity * dt * dt};
    AfxiBoxSource source = {&stage,
                            make_boxes,
                            make_bound,
                            plane_reaches,
                            (const double(*)[3])collide->lower,
                            (const double(*)[3])collide->upper};
    if (!look) {
        collide->margin = largest_margin(world);
        memset(collide->boxed, 0, collide->item_count);
    }
    return afxi_clusters_update(collide->clusters, &source, &world->def.tasks, world->def.threads);
}
