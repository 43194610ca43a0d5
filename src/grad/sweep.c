/* SPDX-License-Identifier: Apache-2.0 */
/* Entries forwards and backwards. */
#include "grad/sweep.h"

#include <string.h>

static size_t equation_count(const AfxiGradLayout *layout) {
    return (size_t)AFXI_AFFINE_WIDTH * layout->bodies + layout->rows;
}

static void take(AfxiGradWork *work, AfxiArena *arena) {
    size_t equations = equation_count(&work->layout);
    work->slot = afxi_arena_take(arena, work->layout.count, sizeof(double));
    work->place = afxi_arena_take(arena, work->past.at.count, sizeof(double));
    work->past.value = afxi_arena_take(arena, work->past.at.count, sizeof(double));
    work->equation = afxi_arena_take(arena, equations, sizeof(double));
    work->more = afxi_arena_take(arena, equations, sizeof(double));
    work->solution = afxi_arena_take(arena, equations, sizeof(double));
    work->equations.value = afxi_arena_take(arena, equations, sizeof(double));
    work->equations.input = afxi_arena_take(arena, work->layout.all, sizeof(double));
    work->equations.present = afxi_arena_take(arena, work->layout.rows, 1);
    work->old = afxi_arena_take(arena, AFXI_GRAD_PARTS * (size_t)work->past.at.wide, sizeof(double));
}

AfxStatus afxi_grad_work_create(const AfxAllocator *allocator, const AfxModel *model, bool frames, AfxiGradWork *out) {
    AfxiArena arena = {0};
    *out = (AfxiGradWork){.allocator = allocator, .model = model, .tape = {.allocator = allocator}};
    afxi_grad_layout(model, frames, &out->layout);
    afxi_grad_space(model, frames, &out->past.at);
    out->past.model = model;
    out->past.tape = out->equations.local.tape = &out->tape;
    out->equations.local.model = model;
    out->equations.local.layout = &out->layout;
    out->past.allocator = allocator;
    out->past.terms.allocator = out->past.end.allocator = allocator;
    out->equations.allocator = out->equations.outcome.allocator = out->equations.memory.allocator = allocator;
    out->linear.allocator = allocator;
    out->linear.model = model;
    out->linear.layout = &out->layout;
    take(out, &arena);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used + 1, &out->raw, &out->raw_size);
    arena.used = 0;
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    take(out, &arena);
    AfxStatus status = afxi_grad_equations_create(&out->equations);
    status = status == AFX_OK ? afxi_grad_past_create(&out->past) : status;
    return status == AFX_OK ? afxi_grad_system_create(&out->linear) : status;
}

void afxi_grad_work_release(AfxiGradWork *work) {
    if (!work->allocator) {
        return;
    }
    afxi_tape_release(&work->tape);
    afxi_grad_equations_release(&work->equations);
    afxi_grad_past_release(&work->past);
    afxi_grad_system_release(&work->linear);
    afxi_release(work->allocator, work->raw, work->raw_size);
    work->raw = NULL;
}

/* Accelerations and multipliers of a start come in linearly: one solve from what the entry has finds them. */
static void solve_start(AfxiGradWork *work, AfxiGradEntry *entry) {
    double *unknown = (double *)entry->at.q, *lambda = (double *)entry->at.lambda; /* of the entry itself */
    size_t count = equation_count(&work->layout), wide = (size_t)AFXI_AFFINE_WIDTH * work->layout.bodies;
    for (size_t k = 0; k < count; k++) {
        work->equation[k] = -work->equations.value[k];
    }
    afxi_grad_system_solve(&work->linear, false, work->equation, NULL, work->solution);
    for (size_t k = 0; k < count; k++) {
        if (k < wide && work->solution[k] != 0) {
            unknown[k] += work->solution[k];
        } else if (k >= wide) {
            lambda[k - wide] += work->solution[k];
        }
    }
}

