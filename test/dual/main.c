/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/dual. */
#include "tests.h"

int main(void) {
    return run_inverse_tests() + run_rank_tests() + run_solve_tests() + run_sim_tests() + run_recursion_tests() +
           run_update_tests();
}
