/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a scene: arguments, format, one function per format, and the scene empty again when something fails. */
#include "load/load.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "scene/scene.h"

/* Notices of one load; a file that has more is best looked at by what the first ones say. */
#define NOTICES_MOST 1000u
#define MEBIBYTE (1024u * 1024u)

AfxLoadDef afx_default_load(void) {
    return (AfxLoadDef){.cookie = AFXI_COOKIE,
                        .fixed_base = true,
                        .meshes = true,
                        .bytes_most = 256u * (uint64_t)MEBIBYTE,
                        .items_most = 10000000,
                        .depth_most = 64};
}

/* ---- errors and notices ---- */

/** A path as far as it fits: its end, which tells most. */
static void copy_path(char *out, size_t size, const char *path) {
    size_t length = strlen(path);
    if (length < size) {
        memcpy(out, path, length + 1);
    } else {
        snprintf(out, size, "...%s", path + (length - (size - 4)));
    }
}

bool afxi_load_error(AfxiLoad *load, AfxStatus status, const char *file, int line, const char *element,
                     const char *text, const char *cure) {
    if (load->error.status == AFX_OK) {
        afxi_error(&load->error, status, element, text, cure);
        load->error.line = line;
        copy_path(load->error.file, sizeof load->error.file, file ? file : "");
    }
    return false;
}

bool afxi_load_scene_error(AfxiLoad *load, const char *file, int line) {
    const AfxError *error = afx_scene_error(load->scene);
    return afxi_load_error(load, error->status, file, line, error->element, error->text, error->cure);
}

bool afxi_load_memory_error(AfxiLoad *load, const char *file, int line) {
    return afxi_load_error(load, AFX_E_MEMORY, file, line, "scene", "there is no memory for it",
                           "load a smaller scene, or free some memory");
}

/** Enters a hash; false when it was there, or there are too many. An allocation that fails sets the error. */
static bool is_new(AfxiLoad *load, uint64_t hash, const char *file, int line) {
    if (load->told_count > NOTICES_MOST) {
        return false;
    }
    for (uint32_t k = 0; k < load->told_count; k++) {
        if (load->told[k] == hash) {
            return false;
        }
    }
    void *told = load->told;
    AfxStatus status =
        afxi_array_reserve(&load->allocator, &told, &load->told_capacity, load->told_count + 1, sizeof *load->told);
    load->told = told;
    if (status) {
        return afxi_load_memory_error(load, file, line);
    }
    load->told[load->told_count++] = hash;
    return true;
}

bool afxi_load_notice(AfxiLoad *load, AfxNoticeKind kind, const char *file, int line, const char *element,
                      const char *text) {
    uint64_t hash = afxi_hash(AFXI_HASH_START + (uint64_t)kind, file, strlen(file));
    hash = afxi_hash(hash, element, strlen(element));
    if (load->def->strict) {
        return afxi_load_error(load, AFX_E_INPUT, file, line, element, text,
                               "take it out of the file, or load it without strict");
    }
    if (is_new(load, hash, file, line) && load->def->notice) {
        AfxNotice notice = {kind, file, line, element, text};
        if (load->told_count > NOTICES_MOST) {
            notice.element = "file";
            notice.text = "there is more of this kind, which is not listed";
        }
        load->def->notice(load->def->notice_user, &notice);
    }
    return load->error.status == AFX_OK;
}

void afxi_load_release_told(AfxiLoad *load) {
    afxi_release(&load->allocator, load->told, load->told_capacity * sizeof *load->told);
    load->told = NULL;
    load->told_count = load->told_capacity = 0;
}

bool afxi_load_items(AfxiLoad *load, uint64_t count, const char *what, const char *file, int line) {
    uint32_t most = load->def->items_most;
    if (load->held <= most && count <= most - load->held) {
        return true;
    }
    char text[120];
    snprintf(text, sizeof text, "it makes %llu %s, and the limit is %lu", (unsigned long long)count, what,
             (unsigned long)load->def->items_most);
    return afxi_load_error(load, AFX_E_LIMIT, file, line, "scene", text, "raise AfxLoadDef.items_most if it is meant");
}

