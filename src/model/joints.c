/* SPDX-License-Identifier: Apache-2.0 */
/* Joints to blocks: frames turned into principal axes and interned, one block of rows per joint, the moving bodies it
 * touches, whether it closes a loop, and the elimination plan of the block graph. */
#include <string.h>

#include "base/forest.h"
#include "base/memory.h"
#include "joint/law.h"
#include "joint/turn.h"
#include "math/vec3.h"
#include "model/compile.h"
#include "scene/scene.h"

void afxi_principal_pose(const AfxModel *model, uint32_t body, AfxPose pose, AfxVec3 *out_point, AfxiMat3 *out_axes) {
    AfxiMat3 axes = mat3_from_quat(pose.rotation);
    if (body == AFXI_WORLD) {
        *out_point = pose.position;
        *out_axes = axes;
        return;
    }
    const AfxiFrame *frame = afxi_model_frame(model, body);
    *out_point = mat3_apply_transposed(&frame->axes, vec3_sub(pose.position, frame->center));
    *out_axes = mat3_multiply_tn(&frame->axes, &axes);
}

static uint32_t frame_of(const AfxModel *model, uint32_t body) {
    return body == AFXI_WORLD ? UINT32_MAX : model->frame_of[body];
}

/* Whether a joint sits between its bodies just as the one before it: then its frames are the same. */
static bool sits_alike(const AfxModel *model, const AfxScene *scene, uint32_t index) {
    const AfxiSceneJoint *joint = &scene->joints[index], *before = joint - 1;
    return index > 0 && joint->fit == before->fit &&
           frame_of(model, joint->follower) == frame_of(model, before->follower) &&
           frame_of(model, joint->base) == frame_of(model, before->base);
}

AfxStatus afxi_compile_joint_frame(AfxModel *model, const AfxScene *scene, uint32_t index, AfxiIntern *frames) {
    const AfxiSceneJoint *source = &scene->joints[index];
    const AfxiSceneFit *fit = afxi_scene_fit(scene, index);
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
    uint32_t interned = index ? model->joints[index - 1].frame : 0;
    if (!sits_alike(model, scene, index)) {
        AfxiJointFrame frame;
        afxi_principal_pose(model, source->follower, fit->follower_frame, &frame.point_a, &frame.axes_a);
        afxi_principal_pose(model, source->base, fit->base_frame, &frame.point_b, &frame.axes_b);
        AfxStatus status = afxi_intern_growing(&model->allocator, frames, &frame, &interned);
        if (status != AFX_OK) {
            return status;
        }
    }
    model->joints[index] = (AfxiJoint){
        .base = source->base,
        .follower = source->follower,
        .frame = interned,
        .block = UINT32_MAX,
        .slot = UINT32_MAX,
        .turn = source->spring,
        .angle = UINT32_MAX,
        .coordinate = model->coordinate_count,
        .kind = source->kind,
        .active = source->active,
        .counted =
            source->kind != AFX_JOINT_SPHERICAL && source->kind != AFX_JOINT_SLOT && source->kind != AFX_JOINT_FREE,
    };
    model->coordinate_count += kind->axis_count;
    *afxi_param(model, model->params, AFX_PARAM_JOINT_LENGTH, index) = fit->length > 0 ? fit->length : 1;
    *afxi_param(model, model->params, AFX_PARAM_JOINT_PITCH, index) = fit->pitch;
    afxi_param(model, model->params, AFX_PARAM_JOINT_BREAK, index)[0] = fit->break_force;
    afxi_param(model, model->params, AFX_PARAM_JOINT_BREAK, index)[1] = fit->break_torque;
    model->breakable |= fit->break_force > 0 || fit->break_torque > 0;
    if (source->spring != AFXI_NONE) {
        const AfxJointSpring *spring = &scene->joint_springs[source->spring];
        double *numbers = afxi_param(model, model->params, AFX_PARAM_JOINT_SPRING, source->spring);
        const double rest[4] = {spring->rest.w, spring->rest.x, spring->rest.y, spring->rest.z};
        model->turn_joint[source->spring] = index;
        vec3_store(numbers + AFXI_TURN_STIFFNESS, spring->stiffness);
        vec3_store(numbers + AFXI_TURN_DAMPING, spring->damping);
        memcpy(numbers + AFXI_TURN_REST, rest, sizeof rest);
    }
    return AFX_OK;
}

