/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of bodies. Frames are dissolved into what they hold; replicate is a frame many times over, each a step of
 * `offset` and `euler` from the last; attach puts a body, a frame or all of another model in its place, with names that
 * begin with a prefix. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "load/mjcf.h"
#include "scene/name.h"

/** Where elements are read into. */
typedef struct Place {
    AfxiMjcfScope scope;
    uint32_t body;
    AfxPose frame; /* of the frame elements around, in the body's */
} Place;

static bool read_children(AfxiMjcf *m, const Place *place, AfxiXmlNode *node);

static bool go_down(AfxiMjcf *m, const AfxiXmlNode *node) {
    if (m->depth >= m->depth_most) {
        return afxi_load_error(m->load, AFX_E_LIMIT, node->file, node->line, node->name,
                               "bodies, frames or attachments are nested too deeply",
                               "look for a part that is attached to itself, or raise AfxLoadDef.depth_most");
    }
    m->depth++;
    return true;
}

/** Reads what is in `node` at a deeper level. */
static bool read_inside(AfxiMjcf *m, const Place *place, AfxiXmlNode *node) {
    if (!go_down(m, node)) {
        return false;
    }
    bool good = read_children(m, place, node);
    m->depth--;
    return good;
}

static bool count_copy(AfxiMjcf *m, const AfxiXmlNode *node) {
    return afxi_load_items(m->load, ++m->copies, "copies by replicate and attach", node->file, node->line);
}

/* Pieces of work (afxi_load_work) of one element, and elements that are passed in one piece. */
#define ELEMENT_WORK 3u
#define BODY_WORK 24u /* more for the record of a body, which is large */
#define PASSED_PER_WORK 8u

/** Elements that reading `node` reads, with the copies of replicate; what is attached counts when it is read. In
 * arithmetic that saturates. *too_many is the innermost replicate that makes more than `most`. */
static uint64_t count_elements(const AfxiXmlNode *node, uint32_t depth, uint64_t most, const AfxiXmlNode **too_many) {
    uint64_t total = 0;
    for (const AfxiXmlNode *child = node->first; child && depth > 0; child = child->next) {
        uint64_t copies = 1, inside = 1 + count_elements(child, depth - 1, most, too_many);
        if (afxi_xml_is(child, "replicate")) {
            const char *text = afxi_xml_peek(child, "count");
            double count = text ? strtod(text, NULL) : 0;
            copies = count >= 1 && count <= INT32_MAX ? (uint64_t)count : 1; /* others are refused when they are read */
        }
        uint64_t all = inside > UINT64_MAX / copies ? UINT64_MAX : inside * copies;
        *too_many = all > most && !*too_many ? child : *too_many;
        total = all > UINT64_MAX - total ? UINT64_MAX : total + all;
    }
    return total;
}

static bool use_childclass(AfxiMjcf *m, AfxiMjcfScope *scope, AfxiXmlNode *node) {
    const char *name = afxi_xml_text(node, "childclass");
    if (!name) {
        return true;
    }
    scope->childclass = afxi_mjcf_class(scope->model, name);
    if (!scope->childclass) {
        char text[100];
        snprintf(text, sizeof text, "there is no class \"%.60s\"", name);
        return afxi_xml_error(m->load, node, "childclass", text, "define it in default, or check the spelling");
    }
    return true;
}

/* ---- bodies ---- */

static bool add_record(AfxiMjcf *m, const AfxiMjcfBody *record) {
    void *array = m->bodies;
    if (!afxi_load_work(m->load, BODY_WORK, m->main->path, record->node ? record->node->line : 0)) {
        return false;
    }
    bool good = afxi_mjcf_grow(m, &array, &m->body_capacity, m->body_count, sizeof *m->bodies, "bodies", record->node);
    m->bodies = array;
    if (good) {
        m->bodies[m->body_count++] = *record;
    }
    return good;
}

