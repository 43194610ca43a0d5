/* SPDX-License-Identifier: Apache-2.0 */
/* XML files as a small tree, and typed readers of attributes. Whatever a reader asks for is marked as used, so that at
 * the end everything that nobody asked for can be told (afxi_xml_tell_unused): nothing is dropped in silence. */
#ifndef AFXI_LOAD_XML_H
#define AFXI_LOAD_XML_H

#include "load/load.h"

typedef struct AfxiXmlAttribute {
    const char *name, *value;
    bool used; /* a reader asked for it */
    bool told; /* a notice spoke of it */
} AfxiXmlAttribute;

typedef struct AfxiXmlNode AfxiXmlNode;
struct AfxiXmlNode {
    const char *name, *file;
    AfxiXmlAttribute *attributes; /* [attribute_count] */
    AfxiXmlNode *parent, *first, *last, *next;
    AfxiXmlNode *fallback; /* looked at for attributes that this node does not have (default classes); or NULL */
    uint32_t attribute_count, attribute_capacity;
    uint32_t weight; /* pieces of work of looking at all its attributes: one each, and more for long ones */
    int line;
    int text_line; /* of the first text in it that is not blank; 0: there is none */
    bool used;     /* understood: what is unused of it is told piece by piece; else it is told as a whole */
};

/** Memory of trees: one chain of blocks, freed at once. Zero it before use. */
typedef struct AfxiXmlArena {
    struct AfxiXmlBlock *last;
    uint32_t nodes; /* made so far */
} AfxiXmlArena;

/** `size` bytes, zeroed, aligned as by malloc; NULL after load->error was set. */
void *afxi_xml_take(AfxiLoad *load, AfxiXmlArena *arena, size_t size);
/** A copy of a text of `length` bytes, terminated; NULL after load->error was set. */
const char *afxi_xml_copy(AfxiLoad *load, AfxiXmlArena *arena, const char *text, size_t length);
void afxi_xml_free(AfxiLoad *load, AfxiXmlArena *arena);

/** Parses a file's text; *out_root is its first element. Entities of its own and documents outside are refused, depth
 * and number of elements are limited by load->def. */
bool afxi_xml_parse(AfxiLoad *load, AfxiXmlArena *arena, const AfxiText *text, const char *path,
                    AfxiXmlNode **out_root);

/** The same, of a format that writes values as texts in elements: <mass>1</mass> in an element is an attribute mass="1"
 * of it as well, behind those that it has, and used as an element. */
bool afxi_xml_parse_values(AfxiLoad *load, AfxiXmlArena *arena, const AfxiText *text, const char *path,
                           AfxiXmlNode **out_root);

/* ---- looking ---- */

bool afxi_xml_is(const AfxiXmlNode *node, const char *name);
/** The first child of this name, marked as used; NULL when there is none. */
AfxiXmlNode *afxi_xml_child(AfxiXmlNode *node, const char *name);
/** AFX_COLOR of an attribute "red green blue alpha", 0 to 1 each; absent, or with alpha 0, it stays as it is. */
bool afxi_xml_color(AfxiLoad *load, AfxiXmlNode *node, const char *name, uint32_t *color);
/** An attribute's value, marked as used here and in all fallbacks; NULL when there is none. */
const char *afxi_xml_text(AfxiXmlNode *node, const char *name);
/** The same, and which node it was found in. */
const char *afxi_xml_find(AfxiXmlNode *node, const char *name, AfxiXmlNode **out_owner);
/** The node's own value of an attribute, or NULL; marks nothing. */
const char *afxi_xml_peek(const AfxiXmlNode *node, const char *name);
/** Whether the node or a fallback has the attribute; marks nothing. */
bool afxi_xml_has(const AfxiXmlNode *node, const char *name);

/* ---- typed attributes: false with load->error set when the text is no such value; an absent one leaves the output as
 * it is ---- */

bool afxi_xml_number(AfxiLoad *load, AfxiXmlNode *node, const char *name, double *value);
/** Any count of numbers in [least, most]; *out_count (may be NULL) is 0 when the attribute is absent. */
bool afxi_xml_numbers(AfxiLoad *load, AfxiXmlNode *node, const char *name, uint32_t least, uint32_t most,
                      double *values, uint32_t *out_count);
bool afxi_xml_vec3(AfxiLoad *load, AfxiXmlNode *node, const char *name, AfxVec3 *value);
bool afxi_xml_integer(AfxiLoad *load, AfxiXmlNode *node, const char *name, int *value);
/** One of the words of a list that ends with NULL: its number. */
bool afxi_xml_word(AfxiLoad *load, AfxiXmlNode *node, const char *name, const char *const *words, int *value);
/** A text that must be there. */
bool afxi_xml_need(AfxiLoad *load, AfxiXmlNode *node, const char *name, const char **out_value);

/** Reads one number at *text and moves behind it; false when there is none or it is not finite. */
bool afxi_xml_scan_number(const char **text, double *out_value);

/* ---- telling ---- */

#define AFXI_XML_PLACE 120
/** `joint "elbow" attribute "range"` into out; attribute may be NULL. */
void afxi_xml_place(const AfxiXmlNode *node, const char *attribute, char out[AFXI_XML_PLACE]);
/** Sets load->error for a node and, unless NULL, an attribute of it. Returns false. */
bool afxi_xml_error(AfxiLoad *load, const AfxiXmlNode *node, const char *attribute, const char *text, const char *cure);
/** A notice on a node, or on an attribute of it (or of the fallback that has it), which is told only once; false when
 * strict. */
bool afxi_xml_notice(AfxiLoad *load, AfxNoticeKind kind, AfxiXmlNode *node, const char *attribute, const char *text);

/** Marks an element and all that is in it as used: there is nothing to tell of it. */
void afxi_xml_pass(AfxiXmlNode *node);

/** Why something has no effect: element and attribute ("*" for any), and the text. */
typedef struct AfxiXmlReason {
    const char *element, *attribute, *text;
} AfxiXmlReason;

/** Tells everything under `node` that was not used, with the first reason of the list that fits, or a general one. */
bool afxi_xml_tell_unused(AfxiLoad *load, AfxiXmlNode *node, const AfxiXmlReason *reasons, uint32_t reason_count);

#endif
