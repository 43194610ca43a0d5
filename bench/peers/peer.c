/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's main program: reads a scene, steps an engine, measures it, prints one JSON line.
 *
 * Only the engine's step is timed, by the clock of this thread's processor time. What is measured of a state is in
 * measure.c and depth.c. */
#include "peer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef struct Run {
    const char *scene_path;
    double time, mark_time, limit;
    double rest; /* s at the end, in which all should stand; 0: it does not */
    PeerOptions options;
} Run;

typedef struct Record {
    double *step_seconds; /* [steps] */
    uint32_t steps;
    double gap, gap_end, energy_start, energy_end, energy_most, energy_gain, potential_start, potential_least;
    double depth, depth_end;
    double (*rest)[3]; /* [bodies] where they were `rest` seconds before the end; NULL: not yet */
    double creep;      /* m, how far one went since */
    double own_gap;
    double setup_seconds;
    bool finite, failed;
    bool marked;
    double marker[3]; /* at mark_time */
} Record;

void peer_fail(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    exit(3);
}

void *peer_allocate(size_t count, size_t size) {
    void *block = calloc(count ? count : 1, size);
    if (!block) {
        peer_fail("no memory");
    }
    return block;
}

static double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void measure(const PeerScene *scene, const PeerState *states, double time, const Run *run, Record *record) {
    double kinetic, potential, gap = peer_largest_gap(scene, states);
    peer_energy(scene, states, &kinetic, &potential);
    record->finite = isfinite(kinetic) && isfinite(potential) && isfinite(gap);
    if (!record->finite) {
        return;
    }
    record->gap_end = gap;
    record->gap = fmax(record->gap, gap);
    record->energy_end = kinetic + potential;
    record->energy_most = fmax(record->energy_most, fabs(record->energy_end - record->energy_start));
    record->energy_gain = fmax(record->energy_gain, record->energy_end - record->energy_start);
    record->depth_end = scene->shape_count ? peer_depth(scene, states) : 0;
    record->depth = fmax(record->depth, record->depth_end);
    record->potential_least = fmin(record->potential_least, potential);
    if (!record->marked && time > run->mark_time - 0.5 * run->options.h) {
        record->marked = true;
        peer_point(states, (int32_t)scene->marker_body, scene->marker, record->marker);
    }
}

/* From the step on that ends `rest` seconds before the end: how far bodies have gone, which should all stand. */
static void measure_creep(const PeerScene *scene, const PeerState *states, double time, const Run *run,
                          Record *record) {
    if (!(run->rest > 0) || time < run->time - run->rest - 0.5 * run->options.h) {
        return;
    }
    bool first = !record->rest;
    record->rest = first ? peer_allocate(scene->body_count, sizeof *record->rest) : record->rest;
    record->creep = 0;
    for (uint32_t k = 0; k < scene->body_count; k++) {
        double square = 0;
        for (int i = 0; i < 3; i++) {
            record->rest[k][i] = first ? states[k].position[i] : record->rest[k][i];
            square += pow(states[k].position[i] - record->rest[k][i], 2);
        }
        record->creep = fmax(record->creep, sqrt(square));
    }
}

static void *simulate(const PeerScene *scene, const PeerEngine *engine, const Run *run, Record *record) {
    PeerState *states = peer_allocate(scene->body_count, sizeof *states);
    for (uint32_t k = 0; k < scene->body_count; k++) {
        memcpy(states[k].position, scene->bodies[k].position, sizeof states[k].position);
        memcpy(states[k].rotation, scene->bodies[k].rotation, sizeof states[k].rotation);
        memcpy(states[k].linear, scene->bodies[k].linear, sizeof states[k].linear);
        memcpy(states[k].angular, scene->bodies[k].angular, sizeof states[k].angular);
    }
    double kinetic, used = 0, begin = clock_seconds();
    peer_energy(scene, states, &kinetic, &record->potential_start);
    record->energy_start = record->energy_end = kinetic + record->potential_start;
    record->potential_least = record->potential_start;
    record->finite = true;
    void *instance = engine->create(scene, &run->options);
    if (!instance) {
        exit(3);
    }
    record->setup_seconds = clock_seconds() - begin;
    uint32_t count = (uint32_t)ceil(run->time / run->options.h - 1e-6);
    record->step_seconds = peer_allocate(count, sizeof *record->step_seconds);
    while (record->steps < count && record->finite && !record->failed && used < run->limit) {
        begin = clock_seconds();
        record->failed = !engine->step(instance);
        double took = engine->seconds ? engine->seconds(instance) : clock_seconds() - begin;
        used += record->step_seconds[record->steps++] = took;
        engine->read(instance, states);
        record->own_gap = engine->own_gap ? fmax(record->own_gap, engine->own_gap(instance)) : 0;
        measure(scene, states, record->steps * run->options.h, run, record);
        measure_creep(scene, states, record->steps * run->options.h, run, record);
    }
    free(states);
    return instance;
}

