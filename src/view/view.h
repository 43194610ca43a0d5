/* SPDX-License-Identifier: Apache-2.0 */
/* A simulation that people watch and touch in a browser. One thread steps it; a server hands its state to any number
 * of pages, each at the pace that it can take. docs/viewer.md describes page and socket. */
#ifndef AFXI_VIEW_VIEW_H
#define AFXI_VIEW_VIEW_H

#include "affix/io.h"

#define AFXI_VIEW_VALUE 64

/** A number or choice that a page may change; the scene is then built anew. */
typedef struct AfxiViewParameter {
    const char *name, *help;
    char allowed[96];           /* in words */
    const char *const *choices; /* names, then NULL; NULL for a number */
    char value[AFXI_VIEW_VALUE];
} AfxiViewParameter;

/** Where the scene comes from. The functions are called by one thread at a time. */
typedef struct AfxiViewSource {
    char title[200];
    AfxiViewParameter *parameters; /* [parameter_count] */
    uint32_t parameter_count;
    bool watched; /* another process steps it (AfxiViewDef.live): pages cannot */
    const AfxRunDef
        *run; /* how to run what was built last: its sim and model, and cameras; NULL: as AfxiViewDef says */
    /** Builds the scene with the parameters as they are; on failure *out_error tells where. */
    AfxStatus (*build)(void *user, const AfxSceneDef *def, AfxScene **out_scene, AfxError *out_error);
    /** Whether the model may be simulated; NULL: any may. */
    AfxStatus (*check)(void *user, const AfxModel *model, AfxError *out_error);
    /** Changes a parameter, its value and the title; on failure nothing is changed. */
    AfxStatus (*set)(void *user, const char *name, const char *value, AfxError *out_error);
    /** Whether what build reads has changed since it was called last; NULL: it never does. Asked about twice a second.
     */
    bool (*changed)(void *user);
    void *user;
} AfxiViewSource;

typedef struct AfxiViewDef {
    AfxAllocator allocator; /* used by several threads */
    AfxLog log;             /* the same */
    const char *host;       /* address to listen at, "127.0.0.1" */
    uint32_t port;          /* 0: any that is free */
    AfxModelDef model;
    AfxSimDef sim;    /* all but allocator and error */
    bool paused;      /* waits for somebody to play */
    const char *draw; /* a file with a drawing (out/drawing.h) that is looked at again and again; NULL: none */
    const char *live; /* a run of another process (out/live.h), which is shown and not simulated; NULL: none */
    AfxiViewSource *source;
} AfxiViewDef;

typedef struct AfxiView AfxiView;

/** Builds the scene and starts to serve. A scene that cannot be built is shown in the page, and is no error here. */
AfxStatus afxi_view_start(const AfxiViewDef *def, AfxiView **out_view, AfxError *out_error);
/** "http://127.0.0.1:8080/" */
const char *afxi_view_url(const AfxiView *view);
/** Ends all connections and threads, and frees everything. NULL is allowed. */
void afxi_view_stop(AfxiView *view);

#endif
