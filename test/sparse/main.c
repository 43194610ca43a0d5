/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/sparse. */
#include "tests.h"

int main(void) {
    return run_order_tests() + run_symbolic_tests() + run_plan_tests() + run_factor_tests() + run_large_tests();
}
