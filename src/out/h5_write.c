/* SPDX-License-Identifier: Apache-2.0 */
/* The trajectory as a kind of output. Rows wait in memory until a chunk is full; a chunk is written once, dataset by
 * dataset, and flushed, drawings first and time last. A mark carries the rows that wait, so that a file only ever needs
 * to be cut at the end of a chunk.
 *
 * The first chunk is also written whenever its rows have doubled: of a slow run at least half of the frames can be seen
 * at any time, at the price of at most one chunk more in the file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "out/file.h"
#include "out/h5.h"
#include "out/redo.h"

#define BUFFER_BYTES ((size_t)1 << 20) /* of all rows that wait, about */
#define CHUNK_MOST 1024u

static bool write_rows(AfxiH5 *h5, AfxiQuantity quantity, const AfxiH5Shape *shape) {
    hsize_t size[AFXI_H5_RANK] = {h5->complete + h5->filled, shape->dims[1], shape->dims[2]};
    hsize_t start[AFXI_H5_RANK] = {h5->complete, 0, 0};
    hsize_t count[AFXI_H5_RANK] = {h5->filled, shape->dims[1], shape->dims[2]};
    hid_t data = h5->data[quantity];
    if (H5Dset_extent(data, size) < 0) {
        return false;
    }
    hid_t memory = H5Screate_simple(shape->rank, count, NULL), file = H5Dget_space(data);
    bool fine = memory >= 0 && file >= 0 && H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, h5->rows[quantity]) >= 0;
    if (memory >= 0) {
        H5Sclose(memory);
    }
    if (file >= 0) {
        H5Sclose(file);
    }
    return H5Dflush(data) >= 0 && fine;
}

/* Writes the rows that wait; they go on waiting unless their chunk is full. */
static AfxStatus write_chunk(AfxOutput *output, AfxError *out_error) {
    AfxiH5 *h5 = output->state;
    bool fine = afxi_h5_drawings_write(h5);
    for (int k = 0; k < AFXI_QUANTITY_COUNT && fine; k++) {
        if (h5->width[k]) {
            AfxiH5Shape shape = afxi_h5_shape(&output->catalog, (AfxiQuantity)k, h5->chunk);
            fine = write_rows(h5, (AfxiQuantity)k, &shape);
        }
    }
    if (!fine || h5->disk.error) {
        return afxi_h5_error(out_error, output->path, "cannot be written", h5->disk.error);
    }
    if (h5->filled == h5->chunk) {
        h5->complete += h5->chunk;
        h5->filled = 0;
    }
    return AFX_OK;
}

/* Closes the file, whatever state it is in, and frees everything. */
static void release(AfxOutput *output) {
    AfxiH5 *h5 = output->state;
    for (int k = 0; k < AFXI_QUANTITY_COUNT; k++) {
        if (h5->data[k] >= 0) {
            H5Dclose(h5->data[k]);
        }
        afxi_release(&output->allocator, h5->rows[k], h5->chunk * h5->width[k] * sizeof(double));
    }
    afxi_h5_drawings_destroy(h5);
    if (h5->file >= 0) {
        H5Fclose(h5->file);
    }
    afxi_path_release(&output->allocator, h5->redo);
    afxi_release(&output->allocator, h5, sizeof *h5);
    output->state = NULL;
}

