/* SPDX-License-Identifier: Apache-2.0 */
/* The elimination of recursion.h over all jobs, part by part: parts do not depend on each other, and what is combined
 * is the largest of numbers, so threads do not change a bit. */
#include "dual/recursion.h"

#include <math.h>
#include <string.h>

#include "base/task.h"
#include "dual/apply.h"
#include "dual/primal.h"
#include "dual/recursion_high_degree.h"
#include "dual/recursion_message.h"
#include "dual/recursion_pack.h"
#include "dual/tuning.h"
#include "math/variant.h"

AFXI_BUILDS(const AfxiRecursionKernel, afxi_recursion);
AFXI_BUILDS(const AfxiRecursionStageKernel, afxi_recursion_stage);
AFXI_BUILDS(const AfxiRecursionStageKernel, afxi_recursion_batched);
AFXI_BUILDS(const AfxiRecursionGeneralKernel, afxi_recursion_general);
AFXI_BUILDS(const AfxiRecursionGeneralKernel, afxi_recursion_one);

const AfxiRecursionKernel *afxi_recursion_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_recursion, lanes);
}

const AfxiRecursionStageKernel *afxi_recursion_stage_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_recursion_stage, lanes);
}

const AfxiRecursionStageKernel *afxi_recursion_batched_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_recursion_batched, lanes);
}

const AfxiRecursionGeneralKernel *afxi_recursion_general_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_recursion_general, lanes);
}

const AfxiRecursionGeneralKernel *afxi_recursion_one_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_recursion_one, lanes);
}

void afxi_recursion_take(AfxiSystem *system, AfxiArena *arena) {
    const AfxiRecursion *recursion = &system->graph->recursion;
    bool pooled = recursion->on && system->graph->pooled;
    size_t messages = (size_t)AFXI_RECURSION_LANES * (recursion->message_count + (size_t)1) + recursion->ground_count;
    system->recursion.message =
        afxi_arena_take(arena, recursion->on ? AFXI_RECURSION_SIZE * messages : 0, sizeof(double));
    system->recursion.tally = afxi_arena_take(arena, recursion->part_count, sizeof *system->recursion.tally);
    system->recursion.forward = afxi_arena_take(arena, recursion->forward_length, sizeof(double));
    system->recursion.pack = afxi_arena_take(arena, recursion->pack_length, sizeof(double));
    system->recursion.redundant = afxi_arena_take(arena, recursion->part_count, 1);
    size_t kept = recursion->keeps ? recursion->job_count : 0;
    system->recursion.dirty = afxi_arena_take(arena, recursion->on ? recursion->job_count : 0, 1);
    system->recursion.keep = afxi_arena_take(arena, kept, 1);
    system->recursion.kept = afxi_arena_take(arena, AFXI_RECURSION_KEPT * AFXI_RECURSION_LANES * kept, sizeof(double));
    system->recursion.keeping = system->recursion.stands = system->recursion.rework = false;
    system->recursion.solved = system->recursion.factored = system->recursion.again = false;
    system->recursion.wrenched = afxi_arena_take(arena, recursion->on ? recursion->job_count : 0, 1);
    system->recursion.part_of = afxi_arena_take(arena, pooled ? system->graph->body_count : 0, sizeof(uint32_t));
    for (uint32_t p = 0; pooled && arena->base && p < system->graph->part_count; p++) {
        const AfxiGraphPart *part = &system->graph->part[p];
        for (uint32_t body = part->first_body; body < part[1].first_body; body++) {
            system->recursion.part_of[body] = p;
        }
    }
    system->recursion.packed = system->recursion.packed_forces = false;
    system->recursion.stream = recursion->forward_length > AFXI_STREAM_FROM;
}

/* ---- all of them ---- */

