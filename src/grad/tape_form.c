/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives as formulas: the chain rule with variables in the place of numbers, recorded on the tape itself. */
#include <math.h>
#include <string.h>

#include "grad/tape.h"

/* A node as a variable; `last`: what is derived is not differentiated again, so that known leaves are numbers. */
static AfxiVar at(const AfxiTape *tape, uint32_t node, bool last) {
    if (node == AFXI_CONSTANT) {
        return afxi_number(0);
    }
    const AfxiTapeNode *from = &tape->node[node];
    bool known = last && from->op == AFXI_TAPE_LEAF && from->slot >= tape->known && from->slot < tape->known_end;
    return known ? afxi_number(from->value) : (AfxiVar){from->value, node};
}

/* Derivatives of a node by what it was made from, as formulas; a number 0 where there is none. */
static void slopes_of(AfxiTape *tape, uint32_t index, bool last, AfxiVar out[2]) {
    const AfxiTapeNode node = tape->node[index]; /* a copy: what follows is put on the same tape */
    AfxiVar a = at(tape, node.a, last), y = at(tape, index, last), one = afxi_number(1), square;
    out[0] = out[1] = afxi_number(0);
    switch ((AfxiTapeOp)node.op) {
    case AFXI_TAPE_LINEAR:
        out[0] = afxi_number(node.da);
        out[1] = afxi_number(node.db);
        break;
    case AFXI_TAPE_PRODUCT:
        out[0] = at(tape, node.b, last);
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
        AfxiVar b = at(tape, node.b, last);
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
    case AFXI_TAPE_COUNTED:
        out[0] = one;
        break;
    case AFXI_TAPE_FROZEN:
    case AFXI_TAPE_FUNCTION:
        out[0] = last ? afxi_number(node.da) : out[0];
        break;
    case AFXI_TAPE_SPUN: {
        uint32_t c = node.entry % 3, first = index - c; /* entries of a column stand behind each other */
        out[0] = last ? at(tape, first + (c + 2) % 3, true) : out[0];
        out[1] = last ? afxi_scale(tape, -1, at(tape, first + (c + 1) % 3, true)) : out[1];
        break;
    }
    case AFXI_TAPE_LEAF:
    case AFXI_TAPE_STILL:
    case AFXI_TAPE_ROTATION:
    case AFXI_TAPE_TURN:
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

/* What the rotation part of a matrix passes on: its derivatives are nodes of their own. */
static void add_rotation(AfxiTape *tape, uint32_t index) {
    const AfxiTapeNode node = tape->node[index];
    AfxiVar by = tape->form[index];
    for (uint32_t j = 0; j < 9 && !tape->failed; j++) {
        const AfxiTapeRotation *group = &tape->rotation[node.slot];
        if (group->in[j] != AFXI_CONSTANT) {
            AfxiVar slope = afxi_tape_slope(tape, node.slot, 9 * node.entry + j);
            add_to(tape, group->in[j], by, slope);
        }
    }
}

void afxi_tape_derive(AfxiTape *tape, AfxiVar y) {
    for (uint32_t k = 0; !afxi_is_number(y) && !tape->failed && k <= y.id; k++) {
        tape->form[k] = afxi_number(0);
    }
    if (afxi_is_number(y) || tape->failed) {
        return;
    }
    tape->form[y.id] = afxi_number(1);
    for (uint32_t k = y.id + 1; k-- > 0 && !tape->failed;) {
        AfxiVar slope[2], by = tape->form[k];
        uint32_t from_a = tape->node[k].a, from_b = tape->node[k].b;
        if (vanishes(by)) {
            continue;
        }
        if (tape->node[k].op == AFXI_TAPE_ROTATION) {
            add_rotation(tape, k);
            continue;
        }
        slopes_of(tape, k, true, slope);
        add_to(tape, from_a, by, slope[0]);
        add_to(tape, from_b, by, slope[1]);
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
        bool ends = op == AFXI_TAPE_LEAF || op >= AFXI_TAPE_FROZEN;
        if (ends || vanishes(tape->form[k])) {
            continue;
        }
        AfxiVar slope[2], by = tape->form[k];
        slopes_of(tape, k, false, slope);
        add_to(tape, from_a, by, slope[0]);
        add_to(tape, from_b, by, slope[1]);
    }
    for (uint32_t k = 0; k < count && !tape->failed; k++) {
        out[k] = wrt[k].id <= y.id ? tape->form[wrt[k].id] : out[k];
    }
}

/* Marks all that y was made from; rotations and what is frozen are not looked behind. */
static void find_path(AfxiTape *tape, AfxiVar y) {
    memset(tape->path, 0, (size_t)y.id + 1);
    tape->path[y.id] = 1;
    for (uint32_t k = y.id + 1; k-- > 0;) {
        const AfxiTapeNode *node = &tape->node[k];
        if (tape->path[k] && node->a != AFXI_CONSTANT) {
            tape->path[node->a] = 1;
        }
        if (tape->path[k] && node->b != AFXI_CONSTANT) {
            tape->path[node->b] = 1;
        }
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
    find_path(tape, y);
    for (uint32_t k = 0; k <= y.id && !tape->failed; k++) {
        if (!tape->path[k]) {
            continue;
        }
        uint32_t op = tape->node[k].op, from[2] = {tape->node[k].a, tape->node[k].b};
        bool ends = op == AFXI_TAPE_LEAF || op >= AFXI_TAPE_FROZEN;
        bool moves = false;
        for (int side = 0; side < 2 && !ends; side++) {
            moves |= from[side] != AFXI_CONSTANT && !vanishes(tape->form[from[side]]);
        }
        if (!moves) {
            continue;
        }
        AfxiVar slope[2], sum = tape->form[k];
        slopes_of(tape, k, false, slope);
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
