/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of one body in the elimination of recursion.h, by gradients: rows in world axes, any kinds of joints, all
 * numbers of the body's matrix in a square with the right-hand side behind it. */
#include "dual/recursion_scalar.h"

#include <math.h>

#include "dual/apply.h"
#include "dual/recursion_message.h"

/* The rows of a body one joint after the other. */
typedef struct Scalar {
    const AfxiGraphBlock *block[AFXI_BODY_ROWS_MOST];
    uint32_t first[AFXI_BODY_ROWS_MOST + 1]; /* of each joint */
    uint32_t joints, inner, size;            /* rows away from the root, and all */
    double *a, *rhs;                         /* [size][size], [size] */
} Scalar;

static Scalar scalar_of(const AfxiSystem *system, const AfxiRecursionJob *job) {
    const AfxiGraph *graph = system->graph;
    Scalar scalar = {.joints = job->children + job->rooted, .a = system->recursion.forward + job->forward};
    for (uint32_t k = 0; k < scalar.joints; k++) {
        uint32_t place = graph->recursion.joint[job->first_joint + k].place[0];
        scalar.block[k] = &graph->block[graph->entry[graph->body_entry[place]].block];
        scalar.first[k] = scalar.size;
        scalar.size += scalar.block[k]->row_count;
        scalar.inner = k < job->children ? scalar.size : scalar.inner;
    }
    scalar.first[scalar.joints] = scalar.size;
    scalar.rhs = scalar.a + (size_t)scalar.size * scalar.size;
    return scalar;
}

/* r m r^T, or with `back` r^T m r; by columns. */
static void turn_matrix(const double *r, bool transposed, const double m[9], double out[9]) {
    double half[9];
    for (int pass = 0; pass < 2; pass++) { /* (r (r m)^T)^T = r m r^T */
        const double *from = pass ? half : m;
        double *to = pass ? out : half;
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < 3; i++) {
                double sum = 0;
                for (int k = 0; k < 3; k++) {
                    sum += (transposed ? r[3 * i + k] : r[3 * k + i]) * from[3 * c + k];
                }
                to[3 * i + c] = sum;
            }
        }
    }
}

/* T and t of a closed-form joint between a message, in the axes of its body, and full 6 x 6 by columns in world axes.
 */
static void read_message(const double *message, const double *r, uint32_t rows, double t[36], double gap[6]) {
    static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    double part[9], turned[9];
    for (uint32_t k = 0; k < rows; k++) {
        const double *from = message + (size_t)AFXI_RECURSION_LANES * (AFXI_RECURSION_GAP + k / 3 * 3),
                     *row = r + k % 3;
        gap[k] = row[0] * from[0] + row[3] * from[AFXI_RECURSION_LANES] + row[6] * from[2 * AFXI_RECURSION_LANES];
    }
    for (uint32_t which = 0; which < (rows == 6 ? 3u : 1u); which++) {
        static const uint32_t from[3] = {AFXI_RECURSION_POINT, AFXI_RECURSION_MIXED, AFXI_RECURSION_TWIST};
        for (int k = 0; k < 9; k++) {
            part[k] = message[(size_t)AFXI_RECURSION_LANES * (from[which] + (uint32_t)(which == 1 ? k : symmetric[k]))];
        }
        turn_matrix(r, false, part, turned);
        for (int k = 0; k < 9; k++) {
            int row = k % 3 + (which ? 3 : 0), column = k / 3 + (which == 2 ? 3 : 0);
            t[6 * column + row] = turned[k];
            t[6 * row + column] = turned[k];
        }
    }
}

static void write_message(const Scalar *scalar, const double *r, double *message) {
    static const int row[6] = {0, 1, 2, 1, 2, 2}, column[6] = {0, 1, 2, 0, 0, 1};
    uint32_t rows = scalar->size - scalar->inner;
    double part[9], turned[9];
    for (uint32_t which = 0; which < (rows == 6 ? 3u : 1u); which++) {
        static const uint32_t to[3] = {AFXI_RECURSION_POINT, AFXI_RECURSION_MIXED, AFXI_RECURSION_TWIST};
        for (uint32_t k = 0; k < 9; k++) {
            uint32_t i = k % 3 + (which ? 3 : 0), c = k / 3 + (which == 2 ? 3 : 0), high = i > c ? i : c,
                     low = i + c - high;
            part[k] = scalar->a[(size_t)(scalar->inner + high) * scalar->size + scalar->inner + low];
        }
        turn_matrix(r, true, part, turned);
        for (int k = 0; k < (which == 1 ? 9 : 6); k++) {
            message[(size_t)AFXI_RECURSION_LANES * (to[which] + (uint32_t)k)] =
                turned[which == 1 ? k : 3 * column[k] + row[k]];
        }
    }
    for (uint32_t k = 0; k < rows; k++) {
        const double *axis = r + 3 * (k % 3), *gap = scalar->rhs + scalar->inner + k / 3 * 3;
        message[(size_t)AFXI_RECURSION_LANES * (AFXI_RECURSION_GAP + k)] =
            axis[0] * gap[0] + axis[1] * gap[1] + axis[2] * gap[2];
    }
}

