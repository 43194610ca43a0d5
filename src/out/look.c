/* SPDX-License-Identifier: Apache-2.0 */
/* The block of a scene: meshes and who wears them, bodies, joints, markers, springs. */
#include "out/look.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "out/geometry.h"
#include "out/text.h"

#define NAMES_MOST 20000u /* of bodies; a page with more has no use for names */

typedef struct Look {
    AfxAllocator allocator;
    const AfxScene *scene;
    const AfxSim *sim;
    AfxiBytes arrays;
    AfxiBytes head, table; /* members of the JSON text, and of "arrays" in it, each with a comma behind it */
    bool failed;           /* no memory */
} Look;

/* Begins an array and returns room for its numbers; NULL when there is none of either. */
static void *begin_array(Look *look, AfxiBytes *table, const char *name, const char *type, size_t size, size_t count) {
    afxi_bytes_align(&look->arrays, 8);
    afxi_text_print(table, "\"%s\":{\"type\":\"%s\",\"at\":%zu,\"count\":%zu},", name, type, look->arrays.size, count);
    return count ? afxi_bytes_extend(&look->arrays, size * count) : NULL;
}

/* Takes the comma behind the last member or element away, and closes the list. */
static void close_list(AfxiBytes *text, const char *end) {
    if (text->status == AFX_OK && text->size > 0 && text->data[text->size - 1] == ',') {
        text->size--;
    }
    afxi_text_raw(text, end);
}

static float *begin_f32(Look *look, const char *name, size_t count) {
    return begin_array(look, &look->table, name, "f32", sizeof(float), count);
}

static uint32_t *begin_u32(Look *look, const char *name, size_t count) {
    return begin_array(look, &look->table, name, "u32", sizeof(uint32_t), count);
}

