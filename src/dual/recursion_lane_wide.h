/* SPDX-License-Identifier: Apache-2.0 */
/* Eliminating bodies of one job side by side, for *_wide.c files: equations in recursion.h. */
#ifndef AFXI_DUAL_RECURSION_LANE_WIDE_H
#define AFXI_DUAL_RECURSION_LANE_WIDE_H

#ifndef PRODUCTS_MOST
#define PRODUCTS_MOST (AFXI_RECURSION_CHILDREN + 1)
#endif

#include "dual/bodies_wide.h"
#include "dual/gather_wide.h"
#include "dual/touched_wide.h"

#define CHUNKS (AFXI_RECURSION_LANES / AFXI_LANES)
#define BLOCKS_MOST (2 * (AFXI_RECURSION_CHILDREN + 1))

/* Bodies of one job, or of as many lanes of it as there are here. */
typedef struct Group {
    const AfxiSystem *system;
    const AfxiRecursionJob *job;
    const AfxiRecursionJoint *joint;
    uint32_t first; /* lane of the job */
} Group;

WIDE_INLINE Group group_of(const AfxiSystem *system, const AfxiRecursionJob *job, uint32_t chunk) {
    return (Group){system, job, system->graph->recursion.joint + job->first_joint, chunk * AFXI_LANES};
}

/* Numbers of the items index[lane of the job]. */
WIDE_INLINE void load(const Group *group, const uint32_t *index, const double *base, size_t stride, int quads,
                      Wide *out) {
    gather_items(index + group->first, base, stride, quads, out);
}

WIDE_INLINE double *message_of(const Group *group, uint32_t message) {
    return group->system->recursion.message + (size_t)AFXI_RECURSION_SIZE * (message & ~(AFXI_RECURSION_LANES - 1u)) +
           message % AFXI_RECURSION_LANES;
}

/* Number `at` of each row. Lane by lane into a register: through memory, the wide load would wait for narrow stores. */
WIDE_INLINE Wide pick(const double *const row[AFXI_LANES], size_t at) {
#if AFXI_LANES == 4
    return (Wide){row[0][at], row[1][at], row[2][at], row[3][at]};
#elif AFXI_LANES == 2
    return (Wide){row[0][at], row[1][at]};
#else
    return row[0][at];
#endif
}

/* What the bodies beyond a joint have left: `count` numbers from `from` on. */
WIDE_INLINE void take_over(const Group *group, const AfxiRecursionJoint *joint, int from, int count, Wide *out) {
    if (joint->aligned) {
        const double *message = message_of(group, joint->message[group->first]);
        for (int k = 0; k < count; k++) {
            out[k] = wide_load(message + (size_t)AFXI_RECURSION_LANES * (from + k));
        }
        return;
    }
    const double *message[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        message[l] = message_of(group, joint->message[group->first + l]);
    }
    for (int k = 0; k < count; k++) {
        out[k] = pick(message, (size_t)AFXI_RECURSION_LANES * (size_t)(from + k));
    }
}

WIDE_INLINE double *own_message(const Group *group) {
    return group->system->recursion.message + (size_t)AFXI_RECURSION_SIZE * AFXI_RECURSION_LANES * group->job->message +
           group->first;
}

WIDE_INLINE double *forward_of(const Group *group) {
    return group->system->recursion.forward + group->job->forward + group->first;
}

/* Row `shift` and the next two of the joints. */
WIDE_INLINE void load_rows(const Group *group, const AfxiRecursionJoint *joint, const double *base, uint32_t shift,
                           Wide out[3]) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + joint->row[group->first + l] + shift;
    }
    for (uint32_t k = 0; k < 3; k++) {
        out[k] = pick(row, k);
    }
}

WIDE_INLINE void store_rows(const Group *group, const AfxiRecursionJoint *joint, double *base, uint32_t shift,
                            const Wide in[3]) {
    for (uint32_t k = 0; k < 3; k++) {
        for (int l = 0; l < AFXI_LANES; l++) {
            base[joint->row[group->first + l] + shift + k] = wide_lane(in[k], l);
        }
    }
}

