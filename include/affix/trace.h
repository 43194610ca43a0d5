/* SPDX-License-Identifier: Apache-2.0 */
/* affix/trace.h: what the solver did in a step, event by event, when it was asked to say so.
 *
 * A step solves each island (bodies that joints, contacts or springs hold together) by Newton's method: solver
 * iterations, each judged, until one is accepted. The trace has one event for each, with the reason of the verdict, and
 * one for everything else that changes a step: sub-steps, restarts, impacts, joints that break. Bodies
 * without joints and contacts share an event: it has the smallest index of them, and their number. */
#ifndef AFFIX_TRACE_H
#define AFFIX_TRACE_H

#include "affix/params.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AfxSim AfxSim;

/* Each table: constant, name as in files, text for people. */

/* Kinds of events. */
#define AFX_TRACE_KIND_TABLE(X)                                                      \
    X(AFX_TRACE_STEP, "step", "step begins")                                         \
    X(AFX_TRACE_SOLVE, "solve", "solver iteration")                                  \
    X(AFX_TRACE_CUT, "cut", "step is cut into sub-steps")                            \
    X(AFX_TRACE_RESTART, "restart", "multistep method restarts")                     \
    X(AFX_TRACE_ORDER, "order", "post-impact order reduction: BDF1 for a few steps") \
    X(AFX_TRACE_LIMIT, "limit", "joint limit struck: velocities jump")               \
    X(AFX_TRACE_BOUNCE, "bounce", "contact bounces: velocities jump")                \
    X(AFX_TRACE_BROKEN, "broken", "joint broke")                                     \
    X(AFX_TRACE_FAILED, "failed", "step failed: the state before it was put back")

/* What solves an island. */
#define AFX_TRACE_ENGINE_TABLE(X)                                                    \
    X(AFX_TRACE_NO_ENGINE, "none", "no engine")                                      \
    X(AFX_TRACE_FREE, "free", "single bodies")                                       \
    X(AFX_TRACE_CHAIN, "chain", "ball chains, two streaming passes")                 \
    X(AFX_TRACE_TREE, "tree", "forests, leaf-to-root recursion")                     \
    X(AFX_TRACE_GRAPH, "graph", "any graph, block multifrontal factor")              \
    X(AFX_TRACE_ITERATIVE, "iterative", "conjugate gradients or block Gauss-Seidel") \
    X(AFX_TRACE_PAPER, "paper", "a published formulation")                           \
    X(AFX_TRACE_CONSERVING, "conserving", "an integrator that conserves")

/* Which matrix an iteration has. */
#define AFX_TRACE_METHOD_TABLE(X)                                                \
    X(AFX_TRACE_BOUND, "bound", "geometric stiffness by its bound")              \
    X(AFX_TRACE_EXACT, "exact", "exact geometric stiffness")                     \
    X(AFX_TRACE_HESSIAN, "hessian", "full Newton Hessian with eigenvalue clamp") \
    X(AFX_TRACE_FINISH, "finish", "forces kept, constraints closed")

/* What becomes of an iteration. */
#define AFX_TRACE_VERDICT_TABLE(X)                                                          \
    X(AFX_TRACE_ACCEPT, "accept", "accepted")                                               \
    X(AFX_TRACE_SAME_FRAMES, "same-frames", "solved again at the same frames")              \
    X(AFX_TRACE_NEW_FRAMES, "new-frames", "solved again, linearised at the result")         \
    X(AFX_TRACE_ESCALATE, "escalate", "solved again by the next engine")                    \
    X(AFX_TRACE_RECOLLIDE, "recollide", "contacts are looked for again, then solved again") \
    X(AFX_TRACE_CUT_STEP, "cut-step", "the step is cut")                                    \
    X(AFX_TRACE_LOST, "lost", "nothing can be made of it")

