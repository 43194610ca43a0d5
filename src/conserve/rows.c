/* SPDX-License-Identifier: Apache-2.0 */
/* Laws of rows. With x_m = (x_0 + x_1)/2 and the rate (x_1 - x_0)/h, a spring's multiplier
 *     lambda = k (x_m - p) + d rate
 * does the work that its energy k (x - p)²/2 loses, and what its damper takes; as a row it reads
 *     (law(x_1) - lambda)/s = 0,  s = k/2 + d/h,
 * which has the compliance 1/s. Couplings with compliance c have k = 1/c. A table of forces gives its mean between x_0
 * and x_1, which is its discrete gradient, and k its slope at x_m; where s is not above 0 the force is given. */
#include "conserve/rows.h"

#include <math.h>
#include <string.h>

#include "conserve/measure.h"
#include "constraint/drive.h"
#include "joint/law.h"
#include "math/table.h"

/* ---- targets ---- */

/* The rate of an exact drive that is given by its velocity. */
static double travel_rate(const AfxiWorld *world, uint32_t drive, double fraction) {
    const AfxiDrive *source = &world->model->drives[drive];
    double value = 0;
    if (source->from_input) {
        const double *begin = world->state.drive_input + 4 * (size_t)drive, *end = begin + 2;
        return begin[0] + fraction * (end[0] - begin[0]);
    }
    afx_signal_evaluate(&source->target, afxi_state_time(&world->state) + fraction * world->state.head->dt, &value,
                        NULL, NULL);
    return value;
}

void afxi_conserve_targets(AfxiConserve *work, double fraction, double *out) {
    AfxiWorld *world = work->world;
    afxi_drives_targets(world, fraction);
    for (uint32_t k = 0; k < work->model->drive_count; k++) {
        out[2 * k] = world->drive_target[2 * k];
        out[2 * k + 1] = world->drive_target[2 * k + 1];
        if (work->model->drives[k].kind == AFX_DRIVE_VELOCITY) {
            out[2 * k + 1] = travel_rate(world, k, fraction);
        }
    }
}

/* ---- what a row is ---- */

/* A spring: stiffness, damping, where it rests, the rate it aims at, and the most it gives. */
typedef struct Spring {
    double k, d, rest, rate, most;
    AfxiSpringTables tables;
} Spring;

static const double *drive_numbers(const AfxiConserve *work, uint32_t drive) {
    return afxi_world_param(work->world, AFX_PARAM_DRIVE, drive);
}

static bool spring_of(const AfxiConserve *work, const AfxiConserveRow *row, const double *targets, Spring *out) {
    const double *numbers;
    if (row->source == AFXI_SOURCE_SPRING) {
        numbers = afxi_world_param(work->world, AFX_PARAM_SPRING, row->index);
        *out = (Spring){.k = numbers[1], .d = numbers[2], .rest = numbers[0], .most = INFINITY};
        afxi_spring_tables(work->model, work->world->params, row->index, &out->tables);
        return true;
    }
    if (row->source == AFXI_SOURCE_COUPLING) {
        double compliance = afxi_world_param(work->world, AFX_PARAM_COUPLING, row->index)[AFX_COUPLING_TERMS + 1];
        *out = (Spring){.k = compliance > 0 ? 1 / compliance : 0, .most = INFINITY};
        return compliance > 0;
    }
    if (row->source != AFXI_SOURCE_DRIVE) {
        return false;
    }
    numbers = drive_numbers(work, row->index);
    bool servo = work->model->drives[row->index].kind == AFX_DRIVE_SERVO;
    *out = (Spring){.k = numbers[AFXI_DRIVE_STIFFNESS],
                    .d = numbers[AFXI_DRIVE_DAMPING],
                    .rest = numbers[AFXI_DRIVE_REST],
                    .most = INFINITY};
    afxi_drive_tables(work->model, work->world->params, row->index, &out->tables);
    if (servo) {
        out->rest = targets[2 * row->index];
        out->rate = targets[2 * row->index + 1];
        out->most = numbers[AFXI_DRIVE_EFFORT];
    }
    return servo || work->model->drives[row->index].kind == AFX_DRIVE_SPRING;
}

/* Whether a row of a joint holds by itself: two points of an axis are as far apart on both bodies, which are rigid. Of
 * the rows of the second point the one along the world axis that is nearest to the joint's, where a sub-step begins,
 * says nothing that the others do not; with it, solves of bodies whose rows were not met yet diverged. */
