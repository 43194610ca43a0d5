/* SPDX-License-Identifier: Apache-2.0 */
/* Work in a part of a step, from what is known at its two ends. With x a coordinate and f the force along it,
 *     smooth forces (drives, dampers, wrenches)               (f_0 + f_1)/2 (x_1 - x_0)
 *     what may act like a blow (contact, limits, friction)    f_1 h (x'_0 + x'_1)/2,
 * the second since an impulse h f does the work of its mean velocity. Where there is no f_0, it is f_1; of a method of
 * two stages forces are the mean of these, by the method's weights. A row with multiplier lambda puts -lambda J on its
 * bodies: -lambda dx on all together, of which a kinematic one has -lambda J_k dq_k, so that it gave the others
 * lambda J_k dq_k. Springs keep what they are given; only their damping is booked. */
#include <math.h>
#include <string.h>

#include "joint/law.h"
#include "joint/rotational_spring.h"
#include "math/polar.h"
#include "math/table.h"
#include "model/params.h"
#include "solve/equation.h"
#include "solve/stored.h"
#include "state/pace.h"
#include "step/book.h"
#include "step/present.h"

/* The two ends of a part, as the oracle's equations take them. */
typedef struct Ends {
    const AfxSim *sim;
    AfxiResidualStage at[2];
    double h, acting;             /* s, of the part; share of it in which the forces of contacts and holds act */
    double weight[2], elastic[2]; /* of the multipliers at both, and of what springs hold there */
    bool staged;                  /* the first ones are those of an earlier stage */
    AfxEnergyBook *book;
} Ends;

/* As the oracle takes what stands in q, v, lambda, without bodies that are not in the part. */
static AfxiResidualStage stage_of(const AfxSim *sim, const double *q, const double *v, const double *lambda) {
    AfxiResidualStage stage = afxi_present(sim);
    stage.absent = sim->solver.absent;
    stage.q = q;
    stage.v = v;
    stage.lambda = lambda;
    return stage;
}

static double dot(const double *a, const double *b) {
    double sum = 0;
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        sum += a[e] * b[e];
    }
    return sum;
}

static const double *of_body(const double *numbers, uint32_t body) {
    return numbers + (size_t)AFXI_AFFINE_WIDTH * body;
}

/* ---- rows ---- */

/* One row at both ends. */
typedef struct Row {
    AfxiEquation equation[2];
    double lambda[2], rate[2];
    double way;          /* x_1 - x_0 */
    double smooth, blow; /* lambda in the mean, and as it counts for what may be a blow */
} Row;

static double rate_of(const AfxiResidualStage *stage, const AfxiEquation *equation) {
    double sum = 0;
    for (uint32_t k = 0; k < equation->count; k++) {
        sum += stage->model->kind[equation->body[k]] == AFX_BODY_FIXED
                   ? 0
                   : dot(equation->gradient[k], of_body(stage->v, equation->body[k]));
    }
    return sum;
}

/* Whether the part solved for a body of the row. */
static bool took_part(const AfxiResidualStage *stage, const AfxiEquation *equation) {
    bool any = false;
    for (uint32_t k = 0; k < equation->count; k++) {
        any |= afxi_residual_solves(stage, equation->body[k]);
    }
    return any;
}

/* What a kinematic body gave the others through a row. */
static void book_kinematic(const Ends *ends, const Row *row, bool blow) {
    for (int end = 0; end < 2; end++) {
        const AfxiEquation *equation = &row->equation[end];
        double lambda = blow ? (end ? row->blow : 0) : ends->weight[end] * row->lambda[end];
        for (uint32_t k = 0; k < equation->count; k++) {
            uint32_t body = equation->body[k];
            const double *from = of_body(ends->at[0].q, body), *to = of_body(ends->at[1].q, body);
            if (ends->sim->model->kind[body] == AFX_BODY_KINEMATIC) {
                ends->book->kinematic += lambda * (dot(equation->gradient[k], to) - dot(equation->gradient[k], from));
            }
        }
    }
}

/* -lambda less what an elastic part explains, along the way. */
static double damper_work(const Ends *ends, const Row *row, double stiffness, double rest, const AfxForceTable *table) {
    double x = ends->elastic[0] * row->equation[0].value + ends->elastic[1] * row->equation[1].value, held = 0, unused;
    for (int end = 0; table->count && end < 2; end++) {
        held += ends->elastic[end] * afxi_table_force(table, row->equation[end].value - rest, &unused);
    }
    return -(row->smooth - stiffness * (x - rest) - held) * row->way;
}

