/* SPDX-License-Identifier: Apache-2.0 */
/* One body of a forest by the rows of its joints, for *_wide.c files (recursion_one_wide.c): its gradients, what stands
 * beyond its joints, and what it leaves. */
#ifndef AFXI_DUAL_ONE_WIDE_H
#define AFXI_DUAL_ONE_WIDE_H

#include <string.h>

#include "body/quad_wide.h"
#include "dual/apply.h"
#include "dual/inverse_wide.h"
#include "dual/recursion_message.h"
#include "dual/recursion_mixed.h"
#include "dual/tuning.h"

#define ONE_ROWS AFXI_BODY_ROWS_MOST

/* Places in AfxiBodyInverse. */
enum { ONE_PAIR = 3, ONE_DIAGONAL = 12, ONE_TRANSLATION = 18, ONE_TWIST = 21, ONE_INVERSE_SIZE = 28 };

typedef struct One {
    const AfxiSystem *system;
    const AfxiRecursionJob *job;
    const AfxiGeneralJoint *joint;
    const AfxiRecursionJoint *link;
    double *kept, *gradient; /* gradients of the rows, one after the other; those that fill up the last lanes are 0 */
    AfxiOneLayout at;
    uint32_t body, inner, size, padded;
    bool touched; /* contacts or holds change the inverse */
} One;

WIDE_INLINE double one_larger(double a, double b) { /* NaN wins */
    return b > a || b != b ? b : a;
}

/* What is kept for the forward pass is behind what other jobs see. */
WIDE_INLINE void one_begin(const AfxiSystem *system, const AfxiRecursionJob *job, One *one) {
    const AfxiRecursion *recursion = &system->graph->recursion;
    one->system = system;
    one->job = job;
    one->joint = recursion->general + job->first_general;
    one->link = recursion->joint + job->first_joint;
    one->body = job->body[0];
    one->inner = job->inner;
    one->size = job->size;
    one->at = afxi_one_layout(job->inner, job->size);
    one->padded = one->at.padded;
    one->kept = system->recursion.forward + job->forward +
                (size_t)AFXI_RECURSION_LANES * afxi_general_layout(job->inner, job->size, job->stored).end;
    one->touched = system->woodbury && system->woodbury_of[one->body] != UINT32_MAX;
    one->gradient = one->kept + one->at.gradient;
}

WIDE_INLINE const double *one_gradient(const One *one, uint32_t row) {
    return one->gradient + (size_t)AFXI_AFFINE_WIDTH * row;
}

/* Gradients of all rows: those of points follow from the frame. */
WIDE_INLINE void one_gather_gradients(const One *one) {
    const double *f = one->system->frame[one->body].m;
    double *g = one->gradient, *end = g + (size_t)AFXI_AFFINE_WIDTH * one->padded;
    Quad row[QUADS];
    for (uint32_t e = 0; e < one->job->children + one->job->rooted; e++) {
        const AfxiGeneralJoint *joint = &one->joint[e];
        const double *stored = one->system->jacobian + joint->jacobian[0];
        for (uint32_t i = 0; i < joint->points; i++, g += AFXI_AFFINE_WIDTH) {
            const double axis[3] = {f[i], f[3 + i], f[6 + i]};
            for (int k = 0; k < 9; k++) {
                g[k] = axis[k % 3] * joint->point[k / 3][0];
            }
            for (uint32_t k = 0; k < 3; k++) {
                g[9 + k] = k == i ? joint->sign[0] : 0;
            }
        }
        for (uint32_t r = joint->points; r < joint->rows; r++, g += AFXI_AFFINE_WIDTH) {
            quad_load12(stored + (size_t)AFXI_AFFINE_WIDTH * r, row);
            quad_store12(g, row);
        }
    }
    for (; g < end; g++) {
        *g = 0;
    }
}

/* Rows i and those after it side by side. */
WIDE_INLINE void one_load_rows(const One *one, uint32_t i, Wide out[AFXI_AFFINE_WIDTH]) {
    const double *row[AFXI_LANES];
    for (uint32_t l = 0; l < AFXI_LANES; l++) {
        row[l] = one_gradient(one, i + l);
    }
    wide_gather(row, 3, out);
}

WIDE_INLINE double *one_delta(const One *one) {
    return one->system->delta + (size_t)AFXI_AFFINE_WIDTH * one->body;
}

/* Whether row r of a joint is off. */
WIDE_INLINE bool one_off(const One *one, const AfxiGeneralJoint *joint, uint32_t r) {
    return one->system->recursion.switched && !one->system->active[joint->row[0] + r];
}