static AfxiMjcfBody empty_body(const AfxiMjcfModel *model, AfxiXmlNode *node, uint32_t parent) {
    return (AfxiMjcfBody){.node = node,
                          .model = model,
                          .name = "",
                          .parent = parent,
                          .first_joint = AFXI_MJCF_NONE,
                          .last_joint = AFXI_MJCF_NONE,
                          .first_geom = AFXI_MJCF_NONE,
                          .last_geom = AFXI_MJCF_NONE,
                          .pose = {.rotation = {1, 0, 0, 0}},
                          .world = {.rotation = {1, 0, 0, 0}},
                          .start = {.rotation = {1, 0, 0, 0}},
                          .in_group = {.rotation = {1, 0, 0, 0}},
                          .id = afx_world()};
}

static bool read_body(AfxiMjcf *m, const Place *outer, AfxiXmlNode *node) {
    static const char *const booleans[] = {"false", "true", NULL};
    Place place = {outer->scope, m->body_count, afx_pose_identity()};
    AfxiMjcfBody body = empty_body(outer->scope.model, node, outer->body);
    AfxPose own;
    int mocap = 0;
    node->used = true;
    if (!use_childclass(m, &place.scope, node) || !afxi_mjcf_pose(m, body.model, node, &own) ||
        !afxi_xml_word(m->load, node, "mocap", booleans, &mocap) ||
        !afxi_xml_number(m->load, node, "gravcomp", &body.gravcomp)) {
        return false;
    }
    body.mocap = mocap == 1;
    body.pose = afx_pose_compose(outer->frame, own);
    body.world = afx_pose_compose(m->bodies[outer->body].world, body.pose);
    body.name = afxi_mjcf_name(m, &outer->scope, afxi_xml_text(node, "name"));
    if (!body.name || !afxi_mjcf_enter(m, &m->body_names, node, body.name, place.body) || !add_record(m, &body) ||
        !read_inside(m, &place, node)) {
        return false;
    }
    if (body.mocap && (outer->body != 0 || m->bodies[place.body].first_joint != AFXI_MJCF_NONE)) {
        return afxi_xml_error(m->load, node, "mocap", "a mocap body must be a child of the world without joints",
                              "move it to worldbody, and take its joints away");
    }
    return true;
}

static bool read_inertial(AfxiMjcf *m, const Place *place, AfxiXmlNode *node) {
    AfxiMjcfBody *body = m->bodies + place->body;
    if (place->body == 0 || body->node != node->parent) {
        return afxi_xml_error(m->load, node, NULL, "it stands outside a body", "move it into one");
    }
    return afxi_mjcf_read_inertial(m, place->scope.model, node, body);
}

/* ---- frames ---- */

static bool read_frame(AfxiMjcf *m, const Place *outer, AfxiXmlNode *node) {
    Place place = *outer;
    AfxPose own;
    node->used = true;
    afxi_xml_text(node, "name"); /* for attach */
    if (!use_childclass(m, &place.scope, node) || !afxi_mjcf_pose(m, place.scope.model, node, &own)) {
        return false;
    }
    place.frame = afx_pose_compose(outer->frame, own);
    return read_inside(m, &place, node);
}

/** Keeps the suffix of one copy, once. */
static bool add_suffix(AfxiMjcf *m, const AfxiXmlNode *node, const char *suffix) {
    if (afxi_names_find(&m->suffix_names, suffix) != AFXI_MJCF_NONE) {
        return true;
    }
    if (afxi_names_reserve(&m->suffix_names, &m->load->allocator) != AFX_OK) {
        return afxi_load_memory_error(m->load, node->file, node->line);
    }
    void *array = m->suffixes;
    bool good = afxi_mjcf_grow(m, &array, &m->suffix_capacity, m->suffix_count, sizeof *m->suffixes, "copies", node);
    m->suffixes = array;
    if (good) {
        afxi_names_add(&m->suffix_names, suffix, m->suffix_count);
        m->suffixes[m->suffix_count++] = suffix;
    }
    return good;
}

/** sep + number, with as many digits as the count has, + the suffix around. */
static const char *make_suffix(AfxiMjcf *m, const char *separator, int count, int number, const char *outer) {
    size_t size = strlen(separator) + strlen(outer) + 16;
    char *suffix = afxi_xml_take(m->load, &m->arena, size);
    if (suffix) {
        int digits = snprintf(NULL, 0, "%d", count);
        snprintf(suffix, size, "%s%0*d%s", separator, digits, number, outer);
    }
    return suffix;
}

