/* SPDX-License-Identifier: Apache-2.0 */
/* The workspace: lists, plans of elimination, and memory, laid out twice as everywhere. */
#include "conserve/make.h"

#include <string.h>

#include "conserve/list.h"
#include "sparse/factor.h"
#include "sparse/plan.h"
#include "sparse/values.h"

/* ---- plans ---- */

/* Every body is a clique of the blocks that touch it. */
static AfxStatus plan_component(AfxiConserve *work, AfxiConserveComponent *component, AfxiConserveDraft *draft) {
    uint32_t members = 0;
    for (uint32_t b = 0; b < component->block_count; b++) {
        draft->size[b] = work->blocks[component->first_block + b].row_count;
    }
    for (uint32_t k = 0; k < component->body_count; k++) {
        const AfxiConserveBody *body = &work->bodies[component->first_body + k];
        draft->clique[k] = members;
        for (uint32_t e = 0; e < body->entry_count; e++) {
            draft->member[members++] =
                work->entries[work->body_entry[body->first_entry + e]].block - component->first_block;
        }
    }
    draft->clique[component->body_count] = members;
    AfxiBlockGraph graph = {
        .count = component->block_count,
        .size = draft->size,
        .clique_count = component->body_count,
        .clique_start = draft->clique,
        .member = draft->member,
        .order = AFXI_ORDER_AUTO,
    };
    return afxi_block_plan_create(&work->allocator, &graph, &component->plan);
}

static void find_spots(AfxiConserve *work, const AfxiConserveComponent *component) {
    for (uint32_t b = 0; b < component->block_count; b++) {
        afxi_block_spot(&component->plan, b, b, &work->diagonals[component->first_block + b]);
    }
    for (uint32_t k = component->first_body; k < component->first_body + component->body_count; k++) {
        const AfxiConserveBody *body = &work->bodies[k];
        AfxiBlockSpot *spot = work->spots + body->first_spot;
        for (uint32_t a = 0; a < body->entry_count; a++) {
            uint32_t i = work->entries[work->body_entry[body->first_entry + a]].block - component->first_block;
            for (uint32_t b = 0; b <= a; b++) {
                uint32_t j = work->entries[work->body_entry[body->first_entry + b]].block - component->first_block;
                afxi_block_spot(&component->plan, i, j, spot++);
            }
        }
    }
}

/* ---- memory ---- */

static size_t spot_count(const AfxiConserve *work) {
    size_t sum = 0;
    for (uint32_t k = 0; k < work->body_count; k++) {
        sum += (size_t)work->bodies[k].entry_count * (work->bodies[k].entry_count + 1) / 2;
    }
    return sum;
}

static void layout_draft(const AfxiConserve *work, AfxiConserveDraft *draft, AfxiArena *arena) {
    const AfxModel *model = work->model;
    uint32_t sources = afxi_conserve_source_count(model);
    size_t members = (size_t)work->entry_count > sources ? work->entry_count : sources;
    draft->component = afxi_arena_take(arena, model->body_count, sizeof *draft->component);
    draft->lambda = afxi_arena_take(arena, (size_t)model->coupling_count + model->spring_count, sizeof *draft->lambda);
    draft->next = afxi_arena_take(arena, (size_t)model->dynamic_count + 1, sizeof *draft->next);
    draft->size = afxi_arena_take(arena, sources, sizeof *draft->size);
    draft->clique = afxi_arena_take(arena, (size_t)model->dynamic_count + 1, sizeof *draft->clique);
    draft->member = afxi_arena_take(arena, members, sizeof *draft->member);
}

static void layout_structure(AfxiConserve *work, AfxiArena *arena) {
    const AfxModel *model = work->model;
    work->components = afxi_arena_take(arena, work->component_count, sizeof *work->components);
    work->bodies = afxi_arena_take(arena, work->body_count, sizeof *work->bodies);
    work->kept_bodies = afxi_arena_take(arena, work->body_count, sizeof *work->kept_bodies);
    work->slot = afxi_arena_take(arena, model->body_count, sizeof *work->slot);
    work->blocks = afxi_arena_take(arena, work->block_count, sizeof *work->blocks);
    work->entries = afxi_arena_take(arena, work->entry_count, sizeof *work->entries);
    work->body_entry = afxi_arena_take(arena, work->entry_count, sizeof *work->body_entry);
    work->rows = afxi_arena_take(arena, work->row_count, sizeof *work->rows);
}

static size_t largest_component(const AfxiConserve *work) {
    size_t most = 0;
    for (uint32_t c = 0; c < work->component_count; c++) {
        const AfxiConserveComponent *component = &work->components[c];
        size_t size = AFXI_RIGID_WIDTH * (size_t)component->body_count + component->row_count;
        most = size > most ? size : most;
    }
    return most;
}

