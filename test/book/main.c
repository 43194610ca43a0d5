/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of the energy book. */
#include "tests.h"

int main(void) {
    return run_interface_tests() + run_closed_tests();
}
