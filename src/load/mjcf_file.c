/* SPDX-License-Identifier: Apache-2.0 */
/* Files of an MJCF model: the elements of an included file take the place of the include, as if they were written
 * there; a file that is attached is a model of its own, read when it is first asked for. Names of files are relative to
 * the folder of the model's first file or, where there is no such file, to that of the file that names it. */
#include <stdio.h>
#include <string.h>

#include "load/mjcf.h"

/** Files that are open inside each other. */
typedef struct Open {
    const char *path;
    const struct Open *above;
} Open;

static bool place_includes(AfxiMjcf *m, AfxiXmlNode *parent, const char *main_path, const Open *open);

/** The path of a file that `node` names, in out[AFXI_PATH_SIZE]. */
static bool find_file(AfxiMjcf *m, const AfxiXmlNode *node, const char *main_path, const char *name, char *out) {
    if (!afxi_load_path(m->load, main_path, name, out, AFXI_PATH_SIZE)) {
        return false;
    }
    if (afxi_load_exists(m->load, out) || strcmp(main_path, node->file) == 0) {
        return true;
    }
    return afxi_load_path(m->load, node->file, name, out, AFXI_PATH_SIZE);
}

static bool check_circle(AfxiMjcf *m, const AfxiXmlNode *node, const char *path, const Open *open) {
    for (; open; open = open->above) {
        if (strcmp(open->path, path) == 0) {
            return afxi_xml_error(m->load, node, "file", "the file includes itself", "break the circle");
        }
    }
    return true;
}

/** The elements of an included file. */
static bool read_include(AfxiMjcf *m, AfxiXmlNode *include, const char *main_path, const Open *open,
                         AfxiXmlNode **out_root) {
    const char *name;
    char path[AFXI_PATH_SIZE];
    AfxiText text;
    if (!afxi_xml_need(m->load, include, "file", &name) || !find_file(m, include, main_path, name, path) ||
        !check_circle(m, include, path, open) || !afxi_load_enter(m->load, include->file, include->line)) {
        return false;
    }
    bool good = afxi_load_read(m->load, path, include->file, include->line, &text) &&
                afxi_xml_parse(m->load, &m->arena, &text, path, out_root);
    afxi_load_release(m->load, &text);
    if (good) {
        Open here = {path, open};
        good = place_includes(m, *out_root, main_path, &here);
    }
    afxi_load_leave(m->load);
    return good;
}

/** Puts the children of `root` where *link points at an include. */
static void splice(AfxiXmlNode *parent, AfxiXmlNode **link, AfxiXmlNode *root) {
    AfxiXmlNode *include = *link;
    for (AfxiXmlNode *child = root->first; child; child = child->next) {
        child->parent = parent;
    }
    if (root->first) {
        *link = root->first;
        root->last->next = include->next;
    } else {
        *link = include->next;
    }
}

/** Includes among the children of one element. */
static bool place_children(AfxiMjcf *m, AfxiXmlNode *parent, const char *main_path, const Open *open) {
    AfxiXmlNode **link = &parent->first;
    parent->last = NULL;
    while (*link) {
        AfxiXmlNode *root = NULL;
        if (afxi_xml_is(*link, "include")) {
            if (!read_include(m, *link, main_path, open, &root)) {
                return false;
            }
            splice(parent, link, root);
            if (!root->first) {
                continue;
            }
        }
        parent->last = root ? root->last : *link; /* the includes of an included file are in place */
        link = &parent->last->next;
    }
    return true;
}

static bool place_includes(AfxiMjcf *m, AfxiXmlNode *parent, const char *main_path, const Open *open) {
    AfxiXmlNode *at = parent;
    for (;;) { /* in document order, without recursion */
        if (!place_children(m, at, main_path, open)) {
            return false;
        }
        if (at->first) {
            at = at->first;
            continue;
        }
        while (at != parent && !at->next) {
            at = at->parent;
        }
        if (at == parent) {
            return true;
        }
        at = at->next;
    }
}

static bool read_model(AfxiMjcf *m, AfxiMjcfModel *model, const AfxiText *text) {
    Open here = {model->path, NULL};
    if (!afxi_xml_parse(m->load, &m->arena, text, model->path, &model->root)) {
        return false;
    }
    if (!afxi_xml_is(model->root, "mujoco")) {
        return afxi_xml_error(m->load, model->root, NULL, "the first element is not mujoco", "give an MJCF file");
    }
    model->root->used = true;
    model->name = afxi_xml_text(model->root, "model");
    return place_includes(m, model->root, model->path, &here) && afxi_mjcf_read_settings(m, model) &&
           afxi_mjcf_read_classes(m, model) && afxi_mjcf_list_assets(m, model);
}

bool afxi_mjcf_open(AfxiMjcf *m, const AfxiText *text, const char *path, const AfxiXmlNode *from,
                    AfxiMjcfModel **out_model) {
    AfxiMjcfModel *model = afxi_xml_take(m->load, &m->arena, sizeof *model);
    const char *copy = model ? afxi_xml_copy(m->load, &m->arena, path, strlen(path)) : NULL;
    if (!copy) {
        return false;
    }
    *model = (AfxiMjcfModel){.next = m->models, .path = copy};
    m->models = model;
    *out_model = model;
    if (text) {
        m->main = model;
        return read_model(m, model, text);
    }
    AfxiText own;
    bool good = afxi_load_read(m->load, path, from->file, from->line, &own) && read_model(m, model, &own);
    afxi_load_release(m->load, &own);
    return good;
}

/** The model of an asset element `model`, opened when it is not yet. */
static bool open_asset(AfxiMjcf *m, const AfxiMjcfModel *asker, AfxiXmlNode *asset, AfxiMjcfModel **out_model) {
    const char *name;
    char path[AFXI_PATH_SIZE];
    asset->used = true;
    if (!afxi_xml_need(m->load, asset, "file", &name) || !find_file(m, asset, asker->path, name, path)) {
        return false;
    }
    for (*out_model = m->models; *out_model; *out_model = (*out_model)->next) {
        if (strcmp((*out_model)->path, path) == 0) {
            return true;
        }
    }
    return afxi_mjcf_open(m, NULL, path, asset, out_model);
}

bool afxi_mjcf_find_model(AfxiMjcf *m, AfxiMjcfModel *asker, AfxiXmlNode *attach, AfxiMjcfModel **out_model) {
    const char *wanted = afxi_xml_text(attach, "model");
    *out_model = asker;
    if (!wanted) {
        return true;
    }
    for (AfxiXmlNode *section = asker->root->first; section; section = section->next) {
        for (AfxiXmlNode *node = afxi_xml_is(section, "asset") ? section->first : NULL; node; node = node->next) {
            if (!afxi_load_work(m->load, 1, attach->file, attach->line)) {
                return false;
            }
            if (!afxi_xml_is(node, "model")) {
                continue;
            }
            const char *name = afxi_xml_text(node, "name");
            if (name && strcmp(name, wanted) != 0) {
                continue;
            }
            if (!open_asset(m, asker, node, out_model)) {
                return false;
            }
            if (name || ((*out_model)->name && strcmp((*out_model)->name, wanted) == 0)) {
                return true;
            }
        }
    }
    char text[120];
    snprintf(text, sizeof text, "there is no model \"%.80s\" among the assets", wanted);
    return afxi_xml_error(m->load, attach, "model", text, "name one in asset/model");
}
