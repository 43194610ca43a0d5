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

/* Two drives of a joint, and whether they may hold the same coordinate at once. */
static void drives_that_may_hold_a_coordinate_twice_are_redundant(void **state) {
    (void)state;
    static const struct {
        AfxJointKind joint;
        AfxDriveKind a, b;
        uint32_t axis; /* of b; that of a is 0 */
        bool redundant;
    } pair[] = {
        {AFX_JOINT_REVOLUTE, AFX_DRIVE_POSITION, AFX_DRIVE_SPRING, 0, false},
        {AFX_JOINT_REVOLUTE, AFX_DRIVE_SERVO, AFX_DRIVE_LIMIT, 0, false},
        {AFX_JOINT_REVOLUTE, AFX_DRIVE_LIMIT, AFX_DRIVE_FRICTION, 0, false}, /* nothing sticks where a limit holds */
        {AFX_JOINT_REVOLUTE, AFX_DRIVE_FRICTION, AFX_DRIVE_FRICTION, 0, true},
        {AFX_JOINT_REVOLUTE, AFX_DRIVE_LIMIT, AFX_DRIVE_LIMIT, 0, true},
        {AFX_JOINT_REVOLUTE, AFX_DRIVE_POSITION, AFX_DRIVE_LIMIT, 0, true},
        {AFX_JOINT_REVOLUTE, AFX_DRIVE_FRICTION, AFX_DRIVE_VELOCITY, 0, true},
        {AFX_JOINT_CYLINDRICAL, AFX_DRIVE_POSITION, AFX_DRIVE_POSITION, 1, false},
        {AFX_JOINT_SCREW, AFX_DRIVE_POSITION, AFX_DRIVE_LIMIT, 1, true},
        {AFX_JOINT_SPHERICAL, AFX_DRIVE_LIMIT, AFX_DRIVE_LIMIT, 1, true},
        {AFX_JOINT_SPHERICAL, AFX_DRIVE_SERVO, AFX_DRIVE_LIMIT, 1, false},
    };
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
        Rig rig = rig_make();
        AfxJointId joint = rig_joint(&rig, pair[k].joint, afx_world(), rig_box(&rig, AFX_BODY_DYNAMIC));
        rig_drive(&rig, pair[k].a, joint, 0);
        rig_drive(&rig, pair[k].b, joint, pair[k].axis);
        const AfxiGraph *graph = rig_compile(&rig);
        assert_int_equal(graph->loop_rows, pair[k].redundant ? graph->row_count : 0);
        assert_int_equal(graph->recursion.on, !pair[k].redundant);
        rig_free(&rig);
    }
}

/* Drives on a coordinate that others act on come last in their block, whatever order they are added in. */
static void drives_on_one_coordinate_are_folded(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxJointId joint = rig_joint(&rig, AFX_JOINT_CYLINDRICAL, afx_world(), rig_box(&rig, AFX_BODY_DYNAMIC));
    const uint32_t axis[] = {1, 1, 0, 1, 0}, drive[] = {0, 2, 1, 3, 4}, lead[] = {4, 4, 5};
    for (uint32_t k = 0; k < 5; k++) {
        rig_drive(&rig, k % 2 ? AFX_DRIVE_FORCE : AFX_DRIVE_SPRING, joint, axis[k]);
    }
    const AfxiGraph *graph = rig_compile(&rig);
    assert_int_equal(graph->row_count, 9);
    assert_int_equal(graph->block[0].folded, 3);
    for (uint32_t k = 0; k < 5; k++) {
        assert_int_equal(graph->row[4 + k].index, drive[k]);
        assert_true(k < 2 || graph->row[4 + k].lead == lead[k - 2]);
    }
    rig_free(&rig);
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
        cmocka_unit_test(drives_that_may_hold_a_coordinate_twice_are_redundant),
        cmocka_unit_test(drives_on_one_coordinate_are_folded),
        cmocka_unit_test(a_driven_free_joint_is_an_edge),
        cmocka_unit_test(components_are_judged_apart),
        cmocka_unit_test(a_net_has_as_many_loops_as_meshes),
    };
    return cmocka_run_group_tests_name("loops", tests, NULL, NULL);
}
