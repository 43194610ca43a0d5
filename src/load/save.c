/* SPDX-License-Identifier: Apache-2.0 */
/* Saving a scene: into a new file beside the one meant, which takes its place when all of it is on the disk. */
#include "load/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "load/load.h"
#include "load/save_scene.h"
#include "scene/scene.h"

/* Names tried for the new file. */
#define TRIES 100u

static AfxStatus system_error(AfxError *error, const char *path, const char *what, int number) {
    char text[160];
    snprintf(text, sizeof text, "%s: %s", what, strerror(number));
    AfxStatus status = afxi_error(error, AFX_E_SYSTEM, "file", text, "check its folder, permissions and free space");
    if (error) {
        snprintf(error->file, sizeof error->file, "%.*s", (int)sizeof error->file - 1, path);
    }
    return status;
}

/** A new file beside `path`; its name in out. -1 with errno when there is none. */
static int open_new(const char *path, char out[AFXI_PATH_SIZE]) {
    for (unsigned k = 0; k < TRIES; k++) {
        int length = snprintf(out, AFXI_PATH_SIZE, "%s.new-%ld-%u", path, (long)getpid(), k);
        if (length < 0 || length >= AFXI_PATH_SIZE) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
    }
    return -1;
}

/** Writes all of it and sees it to the disk; errno of what failed, or 0. */
static int write_all(AfxiSave *save, const AfxScene *scene, const AfxRunDef *run) {
    afxi_save_scene(save, scene, run);
    afxi_save_flush(save);
    if (!save->failure && fsync(save->fd) != 0 && errno != EINVAL && errno != ENOTSUP) {
        save->failure = errno;
    }
    if (close(save->fd) != 0 && !save->failure) {
        save->failure = errno;
    }
    return save->failure;
}

/** The folder's entry too; what cannot be synced is left to the system. */
static void sync_folder(const char *path) {
    char folder[AFXI_PATH_SIZE] = ".";
    const char *slash = strrchr(path, '/');
    if (slash) {
        size_t length = slash == path ? 1 : (size_t)(slash - path);
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    int fd = open(folder, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

static AfxStatus save_file(const AfxScene *scene, const AfxRunDef *run, const char *path, char *buffer,
                           AfxError *error) {
    char new_path[AFXI_PATH_SIZE];
    AfxiSave save = {.buffer = buffer, .first = true};
    save.fd = open_new(path, new_path);
    if (save.fd < 0) {
        return system_error(error, path, "it cannot be written", errno);
    }
    int failure = write_all(&save, scene, run);
    if (save.bad_text) {
        unlink(new_path);
        return afxi_error(error, AFX_E_INPUT, "scene", "a name in it is not UTF-8, so JSON cannot hold it",
                          "rename what has it");
    }
    if (!failure && rename(new_path, path) != 0) {
        failure = errno;
    }
    if (failure) {
        unlink(new_path);
        return system_error(error, path, "it cannot be written", failure);
    }
    sync_folder(path);
    return AFX_OK;
}

AfxStatus afxi_save_pieces(const AfxScene *scene, const AfxRunDef *run, AfxiSaveTake *take, void *user) {
    AfxiSave save = {.fd = -1, .take = take, .user = user, .first = true};
    save.buffer = afxi_allocate(&scene->allocator, AFXI_SAVE_BUFFER);
    if (!save.buffer) {
        return AFX_E_MEMORY;
    }
    afxi_save_scene(&save, scene, run);
    if (!save.bad_text) {
        afxi_save_flush(&save);
    }
    afxi_release(&scene->allocator, save.buffer, AFXI_SAVE_BUFFER);
    return save.bad_text ? AFX_E_INPUT : save.failure ? AFX_E_SYSTEM : AFX_OK;
}

AfxStatus afx_scene_save(const AfxScene *scene, const char *path, AfxError *out_error) {
    return afx_scene_save_run(scene, NULL, path, out_error);
}

AfxStatus afx_scene_save_run(const AfxScene *scene, const AfxRunDef *run, const char *path, AfxError *out_error) {
    struct stat info;
    if (out_error) {
        memset(out_error, 0, sizeof *out_error);
    }
    if (!scene || !path) {
        return afxi_error(out_error, AFX_E_ARGUMENT, "afx_scene_save", "an argument is NULL", "give scene and path");
    }
    if (run && run->cookie != AFXI_COOKIE) {
        return afxi_error(out_error, AFX_E_VERSION, "afx_scene_save_run", "the run was not made by afx_default_run",
                          "start from afx_default_run()");
    }
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) { /* a device or folder is not to be replaced by a file */
        return afxi_error(out_error, AFX_E_INPUT, "afx_scene_save", "there is something of this name that is no file",
                          "give the name of a new file, or of one to replace");
    }
    char *buffer = afxi_allocate(&scene->allocator, AFXI_SAVE_BUFFER);
    if (!buffer) {
        return afxi_error(out_error, AFX_E_MEMORY, "afx_scene_save", "out of memory", "free some memory");
    }
    AfxStatus status = save_file(scene, run, path, buffer, out_error);
    afxi_release(&scene->allocator, buffer, AFXI_SAVE_BUFFER);
    return status;
}
