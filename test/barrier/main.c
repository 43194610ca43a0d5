/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/barrier. */
#include "tests.h"

bool test_long(void) {
    return getenv("AFFIX_TEST_LONG") != NULL;
}

int main(void) {
    return run_geometry_tests() + run_ccd_tests() + run_gradient_tests() + run_rest_tests() + run_joint_tests() +
           run_bounce_tests() + run_handover_tests() + run_published_tests() + run_soup_tests() + run_refuse_tests();
}
