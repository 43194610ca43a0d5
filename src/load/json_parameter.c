/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of a scene file: numbers with names, which other numbers of the file are made of. A file that has them may
 * write a text "= 2 * length" wherever a number stands, and use them in formulas of time. All of these are replaced
 * before anything else reads the file, so that no reader knows of them. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "load/json.h"
#include "load/nearest.h"
#include "load/point.h"
#include "math/formula.h"

#define TEXT_MOST 1000 /* characters of a formula with numbers in the place of names */

typedef struct Parameters {
    AfxRunParameter all[AFX_RUN_PARAMETERS];
    uint32_t count;
} Parameters;

static const AfxRunParameter *find(const Parameters *parameters, const char *name, size_t length) {
    for (uint32_t k = 0; parameters && k < parameters->count; k++) {
        if (strlen(parameters->all[k].name) == length && memcmp(parameters->all[k].name, name, length) == 0) {
            return &parameters->all[k];
        }
    }
    return NULL;
}

static bool begins_name(char c) {
    return isalpha((unsigned char)c) || c == '_';
}

static size_t name_length(const char *text) {
    size_t length = 0;
    while (begins_name(text[length]) || (length > 0 && isdigit((unsigned char)text[length]))) {
        length++;
    }
    return length;
}

/** Characters of a number, so that the e of 1e3 is no name; 0 where none begins. */
static size_t number_length(const char *text) {
    size_t length = strspn(text, "0123456789.");
    if (length > 0 && (text[length] == 'e' || text[length] == 'E')) {
        size_t sign = text[length + 1] == '+' || text[length + 1] == '-';
        size_t digits = strspn(text + length + 1 + sign, "0123456789");
        length += digits ? 1 + sign + digits : 0;
    }
    return length;
}

/** `text` with the values of parameters in brackets in the place of their names; false when it gets too long. */
static bool put_values(const Parameters *parameters, const char *text, char out[TEXT_MOST]) {
    size_t used = 0;
    while (*text) {
        size_t number = number_length(text), name = number ? 0 : name_length(text);
        size_t length = number ? number : name ? name : 1;
        const AfxRunParameter *found = name ? find(parameters, text, name) : NULL;
        char value[40];
        if (found) {
            snprintf(value, sizeof value, "(%.17g)", found->value);
            afxi_decimal_point(value);
        }
        size_t size = found ? strlen(value) : length;
        if (used + size >= TEXT_MOST) {
            return false;
        }
        memcpy(out + used, found ? value : text, size);
        used += size;
        text += length;
    }
    out[used] = '\0';
    return true;
}

/** Whether a formula has t in it, which is time and no number. */
static bool has_time(const char *text) {
    while (*text) {
        size_t number = number_length(text), name = number ? 0 : name_length(text);
        if (name == 1 && *text == 't') {
            return true;
        }
        text += number ? number : name ? name : 1;
    }
    return false;
}

/** What a formula comes to; `fault` says what is wrong with it. */
static bool evaluate(const Parameters *parameters, const char *text, double *out_value, const char **fault) {
    char full[TEXT_MOST];
    double program[AFXI_FORMULA_MOST];
    uint32_t place, length;
    *fault = "this formula is too long";
    if (!put_values(parameters, text, full)) {
        return false;
    }
    *fault = "this number cannot depend on the time t";
    if (has_time(full)) {
        return false;
    }
    length = afxi_formula_compile(full, program, fault, &place);
    if (length == 0) {
        return false;
    }
    *out_value = afxi_formula_run(program, length, 0).value;
    *fault = "this formula does not come to a finite number";
    return isfinite(*out_value);
}

static bool formula_error(const AfxiJsonFile *file, const AfxiJsonNode *node, const Parameters *parameters,
                          const char *fault) {
    char cure[sizeof file->load->error.cure] = "the file's parameters:";
    size_t used = strlen(cure);
    for (uint32_t k = 0; k < parameters->count && used + 70 < sizeof cure; k++) {
        used += (size_t)snprintf(cure + used, sizeof cure - used, "%s %s", k ? "," : "", parameters->all[k].name);
    }
    return afxi_json_error(file, node, fault,
                           parameters->count ? cure : "numbers, + - * / ^, brackets, pi, sin(x) ...");
}

/* ---- from the text ---- */

