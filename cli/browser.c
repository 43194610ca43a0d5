/* SPDX-License-Identifier: Apache-2.0 */
/* The browser's process and its protocol. */
#include "cli/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE 120000 /* ms for one answer */
#define ANSWER_MOST ((size_t)256 << 20)

void cli_find_program(const char *const *names, char *out_path, size_t size) {
    const char *list = getenv("PATH");
    out_path[0] = '\0';
    for (; *names; ++names) {
        for (const char *at = list ? list : "/usr/bin:/bin"; *at;) {
            size_t length = strcspn(at, ":");
            int used = snprintf(out_path, size, "%.*s/%s", (int)length, at, *names);
            if (length && used > 0 && (size_t)used < size && access(out_path, X_OK) == 0) {
                return;
            }
            at += length + (at[length] == ':');
        }
    }
    out_path[0] = '\0';
}

static bool fail(const char *text) {
    cli_error("chromium", "try it by itself: chromium --headless --dump-dom about:blank", "%s", text);
    return false;
}

/* In the new process: the pipes become 3 and 4, and what it prints goes nowhere. */
static void become_browser(const char *program, const char *folder, int in, int out, uint32_t width, uint32_t height) {
    char data[96], size[48];
    snprintf(data, sizeof(data), "--user-data-dir=%s", folder);
    snprintf(size, sizeof(size), "--window-size=%u,%u", width, height);
    int quiet = open("/dev/null", O_RDWR);
    int high_in = fcntl(in, F_DUPFD, 10), high_out = fcntl(out, F_DUPFD, 10);
    if (quiet < 0 || high_in < 0 || high_out < 0 || dup2(quiet, 0) < 0 || dup2(quiet, 1) < 0 || dup2(quiet, 2) < 0 ||
        dup2(high_in, 3) < 0 || dup2(high_out, 4) < 0) {
        _exit(127);
    }
    for (int fd = 5; fd < 64; ++fd) {
        close(fd);
    }
    const char *arguments[] = {program,
                               "--headless=new",
                               "--remote-debugging-pipe",
                               data,
                               size,
                               "--enable-unsafe-swiftshader",
                               "--ignore-gpu-blocklist",
                               "--hide-scrollbars",
                               "--mute-audio",
                               "--no-first-run",
                               "--disable-extensions",
                               "--disable-dev-shm-usage",
                               "--disable-background-networking",
                               "--allow-file-access-from-files",
                               getuid() == 0 ? "--no-sandbox" : "--headless=new",
                               "about:blank",
                               NULL};
    execv(program, (char *const *)(uintptr_t)arguments);
    _exit(127);
}

static bool start(CliBrowser *browser, const char *program, uint32_t width, uint32_t height) {
    int in[2], out[2];
    if (pipe(in) != 0) {
        return fail("there are no pipes left");
    }
    if (pipe(out) != 0) {
        close(in[0]);
        close(in[1]);
        return fail("there are no pipes left");
    }
    fflush(NULL);
    browser->process = fork();
    if (browser->process == 0) {
        setpgid(0, 0); /* Ctrl-C is for us: we end it */
        become_browser(program, browser->folder, in[0], out[1], width, height);
    }
    close(in[0]);
    close(out[1]);
    browser->to = in[1];
    browser->from = out[0];
    return browser->process > 0 ? true : fail("cannot be started");
}

static bool put(CliBrowser *browser, const char *text, size_t size) {
    while (size > 0) {
        ssize_t done = write(browser->to, text, size);
        if (done < 0 && errno != EINTR) {
            return fail("ended before its time");
        }
        if (done > 0) {
            text += done;
            size -= (size_t)done;
        }
    }
    return true;
}

/* Waits for more bytes. */
static bool get(CliBrowser *browser) {
    if (browser->begin > 0) {
        memmove(browser->text, browser->text + browser->begin, browser->end - browser->begin);
        browser->end -= browser->begin;
        browser->begin = 0;
    }
    if (browser->end == browser->capacity) {
        size_t wanted = browser->capacity ? 2 * browser->capacity : 65536;
        char *grown = wanted <= ANSWER_MOST ? realloc(browser->text, wanted) : NULL;
        if (!grown) {
            return fail("gave an answer that is too long");
        }
        browser->text = grown;
        browser->capacity = wanted;
    }
    struct pollfd wait = {.fd = browser->from, .events = POLLIN};
    int ready;
    do {
        ready = poll(&wait, 1, PATIENCE);
    } while (ready < 0 && errno == EINTR);
    ssize_t got = ready > 0 ? read(browser->from, browser->text + browser->end, browser->capacity - browser->end) : -1;
    if (got <= 0) {
        return fail(ready == 0 ? "does not answer" : "ended before its time");
    }
    browser->end += (size_t)got;
    return true;
}

/* The next text; it stays where it is until the next call. */
static char *next_text(CliBrowser *browser) {
    size_t looked = 0;
    for (;;) {
        char *begin = browser->text + browser->begin;
        size_t there = browser->end - browser->begin;
        char *zero = there > looked ? memchr(begin + looked, '\0', there - looked) : NULL;
        if (zero) {
            browser->begin += (size_t)(zero - begin) + 1;
            return begin;
        }
        looked = there;
        if (!get(browser)) {
            return NULL;
        }
    }
}

