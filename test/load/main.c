/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/load. */
#include "tests.h"

int main(void) {
    int failed = 0;
    failed += run_limits_file_tests();
    failed += run_save_tests();
    failed += run_run_file_tests();
    failed += run_json_value_tests();
    failed += run_json_error_tests();
    failed += run_json_group_tests();
    failed += run_limits_json_tests();
    failed += run_hostile_tests();
    failed += run_memory_tests();
    failed += run_corpus_tests();
    failed += run_mesh_file_tests();
    failed += run_contact_file_tests() + run_urdf_tests();
    failed += run_urdf_faults_tests();
    failed += run_urdf_robots_tests();
    failed += run_sdf_tests();
    failed += run_mjcf_tests();
    failed += run_mjcf_joint_tests();
    failed += run_mjcf_act_tests();
    failed += run_mjcf_file_tests();
    failed += run_mjcf_faults_tests();
    failed += run_mjcf_mujoco_tests();
    failed += run_mjcf_motion_tests();
    failed += run_mjcf_robots_tests();
    return failed;
}
