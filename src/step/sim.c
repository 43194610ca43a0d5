/* SPDX-License-Identifier: Apache-2.0 */
/* Making and freeing a sim: one block for state and workspace. */
#include "step/sim.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/released.h"
#include "base/status.h"
#include "base/task.h"
#include "conserve/conserve.h"
#include "constraint/angles.h"
#include "constraint/drive.h"
#include "joint/axis.h"
#include "math/variant.h"
#include "model/model.h"
#include "reduced/reduced.h"
#include "solve/solver.h"
#include "solve/start.h"
#include "state/holds.h"
#include "state/input.h"
#include "state/pace.h"
#include "state/pose.h"
#include "step/adhesion.h"
#include "step/book.h"
#include "step/choose.h"
#include "step/control_input.h"
#include "step/dynamics_query.h"
#include "step/eyes.h"
#include "step/handover.h"
#include "step/history.h"
#include "step/own.h"
#include "step/path.h"
#include "step/rotor.h"
#include "step/settle.h"
#include "step/start_query.h"
#include "step/tuning.h"
#include "step/verify.h"
#include "step/weights.h"

AfxSimDef afx_default_sim(void) {
    return (AfxSimDef){
        .cookie = AFXI_COOKIE,
        .allocator = afx_default_allocator(),
        .dt = 0.01,
        .integrator = AFX_BDF2,
        .rho = 0.8,
    };
}

/* The formulations, in the order of AfxFormulation. */
static const AfxiFormulationKind *const formulations[AFX_FORMULATION_COUNT] = {
    [AFX_AFFIX] = &afxi_formulation_affine,
    [AFX_MABD_PAPER] = &afxi_formulation_mabd_paper,
    [AFX_MABD_PAPER_NOPOLAR] = &afxi_formulation_mabd_paper_nopolar,
    [AFX_ABD_VANILLA] = &afxi_formulation_abd_vanilla,
    [AFX_REDUCED] = &afxi_formulation_reduced,
    [AFX_CHOOSE] = &afxi_formulation_affine, /* where joint coordinates are not chosen (choose.h) */
    [AFX_ABD_IPC] = &afxi_formulation_barrier,
};

/* What a definition asks for: integrators that conserve are one of their own, and so is barrier contact where anything
 * can touch; some are of joint coordinates. */
static const AfxiFormulationKind *formulation_of(const AfxModel *model, const AfxSimDef *def) {
    bool own = def->formulation == AFX_AFFIX || def->formulation == AFX_CHOOSE;
    if (own && def->contact_model == AFX_CONTACT_BARRIER && model->contacts.possible) {
        return &afxi_formulation_barrier;
    }
    if (own && integrator_reduced(def->integrator)) {
        return &afxi_formulation_reduced;
    }
    return own && integrator_conserves(def->integrator) ? &afxi_formulation_conserving : formulations[def->formulation];
}

static void layout(AfxSim *sim, AfxiArena *arena) {
    const AfxModel *model = sim->model;
    AfxiWorld *world = &sim->world;
    size_t numbers = AFXI_AFFINE_WIDTH * (size_t)model->body_count;
    bool alpha = sim->def.integrator == AFX_ALPHA;
    size_t (*state_size)(const AfxModel *) = sim->formulation->state_size;
    afxi_solver_take_state(&sim->solver, arena, world, state_size ? state_size(model) : 0);
    AfxiState *state = &world->state;
    state->previous_q = alpha ? afxi_arena_take(arena, numbers, sizeof *state->q) : state->x2;
    state->previous_v = alpha ? afxi_arena_take(arena, numbers, sizeof *state->v) : state->x3;
    state->phase_slot = model->phase.slot;
    state->phase_row = afxi_arena_take(arena, (size_t)AFXI_PHASE_SIZE * model->phase.node_count, sizeof(double));
    state->phase_root = afxi_arena_take(arena, model->phase.node_count, sizeof *state->phase_root);
    state->phase_balance = afxi_arena_take(arena, 4 * (size_t)model->phase.node_count, sizeof(double));
    state->phase_still = afxi_arena_take(arena, model->phase.node_count, 1);
    state->phase_kernel = afxi_phase_kernel(sim->def.lanes);
    world->plain = afxi_arena_take(arena, model->dynamic_count, sizeof *world->plain);
    world->forced = afxi_arena_take(arena, model->dynamic_count, sizeof *world->forced);
    world->force_slot = afxi_arena_take(arena, model->body_count, sizeof *world->force_slot);
    world->drive_target = afxi_arena_take(arena, 2 * (size_t)model->drive_count, sizeof(double));
    afxi_angles_take(world, arena, model);
    world->drive_moving = afxi_arena_take(arena, model->drive_count, sizeof *world->drive_moving);
    world->drive_changes = afxi_arena_take(arena, model->drive_count, sizeof *world->drive_changes);
    world->branch_begin = afxi_arena_take(arena, model->drive_count, sizeof *world->branch_begin);
    world->branch_part = afxi_arena_take(arena, model->drive_count, sizeof *world->branch_part);
    world->limit_rate = afxi_arena_take(arena, model->drive_count, sizeof *world->limit_rate);
    world->limit_came = afxi_arena_take(arena, model->drive_count, sizeof *world->limit_came);
    bool strikes = model->contacts.possible || model->drive_count;
    world->jump_from = afxi_arena_take(arena, strikes ? numbers : 0, sizeof *world->jump_from);
    sim->late = afxi_arena_take(arena, model->body_count, sizeof *sim->late);
    sim->waits = afxi_arena_take(arena, model->body_count, sizeof *sim->waits);
    sim->group = afxi_arena_take(arena, model->body_count, sizeof *sim->group);
    afxi_solver_take(&sim->solver, arena, world);
}

