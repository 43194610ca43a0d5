/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary motions of joints. All are about or along x: a node's frame is the joint's, turned so that its x is the
 * axis of the motion. A motion that is met from its far side goes about the opposite axis. */
#include "reduced/grow.h"

#include "joint/kind.h"

/* A frame in another. */
typedef struct Place {
    AfxiMat3 turn;
    AfxVec3 shift;
} Place;

static Place place_in(const Place *outer, const Place *inner) {
    return (Place){mat3_multiply(&outer->turn, &inner->turn),
                   vec3_add(outer->shift, mat3_apply(&outer->turn, inner->shift))};
}

static Place place_inverse(const Place *place) {
    Place out = {mat3_transpose(&place->turn), {0, 0, 0}};
    out.shift = vec3_scale(-1, mat3_apply(&out.turn, place->shift));
    return out;
}

/* The frame whose x is axis k, or against it. */
static AfxiMat3 frame_of(int k, bool flipped) {
    AfxVec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    AfxVec3 x = unit[k], y = unit[(k + 1) % 3], z = unit[(k + 2) % 3];
    return flipped ? mat3_from_columns(vec3_scale(-1, x), y, vec3_scale(-1, z)) : mat3_from_columns(x, y, z);
}

/* ---- nodes ---- */

static uint32_t add_node(AfxiTree *tree, uint32_t parent, AfxiNodeKind kind, const Place *place) {
    static const uint8_t dofs[] = {1, 1, 1, 3, 3, 0}, coordinates[] = {1, 1, 1, 4, 3, 0};
    uint32_t index = tree->node_count++;
    AfxiNode *node = &tree->node[index];
    bool root = parent == AFXI_TREE_NONE;
    *node = (AfxiNode){.parent = parent,
                       .dof = tree->dof_count,
                       .coordinate = tree->coordinate_count,
                       .first = root ? index : tree->node[parent].first,
                       .body = AFXI_TREE_NONE,
                       .kind = (uint8_t)kind,
                       .dof_count = dofs[kind],
                       .turn = place->turn,
                       .shift = place->shift};
    tree->dof_count += dofs[kind];
    tree->coordinate_count += coordinates[kind];
    return index;
}

/* The last degree of freedom on the way from a node to the root. */
static uint32_t dof_before(const AfxiTree *tree, uint32_t node) {
    while (node != AFXI_TREE_NONE && tree->node[node].dof_count == 0) {
        node = tree->node[node].parent;
    }
    return node == AFXI_TREE_NONE ? AFXI_TREE_NONE : tree->node[node].dof + tree->node[node].dof_count - 1;
}

static void name_dofs(AfxiTree *tree, uint32_t index, uint32_t joint, uint32_t axis, uint32_t body) {
    const AfxiNode *node = &tree->node[index];
    uint32_t before = dof_before(tree, node->parent);
    for (uint32_t k = 0; k < node->dof_count; k++) {
        tree->dof[node->dof + k] =
            (AfxiTreeDof){.joint = joint, .axis = axis + k, .body = body, .node = index, .parent = before};
        before = node->dof + k;
    }
}

static void carry(AfxiTree *tree, uint32_t body, uint32_t node, const Place *place) {
    tree->place[body] = tree->carried_count;
    tree->carried[tree->carried_count++] =
        (AfxiCarried){body, node, AFXI_TREE_NONE, AFXI_TREE_NONE, place->turn, place->shift};
}

/* Where a body's principal frame is, and in which node. */
static Place place_of(const AfxiTree *tree, uint32_t body, uint32_t *out_node) {
    *out_node = AFXI_TREE_NONE;
    if (body == AFXI_WORLD) {
        return (Place){mat3_identity(), {0, 0, 0}};
    }
    const AfxiCarried *carried = &tree->carried[tree->place[body]];
    *out_node = carried->node;
    return (Place){carried->turn, carried->shift};
}

void afxi_tree_add_fixed(AfxiTree *tree, uint32_t body) {
    const AfxiFrame *frame = afxi_model_frame(tree->model, body);
    const AfxPose *pose = &tree->model->start_pose[body];
    Place own = {mat3_from_quat(afxi_quat_normalized(pose->rotation)), pose->position};
    Place principal = {frame->axes, frame->center}, place = place_in(&own, &principal);
    carry(tree, body, AFXI_TREE_NONE, &place);
}

void afxi_tree_add_moved(AfxiTree *tree, uint32_t body) {
    Place here = {mat3_identity(), {0, 0, 0}};
    uint32_t node = add_node(tree, AFXI_TREE_NONE, AFXI_NODE_MOVED, &here);
    tree->node[node].body = body;
    carry(tree, body, node, &here);
}

