/* SPDX-License-Identifier: Apache-2.0 */
/* What touches: the scene's switch, and pairs of bodies that pass through each other. */
#include "base/memory.h"
#include "base/status.h"
#include "scene/check.h"
#include "scene/store.h"

AfxStatus afx_scene_exclude_contact(AfxScene *scene, AfxBodyId a, AfxBodyId b) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "exclusion", NULL, scene->exclusion_count, AFXI_NONE};
    AfxStatus status = afxi_check_body(scene, a);
    status = status ? status : afxi_check_body(scene, b);
    status = status ? status : afxi_check_ends(scene, &place, a, b, "its body a", "its body b");
    if (status) {
        return status;
    }
    void *exclusions = scene->exclusions;
    status = afxi_array_reserve(&scene->allocator, &exclusions, &scene->exclusion_capacity, scene->exclusion_count + 1,
                                sizeof *scene->exclusions);
    scene->exclusions = exclusions;
    if (status) {
        return afxi_fail_memory(&place, status);
    }
    scene->exclusions[scene->exclusion_count++] = (AfxiSceneExclusion){a.index, b.index};
    return AFX_OK;
}

uint32_t afx_scene_exclusion_count(const AfxScene *scene) {
    return scene ? scene->exclusion_count : 0;
}

AfxStatus afx_scene_get_exclusion(const AfxScene *scene, uint32_t index, AfxBodyId *out_a, AfxBodyId *out_b) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "exclusion", NULL, index, AFXI_NONE};
    if (!out_a || !out_b) {
        return afxi_fail_null(&place, out_a ? "out_b" : "out_a");
    }
    if (index >= scene->exclusion_count) {
        return afxi_fail(&place, AFX_E_ARGUMENT, "there is no such exclusion", "count with afx_scene_exclusion_count");
    }
    *out_a = (AfxBodyId){scene->exclusions[index].a, scene->id};
    *out_b = (AfxBodyId){scene->exclusions[index].b, scene->id};
    return AFX_OK;
}

AfxStatus afx_scene_set_contact(AfxScene *scene, bool on) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    scene->contact = on;
    return AFX_OK;
}

bool afx_scene_contact(const AfxScene *scene) {
    return scene && scene->contact;
}
