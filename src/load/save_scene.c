/* SPDX-License-Identifier: Apache-2.0 */
/* A scene as scene JSON, one line for each thing. A key is left out where the value is the one that an absent key
 * gives; everything else is written, so that the file makes the same model, bit for bit. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/picture.h"
#include "load/save_scene.h"

/** The next thing of a list, on a line of its own. */
static void begin_item(AfxiSave *save) {
    afxi_save_raw(save, save->first ? "\n    " : ",\n    ");
    save->first = true;
    afxi_save_open(save, NULL, '{');
}

static void begin_list(AfxiSave *save, const char *key) {
    afxi_save_raw(save, ",\n  ");
    save->first = true;
    afxi_save_open(save, key, '[');
}

static void end_list(AfxiSave *save) {
    afxi_save_raw(save, "\n  ");
    afxi_save_close(save, ']');
}

static void save_name(AfxiSave *save, const char *name) {
    if (name) {
        afxi_save_text(save, "name", name);
    }
}

/** A body by its name, or by its number when it has none or one that means the world. */
static void save_body_ref(AfxiSave *save, const char *key, const AfxScene *scene, uint32_t body) {
    const char *name = body == AFXI_NONE ? "world" : scene->bodies[body].name;
    if (name && (body == AFXI_NONE || strcmp(name, "world") != 0)) {
        afxi_save_text(save, key, name);
    } else {
        afxi_save_whole(save, key, body);
    }
}

static void save_joint_ref(AfxiSave *save, const AfxScene *scene, uint32_t joint) {
    if (scene->joints[joint].name) {
        afxi_save_text(save, "joint", scene->joints[joint].name);
    } else {
        afxi_save_whole(save, "joint", joint);
    }
}

/* ---- bodies ---- */

static void save_vertices(AfxiSave *save, const char *key, const double *vertices, uint32_t count) {
    afxi_save_open(save, key, '[');
    for (size_t k = 0; k < count; k++) {
        const double *v = vertices + 3 * k;
        afxi_save_vec3(save, NULL, (AfxVec3){v[0], v[1], v[2]});
    }
    afxi_save_close(save, ']');
}

static void save_frames(AfxiSave *save, const AfxiSceneMesh *mesh) {
    afxi_save_open(save, "vertex_frames", '{');
    afxi_save_number(save, "rate", mesh->frame_rate);
    if (mesh->loop) {
        afxi_save_boolean(save, "loop", true);
    }
    afxi_save_open(save, "frames", '[');
    for (size_t k = 0; k < mesh->frame_count; k++) {
        save_vertices(save, NULL, mesh->frames + 3 * k * mesh->vertex_count, mesh->vertex_count);
    }
    afxi_save_close(save, ']');
    afxi_save_close(save, '}');
}

static void save_mesh(AfxiSave *save, const AfxiSceneMesh *mesh, bool triangles) {
    save_vertices(save, "vertices", mesh->vertices, mesh->vertex_count);
    if (!triangles) {
        return;
    }
    if (mesh->frames) {
        save_frames(save, mesh);
    }
    afxi_save_open(save, "triangles", '[');
    for (size_t k = 0; k < mesh->triangle_count; k++) {
        afxi_save_open(save, NULL, '[');
        for (int corner = 0; corner < 3; corner++) {
            afxi_save_whole(save, NULL, mesh->triangles[3 * k + (size_t)corner]);
        }
        afxi_save_close(save, ']');
    }
    afxi_save_close(save, ']');
}

static void save_height_field(AfxiSave *save, const double size[2], const AfxiSceneMesh *mesh) {
    afxi_save_open(save, "size", '[');
    afxi_save_number(save, NULL, 2 * size[0]);
    afxi_save_number(save, NULL, 2 * size[1]);
    afxi_save_close(save, ']');
    afxi_save_open(save, "heights", '[');
    for (size_t row = 0; row < mesh->rows; row++) {
        afxi_save_open(save, NULL, '[');
        for (size_t column = 0; column < mesh->columns; column++) {
            afxi_save_number(save, NULL, mesh->heights[row * mesh->columns + column]);
        }
        afxi_save_close(save, ']');
    }
    afxi_save_close(save, ']');
}

