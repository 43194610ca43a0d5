/* SPDX-License-Identifier: Apache-2.0 */
/* Walls of bricks, in which bodies that touch are blocks of the matrix (dual/hubs.h): every course carries what is
 * above it, nothing creeps, and the equations of the steps are met, by code that shares nothing with the solver; also
 * where joints hold bricks that all touch others, and where a heavy block lies on top. */
#include "tests.h"

enum { COURSES = 4, BRICKS = 4, WALL = COURSES * BRICKS };
#define LONG 0.4
#define HIGH 0.2

typedef struct Wall {
    double young;
    bool jointed;  /* bricks of a course hang together */
    double burden; /* kg/m³ of a block on top; 0: none */
} Wall;

static uint32_t add_brick(World *world, const Wall *wall, AfxVec3 at, double width, double density) {
    AfxBodyDef body = afx_default_body();
    AfxShapeDef brick = afx_default_box(width, HIGH, HIGH);
    brick.density = density;
    body.young = wall->young;
    body.pose.position = at;
    return world_add(world, &body, &brick);
}

/* Courses are shifted by a quarter of a brick. The first brick's index comes back. */
static uint32_t build(World *world, const Wall *wall) {
    uint32_t first = UINT32_MAX;
    for (int row = 0; row < COURSES; row++) {
        AfxBodyId before = {0, 0};
        for (int column = 0; column < BRICKS; column++) {
            AfxVec3 at = v3(LONG * column + (row % 2 ? LONG / 4 : 0), 0, HIGH * (row + 0.5));
            uint32_t body = add_brick(world, wall, at, LONG, 1000);
            AfxBodyId id = afx_scene_body(world->scene, body);
            first = first == UINT32_MAX ? body : first;
            if (column && wall->jointed) {
                AfxJointDef joint = afx_default_joint(column % 2 ? AFX_JOINT_REVOLUTE : AFX_JOINT_SPHERICAL);
                AfxJointId made;
                joint.base = before;
                joint.follower = id;
                joint.base_frame.position = v3(LONG / 2, 0, 0);
                joint.follower_frame.position = v3(-LONG / 2, 0, 0);
                assert_ok(afx_scene_add_joint(world->scene, &joint, &made));
            }
            before = id;
        }
    }
    if (wall->burden > 0) {
        add_brick(world, wall, v3(1.5 * LONG, 0, HIGH * (COURSES + 0.5)), 3 * LONG, wall->burden);
    }
    return first;
}

/* The weight of all bodies whose middle is above z, and what contacts at that height carry. */
static void check_course(const World *world, double z, uint32_t first, uint32_t end) {
    double weight = 0, carried = 0;
    for (uint32_t k = first; k < end; k++) {
        weight += pose_of(world, k).position.z > z ? GRAVITY * mass_of(world, k) : 0;
    }
    for (uint32_t c = 0; c < afx_sim_contact_count(world->sim); c++) {
        AfxContact contact;
        assert_ok(afx_sim_contact(world->sim, c, &contact));
        bool flat = fabs(contact.normal.z) > 0.9, here = fabs(contact.point.z - z) < HIGH / 4;
        carried += flat && here ? contact.force : 0;
    }
    assert_near(carried, weight, 1e-3 * weight);
}

