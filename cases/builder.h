/* SPDX-License-Identifier: Apache-2.0 */
/* cases/builder.h: a scene under construction that remembers its first failure, so that a case reads as a list of
 * what is in it. After a failure every call does nothing. */
#ifndef AFXI_CASES_BUILDER_H
#define AFXI_CASES_BUILDER_H

#include "affix/affix.h"

typedef struct AfxiCaseBuilder {
    AfxScene *scene; /* NULL when it could not be made */
    AfxStatus status;
} AfxiCaseBuilder;

/** Starts a scene with def's allocator and log, and this gravity. */
AfxiCaseBuilder afxi_case_begin(const AfxSceneDef *def, AfxVec3 gravity);
AfxBodyId afxi_case_body(AfxiCaseBuilder *builder, const AfxBodyDef *def);
void afxi_case_shape(AfxiCaseBuilder *builder, AfxBodyId body, const AfxShapeDef *def);
void afxi_case_marker(AfxiCaseBuilder *builder, AfxBodyId body, const char *name, AfxVec3 point);
/** Gives the body an angular velocity (body axes) that leaves its centre of mass at rest. Call it after the shapes. */
void afxi_case_spin(AfxiCaseBuilder *builder, AfxBodyId body, AfxVec3 omega);
/** The principal axes of the body in its frame by rising moment of inertia: unit, the largest component positive. */
void afxi_case_principal(AfxiCaseBuilder *builder, AfxBodyId body, double out_moments[3], AfxVec3 out_axes[3]);
/** Hands the scene over, or destroys it after a failure and tells the error. */
AfxStatus afxi_case_end(AfxiCaseBuilder *builder, AfxScene **out_scene, AfxError *out_error);

#endif
