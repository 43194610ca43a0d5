/* SPDX-License-Identifier: Apache-2.0 */
/* Default classes. An element of a class points to its attributes by AfxiXmlNode.fallback: to the element of the same
 * sort in the class, from there to that of the class around it, and so on. All sorts of actuators share one set of
 * defaults, and so do the two sorts of tendons and all equalities. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "load/mjcf.h"
#include "scene/name.h"

static AfxiMjcfGroup group_of(const char *name) {
    static const struct {
        const char *name;
        AfxiMjcfGroup group;
    } groups[] = {
        {"joint", AFXI_MJCF_JOINTS},       {"geom", AFXI_MJCF_GEOMS},          {"site", AFXI_MJCF_SITES},
        {"mesh", AFXI_MJCF_MESHES},        {"camera", AFXI_MJCF_CAMERAS},      {"material", AFXI_MJCF_LOOKS},
        {"pair", AFXI_MJCF_PAIRS},         {"equality", AFXI_MJCF_EQUALITIES}, {"tendon", AFXI_MJCF_TENDONS},
        {"general", AFXI_MJCF_ACTUATORS},  {"motor", AFXI_MJCF_ACTUATORS},     {"position", AFXI_MJCF_ACTUATORS},
        {"velocity", AFXI_MJCF_ACTUATORS}, {"damper", AFXI_MJCF_ACTUATORS},    {"intvelocity", AFXI_MJCF_ACTUATORS},
        {"cylinder", AFXI_MJCF_ACTUATORS}, {"muscle", AFXI_MJCF_ACTUATORS},    {"adhesion", AFXI_MJCF_ACTUATORS},
        {"dcmotor", AFXI_MJCF_ACTUATORS},  {"pid", AFXI_MJCF_ACTUATORS},       {"orientation", AFXI_MJCF_ACTUATORS},
    };
    for (size_t k = 0; k < sizeof groups / sizeof groups[0]; k++) {
        if (strcmp(name, groups[k].name) == 0) {
            return groups[k].group;
        }
    }
    return AFXI_MJCF_OTHERS;
}

AfxiMjcfClass *afxi_mjcf_class(const AfxiMjcfModel *model, const char *name) {
    uint32_t index = afxi_names_find(&model->class_names, name);
    return index == AFXI_MJCF_NONE ? NULL : model->class_table[index];
}

/** Adds a class at the end of the list. */
static AfxiMjcfClass *add_class(AfxiMjcf *m, AfxiMjcfModel *model, const char *name, const AfxiMjcfClass *parent) {
    const AfxAllocator *allocator = &m->load->allocator;
    AfxiMjcfClass *class = afxi_xml_take(m->load, &m->arena, sizeof *class);
    if (!class) {
        return NULL;
    }
    void *table = model->class_table;
    AfxStatus status =
        afxi_array_reserve(allocator, &table, &model->class_capacity, model->class_count + 1, sizeof class);
    model->class_table = table;
    if (status || afxi_names_reserve(&model->class_names, allocator)) {
        afxi_load_memory_error(m->load, model->path, 0);
        return NULL;
    }
    if (parent) {
        *class = *parent;
    }
    class->name = name;
    class->next = NULL;
    afxi_names_add(&model->class_names, name, model->class_count);
    model->class_table[model->class_count++] = class;
    *(model->last_class ? &model->last_class->next : &model->classes) = class;
    model->last_class = class;
    return class;
}

/** The elements of one default element, then the classes inside it. */
static bool read_class(AfxiMjcf *m, AfxiMjcfModel *model, AfxiXmlNode *node, AfxiMjcfClass *class, uint32_t depth) {
    if (depth > m->depth_most) {
        return afxi_xml_error(m->load, node, NULL, "classes are nested too deeply", "check the file");
    }
    node->used = true;
    for (AfxiXmlNode *child = node->first; child; child = child->next) {
        AfxiMjcfGroup group = group_of(child->name);
        if (!afxi_xml_is(child, "default") && group != AFXI_MJCF_OTHERS) {
            child->fallback = class->last[group];
            class->last[group] = child;
            class->weight[group] += 1 + (uint64_t)child->weight;
        }
    }
    for (AfxiXmlNode *child = node->first; child; child = child->next) {
        const char *name;
        if (!afxi_xml_is(child, "default")) {
            continue;
        }
        if (!afxi_xml_need(m->load, child, "class", &name)) {
            return false;
        }
        if (afxi_mjcf_class(model, name)) {
            return afxi_xml_error(m->load, child, "class", "there is such a class already", "give it another name");
        }
        AfxiMjcfClass *inner = add_class(m, model, name, class);
        if (!inner || !read_class(m, model, child, inner, depth + 1)) {
            return false;
        }
    }
    return true;
}

bool afxi_mjcf_read_classes(AfxiMjcf *m, AfxiMjcfModel *model) {
    for (AfxiXmlNode *node = model->root->first; node; node = node->next) {
        if (!afxi_xml_is(node, "default")) {
            continue;
        }
        const char *name = afxi_xml_text(node, "class");
        name = name ? name : model->classes ? model->classes->name : "main";
        AfxiMjcfClass *class = afxi_mjcf_class(model, name);
        class = class ? class : add_class(m, model, name, model->classes);
        if (!class || !read_class(m, model, node, class, 0)) {
            return false;
        }
    }
    return model->classes || add_class(m, model, "main", NULL) != NULL;
}

bool afxi_mjcf_use_class(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxiMjcfGroup group) {
    node->used = true;
    node->fallback = NULL; /* the name of a class is the element's own */
    const char *name = afxi_xml_text(node, "class");
    AfxiMjcfClass *class = name                ? afxi_mjcf_class(scope->model, name)
                           : scope->childclass ? scope->childclass
                                               : scope->model->classes;
    if (!class) {
        char text[100];
        snprintf(text, sizeof text, "there is no class \"%.60s\"", name);
        return afxi_xml_error(m->load, node, "class", text, "define it in default, or check the spelling");
    }
    if (!afxi_load_work(m->load, class->weight[group], node->file, node->line)) {
        return false;
    }
    node->fallback = class->last[group];
    for (AfxiXmlNode *from = node->fallback; from && !from->used; from = from->fallback) {
        from->used = true;
    }
    return true;
}

void afxi_mjcf_pass_unreferenced(AfxiMjcfModel *model) {
    for (uint32_t k = 0; k < model->mesh_count; k++) {
        if (!model->meshes[k].read) {
            afxi_xml_pass(model->meshes[k].node);
        }
    }
    for (AfxiXmlNode *top = model->root->first; top; top = top->next) {
        AfxiXmlNode *at = afxi_xml_is(top, "default") ? top->first : NULL;
        while (at) {
            if (!at->used && group_of(at->name) != AFXI_MJCF_OTHERS) {
                afxi_xml_pass(at);
            }
            if (at->first) {
                at = at->first;
                continue;
            }
            while (at != top && !at->next) {
                at = at->parent;
            }
            at = at == top ? NULL : at->next;
        }
    }
}
