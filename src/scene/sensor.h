/* SPDX-License-Identifier: Apache-2.0 */
/* Sensors of a scene. */
#ifndef AFXI_SCENE_SENSOR_H
#define AFXI_SCENE_SENSOR_H

#include "scene/scene.h"

/** What a kind is on: 's' a site, 'q' a generalised coordinate, 'u' a control, '-' nothing. */
char afxi_sensor_on(AfxSensorKind kind);
/** Frees them all, names included. */
void afxi_sensors_release(AfxScene *scene);

#endif