/* Sends a request (parameters are taken over) and waits for its answer; NULL after an error was printed. */
static json_t *request(CliBrowser *browser, const char *method, json_t *parameters) {
    json_int_t number = (json_int_t)++browser->last;
    json_t *whole = json_pack("{s:I, s:s, s:o}", "id", number, "method", method, "params", parameters);
    if (whole && browser->session[0]) {
        json_object_set_new(whole, "sessionId", json_string(browser->session));
    }
    char *text = whole ? json_dumps(whole, JSON_COMPACT) : NULL;
    bool sent = text && put(browser, text, strlen(text) + 1);
    free(text);
    json_decref(whole);
    while (sent) {
        char *answer = next_text(browser);
        json_t *root = answer ? json_loads(answer, 0, NULL) : NULL;
        if (!answer) {
            return NULL;
        }
        if (json_integer_value(json_object_get(root, "id")) == number) {
            json_t *result = json_incref(json_object_get(root, "result"));
            if (!result) {
                fail(method);
            }
            json_decref(root);
            return result;
        }
        json_decref(root); /* an event, which nobody waits for */
    }
    return NULL;
}

static bool copy_text(const json_t *from, const char *key, char *out, size_t size) {
    const char *text = json_string_value(json_object_get(from, key));
    int used = snprintf(out, size, "%s", text ? text : "");
    return text && used > 0 && (size_t)used < size;
}

static bool open_page(CliBrowser *browser, const char *url, uint32_t width, uint32_t height) {
    char target[80], session[80];
    json_t *made = request(browser, "Target.createTarget", json_pack("{s:s}", "url", url));
    bool fine = made && copy_text(made, "targetId", target, sizeof(target));
    json_t *tied =
        fine ? request(browser, "Target.attachToTarget", json_pack("{s:s, s:b}", "targetId", target, "flatten", 1))
             : NULL;
    fine = tied && copy_text(tied, "sessionId", session, sizeof(session));
    json_decref(made);
    json_decref(tied);
    if (!fine) {
        return fail("did not open the page");
    }
    memcpy(browser->session, session, sizeof(session));
    json_t *sized = request(browser, "Emulation.setDeviceMetricsOverride",
                            json_pack("{s:i, s:i, s:i, s:b}", "width", (int)width, "height", (int)height,
                                      "deviceScaleFactor", 1, "mobile", 0));
    json_decref(sized);
    return sized != NULL;
}

int cli_browser_open(CliBrowser *browser, const char *url, uint32_t width, uint32_t height) {
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", NULL};
    char program[512];
    *browser = (CliBrowser){.to = -1, .from = -1};
    cli_find_program(names, program, sizeof(program));
    if (!program[0]) {
        cli_error("chromium", "install Debian's packages chromium and ffmpeg (tools/deps viewer)", "is not there");
        return CLI_EXIT_SYSTEM;
    }
    const char *temporary = getenv("TMPDIR");
    snprintf(browser->folder, sizeof(browser->folder), "%.40s/affix-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(browser->folder)) {
        cli_error(browser->folder, NULL, "cannot be made: %s", strerror(errno));
        browser->folder[0] = '\0';
        return CLI_EXIT_SYSTEM;
    }
    signal(SIGPIPE, SIG_IGN);
    return start(browser, program, width, height) && open_page(browser, url, width, height) ? CLI_EXIT_FINE
                                                                                            : CLI_EXIT_SYSTEM;
}

bool cli_browser_ask(CliBrowser *browser, const char *script, char **out_text) {
    *out_text = NULL;
    json_t *answer = request(browser, "Runtime.evaluate",
                             json_pack("{s:s, s:b, s:b}", "expression", script, "awaitPromise", 1, "returnByValue", 1));
    if (!answer) {
        return false;
    }
    const json_t *value = json_object_get(json_object_get(answer, "result"), "value");
    const json_t *problem = json_object_get(answer, "exceptionDetails");
    if (problem) {
        const char *text = json_string_value(json_object_get(json_object_get(problem, "exception"), "description"));
        cli_error("page", NULL, "%.300s", text ? text : "has failed");
    } else if (json_is_string(value)) {
        *out_text = strdup(json_string_value(value));
    } else {
        *out_text = value ? json_dumps(value, JSON_ENCODE_ANY) : strdup("");
    }
    json_decref(answer);
    return *out_text != NULL;
}

/* Removes a folder and all that is in it, by a program that is everywhere. */
static void remove_folder(const char *folder) {
    pid_t process = fork();
    if (process == 0) {
        execlp("rm", "rm", "-rf", "--", folder, (char *)NULL);
        _exit(127);
    }
    if (process > 0) {
        waitpid(process, NULL, 0);
    }
}

void cli_browser_close(CliBrowser *browser) {
    if (browser->to >= 0) {
        close(browser->to);
    }
    if (browser->from >= 0) {
        close(browser->from);
    }
    if (browser->process > 0) {
        kill(-browser->process, SIGKILL); /* it and its helpers: a process group of their own */
        waitpid(browser->process, NULL, 0);
    }
    if (browser->folder[0]) {
        remove_folder(browser->folder);
    }
    free(browser->text);
    *browser = (CliBrowser){.to = -1, .from = -1};
}
