/* SPDX-License-Identifier: Apache-2.0 */
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

void afxi_assert_failed(const char *condition, const char *file, int line) {
    fprintf(stderr, "%s:%d: Affix is wrong, please report this: \"%s\" does not hold\n", file, line, condition);
    abort();
}
