/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping the energy book. Bodies may go through a step in parts, and a try to do so may fail: what was booked of it is
 * dropped. */
#include "step/book.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/vec3.h"
#include "state/input.h"
#include "step/tuning.h"

static void add(AfxEnergyBook *to, const AfxEnergyBook *from) {
#define ADD(name, text) to->name += from->name;
    AFX_ENERGY_WORK_TABLE(ADD)
#undef ADD
}

static size_t multipliers(const AfxModel *model) {
    return model->row_count + 3 * (size_t)model->chains.slot_count;
}

static void take(AfxiBook *book, const AfxModel *model, AfxiArena *arena) {
    size_t numbers = AFXI_AFFINE_WIDTH * (size_t)model->body_count;
    book->q = afxi_arena_take(arena, numbers, sizeof(double));
    book->v = afxi_arena_take(arena, numbers, sizeof(double));
    book->lambda = afxi_arena_take(arena, multipliers(model), sizeof(double));
    size_t forces = model->wrench_signal_count ? model->dynamic_count : 0;
    book->forces = forces ? afxi_arena_take(arena, forces, sizeof *book->forces) : NULL;
}

/* What is stored, into the book; the sum comes back. */
static double store(const AfxSim *sim, AfxEnergyBook *out) {
    AfxEnergy energy;
    afx_sim_energy(sim, &energy);
    out->kinetic = energy.kinetic;
    out->potential = energy.potential;
    out->elastic = energy.elastic;
    out->springs = afxi_book_springs(sim, sim->world.state.q);
    return energy.total + out->springs;
}

AfxStatus afx_sim_set_energy_book(AfxSim *sim, bool on) {
    if (!sim || (on && !sim_can(sim, AFXI_FORMULATION_VERIFIED))) {
        return AFX_E_ARGUMENT;
    }
    if (!on || sim->book) {
        if (!on) {
            afxi_book_destroy(sim);
        }
        return AFX_OK;
    }
    const AfxAllocator *allocator = &sim->def.allocator;
    AfxiBook *book = afxi_allocate(allocator, sizeof *book);
    AfxiArena arena = {0};
    if (!book) {
        return AFX_E_MEMORY;
    }
    memset(book, 0, sizeof *book);
    take(book, sim->model, &arena);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used, &book->raw, &book->raw_size);
    if (!arena.base) {
        afxi_release(allocator, book, sizeof *book);
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    take(book, sim->model, &arena);
    sim->book = book;
    store(sim, &book->step);
    book->swing = book->step.kinetic + book->step.elastic + book->step.springs;
    book->total = book->step;
    return AFX_OK;
}

void afxi_book_destroy(AfxSim *sim) {
    if (sim->book) {
        afxi_release(&sim->def.allocator, sim->book->raw, sim->book->raw_size);
        afxi_release(&sim->def.allocator, sim->book, sizeof *sim->book);
        sim->book = NULL;
    }
}

AfxStatus afx_sim_energy_book(const AfxSim *sim, AfxEnergyBook *out_step, AfxEnergyBook *out_total) {
    if (!sim || !sim->book) {
        return AFX_E_ARGUMENT;
    }
    if (out_step) {
        *out_step = sim->book->step;
    }
    if (out_total) {
        *out_total = sim->book->total;
    }
    return AFX_OK;
}

void afxi_book_open(AfxSim *sim) {
    AfxiBook *book = sim->book;
    memset(&book->step, 0, sizeof book->step);
    memset(&book->part, 0, sizeof book->part);
    book->stored = store(sim, &book->step);
}

void afxi_book_begin(AfxSim *sim, double begin) {
    AfxiBook *book = sim->book;
    const AfxiState *state = &sim->world.state;
    size_t bytes = AFXI_AFFINE_WIDTH * sizeof(double) * sim->model->body_count;
    if (begin == 0) { /* of the step, or of a try to do late bodies in parts of it */
        memset(&book->part, 0, sizeof book->part);
    }
    memcpy(book->q, state->q, bytes);
    memcpy(book->v, state->v, bytes);
    memcpy(book->lambda, state->lambda, multipliers(sim->model) * sizeof(double));
    if (book->forces) {
        afxi_input_forces_at(&sim->world, begin);
        memcpy(book->forces, sim->world.forces, sim->world.force_count * sizeof *book->forces);
    }
    book->share = 0;
    book->fits = begin > 0 || (state->head->steps > 0 && !state->head->uneven);
}

