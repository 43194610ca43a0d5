/* SPDX-License-Identifier: Apache-2.0 */
/* The spring of a ball joint: its numbers against differences of its energy, its motion against oscillators, dampers
 * and statics in closed form and against springs on the three Cardan angles, and its equation by every solver. */
#include "driven.h"
#include "joint/rotational_spring.h"
#include "step/sim.h"

static const double moments[3] = {0.2, 0.25, 0.3};

static AfxJointSpring equal_spring(double stiffness, double damping) {
    return (AfxJointSpring){{stiffness, stiffness, stiffness}, {damping, damping, damping}, {1, 0, 0, 0}};
}

static AfxJointId add_ball(Rig *rig, AfxBodyId base, AfxBodyId follower, AfxPose frame, AfxJointSpring spring) {
    AfxJointDef def = afx_default_joint(AFX_JOINT_SPHERICAL);
    def.base = base;
    def.follower = follower;
    def.spring = spring;
    assert_ok(afx_joint_place(rig->scene, &def, frame));
    return rig_joint_def(rig, &def);
}

static AfxVec3 unit_axis(int axis) {
    return v3(axis == 0, axis == 1, axis == 2);
}

/* Rotation vector of a unit quaternion. */
static AfxVec3 log_of(AfxQuat q) {
    double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z), sign = q.w < 0 ? -1 : 1;
    double scale = length > 1e-12 ? 2 * atan2(length, sign * q.w) / length : 2;
    return v3(sign * scale * q.x, sign * scale * q.y, sign * scale * q.z);
}

static AfxQuat exp_of(AfxVec3 w) {
    double angle = sqrt(w.x * w.x + w.y * w.y + w.z * w.z), scale = angle > 1e-12 ? sin(angle / 2) / angle : 0.5;
    return (AfxQuat){cos(angle / 2), scale * w.x, scale * w.y, scale * w.z};
}

static AfxQuat conjugate(AfxQuat q) {
    return (AfxQuat){q.w, -q.x, -q.y, -q.z};
}

/* ---- the kernel ---- */

static double between(uint64_t *seed, double low, double high) {
    return low + (high - low) * random_unit(seed);
}

static AfxQuat random_turn(uint64_t *seed, double most) {
    AfxVec3 w = v3(between(seed, -1, 1), between(seed, -1, 1), between(seed, -1, 1));
    double length = sqrt(w.x * w.x + w.y * w.y + w.z * w.z), angle = between(seed, 0, most);
    return exp_of(v3(angle * w.x / length, angle * w.y / length, angle * w.z / length));
}

/* What a spring is evaluated with: orientations of the two bodies, and of its frames in them. */
typedef struct Setup {
    AfxQuat a, b, axes_a, axes_b, rest;
    double k[3], d[3];
    AfxVec3 rate_a, rate_b; /* angular velocities, world */
} Setup;

static AfxVec3 angle_of(const Setup *s) {
    AfxQuat b = afx_quat_multiply(s->b, s->axes_b);
    AfxQuat a = afx_quat_multiply(afx_quat_multiply(s->a, s->axes_a), conjugate(s->rest));
    return log_of(afx_quat_multiply(conjugate(b), a));
}

static double energy_of(const Setup *s) {
    AfxVec3 t = angle_of(s);
    return 0.5 * (s->k[0] * t.x * t.x + s->k[1] * t.y * t.y + s->k[2] * t.z * t.z);
}

static void fill(double out[12], AfxQuat q, AfxVec3 rate, double h, bool solved) {
    AfxiMat3 r = mat3_from_quat(q), spin = mat3_skew(rate), change = mat3_multiply(&spin, &r);
    for (int e = 0; e < 9; e++) {
        out[e] = solved ? r.m[e] - h * change.m[e] : change.m[e];
    }
}

