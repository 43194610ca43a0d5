/* SPDX-License-Identifier: Apache-2.0 */
/* Ball chains: one stage of all their links in two streaming passes.
 *
 * The rows of slot k say that the right end of link k-1 is the left end of link k, so K is block-tridiagonal with 3x3
 * blocks. A chain is cut into spans, one per SIMD lane; the slots between spans are separators.
 *     condense   eliminates the slots inside a span and leaves what it does to its two separators
 *     separators are a short chain of their own, solved one after the other
 *     solve      eliminates the span again, now that both its separators are known, goes back through it, moves its
 *                links and writes the new state
 * Nothing but the state is kept between the two: computing twice is cheaper than storing frames and factors. A span of
 * `solve` stays in the cache on its way there and back, and its way back can condense it for the next step
 * (engine/chain.c), with numbers that it has in hand. Whole short chains need `solve` alone.
 *
 * With X a body's inverse (body/class.h), B(x, y) = R (X_t I + Q(x, y)) R^T its block for the points x, y, and D', r'
 * what comes from the left:
 *     D = D' + B(l,l),  E = -B(l,r),  W = D^-1 E,  y = D^-1 (r' - p_l),
 *     D' <- B(r,r) - E^T W,  r' <- p_r - E^T y,      back:  lambda_k = y_k - W_k lambda_(k+1),
 * p the ends of the link where it would be without joints. Where a way back may condense, condensing goes from the last
 * slot to the first (chain_condense_wide.h). */
#ifndef AFXI_DUAL_CHAIN_H
#define AFXI_DUAL_CHAIN_H

#include "base/memory.h"
#include "body/free.h"
#include "body/woodbury.h"
#include "model/model.h"

#define AFXI_CHAIN_LANES_MOST 8

/* Constants of a class for one AfxiScale, as the kernels load them. */
enum {
    AFXI_CHAIN_C = 0,            /* 3: s_k / h² */
    AFXI_CHAIN_COMPLIANCE = 3,   /* 1 / (V mu) */
    AFXI_CHAIN_DET = 4,          /* 3: determinant of each pair without stiffness ... */
    AFXI_CHAIN_DET_GAMMA = 7,    /* 3: ... and what gamma adds to it */
    AFXI_CHAIN_DIAGONAL = 10,    /* 6 */
    AFXI_CHAIN_TRANSLATION = 16, /* 1 / H_t */
    AFXI_CHAIN_WEIGHT_A = 17,
    AFXI_CHAIN_WEIGHT_T = 18,
    AFXI_CHAIN_GRAVITY = 19, /* t moves by this times g */
    AFXI_CHAIN_INERTIA = 20, /* smallest rotary inertia / h² */
    AFXI_CHAIN_THETA = 21,   /* 3: compliance of the twist, by pair, without stiffness */
    AFXI_CHAIN_SIZE = 24
};

/** The constants [AFXI_CHAIN_SIZE] of a class. */
void afxi_chain_constants(const AfxiBodyClass *body, AfxiScale scale, double *out);

typedef enum AfxiChainTask {
    AFXI_CHAIN_STAGE,  /* a stage of a step */
    AFXI_CHAIN_START,  /* consistent accelerations into `next` */
    AFXI_CHAIN_CLOSE,  /* the least motion that closes the joints, q and v in place */
    AFXI_CHAIN_PROJECT /* velocities that the joints allow, v in place */
} AfxiChainTask;

/** A span at work. */
typedef struct AfxiChainPiece {
    double left[6], right[6], coupling[9]; /* condensed on its separators: xx, yy, zz, xy, xz, yz */
    double left_rhs[3], right_rhs[3];
    double lambda_left[3], lambda_right[3]; /* multipliers of the separators */
    double old_right[4];                    /* that of the right one before */
    double outside_left[3], outside_right[3];
    double end_left[3], end_right[3]; /* where its ends come to be */
    double error, turn, residual;     /* largest */
    double slot_left, slot_right;     /* 1: the outer slot is there and on */
    bool jump, finite;
    bool whole;    /* a chain of one span */
    bool accepted; /* nothing more to do */
    bool later;    /* its frames are those of the last result, not the predicted ones */
    bool plain;    /* no inner joint of the chain is switched off, and nothing touches or holds it */
    bool touched;  /* something does */
} AfxiChainPiece;

