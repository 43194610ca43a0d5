/* SPDX-License-Identifier: Apache-2.0 */
/* Typed values of a scene file, and errors that name the value by its path: bodies[3].shapes[0].radius. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/json.h"
#include "load/nearest.h"
#include "math/vec3.h"

/* ---- looking ---- */

const AfxiJsonNode *afxi_json_first(const AfxiJsonNode *parent) {
    return parent && parent->count ? parent + 1 : NULL;
}

const AfxiJsonNode *afxi_json_next(const AfxiJsonNode *parent, const AfxiJsonNode *child) {
    const AfxiJsonNode *next = child + child->size;
    return next < parent + parent->size ? next : NULL;
}

const AfxiJsonNode *afxi_json_get(const AfxiJsonNode *object, const char *key) {
    const AfxiJsonNode *child = object && json_is_object(object->value) ? afxi_json_first(object) : NULL;
    while (child && strcmp(child->key, key) != 0) {
        child = afxi_json_next(object, child);
    }
    return child;
}

/* ---- errors ---- */

/** Appends to out[size], whose beginning gives way to "..." when it is too long. */
static void append(char *out, size_t size, const char *text) {
    size_t used = strlen(out), length = strlen(text);
    if (length + 4 > size) {
        text += length + 4 - size;
        length = size - 4;
    }
    if (used + length + 1 > size) {
        size_t cut = used + length + 1 - size + 3;
        cut = cut < used ? cut : used;
        memmove(out, out + cut, used - cut + 1);
        memmove(out + 3, out, used - cut + 1);
        memset(out, '.', 3);
        used = used - cut + 3;
    }
    memcpy(out + used, text, length + 1);
}

/** The way from the top of the file to a value. */
static void path_of(const AfxiJsonFile *file, const AfxiJsonNode *node, char *out, size_t size) {
    const AfxiJsonNode *at = file->nodes;
    out[0] = '\0';
    while (at < node) {
        const AfxiJsonNode *child = afxi_json_first(at);
        uint32_t index = 0;
        while (node >= child + child->size) {
            child = afxi_json_next(at, child);
            index++;
        }
        char part[96];
        if (child->key) {
            snprintf(part, sizeof part, "%s%.80s", out[0] ? "." : "", child->key);
        } else {
            snprintf(part, sizeof part, "[%lu]", (unsigned long)index);
        }
        append(out, size, part);
        at = child;
    }
    if (!out[0]) {
        snprintf(out, size, "scene");
    }
}

bool afxi_json_error_as(const AfxiJsonFile *file, AfxStatus status, const AfxiJsonNode *node, const char *text,
                        const char *cure) {
    char element[sizeof file->load->error.element];
    path_of(file, node, element, sizeof element);
    return afxi_load_error(file->load, status, file->path, node->line, element, text, cure);
}

bool afxi_json_error(const AfxiJsonFile *file, const AfxiJsonNode *node, const char *text, const char *cure) {
    return afxi_json_error_as(file, AFX_E_INPUT, node, text, cure);
}

bool afxi_json_scene_error(const AfxiJsonFile *file, const AfxiJsonNode *node) {
    return afxi_load_scene_error(file->load, file->path, node->line);
}

bool afxi_json_notice(const AfxiJsonFile *file, const AfxiJsonNode *node, const char *text) {
    if (!afxi_load_telling(file->load)) {
        return true;
    }
    char element[sizeof file->load->error.element];
    path_of(file, node, element, sizeof element);
    return afxi_load_notice(file->load, AFX_NOTICE_IGNORED, file->path, node->line, element, text);
}

/* ---- keys ---- */

/** The number of `word` in a list of words; -1 when it is none. */
static int find_word(const char *words, const char *word) {
    size_t length = strlen(word);
    int index = 0;
    while (*words) {
        size_t this_one = strcspn(words, " ");
        if (this_one == length && memcmp(words, word, length) == 0) {
            return index;
        }
        words += this_one;
        words += *words == ' ';
        index++;
    }
    return -1;
}

/** "did you mean b? give one of: a, b, c", as many as fit. */
static void list_words(const char *words, const char *wrong, char *out, size_t size) {
    AfxiNearest nearest = {.word = wrong};
    afxi_nearest_try_list(&nearest, words);
    size_t used = nearest.best[0] ? (size_t)snprintf(out, size, "did you mean \"%s\"? ", nearest.best) : 0;
    used += (size_t)snprintf(out + used, size - used, "give one of:");
    while (*words) {
        size_t length = strcspn(words, " ");
        if (used + length + 7 > size) {
            snprintf(out + used, size - used, " ...");
            return;
        }
        used += (size_t)snprintf(out + used, size - used, " %.*s%s", (int)length, words, words[length] ? "," : "");
        words += length;
        words += *words == ' ';
    }
}

bool afxi_json_keys(const AfxiJsonFile *file, const AfxiJsonNode *node, const char *keys) {
    if (!json_is_object(node->value)) {
        return afxi_json_error(file, node, "this is not an object", "write {\"key\": value, ...} here");
    }
    for (const AfxiJsonNode *child = afxi_json_first(node); child; child = afxi_json_next(node, child)) {
        if (find_word(keys, child->key) < 0 && strcmp(child->key, "about") != 0) {
            char text[120], cure[sizeof file->load->error.cure];
            snprintf(text, sizeof text, "there is no key \"%.60s\" here", child->key);
            list_words(keys, child->key, cure, sizeof cure);
            return afxi_json_error(file, child, text, cure);
        }
    }
    return true;
}

