/* SPDX-License-Identifier: Apache-2.0 */
/* affix/grad.h: recording, objectives, and passes over what was recorded. */
#include "affix/grad.h"

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "grad/quantity.h"
#include "grad/record.h"
#include "grad/refuse.h"
#include "grad/replay.h"
#include "grad/share.h"
#include "grad/sweep.h"
#include "grad/tuning.h"
#include "step/present.h"
#include "step/sim.h"
#include "step/weights.h"

/* Derivatives of the objective by state and multipliers after a step; those by parameters are added up at once. */
typedef struct Seed {
    uint64_t step; /* after so many */
    double *state; /* [2][bodies][12], then [rows] */
} Seed;

struct AfxGrad {
    AfxAllocator allocator;
    AfxGradDef def;
    AfxSim *sim;
    const AfxModel *model;
    AfxiGradRecord record;
    AfxiGradReplay replay;
    AfxiGradWork work;
    AfxiGradPass pass;
    AfxGradReport report;
    double *kept_params; /* [registry] that must not change */
    double *seed_param;  /* [registry], and frames: explicit derivatives of the objective */
    double *frames;      /* [joints][2][6] as users see them */
    double *total;       /* [drives][2] by constants added to targets */
    double *travel;      /* [drives] by what velocity drives have travelled */
    Seed *seed;
    uint32_t seed_count, seed_capacity;
    double *inputs; /* [steps][drives][2] of the last backward pass */
    size_t inputs_size;
    double *wrenches; /* [steps][bodies][6] */
    size_t wrenches_size;
    uint32_t next_seed; /* of a backward pass: those before it are still to come */
    bool pushed;        /* in it, there are wrenches of bodies */
    bool ended;         /* something happened that has no derivative */
    bool passed;        /* a backward pass went through */
    void *raw;
    size_t raw_size;
};

AfxGradDef afx_default_grad(void) {
    return (AfxGradDef){.cookie = AFXI_COOKIE, .snapshots = AFXI_GRAD_SNAPSHOTS};
}

static size_t seed_length(const AfxGrad *grad) {
    return 2 * (size_t)grad->work.past.at.wide + grad->work.layout.rows;
}

static void take(AfxGrad *grad, AfxiArena *arena) {
    const AfxModel *model = grad->model;
    size_t wide = AFXI_AFFINE_WIDTH * (size_t)model->body_count;
    grad->pass.state = afxi_arena_take(arena, AFXI_GRAD_PARTS * wide, sizeof(double));
    grad->pass.lambda = afxi_arena_take(arena, grad->work.layout.rows, sizeof(double));
    grad->pass.param = afxi_arena_take(arena, afxi_grad_params(&grad->work.layout), sizeof(double));
    grad->pass.target = afxi_arena_take(arena, 2 * (size_t)model->drive_count, sizeof(double));
    grad->pass.wrench = afxi_arena_take(arena, 6 * (size_t)model->body_count, sizeof(double));
    grad->pass.rate = afxi_arena_take(arena, 2 * wide, sizeof(double));
    grad->pass.more = afxi_arena_take(arena, wide, sizeof(double));
    grad->pass.began = afxi_arena_take(arena, 2 * wide, sizeof(double));
    grad->pass.expect = afxi_arena_take(arena, 6 * (size_t)model->body_count, sizeof(double));
    grad->pass.fitted = afxi_arena_take(arena, wide, sizeof(double));
    grad->kept_params = afxi_arena_take(arena, model->param_length, sizeof(double));
    grad->seed_param = afxi_arena_take(arena, afxi_grad_params(&grad->work.layout), sizeof(double));
    grad->frames = afxi_arena_take(arena, 12 * (size_t)model->joint_count, sizeof(double));
    grad->total = afxi_arena_take(arena, 2 * (size_t)model->drive_count, sizeof(double));
    grad->travel = afxi_arena_take(arena, model->drive_count, sizeof(double));
}

