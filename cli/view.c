/* SPDX-License-Identifier: Apache-2.0 */
/* affix view: a simulation in the browser. */
#include "cli/command.h"
#include "cli/source.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/browser.h"
#include "cli/video_page.h"
#ifdef CLI_HAVE_VIEW
#include "cases/text.h"
#include "out/live.h"
#include "view/view.h"
#endif

enum {
    OPTION_SOURCE = CLI_OPTION_FIRST,
    OPTION_DT = OPTION_SOURCE + CLI_SOURCE_OPTION_COUNT,
    OPTION_INTEGRATOR,
    OPTION_THREADS,
    OPTION_PAUSED,
    OPTION_PORT,
    OPTION_HOST,
    OPTION_OPEN,
    OPTION_NO_RELOAD,
    OPTION_DRAW
};

static const CliOption options[] = {
    CLI_OPTIONS_STANDARD,
    CLI_OPTIONS_SOURCE(OPTION_SOURCE),
    [OPTION_DT] = {"dt", "H", "time step, s (default: as the case or file says; else 0.001)"},
    [OPTION_INTEGRATOR] = {"integrator", "NAME",
                           "bdf2 (default), bdf1, alpha, conserving, conserving4, reference, rk4, auto or gauss2"},
    [OPTION_THREADS] = {"threads", "N", "threads (default 1)"},
    [OPTION_PAUSED] = {"paused", NULL, "wait until somebody plays"},
    [OPTION_PORT] = {"port", "N", "port to listen at (default: any that is free)"},
    [OPTION_HOST] = {"host", "ADDRESS", "address to listen at (default 127.0.0.1: this machine only)"},
    [OPTION_OPEN] = {"open", NULL, "open the page in this machine's browser"},
    [OPTION_NO_RELOAD] = {"no-reload", NULL, "file: do not load it again when it is saved"},
    [OPTION_DRAW] = {"draw", "FILE", "show the drawing of a file (afx_drawing_save), and look at it again and again"},
};

#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

#ifdef CLI_HAVE_VIEW

#define PARAMETERS_MOST AFX_RUN_PARAMETERS /* a case has fewer */

typedef struct Shown {
    CliSource source;
    AfxRunDef run; /* how it is shown: as the case or file says, and options */
    const CliArguments *given;
    AfxiViewParameter parameters[PARAMETERS_MOST];
    char texts[PARAMETERS_MOST][160]; /* "name=value" of a file's parameters that are not as the file has them */
    const char *list[PARAMETERS_MOST];
    uint32_t list_count;
    AfxiViewSource view;
    struct stat seen; /* the file, when it was loaded last */
} Shown;

/* Whether the file was saved since it was loaded. While it is away, it has not changed: editors write a new one and put
 * it in place of the old one. */
static bool changed(void *user) {
    const Shown *shown = user;
    struct stat now;
    return stat(shown->source.label, &now) == 0 &&
           (now.st_mtim.tv_sec != shown->seen.st_mtim.tv_sec || now.st_mtim.tv_nsec != shown->seen.st_mtim.tv_nsec ||
            now.st_size != shown->seen.st_size || now.st_ino != shown->seen.st_ino);
}

/* What the case or file says of its run, and options in place of it. They were checked before. */
static bool take_run(Shown *shown) {
    static const char *const names[] = {"bdf2",      "bdf1", "alpha", "conserving", "conserving4",
                                        "reference", "rk4",  "auto",  "gauss2",     NULL};
    static const AfxIntegrator integrators[] = {AFX_BDF2,      AFX_BDF1, AFX_ALPHA, AFX_CONSERVING, AFX_CONSERVING4,
                                                AFX_REFERENCE, AFX_RK4,  AFX_AUTO,  AFX_GAUSS2};
    const char *const *text = shown->given->values;
    AfxSimDef *sim = &shown->run.sim;
    uint64_t threads = 1;
    uint32_t k = 0;
    shown->run = shown->source.run;
    bool fine =
        (!text[OPTION_DT] || cli_option_number("dt", text[OPTION_DT], 1e-9, 10, "1e-9 to 10, seconds", &sim->dt)) &&
        (!text[OPTION_INTEGRATOR] || cli_option_choice("integrator", text[OPTION_INTEGRATOR], names, &k)) &&
        (!text[OPTION_THREADS] || cli_option_integer("threads", text[OPTION_THREADS], 1, 1024, &threads));
    sim->integrator = text[OPTION_INTEGRATOR] ? integrators[k] : sim->integrator;
    sim->threads = (uint32_t)threads;
    return fine;
}

