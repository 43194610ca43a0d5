/* SPDX-License-Identifier: Apache-2.0 */
/* Contact of a scene file: the switch, materials with their pairs, and bodies that pass through each other. A material
 * of the file is one of the scene when it has a number for contact; otherwise its shapes have the default material. */
#include <stdlib.h>
#include <string.h>

#include "load/json.h"
#include "scene/name.h"

#define NUMBER_KEYS \
    "friction restitution rolling_friction torsional_friction stiffness damping impedance friction_damping margin"

static bool read_impedance(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxMaterialDef *def) {
    const AfxiJsonNode *list = afxi_json_get(node, "impedance");
    if (list && !afxi_json_numbers_at(file, list, 5, 1, def->impedance)) {
        return false;
    }
    def->impedance[2] *= list ? file->units.length : 1;
    return true;
}

static bool read_numbers(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxMaterialDef *def) {
    const AfxiJsonUnits *u = &file->units;
    return afxi_json_number(file, node, "friction", 1, &def->friction) &&
           afxi_json_number(file, node, "restitution", 1, &def->restitution) &&
           afxi_json_number(file, node, "rolling_friction", u->length, &def->rolling_friction) &&
           afxi_json_number(file, node, "torsional_friction", u->length, &def->torsional_friction) &&
           afxi_json_number(file, node, "stiffness", u->force / u->length, &def->stiffness) &&
           afxi_json_number(file, node, "damping", u->force * u->time / u->length, &def->damping) &&
           afxi_json_number(file, node, "friction_damping", u->force * u->time / u->length, &def->friction_damping) &&
           afxi_json_number(file, node, "margin", u->length, &def->margin) && read_impedance(file, node, def);
}

static bool has_numbers(const AfxiJsonNode *material) {
    return afxi_json_get(material, "friction") || afxi_json_get(material, "restitution") ||
           afxi_json_get(material, "rolling_friction") || afxi_json_get(material, "torsional_friction") ||
           afxi_json_get(material, "stiffness") || afxi_json_get(material, "damping") ||
           afxi_json_get(material, "impedance") || afxi_json_get(material, "friction_damping") ||
           afxi_json_get(material, "margin");
}

/** Every material is described as it should be, also those that nothing uses. */
static bool read_materials(AfxiJsonFile *file, const AfxiJsonNode *node) {
    double unused;
    uint32_t color;
    bool fine = json_is_object(node->value) || afxi_json_keys(file, node, "");
    for (const AfxiJsonNode *child = afxi_json_first(node); child && fine; child = afxi_json_next(node, child)) {
        AfxMaterialDef def = afx_default_material();
        AfxMaterialId id;
        def.name = child->key;
        if (afxi_names_reserve(&file->material_names, &file->load->allocator)) {
            return afxi_load_memory_error(file->load, file->path, child->line);
        }
        afxi_names_add(&file->material_names, child->key, (uint32_t)(child - file->nodes));
        fine = afxi_json_keys(file, child, "density young poisson color texture " NUMBER_KEYS) &&
               afxi_json_number(file, child, "density", 1, &unused) &&
               afxi_json_extended(file, child, "young", 1, &unused) &&
               afxi_json_number(file, child, "poisson", 1, &unused) && afxi_json_color(file, child, &color) &&
               read_numbers(file, child, &def);
        if (fine && has_numbers(child)) {
            fine = child->key[0] ? afx_scene_add_material(file->load->scene, &def, &id) == AFX_OK ||
                                       afxi_json_scene_error(file, child)
                                 : afxi_json_error(file, child, "the name of this material is empty", "give it a name");
        }
    }
    return fine;
}

const AfxiJsonNode *afxi_json_find_material(const AfxiJsonFile *file, const char *name) {
    uint32_t index = afxi_names_find(&file->material_names, name);
    return index == UINT32_MAX ? NULL : file->nodes + index;
}

static bool read_default(const AfxiJsonFile *file, const AfxiJsonNode *node) {
    AfxScene *scene = file->load->scene;
    AfxMaterialDef def = afx_default_material();
    return afxi_json_keys(file, node, "name " NUMBER_KEYS) && afxi_json_text(file, node, "name", &def.name) &&
           read_numbers(file, node, &def) &&
           (afx_scene_set_material(scene, afx_scene_material(scene, 0), &def) == AFX_OK ||
            afxi_json_scene_error(file, node));
}

/** A material of the scene by its name in this file; null is the default one. */
static bool read_ref(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxMaterialId *out_material) {
    const char *name = NULL;
    *out_material = (AfxMaterialId){0, 0};
    if (json_is_null(node->value)) {
        return true;
    }
    return afxi_json_text_at(file, node, &name) &&
           (afx_scene_find_material(file->load->scene, name, out_material) == AFX_OK ||
            afxi_json_error(file, node, "there is no such material with a number for contact",
                            "give it one under \"materials\"; null is the default material"));
}

