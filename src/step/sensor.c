/* SPDX-License-Identifier: Apache-2.0 */
/* Readings of sensors. Accelerations are changes of velocities over the last step, so that an accelerometer tells what
 * one with that sampling time would; forces are those of the multipliers. */
#include "affix/sensor.h"

#include <math.h>
#include <string.h>

#include "affix/dynamics.h"
#include "base/memory.h"
#include "contact/ray.h"
#include "model/model.h"
#include "state/pose.h"
#include "step/eyes.h"
#include "step/joint_query.h"
#include "step/sensor_contact.h"
#include "step/sensor_more.h"
#include "step/sim.h"

/* A site as it is: its frame in the world, how it moves, and how that has changed in the last step. */
typedef struct Frame {
    uint32_t body;
    AfxPose pose;
    AfxTwist twist, change; /* change: per second; of the origin */
} Frame;

static AfxTwist at_site(AfxTwist twist, AfxVec3 arm) {
    return (AfxTwist){vec3_add(twist.linear, vec3_cross(twist.angular, arm)), twist.angular};
}

static Frame frame_of(const AfxSim *sim, uint32_t site) {
    const AfxiSite *s = &sim->model->robot.site[site];
    const AfxiState *state = &sim->world.state;
    const AfxiFrame *principal = afxi_model_frame(sim->model, s->body);
    size_t at = (size_t)AFXI_AFFINE_WIDTH * s->body;
    AfxPose body = afxi_pose_from_raw(principal, state->q + at);
    Frame f = {.body = s->body, .pose = afx_pose_compose(body, s->pose)};
    f.twist = at_site(afxi_twist_from_raw(principal, state->q + at, state->v + at),
                      afx_quat_rotate(body.rotation, s->pose.position));
    if (state->head->has_history && sim->model->kind[s->body] == AFX_BODY_DYNAMIC) {
        AfxPose old = afxi_pose_from_raw(principal, state->previous_q + at);
        AfxTwist before = at_site(afxi_twist_from_raw(principal, state->previous_q + at, state->previous_v + at),
                                  afx_quat_rotate(old.rotation, s->pose.position));
        double rate = 1 / state->head->dt;
        f.change.linear = vec3_scale(rate, vec3_sub(f.twist.linear, before.linear));
        f.change.angular = vec3_scale(rate, vec3_sub(f.twist.angular, before.angular));
    }
    return f;
}

static AfxVec3 in_site(const Frame *f, AfxVec3 v) {
    AfxQuat q = f->pose.rotation;
    return afx_quat_rotate((AfxQuat){q.w, -q.x, -q.y, -q.z}, v);
}

/* ---- touch ---- */

/* Whether a contact point of a body is felt: in the zone, or where the normal into the body leads there. */
static bool is_felt(const AfxiSensor *sensor, const Frame *f, const AfxContact *contact) {
    if (sensor->zone == 0) {
        return true;
    }
    AfxiGeometry zone = afxi_sensor_zone(sensor);
    AfxVec3 normal = vec3_scale(contact->body_a == f->body ? 1 : -1, contact->normal), out;
    double s;
    return afxi_ray(&zone, in_site(f, vec3_sub(contact->point, f->pose.position)), in_site(f, normal), INFINITY, &s,
                    &out);
}

static double touch_of(const AfxSim *sim, const AfxiSensor *sensor, const Frame *f) {
    double sum = 0;
    for (uint32_t k = 0; k < afx_sim_contact_count(sim); k++) {
        AfxContact contact;
        afx_sim_contact(sim, k, &contact);
        bool own = contact.body_a == f->body || contact.body_b == f->body;
        sum += own && is_felt(sensor, f, &contact) ? contact.force : 0;
    }
    return sum;
}

/* ---- forces through joints ---- */

/* The joint that forward kinematics places a body by; UINT32_MAX: none. */
static uint32_t carrier(const AfxModel *model, uint32_t body) {
    for (uint32_t k = 0; k < model->robot.step_count; k++) {
        if (model->robot.step[k].body == body) {
            return model->robot.step[k].joint;
        }
    }
    return UINT32_MAX;
}