/* What every step writes before it reads it. */
static void layout_saved(AfxSim *sim, AfxiArena *arena) {
    const AfxModel *model = sim->model;
    bool jointed = model->graph_count || model->chains.chain_count || model->contacts.possible;
    size_t saved = jointed ? AFXI_AFFINE_WIDTH * (size_t)model->body_count : 0;
    sim->world.state.saved_q = saved ? afxi_arena_take(arena, saved, sizeof(double)) : NULL;
    sim->world.state.saved_v = saved ? afxi_arena_take(arena, saved, sizeof(double)) : NULL;
    sim->world.state.saved_rest = saved ? afxi_arena_take(arena, sim->world.state.rest_size, 1) : NULL;
    sim->before = model->contacts.possible ? afxi_arena_take(arena, sim->world.state.size, 1) : NULL;
}

/* What is wrong with the choices of a definition, or NULL; *out_cure says what would be right. */
static const char *fault_of_choices(const AfxSimDef *def, const char **out_cure) {
    *out_cure = "start from afx_default_sim";
    if (!def->allocator.reallocate) {
        return "the allocator has no function";
    }
    if ((int)def->integrator < 0 || def->integrator >= AFX_INTEGRATOR_COUNT || (int)def->accuracy < 0 ||
        def->accuracy > AFX_CONVERGED) {
        return "the integrator or accuracy is none that there is";
    }
    if ((int)def->formulation < 0 || def->formulation >= AFX_FORMULATION_COUNT) {
        return "the formulation is none that there is";
    }
    if ((int)def->contact_model < 0 || def->contact_model >= AFX_CONTACT_MODEL_COUNT) {
        return "the contact model is none that there is";
    }
    *out_cure = "take contact model compliant, or formulation affix";
    bool other = def->formulation != AFX_AFFIX && def->formulation != AFX_CHOOSE;
    return def->contact_model == AFX_CONTACT_BARRIER && other ? "barrier contact belongs to the formulation affix"
                                                              : NULL;
}

/* The same of its numbers. */
static const char *fault_of_numbers(const AfxSimDef *def, const char **out_cure) {
    *out_cure = "take a finite gap of 0 (by the size of the bodies) or more";
    if (!(def->contact_gap >= 0 && isfinite(def->contact_gap))) {
        return "the contact gap is not in range";
    }
    *out_cure = "take 0 (the default), a positive number, or INFINITY";
    if (!(def->flops_most >= 0 && def->bytes_most >= 0)) {
        return "a limit of a solver iteration is not in range";
    }
    *out_cure = "take 0 (none sleeps; half a second) or a positive number";
    if (!(def->sleep_speed >= 0 && def->sleep_time >= 0 && isfinite(def->sleep_speed) && isfinite(def->sleep_time))) {
        return "the speed or time of sleep is not in range";
    }
    *out_cure = "take a time step between 1e-12 and 1e6 s";
    if (!isfinite(def->dt) || def->dt < AFXI_DT_LEAST || def->dt > AFXI_DT_MOST) {
        return "the time step is not in range";
    }
    *out_cure = "take a spectral radius between 0 and 1";
    return def->rho >= 0 && def->rho <= 1 ? NULL : "rho is not in range";
}

