/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a trace, line by line: each is a JSON object of its own. */
#include "cli/explain.h"

#include <jansson.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BODIES_MOST 100000000u

/* What is wrong with a line; empty: nothing. */
typedef struct Fault {
    char text[160];
} Fault;

static int memory_error(void) {
    cli_error("memory", NULL, "%s", afx_status_text(AFX_E_MEMORY));
    return CLI_EXIT_SYSTEM;
}

/* A number, or `missing` where it is not there; null is one that is not finite. */
static double number(const json_t *line, const char *key, double missing) {
    const json_t *value = json_object_get(line, key);
    return json_is_number(value) ? json_number_value(value) : json_is_null(value) ? INFINITY : missing;
}

static uint32_t index_of(const json_t *line, const char *key, uint32_t missing) {
    double value = number(line, key, missing);
    return value >= 0 && value < 4294967296.0 ? (uint32_t)value : missing;
}

/* The constant with the name that a key has; 0 where there is no such key. */
static int constant(const json_t *line, const char *key, int count, const char *(*name)(int), Fault *fault) {
    const char *text = json_string_value(json_object_get(line, key));
    for (int k = 0; text && k < count; ++k) {
        if (strcmp(text, name(k)) == 0) {
            return k;
        }
    }
    if (json_object_get(line, key)) {
        snprintf(fault->text, sizeof(fault->text), "\"%s\" has no such value: \"%.60s\"", key, text ? text : "");
    }
    return 0;
}

static const char *kind_name(int value) {
    return afx_trace_kind_name((AfxTraceKind)value);
}

static const char *engine_name(int value) {
    return afx_trace_engine_name((AfxTraceEngine)value);
}

static const char *method_name(int value) {
    return afx_trace_method_name((AfxTraceMethod)value);
}

static const char *verdict_name(int value) {
    return afx_trace_verdict_name((AfxTraceVerdict)value);
}

static const char *reason_name(int value) {
    return afx_trace_reason_name((AfxTraceReason)value);
}

static bool keep_name(CliExplain *trace, uint32_t body, const json_t *text) {
    const char *name = json_string_value(text);
    if (!name || body >= BODIES_MOST || (body < trace->name_count && trace->names[body])) {
        return true;
    }
    if (body >= trace->name_capacity) {
        uint32_t capacity = 2 * (body + 1);
        char **grown = realloc(trace->names, capacity * sizeof(*grown));
        if (!grown) {
            return false;
        }
        trace->names = grown;
        trace->name_capacity = capacity;
    }
    for (; trace->name_count <= body; ++trace->name_count) {
        trace->names[trace->name_count] = NULL;
    }
    trace->names[body] = strdup(name);
    return trace->names[body] != NULL;
}

static AfxTraceEvent event_of(const json_t *line, Fault *fault) {
    const json_t *changes = json_object_get(line, "changes");
    return (AfxTraceEvent){
        .kind = (AfxTraceKind)constant(line, "event", AFX_TRACE_KIND_COUNT, kind_name, fault),
        .step = (uint64_t)fmax(0, fmin(number(line, "step", 0), 1e18)),
        .time = number(line, "time", NAN),
        .part = index_of(line, "part", 1),
        .parts = index_of(line, "parts", 1),
        .stage = index_of(line, "stage", 0),
        .solve = index_of(line, "solve", 0),
        .engine = (AfxTraceEngine)constant(line, "engine", AFX_TRACE_ENGINE_COUNT, engine_name, fault),
        .method = (AfxTraceMethod)constant(line, "method", AFX_TRACE_METHOD_COUNT, method_name, fault),
        .island = index_of(line, "island", UINT32_MAX),
        .bodies = index_of(line, "bodies", 0),
        .rotation = number(line, "rotation", NAN),
        .turn = number(line, "turn", NAN),
        .residual = number(line, "residual", NAN),
        .excess = number(line, "excess", NAN),
        .rotation_tolerance = number(line, "rotation_tolerance", NAN),
        .residual_tolerance = number(line, "residual_tolerance", NAN),
        .changes = {index_of(changes, "contacts", 0), index_of(changes, "slips", 0), index_of(changes, "limits", 0),
                    index_of(changes, "friction", 0), index_of(changes, "saturation", 0)},
        .verdict = (AfxTraceVerdict)constant(line, "verdict", AFX_TRACE_VERDICT_COUNT, verdict_name, fault),
        .reason = (AfxTraceReason)constant(line, "reason", AFX_TRACE_REASON_COUNT, reason_name, fault),
        .body = index_of(line, "body", UINT32_MAX),
        .joint = index_of(line, "joint", UINT32_MAX),
        .count = index_of(line, "count", 0),
    };
}

