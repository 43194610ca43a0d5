/* SPDX-License-Identifier: Apache-2.0 */
/* A trajectory in HDF5: what writing, resuming and reading share. The layout is in docs/output.md. */
#ifndef AFXI_OUT_H5_H
#define AFXI_OUT_H5_H

#include "out/bytes.h"
#include "out/disk.h"
#include "out/output.h"
#include "out/quantity.h"

#define AFXI_H5_FORMAT "affix-trajectory"
#define AFXI_H5_VERSION 2
#define AFXI_H5_RANK 3

/** Shape of a quantity's dataset: [frames][items][width], without the dimensions that it has not. */
typedef struct AfxiH5Shape {
    int rank;
    hsize_t dims[AFXI_H5_RANK];  /* [0] is 0: the frames */
    hsize_t chunk[AFXI_H5_RANK]; /* [0] is the number of frames written at once */
} AfxiH5Shape;

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

AfxiH5Shape afxi_h5_shape(const AfxiCatalog *catalog, AfxiQuantity quantity, uint32_t chunk);

/** Dataset "scene": scene JSON with how it is run, as bytes. A scene that JSON cannot hold, since a name in it is not
 * UTF-8, has none. */
AfxStatus afxi_h5_write_scene(hid_t file, const AfxScene *scene, const AfxRunDef *run);
/** Adds it to *text; AFX_E_INPUT when there is none, or it has more than `most` bytes. */
AfxStatus afxi_h5_read_scene(hid_t file, uint64_t most, AfxiBytes *text);

/** Makes `path` with all datasets, still empty, and everything that is said about the run. */
AfxStatus afxi_h5_make(AfxiH5 *h5, const AfxOutput *output, const AfxOutputDef *def, const AfxScene *scene,
                       const AfxSim *sim, const char *path, AfxError *out_error);
/** Copies the first `frames` frames, full chunks, of the trajectory at output->path into the datasets of `h5`. */
AfxStatus afxi_h5_copy(AfxiH5 *h5, const AfxOutput *output, uint64_t frames, AfxError *out_error);

#endif
