/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of src/view that need no browser; page.mjs has the others. */
#include "tests.h"

int main(void) {
    return run_message_tests() + run_hand_tests() + run_frame_tests() + run_host_tests();
}
