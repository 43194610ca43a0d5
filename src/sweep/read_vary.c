/* SPDX-License-Identifier: Apache-2.0 */
/* What a study sets and varies, and the points of its design. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/error.h"
#include "sweep/read.h"
#include "sweep/sobol.h"

const char *const afxi_design_names[] = {"grid", "random", "sobol", "list", "csv", NULL};

static const AfxiCaseParameter *case_parameter(const AfxiStudy *study, const char *name) {
    const AfxiCase *from = study->arguments.from;
    for (uint32_t k = 0; from && k < from->parameter_count; k++) {
        if (strcmp(from->parameters[k].name, name) == 0) {
            if (study->file) {
                afxi_file_case_give(study->file, k);
            }
            return &from->parameters[k];
        }
    }
    return NULL;
}

/* A value: a number, "inf", or the name of a choice. */
static AfxStatus read_value(const AfxiReader *reader, const AfxiVary *vary, const json_t *value, const char *where,
                            double *out_value) {
    const AfxiCaseParameter *parameter = vary->parameter;
    if (json_is_string(value) && parameter && parameter->kind == AFXI_CASE_CHOICE) {
        uint32_t k = 0;
        AfxStatus status = afxi_read_choice(reader, value, where, parameter->choices, &k);
        *out_value = k;
        return status;
    }
    const char *text = json_string_value(value);
    if (text && (strcmp(text, "inf") == 0 || strcmp(text, "infinite") == 0)) {
        *out_value = INFINITY;
        return AFX_OK;
    }
    if (!json_is_number(value) || (parameter && parameter->kind == AFXI_CASE_CHOICE)) {
        return afxi_read_refuse(reader, where, parameter && parameter->choices[0] ? "one of its choices" : "",
                                "must be a number");
    }
    *out_value = json_number_value(value);
    return AFX_OK;
}

static AfxStatus read_values(const AfxiReader *reader, AfxiVary *vary, const json_t *values, const char *where) {
    size_t count = json_array_size(values);
    if (!json_is_array(values) || count == 0 || count > AFXI_RUNS_MOST) {
        return afxi_read_refuse(reader, where, "[1, 2, 3]", "must be an array of values");
    }
    vary->values = malloc(count * sizeof *vary->values);
    vary->count = (uint32_t)count;
    AfxStatus status = vary->values ? AFX_OK : afxi_sweep_memory(reader->error);
    for (size_t k = 0; k < count && status == AFX_OK; k++) {
        status = read_value(reader, vary, json_array_get(values, k), where, &vary->values[k]);
    }
    return status;
}

static AfxStatus read_normal(const AfxiReader *reader, AfxiVary *vary, const json_t *normal, const char *where) {
    static const char *const members[] = {"mean", "sd", NULL};
    vary->normal = true;
    vary->from = 0;
    vary->to = 1;
    AfxStatus status = afxi_read_members(reader, normal, where, members);
    status = status ? status : afxi_read_number(reader, normal, where, "mean", -DBL_MAX, DBL_MAX, &vary->from);
    return status ? status : afxi_read_number(reader, normal, where, "sd", 0, DBL_MAX, &vary->to);
}

static AfxStatus read_range(const AfxiReader *reader, AfxiVary *vary, const json_t *item, const char *where) {
    static const char *const scales[] = {"linear", "log", NULL};
    uint64_t count = 0;
    uint32_t scale = 0;
    AfxStatus status = afxi_read_number(reader, item, where, "from", -DBL_MAX, DBL_MAX, &vary->from);
    status = status ? status : afxi_read_number(reader, item, where, "to", -DBL_MAX, DBL_MAX, &vary->to);
    status = status ? status : afxi_read_number(reader, item, where, "start", -DBL_MAX, DBL_MAX, &vary->start);
    status = status ? status : afxi_read_count(reader, item, where, "count", 1, AFXI_RUNS_MOST, &count);
    status = status ? status : afxi_read_choice(reader, json_object_get(item, "scale"), where, scales, &scale);
    vary->count = (uint32_t)count;
    vary->log = scale == 1;
    if (status == AFX_OK && vary->log && !(vary->from > 0 && vary->to > 0)) {
        status = afxi_read_refuse(reader, where, "use positive ends", "a logarithmic scale needs positive ends");
    }
    return status;
}

