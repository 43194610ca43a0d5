/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that any joints hold on the way to the root, for *_wide.c files: what is left beyond the joints away from the
 * root is added to the products of their rows, and these joints are eliminated. A row that is off is one of the
 * identity, so active sets change no structure; what its multiplier is fixed to loads the body beforehand. */
#ifndef AFXI_DUAL_GENERAL_BACKWARD_WIDE_H
#define AFXI_DUAL_GENERAL_BACKWARD_WIDE_H

#include "dual/general_products_wide.h"
#include "dual/recursion_mixed.h"

/* ---- what stands beyond ---- */

/* Number `at` of what the bodies beyond a joint have left: T, t and the largest of their right-hand sides. */
WIDE_INLINE Wide left_of(const Bodies *bodies, const AfxiGeneralJoint *joint, const bool aligned, uint32_t at) {
    const double *base = bodies->group.system->recursion.forward + (size_t)AFXI_RECURSION_LANES * at;
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + joint->left[bodies->group.first + (uint32_t)l];
    }
    return aligned ? wide_load(row[0]) : pick(row, 0);
}

/* Adds t of general bodies beyond joint e, which is behind T. */
WIDE_INLINE void add_gap(const Form form, const Bodies *bodies, uint32_t e, const bool aligned, Wide rhs[ROWS],
                         Wide *largest) {
    const AfxiGeneralJoint *joint = &bodies->joint[e];
    const Shape shape = shape_of(form, bodies, e);
    uint32_t at = shape.rows * (shape.rows + 1) / 2;
#pragma GCC unroll 6
    for (uint32_t r = 0; r < shape.rows; r++) {
        rhs[shape.first + r] = rhs[shape.first + r] + left_of(bodies, joint, aligned, at++);
    }
    *largest = wide_larger(*largest, left_of(bodies, joint, aligned, at));
}

/* Adds T and t of general bodies beyond joint e. */
WIDE_INLINE void add_beyond(const Form form, const Bodies *bodies, uint32_t e, const bool aligned, Wide rhs[ROWS],
                            Wide *largest) {
    const AfxiGeneralJoint *joint = &bodies->joint[e];
    const Shape shape = shape_of(form, bodies, e);
    uint32_t at = 0;
#pragma GCC unroll 6
    for (uint32_t c = 0; c < shape.rows; c++) {
        double *to = element(form, bodies, shape.first + c, shape.first + c);
#pragma GCC unroll 6
        for (uint32_t r = c; r < shape.rows; r++, to += AFXI_RECURSION_LANES) {
            add_to(to, left_of(bodies, joint, aligned, at++));
        }
    }
    add_gap(form, bodies, e, aligned, rhs, largest);
}

WIDE_INLINE void add_general(const Form form, const Bodies *bodies, uint32_t e, Wide rhs[ROWS], Wide *largest) {
    if (bodies->joint[e].aligned) {
        add_beyond(form, bodies, e, true, rhs, largest);
    } else {
        add_beyond(form, bodies, e, false, rhs, largest);
    }
}

/* The same of bodies in closed form, one lane after the other; without `matrix`, t alone. */
static __attribute__((noinline)) void add_closed(const Bodies *bodies, uint32_t e, bool matrix, Wide rhs[ROWS],
                                                 Wide *largest) {
    const Form form = {.known = false};
    const AfxiGeneralJoint *joint = &bodies->joint[e];
    for (int l = 0; l < AFXI_LANES; l++) {
        double t[36], gap[6];
        Wide far = wide_with_lane(wide_all(0), l,
                                  afxi_mixed_take(bodies->group.system, &bodies->group.joint[e],
                                                  bodies->group.first + (uint32_t)l, joint->rows, t, gap));
        *largest = wide_larger(*largest, far);
        for (uint32_t c = 0; c < joint->rows; c++) {
            Wide *to = &rhs[joint->first + c];
            for (uint32_t r = c; matrix && r < joint->rows; r++) {
                element(form, bodies, joint->first + r, joint->first + c)[l] += t[6 * c + r];
            }
            *to = wide_with_lane(*to, l, wide_lane(*to, l) + gap[c]);
        }
    }
}

