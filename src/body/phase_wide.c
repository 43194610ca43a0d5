/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of what phase fitting adds (body/phase.h). */
#include "math/simd.h"

#if AFXI_WIDE_PAYS

#include "body/phase_wide.h"
#include "body/quad_wide.h"

/* Bodies of the lanes; spare ones repeat the last. */
typedef struct Lanes {
    uint32_t body[AFXI_LANES];
    double *row[AFXI_LANES];
} Lanes;

static Lanes lanes_of(const uint32_t *bodies, uint32_t at, uint32_t count, double *rows) {
    Lanes out;
    for (uint32_t l = 0; l < AFXI_LANES; l++) {
        uint32_t item = at + l < count ? at + l : count - 1;
        out.body[l] = bodies[item];
        out.row[l] = rows + (size_t)AFXI_PHASE_SIZE * item;
    }
    return out;
}

/* A part of the rows, which has nothing on t. */
WIDE_INLINE void store(const Lanes *lanes, int at, const Wide a[9]) {
    double *to[AFXI_LANES];
    Wide out[AFXI_AFFINE_WIDTH];
    for (int l = 0; l < AFXI_LANES; l++) {
        to[l] = lanes->row[l] + at;
    }
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        out[k] = k < 9 ? a[k] : wide_all(0);
    }
    wide_scatter(to, 3, out);
}

WIDE_INLINE void clear(const Lanes *lanes, int begin, int end) {
    for (int l = 0; l < AFXI_LANES; l++) {
        for (int k = begin; k < end; k += QUAD) {
            quad_store(lanes->row[l] + k, quad_all(0));
        }
    }
}

WIDE_INLINE void load(const double *base, const Lanes *lanes, Wide out[AFXI_AFFINE_WIDTH]) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + (size_t)AFXI_AFFINE_WIDTH * lanes->body[l];
    }
    wide_gather(row, 3, out);
}

/* Whether a body has a gap. */
static bool any_gap(const AfxiPhaseStage *stage, const Lanes *lanes) {
    Quad sum = quad_all(0);
    for (int l = 0; l < AFXI_LANES; l++) {
        const double *gap = stage->gap + (size_t)AFXI_AFFINE_WIDTH * lanes->body[l];
        const double *last = stage->last_gap + (size_t)AFXI_AFFINE_WIDTH * lanes->body[l];
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k += QUAD) {
            sum = quad_fma(quad_load(gap + k), quad_load(gap + k), sum);
            sum = quad_fma(quad_load(last + k), quad_load(last + k), sum);
        }
    }
    return !(quad_sum(sum) == 0);
}

static WideMask rigid_of(const AfxiPhaseStage *stage, const Lanes *lanes) {
    WideView compliance;
    for (int l = 0; l < AFXI_LANES; l++) {
        compliance.lane[l] = 1 / stage->classes[stage->class_of[lanes->body[l]]].young;
    }
    return wide_equal(compliance.wide, wide_all(0));
}

/* Parts of a row that a later stage may read: all that has a place, gaps of a start, and what is eased. */
WIDE_INLINE void store_rows(const Lanes *lanes, const PhaseRows *rows) {
    store(lanes, AFXI_PHASE_QHAT, rows->qhat);
    store(lanes, AFXI_PHASE_QV, rows->qv);
    if (rows->expects) {
        store(lanes, AFXI_PHASE_LINE, rows->line);
        store(lanes, AFXI_PHASE_BEND, rows->bend);
    } else {
        clear(lanes, AFXI_PHASE_LINE, AFXI_PHASE_NEXT);
    }
    if (rows->starts) {
        store(lanes, AFXI_PHASE_NEXT, rows->next);
        store(lanes, AFXI_PHASE_LAST, rows->last);
    } else {
        clear(lanes, AFXI_PHASE_NEXT, AFXI_PHASE_EASE);
    }
    if (rows->eased) {
        store(lanes, AFXI_PHASE_EASE, rows->ease);
    } else {
        clear(lanes, AFXI_PHASE_EASE, AFXI_PHASE_SIZE);
    }
}

static bool add_rows(const AfxiPhaseStage *stage, const uint32_t *bodies, uint32_t count, double *rows) {
    bool remembers = stage->phase == AFXI_PHASE_TWO_STEP, any = false;
    for (uint32_t at = 0; at < count; at += AFXI_LANES) {
        const Lanes lanes = lanes_of(bodies, at, count, rows);
        const WideMask rigid = rigid_of(stage, &lanes);
        Wide q[AFXI_AFFINE_WIDTH], v[AFXI_AFFINE_WIDTH], x2[AFXI_AFFINE_WIDTH], x3[AFXI_AFFINE_WIDTH];
        Wide gap[AFXI_AFFINE_WIDTH], last[AFXI_AFFINE_WIDTH];
        PhaseTurn now;
        PhaseRows out;
        load(stage->q, &lanes, q);
        load(stage->v, &lanes, v);
        if (!phase_begin(stage, q, v, rigid, &now)) {
            any = any || (remembers && any_gap(stage, &lanes));
            clear(&lanes, 0, AFXI_PHASE_SIZE);
            continue;
        }
        load(stage->x2, &lanes, x2);
        load(stage->x3, &lanes, x3);
        load(remembers ? stage->gap : stage->v, &lanes, gap);
        load(remembers ? stage->last_gap : stage->v, &lanes, last);
        const PhasePast past = {q, v, x2, x3, gap, last};
        phase_fill(stage, &past, rigid, &now, &out);
        store_rows(&lanes, &out);
        any = true;
    }
    return any;
}

