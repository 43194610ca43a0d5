/* SPDX-License-Identifier: Apache-2.0 */
/* A scene file that has parameters, as a case: sweeps vary both alike. */
#ifndef AFXI_SWEEP_FILE_CASE_H
#define AFXI_SWEEP_FILE_CASE_H

#include "affix/io.h"
#include "cases/cases.h"

typedef struct AfxiFileCase AfxiFileCase;

/** The parameters of a file, `run` being what loading it gave. NULL when there is no memory. */
AfxiFileCase *afxi_file_case_create(const AfxRunDef *run);
void afxi_file_case_destroy(AfxiFileCase *file);
/** As a case; it has no function that builds it. */
const AfxiCase *afxi_file_case(const AfxiFileCase *file);
/** Parameter k is given, by the study or a run. The others are as the file has them, which may follow from those that
 * are given. */
void afxi_file_case_give(AfxiFileCase *file, size_t k);

/** Loads the file with these values. */
AfxStatus afxi_file_case_load(const AfxiFileCase *file, const AfxiCaseArguments *arguments, const char *path,
                              const AfxLoadDef *load, AfxScene *scene, AfxError *out_error);

#endif
