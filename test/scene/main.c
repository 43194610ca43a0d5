/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/scene, and of signals. */
#include "tests.h"

int main(void) {
    return run_signal_tests() + run_body_tests() + run_body_check_tests() + run_name_tests() + run_shape_tests() +
           run_shape_check_tests() + run_texture_tests() + run_attach_tests() + run_frame_tests() + run_joint_tests() +
           run_drive_tests() + run_coupling_tests() + run_control_tests() + run_contact_tests() + run_shared_tests() +
           run_memory_tests();
}
