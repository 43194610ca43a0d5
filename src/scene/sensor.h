/* SPDX-License-Identifier: Apache-2.0 */
/* Sensors of a scene. */
#ifndef AFXI_SCENE_SENSOR_H
#define AFXI_SCENE_SENSOR_H

#include "scene/scene.h"

/** What a kind is on: 's' a site, 'q' a generalised coordinate, 'u' a control, '-' nothing. */
char afxi_sensor_on(AfxSensorKind kind);
/** Numbers of a sensor; data, slots and reduce count for AFX_SENSOR_CONTACT. */
uint32_t afxi_sensor_numbers(AfxSensorKind kind, uint32_t data, uint32_t slots, uint32_t reduce);
/** Whether a zone (1 + AfxShapeKind) is of a kind that a zone can have. */
bool afxi_zone_has_kind(uint32_t zone);
/** Frees them all, names included. */
void afxi_sensors_release(AfxScene *scene);

#endif
