/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of joints: their rows, and the motion and the forces that follow from them. */
#include "tests.h"

int main(void) {
    return run_rows_tests() + run_axis_tests() + run_arms_tests() + run_groups_tests() + run_velocity_tests() +
           run_adams_tests() + run_pendulum_tests() + run_top_tests() + run_motion_tests() + run_statics_tests() +
           run_load_tests() + run_solves_tests() + run_residual_tests() + run_loops_tests() + run_chain_tests() +
           run_drive_position_tests() + run_target_tests() + run_drive_velocity_tests() + run_drive_force_tests() +
           run_drive_servo_tests() + run_drive_motors_tests() + run_limit_tests() + run_hand_tests() +
           run_swing_tests() + run_friction_tests() + run_crowded_tests() + run_flywheel_tests() + run_spring_tests() +
           run_coupling_tests() + run_assemble_tests() + run_start_tests() + run_mobility_tests() + run_break_tests() +
           run_paths_tests() + run_structure_tests() + run_turn_tests() + run_table_tests();
}