/* Work of the damper of a spring of any kind. */
static double spring_work(const Ends *ends, const Row *row, double stiffness, double damping, double rest,
                          const AfxiSpringTables *tables) {
    bool damped = damping > 0 || tables->damper.count;
    return damped ? damper_work(ends, row, stiffness, rest, &tables->spring) : 0;
}

/* The share of the step that the force of a limit which is met in it acts for: a sudden force f of a stage changes
 * velocities by f h²/h_v, and not by f dt. */
static double blow_of(const Ends *ends, uint32_t drive) {
    const AfxiState *state = &ends->sim->world.state;
    const AfxiJoint *joint = &ends->sim->model->joints[ends->sim->model->drives[drive].joint];
    uint32_t body = afxi_residual_solves(&ends->at[1], joint->follower) ? joint->follower : joint->base;
    uint8_t pace = state->head->uneven ? state->pace[body] : 0;
    const AfxiBook *book = ends->sim->book;
    return pace & AFXI_PACE_REDUCED_ORDER ? 1 : pace & AFXI_PACE_TURNING ? book->sudden_turning : book->sudden;
}

static void book_drive(const Ends *ends, uint32_t drive, const Row *row) {
    AfxEnergyBook *book = ends->book;
    const double *numbers = afxi_world_param(&ends->sim->world, AFX_PARAM_DRIVE, drive);
    bool struck = ends->sim->world.branch_part[drive] == AFXI_BRANCH_FREE &&
                  ends->sim->world.state.drive_branch[drive] != AFXI_BRANCH_FREE;
    AfxiSpringTables tables;
    double smooth = -row->smooth * row->way, blow = -row->blow * ends->h * 0.5 * (row->rate[0] + row->rate[1]);
    switch ((AfxDriveKind)ends->sim->model->drives[drive].kind) {
    case AFX_DRIVE_POSITION:
        book->position_drives += smooth;
        break;
    case AFX_DRIVE_VELOCITY:
        book->velocity_drives += smooth;
        break;
    case AFX_DRIVE_FORCE:
        book->force_drives += smooth;
        break;
    case AFX_DRIVE_SERVO:
        book->servos += smooth;
        break;
    case AFX_DRIVE_SPRING:
        afxi_drive_tables(ends->sim->model, ends->sim->world.params, drive, &tables);
        book->dampers += spring_work(ends, row, numbers[AFXI_DRIVE_STIFFNESS], numbers[AFXI_DRIVE_DAMPING],
                                     numbers[AFXI_DRIVE_REST], &tables);
        break;
    case AFX_DRIVE_LIMIT:
        book->limits += struck ? blow_of(ends, drive) * blow : blow;
        break;
    case AFX_DRIVE_FRICTION:
        book->joint_friction += blow;
        break;
    }
}

static void book_row(const Ends *ends, const AfxiGraphRow *source, const Row *row) {
    const AfxiWorld *world = &ends->sim->world;
    bool blow = false;
    if (source->source == AFXI_SOURCE_DRIVE) {
        AfxDriveKind kind = (AfxDriveKind)world->model->drives[source->index].kind;
        blow = kind == AFX_DRIVE_LIMIT || kind == AFX_DRIVE_FRICTION;
        book_drive(ends, source->index, row);
    } else if (source->source == AFXI_SOURCE_SPRING) {
        const double *numbers = afxi_world_param(world, AFX_PARAM_SPRING, source->index);
        AfxiSpringTables tables;
        afxi_spring_tables(world->model, world->params, source->index, &tables);
        ends->book->dampers += spring_work(ends, row, numbers[1], numbers[2], numbers[0], &tables);
    }
    if (world->model->kinematic_count) {
        book_kinematic(ends, row, blow);
    }
}

static void take_row(const Ends *ends, size_t at, double sign, Row *row) {
    for (int end = 0; end < 2; end++) {
        row->lambda[end] = sign * ends->at[end].lambda[at];
        row->rate[end] = rate_of(&ends->at[end], &row->equation[end]);
    }
    row->way = row->equation[1].value - row->equation[0].value;
    bool none = row->lambda[0] == 0 && row->lambda[1] == 0; /* no work, whatever an angle that is lost may do */
    for (int end = 0; none && end < 2; end++) {
        row->way = row->rate[end] = 0;
        row->equation[end].count = 0;
    }
    row->smooth = ends->weight[0] * row->lambda[0] + ends->weight[1] * row->lambda[1];
    row->blow = ends->staged ? row->smooth : row->lambda[1];
}

