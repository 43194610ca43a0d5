/* SPDX-License-Identifier: Apache-2.0 */
/* Inverse kinematics of a sim (affix/kinematics.h): targets, limits and locks in joint coordinates, and the posture
 * back to the bodies. */
#include "affix/kinematics.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "constraint/angles.h"
#include "joint/law.h"
#include "reduced/make.h"
#include "reduced/reach.h"
#include "state/pose.h"
#include "step/dynamics_query.h"
#include "step/history.h"

AfxReachDef afx_default_reach(void) {
    return (AfxReachDef){.cookie = AFXI_COOKIE, .limits = true, .tolerance = 1e-9, .iterations = 200};
}

AfxFrameTarget afx_default_frame_target(uint32_t site, AfxPose target) {
    return (AfxFrameTarget){.site = site,
                            .body = UINT32_MAX,
                            .frame = afx_pose_identity(),
                            .target = target,
                            .position_weight = 1,
                            .rotation_weight = 0.3};
}

/* What a search works with, in one block. */
typedef struct Search {
    AfxiReach reach;
    AfxiReachTarget *target;
    double *lower, *upper, *home;
    uint8_t *locked;
} Search;

/* ---- what is asked ---- */

static bool target_valid(const AfxModel *model, const AfxFrameTarget *target) {
    bool weights = target->position_weight >= 0 && target->rotation_weight >= 0 && isfinite(target->position_weight) &&
                   isfinite(target->rotation_weight);
    bool there = target->site == UINT32_MAX ? target->body < model->shown.bodies && afxi_pose_valid(target->frame)
                                            : target->site < model->robot.site_count;
    return weights && there && vec3_finite(target->target.position) &&
           (target->rotation_weight == 0 || afxi_pose_valid(target->target));
}

static AfxStatus check(const AfxSim *sim, const AfxReachDef *def) {
    if (!sim || !def || (def->target_count && !def->targets)) {
        return AFX_E_ARGUMENT;
    }
    if (def->cookie != AFXI_COOKIE) {
        return AFX_E_VERSION;
    }
    bool valid = def->tolerance >= 0 && isfinite(def->tolerance) && def->stay >= 0 && isfinite(def->stay);
    for (uint32_t k = 0; k < def->target_count; k++) {
        valid = valid && target_valid(sim->model, &def->targets[k]);
    }
    return valid ? AFX_OK : AFX_E_ARGUMENT;
}

static void set_target(const AfxSim *sim, const AfxiTree *tree, const AfxFrameTarget *from, AfxiReachTarget *out) {
    const AfxiSite *site = from->site == UINT32_MAX ? NULL : &sim->model->robot.site[from->site];
    uint32_t body = site ? site->body : from->body;
    const AfxiFrame *own = afxi_model_frame(sim->model, body);
    AfxPose frame = site ? site->pose : from->frame;
    AfxiMat3 axes = mat3_from_quat(afxi_quat_normalized(frame.rotation));
    *out = (AfxiReachTarget){.carried = tree->place[body],
                             .position = from->target.position,
                             .position_weight = from->position_weight,
                             .rotation_weight = from->rotation_weight,
                             .rotation = mat3_identity()};
    out->point = mat3_apply_transposed(&own->axes, vec3_sub(frame.position, own->center));
    out->axes = mat3_multiply_tn(&own->axes, &axes);
    if (from->rotation_weight > 0) {
        out->rotation = mat3_from_quat(afxi_quat_normalized(from->target.rotation));
    }
    if (out->carried == AFXI_TREE_NONE) { /* a flywheel, which stays where it is */
        const double *q = sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body;
        AfxiMat3 a = mat3_load(q);
        out->point = vec3_add(vec3_load(q + 9), mat3_apply(&a, out->point));
        out->axes = mat3_multiply(&a, &out->axes);
    }
}

/* Limits of coordinates of the tree, from the drives that are limits. */
static void set_limits(const AfxSim *sim, const AfxiTree *tree, Search *search) {
    for (uint32_t k = 0; k < sim->model->drive_count; k++) {
        const AfxiDrive *drive = &sim->model->drives[k];
        const AfxiTreeJoint *entry = &tree->joint[drive->joint];
        uint32_t dof = drive->axis < AFXI_JOINT_AXES_MOST ? entry->dof[drive->axis] : AFXI_TREE_NONE;
        if (drive->kind != AFX_DRIVE_LIMIT || dof == AFXI_TREE_NONE || !sim->world.state.joint_active[drive->joint]) {
            continue;
        }
        const double *numbers = afxi_world_param(&sim->world, AFX_PARAM_DRIVE, k);
        double factor = entry->factor[drive->axis], a = numbers[AFXI_DRIVE_LOWER] / factor,
               b = numbers[AFXI_DRIVE_UPPER] / factor;
        search->lower[dof] = fmax(search->lower[dof], fmin(a, b));
        search->upper[dof] = fmin(search->upper[dof], fmax(a, b));
    }
}

