/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/message.h"

#include <stdlib.h>
#include <string.h>

static bool has_error(uint32_t kind) {
    return kind == AFXI_MESSAGE_FAIL || kind == AFXI_MESSAGE_LEFT || kind == AFXI_MESSAGE_MADE;
}

static bool has_runs(uint32_t kind) {
    return kind == AFXI_MESSAGE_BLOCK || kind == AFXI_MESSAGE_DONE;
}

size_t afxi_sweep_message_size(const AfxiSweepMessage *message) {
    size_t size = sizeof *message + (has_error(message->kind) ? sizeof(AfxError) : 0);
    return size + (has_runs(message->kind) ? message->count * (sizeof(uint64_t) + message->width * sizeof(double)) : 0);
}

AfxiSweepMessage *afxi_sweep_message_create(AfxiMessageKind kind, uint64_t count, uint32_t width) {
    AfxiSweepMessage head = {.kind = kind, .count = count, .width = width};
    AfxiSweepMessage *message = calloc(1, afxi_sweep_message_size(&head));
    if (message) {
        *message = head;
    }
    return message;
}

AfxiSweepMessage *afxi_sweep_message_error(AfxiMessageKind kind, const AfxError *error) {
    AfxiSweepMessage *message = afxi_sweep_message_create(kind, 0, 0);
    if (message && error) {
        memcpy(message + 1, error, sizeof *error);
    }
    return message;
}

uint64_t *afxi_sweep_message_runs(AfxiSweepMessage *message) {
    return (uint64_t *)(message + 1);
}

double *afxi_sweep_message_numbers(AfxiSweepMessage *message) {
    return (double *)(afxi_sweep_message_runs(message) + message->count);
}

const AfxError *afxi_sweep_message_text(const AfxiSweepMessage *message) {
    return (const AfxError *)(const void *)(message + 1);
}

bool afxi_sweep_message_sound(const void *data, size_t size) {
    AfxiSweepMessage head;
    if (size < sizeof head) {
        return false;
    }
    memcpy(&head, data, sizeof head);
    bool countable = !has_runs(head.kind) || head.count <= size / sizeof(uint64_t);
    return head.kind <= AFXI_MESSAGE_BYE && countable && afxi_sweep_message_size(&head) == size;
}