/* Rows of joints do no work but through a body that is kinematic. */
static bool idle(const AfxModel *model, const AfxiGraphRow *source) {
    return source->source != AFXI_SOURCE_DRIVE && source->source != AFXI_SOURCE_SPRING && !model->kinematic_count;
}

static void book_graphs(const Ends *ends) {
    const AfxModel *model = ends->sim->model;
    for (uint32_t g = 0; g < model->graph_count; g++) {
        const AfxiGraph *graph = &model->graph[g];
        for (uint32_t r = 0; r < graph->joint_rows; r++) {
            Row row;
            if (idle(model, &graph->row[r])) {
                continue;
            }
            for (int end = 0; end < 2; end++) {
                afxi_equation_of_row(&ends->at[end], graph, r, &row.equation[end]);
            }
            if (took_part(&ends->at[1], &row.equation[1])) {
                take_row(ends, graph->first_row + r, 1, &row);
                book_row(ends, &graph->row[r], &row);
            }
        }
    }
    for (uint32_t slot = 0; model->kinematic_count && slot < model->chains.slot_count; slot++) {
        uint32_t joint = model->chains.slot_joint[slot];
        for (uint32_t r = 0; joint != UINT32_MAX && r < 3; r++) {
            Row row;
            for (int end = 0; end < 2; end++) {
                afxi_equation_of_joint(&ends->at[end], joint, r, &row.equation[end]);
            }
            if (took_part(&ends->at[1], &row.equation[1])) {
                take_row(ends, model->row_count + 3 * (size_t)slot + r, model->joints[joint].reversed ? -1 : 1, &row);
                book_kinematic(ends, &row, false);
            }
        }
    }
}

/* ---- springs of ball joints ---- */

static AfxVec3 spin_of(const AfxiResidualStage *stage, uint32_t body, const AfxiMat3 *r) {
    AfxVec3 sum = vec3(0, 0, 0);
    for (int k = 0; body != AFXI_WORLD && stage->model->kind[body] != AFX_BODY_FIXED && k < 3; k++) {
        sum = vec3_add(sum, vec3_cross(mat3_column(r, k), vec3_load(of_body(stage->v, body) + 3 * (size_t)k)));
    }
    return vec3_scale(0.5, sum);
}

/* The rate of the turn of a ball joint, in its axes on the base. */
static AfxVec3 turning_of(const AfxiResidualStage *stage, uint32_t joint) {
    const AfxiJoint *source = &stage->model->joints[joint];
    const AfxiJointFrame *frame = (const AfxiJointFrame *)stage->model->joint_frames.items + source->frame;
    AfxiMat3 r_a = afxi_residual_rotation(stage, source->follower), r_b = afxi_residual_rotation(stage, source->base);
    AfxiMat3 base = mat3_multiply(&r_b, &frame->axes_b);
    AfxVec3 spin = vec3_sub(spin_of(stage, source->follower, &r_a), spin_of(stage, source->base, &r_b));
    return mat3_apply_transposed(&base, spin);
}

static void book_ball_dampers(const Ends *ends) {
    const AfxModel *model = ends->sim->model;
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const AfxiJoint *joint = &model->joints[k];
        bool solved =
            afxi_residual_solves(&ends->at[1], joint->follower) || afxi_residual_solves(&ends->at[1], joint->base);
        if (joint->rotational_spring == UINT32_MAX || !solved || !ends->at[1].joint_active[k]) {
            continue;
        }
        const double *d = afxi_world_param(&ends->sim->world, AFX_PARAM_JOINT_SPRING, joint->rotational_spring) +
                          AFXI_ROTATIONAL_SPRING_DAMPING;
        for (int end = 0; end < 2; end++) {
            AfxVec3 spin = turning_of(&ends->at[end], k);
            ends->book->dampers -=
                0.5 * ends->h * (d[0] * spin.x * spin.x + d[1] * spin.y * spin.y + d[2] * spin.z * spin.z);
        }
    }
}

/* ---- bodies ---- */

