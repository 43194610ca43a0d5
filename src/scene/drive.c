/* SPDX-License-Identifier: Apache-2.0 */
/* Drives: what acts on one free axis of a joint. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/status.h"
#include "math/signal.h"
#include "scene/check.h"
#include "scene/motion.h"
#include "scene/store.h"
#include "scene/table.h"

static const AfxDriveId no_drive = {UINT32_MAX, 0};

AfxDriveDef afx_default_drive(AfxDriveKind kind) {
    return (AfxDriveDef){.cookie = AFXI_COOKIE,
                         .kind = kind,
                         .joint = {UINT32_MAX, 0},
                         .coupling = {UINT32_MAX, 0},
                         .effort = kind == AFX_DRIVE_FRICTION ? 0 : INFINITY,
                         .lower = -INFINITY,
                         .upper = INFINITY};
}

static bool has_target(AfxDriveKind kind) {
    return kind == AFX_DRIVE_POSITION || kind == AFX_DRIVE_VELOCITY || kind == AFX_DRIVE_FORCE ||
           kind == AFX_DRIVE_SERVO;
}

/** The coordinate is what the drive says, whatever force that takes. */
static bool is_exact(AfxDriveKind kind) {
    return kind == AFX_DRIVE_POSITION || kind == AFX_DRIVE_VELOCITY;
}

static AfxStatus check_target(const AfxiErrorPlace *place, const AfxSignal *target) {
    const char *fault = afxi_signal_fault(target);
    if (!fault) {
        return AFX_OK;
    }
    char text[160];
    snprintf(text, sizeof text, "the signal of its target is not valid: %s", fault);
    return afxi_fail(place, AFX_E_INPUT, text, "give finite numbers, and a table whose times rise");
}

/** Written so that NaN fails. */
static AfxStatus check_bounds(const AfxiErrorPlace *place, const AfxDriveDef *d) {
    bool friction = d->kind == AFX_DRIVE_FRICTION;
    if (!(d->effort > 0 || (friction && d->effort == 0))) {
        return afxi_fail(place, AFX_E_INPUT, friction ? "its effort is negative" : "its effort is not positive",
                         friction ? "give a force or torque of 0 or more" : "give one above 0, or INFINITY for any");
    }
    if (!(d->lower <= d->upper) || d->lower == INFINITY || d->upper == -INFINITY) {
        return afxi_fail(place, AFX_E_INPUT, "its lower limit is not below or at its upper limit",
                         "give lower <= upper; -INFINITY and INFINITY for none");
    }
    if (!(d->restitution >= 0 && d->restitution <= 1)) {
        return afxi_fail(place, AFX_E_INPUT, "its restitution is not between 0 and 1",
                         "0 does not bounce, 1 loses nothing");
    }
    return AFX_OK;
}

/** Two exact drives on one axis would contradict each other. */
static AfxStatus check_alone(const AfxScene *scene, const AfxiErrorPlace *place, const AfxDriveDef *d) {
    if (!is_exact(d->kind) || d->coupling.index != UINT32_MAX ||
        !(scene->joints[d->joint.index].exact_axes >> d->axis & 1u)) {
        return AFX_OK;
    }
    uint32_t k = 0;
    const AfxiSceneDrive *other = scene->drives;
    while (other->joint != d->joint.index || other->axis != d->axis || !is_exact((AfxDriveKind)other->kind)) {
        other = scene->drives + ++k;
    }
    char first[AFXI_PLACE_TEXT], joint[AFXI_PLACE_TEXT], text[2 * AFXI_PLACE_TEXT + 32];
    AfxiErrorPlace first_place = {NULL, "drive", other->name, k, AFXI_NONE};
    AfxiErrorPlace joint_place = afxi_joint_place(scene, d->joint.index);
    afxi_place_text(&first_place, first);
    afxi_place_text(&joint_place, joint);
    snprintf(text, sizeof text, "%s holds axis %u of %s already", first, (unsigned)d->axis, joint);
    return afxi_fail(place, AFX_E_INPUT, text, "keep one position or velocity drive for each axis, or use a servo");
}

/** Smallest cone, rad: below, its axis is held rather than limited, and the way back to it is lost in rounding. */
#define CONE_LEAST 1e-3

