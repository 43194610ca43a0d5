/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that any joints hold on the way to the root, for *_wide.c files: products of their rows, what is left beyond
 * the joints away from the root, and the elimination of these. A row that is off is one of the identity, so active sets
 * change no structure; what its multiplier is fixed to loads the body beforehand. */
#ifndef AFXI_DUAL_GENERAL_BACKWARD_WIDE_H
#define AFXI_DUAL_GENERAL_BACKWARD_WIDE_H

#include "dual/general_lane_wide.h"
#include "dual/recursion_mixed.h"

/* ---- rows and their products ---- */

WIDE_INLINE void gather_joint(const Form form, const Bodies *bodies, uint32_t e) {
    const Shape shape = shape_of(form, bodies, e);
    const double *from[AFXI_LANES];
    Wide g[AFXI_AFFINE_WIDTH];
    double *to = gradient_of(form, bodies, shape.stored);
    for (int l = 0; l < AFXI_LANES; l++) {
        from[l] = bodies->group.system->jacobian + bodies->joint[e].jacobian[bodies->group.first + (uint32_t)l] +
                  (size_t)AFXI_AFFINE_WIDTH * shape.points;
    }
    for (uint32_t r = shape.points; r < shape.rows; r++, to += AFXI_AFFINE_WIDTH * AFXI_RECURSION_LANES) {
        wide_gather(from, 3, g);
        store_kept(to, shape.still ? 9 : AFXI_AFFINE_WIDTH, g);
        for (int l = 0; l < AFXI_LANES; l++) {
            from[l] += AFXI_AFFINE_WIDTH;
        }
    }
}

/* What multipliers that are fixed make of the start. */
static __attribute__((noinline)) void load_fixed(const Bodies *bodies, Wide start[AFXI_AFFINE_WIDTH]) {
    const Form form = {.known = false};
    Wide force[AFXI_AFFINE_WIDTH] = {0}, moved[AFXI_AFFINE_WIDTH], x[ROWS];
    WideMask loaded = wide_mask_none();
    for (uint32_t e = 0; e < joints_of(form, bodies); e++) {
        const AfxiGeneralJoint *joint = &bodies->joint[e];
        const RowsOff off = rows_off(bodies, joint, joint->rows);
        for (uint32_t r = 0; r < joint->rows; r++) {
            x[r] = wide_all(0);
        }
        if (off || joint->rows > 8) {
            replace_off(bodies, joint, off, joint->rows, bodies->group.system->fixed, x);
            push(form, bodies, e, x, force);
        }
        for (uint32_t r = 0; r < joint->rows; r++) {
            loaded |= ~wide_equal(x[r], wide_all(0));
        }
    }
    if (wide_any(loaded)) {
        apply(bodies, force, moved);
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            start[k] = start[k] - moved[k];
        }
    }
}

/* Frames, gradients of all rows that are stored, and the start. */
WIDE_INLINE void gather_rows(const Form form, Bodies *bodies, Wide start[AFXI_AFFINE_WIDTH]) {
    const AfxiSystem *system = bodies->group.system;
    const AfxiRecursionJob *job = bodies->group.job;
    load(&bodies->group, job->body, system->frame[0].m, 9, 3, bodies->s.r);
    store_kept(kept_at(bodies, 0), 9, bodies->s.r);
#pragma GCC unroll 3
    for (uint32_t e = 0; e < joints_of(form, bodies); e++) {
        gather_joint(form, bodies, e);
    }
    load(&bodies->group, job->body, system->recursion.general_base, AFXI_AFFINE_WIDTH, 3, start);
    if (system->recursion.switched && !system->recursion.correcting) {
        load_fixed(bodies, start);
    }
    store_kept(kept_at(bodies, layout_of(form, bodies).start), AFXI_AFFINE_WIDTH, start);
}

