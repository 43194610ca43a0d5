/* SPDX-License-Identifier: Apache-2.0 */
/* Control points in place of raw coordinates; and the published variants of joints beside the library's own: hinges
 * authored on points, the universal joint as two hinges on a cross, the hinge of six rows. */
#include "tests.h"

enum { BODIES = 3 };

static World odd_world(const AfxSimDef *def) {
    World world = world_make(v3(0, 0, -9.81));
    for (int k = 0; k < BODIES; k++) {
        AfxBodyDef body = odd_def();
        body.center.x += 0.1 * k;
        body.young = k == 2 ? 1e9 : INFINITY;
        world_add(&world, &body);
    }
    world_start(&world, def);
    return world;
}

static const AfxVec3 unit_tetrahedron[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/** Four points whose edges span at least 0.1 of what right angles would. */
static void random_tetrahedron(uint64_t *seed, double size, AfxVec3 out[4]) {
    double volume;
    do {
        AfxVec3 e[3];
        for (int k = 0; k < 4; k++) {
            out[k] = random_vec3(seed, size);
        }
        for (int k = 0; k < 3; k++) {
            e[k] = v3_sub(out[k + 1], out[0]);
            e[k] = v3_scale(1 / v3_norm(e[k]), e[k]);
        }
        volume = fabs(v3_dot(e[0], v3_cross(e[1], e[2])));
    } while (!(volume > 0.1));
}

static void fill_random(uint64_t *seed, double size, double *out, int count) {
    for (int k = 0; k < count; k++) {
        out[k] = size * (2 * random_unit(seed) - 1);
    }
}

/* ---- get and set ---- */

static void points_are_where_the_pose_says(void **state) {
    (void)state;
    AfxSimDef def = sim_def(&methods[0], 0.01);
    World world = odd_world(&def);
    AfxBodyDef body = odd_def();
    AfxVec3 y[4], v[4];
    for (uint32_t k = 0; k < BODIES; k++) {
        assert_ok(afx_sim_control_points(world.sim, k, unit_tetrahedron, y, v));
        for (int i = 0; i < 4; i++) {
            AfxVec3 arm = q_rotate(body.pose.rotation, unit_tetrahedron[i]);
            assert_vec3(y[i], v3_add(body.pose.position, arm), 1e-14);
            assert_vec3(v[i], v3_add(body.linear_velocity, v3_cross(body.angular_velocity, arm)), 1e-14);
        }
    }
    uint32_t flat = 0; /* reading asks for no volume */
    const AfxVec3 one[4] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    assert_ok(afx_sim_control_points(world.sim, flat, one, y, NULL));
    assert_ok(afx_sim_control_points(world.sim, flat, one, NULL, v));
    world_free(&world);
}

/* Raw coordinates and velocities of any affine map, read by points, lost, and set again by them. */
static void raw_state_makes_the_round_trip(void **state) {
    (void)state;
    AfxSimDef def = sim_def(&methods[0], 0.01);
    World world = odd_world(&def);
    uint64_t seed = 11;
    for (int trial = 0; trial < 300; trial++) {
        double q[12 * BODIES], v[12 * BODIES], other[12 * BODIES];
        AfxVec3 rest[4], y[4], rates[4];
        uint32_t body = (uint32_t)trial % BODIES;
        fill_random(&seed, 2, q, 12 * BODIES); /* strained by anything */
        fill_random(&seed, 2, v, 12 * BODIES);
        fill_random(&seed, 2, other, 12 * BODIES);
        random_tetrahedron(&seed, 1, rest);
        assert_ok(afx_sim_set_state(world.sim, q, v));
        assert_ok(afx_sim_control_points(world.sim, body, rest, y, rates));
        assert_ok(afx_sim_set_state(world.sim, other, other));
        assert_ok(afx_sim_set_control_points(world.sim, body, rest, y, rates));
        for (uint32_t k = 0; k < 12 * BODIES; k++) {
            bool mine = k / 12 == body;
            assert_near(afx_sim_coordinates(world.sim)[k], mine ? q[k] : other[k], mine ? 1e-12 : 0);
            assert_near(afx_sim_velocities(world.sim)[k], mine ? v[k] : other[k], mine ? 1e-12 : 0);
        }
    }
    world_free(&world);
}

static void what_is_set_is_got(void **state) {
    (void)state;
    AfxSimDef def = sim_def(&methods[0], 0.01);
    World world = odd_world(&def);
    uint64_t seed = 12;
    static const double sizes[] = {1, 1e-3, 1e3};
    for (int trial = 0; trial < 300; trial++) {
        AfxVec3 rest[4], y[4], v[4], got[4], rates[4];
        uint32_t body = (uint32_t)trial % BODIES;
        double size = sizes[trial / BODIES % 3];
        random_tetrahedron(&seed, size, rest);
        random_tetrahedron(&seed, size, y);
        random_tetrahedron(&seed, size, v);
        assert_ok(afx_sim_set_control_points(world.sim, body, rest, y, NULL)); /* one after the other */
        assert_ok(afx_sim_set_control_points(world.sim, body, rest, NULL, v));
        assert_ok(afx_sim_control_points(world.sim, body, rest, got, rates));
        for (int k = 0; k < 4; k++) { /* the centre is 0.4 m off however small the tetrahedron */
            assert_vec3(got[k], y[k], size < 1 ? 1e-12 : 1e-12 * size);
            assert_vec3(rates[k], v[k], size < 1 ? 1e-12 : 1e-12 * size);
        }
    }
    world_free(&world);
}

/* A body put elsewhere by its points runs as one defined there, and the method restarts. */
static void a_set_body_runs_like_a_defined_one(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef sim = sim_def(&methods[m], 0.005);
        AfxBodyDef there = odd_def(), here = odd_def();
        here.pose = afx_pose_identity();
        here.linear_velocity = here.angular_velocity = v3(0, 0, 0);
        World defined = world_make(v3(0, 0, -9.81)), put = world_make(v3(0, 0, -9.81));
        AfxVec3 y[4], v[4], got[4];
        AfxStepReport report;
        world_add(&defined, &there);
        world_add(&put, &here);
        world_start(&defined, &sim);
        world_start(&put, &sim);
        world_run(&put, 7);
        assert_ok(afx_sim_control_points(defined.sim, 0, unit_tetrahedron, y, v));
        assert_ok(afx_sim_set_control_points(put.sim, 0, unit_tetrahedron, y, v));
        assert_ok(afx_step(put.sim, &report));
        bool history = methods[m].integrator == AFX_BDF2 || methods[m].integrator == AFX_ALPHA;
        assert_int_equal((report.flags & AFX_STEP_RESTARTED) != 0, history);
        world_run(&put, 99);
        world_run(&defined, 100);
        assert_ok(afx_sim_control_points(defined.sim, 0, unit_tetrahedron, y, v));
        assert_ok(afx_sim_control_points(put.sim, 0, unit_tetrahedron, got, NULL));
        for (int k = 0; k < 4; k++) {
            assert_vec3(got[k], y[k], 1e-11);
        }
        world_free(&defined);
        world_free(&put);
    }
}

