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

/* ---- controls ---- */

AfxControlDef afx_default_control(void) {
    return (AfxControlDef){.cookie = AFXI_COOKIE,
                           .drive = {UINT32_MAX, 0},
                           .wrench = {UINT32_MAX, 0},
                           .gain = 1,
                           .lower = -INFINITY,
                           .upper = INFINITY};
}

static AfxStatus check_control(const AfxScene *scene, const AfxiErrorPlace *place, const AfxControlDef *d) {
    bool drive = d->drive.scene == scene->id && d->drive.index < scene->drive_count;
    bool wrench = d->wrench.scene == scene->id && d->wrench.index < scene->wrench_count;
    if (drive == wrench) {
        return afxi_fail(place, AFX_E_INPUT, "it acts on neither a drive nor a wrench of this scene, or on both",
                         "give an id that afx_scene_add_drive or afx_scene_add_wrench gave");
    }
    if (drive && !scene->drives[d->drive.index].from_input) {
        return afxi_fail(place, AFX_E_INPUT, "its drive takes no input", "set from_input of the drive");
    }
    AfxStatus status = afxi_check_number(place, d->gain, "its gain");
    status = status ? status : afxi_check_number(place, d->offset, "its offset");
    status = status ? status : afxi_check_number(place, d->start, "its start");
    for (int k = 0; k < 6 && !status; k++) {
        status = afxi_check_number(place, d->direction[k], "its direction");
    }
    if (!status && !(d->lower <= d->upper)) {
        status = afxi_fail(place, AFX_E_INPUT, "its range is empty", "give lower <= upper");
    }
    return status ? status : afxi_check_name(place, d->name, &scene->control_names, AFXI_NONE);
}

AfxStatus afx_scene_add_control(AfxScene *scene, const AfxControlDef *def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "control", NULL, scene->control_count, AFXI_NONE};
    if (!def) {
        return afxi_fail_null(&place, "def");
    }
    AfxStatus status = afxi_check_cookie(&place, def->cookie, "afx_default_control");
    if (status) {
        return status;
    }
    place.name = def->name;
    status = check_control(scene, &place, def);
    if (status) {
        return status;
    }
    status = afxi_robot_reserve(scene, (void **)&scene->controls, &scene->control_capacity, scene->control_count + 1,
                                sizeof *scene->controls, &scene->control_names, def->name);
    if (status) {
        return afxi_fail_memory(&place, status);
    }
    AfxiSceneControl *control = scene->controls + scene->control_count++;
    *control = (AfxiSceneControl){.name = afxi_name_enter(scene, &scene->control_names, def->name, place.index),
                                  .drive = def->drive.scene == scene->id ? def->drive.index : AFXI_NONE,
                                  .wrench = def->wrench.scene == scene->id ? def->wrench.index : AFXI_NONE,
                                  .gain = def->gain,
                                  .offset = def->offset,
                                  .lower = def->lower,
                                  .upper = def->upper,
                                  .start = fmin(fmax(def->start, def->lower), def->upper)};
    memcpy(control->direction, def->direction, sizeof control->direction);
    return AFX_OK;
}

uint32_t afx_scene_control_count(const AfxScene *scene) {
    return scene ? scene->control_count : 0;
}

AfxStatus afx_scene_find_control(const AfxScene *scene, const char *name, uint32_t *out_index) {
    if (!scene || !name || !out_index) {
        return AFX_E_ARGUMENT;
    }
    *out_index = afxi_names_find(&scene->control_names, name);
    return *out_index == UINT32_MAX ? AFX_E_ARGUMENT : AFX_OK;
}

AfxStatus afx_scene_get_control(const AfxScene *scene, uint32_t index, AfxControlDef *out_def) {
    if (!scene || !out_def || index >= scene->control_count) {
        return AFX_E_ARGUMENT;
    }
    const AfxiSceneControl *control = scene->controls + index;
    AfxControlDef d = afx_default_control();
    d.name = control->name;
    d.drive = control->drive == AFXI_NONE ? d.drive : (AfxDriveId){control->drive, scene->id};
    d.wrench = control->wrench == AFXI_NONE ? d.wrench : (AfxWrenchId){control->wrench, scene->id};
    d.gain = control->gain;
    d.offset = control->offset;
    d.lower = control->lower;
    d.upper = control->upper;
    d.start = control->start;
    memcpy(d.direction, control->direction, sizeof d.direction);
    *out_def = d;
    return AFX_OK;
}

void afxi_robot_release(AfxScene *scene) {
    const AfxAllocator *allocator = &scene->allocator;
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