/* What couples the axes of a rotational spring; zero in lanes that are off. */
static __attribute__((noinline)) void cross_of(const Bodies *bodies, uint32_t e, Wide out[3]) {
    const AfxiSystem *system = bodies->group.system;
    const uint32_t *spring = bodies->group.joint[e].rotational_spring + bodies->group.first;
    for (int k = 0; k < 3; k++) {
        out[k] = wide_all(0);
        for (int l = 0; l < AFXI_LANES; l++) {
            uint32_t row = bodies->joint[e].row[bodies->group.first + (uint32_t)l] + bodies->joint[e].plain;
            double own = system->rotational_spring[(size_t)AFXI_ROTATIONAL_SPRING_RESULT * spring[l] +
                                                   AFXI_ROTATIONAL_SPRING_COMPLIANCE + 3 + (size_t)k];
            out[k] = wide_with_lane(out[k], l, system->active[row] ? own : 0);
        }
    }
}

/* Adds what couples the axes of a spring. */
static __attribute__((noinline)) void add_cross(const Bodies *bodies, uint32_t e) {
    const Form form = {.known = false};
    Wide cross[3];
    const uint32_t first = bodies->joint[e].first + (uint32_t)bodies->joint[e].plain;
    cross_of(bodies, e, cross);
    add_to(element(form, bodies, first + 1, first), cross[0]);
    add_to(element(form, bodies, first + 2, first), cross[1]);
    add_to(element(form, bodies, first + 2, first + 1), cross[2]);
}

/* Rows that are off become those of the identity. */
static __attribute__((noinline)) void switch_rows(const Bodies *bodies, uint32_t e, RowsOff off, Wide rhs[ROWS]) {
    const Form form = {.known = false};
    const AfxiGeneralJoint *joint = &bodies->joint[e];
    const AfxiGeneralLayout at = layout_of(form, bodies);
    for (uint32_t r = 0; r < joint->rows; r++) {
        if (!may_be_off(bodies, off, r)) {
            continue;
        }
        const WideMask mask = row_off(bodies, joint, r);
        const uint32_t row = joint->first + r;
        for (uint32_t k = 0; k < size_of(form, bodies); k++) {
            double *own = k < row ? element(form, bodies, row, k) : element(form, bodies, k, row);
            wide_store(own, wide_select(mask, wide_all(k == row), wide_load(own)));
        }
        double *value = kept_at(bodies, at.value + row), *compliance = kept_at(bodies, at.compliance + row);
        wide_store(value, wide_select(mask, wide_all(0), wide_load(value)));
        if (r >= joint->hard) {
            wide_store(compliance, wide_select(mask, wide_all(0), wide_load(compliance)));
        }
        rhs[row] = wide_select(mask, wide_all(0), rhs[row]);
    }
}

/* Adds values of the rows of joint e. */
WIDE_INLINE void add_values(const Form form, const Bodies *bodies, uint32_t e, Wide rhs[ROWS]) {
    const Shape shape = shape_of(form, bodies, e);
    const AfxiGeneralLayout at = layout_of(form, bodies);
    Wide value[ROWS];
    load_numbers(bodies, &bodies->joint[e], bodies->group.system->value, shape.rows, value);
#pragma GCC unroll 6
    for (uint32_t r = 0; r < shape.rows; r++) {
        rhs[shape.first + r] = rhs[shape.first + r] + value[r];
        wide_store(kept_at(bodies, at.value + shape.first + r), value[r]);
    }
}

/* Adds values and compliances of the rows of joint e. */
WIDE_INLINE void add_rows(const Form form, const Bodies *bodies, uint32_t e, Wide rhs[ROWS]) {
    const AfxiSystem *system = bodies->group.system;
    const AfxiGeneralJoint *joint = &bodies->joint[e];
    const Shape shape = shape_of(form, bodies, e);
    const AfxiGeneralLayout at = layout_of(form, bodies);
    add_values(form, bodies, e, rhs);
    for (uint32_t r = joint->hard; r < shape.rows; r++) {
        Wide compliance = number_of(bodies, joint, system->compliance, r);
        add_to(element(form, bodies, shape.first + r, shape.first + r), compliance);
        wide_store(kept_at(bodies, at.compliance + shape.first + r), compliance);
    }
    if (joint->plain) {
        add_cross(bodies, e);
    }
    const RowsOff off = rows_off(bodies, joint, shape.rows);
    if (off || (shape.rows > 8 && system->recursion.switched)) {
        switch_rows(bodies, e, off, rhs);
    }
}

/* ---- elimination ---- */

