/* SPDX-License-Identifier: Apache-2.0 */
/* What a study records, what it wants to become small, and by which method. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/error.h"
#include "sweep/read.h"

const char *const afxi_reduction_names[] = {"end", "start", "min", "max", "peak", "mean", "rms", "integral", NULL};
const char *const afxi_method_names[] = {"none", "cma-es", "cross-entropy", "gauss-newton", "l-bfgs", NULL};

#define RECORDS_MOST 1000u

/* "column" or "reduction(column)". */
static AfxStatus parse_record(const AfxiReader *reader, const char *text, const char *where, AfxiRecord *out_record) {
    size_t length = strlen(text);
    const char *open = strchr(text, '(');
    *out_record = (AfxiRecord){0};
    if (!open) {
        return afxi_read_copy(reader, text, &out_record->column);
    }
    for (uint32_t k = 0; afxi_reduction_names[k]; k++) {
        size_t head = strlen(afxi_reduction_names[k]);
        if ((size_t)(open - text) == head && strncmp(text, afxi_reduction_names[k], head) == 0 && length > head + 2 &&
            text[length - 1] == ')') {
            out_record->reduction = (AfxiReduction)k;
            out_record->column = strndup(open + 1, length - head - 2);
            return out_record->column ? AFX_OK : afxi_sweep_memory(reader->error);
        }
    }
    return afxi_read_refuse(reader, where, "end, start, min, max, peak, mean, rms or integral, as in max(joint:0)",
                            "\"%.100s\": there is no such reduction", text);
}

/* The record of this text, added when it is new. */
static AfxStatus add_record(const AfxiReader *reader, const json_t *value, const char *where, uint32_t *out_index) {
    AfxiStudy *study = reader->study;
    AfxiRecord record = {0};
    char *text = NULL;
    AfxStatus status = afxi_read_text(reader, value, where, &text);
    status = status ? status : parse_record(reader, text, where, &record);
    free(text);
    for (uint32_t k = 0; k < study->record_count && status == AFX_OK; k++) {
        if (study->records[k].reduction == record.reduction && strcmp(study->records[k].column, record.column) == 0) {
            free(record.column);
            *out_index = k;
            return AFX_OK;
        }
    }
    if (status == AFX_OK && study->record_count == RECORDS_MOST) {
        status = afxi_read_refuse(reader, where, "", "there are more than %u records", RECORDS_MOST);
    }
    if (status != AFX_OK) {
        free(record.column);
        return status;
    }
    study->every_step |= record.reduction > AFXI_REDUCE_START;
    *out_index = study->record_count;
    study->records[study->record_count++] = record;
    return AFX_OK;
}

static AfxStatus read_series(const AfxiReader *reader, const json_t *series) {
    static const char *const members[] = {"what", "every", NULL};
    AfxiStudy *study = reader->study;
    AfxStatus status = afxi_read_members(reader, series, "series", members);
    study->series_every = 1;
    status = status ? status : afxi_read_count(reader, series, "series", "every", 1, UINT32_MAX, &study->series_every);
    const json_t *what = json_object_get(series, "what");
    size_t count = json_array_size(what), size = 1;
    if (status == AFX_OK && (!json_is_array(what) || count == 0)) {
        status = afxi_read_refuse(reader, "series.what", "[\"time\", \"joint:0\"]", "must be an array of columns");
    }
    for (size_t k = 0; k < count && status == AFX_OK; k++) {
        const json_t *item = json_array_get(what, k);
        size += json_string_length(item) + 1;
        if (!json_is_string(item)) {
            status = afxi_read_refuse(reader, "series.what", "", "must be an array of texts");
        }
    }
    if (status != AFX_OK) {
        return status;
    }
    study->series = calloc(size, 1);
    for (size_t k = 0; study->series && k < count; k++) {
        strcat(study->series, k ? "," : "");
        strcat(study->series, json_string_value(json_array_get(what, k)));
    }
    return study->series ? AFX_OK : afxi_sweep_memory(reader->error);
}

AfxStatus afxi_read_records(const AfxiReader *reader, const json_t *root) {
    AfxiStudy *study = reader->study;
    const json_t *record = json_object_get(root, "record"), *series = json_object_get(root, "series");
    AfxStatus status = AFX_OK;
    study->records = calloc(RECORDS_MOST, sizeof *study->records);
    if (!study->records) {
        return afxi_sweep_memory(reader->error);
    }
    if (record && !json_is_array(record)) {
        return afxi_read_refuse(reader, "record", "[\"energy\", \"max(joint:0)\"]", "must be an array of texts");
    }
    for (size_t k = 0; k < json_array_size(record) && status == AFX_OK; k++) {
        char where[40];
        uint32_t index;
        snprintf(where, sizeof where, "record[%zu]", k);
        status = add_record(reader, json_array_get(record, k), where, &index);
    }
    return status == AFX_OK && series ? read_series(reader, series) : status;
}

