/* SPDX-License-Identifier: Apache-2.0 */
/* Random trees. */
#include "tests.h"

AfxJointKind random_branch_kind(uint64_t *seed) {
    AfxJointKind kind;
    do {
        kind = (AfxJointKind)(random_unit(seed) * AFX_JOINT_KIND_COUNT);
    } while (afx_joint_has_length(kind));
    return kind;
}

/* A body on the far side of a joint from `near`, which is its base or, reversed, its follower. */
static AfxBodyDef beyond(const AfxBodyDef *near, AfxJointDef *joint, bool reversed, uint64_t *seed) {
    AfxBodyDef def = odd_def(seed);
    joint->pitch = PITCH;
    joint->base_frame = random_pose(seed, 0.5);
    joint->follower_frame = random_pose(seed, 0.5);
    AfxPose motion = kind_random_motion(joint->kind, 1, 0.9, seed);
    AfxTwist twist = kind_random_twist(joint->kind, motion, 1, seed);
    AfxPose end, at;
    if (reversed) {
        end = afx_pose_compose(near->pose, joint->follower_frame);
        at = afx_pose_compose(end, afx_pose_invert(motion));
        def.pose = afx_pose_compose(at, afx_pose_invert(joint->base_frame));
    } else {
        at = afx_pose_compose(near->pose, joint->base_frame);
        end = afx_pose_compose(at, motion);
        def.pose = afx_pose_compose(end, afx_pose_invert(joint->follower_frame));
    }
    double sense = reversed ? -1 : 1;
    AfxVec3 arm = v3_sub(end.position, near->pose.position);
    AfxVec3 carried = v3_add(near->linear_velocity, v3_cross(near->angular_velocity, arm));
    AfxVec3 velocity = v3_add(carried, v3_scale(sense, q_rotate(at.rotation, twist.linear)));
    def.angular_velocity = v3_add(near->angular_velocity, v3_scale(sense, q_rotate(at.rotation, twist.angular)));
    def.linear_velocity = v3_add(velocity, v3_cross(def.angular_velocity, v3_sub(def.pose.position, end.position)));
    return def;
}

Rig random_tree(uint32_t count, bool held, uint64_t *seed) {
    Rig rig = rig_make(v3(0.5, -1, -9.81));
    AfxBodyDef *def = calloc(count + 1, sizeof *def);
    AfxBodyId *id = calloc(count + 1, sizeof *id);
    def[0] = odd_def(seed);
    id[0] = afx_world();
    uint32_t first = 0;
    if (!held) {
        def[0].pose = random_pose(seed, 1);
        def[0].linear_velocity = random_vec3(seed, 1);
        def[0].angular_velocity = random_vec3(seed, 1);
        id[0] = rig_body(&rig, &def[0]);
        first = 1;
    } else {
        def[0].pose = afx_pose_identity();
        def[0].linear_velocity = def[0].angular_velocity = v3(0, 0, 0);
        first = 0;
    }
    for (uint32_t k = 1; k <= count - first; k++) {
        AfxJointDef joint = afx_default_joint(random_branch_kind(seed));
        bool reversed = random_unit(seed) < 0.4;
        uint32_t near = (uint32_t)(random_unit(seed) * k);
        def[k] = beyond(&def[near], &joint, reversed, seed);
        id[k] = rig_body(&rig, &def[k]);
        joint.base = id[reversed ? k : near];
        joint.follower = id[reversed ? near : k];
        rig_joint_def(&rig, &joint);
    }
    free(def);
    free(id);
    return rig;
}

void tree_rig_make(const Rig *rig, TreeRig *out) {
    uint32_t joints = afx_model_joint_count(rig->model);
    uint8_t *active = malloc(joints + 1u);
    memset(active, 1, joints + 1u);
    AfxAllocator allocator = afx_default_allocator();
    assert_ok(afxi_tree_create(rig->model, active, &allocator, &out->tree));
    free(active);
    assert_ok(afxi_tree_work_create(&out->tree, &out->work));
    size_t dofs = out->tree.dof_count;
    out->q = calloc(out->tree.coordinate_count + 1, sizeof *out->q);
    out->u = calloc(dofs + 1, sizeof *out->u);
    out->x = calloc(2 * dofs + 1, sizeof *out->x);
    out->mass = calloc(dofs * dofs + 1, sizeof *out->mass);
    const double *raw_q = afx_sim_coordinates(rig->sim), *raw_v = afx_sim_velocities(rig->sim);
    afxi_tree_from_raw(&out->tree, raw_q, raw_v, NULL, out->q, out->u);
    afxi_tree_set_moved(&out->work, raw_q, raw_v);
    afxi_tree_pose(&out->work, out->q);
    afxi_tree_velocity(&out->work, out->u);
    afxi_tree_inertia(&out->work);
}

void tree_rig_free(TreeRig *rig) {
    afxi_tree_work_destroy(&rig->work);
    afxi_tree_destroy(&rig->tree);
    free(rig->q);
    free(rig->u);
    free(rig->x);
    free(rig->mass);
}
