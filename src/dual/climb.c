/* SPDX-License-Identifier: Apache-2.0 */
/* The elimination of climb.h over all jobs, and its jobs of one body by gradients: rows in world axes, any kinds of
 * joints, all numbers of the body's matrix in a square with the right-hand side behind it. */
#include <math.h>

#include "base/task.h"
#include "dual/inner.h"
#include "math/variant.h"

/* Rows of a whole stage may be off by this, per coordinate of the joints and m: rounding, many times over. */
#define ROUNDING 1e-13
#define NONE UINT32_MAX
/* Jobs between asking for numbers and using them. */
#define AHEAD 2u

AFXI_BUILDS(const AfxiClimbKernel, afxi_climb);
AFXI_BUILDS(const AfxiClimbStageKernel, afxi_climb_stage);

const AfxiClimbKernel *afxi_climb_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_climb, lanes);
}

const AfxiClimbStageKernel *afxi_climb_stage_kernel(uint32_t lanes) {
    return AFXI_BUILD_OF(afxi_climb_stage, lanes);
}

void afxi_climb_take(AfxiSystem *system, AfxiArena *arena) {
    const AfxiClimb *climb = &system->graph->climb;
    size_t slots = (size_t)AFXI_CLIMB_LANES * (climb->job_count + (size_t)1) + climb->ground_count;
    system->climb.slot = afxi_arena_take(arena, climb->on ? AFXI_CLIMB_SIZE * slots : 0, sizeof(double));
    system->climb.tally = afxi_arena_take(arena, climb->part_count, sizeof *system->climb.tally);
    system->climb.back = afxi_arena_take(arena, climb->back_length, sizeof(double));
}

/* ---- one body ---- */

/* The rows of a body one joint after the other. */
typedef struct Alone {
    const AfxiGraphBlock *block[AFXI_BODY_ROWS_MOST];
    uint32_t first[AFXI_BODY_ROWS_MOST + 1]; /* of each joint */
    uint32_t joints, inner, size;            /* rows away from the root, and all */
    double *a, *rhs;                         /* [size][size], [size] */
} Alone;

static Alone alone_of(const AfxiSystem *system, const AfxiClimbJob *job) {
    const AfxiGraph *graph = system->graph;
    Alone alone = {.joints = job->children + job->rooted, .a = system->climb.back + job->back};
    for (uint32_t k = 0; k < alone.joints; k++) {
        uint32_t place = graph->climb.joint[job->first_joint + k].place[0];
        alone.block[k] = &graph->block[graph->entry[graph->body_entry[place]].block];
        alone.first[k] = alone.size;
        alone.size += alone.block[k]->row_count;
        alone.inner = k < job->children ? alone.size : alone.inner;
    }
    alone.first[alone.joints] = alone.size;
    alone.rhs = alone.a + (size_t)alone.size * alone.size;
    return alone;
}

/* r m r^T, or with `back` r^T m r; by columns. */
static void turn_matrix(const double *r, bool back, const double m[9], double out[9]) {
    double half[9];
    for (int pass = 0; pass < 2; pass++) { /* (r (r m)^T)^T = r m r^T */
        const double *from = pass ? half : m;
        double *to = pass ? out : half;
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < 3; i++) {
                double sum = 0;
                for (int k = 0; k < 3; k++) {
                    sum += (back ? r[3 * i + k] : r[3 * k + i]) * from[3 * c + k];
                }
                to[3 * i + c] = sum;
            }
        }
    }
}

/* T and t of a closed joint between a slot, in the axes of its body, and full 6 x 6 by columns in world axes. */
static void read_slot(const double *slot, const double *r, uint32_t rows, double t[36], double gap[6]) {
    static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    double part[9], turned[9];
    for (uint32_t k = 0; k < rows; k++) {
        const double *from = slot + (size_t)AFXI_CLIMB_LANES * (AFXI_CLIMB_GAP + k / 3 * 3), *row = r + k % 3;
        gap[k] = row[0] * from[0] + row[3] * from[AFXI_CLIMB_LANES] + row[6] * from[2 * AFXI_CLIMB_LANES];
    }
    for (uint32_t which = 0; which < (rows == 6 ? 3u : 1u); which++) {
        static const uint32_t from[3] = {AFXI_CLIMB_POINT, AFXI_CLIMB_MIXED, AFXI_CLIMB_TWIST};
        for (int k = 0; k < 9; k++) {
            part[k] = slot[(size_t)AFXI_CLIMB_LANES * (from[which] + (uint32_t)(which == 1 ? k : symmetric[k]))];
        }
        turn_matrix(r, false, part, turned);
        for (int k = 0; k < 9; k++) {
            int row = k % 3 + (which ? 3 : 0), column = k / 3 + (which == 2 ? 3 : 0);
            t[6 * column + row] = turned[k];
            t[6 * row + column] = turned[k];
        }
    }
}

