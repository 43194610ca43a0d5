/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sweep/error.h"

AfxStatus afxi_read_refuse(const AfxiReader *reader, const char *where, const char *cure, const char *format, ...) {
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return afxi_sweep_error(reader->error, AFX_E_INPUT, reader->study->path, where, cure, "%s", text);
}

AfxStatus afxi_read_members(const AfxiReader *reader, const json_t *object, const char *where,
                            const char *const *names) {
    const char *key;
    json_t *value;
    if (!json_is_object(object)) {
        return afxi_read_refuse(reader, where, "write { ... }", "must be an object");
    }
    json_object_foreach((json_t *)object, key, value) {
        bool known = false;
        char cure[160] = "there are ";
        for (uint32_t k = 0; names[k]; k++) {
            known |= strcmp(names[k], key) == 0;
            size_t used = strlen(cure);
            snprintf(cure + used, sizeof cure - used, "%s%s", k ? ", " : "", names[k]);
        }
        if (!known) {
            return afxi_read_refuse(reader, where, cure, "has no member \"%.80s\"", key);
        }
    }
    return AFX_OK;
}

static void join(const char *where, const char *name, char *out, size_t size) {
    snprintf(out, size, "%s%s%s", where, where[0] ? "." : "", name);
}

static bool number_of(const json_t *value, double *out_value) {
    if (json_is_string(value)) {
        const char *text = json_string_value(value);
        *out_value = INFINITY;
        return strcmp(text, "inf") == 0 || strcmp(text, "infinite") == 0;
    }
    *out_value = json_number_value(value);
    return json_is_number(value);
}

AfxStatus afxi_read_number(const AfxiReader *reader, const json_t *object, const char *where, const char *name,
                           double min, double max, double *out_value) {
    char path[120], cure[96];
    const json_t *value = json_object_get(object, name);
    double number;
    if (!value) {
        return AFX_OK;
    }
    join(where, name, path, sizeof path);
    if (!number_of(value, &number) || !(number >= min && number <= max)) {
        snprintf(cure, sizeof cure, "a number from %g to %g", min, max);
        return afxi_read_refuse(reader, path, cure, "is not a number that is allowed here");
    }
    *out_value = number;
    return AFX_OK;
}

AfxStatus afxi_read_count(const AfxiReader *reader, const json_t *object, const char *where, const char *name,
                          uint64_t min, uint64_t max, uint64_t *out_value) {
    double number = (double)*out_value;
    char path[120];
    AfxStatus status = afxi_read_number(reader, object, where, name, (double)min, (double)max, &number);
    if (status == AFX_OK && number != floor(number)) {
        join(where, name, path, sizeof path);
        return afxi_read_refuse(reader, path, "give a whole number", "is not a whole number");
    }
    *out_value = json_object_get(object, name) && status == AFX_OK ? (uint64_t)number : *out_value;
    return status;
}

AfxStatus afxi_read_flag(const AfxiReader *reader, const json_t *object, const char *where, const char *name,
                         bool *out_value) {
    const json_t *value = json_object_get(object, name);
    char path[120];
    if (value && !json_is_boolean(value)) {
        join(where, name, path, sizeof path);
        return afxi_read_refuse(reader, path, "", "must be true or false");
    }
    *out_value = value ? json_is_true(value) : *out_value;
    return AFX_OK;
}

AfxStatus afxi_read_choice(const AfxiReader *reader, const json_t *value, const char *where, const char *const *choices,
                           uint32_t *out_index) {
    char cure[160] = "there are ";
    for (uint32_t k = 0; value && choices[k]; k++) {
        if (json_is_string(value) && strcmp(json_string_value(value), choices[k]) == 0) {
            *out_index = k;
            return AFX_OK;
        }
        size_t used = strlen(cure);
        snprintf(cure + used, sizeof cure - used, "%s%s", k ? ", " : "", choices[k]);
    }
    return value ? afxi_read_refuse(reader, where, cure, "is none of those that there are") : AFX_OK;
}

AfxStatus afxi_read_copy(const AfxiReader *reader, const char *text, char **out_text) {
    *out_text = strdup(text);
    return *out_text ? AFX_OK : afxi_sweep_memory(reader->error);
}

AfxStatus afxi_read_text(const AfxiReader *reader, const json_t *value, const char *where, char **out_text) {
    if (!json_is_string(value) || json_string_length(value) == 0 ||
        json_string_length(value) != strlen(json_string_value(value))) {
        return afxi_read_refuse(reader, where, "write a text in quotes", "must be a text");
    }
    return afxi_read_copy(reader, json_string_value(value), out_text);
}
