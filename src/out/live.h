/* SPDX-License-Identifier: Apache-2.0 */
/* A run that somebody else watches: a snapshot file with the scene in it, written anew as the run goes on. Who shows it
 * (src/view) builds the scene from it once, and takes state, report and drawing whenever the file has changed. */
#ifndef AFXI_OUT_LIVE_H
#define AFXI_OUT_LIVE_H

#include "affix/out.h"

#define AFXI_LIVE_REPORT "live-report" /* the part with the report, by which the file is known */
#define AFXI_LIVE_DRAWING "drawing"
#define AFXI_LIVE_CONTACTS "contacts" /* as frames have them (out/look.h): a state does not know their points */
#define AFXI_LIVE_CONTACTS_MOST 1024u

/** What was combined of the steps since the last frame. */
typedef struct AfxiLiveReport {
    double residual, rotation_error;
    double seconds; /* that a step took */
    uint32_t solves, flags, contacts, reason;
} AfxiLiveReport;

/** Whether a file is one of a run that can be watched. */
bool afxi_live_is(const char *path);

#endif
