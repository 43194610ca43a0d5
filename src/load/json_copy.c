/* SPDX-License-Identifier: Apache-2.0 */
/* Copies one scene into another: how a group that is another file, of whatever format, gets its place and names. */
#include <stdio.h>
#include <string.h>

#include "load/json.h"
#include "scene/scene.h"

/** One copy under way. */
typedef struct Copy {
    const AfxiJsonFile *file;
    const AfxiJsonScope *scope;
    const AfxiJsonNode *node; /* what asks for it */
    const AfxScene *from;
    AfxScene *to;
    const AfxMaterialId *materials; /* [materials of from] what each is in `to` */
    uint32_t coupling;              /* the first coupling of `from` in `to` */
    char name[AFXI_NAME_SIZE];
} Copy;

static bool failed(const Copy *copy) {
    return afxi_json_scene_error(copy->file, copy->node);
}

/** Puts the scope's prefix before a name, in copy->name; NULL stays NULL. */
static bool add_prefix(Copy *copy, const char **name) {
    if (!*name) {
        return true;
    }
    int length = snprintf(copy->name, sizeof copy->name, "%s%s", copy->scope->prefix, *name);
    if (length < 0 || length >= (int)sizeof copy->name) {
        return afxi_json_error(copy->file, copy->node, "with that of its group a name in it is longer than 255 bytes",
                               "use shorter names");
    }
    *name = copy->name;
    return true;
}

static AfxBodyId body_of(const Copy *copy, AfxBodyId body) {
    return body.index == UINT32_MAX ? body : afx_scene_body(copy->to, copy->scope->start.body + body.index);
}

static AfxJointId joint_of(const Copy *copy, AfxJointId joint) {
    return afx_scene_joint(copy->to, copy->scope->start.joint + joint.index);
}

static bool copy_body(Copy *copy, uint32_t index) {
    AfxBodyId from = afx_scene_body(copy->from, index), to;
    AfxBodyDef def;
    afx_scene_get_body(copy->from, from, &def);
    def.pose = afxi_json_place_pose(copy->scope, def.pose);
    def.linear_velocity = afxi_json_place_vector(copy->scope, def.linear_velocity);
    def.angular_velocity = afxi_json_place_vector(copy->scope, def.angular_velocity);
    if (!add_prefix(copy, &def.name)) {
        return false;
    }
    if (def.kind == AFX_BODY_KINEMATIC && !afxi_json_place_motion(copy->scope, &def.motion)) {
        return afxi_json_error(copy->file, copy->node,
                               "to turn it would add functions of time in it that do not add up",
                               "do not turn the group, or move its kinematic bodies along one axis only");
    }
    if (!afxi_json_count_motion(copy->file, &def.motion, copy->node)) {
        return false;
    }
    if (afx_scene_add_body(copy->to, &def, &to)) {
        return failed(copy);
    }
    uint32_t shapes = afx_scene_shape_count(copy->from, from);
    for (uint32_t k = 0; k < shapes; k++) {
        AfxShapeDef shape;
        afx_scene_get_shape(copy->from, from, k, &shape);
        shape.material = copy->materials[shape.material.index];
        if (shape.texture.scene) {
            AfxTextureDef texture;
            afx_scene_get_texture(copy->from, shape.texture, &texture);
            if (!afxi_load_work(copy->file->load, texture.size, copy->file->path, copy->node->line)) {
                return false;
            }
            if (afx_scene_add_texture(copy->to, &texture, &shape.texture)) {
                return failed(copy);
            }
        }
        if (!afxi_load_shape(copy->file->load, &shape, copy->file->path, copy->node->line)) {
            return false;
        }
        if (afx_scene_add_shape(copy->to, to, &shape)) {
            return failed(copy);
        }
    }
    return true;
}

