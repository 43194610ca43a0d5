/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

int main(void) {
    return run_state_tests() + run_model_tests() + run_solve_tests() + run_sparse_tests();
}
