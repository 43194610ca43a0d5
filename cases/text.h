/* SPDX-License-Identifier: Apache-2.0 */
/* cases/text.h: numbers out of text, the name that was perhaps meant, and errors in one call. */
#ifndef AFXI_CASES_TEXT_H
#define AFXI_CASES_TEXT_H

#include "affix/base.h"

/** Reads the whole of `text` as a number: decimal or hexadecimal, or "inf" with a sign. False for anything else:
 * empty text, blanks, NaN, what a double cannot hold. */
bool afxi_case_number(const char *text, double *out_value);

/** Search for the candidate that is fewest edits away from a word. Start with the word set and the rest zero. */
typedef struct AfxiCaseNearest {
    const char *word;
    const char *best; /* NULL while no candidate is near enough to be worth a question */
    uint32_t distance;
} AfxiCaseNearest;

void afxi_case_nearest_try(AfxiCaseNearest *nearest, const char *candidate);

/** Fills *out_error (may be NULL) and returns `status`; cure may be NULL. text is printf-style. */
AfxStatus afxi_case_error(AfxError *out_error, AfxStatus status, const char *element, const char *cure,
                          const char *text, ...) __attribute__((format(printf, 5, 6)));

#endif