static bool copy_joint(Copy *copy, uint32_t index) {
    AfxJointDef def;
    AfxJointId to;
    afx_scene_get_joint(copy->from, afx_scene_joint(copy->from, index), &def);
    if (def.base.index == UINT32_MAX) {
        def.base_frame = afxi_json_place_pose(copy->scope, def.base_frame);
    }
    if (def.follower.index == UINT32_MAX) {
        def.follower_frame = afxi_json_place_pose(copy->scope, def.follower_frame);
    }
    def.base = body_of(copy, def.base);
    def.follower = body_of(copy, def.follower);
    return add_prefix(copy, &def.name) && (afx_scene_add_joint(copy->to, &def, &to) == AFX_OK || failed(copy));
}

static bool copy_drive(Copy *copy, uint32_t index) {
    AfxDriveDef def;
    AfxDriveId to;
    afx_scene_get_drive(copy->from, index, &def);
    if (def.coupling.index == UINT32_MAX) {
        def.joint = joint_of(copy, def.joint);
    } else {
        def.coupling = (AfxCouplingId){copy->coupling + def.coupling.index, copy->to->id};
    }
    return afxi_json_count_signal(copy->file, &def.target, copy->node) &&
           afxi_json_count_tables(copy->file, &def.spring_table, &def.damper_table, copy->node) &&
           add_prefix(copy, &def.name) && (afx_scene_add_drive(copy->to, &def, &to) == AFX_OK || failed(copy));
}

static bool copy_coupling(Copy *copy, uint32_t index) {
    AfxCouplingDef def;
    AfxCouplingId to;
    afx_scene_get_coupling(copy->from, index, &def);
    for (uint32_t k = 0; k < def.term_count; k++) {
        def.joint[k] = joint_of(copy, def.joint[k]);
    }
    return add_prefix(copy, &def.name) && (afx_scene_add_coupling(copy->to, &def, &to) == AFX_OK || failed(copy));
}

static bool copy_spring(Copy *copy, uint32_t index) {
    AfxSpringDef def;
    AfxSpringId to;
    afx_scene_get_spring(copy->from, index, &def);
    if (def.body_a.index == UINT32_MAX) {
        def.point_a = afxi_json_place_point(copy->scope, def.point_a);
    }
    if (def.body_b.index == UINT32_MAX) {
        def.point_b = afxi_json_place_point(copy->scope, def.point_b);
    }
    def.body_a = body_of(copy, def.body_a);
    def.body_b = body_of(copy, def.body_b);
    return afxi_json_count_tables(copy->file, &def.spring_table, &def.damper_table, copy->node) &&
           add_prefix(copy, &def.name) && (afx_scene_add_spring(copy->to, &def, &to) == AFX_OK || failed(copy));
}

static bool copy_marker(Copy *copy, uint32_t index) {
    const char *name;
    AfxBodyId body;
    AfxVec3 point;
    AfxMarkerId to;
    afx_scene_get_marker(copy->from, index, &name, &body, &point);
    return add_prefix(copy, &name) &&
           (afx_scene_add_marker(copy->to, body_of(copy, body), name, point, &to) == AFX_OK || failed(copy));
}

static bool copy_wrench(Copy *copy, uint32_t index) {
    AfxWrenchDef def;
    AfxWrenchId to;
    afx_scene_get_wrench(copy->from, index, &def);
    def.body = body_of(copy, def.body);
    if (def.frame == AFX_FRAME_WORLD) {
        def.force = afxi_json_place_vector(copy->scope, def.force);
        def.torque = afxi_json_place_vector(copy->scope, def.torque);
        if (!afxi_json_place_signals(copy->scope, def.force_signal) ||
            !afxi_json_place_signals(copy->scope, def.torque_signal)) {
            return afxi_json_error(copy->file, copy->node, AFXI_JSON_UNTURNED_WRENCH, AFXI_JSON_UNTURNED_WRENCH_CURE);
        }
    }
    for (int k = 0; k < 3; k++) {
        if (!afxi_json_count_signal(copy->file, &def.force_signal[k], copy->node) ||
            !afxi_json_count_signal(copy->file, &def.torque_signal[k], copy->node)) {
            return false;
        }
    }
    return afx_scene_add_wrench(copy->to, &def, &to) == AFX_OK || failed(copy);
}

