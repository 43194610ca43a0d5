/* SPDX-License-Identifier: Apache-2.0 */
/* Names, ranges and values of a file's parameters in the form of a case. */
#include "sweep/file_case.h"

#include <stdio.h>
#include <stdlib.h>

_Static_assert(AFX_RUN_PARAMETERS <= AFXI_CASE_PARAMETER_LIMIT, "arguments of a case hold those of a file");

struct AfxiFileCase {
    AfxiCase head;
    AfxiCaseParameter parameters[AFX_RUN_PARAMETERS];
    AfxRunParameter from[AFX_RUN_PARAMETERS];
    char values[AFX_RUN_PARAMETERS][32];
    bool given[AFX_RUN_PARAMETERS];
};

AfxiFileCase *afxi_file_case_create(const AfxRunDef *run) {
    AfxiFileCase *file = calloc(1, sizeof *file);
    if (!file) {
        return NULL;
    }
    file->head = (AfxiCase){.name = "the scene file", .summary = "", .parameters = file->parameters};
    file->head.parameter_count = run->parameter_count;
    for (uint32_t k = 0; k < run->parameter_count; k++) {
        file->from[k] = run->parameters[k];
        snprintf(file->values[k], sizeof file->values[k], "%.17g", run->parameters[k].value);
        file->parameters[k] = (AfxiCaseParameter){.name = file->from[k].name,
                                                  .kind = AFXI_CASE_NUMBER,
                                                  .fallback = file->values[k],
                                                  .min = file->from[k].min,
                                                  .max = file->from[k].max,
                                                  .help = file->from[k].about};
    }
    return file;
}

void afxi_file_case_destroy(AfxiFileCase *file) {
    free(file);
}

const AfxiCase *afxi_file_case(const AfxiFileCase *file) {
    return &file->head;
}

void afxi_file_case_give(AfxiFileCase *file, size_t k) {
    file->given[k] = true;
}

AfxStatus afxi_file_case_load(const AfxiFileCase *file, const AfxiCaseArguments *arguments, const char *path,
                              const AfxLoadDef *load, AfxScene *scene, AfxError *out_error) {
    char texts[AFX_RUN_PARAMETERS][sizeof file->from[0].name + 32];
    const char *list[AFX_RUN_PARAMETERS];
    AfxLoadDef with = *load;
    for (uint32_t k = 0; file && k < file->head.parameter_count; k++) {
        if (file->given[k]) {
            snprintf(texts[k], sizeof texts[k], "%s=%.17g", file->from[k].name, arguments->values[k]);
            list[with.parameter_count++] = texts[k];
        }
    }
    with.parameters = list;
    return afx_scene_load(scene, path, &with, out_error);
}
