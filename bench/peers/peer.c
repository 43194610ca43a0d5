/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's main program: reads a scene, steps an engine, measures it, prints one JSON line.
 *
 * Only the engine's step is timed, by the clock of this thread's processor time. The gap of a joint is the distance
 * between its two points; energy is that of rigid bodies, from the velocities that the engine reports. */
#include "peer.h"

#include <errno.h>
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
    PeerOptions options;
} Run;

typedef struct Record {
    double *step_seconds; /* [steps] */
    uint32_t steps;
    double gap, gap_end, energy_start, energy_end, energy_most, potential_least;
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

static void *allocate(size_t count, size_t size) {
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

static void read_numbers(FILE *file, double *out, int count) {
    for (int k = 0; k < count; k++) {
        if (fscanf(file, "%lf", &out[k]) != 1) {
            peer_fail("the scene file ends too early");
        }
    }
}

PeerScene peer_scene_read(const char *path) {
    PeerScene scene = {0};
    double number[4];
    FILE *file = fopen(path, "r");
    if (!file) {
        peer_fail("%s: %s", path, strerror(errno));
    }
    if (fscanf(file, "scene %119[^\n]", scene.name) != 1 || fscanf(file, " gravity") != 0) {
        peer_fail("%s is no scene of peer_affix", path);
    }
    read_numbers(file, scene.gravity, 3);
    if (fscanf(file, " counts %u %u", &scene.body_count, &scene.joint_count) != 2) {
        peer_fail("%s has no counts", path);
    }
    scene.bodies = allocate(scene.body_count, sizeof *scene.bodies);
    scene.joints = allocate(scene.joint_count, sizeof *scene.joints);
    for (uint32_t k = 0; k < scene.body_count; k++) {
        PeerBody *body = &scene.bodies[k];
        read_numbers(file, number, 2);
        body->fixed = number[0] != 0;
        body->mass = number[1];
        read_numbers(file, body->inertia, 3);
        read_numbers(file, body->position, 3);
        read_numbers(file, body->rotation, 4);
    }
    for (uint32_t k = 0; k < scene.joint_count; k++) {
        PeerJoint *joint = &scene.joints[k];
        read_numbers(file, number, 2);
        joint->a = (int32_t)number[0];
        joint->b = (int32_t)number[1];
        read_numbers(file, joint->on_a, 3);
        read_numbers(file, joint->on_b, 3);
    }
    read_numbers(file, number, 4);
    scene.marker_body = (uint32_t)number[0];
    memcpy(scene.marker, number + 1, sizeof scene.marker);
    fclose(file);
    return scene;
}

void peer_rotate(const double q[4], const double v[3], double out[3]) {
    double t[3] = {2 * (q[2] * v[2] - q[3] * v[1]), 2 * (q[3] * v[0] - q[1] * v[2]), 2 * (q[1] * v[1] - q[2] * v[0])};
    out[0] = v[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
    out[1] = v[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
    out[2] = v[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
}

void peer_point(const PeerState *states, int32_t body, const double point[3], double out[3]) {
    if (body < 0) {
        memcpy(out, point, 3 * sizeof *out);
        return;
    }
    peer_rotate(states[body].rotation, point, out);
    for (int k = 0; k < 3; k++) {
        out[k] += states[body].position[k];
    }
}

uint32_t *peer_shuffle(uint32_t count) {
    uint32_t *order = allocate(count, sizeof *order);
    uint64_t random = 1;
    for (uint32_t k = 0; k < count; k++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t other = (uint32_t)((random >> 33) % (k + 1));
        order[k] = order[other];
        order[other] = k;
    }
    return order;
}

static double largest_gap(const PeerScene *scene, const PeerState *states) {
    double most = 0;
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        const PeerJoint *joint = &scene->joints[k];
        double a[3], b[3];
        peer_point(states, joint->a, joint->on_a, a);
        peer_point(states, joint->b, joint->on_b, b);
        double gap =
            sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
        most = gap > most || isnan(gap) ? gap : most;
        if (isnan(gap)) {
            break;
        }
    }
    return most;
}

static void energy(const PeerScene *scene, const PeerState *states, double *out_kinetic, double *out_potential) {
    *out_kinetic = *out_potential = 0;
    for (uint32_t k = 0; k < scene->body_count; k++) {
        const PeerBody *body = &scene->bodies[k];
        const PeerState *state = &states[k];
        if (body->fixed) {
            continue;
        }
        double inverse[4] = {state->rotation[0], -state->rotation[1], -state->rotation[2], -state->rotation[3]}, w[3];
        peer_rotate(inverse, state->angular, w);
        for (int i = 0; i < 3; i++) {
            *out_kinetic += 0.5 * (body->mass * state->linear[i] * state->linear[i] + body->inertia[i] * w[i] * w[i]);
            *out_potential -= body->mass * scene->gravity[i] * state->position[i];
        }
    }
}

static void measure(const PeerScene *scene, const PeerState *states, double time, const Run *run, Record *record) {
    double kinetic, potential, gap = largest_gap(scene, states);
    energy(scene, states, &kinetic, &potential);
    record->finite = isfinite(kinetic) && isfinite(potential) && isfinite(gap);
    if (!record->finite) {
        return;
    }
    record->gap_end = gap;
    record->gap = fmax(record->gap, gap);
    record->energy_end = kinetic + potential;
    record->energy_most = fmax(record->energy_most, fabs(record->energy_end - record->energy_start));
    record->potential_least = fmin(record->potential_least, potential);
    if (!record->marked && time > run->mark_time - 0.5 * run->options.h) {
        record->marked = true;
        peer_point(states, (int32_t)scene->marker_body, scene->marker, record->marker);
    }
}

static void simulate(const PeerScene *scene, const PeerEngine *engine, const Run *run, Record *record) {
    PeerState *states = allocate(scene->body_count, sizeof *states);
    for (uint32_t k = 0; k < scene->body_count; k++) {
        memcpy(states[k].position, scene->bodies[k].position, sizeof states[k].position);
        memcpy(states[k].rotation, scene->bodies[k].rotation, sizeof states[k].rotation);
    }
    double kinetic, used = 0, begin = clock_seconds();
    energy(scene, states, &kinetic, &record->energy_start);
    record->energy_end = record->potential_least = record->energy_start;
    record->finite = true;
    void *instance = engine->create(scene, &run->options);
    if (!instance) {
        exit(3);
    }
    record->setup_seconds = clock_seconds() - begin;
    uint32_t count = (uint32_t)ceil(run->time / run->options.h - 1e-6);
    record->step_seconds = allocate(count, sizeof *record->step_seconds);
    while (record->steps < count && record->finite && !record->failed && used < run->limit) {
        begin = clock_seconds();
        record->failed = !engine->step(instance);
        used += record->step_seconds[record->steps++] = clock_seconds() - begin;
        engine->read(instance, states);
        record->own_gap = engine->own_gap ? fmax(record->own_gap, engine->own_gap(instance)) : 0;
        measure(scene, states, record->steps * run->options.h, run, record);
    }
    free(states);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(const PeerScene *scene, const PeerEngine *engine, const Run *run, const Record *record) {
    double sum = 0;
    struct rusage usage;
    for (uint32_t k = 0; k < record->steps; k++) {
        sum += record->step_seconds[k];
    }
    qsort(record->step_seconds, record->steps, sizeof *record->step_seconds, compare);
    double median = record->steps ? record->step_seconds[record->steps / 2] : NAN;
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"peer\": \"%s\", \"variant\": \"%s\", \"version\": \"%s\", \"scene\": \"%s\", \"bodies\": %u, "
           "\"joints\": %u, \"h\": %.17g, \"iterations\": %u, \"substeps\": %u, \"steps\": %u, \"time\": %.17g, ",
           engine->name, run->options.variant, engine->version, scene->name, scene->body_count, scene->joint_count,
           run->options.h, run->options.iterations, run->options.substeps, record->steps,
           record->steps * run->options.h);
    if (record->steps) {
        printf("\"ms_median\": %.9g, \"ms_mean\": %.9g, ", 1e3 * median, 1e3 * sum / record->steps);
    }
    printf("\"setup_ms\": %.6g, \"megabytes\": %.4g, \"gap\": %.9g, \"gap_end\": %.9g, \"energy_start\": %.17g, "
           "\"energy_end\": %.17g, \"energy_error\": %.9g, \"potential_range\": %.9g, \"finite\": %s, "
           "\"failed\": %s, \"complete\": %s",
           1e3 * record->setup_seconds, (double)usage.ru_maxrss / 1024, record->gap, record->gap_end,
           record->energy_start, record->energy_end, record->energy_most,
           record->energy_start - record->potential_least, record->finite ? "true" : "false",
           record->failed ? "true" : "false",
           record->steps * run->options.h > run->time * (1 - 1e-6) ? "true" : "false");
    if (engine->own_gap) {
        printf(", \"own_gap\": %.9g", record->own_gap);
    }
    if (record->marked) {
        printf(", \"marker\": [%.17g, %.17g, %.17g]", record->marker[0], record->marker[1], record->marker[2]);
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
        peer_fail("usage: %s SCENE [--variant V] [--h S] [--time S] [--mark S] [--limit S] [--iterations N] "
                  "[--substeps N] [--accuracy A] [--erp E]",
                  argv[0]);
    }
    return run;
}

int peer_main(int argc, char **argv, const PeerEngine *engine) {
    Run run = read_arguments(argc, argv);
    PeerScene scene = peer_scene_read(run.scene_path);
    Record record = {0};
    simulate(&scene, engine, &run, &record);
    print(&scene, engine, &run, &record);
    fflush(stdout);
    _Exit(0); /* engines that crash when they are taken down have nothing left to say */
}
