/* SPDX-License-Identifier: Apache-2.0 */
/* Values and derivatives of a program, by its instructions; it is made in compile.c. */
#include "grad/program.h"

#include <math.h>
#include <string.h>

void afxi_program_release(AfxiProgram *program) {
    const AfxAllocator *allocator = program->allocator;
    if (allocator) {
        afxi_release(allocator, program->raw, program->raw_size);
    }
    *program = (AfxiProgram){.allocator = allocator};
}

static void find_turn(AfxiProgramTurn *turn, const double *value) {
    AfxiMat3 a;
    for (int k = 0; k < 9; k++) {
        a.m[k] = turn->in[k] ? value[turn->in[k]] : turn->fixed.m[k];
    }
    afxi_tape_turn(&a, &turn->r, turn->d);
}

static double evaluate_rare(AfxiProgram *program, const AfxiProgramStep *step, const double *x) {
    const double *v = program->value;
    switch ((AfxiTapeOp)step->op) {
    case AFXI_TAPE_RECIPROCAL:
        return 1 / v[step->a];
    case AFXI_TAPE_ROOT:
        return sqrt(v[step->a]);
    case AFXI_TAPE_SINE:
        return sin(v[step->a]);
    case AFXI_TAPE_COSINE:
        return cos(v[step->a]);
    case AFXI_TAPE_ARCTAN:
        return atan2(v[step->a], v[step->b]);
    case AFXI_TAPE_ARCSINE:
        return asin(v[step->a]);
    case AFXI_TAPE_ARCCOSINE:
        return acos(v[step->a]);
    case AFXI_TAPE_COUNTED:
        return x[step->slot] + remainder(v[step->a] - x[step->slot], AFXI_TWO_PI);
    case AFXI_TAPE_ROTATION:
        if (step->b == 0) { /* always there, and first */
            find_turn(&program->turn[step->slot], v);
        }
        return program->turn[step->slot].r.m[step->b];
    case AFXI_TAPE_TURN:
        return program->turn[step->slot].d[step->b / 9][step->b % 9];
    default:
        return v[step->a];
    }
}

/* A run of steps of one operation, whose last value is at v. */
#define RUN(...)              \
    do {                      \
        *++v = (__VA_ARGS__); \
    } while (++step != end && step->op == op)

static void evaluate(AfxiProgram *program, const double *x) {
    const AfxiProgramStep *step = program->step, *end = step + program->count;
    double *v = program->value, *from = program->value;
    while (step != end) {
        uint32_t op = step->op;
        switch (op) {
        case AFXI_PROGRAM_MORE:
            RUN(from[step->slot] + from[step->a] * from[step->b]);
            break;
        case AFXI_PROGRAM_LESS:
            RUN(from[step->slot] - from[step->a] * from[step->b]);
            break;
        case AFXI_TAPE_PRODUCT:
            RUN(from[step->a] * from[step->b]);
            break;
        case AFXI_PROGRAM_SUM:
            RUN(from[step->a] + from[step->b]);
            break;
        case AFXI_PROGRAM_DIFFERENCE:
            RUN(from[step->a] - from[step->b]);
            break;
        case AFXI_TAPE_LINEAR:
            RUN(program->constant[step->slot] * from[step->a] + program->constant[step->slot + 1] * from[step->b] +
                program->constant[step->slot + 2]);
            break;
        case AFXI_TAPE_LEAF:
            RUN(x[step->slot]);
            break;
        default:
            RUN(evaluate_rare(program, step, x));
        }
    }
}

bool afxi_program_evaluate(AfxiProgram *program, const double *x) {
    const double *from = program->value;
    evaluate(program, x);
    for (uint32_t k = 0; k < program->guard_count; k++) {
        const AfxiTapeGuard *guard = &program->guard[k];
        double value = from[guard->node];
        if ((value > guard->low && value < guard->high) != guard->inside) {
            return false;
        }
    }
    return true;
}

