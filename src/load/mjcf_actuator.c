/* SPDX-License-Identifier: Apache-2.0 */
/* Actuators on joints and fixed tendons as drives that take their target from input. MuJoCo's force is
 *     F = gain u + b0 + b1 L + b2 L',    L = gear q,    u the control,
 * and with dL/dc = G for the scene's coordinate c the force on c is
 *     Q = G (gain u + b0 + b1 L0) - K c - D c',    K = -b1 G^2,  D = -b2 G^2,  L0 the length where c = 0.
 * Without K and D that is a force drive whose input is Q. With K it is a servo whose input is the target of c,
 * G (gain u + b0 + b1 L0) / K; with D alone a servo whose input is the target's rate, G gain u / D. A control of the
 * scene takes u, within its range, to that input. A motor at a site is a wrench. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/mjcf.h"

/* Types of bias and gain; those above are laws that no drive has. */
enum { GAIN_FIXED, GAIN_AFFINE, GAIN_FOREIGN };
enum { BIAS_NONE, BIAS_AFFINE, BIAS_FOREIGN };
/* Of dynamics: none, integrator, filter, filterexact, and what has states of its own. */
enum { DYNAMICS_NONE, DYNAMICS_FILTER = 3 };

/** What a class and the elements in it have said so far. All is kept as MuJoCo keeps it, also what has no meaning as
 * long as a type is as it is; bias[2] above 0 is a damping ratio when gain and bias are those of a position servo. */
typedef struct Law {
    int dynamics, gain_type, bias_type;
    double gain, bias[3];
    double ratio; /* in the end: damping ratio; 0: bias[2] holds */
} Law;

