/* SPDX-License-Identifier: Apache-2.0 */
/* The start: what does not fit (joints whose frames do not meet, bodies that lie in each other), and its reactions. */
#include "step/start_query.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "collide/box.h"
#include "collide/collide.h"
#include "collide/place.h"
#include "constraint/drive.h"
#include "constraint/reaction.h"
#include "model/model.h"
#include "solve/start.h"
#include "solve/tuning.h"
#include "state/input.h"
#include "state/pose.h"
#include "step/own.h"
#include "step/tuning.h"
#include "step/weights.h"

/* ---- joints ---- */

static AfxJointGap gap_of(const AfxiWorld *world, uint32_t joint, const AfxiPairState *state) {
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)world->model->joints[joint].kind);
    const AfxiJointFrame *frame = afxi_world_joint_frame(world, joint);
    double length = *afxi_world_param(world, AFX_PARAM_JOINT_LENGTH, joint), square[2] = {0, 0};
    for (uint32_t r = 0; r < kind->row_count; r++) {
        uint8_t type = kind->rows[r].type;
        double value = afxi_row_value(kind->rows[r], frame, length, state);
        square[type == AFXI_ROW_ALIGN || type == AFXI_ROW_DIRECTION] += value * value;
    }
    return (AfxJointGap){joint, sqrt(square[0]), asin(fmin(1, sqrt(square[1])))};
}

/* Joint `joint` with dynamic bodies where the model starts them. The others are not moved by a repair. */
static AfxiPairState start_state(const AfxiWorld *world, uint32_t joint) {
    const AfxModel *model = world->model;
    const uint32_t bodies[2] = {model->joints[joint].follower, model->joints[joint].base};
    AfxiPairState state = afxi_joint_state(world, joint);
    AfxiMat3 *a[2] = {&state.a_a, &state.a_b}, *r[2] = {&state.r_a, &state.r_b};
    AfxVec3 *t[2] = {&state.t_a, &state.t_b};
    for (int k = 0; k < 2; k++) {
        if (bodies[k] != AFXI_WORLD && model->kind[bodies[k]] == AFX_BODY_DYNAMIC) {
            double q[AFXI_AFFINE_WIDTH], v[AFXI_AFFINE_WIDTH];
            afxi_raw_from_pose(afxi_model_frame(model, bodies[k]), model->start_pose[bodies[k]], (AfxTwist){0}, q, v);
            *a[k] = *r[k] = mat3_load(q);
            *t[k] = vec3_load(q + 9);
        }
    }
    return state;
}

static double size_of(const AfxJointGap *gap) {
    return fmax(gap->distance, gap->angle);
}

AfxStatus afxi_start_gaps(AfxSim *sim) {
    const AfxModel *model = sim->model;
    for (uint32_t k = 0; k < model->shown.joints; k++) {
        AfxiPairState state = start_state(&sim->world, k);
        AfxJointGap gap = gap_of(&sim->world, k, &state);
        if (!sim->world.state.joint_active[k] || !(size_of(&gap) > AFXI_START_OFF * model->size)) {
            continue;
        }
        AfxStatus status = afxi_array_reserve(&sim->def.allocator, (void **)&sim->start_gap, &sim->start_gap_capacity,
                                              sim->start_gap_count + 1, sizeof *sim->start_gap);
        if (status != AFX_OK) {
            return status;
        }
        sim->start_gap[sim->start_gap_count++] = gap;
    }
    return AFX_OK;
}

/* Whether a body of a joint's component gives way: elastic ones can be strained a little until their joints meet. */
static bool gives_way(const AfxSim *sim, uint32_t joint) {
    const AfxModel *model = sim->model;
    const uint32_t ends[2] = {model->joints[joint].follower, model->joints[joint].base};
    for (uint32_t k = 0; k < model->dynamic_count; k++) {
        uint32_t body = model->dynamic[k];
        bool elastic = isfinite(afxi_world_class(&sim->world, body)->young);
        for (int side = 0; side < 2 && elastic; side++) {
            if (ends[side] != AFXI_WORLD && model->root[ends[side]] == model->root[body]) {
                return true;
            }
        }
    }
    return false;
}

uint32_t afx_sim_start_gap_count(const AfxSim *sim) {
    return sim ? sim->start_gap_count : 0;
}

