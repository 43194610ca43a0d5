/* SPDX-License-Identifier: Apache-2.0 */
/* What the stages of the MJCF loader use: room for records, names with prefix and suffix, and the walk over sections
 * that refer to things by name. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "load/mjcf.h"
#include "scene/name.h"

/* Pieces of work (afxi_load_work) of finding out whether the names that an element refers to exist. */
#define KNOWN_WORK 12u

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

/** prefix + name + suffix into out; false when it is too long. */
static bool full_name(const AfxiMjcfScope *scope, const char *name, char out[AFXI_NAME_SIZE]) {
    int length = snprintf(out, AFXI_NAME_SIZE, "%s%s%s", scope->prefix, name, scope->suffix);
    return length >= 0 && length < AFXI_NAME_SIZE;
}

const char *afxi_mjcf_name(AfxiMjcf *m, const AfxiMjcfScope *scope, const char *name) {
    char full[AFXI_NAME_SIZE], element[80];
    if (!name || !name[0]) {
        return "";
    }
    if (!full_name(scope, name, full)) {
        snprintf(element, sizeof element, "name \"%.60s...\"", name);
        afxi_load_error(m->load, AFX_E_LIMIT, scope->model->path, 0, element,
                        "with its prefix and suffix this name is longer than 255 bytes", "use shorter names");
        return NULL;
    }
    return afxi_xml_copy(m->load, &m->arena, full, strlen(full));
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

const char *afxi_mjcf_helper_name(AfxiMjcf *m, const char *name, const char *kind, uint32_t index, const char *what) {
    char number[40];
    snprintf(number, sizeof number, "%s %u", kind, index);
    return afxi_mjcf_label(m, name[0] ? name : number, what);
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

uint32_t afxi_mjcf_lookup(const AfxiMjcfScope *scope, const AfxiNames *names, const char *name) {
    char full[AFXI_NAME_SIZE];
    uint32_t index = name && name[0] && full_name(scope, name, full) ? afxi_names_find(names, full) : AFXI_MJCF_NONE;
    if (index == AFXI_MJCF_NONE && scope->suffix[0]) { /* outside the copies */
        AfxiMjcfScope plain = *scope;
        plain.suffix = "";
        return afxi_mjcf_lookup(&plain, names, name);
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
    if (!afxi_load_work(m->load, KNOWN_WORK + (uint64_t)node->weight, node->file, node->line)) {
        return false;
    }
    if (reader->known(m, &scope, node)) {
        return reader->read(m, &scope, node);
    }
    bool found = false;
    for (uint32_t k = 0; k < m->suffix_count; k++) {
        scope.suffix = m->suffixes[k];
        if (!afxi_load_work(m->load, KNOWN_WORK + (uint64_t)node->weight, node->file, node->line)) {
            return false;
        }
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
