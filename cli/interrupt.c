/* SPDX-License-Identifier: Apache-2.0 */
/* Signals are held back and looked for, so that no handler and nothing global is needed. */
#include "cli/interrupt.h"

#include "cli/cli.h"

#define INTERVAL 0.02 /* s */

CliInterrupt cli_interrupt_begin(bool active) {
    static const int signals[] = {SIGINT, SIGTERM};
    CliInterrupt interrupt = {.active = active};
    sigemptyset(&interrupt.held);
    for (size_t k = 0; k < sizeof(signals) / sizeof(signals[0]); ++k) {
        struct sigaction action;
        if (sigaction(signals[k], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            sigaddset(&interrupt.held, signals[k]);
        }
    }
    interrupt.active = active && sigprocmask(SIG_BLOCK, &interrupt.held, &interrupt.before) == 0;
    return interrupt;
}

bool cli_interrupt_seen(CliInterrupt *interrupt, double now) {
    sigset_t pending;
    if (!interrupt->active || now < interrupt->next || sigpending(&pending) != 0) {
        return false;
    }
    interrupt->next = now + INTERVAL;
    return (sigismember(&pending, SIGINT) == 1 && sigismember(&interrupt->held, SIGINT) == 1) ||
           (sigismember(&pending, SIGTERM) == 1 && sigismember(&interrupt->held, SIGTERM) == 1);
}

void cli_interrupt_end(CliInterrupt *interrupt) {
    if (interrupt->active) {
        sigprocmask(SIG_SETMASK, &interrupt->before, NULL);
        interrupt->active = false;
    }
}
