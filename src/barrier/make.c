/* SPDX-License-Identifier: Apache-2.0 */
/* The workspace: surfaces, lists, and memory, laid out twice as everywhere. */
#include "barrier/make.h"

#include <string.h>

#include "barrier/rows.h"
#include "barrier/system.h"
#include "base/memory.h"

/* ---- state ---- */

/* Vertices and edges that a geometry has at most. */
static size_t features_of(const AfxiContactGeometry *g) {
    switch (g->kind) {
    case AFX_SHAPE_PLANE:
        return 0;
    case AFX_SHAPE_SPHERE:
        return 1;
    case AFX_SHAPE_CAPSULE:
        return 3;
    case AFX_SHAPE_BOX:
        return 8 + 12;
    case AFX_SHAPE_CYLINDER:
        return 5 * (size_t)AFXI_CYLINDER_SIDES;
    case AFX_SHAPE_HEIGHT_FIELD:
        return 4 * (size_t)g->columns * g->rows;
    default:
        return (size_t)g->vertex_count + 3 * (size_t)g->triangle_count;
    }
}

static size_t feature_count(const AfxModel *model) {
    size_t sum = 0;
    for (uint32_t k = 0; k < model->contacts.shape_count; k++) {
        sum += features_of(&model->contacts.geometries[model->contacts.shapes[k].geometry]);
    }
    return sum;
}

size_t afxi_barrier_state_size(const AfxModel *model) {
    return model->body_count * sizeof(double) +
           AFXI_BARRIER_PARTNERS * feature_count(model) * sizeof(AfxiBarrierMemory);
}

void afxi_barrier_state(AfxiBarrier *work) {
    work->remembered = work->world->state.own;
    work->memory = (AfxiBarrierMemory *)(work->remembered + work->model->body_count);
}

/* ---- memory ---- */

static void layout_lists(AfxiBarrier *work, AfxiArena *arena) {
    const AfxModel *model = work->model;
    work->bodies = afxi_arena_take(arena, work->body_count, sizeof *work->bodies);
    work->slot = afxi_arena_take(arena, model->body_count, sizeof *work->slot);
    work->blocks = afxi_arena_take(arena, work->block_count, sizeof *work->blocks);
    work->entries = afxi_arena_take(arena, work->entry_count, sizeof *work->entries);
    work->rows = afxi_arena_take(arena, work->row_count, sizeof *work->rows);
    work->parent = afxi_arena_take(arena, work->body_count, sizeof *work->parent);
    work->settled = afxi_arena_take(arena, work->body_count, 1);
    work->reduced = afxi_arena_take(arena, work->body_count, 1);
    work->saved_pace = afxi_arena_take(arena, model->body_count, 1);
    work->saved_own = afxi_arena_take(arena, afxi_barrier_state_size(model), 1);
    work->reached_root = afxi_arena_take(arena, model->body_count, 1);
    work->reached = afxi_arena_take(arena, model->body_count, 1);
    work->chosen = afxi_arena_take(arena, model->body_count, 1);
    work->idle = afxi_arena_take(arena, work->surface.shape_count, 1);
    work->box = afxi_arena_take(arena, work->surface.shape_count, sizeof *work->box);
    work->reach_lower = afxi_arena_take(arena, work->surface.shape_count, sizeof *work->reach_lower);
    work->reach_upper = afxi_arena_take(arena, work->surface.shape_count, sizeof *work->reach_upper);
    work->lower = afxi_arena_take(arena, work->surface.shape_count, sizeof *work->lower);
    work->upper = afxi_arena_take(arena, work->surface.shape_count, sizeof *work->upper);
    work->swept[0] = afxi_arena_take(arena, work->surface.vertex_count, sizeof *work->swept[0]);
    work->swept[1] = afxi_arena_take(arena, work->surface.edge_count, sizeof *work->swept[1]);
    work->swept[2] = afxi_arena_take(arena, work->surface.triangle_count, sizeof *work->swept[2]);
    work->boxed = afxi_arena_take(arena, work->surface.shape_count, 1);
    work->way = afxi_arena_take(arena, model->body_count, sizeof *work->way);
    work->x[0] = afxi_arena_take(arena, work->surface.vertex_count, sizeof *work->x[0]);
    work->x[1] = afxi_arena_take(arena, work->surface.vertex_count, sizeof *work->x[1]);
    for (int k = 0; k < AFXI_BARRIER_PLACES; k++) {
        work->rotation[k] = afxi_arena_take(arena, model->body_count, sizeof *work->rotation[k]);
    }
}