/* Rows of the points of joints e and f <= e. */
WIDE_INLINE void fill_points(const Form form, const Bodies *bodies, uint32_t e, uint32_t f) {
    const Shape own = shape_of(form, bodies, e), other = shape_of(form, bodies, f);
    const Products *s = &bodies->s;
    Wide local[9], block[9], translation = s->inverse[TRANSLATION];
    if (!own.points || !other.points) {
        return;
    }
    if (e != f) {
        translation = s->sign[own.place] * s->sign[other.place] * translation;
    }
    products_points(s, own.place, other.place, translation, local);
    products_turn(s->r, local, block);
    for (uint32_t c = 0; c < 3; c++) {
        for (uint32_t r = e == f ? c : 0; r < 3; r++) {
            wide_store(element(form, bodies, own.first + r, other.first + c), block[3 * c + r]);
        }
    }
}

/* Row r of joint f, which is not of a point, with the points of joints up to its own and, from itself on, with all
 * rows. */
WIDE_INLINE void fill_row(const Form form, const Bodies *bodies, uint32_t f, uint32_t r,
                          const Wide z[AFXI_AFFINE_WIDTH]) {
    const Shape own = shape_of(form, bodies, f);
    const uint32_t row = own.first + r;
    double *to = element(form, bodies, row, row);
    Wide with[3];
#pragma GCC unroll 3
    for (uint32_t e = 0; e < joints_of(form, bodies); e++) {
        const Shape other = shape_of(form, bodies, e);
        if (other.points) {
            pull_point(bodies, other.place, own.still, z, with);
        }
        for (uint32_t k = 0; e <= f && k < other.points; k++) {
            wide_store(element(form, bodies, row, other.first + k), with[k]);
        }
        for (uint32_t k = 0; e > f && k < other.points; k++, to += AFXI_RECURSION_LANES) {
            wide_store(to, with[k]);
        }
        const uint32_t first = e < f ? other.rows : e == f ? r : other.points;
        const double *g = gradient_of(form, bodies, other.stored + first - other.points);
#pragma GCC unroll 6
        for (uint32_t k = first; k < other.rows; k++, to += AFXI_RECURSION_LANES) {
            wide_store(to, dot(g, own.still || other.still, z));
            g += AFXI_AFFINE_WIDTH * AFXI_RECURSION_LANES;
        }
    }
}

/* Products of all rows. */
WIDE_INLINE void fill_matrix(const Form form, Bodies *bodies) {
    const uint32_t count = joints_of(form, bodies);
    uint32_t points = 0;
    for (uint32_t e = 0; e < count; e++) {
        points += shape_of(form, bodies, e).points / 3;
    }
    products_prepare(&bodies->s, false, points);
#pragma GCC unroll 3
    for (uint32_t f = 0; f < count; f++) {
        const Shape shape = shape_of(form, bodies, f);
#pragma GCC unroll 3
        for (uint32_t e = f; e < count; e++) {
            fill_points(form, bodies, e, f);
        }
#pragma GCC unroll 6
        for (uint32_t r = shape.points; r < shape.rows; r++) {
            Wide g[AFXI_AFFINE_WIDTH], z[AFXI_AFFINE_WIDTH];
            load_kept(gradient_of(form, bodies, shape.stored + r - shape.points), shape.still ? 9 : AFXI_AFFINE_WIDTH,
                      g);
            apply_alone(bodies, shape.still, g, z);
            fill_row(form, bodies, f, r, z);
        }
    }
}

/* Gradient of row r of joint e in one lane. */
static void expand_row(const Bodies *bodies, uint32_t e, uint32_t r, int l, double g[AFXI_AFFINE_WIDTH]) {
    const Form form = {.known = false};
    const Shape shape = shape_of(form, bodies, e);
    const double *from = gradient_of(form, bodies, shape.stored + r - shape.points) + l;
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
        if (r >= shape.points) {
            g[k] = k < 9 || !shape.still ? from[(size_t)AFXI_RECURSION_LANES * k] : 0;
        } else if (k < 9) {
            g[k] = wide_lane(bodies->s.r[3 * (k % 3) + (int)r], l) * wide_lane(bodies->s.x[shape.place][k / 3], l);
        } else {
            g[k] = k - 9 == (int)r ? wide_lane(bodies->s.sign[shape.place], l) : 0;
        }
    }
}

