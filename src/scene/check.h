/* SPDX-License-Identifier: Apache-2.0 */
/* Checks shared by what can be added to a scene, and errors that name the place. */
#ifndef AFXI_SCENE_CHECK_H
#define AFXI_SCENE_CHECK_H

#include "scene/scene.h"

/** What is being looked at; turned into text only when there is something to say. */
typedef struct AfxiErrorPlace {
    AfxError *error;  /* where to write; may be NULL */
    const char *kind; /* "body", "joint", "scene" and so on */
    const char *name; /* NULL or "": shown by index */
    uint32_t index;   /* AFXI_NONE: shown by kind alone */
    uint32_t shape;   /* shape number on that body; AFXI_NONE: not a shape */
} AfxiErrorPlace;

/* Bytes of the longest AfxiErrorPlace as text: as much as AfxError.element holds. */
#define AFXI_PLACE_TEXT 120

/** `body "wheel"`, `body #12` or `shape #0 of body "wheel"`; long names are cut. */
void afxi_place_text(const AfxiErrorPlace *place, char out_text[AFXI_PLACE_TEXT]);
/** Writes that with text and cure; returns status. */
AfxStatus afxi_fail(const AfxiErrorPlace *place, AfxStatus status, const char *text, const char *cure);
/** AFX_E_ARGUMENT: `what` is NULL. */
AfxStatus afxi_fail_null(const AfxiErrorPlace *place, const char *what);
/** AFX_E_MEMORY or AFX_E_LIMIT of an allocation, with its text. */
AfxStatus afxi_fail_memory(const AfxiErrorPlace *place, AfxStatus status);
/** The place that is the scene itself. */
AfxiErrorPlace afxi_scene_place(const AfxScene *scene);
/** The place that is body `index`. */
AfxiErrorPlace afxi_body_place(const AfxScene *scene, uint32_t index);
/** The place that is joint `index`. */
AfxiErrorPlace afxi_joint_place(const AfxScene *scene, uint32_t index);

/* Each returns AFX_OK, or fills the place's error. `what` is the subject of the sentence: "its mass". */
AfxStatus afxi_check_cookie(const AfxiErrorPlace *place, uint32_t cookie, const char *made_by);
AfxStatus afxi_check_body(const AfxScene *scene, AfxBodyId body);
AfxStatus afxi_check_joint(const AfxScene *scene, AfxJointId joint);
/** Each is a body or the world, and they differ. `what_a`, `what_b` are the subjects: "its base". */
AfxStatus afxi_check_ends(const AfxScene *scene, const AfxiErrorPlace *place, AfxBodyId a, AfxBodyId b,
                          const char *what_a, const char *what_b);
/** A free axis of a joint of this scene. `whose` is "its" or "its term #2's". */
AfxStatus afxi_check_coordinate(const AfxScene *scene, const AfxiErrorPlace *place, AfxJointId joint, uint32_t axis,
                                const char *whose);
AfxStatus afxi_check_number(const AfxiErrorPlace *place, double value, const char *what);
/** Finite, and 0 or more. */
AfxStatus afxi_check_amount(const AfxiErrorPlace *place, double value, const char *what);
AfxStatus afxi_check_vec3(const AfxiErrorPlace *place, AfxVec3 value, const char *what);
/** Finite, and the rotation of unit length; makes it exactly so when it is within 1e-3. `whose` is "its". */
AfxStatus afxi_check_pose(const AfxiErrorPlace *place, AfxPose *pose, const char *whose);
/** At most AFXI_NAME_MAX bytes and not in `names` under another index than `self`. */
AfxStatus afxi_check_name(const AfxiErrorPlace *place, const char *name, const AfxiNames *names, uint32_t self);
/** Finite, not negative, triangle inequality of the principal moments; plates, rods and points are legal. */
AfxStatus afxi_check_inertia(const AfxiErrorPlace *place, const double inertia[6]);
/** Of shapes: nothing has overflowed, and nothing has vanished by underflow. */
AfxStatus afxi_check_mass_range(const AfxiErrorPlace *place, const AfxMass *mass);
/** The signals are valid and the axis is not zero where the angle turns; makes the axis unit. */
AfxStatus afxi_check_motion(const AfxiErrorPlace *place, AfxMotion *motion);
/** Writes what an error says of body `body`: body "wheel", or body #12 when it has no name. */
AfxStatus afxi_scene_body_error(const AfxScene *scene, uint32_t body, AfxStatus status, const char *text,
                                const char *cure, AfxError *out_error);

#endif
