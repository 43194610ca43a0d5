/* SPDX-License-Identifier: Apache-2.0 */
/* Contact of a scene as scene JSON: the switch, materials, pairs, exclusions, and what shapes say of it. Materials
 * without a name get one in the file, for shapes refer to them by it. */
#include <stdio.h>
#include <string.h>

#include "load/save_scene.h"
#include "scene/material.h"
#include "scene/name.h"

#define OWN_NAME_SIZE (AFXI_NAME_MAX + 1)

/** The name of a material in the file: its own, or "#3", with as many # as it needs to be like no other. */
static const char *material_name(const AfxScene *scene, uint32_t index, char own[OWN_NAME_SIZE]) {
    const char *name = afxi_scene_material(scene, index)->name;
    if (name) {
        return name;
    }
    size_t marks = 0;
    do {
        marks++;
        memset(own, '#', marks);
        snprintf(own + marks, OWN_NAME_SIZE - marks, "%lu", (unsigned long)index);
    } while (marks + 16 < OWN_NAME_SIZE && afxi_names_find(&scene->material_names, own) != AFXI_NONE);
    return own;
}

static void save_impedance(AfxiSave *save, const AfxiSceneMaterial *m) {
    afxi_save_open(save, "impedance", '[');
    for (int k = 0; k < 5; k++) {
        afxi_save_number(save, NULL, m->impedance[k]);
    }
    afxi_save_close(save, ']');
}

static void save_numbers(AfxiSave *save, const AfxiSceneMaterial *m) {
    afxi_save_number(save, "friction", m->friction); /* always: it tells a material for contact */
    afxi_save_number_unless(save, "restitution", m->restitution, 0);
    afxi_save_number_unless(save, "rolling_friction", m->rolling_friction, 0);
    afxi_save_number_unless(save, "torsional_friction", m->torsional_friction, 0);
    afxi_save_number_unless(save, "stiffness", m->stiffness, 0);
    afxi_save_number_unless(save, "damping", m->damping, 0);
    afxi_save_number_unless(save, "friction_damping", m->friction_damping, 0);
    afxi_save_number_unless(save, "margin", m->margin, 0);
    if (m->impedance[2] > 0) {
        save_impedance(save, m);
    }
}

static void begin_key(AfxiSave *save) {
    afxi_save_raw(save, ",\n  ");
    save->first = true;
}

static void save_pair(AfxiSave *save, const AfxScene *scene, const AfxiScenePair *pair) {
    const AfxiSceneMaterial *m = &pair->values;
    const uint32_t both[2] = {pair->a, pair->b};
    char own[OWN_NAME_SIZE];
    afxi_save_open(save, NULL, '{');
    afxi_save_open(save, "materials", '[');
    for (int k = 0; k < 2; k++) {
        if (both[k] == 0) {
            afxi_save_key(save, NULL);
            afxi_save_raw(save, "null");
        } else {
            afxi_save_text(save, NULL, material_name(scene, both[k], own));
        }
    }
    afxi_save_close(save, ']');
    afxi_save_number(save, "friction", m->friction); /* all of them: absent ones would be combined */
    afxi_save_number(save, "restitution", m->restitution);
    afxi_save_number(save, "rolling_friction", m->rolling_friction);
    afxi_save_number(save, "torsional_friction", m->torsional_friction);
    afxi_save_number(save, "stiffness", m->stiffness);
    afxi_save_number(save, "damping", m->damping);
    afxi_save_number(save, "friction_damping", m->friction_damping);
    afxi_save_number(save, "margin", m->margin);
    save_impedance(save, m);
    afxi_save_close(save, '}');
}

static void save_materials(AfxiSave *save, const AfxScene *scene) {
    char own[OWN_NAME_SIZE];
    begin_key(save);
    afxi_save_open(save, "materials", '{');
    for (uint32_t k = 1; k <= scene->material_count; k++) {
        afxi_save_open(save, material_name(scene, k, own), '{');
        save_numbers(save, afxi_scene_material(scene, k));
        afxi_save_close(save, '}');
    }
    afxi_save_close(save, '}');
}

/** Whether material 0 is still the one that every scene has. */
static bool is_plain(const AfxiSceneMaterial *m) {
    AfxMaterialDef d = afx_default_material();
    return !m->name && m->friction == d.friction && m->restitution == d.restitution &&
           m->rolling_friction == d.rolling_friction && m->torsional_friction == d.torsional_friction &&
           m->stiffness == d.stiffness && m->damping == 0 && m->impedance[2] == 0 && m->friction_damping == 0 &&
           m->margin == 0;
}

void afxi_save_contact(AfxiSave *save, const AfxScene *scene) {
    const AfxiSceneMaterial *first = afxi_scene_material(scene, 0);
    if (!scene->contact) {
        begin_key(save);
        afxi_save_boolean(save, "contact", false);
    }
    if (!is_plain(first)) {
        begin_key(save);
        afxi_save_open(save, "default_material", '{');
        if (first->name) {
            afxi_save_text(save, "name", first->name);
        }
        save_numbers(save, first);
        afxi_save_close(save, '}');
    }
    if (scene->material_count) {
        save_materials(save, scene);
    }
    if (scene->pair_count) {
        begin_key(save);
        afxi_save_open(save, "material_pairs", '[');
        for (uint32_t k = 0; k < scene->pair_count; k++) {
            save_pair(save, scene, &scene->pairs[k]);
        }
        afxi_save_close(save, ']');
    }
}

void afxi_save_surface(AfxiSave *save, const AfxScene *scene, const AfxiSceneShape *shape) {
    char own[OWN_NAME_SIZE];
    AfxShapeDef absent = afx_default_sphere(1);
    if (shape->visual) {
        afxi_save_boolean(save, "visual", true);
    }
    if (shape->material) {
        afxi_save_text(save, "material", material_name(scene, shape->material, own));
    }
    if (shape->contact_group != absent.contact_group) {
        afxi_save_whole(save, "contact_group", shape->contact_group);
    }
    if (shape->contact_mask != absent.contact_mask) {
        afxi_save_whole(save, "contact_mask", shape->contact_mask);
    }
}

void afxi_save_exclusions(AfxiSave *save, const AfxScene *scene) {
    if (scene->exclusion_count == 0) {
        return;
    }
    begin_key(save);
    afxi_save_open(save, "exclusions", '[');
    for (uint32_t k = 0; k < scene->exclusion_count && !save->failure && !save->bad_text; k++) {
        const uint32_t both[2] = {scene->exclusions[k].a, scene->exclusions[k].b};
        afxi_save_open(save, NULL, '[');
        for (int i = 0; i < 2; i++) {
            if (scene->bodies[both[i]].name) {
                afxi_save_text(save, NULL, scene->bodies[both[i]].name);
            } else {
                afxi_save_whole(save, NULL, both[i]);
            }
        }
        afxi_save_close(save, ']');
    }
    afxi_save_close(save, ']');
}
