/* SPDX-License-Identifier: Apache-2.0 */
/* The scene in a trajectory: a dataset of bytes, which grows piece by piece while it is written, so that the text of a
 * large scene is never in memory as a whole. */
#include "load/save.h"
#include "out/h5.h"
#include "out/kept_size.h"

#define NAME "scene"
#define CHUNK 262144u
#define PACKED_MOST 1100u /* times as large can what deflate packs be */

typedef struct Text {
    hid_t data;
    hsize_t size;
} Text;

static bool add_piece(void *user, const char *data, size_t size) {
    Text *text = user;
    hsize_t first = text->size, count = size, all = first + count;
    bool fine = H5Dset_extent(text->data, &all) >= 0;
    hid_t memory = H5Screate_simple(1, &count, NULL), space = fine ? H5Dget_space(text->data) : -1;
    fine = memory >= 0 && space >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0 &&
           H5Dwrite(text->data, H5T_NATIVE_UINT8, memory, space, H5P_DEFAULT, data) >= 0;
    if (space >= 0) {
        H5Sclose(space);
    }
    if (memory >= 0) {
        H5Sclose(memory);
    }
    text->size = all;
    return fine;
}

AfxStatus afxi_h5_write_scene(hid_t file, const AfxScene *scene, const AfxRunDef *run) {
    if (!afxi_kept_fits(scene)) {
        return AFX_OK;
    }
    hsize_t none = 0, most = H5S_UNLIMITED, chunk = CHUNK;
    hid_t space = H5Screate_simple(1, &none, &most), list = H5Pcreate(H5P_DATASET_CREATE);
    bool fine = space >= 0 && list >= 0 && H5Pset_chunk(list, 1, &chunk) >= 0 && H5Pset_deflate(list, 1) >= 0;
    Text text = {.data = fine ? H5Dcreate2(file, NAME, H5T_STD_U8LE, space, H5P_DEFAULT, list, H5P_DEFAULT) : -1};
    AfxStatus status = text.data >= 0 ? afxi_save_pieces(scene, run, add_piece, &text) : AFX_E_SYSTEM;
    if (text.data >= 0 && H5Dclose(text.data) < 0) {
        status = AFX_E_SYSTEM;
    }
    if (status == AFX_E_INPUT) { /* JSON cannot hold it */
        status = H5Ldelete(file, NAME, H5P_DEFAULT) >= 0 ? AFX_OK : AFX_E_SYSTEM;
    }
    if (list >= 0) {
        H5Pclose(list);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    return status;
}

AfxStatus afxi_h5_read_scene(hid_t file, uint64_t most, AfxiBytes *text) {
    hid_t data = H5Lexists(file, NAME, H5P_DEFAULT) > 0 ? H5Dopen2(file, NAME, H5P_DEFAULT) : -1;
    hid_t space = data >= 0 ? H5Dget_space(data) : -1, type = data >= 0 ? H5Dget_type(data) : -1;
    hsize_t size = 0, packed = data >= 0 ? H5Dget_storage_size(data) : 0;
    bool fine = space >= 0 && type >= 0 && H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) == 1 &&
                H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &size, NULL) == 1 &&
                size > 0 && size <= most && size < SIZE_MAX && size / PACKED_MOST <= packed;
    void *room = fine ? afxi_bytes_extend(text, (size_t)size) : NULL;
    fine = room && H5Dread(data, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, room) >= 0;
    if (type >= 0) {
        H5Tclose(type);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    if (data >= 0) {
        H5Dclose(data);
    }
    return text->status ? text->status : fine ? AFX_OK : AFX_E_INPUT;
}
