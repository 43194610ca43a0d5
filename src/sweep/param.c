/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/param.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/error.h"

/* Names of the numbers of an item, where it has several. */
static const char *const components[AFX_PARAM_KIND_COUNT][AFX_PARAM_SIZE_MOST + 1] = {
    [AFX_PARAM_GRAVITY] = {"x", "y", "z"},
    [AFX_PARAM_BODY_SECOND_MOMENTS] = {"x", "y", "z"},
    [AFX_PARAM_JOINT_BREAK] = {"force", "torque"},
    [AFX_PARAM_JOINT_SPRING] = {"stiffness_x", "stiffness_y", "stiffness_z", "damping_x", "damping_y", "damping_z",
                                "rest_w", "rest_x", "rest_y", "rest_z"},
    [AFX_PARAM_DRIVE] = {"stiffness", "damping", "rest", "effort", "lower", "upper", "restitution", "coefficient",
                         "radius"},
    [AFX_PARAM_COUPLING] = {"factor0", "factor1", "factor2", "factor3", "factor4", "factor5", "factor6", "factor7",
                            "constant", "compliance"},
    [AFX_PARAM_SPRING] = {"rest", "stiffness", "damping"},
    [AFX_PARAM_MATERIAL_PAIR] = {"friction", "restitution", "rolling_friction", "torsional_friction", "stiffness",
                                 "damping", "first", "last", "depth", "middle", "power"},
    [AFX_PARAM_MARKER_POINT] = {"x", "y", "z"},
    [AFX_PARAM_WRENCH_POINT] = {"x", "y", "z"},
    [AFX_PARAM_WRENCH] = {"fx", "fy", "fz", "tx", "ty", "tz"},
};

const char *afxi_param_component(AfxParamKind kind, uint32_t component) {
    return component < AFX_PARAM_SIZE_MOST ? components[kind][component] : NULL;
}

/* The name of item k of a kind; "" where it has none. */
static const char *item_name(const AfxScene *scene, bool target, AfxParamKind kind, uint32_t k) {
    const char *name = "";
    if (target || kind == AFX_PARAM_DRIVE) {
        AfxDriveDef def;
        name = afx_scene_get_drive(scene, k, &def) == AFX_OK && def.name ? def.name : "";
    } else if (kind >= AFX_PARAM_BODY_MASS && kind <= AFX_PARAM_BODY_GRAVITY) {
        name = afx_scene_body_name(scene, afx_scene_body(scene, k));
    } else if (kind >= AFX_PARAM_JOINT_LENGTH && kind <= AFX_PARAM_JOINT_SPRING) {
        name = afx_scene_joint_name(scene, afx_scene_joint(scene, k));
    } else if (kind == AFX_PARAM_MARKER_POINT) {
        AfxBodyId body;
        AfxVec3 point;
        afx_scene_get_marker(scene, k, &name, &body, &point);
    }
    return name ? name : "";
}

static bool equal(const char *name, const char *text, size_t length) {
    return strlen(name) == length && strncmp(name, text, length) == 0;
}

/* The item that `length` characters name, or UINT32_MAX. */
static uint32_t find_item(const AfxScene *scene, bool target, AfxParamKind kind, uint32_t count, const char *text,
                          size_t length) {
    for (uint32_t k = 0; k < count && length > 0; k++) {
        if (equal(item_name(scene, target, kind, k), text, length)) {
            return k;
        }
    }
    char *end = NULL;
    unsigned long index = length > 0 && text[0] >= '0' && text[0] <= '9' ? strtoul(text, &end, 10) : 0;
    return end == text + length && index < count ? (uint32_t)index : UINT32_MAX;
}

static AfxStatus no_item(AfxError *out_error, const AfxScene *scene, const char *name, const AfxiParamPlace *place,
                         uint32_t count) {
    char cure[160] = "the scene has none of this kind";
    const char *first = count ? item_name(scene, place->target, place->kind, 0) : "";
    if (count) {
        snprintf(cure, sizeof cure, "there are %u, for example %.100s", count, first[0] ? first : "0");
    }
    return afxi_sweep_error(out_error, AFX_E_INPUT, NULL, name, cure, "there is no such item");
}

