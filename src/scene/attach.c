/* SPDX-License-Identifier: Apache-2.0 */
/* What is attached to bodies: markers and wrenches. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "math/signal.h"
#include "scene/check.h"
#include "scene/motion.h"
#include "scene/store.h"

static AfxStatus reserve_marker(AfxScene *scene, const char *name) {
    void *markers = scene->markers;
    AfxStatus status = afxi_array_reserve(&scene->allocator, &markers, &scene->marker_capacity, scene->marker_count + 1,
                                          sizeof *scene->markers);
    scene->markers = markers;
    return status ? status : afxi_name_reserve(scene, &scene->marker_names, name);
}

AfxStatus afx_scene_add_marker(AfxScene *scene, AfxBodyId body, const char *name, AfxVec3 point,
                               AfxMarkerId *out_marker) {
    if (out_marker) {
        *out_marker = (AfxMarkerId){UINT32_MAX, 0};
    }
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    uint32_t index = scene->marker_count;
    AfxiErrorPlace place = {scene->error, "marker", name, index, AFXI_NONE};
    if (!name || !out_marker) {
        return afxi_fail_null(&place, name ? "out_marker" : "name");
    }
    AfxStatus status = afxi_check_body(scene, body);
    if (status) {
        return status;
    }
    if (!name[0]) {
        return afxi_fail(&place, AFX_E_INPUT, "its name is empty", "give it a name of its own");
    }
    status = afxi_check_name(&place, name, &scene->marker_names, AFXI_NONE);
    status = status ? status : afxi_check_vec3(&place, point, "its point");
    if (status) {
        return status;
    }
    status = reserve_marker(scene, name);
    if (status) {
        return afxi_fail_memory(&place, status);
    }
    const char *copy = afxi_name_enter(scene, &scene->marker_names, name, index);
    scene->markers[index] = (AfxiSceneMarker){copy, body.index, point};
    scene->marker_count++;
    *out_marker = (AfxMarkerId){index, scene->id};
    return AFX_OK;
}

uint32_t afx_scene_marker_count(const AfxScene *scene) {
    return scene ? scene->marker_count : 0;
}

AfxStatus afx_scene_get_marker(const AfxScene *scene, uint32_t index, const char **out_name, AfxBodyId *out_body,
                               AfxVec3 *out_point) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "marker", NULL, index, AFXI_NONE};
    if (!out_body || !out_point) {
        return afxi_fail_null(&place, out_body ? "out_point" : "out_body");
    }
    if (index >= scene->marker_count) {
        return afxi_fail(&place, AFX_E_ARGUMENT, "there is no such marker", "count with afx_scene_marker_count");
    }
    const AfxiSceneMarker *marker = scene->markers + index;
    if (out_name) {
        *out_name = marker->name;
    }
    *out_body = (AfxBodyId){marker->body, scene->id};
    *out_point = marker->point;
    return AFX_OK;
}

AfxWrenchDef afx_default_wrench(void) {
    return (AfxWrenchDef){.cookie = AFXI_COOKIE, .body = {UINT32_MAX, 0}, .frame = AFX_FRAME_WORLD};
}

/* All six in one; whether any of them is other than 0 for ever. */
static bool signals_of(const AfxWrenchDef *def, AfxiWrenchSignals *out) {
    bool any = false;
    memcpy(out->of, def->force_signal, sizeof def->force_signal);
    memcpy(out->of + 3, def->torque_signal, sizeof def->torque_signal);
    for (int k = 0; k < 6; k++) {
        any |= out->of[k].kind != AFX_SIGNAL_CONSTANT || out->of[k].coefficients[0] != 0;
    }
    return any;
}

static AfxStatus check_signals(const AfxiErrorPlace *place, const AfxiWrenchSignals *signals) {
    for (int k = 0; k < 6; k++) {
        const char *fault = afxi_signal_fault(&signals->of[k]);
        if (fault) {
            char text[160];
            snprintf(text, sizeof text, "the signal of its %s along %c is not valid: %s", k < 3 ? "force" : "torque",
                     "xyz"[k % 3], fault);
            return afxi_fail(place, AFX_E_INPUT, text, "give finite numbers, and a table whose times rise");
        }
    }
    return AFX_OK;
}

