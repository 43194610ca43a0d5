/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that any joints hold, one per lane, and the rows of their joints, for *_wide.c files; equations in
 * recursion.h.
 *
 * A row's gradient on a body is a direction times affine weights of a point, f (y, w)^T. The three rows of a joint's
 * point x share their weights (x, 1), and their directions are the axes of the world: what they make of a vector V =
 * (A, t) is R (A x) + t, and their products with each other are those of balls (closed_form.h), turned by R. So nothing
 * of them is stored. Other rows have their gradients, of which alignments and angles have no part on t. */
#ifndef AFXI_DUAL_GENERAL_LANE_WIDE_H
#define AFXI_DUAL_GENERAL_LANE_WIDE_H

#define PRODUCTS_MOST (AFXI_BODY_ROWS_MOST / 3)

#include "dual/apply.h"
#include "dual/recursion_lane_wide.h"

#define ROWS AFXI_BODY_ROWS_MOST

/* What is known of the bodies of a job when this is compiled: that one of their joints is towards the root, and all are
 * alike: a point and `rest` rows that turn only, or without `points` `rest` rows of any sort. */
typedef struct Form {
    bool known;
    uint32_t children, points, rest;
} Form;

/* Bodies of the lanes. */
typedef struct Bodies {
    Group group;
    const AfxiGeneralJoint *joint;
    double *kept;
    Products s;   /* of their points */
    bool touched; /* contacts or holds change the inverse of some */
} Bodies;

/* The rows of a joint among those of the body. */
typedef struct Shape {
    uint32_t first, rows, points;
    uint32_t stored, place; /* where the gradients of rows that are not of a point begin; its number among points */
    bool still;             /* it is known that these depend on A alone */
} Shape;

WIDE_INLINE uint32_t children_of(const Form form, const Bodies *bodies) {
    return form.known ? form.children : bodies->group.job->children;
}

WIDE_INLINE uint32_t joints_of(const Form form, const Bodies *bodies) {
    return form.known ? form.children + 1 : bodies->group.job->children + bodies->group.job->rooted;
}

WIDE_INLINE uint32_t inner_of(const Form form, const Bodies *bodies) {
    return form.known ? form.children * (form.points + form.rest) : bodies->group.job->inner;
}

WIDE_INLINE uint32_t size_of(const Form form, const Bodies *bodies) {
    return form.known ? (form.children + 1) * (form.points + form.rest) : bodies->group.job->size;
}

WIDE_INLINE Shape shape_of(const Form form, const Bodies *bodies, uint32_t e) {
    if (form.known) {
        const uint32_t rows = form.points + form.rest;
        return (Shape){e * rows, rows, form.points, e * form.rest, e, form.points > 0};
    }
    const AfxiGeneralJoint *joint = &bodies->joint[e];
    const uint32_t place = (uint32_t)(joint->first - joint->stored) / 3;
    return (Shape){joint->first, joint->rows, joint->points, joint->stored, place, false};
}

WIDE_INLINE AfxiGeneralLayout layout_of(const Form form, const Bodies *bodies) {
    uint32_t stored = form.known ? (form.children + 1) * form.rest : bodies->group.job->stored;
    return afxi_general_layout(inner_of(form, bodies), size_of(form, bodies), stored);
}

WIDE_INLINE double *kept_at(const Bodies *bodies, uint32_t k) {
    return bodies->kept + (size_t)AFXI_RECURSION_LANES * k;
}

/* The gradient of a row that is not of a point. */
WIDE_INLINE double *gradient_of(const Form form, const Bodies *bodies, uint32_t stored) {
    return kept_at(bodies, layout_of(form, bodies).gradient + AFXI_AFFINE_WIDTH * stored);
}

/* Of the lower half of the matrix. */
WIDE_INLINE double *element(const Form form, const Bodies *bodies, uint32_t row, uint32_t column) {
    const uint32_t size = size_of(form, bodies);
    return kept_at(bodies, layout_of(form, bodies).matrix + column * size - column * (column + 1) / 2 + row);
}

WIDE_INLINE void load_kept(const double *from, int count, Wide *out) {
    for (int k = 0; k < count; k++) {
        out[k] = wide_load(from + (size_t)AFXI_RECURSION_LANES * k);
    }
}

WIDE_INLINE void store_kept(double *to, int count, const Wide *in) {
    for (int k = 0; k < count; k++) {
        wide_store(to + (size_t)AFXI_RECURSION_LANES * k, in[k]);
    }
}

WIDE_INLINE void add_to(double *to, Wide more) {
    wide_store(to, wide_load(to) + more);
}