/* Parameters of a file, as it has them now. */
static void list_parameters(Shown *shown) {
    const AfxRunDef *run = &shown->run;
    for (uint32_t k = 0; k < run->parameter_count; ++k) {
        const AfxRunParameter *one = &run->parameters[k];
        AfxiViewParameter *to = &shown->parameters[k];
        *to = (AfxiViewParameter){.name = one->name, .help = one->about};
        snprintf(to->allowed, sizeof(to->allowed),
                 isfinite(one->min) || isfinite(one->max) ? "%.6g to %.6g" : "a number", one->min, one->max);
        snprintf(to->value, sizeof(to->value), "%.10g", one->value);
    }
    shown->view.parameter_count = run->parameter_count;
}

static AfxStatus build(void *user, const AfxSceneDef *def, AfxScene **out_scene, AfxError *out_error) {
    Shown *shown = user;
    cli_source_forget(&shown->source); /* notices of the last time */
    if (shown->source.file && stat(shown->source.label, &shown->seen) != 0) {
        memset(&shown->seen, 0, sizeof(shown->seen));
    }
    AfxStatus status = cli_source_make(&shown->source, def, out_scene, out_error);
    cli_source_print_notices(&shown->source, NULL);
    if (status == AFX_OK) {
        take_run(shown);
    }
    if (status == AFX_OK && shown->source.file) {
        list_parameters(shown);
    }
    return status;
}

static AfxStatus check(void *user, const AfxModel *model, AfxError *out_error) {
    const Shown *shown = user;
    return cli_source_check(&shown->source, model, out_error);
}

/* The case and what differs from its defaults. */
static void write_title(Shown *shown) {
    const AfxiCase *from = shown->source.arguments.from;
    char *title = shown->view.title;
    size_t size = sizeof(shown->view.title), used = 0;
    used += (size_t)snprintf(title, size, "%s", shown->source.label);
    for (uint32_t k = 0; from && k < from->parameter_count && used < size; ++k) {
        if (strcmp(shown->parameters[k].value, from->parameters[k].fallback) != 0) {
            used += (size_t)snprintf(title + used, size - used, " %s=%s", from->parameters[k].name,
                                     shown->parameters[k].value);
        }
    }
}

static AfxStatus refuse(const char *name, const char *text, const char *cure, AfxError *out_error) {
    *out_error = (AfxError){.status = AFX_E_INPUT};
    snprintf(out_error->element, sizeof(out_error->element), "%s", name);
    snprintf(out_error->text, sizeof(out_error->text), "%s", text);
    snprintf(out_error->cure, sizeof(out_error->cure), "%s", cure);
    return AFX_E_INPUT;
}

/* Another value for a parameter of a file, which is then loaded again. */
static AfxStatus set_of_file(Shown *shown, const char *name, const char *value, AfxError *out_error) {
    const AfxRunParameter *one = shown->run.parameters, *end = one + shown->run.parameter_count;
    double number;
    while (one < end && strcmp(one->name, name) != 0) {
        ++one;
    }
    if (one == end) {
        return refuse(name, "there is no such parameter", "", out_error);
    }
    if (!afxi_case_number(value, &number)) {
        return refuse(name, "this is not a number", "", out_error);
    }
    if (!(number >= one->min && number <= one->max)) {
        return refuse(name, "this value is not allowed", shown->parameters[one - shown->run.parameters].allowed,
                      out_error);
    }
    uint32_t k = 0;
    size_t length = strlen(name);
    while (k < shown->list_count && !(strncmp(shown->list[k], name, length) == 0 && shown->list[k][length] == '=')) {
        ++k;
    }
    if (k == PARAMETERS_MOST) {
        return refuse(name, "too many parameters are set", "", out_error);
    }
    snprintf(shown->texts[k], sizeof(shown->texts[k]), "%s=%.60s", name, value);
    shown->list[k] = shown->texts[k];
    shown->list_count = k == shown->list_count ? k + 1 : shown->list_count;
    shown->source.load.parameters = shown->list;
    shown->source.load.parameter_count = shown->list_count;
    return AFX_OK;
}