static AfxiSpring compile_spring(const AfxModel *model, const AfxiSceneSpring *source) {
    AfxiSpring spring = {source->body_a, source->body_b, {0, 0, 0}, {0, 0, 0}};
    AfxiMat3 unused;
    AfxPose at = afx_pose_identity();
    at.position = source->point_a;
    afxi_principal_pose(model, source->body_a, at, &spring.point_a, &unused);
    at.position = source->point_b;
    afxi_principal_pose(model, source->body_b, at, &spring.point_b, &unused);
    return spring;
}

/* Drives in the order of their joints, without changing the order on one joint. */
static void order_drives(AfxModel *model) {
    for (uint32_t k = 0; k < model->drive_count; k++) {
        model->joints[model->drives[k].joint].drive_count++;
    }
    uint32_t first = 0;
    for (uint32_t k = 0; k < model->joint_count; k++) {
        model->joints[k].first_drive = first;
        first += model->joints[k].drive_count;
        model->joints[k].drive_count = 0;
    }
    for (uint32_t k = 0; k < model->drive_count; k++) {
        AfxiJoint *joint = &model->joints[model->drives[k].joint];
        model->drive_order[joint->first_drive + joint->drive_count++] = k;
        joint->counted = true;
    }
}

void afxi_compile_actions(AfxModel *model, const AfxScene *scene, double **samples) {
    for (uint32_t k = 0; k < scene->drive_count; k++) {
        const AfxiSceneDrive *source = &scene->drives[k];
        const double numbers[AFXI_DRIVE_SIZE] = {source->stiffness,   source->damping,     source->rest,
                                                 source->effort,      source->lower,       source->upper,
                                                 source->restitution, source->coefficient, source->radius};
        model->drives[k] =
            (AfxiDrive){source->joint, UINT32_MAX, source->axis, source->kind, source->from_input, source->target};
        afxi_copy_signal(&model->drives[k].target, samples);
        memcpy(afxi_param(model, model->params, AFX_PARAM_DRIVE, k), numbers, sizeof numbers);
    }
    order_drives(model);
    for (uint32_t k = 0; k < scene->coupling_count; k++) {
        const AfxiSceneCoupling *source = &scene->couplings[k];
        AfxiCoupling *coupling = &model->couplings[k];
        double *numbers = afxi_param(model, model->params, AFX_PARAM_COUPLING, k);
        coupling->term_count = source->term_count;
        for (uint32_t term = 0; term < source->term_count; term++) {
            model->joints[source->joint[term]].counted = true;
        }
        memcpy(coupling->joint, source->joint, sizeof coupling->joint);
        memcpy(coupling->axis, source->axis, sizeof coupling->axis);
        memcpy(numbers, source->factor, sizeof source->factor);
        numbers[AFX_COUPLING_TERMS] = source->constant;
        numbers[AFX_COUPLING_TERMS + 1] = source->compliance;
    }
    for (uint32_t k = 0; k < scene->spring_count; k++) {
        const AfxiSceneSpring *source = &scene->springs[k];
        double *numbers = afxi_param(model, model->params, AFX_PARAM_SPRING, k);
        model->springs[k] = compile_spring(model, source);
        numbers[0] = source->rest_length;
        numbers[1] = source->stiffness;
        numbers[2] = source->damping;
    }
}

void afxi_compile_angles(AfxModel *model) {
    for (uint32_t k = 0; k < model->joint_count; k++) {
        AfxiJoint *joint = &model->joints[k];
        uint32_t axes = afxi_joint_kind((AfxJointKind)joint->kind)->axis_count;
        if (joint->counted && axes) {
            joint->angle = model->angle_count;
            model->angle_count += axes;
        }
    }
}

static bool moves(const AfxModel *model, uint32_t body) {
    return body != AFXI_WORLD && model->kind[body] == AFX_BODY_DYNAMIC;
}

/* ---- loops: union-find over the moving bodies, everything that does not move being one node ---- */

/* ---- layout ---- */

typedef struct Counts {
    uint32_t blocks, entries, rows, bodies;
    size_t jacobian_rows;
} Counts;