static AfxStatus build(AfxGrad *grad) {
    AfxiArena arena = {0};
    AfxStatus status = afxi_grad_work_create(&grad->allocator, grad->model, grad->def.frames, &grad->work);
    if (status != AFX_OK) {
        return status;
    }
    take(grad, &arena);
    arena.base =
        arena.overflow ? NULL : afxi_allocate_aligned(&grad->allocator, arena.used + 1, &grad->raw, &grad->raw_size);
    arena.used = 0;
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    take(grad, &arena);
    memcpy(grad->kept_params, grad->sim->world.params, grad->model->param_length * sizeof(double));
    grad->record.sim = grad->sim;
    grad->replay = (AfxiGradReplay){.record = &grad->record, .keep = grad->def.keep, .most = grad->def.snapshots};
    afxi_grad_replay_open(&grad->replay);
    return afxi_grad_record_open(&grad->record);
}

AfxStatus afx_grad_create(AfxSim *sim, const AfxGradDef *def, AfxGrad **out_grad) {
    if (!sim || !def || !out_grad || def->cookie != AFXI_COOKIE) {
        return AFX_E_ARGUMENT;
    }
    *out_grad = NULL;
    AfxStatus status = afxi_grad_refuse(sim, def->error);
    if (status != AFX_OK) {
        return status;
    }
    AfxGrad *grad = afxi_allocate(&sim->def.allocator, sizeof *grad);
    if (grad) {
        grad->allocator = sim->def.allocator;
        grad->def = *def;
        grad->sim = sim;
        grad->model = sim->model;
        status = build(grad);
    }
    if (!grad || status != AFX_OK) {
        afx_grad_destroy(grad);
        return afxi_error(def->error, AFX_E_MEMORY, "gradient", "out of memory", "use fewer bodies");
    }
    *out_grad = grad;
    return AFX_OK;
}

void afx_grad_clear(AfxGrad *grad) {
    if (!grad) {
        return;
    }
    for (uint32_t k = 0; k < grad->seed_count; k++) {
        afxi_release(&grad->allocator, grad->seed[k].state, seed_length(grad) * sizeof(double));
    }
    grad->seed_count = 0;
    if (grad->seed_param) {
        memset(grad->seed_param, 0, afxi_grad_params(&grad->work.layout) * sizeof(double));
    }
}

void afx_grad_destroy(AfxGrad *grad) {
    if (!grad) {
        return;
    }
    AfxAllocator allocator = grad->allocator;
    afx_grad_clear(grad);
    if (grad->record.sim) {
        afxi_grad_replay_close(&grad->replay);
        afxi_grad_record_close(&grad->record);
    }
    afxi_grad_work_release(&grad->work);
    afxi_release(&allocator, grad->seed, grad->seed_capacity * sizeof *grad->seed);
    afxi_release(&allocator, grad->inputs, grad->inputs_size);
    afxi_release(&allocator, grad->wrenches, grad->wrenches_size);
    afxi_release(&allocator, grad->raw, grad->raw_size);
    afxi_release(&allocator, grad, sizeof *grad);
}

/* Not where a step could not be differentiated: it was made, and nothing after it follows from what was recorded. */
static AfxStatus still_records(const AfxGrad *grad) {
    if (!grad) {
        return AFX_E_ARGUMENT;
    }
    return grad->ended ? afxi_error(grad->def.error, AFX_E_INPUT, "gradient",
                                    "recording has ended with an earlier step", "make a new one")
                       : AFX_OK;
}