/** Where a force acts: L = gear * c + offset. */
typedef struct Target {
    AfxJointId joint;
    AfxCouplingId coupling;
    uint32_t axis;
    double gear, offset, inertia, force_most;
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

/* ---- the law ---- */

/** A node's own attribute, without those of its class. */
static bool own_numbers(AfxiMjcf *m, AfxiXmlNode *node, const char *name, uint32_t most, double *values) {
    AfxiXmlNode *kept = node->fallback;
    node->fallback = NULL;
    bool good = afxi_xml_numbers(m->load, node, name, 1, most, values, NULL);
    node->fallback = kept;
    return good;
}

static bool own_word(AfxiMjcf *m, AfxiXmlNode *node, const char *name, const char *const *words, int *value) {
    AfxiXmlNode *kept = node->fallback;
    node->fallback = NULL;
    bool good = afxi_xml_word(m->load, node, name, words, value);
    node->fallback = kept;
    return good;
}

static bool apply_general(AfxiMjcf *m, AfxiXmlNode *node, Law *law) {
    static const char *const dynamics[] = {"none",    "integrator", "filter", "filterexact", "muscle",
                                           "dcmotor", "pid",        "user",   NULL};
    static const char *const gains[] = {"fixed", "affine", "muscle", "dcmotor", "so3", "pid", "user", NULL};
    static const char *const biases[] = {"none", "affine", "muscle", "dcmotor", "so3", "user", NULL};
    double gains_given[10] = {law->gain}, bias_given[10] = {law->bias[0], law->bias[1], law->bias[2]};
    if (!own_word(m, node, "dyntype", dynamics, &law->dynamics) ||
        !own_word(m, node, "gaintype", gains, &law->gain_type) ||
        !own_word(m, node, "biastype", biases, &law->bias_type) || !own_numbers(m, node, "gainprm", 10, gains_given) ||
        !own_numbers(m, node, "biasprm", 10, bias_given)) {
        return false;
    }
    law->gain = gains_given[0];
    memcpy(law->bias, bias_given, sizeof law->bias);
    return true;
}

static bool apply_position(AfxiMjcf *m, AfxiXmlNode *node, Law *law) {
    double damping = NAN, ratio = NAN, time = NAN; /* absent */
    if (!own_numbers(m, node, "kp", 1, &law->gain) || !own_numbers(m, node, "kv", 1, &damping) ||
        !own_numbers(m, node, "dampratio", 1, &ratio) || !own_numbers(m, node, "timeconst", 1, &time)) {
        return false;
    }
    if (!isnan(damping) && !isnan(ratio)) {
        return afxi_xml_error(m->load, node, "dampratio", "it has both a kv and a damping ratio", "give one of them");
    }
    if (damping < 0 || ratio < 0) {
        return afxi_xml_error(m->load, node, damping < 0 ? "kv" : "dampratio", "it is negative", "give 0 or more");
    }
    afxi_xml_text(node, "inheritrange");
    law->gain_type = GAIN_FIXED;
    law->bias_type = BIAS_AFFINE;
    law->bias[1] = -law->gain;
    law->bias[2] = !isnan(damping) ? -damping : !isnan(ratio) ? ratio : law->bias[2];
    law->dynamics = isnan(time) ? law->dynamics : time > 0 ? DYNAMICS_FILTER : DYNAMICS_NONE;
    return true;
}

static bool apply_velocity(AfxiMjcf *m, AfxiXmlNode *node, Law *law) {
    if (!own_numbers(m, node, "kv", 1, &law->gain)) {
        return false;
    }
    *law = (Law){.gain = law->gain, .bias_type = BIAS_AFFINE, .bias = {0, 0, -law->gain}};
    return true;
}

/** What a class says is applied before what the element says. */
static bool read_law(AfxiMjcf *m, AfxiXmlNode *node, uint32_t depth, Law *law) {
    if (depth > m->depth_most) {
        return afxi_xml_error(m->load, node, NULL, "classes are nested too deeply", "check the file");
    }
    if (node->fallback && !read_law(m, node->fallback, depth + 1, law)) {
        return false;
    }
    if (afxi_xml_is(node, "general")) {
        return apply_general(m, node, law);
    }
    if (afxi_xml_is(node, "position")) {
        return apply_position(m, node, law);
    }
    if (afxi_xml_is(node, "velocity")) {
        return apply_velocity(m, node, law);
    }
    *law = (Law){.gain = 1};
    if (!afxi_xml_is(node, "motor")) {
        law->gain_type = GAIN_FOREIGN;
        law->bias_type = BIAS_FOREIGN;
    }
    return true;
}

/** What the numbers mean once all are known. */
static void settle_law(Law *law) {
    bool servo = law->gain_type == GAIN_FIXED && law->bias_type == BIAS_AFFINE && law->bias[1] == -law->gain;
    if (law->bias_type == BIAS_NONE) {
        memset(law->bias, 0, sizeof law->bias);
    } else if (servo && law->bias[2] > 0) {
        law->ratio = law->bias[2];
        law->bias[2] = 0;
    }
}

/* ---- the target ---- */

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
        *out = (Target){j->id,      {UINT32_MAX, 0}, j->axis, gear[0] * j->sign, gear[0] * j->offset,
                        j->inertia, j->force_most};
    } else if (m->tendons[index].usable) {
        AfxiMjcfTendon *t = m->tendons + index;
        if (!afxi_mjcf_tendon_coordinate(m, t)) {
            return false;
        }
        *out_there = true;
        *out = (Target){t->id, t->coupling, t->axis, gear[0] * t->gear, gear[0] * t->offset, t->inertia, INFINITY};
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

/** The range of the control. That of a force drive bounds its effort too, for those who set its input themselves. */
static bool limit_control(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxControlDef *control,
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

static bool add_drive(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const Law *law,
                      const Target *target) {
    double g = target->gear, damping = -law->bias[2];
    if (law->ratio > 0) {
        damping = 2 * law->ratio * sqrt(law->gain * target->inertia) / fabs(g);
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
    control.gain = g * law->gain / divisor;
    control.offset = constant / divisor;
    if (!limit_force(m, scope, node, target, &drive) || !limit_control(m, scope, node, &control, &drive)) {
        return false;
    }
    if (!(drive.effort > 0)) {
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL, "it cannot give any force");
    }
    const char *name = afxi_mjcf_name(m, scope, afxi_xml_text(node, "name"));
    if (!name || !afxi_mjcf_add_drive(m, node, &drive, name, NULL)) {
        return false;
    }
    control.name = name[0] ? name : NULL;
    control.drive = afx_scene_drive(m->load->scene, afx_scene_drive_count(m->load->scene) - 1);
    return afxi_mjcf_add_control(m, node, &control);
}

/* ---- forces at sites ---- */

/** A motor at a site: a wrench along the axes of the site, with the gear as its components. */
static bool add_thrust(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const Law *law, uint32_t site) {
    const AfxiMjcfSite *at = m->sites + site;
    AfxWrenchDef wrench = afx_default_wrench();
    AfxControlDef control = afx_default_control();
    AfxPose frame = at->pose;
    double gear[6] = {1, 0, 0, 0, 0, 0}, range[2];
    bool limited;
    const char *name = afxi_mjcf_name(m, scope, afxi_xml_text(node, "name"));
    wrench.body = afxi_mjcf_end(m, at->body, &frame);
    if (!name || !afxi_xml_numbers(m->load, node, "gear", 1, 6, gear, NULL) ||
        !limit_control(m, scope, node, &control, NULL) ||
        !afxi_mjcf_limits(m, scope->model, node, "forcelimited", "forcerange", range, &limited)) {
        return false;
    }
    if (wrench.body.index == UINT32_MAX) {
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL, "its site does not move");
    }
    wrench.frame = AFX_FRAME_BODY;
    wrench.point = frame.position;
    vec3_store(control.direction, afx_quat_rotate(frame.rotation, vec3_load(gear)));
    vec3_store(control.direction + 3, afx_quat_rotate(frame.rotation, vec3_load(gear + 3)));
    control.gain = law->gain;
    control.name = name[0] ? name : NULL;
    if (limited && law->gain != 0) {
        double a = range[0] / law->gain, b = range[1] / law->gain;
        control.lower = fmax(control.lower, fmin(a, b));
        control.upper = fmin(control.upper, fmax(a, b));
    }
    if (!(control.lower <= control.upper)) {
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL, "it cannot give any force");
    }
    if (afx_scene_add_wrench(m->load->scene, &wrench, &control.wrench) != AFX_OK) {
        return afxi_mjcf_scene_error(m, node);
    }
    return afxi_mjcf_add_control(m, node, &control);
}

