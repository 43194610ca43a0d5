/* SPDX-License-Identifier: Apache-2.0 */
/* Making the workspace of a published formulation: what it can do, its rows, and the envelope of its matrix. */
#include "formulation/inner.h"

#include "base/memory.h"
#include "base/status.h"
#include "model/params.h"

#define ENVELOPE_MOST ((uint64_t)1 << 25) /* numbers: 256 MB */
#define NEWTON_FAST 1e-6                  /* largest change of A and, as a share of the scene's size, of t */
#define NEWTON_ACCURATE 1e-10

/* ---- what can be done ---- */

static const char *const element = "formulation";

static AfxStatus say(AfxError *error, const char *text, const char *cure) {
    return afxi_error(error, AFX_E_INPUT, element, text, cure);
}

static AfxStatus check_joints(const AfxModel *model, AfxError *error) {
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const AfxiJoint *joint = &model->joints[k];
        if (!afxi_published_rows_of((AfxJointKind)joint->kind)) {
            return afxi_error_at(error, AFX_E_INPUT, "it has ball joints, hinges and fixed joints only",
                                 "use the default formulation", "formulation: joint %u, %s", (unsigned)k,
                                 afx_joint_kind_name((AfxJointKind)joint->kind));
        }
        const double *load = afxi_param_const(model, model->params, AFX_PARAM_JOINT_BREAK, k);
        if (joint->rotational_spring != UINT32_MAX || !joint->active || load[0] > 0 || load[1] > 0) {
            return afxi_error_at(error, AFX_E_INPUT, "it has no springs in joints, and none that break or are off",
                                 "use the default formulation", "formulation: joint %u", (unsigned)k);
        }
    }
    return AFX_OK;
}

static AfxStatus refuse(const AfxModel *model, const AfxSimDef *def) {
    if (def->integrator != AFX_BDF1) {
        return say(def->error, "it is defined with implicit Euler", "take the integrator AFX_BDF1 (bdf1)");
    }
    if (model->drive_count || model->coupling_count || model->spring_count) {
        return say(def->error, "it has no drives, couplings or springs", "use the default formulation");
    }
    if (model->kinematic_count || model->wrench_count) {
        return say(def->error, "it has no kinematic bodies and no wrenches", "use the default formulation");
    }
    if (model->contacts.possible) {
        return say(def->error, "it has no contact", "use the default formulation, or switch contact off");
    }
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        AfxiBodyClass class = afxi_class_of_params(model, model->params, model->dynamic[k]);
        if (isinf(class.young)) {
            return afxi_error_at(def->error, AFX_E_INPUT, "it needs elastic bodies", "give a finite Young's modulus",
                                 "formulation: body %u", (unsigned)model->dynamic[k]);
        }
        if (class.linear_damping > 0 || class.angular_damping > 0) {
            return afxi_error_at(def->error, AFX_E_INPUT, "it has no damping", "use the default formulation",
                                 "formulation: body %u", (unsigned)model->dynamic[k]);
        }
    }
    return check_joints(model, def->error);
}

/* ---- making it ---- */

static bool moves(const AfxModel *model, uint32_t body) {
    return body != AFXI_WORLD && model->kind[body] == AFX_BODY_DYNAMIC;
}

static void layout(AfxiPublished *work, AfxiArena *arena, size_t envelope) {
    uint32_t rows = work->row_count;
    work->rows = afxi_arena_take(arena, rows, sizeof *work->rows);
    work->direction = afxi_arena_take(arena, rows, sizeof *work->direction);
    work->lambda = afxi_arena_take(arena, rows, sizeof *work->lambda);
    work->sides = afxi_arena_take(arena, work->side_count, sizeof *work->sides);
    work->bodies = afxi_arena_take(arena, work->body_count, sizeof *work->bodies);
    work->matrix.first = afxi_arena_take(arena, rows, sizeof *work->matrix.first);
    work->matrix.start = afxi_arena_take(arena, (size_t)rows + 1, sizeof *work->matrix.start);
    work->matrix.inverse = afxi_arena_take(arena, rows, sizeof *work->matrix.inverse);
    work->matrix.diagonal = afxi_arena_take(arena, rows, sizeof *work->matrix.diagonal);
    work->matrix.value = afxi_arena_take(arena, envelope, sizeof *work->matrix.value);
}

/* Rows of all joints, and how many sides on moving bodies they have. */
static void count_rows(AfxiPublished *work) {
    const AfxModel *model = work->model;
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const AfxiJoint *joint = &model->joints[k];
        uint32_t rows = afxi_published_rows_of((AfxJointKind)joint->kind);
        uint32_t sides = (uint32_t)moves(model, joint->follower) + (uint32_t)moves(model, joint->base);
        work->row_count += sides ? rows : 0; /* between two that stand still there is nothing to solve */
        work->side_count += sides * rows;
    }
}

/* Lists the sides by body: slot_of [bodies] is spare room, where the sides of each body begin. */
static void fill_sides(AfxiPublished *work, uint32_t *slot_of) {
    const AfxModel *model = work->model;
    for (uint32_t k = 0; k < work->body_count; k++) {
        slot_of[model->dynamic[k]] = k;
        work->bodies[k].body = model->dynamic[k];
    }
    for (uint32_t row = 0; row < work->row_count; row++) {
        for (int end = 0; end < 2; end++) {
            uint32_t body = work->rows[row].body[end];
            work->bodies[moves(model, body) ? slot_of[body] : 0].side_count += moves(model, body);
        }
    }
    uint32_t first = 0;
    for (uint32_t k = 0; k < work->body_count; k++) {
        work->bodies[k].first_side = first;
        first += work->bodies[k].side_count;
        work->bodies[k].side_count = 0;
    }
    for (uint32_t row = 0; row < work->row_count; row++) {
        for (int end = 0; end < 2; end++) {
            uint32_t body = work->rows[row].body[end];
            if (moves(model, body)) {
                AfxiPublishedBody *own = &work->bodies[slot_of[body]];
                work->sides[own->first_side + own->side_count++] = (AfxiRowSide){.row = row, .sign = end == 0 ? 1 : -1};
            }
        }
    }
}

