/* SPDX-License-Identifier: Apache-2.0 */
/* affix/sensor.h: what a robot feels: sensors of a scene, read from a sim. */
#ifndef AFFIX_SENSOR_H
#define AFFIX_SENSOR_H

#include "affix/robot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* kind, name (MuJoCo's), numbers, what it is on: s a site, q a generalised coordinate, u a control, c a coupling, b two
 * bodies, k contacts, - nothing */
#define AFX_SENSOR_TABLE(X)                                         \
    X(AFX_SENSOR_TOUCH, "touch", 1, 's')                            \
    X(AFX_SENSOR_ACCELEROMETER, "accelerometer", 3, 's')            \
    X(AFX_SENSOR_VELOCIMETER, "velocimeter", 3, 's')                \
    X(AFX_SENSOR_GYRO, "gyro", 3, 's')                              \
    X(AFX_SENSOR_FORCE, "force", 3, 's')                            \
    X(AFX_SENSOR_TORQUE, "torque", 3, 's')                          \
    X(AFX_SENSOR_FRAME_POSITION, "framepos", 3, 's')                \
    X(AFX_SENSOR_FRAME_QUATERNION, "framequat", 4, 's')             \
    X(AFX_SENSOR_FRAME_X, "framexaxis", 3, 's')                     \
    X(AFX_SENSOR_FRAME_Y, "frameyaxis", 3, 's')                     \
    X(AFX_SENSOR_FRAME_Z, "framezaxis", 3, 's')                     \
    X(AFX_SENSOR_FRAME_VELOCITY, "framelinvel", 3, 's')             \
    X(AFX_SENSOR_FRAME_ANGULAR_VELOCITY, "frameangvel", 3, 's')     \
    X(AFX_SENSOR_FRAME_ACCELERATION, "framelinacc", 3, 's')         \
    X(AFX_SENSOR_FRAME_ANGULAR_ACCELERATION, "frameangacc", 3, 's') \
    X(AFX_SENSOR_JOINT_POSITION, "jointpos", 1, 'q')                \
    X(AFX_SENSOR_JOINT_VELOCITY, "jointvel", 1, 'q')                \
    X(AFX_SENSOR_BALL_QUATERNION, "ballquat", 4, 'q')               \
    X(AFX_SENSOR_BALL_VELOCITY, "ballangvel", 3, 'q')               \
    X(AFX_SENSOR_ACTUATOR_FORCE, "actuatorfrc", 1, 'u')             \
    X(AFX_SENSOR_CLOCK, "clock", 1, '-')                            \
    X(AFX_SENSOR_RANGEFINDER, "rangefinder", 1, 's')                \
    X(AFX_SENSOR_MAGNETOMETER, "magnetometer", 3, 's')              \
    X(AFX_SENSOR_SUBTREE_CENTER, "subtreecom", 3, 's')              \
    X(AFX_SENSOR_SUBTREE_VELOCITY, "subtreelinvel", 3, 's')         \
    X(AFX_SENSOR_SUBTREE_MOMENTUM, "subtreeangmom", 3, 's')         \
    X(AFX_SENSOR_ACTUATOR_POSITION, "actuatorpos", 1, 'u')          \
    X(AFX_SENSOR_ACTUATOR_VELOCITY, "actuatorvel", 1, 'u')          \
    X(AFX_SENSOR_JOINT_ACTUATOR_FORCE, "jointactuatorfrc", 1, 'q')  \
    X(AFX_SENSOR_TENDON_POSITION, "tendonpos", 1, 'c')              \
    X(AFX_SENSOR_TENDON_VELOCITY, "tendonvel", 1, 'c')              \
    X(AFX_SENSOR_POTENTIAL_ENERGY, "e_potential", 1, '-')           \
    X(AFX_SENSOR_KINETIC_ENERGY, "e_kinetic", 1, '-')               \
    X(AFX_SENSOR_JOINT_LIMIT_POSITION, "jointlimitpos", 1, 'q')     \
    X(AFX_SENSOR_JOINT_LIMIT_VELOCITY, "jointlimitvel", 1, 'q')     \
    X(AFX_SENSOR_JOINT_LIMIT_FORCE, "jointlimitfrc", 1, 'q')        \
    X(AFX_SENSOR_TENDON_LIMIT_POSITION, "tendonlimitpos", 1, 'c')   \
    X(AFX_SENSOR_TENDON_LIMIT_VELOCITY, "tendonlimitvel", 1, 'c')   \
    X(AFX_SENSOR_TENDON_LIMIT_FORCE, "tendonlimitfrc", 1, 'c')      \
    X(AFX_SENSOR_INSIDE, "insidesite", 1, 's')                      \
    X(AFX_SENSOR_CAMERA_PROJECTION, "camprojection", 2, 's')        \
    X(AFX_SENSOR_DISTANCE, "distance", 1, 'b')                      \
    X(AFX_SENSOR_NORMAL, "normal", 3, 'b')                          \
    X(AFX_SENSOR_FROM_TO, "fromto", 6, 'b')                         \
    X(AFX_SENSOR_CONTACT, "contact", 0, 'k')                        \
    X(AFX_SENSOR_TENDON_ACTUATOR_FORCE, "tendonactuatorfrc", 1, 'c')

