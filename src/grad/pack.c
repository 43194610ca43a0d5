/* SPDX-License-Identifier: Apache-2.0 */
/* Short steps: sums without their weights, which are 1 or -1, and products that join the only sum that uses them.
 * Values keep their bits. */
#include "grad/program.h"

#define JOINED UINT32_MAX

static bool is_sum(const AfxiProgramNode *node) {
    return node->op == AFXI_TAPE_LINEAR && node->c == 0 && node->a && node->b &&
           ((node->da == 1 && (node->db == 1 || node->db == -1)) || (node->da == -1 && node->db == 1));
}

/* The product that a sum takes in: of its operands, or JOINED for none. */
static uint32_t product_of(const AfxiProgramNode *node, const AfxiProgramNode *own, const uint32_t *uses) {
    const uint32_t operand[2] = {own->b, own->a};
    const double other[2] = {own->da, own->db};
    for (int k = 0; k < 2 && is_sum(own); k++) {
        if (other[k] == 1 && uses[operand[k]] == 1 && node[operand[k] - 1].op == AFXI_TAPE_PRODUCT) {
            return operand[k] - 1;
        }
    }
    return JOINED;
}

static AfxiProgramStep short_step(const AfxiProgramNode *node, const AfxiProgramNode *own, uint32_t joined,
                                  const uint32_t *place, double *constant, uint32_t *linear) {
    AfxiProgramStep out = {place[own->a], place[own->b], own->op, own->slot};
    if (joined != JOINED) {
        bool second = own->b == joined + 1;
        out.op = (second ? own->db : own->da) > 0 ? AFXI_PROGRAM_MORE : AFXI_PROGRAM_LESS;
        out.slot = place[second ? own->a : own->b];
        out.a = place[node[joined].a];
        out.b = place[node[joined].b];
    } else if (is_sum(own)) {
        out.op = own->da == own->db ? AFXI_PROGRAM_SUM : AFXI_PROGRAM_DIFFERENCE;
        out.a = place[own->da > 0 ? own->a : own->b];
        out.b = place[own->da > 0 ? own->b : own->a];
    } else if (own->op == AFXI_TAPE_LINEAR) {
        out.slot = 3 * *linear;
        constant[out.slot] = own->da;
        constant[out.slot + 1] = own->db;
        constant[out.slot + 2] = own->c;
    } else if (own->op == AFXI_TAPE_ROTATION || own->op == AFXI_TAPE_TURN) {
        out.a = 0;
        out.b = own->entry;
    }
    return out;
}

uint32_t afxi_program_pack(const AfxiProgramNode *node, uint32_t count, uint32_t *place, AfxiProgramStep *step,
                           double *constant, uint32_t *out_linear) {
    uint32_t steps = 0;
    /* products that are taken in first: place still counts uses */
    for (uint32_t k = 0; k < count; k++) {
        uint32_t joined = product_of(node, &node[k], place);
        if (joined != JOINED) {
            place[joined + 1] = JOINED;
        }
    }
    *out_linear = 0;
    place[0] = 0;
    for (uint32_t k = 0; k < count; k++) {
        const AfxiProgramNode *own = &node[k];
        bool sum = is_sum(own);
        uint32_t joined = sum && place[own->b] == JOINED   ? own->b - 1
                          : sum && place[own->a] == JOINED ? own->a - 1
                                                           : JOINED;
        if (place[k + 1] == JOINED) {
            continue;
        }
        if (step) {
            step[steps] = short_step(node, own, joined, place, constant, out_linear);
        }
        *out_linear += own->op == AFXI_TAPE_LINEAR && !sum;
        place[k + 1] = ++steps;
    }
    return steps;
}