/** Puts what a text "= formula", or a formula of time, comes to in its place. */
static bool replace(AfxiJsonFile *file, AfxiJsonNode *node, const Parameters *parameters) {
    const char *text = json_string_value(node->value), *fault;
    json_t *made = NULL;
    double value;
    char full[TEXT_MOST];
    if (text[0] == '=') {
        if (!evaluate(parameters, text + 1, &value, &fault)) {
            return formula_error(file, node, parameters, fault);
        }
        made = json_real(value);
    } else {
        if (!put_values(parameters, text, full)) {
            return formula_error(file, node, parameters, "this formula is too long");
        }
        made = json_string(full);
    }
    if (!made || json_array_append(file->made, made) != 0) {
        json_decref(made);
        return afxi_load_memory_error(file->load, file->path, node->line);
    }
    json_decref(made); /* the array has it */
    node->value = made;
    return true;
}

static bool is_formula(const AfxiJsonNode *node) {
    const char *text = json_string_value(node->value);
    return text && (text[0] == '=' || (node->key && strcmp(node->key, "formula") == 0));
}

/** Replaces all formulas in a value and below it, but for remarks. */
static bool replace_all(AfxiJsonFile *file, AfxiJsonNode *node, const Parameters *parameters) {
    bool fine = true;
    for (AfxiJsonNode *at = node; at < node + node->size && fine;) {
        if (at->key && strcmp(at->key, "about") == 0) {
            at += at->size;
            continue;
        }
        fine = !is_formula(at) ||
               (afxi_load_work(file->load, strlen(json_string_value(at->value)), file->path, at->line) &&
                replace(file, at, parameters));
        at++;
    }
    return fine;
}

/* ---- what there is, and what is given ---- */

static bool check_name(const AfxiJsonFile *file, const AfxiJsonNode *node) {
    size_t length = strlen(node->key);
    if (length == 0 || length >= sizeof(((AfxRunParameter *)0)->name) || name_length(node->key) != length ||
        strcmp(node->key, "t") == 0 || strcmp(node->key, "pi") == 0) {
        return afxi_json_error(file, node, "this is no name for a parameter",
                               "letters, digits and _, at most 63, and neither t nor pi");
    }
    return true;
}

static bool check_range(const AfxiJsonFile *file, const AfxiJsonNode *node, const AfxRunParameter *one) {
    if (!(one->min <= one->max)) {
        return afxi_json_error(file, node, "its min is above its max", "give min and max in this order");
    }
    if (one->value >= one->min && one->value <= one->max) {
        return true;
    }
    char text[160], cure[96];
    snprintf(text, sizeof text, "the parameter %s is %.9g", one->name, one->value);
    snprintf(cure, sizeof cure, "it may be from %.9g to %.9g", one->min, one->max);
    return afxi_json_error(file, node, text, cure);
}

/** The value that the caller, or the group around the file, gives a parameter. The last one counts. */
static bool take_given(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxRunParameter *one) {
    const AfxiLoad *load = file->load;
    const AfxiJsonNode *given = load->depth ? afxi_json_get(load->parameters, one->name) : NULL;
    if (given && !json_is_number(given->value)) {
        return afxi_json_error(file, node, "the group that reads this file gives it something that is no number",
                               "give a number");
    }
    one->value = given ? json_number_value(given->value) : one->value;
    for (uint32_t k = 0; k < load->def->parameter_count && load->depth == 0; k++) {
        const char *text = load->def->parameters[k], *fault;
        size_t length = strlen(one->name);
        if (text && strncmp(text, one->name, length) == 0 && text[length] == '=' &&
            !evaluate(NULL, text + length + 1, &one->value, &fault)) {
            return afxi_load_error(file->load, AFX_E_INPUT, file->path, node->line, text, fault, "give name=number");
        }
    }
    return true;
}

static bool read_one(AfxiJsonFile *file, AfxiJsonNode *node, Parameters *parameters) {
    if (parameters->count == AFX_RUN_PARAMETERS) {
        return afxi_json_error_as(file, AFX_E_LIMIT, node, "a file may have 64 parameters", "leave some out");
    }
    AfxRunParameter *one = &parameters->all[parameters->count];
    const char *about = "";
    *one = (AfxRunParameter){.min = -INFINITY, .max = INFINITY};
    if (!check_name(file, node) || !replace_all(file, node, parameters)) {
        return false;
    }
    snprintf(one->name, sizeof one->name, "%s", node->key);
    const AfxiJsonNode *value = node;
    if (json_is_object(node->value)) {
        const AfxiJsonNode *text = afxi_json_get(node, "about");
        about = text && json_is_string(text->value) ? json_string_value(text->value) : "";
        if (!afxi_json_keys(file, node, "value min max") || !afxi_json_need(file, node, "value", &value) ||
            !afxi_json_number(file, node, "min", 1, &one->min) || !afxi_json_number(file, node, "max", 1, &one->max)) {
            return false;
        }
    }
    snprintf(one->about, sizeof one->about, "%.*s", (int)sizeof one->about - 1, about);
    if (!afxi_json_number_at(file, value, 1, &one->value) || !take_given(file, node, one) ||
        !check_range(file, node, one)) {
        return false;
    }
    parameters->count++;
    return true;
}

