/* SPDX-License-Identifier: Apache-2.0 */
/* The word that somebody may have meant: of all that are tried, the one with the fewest slips (a letter too many, too
 * few, wrong, or two that changed places), when these are few for its length. */
#ifndef AFXI_LOAD_NEAREST_H
#define AFXI_LOAD_NEAREST_H

#include <stddef.h>
#include <stdint.h>

#define AFXI_NEAREST_SIZE 40 /* of a word with its zero; longer ones are neither looked for nor found */

typedef struct AfxiNearest {
    const char *word;             /* what was written */
    char best[AFXI_NEAREST_SIZE]; /* "" while nothing is near */
    uint32_t slips;
} AfxiNearest;

/** Tries one word of `length` bytes. */
void afxi_nearest_try(AfxiNearest *nearest, const char *word, size_t length);
/** Tries the words of a list "mass center inertia". */
void afxi_nearest_try_list(AfxiNearest *nearest, const char *words);

#endif
