/* SPDX-License-Identifier: Apache-2.0 */
/* The journal of a process: a file that only grows, with an entry for every run that is done. It is what a sweep is
 * resumed from and what all other files are made of. An entry has a checksum, so that one that was cut off by a kill or
 * a full disk is seen and dropped. Everything is in the byte order of the machine, which the head tells.
 *
 *     head:  magic, version, hash of the study, numbers of parameters and values, frames and width of the series
 *     entry: AfxiEntry, parameters, values, series, text, padding to 8 bytes, checksum */
#ifndef AFXI_SWEEP_JOURNAL_H
#define AFXI_SWEEP_JOURNAL_H

#include "sweep/worker.h"

typedef struct AfxiEntry {
    uint32_t magic;
    int32_t status;  /* AfxStatus */
    uint64_t bytes;  /* of the whole entry */
    uint64_t run;    /* number of the run in the study */
    uint64_t id;     /* hash of scene, settings and parameters */
    uint64_t hash;   /* of the last state */
    uint64_t steps;  /* made */
    double time;     /* reached */
    uint32_t text;   /* bytes of the reason */
    uint32_t frames; /* of the series in this entry */
} AfxiEntry;

/** A journal being written. Threads of a process share it under a lock of the caller's. */
typedef struct AfxiJournal {
    int fd; /* -1: closed */
    char *path;
    char *buffer; /* [capacity], `filled` of them wait */
    size_t filled, capacity;
    int error; /* errno of the first failure: nothing is written after it */
} AfxiJournal;

/** Makes or continues the journal of a rank; what was cut off at its end is taken away. */
AfxStatus afxi_journal_open(const AfxiStudy *study, const char *folder, uint32_t rank, AfxiJournal *out_journal,
                            AfxError *out_error);
/** Adds a run. False after an error. */
bool afxi_journal_add(AfxiJournal *journal, const AfxiStudy *study, uint64_t run, const double *point,
                      const AfxiResult *result);
/** Hands what waits to the system: it then survives a kill. */
bool afxi_journal_flush(AfxiJournal *journal);
/** Flushes, with `sync` to the disk itself, and closes. AFX_E_SYSTEM when something could not be written. */
AfxStatus afxi_journal_close(AfxiJournal *journal, bool sync, AfxError *out_error);

/** All journals of a folder, mapped into memory. */
typedef struct AfxiJournalMap {
    const unsigned char *bytes;
    size_t size;  /* of the file */
    size_t sound; /* bytes up to the end of the last whole entry */
    uint64_t entries;
    uint32_t number; /* of the rank that wrote it */
} AfxiJournalMap;

typedef struct AfxiJournals {
    AfxiJournalMap *maps; /* [count], by rising number */
    uint32_t count;
    uint32_t vary_count, value_count, series_frames, series_width;
} AfxiJournals;

#define AFXI_JOURNAL_ALL UINT32_MAX

/** Opens all journals of the study, or only that of one rank; AFX_E_VERSION when one is of another study, AFX_E_INPUT
 * when one is damaged before its end. None at all is no error. */
AfxStatus afxi_journals_open(const AfxiStudy *study, const char *folder, uint32_t only, AfxiJournals *out_journals,
                             AfxError *out_error);
void afxi_journals_close(AfxiJournals *journals);
/** The entry at *offset of a map, which moves on; start with 0. NULL at the end. */
const AfxiEntry *afxi_journal_next(const AfxiJournalMap *map, size_t *offset);
const double *afxi_entry_point(const AfxiEntry *entry);
const double *afxi_entry_values(const AfxiJournals *journals, const AfxiEntry *entry);
const double *afxi_entry_series(const AfxiJournals *journals, const AfxiEntry *entry);
/** Not terminated: entry->text bytes. */
const char *afxi_entry_text(const AfxiJournals *journals, const AfxiEntry *entry);

#endif
