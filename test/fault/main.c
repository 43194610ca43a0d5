/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of faults. */
#include "tests.h"

int main(void) {
    return run_memory_tests() + run_many_tests() + run_restore_tests() + run_foreign_tests() + run_misuse_tests();
}
