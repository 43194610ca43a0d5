/* SPDX-License-Identifier: Apache-2.0 */
/* Which joints become branches: those that hold, in the order in which they were written, from what stands still
 * outwards; then free joints; then a free base for the first body that is left. */
#include "reduced/tree.h"

#include <math.h>
#include <string.h>

#include "model/params.h"
#include "reduced/flywheel.h"
#include "reduced/grow.h"

/* ---- which joints ---- */

typedef enum Rank {
    RANK_HOLDS, /* its motions are elementary, and it leaves fewer than six */
    RANK_FREE,
    RANK_ROWS /* lengths: always rows */
} Rank;

static Rank rank_of(AfxJointKind kind) {
    return afx_joint_has_length(kind) ? RANK_ROWS : kind == AFX_JOINT_FREE ? RANK_FREE : RANK_HOLDS;
}

/* The bodies of a tree that is being made. */
typedef struct Draft {
    AfxiTree *tree;
    const uint8_t *active;
    uint8_t *reached;      /* [bodies] */
    uint8_t *apart;        /* [bodies] flywheels */
    const uint8_t *member; /* [bodies] NULL: all */
} Draft;

static bool is_reached(const Draft *draft, uint32_t body) {
    return body == AFXI_WORLD || draft->reached[body];
}

/* Makes every joint of a rank that leads from a reached body to one that is not, a branch; true when there was one. */
static bool grow_rank(Draft *draft, Rank rank) {
    const AfxModel *model = draft->tree->model;
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const AfxiJoint *joint = &model->joints[k];
        bool base = is_reached(draft, joint->base), follower = is_reached(draft, joint->follower);
        if (base != follower && draft->active[k] && rank_of((AfxJointKind)joint->kind) == rank &&
            !draft->apart[base ? joint->follower : joint->base]) {
            draft->reached[base ? joint->follower : joint->base] = 1;
            afxi_tree_add_joint(draft->tree, k, follower);
            return true;
        }
    }
    return false;
}

static void grow(Draft *draft) {
    const AfxModel *model = draft->tree->model;
    uint32_t next = 0;
    for (;;) {
        if (grow_rank(draft, RANK_HOLDS) || grow_rank(draft, RANK_FREE)) {
            continue;
        }
        while (next < model->dynamic_count &&
               (draft->reached[model->dynamic[next]] || draft->apart[model->dynamic[next]])) {
            next++;
        }
        if (next == model->dynamic_count) {
            return;
        }
        draft->reached[model->dynamic[next]] = 1;
        afxi_tree_add_base(draft->tree, model->dynamic[next]);
    }
}

/* ---- memory ---- */

static void layout(AfxiTree *tree, AfxiArena *arena) {
    const AfxModel *model = tree->model;
    size_t joints = model->joint_count, bodies = model->body_count;
    size_t nodes = 4 * joints + 2 * bodies; /* slides and a rotation at most; a translation and a rotation */
    tree->node = afxi_arena_take(arena, nodes, sizeof *tree->node);
    tree->carried = afxi_arena_take(arena, bodies, sizeof *tree->carried);
    tree->dof = afxi_arena_take(arena, 6 * (joints + bodies), sizeof *tree->dof);
    tree->joint = afxi_arena_take(arena, joints, sizeof *tree->joint);
    tree->flywheel = afxi_arena_take(arena, model->coupling_count, sizeof *tree->flywheel);
    tree->place = afxi_arena_take(arena, bodies, sizeof *tree->place);
    tree->coupling_folded = afxi_arena_take(arena, model->coupling_count, sizeof *tree->coupling_folded);
}

