/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/spool.h"

#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_spool_make(char out_path[CLI_SPOOL_PATH]) {
    const char *folder = getenv("TMPDIR");
    int length = snprintf(out_path, CLI_SPOOL_PATH, "%s/affix-XXXXXX", folder && folder[0] ? folder : "/tmp");
    int fd = length < CLI_SPOOL_PATH ? mkstemp(out_path) : -1;
    if (fd < 0) {
        cli_error(out_path, "set TMPDIR to a folder that you may write to", "cannot be made: %s", strerror(errno));
        return false;
    }
    close(fd);
    return true;
}

static bool copy(FILE *from, FILE *to) {
    char buffer[65536];
    size_t got;
    while ((got = fread(buffer, 1, sizeof(buffer), from)) > 0) {
        if (fwrite(buffer, 1, got, to) != got) {
            return false;
        }
    }
    return !ferror(from);
}

bool cli_spool_take(const char *path) {
    FILE *file = fopen(path, "wb");
    errno = 0;
    bool fine = file && copy(stdin, file);
    fine = file && fclose(file) == 0 && fine;
    if (!fine) {
        cli_error("stdin", NULL, "could not be read: %s", strerror(errno ? errno : EIO));
    }
    return fine;
}

bool cli_spool_give(const char *path) {
    FILE *file = fopen(path, "rb");
    bool fine = file && copy(file, stdout);
    if (file) {
        fclose(file);
    }
    if (!fine && !ferror(stdout)) { /* what stdout refuses is said at the end of the program */
        cli_error(path, NULL, "could not be read");
    }
    return fine;
}

bool cli_same_file(const char *a, const char *b) {
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}
