/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a study: read, checked as a whole, its scene compiled once. */
#include "sweep/study.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/error.h"
#include "sweep/read.h"

uint64_t afxi_sweep_hash(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    for (size_t k = 0; k < size; k++) {
        hash = (hash ^ p[k]) * 0x100000001b3ull;
    }
    return hash;
}

static uint64_t hash_text(uint64_t hash, const char *text) {
    return afxi_sweep_hash(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

static uint64_t hash_number(uint64_t hash, double value) {
    return afxi_sweep_hash(hash, &value, sizeof value);
}

/* Everything that a run depends on but its own parameters. Threads and lanes are not among it. */
static uint64_t hash_base(const AfxiStudy *study) {
    const AfxSimDef *sim = &study->sim;
    const double numbers[] = {sim->dt,     sim->integrator,     sim->rho,     sim->accuracy,       sim->formulation,
                              sim->solves, study->model.solver, study->rigid, (double)study->steps};
    uint64_t hash = hash_text(AFXI_SWEEP_HASH, afx_version());
    if (!study->scene_path) {
        hash = hash_text(hash, study->arguments.from->name);
        for (uint32_t k = 0; k < study->arguments.from->parameter_count; k++) {
            hash = hash_number(hash, study->arguments.values[k]);
        }
    } else {
        uint64_t model = afx_model_hash(study->base.model);
        hash = afxi_sweep_hash(hash, &model, sizeof model);
    }
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        hash = hash_number(hash, numbers[k]);
    }
    for (uint32_t k = 0; k < study->set_count; k++) {
        hash = hash_number(hash_text(hash, study->set[k].name), study->set[k].from);
    }
    return hash;
}

static uint64_t hash_study(const AfxiStudy *study) {
    uint64_t hash = study->base_hash;
    for (uint32_t k = 0; k < study->vary_count; k++) {
        hash = hash_text(hash, study->vary[k].name);
    }
    for (uint32_t k = 0; k < study->value_count; k++) {
        hash = hash_text(hash, study->value_names[k]);
    }
    for (uint32_t k = 0; k < study->term_count; k++) {
        const AfxiTerm *term = &study->terms[k];
        hash = hash_number(hash_number(hash, term->record), term->weight);
        hash = hash_number(hash_number(hash, isnan(term->target) ? -1e300 : term->target), term->power);
    }
    hash = hash_number(hash_text(hash, study->series), (double)study->series_every);
    return hash_number(hash, study->maximise);
}

uint64_t afxi_study_id(const AfxiStudy *study, const double *point) {
    uint64_t hash = study->base_hash;
    for (uint32_t k = 0; k < study->vary_count; k++) {
        hash = hash_number(hash_text(hash, study->vary[k].name), point[k]);
    }
    return hash;
}

/* ---- names of values ---- */

static AfxStatus join_columns(AfxiStudy *study, AfxError *out_error) {
    size_t size = 2 + (study->series ? strlen(study->series) : 0);
    for (uint32_t k = 0; k < study->record_count; k++) {
        size += strlen(study->records[k].column) + 1;
    }
    study->columns = calloc(size, 1);
    if (!study->columns) {
        return afxi_sweep_memory(out_error);
    }
    for (uint32_t k = 0; k < study->record_count; k++) {
        strcat(study->columns, k ? "," : "");
        strcat(study->columns, study->records[k].column);
    }
    if (study->series) {
        strcat(study->columns, study->record_count ? "," : "");
        strcat(study->columns, study->series);
    }
    return AFX_OK;
}

/* How many columns one name stands for. */
static AfxStatus count_columns(const AfxiStudy *study, const char *columns, uint32_t *out_count, AfxError *out_error) {
    AfxProbe *probe = NULL;
    AfxStatus status = afx_probe_create(study->base.scene, study->base.model, columns, NULL, &probe, out_error);
    *out_count = afx_probe_count(probe);
    afx_probe_destroy(probe);
    return status;
}

static AfxStatus name_values(AfxiStudy *study, const AfxProbe *probe, AfxError *out_error) {
    study->value_names = calloc(study->value_count + 1, sizeof *study->value_names);
    bool fine = study->value_names != NULL;
    for (uint32_t r = 0; r < study->record_count && fine; r++) {
        const AfxiRecord *record = &study->records[r];
        for (uint32_t k = record->first; k < record->first + record->count && fine; k++) {
            char name[400];
            bool end = record->reduction == AFXI_REDUCE_END;
            snprintf(name, sizeof name, "%s%s%s%s", end ? "" : afxi_reduction_names[record->reduction], end ? "" : "(",
                     afx_probe_name(probe, k), end ? "" : ")");
            fine = (study->value_names[k] = strdup(name)) != NULL;
        }
    }
    if (fine && study->term_count) {
        fine = (study->value_names[study->value_count - 1] = strdup("objective")) != NULL;
    }
    return fine ? AFX_OK : afxi_sweep_memory(out_error);
}

static AfxStatus check_values(AfxiStudy *study, AfxError *out_error) {
    AfxStatus status = join_columns(study, out_error);
    for (uint32_t k = 0; k < study->record_count && status == AFX_OK; k++) {
        AfxiRecord *record = &study->records[k];
        record->first = study->column_count;
        status = count_columns(study, record->column, &record->count, out_error);
        study->column_count += record->count;
    }
    if (status == AFX_OK && study->series) {
        status = count_columns(study, study->series, &study->series_width, out_error);
        study->series_frames = (uint32_t)(study->steps / study->series_every + 1);
    }
    for (uint32_t k = 0; k < study->term_count && status == AFX_OK; k++) {
        const AfxiRecord *record = &study->records[study->terms[k].record];
        if (record->count != 1) {
            return afxi_sweep_error(out_error, AFX_E_INPUT, study->path, "objective", "add .x, .total, .0 ...",
                                    "\"%.80s\" stands for %u numbers", record->column, record->count);
        }
    }
    study->value_count = study->column_count + (study->term_count ? 1 : 0);
    AfxProbe *probe = NULL;
    if (status == AFX_OK && study->columns[0]) {
        status = afx_probe_create(study->base.scene, study->base.model, study->columns, NULL, &probe, out_error);
    }
    status = status ? status : name_values(study, probe, out_error);
    afx_probe_destroy(probe);
    return status;
}

/* ---- opening ---- */

static AfxStatus read_study(AfxiReader *reader, const json_t *root, const char *scene) {
    static const char *const members[] = {"affix_sweep", "$schema", "about",     "scene",     "run",    "set", "vary",
                                          "design",      "record",  "objective", "optimiser", "series", NULL};
    AfxStatus status = afxi_read_members(reader, root, "study", members);
    if (status == AFX_OK && json_integer_value(json_object_get(root, "affix_sweep")) != 1) {
        status =
            afxi_read_refuse(reader, "affix_sweep", "begin with \"affix_sweep\": 1", "is not a study of version 1");
    }
    status = status ? status : afxi_read_scene(reader, root, scene);
    status = status ? status : afxi_read_run(reader, root);
    status = status ? status : afxi_read_vary(reader, root);
    status = status ? status : afxi_read_records(reader, root);
    status = status ? status : afxi_read_objective(reader, root);
    status = status ? status : afxi_read_optimiser(reader, root);
    return status ? status : afxi_read_design(reader, root);
}

static AfxStatus parse(AfxiStudy *study, const char *text, const char *scene, AfxError *out_error) {
    json_error_t at;
    json_t *root =
        text ? json_loads(text, JSON_REJECT_DUPLICATES, &at) : json_load_file(study->path, JSON_REJECT_DUPLICATES, &at);
    if (!root) {
        AfxStatus status =
            json_error_code(&at) == json_error_cannot_open_file
                ? afxi_sweep_system(out_error, study->path, "cannot be read", errno)
                : afxi_sweep_error(out_error, AFX_E_INPUT, study->path, "JSON syntax", "", "%s", at.text);
        if (out_error && at.line > 0) {
            out_error->line = at.line;
        }
        return status;
    }
    AfxiReader reader = {study, out_error};
    AfxStatus status = read_study(&reader, root, scene);
    json_decref(root);
    return status;
}

static AfxStatus compile(AfxiStudy *study, AfxError *out_error) {
    AfxiCaseArguments arguments = study->arguments;
    double *point = calloc(study->vary_count, sizeof *point);
    AfxStatus status = point ? AFX_OK : afxi_sweep_memory(out_error);
    if (status == AFX_OK && study->rebuilds) { /* any point will do, to see what there is; the first is in range */
        status = study->optimiser.method ? AFX_OK : afxi_study_point(study, 0, point);
        for (uint32_t k = 0; k < study->vary_count && study->optimiser.method; k++) {
            point[k] = 0.5 * (study->vary[k].from + study->vary[k].to);
        }
        if (afxi_study_arguments(study, point, &arguments, NULL) != AFX_OK) {
            arguments = study->arguments;
        }
    } else if (study->set_count) {
        status = status ? status : afxi_study_arguments(study, point, &arguments, out_error);
    }
    free(point);
    study->arguments = study->rebuilds ? study->arguments : arguments;
    status = status ? status : afxi_study_build(study, &arguments, &study->base, out_error);
    return status ? status : check_values(study, out_error);
}

AfxStatus afxi_study_open(const char *path, const char *text, const char *scene, AfxiStudy **out_study,
                          AfxError *out_error) {
    const char *slash = strrchr(path, '/');
    AfxiStudy *study = *out_study = calloc(1, sizeof *study);
    if (!study || !(study->path = strdup(path)) ||
        !(study->folder = strndup(path, slash ? (size_t)(slash - path) + 1 : 0))) {
        afxi_study_close(study);
        *out_study = NULL;
        return afxi_sweep_memory(out_error);
    }
    AfxStatus status = parse(study, text, scene, out_error);
    status = status ? status : compile(study, out_error);
    if (status != AFX_OK) {
        if (out_error && !out_error->file[0]) {
            snprintf(out_error->file, sizeof out_error->file, "%.150s", path);
        }
        afxi_study_close(study);
        *out_study = NULL;
        return status;
    }
    study->base_hash = hash_base(study);
    study->hash = hash_study(study);
    return AFX_OK;
}

static void free_varies(AfxiVary *items, uint32_t count) {
    for (uint32_t k = 0; items && k < count; k++) {
        free(items[k].name);
        free(items[k].values);
    }
    free(items);
}

void afxi_study_close(AfxiStudy *study) {
    if (!study) {
        return;
    }
    afxi_built_destroy(&study->base);
    free_varies(study->set, study->set_count);
    free_varies(study->vary, study->vary_count);
    for (uint32_t k = 0; k < study->record_count; k++) {
        free(study->records[k].column);
    }
    for (uint32_t k = 0; study->value_names && k < study->value_count; k++) {
        free(study->value_names[k]);
    }
    char *texts[] = {study->path, study->folder, study->label, study->scene_path, study->columns, study->series};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        free(texts[k]);
    }
    afxi_file_case_destroy(study->file);
    free(study->value_names);
    free(study->records);
    free(study->terms);
    free(study->points);
    free(study);
}

uint64_t afxi_study_run_count(const AfxiStudy *study) {
    return study->run_count;
}

uint32_t afxi_study_vary_count(const AfxiStudy *study) {
    return study->vary_count;
}

const char *afxi_study_vary_name(const AfxiStudy *study, uint32_t k) {
    return k < study->vary_count ? study->vary[k].name : NULL;
}

uint32_t afxi_study_value_count(const AfxiStudy *study) {
    return study->value_count;
}

const char *afxi_study_value_name(const AfxiStudy *study, uint32_t k) {
    return k < study->value_count ? study->value_names[k] : NULL;
}
