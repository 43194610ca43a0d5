/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of random mechanisms. */
#include "tests.h"

int main(void) {
    return run_mechanism_tests();
}
