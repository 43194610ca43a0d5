/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that go over the socket. */
#ifndef AFXI_VIEW_MESSAGE_H
#define AFXI_VIEW_MESSAGE_H

#include "view/hub.h"
#include "view/view.h"

#define AFXI_MESSAGE_MOST 4096u /* bytes of a message from a page */

typedef enum AfxiMessage {
    AFXI_MESSAGE_COMMAND = 0, /* *out_command is filled */
    AFXI_MESSAGE_ACK,         /* the page has drawn a frame */
    AFXI_MESSAGE_BAD          /* *out_reason tells why */
} AfxiMessage;

/** Reads what a page sent; it is not trusted. */
AfxiMessage afxi_message_read(const char *text, size_t size, AfxiCommand *out_command, const char **out_reason);

/** Messages to the pages; NULL when there is no memory. */
AfxiBlob *afxi_message_hello(const AfxAllocator *allocator, const AfxiViewSource *source);
AfxiBlob *afxi_message_error(const AfxAllocator *allocator, const AfxError *error);
/** `parameter`: it is about a parameter that was not changed. */
AfxiBlob *afxi_message_notice(const AfxAllocator *allocator, const AfxError *error, bool parameter);
/** `hash` may be NULL. */
AfxiBlob *afxi_message_state(const AfxAllocator *allocator, bool playing, double speed, uint64_t step,
                             const char *hash);

#endif