static bool read_replicate(AfxiMjcf *m, const Place *outer, AfxiXmlNode *node) {
    Place place = *outer;
    AfxPose step = afx_pose_identity(), at = outer->frame;
    double euler[3] = {0, 0, 0};
    const char *separator = afxi_xml_text(node, "sep"), *text;
    int count = 0;
    node->used = true;
    if (!afxi_xml_need(m->load, node, "count", &text) || !afxi_xml_integer(m->load, node, "count", &count) ||
        !afxi_xml_vec3(m->load, node, "offset", &step.position) ||
        !afxi_xml_numbers(m->load, node, "euler", 3, 3, euler, NULL) || !use_childclass(m, &place.scope, node)) {
        return false;
    }
    if (count < 0) {
        return afxi_xml_error(m->load, node, "count", "it is negative", "give 0 or more");
    }
    if (separator && strlen(separator) + strlen(outer->scope.suffix) + 16 > AFXI_NAME_SIZE) {
        return afxi_xml_error(m->load, node, "sep", "names with it are longer than 255 bytes", "use a shorter one");
    }
    step.rotation = afxi_mjcf_euler(outer->scope.model, euler);
    for (int k = 0; k < count; k++) {
        place.frame = at;
        place.scope.suffix = make_suffix(m, separator ? separator : "", count, k, outer->scope.suffix);
        if (!place.scope.suffix || !count_copy(m, node) || !add_suffix(m, node, place.scope.suffix) ||
            !read_inside(m, &place, node)) {
            return false;
        }
        at = afx_pose_compose(at, step);
    }
    return true;
}

/* ---- attach ---- */

/** The first element `kind` of this name under the worldbody elements of a model. */
static AfxiXmlNode *find_part(const AfxiMjcfModel *model, const char *kind, const char *name, uint64_t *passed) {
    for (AfxiXmlNode *world = model->root->first; world; world = world->next) {
        AfxiXmlNode *at = afxi_xml_is(world, "worldbody") ? world->first : NULL;
        while (at) {
            ++*passed;
            const char *own = afxi_xml_is(at, kind) ? afxi_xml_text(at, "name") : NULL;
            if (own && strcmp(own, name) == 0) {
                return at;
            }
            if (at->first) {
                at = at->first;
                continue;
            }
            while (at != world && !at->next) {
                at = at->parent;
            }
            at = at == world ? NULL : at->next;
        }
    }
    return NULL;
}

/** The class that elements around a part give it. */
static bool class_around(AfxiMjcf *m, AfxiMjcfScope *scope, const AfxiXmlNode *part) {
    scope->childclass = NULL;
    for (AfxiXmlNode *node = part->parent; node && !scope->childclass; node = node->parent) {
        if (!use_childclass(m, scope, node)) {
            return false;
        }
    }
    return true;
}

static bool add_instance(AfxiMjcf *m, const AfxiXmlNode *node, const AfxiMjcfScope *scope, bool attached) {
    void *array = m->instances;
    bool good =
        afxi_mjcf_grow(m, &array, &m->instance_capacity, m->instance_count, sizeof *m->instances, "attachments", node);
    m->instances = array;
    if (good) {
        m->instances[m->instance_count] = (AfxiMjcfInstance){.scope = *scope, .attached = attached};
        m->instances[m->instance_count++].scope.childclass = NULL;
        scope->model->attached = true;
    }
    return good;
}

/** A body or a frame by name, or all of the world. */
static bool attach_part(AfxiMjcf *m, Place *place, AfxiXmlNode *node) {
    const char *body = afxi_xml_text(node, "body"), *frame = afxi_xml_text(node, "frame");
    const char *name = body ? body : frame;
    if (!name) {
        place->scope.childclass = NULL;
        for (AfxiXmlNode *world = place->scope.model->root->first; world; world = world->next) {
            if (afxi_xml_is(world, "worldbody")) {
                world->used = true;
                if (!read_inside(m, place, world)) {
                    return false;
                }
            }
        }
        return true;
    }
    uint64_t passed = 0;
    AfxiXmlNode *part = find_part(place->scope.model, body ? "body" : "frame", name, &passed);
    if (!afxi_load_work(m->load, passed / PASSED_PER_WORK, node->file, node->line)) {
        return false;
    }
    if (!part) {
        char text[120];
        snprintf(text, sizeof text, "the model has no %s \"%.60s\"", body ? "body" : "frame", name);
        return afxi_xml_error(m->load, node, body ? "body" : "frame", text, "check the spelling");
    }
    return class_around(m, &place->scope, part) && (body ? read_body : read_frame)(m, place, part);
}

