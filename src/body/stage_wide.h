/* SPDX-License-Identifier: Apache-2.0 */
/* What an integrator stage makes of (q, v, x2, x3), one body per lane, for *_wide.c files. */
#ifndef AFXI_BODY_STAGE_WIDE_H
#define AFXI_BODY_STAGE_WIDE_H

#include "body/free.h"
#include "math/simd.h"

/* (qhat - qv)/hv and qv, coordinate by coordinate, for `count` of q, v, x2, x3 as the stage reads them; then qhat
 * itself. */
WIDE_INLINE void wide_stage_combine(const AfxiStageWeights *w, bool history, const int count, const Wide *q,
                                    const Wide *v, const Wide *x2, const Wide *x3, Wide *drift, Wide *qv, Wide *qhat) {
    for (int k = 0; k < count; k++) {
        drift[k] = v[k];
        qv[k] = wide_all(w->qv[0]) * q[k];
    }
    if (history) {
        for (int k = 0; k < count; k++) {
            drift[k] = wide_fma(wide_all(w->drift[1]), wide_nma(wide_all(w->drift[2]), v[k], x3[k]), v[k]);
            qv[k] = wide_fma(wide_all(w->qv[2]), x2[k], qv[k]);
        }
    }
    if (history && w->drift[0] != 0) {
        for (int k = 0; k < count; k++) {
            drift[k] = wide_fma(wide_all(w->drift[0]), x2[k], drift[k]);
        }
    }
    if (w->qv[1] != 0) {
        for (int k = 0; k < count; k++) {
            qv[k] = wide_fma(wide_all(w->qv[1]), v[k], qv[k]);
        }
    }
    for (int k = 0; k < count; k++) {
        qhat[k] = wide_fma(wide_all(w->scale.h_rate), drift[k], qv[k]);
    }
}

#endif
