/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of an SDF file: models in models and in files, and where everything is. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "load/sdf.h"

/* Frames that refer to each other, whatever the caller allows: they are followed by recursion. */
#define DEPTH_MOST 500u

static bool collect_model(AfxiSdf *sdf, AfxiXmlNode *node, AfxiXmlNode *include, uint32_t outer);

static AfxiLoad *load_of(const AfxiSdf *sdf) {
    return sdf->urdf.load;
}

/** OUTER::NAME, or NAME in the world; NULL after an error. */
static const char *full_name(AfxiSdf *sdf, uint32_t outer, const char *name) {
    const char *prefix = sdf->frames[outer].kind == AFXI_SDF_WORLD ? "" : sdf->frames[outer].name;
    size_t size = strlen(prefix) + strlen(name) + 3;
    char *out = afxi_xml_take(load_of(sdf), &sdf->urdf.arena, size);
    if (out) {
        snprintf(out, size, "%s%s%s", prefix, prefix[0] ? "::" : "", name);
    }
    return out;
}

/** Adds a frame; its number is count - 1 then. */
static bool add_frame(AfxiSdf *sdf, AfxiXmlNode *node, AfxiXmlNode *include, AfxiSdfKind kind, uint32_t outer) {
    AfxiLoad *load = load_of(sdf);
    AfxiSdfFrame frame = {.node = node, .include = include, .kind = kind, .model = outer, .link = AFXI_SDF_NONE};
    const char *name = include && afxi_xml_has(include, "name") ? afxi_xml_text(include, "name") : NULL;
    void *array = sdf->frames;
    if (afxi_array_reserve(&load->allocator, &array, &sdf->capacity, sdf->count + 1, sizeof *sdf->frames) != AFX_OK) {
        return afxi_load_memory_error(load, node->file, node->line);
    }
    sdf->frames = array;
    node->used = true;
    const char *own = NULL;
    if (!afxi_xml_need(load, node, "name", &own) || !(frame.name = full_name(sdf, outer, name ? name : own))) {
        return false;
    }
    if (!own[0] || afxi_names_find(&sdf->names, frame.name) != UINT32_MAX) {
        return afxi_xml_error(load, node, "name", own[0] ? "the name is taken already" : "the name is empty",
                              "give every model, link, joint and frame its own");
    }
    frame.fixed = sdf->frames[outer].fixed;
    if (!afxi_load_items(load, sdf->count + 1, "frames", node->file, node->line)) {
        return false;
    }
    if (afxi_names_reserve(&sdf->names, &load->allocator) != AFX_OK) {
        return afxi_load_memory_error(load, node->file, node->line);
    }
    afxi_names_add(&sdf->names, frame.name, sdf->count);
    sdf->frames[sdf->count++] = frame;
    return true;
}

