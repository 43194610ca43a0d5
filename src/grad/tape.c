/* SPDX-License-Identifier: Apache-2.0 */
/* Recording, and derivatives as numbers; those as formulas are in tape_form.c. */
#include "grad/tape.h"

#include <math.h>
#include <string.h>

#include "math/polar.h"

void afxi_tape_release(AfxiTape *tape) {
    afxi_release(tape->allocator, tape->node, tape->capacity * sizeof *tape->node);
    afxi_release(tape->allocator, tape->bar, tape->bar_capacity * sizeof *tape->bar);
    afxi_release(tape->allocator, tape->form, tape->form_capacity * sizeof *tape->form);
    afxi_release(tape->allocator, tape->path, tape->path_capacity);
    afxi_release(tape->allocator, tape->rotation, tape->rotation_capacity * sizeof *tape->rotation);
    afxi_release(tape->allocator, tape->guard, tape->guard_capacity * sizeof *tape->guard);
    *tape = (AfxiTape){.allocator = tape->allocator};
}

void afxi_tape_clear(AfxiTape *tape) {
    tape->count = tape->rotation_count = tape->guard_count = 0;
    tape->volatile_numbers = false;
}

/* Room for one more node, with its derivative; those of new nodes are 0. */
static bool reserve(AfxiTape *tape) {
    uint32_t before = tape->bar_capacity;
    if (tape->count < tape->capacity && tape->count < tape->path_capacity && tape->count < tape->bar_capacity &&
        tape->count < tape->form_capacity && !tape->failed) {
        return true;
    }
    tape->failed = tape->failed ||
                   afxi_array_reserve(tape->allocator, (void **)&tape->node, &tape->capacity, tape->count + 1,
                                      sizeof *tape->node) != AFX_OK ||
                   afxi_array_reserve(tape->allocator, (void **)&tape->bar, &tape->bar_capacity, tape->count + 1,
                                      sizeof *tape->bar) != AFX_OK ||
                   afxi_array_reserve(tape->allocator, (void **)&tape->form, &tape->form_capacity, tape->count + 1,
                                      sizeof *tape->form) != AFX_OK ||
                   afxi_array_reserve(tape->allocator, (void **)&tape->path, &tape->path_capacity, tape->count + 1,
                                      sizeof *tape->path) != AFX_OK;
    if (!tape->failed && tape->bar_capacity > before) {
        memset(tape->bar + before, 0, (tape->bar_capacity - before) * sizeof *tape->bar);
    }
    return !tape->failed;
}

static AfxiVar put(AfxiTape *tape, AfxiTapeNode node) {
    if (!reserve(tape)) {
        return afxi_number(node.value);
    }
    tape->node[tape->count] = node;
    return (AfxiVar){node.value, tape->count++};
}

AfxiVar afxi_tape_leaf(AfxiTape *tape, uint32_t slot, double value) {
    return put(tape, (AfxiTapeNode){
                         .value = value, .a = AFXI_CONSTANT, .b = AFXI_CONSTANT, .op = AFXI_TAPE_LEAF, .slot = slot});
}

AfxiVar afxi_tape_linear(AfxiTape *tape, double da, AfxiVar a, double db, AfxiVar b) {
    double value = (da != 0 ? da * a.value : 0) + (db != 0 ? db * b.value : 0);
    uint32_t from_a = da != 0 ? a.id : AFXI_CONSTANT, from_b = db != 0 ? b.id : AFXI_CONSTANT;
    if (from_a == AFXI_CONSTANT && from_b == AFXI_CONSTANT) {
        return afxi_number(value);
    }
    if (from_b == AFXI_CONSTANT && da == 1 && !(db != 0 && b.value != 0)) {
        return a;
    }
    if (from_a == AFXI_CONSTANT && db == 1 && !(da != 0 && a.value != 0)) {
        return b;
    }
    double c = (da != 0 && from_a == AFXI_CONSTANT ? da * a.value : 0) +
               (db != 0 && from_b == AFXI_CONSTANT ? db * b.value : 0);
    return put(tape, (AfxiTapeNode){value, from_a == AFXI_CONSTANT ? 0 : da, from_b == AFXI_CONSTANT ? 0 : db, c,
                                    from_a, from_b, AFXI_TAPE_LINEAR, 0, 0});
}

AfxiVar afxi_tape_multiply(AfxiTape *tape, AfxiVar a, AfxiVar b) {
    if (afxi_is_number(a)) {
        return afxi_tape_linear(tape, a.value, b, 0, afxi_number(0));
    }
    if (afxi_is_number(b)) {
        return afxi_tape_linear(tape, b.value, a, 0, afxi_number(0));
    }
    return put(tape, (AfxiTapeNode){a.value * b.value, b.value, a.value, 0, a.id, b.id, AFXI_TAPE_PRODUCT, 0, 0});
}

