/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/math. */
#include "tests.h"

int main(void) {
    return run_quat_tests() + run_polar_tests() + run_inertia_tests() + run_hull_tests();
}
