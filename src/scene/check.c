/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of ids, numbers, poses, names and inertia. Values that make a scene wrong are AFX_E_INPUT; calls that are
 * wrong in themselves (NULL, a foreign id) are AFX_E_ARGUMENT. */
#include "scene/check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "math/inertia.h"
#include "math/signal.h"
#include "math/vec3.h"
#include "scene/name.h"

/* Bytes of a name that an error shows: leaves room for the rest of AfxError.element. */
#define NAME_SHOWN 64
/* A rotation this far from unit length is a mistake and not a rounding. */
#define QUATERNION_TOLERANCE 1e-3
/* Beyond this, sums over bodies or the elastic constants would overflow. */
#define LARGEST 1e300

/** Bytes of the name to show: all, or as many whole UTF-8 characters as fit. */
static int shown_length(const char *name) {
    size_t length = strlen(name);
    if (length > NAME_SHOWN) {
        length = NAME_SHOWN;
        while (length > 0 && ((unsigned char)name[length] & 0xC0) == 0x80) {
            length--;
        }
    }
    return (int)length;
}

void afxi_place_text(const AfxiErrorPlace *place, char out_text[AFXI_PLACE_TEXT]) {
    char shape[32] = "", where[NAME_SHOWN + 16] = "";
    if (place->shape != AFXI_NONE) {
        snprintf(shape, sizeof shape, "shape #%u of ", (unsigned)place->shape);
    }
    if (place->name && place->name[0]) {
        int length = shown_length(place->name);
        snprintf(where, sizeof where, " \"%.*s%s\"", length, place->name, place->name[length] ? "..." : "");
    } else if (place->index != AFXI_NONE) {
        snprintf(where, sizeof where, " #%u", (unsigned)place->index);
    }
    snprintf(out_text, AFXI_PLACE_TEXT, "%s%s%s", shape, place->kind, where);
}

AfxStatus afxi_fail(const AfxiErrorPlace *place, AfxStatus status, const char *text, const char *cure) {
    char element[AFXI_PLACE_TEXT];
    afxi_place_text(place, element);
    return afxi_error(place->error, status, element, text, cure);
}

AfxStatus afxi_fail_null(const AfxiErrorPlace *place, const char *what) {
    char text[64];
    snprintf(text, sizeof text, "the argument %s is NULL", what);
    return afxi_fail(place, AFX_E_ARGUMENT, text, "pass a valid pointer");
}

AfxStatus afxi_fail_memory(const AfxiErrorPlace *place, AfxStatus status) {
    return afxi_fail(place, status, afx_status_text(status),
                     status == AFX_E_MEMORY ? "free memory, or make the scene smaller" : "make the scene smaller");
}

AfxiErrorPlace afxi_scene_place(const AfxScene *scene) {
    return (AfxiErrorPlace){scene->error, "scene", NULL, AFXI_NONE, AFXI_NONE};
}

AfxiErrorPlace afxi_body_place(const AfxScene *scene, uint32_t index) {
    return (AfxiErrorPlace){scene->error, "body", scene->bodies[index].name, index, AFXI_NONE};
}

AfxiErrorPlace afxi_joint_place(const AfxScene *scene, uint32_t index) {
    return (AfxiErrorPlace){scene->error, "joint", scene->joints[index].name, index, AFXI_NONE};
}

AfxStatus afxi_scene_body_error(const AfxScene *scene, uint32_t body, AfxStatus status, const char *text,
                                const char *cure, AfxError *out_error) {
    AfxiErrorPlace place = afxi_body_place(scene, body);
    place.error = out_error;
    return afxi_fail(&place, status, text, cure);
}

AfxStatus afxi_check_cookie(const AfxiErrorPlace *place, uint32_t cookie, const char *made_by) {
    if (cookie == AFXI_COOKIE) {
        return AFX_OK;
    }
    char cure[128];
    snprintf(cure, sizeof cure, "start from %s of the library that is linked, and edit its result", made_by);
    return afxi_fail(place, AFX_E_VERSION, "its definition was not made by this version of the library", cure);
}

AfxStatus afxi_check_body(const AfxScene *scene, AfxBodyId body) {
    if (body.scene == scene->id && body.index < scene->body_count) {
        return AFX_OK;
    }
    AfxiErrorPlace place = {scene->error, "body", NULL, body.index, AFXI_NONE};
    return afxi_fail(&place, AFX_E_ARGUMENT, "this body id is stale, or from another scene",
                     "use an id that afx_scene_add_body or afx_scene_find_body gave for this scene");
}

AfxStatus afxi_check_joint(const AfxScene *scene, AfxJointId joint) {
    if (joint.scene == scene->id && joint.index < scene->joint_count) {
        return AFX_OK;
    }
    AfxiErrorPlace place = {scene->error, "joint", NULL, joint.index, AFXI_NONE};
    return afxi_fail(&place, AFX_E_ARGUMENT, "this joint id is stale, or from another scene",
                     "use an id that afx_scene_add_joint or afx_scene_find_joint gave for this scene");
}

