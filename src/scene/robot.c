/* SPDX-License-Identifier: Apache-2.0 */
/* What files of robots call their state and control: generalised coordinates and controls. */
#include "scene/robot.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "scene/check.h"
#include "scene/store.h"

AfxStatus afxi_robot_reserve(AfxScene *scene, void **array, uint32_t *capacity, uint32_t count, size_t size,
                             AfxiNames *names, const char *name) {
    AfxStatus status = afxi_array_reserve(&scene->allocator, array, capacity, count, size);
    return status ? status : afxi_name_reserve(scene, names, name);
}

/* ---- generalised coordinates ---- */

AfxGeneralizedDef afx_default_generalized(AfxGeneralizedKind kind) {
    return (AfxGeneralizedDef){
        .cookie = AFXI_COOKIE, .kind = kind, .joint = {UINT32_MAX, 0}, .sign = 1, .body = {UINT32_MAX, 0}};
}

static bool has_three_rotations(AfxJointKind kind) {
    return kind == AFX_JOINT_SPHERICAL || kind == AFX_JOINT_SLOT || kind == AFX_JOINT_FREE ||
           kind == AFX_JOINT_POINT_ON_PLANE;
}

/** First of the axes that a coordinate reads, and behind the last. */
static void axes_of(const AfxScene *scene, uint32_t joint, uint8_t kind, uint32_t axis, uint32_t *first,
                    uint32_t *end) {
    uint32_t count = afx_joint_axis_count((AfxJointKind)scene->joints[joint].kind);
    *first = kind == AFX_GENERALIZED_BALL ? count - 3 : axis;
    *end = kind == AFX_GENERALIZED_BALL ? count : axis + 1;
}

static AfxStatus check_joint(const AfxScene *scene, const AfxiErrorPlace *place, const AfxGeneralizedDef *d) {
    AfxStatus status = afxi_check_coordinate(scene, place, d->joint, d->axis, "its");
    if (status) {
        return status;
    }
    AfxJointKind kind = (AfxJointKind)scene->joints[d->joint.index].kind;
    if (d->kind == AFX_GENERALIZED_BALL && !has_three_rotations(kind)) {
        return afxi_fail(place, AFX_E_INPUT, "its joint has no three rotations", "name axes of the joint instead");
    }
    if (kind == AFX_JOINT_SCREW && d->axis != 1) {
        return afxi_fail(place, AFX_E_INPUT, "a screw has one coordinate, its angle", "give axis 1");
    }
    uint32_t first, end;
    axes_of(scene, d->joint.index, (uint8_t)d->kind, d->axis, &first, &end);
    bool seen = d->joint.index < scene->generalized_joints; /* perhaps */
    for (uint32_t k = scene->generalized_count; seen && k-- > 0;) {
        const AfxiSceneGeneralized *other = scene->generalized + k;
        uint32_t a = 0, b = 0;
        if (!scene->generalized_mixed && other->joint < d->joint.index) {
            break;
        }
        if (other->joint == d->joint.index) {
            axes_of(scene, other->joint, other->kind, other->axis, &a, &b);
        }
        if (first < b && a < end) {
            return afxi_fail(place, AFX_E_INPUT, "another generalised coordinate has its axis", "name each axis once");
        }
    }
    return AFX_OK;
}

static AfxStatus check_free(const AfxScene *scene, const AfxiErrorPlace *place, const AfxGeneralizedDef *d) {
    AfxStatus status = afxi_check_body(scene, d->body);
    if (status) {
        return status;
    }
    if (afxi_scene_matter(scene, d->body.index)->kind != AFX_BODY_DYNAMIC) {
        return afxi_fail(place, AFX_E_INPUT, "its body is not dynamic", "leave it out");
    }
    bool seen = d->body.index < scene->generalized_bodies; /* perhaps */
    for (uint32_t k = 0; seen && k < scene->generalized_count; k++) {
        if (scene->generalized[k].body == d->body.index) {
            return afxi_fail(place, AFX_E_INPUT, "another generalised coordinate has its body", "name each body once");
        }
    }
    return AFX_OK;
}

