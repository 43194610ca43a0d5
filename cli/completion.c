/* SPDX-License-Identifier: Apache-2.0 */
/* affix completion: what a shell needs to complete commands, options, cases and parameters of cases and scene files,
 * made from the tables of the program itself. */
#include "affix/io.h"
#include "cases/cases.h"
#include "cli/command.h"

#include <string.h>
#include <sys/stat.h>

enum { OPTION_PARAMETERS = CLI_OPTION_FIRST };

static const CliOption options[] = {
    CLI_OPTIONS_STANDARD,
    [OPTION_PARAMETERS] = {"parameters", "CASE|FILE",
                           "print the parameters of a case or scene file, as the scripts need them"},
};

#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

static bool takes_file(const CliOption *option) {
    return option->value &&
           (strstr(option->value, "FILE") || strstr(option->value, "DIR") || strcmp(option->value, "SNAPSHOT") == 0);
}

/* Text within single quotes of a shell; `special` are escaped by a backslash as well. */
static void quote(const char *text, const char *special) {
    for (const char *at = text; *at; ++at) {
        if (*at == '\'') {
            fputs("'\\''", stdout);
        } else if (strchr(special, *at)) {
            printf("\\%c", *at);
        } else {
            putchar(*at);
        }
    }
}

static void put_cases(void) {
    for (uint32_t k = 0; k < afxi_case_count(); ++k) {
        printf("%s%s", k ? " " : "", afxi_case_at(k)->name);
    }
}

/* ---- bash ---- */