/* From 0 every time: a second pass has the bits of the first. */
static void reset_start(AfxiGradWork *work, AfxiGradEntry *entry) {
    double *unknown = (double *)entry->at.q, *lambda = (double *)entry->at.lambda;
    for (uint32_t k = 0; k < AFXI_AFFINE_WIDTH * work->layout.bodies; k++) {
        unknown[k] = afxi_grad_solves(entry, k / AFXI_AFFINE_WIDTH) ? 0 : unknown[k];
    }
    for (uint32_t k = 0; k < work->layout.rows; k++) {
        lambda[k] = 0;
    }
}

AfxStatus afxi_grad_open(AfxiGradWork *work, AfxiGradEntry *entry) {
    if (entry->start) {
        reset_start(work, entry);
    }
    AfxStatus status = afxi_grad_equations(&work->equations, entry);
    status = status == AFX_OK ? afxi_grad_system_factor(&work->linear, &work->equations) : status;
    if (status == AFX_OK && entry->start) {
        solve_start(work, entry);
        status = afxi_grad_equations(&work->equations, entry);
    } else if (status == AFX_OK) {
        status = afxi_grad_past(&work->past, entry);
    }
    return status;
}

/* ---- backwards ---- */

/* slot -= z times the derivatives of all equations by inputs that are not unknowns */
static void reverse_equations(AfxiGradWork *work) {
    memset(work->slot, 0, work->layout.count * sizeof *work->slot);
    for (uint32_t e = 0; e < work->equations.element_count; e++) {
        const AfxiProgram *program = &work->equations.now[e].program;
        for (uint32_t k = program->unknown_count; k < program->term_count; k++) {
            const AfxiProgramTerm *term = &program->term[k];
            work->slot[term->slot] -= work->solution[term->row] * afxi_program_term(program, term);
        }
    }
}

/* Multipliers of rows that the entry solves for: what is asked of them goes into the solve. */
static void take_lambda(AfxiGradWork *work, const AfxiGradPass *pass, double *out) {
    for (uint32_t k = 0; k < work->layout.rows; k++) {
        out[k] = work->equations.present[k] ? pass->lambda[k] : 0;
        pass->lambda[k] = work->equations.present[k] ? 0 : pass->lambda[k];
    }
}

static void add(double *to, const double *from, size_t count) {
    for (size_t k = 0; k < count; k++) {
        to[k] += from[k];
    }
}

static void add_inputs(AfxiGradWork *work, const AfxiGradPass *pass) {
    const AfxiGradLayout *layout = &work->layout;
    size_t wide = (size_t)AFXI_AFFINE_WIDTH * layout->bodies;
    add(pass->param, work->slot + layout->param, afxi_grad_params(layout));
    add(pass->target, work->slot + layout->target, 2 * (size_t)layout->drives);
    add(pass->wrench, work->slot + layout->wrench, 6 * (size_t)layout->bodies);
    add(pass->rate, work->slot + layout->q, wide);
    add(pass->rate + wide, work->slot + layout->rate, wide);
}

/* What is asked of the unknowns by friction springs at the end. */
static void reverse_memory(AfxiGradWork *work, const AfxiGradEntry *entry) {
    const AfxiGradTerms *memory = &work->equations.memory;
    memset(work->more, 0, (size_t)AFXI_AFFINE_WIDTH * work->layout.bodies * sizeof *work->more);
    for (uint32_t k = 0; k < memory->count; k++) {
        const AfxiGradTerm *term = &memory->term[k];
        if (term->slot < work->layout.lambda) {
            work->more[term->slot] += term->value * entry->stretch[term->row];
        }
    }
}