AfxStatus afx_sim_start_gap(const AfxSim *sim, uint32_t index, AfxJointGap *out_gap) {
    if (!out_gap || index >= afx_sim_start_gap_count(sim)) {
        return AFX_E_ARGUMENT;
    }
    *out_gap = sim->start_gap[index];
    return AFX_OK;
}

AfxStatus afx_sim_joint_gap(const AfxSim *sim, uint32_t joint, AfxJointGap *out_gap) {
    if (!sim || !out_gap || joint >= sim->model->shown.joints) {
        return AFX_E_ARGUMENT;
    }
    AfxiPairState state = afxi_joint_state(&sim->world, joint);
    *out_gap =
        sim->world.state.joint_active[joint] ? gap_of(&sim->world, joint, &state) : (AfxJointGap){.joint = joint};
    return AFX_OK;
}

AfxStatus afx_sim_check_joints(const AfxSim *sim, AfxError *out_error) {
    AfxJointGap worst = {.joint = UINT32_MAX};
    if (!sim) {
        return AFX_E_ARGUMENT;
    }
    for (uint32_t k = 0; k < sim->model->shown.joints; k++) {
        AfxJointGap gap;
        afx_sim_joint_gap(sim, k, &gap);
        double least = AFXI_START_OPEN * sim->model->size;
        if (size_of(&gap) > fmax(size_of(&worst), least)) { /* few are: what follows looks at all bodies */
            least = gives_way(sim, k) ? AFXI_START_OPEN_ELASTIC * sim->model->size : least;
            worst = size_of(&gap) > least ? gap : worst;
        }
    }
    if (worst.joint == UINT32_MAX) {
        return AFX_OK;
    }
    char element[40], text[160];
    snprintf(element, sizeof element, "joint %u", worst.joint);
    snprintf(text, sizeof text,
             "the joints cannot be assembled: where they are closest to it, this one misses by %.3g m and %.3g rad",
             worst.distance, worst.angle);
    return afxi_error(out_error, AFX_E_NUMERIC, element, text,
                      "check the frames of its ends and the lengths in between; no time step helps");
}

/* ---- reactions of the start ---- */

static size_t multiplier_count(const AfxModel *model) {
    return (size_t)model->row_count + 3 * (size_t)model->chains.slot_count;
}

void afxi_start_forget(AfxSim *sim) {
    afxi_release(&sim->def.allocator, sim->start_lambda, multiplier_count(sim->model) * sizeof(double));
    sim->start_lambda = NULL;
}

/* The start as the first step makes it, with the state and what it rests on put back afterwards, as by a snapshot. */
static void solve_start(AfxSim *sim, void *kept, double *out_lambda, size_t count) {
    AfxiState *state = &sim->world.state;
    uint8_t *wanted = sim->solver.look;
    afxi_classes_refresh(sim);
    afxi_sim_keep(sim, kept);
    afxi_input_begin(&sim->world);
    afxi_drives_begin(&sim->world);
    for (uint32_t k = 0; k < sim->model->dynamic_count; k++) {
        wanted[sim->model->dynamic[k]] = 1;
    }
    afxi_start(&sim->solver, wanted, state->head->dt);
    memset(wanted, 0, sim->model->body_count);
    for (size_t k = 0; k < count; k++) {
        out_lambda[k] = isfinite(state->lambda[k]) ? state->lambda[k] : 0;
    }
    afxi_sim_bring_back(sim, kept);
    afxi_weights_apply(sim, out_lambda);
}

AfxStatus afx_sim_start_reactions(AfxSim *sim) {
    if (!sim) {
        return AFX_E_ARGUMENT;
    }
    size_t count = multiplier_count(sim->model), bytes = sim->world.state.size;
    afxi_start_forget(sim);
    if (sim->world.state.head->steps || !count || sim->formulation != &afxi_formulation_affine) {
        return AFX_OK;
    }
    void *kept = afxi_allocate(&sim->def.allocator, bytes);
    double *lambda = afxi_allocate(&sim->def.allocator, count * sizeof *lambda);
    AfxStatus status = kept && lambda ? afxi_free_reserve(&sim->solver.free) : AFX_E_MEMORY;
    if (status == AFX_OK) {
        solve_start(sim, kept, lambda, count);
        sim->start_lambda = lambda;
    } else {
        afxi_release(&sim->def.allocator, lambda, count * sizeof *lambda);
    }
    afxi_release(&sim->def.allocator, kept, bytes);
    return status;
}