/* Rows of a joint that is made of a point and alignments alone, the point first; else 0. */
static uint8_t plain_rows(const AfxiJoint *joint) {
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)joint->kind);
    bool fine = kind->row_count >= 3;
    for (uint32_t r = 0; r < kind->row_count; r++) {
        fine &=
            r < 3 ? kind->rows[r].type == AFXI_ROW_POINT && kind->rows[r].i == r : kind->rows[r].type == AFXI_ROW_ALIGN;
    }
    return fine ? kind->row_count : 0;
}

/* Adds one block that touches the given bodies (UINT32_MAX: none). With graph->block NULL it only counts. */
static void add_block(const AfxModel *model, AfxiGraph *graph, Counts *counts, AfxiBlockType type, uint32_t index,
                      uint32_t rows, const uint32_t *bodies, uint32_t body_count) {
    AfxiGraphBlock block = {counts->rows, rows, counts->entries, 0, index, UINT32_MAX, (uint8_t)type, false, 0, 0,
                            false};
    for (uint32_t k = 0; k < body_count; k++) {
        bool repeated = false;
        for (uint32_t j = 0; j < k; j++) {
            repeated |= bodies[j] == bodies[k];
        }
        if (repeated || !moves(model, bodies[k])) {
            continue;
        }
        if (graph->local[bodies[k]] == UINT32_MAX) {
            graph->local[bodies[k]] = counts->bodies++;
        }
        if (graph->entry) {
            uint32_t local = graph->local[bodies[k]];
            graph->body[local] = bodies[k];
            graph->entry[counts->entries] = (AfxiGraphEntry){counts->blocks, local, counts->jacobian_rows};
        }
        counts->entries++;
        counts->jacobian_rows += rows;
        block.entry_count++;
    }
    if (block.entry_count == 0) {
        return;
    }
    if (graph->block) {
        block.plain = type == AFXI_BLOCK_JOINT ? plain_rows(&model->joints[index]) : 0;
        block.turn = type == AFXI_BLOCK_JOINT ? model->joints[index].turn : UINT32_MAX;
        block.leading = block.plain + (block.turn == UINT32_MAX ? 0 : 3);
        graph->block[counts->blocks] = block;
    }
    counts->rows += rows;
    counts->blocks++;
}

/* Fills row `r` of the block just added, when there is one. */
static void add_row(AfxiGraph *graph, const Counts *counts, uint32_t rows, uint32_t r, AfxiRowSource source,
                    uint32_t index) {
    if (graph->row) {
        graph->row[counts->rows - rows + r] = (AfxiGraphRow){counts->blocks - 1, index, (uint8_t)source};
    }
}

static void add_joint_block(AfxModel *model, AfxiGraph *graph, Counts *counts, uint32_t k) {
    AfxiJoint *joint = &model->joints[k];
    if (joint->slot != UINT32_MAX) {
        return;
    }
    uint32_t own = afxi_joint_kind((AfxJointKind)joint->kind)->row_count, screw = joint->kind == AFX_JOINT_SCREW;
    uint32_t turn = joint->turn == UINT32_MAX ? 0 : 3, rows = own + screw + turn + joint->drive_count;
    uint32_t bodies[2] = {joint->follower, joint->base}, before = counts->blocks, at = 0;
    if (rows) {
        add_block(model, graph, counts, AFXI_BLOCK_JOINT, k, rows, bodies, 2);
    }
    joint->block = counts->blocks > before ? before : UINT32_MAX;
    if (joint->block == UINT32_MAX) {
        return;
    }
    for (uint32_t r = 0; r < own; r++) {
        add_row(graph, counts, rows, at++, AFXI_SOURCE_JOINT, r);
    }
    for (uint32_t r = 0; r < turn; r++) {
        add_row(graph, counts, rows, at++, AFXI_SOURCE_TURN, r);
    }
    if (screw) {
        add_row(graph, counts, rows, at++, AFXI_SOURCE_SCREW, k);
    }
    for (uint32_t d = 0; d < joint->drive_count; d++) {
        uint32_t drive = model->drive_order[joint->first_drive + d];
        model->drives[drive].row = counts->rows - rows + at;
        add_row(graph, counts, rows, at++, AFXI_SOURCE_DRIVE, drive);
    }
}