static void evaluate(const Setup *s, double h, uint32_t lanes, double out[AFXI_ROTATIONAL_SPRING_RESULT]) {
    double numbers[AFXI_ROTATIONAL_SPRING_SIZE], constants[AFXI_ROTATIONAL_SPRING_CONSTANTS], r[2][12] = {{0}},
                                                                                              x[2][12] = {{0}};
    const AfxQuat body[2] = {s->a, s->b};
    const AfxVec3 rate[2] = {s->rate_a, s->rate_b};
    AfxiRotationalSpringEnds ends = {{r[0], r[1]}, {x[0], x[1]}, {true, false}};
    AfxiMat3 axes_a = mat3_from_quat(s->axes_a), axes_b = mat3_from_quat(s->axes_b);
    memcpy(numbers + AFXI_ROTATIONAL_SPRING_STIFFNESS, s->k, sizeof s->k);
    memcpy(numbers + AFXI_ROTATIONAL_SPRING_DAMPING, s->d, sizeof s->d);
    memcpy(numbers + AFXI_ROTATIONAL_SPRING_REST, &s->rest, 4 * sizeof(double));
    afxi_rotational_spring_constants(numbers, &axes_a, &axes_b, constants);
    for (int side = 0; side < 2; side++) {
        AfxiMat3 frame = mat3_from_quat(body[side]);
        memcpy(r[side], frame.m, sizeof frame.m);
        fill(x[side], body[side], rate[side], h, ends.solved[side]);
    }
    afxi_rotational_spring_kernel(lanes)(&ends, constants, 1 / h, 0, 1, out);
}

static Setup random_setup(uint64_t *seed, double most) {
    Setup s = {.a = {1, 0, 0, 0}};
    s.b = random_turn(seed, 3);
    s.axes_a = random_turn(seed, 3);
    s.axes_b = random_turn(seed, 3);
    s.rest = random_turn(seed, 3);
    AfxQuat relative = random_turn(seed, most); /* a = b axes_b relative rest axes_a^-1 */
    s.a = afx_quat_multiply(afx_quat_multiply(afx_quat_multiply(s.b, s.axes_b), relative),
                            afx_quat_multiply(s.rest, conjugate(s.axes_a)));
    for (int e = 0; e < 3; e++) {
        s.k[e] = between(seed, 0.5, 3);
    }
    return s;
}

/* The torque is the change of the energy when the follower turns, and minus that when the base does. */
static void the_torque_is_the_gradient(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int n = 0; n < 300; n++) {
        Setup s = random_setup(&seed, n < 100 ? 1e-3 : n < 200 ? 0.5 : 2.9);
        double out[AFXI_ROTATIONAL_SPRING_RESULT], step = 1e-4;
        evaluate(&s, 0.01, 0, out);
        for (int axis = 0; axis < 3; axis++) {
            double change[2] = {0, 0};
            for (int sign = -1; sign <= 1; sign += 2) {
                AfxVec3 u = unit_axis(axis);
                AfxQuat turn = exp_of(v3(sign * step * u.x, sign * step * u.y, sign * step * u.z));
                Setup moved = s;
                moved.a = afx_quat_multiply(turn, s.a);
                change[0] += sign * energy_of(&moved) / (2 * step);
                moved = s;
                moved.b = afx_quat_multiply(turn, s.b);
                change[1] += sign * energy_of(&moved) / (2 * step);
            }
            assert_near(out[AFXI_ROTATIONAL_SPRING_TORQUE + axis], change[0], 2e-6);
            assert_near(out[AFXI_ROTATIONAL_SPRING_TORQUE + axis], -change[1], 2e-6);
        }
    }
}

