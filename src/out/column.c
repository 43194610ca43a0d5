/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the names of columns. A name is quantity, then ":item" where the quantity has items, then ".component". */
#include "out/column.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* A piece of the name that is being read. */
typedef struct Piece {
    const char *text;
    size_t length;
} Piece;

static bool equal(Piece piece, const char *word) {
    return strlen(word) == piece.length && strncmp(piece.text, word, piece.length) == 0;
}

/* Index of the last point in a piece; its length when there is none. */
static size_t last_point(Piece piece) {
    for (size_t k = piece.length; k > 0; k--) {
        if (piece.text[k - 1] == '.') {
            return k - 1;
        }
    }
    return piece.length;
}

static AfxStatus refuse(AfxError *out_error, Piece whole, const char *text, const char *cure) {
    return afxi_error_at(out_error, AFX_E_INPUT, text, cure, "column \"%.*s\"",
                         whole.length < 100 ? (int)whole.length : 100, whole.text);
}

AfxStatus afxi_columns_push(AfxiColumns *columns, AfxiQuantity quantity, size_t index, const char *name) {
    void *items = columns->items;
    AfxStatus status =
        afxi_array_reserve(&columns->allocator, &items, &columns->capacity, columns->count + 1, sizeof *columns->items);
    columns->items = items;
    if (status != AFX_OK) {
        return status;
    }
    AfxiColumn *column = &columns->items[columns->count++];
    *column = (AfxiColumn){.quantity = quantity, .index = index};
    snprintf(column->name, sizeof column->name, "%.*s", (int)sizeof column->name - 1, name);
    return AFX_OK;
}

static AfxStatus push(AfxiColumns *columns, AfxiQuantity quantity, size_t index, Piece item, const char *component) {
    char name[AFXI_COLUMN_NAME];
    int length = item.length < 256 ? (int)item.length : 256;
    snprintf(name, sizeof name, "%s%s%.*s%s%s", afxi_quantities[quantity].column, item.length ? ":" : "", length,
             item.text, component[0] ? "." : "", component);
    return afxi_columns_push(columns, quantity, index, name);
}

/* The component that a piece names, `count` when there is none. Coordinates are called by their number. */
static uint32_t find_component(AfxiQuantity quantity, uint32_t count, Piece piece) {
    const AfxiQuantityInfo *info = &afxi_quantities[quantity];
    if (info->item == AFXI_ITEM_COORDINATE) {
        return piece.length == 1 && piece.text[0] >= '0' && (uint32_t)(piece.text[0] - '0') < count
                   ? (uint32_t)(piece.text[0] - '0')
                   : count;
    }
    for (uint32_t k = 0; k < count && info->width > 1; k++) {
        if (equal(piece, info->components[k])) {
            return k;
        }
    }
    return count;
}

/* Adds component `which` of an item, or all `count` of them when it is `count`; `first` is where they begin in the row.
 */
static AfxStatus push_components(AfxiColumns *columns, AfxiQuantity quantity, size_t first, uint32_t count,
                                 uint32_t which, Piece item) {
    const AfxiQuantityInfo *info = &afxi_quantities[quantity];
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
        char number[12];
        snprintf(number, sizeof number, "%u", k);
        const char *component = count == 1 ? "" : info->item == AFXI_ITEM_COORDINATE ? number : info->components[k];
        if (which == count || which == k) {
            status = push(columns, quantity, first + k, item, component);
        }
    }
    return status;
}

