/* SPDX-License-Identifier: Apache-2.0 */
/* What these integrators cannot do, each by name. They are for smooth motion: nothing that strikes or sticks. The
 * composed ones have sub-steps that go back in time, in which a damper would drive. */
#include "conserve/refuse.h"

#include <math.h>

#include "base/status.h"
#include "joint/law.h"
#include "joint/rotational_spring.h"
#include "model/params.h"

static const char *const other = "take bdf2 or alpha";
static const char *const undamped = "take the integrator conserving, bdf2 or alpha, or remove the damping";

static AfxStatus check_bodies(const AfxModel *model, const double *params, bool composed, AfxError *error) {
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        AfxiBodyClass class = afxi_class_of_params(model, params, model->dynamic[k]);
        if (!isinf(class.young)) {
            return afxi_error_at(error, AFX_E_INPUT, "this integrator has exactly rigid bodies only",
                                 "give an infinite Young's modulus (--rigid), or take bdf2 or alpha",
                                 "integrator: body %u", (unsigned)model->dynamic[k]);
        }
        if (composed && (class.linear_damping > 0 || class.angular_damping > 0)) {
            return afxi_error_at(error, AFX_E_INPUT, "a composed integrator goes back in time: it has no damping",
                                 undamped, "integrator: body %u", (unsigned)model->dynamic[k]);
        }
    }
    return AFX_OK;
}

static AfxStatus check_joints(const AfxModel *model, const double *params, bool composed, AfxError *error) {
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const double *load = afxi_param_const(model, params, AFX_PARAM_JOINT_BREAK, k);
        uint32_t spring = model->joints[k].rotational_spring;
        if (load[0] > 0 || load[1] > 0) {
            return afxi_error_at(error, AFX_E_INPUT, "this integrator has no joints that break", other,
                                 "integrator: joint %u", (unsigned)k);
        }
        const double *numbers =
            spring == UINT32_MAX ? NULL : afxi_param_const(model, params, AFX_PARAM_JOINT_SPRING, spring);
        for (int axis = 0; composed && numbers && axis < 3; axis++) {
            if (numbers[AFXI_ROTATIONAL_SPRING_DAMPING + axis] > 0) {
                return afxi_error_at(error, AFX_E_INPUT, "a composed integrator goes back in time: it has no damping",
                                     undamped, "integrator: spring of joint %u", (unsigned)k);
            }
        }
    }
    return AFX_OK;
}

/* The axis of a body about which it has too little inertia for a point x that it is held at, or -1. */
static int thin_axis(const AfxiBodyClass *class, AfxVec3 x) {
    const double at[3] = {x.x, x.y, x.z};
    double whole = class->s[0] + class->s[1] + class->s[2], square = vec3_dot(x, x);
    for (int k = 0; k < 3; k++) {
        double arm = square - at[k] * at[k];
        if (whole - class->s[k] < AFXI_CONSERVE_INERTIA_LEAST * class->mass * arm) {
            return k;
        }
    }
    return -1;
}

static AfxStatus check_inertia(const AfxModel *model, const double *params, AfxError *error) {
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const AfxiJoint *joint = &model->joints[k];
        const AfxiJointFrame *frame = (const AfxiJointFrame *)model->joint_frames.items + joint->frame;
        const uint32_t ends[2] = {joint->follower, joint->base};
        const AfxVec3 points[2] = {frame->point_a, frame->point_b};
        for (int side = 0; side < 2; side++) {
            uint32_t body = ends[side];
            if (body == AFXI_WORLD || model->kind[body] != AFX_BODY_DYNAMIC) {
                continue;
            }
            AfxiBodyClass class = afxi_class_of_params(model, params, body);
            if (thin_axis(&class, points[side]) >= 0) {
                return afxi_error_at(error, AFX_E_INPUT,
                                     "next to no moment of inertia, and a joint holds it away from its centre of mass",
                                     "give the body its size, or take bdf2 or alpha", "integrator: body %u at joint %u",
                                     (unsigned)body, (unsigned)k);
            }
        }
    }
    return AFX_OK;
}

