/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that ball joints hold, one per lane, eliminated from the leaves to the root and back: equations in
 * recursion.h. */
#include "math/vector_wide.h"

#if AFXI_WIDE_PAYS

#include "dual/recursion_lane_wide.h"

/* Adds T, C and the right-hand side of joint e. */
WIDE_INLINE void add_beyond(const Group *group, const Wide r[9], const int each, const int e, Wide a[][9],
                            Wide rhs[][3], Wide *largest) {
    const AfxiSystem *system = group->system;
    const AfxiRecursionJoint *joint = &group->joint[e];
    Wide other[AFXI_AFFINE_WIDTH], turn[9], left, value[3], local[3];
    load(group, joint->other, system->bodies.frame[0].m, 9, 3, other);
    wide_multiply_tn(r, other, turn);
    add_left(group, joint, turn, each, e, a, rhs);
    take_over(group, joint, AFXI_RECURSION_LARGEST, 1, &left);
    *largest = wide_larger(*largest, left);
    load_rows(group, joint, system->value, 0, value);
    wide_apply_transposed(r, value, local);
    for (int k = 0; k < 3; k++) {
        rhs[each * e][k] = rhs[each * e][k] + local[k];
    }
    if (each == 2) {
        Wide spring[AFXI_ROTATIONAL_SPRING_RESULT], forward[9], compliance_lambda[6];
        for (int k = 0; k < 9; k++) {
            forward[k] = r[3 * (k % 3) + k / 3];
        }
        load(group, joint->rotational_spring, system->rotational_spring, AFXI_ROTATIONAL_SPRING_RESULT,
             AFXI_ROTATIONAL_SPRING_RESULT / 4, spring);
        load_rows(group, joint, system->value, 3, value);
        wide_turn_symmetric(forward, spring + AFXI_ROTATIONAL_SPRING_COMPLIANCE, compliance_lambda);
        wide_apply_transposed(r, value, local);
        add_spring(compliance_lambda, local, e, a, rhs);
    }
}

/* ---- the passes ---- */

/* Takes (Y G^T)^T (Y G^T) of what touches or holds the bodies from the products of their rows. */
WIDE_INLINE void touch_products(const Group *group, const Products *s, const int each, const int count, Wide a[][9]) {
    Touched touched = touched_of(group->system, group->job->body + group->first);
    Wide y[AFXI_AFFINE_WIDTH], z[BLOCKS_MOST][3];
    for (uint32_t k = 0; k < touched.most; k++) {
        touched_row(&touched, k, y);
        fill_gaps(s, each, count, y, z);
        for (int row = 0; row < each * count; row++) {
            for (int column = 0; column <= row; column++) {
                Wide *block = a[at(row, column)];
                for (int e = 0; e < 9; e++) {
                    block[e] = wide_nma(z[row][e % 3], z[column][e / 3], block[e]);
                }
            }
        }
    }
}

/* `touched`: something touches or holds some of the bodies. */
WIDE_INLINE void backward_group(const Group *group, const int rows, const int children, const bool rooted,
                                const bool touched) {
    const AfxiSystem *system = group->system;
    const int each = rows / 3, count = children + rooted, inner = each * children, size = each * count;
    Products s;
    Wide a[BLOCKS_MOST * (BLOCKS_MOST + 1) / 2][9], rhs[BLOCKS_MOST][3], start[AFXI_AFFINE_WIDTH],
        largest = wide_all(0);
    load(group, group->job->body, system->bodies.frame[0].m, 9, 3, s.r);
    load(group, group->job->body, (const double *)system->inverse, INVERSE_SIZE, INVERSE_SIZE / 4, s.inverse);
    load(group, group->job->body, system->recursion.base, AFXI_AFFINE_WIDTH, 3, start);
    for (int e = 0; e < count; e++) {
        Wide lever[4];
        load(group, group->joint[e].place, system->graph->closed_form.lever[0].point, 4, 1, lever);
        wide_copy(lever, 3, s.x[e]);
        s.sign[e] = lever[3];
    }
    for (int e = 0; e < count; e++) { /* read only where bodies are twisted, which the compiler cannot see */
        for (int k = 0; k < 9; k++) {
            s.turn[e][k] = s.image[e][k] = wide_all(0);
        }
    }
    s.twisted = wide_any(~wide_equal(s.inverse[TWISTED], wide_all(0)));
    products_prepare(&s, each == 2, (uint32_t)count);
    fill_products(&s, each, count, a);
    if (touched) {
        touch_products(group, &s, each, count, a);
    }
    fill_gaps(&s, each, count, start, rhs);
    for (int e = 0; e < children; e++) {
        add_beyond(group, s.r, each, e, a, rhs, &largest);
        switch_off(group, each, e, size, a, rhs);
    }
    for (int k = 0; k < 3 * inner; k++) {
        largest = wide_larger(largest, wide_magnitude(rhs[k / 3][k % 3]));
    }
    eliminate(inner, size, a, rhs, forward_of(group));
    if (rooted) {
        leave(group, each, inner, a, rhs);
    }
    wide_store(own_message(group) + AFXI_RECURSION_LANES * AFXI_RECURSION_LARGEST, largest);
}

