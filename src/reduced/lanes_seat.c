/* SPDX-License-Identifier: Apache-2.0 */
/* Which robots are in lanes, and their numbers there. */
#include <math.h>
#include <string.h>

#include "reduced/forces.h"
#include "reduced/held.h"
#include "reduced/lanes.h"
#include "reduced/measure.h"

/* ---- memory ---- */

static void layout(AfxiReducedLanes *lanes, const AfxiReduced *leader, AfxiArena *arena) {
    size_t width = lanes->lanes * sizeof(double), n = leader->tree.dof_count, c = leader->tree.coordinate_count;
    size_t m = leader->exact_count;
    AfxiTreeSystem *system = &lanes->equations;
    double **by_dof[] = {&lanes->u, &lanes->bias, &lanes->tau, &system->row};
    double **by_row[] = {&system->free, &system->compliance, &system->side, &system->lambda, &system->rest};
    lanes->raw_q = afxi_arena_take(arena, lanes->lanes, sizeof *lanes->raw_q);
    lanes->raw_v = afxi_arena_take(arena, lanes->lanes, sizeof *lanes->raw_v);
    for (size_t k = 0; k < sizeof by_dof / sizeof *by_dof; k++) {
        *by_dof[k] = afxi_arena_take(arena, n, width);
    }
    for (size_t k = 0; k < sizeof by_row / sizeof *by_row; k++) {
        *by_row[k] = afxi_arena_take(arena, m, width);
    }
    lanes->q = afxi_arena_take(arena, c, width);
    for (int s = 0; s < 4; s++) {
        lanes->place[s] = afxi_arena_take(arena, c, width);
        lanes->stage_u[s] = afxi_arena_take(arena, n, width);
        lanes->stage_du[s] = afxi_arena_take(arena, n, width);
    }
    lanes->momentum = afxi_arena_take(arena, 6 * (size_t)leader->body_count, width);
    lanes->mass = afxi_arena_take(arena, leader->rows.size, width);
    lanes->nowhere = afxi_arena_take(arena, (size_t)AFXI_AFFINE_WIDTH * leader->model->body_count, sizeof(double));
    system->gradient = afxi_arena_take(arena, m * n, width);
    system->half = afxi_arena_take(arena, m * n, width);
    system->schur = afxi_arena_take(arena, m * m, width);
    lanes->renewed.gradient = afxi_arena_take(arena, m * n, width);
    lanes->renewed.half = afxi_arena_take(arena, m * n, width);
    lanes->renewed.schur = afxi_arena_take(arena, m * m, width);
    lanes->du = afxi_arena_take(arena, n, width);
    lanes->rate = afxi_arena_take(arena, 1, width);
    lanes->new_mass = afxi_arena_take(arena, leader->rows.size, width);
    lanes->law = afxi_arena_take(arena, leader->force_count, sizeof *lanes->law);
}

static void set_plain(AfxiReducedLanes *lanes, const AfxiReduced *leader) {
    lanes->plain = leader->ball_count == 0;
    lanes->plain_rows = true;
    for (uint32_t k = 0; k < leader->force_count; k++) {
        const AfxiReducedRow *row = &leader->force[k];
        lanes->plain = lanes->plain && row->dof != AFXI_TREE_NONE;
        lanes->given = lanes->given || row->source != AFXI_REDUCED_DRIVE || leader->model->drive_tables ||
                       leader->model->drives[row->index].kind == AFX_DRIVE_FORCE;
        lanes->lively = lanes->lively || row->source != AFXI_REDUCED_DRIVE ||
                        leader->model->drives[row->index].kind != AFX_DRIVE_SPRING || leader->model->drive_tables;
    }
    for (uint32_t k = 0; k < leader->exact_count; k++) {
        const AfxiReducedRow *row = &leader->exact[k];
        lanes->plain_rows = lanes->plain_rows && row->source != AFXI_REDUCED_LOOP && !row->bends;
    }
}

