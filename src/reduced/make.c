/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows hold exactly, along which forces act, and memory for all of it. */
#include "reduced/make.h"

#include "reduced/lanes.h"
#include "reduced/member.h"
#include "reduced/touch.h"

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

/* Whether a joint or body is of the island. */
static bool has_joint(const AfxiReduced *work, uint32_t joint) {
    return !work->member_joint || work->member_joint[joint];
}

static bool has_body(const AfxiReduced *work, uint32_t body) {
    return !work->member || (body != AFXI_WORLD && work->member[body]);
}

/* Joints that close loops, as `active` [joints] says; NULL: as in the model. */
static void list_joints(AfxiReduced *work, const uint8_t *active) {
    const AfxModel *model = work->model;
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const AfxiJoint *joint = &model->joints[k];
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)joint->kind);
        bool wheel = false;
        for (uint32_t w = 0; w < work->tree.flywheel_count; w++) {
            wheel = wheel || work->tree.flywheel[w].joint == k;
        }
        if (work->tree.joint[k].branch || wheel || !has_joint(work, k) || !(active ? active[k] : joint->active)) {
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
        if (!work->model->joints[drive->joint].active || !has_joint(work, drive->joint)) {
            continue;
        }
        if (drive->axis < AFXI_JOINT_AXES_MOST && entry->dof[drive->axis] != AFXI_TREE_NONE) {
            row.dof = entry->dof[drive->axis];
            row.coordinate = afxi_tree_coordinate(&work->tree, row.dof);
        }
        if (afxi_law_exact((AfxDriveKind)drive->kind)) {
            add(work->exact, &work->exact_count, row);
        } else if (drive->kind == AFX_DRIVE_LIMIT || drive->kind == AFX_DRIVE_FRICTION) {
            add(work->held, &work->held_count, row);
        } else {
            add(work->force, &work->force_count, row);
            work->along_count += row.dof == AFXI_TREE_NONE;
        }
    }
}

/* Couplings, or those of joints that users see. */
static void list_couplings(AfxiReduced *work, bool all) {
    const AfxModel *model = work->model;
    work->along_count += model->coupling_count + model->spring_count;
    for (uint32_t k = 0; k < model->coupling_count; k++) {
        bool exact = model->params[model->param_offset[AFX_PARAM_COUPLING] + (size_t)(AFX_COUPLING_TERMS + 2) * k +
                                   AFX_COUPLING_TERMS + 1] == 0;
        bool seen = true, own = has_joint(work, afxi_reduced_coupled_joint(model, k));
        for (uint32_t t = 0; t < model->couplings[k].term_count; t++) {
            seen = seen && model->couplings[k].joint[t] < model->shown.joints;
        }
        if (own && !work->tree.coupling_folded[k] && (all || seen)) {
            add(exact ? work->exact : work->force, exact ? &work->exact_count : &work->force_count,
                row_of(AFXI_REDUCED_COUPLING, k, UINT32_MAX));
        }
    }
}

static void list_springs(AfxiReduced *work) {
    for (uint32_t k = 0; k < work->model->spring_count; k++) {
        if (has_body(work, work->model->springs[k].body_a) || has_body(work, work->model->springs[k].body_b)) {
            add(work->force, &work->force_count, row_of(AFXI_REDUCED_SPRING, k, work->model->springs[k].row));
        }
    }
}

/* Whether a row goes by a coordinate that is none of the tree's. */
static bool is_curved(const AfxiReduced *work, const AfxiReducedRow *row) {
    const AfxModel *model = work->model;
    if (row->source == AFXI_REDUCED_COUPLING) {
        const AfxiCoupling *coupling = &model->couplings[row->index];
        bool any = false;
        for (uint32_t t = 0; t < coupling->term_count; t++) {
            uint32_t axis = coupling->axis[t];
            any =
                any || axis >= AFXI_JOINT_AXES_MOST || work->tree.joint[coupling->joint[t]].dof[axis] == AFXI_TREE_NONE;
        }
        return any;
    }
    return row->source == AFXI_REDUCED_SCREW || (row->source == AFXI_REDUCED_DRIVE && row->dof == AFXI_TREE_NONE);
}

static void set_bends(AfxiReduced *work) {
    work->straight = work->ball_count == 0;
    for (uint32_t k = 0; work->exact && k < work->exact_count; k++) {
        work->exact[k].bends = is_curved(work, &work->exact[k]);
        work->bends = work->bends || work->exact[k].bends;
        work->straight = work->straight && work->exact[k].source != AFXI_REDUCED_LOOP && !work->exact[k].bends;
    }
    for (uint32_t k = 0; work->force && k < work->force_count; k++) {
        work->straight = work->straight && work->force[k].dof != AFXI_TREE_NONE;
    }
}

void afxi_reduced_list_closing(AfxiReduced *work, const uint8_t *active) {
    work->exact_count = work->force_count = 0;
    list_joints(work, active);
    list_couplings(work, false);
    set_bends(work);
}

static void list_rows(AfxiReduced *work) {
    work->exact_count = work->force_count = work->held_count = work->ball_count = work->along_count = 0;
    list_joints(work, NULL);
    list_drives(work);
    list_couplings(work, true);
    list_springs(work);
    for (uint32_t k = 0; k < work->model->rotational_spring_count; k++) {
        uint32_t joint = work->model->rotational_spring_joint[k];
        if (work->ball && has_joint(work, joint)) {
            work->ball[work->ball_count] = joint;
        }
        work->ball_count += has_joint(work, joint);
    }
}

/* The limit of the same coordinate. */
static uint32_t limit_of(const AfxiReduced *work, const AfxiReducedRow *row) {
    const AfxiDrive *drives = work->model->drives;
    for (uint32_t k = 0; k < work->held_count; k++) {
        const AfxiDrive *other = &drives[work->held[k].index];
        if (other->kind == AFX_DRIVE_LIMIT && work->held[k].dof == row->dof) {
            return k;
        }
    }
    return AFXI_TREE_NONE;
}