/* Items of springs of ball joints, and of armature, are counted among those joints that have one, but named by the
 * joint; of armature the first axis that has some is meant. */
static uint32_t joint_item(const AfxModel *model, const AfxScene *scene, AfxParamKind kind, const char *text,
                           size_t length) {
    uint32_t joint = find_item(scene, false, kind, afx_model_joint_count(model), text, length), item = UINT32_MAX;
    if (joint == UINT32_MAX || kind == AFX_PARAM_JOINT_SPRING) {
        return joint == UINT32_MAX ? joint : afx_model_joint_spring(model, joint);
    }
    for (uint32_t axis = 0; axis < 6 && item == UINT32_MAX; axis++) {
        item = afx_model_joint_armature(model, joint, axis);
    }
    return item;
}

/* The sample that NAME.spring.K or NAME.damper.K names, of a table of the drive or spring NAME; UINT32_MAX: none. */
static uint32_t sample_of(const char *name, const char *text, size_t length, const uint32_t first[2],
                          const uint32_t count[2]) {
    static const char *const which[2] = {".spring.", ".damper."};
    size_t own = name ? strlen(name) : 0;
    for (int k = 0; k < 2 && own && own + 8 < length && strncmp(text, name, own) == 0; k++) {
        char *end = NULL;
        const char *digits = text + own + 8;
        bool fits = strncmp(text + own, which[k], 8) == 0 && *digits >= '0' && *digits <= '9';
        unsigned long sample = fits ? strtoul(digits, &end, 10) : 0;
        if (fits && end == text + length && sample < count[k]) {
            return first[k] + (uint32_t)sample;
        }
    }
    return UINT32_MAX;
}

static uint32_t table_item(const AfxModel *model, const AfxScene *scene, const char *text, size_t length) {
    uint32_t found = UINT32_MAX, first[2], count[2];
    for (uint32_t k = 0; k < afx_scene_drive_count(scene) && found == UINT32_MAX; k++) {
        AfxDriveDef def;
        for (int damper = 0; damper < 2; damper++) {
            first[damper] = afx_model_drive_table(model, k, damper, &count[damper]);
        }
        found = afx_scene_get_drive(scene, k, &def) ? found : sample_of(def.name, text, length, first, count);
    }
    for (uint32_t k = 0; k < afx_scene_spring_count(scene) && found == UINT32_MAX; k++) {
        AfxSpringDef def;
        for (int damper = 0; damper < 2; damper++) {
            first[damper] = afx_model_spring_table(model, k, damper, &count[damper]);
        }
        found = afx_scene_get_spring(scene, k, &def) ? found : sample_of(def.name, text, length, first, count);
    }
    return found;
}

static bool find_items(const AfxScene *scene, const AfxModel *model, uint32_t count, const char *text, size_t length,
                       AfxiParamPlace *place) {
    bool all = length == 1 && text[0] == '*' && count > 0;
    place->first =
        all ? 0
        : (place->kind == AFX_PARAM_JOINT_SPRING || place->kind == AFX_PARAM_JOINT_ARMATURE) && !place->target
            ? joint_item(model, scene, place->kind, text, length)
            : find_item(scene, place->target, place->kind, count, text, length);
    if (!all && place->kind == AFX_PARAM_TABLE && !place->target && place->first == UINT32_MAX) {
        place->first = table_item(model, scene, text, length);
    }
    place->count = all ? count : 1;
    return place->first != UINT32_MAX;
}