/* Why. */
#define AFX_TRACE_REASON_TABLE(X)                                                                          \
    X(AFX_TRACE_FINE, "fine", "within all tolerances")                                                     \
    X(AFX_TRACE_ROTATION, "rotation", "rotation error beyond tolerance")                                   \
    X(AFX_TRACE_TURN, "turn", "a body turned too far from its frame: false strain")                        \
    X(AFX_TRACE_RESIDUAL, "residual", "constraint residual beyond tolerance")                              \
    X(AFX_TRACE_JUMP, "multiplier-jump", "multipliers jumped beyond the geometric stiffness used")         \
    X(AFX_TRACE_ACTIVE_SET, "active-set", "limits, joint friction or saturated motors changed branch")     \
    X(AFX_TRACE_CONTACT_SET, "contact-set", "contacts opened, closed, stuck or slid")                      \
    X(AFX_TRACE_FRICTION_LIMIT, "friction-limit", "friction limits follow the normal forces")              \
    X(AFX_TRACE_STALE, "contacts-stale", "stale contacts: bodies came to lie elsewhere")                   \
    X(AFX_TRACE_PENETRATION, "penetration", "excessive penetration")                                       \
    X(AFX_TRACE_FLIPPED, "joint-flipped", "a joint flipped over")                                          \
    X(AFX_TRACE_CORRECTION, "correction", "second-order correction left a constraint residual")            \
    X(AFX_TRACE_REFUSED, "refused", "the engine refused: stiffness not definite; the next one takes over") \
    X(AFX_TRACE_LIGHT, "energy", "energy-based acceptance: what still turns holds no energy")              \
    X(AFX_TRACE_FIXED_COUNT, "fixed-count", "a fixed number of iterations was asked for")                  \
    X(AFX_TRACE_CAP, "cap", "cap of solver iterations reached")                                            \
    X(AFX_TRACE_NOT_FINITE, "not-finite", "not finite")                                                    \
    X(AFX_TRACE_MEMORY, "memory", "out of memory for contacts")                                            \
    X(AFX_TRACE_SHORTENED, "shortened", "the way of an iteration was shortened")

#define AFX_TRACE_ENUM(constant, name, text) constant,
typedef enum AfxTraceKind { AFX_TRACE_KIND_TABLE(AFX_TRACE_ENUM) AFX_TRACE_KIND_COUNT } AfxTraceKind;
typedef enum AfxTraceEngine { AFX_TRACE_ENGINE_TABLE(AFX_TRACE_ENUM) AFX_TRACE_ENGINE_COUNT } AfxTraceEngine;
typedef enum AfxTraceMethod { AFX_TRACE_METHOD_TABLE(AFX_TRACE_ENUM) AFX_TRACE_METHOD_COUNT } AfxTraceMethod;
typedef enum AfxTraceVerdict { AFX_TRACE_VERDICT_TABLE(AFX_TRACE_ENUM) AFX_TRACE_VERDICT_COUNT } AfxTraceVerdict;
typedef enum AfxTraceReason { AFX_TRACE_REASON_TABLE(AFX_TRACE_ENUM) AFX_TRACE_REASON_COUNT } AfxTraceReason;
#undef AFX_TRACE_ENUM

/** Branches of the active set that an iteration changed. */
typedef struct AfxTraceChanges {
    uint32_t contacts;   /* contact points that opened or closed */
    uint32_t slips;      /* contact points that began to slide or to stick */
    uint32_t limits;     /* joint limits */
    uint32_t friction;   /* joint friction */
    uint32_t saturation; /* motors that reached or left their largest effort */
} AfxTraceChanges;

