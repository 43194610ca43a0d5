/* SPDX-License-Identifier: Apache-2.0 */
/* The passes over groups of joints. */
#include "constraint/groups.h"

#include <math.h>
#include <string.h>

#include "base/task.h"
#include "constraint/rows.h"
#include "math/variant.h"

AFXI_BUILDS(const AfxiGroupKernel, afxi_group);

const AfxiGroupKernel *afxi_group_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_group, lanes);
}

const double *afxi_frames_pack(AfxiFramePacker *packer, const AfxiJointFrame *const frame[AFXI_GROUP_LANES]) {
    if (!packer->packed || memcmp(packer->last, frame, sizeof packer->last) != 0) {
        memcpy(packer->last, frame, sizeof packer->last);
        packer->kernel->pack(frame, packer->next);
        packer->packed = packer->next;
        packer->next += AFXI_GROUP_LANES * AFXI_FRAME_NUMBERS;
    }
    return packer->packed;
}

size_t afxi_frames_size(const AfxModel *model, uint32_t groups) {
    uint32_t different = model->joint_frames.count == 1 && groups ? 1 : groups;
    return (size_t)(AFXI_GROUP_LANES * AFXI_FRAME_NUMBERS) * different;
}

/* Groups to go through: all, or those that closed forms leave. */
static uint32_t groups_left(const AfxiRows *rows) {
    return rows->closed_form ? rows->groups.general_count : rows->groups.count;
}

typedef struct Pass {
    const AfxiRows *rows;
    AfxiGroupPass *pass;
    const double *lambda; /* of the stiffness, which `pass` is not of */
    uint32_t first;
    bool exact;
} Pass;

static void run_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const Pass *pass = context;
    (void)part;
    if (pass->pass) {
        pass->pass(pass->rows, pass->first + begin, pass->first + end);
    } else {
        pass->rows->groups.kernel->stiffness(pass->rows, pass->lambda, pass->exact, pass->first + begin,
                                             pass->first + end);
    }
}

static void run_all(Pass pass, uint32_t end) {
    const AfxSimDef *def = &pass.rows->world->def;
    afxi_parallel_for(&def->tasks, def->threads, end - pass.first, AFXI_GRAIN / AFXI_GROUP_LANES, run_part, &pass);
}

static void run(const AfxiRows *rows, AfxiGroupPass *pass, uint32_t end) {
    run_all((Pass){.rows = rows, .pass = pass}, end);
}

/* Where bodies are that are not solved for, and their velocities. */
static void place_grounds(const AfxiRows *rows) {
    static const double world_q[AFXI_AFFINE_WIDTH] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, world_v[AFXI_AFFINE_WIDTH];
    const AfxiRowGroups *groups = &rows->groups;
    const AfxiState *state = &rows->world->state;
    for (size_t k = 0; k < groups->ground_count; k++) {
        uint32_t body = groups->ground[k];
        size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
        memcpy(groups->ground_q + AFXI_AFFINE_WIDTH * k, body == AFXI_WORLD ? world_q : state->q + at, sizeof world_q);
        memcpy(groups->ground_v + AFXI_AFFINE_WIDTH * k, body == AFXI_WORLD ? world_v : state->v + at, sizeof world_v);
    }
}

void afxi_groups_linearise(AfxiRows *rows) {
    place_grounds(rows);
    run(rows, rows->groups.kernel->linearise, groups_left(rows));
    rows->placed = rows->closed_form; /* till the next step begins otherwise (engine/closed_form.c) */
}

void afxi_groups_stiffness(const AfxiRows *rows, const double *lambda, bool exact) {
    const AfxiRowGroups *groups = &rows->groups;
    Pass pass = {.rows = rows, .lambda = lambda, .exact = exact};
    run_all(pass, groups->own_count);
    /* they add to the shares of their joints, in turn */
    groups->kernel->stiffness(rows, lambda, exact, groups->own_count, groups->general_count);
    pass.first = groups->general_count;
    if (!rows->closed_form) {
        run_all(pass, groups->count);
    }
}

double afxi_groups_residual(const AfxiRows *rows) {
    const AfxiRowGroups *groups = &rows->groups;
    double largest = 0;
    run(rows, groups->kernel->result, groups_left(rows));
    for (uint32_t k = 0; k < groups_left(rows); k++) {
        double own = groups->result[k].residual;
        largest = own > largest || isnan(own) ? own : largest;
    }
    return largest;
}

void afxi_groups_values(const AfxiRows *rows) {
    run(rows, rows->groups.kernel->values, groups_left(rows));
}

bool afxi_groups_consistent(const AfxiRows *rows) {
    bool flipped = false;
    for (uint32_t k = 0; k < groups_left(rows); k++) {
        flipped |= rows->groups.result[k].flipped;
    }
    return !flipped;
}