WIDE_INLINE void bodies_of(const Form form, const AfxiSystem *system, const AfxiRecursionJob *job, uint32_t chunk,
                           Bodies *out) {
    out->group = group_of(system, job, chunk);
    out->joint = system->graph->recursion.general + job->first_general;
    out->kept = forward_of(&out->group);
    Products *s = &out->s;
    load(&out->group, job->body, (const double *)system->inverse, INVERSE_SIZE, (TRANSLATION + 4) / 4, s->inverse);
    s->twisted = false;
    for (int l = 0; l < AFXI_LANES; l++) {
        s->twisted |= system->inverse[job->body[out->group.first + l]].has_twist != 0;
    }
    if (s->twisted) {
        load(&out->group, job->body, (const double *)system->inverse, INVERSE_SIZE, INVERSE_SIZE / 4, s->inverse);
    }
    for (uint32_t e = 0; e < joints_of(form, out); e++) {
        const Shape shape = shape_of(form, out, e);
        for (int k = 0; shape.points && k < 3; k++) {
            s->x[shape.place][k] = wide_load(out->joint[e].point[k] + out->group.first);
        }
        if (shape.points) {
            s->sign[shape.place] = wide_load(out->joint[e].sign + out->group.first);
        }
    }
    out->touched = any_touched(system, job->body + out->group.first, AFXI_LANES);
}

/* ---- X ---- */

/* What contacts and holds take from X g. */
static __attribute__((noinline)) void touch(const Bodies *bodies, const Wide g[AFXI_AFFINE_WIDTH],
                                            Wide out[AFXI_AFFINE_WIDTH]) {
    const AfxiSystem *system = bodies->group.system;
    for (int l = 0; l < AFXI_LANES; l++) {
        uint32_t own = system->woodbury_of[bodies->group.job->body[bodies->group.first + l]];
        double from[AFXI_AFFINE_WIDTH], to[AFXI_AFFINE_WIDTH];
        if (own == UINT32_MAX) {
            continue;
        }
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            from[k] = wide_lane(g[k], l);
            to[k] = wide_lane(out[k], l);
        }
        afxi_woodbury_apply(system->woodbury, own, from, to);
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            out[k] = wide_with_lane(out[k], l, to[k]);
        }
    }
}

/* out = X g of the bodies alone; with `still` there is no part on t. */
WIDE_INLINE void apply_alone(const Bodies *bodies, const bool still, const Wide g[AFXI_AFFINE_WIDTH],
                             Wide out[AFXI_AFFINE_WIDTH]) {
    const Wide *x = bodies->s.inverse;
    wide_inverse_apply(x + DIAGONAL, x + PAIR, x + TWIST, bodies->s.twisted, g, out);
    for (int k = 9; k < AFXI_AFFINE_WIDTH; k++) {
        out[k] = still ? wide_all(0) : x[TRANSLATION] * g[k];
    }
}

/* out = X g */
WIDE_INLINE void apply(const Bodies *bodies, const Wide g[AFXI_AFFINE_WIDTH], Wide out[AFXI_AFFINE_WIDTH]) {
    apply_alone(bodies, false, g, out);
    if (bodies->touched) {
        touch(bodies, g, out);
    }
}

/* ---- G ---- */

/* Of the gradient of a row, as it is kept, with v. */
WIDE_INLINE Wide dot(const double *g, const bool still, const Wide v[AFXI_AFFINE_WIDTH]) {
    Wide sum[3];
    for (int k = 0; k < 3; k++) {
        sum[k] = wide_load(g + AFXI_RECURSION_LANES * k) * v[k];
    }
    for (int k = 3; k < (still ? 9 : AFXI_AFFINE_WIDTH); k++) {
        sum[k % 3] = wide_fma(wide_load(g + AFXI_RECURSION_LANES * k), v[k], sum[k % 3]);
    }
    return sum[0] + (sum[1] + sum[2]);
}

/* The three rows of point `place` with v; with `still`, v has no part on t. */
WIDE_INLINE void pull_point(const Bodies *bodies, uint32_t place, const bool still, const Wide v[AFXI_AFFINE_WIDTH],
                            Wide out[3]) {
    Wide local[3];
    wide_apply(v, bodies->s.x[place], local);
    wide_apply(bodies->s.r, local, out);
    for (int k = 0; !still && k < 3; k++) {
        out[k] = wide_fma(bodies->s.sign[place], v[9 + k], out[k]);
    }
}

/* out = G v, of the rows of joint e. */
WIDE_INLINE void pull(const Form form, const Bodies *bodies, uint32_t e, const Wide v[AFXI_AFFINE_WIDTH], Wide *out) {
    const Shape shape = shape_of(form, bodies, e);
    if (shape.points) {
        pull_point(bodies, shape.place, false, v, out);
    }
#pragma GCC unroll 3
    for (uint32_t r = shape.points; r < shape.rows; r++) {
        out[r] = dot(gradient_of(form, bodies, shape.stored + r - shape.points), shape.still, v);
    }
}

