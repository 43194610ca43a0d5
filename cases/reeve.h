/* SPDX-License-Identifier: Apache-2.0 */
/* cases/reeve.h: a chain reeved over pulleys, with an anchor at one end and a hand at the other. */
#ifndef AFXI_CASES_REEVE_H
#define AFXI_CASES_REEVE_H

#include "cases/builder.h"
#include "cases/cases.h"

/* In the x-z plane through `origin`, axles along y: upper pulleys in a row, lower ones in a row below the gaps between
 * them. From the anchor the chain goes up, over the first upper pulley, down, under the first lower one and so on, and
 * from the last upper pulley down to the hand. The hand draws it in, holds it, and jerks: the joint between
 * them breaks, the anchor falls and the chain runs back. */
typedef struct AfxiReeve {
    AfxVec3 origin;     /* of the first lower pulley's row, below the first upper pulley's centre */
    uint32_t links;     /* the anchor is the last of them */
    double link;        /* length of a link from joint to joint, m */
    uint32_t upper;     /* pulleys of the upper row; one less in the lower row */
    double anchor;      /* mass of the anchor, in masses of a link */
    double lift;        /* what the hand draws in, in lengths of a link */
    double sway;        /* how far it moves sideways as it does so, in lengths of a link */
    double young;       /* of the links, Pa */
    const char *marker; /* at the anchor; NULL: none */
} AfxiReeve;

/* Measures, in lengths of a link from joint to joint. */
#define AFXI_REEVE_ROD 0.08   /* radius of its rod */
#define AFXI_REEVE_BEAD 0.15  /* radius of the bead in its middle */
#define AFXI_REEVE_RADIUS 8.0 /* of a pulley at the bottom of its groove */
#define AFXI_REEVE_FLANGE 8.8 /* of its flanges */
#define AFXI_REEVE_GROOVE 0.8 /* between them */
#define AFXI_REEVE_FLANGE_WIDTH 0.2
#define AFXI_REEVE_GAP 2e-4 /* between links and pulleys at the start */
#define AFXI_REEVE_RUN 40.0 /* from the last pulley's centre down to the hand */

/* Times in s of what the hand does. */
#define AFXI_REEVE_BEGIN 0.5
#define AFXI_REEVE_HOLD 3.5
#define AFXI_REEVE_JERK 4.0

/* Parameters that every case of such chains has, at their indices LINK, UPPER, ANCHOR, LIFT, FRICTION and YOUNG. */
#define AFXI_REEVE_PARAMETERS                                                          \
    [LINK] = {.name = "link",                                                          \
              .kind = AFXI_CASE_NUMBER,                                                \
              .fallback = "0.05",                                                      \
              .min = 1e-3,                                                             \
              .max = 1e3,                                                              \
              .help = "length of a link, m; radii and pulleys are in proportion"},     \
    [UPPER] = {.name = "upper",                                                        \
               .kind = AFXI_CASE_INTEGER,                                              \
               .fallback = "4",                                                        \
               .min = 1,                                                               \
               .max = 1e5,                                                             \
               .help = "pulleys of a chain's upper row; the lower one has one less"},  \
    [ANCHOR] = {.name = "anchor",                                                      \
                .kind = AFXI_CASE_NUMBER,                                              \
                .fallback = "300",                                                     \
                .min = 1,                                                              \
                .max = 1e6,                                                            \
                .help = "mass of an anchor, in masses of a link"},                     \
    [LIFT] = {.name = "lift",                                                          \
              .kind = AFXI_CASE_NUMBER,                                                \
              .fallback = "30",                                                        \
              .min = 0,                                                                \
              .max = 100,                                                              \
              .help = "what a hand draws in before it lets go, in lengths of a link"}, \
    [FRICTION] = {.name = "friction",                                                  \
                  .kind = AFXI_CASE_NUMBER,                                            \
                  .fallback = "0.05",                                                  \
                  .min = 0,                                                            \
                  .max = 10,                                                           \
                  .help = "coefficient of friction"},                                  \
    [YOUNG] = AFXI_CASE_YOUNG("1e8")

/** The radius of the curve that the joints start on where a chain lies on a pulley: the middles of the links touch. */
double afxi_reeve_curve(const AfxiReeve *reeve);
/** The height of the upper row above the lower one, as the number of links gives it. */
double afxi_reeve_height(const AfxiReeve *reeve);
/** AFX_E_INPUT, with the element, when the links do not reach. */
AfxStatus afxi_reeve_check(const AfxiReeve *reeve, const char *element, AfxError *out_error);
/** Adds pulleys, hand and chain; the anchor comes back. */
AfxBodyId afxi_reeve_add(AfxiCaseBuilder *builder, const AfxiReeve *reeve);

#endif
