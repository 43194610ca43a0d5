/* SPDX-License-Identifier: Apache-2.0 */
/* Joints and drives of a scene file. What a drive's numbers are measured in follows from its axis: lengths and forces
 * along one that slides, angles and torques about one that turns. */
#include <string.h>

#include "load/json.h"

/* The names of all kinds and their aliases, and the free axes of each kind. */
#define KIND_WORD(kind, name, translations, rotations) " " name
#define ALIAS_WORD(alias, kind) " " alias
static const char joint_words[] = AFX_JOINT_TABLE(KIND_WORD) AFX_JOINT_ALIAS_TABLE(ALIAS_WORD);
#define KIND_AXES(kind, name, translations, rotations) {translations, rotations},
static const char *const joint_axes[AFX_JOINT_KIND_COUNT][2] = {AFX_JOINT_TABLE(KIND_AXES)};

/* ---- frames ---- */

/** One or two points on a body. */
static bool read_points(const AfxiJsonFile *file, const AfxiJsonNode *node, uint32_t least, AfxVec3 out_points[2]) {
    if (!json_is_array(node->value) || node->count < least || node->count > 2) {
        return afxi_json_error(file, node, least == 2 ? "these are not two points" : "these are not one or two points",
                               "write [[x, y, z], [x, y, z]]");
    }
    const AfxiJsonNode *first = afxi_json_first(node), *second = first ? afxi_json_next(node, first) : NULL;
    return afxi_json_vec3_at(file, first, file->units.length, &out_points[0]) &&
           (!second || afxi_json_vec3_at(file, second, file->units.length, &out_points[1]));
}

static bool place_on_points(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                            AfxJointDef *def) {
    const AfxiJsonNode *base_node, *follower_node;
    AfxVec3 base[2] = {{0, 0, 0}}, follower[2] = {{0, 0, 0}};
    uint32_t least = def->kind == AFX_JOINT_SPHERICAL || def->kind == AFX_JOINT_DISTANCE ? 1 : 2;
    if (!afxi_json_need(file, node, "base_points", &base_node) ||
        !afxi_json_need(file, node, "follower_points", &follower_node) || !read_points(file, base_node, least, base) ||
        !read_points(file, follower_node, least, follower)) {
        return false;
    }
    for (int k = 0; k < 2; k++) {
        base[k] = def->base.index == UINT32_MAX ? afxi_json_place_point(scope, base[k]) : base[k];
        follower[k] = def->follower.index == UINT32_MAX ? afxi_json_place_point(scope, follower[k]) : follower[k];
    }
    return afx_joint_on_points(file->load->scene, def, base, follower) == AFX_OK || afxi_json_scene_error(file, node);
}

/** A frame of one end; the world's is placed with the scope. */
static bool read_frame(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node, AfxBodyId end,
                       AfxPose *frame) {
    if (node && !afxi_json_pose_at(file, node, frame)) {
        return false;
    }
    if (end.index == UINT32_MAX) {
        *frame = afxi_json_place_pose(scope, *frame);
    }
    return true;
}

/** Frames come from "frame" in the world, from points, or from "base_frame" and "follower_frame". */
static bool read_frames(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                        AfxJointDef *def) {
    const AfxiJsonNode *world = afxi_json_get(node, "frame"), *base = afxi_json_get(node, "base_frame");
    const AfxiJsonNode *follower = afxi_json_get(node, "follower_frame");
    bool points = afxi_json_get(node, "base_points") || afxi_json_get(node, "follower_points");
    if ((world != NULL) + points + (base || follower) > 1) {
        return afxi_json_error(file, node, "its place is given in two ways",
                               "give frame, or base_frame and follower_frame, or base_points and follower_points");
    }
    if (points) {
        return place_on_points(file, scope, node, def);
    }
    if (world) {
        AfxPose frame = afx_pose_identity();
        return afxi_json_pose_at(file, world, &frame) &&
               (afx_joint_place(file->load->scene, def, afxi_json_place_pose(scope, frame)) == AFX_OK ||
                afxi_json_scene_error(file, node));
    }
    return read_frame(file, scope, base, def->base, &def->base_frame) &&
           read_frame(file, scope, follower, def->follower, &def->follower_frame);
}

