/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of bodies that any joints hold, and their products G X G^T, for *_wide.c files. */
#ifndef AFXI_DUAL_GENERAL_PRODUCTS_WIDE_H
#define AFXI_DUAL_GENERAL_PRODUCTS_WIDE_H

#include "dual/general_lane_wide.h"

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
    bool any = false;
    for (uint32_t e = 0; e < joints_of(form, bodies); e++) {
        const AfxiGeneralJoint *joint = &bodies->joint[e];
        const RowsOff off = rows_off(bodies, joint, joint->rows);
        WideMask loaded = wide_mask_none();
        if (!off && joint->rows <= 8) {
            continue;
        }
        for (uint32_t r = 0; r < joint->rows; r++) {
            x[r] = wide_all(0);
        }
        replace_off(bodies, joint, off, joint->rows, bodies->group.system->fixed, x);
        for (uint32_t r = 0; r < joint->rows; r++) {
            loaded |= ~wide_equal(x[r], wide_all(0));
        }
        if (wide_any(loaded)) {
            push(form, bodies, e, x, force);
            any = true;
        }
    }
    if (any) {
        apply(bodies, force, moved);
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            start[k] = start[k] - moved[k];
        }
    }
}

/* The start, with what fixed multipliers make of it. */
WIDE_INLINE void load_start(const Form form, const Bodies *bodies, Wide start[AFXI_AFFINE_WIDTH]) {
    const AfxiSystem *system = bodies->group.system;
    load(&bodies->group, bodies->group.job->body, system->recursion.general_base, AFXI_AFFINE_WIDTH, 3, start);
    if (system->recursion.switched && !system->recursion.correcting) {
        load_fixed(bodies, start);
    }
    store_kept(kept_at(bodies, layout_of(form, bodies).start), AFXI_AFFINE_WIDTH, start);
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
    load_start(form, bodies, start);
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

#endif
