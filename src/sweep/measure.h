/* SPDX-License-Identifier: Apache-2.0 */
/* What a run gives: its records, reduced over all states from the first to the last, and the series. */
#ifndef AFXI_SWEEP_MEASURE_H
#define AFXI_SWEEP_MEASURE_H

#include "sweep/study.h"

typedef struct AfxiMeasure {
    const AfxiStudy *study;
    AfxProbe *probe;
    double *row;    /* [columns of the probe] of the present state */
    double *before; /* [columns] of the state before, for integrals */
    double *values; /* [value_count] */
    double *series; /* [series_frames][series_width]; NULL: none */
    double time;    /* of the state before */
    uint64_t states;
} AfxiMeasure;

AfxStatus afxi_measure_create(const AfxiStudy *study, AfxiMeasure *out_measure, AfxError *out_error);
void afxi_measure_destroy(AfxiMeasure *measure);
/** Takes the columns of a scene; AFX_E_INPUT when they are other ones than those of the study. */
AfxStatus afxi_measure_use(AfxiMeasure *measure, const AfxiBuilt *built, AfxError *out_error);
/** Forgets the last run. */
void afxi_measure_begin(AfxiMeasure *measure);
/** Takes note of the state after `step` steps (0: the start). */
void afxi_measure_state(AfxiMeasure *measure, const AfxSim *sim, const AfxStepReport *report, uint64_t step);
/** Works out the values; all are NaN for a run that failed. */
void afxi_measure_end(AfxiMeasure *measure, bool failed);

#endif