/** In the axes of the site: ACCELEROMETER (velocity's change over the last step, less gravity), VELOCIMETER, GYRO,
 * FORCE and TORQUE (what the parent of the site's body puts on it through the joint that carries it, drives included;
 * torque about the site), MAGNETOMETER. In the world's axes: FRAME_..., or seen from the reference. TOUCH is the sum of
 * the normal forces on the site's body, with a zone those of points in it or whose normal leads there. RANGEFINDER is
 * how far the z axis of the site goes until it meets a shape of another body, whether that collides or is for looks; -1
 * where there is none within the cutoff. SUBTREE_...: of the site's body and all that it carries: centre of mass, its
 * velocity, angular momentum about it. ACTUATOR_POSITION: gear c + length of the control. JOINT_ACTUATOR_FORCE and
 * TENDON_...: what controls put along a coordinate or a sum. TENDON_...: sum of factor * coordinate of a coupling, less
 * its constant.
 * ..._LIMIT_...: of the limit that holds a coordinate, how far that is within, how fast it leaves, and the force; 0
 * where none does. INSIDE: 1 where the site is in the zone at the reference, else 0. CAMERA_PROJECTION: column and row
 * of the site in the picture of a camera at the reference, which looks along -z. DISTANCE, NORMAL, FROM_TO: of the
 * nearest points of the shapes of two bodies, visual ones too: how far they are apart (negative: how deep), the
 * direction from the first to the second, and both points; where they are farther apart than the cutoff: that, and
 * zeros. CONTACT: the contacts between two sides, `object` and `reference` with their parts (UINT32_MAX: anything), as
 * many as `slots`, each with what `data` says, zeros where there are fewer. Accelerations are 0 before the first step
 * and after a state was set. */
typedef enum AfxSensorKind {
#define AFX_SENSOR_ENUM(kind, name, size, on) kind,
    AFX_SENSOR_TABLE(AFX_SENSOR_ENUM)
#undef AFX_SENSOR_ENUM
        AFX_SENSOR_KIND_COUNT
} AfxSensorKind;

/** What a contact sensor tells of a contact, in this order: how many match (1 number), force and torque of the first
 * side on the second in the axes of the contact (3 numbers each: along normal, tangent and their product), distance
 * (negative: how deep; from the margin on), point, normal from the first side to the second, tangent. */
