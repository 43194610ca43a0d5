/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of T. A rotation's own velocity is the angular velocity of the far side against the near one in the axes of
 * the joint's frame there. Users have it in the axes of the body, or as rates c' of the joint's Cardan angles: with R =
 * R_1 R_2 R_3, from base to follower, it is sum of (R_k+1 ... R_3)^T e_k c_k' in the follower's axes, and in the
 * base's, seen from there, -sum of R_1 ... R_k-1 e_k c_k'. */
#include "step/dynamics_dofs.h"

#include <math.h>
#include <string.h>

#include "joint/kind.h"
#include "step/tuning.h"

void afxi_dofs_layout(AfxiDofs *dofs, const AfxiTree *tree, AfxiArena *arena) {
    dofs->block = afxi_arena_take(arena, tree->dof_count, sizeof *dofs->block);
    dofs->shown = afxi_arena_take(arena, tree->dof_count, sizeof *dofs->shown);
    dofs->own = afxi_arena_take(arena, tree->dof_count, sizeof *dofs->own);
    dofs->qvel = afxi_arena_take(arena, tree->dof_count, sizeof *dofs->qvel);
}

/* ---- which are which ---- */

static void show(AfxiDofs *dofs, uint32_t own, uint32_t qvel, AfxiDofBlock *block, uint32_t part) {
    dofs->shown[own] = block->shown[part] = dofs->count;
    dofs->own[dofs->count] = own;
    dofs->qvel[dofs->count++] = qvel;
}

static AfxiDofBlock *add_block(AfxiDofs *dofs, uint32_t first, uint8_t count) {
    AfxiDofBlock *block = &dofs->block[dofs->block_count++];
    *block = (AfxiDofBlock){
        .first = first, .cardan = AFXI_TREE_NONE, .count = count, .t = mat3_identity(), .inverse = mat3_identity()};
    return block;
}

static void add_one(AfxiDofs *dofs, uint32_t own, uint32_t qvel, double sign) {
    AfxiDofBlock *block = add_block(dofs, own, 1);
    block->t.m[0] = block->inverse.m[0] = sign;
    show(dofs, own, qvel, block, 0);
}

/* A free body that begins its tree: the same six numbers. */
static void add_free(AfxiDofs *dofs, const AfxiTree *tree, uint32_t body, uint32_t qvel) {
    uint32_t place = tree->place[body], ball = place == AFXI_TREE_NONE ? place : tree->carried[place].node;
    if (ball == AFXI_TREE_NONE || tree->node[ball].kind != AFXI_NODE_BALL ||
        tree->node[ball].parent == AFXI_TREE_NONE) {
        return;
    }
    uint32_t first = tree->node[tree->node[ball].parent].dof;
    if (tree->dof[first].joint != AFXI_TREE_NONE || tree->dof[first].body != body) {
        return;
    }
    for (uint32_t k = 0; k < 6; k++) {
        add_one(dofs, first + k, qvel + k, 1);
    }
}

/* The angular velocity in the axes of the body that turns, which are those of the far side up to a constant turn. */
static void add_ball(AfxiDofs *dofs, const AfxiTree *tree, const AfxiGeneralized *g) {
    const AfxiTreeJoint *entry = &tree->joint[g->shown.joint];
    const AfxiJoint *joint = &tree->model->joints[g->shown.joint];
    const AfxiJointFrame *frame = (const AfxiJointFrame *)tree->model->joint_frames.items + joint->frame;
    if (!entry->branch || entry->ball == AFXI_TREE_NONE || entry->reversed != (g->sign < 0)) {
        return;
    }
    uint32_t body = entry->reversed ? joint->base : joint->follower;
    AfxiMat3 axes =
        mat3_multiply(&afxi_model_frame(tree->model, body)->axes, entry->reversed ? &frame->axes_b : &frame->axes_a);
    AfxiDofBlock *block = add_block(dofs, tree->node[entry->ball].dof, 3);
    block->t = mat3_transpose(&axes);
    block->inverse = axes;
    for (uint32_t k = 0; k < 3; k++) {
        show(dofs, block->first + k, g->shown.qvel + k, block, k);
    }
}

/* The first axis of a joint's three rotations. */
static uint32_t first_turn(const AfxiJointKind *kind) {
    uint32_t first = 0;
    while (first < kind->axis_count && kind->axes[first].type == AFXI_AXIS_TRANSLATION) {
        first++;
    }
    return first;
}

