/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that any joints hold, one per lane, eliminated from the leaves to the root and back by the gradients of their
 * rows: equations in recursion.h. Rows are scalars, so that T and t need no turning. A row that is switched off has
 * zeros for its gradient and is one of the identity, so active sets change no structure; what its multiplier is fixed
 * to loads the body beforehand. */
#include "math/vector_wide.h"

#if AFXI_WIDE_PAYS

#include <math.h>

#include "dual/apply.h"
#include "dual/recursion_lane_wide.h"
#include "dual/recursion_mixed.h"

#define ROWS AFXI_BODY_ROWS_MOST

/* Bodies of the lanes. */
typedef struct Bodies {
    Group group;
    const AfxiGeneralJoint *joint;
    AfxiGeneralLayout at;
    double *kept;
    Wide inverse[INVERSE_SIZE];
    uint32_t joints, inner, size;
    bool twisted, touched; /* contacts or holds change the inverse of some */
} Bodies;

WIDE_INLINE double *kept_at(const Bodies *bodies, uint32_t k) {
    return bodies->kept + (size_t)AFXI_RECURSION_LANES * k;
}

WIDE_INLINE double *gradient_of(const Bodies *bodies, uint32_t row) {
    return kept_at(bodies, AFXI_AFFINE_WIDTH * row);
}

