/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes in results. */
#include "out/kept.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "affix/out.h"
#include "base/status.h"
#include "load/save.h"
#include "out/file.h"
#include "out/h5.h"
#include "out/kept_size.h"
#include "out/snapshot.h"
#include "out/squeeze.h"

static bool add_piece(void *user, const char *data, size_t size) {
    AfxiBytes *bytes = user;
    afxi_bytes_add(bytes, data, size);
    return bytes->status == AFX_OK;
}

AfxStatus afxi_kept_pack(AfxiBytes *bytes, const AfxScene *scene, const AfxRunDef *run) {
    AfxiBytes text = afxi_bytes_begin(&bytes->allocator);
    if (!afxi_kept_fits(scene)) {
        return AFX_OK;
    }
    AfxStatus status = afxi_save_pieces(scene, run, add_piece, &text);
    if (status == AFX_E_INPUT) {
        afxi_bytes_destroy(&text);
        return AFX_OK;
    }
    status = text.status ? text.status : status;
    status = status ? status : afxi_squeeze(bytes, text.data, text.size);
    afxi_bytes_destroy(&text);
    return status;
}

AfxiResultKind afxi_result_kind(const char *path) {
    static const unsigned char hdf5[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    const uint64_t snapshot = AFXI_SNAPSHOT_MAGIC;
    unsigned char first[8] = {0};
    struct stat info;
    FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
    size_t got = file ? fread(first, 1, sizeof first, file) : 0;
    if (file) {
        fclose(file);
    }
    return got < sizeof first                 ? AFXI_RESULT_NONE
           : memcmp(first, hdf5, 8) == 0      ? AFXI_RESULT_TRAJECTORY
           : memcmp(first, &snapshot, 8) == 0 ? AFXI_RESULT_SNAPSHOT
                                              : AFXI_RESULT_NONE;
}

static AfxStatus holds_no_scene(const char *path, AfxError *out_error) {
    return afxi_file_error(out_error, AFX_E_INPUT, path, "holds no scene, or more than is allowed",
                           "write it with affix run of this version");
}

static AfxStatus from_trajectory(const char *path, uint64_t most, AfxiBytes *text, AfxError *out_error) {
    AfxiH5Quiet quiet = afxi_h5_quiet();
    hid_t file = afxi_h5_open(path);
    AfxStatus status =
        file >= 0 ? afxi_h5_read_scene(file, most, text) : afxi_h5_error(out_error, path, "cannot be opened", 0);
    if (file >= 0) {
        H5Fclose(file);
        status = status == AFX_E_INPUT ? holds_no_scene(path, out_error) : status;
    }
    afxi_h5_loud(quiet);
    return status;
}

static AfxStatus from_snapshot(const char *path, uint64_t most, AfxiBytes *text, AfxError *out_error) {
    AfxSnapshot *snapshot = NULL;
    const void *data;
    size_t size;
    AfxStatus status = afx_snapshot_read(path, &text->allocator, &snapshot, out_error);
    if (status != AFX_OK) {
        return status;
    }
    status = afx_snapshot_part(snapshot, AFXI_KEPT_PART, &data, &size) == AFX_OK
                 ? afxi_unsqueeze(text, data, size, most < SIZE_MAX ? (size_t)most : SIZE_MAX)
                 : AFX_E_INPUT;
    afx_snapshot_destroy(snapshot);
    return status == AFX_E_INPUT ? holds_no_scene(path, out_error) : status;
}

AfxStatus afx_scene_load_result(AfxScene *scene, const char *path, const AfxLoadDef *def, AfxError *out_error) {
    AfxError error = {0}, *told = out_error ? out_error : &error;
    AfxAllocator allocator = afx_default_allocator();
    AfxiBytes text = afxi_bytes_begin(&allocator);
    memset(told, 0, sizeof *told);
    if (!scene || !path || !def) {
        return afxi_error(told, AFX_E_ARGUMENT, "afx_scene_load_result", "an argument is NULL",
                          "give a scene, a path, and a definition from afx_default_load");
    }
    AfxiResultKind kind = afxi_result_kind(path);
    AfxStatus status = kind == AFXI_RESULT_TRAJECTORY ? from_trajectory(path, def->bytes_most, &text, told)
                       : kind == AFXI_RESULT_SNAPSHOT ? from_snapshot(path, def->bytes_most, &text, told)
                                                      : holds_no_scene(path, told);
    if (status == AFX_E_MEMORY) {
        afxi_file_error(told, status, path, afx_status_text(status), "");
    }
    if (status == AFX_OK) {
        AfxLoadDef load = *def;
        load.format = AFX_FORMAT_JSON;
        status = afx_scene_load_text(scene, (const char *)text.data, text.size, NULL, &load, told);
        if (status != AFX_OK) { /* lines of a text that nobody sees help nobody */
            snprintf(told->file, sizeof told->file, "%.*s", (int)sizeof told->file - 1, path);
            told->line = 0;
        }
    }
    afxi_bytes_destroy(&text);
    return status;
}
