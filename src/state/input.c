/* SPDX-License-Identifier: Apache-2.0 */
/* What acts on a sim from outside: prescribed motion, wrenches, and parameters of its own.
 *
 * A force f at the point x (principal frame) of a body is f on t and f x^T on A; a torque is half its skew matrix
 * times the rotation on A. */
#include "state/input.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/polar.h"
#include "math/signal.h"
#include "model/model.h"
#include "model/params.h"
#include "state/pose.h"
#include "state/tuning.h"

/* Pose and twist of a kinematic body's own frame at time t, from its motion data. */
static void motion_at(const AfxModel *model, const AfxiKinematic *kinematic, double t, AfxPose *out_pose,
                      AfxTwist *out_twist) {
    const AfxMotion *motion = &kinematic->motion;
    AfxPose start = model->start_pose[kinematic->body];
    double angle = NAN, rate = NAN, offset[3] = {NAN, NAN, NAN}, velocity[3] = {NAN, NAN, NAN};
    for (int axis = 0; axis < 3; axis++) {
        afx_signal_evaluate(&motion->translation[axis], t, &offset[axis], &velocity[axis], NULL);
    }
    afx_signal_evaluate(&motion->angle, t, &angle, &rate, NULL);
    out_pose->position = vec3_add(start.position, vec3_load(offset));
    out_pose->rotation = afx_quat_multiply(afx_quat_from_axis_angle(motion->axis, angle), start.rotation);
    out_twist->linear = vec3_load(velocity);
    out_twist->angular = vec3_scale(rate, motion->axis);
}

void afxi_input_acceleration(const AfxiWorld *world, uint32_t body, double out[AFXI_AFFINE_WIDTH]) {
    const AfxModel *model = world->model;
    memset(out, 0, AFXI_AFFINE_WIDTH * sizeof *out);
    for (uint32_t k = 0; k < model->kinematic_count; k++) {
        if (model->kinematic[k].body != body || world->state.targets[k].active) {
            continue;
        }
        const AfxMotion *motion = &model->kinematic[k].motion;
        AfxPose pose;
        AfxTwist twist;
        double push[3] = {NAN, NAN, NAN}, turn = NAN, now = afxi_state_time(&world->state);
        motion_at(model, &model->kinematic[k], now, &pose, &twist);
        for (int axis = 0; axis < 3; axis++) {
            afx_signal_evaluate(&motion->translation[axis], now, NULL, NULL, &push[axis]);
        }
        afx_signal_evaluate(&motion->angle, now, NULL, NULL, &turn);
        AfxVec3 spin = twist.angular, spin_up = vec3_scale(turn, motion->axis);
        for (int column = 0; column < 3; column++) {
            AfxVec3 a = vec3_load(world->state.q + (size_t)AFXI_AFFINE_WIDTH * body + 3 * column);
            vec3_store(out + 3 * column, vec3_add(vec3_cross(spin_up, a), vec3_cross(spin, vec3_cross(spin, a))));
        }
        AfxVec3 arm = vec3_sub(vec3_load(world->state.q + (size_t)AFXI_AFFINE_WIDTH * body + 9), pose.position);
        AfxVec3 swing = vec3_add(vec3_cross(spin_up, arm), vec3_cross(spin, vec3_cross(spin, arm)));
        vec3_store(out + 9, vec3_add(vec3_load(push), swing));
    }
}

/* Between the beginning of the step and the target at its end: cubic in time, the rotation made proper. */
static void interpolate(const AfxiTarget *target, double dt, double s, double *out_q, double *out_v) {
    double a = s * s * (3 - 2 * s), b = dt * s * (1 - s) * (1 - s), c = dt * s * s * (s - 1);
    double da = 6 * s * (1 - s) / dt, db = (1 - s) * (1 - 3 * s), dc = s * (3 * s - 2);
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        double step = target->q[k] - target->begin_q[k];
        out_q[k] = target->begin_q[k] + a * step + b * target->begin_v[k] + c * target->v[k];
        out_v[k] = da * step + db * target->begin_v[k] + dc * target->v[k];
    }
    AfxiMat3 rotation;
    memcpy(rotation.m, out_q, sizeof rotation.m);
    rotation = afxi_rotation_part(&rotation, NULL);
    memcpy(out_q, rotation.m, sizeof rotation.m);
}

