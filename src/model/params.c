/* SPDX-License-Identifier: Apache-2.0 */
/* The parameter registry: one block of doubles, one table of kinds. */
#include "model/params.h"

#include "affix/params.h"

#include <float.h>
#include <math.h>

#include "joint/law.h"
#include "joint/rotational_spring.h"
#include "model/model.h"

static const struct {
    const char *name;
    uint32_t size;
} kinds[AFX_PARAM_KIND_COUNT] = {
#define ROW(kind, name, size) [kind] = {name, size},
    AFX_PARAM_TABLE(ROW)
#undef ROW
};

#define FITS(kind, name, size) _Static_assert((size) <= AFX_PARAM_SIZE_MOST, name " is larger than the largest item");
AFX_PARAM_TABLE(FITS)
#undef FITS

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
        return model->rotational_spring_count;
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
    case AFX_PARAM_TABLE:
        return model->table_count;
    case AFX_PARAM_JOINT_ARMATURE:
        return model->armature_count;
    default:
        return model->body_count;
    }
}

void afxi_params_layout(AfxModel *model) {
    size_t offset = 0;
    for (int kind = 0; kind < AFX_PARAM_KIND_COUNT; kind++) {
        model->param_offset[kind] = offset;
        model->param_count[kind] = count_of(model, (AfxParamKind)kind);
        if (kind == AFX_PARAM_JOINT_ARMATURE) { /* masses of the first blocks behind the bodies */
            model->param_offset[kind] = model->param_offset[AFX_PARAM_BODY_MASS] + model->shown.bodies;
            continue;
        }
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

/* ---- what a value may be ---- */

typedef enum Range { FINITE = 0, POSITIVE, NOT_NEGATIVE, STIFFNESS_OF_BODY, POISSON, FRACTION, LOAD, BOUND } Range;

static const struct {
    double least, most;
    bool above, below; /* more than the least, less than the most */
} ranges[] = {
    [FINITE] = {-DBL_MAX, DBL_MAX, false, false},
    [POSITIVE] = {0, DBL_MAX, true, false},
    [NOT_NEGATIVE] = {0, DBL_MAX, false, false},
    [STIFFNESS_OF_BODY] = {0, INFINITY, true, false},
    [POISSON] = {-1, 0.5, true, true},
    [FRACTION] = {0, 1, false, false},
    [LOAD] = {0, INFINITY, false, false},
    [BOUND] = {-INFINITY, INFINITY, false, false},
};

static bool in_range(Range range, double value) { /* false for what is not a number */
    return (ranges[range].above ? value > ranges[range].least : value >= ranges[range].least) &&
           (ranges[range].below ? value < ranges[range].most : value <= ranges[range].most);
}

static bool moments_fit(const double *s) {
    return s[0] + s[1] > 0 && s[0] + s[2] > 0 && s[1] + s[2] > 0;
}

static bool is_switch(const double *values) {
    return values[0] == 0 || values[0] == 1;
}

static bool bounds_fit(const double *values) {
    return values[AFXI_DRIVE_LOWER] <= values[AFXI_DRIVE_UPPER];
}

/* Damping and impedance belong to a stiffness. */
static bool softness_fits(const double *values) {
    const double *i = values + AFXI_PAIR_IMPEDANCE;
    bool soft = values[AFXI_PAIR_DAMPING] > 0 || i[2] > 0;
    return (!soft || values[AFXI_PAIR_STIFFNESS] > 0) &&
           (!(i[2] > 0) || (i[1] >= i[0] && i[3] > 0 && i[3] < 1 && i[4] >= 1));
}

/* Stiffness or damping on every axis, and a rotation. */
static bool turn_fits(const double *values) {
    const double *q = values + AFXI_ROTATIONAL_SPRING_REST;
    bool fine = fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 2e-3;
    for (int k = 0; k < 3; k++) {
        fine = fine && values[AFXI_ROTATIONAL_SPRING_STIFFNESS + k] + values[AFXI_ROTATIONAL_SPRING_DAMPING + k] > 0;
    }
    return fine;
}

#define VALUES_MOST 13

/* Sizes by the table, for those that other rooms count themselves. */
enum {
#define SIZE_OF(kind, name, size) SIZE_##kind = (size),
    AFX_PARAM_TABLE(SIZE_OF)
#undef SIZE_OF
};
_Static_assert((int)SIZE_AFX_PARAM_MATERIAL_PAIR == (int)AFXI_PAIR_SIZE, "the numbers of a pair of materials");
_Static_assert(AFX_PARAM_SIZE_MOST == VALUES_MOST, "the most numbers");

/* The range of each value of an item, and what must hold between them. */
static const struct {
    unsigned char range[VALUES_MOST];
    bool (*fit)(const double *values); /* or NULL */
} rules[AFX_PARAM_KIND_COUNT] = {
    [AFX_PARAM_JOINT_ARMATURE] = {{POSITIVE}, NULL},
    [AFX_PARAM_BODY_MASS] = {{POSITIVE}, NULL},
    [AFX_PARAM_BODY_SECOND_MOMENTS] = {{NOT_NEGATIVE, NOT_NEGATIVE, NOT_NEGATIVE}, moments_fit},
    [AFX_PARAM_BODY_VOLUME] = {{POSITIVE}, NULL},
    [AFX_PARAM_BODY_YOUNG] = {{STIFFNESS_OF_BODY}, NULL},
    [AFX_PARAM_BODY_POISSON] = {{POISSON}, NULL},
    [AFX_PARAM_BODY_LINEAR_DAMPING] = {{NOT_NEGATIVE}, NULL},
    [AFX_PARAM_BODY_ANGULAR_DAMPING] = {{NOT_NEGATIVE}, NULL},
    [AFX_PARAM_BODY_GRAVITY] = {{FINITE}, is_switch},
    [AFX_PARAM_JOINT_LENGTH] = {{POSITIVE}, NULL},
    [AFX_PARAM_JOINT_BREAK] = {{NOT_NEGATIVE, NOT_NEGATIVE}, NULL},
    [AFX_PARAM_JOINT_SPRING] = {{[AFXI_ROTATIONAL_SPRING_STIFFNESS] = NOT_NEGATIVE,
                                 NOT_NEGATIVE,
                                 NOT_NEGATIVE,
                                 [AFXI_ROTATIONAL_SPRING_DAMPING] = NOT_NEGATIVE,
                                 NOT_NEGATIVE,
                                 NOT_NEGATIVE},
                                turn_fits},
    [AFX_PARAM_DRIVE] = {{[AFXI_DRIVE_STIFFNESS] = NOT_NEGATIVE,
                          [AFXI_DRIVE_DAMPING] = NOT_NEGATIVE,
                          [AFXI_DRIVE_REST] = FINITE,
                          [AFXI_DRIVE_EFFORT] = LOAD,
                          [AFXI_DRIVE_LOWER] = BOUND,
                          [AFXI_DRIVE_UPPER] = BOUND,
                          [AFXI_DRIVE_RESTITUTION] = FRACTION,
                          [AFXI_DRIVE_COEFFICIENT] = LOAD,
                          [AFXI_DRIVE_RADIUS] = LOAD},
                         bounds_fit},
    [AFX_PARAM_COUPLING] = {{[AFX_COUPLING_TERMS + 1] = NOT_NEGATIVE}, NULL},
    [AFX_PARAM_SPRING] = {{NOT_NEGATIVE, NOT_NEGATIVE, NOT_NEGATIVE}, NULL},
    [AFX_PARAM_MATERIAL_PAIR] = {{[AFXI_PAIR_FRICTION] = NOT_NEGATIVE,
                                  [AFXI_PAIR_RESTITUTION] = FRACTION,
                                  [AFXI_PAIR_ROLLING] = NOT_NEGATIVE,
                                  [AFXI_PAIR_TORSIONAL] = NOT_NEGATIVE,
                                  [AFXI_PAIR_STIFFNESS] = NOT_NEGATIVE,
                                  [AFXI_PAIR_DAMPING] = NOT_NEGATIVE,
                                  [AFXI_PAIR_IMPEDANCE] = FRACTION,
                                  FRACTION,
                                  NOT_NEGATIVE,
                                  FRACTION,
                                  NOT_NEGATIVE,
                                  [AFXI_PAIR_FRICTION_DAMPING] = NOT_NEGATIVE,
                                  [AFXI_PAIR_MARGIN] = NOT_NEGATIVE},
                                 softness_fits},
};

bool afxi_param_valid(const AfxModel *model, AfxParamKind kind, uint32_t index, const double *values) {
    if (kind == AFX_PARAM_TABLE && model->table_damps[index]) {
        double rate = model->table_position[index];
        if (rate == 0 ? values[0] != 0 : values[0] * rate < 0) {
            return false; /* a damper does not drive */
        }
    }
    for (uint32_t k = 0; k < kinds[kind].size; k++) {
        if (!in_range((Range)rules[kind].range[k], values[k])) {
            return false;
        }
    }
    return !rules[kind].fit || rules[kind].fit(values);
}

/* The tables that item `index` of some kind has. */
static bool tables_of(const AfxModel *model, const double *block, const AfxiTables *tables, AfxiSpringTables *out) {
    const double *forces = block + model->param_offset[AFX_PARAM_TABLE];
    *out = (AfxiSpringTables){{0}, {0}};
    if (!tables || !(tables->spring_count + tables->damper_count)) {
        return false;
    }
    out->spring =
        (AfxForceTable){model->table_position + tables->spring, forces + tables->spring, tables->spring_count};
    out->damper =
        (AfxForceTable){model->table_position + tables->damper, forces + tables->damper, tables->damper_count};
    return true;
}

bool afxi_drive_tables(const AfxModel *model, const double *block, uint32_t drive, AfxiSpringTables *out) {
    return tables_of(model, block, model->drive_tables ? &model->drive_tables[drive] : NULL, out);
}

bool afxi_spring_tables(const AfxModel *model, const double *block, uint32_t spring, AfxiSpringTables *out) {
    return tables_of(model, block, model->spring_tables ? &model->spring_tables[spring] : NULL, out);
}

uint32_t afxi_param_shown(const AfxModel *model, AfxParamKind kind) {
    uint32_t hidden = 0;
    if (kind >= AFX_PARAM_BODY_MASS && kind <= AFX_PARAM_BODY_GRAVITY) {
        hidden = model->body_count - model->shown.bodies;
    } else if (kind >= AFX_PARAM_JOINT_LENGTH && kind <= AFX_PARAM_JOINT_BREAK) {
        hidden = model->joint_count - model->shown.joints;
    } else if (kind == AFX_PARAM_COUPLING) {
        hidden = model->coupling_count - model->shown.couplings;
    }
    return model->param_count[kind] - hidden;
}

AfxStatus afx_model_param_info(const AfxModel *model, AfxParamKind kind, AfxParamInfo *out_info) {
    if (!model || !out_info || (int)kind < 0 || kind >= AFX_PARAM_KIND_COUNT) {
        return AFX_E_ARGUMENT;
    }
    *out_info = (AfxParamInfo){kinds[kind].name, kind, afxi_param_shown(model, kind), kinds[kind].size,
                               model->param_offset[kind]};
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
