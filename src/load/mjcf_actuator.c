/* SPDX-License-Identifier: Apache-2.0 */
/* Actuators on joints and fixed tendons as drives that take their target from input. MuJoCo's force is
 *     F = gain u + b0 + b1 L + b2 L',    L = gear q,    u the control or its activation,
 * and with dL/dc = G for the scene's coordinate c the force on c is
 *     Q = G (gain u + b0 + b1 L0) - K c - D c',    K = -b1 G^2,  D = -b2 G^2,  L0 the length where c = 0.
 * Without K and D that is a force drive whose input is Q. With K it is a servo whose input is the target of c,
 * G (gain u + b0 + b1 L0) / K; with D alone a servo whose input is the target's rate, G gain u / D. A control of the
 * scene takes u, within its range, to that input. A motor at a site is a wrench, what acts on a body adheres. A damper,
 * F = -kv u L', is a servo without stiffness whose damping the control leads. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/mjcf.h"

/** Where a force acts: L = gear * c + offset. */
typedef struct Target {
    AfxJointId joint;
    AfxCouplingId coupling;
    uint32_t axis;
    double gear, offset, inertia, force_most;
    double length[2];    /* of its range; 0, 0 where there is none */
    double acceleration; /* by a unit force; 0: not known */
} Target;

static bool known(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node) {
    const struct {
        const char *attribute;
        const AfxiNames *names;
    } references[] = {
        {"joint", &m->joint_names},     {"jointinparent", &m->joint_names}, {"tendon", &m->tendon_names},
        {"site", &m->site_names},       {"refsite", &m->site_names},        {"cranksite", &m->site_names},
        {"slidersite", &m->site_names}, {"body", &m->body_names},
    };
    for (size_t k = 0; k < sizeof references / sizeof references[0]; k++) {
        bool own = false;
        for (uint32_t a = 0; a < node->attribute_count; a++) {
            own = own || strcmp(node->attributes[a].name, references[k].attribute) == 0;
        }
        if (own && afxi_mjcf_lookup(scope, references[k].names, afxi_xml_text(node, references[k].attribute)) ==
                       AFXI_MJCF_NONE) {
            return false;
        }
    }
    return true;
}

/* ---- the target ---- */

/** The coordinate of a joint, times a gear. */
static Target joint_target(const AfxiMjcfJoint *j, double gear, double sign, double offset) {
    double a = j->limited ? gear * j->lower : 0, b = j->limited ? gear * j->upper : 0;
    return (Target){j->id,
                    {UINT32_MAX, 0},
                    j->axis,
                    gear * sign,
                    gear * offset,
                    j->inertia,
                    INFINITY,
                    {fmin(a, b), fmax(a, b)},
                    fabs(gear) * j->acceleration};
}

/** *out_there is false for what no drive can act on. */
static bool find_target(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, Target *out, bool *out_there) {
    const char *joint = afxi_xml_text(node, "joint"), *tendon = afxi_xml_text(node, "tendon");
    joint = joint ? joint : afxi_xml_text(node, "jointinparent");
    double gear[6] = {1, 0, 0, 0, 0, 0};
    *out_there = false;
    if (!afxi_xml_numbers(m->load, node, "gear", 1, 6, gear, NULL) || (!joint && !tendon)) {
        return m->load->error.status == AFX_OK;
    }
    uint32_t index = afxi_mjcf_lookup(scope, joint ? &m->joint_names : &m->tendon_names, joint ? joint : tendon);
    if (index == AFXI_MJCF_NONE) {
        return afxi_xml_error(m->load, node, joint ? "joint" : "tendon", "there is nothing of this name",
                              "check the spelling");
    }
    if (joint) {
        const AfxiMjcfJoint *j = m->joints + index;
        *out_there = j->made && (j->type == AFXI_MJCF_HINGE || j->type == AFXI_MJCF_SLIDE);
        *out = joint_target(j, gear[0], j->sign, j->offset);
        out->force_most = j->force_most;
    } else if (m->tendons[index].usable) {
        AfxiMjcfTendon *t = m->tendons + index;
        if (!afxi_mjcf_tendon_coordinate(m, t)) {
            return false;
        }
        *out_there = true;
        bool one = t->count == 1 && !t->item_count;
        *out = one ? joint_target(m->joints + t->joint[0], gear[0] * t->factor[0], 1, 0) : (Target){0};
        if (!one && (!afxi_mjcf_response(m, t, &out->acceleration) ||
                     (t->item_count && !afxi_mjcf_path_range(m, t, out->length)))) {
            return false;
        }
        if (!one) {
            double a = gear[0] * out->length[0], b = gear[0] * out->length[1];
            out->acceleration *= fabs(gear[0]);
            out->length[0] = fmin(a, b);
            out->length[1] = fmax(a, b);
        }
        *out = (Target){t->id,
                        t->coupling,
                        t->axis,
                        gear[0] * t->gear,
                        gear[0] * t->offset,
                        t->inertia,
                        INFINITY,
                        {out->length[0], out->length[1]},
                        out->acceleration};
    }
    *out_there = *out_there && gear[0] != 0;
    return true;
}