AfxStatus afx_grad_step(AfxGrad *grad, AfxStepReport *out_report) {
    AfxStepReport report;
    AfxStatus open = still_records(grad);
    if (open != AFX_OK) {
        return open;
    }
    if (memcmp(grad->kept_params, grad->sim->world.params, grad->model->param_length * sizeof(double)) != 0) {
        return afxi_error(grad->def.error, AFX_E_INPUT, "parameters", "parameters changed while steps are recorded",
                          "change them before afx_grad_create");
    }
    AfxStatus status = afxi_grad_replay_before(&grad->replay), kept;
    if (status != AFX_OK) {
        return afxi_error(grad->def.error, status, "gradient",
                          status == AFX_E_LIMIT ? "wrenches of bodies began or ended while steps are recorded"
                                                : afx_status_text(status),
                          "give them from the first step on, or keep all steps");
    }
    afxi_grad_record_begin(&grad->record);
    status = afx_step(grad->sim, &report);
    if (out_report) {
        *out_report = report;
    }
    kept = afxi_grad_record_end(&grad->record, status == AFX_OK);
    if (status != AFX_OK) {
        return afxi_error(grad->def.error, status, "step", afx_status_text(status), "see docs/troubleshooting.md");
    }
    status = kept == AFX_OK ? afxi_grad_refuse_step(&grad->record, report.flags, grad->def.error)
                            : afxi_error(grad->def.error, kept, "gradient", afx_status_text(kept),
                                         "record fewer steps, or fewer bodies");
    grad->ended = status != AFX_OK;
    if (kept == AFX_OK) {
        afxi_grad_replay_after(&grad->replay);
    }
    return status;
}

uint64_t afx_grad_steps(const AfxGrad *grad) {
    return grad ? grad->record.step_count : 0;
}

/* ---- objectives ---- */

/* The present state of the sim as what is told of it. */
static void look(AfxGrad *grad, AfxiGradEntry *out) {
    memset(out, 0, sizeof *out);
    out->told = true;
    out->at = afxi_present(grad->sim);
    grad->work.equations.local.entry = out;
}

AfxStatus afx_grad_value(AfxGrad *grad, AfxQuantity quantity, double *out_value) {
    AfxiGradEntry now;
    if (!grad || !out_value || !afxi_grad_quantity_exists(grad->model, quantity)) {
        return AFX_E_ARGUMENT;
    }
    look(grad, &now);
    *out_value = afxi_grad_quantity(&grad->work.equations.local, quantity, NULL);
    bool failed = grad->work.tape.failed;
    grad->work.tape.failed = false;
    return failed ? AFX_E_MEMORY : AFX_OK;
}

/* The seed after the last step; NULL: out of memory. */
static double *seed_now(AfxGrad *grad) {
    uint64_t step = grad->record.step_count;
    if (grad->seed_count && grad->seed[grad->seed_count - 1].step == step) {
        return grad->seed[grad->seed_count - 1].state;
    }
    if (afxi_array_reserve(&grad->allocator, (void **)&grad->seed, &grad->seed_capacity, grad->seed_count + 1,
                           sizeof *grad->seed) != AFX_OK) {
        return NULL;
    }
    double *state = afxi_allocate(&grad->allocator, seed_length(grad) * sizeof *state);
    if (state) {
        grad->seed[grad->seed_count++] = (Seed){step, state};
    }
    return state;
}

AfxStatus afx_grad_seed(AfxGrad *grad, AfxQuantity quantity, double weight) {
    AfxiGradEntry now;
    if (!grad || !isfinite(weight) || !afxi_grad_quantity_exists(grad->model, quantity)) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus open = still_records(grad);
    if (open != AFX_OK) {
        return open;
    }
    const AfxiGradLayout *layout = &grad->work.layout;
    AfxiGradTerms *terms = &grad->work.equations.outcome;
    uint32_t wide = grad->work.past.at.wide;
    double *state = seed_now(grad);
    terms->count = 0;
    look(grad, &now);
    afxi_grad_quantity(&grad->work.equations.local, quantity, terms);
    bool failed = !state || terms->failed;
    grad->work.tape.failed = terms->failed = false;
    for (uint32_t k = 0; !failed && k < terms->count; k++) {
        uint32_t slot = terms->term[k].slot;
        double by = weight * terms->term[k].value;
        if (slot < layout->lambda) {
            state[slot] += by;
        } else if (slot < layout->qhat) {
            state[2 * (size_t)wide + (slot - layout->lambda)] += by;
        } else if (slot >= layout->param) {
            grad->seed_param[slot - layout->param] += by;
        } else {
            state[wide + (slot - layout->rate)] += by;
        }
    }
    return failed ? AFX_E_MEMORY : AFX_OK;
}

static void add(double *to, const double *from, size_t count) {
    for (size_t k = 0; from && k < count; k++) {
        to[k] += from[k];
    }
}

