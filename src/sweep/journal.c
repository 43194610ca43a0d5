/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a journal. */
#include "sweep/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/error.h"
#include "sweep/journal_format.h"

#define FLUSH_BYTES ((size_t)1 << 16)

/* Where the last whole entry of an older file ends, as the reader sees it; 0: there is none. Other ranks may be writing
 * theirs already. */
static AfxStatus find_end(const AfxiStudy *study, const char *folder, uint32_t rank, uint64_t *out_end,
                          AfxError *out_error) {
    AfxiJournals journals;
    AfxStatus status = afxi_journals_open(study, folder, rank, &journals, out_error);
    *out_end = 0;
    if (status == AFX_OK && journals.count) {
        *out_end = journals.maps[0].sound;
    }
    afxi_journals_close(&journals);
    return status;
}

static bool write_all(AfxiJournal *journal, const void *data, size_t size) {
    const char *at = data;
    while (size > 0 && journal->error == 0) {
        ssize_t done = write(journal->fd, at, size);
        if (done > 0) {
            at += done;
            size -= (size_t)done;
        } else if (done == 0 || errno != EINTR) {
            journal->error = done == 0 ? ENOSPC : errno;
        }
    }
    return journal->error == 0;
}

AfxStatus afxi_journal_open(const AfxiStudy *study, const char *folder, uint32_t rank, AfxiJournal *out_journal,
                            AfxError *out_error) {
    uint64_t end = 0;
    *out_journal = (AfxiJournal){.fd = -1};
    AfxStatus status = find_end(study, folder, rank, &end, out_error);
    if (status != AFX_OK) {
        return status;
    }
    size_t length = strlen(folder) + 40;
    out_journal->path = malloc(length);
    out_journal->buffer = malloc(2 * FLUSH_BYTES);
    out_journal->capacity = 2 * FLUSH_BYTES;
    if (!out_journal->path || !out_journal->buffer) {
        afxi_journal_close(out_journal, false, NULL);
        return afxi_sweep_memory(out_error);
    }
    snprintf(out_journal->path, length, "%s/journal/rank-%05u.journal", folder, rank);
    out_journal->fd = open(out_journal->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    bool fine = out_journal->fd >= 0 && ftruncate(out_journal->fd, (off_t)end) == 0 &&
                lseek(out_journal->fd, (off_t)end, SEEK_SET) >= 0;
    int number = errno;
    if (fine && end == 0) {
        AfxiJournalHead head = afxi_journal_head(study, rank);
        fine = write_all(out_journal, &head, sizeof head);
        number = out_journal->error;
    }
    if (!fine) {
        status = afxi_sweep_system(out_error, out_journal->path, "cannot be written", number);
        afxi_journal_close(out_journal, false, NULL);
    }
    return status;
}

static bool reserve(AfxiJournal *journal, size_t size) {
    if (journal->filled + size <= journal->capacity) {
        return true;
    }
    size_t capacity = journal->filled + size + FLUSH_BYTES;
    char *buffer = realloc(journal->buffer, capacity);
    if (!buffer) {
        journal->error = ENOMEM;
        return false;
    }
    journal->buffer = buffer;
    journal->capacity = capacity;
    return true;
}

static void put(AfxiJournal *journal, const void *data, size_t size) {
    if (size) {
        memcpy(journal->buffer + journal->filled, data, size);
        journal->filled += size;
    }
}

bool afxi_journal_add(AfxiJournal *journal, const AfxiStudy *study, uint64_t run, const double *point,
                      const AfxiResult *result) {
    size_t text = strlen(result->reason), padded = (text + 7) / 8 * 8;
    size_t series = result->series ? (size_t)study->series_frames * study->series_width * sizeof(double) : 0;
    AfxiEntry entry = {.magic = AFXI_ENTRY_MAGIC,
                       .status = result->status,
                       .run = run,
                       .id = afxi_study_id(study, point),
                       .hash = result->hash,
                       .steps = result->steps,
                       .time = result->time,
                       .text = (uint32_t)text,
                       .frames = series ? study->series_frames : 0};
    entry.bytes = sizeof entry + (study->vary_count + study->value_count) * sizeof(double) + series + padded + 8;
    if (journal->error || !reserve(journal, entry.bytes)) {
        return false;
    }
    size_t begin = journal->filled;
    char zeros[8] = {0};
    put(journal, &entry, sizeof entry);
    put(journal, point, study->vary_count * sizeof(double));
    put(journal, result->values, study->value_count * sizeof(double));
    put(journal, result->series, series);
    put(journal, result->reason, text);
    put(journal, zeros, padded - text);
    uint64_t sum = afxi_journal_sum(journal->buffer + begin, journal->filled - begin);
    put(journal, &sum, sizeof sum);
    return journal->filled < FLUSH_BYTES || afxi_journal_flush(journal);
}

bool afxi_journal_flush(AfxiJournal *journal) {
    bool fine = write_all(journal, journal->buffer, journal->filled);
    journal->filled = 0;
    return fine;
}

AfxStatus afxi_journal_close(AfxiJournal *journal, bool sync, AfxError *out_error) {
    AfxStatus status = AFX_OK;
    if (journal->fd >= 0) {
        afxi_journal_flush(journal);
        if (sync && !journal->error && fsync(journal->fd) != 0 && errno != EINVAL && errno != ENOTSUP) {
            journal->error = errno;
        }
        if (close(journal->fd) != 0 && errno != EINTR && !journal->error) {
            journal->error = errno;
        }
        if (journal->error) {
            status = afxi_sweep_system(out_error, journal->path, "cannot be written", journal->error);
            if (out_error) {
                snprintf(out_error->cure, sizeof out_error->cure, "make room, then go on with --resume");
            }
        }
    }
    free(journal->path);
    free(journal->buffer);
    *journal = (AfxiJournal){.fd = -1, .error = journal->error};
    return status;
}
