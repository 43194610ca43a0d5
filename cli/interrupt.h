/* SPDX-License-Identifier: Apache-2.0 */
/* cli/interrupt.h: Ctrl-C and kill, held back while a run has files open: it ends after the step that it is in. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

typedef struct CliInterrupt {
    bool active;
    sigset_t held;   /* SIGINT and SIGTERM, where they are not ignored */
    sigset_t before; /* what was held back before */
    double next;     /* cli_clock time to look again */
} CliInterrupt;

/** Holds the signals back, when `active`. Call it before threads are made: they inherit it. */
CliInterrupt cli_interrupt_begin(bool active);
/** Whether one has come; looks at most every 20 ms. */
bool cli_interrupt_seen(CliInterrupt *interrupt, double now);
/** Lets them through: a signal that has come ends the program here, as if it had not been held back. */
void cli_interrupt_end(CliInterrupt *interrupt);

#endif
