/* SPDX-License-Identifier: Apache-2.0 */
/* Mass properties of shapes and meshes, and what a body's constants are made from. */
#ifndef AFXI_MATH_INERTIA_H
#define AFXI_MATH_INERTIA_H

#include "math/vec3.h"

/** Solids centred at the origin; capsule and cylinder along z, `length` being that of the cylindrical part. */
AfxMass afxi_mass_box(AfxVec3 half_extents, double density);
AfxMass afxi_mass_sphere(double radius, double density);
AfxMass afxi_mass_capsule(double radius, double length, double density);
AfxMass afxi_mass_cylinder(double radius, double length, double density);
AfxMass afxi_mass_ellipsoid(AfxVec3 semi_axes, double density);

typedef enum AfxiMeshCode {
    AFXI_MESH_OK,
    AFXI_MESH_INDEX,        /* a triangle names a vertex that is not there */
    AFXI_MESH_NOT_FINITE,   /* a triangle has a vertex that is not finite, or the result is not */
    AFXI_MESH_NO_VOLUME,    /* no triangles, or they enclose nothing */
    AFXI_MESH_INCONSISTENT, /* the moments are of no solid: open, or not all triangles oriented alike */
    AFXI_MESH_REPEATED,     /* a triangle names a vertex twice */
    AFXI_MESH_NOT_CLOSED,   /* a triangle has an edge that is not shared with exactly one other, oppositely directed */
    AFXI_MESH_WORKSPACE     /* the workspace is too small */
} AfxiMeshCode;

typedef struct AfxiMeshResult {
    AfxiMeshCode code;
    uint32_t triangle; /* the offending one, for the codes that speak of a triangle; else 0 */
} AfxiMeshResult;

/** Mass properties of the solid inside a closed triangle mesh: vertices [3 * vertex_count], triangles
 * [3 * triangle_count] vertex numbers, all oriented outward or all inward. Does not prove that the mesh is closed
 * (afxi_mesh_closed does). *out is written only if the code is AFXI_MESH_OK. */
AfxiMeshResult afxi_mass_mesh(const double *vertices, uint32_t vertex_count, const uint32_t *triangles,
                              uint32_t triangle_count, double density, AfxMass *out);

/** Bytes that afxi_mesh_closed needs (SIZE_MAX if no size can hold them). */
size_t afxi_mesh_closed_workspace(uint32_t triangle_count);

/** AFXI_MESH_OK if every directed edge has exactly one opposite: closed and oriented consistently. workspace is aligned
 * for uint32_t. out_bad_triangle is written for the codes that speak of a triangle. */
AfxiMeshCode afxi_mesh_closed(const uint32_t *triangles, uint32_t triangle_count, uint32_t vertex_count,
                              void *workspace, size_t workspace_size, uint32_t *out_bad_triangle);

/** m, given in the frame that `pose` places in its parent, expressed in the parent. */
AfxMass afxi_mass_transform(AfxMass m, AfxPose pose);

/** Both together, in their common frame. A part without mass adds its inertia only; the volume is not known (0) if that
 * of a part with mass is not. */
AfxMass afxi_mass_add(AfxMass a, AfxMass b);

typedef enum AfxiMassResult {
    AFXI_MASS_OK,
    AFXI_MASS_NOT_FINITE,
    AFXI_MASS_NEGATIVE, /* the mass or a principal inertia is negative */
    AFXI_MASS_TRIANGLE  /* a principal inertia is more than the sum of the other two: no body has that */
} AfxiMassResult;

/** Principal axes (columns of a proper rotation) and the second moments s_k = (I_i + I_j - I_k) / 2 along them, those
 * that are negative by rounding (1e-9 of the largest inertia) set to 0. Outputs are written only if AFXI_MASS_OK. */
AfxiMassResult afxi_second_moments(const AfxMass *m, double out_s[3], AfxiMat3 *out_axes);

#endif