static AfxStatus read_term(const AfxiReader *reader, const json_t *value, const char *where, AfxiTerm *term) {
    static const char *const members[] = {"of", "weight", "target", "power", NULL};
    *term = (AfxiTerm){.weight = 1, .power = 1};
    if (json_is_string(value)) {
        term->target = NAN; /* the value itself, with its sign */
        return add_record(reader, value, where, &term->record);
    }
    AfxStatus status = afxi_read_members(reader, value, where, members);
    bool plain = !json_object_get(value, "target") && !json_object_get(value, "power");
    term->power = plain ? 1 : 2;
    term->target = plain ? NAN : 0;
    status = status ? status : afxi_read_number(reader, value, where, "weight", -DBL_MAX, DBL_MAX, &term->weight);
    status = status ? status : afxi_read_number(reader, value, where, "target", -DBL_MAX, DBL_MAX, &term->target);
    status = status ? status : afxi_read_number(reader, value, where, "power", DBL_MIN, 100, &term->power);
    return status ? status : add_record(reader, json_object_get(value, "of"), where, &term->record);
}

AfxStatus afxi_read_objective(const AfxiReader *reader, const json_t *root) {
    static const char *const members[] = {"minimise", "maximise", NULL};
    AfxiStudy *study = reader->study;
    const json_t *objective = json_object_get(root, "objective");
    if (!objective) {
        return AFX_OK;
    }
    AfxStatus status = afxi_read_members(reader, objective, "objective", members);
    const json_t *terms = json_object_get(objective, "minimise");
    study->maximise = !terms;
    terms = terms ? terms : json_object_get(objective, "maximise");
    size_t count = json_is_array(terms) ? json_array_size(terms) : terms ? 1 : 0;
    if (status == AFX_OK && (count == 0 || json_object_size(objective) != 1)) {
        status = afxi_read_refuse(reader, "objective", "{\"minimise\": \"rms(effort:0)\"}", "what is to become small?");
    }
    study->terms = status == AFX_OK ? calloc(count, sizeof *study->terms) : NULL;
    if (status == AFX_OK && !study->terms) {
        status = afxi_sweep_memory(reader->error);
    }
    for (size_t k = 0; k < count && status == AFX_OK; k++) {
        char where[60];
        snprintf(where, sizeof where, "objective[%zu]", k);
        status = read_term(reader, json_is_array(terms) ? json_array_get(terms, k) : terms, where, &study->terms[k]);
        study->term_count++;
    }
    return status;
}

/* Gauss and Newton's method needs squares. */
static AfxStatus check_terms(const AfxiReader *reader) {
    const AfxiStudy *study = reader->study;
    if (study->term_count == 0) {
        return afxi_read_refuse(reader, "optimiser", "add an objective", "there is no objective");
    }
    for (uint32_t k = 0; k < study->term_count && study->optimiser.method == AFXI_METHOD_GAUSS_NEWTON; k++) {
        const AfxiTerm *term = &study->terms[k];
        if (isnan(term->target) || term->power != 2 || term->weight < 0 || study->maximise) {
            return afxi_read_refuse(reader, "optimiser", "give every term a target, and minimise",
                                    "gauss-newton needs a sum of squares");
        }
    }
    for (uint32_t k = 0; k < study->vary_count && study->optimiser.method >= AFXI_METHOD_GAUSS_NEWTON; k++) {
        const AfxiCaseParameter *parameter = study->vary[k].parameter;
        if (parameter && parameter->kind != AFXI_CASE_NUMBER) {
            return afxi_read_refuse(reader, "optimiser", "use cma-es or cross-entropy",
                                    "%.60s is whole: there is no derivative", study->vary[k].name);
        }
    }
    return AFX_OK;
}

AfxStatus afxi_read_optimiser(const AfxiReader *reader, const json_t *root) {
    static const char *const members[] = {"kind", "population", "rounds", "sigma", "tolerance", "step", "seed", NULL};
    const json_t *object = json_object_get(root, "optimiser"), *kind = object;
    AfxiOptimiserDef *def = &reader->study->optimiser;
    uint64_t population = 0, rounds = 100;
    uint32_t method = AFXI_METHOD_NONE;
    AfxStatus status = AFX_OK;
    *def = (AfxiOptimiserDef){.sigma = 0.3, .tolerance = 1e-8, .step = 1e-4, .seed = 1};
    if (!object) {
        return AFX_OK;
    }
    if (json_is_object(object)) {
        status = afxi_read_members(reader, object, "optimiser", members);
        kind = json_object_get(object, "kind");
    } else {
        object = NULL;
    }
    status = status ? status : afxi_read_choice(reader, kind, "optimiser.kind", afxi_method_names + 1, &method);
    status = status ? status : afxi_read_count(reader, object, "optimiser", "population", 4, 100000, &population);
    status = status ? status : afxi_read_count(reader, object, "optimiser", "rounds", 1, 1000000, &rounds);
    status = status ? status : afxi_read_count(reader, object, "optimiser", "seed", 0, 1ull << 53, &def->seed);
    status = status ? status : afxi_read_number(reader, object, "optimiser", "sigma", 1e-6, 10, &def->sigma);
    status = status ? status : afxi_read_number(reader, object, "optimiser", "tolerance", 0, 1, &def->tolerance);
    status = status ? status : afxi_read_number(reader, object, "optimiser", "step", 1e-12, 0.5, &def->step);
    if (status == AFX_OK && !kind) {
        status = afxi_read_refuse(reader, "optimiser.kind", "cma-es, cross-entropy, gauss-newton or l-bfgs", "which?");
    }
    def->method = (AfxiMethod)(method + 1);
    def->population = (uint32_t)population;
    def->rounds = (uint32_t)rounds;
    return status ? status : check_terms(reader);
}