/* Efforts of drives along the free axes of a joint, in its base's axes: exact for axes that are square to each other,
 * as all are but the last ones of two or three rotations. */
static void add_efforts(const AfxSim *sim, uint32_t joint, AfxWrench *wrench) {
    const AfxiJoint *source = &sim->model->joints[joint];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
    for (uint32_t d = 0; d < source->drive_count; d++) {
        uint32_t drive = sim->model->drive_order[source->first_drive + d], axis = sim->model->drives[drive].axis;
        double effort = 0;
        if (axis >= kind->axis_count) {
            continue;
        }
        AfxVec3 along = vec3(kind->axes[axis].axis == 0, kind->axes[axis].axis == 1, kind->axes[axis].axis == 2);
        AfxVec3 *to = kind->axes[axis].type == AFXI_AXIS_TRANSLATION ? &wrench->force : &wrench->torque;
        afx_sim_drive_effort(sim, drive, &effort);
        *to = vec3_mad(*to, effort, along);
    }
}

/* What the parent puts on the body of a site, about the site, world axes. */
static AfxWrench through_joint(const AfxSim *sim, const Frame *f) {
    AfxWrench wrench = {{0, 0, 0}, {0, 0, 0}};
    uint32_t joint = carrier(sim->model, f->body);
    if (joint == UINT32_MAX || afx_sim_joint_reaction(sim, joint, &wrench) != AFX_OK) {
        return wrench;
    }
    const AfxiJoint *source = &sim->model->joints[joint];
    const AfxiJointFrame *frame = afxi_world_joint_frame(&sim->world, joint);
    AfxPose base = afx_pose_identity();
    add_efforts(sim, joint, &wrench);
    if (source->base != AFXI_WORLD) {
        base = afxi_pose_from_raw(afxi_model_frame(sim->model, source->base),
                                  sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * source->base);
        AfxiMat3 own = mat3_multiply(&afxi_model_frame(sim->model, source->base)->axes, &frame->axes_b);
        base.rotation = afx_quat_multiply(base.rotation, afxi_quat_from_mat3(&own));
    } else {
        base.rotation = afxi_quat_from_mat3(&frame->axes_b);
    }
    AfxVec3 point = frame->point_a;
    if (source->follower != AFXI_WORLD) {
        const double *q = sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * source->follower;
        AfxiMat3 a = mat3_load(q);
        point = vec3_add(mat3_apply(&a, frame->point_a), vec3_load(q + 9));
    }
    double sign = source->follower == f->body ? 1 : -1;
    AfxVec3 force = vec3_scale(sign, afx_quat_rotate(base.rotation, wrench.force));
    AfxVec3 torque = vec3_scale(sign, afx_quat_rotate(base.rotation, wrench.torque));
    return (AfxWrench){force, vec3_add(torque, vec3_cross(vec3_sub(point, f->pose.position), force))};
}

/* ---- kinds ---- */

static AfxVec3 read_vector(const AfxSim *sim, AfxSensorKind kind, const Frame *f) {
    AfxVec3 gravity = vec3_load(afxi_world_param(&sim->world, AFX_PARAM_GRAVITY, 0));
    bool moved = sim->world.state.head->has_history;
    switch (kind) {
    case AFX_SENSOR_ACCELEROMETER:
        return in_site(f, moved ? vec3_sub(f->change.linear, gravity) : vec3(0, 0, 0));
    case AFX_SENSOR_VELOCIMETER:
        return in_site(f, f->twist.linear);
    case AFX_SENSOR_GYRO:
        return in_site(f, f->twist.angular);
    case AFX_SENSOR_FORCE:
        return in_site(f, through_joint(sim, f).force);
    case AFX_SENSOR_TORQUE:
        return in_site(f, through_joint(sim, f).torque);
    case AFX_SENSOR_FRAME_POSITION:
        return f->pose.position;
    case AFX_SENSOR_FRAME_X:
    case AFX_SENSOR_FRAME_Y:
    case AFX_SENSOR_FRAME_Z:
        return afx_quat_rotate(
            f->pose.rotation, vec3(kind == AFX_SENSOR_FRAME_X, kind == AFX_SENSOR_FRAME_Y, kind == AFX_SENSOR_FRAME_Z));
    case AFX_SENSOR_FRAME_VELOCITY:
        return f->twist.linear;
    case AFX_SENSOR_FRAME_ANGULAR_VELOCITY:
        return f->twist.angular;
    case AFX_SENSOR_FRAME_ACCELERATION:
        return f->change.linear;
    default:
        return f->change.angular;
    }
}