/* What is asked of all else; and what is asked of springs at the beginning goes to the points that they come from. */
static void pass_memory(AfxiGradWork *work, const AfxiGradEntry *entry) {
    const AfxiGradTerms *memory = &work->equations.memory;
    for (uint32_t k = 0; k < memory->count; k++) {
        const AfxiGradTerm *term = &memory->term[k];
        if (term->slot >= work->layout.qhat) {
            work->slot[term->slot] += term->value * entry->stretch[term->row];
        }
    }
    for (uint32_t k = 0; k < entry->at.point_count; k++) {
        for (uint32_t c = 0; entry->source[k] && c < AFXI_GRAD_HELD; c++) {
            entry->source[k][c] += work->slot[work->layout.stretch + AFXI_GRAD_HELD * k + c];
        }
    }
}

/* What was asked of unknowns directly, by the stage that solves for them. */
static void take_more(AfxiGradWork *work, const AfxiGradEntry *entry, const AfxiGradPass *pass) {
    for (uint32_t k = 0; k < AFXI_AFFINE_WIDTH * work->layout.bodies; k++) {
        if (afxi_grad_solves(entry, k / AFXI_AFFINE_WIDTH)) {
            work->more[k] += pass->more[k];
            pass->more[k] = 0;
        }
    }
}

/* What a jump after the stage asked of its beginning. */
static void take_jump(AfxiGradWork *work, const AfxiGradEntry *entry, const AfxiGradPass *pass) {
    const AfxiGradSpace *at = &work->past.at;
    for (uint32_t k = 0; k < at->wide; k++) {
        for (uint32_t part = 0; part < 2 && afxi_grad_solves(entry, k / AFXI_AFFINE_WIDTH); part++) {
            double *own = &pass->began[part * (size_t)at->wide + k];
            work->place[at->part[part] + k] += *own;
            *own = 0;
        }
    }
    for (uint32_t k = 0; k < 6 * work->layout.bodies; k++) {
        if (afxi_grad_solves(entry, k / 6)) {
            work->place[at->expect + k] += pass->expect[k];
            pass->expect[k] = 0;
        }
    }
}

static void reverse_stage(AfxiGradWork *work, const AfxiGradEntry *entry, const AfxiGradPass *pass) {
    const AfxiGradSpace *at = &work->past.at;
    size_t wide = at->wide;
    memset(work->place, 0, at->count * sizeof *work->place);
    for (uint32_t k = 0; k < work->past.end.count; k++) {
        const AfxiGradTerm *term = &work->past.end.term[k];
        work->place[term->slot] += term->value * pass->state[term->row];
    }
    memcpy(work->equation, work->place + at->next, wide * sizeof(double));
    take_lambda(work, pass, work->equation + wide);
    reverse_memory(work, entry);
    take_more(work, entry, pass);
    afxi_grad_system_solve(&work->linear, true, work->equation, work->more, work->solution);
    reverse_equations(work);
    pass_memory(work, entry);
    add(work->place + at->qhat, work->slot + work->layout.qhat, wide);
    add(work->place + at->qv, work->slot + work->layout.qv, wide);
    add(work->place + at->expect, work->slot + work->layout.expect, work->layout.param - work->layout.expect);
    take_jump(work, entry, pass);
    afxi_grad_past_reverse(&work->past, work->place);
    memcpy(pass->state, work->place + at->part[0], AFXI_GRAD_PARTS * wide * sizeof(double));
    add(pass->param, work->place + at->param, afxi_grad_params(&work->layout));
    add_inputs(work, pass);
}

/* Back through what a start or a jump comes to, `bar` [bodies][12], and its equations: work->old gets what is asked of
 * q and v by the outcome itself. */
