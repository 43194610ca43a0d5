/* SPDX-License-Identifier: Apache-2.0 */
/* The block of a scene: meshes and who wears them, bodies, joints, markers, springs. */
#include "out/look.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "out/geometry.h"

#define NAMES_MOST 20000u /* of bodies; a page with more has no use for names */

typedef struct Look {
    AfxAllocator allocator;
    const AfxScene *scene;
    const AfxSim *sim;
    AfxiBytes arrays;
    json_t *head, *table;
    bool failed; /* no memory for JSON */
} Look;

/* Begins an array and returns room for its numbers; NULL when there is none of either. */
static void *begin_array(Look *look, json_t *table, const char *name, const char *type, size_t size, size_t count) {
    afxi_bytes_align(&look->arrays, 8);
    json_t *entry =
        json_pack("{s:s, s:I, s:I}", "type", type, "at", (json_int_t)look->arrays.size, "count", (json_int_t)count);
    look->failed = json_object_set_new(table, name, entry) != 0 || look->failed;
    return count ? afxi_bytes_extend(&look->arrays, size * count) : NULL;
}

static float *begin_f32(Look *look, const char *name, size_t count) {
    return begin_array(look, look->table, name, "f32", sizeof(float), count);
}

static uint32_t *begin_u32(Look *look, const char *name, size_t count) {
    return begin_array(look, look->table, name, "u32", sizeof(uint32_t), count);
}

static unsigned char *begin_u8(Look *look, const char *name, size_t count) {
    return begin_array(look, look->table, name, "u8", 1, count);
}

static void set(Look *look, const char *name, json_t *value) {
    look->failed = json_object_set_new(look->head, name, value) != 0 || look->failed;
}

static float *put_vec3(float *at, AfxVec3 v) {
    at[0] = (float)v.x;
    at[1] = (float)v.y;
    at[2] = (float)v.z;
    return at + 3;
}

static float *put_pose(float *at, const AfxPose *pose) {
    at = put_vec3(at, pose->position);
    at[0] = (float)pose->rotation.x;
    at[1] = (float)pose->rotation.y;
    at[2] = (float)pose->rotation.z;
    at[3] = (float)pose->rotation.w;
    return at + 4;
}

static void copy_into(void *room, const void *data, size_t size) {
    if (room) {
        memcpy(room, data, size);
    }
}

static void add_mesh(Look *look, json_t *list, const AfxiMesh *mesh) {
    json_t *table = json_object();
    size_t points = 3 * (size_t)mesh->vertex_count, corners = 3 * (size_t)mesh->triangle_count;
    copy_into(begin_array(look, table, "positions", "f32", sizeof(float), points), mesh->positions,
              points * sizeof(float));
    if (mesh->normals) {
        copy_into(begin_array(look, table, "normals", "f32", sizeof(float), points), mesh->normals,
                  points * sizeof(float));
    }
    copy_into(begin_array(look, table, "corners", "u32", sizeof(uint32_t), corners), mesh->corners,
              corners * sizeof(uint32_t));
    if (mesh->sides) {
        look->failed = json_object_set_new(table, "sides", json_integer(mesh->sides)) != 0 || look->failed;
    }
    look->failed = json_array_append_new(list, table) != 0 || look->failed; /* it takes the value over in any case */
}

