/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of cases/. */
#include "tests.h"

int main(void) {
    return run_text_tests() + run_random_tests() + run_argument_tests() + run_build_tests() + run_known_tests() +
           run_joint_tests() + run_linkage_tests() + run_tied_tests() + run_scale_tests() + run_tree_tests() +
           run_runs_tests() + run_touch_tests() + run_drape_tests() + run_crowd_tests() + run_robots_tests() +
           run_apart_tests() + run_truth_tests();
}
