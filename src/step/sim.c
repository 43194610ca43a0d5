/* SPDX-License-Identifier: Apache-2.0 */
/* Making and freeing a sim: one block for state and workspace. */
#include "step/sim.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/task.h"
#include "step/contacts.h"
#include "step/holds.h"
#include "step/rows.h"

#define STATE_MAGIC UINT64_C(0x32656d7473786661) /* layout version of the state block */
#define THREADS_MOST 1024u
#define DT_LEAST 1e-12
#define DT_MOST 1e6

AfxSimDef afx_default_sim(void) {
    return (AfxSimDef){
        .cookie = AFXI_COOKIE,
        .allocator = afx_default_allocator(),
        .dt = 0.01,
        .integrator = AFX_BDF2,
        .rho = 0.8,
    };
}

static void layout(AfxSim *sim, AfxiArena *arena) {
    const AfxModel *model = sim->model;
    size_t n = model->body_count, numbers = 12 * n;
    bool alpha = sim->def.integrator == AFX_ALPHA;
    sim->state = afxi_arena_take(arena, 1, sizeof *sim->state);
    sim->q = afxi_arena_take(arena, numbers, sizeof *sim->q);
    sim->v = afxi_arena_take(arena, numbers, sizeof *sim->v);
    sim->home_x2 = sim->x2 = afxi_arena_take(arena, numbers, sizeof *sim->x2);
    sim->home_x3 = sim->x3 = afxi_arena_take(arena, numbers, sizeof *sim->x3);
    sim->targets = afxi_arena_take(arena, model->kinematic_count, sizeof *sim->targets);
    sim->lambda =
        afxi_arena_take(arena, model->graph.row_count + 3 * (size_t)model->chains.slot_count + 1, sizeof *sim->lambda);
    sim->home_lambda = sim->lambda;
    sim->angle = afxi_arena_take(arena, model->angle_count, sizeof *sim->angle);
    sim->joint_active = afxi_arena_take(arena, model->joint_count, sizeof *sim->joint_active);
    sim->drive_branch = afxi_arena_take(arena, model->drive_count, sizeof *sim->drive_branch);
    sim->curved =
        afxi_arena_take(arena, (size_t)model->graph.body_count + model->chains.link_count, sizeof *sim->curved);
    sim->regularise = afxi_arena_take(arena, 1, sizeof *sim->regularise);
    sim->drive_travel = afxi_arena_take(arena, model->drive_count, sizeof *sim->drive_travel);
    sim->drive_input = afxi_arena_take(arena, 4 * (size_t)model->drive_count, sizeof *sim->drive_input);
    afxi_system_take_state(&sim->jointed.system, arena, &model->graph);
    sim->state_size = arena->used;
    sim->previous_q = alpha ? afxi_arena_take(arena, numbers, sizeof *sim->q) : sim->x2;
    sim->previous_v = alpha ? afxi_arena_take(arena, numbers, sizeof *sim->v) : sim->x3;
    sim->plain = afxi_arena_take(arena, model->dynamic_count, sizeof *sim->plain);
    sim->forced = afxi_arena_take(arena, model->dynamic_count, sizeof *sim->forced);
    sim->force_slot = afxi_arena_take(arena, model->body_count, sizeof *sim->force_slot);
    afxi_jointed_take(sim, arena);
    afxi_chains_take(sim, arena);
    sim->outcomes = afxi_arena_take(arena, afxi_part_count(model->dynamic_count, AFXI_GRAIN), sizeof *sim->outcomes);
    sim->constants =
        afxi_arena_take(arena, (size_t)model->classes.intern.count * AFXI_FREE_SIZE, sizeof *sim->constants);
}

/* What every step writes before it reads it. */
static void layout_saved(AfxSim *sim, AfxiArena *arena) {
    const AfxModel *model = sim->model;
    size_t saved = model->graph.body_count || model->chains.chain_count ? 12 * (size_t)model->body_count : 0;
    sim->saved_q = afxi_arena_take(arena, saved, sizeof *sim->q);
    sim->saved_v = afxi_arena_take(arena, saved, sizeof *sim->v);
}

/* What is wrong with a definition, or NULL; *out_cure says what would be right. */
static const char *fault(const AfxSimDef *def, const char **out_cure) {
    *out_cure = "start from afx_default_sim";
    if (!def->allocator.reallocate) {
        return "the allocator has no function";
    }
    if ((int)def->integrator < 0 || def->integrator > AFX_SDIRK2 || (int)def->accuracy < 0 ||
        def->accuracy > AFX_ACCURATE) {
        return "the integrator or accuracy is none that there is";
    }
    if ((int)def->formulation < 0 || def->formulation >= AFX_FORMULATION_COUNT) {
        return "the formulation is none that there is";
    }
    *out_cure = "take a time step between 1e-12 and 1e6 s";
    if (!isfinite(def->dt) || def->dt < DT_LEAST || def->dt > DT_MOST) {
        return "the time step is not in range";
    }
    *out_cure = "take a spectral radius between 0 and 1";
    if (!(def->rho >= 0 && def->rho <= 1)) {
        return "rho is not in range";
    }
    *out_cure = "take at most 1024 threads, and 1, 2, 4 or 8 lanes (0 for the widest)";
    if (def->threads > THREADS_MOST) {
        return "too many threads";
    }
    return afxi_free_variant(def->lanes).kernel ? NULL : "this machine has no such lane count";
}

