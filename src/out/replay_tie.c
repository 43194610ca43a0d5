/* SPDX-License-Identifier: Apache-2.0 */
/* What a replay takes from the scene before it begins: joints that tell where bodies are, and how far bodies reach. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "out/geometry.h"
#include "out/replay.h"

static void put(float out[3], AfxVec3 v) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

/* Whether a joint holds two points together. */
static bool holds_point(AfxJointKind kind) {
    static const char *const translations[] = {
#define ROW(kind, name, translations, rotations) translations,
        AFX_JOINT_TABLE(ROW)
#undef ROW
    };
    return !afx_joint_has_length(kind) && translations[kind][0] == '\0';
}

static void tie(AfxiReplayTie *ties, const AfxJointDef *def, uint32_t bodies) {
    uint32_t base = def->base.scene ? def->base.index : UINT32_MAX;
    uint32_t follower = def->follower.scene ? def->follower.index : UINT32_MAX;
    bool swapped = base < bodies && (follower >= bodies || base > follower);
    uint32_t own = swapped ? base : follower, other = swapped ? follower : base;
    if (own >= bodies || ties[own].body != AFXI_TIE_NONE) {
        return;
    }
    ties[own].body = other < bodies ? other : AFXI_TIE_WORLD;
    put(ties[own].here, swapped ? def->base_frame.position : def->follower_frame.position);
    put(ties[own].there, swapped ? def->follower_frame.position : def->base_frame.position);
}

static double mesh_radius(const AfxiDrawMesh *mesh, const double scale[3]) {
    double square = 0;
    for (uint32_t k = 0; k < mesh->vertex_count; k++) {
        double sum = 0;
        for (size_t axis = 0; axis < 3; axis++) {
            double x = mesh->positions[3 * (size_t)k + axis] * scale[axis];
            sum += x * x;
        }
        square = fmax(square, sum);
    }
    return sqrt(square);
}

/* Equal shapes follow each other: the last radius is kept. */
static void measure(const AfxiSceneGeometry *geometry, float *reach) {
    const AfxiWorn *last = NULL;
    double radius = 0;
    for (uint32_t k = 0; k < geometry->worn_count; k++) {
        const AfxiWorn *worn = &geometry->worn[k];
        if (!last || last->mesh != worn->mesh || memcmp(last->scale, worn->scale, sizeof worn->scale) != 0) {
            radius = mesh_radius(&geometry->meshes[worn->mesh], worn->scale);
            last = worn;
        }
        AfxVec3 p = worn->pose.position;
        double far = radius + sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
        reach[worn->body] = fmaxf(reach[worn->body], (float)far);
    }
}

AfxStatus afxi_replay_prepare(AfxiReplay *replay, const AfxAllocator *allocator, const AfxScene *scene) {
    AfxiSceneGeometry geometry;
    uint32_t bodies = replay->bodies;
    AfxStatus status = afxi_geometry_create(allocator, scene, &geometry);
    if (status != AFX_OK) {
        return status;
    }
    replay->ties = afxi_allocate(allocator, bodies * sizeof *replay->ties);
    replay->reach = afxi_allocate(allocator, bodies * sizeof *replay->reach);
    if (bodies == 0) {
        status = AFX_OK; /* nothing to tie */
    } else if (replay->ties && replay->reach) {
        memset(replay->ties, 0xff, bodies * sizeof *replay->ties); /* AFXI_TIE_NONE */
        for (uint32_t k = 0; k < afx_scene_joint_count(scene); k++) {
            AfxJointDef def;
            if (afx_scene_get_joint(scene, afx_scene_joint(scene, k), &def) == AFX_OK && holds_point(def.kind)) {
                tie(replay->ties, &def, bodies);
            }
        }
        measure(&geometry, replay->reach);
    } else {
        status = AFX_E_MEMORY;
    }
    afxi_geometry_destroy(&geometry);
    return status;
}

void afxi_replay_unprepare(AfxiReplay *replay, const AfxAllocator *allocator) {
    afxi_release(allocator, replay->ties, replay->bodies * sizeof *replay->ties);
    afxi_release(allocator, replay->reach, replay->bodies * sizeof *replay->reach);
    replay->ties = NULL;
    replay->reach = NULL;
}