/* Column `row` of the matrix, from its diagonal on. */
WIDE_INLINE double *column_of(const Bodies *bodies, uint32_t row) {
    return kept_at(bodies, bodies->at.matrix + row * bodies->size - row * (row + 1) / 2 + row);
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

WIDE_INLINE void bodies_of(const AfxiSystem *system, const AfxiRecursionJob *job, uint32_t chunk, Bodies *out) {
    out->group = group_of(system, job, chunk);
    out->joint = system->graph->recursion.general + job->first_general;
    out->at = afxi_general_layout(job->inner, job->size);
    out->joints = job->children + job->rooted;
    out->inner = job->inner;
    out->size = job->size;
    out->kept = forward_of(&out->group);
    load(&out->group, job->body, (const double *)system->inverse, INVERSE_SIZE, INVERSE_SIZE / 4, out->inverse);
    out->twisted = wide_any(~wide_equal(out->inverse[TWISTED], wide_all(0)));
    out->touched = false;
    for (int l = 0; system->woodbury && l < AFXI_LANES; l++) {
        out->touched |= system->woodbury_of[job->body[out->group.first + l]] != UINT32_MAX;
    }
}

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

/* out = X g */
WIDE_INLINE void apply(const Bodies *bodies, const Wide g[AFXI_AFFINE_WIDTH], Wide out[AFXI_AFFINE_WIDTH]) {
    const Wide *x = bodies->inverse;
    wide_inverse_apply(x + DIAGONAL, x + PAIR, x + TWIST, bodies->twisted, g, out);
    for (int k = 9; k < AFXI_AFFINE_WIDTH; k++) {
        out[k] = x[TRANSLATION] * g[k];
    }
    if (bodies->touched) {
        touch(bodies, g, out);
    }
}

/* Of a row's gradient, as it is kept, with x. */
WIDE_INLINE Wide dot(const double *g, const Wide x[AFXI_AFFINE_WIDTH]) {
    Wide sum[3];
    for (int k = 0; k < 3; k++) {
        sum[k] = wide_load(g + AFXI_RECURSION_LANES * k) * x[k];
    }
    for (int k = 3; k < AFXI_AFFINE_WIDTH; k++) {
        sum[k % 3] = wide_fma(wide_load(g + AFXI_RECURSION_LANES * k), x[k], sum[k % 3]);
    }
    return sum[0] + (sum[1] + sum[2]);
}

/* Where the numbers of a joint's rows stand in an array of all rows. */
typedef struct Rows {
    const double *lane[AFXI_LANES];
} Rows;

WIDE_INLINE Rows rows_of(const Bodies *bodies, const AfxiGeneralJoint *joint, const double *base) {
    Rows rows;
    for (int l = 0; l < AFXI_LANES; l++) {
        rows.lane[l] = base + joint->row[bodies->group.first + (uint32_t)l];
    }
    return rows;
}

WIDE_INLINE void store_row(const Bodies *bodies, const AfxiGeneralJoint *joint, double *base, uint32_t r, Wide in) {
    for (int l = 0; l < AFXI_LANES; l++) {
        base[joint->row[bodies->group.first + (uint32_t)l] + r] = wide_lane(in, l);
    }
}

/* Which lanes have row r of a joint switched off. */
static __attribute__((noinline)) WideMask row_off(const Bodies *bodies, const AfxiGeneralJoint *joint, uint32_t r) {
    WideView on;
    for (int l = 0; l < AFXI_LANES; l++) {
        on.lane[l] = bodies->group.system->active[joint->row[bodies->group.first + (uint32_t)l] + r];
    }
    return wide_equal(on.wide, wide_all(0));
}

/* Whether row r of a joint is switched off in some lane. */
WIDE_INLINE bool is_row_off(const Bodies *bodies, const AfxiGeneralJoint *joint, uint32_t r) {
    const AfxiSystem *system = bodies->group.system;
    unsigned all = 1;
    for (int l = 0; system->recursion.switched && l < AFXI_LANES; l++) {
        all &= system->active[joint->row[bodies->group.first + (uint32_t)l] + r];
    }
    return !all;
}

/* ---- towards the root ---- */

/* A row that is off in some lanes has no gradient there; what it is fixed to adds to the force. */
static __attribute__((noinline)) bool switch_row(const Bodies *bodies, const AfxiGeneralJoint *joint, uint32_t r,
                                                 Wide force[AFXI_AFFINE_WIDTH]) {
    const AfxiSystem *system = bodies->group.system;
    double *g = gradient_of(bodies, joint->first + r);
    WideMask off = row_off(bodies, joint, r);
    Rows rows = rows_of(bodies, joint, system->fixed);
    Wide fixed = wide_select(off, pick(rows.lane, r), wide_all(0));
    for (int k = 0; k < AFXI_AFFINE_WIDTH; k++, g += AFXI_RECURSION_LANES) {
        Wide own = wide_load(g);
        force[k] = wide_fma(fixed, own, force[k]);
        wide_store(g, wide_select(off, wide_all(0), own));
    }
    return !system->recursion.correcting && wide_any(~wide_equal(fixed, wide_all(0)));
}

/* Gradients of all rows, and what fixed multipliers make of the start. */
WIDE_INLINE void gather_rows(const Bodies *bodies, Wide start[AFXI_AFFINE_WIDTH]) {
    const AfxiSystem *system = bodies->group.system;
    Wide g[AFXI_AFFINE_WIDTH], force[AFXI_AFFINE_WIDTH] = {0};
    bool loaded = false;
    for (uint32_t e = 0; e < bodies->joints; e++) {
        const AfxiGeneralJoint *joint = &bodies->joint[e];
        const double *from[AFXI_LANES];
        double *to = gradient_of(bodies, joint->first);
        for (int l = 0; l < AFXI_LANES; l++) {
            from[l] = system->jacobian + joint->jacobian[bodies->group.first + (uint32_t)l];
        }
        for (uint32_t r = 0; r < joint->rows; r++, to += AFXI_AFFINE_WIDTH * AFXI_RECURSION_LANES) {
            wide_gather(from, 3, g);
            store_kept(to, AFXI_AFFINE_WIDTH, g);
            for (int l = 0; l < AFXI_LANES; l++) {
                from[l] += AFXI_AFFINE_WIDTH;
            }
        }
        for (uint32_t r = 0; system->recursion.switched && r < joint->rows; r++) {
            loaded |= is_row_off(bodies, joint, r) && switch_row(bodies, joint, r, force);
        }
    }
    load(&bodies->group, bodies->group.job->body, system->recursion.general_base, AFXI_AFFINE_WIDTH, 3, start);
    if (loaded) {
        apply(bodies, force, g);
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            start[k] = start[k] - g[k];
        }
    }
    store_kept(kept_at(bodies, bodies->at.start), AFXI_AFFINE_WIDTH, start);
}

