/* SPDX-License-Identifier: Apache-2.0 */
/* affix plot: columns of a trajectory or of a table over time, as SVG or, by way of rsvg-convert, as PNG. */
#include "affix/out.h"
#include "cli/chart.h"
#include "cli/command.h"
#include "cli/spool.h"
#include "out/quiet.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAMES_MOST 64
#define ZOOM "2" /* pixels of a PNG for each of the picture */

enum { OPTION_WHAT = CLI_OPTION_FIRST, OPTION_OUT, OPTION_LOG, OPTION_TITLE };

static const CliOption options[] = {
    CLI_OPTIONS_STANDARD,
    [OPTION_WHAT] = {"what", "LIST", "columns: energy (default), residual, joint:NAME, body:NAME.z ..."},
    [OPTION_OUT] = {"out", "FILE", "the picture, .svg or .png; - for SVG on stdout"},
    [OPTION_LOG] = {"log", NULL, "logarithmic axes (of residuals in any case)"},
    [OPTION_TITLE] = {"title", "TEXT", "what stands above (default: the file's name)"},
};

#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

/* The axis of a column, by the word that its name begins with. */
static const struct {
    const char *word, *label;
    bool log;
} kinds[] = {
    {"energy", "energy, J", false},
    {"residual", "constraint violation, m or rad", true},
    {"rotation_error", "rotation error, rad", true},
    {"contacts", "contacts", false},
    {"depth", "penetration, m", true},
    {"solves", "solver iterations per step", false},
    {"flags", "flags", false},
    {"step", "step", false},
    {"momentum", "momentum, SI", false},
    {"body", "pose, m or 1", false},
    {"velocity", "velocity, m/s or rad/s", false},
    {"marker", "position, m", false},
    {"joint", "joint coordinate, m or rad", false},
    {"rate", "joint rate, m/s or rad/s", false},
    {"reaction", "reaction, N or Nm", false},
    {"effort", "effort, N or Nm", false},
};

#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

/* Length of the word that tells the kind of a column. */
static size_t word_length(const char *name) {
    return strcspn(name, ":.");
}

/* Splits a list with commas in place. */
static uint32_t split(char *list, const char **out_names) {
    uint32_t count = 0;
    for (char *at = list; at && count < NAMES_MOST; ++count) {
        out_names[count] = at;
        at = strchr(at, ',');
        if (at) {
            *at++ = '\0';
        }
    }
    return count;
}

/* One panel for each kind of column, in the order of the first of its kind. Column 0 of the table is the time. */
static uint32_t make_panels(const AfxTable *table, bool log, CliChartSeries *series, CliChartPanel *panels) {
    uint32_t columns = afx_table_column_count(table), used = 0, count = 0;
    for (uint32_t k = 1; k < columns; ++k) {
        const char *name = afx_table_name(table, k);
        size_t length = word_length(name);
        bool seen = false;
        for (uint32_t p = 0; p < count && !seen; ++p) {
            const char *other = panels[p].series[0].name;
            seen = word_length(other) == length && strncmp(other, name, length) == 0;
        }
        if (seen) {
            continue;
        }
        CliChartPanel *panel = &panels[count++];
        *panel = (CliChartPanel){.label = name, .log = log, .series = series + used};
        for (size_t kind = 0; kind < KIND_COUNT; ++kind) {
            if (strlen(kinds[kind].word) == length && strncmp(kinds[kind].word, name, length) == 0) {
                panel->label = kinds[kind].label;
                panel->log = log || kinds[kind].log;
            }
        }
        for (uint32_t other = k; other < columns; ++other) {
            const char *text = afx_table_name(table, other);
            if (word_length(text) == length && strncmp(text, name, length) == 0) {
                series[used++] = (CliChartSeries){text, afx_table_column(table, other)};
                ++panel->series_count;
            }
        }
    }
    return count;
}

static int write_failed(const char *path, int number) {
    cli_error(path, number == ENOENT ? "check the path" : NULL, "cannot be written: %s",
              number ? strerror(number) : "unknown reason");
    return CLI_EXIT_SYSTEM;
}

static int write_svg(const CliChart *chart, const char *path) {
    if (strcmp(path, "-") == 0) {
        cli_chart_svg(chart, stdout);
        return CLI_EXIT_FINE;
    }
    FILE *file = fopen(path, "wb");
    if (!file) {
        return write_failed(path, errno);
    }
    errno = 0;
    cli_chart_svg(chart, file);
    bool failed = ferror(file) != 0;
    failed = fclose(file) != 0 || failed;
    return failed ? write_failed(path, errno) : CLI_EXIT_FINE;
}

extern char **environ;

