/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts of links with what is not solved for, lane by lane: what they add to a link's own block (touch.h), for
 * chain_wide.c. */
#ifndef AFXI_DUAL_CHAIN_WOODBURY_WIDE_H
#define AFXI_DUAL_CHAIN_WOODBURY_WIDE_H

#include "dual/chain_blocks_wide.h"

/* Y times the gradients of the point x of a body with frame r. */
static void woodbury_point(const AfxiWoodburySet *woodbury, uint32_t woodbury_index, const AfxiMat3 *r,
                           const double x[3], double image[3][AFXI_WOODBURY_ROWS_MOST]) {
    for (int c = 0; c < 3; c++) {
        double g[AFXI_AFFINE_WIDTH];
        for (int e = 0; e < 9; e++) {
            g[e] = r->m[3 * (e % 3) + c] * x[e / 3];
        }
        for (int e = 0; e < 3; e++) {
            g[9 + e] = e == c;
        }
        afxi_woodbury_image(woodbury, woodbury_index, g, image[c]);
    }
}

static double woodbury_product(const double *a, const double *b, uint32_t count) {
    double sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* The contacts of one lane's link: its free motion, where its ends then are, and its blocks. */
static void woodbury_lane(Sweep *sweep, uint32_t woodbury_index, int l, const bool exact, Link *link, const Wide t[3],
                          Blocks *blocks, Wide p_l[3], Wide p_r[3]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const AfxiWoodburySet *woodbury = sweep->stage->woodbury;
    AfxiBodyInverse inverse = {.has_twist = exact};
    AfxiMat3 r;
    double delta[AFXI_AFFINE_WIDTH], origin[3], x[3], y[3], moved[AFXI_AFFINE_WIDTH];
    double left[3][AFXI_WOODBURY_ROWS_MOST], right[3][AFXI_WOODBURY_ROWS_MOST];
    for (int e = 0; e < 9; e++) {
        r.m[e] = wide_lane(link->r[e], l);
        inverse.blocks.pair[e / 3][e % 3] = wide_lane(link->pair[e], l);
        delta[e] = wide_lane(link->beta[e], l);
    }
    for (int e = 0; e < 6; e++) {
        inverse.blocks.diagonal[e] = wide_lane(sweep->constants[AFXI_CHAIN_DIAGONAL + e], l);
        inverse.twist[e] = exact ? wide_lane(link->twist[e], l) : 0;
    }
    inverse.blocks.translation = wide_lane(sweep->constants[AFXI_CHAIN_TRANSLATION], l);
    for (int e = 0; e < 3; e++) {
        delta[9 + e] = 0;
        origin[e] = wide_lane(t[e], l);
        x[e] = wide_lane(sweep->shape[LEFT + e], l);
        y[e] = wide_lane(sweep->shape[RIGHT + e], l);
    }
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        moved[e] = -delta[e];
    }
    afxi_woodbury_load(woodbury, woodbury_index, &r, vec3_load(origin), &inverse, delta);
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        moved[e] += delta[e];
    }
    uint32_t count = woodbury->body[woodbury_index].image_count;
    woodbury_point(woodbury, woodbury_index, &r, x, left);
    woodbury_point(woodbury, woodbury_index, &r, y, right);
    for (int e = 0; e < 9; e++) {
        link->beta[e] = wide_with_lane(link->beta[e], l, delta[e]);
        double product = woodbury_product(left[e % 3], right[e / 3], count);
        blocks->across[e] = wide_with_lane(blocks->across[e], l, wide_lane(blocks->across[e], l) - product);
    }
    for (int e = 0; e < 6; e++) {
        double ll = woodbury_product(left[row[e]], left[column[e]], count);
        double rr = woodbury_product(right[row[e]], right[column[e]], count);
        blocks->left[e] = wide_with_lane(blocks->left[e], l, wide_lane(blocks->left[e], l) - ll);
        blocks->right[e] = wide_with_lane(blocks->right[e], l, wide_lane(blocks->right[e], l) - rr);
    }
    for (int c = 0; c < 3; c++) {
        double on_left = moved[9 + c], on_right = moved[9 + c];
        for (int e = 0; e < 9; e++) { /* R beta x */
            double turned = r.m[3 * (e % 3) + c] * moved[e];
            on_left += turned * x[e / 3];
            on_right += turned * y[e / 3];
        }
        p_l[c] = wide_with_lane(p_l[c], l, wide_lane(p_l[c], l) + on_left);
        p_r[c] = wide_with_lane(p_r[c], l, wide_lane(p_r[c], l) + on_right);
        link->moved[c] = wide_with_lane(link->moved[c], l, wide_lane(link->moved[c], l) + delta[9 + c]);
    }
}

