/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors and matrices (column-major) of variables. */
#ifndef AFXI_GRAD_VECTOR_H
#define AFXI_GRAD_VECTOR_H

#include "grad/tape.h"

typedef struct AfxiVar3 {
    AfxiVar x[3];
} AfxiVar3;

static inline AfxiVar3 var3_number(AfxVec3 a) {
    return (AfxiVar3){{afxi_number(a.x), afxi_number(a.y), afxi_number(a.z)}};
}
static inline AfxiVar3 var3_load(const AfxiVar *p) {
    return (AfxiVar3){{p[0], p[1], p[2]}};
}
static inline void var3_store(AfxiVar *p, AfxiVar3 a) {
    p[0] = a.x[0];
    p[1] = a.x[1];
    p[2] = a.x[2];
}
/** da a + db b */
static inline AfxiVar3 var3_linear(AfxiTape *tape, double da, AfxiVar3 a, double db, AfxiVar3 b) {
    AfxiVar3 out;
    for (int k = 0; k < 3; k++) {
        out.x[k] = afxi_tape_linear(tape, da, a.x[k], db, b.x[k]);
    }
    return out;
}
static inline AfxiVar3 var3_add(AfxiTape *tape, AfxiVar3 a, AfxiVar3 b) {
    return var3_linear(tape, 1, a, 1, b);
}
static inline AfxiVar3 var3_subtract(AfxiTape *tape, AfxiVar3 a, AfxiVar3 b) {
    return var3_linear(tape, 1, a, -1, b);
}
static inline AfxiVar3 var3_times(AfxiTape *tape, AfxiVar s, AfxiVar3 a) {
    AfxiVar3 out;
    for (int k = 0; k < 3; k++) {
        out.x[k] = afxi_tape_multiply(tape, s, a.x[k]);
    }
    return out;
}
static inline AfxiVar var3_dot(AfxiTape *tape, AfxiVar3 a, AfxiVar3 b) {
    AfxiVar sum = afxi_tape_multiply(tape, a.x[0], b.x[0]);
    sum = afxi_add(tape, sum, afxi_tape_multiply(tape, a.x[1], b.x[1]));
    return afxi_add(tape, sum, afxi_tape_multiply(tape, a.x[2], b.x[2]));
}
static inline AfxiVar3 var3_cross(AfxiTape *tape, AfxiVar3 a, AfxiVar3 b) {
    AfxiVar3 out;
    for (int i = 0; i < 3; i++) {
        int m = (i + 1) % 3, n = (i + 2) % 3;
        out.x[i] =
            afxi_subtract(tape, afxi_tape_multiply(tape, a.x[m], b.x[n]), afxi_tape_multiply(tape, a.x[n], b.x[m]));
    }
    return out;
}
/** The matrix a [9] times u. */
static inline AfxiVar3 var3_apply(AfxiTape *tape, const AfxiVar *a, AfxiVar3 u) {
    AfxiVar3 out = var3_times(tape, u.x[0], var3_load(a));
    out = var3_add(tape, out, var3_times(tape, u.x[1], var3_load(a + 3)));
    return var3_add(tape, out, var3_times(tape, u.x[2], var3_load(a + 6)));
}
/** Its transpose times u. */
static inline AfxiVar3 var3_apply_transposed(AfxiTape *tape, const AfxiVar *a, AfxiVar3 u) {
    return (AfxiVar3){
        {var3_dot(tape, var3_load(a), u), var3_dot(tape, var3_load(a + 3), u), var3_dot(tape, var3_load(a + 6), u)}};
}
/** out = a b, or a^T b */
static inline void var9_multiply(AfxiTape *tape, const AfxiVar *a, const AfxiVar *b, bool transposed, AfxiVar out[9]) {
    for (int k = 0; k < 9; k += 3) {
        var3_store(out + k, transposed ? var3_apply_transposed(tape, a, var3_load(b + k))
                                       : var3_apply(tape, a, var3_load(b + k)));
    }
}
/** Point x of a body with coordinates q [12]. */
static inline AfxiVar3 var3_position(AfxiTape *tape, const AfxiVar *q, AfxiVar3 x) {
    return var3_add(tape, var3_apply(tape, q, x), var3_load(q + 9));
}

#endif
