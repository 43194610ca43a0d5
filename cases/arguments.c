/* SPDX-License-Identifier: Apache-2.0 */
/* "name=value" arguments of a case: defaults first, then what was given, each checked against its parameter. */
#include "cases/cases.h"
#include "cases/text.h"

#include <stdio.h>
#include <string.h>

#define INTEGER_LIMIT 9007199254740992.0 /* 2^53: every integer up to here is a double */

static void append(char *out_text, size_t size, const char *separator, const char *text) {
    size_t used = strlen(out_text);
    snprintf(out_text + used, size - used, "%s%s", used ? separator : "", text);
}

void afxi_case_allowed(const AfxiCaseParameter *parameter, char *out_text, size_t size) {
    out_text[0] = '\0';
    if (parameter->kind == AFXI_CASE_CHOICE) {
        for (uint32_t k = 0; parameter->choices[k]; ++k) {
            append(out_text, size, "|", parameter->choices[k]);
        }
        return;
    }
    const char *kind = parameter->kind == AFXI_CASE_INTEGER ? "integer, " : "";
    snprintf(out_text, size, "%s%.12g to %.12g", kind, parameter->min, parameter->max);
}

static AfxStatus refuse(const AfxiCase *from, const AfxiCaseParameter *parameter, const char *value,
                        const char *problem, AfxError *out_error) {
    char element[sizeof(((AfxError *)0)->element)];
    char cure[sizeof(((AfxError *)0)->cure)];
    char allowed[96];
    afxi_case_allowed(parameter, allowed, sizeof(allowed));
    snprintf(element, sizeof(element), "case %s, parameter %s", from->name, parameter->name);
    snprintf(cure, sizeof(cure), "allowed: %s; default %s", allowed, parameter->fallback);
    return afxi_case_error(out_error, AFX_E_INPUT, element, cure, "\"%.80s\" %s", value, problem);
}

/* Whether `value` is a choice; kinds of joints go by any of their names. */
static bool is_choice(const char *choice, const char *value) {
    AfxJointKind one, other;
    return strcmp(choice, value) == 0 || (afx_joint_kind_find(choice, &one) == AFX_OK &&
                                          afx_joint_kind_find(value, &other) == AFX_OK && one == other);
}

static AfxStatus read_value(const AfxiCase *from, const AfxiCaseParameter *parameter, const char *value,
                            double *out_value, AfxError *out_error) {
    if (parameter->kind == AFXI_CASE_CHOICE) {
        for (uint32_t k = 0; parameter->choices[k]; ++k) {
            if (is_choice(parameter->choices[k], value)) {
                *out_value = k;
                return AFX_OK;
            }
        }
        return refuse(from, parameter, value, "is not one of the choices", out_error);
    }
    if (!afxi_case_number(value, out_value)) {
        return refuse(from, parameter, value, "is not a number", out_error);
    }
    if (!(*out_value >= parameter->min && *out_value <= parameter->max)) {
        return refuse(from, parameter, value, "is out of range", out_error);
    }
    if (parameter->kind == AFXI_CASE_INTEGER &&
        (fabs(*out_value) > INTEGER_LIMIT || *out_value != nearbyint(*out_value))) {
        return refuse(from, parameter, value, "is not an integer", out_error);
    }
    return AFX_OK;
}

static AfxStatus unknown_name(const AfxiCase *from, const char *name, AfxError *out_error) {
    char element[sizeof(((AfxError *)0)->element)];
    char cure[sizeof(((AfxError *)0)->cure)];
    char names[120] = "";
    AfxiCaseNearest nearest = {.word = name};
    for (uint32_t k = 0; k < from->parameter_count; ++k) {
        afxi_case_nearest_try(&nearest, from->parameters[k].name);
        append(names, sizeof(names), ", ", from->parameters[k].name);
    }
    snprintf(element, sizeof(element), "case %s", from->name);
    if (nearest.best) {
        snprintf(cure, sizeof(cure), "did you mean %s? It has: %.100s", nearest.best, names);
    } else {
        snprintf(cure, sizeof(cure), "it has: %s", names[0] ? names : "none");
    }
    return afxi_case_error(out_error, AFX_E_INPUT, element, cure, "there is no parameter \"%.80s\"", name);
}

static AfxStatus read_argument(const AfxiCase *from, const char *text, bool *given, AfxiCaseArguments *out_args,
                               AfxError *out_error) {
    char name[64];
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    if (!equals || length == 0) {
        return afxi_case_error(out_error, AFX_E_INPUT, from->name, "write name=value, without blanks",
                               "\"%.80s\" is not name=value", text);
    }
    snprintf(name, sizeof(name), "%.*s", (int)(length < sizeof(name) ? length : sizeof(name) - 1), text);
    for (uint32_t k = 0; k < from->parameter_count; ++k) {
        const AfxiCaseParameter *parameter = &from->parameters[k];
        if (strcmp(parameter->name, name) != 0) {
            continue;
        }
        if (given[k]) {
            return refuse(from, parameter, text, "is given a second time", out_error);
        }
        given[k] = true;
        return read_value(from, parameter, equals + 1, &out_args->values[k], out_error);
    }
    return unknown_name(from, name, out_error);
}

AfxStatus afxi_case_arguments(const AfxiCase *from, uint32_t count, const char *const *texts,
                              AfxiCaseArguments *out_args, AfxError *out_error) {
    bool given[AFXI_CASE_PARAMETER_LIMIT] = {false};
    *out_args = (AfxiCaseArguments){.from = from};
    if (out_error) {
        *out_error = (AfxError){0};
    }
    if (from->parameter_count > AFXI_CASE_PARAMETER_LIMIT) {
        return afxi_case_error(out_error, AFX_E_LIMIT, from->name, "raise AFXI_CASE_PARAMETER_LIMIT",
                               "the case has more parameters than the arguments can hold");
    }
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < from->parameter_count && status == AFX_OK; ++k) {
        const AfxiCaseParameter *parameter = &from->parameters[k];
        status = read_value(from, parameter, parameter->fallback, &out_args->values[k], out_error);
    }
    for (uint32_t k = 0; k < count && status == AFX_OK; ++k) {
        status = read_argument(from, texts[k], given, out_args, out_error);
    }
    return status;
}
