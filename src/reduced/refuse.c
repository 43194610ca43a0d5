/* SPDX-License-Identifier: Apache-2.0 */
/* Joint coordinates are for rigid bodies; an explicit method besides for what does not touch, strike or stick. */
#include "reduced/refuse.h"

#include <math.h>

#include "base/status.h"
#include "joint/law.h"
#include "joint/rotational_spring.h"
#include "model/params.h"

static AfxStatus check_bodies(const AfxModel *model, const double *params, AfxError *error) {
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        AfxiBodyClass class = afxi_class_of_params(model, params, model->dynamic[k]);
        if (!isinf(class.young)) {
            return afxi_error_at(error, AFX_E_INPUT, "joint coordinates have exactly rigid bodies only",
                                 "give an infinite Young's modulus (--rigid), or take the formulation affix",
                                 "formulation reduced: body %u", (unsigned)model->dynamic[k]);
        }
    }
    return AFX_OK;
}

static AfxStatus check_joints(const AfxModel *model, const double *params, AfxError *error) {
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const double *load = afxi_param_const(model, params, AFX_PARAM_JOINT_BREAK, k);
        if (load[0] > 0 || load[1] > 0) {
            return afxi_error_at(error, AFX_E_INPUT, "joint coordinates have no joints that break",
                                 "take the formulation affix, or remove the breaking load",
                                 "formulation reduced: joint %u", (unsigned)k);
        }
    }
    return AFX_OK;
}

/* Runge-Kutta and what keeps energy have no step for what strikes or sticks. */
static bool is_smooth(AfxIntegrator integrator) {
    return integrator == AFX_RK4 || integrator == AFX_CONSERVING;
}

static const char *smooth_name(AfxIntegrator integrator) {
    return integrator == AFX_RK4 ? "rk4" : "conserving";
}

/* A spring without damper is all that neither gives nor takes energy. */
static bool keeps_energy(const AfxModel *model, const double *params, AfxDriveKind kind, uint32_t drive) {
    AfxiSpringTables tables;
    afxi_drive_tables(model, params, drive, &tables);
    return kind == AFX_DRIVE_SPRING && !tables.damper.count &&
           !(afxi_param_const(model, params, AFX_PARAM_DRIVE, drive)[AFXI_DRIVE_DAMPING] > 0);
}

static const char *const losses =
    "in joint coordinates, this integrator keeps energy: what gives or takes some is none "
    "of its own";

/* Media, dampers of springs, bodies that move as told. */
static AfxStatus check_losses(const AfxModel *model, const double *params, AfxError *error) {
    static const char *const cure = "take the integrator gauss2";
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        AfxiBodyClass class = afxi_class_of_params(model, params, model->dynamic[k]);
        if (class.linear_damping > 0 || class.angular_damping > 0) {
            return afxi_error_at(error, AFX_E_INPUT, losses, cure, "integrator conserving: medium of body %u",
                                 (unsigned)model->dynamic[k]);
        }
    }
    for (uint32_t k = 0; k < model->spring_count; k++) {
        AfxiSpringTables tables;
        afxi_spring_tables(model, params, k, &tables);
        if (afxi_param_const(model, params, AFX_PARAM_SPRING, k)[2] > 0 || tables.damper.count) {
            return afxi_error_at(error, AFX_E_INPUT, losses, cure, "integrator conserving: damper of spring %u",
                                 (unsigned)k);
        }
    }
    for (uint32_t k = 0; k < model->rotational_spring_count; k++) {
        uint32_t joint = model->rotational_spring_joint[k];
        const double *numbers =
            afxi_param_const(model, params, AFX_PARAM_JOINT_SPRING, model->joints[joint].rotational_spring);
        for (int axis = 0; axis < 3; axis++) {
            if (numbers[AFXI_ROTATIONAL_SPRING_DAMPING + axis] > 0) {
                return afxi_error_at(error, AFX_E_INPUT, losses, cure, "integrator conserving: spring of joint %u",
                                     (unsigned)joint);
            }
        }
    }
    if (model->kinematic_count) {
        return afxi_error_at(error, AFX_E_INPUT, losses, cure, "integrator conserving: body %u moves as told",
                             (unsigned)model->kinematic[0].body);
    }
    return AFX_OK;
}

