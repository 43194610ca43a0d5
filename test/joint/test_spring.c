/* SPDX-License-Identifier: Apache-2.0 */
/* Springs and dampers: on a joint's axis against the damped oscillation, soft and very stiff; between points of two
 * free bodies against a Runge-Kutta of the same law, and with one end on the world. */
#include "driven.h"

static const double gravity = 9.81;

static uint32_t add_soft(Rig *rig, AfxJointId joint, double stiffness, double damping, double rest) {
    AfxDriveDef def = afx_default_drive(AFX_DRIVE_SPRING);
    def.joint = joint;
    def.stiffness = stiffness;
    def.damping = damping;
    def.rest = rest;
    return add_drive(rig, &def);
}

static uint32_t add_spring(Rig *rig, const AfxSpringDef *def) {
    AfxSpringId id;
    assert_ok(afx_scene_add_spring(rig->scene, def, &id));
    return id.index;
}

/* ---- on an axis ---- */

static const double mass = 2, moment = 0.3;

/* A body that turns about z or slides along it. */
static AfxJointId add_one(Rig *rig, AfxJointKind kind, double rate) {
    AfxBodyDef def = rigid_def(mass, 0.2, 0.25, moment);
    bool turns = kind == AFX_JOINT_REVOLUTE;
    def.angular_velocity = v3(0, 0, turns ? rate : 0);
    def.linear_velocity = v3(0, 0, turns ? 0 : rate);
    AfxBodyId body = rig_body(rig, &def);
    return rig_joint(rig, kind, afx_world(), body, afx_frame_along(v3(0, 0, 0), v3(0, 0, 1)));
}

/* From x = 0 at rate v about the rest position: e^(-c t) (-rest cos w t + ...), c = d / 2 I. */
static double damped_error(AfxJointKind kind, AfxIntegrator integrator, double dt) {
    Rig rig = rig_make(v3(0, 0, 0));
    double k = 40, d = 0.9, rest = 0.5, v = 2, inertia = kind == AFX_JOINT_REVOLUTE ? moment : mass, error = 0;
    double c = d / 2 / inertia, w = sqrt(k / inertia - c * c);
    AfxJointId joint = add_one(&rig, kind, v);
    uint32_t drive = add_soft(&rig, joint, k, d, rest);
    AfxSimDef sim = accurate_def(integrator, dt);
    rig_start(&rig, &sim);
    for (int n = 0; n < (int)lround(1 / dt); n++) {
        double effort;
        rig_run(&rig, 1, NULL);
        double t = afx_sim_time(rig.sim), x;
        x = rest + exp(-c * t) * (-rest * cos(w * t) + (v - c * rest) / w * sin(w * t));
        error = fmax(error, fabs(rig_coordinate(&rig, joint, 0) - x));
        assert_ok(afx_sim_drive_effort(rig.sim, drive, &effort));
        if (integrator == AFX_BDF2) { /* its law at the end of the step */
            double asked = k * (rest - rig_coordinate(&rig, joint, 0)) - d * rate_of(&rig, joint);
            assert_near(effort, asked, 50 * dt);
        }
    }
    rig_free(&rig);
    return error;
}

static void a_joint_spring_oscillates(void **state) {
    (void)state;
    static const AfxJointKind kinds[2] = {AFX_JOINT_REVOLUTE, AFX_JOINT_PRISMATIC};
    static const AfxIntegrator methods[2] = {AFX_BDF2, AFX_ALPHA};
    for (int k = 0; k < 4; k++) {
        double e[3];
        for (int r = 0; r < 3; r++) {
            e[r] = damped_error(kinds[k & 1], methods[k >> 1], 4e-3 / (1 << r));
        }
        print_message("joint spring: %.2g %.2g %.2g\n", e[0], e[1], e[2]);
        assert_below(e[2], 2e-3);
        assert_true(slope(e[0], e[1]) > 1.8);
        assert_true(slope(e[1], e[2]) > 1.8);
    }
}

