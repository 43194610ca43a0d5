/* SPDX-License-Identifier: Apache-2.0 */
/* A step of several sims: what each begins with and how it ends is its own; in between, islands of the same number go
 * side by side. */
#include "reduced/lanes.h"

#include "base/clock.h"
#include "reduced/advance.h"
#include "reduced/explicit.h"
#include "reduced/recursion.h"
#include "reduced/step.h"

/* The most lanes of any machine. */
#define LANES_MOST 8

/* Sims whose steps are under way. */
typedef struct Group {
    uint32_t count;
    AfxiReducedIslands *set[LANES_MOST], *owner; /* owner: of the room for their steps */
    AfxStepReport *report[LANES_MOST];
    bool begun[LANES_MOST];
    const AfxiReduced *failed[LANES_MOST];
    uint32_t stiff[LANES_MOST];
} Group;

static bool takes_lanes(const AfxiReducedIslands *set) {
    AfxIntegrator integrator = set->world->def.integrator;
    return integrator == AFX_RK4 || integrator == AFX_AUTO;
}

static bool are_alike(const AfxiReducedIslands *a, const AfxiReducedIslands *b) {
    return a->world->model == b->world->model && a->world->def.integrator == b->world->def.integrator;
}

/* The robots of island k whose sims go on, and which of the group they are. */
static uint32_t list(const Group *group, uint32_t k, AfxiReduced **robots, uint32_t *which) {
    uint32_t count = 0;
    for (uint32_t l = 0; l < group->count; l++) {
        if (group->begun[l] && !group->failed[l]) {
            which[count] = l;
            robots[count++] = &group->set[l]->island[k];
        }
    }
    return count;
}

/* Room for steps of island k; NULL: one goes by itself, or there is no memory, and each does, with the same bits. */
static AfxiReducedLanes *room_for(const Group *group, uint32_t k, uint32_t count) {
    AfxiReduced *owner = &group->owner->island[k];
    return count > 1 && (owner->lanes || afxi_lanes_create(owner)) ? owner->lanes : NULL;
}

/* Whether it may go in lanes, as far as it is known before; *out_looked: contact points are known. *out_stiff: it may
 * not go at all. */
static bool may_go(AfxiReduced *robot, bool fresh, bool *out_looked, uint32_t *out_stiff) {
    double h = robot->world->state.head->dt;
    if (robot->world->def.integrator == AFX_AUTO) {
        return afxi_reduced_smooth_before(robot, h, out_looked);
    }
    *out_stiff = fresh ? afxi_reduced_too_stiff(robot, h, AFXI_REDUCED_STIFF) : AFXI_TREE_NONE;
    return *out_stiff == AFXI_TREE_NONE;
}

/* A step of island k of all: in lanes where it can be, then of each that is left. */
static void advance(Group *group, uint32_t k) {
    AfxiReduced *robots[LANES_MOST];
    uint32_t which[LANES_MOST], count = list(group, k, robots, which);
    bool fresh[LANES_MOST], looked[LANES_MOST] = {false}, automatic = group->owner->world->def.integrator == AFX_AUTO;
    AfxiReducedLanes *lanes = room_for(group, k, count);
    AfxiLaneBits tried = 0, fine = 0;
    for (uint32_t e = 0; e < count; e++) {
        fresh[e] = afxi_reduced_start(robots[e]);
    }
    AfxiLaneBits seated = lanes ? afxi_lanes_seat(lanes, robots, count) : 0;
    for (uint32_t e = 0; e < count; e++) {
        bool goes = seated >> e & 1 && may_go(robots[e], fresh[e], &looked[e], &group->stiff[which[e]]);
        tried |= (AfxiLaneBits)goes << e;
    }
    if (tried) {
        fine = afxi_lanes_rk4(lanes, tried, robots[0]->world->state.head->dt, automatic);
    }
    for (uint32_t e = 0; e < count; e++) {
        AfxStepReport *report = group->report[which[e]];
        bool good = fine >> e & 1;
        good = good && (automatic ? afxi_reduced_smooth_after(robots[e]) : afxi_reduced_finite(robots[e]));
        if (good) {
            robots[e]->next_history = 1;
            report->flags |= automatic ? AFX_STEP_EXPLICIT : 0;
        } else if (looked[e]) {
            good = afxi_reduced_advance_rough(robots[e], report);
        } else if (!(tried >> e & 1) && group->stiff[which[e]] == AFXI_TREE_NONE) {
            good = afxi_reduced_advance(robots[e], fresh[e], report, &group->stiff[which[e]]);
        }
        group->failed[which[e]] = good ? NULL : robots[e];
        afxi_reduced_step_tell(robots[e], report);
    }
}

/* Results of island k of all that have them become their states. */
static void commit(const Group *group, uint32_t k) {
    AfxiReduced *robots[LANES_MOST];
    uint32_t which[LANES_MOST], count = list(group, k, robots, which);
    AfxiReducedLanes *lanes = room_for(group, k, count);
    AfxiLaneBits seated = lanes ? afxi_lanes_seat(lanes, robots, count) : 0;
    if (seated) {
        afxi_lanes_commit(lanes, seated);
    }
    for (uint32_t e = 0; e < count; e++) {
        if (!(seated >> e & 1)) {
            afxi_reduced_commit(robots[e]);
        }
    }
}

static void step_group(Group *group, AfxStatus *out_statuses) {
    double mark = afxi_clock();
    for (uint32_t l = 0; l < group->count; l++) {
        group->failed[l] = NULL;
        group->stiff[l] = AFXI_TREE_NONE;
        out_statuses[l] = afxi_reduced_step_begin(group->set[l], group->report[l]);
        group->begun[l] = out_statuses[l] == AFX_OK;
    }
    for (uint32_t k = 0; k < group->set[0]->count; k++) {
        advance(group, k);
    }
    for (uint32_t k = 0; k < group->set[0]->count; k++) {
        commit(group, k);
    }
    for (uint32_t l = 0; l < group->count; l++) {
        if (group->begun[l]) {
            out_statuses[l] = afxi_reduced_step_end(group->set[l], group->failed[l], group->stiff[l], group->report[l]);
        }
    }
    double share = (afxi_clock() - mark) / group->count;
    for (uint32_t l = 0; l < group->count; l++) {
        group->report[l]->stage_seconds[AFX_STAGE_JOINTS] += share;
    }
}

void afxi_lanes_step(void *const *works, uint32_t count, AfxStepReport *const *reports, AfxStatus *out_statuses) {
    uint32_t lanes = afxi_tree_kernels(0)->lanes;
    Group group;
    group.owner = NULL;
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        end = begin;
        do {
            group.set[end - begin] = works[end];
            group.report[end - begin] = reports[end];
            end++;
        } while (end < count && end - begin < lanes && takes_lanes(works[begin]) &&
                 are_alike(works[begin], works[end]));
        group.count = end - begin;
        if (!group.owner || !are_alike(group.owner, works[begin])) {
            group.owner = works[begin];
        }
        step_group(&group, out_statuses + begin);
    }
}
