/* SPDX-License-Identifier: Apache-2.0 */
/* Starts make no energy, whatever their springs are to the step: a method of second order starts from accelerations,
 * and those of a load that the step does not resolve lead far away. And what the last turn of an elastic body leaves is
 * no strain to set out with. */
#include "tests.h"

#define DT 0.01

/* What a spring acts on: the coordinate of a slide, the middle angle of a ball, or the turn of a ball itself. */
typedef enum Held { SLIDE, ANGLE, TURN } Held;

#define OFFSET 0.3 /* m or rad */

/* Of 1 kg, held by a spring of `angle` rad a step that is stretched by OFFSET. */
static World oscillator(const Method *method, Held held, double angle) {
    World world = world_make(v3(0, 0, 0));
    AfxBodyDef body = rigid_def(1, 0.01, 0.01, 0.01);
    AfxJointDef joint = afx_default_joint(held == SLIDE ? AFX_JOINT_PRISMATIC : AFX_JOINT_SPHERICAL);
    AfxDriveDef spring = afx_default_drive(AFX_DRIVE_SPRING);
    AfxSimDef def = sim_def(method, DT);
    AfxDriveId id;
    double stiffness = angle * angle / (DT * DT) * (held == SLIDE ? 1 : 0.02);
    joint.base = afx_world();
    joint.follower = afx_scene_body(world.scene, world_add(&world, &body));
    joint.spring.stiffness = held == TURN ? v3(stiffness, stiffness, stiffness) : v3(0, 0, 0);
    joint.spring.rest = held == TURN ? q_about(v3(0, 1, 0), OFFSET) : joint.spring.rest;
    assert_ok(afx_joint_place(world.scene, &joint, (AfxPose){{held == SLIDE ? 0 : 0.1, 0, 0}, {1, 0, 0, 0}}));
    assert_ok(afx_scene_add_joint(world.scene, &joint, &spring.joint));
    spring.axis = held == ANGLE;
    spring.stiffness = stiffness;
    spring.rest = OFFSET;
    if (held != TURN) {
        assert_ok(afx_scene_add_drive(world.scene, &spring, &id));
    }
    world_start(&world, &def);
    afx_sim_set_energy_book(world.sim, true);
    return world;
}

/* Generalised-α makes 2 % at 1 rad a step with rho = 0. */
static void stretched_springs_make_no_energy(void **state) {
    (void)state;
    static const double angles[] = {0.1, 0.7, 1.3, 4.5, 30, 300}, rhos[] = {0, 0.5, 0.8};
    for (size_t k = 0; k < COUNT(angles) * COUNT(rhos) * METHODS * 3; k++) {
        Method method = methods[k % METHODS];
        Held held = (Held)(k / METHODS % 3);
        double angle = angles[k / METHODS / 3 % COUNT(angles)], most = method.integrator == AFX_ALPHA ? 1.02 : 1.005;
        method.rho = rhos[k / METHODS / 3 / COUNT(angles)];
        World world = oscillator(&method, held, angle);
        double start = 0.5 * OFFSET * OFFSET * angle * angle / (DT * DT) * (held == SLIDE ? 1 : 0.02);
        for (int step = 0; step < 40; step++) {
            AfxEnergyBook own, total;
            world_run(&world, 1);
            assert_ok(afx_sim_energy_book(world.sim, &own, &total));
            if (own.kinetic + own.springs > most * start) {
                print_error("%s rho %.1f, held %d, %g rad a step, step %d: %.4g of its energy\n", method.name,
                            method.rho, (int)held, angle, step, (own.kinetic + own.springs) / start);
            }
            assert_true(own.kinetic + own.springs <= most * start);
        }
        world_free(&world);
    }
}

/* A body in a plane on a spring between points, 11 rad a step: its start went 1e14 times too far. */
static void springs_between_points_make_no_energy(void **state) {
    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        World world = world_make(v3(0, 0, 0));
        AfxBodyDef body = rigid_def(1.4e-7, 1e-14, 1e-14, 1e-14);
        AfxSpringDef spring = afx_default_spring();
        AfxSpringId id;
        AfxSimDef def = sim_def(&methods[m], DT);
        AfxStepReport report;
        double length = 0;
        AfxBodyId follower = afx_scene_body(world.scene, world_add(&world, &body));
        scene_joint(world.scene, AFX_JOINT_PLANAR, afx_world(), follower, (AfxPose){{0, 0, 0}, {1, 0, 0, 0}});
        spring.body_a = follower;
        spring.body_b = afx_world();
        spring.point_a = v3(0, 2e-4, 1e-4);
        spring.point_b = v3(0, 5e-3, -1e-3);
        spring.rest_length = 1e-3;
        spring.stiffness = 0.16;
        assert_ok(afx_scene_add_spring(world.scene, &spring, &id));
        world_start(&world, &def);
        length = v3_distance(spring.point_a, spring.point_b) - spring.rest_length;
        assert_ok(afx_step(world.sim, &report));
        AfxEnergy parts;
        afx_sim_energy(world.sim, &parts);
        assert_true(parts.kinetic <= 0.5 * spring.stiffness * length * length);
        world_free(&world);
    }
}

