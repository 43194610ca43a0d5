/* SPDX-License-Identifier: Apache-2.0 */
/* Readings of contact sensors. */
#ifndef AFXI_STEP_SENSOR_CONTACT_H
#define AFXI_STEP_SENSOR_CONTACT_H

#include "step/sim.h"

/** AFX_SENSOR_CONTACT: sensor->size numbers. */
void afxi_sensor_contact(const AfxSim *sim, const AfxiSensor *sensor, double *out);

#endif
