/* SPDX-License-Identifier: Apache-2.0 */
/* What contact needs of a model: shapes that can touch something, their geometry and places (equal ones once), and the
 * pairs of bodies that never touch. Plain numbers and arrays; what searches them fast is made from these elsewhere.
 * A model without contact, or in which no two shapes can touch, has none of it. */
#ifndef AFXI_MODEL_CONTACTS_H
#define AFXI_MODEL_CONTACTS_H

#include "affix/model.h"

struct AfxiSceneShape; /* scene/scene.h */

/** Where a shape is in its body's principal frame: p = r x + t, r by columns. */
typedef struct AfxiContactPose {
    double r[9], t[3];
} AfxiContactPose;

/** A shape that can touch something. */
typedef struct AfxiContactShape {
    uint32_t body;
    uint32_t pose;     /* into poses */
    uint32_t geometry; /* into geometries */
    uint32_t material;
    uint32_t group, mask;
} AfxiContactShape;

/** Sizes and arrays of a shape, in its own frame. What a kind does not use is 0. */
typedef struct AfxiContactGeometry {
    AfxShapeKind kind;
    bool solid;             /* all but meshes that are open, or enclose no solid otherwise */
    double size[3];         /* box, ellipsoid: half extents; sphere: radius; capsule, cylinder: radius, length (of the
                             * cylindrical         part); height field: half extents x, y */
    const double *vertices; /* [3 * vertex_count] convex, mesh */
    const uint32_t
        *triangles; /* [3 * triangle_count] counter-clockwise seen from outside; of a convex shape its hull */
    uint32_t vertex_count, triangle_count;
    const double *heights; /* [rows * columns], as in AfxShapeDef */
    uint32_t columns, rows;
    const double *frames; /* [frame_count][vertex_count][3]; NULL: rigid */
    uint32_t frame_count;
    double frame_rate;
    bool loop;
} AfxiContactGeometry;

typedef struct AfxiContacts {
    bool on;                              /* the scene's switch */
    uint32_t solved_groups, solved_masks; /* of all shapes of dynamic bodies together */
    bool possible; /* it is on, and there are two shapes that may touch; false: everything below is empty */
    uint32_t shape_count, pose_count, geometry_count, excluded_count;
    uint32_t material_count;         /* AFX_PARAM_MATERIAL_PAIR has an item for each pair */
    bool margins;                    /* one of them has a margin */
    AfxiContactShape *shapes;        /* [shape_count] by rising body */
    AfxiContactPose *poses;          /* [pose_count] */
    AfxiContactGeometry *geometries; /* [geometry_count] */
    uint32_t (*excluded)[2];         /* [excluded_count] pairs of bodies a < b, sorted, none twice */
    /* what to release */
    double *numbers; /* of all geometries */
    uint32_t *corners;
    size_t number_count, corner_count;
    uint32_t pose_capacity, geometry_capacity, excluded_capacity;
} AfxiContacts;

/* The numbers of an item of AFX_PARAM_MATERIAL_PAIR. */
enum {
    AFXI_PAIR_FRICTION,
    AFXI_PAIR_RESTITUTION,
    AFXI_PAIR_ROLLING,
    AFXI_PAIR_TORSIONAL,
    AFXI_PAIR_STIFFNESS,
    AFXI_PAIR_DAMPING,
    AFXI_PAIR_IMPEDANCE, /* five */
    AFXI_PAIR_FRICTION_DAMPING = AFXI_PAIR_IMPEDANCE + 5,
    AFXI_PAIR_MARGIN,
    AFXI_PAIR_SIZE
};

/* The number of a shape that can touch nothing. */
#define AFXI_CONTACT_SHAPE_NONE (UINT32_MAX - 1)
/** The number among the shapes that may touch of shape `part` of a body, as they are counted from 0; UINT32_MAX for
 * part UINT32_MAX. */
uint32_t afxi_contact_shape_of(const AfxScene *scene, uint32_t body, uint32_t part);

/** The item of AFX_PARAM_MATERIAL_PAIR of two materials, in either order. */
static inline uint32_t afxi_material_pair(uint32_t a, uint32_t b) {
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return high * (high + 1) / 2 + low;
}

/** Whether a shape's material bounces off some other. */
bool afxi_contacts_bounces(const AfxModel *model, uint32_t shape);
/** A shape's geometry; its arrays are the scene's. */
AfxiContactGeometry afxi_contact_geometry(const AfxScene *scene, const struct AfxiSceneShape *shape);
/** Vertices of a geometry with frames at a time, and (unless NULL) their velocities; [3 * vertex_count] each. */
void afxi_contact_vertices(const AfxiContactGeometry *geometry, double time, double *out_positions,
                           double *out_velocities);
uint64_t afxi_contacts_hash(const AfxiContacts *contacts, uint64_t hash);
size_t afxi_contacts_bytes(const AfxiContacts *contacts);
/** The shapes, after the bodies. */
AfxStatus afxi_compile_contacts(AfxModel *model, const AfxScene *scene);
/** All shapes, for rays: AfxModel.seen. */
AfxStatus afxi_compile_seen(AfxModel *model, const AfxScene *scene);
void afxi_contacts_destroy(const AfxAllocator *allocator, AfxiContacts *contacts);

#endif
