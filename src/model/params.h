/* SPDX-License-Identifier: Apache-2.0 */
/* The parameter registry. */
#ifndef AFXI_MODEL_PARAMS_H
#define AFXI_MODEL_PARAMS_H

#include "joint/law.h"
#include "model/model.h"

/** Offsets and counts of the registry, from the model's counts. */
void afxi_params_layout(AfxModel *model);
/** Item `index` of a kind in a block laid out as the model's. */
double *afxi_param(const AfxModel *model, double *block, AfxParamKind kind, uint32_t index);
const double *afxi_param_const(const AfxModel *model, const double *block, AfxParamKind kind, uint32_t index);
/** Whether `values` may stand in item `index` of this kind. */
bool afxi_param_valid(const AfxModel *model, AfxParamKind kind, uint32_t index, const double *values);
/** The tables of a spring on a coordinate, or between points, with the forces that a block has; false: it has none. */
bool afxi_drive_tables(const AfxModel *model, const double *block, uint32_t drive, AfxiSpringTables *out);
bool afxi_spring_tables(const AfxModel *model, const double *block, uint32_t spring, AfxiSpringTables *out);
/** The constants of one body from a parameter block. */
AfxiBodyClass afxi_class_of_params(const AfxModel *model, const double *block, uint32_t body);
/** Interns the classes of all bodies from a parameter block; the table must hold body_count classes. */
void afxi_classes_build(const AfxModel *model, const double *block, AfxiClasses *out);

/** How many items of a kind users see: those of rotors come behind. */
uint32_t afxi_param_shown(const AfxModel *model, AfxParamKind kind);

#endif