/* The history of links is not touched before their first step writes it: it is memory, and time to get it. */
static bool blank_history(const AfxSim *sim) {
    return sim->model->chains.link_count && sim->def.integrator != AFX_ALPHA && !sim->state->has_history;
}

static void set_start(AfxSim *sim) {
    const AfxModel *model = sim->model;
    for (uint32_t k = 0; k < model->body_count; k++) {
        AfxTwist twist = {{0, 0, 0}, {0, 0, 0}};
        if (model->start_twist && model->kind[k] != AFX_BODY_FIXED) {
            twist = model->start_twist[k];
        }
        size_t at = (size_t)12 * k;
        afxi_raw_from_pose(afxi_model_frame(model, k), model->start_pose[k], twist, sim->q + at, sim->v + at);
    }
    for (uint32_t k = 0; k < model->joint_count; k++) {
        sim->joint_active[k] = model->joints[k].active;
        sim->joints_off += !model->joints[k].active;
    }
    afxi_turns_begin(sim);
    afxi_input_kinematic(sim, 0, true);
    afxi_angles_follow(sim);
    for (uint32_t k = 0; k < model->drive_count; k++) { /* velocity drives go on from where the joint is */
        const AfxiDrive *drive = &model->drives[k];
        double *angle = &sim->angle[model->joints[drive->joint].angle + drive->axis], wanted = 0;
        bool aims = drive->kind == AFX_DRIVE_POSITION || drive->kind == AFX_DRIVE_SERVO;
        bool turns = afxi_joint_kind((AfxJointKind)model->joints[drive->joint].kind)->axes[drive->axis].type ==
                     AFXI_AXIS_ROTATION;
        if (aims && turns && !drive->from_input) { /* of all whole turns, the one its drive starts from */
            afx_signal_evaluate(&drive->target, 0, &wanted, NULL, NULL);
            *angle = afxi_angle_near(*angle, wanted);
        }
        sim->drive_travel[k] = *angle;
        sim->drive_input[4 * (size_t)k] = sim->drive_input[4 * (size_t)k + 2] = aims ? *angle : 0;
    }
    for (uint32_t k = 0; k < model->body_count; k++) {
        size_t at = (size_t)12 * k;
        if (!blank_history(sim) || !model->in_chain[k]) {
            memcpy(sim->previous_q + at, sim->q + at, 12 * sizeof *sim->q);
            memcpy(sim->previous_v + at, sim->v + at, 12 * sizeof *sim->v);
        }
    }
}

/* A start that violates its joints by more than rounding is put together first. */
static void repair_start(AfxSim *sim) {
    double position, rate;
    if (sim->model->graph.body_count == 0 && sim->model->chains.chain_count == 0) {
        return;
    }
    afxi_start_violation(sim, &position, &rate);
    if (position > 1e-9 * sim->model->size || rate > 1e-9 * sim->model->size) {
        afx_sim_assemble(sim, NULL);
        sim->assembled = true;
    }
}

static bool is_finite(const AfxSim *sim) {
    size_t count = (size_t)12 * sim->model->body_count;
    bool finite = true;
    for (size_t k = 0; k < count; k++) {
        finite = finite && isfinite(sim->q[k]) && isfinite(sim->v[k]);
    }
    return finite;
}

/* The first `zeroed` bytes of the block, but for a blank history. */
static void clear(AfxSim *sim, unsigned char *base, size_t zeroed) {
    size_t row = (size_t)12 * sim->model->body_count;
    memset(sim->state, 0, sizeof *sim->state);
    if (!blank_history(sim)) {
        memset(base, 0, zeroed);
        return;
    }
    unsigned char *part[3] = {base, (unsigned char *)(sim->x2 + row), (unsigned char *)(sim->x3 + row)};
    unsigned char *end[3] = {(unsigned char *)sim->x2, (unsigned char *)sim->x3, base + zeroed};
    for (int k = 0; k < 3; k++) {
        memset(part[k], 0, (size_t)(end[k] - part[k]));
    }
}