static AfxStatus take_memory(AfxiTree *tree) {
    AfxiArena arena = {0};
    layout(tree, &arena);
    if (arena.overflow) {
        return AFX_E_LIMIT;
    }
    arena.base = afxi_allocate_aligned(&tree->allocator, arena.used + AFXI_ALIGNMENT, &tree->raw, &tree->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    layout(tree, &arena);
    return AFX_OK;
}

void afxi_tree_destroy(AfxiTree *tree) {
    if (tree->raw) {
        afxi_release(&tree->allocator, tree->raw, tree->raw_size);
    }
    memset(tree, 0, sizeof *tree);
}

static void set_joints(AfxiTree *tree) {
    for (uint32_t k = 0; k < tree->model->joint_count; k++) {
        AfxiTreeJoint *joint = &tree->joint[k];
        *joint = (AfxiTreeJoint){.ball = AFXI_TREE_NONE, .last = AFXI_TREE_NONE};
        for (int axis = 0; axis < AFXI_JOINT_AXES_MOST; axis++) {
            joint->dof[axis] = AFXI_TREE_NONE;
            joint->factor[axis] = 1;
        }
    }
}

static void begin(Draft *draft) {
    AfxiTree *tree = draft->tree;
    const AfxModel *model = tree->model;
    for (uint32_t k = 0; k < model->body_count; k++) {
        tree->place[k] = AFXI_TREE_NONE;
        draft->reached[k] = model->kind[k] != AFX_BODY_DYNAMIC || (draft->member && !draft->member[k]);
        if (model->kind[k] == AFX_BODY_KINEMATIC) {
            afxi_tree_add_moved(tree, k);
        } else if (model->kind[k] == AFX_BODY_FIXED) {
            afxi_tree_add_fixed(tree, k);
        }
    }
}

AfxStatus afxi_tree_create(const AfxModel *model, const uint8_t *active, const AfxAllocator *allocator,
                           AfxiTree *out_tree) {
    return afxi_tree_create_part(model, active, NULL, allocator, out_tree);
}

AfxStatus afxi_tree_create_part(const AfxModel *model, const uint8_t *active, const uint8_t *member,
                                const AfxAllocator *allocator, AfxiTree *out_tree) {
    AfxiTree tree = {.model = model, .allocator = *allocator};
    *out_tree = (AfxiTree){0};
    AfxStatus status = take_memory(&tree);
    if (status != AFX_OK) {
        return status;
    }
    size_t bytes = 2 * (size_t)model->body_count + 1;
    uint8_t *marks = afxi_allocate(allocator, bytes);
    if (!marks) {
        afxi_tree_destroy(&tree);
        return AFX_E_MEMORY;
    }
    Draft draft = {
        .tree = &tree, .active = active, .reached = marks, .apart = marks + model->body_count, .member = member};
    set_joints(&tree);
    afxi_flywheels_find(&tree, active, draft.apart);
    begin(&draft);
    grow(&draft);
    afxi_flywheels_attach(&tree);
    afxi_release(allocator, marks, bytes);
    afxi_tree_numbers(&tree, model->params);
    *out_tree = tree;
    return AFX_OK;
}

uint32_t afxi_tree_coordinate(const AfxiTree *tree, uint32_t dof) {
    const AfxiNode *node = &tree->node[tree->dof[dof].node];
    return node->kind == AFXI_NODE_BALL ? AFXI_TREE_NONE : node->coordinate + dof - node->dof;
}

/* ---- numbers ---- */

/* Adds a point mass at the body's centre, and a rotary inertia that is `share` of the body's own. */
static void add_inertia(const AfxiCarried *carried, const AfxiBodyClass *class, double mass, double share,
                        AfxVec3 *moment, double inertia[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const double whole = class->s[0] + class->s[1] + class->s[2];
    const double c[3] = {carried->shift.x, carried->shift.y, carried->shift.z};
    double square = vec3_dot(carried->shift, carried->shift);
    for (int e = 0; e < 6; e++) {
        double sum = 0;
        for (int k = 0; k < 3; k++) {
            sum += carried->turn.m[3 * k + row[e]] * (whole - class->s[k]) * carried->turn.m[3 * k + column[e]];
        }
        inertia[e] += share * sum + mass * ((row[e] == column[e] ? square : 0) - c[row[e]] * c[column[e]]);
    }
    *moment = vec3_mad(*moment, mass, carried->shift);
}

/* Adds a body to what its node carries. */
static void add_body(AfxiTree *tree, const AfxiCarried *carried, const AfxiBodyClass *class) {
    AfxiNode *node = &tree->node[carried->node];
    node->mass += class->mass;
    add_inertia(carried, class, class->mass, 1, &node->moment, node->inertia);
    if (class->linear_damping > 0 || class->angular_damping > 0) {
        double drag = class->linear_damping * class->mass;
        tree->damped = true;
        node->drag_mass += drag;
        add_inertia(carried, class, drag, class->angular_damping, &node->drag_moment, node->drag_inertia);
    }
    if (class->gravity == 0) {
        tree->gravity_off = true;
        node->light_mass += class->mass;
        node->light_moment = vec3_mad(node->light_moment, class->mass, carried->shift);
    }
}

static void clear_node(AfxiNode *node) {
    node->mass = node->drag_mass = node->light_mass = 0;
    node->moment = node->drag_moment = node->light_moment = vec3(0, 0, 0);
    memset(node->inertia, 0, sizeof node->inertia);
    memset(node->drag_inertia, 0, sizeof node->drag_inertia);
}

void afxi_tree_numbers(AfxiTree *tree, const double *params) {
    const AfxModel *model = tree->model;
    memcpy(tree->gravity, afxi_param_const(model, params, AFX_PARAM_GRAVITY, 0), sizeof tree->gravity);
    tree->damped = tree->gravity_off = tree->has_armature = false;
    for (uint32_t k = 0; k < tree->node_count; k++) {
        clear_node(&tree->node[k]);
    }
    for (uint32_t k = 0; k < tree->carried_count; k++) {
        const AfxiCarried *carried = &tree->carried[k];
        AfxiBodyClass class = afxi_class_of_params(model, params, carried->body);
        if (carried->node != AFXI_TREE_NONE && tree->node[carried->node].kind != AFXI_NODE_MOVED) {
            add_body(tree, carried, &class);
        }
    }
    for (uint32_t k = 0; k < model->joint_count; k++) {
        AfxiTreeJoint *joint = &tree->joint[k];
        if (model->joints[k].kind == AFX_JOINT_SCREW && joint->branch) {
            double pitch = *afxi_param_const(model, params, AFX_PARAM_JOINT_PITCH, k);
            tree->node[joint->last].pitch = pitch;
            joint->factor[0] = pitch;
        }
    }
    for (uint32_t k = 0; k < tree->dof_count; k++) {
        tree->dof[k].armature = 0;
    }
    afxi_flywheels_numbers(tree, params);
}
