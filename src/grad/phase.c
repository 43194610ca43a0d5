/* SPDX-License-Identifier: Apache-2.0 */
/* Phase fitting with variables (body/phase_wide.h, state/phase.c): what is added to A of a body by its turning, as a
 * complex number in the plane across omega; then to t, about its joint to the parent; and of trees that nothing holds,
 * without what moves their centres of mass. */
#include <math.h>

#include "body/tuning.h"
#include "grad/past.h"
#include "grad/vector.h"
#include "model/params.h"
#include "solve/equation.h"

typedef struct Number {
    AfxiVar x, y;
} Number;

static Number times(AfxiTape *tape, Number a, Number b) {
    return (Number){afxi_subtract(tape, afxi_tape_multiply(tape, a.x, b.x), afxi_tape_multiply(tape, a.y, b.y)),
                    afxi_add(tape, afxi_tape_multiply(tape, a.x, b.y), afxi_tape_multiply(tape, a.y, b.x))};
}

/* a + s b */
static Number plus(AfxiTape *tape, Number a, double s, Number b) {
    return (Number){afxi_tape_linear(tape, 1, a.x, s, b.x), afxi_tape_linear(tape, 1, a.y, s, b.y)};
}

/* A body that turns, and what is known of its A. */
typedef struct Turn {
    AfxiTape *tape;
    const AfxiStagePlan *plan;
    bool rigid;
    AfxiVar part[AFXI_GRAD_PARTS][9];
    AfxiVar3 o;
    AfxiVar square, angle, u[9], w[9];
    Number back; /* e^(-i theta) */
} Turn;

static void cross_columns(AfxiTape *tape, AfxiVar3 o, const AfxiVar a[9], AfxiVar out[9]) {
    for (int k = 0; k < 9; k += 3) {
        var3_store(out + k, var3_cross(tape, o, var3_load(a + k)));
    }
}

/* The w with [w] A nearest to v, times the step. */
static AfxiVar3 axial(const Turn *turn, const AfxiVar a[9], const AfxiVar v[9], double step) {
    AfxiTape *tape = turn->tape;
    AfxiVar3 sum = var3_number(vec3(0, 0, 0)), left = sum;
    AfxiVar size = afxi_number(0);
    for (int k = 0; k < 9; k += 3) {
        sum = var3_add(tape, sum, var3_cross(tape, var3_load(a + k), var3_load(v + k)));
        size = afxi_add(tape, size, var3_dot(tape, var3_load(a + k), var3_load(a + k)));
    }
    if (turn->rigid) {
        return var3_linear(tape, 0.5 * step, sum, 0, sum);
    }
    AfxiVar per = afxi_scale(tape, 1.5, afxi_tape_reciprocal(tape, size));
    AfxiVar3 first = var3_times(tape, per, sum);
    for (int k = 0; k < 9; k += 3) {
        AfxiVar3 column = var3_load(a + k);
        left = var3_add(tape, left, var3_cross(tape, column, var3_cross(tape, first, column)));
    }
    left = var3_times(tape, per, var3_subtract(tape, sum, left));
    return var3_linear(tape, step, first, step, left);
}

/* number times A in the plane of turning, times a scale */
static void put(const Turn *turn, Number number, AfxiVar scale, AfxiVar out[9]) {
    AfxiTape *tape = turn->tape;
    AfxiVar along_u = afxi_tape_multiply(tape, scale, afxi_divide(tape, number.y, turn->angle));
    AfxiVar along_w = afxi_tape_multiply(tape, scale, afxi_divide(tape, number.x, turn->square));
    for (int k = 0; k < 9; k++) {
        out[k] = afxi_subtract(tape, afxi_tape_multiply(tape, along_u, turn->u[k]),
                               afxi_tape_multiply(tape, along_w, turn->w[k]));
    }
}

/* g: h times what velocities by differences have more than true ones. */
static Number gap_of(const Turn *turn) {
    AfxiTape *tape = turn->tape;
    Number g = {afxi_number(1.5), afxi_scale(tape, -1, turn->angle)};
    g = plus(tape, g, -2, turn->back);
    return plus(tape, g, 0.5, times(tape, turn->back, turn->back));
}