/** A body of the scene, or the world. */
static AfxStatus check_end(const AfxScene *scene, const AfxiErrorPlace *place, AfxBodyId end, const char *what) {
    bool world = end.index == AFXI_NONE && end.scene == 0;
    if (world || (end.scene == scene->id && end.index < scene->body_count)) {
        return AFX_OK;
    }
    char text[128];
    snprintf(text, sizeof text, "the body id of %s is stale, or from another scene", what);
    return afxi_fail(place, AFX_E_ARGUMENT, text,
                     "use afx_world(), or an id that afx_scene_add_body or afx_scene_find_body gave for this scene");
}

AfxStatus afxi_check_ends(const AfxScene *scene, const AfxiErrorPlace *place, AfxBodyId a, AfxBodyId b,
                          const char *what_a, const char *what_b) {
    AfxStatus status = check_end(scene, place, a, what_a);
    status = status ? status : check_end(scene, place, b, what_b);
    if (status || a.index != b.index) {
        return status;
    }
    char text[128];
    snprintf(text, sizeof text, "%s and %s are both %s", what_a, what_b,
             a.index == AFXI_NONE ? "the world" : "the same body");
    return afxi_fail(place, AFX_E_INPUT, text, "give two bodies, or a body and the world");
}

AfxStatus afxi_check_coordinate(const AfxScene *scene, const AfxiErrorPlace *place, AfxJointId joint, uint32_t axis,
                                const char *whose) {
    char text[128];
    if (joint.scene != scene->id || joint.index >= scene->joint_count) {
        snprintf(text, sizeof text, "%s joint id is stale, or from another scene", whose);
        return afxi_fail(place, AFX_E_ARGUMENT, text,
                         "use an id that afx_scene_add_joint or afx_scene_find_joint gave for this scene");
    }
    AfxJointKind kind = (AfxJointKind)scene->joints[joint.index].kind;
    uint32_t count = afx_joint_axis_count(kind);
    if (axis >= count) {
        snprintf(text, sizeof text, "%s axis is %u, but a joint of kind %s has %u free", whose, (unsigned)axis,
                 afx_joint_kind_name(kind), (unsigned)count);
        return afxi_fail(place, AFX_E_INPUT, text, "count axes from 0: translations first, then rotations");
    }
    return AFX_OK;
}

static AfxStatus not_finite(const AfxiErrorPlace *place, const char *what) {
    char text[128];
    snprintf(text, sizeof text, "%s is not finite", what);
    return afxi_fail(place, AFX_E_INPUT, text, "give a finite number");
}

AfxStatus afxi_check_number(const AfxiErrorPlace *place, double value, const char *what) {
    return isfinite(value) ? AFX_OK : not_finite(place, what);
}

AfxStatus afxi_check_amount(const AfxiErrorPlace *place, double value, const char *what) {
    AfxStatus status = afxi_check_number(place, value, what);
    if (!status && value < 0) {
        char text[128];
        snprintf(text, sizeof text, "%s is negative", what);
        status = afxi_fail(place, AFX_E_INPUT, text, "give a number of 0 or more");
    }
    return status;
}

AfxStatus afxi_check_vec3(const AfxiErrorPlace *place, AfxVec3 value, const char *what) {
    return vec3_finite(value) ? AFX_OK : not_finite(place, what);
}

AfxStatus afxi_check_pose(const AfxiErrorPlace *place, AfxPose *pose, const char *whose) {
    AfxQuat *q = &pose->rotation;
    char subject[64], text[128];
    if (!vec3_finite(pose->position)) {
        snprintf(subject, sizeof subject, "%s position", whose);
        return not_finite(place, subject);
    }
    if (!isfinite(q->w) || !isfinite(q->x) || !isfinite(q->y) || !isfinite(q->z)) {
        snprintf(subject, sizeof subject, "%s rotation", whose);
        return not_finite(place, subject);
    }
    double square = q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z;
    if (square == 0) {
        snprintf(text, sizeof text, "%s rotation is a quaternion of length zero", whose);
        return afxi_fail(place, AFX_E_INPUT, text, "give a unit quaternion (w, x, y, z); (1, 0, 0, 0) is no rotation");
    }
    if (!(fabs(sqrt(square) - 1) <= QUATERNION_TOLERANCE)) {
        snprintf(text, sizeof text, "%s rotation is not a unit quaternion", whose);
        return afxi_fail(place, AFX_E_INPUT, text, "divide (w, x, y, z) by its length; the order is w first");
    }
    if (fabs(square - 1) > 4 * DBL_EPSILON) { /* a unit one keeps its bits */
        *q = afxi_quat_normalized(*q);
    }
    return AFX_OK;
}

