/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes as values, errors and notices that name file, line, element and attribute. Numbers are read in the C
 * locale, which the loaders set for their thread. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/xml.h"

#define VALUE_SHOWN 40

bool afxi_xml_is(const AfxiXmlNode *node, const char *name) {
    return strcmp(node->name, name) == 0;
}

AfxiXmlNode *afxi_xml_child(AfxiXmlNode *node, const char *name) {
    for (AfxiXmlNode *child = node->first; child; child = child->next) {
        if (afxi_xml_is(child, name)) {
            child->used = true;
            return child;
        }
    }
    return NULL;
}

static AfxiXmlAttribute *attribute_of(const AfxiXmlNode *node, const char *name) {
    for (uint32_t k = 0; k < node->attribute_count; k++) {
        if (strcmp(node->attributes[k].name, name) == 0) {
            return node->attributes + k;
        }
    }
    return NULL;
}

const char *afxi_xml_find(AfxiXmlNode *node, const char *name, AfxiXmlNode **out_owner) {
    const char *value = NULL;
    for (; node; node = node->fallback) {
        AfxiXmlAttribute *attribute = attribute_of(node, name);
        if (!attribute) {
            continue;
        }
        attribute->used = true; /* one that is overridden is honoured, too */
        if (!value) {
            value = attribute->value;
            *out_owner = node;
        }
    }
    return value;
}

const char *afxi_xml_text(AfxiXmlNode *node, const char *name) {
    AfxiXmlNode *owner;
    return afxi_xml_find(node, name, &owner);
}

const char *afxi_xml_peek(const AfxiXmlNode *node, const char *name) {
    const AfxiXmlAttribute *attribute = attribute_of(node, name);
    return attribute ? attribute->value : NULL;
}

bool afxi_xml_has(const AfxiXmlNode *node, const char *name) {
    for (; node; node = node->fallback) {
        if (attribute_of(node, name)) {
            return true;
        }
    }
    return false;
}

/* ---- telling ---- */

void afxi_xml_place(const AfxiXmlNode *node, const char *attribute, char out[AFXI_XML_PLACE]) {
    const AfxiXmlAttribute *name = attribute_of(node, "name");
    char title[44] = "", what[48] = "";
    if (name && name->value[0]) {
        snprintf(title, sizeof title, " \"%.36s%s\"", name->value, strlen(name->value) > 36 ? "..." : "");
    }
    if (attribute) {
        snprintf(what, sizeof what, " attribute \"%.30s\"", attribute);
    }
    snprintf(out, AFXI_XML_PLACE, "%.24s%s%s", node->name, title, what);
}

bool afxi_xml_error(AfxiLoad *load, const AfxiXmlNode *node, const char *attribute, const char *text,
                    const char *cure) {
    char place[AFXI_XML_PLACE];
    afxi_xml_place(node, attribute, place);
    return afxi_load_error(load, AFX_E_INPUT, node->file, node->line, place, text, cure);
}

/** A notice on an attribute that `owner` has, unless it was told. */
static bool tell_attribute(AfxiLoad *load, AfxNoticeKind kind, const AfxiXmlNode *owner, AfxiXmlAttribute *found,
                           const char *text) {
    char place[AFXI_XML_PLACE];
    bool told = found->told || !afxi_load_telling(load);
    found->used = found->told = true;
    if (told) {
        return true;
    }
    afxi_xml_place(owner, found->name, place);
    return afxi_load_notice(load, kind, owner->file, owner->line, place, text);
}

bool afxi_xml_notice(AfxiLoad *load, AfxNoticeKind kind, AfxiXmlNode *node, const char *attribute, const char *text) {
    if (attribute) {
        for (const AfxiXmlNode *owner = node; owner; owner = owner->fallback) {
            AfxiXmlAttribute *found = attribute_of(owner, attribute);
            if (found) {
                return tell_attribute(load, kind, owner, found, text);
            }
        }
    } else if (kind == AFX_NOTICE_IGNORED) { /* which says all about its own attributes */
        for (uint32_t k = 0; k < node->attribute_count; k++) {
            node->attributes[k].used = true;
        }
    }
    if (!afxi_load_telling(load)) {
        return true;
    }
    char place[AFXI_XML_PLACE];
    afxi_xml_place(node, attribute, place);
    return afxi_load_notice(load, kind, node->file, node->line, place, text);
}

void afxi_xml_pass(AfxiXmlNode *node) {
    AfxiXmlNode *at = node;
    while (at) {
        at->used = true;
        for (uint32_t k = 0; k < at->attribute_count; k++) {
            at->attributes[k].used = true;
        }
        if (at->first) {
            at = at->first;
            continue;
        }
        while (at != node && !at->next) {
            at = at->parent;
        }
        at = at == node ? NULL : at->next;
    }
}

static const char *reason_of(const AfxiXmlReason *reasons, uint32_t count, const char *element, const char *attribute) {
    for (uint32_t k = 0; k < count; k++) {
        bool element_fits = strcmp(reasons[k].element, "*") == 0 || strcmp(reasons[k].element, element) == 0;
        const char *wanted = reasons[k].attribute;
        if (element_fits &&
            (attribute ? wanted && (strcmp(wanted, "*") == 0 || strcmp(wanted, attribute) == 0) : wanted == NULL)) {
            return reasons[k].text;
        }
    }
    return "unsupported: it is ignored";
}