/* Seen from another frame, and relative to it; what changes per second is not. */
static Frame relative_to(const Frame *f, const Frame *reference) {
    AfxVec3 arm = vec3_sub(f->pose.position, reference->pose.position);
    AfxTwist carried = at_site(reference->twist, arm);
    Frame seen = {.body = f->body, .pose = afx_pose_compose(afx_pose_invert(reference->pose), f->pose)};
    seen.twist.linear = in_site(reference, vec3_sub(f->twist.linear, carried.linear));
    seen.twist.angular = in_site(reference, vec3_sub(f->twist.angular, carried.angular));
    return seen;
}

/* Of the body of a site and all that it carries; nothing where nothing of that moves. */
static AfxVec3 read_subtree(AfxSim *sim, AfxSensorKind kind, const Frame *f) {
    AfxVec3 center = f->pose.position, velocity = {0, 0, 0};
    AfxMomentum momentum = {0};
    uint32_t body = sim->model->kind[f->body] == AFX_BODY_DYNAMIC ? f->body : UINT32_MAX;
    if (kind == AFX_SENSOR_SUBTREE_MOMENTUM) {
        return afx_sim_centroidal_momentum(sim, body, &momentum, NULL) == AFX_OK ? momentum.angular : vec3(0, 0, 0);
    }
    if (afx_sim_center_of_mass(sim, body, NULL, &center, &velocity) != AFX_OK) {
        velocity = vec3(0, 0, 0);
    }
    return kind == AFX_SENSOR_SUBTREE_CENTER ? center : velocity;
}

static double read_range(const AfxSim *sim, const AfxiSensor *sensor, const Frame *f) {
    AfxVec3 along = afx_quat_rotate(f->pose.rotation, vec3(0, 0, 1));
    return afxi_eyes_range(sim, f->pose.position, along, sensor->cutoff > 0 ? sensor->cutoff : INFINITY, f->body);
}

static void read_site(AfxSim *sim, const AfxiSensor *sensor, double *out) {
    Frame f = frame_of(sim, sensor->object);
    if (sensor->reference != UINT32_MAX) {
        Frame reference = frame_of(sim, sensor->reference);
        f = relative_to(&f, &reference);
    }
    if (sensor->kind == AFX_SENSOR_TOUCH) {
        *out = touch_of(sim, sensor, &f);
    } else if (sensor->kind == AFX_SENSOR_RANGEFINDER) {
        *out = read_range(sim, sensor, &f);
    } else if (sensor->kind == AFX_SENSOR_MAGNETOMETER) {
        vec3_store(out, in_site(&f, sensor->field));
    } else if (sensor->kind >= AFX_SENSOR_SUBTREE_CENTER && sensor->kind <= AFX_SENSOR_SUBTREE_MOMENTUM) {
        vec3_store(out, read_subtree(sim, (AfxSensorKind)sensor->kind, &f));
    } else if (sensor->kind == AFX_SENSOR_FRAME_QUATERNION) {
        AfxQuat q = f.pose.rotation;
        const double parts[4] = {q.w, q.x, q.y, q.z};
        memcpy(out, parts, sizeof parts);
    } else {
        vec3_store(out, read_vector(sim, (AfxSensorKind)sensor->kind, &f));
    }
}

