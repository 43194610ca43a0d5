/* SPDX-License-Identifier: Apache-2.0 */
/* Filling an AfxError with printf. */
#ifndef AFXI_SWEEP_ERROR_H
#define AFXI_SWEEP_ERROR_H

#include "affix/base.h"

/** Writes an error (out may be NULL) and returns `status`; file and element may be NULL. */
AfxStatus afxi_sweep_error(AfxError *out, AfxStatus status, const char *file, const char *element, const char *cure,
                           const char *format, ...) __attribute__((format(printf, 6, 7)));
AfxStatus afxi_sweep_memory(AfxError *out);
/** AFX_E_SYSTEM with the text of errno. */
AfxStatus afxi_sweep_system(AfxError *out, const char *file, const char *what, int number);

#endif