static void save_color(AfxiSave *save, uint32_t color) {
    char text[16];
    snprintf(text, sizeof text, "#%06lx", (unsigned long)(color & 0xffffff));
    if (color) {
        afxi_save_text(save, "color", text);
    }
}

/* Pictures are in the text, so that the scene needs no other file. */
static void save_textures(AfxiSave *save, const AfxScene *scene) {
    afxi_save_open(save, "textures", '{');
    for (uint32_t k = 0; k < scene->texture_count; k++) {
        const AfxiSceneTexture *texture = scene->textures + k;
        char name[16], four[5];
        snprintf(name, sizeof name, "%u", k);
        afxi_save_open(save, name, '{');
        afxi_save_number_unless(save, "tile", texture->tile, 0);
        afxi_save_key(save, "data");
        afxi_save_raw(save, "\"");
        for (size_t at = 0; at < texture->size; at += 3) {
            afxi_base64_letters(texture->data + at, texture->size - at, four);
            afxi_save_raw(save, four);
        }
        afxi_save_raw(save, "\"");
        afxi_save_close(save, '}');
    }
    afxi_save_close(save, '}');
}

static void save_shape(AfxiSave *save, const AfxScene *scene, const AfxiSceneUse *use) {
    const AfxiSceneShape *shape = (const AfxiSceneShape *)scene->shapes.items + use->shape;
    static const char *const kinds[] = {"box",    "sphere", "capsule", "cylinder",    "ellipsoid",
                                        "convex", "mesh",   "plane",   "height-field"};
    const double *size = shape->size;
    afxi_save_open(save, NULL, '{');
    afxi_save_text(save, "kind", kinds[shape->kind]);
    switch ((AfxShapeKind)shape->kind) {
    case AFX_SHAPE_BOX:
        afxi_save_vec3(save, "size", (AfxVec3){2 * size[0], 2 * size[1], 2 * size[2]});
        break;
    case AFX_SHAPE_ELLIPSOID:
        afxi_save_vec3(save, "semi_axes", (AfxVec3){size[0], size[1], size[2]});
        break;
    case AFX_SHAPE_SPHERE:
        afxi_save_number(save, "radius", size[0]);
        break;
    case AFX_SHAPE_CAPSULE:
    case AFX_SHAPE_CYLINDER:
        afxi_save_number(save, "radius", size[0]);
        afxi_save_number(save, "length", size[1]);
        break;
    case AFX_SHAPE_CONVEX:
    case AFX_SHAPE_MESH:
        save_mesh(save, scene->meshes + shape->mesh, shape->kind == AFX_SHAPE_MESH);
        break;
    case AFX_SHAPE_PLANE:
        break;
    case AFX_SHAPE_HEIGHT_FIELD:
        save_height_field(save, size, scene->meshes + shape->mesh);
        break;
    }
    afxi_save_pose(save, shape->pose);
    if (shape->mass > 0) {
        afxi_save_number(save, "mass", shape->mass);
    } else {
        afxi_save_number_unless(save, "density", shape->density, afx_default_sphere(1).density);
    }
    afxi_save_surface(save, scene, shape);
    save_color(save, use->color);
    if (use->texture) {
        char name[16];
        snprintf(name, sizeof name, "%u", use->texture - 1);
        afxi_save_text(save, "texture", name);
    }
    afxi_save_close(save, '}');
}

static void save_motion(AfxiSave *save, const AfxMotion *motion) {
    afxi_save_open(save, "motion", '{');
    afxi_save_open(save, "translation", '[');
    for (int k = 0; k < 3; k++) {
        afxi_save_signal(save, NULL, &motion->translation[k]);
    }
    afxi_save_close(save, ']');
    afxi_save_vec3(save, "axis", motion->axis);
    afxi_save_signal(save, "angle", &motion->angle);
    afxi_save_close(save, '}');
}

