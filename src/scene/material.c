/* SPDX-License-Identifier: Apache-2.0 */
/* Materials: what surfaces bring to contact, and what was set for pairs of them. Material 0 is part of the scene itself
 * so that it is there without any allocation; the others follow in an array. */
#include "scene/material.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "scene/check.h"
#include "scene/name.h"
#include "scene/store.h"

static const AfxMaterialId no_material = {UINT32_MAX, 0};

AfxMaterialDef afx_default_material(void) {
    return (AfxMaterialDef){.cookie = AFXI_COOKIE, .friction = 0.5};
}

/** The numbers of a definition. */
static AfxiSceneMaterial take(const AfxMaterialDef *d) {
    return (AfxiSceneMaterial){
        .friction = d->friction,
        .restitution = d->restitution,
        .rolling_friction = d->rolling_friction,
        .torsional_friction = d->torsional_friction,
        .stiffness = d->stiffness,
        .damping = d->damping,
        .impedance = {d->impedance[0], d->impedance[1], d->impedance[2], d->impedance[3], d->impedance[4]},
        .friction_damping = d->friction_damping,
        .margin = d->margin};
}

static AfxMaterialDef to_def(const AfxiSceneMaterial *m) {
    AfxMaterialDef d = afx_default_material();
    d.name = m->name;
    d.friction = m->friction;
    d.restitution = m->restitution;
    d.rolling_friction = m->rolling_friction;
    d.torsional_friction = m->torsional_friction;
    d.stiffness = m->stiffness;
    d.damping = m->damping;
    memcpy(d.impedance, m->impedance, sizeof d.impedance);
    d.friction_damping = m->friction_damping;
    d.margin = m->margin;
    return d;
}

AfxiSceneMaterial afxi_material_first(void) {
    AfxMaterialDef d = afx_default_material();
    return take(&d);
}

static double in_series(double a, double b) {
    if (a == 0 || b == 0) {
        return a + b;
    }
    return fmin(a, b) / (1 + fmin(a, b) / fmax(a, b)); /* a b / (a + b) without overflow */
}

AfxMaterialDef afx_material_combine(const AfxMaterialDef *a, const AfxMaterialDef *b) {
    AfxMaterialDef d = afx_default_material();
    if (a && b) {
        d.friction = sqrt(a->friction) * sqrt(b->friction);
        if (a->friction == b->friction) { /* to the last bit */
            d.friction = a->friction;
        }
        d.restitution = fmax(a->restitution, b->restitution);
        d.rolling_friction = fmax(a->rolling_friction, b->rolling_friction);
        d.torsional_friction = fmax(a->torsional_friction, b->torsional_friction);
        d.stiffness = in_series(a->stiffness, b->stiffness);
        d.damping = in_series(a->damping, b->damping);
        d.friction_damping = in_series(a->friction_damping, b->friction_damping);
        d.margin = a->margin + b->margin;
        bool both = a->impedance[2] > 0 && b->impedance[2] > 0;
        for (int k = 0; k < 5; k++) {
            d.impedance[k] = both ? 0.5 * (a->impedance[k] + b->impedance[k]) : a->impedance[k] + b->impedance[k];
        }
    }
    return d;
}

const AfxiSceneMaterial *afxi_scene_material(const AfxScene *scene, uint32_t index) {
    return index == 0 ? &scene->first_material : scene->materials + index - 1;
}

static AfxiErrorPlace material_place(const AfxScene *scene, uint32_t index) {
    return (AfxiErrorPlace){scene->error, "material", afxi_scene_material(scene, index)->name, index, AFXI_NONE};
}

AfxStatus afxi_check_material(const AfxScene *scene, const AfxiErrorPlace *place, AfxMaterialId material) {
    bool first = material.index == 0 && material.scene == 0;
    if (first || (material.scene == scene->id && material.index <= scene->material_count)) {
        return AFX_OK;
    }
    return afxi_fail(place, AFX_E_ARGUMENT, "the material id is stale, or from another scene",
                     "use an id that afx_scene_add_material or afx_scene_find_material gave for this scene");
}

static AfxStatus check_id(const AfxScene *scene, AfxMaterialId material) {
    AfxiErrorPlace place = {scene->error, "material", NULL, material.index, AFXI_NONE};
    return afxi_check_material(scene, &place, material);
}

