/* SPDX-License-Identifier: Apache-2.0 */
/* cli/samples.h: the median of many numbers from a bounded memory: all of them while they fit, afterwards a uniform
 * random choice among them (reservoir sampling, Vitter's algorithm R). */
#ifndef CLI_SAMPLES_H
#define CLI_SAMPLES_H

#include "cases/random.h"

typedef struct CliSamples {
    double *values; /* [capacity] */
    uint32_t capacity;
    uint64_t seen;
    AfxiCaseRandom random;
} CliSamples;

/** Room for `expected` numbers, but not for very many; false when there is no memory. */
bool cli_samples_create(CliSamples *out_samples, uint64_t expected);
void cli_samples_destroy(CliSamples *samples);
void cli_samples_add(CliSamples *samples, double value);
/** The median; NaN when there is nothing. Sorts the values: call it at the end. */
double cli_samples_median(CliSamples *samples);

#endif
