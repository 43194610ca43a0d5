/* SPDX-License-Identifier: Apache-2.0 */
/* Scene to model: mass properties to principal frames and second moments, equal bodies interned, everything laid
 * out in one block. Two passes over the layout: the first counts bytes, the second hands them out. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/released.h"
#include "base/status.h"
#include "math/inertia.h"
#include "math/signal.h"
#include "model/chains.h"
#include "model/contacts.h"
#include "model/graph.h"
#include "model/joints.h"
#include "model/model.h"
#include "model/params.h"
#include "model/rotor.h"
#include "model/touching.h"
#include "model/tuning.h"
#include "model/validate.h"
#include "scene/check.h"
#include "scene/mass.h"
#include "scene/scene.h"

/* Whether some body is not at rest to begin with. */
static bool moving(const AfxScene *scene) {
    for (uint32_t k = 0; scene->twist_count && k < scene->body_count; k++) {
        AfxTwist twist = afxi_scene_twist(scene, k);
        const AfxVec3 *v = &twist.linear, *w = &twist.angular;
        if (v->x != 0 || v->y != 0 || v->z != 0 || w->x != 0 || w->y != 0 || w->z != 0) {
            return true;
        }
    }
    return false;
}

static void layout(AfxModel *model, const AfxScene *scene, AfxiArena *arena) {
    uint32_t n = scene->body_count;
    size_t samples = 0;
    for (uint32_t k = 0; k < scene->motion_count; k++) {
        const AfxMotion *motion = &scene->motions[k].motion;
        samples += 2 * (size_t)motion->angle.sample_count;
        for (int axis = 0; axis < 3; axis++) {
            samples += 2 * (size_t)motion->translation[axis].sample_count;
        }
    }
    for (uint32_t k = 0; k < scene->drive_count; k++) {
        samples += 2 * (size_t)scene->drives[k].target.sample_count;
    }
    for (uint32_t k = 0; k < scene->wrench_signal_count; k++) {
        for (int c = 0; c < 6; c++) {
            samples += 2 * (size_t)scene->wrench_signals[k].of[c].sample_count;
        }
    }
    model->kind = afxi_arena_take(arena, n, sizeof *model->kind);
    model->floored = afxi_arena_take(arena, n, sizeof *model->floored);
    model->frame_of = afxi_arena_take(arena, n, sizeof *model->frame_of);
    model->start_pose = afxi_arena_take(arena, n, sizeof *model->start_pose);
    model->start_twist = moving(scene) ? afxi_arena_take(arena, n, sizeof *model->start_twist) : NULL;
    model->dynamic = afxi_arena_take(arena, n, sizeof *model->dynamic);
    model->kinematic = afxi_arena_take(arena, scene->motion_count, sizeof *model->kinematic);
    model->samples = afxi_arena_take(arena, samples, sizeof *model->samples);
    model->marker_body = afxi_arena_take(arena, scene->marker_count, sizeof *model->marker_body);
    model->wrench_body = afxi_arena_take(arena, scene->wrench_count, sizeof *model->wrench_body);
    model->wrench_frame = afxi_arena_take(arena, scene->wrench_count, sizeof *model->wrench_frame);
    model->wrench_signal = afxi_arena_take(arena, scene->wrench_signal_count, sizeof *model->wrench_signal);
    model->joints = afxi_arena_take(arena, scene->joint_count, sizeof *model->joints);
    model->rotational_spring_joint =
        afxi_arena_take(arena, scene->joint_spring_count, sizeof *model->rotational_spring_joint);
    model->drives = afxi_arena_take(arena, scene->drive_count, sizeof *model->drives);
    model->drive_order = afxi_arena_take(arena, scene->drive_count, sizeof *model->drive_order);
    model->couplings = afxi_arena_take(arena, scene->coupling_count, sizeof *model->couplings);
    model->rotors = afxi_arena_take(arena, model->rotor_count, sizeof *model->rotors);
    model->springs = afxi_arena_take(arena, scene->spring_count, sizeof *model->springs);
    bool tables = model->table_count > 0;
    model->table_position = afxi_arena_take(arena, model->table_count, sizeof *model->table_position);
    model->table_damps = afxi_arena_take(arena, model->table_count, sizeof *model->table_damps);
    model->drive_tables = tables ? afxi_arena_take(arena, scene->drive_count, sizeof *model->drive_tables) : NULL;
    model->spring_tables = tables ? afxi_arena_take(arena, scene->spring_count, sizeof *model->spring_tables) : NULL;
    model->params = afxi_arena_take(arena, model->param_length, sizeof *model->params);
    model->classes.of = afxi_arena_take(arena, n, sizeof *model->classes.of);
    model->in_chain = afxi_arena_take(arena, scene->joint_count ? n : 0, sizeof *model->in_chain);
    model->local = afxi_arena_take(arena, n, sizeof *model->local);
    model->graph_of = afxi_arena_take(arena, n, sizeof *model->graph_of);
    model->root = afxi_arena_take(arena, n, sizeof *model->root);
}