/* a - sum of l[k] u[k] over the columns before: where l is in a column moves up by one from each to the next. */
WIDE_INLINE Wide reduced(Wide a, const double *l, uint32_t size, uint32_t columns, const Wide *u) {
#pragma GCC unroll 12
    for (uint32_t k = 0; k < columns; k++) {
        a = wide_nma(wide_load(l), u[k], a);
        l += (size_t)AFXI_RECURSION_LANES * (size - 1 - k);
    }
    return a;
}

/* Eliminates the first `inner` of `size` rows, column by column, each reduced by those before it; true where some are
 * redundant. Columns become the factor, and on their diagonals the solutions of each row alone; `kept` gets one over
 * the pivots. */
WIDE_INLINE bool eliminate_rows(double *matrix, double *kept, const bool regularised, const uint32_t inner,
                                const uint32_t size, Wide rhs[ROWS]) {
    const Wide least = wide_all(AFXI_REDUNDANT_PIVOT), more = wide_all(1 + AFXI_REGULARISATION);
    Wide pivot[ROWS], upper[ROWS]; /* upper: of this row, the factor times the pivots */
    WideMask redundant = wide_mask_none();
    double *own = matrix;
#pragma GCC unroll 18
    for (uint32_t c = 0; c < size; own += (size_t)AFXI_RECURSION_LANES * (size - c), c++) {
        const uint32_t before = c < inner ? c : inner;
        const double *line = matrix + (size_t)AFXI_RECURSION_LANES * c;
        Wide whole = wide_load(own), per = wide_all(1);
#pragma GCC unroll 12
        for (uint32_t k = 0; k < before; k++) {
            upper[k] = wide_load(line) * pivot[k];
            line += (size_t)AFXI_RECURSION_LANES * (size - 1 - k);
        }
        line = matrix + (size_t)AFXI_RECURSION_LANES * c;
        rhs[c] = reduced(rhs[c], line, size, before, rhs);
        Wide left = reduced(c < inner && regularised ? more * whole : whole, line, size, before, upper);
        if (c < inner) {
            pivot[c] = left;
            per = wide_all(1) / left;
            wide_store(kept + (size_t)AFXI_RECURSION_LANES * c, per);
            redundant |= ~wide_less(least * whole, left);
        }
        wide_store(own, c < inner ? rhs[c] * per : left);
#pragma GCC unroll 18
        for (uint32_t j = c + 1; j < size; j++) {
            double *to = own + (size_t)AFXI_RECURSION_LANES * (j - c);
            left = reduced(wide_load(to), matrix + (size_t)AFXI_RECURSION_LANES * j, size, before, upper);
            wide_store(to, c < inner ? left * per : left);
        }
    }
    return wide_any(redundant);
}

/* T and t are where they are; bodies in closed form want them otherwise. */
static __attribute__((noinline)) void leave_closed(const Bodies *bodies) {
    const Form form = {.known = false};
    const AfxiGeneralLayout at = layout_of(form, bodies);
    for (uint32_t l = 0; l < AFXI_LANES; l++) {
        if (bodies->group.first + l < bodies->group.job->lanes) {
            afxi_mixed_leave(bodies->group.system, bodies->group.job, bodies->group.first + l,
                             size_of(form, bodies) - inner_of(form, bodies), kept_at(bodies, at.left) + l,
                             kept_at(bodies, at.gap) + l);
        }
    }
}

/* t and the largest right-hand side, for the next bodies. */
WIDE_INLINE void leave_gap(const Form form, const Bodies *bodies, Wide largest, const Wide rhs[ROWS]) {
    const AfxiRecursionJob *job = bodies->group.job;
    const AfxiGeneralLayout at = layout_of(form, bodies);
    const uint32_t inner = inner_of(form, bodies);
    for (uint32_t r = inner; r < size_of(form, bodies); r++) {
        wide_store(kept_at(bodies, at.gap + r - inner), rhs[r]);
    }
    wide_store(kept_at(bodies, at.largest), largest);
    wide_store(own_message(&bodies->group) + AFXI_RECURSION_LANES * AFXI_RECURSION_LARGEST, largest);
    if (job->rooted && bodies->joint[job->children].beyond == AFXI_BEYOND_CLOSED) {
        leave_closed(bodies);
    }
}