/* So stiff that its period is far below the step: it does not blow up, and settles where the load puts it. */
static void a_stiff_joint_spring_is_stable(void **state) {
    (void)state;
    static const AfxIntegrator methods[3] = {AFX_BDF2, AFX_ALPHA, AFX_BDF1};
    for (size_t k = 0; k < COUNT(methods); k++) {
        for (int turns = 0; turns < (methods[k] == AFX_ALPHA ? 1 : 2); turns++) {
            Rig rig = rig_make(v3(0, 0, -gravity));
            AfxJointId joint = add_one(&rig, turns ? AFX_JOINT_REVOLUTE : AFX_JOINT_PRISMATIC, 0);
            uint32_t drive = add_soft(&rig, joint, 1e9, 0, 1e-3);
            AfxSimDef sim = sim_def(methods[k], 0.01);
            double load = turns ? 0 : mass * gravity, effort;
            rig_start(&rig, &sim);
            for (int n = 0; n < 500; n++) {
                rig_run(&rig, 1, NULL);
                assert_near(rig_coordinate(&rig, joint, 0), 1e-3, n < 10 ? 4e-3 : 1e-3); /* the start overshoots */
            }
            assert_near(rig_coordinate(&rig, joint, 0), 1e-3 - load / 1e9, 1e-9);
            assert_ok(afx_sim_drive_effort(rig.sim, drive, &effort));
            assert_near(effort, load, 1e-3);
            rig_free(&rig);
        }
    }
}

/* A stiff damper alone lets a load sink at load / damping. */
static void a_stiff_damper_sinks_slowly(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxJointId joint = add_one(&rig, AFX_JOINT_PRISMATIC, 0);
    add_soft(&rig, joint, 0, 1e6, 0);
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    rig_run(&rig, 100, NULL);
    assert_near(rate_of(&rig, joint), -mass * gravity / 1e6, 1e-9);
    assert_near(rig_coordinate(&rig, joint, 0), 0, 1e-4); /* what it fell in the first step remains */
    rig_free(&rig);
}

/* ---- between points ---- */

/* Two bodies with equal moments all round and a spring between a point of each, by Runge-Kutta. */
typedef struct Ball {
    AfxVec3 x, v, w;
    AfxQuat q;
} Ball;

typedef struct Pair {
    Ball ball[2];
    double mass[2], inertia[2];
    const AfxSpringDef *spring;
} Pair;

static AfxVec3 pull_on_first(const Pair *pair, const Ball *a, const Ball *b) {
    const AfxSpringDef *s = pair->spring;
    AfxVec3 ra = q_rotate(a->q, s->point_a), rb = q_rotate(b->q, s->point_b);
    AfxVec3 d = v3_sub(v3_add(a->x, ra), v3_add(b->x, rb));
    AfxVec3 rate = v3_sub(v3_add(a->v, v3_cross(a->w, ra)), v3_add(b->v, v3_cross(b->w, rb)));
    double length = v3_norm(d), stretch = v3_dot(rate, d) / length;
    return v3_scale(-(s->stiffness * (length - s->rest_length) + s->damping * stretch) / length, d);
}

static void slopes(const Pair *pair, const Ball at[2], Ball out[2]) {
    AfxVec3 pull = pull_on_first(pair, &at[0], &at[1]);
    for (int k = 0; k < 2; k++) {
        AfxVec3 force = v3_scale(k ? -1 : 1, pull), point = k ? pair->spring->point_b : pair->spring->point_a;
        AfxQuat spin = q_multiply((AfxQuat){0, at[k].w.x, at[k].w.y, at[k].w.z}, at[k].q);
        out[k].x = at[k].v;
        out[k].v = v3_scale(1 / pair->mass[k], force);
        out[k].w = v3_scale(1 / pair->inertia[k], v3_cross(q_rotate(at[k].q, point), force));
        out[k].q = (AfxQuat){spin.w / 2, spin.x / 2, spin.y / 2, spin.z / 2};
    }
}