/* `rest` is "NAME" or "NAME.component" of a quantity that has items. */
static AfxStatus add_of_item(AfxiColumns *columns, const AfxiCatalog *catalog, AfxiQuantity quantity, Piece rest,
                             Piece whole, AfxError *out_error) {
    const AfxiQuantityInfo *info = &afxi_quantities[quantity];
    AfxiItem kind = info->item == AFXI_ITEM_COORDINATE ? AFXI_ITEM_JOINT : info->item;
    Piece item = rest, component = {NULL, 0};
    uint32_t index = afxi_catalog_find(catalog, kind, rest.text, rest.length);
    if (index == UINT32_MAX) {
        size_t point = last_point(rest);
        item.length = point;
        component = point < rest.length ? (Piece){rest.text + point + 1, rest.length - point - 1} : component;
        index = afxi_catalog_find(catalog, kind, item.text, item.length);
    }
    if (index == UINT32_MAX) {
        static const char *const things[AFXI_ITEM_NAMED] = {"there is no such body", "there is no such joint",
                                                            "there is no such drive", "there is no such marker"};
        char cure[160] = "";
        if (catalog->count[kind]) {
            snprintf(cure, sizeof cure, "there are %u, for example %s", catalog->count[kind],
                     afxi_catalog_name(catalog, kind, 0)[0] ? afxi_catalog_name(catalog, kind, 0) : "0");
        }
        return refuse(out_error, whole, things[kind], cure);
    }
    size_t first = (size_t)index * info->width;
    uint32_t count = info->width;
    if (info->item == AFXI_ITEM_COORDINATE) {
        first = catalog->joint_first[index];
        count = catalog->joint_first[index + 1] - catalog->joint_first[index];
    }
    uint32_t which = component.text ? find_component(quantity, count, component) : count;
    if (count == 0) {
        return refuse(out_error, whole, "this joint has no coordinates", "take its reaction");
    }
    if (component.text && which == count) {
        return refuse(out_error, whole, "there is no such component", "leave out what follows the last point");
    }
    return push_components(columns, quantity, first, count, which, item);
}

static AfxStatus add(AfxiColumns *columns, const AfxiCatalog *catalog, const char *name, size_t length,
                     AfxError *out_error) {
    Piece whole = {name, length};
    const char *colon = length ? memchr(name, ':', length) : NULL;
    size_t head = colon ? (size_t)(colon - name) : last_point(whole);
    for (int k = 0; k < AFXI_QUANTITY_COUNT; k++) {
        AfxiQuantity quantity = (AfxiQuantity)k;
        const AfxiQuantityInfo *info = &afxi_quantities[quantity];
        if (!equal((Piece){name, head}, info->column) || (info->item == AFXI_ITEM_ONE) == (colon != NULL)) {
            continue;
        }
        Piece rest = {name + head + 1, head < length ? length - head - 1 : 0};
        if (colon) {
            return add_of_item(columns, catalog, quantity, rest, whole, out_error);
        }
        uint32_t which = head < length ? find_component(quantity, info->width, rest) : info->width;
        if (head < length && which == info->width) {
            return refuse(out_error, whole, "there is no such component", "leave out what follows the last point");
        }
        return push_components(columns, quantity, 0, info->width, which, (Piece){"", 0});
    }
    return refuse(out_error, whole, "there is no such column",
                  "there are time, energy, residual, body:NAME.z, joint:NAME ...; see docs/output.md");
}

AfxStatus afxi_columns_add(AfxiColumns *columns, const AfxiCatalog *catalog, const char *name, size_t length,
                           AfxError *out_error) {
    AfxStatus status = add(columns, catalog, name, length, out_error);
    if (status != AFX_OK && status != AFX_E_INPUT) {
        afxi_error(out_error, status, "columns", afx_status_text(status), "take fewer columns");
    }
    return status;
}

AfxStatus afxi_columns_parse(AfxiColumns *columns, const AfxiCatalog *catalog, const char *list, AfxError *out_error) {
    AfxStatus status = AFX_OK;
    for (const char *at = list; status == AFX_OK; at++) {
        size_t length = strcspn(at, ",");
        status = afxi_columns_add(columns, catalog, at, length, out_error);
        at += length;
        if (*at == '\0') {
            break;
        }
    }
    return status;
}

void afxi_columns_destroy(AfxiColumns *columns) {
    afxi_release(&columns->allocator, columns->items, columns->capacity * sizeof *columns->items);
    *columns = (AfxiColumns){.allocator = columns->allocator};
}