static bool make(AfxiReducedLanes *lanes, const AfxiReduced *leader) {
    AfxiArena arena = {0};
    layout(lanes, leader, &arena);
    if (arena.overflow || afxi_tree_work_create_wide(&leader->tree, afxi_tree_kernels(0), &lanes->work) != AFX_OK) {
        return false;
    }
    arena.base = afxi_allocate_aligned(&lanes->allocator, arena.used + AFXI_ALIGNMENT, &lanes->raw, &lanes->raw_size);
    if (!arena.base) {
        return false;
    }
    arena.used = 0;
    layout(lanes, leader, &arena);
    lanes->equations.factor = lanes->mass;
    lanes->equations.row_count = leader->exact_count;
    set_plain(lanes, leader);
    return true;
}

bool afxi_lanes_create(AfxiReduced *leader) {
    AfxiReducedLanes *lanes = afxi_allocate(&leader->allocator, sizeof *lanes);
    if (!lanes) {
        return false;
    }
    *lanes =
        (AfxiReducedLanes){.allocator = leader->allocator, .lanes = afxi_tree_kernels(0)->lanes, .tree = &leader->tree};
    if (!make(lanes, leader)) {
        afxi_lanes_destroy(lanes);
        return false;
    }
    leader->lanes = lanes;
    return true;
}

void afxi_lanes_destroy(AfxiReducedLanes *lanes) {
    if (lanes) {
        AfxAllocator allocator = lanes->allocator;
        lanes->work.tree = lanes->tree; /* that of the last group may be gone */
        afxi_tree_work_destroy(&lanes->work);
        if (lanes->raw) {
            afxi_release(&allocator, lanes->raw, lanes->raw_size);
        }
        afxi_release(&allocator, lanes, sizeof *lanes);
    }
}

/* ---- seats ---- */

static void layout_seats(AfxiReducedSeats *seats, const AfxiReduced *leader, AfxiArena *arena) {
    size_t lanes = afxi_tree_kernels(0)->lanes, width = lanes * sizeof(double);
    afxi_tree_work_numbers_take(&seats->numbers, arena);
    seats->robot = afxi_arena_take(arena, lanes, sizeof *seats->robot);
    seats->version = afxi_arena_take(arena, lanes, sizeof *seats->version);
    seats->laws = afxi_arena_take(arena, (size_t)AFXI_LAW_NUMBERS * leader->force_count, width);
    seats->gradient = afxi_arena_take(arena, (size_t)leader->exact_count * leader->tree.dof_count, width);
}

static AfxiReducedSeats *seats_create(const AfxiReduced *leader) {
    AfxiReducedSeats *seats = afxi_allocate(&leader->allocator, sizeof *seats);
    AfxiArena arena = {0};
    if (!seats) {
        return NULL;
    }
    *seats = (AfxiReducedSeats){.allocator = leader->allocator,
                                .numbers = {.tree = &leader->tree, .kernels = afxi_tree_kernels(0)}};
    layout_seats(seats, leader, &arena);
    if (!arena.overflow) {
        arena.base =
            afxi_allocate_aligned(&seats->allocator, arena.used + AFXI_ALIGNMENT, &seats->raw, &seats->raw_size);
    }
    if (!arena.base) {
        afxi_seats_destroy(seats);
        return NULL;
    }
    arena.used = 0;
    layout_seats(seats, leader, &arena);
    return seats;
}

void afxi_seats_destroy(AfxiReducedSeats *seats) {
    if (seats) {
        AfxAllocator allocator = seats->allocator;
        if (seats->raw) {
            afxi_release(&allocator, seats->raw, seats->raw_size);
        }
        afxi_release(&allocator, seats, sizeof *seats);
    }
}