static bool holds_by_itself(const AfxiConserve *work, const AfxiConserveRow *row) {
    const AfxiJoint *joint = &work->model->joints[row->joint];
    if (row->source != AFXI_SOURCE_JOINT || joint->kind != AFX_JOINT_REVOLUTE_POINTS) {
        return false;
    }
    AfxiRowSpec spec = afxi_joint_kind(AFX_JOINT_REVOLUTE_POINTS)->rows[row->index];
    const AfxiJointFrame *frame = afxi_world_joint_frame(work->world, row->joint);
    AfxVec3 axis = vec3_load(frame->axes_b.m);
    if (joint->base != AFXI_WORLD) {
        AfxiMat3 a = mat3_load(work->place[0] + (size_t)AFXI_AFFINE_WIDTH * joint->base);
        axis = mat3_apply(&a, axis);
    }
    double along[3] = {fabs(axis.x), fabs(axis.y), fabs(axis.z)};
    int nearest = along[1] > along[0] ? 1 : 0;
    nearest = along[2] > along[nearest] ? 2 : nearest;
    return spec.type == AFXI_ROW_TIP && spec.i == nearest;
}

static bool is_on(const AfxiConserve *work, const AfxiConserveRow *row) {
    bool joint = row->source != AFXI_SOURCE_COUPLING && row->source != AFXI_SOURCE_SPRING;
    return !joint || (work->world->state.joint_active[row->joint] && !holds_by_itself(work, row));
}

static bool is_force(const AfxiConserve *work, const AfxiConserveRow *row) {
    return row->source == AFXI_SOURCE_DRIVE && work->model->drives[row->index].kind == AFX_DRIVE_FORCE;
}

static double exact_target(const AfxiConserveRow *row, const double *targets) {
    return row->source == AFXI_SOURCE_DRIVE ? targets[2 * row->index] : 0;
}

static AfxiConserveLaw force_law(const AfxiConserve *work, const AfxiConserveRow *row, const double *targets) {
    AfxiLawInput input = {.target = targets[2 * row->index]};
    double fixed = afxi_law_fixed(AFX_DRIVE_FORCE, AFXI_BRANCH_FREE, drive_numbers(work, row->index), &input);
    return (AfxiConserveLaw){.fixed = fixed};
}

/* The force between two places, at a rate. */
static double law_force(const Spring *spring, double begin, double end, double rate) {
    double x = 0.5 * (begin + end), slope;
    double force = spring->k * (x - spring->rest) + spring->d * (rate - spring->rate);
    if (spring->tables.spring.count) {
        force += afxi_table_mean(&spring->tables.spring, begin - spring->rest, end - spring->rest);
    }
    return spring->tables.damper.count ? force + afxi_table_force(&spring->tables.damper, rate, &slope) : force;
}

/* Its derivative by the second place, nearly. */
static double law_stiffness(const Spring *spring, double begin, double end, double h) {
    double rise, drag;
    afxi_table_force(&spring->tables.spring, 0.5 * (begin + end) - spring->rest, &rise);
    afxi_table_force(&spring->tables.damper, (end - begin) / h, &drag);
    return 0.5 * (spring->k + rise) + (spring->d + drag) / h;
}

/* Where the law of a servo stands: what it would give, against what it may. */
static uint8_t branch_of(const Spring *spring, double force) {
    return force > spring->most ? AFXI_BRANCH_HIGH : force < -spring->most ? AFXI_BRANCH_LOW : AFXI_BRANCH_FREE;
}

static AfxiConserveLaw spring_law(const AfxiConserve *work, uint32_t row, const Spring *spring,
                                  const AfxiConserveMeasure *measure, double h) {
    const AfxiConserveRow *source = &work->rows[row];
    uint8_t branch = source->source == AFXI_SOURCE_DRIVE ? work->branch[source->index] : AFXI_BRANCH_FREE;
    double stiff = law_stiffness(spring, measure->begin, measure->end, h);
    if (branch != AFXI_BRANCH_FREE) {
        return (AfxiConserveLaw){.fixed = branch == AFXI_BRANCH_LOW ? -spring->most : spring->most};
    }
    double force = law_force(spring, measure->begin, measure->end, (measure->end - measure->begin) / h);
    if (!(stiff > 0)) {
        return (AfxiConserveLaw){.fixed = force};
    }
    return (AfxiConserveLaw){true, 1 / stiff, (force - work->lambda[row]) / stiff, 0};
}

/* ---- between two places ---- */

/* Gradients of a row into those of its block. */
static void scatter(AfxiConserve *work, const AfxiConserveBlock *block, uint32_t row,
                    const AfxiConserveMeasure *measure) {
    for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
        uint32_t body = work->bodies[work->entries[e].body].body;
        double *to = work->gradient + work->entries[e].gradient + AFXI_RIGID_WIDTH * (size_t)(row - block->first_row);
        memset(to, 0, AFXI_RIGID_WIDTH * sizeof *to);
        for (uint32_t k = 0; k < measure->count; k++) {
            if (measure->body[k] == body) {
                memcpy(to, measure->gradient[k], AFXI_RIGID_WIDTH * sizeof *to);
            }
        }
    }
}

