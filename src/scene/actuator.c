/* SPDX-License-Identifier: Apache-2.0 */
/* Controls of a scene, with their activations and muscles. */
#include <math.h>
#include <string.h>

#include "affix/robot.h"
#include "base/memory.h"
#include "base/status.h"
#include "scene/check.h"
#include "scene/name.h"
#include "scene/robot.h"
#include "scene/store.h"

AfxControlDef afx_default_control(void) {
    return (AfxControlDef){.cookie = AFXI_COOKIE,
                           .drive = {UINT32_MAX, 0},
                           .wrench = {UINT32_MAX, 0},
                           .adhesion = {UINT32_MAX, 0},
                           .gain = 1,
                           .gear = 1,
                           .lower = -INFINITY,
                           .upper = INFINITY,
                           .activation = {.time = {1, 0, 0}, .lower = -INFINITY, .upper = INFINITY},
                           .muscle = {.gear = 1,
                                      .length = {0, 1},
                                      .range = {0.75, 1.05},
                                      .lmin = 0.5,
                                      .lmax = 1.6,
                                      .vmax = 1.5,
                                      .fpmax = 1.3,
                                      .fvmax = 1.2},
                           .safety = {{UINT32_MAX, 0}, -INFINITY, INFINITY, INFINITY, 0}};
}

const char *afx_activation_name(AfxActivationKind kind) {
    static const char *const names[] = {"none", "integrator", "filter", "filterexact", "muscle"};
    return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

static AfxStatus check_activation(const AfxiErrorPlace *place, const AfxActivation *a) {
    bool filter = a->kind == AFX_ACTIVATION_FILTER || a->kind == AFX_ACTIVATION_FILTER_EXACT;
    bool muscle = a->kind == AFX_ACTIVATION_MUSCLE;
    if ((unsigned)a->kind > AFX_ACTIVATION_MUSCLE) {
        return afxi_fail(place, AFX_E_INPUT, "its activation is of no kind", "give one of AfxActivationKind");
    }
    if (a->kind == AFX_ACTIVATION_NONE) {
        return AFX_OK;
    }
    AfxStatus status = afxi_check_number(place, a->start, "the start of its activation");
    for (int k = 0; k < 3 && !status; k++) {
        status = afxi_check_amount(place, a->time[k], "a time of its activation");
    }
    if (!status && ((filter && !(a->time[0] > 0)) || (muscle && !(a->time[0] > 0 && a->time[1] > 0)))) {
        status = afxi_fail(place, AFX_E_INPUT, "a time constant of its activation is 0", "give one above 0");
    }
    if (!status && !(a->lower <= a->upper)) {
        status = afxi_fail(place, AFX_E_INPUT, "the bounds of its activation are empty", "give lower <= upper");
    }
    return status;
}

static AfxStatus check_muscle(const AfxScene *scene, const AfxiErrorPlace *place, const AfxControlDef *d) {
    const AfxMuscle *m = &d->muscle;
    AfxStatus status = afxi_check_amount(place, m->force, "the force of its muscle");
    if (status || m->force == 0) {
        return status;
    }
    bool drive = d->drive.scene == scene->id && scene->drives[d->drive.index].kind == AFX_DRIVE_FORCE;
    bool lengths = m->length[0] < m->length[1] && m->range[0] < m->range[1] && isfinite(m->gear) &&
                   isfinite(m->offset) && isfinite(m->length[1] - m->length[0]) && isfinite(m->range[1] - m->range[0]);
    bool curves = m->lmin >= 0 && m->lmin < 1 && m->lmax > 1 && m->vmax > 0 && m->fpmax >= 0 && m->fvmax > 1 &&
                  isfinite(m->lmax + m->vmax + m->fpmax + m->fvmax);
    return drive && lengths && curves
               ? AFX_OK
               : afxi_fail(
                     place, AFX_E_INPUT,
                     !drive ? "its muscle is on no force drive" : "the numbers of its muscle are those of none",
                     "length and range ascend, lmin < 1 < lmax, vmax > 0, fpmax >= 0, fvmax > 1; on a force drive");
}

static AfxStatus check_safety(const AfxScene *scene, const AfxiErrorPlace *place, const AfxControlDef *d) {
    const AfxSafety *s = &d->safety;
    if (s->brake.index == UINT32_MAX) {
        return AFX_OK;
    }
    AfxStatus status = afxi_check_amount(place, s->position_gain, "the position gain of its safety");
    const AfxiSceneDrive *drive = d->drive.scene == scene->id ? scene->drives + d->drive.index : NULL;
    bool known = s->brake.scene == scene->id && s->brake.index < scene->drive_count;
    const AfxiSceneDrive *brake = known ? scene->drives + s->brake.index : NULL;
    bool fits = drive && brake && drive->kind == AFX_DRIVE_FORCE && brake->kind == AFX_DRIVE_SERVO &&
                brake->from_input && brake->stiffness == 0 && brake->joint == drive->joint &&
                brake->coupling == drive->coupling && brake->axis == drive->axis;
    return status ? status
           : fits && s->lower <= s->upper && s->speed > 0
               ? AFX_OK
               : afxi_fail(place, AFX_E_INPUT,
                           fits ? "the bounds of its safety are empty" : "its brake is no servo beside its force drive",
                           "give lower <= upper and a speed above 0; and a servo without stiffness that takes input, "
                           "on the coordinate of the force drive");
}

static AfxStatus check_control(const AfxScene *scene, const AfxiErrorPlace *place, const AfxControlDef *d) {
    bool drive = d->drive.scene == scene->id && d->drive.index < scene->drive_count;
    bool wrench = d->wrench.scene == scene->id && d->wrench.index < scene->wrench_count;
    bool adheres = d->adhesion.scene == scene->id && d->adhesion.index < scene->body_count;
    if (drive + wrench + adheres != 1) {
        return afxi_fail(place, AFX_E_INPUT, "it acts on no drive, wrench or body of this scene, or on several",
                         "give one id that afx_scene_add_drive, afx_scene_add_wrench or afx_scene_add_body gave");
    }
    const AfxiSceneDrive *led = drive && d->damping != 0 ? scene->drives + d->drive.index : NULL;
    if (d->damping != 0 &&
        (!(d->damping > 0) || !isfinite(d->damping) || !led || led->kind != AFX_DRIVE_SERVO || led->stiffness != 0)) {
        return afxi_fail(place, AFX_E_INPUT, "its damping is on no servo without stiffness, or negative",
                         "give 0 or more, and a servo without stiffness that takes input");
    }
    if (drive && !scene->drives[d->drive.index].from_input) {
        return afxi_fail(place, AFX_E_INPUT, "its drive takes no input", "set from_input of the drive");
    }
    AfxStatus status = afxi_check_number(place, d->gain, "its gain");
    status = status ? status : afxi_check_number(place, d->offset, "its offset");
    status = status ? status : afxi_check_number(place, d->start, "its start");
    for (int k = 0; k < 6 && !status; k++) {
        status = afxi_check_number(place, d->direction[k], "its direction");
    }
    if (!status && !(d->lower <= d->upper)) {
        status = afxi_fail(place, AFX_E_INPUT, "its range is empty", "give lower <= upper");
    }
    status = status ? status : check_activation(place, &d->activation);
    status = status ? status : check_muscle(scene, place, d);
    status = status ? status : check_safety(scene, place, d);
    return status ? status : afxi_check_name(place, d->name, &scene->control_names, AFXI_NONE);
}

AfxStatus afx_scene_add_control(AfxScene *scene, const AfxControlDef *def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "control", NULL, scene->control_count, AFXI_NONE};
    if (!def) {
        return afxi_fail_null(&place, "def");
    }
    AfxStatus status = afxi_check_cookie(&place, def->cookie, "afx_default_control");
    if (status) {
        return status;
    }
    place.name = def->name;
    status = check_control(scene, &place, def);
    if (status) {
        return status;
    }
    status = afxi_robot_reserve(scene, (void **)&scene->controls, &scene->control_capacity, scene->control_count + 1,
                                sizeof *scene->controls, &scene->control_names, def->name);
    if (status) {
        return afxi_fail_memory(&place, status);
    }
    AfxiSceneActuation *actuation = NULL;
    if (def->activation.kind != AFX_ACTIVATION_NONE || def->muscle.force > 0 || def->safety.brake.index != UINT32_MAX) {
        actuation = afxi_allocate(&scene->allocator, sizeof *actuation);
        if (!actuation) {
            return afxi_fail_memory(&place, AFX_E_MEMORY);
        }
        *actuation = (AfxiSceneActuation){def->activation, def->muscle, def->safety};
    }
    AfxiSceneControl *control = scene->controls + scene->control_count++;
    *control = (AfxiSceneControl){.name = afxi_name_enter(scene, &scene->control_names, def->name, place.index),
                                  .drive = def->drive.scene == scene->id ? def->drive.index : AFXI_NONE,
                                  .wrench = def->wrench.scene == scene->id ? def->wrench.index : AFXI_NONE,
                                  .adhesion = def->adhesion.scene == scene->id ? def->adhesion.index : AFXI_NONE,
                                  .damping = def->damping,
                                  .gain = def->gain,
                                  .offset = def->offset,
                                  .lower = def->lower,
                                  .upper = def->upper,
                                  .start = fmin(fmax(def->start, def->lower), def->upper),
                                  .gear = def->gear,
                                  .length = def->length,
                                  .actuation = actuation};
    memcpy(control->direction, def->direction, sizeof control->direction);
    return AFX_OK;
}