static unsigned char *begin_u8(Look *look, const char *name, size_t count) {
    return begin_array(look, &look->table, name, "u8", 1, count);
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

static void add_mesh(Look *look, const AfxiDrawMesh *mesh) {
    AfxiBytes *head = &look->head;
    if (mesh->capsule[0] > 0) { /* many are of many sizes: a page stretches one */
        afxi_text_print(head, "{\"capsule\":[%.9g,%.9g]},", mesh->capsule[0], mesh->capsule[1]);
        return;
    }
    size_t points = 3 * (size_t)mesh->vertex_count, corners = 3 * (size_t)mesh->triangle_count;
    afxi_text_raw(head, "{");
    copy_into(begin_array(look, head, "positions", "f32", sizeof(float), points), mesh->positions,
              points * sizeof(float));
    if (mesh->normals) {
        copy_into(begin_array(look, head, "normals", "f32", sizeof(float), points), mesh->normals,
                  points * sizeof(float));
    }
    copy_into(begin_array(look, head, "corners", "u32", sizeof(uint32_t), corners), mesh->corners,
              corners * sizeof(uint32_t));
    if (mesh->sides) {
        afxi_text_print(head, "\"sides\":%u", mesh->sides);
    }
    close_list(head, "},");
}

static void add_geometry(Look *look, const AfxiSceneGeometry *geometry) {
    uint32_t count = geometry->worn_count;
    afxi_text_raw(&look->head, "\"meshes\":[");
    for (uint32_t k = 0; k < geometry->mesh_count; k++) {
        add_mesh(look, &geometry->meshes[k]);
    }
    close_list(&look->head, "],\"palette\":[");
    for (uint32_t k = 0; k < afxi_geometry_colours(geometry); k++) {
        double rgb[3];
        afxi_geometry_colour(geometry, k, rgb);
        afxi_text_print(&look->head, "[%g,%g,%g],", rgb[0], rgb[1], rgb[2]);
    }
    close_list(&look->head, "],");
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
    if (afx_scene_texture_count(look->scene)) {
        uint32_t *texture = begin_u32(look, "worn_texture", count);
        for (uint32_t k = 0; k < count && texture; k++) {
            texture[k] = geometry->worn[k].texture;
        }
    }
    unsigned char *plane = begin_u8(look, "worn_plane", count);
    for (uint32_t k = 0; k < count && plane; k++) {
        plane[k] = geometry->worn[k].plane;
    }
}

/* Pictures as they are: the page has its browser decode them. */
static void add_textures(Look *look) {
    uint32_t count = afx_scene_texture_count(look->scene);
    afxi_text_raw(&look->head, "\"textures\":[");
    for (uint32_t k = 0; k < count; k++) {
        AfxTextureDef def;
        afx_scene_get_texture(look->scene, afx_scene_texture(look->scene, k), &def);
        afxi_text_print(&look->head, "{\"tile\":%.9g,", def.tile);
        copy_into(begin_array(look, &look->head, "data", "u8", 1, def.size), def.data, def.size);
        close_list(&look->head, "},");
    }
    close_list(&look->head, "],");
}

static void add_bodies(Look *look) {
    const AfxModel *model = afx_sim_model(look->sim);
    uint32_t count = afx_model_body_count(model);
    afxi_text_print(&look->head, "\"bodies\":%u,", count);
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
    float *masses = begin_f32(look, "body_mass", count);
    for (uint32_t k = 0; k < count && masses; k++) {
        AfxMass mass = {0};
        afx_scene_body_mass(look->scene, afx_scene_body(look->scene, k), &mass);
        masses[k] = (float)mass.mass;
    }
    afxi_text_raw(&look->head, "\"body_names\":[");
    for (uint32_t k = 0; k < count && count <= NAMES_MOST; k++) {
        afxi_text_string(&look->head, afx_scene_body_name(look->scene, afx_scene_body(look->scene, k)));
        afxi_text_raw(&look->head, ",");
    }
    close_list(&look->head, "],");
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
    afxi_text_raw(&look->head, "\"joint_kinds\":[");
    for (int k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        afxi_text_print(&look->head, "[\"%s\",\"%s\",\"%s\"],", table[k][0], table[k][1], table[k][2]);
    }
    close_list(&look->head, "],\"joint_names\":[");
    for (uint32_t k = 0; k < count && count <= NAMES_MOST; k++) {
        afxi_text_string(&look->head, afx_scene_joint_name(look->scene, afx_scene_joint(look->scene, k)));
        afxi_text_raw(&look->head, ",");
    }
    close_list(&look->head, "],");
}

/* Drives, and whether somebody may set their target. */
static void add_drives(Look *look) {
    uint32_t count = afx_scene_drive_count(look->scene);
    afxi_text_raw(&look->head, "\"drives\":[");
    for (uint32_t k = 0; k < count && count <= NAMES_MOST; k++) {
        AfxDriveDef def;
        if (afx_scene_get_drive(look->scene, k, &def) == AFX_OK) {
            afxi_text_print(&look->head, "{\"joint\":%u,\"axis\":%u,\"input\":%s,\"name\":", def.joint.index, def.axis,
                            def.from_input ? "true" : "false");
            afxi_text_string(&look->head, def.name);
            afxi_text_raw(&look->head, "},");
        }
    }
    close_list(&look->head, "],");
}

/* Names and texts of the reasons for more solver iterations, by their number in frames. */
static void add_reasons(Look *look) {
    afxi_text_raw(&look->head, "\"reasons\":[");
    for (int k = 0; k < AFX_TRACE_REASON_COUNT; k++) {
        AfxTraceReason reason = (AfxTraceReason)k;
        afxi_text_print(&look->head, "[\"%s\",\"%s\"],", afx_trace_reason_name(reason), afx_trace_reason_text(reason));
    }
    close_list(&look->head, "],");
}

static void add_points(Look *look) {
    uint32_t markers = afx_scene_marker_count(look->scene), springs = afx_scene_spring_count(look->scene);
    uint32_t bodies = afx_scene_body_count(look->scene);
    uint32_t *body = begin_u32(look, "marker_body", markers);
    afxi_text_raw(&look->head, "\"marker_names\":[");
    for (uint32_t k = 0; k < markers && body; k++) {
        const char *name = NULL;
        AfxBodyId id = {0};
        AfxVec3 point;
        afx_scene_get_marker(look->scene, k, &name, &id, &point);
        body[k] = index_of(id, bodies);
        afxi_text_string(&look->head, name);
        afxi_text_raw(&look->head, ",");
    }
    close_list(&look->head, "],");
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
    afxi_text_print(&look->head, "\"format\":1,\"program\":\"affix %s\",\"gravity\":[%.17g,%.17g,%.17g],\"dt\":%.17g,",
                    afx_version(), gravity.x, gravity.y, gravity.z, afx_sim_dt(look->sim));
    afxi_text_raw(&look->head, "\"title\":");
    afxi_text_string(&look->head, title);
    afxi_text_raw(&look->head, ",");
    AfxiSceneGeometry geometry;
    AfxStatus status = afxi_geometry_create(&look->allocator, look->scene, &geometry);
    if (status == AFX_OK) {
        add_geometry(look, &geometry);
        afxi_geometry_destroy(&geometry);
        add_textures(look);
        add_bodies(look);
        add_joints(look);
        add_drives(look);
        add_points(look);
        add_reasons(look);
        close_list(&look->table, "}}");
        afxi_text_raw(&look->head, "\"arrays\":{");
        afxi_bytes_add(&look->head, look->table.data, look->table.size);
        bool fine = !look->failed && look->table.status == AFX_OK && look->head.status == AFX_OK;
        status = fine ? look->arrays.status : AFX_E_MEMORY;
    }
    return status;
}

void afxi_look_cameras(AfxiBytes *text, const AfxScene *scene, const AfxRunDef *run) {
    if (!run || run->camera_count == 0) {
        return;
    }
    afxi_text_raw(text, "\"cameras\":[");
    for (uint32_t k = 0; k < run->camera_count; k++) {
        const AfxCamera *camera = &run->cameras[k];
        AfxBodyId body;
        char name[80];
        snprintf(name, sizeof name, "camera %u", k + 1);
        afxi_text_raw(text, "{\"name\":");
        afxi_text_string(text, camera->name[0] ? camera->name : name);
        afxi_text_print(text, ",\"position\":[%.9g,%.9g,%.9g],\"target\":[%.9g,%.9g,%.9g]", camera->position.x,
                        camera->position.y, camera->position.z, camera->target.x, camera->target.y, camera->target.z);
        if (camera->field_of_view > 0) {
            afxi_text_print(text, ",\"fov\":%.9g", camera->field_of_view);
        }
        if (camera->follow[0] && afx_scene_find_body(scene, camera->follow, &body) == AFX_OK) {
            afxi_text_print(text, ",\"follow\":%u", body.index);
        }
        afxi_text_raw(text, "},");
    }
    close_list(text, "],");
}

AfxStatus afxi_look_write(AfxiBytes *bytes, const AfxScene *scene, const AfxSim *sim, const char *title,
                          const char *more) {
    Look look = {.allocator = bytes->allocator, .scene = scene, .sim = sim};
    look.arrays = afxi_bytes_begin(&bytes->allocator);
    look.head = afxi_bytes_begin(&bytes->allocator);
    look.table = afxi_bytes_begin(&bytes->allocator);
    AfxStatus status = describe(&look, title);
    size_t extra = more ? strlen(more) : 0, length = 1 + extra + look.head.size, begin = bytes->size;
    if (status == AFX_OK && length > UINT32_MAX) {
        status = AFX_E_LIMIT;
    }
    if (status == AFX_OK) {
        uint32_t size = (uint32_t)length;
        afxi_bytes_add(bytes, "AFXL", 4);
        afxi_bytes_add(bytes, &size, sizeof size);
        afxi_bytes_add(bytes, "{", 1);
        afxi_bytes_add(bytes, more, extra);
        afxi_bytes_add(bytes, look.head.data, look.head.size);
        while ((bytes->size - begin) % 8 && bytes->status == AFX_OK) {
            afxi_bytes_add(bytes, "", 1);
        }
        afxi_bytes_add(bytes, look.arrays.data, look.arrays.size);
        status = bytes->status;
    }
    afxi_bytes_destroy(&look.table);
    afxi_bytes_destroy(&look.head);
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

bool afxi_look_book(const AfxSim *sim, double out_book[AFXI_LOOK_BOOK]) {
    AfxEnergyBook book;
    int at = 0;
    bool kept = afx_sim_energy_book(sim, NULL, &book) == AFX_OK;
    out_book[at++] = kept ? book.springs : NAN;
#define TAKE(name, text) out_book[at++] = kept ? book.name : NAN;
    AFX_ENERGY_WORK_TABLE(TAKE)
#undef TAKE
    return kept;
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

void afxi_look_wrench(const AfxWrench *reaction, const AfxJointDef *joint, const AfxPose *poses, uint32_t bodies,
                      float *out_reaction) {
    bool on_body = joint->base.scene && joint->base.index < bodies;
    AfxQuat base = on_body ? poses[joint->base.index].rotation : afx_pose_identity().rotation;
    AfxQuat axes = afx_quat_multiply(base, joint->base_frame.rotation);
    put_vec3(put_vec3(out_reaction, afx_quat_rotate(axes, reaction->force)), afx_quat_rotate(axes, reaction->torque));
}

void afxi_look_reaction(const AfxSim *sim, uint32_t index, const AfxJointDef *joint, const AfxPose *poses,
                        uint32_t bodies, float *out_reaction) {
    AfxWrench reaction = {0};
    afx_sim_joint_reaction(sim, index, &reaction);
    afxi_look_wrench(&reaction, joint, poses, bodies, out_reaction);
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
