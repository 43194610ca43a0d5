/* SPDX-License-Identifier: Apache-2.0 */
/* Geoms as records and as shapes. A body's shapes are the geoms that can touch something or, when it has none, those
 * for looks; mass is reckoned from geoms before (mjcf_weigh.c) and does not hang on which of them are shapes. A mesh
 * that can touch is its convex hull, as in MuJoCo. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/mjcf.h"

static bool read_size(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfGeom *geom, double half, bool fromto) {
    static const uint32_t needed[] = {0, 0, 1, 2, 3, 2, 3, 0, 0};
    double n[3] = {0, 0, 0};
    uint32_t count, wanted = needed[geom->type];
    if (!afxi_xml_numbers(m->load, node, "size", 1, 3, n, &count)) {
        return false;
    }
    if (fromto) { /* the length is known; one radius or half width is enough */
        if (wanted < 2) {
            return afxi_xml_error(m->load, node, "fromto", "only capsule, cylinder, ellipsoid and box can have it",
                                  "give pos and an orientation");
        }
        n[wanted == 3 ? 2 : 1] = half;
        n[1] = wanted == 3 ? n[0] : half;
        wanted = 1;
    }
    if (geom->mesh == AFXI_MJCF_NONE && count < wanted) {
        return afxi_xml_error(m->load, node, "size", "it has too few numbers for this type of geom", "give them all");
    }
    for (uint32_t k = 0; k < (geom->mesh == AFXI_MJCF_NONE ? needed[geom->type] : 0); k++) {
        if (!(n[k] > 0)) {
            return afxi_xml_error(m->load, node, "size", "a size is not positive", "give lengths above 0 m");
        }
    }
    memcpy(geom->size, n, sizeof n);
    return true;
}

/** The mesh or height field that it refers to. */
static bool read_asset(AfxiMjcf *m, AfxiMjcfModel *model, AfxiXmlNode *node, AfxiMjcfGeom *geom) {
    const char *mesh = afxi_xml_text(node, "mesh"), *hfield = afxi_xml_text(node, "hfield");
    char text[120];
    if (mesh) {
        geom->mesh = afxi_names_find(&model->mesh_names, mesh);
        snprintf(text, sizeof text, "there is no mesh \"%.80s\"", mesh);
        if (geom->mesh == AFXI_MJCF_NONE) {
            return afxi_xml_error(m->load, node, "mesh", text, "give it in asset, or check the spelling");
        }
    } else if (geom->type == AFXI_MJCF_MESH || geom->type == AFXI_MJCF_SDF) {
        return afxi_xml_error(m->load, node, "mesh", "a geom of this type needs a mesh", "name one of asset");
    }
    if (geom->type != AFXI_MJCF_HFIELD) {
        return true;
    }
    uint32_t index = hfield ? afxi_names_find(&model->hfield_names, hfield) : AFXI_MJCF_NONE;
    if (index == AFXI_MJCF_NONE) {
        return afxi_xml_error(m->load, node, "hfield", "there is no such height field", "give it in asset");
    }
    double size[4];
    const char *there;
    if (!afxi_xml_need(m->load, model->hfields[index], "size", &there) ||
        !afxi_xml_numbers(m->load, model->hfields[index], "size", 4, 4, size, NULL)) {
        return false;
    }
    geom->size[0] = size[0]; /* MuJoCo weighs it as a box of half its height and its base */
    geom->size[1] = size[1];
    geom->size[2] = 0.25 * size[2] + 0.5 * size[3];
    return true;
}

static bool read_matter(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfGeom *geom) {
    static const char *const booleans[] = {"false", "true", NULL};
    int shell = 0, group = 0, kind = 1, affinity = 1;
    geom->density = 1000;
    geom->amount = NAN;
    if (!afxi_xml_number(m->load, node, "mass", &geom->amount) ||
        !afxi_xml_number(m->load, node, "density", &geom->density) ||
        !afxi_xml_word(m->load, node, "shellinertia", booleans, &shell) ||
        !afxi_xml_integer(m->load, node, "group", &group) || !afxi_xml_integer(m->load, node, "contype", &kind) ||
        !afxi_xml_integer(m->load, node, "conaffinity", &affinity)) {
        return false;
    }
    geom->shell = shell == 1;
    geom->group = group;
    geom->touches = kind != 0 || affinity != 0;
    if (geom->amount < 0 || geom->density < 0) {
        return afxi_xml_error(m->load, node, geom->amount < 0 ? "mass" : "density", "it is negative", "give 0 or more");
    }
    return true;
}

static bool read_numbers(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxPose frame,
                         AfxiMjcfGeom *geom) {
    static const char *const types[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                        "cylinder", "box",    "mesh",   "sdf",     NULL};
    AfxPose own;
    double half = 0;
    bool fromto;
    int type = AFXI_MJCF_SPHERE;
    if (!afxi_mjcf_use_class(m, scope, node, AFXI_MJCF_GEOMS) || !afxi_xml_word(m->load, node, "type", types, &type) ||
        !afxi_mjcf_pose(m, scope->model, node, &own) || !afxi_mjcf_fromto(m, node, &own, &half, &fromto)) {
        return false;
    }
    geom->type = (AfxiMjcfGeomType)type;
    geom->pose = afx_pose_compose(frame, own);
    return read_asset(m, scope->model, node, geom) &&
           (geom->type == AFXI_MJCF_HFIELD || read_size(m, node, geom, half, fromto)) && read_matter(m, node, geom);
}

