/* SPDX-License-Identifier: Apache-2.0 */
/* Checking and walking the bytes of a snapshot. Nothing in them is believed before it was compared with their number.
 */
#include "out/snapshot.h"

#include <stddef.h>
#include <string.h>

#include "base/hash.h"

_Static_assert(sizeof(AfxiSnapshotHead) == 64 && sizeof(AfxiSnapshotSection) == 24, "no padding in the file's layout");

/* A section at `at`: where its bytes are and where the next one begins. False at the end, or when it does not fit. */
static bool next_section(const unsigned char *data, size_t size, size_t *at, AfxiSnapshotSection *out_section,
                         const unsigned char **out_bytes) {
    if (size - *at < sizeof *out_section) {
        return false;
    }
    memcpy(out_section, data + *at, sizeof *out_section);
    size_t left = size - *at - sizeof *out_section;
    if (out_section->name[AFXI_SNAPSHOT_NAME - 1] != '\0' || out_section->size > left) {
        return false;
    }
    *out_bytes = data + *at + sizeof *out_section;
    size_t padded = ((size_t)out_section->size + 7) / 8 * 8; /* cannot overflow: size <= left */
    *at += sizeof *out_section + (padded < left ? padded : left);
    return true;
}

static uint64_t head_hash(const AfxiSnapshotHead *head) {
    return afxi_hash(AFXI_HASH_START, head, offsetof(AfxiSnapshotHead, head_hash));
}

/* Hash of all sections; false when they do not fill the bytes exactly. */
static bool body_hash(const unsigned char *data, size_t size, uint64_t *out_hash) {
    size_t at = sizeof(AfxiSnapshotHead);
    AfxiSnapshotSection section;
    const unsigned char *bytes;
    *out_hash = AFXI_HASH_START;
    while (at < size) {
        if (!next_section(data, size, &at, &section, &bytes)) {
            return false;
        }
        *out_hash = afxi_hash(*out_hash, &section, sizeof section);
        *out_hash = afxi_hash(*out_hash, bytes, (size_t)section.size);
    }
    return true;
}

const char *afxi_snapshot_fault(const void *data, size_t size, AfxStatus *out_status) {
    AfxiSnapshotHead head;
    uint64_t hash = 0;
    *out_status = AFX_E_INPUT;
    if (size < sizeof head) {
        return "is cut short";
    }
    memcpy(&head, data, sizeof head);
    if (head.magic != AFXI_SNAPSHOT_MAGIC) {
        return "is not a snapshot";
    }
    if (head.version != AFXI_SNAPSHOT_VERSION || head.order != AFXI_SNAPSHOT_ORDER) {
        *out_status = AFX_E_VERSION;
        return "is a snapshot of another version of this program, or of another kind of machine";
    }
    if (head.head_hash != head_hash(&head)) {
        return "is damaged: the checksum of its head is wrong";
    }
    if (head.file_size != size) {
        return head.file_size > size ? "is cut short" : "is damaged: it is too long";
    }
    if (!body_hash(data, size, &hash) || hash != head.body_hash) {
        return "is damaged: its checksum is wrong";
    }
    return NULL;
}

bool afxi_snapshot_find(const void *data, size_t size, const char *name, const void **out_data, size_t *out_size) {
    size_t at = sizeof(AfxiSnapshotHead);
    AfxiSnapshotSection section;
    const unsigned char *bytes;
    while (at < size && next_section(data, size, &at, &section, &bytes)) {
        if (strcmp(section.name, name) == 0) {
            *out_data = bytes;
            *out_size = (size_t)section.size;
            return true;
        }
    }
    return false;
}

void afxi_snapshot_seal(void *data, size_t size) {
    AfxiSnapshotHead head;
    if (size < sizeof head) {
        return;
    }
    memcpy(&head, data, sizeof head);
    head.file_size = size;
    body_hash(data, size, &head.body_hash);
    head.head_hash = head_hash(&head);
    memcpy(data, &head, sizeof head);
}
