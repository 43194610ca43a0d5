/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks and groups of a scene file. A block is bodies, groups, joints and what acts on them, made in this order, so
 * that all they refer to is there. A group is another file, a block of its own, or both, with a place and a name before
 * its names; it may be repeated. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "load/json.h"
#include "scene/scene.h"

/* Pieces of work (afxi_load_work) of copying one item. */
#define COPY_WORK 3u
#define BLOCK_KEYS "bodies groups joints drives couplings springs markers wrenches exclusions"

static AfxiJsonStart start_here(const AfxiJsonFile *file) {
    return (AfxiJsonStart){afx_scene_body_count(file->load->scene), afx_scene_joint_count(file->load->scene)};
}

/** The scope of one instance of a group; `outer` is where the group stands. */
static bool enter_instance(const AfxiJsonFile *file, const AfxiJsonScope *outer, const AfxiJsonNode *node,
                           const AfxiJsonRepeat *repeat, AfxPose place, AfxiJsonScope *scope) {
    const char *name = "";
    char suffix[AFXI_SUFFIX_SIZE];
    bool moved = afxi_json_get(node, "position") || afxi_json_get(node, "rotation");
    *scope = (AfxiJsonScope){.outer = outer, .place = outer->place, .placed = outer->placed};
    if (!afxi_json_text(file, node, "name", &name)) {
        return false;
    }
    if (moved) {
        scope->place = afxi_json_place_pose(outer, place);
        scope->placed = true;
    }
    afxi_json_repeat_place(repeat, scope);
    afxi_json_repeat_suffix(repeat, suffix);
    int length = snprintf(scope->stem, sizeof scope->stem, "%s%s", outer->prefix, name);
    bool bare = !name[0] && suffix[0]; /* no name: 3/part instead of .3/part */
    int full = snprintf(scope->prefix, sizeof scope->prefix, "%s%s%s", scope->stem, suffix + bare,
                        name[0] || suffix[0] ? "/" : "");
    if (length >= AFXI_NAME_SIZE || full >= AFXI_NAME_SIZE) {
        return afxi_json_error(file, node, "with those around it the name of this group is longer than 255 bytes",
                               "use shorter names");
    }
    return true;
}

/* ---- groups from other files ---- */

/** Of that sort of which there is most; the limit on items holds for all scenes that are there at one time. */
static uint32_t largest_count(const AfxScene *scene) {
    const uint32_t counts[] = {scene->body_count,   scene->use_count,      scene->joint_count,
                               scene->drive_count,  scene->marker_count,   scene->wrench_count,
                               scene->spring_count, scene->coupling_count, scene->exclusion_count};
    uint32_t largest = 0;
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        largest = counts[k] > largest ? counts[k] : largest;
    }
    return largest;
}

/** Reads a file into a scene of its own, which is made here. */
static bool load_part(const AfxiJsonFile *file, const AfxiJsonNode *node, const char *name, AfxScene **out_scene) {
    AfxiLoad *load = file->load;
    AfxScene *outer = load->scene;
    AfxSceneDef def = afx_default_scene();
    AfxiText text = {0};
    char path[AFXI_PATH_SIZE];
    def.allocator = load->allocator;
    def.gravity = afx_scene_gravity(outer);
    if (afx_scene_create(&def, out_scene)) {
        return afxi_load_memory_error(load, file->path, node->line);
    }
    afx_scene_set_contact(*out_scene, afx_scene_contact(outer));
    uint32_t held = load->held;
    const AfxiJsonNode *parameters = load->parameters;
    load->held = held + largest_count(outer);
    load->parameters = afxi_json_get(node, "parameters");
    load->scene = *out_scene;
    bool fine = afxi_load_path(load, file->path, name, path, sizeof path) &&
                afxi_load_read(load, path, file->path, node->line, &text) &&
                load->read(load, AFX_FORMAT_AUTO, &text, path);
    afxi_load_release(load, &text);
    load->scene = outer;
    load->held = held;
    load->parameters = parameters;
    AfxVec3 gravity = afx_scene_gravity(*out_scene);
    if (fine && (gravity.x != def.gravity.x || gravity.y != def.gravity.y || gravity.z != def.gravity.z)) {
        fine = afxi_json_notice(file, node, "its gravity is not that of the scene: it is ignored");
    }
    if (fine && afx_scene_contact(*out_scene) != afx_scene_contact(outer)) {
        fine = afxi_json_notice(file, node, "its contact switch is not that of the scene: it is ignored");
    }
    return fine;
}

/** Whether `total` copies of a part fit in the scene. */
static bool check_copies(const AfxiJsonFile *file, const AfxiJsonNode *node, const AfxScene *part, uint64_t total) {
    const AfxScene *scene = file->load->scene;
    const struct {
        uint32_t there, more;
        const char *what;
    } sorts[] = {
        {scene->body_count, part->body_count, "bodies"},
        {scene->use_count, part->use_count, "shapes"},
        {scene->joint_count, part->joint_count, "joints"},
        {scene->drive_count, part->drive_count, "drives"},
        {scene->marker_count, part->marker_count, "markers"},
        {scene->wrench_count, part->wrench_count, "wrenches"},
        {scene->spring_count, part->spring_count, "springs"},
        {scene->coupling_count, part->coupling_count, "couplings"},
        {scene->exclusion_count, part->exclusion_count, "exclusions"},
    };
    bool fine = true;
    for (size_t k = 0; k < sizeof sorts / sizeof sorts[0] && fine; k++) {
        /* both factors are below 2^32 */
        fine = afxi_load_items(file->load, sorts[k].there + total * sorts[k].more, sorts[k].what, file->path,
                               node->line) &&
               afxi_load_work(file->load, COPY_WORK * total * sorts[k].more, file->path, node->line);
    }
    return fine;
}

