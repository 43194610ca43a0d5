/* SPDX-License-Identifier: Apache-2.0 */
/* Doubles as text that reads back as the same double. */
#ifndef AFXI_SWEEP_NUMBER_H
#define AFXI_SWEEP_NUMBER_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AFXI_NUMBER_TEXT 40

/** So many digits where they read back as the same double, else 17; "nan", "inf", "-inf". Returns its length. The text
 * has room for one character more. Trying fewer than 17 takes three times as long. */
static inline size_t afxi_number_print(double value, int digits, char out_text[AFXI_NUMBER_TEXT]) {
    if (!isfinite(value)) {
        return (size_t)snprintf(out_text, AFXI_NUMBER_TEXT, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    }
    int length = snprintf(out_text, AFXI_NUMBER_TEXT, "%.*g", digits, value);
    if (digits < 17 && strtod(out_text, NULL) != value) {
        length = snprintf(out_text, AFXI_NUMBER_TEXT, "%.17g", value);
    }
    return (size_t)length;
}

#endif