static void wrong_points_are_refused(void **state) {
    (void)state;
    AfxSimDef def = sim_def(&methods[0], 0.01);
    World world = odd_world(&def);
    world_run(&world, 3);
    double *before = state_copy(&world);
    AfxVec3 y[4], v[4], nan[4] = {{0, 0, 0}, {0, NAN, 0}, {1, 1, 1}, {0, 0, 1}};
    const AfxVec3 huge[4] = {{-1e308, 0, 0}, {1e308, 0, 0}, {0, 1e308, 0}, {0, 0, 1e308}};
    static const AfxVec3 flat[][4] = {
        {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}},                         /* in a plane */
        {{0.1, 0.2, 0.3}, {1.1, 0.3, 0.3}, {0.2, 1.2, 0.4}, {1.2, 1.3, 0.4}}, /* in a plane but for rounding */
        {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}},                         /* on a line */
        {{1, 2, 3}, {1, 2, 3}, {0, 1, 0}, {0, 0, 1}},                         /* two alike */
        {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}},                         /* all alike */
        {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1e-10}},                     /* too thin */
    };
    assert_ok(afx_sim_control_points(world.sim, 0, unit_tetrahedron, y, v));
    for (size_t k = 0; k < COUNT(flat); k++) {
        assert_int_equal(afx_sim_set_control_points(world.sim, 0, flat[k], y, v), AFX_E_ARGUMENT);
    }
    assert_int_equal(afx_sim_set_control_points(world.sim, 0, huge, y, v), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_control_points(world.sim, 0, unit_tetrahedron, huge, v), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_control_points(world.sim, 0, nan, y, v), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_control_points(world.sim, 0, unit_tetrahedron, nan, v), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_control_points(world.sim, 0, unit_tetrahedron, y, nan), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_control_points(world.sim, 0, NULL, y, v), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_control_points(world.sim, BODIES, unit_tetrahedron, y, v), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_set_control_points(NULL, 0, unit_tetrahedron, y, v), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_control_points(world.sim, 0, nan, y, v), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_control_points(world.sim, 0, NULL, y, v), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_control_points(world.sim, BODIES, unit_tetrahedron, y, v), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_control_points(NULL, 0, unit_tetrahedron, y, v), AFX_E_ARGUMENT);
    assert_true(state_equal(&world, before));
    AfxStepReport report; /* and its history is kept */
    assert_ok(afx_step(world.sim, &report));
    assert_int_equal(report.flags & AFX_STEP_RESTARTED, 0);
    free(before);
    world_free(&world);
}