bool afxi_load_enter(AfxiLoad *load, const char *file, int line) {
    if (load->depth >= load->def->depth_most) {
        char text[120];
        snprintf(text, sizeof text, "files and groups are nested more than %lu deep",
                 (unsigned long)load->def->depth_most);
        return afxi_load_error(load, AFX_E_LIMIT, file, line, "include", text,
                               "look for a file that includes itself, or raise AfxLoadDef.depth_most");
    }
    load->depth++;
    return true;
}

void afxi_load_leave(AfxiLoad *load) {
    load->depth--;
}

/* ---- formats ---- */

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

/** Behind the next `mark`, or NULL. */
static const char *skip_past(const char *p, const char *mark) {
    const char *found = strstr(p, mark);
    return found ? found + strlen(mark) : NULL;
}

/** The first element of an XML text, behind its "<"; NULL when there is none. */
static const char *first_element(const char *p) {
    while (p) {
        p = strchr(p, '<');
        if (!p || (p[1] != '?' && p[1] != '!')) {
            return p ? p + 1 : NULL;
        }
        p = p[1] == '?' ? skip_past(p, "?>") : skip_past(p, strncmp(p, "<!--", 4) == 0 ? "-->" : ">");
    }
    return NULL;
}

static bool is_word(const char *p, const char *word) {
    size_t length = strlen(word);
    return strncmp(p, word, length) == 0 && strchr(" \t\r\n/>", p[length]) != NULL;
}

AfxFormat afxi_load_format(const char *path, const AfxiText *text) {
    static const char mark[] = "\xef\xbb\xbf"; /* a byte order mark */
    if (ends_with(path, ".json")) {
        return AFX_FORMAT_JSON;
    }
    if (ends_with(path, ".urdf")) {
        return AFX_FORMAT_URDF;
    }
    if (ends_with(path, ".mjcf")) {
        return AFX_FORMAT_MJCF;
    }
    const char *p = text->data + (strncmp(text->data, mark, 3) == 0 ? 3 : 0);
    p += strspn(p, " \t\r\n");
    if (*p == '{') {
        return AFX_FORMAT_JSON;
    }
    const char *element = *p == '<' ? first_element(p) : NULL;
    if (element && is_word(element, "robot")) {
        return AFX_FORMAT_URDF;
    }
    return element && is_word(element, "mujoco") ? AFX_FORMAT_MJCF : AFX_FORMAT_AUTO;
}

bool afxi_load_any(AfxiLoad *load, AfxFormat format, const AfxiText *text, const char *path) {
    switch (format == AFX_FORMAT_AUTO ? afxi_load_format(path, text) : format) {
    case AFX_FORMAT_JSON:
        return afxi_load_json(load, text, path);
    case AFX_FORMAT_URDF:
        return afxi_load_urdf(load, text, path);
    case AFX_FORMAT_MJCF:
        return afxi_load_mjcf(load, text, path);
    case AFX_FORMAT_AUTO:
        break;
    }
    return afxi_load_error(load, AFX_E_INPUT, path, 1, "file", "this is no format that can be read",
                           "give scene JSON (.json), URDF (.urdf, <robot>) or MJCF (.xml, <mujoco>)");
}

/* ---- the public functions ---- */

static bool is_empty(const AfxScene *scene) {
    return afx_scene_body_count(scene) == 0 && afx_scene_joint_count(scene) == 0 &&
           afx_scene_marker_count(scene) == 0 && afx_scene_wrench_count(scene) == 0 &&
           afx_scene_drive_count(scene) == 0 && afx_scene_coupling_count(scene) == 0 &&
           afx_scene_spring_count(scene) == 0 && afx_scene_material_count(scene) == 1 &&
           afx_scene_material_pair_count(scene) == 0 && afx_scene_exclusion_count(scene) == 0;
}