/* The same of what it asks of the machine. */
static const char *fault_of_machine(const AfxSimDef *def, const char **out_cure) {
    *out_cure = "unset it, or take base, avx2 or avx512, as far as the processor goes";
    AfxiInstructions instructions;
    if (!afxi_instructions_asked(&instructions)) {
        return AFXI_INSTRUCTIONS_VARIABLE " asks for instructions that are not there";
    }
    *out_cure = "take at most 1024 threads, and 1, 2, 4 or 8 lanes (0 for the widest)";
    if (def->threads > AFXI_THREADS_MOST) {
        return "too many threads";
    }
    return afxi_free_variant(def->lanes).kernel ? NULL : "this machine has no such lane count";
}

static const char *fault(const AfxSimDef *def, const char **out_cure) {
    const char *text = fault_of_choices(def, out_cure);
    text = text ? text : fault_of_numbers(def, out_cure);
    return text ? text : fault_of_machine(def, out_cure);
}

static void set_start(AfxSim *sim) {
    const AfxModel *model = sim->model;
    afxi_drives_list(&sim->world);
    afxi_angles_list(&sim->world);
    for (uint32_t k = 0; k < model->body_count; k++) {
        AfxTwist twist = {{0, 0, 0}, {0, 0, 0}};
        if (model->start_twist && model->kind[k] != AFX_BODY_FIXED) {
            twist = model->start_twist[k];
        }
        size_t at = (size_t)AFXI_AFFINE_WIDTH * k;
        afxi_raw_from_pose(afxi_model_frame(model, k), model->start_pose[k], twist, sim->world.state.q + at,
                           sim->world.state.v + at);
    }
    for (uint32_t k = 0; k < model->joint_count; k++) {
        sim->world.state.joint_active[k] = model->joints[k].active;
        sim->world.joints_off += !model->joints[k].active;
    }
    afxi_input_kinematic(&sim->world, 0, true);
    afxi_angles_follow(&sim->world);
    afxi_paths_follow(sim);
    afxi_rotors_follow(sim);
    afxi_angles_follow(&sim->world);
    for (uint32_t k = 0; k < model->drive_count; k++) { /* velocity drives go on from where the joint is */
        const AfxiDrive *drive = &model->drives[k];
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)model->joints[drive->joint].kind);
        uint32_t place = afxi_axis_place(kind, drive->axis);
        if (place == UINT32_MAX) { /* has a limit, and nothing that aims */
            continue;
        }
        double *angle = &sim->world.state.angle[model->joints[drive->joint].angle + place], wanted = 0;
        bool aims = drive->kind == AFX_DRIVE_POSITION || drive->kind == AFX_DRIVE_SERVO;
        AfxiAxisSpec spec = afxi_axis_of(kind, drive->axis);
        bool turns = spec.type != AFXI_AXIS_TRANSLATION && spec.type != AFXI_AXIS_TILT;
        if (aims && turns && !drive->from_input) { /* of all whole turns, the one its drive starts from */
            afx_signal_evaluate(&drive->target, 0, &wanted, NULL, NULL);
            *angle = afxi_angle_near(*angle, wanted);
        }
        sim->world.state.drive_travel[k] = *angle;
        sim->world.state.drive_input[4 * (size_t)k] = sim->world.state.drive_input[4 * (size_t)k + 2] =
            aims ? *angle : 0;
    }
    afxi_controls_start(sim);
    for (uint32_t k = 0; k < model->body_count; k++) {
        size_t at = (size_t)AFXI_AFFINE_WIDTH * k;
        if (!sim_blank_history(sim) || !model->in_chain[k]) {
            memcpy(sim->world.state.previous_q + at, sim->world.state.q + at,
                   AFXI_AFFINE_WIDTH * sizeof *sim->world.state.q);
            memcpy(sim->world.state.previous_v + at, sim->world.state.v + at,
                   AFXI_AFFINE_WIDTH * sizeof *sim->world.state.v);
        }
    }
}

/* A start that violates its joints by more than rounding is put together first. */
static AfxStatus repair_start(AfxSim *sim) {
    if (sim->model->graph_count == 0 && sim->model->chains.chain_count == 0) {
        return AFX_OK;
    }
    afxi_classes_refresh(sim);
    sim->assembled = afxi_repair(&sim->solver);
    if (sim->assembled) {
        afxi_history_drop(sim);
    }
    return sim->assembled ? afxi_start_gaps(sim) : AFX_OK;
}