/* What multipliers that are fixed make of the start. */
static __attribute__((noinline)) void one_load_fixed(const One *one, double start[AFXI_AFFINE_WIDTH]) {
    double force[AFXI_AFFINE_WIDTH], moved[AFXI_AFFINE_WIDTH];
    Quad sum[QUADS] = {0};
    bool any = false;
    for (uint32_t e = 0; e < one->job->children + one->job->rooted; e++) {
        const AfxiGeneralJoint *joint = &one->joint[e];
        for (uint32_t r = 0; r < joint->rows; r++) {
            double fixed = one_off(one, joint, r) ? one->system->fixed[joint->row[0] + r] : 0;
            if (fixed != 0) {
                quad_add(one_gradient(one, joint->first + r), fixed, sum);
                any = true;
            }
        }
    }
    if (any) {
        quad_store12(force, sum);
        afxi_system_apply(one->system, one->body, force, moved);
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            start[k] -= moved[k];
        }
    }
}

/* The start, with what fixed multipliers make of it. */
WIDE_INLINE void one_load_start(const One *one, double start[AFXI_AFFINE_WIDTH]) {
    const AfxiRecursionWork *work = &one->system->recursion;
    memcpy(start, work->general_base + (size_t)AFXI_AFFINE_WIDTH * one->body, AFXI_AFFINE_WIDTH * sizeof *start);
    if (work->switched && !work->correcting) {
        one_load_fixed(one, start);
    }
    memcpy(one->kept + one->at.start, start, AFXI_AFFINE_WIDTH * sizeof *start);
}

/* rhs = G start, as `fill` has it. */
WIDE_INLINE void one_pull(const One *one, const double start[AFXI_AFFINE_WIDTH], double *rhs) {
    for (uint32_t i = 0; i < one->padded; i += AFXI_LANES) {
        Wide g[AFXI_AFFINE_WIDTH], sum = wide_all(0);
        one_load_rows(one, i, g);
        for (int k = 0; k < AFXI_AFFINE_WIDTH; k++) {
            sum = wide_fma(g[k], wide_all(start[k]), sum);
        }
        wide_store(rhs + i, sum);
    }
}

/* What contacts and holds take from the products: (Y g_r) . (Y g_c). */
static __attribute__((noinline)) void one_touch_matrix(const One *one, double *matrix) {
    const AfxiSystem *system = one->system;
    uint32_t own = system->woodbury_of[one->body], count = system->woodbury->body[own].image_count;
    double image[ONE_ROWS][AFXI_WOODBURY_ROWS_MOST];
    for (uint32_t r = 0; r < one->size; r++) {
        afxi_woodbury_image(system->woodbury, own, one_gradient(one, r), image[r]);
    }
    for (uint32_t c = 0; c < one->size; c++) {
        for (uint32_t r = c; r < one->size; r++) {
            for (uint32_t k = 0; k < count; k++) {
                matrix[(size_t)one->padded * c + r] -= image[r][k] * image[c][k];
            }
        }
    }
}

/* Adds T and t of a body in closed form beyond joint e; without `matrix`, t alone. */
static __attribute__((noinline)) double one_add_closed(const One *one, uint32_t e, double *matrix, double *rhs) {
    const AfxiGeneralJoint *joint = &one->joint[e];
    double t[36], gap[6], largest = afxi_mixed_take(one->system, &one->link[e], 0, joint->rows, t, gap);
    for (uint32_t c = 0; c < joint->rows; c++) {
        double *column = matrix ? matrix + (size_t)one->padded * (joint->first + c) + joint->first : NULL;
        for (uint32_t r = c; column && r < joint->rows; r++) {
            column[r] += t[6 * c + r];
        }
        rhs[joint->first + c] += gap[c];
    }
    return largest;
}

/* Adds T and t of what stands beyond joint e; the largest right-hand side there, or so far, comes back. */
WIDE_INLINE double one_add_beyond(const One *one, uint32_t e, double *matrix, double *rhs, double largest) {
    const AfxiGeneralJoint *joint = &one->joint[e];
    if (joint->beyond == AFXI_BEYOND_CLOSED) {
        return one_larger(largest, one_add_closed(one, e, matrix, rhs));
    }
    if (joint->beyond == AFXI_BEYOND_NOTHING) {
        return largest;
    }
    const double *left = one->system->recursion.forward + joint->left[0];
    for (uint32_t c = 0; c < joint->rows; c++) {
        double *column = matrix ? matrix + (size_t)one->padded * (joint->first + c) + joint->first : NULL;
        for (uint32_t r = c; r < joint->rows; r++, left += AFXI_RECURSION_LANES) {
            if (column) {
                column[r] += *left;
            }
        }
    }
    for (uint32_t r = 0; r < joint->rows; r++, left += AFXI_RECURSION_LANES) {
        rhs[joint->first + r] += *left;
    }
    return one_larger(largest, *left);
}

WIDE_INLINE void one_add_values(const One *one, uint32_t e, double *rhs) {
    const AfxiGeneralJoint *joint = &one->joint[e];
    const double *value = one->system->value + joint->row[0];
    double *kept = one->kept + one->at.value + joint->first;
    for (uint32_t r = 0; r < joint->rows; r++) {
        kept[r] = value[r];
        rhs[joint->first + r] += value[r];
    }
}

