/* SPDX-License-Identifier: Apache-2.0 */
/* A mechanism is run once and watched, then again by other means that must not matter. */
#include "examine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/rigid_reference.h"
#include "support/sim.h"

/* Of the size of the scene, or rad: what joints of rigid bodies may be off by. `fast` may leave a turn of 0.05 rad and
 * with it a false strain of 0.00125, `accurate` one of 1e-3 and 5e-7 (src/solve/tuning.h); the rest is for links that
 * are longer than the scene's size. Joints of elastic bodies are judged by what the step says of its rows: a strain is
 * no gap. */
#define GAP_FAST 5e-3
#define GAP_ACCURATE 1e-5
/* Of the size, at least 1 m: rows. Redundant ones at singular positions are met to 1e-7 (src/solve/tuning.h). */
#define VIOLATION_MOST 2e-7
/* Of the largest energy in motion and springs so far: what an integrator may gain for a while. BDF2 and α of an
 * oscillation are off by as much within a period at tens of steps for one. */
#define GAIN_MOST 0.05
/* The same of integrators that conserve, from their first step on: what does not fit at the start is made to. RATTLE
 * keeps energy to its order only. */
#define GAIN_MOST_CONSERVING 1e-6
/* Of the weight times size of all: what is rounding and tolerance where next to nothing moves. */
#define GAIN_LEAST 1e-6
/* What an energy book may be off by, over its largest entries: rounding. */
#define BOOK_MOST 1e-9
/* Solver iterations of a step over those of the median one, which counts as 2 at least. */
#define WORK_MOST 50

static const char *const fault_names[] = {
#define FAULT_NAME(fault, name, text) name,
    FAULT_TABLE(FAULT_NAME)
#undef FAULT_NAME
};

const char *fault_name(Fault fault) {
    return fault_names[fault];
}

/* ---- a sim of a mechanism ---- */

typedef struct Trial {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
    AfxError error;
} Trial;

static void trial_end(Trial *trial) {
    afx_sim_destroy(trial->sim);
    afx_model_destroy(trial->model);
    afx_scene_destroy(trial->scene);
    *trial = (Trial){0};
}

static bool trial_start(const Mechanism *m, const AfxSimDef *def, Trial *out) {
    AfxSimDef own = *def;
    *out = (Trial){0};
    own.error = &out->error;
    out->scene = mechanism_scene(m, &out->error);
    return out->scene && afx_model_create(out->scene, &out->model, &out->error) == AFX_OK &&
           afx_sim_create(out->model, &own, &out->sim) == AFX_OK;
}