/* ---- angles of the state ---- */

static void list_joint_angles(AfxiReduced *work, uint32_t index, const AfxiFlywheel *wheel) {
    const AfxiJoint *joint = &work->model->joints[index];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)joint->kind);
    const AfxiTreeJoint *entry = &work->tree.joint[index];
    if (afxi_axis_places(kind) > kind->axis_count || (!entry->branch && !wheel)) {
        work->angles_left = true; /* balls, and joints that close loops */
        return;
    }
    for (uint32_t axis = 0; axis < kind->axis_count; axis++) {
        uint32_t dof = wheel ? wheel->dof : entry->dof[axis];
        if (work->angle) {
            work->angle[work->angle_count] = (AfxiReducedAngle){
                .place = joint->angle + afxi_axis_place(kind, axis),
                .coordinate = afxi_tree_coordinate(&work->tree, dof),
                .scale = wheel ? wheel->ratio : entry->factor[axis],
                .offset = wheel ? wheel->offset : 0,
            };
        }
        work->angle_count++;
    }
}

void afxi_reduced_list_angles(AfxiReduced *work) {
    work->angle_count = 0;
    work->angles_left = false;
    for (uint32_t k = 0; k < work->model->joint_count; k++) {
        const AfxiFlywheel *wheel = NULL;
        for (uint32_t w = 0; w < work->tree.flywheel_count; w++) {
            wheel = work->tree.flywheel[w].joint == k ? &work->tree.flywheel[w] : wheel;
        }
        if (has_joint(work, k) && work->model->joints[k].counted &&
            afxi_joint_kind((AfxJointKind)work->model->joints[k].kind)->axis_count) {
            list_joint_angles(work, k, wheel);
        }
    }
}

/* ---- memory ---- */

/* The most rows that a solve has: forces along coordinates of the tree are none. */
static size_t rows_most(const AfxiReduced *work) {
    return (size_t)work->exact_count + work->held_count + work->along_count;
}

static void layout(AfxiReduced *work, AfxiArena *arena) {
    size_t n = work->tree.dof_count, c = work->tree.coordinate_count, m = rows_most(work);
    work->exact = afxi_arena_take(arena, work->exact_count, sizeof *work->exact);
    work->held = afxi_arena_take(arena, work->held_count, sizeof *work->held);
    work->active = afxi_arena_take(arena, m, sizeof *work->active);
    work->compliance = afxi_arena_take(arena, m, sizeof(double));
    work->force = afxi_arena_take(arena, work->force_count, sizeof *work->force);
    work->ball = afxi_arena_take(arena, work->ball_count, sizeof *work->ball);
    work->angle = afxi_arena_take(arena, work->angle_count, sizeof *work->angle);
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
    work->mass = afxi_arena_take(arena, afxi_tree_rows_size(&work->tree), sizeof(double));
    work->rows.row = afxi_arena_take(arena, n + 1, sizeof *work->rows.row);
    work->rows.above = afxi_arena_take(arena, afxi_tree_rows_size(&work->tree), sizeof *work->rows.above);
    work->rows.run = afxi_arena_take(arena, n, sizeof *work->rows.run);
    work->gradient = afxi_arena_take(arena, m * n, sizeof(double));
    work->half = afxi_arena_take(arena, m * n, sizeof(double));
    work->schur = afxi_arena_take(arena, m * m, sizeof(double));
    work->side = afxi_arena_take(arena, m, sizeof(double));
    work->slip = afxi_arena_take(arena, m, sizeof(double));
    work->lambda = afxi_arena_take(arena, m, sizeof(double));
    work->rest = afxi_arena_take(arena, m, sizeof(double));
    work->measure = afxi_arena_take(arena, m, sizeof *work->measure);
    work->told = afxi_arena_take(arena, work->model->row_count + 3 * (size_t)work->model->joint_count, sizeof(double));
    work->momentum = afxi_arena_take(arena, work->body_count, sizeof *work->momentum); /* some none */
    work->balance = afxi_arena_take(arena, work->tree.node_count, sizeof *work->balance);
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
        active[k] = model->joints[k].active && has_joint(work, k);
    }
    AfxStatus status = afxi_tree_create_part(model, active, work->member, &work->allocator, &work->tree);
    afxi_release(&work->allocator, active, bytes);
    status = status ? status : work->tree.dof_count > AFXI_REDUCED_DOFS_MOST ? AFX_E_LIMIT : AFX_OK;
    status = status ? status : afxi_tree_work_create(&work->tree, &work->work);
    if (status != AFX_OK) {
        return status;
    }
    AfxiArena arena = {0};
    list_rows(work);
    afxi_reduced_list_angles(work);
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
    afxi_tree_rows_set(&work->tree, &work->rows);
    work->rows_now = &work->rows;
    work->mass_now = work->mass;
    work->part_share = 1;
    work->classes_seen = work->params_seen = UINT32_MAX;
    for (uint32_t k = 0; k < work->held_count; k++) {
        work->held[k].limit = limit_of(work, &work->held[k]);
    }
    set_bends(work);
    return AFX_OK;
}

void afxi_reduced_release(AfxiReduced *work) {
    if (work->raw) {
        afxi_release(&work->allocator, work->raw, work->raw_size);
    }
    afxi_lanes_destroy(work->lanes);
    afxi_seats_destroy(work->seats);
    work->lanes = NULL;
    work->seats = NULL;
    afxi_reduced_touch_release(work);
    afxi_tree_work_destroy(&work->work);
    afxi_tree_destroy(&work->tree);
}
