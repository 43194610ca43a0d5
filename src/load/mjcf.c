/* SPDX-License-Identifier: Apache-2.0 */
/* MJCF (mujoco.readthedocs.io, XML reference) into a scene: the stages in their order, and what all of them use. */
#include "load/mjcf.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* Bodies inside bodies and files inside files, whatever the caller allows: the tree is walked by recursion. */
#define DEPTH_MOST 1000u

bool afxi_mjcf_grow(AfxiMjcf *m, void **array, uint32_t *capacity, uint32_t count, size_t item_size, const char *what,
                    const AfxiXmlNode *node) {
    const char *file = node ? node->file : m->main->path;
    int line = node ? node->line : 0;
    if (!afxi_load_items(m->load, (uint64_t)count + 1, what, file, line)) {
        return false;
    }
    return afxi_array_reserve(&m->load->allocator, array, capacity, count + 1, item_size) == AFX_OK ||
           afxi_load_memory_error(m->load, file, line);
}

const char *afxi_mjcf_name(AfxiMjcf *m, const AfxiMjcfScope *scope, const char *name) {
    if (!name || !name[0]) {
        return "";
    }
    size_t size = strlen(scope->prefix) + strlen(name) + strlen(scope->suffix) + 1;
    char *full = afxi_xml_take(m->load, &m->arena, size);
    if (full) {
        snprintf(full, size, "%s%s%s", scope->prefix, name, scope->suffix);
    }
    return full;
}

const char *afxi_mjcf_label(AfxiMjcf *m, const char *name, const char *what) {
    if (!name[0]) {
        return "";
    }
    size_t size = strlen(name) + strlen(what) + 2;
    char *label = afxi_xml_take(m->load, &m->arena, size);
    if (label) {
        snprintf(label, size, "%s %s", name, what);
    }
    return label;
}

bool afxi_mjcf_enter(AfxiMjcf *m, AfxiNames *names, const AfxiXmlNode *node, const char *name, uint32_t index) {
    if (!name[0]) {
        return true;
    }
    if (afxi_names_find(names, name) != AFXI_MJCF_NONE) {
        return afxi_xml_error(m->load, node, "name", "the name is taken already",
                              "give every body, joint, geom, site and tendon a name of its own");
    }
    if (afxi_names_reserve(names, &m->load->allocator) != AFX_OK) {
        return afxi_load_memory_error(m->load, node->file, node->line);
    }
    afxi_names_add(names, name, index);
    return true;
}

uint32_t afxi_mjcf_lookup(AfxiMjcf *m, const AfxiMjcfScope *scope, const AfxiNames *names, const char *name) {
    const char *full = afxi_mjcf_name(m, scope, name);
    uint32_t index = full && full[0] ? afxi_names_find(names, full) : AFXI_MJCF_NONE;
    if (index == AFXI_MJCF_NONE && scope->suffix[0]) { /* outside the copies */
        AfxiMjcfScope plain = *scope;
        plain.suffix = "";
        return afxi_mjcf_lookup(m, &plain, names, name);
    }
    return index;
}

bool afxi_mjcf_scene_error(AfxiMjcf *m, const AfxiXmlNode *node) {
    return afxi_load_scene_error(m->load, node ? node->file : m->main->path, node ? node->line : 0);
}

/* ---- sections ---- */

/** One child of a section: as it is, or once for every suffix of replicate that makes its names known. */
static bool read_child(AfxiMjcf *m, const AfxiMjcfReader *reader, const AfxiMjcfInstance *instance, AfxiXmlNode *node) {
    AfxiMjcfScope scope = instance->scope;
    if (reader->known(m, &scope, node)) {
        return reader->read(m, &scope, node);
    }
    bool found = false;
    for (uint32_t k = 0; k < m->suffix_count; k++) {
        scope.suffix = m->suffixes[k];
        if (reader->known(m, &scope, node)) {
            found = true;
            if (!reader->read(m, &scope, node)) {
                return false;
            }
        }
    }
    if (found) {
        return true;
    }
    if (instance->attached) {
        afxi_xml_pass(node); /* it belongs to parts that were not attached */
        return m->load->error.status == AFX_OK;
    }
    scope.suffix = "";
    return reader->read(m, &scope, node); /* which says what is missing */
}

bool afxi_mjcf_each(AfxiMjcf *m, const AfxiMjcfReader *reader) {
    for (uint32_t k = 0; k < m->instance_count; k++) {
        AfxiMjcfInstance instance = m->instances[k];
        for (AfxiXmlNode *section = instance.scope.model->root->first; section; section = section->next) {
            if (!afxi_xml_is(section, reader->section)) {
                continue;
            }
            section->used = true;
            for (AfxiXmlNode *node = section->first; node; node = node->next) {
                if (!read_child(m, reader, &instance, node)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* ---- a load ---- */

static bool load_model(AfxiMjcf *m, const AfxiText *text, const char *path) {
    return afxi_mjcf_open(m, text, path, NULL, &m->main) && afxi_mjcf_read_options(m) && afxi_mjcf_read_tree(m) &&
           afxi_mjcf_weigh_bodies(m) && afxi_mjcf_find_start(m) && afxi_mjcf_add_bodies(m) &&
           afxi_mjcf_add_materials(m) && afxi_mjcf_add_shapes(m) && afxi_mjcf_add_exclusions(m) &&
           afxi_mjcf_add_joints(m) && afxi_mjcf_add_equalities(m) && afxi_mjcf_add_tendons(m) &&
           afxi_mjcf_add_actuators(m) && afxi_mjcf_tell_unused(m);
}

static void release(AfxiMjcf *m) {
    const AfxAllocator *allocator = &m->load->allocator;
    for (AfxiMjcfModel *model = m->models; model; model = model->next) {
        for (uint32_t k = 0; k < model->mesh_count; k++) {
            afxi_mesh_free_data(m->load, &model->meshes[k].data);
        }
        afxi_names_free(&model->mesh_names, allocator);
        afxi_names_free(&model->hfield_names, allocator);
    }
    afxi_release(allocator, m->bodies, m->body_capacity * sizeof *m->bodies);
    afxi_release(allocator, m->joints, m->joint_capacity * sizeof *m->joints);
    afxi_release(allocator, m->geoms, m->geom_capacity * sizeof *m->geoms);
    afxi_release(allocator, m->sites, m->site_capacity * sizeof *m->sites);
    afxi_release(allocator, m->tendons, m->tendon_capacity * sizeof *m->tendons);
    afxi_release(allocator, m->materials, m->material_capacity * sizeof *m->materials);
    afxi_release(allocator, m->pairs, m->pair_capacity * sizeof *m->pairs);
    afxi_release(allocator, m->instances, m->instance_capacity * sizeof *m->instances);
    afxi_release(allocator, m->suffixes, m->suffix_capacity * sizeof *m->suffixes);
    afxi_names_free(&m->body_names, allocator);
    afxi_names_free(&m->joint_names, allocator);
    afxi_names_free(&m->geom_names, allocator);
    afxi_names_free(&m->site_names, allocator);
    afxi_names_free(&m->tendon_names, allocator);
    afxi_names_free(&m->suffix_names, allocator);
    afxi_xml_free(m->load, &m->arena);
}

bool afxi_load_mjcf(AfxiLoad *load, const AfxiText *text, const char *path) {
    AfxiMjcf m = {.load = load, .depth_most = load->def->depth_most < DEPTH_MOST ? load->def->depth_most : DEPTH_MOST};
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    bool good = load_model(&m, text, path);
    uselocale(before);
    freelocale(plain);
    release(&m);
    return good;
}
