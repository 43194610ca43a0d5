/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a snapshot file: a head, then sections. All numbers are in the machine's own order, which the head
 * tells; a state goes on bit for bit only on a machine like the one it comes from. */
#ifndef AFXI_OUT_SNAPSHOT_H
#define AFXI_OUT_SNAPSHOT_H

#include "affix/out.h"

#define AFXI_SNAPSHOT_MAGIC UINT64_C(0x70616e7378696661) /* "afixsnap", read as bytes of a little-endian machine */
#define AFXI_SNAPSHOT_VERSION 1u
#define AFXI_SNAPSHOT_ORDER 0x01020304u
#define AFXI_SNAPSHOT_NAME 16

typedef struct AfxiSnapshotHead {
    uint64_t magic;
    uint32_t version, order;
    uint64_t file_size;
    uint64_t step;
    double time;
    uint64_t model_hash;
    uint64_t body_hash; /* of all sections, without their padding */
    uint64_t head_hash; /* of what stands before it */
} AfxiSnapshotHead;

/** Before the bytes of a section, which are followed by zeros up to a multiple of 8. */
typedef struct AfxiSnapshotSection {
    char name[AFXI_SNAPSHOT_NAME]; /* ends with zeros */
    uint64_t size;
} AfxiSnapshotSection;

/** What a snapshot file is of; `hasty`: it need not outlast a loss of power. */
typedef struct AfxiSnapshotOf {
    double time;
    uint64_t model_hash;
    bool hasty;
} AfxiSnapshotOf;

/** Writes a file with these sections, of which one is the state. `def` gives allocator, path, keep and step. */
AfxStatus afxi_snapshot_save(const AfxSnapshotDef *def, const AfxiSnapshotOf *of, const AfxSnapshotPart *parts,
                             uint32_t count, AfxError *out_error);

/** Checks the bytes of a whole file, aligned to 8; NULL when they are a snapshot, else what is wrong. *out_status is
 * then AFX_E_INPUT, or AFX_E_VERSION for a sound snapshot of another version or machine. */
const char *afxi_snapshot_fault(const void *data, size_t size, AfxStatus *out_status);
/** The section of that name in bytes that were checked; false when there is none. */
bool afxi_snapshot_find(const void *data, size_t size, const char *name, const void **out_data, size_t *out_size);
/** Writes the hashes into the head; for tests, of bytes whose sections can be walked. */
void afxi_snapshot_seal(void *data, size_t size);

#endif
