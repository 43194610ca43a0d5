/* SPDX-License-Identifier: Apache-2.0 */
/* Controls, keyframes and sites of a sim. A control acts from the next step on and is held over it: what a drive takes
 * from input is the same at the beginning and at the end of the step. */
#include <math.h>
#include <string.h>

#include "affix/robot.h"
#include "joint/law.h"
#include "math/vec3.h"
#include "model/model.h"
#include "step/control_input.h"
#include "step/history.h"
#include "step/joint_query.h"
#include "step/muscle.h"
#include "step/sim.h"
#include "step/sleep.h"

/* A servo without stiffness takes the rate of its target. */
static bool takes_rate(const AfxSim *sim, uint32_t drive) {
    const double *numbers = afxi_world_param(&sim->world, AFX_PARAM_DRIVE, drive);
    return sim->model->drives[drive].kind == AFX_DRIVE_SERVO && numbers[AFXI_DRIVE_STIFFNESS] == 0;
}

static AfxStatus set_drive(AfxSim *sim, uint32_t drive, double value) {
    bool rate = takes_rate(sim, drive);
    double *input = sim->world.state.drive_input + 4 * (size_t)drive;
    if (!isfinite(value)) {
        return AFX_E_ARGUMENT;
    }
    if (input[2 + rate] != value || input[2 + !rate] != 0) {
        afxi_sleep_wake_joint(sim, sim->model->drives[drive].joint);
    }
    input[rate] = input[2 + rate] = value;
    input[!rate] = input[2 + !rate] = 0;
    return AFX_OK;
}

static AfxStatus set_wrench(AfxSim *sim, const AfxiControl *control, double value) {
    double w[6];
    for (int k = 0; k < 6; k++) {
        w[k] = control->gain * value * control->direction[k];
    }
    return afx_sim_set_param(sim, AFX_PARAM_WRENCH, control->wrench, w);
}

/* Whether what it does is not its value alone. */
static bool has_state(const AfxiControl *c) {
    return c->activation.kind != AFX_ACTIVATION_NONE || c->muscle.force > 0 || c->damping != 0 ||
           c->adhesion != UINT32_MAX || c->safety.brake != UINT32_MAX;
}

/* What acts in the next step. */
static AfxStatus put(AfxSim *sim, const AfxiControl *c, double value) {
    return c->drive != UINT32_MAX ? set_drive(sim, c->drive, c->gain * value + c->offset) : set_wrench(sim, c, value);
}

AfxStatus afx_sim_set_control(AfxSim *sim, uint32_t control, double value) {
    if (!sim || control >= sim->model->robot.control_count || isnan(value)) {
        return AFX_E_ARGUMENT;
    }
    const AfxiControl *c = &sim->model->robot.control[control];
    double u = fmin(fmax(value, c->lower), c->upper);
    if (!isfinite(u)) {
        return AFX_E_ARGUMENT;
    }
    if (has_state(c)) {
        sim->world.state.activation[2 * (size_t)control + 1] = u;
        return AFX_OK;
    }
    return put(sim, c, u);
}

/* ---- activations ---- */

/* A damper whose coefficient is led. */
static void set_damping(AfxSim *sim, uint32_t drive, double damping) {
    double numbers[AFX_PARAM_SIZE_MOST];
    afx_sim_param(sim, AFX_PARAM_DRIVE, drive, numbers);
    if (numbers[AFXI_DRIVE_DAMPING] != damping) {
        numbers[AFXI_DRIVE_DAMPING] = damping;
        afx_sim_set_param(sim, AFX_PARAM_DRIVE, drive, numbers);
    }
}

/* A rate that position and speed allow; without a gain only the speed is bounded. */
static double allowed(const AfxiSafety *s, double bound, double value, double free) {
    double rate = s->position_gain > 0 ? s->position_gain * (bound - value) : free;
    return fmin(fmax(rate, -s->speed), s->speed);
}

