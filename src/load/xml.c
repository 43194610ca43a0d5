/* SPDX-License-Identifier: Apache-2.0 */
/* XML files into a tree, by expat. Expat does the syntax; this file keeps elements, attributes and lines, and the
 * limits: depth, number of elements, no entities but the five of XML itself, no documents outside. The tree lives in
 * blocks of the scene's allocator; expat's own buffers come from the C library, as it has no allocator with a context,
 * and are gone when the parse returns. */
#include "load/xml.h"

#include <expat.h>
#include <limits.h>
#include <math.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define BLOCK_SIZE ((size_t)64 * 1024)
/* What expat is given at once: its lengths are int. */
#define PIECE ((size_t)1 << 24)
/* Of a value that is read as numbers, for a piece of work (afxi_load_work). */
#define BYTES_PER_WORK 16u

typedef struct AfxiXmlBlock {
    struct AfxiXmlBlock *previous;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
} AfxiXmlBlock;

static bool fail_memory(AfxiLoad *load, const char *path) {
    return afxi_load_error(load, AFX_E_MEMORY, path, 0, "file", afx_status_text(AFX_E_MEMORY),
                           "free memory, or load a smaller file");
}

void *afxi_xml_take(AfxiLoad *load, AfxiXmlArena *arena, size_t size) {
    const size_t unit = alignof(max_align_t);
    if (size > SIZE_MAX / 2) {
        fail_memory(load, "");
        return NULL;
    }
    size = (size + unit - 1) / unit * unit;
    if (!arena->last || arena->last->size - arena->last->used < size) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        AfxiXmlBlock *block = afxi_allocate(&load->allocator, sizeof *block + room);
        if (!block) {
            fail_memory(load, "");
            return NULL;
        }
        *block = (AfxiXmlBlock){.previous = arena->last, .used = 0, .size = room};
        arena->last = block;
    }
    void *part = arena->last->bytes + arena->last->used;
    arena->last->used += size;
    return part;
}

const char *afxi_xml_copy(AfxiLoad *load, AfxiXmlArena *arena, const char *text, size_t length) {
    char *copy = afxi_xml_take(load, arena, length + 1);
    if (copy) {
        memcpy(copy, text, length);
    }
    return copy;
}

void afxi_xml_free(AfxiLoad *load, AfxiXmlArena *arena) {
    AfxiXmlBlock *block = arena->last;
    while (block) {
        AfxiXmlBlock *previous = block->previous;
        afxi_release(&load->allocator, block, sizeof *block + block->size);
        block = previous;
    }
    *arena = (AfxiXmlArena){0};
}

/** What the handlers of one parse share. */
typedef struct Parse {
    AfxiLoad *load;
    AfxiXmlArena *arena;
    XML_Parser parser;
    const char *path; /* copied into the arena */
    AfxiXmlNode *root, *open;
    uint32_t depth;
    bool values;  /* texts become attributes */
    char *buffer; /* [room] the text of the open element so far */
    size_t used, room;
} Parse;

static int line_of(const Parse *parse) {
    XML_Size line = XML_GetCurrentLineNumber(parse->parser);
    return line > INT_MAX ? INT_MAX : (int)line;
}

static void stop(Parse *parse, AfxStatus status, const char *element, const char *text, const char *cure) {
    afxi_load_error(parse->load, status, parse->path, line_of(parse), element, text, cure);
    XML_StopParser(parse->parser, XML_FALSE);
}