/* Generalised forces of a wrench, at an end: those in the body's axes turn with it. */
static void force_of(const AfxiFreeForce *force, const double *q, double out[AFXI_AFFINE_WIDTH]) {
    AfxiMat3 a = mat3_load(q), r = afxi_rotation_part(&a, NULL);
    AfxVec3 on_t;
    AfxiMat3 local = afxi_free_forces(force, &r, &on_t), on_a = mat3_multiply(&r, &local);
    memcpy(out, on_a.m, sizeof on_a.m);
    vec3_store(out + 9, on_t);
}

static void book_bodies(const Ends *ends) {
    const AfxiWorld *world = &ends->sim->world;
    for (uint32_t k = 0; k < world->model->dynamic_count; k++) {
        uint32_t body = world->model->dynamic[k], slot = world->force_slot[body];
        const AfxiBodyClass *class = afxi_world_class(world, body);
        if (!afxi_residual_solves(&ends->at[1], body)) {
            continue;
        }
        const double *from = of_body(ends->at[0].q, body), *to = of_body(ends->at[1].q, body);
        for (int end = 0; end < 2; end++) {
            const double *v = of_body(ends->at[end].v, body);
            double force[AFXI_AFFINE_WIDTH], drag = class->linear_damping * class->mass * dot(v, v);
            for (int e = 0; e < 9; e++) {
                drag += (class->angular_damping * class->s[e / 3] - class->linear_damping * class->mass) * v[e] * v[e];
            }
            ends->book->dampers -= 0.5 * ends->h * drag;
            if (slot != UINT32_MAX) {
                const AfxiFreeForce *forces =
                    end == 0 && ends->sim->book->forces ? ends->sim->book->forces : world->forces;
                force_of(&forces[slot], of_body(ends->at[end].q, body), force);
                ends->book->wrenches += 0.5 * (dot(force, to) - dot(force, from));
            }
        }
    }
}

/* ---- contacts and holds ---- */

/* A x + t of q, or of v: a place or a velocity. */
static AfxVec3 apply(const double *numbers, AfxVec3 x) {
    AfxiMat3 a = mat3_load(numbers);
    return vec3_add(mat3_apply(&a, x), vec3_load(numbers + 9));
}

static AfxVec3 turn_rate(const Ends *ends, int end, uint32_t body) {
    AfxiMat3 a = mat3_load(of_body(ends->at[end].q, body)), r = afxi_rotation_part(&a, NULL);
    return spin_of(&ends->at[end], body, &r);
}

/* Mean velocity over the part of the point x of a body's principal frame. */
static AfxVec3 mean_velocity(const Ends *ends, uint32_t body, AfxVec3 x) {
    AfxVec3 sum = vec3_add(apply(of_body(ends->at[0].v, body), x), apply(of_body(ends->at[1].v, body), x));
    return vec3_scale(0.5, sum);
}

static AfxVec3 mean_spin(const Ends *ends, uint32_t body) {
    return vec3_scale(0.5, vec3_add(turn_rate(ends, 0, body), turn_rate(ends, 1, body)));
}

/* The same of the surface of a body that is not solved for, at a point of the world. */
static AfxVec3 surface_velocity(const Ends *ends, const AfxiPoint *point) {
    AfxVec3 drift = vec3_load(point->drift);
    if (ends->sim->model->kind[point->body_b] != AFX_BODY_KINEMATIC) {
        return drift;
    }
    const double *q = of_body(ends->at[1].q, point->body_b);
    AfxiMat3 a = mat3_load(q);
    AfxVec3 x = mat3_apply_transposed(&a, vec3_sub(vec3_load(point->x_b), vec3_load(q + 9)));
    return vec3_add(drift, mean_velocity(ends, point->body_b, x));
}

/* Seconds for which the forces of a body's contacts act: at reduced order, those of the last stage do for all of it. */
static double acts_for(const Ends *ends, uint32_t body) {
    const AfxiState *state = &ends->sim->world.state;
    bool reduced = state->head->uneven && state->pace[body] & AFXI_PACE_REDUCED_ORDER;
    return (reduced ? 1 : ends->acting) * ends->h;
}