/** What a caller can have done wrong, in either function. */
static AfxStatus check_call(const AfxScene *scene, const void *source, const AfxLoadDef *def, const char *call,
                            AfxError *error) {
    if (!scene || !source || !def) {
        return afxi_error(error, AFX_E_ARGUMENT, call, "an argument is NULL",
                          "give a scene, what to read, and a definition from afx_default_load");
    }
    if (def->cookie != AFXI_COOKIE) {
        return afxi_error(error, AFX_E_VERSION, call, "the definition was not made by afx_default_load",
                          "start from afx_default_load()");
    }
    if ((unsigned)def->format > AFX_FORMAT_MJCF || (def->package_count && !def->package_paths)) {
        return afxi_error(error, AFX_E_ARGUMENT, call, "its format or its package paths are not valid",
                          "start from afx_default_load()");
    }
    if (!is_empty(scene)) {
        return afxi_error(error, AFX_E_ARGUMENT, call, "the scene is not empty",
                          "load into a new scene, or call afx_scene_clear first");
    }
    return AFX_OK;
}

static AfxiLoad begin(AfxScene *scene, const AfxLoadDef *def) {
    return (AfxiLoad){.scene = scene, .def = def, .allocator = scene->allocator};
}

/** What a file may set, and is put back when it cannot be read. */
typedef struct Settings {
    AfxVec3 gravity;
    bool contact;
} Settings;

static Settings settings_of(const AfxScene *scene) {
    return (Settings){afx_scene_gravity(scene), afx_scene_contact(scene)};
}

static AfxStatus finish(AfxiLoad *load, bool done, Settings before, AfxError *out_error) {
    done = done && load->error.status == AFX_OK;
    afxi_load_release_told(load);
    if (!done) {
        afx_scene_clear(load->scene);
        afx_scene_set_gravity(load->scene, before.gravity);
        afx_scene_set_contact(load->scene, before.contact);
    }
    if (out_error) {
        *out_error = load->error;
    }
    return load->error.status;
}

AfxStatus afx_scene_load(AfxScene *scene, const char *path, const AfxLoadDef *def, AfxError *out_error) {
    AfxError error = {0};
    AfxStatus status = check_call(scene, path, def, "afx_scene_load", &error);
    if (out_error) {
        *out_error = error;
    }
    if (status) {
        return status;
    }
    Settings before = settings_of(scene);
    AfxiLoad load = begin(scene, def);
    AfxiText text = {0};
    bool done = afxi_load_root(&load, path, true) && afxi_load_read(&load, path, NULL, 0, &text) &&
                afxi_load_any(&load, def->format, &text, path);
    afxi_load_release(&load, &text);
    return finish(&load, done, before, out_error);
}

AfxStatus afx_scene_load_text(AfxScene *scene, const char *text, size_t size, const char *path, const AfxLoadDef *def,
                              AfxError *out_error) {
    AfxError error = {0};
    AfxStatus status = check_call(scene, text, def, "afx_scene_load_text", &error);
    if (!status && def->format == AFX_FORMAT_AUTO) {
        status = afxi_error(&error, AFX_E_ARGUMENT, "afx_scene_load_text", "the format of the text is not given",
                            "set AfxLoadDef.format");
    }
    if (out_error) {
        *out_error = error;
    }
    if (status) {
        return status;
    }
    Settings before = settings_of(scene);
    AfxiLoad load = begin(scene, def);
    AfxiText copy = {0};
    bool done = (!path || afxi_load_root(&load, path, false)) && afxi_load_copy(&load, text, size, &copy) &&
                afxi_load_any(&load, def->format, &copy, path ? path : "(text)");
    afxi_load_release(&load, &copy);
    return finish(&load, done, before, out_error);
}
