/* SPDX-License-Identifier: Apache-2.0 */
/* Controls, keyframes, sites and sensors of a model, and what it tells of them. */
#include "model/robot_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "model/model.h"
#include "scene/sensor.h"

/* Kinds of coordinates that a sensor can read. */
static bool can_read(const AfxiRobot *robot, const AfxiSceneSensor *sensor) {
    if (afxi_sensor_on((AfxSensorKind)sensor->kind) != 'q') {
        return true;
    }
    if (sensor->object >= robot->count) {
        return false;
    }
    bool axis = robot->generalized[sensor->object].shown.kind == AFX_GENERALIZED_AXIS;
    return axis == (sensor->kind != AFX_SENSOR_BALL_QUATERNION && sensor->kind != AFX_SENSOR_BALL_VELOCITY);
}

static AfxStatus copy_sensors(AfxiRobot *robot, const AfxScene *scene, AfxError *out_error) {
    for (uint32_t k = 0; k < scene->sensor_count; k++) {
        const AfxiSceneSensor *sensor = scene->sensors + k;
        if (!can_read(robot, sensor)) {
            char element[80];
            snprintf(element, sizeof element, "sensor %u", k);
            return afxi_error(out_error, AFX_E_INPUT, element, "it cannot read the coordinate that it is on",
                              "jointpos and jointvel read one axis, ballquat and ballangvel a ball or a free body");
        }
        robot->sensor[k] = (AfxiSensor){
            .kind = sensor->kind,
            .object = sensor->object,
            .reference = sensor->reference,
            .zone = sensor->zone,
            .size = afxi_sensor_numbers((AfxSensorKind)sensor->kind, sensor->data, sensor->slots, sensor->reduce),
            .slots = sensor->slots,
            .data = sensor->data,
            .reduce = sensor->reduce,
            .inside = sensor->inside,
            .subtree = {sensor->subtree[0], sensor->subtree[1]},
            .shape = {afxi_contact_shape_of(scene, sensor->object, sensor->part[0]),
                      afxi_contact_shape_of(scene, sensor->reference, sensor->part[1])},
            .cutoff = sensor->cutoff,
            .field = sensor->field};
        memcpy(robot->sensor[k].zone_size, sensor->zone_size, sizeof sensor->zone_size);
        if (afxi_sensor_on((AfxSensorKind)sensor->kind) == 'b') { /* they have no zone, but shapes of two bodies */
            robot->sensor[k].zone_size[0] = sensor->part[0];
            robot->sensor[k].zone_size[1] = sensor->part[1];
            robot->looks = true;
        }
        robot->looks = robot->looks || sensor->kind == AFX_SENSOR_RANGEFINDER;
        robot->sensordata_count += robot->sensor[k].size;
    }
    robot->sensor_count = scene->sensor_count;
    return AFX_OK;
}

static AfxStatus check_keyframe(const AfxiRobot *robot, const AfxiSceneKeyframe *key, uint32_t index,
                                AfxError *out_error) {
    bool fits = (key->qpos_count == 0 || key->qpos_count == robot->qpos_count) &&
                (key->qvel_count == 0 || key->qvel_count == robot->qvel_count) &&
                (key->ctrl_count == 0 || key->ctrl_count == robot->control_count);
    if (fits) {
        return AFX_OK;
    }
    char element[80], cure[120];
    snprintf(element, sizeof element, "keyframe %u", index);
    snprintf(cure, sizeof cure, "qpos has %u numbers, qvel %u, ctrl %u", robot->qpos_count, robot->qvel_count,
             robot->control_count);
    return afxi_error(out_error, AFX_E_INPUT, element, "its arrays do not have the lengths of the model's", cure);
}

size_t afxi_keyframe_numbers(const AfxiSceneKeyframe *key) {
    return (size_t)key->qpos_count + key->qvel_count + key->ctrl_count;
}

static AfxiSafety safety_of(const AfxScene *scene, const AfxSafety *s) {
    uint32_t brake = s->brake.index;
    double gain = brake == UINT32_MAX ? 0 : scene->drives[brake].damping;
    return (AfxiSafety){brake, s->lower, s->upper, s->speed, s->position_gain, gain};
}

AfxStatus afxi_robot_parts(AfxiRobot *robot, const AfxScene *scene, double *numbers, AfxError *out_error) {
    AfxStatus status = copy_sensors(robot, scene, out_error);
    for (uint32_t k = 0; k < scene->control_count; k++) {
        const AfxiSceneControl *c = scene->controls + k;
        AfxiControl *own = &robot->control[k];
        *own = (AfxiControl){.drive = c->drive,
                             .wrench = c->wrench,
                             .gain = c->gain,
                             .offset = c->offset,
                             .lower = c->lower,
                             .upper = c->upper,
                             .start = c->start,
                             .gear = c->gear,
                             .length = c->length,
                             .damping = c->damping,
                             .adhesion = c->adhesion};
        robot->adhesion_count += c->adhesion != AFXI_NONE;
        robot->active |= c->adhesion != AFXI_NONE || c->damping != 0;
        own->safety.brake = UINT32_MAX;
        if (c->actuation) {
            own->safety = safety_of(scene, &c->actuation->safety);
            own->activation = c->actuation->activation;
            own->muscle = c->actuation->muscle;
            robot->active = true;
        }
        memcpy(robot->control[k].direction, c->direction, sizeof c->direction);
    }
    for (uint32_t k = 0; k < scene->site_count; k++) {
        robot->site[k] = (AfxiSite){scene->sites[k].body, scene->sites[k].pose};
    }
    for (uint32_t k = 0; k < scene->keyframe_count && status == AFX_OK; k++) {
        const AfxiSceneKeyframe *key = scene->keyframes + k;
        size_t count = afxi_keyframe_numbers(key);
        status = check_keyframe(robot, key, k, out_error);
        if (count) {
            memcpy(numbers, key->numbers, count * sizeof *numbers);
        }
        robot->keyframe[k] = (AfxiKeyframe){key->time, key->qpos_count ? numbers : NULL,
                                            key->qvel_count ? numbers + key->qpos_count : NULL,
                                            key->ctrl_count ? numbers + key->qpos_count + key->qvel_count : NULL};
        numbers += count;
    }
    return status;
}

/* ---- what a model tells ---- */

uint32_t afx_model_generalized_count(const AfxModel *model) {
    return model ? model->robot.count : 0;
}

AfxStatus afx_model_generalized(const AfxModel *model, uint32_t index, AfxGeneralized *out_generalized) {
    if (!model || !out_generalized || index >= model->robot.count) {
        return AFX_E_ARGUMENT;
    }
    *out_generalized = model->robot.generalized[index].shown;
    return AFX_OK;
}

uint32_t afx_model_qpos_count(const AfxModel *model) {
    return model ? model->robot.qpos_count : 0;
}

uint32_t afx_model_qvel_count(const AfxModel *model) {
    return model ? model->robot.qvel_count : 0;
}

uint32_t afx_model_control_count(const AfxModel *model) {
    return model ? model->robot.control_count : 0;
}

uint32_t afx_model_site_count(const AfxModel *model) {
    return model ? model->robot.site_count : 0;
}

uint32_t afx_model_keyframe_count(const AfxModel *model) {
    return model ? model->robot.keyframe_count : 0;
}

uint32_t afx_model_sensordata_count(const AfxModel *model) {
    return model ? model->robot.sensordata_count : 0;
}