static bool take_attributes(Parse *parse, AfxiXmlNode *node, const XML_Char **pairs) {
    uint32_t count = 0;
    while (pairs[2 * (size_t)count]) {
        count++;
    }
    if (count == 0) {
        return true;
    }
    node->attributes = afxi_xml_take(parse->load, parse->arena, count * sizeof *node->attributes);
    for (uint32_t k = 0; node->attributes && k < count; k++) {
        const char *name = pairs[2 * (size_t)k], *value = pairs[2 * (size_t)k + 1];
        name = afxi_xml_copy(parse->load, parse->arena, name, strlen(name));
        value = name ? afxi_xml_copy(parse->load, parse->arena, value, strlen(value)) : NULL;
        if (!value) {
            return false;
        }
        node->attributes[k] = (AfxiXmlAttribute){.name = name, .value = value};
        node->attribute_count = k + 1;
        size_t weight = 1 + strlen(value) / BYTES_PER_WORK;
        node->weight = weight > UINT32_MAX - node->weight ? UINT32_MAX : node->weight + (uint32_t)weight;
    }
    return node->attributes != NULL;
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **pairs) {
    Parse *parse = user;
    const AfxLoadDef *def = parse->load->def;
    if (++parse->depth > def->depth_most) {
        stop(parse, AFX_E_LIMIT, name, "elements are nested too deeply",
             "raise AfxLoadDef.depth_most, or check the file");
        return;
    }
    if (++parse->arena->nodes > def->items_most) {
        stop(parse, AFX_E_LIMIT, name, "there are too many elements",
             "raise AfxLoadDef.items_most (--limit-items), or check the file");
        return;
    }
    AfxiXmlNode *node = afxi_xml_take(parse->load, parse->arena, sizeof *node);
    const char *copy = node ? afxi_xml_copy(parse->load, parse->arena, name, strlen(name)) : NULL;
    if (!copy) {
        XML_StopParser(parse->parser, XML_FALSE);
        return;
    }
    AfxiXmlNode *parent = parse->open;
    *node = (AfxiXmlNode){.name = copy, .file = parse->path, .parent = parent, .line = line_of(parse)};
    if (!take_attributes(parse, node, pairs)) {
        XML_StopParser(parse->parser, XML_FALSE);
        return;
    }
    if (!parent) {
        parse->root = node;
    } else if (parent->last) {
        parent->last = parent->last->next = node;
    } else {
        parent->first = parent->last = node;
    }
    parse->open = node;
    parse->used = 0;
}

/** Room for one more attribute of a node. */
static bool grow_attributes(Parse *parse, AfxiXmlNode *node) {
    uint32_t capacity = 2 * node->attribute_count + 4;
    if (node->attribute_count < node->attribute_capacity) {
        return true;
    }
    AfxiXmlAttribute *own = afxi_xml_take(parse->load, parse->arena, capacity * sizeof *own);
    if (!own) {
        return false;
    }
    if (node->attribute_count) {
        memcpy(own, node->attributes, node->attribute_count * sizeof *own);
    }
    node->attributes = own;
    node->attribute_capacity = capacity;
    return true;
}

/** The text of an element without children as an attribute of its parent. */
static bool lift(Parse *parse, AfxiXmlNode *node) {
    AfxiXmlNode *parent = node->parent;
    size_t begin = strspn(parse->buffer, " \t\r\n"), length = parse->used - begin;
    while (length > 0 && strchr(" \t\r\n", parse->buffer[begin + length - 1])) {
        length--;
    }
    const char *value = afxi_xml_copy(parse->load, parse->arena, parse->buffer + begin, length);
    if (!value || !grow_attributes(parse, parent)) {
        return false;
    }
    parent->attributes[parent->attribute_count++] = (AfxiXmlAttribute){.name = node->name, .value = value};
    size_t weight = 1 + length / BYTES_PER_WORK;
    parent->weight = weight > UINT32_MAX - parent->weight ? UINT32_MAX : parent->weight + (uint32_t)weight;
    node->text_line = 0;
    node->used = true;
    return true;
}

static void XMLCALL on_end(void *user, const XML_Char *name) {
    (void)name;
    Parse *parse = user;
    AfxiXmlNode *node = parse->open;
    if (parse->values && node->parent && !node->first && node->text_line > 0 && !lift(parse, node)) {
        XML_StopParser(parse->parser, XML_FALSE);
        return;
    }
    parse->used = 0;
    parse->depth--;
    parse->open = node->parent;
}

/** Adds to the text of the open element; 0 ends it. */
static bool keep_text(Parse *parse, const XML_Char *text, size_t length) {
    if (parse->used + length + 1 > parse->room) {
        size_t room = 2 * (parse->used + length + 1);
        char *buffer = afxi_allocate(&parse->load->allocator, room);
        if (!buffer) {
            return fail_memory(parse->load, parse->path);
        }
        if (parse->used) {
            memcpy(buffer, parse->buffer, parse->used);
        }
        afxi_release(&parse->load->allocator, parse->buffer, parse->room);
        parse->buffer = buffer;
        parse->room = room;
    }
    memcpy(parse->buffer + parse->used, text, length);
    parse->used += length;
    parse->buffer[parse->used] = 0;
    return true;
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length) {
    Parse *parse = user;
    if (parse->values && parse->open && !keep_text(parse, text, (size_t)length)) {
        XML_StopParser(parse->parser, XML_FALSE);
        return;
    }
    if (parse->open && parse->open->text_line == 0) {
        for (int k = 0; k < length; k++) {
            if (!strchr(" \t\r\n", text[k])) {
                parse->open->text_line = line_of(parse);
                return;
            }
        }
    }
}