WIDE_INLINE bool backward_bodies(const Form form, Bodies *bodies) {
    const AfxiGeneralLayout at = layout_of(form, bodies);
    const uint32_t inner = inner_of(form, bodies), size = size_of(form, bodies);
    Wide start[AFXI_AFFINE_WIDTH], rhs[ROWS], largest = wide_all(0);
    gather_rows(form, bodies, start);
    fill_matrix(form, bodies);
    if (bodies->touched) {
        touch_matrix(bodies);
    }
#pragma GCC unroll 3
    for (uint32_t e = 0; e < joints_of(form, bodies); e++) {
        pull(form, bodies, e, start, rhs + shape_of(form, bodies, e).first);
    }
#pragma GCC unroll 2
    for (uint32_t e = 0; e < children_of(form, bodies); e++) {
        if (bodies->joint[e].beyond == AFXI_BEYOND_GENERAL) {
            add_general(form, bodies, e, rhs, &largest);
        } else if (bodies->joint[e].beyond == AFXI_BEYOND_CLOSED) {
            add_closed(bodies, e, true, rhs, &largest);
        }
        add_rows(form, bodies, e, rhs);
    }
    for (uint32_t r = 0; r < inner; r++) {
        largest = wide_larger(largest, wide_magnitude(rhs[r]));
    }
    bool redundant = eliminate_rows(kept_at(bodies, at.matrix), kept_at(bodies, at.pivot),
                                    *bodies->group.system->regularise, inner, size, rhs);
    leave_gap(form, bodies, largest, rhs);
    return redundant;
}

/* ---- the same matrix with another right-hand side ---- */

/* What is kept of the rows as far as it is not of the matrix, and the right-hand side. Corrections start at nothing. */
WIDE_INLINE void reload_rows(const Form form, Bodies *bodies, Wide rhs[ROWS]) {
    const AfxiSystem *system = bodies->group.system;
    Wide start[AFXI_AFFINE_WIDTH];
    if (system->recursion.correcting) {
        for (uint32_t r = 0; r < size_of(form, bodies); r++) {
            rhs[r] = wide_all(0);
        }
        return;
    }
    load_kept(kept_at(bodies, 0), 9, bodies->s.r);
    load_start(form, bodies, start);
#pragma GCC unroll 3
    for (uint32_t e = 0; e < joints_of(form, bodies); e++) {
        pull(form, bodies, e, start, rhs + shape_of(form, bodies, e).first);
    }
}

/* Rows of joint e that are off have no right-hand side. */
WIDE_INLINE void clear_off(const Form form, const Bodies *bodies, uint32_t e, Wide rhs[ROWS]) {
    const AfxiGeneralJoint *joint = &bodies->joint[e];
    const Shape shape = shape_of(form, bodies, e);
    const RowsOff off = rows_off(bodies, joint, shape.rows);
    for (uint32_t r = 0; (off || shape.rows > 8) && r < shape.rows; r++) {
        if (may_be_off(bodies, off, r)) {
            const WideMask mask = row_off(bodies, joint, r);
            double *value = kept_at(bodies, layout_of(form, bodies).value + shape.first + r);
            wide_store(value, wide_select(mask, wide_all(0), wide_load(value)));
            rhs[shape.first + r] = wide_select(mask, wide_all(0), rhs[shape.first + r]);
        }
    }
}

/* As backward_bodies, bit for bit, with the factor that it has left: gradients, inverses, compliances and which rows
 * are off are what they were. */
WIDE_INLINE void substitute_bodies(const Form form, Bodies *bodies) {
    const AfxiGeneralLayout at = layout_of(form, bodies);
    const uint32_t inner = inner_of(form, bodies), size = size_of(form, bodies);
    Wide rhs[ROWS], largest = wide_all(0);
    reload_rows(form, bodies, rhs);
#pragma GCC unroll 2
    for (uint32_t e = 0; e < children_of(form, bodies); e++) {
        if (bodies->joint[e].beyond == AFXI_BEYOND_GENERAL) {
            add_gap(form, bodies, e, false, rhs, &largest);
        } else if (bodies->joint[e].beyond == AFXI_BEYOND_CLOSED) {
            add_closed(bodies, e, false, rhs, &largest);
        }
        add_values(form, bodies, e, rhs);
        clear_off(form, bodies, e, rhs);
    }
    for (uint32_t r = 0; r < inner; r++) {
        largest = wide_larger(largest, wide_magnitude(rhs[r]));
    }
#pragma GCC unroll 18
    for (uint32_t c = 0; c < size; c++) {
        rhs[c] = reduced(rhs[c], kept_at(bodies, at.matrix + c), size, c < inner ? c : inner, rhs);
        if (c < inner) {
            wide_store(element(form, bodies, c, c), rhs[c] * wide_load(kept_at(bodies, at.pivot + c)));
        }
    }
    leave_gap(form, bodies, largest, rhs);
}

#endif