/** Swing, twist and angle of a joint with three free rotations. */
static AfxStatus check_further_axis(const AfxScene *scene, const AfxiErrorPlace *place, const AfxDriveDef *d) {
    if (d->joint.scene != scene->id || d->joint.index >= scene->joint_count) {
        return afxi_check_coordinate(scene, place, d->joint, 0, "its"); /* which says so */
    }
    AfxJointKind kind = (AfxJointKind)scene->joints[d->joint.index].kind;
    if (kind != AFX_JOINT_SPHERICAL && kind != AFX_JOINT_SLOT && kind != AFX_JOINT_FREE) {
        return afxi_fail(place, AFX_E_INPUT, "its joint has no swing, twist or angle",
                         "these are of spherical, slot and free joints; give a free axis from 0");
    }
    if (d->axis == AFX_AXIS_TWIST) {
        return !is_exact(d->kind) ? AFX_OK
                                  : afxi_fail(place, AFX_E_INPUT, "a twist cannot be held exactly",
                                              "use a servo: at a swing of half a turn there is no twist to hold");
    }
    if (d->kind != AFX_DRIVE_LIMIT) {
        return afxi_fail(place, AFX_E_INPUT, "a swing or angle can only be limited",
                         "use a limit; the twist takes all kinds of drives, and the joint has a spring");
    }
    bool lower = d->lower == -INFINITY || (d->lower >= 0 && d->lower < 3.2);
    if (!(d->upper >= CONE_LEAST) || !lower) {
        return afxi_fail(place, AFX_E_INPUT, "its limits are not those of a cone",
                         "give an upper limit of .001 rad to pi, and a lower one of 0 or more or none");
    }
    return AFX_OK;
}

/** A drive on the coordinate of a coupling. */
static AfxStatus check_coupling(const AfxScene *scene, const AfxiErrorPlace *place, const AfxDriveDef *d) {
    if (d->coupling.scene != scene->id || d->coupling.index >= scene->coupling_count) {
        return afxi_fail(place, AFX_E_ARGUMENT, "its coupling is not one of this scene",
                         "use an id that afx_scene_add_coupling gave");
    }
    if (!(scene->couplings[d->coupling.index].inertia > 0)) {
        return afxi_fail(place, AFX_E_INPUT, "its coupling holds its sum, and has no coordinate",
                         "give the coupling inertia, or name a joint");
    }
    if (d->axis != 0 || is_exact(d->kind) || d->joint.index != UINT32_MAX) {
        return afxi_fail(place, AFX_E_INPUT, "a drive on a coupling has no other axis, is not exact and has no joint",
                         "use axis 0 and a force, servo, spring, limit or friction; a held sum is a coupling");
    }
    return AFX_OK;
}

/** Checks a definition but for its cookie. */
static AfxStatus check_def(const AfxScene *scene, const AfxiErrorPlace *place, const AfxDriveDef *d) {
    if ((unsigned)d->kind > AFX_DRIVE_FRICTION) {
        return afxi_fail(place, AFX_E_INPUT, "its kind is not one of AfxDriveKind", "give one of AFX_DRIVE_...");
    }
    bool further = d->axis >= AFX_AXIS_SWING && d->axis <= AFX_AXIS_ANGLE;
    AfxStatus status = d->coupling.index != UINT32_MAX ? check_coupling(scene, place, d)
                       : further                       ? check_further_axis(scene, place, d)
                                                       : afxi_check_coordinate(scene, place, d->joint, d->axis, "its");
    status = status ? status : afxi_check_name(place, d->name, &scene->drive_names, AFXI_NONE);
    if (!status && has_target(d->kind) && !d->from_input) {
        status = check_target(place, &d->target);
    }
    status = status ? status : afxi_check_amount(place, d->stiffness, "its stiffness");
    status = status ? status : afxi_check_amount(place, d->damping, "its damping");
    status = status ? status : afxi_check_number(place, d->rest, "its rest position");
    status = status ? status : check_bounds(place, d);
    status = status ? status : afxi_check_amount(place, d->coefficient, "its coefficient of friction");
    status = status ? status : afxi_check_amount(place, d->radius, "its radius");
    if (!status && d->kind == AFX_DRIVE_SPRING) {
        status = afxi_check_tables(place, &d->spring_table, &d->damper_table);
    }
    return status ? status : check_alone(scene, place, d);
}

static AfxStatus reserve(AfxScene *scene, const char *name) {
    void *drives = scene->drives;
    AfxStatus status = afxi_array_reserve(&scene->allocator, &drives, &scene->drive_capacity, scene->drive_count + 1,
                                          sizeof *scene->drives);
    scene->drives = drives;
    return status ? status : afxi_name_reserve(scene, &scene->drive_names, name);
}

