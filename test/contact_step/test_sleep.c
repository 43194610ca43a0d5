/* SPDX-License-Identifier: Apache-2.0 */
/* Islands that sleep: they stand to the last bit, carry what they carried, wake for all that may move them and move
 * then as if they had never slept, alone of all that sleeps; and the same bits come from snapshots and threads. */
#include "tests.h"

#define SPEED 0.02
#define TIME 0.2

enum { GROUND, LOWER, UPPER, OTHER, PUSHER, SLIDER, BODIES };

static AfxSimDef sleepy(double speed) {
    AfxSimDef def = afx_default_sim();
    def.sleep_speed = speed;
    def.sleep_time = TIME;
    return def;
}

/* A box on a box, one far from them, a kinematic one in the air, and one on a rail with a servo. */
static World bedroom(double speed) {
    AfxMaterialDef material = afx_default_material();
    World world = world_ground(&material);
    AfxBodyDef body = afx_default_body();
    AfxShapeDef box = afx_default_box(0.4, 0.4, 0.2);
    box.mass = 2;
    for (int k = 0; k < 3; k++) {
        body.pose.position = v3(k == 2 ? 3 : 0, 0, k == 1 ? 0.3005 : 0.1005);
        world_add(&world, &body, &box);
    }
    body.pose.position = v3(-1, 0, 0.2);
    body.kind = AFX_BODY_KINEMATIC;
    world_add(&world, &body, &box);
    body.kind = AFX_BODY_DYNAMIC;
    body.pose.position = v3(0, 5, 1);
    world_add(&world, &body, &box);
    AfxJointDef rail = afx_default_joint(AFX_JOINT_PRISMATIC);
    rail.base = afx_world();
    rail.follower = afx_scene_body(world.scene, SLIDER);
    rail.base_frame.position = body.pose.position;
    AfxJointId joint;
    assert_ok(afx_scene_add_joint(world.scene, &rail, &joint));
    AfxDriveDef servo = afx_default_drive(AFX_DRIVE_SERVO);
    servo.joint = joint;
    servo.from_input = true;
    servo.stiffness = 2000;
    servo.damping = 200;
    AfxDriveId drive;
    assert_ok(afx_scene_add_drive(world.scene, &servo, &drive));
    AfxWrenchDef wrench = afx_default_wrench();
    wrench.body = afx_scene_body(world.scene, OTHER);
    AfxWrenchId id;
    assert_ok(afx_scene_add_wrench(world.scene, &wrench, &id));
    AfxSimDef def = sleepy(speed);
    world_start(&world, &def);
    return world;
}

static uint32_t asleep(const World *world) {
    uint32_t bits = 0;
    for (uint32_t k = 0; k < BODIES; k++) {
        bits |= (uint32_t)afx_sim_asleep(world->sim, k) << k;
    }
    return bits;
}

#define PAIR (1u << LOWER | 1u << UPPER)
#define ALL (PAIR | 1u << OTHER | 1u << SLIDER)

static void they_stand_and_carry(void **state) {
    (void)state;
    World world = bedroom(SPEED);
    AfxStepReport report;
    assert_int_equal(asleep(&world), 0);
    world_run(&world, 2);
    assert_int_equal(asleep(&world), ALL);
    double *before = state_copy(&world);
    for (int k = 0; k < 20; k++) {
        assert_ok(afx_step(world.sim, &report));
    }
    assert_true(state_equal(&world, before));
    assert_int_equal(report.asleep, 4);
    assert_int_equal(report.solves, 0);
    assert_int_equal(report.contacts, 12);
    AfxWrench push;
    assert_ok(afx_sim_body_contact(world.sim, LOWER, &push));
    assert_near(push.force.z, 2 * GRAVITY, 1e-3);
    assert_ok(afx_sim_body_contact(world.sim, UPPER, &push));
    assert_near(push.force.z, 2 * GRAVITY, 1e-3);
    assert_vec3(twist_of(&world, UPPER).linear, v3(0, 0, 0), 0);
    free(before);
    world_free(&world);
    world = bedroom(0); /* the default: nobody does */
    world_run(&world, 2);
    assert_int_equal(asleep(&world), 0);
    world_free(&world);
}