/* Numbers of qvel that do not move; AFX_E_ARGUMENT where of three Cardan angles some do. */
static AfxStatus set_locked(const AfxiDofs *dofs, const bool *locked, uint8_t *out) {
    for (uint32_t b = 0; locked && b < dofs->block_count; b++) {
        const AfxiDofBlock *block = &dofs->block[b];
        uint32_t count = 0;
        for (uint32_t k = 0; k < block->count; k++) {
            uint32_t qvel = dofs->qvel[block->shown[k]];
            bool still = qvel != UINT32_MAX && locked[qvel];
            out[block->first + k] = still;
            count += still;
        }
        if (count != 0 && count != block->count && block->cardan != AFXI_TREE_NONE) {
            return AFX_E_ARGUMENT;
        }
    }
    return AFX_OK;
}

/* ---- memory ---- */

static void layout(Search *search, const AfxiTree *tree, uint32_t targets, AfxiArena *arena) {
    size_t n = tree->dof_count, c = tree->coordinate_count;
    AfxiReach *reach = &search->reach;
    search->target = afxi_arena_take(arena, targets, sizeof *search->target);
    double **by_dof[] = {&search->lower, &search->upper, &reach->step, &reach->push, &reach->damping};
    for (size_t k = 0; k < sizeof by_dof / sizeof *by_dof; k++) {
        *by_dof[k] = afxi_arena_take(arena, n, sizeof(double));
    }
    double **by_coordinate[] = {&search->home, &reach->q, &reach->trial};
    for (size_t k = 0; k < sizeof by_coordinate / sizeof *by_coordinate; k++) {
        *by_coordinate[k] = afxi_arena_take(arena, c, sizeof(double));
    }
    search->locked = afxi_arena_take(arena, n, 1);
    reach->held = afxi_arena_take(arena, n, 1);
    reach->external = afxi_arena_take(arena, tree->node_count, sizeof *reach->external);
}

/* Room for `bytes`, all 0; that of the last search where it is enough. */
static AfxStatus take_room(AfxSim *sim, AfxiDynamics *kept, size_t bytes) {
    size_t most = bytes + AFXI_ALIGNMENT;
    if (kept->search && most + AFXI_ALIGNMENT <= kept->search_size) {
        memset(kept->search, 0, most);
        return AFX_OK;
    }
    if (kept->search_raw) {
        afxi_release(&sim->def.allocator, kept->search_raw, kept->search_size);
        kept->search_raw = NULL;
    }
    kept->search = afxi_allocate_aligned(&sim->def.allocator, most, &kept->search_raw, &kept->search_size);
    return kept->search ? AFX_OK : AFX_E_MEMORY;
}

static AfxStatus make(AfxSim *sim, AfxiDynamics *kept, const AfxReachDef *def, Search *out) {
    AfxiArena arena = {0};
    layout(out, &kept->tree, def->target_count, &arena);
    AfxStatus status = arena.overflow ? AFX_E_LIMIT : take_room(sim, kept, arena.used);
    if (status != AFX_OK) {
        return status;
    }
    arena.base = kept->search;
    arena.used = 0;
    layout(out, &kept->tree, def->target_count, &arena);
    for (uint32_t d = 0; d < kept->tree.dof_count; d++) {
        out->lower[d] = -INFINITY;
        out->upper[d] = INFINITY;
    }
    if (def->limits) {
        set_limits(sim, &kept->tree, out);
    }
    return set_locked(&kept->dofs, def->locked, out->locked);
}

/* The trees at the present state and, where there are any, rows of what closes loops. */
static AfxStatus open(AfxSim *sim, AfxiDynamics **out, bool *out_closed) {
    AfxStatus status = afxi_dynamics_now(sim, out);
    *out_closed = false;
    if (status != AFX_OK) {
        return status;
    }
    AfxiReduced count = {.model = sim->model, .tree = (*out)->tree};
    afxi_reduced_list_closing(&count, sim->world.state.joint_active);
    *out_closed = count.exact_count > 0;
    return *out_closed ? afxi_dynamics_rows(sim, out) : AFX_OK;
}

/* ---- back to the bodies ---- */

/* Turns of joints as the coordinates count them. */
static void count_turns(AfxSim *sim, const AfxiTree *tree, const double *q) {
    double *angle = sim->world.state.angle;
    for (uint32_t d = 0; d < tree->dof_count; d++) {
        const AfxiTreeDof *dof = &tree->dof[d];
        uint32_t place = afxi_tree_coordinate(tree, d);
        const AfxiJoint *joint = dof->joint == AFXI_TREE_NONE ? NULL : &sim->model->joints[dof->joint];
        if (joint && joint->angle != UINT32_MAX && place != AFXI_TREE_NONE) {
            angle[joint->angle + dof->axis] = tree->joint[dof->joint].factor[dof->axis] * q[place];
        }
    }
    for (uint32_t k = 0; k < tree->flywheel_count; k++) {
        const AfxiFlywheel *wheel = &tree->flywheel[k];
        uint32_t at = sim->model->joints[wheel->joint].angle;
        if (at != UINT32_MAX) {
            angle[at] = wheel->ratio * q[afxi_tree_coordinate(tree, wheel->dof)] + wheel->offset;
        }
    }
}