/* A force within the bounds of a safety: where they count, the brake leads the rate to its bound. */
static void keep_safe(AfxSim *sim, const AfxiControl *c, double force) {
    const AfxiSafety *s = &c->safety;
    const AfxiDrive *drive = &sim->model->drives[c->drive];
    double value, rate, k = s->gain;
    afxi_joint_coordinate(sim, drive->joint, drive->axis, &value, &rate);
    double slowest = allowed(s, s->lower, value, -INFINITY), fastest = allowed(s, s->upper, value, INFINITY);
    bool fast = force > k * (fastest - rate), slow = force < k * (slowest - rate);
    set_damping(sim, s->brake, fast || slow ? k : 0);
    set_drive(sim, s->brake, fast ? fastest : slow ? slowest : 0);
    set_drive(sim, c->drive, fast || slow ? 0 : force);
}

/* What a control with a state of its own does in the next step; what adheres is in adhesion.c. */
static void put_state(AfxSim *sim, const AfxiControl *c, const double *state) {
    double act = c->activation.kind == AFX_ACTIVATION_NONE ? state[1] : state[0];
    if (c->adhesion != UINT32_MAX || c->damping != 0) {
        if (c->damping != 0) {
            set_damping(sim, c->drive, fmax(c->damping * act, 0));
        }
        return;
    }
    if (c->safety.brake != UINT32_MAX) {
        keep_safe(sim, c, c->gain * act + c->offset);
        return;
    }
    if (!(c->muscle.force > 0)) {
        put(sim, c, act);
        return;
    }
    const AfxiDrive *drive = &sim->model->drives[c->drive];
    double value, rate;
    afxi_joint_coordinate(sim, drive->joint, drive->axis, &value, &rate);
    double gear = c->muscle.gear;
    set_drive(sim, c->drive, gear * afxi_muscle_force(&c->muscle, act, gear * value + c->muscle.offset, gear * rate));
}

void afxi_controls_begin(AfxSim *sim) {
    const AfxiRobot *robot = &sim->model->robot;
    for (uint32_t k = 0; robot->active && k < robot->control_count; k++) {
        if (has_state(&robot->control[k])) {
            put_state(sim, &robot->control[k], sim->world.state.activation + 2 * (size_t)k);
        }
    }
}

void afxi_controls_finish(AfxSim *sim) {
    const AfxiRobot *robot = &sim->model->robot;
    double h = sim->world.state.head->dt;
    for (uint32_t k = 0; robot->active && k < robot->control_count; k++) {
        double *state = sim->world.state.activation + 2 * (size_t)k;
        state[0] = afxi_activation_after(&robot->control[k].activation, state[0], state[1], h);
    }
}

AfxStatus afx_sim_activation(const AfxSim *sim, uint32_t control, double *out_activation) {
    AfxStatus status = afx_sim_control(sim, control, out_activation);
    if (status == AFX_OK && sim->model->robot.control[control].activation.kind != AFX_ACTIVATION_NONE) {
        *out_activation = sim->world.state.activation[2 * (size_t)control];
    }
    return status;
}

AfxStatus afx_sim_set_activation(AfxSim *sim, uint32_t control, double activation) {
    if (!sim || control >= sim->model->robot.control_count || !isfinite(activation) ||
        sim->model->robot.control[control].activation.kind == AFX_ACTIVATION_NONE) {
        return AFX_E_ARGUMENT;
    }
    const AfxActivation *a = &sim->model->robot.control[control].activation;
    sim->world.state.activation[2 * (size_t)control] = fmin(fmax(activation, a->lower), a->upper);
    return AFX_OK;
}

static void start_activations(AfxSim *sim) {
    const AfxiRobot *robot = &sim->model->robot;
    for (uint32_t k = 0; robot->active && k < robot->control_count; k++) {
        const AfxActivation *a = &robot->control[k].activation;
        sim->world.state.activation[2 * (size_t)k] = fmin(fmax(a->start, a->lower), a->upper);
    }
}

/* ---- values ---- */

