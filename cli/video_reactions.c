/* SPDX-License-Identifier: Apache-2.0 */
/* Reactions of joints in a trajectory, as pages draw them: a trajectory has them in the joint's axes on the base, a
 * page in the world's. */
#include "cli/video_reactions.h"

#include "out/replay.h"

#include <stdio.h>
#include <stdlib.h>

#define NAME_SIZE 24

static AfxTable *read_table(const char *path, uint32_t count) {
    const char **names = calloc(count, sizeof(*names));
    char *texts = calloc(count, NAME_SIZE);
    AfxTable *table = NULL;
    for (uint32_t k = 0; names && texts && k < count; ++k) {
        names[k] = texts + (size_t)k * NAME_SIZE;
        snprintf(texts + (size_t)k * NAME_SIZE, NAME_SIZE, "reaction:%u", k);
    }
    if (!names || !texts || afx_table_read(path, count, names, NULL, &table, NULL) != AFX_OK) {
        table = NULL;
    }
    free(names);
    free(texts);
    return table;
}

void cli_reactions_read(const char *path, const AfxScene *scene, CliReactions *out) {
    uint32_t count = afx_scene_joint_count(scene), bodies = afx_scene_body_count(scene);
    *out = (CliReactions){0};
    if (count == 0 || count > AFXI_REPLAY_JOINTS) {
        return;
    }
    out->table = read_table(path, count);
    out->joints = calloc(count, sizeof(*out->joints));
    out->poses = calloc(bodies ? bodies : 1, sizeof(*out->poses));
    out->values = calloc(count, AFXI_LOOK_REACTION * sizeof(*out->values));
    bool fine = out->table && afx_table_column_count(out->table) == AFXI_LOOK_REACTION * count && out->joints &&
                out->poses && out->values;
    for (uint32_t k = 0; k < count && fine; ++k) {
        fine = afx_scene_get_joint(scene, afx_scene_joint(scene, k), &out->joints[k]) == AFX_OK;
    }
    out->count = fine ? count : 0;
}

void cli_reactions_take(CliReactions *reactions, uint64_t row, const AfxTable *poses, uint32_t first, uint32_t bodies) {
    for (uint32_t body = 0; body < bodies; ++body) {
        double at[7];
        for (uint32_t k = 0; k < 7; ++k) {
            at[k] = afx_table_column(poses, first + 7 * body + k)[row];
        }
        reactions->poses[body] = (AfxPose){{at[0], at[1], at[2]}, {at[3], at[4], at[5], at[6]}};
    }
    for (uint32_t k = 0; k < reactions->count; ++k) {
        double w[AFXI_LOOK_REACTION];
        for (uint32_t c = 0; c < AFXI_LOOK_REACTION; ++c) {
            w[c] = row < afx_table_row_count(reactions->table)
                       ? afx_table_column(reactions->table, AFXI_LOOK_REACTION * k + c)[row]
                       : 0;
        }
        AfxWrench wrench = {{w[0], w[1], w[2]}, {w[3], w[4], w[5]}};
        afxi_look_wrench(&wrench, &reactions->joints[k], reactions->poses, bodies,
                         reactions->values + (size_t)AFXI_LOOK_REACTION * k);
    }
}

void cli_reactions_destroy(CliReactions *reactions) {
    afx_table_destroy(reactions->table);
    free(reactions->joints);
    free(reactions->poses);
    free(reactions->values);
}
