/* SPDX-License-Identifier: Apache-2.0 */
/* The energy that a first solve makes or loses, against what the integrator takes. With w the turn of a body away from
 * its frame and theta its turn in the step, such a solve
 *
 *     has the bound gamma for the geometric stiffness K, which is a moment (K - gamma I) w that nothing exerts: its
 *         work is theta . (K - gamma I) w, of either sign,
 *     leaves A = R (I + [w]), longer by |w|²/2: the energy of the motion grows by about |w|² of it.
 *
 * That strain holds the energy V (mu + lambda) |w|^4 / 2 where the body is elastic, whatever the motion has: stiff
 * bodies that turn far in a step would set out again with what their last turn has left.
 *
 * Of later solves, what the next one would still turn bodies by is r w, r the rate at which turns lessen: the moment
 * that is missing is (K + I) r w, which is large beside the motion where stiff loads turn light bodies and solves
 * wander.
 *
 * BDF2 takes theta^4 of the energy of a body that spins freely, and more of one that turns about a joint. All are
 * summed over the bodies of an island: what holds little energy makes little. w is of third order in the step and the
 * works of fourth and more, so that small steps take one solve. Drives that lead or hold something give and take
 * whatever is missing: they are no matter of energy from nothing. */
#include "solve/gain.h"

#include <math.h>

#include "body/strain.h"
#include "model/model.h"
#include "solve/stored.h"
#include "solve/tuning.h"

/* The turn from one A to another, in the axes of a frame. */
static AfxVec3 turn_between(const AfxiMat3 *frame, const double *from, const double *to) {
    AfxVec3 sum = vec3(0, 0, 0);
    for (int c = 0; c < 3; c++) {
        sum = vec3_add(sum, vec3_cross(vec3_load(from + 3 * c), vec3_load(to + 3 * c)));
    }
    return mat3_apply_transposed(frame, vec3_scale(0.5, sum));
}

/* (K - gamma I) w, K by its entries xx, yy, zz, xy, xz, yz. */
static AfxVec3 left_out(const double k[6], double gamma, AfxVec3 w) {
    return vec3((k[0] - gamma) * w.x + k[3] * w.y + k[4] * w.z, k[3] * w.x + (k[1] - gamma) * w.y + k[5] * w.z,
                k[4] * w.x + k[5] * w.y + (k[2] - gamma) * w.z);
}

/* Whether something is led or held by drives, into which false moments go. */
static bool is_driven(const AfxiRows *rows) {
    const AfxiGraph *graph = rows->graph;
    bool driven = false;
    for (uint32_t k = 0; k < graph->drive_count && !driven; k++) {
        AfxDriveKind kind = rows->world->model->drives[graph->row[graph->drive_row[k]].index].kind;
        driven = kind == AFX_DRIVE_POSITION || kind == AFX_DRIVE_VELOCITY || kind == AFX_DRIVE_SERVO;
    }
    return driven;
}

/* Twice the energy of the strain |w|²/2 across w, J; rigid bodies hold none. */
static double strain_energy(const AfxiBodyClass *class, AfxVec3 w) {
    double square = vec3_dot(w, w), mu = class->young / (2 * (1 + class->poisson));
    double lambda = 2 * mu * class->poisson / (1 - 2 * class->poisson);
    return isfinite(class->young) ? class->volume * (mu + lambda) * square * square : 0;
}

/* Works in a step, J, but for the factor of the integrator. */
typedef struct Works {
    double left_out, strain, missing; /* of a first solve; of what another one would still change */
    double held;                      /* by false strains of elastic bodies */
    double taken, energy;             /* by the integrator; of the motion */
} Works;

/* Twice the energy of a body's motion in the step, J, and how far it turns, squared. */
static double motion_energy(const AfxiLot *lot, uint32_t k, double *out_turned) {
    const AfxiRows *rows = &lot->rows;
    const double *next = rows->next + (size_t)AFXI_AFFINE_WIDTH * k;
    const double *q = rows->world->state.q + (size_t)AFXI_AFFINE_WIDTH * rows->graph->body[k];
    const AfxiBodyClass *class = afxi_world_class(rows->world, rows->graph->body[k]);
    double energy = 0, scale = 1 / lot->plan.weights.scale.h_squared;
    *out_turned = 0;
    for (int c = 0; c < 4; c++) {
        AfxVec3 way = vec3_sub(vec3_load(next + 3 * c), vec3_load(q + 3 * c));
        double square = vec3_dot(way, way);
        energy += scale * (c < 3 ? class->s[c] : class->mass) * square;
        *out_turned += c < 3 ? 0.5 * square : 0; /* |A - A_n|² = 2 theta² */
    }
    return energy;
}