/* C (torque) = value, and C is the inverse of J^T K J + D / h: against theta's own change, and rates of both bodies. */
static void value_and_compliance_fit(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (int n = 0; n < 200; n++) {
        Setup s = random_setup(&seed, n < 100 ? 1e-4 : 2.5);
        double out[AFXI_ROTATIONAL_SPRING_RESULT], h = 0.02, wide[AFXI_ROTATIONAL_SPRING_RESULT], torque[3],
                                                   step = 1e-5;
        for (int e = 0; e < 3; e++) {
            s.d[e] = between(&seed, 0, 0.1);
        }
        s.rate_a = v3(between(&seed, -1, 1), between(&seed, -1, 1), between(&seed, -1, 1));
        s.rate_b = v3(between(&seed, -1, 1), between(&seed, -1, 1), between(&seed, -1, 1));
        evaluate(&s, h, 0, out);
        evaluate(&s, h, 1, wide);
        for (int e = 0; e < AFXI_ROTATIONAL_SPRING_RESULT; e++) {
            assert_true(out[e] == wide[e]); /* bit for bit */
        }
        const double *c = out + AFXI_ROTATIONAL_SPRING_COMPLIANCE, *t = out + AFXI_ROTATIONAL_SPRING_TORQUE,
                     *v = out + AFXI_ROTATIONAL_SPRING_VALUE;
        assert_near(c[0] * t[0] + c[3] * t[1] + c[4] * t[2], v[0], 1e-12);
        assert_near(c[3] * t[0] + c[1] * t[1] + c[5] * t[2], v[1], 1e-12);
        assert_near(c[4] * t[0] + c[5] * t[1] + c[2] * t[2], v[2], 1e-12);
        /* S w for w along the world's axes, from differences of theta */
        AfxQuat axes = afx_quat_multiply(s.b, s.axes_b);
        AfxVec3 slip = afx_quat_rotate(conjugate(axes),
                                       v3(s.rate_a.x - s.rate_b.x, s.rate_a.y - s.rate_b.y, s.rate_a.z - s.rate_b.z));
        AfxVec3 theta = angle_of(&s), gradient[3], drag = v3(s.d[0] * slip.x, s.d[1] * slip.y, s.d[2] * slip.z);
        drag = afx_quat_rotate(axes, drag);
        for (int axis = 0; axis < 3; axis++) {
            AfxVec3 u = unit_axis(axis), ends[2];
            for (int sign = 0; sign < 2; sign++) {
                double size = sign ? step : -step;
                Setup moved = s;
                moved.a = afx_quat_multiply(exp_of(v3(size * u.x, size * u.y, size * u.z)), s.a);
                ends[sign] = angle_of(&moved);
            }
            gradient[axis] = v3((ends[1].x - ends[0].x) / (2 * step), (ends[1].y - ends[0].y) / (2 * step),
                                (ends[1].z - ends[0].z) / (2 * step));
        }
        torque[0] = drag.x;
        torque[1] = drag.y;
        torque[2] = drag.z;
        double matrix[3][3];
        for (int i = 0; i < 3; i++) {
            AfxVec3 g = gradient[i], own = afx_quat_rotate(conjugate(axes), unit_axis(i));
            torque[i] += s.k[0] * theta.x * g.x + s.k[1] * theta.y * g.y + s.k[2] * theta.z * g.z;
            assert_near(torque[i], t[i], 1e-7);
            for (int j = 0; j < 3; j++) {
                AfxVec3 f = gradient[j], other = afx_quat_rotate(conjugate(axes), unit_axis(j));
                matrix[i][j] = s.k[0] * g.x * f.x + s.k[1] * g.y * f.y + s.k[2] * g.z * f.z +
                               (s.d[0] * own.x * other.x + s.d[1] * own.y * other.y + s.d[2] * own.z * other.z) / h;
            }
        }
        const double full[3][3] = {{c[0], c[3], c[4]}, {c[3], c[1], c[5]}, {c[4], c[5], c[2]}};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                double sum = full[i][0] * matrix[0][j] + full[i][1] * matrix[1][j] + full[i][2] * matrix[2][j];
                assert_near(sum, i == j, 1e-6);
            }
        }
    }
}

/* ---- motion ---- */

/* About a principal axis the torque is stiffness times angle at any amplitude: a harmonic motion of 1.2 rad. */
static double oscillation_error(int axis, AfxIntegrator integrator, double dt) {
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(2, moments[0], moments[1], moments[2]);
    double start = 1.2, k[3] = {8, 11, 15}, error = 0, w = sqrt(k[axis] / moments[axis]);
    AfxVec3 u = unit_axis(axis);
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointSpring spring = {{k[0], k[1], k[2]}, {0, 0, 0}, exp_of(v3(-start * u.x, -start * u.y, -start * u.z))};
    AfxJointId joint = add_ball(&rig, afx_world(), body, afx_pose_identity(), spring);
    AfxSimDef sim = accurate_def(integrator, dt);
    rig_start(&rig, &sim);
    for (int n = 0; n < (int)lround(1.5 / dt); n++) {
        AfxVec3 torque;
        assert_below(rig_run(&rig, 1, NULL), 1e-12);
        double t = afx_sim_time(rig.sim), x = start * cos(w * t) - start;
        AfxVec3 angle = log_of(rig_pose(&rig, body).rotation);
        error = fmax(error, fabs(angle.x * u.x + angle.y * u.y + angle.z * u.z - x));
        assert_ok(afx_sim_joint_spring_torque(rig.sim, joint.index, &torque));
        if (integrator == AFX_BDF2) { /* of the end of the step, on the follower */
            double own = torque.x * u.x + torque.y * u.y + torque.z * u.z;
            assert_near(own, -k[axis] * (angle.x * u.x + angle.y * u.y + angle.z * u.z + start), 1e-6);
        }
    }
    rig_free(&rig);
    return error;
}