static void save_mass(AfxiSave *save, const AfxiSceneMatter *body) {
    afxi_save_number_unless(save, "mass", body->mass, 0);
    if (body->mass_source == AFX_MASS_GIVEN) {
        afxi_save_vec3_unless_zero(save, "center", body->center);
        afxi_save_open(save, "inertia", '[');
        for (int k = 0; k < 6; k++) {
            afxi_save_number(save, NULL, body->inertia[k]);
        }
        afxi_save_close(save, ']');
    }
}

static void save_body(AfxiSave *save, const AfxScene *scene, uint32_t index) {
    static const char *const kinds[] = {"dynamic", "fixed", "kinematic"};
    const AfxiSceneBody *body = scene->bodies + index;
    const AfxiSceneMatter *matter = afxi_scene_matter(scene, index);
    AfxTwist twist = afxi_scene_twist(scene, index);
    AfxBodyDef absent = afx_default_body();
    save_name(save, body->name);
    if (matter->kind != AFX_BODY_DYNAMIC) {
        afxi_save_text(save, "kind", kinds[matter->kind]);
    }
    afxi_save_pose(save, body->pose);
    afxi_save_vec3_unless_zero(save, "velocity", twist.linear);
    afxi_save_vec3_unless_zero(save, "angular_velocity", twist.angular);
    save_mass(save, matter);
    afxi_save_number_unless(save, "young", matter->young, absent.young);
    afxi_save_number_unless(save, "poisson", matter->poisson, absent.poisson);
    if (!matter->gravity) {
        afxi_save_boolean(save, "gravity", false);
    }
    afxi_save_number_unless(save, "linear_damping", matter->linear_damping, 0);
    afxi_save_number_unless(save, "angular_damping", matter->angular_damping, 0);
    if (body->motion != AFXI_NONE) {
        save_motion(save, &scene->motions[body->motion].motion);
    }
    if (body->shape_count) {
        afxi_save_open(save, "shapes", '[');
        for (uint32_t k = body->first_shape; k != AFXI_NONE; k = scene->uses[k].next) {
            save_shape(save, scene, scene->uses + k);
        }
        afxi_save_close(save, ']');
    }
}

/* ---- joints and what acts on them ---- */

static void save_frame(AfxiSave *save, const char *key, AfxPose frame) {
    if (!afxi_save_is_identity(frame)) {
        afxi_save_open(save, key, '{');
        afxi_save_pose(save, frame);
        afxi_save_close(save, '}');
    }
}

static void save_joint(AfxiSave *save, const AfxScene *scene, uint32_t index) {
    const AfxiSceneJoint *joint = scene->joints + index;
    const AfxiSceneFit *fit = afxi_scene_fit(scene, index);
    save_name(save, joint->name);
    afxi_save_text(save, "kind", afx_joint_kind_name((AfxJointKind)joint->kind));
    save_body_ref(save, "base", scene, joint->base);
    save_body_ref(save, "follower", scene, joint->follower);
    save_frame(save, "base_frame", fit->base_frame);
    save_frame(save, "follower_frame", fit->follower_frame);
    afxi_save_number_unless(save, "length", fit->length, 0);
    afxi_save_number_unless(save, "pitch", fit->pitch, 0);
    if (!joint->active) {
        afxi_save_boolean(save, "active", false);
    }
    if (joint->contact) {
        afxi_save_boolean(save, "contact", true);
    }
    afxi_save_number_unless(save, "break_force", fit->break_force, 0);
    afxi_save_number_unless(save, "break_torque", fit->break_torque, 0);
    if (joint->spring != AFXI_NONE) {
        const AfxJointSpring *spring = &scene->joint_springs[joint->spring];
        afxi_save_open(save, "spring", '{');
        afxi_save_vec3_unless_zero(save, "stiffness", spring->stiffness);
        afxi_save_vec3_unless_zero(save, "damping", spring->damping);
        afxi_save_rotation(save, "rest", spring->rest);
        afxi_save_close(save, '}');
    }
    if (joint->armature != AFXI_NONE) {
        afxi_save_open(save, "armature", '[');
        for (uint32_t k = 0; k < afx_joint_axis_count((AfxJointKind)joint->kind); k++) {
            afxi_save_number(save, NULL, scene->armatures[joint->armature].of[k]);
        }
        afxi_save_close(save, ']');
    }
}

