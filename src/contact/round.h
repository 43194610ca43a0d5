/* SPDX-License-Identifier: Apache-2.0 */
/* Spheres and capsules against simple shapes. */
#ifndef AFXI_CONTACT_ROUND_H
#define AFXI_CONTACT_ROUND_H

#include "contact/inner.h"

uint32_t afxi_touch_sphere(const AfxiPlacedPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]);
uint32_t afxi_touch_capsule(const AfxiPlacedPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]);

#endif