static AfxStatus sim_fill(AfxSim *sim) {
    AfxiArena arena = {0};
    layout(sim, &arena);
    size_t zeroed = arena.used;
    layout_saved(sim, &arena);
    if (arena.overflow) {
        return AFX_E_LIMIT;
    }
    arena.base = afxi_allocate_partly(&sim->def.allocator, arena.used, 0, &sim->raw, &sim->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    layout(sim, &arena);
    layout_saved(sim, &arena);
    clear(sim, arena.base, zeroed);
    *sim->state = (AfxiStateHead){
        .magic = STATE_MAGIC,
        .model_hash = sim->model->hash,
        .integrator = (uint32_t)sim->def.integrator,
        .rho = sim->def.rho,
        .dt = sim->def.dt,
    };
    sim->params = sim->model->params;
    sim->classes = &sim->model->classes;
    set_start(sim);
    AfxStatus status = afxi_input_lists(sim, false);
    if (status == AFX_OK) {
        afxi_input_forces(sim);
        repair_start(sim);
        status = is_finite(sim) ? AFX_OK : AFX_E_INPUT; /* numbers near the largest there are */
    }
    return status;
}

uint64_t afx_sim_bytes(const AfxModel *model, const AfxSimDef *def) {
    const char *cure;
    if (!model || !def || def->cookie != AFXI_COOKIE || fault(def, &cure)) {
        return 0;
    }
    AfxSim sim = {.model = model, .def = *def};
    AfxiArena arena = {0};
    layout(&sim, &arena);
    layout_saved(&sim, &arena);
    size_t forced = model->wrench_count < model->dynamic_count ? model->wrench_count : model->dynamic_count;
    return arena.overflow ? UINT64_MAX : sizeof sim + AFXI_ALIGNMENT + arena.used + forced * sizeof *sim.forces;
}

AfxStatus afx_sim_create(const AfxModel *model, const AfxSimDef *def, AfxSim **out_sim) {
    if (out_sim) {
        *out_sim = NULL;
    }
    if (!model || !def || !out_sim) {
        return AFX_E_ARGUMENT;
    }
    if (def->cookie != AFXI_COOKIE) {
        return AFX_E_VERSION;
    }
    const char *cure, *text = fault(def, &cure);
    if (text) {
        return afxi_error(def->error, AFX_E_ARGUMENT, "sim", text, cure);
    }
    AfxSim *sim = afxi_allocate(&def->allocator, sizeof *sim);
    if (!sim) {
        return afxi_error(def->error, AFX_E_MEMORY, "sim", "out of memory", "use fewer bodies or free some memory");
    }
    sim->model = model;
    sim->def = *def;
    sim->variant = afxi_free_variant(def->lanes);
    AfxStatus status = afxi_published_create(model, def, &sim->published);
    if (status != AFX_OK) { /* it has said why */
        afx_sim_destroy(sim);
        return status;
    }
    status = sim_fill(sim);
    status = status ? status : afxi_contact_work_create(sim, &sim->contacts);
    if (status != AFX_OK) {
        bool large = status == AFX_E_INPUT;
        afx_sim_destroy(sim);
        return afxi_error(def->error, status, "sim",
                          large ? "a body's place or velocity is too large to begin with" : afx_status_text(status),
                          large ? "check the numbers and their units" : "use fewer bodies or free some memory");
    }
    *out_sim = sim;
    return AFX_OK;
}

void afx_sim_destroy(AfxSim *sim) {
    if (!sim) {
        return;
    }
    AfxAllocator allocator = sim->def.allocator;
    afxi_contact_work_destroy(sim->contacts);
    afxi_holds_destroy(sim);
    afxi_graded_destroy(sim);
    afxi_published_destroy(sim->published);
    afxi_release(&allocator, sim->forces, sim->force_bytes);
    afxi_release(&allocator, sim->body_wrenches, sim->body_wrench_bytes);
    afxi_release(&allocator, sim->own.raw, sim->own.raw_size);
    afxi_release(&allocator, sim->raw, sim->raw_size);
    afxi_release(&allocator, sim, sizeof *sim);
}

const AfxModel *afx_sim_model(const AfxSim *sim) {
    return sim ? sim->model : NULL;
}

double afx_sim_time(const AfxSim *sim) {
    return sim ? sim->state->base_time + (double)sim->state->base_steps * sim->state->dt : 0;
}

double afx_sim_dt(const AfxSim *sim) {
    return sim ? sim->state->dt : 0;
}

AfxIntegrator afx_sim_integrator(const AfxSim *sim) {
    return sim ? sim->def.integrator : AFX_BDF2;
}

AfxStatus afx_sim_set_dt(AfxSim *sim, double dt) {
    if (!sim || !isfinite(dt) || dt < DT_LEAST || dt > DT_MOST) {
        return AFX_E_ARGUMENT;
    }
    sim->state->base_time = afx_sim_time(sim);
    sim->state->base_steps = 0;
    sim->state->dt = dt;
    afxi_history_drop(sim);
    return AFX_OK;
}

uint32_t afx_sim_lanes(const AfxSim *sim) {
    return sim ? sim->variant.lanes : 0;
}

const char *afx_sim_instruction_set(const AfxSim *sim) {
    return sim ? sim->variant.instruction_set : "none";
}

uint32_t afx_sim_threads(const AfxSim *sim) {
    return sim && sim->def.threads > 1 ? sim->def.threads : 1;
}

void afxi_history_drop(AfxSim *sim) {
    sim->chains.ready = false;
    sim->state->has_history = 0;
}

/* Bytes of what the points of touch remember: it follows the state. */
static size_t memory_size(const AfxSim *sim) {
    return sim->contacts ? sim->contacts->past_count * sizeof(AfxiPointMemory) : 0;
}

size_t afx_sim_snapshot_size(const AfxSim *sim) {
    return sim ? sim->state_size + memory_size(sim) : 0;
}

AfxStatus afx_sim_snapshot(const AfxSim *sim, void *buffer, size_t size) {
    if (!sim || !buffer || size < afx_sim_snapshot_size(sim)) {
        return AFX_E_ARGUMENT;
    }
    memcpy(buffer, sim->state, sim->state_size);
    if (sim->x2 != sim->home_x2) { /* the history is in the places of saved_q, saved_v at the moment */
        size_t bytes = (size_t)12 * sim->model->body_count * sizeof(double);
        memcpy((char *)buffer + ((char *)sim->home_x2 - (char *)sim->state), sim->x2, bytes);
        memcpy((char *)buffer + ((char *)sim->home_x3 - (char *)sim->state), sim->x3, bytes);
    }
    if (sim->lambda != sim->home_lambda) {
        memcpy((char *)buffer + ((char *)sim->home_lambda - (char *)sim->state), sim->lambda,
               sim->model->graph.row_count * sizeof(double));
    }
    for (uint32_t k = 0; blank_history(sim) && k < sim->model->chains.link_count; k++) {
        size_t at = (size_t)12 * sim->model->chains.link[k].body, row = 12 * sizeof(double);
        memset((char *)buffer + ((char *)(sim->home_x2 + at) - (char *)sim->state), 0, row);
        memset((char *)buffer + ((char *)(sim->home_x3 + at) - (char *)sim->state), 0, row);
    }
    if (memory_size(sim)) {
        memcpy((char *)buffer + sim->state_size, sim->contacts->past, memory_size(sim));
    }
    return AFX_OK;
}

void afxi_history_swap(AfxSim *sim) {
    double *x2 = sim->x2, *x3 = sim->x3;
    sim->previous_q = sim->x2 = sim->saved_q;
    sim->previous_v = sim->x3 = sim->saved_v;
    sim->saved_q = x2;
    sim->saved_v = x3;
    sim->chains.tentative = sim->x3;
}

void afxi_multipliers_swap(AfxSim *sim) {
    double *lambda = sim->lambda;
    sim->lambda = sim->jointed.system.lambda;
    sim->jointed.system.lambda = lambda;
}

AfxStatus afx_sim_restore(AfxSim *sim, const void *buffer, size_t size) {
    if (!sim || !buffer || size < sizeof(AfxiStateHead)) {
        return AFX_E_ARGUMENT;
    }
    AfxiStateHead head;
    memcpy(&head, buffer, sizeof head);
    if (head.magic != STATE_MAGIC || head.model_hash != sim->model->hash ||
        head.integrator != (uint32_t)sim->def.integrator || size < sim->state_size || !(head.dt >= DT_LEAST) ||
        !(head.dt <= DT_MOST) || !(head.rho >= 0) || !(head.rho <= 1) || !isfinite(head.base_time)) {
        return AFX_E_VERSION;
    }
    size_t remembered = (size_t)head.contact_points * sizeof(AfxiPointMemory);
    if (size - sim->state_size < remembered || (head.contact_points && !sim->contacts)) {
        return AFX_E_VERSION;
    }
    if (sim->contacts) {
        AfxStatus status = afxi_contacts_restore(sim, (const char *)buffer + sim->state_size, head.contact_points);
        if (status != AFX_OK) {
            return status;
        }
    }
    if (sim->x2 != sim->home_x2) {
        afxi_history_swap(sim);
    }
    if (sim->lambda != sim->home_lambda) {
        afxi_multipliers_swap(sim);
    }
    memcpy(sim->state, buffer, sim->state_size);
    sim->jointed.system.kept.stale = true;
    sim->chains.ready = false;
    sim->joints_off = 0;
    for (uint32_t k = 0; k < sim->model->joint_count; k++) {
        sim->joints_off += !sim->joint_active[k];
    }
    return AFX_OK;
}
