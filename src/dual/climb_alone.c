/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of one body in the elimination of climb.h, by gradients: rows in world axes, any kinds of joints, all numbers of
 * the body's matrix in a square with the right-hand side behind it. */
#include "dual/climb_alone.h"

#include <math.h>

#include "dual/apply.h"
#include "dual/climb_slot.h"

/* The rows of a body one joint after the other. */
typedef struct Alone {
    const AfxiGraphBlock *block[AFXI_BODY_ROWS_MOST];
    uint32_t first[AFXI_BODY_ROWS_MOST + 1]; /* of each joint */
    uint32_t joints, inner, size;            /* rows away from the root, and all */
    double *a, *rhs;                         /* [size][size], [size] */
} Alone;

static Alone alone_of(const AfxiSystem *system, const AfxiClimbJob *job) {
    const AfxiGraph *graph = system->graph;
    Alone alone = {.joints = job->children + job->rooted, .a = system->climb.back + job->back};
    for (uint32_t k = 0; k < alone.joints; k++) {
        uint32_t place = graph->climb.joint[job->first_joint + k].place[0];
        alone.block[k] = &graph->block[graph->entry[graph->body_entry[place]].block];
        alone.first[k] = alone.size;
        alone.size += alone.block[k]->row_count;
        alone.inner = k < job->children ? alone.size : alone.inner;
    }
    alone.first[alone.joints] = alone.size;
    alone.rhs = alone.a + (size_t)alone.size * alone.size;
    return alone;
}

/* r m r^T, or with `back` r^T m r; by columns. */
static void turn_matrix(const double *r, bool back, const double m[9], double out[9]) {
    double half[9];
    for (int pass = 0; pass < 2; pass++) { /* (r (r m)^T)^T = r m r^T */
        const double *from = pass ? half : m;
        double *to = pass ? out : half;
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < 3; i++) {
                double sum = 0;
                for (int k = 0; k < 3; k++) {
                    sum += (back ? r[3 * i + k] : r[3 * k + i]) * from[3 * c + k];
                }
                to[3 * i + c] = sum;
            }
        }
    }
}

/* T and t of a closed joint between a slot, in the axes of its body, and full 6 x 6 by columns in world axes. */
static void read_slot(const double *slot, const double *r, uint32_t rows, double t[36], double gap[6]) {
    static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    double part[9], turned[9];
    for (uint32_t k = 0; k < rows; k++) {
        const double *from = slot + (size_t)AFXI_CLIMB_LANES * (AFXI_CLIMB_GAP + k / 3 * 3), *row = r + k % 3;
        gap[k] = row[0] * from[0] + row[3] * from[AFXI_CLIMB_LANES] + row[6] * from[2 * AFXI_CLIMB_LANES];
    }
    for (uint32_t which = 0; which < (rows == 6 ? 3u : 1u); which++) {
        static const uint32_t from[3] = {AFXI_CLIMB_POINT, AFXI_CLIMB_MIXED, AFXI_CLIMB_TWIST};
        for (int k = 0; k < 9; k++) {
            part[k] = slot[(size_t)AFXI_CLIMB_LANES * (from[which] + (uint32_t)(which == 1 ? k : symmetric[k]))];
        }
        turn_matrix(r, false, part, turned);
        for (int k = 0; k < 9; k++) {
            int row = k % 3 + (which ? 3 : 0), column = k / 3 + (which == 2 ? 3 : 0);
            t[6 * column + row] = turned[k];
            t[6 * row + column] = turned[k];
        }
    }
}

static void write_slot(const Alone *alone, const double *r, double *slot) {
    static const int row[6] = {0, 1, 2, 1, 2, 2}, column[6] = {0, 1, 2, 0, 0, 1};
    uint32_t rows = alone->size - alone->inner;
    double part[9], turned[9];
    for (uint32_t which = 0; which < (rows == 6 ? 3u : 1u); which++) {
        static const uint32_t to[3] = {AFXI_CLIMB_POINT, AFXI_CLIMB_MIXED, AFXI_CLIMB_TWIST};
        for (uint32_t k = 0; k < 9; k++) {
            uint32_t i = k % 3 + (which ? 3 : 0), c = k / 3 + (which == 2 ? 3 : 0), high = i > c ? i : c,
                     low = i + c - high;
            part[k] = alone->a[(size_t)(alone->inner + high) * alone->size + alone->inner + low];
        }
        turn_matrix(r, true, part, turned);
        for (int k = 0; k < (which == 1 ? 9 : 6); k++) {
            slot[(size_t)AFXI_CLIMB_LANES * (to[which] + (uint32_t)k)] =
                turned[which == 1 ? k : 3 * column[k] + row[k]];
        }
    }
    for (uint32_t k = 0; k < rows; k++) {
        const double *axis = r + 3 * (k % 3), *gap = alone->rhs + alone->inner + k / 3 * 3;
        slot[(size_t)AFXI_CLIMB_LANES * (AFXI_CLIMB_GAP + k)] = axis[0] * gap[0] + axis[1] * gap[1] + axis[2] * gap[2];
    }
}