/* Asks for what a job will read from all over the memory. */
static void prefetch_backward(const AfxiSystem *system, const AfxiRecursionJob *job) {
    const AfxiMotion *motion = system->recursion.motion;
    const bool springs = job->rows == 6 && !job->batched; /* else in the order of jobs */
    for (uint32_t l = 0; l < job->lanes; l++) {
        uint32_t body = motion->body[job->body[l]];
        size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
        for (size_t line = 0; line <= 11; line += 11) { /* twelve numbers are on two lines or one */
            __builtin_prefetch(motion->q + at + line);
            __builtin_prefetch(motion->v + at + line);
            __builtin_prefetch(motion->x2 + at + line);
            __builtin_prefetch(motion->x3 + at + line);
        }
        uint32_t force = system->bodies.forces && !job->batched ? system->bodies.force_slot[body] : UINT32_MAX;
        if (force != UINT32_MAX) {
            __builtin_prefetch(system->bodies.forces[force].force);
            __builtin_prefetch(&system->bodies.forces[force].more);
        }
        for (uint32_t k = 0; k <= job->children; k++) {
            const AfxiRecursionJoint *joint = &system->graph->recursion.joint[job->first_joint + k];
            __builtin_prefetch(system->bodies.load + joint->row[l]);
            for (size_t line = 0; springs && k < job->children && line < AFXI_ROTATIONAL_SPRING_CONSTANTS; line += 8) {
                __builtin_prefetch(system->recursion.springs +
                                   (size_t)AFXI_ROTATIONAL_SPRING_CONSTANTS * joint->rotational_spring[l] + line);
            }
        }
    }
}

static const AfxiRecursionGeneralKernel *general_kernel(const AfxiSystem *system, const AfxiRecursionJob *job) {
    return job->lanes > 1                  ? system->recursion.general
           : job->rest <= AFXI_GENERAL_SIX ? system->recursion.general_one
                                           : system->recursion.one;
}

/* What a job has left, to where it is kept or back. */
static void move_kept(const AfxiSystem *system, uint32_t job, bool keep) {
    const size_t size = (size_t)AFXI_RECURSION_KEPT * AFXI_RECURSION_LANES;
    double *kept = system->recursion.kept + size * job;
    double *message = afxi_recursion_message(system, AFXI_RECURSION_LANES * system->graph->recursion.job[job].message);
    if (system->recursion.keep[job]) {
        memcpy(keep ? kept : message, keep ? message : kept, size * sizeof *kept);
    }
}

/* Whether a general job has the factor that it is asked for. */
static bool substitutes(const AfxiSystem *system, uint32_t job) {
    return (system->recursion.correcting && system->recursion.solved) ||
           (system->recursion.again && !system->recursion.dirty[job]);
}

/* Jobs [begin, end) on the way to the roots; true where rows are redundant. */
static bool backward_jobs(const AfxiSystem *system, uint32_t begin, uint32_t end) {
    const AfxiRecursion *recursion = &system->graph->recursion;
    bool redundant = false;
    for (uint32_t k = begin; k < end; k++) {
        const AfxiRecursionJob *job = &recursion->job[k];
        if (system->recursion.rework && !system->recursion.dirty[k]) {
            move_kept(system, k, false);
            continue;
        }
        if (!job->rows && !job->high_degree && substitutes(system, k)) {
            general_kernel(system, job)->substitute(system, job);
            continue;
        }
        if (system->recursion.whole && k + AFXI_PREFETCH_JOBS < end && job[AFXI_PREFETCH_JOBS].rows) {
            prefetch_backward(system, job + AFXI_PREFETCH_JOBS);
        }
        if (job->high_degree) {
            afxi_recursion_backward_high_degree(system, job);
        } else if (!job->rows) {
            redundant |= general_kernel(system, job)->backward(system, job);
        } else if (system->recursion.whole) {
            (job->batched ? system->recursion.batched : system->recursion.stage)->backward(system, job);
        } else {
            system->recursion.kernel->backward(system, job);
        }
        if (system->recursion.keeping) {
            move_kept(system, k, true);
        }
    }
    return redundant;
}

static void backward_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const AfxiSystem *system = context;
    const uint32_t *job = system->graph->recursion.part;
    (void)part;
    system->recursion.redundant[begin] = backward_jobs(system, job[begin], job[end]);
}

/* Asks for what a job in the forward pass will write all over the memory. */
static void prefetch_forward(const AfxiSystem *system, const AfxiRecursionJob *job) {
    const AfxiRecursionJoint *root = &system->graph->recursion.joint[job->first_joint + job->children];
    for (uint32_t l = 0; l < job->lanes; l++) {
        const double *next = system->bodies.next + (size_t)AFXI_AFFINE_WIDTH * job->body[l];
        __builtin_prefetch(next, 1);
        __builtin_prefetch(next + 11, 1);
        if (job->rooted) {
            __builtin_prefetch(system->lambda + root->row[l], 1);
        }
    }
}