/* A body's matrix is made of blocks of 3 x 3, by columns, of which the lower half is there: points and turns of each
 * joint in turn. Of a block on the diagonal, too, only the lower half counts. */
WIDE_INLINE int at(int row, int column) {
    return row * (row + 1) / 2 + column;
}

/* Where xx, yy, zz, xy, xz, yz stand in the lower half of a block. */
static const int lower[6] = {0, 4, 8, 1, 2, 5};

/* ---- the matrix of a body ---- */

/* Products of all rows of the bodies; `each`: blocks of a joint, 1 or 2. */
WIDE_INLINE void fill_products(const Products *s, const int each, const int count, Wide a[][9]) {
    for (int e = 0; e < count; e++) {
        for (int f = 0; f <= e; f++) {
            Wide sign = s->sign[e] * s->sign[f], local[9], *block = a[at(each * e, each * f)];
            products_point(s, (uint32_t)e, (uint32_t)f, local);
            for (int k = 0; k < 9; k++) {
                block[k] = sign * local[k];
            }
            if (each == 1) {
                continue;
            }
            for (int k = 0; k < 9; k++) {
                a[at(2 * e + 1, 2 * f)][k] = sign * s->mixed[f][k];
                a[at(2 * e + 1, 2 * f + 1)][k] = sign * s->twist[k];
                if (e != f) {
                    a[at(2 * e, 2 * f + 1)][k] = sign * s->mixed[e][3 * (k % 3) + k / 3];
                }
            }
        }
    }
}

/* Adds T and t that the bodies beyond joint e have left, turned by `turn`. */
WIDE_INLINE void add_left(const Group *group, const AfxiRecursionJoint *joint, const Wide turn[9], const int each,
                          const int e, Wide a[][9], Wide rhs[][3]) {
    for (int half = 0; half < each; half++) {
        Wide t[6], part[6], gap[3], *block = a[at(each * e + half, each * e + half)], *own = rhs[each * e + half];
        take_over(group, joint, half ? AFXI_RECURSION_TWIST : AFXI_RECURSION_POINT, 6, t);
        wide_turn_symmetric(turn, t, part);
        for (int k = 0; k < 6; k++) {
            block[lower[k]] = block[lower[k]] + part[k];
        }
        take_over(group, joint, AFXI_RECURSION_GAP + 3 * half, 3, t);
        wide_apply(turn, t, gap);
        for (int k = 0; k < 3; k++) {
            own[k] = own[k] + gap[k];
        }
    }
    if (each == 2) {
        Wide t[9], part[9], *block = a[at(2 * e + 1, 2 * e)];
        take_over(group, joint, AFXI_RECURSION_MIXED, 9, t);
        products_turn(turn, t, part);
        for (int k = 0; k < 9; k++) {
            block[k] = block[k] + part[k];
        }
    }
}

/* Adds C and the value of the spring of joint e. */
WIDE_INLINE void add_spring(const Wide compliance_lambda[6], const Wide value[3], const int e, Wide a[][9],
                            Wide rhs[][3]) {
    Wide *block = a[at(2 * e + 1, 2 * e + 1)], *own = rhs[2 * e + 1];
    for (int k = 0; k < 6; k++) {
        block[lower[k]] = block[lower[k]] + compliance_lambda[k];
    }
    for (int k = 0; k < 3; k++) {
        own[k] = own[k] + value[k];
    }
}

/* Which lanes have the points of a joint, or with `half` 1 its turns, switched off; false: none. */
WIDE_INLINE bool is_off(const Group *group, const AfxiRecursionJoint *joint, const int half, WideMask *out) {
    WideView on;
    unsigned all = 1;
    for (int l = 0; l < AFXI_LANES; l++) {
        all &= group->system->active[joint->row[group->first + l] + 3 * (uint32_t)half];
    }
    if (all) {
        return false;
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        on.lane[l] = group->system->active[joint->row[group->first + l] + 3 * (uint32_t)half];
    }
    *out = wide_equal(on.wide, wide_all(0));
    return true;
}

