/* SPDX-License-Identifier: Apache-2.0 */
/* From a study and a point to a compiled scene, and from values to the objective. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/error.h"
#include "sweep/study.h"

static AfxStatus make_scene(const AfxiStudy *study, const AfxiCaseArguments *arguments, AfxScene **out_scene,
                            AfxError *out_error) {
    AfxSceneDef def = afx_default_scene();
    *out_scene = NULL;
    if (!study->scene_path) {
        return afxi_case_build(arguments, &def, out_scene, out_error);
    }
    AfxStatus status = afx_scene_create(&def, out_scene);
    return status ? afxi_sweep_memory(out_error)
                  : afxi_file_case_load(study->file, arguments, study->scene_path, &study->load, *out_scene, out_error);
}

static AfxStatus find_places(const AfxiStudy *study, AfxiBuilt *built, AfxError *out_error) {
    AfxStatus status = AFX_OK;
    built->places = calloc(study->set_count + study->vary_count, sizeof *built->places);
    if (!built->places) {
        return afxi_sweep_memory(out_error);
    }
    for (uint32_t k = 0; k < study->set_count + study->vary_count && status == AFX_OK; k++) {
        const AfxiVary *vary = k < study->set_count ? &study->set[k] : &study->vary[k - study->set_count];
        if (!vary->parameter) {
            status = afxi_param_find(built->scene, built->model, vary->name, &built->places[k], out_error);
        }
    }
    return status;
}

AfxStatus afxi_study_build(const AfxiStudy *study, const AfxiCaseArguments *arguments, AfxiBuilt *out_built,
                           AfxError *out_error) {
    *out_built = (AfxiBuilt){0};
    AfxStatus status = make_scene(study, arguments, &out_built->scene, out_error);
    if (status == AFX_OK && study->rigid) {
        status = afx_scene_make_rigid(out_built->scene);
        if (status != AFX_OK && out_error) {
            *out_error = *afx_scene_error(out_built->scene);
        }
    }
    status = status ? status : afx_model_create_with(out_built->scene, &study->model, &out_built->model, out_error);
    status = status ? status : find_places(study, out_built, out_error);
    if (status != AFX_OK) {
        afxi_built_destroy(out_built);
    }
    return status;
}

void afxi_built_destroy(AfxiBuilt *built) {
    afx_model_destroy(built->model);
    afx_scene_destroy(built->scene);
    free(built->places);
    *built = (AfxiBuilt){0};
}

void afxi_study_format(const AfxiVary *vary, double value, char *out_text, size_t size) {
    if (vary->parameter && vary->parameter->kind == AFXI_CASE_CHOICE) {
        snprintf(out_text, size, "%s", vary->parameter->choices[(uint32_t)value]);
    } else {
        snprintf(out_text, size, "%.17g", value);
    }
}

AfxStatus afxi_study_arguments(const AfxiStudy *study, const double *point, AfxiCaseArguments *out_arguments,
                               AfxError *out_error) {
    char texts[AFXI_CASE_PARAMETER_LIMIT][120];
    const char *given[AFXI_CASE_PARAMETER_LIMIT];
    uint32_t count = 0;
    *out_arguments = study->arguments;
    for (uint32_t k = 0; k < study->set_count + study->vary_count; k++) {
        bool set = k < study->set_count;
        const AfxiVary *vary = set ? &study->set[k] : &study->vary[k - study->set_count];
        if (vary->parameter && count < AFXI_CASE_PARAMETER_LIMIT) {
            int head = snprintf(texts[count], sizeof texts[count], "%s=", vary->name);
            afxi_study_format(vary, set ? vary->from : point[k - study->set_count], texts[count] + head,
                              sizeof texts[count] - (size_t)head);
            given[count] = texts[count];
            count++;
        }
    }
    if (count == 0) {
        return AFX_OK;
    }
    AfxiCaseArguments changed;
    AfxStatus status = afxi_case_arguments(study->arguments.from, count, given, &changed, out_error);
    for (uint32_t k = 0; k < study->set_count + study->vary_count && status == AFX_OK; k++) {
        const AfxiVary *vary = k < study->set_count ? &study->set[k] : &study->vary[k - study->set_count];
        if (vary->parameter) {
            size_t index = (size_t)(vary->parameter - study->arguments.from->parameters);
            out_arguments->values[index] = changed.values[index];
        }
    }
    return status;
}

static double term_value(const AfxiStudy *study, const AfxiTerm *term, const double *values) {
    double x = values[study->records[term->record].first];
    return term->weight * (isnan(term->target) ? x : pow(fabs(x - term->target), term->power));
}

double afxi_study_objective(const AfxiStudy *study, const double *values) {
    double sum = 0;
    for (uint32_t k = 0; k < study->term_count; k++) {
        sum += term_value(study, &study->terms[k], values);
    }
    return study->maximise ? -sum : sum;
}

double afxi_study_residual(const AfxiStudy *study, uint32_t term, const double *values) {
    const AfxiTerm *of = &study->terms[term];
    return sqrt(of->weight) * (values[study->records[of->record].first] - of->target);
}
