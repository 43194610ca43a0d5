/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a scene, on top of all formats: arguments, which format it is, its function, and the scene empty again when
 * something fails. Nothing below calls this file; a group of a scene file that names another file reads it through
 * AfxiLoad.read. */
#include <string.h>
#include <strings.h>

#include "base/status.h"
#include "load/load.h"
#include "scene/scene.h"

#define MEBIBYTE (1024u * 1024u)

AfxLoadDef afx_default_load(void) {
    return (AfxLoadDef){.cookie = AFXI_COOKIE,
                        .fixed_base = true,
                        .meshes = true,
                        .bytes_most = 256u * (uint64_t)MEBIBYTE,
                        .items_most = 1000000,
                        .depth_most = 64};
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
    if (ends_with(path, ".sdf") || ends_with(path, ".world")) {
        return AFX_FORMAT_SDF;
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
    if (element && is_word(element, "sdf")) {
        return AFX_FORMAT_SDF;
    }
    return element && is_word(element, "mujoco") ? AFX_FORMAT_MJCF : AFX_FORMAT_AUTO;
}

/** Calls the function of the format (AUTO: afxi_load_format). */
static bool read_any(AfxiLoad *load, AfxFormat format, const AfxiText *text, const char *path) {
    format = format == AFX_FORMAT_AUTO ? afxi_load_format(path, text) : format;
    if (load->depth == 0 && load->def->parameter_count > 0 && format != AFX_FORMAT_JSON && format != AFX_FORMAT_AUTO) {
        return afxi_load_error(load, AFX_E_INPUT, path, 1, load->def->parameters[0],
                               "a file of this format has no parameters", "leave it out; scene JSON can have some");
    }
    switch (format) {
    case AFX_FORMAT_JSON:
        return afxi_load_json(load, text, path);
    case AFX_FORMAT_URDF:
        return afxi_load_urdf(load, text, path);
    case AFX_FORMAT_MJCF:
        return afxi_load_mjcf(load, text, path);
    case AFX_FORMAT_SDF:
        return afxi_load_sdf(load, text, path);
    case AFX_FORMAT_AUTO:
        break;
    }
    return afxi_load_error(
        load, AFX_E_INPUT, path, 1, "file", "this is no format that can be read",
        "give scene JSON (.json), URDF (.urdf, <robot>), SDF (.sdf, <sdf>) or MJCF (.xml, <mujoco>)");
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
    if ((unsigned)def->format > AFX_FORMAT_SDF || (def->package_count && !def->package_paths) ||
        (def->parameter_count && !def->parameters)) {
        return afxi_error(error, AFX_E_ARGUMENT, call, "its format, package paths or parameters are not valid",
                          "start from afx_default_load()");
    }
    if (!is_empty(scene)) {
        return afxi_error(error, AFX_E_ARGUMENT, call, "the scene is not empty",
                          "load into a new scene, or call afx_scene_clear first");
    }
    return AFX_OK;
}

static AfxiLoad begin(AfxScene *scene, const AfxLoadDef *def) {
    if (def->run) {
        *def->run = afx_default_run();
    }
    return (AfxiLoad){.scene = scene, .def = def, .read = read_any, .allocator = scene->allocator};
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
    afxi_load_forget(load);
    if (!done) {
        if (load->def->run) {
            *load->def->run = afx_default_run();
        }
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
                read_any(&load, def->format, &text, path);
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
                read_any(&load, def->format, &copy, path ? path : "(text)");
    afxi_load_release(&load, &copy);
    return finish(&load, done, before, out_error);
}
