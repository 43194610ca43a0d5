/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/error.h"

AfxStatus afxi_measure_create(const AfxiStudy *study, AfxiMeasure *out_measure, AfxError *out_error) {
    size_t columns = (size_t)study->column_count + study->series_width + 1;
    *out_measure = (AfxiMeasure){.study = study};
    out_measure->row = malloc(columns * sizeof(double));
    out_measure->before = malloc(columns * sizeof(double));
    out_measure->values = malloc((study->value_count + 1) * sizeof(double));
    bool fine = out_measure->row && out_measure->before && out_measure->values;
    if (fine && study->series) {
        out_measure->series = malloc((size_t)study->series_frames * study->series_width * sizeof(double));
        fine = out_measure->series != NULL;
    }
    return fine ? AFX_OK : afxi_sweep_memory(out_error);
}

void afxi_measure_destroy(AfxiMeasure *measure) {
    afx_probe_destroy(measure->probe);
    free(measure->row);
    free(measure->before);
    free(measure->values);
    free(measure->series);
    *measure = (AfxiMeasure){0};
}

AfxStatus afxi_measure_use(AfxiMeasure *measure, const AfxiBuilt *built, AfxError *out_error) {
    const AfxiStudy *study = measure->study;
    afx_probe_destroy(measure->probe);
    measure->probe = NULL;
    if (!study->columns[0]) {
        return AFX_OK;
    }
    AfxStatus status = afx_probe_create(built->scene, built->model, study->columns, NULL, &measure->probe, out_error);
    if (status == AFX_OK && afx_probe_count(measure->probe) != study->column_count + study->series_width) {
        status = afxi_sweep_error(out_error, AFX_E_INPUT, NULL, "record", "add .x, .total, .0 ... to the names",
                                  "this scene has another number of columns");
    }
    return status;
}

void afxi_measure_begin(AfxiMeasure *measure) {
    measure->states = 0;
    for (size_t k = 0; measure->series && k < (size_t)measure->study->series_frames * measure->study->series_width;
         k++) {
        measure->series[k] = NAN;
    }
}

static double reduce(AfxiReduction reduction, bool first, double old, double x, double before, double dt) {
    switch (reduction) {
    case AFXI_REDUCE_START:
        return first ? x : old;
    case AFXI_REDUCE_MIN:
        return first || x < old || isnan(x) ? x : old;
    case AFXI_REDUCE_MAX:
        return first || x > old || isnan(x) ? x : old;
    case AFXI_REDUCE_PEAK:
        return first || fabs(x) > old || isnan(x) ? fabs(x) : old;
    case AFXI_REDUCE_MEAN:
        return first ? x : old + x;
    case AFXI_REDUCE_RMS:
        return first ? x * x : old + x * x;
    case AFXI_REDUCE_INTEGRAL:
        return first ? 0 : old + 0.5 * (before + x) * dt;
    default:
        return x;
    }
}

static void reduce_all(AfxiMeasure *measure, double time) {
    const AfxiStudy *study = measure->study;
    for (uint32_t r = 0; r < study->record_count; r++) {
        const AfxiRecord *record = &study->records[r];
        for (uint32_t k = record->first; k < record->first + record->count; k++) {
            measure->values[k] = reduce(record->reduction, measure->states == 0, measure->values[k], measure->row[k],
                                        measure->before[k], time - measure->time);
        }
    }
    double *swap = measure->before;
    measure->before = measure->row;
    measure->row = swap;
}

void afxi_measure_state(AfxiMeasure *measure, const AfxSim *sim, const AfxStepReport *report, uint64_t step) {
    const AfxiStudy *study = measure->study;
    bool frame = measure->series && step % study->series_every == 0;
    bool wanted = study->every_step || step == 0 || step == study->steps;
    if (!measure->probe || !(wanted || frame)) {
        return;
    }
    double time = afx_sim_time(sim);
    afx_probe_read(measure->probe, sim, report, measure->row);
    if (frame) {
        memcpy(measure->series + step / study->series_every * study->series_width, measure->row + study->column_count,
               study->series_width * sizeof(double));
    }
    if (wanted) {
        reduce_all(measure, time);
        measure->time = time;
        measure->states++;
    }
}

void afxi_measure_end(AfxiMeasure *measure, bool failed) {
    const AfxiStudy *study = measure->study;
    for (uint32_t r = 0; r < study->record_count; r++) {
        const AfxiRecord *record = &study->records[r];
        for (uint32_t k = record->first; k < record->first + record->count; k++) {
            double *value = &measure->values[k];
            double mean = *value / (double)measure->states;
            *value = record->reduction == AFXI_REDUCE_MEAN ? mean : *value;
            *value = record->reduction == AFXI_REDUCE_RMS ? sqrt(mean) : *value;
            *value = failed ? NAN : *value;
        }
    }
    if (study->term_count) {
        measure->values[study->value_count - 1] = failed ? NAN : afxi_study_objective(study, measure->values);
    }
}
