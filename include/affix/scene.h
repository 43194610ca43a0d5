/* SPDX-License-Identifier: Apache-2.0 */
/* affix/scene.h: authoring. A scene is mutable, named and forgiving to build; afx_model_create validates it
 * as a whole and turns it into a model. Take a default definition, edit it, create from it:
 *
 *     AfxSceneDef scene_def = afx_default_scene();
 *     AfxScene *scene = NULL;
 *     afx_scene_create(&scene_def, &scene);
 *     AfxBodyDef body = afx_default_body();
 *     body.name = "brick";
 *     AfxBodyId id;
 *     afx_scene_add_body(scene, &body, &id);
 *     AfxShapeDef box = afx_default_box(0.1, 0.2, 0.3);
 *     afx_scene_add_shape(scene, id, &box);
 *
 * Points, axes and poses of shapes, markers and wrenches are in the body's own frame, the one that
 * AfxBodyDef.pose places in the world. */
#ifndef AFFIX_SCENE_H
#define AFFIX_SCENE_H

#include "affix/math.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AfxScene AfxScene;

/* Typed ids: index is the authoring order, scene tells a stale or foreign id. */
typedef struct AfxBodyId {
    uint32_t index, scene;
} AfxBodyId;
typedef struct AfxMarkerId {
    uint32_t index, scene;
} AfxMarkerId;
typedef struct AfxWrenchId {
    uint32_t index, scene;
} AfxWrenchId;
typedef struct AfxMaterialId { /* affix/contact.h */
    uint32_t index, scene;
} AfxMaterialId;
typedef struct AfxTextureId {
    uint32_t index, scene;
} AfxTextureId;

typedef struct AfxSceneDef {
    uint32_t cookie; /* set by afx_default_scene */
    AfxAllocator allocator;
    AfxLog log;
    AfxVec3 gravity; /* m/s², default (0, 0, -9.81) */
} AfxSceneDef;

/** z up, gravity 9.81 m/s², the C library's allocator, no log. */
AFX_API AfxSceneDef afx_default_scene(void);
/** Makes an empty scene; on failure *out_scene is NULL and there is nothing to free. */
AFX_API AfxStatus afx_scene_create(const AfxSceneDef *def, AfxScene **out_scene);
/** Frees the scene; models made from it stay valid. NULL is allowed. */
AFX_API void afx_scene_destroy(AfxScene *scene);
/** Takes everything out of the scene; gravity, the contact switch, allocator, log and the last error stay. Ids that it
 * gave become stale. NULL is allowed. */
AFX_API void afx_scene_clear(AfxScene *scene);
/** What the last failed call on this scene found, or an error with status AFX_OK. Never NULL for a scene. */
AFX_API const AfxError *afx_scene_error(const AfxScene *scene);

/** Gravity, m/s². */
AFX_API AfxVec3 afx_scene_gravity(const AfxScene *scene);
/** Replaces gravity, m/s²; AFX_E_INPUT when it is not finite. */
AFX_API AfxStatus afx_scene_set_gravity(AfxScene *scene, AfxVec3 gravity);

/* ---- motion as data ---- */

/** A scalar function of time. */
typedef enum AfxSignalKind {
    AFX_SIGNAL_CONSTANT = 0, /* coefficients[0] */
    AFX_SIGNAL_POLYNOMIAL,   /* sum of coefficients[k] t^k */
    AFX_SIGNAL_SINE,         /* coefficients: offset, amplitude, frequency (Hz), phase (rad) */
    AFX_SIGNAL_TABLE,        /* cubic through (times[k], values[k]), slopes from parabolas; held before and after */
    AFX_SIGNAL_FORMULA       /* a formula in t (s), docs/joints.md: "0.2 * sin(2 * pi * t) + step(t, 1, 0, 2, 0.5)" */
} AfxSignalKind;

#define AFX_SIGNAL_COEFFICIENTS 6

typedef struct AfxSignal {
    AfxSignalKind kind;
    double coefficients[AFX_SIGNAL_COEFFICIENTS];
    const double *times;  /* [sample_count], rising; copied by the scene */
    const double *values; /* [sample_count] */
    uint32_t sample_count;
    const char *formula; /* copied by the scene, which compiles it */
} AfxSignal;

/** Value and first two derivatives of a signal at time t (any output may be NULL). */
AFX_API AfxStatus afx_signal_evaluate(const AfxSignal *signal, double t, double *out_value, double *out_rate,
                                      double *out_acceleration);

