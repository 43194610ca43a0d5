/* SPDX-License-Identifier: Apache-2.0 */
/* Energy of a crowd: kinetic, of gravity and of strain by afx_sim_energy, and that of springs about balls, half of
 * stiffness times angle squared, from the poses. Drives work with their effort along their coordinate, the mean of both
 * ends of the step: the springs and dampers among them too. Kinematic bodies work with the forces that their joints and
 * contacts pass on, along the way of the point that they act at. What is left of the energy when this is taken off must
 * not grow. */
#include "crowd.h"
#include "support/check.h"
#include "support/rigid_reference.h"
#include "tests.h"

#include <stdlib.h>

static double ball_springs(const Crowd *crowd) {
    double energy = 0;
    for (uint32_t k = 0; k < afx_scene_joint_count(crowd->scene); ++k) {
        AfxJointDef joint;
        assert_ok(afx_scene_get_joint(crowd->scene, afx_scene_joint(crowd->scene, k), &joint));
        AfxVec3 stiffness = joint.spring.stiffness;
        if (stiffness.x > 0) {
            AfxQuat base = q_multiply(crowd->poses[joint.base.index].rotation, joint.base_frame.rotation);
            AfxQuat follower = q_multiply(crowd->poses[joint.follower.index].rotation, joint.follower_frame.rotation);
            double angle = q_distance(q_multiply(base, joint.spring.rest), follower);
            assert_true(stiffness.x == stiffness.y && stiffness.x == stiffness.z);
            energy += 0.5 * stiffness.x * angle * angle;
        }
    }
    return energy;
}

static double total(const Crowd *crowd) {
    AfxEnergy energy;
    assert_ok(afx_sim_energy(crowd->sim, &energy));
    assert_true(isfinite(energy.total));
    return energy.total + ball_springs(crowd);
}

static double drive_value(const Crowd *crowd, uint32_t drive) {
    AfxDriveDef def;
    double value;
    assert_ok(afx_scene_get_drive(crowd->scene, drive, &def));
    assert_ok(afx_sim_joint_coordinate(crowd->sim, def.joint.index, def.axis, &value, NULL));
    return value;
}

/* The effort before the first step is taken to be that after it. */
static double drives_work(Crowd *crowd) {
    bool first = !crowd->efforts;
    uint32_t count = afx_scene_drive_count(crowd->scene);
    double work = 0;
    if (first) {
        crowd->efforts = calloc(count + 1, sizeof(double));
        assert_non_null(crowd->efforts);
    }
    for (uint32_t k = 0; k < count; ++k) {
        double value = drive_value(crowd, k), effort;
        assert_ok(afx_sim_drive_effort(crowd->sim, k, &effort));
        work += 0.5 * (effort + (first ? effort : crowd->efforts[k])) * (value - crowd->values[k]);
        crowd->values[k] = value;
        crowd->efforts[k] = effort;
    }
    return work;
}

/* The way of the point of a body that is at `point` now. */
static AfxVec3 way_of(const Crowd *crowd, uint32_t body, AfxVec3 point) {
    AfxPose before = crowd->poses_before[body], after = crowd->poses[body];
    AfxVec3 own = q_rotate(q_conjugate(after.rotation), v3_sub(point, after.position));
    return v3_sub(point, v3_add(before.position, q_rotate(before.rotation, own)));
}

static double joints_work(Crowd *crowd) {
    bool first = !crowd->forces;
    double work = 0;
    if (first) {
        crowd->forces = calloc(afx_scene_joint_count(crowd->scene) + 1, sizeof(AfxVec3));
        assert_non_null(crowd->forces);
    }
    for (uint32_t k = 0; k < afx_scene_joint_count(crowd->scene); ++k) {
        AfxJointDef joint;
        AfxWrench reaction;
        assert_ok(afx_scene_get_joint(crowd->scene, afx_scene_joint(crowd->scene, k), &joint));
        uint32_t base = joint.base.index;
        if (base >= crowd->body_count || afx_model_body_kind(crowd->model, base) != AFX_BODY_KINEMATIC) {
            continue;
        }
        assert_int_equal(joint.kind, AFX_JOINT_SPHERICAL); /* no torque to account for */
        assert_ok(afx_sim_joint_reaction(crowd->sim, k, &reaction));
        AfxPose pose = crowd->poses[base];
        AfxVec3 force = q_rotate(q_multiply(pose.rotation, joint.base_frame.rotation), reaction.force);
        AfxVec3 point = v3_add(pose.position, q_rotate(pose.rotation, joint.base_frame.position));
        AfxVec3 mean = v3_scale(0.5, v3_add(force, first ? force : crowd->forces[k]));
        work += v3_dot(mean, way_of(crowd, base, point));
        crowd->forces[k] = force;
    }
    return work;
}

static double contacts_work(const Crowd *crowd) {
    double work = 0;
    for (uint32_t k = 0; k < afx_sim_contact_count(crowd->sim); ++k) {
        AfxContact contact;
        assert_ok(afx_sim_contact(crowd->sim, k, &contact));
        if (afx_model_body_kind(crowd->model, contact.body_b) == AFX_BODY_KINEMATIC) {
            AfxVec3 force = v3_add(v3_scale(contact.force, contact.normal), contact.friction);
            work += v3_dot(force, way_of(crowd, contact.body_b, contact.point));
        }
    }
    return work;
}

void crowd_energy_start(Crowd *crowd) {
    uint32_t count = afx_scene_drive_count(crowd->scene);
    crowd->values = calloc(count + 1, sizeof(double));
    assert_non_null(crowd->values);
    for (uint32_t k = 0; k < count; ++k) {
        crowd->values[k] = drive_value(crowd, k);
    }
    crowd->energy = total(crowd);
}

void crowd_energy_step(Crowd *crowd) {
    crowd->work += drives_work(crowd) + joints_work(crowd) + contacts_work(crowd);
    crowd->energy = total(crowd) - crowd->work;
}
