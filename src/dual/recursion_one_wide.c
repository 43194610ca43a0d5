/* SPDX-License-Identifier: Apache-2.0 */
/* A body that any joints hold and that no other goes side by side with, eliminated from the leaves to the root and back
 * (equations in recursion.h): links of an arm, bodies of a linkage. Lanes are rows of its joints, not bodies: products
 * G X G^T and columns of the factor are worked on row by row side by side, whatever the joints are made of. T and t are
 * left where jobs of several bodies leave theirs. */
#include "math/simd.h"

#include "dual/recursion.h"

#if AFXI_WIDE_PAYS

#include "dual/one_wide.h"

/* ---- on the way to the root ---- */

/* Products of all rows, the lower half by columns, and of the rows with the start. */
static void fill(const One *one, const double start[AFXI_AFFINE_WIDTH], double *matrix, double *rhs) {
    const double *own = (const double *)&one->system->inverse[one->body];
    const bool twisted = one->system->inverse[one->body].has_twist != 0;
    Wide x[ONE_INVERSE_SIZE];
    for (int k = ONE_PAIR; k < (twisted ? ONE_INVERSE_SIZE - 1 : ONE_TRANSLATION + 1); k++) {
        x[k] = wide_all(own[k]);
    }
    for (uint32_t i = 0; i < one->padded; i += AFXI_LANES) {
        Wide g[AFXI_AFFINE_WIDTH], z[AFXI_AFFINE_WIDTH], sum = wide_all(0);
        one_load_rows(one, i, g);
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            sum = wide_fma(g[k], wide_all(start[k]), sum);
        }
        wide_store(rhs + i, sum);
        wide_inverse_apply(x + ONE_DIAGONAL, x + ONE_PAIR, x + ONE_TWIST, twisted, g, z);
        for (int k = 9; k < AFXI_AFFINE_WIDTH; k++) {
            z[k] = x[ONE_TRANSLATION] * g[k];
        }
        const uint32_t end = i + AFXI_LANES < one->size ? i + AFXI_LANES : one->size;
        for (uint32_t j = 0; j < end; j++) {
            const double *other = one_gradient(one, j);
            Wide first = z[0] * wide_all(other[0]), second = z[1] * wide_all(other[1]);
            for (int k = 2; k < AFXI_AFFINE_WIDTH; k += 2) {
                first = wide_fma(z[k], wide_all(other[k]), first);
                second = wide_fma(z[k + 1], wide_all(other[k + 1]), second);
            }
            wide_store(matrix + (size_t)one->padded * j + i, first + second);
        }
    }
}

/* The right-hand side below row c less the column of the factor times that of c. */
WIDE_INLINE void reduce_rhs(const One *one, uint32_t c, double *rhs) {
    const double *l = one->kept + one->at.factor + (size_t)one->padded * c;
    const Wide x = wide_all(rhs[c]);
    for (uint32_t i = c / AFXI_LANES * AFXI_LANES; i < one->padded; i += AFXI_LANES) {
        wide_store(rhs + i, wide_nma(wide_load(l + i), x, wide_load(rhs + i)));
    }
    one->kept[one->at.solution + c] = wide_lane(x, 0) * one->kept[one->at.pivot + c];
}

/* Column c of the matrix from its diagonal on, less the `before` columns of the factor that come first; `pivot` are
 * theirs. */
WIDE_INLINE void reduce_column(const One *one, uint32_t c, uint32_t before, const double *pivot, double *own) {
    const double *factor = one->kept + one->at.factor;
    double upper[ONE_ROWS];
    for (uint32_t k = 0; k < before; k++) {
        upper[k] = factor[(size_t)one->padded * k + c] * pivot[k];
    }
    for (uint32_t i = c / AFXI_LANES * AFXI_LANES; i < one->padded; i += AFXI_LANES) {
        const double *l = factor + i;
        Wide sum = wide_load(own + i);
        for (uint32_t k = 0; k < before; k++, l += one->padded) {
            sum = wide_nma(wide_load(l), wide_all(upper[k]), sum);
        }
        wide_store(own + i, sum);
    }
}

