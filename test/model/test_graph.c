/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks, rows and entries of the joint graph. */
#include "tests.h"

/* Rows of each kind, counted by hand: 6 less its freedoms, the distance 1, the hinge by points 6. */
static const uint32_t kind_rows[AFX_JOINT_KIND_COUNT] = {
    [AFX_JOINT_FIXED] = 6,
    [AFX_JOINT_PRISMATIC] = 5,
    [AFX_JOINT_REVOLUTE] = 5,
    [AFX_JOINT_RECTANGULAR] = 4,
    [AFX_JOINT_CYLINDRICAL] = 4,
    [AFX_JOINT_PIN_IN_SLOT] = 4,
    [AFX_JOINT_UNIVERSAL] = 4,
    [AFX_JOINT_CARTESIAN] = 3,
    [AFX_JOINT_PLANAR] = 3,
    [AFX_JOINT_SPHERICAL] = 3,
    [AFX_JOINT_SLOT] = 2,
    [AFX_JOINT_FREE] = 0,
    [AFX_JOINT_DISTANCE] = 1,
    [AFX_JOINT_SCREW] = 5,
    [AFX_JOINT_REVOLUTE_POINTS] = 6,
    [AFX_JOINT_REVOLUTE_SPHERICAL] = 2,
    [AFX_JOINT_REVOLUTE_REVOLUTE] = 4,
    [AFX_JOINT_POINT_ON_PLANE] = 1,
    [AFX_JOINT_PARALLEL_AXES] = 2,
};

static void every_kind_brings_its_rows(void **state) {
    (void)state;
    for (int kind = 0; kind < AFX_JOINT_KIND_COUNT; kind++) {
        for (uint32_t drives = 0; drives <= afx_joint_axis_count((AfxJointKind)kind); drives++) {
            Rig rig = rig_make();
            AfxBodyId a = rig_box(&rig, AFX_BODY_DYNAMIC), b = rig_box(&rig, AFX_BODY_DYNAMIC);
            AfxJointId joint = rig_joint(&rig, (AfxJointKind)kind, a, b);
            for (uint32_t k = 0; k < drives; k++) {
                rig_drive(&rig, AFX_DRIVE_SPRING, joint, k);
            }
            const AfxiGraph *graph = rig_compile(&rig);
            uint32_t rows = kind_rows[kind] + drives;
            assert_int_equal(graph->row_count, rows);
            assert_int_equal(graph->block_count, rows > 0);
            assert_int_equal(graph->body_count, rows ? 2 : 0);
            assert_int_equal(graph->equality_rows, kind_rows[kind]);
            assert_int_equal(graph->compliant_rows, drives);
            assert_int_equal(rig.model->joints[0].row, rows ? 0 : UINT32_MAX);
            assert_int_equal(afx_model_coordinate_count(rig.model), afx_joint_axis_count((AfxJointKind)kind));
            rig_free(&rig);
        }
    }
}

