/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes for the tests, and what holds for every graph. */
#include "tests.h"

Rig rig_make(void) {
    Rig rig = {0};
    AfxSceneDef def = afx_default_scene();
    assert_ok(afx_scene_create(&def, &rig.scene));
    return rig;
}

AfxBodyId rig_box(Rig *rig, AfxBodyKind kind) {
    AfxBodyDef def = afx_default_body();
    AfxShapeDef box = afx_default_box(1, 0.2, 0.1);
    AfxBodyId id;
    def.kind = kind;
    def.pose.position.x = afx_scene_body_count(rig->scene);
    assert_ok(afx_scene_add_body(rig->scene, &def, &id));
    assert_ok(afx_scene_add_shape(rig->scene, id, &box));
    return id;
}

AfxJointId rig_joint(Rig *rig, AfxJointKind kind, AfxBodyId base, AfxBodyId follower) {
    AfxJointDef def = afx_default_joint(kind);
    AfxJointId id;
    AfxPose frame = afx_pose_identity();
    def.base = base;
    def.follower = follower;
    def.length = 1;
    def.pitch = 0.1;
    if (follower.scene == afx_scene_body(rig->scene, 0).scene) {
        frame.position.x = follower.index;
    }
    assert_ok(afx_joint_place(rig->scene, &def, frame));
    assert_ok(afx_scene_add_joint(rig->scene, &def, &id));
    return id;
}

AfxDriveId rig_drive(Rig *rig, AfxDriveKind kind, AfxJointId joint, uint32_t axis) {
    AfxDriveDef def = afx_default_drive(kind);
    AfxDriveId id;
    def.joint = joint;
    def.axis = axis;
    assert_ok(afx_scene_add_drive(rig->scene, &def, &id));
    return id;
}

void rig_couple(Rig *rig, const AfxJointId *joint, uint32_t count, double compliance) {
    AfxCouplingDef def = afx_default_coupling();
    AfxCouplingId id;
    def.term_count = count;
    for (uint32_t k = 0; k < count; k++) {
        def.joint[k] = joint[k];
        def.axis[k] = 0;
        def.factor[k] = 1;
    }
    def.compliance = compliance;
    assert_ok(afx_scene_add_coupling(rig->scene, &def, &id));
}

void rig_spring(Rig *rig, AfxBodyId a, AfxBodyId b) {
    AfxSpringDef def = afx_default_spring();
    AfxSpringId id;
    def.body_a = a;
    def.body_b = b;
    def.stiffness = 10;
    assert_ok(afx_scene_add_spring(rig->scene, &def, &id));
}

/* Rows, entries and bodies of a graph refer to one another as graph.h says. */
static void check_graph(const AfxModel *model, const AfxiGraph *graph) {
    uint32_t rows = 0, entries = 0, at = 0, loops = 0;
    size_t jacobian = 0;
    for (uint32_t k = 0; k < graph->block_count; k++) {
        const AfxiGraphBlock *block = &graph->block[k];
        assert_int_equal(block->first_row, rows);
        assert_int_equal(block->first_entry, entries);
        assert_true(block->row_count > 0 && block->entry_count > 0);
        for (uint32_t r = 0; r < block->row_count; r++) {
            assert_int_equal(graph->row[rows++].block, k);
        }
        for (uint32_t e = 0; e < block->entry_count; e++) {
            const AfxiGraphEntry *entry = &graph->entry[entries++];
            assert_int_equal(entry->block, k);
            assert_int_equal(entry->jacobian, jacobian);
            assert_true(entry->dof.index < graph->body_count);
            for (uint32_t f = 0; f < e; f++) {
                assert_int_not_equal(graph->entry[block->first_entry + f].dof.index, entry->dof.index);
            }
            assert_int_equal(entry->dof.family, AFXI_DOF_AFFINE);
            jacobian += (size_t)AFXI_AFFINE_WIDTH * block->row_count;
        }
        loops += block->loop ? block->row_count : 0;
    }
    assert_int_equal(rows, graph->row_count);
    assert_int_equal(entries, graph->entry_count);
    assert_int_equal(jacobian, graph->jacobian_length);
    assert_int_equal(loops, graph->loop_rows);
    assert_int_equal(graph->equality_rows + graph->compliant_rows, rows);
    uint32_t listed = 0;
    for (uint32_t k = 0; k < model->body_count; k++) {
        listed += graph->local[k] != UINT32_MAX && &model->graph[model->graph_of[k]] == graph;
    }
    assert_int_equal(listed, graph->body_count);
    for (uint32_t k = 0; k < graph->body_count; k++) {
        assert_int_equal(graph->local[graph->body[k]], k);
        assert_int_equal(model->kind[graph->body[k]], AFX_BODY_DYNAMIC);
        assert_int_equal(graph->body_start[k], at);
        for (uint32_t e = 0; e < graph->entry_count; e++) { /* rising */
            if (graph->entry[e].dof.index == k) {
                assert_int_equal(graph->body_entry[at++], e);
            }
        }
    }
    assert_int_equal(graph->body_start[graph->body_count], at);
    if (graph->recursion.on) { /* eliminated without a matrix */
        assert_int_equal(graph->plan.count, 0);
        return;
    }
    assert_int_equal(graph->plan.count, graph->block_count);
    for (uint32_t k = 0; k < graph->block_count; k++) {
        assert_int_equal(graph->plan.first_row[k], graph->block[k].first_row);
        assert_int_equal(graph->plan.place[graph->plan.order[k]], k);
    }
    assert_int_equal(graph->plan.row_count, graph->row_count);
}

const AfxiGraph *rig_compile(Rig *rig) {
    AfxError error;
    AfxStatus status = afx_model_create(rig->scene, &rig->model, &error);
    if (status) {
        print_error("%s: %s\n", error.element, error.text);
    }
    assert_ok(status);
    for (uint32_t k = 0; k < rig->model->graph_count; k++) {
        check_graph(rig->model, &rig->model->graph[k]);
    }
    static const AfxiGraph none;
    return rig->model->graph_count ? rig->model->graph : &none;
}

void rig_free(Rig *rig) {
    afx_model_destroy(rig->model);
    afx_scene_destroy(rig->scene);
    *rig = (Rig){0};
}
