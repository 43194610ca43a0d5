/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of contact in the step: closed forms of statics and friction, through the public API only. */
#include "tests.h"

int main(void) {
    return run_slope_tests() + run_rest_tests() + run_friction_tests() + run_momentum_tests() + run_impact_tests() +
           run_soft_tests() + run_filter_tests() + run_same_tests() + run_overlap_tests() + run_hold_tests() +
           run_memory_tests() + run_hub_tests() + run_sweep_tests() + run_wall_tests() + run_sleep_tests() +
           run_compliant_tests() + run_creep_tests();
}