/* Adds what stands beyond joint k; the largest |r| there comes back. */
static double add_beyond(const AfxiSystem *system, const AfxiClimbJoint *joint, const Alone *alone, uint32_t k) {
    const AfxiClimb *climb = &system->graph->climb;
    uint32_t first = alone->first[k], rows = alone->block[k]->row_count;
    if (alone->block[k]->entry_count == 1) {
        return 0;
    }
    const double *slot = afxi_climb_slot(system, joint->slot[0]);
    double t[36] = {0}, gap[6] = {0};
    Alone far = {0};
    if (alone->block[k]->closed) {
        read_slot(slot, system->bodies.frame[joint->other[0]].m, rows, t, gap);
    } else {
        far = alone_of(system, &climb->job[climb->place[joint->other[0]] / AFXI_CLIMB_LANES]);
    }
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t c = 0; c <= i; c++) {
            alone->a[(size_t)(first + i) * alone->size + first + c] +=
                far.a ? far.a[(size_t)(far.inner + i) * far.size + far.inner + c] : t[6 * c + i];
        }
        alone->rhs[first + i] += far.a ? far.rhs[far.inner + i] : gap[i];
    }
    return slot[AFXI_CLIMB_LANES * AFXI_CLIMB_LARGEST];
}

/* Values and compliances of the rows of joint k, and its switches. */
static double add_rows(const AfxiSystem *system, const Alone *alone, uint32_t k) {
    const AfxiGraphBlock *block = alone->block[k];
    uint32_t first = alone->first[k];
    double largest = 0;
    for (uint32_t r = 0; r < block->row_count; r++) {
        double *row = alone->a + (size_t)(first + r) * alone->size + first;
        alone->rhs[first + r] += system->value[block->first_row + r];
        row[r] += system->compliance[block->first_row + r];
    }
    if (block->leading > block->plain) {
        const double *cross = system->turn + (size_t)AFXI_TURN_RESULT * block->turn + AFXI_TURN_COMPLIANCE + 3;
        double *row = alone->a + (size_t)(first + block->plain + 1) * alone->size + first + block->plain;
        row[0] += cross[0];
        row[alone->size] += cross[1];
        row[alone->size + 1] += cross[2];
    }
    for (uint32_t r = first; r < first + block->row_count; r++) {
        for (uint32_t other = 0; !system->active[block->first_row + r - first] && other < alone->size; other++) {
            uint32_t high = r > other ? r : other, low = r + other - high;
            alone->a[(size_t)high * alone->size + low] = other == r;
            alone->rhs[r] = 0;
        }
        largest = fmax(largest, fabs(alone->rhs[r]));
    }
    return largest;
}

static void eliminate(const Alone *alone) {
    double factor[2 * AFXI_BODY_ROWS_MOST];
    for (uint32_t k = 0; k < alone->inner; k++) {
        double per = 1 / alone->a[(size_t)k * alone->size + k];
        for (uint32_t j = k + 1; j < alone->size; j++) {
            double *row = alone->a + (size_t)j * alone->size;
            factor[j] = row[k] * per;
            alone->rhs[j] -= factor[j] * alone->rhs[k];
            for (uint32_t i = k + 1; i <= j; i++) {
                row[i] -= factor[j] * alone->a[(size_t)i * alone->size + k];
            }
        }
        for (uint32_t j = k + 1; j < alone->size; j++) {
            alone->a[(size_t)j * alone->size + k] = factor[j];
        }
        alone->rhs[k] *= per;
    }
}

