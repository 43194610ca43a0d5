/* SPDX-License-Identifier: Apache-2.0 */
/* A plane against everything. */
#ifndef AFXI_CONTACT_PLANE_H
#define AFXI_CONTACT_PLANE_H

#include "contact/inner.h"

uint32_t afxi_touch_plane(const AfxiPlacedPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]);

#endif
