/* SPDX-License-Identifier: Apache-2.0 */
/* The law of an actuator, from the elements of its classes and its own: F = gain a + b0 + b1 L + b2 L', with the
 * activation a, or that of a muscle. */
#include <math.h>
#include <string.h>

#include "load/mjcf.h"

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

static bool apply_general(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfLaw *law) {
    static const char *const dynamics[] = {"none",    "integrator", "filter", "filterexact", "muscle",
                                           "dcmotor", "pid",        "user",   NULL};
    static const char *const gains[] = {"fixed", "muscle", "affine", "dcmotor", "so3", "pid", "user", NULL};
    static const char *const biases[] = {"none", "affine", "muscle", "dcmotor", "so3", "user", NULL};
    return own_word(m, node, "dyntype", dynamics, &law->dynamics) &&
           own_word(m, node, "gaintype", gains, &law->gain_type) &&
           own_word(m, node, "biastype", biases, &law->bias_type) && own_numbers(m, node, "gainprm", 10, law->gain) &&
           own_numbers(m, node, "biasprm", 10, law->bias) && own_numbers(m, node, "dynprm", 10, law->time);
}

static bool apply_position(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfLaw *law) {
    double damping = NAN, ratio = NAN, time = NAN; /* absent */
    if (!own_numbers(m, node, "kp", 1, law->gain) || !own_numbers(m, node, "kv", 1, &damping) ||
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
    law->gain_type = AFXI_MJCF_GAIN_FIXED;
    law->bias_type = AFXI_MJCF_BIAS_AFFINE;
    law->bias[1] = -law->gain[0];
    law->bias[2] = !isnan(damping) ? -damping : !isnan(ratio) ? ratio : law->bias[2];
    if (afxi_xml_is(node, "intvelocity")) {
        law->dynamics = AFX_ACTIVATION_INTEGRATOR;
    } else if (!isnan(time)) {
        law->dynamics = time > 0 ? AFX_ACTIVATION_FILTER_EXACT : AFX_ACTIVATION_NONE;
        law->time[0] = time;
    }
    return true;
}

static bool apply_velocity(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfLaw *law) {
    if (!own_numbers(m, node, "kv", 1, law->gain)) {
        return false;
    }
    *law = (AfxiMjcfLaw){
        .gain = {law->gain[0]}, .bias_type = AFXI_MJCF_BIAS_AFFINE, .bias = {0, 0, -law->gain[0]}, .time = {1}};
    return true;
}

static bool apply_cylinder(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfLaw *law) {
    double diameter = NAN;
    if (!own_numbers(m, node, "area", 1, law->gain) || !own_numbers(m, node, "diameter", 1, &diameter) ||
        !own_numbers(m, node, "bias", 3, law->bias) || !own_numbers(m, node, "timeconst", 1, law->time)) {
        return false;
    }
    law->gain[0] = isnan(diameter) ? law->gain[0] : 0.25 * 3.14159265358979323846 * diameter * diameter;
    law->gain_type = AFXI_MJCF_GAIN_FIXED;
    law->bias_type = AFXI_MJCF_BIAS_AFFINE;
    law->dynamics = AFX_ACTIVATION_FILTER;
    return true;
}

static bool apply_muscle(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfLaw *law) {
    static const char *const names[] = {"force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"};
    static const double plain[] = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2};
    if (law->gain_type != AFXI_MJCF_GAIN_MUSCLE) { /* what a class of another type had is forgotten */
        *law = (AfxiMjcfLaw){.time = {0.01, 0.04, 0}};
        memcpy(law->gain, plain, sizeof plain);
    }
    law->dynamics = AFX_ACTIVATION_MUSCLE;
    law->gain_type = AFXI_MJCF_GAIN_MUSCLE;
    law->bias_type = AFXI_MJCF_BIAS_MUSCLE;
    bool good = own_numbers(m, node, "timeconst", 2, law->time) &&
                own_numbers(m, node, "tausmooth", 1, law->time + 2) && own_numbers(m, node, "range", 2, law->gain);
    for (size_t k = 0; good && k < sizeof names / sizeof names[0]; k++) {
        good = own_numbers(m, node, names[k], 1, law->gain + 2 + k);
    }
    memcpy(law->bias, law->gain, sizeof law->bias);
    return good;
}

/** A damper whose coefficient is kv times the control. */
static bool apply_damper(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfLaw *law) {
    double kv = law->gain_type == AFXI_MJCF_GAIN_AFFINE ? -law->gain[2] : 1;
    if (!own_numbers(m, node, "kv", 1, &kv)) {
        return false;
    }
    *law = (AfxiMjcfLaw){.gain_type = AFXI_MJCF_GAIN_AFFINE, .gain = {0, 0, -kv}, .time = {1}};
    return kv >= 0 || afxi_xml_error(m->load, node, "kv", "it is negative", "give 0 or more");
}

