/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of the trace of a step, through the public API only. */
#include "tests.h"

int main(void) {
    return run_event_tests() + run_ring_tests();
}