static AfxStatus allocate(AfxOutput *output, const AfxOutputDef *def, AfxError *out_error) {
    uint32_t records;
    AfxStatus status = afxi_record_parse(def->what, &records, out_error);
    if (status != AFX_OK) {
        return status;
    }
    AfxiH5 *h5 = output->state = afxi_allocate(&output->allocator, sizeof *h5);
    if (!h5) {
        return afxi_output_memory(output, out_error);
    }
    h5->file = -1;
    afxi_h5_drawings_begin(h5, &output->allocator);
    h5->records = records;
    size_t numbers = 0;
    for (int k = 0; k < AFXI_QUANTITY_COUNT; k++) {
        h5->data[k] = -1;
        h5->width[k] = afxi_quantity_width(&output->catalog, records, (AfxiQuantity)k);
        numbers += h5->width[k]; /* at most 16 * 2^32 */
    }
    size_t fit = BUFFER_BYTES / (numbers * sizeof(double));
    h5->chunk = def->chunk ? def->chunk : fit < 1 ? 1 : fit < CHUNK_MOST ? (uint32_t)fit : CHUNK_MOST;
    for (int k = 0; k < AFXI_QUANTITY_COUNT; k++) {
        if (h5->width[k] > SIZE_MAX / sizeof(double) / h5->chunk) {
            return afxi_output_memory(output, out_error);
        }
        h5->rows[k] = afxi_allocate(&output->allocator, h5->chunk * h5->width[k] * sizeof(double));
        if (h5->width[k] && !h5->rows[k]) {
            return afxi_output_memory(output, out_error);
        }
    }
    return AFX_OK;
}

static AfxStatus read_mark(AfxOutput *output, AfxiMark *mark, AfxError *out_error) {
    AfxiH5 *h5 = output->state;
    bool fine = afxi_mark_get(mark, &h5->complete, sizeof h5->complete) &&
                afxi_mark_get(mark, &h5->filled, sizeof h5->filled) && h5->filled < h5->chunk &&
                h5->complete % h5->chunk == 0 && h5->complete + h5->filled == output->frames;
    for (int k = 0; k < AFXI_QUANTITY_COUNT && fine; k++) {
        fine = afxi_mark_get(mark, h5->rows[k], h5->filled * h5->width[k] * sizeof(double));
    }
    return fine ? afxi_h5_drawings_resume(h5, output, mark, out_error) : afxi_mark_damaged(output, out_error);
}

/* The new file is made beside the old one and takes its place when it is whole: a run that is killed meanwhile can
 * still be resumed from the old one. */
static AfxStatus make(AfxOutput *output, const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim,
                      const char *path, AfxError *out_error) {
    AfxiH5 *h5 = output->state;
    AfxStatus status = afxi_h5_make(h5, output, def, scene, sim, path, out_error);
    if (status == AFX_OK && h5->complete > 0) {
        int error = afxi_redo_apply(h5->redo, output->path);
        status = error ? afxi_file_errno(out_error, output->path, "cannot be put right", error)
                       : afxi_h5_copy(h5, output, h5->complete, out_error);
    }
    if (status != AFX_OK) {
        return status;
    }
    if (!afxi_h5_drawings_write(h5) || H5Fstart_swmr_write(h5->file) < 0) {
        return afxi_h5_error(out_error, output->path, "cannot be written", h5->disk.error);
    }
    if (h5->complete > 0) {
        H5Fflush(h5->file, H5F_SCOPE_LOCAL);
        afxi_disk_sync(&h5->disk);
    }
    unlink(h5->redo); /* it is of the old file, which is done with */
    if (h5->disk.error || rename(path, output->path) != 0) {
        return afxi_file_errno(out_error, output->path, "cannot be written", h5->disk.error ? h5->disk.error : errno);
    }
    h5->disk.redo = afxi_redo_open(h5->redo);
    return h5->disk.redo >= 0 ? AFX_OK : afxi_file_errno(out_error, h5->redo, "cannot be made", errno);
}

static AfxStatus open_quietly(AfxOutput *output, const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim,
                              AfxiMark *mark, AfxError *out_error) {
    AfxStatus status = afxi_path_replaceable(output->path, out_error);
    if (status == AFX_OK) {
        status = allocate(output, def, out_error);
    }
    if (status == AFX_OK && mark) {
        status = read_mark(output, mark, out_error);
    }
    if (status != AFX_OK) {
        return status;
    }
    char *path = afxi_path_with(&output->allocator, output->path, ".new");
    ((AfxiH5 *)output->state)->redo = afxi_path_with(&output->allocator, output->path, ".redo");
    if (!path || !((AfxiH5 *)output->state)->redo) {
        afxi_path_release(&output->allocator, path);
        return afxi_output_memory(output, out_error);
    }
    status = make(output, def, scene, sim, path, out_error);
    if (status != AFX_OK) {
        unlink(path);
    }
    afxi_path_release(&output->allocator, path);
    return status;
}