static void write_slot(const Alone *alone, const double *r, double *slot) {
    static const int row[6] = {0, 1, 2, 1, 2, 2}, column[6] = {0, 1, 2, 0, 0, 1};
    uint32_t rows = alone->size - alone->inner;
    double part[9], turned[9];
    for (uint32_t which = 0; which < (rows == 6 ? 3u : 1u); which++) {
        static const uint32_t to[3] = {AFXI_CLIMB_POINT, AFXI_CLIMB_MIXED, AFXI_CLIMB_TWIST};
        for (uint32_t k = 0; k < 9; k++) {
            uint32_t i = k % 3 + (which ? 3 : 0), c = k / 3 + (which == 2 ? 3 : 0), high = i > c ? i : c,
                     low = i + c - high;
            part[k] = alone->a[(size_t)(alone->inner + high) * alone->size + alone->inner + low];
        }
        turn_matrix(r, true, part, turned);
        for (int k = 0; k < (which == 1 ? 9 : 6); k++) {
            slot[(size_t)AFXI_CLIMB_LANES * (to[which] + (uint32_t)k)] =
                turned[which == 1 ? k : 3 * column[k] + row[k]];
        }
    }
    for (uint32_t k = 0; k < rows; k++) {
        const double *axis = r + 3 * (k % 3), *gap = alone->rhs + alone->inner + k / 3 * 3;
        slot[(size_t)AFXI_CLIMB_LANES * (AFXI_CLIMB_GAP + k)] = axis[0] * gap[0] + axis[1] * gap[1] + axis[2] * gap[2];
    }
}

static double *slot_of(const AfxiSystem *system, uint32_t slot) {
    return system->climb.slot + (size_t)AFXI_CLIMB_SIZE * (slot & ~(AFXI_CLIMB_LANES - 1u)) + slot % AFXI_CLIMB_LANES;
}

/* Adds what stands beyond joint k; the largest |r| there comes back. */
static double add_beyond(const AfxiSystem *system, const AfxiClimbJoint *joint, const Alone *alone, uint32_t k) {
    uint32_t first = alone->first[k], rows = alone->block[k]->row_count;
    if (alone->block[k]->entry_count == 1) {
        return 0;
    }
    const double *slot = slot_of(system, joint->slot[0]);
    double t[36] = {0}, gap[6] = {0};
    Alone far = {0};
    if (alone->block[k]->closed) {
        read_slot(slot, system->bodies.frame[joint->other[0]].m, rows, t, gap);
    } else {
        far = alone_of(system, &system->graph->climb.job[joint->slot[0] / AFXI_CLIMB_LANES]);
    }
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t c = 0; c <= i; c++) {
            alone->a[(size_t)(first + i) * alone->size + first + c] +=
                far.a ? far.a[(size_t)(far.inner + i) * far.size + far.inner + c] : t[6 * c + i];
        }
        alone->rhs[first + i] += far.a ? far.rhs[far.inner + i] : gap[i];
    }
    return slot[AFXI_CLIMB_LANES * AFXI_CLIMB_LARGEST];
}

