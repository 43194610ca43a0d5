/* SPDX-License-Identifier: Apache-2.0 */
/* Going through spans of ball chains, one per lane, for chain_wide.c: what a lane is at, its rows of numbers, and small
 * products. */
#ifndef AFXI_DUAL_CHAIN_SWEEP_WIDE_H
#define AFXI_DUAL_CHAIN_SWEEP_WIDE_H

#include "dual/chain.h"
#include "math/vector_wide.h"

/* Pairs (0,1), (0,2), (1,2): their two indices; the rest is in inverse_wide.h. */
static const int pair_i[3] = {0, 0, 1}, pair_k[3] = {1, 2, 2};

/* What is the same for all links of a sweep: constants of a kernel, which is compiled for each that it is called with.
 */
typedef struct Kind {
    bool exact; /* frames and stiffness are those of the last result */
    bool step;  /* a stage of a step, not another task */
    bool axial; /* ends of links are on their first axes */
    bool turns; /* condenses for the next step on its way back (afxi_chain_turns) */
} Kind;

/* What the way there leaves for the back substitution. */
typedef struct Link {
    Wide r[9];     /* frame */
    Wide pair[9];  /* P_ik, P_ki, O of each pair */
    Wide twist[6]; /* M of the exact stiffness: xx, yy, zz, xy, xz, yz */
    Wide beta[9];  /* R^T A - I without joints */
    Wide moved[3]; /* t less its target without joints */
    Wide gamma;
    Wide w[9], y[3]; /* lambda = y + W lambda_right */
    /* where it turns: what was read, its combinations for A, and those for t */
    Wide q[AFXI_AFFINE_WIDTH], v[AFXI_AFFINE_WIDTH], x3[9], qv[9], target[3], drift[3];
} Link;

/* Weights of a stage (body/free.h, chain_past_wide.h). */
typedef struct Weights {
    Wide qv_q, qv_x2, drift_x3, drift_v, h_rate, per_h;
    Wide line, bend, more;
} Weights;

typedef struct Sweep {
    const AfxiChainStage *stage;
    AfxiChainPiece *piece[AFXI_LANES];
    uint32_t link[AFXI_LANES], slot[AFXI_LANES];
    uint32_t count;
    bool collinear; /* the links */
    double enough;  /* as in the stage; a link that is thrown about by contacts keeps the coarse bound */
    uint32_t alike_begin, alike_end; /* links between these two have tables and neighbours of their neighbours */
    uint32_t body[AFXI_LANES];       /* of link alike_begin */
    size_t ahead[AFXI_LANES];        /* rows of q where the group begins that is worked on next */
    uint32_t ahead_count;            /* its links; 0: there is none, or their bodies do not follow one another */
    const double *class_row[AFXI_LANES], *shape_row[AFXI_LANES]; /* what is loaded */
    Wide constants[AFXI_CHAIN_SIZE];
    Wide shape[AFXI_AFFINE_WIDTH];
    Weights weights;
    Wide multiplier[4]; /* of the slot between the link that was prepared last and the next one, before this solve */
} Sweep;

enum { LEFT = 0, LEFT_LENGTH = 3, RIGHT = 4, RIGHT_LENGTH = 7, RATIO = 8 };

/* One link of every lane. */
typedef struct Rows {
    size_t at[AFXI_LANES]; /* of q */
    uint32_t body[AFXI_LANES];
} Rows;

/* Rows that are all the same, as equal links' are, are read once. */
WIDE_INLINE void load_table(const double *const row[AFXI_LANES], const double *loaded[AFXI_LANES], int quads,
                            Wide *out) {
    bool same = true, equal = true;
    for (int l = 0; l < AFXI_LANES; l++) {
        same &= row[l] == loaded[l];
        equal &= row[l] == row[0];
    }
    if (same) {
        return;
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        loaded[l] = row[l];
    }
    if (equal) {
        for (int k = 0; k < 4 * quads; k++) {
            out[k] = wide_all(row[0][k]);
        }
    } else {
        wide_gather(row, quads, out);
    }
}

WIDE_INLINE Rows visit(Sweep *sweep, uint32_t k) {
    const AfxiChainStage *stage = sweep->stage;
    const double *class_row[AFXI_LANES], *shape_row[AFXI_LANES];
    Rows rows;
    if (k > sweep->alike_begin && k + 1 < sweep->alike_end) {
        for (int l = 0; l < AFXI_LANES; l++) {
            rows.body[l] = sweep->body[l] + k;
            rows.at[l] = (size_t)AFXI_AFFINE_WIDTH * rows.body[l];
        }
        return rows;
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        const AfxiChainLink *link = &stage->chains->link[sweep->link[l] + k];
        rows.body[l] = link->body;
        rows.at[l] = (size_t)AFXI_AFFINE_WIDTH * link->body;
        class_row[l] = stage->constants + (size_t)AFXI_CHAIN_SIZE * stage->class_of[link->body];
        shape_row[l] = (const double *)&stage->chains->shape[link->shape];
    }
    load_table(class_row, sweep->class_row, AFXI_CHAIN_SIZE / 4, sweep->constants);
    load_table(shape_row, sweep->shape_row, 3, sweep->shape);
    return rows;
}

/* What is asked for ahead: the lanes are too many streams for the machine to foresee. One array at a time, and some
 * work in between: a machine can wait for two dozen cache lines at a time, and for nothing else meanwhile. */
WIDE_INLINE void prefetch_rows(const Sweep *sweep, const double *array, uint32_t k, const bool write) {
    if (k >= sweep->ahead_count) {
        return;
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        const double *row = array + sweep->ahead[l] + (size_t)AFXI_AFFINE_WIDTH * k;
        if (write) {
            __builtin_prefetch(row, 1, 2);
            __builtin_prefetch(row + 8, 1, 2);
        } else {
            __builtin_prefetch(row, 0, 2);
            __builtin_prefetch(row + 8, 0, 2);
        }
    }
}

WIDE_INLINE void gather12(const double *base, const Rows *rows, Wide out[AFXI_AFFINE_WIDTH]) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + rows->at[l];
    }
    wide_gather(row, 3, out);
}

/* Three numbers from a member of each lane's piece. */
#define PIECE3(sweep, member, out)                           \
    for (int c_ = 0; c_ < 3; c_++) {                         \
        WideView view_;                                      \
        for (int l_ = 0; l_ < AFXI_LANES; l_++) {            \
            view_.lane[l_] = (sweep)->piece[l_]->member[c_]; \
        }                                                    \
        (out)[c_] = view_.wide;                              \
    }
#define PIECE_STORE(sweep, member, count, in)                         \
    for (int l_ = 0; l_ < AFXI_LANES; l_++) {                         \
        for (int c_ = 0; c_ < (count); c_++) {                        \
            (sweep)->piece[l_]->member[c_] = wide_lane((in)[c_], l_); \
        }                                                             \
    }

#endif