typedef struct AfxiChainStage {
    AfxiChainTask task;
    AfxiFreeMode mode;
    AfxiStageWeights weights;
    double predict;     /* s */
    double parabola[2]; /* expected = q + predict v + curved ([0] (v - x3) + [1] x3) */
    double gravity[3];
    double enough; /* error that a first solve may have; a link beyond it is looked at more closely */
    bool first;    /* frames are predicted and stiffness is a bound; else both come from the last result */
    bool all_on;   /* no inner joint of any chain is switched off */
    bool damped;
    bool turns;  /* the back substitution condenses spans for the next step, which is one of the same kind */
    bool alike;  /* the classes are the model's: what spans say of links that are alike holds */
    bool stream; /* the old state is far more than the caches hold, and the bodies of a span follow one another */
    const AfxiChains *chains;
    const uint8_t *joint_active;
    const AfxiBodyClass *classes;    /* [classes] */
    const uint32_t *class_of;        /* [bodies] */
    const double *constants;         /* [classes][AFXI_CHAIN_SIZE] */
    const AfxiFreeForce *forces;     /* NULL: none at all */
    const uint32_t *force_slot;      /* [bodies] */
    const double *q, *v, *x2, *x3;   /* [bodies][12] at the beginning of the stage */
    const double *iterate;           /* [bodies][12] the last result, unless first */
    double *next;                    /* [bodies][12] the result */
    double *rate;                    /* [bodies][12] its velocities; NULL: not wanted */
    double *old_q, *old_v;           /* [bodies][12] where q and v are kept; NULL: nowhere */
    double *lambda;                  /* [slots][3] and one more number */
    uint8_t *curved;                 /* [links] */
    AfxiChainPiece *piece;           /* [spans] */
    const AfxiWoodburySet *woodbury; /* contacts in links' own blocks; NULL: none */
    const uint32_t *link_woodbury;   /* [links] into the Woodbury set, or UINT32_MAX */
} AfxiChainStage;

/** Spans of equal length, side by side; spare lanes repeat one. */
typedef struct AfxiChainGroup {
    uint32_t span[AFXI_CHAIN_LANES_MOST];
    uint32_t link_count;
    bool whole, collinear, axial;
    bool plain, touched; /* as in AfxiChainPiece */
} AfxiChainGroup;

/** `next`, which may be NULL, is the group after it: it is fetched meanwhile. */
typedef void AfxiChainCondense(const AfxiChainStage *stage, const AfxiChainGroup *group, const AfxiChainGroup *next);
typedef void AfxiChainSolve(const AfxiChainStage *stage, const AfxiChainGroup *group, const AfxiChainGroup *next,
                            void *scratch);

typedef struct AfxiChainVariant {
    AfxiChainCondense *condense;
    AfxiChainSolve *solve;
    uint32_t lanes;
    size_t scratch_per_link; /* bytes */
} AfxiChainVariant;

/** The kernels for a lane count: one lane, or the widest that pays (0 and all other counts). */
AfxiChainVariant afxi_chain_variant(uint32_t lanes);

/** Whether the back substitution of a stage can condense plain spans of axial chains for the next step: it is the first
 * solve of a whole BDF2 step that goes on from its history, with no damping and no force, and `after`, the next step's,
 * has the same weights. */
bool afxi_chain_turns(const AfxiChainStage *stage, const AfxiChainStage *after);

/** Multipliers of all separators of a chain from its condensed pieces. */
void afxi_chain_separators(const AfxiChainStage *stage, const AfxiChain *chain);

#endif