static bool is_true(const char *text) {
    return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

/** The file of an include: that itself, or model.sdf in the folder. */
static bool find_include(AfxiSdf *sdf, const char *uri, char *out) {
    char inside[AFXI_PATH_SIZE];
    int length = snprintf(inside, sizeof inside, "%s/model.sdf", uri);
    bool file = strlen(uri) > 4 && strcmp(uri + strlen(uri) - 4, ".sdf") == 0;
    return file ? afxi_urdf_find_file(&sdf->urdf, uri, out, AFXI_PATH_SIZE)
                : length > 0 && (size_t)length < sizeof inside &&
                      afxi_urdf_find_file(&sdf->urdf, inside, out, AFXI_PATH_SIZE);
}

/** The first model of a file, in place of the include. */
static bool collect_file(AfxiSdf *sdf, AfxiXmlNode *include, uint32_t outer, const char *path) {
    AfxiLoad *load = load_of(sdf);
    AfxiText text = {0};
    AfxiXmlNode *root = NULL, *model = NULL;
    const char *before = sdf->urdf.path;
    if (sdf->root_count == sizeof sdf->roots / sizeof sdf->roots[0]) {
        return afxi_xml_error(load, include, NULL, "too many files are included", "put models into one file");
    }
    bool good = afxi_load_read(load, path, include->file, include->line, &text) &&
                afxi_xml_parse_values(load, &sdf->urdf.arena, &text, path, &root);
    afxi_load_release(load, &text);
    if (!good) {
        return false;
    }
    sdf->roots[sdf->root_count++] = root;
    root->used = true;
    afxi_xml_text(root, "version");
    model = afxi_xml_child(root, "model");
    if (!model) {
        return afxi_xml_error(load, include, "uri", "there is no model in that file", "give the file of a model");
    }
    sdf->urdf.path = afxi_xml_copy(load, &sdf->urdf.arena, path, strlen(path));
    good = sdf->urdf.path && collect_model(sdf, model, include, outer);
    sdf->urdf.path = before;
    return good;
}

static bool collect_include(AfxiSdf *sdf, AfxiXmlNode *include, uint32_t outer) {
    AfxiLoad *load = load_of(sdf);
    const char *uri;
    char path[AFXI_PATH_SIZE];
    include->used = true;
    if (!afxi_xml_need(load, include, "uri", &uri)) {
        return false;
    }
    if (!find_include(sdf, uri, path)) {
        return afxi_xml_error(load, include, "uri", "there is no such model where files may be read",
                              "give the folder that holds it as a package path");
    }
    if (!afxi_load_enter(load, include->file, include->line)) {
        return false;
    }
    bool good = collect_file(sdf, include, outer, path);
    afxi_load_leave(load);
    return good;
}

static bool collect_children(AfxiSdf *sdf, AfxiXmlNode *node, uint32_t model) {
    static const struct {
        const char *name;
        AfxiSdfKind kind;
    } kinds[] = {{"link", AFXI_SDF_LINK}, {"joint", AFXI_SDF_JOINT}, {"frame", AFXI_SDF_FRAME}};
    for (AfxiXmlNode *child = node->first; child; child = child->next) {
        if ((afxi_xml_is(child, "model") && !collect_model(sdf, child, NULL, model)) ||
            (afxi_xml_is(child, "include") && !collect_include(sdf, child, model))) {
            return false;
        }
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            if (afxi_xml_is(child, kinds[k].name) && !add_frame(sdf, child, NULL, kinds[k].kind, model)) {
                return false;
            }
        }
    }
    return true;
}

static bool collect_model(AfxiSdf *sdf, AfxiXmlNode *node, AfxiXmlNode *include, uint32_t outer) {
    AfxiLoad *load = load_of(sdf);
    if (!add_frame(sdf, node, include, AFXI_SDF_MODEL, outer)) {
        return false;
    }
    uint32_t own = sdf->count - 1;
    const char *fixed = include && afxi_xml_has(include, "static") ? afxi_xml_text(include, "static") : NULL;
    sdf->frames[own].fixed |= is_true(fixed ? fixed : afxi_xml_text(node, "static"));
    if (!afxi_load_enter(load, node->file, node->line)) {
        return false;
    }
    bool good = collect_children(sdf, node, own);
    afxi_load_leave(load);
    return good;
}

static bool collect_world(AfxiSdf *sdf, AfxiXmlNode *world) {
    AfxVec3 gravity = {0, 0, -9.8};
    world->used = true;
    afxi_xml_text(world, "name");
    if (!afxi_xml_vec3(load_of(sdf), world, "gravity", &gravity)) {
        return false;
    }
    return (afx_scene_set_gravity(load_of(sdf)->scene, gravity) == AFX_OK ||
            afxi_load_scene_error(load_of(sdf), world->file, world->line)) &&
           collect_children(sdf, world, 0);
}

bool afxi_sdf_collect(AfxiSdf *sdf, AfxiXmlNode *root) {
    void *array = NULL;
    if (afxi_array_reserve(&load_of(sdf)->allocator, &array, &sdf->capacity, 16, sizeof *sdf->frames) != AFX_OK) {
        return afxi_load_memory_error(load_of(sdf), root->file, root->line);
    }
    sdf->frames = array;
    sdf->frames[0] = (AfxiSdfFrame){
        .name = "world", .kind = AFXI_SDF_WORLD, .link = AFXI_SDF_NONE, .busy = 2, .world = afx_pose_identity()};
    sdf->count = 1;
    AfxiXmlNode *world = afxi_xml_child(root, "world");
    return world ? collect_world(sdf, world) : collect_children(sdf, root, 0);
}

