/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks may be redundant: those that close a loop of the joint graph, or are so in themselves. */
#include "tests.h"

enum { LINKS = 12 };

/* A chain of hinges from `base`; the last body. */
static AfxBodyId chain(Rig *rig, AfxBodyId base, int links) {
    for (int k = 0; k < links; k++) {
        AfxBodyId next = rig_box(rig, AFX_BODY_DYNAMIC);
        rig_joint(rig, AFX_JOINT_REVOLUTE, base, next);
        base = next;
    }
    return base;
}

static void a_chain_has_no_loop_and_no_fill(void **state) {
    (void)state;
    Rig rig = rig_make();
    chain(&rig, afx_world(), LINKS);
    const AfxiGraph *graph = rig_compile(&rig);
    assert_int_equal(graph->loop_rows, 0);
    assert_int_equal(graph->row_count, 5 * LINKS);
    assert_true(graph->recursion.on); /* no matrix, and nothing to fill in */
    assert_int_equal(graph->plan.entry_count, 0);
    rig_free(&rig);
}

static void a_tree_has_no_loop(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxBodyId body[30];
    for (uint32_t k = 0; k < COUNT(body); k++) {
        body[k] = rig_box(&rig, AFX_BODY_DYNAMIC);
        if (k > 0) { /* floating: nothing ties the root to the world */
            rig_joint(&rig, AFX_JOINT_REVOLUTE, k % 2 ? body[(k - 1) / 3] : body[k],
                      k % 2 ? body[k] : body[(k - 1) / 3]);
        }
    }
    const AfxiGraph *graph = rig_compile(&rig);
    assert_int_equal(graph->loop_rows, 0);
    assert_int_equal(graph->row_count, 5 * (COUNT(body) - 1));
    rig_free(&rig);
}

static void a_ring_closes_with_its_last_joint(void **state) {
    (void)state;
    for (int open = 0; open < 2; open++) {
        Rig rig = rig_make();
        AfxBodyId first = rig_box(&rig, AFX_BODY_DYNAMIC), last = chain(&rig, first, LINKS);
        if (!open) {
            rig_joint(&rig, AFX_JOINT_REVOLUTE, last, first);
        }
        const AfxiGraph *graph = rig_compile(&rig);
        assert_int_equal(graph->loop_rows, open ? 0 : 5);
        for (uint32_t k = 0; k < graph->block_count; k++) {
            assert_int_equal(graph->block[k].loop, k == LINKS);
        }
        rig_free(&rig);
    }
}

/* World, fixed and kinematic bodies are one ground. */
static void a_bridge_between_grounds_is_a_loop(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        Rig rig = rig_make();
        AfxBodyId ground = kind == 0   ? afx_world()
                           : kind == 1 ? rig_box(&rig, AFX_BODY_FIXED)
                                       : rig_box(&rig, AFX_BODY_KINEMATIC);
        AfxBodyId last = chain(&rig, afx_world(), 3);
        rig_joint(&rig, AFX_JOINT_PLANAR, last, ground);
        assert_int_equal(rig_compile(&rig)->loop_rows, 3);
        rig_free(&rig);
    }
}

static void two_hinges_on_one_axis_are_a_loop(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxBodyId a = rig_box(&rig, AFX_BODY_DYNAMIC), b = rig_box(&rig, AFX_BODY_DYNAMIC);
    rig_joint(&rig, AFX_JOINT_REVOLUTE, a, b);
    rig_joint(&rig, AFX_JOINT_REVOLUTE, b, a); /* the other way round */
    const AfxiGraph *graph = rig_compile(&rig);
    assert_false(graph->block[0].loop);
    assert_true(graph->block[1].loop);
    assert_int_equal(graph->loop_rows, 5);
    rig_free(&rig);
}

static void a_hinge_by_points_is_redundant_in_itself(void **state) {
    (void)state;
    Rig rig = rig_make();
    rig_joint(&rig, AFX_JOINT_REVOLUTE_POINTS, afx_world(), rig_box(&rig, AFX_BODY_DYNAMIC));
    assert_int_equal(rig_compile(&rig)->loop_rows, 6);
    rig_free(&rig);
}

