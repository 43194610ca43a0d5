/* SPDX-License-Identifier: Apache-2.0 */
/* The first solve of a stage in two passes, one body per lane: from the state to what is left for the next body towards
 * the root, and back to the new state. Equations in recursion.h; frames are predicted, and stiffness is the bound. */
#include "math/vector_wide.h"

#if AFXI_WIDE_PAYS

#include "dual/recursion.h"
#include "dual/recursion_whole_wide.h"

/* ---- towards the root ---- */

WIDE_INLINE void load_levers(const Group *group, const int count, Entry *entries) {
    for (int e = 0; e < count; e++) {
        Wide lever[4];
        load(group, group->joint[e].place, group->system->graph->closed_form.lever[0].point, 4, 1, lever);
        wide_copy(lever, 3, entries[e].x);
        entries[e].sign = lever[3];
    }
}

/* The multipliers that the bound is made from. */
WIDE_INLINE void load_forces(const Group *group, const int count, Entry *entries) {
    for (int e = 0; e < count; e++) {
        const double *row[AFXI_LANES];
        Wide in[4];
        for (int l = 0; l < AFXI_LANES; l++) {
            row[l] = group->system->bodies.load + group->joint[e].row[group->first + l];
        }
        wide_gather(row, 1, in);
        for (int k = 0; k < 3; k++) {
            entries[e].force[k] = entries[e].sign * in[k];
        }
    }
}

/* Adds what stands beyond joint e, in the axes of the body. */
WIDE_INLINE void add_beyond(const Group *group, const Products *s, const Wide t[3], const Wide spin[3], const int each,
                            const int e, Wide a[][9], Wide rhs[][3]) {
    const AfxiRecursionJoint *joint = &group->joint[e];
    Wide other[9], turn[9], end[3], local[3], sign = s->sign[e];
    take_over(group, joint, AFXI_RECURSION_FRAME, 9, other);
    wide_multiply_tn(s->r, other, turn);
    add_left(group, joint, turn, each, e, a, rhs);
    take_over(group, joint, AFXI_RECURSION_END, 3, end);
    for (int k = 0; k < 3; k++) {
        end[k] = end[k] - t[k];
    }
    wide_apply_transposed(s->r, end, local);
    for (int k = 0; k < 3; k++) {
        rhs[each * e][k] = wide_fma(sign, s->x[e][k] - local[k], rhs[each * e][k]);
    }
    if (each == 2) {
        Wide in[AFXI_ROTATIONAL_SPRING_CONSTANTS], out[AFXI_ROTATIONAL_SPRING_RESULT], rate[3], far[3];
        load(group, joint->rotational_spring, group->system->recursion.springs, AFXI_ROTATIONAL_SPRING_CONSTANTS,
             AFXI_ROTATIONAL_SPRING_CONSTANTS / 4, in);
        take_over(group, joint, AFXI_RECURSION_SPIN, 3, far);
        for (int k = 0; k < 3; k++) {
            far[k] = sign * (spin[k] - far[k]);
        }
        wide_apply_transposed(s->r, far, rate);
        solve_inward(in, turn, sign, rate, wide_all(group->system->recursion.per_h), out);
        add_spring(out + AFXI_ROTATIONAL_SPRING_COMPLIANCE, out + AFXI_ROTATIONAL_SPRING_VALUE, e, a, rhs);
    }
}