/** Motors at sites; *out_done is false for what is none. */
static bool read_thrust(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const Law *law, bool *out_done) {
    const char *site = afxi_xml_text(node, "site");
    bool plain = law->gain_type == GAIN_FIXED && law->bias[0] == 0 && law->bias[1] == 0 && law->bias[2] == 0 &&
                 law->bias_type < BIAS_FOREIGN && law->dynamics <= DYNAMICS_FILTER;
    *out_done = site && plain && !afxi_xml_text(node, "refsite");
    if (!*out_done) {
        return true;
    }
    uint32_t index = afxi_mjcf_lookup(scope, &m->site_names, site);
    if (index == AFXI_MJCF_NONE) {
        return afxi_xml_error(m->load, node, "site", "there is no site of this name", "check the spelling");
    }
    return add_thrust(m, scope, node, law, index);
}

/** What acts on a joint or tendon. */
static bool read_drive(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const Law *law) {
    Target target = {0};
    bool there = false;
    if (!find_target(m, scope, node, &target, &there)) {
        return false;
    }
    bool foreign = law->gain_type != GAIN_FIXED || law->bias_type >= BIAS_FOREIGN || law->dynamics > DYNAMICS_FILTER;
    if (!there || foreign) {
        return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, NULL,
                               there ? "no drive has its law of force"
                                     : "a drive acts on a hinge, a slide or a sum of them, a wrench at a site");
    }
    return add_drive(m, scope, node, law, &target);
}

static bool read_actuator(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node) {
    Law law = {.gain = 1};
    bool done = false;
    if (!afxi_mjcf_use_class(m, scope, node, AFXI_MJCF_ACTUATORS) || !read_law(m, node, 0, &law)) {
        return false;
    }
    settle_law(&law);
    if (!m->on.actuation) {
        return true;
    }
    if (law.dynamics != DYNAMICS_NONE && law.dynamics <= DYNAMICS_FILTER &&
        !afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, node, NULL,
                         "its activation is left out: the input acts at once")) {
        return false;
    }
    return read_thrust(m, scope, node, &law, &done) && (done || read_drive(m, scope, node, &law));
}

static bool read(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node) {
    static const char *const kinds[] = {"general", "motor", "position", "velocity"};
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
