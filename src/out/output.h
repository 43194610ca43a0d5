/* SPDX-License-Identifier: Apache-2.0 */
/* What all kinds of output share: when a frame is due, what is combined of the steps in between, marks, errors. A kind
 * is a table of four functions. */
#ifndef AFXI_OUT_OUTPUT_H
#define AFXI_OUT_OUTPUT_H

#include "affix/out.h"
#include "out/catalog.h"
#include "out/lock.h"

/** Bytes of a mark that are left to read. */
typedef struct AfxiMark {
    const unsigned char *data;
    size_t size;
} AfxiMark;

typedef struct AfxiOutputKind {
    /** Opens the file anew, or as it was at `mark` (NULL: anew), and sets output->state. Must leave nothing behind when
     * it fails, but the file. */
    AfxStatus (*open)(AfxOutput *output, const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim,
                      AfxiMark *mark, AfxError *out_error);
    /** Writes a frame; output->report is what was combined since the last one. */
    AfxStatus (*frame)(AfxOutput *output, const AfxSim *sim, AfxError *out_error);
    /** Puts on disk what there is, and adds to the mark by afxi_mark_put. */
    AfxStatus (*mark)(AfxOutput *output, AfxError *out_error);
    /** Finishes the file when `complete`, and frees output->state. */
    AfxStatus (*close)(AfxOutput *output, bool complete, AfxError *out_error);
    /** Takes a drawing for the frames that come; NULL: the kind has no pictures. */
    AfxStatus (*draw)(AfxOutput *output, const AfxDrawing *drawing, AfxError *out_error);
} AfxiOutputKind;

extern const AfxiOutputKind afxi_output_hdf5, afxi_output_csv, afxi_output_gltf, afxi_output_vtk, afxi_output_html,
    afxi_output_live;

struct AfxOutput {
    const AfxiOutputKind *kind;
    AfxAllocator allocator;
    char *path;
    AfxiLock lock; /* of path, from before it is opened until after it is closed */
    AfxiCatalog catalog;
    uint64_t every, since; /* steps between frames, and since the last one */
    uint64_t frames;
    uint64_t identity;     /* of what was asked for: a mark of another is refused */
    AfxStepReport report;  /* combined since the last frame; times are sums */
    AfxTraceReason reason; /* of the step with most solver iterations, where the sim's trace is on */
    AfxError error;        /* the first one; status AFX_OK while there is none */
    unsigned char *mark;   /* [mark_capacity] */
    size_t mark_size, mark_capacity;
    void *state; /* of the kind */
};

/** Adds bytes to the mark that is being made. */
AfxStatus afxi_mark_put(AfxOutput *output, const void *data, size_t size);
/** Takes bytes from a mark; false when it has not as many. */
bool afxi_mark_get(AfxiMark *mark, void *out_data, size_t size);
/** The error of a mark that cannot be what this output wrote. */
AfxStatus afxi_mark_damaged(const AfxOutput *output, AfxError *out_error);
/** AFX_E_MEMORY, with the file named. */
AfxStatus afxi_output_memory(const AfxOutput *output, AfxError *out_error);

#endif