/* ---- joints ---- */

static AfxJointId must_add(World *world, const AfxJointDef *def) {
    AfxJointId id;
    assert_ok(afx_scene_add_joint(world->scene, def, &id));
    return id;
}

/** The bar of all rigs here: 0.6 x 0.1 x 0.2 m and 12 kg, along x of its frame. */
static AfxBodyId add_bar(World *world, AfxPose pose, double young) {
    AfxBodyDef def = afx_default_body();
    AfxShapeDef box = afx_default_box(0.6, 0.1, 0.2);
    def.pose = pose;
    def.young = young;
    return afx_scene_body(world->scene, world_add_shape(world, &def, &box));
}

/** Two bars, end to end along x from the origin, on hinges: about y, and about an axis oblique to it and to the bars.
 */
static World double_pendulum(AfxJointKind kind, bool on_points, double young) {
    World world = world_make(v3(0, 0, -9.81));
    AfxBodyId first = add_bar(&world, (AfxPose){v3(0.3, 0, 0), q_about(v3(1, 0, 0), 0.4)}, young);
    AfxBodyId second = add_bar(&world, (AfxPose){v3(0.9, 0, 0), q_about(v3(1, 0, 0), -0.3)}, young);
    AfxVec3 at[2] = {v3(0, 0, 0), v3(0.6, 0, 0)}, along[2] = {v3(0, 0.5, 0), v3(0.2, 0.3, 0.4)};
    for (int k = 0; k < 2; k++) {
        AfxJointDef def = afx_default_joint(kind);
        AfxBodyDef body;
        def.base = k ? first : afx_world();
        def.follower = k ? second : first;
        if (on_points) {
            AfxVec3 p[2][2] = {{at[k], v3_add(at[k], along[k])}, {at[k], v3_add(at[k], along[k])}};
            for (int end = k ? 0 : 1; end < 2; end++) {
                assert_ok(afx_scene_get_body(world.scene, end ? def.follower : def.base, &body));
                for (int i = 0; i < 2; i++) {
                    p[end][i] = afx_pose_apply(afx_pose_invert(body.pose), p[end][i]);
                }
            }
            assert_ok(afx_joint_on_points(world.scene, &def, p[0], p[1]));
        } else {
            assert_ok(afx_joint_place(world.scene, &def, afx_frame_along(at[k], along[k])));
        }
        must_add(&world, &def);
    }
    return world;
}

/** So many solves in every step that no tolerance tells: what is compared is the equations. */
static AfxSimDef solved_def(const Method *method, double dt) {
    AfxSimDef def = accurate_def(method, dt);
    def.solves = 10;
    return def;
}