/* What contacts and holds take from the products: (Y g_r) . (Y g_c). */
static __attribute__((noinline)) void touch_matrix(const Bodies *bodies) {
    const Form form = {.known = false};
    const AfxiSystem *system = bodies->group.system;
    double image[ROWS][AFXI_WOODBURY_ROWS_MOST];
    for (int l = 0; l < AFXI_LANES; l++) {
        uint32_t own = system->woodbury_of[bodies->group.job->body[bodies->group.first + (uint32_t)l]];
        if (own == UINT32_MAX) {
            continue;
        }
        uint32_t count = system->woodbury->body[own].image_count;
        for (uint32_t e = 0; e < joints_of(form, bodies); e++) {
            for (uint32_t r = 0; r < bodies->joint[e].rows; r++) {
                double g[AFXI_AFFINE_WIDTH];
                expand_row(bodies, e, r, l, g);
                afxi_woodbury_image(system->woodbury, own, g, image[bodies->joint[e].first + r]);
            }
        }
        for (uint32_t c = 0; c < size_of(form, bodies); c++) {
            for (uint32_t r = c; r < size_of(form, bodies); r++) {
                double *to = element(form, bodies, r, c) + l;
                for (uint32_t k = 0; k < count; k++) {
                    *to -= image[r][k] * image[c][k];
                }
            }
        }
    }
}

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
#pragma GCC unroll 6
    for (uint32_t r = 0; r < shape.rows; r++) {
        rhs[shape.first + r] = rhs[shape.first + r] + left_of(bodies, joint, aligned, at++);
    }
    *largest = wide_larger(*largest, left_of(bodies, joint, aligned, at));
}

WIDE_INLINE void add_general(const Form form, const Bodies *bodies, uint32_t e, Wide rhs[ROWS], Wide *largest) {
    if (bodies->joint[e].aligned) {
        add_beyond(form, bodies, e, true, rhs, largest);
    } else {
        add_beyond(form, bodies, e, false, rhs, largest);
    }
}

/* The same of bodies in closed form, one lane after the other. */
static __attribute__((noinline)) void add_closed(const Bodies *bodies, uint32_t e, Wide rhs[ROWS], Wide *largest) {
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
            for (uint32_t r = c; r < joint->rows; r++) {
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

/* Adds values and compliances of the rows of joint e. */
WIDE_INLINE void add_rows(const Form form, const Bodies *bodies, uint32_t e, Wide rhs[ROWS]) {
    const AfxiSystem *system = bodies->group.system;
    const AfxiGeneralJoint *joint = &bodies->joint[e];
    const Shape shape = shape_of(form, bodies, e);
    const AfxiGeneralLayout at = layout_of(form, bodies);
    Wide value[ROWS];
    load_numbers(bodies, joint, system->value, shape.rows, value);
#pragma GCC unroll 6
    for (uint32_t r = 0; r < shape.rows; r++) {
        rhs[shape.first + r] = rhs[shape.first + r] + value[r];
        wide_store(kept_at(bodies, at.value + shape.first + r), value[r]);
    }
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
 * redundant. Columns become the factor, and on their diagonals the solutions of each row alone. */
WIDE_INLINE bool eliminate_rows(double *matrix, const bool regularised, const uint32_t inner, const uint32_t size,
                                Wide rhs[ROWS]) {
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

WIDE_INLINE bool backward_bodies(const Form form, Bodies *bodies) {
    const AfxiRecursionJob *job = bodies->group.job;
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
            add_closed(bodies, e, rhs, &largest);
        }
        add_rows(form, bodies, e, rhs);
    }
    for (uint32_t r = 0; r < inner; r++) {
        largest = wide_larger(largest, wide_magnitude(rhs[r]));
    }
    bool redundant = eliminate_rows(kept_at(bodies, at.matrix), *bodies->group.system->regularise, inner, size, rhs);
    for (uint32_t r = inner; r < size; r++) {
        wide_store(kept_at(bodies, at.gap + r - inner), rhs[r]);
    }
    wide_store(kept_at(bodies, at.largest), largest);
    wide_store(own_message(&bodies->group) + AFXI_RECURSION_LANES * AFXI_RECURSION_LARGEST, largest);
    if (job->rooted && bodies->joint[job->children].beyond == AFXI_BEYOND_CLOSED) {
        leave_closed(bodies);
    }
    return redundant;
}

#endif
