/* SPDX-License-Identifier: Apache-2.0 */
/* Reactions of joints in a trajectory, as pages draw them. */
#ifndef CLI_VIDEO_REACTIONS_H
#define CLI_VIDEO_REACTIONS_H

#include "affix/out.h"

typedef struct CliReactions {
    uint32_t count; /* joints; 0: the trajectory has no reactions, or joints are too many */
    AfxTable *table;
    AfxJointDef *joints; /* [count] */
    AfxPose *poses;      /* [bodies] of the frame at hand */
    float *values;       /* [count][AFXI_LOOK_REACTION] of the frame at hand */
} CliReactions;

/** What there is of them. */
void cli_reactions_read(const char *path, const AfxScene *scene, CliReactions *out);
/** Fills values for a row, whose poses are `poses`: a table with 7 columns for each body from `first` on. */
void cli_reactions_take(CliReactions *reactions, uint64_t row, const AfxTable *poses, uint32_t first, uint32_t bodies);
void cli_reactions_destroy(CliReactions *reactions);

#endif
