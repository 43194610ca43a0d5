/* SPDX-License-Identifier: Apache-2.0 */
/* Readings of sensors of limits, of places between frames, and of distances between shapes. */
#ifndef AFXI_STEP_SENSOR_MORE_H
#define AFXI_STEP_SENSOR_MORE_H

#include "contact/geometry.h"
#include "step/sim.h"

/** The zone of a sensor as geometry of contact. */
AfxiGeometry afxi_sensor_zone(const AfxiSensor *sensor);
/** Whether a point, in the frame of the zone, is in it. */
bool afxi_sensor_zone_has(const AfxiSensor *sensor, AfxVec3 x);
/** AFX_SENSOR_JOINT_LIMIT_..., AFX_SENSOR_TENDON_LIMIT_... */
double afxi_sensor_limit(const AfxSim *sim, const AfxiSensor *sensor);
/** AFX_SENSOR_INSIDE, AFX_SENSOR_CAMERA_PROJECTION. */
void afxi_sensor_seen(const AfxSim *sim, const AfxiSensor *sensor, double *out);
/** AFX_SENSOR_DISTANCE, AFX_SENSOR_NORMAL, AFX_SENSOR_FROM_TO; shapes stand where afxi_eyes_open has put them. */
void afxi_sensor_apart(const AfxSim *sim, const AfxiSensor *sensor, double *out);

#endif
