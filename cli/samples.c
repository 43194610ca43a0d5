/* SPDX-License-Identifier: Apache-2.0 */
/* Reservoir and median. */
#include "cli/samples.h"

#include <math.h>
#include <stdlib.h>

#define CAPACITY 65536u

bool cli_samples_create(CliSamples *out_samples, uint64_t expected) {
    uint32_t capacity = expected < CAPACITY ? (uint32_t)expected : CAPACITY;
    capacity = capacity ? capacity : 1;
    *out_samples = (CliSamples){.values = malloc(capacity * sizeof(double)), .capacity = capacity, .random = {1}};
    return out_samples->values != NULL;
}

void cli_samples_destroy(CliSamples *samples) {
    free(samples->values);
    *samples = (CliSamples){0};
}

void cli_samples_add(CliSamples *samples, double value) {
    uint64_t k = samples->seen++;
    if (k >= samples->capacity) {
        k = afxi_case_random_bits(&samples->random) % samples->seen;
    }
    if (k < samples->capacity) {
        samples->values[k] = value;
    }
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double cli_samples_median(CliSamples *samples) {
    size_t count = samples->seen < samples->capacity ? (size_t)samples->seen : samples->capacity;
    if (count == 0) {
        return NAN;
    }
    qsort(samples->values, count, sizeof(double), compare);
    return 0.5 * (samples->values[(count - 1) / 2] + samples->values[count / 2]);
}
