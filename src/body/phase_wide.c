/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of what phase fitting adds (body/phase.h). */
#include "math/simd.h"

#include "body/phase_wide.h"

AfxiPhaseKernel AFXI_WIDE(afxi_phase);

static void store(double *const row[AFXI_LANES], int at, const Wide a[9]) {
    for (int l = 0; l < AFXI_LANES; l++) {
        for (int k = 0; k < 9; k++) {
            row[l][at + k] = wide_lane(a[k], l);
        }
    }
}

static void load(const double *base, const uint32_t body[AFXI_LANES], Wide out[AFXI_AFFINE_WIDTH]) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + (size_t)AFXI_AFFINE_WIDTH * body[l];
    }
    wide_gather(row, 3, out);
}

/* Spare lanes of the last group repeat its last body. */
void AFXI_WIDE(afxi_phase)(const AfxiPhaseStage *stage, const uint32_t *bodies, uint32_t count, double *rows) {
    bool remembers = stage->phase == AFXI_PHASE_TWO_STEP;
    for (uint32_t at = 0; at < count; at += AFXI_LANES) {
        uint32_t body[AFXI_LANES];
        double *row[AFXI_LANES];
        Wide q[AFXI_AFFINE_WIDTH], v[AFXI_AFFINE_WIDTH], x2[AFXI_AFFINE_WIDTH], x3[AFXI_AFFINE_WIDTH];
        Wide gap[AFXI_AFFINE_WIDTH], last[AFXI_AFFINE_WIDTH];
        WideView compliance;
        PhaseRows out;
        for (uint32_t l = 0; l < AFXI_LANES; l++) {
            uint32_t item = at + l < count ? at + l : count - 1;
            body[l] = bodies[item];
            row[l] = rows + (size_t)AFXI_PHASE_SIZE * item;
            for (int k = 0; k < AFXI_PHASE_SIZE; k++) {
                row[l][k] = 0;
            }
        }
        for (int k = 0; k < 9; k++) { /* what is not always made */
            out.line[k] = out.bend[k] = out.next[k] = out.last[k] = out.ease[k] = wide_all(0);
        }
        for (int l = 0; l < AFXI_LANES; l++) {
            compliance.lane[l] = 1 / stage->classes[stage->class_of[body[l]]].young;
        }
        load(stage->q, body, q);
        load(stage->v, body, v);
        load(stage->x2, body, x2);
        load(stage->x3, body, x3);
        load(remembers ? stage->gap : stage->v, body, gap);
        load(remembers ? stage->last_gap : stage->v, body, last);
        const PhasePast past = {q, v, x2, x3, gap, last};
        if (wide_phase(stage, &past, wide_equal(compliance.wide, wide_all(0)), &out)) {
            store(row, AFXI_PHASE_QHAT, out.qhat);
            store(row, AFXI_PHASE_QV, out.qv);
            if (stage->expects) {
                store(row, AFXI_PHASE_LINE, out.line);
                store(row, AFXI_PHASE_BEND, out.bend);
            }
            if (out.eased) {
                store(row, AFXI_PHASE_EASE, out.ease);
            }
            if (stage->phase == AFXI_PHASE_START) {
                store(row, AFXI_PHASE_NEXT, out.next);
                store(row, AFXI_PHASE_LAST, out.last);
            }
        }
    }
}
