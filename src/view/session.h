/* SPDX-License-Identifier: Apache-2.0 */
/* The simulation that pages watch, and the one thread that steps it. */
#ifndef AFXI_VIEW_SESSION_H
#define AFXI_VIEW_SESSION_H

#include <time.h>

#include "view/frame.h"
#include "view/hand.h"
#include "view/hub.h"
#include "view/view.h"

/** A file that somebody writes anew again and again. */
typedef struct AfxiWatched {
    struct timespec written; /* when that was, the last time we saw it */
    uint64_t inode;
    double next; /* when it is looked at again */
} AfxiWatched;

typedef struct AfxiSession {
    AfxiViewDef def;
    AfxiHub *hub;
    pthread_t thread;
    /* the scene, when there is one */
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
    AfxiFrameMaker maker;
    void *start; /* [start_size] snapshot of the start */
    size_t start_size;
    double moving_mass;
    uint32_t generation;
    /* how it runs */
    bool playing;
    double speed;
    uint32_t owed;              /* single steps */
    double goal;                /* simulated time that should be reached */
    double clock;               /* when the goal was set */
    double next_frame;          /* not before */
    AfxiBytes drawing;          /* own geometry, of the file that the definition names, or of the run that is watched */
    AfxiBytes contacts;         /* of the run that is watched */
    AfxiWatched drawn, watched; /* their files */
    double next_look;           /* at the source, whether it has changed: not before */
    bool fresh;                 /* a frame is due, whether or not there was a step */
    uint64_t step;              /* since the start */
    uint32_t colour;
    AfxiFrameParts parts;
    AfxiHand hand[AFX_HOLDS_MOST]; /* of one page each, when active */
    /* since the last frame */
    AfxStepReport report;
    AfxTraceReason reason; /* of the step with most solves */
    uint32_t steps;
    double seconds;
} AfxiSession;

/** Builds the scene, publishes it and starts the thread. */
AfxStatus afxi_session_start(AfxiSession *session, const AfxiViewDef *def, AfxiHub *hub);
/** Ends the thread; hub->stopping must be set. */
void afxi_session_join(AfxiSession *session);

/** Takes a drawing, or the state of a run of another process, from its file when that has been written anew. */
void afxi_session_watch(AfxiSession *session);
/** Does what a page asks. */
void afxi_session_obey(AfxiSession *session, const AfxiCommand *command);
/** Builds the scene from its source, or publishes why that is not possible. */
void afxi_session_build(AfxiSession *session);
void afxi_session_clear(AfxiSession *session);
/** Publishes how it runs; with a hash of the state when `hash`. */
void afxi_session_tell(AfxiSession *session, bool hash);
void afxi_session_notice(AfxiSession *session, const AfxError *error, bool parameter);

#endif
