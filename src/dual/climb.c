/* SPDX-License-Identifier: Apache-2.0 */
/* The elimination of climb.h over all jobs, part by part: parts do not depend on each other, and what is combined is
 * the largest of numbers, so threads do not change a bit. */
#include "dual/climb.h"

#include <math.h>
#include <string.h>

#include "base/task.h"
#include "dual/climb_alone.h"
#include "dual/climb_hub.h"
#include "dual/climb_pack.h"
#include "dual/climb_slot.h"
#include "dual/primal.h"
#include "dual/tuning.h"
#include "math/variant.h"

AFXI_BUILDS(const AfxiClimbKernel, afxi_climb);
AFXI_BUILDS(const AfxiClimbStageKernel, afxi_climb_stage);
AFXI_BUILDS(const AfxiClimbStageKernel, afxi_climb_straight);

const AfxiClimbKernel *afxi_climb_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_climb, lanes);
}

const AfxiClimbStageKernel *afxi_climb_stage_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_climb_stage, lanes);
}

const AfxiClimbStageKernel *afxi_climb_straight_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_climb_straight, lanes);
}

void afxi_climb_take(AfxiSystem *system, AfxiArena *arena) {
    const AfxiClimb *climb = &system->graph->climb;
    bool several = climb->on && system->graph->part_count > 1;
    size_t slots = (size_t)AFXI_CLIMB_LANES * (climb->slot_count + (size_t)1) + climb->ground_count;
    system->climb.slot = afxi_arena_take(arena, climb->on ? AFXI_CLIMB_SIZE * slots : 0, sizeof(double));
    system->climb.tally = afxi_arena_take(arena, climb->part_count, sizeof *system->climb.tally);
    system->climb.back = afxi_arena_take(arena, climb->back_length, sizeof(double));
    system->climb.pack = afxi_arena_take(arena, climb->pack_length, sizeof(double));
    system->climb.wrenched = afxi_arena_take(arena, climb->on ? climb->job_count : 0, 1);
    system->climb.part_of = afxi_arena_take(arena, several ? system->graph->body_count : 0, sizeof(uint32_t));
    for (uint32_t p = 0; several && arena->base && p < system->graph->part_count; p++) {
        const AfxiGraphPart *part = &system->graph->part[p];
        for (uint32_t body = part->first_body; body < part[1].first_body; body++) {
            system->climb.part_of[body] = p;
        }
    }
    system->climb.packed = system->climb.packed_forces = false;
    system->climb.stream = climb->back_length > AFXI_STREAM_FROM;
}

/* ---- all of them ---- */

/* Asks for what a job will read from all over the memory. */
static void prefetch_up(const AfxiSystem *system, const AfxiClimbJob *job) {
    const AfxiMotion *motion = system->climb.motion;
    const bool springs = job->rows == 6 && !job->straight; /* else in the order of jobs */
    for (uint32_t l = 0; l < job->lanes; l++) {
        uint32_t body = motion->body[job->body[l]];
        size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
        for (size_t line = 0; line <= 11; line += 11) { /* twelve numbers are on two lines or one */
            __builtin_prefetch(motion->q + at + line);
            __builtin_prefetch(motion->v + at + line);
            __builtin_prefetch(motion->x2 + at + line);
            __builtin_prefetch(motion->x3 + at + line);
        }
        uint32_t force = system->bodies.forces && !job->straight ? system->bodies.force_slot[body] : UINT32_MAX;
        if (force != UINT32_MAX) {
            __builtin_prefetch(system->bodies.forces[force].force);
            __builtin_prefetch(&system->bodies.forces[force].more);
        }
        for (uint32_t k = 0; k <= job->children; k++) {
            const AfxiClimbJoint *joint = &system->graph->climb.joint[job->first_joint + k];
            __builtin_prefetch(system->bodies.load + joint->row[l]);
            for (size_t line = 0; springs && k < job->children && line < AFXI_TURN_CONSTANTS; line += 8) {
                __builtin_prefetch(system->climb.springs + (size_t)AFXI_TURN_CONSTANTS * joint->turn[l] + line);
            }
        }
    }
}

