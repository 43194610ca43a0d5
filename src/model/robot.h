/* SPDX-License-Identifier: Apache-2.0 */
/* Generalised coordinates, controls, keyframes and sites of a model, and in which order forward kinematics places
 * bodies. */
#ifndef AFXI_MODEL_ROBOT_H
#define AFXI_MODEL_ROBOT_H

#include "affix/robot.h"
#include "model/contacts.h"

typedef struct AfxiGeneralized {
    AfxGeneralized shown;
    double sign, offset;
} AfxiGeneralized;

/** How a body is placed: by a joint from its other body, which stands already, or as a root. */
typedef struct AfxiPlaceStep {
    uint32_t body;
    uint32_t joint; /* UINT32_MAX: a free body, by generalised coordinate `first` */
    uint32_t first; /* of the joint's coordinates in `by_joint`; UINT32_MAX: it has none */
} AfxiPlaceStep;

/** Bounds of a force; `gain` is the damping of the brake as authored. */
typedef struct AfxiSafety {
    uint32_t brake; /* UINT32_MAX: none */
    double lower, upper, speed, position_gain, gain;
} AfxiSafety;

typedef struct AfxiControl {
    uint32_t drive, wrench;
    double gain, offset, lower, upper, start;
    double direction[6];
    double gear, length;
    double damping;    /* of a servo per unit of the control; 0: it takes input */
    uint32_t adhesion; /* body at whose contacts it pulls; UINT32_MAX: none */
    AfxActivation activation;
    AfxMuscle muscle;
    AfxiSafety safety;
} AfxiControl;

typedef struct AfxiKeyframe {
    double time;
    const double *qpos, *qvel, *ctrl; /* NULL: it says nothing */
} AfxiKeyframe;

typedef struct AfxiSite {
    uint32_t body;
    AfxPose pose;
} AfxiSite;

typedef struct AfxiSensor {
    uint32_t kind, object, reference, zone, size;
    uint32_t slots, data, reduce, inside; /* of contacts */
    bool subtree[2];
    uint32_t shape[2]; /* of contacts: of the model's that may touch; UINT32_MAX: all of the body */
    double cutoff, zone_size[3];
    AfxVec3 field;
} AfxiSensor;

/** What a path goes by: in the frame of its body as authored; UINT32_MAX: the world. Bit k of `beyond`: it is on the
 * follower's side of the joint of term k. */
typedef struct AfxiPathItem {
    AfxPathItem item;
    uint32_t body, beyond;
} AfxiPathItem;

/** A coupling whose coordinate is the length of a path. */
typedef struct AfxiPath {
    uint32_t coupling, first, count; /* items */
} AfxiPath;

typedef struct AfxiRobot {
    AfxiGeneralized *generalized; /* [count] */
    uint32_t count, qpos_count, qvel_count;
    uint32_t *by_joint; /* [count] generalised coordinates, those of one joint together */
    AfxiPlaceStep *step;
    uint32_t step_count;
    AfxiControl *control;
    AfxiKeyframe *keyframe;
    AfxiSite *site;
    AfxiSensor *sensor;
    uint32_t sensor_count, sensordata_count;
    uint32_t control_count, keyframe_count, site_count;
    bool active;             /* some control has an activation or a muscle */
    bool looks;              /* some sensor casts a ray */
    uint32_t adhesion_count; /* controls that pull at contacts */
    AfxiPath *path;
    AfxiPathItem *path_item;
    uint32_t path_count, path_most; /* path_most: items of the longest */
    void *raw;
    size_t raw_size;
} AfxiRobot;

/** Compiles them; `scene` is the authored one, and the model is complete otherwise. */
AfxStatus afxi_compile_robot(AfxModel *model, const AfxScene *scene, AfxError *out_error);
void afxi_robot_destroy(AfxModel *model);

#endif
