/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP and WebSocket by civetweb. One page is served, from memory; there are no files. Each page that is connected has
 * a thread of its own that sends: it takes the newest message of each kind when the last one is gone, so that whoever
 * is slow misses frames and holds nobody up. */
#include <civetweb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "out/page.h"
#include "out/squeeze.h"
#include "view/gate.h"
#include "view/host.h"
#include "view/message.h"
#include "view/session.h"

#define AHEAD 3u    /* frames that a page may have before it says that it has drawn one */
#define RATE 250.0  /* messages that a page may send in a second */
#define BURST 250.0 /* and at once */

struct AfxiView {
    AfxAllocator allocator;
    AfxiHub hub;
    AfxiSession session;
    AfxiGate gate;
    struct mg_context *server;
    AfxiHost host; /* the names that we answer to */
    char url[160];
};

typedef struct Client {
    AfxiView *view;
    struct mg_connection *connection;
    pthread_t sender;
    uint32_t number;
    /* under the hub's mutex */
    uint64_t seen[AFXI_SLOT_COUNT];
    bool closing;
    bool acknowledges; /* it tells what it has drawn */
    uint32_t ahead;    /* frames sent and not yet drawn */
    /* of the thread that receives */
    double tokens, counted;
} Client;

/* ---- who may ask ---- */

static int count_headers(const struct mg_connection *connection, const char *name) {
    const struct mg_request_info *request = mg_get_request_info(connection);
    int count = 0;
    for (int k = 0; k < request->num_headers; k++) {
        count += strcasecmp(request->http_headers[k].name, name) == 0;
    }
    return count;
}

/* A page of another site that makes a browser call us is recognised by its origin, or by the name that it used. Of two
 * names, whoever stands between us may have looked at the other one. */
static bool is_welcome(const AfxiView *view, const struct mg_connection *connection) {
    if (count_headers(connection, "Host") != 1 || count_headers(connection, "Origin") > 1) {
        return false;
    }
    const char *host = mg_get_header(connection, "Host"), *origin = mg_get_header(connection, "Origin");
    if (!host || !afxi_host_is_ours(&view->host, host)) {
        return false;
    }
    return !origin || (strncmp(origin, "http://", 7) == 0 && strcasecmp(origin + 7, host) == 0);
}

/* ---- the page ---- */

static int answer(struct mg_connection *connection, int code, const char *text) {
    mg_printf(connection,
              "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s", code,
              text, strlen(text), text);
    return code;
}

static int send_page(struct mg_connection *connection, const AfxiView *view, bool body) {
    size_t size, place;
    const unsigned char *page = afxi_page_packed(&size);
    const char *accepts = mg_get_header(connection, "Accept-Encoding");
    bool packed = accepts && strstr(accepts, "gzip");
    AfxiBytes text = afxi_bytes_begin(&view->allocator);
    if (!page || (!packed && afxi_page_text(&text, &place, NULL) != AFX_OK)) {
        afxi_bytes_destroy(&text);
        return answer(connection, 500, "Internal Server Error");
    }
    mg_printf(
        connection,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n%sContent-Length: %zu\r\n"
        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
        "Referrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; "
        "style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'\r\n"
        "Connection: close\r\n\r\n",
        packed ? "Content-Encoding: gzip\r\n" : "", packed ? size : text.size);
    if (body) {
        mg_write(connection, packed ? page : text.data, packed ? size : text.size);
    }
    afxi_bytes_destroy(&text);
    return 200;
}

static int serve(struct mg_connection *connection, void *user) {
    const AfxiView *view = user;
    const struct mg_request_info *request = mg_get_request_info(connection);
    afxi_gate_hear(&((AfxiView *)user)->gate, request->remote_addr, request->remote_port);
    bool get = strcmp(request->request_method, "GET") == 0, head = strcmp(request->request_method, "HEAD") == 0;
    if (!is_welcome(view, connection)) {
        return answer(connection, 403, "Forbidden");
    }
    if (!get && !head) {
        return answer(connection, 405, "Method Not Allowed");
    }
    bool found = strcmp(request->local_uri, "/") == 0 || strcmp(request->local_uri, "/index.html") == 0;
    return found ? send_page(connection, view, get) : answer(connection, 404, "Not Found");
}