static void book_point(const Ends *ends, const AfxiPoint *point) {
    AfxVec3 push = vec3_scale(point->tried.push, vec3_load(point->axis)), rub = vec3_load(point->tried.friction);
    AfxVec3 moment = point->row_count > AFXI_POINT_ROWS ? vec3_load(point->tried.moment) : vec3(0, 0, 0);
    AfxVec3 normal = mean_velocity(ends, point->body_a, vec3_load(point->core_a));
    AfxVec3 slip = mean_velocity(ends, point->body_a, vec3_load(point->x_a));
    AfxVec3 roll = mean_spin(ends, point->body_a), surface = vec3(0, 0, 0), spin = surface;
    if (point->pair) {
        normal = vec3_sub(normal, mean_velocity(ends, point->body_b, vec3_load(point->core_b)));
        slip = vec3_sub(slip, mean_velocity(ends, point->body_b, vec3_load(point->x_b)));
        roll = vec3_sub(roll, mean_spin(ends, point->body_b));
    } else {
        surface = surface_velocity(ends, point);
        spin = ends->sim->model->kind[point->body_b] == AFX_BODY_KINEMATIC ? mean_spin(ends, point->body_b) : spin;
        normal = vec3_sub(normal, surface);
        slip = vec3_sub(slip, surface);
        roll = vec3_sub(roll, spin);
    }
    double h = acts_for(ends, point->body_a);
    ends->book->contact_normal += h * vec3_dot(push, normal);
    ends->book->contact_friction += h * (vec3_dot(rub, slip) + vec3_dot(moment, roll));
    ends->book->kinematic += h * (vec3_dot(vec3_add(push, rub), surface) + vec3_dot(moment, spin));
}

/* The force of a whole step before is still known. */
static void book_hold(const Ends *ends, const AfxiHold *hold) {
    const AfxiStateHead *head = ends->sim->world.state.head;
    AfxVec3 to = apply(of_body(ends->at[1].q, hold->body), hold->point);
    AfxVec3 pull = vec3_scale(hold->pull, vec3_sub(hold->rest, to));
    bool before = !hold->fresh && !ends->staged && ends->acting >= 1 && ends->weight[0] > 0 && ends->h >= head->dt;
    pull = before ? vec3_scale(0.5, vec3_add(pull, hold->force)) : pull;
    ends->book->holds += acts_for(ends, hold->body) * vec3_dot(pull, mean_velocity(ends, hold->body, hold->point));
}

static void book_touch(const Ends *ends) {
    const AfxiContactSet *set = ends->sim->solver.set;
    const AfxiHolds *holds = ends->sim->world.holds;
    for (uint32_t k = 0; set && k < set->now.count; k++) {
        const AfxiPoint *point = &set->now.point[k];
        if (point->row_count && point->tried.push > 0 && !ends->sim->solver.absent[point->body_a]) {
            book_point(ends, point);
        }
    }
    for (uint32_t k = 0; holds && k < holds->count; k++) {
        if (!ends->sim->solver.absent[holds->hold[k].body]) {
            book_hold(ends, &holds->hold[k]);
        }
    }
}

static Ends ends_of(const AfxSim *sim, double h, AfxEnergyBook *out) {
    const AfxiState *state = &sim->world.state;
    const AfxiBook *book = sim->book;
    bool staged = book->share > 0;
    double before = staged ? book->share : book->fits ? 0.5 : 0, held = staged ? 0.5 : before;
    return (Ends){
        .sim = sim,
        .at = {stage_of(sim, book->q, book->v, book->lambda), stage_of(sim, state->q, state->v, state->lambda)},
        .h = h,
        .weight = {before, 1 - before},
        .elastic = {held, 1 - held},
        .staged = staged,
        .book = out};
}

void afxi_book_work(const AfxSim *sim, double h, AfxEnergyBook *out) {
    Ends ends = ends_of(sim, h, out);
    book_graphs(&ends);
    book_ball_dampers(&ends);
    book_bodies(&ends);
}

void afxi_book_touch(const AfxSim *sim, double h, double share, AfxEnergyBook *out) {
    Ends ends = ends_of(sim, h, out);
    ends.acting = share;
    book_touch(&ends);
}

/* ---- what springs hold ---- */

double afxi_book_springs(const AfxSim *sim, const double *q) {
    const AfxModel *model = sim->model;
    AfxiResidualStage stage = stage_of(sim, q, sim->world.state.v, sim->world.state.lambda);
    double sum = 0;
    for (uint32_t g = 0; g < model->graph_count; g++) {
        for (uint32_t r = 0; r < model->graph[g].joint_rows; r++) {
            sum += afxi_stored_row(&stage, &model->graph[g], r);
        }
    }
    for (uint32_t k = 0; k < model->joint_count; k++) {
        sum += afxi_stored_ball(&stage, k);
    }
    return sum;
}