static void save_drive(AfxiSave *save, const AfxScene *scene, uint32_t index) {
    static const char *const kinds[] = {"position", "velocity", "force", "servo", "spring", "limit", "friction"};
    const AfxiSceneDrive *drive = scene->drives + index;
    AfxDriveDef absent = afx_default_drive((AfxDriveKind)drive->kind);
    save_name(save, drive->name);
    afxi_save_text(save, "kind", kinds[drive->kind]);
    if (drive->coupling == AFXI_NONE) {
        save_joint_ref(save, scene, drive->joint);
    } else if (scene->couplings[drive->coupling].name) {
        afxi_save_text(save, "coupling", scene->couplings[drive->coupling].name);
    } else {
        afxi_save_whole(save, "coupling", drive->coupling);
    }
    if (drive->axis >= AFX_AXIS_SWING) {
        static const char *const further[] = {"swing", "twist", "angle"};
        afxi_save_text(save, "axis", further[drive->axis - AFX_AXIS_SWING]);
    } else {
        afxi_save_whole(save, "axis", drive->axis);
    }
    if (drive->from_input) {
        afxi_save_boolean(save, "from_input", true);
    } else if (drive->kind <= AFX_DRIVE_SERVO) {
        afxi_save_signal(save, "target", &drive->target);
    }
    afxi_save_number_unless(save, "stiffness", drive->stiffness, 0);
    afxi_save_number_unless(save, "damping", drive->damping, 0);
    afxi_save_number_unless(save, "rest", drive->rest, 0);
    afxi_save_number_unless(save, "effort", drive->effort, absent.effort);
    afxi_save_number_unless(save, "lower", drive->lower, absent.lower);
    afxi_save_number_unless(save, "upper", drive->upper, absent.upper);
    afxi_save_number_unless(save, "restitution", drive->restitution, 0);
    afxi_save_number_unless(save, "coefficient", drive->coefficient, 0);
    afxi_save_number_unless(save, "radius", drive->radius, 0);
    afxi_save_table(save, "spring_table", "positions", &drive->spring_table);
    afxi_save_table(save, "damper_table", "rates", &drive->damper_table);
}

static void save_path(AfxiSave *save, const AfxScene *scene, const AfxiSceneCoupling *coupling) {
    static const char *const kinds[] = {"point", "sphere", "cylinder", "pulley"};
    afxi_save_open(save, "path", '[');
    for (uint32_t k = 0; k < coupling->path_count; k++) {
        const AfxPathItem *item = &coupling->path[k];
        afxi_save_open(save, NULL, '{');
        afxi_save_text(save, "kind", kinds[item->kind]);
        if (item->kind != AFX_PATH_PULLEY) {
            save_body_ref(save, "body", scene, item->body.index);
            afxi_save_pose(save, item->pose);
            afxi_save_number_unless(save, "radius", item->radius, 0);
        }
        if (item->sided) {
            afxi_save_vec3(save, "side", item->side);
        }
        afxi_save_number_unless(save, "divisor", item->divisor, 1);
        afxi_save_close(save, '}');
    }
    afxi_save_close(save, ']');
}

static void save_coupling(AfxiSave *save, const AfxScene *scene, uint32_t index) {
    const AfxiSceneCoupling *coupling = scene->couplings + index;
    save_name(save, coupling->name);
    afxi_save_open(save, "terms", '[');
    for (uint32_t k = 0; k < coupling->term_count; k++) {
        afxi_save_open(save, NULL, '{');
        save_joint_ref(save, scene, coupling->joint[k]);
        afxi_save_whole(save, "axis", coupling->axis[k]);
        afxi_save_number(save, "factor", coupling->factor[k]);
        afxi_save_close(save, '}');
    }
    afxi_save_close(save, ']');
    afxi_save_number_unless(save, "constant", coupling->constant, 0);
    afxi_save_number_unless(save, "compliance", coupling->compliance, 0);
    afxi_save_number_unless(save, "inertia", coupling->inertia, 0);
    if (coupling->path_count) {
        save_path(save, scene, coupling);
    }
}

