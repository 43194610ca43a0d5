/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of what phase fitting adds (body/phase.h). */
#include "math/simd.h"

#if AFXI_WIDE_PAYS

#include "body/phase_wide.h"
#include "body/quad_wide.h"

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

/* Lanes that have a gap. */
static bool any_gap(const Wide gap[AFXI_AFFINE_WIDTH], const Wide last[AFXI_AFFINE_WIDTH]) {
    Wide sum = wide_all(0);
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        sum = wide_fma(gap[k], gap[k], wide_fma(last[k], last[k], sum));
    }
    return wide_any(~wide_equal(sum, wide_all(0)));
}

/* Spare lanes of the last group repeat its last body. */
static bool add_rows(const AfxiPhaseStage *stage, const uint32_t *bodies, uint32_t count, double *rows) {
    bool remembers = stage->phase == AFXI_PHASE_TWO_STEP, any = false;
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
            any = true;
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
        any = any || (remembers && any_gap(gap, last));
    }
    return any;
}

/* ---- one body, its numbers side by side ---- */

/* A x + b, in its first three numbers; columns of A one after the other. */
WIDE_INLINE Quad applied(const double *a, const double x[3], Quad b) {
    for (int k = 0; k < 3; k++) {
        b = quad_fma(quad_load(a + 3 * k), quad_all(x[k]), b);
    }
    return b;
}

/* The joint as the parent sees it: its A^T (A p + t - its t). */
WIDE_INLINE void joint_in_parent(const AfxiPhaseJoint *joint, double out[3]) {
    const double *own = joint->q, *its = joint->parent_q;
    double apart[3];
    for (int i = 0; i < 3; i++) {
        const double *p = joint->point;
        apart[i] = own[i] * p[0] + own[3 + i] * p[1] + own[6 + i] * p[2] + (own[9 + i] - its[9 + i]);
    }
    for (int k = 0; k < 3; k++) {
        out[k] = its[3 * k] * apart[0] + its[3 * k + 1] * apart[1] + its[3 * k + 2] * apart[2];
    }
}

static void about(const AfxiPhaseJoint *joint, int end) {
    const double *p = joint->point, less[3] = {-p[0], -p[1], -p[2]};
    double beyond[3];
    if (joint->parent) {
        joint_in_parent(joint, beyond);
    }
    for (int at = 0; at < end; at += AFXI_AFFINE_WIDTH) {
        Quad sum = quad_all(0);
        if (joint->parent) { /* what is behind t is of the next part, and no matter */
            sum = applied(joint->parent + at, beyond, quad_load(joint->parent + at + 9));
        }
        sum = applied(joint->row + at, less, sum);
        for (int k = 0; k < 3; k++) {
            joint->row[at + 9 + k] = wide_lane(sum.part[k / AFXI_LANES], k % AFXI_LANES);
        }
    }
}

static void finish(const double *gap, const double *last, double gap_weight, double last_weight, double *row) {
    Quad qhat[QUADS];
    quad_load12(row + AFXI_PHASE_QHAT, qhat);
    quad_add(row + AFXI_PHASE_EASE, -1, qhat); /* it has no part on t */
    if (gap) {
        quad_add(gap, gap_weight, qhat);
        quad_add(last, last_weight, qhat);
    }
    quad_store12(row + AFXI_PHASE_QHAT, qhat);
}

extern const AfxiPhaseKernel AFXI_WIDE(afxi_phase);
const AfxiPhaseKernel AFXI_WIDE(afxi_phase) = {add_rows, about, finish};

#else
typedef int AfxiNoPhaseVariant; /* a file may not be empty */
#endif
