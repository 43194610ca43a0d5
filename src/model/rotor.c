/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks on rails for armature and for couplings with inertia, behind everything else of a scene. */
#include "model/rotor.h"

#include <math.h>
#include <string.h>

/* A block's moments over its mass, m^2: those of a few centimetres. It does not turn. */
#define BLOCK_MOMENT 1e-3

static bool along(const AfxScene *scene, uint32_t joint, uint32_t axis) {
    uint32_t armature = scene->joints[joint].armature;
    return armature != AFXI_NONE && scene->armatures[armature].of[axis] > 0;
}

static void count(const AfxScene *scene, AfxiRotorScene *out) {
    for (uint32_t k = 0; scene->armature_count && k < scene->joint_count; k++) {
        for (uint32_t axis = 0; axis < 6; axis++) {
            out->armatures += along(scene, k, axis);
        }
    }
    out->count = out->armatures;
    for (uint32_t k = 0; k < scene->coupling_count; k++) {
        out->count += scene->couplings[k].inertia > 0;
    }
}

/* Arrays with room for the blocks; both passes. */
static void layout(const AfxScene *scene, AfxiRotorScene *out, AfxiArena *arena) {
    AfxScene *s = &out->scene;
    size_t n = out->count;
    s->bodies = afxi_arena_take(arena, scene->body_count + n, sizeof *s->bodies);
    s->matters.items = afxi_arena_take(arena, scene->matters.count + n, sizeof(AfxiSceneMatter));
    s->fits.items = afxi_arena_take(arena, scene->fits.count + n, sizeof(AfxiSceneFit));
    s->joints = afxi_arena_take(arena, scene->joint_count + n, sizeof *s->joints);
    s->couplings = afxi_arena_take(arena, scene->coupling_count + out->armatures, sizeof *s->couplings);
    s->drives = afxi_arena_take(arena, scene->drive_count, sizeof *s->drives);
}

static void copy(const AfxScene *scene, AfxScene *s) {
    const struct {
        void *to;
        const void *from;
        size_t bytes;
    } parts[] = {
        {s->bodies, scene->bodies, scene->body_count * sizeof *s->bodies},
        {s->matters.items, scene->matters.items, scene->matters.count * sizeof(AfxiSceneMatter)},
        {s->fits.items, scene->fits.items, scene->fits.count * sizeof(AfxiSceneFit)},
        {s->joints, scene->joints, scene->joint_count * sizeof *s->joints},
        {s->couplings, scene->couplings, scene->coupling_count * sizeof *s->couplings},
        {s->drives, scene->drives, scene->drive_count * sizeof *s->drives},
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (parts[k].bytes) {
            memcpy(parts[k].to, parts[k].from, parts[k].bytes);
        }
    }
}

/* Where a joint's point is in the world, so that a block is no farther away than what it moves with. */
static AfxVec3 place_of(const AfxScene *s, uint32_t joint) {
    const AfxiSceneFit *fit = afxi_scene_fit(s, joint);
    uint32_t follower = s->joints[joint].follower;
    return follower == AFXI_NONE ? fit->follower_frame.position
                                 : afx_pose_apply(s->bodies[follower].pose, fit->follower_frame.position);
}