static AfxStatus read_item(const AfxiReader *reader, AfxiVary *vary, const json_t *item, const char *where) {
    static const char *const members[] = {"param", "values", "from", "to", "count", "scale", "normal", "start", NULL};
    *vary = (AfxiVary){.from = NAN, .to = NAN, .start = NAN};
    if (json_is_string(item)) {
        AfxStatus status = afxi_read_text(reader, item, where, &vary->name);
        vary->parameter = status ? NULL : case_parameter(reader->study, vary->name);
        return status;
    }
    AfxStatus status = afxi_read_members(reader, item, where, members);
    status = status ? status : afxi_read_text(reader, json_object_get(item, "param"), where, &vary->name);
    if (status != AFX_OK) {
        return status;
    }
    vary->parameter = case_parameter(reader->study, vary->name);
    const json_t *values = json_object_get(item, "values"), *normal = json_object_get(item, "normal");
    if (values) {
        return read_values(reader, vary, values, where);
    }
    return normal ? read_normal(reader, vary, normal, where) : read_range(reader, vary, item, where);
}

static AfxStatus read_set(const AfxiReader *reader, const json_t *set) {
    AfxiStudy *study = reader->study;
    const char *key;
    json_t *value;
    if (!set) {
        return AFX_OK;
    }
    if (!json_is_object(set)) {
        return afxi_read_refuse(reader, "set", "{\"body.mass:rod\": 2}", "must be an object");
    }
    study->set = calloc(json_object_size(set) + 1, sizeof *study->set);
    AfxStatus status = study->set ? AFX_OK : afxi_sweep_memory(reader->error);
    json_object_foreach((json_t *)set, key, value) {
        if (status == AFX_OK) {
            AfxiVary *item = &study->set[study->set_count++];
            *item = (AfxiVary){.count = 1, .parameter = case_parameter(study, key)};
            status = afxi_read_copy(reader, key, &item->name);
            status = status ? status : read_value(reader, item, value, key, &item->from);
        }
    }
    return status;
}

/* A name that is there already would put one value over the other. */
static AfxStatus check_once(const AfxiReader *reader, uint32_t k, const char *where) {
    const AfxiStudy *study = reader->study;
    for (uint32_t j = 0; j < study->set_count + k; j++) {
        const char *other = j < study->set_count ? study->set[j].name : study->vary[j - study->set_count].name;
        if (strcmp(other, study->vary[k].name) == 0) {
            return afxi_read_refuse(reader, where, "leave one of them out", "%.80s is %s already", other,
                                    j < study->set_count ? "set" : "varied");
        }
    }
    return AFX_OK;
}

AfxStatus afxi_read_vary(const AfxiReader *reader, const json_t *root) {
    AfxiStudy *study = reader->study;
    const json_t *vary = json_object_get(root, "vary");
    size_t count = json_array_size(vary);
    AfxStatus status = read_set(reader, json_object_get(root, "set"));
    if (status != AFX_OK) {
        return status;
    }
    if (!json_is_array(vary) || count == 0 || count > 10000) {
        return afxi_read_refuse(reader, "vary",
                                "[{\"param\": \"body.mass:rod\", \"from\": 1, \"to\": 5, \"count\": 20}]",
                                "must be an array of what varies");
    }
    study->vary = calloc(count, sizeof *study->vary);
    if (!study->vary) {
        return afxi_sweep_memory(reader->error);
    }
    for (size_t k = 0; k < count && status == AFX_OK; k++) {
        char where[40];
        snprintf(where, sizeof where, "vary[%zu]", k);
        study->vary_count = (uint32_t)k + 1;
        status = read_item(reader, &study->vary[k], json_array_get(vary, k), where);
        status = status ? status : check_once(reader, (uint32_t)k, where);
        study->rebuilds |= study->vary[k].parameter != NULL;
    }
    return status;
}

/* ---- the design ---- */

static AfxStatus read_points(const AfxiReader *reader, const json_t *points) {
    AfxiStudy *study = reader->study;
    size_t count = json_array_size(points);
    if (!json_is_array(points) || count == 0 || count > AFXI_RUNS_MOST) {
        return afxi_read_refuse(reader, "design.points", "[[1, 2], [3, 4]]", "must be an array of points");
    }
    study->points = malloc(count * study->vary_count * sizeof *study->points);
    study->run_count = count;
    AfxStatus status = study->points ? AFX_OK : afxi_sweep_memory(reader->error);
    for (size_t k = 0; k < count && status == AFX_OK; k++) {
        const json_t *point = json_array_get(points, k);
        char where[40];
        snprintf(where, sizeof where, "design.points[%zu]", k);
        if (json_array_size(point) != study->vary_count) {
            return afxi_read_refuse(reader, where, "one for each of vary", "must have %u values", study->vary_count);
        }
        for (uint32_t j = 0; j < study->vary_count && status == AFX_OK; j++) {
            status = read_value(reader, &study->vary[j], json_array_get(point, j), where,
                                &study->points[k * study->vary_count + j]);
        }
    }
    return status;
}

