/* SPDX-License-Identifier: Apache-2.0 */
#include "load/point.h"

#include <locale.h>
#include <string.h>

void afxi_decimal_point(char *text) {
    const char *mark = localeconv()->decimal_point;
    char *found = mark && mark[0] && strcmp(mark, ".") != 0 ? strstr(text, mark) : NULL;
    if (found) {
        *found = '.';
        memmove(found + 1, found + strlen(mark), strlen(found + strlen(mark)) + 1);
    }
}