/* ---- sending ---- */

static bool may_have(const Client *client, int slot) {
    return slot != AFXI_SLOT_FRAME || !client->acknowledges || client->ahead < AHEAD;
}

/* The next message that the client has not seen, kept; NULL when there is none. With the mutex held. */
static AfxiBlob *next_blob(Client *client, int *out_slot) {
    AfxiHub *hub = &client->view->hub;
    for (int slot = 0; slot < AFXI_SLOT_COUNT; slot++) {
        if (hub->sequence[slot] > client->seen[slot] && may_have(client, slot)) {
            client->seen[slot] = hub->sequence[slot];
            if (hub->slots[slot]) {
                afxi_blob_keep(hub->slots[slot]);
                client->ahead += slot == AFXI_SLOT_FRAME;
                *out_slot = slot;
                return hub->slots[slot];
            }
        }
    }
    return NULL;
}

static void *send_all(void *user) {
    Client *client = user;
    AfxiHub *hub = &client->view->hub;
    pthread_mutex_lock(&hub->mutex);
    while (!client->closing && !hub->stopping) {
        int slot = 0;
        AfxiBlob *blob = next_blob(client, &slot);
        if (!blob) {
            pthread_cond_wait(&hub->news, &hub->mutex);
            continue;
        }
        pthread_mutex_unlock(&hub->mutex);
        bool binary = slot == AFXI_SLOT_LOOK || slot == AFXI_SLOT_FRAME;
        int sent =
            mg_websocket_write(client->connection, binary ? MG_WEBSOCKET_OPCODE_BINARY : MG_WEBSOCKET_OPCODE_TEXT,
                               (const char *)blob->bytes.data, blob->size);
        pthread_mutex_lock(&hub->mutex);
        afxi_blob_drop(blob);
        client->closing = client->closing || sent <= 0;
    }
    pthread_mutex_unlock(&hub->mutex);
    return NULL;
}

/* ---- connections ---- */

static int on_connect(const struct mg_connection *connection, void *user) {
    AfxiView *view = user;
    if (!is_welcome(view, connection)) {
        afxi_hub_log(&view->hub, AFX_LOG_WARNING, "a connection from another site was refused");
        return 1;
    }
    const struct mg_request_info *request = mg_get_request_info(connection);
    bool fine = afxi_gate_watch(&view->gate, request->remote_addr, request->remote_port);
    if (!fine) {
        afxi_hub_log(&view->hub, AFX_LOG_WARNING,
                     "a connection was refused: there may be %u pages, and %u from one address", AFXI_GATE_PAGES,
                     AFXI_GATE_EACH_PAGES);
    }
    pthread_mutex_lock(&view->hub.mutex);
    fine = fine && !view->hub.stopping;
    pthread_mutex_unlock(&view->hub.mutex);
    return !fine;
}

static void on_ready(struct mg_connection *connection, void *user) {
    AfxiView *view = user;
    Client *client = afxi_allocate(&view->allocator, sizeof *client);
    if (!client) {
        return;
    }
    client->view = view;
    client->connection = connection;
    client->tokens = BURST;
    client->counted = afxi_clock();
    pthread_mutex_lock(&view->hub.mutex);
    client->number = ++view->hub.client_last;
    client->seen[AFXI_SLOT_NOTICE] = view->hub.sequence[AFXI_SLOT_NOTICE];
    view->hub.clients++;
    pthread_cond_signal(&view->hub.command);
    pthread_mutex_unlock(&view->hub.mutex);
    if (pthread_create(&client->sender, NULL, send_all, client) != 0) {
        pthread_mutex_lock(&view->hub.mutex);
        view->hub.clients--;
        pthread_mutex_unlock(&view->hub.mutex);
        afxi_release(&view->allocator, client, sizeof *client);
        return;
    }
    mg_set_user_connection_data(connection, client);
}

