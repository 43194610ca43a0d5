/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of bench_papers share. */
#ifndef BENCH_PAPERS_PAPERS_H
#define BENCH_PAPERS_PAPERS_H

#include "affix/affix.h"

/** Ends the program with a message unless the status is AFX_OK. */
void papers_check(AfxStatus status, const char *what);
/** Processor time of this thread, s. */
double papers_seconds(void);
/** The scene of a case from `count` arguments. The caller destroys it. */
AfxScene *papers_scene(const char *name, int count, char **texts);

/** single [STEPS [ROUNDS]]: time of so many steps of one free body by every method, as JSON. */
int papers_single(int count, char **words);
/** series METHOD DT TIME SAMPLES CASE [name=value ...]: energy, momentum and place of a case's first body over time. */
int papers_series(int count, char **words);
/** steps FORMULATION DT STEPS LIMIT CASE [name=value ...]: time per step, until LIMIT seconds have gone. */
int papers_steps(int count, char **words);
/** spin: a pendulum without gravity after 1 and 10 steps, for turns of up to 2 rad in a step. */
int papers_spin(void);

/** redmax DT STEPS LIMIT CASE [name=value ...]: RedMax's own solver on a case: time, iterations, violation. */
int papers_redmax(int count, char **words);

#endif