static void move(const Ball from[2], const Ball rate[2], double h, Ball to[2]) {
    for (int k = 0; k < 2; k++) {
        const Ball *f = &from[k], *r = &rate[k];
        AfxQuat q = {f->q.w + h * r->q.w, f->q.x + h * r->q.x, f->q.y + h * r->q.y, f->q.z + h * r->q.z};
        double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
        to[k] = (Ball){v3_add(f->x, v3_scale(h, r->x)),
                       v3_add(f->v, v3_scale(h, r->v)),
                       v3_add(f->w, v3_scale(h, r->w)),
                       {q.w / n, q.x / n, q.y / n, q.z / n}};
    }
}

static void pair_run(Pair *pair, double duration, int count) {
    double h = duration / count;
    for (int n = 0; n < count; n++) {
        Ball k1[2], k2[2], k3[2], k4[2], at[2];
        slopes(pair, pair->ball, k1);
        move(pair->ball, k1, h / 2, at);
        slopes(pair, at, k2);
        move(pair->ball, k2, h / 2, at);
        slopes(pair, at, k3);
        move(pair->ball, k3, h, at);
        slopes(pair, at, k4);
        move(pair->ball, k1, h / 6, pair->ball);
        move(pair->ball, k2, h / 3, pair->ball);
        move(pair->ball, k3, h / 3, pair->ball);
        move(pair->ball, k4, h / 6, pair->ball);
    }
}

/* How far both bodies are off after 1.5 s; linear momentum to rounding all the way. */
static double pair_error(AfxIntegrator integrator, double dt, double damping) {
    Rig rig = rig_make(v3(0, 0, 0));
    Pair pair = {.mass = {1, 2}, .inertia = {0.05, 0.2}};
    AfxSpringDef spring = afx_default_spring();
    AfxBodyId body[2];
    for (int k = 0; k < 2; k++) {
        AfxBodyDef def = rigid_def(pair.mass[k], pair.inertia[k], pair.inertia[k], pair.inertia[k]);
        def.pose = (AfxPose){v3(1.5 * k, 0.2, -0.1 * k), q_about(v3(1, k, 2), 0.7)};
        def.linear_velocity = v3(0.3, 0.6 - k, 0.2);
        def.angular_velocity = v3(1 - 2 * k, 0.5, k);
        body[k] = rig_body(&rig, &def);
        pair.ball[k] = (Ball){def.pose.position, def.linear_velocity, def.angular_velocity, def.pose.rotation};
    }
    spring.body_a = body[0];
    spring.body_b = body[1];
    spring.point_a = v3(0.2, 0.1, 0);
    spring.point_b = v3(-0.1, 0.3, 0.2);
    spring.rest_length = 0.8;
    spring.stiffness = 30;
    spring.damping = damping;
    add_spring(&rig, &spring);
    pair.spring = &spring;
    AfxSimDef sim = accurate_def(integrator, dt);
    AfxMomentum begin, now;
    rig_start(&rig, &sim);
    assert_ok(afx_sim_momentum(rig.sim, &begin));
    for (int n = 0; n < (int)lround(1.5 / dt); n++) {
        rig_run(&rig, 1, NULL);
        assert_ok(afx_sim_momentum(rig.sim, &now));
        assert_vec3(now.linear, begin.linear, 2e-16 / dt / dt); /* rounding of places, a step over dt */
    }
    assert_vec3(now.angular, begin.angular, 20 * dt);
    pair_run(&pair, 1.5, 3000);
    double error = 0;
    for (int k = 0; k < 2; k++) {
        AfxPose pose = rig_pose(&rig, body[k]);
        error = fmax(error, v3_distance(pose.position, pair.ball[k].x));
        error = fmax(error, q_distance(pose.rotation, pair.ball[k].q));
    }
    rig_free(&rig);
    return error;
}

