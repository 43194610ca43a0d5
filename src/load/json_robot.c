/* SPDX-License-Identifier: Apache-2.0 */
/* The object "robot" of a scene file: generalised coordinates, controls, keyframes and sites. Its numbers are in SI
 * whatever the units of the file, but for places of sites. */
#include <string.h>

#include "base/memory.h"
#include "load/json.h"
#include "scene/scene.h"

static bool read_coordinate(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node) {
    const AfxiJsonNode *kind, *of;
    char name[AFXI_NAME_SIZE];
    uint32_t index = 0;
    bool absent = false, turns;
    if (!afxi_json_keys(file, node, "name kind joint axis sign offset body") ||
        !afxi_json_need(file, node, "kind", &kind) || !afxi_json_word(file, kind, "axis ball free", &index)) {
        return false;
    }
    AfxGeneralizedDef def = afx_default_generalized((AfxGeneralizedKind)index);
    bool free = def.kind == AFX_GENERALIZED_FREE;
    if (!afxi_json_name(file, scope, node, name, &def.name) ||
        !afxi_json_need(file, node, free ? "body" : "joint", &of) ||
        !(free ? afxi_json_body_ref(file, scope, of, false, &def.body, &absent)
               : afxi_json_joint_ref(file, scope, of, &def.joint, &absent)) ||
        (def.kind == AFX_GENERALIZED_AXIS && !afxi_json_axis(file, node, def.joint, &def.axis, &turns)) ||
        !afxi_json_number(file, node, "sign", 1, &def.sign) ||
        !afxi_json_number(file, node, "offset", 1, &def.offset)) {
        return false;
    }
    return afx_scene_add_generalized(file->load->scene, &def) == AFX_OK || afxi_json_scene_error(file, node);
}

/** What a control acts on: a drive by its name or number, a wrench by its number, or a body that adheres. */
static bool read_acted(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                       AfxControlDef *def) {
    const AfxScene *scene = file->load->scene;
    const AfxiJsonNode *drive = afxi_json_get(node, "drive"), *wrench = afxi_json_get(node, "wrench");
    uint32_t index = UINT32_MAX;
    if (drive && json_is_string(drive->value)) {
        index = afxi_names_find(&scene->drive_names, json_string_value(drive->value));
        if (index == UINT32_MAX) {
            return afxi_json_error(file, drive, "there is no drive of this name", "check the spelling");
        }
    } else if (drive && !afxi_json_whole_at(file, drive, UINT32_MAX - 1, &index)) {
        return false;
    }
    def->drive = drive ? (AfxDriveId){index, scene->id} : def->drive;
    if (wrench && !afxi_json_whole_at(file, wrench, UINT32_MAX - 1, &index)) {
        return false;
    }
    def->wrench = wrench ? (AfxWrenchId){index, scene->id} : def->wrench;
    const AfxiJsonNode *adhesion = afxi_json_get(node, "adhesion");
    bool absent = false;
    return !adhesion || afxi_json_body_ref(file, scope, adhesion, false, &def->adhesion, &absent);
}

static bool read_activation(const AfxiJsonFile *file, const AfxiJsonNode *control, AfxActivation *out) {
    const AfxiJsonNode *node = afxi_json_get(control, "activation"), *time = node ? afxi_json_get(node, "time") : NULL;
    const char *kind = NULL;
    if (!node) {
        return true;
    }
    if (!afxi_json_keys(file, node, "kind time lower upper start") || !afxi_json_text(file, node, "kind", &kind) ||
        (time && !afxi_json_numbers_at(file, time, 3, 1, out->time)) ||
        !afxi_json_extended(file, node, "lower", 1, &out->lower) ||
        !afxi_json_extended(file, node, "upper", 1, &out->upper) ||
        !afxi_json_number(file, node, "start", 1, &out->start)) {
        return false;
    }
    for (int k = 0; k <= AFX_ACTIVATION_MUSCLE; k++) {
        if (kind && strcmp(kind, afx_activation_name((AfxActivationKind)k)) == 0) {
            out->kind = (AfxActivationKind)k;
            return true;
        }
    }
    return afxi_json_error(file, node, "its kind is none", "give integrator, filter, filterexact or muscle");
}

static bool read_muscle(const AfxiJsonFile *file, const AfxiJsonNode *control, AfxMuscle *out) {
    const AfxiJsonNode *node = afxi_json_get(control, "muscle");
    if (!node) {
        return true;
    }
    const AfxiJsonNode *length = afxi_json_get(node, "length"), *range = afxi_json_get(node, "range");
    return afxi_json_keys(file, node, "force gear offset length range lmin lmax vmax fpmax fvmax") &&
           afxi_json_number(file, node, "force", 1, &out->force) &&
           afxi_json_number(file, node, "gear", 1, &out->gear) &&
           afxi_json_number(file, node, "offset", 1, &out->offset) &&
           (!length || afxi_json_numbers_at(file, length, 2, 1, out->length)) &&
           (!range || afxi_json_numbers_at(file, range, 2, 1, out->range)) &&
           afxi_json_number(file, node, "lmin", 1, &out->lmin) && afxi_json_number(file, node, "lmax", 1, &out->lmax) &&
           afxi_json_number(file, node, "vmax", 1, &out->vmax) &&
           afxi_json_number(file, node, "fpmax", 1, &out->fpmax) &&
           afxi_json_number(file, node, "fvmax", 1, &out->fvmax);
}