/* What was made of a body. */
typedef struct Made {
    AfxMass mass;
    double s[3], volume;
    uint32_t frame, class;
    bool floored;
} Made;

/* Tables that grow while compiling; the model keeps what came out. */
typedef struct Tables {
    AfxiIntern frames, classes, joint_frames;
    Made made;
    AfxMass mass; /* of the last body, and what was made of it */
    double s[3];
    AfxiMat3 axes;
} Tables;

/* Second moments and principal axes; false when they are those of no body. */
static bool principal_moments(const AfxMass *mass, Tables *tables) {
    if (memcmp(mass, &tables->mass, sizeof *mass) == 0) {
        return true;
    }
    tables->mass = *mass;
    if (afxi_second_moments(mass, tables->s, &tables->axes) == AFXI_MASS_OK) {
        return true;
    }
    tables->mass.mass = 0; /* no body's */
    return false;
}

/* Whether two bodies are of the same matter and one and the same shape each. */
static bool same_matter(const AfxScene *scene, uint32_t one, uint32_t other) {
    const AfxiSceneBody *a = &scene->bodies[one], *b = &scene->bodies[other];
    return a->matter == b->matter && a->shape_count == 1 && b->shape_count == 1 &&
           scene->uses[a->first_shape].shape == scene->uses[b->first_shape].shape;
}

/* Mass, principal frame and constants of a body that is not like the last one. */
static AfxStatus make_body(AfxModel *model, const AfxScene *scene, uint32_t index, Tables *tables,
                           AfxError *out_error) {
    const AfxiSceneMatter *matter = afxi_scene_matter(scene, index);
    Made *made = &tables->made;
    AfxStatus status = afxi_scene_body_mass(scene, index, &made->mass, out_error);
    if (status != AFX_OK) {
        return status;
    }
    if (!(made->mass.mass > 0)) { /* fixed or kinematic, and never solved for: any constants will do */
        made->mass = (AfxMass){.mass = 1, .volume = 1 / AFXI_DEFAULT_DENSITY};
    }
    if (!principal_moments(&made->mass, tables)) {
        return afxi_scene_body_error(scene, index, AFX_E_INPUT,
                                     "unphysical inertia: principal moments violate the triangle inequality",
                                     "each must be at most the sum of the other two", out_error);
    }
    double mass = made->mass.mass;
    memcpy(made->s, tables->s, sizeof made->s);
    made->volume = made->mass.volume > 0 ? made->mass.volume : mass / AFXI_DEFAULT_DENSITY;
    double reach = sqrt(3 * (made->s[0] + made->s[1] + made->s[2]) / mass);
    bool floored = afxi_body_floor(mass, fmax(reach, cbrt(made->volume)), made->s);
    made->floored = floored && matter->kind == AFX_BODY_DYNAMIC;
    if (made->floored && !model->any_floored && scene->log.write) {
        char text[200];
        snprintf(text, sizeof text, "body #%u has no rotary inertia about some axis; it is given 1e-12 m L²",
                 (unsigned)index);
        scene->log.write(scene->log.user, AFX_LOG_WARNING, text);
    }
    model->any_floored |= made->floored;
    AfxiFrame frame = {.center = made->mass.center, .axes = tables->axes};
    AfxiBodyClass class = {.mass = mass,
                           .s = {made->s[0], made->s[1], made->s[2]},
                           .volume = made->volume,
                           .young = matter->young,
                           .poisson = matter->poisson,
                           .linear_damping = matter->linear_damping,
                           .angular_damping = matter->angular_damping,
                           .gravity = matter->gravity};
    status = afxi_intern_growing(&model->allocator, &tables->frames, &frame, &made->frame);
    return status ? status : afxi_intern_growing(&model->allocator, &tables->classes, &class, &made->class);
}

