/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows hold exactly, along which forces act, and memory for all of it. */
#include "reduced/make.h"

/* ---- rows ---- */

/* Adds a row to a list, or only counts it. */
static void add(AfxiReducedRow *list, uint32_t *count, AfxiReducedRow row) {
    if (list) {
        list[*count] = row;
    }
    (*count)++;
}

static AfxiReducedRow row_of(AfxiReducedSource source, uint32_t index, uint32_t place) {
    return (AfxiReducedRow){
        .source = source, .index = index, .place = place, .dof = AFXI_TREE_NONE, .factor = 1, .sign = 1};
}

static void list_joints(AfxiReduced *work) {
    const AfxModel *model = work->model;
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const AfxiJoint *joint = &model->joints[k];
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)joint->kind);
        bool wheel = false;
        for (uint32_t w = 0; w < work->tree.flywheel_count; w++) {
            wheel = wheel || work->tree.flywheel[w].joint == k;
        }
        if (work->tree.joint[k].branch || wheel || !joint->active) {
            continue;
        }
        for (uint32_t r = 0; r < kind->row_count; r++) {
            AfxiReducedRow row = row_of(AFXI_REDUCED_LOOP, k, joint->row == UINT32_MAX ? UINT32_MAX : joint->row + r);
            row.part = r;
            row.sign = joint->reversed ? -1 : 1;
            add(work->exact, &work->exact_count, row);
        }
        if (joint->kind == AFX_JOINT_SCREW) {
            uint32_t place = joint->row == UINT32_MAX ? UINT32_MAX : joint->row + kind->row_count;
            add(work->exact, &work->exact_count, row_of(AFXI_REDUCED_SCREW, k, place));
        }
    }
}

static void list_drives(AfxiReduced *work) {
    for (uint32_t k = 0; k < work->model->drive_count; k++) {
        const AfxiDrive *drive = &work->model->drives[k];
        AfxiReducedRow row = row_of(AFXI_REDUCED_DRIVE, k, drive->row);
        const AfxiTreeJoint *entry = &work->tree.joint[drive->joint];
        if (!work->model->joints[drive->joint].active) {
            continue;
        }
        if (drive->axis < AFXI_JOINT_AXES_MOST && entry->dof[drive->axis] != AFXI_TREE_NONE) {
            row.dof = entry->dof[drive->axis];
            row.factor = entry->factor[drive->axis];
        }
        if (afxi_law_exact((AfxDriveKind)drive->kind)) {
            add(work->exact, &work->exact_count, row);
        } else {
            add(work->force, &work->force_count, row);
        }
    }
}

static void list_rest(AfxiReduced *work) {
    const AfxModel *model = work->model;
    for (uint32_t k = 0; k < model->coupling_count; k++) {
        bool exact = model->params[model->param_offset[AFX_PARAM_COUPLING] + (size_t)(AFX_COUPLING_TERMS + 2) * k +
                                   AFX_COUPLING_TERMS + 1] == 0;
        if (!work->tree.coupling_folded[k]) {
            add(exact ? work->exact : work->force, exact ? &work->exact_count : &work->force_count,
                row_of(AFXI_REDUCED_COUPLING, k, UINT32_MAX));
        }
    }
    for (uint32_t k = 0; k < model->spring_count; k++) {
        add(work->force, &work->force_count, row_of(AFXI_REDUCED_SPRING, k, model->springs[k].row));
    }
}

static void list_rows(AfxiReduced *work) {
    work->exact_count = work->force_count = work->ball_count = 0;
    list_joints(work);
    list_drives(work);
    list_rest(work);
    for (uint32_t k = 0; k < work->model->rotational_spring_count; k++) {
        if (work->ball) {
            work->ball[work->ball_count] = work->model->rotational_spring_joint[k];
        }
        work->ball_count++;
    }
}

/* ---- memory ---- */

static void layout(AfxiReduced *work, AfxiArena *arena) {
    size_t n = work->tree.dof_count, c = work->tree.coordinate_count, m = work->exact_count;
    work->exact = afxi_arena_take(arena, m, sizeof *work->exact);
    work->force = afxi_arena_take(arena, work->force_count, sizeof *work->force);
    work->ball = afxi_arena_take(arena, work->ball_count, sizeof *work->ball);
    double **by_dof[] = {&work->u, &work->du, &work->bias, &work->tau, &work->row, &work->force_gradient};
    for (size_t k = 0; k < sizeof by_dof / sizeof *by_dof; k++) {
        *by_dof[k] = afxi_arena_take(arena, n, sizeof(double));
    }
    work->q = afxi_arena_take(arena, c, sizeof(double));
    work->stage_q = afxi_arena_take(arena, c, sizeof(double));
    for (int s = 0; s < 4; s++) {
        work->place[s] = afxi_arena_take(arena, c, sizeof(double));
        work->stage_u[s] = afxi_arena_take(arena, n, sizeof(double));
        work->stage_du[s] = afxi_arena_take(arena, n, sizeof(double));
    }
    work->mass = afxi_arena_take(arena, n * n, sizeof(double));
    work->gradient = afxi_arena_take(arena, m * n, sizeof(double));
    work->half = afxi_arena_take(arena, m * n, sizeof(double));
    work->schur = afxi_arena_take(arena, m * m, sizeof(double));
    work->side = afxi_arena_take(arena, m, sizeof(double));
    work->lambda = afxi_arena_take(arena, m, sizeof(double));
    work->rest = afxi_arena_take(arena, m, sizeof(double));
    work->measure = afxi_arena_take(arena, m, sizeof *work->measure);
    work->external = afxi_arena_take(arena, work->tree.node_count, sizeof *work->external);
    work->told = afxi_arena_take(arena, work->model->row_count + 3 * (size_t)work->model->joint_count, sizeof(double));
    work->wrench = afxi_arena_take(arena, work->tree.carried_count, sizeof *work->wrench);
}

AfxStatus afxi_reduced_make(AfxiReduced *work) {
    const AfxModel *model = work->model;
    size_t bytes = model->joint_count + 1;
    uint8_t *active = afxi_allocate(&work->allocator, bytes);
    if (!active) {
        return AFX_E_MEMORY;
    }
    for (uint32_t k = 0; k < model->joint_count; k++) {
        active[k] = model->joints[k].active;
    }
    AfxStatus status = afxi_tree_create(model, active, &work->allocator, &work->tree);
    afxi_release(&work->allocator, active, bytes);
    status = status ? status : work->tree.dof_count > AFXI_REDUCED_DOFS_MOST ? AFX_E_LIMIT : AFX_OK;
    status = status ? status : afxi_tree_work_create(&work->tree, &work->work);
    if (status != AFX_OK) {
        return status;
    }
    AfxiArena arena = {0};
    list_rows(work);
    layout(work, &arena);
    if (arena.overflow) {
        return AFX_E_LIMIT;
    }
    arena.base = afxi_allocate_aligned(&work->allocator, arena.used + AFXI_ALIGNMENT, &work->raw, &work->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    layout(work, &arena);
    list_rows(work);
    return AFX_OK;
}

void afxi_reduced_release(AfxiReduced *work) {
    if (work->raw) {
        afxi_release(&work->allocator, work->raw, work->raw_size);
    }
    afxi_tree_work_destroy(&work->work);
    afxi_tree_destroy(&work->tree);
}
