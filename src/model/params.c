/* SPDX-License-Identifier: Apache-2.0 */
/* The parameter registry: one block of doubles, one table of kinds. */
#include "affix/params.h"

#include <math.h>

#include "joint/law.h"
#include "joint/turn.h"
#include "model/model.h"

static const struct {
    const char *name;
    uint32_t size;
} kinds[AFX_PARAM_KIND_COUNT] = {
#define ROW(kind, name, size) [kind] = {name, size},
    AFX_PARAM_TABLE(ROW)
#undef ROW
};

/* How many items of a kind there are. */
static uint32_t count_of(const AfxModel *model, AfxParamKind kind) {
    switch (kind) {
    case AFX_PARAM_GRAVITY:
        return 1;
    case AFX_PARAM_JOINT_LENGTH:
    case AFX_PARAM_JOINT_PITCH:
    case AFX_PARAM_JOINT_BREAK:
        return model->joint_count;
    case AFX_PARAM_JOINT_SPRING:
        return model->turn_count;
    case AFX_PARAM_DRIVE:
        return model->drive_count;
    case AFX_PARAM_COUPLING:
        return model->coupling_count;
    case AFX_PARAM_SPRING:
        return model->spring_count;
    case AFX_PARAM_MATERIAL_PAIR: /* of materials a <= b, at b (b + 1) / 2 + a */
        return model->contacts.material_count * (model->contacts.material_count + 1) / 2;
    case AFX_PARAM_MARKER_POINT:
        return model->marker_count;
    case AFX_PARAM_WRENCH_POINT:
    case AFX_PARAM_WRENCH:
        return model->wrench_count;
    default:
        return model->body_count;
    }
}

void afxi_params_layout(AfxModel *model) {
    size_t offset = 0;
    for (int kind = 0; kind < AFX_PARAM_KIND_COUNT; kind++) {
        model->param_offset[kind] = offset;
        model->param_count[kind] = count_of(model, (AfxParamKind)kind);
        offset += (size_t)model->param_count[kind] * kinds[kind].size;
    }
    model->param_length = offset;
}

double *afxi_param(const AfxModel *model, double *block, AfxParamKind kind, uint32_t index) {
    return block + model->param_offset[kind] + (size_t)index * kinds[kind].size;
}

const double *afxi_param_const(const AfxModel *model, const double *block, AfxParamKind kind, uint32_t index) {
    return block + model->param_offset[kind] + (size_t)index * kinds[kind].size;
}

static bool drive_valid(const double *values) {
    return values[AFXI_DRIVE_STIFFNESS] >= 0 && isfinite(values[AFXI_DRIVE_STIFFNESS]) &&
           values[AFXI_DRIVE_DAMPING] >= 0 && isfinite(values[AFXI_DRIVE_DAMPING]) &&
           isfinite(values[AFXI_DRIVE_REST]) && values[AFXI_DRIVE_EFFORT] >= 0 &&
           values[AFXI_DRIVE_LOWER] <= values[AFXI_DRIVE_UPPER] && values[AFXI_DRIVE_RESTITUTION] >= 0 &&
           values[AFXI_DRIVE_RESTITUTION] <= 1 && values[AFXI_DRIVE_COEFFICIENT] >= 0 && values[AFXI_DRIVE_RADIUS] >= 0;
}

/* Stiffness or damping on every axis, and a rotation. */
static bool turn_valid(const double *values) {
    const double *q = values + AFXI_TURN_REST;
    bool fine = fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 2e-3;
    for (int k = 0; k < 3; k++) {
        double stiffness = values[AFXI_TURN_STIFFNESS + k], damping = values[AFXI_TURN_DAMPING + k];
        fine = fine && stiffness >= 0 && damping >= 0 && stiffness + damping > 0;
    }
    return fine;
}