enum {
    AFX_CONTACT_DATA_FOUND = 1,
    AFX_CONTACT_DATA_FORCE = 2,
    AFX_CONTACT_DATA_TORQUE = 4,
    AFX_CONTACT_DATA_DISTANCE = 8,
    AFX_CONTACT_DATA_POINT = 16,
    AFX_CONTACT_DATA_NORMAL = 32,
    AFX_CONTACT_DATA_TANGENT = 64
};

typedef enum AfxContactReduce {
    AFX_CONTACT_REDUCE_NONE = 0,  /* the first ones */
    AFX_CONTACT_REDUCE_DEEPEST,   /* those that are deepest */
    AFX_CONTACT_REDUCE_STRONGEST, /* those with the largest force */
    AFX_CONTACT_REDUCE_NET /* one for all: force and torque on the second side about their centre weighted by force, in
                              the world's axes */
} AfxContactReduce;

typedef struct AfxSensorDef {
    uint32_t cookie;
    const char *name; /* optional, unique when given; copied */
    AfxSensorKind kind;
    uint32_t object;    /* number of the site, generalised coordinate, control, coupling or first body; else 0 */
    uint32_t reference; /* FRAME_... but accelerations: the site whose frame it is told in, and relative to; UINT32_MAX
                           (default): the world. INSIDE, CAMERA_PROJECTION: a site. DISTANCE...: the second body */
    uint32_t part[2];   /* DISTANCE...: which shape of each body, in the order in which they were added; UINT32_MAX
                           (default): all */
    uint32_t zone; /* TOUCH, INSIDE: 0 (default): the whole body; else 1 + AfxShapeKind of a shape at the site: box,
                      sphere, capsule, cylinder, ellipsoid */
    double zone_size[3]; /* half edges or semi-axes; radius; radius and length */
    AfxVec3 field;       /* MAGNETOMETER: world axes; CAMERA_PROJECTION: vertical field of view (rad), width and
                            height of the picture */
    uint32_t slots;      /* CONTACT: how many contacts are told, 1 */
    uint32_t data;       /* CONTACT: what of each: AFX_CONTACT_DATA_..., 1: only how many there are */
    uint32_t reduce;     /* CONTACT: which ones: AfxContactReduce */
    uint32_t subtree[2]; /* CONTACT: 1: all that hangs on the body counts too */
    uint32_t inside;     /* CONTACT: a site, in whose zone they must be; UINT32_MAX (default): anywhere */
    double cutoff;       /* numbers are kept within +-cutoff (of TOUCH below it); 0: they are not */
    double noise;        /* standard deviation, for programs that add noise; readings here are exact */
} AfxSensorDef;

/** A sensor of a kind, on object 0. */
AFX_API AfxSensorDef afx_default_sensor(AfxSensorKind kind);
/** Adds a sensor behind the others. Sites and controls must be there already; generalised coordinates too, unless the
 * scene adds none, and then they are those of the model. */
AFX_API AfxStatus afx_scene_add_sensor(AfxScene *scene, const AfxSensorDef *def);
/** Number of sensors. */
AFX_API uint32_t afx_scene_sensor_count(const AfxScene *scene);
/** Reads a sensor back, in authoring order. */
AFX_API AfxStatus afx_scene_get_sensor(const AfxScene *scene, uint32_t index, AfxSensorDef *out_def);
/** Numbers of a kind; 0 of CONTACT, whose number goes by its definition. */
AFX_API uint32_t afx_sensor_size(AfxSensorKind kind);
/** Numbers of a sensor. */
AFX_API uint32_t afx_sensor_numbers(const AfxSensorDef *def);
/** The kind's name in AFX_SENSOR_TABLE, or "unknown". */
AFX_API const char *afx_sensor_name(AfxSensorKind kind);

/** Numbers of all sensors of a model. */
AFX_API uint32_t afx_model_sensordata_count(const AfxModel *model);
/** Readings of all sensors now, [afx_model_sensordata_count], one after the other. */
AFX_API AfxStatus afx_sim_sensordata(AfxSim *sim, double *out_values);

#ifdef __cplusplus
}
#endif
#endif
