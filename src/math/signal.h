/* SPDX-License-Identifier: Apache-2.0 */
/* Checking and storing a signal; afx_signal_evaluate itself is public. */
#ifndef AFXI_MATH_SIGNAL_H
#define AFXI_MATH_SIGNAL_H

#include "affix/scene.h"

/** What is wrong with a signal, in plain words ("its times do not rise"), or NULL. Reads the whole table. */
const char *afxi_signal_fault(const AfxSignal *signal);
/** Moves a signal's table to *samples, which moves on; other kinds have none. */
void afxi_signal_copy_table(AfxSignal *signal, double **samples);

#endif
