/* SPDX-License-Identifier: Apache-2.0 */
/* affix convert: any scene as scene JSON. */
#include "cli/command.h"
#include "cli/source.h"
#include "cli/spool.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { OPTION_OUT = CLI_OPTION_FIRST, OPTION_QUIET, OPTION_SOURCE };

static const CliOption options[] = {
    CLI_OPTIONS_STANDARD,
    [OPTION_OUT] = {"out", "FILE", "the file to write, .json; - for stdout"},
    [OPTION_QUIET] = {"quiet", NULL, "print nothing but errors"},
    CLI_OPTIONS_SOURCE(OPTION_SOURCE),
};

#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

static bool is_stdout(const char *target) {
    return strcmp(target, "-") == 0;
}

/* The file to write: that of --out, or the last word. */
static const char *take_target(CliArguments *given) {
    const char *target = given->values[OPTION_OUT];
    if (!target && given->word_count > 1) {
        target = given->words[--given->word_count];
    }
    size_t length = target ? strlen(target) : 0;
    if (!target || (!is_stdout(target) && (length < 5 || strcmp(target + length - 5, ".json") != 0))) {
        cli_error(target ? target : "convert", "write -o NAME.json", "to which file?");
        return NULL;
    }
    return target;
}

static int save(const AfxScene *scene, const AfxRunDef *run, const char *target) {
    char spool[CLI_SPOOL_PATH];
    AfxError error = {0};
    if (is_stdout(target) && !cli_spool_make(spool)) {
        return CLI_EXIT_SYSTEM;
    }
    error.status = afx_scene_save_run(scene, run, is_stdout(target) ? spool : target, &error);
    int code = error.status == AFX_OK ? CLI_EXIT_FINE : cli_error_from(&error);
    if (is_stdout(target)) {
        code = code == CLI_EXIT_FINE && !cli_spool_give(spool) ? CLI_EXIT_SYSTEM : code;
        unlink(spool);
    }
    return code;
}

static int convert(CliSource *source, const char *target, bool quiet) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    int code = cli_source_spares(source, target) ? cli_source_build(source, &def, &scene) : CLI_EXIT_USAGE;
    if (code != CLI_EXIT_FINE) {
        return code;
    }
    code = save(scene, &source->run, target);
    if (code == CLI_EXIT_FINE && !quiet && !is_stdout(target)) {
        uint32_t bodies = afx_scene_body_count(scene), joints = afx_scene_joint_count(scene);
        printf("%s: %" PRIu32 " bod%s, %" PRIu32 " joint%s\n", target, bodies, cli_plural(bodies, "y", "ies"), joints,
               cli_plural(joints, "", "s"));
    }
    if (code == CLI_EXIT_FINE && !quiet) {
        cli_source_print_notices(source, NULL);
    }
    afx_scene_destroy(scene);
    return code;
}

static int start(CliArguments *given) {
    CliSource source;
    const char *target = take_target(given);
    if (!target) {
        return CLI_EXIT_USAGE;
    }
    int code = cli_source_read(given, "convert", OPTION_SOURCE, &source);
    code = code != CLI_EXIT_FINE ? code : convert(&source, target, given->values[OPTION_QUIET] != NULL);
    cli_source_destroy(&source);
    return code;
}

const CliCommand cli_command_convert = {
    .name = "convert",
    .help = "write a case or a file as scene JSON",
    .usage = "<case|file> [name=value ...] -o <out.json> [options]",
    .about =
        "Writes a built-in case, or a file of another format (-: stdin), as scene JSON (docs/formats.md). Groups and\n"
        "instances are written out; the model of the new file is the same. The input is never overwritten.",
    .options = options,
    .option_count = OPTION_COUNT,
    .scene = true,
    .run = start,
};
