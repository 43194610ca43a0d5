/* SPDX-License-Identifier: Apache-2.0 */
/* What barrier contact cannot do, each by name. */
#include "barrier/refuse.h"

#include <math.h>

#include "base/status.h"
#include "joint/law.h"
#include "model/params.h"

static const char *const compliant = "take contact model compliant";

static AfxStatus check_shapes(const AfxModel *model, AfxError *error) {
    const AfxiContacts *contacts = &model->contacts;
    for (uint32_t k = 0; k < contacts->shape_count; k++) {
        const AfxiContactGeometry *g = &contacts->geometries[contacts->shapes[k].geometry];
        uint32_t body = contacts->shapes[k].body;
        if (g->kind == AFX_SHAPE_ELLIPSOID) {
            return afxi_error_at(error, AFX_E_INPUT, "barrier contact has no ellipsoids",
                                 "give the shape as a convex hull or a mesh, or take contact model compliant",
                                 "contact: shape of body %u", (unsigned)body);
        }
        if (g->frame_count) {
            return afxi_error_at(error, AFX_E_INPUT, "barrier contact has no meshes that change their shape", compliant,
                                 "contact: shape of body %u", (unsigned)body);
        }
        if (g->kind == AFX_SHAPE_PLANE && model->kind[body] == AFX_BODY_KINEMATIC) {
            return afxi_error_at(error, AFX_E_INPUT, "barrier contact has no planes that move",
                                 "give the shape as a box, or take contact model compliant",
                                 "contact: shape of body %u", (unsigned)body);
        }
    }
    return AFX_OK;
}

static AfxStatus check_materials(const AfxModel *model, const double *params, AfxError *error) {
    for (uint32_t k = 0; k < model->param_count[AFX_PARAM_MATERIAL_PAIR]; k++) {
        const double *pair = afxi_param_const(model, params, AFX_PARAM_MATERIAL_PAIR, k);
        const char *text = pair[AFXI_PAIR_ROLLING] > 0 || pair[AFXI_PAIR_TORSIONAL] > 0
                               ? "barrier contact has no rolling or torsional friction"
                           : pair[AFXI_PAIR_MARGIN] > 0 ? "barrier contact has no margins"
                                                        : NULL;
        if (text) {
            return afxi_error_at(error, AFX_E_INPUT, text, "set it to 0, or take contact model compliant",
                                 "contact: pair %u of materials", (unsigned)k);
        }
    }
    return AFX_OK;
}

static AfxStatus check_joints(const AfxModel *model, const double *params, AfxError *error) {
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const double *load = afxi_param_const(model, params, AFX_PARAM_JOINT_BREAK, k);
        if (load[0] > 0 || load[1] > 0) {
            return afxi_error_at(error, AFX_E_INPUT, "barrier contact has no joints that break", compliant,
                                 "contact: joint %u", (unsigned)k);
        }
        if (model->joints[k].rotational_spring != UINT32_MAX) {
            return afxi_error_at(error, AFX_E_INPUT, "barrier contact has no springs of ball joints yet", compliant,
                                 "contact: joint %u", (unsigned)k);
        }
    }
    return AFX_OK;
}

static AfxStatus check_drives(const AfxModel *model, const double *params, AfxError *error) {
    AfxiSpringTables tables;
    for (uint32_t k = 0; k < model->drive_count; k++) {
        const double *numbers = afxi_param_const(model, params, AFX_PARAM_DRIVE, k);
        const char *text = NULL;
        if (model->drives[k].kind == AFX_DRIVE_LIMIT && numbers[AFXI_DRIVE_RESTITUTION] > 0) {
            text = "barrier contact has no limits that bounce yet";
        } else if (afxi_drive_tables(model, params, k, &tables)) {
            text = "barrier contact has no springs with tables yet";
        }
        if (text) {
            return afxi_error_at(error, AFX_E_INPUT, text, compliant, "contact: drive %u", (unsigned)k);
        }
    }
    for (uint32_t k = 0; k < model->spring_count; k++) {
        if (afxi_spring_tables(model, params, k, &tables)) {
            return afxi_error_at(error, AFX_E_INPUT, "barrier contact has no springs with tables yet", compliant,
                                 "contact: spring %u", (unsigned)k);
        }
    }
    return AFX_OK;
}

AfxStatus afxi_barrier_refuse(const AfxModel *model, const double *params, AfxIntegrator integrator, AfxError *error) {
    if (integrator != AFX_BDF1 && integrator != AFX_BDF2) {
        return afxi_error(error, AFX_E_INPUT, "contact", "barrier contact has the integrators bdf1 and bdf2 only",
                          "take one of them, or contact model compliant");
    }
    AfxStatus status = check_shapes(model, error);
    status = status ? status : check_materials(model, params, error);
    status = status ? status : check_joints(model, params, error);
    return status ? status : check_drives(model, params, error);
}

AfxStatus afxi_barrier_refuse_rigid(const AfxModel *model, const AfxSimDef *def) {
    if (def->integrator != AFX_BDF1) {
        return afxi_error(def->error, AFX_E_INPUT, "formulation", "it is defined with implicit Euler",
                          "take the integrator AFX_BDF1 (bdf1)");
    }
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        if (isinf(afxi_class_of_params(model, model->params, model->dynamic[k]).young)) {
            return afxi_error_at(def->error, AFX_E_INPUT, "it needs elastic bodies", "give it a finite Young's modulus",
                                 "formulation: body %u", (unsigned)model->dynamic[k]);
        }
    }
    return AFX_OK;
}
