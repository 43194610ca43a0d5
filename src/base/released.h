/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that are used after they were destroyed. With assertions, afxi_release writes over the beginning of what it
 * gives back, so that a call with such a pointer is noticed where it comes in, and whatever it reaches points nowhere.
 */
#ifndef AFXI_BASE_RELEASED_H
#define AFXI_BASE_RELEASED_H

#include <string.h>

#include "base/assert.h"

#define AFXI_RELEASED_BYTE 0xDD
/* Bytes that are written over, and where they are looked for: what a free block holds of the C library's is before. */
#define AFXI_RELEASED_BYTES ((size_t)4096)
#define AFXI_RELEASED_AT 32

/** Whether an object, of at least 48 bytes, was given back. */
static inline int afxi_is_released(const void *object) {
    unsigned char mark[8];
    memset(mark, AFXI_RELEASED_BYTE, sizeof mark);
    return memcmp((const unsigned char *)object + AFXI_RELEASED_AT, mark, sizeof mark) == 0;
}

/** A caller's scene, model or sim, which is not NULL, has not been destroyed. */
#define AFXI_ASSERT_ALIVE(object) AFXI_ASSERT(!afxi_is_released(object))

#endif
