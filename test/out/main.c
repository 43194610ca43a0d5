/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/out. */
#include "out/quiet.h"
#include "tests.h"

int main(void) {
    afxi_out_quiet();
    return run_file_tests() + run_column_tests() + run_probe_tests() + run_mesh_tests() + run_trajectory_tests() +
           run_table_tests() + run_gltf_tests() + run_vtk_tests() + run_replay_tests() + run_text_tests() +
           run_resume_tests() + run_snapshot_tests() + run_damage_tests() + run_torn_tests() + run_memory_tests() +
           run_live_tests();
}
