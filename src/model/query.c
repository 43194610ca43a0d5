/* SPDX-License-Identifier: Apache-2.0 */
/* What a model tells of itself. */
#include "math/vec3.h"
#include "model/model.h"

uint32_t afx_model_body_count(const AfxModel *model) {
    return model ? model->shown.bodies : 0;
}

uint32_t afx_model_marker_count(const AfxModel *model) {
    return model ? model->marker_count : 0;
}

uint32_t afx_model_wrench_count(const AfxModel *model) {
    return model ? model->wrench_count : 0;
}

uint32_t afx_model_joint_count(const AfxModel *model) {
    return model ? model->shown.joints : 0;
}

uint32_t afx_model_coordinate_count(const AfxModel *model) {
    return model ? model->shown.coordinates : 0;
}

uint32_t afx_model_joint_spring(const AfxModel *model, uint32_t joint) {
    return model && joint < model->shown.joints ? model->joints[joint].rotational_spring : UINT32_MAX;
}

uint32_t afx_model_joint_armature(const AfxModel *model, uint32_t joint, uint32_t axis) {
    for (uint32_t k = 0; model && k < model->armature_count; k++) {
        const AfxiCoupling *coupling = &model->couplings[model->rotors[k].coupling];
        if (coupling->joint[0] == joint && coupling->axis[0] == axis) {
            return k;
        }
    }
    return UINT32_MAX;
}

static uint32_t table_of(const AfxiTables *tables, bool damper, uint32_t *out_count) {
    uint32_t count = !tables ? 0 : damper ? tables->damper_count : tables->spring_count;
    if (out_count) {
        *out_count = count;
    }
    return !count ? 0 : damper ? tables->damper : tables->spring;
}

uint32_t afx_model_drive_table(const AfxModel *model, uint32_t drive, bool damper, uint32_t *out_count) {
    bool any = model && drive < model->drive_count && model->drive_tables;
    return table_of(any ? &model->drive_tables[drive] : NULL, damper, out_count);
}

uint32_t afx_model_spring_table(const AfxModel *model, uint32_t spring, bool damper, uint32_t *out_count) {
    bool any = model && spring < model->spring_count && model->spring_tables;
    return table_of(any ? &model->spring_tables[spring] : NULL, damper, out_count);
}

uint32_t afx_model_joint_coordinate(const AfxModel *model, uint32_t joint) {
    return model && joint < model->shown.joints ? model->joints[joint].coordinate : 0;
}

uint32_t afx_model_row_count(const AfxModel *model) {
    if (!model) {
        return 0;
    }
    uint32_t rows = 0;
    for (uint32_t k = 0; k < model->graph_count; k++) {
        rows += model->graph[k].equality_rows;
    }
    for (uint32_t k = 0; k < model->chains.slot_count; k++) {
        rows += model->chains.slot_joint[k] != UINT32_MAX ? 3 : 0;
    }
    return rows;
}

uint32_t afx_model_compliant_row_count(const AfxModel *model) {
    uint32_t rows = 0;
    for (uint32_t k = 0; model && k < model->graph_count; k++) {
        rows += model->graph[k].compliant_rows;
    }
    return rows;
}

uint32_t afx_model_class_count(const AfxModel *model) {
    return model ? model->classes.intern.count : 0;
}

AfxBodyKind afx_model_body_kind(const AfxModel *model, uint32_t body) {
    return model && body < model->shown.bodies ? (AfxBodyKind)model->kind[body] : AFX_BODY_FIXED;
}

AfxStatus afx_model_body_frame(const AfxModel *model, uint32_t body, AfxPose *out_frame) {
    if (!model || body >= model->shown.bodies || !out_frame) {
        return AFX_E_ARGUMENT;
    }
    const AfxiFrame *frame = afxi_model_frame(model, body);
    *out_frame = (AfxPose){frame->center, afxi_quat_from_mat3(&frame->axes)};
    return AFX_OK;
}

bool afx_model_body_floored(const AfxModel *model, uint32_t body) {
    return model && body < model->shown.bodies && model->floored[body];
}

double afx_model_size(const AfxModel *model) {
    return model ? model->size : 0;
}

uint64_t afx_model_hash(const AfxModel *model) {
    return model ? model->hash : 0;
}
