/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of JSON. */
#include "out/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void afxi_text_raw(AfxiBytes *bytes, const char *text) {
    afxi_bytes_add(bytes, text, strlen(text));
}

void afxi_text_print(AfxiBytes *bytes, const char *format, ...) {
    char text[201];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    afxi_text_raw(bytes, text);
}

/* Bytes of the UTF-8 sequence at `at`, or 0 when it is none. Overlong forms and surrogates are none. */
static size_t sequence(const unsigned char *at) {
    static const struct {
        unsigned char mask, lead;
        unsigned least;
    } kinds[] = {{0x80, 0, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t k = 0; k < 4; k++) {
        if ((at[0] & kinds[k].mask) == kinds[k].lead) {
            unsigned code = at[0] & (unsigned char)~kinds[k].mask;
            for (size_t n = 1; n <= k; n++) {
                if ((at[n] & 0xc0) != 0x80) {
                    return 0;
                }
                code = code << 6 | (at[n] & 0x3fu);
            }
            bool fine = code >= kinds[k].least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
            return fine ? k + 1 : 0;
        }
    }
    return 0;
}

void afxi_text_string(AfxiBytes *bytes, const char *text) {
    const unsigned char *at = (const unsigned char *)(text ? text : "");
    afxi_text_raw(bytes, "\"");
    while (*at) {
        size_t size = sequence(at);
        if (size == 0) {
            afxi_text_raw(bytes, "?");
        } else if (*at < 0x20 || *at == '"' || *at == '\\' || *at == '<') { /* "</script" would end a page's data */
            afxi_text_print(bytes, "\\u%04x", *at);
        } else {
            afxi_bytes_add(bytes, at, size);
        }
        at += size ? size : 1;
    }
    afxi_text_raw(bytes, "\"");
}