/* Lanes that are empty do as the last one does (afxi_link_joint says why). */
static void fill_lanes(const AfxiSystem *system, const AfxiRecursionJob *job) {
    double *forward_message = afxi_recursion_message(system, AFXI_RECURSION_LANES * job->message) +
                              AFXI_RECURSION_LANES * AFXI_RECURSION_LAMBDA;
    for (uint32_t k = 0; k < AFXI_RECURSION_FORWARD_MESSAGE; k++, forward_message += AFXI_RECURSION_LANES) {
        for (uint32_t l = job->lanes; l < AFXI_RECURSION_LANES; l++) {
            forward_message[l] = forward_message[job->lanes - 1];
        }
    }
}

static double larger(double a, double b) { /* NaN wins */
    return b > a || isnan(b) ? b : a;
}

/* What the lanes of all jobs have found. */
static void combine_lanes(AfxiRecursionTally *tally) {
    for (uint32_t l = 0; l < AFXI_RECURSION_LANES; l++) {
        tally->bodies.turn = larger(tally->bodies.turn, tally->lane[AFXI_TALLY_TURN][l]);
        tally->bodies.error = larger(tally->bodies.error, tally->lane[AFXI_TALLY_ERROR][l]);
        tally->bodies.infinite |= tally->lane[AFXI_TALLY_INFINITE][l] != 0;
        tally->bodies.jump |= tally->lane[AFXI_TALLY_JUMP][l] != 0;
        tally->gap = larger(tally->gap, tally->lane[AFXI_TALLY_GAP][l]);
        tally->reach = fmax(tally->reach, tally->lane[AFXI_TALLY_REACH][l]);
        tally->residual = larger(tally->residual, tally->lane[AFXI_TALLY_RESIDUAL][l]);
    }
}

/* What the lanes of one job have found, to the components of its bodies. */
static void spread_lanes(const AfxiSystem *system, const AfxiRecursionJob *job, const AfxiRecursionTally *own) {
    for (uint32_t l = 0; l < job->lanes; l++) {
        AfxiPartTally *part = &system->recursion.parts[system->recursion.part_of[job->body[l]]];
        part->turn = larger(part->turn, larger(own->bodies.turn, own->lane[AFXI_TALLY_TURN][l]));
        part->error = larger(part->error, larger(own->bodies.error, own->lane[AFXI_TALLY_ERROR][l]));
        part->gap = larger(part->gap, larger(own->gap, own->lane[AFXI_TALLY_GAP][l]));
        part->reach = fmax(part->reach, fmax(own->reach, own->lane[AFXI_TALLY_REACH][l]));
        part->jump |= own->bodies.jump || own->lane[AFXI_TALLY_JUMP][l] != 0;
        part->infinite |= own->bodies.infinite || own->lane[AFXI_TALLY_INFINITE][l] != 0;
    }
}

static void forward_jobs(const AfxiSystem *system, uint32_t begin, uint32_t end, AfxiRecursionTally *tally) {
    const AfxiRecursion *recursion = &system->graph->recursion;
    for (uint32_t k = end; k-- > begin;) {
        if (recursion->job[k].high_degree) {
            afxi_recursion_forward_high_degree(system, &recursion->job[k], tally);
        } else if (!recursion->job[k].rows) {
            general_kernel(system, &recursion->job[k])->forward(system, &recursion->job[k], tally);
        } else if (system->recursion.whole) {
            const AfxiRecursionJob *job = &recursion->job[k];
            if (k >= begin + AFXI_PREFETCH_JOBS && job[-(int)AFXI_PREFETCH_JOBS].rows) {
                prefetch_forward(system, job - AFXI_PREFETCH_JOBS);
            }
            if (job->lanes < AFXI_RECURSION_LANES) {
                fill_lanes(system, job);
            }
            AfxiRecursionTally scalar = {0}, *own = system->recursion.parts ? &scalar : tally;
            (job->batched ? system->recursion.batched : system->recursion.stage)->forward(system, job, own);
            if (system->recursion.parts) {
                spread_lanes(system, job, own);
            }
        } else {
            system->recursion.kernel->forward(system, &recursion->job[k]);
        }
    }
}