static void the_rows_of_a_block_are_the_joint_s_then_its_drives(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxBodyId a = rig_box(&rig, AFX_BODY_DYNAMIC), b = rig_box(&rig, AFX_BODY_DYNAMIC);
    AfxJointId hinge = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), a);
    AfxJointId screw = rig_joint(&rig, AFX_JOINT_SCREW, a, b);
    /* authored crosswise */
    rig_drive(&rig, AFX_DRIVE_LIMIT, screw, 0);
    rig_drive(&rig, AFX_DRIVE_POSITION, hinge, 0);
    rig_drive(&rig, AFX_DRIVE_FRICTION, screw, 1);
    const AfxiGraph *graph = rig_compile(&rig);
    static const struct {
        uint8_t source;
        uint32_t index;
    } want[] = {{AFXI_SOURCE_JOINT, 0}, {AFXI_SOURCE_JOINT, 1}, {AFXI_SOURCE_JOINT, 2}, {AFXI_SOURCE_JOINT, 3},
                {AFXI_SOURCE_JOINT, 4}, {AFXI_SOURCE_DRIVE, 1}, {AFXI_SOURCE_JOINT, 0}, {AFXI_SOURCE_JOINT, 1},
                {AFXI_SOURCE_JOINT, 2}, {AFXI_SOURCE_JOINT, 3}, {AFXI_SOURCE_SCREW, 1}, {AFXI_SOURCE_DRIVE, 0},
                {AFXI_SOURCE_DRIVE, 2}};
    assert_int_equal(graph->row_count, COUNT(want));
    for (uint32_t k = 0; k < COUNT(want); k++) {
        assert_int_equal(graph->row[k].source, want[k].source);
        assert_int_equal(graph->row[k].index, want[k].index);
        if (want[k].source == AFXI_SOURCE_DRIVE) {
            assert_int_equal(rig.model->drives[want[k].index].row, k);
        }
    }
    assert_int_equal(graph->equality_rows, 11); /* 5 + 5 and the position */
    assert_int_equal(graph->compliant_rows, 2);
    rig_free(&rig);
}

static void only_exact_drives_and_couplings_are_equalities(void **state) {
    (void)state;
    static const AfxDriveKind kinds[] = {AFX_DRIVE_POSITION, AFX_DRIVE_VELOCITY, AFX_DRIVE_FORCE,   AFX_DRIVE_SERVO,
                                         AFX_DRIVE_SPRING,   AFX_DRIVE_LIMIT,    AFX_DRIVE_FRICTION};
    for (size_t k = 0; k < COUNT(kinds); k++) {
        Rig rig = rig_make();
        AfxJointId joint = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), rig_box(&rig, AFX_BODY_DYNAMIC));
        rig_drive(&rig, kinds[k], joint, 0);
        rig_couple(&rig, &joint, 1, k % 2 ? 0.5 : 0);
        rig_compile(&rig);
        bool exact = kinds[k] == AFX_DRIVE_POSITION || kinds[k] == AFX_DRIVE_VELOCITY;
        assert_int_equal(afx_model_row_count(rig.model), 5 + exact + (k % 2 == 0));
        assert_int_equal(afx_model_compliant_row_count(rig.model), !exact + (k % 2));
        rig_free(&rig);
    }
}

static void a_coupling_touches_every_body_once(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxBodyId body[4], last = afx_world();
    AfxJointId joint[4];
    for (int k = 0; k < 4; k++) {
        body[k] = rig_box(&rig, AFX_BODY_DYNAMIC);
        joint[k] = rig_joint(&rig, AFX_JOINT_REVOLUTE, last, body[k]);
        last = body[k];
    }
    AfxJointId terms[3] = {joint[1], joint[2], joint[3]}; /* bodies 1 and 2 come twice */
    rig_couple(&rig, terms, 3, 0);
    rig_couple(&rig, joint, 1, 0);
    const AfxiGraph *graph = rig_compile(&rig);
    assert_int_equal(graph->block_count, 6);
    const AfxiGraphBlock *block = &graph->block[4];
    assert_int_equal(block->type, AFXI_BLOCK_COUPLING);
    assert_int_equal(block->row_count, 1);
    assert_int_equal(block->entry_count, 4);
    assert_int_equal(graph->row[block->first_row].source, AFXI_SOURCE_COUPLING);
    assert_int_equal(graph->row[block->first_row].index, 0);
    assert_true(block->loop);
    assert_int_equal(graph->block[5].entry_count, 1); /* the first body alone */
    assert_int_equal(graph->block[5].index, 1);
    assert_int_equal(graph->loop_rows, 2);
    rig_free(&rig);
}

