/* SPDX-License-Identifier: Apache-2.0 */
/* The table of built-in cases and its look-up. */
#include "cases/cases.h"
#include "cases/text.h"

#include <string.h>

static const AfxiCase *const table[] = {
#define CASE_ADDRESS(name) &afxi_case_##name,
    AFXI_CASE_TABLE(CASE_ADDRESS)
#undef CASE_ADDRESS
};

uint32_t afxi_case_count(void) {
    return (uint32_t)(sizeof(table) / sizeof(table[0]));
}

const AfxiCase *afxi_case_at(uint32_t index) {
    return index < afxi_case_count() ? table[index] : NULL;
}

const AfxiCase *afxi_case_find(const char *name) {
    for (uint32_t k = 0; k < afxi_case_count(); ++k) {
        if (strcmp(table[k]->name, name) == 0) {
            return table[k];
        }
    }
    return NULL;
}

const char *afxi_case_nearest(const char *name) {
    AfxiCaseNearest nearest = {.word = name};
    for (uint32_t k = 0; k < afxi_case_count(); ++k) {
        afxi_case_nearest_try(&nearest, table[k]->name);
    }
    return nearest.best;
}

AfxStatus afxi_case_build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                          AfxError *out_error) {
    if (out_error) {
        *out_error = (AfxError){0};
    }
    *out_scene = NULL;
    return args->from->build(args, def, out_scene, out_error);
}
