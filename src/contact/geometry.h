/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry of contact: where two placed shapes touch, or nearly do. Knows no bodies, no forces and no state. */
#ifndef AFXI_CONTACT_GEOMETRY_H
#define AFXI_CONTACT_GEOMETRY_H

#include "affix/base.h"
#include "affix/math.h"

typedef enum AfxiGeometryKind {
    AFXI_GEOMETRY_PLANE, /* the half-space z <= 0 */
    AFXI_GEOMETRY_SPHERE,
    AFXI_GEOMETRY_CAPSULE, /* along z */
    AFXI_GEOMETRY_BOX,
    AFXI_GEOMETRY_CYLINDER, /* along z */
    AFXI_GEOMETRY_ELLIPSOID,
    AFXI_GEOMETRY_CONVEX,
    AFXI_GEOMETRY_MESH,
    AFXI_GEOMETRY_HEIGHT_FIELD,
    AFXI_GEOMETRY_KINDS
} AfxiGeometryKind;

/** A convex polyhedron. Faces are polygons, counter-clockwise from outside. */
typedef struct AfxiHullMesh {
    uint32_t vertex_count, face_count;
    const double *vertices;       /* [3 * vertex_count] */
    const double *planes;         /* [4 * face_count]: outward unit normal and n . x on the face */
    const uint32_t *face_start;   /* [face_count + 1]: where the corners of a face begin */
    const uint32_t *face_corners; /* [face_start[face_count]]: vertex numbers; corner k and k + 1 are an edge */
    const uint32_t *vertex_start; /* [vertex_count + 1]: where the faces and neighbours of a vertex begin */
    const uint32_t *vertex_faces; /* [face_start[face_count]]: faces around each vertex */
    const uint32_t *vertex_next;  /* [face_start[face_count]]: the far ends of its edges */
    double center[3];             /* mean of the vertices, inside */
    double radius;                /* of a ball around the center that holds all */
    void *block;                  /* the one allocation; NULL when the arrays are someone else's */
    size_t block_size;
} AfxiHullMesh;

/** A node of the tree of boxes: leaves hold triangles, others have children at `first` and `first` + 1. */
typedef struct AfxiTreeNode {
    double lower[3], upper[3];
    uint32_t first; /* a leaf: into `order`; else the first child */
    uint32_t count; /* of triangles; 0 in an inner node */
} AfxiTreeNode;

/** Triangles, one-sided: counter-clockwise from outside. */
typedef struct AfxiTriangles {
    uint32_t vertex_count, triangle_count, node_count;
    double *vertices;    /* [3 * vertex_count]; change them by afxi_triangles_move */
    uint32_t *triangles; /* [3 * triangle_count] */
    uint32_t *across;    /* [3 * triangle_count]: triangle beyond the edge from corner k to k + 1, or UINT32_MAX */
    double *normals;     /* [3 * triangle_count], unit; zero for a triangle without area */
    double *outward;     /* [9 * triangle_count]: for each edge, in the triangle's plane, normal to it, unit */
    double *ridge;     /* [3 * triangle_count]: sine of the neighbour's bend across each edge: > 0 ridge, < 0 groove, 1
                          border */
    double *thickness; /* [triangle_count]: depth to which it pushes; infinite where nothing is behind it */
    uint32_t *order;   /* [triangle_count]: triangles as the leaves have them */
    AfxiTreeNode *nodes; /* [node_count], parents before children */
    void *block;
    size_t block_size;
} AfxiTriangles;

/** What a shape is for contact: constants of the model, shared by equal shapes. */
typedef struct AfxiGeometry {
    AfxiGeometryKind kind;
    double half[3];             /* box: half edges; ellipsoid: semi-axes */
    double radius, half_length; /* sphere, capsule (z), cylinder (z); half_length without caps */
    const AfxiHullMesh *hull;   /* convex */
    const AfxiTriangles *mesh;  /* mesh and height field */
} AfxiGeometry;

/** Where a shape is: p = r x + t, r by columns (a rotation). */
typedef struct AfxiPlace {
    double r[9], t[3];
} AfxiPlace;

/** One point of touch. */
typedef struct AfxiTouch {
    double point_a[3], point_b[3]; /* on the surfaces of a and b, world */
    double normal[3];              /* unit, from b towards a: moving a along it separates */
    double gap;                    /* normal . (point_a - point_b); negative: penetration */
    uint32_t feature;              /* stable from step to step for the same features of the two shapes */
    uint32_t triangle;             /* of the mesh, where one of them is a mesh or height field */
} AfxiTouch;

#define AFXI_TOUCH_MAX 16

/** Points where the shapes are nearer than margin (>= 0): at most 4 for convex pairs, and one more where the deepest is
 * between them (a tilted cylinder); 8 for two boxes or a cylinder that stands, and one more; AFXI_TOUCH_MAX for meshes.
 * Well spread, the deepest among them. Deterministic, allocates nothing. Two planes never touch. A mesh pushes outward
 * only: what has gone through its surface is pushed back as long as it is not behind it by more than half its own
 * smallest extent, and by no more than the mesh's thickness. */
uint32_t afxi_touch(const AfxiGeometry *a, const AfxiPlace *place_a, const AfxiGeometry *b, const AfxiPlace *place_b,
                    double margin, AfxiTouch out[AFXI_TOUCH_MAX]);

/** Of a shape that is a point or a line with a radius; 0 of others. */
double afxi_geometry_radius(const AfxiGeometry *geometry);
/** Box around the placed shape (a plane: infinite). */
void afxi_geometry_bounds(const AfxiGeometry *g, const AfxiPlace *place, double lower[3], double upper[3]);

#endif