static bool copy_exclusion(Copy *copy, uint32_t index) {
    AfxBodyId a, b;
    afx_scene_get_exclusion(copy->from, index, &a, &b);
    return afx_scene_exclude_contact(copy->to, body_of(copy, a), body_of(copy, b)) == AFX_OK || failed(copy);
}

/* ---- materials ---- */

static bool same_numbers(const AfxMaterialDef *a, const AfxMaterialDef *b) {
    return a->friction == b->friction && a->restitution == b->restitution &&
           a->rolling_friction == b->rolling_friction && a->torsional_friction == b->torsional_friction &&
           a->stiffness == b->stiffness;
}

/** A material of `scene` with this name and these numbers. */
static bool find_material(const AfxScene *scene, const AfxMaterialDef *def, AfxMaterialId *out_material) {
    uint32_t count = afx_scene_material_count(scene);
    for (uint32_t k = 0; k < count; k++) {
        AfxMaterialDef other;
        *out_material = afx_scene_material(scene, k);
        afx_scene_get_material(scene, *out_material, &other);
        if (same_numbers(def, &other) && strcmp(def->name ? def->name : "", other.name ? other.name : "") == 0) {
            return true;
        }
    }
    return false;
}

/** Adds all materials of `from`, but for those that are there with the same name and numbers; a name that means another
 * material is dropped. Pairs of it are set for what they have become. */
bool afxi_json_copy_materials(const AfxiJsonFile *file, const AfxiJsonNode *node, const AfxScene *from,
                              AfxMaterialId *out_materials) {
    AfxScene *to = file->load->scene;
    AfxMaterialDef def;
    uint32_t count = afx_scene_material_count(from), pairs = afx_scene_material_pair_count(from);
    for (uint32_t k = 0; k < count; k++) {
        AfxMaterialId taken;
        afx_scene_get_material(from, afx_scene_material(from, k), &def);
        if (find_material(to, &def, &out_materials[k])) {
            continue;
        }
        if (def.name && afx_scene_find_material(to, def.name, &taken) == AFX_OK) {
            def.name = NULL;
            if (find_material(to, &def, &out_materials[k])) {
                continue;
            }
        }
        if (afx_scene_add_material(to, &def, &out_materials[k])) {
            return afxi_json_scene_error(file, node);
        }
    }
    for (uint32_t k = 0; k < pairs; k++) {
        AfxMaterialId a, b;
        afx_scene_get_material_pair(from, k, &a, &b, &def);
        if (afx_scene_set_material_pair(to, out_materials[a.index], out_materials[b.index], &def)) {
            return afxi_json_scene_error(file, node);
        }
    }
    return true;
}

bool afxi_json_copy_scene(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                          const AfxScene *from, const AfxMaterialId *materials) {
    Copy copy = {.file = file,
                 .scope = scope,
                 .node = node,
                 .from = from,
                 .to = file->load->scene,
                 .materials = materials,
                 .coupling = file->load->scene->coupling_count};
    const struct {
        uint32_t count;
        bool (*copy)(Copy *copy, uint32_t index);
    } sorts[] = {
        {from->body_count, copy_body},         {from->joint_count, copy_joint},
        {from->coupling_count, copy_coupling}, {from->drive_count, copy_drive},
        {from->spring_count, copy_spring},     {from->marker_count, copy_marker},
        {from->wrench_count, copy_wrench},     {from->exclusion_count, copy_exclusion},
    };
    bool fine = true;
    for (size_t k = 0; k < sizeof sorts / sizeof sorts[0] && fine; k++) {
        for (uint32_t index = 0; index < sorts[k].count && fine; index++) {
            fine = sorts[k].copy(&copy, index);
        }
    }
    return fine;
}