static AfxStatus set(void *user, const char *name, const char *value, AfxError *out_error) {
    Shown *shown = user;
    const AfxiCase *from = shown->source.arguments.from;
    char texts[AFXI_CASE_PARAMETER_LIMIT][160];
    const char *list[AFXI_CASE_PARAMETER_LIMIT];
    if (!from) {
        return set_of_file(shown, name, value, out_error);
    }
    uint32_t count = shown->view.parameter_count, changed = count;
    for (uint32_t k = 0; k < count; ++k) {
        bool same = strcmp(shown->parameters[k].name, name) == 0;
        changed = same ? k : changed;
        snprintf(texts[k], sizeof(texts[k]), "%.60s=%s", shown->parameters[k].name,
                 same ? value : shown->parameters[k].value);
        list[k] = texts[k];
    }
    if (changed == count) {
        return refuse(name, "there is no such parameter", "", out_error);
    }
    AfxiCaseArguments arguments;
    AfxStatus status = afxi_case_arguments(from, count, list, &arguments, out_error);
    if (status == AFX_OK) {
        shown->source.arguments = arguments;
        snprintf(shown->parameters[changed].value, sizeof(shown->parameters[changed].value), "%s", value);
        write_title(shown);
    }
    return status;
}

static void describe(Shown *shown, const CliArguments *given) {
    const AfxiCase *from = shown->source.arguments.from;
    shown->view = (AfxiViewSource){
        .parameters = shown->parameters, .run = &shown->run, .build = build, .check = check, .set = set, .user = shown};
    for (uint32_t k = 0; from && k < from->parameter_count; ++k) {
        const AfxiCaseParameter *one = &from->parameters[k];
        AfxiViewParameter *to = &shown->parameters[shown->view.parameter_count++];
        const char *value = one->fallback;
        size_t length = strlen(one->name);
        for (uint32_t n = 1; n < given->word_count; ++n) {
            if (strncmp(given->words[n], one->name, length) == 0 && given->words[n][length] == '=') {
                value = given->words[n] + length + 1;
            }
        }
        to->name = one->name;
        to->help = one->help;
        to->choices = one->kind == AFXI_CASE_CHOICE ? one->choices : NULL;
        afxi_case_allowed(one, to->allowed, sizeof(to->allowed));
        snprintf(to->value, sizeof(to->value), "%s", value);
    }
    for (uint32_t k = 1; !from && k < given->word_count && shown->list_count < PARAMETERS_MOST; ++k) {
        snprintf(shown->texts[shown->list_count], sizeof(shown->texts[0]), "%s", given->words[k]);
        shown->list[shown->list_count] = shown->texts[shown->list_count];
        shown->list_count++;
    }
    if (!from) {
        shown->source.load.parameters = shown->list;
        shown->source.load.parameter_count = shown->list_count;
    }
    write_title(shown);
}

static void write_log(void *user, AfxLogLevel level, const char *text) {
    (void)user;
    (void)level;
    fprintf(stderr, "affix: view: %s\n", text);
}

static bool read_settings(const CliArguments *given, Shown *shown, AfxiViewDef *def) {
    const char *const *text = given->values;
    uint64_t port = 0;
    shown->given = given;
    bool fine =
        take_run(shown) && (!text[OPTION_PORT] || cli_option_integer("port", text[OPTION_PORT], 1, 65535, &port));
    def->port = (uint32_t)port;
    def->host = text[OPTION_HOST] ? text[OPTION_HOST] : "127.0.0.1";
    def->paused = text[OPTION_PAUSED] != NULL;
    def->draw = text[OPTION_DRAW];
    return fine;
}

/* Opens an address in the browser of whoever sits here. The child leaves its own behind, so that nobody waits for it.
 */
static void open_browser(const char *url) {
    static const char *const names[] = {"xdg-open", "sensible-browser", "open", NULL};
    char program[512];
    cli_find_program(names, program, sizeof(program));
    if (!program[0]) {
        cli_note("there is no xdg-open here: open the address by hand");
        return;
    }
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        if (fork() == 0) {
            execl(program, program, url, (char *)NULL);
        }
        _exit(0);
    }
    if (process > 0) {
        waitpid(process, NULL, 0);
    }
}

