/* SPDX-License-Identifier: Apache-2.0 */
/* A monotonic clock for stage times; nothing in a result ever depends on it. */
#ifndef AFXI_BASE_CLOCK_H
#define AFXI_BASE_CLOCK_H

/** Seconds since some fixed moment. */
double afxi_clock(void);

#endif