/* Adds a block on a rail; its joint is the last one then. */
static void add_block(AfxScene *s, AfxVec3 place, double mass) {
    AfxiSceneMatter *matter = (AfxiSceneMatter *)s->matters.items + s->matters.count;
    AfxiSceneFit *fit = (AfxiSceneFit *)s->fits.items + s->fits.count;
    AfxPose at = {place, {1, 0, 0, 0}};
    double moment = BLOCK_MOMENT * mass;
    *matter = (AfxiSceneMatter){.mass = mass,
                                .inertia = {moment, moment, moment},
                                .young = INFINITY,
                                .poisson = 0.3,
                                .kind = AFX_BODY_DYNAMIC,
                                .mass_source = AFX_MASS_GIVEN};
    *fit = (AfxiSceneFit){.base_frame = at, .follower_frame = afx_pose_identity()};
    s->joints[s->joint_count++] = (AfxiSceneJoint){.fit = s->fits.count++,
                                                   .base = AFXI_NONE,
                                                   .follower = s->body_count,
                                                   .spring = AFXI_NONE,
                                                   .armature = AFXI_NONE,
                                                   .kind = AFX_JOINT_PRISMATIC,
                                                   .active = true};
    s->bodies[s->body_count++] = (AfxiSceneBody){.pose = at,
                                                 .matter = s->matters.count++,
                                                 .twist = AFXI_NONE,
                                                 .first_shape = AFXI_NONE,
                                                 .last_shape = AFXI_NONE,
                                                 .motion = AFXI_NONE};
}

/* The block that was added last moves by the sum of a coupling less its constant. */
static void tie(const AfxScene *s, AfxiSceneCoupling *coupling) {
    uint32_t term = coupling->term_count++;
    coupling->joint[term] = s->joint_count - 1;
    coupling->axis[term] = 0;
    coupling->factor[term] = -1;
}

static void add_armatures(const AfxScene *scene, AfxScene *s) {
    for (uint32_t k = 0; scene->armature_count && k < scene->joint_count; k++) {
        for (uint32_t axis = 0; axis < 6; axis++) {
            if (along(scene, k, axis)) {
                AfxiSceneCoupling *coupling = &s->couplings[s->coupling_count++];
                add_block(s, place_of(s, k), scene->armatures[scene->joints[k].armature].of[axis]);
                *coupling = (AfxiSceneCoupling){.term_count = 1, .joint = {k}, .axis = {(uint8_t)axis}, .factor = {1}};
                tie(s, coupling);
            }
        }
    }
}

static void add_tendons(const AfxScene *scene, AfxScene *s) {
    for (uint32_t k = 0; k < scene->coupling_count; k++) {
        if (scene->couplings[k].inertia > 0) {
            add_block(s, place_of(s, scene->couplings[k].joint[0]), scene->couplings[k].inertia);
            tie(s, &s->couplings[k]);
            for (uint32_t d = 0; d < scene->drive_count; d++) {
                s->drives[d].joint = s->drives[d].coupling == k ? s->joint_count - 1 : s->drives[d].joint;
            }
        }
    }
}

AfxStatus afxi_rotors_expand(const AfxScene *scene, AfxiRotorScene *out) {
    *out = (AfxiRotorScene){.scene = *scene};
    count(scene, out);
    if (out->count == 0) {
        return AFX_OK;
    }
    AfxiArena arena = {0};
    layout(scene, out, &arena);
    if (arena.overflow || (uint64_t)scene->body_count + out->count >= UINT32_MAX ||
        (uint64_t)scene->joint_count + out->count >= UINT32_MAX) {
        return AFX_E_LIMIT;
    }
    arena.base = afxi_allocate_aligned(&scene->allocator, arena.used, &out->raw, &out->raw_size);
    if (!arena.base) {
        return AFX_E_MEMORY;
    }
    arena.used = 0;
    layout(scene, out, &arena);
    copy(scene, &out->scene);
    add_armatures(scene, &out->scene);
    add_tendons(scene, &out->scene);
    return AFX_OK;
}

void afxi_rotors_release(const AfxAllocator *allocator, AfxiRotorScene *expanded) {
    afxi_release(allocator, expanded->raw, expanded->raw_size);
}

uint32_t afxi_rotor_coupling(const AfxiRotorScene *expanded, uint32_t k, uint32_t couplings) {
    if (k < expanded->armatures) {
        return couplings + k;
    }
    uint32_t found = expanded->armatures;
    for (uint32_t c = 0; c < couplings; c++) {
        if (expanded->scene.couplings[c].inertia > 0 && found++ == k) {
            return c;
        }
    }
    return UINT32_MAX;
}
