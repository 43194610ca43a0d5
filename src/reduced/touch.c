/* SPDX-License-Identifier: Apache-2.0 */
/* Looking for contact points of a stage, whether they fit where it ends, and what is kept of them. */
#include "reduced/touch.h"

#include <math.h>
#include <string.h>

#include "collide/find.h"
#include "collide/rest.h"
#include "collide/stale.h"
#include "reduced/spatial.h"

/* ---- memory ---- */

AfxStatus afxi_reduced_touch_attach(AfxiReduced *work, AfxiCollide *collide) {
    AfxiReducedTouch *touch = &work->touch;
    size_t bodies = work->model->body_count, dofs = work->tree.dof_count;
    touch->collide = collide;
    if (!collide) {
        return AFX_OK;
    }
    touch->numbers_size = (4 * AFXI_AFFINE_WIDTH * bodies + dofs + 1) * sizeof(double);
    touch->marks_size = bodies + 1;
    touch->path_size = (dofs + work->tree.carried_count + 1) * sizeof(uint32_t);
    touch->v = afxi_allocate(&work->allocator, touch->numbers_size);
    touch->touched = afxi_allocate(&work->allocator, touch->marks_size);
    touch->path = afxi_allocate(&work->allocator, touch->path_size);
    if (!touch->v || !touch->touched || !touch->path) {
        return AFX_E_MEMORY; /* the sim is destroyed, and this with it */
    }
    touch->frame = touch->v + AFXI_AFFINE_WIDTH * bodies;
    touch->kept = touch->frame + AFXI_AFFINE_WIDTH * bodies;
    touch->gradient = touch->kept + 2 * AFXI_AFFINE_WIDTH * bodies;
    touch->body = touch->path + dofs;
    for (uint32_t k = 0; k < work->model->dynamic_count; k++) {
        collide->warm[work->model->dynamic[k]] = true; /* where bodies are expected is said in `result` */
    }
    return AFX_OK;
}

void afxi_reduced_touch_release(AfxiReduced *work) {
    AfxiReducedTouch *touch = &work->touch;
    afxi_release(&work->allocator, touch->v, touch->numbers_size);
    afxi_release(&work->allocator, touch->touched, touch->marks_size);
    afxi_release(&work->allocator, touch->path, touch->path_size);
    afxi_release(&work->allocator, touch->told.point, touch->told.capacity * sizeof *touch->told.point);
    afxi_release(&work->allocator, touch->point, touch->point_capacity * sizeof *touch->point);
    afxi_release(&work->allocator, touch->index, touch->index_capacity * sizeof *touch->index);
    afxi_joined_release(&work->allocator, &touch->joined);
}

static void exchange_told(AfxiReduced *work) {
    AfxiPointList now = afxi_touch_set(work)->now;
    afxi_touch_set(work)->now = work->touch.told;
    work->touch.told = now;
}

void afxi_reduced_touch_keep(AfxiReduced *work) {
    if (work->touch.collide) {
        exchange_told(work);
        afxi_touch_set(work)->now.count = 0;
        work->touch.rough = work->touch.dropped = false;
        work->touch.unseen = 0;
    }
}

void afxi_reduced_touch_bring_back(AfxiReduced *work) {
    if (work->touch.collide) {
        exchange_told(work);
    }
}

/* ---- points ---- */

bool afxi_reduced_touch_any(const AfxiReduced *work) {
    return work->touch.collide && work->touch.active.count > 0;
}

bool afxi_reduced_touch_expected(const AfxiReduced *work) {
    bool any = false;
    for (uint32_t k = 0; work->touch.collide && k < afxi_touch_set(work)->now.count; k++) {
        any = any || afxi_touch_set(work)->now.point[k].active;
    }
    return any;
}

bool afxi_reduced_touch_struck(const AfxiReduced *work) {
    bool any = false;
    for (uint32_t k = 0; work->touch.collide && k < afxi_touch_set(work)->now.count; k++) {
        any = any || afxi_touch_set(work)->now.point[k].impact;
    }
    return any;
}

