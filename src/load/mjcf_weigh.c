/* SPDX-License-Identifier: Apache-2.0 */
/* Mass properties of geoms as MuJoCo reckons them, solid or shell: from the second moments s_x, s_y, s_z of the mass
 * along the axes of the geom. A shell has its mass on the surface (density is then per area). The surface of an
 * ellipsoid is Thomsen's approximation, its moments those of a layer of 1 um. A geom that is fitted to a mesh takes its
 * size from the box that has the mesh's inertia. */
#include <math.h>
#include <string.h>

#include "load/mjcf.h"
#include "math/eigen.h"
#include "math/inertia.h"

#define PI 3.14159265358979323846
#define TINY 1e-15 /* MuJoCo's mjMINVAL */

/** Amount (volume or area) and second moments per unit of it. */
typedef struct Matter {
    double amount, s[3];
} Matter;

static Matter weigh_ball(double r, bool shell) {
    double s = shell ? r * r / 3 : r * r / 5;
    return (Matter){shell ? 4 * PI * r * r : 4 * PI / 3 * r * r * r, {s, s, s}};
}

/** Half balls of centroid c and second moment e, apart by the tube between them. */
static Matter weigh_capsule(double r, double h, bool shell) {
    Matter ball = weigh_ball(r, shell);
    double tube = shell ? 4 * PI * r * h : 2 * PI * r * r * h, total = ball.amount + tube;
    double c = shell ? r / 2 : 3 * r / 8, across = shell ? r * r / 2 : r * r / 4;
    double x = (ball.amount * ball.s[0] + tube * across) / total;
    double z = (ball.amount * (ball.s[2] + 2 * h * c + h * h) + tube * h * h / 3) / total;
    return (Matter){total, {x, x, z}};
}

static Matter weigh_cylinder(double r, double h, bool shell) {
    if (!shell) {
        return (Matter){2 * PI * r * r * h, {r * r / 4, r * r / 4, h * h / 3}};
    }
    double ends = 2 * PI * r * r, tube = 4 * PI * r * h, total = ends + tube;
    double x = (ends * r * r / 4 + tube * r * r / 2) / total, z = (ends * h * h + tube * h * h / 3) / total;
    return (Matter){total, {x, x, z}};
}

static Matter weigh_ellipsoid(const double a[3], bool shell) {
    double inner = a[0] * a[1] * a[2];
    if (!shell) {
        return (Matter){4 * PI / 3 * inner, {a[0] * a[0] / 5, a[1] * a[1] / 5, a[2] * a[2] / 5}};
    }
    const double p = 1.6075, layer = 1e-6;
    double sum = pow(a[0] * a[1], p) + pow(a[1] * a[2], p) + pow(a[2] * a[0], p);
    double outer = (a[0] + layer) * (a[1] + layer) * (a[2] + layer);
    Matter matter = {4 * PI * pow(sum / 3, 1 / p), {0}};
    for (int k = 0; k < 3; k++) {
        double b = a[k] + layer;
        matter.s[k] = (outer * b * b - inner * a[k] * a[k]) / (5 * (outer - inner));
    }
    return matter;
}

static Matter weigh_box(const double h[3], bool shell) {
    double areas[3] = {h[1] * h[2], h[2] * h[0], h[0] * h[1]}, sum = areas[0] + areas[1] + areas[2];
    Matter matter = {shell ? 8 * sum : 8 * h[0] * h[1] * h[2], {0}};
    for (int k = 0; k < 3; k++) {
        double at_end = shell ? areas[k] / sum : 0; /* how much of it lies at +-h */
        matter.s[k] = h[k] * h[k] * (at_end + (1 - at_end) / 3);
    }
    return matter;
}

/** A size of the box that has these principal inertias. */
static double box_size(double amount, double twice_moment) {
    return sqrt(fmax(0, 1.5 * twice_moment / amount));
}

