/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/contact. */
#include "tests.h"

int main(void) {
    return run_closed_tests() + run_plane_tests() + run_pair_tests() + run_motion_tests() + run_robust_tests() +
           run_hull_mesh_tests() + run_mesh_tests() + run_sweep_tests();
}