/* Parameters of bodies [first, end), which are alike. */
static void fill_params(AfxModel *model, const AfxiSceneMatter *matter, const Made *made, uint32_t first,
                        uint32_t end) {
    const struct {
        AfxParamKind kind;
        double value;
    } numbers[] = {
        {AFX_PARAM_BODY_MASS, made->mass.mass},
        {AFX_PARAM_BODY_VOLUME, made->volume},
        {AFX_PARAM_BODY_YOUNG, matter->young},
        {AFX_PARAM_BODY_POISSON, matter->poisson},
        {AFX_PARAM_BODY_LINEAR_DAMPING, matter->linear_damping},
        {AFX_PARAM_BODY_ANGULAR_DAMPING, matter->angular_damping},
        {AFX_PARAM_BODY_GRAVITY, matter->gravity},
    };
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        double *to = afxi_param(model, model->params, numbers[n].kind, first);
        for (uint32_t k = 0; k < end - first; k++) {
            to[k] = numbers[n].value;
        }
    }
    double *s = afxi_param(model, model->params, AFX_PARAM_BODY_SECOND_MOMENTS, first);
    for (uint32_t k = 0; k < end - first; k++) {
        memcpy(s + (size_t)3 * k, made->s, sizeof made->s);
    }
}

/* All bodies, one run of neighbours that are alike after the other. */
static AfxStatus compile_bodies(AfxModel *model, const AfxScene *scene, Tables *tables, AfxError *out_error) {
    uint32_t end = 0;
    for (uint32_t first = 0; first < scene->body_count; first = end) {
        const AfxiSceneMatter *matter = afxi_scene_matter(scene, first);
        const Made *made = &tables->made;
        AfxStatus status = make_body(model, scene, first, tables, out_error);
        if (status != AFX_OK) {
            return status;
        }
        for (end = first; end < scene->body_count && (end == first || same_matter(scene, first, end)); end++) {
            model->kind[end] = (uint8_t)matter->kind;
            model->floored[end] = made->floored;
            model->frame_of[end] = made->frame;
            model->classes.of[end] = made->class;
            model->start_pose[end] = scene->bodies[end].pose;
            if (model->start_twist) {
                model->start_twist[end] = afxi_scene_twist(scene, end);
            }
            if (matter->kind == AFX_BODY_DYNAMIC) {
                model->dynamic[model->dynamic_count++] = end;
            }
        }
        fill_params(model, matter, made, first, end);
    }
    return AFX_OK;
}

static void compile_motions(AfxModel *model, const AfxScene *scene, double **samples) {
    for (uint32_t body = 0; body < scene->body_count; body++) { /* in the order of bodies, whichever was set last */
        if (scene->bodies[body].motion == AFXI_NONE) {
            continue;
        }
        const AfxiSceneMotion *source = &scene->motions[scene->bodies[body].motion];
        AfxiKinematic *kinematic = &model->kinematic[model->kinematic_count++];
        *kinematic = (AfxiKinematic){source->body, source->motion};
        afxi_signal_copy_table(&kinematic->motion.angle, samples);
        for (int axis = 0; axis < 3; axis++) {
            afxi_signal_copy_table(&kinematic->motion.translation[axis], samples);
        }
    }
}

static void compile_attachments(AfxModel *model, const AfxScene *scene, double **samples) {
    double *block = model->params;
    vec3_store(afxi_param(model, block, AFX_PARAM_GRAVITY, 0), scene->gravity);
    for (uint32_t k = 0; k < scene->marker_count; k++) {
        model->marker_body[k] = scene->markers[k].body;
        vec3_store(afxi_param(model, block, AFX_PARAM_MARKER_POINT, k), scene->markers[k].point);
    }
    for (uint32_t k = 0; k < scene->wrench_count; k++) {
        const AfxiSceneWrench *wrench = &scene->wrenches[k];
        model->wrench_body[k] = wrench->body;
        model->wrench_frame[k] = (uint8_t)wrench->frame;
        vec3_store(afxi_param(model, block, AFX_PARAM_WRENCH_POINT, k), wrench->point);
        vec3_store(afxi_param(model, block, AFX_PARAM_WRENCH, k), wrench->force);
        vec3_store(afxi_param(model, block, AFX_PARAM_WRENCH, k) + 3, wrench->torque);
        if (wrench->signals != AFXI_NONE) {
            AfxiWrenchSignal *signal = &model->wrench_signal[model->wrench_signal_count++];
            signal->wrench = k;
            memcpy(signal->of, scene->wrench_signals[wrench->signals].of, sizeof signal->of);
            for (int c = 0; c < 6; c++) {
                afxi_signal_copy_table(&signal->of[c], samples);
            }
        }
    }
}