/** All 0, or {0 .. 1, 0 .. 1, a depth, 0 .. 1, 1 or more} with something to stiffen. */
static AfxStatus check_impedance(const AfxiErrorPlace *place, const AfxMaterialDef *d) {
    const double *i = d->impedance;
    if (d->damping > 0 && !(d->stiffness > 0)) {
        return afxi_fail(place, AFX_E_INPUT, "it has a damping and no stiffness", "give both, or neither");
    }
    if (i[0] == 0 && i[1] == 0 && i[2] == 0 && i[3] == 0 && i[4] == 0) {
        return AFX_OK;
    }
    bool good = i[0] >= 0 && i[0] <= 1 && i[1] >= i[0] && i[1] <= 1 && i[2] > 0 && isfinite(i[2]) && i[3] > 0 &&
                i[3] < 1 && i[4] >= 1 && i[4] <= 100;
    return good && d->stiffness > 0
               ? AFX_OK
               : afxi_fail(place, AFX_E_INPUT, good ? "it has an impedance and no stiffness" : "its impedance is none",
                           "give a stiffness and {first, last, depth, middle, power}: 0 <= first <= last <= 1, depth > "
                           "0, 0 < "
                           "middle < 1, power 1 to 100");
}

static AfxStatus check_numbers(const AfxiErrorPlace *place, const AfxMaterialDef *d) {
    AfxStatus status = afxi_check_amount(place, d->friction, "its friction");
    status = status ? status : afxi_check_amount(place, d->restitution, "its restitution");
    status = status ? status : afxi_check_amount(place, d->rolling_friction, "its rolling friction");
    status = status ? status : afxi_check_amount(place, d->torsional_friction, "its torsional friction");
    status = status ? status : afxi_check_amount(place, d->stiffness, "its stiffness");
    status = status ? status : afxi_check_amount(place, d->damping, "its damping");
    status = status ? status : afxi_check_amount(place, d->friction_damping, "its friction damping");
    status = status ? status : afxi_check_amount(place, d->margin, "its margin");
    status = status ? status : check_impedance(place, d);
    if (!status && d->restitution > 1) {
        status = afxi_fail(place, AFX_E_INPUT, "its restitution is above 1", "give a number from 0 to 1");
    }
    return status;
}

/** Checks a definition; `self` is the index that may have its name already. */
static AfxStatus check_def(const AfxScene *scene, const AfxiErrorPlace *place, const AfxMaterialDef *d, uint32_t self) {
    AfxStatus status = afxi_check_name(place, d->name, &scene->material_names, self);
    return status ? status : check_numbers(place, d);
}

static AfxStatus reserve(AfxScene *scene, const char *name) {
    void *materials = scene->materials;
    AfxStatus status = afxi_array_reserve(&scene->allocator, &materials, &scene->material_capacity,
                                          scene->material_count + 1, sizeof *scene->materials);
    scene->materials = materials;
    return status ? status : afxi_name_reserve(scene, &scene->material_names, name);
}

AfxStatus afx_scene_add_material(AfxScene *scene, const AfxMaterialDef *def, AfxMaterialId *out_material) {
    if (out_material) {
        *out_material = no_material;
    }
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    uint32_t index = scene->material_count + 1;
    AfxiErrorPlace place = {scene->error, "material", NULL, index, AFXI_NONE};
    if (!def || !out_material) {
        return afxi_fail_null(&place, def ? "out_material" : "def");
    }
    AfxStatus status = afxi_check_cookie(&place, def->cookie, "afx_default_material");
    if (status) {
        return status;
    }
    place.name = def->name;
    status = check_def(scene, &place, def, AFXI_NONE);
    if (status) {
        return status;
    }
    if (index >= AFX_MATERIALS_MOST) {
        return afxi_fail(&place, AFX_E_LIMIT, "there are too many materials",
                         "let shapes with equal numbers share one material");
    }
    status = reserve(scene, def->name);
    if (status) {
        return afxi_fail_memory(&place, status);
    }
    scene->materials[index - 1] = take(def);
    scene->materials[index - 1].name = afxi_name_enter(scene, &scene->material_names, def->name, index);
    scene->material_count++;
    *out_material = (AfxMaterialId){index, scene->id};
    return AFX_OK;
}

AfxStatus afx_scene_set_material(AfxScene *scene, AfxMaterialId material, const AfxMaterialDef *def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus status = check_id(scene, material);
    if (status) {
        return status;
    }
    AfxiErrorPlace place = material_place(scene, material.index);
    if (!def) {
        return afxi_fail_null(&place, "def");
    }
    status = afxi_check_cookie(&place, def->cookie, "afx_default_material");
    status = status ? status : check_def(scene, &place, def, material.index);
    if (status) {
        return status;
    }
    AfxiSceneMaterial *m = material.index ? scene->materials + material.index - 1 : &scene->first_material;
    const char *name = m->name;
    if (strcmp(def->name ? def->name : "", name ? name : "") != 0) {
        status = afxi_name_reserve(scene, &scene->material_names, def->name);
        if (status) {
            return afxi_fail_memory(&place, status);
        }
        if (name) {
            afxi_names_remove(&scene->material_names, name);
        }
        name = afxi_name_enter(scene, &scene->material_names, def->name, material.index);
    }
    *m = take(def);
    m->name = name;
    return AFX_OK;
}

