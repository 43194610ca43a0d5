/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/formulation. */
#include "tests.h"

int main(void) {
    return run_envelope_tests() + run_motion_tests() + run_failure_tests() + run_refusal_tests() + run_table_tests();
}