static void one_drive_is_independent_but_two_may_not_be(void **state) {
    (void)state;
    for (uint32_t drives = 0; drives < 4; drives++) {
        Rig rig = rig_make();
        AfxJointId joint = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), rig_box(&rig, AFX_BODY_DYNAMIC));
        for (uint32_t k = 0; k < drives; k++) {
            rig_drive(&rig, k ? AFX_DRIVE_SPRING : AFX_DRIVE_POSITION, joint, 0);
        }
        const AfxiGraph *graph = rig_compile(&rig);
        assert_int_equal(graph->loop_rows, drives > 1 ? 5 + drives : 0);
        rig_free(&rig);
    }
}

/* A joint that only carries an exact drive closes a loop like one with rows of its own. */
static void a_driven_free_joint_is_an_edge(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxBodyId body = rig_box(&rig, AFX_BODY_DYNAMIC);
    rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body);
    AfxJointId measure = rig_joint(&rig, AFX_JOINT_FREE, afx_world(), body);
    rig_drive(&rig, AFX_DRIVE_POSITION, measure, 0);
    const AfxiGraph *graph = rig_compile(&rig);
    assert_int_equal(graph->loop_rows, 1);
    rig_free(&rig);
}

static void components_are_judged_apart(void **state) {
    (void)state;
    Rig rig = rig_make();
    chain(&rig, afx_world(), 4);
    AfxBodyId first = rig_box(&rig, AFX_BODY_DYNAMIC), last = chain(&rig, first, 2);
    rig_joint(&rig, AFX_JOINT_SPHERICAL, last, first); /* a floating triangle */
    chain(&rig, afx_world(), 4);
    const AfxiGraph *graph = rig_compile(&rig);
    assert_int_equal(rig.model->graph_count, 3); /* each component has its own */
    assert_int_equal(graph[0].loop_rows, 0);
    assert_int_equal(graph[1].loop_rows, 3);
    assert_true(graph[1].block[2].loop);
    assert_int_equal(graph[2].loop_rows, 0);
    rig_free(&rig);
}

/* Every edge of a grid beyond a spanning tree closes a loop. */
static void a_net_has_as_many_loops_as_meshes(void **state) {
    (void)state;
    enum { WIDTH = 5 };
    Rig rig = rig_make();
    AfxBodyId body[WIDTH][WIDTH];
    for (int i = 0; i < WIDTH; i++) {
        for (int j = 0; j < WIDTH; j++) {
            body[i][j] = rig_box(&rig, AFX_BODY_DYNAMIC);
            if (i > 0) {
                rig_joint(&rig, AFX_JOINT_SPHERICAL, body[i - 1][j], body[i][j]);
            }
            if (j > 0) {
                rig_joint(&rig, AFX_JOINT_SPHERICAL, body[i][j - 1], body[i][j]);
            }
        }
    }
    const AfxiGraph *graph = rig_compile(&rig);
    assert_int_equal(graph->loop_rows, 3 * (WIDTH - 1) * (WIDTH - 1));
    rig_free(&rig);
}

int run_loop_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_has_no_loop_and_no_fill),
        cmocka_unit_test(a_tree_has_no_loop),
        cmocka_unit_test(a_ring_closes_with_its_last_joint),
        cmocka_unit_test(a_bridge_between_grounds_is_a_loop),
        cmocka_unit_test(two_hinges_on_one_axis_are_a_loop),
        cmocka_unit_test(a_hinge_by_points_is_redundant_in_itself),
        cmocka_unit_test(one_drive_is_independent_but_two_may_not_be),
        cmocka_unit_test(a_driven_free_joint_is_an_edge),
        cmocka_unit_test(components_are_judged_apart),
        cmocka_unit_test(a_net_has_as_many_loops_as_meshes),
    };
    return cmocka_run_group_tests_name("loops", tests, NULL, NULL);
}
