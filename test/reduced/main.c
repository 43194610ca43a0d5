/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/reduced. */
#include "tests.h"

int main(void) {
    return run_dynamics_tests() + run_queries_tests() + run_motion_tests() + run_forces_tests() +
           run_loops_queries_tests() + run_implicit_tests() + run_smooth_tests() + run_agree_tests() +
           run_islands_tests() + run_touch_tests() + run_lanes_tests() + run_hybrid_tests();
}
