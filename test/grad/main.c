/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of gradients. */
#include "tests.h"

int main(void) {
    return run_grad_tape_tests() + run_grad_case_tests() + run_grad_kind_tests() + run_grad_input_tests() +
           run_grad_truth_tests() + run_grad_api_tests() + run_grad_touch_tests() + run_grad_jump_tests() +
           run_grad_weight_tests() + run_grad_replay_tests() + run_grad_frame_tests();
}
