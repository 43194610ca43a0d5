/* SPDX-License-Identifier: Apache-2.0 */
/* Names are compared whole: a beginning that fits, another port, or anything after the port is not ours. */
#include "view/host.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define NAME 128
#define PORT_DEFAULT 80

static bool is_loopback(const char *name) {
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (strcasecmp(name, names[k]) == 0) {
            return true;
        }
    }
    return false;
}

/* 1.2.3.4 or [1::2]. */
static bool is_address(const char *name) {
    unsigned char bytes[sizeof(struct in6_addr)];
    char inner[NAME];
    size_t length = strlen(name);
    if (length >= 2 && name[0] == '[' && name[length - 1] == ']') {
        snprintf(inner, sizeof inner, "%.*s", (int)(length - 2), name + 1);
        return inet_pton(AF_INET6, inner, bytes) == 1;
    }
    return inet_pton(AF_INET, name, bytes) == 1;
}

static bool is_this_machine(const char *name) {
    char own[NAME] = "";
    return gethostname(own, sizeof own - 1) == 0 && own[0] && strcasecmp(name, own) == 0;
}

void afxi_host_set(AfxiHost *host, const char *name, int port) {
    snprintf(host->name, sizeof host->name, strchr(name, ':') ? "[%s]" : "%s", name);
    host->port = port;
    host->loopback = is_loopback(host->name);
}

/* Splits "name:port"; false where it is nothing of the kind. */
static bool split(const char *header, char name[NAME], int *out_port) {
    const char *bracket = strrchr(header, ']'), *colon = strchr(bracket ? bracket : header, ':');
    size_t length = colon ? (size_t)(colon - header) : strlen(header);
    if (length == 0 || length >= NAME || (bracket && bracket[1] != '\0' && bracket[1] != ':')) {
        return false;
    }
    memcpy(name, header, length);
    name[length] = '\0';
    *out_port = PORT_DEFAULT;
    if (colon) {
        size_t digits = strspn(colon + 1, "0123456789");
        if (digits == 0 || digits > 5 || colon[1 + digits] != '\0') {
            return false;
        }
        *out_port = 0;
        for (size_t k = 1; k <= digits; k++) {
            *out_port = 10 * *out_port + (colon[k] - '0');
        }
    }
    return true;
}

bool afxi_host_is_ours(const AfxiHost *host, const char *header) {
    char name[NAME];
    int port;
    if (!split(header, name, &port) || port != host->port) {
        return false;
    }
    return is_loopback(name) || (host->name[0] && strcasecmp(name, host->name) == 0) ||
           (!host->loopback && (is_address(name) || is_this_machine(name)));
}