static void check_wall(const Wall *wall) {
    AfxMaterialDef material = afx_default_material();
    World world = world_ground(&material);
    uint32_t first = build(&world, wall), end = first + WALL + (wall->burden > 0);
    world_start(&world, NULL);
    assert_ok(afx_sim_set_verify(world.sim, true));
    world_run(&world, 0.5);
    assert_true(3 * afx_sim_contact_count(world.sim) > 12 * WALL); /* more rows than bodies have */
    AfxPose settled[WALL + 1];
    for (uint32_t k = first; k < end; k++) {
        settled[k - first] = pose_of(&world, k);
    }
    uint32_t solves = 0;
    for (int step = 0; step < 50; step++) {
        AfxStepReport report;
        AfxResidual residual;
        assert_ok(afx_step(world.sim, &report));
        assert_ok(afx_sim_residual(world.sim, &residual));
        assert_below(residual.force, 1e-6);
        assert_below(residual.constraint, 1e-10);
        assert_below(report.violation, 1e-10);
        assert_false(report.flags & AFX_STEP_REGULARISED); /* none of the joints is */
        assert_false(report.flags & AFX_STEP_CONTACT_ROUGH);
        solves += report.solves;
    }
    assert_int_equal(solves, 50); /* which points push is known at rest */
    for (uint32_t k = first; k < end; k++) {
        assert_vec3(pose_of(&world, k).position, settled[k - first].position, 2e-6);
    }
    check_course(&world, 0, first, end);
    for (int row = 1; row < COURSES && !wall->jointed; row++) {
        check_course(&world, HIGH * row, first, end);
    }
    world_free(&world);
}

static void walls_stand(void **state) {
    (void)state;
    check_wall(&(Wall){.young = 1e9});
    check_wall(&(Wall){.young = INFINITY});
    check_wall(&(Wall){.young = 1e7});
}

static void walls_with_joints_stand(void **state) {
    (void)state;
    check_wall(&(Wall){.young = 1e9, .jointed = true});
    check_wall(&(Wall){.young = INFINITY, .jointed = true});
}

static void walls_carry_what_is_heavy(void **state) {
    (void)state;
    check_wall(&(Wall){.young = INFINITY, .burden = 1e5});
    check_wall(&(Wall){.young = 1e9, .burden = 1e4});
}

/* Slips of rigid bricks at rest are of 1e-20 m, and go along with their friction as often as against it: that is no
 * friction that drives. Ten courses took 11 iterations a step, and a third of the steps ended rough. */
static void rounding_drives_nothing(void **state) {
    (void)state;
    enum { SIDE = 10 };
    AfxMaterialDef material = afx_default_material();
    material.friction = 0.5;
    World world = world_ground(&material);
    const Wall wall = {.young = INFINITY};
    for (int row = 0; row < SIDE; row++) {
        for (int column = 0; column < SIDE + row % 2; column++) {
            bool half = row % 2 && (column == 0 || column == SIDE);
            double x = LONG * column - (row % 2 ? LONG / 2 : 0) + (half ? (column ? -LONG / 4 : LONG / 4) : 0);
            add_brick(&world, &wall, v3(x, 0, HIGH * (row + 0.5)), half ? LONG / 2 : LONG, 1000);
        }
    }
    world_start(&world, NULL);
    uint32_t solves = 0;
    for (int step = 0; step < 60; step++) {
        AfxStepReport report;
        assert_ok(afx_step(world.sim, &report));
        assert_false(report.flags & AFX_STEP_CONTACT_ROUGH);
        solves += report.solves;
    }
    assert_true(solves < 80);
    world_free(&world);
}

/* Runs what falls, and checks that it never has more energy, strain included, than it had at any time before. */
static void fall(World *world, double seconds) {
    AfxEnergy energy;
    assert_ok(afx_sim_energy(world->sim, &energy));
    double least = energy.total, range = fabs(energy.total);
    for (double dt = afx_sim_dt(world->sim), time = 0; time < seconds; time += dt) {
        assert_ok(afx_step(world->sim, NULL));
        assert_ok(afx_sim_energy(world->sim, &energy));
        assert_true(energy.total < least + 1e-3 * range);
        least = fmin(least, energy.total);
    }
}

/* Four walls about a square of the given width. */
static void add_pit(World *world, double width) {
    AfxBodyDef wall = afx_default_body();
    wall.kind = AFX_BODY_FIXED;
    for (int side = 0; side < 4; side++) {
        double middle = (side % 2 ? 0.5 : -0.5) * (width + 1);
        AfxShapeDef shape = side < 2 ? afx_default_box(1, 3, 4) : afx_default_box(3, 1, 4);
        wall.pose.position = side < 2 ? v3(middle, 0, 0) : v3(0, middle, 0);
        world_add(world, &wall, &shape);
    }
}

