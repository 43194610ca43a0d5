/* SPDX-License-Identifier: Apache-2.0 */
/* The files that are made of the journals when all runs are done: the table, HDF5 of each rank, the index, the report.
 */
#ifndef AFXI_SWEEP_FINISH_H
#define AFXI_SWEEP_FINISH_H

#include "sweep/journal.h"

/** Every run once, by its number. */
typedef struct AfxiTableRows {
    const AfxiEntry **entries; /* [count] by rising run */
    uint64_t count;
    uint64_t failed;
    uint64_t best; /* index of the smallest objective; UINT64_MAX: none */
} AfxiTableRows;

AfxStatus afxi_rows_create(const AfxiStudy *study, const AfxiJournals *journals, AfxiTableRows *out_rows,
                           AfxError *out_error);
void afxi_rows_destroy(AfxiTableRows *rows);
/** Indices of the `most` rows with the smallest objectives, best first; returns how many there are. */
uint32_t afxi_rows_best(const AfxiStudy *study, const AfxiJournals *journals, const AfxiTableRows *rows, uint32_t most,
                        uint64_t *out_best);

/** DIR/runs.csv. */
AfxStatus afxi_write_table(const AfxiStudy *study, const AfxiJournals *journals, const AfxiTableRows *rows,
                           const char *folder, AfxError *out_error);
/** DIR/rank-NNNNN.h5 of every journal whose place in the list is `part` modulo `parts`. */
AfxStatus afxi_write_ranks(const AfxiStudy *study, const AfxiJournals *journals, const char *folder, uint32_t part,
                           uint32_t parts, AfxError *out_error);
/** DIR/index.h5: virtual datasets over the files of the ranks, and where each run is. */
AfxStatus afxi_write_index(const AfxiStudy *study, const AfxiJournals *journals, const char *folder,
                           AfxError *out_error);
/** DIR/runs.h5: all in one file, by rising run. */
AfxStatus afxi_write_merged(const AfxiStudy *study, const AfxiJournals *journals, const AfxiTableRows *rows,
                            const char *folder, AfxError *out_error);
/** DIR/report.html, and DIR/replays/run-N.html of the `replays` best runs. */
AfxStatus afxi_write_report(const AfxiStudy *study, const AfxiJournals *journals, const AfxiTableRows *rows,
                            const char *folder, uint32_t replays, AfxError *out_error);

/** A file that is written as PATH.new and takes its place when it is complete. */
typedef struct AfxiFresh {
    char path[4096], temporary[4104];
    void *file; /* FILE */
} AfxiFresh;

AfxStatus afxi_fresh_open(AfxiFresh *fresh, const char *folder, const char *name, AfxError *out_error);
/** Closes and renames, or removes it when it could not be written. */
AfxStatus afxi_fresh_close(AfxiFresh *fresh, AfxError *out_error);

#endif