/* Every varied parameter needs a range, values or a distribution, as the design can use them. */
static AfxStatus check_ranges(const AfxiReader *reader) {
    AfxiStudy *study = reader->study;
    double total = 1;
    for (uint32_t k = 0; k < study->vary_count; k++) {
        const AfxiVary *vary = &study->vary[k];
        char where[40];
        snprintf(where, sizeof where, "vary[%u]", k);
        bool ranged = vary->values || vary->normal || vary->from <= vary->to;
        bool grid = study->design == AFXI_DESIGN_GRID && study->optimiser.method == AFXI_METHOD_NONE;
        if (!ranged || (grid && (vary->count == 0 || vary->normal))) {
            return afxi_read_refuse(reader, where, "give values, or from, to and count",
                                    grid ? "a grid needs values, or from <= to and count"
                                         : "needs from <= to, values or normal");
        }
        if (study->optimiser.method != AFXI_METHOD_NONE && (vary->values || vary->normal)) {
            return afxi_read_refuse(reader, where, "give from and to", "an optimiser needs a range");
        }
        total *= vary->count;
    }
    if (study->design == AFXI_DESIGN_GRID && study->optimiser.method == AFXI_METHOD_NONE) {
        if (total > AFXI_RUNS_MOST) {
            return afxi_read_refuse(reader, "vary", "use sobol with a count", "this grid has %.3g runs", total);
        }
        study->run_count = (uint64_t)total;
    }
    return AFX_OK;
}

static AfxStatus read_csv(const AfxiReader *reader, const json_t *design) {
    char *name = NULL, path[4096];
    AfxStatus status = afxi_read_text(reader, json_object_get(design, "file"), "design.file", &name);
    if (status == AFX_OK) {
        snprintf(path, sizeof path, "%s%s", name[0] == '/' ? "" : reader->study->folder, name);
        status = afxi_read_table(reader, path);
    }
    free(name);
    return status;
}

AfxStatus afxi_read_design(const AfxiReader *reader, const json_t *root) {
    static const char *const members[] = {"kind", "count", "seed", "points", "file", NULL};
    AfxiStudy *study = reader->study;
    const json_t *design = json_object_get(root, "design"), *kind = design;
    uint32_t index = AFXI_DESIGN_GRID;
    AfxStatus status = AFX_OK;
    if (study->optimiser.method != AFXI_METHOD_NONE) {
        return design ? afxi_read_refuse(reader, "design", "leave it out", "the optimiser chooses the runs itself")
                      : check_ranges(reader);
    }
    if (json_is_object(design)) {
        status = afxi_read_members(reader, design, "design", members);
        kind = json_object_get(design, "kind");
    } else {
        design = NULL;
    }
    status = status ? status : afxi_read_choice(reader, kind, "design", afxi_design_names, &index);
    status = status ? status : afxi_read_count(reader, design, "design", "seed", 0, 1ull << 53, &study->seed);
    status = status ? status : afxi_read_count(reader, design, "design", "count", 1, AFXI_RUNS_MOST, &study->run_count);
    if (status != AFX_OK) {
        return status;
    }
    study->design = (AfxiDesignKind)index;
    if (study->design == AFXI_DESIGN_LIST) {
        return read_points(reader, json_object_get(design, "points"));
    }
    if (study->design == AFXI_DESIGN_CSV) {
        return read_csv(reader, design);
    }
    if (study->design != AFXI_DESIGN_GRID && study->run_count == 0) {
        return afxi_read_refuse(reader, "design.count", "{\"kind\": \"sobol\", \"count\": 256}", "how many runs?");
    }
    if (study->design == AFXI_DESIGN_SOBOL && study->vary_count > AFXI_SOBOL_DIMENSIONS) {
        return afxi_read_refuse(reader, "vary", "use random", "sobol has at most %u dimensions", AFXI_SOBOL_DIMENSIONS);
    }
    return check_ranges(reader);
}
