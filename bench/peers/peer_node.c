/* SPDX-License-Identifier: Apache-2.0 */
/* peer_node COMMAND... -- SCENE [options]: the driver of an engine in a process of its own, for WebAssembly under
 * Node.js (peer.mjs). COMMAND gets the scene and the options too, and writes to descriptor 3: 64 bytes with its name
 * and version, then after every step three numbers (1: fine, 0: failed; processor seconds of the step; 0) and the state
 * of every body. Measurements are thus made by the same code as for all others. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peer.h"

enum { TITLE = 64 };

typedef struct Engine {
    int pipe;
    pid_t child;
    char title[TITLE];
    double seconds;
    uint32_t body_count;
    PeerState *states; /* [body_count] */
} Engine;

/* The child has ended without saying what was expected: it refused (and has said why) or crashed. */
static void mourn(const Engine *engine) {
    int status = 0;
    if (waitpid(engine->child, &status, 0) == engine->child && WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    exit(3);
}

static void receive(const Engine *engine, void *out, size_t size) {
    char *at = out;
    while (size > 0) {
        ssize_t count = read(engine->pipe, at, size);
        if (count == 0) {
            mourn(engine);
        }
        if (count < 0 && errno != EINTR) {
            peer_fail("no answer: %s", strerror(errno));
        }
        at += count > 0 ? count : 0;
        size -= count > 0 ? (size_t)count : 0;
    }
}

static void start(Engine *engine, char **command) {
    int ends[2];
    if (pipe(ends) != 0 || (engine->child = fork()) < 0) {
        peer_fail("no process: %s", strerror(errno));
    }
    if (engine->child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[0]);
        if (dup2(ends[1], 3) < 0 || (ends[1] != 3 && close(ends[1]) != 0)) {
            peer_fail("no pipe: %s", strerror(errno));
        }
        execvp(command[0], command);
        peer_fail("%s: %s", command[0], strerror(errno));
    }
    close(ends[1]);
    engine->pipe = ends[0];
    receive(engine, engine->title, TITLE);
    engine->title[TITLE - 1] = '\0';
}

static bool step(void *context) {
    Engine *engine = context;
    double head[3];
    receive(engine, head, sizeof head);
    engine->seconds = head[1];
    receive(engine, engine->states, engine->body_count * sizeof *engine->states);
    return head[0] != 0;
}

static void read_states(void *context, PeerState *out_states) {
    const Engine *engine = context;
    memcpy(out_states, engine->states, engine->body_count * sizeof *out_states);
}

static double seconds(void *context) {
    return ((const Engine *)context)->seconds;
}

static const char *title(void *context) {
    return ((const Engine *)context)->title;
}

static void *create(const PeerScene *scene, const PeerOptions *options) {
    Engine *engine = peer_allocate(1, sizeof *engine);
    engine->body_count = scene->body_count;
    engine->states = peer_allocate(scene->body_count, sizeof *engine->states);
    start(engine, options->command);
    return engine;
}

int main(int argc, char **argv) {
    PeerEngine engine = {"node", "", create, step, read_states, NULL, seconds, title, NULL};
    int dashes = 1;
    while (dashes < argc && strcmp(argv[dashes], "--") != 0) {
        dashes++;
    }
    if (dashes >= argc - 1) {
        peer_fail("usage: peer_node COMMAND... -- SCENE [options]");
    }
    char **command = peer_allocate((size_t)argc, sizeof *command);
    memcpy(command, argv + 1, (size_t)(dashes - 1) * sizeof *command);
    memcpy(command + dashes - 1, argv + dashes + 1, (size_t)(argc - dashes - 1) * sizeof *command);
    engine.command = command;
    argv[dashes] = argv[0];
    return peer_main(argc - dashes, argv + dashes, &engine);
}