bool afxi_mjcf_read_geom(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, uint32_t body, AfxPose frame) {
    AfxiMjcfGeom geom = {
        .node = node, .model = scope->model, .body = body, .next = AFXI_MJCF_NONE, .mesh = AFXI_MJCF_NONE};
    if (!read_numbers(m, scope, node, frame, &geom)) {
        return false;
    }
    geom.name = afxi_mjcf_name(m, scope, afxi_xml_text(node, "name"));
    if (!geom.name || !afxi_mjcf_enter(m, &m->geom_names, node, geom.name, m->geom_count)) {
        return false;
    }
    void *array = m->geoms;
    bool good = afxi_mjcf_grow(m, &array, &m->geom_capacity, m->geom_count, sizeof geom, "geoms", node);
    m->geoms = array;
    if (!good) {
        return false;
    }
    AfxiMjcfBody *owner = m->bodies + body;
    if (owner->last_geom == AFXI_MJCF_NONE) {
        owner->first_geom = m->geom_count;
    } else {
        m->geoms[owner->last_geom].next = m->geom_count;
    }
    owner->last_geom = m->geom_count;
    m->geoms[m->geom_count++] = geom;
    return true;
}

/* ---- shapes ---- */

static bool mesh_notice(AfxiMjcf *m, const AfxiMjcfMesh *mesh, AfxNoticeKind kind, const char *text) {
    return afxi_xml_notice(m->load, kind, mesh->node, NULL, text);
}

/** *out_there is false when the mesh is no shape, which was told. */
static bool mesh_shape(AfxiMjcf *m, const AfxiMjcfGeom *geom, AfxShapeDef *out_shape, bool *out_there) {
    AfxiMjcfMesh *mesh = geom->model->meshes + geom->mesh;
    *out_there = false;
    if (!afxi_mjcf_read_mesh(m, geom->model, mesh, false)) {
        return false;
    }
    if (mesh->missing) {
        return true;
    }
    if (!mesh->use_known && !afxi_mesh_use(m->load, &mesh->data, mesh->node->file, &mesh->use)) {
        return false;
    }
    mesh->use_known = true;
    const AfxiMesh *data = &mesh->data;
    if (mesh->use == AFXI_MESH_USE_NONE) {
        return mesh_notice(m, mesh, AFX_NOTICE_IGNORED, "it is flat: no shape");
    }
    *out_there = true;
    if (mesh->use == AFXI_MESH_USE_SOLID && !geom->touches) {
        *out_shape = afx_default_mesh(data->vertices, data->vertex_count, data->triangles, data->triangle_count);
        return true;
    }
    *out_shape = afx_default_convex(data->vertices, data->vertex_count);
    return geom->touches || mesh_notice(m, mesh, AFX_NOTICE_CHANGED, "it is not closed: its convex hull is the shape");
}

static bool geom_shape(AfxiMjcf *m, const AfxiMjcfGeom *geom, AfxShapeDef *out_shape, bool *out_there) {
    const double *s = geom->size;
    *out_there = true;
    switch (geom->type) {
    case AFXI_MJCF_SPHERE:
        *out_shape = afx_default_sphere(s[0]);
        return true;
    case AFXI_MJCF_CAPSULE:
        *out_shape = s[1] > 0 ? afx_default_capsule(s[0], 2 * s[1]) : afx_default_sphere(s[0]);
        return true;
    case AFXI_MJCF_ELLIPSOID:
        *out_shape = afx_default_ellipsoid(s[0], s[1], s[2]);
        return true;
    case AFXI_MJCF_CYLINDER:
        *out_shape = afx_default_cylinder(s[0], 2 * s[1]);
        return true;
    case AFXI_MJCF_BOX:
        *out_shape = afx_default_box(2 * s[0], 2 * s[1], 2 * s[2]);
        return true;
    case AFXI_MJCF_MESH:
        return mesh_shape(m, geom, out_shape, out_there);
    default:
        break;
    }
    *out_there = false;
    return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, geom->node, NULL,
                           geom->type == AFXI_MJCF_PLANE    ? "a plane is no shape of a scene"
                           : geom->type == AFXI_MJCF_HFIELD ? "a height field is no shape of a scene"
                                                            : "a distance field is no shape of a scene");
}

static bool add_shape(AfxiMjcf *m, const AfxiMjcfGeom *geom) {
    const AfxiMjcfBody *body = m->bodies + geom->body;
    AfxShapeDef shape;
    AfxBodyId id = m->bodies[body->group].id;
    bool there;
    if (!geom_shape(m, geom, &shape, &there)) {
        return false;
    }
    if (!there) {
        return true;
    }
    if (body->group == 0 && !afxi_mjcf_world_body(m, &id)) {
        return false;
    }
    shape.pose = afx_pose_compose(body->in_group, geom->pose);
    return afx_scene_add_shape(m->load->scene, id, &shape) == AFX_OK || afxi_mjcf_scene_error(m, geom->node);
}

bool afxi_mjcf_add_shapes(AfxiMjcf *m) {
    for (uint32_t b = 0; b < m->body_count; b++) {
        bool touches = false;
        for (uint32_t k = m->bodies[b].first_geom; k != AFXI_MJCF_NONE; k = m->geoms[k].next) {
            touches = touches || m->geoms[k].touches;
        }
        for (uint32_t k = m->bodies[b].first_geom; k != AFXI_MJCF_NONE; k = m->geoms[k].next) {
            bool good = m->geoms[k].touches == touches
                            ? add_shape(m, m->geoms + k)
                            : afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, m->geoms[k].node, NULL,
                                              "it is for looks only; the body's shapes are those that can touch");
            if (!good) {
                return false;
            }
        }
    }
    return true;
}