/** An event. What a kind does not need is 0 (bodies and joints: UINT32_MAX). */
typedef struct AfxTraceEvent {
    uint64_t step;        /* number of the step, from 1 */
    double time;          /* s, at its beginning */
    AfxTraceKind kind;    /* what the event is */
    uint32_t part, parts; /* sub-step `part` (from 1) of `parts`; AFX_TRACE_CUT: parts that are tried next */
    uint32_t stage;       /* of the integrator, from 1; 0: before the first */
    /* AFX_TRACE_SOLVE; AFX_TRACE_CUT and AFX_TRACE_FAILED: of the iteration that led there */
    uint32_t solve; /* iteration of the stage, from 1; AFX_TRACE_FREE, _PAPER, _CONSERVING: the most of a body */
    AfxTraceEngine engine;
    AfxTraceMethod method;
    uint32_t island, bodies; /* smallest body index, number of bodies */
    double rotation; /* rad, estimated error of the rotations: infinite when they do not converge; NaN: unknown */
    double turn;     /* rad, largest turn of a body away from its frame */
    double residual; /* largest constraint violation, m or rad; NaN where it was not looked at */
    double excess;   /* J, energy that the rotations have wrong; NaN where it is not known */
    double rotation_tolerance, residual_tolerance;
    AfxTraceChanges changes;
    AfxTraceVerdict verdict;
    AfxTraceReason reason; /* of the verdict, the cut or the failure */
    uint32_t body;         /* AFX_TRACE_SOLVE: the one that turned most, where that is known; AFX_TRACE_FAILED: where;
                              AFX_TRACE_BOUNCE: that bounces */
    uint32_t joint;        /* AFX_TRACE_BROKEN, AFX_TRACE_LIMIT */
    uint32_t count;        /* AFX_TRACE_ORDER: steps */
    AfxStatus status;      /* AFX_TRACE_FAILED */
} AfxTraceEvent;

/** Records the events of the steps to come in a ring of `capacity` (at most 2^26; 0: off, which is the default and
 * costs nothing). What was recorded before is gone. The ring is memory of the sim, taken here: recording
 * allocates nothing in a step, and its result is the same, bit for bit. AFX_E_MEMORY leaves the trace off. */
AFX_API AfxStatus afx_sim_trace(AfxSim *sim, uint32_t capacity);
/** Events that are there; 0 when it is off. */
AFX_API uint32_t afx_sim_trace_count(const AfxSim *sim);
/** Events that newer ones have pushed out since the trace was switched on or cleared. */
AFX_API uint64_t afx_sim_trace_dropped(const AfxSim *sim);
/** Event `index`, the oldest first. */
AFX_API AfxStatus afx_sim_trace_event(const AfxSim *sim, uint32_t index, AfxTraceEvent *out_event);
/** Why the last step that is in the trace needed more than one solver iteration: the most frequent reason of those that
 * were not accepted (of equals, the first); AFX_TRACE_FINE when there were none. */
AFX_API AfxTraceReason afx_sim_trace_reason(const AfxSim *sim);
/** Forgets all events; the trace goes on. */
AFX_API void afx_sim_trace_clear(AfxSim *sim);

/** The name in AFX_TRACE_KIND_TABLE, as in files; "unknown" for what is none, here and below. */
AFX_API const char *afx_trace_kind_name(AfxTraceKind kind);
/** A text for people ("solver iteration"). */
AFX_API const char *afx_trace_kind_text(AfxTraceKind kind);
/** The name in AFX_TRACE_ENGINE_TABLE. */
AFX_API const char *afx_trace_engine_name(AfxTraceEngine engine);
/** A text for people on what solves an island. */
AFX_API const char *afx_trace_engine_text(AfxTraceEngine engine);
/** The name in AFX_TRACE_METHOD_TABLE. */
AFX_API const char *afx_trace_method_name(AfxTraceMethod method);
/** A text for people on which matrix an iteration has. */
AFX_API const char *afx_trace_method_text(AfxTraceMethod method);
/** The name in AFX_TRACE_VERDICT_TABLE. */
AFX_API const char *afx_trace_verdict_name(AfxTraceVerdict verdict);
/** A text for people on what becomes of an iteration. */
AFX_API const char *afx_trace_verdict_text(AfxTraceVerdict verdict);
/** The name in AFX_TRACE_REASON_TABLE. */
AFX_API const char *afx_trace_reason_name(AfxTraceReason reason);
/** A text for people on why. */
AFX_API const char *afx_trace_reason_text(AfxTraceReason reason);

#ifdef __cplusplus
}
#endif
#endif