AfxStatus afx_scene_add_generalized(AfxScene *scene, const AfxGeneralizedDef *def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "generalised coordinate", NULL, scene->generalized_count, AFXI_NONE};
    if (!def) {
        return afxi_fail_null(&place, "def");
    }
    AfxStatus status = afxi_check_cookie(&place, def->cookie, "afx_default_generalized");
    if (status) {
        return status;
    }
    place.name = def->name;
    if ((unsigned)def->kind > AFX_GENERALIZED_FREE) {
        return afxi_fail(&place, AFX_E_INPUT, "its kind is none that there is", "give one of AFX_GENERALIZED_...");
    }
    if ((def->sign != 1 && def->sign != -1) || !isfinite(def->offset)) {
        return afxi_fail(&place, AFX_E_INPUT, "its sign is not 1 or -1, or its offset not finite", "give others");
    }
    bool free = def->kind == AFX_GENERALIZED_FREE;
    status = free ? check_free(scene, &place, def) : check_joint(scene, &place, def);
    status = status ? status : afxi_check_name(&place, def->name, &scene->generalized_names, AFXI_NONE);
    if (status) {
        return status;
    }
    status = afxi_robot_reserve(scene, (void **)&scene->generalized, &scene->generalized_capacity,
                                scene->generalized_count + 1, sizeof *scene->generalized, &scene->generalized_names,
                                def->name);
    if (status) {
        return afxi_fail_memory(&place, status);
    }
    scene->generalized[scene->generalized_count++] =
        (AfxiSceneGeneralized){.name = afxi_name_enter(scene, &scene->generalized_names, def->name, place.index),
                               .sign = def->sign,
                               .offset = def->offset,
                               .joint = free ? AFXI_NONE : def->joint.index,
                               .axis = free ? 0 : def->axis,
                               .body = free ? def->body.index : AFXI_NONE,
                               .kind = (uint8_t)def->kind};
    uint32_t *behind = free ? &scene->generalized_bodies : &scene->generalized_joints;
    uint32_t index = free ? def->body.index : def->joint.index;
    scene->generalized_mixed = scene->generalized_mixed || index + 1 < *behind;
    *behind = index + 1 > *behind ? index + 1 : *behind;
    return AFX_OK;
}

uint32_t afx_scene_generalized_count(const AfxScene *scene) {
    return scene ? scene->generalized_count : 0;
}

AfxStatus afx_scene_get_generalized(const AfxScene *scene, uint32_t index, AfxGeneralizedDef *out_def) {
    if (!scene || !out_def || index >= scene->generalized_count) {
        return AFX_E_ARGUMENT;
    }
    const AfxiSceneGeneralized *g = scene->generalized + index;
    *out_def = afx_default_generalized((AfxGeneralizedKind)g->kind);
    out_def->name = g->name;
    out_def->sign = g->sign;
    out_def->offset = g->offset;
    if (g->kind == AFX_GENERALIZED_FREE) {
        out_def->body = (AfxBodyId){g->body, scene->id};
    } else {
        out_def->joint = (AfxJointId){g->joint, scene->id};
        out_def->axis = g->axis;
    }
    return AFX_OK;
}

void afxi_robot_release(AfxScene *scene) {
    const AfxAllocator *allocator = &scene->allocator;
    for (uint32_t k = 0; k < scene->control_count; k++) {
        afxi_release(allocator, scene->controls[k].actuation, sizeof *scene->controls[k].actuation);
    }
    for (uint32_t k = 0; k < scene->keyframe_count; k++) {
        const AfxiSceneKeyframe *f = scene->keyframes + k;
        afxi_release(allocator, f->numbers,
                     ((size_t)f->qpos_count + f->qvel_count + f->ctrl_count) * sizeof *f->numbers);
    }
    afxi_release(allocator, scene->generalized, scene->generalized_capacity * sizeof *scene->generalized);
    afxi_release(allocator, scene->controls, scene->control_capacity * sizeof *scene->controls);
    afxi_release(allocator, scene->keyframes, scene->keyframe_capacity * sizeof *scene->keyframes);
    afxi_release(allocator, scene->sites, scene->site_capacity * sizeof *scene->sites);
    afxi_names_free(&scene->generalized_names, allocator);
    afxi_names_free(&scene->control_names, allocator);
    afxi_names_free(&scene->keyframe_names, allocator);
    afxi_names_free(&scene->site_names, allocator);
}