bool afxi_json_need(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key,
                    const AfxiJsonNode **out_node) {
    *out_node = afxi_json_get(object, key);
    if (*out_node) {
        return true;
    }
    char text[96];
    snprintf(text, sizeof text, "the key \"%s\" is missing", key);
    return afxi_json_error(file, object, text, "add it");
}

bool afxi_json_array(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key,
                     const AfxiJsonNode **out_array) {
    const AfxiJsonNode *node = *out_array = afxi_json_get(object, key);
    return !node || json_is_array(node->value) || afxi_json_error(file, node, "this is not an array", "write [...]");
}

/* ---- values ---- */

bool afxi_json_number_at(const AfxiJsonFile *file, const AfxiJsonNode *node, double unit, double *out_value) {
    if (!json_is_number(node->value)) {
        return afxi_json_error(file, node, "this is not a number", "write a number, without quotation marks");
    }
    double value = json_number_value(node->value) * unit;
    if (!isfinite(value)) {
        return afxi_json_error(file, node, "this number is too large", "check the number and the units of the file");
    }
    *out_value = value;
    return true;
}

bool afxi_json_number(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key, double unit,
                      double *value) {
    const AfxiJsonNode *node = afxi_json_get(object, key);
    return !node || afxi_json_number_at(file, node, unit, value);
}

bool afxi_json_extended(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key, double unit,
                        double *value) {
    const AfxiJsonNode *node = afxi_json_get(object, key);
    if (node && json_is_string(node->value)) {
        if (find_word("infinite inf", json_string_value(node->value)) < 0) {
            return afxi_json_error(file, node, "this is neither a number nor \"infinite\"", "give one of these");
        }
        *value = INFINITY;
        return true;
    }
    return !node || afxi_json_number_at(file, node, unit, value);
}

bool afxi_json_whole_at(const AfxiJsonFile *file, const AfxiJsonNode *node, uint32_t most, uint32_t *out_value) {
    double value = -1;
    if (!afxi_json_number_at(file, node, 1, &value)) {
        return false;
    }
    if (!(value >= 0 && value <= most && value == floor(value))) {
        char text[96];
        snprintf(text, sizeof text, "this is not a whole number from 0 to %lu", (unsigned long)most);
        return afxi_json_error(file, node, text, "give one");
    }
    *out_value = (uint32_t)value;
    return true;
}

bool afxi_json_boolean(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key, bool *value) {
    const AfxiJsonNode *node = afxi_json_get(object, key);
    if (!node) {
        return true;
    }
    *value = json_is_true(node->value);
    return json_is_boolean(node->value) || afxi_json_error(file, node, "this is neither true nor false",
                                                           "write true or false, without quotation marks");
}

bool afxi_json_text_at(const AfxiJsonFile *file, const AfxiJsonNode *node, const char **out_text) {
    *out_text = json_string_value(node->value);
    return *out_text || afxi_json_error(file, node, "this is not a text", "write it in quotation marks");
}

bool afxi_json_text(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key, const char **text) {
    const AfxiJsonNode *node = afxi_json_get(object, key);
    return !node || afxi_json_text_at(file, node, text);
}

bool afxi_json_word(const AfxiJsonFile *file, const AfxiJsonNode *node, const char *words, uint32_t *out_index) {
    const char *word = NULL;
    if (!afxi_json_text_at(file, node, &word)) {
        return false;
    }
    int index = word[0] ? find_word(words, word) : -1;
    if (index < 0) {
        char text[120], cure[sizeof file->load->error.cure];
        snprintf(text, sizeof text, "\"%.60s\" is not possible here", word);
        list_words(words, word, cure, sizeof cure);
        return afxi_json_error(file, node, text, cure);
    }
    *out_index = (uint32_t)index;
    return true;
}

bool afxi_json_numbers_at(const AfxiJsonFile *file, const AfxiJsonNode *node, uint32_t count, double unit,
                          double *out_values) {
    if (!json_is_array(node->value) || node->count != count) {
        char text[96];
        snprintf(text, sizeof text, "this is not an array of %lu numbers", (unsigned long)count);
        return afxi_json_error(file, node, text, "write them as [1, 2, ...]");
    }
    bool fine = true;
    const AfxiJsonNode *child = afxi_json_first(node);
    for (uint32_t k = 0; k < count && fine; k++) {
        fine = afxi_json_number_at(file, child, unit, &out_values[k]);
        child = afxi_json_next(node, child);
    }
    return fine;
}

bool afxi_json_vec3_at(const AfxiJsonFile *file, const AfxiJsonNode *node, double unit, AfxVec3 *out_value) {
    double numbers[3] = {0, 0, 0};
    if (!afxi_json_numbers_at(file, node, 3, unit, numbers)) {
        return false;
    }
    *out_value = vec3_load(numbers);
    return true;
}

bool afxi_json_vec3(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key, double unit,
                    AfxVec3 *value) {
    const AfxiJsonNode *node = afxi_json_get(object, key);
    return !node || afxi_json_vec3_at(file, node, unit, value);
}
