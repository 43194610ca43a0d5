/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of so many links that their old state goes past the caches, and chains whose bodies stand in memory in another
 * order than in the chain: neither may be seen in a result. */
#include "step/sim.h"
#include "tests.h"

enum { MANY = 70000, FEW = 300 };

/* Swings to and fro: the last body, where there is one. */
static AfxBodyId add_leader(AfxScene *scene) {
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    def.kind = AFX_BODY_KINEMATIC;
    def.motion.translation[1] = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 0.02, 1.5, 0}};
    assert_ok(afx_scene_add_body(scene, &def, &id));
    return id;
}

/* Chains of `length` links along x, one behind the other, each held at its left end, in the world or if `led` by a body
 * that moves. Link k is body `place(k)`. */
static AfxModel *make_chains(uint32_t links, uint32_t length, bool led, uint32_t (*place)(uint32_t links, uint32_t k)) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxScene *scene;
    AfxModel *model;
    uint32_t *link_of = malloc(links * sizeof *link_of);
    assert_non_null(link_of);
    assert_ok(afx_scene_create(&scene_def, &scene));
    assert_ok(afx_scene_set_contact(scene, false));
    for (uint32_t k = 0; k < links; k++) {
        link_of[place(links, k)] = k;
    }
    for (uint32_t body = 0; body < links; body++) {
        AfxBodyDef def = afx_default_body();
        AfxBodyId id;
        def.mass_source = AFX_MASS_GIVEN;
        def.mass = 0.1;
        def.inertia[0] = 2e-4;
        def.inertia[1] = def.inertia[2] = 5e-4;
        def.young = 1e7;
        def.pose.position = v3(0.2 * (link_of[body] + 0.5), 0, 0);
        assert_ok(afx_scene_add_body(scene, &def, &id));
    }
    AfxBodyId holder = led ? add_leader(scene) : afx_world();
    for (uint32_t k = 0; k < links; k++) {
        AfxJointDef def = afx_default_joint(AFX_JOINT_SPHERICAL);
        AfxJointId id;
        bool pinned = k % length == 0;
        def.base = pinned ? holder : afx_scene_body(scene, place(links, k - 1));
        def.follower = afx_scene_body(scene, place(links, k));
        def.base_frame.position.x = pinned ? 0.2 * k : 0.1;
        def.follower_frame.position.x = -0.1;
        assert_ok(afx_scene_add_joint(scene, &def, &id));
    }
    assert_ok(afx_model_create(scene, &model, NULL));
    assert_int_equal(model->chains.link_count, links);
    afx_scene_destroy(scene);
    free(link_of);
    return model;
}

static uint32_t in_order(uint32_t links, uint32_t k) {
    (void)links;
    return k;
}

/* Links 0, 2, 4, ... come first, then 1, 3, 5, ... */
static uint32_t even_first(uint32_t links, uint32_t k) {
    return k % 2 ? (links + 1) / 2 + k / 2 : k / 2;
}

static AfxModel *make_chain(uint32_t links, uint32_t (*place)(uint32_t links, uint32_t k)) {
    return make_chains(links, links, false, place);
}

static AfxSim *start(const AfxModel *model, const AfxSimDef *def) {
    AfxSim *sim;
    return afx_sim_create(model, def, &sim) == AFX_OK ? sim : NULL;
}

static bool same_state(const AfxSim *a, const AfxSim *b) {
    size_t bytes = 12 * sizeof(double) * (size_t)afx_model_body_count(afx_sim_model(a));
    return memcmp(afx_sim_coordinates(a), afx_sim_coordinates(b), bytes) == 0 &&
           memcmp(afx_sim_velocities(a), afx_sim_velocities(b), bytes) == 0;
}

