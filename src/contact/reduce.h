/* SPDX-License-Identifier: Apache-2.0 */
/* Fewer points that hold as well. */
#ifndef AFXI_CONTACT_REDUCE_H
#define AFXI_CONTACT_REDUCE_H

#include "contact/inner.h"

/** Leaves at most `limit` of the points (AFXI_REDUCE_MAX at most), well spread, the deepest among them; returns how
 * many. */
uint32_t afxi_reduce(AfxiTouch *points, uint32_t count, uint32_t limit);

#endif