/* ---- joints ---- */

/** A number that only one kind uses. */
static bool read_own_number(const AfxiJsonFile *file, const AfxiJsonNode *node, const char *key, bool own, double unit,
                            double *value) {
    const AfxiJsonNode *number = afxi_json_get(node, key);
    return !number || ((own || afxi_json_notice(file, number, "this kind of joint does not use it")) &&
                       afxi_json_number_at(file, number, unit, value));
}

/** A number for all three axes, or three. */
static bool read_amounts(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key, double unit,
                         AfxVec3 *value) {
    const AfxiJsonNode *node = afxi_json_get(object, key);
    if (!node || json_is_array(node->value)) {
        return !node || afxi_json_vec3_at(file, node, unit, value);
    }
    bool fine = afxi_json_number_at(file, node, unit, &value->x);
    value->y = value->z = value->x;
    return fine;
}

/** The spring of a ball joint: {"stiffness", "damping", "rest"}. */
static bool read_joint_spring(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxJointSpring *spring) {
    const AfxiJsonUnits *u = &file->units;
    const AfxiJsonNode *object = afxi_json_get(node, "spring");
    double stiffness = u->torque / u->angle;
    return !object || (afxi_json_keys(file, object, "stiffness damping rest") &&
                       read_amounts(file, object, "stiffness", stiffness, &spring->stiffness) &&
                       read_amounts(file, object, "damping", stiffness * u->time, &spring->damping) &&
                       afxi_json_rotation(file, object, "rest", &spring->rest));
}

/** Inertia along the free axes: a number for all, or one for each. */
static bool read_armature(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxJointDef *def) {
    const AfxiJsonNode *armature = afxi_json_get(node, "armature");
    uint32_t slides = (uint32_t)strlen(joint_axes[def->kind][0]), count = afx_joint_axis_count(def->kind);
    const double units[2] = {file->units.mass, file->units.mass * file->units.length * file->units.length};
    if (!armature) {
        return true;
    }
    bool list = json_is_array(armature->value);
    if (list && armature->count != count) {
        return afxi_json_error(file, armature, "this is not one number for each free axis of the joint",
                               "give a number, or an array: translations first, then rotations");
    }
    const AfxiJsonNode *item = list ? afxi_json_first(armature) : armature;
    for (uint32_t k = 0; k < count; k++, item = list ? afxi_json_next(armature, item) : item) {
        if (!item || !afxi_json_number_at(file, item, units[k >= slides], &def->armature[k])) {
            return false;
        }
    }
    return true;
}

static bool read_numbers(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxJointDef *def) {
    const AfxiJsonUnits *u = &file->units;
    return read_own_number(file, node, "length", afx_joint_has_length(def->kind), u->length, &def->length) &&
           read_own_number(file, node, "pitch", def->kind == AFX_JOINT_SCREW, u->length / u->angle, &def->pitch) &&
           afxi_json_boolean(file, node, "active", &def->active) &&
           afxi_json_boolean(file, node, "contact", &def->contact) &&
           afxi_json_number(file, node, "break_force", u->force, &def->break_force) &&
           afxi_json_number(file, node, "break_torque", u->torque, &def->break_torque) &&
           read_joint_spring(file, node, &def->spring) && read_armature(file, node, def);
}

