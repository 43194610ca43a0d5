/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the physics tests of free bodies: the step, its inputs, state and queries, through the public API only. */
#include "tests.h"

int main(void) {
    return run_top_tests() + run_order_tests() + run_box_tests() + run_elastic_tests() + run_projectile_tests() +
           run_wrench_tests() + run_thin_tests() + run_robust_tests() + run_query_tests() + run_state_tests() +
           run_control_tests() + run_kinematic_tests() + run_snapshot_tests() + run_restart_tests() +
           run_determinism_tests() + run_memory_tests() + run_argument_tests() + run_param_tests() + run_chain_tests() +
           run_long_chain_tests() + run_chain_failure_tests() + run_hold_tests() + run_stiff_start_tests() +
           run_spin_tests();
}
