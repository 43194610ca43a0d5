/* SPDX-License-Identifier: Apache-2.0 */
/* Checks shared by what can be added to a scene, and errors that name the place. */
#ifndef AFXI_SCENE_CHECK_H
#define AFXI_SCENE_CHECK_H

#include "scene/scene.h"

/** What is being looked at; turned into text only when there is something to say. */
typedef struct AfxiPlace {
    AfxError *error;  /* where to write; may be NULL */
    const char *kind; /* "body", "marker", "wrench", "scene" */
    const char *name; /* NULL or "": shown by index */
    uint32_t index;   /* AFXI_NONE: shown by kind alone */
    uint32_t shape;   /* shape number on that body; AFXI_NONE: not a shape */
} AfxiPlace;

/** Writes `body "wheel"`, `body #12` or `shape #0 of body "wheel"` with text and cure; returns status. */
AfxStatus afxi_fail(const AfxiPlace *place, AfxStatus status, const char *text, const char *cure);
/** AFX_E_ARGUMENT: `what` is NULL. */
AfxStatus afxi_fail_null(const AfxiPlace *place, const char *what);
/** AFX_E_MEMORY or AFX_E_LIMIT of an allocation, with its text. */
AfxStatus afxi_fail_memory(const AfxiPlace *place, AfxStatus status);
/** The place that is the scene itself. */
AfxiPlace afxi_scene_place(const AfxScene *scene);
/** The place that is body `index`. */
AfxiPlace afxi_body_place(const AfxScene *scene, uint32_t index);

/* Each returns AFX_OK, or fills the place's error. `what` is the subject of the sentence: "its mass". */
AfxStatus afxi_check_cookie(const AfxiPlace *place, uint32_t cookie, const char *made_by);
AfxStatus afxi_check_body(const AfxScene *scene, AfxBodyId body);
AfxStatus afxi_check_number(const AfxiPlace *place, double value, const char *what);
AfxStatus afxi_check_vec3(const AfxiPlace *place, AfxVec3 value, const char *what);
/** Finite, and the rotation of unit length; makes it exactly so when it is within 1e-3. */
AfxStatus afxi_check_pose(const AfxiPlace *place, AfxPose *pose);
/** At most AFXI_NAME_MAX bytes and not in `names` under another index than `self`. */
AfxStatus afxi_check_name(const AfxiPlace *place, const char *name, const AfxiNames *names, uint32_t self);
/** Finite, not negative, triangle inequality of the principal moments; plates, rods and points are legal. */
AfxStatus afxi_check_inertia(const AfxiPlace *place, const double inertia[6]);
/** Of shapes: nothing has overflowed, and nothing has vanished by underflow. */
AfxStatus afxi_check_mass_range(const AfxiPlace *place, const AfxMass *mass);
/** The signals are valid and the axis is not zero where the angle turns; makes the axis unit. */
AfxStatus afxi_check_motion(const AfxiPlace *place, AfxMotion *motion);

#endif