/* ---- the drive ---- */

static bool limit_force(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const Target *target,
                        AfxDriveDef *drive) {
    double range[2];
    bool limited;
    if (!afxi_mjcf_limits(m, scope->model, node, "forcelimited", "forcerange", range, &limited)) {
        return false;
    }
    drive->effort = target->force_most;
    if (limited) {
        drive->effort = fmin(drive->effort, fabs(target->gear) * fmax(fabs(range[0]), fabs(range[1])));
    }
    return !limited || range[0] == -range[1] ||
           afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, node, "forcerange", "the larger bound holds either way");
}

bool afxi_mjcf_limit_control(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxControlDef *control,
                             AfxDriveDef *drive) {
    double range[2];
    bool limited;
    if (!afxi_mjcf_limits(m, scope->model, node, "ctrllimited", "ctrlrange", range, &limited) || !limited) {
        return m->load->error.status == AFX_OK;
    }
    control->lower = range[0];
    control->upper = range[1];
    if (drive && drive->kind == AFX_DRIVE_FORCE && range[0] == -range[1] && control->gain != 0) {
        drive->effort = fmin(drive->effort, fabs(control->gain) * range[1]);
    }
    return true;
}

/** A drive that takes input and the control that gives it. */
static bool add_both(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const Target *target,
                     const AfxDriveDef *drive, AfxControlDef *control) {
    if (!(drive->effort > 0)) {
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL, "it cannot give any force");
    }
    const char *name = afxi_mjcf_name(m, scope, afxi_xml_text(node, "name"));
    AfxDriveDef own = *drive;
    if (!name || !afxi_mjcf_add_drive(m, node, &own, name, NULL)) {
        return false;
    }
    control->gear = target->gear;
    control->length = target->offset;
    control->name = name[0] ? name : NULL;
    control->drive = afx_scene_drive(m->load->scene, afx_scene_drive_count(m->load->scene) - 1);
    return afxi_mjcf_add_control(m, node, control);
}

static bool add_drive(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const AfxiMjcfLaw *law,
                      const Target *target) {
    double g = target->gear, damping = -law->bias[2];
    if (law->ratio > 0) {
        damping = 2 * law->ratio * sqrt(law->gain[0] * target->inertia) / fabs(g);
    }
    double stiffness = -law->bias[1] * g * g, constant = g * (law->bias[0] + law->bias[1] * target->offset);
    damping *= g * g;
    if (stiffness < 0 || damping < 0) {
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL, "its force grows with what it causes");
    }
    bool servo = stiffness > 0 || damping > 0;
    AfxDriveDef drive = afx_default_drive(servo ? AFX_DRIVE_SERVO : AFX_DRIVE_FORCE);
    drive.joint = target->joint;
    drive.coupling = target->coupling;
    drive.axis = target->axis;
    drive.from_input = true;
    drive.stiffness = stiffness;
    drive.damping = damping;
    double divisor = stiffness > 0 ? stiffness : damping > 0 ? damping : 1;
    AfxControlDef control = afx_default_control();
    control.gain = g * law->gain[0] / divisor;
    control.offset = constant / divisor;
    if (!afxi_mjcf_activate(m, scope, node, law, &control.activation) || !limit_force(m, scope, node, target, &drive) ||
        !afxi_mjcf_limit_control(m, scope, node, &control,
                                 control.activation.kind == AFX_ACTIVATION_NONE ? &drive : NULL)) {
        return false;
    }
    return add_both(m, scope, node, target, &drive, &control);
}

