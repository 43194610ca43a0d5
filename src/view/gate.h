/* SPDX-License-Identifier: Apache-2.0 */
/* Who may hold a connection. Each one takes a thread of the server, also one that says nothing or reads nothing:
 * without a limit a few dozen of them keep everybody else out. Of one address, and of all, only so many may be busy
 * with a request; when one more comes, the oldest of the same address that has not said what it wants is ended, and
 * where there is none the oldest that does not take its answer. So there is always a thread for whoever comes next. And
 * who has not asked after a few seconds is ended. */
#ifndef AFXI_VIEW_GATE_H
#define AFXI_VIEW_GATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define AFXI_GATE_PAGES 24u      /* pages that watch, of all */
#define AFXI_GATE_EACH_PAGES 12u /* of one address */
#define AFXI_GATE_OPEN 24u       /* requests under way, of all */
#define AFXI_GATE_EACH_OPEN 8u   /* of one address; browsers open up to six connections */
#define AFXI_GATE_THREADS 64u    /* more than both, for those that are just ending */
#define AFXI_GATE_PATIENCE 5.0   /* s until a request must be complete, however slowly it comes */

typedef struct AfxiGuest {
    char address[48];
    int port;        /* theirs; with the address it names the connection */
    int fd;          /* our end */
    uint64_t number; /* in order of coming; 0: a free place */
    double since;    /* afxi_clock when it came */
    bool heard;      /* its request is complete */
    bool page;       /* it watches, and is no request any more */
    bool ended;      /* it was told to go */
} AfxiGuest;

typedef struct AfxiGate {
    pthread_mutex_t mutex;
    pthread_cond_t end;
    pthread_t watch; /* ends those whose time is up */
    bool stopping;
    int port; /* that we listen at; 0: not yet */
    uint64_t last;
    AfxiGuest guests[4 * AFXI_GATE_THREADS];
} AfxiGate;

/** Starts a thread; false when it cannot. */
bool afxi_gate_create(AfxiGate *gate);
void afxi_gate_destroy(AfxiGate *gate);
/** The port that we listen at. */
void afxi_gate_set(AfxiGate *gate, int port);
/** Somebody came: others may be ended for it. */
void afxi_gate_enter(AfxiGate *gate);
/** The request of a connection is complete. */
void afxi_gate_hear(AfxiGate *gate, const char *address, int port);
/** It wants to watch: false when there are too many. */
bool afxi_gate_watch(AfxiGate *gate, const char *address, int port);
/** A connection goes: its socket is closed after this. NULL where nobody knows which one it is. */
void afxi_gate_leave(AfxiGate *gate, const char *address, int port);

#endif