static bool read_pair(const AfxiJsonFile *file, const AfxiJsonNode *node) {
    AfxScene *scene = file->load->scene;
    const AfxiJsonNode *both;
    AfxMaterialId a, b;
    AfxMaterialDef first, second;
    if (!afxi_json_keys(file, node, "materials " NUMBER_KEYS) || !afxi_json_need(file, node, "materials", &both)) {
        return false;
    }
    if (!json_is_array(both->value) || both->count != 2) {
        return afxi_json_error(file, both, "these are not two materials", "write [\"rubber\", \"ice\"]");
    }
    const AfxiJsonNode *one = afxi_json_first(both);
    if (!read_ref(file, one, &a) || !read_ref(file, afxi_json_next(both, one), &b)) {
        return false;
    }
    afx_scene_get_material(scene, a, &first);
    afx_scene_get_material(scene, b, &second);
    AfxMaterialDef def = afx_material_combine(&first, &second);
    return read_numbers(file, node, &def) &&
           (afx_scene_set_material_pair(scene, a, b, &def) == AFX_OK || afxi_json_scene_error(file, node));
}

bool afxi_json_read_contact(AfxiJsonFile *file, const AfxiJsonNode *top) {
    const AfxiJsonNode *materials = afxi_json_get(top, "materials"), *first = afxi_json_get(top, "default_material");
    const AfxiJsonNode *pairs;
    bool on = afx_scene_contact(file->load->scene);
    if (!afxi_json_boolean(file, top, "contact", &on) || (first && !read_default(file, first)) ||
        (materials && !read_materials(file, materials)) || !afxi_json_array(file, top, "material_pairs", &pairs)) {
        return false;
    }
    afx_scene_set_contact(file->load->scene, on);
    bool fine = true;
    for (const AfxiJsonNode *pair = afxi_json_first(pairs); pair && fine; pair = afxi_json_next(pairs, pair)) {
        fine = read_pair(file, pair);
    }
    return fine;
}

bool afxi_json_material(const AfxiJsonFile *file, const AfxiJsonNode *object, double *density, double *young,
                        double *poisson) {
    const char *name = NULL;
    const AfxiJsonNode *node = afxi_json_get(object, "material");
    if (!node) {
        return true;
    }
    if (!afxi_json_text_at(file, node, &name)) {
        return false;
    }
    const AfxiJsonNode *material = afxi_json_find_material(file, name);
    if (!material) {
        return afxi_json_error(file, node, "there is no such material", "describe it under \"materials\" of this file");
    }
    return afxi_json_number(file, material, "density", file->units.density, density) &&
           afxi_json_extended(file, material, "young", file->units.pressure, young) &&
           afxi_json_number(file, material, "poisson", 1, poisson);
}

/** "#rrggbb" as AFX_COLOR. */
bool afxi_json_color_at(const AfxiJsonFile *file, const AfxiJsonNode *node, uint32_t *out_color) {
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *text;
    if (!afxi_json_text_at(file, node, &text)) {
        return false;
    }
    if (text[0] != '#' || strlen(text) != 7 || strspn(text + 1, digits) != 6) {
        return afxi_json_error(file, node, "this is no colour", "write \"#rrggbb\", for example \"#cc3311\"");
    }
    *out_color = 0x1000000u | (uint32_t)strtoul(text + 1, NULL, 16);
    return true;
}

const AfxiJsonNode *afxi_json_look(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key) {
    const AfxiJsonNode *own = afxi_json_get(object, key), *name = afxi_json_get(object, "material");
    const AfxiJsonNode *material =
        name && json_is_string(name->value) ? afxi_json_find_material(file, json_string_value(name->value)) : NULL;
    return own ? own : afxi_json_get(material, key);
}

bool afxi_json_color(const AfxiJsonFile *file, const AfxiJsonNode *object, uint32_t *color) {
    const AfxiJsonNode *node = afxi_json_look(file, object, "color");
    return !node || afxi_json_color_at(file, node, color);
}

bool afxi_json_surface(const AfxiJsonFile *file, const AfxiJsonNode *object, AfxMaterialId *material) {
    const AfxiJsonNode *node = afxi_json_get(object, "material"), *described;
    const char *name = NULL;
    if (!node) {
        return true;
    }
    *material = (AfxMaterialId){0, 0};
    if (!afxi_json_text_at(file, node, &name)) {
        return false;
    }
    described = afxi_json_find_material(file, name);
    return !described || !has_numbers(described) ||
           afx_scene_find_material(file->load->scene, name, material) == AFX_OK || afxi_json_scene_error(file, node);
}

bool afxi_json_read_exclusion(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node) {
    AfxBodyId a = {0}, b = {0};
    bool absent_a = false, absent_b = false;
    if (!json_is_array(node->value) || node->count != 2) {
        return afxi_json_error(file, node, "these are not two bodies", "write [\"hand\", \"cup\"]");
    }
    const AfxiJsonNode *first = afxi_json_first(node);
    if (!afxi_json_body_ref(file, scope, first, false, &a, &absent_a) ||
        !afxi_json_body_ref(file, scope, afxi_json_next(node, first), false, &b, &absent_b)) {
        return false;
    }
    return absent_a || absent_b || afx_scene_exclude_contact(file->load->scene, a, b) == AFX_OK ||
           afxi_json_scene_error(file, node);
}