/* Adds what stands beyond joint k; the largest |r| there comes back. */
static double add_beyond(const AfxiSystem *system, const AfxiRecursionJoint *joint, const Scalar *scalar, uint32_t k) {
    const AfxiRecursion *recursion = &system->graph->recursion;
    uint32_t first = scalar->first[k], rows = scalar->block[k]->row_count;
    if (scalar->block[k]->entry_count == 1) {
        return 0;
    }
    const double *message = afxi_recursion_message(system, joint->message[0]);
    double t[36] = {0}, gap[6] = {0};
    Scalar far = {0};
    if (scalar->block[k]->closed_form) {
        read_message(message, system->bodies.frame[joint->other[0]].m, rows, t, gap);
    } else {
        far = scalar_of(system, &recursion->job[recursion->place[joint->other[0]] / AFXI_RECURSION_LANES]);
    }
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t c = 0; c <= i; c++) {
            scalar->a[(size_t)(first + i) * scalar->size + first + c] +=
                far.a ? far.a[(size_t)(far.inner + i) * far.size + far.inner + c] : t[6 * c + i];
        }
        scalar->rhs[first + i] += far.a ? far.rhs[far.inner + i] : gap[i];
    }
    return message[AFXI_RECURSION_LANES * AFXI_RECURSION_LARGEST];
}

/* Values and compliances of the rows of joint k, and its switches. */
static double add_rows(const AfxiSystem *system, const Scalar *scalar, uint32_t k) {
    const AfxiGraphBlock *block = scalar->block[k];
    uint32_t first = scalar->first[k];
    double largest = 0;
    for (uint32_t r = 0; r < block->row_count; r++) {
        double *row = scalar->a + (size_t)(first + r) * scalar->size + first;
        scalar->rhs[first + r] += system->value[block->first_row + r];
        row[r] += system->compliance[block->first_row + r];
    }
    if (block->leading > block->plain) {
        const double *cross = system->rotational_spring +
                              (size_t)AFXI_ROTATIONAL_SPRING_RESULT * block->rotational_spring +
                              AFXI_ROTATIONAL_SPRING_COMPLIANCE + 3;
        double *row = scalar->a + (size_t)(first + block->plain + 1) * scalar->size + first + block->plain;
        row[0] += cross[0];
        row[scalar->size] += cross[1];
        row[scalar->size + 1] += cross[2];
    }
    for (uint32_t r = first; r < first + block->row_count; r++) {
        for (uint32_t other = 0; !system->active[block->first_row + r - first] && other < scalar->size; other++) {
            uint32_t high = r > other ? r : other, low = r + other - high;
            scalar->a[(size_t)high * scalar->size + low] = other == r;
            scalar->rhs[r] = 0;
        }
        largest = fmax(largest, fabs(scalar->rhs[r]));
    }
    return largest;
}

static void eliminate(const Scalar *scalar) {
    double factor[2 * AFXI_BODY_ROWS_MOST];
    for (uint32_t k = 0; k < scalar->inner; k++) {
        double per = 1 / scalar->a[(size_t)k * scalar->size + k];
        for (uint32_t j = k + 1; j < scalar->size; j++) {
            double *row = scalar->a + (size_t)j * scalar->size;
            factor[j] = row[k] * per;
            scalar->rhs[j] -= factor[j] * scalar->rhs[k];
            for (uint32_t i = k + 1; i <= j; i++) {
                row[i] -= factor[j] * scalar->a[(size_t)i * scalar->size + k];
            }
        }
        for (uint32_t j = k + 1; j < scalar->size; j++) {
            scalar->a[(size_t)j * scalar->size + k] = factor[j];
        }
        scalar->rhs[k] *= per;
    }
}