/* Derivatives of a step by its operands, where it stands. */
static void slopes(const AfxiProgram *program, uint32_t k, double *da, double *db) {
    const AfxiProgramStep *step = &program->step[k];
    const double *v = program->value;
    double value = v[k + 1], a = v[step->a], b = v[step->b];
    *da = *db = 0;
    switch (step->op) {
    case AFXI_TAPE_RECIPROCAL:
        *da = -value * value;
        break;
    case AFXI_TAPE_ROOT:
        *da = 0.5 / value;
        break;
    case AFXI_TAPE_SINE:
        *da = cos(a);
        break;
    case AFXI_TAPE_COSINE:
        *da = -sin(a);
        break;
    case AFXI_TAPE_COUNTED:
    case AFXI_TAPE_FROZEN:
        *da = 1;
        break;
    case AFXI_TAPE_ARCTAN:
        *da = b / (a * a + b * b);
        *db = -a / (a * a + b * b);
        break;
    case AFXI_TAPE_ARCSINE:
        *da = 1 / sqrt(1 - a * a);
        break;
    case AFXI_TAPE_ARCCOSINE:
        *da = -1 / sqrt(1 - a * a);
        break;
    default: /* still, a function, entries of rotations: nothing goes through */
        break;
    }
}

/* What is asked of a step, to its operands. */
static void reverse_step(const AfxiProgram *program, uint32_t k, double by, double *own) {
    const AfxiProgramStep *step = &program->step[k];
    const double *v = program->value;
    double da, db, sign = 1;
    switch (step->op) {
    case AFXI_PROGRAM_LESS:
        sign = -1; /* fall through */
    case AFXI_PROGRAM_MORE:
        own[step->slot] += by;
        own[step->a] += sign * by * v[step->b];
        own[step->b] += sign * by * v[step->a];
        break;
    case AFXI_TAPE_PRODUCT:
        own[step->a] += by * v[step->b];
        own[step->b] += by * v[step->a];
        break;
    case AFXI_PROGRAM_SUM:
        own[step->a] += by;
        own[step->b] += by;
        break;
    case AFXI_PROGRAM_DIFFERENCE:
        own[step->a] += by;
        own[step->b] -= by;
        break;
    case AFXI_TAPE_LINEAR:
        own[step->a] += by * program->constant[step->slot];
        own[step->b] += by * program->constant[step->slot + 1];
        break;
    case AFXI_TAPE_ROTATION:
    case AFXI_TAPE_TURN:
        break;
    default:
        slopes(program, k, &da, &db);
        own[step->a] += by * da;
        own[step->b] += by * db;
    }
}

void afxi_program_reverse(AfxiProgram *program, const double *bar, double *x) {
    double *own = program->bar;
    memset(own, 0, (program->count + 1) * sizeof *own);
    for (uint32_t k = 0; k < program->result_count; k++) {
        const AfxiProgramTerm *result = &program->result[k];
        own[result->value] += result->value ? bar[result->row] : 0;
    }
    for (uint32_t k = program->count; k-- > 0;) {
        const AfxiProgramStep *step = &program->step[k];
        double by = own[k + 1];
        if (by == 0) {
            continue;
        }
        if (step->op == AFXI_TAPE_LEAF) {
            x[step->slot] += by;
        } else {
            reverse_step(program, k, by, own);
        }
    }
}

static double forward_step(const AfxiProgram *program, uint32_t k, const double *own) {
    const AfxiProgramStep *step = &program->step[k];
    const double *v = program->value;
    double da, db;
    switch (step->op) {
    case AFXI_PROGRAM_MORE:
        return own[step->slot] + (v[step->b] * own[step->a] + v[step->a] * own[step->b]);
    case AFXI_PROGRAM_LESS:
        return own[step->slot] - (v[step->b] * own[step->a] + v[step->a] * own[step->b]);
    case AFXI_TAPE_PRODUCT:
        return v[step->b] * own[step->a] + v[step->a] * own[step->b];
    case AFXI_PROGRAM_SUM:
        return own[step->a] + own[step->b];
    case AFXI_PROGRAM_DIFFERENCE:
        return own[step->a] - own[step->b];
    case AFXI_TAPE_LINEAR:
        return program->constant[step->slot] * own[step->a] + program->constant[step->slot + 1] * own[step->b];
    case AFXI_TAPE_ROTATION:
    case AFXI_TAPE_TURN:
        return 0;
    default:
        slopes(program, k, &da, &db);
        return da * own[step->a] + db * own[step->b];
    }
}

void afxi_program_forward(AfxiProgram *program, const double *x, double *y) {
    double *own = program->bar;
    own[0] = 0;
    for (uint32_t k = 0; k < program->count; k++) {
        const AfxiProgramStep *step = &program->step[k];
        own[k + 1] = step->op == AFXI_TAPE_LEAF ? x[step->slot] : forward_step(program, k, own);
    }
    for (uint32_t k = 0; k < program->result_count; k++) {
        y[program->result[k].row] = program->result[k].value ? own[program->result[k].value] : 0;
    }
}