/* What kernels ask of one tree for all lanes. */
static bool is_like(const AfxiReduced *leader, const AfxiReduced *robot) {
    const AfxiTree *a = &leader->tree, *b = &robot->tree;
    bool same = a->damped == b->damped && a->gravity_off == b->gravity_off;
    for (uint32_t k = 0; same && k < a->node_count; k++) {
        same = (a->node[k].mass > 0) == (b->node[k].mass > 0) &&
               (a->node[k].light_mass > 0) == (b->node[k].light_mass > 0);
    }
    for (uint32_t k = 0; same && k < leader->force_count; k++) {
        same = leader->force[k].linear == robot->force[k].linear;
    }
    return same;
}

/* Numbers of forces along coordinates. */
static void put_laws(AfxiReducedSeats *seats, uint32_t lane) {
    const AfxiReduced *robot = seats->robot[lane];
    size_t lanes = seats->numbers.kernels->lanes;
    for (uint32_t k = 0; k < robot->force_count; k++) {
        const AfxiReducedRow *row = &robot->force[k];
        double *to = seats->laws + (size_t)AFXI_LAW_NUMBERS * k * lanes + lane;
        to[AFXI_LAW_FACTOR * lanes] = row->factor;
        if (row->linear) {
            bool spring = robot->model->drives[row->index].kind == AFX_DRIVE_SPRING;
            to[AFXI_LAW_STIFFNESS * lanes] = row->numbers[AFXI_DRIVE_STIFFNESS];
            to[AFXI_LAW_DAMPING * lanes] = row->numbers[AFXI_DRIVE_DAMPING];
            to[AFXI_LAW_TARGET * lanes] = row->numbers[AFXI_DRIVE_REST];
            to[AFXI_LAW_TARGET_RATE * lanes] = 0;
            to[AFXI_LAW_MOST * lanes] = spring ? INFINITY : row->numbers[AFXI_DRIVE_EFFORT];
        }
    }
}

/* Gradients of rows that go by coordinates of the tree. */
static void put_rows(const AfxiReducedLanes *lanes, uint32_t lane) {
    AfxiReduced *robot = lanes->robot[lane];
    afxi_reduced_list_exact(robot);
    afxi_reduced_measure_active(robot, robot->q, robot->u);
    afxi_lanes_put(lanes, lane, (size_t)robot->exact_count * robot->tree.dof_count, robot->gradient,
                   lanes->seats->gradient);
}

static void put_numbers(const AfxiReducedLanes *lanes, uint32_t lane) {
    AfxiReducedSeats *seats = lanes->seats;
    afxi_tree_work_numbers(&seats->numbers, lane, &lanes->robot[lane]->tree);
    if (lanes->plain) {
        put_laws(seats, lane);
    }
    if (lanes->plain_rows) {
        put_rows(lanes, lane);
    }
}

/* The group's numbers into the room for its steps. */
static void take_seats(AfxiReducedLanes *lanes, AfxiReduced *leader) {
    AfxiReducedSeats *seats = leader->seats;
    lanes->seats = seats;
    lanes->robot = seats->robot;
    lanes->work.tree = &leader->tree;
    lanes->work.number = seats->numbers.number;
    lanes->work.armature = seats->numbers.armature;
    lanes->work.gravity = seats->numbers.gravity;
    lanes->work.wheel = seats->numbers.wheel;
    lanes->equations.rows = &leader->rows;
    for (uint32_t k = 0; k < leader->force_count; k++) {
        const AfxiReducedRow *row = &leader->force[k];
        lanes->law[k] = (AfxiTreeLaw){.dof = row->dof,
                                      .coordinate = row->coordinate,
                                      .linear = row->linear,
                                      .number = seats->laws + (size_t)AFXI_LAW_NUMBERS * k * lanes->lanes};
    }
}