/** Prescribed motion of a kinematic body, relative to its pose in the definition: moved by the three
 * translation signals (world axes) and turned by `angle` about `axis` (world) through the body's origin. */
typedef struct AfxMotion {
    AfxSignal translation[3];
    AfxVec3 axis;
    AfxSignal angle;
} AfxMotion;

/* ---- bodies ---- */

typedef enum AfxBodyKind {
    AFX_BODY_DYNAMIC = 0, /* solved for */
    AFX_BODY_FIXED,       /* never moves */
    AFX_BODY_KINEMATIC    /* follows AfxBodyDef.motion, or afx_sim_set_body_target */
} AfxBodyKind;

typedef enum AfxMassSource {
    AFX_MASS_FROM_SHAPES = 0, /* from the shapes' density or mass; AfxBodyDef.mass, when > 0, rescales the sum */
    AFX_MASS_GIVEN            /* from mass, center and inertia of the definition; shapes are geometry only */
} AfxMassSource;

typedef struct AfxBodyDef {
    uint32_t cookie;  /* set by afx_default_body */
    const char *name; /* optional, unique when given; copied */
    AfxBodyKind kind;
    AfxPose pose;             /* of the body's frame in the world */
    AfxVec3 linear_velocity;  /* of the body's origin, world axes */
    AfxVec3 angular_velocity; /* world axes */
    AfxMassSource mass_source;
    double mass;            /* kg */
    AfxVec3 center;         /* centre of mass in the body's frame (AFX_MASS_GIVEN) */
    double inertia[6];      /* about the centre, body axes: xx, yy, zz, xy, xz, yz (AFX_MASS_GIVEN) */
    double young;           /* Pa; INFINITY for an exactly rigid body; default 1e9 */
    double poisson;         /* in (-1, 0.5); default 0.3 */
    bool gravity;           /* default true */
    double linear_damping;  /* 1/s: force -damping * momentum */
    double angular_damping; /* 1/s: torque -damping * angular momentum about the centre */
    AfxMotion motion;       /* AFX_BODY_KINEMATIC only */
} AfxBodyDef;

/** A dynamic body at the origin at rest, mass from shapes, E = 1e9 Pa, Poisson's ratio 0.3. */
AFX_API AfxBodyDef afx_default_body(void);
/** Adds a body. AFX_E_INPUT with afx_scene_error when a value is not valid; the scene is then unchanged. */
AFX_API AfxStatus afx_scene_add_body(AfxScene *scene, const AfxBodyDef *def, AfxBodyId *out_body);
/** Number of bodies. */
AFX_API uint32_t afx_scene_body_count(const AfxScene *scene);
/** The id of body `index` in authoring order; an id that is not valid when out of range. */
AFX_API AfxBodyId afx_scene_body(const AfxScene *scene, uint32_t index);
/** Finds a body by name; AFX_E_ARGUMENT when there is none. */
AFX_API AfxStatus afx_scene_find_body(const AfxScene *scene, const char *name, AfxBodyId *out_body);
/** The body's name, "" when it has none, NULL for an id that is not valid. Lives as long as the scene. */
AFX_API const char *afx_scene_body_name(const AfxScene *scene, AfxBodyId body);
/** Reads a body's definition back (name and tables point into the scene). */
AFX_API AfxStatus afx_scene_get_body(const AfxScene *scene, AfxBodyId body, AfxBodyDef *out_def);
/** Replaces a body's definition; shapes, markers and wrenches stay. AFX_E_INPUT when one of its shapes cannot be on
 * such a body. */
AFX_API AfxStatus afx_scene_set_body(AfxScene *scene, AfxBodyId body, const AfxBodyDef *def);
/** Makes all bodies exactly rigid, whatever they are made of: as if every definition had an infinite Young's modulus.
 * AFX_E_MEMORY leaves some as they were. */
AFX_API AfxStatus afx_scene_make_rigid(AfxScene *scene);

/* ---- shapes ---- */

