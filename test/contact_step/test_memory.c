/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: a step for which there is none at any one of its requests has not happened, to the last bit; the next one
 * goes on as if nothing had been. After the first steps, steps ask for none. */
#include "constraint/bounce.h"
#include "step/sim.h"
#include "support/allocator.h"
#include "tests.h"

typedef struct Scene {
    const char *name;
    const char *arguments[4];
    double moment; /* s, when much touches */
    bool held;     /* the last body is */
    AfxIntegrator integrator;
} Scene;

static const Scene scenes[] = {
    {"stack", {"n=4", "drop=0.03"}, 0.15, false, AFX_BDF2},
    {"stack", {"n=3", "drop=0.03"}, 0.1, true, AFX_SDIRK2},
    {"stack", {"n=3", "drop=0.03"}, 0.1, true, AFX_ALPHA},
    {"falling-joints", {"pairs=8"}, 0.5, false, AFX_BDF2},
    {"net-cylinder", {"k=6"}, 0.5, false, AFX_BDF2},
    {"ragdolls", {"count=2"}, 0.6, true, AFX_BDF2},
    {NULL, {NULL}, 0.2, true, AFX_BDF2},
    {"arch", {"stones=7", "mu=0.1"}, 0.3, false, AFX_BDF1},
    {"klann", {"legs=2", "ground=1"}, 0.2, false, AFX_BDF2},
};

/* A ball chain that falls flat on the ground. */
static World chain_world(void) {
    AfxMaterialDef material = afx_default_material();
    World world = world_ground(&material);
    AfxBodyDef def = afx_default_body();
    AfxShapeDef shape = afx_default_capsule(0.02, 0.06);
    AfxBodyId last = afx_world();
    for (int k = 0; k < 12; k++) {
        AfxJointDef joint = afx_default_joint(AFX_JOINT_SPHERICAL);
        def.pose.position = v3(0.02 * (k % 2), 0.1 * k, 0.05);
        AfxBodyId id = afx_scene_body(world.scene, world_add(&world, &def, &shape));
        joint.base = last;
        joint.follower = id;
        joint.base_frame.position = v3(0, 0.05, 0);
        joint.follower_frame.position = v3(0, -0.05, 0);
        if (k) {
            AfxJointId joint_id;
            assert_ok(afx_scene_add_joint(world.scene, &joint, &joint_id));
        }
        last = id;
    }
    world_start(&world, NULL);
    return world;
}

static World make(const Scene *scene) {
    return scene->name ? world_case(scene->name, scene->arguments) : chain_world();
}

static AfxSimDef settings(const Scene *scene, TestAllocator *counts) {
    AfxSimDef def = afx_default_sim();
    def.integrator = scene->integrator;
    def.allocator = test_allocator(counts);
    return def;
}

static void take_hold(const Scene *scene, World *world) {
    if (scene->held) {
        uint32_t body = afx_model_body_count(world->model) - 1;
        AfxVec3 target = v3_add(pose_of(world, body).position, v3(0.1, 0, 0.2));
        assert_ok(afx_sim_hold(world->sim, body, v3(0, 0, 0.1), target, 500, 5));
    }
}

typedef struct Copy {
    void *bytes;
    size_t size;
} Copy;

static Copy copy_of(const World *world) {
    Copy copy = {NULL, afx_sim_snapshot_size(world->sim)};
    copy.bytes = malloc(copy.size);
    assert_non_null(copy.bytes);
    assert_ok(afx_sim_snapshot(world->sim, copy.bytes, copy.size));
    return copy;
}

static void assert_same(const World *world, const Copy *copy) {
    Copy own = copy_of(world);
    assert_int_equal(own.size, copy->size);
    assert_memory_equal(own.bytes, copy->bytes, own.size);
    free(own.bytes);
}

/* Refuses request after request of the next step; how many there were comes back. */
static uint64_t refuse_all(World *world, TestAllocator *counts, const Copy *before) {
    for (uint64_t k = 1;; k++) {
        AfxStepReport report;
        counts->fail_at = counts->calls + k;
        counts->fail_on = k % 2;
        AfxStatus status = afx_step(world->sim, &report);
        counts->fail_at = 0;
        counts->fail_on = false;
        if (status == AFX_OK) {
            return k - 1;
        }
        assert_int_equal(status, AFX_E_MEMORY);
        assert_true(report.flags & AFX_STEP_FAILED);
        assert_same(world, before);
    }
}