static bool is_finite(const AfxSim *sim) {
    size_t count = (size_t)AFXI_AFFINE_WIDTH * sim->model->body_count;
    bool finite = true;
    for (size_t k = 0; k < count; k++) {
        finite = finite && isfinite(sim->world.state.q[k]) && isfinite(sim->world.state.v[k]);
    }
    return finite;
}

/* The first `zeroed` bytes of the block, but for a blank history. */
static void clear(AfxSim *sim, unsigned char *base, size_t zeroed) {
    size_t row = (size_t)AFXI_AFFINE_WIDTH * sim->model->body_count;
    memset(sim->world.state.head, 0, sizeof *sim->world.state.head);
    if (!sim_blank_history(sim)) {
        memset(base, 0, zeroed);
        return;
    }
    unsigned char *part[3] = {base, (unsigned char *)(sim->world.state.x2 + row),
                              (unsigned char *)(sim->world.state.x3 + row)};
    unsigned char *end[3] = {(unsigned char *)sim->world.state.x2, (unsigned char *)sim->world.state.x3, base + zeroed};
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
    clear(sim, arena.base, zeroed);
    arena.used = 0;
    layout(sim, &arena); /* again: some of what it lays out stands in the block itself */
    layout_saved(sim, &arena);
    *sim->world.state.head = (AfxiStateHead){
        .magic = AFXI_STATE_MAGIC,
        .model_hash = sim->model->hash,
        .integrator = (uint32_t)sim->def.integrator,
        .rho = sim->def.rho,
        .dt = sim->def.dt,
    };
    AfxStatus status = afxi_paths_create(sim);
    status = status ? status : afxi_eyes_create(sim);
    status = status ? status : afxi_adhesion_create(sim);
    if (status != AFX_OK) {
        return status;
    }
    set_start(sim);
    status = afxi_input_lists(&sim->world, sim->wrenches_given != NULL);
    if (status == AFX_OK) {
        afxi_input_forces(&sim->world);
        status = repair_start(sim);
    }
    if (status == AFX_OK) {
        status = is_finite(sim) ? AFX_OK : AFX_E_INPUT; /* numbers near the largest there are */
    }
    if (status == AFX_OK && afxi_settle_asks(sim)) {
        sim->world.state.head->placed = 1; /* as if it had been set so */
    }
    return status;
}

uint64_t afx_sim_bytes(const AfxModel *model, const AfxSimDef *def) {
    const char *cure;
    if (!model || !def || def->cookie != AFXI_COOKIE || fault(def, &cure)) {
        return 0;
    }
    AfxSim sim = {
        .model = model, .def = *def, .world = {.model = model, .def = *def}, .formulation = formulation_of(model, def)};
    AfxiArena arena = {0};
    layout(&sim, &arena);
    layout_saved(&sim, &arena);
    size_t forced = model->wrench_count < model->dynamic_count ? model->wrench_count : model->dynamic_count;
    return arena.overflow ? UINT64_MAX : sizeof sim + AFXI_ALIGNMENT + arena.used + forced * sizeof *sim.world.forces;
}