/* Where bodies are if nothing changes their velocities. */
static void expect(AfxiReduced *work, double h) {
    afxi_tree_move(&work->tree, work->q, work->u, h, work->stage_q);
    afxi_tree_pose(&work->work, work->stage_q);
    afxi_tree_velocity(&work->work, work->u);
    afxi_tree_to_raw(&work->work, work->stage_q, work->u, work->touch.collide->result, work->touch.v);
}

static void set_plans(AfxiReduced *work, double h) {
    AfxiStagePlan plan = afxi_integrator_plan_reduced(AFX_BDF1, h, 0);
    AfxiPlanFamily family = {plan, plan, plan, plan};
    work->touch.plans = (AfxiPlans){.own = family, .turning = family, .step = h, .restarting = work->touch.starting};
}

static void list_body(AfxiReduced *work, uint32_t body) {
    AfxiReducedTouch *touch = &work->touch;
    uint32_t place = work->tree.place[body];
    if (place != AFXI_TREE_NONE && !touch->touched[body]) {
        touch->touched[body] = 1;
        touch->body[touch->body_count++] = place;
    }
}

/* Bodies with points, and what moves of the others by itself. */
static void list_points(AfxiReduced *work, double h) {
    AfxiReducedTouch *touch = &work->touch;
    AfxiContactSet *set = afxi_touch_set(work);
    for (uint32_t k = 0; k < touch->body_count; k++) {
        touch->touched[work->tree.carried[touch->body[k]].body] = 0;
    }
    touch->body_count = 0;
    for (uint32_t k = 0; k < set->now.count; k++) {
        AfxiPoint *point = &set->now.point[k];
        AfxiReducedPoint *own = &touch->point[k];
        touch->index[k] = k;
        list_body(work, point->body_a);
        *own = (AfxiReducedPoint){{0, 0, 0}, {0, 0, 0}};
        if (point->pair) {
            list_body(work, point->body_b);
        } else {
            AfxVec3 turn, moved = afxi_point_carried(set, point, &turn);
            own->velocity = vec3_scale(1 / h, moved);
            own->turning = vec3_scale(1 / h, turn);
        }
    }
}

static void set_rests(AfxiReduced *work) {
    const AfxiPointList *now = &afxi_touch_set(work)->now;
    for (uint32_t begin = 0, end; begin < now->count; begin = end) {
        const AfxiPointMemory *first = &now->point[begin].memory;
        for (end = begin; end < now->count && now->point[end].memory.item_a == first->item_a &&
                          now->point[end].memory.item_b == first->item_b;) {
            end++;
        }
        afxi_collide_rests(work->touch.collide, begin, end);
    }
}

/* Ways to the root, with those joined that points between bodies couple. */
static AfxStatus join(AfxiReduced *work) {
    AfxiReducedTouch *touch = &work->touch;
    const AfxiPointList *now = &afxi_touch_set(work)->now;
    AfxStatus status = now->count ? afxi_joined_begin(&work->tree, &touch->joined) : AFX_OK;
    for (uint32_t k = 0; status == AFX_OK && k < now->count; k++) {
        const AfxiPoint *point = &now->point[k];
        if (point->pair) {
            afxi_joined_add(&touch->joined, afxi_reduced_touch_dof(work, point->body_a),
                            afxi_reduced_touch_dof(work, point->body_b));
        }
    }
    return status == AFX_OK && now->count ? afxi_joined_finish(&work->tree, &touch->joined) : status;
}

