/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for formats that are not built in: weak, so that a loader of that format takes its place. */
#include "load/load.h"

static bool absent(AfxiLoad *load, const char *path, const char *format) {
    return afxi_load_error(load, AFX_E_INPUT, path, 1, format, "this format is not built in",
                           "convert it to scene JSON");
}

__attribute__((weak)) bool afxi_load_mjcf(AfxiLoad *load, const AfxiText *text, const char *path) {
    (void)text;
    return absent(load, path, "MJCF");
}