typedef enum AfxShapeKind {
    AFX_SHAPE_BOX = 0,
    AFX_SHAPE_SPHERE,
    AFX_SHAPE_CAPSULE,  /* along z; length is that of the cylindrical part */
    AFX_SHAPE_CYLINDER, /* along z */
    AFX_SHAPE_ELLIPSOID,
    AFX_SHAPE_CONVEX,      /* hull of the vertices */
    AFX_SHAPE_MESH,        /* triangle mesh; closed where it has to weigh something */
    AFX_SHAPE_PLANE,       /* z = 0, unbounded, solid below; without mass, not on dynamic bodies */
    AFX_SHAPE_HEIGHT_FIELD /* a grid of heights over a rectangle, solid below; without mass, not on dynamic bodies */
} AfxShapeKind;

typedef struct AfxShapeDef {
    uint32_t cookie;
    AfxShapeKind kind;
    AfxPose pose;           /* of the shape in the body's frame */
    AfxVec3 half_extents;   /* box: half edges; ellipsoid: semi-axes; height field: x, y of its rectangle */
    double radius, length;  /* sphere, capsule, cylinder */
    const double *vertices; /* [3 * vertex_count], convex and mesh; copied */
    uint32_t vertex_count;
    const uint32_t *triangles; /* [3 * triangle_count], mesh; counter-clockwise seen from outside; copied */
    uint32_t triangle_count;
    double density; /* kg/m³, default 1000 */
    double mass;    /* kg; when > 0 it replaces density */
    /* Height field: heights[row * columns + column] along z; columns run along x from -half_extents.x to
     * half_extents.x, rows along y. Each cell is two triangles, cut from its corner of least x and y to the opposite
     * one. Copied. */
    const double *heights;  /* [rows * columns] */
    uint32_t columns, rows; /* at least 2 each */
    /* Mesh of a body that is not dynamic: its vertices may move by themselves, linearly in time from frame to frame.
     * Frame k is at the time k / frame_rate; before and after, the first and last are held, unless `loop` goes on from
     * the last to the first. `vertices` are then what is drawn where there is no time. Copied. */
    const double *vertex_frames; /* [frame_count][vertex_count][3]; NULL: the mesh is rigid */
    uint32_t frame_count;
    double frame_rate; /* 1/s */
    bool loop;
    bool visual; /* neither mass nor contact, and a body that has some is drawn by these alone; default false */
    AfxMaterialId material; /* default {0, 0}: material 0 of the scene */
    uint32_t contact_group; /* bits: see affix/contact.h; default 1 */
    uint32_t contact_mask;  /* default 1 */
    uint32_t color;       /* AFX_COLOR(red, green, blue); default 0: viewers choose. It changes no motion and no hash */
    AfxTextureId texture; /* a picture over the colour; default {0, 0}: none. Nor does it */
} AfxShapeDef;

/* A colour as on a screen, red, green and blue from 0 to 255. */
#define AFX_COLOR(red, green, blue) \
    (0x1000000u | ((uint32_t)(red)&255u) << 16 | ((uint32_t)(green)&255u) << 8 | ((uint32_t)(blue)&255u))

/** A box of full edge lengths x, y, z (m), centred on the shape's frame; density 1000 kg/m³, like all that follow. */
AFX_API AfxShapeDef afx_default_box(double x, double y, double z);
/** A sphere. */
AFX_API AfxShapeDef afx_default_sphere(double radius);
/** A capsule along z; `length` is that of the cylindrical part. */
AFX_API AfxShapeDef afx_default_capsule(double radius, double length);
/** A cylinder along z, centred on the shape's frame. */
AFX_API AfxShapeDef afx_default_cylinder(double radius, double length);
/** An ellipsoid with semi-axes a, b, c (m) along x, y, z. */
AFX_API AfxShapeDef afx_default_ellipsoid(double a, double b, double c);
/** The convex hull of points [vertex_count][3]. */
AFX_API AfxShapeDef afx_default_convex(const double *vertices, uint32_t vertex_count);
/** A triangle mesh, counter-clockwise seen from outside. */
AFX_API AfxShapeDef afx_default_mesh(const double *vertices, uint32_t vertex_count, const uint32_t *triangles,
                                     uint32_t triangle_count);
/** The half-space below z = 0 of the shape's frame; for bodies that are fixed or kinematic. */
AFX_API AfxShapeDef afx_default_plane(void);
/** Heights as in AfxShapeDef, over a rectangle of full edges x and y, centred on the shape's frame. */
AFX_API AfxShapeDef afx_default_height_field(double x, double y, const double *heights, uint32_t columns,
                                             uint32_t rows);
/** Adds a shape to a body. A mesh that encloses no solid (open, say) has no mass; it is refused, with the triangle
 * named, on a dynamic body whose mass comes from its shapes, unless it is visual. */