static void add_geometry(Look *look, const AfxiGeometry *geometry) {
    uint32_t count = geometry->worn_count;
    json_t *meshes = json_array(), *palette = json_array();
    for (uint32_t k = 0; k < geometry->mesh_count; k++) {
        add_mesh(look, meshes, &geometry->meshes[k]);
    }
    for (int k = 0; k < AFXI_COLOURS; k++) {
        const double *rgb = afxi_palette[k];
        json_array_append_new(palette, json_pack("[f, f, f]", rgb[0], rgb[1], rgb[2]));
    }
    set(look, "meshes", meshes);
    set(look, "palette", palette);
    uint32_t *body = begin_u32(look, "worn_body", count);
    for (uint32_t k = 0; k < count && body; k++) {
        body[k] = geometry->worn[k].body;
    }
    uint32_t *mesh = begin_u32(look, "worn_mesh", count);
    for (uint32_t k = 0; k < count && mesh; k++) {
        mesh[k] = geometry->worn[k].mesh;
    }
    float *place = begin_f32(look, "worn_place", 10 * (size_t)count);
    for (uint32_t k = 0; k < count && place; k++) {
        const double *scale = geometry->worn[k].scale;
        place = put_vec3(put_pose(place, &geometry->worn[k].pose), (AfxVec3){scale[0], scale[1], scale[2]});
    }
    unsigned char *colour = begin_u8(look, "worn_colour", count);
    for (uint32_t k = 0; k < count && colour; k++) {
        colour[k] = (unsigned char)geometry->worn[k].colour;
    }
    unsigned char *plane = begin_u8(look, "worn_plane", count);
    for (uint32_t k = 0; k < count && plane; k++) {
        plane[k] = geometry->worn[k].plane;
    }
}

static void add_bodies(Look *look) {
    const AfxModel *model = afx_sim_model(look->sim);
    uint32_t count = afx_model_body_count(model);
    set(look, "bodies", json_integer(count));
    unsigned char *kind = begin_u8(look, "body_kind", count);
    for (uint32_t k = 0; k < count && kind; k++) {
        kind[k] = (unsigned char)afx_model_body_kind(model, k);
    }
    float *start = begin_f32(look, "body_start", AFXI_LOOK_FLOATS * (size_t)count);
    AfxPose *poses = start ? afxi_allocate(&look->allocator, count * sizeof *poses) : NULL;
    if (poses) {
        afxi_look_poses(look->sim, poses, start);
        afxi_release(&look->allocator, poses, count * sizeof *poses);
    } else {
        look->failed = look->failed || count > 0;
    }
    json_t *names = json_array();
    for (uint32_t k = 0; k < count && count <= NAMES_MOST; k++) {
        json_t *name = json_string(afx_scene_body_name(look->scene, afx_scene_body(look->scene, k)));
        json_array_append_new(names, name ? name : json_string(""));
    }
    set(look, "body_names", names);
}

static uint32_t index_of(AfxBodyId id, uint32_t count) {
    return id.scene && id.index < count ? id.index : UINT32_MAX; /* UINT32_MAX: the world */
}

static void add_joints(Look *look) {
    uint32_t count = afx_scene_joint_count(look->scene), bodies = afx_scene_body_count(look->scene);
    uint32_t *pair = begin_u32(look, "joint_bodies", 2 * (size_t)count);
    for (uint32_t k = 0; k < count && pair; k++) {
        AfxJointDef def;
        afx_scene_get_joint(look->scene, afx_scene_joint(look->scene, k), &def);
        pair[2 * (size_t)k] = index_of(def.base, bodies);
        pair[2 * (size_t)k + 1] = index_of(def.follower, bodies);
    }
    float *frames = begin_f32(look, "joint_frames", 14 * (size_t)count);
    for (uint32_t k = 0; k < count && frames; k++) {
        AfxJointDef def;
        afx_scene_get_joint(look->scene, afx_scene_joint(look->scene, k), &def);
        frames = put_pose(put_pose(frames, &def.base_frame), &def.follower_frame);
    }
    unsigned char *kind = begin_u8(look, "joint_kind", count);
    for (uint32_t k = 0; k < count && kind; k++) {
        AfxJointDef def;
        afx_scene_get_joint(look->scene, afx_scene_joint(look->scene, k), &def);
        kind[k] = (unsigned char)def.kind;
    }
    static const char *const table[][3] = {
#define ROW(kind, name, translations, rotations) {name, translations, rotations},
        AFX_JOINT_TABLE(ROW)
#undef ROW
    };
    json_t *kinds = json_array();
    for (int k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        json_array_append_new(kinds, json_pack("[s, s, s]", table[k][0], table[k][1], table[k][2]));
    }
    set(look, "joint_kinds", kinds);
}