static bool read_ends(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                      const AfxBodyId *ends, AfxJointDef *def, bool *out_absent) {
    const AfxiJsonNode *base = afxi_json_get(node, "base"), *follower;
    bool first = false, second = false;
    if (ends) {
        def->base = ends[0];
        def->follower = ends[1];
        return true;
    }
    bool fine = (!base || afxi_json_body_ref(file, scope, base, true, &def->base, &first)) &&
                afxi_json_need(file, node, "follower", &follower) &&
                afxi_json_body_ref(file, scope, follower, true, &def->follower, &second);
    *out_absent = first || second;
    return fine;
}

/** A universal joint as two hinges on a cross. */
static bool add_cross(const AfxiJsonFile *file, const AfxiJsonNode *node, const AfxJointDef *def) {
    double mass = 0, size = 0;
    const AfxiJsonNode *cross = afxi_json_get(node, "cross"), *drives = afxi_json_get(node, "drives");
    AfxJointId joints[2];
    AfxBodyId body;
    if (drives && drives->count) {
        return afxi_json_error(file, drives, "a joint with a cross is two joints", "give its drives on their own");
    }
    if (!afxi_json_keys(file, cross, "mass size") || !afxi_json_number(file, cross, "mass", file->units.mass, &mass) ||
        !afxi_json_number(file, cross, "size", file->units.length, &size)) {
        return false;
    }
    return afx_scene_add_universal_cross(file->load->scene, def, mass, size, joints, &body) == AFX_OK ||
           afxi_json_scene_error(file, node);
}

static bool add_joint(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                      const AfxJointDef *def) {
    const AfxiJsonNode *drives = afxi_json_get(node, "drives");
    AfxJointId joint;
    bool fine = afx_scene_add_joint(file->load->scene, def, &joint) == AFX_OK || afxi_json_scene_error(file, node);
    for (const AfxiJsonNode *child = afxi_json_first(drives); child && fine; child = afxi_json_next(drives, child)) {
        fine = afxi_json_read_drive(file, scope, child, &joint);
    }
    return fine;
}

bool afxi_json_read_joint(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                          const AfxBodyId *ends) {
    AfxJointDef def = afx_default_joint(AFX_JOINT_FIXED);
    char name[AFXI_NAME_SIZE];
    const AfxiJsonNode *kind, *unused;
    uint32_t index = 0;
    bool absent = false;
    if (!afxi_json_keys(file, node,
                        ends ? "name kind frame base_frame follower_frame base_points follower_points length pitch "
                               "active contact break_force break_torque spring armature drives"
                             : "name kind base follower frame base_frame follower_frame base_points follower_points "
                               "length pitch active contact break_force break_torque spring armature cross drives") ||
        !afxi_json_array(file, node, "drives", &unused) || !afxi_json_need(file, node, "kind", &kind) ||
        !afxi_json_word(file, kind, joint_words + 1, &index)) {
        return false;
    }
    afx_joint_kind_find(json_string_value(kind->value), &def.kind);
    if (!read_ends(file, scope, node, ends, &def, &absent) || absent) {
        return absent;
    }
    if (!afxi_json_name(file, scope, node, name, &def.name) || !read_frames(file, scope, node, &def) ||
        !read_numbers(file, node, &def)) {
        return false;
    }
    return afxi_json_get(node, "cross") ? add_cross(file, node, &def) : add_joint(file, scope, node, &def);
}

/* ---- axes ---- */

bool afxi_json_axis_turns(AfxJointKind kind, uint32_t axis) {
    return axis >= strlen(joint_axes[kind][0]);
}

/** Swing, twist or angle of a joint with three free rotations, which drives may act on; 0: no such word. */
static uint32_t further_axis(const AfxiJsonNode *node, const char *rotations) {
    static const char *const words[3] = {"swing", "twist", "angle"};
    for (uint32_t k = 0; k < 3 && node && json_is_string(node->value) && strlen(rotations) == 3; k++) {
        if (!strcmp(json_string_value(node->value), words[k])) {
            return AFX_AXIS_SWING + k;
        }
    }
    return 0;
}