static void refused_steps_have_not_happened(void **state) {
    (void)state;
    for (size_t s = 0; s < COUNT(scenes); s++) {
        TestAllocator counts = {0};
        AfxSimDef def = settings(&scenes[s], &counts);
        World world = make(&scenes[s]);
        uint64_t refused = 0;
        world_start(&world, &def);
        world_run(&world, scenes[s].moment);
        for (int n = 0; n < 3; n++) {
            Copy before = copy_of(&world);
            world_start(&world, &def); /* one that has nothing yet */
            assert_ok(afx_sim_restore(world.sim, before.bytes, before.size));
            take_hold(&scenes[s], &world);
            assert_ok(afx_step(world.sim, NULL));
            Copy after = copy_of(&world);
            world_start(&world, &def);
            assert_ok(afx_sim_restore(world.sim, before.bytes, before.size));
            take_hold(&scenes[s], &world);
            refused += refuse_all(&world, &counts, &before);
            assert_same(&world, &after);
            free(before.bytes);
            free(after.bytes);
        }
        print_message("  %s: %u refused\n", scenes[s].name ? scenes[s].name : "chain", (unsigned)refused);
        assert_true(refused > 6);
        world_free(&world);
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.errors, 0);
    }
}

/* The first step of all, and one in parts: what strikes hard. */
static void first_steps_are_refused_whole(void **state) {
    (void)state;
    for (size_t s = 0; s < COUNT(scenes); s++) {
        TestAllocator counts = {0};
        AfxSimDef def = settings(&scenes[s], &counts);
        World world = make(&scenes[s]);
        def.dt = 0.03;
        world_start(&world, &def);
        take_hold(&scenes[s], &world);
        for (int n = 0; n < 30; n++) {
            Copy before = copy_of(&world);
            refuse_all(&world, &counts, &before);
            free(before.bytes);
        }
        world_free(&world);
        assert_int_equal(counts.live, 0);
    }
}

static void later_steps_ask_for_none(void **state) {
    (void)state;
    static const Scene still[] = {{"stack", {NULL}, 1.5, false, AFX_BDF2},
                                  {"arch", {NULL}, 1.5, false, AFX_BDF2},
                                  {"falling-joints", {"pairs=10"}, 3, false, AFX_BDF2}};
    for (size_t s = 0; s < COUNT(still); s++) {
        TestAllocator counts = {0};
        AfxSimDef def = settings(&still[s], &counts);
        World world = make(&still[s]);
        world_start(&world, &def);
        world_run(&world, still[s].moment);
        uint64_t calls = counts.calls;
        world_run(&world, 1);
        print_message("  %s: %u calls\n", still[s].name, (unsigned)(counts.calls - calls));
        assert_int_equal(counts.calls, calls);
        world_free(&world);
    }
}

/* Rows of an impact are made whole, whatever stood in their place: islands that look for their points again move those
 * of all others to where there may have been none. */
static void rows_of_impacts_are_made_whole(void **state) {
    (void)state;
    AfxMaterialDef material = afx_default_material();
    World world = world_ground(&material);
    AfxBodyDef body = afx_default_body();
    AfxShapeDef ball = afx_default_sphere(0.1);
    body.pose.position = v3(0, 0, 0.0999);
    world_add(&world, &body, &ball);
    world_start(&world, NULL);
    world_run(&world, 0.1);
    AfxiContactSet *set = world.sim->solver.set;
    assert_int_equal(set->now.count, 1);
    AfxiPoint *point = &set->now.point[0];
    AfxiWoodburyRow *row = &set->woodbury.row[point->row];
    memset(row, 1, 3 * sizeof *row);
    memset(point->jump, 0, sizeof point->jump);
    afxi_bounce_rows(set, &world.sim->solver.island[0]->lot->rows, false, &(uint32_t){0}, 1);
    for (int r = 0; r < 3; r++) {
        assert_false(row[r].turns);
        assert_true(row[r].stiffness > 1);
    }
    world_free(&world);
}

int run_memory_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_steps_have_not_happened),
        cmocka_unit_test(first_steps_are_refused_whole),
        cmocka_unit_test(later_steps_ask_for_none),
        cmocka_unit_test(rows_of_impacts_are_made_whole),
    };
    return cmocka_run_group_tests_name("contact_step/memory", tests, NULL, NULL);
}