/* What couples the axes of a rotational spring; zero where it is off. */
static __attribute__((noinline)) void one_cross(const One *one, uint32_t e, double out[3]) {
    const AfxiSystem *system = one->system;
    const double *own = system->rotational_spring +
                        (size_t)AFXI_ROTATIONAL_SPRING_RESULT * one->link[e].rotational_spring[0] +
                        AFXI_ROTATIONAL_SPRING_COMPLIANCE + 3;
    const bool on = system->active[one->joint[e].row[0] + one->joint[e].plain] != 0;
    for (int k = 0; k < 3; k++) {
        out[k] = on ? own[k] : 0;
    }
}

WIDE_INLINE void one_add_compliances(const One *one, uint32_t e, double *matrix) {
    const AfxiGeneralJoint *joint = &one->joint[e];
    const double *compliance = one->system->compliance + joint->row[0];
    double *kept = one->kept + one->at.compliance + joint->first;
    double *to = matrix + (size_t)(one->padded + 1) * joint->first;
    for (uint32_t r = 0; r < joint->rows; r++) {
        kept[r] = r < joint->hard ? 0 : compliance[r];
        to[(size_t)(one->padded + 1) * r] += kept[r];
    }
    if (joint->plain) {
        double cross[3], *block = to + (size_t)(one->padded + 1) * joint->plain;
        one_cross(one, e, cross);
        block[1] += cross[0];
        block[2] += cross[1];
        block[one->padded + 2] += cross[2];
    }
}

/* Rows that are off become those of the identity; without `matrix`, they have been. */
WIDE_INLINE void one_switch_rows(const One *one, uint32_t e, double *matrix, double *rhs) {
    const AfxiGeneralJoint *joint = &one->joint[e];
    for (uint32_t r = 0; one->system->recursion.switched && r < joint->rows; r++) {
        const uint32_t row = joint->first + r;
        if (!one_off(one, joint, r)) {
            continue;
        }
        for (uint32_t k = 0; matrix && k < one->size; k++) {
            matrix[k < row ? (size_t)one->padded * k + row : (size_t)one->padded * row + k] = k == row;
        }
        one->kept[one->at.value + row] = rhs[row] = 0;
        one->kept[one->at.compliance + row] = matrix ? 0 : one->kept[one->at.compliance + row];
    }
}

WIDE_INLINE double one_largest(const One *one, const double *rhs, double largest) {
    for (uint32_t r = 0; r < one->inner; r++) {
        largest = one_larger(largest, __builtin_fabs(rhs[r]));
    }
    return largest;
}

/* T, for the next body. */
WIDE_INLINE void one_leave_matrix(const One *one, const double *matrix) {
    const AfxiRecursionJob *job = one->job;
    double *to = one->system->recursion.forward + job->forward +
                 (size_t)AFXI_RECURSION_LANES * afxi_general_layout(job->inner, job->size, job->stored).left;
    for (uint32_t c = one->inner; c < one->size; c++) {
        for (uint32_t r = c; r < one->size; r++, to += AFXI_RECURSION_LANES) {
            *to = matrix[(size_t)one->padded * c + r];
        }
    }
}

/* t and the largest right-hand side. */
WIDE_INLINE void one_leave_gap(const One *one, const double *rhs, double largest) {
    const AfxiRecursionJob *job = one->job;
    const AfxiGeneralLayout at = afxi_general_layout(job->inner, job->size, job->stored);
    double *base = one->system->recursion.forward + job->forward;
    for (uint32_t r = one->inner; r < one->size; r++) {
        base[(size_t)AFXI_RECURSION_LANES * (at.gap + r - one->inner)] = rhs[r];
    }
    base[(size_t)AFXI_RECURSION_LANES * at.largest] = largest;
    afxi_recursion_message(one->system,
                           AFXI_RECURSION_LANES * job->message)[(size_t)AFXI_RECURSION_LANES * AFXI_RECURSION_LARGEST] =
        largest;
    if (job->rooted && one->joint[job->children].beyond == AFXI_BEYOND_CLOSED) {
        afxi_mixed_leave(one->system, job, 0, one->size - one->inner, base + (size_t)AFXI_RECURSION_LANES * at.left,
                         base + (size_t)AFXI_RECURSION_LANES * at.gap);
    }
}

/* Multipliers of the joint towards the root, those of rows that are off left out. */
WIDE_INLINE void one_load_root(const One *one, double *x) {
    const AfxiGeneralJoint *joint = &one->joint[one->job->children];
    const double *lambda = one->system->lambda + joint->row[0];
    for (uint32_t r = 0; r < joint->rows; r++) {
        x[r] = one_off(one, joint, r) ? 0 : lambda[r];
    }
}

#endif