/* ---- what wakes ---- */

static void by_gravity(AfxSim *sim) {
    const double up[3] = {0.5, 0, 3};
    assert_ok(afx_sim_set_param(sim, AFX_PARAM_GRAVITY, 0, up));
}

static void by_mass(AfxSim *sim) {
    const double mass = 3;
    assert_ok(afx_sim_set_param(sim, AFX_PARAM_BODY_MASS, UPPER, &mass));
}

static void by_wrench(AfxSim *sim) {
    assert_ok(afx_sim_set_wrench(sim, 0, (AfxWrench){{30, 0, 0}, {0, 0, 0}}));
}

static void by_body_wrench(AfxSim *sim) {
    AfxWrench wrenches[BODIES];
    memset(wrenches, 0, sizeof wrenches);
    wrenches[UPPER].force = v3(0, 0, 40);
    assert_ok(afx_sim_set_body_wrenches(sim, wrenches));
}

static void by_drive(AfxSim *sim) {
    assert_ok(afx_sim_set_drive_target(sim, 0, 0.3, 0));
}

static void by_hold(AfxSim *sim) {
    assert_ok(afx_sim_hold(sim, OTHER, v3(0, 0, 0), v3(3, 0, 1), 300, 30));
}

static void by_switch(AfxSim *sim) {
    assert_ok(afx_sim_set_joint_active(sim, 0, false));
}

static void by_twist(AfxSim *sim) {
    assert_ok(afx_sim_set_body_twist(sim, OTHER, (AfxTwist){{0, 0, 2}, {0, 0, 0}}));
}

static void by_hand(AfxSim *sim) {
    assert_ok(afx_sim_wake(sim, LOWER));
}

static void by_a_push(AfxSim *sim) { /* the kinematic box comes 0.75 m along: 0.15 m of it beyond the boxes' side */
    AfxPose pose = afx_pose_identity();
    AfxTwist twist = {{0.75, 0, 0}, {0, 0, 0}};
    pose.position = v3(-1 + 0.75 * (afx_sim_time(sim) - 2 + 0.01), 0, 0.2);
    assert_ok(afx_sim_set_body_target(sim, PUSHER, pose, twist));
}

typedef struct Waker {
    void (*act)(AfxSim *sim);
    uint32_t woken; /* after the first step; of a push, after all of them */
    bool every;
} Waker;

static const Waker wakers[] = {
    {by_gravity, ALL, false},         {by_mass, ALL, false},           {by_wrench, 1u << OTHER, false},
    {by_body_wrench, PAIR, false},    {by_drive, 1u << SLIDER, false}, {by_hold, 1u << OTHER, false},
    {by_switch, 1u << SLIDER, false}, {by_twist, ALL, false},          {by_hand, PAIR, false},
    {by_a_push, PAIR, true},
};

static void it_wakes_and_moves_as_ever(void **state) {
    (void)state;
    for (size_t w = 0; w < sizeof wakers / sizeof *wakers; w++) {
        World own = bedroom(SPEED), never = bedroom(0);
        world_run(&own, 2);
        world_run(&never, 2);
        assert_int_equal(asleep(&own), ALL);
        uint32_t woken = 0;
        for (int k = 0; k < 100; k++) {
            if (k == 0 || wakers[w].every) {
                wakers[w].act(own.sim);
                wakers[w].act(never.sim);
            }
            assert_ok(afx_step(own.sim, NULL));
            assert_ok(afx_step(never.sim, NULL));
            woken |= k == 0 || wakers[w].every ? ALL & ~asleep(&own) : 0;
        }
        assert_int_equal(woken, wakers[w].woken);
        for (uint32_t b = LOWER; b < BODIES; b++) {
            assert_vec3(pose_of(&own, b).position, pose_of(&never, b).position, 1e-3);
        }
        world_free(&own);
        world_free(&never);
    }
}