/* What qv misses of even turning. */
static Number velocity_miss(const Turn *turn, Number g) {
    AfxiTape *tape = turn->tape;
    const double *weight = turn->plan->weights.qv, h = turn->plan->predict;
    const double k = turn->plan->weights.scale.h_rate / h;
    Number ahead = {turn->back.x, afxi_scale(tape, -1, turn->back.y)};
    if (turn->plan->phase != AFXI_PHASE_START) {
        return times(tape, ahead, (Number){afxi_scale(tape, k, g.x), afxi_scale(tape, k, g.y)});
    }
    Number miss = times(tape, ahead, (Number){afxi_number(1), afxi_scale(tape, -k, turn->angle)});
    miss.x = afxi_tape_linear(tape, 1, miss.x, weight[2] / (h * h), turn->square);
    miss.x = afxi_add(tape, miss.x, afxi_number(-weight[0]));
    miss.y = afxi_tape_linear(tape, 1, miss.y, -weight[1] / h, turn->angle);
    return miss;
}

/* z e^(-i theta): what the stage makes of even turning, seen from where that ends. */
static Number seen(const Turn *turn, Number g) {
    AfxiTape *tape = turn->tape;
    const double *weight = turn->plan->weights.qhat, h = turn->plan->predict;
    Number z = {afxi_number(weight[0]), afxi_number(0)}, before = {afxi_number(weight[2]), afxi_number(0)};
    Number rate = {g.x, afxi_add(tape, g.y, turn->angle)};
    if (turn->plan->phase == AFXI_PHASE_START) {
        z.y = afxi_scale(tape, weight[1] / h, turn->angle);
        z.x = afxi_tape_linear(tape, 1, z.x, -(weight[2] + weight[3]) / (h * h), turn->square);
        return times(tape, z, turn->back);
    }
    z = plus(tape, z, weight[1] / h, rate);
    before = plus(tape, before, weight[3] / h, rate);
    z = plus(tape, z, 1, times(tape, before, turn->back));
    return times(tape, z, turn->back);
}

/* What is left of all this where the angular velocity changes. */
static AfxiVar steady(const Turn *turn) {
    AfxiTape *tape = turn->tape;
    double h = turn->plan->predict;
    AfxiVar3 change;
    if (turn->plan->phase == AFXI_PHASE_START) {
        change = axial(turn, turn->part[0], turn->part[2], h * h);
    } else {
        change = var3_subtract(tape, turn->o, axial(turn, turn->part[2], turn->part[3], h));
    }
    AfxiVar whole = afxi_tape_linear(tape, 1, turn->square, AFXI_PHASE_UNSTEADY, var3_dot(tape, change, change));
    return afxi_divide(tape, turn->square, whole);
}

/* qhat of A before it is turned. */
static void known(const Turn *turn, AfxiVar out[9]) {
    const double *weight = turn->plan->weights.qhat;
    bool gaps = turn->plan->phase == AFXI_PHASE_TWO_STEP;
    for (int k = 0; k < 9; k++) {
        out[k] = afxi_tape_linear(turn->tape, weight[0], turn->part[0][k], weight[1], turn->part[1][k]);
        AfxiVar old = afxi_tape_linear(turn->tape, weight[2], turn->part[2][k], weight[3], turn->part[3][k]);
        AfxiVar gap = afxi_tape_linear(turn->tape, gaps ? weight[1] : 0, turn->part[4][k], gaps ? weight[3] : 0,
                                       turn->part[5][k]);
        out[k] = afxi_add(turn->tape, out[k], afxi_add(turn->tape, old, gap));
    }
}

/* Turns `a` on by what it is behind, y = z e^(-i theta). */
static void turn_on(const Turn *turn, Number y, AfxiVar share, AfxiVar length, const AfxiVar a[9], AfxiVar out[9]) {
    AfxiTape *tape = turn->tape;
    AfxiVar sine = afxi_divide(tape, afxi_tape_multiply(tape, share, y.y), length), once[9], twice[9];
    AfxiVar rest = afxi_tape_linear(tape, -1, afxi_tape_multiply(tape, sine, sine), 1, afxi_number(1));
    AfxiVar across = afxi_tape_linear(tape, -1, afxi_tape_root(tape, rest), 1, afxi_number(1));
    AfxiVar along = afxi_scale(tape, -1, afxi_divide(tape, sine, turn->angle));
    across = afxi_divide(tape, across, turn->square);
    cross_columns(tape, turn->o, a, once);
    cross_columns(tape, turn->o, once, twice);
    for (int k = 0; k < 9; k++) {
        AfxiVar by =
            afxi_add(tape, afxi_tape_multiply(tape, across, twice[k]), afxi_tape_multiply(tape, along, once[k]));
        out[k] = afxi_add(tape, a[k], by);
    }
}