static void add_blocks(AfxModel *model, AfxiGraph *graph, Counts *counts) {
    for (uint32_t k = 0; k < model->joint_count; k++) {
        add_joint_block(model, graph, counts, k);
    }
    for (uint32_t k = 0; k < model->coupling_count; k++) {
        const AfxiCoupling *coupling = &model->couplings[k];
        uint32_t bodies[2 * AFX_COUPLING_TERMS], before = counts->blocks;
        for (uint32_t term = 0; term < coupling->term_count; term++) {
            bodies[2 * term] = model->joints[coupling->joint[term]].follower;
            bodies[2 * term + 1] = model->joints[coupling->joint[term]].base;
        }
        add_block(model, graph, counts, AFXI_BLOCK_COUPLING, k, 1, bodies, 2u * coupling->term_count);
        if (counts->blocks > before) {
            add_row(graph, counts, 1, 0, AFXI_SOURCE_COUPLING, k);
        }
    }
    for (uint32_t k = 0; k < model->spring_count; k++) {
        uint32_t bodies[2] = {model->springs[k].body_a, model->springs[k].body_b}, before = counts->blocks;
        add_block(model, graph, counts, AFXI_BLOCK_SPRING, k, 1, bodies, 2);
        if (counts->blocks > before) {
            add_row(graph, counts, 1, 0, AFXI_SOURCE_SPRING, k);
        }
    }
}

/* Rows that hold exactly, and those with a law of their own. */
/* Bodies that nothing holds, but that may touch something, are solved with the jointed ones. */
static void add_touching(const AfxModel *model, AfxiGraph *graph, Counts *counts) {
    for (uint32_t k = 0; k < model->contacts.shape_count; k++) {
        uint32_t body = model->contacts.shapes[k].body;
        if (!moves(model, body) || graph->local[body] != UINT32_MAX || afxi_model_in_chain(model, body)) {
            continue;
        }
        graph->local[body] = counts->bodies++;
        if (graph->body) {
            graph->body[graph->local[body]] = body;
        }
    }
}

static void count_rows(const AfxModel *model, AfxiGraph *graph) {
    for (uint32_t k = 0; k < graph->row_count; k++) {
        const AfxiGraphRow *row = &graph->row[k];
        bool exact = row->source == AFXI_SOURCE_JOINT || row->source == AFXI_SOURCE_SCREW;
        if (row->source == AFXI_SOURCE_DRIVE) {
            exact = afxi_law_exact((AfxDriveKind)model->drives[row->index].kind);
        } else if (row->source == AFXI_SOURCE_COUPLING) {
            exact = afxi_param_const(model, model->params, AFX_PARAM_COUPLING, row->index)[AFX_COUPLING_TERMS + 1] == 0;
        }
        graph->equality_rows += exact;
        graph->compliant_rows += !exact;
    }
}

static void take_graph(AfxiGraph *graph, AfxiArena *arena, const Counts *counts, uint32_t model_bodies) {
    graph->local = afxi_arena_take(arena, model_bodies, sizeof *graph->local);
    graph->body = afxi_arena_take(arena, counts->bodies, sizeof *graph->body);
    graph->block = afxi_arena_take(arena, counts->blocks, sizeof *graph->block);
    graph->row = afxi_arena_take(arena, counts->rows, sizeof *graph->row);
    graph->entry = afxi_arena_take(arena, counts->entries, sizeof *graph->entry);
    graph->body_start = afxi_arena_take(arena, (size_t)counts->bodies + 1, sizeof *graph->body_start);
    graph->body_entry = afxi_arena_take(arena, counts->entries, sizeof *graph->body_entry);
}

void afxi_graph_list_bodies(AfxiGraph *graph) {
    for (uint32_t e = 0; e < graph->entry_count; e++) {
        graph->body_start[graph->entry[e].body + 1]++;
    }
    for (uint32_t k = 0; k < graph->body_count; k++) {
        graph->body_start[k + 1] += graph->body_start[k];
    }
    for (uint32_t e = graph->entry_count; e-- > 0;) { /* backwards, filling each list from its end */
        graph->body_entry[--graph->body_start[graph->entry[e].body + 1]] = e;
    }
    for (uint32_t k = 0; k < graph->body_count; k++) { /* the ends moved to the beginnings: shift them back */
        graph->body_start[k] = graph->body_start[k + 1];
    }
    graph->body_start[graph->body_count] = graph->entry_count;
}

