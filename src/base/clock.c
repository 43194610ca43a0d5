/* SPDX-License-Identifier: Apache-2.0 */
/* The POSIX monotonic clock. */
#include "base/clock.h"

#include <time.h>

double afxi_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
