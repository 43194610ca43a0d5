/* SPDX-License-Identifier: Apache-2.0 */
/* Own geometry as bytes: the number of items (32 bits), 36 bytes for each (AfxiDrawingItem), then all texts. */
#ifndef AFXI_OUT_DRAWING_H
#define AFXI_OUT_DRAWING_H

#include "affix/out.h"
#include "out/bytes.h"

typedef enum AfxiDrawingKind {
    AFXI_DRAWING_LINE = 0,
    AFXI_DRAWING_ARROW,
    AFXI_DRAWING_POINT,
    AFXI_DRAWING_TEXT
} AfxiDrawingKind;

typedef struct AfxiDrawingItem {
    uint32_t kind, length, color; /* length: bytes of its text; color: as in AFX_COLOR, 0: the viewer chooses */
    float from[3], to[3];         /* points and texts are at the first */
} AfxiDrawingItem;

/** Bytes of a drawing (NULL: of none) at the end of *bytes. */
void afxi_drawing_put(const AfxDrawing *drawing, AfxiBytes *bytes);
size_t afxi_drawing_size(const AfxDrawing *drawing);
/** Whether bytes are a drawing; they are not trusted. */
bool afxi_drawing_check(const void *data, size_t size);
/** Bytes of the largest drawing. */
#define AFXI_DRAWING_MOST (4 + AFX_DRAWING_ITEMS * (sizeof(AfxiDrawingItem) + AFX_DRAWING_TEXT))

#endif
