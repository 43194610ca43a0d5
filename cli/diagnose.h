/* SPDX-License-Identifier: Apache-2.0 */
/* cli/diagnose.h: why a step failed. The report of the step tells what did not work; from the state before it, which is
 * kept, this finds out why, and whether what one would try first helps. */
#ifndef CLI_DIAGNOSE_H
#define CLI_DIAGNOSE_H

#include "cli/simulate.h"

typedef struct CliDiagnosis {
    char element[160]; /* body "wheel", joint "hinge", or what else it is about */
    char text[240];
    char cure[200];
} CliDiagnosis;

/** Of a run whose last step failed. Tries things out on the sim, whose state is another afterwards. */
void cli_diagnose(CliRun *run, CliDiagnosis *out_diagnosis);

#endif
