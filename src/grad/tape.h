/* SPDX-License-Identifier: Apache-2.0 */
/* A tape of scalar operations: functions that are written once, with variables in the place of numbers, have all their
 * derivatives.
 *
 *   numbers   afxi_tape_reverse adds the derivatives of a result by all that it was made from;
 *   formulas  afxi_tape_gradient records the gradient itself, as variables, so that forces of constraints are formulas
 *             that can be differentiated again; afxi_tape_rate does the same along a direction.
 *
 * What is frozen (afxi_tape_freeze) is a constant of formulas, and varies in numbers: directions of alignments are
 * taken as given by the definition of their gradient (docs/joints.md), and yet depend on where the base is.
 *
 * A tape holds one small element at a time: a joint, a body. Constants are not on it. */
#ifndef AFXI_GRAD_TAPE_H
#define AFXI_GRAD_TAPE_H

#include "base/memory.h"
#include "math/vec3.h"

#define AFXI_CONSTANT UINT32_MAX

/** A number, or what a node of the tape has come to. */
typedef struct AfxiVar {
    double value;
    uint32_t id; /* node; AFXI_CONSTANT: a number */
} AfxiVar;

typedef enum AfxiTapeOp {
    AFXI_TAPE_LEAF,   /* slot */
    AFXI_TAPE_LINEAR, /* da a + db b + c */
    AFXI_TAPE_PRODUCT,
    AFXI_TAPE_RECIPROCAL,
    AFXI_TAPE_ROOT,
    AFXI_TAPE_SINE,
    AFXI_TAPE_COSINE,
    AFXI_TAPE_ARCTAN, /* atan2(a, b) */
    AFXI_TAPE_ARCSINE,
    AFXI_TAPE_ARCCOSINE,
    AFXI_TAPE_COUNTED, /* the angle a, by whole turns next to the number in `slot` */
    AFXI_TAPE_FROZEN,
    AFXI_TAPE_STILL,    /* a, which does not vary at all */
    AFXI_TAPE_FUNCTION, /* of which only the slope is known */
    AFXI_TAPE_ROTATION, /* slot: group; entry: of the rotation part of a matrix */
    AFXI_TAPE_TURN,     /* the derivative of that by the matrix; entry: 9 i + j */
    AFXI_TAPE_SPUN      /* entry of nine, in `slot`, of a matrix that turns: a and b are the turns it goes with */
} AfxiTapeOp;

typedef struct AfxiTapeNode {
    double value, da, db; /* derivatives by a and b */
    double c;
    uint32_t a, b, op;
    uint32_t slot, entry;
} AfxiTapeNode;

/** A condition that the branches of a formula rest on: whether a node is between two numbers. */
typedef struct AfxiTapeGuard {
    double low, high;
    uint32_t node;
    bool inside;
} AfxiTapeGuard;

/** The rotation part of a matrix, with its derivative. */
typedef struct AfxiTapeRotation {
    uint32_t first; /* node of the first of nine entries */
    uint32_t in[9];
    AfxiMat3 a;
    double d[9][9]; /* of entry i by entry j of the matrix */
} AfxiTapeRotation;

typedef struct AfxiTape {
    const AfxAllocator *allocator;
    AfxiTapeNode *node;
    double *bar;   /* [capacity] derivatives of a result; all 0 between calls */
    AfxiVar *form; /* [capacity] formulas of them */
    uint8_t *path; /* [capacity] whether a result depends on a node */
    uint32_t count, capacity, bar_capacity, form_capacity, path_capacity;
    AfxiTapeRotation *rotation;
    uint32_t rotation_count, rotation_capacity;
    AfxiTapeGuard *guard;
    uint32_t guard_count, guard_capacity;
    uint32_t known; /* leaves from this slot to `known_end` never change: their values go into derivatives */
    uint32_t known_end;
    bool volatile_numbers; /* something on it is a number that may be another one the next time */
    bool failed;           /* out of memory: what follows has no meaning */
} AfxiTape;