/* Numbers of the bodies that users see; others stand behind them (model/rotor.h). */
static size_t shown_wide(const AfxGrad *grad) {
    return AFXI_AFFINE_WIDTH * (size_t)grad->model->shown.bodies;
}

AfxStatus afx_grad_seed_state(AfxGrad *grad, const double *coordinates, const double *velocities) {
    AfxStatus open = still_records(grad);
    if (open != AFX_OK) {
        return open;
    }
    double *state = seed_now(grad);
    if (!state) {
        return AFX_E_MEMORY;
    }
    add(state, coordinates, shown_wide(grad));
    add(state + grad->work.past.at.wide, velocities, shown_wide(grad));
    return AFX_OK;
}

/* ---- passes ---- */

static void judge(AfxGrad *grad) {
    grad->report.entries++;
    grad->report.residual = fmax(grad->report.residual, grad->work.linear.left);
    grad->report.doubtful += !(grad->work.linear.left <= AFXI_GRAD_POOR);
}

static void begin_pass(AfxGrad *grad) {
    size_t wide = grad->work.past.at.wide;
    memset(grad->pass.state, 0, AFXI_GRAD_PARTS * wide * sizeof(double));
    memset(grad->pass.lambda, 0, grad->work.layout.rows * sizeof(double));
    memset(grad->pass.param, 0, afxi_grad_params(&grad->work.layout) * sizeof(double));
    memset(grad->pass.target, 0, 2 * (size_t)grad->model->drive_count * sizeof(double));
    memset(grad->pass.wrench, 0, 6 * (size_t)grad->model->body_count * sizeof(double));
    memset(grad->pass.rate, 0, 2 * wide * sizeof(double));
    memset(grad->pass.more, 0, wide * sizeof(double));
    memset(grad->pass.began, 0, 2 * wide * sizeof(double));
    memset(grad->pass.expect, 0, 6 * (size_t)grad->model->body_count * sizeof(double));
    memset(grad->pass.fitted, 0, wide * sizeof(double));
    memset(grad->total, 0, 2 * (size_t)grad->model->drive_count * sizeof(double));
    memset(grad->travel, 0, grad->model->drive_count * sizeof(double));
    for (uint32_t k = grad->record.base; k < grad->record.entry_count; k++) {
        const AfxiGradEntry *entry = afxi_grad_entry(&grad->record, k);
        for (uint32_t p = 0; p < AFXI_GRAD_HELD * entry->at.point_count; p++) {
            entry->stretch[p] = 0;
        }
    }
    grad->report = (AfxGradReport){.steps = grad->record.step_count, .branches = grad->record.branches};
}

static AfxStatus grow(AfxGrad *grad, double **array, size_t *size, size_t wanted) {
    if (*size < wanted || !*array) {
        double *more = afxi_allocate(&grad->allocator, wanted ? wanted : sizeof(double));
        if (!more) {
            return AFX_E_MEMORY;
        }
        afxi_release(&grad->allocator, *array, *size);
        *array = more;
        *size = wanted ? wanted : sizeof(double);
    }
    memset(*array, 0, *size);
    return AFX_OK;
}

/* What a target of a stage passes on to inputs: of this step, at `fraction` of it, and of the one before. */
static void pass_targets(AfxGrad *grad, const AfxiGradEntry *entry, uint32_t step) {
    const AfxModel *model = grad->model;
    double dt = grad->sim->world.state.head->dt, f = entry->start && !entry->jump ? 0 : entry->fraction;
    size_t stride = 2 * (size_t)model->drive_count;
    double *now = grad->inputs + stride * step, *before = step ? now - stride : NULL;
    for (uint32_t k = 0; k < model->drive_count; k++) {
        double bar = grad->pass.target[2 * (size_t)k], rate = grad->pass.target[2 * (size_t)k + 1];
        bool moves = model->drives[k].kind == AFX_DRIVE_VELOCITY;
        double end = moves ? 0.5 * f * f * dt : f, begin = moves ? f * dt * (1 - 0.5 * f) : 1 - f;
        grad->total[2 * (size_t)k] += moves ? bar * (step + f) * dt : bar;
        grad->total[2 * (size_t)k + 1] += moves ? 0 : rate;
        grad->travel[k] += moves ? bar : 0;
        if (model->drives[k].from_input) {
            now[2 * (size_t)k] += end * bar;
            now[2 * (size_t)k + 1] += moves ? 0 : f * rate;
            if (before) {
                before[2 * (size_t)k] += begin * bar;
                before[2 * (size_t)k + 1] += moves ? 0 : (1 - f) * rate;
            }
        }
        grad->pass.target[2 * (size_t)k] = grad->pass.target[2 * (size_t)k + 1] = 0;
    }
}

