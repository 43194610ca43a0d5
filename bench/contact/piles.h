/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of scenes.h, measured. */
#ifndef BENCH_CONTACT_PILES_H
#define BENCH_CONTACT_PILES_H

#include <stdbool.h>
#include <stdio.h>

/** A Markdown table of the one named `only` (NULL: all but the long ones); 0, or 1 when one failed. */
int bench_piles(const char *only, bool rigid, FILE *const out[2]);

#endif