void afxi_input_begin(AfxiWorld *world) {
    for (uint32_t k = 0; k < world->model->kinematic_count; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * world->model->kinematic[k].body;
        memcpy(world->state.targets[k].begin_q, world->state.q + at, AFXI_AFFINE_WIDTH * sizeof(double));
        memcpy(world->state.targets[k].begin_v, world->state.v + at, AFXI_AFFINE_WIDTH * sizeof(double));
    }
}

void afxi_input_back(AfxiWorld *world) {
    for (uint32_t k = 0; k < world->model->kinematic_count; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * world->model->kinematic[k].body;
        memcpy(world->state.q + at, world->state.targets[k].begin_q, AFXI_AFFINE_WIDTH * sizeof(double));
        memcpy(world->state.v + at, world->state.targets[k].begin_v, AFXI_AFFINE_WIDTH * sizeof(double));
    }
}

void afxi_input_kinematic(AfxiWorld *world, double fraction, bool keep) {
    double dt = world->state.head->dt;
    for (uint32_t k = 0; k < world->model->kinematic_count; k++) {
        const AfxiKinematic *kinematic = &world->model->kinematic[k];
        const AfxiTarget *target = &world->state.targets[k];
        size_t at = (size_t)AFXI_AFFINE_WIDTH * kinematic->body;
        double *q = world->state.q + at, *v = world->state.v + at;
        if (keep) {
            memcpy(world->state.previous_q + at, q, AFXI_AFFINE_WIDTH * sizeof *q);
            memcpy(world->state.previous_v + at, v, AFXI_AFFINE_WIDTH * sizeof *v);
        }
        if (target->active && fraction >= 1) {
            memcpy(q, target->q, sizeof target->q);
            memcpy(v, target->v, sizeof target->v);
        } else if (target->active) {
            interpolate(target, dt, fraction, q, v);
        } else {
            AfxPose pose;
            AfxTwist twist;
            motion_at(world->model, kinematic, afxi_state_time(&world->state) + fraction * dt, &pose, &twist);
            afxi_raw_from_pose(afxi_model_frame(world->model, kinematic->body), pose, twist, q, v);
        }
    }
}

/* Whether there is more than a force on t: what is zero up to rounding is made zero. */
static void note_more(AfxiFreeForce *force, double extent) {
    double size = vec3_length(vec3_load(force->force)) * extent, most = 0;
    for (int k = 0; k < 9; k++) {
        most = fmax(most, fmax(fabs(force->world[k]), fabs(force->body[k])));
    }
    for (int k = 0; k < 3; k++) {
        most = fmax(most, fmax(fabs(force->torque[k]), extent * fabs(force->body_force[k])));
    }
    force->more = !(most <= AFXI_FORCE_LEVER_ROUNDING * size);
    if (!force->more) {
        *force = (AfxiFreeForce){.force = {force->force[0], force->force[1], force->force[2]}};
    }
}

static void add_wrench(AfxiFreeForce *force, AfxFrame frame, const AfxiFrame *principal, const double *point,
                       const double *wrench) {
    AfxVec3 x = mat3_apply_transposed(&principal->axes, vec3_sub(vec3_load(point), principal->center));
    AfxVec3 f = vec3_load(wrench), torque = vec3_load(wrench + 3);
    double *on_a = force->world, *on_t = force->force;
    if (frame == AFX_FRAME_BODY) {
        f = mat3_apply_transposed(&principal->axes, f);
        AfxiMat3 skew = mat3_skew(vec3_scale(0.5, mat3_apply_transposed(&principal->axes, torque)));
        for (int k = 0; k < 9; k++) {
            force->body[k] += skew.m[k];
        }
        on_a = force->body;
        on_t = force->body_force;
    } else {
        vec3_store(force->torque, vec3_add(vec3_load(force->torque), torque));
    }
    vec3_store(on_a, vec3_mad(vec3_load(on_a), x.x, f));
    vec3_store(on_a + 3, vec3_mad(vec3_load(on_a + 3), x.y, f));
    vec3_store(on_a + 6, vec3_mad(vec3_load(on_a + 6), x.z, f));
    vec3_store(on_t, vec3_add(vec3_load(on_t), f));
}