uint32_t afx_scene_control_count(const AfxScene *scene) {
    return scene ? scene->control_count : 0;
}

AfxStatus afx_scene_find_control(const AfxScene *scene, const char *name, uint32_t *out_index) {
    if (!scene || !name || !out_index) {
        return AFX_E_ARGUMENT;
    }
    *out_index = afxi_names_find(&scene->control_names, name);
    return *out_index == UINT32_MAX ? AFX_E_ARGUMENT : AFX_OK;
}

AfxStatus afx_scene_get_control(const AfxScene *scene, uint32_t index, AfxControlDef *out_def) {
    if (!scene || !out_def || index >= scene->control_count) {
        return AFX_E_ARGUMENT;
    }
    const AfxiSceneControl *control = scene->controls + index;
    AfxControlDef d = afx_default_control();
    d.name = control->name;
    d.drive = control->drive == AFXI_NONE ? d.drive : (AfxDriveId){control->drive, scene->id};
    d.wrench = control->wrench == AFXI_NONE ? d.wrench : (AfxWrenchId){control->wrench, scene->id};
    d.adhesion = control->adhesion == AFXI_NONE ? d.adhesion : (AfxBodyId){control->adhesion, scene->id};
    d.damping = control->damping;
    d.gain = control->gain;
    d.offset = control->offset;
    d.lower = control->lower;
    d.upper = control->upper;
    d.start = control->start;
    d.gear = control->gear;
    d.length = control->length;
    if (control->actuation) {
        d.activation = control->actuation->activation;
        d.muscle = control->actuation->muscle;
        d.safety = control->actuation->safety;
    }
    memcpy(d.direction, control->direction, sizeof d.direction);
    *out_def = d;
    return AFX_OK;
}