static void up_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const AfxiSystem *system = context;
    const AfxiClimb *climb = &system->graph->climb;
    (void)part;
    for (uint32_t k = climb->part[begin]; k < climb->part[end]; k++) {
        const AfxiClimbJob *job = &climb->job[k];
        if (system->climb.whole && k + AFXI_PREFETCH_JOBS < climb->part[end] && job[AFXI_PREFETCH_JOBS].rows) {
            prefetch_up(system, job + AFXI_PREFETCH_JOBS);
        }
        if (job->hub) {
            afxi_climb_up_hub(system, job);
        } else if (!job->rows) {
            afxi_climb_up_alone(system, job);
        } else if (system->climb.whole) {
            (job->straight ? system->climb.straight : system->climb.stage)->rise(system, job);
        } else {
            system->climb.kernel->up(system, job);
        }
    }
}

/* Asks for what a job on the way back will write all over the memory. */
static void prefetch_back(const AfxiSystem *system, const AfxiClimbJob *job) {
    const AfxiClimbJoint *root = &system->graph->climb.joint[job->first_joint + job->children];
    for (uint32_t l = 0; l < job->lanes; l++) {
        const double *next = system->bodies.next + (size_t)AFXI_AFFINE_WIDTH * job->body[l];
        __builtin_prefetch(next, 1);
        __builtin_prefetch(next + 11, 1);
        if (job->rooted) {
            __builtin_prefetch(system->lambda + root->row[l], 1);
        }
    }
}

/* Lanes that are empty do as the first one does. */
static void fill_lanes(const AfxiSystem *system, const AfxiClimbJob *job) {
    double *message = afxi_climb_slot(system, AFXI_CLIMB_LANES * job->slot) + AFXI_CLIMB_LANES * AFXI_CLIMB_LAMBDA;
    for (uint32_t k = 0; k < AFXI_CLIMB_MESSAGE; k++, message += AFXI_CLIMB_LANES) {
        for (uint32_t l = job->lanes; l < AFXI_CLIMB_LANES; l++) {
            message[l] = message[0];
        }
    }
}

static double larger(double a, double b) { /* NaN wins */
    return b > a || isnan(b) ? b : a;
}

/* What the lanes of all jobs have found. */
static void combine_lanes(AfxiClimbTally *tally) {
    for (uint32_t l = 0; l < AFXI_CLIMB_LANES; l++) {
        tally->bodies.turn = larger(tally->bodies.turn, tally->lane[AFXI_TALLY_TURN][l]);
        tally->bodies.error = larger(tally->bodies.error, tally->lane[AFXI_TALLY_ERROR][l]);
        tally->bodies.infinite |= tally->lane[AFXI_TALLY_INFINITE][l] != 0;
        tally->bodies.jump |= tally->lane[AFXI_TALLY_JUMP][l] != 0;
        tally->gap = larger(tally->gap, tally->lane[AFXI_TALLY_GAP][l]);
        tally->reach = fmax(tally->reach, tally->lane[AFXI_TALLY_REACH][l]);
    }
}

/* What the lanes of one job have found, to the components of its bodies. */
static void spread_lanes(const AfxiSystem *system, const AfxiClimbJob *job, const AfxiClimbTally *own) {
    for (uint32_t l = 0; l < job->lanes; l++) {
        AfxiPartTally *part = &system->climb.parts[system->climb.part_of[job->body[l]]];
        part->turn = larger(part->turn, larger(own->bodies.turn, own->lane[AFXI_TALLY_TURN][l]));
        part->error = larger(part->error, larger(own->bodies.error, own->lane[AFXI_TALLY_ERROR][l]));
        part->gap = larger(part->gap, larger(own->gap, own->lane[AFXI_TALLY_GAP][l]));
        part->reach = fmax(part->reach, fmax(own->reach, own->lane[AFXI_TALLY_REACH][l]));
        part->jump |= own->bodies.jump || own->lane[AFXI_TALLY_JUMP][l] != 0;
        part->infinite |= own->bodies.infinite || own->lane[AFXI_TALLY_INFINITE][l] != 0;
    }
}

