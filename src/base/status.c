/* SPDX-License-Identifier: Apache-2.0 */
/* The status table's names and texts, and errors with a place and a cure. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT(x) #x
#define VERSION_TEXT(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *afx_version(void) {
    return VERSION_TEXT(AFX_VERSION_MAJOR, AFX_VERSION_MINOR, AFX_VERSION_PATCH);
}

const char *afx_status_name(AfxStatus status) {
    switch (status) {
#define CASE(name, value, text) \
    case name:                  \
        return #name;
        AFX_STATUS_TABLE(CASE)
#undef CASE
    }
    return "AFX_UNKNOWN";
}

const char *afx_status_text(AfxStatus status) {
    switch (status) {
#define CASE(name, value, text) \
    case name:                  \
        return text;
        AFX_STATUS_TABLE(CASE)
#undef CASE
    }
    return "not a status of this library";
}

AfxStatus afxi_error(AfxError *out, AfxStatus status, const char *element, const char *text, const char *cure) {
    return afxi_error_at(out, status, text, cure, "%s", element);
}

AfxStatus afxi_error_at(AfxError *out, AfxStatus status, const char *text, const char *cure, const char *element_format,
                        ...) {
    if (!out) {
        return status;
    }
    memset(out, 0, sizeof *out);
    out->status = status;
    va_list arguments;
    va_start(arguments, element_format);
    vsnprintf(out->element, sizeof out->element, element_format, arguments);
    va_end(arguments);
    snprintf(out->text, sizeof out->text, "%s", text);
    snprintf(out->cure, sizeof out->cure, "%s", cure);
    return status;
}