static void on_close(const struct mg_connection *connection, void *user) {
    AfxiView *view = user;
    Client *client = mg_get_user_connection_data(connection);
    if (!client) {
        return;
    }
    AfxiCommand release = {.kind = AFXI_COMMAND_RELEASE, .client = client->number};
    pthread_mutex_lock(&view->hub.mutex);
    client->closing = true;
    view->hub.clients--;
    pthread_cond_broadcast(&view->hub.news);
    pthread_mutex_unlock(&view->hub.mutex);
    afxi_hub_ask(&view->hub, &release); /* what it held falls */
    pthread_join(client->sender, NULL);
    afxi_release(&view->allocator, client, sizeof *client);
}

/* ---- receiving ---- */

/* A bucket that fills with time and that every message takes from. */
static bool is_too_fast(Client *client) {
    double now = afxi_clock(), tokens = client->tokens + (now - client->counted) * RATE;
    client->tokens = tokens > BURST ? BURST : tokens;
    client->counted = now;
    if (client->tokens < 1) {
        return true;
    }
    client->tokens -= 1;
    return false;
}

static void acknowledge(Client *client) {
    AfxiHub *hub = &client->view->hub;
    pthread_mutex_lock(&hub->mutex);
    client->acknowledges = true;
    client->ahead = 0;
    pthread_cond_broadcast(&hub->news);
    pthread_mutex_unlock(&hub->mutex);
}

static void receive(Client *client, int bits, const char *data, size_t size) {
    AfxiHub *hub = &client->view->hub;
    AfxiCommand command;
    const char *reason = "it is no whole text";
    AfxiMessage message = AFXI_MESSAGE_BAD;
    bool whole = (bits & 0xf0) == 0x80 && (bits & 0x0f) == MG_WEBSOCKET_OPCODE_TEXT;
    if (is_too_fast(client)) {
        reason = "there are too many";
    } else if (whole) {
        message = afxi_message_read(data, size, &command, &reason);
    }
    if (message == AFXI_MESSAGE_ACK) {
        acknowledge(client);
    } else if (message == AFXI_MESSAGE_COMMAND) {
        command.client = client->number;
        if (!afxi_hub_ask(hub, &command)) {
            message = AFXI_MESSAGE_BAD;
            reason = "too many are waiting";
        }
    }
    if (message == AFXI_MESSAGE_BAD) {
        afxi_hub_log(hub, AFX_LOG_WARNING, "page %u: a message of %zu bytes was ignored: %s", client->number, size,
                     reason);
    }
}

static int on_data(struct mg_connection *connection, int bits, char *data, size_t size, void *user) {
    (void)user;
    Client *client = mg_get_user_connection_data(connection);
    int opcode = bits & 0x0f;
    if (opcode == MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE) {
        return 0;
    }
    if (client && opcode != MG_WEBSOCKET_OPCODE_PING && opcode != MG_WEBSOCKET_OPCODE_PONG) {
        receive(client, bits, data, size);
    }
    return 1;
}

/* ---- start and stop ---- */

static AfxiView *view_of(const struct mg_connection *connection) {
    const struct mg_context *context = connection ? mg_get_context(connection) : NULL;
    return context ? mg_get_user_data(context) : NULL;
}

/* Before anything was read, in the thread that will read it. */
static int on_open(const struct mg_connection *connection, void **out_data) {
    AfxiView *view = view_of(connection);
    *out_data = NULL;
    if (view) {
        afxi_gate_enter(&view->gate);
    }
    return 0;
}

static void on_end(const struct mg_connection *connection) {
    AfxiView *view = view_of(connection);
    const struct mg_request_info *request = mg_get_request_info(connection);
    if (view) {
        afxi_gate_leave(&view->gate, request ? request->remote_addr : NULL, request ? request->remote_port : 0);
    }
}

static int on_log(const struct mg_connection *connection, const char *text) {
    AfxiView *view = view_of(connection);
    if (view) {
        afxi_hub_log(&view->hub, AFX_LOG_WARNING, "server: %s", text);
    }
    return 1;
}