/* Values and compliances of the rows of joint k, and its switches. */
static double add_rows(const AfxiSystem *system, const Alone *alone, uint32_t k) {
    const AfxiGraphBlock *block = alone->block[k];
    uint32_t first = alone->first[k];
    double largest = 0;
    for (uint32_t r = 0; r < block->row_count; r++) {
        double *row = alone->a + (size_t)(first + r) * alone->size + first;
        alone->rhs[first + r] += system->value[block->first_row + r];
        row[r] += system->compliance[block->first_row + r];
    }
    if (block->leading > block->plain) {
        const double *cross = system->turn + (size_t)AFXI_TURN_RESULT * block->turn + AFXI_TURN_COMPLIANCE + 3;
        double *row = alone->a + (size_t)(first + block->plain + 1) * alone->size + first + block->plain;
        row[0] += cross[0];
        row[alone->size] += cross[1];
        row[alone->size + 1] += cross[2];
    }
    for (uint32_t r = first; r < first + block->row_count; r++) {
        for (uint32_t other = 0; !system->active[block->first_row + r - first] && other < alone->size; other++) {
            uint32_t high = r > other ? r : other, low = r + other - high;
            alone->a[(size_t)high * alone->size + low] = other == r;
            alone->rhs[r] = 0;
        }
        largest = fmax(largest, fabs(alone->rhs[r]));
    }
    return largest;
}

static void eliminate(const Alone *alone) {
    double factor[2 * AFXI_BODY_ROWS_MOST];
    for (uint32_t k = 0; k < alone->inner; k++) {
        double per = 1 / alone->a[(size_t)k * alone->size + k];
        for (uint32_t j = k + 1; j < alone->size; j++) {
            double *row = alone->a + (size_t)j * alone->size;
            factor[j] = row[k] * per;
            alone->rhs[j] -= factor[j] * alone->rhs[k];
            for (uint32_t i = k + 1; i <= j; i++) {
                row[i] -= factor[j] * alone->a[(size_t)i * alone->size + k];
            }
        }
        for (uint32_t j = k + 1; j < alone->size; j++) {
            alone->a[(size_t)j * alone->size + k] = factor[j];
        }
        alone->rhs[k] *= per;
    }
}

/* What a whole stage wants to know of a body or a ground: R, the end x of the joint towards the root, and the rate of
 * turn, `factor` times that of `rate`; NULL: none. */
static void write_pose(const AfxiSystem *system, uint32_t place, const double x[3], const double *rate, double factor,
                       double *slot) {
    const double *r = system->bodies.frame[place].m, *t = &system->bodies.origin[place].x;
    for (int k = 0; k < 9; k++) {
        slot[AFXI_CLIMB_LANES * (AFXI_CLIMB_FRAME + k)] = r[k];
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double sum = 0;
        for (int c = 0; rate && c < 3; c++) {
            sum += r[3 * c + i] * rate[3 * c + j] - r[3 * c + j] * rate[3 * c + i];
        }
        slot[AFXI_CLIMB_LANES * (AFXI_CLIMB_SPIN + k)] = factor * sum;
        slot[AFXI_CLIMB_LANES * (AFXI_CLIMB_END + k)] = r[k] * x[0] + r[3 + k] * x[1] + r[6 + k] * x[2] + t[k];
    }
}

static void up_alone(const AfxiSystem *system, const AfxiClimbJob *job) {
    const AfxiGraph *graph = system->graph;
    const AfxiClimbJoint *joint = graph->climb.joint + job->first_joint;
    Alone alone = alone_of(system, job);
    uint32_t body = job->body[0];
    double image[AFXI_BODY_ROWS_MOST][12], largest = 0;
    const double *g[AFXI_BODY_ROWS_MOST];
    for (uint32_t k = 0; k < alone.joints; k++) {
        const AfxiGraphEntry *entry = &graph->entry[graph->body_entry[joint[k].place[0]]];
        for (uint32_t r = alone.first[k]; r < alone.first[k + 1]; r++) {
            g[r] = system->jacobian + 12 * (entry->jacobian + r - alone.first[k]);
            afxi_system_apply(system, body, g[r], image[r]);
            alone.rhs[r] = afxi_dual_dot(g[r], system->climb.base + 12 * (size_t)body);
            for (uint32_t c = 0; c <= r; c++) {
                alone.a[(size_t)r * alone.size + c] = afxi_dual_dot(g[r], image[c]);
            }
        }
    }
    for (uint32_t k = 0; k < job->children; k++) {
        largest = fmax(largest, add_beyond(system, &joint[k], &alone, k));
        largest = fmax(largest, add_rows(system, &alone, k));
    }
    eliminate(&alone);
    double *slot = slot_of(system, graph->climb.slot[body]);
    slot[AFXI_CLIMB_LANES * AFXI_CLIMB_LARGEST] = largest;
    if (job->rooted && alone.block[job->children]->closed) {
        write_slot(&alone, system->bodies.frame[body].m, slot);
        if (system->climb.whole) {
            write_pose(system, body, graph->closed.lever[joint[job->children].place[0]].point,
                       system->climb.motion->qv + 12 * (size_t)body, -0.5 * system->climb.per_h, slot);
        }
    }
}