/** Everything that cannot fail: d is valid, its table the scene's own, and there is room. */
static void enter(AfxScene *scene, const AfxDriveDef *d) {
    uint32_t index = scene->drive_count++;
    scene->drives[index] = (AfxiSceneDrive){.name = afxi_name_enter(scene, &scene->drive_names, d->name, index),
                                            .target = d->target,
                                            .stiffness = d->stiffness,
                                            .damping = d->damping,
                                            .rest = d->rest,
                                            .effort = d->effort,
                                            .lower = d->lower,
                                            .upper = d->upper,
                                            .restitution = d->restitution,
                                            .coefficient = d->coefficient,
                                            .radius = d->radius,
                                            .spring_table = d->spring_table,
                                            .damper_table = d->damper_table,
                                            .joint = d->joint.index,
                                            .coupling = d->coupling.index,
                                            .kind = (uint8_t)d->kind,
                                            .axis = (uint8_t)d->axis,
                                            .from_input = d->from_input};
    if (is_exact(d->kind) && d->joint.index != AFXI_NONE) {
        AfxiSceneJoint *joint = scene->joints + d->joint.index;
        joint->exact_axes = (uint8_t)(joint->exact_axes | 1u << d->axis);
    }
}

AfxStatus afx_scene_add_drive(AfxScene *scene, const AfxDriveDef *def, AfxDriveId *out_drive) {
    if (out_drive) {
        *out_drive = no_drive;
    }
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "drive", NULL, scene->drive_count, AFXI_NONE};
    if (!def || !out_drive) {
        return afxi_fail_null(&place, def ? "out_drive" : "def");
    }
    AfxStatus status = afxi_check_cookie(&place, def->cookie, "afx_default_drive");
    if (status) {
        return status;
    }
    AfxDriveDef d = *def;
    place.name = d.name;
    status = check_def(scene, &place, &d);
    if (status) {
        return status;
    }
    d.from_input = d.from_input && has_target(d.kind);
    if (d.from_input || !has_target(d.kind)) {
        d.target = (AfxSignal){0};
    }
    if (d.kind != AFX_DRIVE_SPRING) {
        d.spring_table = d.damper_table = (AfxForceTable){0};
    }
    status = reserve(scene, d.name);
    status = status ? status : afxi_tables_copy(scene, &d.spring_table, &d.damper_table);
    if (!status && (status = afxi_signal_copy(scene, &d.target)) != AFX_OK) {
        afxi_tables_free(scene, &d.spring_table, &d.damper_table);
    }
    if (status) {
        return afxi_fail_memory(&place, status);
    }
    enter(scene, &d);
    *out_drive = (AfxDriveId){place.index, scene->id};
    return AFX_OK;
}

uint32_t afx_scene_drive_count(const AfxScene *scene) {
    return scene ? scene->drive_count : 0;
}

AfxDriveId afx_scene_drive(const AfxScene *scene, uint32_t index) {
    return scene && index < scene->drive_count ? (AfxDriveId){index, scene->id} : no_drive;
}

AfxStatus afx_scene_get_drive(const AfxScene *scene, uint32_t index, AfxDriveDef *out_def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "drive", NULL, index, AFXI_NONE};
    if (!out_def) {
        return afxi_fail_null(&place, "out_def");
    }
    if (index >= scene->drive_count) {
        return afxi_fail(&place, AFX_E_ARGUMENT, "there is no such drive", "count with afx_scene_drive_count");
    }
    const AfxiSceneDrive *drive = scene->drives + index;
    AfxDriveDef d = afx_default_drive((AfxDriveKind)drive->kind);
    d.name = drive->name;
    bool tendon = drive->coupling != AFXI_NONE;
    d.joint = tendon ? d.joint : (AfxJointId){drive->joint, scene->id};
    d.coupling = tendon ? (AfxCouplingId){drive->coupling, scene->id} : d.coupling;
    d.axis = drive->axis;
    d.target = drive->target;
    d.from_input = drive->from_input;
    d.stiffness = drive->stiffness;
    d.damping = drive->damping;
    d.rest = drive->rest;
    d.effort = drive->effort;
    d.lower = drive->lower;
    d.upper = drive->upper;
    d.restitution = drive->restitution;
    d.coefficient = drive->coefficient;
    d.radius = drive->radius;
    d.spring_table = drive->spring_table;
    d.damper_table = drive->damper_table;
    *out_def = d;
    return AFX_OK;
}
