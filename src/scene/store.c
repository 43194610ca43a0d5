/* SPDX-License-Identifier: Apache-2.0 */
/* Names and ends of what a scene owns. */
#include "scene/store.h"

#include <string.h>

#include "scene/name.h"

AfxStatus afxi_name_reserve(AfxScene *scene, AfxiNames *names, const char *name) {
    if (!name || !name[0]) {
        return AFX_OK;
    }
    AfxStatus status = afxi_names_reserve(names, &scene->allocator);
    return status ? status : afxi_texts_reserve(&scene->texts, &scene->allocator, strlen(name));
}

const char *afxi_name_enter(AfxScene *scene, AfxiNames *names, const char *name, uint32_t index) {
    if (!name || !name[0]) {
        return NULL;
    }
    const char *copy = afxi_texts_add(&scene->texts, name, strlen(name));
    afxi_names_add(names, copy, index);
    return copy;
}

AfxBodyId afxi_scene_end(const AfxScene *scene, uint32_t body) {
    return body == AFXI_NONE ? afx_world() : (AfxBodyId){body, scene->id};
}