static bool add_event(CliExplain *trace, const json_t *line, Fault *fault) {
    AfxTraceEvent event = event_of(line, fault);
    if (trace->count == trace->capacity) {
        uint32_t capacity = trace->capacity ? 2 * trace->capacity : 1024;
        AfxTraceEvent *grown = capacity > trace->capacity ? realloc(trace->events, capacity * sizeof(*grown)) : NULL;
        if (!grown) {
            return false;
        }
        trace->events = grown;
        trace->capacity = capacity;
    }
    trace->events[trace->count++] = event;
    if (event.kind == AFX_TRACE_FAILED) {
        const char *status = json_string_value(json_object_get(line, "status"));
        snprintf(trace->status, sizeof(trace->status), "%s", status ? status : "");
    }
    return keep_name(trace, event.island, json_object_get(line, "island_name")) &&
           keep_name(trace, event.body, json_object_get(line, "body_name"));
}

static char *copy(const json_t *line, const char *key) {
    const char *text = json_string_value(json_object_get(line, key));
    return strdup(text ? text : "?");
}

/* False when there is no memory; fault->text says what is wrong with the line. */
static bool add_line(CliExplain *trace, const json_t *line, Fault *fault) {
    const char *event = json_string_value(json_object_get(line, "event"));
    if (!event) {
        snprintf(fault->text, sizeof(fault->text), "is no event of a trace: it has no \"event\"");
    } else if (strcmp(event, "run") == 0) {
        if (trace->scene) {
            snprintf(fault->text, sizeof(fault->text), "a second run begins: a trace is of one");
            return true;
        }
        trace->scene = copy(line, "scene");
        trace->integrator = copy(line, "integrator");
        trace->dt = number(line, "dt", NAN);
        return trace->scene && trace->integrator;
    } else if (!trace->scene) {
        snprintf(fault->text, sizeof(fault->text), "no line about the run comes first: this is no trace");
    } else if (strcmp(event, "dropped") == 0) {
        trace->dropped += index_of(line, "count", 0);
    } else if (strcmp(event, "end") == 0) {
        trace->ended = true;
    } else {
        return add_event(trace, line, fault);
    }
    return true;
}

/* Lines of an open file; *out_line is where it stopped. */
static bool read_lines(FILE *file, CliExplain *trace, unsigned *out_line, Fault *fault) {
    char *text = NULL;
    size_t room = 0;
    bool memory = true;
    ssize_t length;
    while (memory && fault->text[0] == 0 && (length = getline(&text, &room, file)) >= 0) {
        ++*out_line;
        if (length == 0 || text[strspn(text, " \t\r\n")] == 0) {
            continue;
        }
        json_error_t error;
        json_t *line = json_loadb(text, (size_t)length, JSON_REJECT_DUPLICATES, &error);
        if (!line && text[length - 1] != '\n') { /* the run was stopped while it wrote */
            trace->torn = true;
        } else if (!json_is_object(line)) {
            snprintf(fault->text, sizeof(fault->text), "JSON syntax error: %.100s", line ? "no object" : error.text);
        } else {
            memory = add_line(trace, line, fault);
        }
        json_decref(line);
    }
    free(text);
    return memory;
}

int cli_explain_read(const char *path, CliExplain *out_trace) {
    bool standard = strcmp(path, "-") == 0;
    unsigned line = 0;
    Fault fault = {""};
    *out_trace = (CliExplain){.dt = NAN};
    FILE *file = standard ? stdin : fopen(path, "r");
    if (!file) {
        cli_error(path, "affix run ... --trace FILE writes one", "cannot be opened: %s", strerror(errno));
        return CLI_EXIT_INPUT;
    }
    errno = 0;
    bool memory = read_lines(file, out_trace, &line, &fault);
    bool broken = ferror(file) != 0;
    int number = errno;
    if (!standard) {
        fclose(file);
    }
    if (!memory) {
        return memory_error();
    }
    if (fault.text[0]) {
        char place[512];
        snprintf(place, sizeof(place), "%.400s:%u", path, line);
        cli_error(place, "affix run ... --trace FILE writes one", "%s", fault.text);
        return CLI_EXIT_INPUT;
    }
    if (broken || line == 0) {
        cli_error(path, "affix run ... --trace FILE writes one", "%s", broken ? strerror(number) : "is empty");
        return CLI_EXIT_INPUT;
    }
    return CLI_EXIT_FINE;
}

void cli_explain_destroy(CliExplain *trace) {
    for (uint32_t k = 0; k < trace->name_count; ++k) {
        free(trace->names[k]);
    }
    free(trace->names);
    free(trace->events);
    free(trace->scene);
    free(trace->integrator);
    *trace = (CliExplain){0};
}