static bool tell_node(AfxiLoad *load, AfxiXmlNode *node, const AfxiXmlReason *reasons, uint32_t reason_count) {
    if (!node->used) {
        return afxi_xml_notice(load, AFX_NOTICE_IGNORED, node, NULL,
                               reason_of(reasons, reason_count, node->name, NULL));
    }
    if (node->text_line > 0) {
        char place[AFXI_XML_PLACE];
        afxi_xml_place(node, NULL, place);
        if (!afxi_load_notice(load, AFX_NOTICE_IGNORED, node->file, node->text_line, place,
                              "unsupported: the text in it is ignored")) {
            return false;
        }
    }
    for (uint32_t k = 0; k < node->attribute_count; k++) {
        AfxiXmlAttribute *attribute = node->attributes + k;
        if (!attribute->used && !tell_attribute(load, AFX_NOTICE_IGNORED, node, attribute,
                                                reason_of(reasons, reason_count, node->name, attribute->name))) {
            return false;
        }
    }
    return true;
}

bool afxi_xml_tell_unused(AfxiLoad *load, AfxiXmlNode *node, const AfxiXmlReason *reasons, uint32_t reason_count) {
    AfxiXmlNode *at = node;
    while (at) {
        if (!tell_node(load, at, reasons, reason_count)) {
            return false;
        }
        if (at->used && at->first) {
            at = at->first;
            continue;
        }
        while (at != node && !at->next) {
            at = at->parent;
        }
        at = at == node ? NULL : at->next;
    }
    return true;
}

/* ---- values ---- */

/** A value that is not what it should be: the text shows it. */
static bool refuse(AfxiLoad *load, const AfxiXmlNode *owner, const char *name, const char *value, const char *wanted) {
    char text[160];
    snprintf(text, sizeof text, "\"%.*s%s\" is not %s", VALUE_SHOWN, value, strlen(value) > VALUE_SHOWN ? "..." : "",
             wanted);
    return afxi_xml_error(load, owner, name, text, "correct the value");
}

bool afxi_xml_scan_number(const char **text, double *out_value) {
    const char *at = *text;
    while (isspace((unsigned char)*at)) {
        at++;
    }
    char *end;
    double value = strtod(at, &end);
    bool whole = end != at && (*end == '\0' || isspace((unsigned char)*end));
    if (!whole || !isfinite(value)) {
        return false;
    }
    *text = end;
    *out_value = value;
    return true;
}

static bool only_blanks(const char *text) {
    return text[strspn(text, " \t\r\n\f\v")] == '\0';
}

bool afxi_xml_numbers(AfxiLoad *load, AfxiXmlNode *node, const char *name, uint32_t least, uint32_t most,
                      double *values, uint32_t *out_count) {
    if (out_count) {
        *out_count = 0;
    }
    AfxiXmlNode *owner;
    const char *value = afxi_xml_find(node, name, &owner), *at = value;
    if (!value) {
        return true;
    }
    uint32_t count = 0;
    while (!only_blanks(at)) {
        double number;
        if (!afxi_xml_scan_number(&at, &number)) {
            return refuse(load, owner, name, value, "made of finite numbers");
        }
        if (count == most) {
            count++;
            break;
        }
        values[count++] = number;
    }
    if (count < least || count > most) {
        char wanted[48];
        if (least == most) {
            snprintf(wanted, sizeof wanted, "%u number%s", least, least == 1 ? "" : "s");
        } else {
            snprintf(wanted, sizeof wanted, "%u to %u numbers", least, most);
        }
        return refuse(load, owner, name, value, wanted);
    }
    if (out_count) {
        *out_count = count;
    }
    return true;
}

bool afxi_xml_number(AfxiLoad *load, AfxiXmlNode *node, const char *name, double *value) {
    return afxi_xml_numbers(load, node, name, 1, 1, value, NULL);
}

bool afxi_xml_vec3(AfxiLoad *load, AfxiXmlNode *node, const char *name, AfxVec3 *value) {
    double numbers[3];
    uint32_t count;
    if (!afxi_xml_numbers(load, node, name, 3, 3, numbers, &count)) {
        return false;
    }
    if (count == 3) {
        *value = (AfxVec3){numbers[0], numbers[1], numbers[2]};
    }
    return true;
}

bool afxi_xml_integer(AfxiLoad *load, AfxiXmlNode *node, const char *name, int *value) {
    double number = *value;
    if (!afxi_xml_number(load, node, name, &number)) {
        return false;
    }
    if (number != floor(number) || fabs(number) > 2147483647.0) {
        AfxiXmlNode *owner;
        return refuse(load, node, name, afxi_xml_find(node, name, &owner), "a whole number");
    }
    *value = (int)number;
    return true;
}

bool afxi_xml_word(AfxiLoad *load, AfxiXmlNode *node, const char *name, const char *const *words, int *value) {
    AfxiXmlNode *owner;
    const char *text = afxi_xml_find(node, name, &owner);
    if (!text) {
        return true;
    }
    for (int k = 0; words[k]; k++) {
        if (strcmp(text, words[k]) == 0) {
            *value = k;
            return true;
        }
    }
    char wanted[100] = "one of";
    for (int k = 0; words[k]; k++) {
        size_t length = strlen(wanted);
        snprintf(wanted + length, sizeof wanted - length, "%s %s", k ? "," : "", words[k]);
    }
    return refuse(load, owner, name, text, wanted);
}

bool afxi_xml_need(AfxiLoad *load, AfxiXmlNode *node, const char *name, const char **out_value) {
    *out_value = afxi_xml_text(node, name);
    return *out_value || afxi_xml_error(load, node, name, "the attribute is missing", "give it");
}
