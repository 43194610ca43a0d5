/* SPDX-License-Identifier: Apache-2.0 */
/* cli/start.h: what does not fit at the start: bodies that lie in each other, joints whose frames do not meet. */
#ifndef CLI_START_H
#define CLI_START_H

#include "affix/sim.h"
#include "cli/json.h"
#include "cli/names.h"

/* So many of each are kept, as they come; the rest is counted. */
#define CLI_START_LISTED 100u

typedef struct CliMisfits {
    AfxOverlap overlaps[CLI_START_LISTED];
    AfxJointGap gaps[CLI_START_LISTED];
    uint32_t overlap_count, gap_count; /* all there are */
    bool intersect;                    /* barrier contact: the overlaps are intersections, with which no step begins */
} CliMisfits;

/** Of a sim at its start. An exit code: joints that cannot be assembled are an error, which is printed. */
int cli_misfits_find(AfxSim *sim, const CliNames *names, CliMisfits *out_misfits);
/** Notes, the first few of each kind; nothing where all fits. */
void cli_misfits_print(const CliMisfits *misfits, const CliNames *names);
/** "overlaps" and "open_joints", arrays. */
void cli_misfits_write(const CliMisfits *misfits, const CliNames *names, CliJson *json);

#endif