static void forward_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const AfxiSystem *system = context;
    const uint32_t *job = system->graph->recursion.part;
    AfxiRecursionTally tally = {0};
    (void)part;
    forward_jobs(system, job[begin], job[end], &tally);
    combine_lanes(&tally);
    system->recursion.tally[begin] = tally;
}

static void run_backward(AfxiSystem *system) {
    uint32_t last = system->graph->recursion.part_count - 1;
    afxi_parallel_for(system->factor.tasks, system->factor.threads, last, 1, backward_part, system);
    backward_part(system, last, last, last + 1);
}

/* Whether a row is off that the jobs know; folded ones are, and stand last in their blocks. */
static bool is_switched(const AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    bool off = false;
    if (!system->fold.count) {
        return memchr(system->active, 0, graph->row_count) != NULL;
    }
    for (uint32_t k = 0; k < graph->block_count; k++) {
        const AfxiGraphBlock *block = &graph->block[k];
        off |= memchr(system->active + block->first_row, 0, block->row_count - block->folded) != NULL;
    }
    return off;
}

/* Up through all parts and back; up once more with eps when rows show to be redundant. */
static void run(AfxiSystem *system) {
    uint32_t last = system->graph->recursion.part_count - 1;
    system->recursion.switched = is_switched(system);
    run_backward(system);
    for (uint32_t part = 0; part <= last && !*system->regularise; part++) {
        if (system->recursion.redundant[part]) {
            *system->regularise = 1;
            system->recursion.again = system->recursion.rework = false;
            run_backward(system);
        }
    }
    forward_part(system, last, last, last + 1);
    afxi_parallel_for(system->factor.tasks, system->factor.threads, last, 1, forward_part, system);
}

/* Nothing is left beyond the joints with the ground. */
static double *ground_message(const AfxiSystem *system, uint32_t k) {
    return afxi_recursion_message(system, AFXI_RECURSION_LANES * system->graph->recursion.message_count + k);
}

static void clear_grounds(const AfxiSystem *system) {
    for (uint32_t k = 0; k < system->graph->recursion.ground_count; k++) {
        for (uint32_t e = 0; e < AFXI_RECURSION_SIZE; e++) {
            ground_message(system, k)[(size_t)AFXI_RECURSION_LANES * e] = 0;
        }
    }
}

/* Where the bodies start from; rows of closed forms have fixed multipliers between steps only. */
static void begin(AfxiSystem *system) {
    bool loaded = system->graph->closed_form.joint_count && afxi_dual_load_fixed(system);
    system->recursion.base = loaded ? system->delta : system->start;
}

/* ---- bodies that couplings carry ---- */

/* What they leave for the rows of their couplings, which are folded into those of coordinates then. */
static void carry_backward(AfxiSystem *system) {
    const uint32_t jobs = system->graph->recursion.flywheel_jobs;
    system->recursion.switched = memchr(system->active, 0, system->graph->row_count) != NULL;
    if (backward_jobs(system, 0, jobs) && !*system->regularise) {
        *system->regularise = 1;
        system->recursion.again = system->recursion.rework = false;
        backward_jobs(system, 0, jobs);
    }
}

/* What the rows of couplings lack, but for the share of what they carry. */
static void begin_residuals(const AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t k = 0; k < graph->block_count; k++) {
        const AfxiGraphBlock *block = &graph->block[k];
        if (!block->flywheel) {
            continue;
        }
        uint32_t row = block->first_row;
        double sum = system->value[row] - system->compliance[row] * system->lambda[row];
        for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
            const AfxiGraphEntry *entry = &graph->entry[e];
            sum += entry->dof.index == block->carried
                       ? 0
                       : afxi_dual_dot(system->jacobian + entry->jacobian,
                                       system->delta + (size_t)AFXI_AFFINE_WIDTH * entry->dof.index);
        }
        system->residual[row] = system->active[row] ? sum : 0;
    }
}

/* Once couplings have their multipliers; the largest that rows lack comes back. */
static double carry_forward(const AfxiSystem *system) {
    AfxiRecursionTally tally = {0};
    if (!system->graph->recursion.flywheel_jobs) {
        return 0;
    }
    if (!system->recursion.correcting) {
        begin_residuals(system);
    }
    forward_jobs(system, 0, system->graph->recursion.flywheel_jobs, &tally);
    combine_lanes(&tally);
    return tally.residual;
}