AfxiLaneBits afxi_lanes_seat(AfxiReducedLanes *lanes, AfxiReduced *const *robots, uint32_t count) {
    AfxiReduced *leader = robots[0];
    AfxiLaneBits moved = 0, ticks = 0;
    if (!leader->seats && !(leader->seats = seats_create(leader))) {
        return 0;
    }
    AfxiReducedSeats *seats = leader->seats;
    take_seats(lanes, leader);
    for (uint32_t l = 0; l < lanes->lanes; l++) {
        AfxiReduced *robot = robots[l < count ? l : 0];
        bool here = seats->robot[l] == robot && robot->seat == seats;
        moved |= (AfxiLaneBits) !(here && seats->version[l] == robot->world->params_version) << l;
        ticks |= (AfxiLaneBits)(l < count && robot->world->state.head->dt == leader->world->state.head->dt) << l;
        seats->robot[l] = robot;
        seats->version[l] = robot->world->params_version;
    }
    for (uint32_t l = 0; l < lanes->lanes; l++) {
        if (moved >> l & 1) {
            put_numbers(lanes, l);
            seats->robot[l]->seat = seats;
        }
        if (moved) {
            seats->fits = (seats->fits & ~(1u << l)) | (AfxiLaneBits)is_like(leader, seats->robot[l]) << l;
        }
    }
    return seats->fits & ticks;
}

/* ---- to and from lanes ---- */

void afxi_lanes_put(const AfxiReducedLanes *lanes, uint32_t lane, size_t count, const double *from, double *to) {
    for (size_t k = 0; k < count; k++) {
        to[k * lanes->lanes + lane] = from[k];
    }
}

void afxi_lanes_get(const AfxiReducedLanes *lanes, uint32_t lane, size_t count, const double *from, double *to) {
    for (size_t k = 0; k < count; k++) {
        to[k] = from[k * lanes->lanes + lane];
    }
}

void afxi_lanes_get_frames(const AfxiReducedLanes *lanes, uint32_t lane) {
    const AfxiTreeWork *from = &lanes->work;
    AfxiTreeWork *to = &lanes->robot[lane]->work;
    to->placed = false;
    size_t nodes = from->tree->node_count, dofs = from->tree->dof_count;
    afxi_lanes_get(lanes, lane, (nodes + 1) * (sizeof *to->node / sizeof(double)), (const double *)(void *)from->node,
                   (double *)(void *)to->node);
    afxi_lanes_get(lanes, lane, 3 * nodes, &from->reference->x, &to->reference->x);
    afxi_lanes_get(lanes, lane, 6 * dofs, (const double *)(void *)from->axis, (double *)(void *)to->axis);
}

void afxi_lanes_put_targets(AfxiReducedLanes *lanes, uint32_t lane, const double *q, const double *u) {
    const AfxiReduced *robot = lanes->robot[lane];
    for (uint32_t k = 0; k < robot->force_count; k++) {
        const AfxiReducedRow *row = &robot->force[k];
        double *to = lanes->law[k].number + lane;
        if (row->linear && row->target) {
            to[(size_t)AFXI_LAW_TARGET * lanes->lanes] = row->target[0];
            to[(size_t)AFXI_LAW_TARGET_RATE * lanes->lanes] = row->target[1];
        } else if (!row->linear) {
            to[(size_t)AFXI_LAW_PUSH * lanes->lanes] =
                afxi_reduced_law(robot, row, row->factor * q[row->coordinate], row->factor * u[row->dof]);
        }
    }
}

void afxi_lanes_put_moved(AfxiReducedLanes *lanes, uint32_t lane) {
    const AfxiReduced *robot = lanes->robot[lane];
    size_t size = sizeof *robot->work.moved / sizeof(double);
    for (uint32_t k = 0; robot->model->kinematic_count && k < robot->tree.node_count; k++) {
        if (robot->tree.node[k].kind == AFXI_NODE_MOVED) {
            afxi_lanes_put(lanes, lane, size, (const double *)(const void *)&robot->work.moved[k],
                           (double *)(void *)lanes->work.moved + k * size * lanes->lanes);
        }
    }
}
