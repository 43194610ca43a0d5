/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The end of a long path tells more than its beginning. */
static void put_file(char *out, size_t size, const char *file) {
    size_t length = file ? strlen(file) : 0;
    if (length >= size) {
        snprintf(out, size, "...%s", file + length - (size - 4));
    } else {
        snprintf(out, size, "%s", file ? file : "");
    }
}

AfxStatus afxi_sweep_error(AfxError *out, AfxStatus status, const char *file, const char *element, const char *cure,
                           const char *format, ...) {
    if (out) {
        va_list arguments;
        memset(out, 0, sizeof *out);
        out->status = status;
        put_file(out->file, sizeof out->file, file);
        snprintf(out->element, sizeof out->element, "%s", element ? element : "");
        snprintf(out->cure, sizeof out->cure, "%s", cure ? cure : "");
        va_start(arguments, format);
        vsnprintf(out->text, sizeof out->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

AfxStatus afxi_sweep_memory(AfxError *out) {
    return afxi_sweep_error(out, AFX_E_MEMORY, NULL, "sweep", "use fewer runs, records or workers", "%s",
                            afx_status_text(AFX_E_MEMORY));
}

AfxStatus afxi_sweep_system(AfxError *out, const char *file, const char *what, int number) {
    return afxi_sweep_error(out, AFX_E_SYSTEM, file, NULL, "", "%s: %s", what, strerror(number));
}