/* Whether a body turns, and by neither too little nor too much. */
static bool turns(const Turn *turn) {
    AfxiTape *tape = turn->tape;
    double most = turn->rigid ? AFXI_PHASE_MOST : AFXI_PHASE_MOST_ELASTIC;
    AfxiVar off = afxi_number(-3);
    for (int k = 0; k < 9; k++) {
        off = afxi_add(tape, off, afxi_tape_multiply(tape, turn->part[0][k], turn->part[0][k]));
    }
    bool straight = afxi_tape_between(tape, off, -3 * AFXI_PHASE_STRAIN, 3 * AFXI_PHASE_STRAIN);
    return afxi_tape_between(tape, turn->square, AFXI_PHASE_FEW * AFXI_PHASE_FEW, most * most) && straight;
}

static void set_nine(AfxiGradPast *past, uint32_t place, const AfxiVar y[9]) {
    for (uint32_t e = 0; e < 9; e++) {
        afxi_grad_set(past, place + e, y[e]);
    }
}

/* What is added to A of qhat, and what is taken from it again; false: nothing. */
static bool fit_hat(const Turn *turn, Number g, AfxiVar share, AfxiVar more[9], AfxiVar ease[9]) {
    AfxiTape *tape = turn->tape;
    Number y = seen(turn, g);
    AfxiVar square = afxi_add(tape, afxi_tape_multiply(tape, y.x, y.x), afxi_tape_multiply(tape, y.y, y.y));
    AfxiVar length = afxi_tape_root(tape, square), plain[9], hat[9];
    if (!afxi_tape_between(tape, y.x, 0, INFINITY)) {
        return false;
    }
    known(turn, plain);
    turn_on(turn, y, share, length, plain, hat);
    bool eased = turn->rigid && afxi_tape_between(tape, length, AFXI_PHASE_PULL, INFINITY);
    AfxiVar off = eased ? afxi_scale(tape, -AFXI_PHASE_PULL, afxi_tape_reciprocal(tape, length)) : afxi_number(-1);
    off = afxi_add(tape, off, afxi_number(1));
    for (int k = 0; k < 9; k++) {
        more[k] = afxi_subtract(tape, hat[k], plain[k]);
        ease[k] = afxi_tape_multiply(tape, off, hat[k]);
    }
    return true;
}

/* How a body turns in a stage; false: not so that anything is added. */
static bool find_turn(AfxiGradPast *past, uint32_t body, const AfxiStagePlan *plan, Turn *turn) {
    AfxiTape *tape = past->tape;
    *turn = (Turn){.tape = tape, .plan = plan};
    turn->rigid = isinf(*afxi_param_const(past->model, past->entry->at.params, AFX_PARAM_BODY_YOUNG, body));
    for (uint32_t part = 0; part < AFXI_GRAD_PARTS; part++) {
        for (uint32_t e = 0; e < 9; e++) {
            turn->part[part][e] = afxi_grad_place(past, past->at.part[part] + AFXI_AFFINE_WIDTH * body + e);
        }
    }
    turn->o = axial(turn, turn->part[0], turn->part[1], plan->predict);
    turn->square = var3_dot(tape, turn->o, turn->o);
    if (!turns(turn)) {
        return false;
    }
    cross_columns(tape, turn->o, turn->part[0], turn->u);
    cross_columns(tape, turn->o, turn->u, turn->w);
    turn->angle = afxi_tape_root(tape, turn->square);
    turn->back = (Number){afxi_tape_cosine(tape, turn->angle), afxi_scale(tape, -1, afxi_tape_sine(tape, turn->angle))};
    return true;
}

/* What is added to A of a body. */
static void fit_body(AfxiGradPast *past, uint32_t body) {
    AfxiTape *tape = past->tape;
    uint32_t at = AFXI_AFFINE_WIDTH * body;
    Turn turn;
    if (!find_turn(past, body, afxi_grad_plan(past->entry, body), &turn)) {
        return;
    }
    Number g = gap_of(&turn), ahead = {turn.back.x, afxi_scale(tape, -1, turn.back.y)};
    AfxiVar share = steady(&turn), more[9], ease[9];
    put(&turn, velocity_miss(&turn, g), share, more);
    set_nine(past, past->at.added[AFXI_GRAD_RATE] + at, more);
    if (turn.plan->phase == AFXI_PHASE_START) {
        AfxiVar per = afxi_scale(tape, 1 / turn.plan->predict, share);
        put(&turn, times(tape, ahead, g), per, more);
        set_nine(past, past->at.added[AFXI_GRAD_NEXT] + at, more);
        put(&turn, g, per, more);
        set_nine(past, past->at.added[AFXI_GRAD_LAST] + at, more);
    }
    if (fit_hat(&turn, g, share, more, ease)) {
        set_nine(past, past->at.added[AFXI_GRAD_HAT] + at, more);
        set_nine(past, past->at.ease + at, ease);
    }
}