static uint64_t hash_signal(uint64_t hash, const AfxSignal *signal) {
    hash = afxi_hash(hash, &signal->kind, sizeof signal->kind);
    hash = afxi_hash(hash, signal->coefficients, sizeof signal->coefficients);
    hash = afxi_hash(hash, signal->times, signal->sample_count * sizeof(double));
    return afxi_hash(hash, signal->values, signal->sample_count * sizeof(double));
}

static uint64_t hash_model(const AfxModel *model) {
    uint32_t n = model->body_count;
    uint64_t hash = afxi_hash(AFXI_HASH_START, &n, sizeof n);
    if (model->solver != AFX_SOLVER_AUTO) { /* the state of a sim is laid out by it */
        hash = afxi_hash(hash, &model->solver, sizeof model->solver);
    }
    hash = afxi_hash(hash, model->kind, n);
    hash = afxi_hash(hash, model->frame_of, n * sizeof *model->frame_of);
    hash = afxi_hash(hash, model->frames.items, model->frames.count * sizeof(AfxiFrame));
    hash = afxi_hash(hash, model->start_pose, n * sizeof *model->start_pose);
    hash = afxi_hash(hash, model->start_twist, model->start_twist ? n * sizeof *model->start_twist : 0);
    hash = afxi_hash(hash, model->marker_body, model->marker_count * sizeof *model->marker_body);
    hash = afxi_hash(hash, model->wrench_body, model->wrench_count * sizeof *model->wrench_body);
    hash = afxi_hash(hash, model->wrench_frame, model->wrench_count);
    for (uint32_t k = 0; k < model->wrench_signal_count; k++) {
        hash = afxi_hash(hash, &model->wrench_signal[k].wrench, sizeof model->wrench_signal[k].wrench);
        for (int c = 0; c < 6; c++) {
            hash = hash_signal(hash, &model->wrench_signal[k].of[c]);
        }
    }
    hash = afxi_hash(hash, model->joint_frames.items, model->joint_frames.count * sizeof(AfxiJointFrame));
    for (uint32_t k = 0; k < model->joint_count; k++) {
        const AfxiJoint *joint = &model->joints[k];
        uint32_t words[6] = {joint->base, joint->follower, joint->frame,
                             joint->kind, joint->active,   joint->rotational_spring};
        hash = afxi_hash(hash, words,
                         joint->rotational_spring == UINT32_MAX ? sizeof words - sizeof *words : sizeof words);
    }
    for (uint32_t k = 0; k < model->drive_count; k++) {
        const AfxiDrive *drive = &model->drives[k];
        uint32_t words[4] = {drive->joint, drive->axis, drive->kind, drive->from_input};
        hash = hash_signal(afxi_hash(hash, words, sizeof words), &drive->target);
    }
    hash = afxi_hash(hash, model->springs, model->spring_count * sizeof *model->springs);
    if (model->table_count) {
        hash = afxi_hash(hash, model->drive_tables, model->drive_count * sizeof *model->drive_tables);
        hash = afxi_hash(hash, model->spring_tables, model->spring_count * sizeof *model->spring_tables);
        hash = afxi_hash(hash, model->table_position, model->table_count * sizeof *model->table_position);
    }
    for (uint32_t k = 0; k < model->coupling_count; k++) {
        const AfxiCoupling *coupling = &model->couplings[k];
        hash = afxi_hash(hash, coupling->joint, coupling->term_count * sizeof *coupling->joint);
        hash = afxi_hash(hash, coupling->axis, coupling->term_count);
    }
    for (uint32_t k = 0; k < model->kinematic_count; k++) {
        const AfxiKinematic *kinematic = &model->kinematic[k];
        hash = afxi_hash(hash, &kinematic->body, sizeof kinematic->body);
        hash = afxi_hash(hash, &kinematic->motion.axis, sizeof kinematic->motion.axis);
        hash = hash_signal(hash, &kinematic->motion.angle);
        for (int axis = 0; axis < 3; axis++) {
            hash = hash_signal(hash, &kinematic->motion.translation[axis]);
        }
    }
    hash = afxi_contacts_hash(&model->contacts, hash);
    return afxi_hash(hash, model->params, model->param_length * sizeof *model->params);
}

/* A copy of the interned records alone, sized to what there is. */
static AfxStatus keep_table(const AfxAllocator *allocator, const AfxiIntern *from, AfxiIntern *to) {
    size_t bytes = from->count * from->item_size;
    *to = *from;
    to->slots = NULL;
    to->items = afxi_duplicate(allocator, from->items, bytes);
    return bytes && !to->items ? AFX_E_MEMORY : AFX_OK;
}

