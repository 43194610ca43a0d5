/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that any joints hold on the way back from the root, for *_wide.c files: multipliers, delta, and what the rows
 * still lack. */
#ifndef AFXI_DUAL_GENERAL_FORWARD_WIDE_H
#define AFXI_DUAL_GENERAL_FORWARD_WIDE_H

#include "dual/general_backward_wide.h"

/* Multipliers of all rows; those of rows that are off count for nothing. */
WIDE_INLINE void solve_rows(const Form form, const Bodies *bodies, Wide x[ROWS]) {
    const AfxiSystem *system = bodies->group.system;
    const uint32_t children = children_of(form, bodies), inner = inner_of(form, bodies), size = size_of(form, bodies);
    if (size > inner) {
        const AfxiGeneralJoint *joint = &bodies->joint[children];
        const RowsOff off = rows_off(bodies, joint, size - inner);
        load_numbers(bodies, joint, system->lambda, size - inner, x + inner);
        replace_off(bodies, joint, off, size - inner, NULL, x + inner);
    }
#pragma GCC unroll 12
    for (uint32_t k = inner; k-- > 0;) {
        const double *own = element(form, bodies, k, k);
        Wide sum = wide_load(own);
#pragma GCC unroll 18
        for (uint32_t j = k + 1; j < size; j++) {
            own += AFXI_RECURSION_LANES;
            sum = wide_nma(wide_load(own), x[j], sum);
        }
        x[k] = sum;
    }
#pragma GCC unroll 2
    for (uint32_t e = 0; e < children; e++) {
        const AfxiGeneralJoint *joint = &bodies->joint[e];
        const Shape shape = shape_of(form, bodies, e);
        const RowsOff off = rows_off(bodies, joint, shape.rows);
        Wide lambda[ROWS];
        wide_copy(x + shape.first, (int)shape.rows, lambda);
        replace_off(bodies, joint, off, shape.rows, system->fixed, lambda);
        store_numbers(bodies, joint, system->lambda, shape.rows, lambda);
    }
}

/* delta = delta_0 - X G^T lambda */
WIDE_INLINE void move(const Form form, const Bodies *bodies, const Wide x[ROWS], Wide delta[AFXI_AFFINE_WIDTH]) {
    Wide force[AFXI_AFFINE_WIDTH] = {0}, moved[AFXI_AFFINE_WIDTH];
    double *to[AFXI_LANES];
#pragma GCC unroll 3
    for (uint32_t e = 0; e < joints_of(form, bodies); e++) {
        push(form, bodies, e, x + shape_of(form, bodies, e).first, force);
    }
    apply(bodies, force, moved);
    load_kept(kept_at(bodies, layout_of(form, bodies).start), AFXI_AFFINE_WIDTH, delta);
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        delta[k] = delta[k] - moved[k];
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        to[l] = bodies->group.system->delta +
                (size_t)AFXI_AFFINE_WIDTH * bodies->group.job->body[bodies->group.first + (uint32_t)l];
    }
    wide_scatter(to, 3, delta);
}

/* The result, for the rows that the bodies share with closed forms. */
static __attribute__((noinline)) void place(const Bodies *bodies, const Wide delta[AFXI_AFFINE_WIDTH]) {
    const AfxiSystem *system = bodies->group.system;
    const uint32_t *body = bodies->group.job->body;
    const Wide *r = bodies->s.r;
    Wide origin[4], next[AFXI_AFFINE_WIDTH];
    double *to[AFXI_LANES];
    load(&bodies->group, body, &system->bodies.origin[0].x, 3, 1, origin);
    for (int c = 0; c < 3; c++) {
        wide_apply(r, delta + 3 * c, next + 3 * c);
        next[9 + c] = origin[c] + delta[9 + c];
    }
    for (int k = 0; k < 9; k++) {
        next[k] = r[k] + next[k];
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        to[l] = system->bodies.next + (size_t)AFXI_AFFINE_WIDTH * body[bodies->group.first + (uint32_t)l];
    }
    wide_scatter(to, 3, next);
}

/* What springs that couple axes do to what their rows lack. */
static __attribute__((noinline)) void add_cross_lack(const Bodies *bodies, uint32_t e, const Wide *x, Wide *lack) {
    Wide cross[3];
    const uint32_t a = bodies->joint[e].plain, b = a + 1, c = a + 2;
    cross_of(bodies, e, cross);
    lack[a] = wide_nma(cross[0], x[b], wide_nma(cross[1], x[c], lack[a]));
    lack[b] = wide_nma(cross[0], x[a], wide_nma(cross[2], x[c], lack[b]));
    lack[c] = wide_nma(cross[1], x[a], wide_nma(cross[2], x[b], lack[c]));
}