void afxi_book_stage(AfxSim *sim, double length, double share) {
    AfxiBook *book = sim->book;
    const AfxiState *state = &sim->world.state;
    if (!state->head->uneven) { /* else bodies at reduced order do all of it in the last stage */
        afxi_book_touch(sim, length * state->head->dt, share, &book->part);
        memcpy(book->lambda, state->lambda, multipliers(sim->model) * sizeof(double));
        book->share = share;
    }
}

void afxi_book_end(AfxSim *sim, double length, const AfxiPlans *plans) {
    AfxiBook *book = sim->book;
    const AfxiScale *scale = &plans->own.even.weights.scale, *turning = &plans->turning.even.weights.scale;
    const AfxiStateHead *head = sim->world.state.head;
    double h = length * head->dt;
    bool both = head->integrator == AFX_ALPHA && head->uneven; /* else nothing turns too far */
    book->sudden = book->share > 0 ? 1 : scale->h_squared / (scale->h_rate * h);
    book->sudden_turning = both ? turning->h_squared / (turning->h_rate * h) : 1;
    afxi_book_work(sim, h, &book->part);
    afxi_book_touch(sim, h, 1 - book->share, &book->part);
}

double afxi_book_kinetic(const AfxSim *sim) {
    AfxEnergy energy = {0, 0, 0, 0};
    if (sim->book) {
        afx_sim_energy(sim, &energy);
    }
    return energy.kinetic;
}

void afxi_book_jump(AfxSim *sim, double before) {
    if (sim->book) {
        sim->book->part.impacts += afxi_book_kinetic(sim) - before;
    }
}

void afxi_book_commit(AfxSim *sim) {
    if (sim->book) {
        add(&sim->book->step, &sim->book->part);
        memset(&sim->book->part, 0, sizeof sim->book->part);
    }
}

/* J: what is rounding and tolerance where next to nothing moves. */
static double least_energy(const AfxSim *sim) {
    double weight = 0, gravity = vec3_length(vec3_load(afxi_world_param(&sim->world, AFX_PARAM_GRAVITY, 0)));
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        weight += gravity * afxi_world_class(&sim->world, sim->model->dynamic[k])->mass;
    }
    return AFXI_MADE_LEAST * weight * sim->model->size;
}

/* Whether the integrator has made energy by this step; what it made a while ago and has dissipated since is none. */
static bool watch(AfxSim *sim) {
    AfxiBook *book = sim->book;
    const AfxEnergyBook *step = &book->step;
    double work = -fabs(step->integrator);
#define ADD_SIZE(name, text) work += fabs(step->name);
    AFX_ENERGY_WORK_TABLE(ADD_SIZE)
#undef ADD_SIZE
    book->worked += work;
    book->swing = fmax(book->swing, step->kinetic + step->elastic + step->springs);
    book->made = fmax(0, book->made + step->integrator);
    return step->integrator > 0 && book->made > AFXI_MADE_MOST * (book->swing + book->worked) + least_energy(sim);
}

bool afxi_book_close(AfxSim *sim, bool fine) {
    AfxiBook *book = sim->book;
    if (!fine) {
        AfxEnergyBook empty = {.change = 0};
        store(sim, &empty);
        book->step = empty;
        return false;
    }
    afxi_book_commit(sim);
    double known = 0;
#define SUM(name, text) known += book->step.name;
    AFX_ENERGY_WORK_TABLE(SUM)
#undef SUM
    book->step.change = store(sim, &book->step) - book->stored;
    book->step.integrator = book->step.change - known;
    AfxEnergyBook total = book->total;
    add(&total, &book->step);
    total.change += book->step.change;
    total.kinetic = book->step.kinetic;
    total.potential = book->step.potential;
    total.elastic = book->step.elastic;
    total.springs = book->step.springs;
    book->total = total;
    return watch(sim);
}