/* Eight boxes that fall into a pit, strike each other and are turned by friction keep no strain of a last turn: two of
 * these piles had up to 1.3 % more energy, others 19 %. */
static void piles_gain_nothing(void **state) {
    (void)state;
    for (int seed = 0; seed < 4; seed++) {
        AfxMaterialDef material = afx_default_material();
        AfxSimDef sim = afx_default_sim();
        material.friction = 1;
        sim.dt = 0.02;
        World world = world_ground(&material);
        add_pit(&world, 0.6);
        for (int k = 0; k < 8; k++) {
            AfxBodyDef def = afx_default_body();
            AfxShapeDef box = afx_default_box(0.15 + 0.01 * ((3 * k + seed) % 5), 0.13 + 0.01 * ((5 * k + seed) % 7),
                                              0.12 + 0.02 * ((k + seed) % 4));
            def.young = 1e9;
            def.pose.position = v3(0.3 * (k % 2) - 0.15, 0.3 * (k / 2 % 2) - 0.15, 0.3 + 0.45 * (k / 4));
            def.pose.rotation = afx_quat_from_axis_angle(v3(1 + k % 3, (k + seed) % 5 - 2, k % 2), 0.7 * k + seed);
            world_add(&world, &def, &box);
        }
        world_start(&world, &sim);
        fall(&world, 1.5);
        world_free(&world);
    }
}

/* 27 boxes askew in a pit, which come to rest on corners and edges: from then on the points that push are known before
 * a step, strained as the boxes are, and each takes one solver iteration; nothing creeps. */
static void check_pile(AfxAccuracy accuracy) {
    enum { SIDE = 3, BOXES = SIDE * SIDE * SIDE, REST = 30 };
    AfxMaterialDef material = afx_default_material();
    World world = world_ground(&material);
    AfxBodyDef def = afx_default_body();
    AfxSimDef sim = afx_default_sim();
    AfxPose settled[BOXES];
    uint32_t first = 0;
    add_pit(&world, 0.9);
    for (int k = 0; k < BOXES; k++) {
        AfxShapeDef box = afx_default_box(0.19 - 0.002 * (k % 5), 0.17, 0.13 + 0.01 * (k % 4));
        def.pose.position = v3(0.3 * (k % SIDE - 1), 0.3 * (k / SIDE % SIDE - 1), 0.3 + 0.45 * (k / (SIDE * SIDE)));
        def.pose.rotation = afx_quat_from_axis_angle(v3(1 + k % 3, k % 5 - 2, k % 2), 0.7 * k);
        uint32_t added = world_add(&world, &def, &box);
        first = k == 0 ? added : first;
    }
    sim.accuracy = accuracy;
    world_start(&world, &sim);
    fall(&world, 4);
    for (uint32_t k = 0; k < BOXES; k++) {
        settled[k] = pose_of(&world, first + k);
    }
    for (int n = 0; n < REST; n++) {
        AfxStepReport report;
        assert_ok(afx_step(world.sim, &report));
        assert_int_equal(report.solves, 1);
    }
    for (uint32_t k = 0; k < BOXES; k++) {
        assert_vec3(pose_of(&world, first + k).position, settled[k].position, 1e-6);
    }
    world_free(&world);
}

static void piles_rest(void **state) {
    (void)state;
    check_pile(AFX_FAST);
    check_pile(AFX_ACCURATE);
}

int run_wall_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_stand),
        cmocka_unit_test(walls_with_joints_stand),
        cmocka_unit_test(walls_carry_what_is_heavy),
        cmocka_unit_test(rounding_drives_nothing),
        cmocka_unit_test(piles_gain_nothing),
        cmocka_unit_test(piles_rest),
    };
    return cmocka_run_group_tests_name("walls", tests, NULL, NULL);
}
