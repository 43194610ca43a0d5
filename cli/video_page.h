/* SPDX-License-Identifier: Apache-2.0 */
/* cli/video_page.h: the replay page that a film is taken from. */
#ifndef CLI_VIDEO_PAGE_H
#define CLI_VIDEO_PAGE_H

#include "cli/source.h"

typedef struct CliVideoRun {
    double dt, time; /* 0: as the case says */
    double interval; /* s between frames, at most */
    bool quiet;
} CliVideoRun;

/** Simulates and writes the page. An exit code, with the error printed. */
int cli_video_simulate(CliSource *source, const char *title, const CliVideoRun *run, const char *page);
/** Makes the page from a trajectory and the scene that it names. */
int cli_video_from_trajectory(const char *path, const char *page);

#endif