static double weight(const PeerScene *scene) {
    const double *g = scene->gravity;
    double mass = 0;
    for (uint32_t k = 0; k < scene->body_count; k++) {
        mass += scene->bodies[k].fixed ? 0 : scene->bodies[k].mass;
    }
    return mass * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* "name version" of an engine in a process of its own, else what the driver was built with. */
static void print_name(const PeerEngine *engine, void *instance) {
    const char *title = engine->title ? engine->title(instance) : "";
    const char *space = strchr(title, ' ');
    int size = space ? (int)(space - title) : 0;
    printf("{\"peer\": \"%.*s\", \"version\": \"%s\", ", space ? size : (int)strlen(engine->name),
           space ? title : engine->name, space ? space + 1 : engine->version);
}

static void print(const PeerScene *scene, const PeerEngine *engine, void *instance, const Run *run,
                  const Record *record) {
    double sum = 0;
    struct rusage usage;
    for (uint32_t k = 0; k < record->steps; k++) {
        sum += record->step_seconds[k];
    }
    qsort(record->step_seconds, record->steps, sizeof *record->step_seconds, compare);
    double median = record->steps ? record->step_seconds[record->steps / 2] : NAN;
    getrusage(RUSAGE_SELF, &usage);
    print_name(engine, instance);
    printf("\"variant\": \"%s\", \"scene\": \"%s\", \"bodies\": %u, \"joints\": %u, \"shapes\": %u, "
           "\"h\": %.17g, \"iterations\": %u, \"substeps\": %u, \"steps\": %u, \"time\": %.17g, ",
           run->options.variant, scene->name, scene->body_count, scene->joint_count, scene->shape_count, run->options.h,
           run->options.iterations, run->options.substeps, record->steps, record->steps * run->options.h);
    if (record->steps) {
        printf("\"ms_median\": %.9g, \"ms_mean\": %.9g, ", 1e3 * median, 1e3 * sum / record->steps);
    }
    printf("\"setup_ms\": %.6g, \"megabytes\": %.4g, \"gap\": %.9g, \"gap_end\": %.9g, \"energy_start\": %.17g, "
           "\"energy_end\": %.17g, \"energy_error\": %.9g, \"potential_range\": %.9g, \"finite\": %s, "
           "\"failed\": %s, \"complete\": %s",
           1e3 * record->setup_seconds, (double)usage.ru_maxrss / 1024, record->gap, record->gap_end,
           record->energy_start, record->energy_end, record->energy_most,
           record->potential_start - record->potential_least, record->finite ? "true" : "false",
           record->failed ? "true" : "false",
           record->steps * run->options.h > run->time * (1 - 1e-6) ? "true" : "false");
    if (engine->own_gap) {
        printf(", \"own_gap\": %.9g", record->own_gap);
    }
    if (engine->seconds) {
        printf(", \"wasm\": true");
    }
    if (scene->shape_count) {
        printf(", \"depth\": %.9g, \"depth_end\": %.9g, \"energy_gain\": %.9g, \"weight\": %.9g", record->depth,
               record->depth_end, record->energy_gain, weight(scene));
    }
    if (record->marked) {
        printf(", \"marker\": [%.17g, %.17g, %.17g]", record->marker[0], record->marker[1], record->marker[2]);
    }
    if (record->rest) {
        printf(", \"creep\": %.9g", record->creep);
    }
    printf("}\n");
}

static double number_of(const char *name, const char *text) {
    char *end = NULL;
    double value = text ? strtod(text, &end) : NAN;
    if (!text || end == text || *end || !(value >= 0)) {
        peer_fail("%s needs a number that is not negative", name);
    }
    return value;
}

static Run read_arguments(int argc, char **argv) {
    Run run = {.time = 1, .mark_time = 1, .limit = 1e9, .options = {.variant = "", .h = 0.01, .substeps = 1}};
    for (int k = 1; k < argc; k++) {
        const char *name = argv[k], *text = k + 1 < argc ? argv[k + 1] : NULL;
        if (name[0] != '-') {
            run.scene_path = name;
            continue;
        }
        k++;
        if (strcmp(name, "--variant") == 0 && text) {
            run.options.variant = text;
        } else if (strcmp(name, "--h") == 0) {
            run.options.h = number_of(name, text);
        } else if (strcmp(name, "--time") == 0) {
            run.time = number_of(name, text);
        } else if (strcmp(name, "--mark") == 0) {
            run.mark_time = number_of(name, text);
        } else if (strcmp(name, "--rest") == 0) {
            run.rest = number_of(name, text);
        } else if (strcmp(name, "--limit") == 0) {
            run.limit = number_of(name, text);
        } else if (strcmp(name, "--iterations") == 0) {
            run.options.iterations = (uint32_t)number_of(name, text);
        } else if (strcmp(name, "--substeps") == 0) {
            run.options.substeps = (uint32_t)number_of(name, text);
        } else if (strcmp(name, "--accuracy") == 0) {
            run.options.accuracy = number_of(name, text);
        } else if (strcmp(name, "--erp") == 0) {
            run.options.erp = number_of(name, text);
        } else {
            peer_fail("no option %s", name);
        }
    }
    if (!run.scene_path || run.options.h <= 0) {
        peer_fail("usage: %s SCENE [--variant V] [--h S] [--time S] [--mark S] [--rest S] [--limit S] [--iterations N] "
                  "[--substeps N] [--accuracy A] [--erp E]",
                  argv[0]);
    }
    return run;
}

int peer_main(int argc, char **argv, const PeerEngine *engine) {
    Run run = read_arguments(argc, argv);
    run.options.command = engine->command;
    PeerScene scene = peer_scene_read(run.scene_path);
    Record record = {0};
    void *instance = simulate(&scene, engine, &run, &record);
    print(&scene, engine, instance, &run, &record);
    fflush(stdout);
    _Exit(0); /* engines that crash when they are taken down have nothing left to say */
}
