/* SPDX-License-Identifier: Apache-2.0 */
/* Joints, couplings and springs tie moving bodies to each other; what stands still, or moves as told, ties nothing. */
#include "reduced/islands.h"

#include <string.h>

#include "base/forest.h"
#include "reduced/make.h"
#include "reduced/member.h"
#include "reduced/tuning.h"

static void tie(const AfxModel *model, uint32_t *up, uint32_t a, uint32_t b) {
    if (afxi_reduced_moves(model, a) && afxi_reduced_moves(model, b)) {
        afxi_forest_join(up, a, b);
    }
}

static void tie_all(const AfxModel *model, uint32_t *up) {
    for (uint32_t k = 0; k < model->body_count; k++) {
        up[k] = k;
    }
    for (uint32_t k = 0; k < model->joint_count; k++) {
        tie(model, up, model->joints[k].follower, model->joints[k].base);
    }
    for (uint32_t k = 0; k < model->spring_count; k++) {
        tie(model, up, model->springs[k].body_a, model->springs[k].body_b);
    }
    for (uint32_t k = 0; k < model->coupling_count; k++) {
        const AfxiCoupling *coupling = &model->couplings[k];
        uint32_t first = afxi_reduced_mover(model, afxi_reduced_coupled_joint(model, k));
        for (uint32_t t = 0; t < coupling->term_count; t++) {
            tie(model, up, first, afxi_reduced_mover(model, coupling->joint[t]));
        }
    }
    for (uint32_t k = 1; model->contacts.possible && k < model->dynamic_count; k++) {
        tie(model, up, model->dynamic[0], model->dynamic[k]);
    }
}

/* Numbers of islands in place of roots, in the order of their first bodies; how many there are. */
static uint32_t number(const AfxModel *model, uint32_t *up, uint32_t *out_of_body) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < model->body_count; k++) {
        out_of_body[k] = AFXI_TREE_NONE;
        if (afxi_reduced_moves(model, k)) {
            uint32_t root = afxi_forest_root(up, k);
            out_of_body[k] = root == k ? count++ : out_of_body[root];
        }
    }
    return count;
}

static void layout(AfxiReducedIslands *set, AfxiArena *arena) {
    const AfxModel *model = set->world->model;
    set->island = afxi_arena_take(arena, set->count, sizeof *set->island);
    set->of_joint = afxi_arena_take(arena, model->joint_count, sizeof *set->of_joint);
    set->bodies = afxi_arena_take(arena, (size_t)set->count * model->body_count, 1);
    set->joints = afxi_arena_take(arena, (size_t)set->count * model->joint_count, 1);
}

/* Marks what is of which island. Joints that tie nothing that moves are of the first. */
static void mark(AfxiReducedIslands *set, const uint32_t *of_body) {
    const AfxModel *model = set->world->model;
    memset(set->island, 0, set->count * sizeof *set->island);
    memset(set->bodies, 0, (size_t)set->count * model->body_count);
    memset(set->joints, 0, (size_t)set->count * model->joint_count);
    for (uint32_t k = 0; k < model->body_count; k++) {
        if (of_body[k] != AFXI_TREE_NONE) {
            set->bodies[(size_t)of_body[k] * model->body_count + k] = 1;
        }
    }
    for (uint32_t k = 0; k < model->joint_count; k++) {
        uint32_t body = afxi_reduced_mover(model, k);
        set->of_joint[k] = afxi_reduced_moves(model, body) ? of_body[body] : 0;
        set->joints[(size_t)set->of_joint[k] * model->joint_count + k] = 1;
    }
}

static AfxStatus make_islands(AfxiReducedIslands *set) {
    const AfxModel *model = set->world->model;
    AfxStatus status = AFX_OK;
    size_t at = 0;
    uint32_t dofs = 0;
    for (uint32_t k = 0; k < set->count && status == AFX_OK; k++) {
        AfxiReduced *work = &set->island[k];
        *work = (AfxiReduced){.allocator = set->allocator, .world = set->world, .model = model, .stale = true};
        work->member = set->bodies + (size_t)k * model->body_count;
        work->member_joint = set->joints + (size_t)k * model->joint_count;
        work->state_at = at;
        for (uint32_t d = 0; d < model->dynamic_count; d++) {
            work->body_count += work->member[model->dynamic[d]];
        }
        at += AFXI_REDUCED_STATE * (size_t)work->body_count + 2;
        status = afxi_reduced_make(work);
        dofs += status == AFX_OK ? work->tree.dof_count : 0;
        status = dofs > AFXI_REDUCED_DOFS_MOST ? AFX_E_LIMIT : status; /* each has room for all that the model has */
    }
    return status;
}

AfxStatus afxi_reduced_islands_make(AfxiReducedIslands *set, AfxiWorld *world) {
    const AfxModel *model = world->model;
    size_t bytes = (2 * (size_t)model->body_count + 1) * sizeof(uint32_t);
    uint32_t *up = afxi_allocate(&set->allocator, bytes), *of_body = up ? up + model->body_count : NULL;
    AfxiArena arena = {0};
    if (!up) {
        return AFX_E_MEMORY;
    }
    tie_all(model, up);
    set->world = world;
    set->count = number(model, up, of_body);
    set->count = set->count ? set->count : 1; /* nothing moves: there is a step all the same */
    layout(set, &arena);
    AfxStatus status = arena.overflow || set->count > AFXI_REDUCED_DOFS_MOST ? AFX_E_LIMIT : AFX_OK;
    if (status == AFX_OK) {
        arena.base = afxi_allocate_aligned(&set->allocator, arena.used + AFXI_ALIGNMENT, &set->raw, &set->raw_size);
        status = arena.base ? AFX_OK : AFX_E_MEMORY;
    }
    if (status == AFX_OK) {
        arena.used = 0;
        layout(set, &arena);
        mark(set, of_body);
    } else {
        set->count = 0;
    }
    afxi_release(&set->allocator, up, bytes);
    return status ? status : make_islands(set);
}

void afxi_reduced_islands_release(AfxiReducedIslands *set) {
    for (uint32_t k = 0; k < set->count; k++) {
        if (set->island[k].world) {
            afxi_reduced_release(&set->island[k]);
        }
    }
    if (set->raw) {
        afxi_release(&set->allocator, set->raw, set->raw_size);
    }
}
