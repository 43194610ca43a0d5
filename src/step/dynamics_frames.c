/* SPDX-License-Identifier: Apache-2.0 */
/* Points, frames and centres of mass in joint coordinates: Jacobians, accelerations, momentum; and reactions in any
 * frame. */
#include <math.h>
#include <string.h>

#include "affix/dynamics.h"
#include "affix/robot.h"
#include "model/params.h"
#include "reduced/spatial.h"
#include "state/pose.h"
#include "step/dynamics_query.h"

/* ---- Jacobians ---- */

AfxStatus afx_sim_point_jacobian(AfxSim *sim, uint32_t body, AfxVec3 point, double *out_linear, double *out_angular) {
    AfxiDynamics *kept;
    if (!sim || body >= sim->model->body_count || !vec3_finite(point)) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus status = afxi_dynamics_now(sim, &kept);
    if (status != AFX_OK) {
        return status;
    }
    double *out[2] = {out_linear, out_angular};
    size_t rows = 3 * (size_t)kept->tree.dof_count;
    memset(kept->six, 0, 2 * rows * sizeof *kept->six);
    afxi_dynamics_add_point(sim, kept, body, point, 1, kept->six, kept->six + rows);
    for (size_t k = 0; k < 2; k++) {
        if (out[k]) {
            afxi_dynamics_tell_rows(kept, kept->six + k * rows, 3, out[k]);
        }
    }
    return AFX_OK;
}

AfxStatus afx_sim_site_jacobian(AfxSim *sim, uint32_t site, double *out_linear, double *out_angular) {
    if (!sim || site >= sim->model->robot.site_count) {
        return AFX_E_ARGUMENT;
    }
    const AfxiSite *at = &sim->model->robot.site[site];
    return afx_sim_point_jacobian(sim, at->body, at->pose.position, out_linear, out_angular);
}

/* ---- centres of mass ---- */

/* Whether a body is `first` or beyond it; UINT32_MAX: all are. */
static bool is_beyond(const AfxiTree *tree, uint32_t body, uint32_t first) {
    if (first == UINT32_MAX || body == first) {
        return true;
    }
    uint32_t at = tree->place[body];
    while (at != AFXI_TREE_NONE && tree->carried[at].body != first) {
        at = tree->carried[at].joint == AFXI_TREE_NONE ? AFXI_TREE_NONE : tree->carried[at].parent;
    }
    return at != AFXI_TREE_NONE;
}

/* The next moving body of those that users see, from `body` on, that is part of the whole. */
static uint32_t next_part(const AfxSim *sim, const AfxiTree *tree, uint32_t body, uint32_t first) {
    while (body < sim->model->shown.bodies &&
           (sim->model->kind[body] != AFX_BODY_DYNAMIC || !is_beyond(tree, body, first))) {
        body++;
    }
    return body;
}

static AfxiBodyClass class_of(const AfxSim *sim, uint32_t body) {
    return afxi_class_of_params(sim->model, sim->world.params, body);
}

static AfxStatus whole(AfxSim *sim, uint32_t first, AfxiDynamics **out, double *mass, AfxVec3 *center,
                       AfxVec3 *velocity) {
    if (!sim || (first != UINT32_MAX && first >= sim->model->shown.bodies)) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus status = afxi_dynamics_now(sim, out);
    *mass = 0;
    *center = *velocity = vec3(0, 0, 0);
    if (status != AFX_OK) {
        return status;
    }
    const AfxiTree *tree = &(*out)->tree;
    for (uint32_t b = next_part(sim, tree, 0, first); b < sim->model->shown.bodies;
         b = next_part(sim, tree, b + 1, first)) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * b + 9;
        double own = class_of(sim, b).mass;
        *mass += own;
        *center = vec3_mad(*center, own, vec3_load(sim->world.state.q + at));
        *velocity = vec3_mad(*velocity, own, vec3_load(sim->world.state.v + at));
    }
    if (!(*mass > 0)) {
        return AFX_E_ARGUMENT;
    }
    *center = vec3_scale(1 / *mass, *center);
    *velocity = vec3_scale(1 / *mass, *velocity);
    return AFX_OK;
}

AfxStatus afx_sim_center_of_mass(AfxSim *sim, uint32_t body, double *out_mass, AfxVec3 *out_position,
                                 AfxVec3 *out_velocity) {
    AfxiDynamics *kept;
    double mass;
    AfxVec3 center, velocity;
    AfxStatus status = whole(sim, body, &kept, &mass, &center, &velocity);
    if (status == AFX_OK) {
        if (out_mass) {
            *out_mass = mass;
        }
        if (out_position) {
            *out_position = center;
        }
        if (out_velocity) {
            *out_velocity = velocity;
        }
    }
    return status;
}