/* `rest` is what follows the kind: [:ITEM][.COMPONENT]. */
static AfxStatus find_rest(const AfxScene *scene, const AfxModel *model, const char *name, const char *rest,
                           uint32_t count, uint32_t size, AfxiParamPlace *place, AfxError *out_error) {
    const char *component = NULL;
    place->first = 0;
    place->count = 1;
    if (rest[0] == ':') {
        const char *item = rest + 1, *point = strrchr(item, '.');
        bool whole = find_items(scene, model, count, item, strlen(item), place);
        if (!whole && (!point || !find_items(scene, model, count, item, (size_t)(point - item), place))) {
            return no_item(out_error, scene, name, place, count);
        }
        component = whole ? NULL : point + 1;
    } else {
        component = rest[0] == '.' ? rest + 1 : NULL;
        if (place->target || place->kind != AFX_PARAM_GRAVITY) {
            return afxi_sweep_error(out_error, AFX_E_INPUT, NULL, name, "add :NAME, :INDEX or :*",
                                    "which one? this parameter has items");
        }
    }
    if (!component && size == 1) {
        return AFX_OK;
    }
    char cure[160] = "leave out what follows the last point";
    for (uint32_t k = 0; size > 1 && k < size; k++) {
        if (component && strcmp(component, components[place->kind][k]) == 0) {
            place->component = k;
            return AFX_OK;
        }
        size_t used = k ? strlen(cure) : 0;
        snprintf(cure + used, sizeof cure - used, "%s%s", k ? ", ." : "there are .", components[place->kind][k]);
    }
    return afxi_sweep_error(out_error, AFX_E_INPUT, NULL, name, cure,
                            component ? "there is no such component" : "which component?");
}

AfxStatus afxi_param_find(const AfxScene *scene, const AfxModel *model, const char *name, AfxiParamPlace *out_place,
                          AfxError *out_error) {
    AfxParamInfo info, best = {0};
    size_t longest = 0;
    *out_place = (AfxiParamPlace){0};
    if (strncmp(name, "target:", 7) == 0) {
        out_place->target = true;
        return find_rest(scene, model, name, name + 6, afx_scene_drive_count(scene), 1, out_place, out_error);
    }
    for (int kind = 0; kind < AFX_PARAM_KIND_COUNT; kind++) {
        afx_model_param_info(model, (AfxParamKind)kind, &info);
        size_t length = strlen(info.name);
        bool fits = strncmp(name, info.name, length) == 0 && strchr(":.", name[length]);
        if (length > longest && fits) { /* strchr finds the terminator too: a kind alone */
            longest = length;
            best = info;
        }
    }
    if (longest == 0) {
        return afxi_sweep_error(
            out_error, AFX_E_INPUT, NULL, name,
            "for example body.mass:NAME, gravity.z, drive:NAME.damping; docs/sweeps.md has the list",
            "there is no such parameter");
    }
    out_place->kind = best.kind;
    return find_rest(scene, model, name, name + longest, best.count, best.size, out_place, out_error);
}

AfxStatus afxi_param_put(AfxSim *sim, const AfxiParamPlace *place, double value) {
    AfxStatus status = AFX_OK;
    for (uint32_t k = place->first; k < place->first + place->count && status == AFX_OK; k++) {
        double numbers[AFX_PARAM_SIZE_MOST];
        if (place->target) {
            status = afx_sim_set_drive_target(sim, k, value, 0);
            continue;
        }
        status = afx_sim_param(sim, place->kind, k, numbers);
        numbers[place->component] = value;
        status = status ? status : afx_sim_set_param(sim, place->kind, k, numbers);
    }
    return status;
}

AfxStatus afxi_param_reset(AfxSim *sim, const AfxiParamPlace *place) {
    AfxParamInfo info;
    AfxStatus status = AFX_OK;
    const AfxModel *model = afx_sim_model(sim);
    if (place->target) {
        return AFX_OK;
    }
    status = afx_model_param_info(model, place->kind, &info);
    for (uint32_t k = place->first; k < place->first + place->count && status == AFX_OK; k++) {
        status = afx_sim_set_param(sim, place->kind, k, afx_model_params(model, NULL) + info.offset + k * info.size);
    }
    return status;
}