/* Eliminates the rows away from the root; true where some are redundant. */
static bool eliminate(const One *one, double *matrix, double *rhs) {
    const uint32_t inner = one->inner, padded = one->padded;
    const bool regularised = *one->system->regularise != 0;
    double *factor = one->kept + one->at.factor, *per = one->kept + one->at.pivot, pivot[ONE_ROWS];
    bool redundant = false;
    for (uint32_t c = 0; c < one->size; c++) {
        const uint32_t before = c < inner ? c : inner;
        double *own = matrix + (size_t)padded * c, whole = own[c];
        own[c] = c < inner && regularised ? (1 + AFXI_REGULARISATION) * whole : whole;
        reduce_column(one, c, before, pivot, own);
        if (c >= inner) {
            continue;
        }
        pivot[c] = own[c];
        per[c] = 1 / pivot[c];
        redundant |= !(AFXI_REDUNDANT_PIVOT * whole < pivot[c]);
        const uint32_t first = c / AFXI_LANES * AFXI_LANES;
        for (uint32_t i = first; i < padded; i += AFXI_LANES) {
            wide_store(factor + (size_t)padded * c + i, wide_load(own + i) * wide_all(per[c]));
        }
        for (uint32_t i = c / QUAD * QUAD; i <= c; i++) {
            factor[(size_t)padded * c + i] = 0;
        }
        reduce_rhs(one, c, rhs);
    }
    return redundant;
}

static bool backward(const AfxiSystem *system, const AfxiRecursionJob *job) {
    One one;
    double matrix[ONE_ROWS * ONE_ROWS], rhs[ONE_ROWS], start[AFXI_AFFINE_WIDTH], largest = 0;
    one_begin(system, job, &one);
    one_gather_gradients(&one);
    one_load_start(&one, start);
    fill(&one, start, matrix, rhs);
    if (one.touched) {
        one_touch_matrix(&one, matrix);
    }
    for (uint32_t e = 0; e < job->children; e++) {
        largest = one_add_beyond(&one, e, matrix, rhs, largest);
        one_add_values(&one, e, rhs);
        one_add_compliances(&one, e, matrix);
        one_switch_rows(&one, e, matrix, rhs);
    }
    largest = one_largest(&one, rhs, largest);
    bool redundant = eliminate(&one, matrix, rhs);
    one_leave_matrix(&one, matrix);
    one_leave_gap(&one, rhs, largest);
    return redundant;
}

/* The same with the factor that it has left: gradients, inverses, compliances and which rows are off are what they
 * were. */
static void substitute(const AfxiSystem *system, const AfxiRecursionJob *job) {
    One one;
    double rhs[ONE_ROWS] = {0}, start[AFXI_AFFINE_WIDTH], largest = 0;
    one_begin(system, job, &one);
    if (!system->recursion.correcting) {
        one_load_start(&one, start);
        one_pull(&one, start, rhs);
    }
    for (uint32_t e = 0; e < job->children; e++) {
        largest = one_add_beyond(&one, e, NULL, rhs, largest);
        one_add_values(&one, e, rhs);
        one_switch_rows(&one, e, NULL, rhs);
    }
    largest = one_largest(&one, rhs, largest);
    for (uint32_t c = 0; c < one.inner; c++) {
        reduce_rhs(&one, c, rhs);
    }
    one_leave_gap(&one, rhs, largest);
}

/* ---- and back ---- */

/* Multipliers of all rows; those of rows that are off count for nothing. */
static void solve_rows(const One *one, double x[ONE_ROWS]) {
    const AfxiSystem *system = one->system;
    for (uint32_t k = 0; k < one->padded; k++) {
        x[k] = 0;
    }
    if (one->size > one->inner) {
        one_load_root(one, x + one->inner);
    }
    for (uint32_t k = one->inner; k-- > 0;) {
        const double *l = one->kept + one->at.factor + (size_t)one->padded * k;
        Quad sum = {0};
        for (uint32_t i = k / QUAD * QUAD; i < one->padded; i += QUAD) {
            sum = quad_fma(quad_load(l + i), quad_load(x + i), sum);
        }
        x[k] = one->kept[one->at.solution + k] - quad_sum(sum);
    }
    for (uint32_t e = 0; e < one->job->children; e++) {
        const AfxiGeneralJoint *joint = &one->joint[e];
        double *lambda = system->lambda + joint->row[0];
        for (uint32_t r = 0; r < joint->rows; r++) {
            lambda[r] = one_off(one, joint, r) ? system->fixed[joint->row[0] + r] : x[joint->first + r];
        }
    }
}

