/* SPDX-License-Identifier: Apache-2.0 */
/* The ring of events: what it keeps and drops, that it changes no bit of a run, asks for no memory in a step, and what
 * is wrong with arguments. */
#include "tests.h"

static void the_oldest_are_dropped(void **state) {
    (void)state;
    World world = world_case("pendulum", NULL, NULL);
    assert_ok(afx_sim_trace(world.sim, 5));
    for (int n = 0; n < 10; n++) {
        assert_ok(afx_step(world.sim, NULL));
    }
    /* 2 events a step, a restart in the first, and a second iteration in the first two */
    assert_int_equal(afx_sim_trace_count(world.sim), 5);
    assert_int_equal(afx_sim_trace_dropped(world.sim), 2 * 10 + 1 + 2 - 5);
    const uint64_t steps[5] = {8, 9, 9, 10, 10};
    for (uint32_t k = 0; k < 5; k++) {
        AfxTraceEvent event = event_at(world.sim, k);
        assert_int_equal(event.step, steps[k]);
        assert_int_equal(event.kind, k % 2 ? AFX_TRACE_STEP : AFX_TRACE_SOLVE);
    }
    afx_sim_trace_clear(world.sim);
    assert_int_equal(afx_sim_trace_count(world.sim), 0);
    assert_int_equal(afx_sim_trace_dropped(world.sim), 0);
    assert_ok(afx_step(world.sim, NULL));
    assert_int_equal(afx_sim_trace_count(world.sim), 2);
    assert_ok(afx_sim_trace(world.sim, 0));
    assert_ok(afx_step(world.sim, NULL));
    assert_int_equal(afx_sim_trace_count(world.sim), 0);
    world_free(&world);
}

static void arguments(void **state) {
    (void)state;
    World world = world_case("pendulum", NULL, NULL);
    AfxTraceEvent event;
    assert_ok(afx_step(world.sim, NULL));
    assert_int_equal(afx_sim_trace(NULL, 1), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_trace(world.sim, UINT32_MAX), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_trace_count(world.sim), 4); /* it goes on as it was */
    assert_int_equal(afx_sim_trace_event(world.sim, 4, &event), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_trace_event(world.sim, 0, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_trace_event(NULL, 0, &event), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_trace_count(NULL), 0);
    assert_int_equal(afx_sim_trace_dropped(NULL), 0);
    assert_int_equal(afx_sim_trace_reason(NULL), AFX_TRACE_FINE);
    afx_sim_trace_clear(NULL);
    assert_ok(afx_sim_trace(world.sim, 0));
    assert_int_equal(afx_sim_trace_event(world.sim, 0, &event), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_trace_count(world.sim), 0);
    afx_sim_trace_clear(world.sim);
    world_free(&world);
}

/* A run with and without: the same bits, also where steps are solved often. */
static void a_trace_changes_no_bit(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"falling-joints", "pairs=3"}, {"net", "k=6"}, {"chain", NULL}, {"stack", NULL}, {"klann", NULL}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        World on = world_case(cases[k][0], cases[k][1], NULL), off = world_case(cases[k][0], cases[k][1], NULL);
        size_t bytes = (size_t)12 * afx_model_body_count(on.model) * sizeof(double);
        assert_ok(afx_sim_trace(off.sim, 0));
        for (int n = 0; n < 50; n++) {
            AfxStepReport a, b;
            assert_ok(afx_step(on.sim, &a));
            assert_ok(afx_step(off.sim, &b));
            assert_int_equal(a.solves, b.solves);
            assert_int_equal(a.flags, b.flags);
        }
        assert_memory_equal(afx_sim_coordinates(on.sim), afx_sim_coordinates(off.sim), bytes);
        assert_memory_equal(afx_sim_velocities(on.sim), afx_sim_velocities(off.sim), bytes);
        assert_true(afx_sim_trace_count(on.sim) > 50);
        assert_int_equal(afx_sim_snapshot_size(on.sim), afx_sim_snapshot_size(off.sim));
        world_free(&on);
        world_free(&off);
    }
}