/* What is the state before a step is the history after it, bit by bit, with one solve and with two. */
static void the_old_state_becomes_the_history(void **state) {
    (void)state;
    size_t numbers = (size_t)12 * MANY;
    double *before = malloc(2 * numbers * sizeof *before);
    assert_non_null(before);
    for (uint32_t variant = 0; variant < 3; variant++) { /* one chain, short ones, and these with two solves */
        AfxModel *model = make_chains(MANY, variant ? 100 : MANY, false, in_order);
        AfxSimDef def = afx_default_sim();
        def.solves = variant == 2 ? 2 : 0;
        AfxSim *sim = start(model, &def);
        assert_non_null(sim);
        for (int k = 0; k < 4; k++) {
            memcpy(before, afx_sim_coordinates(sim), numbers * sizeof *before);
            memcpy(before + numbers, afx_sim_velocities(sim), numbers * sizeof *before);
            assert_ok(afx_step(sim, NULL));
            assert_memory_equal(sim->world.state.x2, before, numbers * sizeof *before);
            assert_memory_equal(sim->world.state.x3, before + numbers, numbers * sizeof *before);
        }
        for (uint32_t lanes = 1; lanes <= 4; lanes += 3) {
            def.lanes = lanes;
            def.threads = 3;
            AfxSim *other = start(model, &def);
            for (int k = 0; other && k < 4; k++) {
                assert_ok(afx_step(other, NULL));
            }
            assert_true(!other || same_state(sim, other));
            afx_sim_destroy(other);
        }
        afx_sim_destroy(sim);
        afx_model_destroy(model);
    }
    free(before);
}

/* Restores a sim to where it is: what it has worked out for its next step is forgotten. */
static void forget(AfxSim *sim) {
    size_t size = afx_sim_snapshot_size(sim);
    void *buffer = malloc(size);
    assert_non_null(buffer);
    assert_ok(afx_sim_snapshot(sim, buffer, size));
    assert_ok(afx_sim_restore(sim, buffer, size));
    free(buffer);
}

/* Spans are condensed for the next step beforehand. Whatever happens in between, it must be as if they were not. */
static void compare_with_forgetting(bool led) {
    AfxModel *model = make_chains(FEW, FEW, led, in_order);
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = start(model, &def), *plain = start(model, &def);
    AfxSim *both[2] = {sim, plain};
    for (int k = 0; k < 40; k++) {
        for (int which = 0; which < 2; which++) {
            AfxSim *own = both[which];
            double gravity[3] = {0.1 * k, 0, -9.81}, mass = 0.1 + 0.01 * k;
            AfxWrench push[FEW + 1] = {[77] = {{0, k % 8 == 3 ? 0.2 : 0, 0}, {0, 0, 0}}};
            AfxTwist twist = {{0, 0.05, 0}, {0, 0, 0}};
            if (k % 4 == 2) {
                assert_ok(afx_sim_set_param(own, AFX_PARAM_GRAVITY, 0, gravity));
            } else if (k % 4 == 3) {
                assert_ok(afx_sim_set_body_wrenches(own, k % 8 == 3 ? push : NULL));
            } else if (k == 12 || k == 13) {
                assert_ok(afx_sim_set_param(own, AFX_PARAM_BODY_MASS, 30, &mass));
            } else if (k == 20) {
                assert_ok(afx_sim_set_body_twist(own, 200, twist));
            } else if (k == 24 || k == 28) {
                assert_ok(afx_sim_set_dt(own, k == 24 ? 0.005 : 0.01));
            } else if (k == 32) {
                assert_ok(afx_sim_set_joint_active(own, 250, false));
            }
            if (which == 1) {
                forget(own);
            }
            assert_ok(afx_step(own, NULL));
        }
        assert_true(same_state(sim, plain));
        assert_false(k < 2 && k > 0 && !sim->solver.chains.ready); /* it is used at all */
    }
    afx_sim_destroy(sim);
    afx_sim_destroy(plain);
    afx_model_destroy(model);
}

static void what_is_worked_out_beforehand_is_not_seen(void **state) {
    (void)state;
    compare_with_forgetting(false);
    compare_with_forgetting(true);
}

