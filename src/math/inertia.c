/* SPDX-License-Identifier: Apache-2.0 */
/* Mass properties. Simple solids by their textbook integrals; a closed mesh as the signed sum of the tetrahedra between
 * its triangles (a, b, c) and a reference point, for which with d = a . (b x c) and p = a + b + c
 *   volume d/6,   integral of x  d/24 p,   integral of x x^T  d/120 (a a^T + b b^T + c c^T + p p^T)
 * exactly (Lien and Kajiya 1984). The reference point is taken near the mesh, in a second pass at its centroid, so that
 * neither the distance from the origin nor the shift to the centroid cancels digits. */
#include "math/inertia.h"

#include <string.h>

#include "base/hash.h"
#include "math/eigen.h"
#include "math/tuning.h"

static const double PI = 3.14159265358979323846;

static AfxMass centered(double volume, double density, double xx, double yy, double zz) {
    return (AfxMass){.mass = density * volume, .inertia = {xx, yy, zz, 0, 0, 0}, .volume = volume};
}

/* A solid whose second moments per unit mass along its axes are x, y, z. */
static AfxMass from_second_moments(double volume, double density, double x, double y, double z) {
    double m = density * volume;
    return centered(volume, density, m * (y + z), m * (x + z), m * (x + y));
}

AfxMass afxi_mass_box(AfxVec3 half_extents, double density) {
    AfxVec3 h = half_extents;
    return from_second_moments(8 * h.x * h.y * h.z, density, h.x * h.x / 3, h.y * h.y / 3, h.z * h.z / 3);
}

AfxMass afxi_mass_ellipsoid(AfxVec3 semi_axes, double density) {
    AfxVec3 h = semi_axes;
    return from_second_moments(4 * PI / 3 * h.x * h.y * h.z, density, h.x * h.x / 5, h.y * h.y / 5, h.z * h.z / 5);
}

AfxMass afxi_mass_sphere(double radius, double density) {
    return afxi_mass_ellipsoid(vec3(radius, radius, radius), density);
}

AfxMass afxi_mass_cylinder(double radius, double length, double density) {
    double rr = radius * radius;
    return from_second_moments(PI * rr * length, density, rr / 4, rr / 4, length * length / 12);
}

AfxMass afxi_mass_capsule(double radius, double length, double density) {
    double rr = radius * radius, ll = length * length;
    double tube = density * PI * rr * length, caps = density * 4 * PI / 3 * rr * radius;
    /* A half ball's centroid is 3/8 r from its flat side. */
    double across = tube * (rr / 4 + ll / 12) + caps * (2 * rr / 5 + ll / 4 + 3 * radius * length / 8);
    double along = tube * rr / 2 + caps * 2 * rr / 5;
    return centered(PI * rr * (length + 4 * radius / 3), density, across, across, along);
}

/* A place to integrate about, and a length to measure in: x = ((vertex - origin) - offset) / size. */
typedef struct Gauge {
    AfxVec3 origin, offset;
    double size;
} Gauge;

typedef struct Moments {
    double volume, area; /* area: of all triangles, to judge the volume's rounding */
    AfxVec3 first;
    double second[6]; /* xx, yy, zz, xy, xz, yz */
} Moments;

static AfxVec3 measured(const double *vertices, uint32_t k, const Gauge *g) {
    AfxVec3 x = vec3_sub(vec3_sub(vec3_load(vertices + 3 * (size_t)k), g->origin), g->offset);
    return vec3(x.x / g->size, x.y / g->size, x.z / g->size);
}

static void add_square(double second[6], double s, AfxVec3 x) {
    second[0] += s * x.x * x.x;
    second[1] += s * x.y * x.y;
    second[2] += s * x.z * x.z;
    second[3] += s * x.x * x.y;
    second[4] += s * x.x * x.z;
    second[5] += s * x.y * x.z;
}

