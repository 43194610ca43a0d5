/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a journal, shared by its writer and its reader. */
#ifndef AFXI_SWEEP_JOURNAL_FORMAT_H
#define AFXI_SWEEP_JOURNAL_FORMAT_H

#include <string.h>

#include "sweep/journal.h"

#define AFXI_JOURNAL_MAGIC 0x0a31304c4e4a5841ull /* "AXJNL01\n" */
#define AFXI_ENTRY_MAGIC 0x59525445u             /* "ETRY" */
#define AFXI_ENTRY_MOST ((uint64_t)1 << 40)

typedef struct AfxiJournalHead {
    uint64_t magic, study;
    uint32_t vary_count, value_count, series_frames, series_width;
    uint64_t rank, checksum;
} AfxiJournalHead;

/** A checksum of `size` bytes, a multiple of 8. */
static inline uint64_t afxi_journal_sum(const void *bytes, size_t size) {
    uint64_t sum = 0x9e3779b97f4a7c15ull, word;
    for (size_t k = 0; k < size; k += 8) {
        memcpy(&word, (const unsigned char *)bytes + k, 8);
        sum = (sum ^ word) * 0xff51afd7ed558ccdull;
        sum ^= sum >> 32;
    }
    return sum;
}

static inline AfxiJournalHead afxi_journal_head(const AfxiStudy *study, uint32_t rank) {
    AfxiJournalHead head = {.magic = AFXI_JOURNAL_MAGIC,
                            .study = study->hash,
                            .vary_count = study->vary_count,
                            .value_count = study->value_count,
                            .series_frames = study->series_frames,
                            .series_width = study->series_width,
                            .rank = rank};
    head.checksum = afxi_journal_sum(&head, offsetof(AfxiJournalHead, checksum));
    return head;
}

#endif