/* ---- one body, its numbers side by side ---- */

/* The joint as the parent sees it: its A^T (A p + t - its t). */
WIDE_INLINE void joint_in_parent(const double *p, const double *own, const double *its, double out[3]) {
    double apart[3];
    for (int i = 0; i < 3; i++) {
        apart[i] = own[i] * p[0] + own[3 + i] * p[1] + own[6 + i] * p[2] + (own[9 + i] - its[9 + i]);
    }
    for (int k = 0; k < 3; k++) {
        out[k] = its[3 * k] * apart[0] + its[3 * k + 1] * apart[1] + its[3 * k + 2] * apart[2];
    }
}

/* The parts of a row that have a place end here: gaps are made at a start alone. */
WIDE_INLINE int parts_end(const AfxiPhaseStage *stage) {
    return stage->phase == AFXI_PHASE_START ? AFXI_PHASE_EASE : AFXI_PHASE_NEXT;
}

/* A body whose joint is there, in the parts of its row up to `end`. */
WIDE_INLINE void turn_about(const AfxiPhaseStage *stage, const AfxiPhaseTree *tree, uint32_t slot, int end) {
    const AfxiPhaseNode *node = &tree->node[slot];
    const double *p = node->point, *parent = tree->rows + (size_t)AFXI_PHASE_SIZE * node->parent;
    double *row = tree->rows + (size_t)AFXI_PHASE_SIZE * slot, beyond[3];
    if (node->parent) {
        joint_in_parent(p, stage->q + (size_t)AFXI_AFFINE_WIDTH * tree->body[slot],
                        stage->q + (size_t)AFXI_AFFINE_WIDTH * tree->body[node->parent], beyond);
    }
    for (int at = 0; at < end; at += AFXI_AFFINE_WIDTH) {
        Quad sum = quad_all(0);
        if (node->parent) { /* what is behind t is of the next part, and no matter */
            sum = quad_load(parent + at + 9);
            for (int k = 0; k < 3; k++) {
                sum = quad_fma(quad_load(parent + at + 3 * k), quad_all(beyond[k]), sum);
            }
        }
        for (int k = 0; k < 3; k++) {
            sum = quad_fma(quad_load(row + at + 3 * k), quad_all(-p[k]), sum);
        }
        for (int k = 0; k < 3; k++) {
            row[at + 9 + k] = wide_lane(sum.part[k / AFXI_LANES], k % AFXI_LANES);
        }
    }
}

static bool about(const AfxiPhaseStage *stage, const AfxiPhaseTree *tree, uint32_t first, uint32_t end) {
    const int parts = parts_end(stage);
    bool loose = false;
    for (uint32_t slot = first; slot < end; slot++) {
        const AfxiPhaseNode *node = &tree->node[slot];
        const bool held = node->joint != UINT32_MAX && tree->active[node->joint];
        tree->root[slot] = !held ? slot : node->parent ? tree->root[node->parent] : 0;
        loose |= tree->root[slot] != 0;
        if (held) {
            turn_about(stage, tree, slot, parts);
        }
    }
    return loose;
}

static void finish(const AfxiPhaseStage *stage, const uint32_t *bodies, uint32_t count, double *rows) {
    const double *weight = stage->weights->qhat;
    for (uint32_t k = 0; k < count; k++, rows += AFXI_PHASE_SIZE) {
        const size_t at = (size_t)AFXI_AFFINE_WIDTH * bodies[k];
        Quad qhat[QUADS];
        quad_load12(rows + AFXI_PHASE_QHAT, qhat);
        quad_add(rows + AFXI_PHASE_EASE, -1, qhat); /* it has no part on t */
        if (stage->phase == AFXI_PHASE_TWO_STEP) {
            quad_add(stage->gap + at, weight[1], qhat);
            quad_add(stage->last_gap + at, weight[3], qhat);
        }
        quad_store12(rows + AFXI_PHASE_QHAT, qhat);
    }
}

extern const AfxiPhaseKernel AFXI_WIDE(afxi_phase);
const AfxiPhaseKernel AFXI_WIDE(afxi_phase) = {add_rows, about, finish};

#else
typedef int AfxiNoPhaseVariant; /* a file may not be empty */
#endif
