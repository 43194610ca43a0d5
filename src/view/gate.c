/* SPDX-License-Identifier: Apache-2.0 */
/* The table of connections. civetweb can neither refuse one before it has read its request nor tell whose it is; but a
 * process can look at its own sockets, and one that is shut down lets go of its thread at once. So the table follows
 * the sockets: it is brought up to date whenever somebody comes. */
#include "view/gate.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"

#define PLACES (sizeof((AfxiGate *)0)->guests / sizeof((AfxiGate *)0)->guests[0])
#define SOCKETS_MOST 4096 /* numbers of sockets that are looked at */

static void *watch(void *user);

bool afxi_gate_create(AfxiGate *gate) {
    memset(gate, 0, sizeof *gate);
    if (pthread_mutex_init(&gate->mutex, NULL) != 0) {
        return false;
    }
    bool waits = pthread_cond_init(&gate->end, NULL) == 0;
    if (waits && pthread_create(&gate->watch, NULL, watch, gate) == 0) {
        return true;
    }
    if (waits) {
        pthread_cond_destroy(&gate->end);
    }
    pthread_mutex_destroy(&gate->mutex);
    return false;
}

void afxi_gate_destroy(AfxiGate *gate) {
    pthread_mutex_lock(&gate->mutex);
    gate->stopping = true;
    pthread_cond_signal(&gate->end);
    pthread_mutex_unlock(&gate->mutex);
    pthread_join(gate->watch, NULL);
    pthread_cond_destroy(&gate->end);
    pthread_mutex_destroy(&gate->mutex);
}

void afxi_gate_set(AfxiGate *gate, int port) {
    pthread_mutex_lock(&gate->mutex);
    gate->port = port;
    pthread_mutex_unlock(&gate->mutex);
}

/* Address and port of an end of a socket; false where it has none. */
static bool read_end(int fd, int (*end)(int, struct sockaddr *, socklen_t *), char *out_address, size_t room,
                     int *out_port) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (end(fd, (struct sockaddr *)&address, &size) != 0) {
        return false;
    }
    if (address.ss_family == AF_INET) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)&address;
        *out_port = ntohs(four->sin_port);
        return inet_ntop(AF_INET, &four->sin_addr, out_address, (socklen_t)room) != NULL;
    }
    if (address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address;
        *out_port = ntohs(six->sin6_port);
        return inet_ntop(AF_INET6, &six->sin6_addr, out_address, (socklen_t)room) != NULL;
    }
    return false;
}

/* Forgets connections that are gone, and takes in those that are new. */
static void look_around(AfxiGate *gate) {
    struct rlimit limit;
    char address[sizeof gate->guests[0].address], own[sizeof address];
    int most = SOCKETS_MOST, port, own_port;
    bool known[SOCKETS_MOST] = {false};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < (rlim_t)most) {
        most = (int)limit.rlim_cur;
    }
    for (size_t k = 0; k < PLACES; k++) {
        AfxiGuest *guest = &gate->guests[k];
        if (guest->number && (!read_end(guest->fd, getpeername, address, sizeof address, &port) ||
                              port != guest->port || strcmp(address, guest->address) != 0)) {
            *guest = (AfxiGuest){0};
        }
        if (guest->number) {
            known[guest->fd] = true;
        }
    }
    size_t place = 0;
    for (int fd = 0; fd < most; fd++) {
        if (known[fd] || !read_end(fd, getsockname, own, sizeof own, &own_port) || own_port != gate->port ||
            !read_end(fd, getpeername, address, sizeof address, &port)) {
            continue;
        }
        while (place < PLACES && gate->guests[place].number) {
            place++;
        }
        if (place < PLACES) {
            AfxiGuest *guest = &gate->guests[place];
            *guest = (AfxiGuest){.port = port, .fd = fd, .number = ++gate->last, .since = afxi_clock()};
            memcpy(guest->address, address, sizeof guest->address);
        }
    }
}

static AfxiGuest *find(AfxiGate *gate, const char *address, int port) {
    for (size_t k = 0; k < PLACES; k++) {
        AfxiGuest *guest = &gate->guests[k];
        if (guest->number && guest->port == port && strcmp(guest->address, address) == 0) {
            return guest;
        }
    }
    return NULL;
}

static bool is_open(const AfxiGuest *guest) {
    return guest->number && !guest->page && !guest->ended;
}