/* What the rows of a joint away from the root still lack, but for the share of the body beyond. */
WIDE_INLINE void leave_residual(const Form form, const Bodies *bodies, uint32_t e, const Wide x[ROWS],
                                const Wide delta[AFXI_AFFINE_WIDTH], Wide *largest) {
    const AfxiGeneralJoint *joint = &bodies->joint[e];
    const Shape shape = shape_of(form, bodies, e);
    const AfxiGeneralLayout at = layout_of(form, bodies);
    Wide lack[ROWS];
    pull(form, bodies, e, delta, lack);
#pragma GCC unroll 6
    for (uint32_t r = 0; r < shape.rows; r++) {
        lack[r] = wide_load(kept_at(bodies, at.value + shape.first + r)) + lack[r];
    }
    for (uint32_t r = joint->hard; r < shape.rows; r++) {
        lack[r] = wide_nma(wide_load(kept_at(bodies, at.compliance + shape.first + r)), x[shape.first + r], lack[r]);
    }
    if (joint->plain) {
        add_cross_lack(bodies, e, x + shape.first, lack);
    }
    replace_off(bodies, joint, rows_off(bodies, joint, shape.rows), shape.rows, NULL, lack);
    store_numbers(bodies, joint, bodies->group.system->residual, shape.rows, lack);
    for (uint32_t r = 0; joint->beyond == AFXI_BEYOND_NOTHING && r < shape.rows; r++) {
        *largest = wide_larger(*largest, wide_magnitude(lack[r]));
    }
}

/* The share of the bodies in what the joint towards the root lacks. */
WIDE_INLINE void finish_residual(const Form form, const Bodies *bodies, const Wide delta[AFXI_AFFINE_WIDTH],
                                 Wide *largest) {
    const AfxiSystem *system = bodies->group.system;
    const uint32_t e = children_of(form, bodies);
    const AfxiGeneralJoint *joint = &bodies->joint[e];
    const Shape shape = shape_of(form, bodies, e);
    Wide lack[ROWS], own[ROWS];
    load_numbers(bodies, joint, system->residual, shape.rows, lack);
    pull(form, bodies, e, delta, own);
    replace_off(bodies, joint, rows_off(bodies, joint, shape.rows), shape.rows, NULL, own);
#pragma GCC unroll 6
    for (uint32_t r = 0; r < shape.rows; r++) {
        lack[r] = lack[r] + own[r];
        *largest = wide_larger(*largest, wide_magnitude(lack[r]));
    }
    store_numbers(bodies, joint, system->residual, shape.rows, lack);
}

/* What bodies in closed form beyond the joints have to know in a whole stage. */
static __attribute__((noinline)) void hand_on_closed(const Bodies *bodies) {
    const AfxiRecursionJob *job = bodies->group.job;
    for (uint32_t e = 0; e < job->children; e++) {
        for (uint32_t l = bodies->group.first; l < bodies->group.first + AFXI_LANES && l < job->lanes; l++) {
            if (bodies->joint[e].beyond == AFXI_BEYOND_CLOSED) {
                afxi_mixed_hand_on(bodies->group.system, &bodies->group.joint[e], l, job->body[l],
                                   bodies->joint[e].rows);
            }
        }
    }
}

WIDE_INLINE void forward_bodies(const Form form, Bodies *bodies, AfxiRecursionTally *out) {
    const AfxiSystem *system = bodies->group.system;
    const AfxiRecursionJob *job = bodies->group.job;
    const bool rooted = job->rooted, to_closed = rooted && bodies->joint[job->children].beyond == AFXI_BEYOND_CLOSED;
    double *tally = &out->lane[AFXI_TALLY_RESIDUAL][bodies->group.first];
    Wide x[ROWS], delta[AFXI_AFFINE_WIDTH], largest = wide_load(tally);
    for (uint32_t l = bodies->group.first; system->recursion.whole && to_closed && l < job->lanes; l++) {
        afxi_mixed_receive(system, job, l, size_of(form, bodies) - inner_of(form, bodies));
    }
    solve_rows(form, bodies, x);
    if (system->recursion.correcting) {
        return;
    }
    load_kept(kept_at(bodies, 0), 9, bodies->s.r);
    move(form, bodies, x, delta);
#pragma GCC unroll 2
    for (uint32_t e = 0; e < children_of(form, bodies); e++) {
        leave_residual(form, bodies, e, x, delta, &largest);
    }
    if (rooted && !to_closed) {
        finish_residual(form, bodies, delta, &largest);
    }
    wide_store(tally, largest);
    if (system->bodies.on && system->graph->closed_form.joint_count) {
        place(bodies, delta);
        if (system->recursion.whole) {
            hand_on_closed(bodies);
        }
    }
}

#endif
