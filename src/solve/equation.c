/* SPDX-License-Identifier: Apache-2.0 */
/* Values and gradients of constraints, each written out from its definition (docs/joints.md): u, x are axes and points
 * of the follower a, v, y those of the base b, d = A_a x + t_a - A_b y - t_b. A term n . (A y) has the gradient n y^T
 * on A; n . t has n on t. */
#include "solve/equation.h"

#include <math.h>
#include <string.h>

#include "joint/axis.h"
#include "joint/row.h"
#include "joint/tuning.h"
#include "math/polar.h"
#include "model/params.h"

static const double world_place[AFXI_AFFINE_WIDTH] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};

const double *afxi_residual_place(const AfxiResidualStage *stage, uint32_t body) {
    return body == AFXI_WORLD ? world_place : stage->q + (size_t)AFXI_AFFINE_WIDTH * body;
}

AfxiMat3 afxi_residual_rotation(const AfxiResidualStage *stage, uint32_t body) {
    AfxiMat3 a = mat3_load(afxi_residual_place(stage, body));
    if (body == AFXI_WORLD) {
        return a;
    }
    return stage->known ? stage->known[body].rotation : afxi_rotation_part(&a, NULL);
}

bool afxi_residual_solves(const AfxiResidualStage *stage, uint32_t body) {
    return body != AFXI_WORLD && stage->model->kind[body] == AFX_BODY_DYNAMIC &&
           !(stage->absent && stage->absent[body]);
}

void afxi_residual_rate(const AfxiResidualStage *stage, uint32_t body, double out[AFXI_AFFINE_WIDTH]) {
    size_t at = (size_t)AFXI_AFFINE_WIDTH * body;
    bool solved = afxi_residual_solves(stage, body);
    bool moves = body != AFXI_WORLD && stage->model->kind[body] == AFX_BODY_KINEMATIC;
    for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
        out[e] = solved  ? (stage->q[at + e] - stage->qv[at + e]) / stage->scale[body].h_rate
                 : moves ? stage->v[at + e]
                         : 0;
    }
}

/* The gradient on a body, where it has one. */
static double *part_of(AfxiEquation *equation, uint32_t body) {
    if (body == AFXI_WORLD) {
        return NULL;
    }
    for (uint32_t k = 0; k < equation->count; k++) {
        if (equation->body[k] == body) {
            return equation->gradient[k];
        }
    }
    equation->body[equation->count] = body;
    memset(equation->gradient[equation->count], 0, sizeof equation->gradient[0]);
    return equation->gradient[equation->count++];
}

/* Adds the gradient of n . (A y + weight t), n held fixed. */
static void add_part(AfxiEquation *equation, uint32_t body, AfxVec3 n, AfxVec3 y, double weight) {
    double *g = part_of(equation, body);
    const double by[4] = {y.x, y.y, y.z, weight};
    for (int k = 0; g && k < 4; k++) {
        g[3 * k] += by[k] * n.x;
        g[3 * k + 1] += by[k] * n.y;
        g[3 * k + 2] += by[k] * n.z;
    }
}

static AfxVec3 direction(const double *q, AfxVec3 u) {
    return vec3(q[0] * u.x + q[3] * u.y + q[6] * u.z, q[1] * u.x + q[4] * u.y + q[7] * u.z,
                q[2] * u.x + q[5] * u.y + q[8] * u.z);
}

static AfxVec3 position(const double *q, AfxVec3 x) {
    return vec3_add(direction(q, x), vec3_load(q + 9));
}

/* A joint, its bodies and where they are. */
typedef struct Sides {
    uint32_t a, b;
    const double *q_a, *q_b;
    AfxVec3 x, y, u[3], v[3];
    double length;
} Sides;

static Sides sides_of(const AfxiResidualStage *stage, uint32_t joint) {
    const AfxiJoint *source = &stage->model->joints[joint];
    const AfxiJointFrame *frame = (const AfxiJointFrame *)stage->model->joint_frames.items + source->frame;
    Sides sides = {.a = source->follower, .b = source->base, .x = frame->point_a, .y = frame->point_b};
    sides.length = *afxi_param_const(stage->model, stage->params, AFX_PARAM_JOINT_LENGTH, joint);
    sides.q_a = afxi_residual_place(stage, sides.a);
    sides.q_b = afxi_residual_place(stage, sides.b);
    for (int k = 0; k < 3; k++) {
        sides.u[k] = mat3_column(&frame->axes_a, k);
        sides.v[k] = mat3_column(&frame->axes_b, k);
    }
    return sides;
}