static void a_ball_spring_oscillates(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        AfxIntegrator integrator = k < 3 ? AFX_ALPHA : AFX_BDF2;
        double e[3];
        for (int r = 0; r < 3; r++) {
            e[r] = oscillation_error(k % 3, integrator, 8e-3 / (1 << r));
        }
        print_message("ball spring, axis %d: %.2g %.2g %.2g\n", k % 3, e[0], e[1], e[2]);
        assert_below(e[2], 2e-2);
        assert_true(slope(e[0], e[1]) > 1.8);
        assert_true(slope(e[1], e[2]) > 1.8);
    }
}

/* Two free bodies turn against each other with the reduced inertia, and together not at all. */
static void two_free_bodies_oscillate(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(2, 0.2, 0.25, 0.3);
    double k = 12, rate = 1.5, reduced = 0.3 * 0.1 / 0.4, w = sqrt(k / reduced), dt = 5e-4;
    AfxBodyId base = rig_body(&rig, &def);
    def = rigid_def(1, 0.15, 0.12, 0.1);
    def.angular_velocity = v3(0, 0, rate);
    AfxBodyId follower = rig_body(&rig, &def);
    add_ball(&rig, base, follower, afx_pose_identity(), equal_spring(k, 0));
    AfxSimDef sim = accurate_def(AFX_ALPHA, dt);
    rig_start(&rig, &sim);
    double drift = rate * 0.1 / 0.4; /* of both, from the angular momentum */
    for (int n = 0; n < 1000; n++) {
        rig_run(&rig, 1, NULL);
        double t = afx_sim_time(rig.sim), relative = rate / w * sin(w * t);
        AfxVec3 a = log_of(rig_pose(&rig, follower).rotation), b = log_of(rig_pose(&rig, base).rotation);
        assert_near(a.z - b.z, relative, 2e-4);
        assert_near(0.1 * a.z + 0.3 * b.z, 0.4 * drift * t, 1e-6);
    }
    rig_free(&rig);
}

/* A damper alone: the angular velocity falls as e^(-d t / I); a spring with much damping creeps. */
static void a_ball_damper_decays(void **state) {
    (void)state;
    double error[2];
    for (int r = 0; r < 2; r++) {
        Rig rig = rig_make(v3(0, 0, 0));
        AfxBodyDef def = rigid_def(2, 0.2, 0.25, 0.3);
        double d = 0.9, rate = 2, dt = 4e-3 / (1 << r);
        def.angular_velocity = v3(0, rate, 0);
        AfxBodyId body = rig_body(&rig, &def);
        add_ball(&rig, afx_world(), body, afx_pose_identity(), equal_spring(0, d));
        AfxSimDef sim = accurate_def(AFX_BDF2, dt);
        rig_start(&rig, &sim);
        error[r] = 0;
        for (int n = 0; n < (int)lround(1 / dt); n++) {
            rig_run(&rig, 1, NULL);
            double t = afx_sim_time(rig.sim);
            error[r] = fmax(error[r], fabs(rig_twist(&rig, body).angular.y - rate * exp(-d * t / 0.25)));
        }
        rig_free(&rig);
    }
    assert_below(error[1], 1e-3);
    assert_true(slope(error[0], error[1]) > 1.8);
}