/* The same to where it is expected to touch, as if it were alone. */
static void fit_expected(AfxiGradPast *past, uint32_t body) {
    Turn turn;
    AfxiVar more[9], ease[9];
    if (!find_turn(past, body, &past->entry->plan[past->entry->look_of[body] - 1], &turn)) {
        return;
    }
    if (fit_hat(&turn, gap_of(&turn), steady(&turn), more, ease)) {
        for (int k = 0; k < 9; k++) {
            more[k] = afxi_subtract(past->tape, more[k], ease[k]);
        }
        set_nine(past, past->at.look + AFXI_AFFINE_WIDTH * body, more);
    }
}

void afxi_grad_phase_expected(AfxiGradPast *past, uint32_t body) {
    uint32_t first = past->model->body_count + past->model->phase.node_count;
    afxi_grad_fit(past, &past->fit[first + body], &past->entry->plan[past->entry->look_of[body] - 1], 3, fit_expected,
                  body);
}

/* ---- t ---- */

static bool held(const AfxiGradPast *past, uint32_t slot) {
    uint32_t joint = past->model->phase.node[slot].joint;
    return joint != UINT32_MAX && past->entry->at.joint_active[joint];
}

/* The slot of the first body on the way to the ground that nothing holds; AFXI_PHASE_OFF: all are held. */
static uint32_t loose_root(const AfxiGradPast *past, uint32_t slot) {
    while (slot != AFXI_PHASE_OFF && held(past, slot)) {
        slot = past->model->phase.node[slot].parent;
    }
    return slot;
}

/* Places of a body as variables. */
static void places(AfxiGradPast *past, uint32_t first, uint32_t body, AfxiVar out[AFXI_AFFINE_WIDTH]) {
    for (uint32_t e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        out[e] = afxi_grad_place(past, first + AFXI_AFFINE_WIDTH * body + e);
    }
}

/* A body turns about its joint to the parent, which goes with the parent. */
static void turn_about_joint(AfxiGradPast *past, uint32_t slot) {
    AfxiTape *tape = past->tape;
    const AfxiPhaseNode *node = &past->model->phase.node[slot];
    uint32_t body = past->model->phase.body[slot];
    const AfxiJoint *joint = &past->model->joints[node->joint];
    const AfxiJointFrame *frame = (const AfxiJointFrame *)past->model->joint_frames.items + joint->frame;
    bool follows = joint->follower == body;
    AfxiVar3 p = var3_number(follows ? frame->point_a : frame->point_b), beyond;
    AfxiVar q[AFXI_AFFINE_WIDTH], of[AFXI_AFFINE_WIDTH], own[AFXI_AFFINE_WIDTH];
    bool parent = node->parent != AFXI_PHASE_OFF;
    uint32_t other = parent ? past->model->phase.body[node->parent] : 0;
    bool start = afxi_grad_plan(past->entry, body)->phase == AFXI_PHASE_START;
    for (uint32_t k = 0; past->at.frames && k < 3; k++) { /* the frame may be shifted */
        AfxiVar by = afxi_grad_place(past, past->at.frame + 12 * node->joint + (follows ? 0 : 6) + 3 + k);
        p.x[k] = afxi_add(tape, p.x[k], by);
    }
    beyond = p;
    if (parent) {
        places(past, past->at.part[0], body, q);
        places(past, past->at.part[0], other, of);
        AfxiVar3 from = var3_subtract(tape, var3_position(tape, q, p), var3_load(of + 9));
        beyond = var3_apply_transposed(tape, of, from);
    }
    for (int group = 0; group < (start ? AFXI_GRAD_GROUPS : AFXI_GRAD_NEXT); group++) {
        places(past, past->at.added[group], body, own);
        AfxiVar3 sum = var3_linear(tape, -1, var3_apply(tape, own, p), 0, p);
        if (parent) {
            places(past, past->at.added[group], other, of);
            sum = var3_add(tape, sum, var3_position(tape, of, beyond));
        }
        for (uint32_t e = 0; e < 3; e++) {
            afxi_grad_set(past, past->at.added[group] + AFXI_AFFINE_WIDTH * body + 9 + e, sum.x[e]);
        }
    }
}