static AfxStatus h5_open(AfxOutput *output, const AfxOutputDef *def, const AfxScene *scene, const AfxSim *sim,
                         AfxiMark *mark, AfxError *out_error) {
    AfxiH5Quiet quiet = afxi_h5_quiet();
    AfxStatus status = open_quietly(output, def, scene, sim, mark, out_error);
    if (status != AFX_OK && output->state) {
        release(output);
    }
    afxi_h5_loud(quiet);
    return status;
}

static AfxStatus h5_frame(AfxOutput *output, const AfxSim *sim, AfxError *out_error) {
    AfxiH5 *h5 = output->state;
    if (afxi_h5_drawings_frame(h5, h5->complete + h5->filled) != AFX_OK) {
        return afxi_output_memory(output, out_error);
    }
    for (int k = 0; k < AFXI_QUANTITY_COUNT; k++) {
        if (h5->width[k]) {
            afxi_quantity_take((AfxiQuantity)k, &output->catalog, sim, &output->report,
                               h5->rows[k] + h5->filled * h5->width[k]);
        }
    }
    h5->filled++;
    bool doubled = h5->complete == 0 && (h5->filled & (h5->filled - 1)) == 0;
    if (h5->filled < h5->chunk && !doubled) {
        return AFX_OK;
    }
    AfxiH5Quiet quiet = afxi_h5_quiet();
    AfxStatus status = write_chunk(output, out_error);
    afxi_h5_loud(quiet);
    return status;
}

static AfxStatus h5_mark(AfxOutput *output, AfxError *out_error) {
    AfxiH5 *h5 = output->state;
    AfxStatus status = afxi_mark_put(output, &h5->complete, sizeof h5->complete);
    if (status == AFX_OK) {
        status = afxi_mark_put(output, &h5->filled, sizeof h5->filled);
    }
    for (int k = 0; k < AFXI_QUANTITY_COUNT && status == AFX_OK; k++) {
        status = afxi_mark_put(output, h5->rows[k], h5->filled * h5->width[k] * sizeof(double));
    }
    status = status ? status : afxi_h5_drawings_mark(h5, output);
    if (status != AFX_OK) {
        return afxi_output_memory(output, out_error);
    }
    afxi_disk_sync(&h5->disk);
    return h5->disk.error ? afxi_file_errno(out_error, output->path, "cannot be written", h5->disk.error) : AFX_OK;
}

static AfxStatus h5_close(AfxOutput *output, bool complete, AfxError *out_error) {
    AfxiH5Quiet quiet = afxi_h5_quiet();
    AfxiH5 *h5 = output->state;
    AfxStatus status = complete && h5->filled > 0 ? write_chunk(output, out_error) : AFX_OK;
    for (int k = 0; k < AFXI_QUANTITY_COUNT; k++) {
        if (h5->data[k] >= 0) {
            H5Dclose(h5->data[k]);
            h5->data[k] = -1;
        }
    }
    afxi_h5_drawings_close(h5);
    bool closed = H5Fclose(h5->file) >= 0;
    h5->file = -1;
    unlink(h5->redo);
    if (status == AFX_OK && (!closed || h5->disk.error)) {
        status = afxi_h5_error(out_error, output->path, "cannot be finished", h5->disk.error);
    }
    release(output);
    afxi_h5_loud(quiet);
    return status;
}

static AfxStatus h5_draw(AfxOutput *output, const AfxDrawing *drawing, AfxError *out_error) {
    return afxi_drawings_draw(&((AfxiH5 *)output->state)->drawings.list, output, drawing, out_error);
}

const AfxiOutputKind afxi_output_hdf5 = {h5_open, h5_frame, h5_mark, h5_close, h5_draw};