static void add_body(const AfxiLot *lot, uint32_t k, double rate, Works *works) {
    const AfxiRows *rows = &lot->rows;
    uint32_t body = rows->graph->body[k];
    const double *next = rows->next + (size_t)AFXI_AFFINE_WIDTH * k, *stiffness = lot->stiffness + 6 * (size_t)k;
    const double *q = rows->world->state.q + (size_t)AFXI_AFFINE_WIDTH * body;
    const AfxiBodyClass *class = afxi_world_class(rows->world, body);
    double turned, energy = motion_energy(lot, k, &turned), scale = 1 / lot->plan.weights.scale.h_squared;
    AfxVec3 w = turn_between(&rows->frame[k], rows->frame[k].m, next);
    AfxVec3 theta = turn_between(&rows->frame[k], q, next);
    if (rate > 0) {
        const double *s = class->s;
        AfxVec3 inertia = vec3(scale * (s[1] + s[2]), scale * (s[0] + s[2]), scale * (s[0] + s[1]));
        AfxVec3 moment = vec3_add(left_out(stiffness, 0, w), vec3(inertia.x * w.x, inertia.y * w.y, inertia.z * w.z));
        works->missing += rate * fabs(vec3_dot(theta, moment));
    } else {
        works->left_out += vec3_dot(theta, left_out(stiffness, lot->gamma[k], w));
        works->strain += energy * vec3_dot(w, w);
    }
    works->held += strain_energy(class, w);
    works->taken += energy * (turned * turned + AFXI_GAIN_LEAST);
    works->energy += energy;
}

bool afxi_part_strain_matters(const AfxiLot *lot, uint32_t part, double turn) {
    const AfxiGraph *graph = lot->rows.graph;
    double strain = 0, energy = 0, turned;
    for (uint32_t k = graph->part[part].first_body;
         turn > AFXI_TURN_STRAINLESS_BALLS && k < graph->part[part + 1].first_body; k++) {
        strain += strain_energy(afxi_world_class(lot->rows.world, graph->body[k]), vec3(turn, 0, 0));
        energy += motion_energy(lot, k, &turned);
    }
    return strain > AFXI_STRAIN_MOST * energy;
}

bool afxi_strain_matters(const AfxiLot *lot, double turn) {
    double strain = 0, energy = 0, turned;
    for (uint32_t k = 0; turn > AFXI_TURN_STRAINLESS && k < lot->rows.graph->body_count; k++) {
        const AfxiRows *rows = &lot->rows;
        const double *next = rows->next + (size_t)AFXI_AFFINE_WIDTH * k;
        const AfxiBodyClass *class = afxi_world_class(rows->world, rows->graph->body[k]);
        strain += strain_energy(class, turn_between(&rows->frame[k], rows->frame[k].m, next));
        energy += motion_energy(lot, k, &turned);
    }
    return strain > AFXI_GAIN_GROSS * energy;
}

bool afxi_gain_matters(const AfxiLot *lot, double turn, double rate) {
    Works works = {0};
    if (turn <= AFXI_TURN_GAINLESS || (rate <= 0 && is_driven(&lot->rows))) {
        return false;
    }
    for (uint32_t k = 0; k < lot->rows.graph->body_count; k++) {
        add_body(lot, k, rate, &works);
    }
    return fabs(works.left_out) + works.strain > AFXI_GAIN_MOST * works.taken ||
           works.missing > AFXI_GAIN_MISSING * works.energy || works.held > AFXI_STRAIN_MOST * works.energy;
}

/* ---- a step that makes energy ---- */

static bool is_kinematic(const AfxiWorld *world, uint32_t body) {
    return body != AFXI_WORLD && world->model->kind[body] == AFX_BODY_KINEMATIC;
}

/* Whether a joint has an end that does not move by itself: what leads it does work. */
static bool is_led(const AfxiWorld *world, uint32_t index) {
    const AfxiJoint *joint = &world->model->joints[index];
    return is_kinematic(world, joint->base) || is_kinematic(world, joint->follower);
}

/* Whether one that moves by itself is an end of a block: joints, those of couplings, springs. */
static bool is_moved(const AfxiWorld *world, const AfxiGraphBlock *block) {
    const AfxModel *model = world->model;
    bool moved = false;
    if (block->type == AFXI_BLOCK_COUPLING) {
        const AfxiCoupling *coupling = &model->couplings[block->index];
        for (uint32_t k = 0; k < coupling->term_count; k++) {
            moved |= is_led(world, coupling->joint[k]);
        }
        return moved;
    }
    if (block->type == AFXI_BLOCK_SPRING) {
        const AfxiSpring *spring = &model->springs[block->index];
        return is_kinematic(world, spring->body_a) || is_kinematic(world, spring->body_b);
    }
    return block->type != AFXI_BLOCK_JOINT || is_led(world, block->index);
}

/* Drives that hold energy, or only take some. */
static bool gives_nothing(AfxDriveKind kind) {
    return kind == AFX_DRIVE_SPRING || kind == AFX_DRIVE_FRICTION || kind == AFX_DRIVE_LIMIT;
}

/* Whether nothing acts on what a lot holds but joints, gravity, elasticity, springs, and what takes energy. */
static bool is_passive(const AfxiLot *lot) {
    const AfxiGraph *graph = lot->rows.graph;
    const AfxiWorld *world = lot->rows.world;
    bool passive = !afxi_lot_touched(lot);
    for (uint32_t k = 0; passive && k < graph->drive_count; k++) {
        passive = gives_nothing((AfxDriveKind)world->model->drives[graph->row[graph->drive_row[k]].index].kind);
    }
    for (uint32_t k = 0; passive && k < graph->block_count; k++) {
        passive = !is_moved(world, &graph->block[k]);
    }
    for (uint32_t k = 0; passive && k < graph->body_count; k++) {
        passive = world->force_slot[graph->body[k]] == UINT32_MAX;
    }
    return passive;
}