/* A rod held at its end sinks until stiffness times angle is weight times lever: k x = m g l cos x. */
static void a_rod_sags(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyDef def = rigid_def(1.5, 0.01, 0.2, 0.2);
    double lever = 0.5, k = 9, x = 0;
    def.pose.position = v3(lever, 0, 0);
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointId joint = add_ball(&rig, afx_world(), body, afx_frame_along(v3(0, 0, 0), v3(1, 0, 0)),
                                (AfxJointSpring){{5, k, 7}, {1, 3, 1}, {1, 0, 0, 0}});
    AfxSimDef sim = accurate_def(AFX_BDF2, 0.02);
    rig_start(&rig, &sim);
    rig_run(&rig, 1500, NULL);
    for (int n = 0; n < 50; n++) {
        double weight = 1.5 * 9.81 * lever;
        x -= (k * x - weight * cos(x)) / (k + weight * sin(x));
    }
    AfxVec3 at = rig_pose(&rig, body).position, torque;
    assert_vec3(at, v3(lever * cos(x), 0, -lever * sin(x)), 1e-9);
    assert_ok(afx_sim_joint_spring_torque(rig.sim, joint.index, &torque));
    assert_vec3(torque, v3(0, -k * x, 0), 1e-8);
    assert_vec3(rig_reaction(&rig, joint).force, v3(0, 0, 1.5 * 9.81), 1e-8);
    assert_vec3(rig_reaction(&rig, joint).torque, v3(0, 0, 0), 1e-12);
    rig_free(&rig);
}

/* The rest orientation is where it comes to rest, and a change of the parameter moves it. */
static void it_settles_at_rest(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(1, 0.02, 0.03, 0.04);
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointSpring spring = equal_spring(5, 0.6);
    spring.rest = exp_of(v3(0.7, -0.9, 0.5));
    AfxJointId joint = add_ball(&rig, afx_world(), body, afx_pose_identity(), spring);
    AfxSimDef sim = accurate_def(AFX_BDF2, 0.01);
    rig_start(&rig, &sim);
    rig_run(&rig, 1000, NULL);
    assert_vec3(log_of(rig_pose(&rig, body).rotation), v3(0.7, -0.9, 0.5), 1e-9);
    AfxQuat other = exp_of(v3(0, 1.1, 0));
    const double numbers[10] = {5, 5, 5, 0.6, 0.6, 0.6, other.w, other.x, other.y, other.z};
    uint32_t item = afx_model_joint_spring(rig.model, joint.index);
    assert_int_equal(item, 0);
    assert_ok(afx_sim_set_param(rig.sim, AFX_PARAM_JOINT_SPRING, item, numbers));
    for (int axis = 0; axis < 3; axis++) { /* an axis must be held by something, and the rest be a rotation */
        double wrong[10];
        memcpy(wrong, numbers, sizeof wrong);
        wrong[axis] = 0; /* a damper alone is fine */
        assert_ok(afx_sim_set_param(rig.sim, AFX_PARAM_JOINT_SPRING, item, wrong));
        wrong[3 + axis] = 0;
        assert_int_equal(afx_sim_set_param(rig.sim, AFX_PARAM_JOINT_SPRING, item, wrong), AFX_E_ARGUMENT);
        memcpy(wrong, numbers, sizeof wrong);
        wrong[6] += 0.1;
        assert_int_equal(afx_sim_set_param(rig.sim, AFX_PARAM_JOINT_SPRING, item, wrong), AFX_E_ARGUMENT);
        assert_ok(afx_sim_set_param(rig.sim, AFX_PARAM_JOINT_SPRING, item, numbers));
    }
    rig_run(&rig, 1000, NULL);
    assert_vec3(log_of(rig_pose(&rig, body).rotation), v3(0, 1.1, 0), 1e-9);
    AfxVec3 unused;
    assert_int_equal(afx_sim_joint_spring_torque(rig.sim, 1, &unused), AFX_E_ARGUMENT);
    rig_free(&rig);
}

/* ---- against springs on the Cardan angles ---- */