static bool read_safety(const AfxiJsonFile *file, const AfxiJsonNode *control, AfxSafety *out) {
    const AfxiJsonNode *node = afxi_json_get(control, "safety"), *brake;
    out->brake.scene = file->load->scene->id;
    return !node || (afxi_json_keys(file, node, "brake lower upper speed position_gain") &&
                     afxi_json_need(file, node, "brake", &brake) &&
                     afxi_json_whole_at(file, brake, UINT32_MAX - 1, &out->brake.index) &&
                     afxi_json_extended(file, node, "lower", 1, &out->lower) &&
                     afxi_json_extended(file, node, "upper", 1, &out->upper) &&
                     afxi_json_extended(file, node, "speed", 1, &out->speed) &&
                     afxi_json_number(file, node, "position_gain", 1, &out->position_gain));
}

static bool read_control(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node) {
    AfxControlDef def = afx_default_control();
    char name[AFXI_NAME_SIZE];
    const AfxiJsonNode *direction = afxi_json_get(node, "direction");
    if (!afxi_json_keys(file, node,
                        "name drive wrench adhesion damping gain offset direction lower upper start gear length "
                        "activation muscle safety") ||
        !afxi_json_name(file, scope, node, name, &def.name) || !read_acted(file, scope, node, &def) ||
        !afxi_json_number(file, node, "damping", 1, &def.damping) ||
        !afxi_json_number(file, node, "gain", 1, &def.gain) ||
        !afxi_json_number(file, node, "offset", 1, &def.offset) ||
        !afxi_json_number(file, node, "start", 1, &def.start) || !afxi_json_number(file, node, "gear", 1, &def.gear) ||
        !afxi_json_number(file, node, "length", 1, &def.length) ||
        !afxi_json_extended(file, node, "lower", 1, &def.lower) ||
        !afxi_json_extended(file, node, "upper", 1, &def.upper) ||
        (direction && !afxi_json_numbers_at(file, direction, 6, 1, def.direction)) ||
        !read_activation(file, node, &def.activation) || !read_muscle(file, node, &def.muscle) ||
        !read_safety(file, node, &def.safety)) {
        return false;
    }
    return afx_scene_add_control(file->load->scene, &def) == AFX_OK || afxi_json_scene_error(file, node);
}

static bool read_keyframe(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node) {
    static const char *const keys[3] = {"qpos", "qvel", "ctrl"};
    const AfxAllocator *allocator = &file->load->allocator;
    AfxKeyframeDef def = afx_default_keyframe();
    char name[AFXI_NAME_SIZE];
    double *numbers[3] = {NULL, NULL, NULL};
    uint32_t counts[3] = {0, 0, 0};
    bool fine = afxi_json_keys(file, node, "name time qpos qvel ctrl") &&
                afxi_json_name(file, scope, node, name, &def.name) &&
                afxi_json_number(file, node, "time", 1, &def.time);
    for (int k = 0; k < 3 && fine; k++) {
        const AfxiJsonNode *list;
        fine = afxi_json_array(file, node, keys[k], &list);
        if (!fine || !list) {
            continue;
        }
        counts[k] = list->count;
        numbers[k] = afxi_allocate(allocator, (counts[k] + 1) * sizeof **numbers);
        fine = numbers[k] ? afxi_json_numbers_at(file, list, counts[k], 1, numbers[k])
                          : (afxi_load_memory_error(file->load, file->path, node->line), false);
    }
    def.qpos = numbers[0];
    def.qvel = numbers[1];
    def.ctrl = numbers[2];
    def.qpos_count = counts[0];
    def.qvel_count = counts[1];
    def.ctrl_count = counts[2];
    fine = fine && (afx_scene_add_keyframe(file->load->scene, &def) == AFX_OK || afxi_json_scene_error(file, node));
    for (int k = 0; k < 3; k++) {
        afxi_release(allocator, numbers[k], numbers[k] ? (counts[k] + 1) * sizeof **numbers : 0);
    }
    return fine;
}

static bool read_site(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node) {
    char name[AFXI_NAME_SIZE];
    const char *text = NULL;
    const AfxiJsonNode *holder;
    AfxPose pose = afx_pose_identity();
    AfxBodyId body;
    AfxSiteId id;
    bool absent = false;
    if (!afxi_json_keys(file, node, "name body position rotation") || !afxi_json_name(file, scope, node, name, &text) ||
        !afxi_json_need(file, node, "body", &holder) ||
        !afxi_json_body_ref(file, scope, holder, false, &body, &absent) || !afxi_json_pose(file, node, &pose)) {
        return false;
    }
    return afx_scene_add_site(file->load->scene, body, text, pose, &id) == AFX_OK || afxi_json_scene_error(file, node);
}