WIDE_INLINE void stage_backward_group(const Group *group, const int rows, const int children, const bool rooted) {
    const AfxiSystem *system = group->system;
    const int each = rows / 3, count = children + rooted, inner = each * children, size = each * count;
    MotionGroup past = {.motion = system->recursion.motion};
    Products s;
    Entry entries[PRODUCTS_MOST];
    Wide qv[AFXI_AFFINE_WIDTH], qhat[AFXI_AFFINE_WIDTH], target[AFXI_AFFINE_WIDTH], expected[AFXI_AFFINE_WIDTH],
        constants[AFXI_CHAIN_SIZE], start[AFXI_AFFINE_WIDTH], gamma;
    Wide a[BLOCKS_MOST * (BLOCKS_MOST + 1) / 2][9], rhs[BLOCKS_MOST][3], spin[3], end[3];
    double *message = own_message(group), *kept = stored_of(group);
    for (int l = 0; l < AFXI_LANES; l++) {
        past.local[l] = group->job->body[group->first + l];
        past.at[l] = (size_t)AFXI_AFFINE_WIDTH * past.motion->body[past.local[l]];
    }
    motion_expect(&past, qv, qhat, target, expected);
    motion_frame(&past, expected, s.r);
    keep(message, AFXI_RECURSION_FRAME, 9, s.r);
    keep(kept, AFXI_RECURSION_STORED_FRAME, 9, s.r);
    keep(kept, AFXI_RECURSION_STORED_ORIGIN, 3, expected + 9);
    if (each == 2) {
        turn_spin(s.r, qv, wide_all(-0.5 * system->recursion.per_h), spin);
        keep(message, AFXI_RECURSION_SPIN, 3, spin);
    }
    load_constants(group, constants);
    load_levers(group, count, entries);
    load_forces(group, count, entries);
    gamma = bound_of(entries, (uint32_t)count);
    make_inverse(constants, gamma, s.inverse);
    start_of(system, past.local, s.r, expected + 9, target, constants, s.inverse, false, start);
    keep(kept, AFXI_RECURSION_STORED_START, AFXI_AFFINE_WIDTH, start);
    keep(kept, AFXI_RECURSION_STORED_GAMMA, 1, &gamma);
    for (int e = 0; e < count; e++) {
        wide_copy(entries[e].x, 3, s.x[e]);
        s.sign[e] = entries[e].sign;
    }
    s.twisted = false;
    products_prepare(&s, each == 2, (uint32_t)count);
    fill_products(&s, each, count, a);
    fill_gaps(&s, each, count, start, rhs);
    for (int e = 0; e < children; e++) {
        add_beyond(group, &s, expected + 9, spin, each, e, a, rhs);
        switch_off(group, each, e, size, a, rhs);
    }
    eliminate(inner, size, a, rhs, factor_of(group));
    if (rooted) {
        leave(group, each, inner, a, rhs);
        wide_apply(s.r, s.x[children], end);
        for (int k = 0; k < 3; k++) {
            end[k] = end[k] + expected[9 + k];
        }
        keep(message, AFXI_RECURSION_END, 3, end);
    }
}

/* ---- and back ---- */

WIDE_INLINE void point_at(const Wide next[AFXI_AFFINE_WIDTH], const Wide x[3], Wide out[3]) {
    wide_apply(next, x, out);
    for (int k = 0; k < 3; k++) {
        out[k] = out[k] + next[9 + k];
    }
}

/* Forces and torques of an entry from multipliers in world axes. */
WIDE_INLINE void load_entry(const Wide *lambda, const int each, Entry *entry) {
    for (int k = 0; k < 3; k++) {
        entry->force[k] = entry->sign * lambda[k];
        entry->torque[k] = each == 2 ? entry->sign * lambda[3 + k] : wide_all(0);
    }
}