static uint32_t mass_place(const AfxiGradPast *past, uint32_t body) {
    return past->at.param + (uint32_t)past->model->param_offset[AFX_PARAM_BODY_MASS] + body;
}

/* centre = sum of m d / sum of m, over the tree that a loose root carries */
static void find_centre(AfxiGradPast *past, uint32_t root, int group) {
    const AfxiPhaseTrees *trees = &past->model->phase;
    double mass = 0, sum[3] = {0, 0, 0};
    for (uint32_t slot = root; slot < trees->node[root].end; slot++) {
        uint32_t body = trees->body[slot];
        double own = past->value[mass_place(past, body)];
        if (loose_root(past, slot) == root) {
            mass += own;
            for (uint32_t e = 0; e < 3; e++) {
                sum[e] += own * past->value[past->at.added[group] + AFXI_AFFINE_WIDTH * body + 9 + e];
            }
        }
    }
    for (uint32_t slot = root; slot < trees->node[root].end; slot++) {
        uint32_t body = trees->body[slot], at = AFXI_AFFINE_WIDTH * body + 9;
        for (uint32_t e = 0; e < 3 && loose_root(past, slot) == root; e++) {
            uint32_t place = past->at.centre[group] + AFXI_AFFINE_WIDTH * trees->body[root] + 9 + e;
            double d = past->value[past->at.added[group] + at + e];
            past->value[place] = sum[e] / mass;
            afxi_grad_term(&past->terms, place, past->at.added[group] + at + e,
                           past->value[mass_place(past, body)] / mass);
            afxi_grad_term(&past->terms, place, mass_place(past, body), (d - sum[e] / mass) / mass);
        }
    }
}

/* fitted = added - centre */
static void take_off_centre(AfxiGradPast *past, uint32_t body, int group) {
    const AfxModel *model = past->model;
    uint32_t slot = model->phase.slot[body];
    uint32_t root = slot == AFXI_PHASE_ALONE ? AFXI_PHASE_OFF : loose_root(past, slot);
    for (uint32_t e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        uint32_t at = AFXI_AFFINE_WIDTH * body + e, place = past->at.fitted[group] + at;
        past->value[place] = past->value[past->at.added[group] + at];
        afxi_grad_term(&past->terms, place, past->at.added[group] + at, 1);
        if (e >= 9 && root != AFXI_PHASE_OFF) {
            uint32_t centre = past->at.centre[group] + AFXI_AFFINE_WIDTH * model->phase.body[root] + e;
            past->value[place] -= past->value[centre];
            afxi_grad_term(&past->terms, place, centre, -1);
        }
    }
}

/* Whether a stage is fitted to a body. */
static bool is_fitted(const AfxiGradPast *past, uint32_t body) {
    return afxi_residual_solves(&past->entry->at, body) &&
           afxi_grad_plan(past->entry, body)->phase != AFXI_PHASE_NONE &&
           past->model->phase.slot[body] != AFXI_PHASE_OFF;
}

void afxi_grad_phase(AfxiGradPast *past) {
    const AfxiPhaseTrees *trees = &past->model->phase;
    for (uint32_t k = 0; k < past->model->dynamic_count; k++) {
        uint32_t body = past->model->dynamic[k];
        if (is_fitted(past, body)) {
            afxi_grad_fit(past, &past->fit[body], afxi_grad_plan(past->entry, body), 1, fit_body, body);
        }
    }
    for (uint32_t slot = 1; slot < trees->node_count; slot++) {
        uint32_t body = trees->body[slot];
        if (is_fitted(past, body) && held(past, slot)) {
            afxi_grad_fit(past, &past->fit[past->model->body_count + slot], afxi_grad_plan(past->entry, body), 2,
                          turn_about_joint, slot);
        }
    }
    for (uint32_t slot = 1; slot < trees->node_count; slot++) {
        for (int group = 0; group < AFXI_GRAD_GROUPS && is_fitted(past, trees->body[slot]); group++) {
            if (loose_root(past, slot) == slot) {
                find_centre(past, slot, group);
            }
        }
    }
    for (uint32_t k = 0; k < past->model->dynamic_count; k++) {
        for (int group = 0; group < AFXI_GRAD_GROUPS && is_fitted(past, past->model->dynamic[k]); group++) {
            take_off_centre(past, past->model->dynamic[k], group);
        }
    }
}