/* Three rows, of which `row` is the first. */
static void turn_laws(AfxiConserve *work, uint32_t row, double h) {
    AfxVec3 torque;
    double compliance[9];
    uint32_t joint = work->rows[row].joint;
    bool holds = work->world->state.joint_active[joint] &&
                 afxi_conserve_spring_torque(work, joint, work->place[0], work->place[1], h, &torque, compliance);
    for (uint32_t k = 0; k < 3; k++) {
        AfxiConserveLaw *law = &work->laws[row + k];
        *law = (AfxiConserveLaw){.active = holds};
        for (uint32_t m = 0; holds && m < 3; m++) {
            double off = (&torque.x)[m] - work->lambda[row + m];
            work->spring_compliance[3 * (row + k) + m] = compliance[3 * m + k];
            law->value += compliance[3 * m + k] * off;
        }
        law->compliance = holds ? compliance[4 * k] : 0;
    }
}

void afxi_conserve_rows_between(AfxiConserve *work, const AfxiConserveComponent *component, double h) {
    AfxiConserveMeasure measure;
    Spring spring;
    for (uint32_t b = component->first_block; b < component->first_block + component->block_count; b++) {
        const AfxiConserveBlock *block = &work->blocks[b];
        for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
            const AfxiConserveRow *source = &work->rows[row];
            AfxiConserveLaw *law = &work->laws[row];
            afxi_conserve_measure(work, row, work->place[0], work->place[1], &measure);
            scatter(work, block, row, &measure);
            if (!is_on(work, source)) {
                *law = (AfxiConserveLaw){.fixed = 0};
            } else if (source->source == AFXI_SOURCE_ROTATIONAL_SPRING) {
                if (source->index == 0) {
                    turn_laws(work, row, h);
                }
            } else if (is_force(work, source)) {
                *law = force_law(work, source, work->target[0]);
            } else if (spring_of(work, source, work->target[0], &spring)) {
                *law = spring_law(work, row, &spring, &measure, h);
            } else {
                *law = (AfxiConserveLaw){true, 0, measure.end - exact_target(source, work->target[1]), 0};
            }
        }
    }
}

bool afxi_conserve_rows_branches(AfxiConserve *work, const AfxiConserveComponent *component, double h) {
    AfxiConserveMeasure measure;
    Spring spring;
    bool changed = false;
    for (uint32_t row = component->first_row; row < component->first_row + component->row_count; row++) {
        const AfxiConserveRow *source = &work->rows[row];
        bool servo = source->source == AFXI_SOURCE_DRIVE && is_on(work, source) &&
                     work->model->drives[source->index].kind == AFX_DRIVE_SERVO;
        if (!servo || work->branch_changes[source->index] >= AFXI_CONSERVE_BRANCH_CHANGES_MOST) {
            continue;
        }
        spring_of(work, source, work->target[0], &spring);
        afxi_conserve_measure(work, row, work->place[0], work->place[1], &measure);
        double force = law_force(&spring, measure.begin, measure.end, (measure.end - measure.begin) / h);
        uint8_t branch = branch_of(&spring, force);
        if (branch != work->branch[source->index]) {
            work->branch[source->index] = branch;
            work->branch_changes[source->index]++;
            afxi_trace_branch(work->world->trace, AFX_DRIVE_SERVO);
            changed = true;
        }
    }
    return changed;
}

/* ---- at one place ---- */

/* Rate of what a row measures, by the velocities of all bodies. */
static double rate_of(const AfxiConserve *work, const AfxiConserveMeasure *measure) {
    double sum = 0;
    for (uint32_t k = 0; k < measure->count; k++) {
        const double *g = measure->gradient[k], *twist = work->twist + (size_t)AFXI_RIGID_WIDTH * measure->body[k];
        for (int e = 0; e < AFXI_RIGID_WIDTH; e++) {
            sum += g[e] * twist[e];
        }
    }
    return sum;
}