/* A ball falls on what sleeps, in steps in which it comes far: it is carried, the boxes wake and all sleep in the end.
 */
static void a_falling_ball_wakes(void **state) {
    (void)state;
    AfxMaterialDef material = afx_default_material();
    const AfxIntegrator methods[] = {AFX_BDF2, AFX_ALPHA, AFX_SDIRK2, AFX_BDF1};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        World world = world_ground(&material);
        AfxBodyDef body = afx_default_body();
        AfxShapeDef box = afx_default_box(0.4, 0.4, 0.2), ball = afx_default_sphere(0.1);
        body.pose.position.z = 0.1;
        world_add(&world, &body, &box);
        body.pose.position.z = 12; /* 1.5 s of falling */
        world_add(&world, &body, &ball);
        AfxSimDef def = sleepy(SPEED);
        def.integrator = methods[m];
        world_start(&world, &def);
        world_run(&world, 1);
        assert_true(afx_sim_asleep(world.sim, 1) && !afx_sim_asleep(world.sim, 2));
        bool woke = false;
        for (int k = 0; k < 300; k++) {
            assert_ok(afx_step(world.sim, NULL));
            woke |= !afx_sim_asleep(world.sim, 1);
        }
        assert_true(woke);
        assert_near(pose_of(&world, 2).position.z, 0.3, 1e-3);
        assert_true(afx_sim_asleep(world.sim, 1) && afx_sim_asleep(world.sim, 2));
        world_free(&world);
    }
}

/* What a function of time moves does not sleep, however slow it is where it turns round. */
static void what_is_led_stays_awake(void **state) {
    (void)state;
    World world = bedroom(SPEED);
    for (int k = 0; k < 200; k++) {
        assert_ok(afx_sim_set_drive_target(world.sim, 0, 1e-5 * k, 1e-3));
        assert_ok(afx_step(world.sim, NULL));
    }
    assert_int_equal(asleep(&world), ALL & ~(1u << SLIDER));
    world_free(&world);
}

/* ---- the same bits ---- */

static void act_late(World *world, int step) {
    if (step == 40) {
        by_body_wrench(world->sim);
    }
}

static void snapshots_and_threads_keep_sleep(void **state) {
    (void)state;
    World world = bedroom(SPEED), other = bedroom(SPEED), threads = bedroom(SPEED);
    AfxSimDef def = sleepy(SPEED);
    def.threads = 2;
    def.lanes = 1;
    world_start(&threads, &def);
    for (int k = 0; k < 15; k++) { /* some rest already, and none sleeps */
        assert_ok(afx_step(world.sim, NULL));
        assert_ok(afx_step(threads.sim, NULL));
    }
    for (int k = 0; k < 120; k++) {
        size_t size = afx_sim_snapshot_size(world.sim);
        void *snapshot = malloc(size);
        assert_non_null(snapshot);
        assert_ok(afx_sim_snapshot(world.sim, snapshot, size));
        assert_ok(afx_sim_restore(other.sim, snapshot, size));
        free(snapshot);
        act_late(&world, k);
        act_late(&threads, k);
        if (k >= 40) {
            by_body_wrench(other.sim); /* input is no part of a snapshot */
        }
        AfxStepReport own, again;
        assert_ok(afx_step(world.sim, &own));
        assert_ok(afx_step(threads.sim, NULL));
        assert_ok(afx_step(other.sim, &again));
        assert_int_equal(own.asleep, again.asleep);
        assert_int_equal(own.contacts, again.contacts);
        double *bits = state_copy(&world);
        assert_true(state_equal(&other, bits) && state_equal(&threads, bits));
        free(bits);
    }
    assert_int_equal(asleep(&world) & 1u << OTHER, 1u << OTHER);
    world_free(&world);
    world_free(&other);
    world_free(&threads);
}

