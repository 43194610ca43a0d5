/* SPDX-License-Identifier: Apache-2.0 */
/* Ball chains: constants of a class, the choice of the kernels, and the separators between spans, which are a chain of
 * 3x3 blocks themselves. */
#include "dual/chain.h"

#include <math.h>
#include <string.h>

#include "math/variant.h"

static const int pair_i[3] = {0, 0, 1}, pair_k[3] = {1, 2, 2};

void afxi_chain_constants(const AfxiBodyClass *body, AfxiScale scale, double *out) {
    AfxiBlocks blocks = afxi_body_blocks(body, scale, 0);
    double shear = body->young / (2 * (1 + body->poisson)), e = 1 / (body->volume * shear), least = INFINITY;
    out[AFXI_CHAIN_COMPLIANCE] = e;
    for (int p = 0; p < 3; p++) {
        double d = blocks.c[pair_i[p]], a = blocks.c[pair_k[p]];
        out[AFXI_CHAIN_C + p] = blocks.c[p];
        out[AFXI_CHAIN_DET + p] = e * a * d + (a + d);
        out[AFXI_CHAIN_DET_GAMMA + p] = 1 + 0.25 * e * (a + d);
        out[AFXI_CHAIN_THETA + p] = out[AFXI_CHAIN_DET_GAMMA + p] / out[AFXI_CHAIN_DET + p];
        least = fmin(least, body->s[pair_i[p]] + body->s[pair_k[p]]);
    }
    for (int k = 0; k < 6; k++) {
        out[AFXI_CHAIN_DIAGONAL + k] = blocks.diagonal[k];
    }
    out[AFXI_CHAIN_TRANSLATION] = blocks.translation;
    out[AFXI_CHAIN_WEIGHT_A] = blocks.weight_a;
    out[AFXI_CHAIN_WEIGHT_T] = blocks.weight_t;
    out[AFXI_CHAIN_GRAVITY] = body->gravity * scale.h_squared * blocks.weight_t;
    out[AFXI_CHAIN_INERTIA] = least / scale.h_squared;
}

#define DECLARE(variant)                                    \
    extern AfxiChainCondense afxi_chain_condense_##variant; \
    extern AfxiChainSolve afxi_chain_solve_##variant;       \
    extern const size_t afxi_chain_scratch_##variant;
#define VARIANT(variant, lanes)                                                                        \
    (AfxiChainVariant) {                                                                               \
        afxi_chain_condense_##variant, afxi_chain_solve_##variant, lanes, afxi_chain_scratch_##variant \
    }

DECLARE(base_2)
#ifdef AFXI_X86_VARIANTS
DECLARE(avx2_1)
DECLARE(avx2_4)
#endif

AfxiChainVariant afxi_chain_variant(uint32_t lanes) {
#ifdef AFXI_X86_VARIANTS
    if (afxi_instructions() >= AFXI_INSTRUCTIONS_AVX2) {
        return lanes == 1 ? VARIANT(avx2_1, 1) : VARIANT(avx2_4, 4);
    }
#endif
    (void)lanes;
    return VARIANT(base_2, 2);
}

bool afxi_chain_turns(const AfxiChainStage *stage, const AfxiChainStage *after) {
    const AfxiStageWeights *w = &stage->weights;
    return stage->task == AFXI_CHAIN_STAGE && stage->mode == AFXI_FREE_MULTISTEP && stage->first && !stage->damped &&
           !stage->forces && stage->rate && stage->old_q && stage->parabola[0] != 0 && w->drift[0] == 0 &&
           w->qv[1] == 0 && after->mode == stage->mode && memcmp(w, &after->weights, sizeof *w) == 0 &&
           stage->predict == after->predict && stage->parabola[0] == after->parabola[0] &&
           stage->parabola[1] == after->parabola[1];
}

/* ---- separators ---- */

/* Solves the symmetric positive system d x = b, d as xx, yy, zz, xy, xz, yz, for `count` right-hand sides in place. */
static void solve_symmetric(const double d[6], double *b, int count) {
    double i0 = 1 / d[0], l1 = d[3] * i0, l2 = d[4] * i0;
    double i1 = 1 / (d[1] - l1 * d[3]), m = d[5] - l1 * d[4], l3 = m * i1;
    double i2 = 1 / (d[2] - l2 * d[4] - l3 * m);
    for (int k = 0; k < count; k++, b += 3) {
        b[1] -= l1 * b[0];
        b[2] = (b[2] - l2 * b[0] - l3 * b[1]) * i2;
        b[1] = b[1] * i1 - l3 * b[2];
        b[0] = b[0] * i0 - l1 * b[1] - l2 * b[2];
    }
}

static bool inner_on(const AfxiChainStage *stage, uint32_t span) {
    return stage->all_on || stage->joint_active[stage->chains->slot_joint[stage->chains->span[span].first_slot]];
}

/* Separator k is the left end of piece k; D, r and the coupling are reduced in the pieces' own places. */
void afxi_chain_separators(const AfxiChainStage *stage, const AfxiChain *chain) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    AfxiChainPiece *piece = stage->piece + chain->first_piece;
    uint32_t count = chain->piece_count;
    double d[6] = {0}, r[3], w[AFXI_AFFINE_WIDTH]; /* w: D^-1 coupling, then D^-1 r */
    vec3_store(r, vec3_load(piece[0].outside_left));
    for (uint32_t k = 0; k < count; k++) {
        AfxiChainPiece *own = &piece[k];
        bool on = k ? inner_on(stage, chain->first_piece + k) : own->slot_left != 0;
        for (int e = 0; e < 6; e++) {
            d[e] = on ? d[e] + own->left[e] : e < 3;
        }
        for (int e = 0; e < 9; e++) { /* (left, right) column-major */
            own->coupling[e] = on ? own->coupling[e] : 0;
            w[e] = own->coupling[e];
        }
        for (int e = 0; e < 3; e++) {
            w[9 + e] = on ? r[e] + own->left_rhs[e] : 0;
        }
        solve_symmetric(d, w, 4);
        for (int e = 0; e < 6; e++) {
            const double *c = own->coupling + 3 * row[e], *z = w + 3 * column[e];
            d[e] = own->right[e] - (c[0] * z[0] + c[1] * z[1] + c[2] * z[2]);
        }
        for (int i = 0; i < 3; i++) {
            const double *c = own->coupling + 3 * i;
            r[i] = own->right_rhs[i] - (c[0] * w[9] + c[1] * w[10] + c[2] * w[11]);
        }
        for (int e = 0; e < 9; e++) {
            own->coupling[e] = w[e];
        }
        vec3_store(own->lambda_left, vec3_load(w + 9));
    }
    AfxiChainPiece *last = &piece[count - 1];
    bool on = last->slot_right != 0;
    for (int e = 0; e < 6; e++) {
        d[e] = on ? d[e] : e < 3;
    }
    for (int e = 0; e < 3; e++) {
        r[e] = on ? r[e] - last->outside_right[e] : 0;
    }
    solve_symmetric(d, r, 1);
    for (uint32_t k = count; k-- > 0;) {
        AfxiChainPiece *own = &piece[k];
        vec3_store(own->lambda_right, vec3_load(r));
        for (int i = 0; i < 3; i++) {
            const double *c = own->coupling;
            own->lambda_left[i] -=
                c[i] * own->lambda_right[0] + c[3 + i] * own->lambda_right[1] + c[6 + i] * own->lambda_right[2];
        }
        vec3_store(r, vec3_load(own->lambda_left));
    }
}
