/* SPDX-License-Identifier: Apache-2.0 */
/* cli/plot.h: a curve in the terminal: braille dots where the locale is UTF-8, stars elsewhere. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include <stdint.h>
#include <stdio.h>

/** Draws the band low..high, [count] columns of equal width (low > high: no value there, the gap is bridged), over
 * 0..end seconds, symmetric about zero. */
void cli_plot(FILE *file, const double *low, const double *high, uint32_t count, double end);

#endif