/* A snapshot in which something sleeps that no step put to sleep is refused. */
static void snapshots_are_looked_at(void **state) {
    (void)state;
    World world = bedroom(SPEED);
    world_run(&world, 2);
    size_t size = afx_sim_snapshot_size(world.sim);
    unsigned char *snapshot = malloc(size);
    assert_non_null(snapshot);
    assert_ok(afx_sim_snapshot(world.sim, snapshot, size));
    const double *v = afx_sim_velocities(world.sim), *q = afx_sim_coordinates(world.sim);
    double moving = 1; /* into the velocity of a sleeper, where the block has it */
    size_t at = (size_t)((const char *)v - (const char *)q) + 12 * sizeof(double) * LOWER;
    size_t offset = 0; /* of q in the block: its first row is found there */
    while (offset + 12 * sizeof(double) < size && memcmp(snapshot + offset, q, 12 * sizeof(double)) != 0) {
        offset += sizeof(double);
    }
    memcpy(snapshot + offset + at, &moving, sizeof moving);
    assert_int_equal(afx_sim_restore(world.sim, snapshot, size), AFX_E_INPUT);
    free(snapshot);
    world_free(&world);
}

/* ---- energy ---- */

/* A box that glides without friction, for ever, and the book of its first steps. */
static AfxEnergyBook glide(double speed, uint32_t expected) {
    AfxMaterialDef material = afx_default_material();
    material.friction = 0;
    World world = world_ground(&material);
    AfxBodyDef body = afx_default_body();
    AfxShapeDef box = afx_default_box(0.4, 0.4, 0.2);
    body.pose.position.z = 0.1;
    body.linear_velocity.x = 0.5 * SPEED;
    box.mass = 2;
    world_add(&world, &body, &box);
    AfxSimDef def = sleepy(speed);
    world_start(&world, &def);
    assert_ok(afx_sim_set_energy_book(world.sim, true));
    AfxEnergyBook step, total;
    AfxStepReport report;
    for (int k = 0; k < 60; k++) {
        assert_ok(afx_step(world.sim, &report));
        assert_false(report.flags & AFX_STEP_ENERGY);
    }
    assert_int_equal(report.asleep, expected);
    assert_ok(afx_sim_energy_book(world.sim, &step, &total));
    assert_near(step.change, 0, expected ? 0 : 1e-9);
    world_free(&world);
    return total;
}

/* What motion a body had when it fell asleep is booked, and nothing else is lost or made. */
static void the_book_is_closed(void **state) {
    (void)state;
    AfxEnergyBook own = glide(SPEED, 1), never = glide(0, 0);
    double motion = 0.5 * 2 * 0.25 * SPEED * SPEED;
    assert_near(own.impacts, -motion, 1e-3 * motion);
    assert_near(own.change, never.change - motion, 1e-3 * motion);
    assert_near(own.integrator, never.integrator, 1e-3 * motion);
}

static void settings_are_checked(void **state) {
    (void)state;
    World world = bedroom(0);
    AfxSim *sim = NULL;
    AfxError error;
    AfxSimDef def = sleepy(-1);
    def.error = &error;
    assert_int_equal(afx_sim_create(world.model, &def, &sim), AFX_E_ARGUMENT);
    def = sleepy(SPEED);
    def.error = &error;
    def.contact_model = AFX_CONTACT_BARRIER;
    assert_int_equal(afx_sim_create(world.model, &def, &sim), AFX_E_INPUT);
    assert_non_null(strstr(error.text, "sleep"));
    assert_int_equal(afx_sim_wake(world.sim, BODIES), AFX_E_ARGUMENT);
    assert_false(afx_sim_asleep(world.sim, BODIES));
    world_free(&world);
}

int run_sleep_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_stand_and_carry),
        cmocka_unit_test(it_wakes_and_moves_as_ever),
        cmocka_unit_test(a_falling_ball_wakes),
        cmocka_unit_test(what_is_led_stays_awake),
        cmocka_unit_test(snapshots_and_threads_keep_sleep),
        cmocka_unit_test(snapshots_are_looked_at),
        cmocka_unit_test(the_book_is_closed),
        cmocka_unit_test(settings_are_checked),
    };
    return cmocka_run_group_tests_name("contact_step/sleep", tests, NULL, NULL);
}