/* delta = delta_0 - X G^T lambda */
static void move(const One *one, const double *x, Quad delta[QUADS]) {
    double force[AFXI_AFFINE_WIDTH], moved[AFXI_AFFINE_WIDTH], *to = one_delta(one);
    Quad sum[QUADS] = {0};
    for (uint32_t r = 0; r < one->size; r++) {
        quad_add(one_gradient(one, r), x[r], sum);
    }
    quad_store12(force, sum);
    afxi_system_apply(one->system, one->body, force, moved);
    for (int q = 0; q < QUADS; q++) {
        delta[q] = quad_fma(quad_load(moved + QUAD * q), quad_all(-1), quad_load(one->kept + one->at.start + QUAD * q));
    }
    quad_store12(to, delta);
}

/* What the rows of a joint away from the root still lack, but for the share of the body beyond. */
static double leave_residual(const One *one, uint32_t e, const double *x, const Quad delta[QUADS], double largest) {
    const AfxiGeneralJoint *joint = &one->joint[e];
    const double *value = one->kept + one->at.value + joint->first;
    const double *compliance = one->kept + one->at.compliance + joint->first;
    double *residual = one->system->residual + joint->row[0], cross[3];
    for (uint32_t r = 0; r < joint->rows; r++) {
        double lack = quad_sum(quad_product(one_gradient(one, joint->first + r), delta, (Quad){0}));
        residual[r] = value[r] + lack - compliance[r] * x[joint->first + r];
    }
    if (joint->plain) {
        const double *own = x + joint->first + joint->plain;
        one_cross(one, e, cross);
        residual[joint->plain] -= cross[0] * own[1] + cross[1] * own[2];
        residual[joint->plain + 1] -= cross[0] * own[0] + cross[2] * own[2];
        residual[joint->plain + 2] -= cross[1] * own[0] + cross[2] * own[1];
    }
    for (uint32_t r = 0; r < joint->rows; r++) {
        residual[r] = one_off(one, joint, r) ? 0 : residual[r];
        largest = joint->beyond == AFXI_BEYOND_NOTHING ? one_larger(largest, __builtin_fabs(residual[r])) : largest;
    }
    return largest;
}

/* The share of the body in what the joint towards the root lacks. */
static double finish_residual(const One *one, const Quad delta[QUADS], double largest) {
    const AfxiGeneralJoint *joint = &one->joint[one->job->children];
    double *residual = one->system->residual + joint->row[0];
    for (uint32_t r = 0; r < joint->rows; r++) {
        double own = quad_sum(quad_product(one_gradient(one, joint->first + r), delta, (Quad){0}));
        residual[r] += one_off(one, joint, r) ? 0 : own;
        largest = one_larger(largest, __builtin_fabs(residual[r]));
    }
    return largest;
}

static void forward(const AfxiSystem *system, const AfxiRecursionJob *job, AfxiRecursionTally *out) {
    One one;
    double x[ONE_ROWS], *tally = &out->lane[AFXI_TALLY_RESIDUAL][0], largest = *tally;
    Quad delta[QUADS];
    one_begin(system, job, &one);
    const bool to_closed = job->rooted && one.joint[job->children].beyond == AFXI_BEYOND_CLOSED;
    if (system->recursion.whole && to_closed) {
        afxi_mixed_receive(system, job, 0, one.size - one.inner);
    }
    solve_rows(&one, x);
    if (system->recursion.correcting) {
        return;
    }
    move(&one, x, delta);
    for (uint32_t e = 0; e < job->children; e++) {
        largest = leave_residual(&one, e, x, delta, largest);
    }
    *tally = job->rooted && !to_closed ? finish_residual(&one, delta, largest) : largest;
    if (system->bodies.on && system->graph->closed_form.joint_count) {
        afxi_dual_place_body(system, one.body);
        for (uint32_t e = 0; system->recursion.whole && e < job->children; e++) {
            if (one.joint[e].beyond == AFXI_BEYOND_CLOSED) {
                afxi_mixed_hand_on(system, &one.link[e], 0, one.body, one.joint[e].rows);
            }
        }
    }
}

extern const AfxiRecursionGeneralKernel AFXI_WIDE(afxi_recursion_one);
const AfxiRecursionGeneralKernel AFXI_WIDE(afxi_recursion_one) = {backward, substitute, forward};

#else
typedef int AfxiNoRecursionOneVariant; /* a file may not be empty */
#endif