/* Products of all rows. */
WIDE_INLINE void fill_matrix(const Bodies *bodies) {
    Wide g[AFXI_AFFINE_WIDTH], x[AFXI_AFFINE_WIDTH];
    for (uint32_t c = 0; c < bodies->size; c++) {
        double *to = column_of(bodies, c);
        const double *row = gradient_of(bodies, c);
        load_kept(row, AFXI_AFFINE_WIDTH, g);
        apply(bodies, g, x);
        for (uint32_t r = c; r < bodies->size; r++) {
            wide_store(to, dot(row, x));
            to += AFXI_RECURSION_LANES;
            row += AFXI_AFFINE_WIDTH * AFXI_RECURSION_LANES;
        }
    }
}

/* Number `at` of what the bodies beyond a joint have left. */
WIDE_INLINE Wide take_left(const Bodies *bodies, const AfxiGeneralJoint *joint, uint32_t at) {
    const double *base = bodies->group.system->recursion.forward + (size_t)AFXI_RECURSION_LANES * at;
    const double *row[AFXI_LANES];
    if (joint->aligned) {
        return wide_load(base + joint->left[bodies->group.first]);
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + joint->left[bodies->group.first + (uint32_t)l];
    }
    return pick(row, 0);
}

WIDE_INLINE void add_to(double *to, Wide more) {
    wide_store(to, wide_load(to) + more);
}

/* Adds T and t of general bodies beyond a joint. */
WIDE_INLINE void add_general(const Bodies *bodies, const AfxiGeneralJoint *joint, Wide rhs[ROWS], Wide *largest) {
    uint32_t at = 0;
    for (uint32_t c = 0; c < joint->rows; c++) {
        double *to = column_of(bodies, joint->first + c);
        for (uint32_t r = c; r < joint->rows; r++, to += AFXI_RECURSION_LANES) {
            add_to(to, take_left(bodies, joint, at++));
        }
    }
    for (uint32_t r = 0; r < joint->rows; r++) {
        rhs[joint->first + r] = rhs[joint->first + r] + take_left(bodies, joint, at++);
    }
    *largest = wide_larger(*largest, take_left(bodies, joint, at));
}

