/* SPDX-License-Identifier: Apache-2.0 */
/* Under which names the server answers. A page of another site can make a browser connect to this machine under a name
 * of its own (by answering a look-up with our address); the browser then tells that name, and it is none of ours. */
#ifndef AFXI_VIEW_HOST_H
#define AFXI_VIEW_HOST_H

#include <stdbool.h>

typedef struct AfxiHost {
    char name[128]; /* that was given to listen at; in brackets where it is an address of IPv6 */
    int port;
    bool loopback; /* only this machine can connect */
} AfxiHost;

/** For a server that listens at `name` (a name or an address) and `port`. */
void afxi_host_set(AfxiHost *host, const char *name, int port);
/** Whether a Host header is exactly "name:port" of this server: the name it was told; "localhost", "127.0.0.1" or
 * "[::1]"; and where others can connect, any address (which no site can lend) and the name of this machine. Without
 * ":port" it stands for port 80. */
bool afxi_host_is_ours(const AfxiHost *host, const char *header);

#endif