static void reverse_outcome(AfxiGradWork *work, const double *bar, const double *lambda) {
    const AfxiGradLayout *layout = &work->layout;
    size_t wide = (size_t)AFXI_AFFINE_WIDTH * layout->bodies;
    memset(work->equation, 0, equation_count(layout) * sizeof *work->equation);
    memset(work->old, 0, 2 * wide * sizeof *work->old);
    for (uint32_t k = 0; k < work->equations.outcome.count; k++) {
        const AfxiGradTerm *term = &work->equations.outcome.term[k];
        if (term->slot < layout->lambda) {
            work->equation[term->slot] += term->value * bar[term->row];
        } else if (term->slot >= layout->qhat && term->slot < layout->rate) {
            work->old[term->slot - layout->qhat] += term->value * bar[term->row]; /* q, then v */
        }
    }
    for (uint32_t k = 0; lambda && k < layout->rows; k++) {
        work->equation[wide + k] = lambda[k];
    }
    afxi_grad_system_solve(&work->linear, true, work->equation, NULL, work->solution);
    reverse_equations(work);
    add(work->slot + layout->qhat, work->old, 2 * wide);
}

/* x2, and x3 where both are accelerations, are made from q and v. */
static void reverse_start(AfxiGradWork *work, const AfxiGradEntry *entry, const AfxiGradPass *pass) {
    const AfxiGradLayout *layout = &work->layout;
    size_t wide = (size_t)AFXI_AFFINE_WIDTH * layout->bodies;
    double *x2 = pass->state + 2 * wide, *x3 = pass->state + 3 * wide;
    double *bar = work->place;
    memset(work->place, 0, work->past.at.count * sizeof *work->place);
    for (uint32_t k = 0; k < wide; k++) {
        bar[k] = x2[k] + (entry->both ? x3[k] : 0);
    }
    take_lambda(work, pass, work->more);
    reverse_outcome(work, bar, work->more);
    for (uint32_t k = 0; k < wide; k++) {
        if (afxi_grad_solves(entry, k / AFXI_AFFINE_WIDTH)) {
            x2[k] = 0;
            x3[k] = entry->both ? 0 : x3[k];
        }
    }
    add(pass->state, work->slot + layout->qhat, wide);
    add(pass->state + wide, work->slot + layout->qv, wide);
    add_inputs(work, pass);
}

/* Numbers of bodies that a jump solves for are taken from `from`, which is 0 then. */
static void take_solved(const AfxiGradEntry *entry, uint32_t bodies, double *from, double *to) {
    for (uint32_t k = 0; k < AFXI_AFFINE_WIDTH * bodies; k++) {
        bool solved = afxi_grad_solves(entry, k / AFXI_AFFINE_WIDTH);
        to[k] = solved ? from[k] : 0;
        from[k] = solved ? 0 : from[k];
    }
}

/* Of velocities after a jump, or of those before it that fit the joints: both are made from q, and from where the stage
 * began or where it ended. */
static void reverse_jump(AfxiGradWork *work, const AfxiGradEntry *entry, const AfxiGradPass *pass) {
    const AfxiGradLayout *layout = &work->layout;
    size_t wide = (size_t)AFXI_AFFINE_WIDTH * layout->bodies;
    bool fit = entry->jump == AFXI_GRAD_FIT;
    double *rate = work->slot + layout->rate;
    take_solved(entry, layout->bodies, fit ? pass->fitted : pass->state + wide, work->more);
    reverse_outcome(work, work->more, NULL);
    take_solved(entry, layout->bodies, rate, work->more);
    add(fit ? pass->began : pass->fitted, work->more, wide);
    add(pass->state, work->slot + layout->qhat, wide);
    add(fit ? pass->began + wide : pass->state + wide, work->slot + layout->qv, wide);
    add(pass->expect, work->slot + layout->expect, layout->param - layout->expect);
    add_inputs(work, pass);
}

void afxi_grad_reverse(AfxiGradWork *work, const AfxiGradEntry *entry, const AfxiGradPass *pass) {
    if (entry->jump) {
        reverse_jump(work, entry, pass);
    } else if (entry->start) {
        reverse_start(work, entry, pass);
    } else {
        reverse_stage(work, entry, pass);
    }
}

/* ---- forwards ---- */