static double read_energy(AfxSim *sim, AfxSensorKind kind) {
    AfxEnergy energy = {0};
    afx_sim_energy(sim, &energy);
    return kind == AFX_SENSOR_KINETIC_ENERGY ? energy.kinetic : energy.potential + energy.elastic;
}

/* ---- actuators and tendons ---- */

static double read_actuator(const AfxSim *sim, const AfxiSensor *sensor) {
    const AfxiControl *control = &sim->model->robot.control[sensor->object];
    double value = 0, rate = 0;
    if (control->drive == UINT32_MAX) {
        return 0; /* a site without a reference has no length */
    }
    const AfxiDrive *drive = &sim->model->drives[control->drive];
    afxi_joint_coordinate(sim, drive->joint, drive->axis, &value, &rate);
    return sensor->kind == AFX_SENSOR_ACTUATOR_POSITION ? control->gear * value + control->length
                                                        : control->gear * rate;
}

/* What controls put along a generalised coordinate by drives on its joint. */
static double read_controls(const AfxSim *sim, const AfxiGeneralized *g) {
    double sum = 0;
    for (uint32_t k = 0; k < sim->model->robot.control_count; k++) {
        uint32_t drive = sim->model->robot.control[k].drive;
        double effort = 0;
        if (drive != UINT32_MAX && sim->model->drives[drive].joint == g->shown.joint &&
            sim->model->drives[drive].axis == g->shown.axis && afx_sim_drive_effort(sim, drive, &effort) == AFX_OK) {
            sum += g->sign * effort;
        }
    }
    return sum;
}

/* What controls put along the sum of a coupling. */
static double read_tendon_controls(const AfxSim *sim, const AfxiCoupling *coupling) {
    uint32_t joint = coupling->joint[coupling->term_count - 1], axis = coupling->axis[coupling->term_count - 1];
    double sum = 0, effort = 0;
    for (uint32_t k = 0; k < sim->model->robot.control_count && joint >= sim->model->shown.joints; k++) {
        uint32_t drive = sim->model->robot.control[k].drive;
        if (drive != UINT32_MAX && sim->model->drives[drive].joint == joint && sim->model->drives[drive].axis == axis &&
            afx_sim_drive_effort(sim, drive, &effort) == AFX_OK) {
            sum += effort;
        }
    }
    return sum;
}

static double read_coupling(const AfxSim *sim, const AfxiSensor *sensor) {
    const AfxiCoupling *coupling = &sim->model->couplings[sensor->object];
    const double *factor = afxi_world_param(&sim->world, AFX_PARAM_COUPLING, sensor->object);
    double sum = 0, way = -factor[AFX_COUPLING_TERMS];
    for (uint32_t k = 0; k < coupling->term_count && coupling->joint[k] < sim->model->shown.joints; k++) {
        double value = 0, rate = 0;
        afxi_joint_coordinate(sim, coupling->joint[k], coupling->axis[k], &value, &rate);
        way += factor[k] * value;
        sum += factor[k] * rate;
    }
    return sensor->kind == AFX_SENSOR_TENDON_POSITION ? way : sum;
}

