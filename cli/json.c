/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer (RFC 8259). */
#include "cli/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

CliJson cli_json_begin(FILE *file, uint32_t break_depth) {
    return (CliJson){.file = file, .break_depth = break_depth};
}

void cli_json_end(CliJson *json) {
    fputc('\n', json->file);
}

static void new_line(CliJson *json) {
    fputc('\n', json->file);
    for (uint32_t k = 0; k < json->depth; ++k) {
        fputs("  ", json->file);
    }
}

/* Length of the UTF-8 sequence at p, 0 when it is not one (overlong, surrogate, beyond U+10FFFF, cut short). */
static int sequence_length(const unsigned char *p) {
    int length = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
    for (int k = 1; k < length; ++k) {
        if ((p[k] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool outside = (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf4 && p[1] > 0x8f);
    return overlong || outside ? 0 : length;
}

static void write_text(FILE *file, const char *text) {
    fputc('"', file);
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        int length = sequence_length(p);
        if (length == 0) {
            fputs("\\ufffd", file);
            length = 1;
        } else if (*p == '"' || *p == '\\') {
            fprintf(file, "\\%c", *p);
        } else if (*p == '\n') {
            fputs("\\n", file);
        } else if (*p == '\t') {
            fputs("\\t", file);
        } else if (*p < 0x20) {
            fprintf(file, "\\u%04x", *p);
        } else {
            fwrite(p, 1, (size_t)length, file);
        }
        p += length;
    }
    fputc('"', file);
}

/* Comma, line break and key: everything before a value. */
static void before(CliJson *json, const char *key) {
    if (json->depth > 0) {
        bool *filled = &json->filled[json->depth - 1];
        if (*filled) {
            fputc(',', json->file);
        }
        if (json->depth <= json->break_depth) {
            new_line(json);
        } else if (*filled) {
            fputc(' ', json->file);
        }
        *filled = true;
    }
    if (key) {
        write_text(json->file, key);
        fputs(": ", json->file);
    }
}

static void open_container(CliJson *json, const char *key, char opener, char closer) {
    if (json->depth >= CLI_JSON_DEPTH) {
        abort();
    }
    before(json, key);
    fputc(opener, json->file);
    json->closers[json->depth] = closer;
    json->filled[json->depth] = false;
    ++json->depth;
}

void cli_json_object(CliJson *json, const char *key) {
    open_container(json, key, '{', '}');
}

void cli_json_array(CliJson *json, const char *key) {
    open_container(json, key, '[', ']');
}

void cli_json_close(CliJson *json) {
    bool broken = json->filled[json->depth - 1] && json->depth <= json->break_depth;
    --json->depth;
    if (broken) {
        new_line(json);
    }
    fputc(json->closers[json->depth], json->file);
}

void cli_json_number(CliJson *json, const char *key, double value) {
    char text[40] = "null";
    for (int digits = 15; isfinite(value) && digits <= 17; ++digits) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    before(json, key);
    fputs(text, json->file);
}

void cli_json_integer(CliJson *json, const char *key, uint64_t value) {
    before(json, key);
    fprintf(json->file, "%" PRIu64, value);
}

void cli_json_boolean(CliJson *json, const char *key, bool value) {
    before(json, key);
    fputs(value ? "true" : "false", json->file);
}

void cli_json_text(CliJson *json, const char *key, const char *text) {
    before(json, key);
    write_text(json->file, text);
}

void cli_json_numbers(CliJson *json, const char *key, const double *values, uint32_t count) {
    cli_json_array(json, key);
    for (uint32_t k = 0; k < count; ++k) {
        cli_json_number(json, NULL, values[k]);
    }
    cli_json_close(json);
}