static void turn_at(AfxiConserve *work, uint32_t row, const double *place) {
    const AfxiJoint *joint = &work->model->joints[work->rows[row].joint];
    static const double still[AFXI_RIGID_WIDTH];
    const double *a = joint->follower == AFXI_WORLD ? still : work->twist + 6 * (size_t)joint->follower;
    const double *b = joint->base == AFXI_WORLD ? still : work->twist + 6 * (size_t)joint->base;
    double compliance[9] = {0};
    AfxVec3 torque, turn = vec3_sub(vec3_load(a + 3), vec3_load(b + 3));
    afxi_conserve_spring_torque(work, work->rows[row].joint, place, place, INFINITY, &torque, compliance);
    torque = vec3_add(torque, afxi_conserve_spring_drag(work, work->rows[row].joint, place, turn));
    for (uint32_t k = 0; k < 3; k++) {
        double own = 0.5 * compliance[4 * k]; /* the other half is of the place where a sub-step begins */
        work->laws[row + k] = (AfxiConserveLaw){.fixed = (&torque.x)[k], .compliance = own};
    }
}

void afxi_conserve_rows_at(AfxiConserve *work, const AfxiConserveComponent *component, const double *place,
                           const double *targets) {
    AfxiConserveMeasure measure;
    Spring spring;
    for (uint32_t b = component->first_block; b < component->first_block + component->block_count; b++) {
        const AfxiConserveBlock *block = &work->blocks[b];
        for (uint32_t row = block->first_row; row < block->first_row + block->row_count; row++) {
            const AfxiConserveRow *source = &work->rows[row];
            AfxiConserveLaw *law = &work->laws[row];
            afxi_conserve_measure(work, row, place, place, &measure);
            scatter(work, block, row, &measure);
            if (!is_on(work, source)) {
                *law = (AfxiConserveLaw){.fixed = 0};
            } else if (source->source == AFXI_SOURCE_ROTATIONAL_SPRING) {
                if (source->index == 0) {
                    turn_at(work, row, place);
                }
            } else if (is_force(work, source)) {
                *law = force_law(work, source, targets);
            } else if (spring_of(work, source, targets, &spring)) {
                double force = law_force(&spring, measure.end, measure.end, rate_of(work, &measure));
                double rise = 2 * law_stiffness(&spring, measure.end, measure.end, INFINITY);
                *law = (AfxiConserveLaw){.fixed = fmax(-spring.most, fmin(spring.most, force)),
                                         .compliance = rise > 0 && fabs(force) < spring.most ? 1 / rise : 0};
            } else {
                *law = (AfxiConserveLaw){true, 0, measure.end - exact_target(source, targets), 0};
            }
        }
    }
}

void afxi_conserve_rows_values(AfxiConserve *work, const AfxiConserveComponent *component) {
    AfxiConserveMeasure measure;
    for (uint32_t row = component->first_row; row < component->first_row + component->row_count; row++) {
        if (work->laws[row].active) {
            afxi_conserve_measure(work, row, work->place[0], work->place[1], &measure);
            work->laws[row].value = measure.end - exact_target(&work->rows[row], work->target[1]);
        }
    }
}

double afxi_conserve_rows_violation(const AfxiConserve *work, const AfxiConserveComponent *component) {
    double most = 0;
    for (uint32_t row = component->first_row; row < component->first_row + component->row_count; row++) {
        const AfxiConserveLaw *law = &work->laws[row];
        most = law->active && law->compliance == 0 ? fmax(most, fabs(law->value)) : most;
    }
    return most;
}

void afxi_conserve_rows_rates(AfxiConserve *work, const AfxiConserveComponent *component, const double *targets,
                              double *out) {
    AfxiConserveMeasure measure;
    for (uint32_t row = component->first_row; row < component->first_row + component->row_count; row++) {
        const AfxiConserveRow *source = &work->rows[row];
        out[row] = 0;
        if (work->laws[row].active) {
            afxi_conserve_measure(work, row, work->place[1], work->place[1], &measure);
            out[row] =
                rate_of(work, &measure) - (source->source == AFXI_SOURCE_DRIVE ? targets[2 * source->index + 1] : 0);
        }
    }
}

void afxi_conserve_rows_seconds(AfxiConserve *work, const AfxiConserveComponent *component, const double *place,
                                double time, double *out) {
    for (uint32_t row = component->first_row; row < component->first_row + component->row_count; row++) {
        const AfxiConserveRow *source = &work->rows[row];
        out[row] = 0;
        if (!work->laws[row].active) {
            continue;
        }
        out[row] = afxi_conserve_second(work, row, place, work->rate, work->acceleration);
        const AfxiDrive *drive = source->source == AFXI_SOURCE_DRIVE ? &work->model->drives[source->index] : NULL;
        double rate = 0, acceleration = 0;
        if (drive && !drive->from_input) {
            afx_signal_evaluate(&drive->target, time, NULL, &rate, &acceleration);
            out[row] -= drive->kind == AFX_DRIVE_VELOCITY ? rate : acceleration;
        }
    }
}
