/* SPDX-License-Identifier: Apache-2.0 */
/* affix video: a film or a picture. The run becomes a replay page; a browser without a window draws it, frame by frame;
 * ffmpeg makes the film. */
#include "cli/browser.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/spool.h"
#include "cli/video_page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    OPTION_SOURCE = CLI_OPTION_FIRST,
    OPTION_OUT = OPTION_SOURCE + CLI_SOURCE_OPTION_COUNT,
    OPTION_TIME,
    OPTION_DT,
    OPTION_FPS,
    OPTION_SPEED,
    OPTION_SIZE,
    OPTION_AT,
    OPTION_THEME,
    OPTION_SHOW,
    OPTION_COLOUR,
    OPTION_CAMERA,
    OPTION_QUIET
};

static const CliOption options[] = {
    CLI_OPTIONS_STANDARD,
    CLI_OPTIONS_SOURCE(OPTION_SOURCE),
    [OPTION_OUT] = {"out", "FILE", "the video, .mp4, .webm or .mkv, or the picture, .png"},
    [OPTION_TIME] = {"time", "T", "simulated time, s (default: as the case or file says; else 1)"},
    [OPTION_DT] = {"dt", "H", "time step, s (default: as the case or file says; else 0.001)"},
    [OPTION_FPS] = {"fps", "N", "frames per second (default 30)"},
    [OPTION_SPEED] = {"speed", "X", "simulated seconds per second of the video (default 1)"},
    [OPTION_SIZE] = {"size", "WxH", "of the picture (default 1280x720)"},
    [OPTION_AT] = {"at", "T", "one picture (.png) at this time (default: the end)"},
    [OPTION_THEME] = {"theme", "NAME", "light (default) or dark"},
    [OPTION_SHOW] = {"show", "LIST", "joints,axes,markers"},
    [OPTION_COLOUR] = {"colour", "NAME", "own (default), stress or speed"},
    [OPTION_CAMERA] = {"camera", "NAME",
                       "of the file, or front, right, back, left, top (default: the file's first, or auto)"},
    [OPTION_QUIET] = {"quiet", NULL, "no progress bar"},
};

#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

typedef struct Film {
    const char *path;
    bool picture; /* else a film */
    double fps, speed, at;
    uint32_t width, height;
    char query[400];
    bool placed; /* the camera is one that was named, and stays there */
    bool quiet;
} Film;