static uint64_t mix(uint64_t hash, const double *values, size_t count) {
    for (size_t k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* The state, and what of it is not of this build but must not depend on anything either. */
static uint64_t state_hash(const AfxSim *sim) {
    size_t numbers = 12 * (size_t)afx_model_body_count(afx_sim_model(sim));
    return mix(mix(0xcbf29ce484222325u, afx_sim_coordinates(sim), numbers), afx_sim_velocities(sim), numbers);
}

/* ---- the run that is watched ---- */

typedef struct Watch {
    const Mechanism *m;
    bool passive;
    double start_energy, swing; /* J: at the start; the largest in motion and springs so far */
    double floor;               /* J: rounding */
    double gain_allowed;        /* over swing */
    double gain_most;           /* over swing */
    uint32_t gain_step;
    double book_off, book_gain; /* J over the largest entry: what does not add up; what the integrator made */
    uint32_t book_step, book_gain_step;
    double gap_most; /* over what is allowed */
    uint32_t gap_step;
    double work[1024]; /* solver iterations by step */
    uint64_t hash[1024];
    uint32_t steps;
    void *snapshot;
    size_t snapshot_size;
} Watch;

static double weight_of_all(const Mechanism *m) {
    double sum = 0;
    for (uint32_t k = 0; k < m->body_count; k++) {
        const PartBody *body = &m->body[k];
        if (!body->gone && body->def.kind == AFX_BODY_DYNAMIC) {
            sum += 9.81 * body->shape.density * 0.05 * pow(body->size, 3);
        }
    }
    return sum;
}

static void watch_energy(Watch *watch, const AfxSim *sim, uint32_t step) {
    AfxEnergy parts;
    double springs, total = stored_energy(watch->m, sim, &parts, &springs);
    if (step == 0 || (step == 1 && mechanism_conserves(watch->m))) {
        bool exact = mechanism_conserves(watch->m) && watch->m->sim.integrator != AFX_REFERENCE;
        watch->gain_allowed = exact ? GAIN_MOST_CONSERVING : GAIN_MOST;
        watch->gain_most = 0;
        watch->start_energy = total;
        watch->floor = GAIN_LEAST * weight_of_all(watch->m) * watch->m->size;
    }
    watch->swing = fmax(watch->swing, parts.kinetic + parts.elastic + fabs(springs));
    double gain = (total - watch->start_energy - watch->floor) / (watch->swing + watch->floor);
    if (gain > watch->gain_most) {
        watch->gain_step = watch->gain_most > watch->gain_allowed ? watch->gain_step : step;
        watch->gain_most = gain;
    }
}

/* The book's works add up to its change, and what it says is stored is what the definitions say. */
static void watch_book(Watch *watch, const AfxSim *sim, uint32_t step) {
    AfxEnergyBook own, total;
    AfxEnergy parts;
    double springs, sum = 0, sum_total = 0, scale = 0;
    stored_energy(watch->m, sim, &parts, &springs);
    if (afx_sim_energy_book(sim, &own, &total) != AFX_OK) {
        watch->book_off = INFINITY;
        return;
    }
#define SUM(name, text)      \
    sum += own.name;         \
    sum_total += total.name; \
    scale += fabs(total.name);
    AFX_ENERGY_WORK_TABLE(SUM)
#undef SUM
    scale += parts.kinetic + fabs(parts.potential) + parts.elastic + springs + watch->floor / GAIN_LEAST;
    double off = fabs(sum - own.change) + fabs(sum_total - total.change) + fabs(own.springs - springs) +
                 fabs(own.kinetic - parts.kinetic) + fabs(own.potential - parts.potential);
    if (!(off / scale <= watch->book_off)) {
        watch->book_off = off / scale;
        watch->book_step = step;
    }
    double gain = total.integrator / (scale + watch->swing);
    if (gain > watch->book_gain) {
        watch->book_gain = gain;
        watch->book_gain_step = step;
    }
}

static bool all_rigid(const Mechanism *m) {
    bool rigid = true;
    for (uint32_t k = 0; k < m->body_count; k++) {
        rigid &= m->body[k].gone || m->body[k].def.kind != AFX_BODY_DYNAMIC || isinf(m->body[k].def.young);
    }
    return rigid;
}

/* Over what is allowed. */
static void watch_gaps(Watch *watch, const AfxSim *sim, const AfxStepReport *report, uint32_t step) {
    const Mechanism *m = watch->m;
    double most = m->sim.accuracy == AFX_FAST ? GAP_FAST : GAP_ACCURATE, size = afx_model_size(afx_sim_model(sim));
    double worst = report->violation / (VIOLATION_MOST * fmax(1, size));
    for (uint32_t k = 0; all_rigid(m) && k < afx_model_joint_count(afx_sim_model(sim)); k++) {
        AfxJointGap gap;
        if (afx_sim_joint_gap(sim, k, &gap) == AFX_OK) {
            worst = fmax(worst, fmax(gap.distance / m->size, gap.angle) / most);
        }
    }
    if (worst > watch->gap_most) {
        watch->gap_step = watch->gap_most > 1 ? watch->gap_step : step;
        watch->gap_most = worst;
    }
}

static bool keep_snapshot(Watch *watch, const AfxSim *sim) {
    watch->snapshot_size = afx_sim_snapshot_size(sim);
    watch->snapshot = malloc(watch->snapshot_size);
    return watch->snapshot && afx_sim_snapshot(sim, watch->snapshot, watch->snapshot_size) == AFX_OK;
}

/* rad: what turns as far in a step before one that fails is on its way to turn too far. */
#define TURNS_FAR 0.3

/* Whether a body turns far in a step, as the state before the one that failed has it. */
static bool turns_far(const AfxSim *sim) {
    double most = 0;
    for (uint32_t k = 0; k < afx_model_body_count(afx_sim_model(sim)); k++) {
        AfxTwist twist = {0};
        afx_sim_body_twist(sim, k, &twist);
        most = fmax(most, v3_norm(twist.angular));
    }
    return most * afx_sim_dt(sim) > TURNS_FAR;
}

/* A step that failed: whether there is an excuse. Drives on angles that have lost their meaning are one, and motion
 * that turns too far in a step; the report must say so, and of what nothing drives the turns must be there to be seen.
 */
static Finding failed(const Mechanism *m, const AfxSim *sim, AfxStatus status, const AfxStepReport *report,
                      uint32_t step) {
    Finding out = {.step = step, .steps = step - 1};
    bool says = status == AFX_E_NUMERIC && report->flags & AFX_STEP_FAILED && report->body != UINT32_MAX;
    bool lost = report->flags & AFX_STEP_SINGULAR_ANGLES && report->joint != UINT32_MAX;
    bool far = report->flags & AFX_STEP_TURNS_FAR && (!mechanism_passive(m) || turns_far(sim));
    out.fault = !says ? FAULT_SILENT : mechanism_may_be_infeasible(m) || lost || far ? FAULT_INFEASIBLE : FAULT_FAILS;
    snprintf(out.text, sizeof out.text, "step %u: status %d, body %d, violation %.1e%s%s", step, (int)status,
             report->body == UINT32_MAX ? -1 : (int)report->body, report->violation, lost ? ", angles are lost" : "",
             report->flags & AFX_STEP_TURNS_FAR ? ", turns far" : "");
    return out;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static Finding look_at_work(const Watch *watch) {
    static double sorted[1024];
    Finding out = {.fault = FAULT_NONE, .steps = watch->steps};
    memcpy(sorted, watch->work, watch->steps * sizeof *sorted);
    qsort(sorted, watch->steps, sizeof *sorted, compare);
    double median = fmax(2, watch->steps ? sorted[watch->steps / 2] : 0);
    for (uint32_t k = 0; k < watch->steps; k++) {
        if (watch->work[k] > fmax(WORK_MOST, out.amount) * median) {
            out.fault = FAULT_WORK;
            out.amount = watch->work[k] / median;
            out.step = k + 1;
        }
    }
    snprintf(out.text, sizeof out.text, "step %u: %.0f times the iterations of the median step", out.step, out.amount);
    return out;
}

/* What was seen by the time the run ended. */
static Finding look_back(const Watch *watch) {
    Finding out = {.fault = FAULT_NONE, .steps = watch->steps};
    if (watch->gap_most > 1) {
        out.fault = FAULT_OPEN;
        out.step = watch->gap_step;
        out.amount = watch->gap_most;
        snprintf(out.text, sizeof out.text, "step %u: joints are open by %.2g times what is allowed", out.step,
                 out.amount);
    } else if (watch->passive && watch->gain_most > watch->gain_allowed) {
        out.fault = FAULT_ENERGY;
        out.step = watch->gain_step;
        out.amount = watch->gain_most;
        snprintf(out.text, sizeof out.text,
                 "step %u: energy above the start by %.2g of what moves (start %.3g J, moves %.3g J)", out.step,
                 out.amount, watch->start_energy, watch->swing);
    } else if (!(watch->book_off <= BOOK_MOST)) {
        out.fault = FAULT_BOOK;
        out.step = watch->book_step;
        out.amount = watch->book_off;
        snprintf(out.text, sizeof out.text, "step %u: the energy book is off by %.1e", out.step, out.amount);
    } else {
        out = look_at_work(watch);
    }
    return out;
}

static Finding watched_run(Watch *watch, const AfxSimDef *def) {
    const Mechanism *m = watch->m;
    Trial trial;
    Finding out = {.fault = FAULT_REFUSED};
    if (!trial_start(m, def, &trial)) {
        bool told = trial.error.status == AFX_E_INPUT && trial.error.element[0] && trial.error.text[0];
        out.fault = mechanism_conserves(m) && trial.model && told ? FAULT_INFEASIBLE : FAULT_REFUSED;
        snprintf(out.text, sizeof out.text, "%.80s: %.100s", trial.error.element, trial.error.text);
        trial_end(&trial);
        return out;
    }
    watch_energy(watch, trial.sim, 0);
    bool booked = afx_sim_set_energy_book(trial.sim, true) == AFX_OK || !mechanism_conserves(m); /* those keep none */
    out.fault = FAULT_NONE;
    double work = 0;
    bool goes_on = true;
    for (uint32_t step = 1; step <= m->steps && out.fault == FAULT_NONE && goes_on; step++) {
        AfxStepReport report;
        AfxStatus status = afx_step(trial.sim, &report);
        if (status != AFX_OK) {
            out = failed(m, trial.sim, status, &report, step);
        } else if (!sim_finite(trial.sim)) {
            out = (Finding){.fault = FAULT_SILENT, .step = step};
            snprintf(out.text, sizeof out.text, "step %u: not finite, and no error", step);
        } else {
            watch->work[step - 1] = report.iterations_mean;
            watch->hash[step - 1] = state_hash(trial.sim);
            watch->steps = step;
            work += report.iterations_mean * mechanism_moving(m);
            goes_on = m->work_most <= 0 || work < m->work_most;
            watch_energy(watch, trial.sim, step);
            if (booked) {
                watch_book(watch, trial.sim, step);
            }
            watch_gaps(watch, trial.sim, &report, step);
            if (step == m->snapshot_step) {
                keep_snapshot(watch, trial.sim);
            }
        }
    }
    trial_end(&trial);
    Finding seen = look_back(watch);
    bool sooner = seen.fault == FAULT_ENERGY || seen.fault == FAULT_OPEN;
    return out.fault == FAULT_NONE || (out.fault != FAULT_SILENT && sooner) ? seen : out;
}

/* ---- runs that must come to the same ---- */

/* From a step on; the first step that is not as it was, or 0. */
static uint32_t run_again(const Watch *watch, const AfxSimDef *def, bool restore) {
    const Mechanism *m = watch->m;
    Trial trial;
    uint32_t first = restore ? m->snapshot_step + 1 : 1, other = 0;
    bool fine = trial_start(m, def, &trial);
    if (fine && restore) {
        fine = afx_sim_restore(trial.sim, watch->snapshot, watch->snapshot_size) == AFX_OK;
    }
    other = fine ? 0 : first;
    for (uint32_t step = first; step <= watch->steps && !other; step++) {
        bool same = afx_step(trial.sim, NULL) == AFX_OK && state_hash(trial.sim) == watch->hash[step - 1];
        other = same ? 0 : step;
    }
    trial_end(&trial);
    return other;
}

static Finding differs(Fault fault, uint32_t step, uint32_t steps) {
    Finding out = {.fault = step ? fault : FAULT_NONE, .step = step, .steps = steps};
    snprintf(out.text, sizeof out.text, "step %u: %s", step, fault_name(fault));
    return out;
}

/* The parts of two threads one after the other, last first: what one of them has no right to see of another shows just
 * as well, and at no cost where the cores have other things to do. */
static void run_backwards(void *user, uint32_t count, void (*call)(void *context, uint32_t k), void *context) {
    (void)user;
    for (uint32_t k = count; k-- > 0;) {
        call(context, k);
    }
}

static Finding look_at_bits(const Watch *watch, Fault only) {
    Finding out = {.fault = FAULT_NONE, .steps = watch->steps};
    AfxSimDef threads = watch->m->sim, lanes = watch->m->sim;
    threads.threads = 2;
    threads.tasks = watch->m->seed % 16 ? (AfxTasks){run_backwards, NULL} : (AfxTasks){NULL, NULL};
    lanes.lanes = 1;
    if (only == FAULT_COUNT) { /* both at once; apart only when they differ */
        AfxSimDef both = threads;
        both.lanes = 1;
        if (run_again(watch, &both, false)) {
            uint32_t step = run_again(watch, &threads, false);
            out = step ? differs(FAULT_THREADS, step, watch->steps)
                       : differs(FAULT_LANES, run_again(watch, &lanes, false), watch->steps);
        }
    } else if (only == FAULT_THREADS || only == FAULT_LANES) {
        out = differs(only, run_again(watch, only == FAULT_LANES ? &lanes : &threads, false), watch->steps);
    }
    bool kept = watch->snapshot && watch->steps > watch->m->snapshot_step;
    if (out.fault == FAULT_NONE && kept && (only == FAULT_COUNT || only == FAULT_RESTORE)) {
        out = differs(FAULT_RESTORE, run_again(watch, &watch->m->sim, true), watch->steps);
    }
    return out;
}

Finding examine_for(const Mechanism *mechanism, Fault fault) {
    Watch *watch = calloc(1, sizeof *watch);
    Finding out = {.fault = FAULT_SILENT, .text = "out of memory"};
    if (watch) {
        watch->m = mechanism;
        watch->passive = mechanism_passive(mechanism);
        out = watched_run(watch, &mechanism->sim);
        if (out.fault == FAULT_NONE) {
            out = look_at_bits(watch, fault);
        }
        free(watch->snapshot);
        free(watch);
    }
    return out;
}

Finding examine(const Mechanism *mechanism) {
    return examine_for(mechanism, FAULT_COUNT);
}

/* ---- the order ---- */

/* Centres of mass after `duration` in steps of dt; false when a step fails. */
static bool place_after(const Mechanism *m, double duration, double dt, double *out_q) {
    AfxSimDef def = m->sim;
    Trial trial;
    def.dt = dt;
    def.accuracy = AFX_ACCURATE;
    bool fine = trial_start(m, &def, &trial);
    for (uint32_t k = (uint32_t)lround(duration / dt); k > 0 && fine; k--) {
        fine = afx_step(trial.sim, NULL) == AFX_OK;
    }
    if (fine) {
        memcpy(out_q, afx_sim_coordinates(trial.sim), 12 * sizeof(double) * afx_model_body_count(trial.model));
    }
    trial_end(&trial);
    return fine;
}

double examine_order(const Mechanism *mechanism) {
    static double q[3][12 * BODIES_MOST];
    double dt = fmin(mechanism->sim.dt, 0.02 * sqrt(mechanism->size / 9.81)), off[2] = {0};
    for (int k = 0; k < 3; k++) {
        memset(q[k], 0, sizeof q[k]);
        if (!place_after(mechanism, 16 * dt, dt / (1 << k), q[k])) {
            return NAN;
        }
    }
    for (uint32_t k = 0; k < 12 * mechanism->body_count; k++) {
        double scale = k % 12 < 9 ? mechanism->size : 1;
        off[0] = fmax(off[0], scale * fabs(q[0][k] - q[1][k]));
        off[1] = fmax(off[1], scale * fabs(q[1][k] - q[2][k]));
    }
    return off[1] > 1e-9 * mechanism->size ? log2(off[0] / off[1]) : NAN;
}