/* Three Cardan angles of one joint, when all of them are generalised coordinates; added with the first of them. */
static void add_cardan(AfxiDofs *dofs, const AfxiTree *tree, const AfxiRobot *robot, const AfxiGeneralized *g) {
    const AfxiTreeJoint *entry = &tree->joint[g->shown.joint];
    uint32_t first = first_turn(afxi_joint_kind((AfxJointKind)tree->model->joints[g->shown.joint].kind));
    uint32_t ball = tree->node[entry->ball].dof, found[3] = {AFXI_TREE_NONE, AFXI_TREE_NONE, AFXI_TREE_NONE};
    if (dofs->shown[ball] != AFXI_TREE_NONE || g->shown.axis < first) {
        return;
    }
    for (uint32_t k = 0; k < robot->count; k++) {
        const AfxGeneralized *other = &robot->generalized[k].shown;
        if (other->kind == AFX_GENERALIZED_AXIS && other->joint == g->shown.joint && other->axis >= first) {
            found[other->axis - first] = other->qvel;
        }
    }
    if (found[0] == AFXI_TREE_NONE || found[1] == AFXI_TREE_NONE || found[2] == AFXI_TREE_NONE) {
        return;
    }
    AfxiDofBlock *block = add_block(dofs, ball, 3);
    block->cardan = g->shown.joint;
    uint32_t least = found[0] < found[1] ? found[0] : found[1];
    least = least < found[2] ? least : found[2];
    for (uint32_t next = least, left = 3; left > 0; next++) { /* in the order of qvel */
        for (uint32_t k = 0; k < 3; k++) {
            if (found[k] == next) {
                show(dofs, ball + k, next, block, k);
                left--;
            }
        }
    }
}

static void add_axis(AfxiDofs *dofs, const AfxiTree *tree, const AfxiRobot *robot, const AfxiGeneralized *g) {
    const AfxiTreeJoint *entry = &tree->joint[g->shown.joint];
    if (!entry->branch) {
        return;
    }
    uint32_t dof = entry->dof[g->shown.axis];
    if (dof != AFXI_TREE_NONE) {
        if (dofs->shown[dof] == AFXI_TREE_NONE && fabs(entry->factor[g->shown.axis]) == 1) {
            add_one(dofs, dof, g->shown.qvel, g->sign * entry->factor[g->shown.axis]);
        }
    } else if (entry->ball != AFXI_TREE_NONE) {
        add_cardan(dofs, tree, robot, g);
    }
}

void afxi_dofs_make(AfxiDofs *dofs, const AfxiTree *tree) {
    const AfxiRobot *robot = &tree->model->robot;
    dofs->block_count = dofs->count = 0;
    dofs->own_count = tree->dof_count;
    memset(dofs->shown, 0xff, tree->dof_count * sizeof *dofs->shown);
    for (uint32_t k = 0; k < robot->count; k++) {
        const AfxiGeneralized *g = &robot->generalized[k];
        if (g->shown.kind == AFX_GENERALIZED_FREE) {
            add_free(dofs, tree, g->shown.body, g->shown.qvel);
        } else if (g->shown.kind == AFX_GENERALIZED_BALL) {
            add_ball(dofs, tree, g);
        } else {
            add_axis(dofs, tree, robot, g);
        }
    }
    for (uint32_t d = 0; d < tree->dof_count; d++) {
        if (dofs->shown[d] == AFXI_TREE_NONE && tree->dof[d].body < tree->model->shown.bodies) {
            add_one(dofs, d, UINT32_MAX, 1);
        }
    }
}

/* ---- Cardan angles ---- */

static double sign_of(const AfxModel *model, uint32_t joint, uint32_t axis) {
    for (uint32_t k = 0; k < model->robot.count; k++) {
        const AfxiGeneralized *g = &model->robot.generalized[k];
        if (g->shown.kind == AFX_GENERALIZED_AXIS && g->shown.joint == joint && g->shown.axis == axis) {
            return g->sign;
        }
    }
    return 1;
}

/* Columns of T: what a unit rate of each angle is. In a frame that turns on with the angles before it (`reversed`), or
 * with those behind it, a column changes by the cross product with their rates. */