static void back_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const AfxiSystem *system = context;
    const AfxiClimb *climb = &system->graph->climb;
    AfxiClimbTally tally = {0};
    (void)part;
    for (uint32_t k = climb->part[end]; k-- > climb->part[begin];) {
        if (climb->job[k].hub) {
            afxi_climb_back_hub(system, &climb->job[k], &tally);
        } else if (!climb->job[k].rows) {
            afxi_climb_back_alone(system, &climb->job[k]);
        } else if (system->climb.whole) {
            const AfxiClimbJob *job = &climb->job[k];
            if (k >= climb->part[begin] + AFXI_PREFETCH_JOBS && job[-(int)AFXI_PREFETCH_JOBS].rows) {
                prefetch_back(system, job - AFXI_PREFETCH_JOBS);
            }
            if (job->lanes < AFXI_CLIMB_LANES) {
                fill_lanes(system, job);
            }
            AfxiClimbTally alone = {0}, *own = system->climb.parts ? &alone : &tally;
            (job->straight ? system->climb.straight : system->climb.stage)->fall(system, job, own);
            if (system->climb.parts) {
                spread_lanes(system, job, own);
            }
        } else {
            system->climb.kernel->back(system, &climb->job[k]);
        }
    }
    combine_lanes(&tally);
    system->climb.tally[begin] = tally;
}

/* Up through all parts and back. */
static void run(AfxiSystem *system) {
    uint32_t last = system->graph->climb.part_count - 1;
    afxi_parallel_for(system->factor.tasks, system->factor.threads, last, 1, up_part, system);
    up_part(system, last, last, last + 1);
    back_part(system, last, last, last + 1);
    afxi_parallel_for(system->factor.tasks, system->factor.threads, last, 1, back_part, system);
}

/* Nothing is left beyond the joints with the ground. */
static double *ground_slot(const AfxiSystem *system, uint32_t k) {
    return afxi_climb_slot(system, AFXI_CLIMB_LANES * system->graph->climb.slot_count + k);
}

static void clear_grounds(const AfxiSystem *system) {
    for (uint32_t k = 0; k < system->graph->climb.ground_count; k++) {
        for (uint32_t e = 0; e < AFXI_CLIMB_SIZE; e++) {
            ground_slot(system, k)[(size_t)AFXI_CLIMB_LANES * e] = 0;
        }
    }
}

/* lambda = what is given, and what that leaves to start from. */
static void begin(AfxiSystem *system) {
    system->climb.base = afxi_dual_load_given(system) ? system->delta : system->start;
}

double afxi_climb_solve(AfxiSystem *system) {
    const AfxiClimb *climb = &system->graph->climb;
    double largest = 0;
    clear_grounds(system);
    begin(system);
    run(system);
    for (uint32_t k = 0; k < climb->job_count; k++) {
        for (uint32_t l = 0; !climb->job[k].rooted && l < climb->job[k].lanes; l++) {
            double own = afxi_climb_slot(system, AFXI_CLIMB_LANES * climb->job[k].slot +
                                                     l)[AFXI_CLIMB_LANES * AFXI_CLIMB_LARGEST];
            largest = own > largest || isnan(own) ? own : largest;
        }
    }
    return largest;
}

void afxi_climb_correct(AfxiSystem *system) {
    AfxiSystem part = *system;
    part.value = part.lambda = system->residual; /* all are read on the way up, and written on the way back */
    part.climb.base = memset(system->delta, 0, AFXI_AFFINE_WIDTH * (size_t)system->graph->body_count * sizeof(double));
    clear_grounds(&part);
    run(&part);
    for (uint32_t row = 0; row < system->graph->row_count; row++) {
        system->lambda[row] += system->scale[row] * system->residual[row];
    }
}