static void XMLCALL on_entity(void *user, const XML_Char *name, int is_parameter, const XML_Char *value, int length,
                              const XML_Char *base, const XML_Char *system, const XML_Char *public,
                              const XML_Char *notation) {
    (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public, (void)notation;
    stop(user, AFX_E_INPUT, name, "the document declares an entity", "write its text where it is used");
}

static void XMLCALL on_skipped(void *user, const XML_Char *name, int is_parameter) {
    (void)is_parameter;
    stop(user, AFX_E_INPUT, name, "the entity is declared outside the document", "write its text where it is used");
}

static bool feed(Parse *parse, const AfxiText *text) {
    size_t at = 0;
    do {
        size_t piece = text->size - at < PIECE ? text->size - at : PIECE;
        bool last = at + piece == text->size;
        if (XML_Parse(parse->parser, text->data + at, (int)piece, last) != XML_STATUS_OK) {
            enum XML_Error code = XML_GetErrorCode(parse->parser);
            if (parse->load->error.status == AFX_OK && code == XML_ERROR_NO_MEMORY) {
                fail_memory(parse->load, parse->path);
            }
            return afxi_load_error(parse->load, AFX_E_INPUT, parse->path, line_of(parse),
                                   parse->open ? parse->open->name : "file", XML_ErrorString(code),
                                   "make it well-formed XML");
        }
        at += piece;
    } while (at < text->size);
    return true;
}

static bool parse_any(AfxiLoad *load, AfxiXmlArena *arena, const AfxiText *text, const char *path, bool values,
                      AfxiXmlNode **out_root) {
    *out_root = NULL;
    path = path ? path : "";
    Parse parse = {
        .load = load, .arena = arena, .path = afxi_xml_copy(load, arena, path, strlen(path)), .values = values};
    if (!parse.path) {
        return false;
    }
    parse.parser = XML_ParserCreate(NULL);
    if (!parse.parser) {
        return fail_memory(load, path);
    }
    XML_SetUserData(parse.parser, &parse);
    XML_SetElementHandler(parse.parser, on_start, on_end);
    XML_SetCharacterDataHandler(parse.parser, on_text);
    XML_SetEntityDeclHandler(parse.parser, on_entity);
    XML_SetSkippedEntityHandler(parse.parser, on_skipped);
    bool good = feed(&parse, text);
    XML_ParserFree(parse.parser);
    afxi_release(&load->allocator, parse.buffer, parse.room);
    *out_root = good ? parse.root : NULL;
    return good;
}

bool afxi_xml_parse(AfxiLoad *load, AfxiXmlArena *arena, const AfxiText *text, const char *path,
                    AfxiXmlNode **out_root) {
    return parse_any(load, arena, text, path, false, out_root);
}

bool afxi_xml_parse_values(AfxiLoad *load, AfxiXmlArena *arena, const AfxiText *text, const char *path,
                           AfxiXmlNode **out_root) {
    return parse_any(load, arena, text, path, true, out_root);
}

static uint32_t part_of(double value) {
    return (uint32_t)lround(255 * fmin(fmax(value, 0), 1));
}

bool afxi_xml_color(AfxiLoad *load, AfxiXmlNode *node, const char *name, uint32_t *color) {
    double rgba[4] = {0.5, 0.5, 0.5, 1};
    if (!afxi_xml_has(node, name)) {
        return true;
    }
    if (!afxi_xml_numbers(load, node, name, 3, 4, rgba, NULL)) {
        return false;
    }
    if (rgba[3] > 0) {
        *color = AFX_COLOR(part_of(rgba[0]), part_of(rgba[1]), part_of(rgba[2]));
    }
    return true;
}