static const char *const drive_names[] = {
    [AFX_DRIVE_POSITION] = "position", [AFX_DRIVE_VELOCITY] = "velocity", [AFX_DRIVE_FORCE] = "force",
    [AFX_DRIVE_SERVO] = "servo",       [AFX_DRIVE_SPRING] = "spring",     [AFX_DRIVE_LIMIT] = "limit",
    [AFX_DRIVE_FRICTION] = "friction"};

static AfxStatus check_drives(const AfxModel *model, const double *params, bool composed, AfxError *error) {
    for (uint32_t k = 0; k < model->drive_count; k++) {
        const double *numbers = afxi_param_const(model, params, AFX_PARAM_DRIVE, k);
        AfxDriveKind kind = (AfxDriveKind)model->drives[k].kind;
        AfxiSpringTables tables;
        const char *name = drive_names[kind];
        if (kind == AFX_DRIVE_LIMIT || kind == AFX_DRIVE_FRICTION) {
            return afxi_error_at(error, AFX_E_INPUT, "this integrator is for smooth motion: it has no such drive",
                                 "take bdf2 or alpha, or remove the drive", "integrator: drive %u, %s", (unsigned)k,
                                 name);
        }
        if (model->drives[k].axis >= AFX_AXIS_SWING) {
            return afxi_error_at(error, AFX_E_INPUT, "this integrator has no drives on swing, twist or angle",
                                 "take bdf2 or alpha, or the coordinates of the joint", "integrator: drive %u, %s",
                                 (unsigned)k, name);
        }
        bool servo = kind == AFX_DRIVE_SERVO;
        afxi_drive_tables(model, params, k, &tables);
        bool damped = numbers[AFXI_DRIVE_DAMPING] > 0 || tables.damper.count;
        if (composed && (servo || kind == AFX_DRIVE_SPRING) && damped) {
            return afxi_error_at(error, AFX_E_INPUT, "a composed integrator goes back in time: it has no damping",
                                 undamped, "integrator: drive %u, %s", (unsigned)k, name);
        }
        if (composed && servo && isfinite(numbers[AFXI_DRIVE_EFFORT])) {
            return afxi_error_at(error, AFX_E_INPUT, "an effort that is cut off is not smooth enough for its order",
                                 "take the integrator conserving, or an infinite effort", "integrator: drive %u, %s",
                                 (unsigned)k, name);
        }
    }
    return AFX_OK;
}

static AfxStatus check_springs(const AfxModel *model, const double *params, bool composed, AfxError *error) {
    for (uint32_t k = 0; composed && k < model->spring_count; k++) {
        AfxiSpringTables tables;
        afxi_spring_tables(model, params, k, &tables);
        if (afxi_param_const(model, params, AFX_PARAM_SPRING, k)[2] > 0 || tables.damper.count) {
            return afxi_error_at(error, AFX_E_INPUT, "a composed integrator goes back in time: it has no damping",
                                 undamped, "integrator: spring %u", (unsigned)k);
        }
    }
    return AFX_OK;
}

AfxStatus afxi_conserve_refuse(const AfxModel *model, const double *params, AfxIntegrator integrator, AfxError *error) {
    bool composed = integrator != AFX_CONSERVING;
    if (model->contacts.possible) {
        return afxi_error(error, AFX_E_INPUT, "integrator", "this integrator is for smooth motion: it has no contact",
                          "take bdf2 or alpha, or switch contact off");
    }
    AfxStatus status = check_bodies(model, params, composed, error);
    status = status ? status : check_inertia(model, params, error);
    status = status ? status : check_joints(model, params, composed, error);
    status = status ? status : check_drives(model, params, composed, error);
    return status ? status : check_springs(model, params, composed, error);
}
