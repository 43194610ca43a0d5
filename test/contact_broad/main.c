/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of the broad phase of contact and of the points that last. */
#include "tests.h"

int main(void) {
    return run_clusters_tests() + run_pairs_tests() + run_worst_tests() + run_memory_tests();
}