/* The same of bodies in closed form, one lane after the other. */
static __attribute__((noinline)) void add_closed(const Bodies *bodies, uint32_t e, Wide rhs[ROWS], Wide *largest) {
    const AfxiGeneralJoint *joint = &bodies->joint[e];
    for (int l = 0; l < AFXI_LANES; l++) {
        double t[36], gap[6];
        Wide far = wide_with_lane(wide_all(0), l,
                                  afxi_mixed_take(bodies->group.system, &bodies->group.joint[e],
                                                  bodies->group.first + (uint32_t)l, joint->rows, t, gap));
        *largest = wide_larger(*largest, far);
        for (uint32_t c = 0; c < joint->rows; c++) {
            double *to = column_of(bodies, joint->first + c) + l;
            for (uint32_t r = c; r < joint->rows; r++, to += AFXI_RECURSION_LANES) {
                *to += t[6 * c + r];
            }
            rhs[joint->first + c] =
                wide_with_lane(rhs[joint->first + c], l, wide_lane(rhs[joint->first + c], l) + gap[c]);
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

/* Adds values and compliances of the rows of joint e. */
WIDE_INLINE void add_rows(const Bodies *bodies, uint32_t e, Wide rhs[ROWS]) {
    const AfxiSystem *system = bodies->group.system;
    const AfxiGeneralJoint *joint = &bodies->joint[e];
    Rows values = rows_of(bodies, joint, system->value), compliances = rows_of(bodies, joint, system->compliance);
    double *kept_value = kept_at(bodies, bodies->at.value + joint->first),
           *kept_compliance = kept_at(bodies, bodies->at.compliance + joint->first);
    for (uint32_t r = 0; r < joint->rows; r++) {
        uint32_t row = joint->first + r;
        double *diagonal = column_of(bodies, row);
        Wide value = pick(values.lane, r), compliance = pick(compliances.lane, r);
        Wide own = wide_load(diagonal) + compliance;
        rhs[row] = rhs[row] + value;
        if (is_row_off(bodies, joint, r)) {
            WideMask off = row_off(bodies, joint, r);
            own = wide_select(off, wide_all(1), own);
            value = wide_select(off, wide_all(0), value);
            compliance = wide_select(off, wide_all(0), compliance);
            rhs[row] = wide_select(off, wide_all(0), rhs[row]);
        }
        wide_store(diagonal, own);
        wide_store(kept_value + AFXI_RECURSION_LANES * r, value);
        wide_store(kept_compliance + AFXI_RECURSION_LANES * r, compliance);
    }
    if (joint->plain) {
        Wide cross[3];
        double *first = column_of(bodies, joint->first + joint->plain),
               *second = column_of(bodies, joint->first + joint->plain + 1u);
        cross_of(bodies, e, cross);
        add_to(first + AFXI_RECURSION_LANES, cross[0]);
        add_to(first + 2 * AFXI_RECURSION_LANES, cross[1]);
        add_to(second + AFXI_RECURSION_LANES, cross[2]);
    }
}

/* Eliminates the first `inner` of `size` rows; true where some are redundant. */
WIDE_INLINE bool eliminate_some(double *matrix, const bool regularised, const uint32_t inner, const uint32_t size,
                                Wide rhs[ROWS]) {
    const Wide least = wide_all(AFXI_REDUNDANT_PIVOT), more = wide_all(1 + AFXI_REGULARISATION);
    Wide whole[ROWS], column[ROWS], factor[ROWS];
    WideMask redundant = wide_mask_none();
    double *own = matrix;
    for (uint32_t k = 0; k < inner; k++, own += (size_t)AFXI_RECURSION_LANES * (size + 1 - k)) {
        whole[k] = wide_load(own);
        if (regularised) {
            wide_store(own, more * whole[k]);
        }
    }
    own = matrix;
#pragma GCC unroll 8
    for (uint32_t k = 0; k < inner; k++) {
        const uint32_t count = size - k;
        Wide pivot = wide_load(own), per = wide_all(1) / pivot;
        redundant |= ~wide_less(least * whole[k], pivot);
#pragma GCC unroll 16
        for (uint32_t j = 1; j < count; j++) {
            column[j] = wide_load(own + AFXI_RECURSION_LANES * j);
            factor[j] = column[j] * per;
            wide_store(own + AFXI_RECURSION_LANES * j, factor[j]);
            rhs[k + j] = wide_nma(factor[j], rhs[k], rhs[k + j]);
        }
        wide_store(own, rhs[k] * per);
        own += (size_t)AFXI_RECURSION_LANES * count;
        double *to = own;
#pragma GCC unroll 16
        for (uint32_t c = 1; c < count; c++) {
#pragma GCC unroll 16
            for (uint32_t j = c; j < count; j++, to += AFXI_RECURSION_LANES) {
                wide_store(to, wide_nma(factor[j], column[c], wide_load(to)));
            }
        }
    }
    return wide_any(redundant);
}

/* Numbers of rows that most bodies have are known when compiled: leaves, links and forks of hinges, of what has four
 * rows, of balls, and of what has six. */
static bool eliminate_rows(const Bodies *bodies, Wide rhs[ROWS]) {
    const bool regularised = *bodies->group.system->regularise;
    double *matrix = column_of(bodies, 0);
#define KNOWN(inner, size)      \
    case 64 * (inner) + (size): \
        return eliminate_some(matrix, regularised, inner, size, rhs)
    switch (64 * bodies->inner + bodies->size) {
        KNOWN(3, 6);
        KNOWN(4, 8);
        KNOWN(5, 10);
        KNOWN(6, 12);
    default:
        return eliminate_some(matrix, regularised, bodies->inner, bodies->size, rhs);
    }
#undef KNOWN
}

/* T and t are where they are; bodies in closed form want them otherwise. */
static __attribute__((noinline)) void leave_closed(const Bodies *bodies) {
    for (uint32_t l = 0; l < AFXI_LANES; l++) {
        if (bodies->group.first + l < bodies->group.job->lanes) {
            afxi_mixed_leave(bodies->group.system, bodies->group.job, bodies->group.first + l,
                             bodies->size - bodies->inner, kept_at(bodies, bodies->at.left) + l,
                             kept_at(bodies, bodies->at.gap) + l);
        }
    }
}

static bool backward_bodies(const Bodies *bodies) {
    const AfxiRecursionJob *job = bodies->group.job;
    Wide start[AFXI_AFFINE_WIDTH], rhs[ROWS], largest = wide_all(0);
    gather_rows(bodies, start);
    fill_matrix(bodies);
    for (uint32_t r = 0; r < bodies->size; r++) {
        rhs[r] = dot(gradient_of(bodies, r), start);
    }
    for (uint32_t e = 0; e < job->children; e++) {
        if (bodies->joint[e].beyond == AFXI_BEYOND_GENERAL) {
            add_general(bodies, &bodies->joint[e], rhs, &largest);
        } else if (bodies->joint[e].beyond == AFXI_BEYOND_CLOSED) {
            add_closed(bodies, e, rhs, &largest);
        }
        add_rows(bodies, e, rhs);
    }
    for (uint32_t r = 0; r < bodies->inner; r++) {
        largest = wide_larger(largest, wide_magnitude(rhs[r]));
    }
    bool redundant = eliminate_rows(bodies, rhs);
    for (uint32_t r = bodies->inner; r < bodies->size; r++) {
        wide_store(kept_at(bodies, bodies->at.gap + r - bodies->inner), rhs[r]);
    }
    wide_store(kept_at(bodies, bodies->at.largest), largest);
    wide_store(own_message(&bodies->group) + AFXI_RECURSION_LANES * AFXI_RECURSION_LARGEST, largest);
    if (job->rooted && bodies->joint[job->children].beyond == AFXI_BEYOND_CLOSED) {
        leave_closed(bodies);
    }
    return redundant;
}

/* ---- and back ---- */

/* Multipliers of all rows; those of rows that are off count for nothing. */
WIDE_INLINE void solve_rows(const Bodies *bodies, Wide x[ROWS]) {
    const AfxiSystem *system = bodies->group.system;
    const uint32_t children = bodies->group.job->children;
    if (bodies->size > bodies->inner) {
        Rows rows = rows_of(bodies, &bodies->joint[children], system->lambda);
        for (uint32_t r = bodies->inner; r < bodies->size; r++) {
            x[r] = pick(rows.lane, r - bodies->inner);
        }
    }
    for (uint32_t k = bodies->inner; k-- > 0;) {
        const double *own = column_of(bodies, k);
        Wide sum = wide_load(own);
        for (uint32_t j = k + 1; j < bodies->size; j++) {
            own += AFXI_RECURSION_LANES;
            sum = wide_nma(wide_load(own), x[j], sum);
        }
        x[k] = sum;
    }
    for (uint32_t e = 0; e < children; e++) {
        const AfxiGeneralJoint *joint = &bodies->joint[e];
        for (uint32_t r = 0; r < joint->rows; r++) {
            Wide lambda = x[joint->first + r];
            if (is_row_off(bodies, joint, r)) {
                Rows rows = rows_of(bodies, joint, system->fixed);
                lambda = wide_select(row_off(bodies, joint, r), pick(rows.lane, r), lambda);
            }
            store_row(bodies, joint, system->lambda, r, lambda);
        }
    }
}

/* delta = delta_0 - X G^T lambda */
WIDE_INLINE void move(const Bodies *bodies, const Wide x[ROWS], Wide delta[AFXI_AFFINE_WIDTH]) {
    Wide force[AFXI_AFFINE_WIDTH] = {0}, moved[AFXI_AFFINE_WIDTH];
    double *to[AFXI_LANES];
    for (uint32_t r = 0; r < bodies->size; r++) {
        const double *g = gradient_of(bodies, r);
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            force[k] = wide_fma(wide_load(g + AFXI_RECURSION_LANES * k), x[r], force[k]);
        }
    }
    apply(bodies, force, moved);
    load_kept(kept_at(bodies, bodies->at.start), AFXI_AFFINE_WIDTH, delta);
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
    Wide r[AFXI_AFFINE_WIDTH], origin[4], next[AFXI_AFFINE_WIDTH];
    double *to[AFXI_LANES];
    load(&bodies->group, body, system->bodies.frame[0].m, 9, 3, r);
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

/* What the rows of a joint away from the root still lack, but for the share of the body beyond. */
WIDE_INLINE void leave_residual(const Bodies *bodies, uint32_t e, const Wide x[ROWS],
                                const Wide delta[AFXI_AFFINE_WIDTH], Wide *largest) {
    const AfxiSystem *system = bodies->group.system;
    const AfxiGeneralJoint *joint = &bodies->joint[e];
    Wide lack[ROWS];
    for (uint32_t r = 0; r < joint->rows; r++) {
        uint32_t row = joint->first + r;
        Wide compliance = wide_load(kept_at(bodies, bodies->at.compliance + row));
        Wide value = wide_load(kept_at(bodies, bodies->at.value + row));
        lack[r] = wide_nma(compliance, x[row], value + dot(gradient_of(bodies, row), delta));
    }
    if (joint->plain) {
        Wide cross[3];
        const uint32_t a = joint->plain, b = a + 1, c = a + 2;
        const Wide *own = x + joint->first;
        cross_of(bodies, e, cross);
        lack[a] = wide_nma(cross[0], own[b], wide_nma(cross[1], own[c], lack[a]));
        lack[b] = wide_nma(cross[0], own[a], wide_nma(cross[2], own[c], lack[b]));
        lack[c] = wide_nma(cross[1], own[a], wide_nma(cross[2], own[b], lack[c]));
    }
    for (uint32_t r = 0; r < joint->rows; r++) {
        store_row(bodies, joint, system->residual, r, lack[r]);
        if (joint->beyond == AFXI_BEYOND_NOTHING) {
            *largest = wide_larger(*largest, wide_magnitude(lack[r]));
        }
    }
}

/* The share of the bodies in what the joint towards the root lacks. */
WIDE_INLINE void finish_residual(const Bodies *bodies, const Wide delta[AFXI_AFFINE_WIDTH], Wide *largest) {
    const AfxiSystem *system = bodies->group.system;
    const AfxiGeneralJoint *joint = &bodies->joint[bodies->group.job->children];
    Rows rows = rows_of(bodies, joint, system->residual);
    for (uint32_t r = 0; r < joint->rows; r++) {
        Wide lack = pick(rows.lane, r) + dot(gradient_of(bodies, joint->first + r), delta);
        *largest = wide_larger(*largest, wide_magnitude(lack));
        store_row(bodies, joint, system->residual, r, lack);
    }
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

static void forward_bodies(const Bodies *bodies, AfxiRecursionTally *out) {
    const AfxiSystem *system = bodies->group.system;
    const AfxiRecursionJob *job = bodies->group.job;
    const bool rooted = job->rooted, to_closed = rooted && bodies->joint[job->children].beyond == AFXI_BEYOND_CLOSED;
    double *tally = &out->lane[AFXI_TALLY_RESIDUAL][bodies->group.first];
    Wide x[ROWS], delta[AFXI_AFFINE_WIDTH], largest = wide_load(tally);
    for (uint32_t l = bodies->group.first; system->recursion.whole && to_closed && l < job->lanes; l++) {
        afxi_mixed_receive(system, job, l, bodies->size - bodies->inner);
    }
    solve_rows(bodies, x);
    if (system->recursion.correcting) {
        return;
    }
    move(bodies, x, delta);
    for (uint32_t e = 0; e < job->children; e++) {
        leave_residual(bodies, e, x, delta, &largest);
    }
    if (rooted && !to_closed) {
        finish_residual(bodies, delta, &largest);
    }
    wide_store(tally, largest);
    if (system->bodies.on && system->graph->closed_form.joint_count) {
        place(bodies, delta);
        if (system->recursion.whole) {
            hand_on_closed(bodies);
        }
    }
}

static bool backward(const AfxiSystem *system, const AfxiRecursionJob *job) {
    bool redundant = false;
    for (uint32_t chunk = 0; chunk < CHUNKS && chunk * AFXI_LANES < job->lanes; chunk++) {
        Bodies bodies;
        bodies_of(system, job, chunk, &bodies);
        redundant |= backward_bodies(&bodies);
    }
    return redundant;
}

static void forward(const AfxiSystem *system, const AfxiRecursionJob *job, AfxiRecursionTally *out) {
    for (uint32_t chunk = 0; chunk < CHUNKS && chunk * AFXI_LANES < job->lanes; chunk++) {
        Bodies bodies;
        bodies_of(system, job, chunk, &bodies);
        forward_bodies(&bodies, out);
    }
}

extern const AfxiRecursionGeneralKernel AFXI_WIDE(afxi_recursion_general);
const AfxiRecursionGeneralKernel AFXI_WIDE(afxi_recursion_general) = {backward, forward};

#else
typedef int AfxiNoRecursionGeneralVariant; /* a file may not be empty */
#endif