/* ---- overlaps ---- */

typedef struct Overlaps {
    AfxOverlap *list; /* [capacity] */
    uint32_t count, capacity;
} Overlaps;

/* Shapes are sorted by bodies, and so are pairs by their first shape: those of a body are the last of the list. */
static void add_overlap(Overlaps *all, uint32_t a, uint32_t b, double depth) {
    uint32_t at = all->count;
    while (at > 0 && all->list[at - 1].body_a == a && all->list[at - 1].body_b > b) {
        at--;
    }
    if (at > 0 && all->list[at - 1].body_a == a && all->list[at - 1].body_b == b) {
        all->list[at - 1].depth = fmax(all->list[at - 1].depth, depth);
        return;
    }
    memmove(all->list + at + 1, all->list + at, (all->count - at) * sizeof *all->list);
    all->list[at] = (AfxOverlap){a, b, depth};
    all->count++;
}

static double depth_of(const AfxiCollide *collide, const AfxiPair *pair) {
    const AfxiContactShape *shapes = collide->set.world->model->contacts.shapes;
    const double *q = collide->set.world->state.q;
    AfxiTouch touch[AFXI_TOUCH_MAX];
    uint32_t found = afxi_touch_after(collide, pair, q + (size_t)AFXI_AFFINE_WIDTH * shapes[pair->a].body,
                                      q + (size_t)AFXI_AFFINE_WIDTH * shapes[pair->b].body, 0, touch);
    double depth = 0;
    for (uint32_t k = 0; k < found; k++) {
        depth = fmax(depth, -touch[k].gap);
    }
    return depth;
}

static AfxStatus find_overlaps(const AfxSim *sim, AfxiCollide *collide, Overlaps *all) {
    const AfxiContactShape *shapes = sim->model->contacts.shapes;
    uint32_t count;
    afxi_collide_deform(collide, afxi_state_time(&sim->world.state));
    AfxStatus status = afxi_collide_pairs(collide, 0, NULL);
    const AfxiPair *pair = afxi_clusters_pairs(collide->clusters, &count);
    for (uint32_t k = 0; status == AFX_OK && k < count; k++) {
        const AfxiShapeBox *box_a = &collide->box[collide->box_of[pair[k].a]],
                           *box_b = &collide->box[collide->box_of[pair[k].b]];
        double depth = depth_of(collide, &pair[k]);
        if (depth > AFXI_OVERLAP_TOLD * fmin(box_a->inner, box_b->inner)) {
            status = afxi_array_reserve(&sim->def.allocator, (void **)&all->list, &all->capacity, all->count + 1,
                                        sizeof *all->list);
            if (status == AFX_OK) {
                add_overlap(all, shapes[pair[k].a].body, shapes[pair[k].b].body, depth);
            }
        }
    }
    return status;
}

AfxStatus afx_sim_crowd(const AfxSim *sim, AfxCrowd *out_crowd) {
    if (!sim || !out_crowd) {
        return AFX_E_ARGUMENT;
    }
    *out_crowd = sim->solver.crowd;
    return AFX_OK;
}

AfxStatus afx_sim_overlaps(AfxSim *sim, AfxOverlap *out_overlaps, uint32_t capacity, uint32_t *out_count) {
    if (!sim || !out_count || (capacity && !out_overlaps)) {
        return AFX_E_ARGUMENT;
    }
    Overlaps all = {0};
    AfxiCollide *collide = NULL; /* of its own: boxes of fixed shapes are those of the first stage */
    AfxStatus status = sim->solver.collide ? afxi_collide_create(&sim->world, &collide) : AFX_OK;
    status = status == AFX_OK && collide ? find_overlaps(sim, collide, &all) : status;
    afxi_collide_destroy(collide);
    *out_count = status == AFX_OK ? all.count : 0;
    for (uint32_t k = 0; k < *out_count && k < capacity; k++) {
        out_overlaps[k] = all.list[k];
    }
    afxi_release(&sim->def.allocator, all.list, all.capacity * sizeof *all.list);
    return status;
}