static AfxStatus refuse(AfxError *out_error, const char *host, uint32_t port) {
    return afxi_error_at(out_error, AFX_E_SYSTEM, "cannot be listened at", "give another --port, or leave it out",
                         "%s port %u", host, port);
}

static AfxStatus listen_at(AfxiView *view, const AfxiViewDef *def, AfxError *out_error) {
    char address[120], threads[16];
    snprintf(threads, sizeof threads, "%u", AFXI_GATE_THREADS);
    bool six = strchr(def->host, ':') != NULL;
    snprintf(address, sizeof address, six ? "[%s]:%u" : "%s:%u", def->host, def->port);
    const char *options[] = {"listening_ports",
                             address,
                             "num_threads",
                             threads,
                             "request_timeout_ms",
                             "5000",
                             "websocket_timeout_ms",
                             "10000",
                             "enable_websocket_ping_pong",
                             "yes",
                             "tcp_nodelay",
                             "1",
                             "max_request_size",
                             "16384",
                             "enable_directory_listing",
                             "no",
                             NULL};
    struct mg_callbacks callbacks = {.log_message = on_log, .init_connection = on_open, .connection_close = on_end};
    view->server = mg_start(&callbacks, view, options);
    struct mg_server_port port;
    if (!view->server) {
        return refuse(out_error, def->host, def->port);
    }
    if (mg_get_server_ports(view->server, 1, &port) < 1) {
        return refuse(out_error, def->host, def->port);
    }
    afxi_gate_set(&view->gate, port.port);
    afxi_host_set(&view->host, def->host, port.port);
    snprintf(view->url, sizeof view->url, six ? "http://[%s]:%d/" : "http://%s:%d/", def->host, port.port);
    mg_set_request_handler(view->server, "**", serve, view);
    mg_set_websocket_handler(view->server, "/socket", on_connect, on_ready, on_data, on_close, view);
    return AFX_OK;
}

AfxStatus afxi_view_start(const AfxiViewDef *def, AfxiView **out_view, AfxError *out_error) {
    size_t size;
    *out_view = NULL;
    if (!afxi_page_packed(&size)) {
        return afxi_page_missing(out_error);
    }
    AfxiView *view = afxi_allocate(&def->allocator, sizeof *view);
    if (!view) {
        return afxi_error(out_error, AFX_E_MEMORY, "view", afx_status_text(AFX_E_MEMORY), "");
    }
    view->allocator = def->allocator;
    AfxStatus status = AFX_E_SYSTEM;
    bool gate = afxi_gate_create(&view->gate);
    if (!gate || !afxi_hub_create(&view->hub, &def->allocator, &def->log)) {
        afxi_error(out_error, status, "view", afx_status_text(status), "");
        if (gate) {
            afxi_gate_destroy(&view->gate);
        }
        afxi_release(&def->allocator, view, sizeof *view);
        return status;
    }
    status = afxi_session_start(&view->session, def, &view->hub);
    if (status != AFX_OK) {
        afxi_error(out_error, status, "view", afx_status_text(status), "");
        afxi_hub_destroy(&view->hub);
        afxi_gate_destroy(&view->gate);
        afxi_release(&def->allocator, view, sizeof *view);
        return status;
    }
    mg_init_library(MG_FEATURES_DEFAULT);
    status = listen_at(view, def, out_error);
    if (status != AFX_OK) {
        afxi_view_stop(view);
        return status;
    }
    *out_view = view;
    return AFX_OK;
}

const char *afxi_view_url(const AfxiView *view) {
    return view->url;
}

void afxi_view_stop(AfxiView *view) {
    if (!view) {
        return;
    }
    AfxAllocator allocator = view->allocator;
    pthread_mutex_lock(&view->hub.mutex);
    view->hub.stopping = true;
    pthread_cond_broadcast(&view->hub.news);
    pthread_mutex_unlock(&view->hub.mutex);
    if (view->server) {
        mg_stop(view->server);
    }
    mg_exit_library();
    afxi_session_join(&view->session);
    afxi_hub_destroy(&view->hub);
    afxi_gate_destroy(&view->gate);
    afxi_release(&allocator, view, sizeof *view);
}