/* force += G^T x, of the rows of joint e. */
WIDE_INLINE void push(const Form form, const Bodies *bodies, uint32_t e, const Wide *x, Wide force[AFXI_AFFINE_WIDTH]) {
    const Shape shape = shape_of(form, bodies, e);
    if (shape.points) {
        Wide local[3];
        wide_apply_transposed(bodies->s.r, x, local);
        for (int k = 0; k < 9; k++) {
            force[k] = wide_fma(local[k % 3], bodies->s.x[shape.place][k / 3], force[k]);
        }
        for (int k = 0; k < 3; k++) {
            force[9 + k] = wide_fma(bodies->s.sign[shape.place], x[k], force[9 + k]);
        }
    }
#pragma GCC unroll 3
    for (uint32_t r = shape.points; r < shape.rows; r++) {
        const double *g = gradient_of(form, bodies, shape.stored + r - shape.points);
        for (int k = 0; k < (shape.still ? 9 : AFXI_AFFINE_WIDTH); k++) {
            force[k] = wide_fma(wide_load(g + AFXI_RECURSION_LANES * k), x[r], force[k]);
        }
    }
}

/* ---- numbers of rows ---- */

/* That of row r of a joint in an array of all rows. */
WIDE_INLINE Wide number_of(const Bodies *bodies, const AfxiGeneralJoint *joint, const double *base, uint32_t r) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + joint->row[bodies->group.first + (uint32_t)l];
    }
    return pick(row, r);
}

/* Those of all rows of a joint. */
WIDE_INLINE void load_numbers(const Bodies *bodies, const AfxiGeneralJoint *joint, const double *base, uint32_t rows,
                              Wide *out) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + joint->row[bodies->group.first + (uint32_t)l];
    }
    if (rows >= 4) {
        wide_gather(row, 1, out);
    }
    for (uint32_t r = rows >= 4 ? 4 : 0; r < rows; r++) {
        out[r] = pick(row, r);
    }
}

WIDE_INLINE void store_numbers(const Bodies *bodies, const AfxiGeneralJoint *joint, double *base, uint32_t rows,
                               const Wide *in) {
    double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + joint->row[bodies->group.first + (uint32_t)l];
    }
    if (rows >= 4) {
        wide_scatter(row, 1, in);
    }
    for (uint32_t r = rows >= 4 ? 4 : 0; r < rows; r++) {
        for (int l = 0; l < AFXI_LANES; l++) {
            row[l][r] = wide_lane(in[r], l);
        }
    }
}

/* ---- rows that are off ---- */

/* Which of the first eight rows of a joint are off in some lane, a byte for each. */
typedef uint64_t RowsOff;
#define EACH_BYTE 0x0101010101010101u

WIDE_INLINE RowsOff rows_off(const Bodies *bodies, const AfxiGeneralJoint *joint, uint32_t rows) {
    const AfxiSystem *system = bodies->group.system;
    RowsOff all = EACH_BYTE;
    if (!system->recursion.switched) {
        return 0;
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        RowsOff on;
        __builtin_memcpy(&on, system->active + joint->row[bodies->group.first + (uint32_t)l], sizeof on);
        all &= on;
    }
    return ~all & (rows < 8 ? EACH_BYTE >> 8 * (8 - rows) : EACH_BYTE);
}

/* Whether a row may be off in some lane; of the ninth and later ones it is not known. */
WIDE_INLINE bool may_be_off(const Bodies *bodies, RowsOff off, uint32_t r) {
    return r < 8 ? off >> 8 * r & 1u : bodies->group.system->recursion.switched;
}

/* Which lanes have row r of a joint switched off. */
static __attribute__((noinline)) WideMask row_off(const Bodies *bodies, const AfxiGeneralJoint *joint, uint32_t r) {
    WideView on;
    for (int l = 0; l < AFXI_LANES; l++) {
        on.lane[l] = bodies->group.system->active[joint->row[bodies->group.first + (uint32_t)l] + r];
    }
    return wide_equal(on.wide, wide_all(0));
}

/* Numbers of rows of a joint that are off become those of `other` there; NULL: 0. */
WIDE_INLINE void replace_off(const Bodies *bodies, const AfxiGeneralJoint *joint, RowsOff off, uint32_t rows,
                             const double *other, Wide *numbers) {
    for (uint32_t r = 0; (off || rows > 8) && r < rows; r++) {
        if (may_be_off(bodies, off, r)) {
            Wide in = other ? number_of(bodies, joint, other, r) : wide_all(0);
            numbers[r] = wide_select(row_off(bodies, joint, r), in, numbers[r]);
        }
    }
}

#endif
