/* SPDX-License-Identifier: Apache-2.0 */
/* affix convert: any scene as scene JSON. */
#include "cli/source.h"

#include <inttypes.h>
#include <string.h>

enum { OPTION_SOURCE = CLI_OPTION_FIRST, OPTION_QUIET = OPTION_SOURCE + CLI_SOURCE_OPTION_COUNT };

static const CliOption options[] = {
    CLI_OPTIONS_STANDARD,
    CLI_OPTIONS_SOURCE(OPTION_SOURCE),
    [OPTION_QUIET] = {"quiet", NULL, "print nothing but errors"},
};

#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

static void print_help(void) {
    puts("Usage: affix convert <case|file> [name=value ...] <out.json> [options]\n\n"
         "Writes a built-in case, or a file of another format, as scene JSON (docs/formats.md). Groups and instances\n"
         "are written out; the model of the new file is the same.\n\nOptions:");
    cli_options_print(options, OPTION_COUNT);
    puts("\nExit codes: 0 fine, 1 no memory or output, 2 usage, 3 bad input.");
}

/* The last word is the file to write. */
static const char *take_target(CliArguments *given) {
    const char *target = given->word_count > 1 ? given->words[given->word_count - 1] : NULL;
    size_t length = target ? strlen(target) : 0;
    if (length < 5 || strcmp(target + length - 5, ".json") != 0) {
        cli_error(target ? target : "convert", "end with the file to write, NAME.json", "to which file?");
        return NULL;
    }
    given->word_count--;
    return target;
}

static int convert(CliSource *source, const char *target, bool quiet) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxError error = {0};
    int code = cli_source_build(source, &def, &scene);
    if (code != CLI_EXIT_FINE) {
        return code;
    }
    AfxStatus status = afx_scene_save(scene, target, &error);
    if (status != AFX_OK) {
        error.status = status;
        code = cli_error_from(&error);
    } else if (!quiet) {
        uint32_t bodies = afx_scene_body_count(scene), joints = afx_scene_joint_count(scene);
        printf("%s: %" PRIu32 " bod%s, %" PRIu32 " joint%s\n", target, bodies, cli_plural(bodies, "y", "ies"), joints,
               cli_plural(joints, "", "s"));
        cli_source_print_notices(source, stderr, "affix: note: ");
    }
    afx_scene_destroy(scene);
    return code;
}

int cli_convert(int argc, char **argv) {
    CliArguments given;
    CliSource source;
    if (!cli_options_read(options, OPTION_COUNT, argc, argv, &given)) {
        return CLI_EXIT_USAGE;
    }
    if (given.values[CLI_OPTION_HELP]) {
        print_help();
        return CLI_EXIT_FINE;
    }
    if (given.values[CLI_OPTION_VERSION]) {
        cli_print_version();
        return CLI_EXIT_FINE;
    }
    const char *target = take_target(&given);
    if (!target) {
        return CLI_EXIT_USAGE;
    }
    int code = cli_source_read(&given, "convert", OPTION_SOURCE, &source);
    code = code != CLI_EXIT_FINE ? code : convert(&source, target, given.values[OPTION_QUIET] != NULL);
    cli_source_destroy(&source);
    return code;
}