/** Largest distance between control points of all bodies of two worlds, over a run; residual below 1e-9. */
static double distance_of_runs(World *a, World *b, uint32_t bodies, uint32_t steps) {
    double largest = 0;
    for (uint32_t n = 0; n < steps; n++) {
        AfxStepReport report;
        assert_ok(afx_step(a->sim, NULL));
        assert_ok(afx_step(b->sim, &report));
        assert_below(report.residual, 1e-9);
        for (uint32_t body = 0; body < bodies; body++) {
            AfxVec3 p[4], q[4];
            assert_ok(afx_sim_control_points(a->sim, body, unit_tetrahedron, p, NULL));
            assert_ok(afx_sim_control_points(b->sim, body, unit_tetrahedron, q, NULL));
            for (int k = 0; k < 4; k++) {
                largest = fmax(largest, v3_distance(p[k], q[k]));
            }
        }
    }
    return largest;
}

/* The frames agree to rounding but for a turn about the axis that neither base nor follower feels. */
static void hinges_on_points_are_hinges_by_frames(void **state) {
    (void)state;
    static const double young[] = {INFINITY, 1e9};
    for (int m = 0; m < METHODS; m++) {
        for (int k = 0; k < 2; k++) {
            World frames = double_pendulum(AFX_JOINT_REVOLUTE, false, young[k]);
            World points = double_pendulum(AFX_JOINT_REVOLUTE, true, young[k]);
            AfxSimDef def = solved_def(&methods[m], 0.005);
            world_start(&frames, &def);
            world_start(&points, &def);
            double angle, start;
            for (uint32_t joint = 0; joint < 2; joint++) {
                assert_ok(afx_sim_joint_coordinate(points.sim, joint, 0, &start, NULL));
                assert_near(start, 0, 1e-15);
            }
            double distance = distance_of_runs(&frames, &points, 2, 200);
            print_message("hinge on points, %s, E = %g: %.2g m\n", methods[m].name, young[k], distance);
            assert_below(distance, 1e-12);
            for (uint32_t joint = 0; joint < 2; joint++) {
                assert_ok(afx_sim_joint_coordinate(points.sim, joint, 0, &angle, NULL));
                assert_ok(afx_sim_joint_coordinate(frames.sim, joint, 0, &start, NULL));
                assert_near(angle, start, isinf(young[k]) ? 1e-12 : 1e-5); /* strain tells which y it is read from */
            }
            world_free(&frames);
            world_free(&points);
        }
    }
}

/* Six rows hold the same hinge: the motion differs by what an elastic axis may stretch, and by nothing when rigid. */
static void six_rows_move_like_five(void **state) {
    (void)state;
    static const double young[] = {INFINITY, 1e9}, bounds[] = {1e-9, 1e-4};
    for (int k = 0; k < 2; k++) {
        World five = double_pendulum(AFX_JOINT_REVOLUTE, true, young[k]);
        World six = double_pendulum(AFX_JOINT_REVOLUTE_POINTS, true, young[k]);
        AfxSimDef def = solved_def(&methods[0], 0.005);
        world_start(&five, &def);
        world_start(&six, &def);
        double distance = distance_of_runs(&five, &six, 2, 200);
        print_message("hinge of six rows, E = %g: %.2g m\n", young[k], distance);
        assert_below(distance, bounds[k]);
        world_free(&five);
        world_free(&six);
    }
}

/** The joint at the origin: x up, y across the second shaft. */
static void add_hook(World *world, AfxBodyId first, AfxBodyId second, double cross_mass) {
    AfxJointDef hook = afx_default_joint(AFX_JOINT_UNIVERSAL);
    AfxJointId joints[2];
    AfxBodyId cross;
    AfxBodyDef out;
    AfxPose frame = afx_frame_along(v3(0, 0, 0), v3(0, 0, 1));
    assert_ok(afx_scene_get_body(world->scene, second, &out));
    AfxVec3 have = q_rotate(frame.rotation, v3(0, 1, 0)), want = q_rotate(out.pose.rotation, v3(0, 1, 0));
    double turn = atan2(v3_dot(v3_cross(have, want), v3(0, 0, 1)), v3_dot(have, want));
    frame.rotation = q_multiply(q_about(v3(0, 0, 1), turn), frame.rotation);
    hook.base = first;
    hook.follower = second;
    assert_ok(afx_joint_place(world->scene, &hook, frame));
    if (cross_mass > 0) {
        assert_ok(afx_scene_add_universal_cross(world->scene, &hook, cross_mass, 0.2, joints, &cross));
    } else {
        must_add(world, &hook);
    }
}

