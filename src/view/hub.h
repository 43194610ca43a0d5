/* SPDX-License-Identifier: Apache-2.0 */
/* What goes between the thread that simulates and those that serve pages: the newest message of each kind outwards,
 * and a queue of commands inwards. Nobody waits for anybody: a page that is slow misses frames, and commands that are
 * too many are dropped. */
#ifndef AFXI_VIEW_HUB_H
#define AFXI_VIEW_HUB_H

#include <pthread.h>

#include "affix/sim.h"
#include "out/bytes.h"

/* In the order in which they are sent. */
typedef enum AfxiSlot {
    AFXI_SLOT_HELLO = 0, /* text */
    AFXI_SLOT_ERROR,     /* text: why there is no scene */
    AFXI_SLOT_LOOK,
    AFXI_SLOT_STATE,  /* text */
    AFXI_SLOT_NOTICE, /* text; one who comes later does not get it */
    AFXI_SLOT_FRAME,
    AFXI_SLOT_COUNT
} AfxiSlot;

/** A message that several may be sending. */
typedef struct AfxiBlob {
    AfxAllocator allocator;
    uint32_t users; /* under the hub's mutex */
    size_t size;
    AfxiBytes bytes;
} AfxiBlob;

typedef enum AfxiCommandKind {
    AFXI_COMMAND_PLAY = 0,
    AFXI_COMMAND_PAUSE,
    AFXI_COMMAND_STEP,   /* count */
    AFXI_COMMAND_RESET,  /* to the start */
    AFXI_COMMAND_RELOAD, /* builds the scene anew */
    AFXI_COMMAND_SPEED,  /* value */
    AFXI_COMMAND_SET,    /* name, text */
    AFXI_COMMAND_SHOW,   /* colour, reactions, contacts and energy book, where they are given */
    AFXI_COMMAND_DRAG,   /* body, point, target */
    AFXI_COMMAND_RELEASE,
    AFXI_COMMAND_JOINT, /* body (the joint), count (the axis), value */
    AFXI_COMMAND_DRIVE, /* body (the drive), value */
    AFXI_COMMAND_HASH
} AfxiCommandKind;

/* What bodies are coloured by. */
#define AFXI_COLOUR_TABLE(X)        \
    X(AFXI_COLOUR_OWN, "own")       \
    X(AFXI_COLOUR_STRESS, "stress") \
    X(AFXI_COLOUR_SPEED, "speed")   \
    X(AFXI_COLOUR_RESIDUAL, "residual")

typedef enum AfxiColour {
#define AFXI_COLOUR_ENUM(colour, name) colour,
    AFXI_COLOUR_TABLE(AFXI_COLOUR_ENUM)
#undef AFXI_COLOUR_ENUM
        AFXI_COLOUR_COUNT
} AfxiColour;

typedef struct AfxiCommand {
    AfxiCommandKind kind;
    uint32_t client; /* who asks */
    uint32_t count, body;
    double value;
    AfxVec3 point, target;
    int colour, reactions, contacts, book; /* -1: not given */
    char name[48], text[64];
} AfxiCommand;

#define AFXI_QUEUE 256

typedef struct AfxiHub {
    AfxAllocator allocator;
    AfxLog log;
    pthread_mutex_t mutex;
    pthread_cond_t news;    /* a slot changed, or a client is to close */
    pthread_cond_t command; /* there is a command, or the end */
    AfxiBlob *slots[AFXI_SLOT_COUNT];
    uint64_t sequence[AFXI_SLOT_COUNT]; /* rises with every message; 0: none yet */
    uint64_t last;                      /* the highest */
    AfxiCommand queue[AFXI_QUEUE];
    uint32_t queue_count;
    uint32_t clients, client_last;
    bool stopping;
    uint32_t log_count; /* lines in the present second */
    double log_second;
} AfxiHub;

bool afxi_hub_create(AfxiHub *hub, const AfxAllocator *allocator, const AfxLog *log);
void afxi_hub_destroy(AfxiHub *hub);

/** A message from bytes, which it takes over; NULL when there is no memory. */
AfxiBlob *afxi_blob_create(AfxiBytes *bytes);
/** Puts messages (NULL: the slot becomes empty) into slots, all at once. It takes them over. */
void afxi_hub_publish(AfxiHub *hub, uint32_t count, const AfxiSlot *slots, AfxiBlob *const *blobs);
/** Both with the mutex held. */
void afxi_blob_keep(AfxiBlob *blob);
void afxi_blob_drop(AfxiBlob *blob);

/** Adds a command; a drag takes the place of the last one of the same client. False when the queue is full. */
bool afxi_hub_ask(AfxiHub *hub, const AfxiCommand *command);
/** A line for the log; at most ten in a second. */
void afxi_hub_log(AfxiHub *hub, AfxLogLevel level, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
