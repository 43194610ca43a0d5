/* SPDX-License-Identifier: Apache-2.0 */
/* An island sleeps when every point of its bodies has been slower than AfxSimDef.sleep_speed for sleep_time, and
 * nothing that changes with time acts on it. All that this goes by is in the state, so that a snapshot goes on as it
 * would have gone. */
#include "step/sleep.h"

#include <math.h>
#include <string.h>

#include "base/forest.h"
#include "math/vec3.h"
#include "model/model.h"
#include "state/holds.h"
#include "state/sleep.h"
#include "step/book.h"
#include "step/tuning.h"

/* ---- waking ---- */

void afxi_sleep_wake_joint(AfxSim *sim, uint32_t joint) {
    const uint32_t ends[2] = {sim->model->joints[joint].follower, sim->model->joints[joint].base};
    for (int side = 0; side < 2; side++) {
        if (ends[side] != AFXI_WORLD) {
            afxi_sleep_wake(&sim->world.state, sim->model, ends[side]);
        }
    }
}

bool afx_sim_asleep(const AfxSim *sim, uint32_t body) {
    return sim && body < sim->model->shown.bodies && afxi_is_asleep(&sim->world.state, body);
}

AfxStatus afx_sim_wake(AfxSim *sim, uint32_t body) {
    if (!sim || (body != UINT32_MAX && body >= sim->model->shown.bodies)) {
        return AFX_E_ARGUMENT;
    }
    afxi_sleep_wake(&sim->world.state, sim->model, body);
    return AFX_OK;
}

/* ---- steps ---- */

void afxi_sleep_begin(AfxSim *sim) {
    AfxiState *state = &sim->world.state;
    AfxiSolver *solver = &sim->solver;
    if (!(sim->def.sleep_speed > 0)) {
        afxi_sleep_wake(state, sim->model, UINT32_MAX); /* of a snapshot from where they may sleep */
        return;
    }
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k];
        solver->absent[body] = solver->asleep[body] = afxi_is_asleep(state, body);
        solver->any_absent |= solver->absent[body] != 0;
    }
}

void afxi_sleep_groups(AfxSim *sim) {
    for (uint32_t k = 0; sim->world.state.head->sleepers && k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k], group = sim->world.state.asleep[body];
        sim->group[body] = group ? group - 1 : sim->group[body];
    }
}

void afxi_sleep_wake_late(AfxSim *sim) {
    for (uint32_t k = 0; sim->world.state.head->sleepers && k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k];
        if (sim->late[body] && sim->solver.asleep[body]) {
            afxi_sleep_wake(&sim->world.state, sim->model, body);
            sim->solver.asleep[body] = 0;
        }
    }
}

/* ---- falling asleep ---- */

/* m/s, no point of a body is faster. */
static double speed_of(const AfxSim *sim, uint32_t body) {
    const AfxiBodyClass *class = afxi_world_class(&sim->world, body);
    const double *v = sim->world.state.v + (size_t)AFXI_AFFINE_WIDTH * body;
    double reach = sqrt(3 * (class->s[0] + class->s[1] + class->s[2]) / class->mass), square = 0;
    for (int k = 0; k < 9; k++) {
        square += v[k] * v[k];
    }
    return vec3_length(vec3_load(v + 9)) + reach * sqrt(square);
}

/* Counts the steps that bodies rest; whether one has rested long enough comes back. */
static bool count_rest(AfxSim *sim, uint32_t enough) {
    AfxiState *state = &sim->world.state;
    bool any = false;
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        uint32_t body = sim->model->dynamic[k];
        if (!state->asleep[body]) {
            bool slow = speed_of(sim, body) < sim->def.sleep_speed;
            state->rested[body] = !slow ? 0 : state->rested[body] < enough ? state->rested[body] + 1 : enough;
            any |= state->rested[body] >= enough;
        }
    }
    return any;
}

/* What is awake, in sets of `group` by what holds it together. */
static void join_islands(AfxSim *sim) {
    const AfxModel *model = sim->model;
    const AfxiContactSet *set = sim->solver.set;
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        sim->group[model->dynamic[k]] = model->root[model->dynamic[k]];
        sim->waits[model->dynamic[k]] = 0;
    }
    for (uint32_t k = 0; set && k < set->now.count; k++) {
        const AfxiPoint *point = &set->now.point[k];
        if (point->pair) {
            afxi_forest_join(sim->group, model->root[point->body_a], model->root[point->body_b]);
        }
    }
}

/* The island of a body stays awake. */
static void keep_awake(AfxSim *sim, uint32_t body) {
    if (body != AFXI_WORLD && sim->model->kind[body] == AFX_BODY_DYNAMIC) {
        sim->waits[afxi_forest_root(sim->group, sim->model->root[body])] = 1;
    }
}

