/* SPDX-License-Identifier: Apache-2.0 */
/* Slots and queue, under one mutex that is never held over anything slow. */
#include "view/hub.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

#define LOG_LINES 10u

bool afxi_hub_create(AfxiHub *hub, const AfxAllocator *allocator, const AfxLog *log) {
    memset(hub, 0, sizeof *hub);
    hub->allocator = *allocator;
    hub->log = *log;
    pthread_condattr_t attributes;
    bool fine = pthread_mutex_init(&hub->mutex, NULL) == 0;
    fine = fine && pthread_condattr_init(&attributes) == 0;
    fine = fine && pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0;
    fine = fine && pthread_cond_init(&hub->news, &attributes) == 0;
    return fine && pthread_cond_init(&hub->command, &attributes) == 0;
}

void afxi_hub_destroy(AfxiHub *hub) {
    for (int k = 0; k < AFXI_SLOT_COUNT; k++) {
        if (hub->slots[k]) {
            afxi_blob_drop(hub->slots[k]);
        }
    }
    pthread_cond_destroy(&hub->command);
    pthread_cond_destroy(&hub->news);
    pthread_mutex_destroy(&hub->mutex);
}

AfxiBlob *afxi_blob_create(AfxiBytes *bytes) {
    AfxiBlob *blob = bytes->status == AFX_OK ? afxi_allocate(&bytes->allocator, sizeof *blob) : NULL;
    if (!blob) {
        afxi_bytes_destroy(bytes);
        return NULL;
    }
    blob->allocator = bytes->allocator;
    blob->users = 1;
    blob->size = bytes->size;
    blob->bytes = *bytes;
    *bytes = afxi_bytes_begin(&blob->allocator);
    return blob;
}

void afxi_blob_keep(AfxiBlob *blob) {
    blob->users++;
}

void afxi_blob_drop(AfxiBlob *blob) {
    if (--blob->users == 0) {
        AfxAllocator allocator = blob->allocator;
        afxi_bytes_destroy(&blob->bytes);
        afxi_release(&allocator, blob, sizeof *blob);
    }
}

void afxi_hub_publish(AfxiHub *hub, uint32_t count, const AfxiSlot *slots, AfxiBlob *const *blobs) {
    pthread_mutex_lock(&hub->mutex);
    for (uint32_t k = 0; k < count; k++) {
        AfxiSlot slot = slots[k];
        if (hub->slots[slot]) {
            afxi_blob_drop(hub->slots[slot]);
        }
        hub->slots[slot] = blobs[k];
        hub->sequence[slot] = ++hub->last;
    }
    pthread_cond_broadcast(&hub->news);
    pthread_mutex_unlock(&hub->mutex);
}

bool afxi_hub_ask(AfxiHub *hub, const AfxiCommand *command) {
    pthread_mutex_lock(&hub->mutex);
    AfxiCommand *last = hub->queue_count ? &hub->queue[hub->queue_count - 1] : NULL;
    bool room = hub->queue_count < AFXI_QUEUE;
    if (last && command->kind == AFXI_COMMAND_DRAG && last->kind == AFXI_COMMAND_DRAG &&
        last->client == command->client) {
        *last = *command;
        room = true;
    } else if (room) {
        hub->queue[hub->queue_count++] = *command;
    }
    pthread_cond_signal(&hub->command);
    pthread_mutex_unlock(&hub->mutex);
    return room;
}

void afxi_hub_log(AfxiHub *hub, AfxLogLevel level, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&hub->mutex);
    double now = afxi_clock();
    if (now - hub->log_second >= 1) {
        hub->log_second = now;
        hub->log_count = 0;
    }
    uint32_t count = hub->log_count++;
    pthread_mutex_unlock(&hub->mutex);
    if (hub->log.write && count < LOG_LINES) {
        hub->log.write(hub->log.user, level, text);
    } else if (hub->log.write && count == LOG_LINES) {
        hub->log.write(hub->log.user, level, "more such lines in this second are left out");
    }
}
