/* SPDX-License-Identifier: Apache-2.0 */
/* Keyframes and sites of a scene. */
#include <math.h>

#include "base/memory.h"
#include "base/status.h"
#include "scene/check.h"
#include "scene/robot.h"
#include "scene/store.h"

/* ---- keyframes ---- */

AfxKeyframeDef afx_default_keyframe(void) {
    return (AfxKeyframeDef){.cookie = AFXI_COOKIE};
}

static AfxStatus copy_numbers(const AfxScene *scene, const AfxiErrorPlace *place, const AfxKeyframeDef *d,
                              double **out_numbers) {
    const double *from[3] = {d->qpos, d->qvel, d->ctrl};
    const uint32_t counts[3] = {d->qpos ? d->qpos_count : 0, d->qvel ? d->qvel_count : 0, d->ctrl ? d->ctrl_count : 0};
    size_t total = (size_t)counts[0] + counts[1] + counts[2], at = 0;
    *out_numbers = NULL;
    if (total == 0) {
        return AFX_OK;
    }
    for (int part = 0; part < 3; part++) {
        for (uint32_t k = 0; k < counts[part]; k++) {
            if (!isfinite(from[part][k])) {
                return afxi_fail(place, AFX_E_INPUT, "a number of it is not finite", "give another");
            }
        }
    }
    double *numbers = afxi_allocate(&scene->allocator, total * sizeof *numbers);
    if (!numbers) {
        return afxi_fail_memory(place, AFX_E_MEMORY);
    }
    for (int part = 0; part < 3; part++) {
        for (uint32_t k = 0; k < counts[part]; k++) {
            numbers[at++] = from[part][k];
        }
    }
    *out_numbers = numbers;
    return AFX_OK;
}

AfxStatus afx_scene_add_keyframe(AfxScene *scene, const AfxKeyframeDef *def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "keyframe", NULL, scene->keyframe_count, AFXI_NONE};
    if (!def) {
        return afxi_fail_null(&place, "def");
    }
    AfxStatus status = afxi_check_cookie(&place, def->cookie, "afx_default_keyframe");
    if (status) {
        return status;
    }
    place.name = def->name;
    double *numbers = NULL;
    status = afxi_check_number(&place, def->time, "its time");
    status = status ? status : afxi_check_name(&place, def->name, &scene->keyframe_names, AFXI_NONE);
    status = status ? status : copy_numbers(scene, &place, def, &numbers);
    if (status) {
        return status;
    }
    AfxiSceneKeyframe keyframe = {.time = def->time,
                                  .numbers = numbers,
                                  .qpos_count = def->qpos ? def->qpos_count : 0,
                                  .qvel_count = def->qvel ? def->qvel_count : 0,
                                  .ctrl_count = def->ctrl ? def->ctrl_count : 0};
    status = afxi_robot_reserve(scene, (void **)&scene->keyframes, &scene->keyframe_capacity, scene->keyframe_count + 1,
                                sizeof *scene->keyframes, &scene->keyframe_names, def->name);
    if (status) {
        size_t count = (size_t)keyframe.qpos_count + keyframe.qvel_count + keyframe.ctrl_count;
        afxi_release(&scene->allocator, numbers, count * sizeof *numbers);
        return afxi_fail_memory(&place, status);
    }
    keyframe.name = afxi_name_enter(scene, &scene->keyframe_names, def->name, place.index);
    scene->keyframes[scene->keyframe_count++] = keyframe;
    return AFX_OK;
}

uint32_t afx_scene_keyframe_count(const AfxScene *scene) {
    return scene ? scene->keyframe_count : 0;
}

AfxStatus afx_scene_get_keyframe(const AfxScene *scene, uint32_t index, AfxKeyframeDef *out_def) {
    if (!scene || !out_def || index >= scene->keyframe_count) {
        return AFX_E_ARGUMENT;
    }
    const AfxiSceneKeyframe *k = scene->keyframes + index;
    *out_def = afx_default_keyframe();
    out_def->name = k->name;
    out_def->time = k->time;
    out_def->qpos_count = k->qpos_count;
    out_def->qvel_count = k->qvel_count;
    out_def->ctrl_count = k->ctrl_count;
    out_def->qpos = k->qpos_count ? k->numbers : NULL;
    out_def->qvel = k->qvel_count ? k->numbers + k->qpos_count : NULL;
    out_def->ctrl = k->ctrl_count ? k->numbers + k->qpos_count + k->qvel_count : NULL;
    return AFX_OK;
}

/* ---- sites ---- */

AfxStatus afx_scene_add_site(AfxScene *scene, AfxBodyId body, const char *name, AfxPose pose, AfxSiteId *out_site) {
    if (out_site) {
        *out_site = (AfxSiteId){UINT32_MAX, 0};
    }
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "site", name, scene->site_count, AFXI_NONE};
    if (!out_site) {
        return afxi_fail_null(&place, "out_site");
    }
    AfxStatus status = afxi_check_body(scene, body);
    status = status ? status : afxi_check_pose(&place, &pose, "its");
    status = status ? status : afxi_check_name(&place, name, &scene->site_names, AFXI_NONE);
    if (status) {
        return status;
    }
    status = afxi_robot_reserve(scene, (void **)&scene->sites, &scene->site_capacity, scene->site_count + 1,
                                sizeof *scene->sites, &scene->site_names, name);
    if (status) {
        return afxi_fail_memory(&place, status);
    }
    scene->sites[scene->site_count++] =
        (AfxiSceneSite){afxi_name_enter(scene, &scene->site_names, name, place.index), body.index, pose};
    *out_site = (AfxSiteId){place.index, scene->id};
    return AFX_OK;
}

uint32_t afx_scene_site_count(const AfxScene *scene) {
    return scene ? scene->site_count : 0;
}

AfxStatus afx_scene_get_site(const AfxScene *scene, uint32_t index, const char **out_name, AfxBodyId *out_body,
                             AfxPose *out_pose) {
    if (!scene || !out_body || !out_pose || index >= scene->site_count) {
        return AFX_E_ARGUMENT;
    }
    if (out_name) {
        *out_name = scene->sites[index].name;
    }
    *out_body = (AfxBodyId){scene->sites[index].body, scene->id};
    *out_pose = scene->sites[index].pose;
    return AFX_OK;
}
