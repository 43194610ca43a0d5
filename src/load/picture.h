/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures for textures: patterns as PNG files, and files as text (base64). */
#ifndef AFXI_LOAD_PICTURE_H
#define AFXI_LOAD_PICTURE_H

#include "affix/base.h"

typedef enum AfxiPattern {
    AFXI_PATTERN_CHECKER = 0, /* two by two fields */
    AFXI_PATTERN_GRADIENT,    /* from the first colour above to the second below */
    AFXI_PATTERN_FLAT         /* the first colour */
} AfxiPattern;

#define AFXI_PICTURE_EDGE 64 /* pixels */
/* Bytes of such a picture as a PNG file without compression: head, rows with a byte before each, end. */
#define AFXI_PICTURE_ROWS (AFXI_PICTURE_EDGE * (1 + 3 * AFXI_PICTURE_EDGE))
#define AFXI_PICTURE_SIZE (8 + 25 + 12 + 2 + 5 + AFXI_PICTURE_ROWS + 4 + 12)

/** A pattern of two colours (AFX_COLOR) as a PNG file. */
void afxi_picture_make(AfxiPattern pattern, uint32_t first, uint32_t second, unsigned char out[AFXI_PICTURE_SIZE]);

/** Bytes that `length` letters of base64 stand for, at most. */
size_t afxi_base64_room(size_t length);
/** What they stand for; false where they are none. */
bool afxi_base64_decode(const char *text, size_t length, unsigned char *out, size_t *out_size);
/** Four letters for up to three bytes. */
void afxi_base64_letters(const unsigned char *bytes, size_t count, char out[5]);

#endif