void afxi_recursion_backward_scalar(const AfxiSystem *system, const AfxiRecursionJob *job) {
    const AfxiGraph *graph = system->graph;
    const AfxiRecursionJoint *joint = graph->recursion.joint + job->first_joint;
    Scalar scalar = scalar_of(system, job);
    uint32_t body = job->body[0];
    double image[AFXI_BODY_ROWS_MOST][AFXI_AFFINE_WIDTH], largest = 0;
    const double *g[AFXI_BODY_ROWS_MOST];
    for (uint32_t k = 0; k < scalar.joints; k++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[joint[k].place[0]]];
        for (uint32_t r = scalar.first[k]; r < scalar.first[k + 1]; r++) {
            g[r] = system->jacobian + entry->jacobian + AFXI_AFFINE_WIDTH * (r - scalar.first[k]);
            afxi_system_apply(system, body, g[r], image[r]);
            scalar.rhs[r] = afxi_dual_dot(g[r], system->recursion.base + AFXI_AFFINE_WIDTH * (size_t)body);
            for (uint32_t c = 0; c <= r; c++) {
                scalar.a[(size_t)r * scalar.size + c] = afxi_dual_dot(g[r], image[c]);
            }
        }
    }
    for (uint32_t k = 0; k < job->children; k++) {
        largest = fmax(largest, add_beyond(system, &joint[k], &scalar, k));
        largest = fmax(largest, add_rows(system, &scalar, k));
    }
    eliminate(&scalar);
    double *message = afxi_recursion_message(system, AFXI_RECURSION_LANES * job->message);
    message[AFXI_RECURSION_LANES * AFXI_RECURSION_LARGEST] = largest;
    if (job->rooted && scalar.block[job->children]->closed_form) {
        write_message(&scalar, system->bodies.frame[body].m, message);
        if (system->recursion.whole) {
            afxi_recursion_pose(system, body, graph->closed_form.lever[joint[job->children].place[0]].point,
                                system->recursion.motion->qv + AFXI_AFFINE_WIDTH * (size_t)body,
                                -0.5 * system->recursion.per_h, message);
        }
    }
}

/* The multipliers of the joint towards the root, which a whole stage left in the message. */
static void read_forward_message(const AfxiSystem *system, const AfxiRecursionJob *job, const AfxiGraphBlock *block) {
    const double *message = afxi_recursion_message(system, AFXI_RECURSION_LANES * job->message);
    for (uint32_t r = 0; system->recursion.whole && block->closed_form && r < block->row_count; r++) {
        system->lambda[block->first_row + r] = message[(size_t)AFXI_RECURSION_LANES * (AFXI_RECURSION_LAMBDA + r)];
    }
}

/* The same for the bodies beyond, and where the joints are now. */
static void write_messages(const AfxiSystem *system, const AfxiRecursionJob *job, const Scalar *scalar) {
    const AfxiGraph *graph = system->graph;
    const double *next = system->bodies.next + AFXI_AFFINE_WIDTH * (size_t)job->body[0];
    for (uint32_t k = 0; k < job->children; k++) {
        const AfxiRecursionJoint *joint = &graph->recursion.joint[job->first_joint + k];
        const AfxiGraphBlock *block = scalar->block[k];
        if (!block->closed_form || block->entry_count == 1) {
            continue;
        }
        double *message = afxi_recursion_message(system, joint->message[0]);
        const double *x = graph->closed_form.lever[joint->place[0]].point;
        for (uint32_t r = 0; r < 6; r++) {
            message[(size_t)AFXI_RECURSION_LANES * (AFXI_RECURSION_LAMBDA + r)] =
                r < block->row_count ? system->lambda[block->first_row + r] : 0;
        }
        for (int i = 0; i < 3; i++) {
            message[AFXI_RECURSION_LANES * (AFXI_RECURSION_AT + i)] =
                next[i] * x[0] + next[3 + i] * x[1] + next[6 + i] * x[2] + next[9 + i];
        }
    }
}

void afxi_recursion_forward_scalar(const AfxiSystem *system, const AfxiRecursionJob *job) {
    Scalar scalar = scalar_of(system, job);
    double x[AFXI_BODY_ROWS_MOST];
    if (job->rooted) {
        read_forward_message(system, job, scalar.block[job->children]);
    }
    for (uint32_t r = scalar.inner; r < scalar.size; r++) {
        uint32_t row = scalar.block[job->children]->first_row + r - scalar.inner;
        x[r] = system->active[row] ? system->lambda[row] : 0;
    }
    for (uint32_t k = scalar.inner; k-- > 0;) {
        x[k] = scalar.rhs[k];
        for (uint32_t j = k + 1; j < scalar.size; j++) {
            x[k] -= scalar.a[(size_t)j * scalar.size + k] * x[j];
        }
    }
    for (uint32_t k = 0; k < job->children; k++) {
        for (uint32_t r = scalar.first[k]; r < scalar.first[k + 1]; r++) {
            uint32_t row = scalar.block[k]->first_row + r - scalar.first[k];
            system->lambda[row] = system->active[row] ? x[r] : system->fixed[row];
        }
    }
    if (system->recursion.whole) {
        afxi_dual_primal_body(system, job->body[0]);
        write_messages(system, job, &scalar);
    }
}