static void add_points(Look *look) {
    uint32_t markers = afx_scene_marker_count(look->scene), springs = afx_scene_spring_count(look->scene);
    uint32_t bodies = afx_scene_body_count(look->scene);
    json_t *names = json_array();
    uint32_t *body = begin_u32(look, "marker_body", markers);
    for (uint32_t k = 0; k < markers && body; k++) {
        const char *name = NULL;
        AfxBodyId id = {0};
        AfxVec3 point;
        afx_scene_get_marker(look->scene, k, &name, &id, &point);
        body[k] = index_of(id, bodies);
        json_t *text = json_string(name ? name : "");
        json_array_append_new(names, text ? text : json_string(""));
    }
    set(look, "marker_names", names);
    float *points = begin_f32(look, "marker_point", 3 * (size_t)markers);
    for (uint32_t k = 0; k < markers && points; k++) {
        AfxBodyId id;
        AfxVec3 point = {0};
        afx_scene_get_marker(look->scene, k, NULL, &id, &point);
        points = put_vec3(points, point);
    }
    uint32_t *pair = begin_u32(look, "spring_bodies", 2 * (size_t)springs);
    for (uint32_t k = 0; k < springs && pair; k++) {
        AfxSpringDef def;
        afx_scene_get_spring(look->scene, k, &def);
        pair[2 * (size_t)k] = index_of(def.body_a, bodies);
        pair[2 * (size_t)k + 1] = index_of(def.body_b, bodies);
    }
    float *ends = begin_f32(look, "spring_points", 6 * (size_t)springs);
    for (uint32_t k = 0; k < springs && ends; k++) {
        AfxSpringDef def;
        afx_scene_get_spring(look->scene, k, &def);
        ends = put_vec3(put_vec3(ends, def.point_a), def.point_b);
    }
}

static AfxStatus describe(Look *look, const char *title) {
    AfxVec3 gravity = afx_scene_gravity(look->scene);
    char program[40];
    snprintf(program, sizeof program, "affix %s", afx_version());
    set(look, "format", json_integer(1));
    set(look, "program", json_string(program));
    json_t *text = json_string(title ? title : "");
    set(look, "title", text ? text : json_string("(a name that is no UTF-8)"));
    set(look, "gravity", json_pack("[f, f, f]", gravity.x, gravity.y, gravity.z));
    set(look, "dt", json_real(afx_sim_dt(look->sim)));
    AfxiGeometry geometry;
    AfxStatus status = afxi_geometry_create(&look->allocator, look->scene, &geometry);
    if (status == AFX_OK) {
        add_geometry(look, &geometry);
        afxi_geometry_destroy(&geometry);
        add_bodies(look);
        add_joints(look);
        add_points(look);
        set(look, "arrays", look->table);
        look->table = NULL;
        status = look->failed ? AFX_E_MEMORY : look->arrays.status;
    }
    return status;
}

AfxStatus afxi_look_write(AfxiBytes *bytes, const AfxScene *scene, const AfxSim *sim, const char *title,
                          const char *more) {
    Look look = {.allocator = bytes->allocator, .scene = scene, .sim = sim};
    look.arrays = afxi_bytes_begin(&bytes->allocator);
    look.head = json_object();
    look.table = json_object();
    AfxStatus status = describe(&look, title);
    char *text = status == AFX_OK ? json_dumps(look.head, JSON_COMPACT) : NULL;
    if (text) {
        size_t extra = more ? strlen(more) : 0, length = strlen(text) + extra;
        uint32_t size = (uint32_t)length;
        size_t begin = bytes->size;
        afxi_bytes_add(bytes, "AFXL", 4);
        afxi_bytes_add(bytes, &size, sizeof size);
        afxi_bytes_add(bytes, "{", 1);
        afxi_bytes_add(bytes, more, extra);
        afxi_bytes_add(bytes, text + 1, length - extra - 1);
        while ((bytes->size - begin) % 8 && bytes->status == AFX_OK) {
            afxi_bytes_add(bytes, "", 1);
        }
        afxi_bytes_add(bytes, look.arrays.data, look.arrays.size);
        status = length > UINT32_MAX ? AFX_E_LIMIT : bytes->status;
        free(text);
    } else if (status == AFX_OK) {
        status = AFX_E_MEMORY;
    }
    json_decref(look.table);
    json_decref(look.head);
    afxi_bytes_destroy(&look.arrays);
    return status;
}