static bool drive_axis(const AfxiJsonFile *file, const AfxiJsonNode *object, AfxJointId joint, uint32_t *out_axis,
                       bool *out_turns) {
    AfxJointDef def;
    *out_axis = 0;
    if (afx_scene_get_joint(file->load->scene, joint, &def)) {
        return afxi_json_scene_error(file, object);
    }
    *out_axis = further_axis(afxi_json_get(object, "axis"), joint_axes[def.kind][1]);
    *out_turns = true;
    return *out_axis || afxi_json_axis(file, object, joint, out_axis, out_turns);
}

bool afxi_json_axis(const AfxiJsonFile *file, const AfxiJsonNode *object, AfxJointId joint, uint32_t *out_axis,
                    bool *out_turns) {
    const AfxiJsonNode *node = afxi_json_get(object, "axis");
    AfxJointDef def;
    *out_axis = 0;
    if (afx_scene_get_joint(file->load->scene, joint, &def)) {
        return afxi_json_scene_error(file, object);
    }
    const char *const *axes = joint_axes[def.kind];
    uint32_t slides = (uint32_t)strlen(axes[0]), count = slides + (uint32_t)strlen(axes[1]);
    if (node && json_is_string(node->value)) {
        const char *word = json_string_value(node->value);
        bool turns = word[0] == 'r';
        const char *found = strlen(word) == 2 && (turns || word[0] == 't') ? strchr(axes[turns], word[1]) : NULL;
        if (!found) {
            return afxi_json_error(file, node, "this joint has no such free axis",
                                   "give tx, ty, tz along an axis or rx, ry, rz about one, or a number from 0");
        }
        *out_axis = (uint32_t)(found - axes[turns]) + (turns ? slides : 0);
    } else if (node && !afxi_json_whole_at(file, node, UINT32_MAX - 1, out_axis)) {
        return false;
    }
    if (*out_axis >= count) {
        return afxi_json_error(file, node ? node : object, "this joint has no such free axis",
                               "count from 0: translations first, then rotations");
    }
    *out_turns = *out_axis >= slides;
    return true;
}

/* ---- drives ---- */

/* Bits of the kinds. */
enum {
    FORCE = 1 << AFX_DRIVE_FORCE,
    SERVO = 1 << AFX_DRIVE_SERVO,
    SPRING = 1 << AFX_DRIVE_SPRING,
    LIMIT = 1 << AFX_DRIVE_LIMIT,
    FRICTION = 1 << AFX_DRIVE_FRICTION
};

typedef struct DriveNumber {
    const char *key;
    size_t offset;
    int kinds; /* that use it */
} DriveNumber;

#define FIELD(name) offsetof(AfxDriveDef, name)

/* In the order of the units in read_drive_numbers. */
static const DriveNumber drive_numbers[] = {
    {"stiffness", FIELD(stiffness), SERVO | SPRING},
    {"damping", FIELD(damping), SERVO | SPRING},
    {"rest", FIELD(rest), SPRING},
    {"effort", FIELD(effort), FORCE | SERVO | FRICTION},
    {"lower", FIELD(lower), LIMIT},
    {"upper", FIELD(upper), LIMIT},
    {"restitution", FIELD(restitution), LIMIT},
    {"coefficient", FIELD(coefficient), FRICTION},
    {"radius", FIELD(radius), FRICTION},
};

static bool read_drive_numbers(const AfxiJsonFile *file, const AfxiJsonNode *node, bool turns, AfxDriveDef *def) {
    const AfxiJsonUnits *u = &file->units;
    double way = turns ? u->angle : u->length, effort = turns ? u->torque : u->force;
    const double units[] = {effort / way, effort * u->time / way, way, effort, way, way, 1, 1, turns ? u->length : 1};
    bool fine = true;
    for (size_t k = 0; k < sizeof drive_numbers / sizeof drive_numbers[0] && fine; k++) {
        const DriveNumber *number = &drive_numbers[k];
        const AfxiJsonNode *value = afxi_json_get(node, number->key);
        if (value) {
            fine =
                ((number->kinds >> def->kind & 1) ||
                 afxi_json_notice(file, value, "this kind of drive does not use it")) &&
                afxi_json_extended(file, node, number->key, units[k], (double *)(void *)((char *)def + number->offset));
        }
    }
    return fine;
}

