/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of ball joints, with or without springs, one joint per lane: values at the frames, residuals of a solve
 * (equations in closed_form.h and joint/rotational_spring.h). */
#include "math/simd.h"

#if AFXI_WIDE_PAYS

#include "dual/inverse_wide.h"
#include "dual/system.h"

typedef struct Group {
    const AfxiSystem *system;
    const AfxiClosedFormJoint *joint[AFXI_LANES];
} Group;

WIDE_INLINE void begin_group(Group *group, const AfxiSystem *system, uint32_t first, uint32_t end) {
    group->system = system;
    for (uint32_t l = 0; l < AFXI_LANES; l++) {
        group->joint[l] = &system->graph->closed_form.joint[first + l < end ? first + l : end - 1];
    }
}

WIDE_INLINE void apply(const Wide a[9], const Wide x[3], Wide out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = wide_fma(a[6 + i], x[2], wide_fma(a[3 + i], x[1], a[i] * x[0]));
    }
}

/* Numbers of one side's bodies from an array with `stride` doubles per body. */
WIDE_INLINE void load_side(const Group *group, int side, const double *base, size_t stride, int quads, Wide *out) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = base + stride * (side ? group->joint[l]->b : group->joint[l]->a);
    }
    wide_gather(row, quads, out);
}

/* The two points of the joints. */
WIDE_INLINE void load_points(const Group *group, Wide out[8]) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = &group->system->bodies.joint_frames[group->joint[l]->frame].point_a.x;
    }
    wide_gather(row, 2, out);
}

WIDE_INLINE void load_turn(const Group *group, Wide out[AFXI_ROTATIONAL_SPRING_RESULT]) {
    const double *row[AFXI_LANES];
    for (int l = 0; l < AFXI_LANES; l++) {
        row[l] = group->system->rotational_spring +
                 (size_t)AFXI_ROTATIONAL_SPRING_RESULT * group->joint[l]->rotational_spring;
    }
    wide_gather(row, AFXI_ROTATIONAL_SPRING_RESULT / 4, out);
}

/* Three numbers for three rows, from row `shift` of each joint. */
WIDE_INLINE void load_rows(const Group *group, const double *base, uint32_t shift, Wide out[3]) {
    for (uint32_t k = 0; k < 3; k++) {
        WideView view;
        for (int l = 0; l < AFXI_LANES; l++) {
            view.lane[l] = base[group->joint[l]->first_row + shift + k];
        }
        out[k] = view.wide;
    }
}

WIDE_INLINE void store_rows(const Group *group, double *base, uint32_t shift, const Wide in[3]) {
    for (uint32_t k = 0; k < 3; k++) {
        for (int l = 0; l < AFXI_LANES; l++) {
            base[group->joint[l]->first_row + shift + k] = wide_lane(in[k], l);
        }
    }
}

WIDE_INLINE Wide magnitude(Wide a) {
    return wide_select(wide_less(a, wide_all(0)), -a, a);
}

WIDE_INLINE Wide larger(Wide a, Wide b) { /* NaN wins */
    return wide_select(wide_less(a, b) | ~wide_equal(b, b), b, a);
}

/* ---- values ---- */

