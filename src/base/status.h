/* SPDX-License-Identifier: Apache-2.0 */
/* Filling an AfxError in one line, and the cookie that tells a default-made definition. */
#ifndef AFXI_BASE_STATUS_H
#define AFXI_BASE_STATUS_H

#include "affix/base.h"

/* Definitions carry this in `cookie`: magic and layout version. */
#define AFXI_COOKIE 0x41465831u

/** Writes an error (out may be NULL) and returns `status`. element, text and cure are cut to fit. */
AfxStatus afxi_error(AfxError *out, AfxStatus status, const char *element, const char *text, const char *cure);
/** The same with a printf-style element, for names and numbers. */
AfxStatus afxi_error_at(AfxError *out, AfxStatus status, const char *text, const char *cure, const char *element_format,
                        ...) __attribute__((format(printf, 5, 6)));

#endif