/* Serves until a signal asks to end. Signals are held back in every thread, and waited for here. */
static int serve(const AfxiViewDef *def, bool asked, bool open) {
    sigset_t signals;
    AfxError error = {0};
    AfxiView *view = NULL;
    int number = 0;
    char title[sizeof(def->source->title)]; /* from now on a page may change it */
    snprintf(title, sizeof(title), "%s", def->source->title);
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    AfxStatus status = afxi_view_start(def, &view, &error);
    if (status != AFX_OK) {
        error.status = status;
        return cli_error_from(&error);
    }
    if (asked) {
        cli_note("%s can be reached from other machines, and whoever does can run the simulation", def->host);
    }
    printf("%s: open %s in a browser (Ctrl-C ends it)\n", title, afxi_view_url(view));
    fflush(stdout);
    if (open) {
        open_browser(afxi_view_url(view));
    }
    sigwait(&signals, &number);
    afxi_view_stop(view);
    return CLI_EXIT_FINE;
}

/* A trajectory is played, not simulated: a replay page in a folder of its own, until a signal asks to end. */
static int replay(const char *path, bool open) {
    char folder[64], page[80], url[100];
    const char *temporary = getenv("TMPDIR");
    sigset_t signals;
    int number = 0;
    snprintf(folder, sizeof(folder), "%.40s/affix-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        cli_error(folder, NULL, "cannot be made");
        return CLI_EXIT_SYSTEM;
    }
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    snprintf(page, sizeof(page), "%s/page.html", folder);
    snprintf(url, sizeof(url), "file://%s", page);
    int code = cli_video_from_trajectory(path, page);
    if (code == CLI_EXIT_FINE) {
        printf("%s: open %s in a browser (Ctrl-C ends it)\n", path, url);
        fflush(stdout);
        if (open) {
            open_browser(url);
        }
        sigwait(&signals, &number);
    }
    unlink(page);
    rmdir(folder);
    return code;
}

/* A run to be watched whose program has not been started yet. */
static bool is_to_come(const char *path) {
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".live") == 0 && access(path, F_OK) != 0;
}

static int view(const CliArguments *given) {
    if (given->word_count == 1 && afxi_result_kind(given->words[0]) == AFXI_RESULT_TRAJECTORY) {
        return replay(given->words[0], given->values[OPTION_OPEN] != NULL);
    }
    Shown *shown = calloc(1, sizeof(*shown));
    if (!shown) {
        cli_error("memory", NULL, "%s", afx_status_text(AFX_E_MEMORY));
        return CLI_EXIT_SYSTEM;
    }
    int code = cli_source_read(given, "view", OPTION_SOURCE, &shown->source);
    AfxiViewDef def = {.allocator = afx_default_allocator(),
                       .log.write = write_log,
                       .model = afx_default_model(),
                       .sim = afx_default_sim(),
                       .source = &shown->view};
    if (code == CLI_EXIT_FINE) {
        describe(shown, given);
        bool watched = shown->source.file && strcmp(shown->source.label, "-") != 0;
        if (is_to_come(shown->source.label)) {
            shown->source.result = AFXI_RESULT_SNAPSHOT;
        }
        def.live = watched && (is_to_come(shown->source.label) || afxi_live_is(shown->source.label))
                       ? shown->source.label
                       : NULL;
        shown->view.watched = def.live != NULL;
        shown->view.changed = watched && !def.live && !given->values[OPTION_NO_RELOAD] ? changed : NULL;
        code = read_settings(given, shown, &def)
                   ? serve(&def, given->values[OPTION_HOST] != NULL, given->values[OPTION_OPEN] != NULL)
                   : CLI_EXIT_USAGE;
    }
    cli_source_destroy(&shown->source);
    free(shown);
    return code;
}

#else

static int view(const CliArguments *given) {
    (void)given;
    cli_error("view", "install libcivetweb-dev, nodejs and npm (tools/deps view), and build again",
              "this build has no viewer: civetweb was not there when it was made");
    return CLI_EXIT_SYSTEM;
}

#endif

static int start(CliArguments *given) {
    return view(given);
}

const CliCommand cli_command_view = {
    .name = "view",
    .help = "simulate in the browser, live, and drag bodies",
    .usage = "<case|file|trajectory.h5|run.live> [name=value ...] [options]",
    .about =
        "Simulates a built-in case or a file, and serves a page that shows it; a trajectory is played, and a run of "
        "another\n"
        "program that writes its state (affix run -o run.live, AFX_OUTPUT_LIVE) is watched. Open the address that is\n"
        "printed; Ctrl-C ends it. What the page can do: docs/viewer.md.",
    .options = options,
    .option_count = OPTION_COUNT,
    .scene = true,
    .run = start,
};