/* Joints and springs to bodies that are led, drives that move, and controls with a state of their own. */
static void keep_driven(AfxSim *sim) {
    const AfxModel *model = sim->model;
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const uint32_t ends[2] = {model->joints[k].follower, model->joints[k].base};
        for (int side = 0; side < 2; side++) {
            if (ends[side] != AFXI_WORLD && model->kind[ends[side]] == AFX_BODY_KINEMATIC) {
                keep_awake(sim, ends[!side]);
            }
        }
    }
    for (uint32_t k = 0; k < model->spring_count; k++) {
        const uint32_t ends[2] = {model->springs[k].body_a, model->springs[k].body_b};
        for (int side = 0; side < 2; side++) {
            if (ends[side] != AFXI_WORLD && model->kind[ends[side]] == AFX_BODY_KINEMATIC) {
                keep_awake(sim, ends[!side]);
            }
        }
    }
    for (uint32_t k = 0; k < model->drive_count; k++) {
        const AfxiDrive *drive = &model->drives[k];
        const double *input = sim->world.state.drive_input + 4 * (size_t)k;
        bool moves = drive->from_input ? input[0] != input[2] || input[1] != 0 || input[3] != 0
                                       : drive->target.kind != AFX_SIGNAL_CONSTANT;
        if (moves || drive->kind == AFX_DRIVE_VELOCITY) {
            keep_awake(sim, model->joints[drive->joint].follower);
            keep_awake(sim, model->joints[drive->joint].base);
        }
    }
    for (uint32_t k = 0; model->robot.active && k < model->robot.control_count; k++) {
        const AfxiControl *control = &model->robot.control[k];
        uint32_t joint = control->drive != UINT32_MAX ? model->drives[control->drive].joint : UINT32_MAX;
        keep_awake(sim, joint != UINT32_MAX               ? model->joints[joint].follower
                        : control->adhesion != UINT32_MAX ? control->adhesion
                                                          : model->wrench_body[control->wrench]);
    }
}

/* Forces that change with time, holds, and what is led and touches. */
static void keep_pushed(AfxSim *sim) {
    const AfxModel *model = sim->model;
    const AfxiContactSet *set = sim->solver.set;
    const AfxiHolds *holds = sim->world.holds;
    for (uint32_t k = 0; k < model->wrench_signal_count; k++) {
        keep_awake(sim, model->wrench_body[model->wrench_signal[k].wrench]);
    }
    for (uint32_t k = 0; holds && k < holds->count; k++) {
        keep_awake(sim, holds->hold[k].body);
    }
    for (uint32_t k = 0; set && k < set->now.count; k++) {
        const AfxiPoint *point = &set->now.point[k];
        const AfxiPointMemory *items = &point->memory;
        const AfxiContactShape *shapes = model->contacts.shapes;
        bool deforms = model->contacts.geometries[shapes[items->item_a].geometry].frames ||
                       model->contacts.geometries[shapes[items->item_b].geometry].frames;
        if (!point->pair && (deforms || afxi_sleep_is_led(&sim->world, point->body_b))) {
            keep_awake(sim, point->body_a);
        }
    }
}

/* Contacts of those that fall asleep are told as they are now. False: no memory, and none does. */
static bool keep_points(AfxSim *sim) {
    AfxiState *state = &sim->world.state;
    AfxiPointList *still = &sim->still;
    const AfxiContactSet *set = sim->solver.set;
    uint32_t kept = 0;
    if (!set || afxi_array_reserve(&sim->def.allocator, (void **)&still->point, &still->capacity,
                                   still->count + set->now.count, sizeof *still->point) != AFX_OK) {
        return !set;
    }
    for (uint32_t k = 0; k < still->count; k++) {
        if (state->asleep[still->point[k].body_a]) {
            still->point[kept++] = still->point[k];
        }
    }
    still->count = kept;
    for (uint32_t k = 0; k < set->now.count; k++) {
        uint32_t body = set->now.point[k].body_a;
        if (!state->asleep[body] && !sim->waits[afxi_forest_root(sim->group, sim->model->root[body])]) {
            still->point[still->count++] = set->now.point[k];
        }
    }
    return true;
}

static void fall_asleep(AfxSim *sim, uint32_t enough) {
    const AfxModel *model = sim->model;
    AfxiState *state = &sim->world.state;
    bool any = false;
    join_islands(sim);
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        if (state->rested[model->dynamic[k]] < enough) {
            keep_awake(sim, model->dynamic[k]);
        }
    }
    keep_driven(sim);
    keep_pushed(sim);
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k];
        any |= !state->asleep[body] && !sim->waits[afxi_forest_root(sim->group, model->root[body])];
    }
    if (!any || !keep_points(sim)) {
        return;
    }
    double kinetic = afxi_book_kinetic(sim);
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k], island = afxi_forest_root(sim->group, model->root[body]);
        if (!state->asleep[body] && !sim->waits[island]) {
            state->asleep[body] = island + 1;
            state->head->sleepers++;
            afxi_sleep_still(state, body);
        }
    }
    afxi_book_jump(sim, kinetic);
}

/* Contacts of those that have woken are told by their step again. */
static void drop_points(AfxSim *sim) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < sim->still.count; k++) {
        if (afxi_is_asleep(&sim->world.state, sim->still.point[k].body_a)) {
            sim->still.point[kept++] = sim->still.point[k];
        }
    }
    sim->still.count = kept;
}

void afxi_sleep_finish(AfxSim *sim, AfxStepReport *report) {
    AfxiState *state = &sim->world.state;
    AfxiSolver *solver = &sim->solver;
    if (!(sim->def.sleep_speed > 0)) {
        return;
    }
    double time = sim->def.sleep_time > 0 ? sim->def.sleep_time : AFXI_SLEEP_TIME;
    uint32_t enough = (uint32_t)fmin(fmax(ceil(time / state->head->dt - 1e-6), 1), 1e9);
    drop_points(sim);
    if (count_rest(sim, enough)) {
        fall_asleep(sim, enough);
    }
    for (uint32_t k = 0; state->head->sleepers && k < sim->model->dynamic_count; k++) {
        if (state->asleep[sim->model->dynamic[k]]) { /* arrays of the history may have changed places */
            afxi_sleep_still(state, sim->model->dynamic[k]);
        }
    }
    report->asleep = state->head->sleepers;
    memset(solver->absent, 0, sim->model->body_count);
    memset(solver->asleep, 0, sim->model->body_count);
    solver->any_absent = false;
}