/* What velocity drives have travelled at the end of a step is what they had, and the mean of its rates. */
static void pass_travel(AfxGrad *grad, uint32_t step) {
    const AfxModel *model = grad->model;
    double half = 0.5 * grad->sim->world.state.head->dt;
    size_t stride = 2 * (size_t)model->drive_count;
    double *now = grad->inputs + stride * step;
    for (uint32_t k = 0; k < model->drive_count; k++) {
        if (model->drives[k].from_input && model->drives[k].kind == AFX_DRIVE_VELOCITY) {
            now[2 * (size_t)k] += half * grad->travel[k];
            if (step) {
                (now - stride)[2 * (size_t)k] += half * grad->travel[k];
            }
        }
    }
}

static AfxStatus put_seeds(AfxGrad *grad, uint32_t *next, uint64_t step) {
    size_t wide = grad->work.past.at.wide;
    while (*next && grad->seed[*next - 1].step == step) {
        const double *state = grad->seed[--*next].state;
        add(grad->pass.state, state, 2 * wide);
        add(grad->pass.lambda, state + 2 * wide, grad->work.layout.rows);
        if (grad->sim->weights && step) {
            const AfxiGradRecord *record = &grad->record;
            uint32_t first = record->step[step - 1];
            AfxStatus status =
                afxi_grad_share(&grad->work, grad->sim->weights->share, &record->entry[first - record->base],
                                record->step[step] - first, &grad->pass);
            grad->report.doubtful += status == AFX_E_NUMERIC;
            return status == AFX_E_NUMERIC ? AFX_OK : status;
        }
    }
    return AFX_OK;
}

/* Steps first ... end - 1 backwards; their entries are kept. */
static AfxStatus reverse_steps(void *context, uint32_t first, uint32_t end) {
    AfxGrad *grad = context;
    const AfxiGradRecord *record = &grad->record;
    size_t wrenches = 6 * (size_t)grad->model->body_count;
    AfxStatus status = AFX_OK;
    for (uint32_t step = end; step-- > first && status == AFX_OK;) {
        status = put_seeds(grad, &grad->next_seed, step + 1);
        pass_travel(grad, step);
        for (uint32_t k = record->step[step + 1]; k-- > record->step[step] && status == AFX_OK;) {
            AfxiGradEntry *entry = afxi_grad_entry(record, k);
            status = afxi_grad_open(&grad->work, entry);
            if (status == AFX_OK) {
                afxi_grad_reverse(&grad->work, entry, &grad->pass);
                pass_targets(grad, entry, step);
                judge(grad);
            }
        }
        if (grad->pushed && status == AFX_OK) {
            memcpy(grad->wrenches + wrenches * step, grad->pass.wrench, wrenches * sizeof(double));
        }
        memset(grad->pass.wrench, 0, wrenches * sizeof(double));
    }
    return status;
}

/* What a pass that failed says. */
static AfxStatus with_cause(const AfxGrad *grad, AfxStatus status) {
    if (status == AFX_OK) {
        return AFX_OK;
    }
    if (status == AFX_E_VERSION) {
        return afxi_error(grad->def.error, AFX_E_INPUT, "gradient",
                          "a step that is made again does not come out as it did: something was changed between steps",
                          "keep all steps (keep = 0), or change nothing but targets, controls and wrenches");
    }
    return afxi_error(grad->def.error, status, "gradient",
                      status == AFX_E_NUMERIC ? "the equations of a step are singular" : afx_status_text(status),
                      "look for constraints that contradict each other");
}