/* Rows of joints that are switched off become those of the identity. */
WIDE_INLINE void switch_off(const Group *group, const int each, const int e, const int size, Wide a[][9],
                            Wide rhs[][3]) {
    WideMask off;
    for (int half = 0; half < each; half++) {
        const int own = each * e + half;
        if (!is_off(group, &group->joint[e], half, &off)) {
            continue;
        }
        for (int other = 0; other < size; other++) {
            Wide *block = a[other < own ? at(own, other) : at(other, own)];
            for (int k = 0; k < 9; k++) {
                block[k] = wide_select(off, wide_all(other == own && k % 4 == 0), block[k]);
            }
        }
        for (int k = 0; k < 3; k++) {
            rhs[own][k] = wide_select(off, wide_all(0), rhs[own][k]);
        }
    }
}

/* L D L^T of a block on the diagonal. */
typedef struct Pivot {
    Wide d[3], l10, l20, l21; /* reciprocals of D */
} Pivot;

WIDE_INLINE Pivot factor_block(const Wide a[9]) {
    Pivot p;
    p.d[0] = wide_all(1) / a[0];
    p.l10 = a[1] * p.d[0];
    p.l20 = a[2] * p.d[0];
    Wide rest = wide_nma(p.l20, a[1], a[5]);
    p.d[1] = wide_all(1) / wide_nma(p.l10, a[1], a[4]);
    p.l21 = rest * p.d[1];
    p.d[2] = wide_all(1) / wide_nma(p.l21, rest, wide_nma(p.l20, a[2], a[8]));
    return p;
}

/* The solution for one right-hand side. */
WIDE_INLINE void solve_block(const Pivot *p, Wide f0, Wide f1, Wide f2, Wide out[3]) {
    f1 = wide_nma(p->l10, f0, f1);
    f2 = wide_nma(p->l21, f1, wide_nma(p->l20, f0, f2));
    out[2] = f2 * p->d[2];
    out[1] = wide_nma(p->l21, out[2], f1 * p->d[1]);
    out[0] = wide_nma(p->l20, out[2], wide_nma(p->l10, out[1], f0 * p->d[0]));
}

/* One column of blocks: w = those below times the pivot's inverse, to `back`, and what that takes from a block and from
 * the right-hand side. */
WIDE_INLINE void solve_below(const Pivot *pivot, const Wide own[9], Wide w[9], double *forward) {
    for (int i = 0; i < 3; i++) {
        Wide line[3];
        solve_block(pivot, own[i], own[3 + i], own[6 + i], line);
        for (int c = 0; c < 3; c++) {
            w[3 * c + i] = line[c];
            wide_store(forward + AFXI_RECURSION_LANES * (3 * c + i), line[c]);
        }
    }
}

WIDE_INLINE void take_block(const Wide w[9], const Wide across[9], const bool diagonal, Wide to[9]) {
    for (int c = 0; c < 3; c++) {
        for (int i = diagonal ? c : 0; i < 3; i++) {
            Wide sum = wide_nma(w[i], across[c], to[3 * c + i]);
            to[3 * c + i] = wide_nma(w[6 + i], across[6 + c], wide_nma(w[3 + i], across[3 + c], sum));
        }
    }
}

WIDE_INLINE void take_rhs(const Wide w[9], const Wide from[3], Wide to[3]) {
    for (int i = 0; i < 3; i++) {
        to[i] = wide_nma(w[6 + i], from[2], wide_nma(w[3 + i], from[1], wide_nma(w[i], from[0], to[i])));
    }
}

/* Column k of blocks; what the forward pass needs goes to `back`: the blocks below times the pivot's inverse, and the
 * solution of the pivot alone. */
WIDE_INLINE double *eliminate_column(const int k, const int size, Wide a[][9], Wide rhs[][3], double *forward) {
    Pivot pivot = factor_block(a[at(k, k)]);
    Wide w[9], y[3];
#pragma GCC unroll 3
    for (int j = k + 1; j < size; j++, forward += 9 * AFXI_RECURSION_LANES) {
        solve_below(&pivot, a[at(j, k)], w, forward);
        take_rhs(w, rhs[k], rhs[j]);
#pragma GCC unroll 3
        for (int other = k + 1; other < j; other++) {
            take_block(w, a[at(other, k)], false, a[at(j, other)]);
        }
        take_block(w, a[at(j, k)], true, a[at(j, j)]);
    }
    solve_block(&pivot, rhs[k][0], rhs[k][1], rhs[k][2], y);
    for (int e = 0; e < 3; e++, forward += AFXI_RECURSION_LANES) {
        wide_store(forward, y[e]);
    }
    return forward;
}