static AfxStatus check_drives(const AfxModel *model, const double *params, AfxIntegrator integrator, AfxError *error) {
    static const char *const names[] = {
        [AFX_DRIVE_POSITION] = "position", [AFX_DRIVE_VELOCITY] = "velocity", [AFX_DRIVE_FORCE] = "force",
        [AFX_DRIVE_SERVO] = "servo",       [AFX_DRIVE_SPRING] = "spring",     [AFX_DRIVE_LIMIT] = "limit",
        [AFX_DRIVE_FRICTION] = "friction"};
    for (uint32_t k = 0; k < model->drive_count; k++) {
        AfxDriveKind kind = (AfxDriveKind)model->drives[k].kind;
        const double *numbers = afxi_param_const(model, params, AFX_PARAM_DRIVE, k);
        if (is_smooth(integrator) && (kind == AFX_DRIVE_LIMIT || kind == AFX_DRIVE_FRICTION)) {
            return afxi_error_at(error, AFX_E_INPUT, "this integrator is for smooth motion: it has no such drive",
                                 "take the integrator auto, gauss2 or bdf2, or remove the drive",
                                 "integrator %s: drive %u, %s", smooth_name(integrator), (unsigned)k, names[kind]);
        }
        if (integrator == AFX_CONSERVING && !keeps_energy(model, params, kind, k)) {
            return afxi_error_at(error, AFX_E_INPUT, losses,
                                 "take the integrator gauss2, or remove the drive or its damping",
                                 "integrator conserving: drive %u, %s", (unsigned)k, names[kind]);
        }
        if (kind == AFX_DRIVE_FRICTION && numbers[AFXI_DRIVE_COEFFICIENT] * numbers[AFXI_DRIVE_RADIUS] > 0) {
            return afxi_error_at(error, AFX_E_INPUT, "joint coordinates have no friction by the joint's load",
                                 "give an effort instead of coefficient and radius, or take the formulation affix",
                                 "formulation reduced: drive %u, friction", (unsigned)k);
        }
    }
    return AFX_OK;
}

AfxStatus afxi_reduced_refuse_rows(const AfxiReduced *work, AfxError *error) {
    for (uint32_t k = 0; k < work->held_count; k++) {
        if (work->held[k].dof == AFXI_TREE_NONE) {
            return afxi_error_at(
                error, AFX_E_INPUT,
                "limits and friction act on coordinates of the tree: not on joints that close loops, or on balls",
                "take the formulation affix, or write the joint before the one that closes its loop",
                "formulation reduced: drive %u", (unsigned)work->held[k].index);
        }
    }
    return AFX_OK;
}

static AfxStatus check_contact(const AfxModel *model, AfxIntegrator integrator, AfxError *error) {
    if (model->contacts.possible && is_smooth(integrator)) {
        return afxi_error_at(error, AFX_E_INPUT, "this integrator is for smooth motion: it has no contact",
                             "take the integrator auto, gauss2 or bdf2, or switch contact off", "integrator %s",
                             smooth_name(integrator));
    }
    return AFX_OK;
}

AfxStatus afxi_reduced_refuse_wheels(const AfxiReduced *work, AfxError *error) {
    const AfxiContacts *contacts = &work->model->contacts;
    for (uint32_t k = 0; contacts->possible && k < contacts->shape_count; k++) {
        for (uint32_t w = 0; w < work->tree.flywheel_count; w++) {
            if (contacts->shapes[k].body == work->tree.flywheel[w].body) {
                return afxi_error_at(error, AFX_E_INPUT, "bodies that only a coupling moves cannot touch anything here",
                                     "make its shapes visual, or take the formulation affix",
                                     "formulation reduced: body %u", (unsigned)contacts->shapes[k].body);
            }
        }
    }
    return AFX_OK;
}

AfxStatus afxi_reduced_refuse(const AfxModel *model, const double *params, AfxIntegrator integrator, AfxError *error) {
    static const bool there[AFX_INTEGRATOR_COUNT] = {
        [AFX_RK4] = true,  [AFX_AUTO] = true,  [AFX_GAUSS2] = true,    [AFX_BDF2] = true,
        [AFX_BDF1] = true, [AFX_ALPHA] = true, [AFX_CONSERVING] = true};
    if (!there[integrator]) {
        return afxi_error(error, AFX_E_INPUT, "formulation reduced",
                          "this integrator is not there in joint coordinates",
                          "take the integrator auto, rk4, gauss2, bdf2, bdf1, alpha or conserving, or the formulation "
                          "affix");
    }
    AfxStatus status = check_contact(model, integrator, error);
    status = status ? status : check_bodies(model, params, error);
    status = status ? status : check_joints(model, params, error);
    status = status || integrator != AFX_CONSERVING ? status : check_losses(model, params, error);
    return status ? status : check_drives(model, params, integrator, error);
}