/* A function of one variable. */
static AfxiVar unary(AfxiTape *tape, AfxiTapeOp op, AfxiVar a, double value, double slope) {
    return afxi_is_number(a) ? afxi_number(value)
                             : put(tape, (AfxiTapeNode){value, slope, 0, 0, a.id, AFXI_CONSTANT, op, 0, 0});
}

AfxiVar afxi_tape_reciprocal(AfxiTape *tape, AfxiVar a) {
    double value = 1 / a.value;
    return unary(tape, AFXI_TAPE_RECIPROCAL, a, value, -value * value);
}

AfxiVar afxi_tape_root(AfxiTape *tape, AfxiVar a) {
    double value = sqrt(a.value);
    return unary(tape, AFXI_TAPE_ROOT, a, value, 0.5 / value);
}

AfxiVar afxi_tape_sine(AfxiTape *tape, AfxiVar a) {
    return unary(tape, AFXI_TAPE_SINE, a, sin(a.value), cos(a.value));
}

AfxiVar afxi_tape_cosine(AfxiTape *tape, AfxiVar a) {
    return unary(tape, AFXI_TAPE_COSINE, a, cos(a.value), -sin(a.value));
}

AfxiVar afxi_tape_arctan(AfxiTape *tape, AfxiVar sine, AfxiVar cosine) {
    double square = sine.value * sine.value + cosine.value * cosine.value, value = atan2(sine.value, cosine.value);
    if (afxi_is_number(sine) && afxi_is_number(cosine)) {
        return afxi_number(value);
    }
    tape->volatile_numbers |= afxi_is_number(sine) || afxi_is_number(cosine); /* constants are not kept */
    return put(tape, (AfxiTapeNode){value, cosine.value / square, -sine.value / square, 0, sine.id, cosine.id,
                                    AFXI_TAPE_ARCTAN, 0, 0});
}

AfxiVar afxi_tape_arcsine(AfxiTape *tape, AfxiVar a) {
    return unary(tape, AFXI_TAPE_ARCSINE, a, asin(a.value), 1 / sqrt(1 - a.value * a.value));
}

AfxiVar afxi_tape_arccosine(AfxiTape *tape, AfxiVar a) {
    return unary(tape, AFXI_TAPE_ARCCOSINE, a, acos(a.value), -1 / sqrt(1 - a.value * a.value));
}

AfxiVar afxi_tape_freeze(AfxiTape *tape, AfxiVar a) {
    return unary(tape, AFXI_TAPE_FROZEN, a, a.value, 1);
}

void afxi_tape_spun(AfxiTape *tape, const AfxiVar w[3], uint32_t slot, const double r[9], AfxiVar out[9]) {
    for (uint32_t k = 0; k < 9; k++) { /* (w x r)_c = w_m r_n - w_n r_m */
        uint32_t first = 3 * (k / 3), m = (k + 1) % 3, n = (k + 2) % 3;
        out[k] = put(
            tape, (AfxiTapeNode){r[k], r[first + n], -r[first + m], 0, w[m].id, w[n].id, AFXI_TAPE_SPUN, slot + k, k});
    }
}

AfxiVar afxi_tape_counted(AfxiTape *tape, AfxiVar a, uint32_t slot, double last) {
    double value = last + remainder(a.value - last, AFXI_TWO_PI);
    return afxi_is_number(a)
               ? afxi_number(value)
               : put(tape, (AfxiTapeNode){value, 1, 0, 0, a.id, AFXI_CONSTANT, AFXI_TAPE_COUNTED, slot, 0});
}

bool afxi_tape_between(AfxiTape *tape, AfxiVar a, double low, double high) {
    bool inside = a.value > low && a.value < high;
    if (!afxi_is_number(a)) {
        tape->failed = tape->failed || afxi_array_reserve(tape->allocator, (void **)&tape->guard, &tape->guard_capacity,
                                                          tape->guard_count + 1, sizeof *tape->guard) != AFX_OK;
        if (!tape->failed) {
            tape->guard[tape->guard_count++] = (AfxiTapeGuard){low, high, a.id, inside};
        }
    }
    return inside;
}

AfxiVar afxi_tape_still(AfxiTape *tape, AfxiVar a) {
    return unary(tape, AFXI_TAPE_STILL, a, a.value, 0);
}

AfxiVar afxi_tape_function(AfxiTape *tape, AfxiVar a, double value, double slope) {
    tape->volatile_numbers = true;
    return unary(tape, AFXI_TAPE_FUNCTION, a, value, slope);
}