/* Eliminates the first `inner` of `size` blocks. */
WIDE_INLINE void eliminate(const int inner, const int size, Wide a[][9], Wide rhs[][3], double *forward) {
    if (__builtin_constant_p(size) && inner <= 2) { /* a body with one joint away from the root */
        forward = inner > 0 ? eliminate_column(0, size, a, rhs, forward) : forward;
        forward = inner > 1 ? eliminate_column(1, size, a, rhs, forward) : forward;
        return;
    }
    for (int k = 0; k < inner; k++) {
        forward = eliminate_column(k, size, a, rhs, forward);
    }
}

WIDE_INLINE void leave(const Group *group, const int each, const int first, Wide a[][9], Wide rhs[][3]) {
    double *message = own_message(group);
    for (int k = 0; k < 6; k++) {
        wide_store(message + AFXI_RECURSION_LANES * (AFXI_RECURSION_POINT + k), a[at(first, first)][lower[k]]);
        if (each == 2) {
            wide_store(message + AFXI_RECURSION_LANES * (AFXI_RECURSION_TWIST + k),
                       a[at(first + 1, first + 1)][lower[k]]);
        }
    }
    for (int k = 0; k < 3 * each; k++) {
        wide_store(message + AFXI_RECURSION_LANES * (AFXI_RECURSION_GAP + k), rhs[first + k / 3][k % 3]);
    }
    for (int k = 0; each == 2 && k < 9; k++) {
        wide_store(message + AFXI_RECURSION_LANES * (AFXI_RECURSION_MIXED + k), a[at(first + 1, first)][k]);
    }
}

/* G delta_0 of all joints. */
WIDE_INLINE void fill_gaps(const Products *s, const int each, const int count, const Wide start[AFXI_AFFINE_WIDTH],
                           Wide rhs[][3]) {
    Wide u[3], point[3], w[3];
    wide_apply_transposed(s->r, start + 9, u);
    for (int p = 0; p < 3; p++) {
        w[wide_pair_axis[p]] = wide_all(0.5 * wide_pair_sign[p]) * (start[wide_pair_ki[p]] - start[wide_pair_ik[p]]);
    }
    for (int e = 0; e < count; e++) {
        wide_apply(start, s->x[e], point);
        for (int k = 0; k < 3; k++) {
            rhs[each * e][k] = s->sign[e] * (point[k] + u[k]);
            if (each == 2) {
                rhs[2 * e + 1][k] = s->sign[e] * w[k];
            }
        }
    }
}

/* The way back through `eliminate`: x of the outer blocks is known, that of the inner ones comes. */
WIDE_INLINE void substitute(const int inner, const int size, const double *forward, Wide x[][3]) {
    for (int k = 0; k < inner; k++) {
        forward += AFXI_RECURSION_LANES * (9 * (size - 1 - k) + 3);
    }
    for (int k = inner - 1; k >= 0; k--) {
        forward -= AFXI_RECURSION_LANES * (9 * (size - 1 - k) + 3);
        Wide sum[3];
        for (int c = 0; c < 3; c++) {
            sum[c] = wide_load(forward + AFXI_RECURSION_LANES * (9 * (size - 1 - k) + c));
        }
        for (int j = size - 1; j > k; j--) {
            const double *w = forward + AFXI_RECURSION_LANES * (9 * (j - k - 1));
            for (int c = 0; c < 3; c++) {
                for (int i = 0; i < 3; i++) {
                    sum[c] = wide_nma(wide_load(w + AFXI_RECURSION_LANES * (3 * c + i)), x[j][i], sum[c]);
                }
            }
        }
        wide_copy(sum, 3, x[k]);
    }
}

#endif