AfxStatus afx_sim_center_of_mass_jacobian(AfxSim *sim, uint32_t body, double *out_jacobian) {
    AfxiDynamics *kept;
    double mass;
    AfxVec3 center, velocity;
    AfxStatus status = out_jacobian ? whole(sim, body, &kept, &mass, &center, &velocity) : AFX_E_ARGUMENT;
    if (status != AFX_OK) {
        return status;
    }
    memset(kept->six, 0, 3 * (size_t)kept->tree.dof_count * sizeof *kept->six);
    for (uint32_t b = next_part(sim, &kept->tree, 0, body); b < sim->model->shown.bodies;
         b = next_part(sim, &kept->tree, b + 1, body)) {
        afxi_dynamics_add_point(sim, kept, b, afxi_model_frame(sim->model, b)->center, class_of(sim, b).mass / mass,
                                kept->six, NULL);
    }
    afxi_dynamics_tell_rows(kept, kept->six, 3, out_jacobian);
    return AFX_OK;
}

/* ---- momentum ---- */

/* Adds to rows 3 ... 5 what a body's motion is of angular momentum about a centre: r x m J_v + I J_w, where `motion`
 * are J_v and J_w, [6][n]. */
static void add_momentum(const AfxSim *sim, uint32_t body, AfxVec3 center, const double *motion, size_t n,
                         double *matrix) {
    const AfxiBodyClass class = class_of(sim, body);
    const double *q = sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * body;
    const AfxiMat3 a = mat3_load(q);
    const AfxVec3 arm = vec3_sub(vec3_load(q + 9), center);
    const double all = class.s[0] + class.s[1] + class.s[2];
    for (size_t d = 0; d < n; d++) {
        AfxVec3 v = vec3(motion[d], motion[n + d], motion[2 * n + d]);
        AfxVec3 w = vec3(motion[3 * n + d], motion[4 * n + d], motion[5 * n + d]);
        AfxVec3 own = mat3_apply_transposed(&a, w);
        own = vec3((all - class.s[0]) * own.x, (all - class.s[1]) * own.y, (all - class.s[2]) * own.z);
        AfxVec3 angular = vec3_add(vec3_scale(class.mass, vec3_cross(arm, v)), mat3_apply(&a, own));
        matrix[d] += class.mass * v.x;
        matrix[n + d] += class.mass * v.y;
        matrix[2 * n + d] += class.mass * v.z;
        matrix[3 * n + d] += angular.x;
        matrix[4 * n + d] += angular.y;
        matrix[5 * n + d] += angular.z;
    }
}

AfxStatus afx_sim_centroidal_momentum(AfxSim *sim, uint32_t body, AfxMomentum *out_momentum, double *out_matrix) {
    AfxiDynamics *kept;
    AfxMomentum momentum;
    AfxVec3 velocity;
    AfxStatus status = whole(sim, body, &kept, &momentum.mass, &momentum.center, &velocity);
    if (status != AFX_OK) {
        return status;
    }
    size_t n = kept->tree.dof_count, bytes = 6 * n * sizeof(double) + sizeof(double);
    double *matrix = afxi_allocate(&sim->def.allocator, bytes), *motion = kept->six;
    if (!matrix) {
        return AFX_E_MEMORY;
    }
    for (uint32_t b = next_part(sim, &kept->tree, 0, body); b < sim->model->shown.bodies;
         b = next_part(sim, &kept->tree, b + 1, body)) {
        memset(motion, 0, 6 * n * sizeof *motion);
        afxi_dynamics_add_point(sim, kept, b, afxi_model_frame(sim->model, b)->center, 1, motion, motion + 3 * n);
        add_momentum(sim, b, momentum.center, motion, n, matrix);
    }
    double sum[6] = {0};
    for (size_t k = 0; k < 6 * n; k++) {
        sum[k / n] += matrix[k] * kept->u[k % n];
    }
    momentum.linear = vec3_load(sum);
    momentum.angular = vec3_load(sum + 3);
    if (out_momentum) {
        *out_momentum = momentum;
    }
    if (out_matrix) {
        afxi_dynamics_tell_rows(kept, matrix, 6, out_matrix);
    }
    afxi_release(&sim->def.allocator, matrix, bytes);
    return AFX_OK;
}

/* ---- accelerations ---- */