/* The multipliers of the joint towards the root, which a whole stage left in the slot. */
static void read_message(const AfxiSystem *system, const AfxiClimbJob *job, const AfxiGraphBlock *block) {
    const double *slot = slot_of(system, system->graph->climb.slot[job->body[0]]);
    for (uint32_t r = 0; system->climb.whole && block->closed && r < block->row_count; r++) {
        system->lambda[block->first_row + r] = slot[(size_t)AFXI_CLIMB_LANES * (AFXI_CLIMB_LAMBDA + r)];
    }
}

/* The same for the bodies beyond, and where the joints are now. */
static void write_messages(const AfxiSystem *system, const AfxiClimbJob *job, const Alone *alone) {
    const AfxiGraph *graph = system->graph;
    const double *next = system->bodies.next + 12 * (size_t)job->body[0];
    for (uint32_t k = 0; k < job->children; k++) {
        const AfxiClimbJoint *joint = &graph->climb.joint[job->first_joint + k];
        const AfxiGraphBlock *block = alone->block[k];
        if (!block->closed || block->entry_count == 1) {
            continue;
        }
        double *slot = slot_of(system, joint->slot[0]);
        const double *x = graph->closed.lever[joint->place[0]].point;
        for (uint32_t r = 0; r < 6; r++) {
            slot[(size_t)AFXI_CLIMB_LANES * (AFXI_CLIMB_LAMBDA + r)] =
                r < block->row_count ? system->lambda[block->first_row + r] : 0;
        }
        for (int i = 0; i < 3; i++) {
            slot[AFXI_CLIMB_LANES * (AFXI_CLIMB_AT + i)] =
                next[i] * x[0] + next[3 + i] * x[1] + next[6 + i] * x[2] + next[9 + i];
        }
    }
}

static void back_alone(const AfxiSystem *system, const AfxiClimbJob *job) {
    Alone alone = alone_of(system, job);
    double x[AFXI_BODY_ROWS_MOST];
    if (job->rooted) {
        read_message(system, job, alone.block[job->children]);
    }
    for (uint32_t r = alone.inner; r < alone.size; r++) {
        uint32_t row = alone.block[job->children]->first_row + r - alone.inner;
        x[r] = system->active[row] ? system->lambda[row] : 0;
    }
    for (uint32_t k = alone.inner; k-- > 0;) {
        x[k] = alone.rhs[k];
        for (uint32_t j = k + 1; j < alone.size; j++) {
            x[k] -= alone.a[(size_t)j * alone.size + k] * x[j];
        }
    }
    for (uint32_t k = 0; k < job->children; k++) {
        for (uint32_t r = alone.first[k]; r < alone.first[k + 1]; r++) {
            uint32_t row = alone.block[k]->first_row + r - alone.first[k];
            system->lambda[row] = system->active[row] ? x[r] : system->given[row];
        }
    }
    if (system->climb.whole) {
        afxi_dual_primal_body(system, job->body[0]);
        write_messages(system, job, &alone);
    }
}

/* ---- all of them ---- */

/* Asks for what a job of a whole stage will read that does not stand in the order of jobs. */
static void prefetch_job(const AfxiSystem *system, const AfxiClimbJob *job) {
    const AfxiMotion *motion = system->climb.motion;
    const AfxiClimbJoint *joint = &system->graph->climb.joint[job->first_joint];
    const double *arrays[4] = {motion->q, motion->v, motion->x2, motion->x3};
    for (uint32_t l = 0; l < AFXI_CLIMB_LANES; l++) {
        uint32_t body = motion->body[job->body[l]],
                 force = system->bodies.forces ? system->bodies.force_slot[body] : NONE;
        for (int k = 0; k < 4; k++) {
            __builtin_prefetch(arrays[k] + 12 * (size_t)body);
            __builtin_prefetch(arrays[k] + 12 * (size_t)body + 8);
        }
        for (int k = 0; force != NONE && k < 28; k += 8) {
            __builtin_prefetch((const double *)&system->bodies.forces[force] + k);
        }
        for (int k = 0; job->rows == 6 && job->children && k < AFXI_TURN_CONSTANTS; k += 8) {
            __builtin_prefetch(system->climb.springs + (size_t)AFXI_TURN_CONSTANTS * joint->turn[l] + k);
        }
    }
}