static void a_spring_ties_two_free_bodies(void **state) {
    (void)state;
    static const AfxIntegrator methods[2] = {AFX_BDF2, AFX_ALPHA};
    for (int k = 0; k < 4; k++) {
        double e[3];
        for (int r = 0; r < 3; r++) {
            e[r] = pair_error(methods[k >> 1], 4e-3 / (1 << r), k & 1 ? 1.2 : 0);
        }
        print_message("point spring: %.2g %.2g %.2g\n", e[0], e[1], e[2]);
        assert_below(e[2], 5e-3);
        assert_true(slope(e[0], e[1]) > 1.75);
        assert_true(slope(e[1], e[2]) > 1.75);
    }
}

/* A weight on a spring from a point of the world, either way round: z about its rest in closed form. */
static double hung_error(bool world_first, double dt) {
    Rig rig = rig_make(v3(0, 0, -gravity));
    double k = 50, c = 0.4, error = 0, w = sqrt(k / 2 - c * c);
    AfxBodyDef def = rigid_def(2, 0.1, 0.2, 0.25);
    AfxBodyId body = rig_body(&rig, &def);
    AfxSpringDef spring = afx_default_spring();
    spring.body_a = world_first ? afx_world() : body;
    spring.body_b = world_first ? body : afx_world();
    spring.point_a = v3(0, 0, world_first ? 1.5 : 0);
    spring.point_b = v3(0, 0, world_first ? 0 : 1.5);
    spring.rest_length = 1.2;
    spring.stiffness = k;
    spring.damping = 2 * 2 * c;
    add_spring(&rig, &spring);
    AfxSimDef sim = accurate_def(AFX_ALPHA, dt);
    rig_start(&rig, &sim);
    double rest = 0.3 - 2 * gravity / k;
    for (int n = 0; n < (int)lround(2 / dt); n++) {
        rig_run(&rig, 1, NULL);
        double t = afx_sim_time(rig.sim), z = rest * (1 - exp(-c * t) * (cos(w * t) + c / w * sin(w * t)));
        error = fmax(error, v3_distance(rig_pose(&rig, body).position, v3(0, 0, z)));
    }
    rig_free(&rig);
    return error;
}

static void a_weight_hangs_on_a_spring(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        double coarse = hung_error(k, 4e-3), fine = hung_error(k, 2e-3);
        assert_below(fine, 1e-4);
        assert_true(slope(coarse, fine) > 1.8);
    }
}

/* Rest length 0: the force is -k d in all directions, an ellipse about the fixed end. */
static void a_spring_without_length_draws_an_ellipse(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(2, 0.1, 0.2, 0.25);
    def.pose.position = v3(1, 0, 0);
    def.linear_velocity = v3(0, 2, 1);
    AfxBodyId body = rig_body(&rig, &def);
    AfxSpringDef spring = afx_default_spring();
    spring.body_a = body;
    spring.body_b = afx_world();
    spring.stiffness = 32;
    add_spring(&rig, &spring);
    AfxSimDef sim = accurate_def(AFX_ALPHA, 1e-3);
    rig_start(&rig, &sim);
    for (int n = 0; n < 2000; n++) {
        rig_run(&rig, 1, NULL);
        double t = afx_sim_time(rig.sim), s = sin(4 * t) / 4;
        assert_vec3(rig_pose(&rig, body).position, v3(cos(4 * t), 2 * s, s), 1e-4);
    }
    rig_free(&rig);
}

/* And straight through the fixed end, where the spring has no direction. */
static void a_spring_without_length_is_passed_through(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(2, 0.1, 0.2, 0.25);
    def.pose.position = v3(1, 0, 0);
    AfxBodyId body = rig_body(&rig, &def);
    AfxSpringDef spring = afx_default_spring();
    spring.body_a = body;
    spring.body_b = afx_world();
    spring.stiffness = 32;
    add_spring(&rig, &spring);
    AfxSimDef sim = accurate_def(AFX_ALPHA, 1e-3);
    rig_start(&rig, &sim);
    for (int n = 0; n < 2000; n++) {
        rig_run(&rig, 1, NULL);
        assert_vec3(rig_pose(&rig, body).position, v3(cos(4 * afx_sim_time(rig.sim)), 0, 0), 1e-4);
    }
    rig_free(&rig);
}

