/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/base. */
#include "tests.h"

int main(void) {
    return run_memory_tests() + run_hash_tests() + run_intern_tests() + run_status_tests() + run_task_tests() +
           run_assert_tests();
}