void afxi_tape_release(AfxiTape *tape);
/** Forgets all nodes. */
void afxi_tape_clear(AfxiTape *tape);
static inline AfxiVar afxi_number(double value) {
    return (AfxiVar){value, AFXI_CONSTANT};
}
static inline bool afxi_is_number(AfxiVar a) {
    return a.id == AFXI_CONSTANT;
}
/** An input, by its place among those of the caller. */
AfxiVar afxi_tape_leaf(AfxiTape *tape, uint32_t slot, double value);
/** da a + db b */
AfxiVar afxi_tape_linear(AfxiTape *tape, double da, AfxiVar a, double db, AfxiVar b);
AfxiVar afxi_tape_multiply(AfxiTape *tape, AfxiVar a, AfxiVar b);
AfxiVar afxi_tape_reciprocal(AfxiTape *tape, AfxiVar a);
AfxiVar afxi_tape_root(AfxiTape *tape, AfxiVar a);
AfxiVar afxi_tape_sine(AfxiTape *tape, AfxiVar a);
AfxiVar afxi_tape_cosine(AfxiTape *tape, AfxiVar a);
AfxiVar afxi_tape_arctan(AfxiTape *tape, AfxiVar sine, AfxiVar cosine);
AfxiVar afxi_tape_arcsine(AfxiTape *tape, AfxiVar a);
AfxiVar afxi_tape_arccosine(AfxiTape *tape, AfxiVar a);
AfxiVar afxi_tape_freeze(AfxiTape *tape, AfxiVar a);
/** The same number, which nothing changes: where it is known that what it changes is 0. */
AfxiVar afxi_tape_still(AfxiTape *tape, AfxiVar a);
/** What a function has come to at a, with its slope there. */
AfxiVar afxi_tape_function(AfxiTape *tape, AfxiVar a, double value, double slope);
/** The matrix whose nine entries stand in `slot`, as it turns by small w: R + w x R. */
void afxi_tape_spun(AfxiTape *tape, const AfxiVar w[3], uint32_t slot, const double r[9], AfxiVar out[9]);
/** The angle equal to a up to whole turns that is nearest to `last`, which stands in `slot`. */
AfxiVar afxi_tape_counted(AfxiTape *tape, AfxiVar a, uint32_t slot, double last);
/** Whether low < a < high; formulas are those of the outcome. */
bool afxi_tape_between(AfxiTape *tape, AfxiVar a, double low, double high);
/** The rotation part of a matrix, column-major. */
void afxi_tape_rotation(AfxiTape *tape, const AfxiVar a[9], AfxiVar out[9]);

/** The derivative of a rotation part, by its group; entry 9 i + j. */
AfxiVar afxi_tape_slope(AfxiTape *tape, uint32_t group, uint32_t entry);

/** bar [nodes] <- the derivatives of y. */
void afxi_tape_reverse(AfxiTape *tape, AfxiVar y);
/** Sets bar to 0 again, for all nodes up to y. */
void afxi_tape_forget(AfxiTape *tape, AfxiVar y);
/** The gradient of y by `wrt`, whose nodes are not looked behind. */
void afxi_tape_gradient(AfxiTape *tape, AfxiVar y, const AfxiVar *wrt, uint32_t count, AfxiVar *out);
/** Formulas of the derivatives of y by all nodes up to it, in tape->form: what is frozen varies in them. */
void afxi_tape_derive(AfxiTape *tape, AfxiVar y);
/** The derivative of y along the rates `dot` of `wrt`. */
AfxiVar afxi_tape_rate(AfxiTape *tape, AfxiVar y, const AfxiVar *wrt, const AfxiVar *dot, uint32_t count);

static inline AfxiVar afxi_add(AfxiTape *tape, AfxiVar a, AfxiVar b) {
    return afxi_tape_linear(tape, 1, a, 1, b);
}
static inline AfxiVar afxi_subtract(AfxiTape *tape, AfxiVar a, AfxiVar b) {
    return afxi_tape_linear(tape, 1, a, -1, b);
}
static inline AfxiVar afxi_scale(AfxiTape *tape, double s, AfxiVar a) {
    return afxi_tape_linear(tape, s, a, 0, afxi_number(0));
}
static inline AfxiVar afxi_divide(AfxiTape *tape, AfxiVar a, AfxiVar b) {
    return afxi_tape_multiply(tape, a, afxi_tape_reciprocal(tape, b));
}

/** The rotation part of a matrix and its derivative: d [i][j] of entry i by entry j. */
void afxi_tape_turn(const AfxiMat3 *a, AfxiMat3 *out, double d[9][9]);

#endif