/* ---- springs ---- */

static bool has_springs(const AfxiLot *lot) {
    const AfxiGraph *graph = lot->rows.graph;
    bool any = graph->rotational_spring_count > 0;
    for (uint32_t k = 0; k < graph->drive_count && !any; k++) {
        any = lot->rows.world->model->drives[graph->row[graph->drive_row[k]].index].kind == AFX_DRIVE_SPRING;
    }
    for (uint32_t k = 0; k < graph->block_count && !any; k++) {
        any = graph->block[k].type == AFXI_BLOCK_COUPLING || graph->block[k].type == AFXI_BLOCK_SPRING;
    }
    return any;
}

/* J, of all springs of a lot where its bodies are in the state. */
static double stored_of(const AfxiLot *lot) {
    const AfxiGraph *graph = lot->rows.graph;
    const AfxiWorld *world = lot->rows.world;
    AfxiResidualStage stage = {.model = world->model,
                               .params = world->params,
                               .q = world->state.q,
                               .angle = world->state.angle,
                               .joint_active = world->state.joint_active};
    double sum = 0;
    for (uint32_t row = 0; row < graph->joint_rows; row++) {
        sum += afxi_stored_row(&stage, graph, row);
    }
    for (uint32_t k = 0; k < graph->rotational_spring_count; k++) {
        sum += afxi_stored_ball(&stage, graph->block[graph->rotational_spring_block[k]].index);
    }
    return sum;
}

/* Puts the results of a lot in the place of the state, and the state in theirs. */
static void exchange(const AfxiLot *lot) {
    const AfxiGraph *graph = lot->rows.graph;
    for (uint32_t k = 0; k < graph->body_count; k++) {
        double *next = lot->rows.next + (size_t)AFXI_AFFINE_WIDTH * k;
        double *q = lot->rows.world->state.q + (size_t)AFXI_AFFINE_WIDTH * graph->body[k];
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            double kept = q[e];
            q[e] = next[e];
            next[e] = kept;
        }
    }
}

/* What springs hold more after the step; the larger of what they hold before and after is added to *energy. */
static double gain_of_springs(const AfxiLot *lot, double *energy) {
    double before = stored_of(lot);
    exchange(lot);
    double after = stored_of(lot);
    exchange(lot);
    *energy += fmax(before, after);
    return after - before;
}

/* What the energy of a body grows by in the step; its motion is added to *energy. */
static double gain_of(const AfxiLot *lot, uint32_t k, AfxVec3 gravity, double *energy) {
    const AfxiRows *rows = &lot->rows;
    size_t own = (size_t)AFXI_AFFINE_WIDTH * k, at = (size_t)AFXI_AFFINE_WIDTH * rows->graph->body[k];
    const AfxiBodyClass *class = afxi_world_class(rows->world, rows->graph->body[k]);
    const double *next = rows->next + own, *qv = rows->qv + own;
    const double *q = rows->world->state.q + at, *v = rows->world->state.v + at;
    double before = 0, after = 0;
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        double rate = (next[e] - qv[e]) / rows->h_rate, inertia = e < 9 ? class->s[e / 3] : class->mass;
        before += 0.5 * inertia * v[e] * v[e];
        after += 0.5 * inertia * rate * rate;
    }
    *energy += fmax(before, after);
    AfxVec3 way = vec3_sub(vec3_load(next + 9), vec3_load(q + 9));
    double held = afxi_body_strain_energy(class, next) - afxi_body_strain_energy(class, q);
    return after - before + held - class->gravity * class->mass * vec3_dot(gravity, way);
}

bool afxi_step_gains(const AfxiLot *lot) {
    const AfxiRows *rows = &lot->rows;
    double gain = 0, energy = 0, far = 0, turned;
    bool springs = has_springs(lot);
    for (uint32_t k = 0; k < rows->graph->body_count; k++) {
        motion_energy(lot, k, &turned);
        far = fmax(far, turned);
    }
    bool turns = far > AFXI_STEP_TURN * AFXI_STEP_TURN;
    if ((!turns && !springs) || lot->plan.mode == AFXI_FREE_STAGE || !is_passive(lot)) {
        return false;
    }
    AfxVec3 gravity = vec3_load(afxi_world_param(rows->world, AFX_PARAM_GRAVITY, 0));
    for (uint32_t k = 0; k < rows->graph->body_count; k++) {
        gain += gain_of(lot, k, gravity, &energy);
    }
    if (springs && (turns || fabs(gain) > AFXI_STEP_GAIN_SPRINGS * energy)) {
        gain += gain_of_springs(lot, &energy);
    }
    return gain > (springs ? AFXI_STEP_GAIN_SPRINGS : AFXI_STEP_GAIN) * energy;
}
