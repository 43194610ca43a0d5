/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of the oracle: its own gradients and sizes first, then the steps of every path against it. */
#include "tests.h"

int main(void) {
    return run_judge_tests() + run_gradient_tests() + run_balance_tests() + run_kind_tests() + run_law_tests() +
           run_contact_tests() + run_path_tests() + run_island_tests() + run_interface_tests() + run_filter_tests() +
           run_accuracy_tests() + run_arm_tests();
}