/* A damper alone: the relative speed along it fades as e^(-d t / m). */
static void a_point_damper_slows(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(2, 0.1, 0.2, 0.25);
    def.pose.position = v3(1, 0, 0);
    def.linear_velocity = v3(1, 0, 0);
    AfxBodyId body = rig_body(&rig, &def);
    AfxSpringDef spring = afx_default_spring();
    spring.body_a = body;
    spring.body_b = afx_world();
    spring.damping = 3;
    add_spring(&rig, &spring);
    AfxSimDef sim = accurate_def(AFX_BDF2, 1e-3);
    rig_start(&rig, &sim);
    rig_run(&rig, 1000, NULL);
    assert_near(rig_pose(&rig, body).position.x, 1 + (1 - exp(-1.5)) / 1.5, 1e-5);
    assert_near(rig_twist(&rig, body).linear.x, exp(-1.5), 1e-5);
    rig_free(&rig);
}

/* Stiff beyond the step: it does not blow up, and hangs where statics put it. */
static void a_stiff_point_spring_is_stable(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxBodyDef def = rigid_def(2, 0.1, 0.2, 0.25);
    def.pose.position = v3(0, 0, -0.999);
    AfxBodyId body = rig_body(&rig, &def);
    AfxSpringDef spring = afx_default_spring();
    spring.body_a = body;
    spring.body_b = afx_world();
    spring.rest_length = 1;
    spring.stiffness = 1e9;
    add_spring(&rig, &spring);
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    for (int n = 0; n < 500; n++) {
        rig_run(&rig, 1, NULL);
        assert_vec3(rig_pose(&rig, body).position, v3(0, 0, -1), 3e-3);
    }
    assert_vec3(rig_pose(&rig, body).position, v3(0, 0, -1 - 2 * gravity / 1e9), 1e-9);
    rig_free(&rig);
}

/* Springs can be exchanged while a sim runs. */
static void its_numbers_can_be_set(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxBodyDef def = rigid_def(2, 0.1, 0.2, 0.25);
    def.pose.position = v3(0, 0, -1);
    AfxBodyId body = rig_body(&rig, &def);
    AfxSpringDef spring = afx_default_spring();
    spring.body_a = body;
    spring.body_b = afx_world();
    spring.rest_length = 1;
    spring.stiffness = 100;
    spring.damping = 20;
    uint32_t index = add_spring(&rig, &spring);
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    rig_run(&rig, 1000, NULL);
    assert_vec3(rig_pose(&rig, body).position, v3(0, 0, -1 - 2 * gravity / 100), 1e-8);
    const double stiffer[3] = {0.5, 400, 40};
    assert_ok(afx_sim_set_param(rig.sim, AFX_PARAM_SPRING, index, stiffer));
    rig_run(&rig, 1000, NULL);
    assert_vec3(rig_pose(&rig, body).position, v3(0, 0, -0.5 - 2 * gravity / 400), 1e-8);
    rig_free(&rig);
}

int run_spring_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_joint_spring_oscillates),
        cmocka_unit_test(a_stiff_joint_spring_is_stable),
        cmocka_unit_test(a_stiff_damper_sinks_slowly),
        cmocka_unit_test(a_spring_ties_two_free_bodies),
        cmocka_unit_test(a_weight_hangs_on_a_spring),
        cmocka_unit_test(a_spring_without_length_draws_an_ellipse),
        cmocka_unit_test(a_spring_without_length_is_passed_through),
        cmocka_unit_test(a_point_damper_slows),
        cmocka_unit_test(a_stiff_point_spring_is_stable),
        cmocka_unit_test(its_numbers_can_be_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