/* Three links in space, pushed a little; `cardan`: the same springs on three axes. Ends of the links come back. */
static void bend(bool cardan, AfxSolver solver, AfxVec3 out[3], double push) {
    Rig rig = rig_make(v3(0, 0.4 * push, -push));
    AfxBodyId base = afx_world(), body[3];
    for (int k = 0; k < 3; k++) {
        AfxBodyDef def = rigid_def(0.5, 0.004, 0.01, 0.011);
        AfxVec3 along = v3(0.8, k == 1 ? 0.6 : 0, k == 1 ? 0 : 0.6), at = k ? out[k - 1] : v3(0, 0, 0);
        AfxPose frame = afx_frame_along(at, along);
        def.pose = (AfxPose){v3(at.x + 0.2 * along.x, at.y + 0.2 * along.y, at.z + 0.2 * along.z), frame.rotation};
        out[k] = v3(at.x + 0.4 * along.x, at.y + 0.4 * along.y, at.z + 0.4 * along.z);
        body[k] = rig_body(&rig, &def);
        if (cardan) {
            AfxDriveDef drive = afx_default_drive(AFX_DRIVE_SPRING);
            drive.joint = rig_joint(&rig, AFX_JOINT_SPHERICAL, base, body[k], frame);
            for (drive.axis = 0; drive.axis < 3; drive.axis++) {
                drive.stiffness = drive.axis ? 30 : 20;
                drive.damping = 0.01 * drive.stiffness;
                add_drive(&rig, &drive);
            }
        } else {
            add_ball(&rig, base, body[k], frame, (AfxJointSpring){{20, 30, 30}, {0.2, 0.3, 0.3}, {1, 0, 0, 0}});
        }
        base = body[k];
    }
    AfxModelDef model = afx_default_model();
    model.solver = solver;
    AfxError error;
    assert_ok(afx_model_create_with(rig.scene, &model, &rig.model, &error));
    AfxSimDef sim = accurate_def(AFX_BDF2, 2e-3);
    rig_start(&rig, &sim);
    assert_below(rig_run(&rig, 150, NULL), 1e-12);
    for (int k = 0; k < 3; k++) {
        out[k] = afx_pose_apply(rig_pose(&rig, body[k]), v3(0.2, 0, 0));
    }
    rig_free(&rig);
}

static void small_angles_agree_with_cardan(void **state) {
    (void)state;
    double error[2], moved = 0;
    for (int r = 0; r < 2; r++) {
        AfxVec3 ball[3], cardan[3], still[3];
        double push = r ? 0.05 : 0.1;
        bend(false, AFX_SOLVER_AUTO, ball, push);
        bend(true, AFX_SOLVER_AUTO, cardan, push);
        bend(false, AFX_SOLVER_AUTO, still, 0);
        error[r] = 0;
        for (int k = 0; k < 3; k++) {
            error[r] = fmax(error[r], fabs(ball[k].z - cardan[k].z) + fabs(ball[k].y - cardan[k].y));
            moved = fmax(moved, fabs(ball[k].z - still[k].z));
        }
    }
    print_message("Cardan: %.2g %.2g of %.2g\n", error[0], error[1], moved);
    assert_true(moved > 1e-3);
    assert_below(error[0], 0.01 * moved);
    assert_true(slope(error[0], error[1]) > 1.7); /* second order in the angle */
}

static void every_solver_agrees(void **state) {
    (void)state;
    static const AfxSolver solvers[] = {AFX_SOLVER_DENSE, AFX_SOLVER_TREE, AFX_SOLVER_SCHUR, AFX_SOLVER_GRAPH,
                                        AFX_SOLVER_CG,    AFX_SOLVER_GS,   AFX_SOLVER_CHAIN};
    AfxVec3 want[3];
    bend(false, AFX_SOLVER_AUTO, want, 9.81);
    for (size_t n = 0; n < COUNT(solvers); n++) {
        AfxVec3 got[3];
        bend(false, solvers[n], got, 9.81);
        for (int k = 0; k < 3; k++) {
            assert_vec3(got[k], want[k], 1e-9);
        }
    }
}

/* ---- what is switched off, and other steps ---- */

