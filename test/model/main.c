/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/model. */
#include "tests.h"

int main(void) {
    return run_intern_tests() + run_graph_tests() + run_loop_tests() + run_chain_tests() + run_params_tests() +
           run_hash_tests() + run_contacts_tests();
}