/* Whether a joint has a row that holds exactly, of its own or of a drive: then it is an edge of the graph. */
static bool holds_exactly(const AfxModel *model, const AfxiJoint *joint) {
    bool exact = afxi_joint_kind((AfxJointKind)joint->kind)->row_count > 0;
    for (uint32_t k = 0; k < joint->drive_count; k++) {
        AfxDriveKind kind = (AfxDriveKind)model->drives[model->drive_order[joint->first_drive + k]].kind;
        exact |= afxi_law_exact(kind) || kind == AFX_DRIVE_LIMIT || kind == AFX_DRIVE_FRICTION;
    }
    return exact;
}

static void mark_loops(const AfxModel *model, AfxiGraph *graph, uint32_t *parent) {
    for (uint32_t k = 0; k <= graph->body_count; k++) {
        parent[k] = k;
    }
    for (uint32_t k = 0; k < graph->block_count; k++) {
        const AfxiGraphEntry *entry = graph->entry + graph->block[k].first_entry;
        if (graph->block[k].type == AFXI_BLOCK_JOINT && graph->block[k].entry_count > 1) {
            graph->rings |= afxi_forest_join(parent, entry[0].body, entry[1].body);
        }
    }
    for (uint32_t k = 0; k <= graph->body_count; k++) {
        parent[k] = k;
    }
    for (uint32_t k = 0; k < graph->block_count; k++) {
        AfxiGraphBlock *block = &graph->block[k];
        const AfxiJoint *joint = block->type == AFXI_BLOCK_JOINT ? &model->joints[block->index] : NULL;
        block->loop = block->type == AFXI_BLOCK_COUPLING;
        if (joint && holds_exactly(model, joint)) {
            uint32_t first = graph->entry[block->first_entry].body;
            uint32_t second = block->entry_count > 1 ? graph->entry[block->first_entry + 1].body : graph->body_count;
            block->loop = afxi_forest_join(parent, first, second);
            block->loop |= joint->kind == AFX_JOINT_REVOLUTE_POINTS || joint->drive_count > 1;
        }
        graph->loop_rows += block->loop ? block->row_count : 0;
    }
}

AfxStatus afxi_compile_graph(AfxModel *model) {
    AfxiGraph *graph = &model->graph;
    const AfxAllocator *allocator = &model->allocator;
    size_t scratch_bytes = ((size_t)model->body_count + 1) * sizeof(uint32_t);
    uint32_t *scratch = afxi_allocate(allocator, scratch_bytes);
    if (!scratch) {
        return AFX_E_MEMORY;
    }
    AfxiGraph counting = {.local = scratch};
    Counts counts = {0};
    memset(scratch, 0xff, scratch_bytes);
    add_blocks(model, &counting, &counts);
    add_touching(model, &counting, &counts);
    AfxiArena arena = {0};
    take_graph(graph, &arena, &counts, model->body_count);
    arena.base = arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used, &graph->raw, &graph->raw_size);
    AfxStatus status = arena.base ? AFX_OK : AFX_E_MEMORY;
    if (status == AFX_OK) {
        arena.used = 0;
        take_graph(graph, &arena, &counts, model->body_count);
        memset(graph->local, 0xff, model->body_count * sizeof *graph->local);
        counts = (Counts){0};
        add_blocks(model, graph, &counts);
        add_touching(model, graph, &counts);
        graph->body_count = counts.bodies;
        graph->block_count = graph->joint_blocks = counts.blocks;
        graph->entry_count = counts.entries;
        graph->row_count = graph->joint_rows = counts.rows;
        graph->jacobian_rows = counts.jacobian_rows;
        count_rows(model, graph);
        afxi_graph_list_bodies(graph);
        mark_loops(model, graph, scratch);
        graph->solver = model->solver;
        status = afxi_closed_create(model);
        status = status ? status : afxi_graph_plan(allocator, graph);
    }
    afxi_release(allocator, scratch, scratch_bytes);
    return status;
}

void afxi_graph_destroy(AfxModel *model) {
    afxi_block_plan_destroy(&model->graph.plan);
    afxi_release(&model->allocator, model->graph.spots_raw, model->graph.spots_raw_size);
    afxi_release(&model->allocator, model->graph.closed.raw, model->graph.closed.raw_size);
    afxi_release(&model->allocator, model->graph.climb.raw, model->graph.climb.raw_size);
    afxi_release(&model->allocator, model->graph.raw, model->graph.raw_size);
}
