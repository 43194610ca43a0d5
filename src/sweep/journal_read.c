/* SPDX-License-Identifier: Apache-2.0 */
/* Reading journals. Files are not trusted: every size is checked before it is used. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/error.h"
#include "sweep/journal.h"
#include "sweep/journal_format.h"

static const AfxiEntry *entry_at(const AfxiJournalMap *map, size_t offset) {
    return (const AfxiEntry *)(const void *)(map->bytes + offset);
}

/* Whether a whole entry is at `offset`: sizes that fit together, and a checksum that is right. */
static bool whole_entry(const AfxiJournalMap *map, const AfxiStudy *study, size_t offset) {
    if (map->size - offset < sizeof(AfxiEntry)) {
        return false;
    }
    const AfxiEntry *entry = entry_at(map, offset);
    if (entry->magic != AFXI_ENTRY_MAGIC || entry->bytes % 8 || entry->bytes > map->size - offset ||
        entry->text >= AFXI_REASON || (entry->frames != 0 && entry->frames != study->series_frames)) {
        return false;
    }
    uint64_t want = sizeof *entry + (study->vary_count + study->value_count) * sizeof(double) +
                    (uint64_t)entry->frames * study->series_width * sizeof(double) + (entry->text + 7u) / 8 * 8 + 8;
    uint64_t sum;
    if (entry->bytes != want) {
        return false;
    }
    memcpy(&sum, map->bytes + offset + entry->bytes - 8, 8);
    return sum == afxi_journal_sum(entry, entry->bytes - 8);
}

static AfxStatus scan(AfxiJournalMap *map, const AfxiStudy *study, const char *path, AfxError *out_error) {
    AfxiJournalHead head, want = afxi_journal_head(study, map->number);
    if (map->size < sizeof head) { /* killed before its head was written */
        return AFX_OK;
    }
    memcpy(&head, map->bytes, sizeof head);
    if (head.magic != want.magic || head.checksum != afxi_journal_sum(&head, offsetof(AfxiJournalHead, checksum))) {
        return afxi_sweep_error(out_error, AFX_E_INPUT, path, "journal", "delete it, or take another folder",
                                "is no journal of a sweep, or damaged");
    }
    if (head.study != want.study || head.vary_count != want.vary_count || head.value_count != want.value_count ||
        head.series_frames != want.series_frames || head.series_width != want.series_width) {
        return afxi_sweep_error(out_error, AFX_E_VERSION, path, "journal",
                                "take another folder, or the study as it was", "is of another study, scene or version");
    }
    map->sound = sizeof head;
    while (whole_entry(map, study, map->sound)) {
        map->sound += entry_at(map, map->sound)->bytes;
        map->entries++;
    }
    return AFX_OK;
}

static AfxStatus map_file(AfxiJournalMap *map, const char *path, AfxError *out_error) {
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool fine = fd >= 0 && fstat(fd, &info) == 0;
    if (fine && info.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        fine = bytes != MAP_FAILED;
        map->bytes = fine ? bytes : NULL;
        map->size = fine ? (size_t)info.st_size : 0;
    }
    int number = errno;
    if (fd >= 0) {
        close(fd);
    }
    return fine ? AFX_OK : afxi_sweep_system(out_error, path, "cannot be read", number);
}

static int by_number(const void *a, const void *b) {
    uint32_t x = ((const AfxiJournalMap *)a)->number, y = ((const AfxiJournalMap *)b)->number;
    return x < y ? -1 : x > y;
}

static AfxStatus add_file(AfxiJournals *journals, const AfxiStudy *study, const char *folder, const char *name,
                          uint32_t number, AfxError *out_error) {
    AfxiJournalMap *maps = realloc(journals->maps, (journals->count + 1) * sizeof *maps);
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    journals->maps = maps ? maps : journals->maps;
    if (!maps || !path) {
        free(path);
        return afxi_sweep_memory(out_error);
    }
    snprintf(path, size, "%s/%s", folder, name);
    AfxiJournalMap *map = &maps[journals->count++];
    *map = (AfxiJournalMap){.number = number};
    AfxStatus status = map_file(map, path, out_error);
    status = status ? status : scan(map, study, path, out_error);
    free(path);
    return status;
}

AfxStatus afxi_journals_open(const AfxiStudy *study, const char *folder, uint32_t only, AfxiJournals *out_journals,
                             AfxError *out_error) {
    *out_journals = (AfxiJournals){.vary_count = study->vary_count,
                                   .value_count = study->value_count,
                                   .series_frames = study->series_frames,
                                   .series_width = study->series_width};
    size_t size = strlen(folder) + 10;
    char *path = malloc(size);
    if (!path) {
        return afxi_sweep_memory(out_error);
    }
    snprintf(path, size, "%s/journal", folder);
    DIR *directory = opendir(path);
    AfxStatus status =
        directory || errno == ENOENT ? AFX_OK : afxi_sweep_system(out_error, path, "cannot be read", errno);
    for (struct dirent *item; directory && status == AFX_OK && (item = readdir(directory));) {
        unsigned number;
        int end = 0;
        if (sscanf(item->d_name, "rank-%5u.journal%n", &number, &end) == 1 && end > 0 && item->d_name[end] == '\0' &&
            (only == AFXI_JOURNAL_ALL || only == number)) {
            status = add_file(out_journals, study, path, item->d_name, number, out_error);
        }
    }
    if (directory) {
        closedir(directory);
    }
    free(path);
    if (status != AFX_OK) {
        afxi_journals_close(out_journals);
    } else if (out_journals->count) {
        qsort(out_journals->maps, out_journals->count, sizeof *out_journals->maps, by_number);
    }
    return status;
}

void afxi_journals_close(AfxiJournals *journals) {
    for (uint32_t k = 0; k < journals->count; k++) {
        if (journals->maps[k].bytes) {
            munmap((void *)(uintptr_t)journals->maps[k].bytes, journals->maps[k].size);
        }
    }
    free(journals->maps);
    journals->maps = NULL;
    journals->count = 0;
}

const AfxiEntry *afxi_journal_next(const AfxiJournalMap *map, size_t *offset) {
    *offset = *offset ? *offset : sizeof(AfxiJournalHead);
    if (*offset >= map->sound) {
        return NULL;
    }
    const AfxiEntry *entry = entry_at(map, *offset);
    *offset += entry->bytes;
    return entry;
}

const double *afxi_entry_point(const AfxiEntry *entry) {
    return (const double *)(const void *)(entry + 1);
}

const double *afxi_entry_values(const AfxiJournals *journals, const AfxiEntry *entry) {
    return afxi_entry_point(entry) + journals->vary_count;
}

const double *afxi_entry_series(const AfxiJournals *journals, const AfxiEntry *entry) {
    return entry->frames ? afxi_entry_values(journals, entry) + journals->value_count : NULL;
}

const char *afxi_entry_text(const AfxiJournals *journals, const AfxiEntry *entry) {
    return (const char *)(afxi_entry_values(journals, entry) + journals->value_count +
                          (size_t)entry->frames * journals->series_width);
}