/* Memory is asked for when it is switched on, and given back; where there is none, the trace stays off. */
static void memory(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxSimDef def = afx_default_sim();
    def.allocator = test_allocator(&counts);
    World world = world_case("net", "k=5", &def);
    assert_ok(afx_sim_trace(world.sim, 0));
    size_t without = counts.live;
    assert_ok(afx_sim_trace(world.sim, 16));
    assert_true(counts.live > without);
    uint64_t calls = counts.calls, frees = counts.frees;
    for (int n = 0; n < 30; n++) {
        assert_ok(afx_step(world.sim, NULL));
    }
    assert_true(afx_sim_trace_dropped(world.sim) > 0);
    assert_int_equal(counts.calls, calls);
    assert_int_equal(counts.frees, frees);
    counts.fail_at = counts.calls + 1;
    assert_int_equal(afx_sim_trace(world.sim, 32), AFX_E_MEMORY);
    assert_int_equal(counts.live, without);
    assert_int_equal(afx_sim_trace_count(world.sim), 0);
    assert_ok(afx_step(world.sim, NULL));
    assert_int_equal(afx_sim_trace_count(world.sim), 0);
    assert_ok(afx_sim_trace(world.sim, 32)); /* which the end frees */
    world_free(&world);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.errors, 0);
}

typedef const char *Word(int value);

static const char *kind_name(int value) {
    return afx_trace_kind_name((AfxTraceKind)value);
}

static const char *engine_name(int value) {
    return afx_trace_engine_name((AfxTraceEngine)value);
}

static const char *method_name(int value) {
    return afx_trace_method_name((AfxTraceMethod)value);
}

static const char *verdict_name(int value) {
    return afx_trace_verdict_name((AfxTraceVerdict)value);
}

static const char *reason_name(int value) {
    return afx_trace_reason_name((AfxTraceReason)value);
}

static const char *reason_text(int value) {
    return afx_trace_reason_text((AfxTraceReason)value);
}

static void names_are_unique(void **state) {
    (void)state;
    static const struct {
        Word *word;
        int count;
    } all[] = {{kind_name, AFX_TRACE_KIND_COUNT},     {engine_name, AFX_TRACE_ENGINE_COUNT},
               {method_name, AFX_TRACE_METHOD_COUNT}, {verdict_name, AFX_TRACE_VERDICT_COUNT},
               {reason_name, AFX_TRACE_REASON_COUNT}, {reason_text, AFX_TRACE_REASON_COUNT}};
    for (size_t k = 0; k < COUNT(all); k++) {
        for (int a = 0; a < all[k].count; a++) {
            assert_true(all[k].word(a)[0] != 0);
            assert_string_not_equal(all[k].word(a), "unknown");
            for (int b = 0; b < a; b++) {
                assert_string_not_equal(all[k].word(a), all[k].word(b));
            }
        }
        assert_string_equal(all[k].word(all[k].count), "unknown");
        assert_string_equal(all[k].word(-1), "unknown");
    }
    assert_string_equal(afx_trace_verdict_name(AFX_TRACE_NEW_FRAMES), "new-frames");
    assert_string_equal(afx_trace_kind_text(AFX_TRACE_BROKEN), "joint broke");
    assert_string_equal(afx_trace_engine_text(AFX_TRACE_FREE), "single bodies");
    assert_string_equal(afx_trace_method_text(AFX_TRACE_EXACT), "exact geometric stiffness");
    assert_string_equal(afx_trace_verdict_text(AFX_TRACE_ACCEPT), "accepted");
}

int run_ring_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_are_dropped), cmocka_unit_test(arguments),
        cmocka_unit_test(a_trace_changes_no_bit), cmocka_unit_test(memory),
        cmocka_unit_test(names_are_unique),
    };
    return cmocka_run_group_tests_name("trace: ring", tests, NULL, NULL);
}