static AfxStatus reserve_wrench(AfxScene *scene, bool signals) {
    void *wrenches = scene->wrenches, *all = scene->wrench_signals;
    AfxStatus status = afxi_array_reserve(&scene->allocator, &wrenches, &scene->wrench_capacity,
                                          scene->wrench_count + 1, sizeof *scene->wrenches);
    scene->wrenches = wrenches;
    if (!status && signals) {
        status = afxi_array_reserve(&scene->allocator, &all, &scene->wrench_signal_capacity,
                                    scene->wrench_signal_count + 1, sizeof *scene->wrench_signals);
        scene->wrench_signals = all;
    }
    return status;
}

/* Makes all the scene's own; on failure none is. */
static AfxStatus copy_signals(AfxScene *scene, AfxiWrenchSignals *signals) {
    for (int k = 0; k < 6; k++) {
        AfxStatus status = afxi_signal_copy(scene, &signals->of[k]);
        if (status) {
            for (int done = 0; done < k; done++) {
                afxi_signal_free(scene, &signals->of[done]);
            }
            return status;
        }
    }
    return AFX_OK;
}

AfxStatus afx_scene_add_wrench(AfxScene *scene, const AfxWrenchDef *def, AfxWrenchId *out_wrench) {
    if (out_wrench) {
        *out_wrench = (AfxWrenchId){UINT32_MAX, 0};
    }
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    uint32_t index = scene->wrench_count;
    AfxiErrorPlace place = {scene->error, "wrench", NULL, index, AFXI_NONE};
    if (!def || !out_wrench) {
        return afxi_fail_null(&place, def ? "out_wrench" : "def");
    }
    AfxStatus status = afxi_check_cookie(&place, def->cookie, "afx_default_wrench");
    status = status ? status : afxi_check_body(scene, def->body);
    if (status) {
        return status;
    }
    if ((unsigned)def->frame > AFX_FRAME_BODY) {
        return afxi_fail(&place, AFX_E_INPUT, "its frame is not one of AfxFrame",
                         "give AFX_FRAME_WORLD or AFX_FRAME_BODY");
    }
    status = afxi_check_vec3(&place, def->point, "its point");
    status = status ? status : afxi_check_vec3(&place, def->force, "its force");
    status = status ? status : afxi_check_vec3(&place, def->torque, "its torque");
    if (status) {
        return status;
    }
    AfxiWrenchSignals signals;
    bool varies = signals_of(def, &signals);
    status = check_signals(&place, &signals);
    if (status) {
        return status;
    }
    status = reserve_wrench(scene, varies);
    status = status || !varies ? status : copy_signals(scene, &signals);
    if (status) {
        return afxi_fail_memory(&place, status);
    }
    uint32_t own = varies ? scene->wrench_signal_count : AFXI_NONE;
    scene->wrenches[index] = (AfxiSceneWrench){def->body.index, def->frame, def->point, def->force, def->torque, own};
    scene->wrench_count++;
    if (varies) {
        scene->wrench_signals[scene->wrench_signal_count++] = signals;
    }
    *out_wrench = (AfxWrenchId){index, scene->id};
    return AFX_OK;
}

uint32_t afx_scene_wrench_count(const AfxScene *scene) {
    return scene ? scene->wrench_count : 0;
}

AfxStatus afx_scene_get_wrench(const AfxScene *scene, uint32_t index, AfxWrenchDef *out_def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "wrench", NULL, index, AFXI_NONE};
    if (!out_def) {
        return afxi_fail_null(&place, "out_def");
    }
    if (index >= scene->wrench_count) {
        return afxi_fail(&place, AFX_E_ARGUMENT, "there is no such wrench", "count with afx_scene_wrench_count");
    }
    const AfxiSceneWrench *wrench = scene->wrenches + index;
    *out_def = afx_default_wrench();
    out_def->body = (AfxBodyId){wrench->body, scene->id};
    out_def->frame = wrench->frame;
    out_def->point = wrench->point;
    out_def->force = wrench->force;
    out_def->torque = wrench->torque;
    if (wrench->signals != AFXI_NONE) {
        const AfxSignal *signals = scene->wrench_signals[wrench->signals].of;
        memcpy(out_def->force_signal, signals, sizeof out_def->force_signal);
        memcpy(out_def->torque_signal, signals + 3, sizeof out_def->torque_signal);
    }
    return AFX_OK;
}