void afxi_tree_add_base(AfxiTree *tree, uint32_t body) {
    const AfxiFrame *frame = afxi_model_frame(tree->model, body);
    Place here = {mat3_identity(), {0, 0, 0}}, principal = {frame->axes, frame->center};
    uint32_t slide = add_node(tree, AFXI_TREE_NONE, AFXI_NODE_TRANSLATE, &here);
    name_dofs(tree, slide, AFXI_TREE_NONE, 0, body);
    uint32_t ball = add_node(tree, slide, AFXI_NODE_BALL, &here);
    name_dofs(tree, ball, AFXI_TREE_NONE, 3, body);
    carry(tree, body, ball, &principal);
}

/* ---- joints ---- */

/* An elementary motion: of axis `axis` of the joint, `count` axes in all. */
typedef struct Motion {
    AfxiNodeKind kind;
    int frame_axis; /* of the joint's frame */
    uint32_t axis, count;
} Motion;

/* The motions of a kind, from base to follower. */
static uint32_t motions_of(AfxJointKind kind, Motion *out) {
    const AfxiJointKind *table = afxi_joint_kind(kind);
    uint32_t count = 0;
    if (kind == AFX_JOINT_SCREW) {
        out[0] = (Motion){AFXI_NODE_SCREW, 0, 1, 1};
        return 1;
    }
    for (uint32_t k = 0; k < table->axis_count; k++) {
        const AfxiAxisSpec *axis = &table->axes[k];
        if (axis->type == AFXI_AXIS_CARDAN || axis->type == AFXI_AXIS_TILT) {
            out[count++] = (Motion){AFXI_NODE_BALL, 0, k, 3};
            break;
        }
        bool slides = axis->type == AFXI_AXIS_TRANSLATION;
        out[count++] = (Motion){slides ? AFXI_NODE_SLIDE : AFXI_NODE_HINGE, axis->axis, k, 1};
    }
    if (count >= 3 && out[2].kind == AFXI_NODE_SLIDE) { /* x, y and z are one */
        out[0] = (Motion){AFXI_NODE_TRANSLATE, 0, 0, 3};
        for (uint32_t k = 1; k + 2 < count; k++) {
            out[k] = out[k + 2];
        }
        count -= 2;
    }
    return count;
}

/* Adds the node of a motion behind `current`, a place in `parent`; what comes next is at the new place. */
static uint32_t add_motion(AfxiTree *tree, uint32_t parent, const Motion *motion, bool reversed, Place *current) {
    bool about_axis = motion->kind != AFXI_NODE_BALL;
    Place turn = {about_axis ? frame_of(motion->frame_axis, reversed) : mat3_identity(), {0, 0, 0}};
    if (motion->kind == AFXI_NODE_TRANSLATE && reversed) { /* all three axes against: a mirror, and so not a rotation */
        turn.turn = mat3_identity();
    }
    Place here = place_in(current, &turn);
    *current = place_inverse(&turn);
    return add_node(tree, parent, motion->kind, &here);
}

/* Which velocities are which coordinates of the joint. */
static void note_axes(AfxiTree *tree, AfxiTreeJoint *entry, const Motion *motion, uint32_t node, bool reversed) {
    uint32_t dof = tree->node[node].dof;
    if (motion->kind == AFXI_NODE_BALL) {
        entry->ball = node;
        return;
    }
    for (uint32_t k = 0; k < motion->count; k++) {
        entry->dof[motion->axis + k] = dof + k;
        entry->factor[motion->axis + k] = motion->kind == AFXI_NODE_TRANSLATE && reversed ? -1 : 1;
    }
    if (motion->kind == AFXI_NODE_SCREW) {
        entry->dof[0] = dof; /* its advance; the factor is the pitch */
    }
}

void afxi_tree_add_joint(AfxiTree *tree, uint32_t index, bool reversed) {
    const AfxiJoint *joint = &tree->model->joints[index];
    const AfxiJointFrame *frame = (const AfxiJointFrame *)tree->model->joint_frames.items + joint->frame;
    Place base = {frame->axes_b, frame->point_b}, follower = {frame->axes_a, frame->point_a};
    uint32_t far = reversed ? joint->base : joint->follower, node;
    Motion motion[AFXI_JOINT_AXES_MOST];
    uint32_t count = motions_of((AfxJointKind)joint->kind, motion);
    AfxiTreeJoint *entry = &tree->joint[index];
    Place near = place_of(tree, reversed ? joint->follower : joint->base, &node);
    Place current = place_in(&near, reversed ? &follower : &base);
    entry->branch = true;
    entry->reversed = reversed;
    for (uint32_t k = 0; k < count; k++) {
        const Motion *next = &motion[reversed ? count - 1 - k : k];
        node = add_motion(tree, node, next, reversed, &current);
        name_dofs(tree, node, index, next->axis, far);
        note_axes(tree, entry, next, node, reversed);
    }
    entry->last = node;
    Place back = place_inverse(reversed ? &base : &follower), body = place_in(&current, &back);
    carry(tree, far, node, &body);
    uint32_t near_body = reversed ? joint->follower : joint->base;
    tree->carried[tree->carried_count - 1].joint = index;
    tree->carried[tree->carried_count - 1].parent = near_body == AFXI_WORLD ? AFXI_TREE_NONE : tree->place[near_body];
}
