/* SPDX-License-Identifier: Apache-2.0 */
/* What the bodies of a scene look like: triangle meshes, equal ones kept once, and where each body wears them. */
#ifndef AFXI_OUT_GEOMETRY_H
#define AFXI_OUT_GEOMETRY_H

#include "affix/model.h"

/** Vertices and triangles, outward. Without normals the faces are flat. */
typedef struct AfxiDrawMesh {
    float *positions;  /* [vertex_count][3] */
    float *normals;    /* [vertex_count][3], or NULL */
    uint32_t *corners; /* [triangle_count][3] */
    uint32_t vertex_count, triangle_count;
    uint32_t sides;    /* of rings about z, sides + 1 vertices each, from top to bottom; 0: other vertices */
    double capsule[2]; /* radius and length between the centres of its ends; 0, 0: no capsule */
} AfxiDrawMesh;

/** A mesh on a body: scaled, then placed in the body's frame. */
typedef struct AfxiWorn {
    uint32_t body, mesh;
    AfxPose pose;
    double scale[3];
    uint32_t colour;  /* of the palette; from AFXI_COLOURS on those of the scene */
    uint32_t texture; /* of the scene, from 1 on; 0: none */
    bool plane;       /* a square that stands for a plane without bounds */
} AfxiWorn;

#define AFXI_COLOURS 10 /* 0 is for what never moves, 1 for bodies without shapes */
#define AFXI_OWN_COLOURS                                                                         \
    240 /* of a scene that are told apart; of more, those that come later look like the last one \
         */

typedef struct AfxiSceneGeometry {
    AfxAllocator allocator;
    AfxiDrawMesh *meshes; /* [mesh_count] */
    uint32_t mesh_count, mesh_capacity;
    AfxiWorn *worn; /* [worn_count], by rising body */
    uint32_t worn_count, worn_capacity;
    bool dressed;      /* some shapes are for looks: bodies without any, rotors say, are then not to be seen */
    double plane_edge; /* m, of the squares that stand for planes */
    uint32_t own[AFXI_OWN_COLOURS]; /* [own_count] AFX_COLOR of the scene's shapes, each once */
    uint32_t own_count;
} AfxiSceneGeometry;

/** Red, green and blue as on a screen, 0 to 1. */
extern const double afxi_palette[AFXI_COLOURS][3];
/** Colours of the palette and of the scene together, and one of them. */
uint32_t afxi_geometry_colours(const AfxiSceneGeometry *geometry);
void afxi_geometry_colour(const AfxiSceneGeometry *geometry, uint32_t colour, double out_rgb[3]);

/** The visual shapes of every body or, of one that has none, all of them. In a scene without visual shapes a body
 * without any wears the box that has its mass and inertia. */
AfxStatus afxi_geometry_create(const AfxAllocator *allocator, const AfxScene *scene, AfxiSceneGeometry *out_geometry);
void afxi_geometry_destroy(AfxiSceneGeometry *geometry);

/** The mesh of a shape, in *out_mesh, and the scale that it needs. Spheres and the like are round to a few per mille.
 */
AfxStatus afxi_shape_mesh(const AfxAllocator *allocator, const AfxShapeDef *shape, AfxiDrawMesh *out_mesh);
/** Boxes, balls and cylinders are one mesh each, stretched. */
void afxi_shape_mesh_scale(const AfxShapeDef *shape, double out_scale[3]);
void afxi_shape_mesh_destroy(const AfxAllocator *allocator, AfxiDrawMesh *mesh);

#endif