/* Two balls that are thrown while joints with springs hold them; off, they fly and spin on, by every solver. */
static void a_spring_goes_off_with_its_joint(void **state) {
    (void)state;
    static const AfxSolver solvers[] = {AFX_SOLVER_AUTO, AFX_SOLVER_DENSE, AFX_SOLVER_GRAPH};
    for (size_t n = 0; n < COUNT(solvers); n++) {
        Rig rig = rig_make(v3(0, 0, -9.81));
        AfxBodyId body[2] = {afx_world(), afx_world()}, base = afx_world();
        AfxJointId joint[2];
        for (int k = 0; k < 2; k++) {
            AfxBodyDef def = rigid_def(1, 0.2, 0.2, 0.2);
            def.pose.position = v3(k, 0, 0);
            def.linear_velocity = v3(0, 2 * k, 0); /* where the second one is, the first one moves so */
            def.angular_velocity = v3(0, 0, 2 + k);
            body[k] = rig_body(&rig, &def);
            joint[k] = add_ball(&rig, base, body[k], (AfxPose){v3(k, 0, 0), {1, 0, 0, 0}}, equal_spring(40, 0.5));
            base = body[k];
        }
        AfxModelDef model = afx_default_model();
        model.solver = solvers[n];
        assert_ok(afx_model_create_with(rig.scene, &model, &rig.model, NULL));
        AfxSimDef sim = afx_default_sim();
        sim.dt = 1e-3;
        rig_start(&rig, &sim);
        for (int k = 0; k < 2; k++) {
            assert_ok(afx_sim_set_joint_active(rig.sim, joint[k].index, false));
        }
        rig_run(&rig, 100, NULL);
        for (int k = 0; k < 2; k++) {
            assert_near(rig_pose(&rig, body[k]).position.z, -0.5 * 9.81 * 0.01, 1e-6);
            assert_vec3(rig_twist(&rig, body[k]).angular, v3(0, 0, 2 + k), 1e-4);
        }
        rig_free(&rig);
    }
}

/* What springs hold bodies by has their dampers in it, by the step of each stage: that of a start is another. */
static void what_springs_hold_by_follows_the_step(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyDef def = rigid_def(1, 0.2, 0.2, 0.2);
    AfxBodyId body = rig_body(&rig, &def);
    AfxSimDef sim = afx_default_sim();
    double last = 0;
    add_ball(&rig, afx_world(), body, (AfxPose){v3(0, 0, 1), {1, 0, 0, 0}}, equal_spring(40, 0.5));
    rig_start(&rig, &sim);
    for (int step = 0; step < 3; step++) {
        rig_run(&rig, 1, NULL);
        const AfxiRows *rows = &rig.sim->solver.lot[0].rows;
        assert_near(rows->held[0], 40 + 0.5 / rows->h_rate, 1e-9);
        assert_true(step != 1 || rows->h_rate != last);
        last = rows->h_rate;
    }
    rig_free(&rig);
}

/* ---- what is refused ---- */

static void bad_springs_are_refused(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(1, 1, 1, 1);
    AfxBodyId body = rig_body(&rig, &def);
    for (int k = 0; k < 5; k++) {
        AfxJointDef joint = afx_default_joint(k == 0 ? AFX_JOINT_REVOLUTE : AFX_JOINT_SPHERICAL);
        AfxJointId id;
        joint.follower = body;
        joint.spring = equal_spring(1, 0);
        joint.spring.stiffness.y = k == 1 ? 0 : k == 2 ? -1 : k == 3 ? NAN : 1;
        joint.spring.rest.w = k == 4 ? 1.5 : 1;
        assert_int_equal(afx_scene_add_joint(rig.scene, &joint, &id), AFX_E_INPUT);
    }
    assert_int_equal(afx_scene_joint_count(rig.scene), 0);
    rig_free(&rig);
}

int run_turn_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_torque_is_the_gradient),
        cmocka_unit_test(value_and_compliance_fit),
        cmocka_unit_test(a_ball_spring_oscillates),
        cmocka_unit_test(two_free_bodies_oscillate),
        cmocka_unit_test(a_ball_damper_decays),
        cmocka_unit_test(a_rod_sags),
        cmocka_unit_test(it_settles_at_rest),
        cmocka_unit_test(small_angles_agree_with_cardan),
        cmocka_unit_test(every_solver_agrees),
        cmocka_unit_test(a_spring_goes_off_with_its_joint),
        cmocka_unit_test(what_springs_hold_by_follows_the_step),
        cmocka_unit_test(bad_springs_are_refused),
    };
    return cmocka_run_group_tests_name("ball springs", tests, NULL, NULL);
}