static bool apply(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfLaw *law) {
    if (afxi_xml_is(node, "general")) {
        return apply_general(m, node, law);
    }
    if (afxi_xml_is(node, "position") || afxi_xml_is(node, "intvelocity")) {
        return apply_position(m, node, law);
    }
    if (afxi_xml_is(node, "velocity")) {
        return apply_velocity(m, node, law);
    }
    if (afxi_xml_is(node, "cylinder")) {
        return apply_cylinder(m, node, law);
    }
    if (afxi_xml_is(node, "muscle")) {
        return apply_muscle(m, node, law);
    }
    if (afxi_xml_is(node, "damper")) {
        return apply_damper(m, node, law);
    }
    if (afxi_xml_is(node, "adhesion")) {
        *law = (AfxiMjcfLaw){.gain = {law->gain_type == AFXI_MJCF_GAIN_FIXED ? law->gain[0] : 1}, .time = {1}};
        return own_numbers(m, node, "gain", 1, law->gain);
    }
    bool motor = afxi_xml_is(node, "motor");
    *law = (AfxiMjcfLaw){.gain = {1}, .time = {1}};
    law->gain_type = motor ? AFXI_MJCF_GAIN_FIXED : AFXI_MJCF_GAIN_FOREIGN;
    return true;
}

/** What a class says is applied before what the element says. */
static bool read_law(AfxiMjcf *m, AfxiXmlNode *node, uint32_t depth, AfxiMjcfLaw *law) {
    if (depth > m->depth_most) {
        return afxi_xml_error(m->load, node, NULL, "classes are nested too deeply", "check the file");
    }
    return (!node->fallback || read_law(m, node->fallback, depth + 1, law)) && apply(m, node, law);
}

bool afxi_mjcf_read_law(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfLaw *out_law) {
    *out_law = (AfxiMjcfLaw){.gain = {1}, .time = {1}};
    if (!read_law(m, node, 0, out_law)) {
        return false;
    }
    bool servo = out_law->gain_type == AFXI_MJCF_GAIN_FIXED && out_law->bias_type == AFXI_MJCF_BIAS_AFFINE &&
                 out_law->bias[1] == -out_law->gain[0];
    if (out_law->bias_type == AFXI_MJCF_BIAS_NONE) {
        memset(out_law->bias, 0, sizeof out_law->bias);
    } else if (servo && out_law->bias[2] > 0) {
        out_law->ratio = out_law->bias[2];
        out_law->bias[2] = 0;
    }
    return true;
}

bool afxi_mjcf_law_is_linear(const AfxiMjcfLaw *law) {
    return law->gain_type == AFXI_MJCF_GAIN_FIXED && law->bias_type <= AFXI_MJCF_BIAS_AFFINE &&
           law->dynamics <= AFX_ACTIVATION_MUSCLE;
}

bool afxi_mjcf_law_is_muscle(const AfxiMjcfLaw *law) {
    bool passive = law->bias_type == AFXI_MJCF_BIAS_MUSCLE && memcmp(law->gain, law->bias, sizeof law->gain) == 0;
    return law->gain_type == AFXI_MJCF_GAIN_MUSCLE && passive && law->dynamics <= AFX_ACTIVATION_MUSCLE;
}

bool afxi_mjcf_law_is_damper(const AfxiMjcfLaw *law) {
    return law->gain_type == AFXI_MJCF_GAIN_AFFINE && law->gain[0] == 0 && law->gain[1] == 0 && law->gain[2] < 0 &&
           law->bias_type <= AFXI_MJCF_BIAS_AFFINE && law->bias[0] == 0 && law->bias[1] == 0 && law->bias[2] == 0 &&
           law->dynamics <= AFX_ACTIVATION_MUSCLE;
}

bool afxi_mjcf_activate(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const AfxiMjcfLaw *law,
                        AfxActivation *out) {
    double range[2];
    bool limited;
    if (!afxi_mjcf_limits(m, scope->model, node, "actlimited", "actrange", range, &limited)) {
        return false;
    }
    out->kind = (AfxActivationKind)law->dynamics;
    memcpy(out->time, law->time, sizeof out->time);
    if (limited && out->kind != AFX_ACTIVATION_NONE) {
        out->lower = range[0];
        out->upper = range[1];
    }
    bool filter = out->kind == AFX_ACTIVATION_FILTER || out->kind == AFX_ACTIVATION_FILTER_EXACT;
    if (filter && !(out->time[0] > 0)) {
        out->kind = AFX_ACTIVATION_NONE; /* it follows at once */
    }
    return out->kind != AFX_ACTIVATION_MUSCLE || (out->time[0] > 0 && out->time[1] > 0) ||
           afxi_xml_error(m->load, node, "timeconst", "a time constant is not positive", "give two above 0");
}