static void layout_numbers(AfxiBarrier *work, AfxiArena *arena) {
    size_t all = (size_t)AFXI_AFFINE_WIDTH * work->model->body_count, bodies = work->body_count;
    size_t features = (size_t)work->surface.vertex_count + work->surface.edge_count;
    struct {
        double **to;
        size_t count;
    } parts[] = {{&work->row_gradient, work->gradient_count},
                 {&work->row_value[0], work->row_count},
                 {&work->row_value[1], work->row_count},
                 {&work->place[AFXI_BEGIN], all},
                 {&work->place[AFXI_NOW], all},
                 {&work->place[AFXI_TRIED], all},
                 {&work->kinematic, all},
                 {&work->reach, work->model->body_count},
                 {&work->saved[0], all},
                 {&work->saved[1], all},
                 {&work->saved[2], all},
                 {&work->saved[3], all},
                 {&work->saved_lambda, work->row_count},
                 {&work->hessian, (size_t)AFXI_BARRIER_WIDTH * AFXI_BARRIER_WIDTH * bodies},
                 {&work->gradient, work->unknown_count},
                 {&work->delta, work->unknown_count},
                 {&work->correction, work->unknown_count},
                 {&work->turn_gradient, 9 * bodies},
                 {&work->energy[0], bodies},
                 {&work->energy[1], bodies},
                 {&work->energy_size[0], bodies},
                 {&work->energy_size[1], bodies},
                 {&work->descent, bodies},
                 {&work->share, bodies},
                 {&work->time, bodies},
                 {&work->feature_force[0], features},
                 {&work->feature_force[1], features}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        *parts[k].to = afxi_arena_take(arena, parts[k].count, sizeof(double));
    }
}

static void layout(AfxiBarrier *work, AfxiArena *arena) {
    layout_lists(work, arena);
    layout_numbers(work, arena);
}

/* ---- filling ---- */

/* Rigid bodies have six unknowns, elastic ones twelve. */
static uint32_t width_of(const AfxiBarrier *work, uint32_t body) {
    return isinf(afxi_class_of_params(work->model, work->model->params, body).young) ? 6 : AFXI_BARRIER_WIDTH;
}

static void count_unknowns(AfxiBarrier *work) {
    work->width_count = 0;
    for (uint32_t k = 0; k < work->model->dynamic_count; k++) {
        work->width_count += width_of(work, work->model->dynamic[k]);
    }
    work->unknown_count = work->width_count + work->row_count;
}

static void list_bodies(AfxiBarrier *work) {
    const AfxModel *model = work->model;
    work->body_count = work->width_count = 0;
    memset(work->slot, 0xff, model->body_count * sizeof *work->slot);
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        if (work->chosen[model->dynamic[k]]) {
            AfxiBarrierBody *body = &work->bodies[work->body_count];
            *body = (AfxiBarrierBody){.body = model->dynamic[k], .first = work->width_count};
            body->width = width_of(work, body->body);
            work->width_count += body->width;
            work->slot[body->body] = work->body_count++;
        }
    }
}

static void reach_out(AfxiBarrier *work, uint32_t body, double arm) {
    if (body != AFXI_WORLD && work->slot[body] != UINT32_MAX) {
        AfxiBarrierBody *own = &work->bodies[work->slot[body]];
        own->extent = fmax(own->extent, arm);
    }
}

/* How far bodies reach: their surfaces, or what they are held at. */
static void set_extents(AfxiBarrier *work) {
    const AfxModel *model = work->model;
    for (uint32_t s = 0; s < work->surface.shape_count; s++) {
        const AfxiSurfaceShape *shape = &work->surface.shapes[s];
        reach_out(work, shape->body, shape->extent + shape->radius);
    }
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const AfxiJointFrame *frame = afxi_world_joint_frame(work->world, k);
        reach_out(work, model->joints[k].follower, vec3_length(frame->point_a));
        reach_out(work, model->joints[k].base, vec3_length(frame->point_b));
    }
    work->size = 0;
    for (uint32_t k = 0; k < work->body_count; k++) { /* without shape and joint: by its inertia */
        AfxiBarrierBody *body = &work->bodies[k];
        const AfxiBodyClass *class = afxi_world_class(work->world, body->body);
        double radius = sqrt((class->s[0] + class->s[1] + class->s[2]) / class->mass);
        body->extent = body->extent > 0 ? body->extent : fmax(radius, 1e-9);
        work->size = fmax(work->size, body->extent);
    }
}

void afxi_barrier_choose(AfxiBarrier *work) {
    const AfxModel *model = work->model;
    if (work->listed && memcmp(work->chosen, work->reached, model->body_count) == 0) {
        return;
    }
    memcpy(work->chosen, work->reached, model->body_count);
    list_bodies(work);
    set_extents(work);
    afxi_barrier_rows_list(work);
    work->unknown_count = work->width_count + work->row_count;
    for (uint32_t s = 0; s < work->surface.shape_count; s++) {
        uint32_t body = work->surface.shapes[s].body;
        work->idle[s] = model->kind[body] == AFX_BODY_DYNAMIC && !work->chosen[body];
    }
    afxi_barrier_system_forget(work);
    afxi_broad_reset(work->broad);
    work->contact_count = work->friction_count = work->watch_count = 0;
    work->listed = true;
}