/** Whether there is a parameter for every name that is given. */
static bool check_given(const AfxiJsonFile *file, const AfxiJsonNode *node, const Parameters *parameters,
                        const char *name, size_t length) {
    if (find(parameters, name, length)) {
        return true;
    }
    char word[96], element[120], cure[120] = "the file has no parameters";
    snprintf(word, sizeof word, "%.*s", (int)(length < 80 ? length : 80), name);
    AfxiNearest nearest = {.word = word};
    for (uint32_t k = 0; k < parameters->count; k++) {
        afxi_nearest_try(&nearest, parameters->all[k].name, strlen(parameters->all[k].name));
    }
    if (parameters->count) {
        snprintf(cure, sizeof cure, nearest.best[0] ? "did you mean %s?" : "affix check lists those of the file",
                 nearest.best);
    }
    snprintf(element, sizeof element, "parameter %s", word);
    return afxi_load_error(file->load, AFX_E_INPUT, file->path, node->line, element, "there is no such parameter",
                           cure);
}

static bool check_all_given(const AfxiJsonFile *file, const AfxiJsonNode *node, const Parameters *parameters) {
    const AfxiLoad *load = file->load;
    bool fine = true;
    for (uint32_t k = 0; load->depth == 0 && k < load->def->parameter_count && fine; k++) {
        const char *text = load->def->parameters[k] ? load->def->parameters[k] : "";
        fine = check_given(file, node, parameters, text, strcspn(text, "="));
        if (fine && !strchr(text, '=')) {
            fine = afxi_load_error(file->load, AFX_E_INPUT, file->path, node->line, text, "has no value",
                                   "give name=number");
        }
    }
    const AfxiJsonNode *group = load->depth ? load->parameters : NULL;
    for (const AfxiJsonNode *one = afxi_json_first(group); one && fine; one = afxi_json_next(group, one)) {
        fine = check_given(file, node, parameters, one->key ? one->key : "", one->key ? strlen(one->key) : 0);
    }
    return fine;
}

/** All of the object "parameters", then all that is made of them. */
static bool read_all(AfxiJsonFile *file, AfxiJsonNode *list, Parameters *parameters) {
    bool fine = true;
    for (AfxiJsonNode *one = list + 1; one < list + list->size && fine; one += one->size) {
        fine = strcmp(one->key, "about") == 0 || read_one(file, one, parameters);
    }
    fine = fine && check_all_given(file, list, parameters) && replace_all(file, file->nodes, parameters);
    AfxRunDef *run = file->load->depth == 0 ? file->load->def->run : NULL;
    if (fine && run) {
        memcpy(run->parameters, parameters->all, sizeof run->parameters);
        run->parameter_count = parameters->count;
    }
    return fine;
}

bool afxi_json_parameters(AfxiJsonFile *file, const AfxiJsonNode *top) {
    const AfxiJsonNode *found = afxi_json_get(top, "parameters");
    if (!found && file->load->def->parameter_count == 0 && !file->load->parameters) {
        return true;
    }
    if (found && !json_is_object(found->value)) {
        return afxi_json_error(file, found, "this is not an object", "write {\"name\": value, ...} here");
    }
    Parameters *parameters = afxi_allocate(&file->load->allocator, sizeof *parameters);
    file->made = json_array();
    if (!parameters || !file->made) {
        afxi_release(&file->load->allocator, parameters, sizeof *parameters);
        return afxi_load_memory_error(file->load, file->path, top->line);
    }
    parameters->count = 0;
    bool fine = found ? read_all(file, file->nodes + (found - file->nodes), parameters)
                      : check_all_given(file, top, parameters);
    afxi_release(&file->load->allocator, parameters, sizeof *parameters);
    return fine;
}
