/* SPDX-License-Identifier: Apache-2.0 */
/* Where general bodies and bodies in closed form meet. */
#include "dual/recursion_mixed.h"

#include "dual/recursion_message.h"

/* Blocks of T in a message, and where xx, yy, zz, xy, xz, yz stand. */
static const uint32_t message_block[3] = {AFXI_RECURSION_POINT, AFXI_RECURSION_MIXED, AFXI_RECURSION_TWIST};

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

double afxi_mixed_take(const AfxiSystem *system, const AfxiRecursionJoint *joint, uint32_t lane, uint32_t rows,
                       double t[36], double gap[6]) {
    static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    const double *message = afxi_recursion_message(system, joint->message[lane]);
    const double *r = system->bodies.frame[joint->other[lane]].m;
    double part[9], turned[9];
    for (uint32_t k = 0; k < rows; k++) {
        const double *from = message + (size_t)AFXI_RECURSION_LANES * (AFXI_RECURSION_GAP + k / 3 * 3),
                     *row = r + k % 3;
        gap[k] = row[0] * from[0] + row[3] * from[AFXI_RECURSION_LANES] + row[6] * from[2 * AFXI_RECURSION_LANES];
    }
    for (uint32_t which = 0; which < (rows == 6 ? 3u : 1u); which++) {
        for (int k = 0; k < 9; k++) {
            uint32_t at = message_block[which] + (uint32_t)(which == 1 ? k : symmetric[k]);
            part[k] = message[(size_t)AFXI_RECURSION_LANES * at];
        }
        turn_matrix(r, false, part, turned);
        for (int k = 0; k < 9; k++) {
            int row = k % 3 + (which ? 3 : 0), column = k / 3 + (which == 2 ? 3 : 0);
            t[6 * column + row] = t[6 * row + column] = turned[k];
        }
    }
    return message[AFXI_RECURSION_LANES * AFXI_RECURSION_LARGEST];
}

/* Place of (row, column) in the lower half of a matrix, column by column. */
static size_t packed(uint32_t rows, uint32_t row, uint32_t column) {
    uint32_t high = row > column ? row : column, low = row + column - high;
    return AFXI_RECURSION_LANES * ((size_t)low * rows - low * (low + 1) / 2 + high);
}

void afxi_mixed_leave(const AfxiSystem *system, const AfxiRecursionJob *job, uint32_t lane, uint32_t rows,
                      const double *t, const double *gap) {
    static const int row[6] = {0, 1, 2, 1, 2, 2}, column[6] = {0, 1, 2, 0, 0, 1};
    const AfxiRecursionJoint *joint = &system->graph->recursion.joint[job->first_joint + job->children];
    double *message = afxi_recursion_message(system, AFXI_RECURSION_LANES * job->message + lane), part[9], turned[9];
    uint32_t body = job->body[lane];
    const double *r = system->bodies.frame[body].m;
    for (uint32_t which = 0; which < (rows == 6 ? 3u : 1u); which++) {
        for (uint32_t k = 0; k < 9; k++) {
            part[k] = t[packed(rows, k % 3 + (which ? 3 : 0), k / 3 + (which == 2 ? 3 : 0))];
        }
        turn_matrix(r, true, part, turned);
        for (int k = 0; k < (which == 1 ? 9 : 6); k++) {
            message[(size_t)AFXI_RECURSION_LANES * (message_block[which] + (uint32_t)k)] =
                turned[which == 1 ? k : 3 * column[k] + row[k]];
        }
    }
    for (uint32_t k = 0; k < rows; k++) {
        const double *axis = r + 3 * (k % 3), *own = gap + (size_t)AFXI_RECURSION_LANES * (k / 3 * 3);
        message[(size_t)AFXI_RECURSION_LANES * (AFXI_RECURSION_GAP + k)] =
            axis[0] * own[0] + axis[1] * own[AFXI_RECURSION_LANES] + axis[2] * own[2 * AFXI_RECURSION_LANES];
    }
    if (system->recursion.whole) {
        afxi_recursion_pose(system, body, system->graph->closed_form.lever[joint->place[lane]].point,
                            system->recursion.motion->qv + AFXI_AFFINE_WIDTH * (size_t)body,
                            -0.5 * system->recursion.per_h, message);
    }
}

void afxi_mixed_receive(const AfxiSystem *system, const AfxiRecursionJob *job, uint32_t lane, uint32_t rows) {
    const double *message = afxi_recursion_message(system, AFXI_RECURSION_LANES * job->message + lane);
    uint32_t first = system->graph->recursion.joint[job->first_joint + job->children].row[lane];
    for (uint32_t r = 0; r < rows; r++) {
        system->lambda[first + r] = message[(size_t)AFXI_RECURSION_LANES * (AFXI_RECURSION_LAMBDA + r)];
    }
}

void afxi_mixed_hand_on(const AfxiSystem *system, const AfxiRecursionJoint *joint, uint32_t lane, uint32_t body,
                        uint32_t rows) {
    const double *next = system->bodies.next + AFXI_AFFINE_WIDTH * (size_t)body;
    const double *x = system->graph->closed_form.lever[joint->place[lane]].point;
    double *message = afxi_recursion_message(system, joint->message[lane]);
    for (uint32_t r = 0; r < 6; r++) {
        message[(size_t)AFXI_RECURSION_LANES * (AFXI_RECURSION_LAMBDA + r)] =
            r < rows ? system->lambda[joint->row[lane] + r] : 0;
    }
    for (int i = 0; i < 3; i++) {
        message[AFXI_RECURSION_LANES * (AFXI_RECURSION_AT + i)] =
            next[i] * x[0] + next[3 + i] * x[1] + next[6 + i] * x[2] + next[9 + i];
    }
}