/* factor n . (p_a - p_b), n held fixed, at points x of a and y of b */
static void add_distance(AfxiEquation *equation, const Sides *sides, AfxVec3 x, AfxVec3 y, AfxVec3 n, double factor) {
    AfxVec3 d = vec3_sub(position(sides->q_a, x), position(sides->q_b, y));
    equation->value += factor * vec3_dot(n, d);
    add_part(equation, sides->a, vec3_scale(factor, n), x, 1);
    add_part(equation, sides->b, vec3_scale(-factor, n), y, 1);
}

/* factor (A_a u) . (A_b v) */
static void add_directions(AfxiEquation *equation, const Sides *sides, AfxVec3 u, AfxVec3 v, double factor) {
    AfxVec3 on_a = direction(sides->q_a, u), on_b = direction(sides->q_b, v);
    equation->value += factor * vec3_dot(on_a, on_b);
    add_part(equation, sides->a, vec3_scale(factor, on_b), u, 0);
    add_part(equation, sides->b, vec3_scale(factor, on_a), v, 0);
}

/* factor (A_b v) . d */
static void add_offset(AfxiEquation *equation, const Sides *sides, AfxVec3 v, double factor) {
    AfxVec3 n = direction(sides->q_b, v), d = vec3_sub(position(sides->q_a, sides->x), position(sides->q_b, sides->y));
    add_distance(equation, sides, sides->x, sides->y, n, factor);
    add_part(equation, sides->b, vec3_scale(factor, d), v, 0);
}

/* e . (A_a u_i - A_b v_i); e is R_b v_j less its part along A_b v_i, and by definition does not vary. */
static void add_alignment(const AfxiResidualStage *stage, AfxiEquation *equation, const Sides *sides, int i, int j,
                          double factor) {
    bool kept = stage->directions && sides->b != AFXI_WORLD;
    AfxiMat3 a = mat3_load(kept ? stage->directions + (size_t)AFXI_AFFINE_WIDTH * sides->b : sides->q_b);
    AfxiMat3 r = kept ? afxi_rotation_part(&a, NULL) : afxi_residual_rotation(stage, sides->b);
    AfxVec3 along = mat3_apply(&a, sides->v[i]), e = mat3_apply(&r, sides->v[j]);
    e = vec3_mad(e, -vec3_dot(e, along) / vec3_dot(along, along), along);
    AfxVec3 miss = vec3_sub(direction(sides->q_a, sides->u[i]), direction(sides->q_b, sides->v[i]));
    equation->value += factor * vec3_dot(e, miss);
    add_part(equation, sides->a, vec3_scale(factor, e), sides->u[i], 0);
    add_part(equation, sides->b, vec3_scale(-factor, e), sides->v[i], 0);
}

static void add_squared_length(AfxiEquation *equation, const Sides *sides) {
    AfxVec3 d = vec3_sub(position(sides->q_a, sides->x), position(sides->q_b, sides->y));
    add_distance(equation, sides, sides->x, sides->y, vec3_scale(1 / sides->length, d), 1);
    equation->value = (vec3_dot(d, d) - sides->length * sides->length) / (2 * sides->length);
}

void afxi_equation_of_joint(const AfxiResidualStage *stage, uint32_t joint, uint32_t index, AfxiEquation *out) {
    AfxiRowSpec row = afxi_joint_kind((AfxJointKind)stage->model->joints[joint].kind)->rows[index];
    Sides sides = sides_of(stage, joint);
    AfxVec3 unit = vec3(row.i == 0, row.i == 1, row.i == 2);
    out->value = 0;
    out->count = 0;
    switch ((AfxiRowType)row.type) {
    case AFXI_ROW_POINT:
        add_distance(out, &sides, sides.x, sides.y, unit, 1);
        break;
    case AFXI_ROW_TIP:
        add_distance(out, &sides, vec3_add(sides.x, sides.u[0]), vec3_add(sides.y, sides.v[0]), unit, 1);
        break;
    case AFXI_ROW_ALIGN:
        add_alignment(stage, out, &sides, row.i, row.j, row.sign);
        break;
    case AFXI_ROW_DIRECTION:
        add_directions(out, &sides, sides.u[row.i], sides.v[row.j], row.sign);
        break;
    case AFXI_ROW_OFFSET:
        add_offset(out, &sides, sides.v[row.j], 1);
        break;
    case AFXI_ROW_DISTANCE:
        add_squared_length(out, &sides);
        break;
    }
}

/* Adds factor times another equation. */
static void add_equation(AfxiEquation *to, const AfxiEquation *from, double factor) {
    to->value += factor * from->value;
    for (uint32_t k = 0; k < from->count; k++) {
        double *g = part_of(to, from->body[k]);
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            g[e] += factor * from->gradient[k][e];
        }
    }
}

/* Of the two sets of Cardan angles of a rotation, (a, b, c) and (a + pi, pi - b, c + pi), whether the second goes on
 * from the last step: q is the follower's frame in the base's. */
