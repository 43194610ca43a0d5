/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of the command line's parts. */
#include "tests.h"

int main(void) {
    return run_json_tests() + run_samples_tests();
}