/* Lets rsvg-convert make a PNG of the SVG at `from`. */
static int convert(const char *from, const char *path) {
    char *const arguments[] = {"rsvg-convert", "-z", ZOOM, "-o", (char *)path, (char *)from, NULL};
    pid_t child;
    int status = 0, number = posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ);
    if (number == ENOENT) {
        cli_error(path, "install librsvg2-bin, or write an .svg",
                  "PNG needs the program rsvg-convert, which is not there");
        return CLI_EXIT_SYSTEM;
    }
    if (number != 0) {
        return write_failed(path, number);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        cli_error(path, "is the folder there, and room on the disk?", "rsvg-convert could not write it");
        return CLI_EXIT_SYSTEM;
    }
    return CLI_EXIT_FINE;
}

static int write_png(const CliChart *chart, const char *path) {
    size_t size = strlen(path) + 9;
    char *between = malloc(size);
    if (!between) {
        cli_error("memory", NULL, "%s", afx_status_text(AFX_E_MEMORY));
        return CLI_EXIT_SYSTEM;
    }
    snprintf(between, size, "%s.new.svg", path);
    int code = write_svg(chart, between);
    if (code == CLI_EXIT_FINE) {
        code = convert(between, path);
    }
    unlink(between);
    free(between);
    return code;
}

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), wanted = strlen(ending);
    return length > wanted && strcmp(path + length - wanted, ending) == 0;
}

static int draw(const AfxTable *table, const char *title, bool log, const char *path) {
    uint32_t columns = afx_table_column_count(table);
    CliChartSeries *series = malloc(columns * sizeof(*series));
    CliChartPanel *panels = malloc(columns * sizeof(*panels));
    int code = CLI_EXIT_SYSTEM;
    if (series && panels) {
        CliChart chart = {.title = title,
                          .label = "time, s",
                          .axis = afx_table_column(table, 0),
                          .rows = afx_table_row_count(table),
                          .panels = panels};
        chart.panel_count = make_panels(table, log, series, panels);
        code = ends_with(path, ".png") ? write_png(&chart, path) : write_svg(&chart, path);
    } else {
        cli_error("memory", NULL, "%s", afx_status_text(AFX_E_MEMORY));
    }
    free(series);
    free(panels);
    return code;
}

/* Plots the file at `source`; the title names what was given. */
static int plot(const CliArguments *given, const char *source) {
    const char *input = source, *what = given->values[OPTION_WHAT], *path = given->values[OPTION_OUT];
    const char *names[NAMES_MOST + 1] = {"time"};
    const char *title = given->values[OPTION_TITLE] ? given->values[OPTION_TITLE] : given->words[0];
    size_t size = strlen(what ? what : "energy") + 1;
    char *list = malloc(size);
    if (!list) {
        cli_error("memory", NULL, "%s", afx_status_text(AFX_E_MEMORY));
        return CLI_EXIT_SYSTEM;
    }
    memcpy(list, what ? what : "energy", size);
    uint32_t count = split(list, names + 1);
    afxi_out_quiet();
    AfxTable *table = NULL;
    AfxError error = {0};
    AfxStatus status = afx_table_read(input, count + 1, names, NULL, &table, &error);
    int code = CLI_EXIT_FINE;
    if (status != AFX_OK) {
        error.status = status == AFX_E_SYSTEM ? AFX_E_INPUT : status; /* it is input here */
        code = cli_error_from(&error);
    } else if (afx_table_row_count(table) == 0) {
        cli_error(input, NULL, "holds no frames yet");
        code = CLI_EXIT_INPUT;
    } else {
        code = draw(table, title, given->values[OPTION_LOG] != NULL, path);
    }
    afx_table_destroy(table);
    free(list);
    return code;
}

static int start(CliArguments *given) {
    if (given->word_count != 1) {
        cli_error("plot", "affix plot run.h5 -o energy.svg", given->word_count ? "takes one file" : "which file?");
        return CLI_EXIT_USAGE;
    }
    const char *path = given->values[OPTION_OUT];
    if (!path || !(strcmp(path, "-") == 0 || ends_with(path, ".svg") || ends_with(path, ".png"))) {
        cli_error("-o", "write -o picture.svg", path ? "\"%.100s\" is neither .svg nor .png" : "needs a file", path);
        return CLI_EXIT_USAGE;
    }
    if (cli_same_file(path, given->words[0])) {
        cli_error(path, "write to another file", "is the file that is read: it would be overwritten");
        return CLI_EXIT_USAGE;
    }
    if (strcmp(given->words[0], "-") != 0) {
        return plot(given, given->words[0]);
    }
    char spool[CLI_SPOOL_PATH];
    if (!cli_spool_make(spool)) {
        return CLI_EXIT_SYSTEM;
    }
    int code = cli_spool_take(spool) ? plot(given, spool) : CLI_EXIT_SYSTEM;
    unlink(spool);
    return code;
}

const CliCommand cli_command_plot = {
    .name = "plot",
    .help = "plot columns of a trajectory or table",
    .usage = "<trajectory.h5|table.csv> [--what LIST] -o <picture.svg>",
    .about = "Draws columns over time; columns of different kinds get panels of their own.\n"
             "What there is to draw: docs/output.md. A table can come from stdin (-).",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = start,
};