static void up_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const AfxiSystem *system = context;
    const AfxiClimb *climb = &system->graph->climb;
    AfxiClimbPass *pass = system->climb.whole ? system->climb.stage->rise : system->climb.kernel->up;
    (void)part;
    for (uint32_t k = climb->part[begin]; k < climb->part[end]; k++) {
        if (system->climb.whole && k + AHEAD < climb->part[end]) {
            prefetch_job(system, &climb->job[k + AHEAD]);
        }
        (climb->job[k].rows ? pass : up_alone)(system, &climb->job[k]);
    }
}

/* Lanes that are empty do as the first one does. */
static void fill_lanes(const AfxiSystem *system, uint32_t job) {
    double *message = slot_of(system, AFXI_CLIMB_LANES * job) + AFXI_CLIMB_LANES * AFXI_CLIMB_LAMBDA;
    for (uint32_t k = 0; k < AFXI_CLIMB_MESSAGE; k++, message += AFXI_CLIMB_LANES) {
        for (uint32_t l = system->graph->climb.job[job].lanes; l < AFXI_CLIMB_LANES; l++) {
            message[l] = message[0];
        }
    }
}

static void back_part(void *context, uint32_t part, uint32_t begin, uint32_t end) {
    const AfxiSystem *system = context;
    const AfxiClimb *climb = &system->graph->climb;
    AfxiClimbTally tally = {0};
    (void)part;
    for (uint32_t k = climb->part[end]; k-- > climb->part[begin];) {
        if (!climb->job[k].rows) {
            back_alone(system, &climb->job[k]);
        } else if (system->climb.whole) {
            fill_lanes(system, k);
            system->climb.stage->fall(system, &climb->job[k], &tally);
        } else {
            system->climb.kernel->back(system, &climb->job[k]);
        }
    }
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
    return slot_of(system, AFXI_CLIMB_LANES * system->graph->climb.job_count + k);
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
    bool loaded = false;
    for (uint32_t row = 0; row < system->graph->row_count; row++) {
        system->lambda[row] = system->active[row] ? 0 : system->given[row];
        loaded |= system->lambda[row] != 0;
    }
    if (loaded) {
        afxi_dual_primal(system);
    }
    system->climb.base = loaded ? system->delta : system->start;
}

double afxi_climb_solve(AfxiSystem *system) {
    const AfxiClimb *climb = &system->graph->climb;
    double largest = 0;
    clear_grounds(system);
    begin(system);
    run(system);
    for (uint32_t k = 0; k < climb->job_count; k++) {
        for (uint32_t l = 0; !climb->job[k].rooted && l < climb->job[k].lanes; l++) {
            double own = slot_of(system, AFXI_CLIMB_LANES * k + l)[AFXI_CLIMB_LANES * AFXI_CLIMB_LARGEST];
            largest = own > largest || isnan(own) ? own : largest;
        }
    }
    return largest;
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
        write_pose(system, place, point, body == AFXI_WORLD ? NULL : system->climb.motion->v + 12 * (size_t)body, 0.5,
                   ground_slot(system, k));
    }
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
            total->gap = gap > total->gap || isnan(gap) ? gap : total->gap;
        }
    }
}

bool afxi_climb_stage(AfxiSystem *system) {
    AfxiClimbTally total = {0};
    if (!begin_open(system)) {
        return false;
    }
    place_grounds(system);
    run(system);
    for (uint32_t part = 0; part < system->graph->climb.part_count; part++) {
        const AfxiClimbTally *own = &system->climb.tally[part];
        afxi_tally_join(&total.bodies, &own->bodies);
        total.gap = own->gap > total.gap || isnan(own->gap) ? own->gap : total.gap;
        total.reach = fmax(total.reach, own->reach);
    }
    finish_grounds(system, &total);
    system->bodies.tally = total.bodies;
    system->bodies.gap = total.gap;
    return total.bodies.infinite || total.gap <= ROUNDING * fmax(1, total.reach);
}