/* ---- groups ---- */

/** What a group takes from another file. */
typedef struct Part {
    AfxScene *scene;          /* NULL: nothing */
    AfxMaterialId *materials; /* [material_count] what its materials are here */
    uint32_t material_count;
} Part;

/** Every instance of a group: first what it takes, then its own block. */
static bool add_instances(const AfxiJsonFile *file, const AfxiJsonScope *outer, const AfxiJsonNode *node,
                          AfxiJsonRepeat *repeat, AfxiJsonStart *starts, const Part *part) {
    AfxPose place = afx_pose_identity();
    bool fine = afxi_json_pose(file, node, &place);
    for (; repeat->number < repeat->total && fine; afxi_json_repeat_next(repeat)) {
        AfxiJsonScope scope;
        starts[repeat->number] = start_here(file);
        fine = enter_instance(file, outer, node, repeat, place, &scope);
        scope.start = starts[repeat->number];
        scope.repeat = repeat->directions ? repeat : NULL;
        scope.starts = starts;
        if (fine) {
            fine = (!part->scene || afxi_json_copy_scene(file, &scope, node, part->scene, part->materials)) &&
                   afxi_json_read_block(file, &scope, node);
        }
    }
    return fine;
}

/** Reads the file of a group, and makes its materials here. Free it in any case. */
static bool take_part(const AfxiJsonFile *file, const AfxiJsonNode *node, const char *path, uint32_t copies,
                      Part *part) {
    if (!load_part(file, node, path, &part->scene) || !check_copies(file, node, part->scene, copies)) {
        return false;
    }
    part->material_count = afx_scene_material_count(part->scene);
    part->materials = afxi_allocate(&file->load->allocator, part->material_count * sizeof *part->materials);
    return part->materials ? afxi_json_copy_materials(file, node, part->scene, part->materials)
                           : afxi_load_memory_error(file->load, file->path, node->line);
}

static bool read_group(const AfxiJsonFile *file, const AfxiJsonScope *outer, const AfxiJsonNode *node) {
    const AfxiJsonNode *name = afxi_json_get(node, "file");
    const char *path = NULL;
    AfxiJsonRepeat repeat;
    Part part = {0};
    if (!afxi_json_keys(file, node, "name position rotation repeat file parameters " BLOCK_KEYS) ||
        !afxi_json_text(file, node, "file", &path) || !afxi_json_repeat(file, node, false, &repeat)) {
        return false;
    }
    if (!name && afxi_json_get(node, "parameters")) {
        return afxi_json_error(file, afxi_json_get(node, "parameters"),
                               "parameters are those of a file, and there is none", "give \"file\", or leave them out");
    }
    size_t size = repeat.total * sizeof(AfxiJsonStart);
    AfxiJsonStart *starts = afxi_allocate(&file->load->allocator, size);
    if (!starts) {
        return afxi_load_memory_error(file->load, file->path, node->line);
    }
    bool fine =
        afxi_load_enter(file->load, file->path, node->line); /* groups and files together: it is the stack's depth */
    if (fine) {
        fine = (!name || take_part(file, node, path, repeat.total, &part)) &&
               add_instances(file, outer, node, &repeat, starts, &part);
        afxi_load_leave(file->load);
    }
    afxi_release(&file->load->allocator, starts, size);
    afxi_release(&file->load->allocator, part.materials, part.material_count * sizeof *part.materials);
    afx_scene_destroy(part.scene);
    return fine;
}

/* ---- blocks ---- */

static bool read_joint(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node) {
    return afxi_json_read_joint(file, scope, node, NULL);
}

static bool read_drive(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node) {
    return afxi_json_read_drive(file, scope, node, NULL);
}

static bool read_marker(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node) {
    return afxi_json_read_marker(file, scope, node, NULL);
}

static bool read_wrench(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node) {
    return afxi_json_read_wrench(file, scope, node, NULL);
}

bool afxi_json_read_block(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node) {
    static const struct {
        const char *key;
        bool (*read)(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node);
    } parts[] = {
        {"bodies", afxi_json_read_body},
        {"groups", read_group},
        {"joints", read_joint},
        {"couplings", afxi_json_read_coupling}, /* some drives act on them */
        {"drives", read_drive},
        {"springs", afxi_json_read_spring},
        {"markers", read_marker},
        {"wrenches", read_wrench},
        {"exclusions", afxi_json_read_exclusion},
    };
    bool fine = true;
    for (size_t k = 0; k < sizeof parts / sizeof parts[0] && fine; k++) {
        const AfxiJsonNode *list, *child;
        fine = afxi_json_array(file, node, parts[k].key, &list);
        for (child = fine ? afxi_json_first(list) : NULL; child && fine; child = afxi_json_next(list, child)) {
            fine = parts[k].read(file, scope, child);
        }
    }
    return fine;
}
