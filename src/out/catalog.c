/* SPDX-License-Identifier: Apache-2.0 */
/* Names out of a scene: one pass to measure, one to copy. */
#include "out/catalog.h"

#include <string.h>

#include "base/memory.h"

const char *const afxi_item_lists[AFXI_ITEM_NAMED] = {"bodies", "joints", "drives", "markers"};

static const char *scene_name(const AfxScene *scene, AfxiItem item, uint32_t k) {
    const char *name = NULL;
    AfxDriveDef drive;
    AfxBodyId body;
    AfxVec3 point;
    switch (item) {
    case AFXI_ITEM_BODY:
        name = afx_scene_body_name(scene, afx_scene_body(scene, k));
        break;
    case AFXI_ITEM_JOINT:
        name = afx_scene_joint_name(scene, afx_scene_joint(scene, k));
        break;
    case AFXI_ITEM_DRIVE:
        name = afx_scene_get_drive(scene, k, &drive) == AFX_OK ? drive.name : NULL;
        break;
    default:
        if (afx_scene_get_marker(scene, k, &name, &body, &point) != AFX_OK) {
            name = NULL;
        }
    }
    return name ? name : "";
}

AfxStatus afxi_catalog_reserve_names(AfxiCatalog *catalog, AfxiItem item, uint32_t count, size_t text_size) {
    AfxiNameList *names = &catalog->names[item];
    if (count) {
        names->text = afxi_allocate(&catalog->allocator, text_size);
        names->text_size = names->text ? text_size : 0;
        names->offset = afxi_allocate(&catalog->allocator, count * sizeof *names->offset);
    }
    catalog->count[item] = count;
    return count == 0 || (names->text && names->offset) ? AFX_OK : AFX_E_MEMORY;
}

AfxStatus afxi_catalog_reserve_joints(AfxiCatalog *catalog) {
    size_t count = (size_t)catalog->count[AFXI_ITEM_JOINT] + 1;
    catalog->joint_first = afxi_allocate(&catalog->allocator, count * sizeof *catalog->joint_first);
    return catalog->joint_first ? AFX_OK : AFX_E_MEMORY;
}

static AfxStatus copy_names(AfxiCatalog *catalog, const AfxScene *scene, AfxiItem item, uint32_t count) {
    size_t size = 0;
    for (uint32_t k = 0; k < count; k++) {
        size += strlen(scene_name(scene, item, k)) + 1;
    }
    AfxStatus status = afxi_catalog_reserve_names(catalog, item, count, size);
    size_t at = 0;
    for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
        const char *name = scene_name(scene, item, k);
        size_t length = strlen(name) + 1;
        memcpy(catalog->names[item].text + at, name, length);
        catalog->names[item].offset[k] = at;
        at += length;
    }
    return status;
}

static AfxStatus fill(AfxiCatalog *catalog, const AfxScene *scene, const AfxModel *model) {
    AfxParamInfo drives;
    uint32_t counts[AFXI_ITEM_NAMED] = {afx_scene_body_count(scene), afx_scene_joint_count(scene),
                                        afx_scene_drive_count(scene), afx_scene_marker_count(scene)};
    if (afx_model_param_info(model, AFX_PARAM_DRIVE, &drives) != AFX_OK || drives.count != counts[AFXI_ITEM_DRIVE] ||
        counts[AFXI_ITEM_BODY] != afx_model_body_count(model) ||
        counts[AFXI_ITEM_JOINT] != afx_model_joint_count(model) ||
        counts[AFXI_ITEM_MARKER] != afx_model_marker_count(model)) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus status = AFX_OK;
    for (int item = 0; item < AFXI_ITEM_NAMED && status == AFX_OK; item++) {
        status = copy_names(catalog, scene, (AfxiItem)item, counts[item]);
    }
    catalog->count[AFXI_ITEM_COORDINATE] = afx_model_coordinate_count(model);
    catalog->count[AFXI_ITEM_ONE] = 1;
    catalog->model_hash = afx_model_hash(model);
    status = status == AFX_OK ? afxi_catalog_reserve_joints(catalog) : status;
    if (status == AFX_OK) {
        for (uint32_t k = 0; k < counts[AFXI_ITEM_JOINT]; k++) {
            catalog->joint_first[k] = afx_model_joint_coordinate(model, k);
        }
        catalog->joint_first[counts[AFXI_ITEM_JOINT]] = catalog->count[AFXI_ITEM_COORDINATE];
    }
    return status;
}

AfxStatus afxi_catalog_create(const AfxAllocator *allocator, const AfxScene *scene, const AfxModel *model,
                              AfxiCatalog *out_catalog) {
    *out_catalog = (AfxiCatalog){.allocator = *allocator};
    AfxStatus status = fill(out_catalog, scene, model);
    if (status != AFX_OK) {
        afxi_catalog_destroy(out_catalog);
    }
    return status;
}

void afxi_catalog_destroy(AfxiCatalog *catalog) {
    for (int item = 0; item < AFXI_ITEM_NAMED; item++) {
        AfxiNameList *names = &catalog->names[item];
        afxi_release(&catalog->allocator, names->text, names->text_size);
        afxi_release(&catalog->allocator, names->offset, catalog->count[item] * sizeof *names->offset);
        *names = (AfxiNameList){0};
    }
    size_t joints = (size_t)catalog->count[AFXI_ITEM_JOINT] + 1;
    afxi_release(&catalog->allocator, catalog->joint_first, joints * sizeof *catalog->joint_first);
    catalog->joint_first = NULL;
    memset(catalog->count, 0, sizeof catalog->count);
}

const char *afxi_catalog_name(const AfxiCatalog *catalog, AfxiItem item, uint32_t index) {
    const AfxiNameList *names = &catalog->names[item];
    return names->text && index < catalog->count[item] ? names->text + names->offset[index] : "";
}

uint32_t afxi_catalog_find(const AfxiCatalog *catalog, AfxiItem item, const char *name, size_t length) {
    for (uint32_t k = 0; k < catalog->count[item] && length > 0; k++) {
        const char *one = afxi_catalog_name(catalog, item, k);
        if (strncmp(one, name, length) == 0 && one[length] == '\0') {
            return k;
        }
    }
    uint64_t index = 0;
    for (size_t k = 0; k < length && index <= UINT32_MAX; k++) {
        if (name[k] < '0' || name[k] > '9') {
            return UINT32_MAX;
        }
        index = 10 * index + (uint64_t)(name[k] - '0');
    }
    return length > 0 && index < catalog->count[item] ? (uint32_t)index : UINT32_MAX;
}