static bool read_attach(AfxiMjcf *m, const Place *outer, AfxiXmlNode *node) {
    Place place = *outer;
    const char *prefix = afxi_xml_text(node, "prefix");
    size_t size = strlen(outer->scope.prefix) + strlen(prefix ? prefix : "") + 1;
    node->used = true;
    if (size > AFXI_NAME_SIZE) {
        return afxi_xml_error(m->load, node, "prefix", "names with it are longer than 255 bytes", "use a shorter one");
    }
    char *full = afxi_xml_take(m->load, &m->arena, size);
    if (!full || !count_copy(m, node) || !afxi_mjcf_find_model(m, outer->scope.model, node, &place.scope.model)) {
        return false;
    }
    snprintf(full, size, "%s%s", outer->scope.prefix, prefix ? prefix : "");
    place.scope.prefix = full;
    if (!go_down(m, node)) {
        return false;
    }
    bool good = attach_part(m, &place, node) && add_instance(m, node, &place.scope, true);
    m->depth--;
    return good;
}

/* ---- what is in a body or frame ---- */

static bool read_element(AfxiMjcf *m, const Place *place, AfxiXmlNode *node) {
    if (!afxi_load_work(m->load, ELEMENT_WORK + (uint64_t)node->weight, node->file, node->line)) {
        return false;
    }
    static const struct {
        const char *name;
        bool (*read)(AfxiMjcf *m, const Place *place, AfxiXmlNode *node);
    } branches[] = {{"body", read_body},
                    {"frame", read_frame},
                    {"replicate", read_replicate},
                    {"attach", read_attach},
                    {"inertial", read_inertial}};
    static const struct {
        const char *name;
        bool (*read)(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, uint32_t body, AfxPose frame);
    } leaves[] = {{"joint", afxi_mjcf_read_joint},
                  {"freejoint", afxi_mjcf_read_joint},
                  {"geom", afxi_mjcf_read_geom},
                  {"site", afxi_mjcf_read_site},
                  {"camera", afxi_mjcf_read_camera}};
    for (size_t k = 0; k < sizeof branches / sizeof branches[0]; k++) {
        if (afxi_xml_is(node, branches[k].name)) {
            return branches[k].read(m, place, node);
        }
    }
    for (size_t k = 0; k < sizeof leaves / sizeof leaves[0]; k++) {
        if (afxi_xml_is(node, leaves[k].name)) {
            return leaves[k].read(m, &place->scope, node, place->body, place->frame);
        }
    }
    return true; /* lights and what else is told at the end */
}

static bool read_children(AfxiMjcf *m, const Place *place, AfxiXmlNode *node) {
    for (AfxiXmlNode *child = node->first; child; child = child->next) {
        if (!read_element(m, place, child)) {
            return false;
        }
    }
    return true;
}

bool afxi_mjcf_read_tree(AfxiMjcf *m) {
    Place place = {{m->main, "", "", NULL}, 0, afx_pose_identity()};
    AfxiMjcfBody world = empty_body(m->main, NULL, 0);
    if (!add_record(m, &world) || !afxi_mjcf_enter(m, &m->body_names, m->main->root, "world", 0) ||
        !add_instance(m, m->main->root, &place.scope, false)) {
        return false;
    }
    for (AfxiXmlNode *node = m->main->root->first; node; node = node->next) {
        if (afxi_xml_is(node, "worldbody")) {
            node->used = true;
            const AfxiXmlNode *too_many = NULL;
            uint64_t count = count_elements(node, m->depth_most, m->load->def->items_most, &too_many);
            int line = too_many ? too_many->line : node->line;
            if (!afxi_load_items(m->load, count, "elements with the copies of replicate", node->file, line) ||
                !read_inside(m, &place, node)) {
                return false;
            }
        }
    }
    return true;
}