static void read_one(AfxSim *sim, const AfxiSensor *sensor, const double *qpos, const double *qvel, double *out) {
    const AfxiGeneralized *g = sim->model->robot.generalized + sensor->object;
    switch (sensor->kind) {
    case AFX_SENSOR_JOINT_POSITION:
        *out = qpos[g->shown.qpos];
        break;
    case AFX_SENSOR_JOINT_VELOCITY:
        *out = qvel[g->shown.qvel];
        break;
    case AFX_SENSOR_BALL_QUATERNION:
        memcpy(out, qpos + g->shown.qpos + (g->shown.kind == AFX_GENERALIZED_FREE ? 3 : 0), 4 * sizeof *out);
        break;
    case AFX_SENSOR_BALL_VELOCITY:
        memcpy(out, qvel + g->shown.qvel + (g->shown.kind == AFX_GENERALIZED_FREE ? 3 : 0), 3 * sizeof *out);
        break;
    case AFX_SENSOR_ACTUATOR_FORCE:
        afx_sim_control_force(sim, sensor->object, out);
        break;
    case AFX_SENSOR_CLOCK:
        *out = afx_sim_time(sim);
        break;
    case AFX_SENSOR_ACTUATOR_POSITION:
    case AFX_SENSOR_ACTUATOR_VELOCITY:
        *out = read_actuator(sim, sensor);
        break;
    case AFX_SENSOR_JOINT_ACTUATOR_FORCE:
        *out = read_controls(sim, g);
        break;
    case AFX_SENSOR_TENDON_POSITION:
    case AFX_SENSOR_TENDON_VELOCITY:
        *out = read_coupling(sim, sensor);
        break;
    case AFX_SENSOR_POTENTIAL_ENERGY:
    case AFX_SENSOR_KINETIC_ENERGY:
        *out = read_energy(sim, (AfxSensorKind)sensor->kind);
        break;
    case AFX_SENSOR_JOINT_LIMIT_POSITION:
    case AFX_SENSOR_JOINT_LIMIT_VELOCITY:
    case AFX_SENSOR_JOINT_LIMIT_FORCE:
    case AFX_SENSOR_TENDON_LIMIT_POSITION:
    case AFX_SENSOR_TENDON_LIMIT_VELOCITY:
    case AFX_SENSOR_TENDON_LIMIT_FORCE:
        *out = afxi_sensor_limit(sim, sensor);
        break;
    case AFX_SENSOR_INSIDE:
    case AFX_SENSOR_CAMERA_PROJECTION:
        afxi_sensor_seen(sim, sensor, out);
        break;
    case AFX_SENSOR_DISTANCE:
    case AFX_SENSOR_NORMAL:
    case AFX_SENSOR_FROM_TO:
        afxi_sensor_apart(sim, sensor, out);
        break;
    case AFX_SENSOR_CONTACT:
        afxi_sensor_contact(sim, sensor, out);
        break;
    case AFX_SENSOR_TENDON_ACTUATOR_FORCE:
        *out = read_tendon_controls(sim, &sim->model->couplings[sensor->object]);
        break;
    default:
        read_site(sim, sensor, out);
    }
}

AfxStatus afx_sim_sensordata(AfxSim *sim, double *out_values) {
    if (!sim || !out_values) {
        return AFX_E_ARGUMENT;
    }
    const AfxiRobot *robot = &sim->model->robot;
    size_t bytes = ((size_t)robot->qpos_count + robot->qvel_count + 1) * sizeof(double);
    double *qpos = afxi_allocate(&sim->def.allocator, bytes);
    if (!qpos) {
        return AFX_E_MEMORY;
    }
    double *qvel = qpos + robot->qpos_count;
    afx_sim_qpos(sim, qpos);
    afx_sim_qvel(sim, qvel);
    afxi_eyes_open(sim);
    for (uint32_t k = 0; k < robot->sensor_count; k++) {
        const AfxiSensor *sensor = &robot->sensor[k];
        uint32_t size = sensor->size;
        read_one(sim, sensor, qpos, qvel, out_values);
        bool cut = sensor->cutoff > 0 && sensor->kind != AFX_SENSOR_FRAME_QUATERNION &&
                   sensor->kind != AFX_SENSOR_RANGEFINDER &&
                   (sensor->kind < AFX_SENSOR_INSIDE || sensor->kind > AFX_SENSOR_FROM_TO); /* whose reach it is */
        for (uint32_t n = 0; n < size && cut; n++) {
            out_values[n] = fmin(fmax(out_values[n], -sensor->cutoff), sensor->cutoff);
        }
        out_values += size;
    }
    afxi_release(&sim->def.allocator, qpos, bytes);
    return AFX_OK;
}
