/* SPDX-License-Identifier: Apache-2.0 */
/* Mass properties of meshes at density 1, in MuJoCo's four ways (attribute `inertia` of a mesh):
 *   legacy  sum of the tetrahedra between triangles and a middle point, all counted positive: exact for star-shaped
 *           meshes seen from that point, too large for others; the default
 *   exact   the same, signed
 *   convex  exact, for the hull
 *   shell   on the surface
 * The middle point is the centroid of the triangles for volume and centre, then that centre for the tensor. With
 * d = v/20 for a solid (a tetrahedron with one corner at the origin) and d = area/12 for a shell, the second moments of
 * a triangle (a, b, c) are  d (a a^T + b b^T + c c^T + p p^T),  p = a + b + c. */
#include <math.h>

#include "load/mjcf.h"
#include "math/inertia.h"

#define TINY 1e-15

typedef enum Way { CONVEX = 0, LEGACY, EXACT, SHELL } Way;

typedef struct Triangle {
    AfxVec3 a, b, c, centre;
    double area;
    AfxVec3 twice_normal; /* of length 2 area */
} Triangle;

static Triangle triangle_of(const AfxiMeshData *mesh, size_t t, AfxVec3 origin) {
    const uint32_t *v = mesh->triangles + 3 * t;
    Triangle x = {.a = vec3_sub(vec3_load(mesh->vertices + 3 * (size_t)v[0]), origin),
                  .b = vec3_sub(vec3_load(mesh->vertices + 3 * (size_t)v[1]), origin),
                  .c = vec3_sub(vec3_load(mesh->vertices + 3 * (size_t)v[2]), origin)};
    x.centre = vec3_scale(1.0 / 3, vec3_add(x.a, vec3_add(x.b, x.c)));
    x.twice_normal = vec3_cross(vec3_sub(x.b, x.a), vec3_sub(x.c, x.a));
    double length = vec3_length(x.twice_normal);
    if (length < TINY) { /* MuJoCo leaves such faces out */
        x.twice_normal = vec3(0, 0, 0);
        length = 0;
    }
    x.area = length / 2;
    return x;
}

/** Volume of the tetrahedron to the origin, or the area. */
static double amount_of(const Triangle *x, Way way) {
    if (way == SHELL) {
        return x->area;
    }
    double volume = vec3_dot(x->centre, x->twice_normal) / 6;
    return way == LEGACY ? fabs(volume) : volume;
}

static AfxVec3 face_centroid(const AfxiMeshData *mesh, double *out_area) {
    AfxVec3 sum = {0, 0, 0};
    *out_area = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        Triangle x = triangle_of(mesh, t, vec3(0, 0, 0));
        sum = vec3_mad(sum, x.area, x.centre);
        *out_area += x.area;
    }
    return *out_area > 0 ? vec3_scale(1 / *out_area, sum) : sum;
}

/** Centre of mass, by tetrahedra from `middle`. */
static AfxVec3 centre_of(const AfxiMeshData *mesh, Way way, AfxVec3 middle, double *out_amount) {
    AfxVec3 sum = {0, 0, 0};
    *out_amount = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        Triangle x = triangle_of(mesh, t, middle);
        double amount = amount_of(&x, way);
        sum = vec3_mad(sum, amount * (way == SHELL ? 1 : 0.75), x.centre);
        *out_amount += amount;
    }
    return *out_amount > 0 ? vec3_mad(middle, 1 / *out_amount, sum) : middle;
}

static void add_square(double out[6], double s, AfxVec3 x) {
    out[0] += s * x.x * x.x;
    out[1] += s * x.y * x.y;
    out[2] += s * x.z * x.z;
    out[3] += s * x.x * x.y;
    out[4] += s * x.x * x.z;
    out[5] += s * x.y * x.z;
}

static AfxMass tensor_of(const AfxiMeshData *mesh, Way way, AfxVec3 centre) {
    double p[6] = {0};
    AfxMass mass = {.center = centre};
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        Triangle x = triangle_of(mesh, t, centre);
        double amount = amount_of(&x, way), d = amount / (way == SHELL ? 12 : 20);
        mass.mass += amount;
        add_square(p, d, x.a);
        add_square(p, d, x.b);
        add_square(p, d, x.c);
        add_square(p, 9 * d, x.centre);
    }
    const double tensor[6] = {p[1] + p[2], p[0] + p[2], p[0] + p[1], -p[3], -p[4], -p[5]};
    for (int k = 0; k < 6; k++) {
        mass.inertia[k] = tensor[k];
    }
    return mass;
}

static bool weigh(AfxiMjcf *m, AfxiMjcfMesh *mesh, const AfxiMeshData *data, Way way) {
    double area, amount, s[3];
    AfxiMat3 axes;
    AfxVec3 middle = face_centroid(&mesh->data, &area), centre = centre_of(data, way, middle, &amount);
    if (!(area >= TINY) || !(amount >= TINY)) {
        return afxi_xml_error(m->load, mesh->node, NULL,
                              amount < 0 ? "its volume is negative: its triangles face inward"
                                         : "its surface or volume is too small to have a mass",
                              amount < 0 ? "turn them" : "set inertia to shell, or give the body an inertial");
    }
    mesh->mass = tensor_of(data, way, centre);
    if (afxi_second_moments(&mesh->mass, s, &axes) == AFXI_MASS_OK) {
        return true;
    }
    return afxi_xml_error(m->load, mesh->node, NULL, "its triangles enclose nothing that has a mass",
                          "close the mesh and turn all triangles outward, or set its inertia to convex");
}

bool afxi_mjcf_weigh_mesh(AfxiMjcf *m, AfxiMjcfModel *model, AfxiMjcfMesh *mesh) {
    static const char *const ways[] = {"convex", "legacy", "exact", "shell", NULL};
    int way = LEGACY;
    if (mesh->mass_known) {
        return true;
    }
    if (!afxi_mjcf_read_mesh(m, model, mesh, true) || !afxi_xml_word(m->load, mesh->node, "inertia", ways, &way)) {
        return false;
    }
    mesh->mass_known = true;
    if (way != CONVEX) {
        return weigh(m, mesh, &mesh->data, (Way)way);
    }
    AfxiMeshData hull;
    bool good = afxi_mjcf_hull_mesh(m, mesh, &hull) && weigh(m, mesh, &hull, CONVEX);
    afxi_mesh_free_data(m->load, &hull);
    return good;
}
