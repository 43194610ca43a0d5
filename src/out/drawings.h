/* SPDX-License-Identifier: Apache-2.0 */
/* All drawings that the frames of an output show, each kept once while it stays the same: what pages and trajectories
 * share. */
#ifndef AFXI_OUT_DRAWINGS_H
#define AFXI_OUT_DRAWINGS_H

#include "out/drawing.h"
#include "out/output.h"

#define AFXI_DRAWINGS_MOST ((size_t)256 << 20) /* bytes of all drawings of an output */

typedef struct AfxiDrawings {
    AfxiBytes data;  /* one drawing after the other (drawing.h) */
    AfxiBytes sizes; /* 32 bits for each: its bytes */
    uint32_t shown;  /* what frames show now, from 1 on; 0: nothing */
} AfxiDrawings;

/** From this frame on a drawing is shown, counted from 1; 0: none. */
typedef struct AfxiDrawingChange {
    uint64_t frame, drawing;
} AfxiDrawingChange;

AfxiDrawings afxi_drawings_begin(const AfxAllocator *allocator);
void afxi_drawings_destroy(AfxiDrawings *drawings);
/** Number of them. */
uint32_t afxi_drawings_count(const AfxiDrawings *drawings);
/** Frames from now on show this drawing; one of no items, or no bytes: nothing. AFX_E_LIMIT when all have too many
 * bytes. On failure nothing has changed. */
AfxStatus afxi_drawings_show(AfxiDrawings *drawings, const void *data, size_t size);
/** The same as what afx_output_draw asks of a kind of output. */
AfxStatus afxi_drawings_draw(AfxiDrawings *drawings, const AfxOutput *output, const AfxDrawing *drawing,
                             AfxError *out_error);
/** Adds them to the mark that is being made. */
AfxStatus afxi_drawings_mark(const AfxiDrawings *drawings, AfxOutput *output);
/** Takes them from a mark; *drawings is empty. */
AfxStatus afxi_drawings_resume(AfxiDrawings *drawings, const AfxOutput *output, AfxiMark *mark, AfxError *out_error);

#endif