WIDE_RARE void woodbury_lanes(Sweep *sweep, uint32_t k, const bool exact, Link *link, const Wide t[3], Blocks *blocks,
                              Wide p_l[3], Wide p_r[3]) {
    for (int l = 0; l < AFXI_LANES; l++) {
        uint32_t woodbury_index = sweep->stage->link_woodbury[sweep->link[l] + k];
        if (woodbury_index != UINT32_MAX) {
            woodbury_lane(sweep, woodbury_index, l, exact, link, t, blocks, p_l, p_r);
        }
    }
}

/* All but what the elimination makes; where the back substitution turns, what that needs. */
WIDE_INLINE void copy_link(const Link *from, Link *to, const Kind kind) {
    wide_copy(from->r, 9, to->r);
    if (kind.turns) {
        wide_copy(from->pair + 1, 2, to->pair + 1);
        wide_copy(from->pair + 4, 2, to->pair + 4);
    } else {
        wide_copy(from->pair, 9, to->pair);
        wide_copy(from->twist, kind.exact ? 6 : 0, to->twist);
        wide_copy(from->moved, 3, to->moved);
    }
    wide_copy(from->beta, 9, to->beta);
    to->gamma = from->gamma;
}

WIDE_INLINE void copy_blocks(const Blocks *from, Blocks *to) {
    wide_copy(from->left, 6, to->left);
    wide_copy(from->right, 6, to->right);
    wide_copy(from->across, 9, to->across);
}

WIDE_INLINE void woodbury_links(Sweep *sweep, uint32_t k, const Kind kind, Link *link, const Wide t[3], Blocks *blocks,
                                Wide p_l[3], Wide p_r[3]) {
    Link own;
    Blocks made;
    Wide origin[3], end_l[3], end_r[3];
    copy_link(link, &own, kind);
    copy_blocks(blocks, &made);
    wide_copy(t, 3, origin);
    wide_copy(p_l, 3, end_l);
    wide_copy(p_r, 3, end_r);
    woodbury_lanes(sweep, k, kind.exact, &own, origin, &made, end_l, end_r);
    copy_link(&own, link, kind);
    copy_blocks(&made, blocks);
    wide_copy(end_l, 3, p_l);
    wide_copy(end_r, 3, p_r);
}

/* What contacts take from the motion that forces on A and t make. */
WIDE_RARE void woodbury_lane_motion(const Sweep *sweep, uint32_t k, const Wide force[9], const Wide push[3],
                                    Wide beta[9], Wide moved[3]) {
    for (int l = 0; l < AFXI_LANES; l++) {
        uint32_t woodbury_index = sweep->stage->link_woodbury[sweep->link[l] + k];
        if (woodbury_index == UINT32_MAX) {
            continue;
        }
        double g[AFXI_AFFINE_WIDTH], taken[AFXI_AFFINE_WIDTH] = {0};
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            g[e] = e < 9 ? wide_lane(force[e], l) : wide_lane(push[e - 9], l);
        }
        afxi_woodbury_apply(sweep->stage->woodbury, woodbury_index, g, taken);
        for (int e = 0; e < 9; e++) {
            beta[e] = wide_with_lane(beta[e], l, wide_lane(beta[e], l) - taken[e]);
        }
        for (int e = 0; e < 3; e++) {
            moved[e] = wide_with_lane(moved[e], l, wide_lane(moved[e], l) - taken[9 + e]);
        }
    }
}

WIDE_INLINE void woodbury_motion(const Sweep *sweep, uint32_t k, const Wide force[9], const Wide push[3], Wide beta[9],
                                 Wide moved[3]) {
    Wide load[9], on_t[3], turned[9], shifted[3];
    wide_copy(force, 9, load);
    wide_copy(push, 3, on_t);
    wide_copy(beta, 9, turned);
    wide_copy(moved, 3, shifted);
    woodbury_lane_motion(sweep, k, load, on_t, turned, shifted);
    wide_copy(turned, 9, beta);
    wide_copy(shifted, 3, moved);
}

/* Whether a link of any lane touches something. */
WIDE_INLINE bool touching(const Sweep *sweep, uint32_t k, const Kind kind) {
    bool any = false;
    if (kind.turns) {
        return false;
    }
    for (int l = 0; sweep->stage->woodbury && l < AFXI_LANES; l++) {
        any |= sweep->stage->link_woodbury[sweep->link[l] + k] != UINT32_MAX;
    }
    return any;
}

#endif
