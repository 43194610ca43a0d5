/* SPDX-License-Identifier: Apache-2.0 */
/* Drawings in a trajectory: group "drawings" with all their bytes one after the other (drawing.h), the size of each,
 * and for every change the first frame that shows it. All of them are in memory until the file is closed, and in every
 * mark; the file gets what is new with each chunk of frames. */
#include <string.h>

#include "out/file.h"
#include "out/h5.h"
#include "out/trajectory.h"

#define GROUP "drawings"
#define BYTES_CHUNK 65536u
#define ROWS_CHUNK 1024u
#define PACKED_MOST 1100u /* times as large can what deflate packs be */

static const char *const names[AFXI_H5_DRAWN_COUNT] = {GROUP "/data", GROUP "/sizes", GROUP "/changes"};

/* Bytes of a row in memory. */
static const size_t row_bytes[AFXI_H5_DRAWN_COUNT] = {1, sizeof(uint32_t), sizeof(AfxiDrawingChange)};

static AfxiH5Shape shape_of(int which) {
    AfxiH5Shape shape = {.rank = 1, .chunk = {which == AFXI_H5_DRAWN_DATA ? BYTES_CHUNK : ROWS_CHUNK}};
    if (which == AFXI_H5_DRAWN_CHANGES) {
        shape.rank = 2;
        shape.dims[1] = shape.chunk[1] = 2;
    }
    return shape;
}

static hid_t memory_type(int which) {
    return which == AFXI_H5_DRAWN_DATA    ? H5T_NATIVE_UINT8
           : which == AFXI_H5_DRAWN_SIZES ? H5T_NATIVE_UINT32
                                          : H5T_NATIVE_UINT64;
}

void afxi_h5_drawings_begin(AfxiH5 *h5, const AfxAllocator *allocator) {
    h5->drawings = (AfxiH5Drawings){.list = afxi_drawings_begin(allocator), .changes = afxi_bytes_begin(allocator)};
    for (int k = 0; k < AFXI_H5_DRAWN_COUNT; k++) {
        h5->drawings.data[k] = -1;
    }
}

void afxi_h5_drawings_close(AfxiH5 *h5) {
    for (int k = 0; k < AFXI_H5_DRAWN_COUNT; k++) {
        if (h5->drawings.data[k] >= 0) {
            H5Dclose(h5->drawings.data[k]);
            h5->drawings.data[k] = -1;
        }
    }
}

void afxi_h5_drawings_destroy(AfxiH5 *h5) {
    afxi_h5_drawings_close(h5);
    afxi_drawings_destroy(&h5->drawings.list);
    afxi_bytes_destroy(&h5->drawings.changes);
}

