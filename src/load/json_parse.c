/* SPDX-License-Identifier: Apache-2.0 */
/* From text to values with lines. Jansson parses and checks the text, but tells lines of errors only; so a scan of our
 * own goes first, which notes the line where each value begins and what the values will take, and is then laid beside
 * jansson's tree: both have the values in the order of the text. What the scan makes of a text that is no JSON does not
 * matter: jansson refuses it. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "load/json.h"
#include "scene/name.h"

/* Memory that jansson and the nodes take for a value, in bytes, generously. */
enum { COST_OBJECT = 320, COST_ARRAY = 192, COST_KEY = 128, COST_OTHER = 96 };
/* The values of a file may take so many times as much as all files may have bytes, and a little more for small ones. */
#define COST_FACTOR 16u
#define COST_FREE (1024u * 1024u)

typedef struct Scan {
    const char *p, *end;
    int line;
    uint32_t depth;
    uint64_t cost;
    uint32_t *lines; /* [count] of the values */
    uint32_t count, capacity;
} Scan;

static bool limit_error(const AfxiJsonFile *file, int line, const char *text, const char *cure) {
    return afxi_load_error(file->load, AFX_E_LIMIT, file->path, line, "file", text, cure);
}

static bool add_value(const AfxiJsonFile *file, Scan *scan, int line, uint64_t cost) {
    scan->cost += cost;
    bool large = scan->cost > COST_FREE && (scan->cost - COST_FREE) / COST_FACTOR > file->load->def->bytes_most;
    if (large || scan->count == UINT32_MAX) {
        return limit_error(file, line, "its values take too much memory", "raise AfxLoadDef.bytes_most if it is meant");
    }
    void *lines = scan->lines;
    AfxStatus status =
        afxi_array_reserve(&file->load->allocator, &lines, &scan->capacity, scan->count + 1, sizeof *scan->lines);
    scan->lines = lines;
    if (status) {
        return afxi_load_memory_error(file->load, file->path, line);
    }
    scan->lines[scan->count++] = (uint32_t)line;
    return true;
}

static void skip_blank(Scan *scan) {
    while (scan->p < scan->end && strchr(" \t\r\n", *scan->p) && *scan->p) {
        scan->line += *scan->p++ == '\n';
    }
}

/** A text: a value, unless a colon makes it a key. */
static bool scan_text(const AfxiJsonFile *file, Scan *scan) {
    const char *begin = scan->p++;
    int line = scan->line;
    while (scan->p < scan->end && *scan->p != '"') {
        scan->line += *scan->p == '\n';
        scan->p += *scan->p == '\\' && scan->end - scan->p > 1 ? 2 : 1;
    }
    scan->p += scan->p < scan->end;
    uint64_t length = (uint64_t)(scan->p - begin);
    skip_blank(scan);
    if (scan->p < scan->end && *scan->p == ':') {
        scan->p++;
        scan->cost += COST_KEY + length;
        return true;
    }
    return add_value(file, scan, line, COST_OTHER + length);
}

static bool scan_open(const AfxiJsonFile *file, Scan *scan) {
    if (++scan->depth > file->load->def->depth_most) {
        return limit_error(file, scan->line, "its values are nested too deep",
                           "raise AfxLoadDef.depth_most if it is meant");
    }
    return add_value(file, scan, scan->line, *scan->p++ == '{' ? COST_OBJECT : COST_ARRAY);
}

static bool ends_word(char c) {
    return c != '\0' && strchr(" \t\r\n,:\"[]{}", c);
}

/** A number or a bare word. */
static bool scan_word(const AfxiJsonFile *file, Scan *scan) {
    while (scan->p < scan->end && !ends_word(*scan->p)) {
        scan->p++;
    }
    return add_value(file, scan, scan->line, COST_OTHER);
}