/** A muscle along the length; its peak force is given, or `scale` over the acceleration that a unit force gives. */
static bool add_muscle(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const AfxiMjcfLaw *law,
                       const Target *target) {
    const double *g = law->gain;
    AfxDriveDef drive = afx_default_drive(AFX_DRIVE_FORCE);
    AfxControlDef control = afx_default_control();
    double range[2] = {target->length[0], target->length[1]};
    uint32_t count;
    drive.joint = target->joint;
    drive.coupling = target->coupling;
    drive.axis = target->axis;
    drive.from_input = true;
    if (!afxi_mjcf_activate(m, scope, node, law, &control.activation) || !limit_force(m, scope, node, target, &drive) ||
        !afxi_mjcf_limit_control(m, scope, node, &control, NULL) ||
        !afxi_xml_numbers(m->load, node, "lengthrange", 2, 2, range, &count)) {
        return false;
    }
    double force = g[2] >= 0 ? g[2] : target->acceleration > 0 ? g[3] / target->acceleration : 0;
    if (!(force > 0) || !(range[0] < range[1])) {
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL,
                               force > 0 ? "its range of lengths is not known: give lengthrange, or limits to its joint"
                                         : "its peak force is not known: give force");
    }
    control.muscle = (AfxMuscle){
        force, target->gear, target->offset, {range[0], range[1]}, {g[0], g[1]}, g[4], g[5], g[6], g[7], g[8]};
    return add_both(m, scope, node, target, &drive, &control);
}

/** A damper along the length. */
static bool add_damper(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const AfxiMjcfLaw *law,
                       const Target *target) {
    AfxDriveDef drive = afx_default_drive(AFX_DRIVE_SERVO);
    AfxControlDef control = afx_default_control();
    drive.joint = target->joint;
    drive.coupling = target->coupling;
    drive.axis = target->axis;
    drive.from_input = true;
    drive.damping = control.damping = -law->gain[2] * target->gear * target->gear;
    if (!afxi_mjcf_activate(m, scope, node, law, &control.activation) || !limit_force(m, scope, node, target, &drive) ||
        !afxi_mjcf_limit_control(m, scope, node, &control, NULL)) {
        return false;
    }
    return add_both(m, scope, node, target, &drive, &control);
}

/** What acts on a joint or tendon. */
static bool read_drive(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const AfxiMjcfLaw *law) {
    Target target = {0};
    bool there = false;
    if (!find_target(m, scope, node, &target, &there)) {
        return false;
    }
    bool linear = afxi_mjcf_law_is_linear(law), muscle = afxi_mjcf_law_is_muscle(law),
         damper = afxi_mjcf_law_is_damper(law);
    if (!there || !(linear || muscle || damper)) {
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL,
                               there ? "no drive has its law of force"
                                     : "a drive acts on a hinge, a slide or a sum of them, a wrench at a site");
    }
    return muscle   ? add_muscle(m, scope, node, law, &target)
           : damper ? add_damper(m, scope, node, law, &target)
                    : add_drive(m, scope, node, law, &target);
}

static bool read_actuator(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node) {
    AfxiMjcfLaw law;
    bool done = false;
    if (!afxi_mjcf_use_class(m, scope, node, AFXI_MJCF_ACTUATORS) || !afxi_mjcf_read_law(m, node, &law)) {
        return false;
    }
    if (!m->on.actuation) {
        return true;
    }
    if (afxi_xml_has(node, "body")) {
        return afxi_mjcf_add_adhesion(m, scope, node, &law);
    }
    return afxi_mjcf_read_thrust(m, scope, node, &law, &done) && (done || read_drive(m, scope, node, &law));
}

static bool read(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node) {
    static const char *const kinds[] = {"general",  "motor",  "position", "velocity", "intvelocity",
                                        "cylinder", "muscle", "damper",   "adhesion"};
    bool there = false;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        there = there || afxi_xml_is(node, kinds[k]);
    }
    bool good = !there || read_actuator(m, scope, node); /* others are told at the end */
    m->actuator_count++;
    return good;
}

bool afxi_mjcf_add_actuators(AfxiMjcf *m) {
    const AfxiMjcfReader reader = {"actuator", known, read};
    return afxi_mjcf_each(m, &reader);
}