/* Frames of joints in the axes of users, base first. */
static void show_frames(AfxGrad *grad) {
    const AfxModel *model = grad->model;
    const AfxiGradLayout *layout = &grad->work.layout;
    for (uint32_t joint = 0; layout->frames && joint < model->joint_count; joint++) {
        for (int side = 0; side < 2; side++) {
            uint32_t body = side ? model->joints[joint].base : model->joints[joint].follower;
            const double *from = grad->pass.param + (layout->frame - layout->param) + 12 * joint + 6 * side;
            double *to = grad->frames + 12 * (size_t)joint + (side ? 0 : 6);
            AfxPose frame = afx_pose_identity();
            afx_model_body_frame(model, body, &frame); /* the world has none */
            for (int part = 0; part < 6; part += 3) {
                vec3_store(to + part, afx_quat_rotate(frame.rotation, vec3_load(from + part)));
            }
        }
    }
}

AfxStatus afx_grad_backward(AfxGrad *grad) {
    AfxStatus open = still_records(grad);
    if (open != AFX_OK) {
        return open;
    }
    uint32_t steps = grad->record.step_count;
    size_t drives = 2 * (size_t)grad->model->drive_count, wrenches = 6 * (size_t)grad->model->body_count;
    grad->next_seed = grad->seed_count;
    grad->passed = false;
    AfxStatus status = grow(grad, &grad->inputs, &grad->inputs_size, steps * drives * sizeof(double));
    grad->pushed = grad->sim->world.body_wrenches != NULL;
    if (status == AFX_OK && grad->pushed) {
        status = grow(grad, &grad->wrenches, &grad->wrenches_size, steps * wrenches * sizeof(double));
    }
    begin_pass(grad);
    status = status == AFX_OK ? afxi_grad_replay_visit(&grad->replay, AFXI_GRAD_BACK, reverse_steps, grad) : status;
    status = status == AFX_OK ? put_seeds(grad, &grad->next_seed, 0) : status;
    add(grad->pass.param, grad->seed_param, afxi_grad_params(&grad->work.layout));
    show_frames(grad);
    grad->passed = status == AFX_OK;
    return with_cause(grad, status);
}

const double *afx_grad_params(const AfxGrad *grad) {
    return grad && grad->passed ? grad->pass.param : NULL;
}

const double *afx_grad_frames(const AfxGrad *grad) {
    return grad && grad->passed && grad->def.frames ? grad->frames : NULL;
}

AfxStatus afx_grad_state(const AfxGrad *grad, const double **out_coordinates, const double **out_velocities) {
    if (!grad || !grad->passed) {
        return AFX_E_ARGUMENT;
    }
    if (out_coordinates) {
        *out_coordinates = grad->pass.state;
    }
    if (out_velocities) {
        *out_velocities = grad->pass.state + grad->work.past.at.wide;
    }
    return AFX_OK;
}

const double *afx_grad_targets(const AfxGrad *grad) {
    return grad && grad->passed ? grad->total : NULL;
}

const double *afx_grad_inputs(const AfxGrad *grad, uint64_t step) {
    bool there = grad && grad->passed && step < grad->record.step_count;
    return there ? grad->inputs + 2 * (size_t)grad->model->drive_count * step : NULL;
}

const double *afx_grad_wrenches(const AfxGrad *grad, uint64_t step) {
    bool there = grad && grad->passed && grad->wrenches && step < grad->record.step_count;
    return there ? grad->wrenches + 6 * (size_t)grad->model->body_count * step : NULL;
}

static void put_out(double *to, const double *from, size_t count) {
    if (to) {
        memcpy(to, from, count * sizeof *to);
    }
}

static AfxStatus forward_steps(void *context, uint32_t first, uint32_t end) {
    AfxGrad *grad = context;
    AfxStatus status = AFX_OK;
    for (uint32_t k = grad->record.step[first]; k < grad->record.step[end] && status == AFX_OK; k++) {
        AfxiGradEntry *entry = afxi_grad_entry(&grad->record, k);
        status = afxi_grad_open(&grad->work, entry);
        if (status == AFX_OK) {
            afxi_grad_forward(&grad->work, entry, &grad->pass);
            judge(grad);
        }
    }
    return status;
}