static void set_columns(const AfxSim *sim, const AfxiTree *tree, AfxiDofBlock *block, AfxVec3 column[3]) {
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)tree->model->joints[block->cardan].kind);
    uint32_t first = first_turn(kind);
    AfxQuat turn[3];
    AfxVec3 axis[3];
    for (uint32_t k = 0; k < 3; k++) {
        double angle = 0;
        int at = kind->axes[first + k].axis;
        afx_sim_joint_coordinate(sim, block->cardan, first + k, &angle, NULL);
        axis[k] = vec3(at == 0, at == 1, at == 2);
        turn[k] = afx_quat_from_axis_angle(axis[k], angle);
    }
    bool reversed = tree->joint[block->cardan].reversed;
    for (int k = 0; k < 3; k++) {
        AfxVec3 e = axis[k];
        for (int j = reversed ? k - 1 : k + 1; j >= 0 && j < 3; j += reversed ? -1 : 1) {
            AfxQuat q = turn[j];
            e = afx_quat_rotate(reversed ? q : (AfxQuat){q.w, -q.x, -q.y, -q.z}, e);
        }
        column[k] = vec3_scale((reversed ? -1 : 1) * sign_of(tree->model, block->cardan, first + (uint32_t)k), e);
    }
}

static AfxStatus update_cardan(const AfxSim *sim, const AfxiTree *tree, const double *u, AfxiDofBlock *block) {
    AfxVec3 column[3], rate;
    double rates[3];
    set_columns(sim, tree, block, column);
    block->t = mat3_from_columns(column[0], column[1], column[2]);
    double volume = mat3_determinant(&block->t);
    if (!(fabs(volume) > AFXI_CARDAN_VOLUME)) {
        return AFX_E_NUMERIC;
    }
    for (int k = 0; k < 3; k++) { /* rows of the inverse */
        AfxVec3 row = vec3_scale(1 / volume, vec3_cross(column[(k + 1) % 3], column[(k + 2) % 3]));
        block->inverse.m[k] = row.x;
        block->inverse.m[3 + k] = row.y;
        block->inverse.m[6 + k] = row.z;
    }
    rate = mat3_apply(&block->inverse, vec3_load(u + block->first));
    vec3_store(rates, rate);
    block->turn = vec3(0, 0, 0);
    bool reversed = tree->joint[block->cardan].reversed;
    for (int k = 0; k < 3; k++) {
        for (int j = reversed ? k - 1 : k + 1; j >= 0 && j < 3; j += reversed ? -1 : 1) {
            block->turn = vec3_mad(block->turn, -rates[j] * rates[k], vec3_cross(column[j], column[k]));
        }
    }
    return AFX_OK;
}

AfxStatus afxi_dofs_update(AfxiDofs *dofs, const AfxSim *sim, const AfxiTree *tree, const double *u) {
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < dofs->block_count && status == AFX_OK; k++) {
        if (dofs->block[k].cardan != AFXI_TREE_NONE) {
            status = update_cardan(sim, tree, u, &dofs->block[k]);
        }
    }
    return status;
}

/* ---- there and back ---- */

typedef AfxVec3 (*Apply)(const AfxiMat3 *, AfxVec3);

/* Block by block: out = matrix (in - before) + after. */
static void convert(const AfxiDofs *dofs, bool to_own, bool inverse, Apply apply, bool turning, const double *in,
                    double *out) {
    if (to_own && dofs->own_count) {
        memset(out, 0, dofs->own_count * sizeof *out);
    }
    for (uint32_t b = 0; b < dofs->block_count; b++) {
        const AfxiDofBlock *block = &dofs->block[b];
        double x[3] = {0, 0, 0};
        for (uint32_t k = 0; k < block->count; k++) {
            x[k] = in[to_own ? block->shown[k] : block->first + k];
        }
        if (block->count == 1) {
            x[0] *= block->t.m[0];
        } else {
            AfxVec3 none = {0, 0, 0}, turn = turning ? block->turn : none;
            AfxVec3 from = to_own ? vec3_load(x) : vec3_sub(vec3_load(x), turn);
            AfxVec3 to = apply(inverse ? &block->inverse : &block->t, from);
            vec3_store(x, to_own ? vec3_add(to, turn) : to);
        }
        for (uint32_t k = 0; k < block->count; k++) {
            out[to_own ? block->first + k : block->shown[k]] = x[k];
        }
    }
}

void afxi_dofs_motion_in(const AfxiDofs *dofs, const double *shown, bool turning, double *out_own) {
    convert(dofs, true, false, mat3_apply, turning, shown, out_own);
}

void afxi_dofs_motion_out(const AfxiDofs *dofs, const double *own, bool turning, double *out_shown) {
    convert(dofs, false, true, mat3_apply, turning, own, out_shown);
}

void afxi_dofs_force_in(const AfxiDofs *dofs, const double *shown, double *out_own) {
    convert(dofs, true, true, mat3_apply_transposed, false, shown, out_own);
}

void afxi_dofs_force_out(const AfxiDofs *dofs, const double *own, double *out_shown) {
    convert(dofs, false, false, mat3_apply_transposed, false, own, out_shown);
}
