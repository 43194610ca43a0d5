/* SPDX-License-Identifier: Apache-2.0 */
/* Links of an SDF file as bodies: inertials, collisions with their surfaces, visuals. */
#include <math.h>
#include <string.h>

#include "load/sdf.h"
#include "math/inertia.h"

/** Mass 1 kg and tensor 1 kg m² unless the file says otherwise, as SDF has it. */
static bool read_inertial(AfxiSdf *sdf, AfxiXmlNode *node, uint32_t link, AfxMass *out) {
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    AfxiLoad *load = sdf->urdf.load;
    AfxMass mass = {.mass = 1, .inertia = {1, 1, 1, 0, 0, 0}};
    AfxPose pose = afx_pose_identity();
    if (node) {
        AfxiXmlNode *tensor = afxi_xml_child(node, "inertia");
        if (!afxi_sdf_pose_in(sdf, node, link, &pose) || !afxi_xml_number(load, node, "mass", &mass.mass)) {
            return false;
        }
        for (int k = 0; tensor && k < 6; k++) {
            if (!afxi_xml_number(load, tensor, names[k], mass.inertia + k)) {
                return false;
            }
        }
        if (!(mass.mass > 0)) {
            return afxi_xml_error(load, node, "mass", "the mass is not positive", "give kg above 0");
        }
    }
    *out = afxi_mass_transform(mass, pose);
    return true;
}

/* ---- surfaces ---- */

/** The material of a surface: one that the scene has already, or a new one. */
static bool use_material(AfxiSdf *sdf, const AfxiXmlNode *node, const AfxMaterialDef *def, AfxMaterialId *out) {
    AfxScene *scene = sdf->urdf.load->scene;
    uint32_t count = afx_scene_material_count(scene);
    for (uint32_t k = 0; k < count; k++) {
        AfxMaterialDef other;
        *out = afx_scene_material(scene, k);
        if (afx_scene_get_material(scene, *out, &other) == AFX_OK && other.friction == def->friction &&
            other.restitution == def->restitution && other.torsional_friction == def->torsional_friction) {
            return true;
        }
    }
    return afx_scene_add_material(scene, def, out) == AFX_OK ||
           afxi_load_scene_error(sdf->urdf.load, node->file, node->line);
}

static bool read_surface(AfxiSdf *sdf, AfxiXmlNode *collision, AfxMaterialId *out) {
    AfxiLoad *load = sdf->urdf.load;
    AfxMaterialDef def = afx_default_material();
    def.friction = 1;
    AfxiXmlNode *surface = afxi_xml_child(collision, "surface");
    AfxiXmlNode *friction = surface ? afxi_xml_child(surface, "friction") : NULL;
    AfxiXmlNode *bounce = surface ? afxi_xml_child(surface, "bounce") : NULL;
    AfxiXmlNode *ode = friction ? afxi_xml_child(friction, "ode") : NULL;
    if ((ode && !afxi_xml_number(load, ode, "mu", &def.friction)) ||
        (bounce && !afxi_xml_number(load, bounce, "restitution_coefficient", &def.restitution))) {
        return false;
    }
    if (def.friction < 0 || def.restitution < 0 || def.restitution > 1) {
        return afxi_xml_error(load, collision, "surface", "its friction or restitution is out of range",
                              "give friction of 0 or more, restitution of 0 to 1");
    }
    return use_material(sdf, collision, &def, out);
}

/* ---- shapes ---- */

/** The turn of z into a direction. */
static bool plane_pose(AfxiSdf *sdf, AfxiXmlNode *plane, AfxPose *pose) {
    AfxVec3 n = {0, 0, 1};
    if (!afxi_xml_vec3(sdf->urdf.load, plane, "normal", &n)) {
        return false;
    }
    double length = vec3_length(n);
    if (!(length > 0) || !isfinite(length)) {
        return afxi_xml_error(sdf->urdf.load, plane, "normal", "it has no direction", "give a vector of length 1");
    }
    n = vec3_scale(1 / length, n);
    AfxVec3 side = vec3_cross(vec3(0, 0, 1), n);
    double sine = vec3_length(side);
    AfxVec3 axis = sine > 0 ? side : vec3(1, 0, 0);
    pose->rotation = afx_quat_multiply(pose->rotation, afx_quat_from_axis_angle(axis, atan2(sine, n.z)));
    return true;
}