bool afxi_param_valid(const AfxModel *model, AfxParamKind kind, const double *values) {
    (void)model;
    for (uint32_t k = 0; k < kinds[kind].size; k++) {
        bool may_be_infinite = kind == AFX_PARAM_DRIVE || (kind == AFX_PARAM_BODY_YOUNG && values[k] > 0);
        if (isnan(values[k]) || (isinf(values[k]) && !may_be_infinite)) {
            return false;
        }
    }
    switch (kind) {
    case AFX_PARAM_BODY_MASS:
    case AFX_PARAM_BODY_VOLUME:
    case AFX_PARAM_BODY_YOUNG:
    case AFX_PARAM_JOINT_LENGTH:
        return values[0] > 0;
    case AFX_PARAM_BODY_SECOND_MOMENTS:
        return values[0] >= 0 && values[1] >= 0 && values[2] >= 0 && values[0] + values[1] > 0 &&
               values[0] + values[2] > 0 && values[1] + values[2] > 0;
    case AFX_PARAM_BODY_POISSON:
        return values[0] > -1 && values[0] < 0.5;
    case AFX_PARAM_BODY_LINEAR_DAMPING:
    case AFX_PARAM_BODY_ANGULAR_DAMPING:
        return values[0] >= 0;
    case AFX_PARAM_JOINT_BREAK:
        return values[0] >= 0 && values[1] >= 0;
    case AFX_PARAM_SPRING:
        return values[0] >= 0 && values[1] >= 0 && values[2] >= 0;
    case AFX_PARAM_MATERIAL_PAIR:
        return values[AFXI_PAIR_FRICTION] >= 0 && values[AFXI_PAIR_RESTITUTION] >= 0 &&
               values[AFXI_PAIR_RESTITUTION] <= 1 && values[AFXI_PAIR_ROLLING] >= 0 &&
               values[AFXI_PAIR_TORSIONAL] >= 0 && values[AFXI_PAIR_STIFFNESS] >= 0;
    case AFX_PARAM_DRIVE:
        return drive_valid(values);
    case AFX_PARAM_JOINT_SPRING:
        return turn_valid(values);
    case AFX_PARAM_COUPLING:
        return values[AFX_COUPLING_TERMS + 1] >= 0;
    case AFX_PARAM_BODY_GRAVITY:
        return values[0] == 0 || values[0] == 1;
    default:
        return true;
    }
}

AfxStatus afx_model_param_info(const AfxModel *model, AfxParamKind kind, AfxParamInfo *out_info) {
    if (!model || !out_info || (int)kind < 0 || kind >= AFX_PARAM_KIND_COUNT) {
        return AFX_E_ARGUMENT;
    }
    *out_info =
        (AfxParamInfo){kinds[kind].name, kind, model->param_count[kind], kinds[kind].size, model->param_offset[kind]};
    return AFX_OK;
}

const double *afx_model_params(const AfxModel *model, size_t *out_length) {
    if (out_length) {
        *out_length = model ? model->param_length : 0;
    }
    return model ? model->params : NULL;
}

AfxiBodyClass afxi_class_of_params(const AfxModel *model, const double *block, uint32_t body) {
    const double *s = afxi_param_const(model, block, AFX_PARAM_BODY_SECOND_MOMENTS, body);
    return (AfxiBodyClass){
        .mass = *afxi_param_const(model, block, AFX_PARAM_BODY_MASS, body),
        .s = {s[0], s[1], s[2]},
        .volume = *afxi_param_const(model, block, AFX_PARAM_BODY_VOLUME, body),
        .young = *afxi_param_const(model, block, AFX_PARAM_BODY_YOUNG, body),
        .poisson = *afxi_param_const(model, block, AFX_PARAM_BODY_POISSON, body),
        .linear_damping = *afxi_param_const(model, block, AFX_PARAM_BODY_LINEAR_DAMPING, body),
        .angular_damping = *afxi_param_const(model, block, AFX_PARAM_BODY_ANGULAR_DAMPING, body),
        .gravity = *afxi_param_const(model, block, AFX_PARAM_BODY_GRAVITY, body),
    };
}

void afxi_classes_build(const AfxModel *model, const double *block, AfxiClasses *out) {
    afxi_intern_clear(&out->intern);
    for (uint32_t body = 0; body < model->body_count; body++) {
        AfxiBodyClass item = afxi_class_of_params(model, block, body);
        out->of[body] = afxi_intern(&out->intern, &item);
    }
}