static void print_bash(void) {
    puts("# bash completion of affix: affix completion bash >~/.local/share/bash-completion/completions/affix\n"
         "_affix() {\n"
         "    local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options= scene= words=\n"
         "    COMPREPLY=()\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    fputs("        mapfile -t COMPREPLY < <(compgen -W '", stdout);
    for (uint32_t k = 0; cli_commands[k]; ++k) {
        printf("%s ", cli_commands[k]->name);
    }
    puts("--help --version' -- \"$now\")\n        return\n    fi\n    case ${COMP_WORDS[1]} in");
    for (uint32_t k = 0; cli_commands[k]; ++k) {
        const CliCommand *command = cli_commands[k];
        printf("    %s)\n        options='", command->name);
        for (uint32_t o = 0; o < command->option_count; ++o) {
            printf("%s--%s", o ? " " : "", command->options[o].name);
        }
        printf("'%s ;;\n", command->scene ? " scene=yes" : "");
    }
    puts("    esac\n    case ${COMP_WORDS[1]}:${COMP_WORDS[2]} in");
    for (uint32_t k = 0; k < afxi_case_count(); ++k) {
        const AfxiCase *from = afxi_case_at(k);
        printf("    *:%s) words='", from->name);
        for (uint32_t p = 0; p < from->parameter_count; ++p) {
            printf("%s%s=", p ? " " : "", from->parameters[p].name);
        }
        puts("' ;;");
    }
    puts("    esac\n" /* those of a file are its own */
         "    if [ -z \"$words\" ] && [ -n \"$scene\" ] && [ \"$COMP_CWORD\" -gt 2 ] && [ -f \"${COMP_WORDS[2]}\" ]; "
         "then\n"
         "        words=$(\"${COMP_WORDS[0]}\" completion --parameters \"${COMP_WORDS[2]}\" 2>/dev/null)\n"
         "    fi\n"
         "    if [ \"$COMP_CWORD\" -eq 2 ] && { [ -n \"$scene\" ] || [ \"${COMP_WORDS[1]}\" = cases ]; }; then");
    fputs("        words='", stdout);
    put_cases();
    puts("'\n    elif [ \"$COMP_CWORD\" -eq 2 ] && [[ ${COMP_WORDS[1]} == @(help|man) ]]; then");
    fputs("        words='", stdout);
    for (uint32_t k = 0; cli_commands[k]; ++k) {
        printf("%s%s", k ? " " : "", cli_commands[k]->name);
    }
    puts("'\n    elif [ \"${COMP_WORDS[1]}\" = completion ]; then\n        words='bash zsh fish'\n    fi\n"
         "    if [[ $now == -* ]]; then\n"
         "        words=$options\n"
         "    elif [[ $before == --* || $before == -o ]]; then\n"
         "        words=\n"
         "    fi\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$now\")\n"
         "    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then\n"
         "        compopt -o nospace\n"
         "    fi\n"
         "}\n"
         "complete -o default -F _affix affix");
}

/* ---- zsh ---- */

static void print_zsh_option(const CliOption *option) {
    printf("        '--%s%s[", option->name, option->value ? "=" : "");
    quote(option->help, "[]:\\");
    putchar(']');
    if (option->value) {
        putchar(':');
        quote(option->value, "[]:\\");
        fputs(takes_file(option) ? ":_files" : ": ", stdout);
    }
    puts("' \\");
}

static void print_zsh(void) {
    puts("#compdef affix\n"
         "# zsh completion of affix: affix completion zsh >~/.zsh/completions/_affix, in a folder of $fpath\n"
         "_affix_scene() {\n"
         "    local -a names\n"
         "    if (( CURRENT > 2 )); then\n"
         "        names=(${(f)\"$(affix completion --parameters $words[2] 2>/dev/null)\"})\n"
         "        compadd -S '' -a names\n"
         "        return\n"
         "    fi");
    fputs("    names=(", stdout);
    put_cases();
    puts(")\n    compadd -a names\n    _files\n}\n_affix() {\n    local -a commands=(");
    for (uint32_t k = 0; cli_commands[k]; ++k) {
        printf("        '%s:", cli_commands[k]->name);
        quote(cli_commands[k]->help, ":\\");
        puts("'");
    }
    puts("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
         "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in");
    for (uint32_t k = 0; cli_commands[k]; ++k) {
        const CliCommand *command = cli_commands[k];
        printf("    %s)\n        _arguments -S \\\n", command->name);
        for (uint32_t o = 0; o < command->option_count; ++o) {
            print_zsh_option(&command->options[o]);
        }
        printf("        '*:%s' ;;\n", command->scene ? "case or file:_affix_scene" : "file:_files");
    }
    puts("    esac\n}\n_affix \"$@\"");
}

/* ---- fish ---- */

static void print_fish(void) {
    puts("# fish completion of affix: affix completion fish >~/.config/fish/completions/affix.fish\n"
         "function __affix_parameters\n"
         "    set -l words (commandline -opc)\n"
         "    test (count $words) -ge 3; and affix completion --parameters $words[3] 2>/dev/null\n"
         "end");
    for (uint32_t k = 0; cli_commands[k]; ++k) {
        const CliCommand *command = cli_commands[k];
        printf("complete -c affix -n __fish_use_subcommand -f -a %s -d '", command->name);
        quote(command->help, "\\");
        puts("'");
        for (uint32_t o = 0; o < command->option_count; ++o) {
            const CliOption *option = &command->options[o];
            printf("complete -c affix -n '__fish_seen_subcommand_from %s' -l %s%s%s -d '", command->name, option->name,
                   strcmp(option->name, "out") == 0 ? " -s o" : "",
                   !option->value       ? ""
                   : takes_file(option) ? " -r -F"
                                        : " -x");
            quote(option->help, "\\");
            puts("'");
        }
        if (command->scene || strcmp(command->name, "cases") == 0) {
            printf("complete -c affix -n '__fish_seen_subcommand_from %s' -a '", command->name);
            put_cases();
            puts("'");
        }
        if (command->scene) {
            printf("complete -c affix -n '__fish_seen_subcommand_from %s' -a '(__affix_parameters)'\n", command->name);
        }
    }
}

/* The parameters of a case, or of a scene file, one in a line. What cannot be loaded has none: a shell waits for no
 * message. */
static int print_parameters(const char *word) {
    const AfxiCase *from = afxi_case_find(word);
    struct stat info;
    for (uint32_t k = 0; from && k < from->parameter_count; ++k) {
        printf("%s=\n", from->parameters[k].name);
    }
    if (from || stat(word, &info) != 0 || !S_ISREG(info.st_mode)) {
        return from ? CLI_EXIT_FINE : CLI_EXIT_INPUT;
    }
    AfxRunDef run = afx_default_run();
    AfxSceneDef def = afx_default_scene();
    AfxLoadDef load = afx_default_load();
    AfxScene *scene = NULL;
    load.run = &run;
    AfxStatus status = afx_scene_create(&def, &scene);
    status = status ? status : afx_scene_load(scene, word, &load, NULL);
    afx_scene_destroy(scene);
    for (uint32_t k = 0; k < run.parameter_count && status == AFX_OK; ++k) {
        printf("%s=\n", run.parameters[k].name);
    }
    return status == AFX_OK ? CLI_EXIT_FINE : CLI_EXIT_INPUT;
}

static int completion(CliArguments *given) {
    static const struct {
        const char *shell;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    if (given->values[OPTION_PARAMETERS]) {
        return print_parameters(given->values[OPTION_PARAMETERS]);
    }
    for (size_t k = 0; given->word_count == 1 && k < sizeof(shells) / sizeof(shells[0]); ++k) {
        if (strcmp(given->words[0], shells[k].shell) == 0) {
            shells[k].print();
            return CLI_EXIT_FINE;
        }
    }
    cli_error(given->word_count ? given->words[0] : "completion", "affix completion bash|zsh|fish", "for which shell?");
    return CLI_EXIT_USAGE;
}

const CliCommand cli_command_completion = {
    .name = "completion",
    .help = "print a completion script for bash, zsh or fish",
    .usage = "<bash|zsh|fish>",
    .about =
        "Prints a script that completes commands, options, cases, and parameters of cases and scene files. For bash:\n"
        "affix completion bash >~/.local/share/bash-completion/completions/affix",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = completion,
};