static void gather_inputs(AfxiGradWork *work, const AfxiGradPass *pass) {
    const AfxiGradLayout *layout = &work->layout;
    size_t wide = (size_t)AFXI_AFFINE_WIDTH * layout->bodies;
    memset(work->slot, 0, layout->count * sizeof *work->slot);
    memcpy(work->slot + layout->q, pass->rate, wide * sizeof(double));
    memcpy(work->slot + layout->rate, pass->rate + wide, wide * sizeof(double));
    memcpy(work->slot + layout->target, pass->target, 2 * (size_t)layout->drives * sizeof(double));
    memcpy(work->slot + layout->wrench, pass->wrench, 6 * (size_t)layout->bodies * sizeof(double));
    memcpy(work->slot + layout->param, pass->param, afxi_grad_params(layout) * sizeof(double));
}

/* Solves for the unknowns with what the inputs in `slot` change of the equations; they go into `slot` as well. */
static void forward_equations(AfxiGradWork *work, const AfxiGradEntry *entry, const AfxiGradPass *pass) {
    const AfxiGradLayout *layout = &work->layout;
    size_t wide = (size_t)AFXI_AFFINE_WIDTH * layout->bodies;
    memset(work->equation, 0, equation_count(layout) * sizeof *work->equation);
    for (uint32_t e = 0; e < work->equations.element_count; e++) {
        const AfxiProgram *program = &work->equations.now[e].program;
        for (uint32_t k = program->unknown_count; k < program->term_count; k++) {
            const AfxiProgramTerm *term = &program->term[k];
            work->equation[term->row] -= afxi_program_term(program, term) * work->slot[term->slot];
        }
    }
    afxi_grad_system_solve(&work->linear, false, work->equation, NULL, work->solution);
    for (uint32_t k = 0; k < wide; k++) {
        if (afxi_grad_solves(entry, k / AFXI_AFFINE_WIDTH)) {
            work->slot[layout->q + k] = work->solution[k];
        }
    }
    for (uint32_t k = 0; k < layout->rows; k++) {
        if (work->equations.present[k]) {
            pass->lambda[k] = work->slot[layout->lambda + k] = work->solution[wide + k];
        }
    }
}

/* How friction springs at the end change. */
static void forward_memory(AfxiGradWork *work, const AfxiGradEntry *entry) {
    const AfxiGradTerms *memory = &work->equations.memory;
    for (uint32_t k = 0; k < AFXI_GRAD_HELD * entry->at.point_count; k++) {
        entry->stretch[k] = 0;
    }
    for (uint32_t k = 0; k < memory->count; k++) {
        const AfxiGradTerm *term = &memory->term[k];
        double by = term->slot < work->layout.lambda
                        ? work->linear.solution[afxi_grad_unknown(&work->linear, work->linear.now, term->slot)]
                        : work->slot[term->slot];
        entry->stretch[term->row] += term->value * by;
    }
}

static void forward_stage(AfxiGradWork *work, const AfxiGradEntry *entry, const AfxiGradPass *pass) {
    const AfxiGradSpace *at = &work->past.at;
    size_t wide = at->wide;
    memset(work->place, 0, at->count * sizeof *work->place);
    memcpy(work->place + at->part[0], pass->state, AFXI_GRAD_PARTS * wide * sizeof(double));
    memcpy(work->place + at->param, pass->param, afxi_grad_params(&work->layout) * sizeof(double));
    memcpy(pass->began, pass->state, 2 * wide * sizeof(double));
    afxi_grad_past_forward(&work->past, work->place);
    memcpy(pass->expect, work->place + at->expect, (work->layout.param - work->layout.expect) * sizeof(double));
    gather_inputs(work, pass);
    memcpy(work->slot + work->layout.qhat, work->place + at->qhat, wide * sizeof(double));
    memcpy(work->slot + work->layout.qv, work->place + at->qv, wide * sizeof(double));
    memcpy(work->slot + work->layout.expect, work->place + at->expect,
           (work->layout.param - work->layout.expect) * sizeof(double));
    for (uint32_t k = 0; k < entry->at.point_count; k++) {
        for (uint32_t c = 0; entry->source[k] && c < AFXI_GRAD_HELD; c++) {
            work->slot[work->layout.stretch + AFXI_GRAD_HELD * k + c] = entry->source[k][c];
        }
    }
    forward_equations(work, entry, pass);
    forward_memory(work, entry);
    for (uint32_t k = 0; k < wide; k++) {
        work->place[at->next + k] = afxi_grad_solves(entry, k / AFXI_AFFINE_WIDTH) ? work->slot[k] : 0;
    }
    memset(pass->state, 0, AFXI_GRAD_PARTS * wide * sizeof(double));
    for (uint32_t k = 0; k < work->past.end.count; k++) {
        const AfxiGradTerm *term = &work->past.end.term[k];
        pass->state[term->row] += term->value * work->place[term->slot];
    }
}

