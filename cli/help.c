/* SPDX-License-Identifier: Apache-2.0 */
/* affix help and affix man: the table of commands for people: on the terminal, and as manual pages (man(7) roff). */
#include "cli/command.h"

#include <string.h>

static const CliOption options[] = {CLI_OPTIONS_STANDARD};

#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

static int help(CliArguments *given) {
    if (given->word_count == 0) {
        cli_command_print_usage(stdout);
        return CLI_EXIT_FINE;
    }
    const CliCommand *command = cli_command_find(given->words[0]);
    if (!command) {
        return cli_command_unknown(given->words[0]);
    }
    cli_command_print_help(command, given->word_count > 1 ? given->words[1] : NULL);
    return CLI_EXIT_FINE;
}

/* ---- manual pages ---- */

/* Text for roff: backslashes and dashes escaped, no line that begins with a request. */
static void put(const char *text) {
    for (const char *at = text; *at; ++at) {
        bool first = at == text || at[-1] == '\n';
        if (first && (*at == '.' || *at == '\'')) {
            fputs("\\&", stdout);
        }
        if (*at == '\\') {
            fputs("\\e", stdout);
        } else if (*at == '-') {
            fputs("\\-", stdout);
        } else {
            putchar(*at);
        }
    }
}

static void head(const char *name, const char *help_text) {
    fputs(".TH \"", stdout);
    for (const char *at = name; *at; ++at) {
        putchar(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
    }
    printf("\" 1 \"\" \"affix %s\" \"User Commands\"\n.SH NAME\n", afx_version());
    put(name);
    fputs(" \\- ", stdout);
    put(help_text);
    puts("\n.SH SYNOPSIS");
}

static void put_options(const CliCommand *command) {
    puts(".SH OPTIONS");
    for (uint32_t k = 0; k < command->option_count; ++k) {
        const CliOption *option = &command->options[k];
        fputs(".TP\n.B ", stdout);
        fputs(strcmp(option->name, "out") == 0 ? "\\-o, \\-\\-" : "\\-\\-", stdout);
        put(option->name);
        if (option->value) {
            fputs(" \\fI", stdout);
            put(option->value);
            fputs("\\fR", stdout);
        }
        putchar('\n');
        put(option->help);
        putchar('\n');
    }
}

static void put_codes(bool numeric) {
    puts(".SH EXIT STATUS\n.TP\n0\nAll is fine.\n.TP\n1\nOut of memory, or the output could not be "
         "written.\n.TP\n2\nWrong "
         "usage.\n.TP\n3\nBad input.");
    if (numeric) {
        puts(".TP\n4\nA numerical failure: a step did not converge.");
    }
    puts(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nWhere it is set and not empty, nothing is coloured.\n.TP\n.B "
         "TMPDIR\nFolder for "
         "temporary files.");
}

static void page_of(const CliCommand *command) {
    char name[40];
    snprintf(name, sizeof(name), "affix-%s", command->name);
    head(name, command->help);
    printf(".B affix %s\n", command->name);
    put(command->usage);
    puts("\n.SH DESCRIPTION");
    put(command->about);
    putchar('\n');
    put_options(command);
    put_codes(command->numeric);
    puts(".SH SEE ALSO\n.BR affix (1)");
}

static void page_of_program(void) {
    head("affix", "multibody dynamics with affine bodies");
    puts(".B affix\n.I command\n[options]\n.SH DESCRIPTION\nSimulates rigid and elastic bodies with joint constraints, "
         "drives and\n"
         "contact: built\\-in cases, or files (scene JSON, URDF, SDF, MJCF).\n.SH COMMANDS");
    for (uint32_t k = 0; cli_commands[k]; ++k) {
        printf(".TP\n.BR affix\\-%s (1)\n", cli_commands[k]->name);
        put(cli_commands[k]->help);
        putchar('\n');
    }
    put_codes(true);
    puts(".SH EXAMPLES\n.nf\naffix run t\\-handle\naffix view pulley \\-\\-open\naffix convert four\\-bar \\-o "
         "four\\-bar.json\n.fi");
}

static int man(CliArguments *given) {
    const CliCommand *command = given->word_count ? cli_command_find(given->words[0]) : NULL;
    if (given->word_count && !command) {
        return cli_command_unknown(given->words[0]);
    }
    if (command) {
        page_of(command);
    } else {
        page_of_program();
    }
    return CLI_EXIT_FINE;
}

const CliCommand cli_command_help = {
    .name = "help",
    .help = "explain a command",
    .usage = "[command [case]]",
    .about = "Prints the help of a command, with the parameters of a case where one is named.",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = help,
};

const CliCommand cli_command_man = {
    .name = "man",
    .help = "print a manual page",
    .usage = "[command]",
    .about = "Prints the manual page of the program or of a command as roff: affix man run | man -l -",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = man,
};