bool afxi_recursion_rework(AfxiSystem *system) {
    if (system->recursion.stands) {
        memset(system->recursion.dirty, 0, system->graph->recursion.job_count);
    }
    return system->recursion.keeping = system->recursion.rework = system->recursion.stands;
}

bool afxi_recursion_again(AfxiSystem *system) {
    if (system->recursion.factored) {
        memset(system->recursion.dirty, 0, system->graph->recursion.job_count);
    }
    return system->recursion.again = system->recursion.factored;
}

bool afxi_recursion_keep(AfxiSystem *system) {
    const AfxiRecursion *recursion = &system->graph->recursion;
    bool able = recursion->on && recursion->keeps && !*system->regularise && !system->recursion.whole;
    if (able) {
        memset(system->recursion.dirty, 0, recursion->job_count);
    }
    system->recursion.rework = false;
    return system->recursion.keeping = able;
}

void afxi_recursion_mark(AfxiSystem *system, uint32_t body) {
    const AfxiRecursion *recursion = &system->graph->recursion;
    for (bool on = true; on;) { /* up to where others have come by */
        uint32_t at = recursion->place[body] / AFXI_RECURSION_LANES,
                 lane = recursion->place[body] % AFXI_RECURSION_LANES;
        const AfxiRecursionJob *job = &recursion->job[at];
        on = job->rooted && !(system->recursion.dirty[at] >> lane & 1);
        system->recursion.dirty[at] |= (uint8_t)(1u << lane);
        body = on ? recursion->joint[job->first_joint + job->children].other[lane] : body;
    }
}

/* What bodies leave for those that may change is kept. */
static void choose_kept(AfxiSystem *system) {
    const AfxiRecursion *recursion = &system->graph->recursion;
    for (uint32_t k = 0; k < recursion->job_count; k++) {
        const AfxiRecursionJob *job = &recursion->job[k];
        const AfxiRecursionJoint *root = &recursion->joint[job->first_joint + job->children];
        system->recursion.keep[k] = 0;
        for (uint32_t l = 0; job->rooted && l < job->lanes; l++) {
            uint32_t next = recursion->place[root->other[l]] / AFXI_RECURSION_LANES;
            system->recursion.keep[k] |= system->recursion.dirty[next] != 0;
        }
    }
}

/* What is left and kept now is that of the whole system, for solves in which little changes. */
static void settle(AfxiSystem *system) {
    const AfxiRecursion *recursion = &system->graph->recursion;
    bool few = system->recursion.rework || system->recursion.again;
    for (uint32_t k = 0; few && k < recursion->job_count; k++) {
        system->recursion.kept_jobs += !system->recursion.dirty[k];
    }
    system->recursion.solved = true;
    system->recursion.factored = !*system->regularise;
    system->recursion.stands = system->recursion.keeping && !*system->regularise;
    system->recursion.keeping = system->recursion.rework = system->recursion.again = false;
}

double afxi_recursion_solve(AfxiSystem *system, double *out_residual) {
    const AfxiRecursion *recursion = &system->graph->recursion;
    double largest = 0;
    if (system->recursion.keeping && !system->recursion.rework) {
        choose_kept(system);
    }
    clear_grounds(system);
    system->recursion.general_base = system->start;
    carry_backward(system);
    afxi_fold(system);
    begin(system);
    run(system);
    afxi_unfold(system);
    *out_residual = carry_forward(system);
    settle(system);
    for (uint32_t part = 0; part < recursion->part_count; part++) {
        *out_residual = larger(*out_residual, system->recursion.tally[part].residual);
    }
    for (uint32_t k = 0; k < recursion->job_count; k++) {
        for (uint32_t l = 0; !recursion->job[k].rooted && l < recursion->job[k].lanes; l++) {
            largest =
                larger(largest, afxi_recursion_message(system, AFXI_RECURSION_LANES * recursion->job[k].message +
                                                                   l)[AFXI_RECURSION_LANES * AFXI_RECURSION_LARGEST]);
        }
    }
    return largest;
}