/* Of a flywheel's point: along its column, and towards its axis. */
static void flywheel_acceleration(const AfxiDynamics *kept, uint32_t body, AfxVec3 point, const double *du,
                                  AfxVec3 *out_linear, AfxVec3 *out_angular) {
    *out_linear = *out_angular = vec3(0, 0, 0);
    for (uint32_t k = 0; k < kept->tree.flywheel_count; k++) {
        const AfxiFlywheel *wheel = &kept->tree.flywheel[k];
        if (wheel->body == body) {
            AfxVec3 linear, angular;
            double u = kept->u[wheel->dof];
            afxi_flywheel_columns(&kept->work, wheel, kept->q, point, &linear, &angular);
            *out_linear = vec3_mad(vec3_scale(du[wheel->dof], linear), u * u, vec3_cross(angular, linear));
            *out_angular = vec3_scale(du[wheel->dof], angular);
        }
    }
}

AfxStatus afx_sim_point_acceleration(AfxSim *sim, uint32_t body, AfxVec3 point, const double *accelerations,
                                     AfxVec3 *out_linear, AfxVec3 *out_angular) {
    AfxiDynamics *kept;
    if (!sim || body >= sim->model->body_count || !vec3_finite(point) || !out_linear || !out_angular) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus status = afxi_dynamics_now(sim, &kept);
    if (status == AFX_OK && accelerations && !afxi_dynamics_finite(accelerations, kept->dofs.count)) {
        status = AFX_E_ARGUMENT;
    }
    if (status != AFX_OK) {
        return status;
    }
    memset(kept->x, 0, kept->tree.dof_count * sizeof *kept->x);
    afxi_dofs_motion_in(&kept->dofs, accelerations ? accelerations : kept->x, true, kept->y);
    uint32_t place = kept->tree.place[body];
    if (place == AFXI_TREE_NONE || kept->tree.carried[place].node == AFXI_TREE_NONE) {
        flywheel_acceleration(kept, body, point, kept->y, out_linear, out_angular);
        return AFX_OK;
    }
    afxi_tree_inverse(&kept->work, kept->y, NULL, kept->x);
    const AfxiFrame *frame = afxi_model_frame(sim->model, body);
    const AfxiNodeState *node = &kept->work.node[kept->tree.carried[place].node];
    AfxVec3 local = mat3_apply_transposed(&frame->axes, vec3_sub(point, frame->center)), t;
    AfxiMat3 r;
    afxi_tree_body(&kept->work, place, &r, &t);
    AfxVec3 reference = kept->work.reference[kept->tree.node[kept->tree.carried[place].node].first];
    AfxVec3 arm = vec3_sub(vec3_add(t, mat3_apply(&r, local)), reference), w = node->velocity.w;
    AfxVec3 velocity = vec3_add(node->velocity.v, vec3_cross(w, arm));
    AfxVec3 a = vec3_add(node->acceleration.v, vec3_load(kept->tree.gravity)); /* which counts upwards there */
    *out_linear = vec3_add(vec3_add(a, vec3_cross(node->acceleration.w, arm)), vec3_cross(w, velocity));
    *out_angular = node->acceleration.w;
    return AFX_OK;
}

/* ---- reactions ---- */

AfxStatus afx_sim_joint_reaction_in(const AfxSim *sim, uint32_t joint, AfxPose frame, AfxWrench *out_reaction) {
    AfxWrench reaction;
    AfxStatus status =
        out_reaction && afxi_pose_valid(frame) ? afx_sim_joint_reaction(sim, joint, &reaction) : AFX_E_ARGUMENT;
    if (status != AFX_OK) {
        return status;
    }
    const AfxiJoint *source = &sim->model->joints[joint];
    const AfxiJointFrame *at = afxi_world_joint_frame(&sim->world, joint);
    const double *q = sim->world.state.q;
    AfxiMat3 base = mat3_identity(), follower = mat3_identity();
    AfxVec3 point = at->point_a;
    if (source->base != AFXI_WORLD) {
        AfxPose pose;
        afx_sim_body_pose(sim, source->base, &pose);
        AfxiMat3 own = mat3_from_quat(pose.rotation);
        base = mat3_multiply(&own, &afxi_model_frame(sim->model, source->base)->axes);
    }
    if (source->follower != AFXI_WORLD) {
        follower = mat3_load(q + (size_t)AFXI_AFFINE_WIDTH * source->follower);
        point = vec3_add(mat3_apply(&follower, at->point_a),
                         vec3_load(q + (size_t)AFXI_AFFINE_WIDTH * source->follower + 9));
    }
    AfxiMat3 axes = mat3_multiply(&base, &at->axes_b), to = mat3_from_quat(afxi_quat_normalized(frame.rotation));
    AfxVec3 force = mat3_apply(&axes, reaction.force);
    AfxVec3 torque = vec3_add(mat3_apply(&axes, reaction.torque), vec3_cross(vec3_sub(point, frame.position), force));
    out_reaction->force = mat3_apply_transposed(&to, force);
    out_reaction->torque = mat3_apply_transposed(&to, torque);
    return AFX_OK;
}