uint32_t afx_scene_material_count(const AfxScene *scene) {
    return scene ? scene->material_count + 1 : 0;
}

AfxMaterialId afx_scene_material(const AfxScene *scene, uint32_t index) {
    return scene && index <= scene->material_count ? (AfxMaterialId){index, scene->id} : no_material;
}

AfxStatus afx_scene_find_material(const AfxScene *scene, const char *name, AfxMaterialId *out_material) {
    if (out_material) {
        *out_material = no_material;
    }
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "material", name, AFXI_NONE, AFXI_NONE};
    if (!name || !out_material) {
        return afxi_fail_null(&place, name ? "out_material" : "name");
    }
    uint32_t index = afxi_names_find(&scene->material_names, name);
    if (index == AFXI_NONE) {
        return afxi_fail(&place, AFX_E_ARGUMENT, "there is no material of this name", "check the spelling");
    }
    *out_material = (AfxMaterialId){index, scene->id};
    return AFX_OK;
}

AfxStatus afx_scene_get_material(const AfxScene *scene, AfxMaterialId material, AfxMaterialDef *out_def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus status = check_id(scene, material);
    if (status) {
        return status;
    }
    if (!out_def) {
        AfxiErrorPlace place = material_place(scene, material.index);
        return afxi_fail_null(&place, "out_def");
    }
    *out_def = to_def(afxi_scene_material(scene, material.index));
    return AFX_OK;
}

/* ---- pairs ---- */

/** Where a pair is, or the count when nothing was set for it. Pairs are few: they are searched one by one. */
static uint32_t find_pair(const AfxScene *scene, uint32_t a, uint32_t b) {
    uint32_t k = 0;
    while (k < scene->pair_count && (scene->pairs[k].a != a || scene->pairs[k].b != b)) {
        k++;
    }
    return k;
}

AfxMaterialDef afxi_scene_pair(const AfxScene *scene, uint32_t a, uint32_t b) {
    uint32_t k = find_pair(scene, a < b ? a : b, a < b ? b : a);
    if (k < scene->pair_count) {
        return to_def(&scene->pairs[k].values);
    }
    AfxMaterialDef first = to_def(afxi_scene_material(scene, a)), second = to_def(afxi_scene_material(scene, b));
    return afx_material_combine(&first, &second);
}

AfxStatus afx_scene_set_material_pair(AfxScene *scene, AfxMaterialId a, AfxMaterialId b, const AfxMaterialDef *def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "pair of materials", NULL, scene->pair_count, AFXI_NONE};
    if (!def) {
        return afxi_fail_null(&place, "def");
    }
    AfxStatus status = afxi_check_cookie(&place, def->cookie, "afx_default_material");
    status = status ? status : afxi_check_material(scene, &place, a);
    status = status ? status : afxi_check_material(scene, &place, b);
    status = status ? status : check_numbers(&place, def);
    if (status) {
        return status;
    }
    uint32_t low = a.index < b.index ? a.index : b.index, high = a.index < b.index ? b.index : a.index;
    uint32_t k = find_pair(scene, low, high);
    if (k == scene->pair_count) {
        void *pairs = scene->pairs;
        status = afxi_array_reserve(&scene->allocator, &pairs, &scene->pair_capacity, k + 1, sizeof *scene->pairs);
        scene->pairs = pairs;
        if (status) {
            return afxi_fail_memory(&place, status);
        }
        scene->pair_count++;
    }
    scene->pairs[k] = (AfxiScenePair){low, high, take(def)};
    return AFX_OK;
}

uint32_t afx_scene_material_pair_count(const AfxScene *scene) {
    return scene ? scene->pair_count : 0;
}

AfxStatus afx_scene_get_material_pair(const AfxScene *scene, uint32_t index, AfxMaterialId *out_a, AfxMaterialId *out_b,
                                      AfxMaterialDef *out_def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "pair of materials", NULL, index, AFXI_NONE};
    if (!out_a || !out_b || !out_def) {
        return afxi_fail_null(&place, !out_a ? "out_a" : !out_b ? "out_b" : "out_def");
    }
    if (index >= scene->pair_count) {
        return afxi_fail(&place, AFX_E_ARGUMENT, "there is no such pair", "count with afx_scene_material_pair_count");
    }
    const AfxiScenePair *pair = scene->pairs + index;
    *out_a = (AfxMaterialId){pair->a, scene->id};
    *out_b = (AfxMaterialId){pair->b, scene->id};
    *out_def = to_def(&pair->values);
    return AFX_OK;
}