static void tables_destroy(const AfxAllocator *allocator, Tables *tables) {
    AfxiIntern *all[3] = {&tables->frames, &tables->classes, &tables->joint_frames};
    for (int k = 0; k < 3; k++) {
        afxi_intern_release(allocator, all[k]);
    }
}

static void release_table(const AfxAllocator *allocator, AfxiIntern *table) {
    afxi_release(allocator, table->items, table->count * table->item_size);
}

static AfxStatus compile_graph(AfxModel *model, AfxError *out_error) {
    AfxStatus status = afxi_compile_graphs(model);
    if (status == AFX_E_INPUT) {
        return afxi_error(out_error, status, "solver tree", "the joints of this scene form loops",
                          "use the solver schur, graph or auto");
    }
    if (status == AFX_E_LIMIT && (model->solver == AFX_SOLVER_DENSE || model->solver == AFX_SOLVER_SCHUR)) {
        const char *element = model->solver == AFX_SOLVER_DENSE ? "solver dense" : "solver schur";
        return afxi_error(out_error, status, element, "more than 20,000 rows would be dense",
                          "use the solver graph or auto");
    }
    return status;
}

static AfxStatus compile(AfxModel *model, const AfxScene *scene, AfxError *out_error) {
    AfxiArena arena = {0};
    layout(model, scene, &arena);
    if (arena.overflow) {
        return afxi_error(out_error, AFX_E_LIMIT, "scene", "too many bodies for this machine", "use fewer bodies");
    }
    arena.base = afxi_allocate_aligned(&model->allocator, arena.used, &model->raw, &model->raw_size);
    Tables tables = {.frames.item_size = sizeof(AfxiFrame),
                     .classes.item_size = sizeof(AfxiBodyClass),
                     .joint_frames.item_size = sizeof(AfxiJointFrame)};
    AfxStatus status = arena.base ? AFX_OK : AFX_E_MEMORY;
    if (status == AFX_OK) {
        arena.used = 0;
        layout(model, scene, &arena);
        status = compile_bodies(model, scene, &tables, out_error);
        status = status ? status : keep_table(&model->allocator, &tables.frames, &model->frames);
        status = status ? status : keep_table(&model->allocator, &tables.classes, &model->classes.intern);
    }
    if (status == AFX_OK) {
        double *samples = model->samples;
        compile_motions(model, scene, &samples);
        compile_attachments(model, scene, &samples);
        for (uint32_t k = 0; k < scene->joint_count && status == AFX_OK; k++) {
            status = afxi_compile_joint_frame(model, scene, k, &tables.joint_frames);
        }
        status = status ? status : keep_table(&model->allocator, &tables.joint_frames, &model->joint_frames);
        if (status == AFX_OK) {
            afxi_compile_actions(model, scene, &samples);
            afxi_compile_angles(model);
        }
        status = status ? status : afxi_compile_contacts(model, scene);
        if (model->solver == AFX_SOLVER_AUTO || model->solver == AFX_SOLVER_CHAIN) {
            status = status ? status : afxi_compile_chains(model);
        }
        status = status ? status : compile_graph(model, out_error);
        status = status ? status : afxi_compile_phase(model);
    }
    tables_destroy(&model->allocator, &tables);
    if (status == AFX_E_MEMORY) {
        return afxi_error(out_error, AFX_E_MEMORY, "model", "out of memory", "use fewer bodies or free some memory");
    }
    if (status == AFX_OK) {
        model->size = afxi_model_measure(model, NULL, model->body_count);
        model->hash = hash_model(model);
        AFXI_VALIDATE(afxi_model_validate(model));
    }
    return status;
}

AfxModelDef afx_default_model(void) {
    return (AfxModelDef){.cookie = AFXI_COOKIE, .solver = AFX_SOLVER_AUTO};
}

AfxStatus afx_model_create(const AfxScene *scene, AfxModel **out_model, AfxError *out_error) {
    AfxModelDef def = afx_default_model();
    return afx_model_create_with(scene, &def, out_model, out_error);
}