/* ---- where they are ---- */

uint32_t afxi_sdf_find(AfxiSdf *sdf, const AfxiXmlNode *node, const char *attribute, uint32_t model, const char *name) {
    char text[160];
    if (strcmp(name, "world") == 0 || strcmp(name, "__root__") == 0) {
        return 0;
    }
    if (strcmp(name, "__model__") == 0) {
        return model;
    }
    for (uint32_t at = model;; at = sdf->frames[at].model) { /* a nested model may name what is around it */
        const char *full = full_name(sdf, at, name);
        uint32_t index = full ? afxi_names_find(&sdf->names, full) : UINT32_MAX;
        if (!full || index != UINT32_MAX) {
            return index;
        }
        if (at == 0) {
            break;
        }
    }
    snprintf(text, sizeof text, "there is no link, joint, frame or model \"%.80s\"", name);
    afxi_xml_error(load_of(sdf), node, attribute, text, "check the spelling");
    return AFXI_SDF_NONE;
}

bool afxi_sdf_pose(AfxiSdf *sdf, AfxiXmlNode *node, AfxPose *out_pose) {
    AfxiLoad *load = load_of(sdf);
    AfxiXmlNode *own = afxi_xml_child(node, "pose");
    double p[7] = {0};
    uint32_t count = 0;
    *out_pose = afx_pose_identity();
    if (!own || !afxi_xml_numbers(load, node, "pose", 6, 7, p, &count) || count == 0) {
        return load->error.status == AFX_OK;
    }
    out_pose->position = vec3(p[0], p[1], p[2]);
    if (count == 7) { /* rotation_format quat_xyzw */
        afxi_xml_text(own, "rotation_format");
        AfxQuat q = {p[6], p[3], p[4], p[5]};
        double length = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        if (!(length > 0)) {
            return afxi_xml_error(load, own, NULL, "its quaternion is 0", "give one of length 1");
        }
        out_pose->rotation = afxi_quat_normalized(q);
        return true;
    }
    double unit = is_true(afxi_xml_text(own, "degrees")) ? 3.14159265358979323846 / 180 : 1;
    afxi_xml_text(own, "rotation_format");
    AfxQuat x = afx_quat_from_axis_angle(vec3(1, 0, 0), unit * p[3]),
            y = afx_quat_from_axis_angle(vec3(0, 1, 0), unit * p[4]),
            z = afx_quat_from_axis_angle(vec3(0, 0, 1), unit * p[5]);
    out_pose->rotation = afx_quat_multiply(z, afx_quat_multiply(y, x));
    return true;
}

/** Which frame the pose of an element is relative to: the one it names, or `otherwise`. */
static uint32_t relative_to(AfxiSdf *sdf, AfxiXmlNode *node, uint32_t model, uint32_t otherwise) {
    AfxiXmlNode *own = afxi_xml_child(node, "pose");
    const char *name = own ? afxi_xml_text(own, "relative_to") : NULL;
    name = own && !name ? afxi_xml_text(own, "frame") : name; /* before version 1.7 */
    return name && name[0] ? afxi_sdf_find(sdf, own, "relative_to", model, name) : otherwise;
}

static bool place(AfxiSdf *sdf, uint32_t index, uint32_t depth);

/** The ends of a joint. */
static bool find_ends(AfxiSdf *sdf, uint32_t index) {
    static const char *const names[2] = {"parent", "child"};
    AfxiXmlNode *node = sdf->frames[index].node;
    for (int k = 0; k < 2; k++) {
        const char *name;
        if (!afxi_xml_need(load_of(sdf), node, names[k], &name)) {
            return false;
        }
        uint32_t end = afxi_sdf_find(sdf, node, names[k], sdf->frames[index].model, name);
        if (end == AFXI_SDF_NONE) {
            return false;
        }
        sdf->frames[index].end[k] = end;
    }
    return true;
}