void afxi_look_poses(const AfxSim *sim, AfxPose *scratch, float *out_bodies) {
    uint32_t count = afx_model_body_count(afx_sim_model(sim));
    afx_sim_poses(sim, scratch);
    for (uint32_t k = 0; k < count; k++) {
        float *at = out_bodies + AFXI_LOOK_FLOATS * (size_t)k;
        at = put_vec3(at, scratch[k].position);
        at[0] = 0;
        at[1] = (float)scratch[k].rotation.x;
        at[2] = (float)scratch[k].rotation.y;
        at[3] = (float)scratch[k].rotation.z;
        at[4] = (float)scratch[k].rotation.w;
    }
}

static bool touches(const AfxSim *sim, uint32_t index, AfxContact *out_contact) {
    return afx_sim_contact(sim, index, out_contact) == AFX_OK && out_contact->force != 0;
}

uint32_t afxi_look_touching(const AfxSim *sim) {
    uint32_t touching = 0;
    AfxContact contact;
    for (uint32_t k = 0; k < afx_sim_contact_count(sim); k++) {
        touching += touches(sim, k, &contact);
    }
    return touching;
}

void afxi_look_contacts(const AfxSim *sim, uint32_t touching, uint32_t count, float *out_contacts) {
    AfxContact contact;
    uint32_t written = 0, seen = 0;
    for (uint32_t k = 0; k < afx_sim_contact_count(sim) && written < count; k++) {
        if (touches(sim, k, &contact) && (uint64_t)++seen * count / touching > written) {
            float *at = put_vec3(put_vec3(out_contacts, contact.point), contact.normal);
            *at++ = (float)contact.force;
            out_contacts = put_vec3(at, contact.friction);
            written++;
        }
    }
}

AfxStatus afxi_stiffness_create(const AfxAllocator *allocator, const AfxSim *sim, AfxiStiffness *out_stiffness) {
    uint32_t count = afx_model_body_count(afx_sim_model(sim));
    *out_stiffness = (AfxiStiffness){.allocator = *allocator, .count = count};
    if (count == 0) {
        return AFX_OK;
    }
    out_stiffness->factor = afxi_allocate(allocator, count * sizeof *out_stiffness->factor);
    if (!out_stiffness->factor) {
        out_stiffness->count = 0;
        return AFX_E_MEMORY;
    }
    for (uint32_t k = 0; k < count; k++) {
        double young = 0, poisson = 0;
        afx_sim_param(sim, AFX_PARAM_BODY_YOUNG, k, &young);
        afx_sim_param(sim, AFX_PARAM_BODY_POISSON, k, &poisson);
        double twice_mu = isfinite(young) ? young / (1 + poisson) : 0;
        out_stiffness->factor[k] = (float)(sqrt(1.5) * twice_mu);
    }
    return AFX_OK;
}

void afxi_stiffness_destroy(AfxiStiffness *stiffness) {
    afxi_release(&stiffness->allocator, stiffness->factor, stiffness->count * sizeof *stiffness->factor);
    *stiffness = (AfxiStiffness){.allocator = stiffness->allocator};
}

double afxi_stress(const AfxiStiffness *stiffness, const AfxSim *sim, uint32_t body) {
    const double *a = afx_sim_coordinates(sim) + 12 * (size_t)body; /* columns */
    double strain[3][3], trace = 0, sum = 0;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            double dot =
                a[3 * row] * a[3 * column] + a[3 * row + 1] * a[3 * column + 1] + a[3 * row + 2] * a[3 * column + 2];
            strain[row][column] = 0.5 * (dot - (row == column));
        }
        trace += strain[row][row];
    }
    for (int row = 0; row < 3; row++) {
        strain[row][row] -= trace / 3;
        for (int column = 0; column < 3; column++) {
            sum += strain[row][column] * strain[row][column];
        }
    }
    return stiffness->factor[body] * sqrt(sum);
}