AFX_API AfxStatus afx_scene_add_shape(AfxScene *scene, AfxBodyId body, const AfxShapeDef *def);
/** Number of shapes of a body; 0 for an id that is not valid. */
AFX_API uint32_t afx_scene_shape_count(const AfxScene *scene, AfxBodyId body);
/** Reads shape k of a body back (arrays point into the scene). */
AFX_API AfxStatus afx_scene_get_shape(const AfxScene *scene, AfxBodyId body, uint32_t k, AfxShapeDef *out_def);
/** Mass properties of a body as compile will see them, in the body's frame. */
AFX_API AfxStatus afx_scene_body_mass(const AfxScene *scene, AfxBodyId body, AfxMass *out_mass);

/* ---- textures ---- */

#define AFX_TEXTURE_BYTES ((size_t)16 << 20)     /* of one picture */
#define AFX_TEXTURE_BYTES_ALL ((size_t)64 << 20) /* of all of a scene */
#define AFX_TEXTURE_PIXELS 8192u                 /* along an edge */

/** A picture that viewers put on shapes: from all six sides, along the shape's axes. */
typedef struct AfxTextureDef {
    uint32_t cookie;  /* set by afx_default_texture */
    const void *data; /* a PNG or JPEG file; copied */
    size_t size;      /* its bytes */
    double tile;      /* m that one picture covers; it is repeated. Default 0: once over the shape's longest edge */
} AfxTextureDef;

/** No picture yet, once over a shape. */
AFX_API AfxTextureDef afx_default_texture(void);
/** Adds a texture; an equal one is not added again. AFX_E_INPUT when it is no PNG or JPEG file or has too many pixels,
 * AFX_E_LIMIT when it, or all together, have too many bytes. */
AFX_API AfxStatus afx_scene_add_texture(AfxScene *scene, const AfxTextureDef *def, AfxTextureId *out_texture);
/** Number of textures. */
AFX_API uint32_t afx_scene_texture_count(const AfxScene *scene);
/** The id of texture `index` in authoring order; an id that is not valid when out of range. */
AFX_API AfxTextureId afx_scene_texture(const AfxScene *scene, uint32_t index);
/** Reads a texture back (data points into the scene). */
AFX_API AfxStatus afx_scene_get_texture(const AfxScene *scene, AfxTextureId texture, AfxTextureDef *out_def);

/* ---- markers and wrenches ---- */

/** Adds a named point on a body. */
AFX_API AfxStatus afx_scene_add_marker(AfxScene *scene, AfxBodyId body, const char *name, AfxVec3 point,
                                       AfxMarkerId *out_marker);
/** Number of markers. */
AFX_API uint32_t afx_scene_marker_count(const AfxScene *scene);
/** Name (may be NULL to skip), body and point of marker `index`. */
AFX_API AfxStatus afx_scene_get_marker(const AfxScene *scene, uint32_t index, const char **out_name,
                                       AfxBodyId *out_body, AfxVec3 *out_point);

typedef enum AfxFrame { AFX_FRAME_WORLD = 0, AFX_FRAME_BODY = 1 } AfxFrame;

typedef struct AfxWrenchDef {
    uint32_t cookie;
    AfxBodyId body;
    AfxFrame frame;            /* the axes that force and torque are given in */
    AfxVec3 point;             /* where the force acts, in the body's frame */
    AfxVec3 force;             /* N */
    AfxVec3 torque;            /* Nm */
    AfxSignal force_signal[3]; /* functions of time that add to the components of both; default constant 0 */
    AfxSignal torque_signal[3];
} AfxWrenchDef;

/** No force and no torque, at the origin of no body yet, in world axes. */
AFX_API AfxWrenchDef afx_default_wrench(void);
/** Adds a force and torque that act until changed with afx_sim_set_wrench, and what signals add to them. */
AFX_API AfxStatus afx_scene_add_wrench(AfxScene *scene, const AfxWrenchDef *def, AfxWrenchId *out_wrench);
/** Number of wrenches. */
AFX_API uint32_t afx_scene_wrench_count(const AfxScene *scene);
/** Reads wrench `index` back, in authoring order. */
AFX_API AfxStatus afx_scene_get_wrench(const AfxScene *scene, uint32_t index, AfxWrenchDef *out_def);

#ifdef __cplusplus
}
#endif
#endif
