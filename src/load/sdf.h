/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the SDF loader share. Everything with a pose is a frame with a name: the world, models, links,
 * joints and frames. Names in models are MODEL::NAME. Frames are collected with all includes in place, then their poses
 * are found, then links become bodies and joints what lies between them. */
#ifndef AFXI_LOAD_SDF_H
#define AFXI_LOAD_SDF_H

#include "load/urdf.h"

#define AFXI_SDF_NONE UINT32_MAX

typedef enum AfxiSdfKind { AFXI_SDF_WORLD, AFXI_SDF_MODEL, AFXI_SDF_LINK, AFXI_SDF_JOINT, AFXI_SDF_FRAME } AfxiSdfKind;

typedef struct AfxiSdfFrame {
    AfxiXmlNode *node;    /* NULL for the world */
    AfxiXmlNode *include; /* of a model: the element that asked for it, whose name and pose come first; or NULL */
    const char *name;     /* with the names of its models */
    AfxiSdfKind kind;
    uint32_t model;   /* the frame of the model that it is in */
    uint32_t link;    /* that it moves with; NONE: the world, or not known yet */
    bool fixed;       /* of a model that is static */
    uint32_t busy;    /* being found: 1, done: 2 */
    AfxPose world;    /* at the start */
    AfxBodyId body;   /* of a link */
    AfxJointId joint; /* of a joint */
    uint32_t end[2];  /* of a joint: the frames of parent and child */
} AfxiSdfFrame;

typedef struct AfxiSdf {
    AfxiUrdf urdf;          /* what shapes and files need of it: load, path, arena, tries */
    AfxiXmlNode *roots[64]; /* of the files that were read */
    uint32_t root_count;
    AfxiSdfFrame *frames; /* [0] is the world */
    uint32_t count, capacity;
    AfxiNames names;
} AfxiSdf;

/* ---- sdf_frame.c ---- */

/** Reads all models of a file, and of those that it includes, into frames. */
bool afxi_sdf_collect(AfxiSdf *sdf, AfxiXmlNode *root);
/** Finds the poses of all frames, and what they move with. */
bool afxi_sdf_place(AfxiSdf *sdf);
/** The pose of an element in the frame that its pose is relative to; identity where it has none. */
bool afxi_sdf_pose(AfxiSdf *sdf, AfxiXmlNode *node, AfxPose *out_pose);
/** The frame that a name means inside a model; NONE after an error that names `attribute`. */
uint32_t afxi_sdf_find(AfxiSdf *sdf, const AfxiXmlNode *node, const char *attribute, uint32_t model, const char *name);
/** The pose of an element of a link (an inertial, a collision) in the link's frame. */
bool afxi_sdf_pose_in(AfxiSdf *sdf, AfxiXmlNode *node, uint32_t link, AfxPose *out_pose);

/* ---- sdf_link.c, sdf_joint.c ---- */

bool afxi_sdf_add_link(AfxiSdf *sdf, AfxiSdfFrame *link);
bool afxi_sdf_add_joint(AfxiSdf *sdf, AfxiSdfFrame *joint);

#endif