/* Requests under way of one address, or of all (NULL). */
static uint32_t count_open(const AfxiGate *gate, const char *address) {
    uint32_t count = 0;
    for (size_t k = 0; k < PLACES; k++) {
        const AfxiGuest *guest = &gate->guests[k];
        count += is_open(guest) && (!address || strcmp(guest->address, address) == 0);
    }
    return count;
}

/* The address with most requests under way. */
static const char *busiest(const AfxiGate *gate) {
    const char *found = NULL;
    uint32_t most = 0;
    for (size_t k = 0; k < PLACES; k++) {
        const AfxiGuest *guest = &gate->guests[k];
        uint32_t count = is_open(guest) ? count_open(gate, guest->address) : 0;
        if (count > most) {
            most = count;
            found = guest->address;
        }
    }
    return found;
}

static void end(AfxiGuest *guest) {
    guest->ended = true;
    shutdown(guest->fd, SHUT_RDWR); /* its thread sees the end, and leaves */
}

/* Ends the oldest of an address that was not heard yet, else the oldest. */
static void end_one(AfxiGate *gate, const char *address) {
    AfxiGuest *chosen = NULL;
    for (size_t k = 0; k < PLACES; k++) {
        AfxiGuest *guest = &gate->guests[k];
        if (!is_open(guest) || strcmp(guest->address, address) != 0) {
            continue;
        }
        if (!chosen || (chosen->heard && !guest->heard) ||
            (chosen->heard == guest->heard && guest->number < chosen->number)) {
            chosen = guest;
        }
    }
    if (chosen) {
        end(chosen);
    }
}

/* Once a second: the server counts the time from byte to byte, and one who sends a byte now and then would stay. */
static void *watch(void *user) {
    AfxiGate *gate = user;
    pthread_mutex_lock(&gate->mutex);
    while (!gate->stopping) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1;
        pthread_cond_timedwait(&gate->end, &gate->mutex, &until);
        look_around(gate);
        for (size_t k = 0; k < PLACES; k++) {
            AfxiGuest *guest = &gate->guests[k];
            if (is_open(guest) && !guest->heard && afxi_clock() - guest->since > AFXI_GATE_PATIENCE) {
                end(guest);
            }
        }
    }
    pthread_mutex_unlock(&gate->mutex);
    return NULL;
}

/* An address that has more requests under way than one may have; NULL: there is none. */
static const char *greedy(const AfxiGate *gate) {
    const char *most = busiest(gate);
    uint32_t allowed = count_open(gate, NULL) > AFXI_GATE_OPEN ? 1 : AFXI_GATE_EACH_OPEN;
    return most && count_open(gate, most) > allowed ? most : NULL;
}

void afxi_gate_enter(AfxiGate *gate) {
    pthread_mutex_lock(&gate->mutex);
    look_around(gate);
    for (const char *address = greedy(gate); address; address = greedy(gate)) {
        end_one(gate, address);
    }
    pthread_mutex_unlock(&gate->mutex);
}

void afxi_gate_hear(AfxiGate *gate, const char *address, int port) {
    pthread_mutex_lock(&gate->mutex);
    AfxiGuest *guest = find(gate, address, port);
    if (guest) {
        guest->heard = true;
    }
    pthread_mutex_unlock(&gate->mutex);
}

bool afxi_gate_watch(AfxiGate *gate, const char *address, int port) {
    uint32_t all = 0, own = 0;
    pthread_mutex_lock(&gate->mutex);
    look_around(gate);
    for (size_t k = 0; k < PLACES; k++) {
        const AfxiGuest *guest = &gate->guests[k];
        all += guest->number && guest->page;
        own += guest->number && guest->page && strcmp(guest->address, address) == 0;
    }
    AfxiGuest *guest = find(gate, address, port);
    bool fine = guest && !guest->ended && all < AFXI_GATE_PAGES && own < AFXI_GATE_EACH_PAGES;
    if (guest) {
        guest->heard = true;
        guest->page = fine;
    }
    pthread_mutex_unlock(&gate->mutex);
    return fine;
}

void afxi_gate_leave(AfxiGate *gate, const char *address, int port) {
    pthread_mutex_lock(&gate->mutex); /* also without an address: nothing is closed while somebody looks around */
    AfxiGuest *guest = address ? find(gate, address, port) : NULL;
    if (guest) {
        *guest = (AfxiGuest){0};
    }
    pthread_mutex_unlock(&gate->mutex);
}
