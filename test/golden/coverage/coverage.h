/* SPDX-License-Identifier: Apache-2.0 */
/* What the scenes of the goldens reach: all that a trace can tell, and paths inside the library. */
#ifndef AFX_TEST_GOLDEN_COVERAGE_H
#define AFX_TEST_GOLDEN_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

/* Paths that neither trace nor report tells of; each is counted where a call of the library is wrapped. */
#define PATH_TABLE(X)                                                                   \
    X(PATH_AITKEN, "Aitken extrapolation moved a frame")                                \
    X(PATH_CORRECTION, "second-order correction took out the strain of turns")          \
    X(PATH_CG_OLDER, "conjugate gradients with an older factor")                        \
    X(PATH_CG_ANEW, "conjugate gradients gave up, or rows changed: factored anew")      \
    X(PATH_CG_REFRESH, "the older factor was lost and made again")                      \
    X(PATH_SWEEPS, "block Gauss-Seidel")                                                \
    X(PATH_TREE_REFUSED, "a forest in two passes was refused, and solved pass by pass") \
    X(PATH_CONDENSED, "chains were condensed in a pass of their own")                   \
    X(PATH_READY, "chains had been condensed by the step before")                       \
    X(PATH_TURNED, "chains were condensed for the next step on the way back")           \
    X(PATH_TOUCHED_CHAIN, "chains with contact or a hold")                              \
    X(PATH_CHAIN_UNDONE, "chains solved in place were taken back")                      \
    X(PATH_PAIR_ISLAND, "an island with contacts between solved bodies")                \
    X(PATH_POOLED, "small trees side by side in one lot")                               \
    X(PATH_WARM, "contacts looked for again: solves went on from the last result")      \
    X(PATH_BETWEEN, "islands were joined by contacts that were looked for again")       \
    X(PATH_GROWN, "a step in parts took along what it came to touch")                   \
    X(PATH_PARTS_SOME, "some islands in parts, others in a whole step")                 \
    X(PATH_GIVEN_UP, "contacts were taken though they were not settled")                \
    X(PATH_CLOSED, "start that violates its joints was closed")

typedef enum Path {
#define PATH_ENUM(path, text) path,
    PATH_TABLE(PATH_ENUM)
#undef PATH_ENUM
        PATH_COUNT
} Path;

/** Makes second-order corrections leave a residual. */
extern bool path_spoil;
/** How often each path was taken so far. */
extern uint64_t path_count[PATH_COUNT];

#endif