/* The far end of a long chain falls freely: t = -g h² k (k + ...) needs no chain; the pin is felt near it alone. */
static void far_from_the_pin_links_fall_freely(void **state) {
    (void)state;
    AfxModel *model = make_chain(MANY, in_order);
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = start(model, &def);
    assert_non_null(sim);
    for (int k = 0; k < 5; k++) {
        assert_ok(afx_step(sim, NULL));
    }
    double time = afx_sim_time(sim);
    for (uint32_t k = 1000; k < MANY; k += 999) {
        AfxPose pose;
        AfxTwist twist;
        assert_ok(afx_sim_body_pose(sim, k, &pose));
        assert_ok(afx_sim_body_twist(sim, k, &twist));
        assert_near(pose.position.x, 0.2 * (k + 0.5), 1e-9);
        assert_near(twist.linear.z, -9.81 * time, 1e-9);
        assert_near(pose.position.z, -0.5 * 9.81 * time * time, 1e-9);
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
}

static void the_order_of_bodies_does_not_matter(void **state) {
    (void)state;
    AfxModel *model = make_chain(FEW, in_order), *shuffled = make_chain(FEW, even_first);
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = start(model, &def), *other = start(shuffled, &def);
    assert_true(model->chains.in_order && !shuffled->chains.in_order);
    assert_int_equal(model->chains.span[1].alike_begin, 0);
    assert_int_equal(model->chains.span[1].alike_end, model->chains.span[1].link_count);
    assert_int_equal(shuffled->chains.span[1].alike_end, shuffled->chains.span[1].alike_begin + 1);
    for (int k = 0; k < 10; k++) {
        assert_ok(afx_step(sim, NULL));
        assert_ok(afx_step(other, NULL));
    }
    for (uint32_t k = 0; k < FEW; k++) {
        size_t one = (size_t)12 * k, two = (size_t)12 * even_first(FEW, k);
        assert_memory_equal(afx_sim_coordinates(sim) + one, afx_sim_coordinates(other) + two, 12 * sizeof(double));
    }
    afx_sim_destroy(sim);
    afx_sim_destroy(other);
    afx_model_destroy(model);
    afx_model_destroy(shuffled);
}

/* Classes of the sim's own are looked at link by link. */
static void own_parameters_are_heeded(void **state) {
    (void)state;
    AfxModel *model = make_chain(FEW, in_order);
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = start(model, &def), *same = start(model, &def), *heavy = start(model, &def);
    double mass = 0.1, more = 0.4;
    assert_ok(afx_sim_set_param(same, AFX_PARAM_BODY_MASS, 150, &mass));
    assert_ok(afx_sim_set_param(heavy, AFX_PARAM_BODY_MASS, 150, &more));
    for (int k = 0; k < 10; k++) {
        assert_ok(afx_step(sim, NULL));
        assert_ok(afx_step(same, NULL));
        assert_ok(afx_step(heavy, NULL));
    }
    AfxMomentum light, full;
    assert_true(same_state(sim, same));
    assert_ok(afx_sim_momentum(sim, &light));
    assert_ok(afx_sim_momentum(heavy, &full));
    assert_near(full.linear.z / light.linear.z, (0.1 * FEW + 0.3) / (0.1 * FEW), 1e-3);
    afx_sim_destroy(sim);
    afx_sim_destroy(same);
    afx_sim_destroy(heavy);
    afx_model_destroy(model);
}

int run_long_chain_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_old_state_becomes_the_history),
        cmocka_unit_test(far_from_the_pin_links_fall_freely),
        cmocka_unit_test(the_order_of_bodies_does_not_matter),
        cmocka_unit_test(own_parameters_are_heeded),
        cmocka_unit_test(what_is_worked_out_beforehand_is_not_seen),
    };
    return cmocka_run_group_tests_name("long chains", tests, NULL, NULL);
}
