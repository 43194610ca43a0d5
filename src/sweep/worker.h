/* SPDX-License-Identifier: Apache-2.0 */
/* One run after the other in one thread. The model is that of the study, or one of its own where parameters of the case
 * vary; the sim is reset to its start, which gives the bits of a new one. */
#ifndef AFXI_SWEEP_WORKER_H
#define AFXI_SWEEP_WORKER_H

#include "sweep/study.h"

#define AFXI_REASON 200

typedef struct AfxiResult {
    AfxStatus status;
    uint64_t steps; /* made */
    double time;    /* reached, s */
    uint64_t hash;  /* of the last state */
    char reason[AFXI_REASON];
    const double *values; /* [value_count], the worker's; NaN where the run failed */
    const double *series; /* [series_frames][series_width]; NULL: none */
} AfxiResult;

/** Does a run. What goes wrong in it is in the result: only AFX_E_MEMORY concerns more than this run. */
void afxi_worker_run(AfxiWorker *worker, const double *point, AfxiResult *out_result);
/** Does a run and writes a page that plays it. */
AfxStatus afxi_worker_replay(AfxiWorker *worker, const double *point, const char *path, const char *title,
                             AfxError *out_error);

#endif
