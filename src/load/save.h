/* SPDX-License-Identifier: Apache-2.0 */
/* Writing scene JSON: a buffered file that remembers its first failure, and values that read back to the same bits. */
#ifndef AFXI_LOAD_SAVE_H
#define AFXI_LOAD_SAVE_H

#include "affix/io.h"

#define AFXI_SAVE_BUFFER 65536

/** Takes the next piece of a text; false ends it. */
typedef bool AfxiSaveTake(void *user, const char *data, size_t size);

typedef struct AfxiSave {
    int fd;
    AfxiSaveTake *take; /* in place of fd; NULL: none */
    void *user;
    int failure;   /* errno of the first write that failed; 0: none */
    bool bad_text; /* a name is not UTF-8 */
    bool first;    /* no comma before the next value */
    char *buffer;  /* [AFXI_SAVE_BUFFER] */
    size_t used;
} AfxiSave;

/** All of a scene, with how it is run (may be NULL), piece by piece. AFX_E_INPUT when a name in it is not UTF-8,
 * AFX_E_SYSTEM when a piece was not taken. */
AfxStatus afxi_save_pieces(const AfxScene *scene, const AfxRunDef *run, AfxiSaveTake *take, void *user);

void afxi_save_flush(AfxiSave *save);
/** Text as it is. */
void afxi_save_raw(AfxiSave *save, const char *text);
/** A comma unless it is the first value here; then, unless it is NULL, the key. */
void afxi_save_key(AfxiSave *save, const char *key);
void afxi_save_open(AfxiSave *save, const char *key, char bracket);
void afxi_save_close(AfxiSave *save, char bracket);
void afxi_save_text(AfxiSave *save, const char *key, const char *text);
void afxi_save_boolean(AfxiSave *save, const char *key, bool value);
/** The shortest decimal number that reads back to the same bits; "infinite" for INFINITY. */
void afxi_save_number(AfxiSave *save, const char *key, double value);
void afxi_save_whole(AfxiSave *save, const char *key, uint32_t value);
void afxi_save_vec3(AfxiSave *save, const char *key, AfxVec3 value);
/** The same, unless it is bit for bit the value that stands there when the key is absent. */
void afxi_save_number_unless(AfxiSave *save, const char *key, double value, double absent);
void afxi_save_vec3_unless_zero(AfxiSave *save, const char *key, AfxVec3 value);
/** Bit for bit. */
bool afxi_save_is_identity(AfxPose pose);
/** Keys "position" and "rotation" where they differ from the identity. */
void afxi_save_pose(AfxiSave *save, AfxPose pose);
/** A rotation, unless it is none. */
void afxi_save_rotation(AfxiSave *save, const char *key, AfxQuat q);
/** A table of forces `over` positions or rates; nothing where it has no samples. */
void afxi_save_table(AfxiSave *save, const char *key, const char *over, const AfxForceTable *table);
void afxi_save_signal(AfxiSave *save, const char *key, const AfxSignal *signal);

#endif