/* Two stiff elastic bodies on a hinge tumble by a radian a step. */
static void last_turns_leave_no_strain(void **state) {
    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        for (int seed = 1; seed <= 20; seed++) {
            World world = world_make(v3(0, 0, 0));
            uint64_t random = 77 * (uint64_t)seed;
            AfxSimDef def = sim_def(&methods[m], DT);
            AfxShapeDef shape = afx_default_capsule(2.3e-4, 6.6e-4);
            AfxEnergy start, now;
            AfxBodyId ends[2];
            AfxVec3 spin = random_vec3(&random, 110), at = random_vec3(&random, 5e-4);
            for (int k = 0; k < 2; k++) {
                AfxBodyDef body = afx_default_body();
                body.pose.position = random_vec3(&random, 1e-3);
                body.pose.rotation = random_quat(&random);
                body.linear_velocity = v3_cross(spin, v3_sub(body.pose.position, at));
                body.angular_velocity = spin;
                ends[k] = afx_scene_body(world.scene, world_add_shape(&world, &body, &shape));
            }
            scene_joint(world.scene, AFX_JOINT_REVOLUTE, ends[0], ends[1], (AfxPose){at, random_quat(&random)});
            world_start(&world, &def);
            afx_sim_energy(world.sim, &start);
            for (int step = 0; step < 10 && afx_step(world.sim, NULL) == AFX_OK; step++) {
                afx_sim_energy(world.sim, &now);
                if (now.elastic > 0.01 * start.kinetic) {
                    print_error("%s, seed %d, step %d: %.2g of the energy is strain\n", methods[m].name, seed, step,
                                now.elastic / start.kinetic);
                }
                assert_true(now.elastic <= 0.01 * start.kinetic);
            }
            world_free(&world);
        }
    }
}

/* A capsule on a universal joint above the ground, which it may touch but does not. */
static void nor_near_the_ground(void **state) {
    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        World world = world_make(v3(0, 0, -9.81));
        AfxBodyDef body = afx_default_body(), ground = afx_default_body();
        AfxShapeDef shape = afx_default_capsule(2.8e-4, 6.5e-4), plane = afx_default_plane();
        AfxJointDef joint = afx_default_joint(AFX_JOINT_UNIVERSAL);
        AfxSimDef def = sim_def(&methods[m], DT);
        AfxJointId id;
        AfxEnergy parts;
        double most = 0;
        assert_ok(afx_scene_set_contact(world.scene, true));
        body.pose = (AfxPose){{9.2e-5, -4.2e-6, -5e-4}, {0.42298, -0.28454, 0.58737, -0.62859}};
        shape.density = 1200;
        ground.kind = AFX_BODY_FIXED;
        ground.pose.position.z = -3e-3;
        joint.follower = afx_scene_body(world.scene, world_add_shape(&world, &body, &shape));
        joint.base = afx_world();
        world_add_shape(&world, &ground, &plane);
        AfxPose frame = {{-3.4e-4, 2.9e-4, -1.2e-3}, {0.31, 0.10151, -0.07625, 0.94222}};
        assert_ok(afx_joint_place(world.scene, &joint, frame));
        assert_ok(afx_scene_add_joint(world.scene, &joint, &id));
        world_start(&world, &def);
        for (int step = 0; step < 20; step++) {
            world_run(&world, 1);
            afx_sim_energy(world.sim, &parts);
            most = fmax(most, parts.kinetic);
            if (parts.elastic > 0.15 * most) {
                print_error("%s, step %d: %.2g of the energy is strain\n", methods[m].name, step, parts.elastic / most);
            }
            assert_true(parts.elastic <= 0.15 * most);
        }
        world_free(&world);
    }
}

int run_stiff_start_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretched_springs_make_no_energy),
        cmocka_unit_test(springs_between_points_make_no_energy),
        cmocka_unit_test(last_turns_leave_no_strain),
        cmocka_unit_test(nor_near_the_ground),
    };
    return cmocka_run_group_tests_name("stiff start", tests, NULL, NULL);
}