bool afxi_h5_drawings_make(AfxiH5 *h5, uint32_t compression) {
    const hid_t stored[AFXI_H5_DRAWN_COUNT] = {H5T_STD_U8LE, H5T_STD_U32LE, H5T_STD_U64LE};
    hid_t group = H5Gcreate2(h5->file, GROUP, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = group >= 0 && H5Gclose(group) >= 0;
    for (int k = 0; k < AFXI_H5_DRAWN_COUNT && fine; k++) {
        AfxiH5Shape shape = shape_of(k);
        fine = afxi_h5_dataset(h5->file, names[k], stored[k], &shape, compression, &h5->drawings.data[k]);
    }
    return fine;
}

AfxStatus afxi_h5_drawings_frame(AfxiH5 *h5, uint64_t frame) {
    AfxiBytes *changes = &h5->drawings.changes;
    AfxiDrawingChange last = {0}, now = {frame, h5->drawings.list.shown};
    if (changes->size) {
        memcpy(&last, changes->data + changes->size - sizeof last, sizeof last);
    }
    if (now.drawing != last.drawing) {
        afxi_bytes_add(changes, &now, sizeof now);
    }
    return changes->status;
}

/* Rows from `first` on, to the end of the dataset. */
static bool append(hid_t data, int which, hsize_t first, hsize_t rows, const void *from) {
    AfxiH5Shape shape = shape_of(which);
    hsize_t size[2] = {first + rows, shape.dims[1]}, start[2] = {first, 0}, count[2] = {rows, shape.dims[1]};
    bool fine = H5Dset_extent(data, size) >= 0;
    hid_t memory = H5Screate_simple(shape.rank, count, NULL), space = fine ? H5Dget_space(data) : -1;
    fine = memory >= 0 && space >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
           H5Dwrite(data, memory_type(which), memory, space, H5P_DEFAULT, from) >= 0;
    if (space >= 0) {
        H5Sclose(space);
    }
    if (memory >= 0) {
        H5Sclose(memory);
    }
    return H5Dflush(data) >= 0 && fine;
}

bool afxi_h5_drawings_write(AfxiH5 *h5) {
    AfxiH5Drawings *drawings = &h5->drawings;
    const AfxiBytes *bytes[AFXI_H5_DRAWN_COUNT] = {&drawings->list.data, &drawings->list.sizes, &drawings->changes};
    bool fine = true;
    for (int k = 0; k < AFXI_H5_DRAWN_COUNT && fine; k++) {
        hsize_t rows = bytes[k]->size / row_bytes[k], first = drawings->written[k];
        if (rows > first) {
            fine = append(drawings->data[k], k, first, rows - first, bytes[k]->data + first * row_bytes[k]);
            drawings->written[k] = rows;
        }
    }
    return fine;
}

AfxStatus afxi_h5_drawings_mark(const AfxiH5 *h5, AfxOutput *output) {
    uint64_t count = h5->drawings.changes.size / sizeof(AfxiDrawingChange);
    AfxStatus status = afxi_drawings_mark(&h5->drawings.list, output);
    status = status ? status : afxi_mark_put(output, &count, sizeof count);
    return status ? status : afxi_mark_put(output, h5->drawings.changes.data, h5->drawings.changes.size);
}

AfxStatus afxi_h5_drawings_resume(AfxiH5 *h5, const AfxOutput *output, AfxiMark *mark, AfxError *out_error) {
    AfxiBytes *changes = &h5->drawings.changes;
    uint64_t count = 0;
    AfxStatus status = afxi_drawings_resume(&h5->drawings.list, output, mark, out_error);
    if (status != AFX_OK) {
        return status;
    }
    if (!afxi_mark_get(mark, &count, sizeof count) || count > mark->size / sizeof(AfxiDrawingChange)) {
        return afxi_mark_damaged(output, out_error);
    }
    size_t size = (size_t)count * sizeof(AfxiDrawingChange);
    void *room = size ? afxi_bytes_extend(changes, size) : NULL;
    if (size && !room) {
        return afxi_output_memory(output, out_error);
    }
    return !room || afxi_mark_get(mark, room, size) ? AFX_OK : afxi_mark_damaged(output, out_error);
}

/* ---- reading ---- */

/* All rows of a dataset at the end of *out; the file is not trusted. */
static bool read_all(hid_t file, int which, AfxiBytes *out) {
    hsize_t dims[H5S_MAX_RANK] = {0};
    AfxiH5Shape shape = shape_of(which);
    hid_t data = H5Dopen2(file, names[which], H5P_DEFAULT), space = data >= 0 ? H5Dget_space(data) : -1;
    bool fine = space >= 0 && H5Sget_simple_extent_ndims(space) == shape.rank &&
                H5Sget_simple_extent_dims(space, dims, NULL) == shape.rank &&
                dims[0] <= AFXI_DRAWINGS_MOST / row_bytes[which] && (shape.rank == 1 || dims[1] == 2) &&
                dims[0] * row_bytes[which] / PACKED_MOST <= H5Dget_storage_size(data);
    size_t size = fine ? (size_t)dims[0] * row_bytes[which] : 0;
    void *room = size ? afxi_bytes_extend(out, size) : NULL;
    fine = fine && (size == 0 || (room && H5Dread(data, memory_type(which), H5S_ALL, H5S_ALL, H5P_DEFAULT, room) >= 0));
    if (space >= 0) {
        H5Sclose(space);
    }
    if (data >= 0) {
        H5Dclose(data);
    }
    return fine;
}

/* A file of another version, or of somebody else, may have no group of that name, or lead elsewhere. */
static bool is_there(hid_t file) {
    H5L_info_t info;
    bool there = H5Lexists(file, GROUP, H5P_DEFAULT) > 0 && H5Lget_info(file, GROUP, &info, H5P_DEFAULT) >= 0 &&
                 info.type == H5L_TYPE_HARD;
    for (int k = 0; k < AFXI_H5_DRAWN_COUNT && there; k++) {
        there = H5Lexists(file, names[k], H5P_DEFAULT) > 0 && H5Lget_info(file, names[k], &info, H5P_DEFAULT) >= 0 &&
                info.type == H5L_TYPE_HARD;
    }
    return there;
}

/* Sizes add up, every drawing is one, and changes are in order and of drawings that there are. */
static bool is_sound(const AfxiDrawings *list, const AfxiBytes *changes) {
    size_t at = 0, count = afxi_drawings_count(list);
    for (size_t k = 0; k < count; k++) {
        uint32_t size;
        memcpy(&size, list->sizes.data + k * sizeof size, sizeof size);
        if (size > list->data.size - at || !afxi_drawing_check(list->data.data + at, size)) {
            return false;
        }
        at += size;
    }
    uint64_t after = 0;
    for (size_t k = 0; k < changes->size / sizeof(AfxiDrawingChange); k++) {
        AfxiDrawingChange change;
        memcpy(&change, changes->data + k * sizeof change, sizeof change);
        if (change.drawing > count || change.frame < after || change.frame == UINT64_MAX) {
            return false;
        }
        after = change.frame + 1;
    }
    return at == list->data.size;
}

AfxStatus afxi_trajectory_drawings(const char *path, const AfxAllocator *allocator, AfxiDrawings *out_list,
                                   AfxiBytes *out_changes, AfxError *out_error) {
    *out_list = afxi_drawings_begin(allocator);
    *out_changes = afxi_bytes_begin(allocator);
    AfxiBytes *parts[AFXI_H5_DRAWN_COUNT] = {&out_list->data, &out_list->sizes, out_changes};
    AfxiH5Quiet quiet = afxi_h5_quiet();
    hid_t file = afxi_h5_open(path);
    bool fine = file >= 0;
    if (fine && is_there(file)) {
        for (int k = 0; k < AFXI_H5_DRAWN_COUNT && fine; k++) {
            fine = read_all(file, k, parts[k]);
        }
        fine = fine && is_sound(out_list, out_changes);
    }
    if (file >= 0) {
        H5Fclose(file);
    }
    afxi_h5_loud(quiet);
    bool memory = out_list->data.status == AFX_OK && out_list->sizes.status == AFX_OK && out_changes->status == AFX_OK;
    if (memory && fine) {
        return AFX_OK;
    }
    afxi_drawings_destroy(out_list);
    afxi_bytes_destroy(out_changes);
    return memory ? afxi_file_error(out_error, AFX_E_INPUT, path, "its drawings are damaged", "")
                  : afxi_file_error(out_error, AFX_E_MEMORY, path, afx_status_text(AFX_E_MEMORY), "");
}
