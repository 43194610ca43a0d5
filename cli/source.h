/* SPDX-License-Identifier: Apache-2.0 */
/* cli/source.h: where a scene comes from, for every command that takes one: a built-in case with its parameters, or a
 * file with the options of loading; "-" is stdin, and a trajectory or snapshot
 * is the scene in it. */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include "affix/io.h"
#include "cli/json.h"
#include "cli/options.h"
#include "out/kept.h"

/* The options of loading, from index `first` of a table of options on; they need CLI_SOURCE_OPTION_COUNT places. */
enum {
    CLI_SOURCE_STRICT,
    CLI_SOURCE_OUTSIDE,
    CLI_SOURCE_PACKAGE,
    CLI_SOURCE_KEEP,
    CLI_SOURCE_FREE,
    CLI_SOURCE_ITEMS,
    CLI_SOURCE_FLOPS,
    CLI_SOURCE_OPTION_COUNT
};
#define CLI_OPTIONS_SOURCE(first)                                                                                    \
    [(first) + CLI_SOURCE_STRICT] = {"strict", NULL, "file: unsupported elements are errors"},                       \
               [(first) + CLI_SOURCE_OUTSIDE] = {"allow-outside", NULL, "file: may name files outside its folder"},  \
               [(first) + CLI_SOURCE_PACKAGE] = {"package", "NAME=DIR ...", "file: where package://NAME/ is"},       \
               [(first) + CLI_SOURCE_KEEP] = {"keep-fixed", NULL, "URDF: links that are fixed together stay apart"}, \
               [(first) +                                                                                            \
                   CLI_SOURCE_FREE] = {"free-base", NULL, "URDF: the root link is free, not fixed in the world"},    \
               [(first) + CLI_SOURCE_ITEMS] = {"limit-items", "N",                                                   \
                                               "file: bodies, shapes, joints ... that it may make (default 1e6)"},   \
               [(first) + CLI_SOURCE_FLOPS] = {"limit-flops", "F",                                                   \
                                               "file: operations that a solver iteration may take (default 2e10)"}

/** What a loader wanted known. */
typedef struct CliNotice {
    AfxNoticeKind kind;
    int line;
    char *file, *element, *text; /* one block, at file */
} CliNotice;

typedef struct CliSource {
    const char *label;           /* the case's name, or the path */
    bool file;                   /* else a case */
    AfxiResultKind result;       /* of a file: the scene in a trajectory or snapshot */
    AfxiCaseArguments arguments; /* of a case; from is NULL for a file */
    AfxLoadDef load;             /* of a file */
    AfxRunDef run;               /* how the case is run or, once it is built, the file */
    char *text;                  /* [text_size] of stdin, read once */
    size_t text_size;
    double flops_most;  /* of a file: operations of one solve */
    CliNotice *notices; /* [notice_count] */
    uint32_t notice_count, notice_capacity;
    bool notices_lost; /* there was no memory for some */
} CliSource;

/** Says that there is no such case, and what may have been meant. An exit code. */
int cli_source_no_case(const char *word);
/** Reads which case (with parameters words[1..]) or file it is; `first` as in CLI_OPTIONS_SOURCE. An exit code, with
 * the error printed. */
int cli_source_read(const CliArguments *given, const char *command, uint32_t first, CliSource *out_source);
/** Makes the scene; *out_error tells what is wrong. */
AfxStatus cli_source_make(CliSource *source, const AfxSceneDef *def, AfxScene **out_scene, AfxError *out_error);
/** cli_source_make with an exit code, and the error printed. */
int cli_source_build(CliSource *source, const AfxSceneDef *def, AfxScene **out_scene);
/** Whether a solve of the model of a file is within its limit, before anything of that size is made. */
AfxStatus cli_source_check(const CliSource *source, const AfxModel *model, AfxError *out_error);
/** Whether `path` may be written: it must not be the file that the scene comes from. False after an error was printed.
 */
bool cli_source_spares(const CliSource *source, const char *path);
/** Forgets the notices. */
void cli_source_forget(CliSource *source);
void cli_source_destroy(CliSource *source);

/** One line for each notice on stdout, each after `indent`; NULL: as notes on stderr. */
void cli_source_print_notices(const CliSource *source, const char *indent);
/** "notices": [{...}, ...] */
void cli_source_write_notices(const CliSource *source, CliJson *json);

#endif