AfxStatus afxi_sim_create(const AfxModel *model, const AfxSimDef *def, const AfxiFormulationKind *formulation,
                          AfxSim **out_sim) {
    AfxSim *sim = afxi_allocate(&def->allocator, sizeof *sim);
    if (!sim) {
        return afxi_error(def->error, AFX_E_MEMORY, "sim", "out of memory", "use fewer bodies or free some memory");
    }
    sim->model = sim->world.model = model;
    sim->def = sim->world.def = *def;
    sim->world.params = model->params;
    sim->world.classes = &model->classes;
    sim->formulation = formulation;
    AfxStatus status = formulation->refuse ? formulation->refuse(model, def) : AFX_OK;
    if (status == AFX_OK && model->robot.path_count && formulation != &afxi_formulation_affine) {
        status = afxi_error(def->error, AFX_E_INPUT, "sim", "a tendon has a path, which this formulation does not know",
                            "use the default formulation");
    }
    if (status == AFX_OK && def->sleep_speed > 0 && formulation != &afxi_formulation_affine) {
        status = afxi_error(def->error, AFX_E_INPUT, "sim", "bodies of this formulation or contact model do not sleep",
                            "leave sleep_speed 0, or use the default formulation");
    }
    if (status == AFX_OK && model->robot.adhesion_count && !sim_can(sim, AFXI_FORMULATION_WRENCHES)) {
        status = afxi_error(def->error, AFX_E_INPUT, "sim", "a control adheres, which this formulation does not know",
                            "use the default formulation");
    }
    status = status ? status : formulation->create(sim, &sim->world, &sim->work);
    if (status != AFX_OK) { /* it has said why */
        afx_sim_destroy(sim);
        return status;
    }
    status = sim_fill(sim);
    status = status ? status : afxi_solver_begin(&sim->solver);
    status = status == AFX_OK && formulation->attach ? formulation->attach(sim->work, sim->solver.collide) : status;
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
    AFXI_ASSERT_ALIVE(model);
    const char *cure, *text = fault(def, &cure);
    if (text) {
        return afxi_error(def->error, AFX_E_ARGUMENT, "sim", text, cure);
    }
    const AfxiFormulationKind *formulation = formulation_of(model, def);
    return formulation == &afxi_formulation_affine && def->formulation == AFX_CHOOSE
               ? afxi_sim_choose(model, def, out_sim)
               : afxi_sim_create(model, def, formulation, out_sim);
}

void afx_sim_destroy(AfxSim *sim) {
    if (!sim) {
        return;
    }
    AFXI_ASSERT_ALIVE(sim);
    AfxAllocator allocator = sim->def.allocator;
    afxi_verify_destroy(sim);
    afxi_book_destroy(sim);
    afxi_weights_destroy(sim);
    afxi_dynamics_destroy(sim);
    afxi_paths_destroy(sim);
    afxi_eyes_destroy(sim);
    afxi_adhesion_destroy(sim);
    afxi_release(&allocator, sim->still.point, sim->still.capacity * sizeof *sim->still.point);
    afxi_release(&allocator, sim->told.point, sim->told.capacity * sizeof *sim->told.point);
    afxi_solver_release(&sim->solver);
    afxi_release(&allocator, sim->world.holds, sizeof *sim->world.holds);
    afxi_release(&allocator, sim->saved_apart, afxi_sim_saved_size(sim));
    afxi_release(&allocator, sim->before_apart, sim->world.state.size);
    sim->formulation->destroy(sim->work);
    afxi_trace_destroy(&allocator, sim->world.trace);
    afxi_release(&allocator, sim->world.forces, sim->world.force_bytes);
    afxi_release(&allocator, sim->world.body_wrenches, sim->body_wrench_bytes);
    afxi_start_forget(sim);
    afxi_release(&allocator, sim->start_gap, sim->start_gap_capacity * sizeof *sim->start_gap);
    afxi_release(&allocator, sim->own.raw, sim->own.raw_size);
    afxi_release(&allocator, sim->raw, sim->raw_size);
    afxi_release(&allocator, sim, sizeof *sim);
}

const AfxModel *afx_sim_model(const AfxSim *sim) {
    return sim ? sim->model : NULL;
}

double afx_sim_time(const AfxSim *sim) {
    return sim ? afxi_state_time(&sim->world.state) : 0;
}

double afx_sim_dt(const AfxSim *sim) {
    return sim ? sim->world.state.head->dt : 0;
}

AfxIntegrator afx_sim_integrator(const AfxSim *sim) {
    return sim ? sim->def.integrator : AFX_BDF2;
}

AfxStatus afx_sim_set_dt(AfxSim *sim, double dt) {
    if (!sim || !isfinite(dt) || dt < AFXI_DT_LEAST || dt > AFXI_DT_MOST) {
        return AFX_E_ARGUMENT;
    }
    sim->world.state.head->base_time = afx_sim_time(sim);
    sim->world.state.head->base_steps = 0;
    sim->world.state.head->dt = dt;
    afxi_history_drop(sim);
    return AFX_OK;
}

uint32_t afx_sim_lanes(const AfxSim *sim) {
    return sim ? sim->solver.free.variant.lanes : 0;
}

const char *afx_sim_instruction_set(const AfxSim *sim) {
    return sim ? sim->solver.free.variant.instruction_set : "none";
}

uint32_t afx_sim_threads(const AfxSim *sim) {
    return sim && sim->def.threads > 1 ? sim->def.threads : 1;
}