static bool read_tables(const AfxiJsonFile *file, const AfxiJsonNode *node, bool turns, AfxDriveDef *def) {
    static const char *const keys[] = {"spring_table", "damper_table"};
    const AfxiJsonUnits *u = &file->units;
    for (int k = 0; k < 2; k++) {
        const AfxiJsonNode *table = afxi_json_get(node, keys[k]);
        if (table && def->kind != AFX_DRIVE_SPRING &&
            !afxi_json_notice(file, table, "this kind of drive does not use it")) {
            return false;
        }
    }
    return afxi_json_tables(file, node, turns ? u->angle : u->length, turns ? u->torque : u->force, &def->spring_table,
                            &def->damper_table);
}

static bool read_target(const AfxiJsonFile *file, const AfxiJsonNode *node, bool turns, AfxDriveDef *def) {
    const AfxiJsonUnits *u = &file->units;
    const AfxiJsonNode *target = afxi_json_get(node, "target");
    double way = turns ? u->angle : u->length, effort = turns ? u->torque : u->force;
    double unit = def->kind == AFX_DRIVE_VELOCITY ? way / u->time : def->kind == AFX_DRIVE_FORCE ? effort : way;
    if (target && def->kind > AFX_DRIVE_SERVO && !afxi_json_notice(file, target, "this kind of drive has no target")) {
        return false;
    }
    return afxi_json_boolean(file, node, "from_input", &def->from_input) &&
           (!target || afxi_json_signal_at(file, target, unit, &def->target));
}

bool afxi_json_read_drive(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                          const AfxJointId *joint) {
    char name[AFXI_NAME_SIZE];
    const AfxiJsonNode *kind, *holder;
    AfxJointId id = {0};
    AfxDriveId drive;
    uint32_t index = 0;
    bool absent = false, turns = false;
    if (!afxi_json_keys(
            file, node,
            joint ? "name kind axis target from_input stiffness damping rest effort lower upper "
                    "restitution coefficient radius spring_table damper_table"
                  : "name kind joint coupling axis target from_input stiffness damping rest effort lower upper "
                    "restitution coefficient radius spring_table damper_table") ||
        !afxi_json_need(file, node, "kind", &kind) ||
        !afxi_json_word(file, kind, "position velocity force servo spring limit friction", &index)) {
        return false;
    }
    AfxDriveDef def = afx_default_drive((AfxDriveKind)index);
    const AfxiJsonNode *coupling = afxi_json_get(node, "coupling");
    if (joint) {
        id = *joint;
    } else if (coupling) {
        if (!afxi_json_coupling_ref(file, scope, coupling, &def.coupling, &turns)) {
            return false;
        }
        id = def.joint;
    } else if (!afxi_json_need(file, node, "joint", &holder) ||
               !afxi_json_joint_ref(file, scope, holder, &id, &absent) || absent) {
        return absent;
    }
    def.joint = id;
    bool fine = afxi_json_name(file, scope, node, name, &def.name) &&
                (def.coupling.index != UINT32_MAX || drive_axis(file, node, id, &def.axis, &turns)) &&
                read_drive_numbers(file, node, turns, &def) && read_tables(file, node, turns, &def) &&
                read_target(file, node, turns, &def);
    if (fine && afx_scene_add_drive(file->load->scene, &def, &drive)) {
        fine = afxi_json_scene_error(file, node);
    }
    afxi_json_signal_free(file, &def.target);
    afxi_json_tables_free(file, &def.spring_table, &def.damper_table);
    return fine;
}