static void put(AfxSim *sim, AfxiDynamics *kept, const double *q) {
    AfxiState *state = &sim->world.state;
    afxi_tree_pose(&kept->work, q);
    afxi_tree_velocity(&kept->work, kept->u);
    afxi_tree_to_raw(&kept->work, q, kept->u, state->q, state->v);
    count_turns(sim, &kept->tree, q);
    afxi_angles_follow(&sim->world);
    afxi_history_drop(sim);
}

/* How far coordinates are out of limits that the search does not know. */
static double out_of_limits(const AfxSim *sim, const AfxiTree *tree) {
    double most = 0;
    for (uint32_t k = 0; k < sim->model->drive_count; k++) {
        const AfxiDrive *drive = &sim->model->drives[k];
        bool known = drive->axis < AFXI_JOINT_AXES_MOST && tree->joint[drive->joint].dof[drive->axis] != AFXI_TREE_NONE;
        double value;
        if (drive->kind == AFX_DRIVE_LIMIT && !known && drive->joint < sim->model->shown.joints &&
            afx_sim_joint_coordinate(sim, drive->joint, drive->axis, &value, NULL) == AFX_OK) {
            const double *numbers = afxi_world_param(&sim->world, AFX_PARAM_DRIVE, k);
            most = fmax(most, fmax(numbers[AFXI_DRIVE_LOWER] - value, value - numbers[AFXI_DRIVE_UPPER]));
        }
    }
    return most;
}

/* ---- searches ---- */

/* From the present state; targets as `def` has them, at `positions` where it is not NULL. */
static AfxStatus search_once(AfxSim *sim, const AfxReachDef *def, const AfxVec3 *positions, AfxReachReport *out) {
    AfxiDynamics *kept;
    Search search = {.target = NULL};
    bool closed;
    AfxStatus status = open(sim, &kept, &closed);
    if (status != AFX_OK) {
        return status;
    }
    status = make(sim, kept, def, &search);
    AfxiReach *reach = &search.reach;
    if (status == AFX_OK) {
        for (uint32_t k = 0; k < def->target_count; k++) {
            set_target(sim, &kept->tree, &def->targets[k], &search.target[k]);
            search.target[k].position = positions ? positions[k] : search.target[k].position;
        }
        memcpy(search.home, kept->q, kept->tree.coordinate_count * sizeof *reach->q);
        reach->tree = &kept->tree;
        reach->work = &kept->work;
        reach->rows = closed ? &kept->rows : NULL;
        reach->target = search.target;
        reach->target_count = def->target_count;
        reach->iterations_most = def->iterations;
        reach->locked = search.locked;
        reach->lower = search.lower;
        reach->upper = search.upper;
        reach->home = search.home;
        reach->stay = def->stay;
        reach->tolerance = def->tolerance;
        status = afxi_reach(reach) ? AFX_OK : AFX_E_NUMERIC;
        afxi_tree_numbers(&kept->tree, sim->world.params);
    }
    if (status == AFX_OK) {
        put(sim, kept, reach->q);
        *out = (AfxReachReport){.error = reach->error,
                                .open = reach->open,
                                .beyond = def->limits ? out_of_limits(sim, &kept->tree) : 0,
                                .iterations = reach->iterations,
                                .converged = reach->error <= def->tolerance};
        for (uint32_t d = 0; d < kept->tree.dof_count; d++) {
            out->at_limits += reach->held[d];
        }
    }
    return status;
}

AfxStatus afx_sim_inverse_kinematics(AfxSim *sim, const AfxReachDef *def, AfxReachReport *out_report) {
    AfxReachReport report = {0};
    AfxStatus status = check(sim, def);
    status = status ? status : search_once(sim, def, NULL, &report);
    if (status == AFX_OK && out_report) {
        *out_report = report;
    }
    return status;
}

AfxStatus afx_sim_fit(AfxSim *sim, const AfxReachDef *def, uint32_t frame_count, const AfxVec3 *positions,
                      double *out_qpos, AfxReachReport *out_reports) {
    AfxStatus status = check(sim, def);
    if (status == AFX_OK && frame_count && (!positions || def->target_count == 0)) {
        status = AFX_E_ARGUMENT;
    }
    for (size_t k = 0; status == AFX_OK && k < (size_t)frame_count * def->target_count; k++) {
        status = vec3_finite(positions[k]) ? AFX_OK : AFX_E_ARGUMENT;
    }
    for (size_t k = 0; status == AFX_OK && k < frame_count; k++) {
        AfxReachReport report = {0};
        status = search_once(sim, def, positions + k * def->target_count, &report);
        if (status == AFX_OK && out_qpos) {
            status = afx_sim_qpos(sim, out_qpos + k * sim->model->robot.qpos_count);
        }
        if (status == AFX_OK && out_reports) {
            out_reports[k] = report;
        }
    }
    return status;
}