/* First column of every row: that of the first row which shares a body with it. */
static uint64_t measure_envelope(AfxiPublished *work) {
    AfxiEnvelope *matrix = &work->matrix;
    uint64_t sum = 0;
    matrix->count = work->row_count;
    for (uint32_t row = 0; row < work->row_count; row++) {
        matrix->first[row] = row;
    }
    for (uint32_t k = 0; k < work->body_count; k++) {
        const AfxiRowSide *sides = work->sides + work->bodies[k].first_side;
        for (uint32_t m = 0; m < work->bodies[k].side_count; m++) { /* sides of a body are in the order of rows */
            uint32_t *first = &matrix->first[sides[m].row];
            *first = sides[0].row < *first ? sides[0].row : *first;
        }
    }
    for (uint32_t row = 0; row < work->row_count; row++) {
        matrix->start[row] = (size_t)sum;
        sum += (uint64_t)row - matrix->first[row] + 1;
    }
    matrix->start[work->row_count] = (size_t)sum;
    return sum;
}

static void fill_rows(AfxiPublished *work) {
    uint32_t at = 0;
    for (uint32_t k = 0; k < work->model->joint_count; k++) {
        const AfxiJoint *joint = &work->model->joints[k];
        if (moves(work->model, joint->follower) || moves(work->model, joint->base)) {
            afxi_published_rows(work->model, joint, work->rows + at);
            at += afxi_published_rows_of((AfxJointKind)joint->kind);
        }
    }
}

/* Everything but the matrix, in a block of `envelope` numbers more. */
static AfxStatus fill(AfxiPublished *work, size_t envelope) {
    AfxiArena arena = {0};
    layout(work, &arena, envelope);
    uint32_t bodies = work->model->body_count;
    uint32_t *slot_of = afxi_arena_take(&arena, bodies, sizeof *slot_of);
    if (arena.overflow) {
        return AFX_E_LIMIT;
    }
    arena.base = afxi_allocate_aligned(&work->allocator, arena.used, &work->raw, &work->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    layout(work, &arena, envelope);
    slot_of = afxi_arena_take(&arena, bodies, sizeof *slot_of);
    fill_rows(work);
    fill_sides(work, slot_of);
    return AFX_OK;
}

/* The structure is laid out twice: first without the matrix, whose size it tells. */
static AfxStatus make(AfxiPublished *work, AfxError *error) {
    count_rows(work);
    AfxStatus status = fill(work, 0);
    uint64_t size = status == AFX_OK ? measure_envelope(work) : 0;
    if (size > ENVELOPE_MOST) {
        return afxi_error_at(error, AFX_E_LIMIT, "its matrix needs more than 2^25 numbers",
                             "use a smaller scene, or the default formulation", "formulation: %u rows",
                             (unsigned)work->row_count);
    }
    if (status == AFX_OK && work->row_count) {
        afxi_release(&work->allocator, work->raw, work->raw_size);
        work->raw = NULL;
        status = fill(work, (size_t)size);
    }
    if (status == AFX_OK) {
        measure_envelope(work);
        return AFX_OK;
    }
    return afxi_error(error, status, element, afx_status_text(status), "use a smaller scene or free some memory");
}

static void destroy(void *data) {
    AfxiPublished *work = data;
    if (work) {
        AfxAllocator allocator = work->allocator;
        afxi_release(&allocator, work->raw, work->raw_size);
        afxi_release(&allocator, work, sizeof *work);
    }
}

static AfxStatus create(void *owner, AfxiWorld *world, void **out_work) {
    const AfxSimDef *def = &world->def;
    AfxiPublished *work = afxi_allocate(&def->allocator, sizeof *work);
    (void)owner;
    *out_work = NULL;
    if (!work) {
        return afxi_error(def->error, AFX_E_MEMORY, element, "out of memory", "free some memory");
    }
    *work = (AfxiPublished){
        .allocator = def->allocator,
        .world = world,
        .model = world->model,
        .formulation = def->formulation,
        .solves = def->solves ? def->solves : (def->formulation == AFX_ABD_VANILLA ? 0 : 1),
        .tolerance = def->accuracy != AFX_FAST ? NEWTON_ACCURATE : NEWTON_FAST,
        .body_count = world->model->dynamic_count,
    };
    AfxStatus status = make(work, def->error);
    if (status != AFX_OK) {
        destroy(work);
        return status;
    }
    *out_work = work;
    return AFX_OK;
}

static void refresh(void *data) {
    AfxiPublished *work = data;
    work->blocks_dt = 0;
}

/* The state is raw q and v alone; reactions are not kept. */
#define PUBLISHED(title)                                                                             \
    {                                                                                                \
        .name = (title), .refuse = refuse, .create = create, .destroy = destroy, .refresh = refresh, \
        .step = afxi_published_step                                                                  \
    }

const AfxiFormulationKind afxi_formulation_mabd_paper = PUBLISHED("mabd-paper");
const AfxiFormulationKind afxi_formulation_mabd_paper_nopolar = PUBLISHED("mabd-paper-nopolar");
const AfxiFormulationKind afxi_formulation_abd_vanilla = PUBLISHED("abd-vanilla");
