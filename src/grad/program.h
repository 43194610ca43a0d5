/* SPDX-License-Identifier: Apache-2.0 */
/* What a tape has recorded, kept: a list of instructions that gives values, and derivatives where they were asked for,
 * for any numbers in its slots, as long as the conditions hold that its branches rest on. Equal instructions are one,
 * and only what results need is kept. */
#ifndef AFXI_GRAD_PROGRAM_H
#define AFXI_GRAD_PROGRAM_H

#include "grad/tape.h"

/* Operations beside those of AfxiTapeOp: sums of two, and of one and a product of two, which most are. */
enum {
    AFXI_PROGRAM_SUM = AFXI_TAPE_SPUN + 1, /* a + b */
    AFXI_PROGRAM_DIFFERENCE,               /* a - b */
    AFXI_PROGRAM_MORE,                     /* value `slot` + a b */
    AFXI_PROGRAM_LESS                      /* value `slot` - a b */
};

/** An operation; operands are numbers of values, of which 0 is the number 0. Short, since long programs are read from
 * memory at every step. */
typedef struct AfxiProgramStep {
    uint32_t a, b, op;
    uint32_t slot; /* of a leaf, or as above; first of three numbers of `constant` (da, db, c); group of a rotation,
                      whose entry is in b */
} AfxiProgramStep;

/** The same with all that a tape tells of it. */
typedef struct AfxiProgramNode {
    double da, db, c;
    uint32_t a, b, op;
    uint32_t slot, entry;
} AfxiProgramNode;

/** A result, or a derivative of one; numbers that never change have value 0 and what they are in `by`. */
typedef struct AfxiProgramTerm {
    uint32_t row, slot, value;
    double by; /* the term is `by` times the value, or `by` itself where value is 0 */
} AfxiProgramTerm;

typedef struct AfxiProgramTurn {
    uint32_t in[9]; /* values of the matrix; 0: it is in `fixed` */
    AfxiMat3 fixed;
    AfxiMat3 r;
    double d[9][9];
} AfxiProgramTurn;

typedef struct AfxiProgram {
    const AfxAllocator *allocator;
    AfxiProgramStep *step;
    uint32_t count;
    double *constant; /* of linear steps, three each */
    double *value;    /* [count + 1] */
    double *bar;      /* [count + 1] where it is swept backwards, or forwards */
    AfxiProgramTerm *result, *term;
    uint32_t result_count, term_count;
    uint32_t unknown_count; /* for the caller: so many terms come first */
    AfxiTapeGuard *guard;   /* nodes are values */
    uint32_t guard_count;
    AfxiProgramTurn *turn;
    uint32_t turn_count;
    bool again; /* it can be evaluated again: no number in it was one of that moment only */
    void *raw;
    size_t raw_size;
} AfxiProgram;

/** A result of a tape: which number it is of the caller's. */
typedef struct AfxiProgramResult {
    uint32_t row;
    AfxiVar y;
} AfxiProgramResult;

void afxi_program_release(AfxiProgram *program);
/** Makes the program of some results of a tape: of their values (slots 0), or of their derivatives by all leaves whose
 * slots are below `slots`, and values only where `values` says so. It has not been evaluated yet. */
AfxStatus afxi_program_make(AfxiProgram *program, AfxiTape *tape, const AfxiProgramResult *result, uint32_t count,
                            uint32_t slots, bool values);
/** Short steps from nodes [count], of which a product that is used once joins the sum that uses it: their number comes
 * back. place [count + 1] <- where values have gone; on input, how often each is used. step and constant may be NULL:
 * nothing but places is wanted; out_linear is the number of linear ones. */
uint32_t afxi_program_pack(const AfxiProgramNode *node, uint32_t count, uint32_t *place, AfxiProgramStep *step,
                           double *constant, uint32_t *out_linear);
/** Puts steps into runs of one operation; place [count + 1] <- where values have gone; inputs of `turn` are those of
 * before. */
AfxStatus afxi_program_schedule(const AfxAllocator *allocator, AfxiProgramStep *step, uint32_t count,
                                const AfxiProgramTurn *turn, uint32_t turn_count, uint32_t *place);
/** A term, in the numbers of the last evaluation. */
static inline double afxi_program_term(const AfxiProgram *program, const AfxiProgramTerm *term) {
    return term->value ? term->by * program->value[term->value] : term->by;
}
/** Evaluates it with the numbers x in its slots; false: a condition does not hold, and it has to be made again. */
bool afxi_program_evaluate(AfxiProgram *program, const double *x);
/** x [slot] += the derivatives of the sum of bar [row] times results. */
void afxi_program_reverse(AfxiProgram *program, const double *bar, double *x);
/** y [row] = the derivative of each result along the direction x [slot]. */
void afxi_program_forward(AfxiProgram *program, const double *x, double *y);

#endif
