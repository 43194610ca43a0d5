/* SPDX-License-Identifier: Apache-2.0 */
/* Two boxes. */
#ifndef AFXI_CONTACT_BOX_H
#define AFXI_CONTACT_BOX_H

#include "contact/inner.h"

uint32_t afxi_touch_boxes(const AfxiPlacedPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]);

#endif
