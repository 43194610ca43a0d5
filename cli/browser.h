/* SPDX-License-Identifier: Apache-2.0 */
/* cli/browser.h: a browser without a window, spoken to through pipes (Chromium's --remote-debugging-pipe: JSON texts,
 * each with a zero behind it), to have pages drawn. */
#ifndef CLI_BROWSER_H
#define CLI_BROWSER_H

#include "cli/cli.h"

#include <sys/types.h>

typedef struct CliBrowser {
    pid_t process;    /* 0: none */
    int to, from;     /* -1: none */
    uint64_t last;    /* number of the last request */
    char folder[64];  /* of its own, removed at the end */
    char session[80]; /* of the page */
    char *text;       /* [capacity] what came, from `begin` to `end` */
    size_t begin, end, capacity;
} CliBrowser;

/** Looks for a program in PATH; "" when there is none of these (names end with NULL). */
void cli_find_program(const char *const *names, char *out_path, size_t size);
/** Starts the browser and opens a page of that size. An exit code, with the error printed; close it in any case. */
int cli_browser_open(CliBrowser *browser, const char *url, uint32_t width, uint32_t height);
/** Evaluates JavaScript in the page and waits for what it promises. *out_text (freed by the caller) is the result as
 * text. False after an error was printed. */
bool cli_browser_ask(CliBrowser *browser, const char *script, char **out_text);
void cli_browser_close(CliBrowser *browser);

#endif
