/* SPDX-License-Identifier: Apache-2.0 */
/* cli/json.h: a small JSON writer. Keys come out in the order of the calls; commas and line breaks are its own
 * business. `key` is NULL for the items of an array and for the value at the top. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CLI_JSON_DEPTH 16

typedef struct CliJson {
    FILE *file;
    uint32_t break_depth;         /* containers up to this depth have a line for each member */
    uint32_t depth;               /* of open containers */
    char closers[CLI_JSON_DEPTH]; /* '}' or ']' of each */
    bool filled[CLI_JSON_DEPTH];  /* has members already */
} CliJson;

CliJson cli_json_begin(FILE *file, uint32_t break_depth);
/** Ends the line; every container must be closed. */
void cli_json_end(CliJson *json);

void cli_json_object(CliJson *json, const char *key);
void cli_json_array(CliJson *json, const char *key);
/** Closes the container opened last. */
void cli_json_close(CliJson *json);

/** Reads back as the same double (at most 17 digits); null when not finite. */
void cli_json_number(CliJson *json, const char *key, double value);
void cli_json_integer(CliJson *json, const char *key, uint64_t value);
void cli_json_boolean(CliJson *json, const char *key, bool value);
/** Bytes that are not UTF-8 become U+FFFD. */
void cli_json_text(CliJson *json, const char *key, const char *text);
/** [x, y, ...] */
void cli_json_numbers(CliJson *json, const char *key, const double *values, uint32_t count);

#endif