WIDE_INLINE void stage_forward_group(const Group *group, const int rows, const int children, const bool rooted,
                                     Fallen *out) {
    const AfxiSystem *system = group->system;
    const int each = rows / 3, count = children + rooted, inner = each * children, size = each * count;
    const double *message = own_message(group), *kept = stored_of(group);
    Before before;
    After after;
    Entry entries[PRODUCTS_MOST];
    Wide constants[AFXI_CHAIN_SIZE], x[BLOCKS_MOST][3], own[AFXI_RECURSION_FORWARD_MESSAGE] = {0}, here[3];
    Wide forward_message[PRODUCTS_MOST][AFXI_RECURSION_FORWARD_MESSAGE];
    WideView held;
    double *next[AFXI_LANES];
    take_own(kept, AFXI_RECURSION_STORED_FRAME, 9, before.r);
    take_own(kept, AFXI_RECURSION_STORED_ORIGIN, 3, before.origin);
    take_own(kept, AFXI_RECURSION_STORED_START, AFXI_AFFINE_WIDTH, before.start);
    take_own(kept, AFXI_RECURSION_STORED_GAMMA, 1, &before.gamma);
    load_constants(group, constants);
    make_inverse(constants, before.gamma, before.inverse);
    load_levers(group, count, entries);
    if (rooted) {
        take_own(message, AFXI_RECURSION_LAMBDA, AFXI_RECURSION_FORWARD_MESSAGE, own);
        load_entry(own, each, &entries[children]);
        for (int half = 0; half < each; half++) {
            wide_apply_transposed(before.r, own + 3 * half, x[inner + half]);
        }
    }
    substitute(inner, size, factor_of(group), x);
    for (int e = 0; e < children; e++) {
        for (int half = 0; half < each; half++) {
            wide_apply(before.r, x[each * e + half], forward_message[e] + 3 * half);
        }
        for (int k = 3 * each; k < 6; k++) {
            forward_message[e][k] = wide_all(0);
        }
        load_entry(forward_message[e], each, &entries[e]);
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        uint32_t body = group->job->body[group->first + l];
        held.lane[l] = system->bodies.held[body];
        next[l] = system->bodies.next + (size_t)AFXI_AFFINE_WIDTH * body;
    }
    before.held = held.wide;
    before.inertia = constants[AFXI_CHAIN_INERTIA];
    before.twisted = false;
    result_of(&before, entries, (uint32_t)count, &after);
    judge(&before, entries, (uint32_t)count, &after, &out->bodies);
    wide_scatter(next, 3, after.next);
    for (int e = 0; e < children; e++) {
        point_at(after.next, entries[e].x, forward_message[e] + 6);
        hand_on(group, &group->joint[e], forward_message[e]);
    }
    if (rooted) {
        for (int half = 0; half < each; half++) {
            store_rows(group, &group->joint[children], system->lambda, 3 * (uint32_t)half, own + 3 * half);
        }
        point_at(after.next, entries[children].x, here);
        check_gap(group, &group->joint[children], here, own + 6, out);
    }
}

/* ---- the kernels ---- */

/* Most bodies have one joint away from the root, which is known when compiled. */
#define EACH(rows)                                                                                                    \
    static                                                                                                            \
        __attribute__((noinline)) void stage_backward_##rows(const AfxiSystem *system, const AfxiRecursionJob *job) { \
        for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {                                                           \
            Group group = group_of(system, job, chunk);                                                               \
            if (job->children == 1 && job->rooted) {                                                                  \
                stage_backward_group(&group, rows, 1, true);                                                          \
            } else {                                                                                                  \
                stage_backward_group(&group, rows, (int)job->children, job->rooted);                                  \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    static __attribute__((noinline)) void stage_forward_##rows(const AfxiSystem *system, const AfxiRecursionJob *job, \
                                                               AfxiRecursionTally *out) {                             \
        for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {                                                           \
            Group group = group_of(system, job, chunk);                                                               \
            Fallen forwarded = tally_begin(&group, out);                                                              \
            if (job->children == 1 && job->rooted) {                                                                  \
                stage_forward_group(&group, rows, 1, true, &forwarded);                                               \
            } else {                                                                                                  \
                stage_forward_group(&group, rows, (int)job->children, job->rooted, &forwarded);                       \
            }                                                                                                         \
            tally_end(&group, &forwarded, out);                                                                       \
        }                                                                                                             \
    }

EACH(3)
EACH(6)
#undef EACH

static void backward(const AfxiSystem *system, const AfxiRecursionJob *job) {
    (job->rows == 6 ? stage_backward_6 : stage_backward_3)(system, job);
}

static void forward(const AfxiSystem *system, const AfxiRecursionJob *job, AfxiRecursionTally *out) {
    (job->rows == 6 ? stage_forward_6 : stage_forward_3)(system, job, out);
}

extern const AfxiRecursionStageKernel AFXI_WIDE(afxi_recursion_stage);
const AfxiRecursionStageKernel AFXI_WIDE(afxi_recursion_stage) = {backward, forward};

#else
typedef int AfxiNoRecursionStageVariant; /* a file may not be empty */
#endif