/* Places in `forces`: bodies without joints first, in the order of `forced`, then jointed ones. */
static void split_lists(AfxiWorld *world, bool all_forced) {
    const AfxModel *model = world->model;
    memset(world->force_slot, all_forced ? 0 : 0xff, model->body_count * sizeof *world->force_slot);
    for (uint32_t k = 0; k < model->wrench_count; k++) {
        world->force_slot[model->wrench_body[k]] = 0;
    }
    world->plain_count = world->forced_count = 0;
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k];
        if (model->graph_of[body] != UINT32_MAX || afxi_model_in_chain(model, body)) {
            continue;
        }
        if (world->force_slot[body] == 0) {
            world->force_slot[body] = world->forced_count;
            world->forced[world->forced_count++] = body;
        } else {
            world->plain[world->plain_count++] = body;
        }
    }
    world->force_count = world->forced_count;
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k];
        bool free = model->graph_of[body] == UINT32_MAX && !afxi_model_in_chain(model, body);
        if (!free && world->force_slot[body] == 0) {
            world->force_slot[body] = world->force_count++;
        }
    }
}

AfxStatus afxi_input_lists(AfxiWorld *world, bool all_forced) {
    const AfxModel *model = world->model;
    size_t most = all_forced || model->wrench_count > model->dynamic_count ? model->dynamic_count : model->wrench_count;
    size_t bytes = most * sizeof *world->forces;
    if (bytes > world->force_bytes) {
        AfxiFreeForce *forces = afxi_allocate(&world->def.allocator, bytes);
        if (!forces) {
            return AFX_E_MEMORY;
        }
        afxi_release(&world->def.allocator, world->forces, world->force_bytes);
        world->forces = forces;
        world->force_bytes = bytes;
    }
    split_lists(world, all_forced);
    return AFX_OK;
}

/* What the signals of a wrench add to it now; where one has no value, what follows it fails. */
static void add_signals(const AfxiWorld *world, const AfxiWrenchSignal *signal, double wrench[6]) {
    for (int c = 0; c < 6; c++) {
        double value = NAN;
        afx_signal_evaluate(&signal->of[c], world->force_time, &value, NULL, NULL);
        wrench[c] += value;
    }
}

void afxi_input_forces_at(AfxiWorld *world, double fraction) {
    if (world->model->wrench_signal_count) {
        world->force_time = afxi_state_time(&world->state) + fraction * world->state.head->dt;
        afxi_input_forces(world);
    }
}

void afxi_input_forces(AfxiWorld *world) {
    const AfxModel *model = world->model;
    uint32_t signal = 0;
    world->forces_version++;
    if (world->force_count) {
        memset(world->forces, 0, world->force_count * sizeof *world->forces);
    }
    for (uint32_t k = 0; k < model->wrench_count; k++) {
        uint32_t body = model->wrench_body[k];
        double wrench[6];
        memcpy(wrench, afxi_param_const(model, world->params, AFX_PARAM_WRENCH, k), sizeof wrench);
        if (signal < model->wrench_signal_count && model->wrench_signal[signal].wrench == k) {
            add_signals(world, &model->wrench_signal[signal++], wrench);
        }
        if (model->kind[body] == AFX_BODY_DYNAMIC) {
            add_wrench(&world->forces[world->force_slot[body]], (AfxFrame)model->wrench_frame[k],
                       afxi_model_frame(model, body), afxi_param_const(model, world->params, AFX_PARAM_WRENCH_POINT, k),
                       wrench);
        }
    }
    for (uint32_t k = 0; world->body_wrenches && k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k];
        const AfxWrench *wrench = &world->body_wrenches[body];
        AfxiFreeForce *force = &world->forces[world->force_slot[body]];
        vec3_store(force->force, vec3_add(vec3_load(force->force), wrench->force));
        vec3_store(force->torque, vec3_add(vec3_load(force->torque), wrench->torque));
    }
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k], slot = world->force_slot[body];
        const AfxiBodyClass *class = afxi_world_class(world, body);
        if (slot != UINT32_MAX) {
            note_more(&world->forces[slot], sqrt((class->s[0] + class->s[1] + class->s[2]) / class->mass));
        }
    }
}
