/* SPDX-License-Identifier: Apache-2.0 */
/* A step of several sims: what each begins with and how it ends is its own; in between, islands of the same number go
 * side by side. */
#include "reduced/lanes.h"

#include "base/clock.h"
#include "reduced/advance.h"
#include "reduced/explicit.h"
#include "reduced/parts.h"
#include "reduced/recursion.h"
#include "reduced/step.h"

/* Sims whose steps are under way. */
typedef struct Group {
    uint32_t count;
    AfxiReducedIslands *set[AFXI_LANES_MOST], *owner; /* owner: of the room for their steps */
    AfxStepReport *report[AFXI_LANES_MOST];
    bool begun[AFXI_LANES_MOST];
    const AfxiReduced *failed[AFXI_LANES_MOST];
    uint32_t stiff[AFXI_LANES_MOST];
} Group;

static bool takes_lanes(const AfxiReducedIslands *set) {
    AfxIntegrator integrator = set->world->def.integrator;
    return integrator == AFX_RK4 || integrator == AFX_AUTO || integrator == AFX_BDF2 || integrator == AFX_BDF1;
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

/* Robots of an island, in their step. */
typedef struct Crew {
    AfxIntegrator integrator;
    uint32_t count;
    AfxiReduced *robot[AFXI_LANES_MOST];
    AfxStepReport *report[AFXI_LANES_MOST];
    bool fresh[AFXI_LANES_MOST], looked[AFXI_LANES_MOST]; /* looked: contact points are known */
    uint32_t stiff[AFXI_LANES_MOST];
    AfxiLaneBits seated, tried, good; /* in lanes; that may not go by itself in the same way; that are done */
} Crew;

/* Whether it may go in lanes by Runge-Kutta, as far as it is known before. */
static bool may_go(Crew *crew, uint32_t e) {
    AfxiReduced *robot = crew->robot[e];
    double h = robot->world->state.head->dt;
    if (crew->integrator == AFX_AUTO) {
        return afxi_reduced_smooth_before(robot, h, &crew->looked[e]);
    }
    crew->stiff[e] = crew->fresh[e] ? afxi_reduced_too_stiff(robot, h, AFXI_REDUCED_STIFF) : AFXI_TREE_NONE;
    return crew->stiff[e] == AFXI_TREE_NONE;
}

static void go_smooth(Crew *crew, AfxiReducedLanes *lanes) {
    bool automatic = crew->integrator == AFX_AUTO;
    AfxiLaneBits fine = 0;
    for (uint32_t e = 0; e < crew->count; e++) {
        crew->tried |= (AfxiLaneBits)(afxi_lane_in(crew->seated, e) && may_go(crew, e)) << e;
    }
    if (crew->tried) {
        fine = afxi_lanes_rk4(lanes, crew->tried, crew->robot[0]->world->state.head->dt, automatic);
    }
    for (uint32_t e = 0; e < crew->count; e++) {
        AfxiReduced *robot = crew->robot[e];
        if (afxi_lane_in(fine, e) && (automatic ? afxi_reduced_smooth_after(robot) : afxi_reduced_finite(robot))) {
            robot->next_history = 1;
            crew->report[e]->flags |= automatic ? AFX_STEP_EXPLICIT : 0;
            crew->good |= 1u << e;
        }
    }
}

/* Those that go by backward differences, or could not go by Runge-Kutta. */
static void go_implicit(Crew *crew, AfxiReducedLanes *lanes) {
    AfxiLaneBits going = 0, fine;
    double h = crew->robot[0]->world->state.head->dt;
    for (uint32_t e = 0; e < crew->count; e++) {
        AfxiReduced *robot = crew->robot[e];
        if (!afxi_lane_in(crew->seated & ~crew->good, e) || !afxi_lanes_take_implicit(robot)) {
            continue;
        }
        if (crew->integrator != AFX_AUTO) {
            afxi_reduced_go_back(robot);
            crew->looked[e] = afxi_reduced_look(robot, h);
        }
        if (crew->looked[e]) {
            afxi_reduced_go_rough(robot, crew->report[e]);
            going |= (AfxiLaneBits)afxi_reduced_implicit_before(robot) << e;
        }
    }
    crew->tried |= going;
    fine = going ? afxi_lanes_bdf(lanes, going, h, going) : 0;
    for (uint32_t e = 0; e < crew->count; e++) {
        bool done = afxi_lane_in(fine, e) && afxi_reduced_implicit_after(crew->robot[e], crew->report[e]);
        crew->good |= (AfxiLaneBits)done << e;
    }
}

/* A step of island k of all: in lanes where it can be, then of each that is left. */
static void advance(Group *group, uint32_t k) {
    uint32_t which[AFXI_LANES_MOST];
    Crew crew = {.integrator = group->owner->world->def.integrator};
    crew.count = list(group, k, crew.robot, which);
    AfxiReducedLanes *lanes = room_for(group, k, crew.count);
    for (uint32_t e = 0; e < crew.count; e++) {
        crew.fresh[e] = afxi_reduced_start(crew.robot[e]);
        crew.report[e] = group->report[which[e]];
        crew.stiff[e] = AFXI_TREE_NONE;
    }
    crew.seated = lanes ? afxi_lanes_seat(lanes, crew.robot, crew.count) : 0;
    if (crew.integrator == AFX_RK4 || crew.integrator == AFX_AUTO) {
        go_smooth(&crew, lanes);
    }
    if (crew.integrator != AFX_RK4) {
        go_implicit(&crew, lanes);
    }
    for (uint32_t e = 0; e < crew.count; e++) {
        bool good = afxi_lane_in(crew.good, e);
        if (!good && crew.looked[e]) {
            good = afxi_reduced_advance_rough(crew.robot[e], crew.report[e]);
        } else if (!good && !afxi_lane_in(crew.tried, e) && crew.stiff[e] == AFXI_TREE_NONE) {
            good = afxi_reduced_advance(crew.robot[e], crew.fresh[e], crew.report[e], &crew.stiff[e]);
        }
        group->stiff[which[e]] = crew.stiff[e];
        group->failed[which[e]] = good ? NULL : crew.robot[e];
        afxi_reduced_step_tell(crew.robot[e], crew.report[e]);
    }
}

/* Results of island k of all that have them become their states. */
static void commit(const Group *group, uint32_t k) {
    AfxiReduced *robots[AFXI_LANES_MOST];
    uint32_t which[AFXI_LANES_MOST], count = list(group, k, robots, which);
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