/* ---- a whole stage ---- */

/* Rows of bodies that go alone: false when some have a multiplier given, which would move all bodies beforehand. */
static bool begin_open(AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t b = 0; b < graph->closed.open_block_count; b++) {
        const AfxiGraphBlock *block = &graph->block[graph->closed.open_block[b]];
        for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
            system->lambda[row] = 0;
            if (!system->active[row] && system->given[row] != 0) {
                return false;
            }
        }
    }
    system->climb.base = system->start;
    return true;
}

/* Where joints are held by what is not solved for, and how that turns. */
static void place_grounds(const AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    clear_grounds(system);
    for (uint32_t k = 0; k < graph->climb.ground_count; k++) {
        const AfxiClimbGround *ground = &graph->climb.ground[k];
        const AfxiClosedJoint *joint = &graph->closed.joint[ground->joint];
        const AfxiJointFrame *frame = &system->bodies.joint_frames[joint->frame];
        uint32_t place = ground->follower ? joint->a : joint->b, body = graph->closed.ground[place - graph->body_count];
        AfxVec3 x = ground->follower ? frame->point_a : frame->point_b;
        const double point[3] = {x.x, x.y, x.z};
        afxi_climb_pose(system, place, point,
                        body == AFXI_WORLD ? NULL : system->climb.motion->v + AFXI_AFFINE_WIDTH * (size_t)body, 0.5,
                        ground_slot(system, k));
    }
}

/* The body that a joint with the ground holds. */
static uint32_t ground_body(const AfxiGraph *graph, const AfxiClosedJoint *joint) {
    return joint->a < graph->body_count ? joint->a : joint->b;
}

bool afxi_climb_accurate(double gap, double reach) {
    return gap <= AFXI_STAGE_ROW_ROUNDING * fmax(1, reach);
}

/* Multipliers of these joints, and how far they are off. */
static void finish_grounds(const AfxiSystem *system, AfxiClimbTally *total) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t k = 0; k < graph->climb.ground_count; k++) {
        const AfxiClosedJoint *joint = &graph->closed.joint[graph->climb.ground[k].joint];
        const double *slot = ground_slot(system, k);
        for (uint32_t r = 0; r < graph->block[joint->block].row_count; r++) {
            system->lambda[joint->first_row + r] = slot[(size_t)AFXI_CLIMB_LANES * (AFXI_CLIMB_LAMBDA + r)];
        }
        for (int i = 0; i < 3 && system->active[joint->first_row]; i++) {
            double gap =
                fabs(slot[AFXI_CLIMB_LANES * (AFXI_CLIMB_END + i)] - slot[AFXI_CLIMB_LANES * (AFXI_CLIMB_AT + i)]);
            total->gap = larger(total->gap, gap);
            if (system->climb.parts) {
                AfxiPartTally *part = &system->climb.parts[system->climb.part_of[ground_body(graph, joint)]];
                part->gap = larger(part->gap, gap);
            }
        }
    }
}

bool afxi_climb_stage(AfxiSystem *system) {
    AfxiClimbTally total = {0};
    if (!begin_open(system)) {
        return false;
    }
    place_grounds(system);
    afxi_climb_pack(system);
    if (system->climb.parts) {
        memset(system->climb.parts, 0, system->graph->part_count * sizeof *system->climb.parts);
    }
    run(system);
    for (uint32_t part = 0; part < system->graph->climb.part_count; part++) {
        const AfxiClimbTally *own = &system->climb.tally[part];
        afxi_tally_join(&total.bodies, &own->bodies);
        total.gap = larger(total.gap, own->gap);
        total.reach = fmax(total.reach, own->reach);
    }
    finish_grounds(system, &total);
    system->bodies.tally = total.bodies;
    system->bodies.gap = total.gap;
    return total.bodies.infinite || afxi_climb_accurate(total.gap, total.reach);
}
