/* SPDX-License-Identifier: Apache-2.0 */
/* Two convex shapes of any kind. */
#ifndef AFXI_CONTACT_CONVEX_H
#define AFXI_CONTACT_CONVEX_H

#include "contact/inner.h"

uint32_t afxi_touch_convex(const AfxiPlacedPair *pair, AfxiTouch out[AFXI_TOUCH_MAX]);
/** Any two convex shapes; distances above `reach` need not be known exactly. */
AfxiApart afxi_apart(const AfxiPlacedPair *pair, double reach);
/** The touch of two convex shapes whose cores are as `apart` says. */
uint32_t afxi_touch_apart(const AfxiPlacedPair *pair, const AfxiApart *apart, uint32_t limit,
                          AfxiTouch out[AFXI_TOUCH_MAX]);

#endif
