/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the URDF loader share. A robot is links and joints; links that nothing moves against each other
 * form a group, and each group becomes one body, whose frame is that of the group's link nearest to the root. */
#ifndef AFXI_LOAD_URDF_H
#define AFXI_LOAD_URDF_H

#include "affix/robot.h"
#include "load/xml.h"
#include "math/vec3.h"
#include "scene/name.h"

#define AFXI_URDF_NONE UINT32_MAX

typedef enum AfxiUrdfKind {
    AFXI_URDF_REVOLUTE = 0,
    AFXI_URDF_CONTINUOUS,
    AFXI_URDF_PRISMATIC,
    AFXI_URDF_FIXED,
    AFXI_URDF_FLOATING,
    AFXI_URDF_PLANAR
} AfxiUrdfKind;

typedef struct AfxiUrdfLink {
    AfxiXmlNode *node;
    const char *name;
    AfxMass mass;    /* in the link's frame; zero without an inertial */
    uint32_t joint;  /* that leads to its parent; NONE for the root */
    uint32_t first;  /* joint to its first child, or NONE */
    uint32_t group;  /* the link whose body it belongs to */
    AfxPose world;   /* at the start */
    AfxPose in_body; /* its frame in that of its group */
    AfxMass sum;     /* of its group, in its own frame; only for group == itself */
    AfxBodyId body;  /* only for group == itself */
} AfxiUrdfLink;

typedef struct AfxiUrdfJoint {
    AfxiXmlNode *node;
    const char *name;
    AfxiUrdfKind kind;
    uint32_t parent, child; /* links */
    uint32_t next;          /* joint of the same parent, or NONE */
    AfxPose origin;         /* of the child's frame in the parent's, at coordinate 0 */
    AfxVec3 axis;           /* in the child's frame; not zero */
    double lower, upper;    /* limits; infinite where there are none */
    double effort;          /* of its motor; 0: it has none */
    AfxiXmlNode *mimic;     /* or NULL; then also: */
    uint32_t other;         /* the joint that it mimics: coordinate = multiplier * other + offset */
    double multiplier, offset;
    double start;         /* its coordinate at the start */
    AfxJointId id;        /* unless both links are of one group */
    uint32_t motor;       /* its drive, or NONE */
    const char *actuator; /* of a transmission, "" when that has no name; NULL: there is none */
    double reduction;
} AfxiUrdfJoint;

typedef struct AfxiUrdf {
    AfxiLoad *load;
    const char *path;
    AfxiXmlArena arena;
    AfxiXmlNode *robot;
    AfxiUrdfLink *links;   /* [link_count] */
    AfxiUrdfJoint *joints; /* [joint_count] */
    uint32_t *order;       /* [link_count] links, parents before children; [0] is the root */
    uint32_t link_count, joint_count;
    AfxiNames link_names, joint_names;
    uint32_t tries; /* places that meshes were looked for at */
} AfxiUrdf;

/** The child element `origin`, or the identity. */
bool afxi_urdf_origin(AfxiUrdf *urdf, AfxiXmlNode *node, AfxPose *out_pose);
/** Reads a link's name and inertial. */
bool afxi_urdf_read_link(AfxiUrdf *urdf, AfxiXmlNode *node, AfxiUrdfLink *out_link);
/** Reads a joint but for its mimic; links are known. */
bool afxi_urdf_read_joint(AfxiUrdf *urdf, AfxiXmlNode *node, AfxiUrdfJoint *out_joint);
/** Reads all mimics; joints are known. */
bool afxi_urdf_read_mimics(AfxiUrdf *urdf);
/** Where each joint stands at the start: at 0, or the nearest to it that its limit and its mimic allow. */
bool afxi_urdf_find_starts(AfxiUrdf *urdf);
/** Whether it has one coordinate: revolute, continuous or prismatic. */
bool afxi_urdf_has_coordinate(const AfxiUrdfJoint *joint);
/** The child's frame in the parent's when the joint's coordinate is `value`. */
AfxPose afxi_urdf_joint_pose(const AfxiUrdfJoint *joint, double value);

/** Makes the inertia of a body one that matter has, which is told. */
bool afxi_urdf_mend_inertia(AfxiUrdf *urdf, AfxiXmlNode *node, AfxBodyDef *def);
/** The body of a group, its markers and shapes. */
bool afxi_urdf_add_bodies(AfxiUrdf *urdf);
/** Where shapes of an element go. */
typedef struct AfxiUrdfPlace {
    AfxBodyId body;
    AfxPose pose;
    bool visual;
    uint32_t color;
    AfxMaterialId material;
} AfxiUrdfPlace;

bool afxi_urdf_add_shape(AfxiUrdf *urdf, const AfxiXmlNode *node, const AfxiUrdfPlace *place, AfxShapeDef shape);
/** The shape of a geometry element: box, sphere, cylinder, capsule or mesh. */
bool afxi_urdf_add_geometry(AfxiUrdf *urdf, AfxiXmlNode *geometry, const AfxiUrdfPlace *place);
/** All shapes of a link, on the body of its group. */
bool afxi_urdf_add_shapes(AfxiUrdf *urdf, const AfxiUrdfLink *link, AfxBodyId body);
/** Joints of the scene, with their limits, dampers, friction, motors and mimics. */
bool afxi_urdf_add_joints(AfxiUrdf *urdf);
/** Links that overlap as they are drawn do not touch each other; they are bodies from `first` on. */
bool afxi_urdf_exclude_overlaps(AfxiUrdf *urdf, uint32_t first);

/** Where a file that a robot names is, in out[size]; false when it is nowhere (no error is set). */
bool afxi_urdf_find_file(AfxiUrdf *urdf, const char *name, char *out, size_t size);

#endif