static bool ends_with(const char *text, const char *ending) {
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

static bool read_size(const char *text, Film *film) {
    char rest;
    if (sscanf(text, "%5ux%5u%c", &film->width, &film->height, &rest) == 2 && film->width >= 64 &&
        film->width <= 7680 && film->height >= 64 && film->height <= 4320 && film->width % 2 == 0 &&
        film->height % 2 == 0) {
        return true;
    }
    cli_error("--size", "for example 1280x720; even numbers, 64x64 to 7680x4320", "\"%.40s\" is no size", text);
    return false;
}

/* Only letters and commas: they become part of an address. */
static bool read_names(const char *name, const char *text) {
    if (strspn(text, "abcdefghijklmnopqrstuvwxyz,") == strlen(text) && strlen(text) < 60) {
        return true;
    }
    cli_error(name, "names with commas between", "\"%.40s\" is not allowed", text);
    return false;
}

/* "&camera=NAME", as addresses have it. */
static bool write_camera(const char *name, char *out, size_t size) {
    size_t used = (size_t)snprintf(out, size, "&camera=");
    if (strlen(name) >= 64) {
        cli_error("--camera", "affix check lists those of a file", "\"%.40s\" is no camera", name);
        return false;
    }
    for (const unsigned char *c = (const unsigned char *)name; *c; ++c) {
        used += (size_t)snprintf(out + used, size - used, "%%%02X", *c);
    }
    return true;
}

static bool read_film(const CliArguments *given, const char *path, Film *film) {
    static const char *const themes[] = {"light", "dark", NULL}, *const colours[] = {"own", "stress", "speed", NULL};
    const char *const *text = given->values;
    uint32_t theme = 0, colour = 0;
    *film = (Film){.path = path, .fps = 30, .speed = 1, .at = INFINITY};
    film->width = 1280;
    film->height = 720;
    film->quiet = text[OPTION_QUIET] != NULL;
    film->picture = ends_with(film->path, ".png");
    if (!film->picture && !ends_with(film->path, ".mp4") && !ends_with(film->path, ".webm") &&
        !ends_with(film->path, ".mkv")) {
        cli_error(film->path, "out.mp4, out.webm, out.mkv or out.png", "which kind of file is that?");
        return false;
    }
    bool fine =
        (!text[OPTION_FPS] || cli_option_number("fps", text[OPTION_FPS], 1, 240, "1 to 240", &film->fps)) &&
        (!text[OPTION_SPEED] ||
         cli_option_number("speed", text[OPTION_SPEED], 1e-4, 1e4, "1e-4 to 1e4", &film->speed)) &&
        (!text[OPTION_AT] || cli_option_number("at", text[OPTION_AT], 0, 1e9, "0 or more, seconds", &film->at)) &&
        (!text[OPTION_SIZE] || read_size(text[OPTION_SIZE], film)) &&
        (!text[OPTION_THEME] || cli_option_choice("theme", text[OPTION_THEME], themes, &theme)) &&
        (!text[OPTION_COLOUR] || cli_option_choice("colour", text[OPTION_COLOUR], colours, &colour)) &&
        (!text[OPTION_SHOW] || read_names("--show", text[OPTION_SHOW]));
    char camera[220] = "";
    film->placed = text[OPTION_CAMERA] != NULL;
    if (film->placed && !write_camera(text[OPTION_CAMERA], camera, sizeof(camera))) {
        return false;
    }
    snprintf(film->query, sizeof(film->query), "bare&still&theme=%s&colour=%s&show=%s%s", themes[theme],
             colours[colour], text[OPTION_SHOW] ? text[OPTION_SHOW] : "", camera);
    return fine;
}

/* ---- pictures from the page ---- */

static int digit(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

/* Base64, in place; the number of bytes. */
static size_t decode(char *text) {
    unsigned char *out = (unsigned char *)text;
    size_t used = 0;
    uint32_t bits = 0, held = 0;
    for (const char *at = text; digit(*at) >= 0; ++at) {
        bits = bits << 6 | (uint32_t)digit(*at);
        held += 6;
        if (held >= 8) {
            held -= 8;
            out[used++] = (unsigned char)(bits >> held);
        }
    }
    return used;
}

/* The picture at a time, with the camera close to what is seen then, or where it is; *out_bytes is to be freed. */
static bool draw(CliBrowser *browser, double time, const char *type, bool close, char **out_bytes, size_t *out_size) {
    char script[200];
    snprintf(script, sizeof(script),
             "affix.drawAt(%.17g).then(()=>(%sdocument.getElementById('view').toDataURL('image/%s',0.95)))",
             isfinite(time) ? time : 1e300, close ? "affix.frameNow()," : "", type);
    if (!cli_browser_ask(browser, script, out_bytes)) {
        return false;
    }
    char *comma = strchr(*out_bytes, ',');
    if (!comma) {
        cli_error("page", NULL, "gave no picture");
        free(*out_bytes);
        return false;
    }
    memmove(*out_bytes, comma + 1, strlen(comma + 1) + 1);
    *out_size = decode(*out_bytes);
    return true;
}

static bool wait_for_page(CliBrowser *browser) {
    for (int k = 0; k < 600; ++k) {
        char *text = NULL;
        if (!cli_browser_ask(browser, "Boolean(window.affix&&affix.ready)", &text)) {
            return false;
        }
        bool ready = strcmp(text, "true") == 0;
        free(text);
        if (ready) {
            return true;
        }
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    cli_error("page", "does this chromium have WebGL?", "did not get ready within a minute");
    return false;
}

static bool write_picture(CliBrowser *browser, const Film *film) {
    char *bytes;
    size_t size;
    if (!draw(browser, film->at, "png", !film->placed, &bytes, &size)) {
        return false;
    }
    FILE *file = fopen(film->path, "wb");
    bool fine = file && fwrite(bytes, 1, size, file) == size;
    fine = file && fclose(file) == 0 && fine;
    if (!fine) {
        cli_error(film->path, NULL, "cannot be written: %s", strerror(errno));
    }
    free(bytes);
    return fine;
}

/* Starts ffmpeg; pictures go into *out_pipe. 0 after an error was printed. */
static pid_t start_ffmpeg(const Film *film, int *out_pipe) {
    static const char *const names[] = {"ffmpeg", NULL};
    char program[512], rate[32];
    int ends[2];
    cli_find_program(names, program, sizeof(program));
    snprintf(rate, sizeof(rate), "%.6g", film->fps);
    if (!program[0]) {
        cli_error("ffmpeg", "install Debian's package ffmpeg (tools/deps viewer), or write a .png", "is not there");
        return 0;
    }
    if (pipe(ends) != 0) {
        cli_error("ffmpeg", NULL, "there are no pipes left");
        return 0;
    }
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        dup2(ends[0], 0);
        close(ends[0]);
        close(ends[1]);
        execl(program, program, "-v", "error", "-y", "-f", "image2pipe", "-c:v", "mjpeg", "-framerate", rate, "-i", "-",
              "-pix_fmt", "yuv420p", "-crf", "20", film->path, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    *out_pipe = ends[1];
    if (process < 0) {
        close(ends[1]);
        cli_error("ffmpeg", NULL, "cannot be started");
    }
    return process > 0 ? process : 0;
}

static bool write_all(int fd, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t done = write(fd, bytes, size);
        if (done < 0 && errno != EINTR) {
            return false;
        }
        if (done > 0) {
            bytes += done;
            size -= (size_t)done;
        }
    }
    return true;
}

static bool send_frames(CliBrowser *browser, const Film *film, int pipe) {
    char *text = NULL;
    if (!cli_browser_ask(browser, "affix.duration", &text)) {
        return false;
    }
    double duration = strtod(text, NULL);
    free(text);
    uint64_t count = (uint64_t)(duration / film->speed * film->fps + 0.01) + 1;
    CliProgress progress = cli_progress_begin(count, film->quiet);
    bool fine = true;
    for (uint64_t k = 0; k < count && fine; ++k) {
        char *bytes;
        size_t size;
        fine = draw(browser, (double)k * film->speed / film->fps, "jpeg", false, &bytes, &size);
        if (fine) {
            fine = write_all(pipe, bytes, size);
            free(bytes);
        }
        cli_progress_update(&progress, k + 1, cli_clock());
    }
    cli_progress_end(&progress);
    return fine;
}

static bool write_film(CliBrowser *browser, const Film *film) {
    int pipe = -1, state = 0;
    pid_t process = start_ffmpeg(film, &pipe);
    if (process == 0) {
        return false;
    }
    bool fine = send_frames(browser, film, pipe);
    close(pipe);
    bool ended = waitpid(process, &state, 0) == process && WIFEXITED(state) && WEXITSTATUS(state) == 0;
    if (!ended) {
        cli_error(film->path, NULL, "ffmpeg could not write it");
    }
    return fine && ended;
}

static int shoot(const Film *film, const char *page) {
    CliBrowser browser;
    char url[512];
    snprintf(url, sizeof(url), "file://%s?%s", page, film->query);
    int code = cli_browser_open(&browser, url, film->width, film->height);
    if (code == CLI_EXIT_FINE &&
        !(wait_for_page(&browser) && (film->picture ? write_picture(&browser, film) : write_film(&browser, film)))) {
        code = CLI_EXIT_SYSTEM;
    }
    cli_browser_close(&browser);
    return code;
}

/* ---- the command ---- */

static void write_title(const CliArguments *given, char *out_title, size_t size) {
    size_t used = 0;
    for (uint32_t k = 0; k < given->word_count && used < size; ++k) {
        used += (size_t)snprintf(out_title + used, size - used, "%s%s", k ? " " : "", given->words[k]);
    }
}

static int make_page(const CliArguments *given, const Film *film, const char *page) {
    CliArguments scene = *given;
    CliSource source;
    CliVideoRun run = {.interval = film->speed / film->fps};
    char title[200] = "";
    if (ends_with(scene.words[0], ".h5")) {
        return cli_video_from_trajectory(scene.words[0], page);
    }
    if ((given->values[OPTION_TIME] &&
         !cli_option_number("time", given->values[OPTION_TIME], 1e-9, 1e9, "more than 0, seconds", &run.time)) ||
        (given->values[OPTION_DT] &&
         !cli_option_number("dt", given->values[OPTION_DT], 1e-9, 10, "1e-9 to 10, seconds", &run.dt))) {
        return CLI_EXIT_USAGE;
    }
    if (film->picture && isfinite(film->at) && run.time == 0) {
        run.time = film->at; /* no need to go on */
    }
    int code = cli_source_read(&scene, "video", OPTION_SOURCE, &source);
    if (code == CLI_EXIT_FINE) {
        write_title(&scene, title, sizeof(title));
        code = cli_video_simulate(&source, title, &run, page);
    }
    cli_source_destroy(&source);
    return code;
}

static int film_it(CliArguments *given) {
    Film film;
    char folder[64], page[80];
    const char *temporary = getenv("TMPDIR");
    const char *path = given->values[OPTION_OUT];
    if (!path && given->word_count > 1) {
        path = given->words[--given->word_count]; /* the last word, as in earlier versions */
    }
    if (!path || given->word_count == 0) {
        cli_error("video", "affix video net -o net.mp4", "give a case or file, and the file to write");
        return CLI_EXIT_USAGE;
    }
    if (cli_same_file(path, given->words[0])) {
        cli_error(path, "write to another file", "is the file that is read: it would be overwritten");
        return CLI_EXIT_USAGE;
    }
    if (!read_film(given, path, &film)) {
        return CLI_EXIT_USAGE;
    }
    snprintf(folder, sizeof(folder), "%.40s/affix-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        cli_error(folder, NULL, "cannot be made: %s", strerror(errno));
        return CLI_EXIT_SYSTEM;
    }
    snprintf(page, sizeof(page), "%s/page.html", folder);
    int code = make_page(given, &film, page);
    code = code == CLI_EXIT_FINE ? shoot(&film, page) : code;
    unlink(page);
    rmdir(folder);
    return code;
}

static int start(CliArguments *given) {
    return film_it(given);
}

const CliCommand cli_command_video = {
    .name = "video",
    .help = "write a video or a picture of a run",
    .usage = "<trajectory.h5|case|file> [name=value ...] -o <out.mp4|out.png> [options]",
    .about = "Writes a video, or one picture, of a run. It needs Debian's packages chromium and, for videos, ffmpeg.",
    .options = options,
    .option_count = OPTION_COUNT,
    .scene = true,
    .run = start,
};
