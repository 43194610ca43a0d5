/* SPDX-License-Identifier: Apache-2.0 */
/* A trajectory in HDF5: what writing, resuming and reading share. The layout is in docs/output.md. */
#ifndef AFXI_OUT_H5_H
#define AFXI_OUT_H5_H

#include "out/bytes.h"
#include "out/disk.h"
#include "out/drawings.h"
#include "out/output.h"
#include "out/quantity.h"

#define AFXI_H5_FORMAT "affix-trajectory"
#define AFXI_H5_VERSION 3
#define AFXI_H5_RANK 3

/** Shape of a quantity's dataset: [frames][items][width], without the dimensions that it has not. */
typedef struct AfxiH5Shape {
    int rank;
    hsize_t dims[AFXI_H5_RANK];  /* [0] is 0: the frames */
    hsize_t chunk[AFXI_H5_RANK]; /* [0] is the number of frames written at once */
} AfxiH5Shape;

/** The datasets of drawings: their bytes, their sizes, and which frame is the first to show which one. */
enum { AFXI_H5_DRAWN_DATA = 0, AFXI_H5_DRAWN_SIZES, AFXI_H5_DRAWN_CHANGES, AFXI_H5_DRAWN_COUNT };

typedef struct AfxiH5Drawings {
    AfxiDrawings list;
    AfxiBytes changes; /* AfxiDrawingChange for each, by frame */
    hid_t data[AFXI_H5_DRAWN_COUNT];
    hsize_t written[AFXI_H5_DRAWN_COUNT]; /* rows in the file */
} AfxiH5Drawings;

/** A trajectory being written. Frames wait in `rows` until a chunk is full. */
typedef struct AfxiH5 {
    AfxiDisk disk;
    hid_t file;
    char *redo; /* path of the file beside it while it is written (redo.h) */
    uint32_t records;
    uint32_t chunk;                    /* frames */
    uint32_t filled;                   /* frames in `rows` */
    uint64_t complete;                 /* frames in the file's full chunks */
    size_t width[AFXI_QUANTITY_COUNT]; /* numbers in a row; 0: not recorded */
    double *rows[AFXI_QUANTITY_COUNT]; /* [chunk][width] */
    hid_t data[AFXI_QUANTITY_COUNT];   /* datasets; negative: none */
    AfxiH5Drawings drawings;
} AfxiH5;

/** HDF5's printing of errors, switched off for a while. */
typedef struct AfxiH5Quiet {
    H5E_auto2_t function;
    void *data;
} AfxiH5Quiet;

AfxiH5Quiet afxi_h5_quiet(void);
void afxi_h5_loud(AfxiH5Quiet quiet);
/** The error of a call into HDF5 that failed: the system's reason where `error` is an errno, else the innermost message
 * of HDF5. */
AfxStatus afxi_h5_error(AfxError *out_error, const char *path, const char *what, int error);

/** Opens a trajectory for reading, whether it is being written or was left behind by a run that was killed. Negative
 * when it fails. */
hid_t afxi_h5_open(const char *path);
/** A text of the group "model" (h5_make.c); false when it is missing, of another type or too long. */
bool afxi_h5_text(hid_t file, const char *name, char *out_text, size_t size);

/** A dataset that grows by rows of `shape`; `data` is negative on failure. */
bool afxi_h5_dataset(hid_t file, const char *name, hid_t type, const AfxiH5Shape *shape, uint32_t compression,
                     hid_t *out_data);

AfxiH5Shape afxi_h5_shape(const AfxiCatalog *catalog, AfxiQuantity quantity, uint32_t chunk);

/** Dataset "scene": scene JSON with how it is run, as bytes. A scene that JSON cannot hold, since a name in it is not
 * UTF-8, has none. */
AfxStatus afxi_h5_write_scene(hid_t file, const AfxScene *scene, const AfxRunDef *run);
/** Adds it to *text; AFX_E_INPUT when there is none, or it has more than `most` bytes. */
AfxStatus afxi_h5_read_scene(hid_t file, uint64_t most, AfxiBytes *text);

/** Makes `path` with all datasets, still empty, and everything that is said about the run. */
AfxStatus afxi_h5_make(AfxiH5 *h5, const AfxOutput *output, const AfxOutputDef *def, const AfxScene *scene,
                       const AfxSim *sim, const char *path, AfxError *out_error);

/* ---- drawings (h5_drawing.c) ---- */

void afxi_h5_drawings_begin(AfxiH5 *h5, const AfxAllocator *allocator);
void afxi_h5_drawings_close(AfxiH5 *h5);
void afxi_h5_drawings_destroy(AfxiH5 *h5);
/** Makes the datasets, still empty. */
bool afxi_h5_drawings_make(AfxiH5 *h5, uint32_t compression);
/** The frame that comes next shows what was drawn last. */
AfxStatus afxi_h5_drawings_frame(AfxiH5 *h5, uint64_t frame);
/** Writes what is not in the file yet. */
bool afxi_h5_drawings_write(AfxiH5 *h5);
AfxStatus afxi_h5_drawings_mark(const AfxiH5 *h5, AfxOutput *output);
AfxStatus afxi_h5_drawings_resume(AfxiH5 *h5, const AfxOutput *output, AfxiMark *mark, AfxError *out_error);

/** Copies the first `frames` frames, full chunks, of the trajectory at output->path into the datasets of `h5`. */
AfxStatus afxi_h5_copy(AfxiH5 *h5, const AfxOutput *output, uint64_t frames, AfxError *out_error);

#endif
