/* SPDX-License-Identifier: Apache-2.0 */
/* Own geometry: items and texts in two lists that grow. */
#include "out/drawing.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "out/file.h"

_Static_assert(sizeof(AfxiDrawingItem) == 36, "the page reads it byte by byte");

struct AfxDrawing {
    AfxAllocator allocator;
    AfxiBytes items, texts;
    uint32_t count;
};

AfxStatus afx_drawing_create(const AfxAllocator *allocator, AfxDrawing **out_drawing) {
    if (!out_drawing) {
        return AFX_E_ARGUMENT;
    }
    AfxAllocator from = allocator ? *allocator : afx_default_allocator();
    AfxDrawing *drawing = *out_drawing = afxi_allocate(&from, sizeof *drawing);
    if (!drawing) {
        return AFX_E_MEMORY;
    }
    *drawing = (AfxDrawing){.allocator = from, .items = afxi_bytes_begin(&from), .texts = afxi_bytes_begin(&from)};
    return AFX_OK;
}

void afx_drawing_destroy(AfxDrawing *drawing) {
    if (drawing) {
        AfxAllocator allocator = drawing->allocator;
        afxi_bytes_destroy(&drawing->items);
        afxi_bytes_destroy(&drawing->texts);
        afxi_release(&allocator, drawing, sizeof *drawing);
    }
}

AfxStatus afx_drawing_clear(AfxDrawing *drawing) {
    if (!drawing) {
        return AFX_E_ARGUMENT;
    }
    drawing->count = 0;
    drawing->items.size = drawing->texts.size = 0;
    return AFX_OK;
}

static bool put(float out[3], AfxVec3 v) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
    return isfinite(out[0]) && isfinite(out[1]) && isfinite(out[2]);
}

static AfxStatus add(AfxDrawing *drawing, AfxiDrawingKind kind, AfxVec3 from, AfxVec3 to, uint32_t color,
                     const char *text) {
    if (!drawing) {
        return AFX_E_ARGUMENT;
    }
    AfxiDrawingItem item = {.kind = kind, .color = color & 0x1ffffffu, .length = text ? (uint32_t)strlen(text) : 0};
    if (!put(item.from, from) || !put(item.to, to)) {
        return AFX_E_INPUT;
    }
    if (drawing->count == AFX_DRAWING_ITEMS || item.length >= AFX_DRAWING_TEXT) {
        return AFX_E_LIMIT;
    }
    size_t items = drawing->items.size, texts = drawing->texts.size;
    afxi_bytes_add(&drawing->items, &item, sizeof item);
    afxi_bytes_add(&drawing->texts, text ? text : "", item.length);
    AfxStatus status = drawing->items.status ? drawing->items.status : drawing->texts.status;
    if (status != AFX_OK) { /* the drawing is as it was, and may be added to */
        drawing->items.status = drawing->texts.status = AFX_OK;
        drawing->items.size = items;
        drawing->texts.size = texts;
        return status;
    }
    drawing->count++;
    return AFX_OK;
}

AfxStatus afx_drawing_line(AfxDrawing *drawing, AfxVec3 from, AfxVec3 to, uint32_t color) {
    return add(drawing, AFXI_DRAWING_LINE, from, to, color, NULL);
}

AfxStatus afx_drawing_arrow(AfxDrawing *drawing, AfxVec3 from, AfxVec3 to, uint32_t color) {
    return add(drawing, AFXI_DRAWING_ARROW, from, to, color, NULL);
}

AfxStatus afx_drawing_point(AfxDrawing *drawing, AfxVec3 at, uint32_t color) {
    return add(drawing, AFXI_DRAWING_POINT, at, at, color, NULL);
}

AfxStatus afx_drawing_text(AfxDrawing *drawing, AfxVec3 at, const char *text, uint32_t color) {
    return text ? add(drawing, AFXI_DRAWING_TEXT, at, at, color, text) : AFX_E_ARGUMENT;
}

uint32_t afx_drawing_count(const AfxDrawing *drawing) {
    return drawing ? drawing->count : 0;
}

size_t afxi_drawing_size(const AfxDrawing *drawing) {
    return sizeof drawing->count + (drawing ? drawing->items.size + drawing->texts.size : 0);
}

void afxi_drawing_put(const AfxDrawing *drawing, AfxiBytes *bytes) {
    uint32_t count = afx_drawing_count(drawing);
    afxi_bytes_add(bytes, &count, sizeof count);
    if (count) {
        afxi_bytes_add(bytes, drawing->items.data, drawing->items.size);
        afxi_bytes_add(bytes, drawing->texts.data, drawing->texts.size);
    }
}

bool afxi_drawing_check(const void *data, size_t size) {
    const unsigned char *at = data;
    uint32_t count = 0;
    AfxiDrawingItem item;
    if (size < sizeof count) {
        return false;
    }
    memcpy(&count, at, sizeof count);
    size_t left = size - sizeof count;
    if (count > AFX_DRAWING_ITEMS || left < count * sizeof item) {
        return false;
    }
    left -= count * sizeof item;
    for (uint32_t k = 0; k < count; k++) {
        memcpy(&item, at + sizeof count + k * sizeof item, sizeof item);
        bool finite = isfinite(item.from[0]) && isfinite(item.from[1]) && isfinite(item.from[2]) &&
                      isfinite(item.to[0]) && isfinite(item.to[1]) && isfinite(item.to[2]);
        if (item.kind > AFXI_DRAWING_TEXT || item.length >= AFX_DRAWING_TEXT || item.length > left || !finite) {
            return false;
        }
        left -= item.length;
    }
    return left == 0;
}

AfxStatus afx_drawing_save(const AfxDrawing *drawing, const char *path, AfxError *out_error) {
    AfxiReplace file;
    if (!drawing || !path) {
        return afxi_error(out_error, AFX_E_ARGUMENT, "drawing", "drawing or path is missing", "");
    }
    AfxStatus status = afxi_replace_open(&drawing->allocator, path, &file, out_error);
    if (status != AFX_OK) {
        return status;
    }
    file.hasty = true;
    afxi_sink_write(&file.sink, &drawing->count, sizeof drawing->count);
    afxi_sink_write(&file.sink, drawing->items.data, drawing->items.size);
    afxi_sink_write(&file.sink, drawing->texts.data, drawing->texts.size);
    return afxi_replace_commit(&file, NULL, out_error);
}
