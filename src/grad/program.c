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
        if (step->entry == 0) { /* always there, and first */
            find_turn(&program->turn[step->slot], v);
        }
        return program->turn[step->slot].r.m[step->entry];
    case AFXI_TAPE_TURN:
        return program->turn[step->slot].d[step->entry / 9][step->entry % 9];
    default:
        return v[step->a];
    }
}

bool afxi_program_evaluate(AfxiProgram *program, const double *x) {
    double *v = program->value + 1, *from = program->value;
    for (uint32_t k = 0; k < program->count; k++) {
        const AfxiProgramStep *step = &program->step[k];
        if (step->op == AFXI_TAPE_LINEAR) {
            v[k] = step->da * from[step->a] + step->db * from[step->b] + step->c;
        } else if (step->op == AFXI_TAPE_PRODUCT) {
            v[k] = from[step->a] * from[step->b];
        } else if (step->op == AFXI_TAPE_LEAF || step->op == AFXI_TAPE_SPUN) {
            v[k] = x[step->slot];
        } else {
            v[k] = evaluate_rare(program, step, x);
        }
    }
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
    switch ((AfxiTapeOp)step->op) {
    case AFXI_TAPE_LINEAR:
        *da = step->da;
        *db = step->db;
        break;
    case AFXI_TAPE_PRODUCT:
        *da = b;
        *db = a;
        break;
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
    case AFXI_TAPE_LEAF:
    case AFXI_TAPE_STILL:
    case AFXI_TAPE_FUNCTION:
    case AFXI_TAPE_ROTATION:
    case AFXI_TAPE_TURN:
    case AFXI_TAPE_SPUN:
        break;
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
        double by = own[k + 1], da, db;
        if (by == 0) {
            continue;
        }
        if (step->op == AFXI_TAPE_LEAF) {
            x[step->slot] += by;
            continue;
        }
        slopes(program, k, &da, &db);
        own[step->a] += by * da;
        own[step->b] += by * db;
    }
}

void afxi_program_forward(AfxiProgram *program, const double *x, double *y) {
    double *own = program->bar;
    own[0] = 0;
    for (uint32_t k = 0; k < program->count; k++) {
        const AfxiProgramStep *step = &program->step[k];
        double da, db;
        if (step->op == AFXI_TAPE_LEAF) {
            own[k + 1] = x[step->slot];
            continue;
        }
        slopes(program, k, &da, &db);
        own[k + 1] = da * own[step->a] + db * own[step->b];
    }
    for (uint32_t k = 0; k < program->result_count; k++) {
        y[program->result[k].row] = program->result[k].value ? own[program->result[k].value] : 0;
    }
}
