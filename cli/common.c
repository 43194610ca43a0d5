/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, exit codes, clock and version of the command line. */
#include "cli/cli.h"

#include "cli/colour.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

void cli_error(const char *element, const char *cure, const char *text, ...) {
    va_list list;
    va_start(list, text);
    fprintf(stderr, "%saffix:%s %s: ", cli_colour(stderr, CLI_RED), cli_colour(stderr, CLI_PLAIN), element);
    vfprintf(stderr, text, list);
    fprintf(stderr, cure && cure[0] ? " (%s)\n" : "\n", cure);
    va_end(list);
}

void cli_note(const char *text, ...) {
    va_list list;
    va_start(list, text);
    fprintf(stderr, "%saffix: note:%s ", cli_colour(stderr, CLI_YELLOW), cli_colour(stderr, CLI_PLAIN));
    vfprintf(stderr, text, list);
    fputc('\n', stderr);
    va_end(list);
}

int cli_exit_code(AfxStatus status) {
    switch (status) {
    case AFX_OK:
        return CLI_EXIT_FINE;
    case AFX_E_NUMERIC:
        return CLI_EXIT_NUMERIC;
    case AFX_E_MEMORY:
    case AFX_E_SYSTEM:
        return CLI_EXIT_SYSTEM;
    case AFX_E_ARGUMENT:
    case AFX_E_INPUT:
    case AFX_E_LIMIT:
    case AFX_E_VERSION:
        break;
    }
    return CLI_EXIT_INPUT;
}

int cli_error_from(const AfxError *error) {
    const char *text = error->text[0] ? error->text : afx_status_text(error->status);
    const char *element = error->element[0] ? error->element : error->file[0] ? "" : "scene";
    if (error->file[0]) {
        char place[sizeof(error->file) + sizeof(error->element) + 24];
        int used = snprintf(place, sizeof(place), error->line > 0 ? "%s:%d" : "%s", error->file, error->line);
        snprintf(place + used, sizeof(place) - (size_t)used, "%s%s", element[0] ? ": " : "", element);
        cli_error(place, error->cure, "%s", text);
    } else {
        cli_error(element, error->cure, "%s", text);
    }
    return cli_exit_code(error->status);
}

const char *cli_plural(uint64_t count, const char *one, const char *more) {
    return count == 1 ? one : more;
}

double cli_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_solvers(const AfxModel *model, char *out_text, size_t size) {
    uint32_t used = 0;
    snprintf(out_text, size, "free");
    for (uint32_t k = 0; k < afx_model_component_count(model); ++k) {
        AfxComponent component;
        if (afx_model_component(model, k, &component) == AFX_OK && !(used >> component.solver & 1)) {
            size_t length = used ? strlen(out_text) : 0;
            snprintf(out_text + length, size - length, "%s%s", used ? "+" : "", afx_solver_name(component.solver));
            used |= 1u << component.solver;
        }
    }
}

void cli_print_version(void) {
    printf("affix %s\n", afx_version());
}