static void layout_numbers(AfxiConserve *work, AfxiArena *arena) {
    const AfxModel *model = work->model;
    size_t rows = work->row_count, six = AFXI_RIGID_WIDTH * (size_t)work->body_count, all = model->body_count;
    double **by_row[] = {&work->lambda,   &work->scale,   &work->diagonal,   &work->row_residual,
                         &work->row_step, &work->scratch, &work->kept_lambda};
    double **by_body[] = {&work->change, &work->body_residual, &work->body_step};
    double **by_place[] = {&work->place[0], &work->place[1], &work->rate, &work->acceleration};
    for (size_t k = 0; k < sizeof by_row / sizeof *by_row; k++) {
        *by_row[k] = afxi_arena_take(arena, rows, sizeof(double));
    }
    for (size_t k = 0; k < sizeof by_body / sizeof *by_body; k++) {
        *by_body[k] = afxi_arena_take(arena, six, sizeof(double));
    }
    for (size_t k = 0; k < sizeof by_place / sizeof *by_place; k++) {
        *by_place[k] = afxi_arena_take(arena, AFXI_AFFINE_WIDTH * all, sizeof(double));
    }
    for (uint32_t k = 0; k <= AFXI_CONSERVE_UPDATES_MOST; k++) {
        work->update[k] = afxi_arena_take(arena, largest_component(work), sizeof(double));
    }
    work->twist = afxi_arena_take(arena, AFXI_RIGID_WIDTH * all, sizeof(double));
    work->target[0] = afxi_arena_take(arena, 2 * (size_t)model->drive_count, sizeof(double));
    work->target[1] = afxi_arena_take(arena, 2 * (size_t)model->drive_count, sizeof(double));
    work->branch = afxi_arena_take(arena, model->drive_count, 1);
    work->branch_changes = afxi_arena_take(arena, model->drive_count, 1);
    work->branch_end = afxi_arena_take(arena, model->drive_count, 1);
    work->kept_branch = afxi_arena_take(arena, model->drive_count, 1);
    work->kept_angle = afxi_arena_take(arena, model->angle_count, sizeof *work->kept_angle);
    work->laws = afxi_arena_take(arena, rows, sizeof *work->laws);
    work->spring_compliance = afxi_arena_take(arena, 3 * rows, sizeof(double));
    work->gradient = afxi_arena_take(arena, work->gradient_count, sizeof(double));
    work->weighted = afxi_arena_take(arena, work->gradient_count, sizeof(double));
    work->spots = afxi_arena_take(arena, spot_count(work), sizeof *work->spots);
    work->diagonals = afxi_arena_take(arena, work->block_count, sizeof *work->diagonals);
    for (uint32_t c = 0; c < work->component_count; c++) {
        AfxiConserveComponent *component = &work->components[c];
        if (component->row_count) {
            afxi_block_take(&component->factor, arena, &component->plan);
        }
    }
}

static AfxStatus take(const AfxiConserve *work, AfxiArena *arena, void **raw, size_t *raw_size) {
    if (arena->overflow) {
        return AFX_E_LIMIT;
    }
    arena->base = afxi_allocate_aligned(&work->allocator, arena->used ? arena->used : 1, raw, raw_size);
    arena->used = 0;
    return arena->base ? AFX_OK : AFX_E_MEMORY;
}

static AfxStatus make_structure(AfxiConserve *work, AfxiConserveDraft *draft) {
    AfxiArena arena = {0};
    afxi_conserve_number(work, draft);
    layout_structure(work, &arena);
    AfxStatus status = take(work, &arena, &work->structure_raw, &work->structure_size);
    if (status != AFX_OK) {
        return status;
    }
    layout_structure(work, &arena);
    afxi_conserve_list(work, draft);
    for (uint32_t c = 0; status == AFX_OK && c < work->component_count; c++) {
        status = work->components[c].row_count ? plan_component(work, &work->components[c], draft) : AFX_OK;
        work->planned = c + (status == AFX_OK);
    }
    return status;
}

AfxStatus afxi_conserve_make(AfxiConserve *work) {
    AfxiArena arena = {0};
    AfxiConserveDraft draft = {0};
    afxi_conserve_count(work);
    layout_draft(work, &draft, &arena);
    AfxStatus status = take(work, &arena, &draft.raw, &draft.raw_size);
    if (status == AFX_OK) {
        layout_draft(work, &draft, &arena);
        status = make_structure(work, &draft);
    }
    afxi_release(&work->allocator, draft.raw, draft.raw_size);
    if (status != AFX_OK) {
        return status;
    }
    arena = (AfxiArena){0};
    layout_numbers(work, &arena);
    status = take(work, &arena, &work->raw, &work->raw_size);
    if (status == AFX_OK) {
        layout_numbers(work, &arena);
        for (uint32_t c = 0; c < work->component_count; c++) {
            if (work->components[c].row_count) {
                find_spots(work, &work->components[c]);
            }
        }
    }
    return status;
}

void afxi_conserve_release(AfxiConserve *work) {
    for (uint32_t c = 0; c < work->planned; c++) {
        if (work->components[c].row_count) {
            afxi_block_plan_destroy(&work->components[c].plan);
        }
    }
    afxi_release(&work->allocator, work->raw, work->raw_size);
    afxi_release(&work->allocator, work->structure_raw, work->structure_size);
}