/** Two shafts that meet at 45 degrees, the first given a spin and then left alone: cross_mass 0 is AFX_JOINT_UNIVERSAL.
 * The second is unbalanced, so that both the coupling's unevenness and its weight tell. */
static World shafts(double cross_mass, double young) {
    World world = world_make(v3(0, 0, -9.81));
    double omega = 8, angle = acos(-1) / 4;
    AfxBodyDef in = afx_default_body(), out = afx_default_body();
    AfxShapeDef rod = afx_default_box(0.4, 0.06, 0.06), arm = afx_default_box(0.05, 0.3, 0.05);
    in.young = out.young = young;
    in.angular_velocity = v3(omega, 0, 0);
    out.pose.rotation = q_about(v3(0, 0, 1), angle);
    out.angular_velocity = q_rotate(out.pose.rotation, v3(omega * cos(angle), 0, 0)); /* its axis is in their plane */
    rod.pose.position = v3(-0.2, 0, 0);
    AfxBodyId first = afx_scene_body(world.scene, world_add_shape(&world, &in, &rod));
    rod.pose.position = v3(0.2, 0, 0);
    arm.pose.position = v3(0.1, 0.15, 0);
    AfxBodyId second = afx_scene_body(world.scene, world_add_shape(&world, &out, &rod));
    assert_ok(afx_scene_add_shape(world.scene, second, &arm));
    const AfxVec3 ends[2] = {v3(-0.4, 0, 0), q_rotate(out.pose.rotation, v3(0.4, 0, 0))};
    for (int k = 0; k < 2; k++) {
        AfxJointDef bearing = afx_default_joint(AFX_JOINT_REVOLUTE);
        bearing.follower = k ? second : first;
        assert_ok(afx_joint_place(world.scene, &bearing, afx_frame_along(ends[k], ends[k])));
        must_add(&world, &bearing);
    }
    add_hook(&world, first, second, cross_mass);
    return world;
}

/* The lighter the cross, the nearer to the joint without one: in proportion to its mass. */
static void a_light_cross_is_a_universal_joint(void **state) {
    (void)state;
    static const double young[] = {INFINITY, 1e9}, masses[] = {1e-1, 1e-2, 1e-3, 1e-6};
    for (int k = 0; k < 2; k++) {
        double distance[4];
        for (int i = 0; i < 4; i++) {
            World plain = shafts(0, young[k]), crossed = shafts(masses[i], young[k]);
            AfxSimDef def = solved_def(&methods[0], 0.002);
            world_start(&plain, &def);
            world_start(&crossed, &def);
            distance[i] = distance_of_runs(&plain, &crossed, 2, 500);
            double value[2], other[2];
            for (uint32_t axis = 0; axis < 2; axis++) {
                assert_ok(afx_sim_joint_coordinate(plain.sim, 2, axis, &value[axis], NULL));
                assert_ok(afx_sim_joint_coordinate(crossed.sim, 2 + axis, 0, &other[axis], NULL));
                assert_near(other[axis], value[axis], 10 * distance[i] + 1e-12);
            }
            world_free(&plain);
            world_free(&crossed);
        }
        print_message("cross of 0.1, 0.01, 0.001, 1e-6 kg, E = %g: %.2g %.2g %.2g %.2g m\n", young[k], distance[0],
                      distance[1], distance[2], distance[3]);
        assert_near(distance[0] / distance[1], 10, 2);
        assert_near(distance[1] / distance[2], 10, 1);
        assert_near(distance[2] / distance[3], 1000, 200);
    }
}

int run_control_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_where_the_pose_says),
        cmocka_unit_test(raw_state_makes_the_round_trip),
        cmocka_unit_test(what_is_set_is_got),
        cmocka_unit_test(a_set_body_runs_like_a_defined_one),
        cmocka_unit_test(wrong_points_are_refused),
        cmocka_unit_test(hinges_on_points_are_hinges_by_frames),
        cmocka_unit_test(six_rows_move_like_five),
        cmocka_unit_test(a_light_cross_is_a_universal_joint),
    };
    return cmocka_run_group_tests_name("control", tests, NULL, NULL);
}