void afxi_recursion_correct(AfxiSystem *system) {
    AfxiSystem part = *system;
    part.value = part.lambda =
        system->residual; /* all are read in the backward pass, and written in the forward pass */
    part.recursion.base = part.recursion.general_base =
        memset(system->delta, 0, AFXI_AFFINE_WIDTH * (size_t)system->graph->body_count * sizeof(double));
    part.recursion.correcting = true;
    system->recursion.stands = false;
    clear_grounds(&part);
    carry_backward(&part);
    afxi_fold(&part);
    run(&part);
    afxi_unfold(&part);
    carry_forward(&part);
}

/* ---- a whole stage ---- */

/* Where joints are held by what is not solved for, and how that turns. */
static void place_grounds(const AfxiSystem *system) {
    const AfxiGraph *graph = system->graph;
    clear_grounds(system);
    for (uint32_t k = 0; k < graph->recursion.ground_count; k++) {
        const AfxiRecursionGround *ground = &graph->recursion.ground[k];
        const AfxiClosedFormJoint *joint = &graph->closed_form.joint[ground->joint];
        const AfxiJointFrame *frame = &system->bodies.joint_frames[joint->frame];
        uint32_t place = ground->follower ? joint->a : joint->b,
                 body = graph->closed_form.ground[place - graph->body_count];
        AfxVec3 x = ground->follower ? frame->point_a : frame->point_b;
        const double point[3] = {x.x, x.y, x.z};
        afxi_recursion_pose(system, place, point,
                            body == AFXI_WORLD ? NULL : system->recursion.motion->v + AFXI_AFFINE_WIDTH * (size_t)body,
                            0.5, ground_message(system, k));
    }
}

/* The body that a joint with the ground holds. */
static uint32_t ground_body(const AfxiGraph *graph, const AfxiClosedFormJoint *joint) {
    return joint->a < graph->body_count ? joint->a : joint->b;
}

bool afxi_recursion_accurate(double gap, double reach) {
    return gap <= AFXI_STAGE_ROW_ROUNDING * fmax(1, reach);
}

/* Multipliers of these joints, and how far they are off. */
static void finish_grounds(const AfxiSystem *system, AfxiRecursionTally *total) {
    const AfxiGraph *graph = system->graph;
    for (uint32_t k = 0; k < graph->recursion.ground_count; k++) {
        const AfxiClosedFormJoint *joint = &graph->closed_form.joint[graph->recursion.ground[k].joint];
        const double *message = ground_message(system, k);
        for (uint32_t r = 0; r < graph->block[joint->block].row_count; r++) {
            system->lambda[joint->first_row + r] = message[(size_t)AFXI_RECURSION_LANES * (AFXI_RECURSION_LAMBDA + r)];
        }
        for (int i = 0; i < 3 && system->active[joint->first_row]; i++) {
            double gap = fabs(message[AFXI_RECURSION_LANES * (AFXI_RECURSION_END + i)] -
                              message[AFXI_RECURSION_LANES * (AFXI_RECURSION_AT + i)]);
            total->gap = larger(total->gap, gap);
            if (system->recursion.parts) {
                AfxiPartTally *part = &system->recursion.parts[system->recursion.part_of[ground_body(graph, joint)]];
                part->gap = larger(part->gap, gap);
            }
        }
    }
}

bool afxi_recursion_stage(AfxiSystem *system) {
    AfxiRecursionTally total = {0};
    system->recursion.base = system->recursion.general_base = system->start;
    system->recursion.stands = system->recursion.rework = system->recursion.keeping = false;
    system->recursion.solved = system->recursion.factored = system->recursion.again = false;
    place_grounds(system);
    afxi_recursion_pack(system);
    afxi_fold(system);
    if (system->recursion.parts) {
        memset(system->recursion.parts, 0, system->graph->part_count * sizeof *system->recursion.parts);
    }
    run(system);
    afxi_unfold(system);
    for (uint32_t part = 0; part < system->graph->recursion.part_count; part++) {
        const AfxiRecursionTally *own = &system->recursion.tally[part];
        afxi_tally_join(&total.bodies, &own->bodies);
        total.gap = larger(total.gap, own->gap);
        total.reach = fmax(total.reach, own->reach);
    }
    finish_grounds(system, &total);
    system->bodies.tally = total.bodies;
    system->bodies.gap = total.gap;
    bool accurate = !*system->regularise && afxi_recursion_accurate(total.gap, total.reach); /* eps takes refinement */
    return total.bodies.infinite || accurate;
}