static AfxStatus make_broad(AfxiBarrier *work, AfxiBroad **out) {
    const AfxModel *model = work->model;
    const AfxiContacts *contacts = &model->contacts;
    size_t bytes = contacts->shape_count * sizeof(AfxiBroadItem), pairs = contacts->excluded_count * sizeof(AfxiPair);
    AfxiBroadItem *items = afxi_allocate(&work->allocator, bytes + 1);
    AfxiPair *excluded = afxi_allocate(&work->allocator, pairs + 1);
    AfxStatus status = items && excluded ? AFX_OK : AFX_E_MEMORY;
    for (uint32_t k = 0; status == AFX_OK && k < contacts->shape_count; k++) {
        const AfxiContactShape *shape = &contacts->shapes[k];
        items[k] = (AfxiBroadItem){.owner = shape->body,
                                   .group = shape->group,
                                   .mask = shape->mask,
                                   .moving = model->kind[shape->body] == AFX_BODY_DYNAMIC,
                                   .still = model->kind[shape->body] == AFX_BODY_FIXED};
    }
    for (uint32_t k = 0; status == AFX_OK && k < contacts->excluded_count; k++) {
        excluded[k] = (AfxiPair){contacts->excluded[k][0], contacts->excluded[k][1]};
    }
    if (status == AFX_OK) {
        AfxiBroadDef def = {.allocator = work->allocator,
                            .items = items,
                            .count = contacts->shape_count,
                            .excluded = excluded,
                            .excluded_count = contacts->excluded_count,
                            .lanes = work->world->def.lanes};
        status = afxi_broad_create(&def, out);
    }
    afxi_release(&work->allocator, items, bytes + 1);
    afxi_release(&work->allocator, excluded, pairs + 1);
    return status;
}

/* Boxes of shapes in the frames of their bodies; those of planes are empty. */
static void put_boxes(AfxiBarrier *work) {
    for (uint32_t s = 0; s < work->surface.shape_count; s++) {
        const AfxiSurfaceShape *shape = &work->surface.shapes[s];
        double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (uint32_t v = shape->first_vertex; v < shape->first_vertex + shape->vertex_count; v++) {
            const double *x = &work->surface.vertices[v].x.x;
            for (int e = 0; e < 3; e++) {
                lower[e] = fmin(lower[e], x[e]);
                upper[e] = fmax(upper[e], x[e]);
            }
        }
        AfxVec3 low = vec3_load(lower), high = vec3_load(upper);
        work->box[s] = (AfxiBarrierBox){.center = vec3_scale(0.5, vec3_add(low, high)),
                                        .half = vec3_scale(0.5, vec3_sub(high, low)),
                                        .radius = shape->radius};
        for (int e = 0; e < 3; e++) {
            work->reach_lower[s][e] = INFINITY;
            work->reach_upper[s][e] = -INFINITY;
        }
        work->any_plane = work->any_plane || shape->plane;
    }
}

AfxStatus afxi_barrier_make(AfxiBarrier *work) {
    const AfxSimDef *def = &work->world->def;
    AfxiArena arena = {0};
    AfxStatus status = afxi_surface_create(&work->allocator, work->model, &work->surface);
    status = status ? status : make_broad(work, &work->broad);
    status = status ? status : make_broad(work, &work->ahead);
    if (status != AFX_OK) {
        return status;
    }
    work->body_count = work->model->dynamic_count;
    afxi_barrier_rows_count(work);
    count_unknowns(work);
    layout(work, &arena);
    if (arena.overflow) {
        return AFX_E_LIMIT;
    }
    arena.base = afxi_allocate_aligned(&work->allocator, arena.used + 1, &work->raw, &work->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    layout(work, &arena);
    memset(work->reached, 0, work->model->body_count);
    put_boxes(work);
    work->gap = def->contact_gap > 0 ? def->contact_gap : AFXI_BARRIER_GAP * work->surface.size;
    work->slip = AFXI_FRICTION_SLIP * work->gap;
    work->lags_most = def->friction_lags ? def->friction_lags : AFXI_FRICTION_LAGS;
    return AFX_OK;
}

void afxi_barrier_release(AfxiBarrier *work) {
    const AfxAllocator *allocator = &work->allocator;
    afxi_barrier_system_destroy(work);
    for (int side = 0; side < 2; side++) {
        for (int what = 0; what < 3; what++) {
            const AfxiBarrierNearList *list = &work->near[side][what];
            afxi_release(allocator, list->near, list->capacity * sizeof *list->near);
        }
    }
    afxi_release(allocator, work->candidates, work->candidate_capacity * sizeof *work->candidates);
    afxi_release(allocator, work->watch, work->watch_capacity * sizeof *work->watch);
    afxi_release(allocator, work->contacts, work->contact_capacity * sizeof *work->contacts);
    afxi_release(allocator, work->friction, work->friction_capacity * sizeof *work->friction);
    afxi_release(allocator, work->raw, work->raw_size);
    afxi_broad_destroy(work->broad);
    afxi_broad_destroy(work->ahead);
    afxi_surface_destroy(allocator, &work->surface);
}
