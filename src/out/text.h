/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as growing bytes: pieces are added as they come, and nothing is kept but the text. */
#ifndef AFXI_OUT_TEXT_H
#define AFXI_OUT_TEXT_H

#include "out/bytes.h"

/** A text as it is. */
void afxi_text_raw(AfxiBytes *bytes, const char *text);
/** As printf does; at most 200 characters. */
void afxi_text_print(AfxiBytes *bytes, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** A text in quotes (NULL: an empty one), with what has to be escaped; bytes that are no UTF-8 become question marks.
 */
void afxi_text_string(AfxiBytes *bytes, const char *text);

#endif