static void save_spring(AfxiSave *save, const AfxScene *scene, uint32_t index) {
    const AfxiSceneSpring *spring = scene->springs + index;
    save_name(save, spring->name);
    save_body_ref(save, "body_a", scene, spring->body_a);
    save_body_ref(save, "body_b", scene, spring->body_b);
    afxi_save_vec3_unless_zero(save, "point_a", spring->point_a);
    afxi_save_vec3_unless_zero(save, "point_b", spring->point_b);
    afxi_save_number_unless(save, "rest_length", spring->rest_length, 0);
    afxi_save_number_unless(save, "stiffness", spring->stiffness, 0);
    afxi_save_number_unless(save, "damping", spring->damping, 0);
    afxi_save_table(save, "spring_table", "positions", &spring->spring_table);
    afxi_save_table(save, "damper_table", "rates", &spring->damper_table);
}

/* ---- what is attached to bodies ---- */

/** A marker's or wrench's body: "world" is no word there, so any name will do. */
static void save_holder(AfxiSave *save, const AfxScene *scene, uint32_t body) {
    if (scene->bodies[body].name) {
        afxi_save_text(save, "body", scene->bodies[body].name);
    } else {
        afxi_save_whole(save, "body", body);
    }
}

static void save_marker(AfxiSave *save, const AfxScene *scene, uint32_t index) {
    const AfxiSceneMarker *marker = scene->markers + index;
    save_name(save, marker->name);
    save_holder(save, scene, marker->body);
    afxi_save_vec3_unless_zero(save, "point", marker->point);
}

static void save_wrench(AfxiSave *save, const AfxScene *scene, uint32_t index) {
    const AfxiSceneWrench *wrench = scene->wrenches + index;
    save_holder(save, scene, wrench->body);
    if (wrench->frame == AFX_FRAME_BODY) {
        afxi_save_text(save, "frame", "body");
    }
    afxi_save_vec3_unless_zero(save, "point", wrench->point);
    afxi_save_vec3_unless_zero(save, "force", wrench->force);
    afxi_save_vec3_unless_zero(save, "torque", wrench->torque);
    for (int half = 0; wrench->signals != AFXI_NONE && half < 2; half++) {
        afxi_save_open(save, half ? "torque_signal" : "force_signal", '[');
        for (int k = 0; k < 3; k++) {
            afxi_save_signal(save, NULL, &scene->wrench_signals[wrench->signals].of[3 * half + k]);
        }
        afxi_save_close(save, ']');
    }
}

void afxi_save_scene(AfxiSave *save, const AfxScene *scene, const AfxRunDef *run) {
    const struct {
        const char *key;
        uint32_t count;
        void (*write)(AfxiSave *save, const AfxScene *scene, uint32_t index);
    } lists[] = {
        {"bodies", scene->body_count, save_body},       {"joints", scene->joint_count, save_joint},
        {"drives", scene->drive_count, save_drive},     {"couplings", scene->coupling_count, save_coupling},
        {"springs", scene->spring_count, save_spring},  {"markers", scene->marker_count, save_marker},
        {"wrenches", scene->wrench_count, save_wrench},
    };
    afxi_save_raw(save, "{\n  \"affix_scene\": 1,\n  ");
    save->first = true;
    afxi_save_run(save, run);
    afxi_save_vec3(save, "gravity", scene->gravity);
    afxi_save_contact(save, scene);
    if (scene->texture_count) {
        save_textures(save, scene);
    }
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        if (lists[k].count == 0) {
            continue;
        }
        begin_list(save, lists[k].key);
        for (uint32_t index = 0; index < lists[k].count && !save->failure && !save->bad_text; index++) {
            begin_item(save);
            lists[k].write(save, scene, index);
            afxi_save_close(save, '}');
        }
        end_list(save);
    }
    afxi_save_exclusions(save, scene);
    afxi_save_robot(save, scene);
    afxi_save_raw(save, "\n}\n");
}