/** Two numbers of shapes; null: all. */
static bool read_part(const AfxiJsonFile *file, const AfxiJsonNode *node, uint32_t part[2]) {
    if (!node) {
        return true;
    }
    if (!json_is_array(node->value) || node->count != 2) {
        return afxi_json_error(file, node, "these are not two shapes", "write [0, null]; null: all of the body");
    }
    const AfxiJsonNode *one = afxi_json_first(node), *two = afxi_json_next(node, one);
    return (json_is_null(one->value) || afxi_json_whole_at(file, one, UINT32_MAX - 1, &part[0])) &&
           (json_is_null(two->value) || afxi_json_whole_at(file, two, UINT32_MAX - 1, &part[1]));
}

/** What only contact sensors have. */
static bool read_contacts(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxSensorDef *def) {
    const AfxiJsonNode *slots = afxi_json_get(node, "slots"), *data = afxi_json_get(node, "data");
    const AfxiJsonNode *reduce = afxi_json_get(node, "reduce"), *subtree = afxi_json_get(node, "subtree");
    const AfxiJsonNode *inside = afxi_json_get(node, "inside");
    double carried[2] = {0, 0};
    if ((slots && !afxi_json_whole_at(file, slots, UINT32_MAX - 1, &def->slots)) ||
        (data && !afxi_json_whole_at(file, data, 127, &def->data)) ||
        (reduce && !afxi_json_word(file, reduce, "none deepest strongest net", &def->reduce)) ||
        (subtree && !afxi_json_numbers_at(file, subtree, 2, 1, carried)) ||
        (inside && !afxi_json_whole_at(file, inside, UINT32_MAX - 1, &def->inside))) {
        return false;
    }
    def->subtree[0] = carried[0] != 0;
    def->subtree[1] = carried[1] != 0;
    return true;
}

static bool read_sensor(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node) {
#define WORD(kind, name, size, on) " " name
    static const char words[] = AFX_SENSOR_TABLE(WORD);
#undef WORD
    const AfxiJsonNode *kind, *object = afxi_json_get(node, "object");
    char name[AFXI_NAME_SIZE];
    uint32_t index = 0;
    if (!afxi_json_keys(file, node,
                        "name kind object cutoff noise reference part zone zone_size field slots "
                        "data reduce subtree inside") ||
        !afxi_json_need(file, node, "kind", &kind) || !afxi_json_word(file, kind, words + 1, &index)) {
        return false;
    }
    AfxSensorDef def = afx_default_sensor((AfxSensorKind)index);
    const AfxiJsonNode *reference = afxi_json_get(node, "reference"), *zone = afxi_json_get(node, "zone"),
                       *size = afxi_json_get(node, "zone_size");
    const AfxiJsonNode *part = afxi_json_get(node, "part");
    uint32_t shape = 0;
    if ((reference && !afxi_json_whole_at(file, reference, UINT32_MAX - 1, &def.reference)) ||
        (zone && !afxi_json_word(file, zone, "box sphere capsule cylinder ellipsoid", &shape)) ||
        (size && !afxi_json_numbers_at(file, size, 3, 1, def.zone_size)) || !read_part(file, part, def.part) ||
        !afxi_json_vec3(file, node, "field", 1, &def.field)) {
        return false;
    }
    def.zone = zone ? 1 + shape : 0;                                       /* in the order of AfxShapeKind */
    def.object = def.kind == AFX_SENSOR_CONTACT ? UINT32_MAX : def.object; /* unless it says which */
    if (!afxi_json_name(file, scope, node, name, &def.name) ||
        (object && !afxi_json_whole_at(file, object, UINT32_MAX - 1, &def.object)) ||
        !afxi_json_number(file, node, "cutoff", 1, &def.cutoff) ||
        !afxi_json_number(file, node, "noise", 1, &def.noise)) {
        return false;
    }
    if (!read_contacts(file, node, &def)) {
        return false;
    }
    return afx_scene_add_sensor(file->load->scene, &def) == AFX_OK || afxi_json_scene_error(file, node);
}

bool afxi_json_read_robot(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *top) {
    static const struct {
        const char *key;
        bool (*read)(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node);
    } parts[] = {{"coordinates", read_coordinate},
                 {"controls", read_control},
                 {"keyframes", read_keyframe},
                 {"sites", read_site},
                 {"sensors", read_sensor}};
    const AfxiJsonNode *robot = afxi_json_get(top, "robot");
    bool fine = !robot || afxi_json_keys(file, robot, "coordinates controls keyframes sites sensors");
    for (size_t k = 0; robot && k < sizeof parts / sizeof parts[0] && fine; k++) {
        const AfxiJsonNode *list, *child;
        fine = afxi_json_array(file, robot, parts[k].key, &list) &&
               afxi_load_items(file->load, list ? list->count : 0, parts[k].key, file->path, robot->line);
        for (child = fine ? afxi_json_first(list) : NULL; child && fine; child = afxi_json_next(list, child)) {
            fine = parts[k].read(file, scope, child);
        }
    }
    return fine;
}