/* Solves the symmetric m x = b by adjugates. */
static AfxVec3 solve_three(const AfxiMat3 *m, AfxVec3 b) {
    AfxVec3 x = mat3_column(m, 0), y = mat3_column(m, 1), z = mat3_column(m, 2);
    double per = 1 / mat3_determinant(m);
    return vec3(per * vec3_dot(b, vec3_cross(y, z)), per * vec3_dot(x, vec3_cross(b, z)),
                per * vec3_dot(x, vec3_cross(y, b)));
}

/* dR = R [w], (tr(S) I - S) w = the vector of R^T dA - dA^T R, where A = R S. */
static void differentiate_rotation(const AfxiMat3 *a, const AfxiMat3 *r, double d[9][9]) {
    AfxiMat3 s = mat3_multiply_tn(r, a), left;
    double trace = s.m[0] + s.m[4] + s.m[8];
    for (int k = 0; k < 9; k++) {
        left.m[k] = (k % 4 == 0 ? trace : 0) - 0.5 * (s.m[k] + s.m[3 * (k % 3) + k / 3]);
    }
    for (int j = 0; j < 9; j++) {
        AfxiMat3 unit = {{0}};
        unit.m[j] = 1;
        AfxiMat3 turned = mat3_multiply_tn(r, &unit);
        AfxiMat3 spin = mat3_skew(solve_three(&left, vec3_scale(2, mat3_axial(&turned))));
        AfxiMat3 change = mat3_multiply(r, &spin);
        for (int i = 0; i < 9; i++) {
            d[i][j] = change.m[i];
        }
    }
}

void afxi_tape_turn(const AfxiMat3 *a, AfxiMat3 *out, double d[9][9]) {
    *out = afxi_rotation_part(a, NULL);
    differentiate_rotation(a, out, d);
}

void afxi_tape_rotation(AfxiTape *tape, const AfxiVar a[9], AfxiVar out[9]) {
    AfxiMat3 matrix;
    bool constant = true;
    for (int k = 0; k < 9; k++) {
        matrix.m[k] = a[k].value;
        constant = constant && afxi_is_number(a[k]);
    }
    AfxiMat3 r = afxi_rotation_part(&matrix, NULL);
    uint32_t group = tape->rotation_count;
    tape->failed =
        tape->failed || afxi_array_reserve(tape->allocator, (void **)&tape->rotation, &tape->rotation_capacity,
                                           group + 1, sizeof *tape->rotation) != AFX_OK;
    for (int k = 0; k < 9; k++) {
        out[k] = afxi_number(r.m[k]);
    }
    if (constant || tape->failed) {
        return;
    }
    tape->rotation_count++;
    differentiate_rotation(&matrix, &r, tape->rotation[group].d);
    tape->rotation[group].first = tape->count;
    tape->rotation[group].a = matrix;
    for (uint32_t k = 0; k < 9; k++) {
        tape->rotation[group].in[k] = a[k].id;
        out[k] = put(tape, (AfxiTapeNode){r.m[k], 0, 0, 0, AFXI_CONSTANT, AFXI_CONSTANT, AFXI_TAPE_ROTATION, group, k});
    }
}

AfxiVar afxi_tape_slope(AfxiTape *tape, uint32_t group, uint32_t entry) {
    double value = tape->rotation[group].d[entry / 9][entry % 9];
    return put(tape, (AfxiTapeNode){value, 0, 0, 0, AFXI_CONSTANT, AFXI_CONSTANT, AFXI_TAPE_TURN, group, entry});
}

/* Adds what a node passes on to what it was made from. */
static void pass_on(AfxiTape *tape, const AfxiTapeNode *node, double bar) {
    if (node->op == AFXI_TAPE_ROTATION) {
        const AfxiTapeRotation *group = &tape->rotation[node->slot];
        for (int k = 0; k < 9; k++) {
            if (group->in[k] != AFXI_CONSTANT) {
                tape->bar[group->in[k]] += bar * group->d[node->entry][k];
            }
        }
        return;
    }
    if (node->a != AFXI_CONSTANT) {
        tape->bar[node->a] += bar * node->da;
    }
    if (node->b != AFXI_CONSTANT) {
        tape->bar[node->b] += bar * node->db;
    }
}

void afxi_tape_reverse(AfxiTape *tape, AfxiVar y) {
    if (afxi_is_number(y) || tape->failed) {
        return;
    }
    tape->bar[y.id] = 1;
    for (uint32_t k = y.id + 1; k-- > 0;) {
        if (tape->bar[k] != 0 && tape->node[k].op != AFXI_TAPE_LEAF) {
            pass_on(tape, &tape->node[k], tape->bar[k]);
        }
    }
}

void afxi_tape_forget(AfxiTape *tape, AfxiVar y) {
    if (!afxi_is_number(y) && !tape->failed) {
        memset(tape->bar, 0, ((size_t)y.id + 1) * sizeof *tape->bar);
    }
}