static bool add_geometry(AfxiSdf *sdf, AfxiXmlNode *geometry, AfxiUrdfPlace *place, bool fixed) {
    AfxiLoad *load = sdf->urdf.load;
    AfxiXmlNode *node;
    double radii[3] = {1, 1, 1};
    if (afxi_xml_child(geometry, "empty")) {
        return true;
    }
    if ((node = afxi_xml_child(geometry, "plane"))) {
        afxi_xml_text(node, "size"); /* it is drawn as far as one looks */
        if (!fixed) {
            return afxi_xml_notice(load, AFX_NOTICE_IGNORED, node, NULL, "a body that moves cannot be a plane");
        }
        return plane_pose(sdf, node, &place->pose) && afxi_urdf_add_shape(&sdf->urdf, node, place, afx_default_plane());
    }
    if ((node = afxi_xml_child(geometry, "ellipsoid"))) {
        return afxi_xml_numbers(load, node, "radii", 3, 3, radii, NULL) &&
               afxi_urdf_add_shape(&sdf->urdf, node, place, afx_default_ellipsoid(radii[0], radii[1], radii[2]));
    }
    static const char *const foreign[] = {"heightmap", "image", "polyline", "cone"};
    for (size_t k = 0; k < sizeof foreign / sizeof foreign[0]; k++) {
        if ((node = afxi_xml_child(geometry, foreign[k]))) {
            afxi_xml_pass(node);
            return afxi_xml_notice(load, AFX_NOTICE_IGNORED, node, NULL, "there is no such shape");
        }
    }
    return afxi_urdf_add_geometry(&sdf->urdf, geometry, place);
}

static bool add_shape(AfxiSdf *sdf, AfxiXmlNode *node, const AfxiSdfFrame *link) {
    AfxiUrdfPlace place = {.body = link->body, .visual = afxi_xml_is(node, "visual")};
    AfxiXmlNode *geometry = afxi_xml_child(node, "geometry"),
                *material = place.visual ? afxi_xml_child(node, "material") : NULL;
    node->used = true;
    afxi_xml_text(node, "name");
    if (!geometry) {
        return afxi_xml_error(sdf->urdf.load, node, NULL, "it has no geometry", "give it one");
    }
    return afxi_sdf_pose_in(sdf, node, (uint32_t)(link - sdf->frames), &place.pose) &&
           (!material || afxi_xml_color(sdf->urdf.load, material, "diffuse", &place.color)) &&
           (place.visual || read_surface(sdf, node, &place.material)) &&
           add_geometry(sdf, geometry, &place, link->fixed);
}

/* ---- the body ---- */

bool afxi_sdf_add_link(AfxiSdf *sdf, AfxiSdfFrame *link) {
    AfxiLoad *load = sdf->urdf.load;
    AfxBodyDef def = afx_default_body();
    AfxMass mass;
    const char *gravity = afxi_xml_text(link->node, "gravity");
    if (!read_inertial(sdf, afxi_xml_child(link->node, "inertial"), (uint32_t)(link - sdf->frames), &mass)) {
        return false;
    }
    def.name = link->name;
    def.kind = link->fixed ? AFX_BODY_FIXED : AFX_BODY_DYNAMIC;
    def.pose = link->world;
    def.mass_source = AFX_MASS_GIVEN;
    def.mass = mass.mass;
    def.center = mass.center;
    memcpy(def.inertia, mass.inertia, sizeof def.inertia);
    def.young = INFINITY;
    def.gravity = !(gravity && (strcmp(gravity, "false") == 0 || strcmp(gravity, "0") == 0));
    if (!afxi_urdf_mend_inertia(&sdf->urdf, link->node, &def)) {
        return false;
    }
    if (afx_scene_add_body(load->scene, &def, &link->body) != AFX_OK) {
        return afxi_load_scene_error(load, link->node->file, link->node->line);
    }
    for (AfxiXmlNode *node = link->node->first; node; node = node->next) {
        if ((afxi_xml_is(node, "collision") || afxi_xml_is(node, "visual")) && !add_shape(sdf, node, link)) {
            return false;
        }
    }
    return true;
}