WIDE_INLINE void forward_group(const Group *group, const int rows, const int children, const bool rooted) {
    const AfxiSystem *system = group->system;
    const int each = rows / 3, inner = each * children, size = inner + each * rooted;
    Wide r[AFXI_AFFINE_WIDTH], x[BLOCKS_MOST][3], world[3], fixed[3];
    WideMask off;
    load(group, group->job->body, system->bodies.frame[0].m, 9, 3, r);
    for (int half = 0; rooted && half < each; half++) { /* what is fixed is in the start already */
        load_rows(group, &group->joint[children], system->lambda, 3 * (uint32_t)half, world);
        wide_apply_transposed(r, world, x[inner + half]);
        for (int k = 0; is_off(group, &group->joint[children], half, &off) && k < 3; k++) {
            x[inner + half][k] = wide_select(off, wide_all(0), x[inner + half][k]);
        }
    }
    substitute(inner, size, forward_of(group), x);
    for (int k = 0; k < inner; k++) {
        wide_apply(r, x[k], world);
        if (is_off(group, &group->joint[k / each], k % each, &off)) {
            load_rows(group, &group->joint[k / each], system->fixed, 3 * (uint32_t)(k % each), fixed);
            for (int c = 0; c < 3; c++) {
                world[c] = wide_select(off, fixed[c], world[c]);
            }
        }
        store_rows(group, &group->joint[k / each], system->lambda, 3 * (uint32_t)(k % each), world);
    }
}

/* Most bodies have one joint away from the root, and leaves none: these numbers are known when compiled. */
#define EACH(rows)                                                                                                 \
    static __attribute__((noinline)) void backward_##rows(const AfxiSystem *system, const AfxiRecursionJob *job) { \
        const bool touched = any_touched(system, job->body, job->lanes);                                           \
        for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {                                                        \
            Group group = group_of(system, job, chunk);                                                            \
            if (job->children != 1 || !job->rooted) {                                                              \
                backward_group(&group, rows, (int)job->children, job->rooted, touched);                            \
            } else if (touched) {                                                                                  \
                backward_group(&group, rows, 1, true, true);                                                       \
            } else {                                                                                               \
                backward_group(&group, rows, 1, true, false);                                                      \
            }                                                                                                      \
        }                                                                                                          \
    }                                                                                                              \
    static __attribute__((noinline)) void forward_##rows(const AfxiSystem *system, const AfxiRecursionJob *job) {  \
        for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {                                                        \
            Group group = group_of(system, job, chunk);                                                            \
            if (job->children == 1 && job->rooted) {                                                               \
                forward_group(&group, rows, 1, true);                                                              \
            } else {                                                                                               \
                forward_group(&group, rows, (int)job->children, job->rooted);                                      \
            }                                                                                                      \
        }                                                                                                          \
    }
EACH(3)
EACH(6)
#undef EACH

static void backward(const AfxiSystem *system, const AfxiRecursionJob *job) {
    (job->rows == 6 ? backward_6 : backward_3)(system, job);
}

static void forward(const AfxiSystem *system, const AfxiRecursionJob *job) {
    (job->rows == 6 ? forward_6 : forward_3)(system, job);
}

extern const AfxiRecursionKernel AFXI_WIDE(afxi_recursion);
const AfxiRecursionKernel AFXI_WIDE(afxi_recursion) = {backward, forward};

#else
typedef int AfxiNoRecursionVariant; /* a file may not be empty */
#endif