AfxStatus afxi_check_name(const AfxiErrorPlace *place, const char *name, const AfxiNames *names, uint32_t self) {
    if (!name || !name[0]) {
        return AFX_OK;
    }
    if (strlen(name) > AFXI_NAME_MAX) {
        return afxi_fail(place, AFX_E_INPUT, "its name is longer than 255 bytes", "give a shorter name");
    }
    uint32_t found = afxi_names_find(names, name);
    if (found != AFXI_NONE && found != self) {
        char text[NAME_SHOWN + 96];
        snprintf(text, sizeof text, "%s #%u is called \"%.*s\" already", place->kind, (unsigned)found,
                 shown_length(name), name);
        return afxi_fail(place, AFX_E_INPUT, text, "give every one its own name, or none");
    }
    return AFX_OK;
}

AfxStatus afxi_check_inertia(const AfxiErrorPlace *place, const double inertia[6]) {
    double largest = 0, s[3];
    for (int k = 0; k < 6; k++) {
        if (!isfinite(inertia[k])) {
            return not_finite(place, "its inertia");
        }
        largest = fmax(largest, fabs(inertia[k]));
    }
    if (largest == 0) {
        return AFX_OK;
    }
    if (largest < DBL_MIN || largest > LARGEST) {
        return afxi_fail(place, AFX_E_INPUT,
                         largest < DBL_MIN ? "its inertia is too small for double precision"
                                           : "its inertia is too large for double precision",
                         "check the units: kg and m");
    }
    AfxMass mass = {.mass = 1};
    memcpy(mass.inertia, inertia, sizeof mass.inertia);
    AfxiMat3 axes;
    AfxiMassResult result = afxi_second_moments(&mass, s, &axes);
    if (result == AFXI_MASS_TRIANGLE) {
        return afxi_fail(place, AFX_E_INPUT, "unphysical inertia: principal moments violate the triangle inequality",
                         "each must be at most the sum of the other two: check the numbers and their units");
    }
    if (result != AFXI_MASS_OK) {
        return afxi_fail(place, AFX_E_INPUT, "its inertia is negative about some axis",
                         "give the tensor about the centre of mass as xx, yy, zz, xy, xz, yz");
    }
    return AFX_OK;
}

AfxStatus afxi_check_mass_range(const AfxiErrorPlace *place, const AfxMass *mass) {
    const double *inertia = mass->inertia;
    double lever = mass->mass * vec3_dot(mass->center, mass->center);
    bool large = !(mass->mass <= LARGEST) || !(mass->volume <= LARGEST) || !(lever <= LARGEST);
    for (int k = 0; k < 6; k++) {
        large = large || !(fabs(inertia[k]) <= LARGEST);
    }
    bool small = mass->mass < DBL_MIN || mass->volume < DBL_MIN || inertia[0] < DBL_MIN || inertia[1] < DBL_MIN ||
                 inertia[2] < DBL_MIN;
    if (large || small) {
        return afxi_fail(place, AFX_E_INPUT,
                         small ? "its mass, volume or inertia is too small for double precision"
                               : "its mass, volume or inertia is too large for double precision",
                         "check the units: kg and m");
    }
    return AFX_OK;
}

AfxStatus afxi_check_motion(const AfxiErrorPlace *place, AfxMotion *motion) {
    static const char *const subjects[4] = {"translation x", "translation y", "translation z", "angle"};
    for (int k = 0; k < 4; k++) {
        const char *fault = afxi_signal_fault(k < 3 ? &motion->translation[k] : &motion->angle);
        if (fault) {
            char text[160];
            snprintf(text, sizeof text, "the signal of its motion's %s is not valid: %s", subjects[k], fault);
            return afxi_fail(place, AFX_E_INPUT, text, "give finite numbers, and a table whose times rise");
        }
    }
    AfxStatus status = afxi_check_vec3(place, motion->axis, "the axis of its motion");
    if (status) {
        return status;
    }
    double largest = fmax(fabs(motion->axis.x), fmax(fabs(motion->axis.y), fabs(motion->axis.z)));
    bool still = motion->angle.kind == AFX_SIGNAL_CONSTANT && motion->angle.coefficients[0] == 0;
    if (largest == 0 && !still) {
        return afxi_fail(place, AFX_E_INPUT, "the axis of its motion has length zero", "give the axis to turn about");
    }
    AfxVec3 axis = largest == 0 ? vec3(0, 0, 1) : motion->axis;
    double square = vec3_dot(axis, axis);
    if (!(fabs(square - 1) <= 4 * DBL_EPSILON)) { /* a unit one keeps its bits; no overflow in the others */
        axis = vec3(axis.x / largest, axis.y / largest, axis.z / largest);
        axis = vec3_scale(1 / vec3_length(axis), axis);
    }
    motion->axis = axis;
    return AFX_OK;
}