static AfxStatus check_arguments(const AfxScene *scene, const AfxModelDef *def, AfxModel **out_model,
                                 AfxError *out_error) {
    if (out_error) {
        memset(out_error, 0, sizeof *out_error);
    }
    if (out_model) {
        *out_model = NULL;
    }
    if (!scene || !out_model || !def) {
        return afxi_error(out_error, AFX_E_ARGUMENT, "model", "scene, definition or out_model is NULL", "pass all");
    }
    if (def->cookie != AFXI_COOKIE) {
        return afxi_error(out_error, AFX_E_VERSION, "model", "the definition was not made by this library",
                          "start from afx_default_model");
    }
    if ((int)def->solver < 0 || def->solver >= AFX_SOLVER_COUNT) {
        return afxi_error(out_error, AFX_E_ARGUMENT, "model", "the solver is none that there is",
                          "take one of AFX_SOLVER_TABLE");
    }
    return AFX_OK;
}

static void count(AfxModel *model, const AfxScene *scene, const AfxScene *authored) {
    model->body_count = scene->body_count;
    model->marker_count = scene->marker_count;
    model->wrench_count = scene->wrench_count;
    model->joint_count = scene->joint_count;
    model->rotational_spring_count = scene->joint_spring_count;
    model->drive_count = scene->drive_count;
    model->coupling_count = scene->coupling_count;
    model->spring_count = scene->spring_count;
    model->table_count = afxi_count_tables(scene);
    model->shown.bodies = authored->body_count;
    model->shown.joints = authored->joint_count;
    model->shown.couplings = authored->coupling_count;
}

static AfxStatus compile_expanded(AfxModel *model, const AfxiRotorScene *expanded, const AfxScene *authored,
                                  AfxError *out_error) {
    model->rotor_count = expanded->count;
    model->armature_count = expanded->armatures;
    count(model, &expanded->scene, authored);
    AfxStatus status = afxi_compile_touching(model, &expanded->scene, out_error);
    if (status != AFX_OK) {
        if (status != AFX_E_LIMIT) { /* which has said why */
            afxi_error(out_error, status, "model", afx_status_text(status), "use fewer bodies, shapes or joints");
        }
        return status;
    }
    afxi_params_layout(model);
    status = compile(model, &expanded->scene, out_error);
    model->shown.coordinates = model->coordinate_count - model->rotor_count;
    for (uint32_t k = 0; status == AFX_OK && k < model->rotor_count; k++) {
        model->rotors[k].coupling = afxi_rotor_coupling(expanded, k, authored->coupling_count);
    }
    status = status ? status : afxi_compile_robot(model, authored, out_error);
    if (status == AFX_OK && model->robot.looks && afxi_compile_seen(model, authored) != AFX_OK) {
        status = afxi_error(out_error, AFX_E_MEMORY, "model", "out of memory", "free some memory");
    }
    return status;
}

AfxStatus afx_model_create_with(const AfxScene *scene, const AfxModelDef *def, AfxModel **out_model,
                                AfxError *out_error) {
    AfxStatus valid = check_arguments(scene, def, out_model, out_error);
    if (valid != AFX_OK) {
        return valid;
    }
    AFXI_ASSERT_ALIVE(scene);
    AfxModel *model = afxi_allocate(&scene->allocator, sizeof *model);
    if (!model) {
        return afxi_error(out_error, AFX_E_MEMORY, "model", "out of memory", "free some memory");
    }
    model->allocator = scene->allocator;
    model->solver = def->solver;
    AfxiRotorScene expanded;
    AfxStatus status = afxi_rotors_expand(scene, &expanded);
    if (status == AFX_OK) {
        status = compile_expanded(model, &expanded, scene, out_error);
    } else {
        afxi_error(out_error, status, "model", afx_status_text(status), "use fewer bodies, or less armature");
    }
    afxi_rotors_release(&scene->allocator, &expanded);
    if (status != AFX_OK) {
        afx_model_destroy(model);
        return status;
    }
    *out_model = model;
    return AFX_OK;
}

void afx_model_destroy(AfxModel *model) {
    if (!model) {
        return;
    }
    AFXI_ASSERT_ALIVE(model);
    AfxAllocator allocator = model->allocator;
    afxi_graphs_destroy(model);
    afxi_phase_destroy(model);
    afxi_chains_destroy(model);
    afxi_contacts_destroy(&allocator, &model->contacts);
    afxi_contacts_destroy(&allocator, &model->seen);
    afxi_robot_destroy(model);
    release_table(&allocator, &model->frames);
    release_table(&allocator, &model->classes.intern);
    release_table(&allocator, &model->joint_frames);
    afxi_release(&allocator, model->raw, model->raw_size);
    afxi_release(&allocator, model, sizeof *model);
}