static Moments integrate(const double *vertices, const uint32_t *triangles, uint32_t triangle_count, const Gauge *g) {
    Moments sum = {0};
    for (size_t t = 0; t < triangle_count; t++) {
        AfxVec3 a = measured(vertices, triangles[3 * t], g);
        AfxVec3 b = measured(vertices, triangles[3 * t + 1], g);
        AfxVec3 c = measured(vertices, triangles[3 * t + 2], g);
        AfxVec3 p = vec3_add(vec3_add(a, b), c);
        AfxVec3 normal = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
        double d = vec3_dot(a, normal);
        sum.volume += d / 6;
        sum.area += vec3_length(normal) / 2;
        sum.first = vec3_mad(sum.first, d / 24, p);
        add_square(sum.second, d / 120, a);
        add_square(sum.second, d / 120, b);
        add_square(sum.second, d / 120, c);
        add_square(sum.second, d / 120, p);
    }
    return sum;
}

/* Checks the triangles and takes the middle and the largest extent of the box around them. */
static AfxiMeshResult measure(const double *vertices, uint32_t vertex_count, const uint32_t *triangles,
                              uint32_t triangle_count, Gauge *out) {
    AfxVec3 low = vec3(INFINITY, INFINITY, INFINITY), high = vec3(-INFINITY, -INFINITY, -INFINITY);
    for (size_t k = 0; k < 3 * (size_t)triangle_count; k++) {
        uint32_t triangle = (uint32_t)(k / 3);
        if (triangles[k] >= vertex_count)
            return (AfxiMeshResult){AFXI_MESH_INDEX, triangle};
        AfxVec3 x = vec3_load(vertices + 3 * (size_t)triangles[k]);
        if (!vec3_finite(x))
            return (AfxiMeshResult){AFXI_MESH_NOT_FINITE, triangle};
        low = vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    AfxVec3 extent = vec3_sub(high, low);
    out->size = fmax(extent.x, fmax(extent.y, extent.z));
    out->origin = vec3_add(vec3_scale(0.5, low), vec3_scale(0.5, high));
    out->offset = vec3(0, 0, 0);
    if (triangle_count == 0 || out->size == 0)
        return (AfxiMeshResult){AFXI_MESH_NO_VOLUME, 0};
    return (AfxiMeshResult){isfinite(out->size) ? AFXI_MESH_OK : AFXI_MESH_NOT_FINITE, 0};
}

/* Whether the moments, about their centroid, can be those of a solid. */
static bool moments_possible(const double second[6]) {
    double s[3];
    AfxiMat3 axes;
    afxi_eigen_sym3(second, s, &axes);
    return fmin(s[0], fmin(s[1], s[2])) >= -AFXI_MOMENT_ROUNDING * fmax(s[0], fmax(s[1], s[2]));
}

/* Undoes the gauge. Returns whether the result is finite. */
static bool mass_from_moments(const Moments *m, const Gauge *g, double density, AfxMass *out) {
    double sign = m->volume < 0 ? -1 : 1;
    double cube = g->size * g->size * g->size, fifth = cube * g->size * g->size;
    double s[6];
    for (int k = 0; k < 6; k++)
        s[k] = sign * density * fifth * m->second[k];
    AfxMass r = {.mass = sign * density * cube * m->volume,
                 .center = vec3_add(g->origin, g->offset),
                 .inertia = {s[1] + s[2], s[0] + s[2], s[0] + s[1], -s[3], -s[4], -s[5]},
                 .volume = sign * cube * m->volume};
    bool finite = isfinite(r.mass) && isfinite(r.volume) && vec3_finite(r.center);
    for (int k = 0; k < 6; k++)
        finite = finite && isfinite(r.inertia[k]);
    if (finite)
        *out = r;
    return finite;
}

AfxiMeshResult afxi_mass_mesh(const double *vertices, uint32_t vertex_count, const uint32_t *triangles,
                              uint32_t triangle_count, double density, AfxMass *out) {
    Gauge gauge;
    AfxiMeshResult result = measure(vertices, vertex_count, triangles, triangle_count, &gauge);
    if (result.code != AFXI_MESH_OK)
        return result;
    Moments m = integrate(vertices, triangles, triangle_count, &gauge);
    /* The vertices are rounded where they lie, so a flat mesh far away has a volume of that order. */
    double distance = fmax(1, vec3_length(gauge.origin) / gauge.size);
    if (fabs(m.volume) <= AFXI_VOLUME_ROUNDING * distance * m.area)
        return (AfxiMeshResult){AFXI_MESH_NO_VOLUME, 0};
    AfxVec3 centroid = vec3_scale(1 / m.volume, m.first);
    if (fmax(fabs(centroid.x), fmax(fabs(centroid.y), fabs(centroid.z))) > 0.5) /* outside the box */
        return (AfxiMeshResult){AFXI_MESH_INCONSISTENT, 0};
    gauge.offset = vec3_scale(gauge.size, centroid);
    m = integrate(vertices, triangles, triangle_count, &gauge);
    /* What the first pass lost to rounding; too little to matter for the second moments. */
    gauge.offset = vec3_mad(gauge.offset, gauge.size / m.volume, m.first);
    double solid[6];
    for (int k = 0; k < 6; k++)
        solid[k] = m.volume < 0 ? -m.second[k] : m.second[k];
    if (!moments_possible(solid))
        return (AfxiMeshResult){AFXI_MESH_INCONSISTENT, 0};
    if (!mass_from_moments(&m, &gauge, density, out))
        return (AfxiMeshResult){AFXI_MESH_NOT_FINITE, 0};
    return (AfxiMeshResult){AFXI_MESH_OK, 0};
}

/* A hash table of triangle numbers, one entry for each directed edge. Empty slots hold NO_TRIANGLE. */
typedef struct EdgeTable {
    const uint32_t *triangles;
    uint32_t *slots;
    uint64_t mask;
    AfxiHashKey key;
} EdgeTable;

#define NO_TRIANGLE UINT32_MAX

/* A power of two of at least twice the edges: at most half full. */
static uint64_t slot_count(uint32_t triangle_count) {
    uint64_t slots = 8;
    while (slots < 6 * (uint64_t)triangle_count)
        slots *= 2;
    return slots;
}

static bool has_edge(const uint32_t v[3], uint32_t from, uint32_t to) {
    return (v[0] == from && v[1] == to) || (v[1] == from && v[2] == to) || (v[2] == from && v[0] == to);
}

/* The slot of a triangle, other than `except`, that has the directed edge; else the empty slot where it would be. */
static uint32_t *find_edge(const EdgeTable *table, uint32_t from, uint32_t to, uint32_t except) {
    const uint32_t edge[2] = {from, to};
    for (uint64_t k = afxi_hash_keyed(table->key, edge, sizeof edge) & table->mask;; k = (k + 1) & table->mask) {
        uint32_t *slot = table->slots + k;
        if (*slot == NO_TRIANGLE || (*slot != except && has_edge(table->triangles + 3 * (size_t)*slot, from, to)))
            return slot;
    }
}

size_t afxi_mesh_closed_workspace(uint32_t triangle_count) {
    uint64_t bytes = slot_count(triangle_count) * sizeof(uint32_t);
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

AfxiMeshCode afxi_mesh_closed(const uint32_t *triangles, uint32_t triangle_count, uint32_t vertex_count,
                              void *workspace, size_t workspace_size, uint32_t *out_bad_triangle) {
    size_t bytes = afxi_mesh_closed_workspace(triangle_count);
    if (bytes == SIZE_MAX || workspace_size < bytes)
        return AFXI_MESH_WORKSPACE;
    if (triangle_count == 0)
        return AFXI_MESH_NO_VOLUME;
    EdgeTable table = {triangles, workspace, slot_count(triangle_count) - 1, afxi_hash_key(workspace)};
    memset(workspace, 0xff, bytes);
    for (uint32_t t = 0; t < triangle_count; t++) {
        const uint32_t *v = triangles + 3 * (size_t)t;
        *out_bad_triangle = t;
        if (v[0] >= vertex_count || v[1] >= vertex_count || v[2] >= vertex_count)
            return AFXI_MESH_INDEX;
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
            return AFXI_MESH_REPEATED;
        for (int k = 0; k < 3; k++) {
            uint32_t *slot = find_edge(&table, v[k], v[(k + 1) % 3], t);
            if (*slot != NO_TRIANGLE)
                return AFXI_MESH_NOT_CLOSED;
            *slot = t;
        }
    }
    for (uint32_t t = 0; t < triangle_count; t++) {
        const uint32_t *v = triangles + 3 * (size_t)t;
        *out_bad_triangle = t;
        for (int k = 0; k < 3; k++)
            if (*find_edge(&table, v[(k + 1) % 3], v[k], t) == NO_TRIANGLE)
                return AFXI_MESH_NOT_CLOSED;
    }
    return AFXI_MESH_OK;
}

AfxMass afxi_mass_transform(AfxMass m, AfxPose pose) {
    const double *i = m.inertia;
    AfxiMat3 r = mat3_from_quat(pose.rotation), turned = mat3_transpose(&r);
    AfxiMat3 tensor = {{i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]}};
    turned = mat3_multiply(&tensor, &turned);
    turned = mat3_multiply(&r, &turned);
    const double *t = turned.m;
    AfxMass out = {.mass = m.mass,
                   .center = afx_pose_apply(pose, m.center),
                   .inertia = {t[0], t[4], t[8], 0.5 * (t[1] + t[3]), 0.5 * (t[2] + t[6]), 0.5 * (t[5] + t[7])},
                   .volume = m.volume};
    return out;
}

AfxMass afxi_mass_add(AfxMass a, AfxMass b) {
    bool volume_known = (a.mass == 0 || a.volume != 0) && (b.mass == 0 || b.volume != 0);
    AfxMass sum = {.mass = a.mass + b.mass, .center = a.center, .volume = volume_known ? a.volume + b.volume : 0};
    for (int k = 0; k < 6; k++)
        sum.inertia[k] = a.inertia[k] + b.inertia[k];
    if (b.mass == 0)
        return sum;
    if (a.mass == 0) {
        sum.center = b.center;
        return sum;
    }
    AfxVec3 d = vec3_sub(b.center, a.center);
    double share = b.mass / sum.mass, reduced = a.mass * share;
    sum.center = vec3_mad(a.center, share, d);
    /* reduced (|d|^2 - d d^T), the parallel-axes terms of both */
    sum.inertia[0] += reduced * (d.y * d.y + d.z * d.z);
    sum.inertia[1] += reduced * (d.x * d.x + d.z * d.z);
    sum.inertia[2] += reduced * (d.x * d.x + d.y * d.y);
    sum.inertia[3] -= reduced * d.x * d.y;
    sum.inertia[4] -= reduced * d.x * d.z;
    sum.inertia[5] -= reduced * d.y * d.z;
    return sum;
}

AfxiMassResult afxi_second_moments(const AfxMass *m, double out_s[3], AfxiMat3 *out_axes) {
    const double *i = m->inertia;
    bool finite = isfinite(m->mass) && vec3_finite(m->center) && isfinite(i[0] + i[1] + i[2]);
    for (int k = 0; k < 6; k++)
        finite = finite && isfinite(i[k]);
    if (!finite)
        return AFXI_MASS_NOT_FINITE;
    /* The tensor of second moments, (tr I)/2 - I, has the same axes; its eigenvalues need no further subtraction. */
    double tensor[6] = {
        0.5 * (i[1] + i[2] - i[0]), 0.5 * (i[0] + i[2] - i[1]), 0.5 * (i[0] + i[1] - i[2]), -i[3], -i[4], -i[5]};
    double s[3];
    AfxiMat3 axes;
    afxi_eigen_sym3(tensor, s, &axes);
    double principal[3] = {s[1] + s[2], s[0] + s[2], s[0] + s[1]};
    double slack = AFXI_INERTIA_ROUNDING * fmax(principal[0], fmax(principal[1], principal[2]));
    if (m->mass < 0 || fmin(principal[0], fmin(principal[1], principal[2])) < -slack)
        return AFXI_MASS_NEGATIVE;
    if (fmin(s[0], fmin(s[1], s[2])) < -slack)
        return AFXI_MASS_TRIANGLE;
    for (int k = 0; k < 3; k++)
        out_s[k] = fmax(s[k], 0);
    *out_axes = axes;
    return AFXI_MASS_OK;
}
