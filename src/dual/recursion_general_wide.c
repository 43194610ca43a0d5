/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for bodies that any joints hold, one per lane, eliminated from the leaves to the root and back by the rows of
 * their joints: equations in recursion.h. Rows are scalars in world axes, so that T and t need no turning. */
#include "math/vector_wide.h"

#if AFXI_WIDE_PAYS

#include "dual/general_forward_wide.h"

WIDE_INLINE bool backward_as(const Form form, const AfxiSystem *system, const AfxiRecursionJob *job) {
    bool redundant = false;
    for (uint32_t chunk = 0; chunk < CHUNKS && chunk * AFXI_LANES < job->lanes; chunk++) {
        Bodies bodies;
        bodies_of(form, system, job, chunk, &bodies);
        redundant |= backward_bodies(form, &bodies);
    }
    return redundant;
}

WIDE_INLINE void substitute_as(const Form form, const AfxiSystem *system, const AfxiRecursionJob *job) {
    for (uint32_t chunk = 0; chunk < CHUNKS && chunk * AFXI_LANES < job->lanes; chunk++) {
        Bodies bodies;
        bodies_of(form, system, job, chunk, &bodies);
        substitute_bodies(form, &bodies);
    }
}

WIDE_INLINE void forward_as(const Form form, const AfxiSystem *system, const AfxiRecursionJob *job,
                            AfxiRecursionTally *out) {
    for (uint32_t chunk = 0; chunk < CHUNKS && chunk * AFXI_LANES < job->lanes; chunk++) {
        Bodies bodies;
        bodies_of(form, system, job, chunk, &bodies);
        forward_bodies(form, &bodies, out);
    }
}

typedef bool Backward(const AfxiSystem *system, const AfxiRecursionJob *job);
typedef void Substitute(const AfxiSystem *system, const AfxiRecursionJob *job);
typedef void Forward(const AfxiSystem *system, const AfxiRecursionJob *job, AfxiRecursionTally *out);

#define FORM(name, ...)                                                                                              \
    static __attribute__((noinline)) bool backward_##name(const AfxiSystem *system, const AfxiRecursionJob *job) {   \
        const Form form = {__VA_ARGS__};                                                                             \
        return backward_as(form, system, job);                                                                       \
    }                                                                                                                \
    static __attribute__((noinline)) void substitute_##name(const AfxiSystem *system, const AfxiRecursionJob *job) { \
        const Form form = {__VA_ARGS__};                                                                             \
        substitute_as(form, system, job);                                                                            \
    }                                                                                                                \
    static __attribute__((noinline)) void forward_##name(const AfxiSystem *system, const AfxiRecursionJob *job,      \
                                                         AfxiRecursionTally *out) {                                  \
        const Form form = {__VA_ARGS__};                                                                             \
        forward_as(form, system, job, out);                                                                          \
    }
FORM(any, false, 0, 0, 0)

/* Leaves, links and forks. Machines that cannot fuse products do without: it is long to compile. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define FORMS(points, rest)                          \
    FORM(leaf_##points##rest, true, 0, points, rest) \
    FORM(link_##points##rest, true, 1, points, rest) \
    FORM(fork_##points##rest, true, 2, points, rest)
FORMS(3, 0)
FORMS(3, 1)
FORMS(3, 2)
FORMS(3, 3)
FORMS(0, 6)

/* By what joints are made of, and joints away from the root. */
#define OF(pass, sort) \
    { pass##_leaf_##sort, pass##_link_##sort, pass##_fork_##sort }
#define TABLE(pass) \
    { OF(pass, 30), OF(pass, 31), OF(pass, 32), OF(pass, 33), OF(pass, 06) }
#define SORTS (AFXI_GENERAL_SIX + 1)
static Backward *const backward_known[SORTS][AFXI_GENERAL_CHILDREN + 1] = TABLE(backward);
static Substitute *const substitute_known[SORTS][AFXI_GENERAL_CHILDREN + 1] = TABLE(substitute);
static Forward *const forward_known[SORTS][AFXI_GENERAL_CHILDREN + 1] = TABLE(forward);

static bool backward(const AfxiSystem *system, const AfxiRecursionJob *job) {
    return (job->rest < SORTS ? backward_known[job->rest][job->children] : backward_any)(system, job);
}

static void backward_again(const AfxiSystem *system, const AfxiRecursionJob *job) {
    (job->rest < SORTS ? substitute_known[job->rest][job->children] : substitute_any)(system, job);
}

static void forward(const AfxiSystem *system, const AfxiRecursionJob *job, AfxiRecursionTally *out) {
    (job->rest < SORTS ? forward_known[job->rest][job->children] : forward_any)(system, job, out);
}

#else
static bool backward(const AfxiSystem *system, const AfxiRecursionJob *job) {
    return backward_any(system, job);
}

static void backward_again(const AfxiSystem *system, const AfxiRecursionJob *job) {
    substitute_any(system, job);
}

static void forward(const AfxiSystem *system, const AfxiRecursionJob *job, AfxiRecursionTally *out) {
    forward_any(system, job, out);
}
#endif

extern const AfxiRecursionGeneralKernel AFXI_WIDE(afxi_recursion_general);
const AfxiRecursionGeneralKernel AFXI_WIDE(afxi_recursion_general) = {backward, backward_again, forward};

#else
typedef int AfxiNoRecursionGeneralVariant; /* a file may not be empty */
#endif
