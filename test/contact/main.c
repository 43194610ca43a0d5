/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/contact. */
#include "tests.h"

int main(void) {
    return run_pair_tests();
}
