/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a JSON file with checks: every error names the member by its path. */
#ifndef AFXI_SWEEP_READ_H
#define AFXI_SWEEP_READ_H

#include <jansson.h>

#include "sweep/study.h"

typedef struct AfxiReader {
    AfxiStudy *study;
    AfxError *error;
} AfxiReader;

/** Writes an error about a member and returns its status. */
AfxStatus afxi_read_refuse(const AfxiReader *reader, const char *where, const char *cure, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/** AFX_OK when `object` is one and has no members but these (names, then NULL). */
AfxStatus afxi_read_members(const AfxiReader *reader, const json_t *object, const char *where,
                            const char *const *names);
/** A number from min to max; texts "inf" and "infinite" count. Keeps *out_value when the member is missing. */
AfxStatus afxi_read_number(const AfxiReader *reader, const json_t *object, const char *where, const char *name,
                           double min, double max, double *out_value);
AfxStatus afxi_read_count(const AfxiReader *reader, const json_t *object, const char *where, const char *name,
                          uint64_t min, uint64_t max, uint64_t *out_value);
AfxStatus afxi_read_flag(const AfxiReader *reader, const json_t *object, const char *where, const char *name,
                         bool *out_value);
/** The index of a text in `choices` (names, then NULL); keeps *out_index when the member is missing. */
AfxStatus afxi_read_choice(const AfxiReader *reader, const json_t *value, const char *where, const char *const *choices,
                           uint32_t *out_index);
/** A copy of a text, or an error. */
AfxStatus afxi_read_text(const AfxiReader *reader, const json_t *value, const char *where, char **out_text);
/** strdup; the reader's error when there is no memory. */
AfxStatus afxi_read_copy(const AfxiReader *reader, const char *text, char **out_text);

AfxStatus afxi_read_scene(const AfxiReader *reader, const json_t *root, const char *override);
AfxStatus afxi_read_run(const AfxiReader *reader, const json_t *root);
AfxStatus afxi_read_vary(const AfxiReader *reader, const json_t *root);
AfxStatus afxi_read_design(const AfxiReader *reader, const json_t *root);
AfxStatus afxi_read_records(const AfxiReader *reader, const json_t *root);
AfxStatus afxi_read_objective(const AfxiReader *reader, const json_t *root);
AfxStatus afxi_read_optimiser(const AfxiReader *reader, const json_t *root);
/** Points of a table: columns by the names of what varies. */
AfxStatus afxi_read_table(const AfxiReader *reader, const char *path);

#endif
