/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/body that do not need a scene. */
#include "tests.h"

int main(void) {
    return run_blocks_tests() + run_constants_tests();
}
