/* SPDX-License-Identifier: Apache-2.0 */
/* Energy of what stores some, from the definitions. */
#include "examine.h"
#include "support/rigid_reference.h"

static double square(double x) {
    return x * x;
}

static AfxPose end_pose(const AfxSim *sim, uint32_t body, AfxPose frame) {
    AfxPose pose = {{0, 0, 0}, {1, 0, 0, 0}};
    if (body != WORLD) {
        afx_sim_body_pose(sim, body, &pose);
    }
    return (AfxPose){v3_add(pose.position, q_rotate(pose.rotation, frame.position)),
                     q_multiply(pose.rotation, frame.rotation)};
}

/* Where a point of a body is, strain included. */
static AfxVec3 end_point(const AfxSim *sim, uint32_t body, AfxVec3 point) {
    AfxVec3 rest[4] = {point, point, point, point}, at[4] = {point};
    if (body != WORLD) {
        afx_sim_control_points(sim, body, rest, at, NULL);
    }
    return at[0];
}

/* Of a drive on a coordinate at x. */
static double drive_energy(const AfxDriveDef *def, double x) {
    switch (def->kind) {
    case AFX_DRIVE_SPRING:
        return 0.5 * def->stiffness * square(x - def->rest);
    case AFX_DRIVE_SERVO:
        return def->target.kind == AFX_SIGNAL_CONSTANT && isinf(def->effort)
                   ? 0.5 * def->stiffness * square(x - def->target.coefficients[0])
                   : 0;
    case AFX_DRIVE_FORCE:
        return def->target.kind == AFX_SIGNAL_CONSTANT ? -def->target.coefficients[0] * x : 0;
    default:
        return 0;
    }
}

/* Half the sum of stiffness times θ², axis by axis of the base's frame. */
static double ball_energy(const AfxJointDef *def, AfxPose base, AfxPose follower) {
    AfxQuat seen = q_multiply(q_conjugate(base.rotation), follower.rotation);
    AfxQuat turn = q_multiply(seen, q_conjugate(def->spring.rest));
    AfxVec3 way = v3(turn.x, turn.y, turn.z);
    double sine = v3_norm(way), angle = 2 * atan2(sine, fabs(turn.w));
    AfxVec3 theta = sine > 0 ? v3_scale((turn.w < 0 ? -angle : angle) / sine, way) : way;
    return 0.5 * (def->spring.stiffness.x * square(theta.x) + def->spring.stiffness.y * square(theta.y) +
                  def->spring.stiffness.z * square(theta.z));
}

/* Numbers that bodies and joints have in the model: those that are gone have none. */
typedef struct Numbers {
    uint32_t body[BODIES_MOST], joint[JOINTS_MOST];
} Numbers;

static Numbers number(const Mechanism *m) {
    Numbers out;
    uint32_t bodies = 0, joints = 0;
    for (uint32_t k = 0; k < m->body_count; k++) {
        out.body[k] = m->body[k].gone ? WORLD : bodies++;
    }
    for (uint32_t k = 0; k < m->joint_count; k++) {
        out.joint[k] = m->joint[k].gone ? WORLD : joints++;
    }
    return out;
}

static double coordinate(const AfxSim *sim, uint32_t joint, uint32_t axis) {
    double value = 0;
    afx_sim_joint_coordinate(sim, joint, axis, &value, NULL);
    return value;
}

static double coupling_energy(const Mechanism *m, const PartCoupling *coupling, const Numbers *numbers,
                              const AfxSim *sim) {
    double sum = 0;
    for (uint32_t t = 0; t < coupling->def.term_count; t++) {
        uint32_t joint = coupling->joint[t], axis = coupling->def.axis[t];
        if (!m->joint[joint].gone) {
            sum += coupling->def.factor[t] *
                   (coordinate(sim, numbers->joint[joint], axis) - m->joint[joint].coordinate[axis]);
        }
    }
    return coupling->gone || coupling->def.compliance <= 0 ? 0 : 0.5 * sum * sum / coupling->def.compliance;
}

double stored_energy(const Mechanism *mechanism, const AfxSim *sim, AfxEnergy *out_parts, double *out_springs) {
    const Mechanism *m = mechanism;
    Numbers numbers = number(m);
    double springs = 0, actuators = 0;
    for (uint32_t k = 0; k < m->drive_count; k++) {
        if (acts(m, &m->drive[k])) {
            uint32_t joint = numbers.joint[m->drive[k].joint];
            double held = drive_energy(&m->drive[k].def, coordinate(sim, joint, m->drive[k].def.axis));
            *(m->drive[k].def.kind == AFX_DRIVE_SPRING ? &springs : &actuators) += held;
        }
    }
    for (uint32_t k = 0; k < m->joint_count; k++) {
        const PartJoint *joint = &m->joint[k];
        if (!joint->gone && joint->def.kind == AFX_JOINT_SPHERICAL) {
            uint32_t base = joint->base == WORLD ? WORLD : numbers.body[joint->base];
            springs += ball_energy(&joint->def, end_pose(sim, base, joint->def.base_frame),
                                   end_pose(sim, numbers.body[joint->follower], joint->def.follower_frame));
        }
    }
    for (uint32_t k = 0; k < m->spring_count; k++) {
        const PartSpring *spring = &m->spring[k];
        if (!spring->gone) {
            AfxVec3 a = end_point(sim, numbers.body[spring->a], spring->def.point_a);
            AfxVec3 b = end_point(sim, spring->b == WORLD ? WORLD : numbers.body[spring->b], spring->def.point_b);
            springs += 0.5 * spring->def.stiffness * square(v3_distance(a, b) - spring->def.rest_length);
        }
    }
    for (uint32_t k = 0; k < m->coupling_count; k++) {
        springs += coupling_energy(m, &m->coupling[k], &numbers, sim);
    }
    afx_sim_energy(sim, out_parts);
    *out_springs = springs;
    return out_parts->total + springs + actuators;
}