/** Sizes and place of a geom that is fitted to a mesh: the longest axis is z. */
static bool fit(AfxiMjcf *m, const AfxiMjcfGeom *geom, AfxiMjcfGeom *out_geom) {
    AfxiMjcfMesh *mesh = geom->model->meshes + geom->mesh;
    if (!afxi_mjcf_weigh_mesh(m, geom->model, mesh)) {
        return false;
    }
    double moments[3], scale = 1;
    AfxiMat3 axes;
    afxi_eigen_sym3(mesh->mass.inertia, moments, &axes);
    int order[3] = {0, 1, 2}; /* by falling moment */
    for (int a = 0; a < 2; a++) {
        for (int b = a + 1; b < 3; b++) {
            if (moments[order[b]] > moments[order[a]]) {
                int kept = order[a];
                order[a] = order[b];
                order[b] = kept;
            }
        }
    }
    double sum = moments[0] + moments[1] + moments[2], box[3];
    for (int k = 0; k < 3; k++) {
        box[k] = box_size(mesh->mass.mass, sum - 2 * moments[order[k]]);
    }
    AfxVec3 x = mat3_column(&axes, order[0]), y = mat3_column(&axes, order[1]);
    AfxiMat3 turn = mat3_from_columns(x, y, vec3_cross(x, y));
    AfxPose pose = {mesh->mass.center, afxi_quat_from_mat3(&turn)};
    *out_geom = *geom;
    out_geom->pose = afx_pose_compose(geom->pose, pose);
    double round = (box[0] + box[1]) / 2;
    double sizes[4][3] = {{(round * 2 + box[2]) / 3, 0, 0},
                          {round, fmax(0, box[2] - round / 2), 0},
                          {round, box[2], 0},
                          {box[0], box[1], box[2]}};
    int row = geom->type == AFXI_MJCF_SPHERE     ? 0
              : geom->type == AFXI_MJCF_CAPSULE  ? 1
              : geom->type == AFXI_MJCF_CYLINDER ? 2
                                                 : 3;
    if (!afxi_xml_number(m->load, geom->node, "fitscale", &scale)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        out_geom->size[k] = scale * sizes[row][k];
    }
    return true;
}

bool afxi_mjcf_fit_geoms(AfxiMjcf *m) {
    for (uint32_t k = 0; k < m->geom_count; k++) {
        AfxiMjcfGeom *geom = m->geoms + k, fitted;
        if (geom->mesh == AFXI_MJCF_NONE || geom->type == AFXI_MJCF_MESH || geom->type == AFXI_MJCF_SDF) {
            continue;
        }
        if (geom->model->settings.fit_aabb &&
            !afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, geom->node, "mesh",
                             "it is fitted by inertia, not by the mesh's bounding box")) {
            return false;
        }
        if (!fit(m, geom, &fitted)) {
            return false;
        }
        *geom = fitted;
        geom->mesh = AFXI_MJCF_NONE;
    }
    return true;
}

static Matter weigh(const AfxiMjcfGeom *geom) {
    const double *s = geom->size;
    switch (geom->type) {
    case AFXI_MJCF_SPHERE:
        return weigh_ball(s[0], geom->shell);
    case AFXI_MJCF_CAPSULE:
        return weigh_capsule(s[0], s[1], geom->shell);
    case AFXI_MJCF_CYLINDER:
        return weigh_cylinder(s[0], s[1], geom->shell);
    case AFXI_MJCF_ELLIPSOID:
        return weigh_ellipsoid(s, geom->shell);
    case AFXI_MJCF_BOX:
    case AFXI_MJCF_HFIELD:
        return weigh_box(s, geom->shell);
    default:
        return (Matter){0, {0, 0, 0}};
    }
}

/** The same matter, of another mass. */
static AfxMass with_mass(AfxMass mass, double amount) {
    for (int k = 0; k < 6; k++) {
        mass.inertia[k] *= amount / mass.mass;
    }
    mass.mass = amount;
    return mass;
}

bool afxi_mjcf_weigh_geom(AfxiMjcf *m, const AfxiMjcfGeom *geom, AfxMass *out_mass) {
    *out_mass = (AfxMass){0};
    if (geom->amount == 0 || (isnan(geom->amount) && geom->density == 0)) {
        return true;
    }
    AfxMass unit;
    if (geom->type == AFXI_MJCF_SDF) {
        return afxi_xml_error(m->load, geom->node, NULL, "the mass of a distance field is not known",
                              "give the body an inertial");
    }
    if (geom->type == AFXI_MJCF_MESH) {
        AfxiMjcfMesh *mesh = geom->model->meshes + geom->mesh;
        if (!afxi_mjcf_weigh_mesh(m, geom->model, mesh)) {
            return false;
        }
        unit = mesh->mass;
    } else {
        Matter matter = weigh(geom);
        unit = (AfxMass){.mass = matter.amount,
                         .inertia = {matter.amount * (matter.s[1] + matter.s[2]),
                                     matter.amount * (matter.s[0] + matter.s[2]),
                                     matter.amount * (matter.s[0] + matter.s[1])}};
    }
    if (unit.mass > TINY) {
        double amount = isnan(geom->amount) ? geom->density * unit.mass : geom->amount;
        *out_mass = afxi_mass_transform(with_mass(unit, amount), geom->pose);
        out_mass->volume = 0;
    }
    return true;
}