static bool scan_all(const AfxiJsonFile *file, Scan *scan) {
    bool fine = true;
    while (fine) {
        skip_blank(scan);
        if (scan->p >= scan->end) {
            return true;
        }
        switch (*scan->p) {
        case '"':
            fine = scan_text(file, scan);
            break;
        case '{':
        case '[':
            fine = scan_open(file, scan);
            break;
        case '}':
        case ']':
            scan->depth -= scan->depth > 0;
            scan->p++;
            break;
        case ',':
        case ':':
            scan->p++;
            break;
        default:
            fine = scan_word(file, scan);
        }
    }
    return false;
}

/** Enters a value and those in it. The nodes are as many as the lines. */
static void enter(AfxiJsonFile *file, const Scan *scan, const char *key, json_t *value) {
    uint32_t self = file->node_count++;
    AfxiJsonNode *node = file->nodes + self;
    *node = (AfxiJsonNode){.key = key, .value = value, .line = (int)scan->lines[self]};
    if (json_is_object(value)) {
        node->count = (uint32_t)json_object_size(value);
        for (void *k = json_object_iter(value); k; k = json_object_iter_next(value, k)) {
            enter(file, scan, json_object_iter_key(k), json_object_iter_value(k));
        }
    } else if (json_is_array(value)) {
        node->count = (uint32_t)json_array_size(value);
        for (uint32_t k = 0; k < node->count; k++) {
            enter(file, scan, NULL, json_array_get(value, k));
        }
    }
    node->size = file->node_count - self;
}

/** Values in a tree. */
static uint64_t count_values(json_t *value) {
    uint64_t count = 1;
    if (json_is_object(value)) {
        for (void *k = json_object_iter(value); k; k = json_object_iter_next(value, k)) {
            count += count_values(json_object_iter_value(k));
        }
    } else if (json_is_array(value)) {
        for (size_t k = 0; k < json_array_size(value); k++) {
            count += count_values(json_array_get(value, k));
        }
    }
    return count;
}

static bool parse_error(const AfxiJsonFile *file, const json_error_t *error) {
    if (json_error_code(error) == json_error_out_of_memory || !error->text[0]) { /* it says nothing of some of these */
        return afxi_load_memory_error(file->load, file->path, error->line > 0 ? error->line : 1);
    }
    char element[40], text[sizeof(error->text) + 24];
    snprintf(element, sizeof element, "column %d", error->column > 0 ? error->column : 1);
    snprintf(text, sizeof text, "JSON syntax error: %s", error->text);
    return afxi_load_error(file->load, AFX_E_INPUT, file->path, error->line > 0 ? error->line : 1, element, text,
                           "look at this place and just before it");
}

static bool make_nodes(AfxiJsonFile *file, const Scan *scan) {
    void *nodes = NULL;
    if (!scan->lines || count_values(file->root) != scan->count) {
        return afxi_load_error(file->load, AFX_E_INPUT, file->path, 1, "file", "its values cannot be counted",
                               "write it again with a tool that makes plain JSON");
    }
    AfxStatus status =
        afxi_array_reserve(&file->load->allocator, &nodes, &file->node_capacity, scan->count, sizeof *file->nodes);
    if (status) {
        return afxi_load_memory_error(file->load, file->path, 1);
    }
    file->nodes = nodes;
    enter(file, scan, NULL, file->root);
    return true;
}

bool afxi_json_parse(AfxiJsonFile *file, const AfxiText *text) {
    Scan scan = {.p = text->data, .end = text->data + text->size, .line = 1};
    bool fine = scan_all(file, &scan);
    if (fine) {
        json_error_t error;
        file->root = json_loadb(text->data, text->size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
        fine = file->root ? make_nodes(file, &scan) : parse_error(file, &error);
    }
    afxi_release(&file->load->allocator, scan.lines, scan.capacity * sizeof *scan.lines);
    return fine;
}

void afxi_json_free(AfxiJsonFile *file) {
    afxi_names_free(&file->material_names, &file->load->allocator);
    afxi_names_free(&file->texture_names, &file->load->allocator);
    afxi_release(&file->load->allocator, file->nodes, file->node_capacity * sizeof *file->nodes);
    json_decref(file->made);
    json_decref(file->root);
    file->made = NULL;
    file->nodes = NULL;
    file->root = NULL;
    file->node_count = file->node_capacity = 0;
}