static bool is_folded(const double q[3][3], const double *last) {
    double angle[3] = {atan2(-q[1][2], q[2][2]), asin(fmax(-1, fmin(1, q[0][2]))), atan2(-q[0][1], q[0][0])};
    double off[2] = {0, 0}, far = AFXI_CARDAN_FAR;
    if (1 - q[0][2] * q[0][2] >= far * far || fabs(cos(last[1])) >= far) {
        return cos(last[1]) < 0;
    }
    for (int k = 0; k < 3; k++) {
        double other[2] = {angle[k], (AFXI_TWO_PI / 2) + (k == 1 ? -angle[k] : angle[k])};
        for (int set = 0; set < 2; set++) {
            double by = remainder(other[set] - last[k], AFXI_TWO_PI);
            off[set] += by * by;
        }
    }
    return off[1] < off[0] || (off[1] == off[0] && cos(last[1]) < 0);
}

/* Sums of entries of Q, the follower's axes as the base sees them: `by` is what each entry counts. */
static void add_entries(AfxiEquation *out, const Sides *sides, const double by[3][3]) {
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < 3; j++) {
            if (by[i][j] != 0) {
                add_directions(out, sides, sides->u[j], sides->v[i], by[i][j]);
            }
        }
    }
}

static void entries_of(const Sides *sides, double out_q[3][3]) {
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < 3; j++) {
            AfxiEquation entry = {.count = 0};
            add_directions(&entry, sides, sides->u[j], sides->v[i], 1);
            out_q[i][j] = entry.value;
        }
    }
}

