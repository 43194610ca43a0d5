/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes and height fields. */
#ifndef AFXI_CONTACT_MESH_H
#define AFXI_CONTACT_MESH_H

#include "contact/inner.h"

uint32_t afxi_touch_mesh(const AfxiPlacedPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]);
uint32_t afxi_touch_meshes(const AfxiPlacedPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]);

#endif