/* From what it acts on, so that it is as a snapshot has it. */
static double value_of(const AfxSim *sim, const AfxiControl *c) {
    if (has_state(c)) {
        return sim->world.state.activation[2 * (size_t)(c - sim->model->robot.control) + 1];
    }
    if (c->drive != UINT32_MAX) {
        double input = sim->world.state.drive_input[4 * (size_t)c->drive + 2 + takes_rate(sim, c->drive)];
        return c->gain != 0 ? (input - c->offset) / c->gain : 0;
    }
    const double *w = afxi_world_param(&sim->world, AFX_PARAM_WRENCH, c->wrench);
    double sum = 0, square = 0;
    for (int k = 0; k < 6; k++) {
        sum += w[k] * c->direction[k];
        square += c->direction[k] * c->direction[k];
    }
    return c->gain != 0 && square > 0 ? sum / (c->gain * square) : 0;
}

void afxi_controls_start(AfxSim *sim) {
    start_activations(sim);
    for (uint32_t k = 0; k < sim->model->robot.control_count; k++) {
        const AfxiControl *c = &sim->model->robot.control[k];
        if (has_state(c)) {
            sim->world.state.activation[2 * (size_t)k + 1] = c->start;
        } else if (c->drive != UINT32_MAX) {
            set_drive(sim, c->drive, c->gain * c->start + c->offset);
        }
    }
}

AfxStatus afx_sim_control(const AfxSim *sim, uint32_t control, double *out_value) {
    if (!sim || !out_value || control >= sim->model->robot.control_count) {
        return AFX_E_ARGUMENT;
    }
    *out_value = value_of(sim, &sim->model->robot.control[control]);
    return AFX_OK;
}

AfxStatus afx_sim_control_force(const AfxSim *sim, uint32_t control, double *out_force) {
    if (!sim || !out_force || control >= sim->model->robot.control_count) {
        return AFX_E_ARGUMENT;
    }
    const AfxiControl *c = &sim->model->robot.control[control];
    if (c->drive != UINT32_MAX) {
        return afx_sim_drive_effort(sim, c->drive, out_force);
    }
    double act;
    AfxStatus status = afx_sim_activation(sim, control, &act);
    *out_force = c->gain * act;
    return status;
}

AfxStatus afx_sim_set_keyframe(AfxSim *sim, uint32_t keyframe) {
    if (!sim || keyframe >= sim->model->robot.keyframe_count) {
        return AFX_E_ARGUMENT;
    }
    const AfxiRobot *robot = &sim->model->robot;
    const AfxiKeyframe *key = &robot->keyframe[keyframe];
    AfxStatus status = key->qpos ? afx_sim_set_qpos(sim, key->qpos) : AFX_OK;
    if (status == AFX_OK && key->qvel) {
        status = afx_sim_set_qvel(sim, key->qvel);
    } else if (status == AFX_OK) {
        memset(sim->world.state.v, 0, AFXI_AFFINE_WIDTH * (size_t)sim->model->body_count * sizeof(double));
        afxi_history_drop(sim);
    }
    start_activations(sim);
    for (uint32_t k = 0; key->ctrl && k < robot->control_count && status == AFX_OK; k++) {
        status = afx_sim_set_control(sim, k, key->ctrl[k]);
    }
    return status;
}

AfxStatus afx_sim_site(const AfxSim *sim, uint32_t site, AfxPose *out_pose, AfxTwist *out_twist) {
    if (!sim || site >= sim->model->robot.site_count) {
        return AFX_E_ARGUMENT;
    }
    const AfxiSite *s = &sim->model->robot.site[site];
    AfxPose pose = afx_pose_identity();
    AfxTwist twist = {{0, 0, 0}, {0, 0, 0}};
    afx_sim_body_pose(sim, s->body, &pose);
    if (out_pose) {
        *out_pose = afx_pose_compose(pose, s->pose);
    }
    if (out_twist) {
        afx_sim_body_twist(sim, s->body, &twist);
        AfxVec3 arm = afx_quat_rotate(pose.rotation, s->pose.position);
        *out_twist = (AfxTwist){vec3_add(twist.linear, vec3_cross(twist.angular, arm)), twist.angular};
    }
    return AFX_OK;
}