/* Swing, twist and angle, as in joint/swing.h. */
static void ball_angle(AfxiAxisType type, const Sides *sides, double last, AfxiEquation *out) {
    static const double twist_sine[3][3] = {{0, 0, 0}, {0, 0, -1}, {0, 1, 0}};
    static const double twist_cosine[3][3] = {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const double first[3][3] = {{1, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    static const double half[3][3] = {{0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}};
    AfxiEquation sine = {.count = 0}, cosine = {.count = 0};
    if (type == AFXI_AXIS_TWIST) {
        add_entries(&sine, sides, twist_sine);
        add_entries(&cosine, sides, twist_cosine);
        double f = sine.value, g = cosine.value, square = fmax(AFXI_SWING_LEAST, f * f + g * g);
        add_equation(out, &sine, g / square);
        add_equation(out, &cosine, -f / square);
        out->value = last + remainder(atan2(f, g) - last, AFXI_TWO_PI);
        return;
    }
    add_entries(&cosine, sides, type == AFXI_AXIS_SWING ? first : half);
    double c = fmax(-1, fmin(1, cosine.value - (type == AFXI_AXIS_SWING ? 0 : 0.5)));
    add_equation(out, &cosine, -1 / sqrt(fmax(AFXI_SWING_LEAST, 1 - c * c)));
    out->value = acos(c);
}

/* An angle from its sine, or from sine and cosine. */
static void plain_angle(AfxiAxisSpec spec, const Sides *sides, const double *last, double own, AfxiEquation *out) {
    AfxiEquation sine = {.count = 0}, cosine = {.count = 0};
    double q[3][3], least = spec.type == AFXI_AXIS_ROTATION ? 0 : AFXI_CARDAN_LEAST;
    entries_of(sides, q);
    bool folded = spec.type != AFXI_AXIS_ROTATION && last && is_folded(q, last);
    add_directions(&sine, sides, sides->u[spec.p], sides->v[spec.q], spec.sign);
    double f = sine.value;
    if (spec.type == AFXI_AXIS_TILT) { /* the cosine is the length of u across v, folded less it */
        double y = q[(spec.q + 1) % 3][spec.p], z = q[(spec.q + 2) % 3][spec.p], length = hypot(y, z);
        double side = folded ? -1 : 1, per = length > 1e-150 ? side / length : 0, square = f * f + length * length;
        add_directions(&cosine, sides, sides->u[spec.p], sides->v[(spec.q + 1) % 3], per * y);
        add_directions(&cosine, sides, sides->u[spec.p], sides->v[(spec.q + 2) % 3], per != 0 ? per * z : 1);
        add_equation(out, &sine, side * length / square);
        add_equation(out, &cosine, -f / square);
        out->value = atan2(f, side * length);
    } else {
        add_directions(&cosine, sides, sides->u[spec.r], sides->v[spec.s], 1);
        double g = cosine.value, length = hypot(f, g), square = length * fmax(least, length);
        add_equation(out, &sine, g / square);
        add_equation(out, &cosine, -f / square);
        out->value = atan2(f, g) + (folded ? (AFXI_TWO_PI / 2) : 0);
    }
    out->value = last ? own + remainder(out->value - own, AFXI_TWO_PI) : out->value;
}

void afxi_equation_of_axis(const AfxiResidualStage *stage, uint32_t joint, uint32_t axis, double factor,
                           AfxiEquation *out) {
    const AfxiJoint *source = &stage->model->joints[joint];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
    AfxiAxisSpec spec = afxi_axis_of(kind, axis);
    uint32_t place = afxi_axis_place(kind, axis);
    const double *last = source->counted ? stage->angle + source->angle : NULL;
    double own = last && place != UINT32_MAX ? last[place] : 0;
    Sides sides = sides_of(stage, joint);
    AfxiEquation angle = {.count = 0};
    if (spec.type == AFXI_AXIS_TRANSLATION) {
        add_offset(&angle, &sides, sides.v[spec.axis], 1);
    } else if (spec.type >= AFXI_AXIS_SWING) {
        ball_angle((AfxiAxisType)spec.type, &sides, own, &angle);
    } else {
        plain_angle(spec, &sides, last && kind->axis_count >= 3 ? last + kind->axis_count - 3 : last, own, &angle);
    }
    add_equation(out, &angle, factor);
}

/* Row `axis` of a ball joint's spring: a turn of the follower less that of the base about a world axis; a turn acts on
 * A as half its skew matrix times the rotation. */
static void spring_row(const AfxiResidualStage *stage, uint32_t joint, uint32_t axis, AfxiEquation *out) {
    const AfxiJoint *source = &stage->model->joints[joint];
    const uint32_t bodies[2] = {source->follower, source->base};
    AfxVec3 e = vec3(axis == 0, axis == 1, axis == 2);
    for (int side = 0; side < 2; side++) {
        AfxiMat3 r = afxi_residual_rotation(stage, bodies[side]);
        double *g = part_of(out, bodies[side]);
        for (int k = 0; g && k < 3; k++) {
            vec3_store(g + 3 * k, vec3_scale(side ? -0.5 : 0.5, vec3_cross(e, mat3_column(&r, k))));
        }
    }
}

static void line_spring(const AfxiResidualStage *stage, uint32_t index, AfxiEquation *out) {
    const AfxiSpring *spring = &stage->model->springs[index];
    Sides sides = {.a = spring->body_a, .b = spring->body_b, .x = spring->point_a, .y = spring->point_b};
    sides.q_a = afxi_residual_place(stage, sides.a);
    sides.q_b = afxi_residual_place(stage, sides.b);
    AfxVec3 d = vec3_sub(position(sides.q_a, sides.x), position(sides.q_b, sides.y));
    double length = vec3_length(d);
    add_distance(out, &sides, sides.x, sides.y, vec3_scale(length > 0 ? 1 / length : 0, d), 1);
}

void afxi_equation_of_row(const AfxiResidualStage *stage, const AfxiGraph *graph, uint32_t row, AfxiEquation *out) {
    const AfxModel *model = stage->model;
    const AfxiGraphRow *source = &graph->row[row];
    uint32_t owner = graph->block[source->block].index;
    out->value = 0;
    out->count = 0;
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_JOINT:
        afxi_equation_of_joint(stage, owner, source->index, out);
        break;
    case AFXI_SOURCE_ROTATIONAL_SPRING:
        spring_row(stage, owner, source->index, out);
        break;
    case AFXI_SOURCE_SCREW:
        afxi_equation_of_axis(stage, owner, 0, 1, out);
        afxi_equation_of_axis(stage, owner, 1, -*afxi_param_const(model, stage->params, AFX_PARAM_JOINT_PITCH, owner),
                              out);
        break;
    case AFXI_SOURCE_DRIVE:
        afxi_equation_of_axis(stage, model->drives[source->index].joint, model->drives[source->index].axis, 1, out);
        break;
    case AFXI_SOURCE_COUPLING: {
        const AfxiCoupling *coupling = &model->couplings[source->index];
        const double *numbers = afxi_param_const(model, stage->params, AFX_PARAM_COUPLING, source->index);
        for (uint32_t term = 0; term < coupling->term_count; term++) {
            afxi_equation_of_axis(stage, coupling->joint[term], coupling->axis[term], numbers[term], out);
        }
        out->value -= numbers[AFX_COUPLING_TERMS];
        break;
    }
    case AFXI_SOURCE_SPRING:
        line_spring(stage, source->index, out);
        break;
    case AFXI_SOURCE_CONTACT: /* not among the rows of joints */
        break;
    }
}

double afxi_equation_rate(const AfxiResidualStage *stage, const AfxiEquation *equation) {
    double sum = 0, rate[AFXI_AFFINE_WIDTH];
    for (uint32_t k = 0; k < equation->count; k++) {
        afxi_residual_rate(stage, equation->body[k], rate);
        for (int e = 0; e < AFXI_AFFINE_WIDTH; e++) {
            sum += equation->gradient[k][e] * rate[e];
        }
    }
    return sum;
}