AfxStatus afxi_reduced_touch_find(AfxiReduced *work, double h, bool again) {
    AfxiReducedTouch *touch = &work->touch;
    AfxiContactSet *set = afxi_touch_set(work);
    if (!again) {
        expect(work, h);
        set_plans(work, h);
        afxi_collide_deform(touch->collide, afxi_state_time(&work->world->state) + h);
    }
    AfxStatus status = afxi_collide_find(touch->collide, &touch->plans, NULL, again);
    status = status ? status : afxi_contacts_place_rows(set);
    status = status ? status
                    : afxi_array_reserve(&work->allocator, (void **)&touch->point, &touch->point_capacity,
                                         set->now.count, sizeof *touch->point);
    status = status ? status
                    : afxi_array_reserve(&work->allocator, (void **)&touch->index, &touch->index_capacity,
                                         set->now.count, sizeof *touch->index);
    touch->active = (AfxiActiveSet){.count = 0};
    status = status ? status : join(work);
    if (status != AFX_OK) {
        return status;
    }
    touch->dropped = touch->dropped || set->dropped > 0;
    touch->length = h;
    list_points(work, h);
    set_rests(work);
    touch->active = (AfxiActiveSet){.point = touch->index, .count = set->now.count, .next = touch->collide->result};
    return AFX_OK;
}

/* ---- after the iterations ---- */

static const double *result_of(const AfxiReduced *work, uint32_t body) {
    bool moves = work->model->kind[body] == AFX_BODY_DYNAMIC;
    return afxi_touch_raw(moves ? work->touch.collide->result : work->world->state.q, body);
}

AfxiFit afxi_reduced_touch_fit(AfxiReduced *work) {
    AfxiCollide *collide = work->touch.collide;
    const AfxiContactSet *set = afxi_touch_set(work);
    uint32_t count, first = 0, end = 0;
    AfxiFit worst = AFXI_FIT;
    afxi_tree_to_raw(&work->work, work->q, work->u, collide->result, work->touch.v);
    const AfxiPair *pair = afxi_clusters_pairs(collide->clusters, &count);
    collide->unseen = 0;
    for (uint32_t k = 0; k < count; k++, first = end) {
        uint32_t a = work->model->contacts.shapes[pair[k].a].body, b = work->model->contacts.shapes[pair[k].b].body;
        double tolerance = 1e-9 * collide->extent[work->model->kind[a] == AFX_BODY_DYNAMIC ? a : b];
        while (end < set->now.count && set->now.point[end].memory.item_a == pair[k].a &&
               set->now.point[end].memory.item_b == pair[k].b) {
            tolerance = set->now.point[end++].tolerance;
        }
        AfxiSolvedPair solved = afxi_solved_pair(set, first, end, tolerance);
        AfxiFit fit =
            afxi_collide_fit(collide, &pair[k], &solved, result_of(work, a), result_of(work, b), work->world->state.q);
        worst = fit > worst ? fit : worst;
    }
    work->touch.unseen = collide->unseen;
    return worst;
}

bool afxi_reduced_touch_clear(AfxiReduced *work) {
    AfxiReducedTouch *touch = &work->touch;
    bool clear = true;
    afxi_tree_pose(&work->work, work->q);
    afxi_tree_velocity(&work->work, work->u);
    afxi_reduced_touch_place(work, touch->length);
    for (uint32_t k = 0; k < touch->active.count; k++) {
        AfxiPoint *point = &afxi_touch_set(work)->now.point[k];
        afxi_point_measure(afxi_touch_set(work), point, afxi_touch_raw(touch->collide->result, point->body_a),
                           point->pair ? afxi_touch_raw(touch->collide->result, point->body_b) : NULL, &point->tried);
        point->gap = point->tried.gap - point->rest;
        clear = clear && point->tried.gap >= 0;
    }
    return clear && afxi_reduced_touch_fit(work) == AFXI_FIT;
}

void afxi_reduced_touch_finish(AfxiReduced *work, AfxStepReport *report) {
    if (work->touch.collide) {
        report->depth = fmax(afxi_contacts_finish(afxi_touch_set(work)), work->touch.unseen);
        report->contacts = afxi_touch_set(work)->past_count;
        report->flags |= work->touch.rough ? AFX_STEP_CONTACT_ROUGH : 0;
        report->flags |= work->touch.dropped ? AFX_STEP_CONTACT_DROPPED : 0;
    }
}