AfxStatus afx_grad_tangent(AfxGrad *grad, const double *params, const double *coordinates, const double *velocities,
                           double *out_coordinates, double *out_velocities) {
    AfxStatus open = still_records(grad);
    if (open != AFX_OK) {
        return open;
    }
    size_t wide = grad->work.past.at.wide;
    AfxStatus status = AFX_OK;
    grad->passed = false;
    begin_pass(grad);
    add(grad->pass.state, coordinates, shown_wide(grad));
    add(grad->pass.state + wide, velocities, shown_wide(grad));
    add(grad->pass.param, params, grad->model->param_length);
    status = afxi_grad_replay_visit(&grad->replay, AFXI_GRAD_FORTH, forward_steps, grad);
    put_out(out_coordinates, grad->pass.state, shown_wide(grad));
    put_out(out_velocities, grad->pass.state + wide, shown_wide(grad));
    return with_cause(grad, status);
}

/* Where number k of the coordinates and velocities that users see stands in a state. */
static size_t shown_at(const AfxGrad *grad, size_t k) {
    size_t shown = shown_wide(grad);
    return k < shown ? k : grad->work.past.at.wide + (k - shown);
}

/* Column `column` of a step's map: forwards through its entries. */
static AfxStatus column_of(AfxGrad *grad, uint32_t step, uint32_t column, size_t states, double *out_a, double *out_b) {
    AfxiGradRecord *record = &grad->record;
    uint32_t drives = 2 * grad->model->drive_count;
    AfxStatus status = AFX_OK;
    begin_pass(grad);
    if (column < states) {
        grad->pass.state[shown_at(grad, column)] = 1;
    } else {
        grad->pass.target[column - states] = 1;
    }
    for (uint32_t k = record->step[step]; k < record->step[step + 1] && status == AFX_OK; k++) {
        if (record->step[step + 1] - record->step[step] > 1 || column == 0) {
            status = afxi_grad_open(&grad->work, afxi_grad_entry(record, k));
        }
        if (status == AFX_OK) {
            afxi_grad_forward(&grad->work, afxi_grad_entry(record, k), &grad->pass);
        }
    }
    for (size_t row = 0; row < states; row++) {
        if (column < states && out_a) {
            out_a[row * states + column] = grad->pass.state[shown_at(grad, row)];
        } else if (column >= states && out_b) {
            out_b[row * drives + (column - states)] = grad->pass.state[shown_at(grad, row)];
        }
    }
    return status;
}

/* Where the map of a step goes. */
typedef struct Map {
    AfxGrad *grad;
    double *a, *b;
} Map;

static AfxStatus map_step(void *context, uint32_t first, uint32_t end) {
    const Map *map = context;
    AfxGrad *grad = map->grad;
    size_t states = 2 * shown_wide(grad);
    uint32_t columns = (uint32_t)states + (map->b ? 2 * grad->model->drive_count : 0);
    AfxStatus status = end > first ? AFX_OK : AFX_E_ARGUMENT;
    for (uint32_t c = 0; c < columns && status == AFX_OK; c++) {
        if (c == 0 || c >= states || map->a) {
            status = column_of(grad, first, c, states, map->a, map->b);
        }
    }
    return status;
}

AfxStatus afx_grad_jacobian(AfxGrad *grad, double *out_a, double *out_b) {
    AfxStatus open = still_records(grad);
    if (open != AFX_OK || !grad->record.step_count) {
        return open != AFX_OK ? open : AFX_E_ARGUMENT;
    }
    Map map = {grad, out_a, out_b};
    grad->passed = false;
    AfxStatus status = afxi_grad_replay_visit(&grad->replay, AFXI_GRAD_END, map_step, &map);
    begin_pass(grad);
    return with_cause(grad, status);
}

AfxStatus afx_grad_report(const AfxGrad *grad, AfxGradReport *out_report) {
    if (!grad || !out_report) {
        return AFX_E_ARGUMENT;
    }
    *out_report = grad->report;
    return AFX_OK;
}
