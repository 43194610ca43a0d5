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
#define INPUTS_MOST 16u
#define NAME_SIZE 160 /* of a curve in the legend */
#define ZOOM "2"      /* pixels of a PNG for each of the picture */

enum { OPTION_WHAT = CLI_OPTION_FIRST, OPTION_Y, OPTION_X, OPTION_OUT, OPTION_LOG, OPTION_TITLE };

static const CliOption options[] = {
    CLI_OPTIONS_STANDARD,
    [OPTION_WHAT] = {"what", "LIST", "columns: energy (default), residual, joint:NAME, body:NAME.z ..."},
    [OPTION_Y] = {"y", "LIST", "another name of --what"},
    [OPTION_X] = {"x", "COLUMN", "column across (default: time): --x marker:foot.x --y marker:foot.z is a path"},
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

/* A file that is read: the columns to draw after its time, and the one across. */
typedef struct Input {
    const char *name; /* as it was given */
    AfxTable *table, *across;
} Input;

/* What is drawn. */
typedef struct Plot {
    Input inputs[INPUTS_MOST];
    uint32_t input_count;
    CliChartSeries *series; /* [series_count] */
    CliChartPanel *panels;
    char (*names)[NAME_SIZE]; /* [series_count] */
    uint32_t series_count;
} Plot;

static bool same_kind(const char *a, const char *b) {
    size_t length = word_length(a);
    return word_length(b) == length && strncmp(a, b, length) == 0;
}

/* What a column is, for its axis; NULL when it is none of the known ones. */
static const char *kind_label(const char *name, bool *out_log) {
    for (size_t k = 0; k < KIND_COUNT; ++k) {
        if (same_kind(kinds[k].word, name)) {
            *out_log = *out_log || kinds[k].log;
            return kinds[k].label;
        }
    }
    return NULL;
}

/* Adds the columns of one kind of all files to a panel. */
static void add_series(Plot *plot, const char *kind, CliChartPanel *panel) {
    for (uint32_t i = 0; i < plot->input_count; ++i) {
        const Input *input = &plot->inputs[i];
        for (uint32_t k = 1; k < afx_table_column_count(input->table); ++k) {
            const char *name = afx_table_name(input->table, k);
            if (!same_kind(kind, name)) {
                continue;
            }
            char *text = plot->names[plot->series_count];
            snprintf(text, NAME_SIZE, plot->input_count > 1 ? "%s: %s" : "%.0s%s", input->name, name);
            plot->series[plot->series_count++] = (CliChartSeries){
                text, afx_table_column(input->table, k),
                afx_table_column(input->across ? input->across : input->table, 0), afx_table_row_count(input->table)};
            ++panel->series_count;
        }
    }
}

/* One panel for each kind of column, in the order of the first of its kind. Column 0 of a table is the time. */
static uint32_t make_panels(Plot *plot, bool log) {
    const AfxTable *table = plot->inputs[0].table;
    uint32_t count = 0;
    for (uint32_t k = 1; k < afx_table_column_count(table); ++k) {
        const char *name = afx_table_name(table, k);
        bool seen = false;
        for (uint32_t other = 1; other < k && !seen; ++other) {
            seen = same_kind(afx_table_name(table, other), name);
        }
        if (!seen) {
            CliChartPanel *panel = &plot->panels[count++];
            *panel = (CliChartPanel){.log = log, .series = plot->series + plot->series_count};
            const char *label = kind_label(name, &panel->log);
            panel->label = label ? label : name;
            add_series(plot, name, panel);
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

static int memory_error(void) {
    cli_error("memory", NULL, "%s", afx_status_text(AFX_E_MEMORY));
    return CLI_EXIT_SYSTEM;
}

static int draw(Plot *plot, const char *title, const char *x, bool log, const char *path) {
    char label[NAME_SIZE + 40] = "time, s";
    uint32_t columns = 0;
    for (uint32_t k = 0; k < plot->input_count; ++k) {
        columns += afx_table_column_count(plot->inputs[k].table);
    }
    plot->series = malloc(columns * sizeof(*plot->series));
    plot->panels = malloc(columns * sizeof(*plot->panels));
    plot->names = malloc(columns * sizeof(*plot->names));
    if (!plot->series || !plot->panels || !plot->names) {
        return memory_error();
    }
    if (x) {
        bool ignored = false;
        const char *kind = kind_label(x, &ignored);
        snprintf(label, sizeof(label), kind ? "%.*s (%s)" : "%.*s", NAME_SIZE - 1, x, kind);
    }
    CliChart chart = {.title = title, .label = label, .path = x != NULL, .panels = plot->panels};
    chart.panel_count = make_panels(plot, log);
    return ends_with(path, ".png") ? write_png(&chart, path) : write_svg(&chart, path);
}

static int read_columns(const char *path, uint32_t count, const char *const *names, AfxTable **out_table) {
    AfxError error = {0};
    AfxStatus status = afx_table_read(path, count, names, NULL, out_table, &error);
    if (status != AFX_OK) {
        error.status = status == AFX_E_SYSTEM ? AFX_E_INPUT : status; /* it is input here */
        return cli_error_from(&error);
    }
    return CLI_EXIT_FINE;
}

/* Reads a file ("-": stdin): the time, the columns of `names` from the second on, and column `x` where it is given. */
static int read_input(const char *word, uint32_t count, const char *const *names, const char *x, Input *input) {
    char spool[CLI_SPOOL_PATH];
    bool piped = strcmp(word, "-") == 0;
    if (piped && !cli_spool_make(spool)) {
        return CLI_EXIT_SYSTEM;
    }
    const char *path = piped ? spool : word;
    input->name = piped ? "stdin" : word;
    int code = piped && !cli_spool_take(spool) ? CLI_EXIT_SYSTEM : read_columns(path, count, names, &input->table);
    if (code == CLI_EXIT_FINE && x) {
        code = read_columns(path, 1, &x, &input->across);
    }
    if (piped) {
        unlink(spool);
    }
    if (code == CLI_EXIT_FINE && afx_table_row_count(input->table) == 0) {
        cli_error(input->name, NULL, "holds no frames yet");
        return CLI_EXIT_INPUT;
    }
    if (code == CLI_EXIT_FINE && x && afx_table_column_count(input->across) != 1) {
        cli_error("--x", "name one of them: --x energy.total, say", "\"%.80s\" stands for %u columns", x,
                  afx_table_column_count(input->across));
        return CLI_EXIT_USAGE;
    }
    return code;
}

static int plot_files(const CliArguments *given) {
    const char *what = given->values[OPTION_Y] ? given->values[OPTION_Y] : given->values[OPTION_WHAT];
    const char *names[NAMES_MOST + 1] = {"time"}, *x = given->values[OPTION_X];
    const char *title = given->values[OPTION_TITLE] ? given->values[OPTION_TITLE] : given->words[0];
    Plot plot = {.input_count = given->word_count};
    size_t size = strlen(what ? what : "energy") + 1;
    char *list = malloc(size);
    if (!list) {
        return memory_error();
    }
    memcpy(list, what ? what : "energy", size);
    uint32_t count = split(list, names + 1);
    int code = CLI_EXIT_FINE;
    afxi_out_quiet();
    for (uint32_t k = 0; k < plot.input_count && code == CLI_EXIT_FINE; ++k) {
        code = read_input(given->words[k], count + 1, names, x, &plot.inputs[k]);
    }
    if (code == CLI_EXIT_FINE) {
        code = draw(&plot, title, x, given->values[OPTION_LOG] != NULL, given->values[OPTION_OUT]);
    }
    for (uint32_t k = 0; k < plot.input_count; ++k) {
        afx_table_destroy(plot.inputs[k].table);
        afx_table_destroy(plot.inputs[k].across);
    }
    free(plot.series);
    free(plot.panels);
    free(plot.names);
    free(list);
    return code;
}

static int start(CliArguments *given) {
    const char *path = given->values[OPTION_OUT];
    if (given->word_count == 0 || given->word_count > INPUTS_MOST) {
        cli_error("plot", "affix plot run.h5 -o energy.svg",
                  given->word_count ? "takes at most 16 files" : "which file?");
        return CLI_EXIT_USAGE;
    }
    if (given->values[OPTION_WHAT] && given->values[OPTION_Y]) {
        cli_error("--what and --y", "give one of them", "are the same");
        return CLI_EXIT_USAGE;
    }
    if (!path || !(strcmp(path, "-") == 0 || ends_with(path, ".svg") || ends_with(path, ".png"))) {
        cli_error("-o", "write -o picture.svg", path ? "\"%.100s\" is neither .svg nor .png" : "needs a file", path);
        return CLI_EXIT_USAGE;
    }
    for (uint32_t k = 0; k < given->word_count; ++k) {
        if (cli_same_file(path, given->words[k])) {
            cli_error(path, "write to another file", "is the file that is read: it would be overwritten");
            return CLI_EXIT_USAGE;
        }
    }
    return plot_files(given);
}

const CliCommand cli_command_plot = {
    .name = "plot",
    .help = "plot columns of a trajectory or table",
    .usage = "<trajectory.h5|table.csv> ... [--x COLUMN] [--y LIST] -o <picture.svg>",
    .about = "Draws columns over time or over another column; columns of different kinds get panels of their own, and\n"
             "several files are drawn over each other.\n"
             "What there is to draw: docs/output.md. A table can come from stdin (-).",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = start,
};
