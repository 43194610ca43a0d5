/* SPDX-License-Identifier: Apache-2.0 */
/* Which shapes of a model touch: boxes swept over a stage, pairs of boxes, and the contact points of each pair. */
#ifndef AFXI_COLLIDE_COLLIDE_H
#define AFXI_COLLIDE_COLLIDE_H

#include "collide/span.h"
#include "constraint/contact.h"
#include "contact/cluster.h"
#include "contact/geometry.h"

/** Box of a shape in its body's principal frame. */
typedef struct AfxiShapeBox {
    double center[3], half[3];
    double inner; /* radius of a ball inside */
    bool unbounded;
} AfxiShapeBox;

/** What the bound of a cluster is made from: its bodies, and how far any shape reaches from the origin of its body,
 * along the body's axes. */
typedef struct AfxiClusterReach {
    uint32_t first_body, body_count; /* into cluster_body */
    double reach[3], inner;          /* inner: the largest of the shapes */
} AfxiClusterReach;

typedef struct AfxiCollide {
    AfxiContactSet set;
    AfxiClusters *clusters;
    AfxiClusterReach *cluster; /* [clusters] */
    uint32_t *cluster_body;    /* [item_count] bodies, cluster after cluster */
    AfxiSpanKernel *span;
    uint32_t item_count;
    uint8_t *boxed;         /* [items] its box was made in this stage, or stays */
    AfxiGeometry *geometry; /* [geometries of the model] */
    AfxiHullMesh *hull;     /* [geometries of the model], of those that have one */
    AfxiTriangles *mesh;
    uint32_t geometry_count;
    double **rates;    /* [geometries of the model] of those with vertex frames: velocities [3 * vertex_count], m/s */
    bool deforming;    /* there are such */
    AfxiShapeBox *box; /* [box_count] */
    uint32_t box_count, box_capacity;
    uint32_t *box_of;                /* [items] */
    double (*lower)[3], (*upper)[3]; /* [items] over the step */
    double *pad;                     /* [items] by which the boxes were widened */
    double margin;                   /* m, the largest of all materials: points are looked for so much farther */
    double *extent;                  /* [bodies] m, of what a body is part of */
    double *result;                  /* [bodies][12] where the last solve put a body, if ... */
    uint8_t *warm;                   /* [bodies] ... its points are looked for again there */
    const uint8_t *absent;           /* [bodies] are where they come to be already; NULL: none */
    double unseen;                   /* m, deepest that the last solves found beside the planes of their points */
    double seconds_broad, seconds_narrow;
    uint64_t looks; /* how often points were looked for */
    void *raw;
    size_t raw_size;
} AfxiCollide;

/** How far points of two items are looked for, m. */
static inline double afxi_collide_reach(const AfxiCollide *collide, uint32_t a, uint32_t b) {
    return collide->pad[a] + collide->pad[b] + collide->margin;
}

/** Makes what contact needs of a world; *out is NULL when nothing of its model can touch. */
AfxStatus afxi_collide_create(AfxiWorld *world, AfxiCollide **out);
void afxi_collide_destroy(AfxiCollide *collide);
/** The geometry of a shape; *hull or *mesh become its own where it has one, and stay the caller's to destroy. */
AfxStatus afxi_collide_geometry(const AfxAllocator *allocator, const AfxiContactGeometry *source, AfxiGeometry *out,
                                AfxiHullMesh *hull, AfxiTriangles *mesh);
/** Puts the vertices of meshes that deform where they are at a time. */
void afxi_collide_deform(AfxiCollide *collide, double time);
/** Puts back what `count` points remembered. */
AfxStatus afxi_collide_restore(AfxiCollide *collide, const void *memories, uint32_t count);

#endif