/** The frame that one is attached to, and moves with; NONE after an error, itself for links and models. */
static uint32_t base_of(AfxiSdf *sdf, uint32_t index) {
    AfxiSdfFrame *frame = sdf->frames + index;
    if (frame->kind == AFXI_SDF_JOINT) {
        return find_ends(sdf, index) ? sdf->frames[index].end[1] : AFXI_SDF_NONE;
    }
    const char *name = frame->kind == AFXI_SDF_FRAME ? afxi_xml_text(frame->node, "attached_to") : NULL;
    return name && name[0] ? afxi_sdf_find(sdf, frame->node, "attached_to", frame->model, name) : frame->model;
}

/** The canonical link of a model: the one it names, or its first. */
static uint32_t model_link(AfxiSdf *sdf, uint32_t model) {
    const char *name = afxi_xml_text(sdf->frames[model].node, "canonical_link");
    if (name) {
        return afxi_sdf_find(sdf, sdf->frames[model].node, "canonical_link", model, name);
    }
    for (uint32_t k = model + 1; k < sdf->count; k++) {
        if (sdf->frames[k].kind == AFXI_SDF_LINK && sdf->frames[k].model == model) {
            return k;
        }
    }
    return 0;
}

static bool place(AfxiSdf *sdf, uint32_t index, uint32_t depth) {
    AfxiSdfFrame *frame = sdf->frames + index;
    AfxPose own;
    if (frame->busy == 2) {
        return true;
    }
    if (frame->busy == 1 || depth > DEPTH_MOST) {
        return afxi_xml_error(load_of(sdf), frame->node, NULL, "its pose depends on itself, or on too many others",
                              "let one frame be relative to the model");
    }
    frame->busy = 1;
    AfxiXmlNode *node = frame->include && afxi_xml_child(frame->include, "pose") ? frame->include : frame->node;
    uint32_t base = base_of(sdf, index);
    uint32_t from = base == AFXI_SDF_NONE ? base : relative_to(sdf, node, frame->model, base);
    if (from == AFXI_SDF_NONE || !place(sdf, base, depth + 1) || !place(sdf, from, depth + 1) ||
        !afxi_sdf_pose(sdf, node, &own)) {
        return false;
    }
    frame->world = afx_pose_compose(sdf->frames[from].world, own);
    bool model = sdf->frames[base].kind == AFXI_SDF_MODEL;
    if (frame->kind == AFXI_SDF_LINK) {
        frame->link = index;
    } else if (frame->kind != AFXI_SDF_MODEL) {
        frame->link = model ? model_link(sdf, base) : sdf->frames[base].link;
    }
    frame->busy = 2;
    return load_of(sdf)->error.status == AFX_OK;
}

bool afxi_sdf_place(AfxiSdf *sdf) {
    for (uint32_t k = 0; k < sdf->count; k++) {
        if (!place(sdf, k, 0)) {
            return false;
        }
    }
    for (uint32_t k = 0; k < sdf->count; k++) { /* joints may name models */
        if (sdf->frames[k].kind == AFXI_SDF_MODEL) {
            sdf->frames[k].link = model_link(sdf, k);
        }
    }
    return load_of(sdf)->error.status == AFX_OK;
}

bool afxi_sdf_pose_in(AfxiSdf *sdf, AfxiXmlNode *node, uint32_t link, AfxPose *out_pose) {
    uint32_t from = relative_to(sdf, node, sdf->frames[link].model, link);
    if (from == AFXI_SDF_NONE || !afxi_sdf_pose(sdf, node, out_pose)) {
        return false;
    }
    if (from != link) {
        AfxPose in_world = afx_pose_compose(sdf->frames[from].world, *out_pose);
        *out_pose = afx_pose_compose(afx_pose_invert(sdf->frames[link].world), in_world);
    }
    return true;
}
