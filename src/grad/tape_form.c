/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives as formulas: the chain rule with variables in the place of numbers, recorded on the tape itself. */
#include <math.h>

#include "grad/tape.h"

static AfxiVar at(const AfxiTape *tape, uint32_t node) {
    return node == AFXI_CONSTANT ? afxi_number(0) : (AfxiVar){tape->node[node].value, node};
}

/* Derivatives of a node by what it was made from, as formulas; a number 0 where there is none. */
static void slopes_of(AfxiTape *tape, uint32_t index, AfxiVar out[2]) {
    const AfxiTapeNode node = tape->node[index]; /* a copy: what follows is put on the same tape */
    AfxiVar a = node.op == AFXI_TAPE_LEAF || node.op == AFXI_TAPE_ROTATION ? afxi_number(0) : at(tape, node.a);
    AfxiVar y = at(tape, index), one = afxi_number(1), square;
    out[0] = out[1] = afxi_number(0);
    switch ((AfxiTapeOp)node.op) {
    case AFXI_TAPE_LINEAR:
        out[0] = afxi_number(node.da);
        out[1] = afxi_number(node.db);
        break;
    case AFXI_TAPE_PRODUCT:
        out[0] = at(tape, node.b);
        out[1] = a;
        break;
    case AFXI_TAPE_RECIPROCAL:
        out[0] = afxi_scale(tape, -1, afxi_tape_multiply(tape, y, y));
        break;
    case AFXI_TAPE_ROOT:
        out[0] = afxi_scale(tape, 0.5, afxi_tape_reciprocal(tape, y));
        break;
    case AFXI_TAPE_SINE:
        out[0] = afxi_tape_cosine(tape, a);
        break;
    case AFXI_TAPE_COSINE:
        out[0] = afxi_scale(tape, -1, afxi_tape_sine(tape, a));
        break;
    case AFXI_TAPE_ARCTAN: {
        AfxiVar b = at(tape, node.b);
        if (node.b == AFXI_CONSTANT || node.a == AFXI_CONSTANT) { /* constants are not kept: no row has them */
            break;
        }
        square = afxi_add(tape, afxi_tape_multiply(tape, a, a), afxi_tape_multiply(tape, b, b));
        square = afxi_tape_reciprocal(tape, square);
        out[0] = afxi_tape_multiply(tape, b, square);
        out[1] = afxi_scale(tape, -1, afxi_tape_multiply(tape, a, square));
        break;
    }
    case AFXI_TAPE_ARCSINE:
    case AFXI_TAPE_ARCCOSINE:
        square = afxi_subtract(tape, one, afxi_tape_multiply(tape, a, a));
        out[0] = afxi_tape_reciprocal(tape, afxi_tape_root(tape, square));
        out[0] = afxi_scale(tape, node.op == AFXI_TAPE_ARCSINE ? 1 : -1, out[0]);
        break;
    case AFXI_TAPE_LEAF:
    case AFXI_TAPE_FROZEN:
    case AFXI_TAPE_FUNCTION:
    case AFXI_TAPE_ROTATION:
        break;
    }
}

static bool vanishes(AfxiVar a) {
    return afxi_is_number(a) && a.value == 0;
}

static void add_to(AfxiTape *tape, uint32_t node, AfxiVar by, AfxiVar slope) {
    if (node != AFXI_CONSTANT && !vanishes(slope) && !tape->failed) {
        AfxiVar sum = afxi_add(tape, tape->form[node], afxi_tape_multiply(tape, by, slope));
        if (!tape->failed) {
            tape->form[node] = sum;
        }
    }
}

void afxi_tape_gradient(AfxiTape *tape, AfxiVar y, const AfxiVar *wrt, uint32_t count, AfxiVar *out) {
    for (uint32_t k = 0; k < count; k++) {
        out[k] = afxi_number(0);
    }
    if (afxi_is_number(y) || tape->failed) {
        return;
    }
    for (uint32_t k = 0; k <= y.id; k++) {
        tape->form[k] = afxi_number(0);
    }
    tape->form[y.id] = afxi_number(1);
    for (uint32_t k = y.id + 1; k-- > 0 && !tape->failed;) {
        uint32_t op = tape->node[k].op, from_a = tape->node[k].a, from_b = tape->node[k].b;
        bool ends = op == AFXI_TAPE_LEAF || op == AFXI_TAPE_FROZEN || op >= AFXI_TAPE_FUNCTION;
        if (ends || vanishes(tape->form[k])) {
            continue;
        }
        AfxiVar slope[2], by = tape->form[k];
        slopes_of(tape, k, slope);
        add_to(tape, from_a, by, slope[0]);
        add_to(tape, from_b, by, slope[1]);
    }
    for (uint32_t k = 0; k < count && !tape->failed; k++) {
        out[k] = wrt[k].id <= y.id ? tape->form[wrt[k].id] : out[k];
    }
}

AfxiVar afxi_tape_rate(AfxiTape *tape, AfxiVar y, const AfxiVar *wrt, const AfxiVar *dot, uint32_t count) {
    if (afxi_is_number(y) || tape->failed) {
        return afxi_number(0);
    }
    for (uint32_t k = 0; k <= y.id; k++) {
        tape->form[k] = afxi_number(0);
    }
    for (uint32_t k = 0; k < count; k++) {
        if (wrt[k].id <= y.id) {
            tape->form[wrt[k].id] = dot[k];
        }
    }
    for (uint32_t k = 0; k <= y.id && !tape->failed; k++) {
        uint32_t op = tape->node[k].op, from[2] = {tape->node[k].a, tape->node[k].b};
        bool ends = op == AFXI_TAPE_LEAF || op == AFXI_TAPE_FROZEN || op >= AFXI_TAPE_FUNCTION;
        bool moves = false;
        for (int side = 0; side < 2 && !ends; side++) {
            moves |= from[side] != AFXI_CONSTANT && !vanishes(tape->form[from[side]]);
        }
        if (!moves) {
            continue;
        }
        AfxiVar slope[2], sum = tape->form[k];
        slopes_of(tape, k, slope);
        for (int side = 0; side < 2; side++) {
            if (from[side] != AFXI_CONSTANT && !tape->failed) {
                sum = afxi_add(tape, sum, afxi_tape_multiply(tape, slope[side], tape->form[from[side]]));
            }
        }
        if (!tape->failed) {
            tape->form[k] = sum;
        }
    }
    return tape->failed ? afxi_number(0) : tape->form[y.id];
}