static void a_spring_is_a_block_of_its_own(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxBodyId a = rig_box(&rig, AFX_BODY_DYNAMIC), b = rig_box(&rig, AFX_BODY_DYNAMIC);
    AfxBodyId fixed = rig_box(&rig, AFX_BODY_FIXED);
    rig_spring(&rig, a, b);
    rig_spring(&rig, b, fixed);
    rig_spring(&rig, fixed, afx_world()); /* nothing to solve for */
    rig_spring(&rig, a, b);
    const AfxiGraph *graph = rig_compile(&rig);
    static const uint32_t index[] = {0, 1, 3}, entries[] = {2, 1, 2};
    assert_int_equal(graph->block_count, 3);
    for (uint32_t k = 0; k < 3; k++) {
        assert_int_equal(graph->block[k].type, AFXI_BLOCK_SPRING);
        assert_int_equal(graph->block[k].index, index[k]);
        assert_int_equal(graph->block[k].entry_count, entries[k]);
        assert_int_equal(graph->row[k].source, AFXI_SOURCE_SPRING);
        assert_int_equal(graph->row[k].index, index[k]);
    }
    assert_int_equal(graph->compliant_rows, 3);
    assert_int_equal(graph->loop_rows, 0); /* compliant, so never redundant */
    rig_free(&rig);
}

static void bodies_without_rows_are_not_in_the_graph(void **state) {
    (void)state;
    Rig rig = rig_make();
    assert_ok(afx_scene_set_contact(rig.scene, false)); /* what may touch is there without a row */
    AfxBodyId body[8];
    for (int k = 0; k < 8; k++) {
        body[k] = rig_box(&rig, k == 2 ? AFX_BODY_FIXED : k == 5 ? AFX_BODY_KINEMATIC : AFX_BODY_DYNAMIC);
    }
    rig_joint(&rig, AFX_JOINT_REVOLUTE, body[5], body[6]);
    rig_joint(&rig, AFX_JOINT_FREE, body[0], body[1]);                        /* no rows at all */
    AfxJointId still = rig_joint(&rig, AFX_JOINT_REVOLUTE, body[2], body[5]); /* between two that are led */
    rig_drive(&rig, AFX_DRIVE_POSITION, still, 0);
    rig_joint(&rig, AFX_JOINT_SPHERICAL, body[6], body[3]);
    const AfxiGraph *graph = rig_compile(&rig);
    assert_int_equal(graph->body_count, 2);
    for (uint32_t k = 0; k < 8; k++) {
        assert_true((graph->local[k] != UINT32_MAX) == (k == 6 || k == 3));
    }
    assert_int_equal(graph->block_count, 2);
    assert_int_equal(graph->row_count, 8);
    assert_int_equal(rig.model->joints[1].row, UINT32_MAX);
    assert_int_equal(rig.model->joints[2].row, UINT32_MAX);
    assert_int_equal(rig.model->joints[3].row, graph->block[1].first_row);
    assert_int_equal(rig.model->drives[0].row, UINT32_MAX);
    rig_free(&rig);
}

static void no_joints_are_no_graph(void **state) {
    (void)state;
    for (int bodies = 0; bodies < 3; bodies++) {
        Rig rig = rig_make();
        assert_ok(afx_scene_set_contact(rig.scene, false));
        for (int k = 0; k < bodies; k++) {
            rig_box(&rig, AFX_BODY_DYNAMIC);
        }
        const AfxiGraph *graph = rig_compile(&rig);
        assert_int_equal(graph->body_count + graph->block_count + graph->row_count + graph->entry_count, 0);
        rig_free(&rig);
    }
}

int run_graph_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_brings_its_rows),
        cmocka_unit_test(the_rows_of_a_block_are_the_joint_s_then_its_drives),
        cmocka_unit_test(only_exact_drives_and_couplings_are_equalities),
        cmocka_unit_test(a_coupling_touches_every_body_once),
        cmocka_unit_test(a_spring_is_a_block_of_its_own),
        cmocka_unit_test(bodies_without_rows_are_not_in_the_graph),
        cmocka_unit_test(no_joints_are_no_graph),
    };
    return cmocka_run_group_tests_name("joint graph", tests, NULL, NULL);
}
