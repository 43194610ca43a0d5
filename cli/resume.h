/* SPDX-License-Identifier: Apache-2.0 */
/* cli/resume.h: a run taken up again: the snapshot, and the command line that the run was started with. */
#ifndef CLI_RESUME_H
#define CLI_RESUME_H

#include "affix/out.h"
#include "cli/options.h"

typedef struct CliResume {
    AfxSnapshot *snapshot; /* NULL: the run starts anew */
    bool previous;         /* the newest one was damaged: this is the one before */
    char *text;            /* the stored words, one after the other */
    char **words;
} CliResume;

/** Reads the snapshot at `path`, or the one before it when that is damaged, and merges its command line into
 * *arguments: what is given again must be the same, but for options that may differ (the time, threads, how it
 * reports). False after an error was printed, with *out_code. The strings live until cli_resume_destroy. */
bool cli_resume_read(const char *path, const CliOption *options, uint32_t option_count, CliArguments *arguments,
                     CliResume *out_resume, int *out_code);
void cli_resume_destroy(CliResume *resume);

/** The command line as a part of a snapshot: its words, each with its zero. Free it with free(); NULL when there is no
 * memory. */
char *cli_resume_command(const CliOption *options, uint32_t option_count, const CliArguments *arguments,
                         size_t *out_size);

#endif