/* x_a - x_b at the frames. */
WIDE_INLINE void gap_at_frames(const Group *group, const Wide points[6], Wide out[3]) {
    const AfxiBodiesWork *work = &group->system->bodies;
    Wide r[AFXI_AFFINE_WIDTH], t[4], place[2][3];
    for (int side = 0; side < 2; side++) {
        load_side(group, side, work->frame[0].m, 9, 3, r);
        load_side(group, side, &work->origin[0].x, 3, 1, t);
        apply(r, points + 3 * side, place[side]);
        for (int k = 0; k < 3; k++) {
            place[side][k] = place[side][k] + t[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        out[k] = place[0][k] - place[1][k];
    }
}

static void values(const AfxiSystem *system, uint32_t begin, uint32_t end, bool springs) {
    for (uint32_t first = begin; first < end; first += AFXI_LANES) {
        Group group;
        Wide points[8], value[3];
        begin_group(&group, system, first, end);
        load_points(&group, points);
        gap_at_frames(&group, points, value);
        store_rows(&group, system->value, 0, value);
        if (springs) {
            Wide turn[AFXI_ROTATIONAL_SPRING_RESULT];
            load_turn(&group, turn);
            store_rows(&group, system->value, 3, turn + AFXI_ROTATIONAL_SPRING_VALUE);
            store_rows(&group, system->compliance, 3, turn + AFXI_ROTATIONAL_SPRING_COMPLIANCE);
        }
    }
}

/* ---- residuals ---- */

/* R (beta x) + delta_t, and R w, of one side. */
WIDE_INLINE void change_of(const Group *group, int side, const Wide point[3], bool springs, Wide out[3], Wide turn[3]) {
    Wide r[AFXI_AFFINE_WIDTH], delta[AFXI_AFFINE_WIDTH], local[3], w[3];
    load_side(group, side, group->system->bodies.frame[0].m, 9, 3, r);
    load_side(group, side, group->system->delta, AFXI_AFFINE_WIDTH, 3, delta);
    apply(delta, point, local);
    apply(r, local, out);
    for (int k = 0; k < 3; k++) {
        out[k] = out[k] + delta[9 + k];
    }
    if (springs) {
        for (int p = 0; p < 3; p++) {
            w[wide_pair_axis[p]] =
                wide_all(0.5 * wide_pair_sign[p]) * (delta[wide_pair_ki[p]] - delta[wide_pair_ik[p]]);
        }
        apply(r, w, turn);
    }
}

WIDE_INLINE Wide residual_group(const Group *group, const Wide points[6], bool springs) {
    const AfxiSystem *system = group->system;
    Wide change[2][3], turn[2][3], value[3], scale[3], largest = wide_all(0);
    for (int side = 0; side < 2; side++) {
        change_of(group, side, points + 3 * side, springs, change[side], turn[side]);
    }
    load_rows(group, system->value, 0, value);
    load_rows(group, system->scale, 0, scale);
    for (int k = 0; k < 3; k++) {
        value[k] = scale[k] * (value[k] + (change[0][k] - change[1][k]));
        largest = larger(largest, magnitude(value[k]));
    }
    store_rows(group, system->residual, 0, value);
    if (springs) {
        Wide result[AFXI_ROTATIONAL_SPRING_RESULT], lambda[3], compliance_lambda[3];
        const Wide *c = result + AFXI_ROTATIONAL_SPRING_COMPLIANCE;
        load_turn(group, result);
        load_rows(group, system->lambda, 3, lambda);
        load_rows(group, system->scale, 3, scale);
        compliance_lambda[0] = wide_fma(c[4], lambda[2], wide_fma(c[3], lambda[1], c[0] * lambda[0]));
        compliance_lambda[1] = wide_fma(c[5], lambda[2], wide_fma(c[1], lambda[1], c[3] * lambda[0]));
        compliance_lambda[2] = wide_fma(c[2], lambda[2], wide_fma(c[5], lambda[1], c[4] * lambda[0]));
        for (int k = 0; k < 3; k++) {
            Wide sum = (result[AFXI_ROTATIONAL_SPRING_VALUE + k] - compliance_lambda[k]) + (turn[0][k] - turn[1][k]);
            value[k] = scale[k] * sum;
            largest = larger(largest, magnitude(value[k]));
        }
        store_rows(group, system->residual, 3, value);
    }
    return largest;
}

/* Largest row of the result; 0 for joints that are switched off. */
WIDE_INLINE Wide gap_group(const Group *group, const Wide points[6]) {
    const AfxiBodiesWork *work = &group->system->bodies;
    Wide next[AFXI_AFFINE_WIDTH], place[2][3], largest = wide_all(0);
    WideView on;
    for (int side = 0; side < 2; side++) {
        load_side(group, side, work->next, AFXI_AFFINE_WIDTH, 3, next);
        apply(next, points + 3 * side, place[side]);
        for (int k = 0; k < 3; k++) {
            place[side][k] = place[side][k] + next[9 + k];
        }
    }
    for (int k = 0; k < 3; k++) {
        largest = larger(largest, magnitude(place[0][k] - place[1][k]));
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        on.lane[l] = group->system->active[group->joint[l]->first_row];
    }
    return wide_select(wide_equal(on.wide, wide_all(0)), wide_all(0), largest);
}

static void residual(const AfxiSystem *system, uint32_t begin, uint32_t end, bool springs, bool gaps,
                     AfxiJointsTally *out) {
    Wide largest = wide_all(0), gap = wide_all(0);
    for (uint32_t first = begin; first < end; first += AFXI_LANES) {
        Group group;
        Wide points[8];
        begin_group(&group, system, first, end);
        load_points(&group, points);
        largest = larger(largest, residual_group(&group, points, springs));
        if (gaps) {
            gap = larger(gap, gap_group(&group, points));
        }
    }
    for (int l = 0; l < AFXI_LANES; l++) {
        double own = wide_lane(largest, l), apart = wide_lane(gap, l);
        out->residual = own > out->residual || own != own ? own : out->residual;
        out->gap = apart > out->gap || apart != apart ? apart : out->gap;
    }
}

static void scale_rows(const uint8_t *active, uint32_t count, double *scale) {
    for (uint32_t first = 0; first < count; first += AFXI_LANES) {
        WideView in, on;
        for (uint32_t l = 0; l < AFXI_LANES; l++) {
            uint32_t row = first + l < count ? first + l : count - 1;
            in.lane[l] = scale[row];
            on.lane[l] = active[row];
        }
        Wide pivot = magnitude(in.wide);
        WideMask fine = wide_less(wide_all(0), pivot) & wide_less(wide_all(0), on.wide);
        Wide root = wide_sqrt(wide_select(fine, pivot, wide_all(1)));
        in.wide = wide_select(fine, wide_all(1) / root, wide_all(0));
        for (uint32_t l = 0; l < AFXI_LANES && first + l < count; l++) {
            scale[first + l] = in.lane[l];
        }
    }
}

extern const AfxiClosedFormJointKernel AFXI_WIDE(afxi_closed_form_joints);
const AfxiClosedFormJointKernel AFXI_WIDE(afxi_closed_form_joints) = {values, residual, scale_rows};

#else
typedef int AfxiNoClosedFormJointsVariant; /* a file may not be empty */
#endif