void afxi_climb_up_alone(const AfxiSystem *system, const AfxiClimbJob *job) {
    const AfxiGraph *graph = system->graph;
    const AfxiClimbJoint *joint = graph->climb.joint + job->first_joint;
    Alone alone = alone_of(system, job);
    uint32_t body = job->body[0];
    double image[AFXI_BODY_ROWS_MOST][AFXI_AFFINE_WIDTH], largest = 0;
    const double *g[AFXI_BODY_ROWS_MOST];
    for (uint32_t k = 0; k < alone.joints; k++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[joint[k].place[0]]];
        for (uint32_t r = alone.first[k]; r < alone.first[k + 1]; r++) {
            g[r] = system->jacobian + entry->jacobian + AFXI_AFFINE_WIDTH * (r - alone.first[k]);
            afxi_system_apply(system, body, g[r], image[r]);
            alone.rhs[r] = afxi_dual_dot(g[r], system->climb.base + AFXI_AFFINE_WIDTH * (size_t)body);
            for (uint32_t c = 0; c <= r; c++) {
                alone.a[(size_t)r * alone.size + c] = afxi_dual_dot(g[r], image[c]);
            }
        }
    }
    for (uint32_t k = 0; k < job->children; k++) {
        largest = fmax(largest, add_beyond(system, &joint[k], &alone, k));
        largest = fmax(largest, add_rows(system, &alone, k));
    }
    eliminate(&alone);
    double *slot = afxi_climb_slot(system, AFXI_CLIMB_LANES * job->slot);
    slot[AFXI_CLIMB_LANES * AFXI_CLIMB_LARGEST] = largest;
    if (job->rooted && alone.block[job->children]->closed) {
        write_slot(&alone, system->bodies.frame[body].m, slot);
        if (system->climb.whole) {
            afxi_climb_pose(system, body, graph->closed.lever[joint[job->children].place[0]].point,
                            system->climb.motion->qv + AFXI_AFFINE_WIDTH * (size_t)body, -0.5 * system->climb.per_h,
                            slot);
        }
    }
}

/* The multipliers of the joint towards the root, which a whole stage left in the slot. */
static void read_message(const AfxiSystem *system, const AfxiClimbJob *job, const AfxiGraphBlock *block) {
    const double *slot = afxi_climb_slot(system, AFXI_CLIMB_LANES * job->slot);
    for (uint32_t r = 0; system->climb.whole && block->closed && r < block->row_count; r++) {
        system->lambda[block->first_row + r] = slot[(size_t)AFXI_CLIMB_LANES * (AFXI_CLIMB_LAMBDA + r)];
    }
}

/* The same for the bodies beyond, and where the joints are now. */
static void write_messages(const AfxiSystem *system, const AfxiClimbJob *job, const Alone *alone) {
    const AfxiGraph *graph = system->graph;
    const double *next = system->bodies.next + AFXI_AFFINE_WIDTH * (size_t)job->body[0];
    for (uint32_t k = 0; k < job->children; k++) {
        const AfxiClimbJoint *joint = &graph->climb.joint[job->first_joint + k];
        const AfxiGraphBlock *block = alone->block[k];
        if (!block->closed || block->entry_count == 1) {
            continue;
        }
        double *slot = afxi_climb_slot(system, joint->slot[0]);
        const double *x = graph->closed.lever[joint->place[0]].point;
        for (uint32_t r = 0; r < 6; r++) {
            slot[(size_t)AFXI_CLIMB_LANES * (AFXI_CLIMB_LAMBDA + r)] =
                r < block->row_count ? system->lambda[block->first_row + r] : 0;
        }
        for (int i = 0; i < 3; i++) {
            slot[AFXI_CLIMB_LANES * (AFXI_CLIMB_AT + i)] =
                next[i] * x[0] + next[3 + i] * x[1] + next[6 + i] * x[2] + next[9 + i];
        }
    }
}

void afxi_climb_back_alone(const AfxiSystem *system, const AfxiClimbJob *job) {
    Alone alone = alone_of(system, job);
    double x[AFXI_BODY_ROWS_MOST];
    if (job->rooted) {
        read_message(system, job, alone.block[job->children]);
    }
    for (uint32_t r = alone.inner; r < alone.size; r++) {
        uint32_t row = alone.block[job->children]->first_row + r - alone.inner;
        x[r] = system->active[row] ? system->lambda[row] : 0;
    }
    for (uint32_t k = alone.inner; k-- > 0;) {
        x[k] = alone.rhs[k];
        for (uint32_t j = k + 1; j < alone.size; j++) {
            x[k] -= alone.a[(size_t)j * alone.size + k] * x[j];
        }
    }
    for (uint32_t k = 0; k < job->children; k++) {
        for (uint32_t r = alone.first[k]; r < alone.first[k + 1]; r++) {
            uint32_t row = alone.block[k]->first_row + r - alone.first[k];
            system->lambda[row] = system->active[row] ? x[r] : system->given[row];
        }
    }
    if (system->climb.whole) {
        afxi_dual_primal_body(system, job->body[0]);
        write_messages(system, job, &alone);
    }
}