/* work->old [bodies][12] <- how what a start or a jump comes to changes. */
static void forward_outcome(AfxiGradWork *work, const AfxiGradEntry *entry, const AfxiGradPass *pass) {
    size_t wide = (size_t)AFXI_AFFINE_WIDTH * work->layout.bodies;
    forward_equations(work, entry, pass);
    memset(work->old, 0, wide * sizeof *work->old);
    for (uint32_t k = 0; k < work->equations.outcome.count; k++) {
        const AfxiGradTerm *term = &work->equations.outcome.term[k];
        work->old[term->row] += term->value * work->slot[term->slot];
    }
}

static void forward_start(AfxiGradWork *work, const AfxiGradEntry *entry, const AfxiGradPass *pass) {
    const AfxiGradLayout *layout = &work->layout;
    size_t wide = (size_t)AFXI_AFFINE_WIDTH * layout->bodies;
    double *x2 = pass->state + 2 * wide, *x3 = pass->state + 3 * wide;
    gather_inputs(work, pass);
    memcpy(work->slot + layout->qhat, pass->state, 2 * wide * sizeof(double));
    forward_outcome(work, entry, pass);
    for (uint32_t k = 0; k < wide; k++) {
        if (afxi_grad_solves(entry, k / AFXI_AFFINE_WIDTH)) {
            x2[k] = work->old[k];
            x3[k] = entry->both ? work->old[k] : x3[k];
        }
    }
}

static void forward_jump(AfxiGradWork *work, const AfxiGradEntry *entry, const AfxiGradPass *pass) {
    const AfxiGradLayout *layout = &work->layout;
    size_t wide = (size_t)AFXI_AFFINE_WIDTH * layout->bodies;
    bool fit = entry->jump == AFXI_GRAD_FIT;
    AfxiGradPass own = *pass;
    own.lambda = work->more; /* reactions are those of the stage */
    gather_inputs(work, pass);
    memcpy(work->slot + layout->qhat, pass->state, wide * sizeof(double));
    memcpy(work->slot + layout->qv, fit ? pass->began + wide : pass->state + wide, wide * sizeof(double));
    memcpy(work->slot + layout->expect, pass->expect, (layout->param - layout->expect) * sizeof(double));
    for (uint32_t k = 0; k < wide; k++) {
        if (afxi_grad_solves(entry, k / AFXI_AFFINE_WIDTH)) {
            work->slot[layout->rate + k] = (fit ? pass->began : pass->fitted)[k];
        }
    }
    forward_outcome(work, entry, &own);
    for (uint32_t k = 0; k < wide; k++) {
        if (afxi_grad_solves(entry, k / AFXI_AFFINE_WIDTH)) {
            (fit ? pass->fitted : pass->state + wide)[k] = work->old[k];
        }
    }
}

void afxi_grad_forward(AfxiGradWork *work, const AfxiGradEntry *entry, const AfxiGradPass *pass) {
    if (entry->jump) {
        forward_jump(work, entry, pass);
    } else if (entry->start) {
        forward_start(work, entry, pass);
    } else {
        forward_stage(work, entry, pass);
    }
}
