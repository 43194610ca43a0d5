/* SPDX-License-Identifier: Apache-2.0 */
/* One solve stage of bodies that no joint holds: everything of such a body's step happens in registers. */
#ifndef AFXI_BODY_FREE_H
#define AFXI_BODY_FREE_H

#include "body/class.h"
#include "math/vec3.h"

/** What a stage reads besides q and v, and what it leaves behind. */
typedef enum AfxiFreeMode {
    AFXI_FREE_ONE_STEP,  /* reads nothing more; leaves the old q, v in x2, x3 */
    AFXI_FREE_MULTISTEP, /* reads x2, x3; leaves the old q, v there */
    AFXI_FREE_STAGE,     /* reads x2, x3 and leaves them */
    AFXI_FREE_ALPHA,     /* x2, x3 are a and q''; leaves the new ones, and the old q, v in previous */
    AFXI_FREE_MODE_COUNT
} AfxiFreeMode;

/** What angular accelerations are taken from where a stage is fitted to turning bodies (body/phase.h). */
typedef enum AfxiPhase {
    AFXI_PHASE_NONE,    /* not fitted */
    AFXI_PHASE_START,   /* from x2, which is q''; velocities are true */
    AFXI_PHASE_TWO_STEP /* from two angular velocities: x2, x3 are the last q, v */
} AfxiPhase;

/** Generalised forces on one body: `world` and `force` act in world axes as they are; `torque` is a world torque;
 * `body` and `body_force` turn with the body. */
typedef struct AfxiFreeForce {
    double world[9]; /* on A, column-major: sum of f x^T */
    double force[3];
    double more; /* 0: the force is all there is */
    double torque[3];
    double body[9]; /* on A in the body's axes: sum of f x^T + skew(torque)/2 */
    double body_force[3];
} AfxiFreeForce;

/* Its places. */
enum {
    AFXI_FORCE_WORLD = 0,
    AFXI_FORCE = 9,
    AFXI_FORCE_MORE = 12,
    AFXI_FORCE_TORQUE = 13,
    AFXI_FORCE_BODY = 16,
    AFXI_FORCE_BODY_FORCE = 25
};

/** The linear combinations an integrator stage is made of, over (q, v, x2, x3). */
typedef struct AfxiStageWeights {
    double qhat[4];  /* q'' = (q - qhat) / h² */
    double qv[4];    /* v = (q - qv) / hv */
    double drift[3]; /* (qhat - qv) / hv = v + [0] x2 + [1] (x3 - [2] v): exact where velocities do not change */
    double a[3];     /* alpha: a = (q - (q_n + a[0] v_n + a[1] a_n)) * a[2] */
    AfxiScale scale;
    double per_h_squared, per_h_rate; /* 1 / scale */
} AfxiStageWeights;

typedef struct AfxiFreeStage {
    AfxiFreeMode mode;
    AfxiPhase phase;
    AfxiStageWeights weights;
    bool damped;                     /* some class has damping */
    bool rods;                       /* some class is a thin rod */
    double predict;                  /* step of the linear frame predictor, for rods */
    double gravity[3];               /* m/s² */
    const uint32_t *bodies;          /* list to work on */
    const uint32_t *class_of;        /* [all bodies] */
    const double *constants;         /* [classes][AFXI_FREE_SIZE] */
    const AfxiFreeForce *forces;     /* [list], or NULL */
    double *q, *v, *x2, *x3;         /* [all bodies][12] */
    double *previous_q, *previous_v; /* alpha only */
    double *gap, *last_gap;          /* [all bodies][12] of body/phase.h; NULL: none are kept */
    uint32_t solves;                 /* 0: by tolerance; else exactly so many */
    uint32_t solves_most;            /* cap */
    double tolerance_first;          /* rad: accept the first solve */
    double tolerance;                /* rad: accept a later one, on its estimated remaining error */
} AfxiFreeStage;

/** What came of a range of bodies; combined by maximum and sum. */
typedef struct AfxiFreeOutcome {
    uint32_t solves; /* largest */
    uint64_t solves_total;
    double rotation_error; /* largest |w| left, rad */
    bool capped, rescued;
    uint32_t failed_body; /* smallest body that is not finite, or UINT32_MAX */
} AfxiFreeOutcome;

/** Advances bodies[begin .. end). */
typedef void AfxiFreeKernel(const AfxiFreeStage *stage, uint32_t begin, uint32_t end, AfxiFreeOutcome *out);

typedef struct AfxiFreeVariant {
    AfxiFreeKernel *kernel;
    uint32_t lanes;
    const char *instruction_set;
} AfxiFreeVariant;

/** The kernel for a lane count (0: widest that pays), with the best instructions of this machine. kernel is NULL
 * when the lane count is none of 1, 2, 4, 8 or not built for this machine. */
AfxiFreeVariant afxi_free_variant(uint32_t lanes);

/** The forces on A in the axes of the frame r, and the force on t in the world's. */
AfxiMat3 afxi_free_forces(const AfxiFreeForce *force, const AfxiMat3 *r, AfxVec3 *out_force);
/** Consistent acceleration q'' [12] of a body without joints: that of the rigid motion. force may be NULL. */
void afxi_free_acceleration(const AfxiBodyClass *body, const double *q, const double *v, const double gravity[3],
                            const AfxiFreeForce *force, double *out);
/** The same where the frame of the body, the rotation part of A, is known. */
void afxi_free_acceleration_at(const AfxiBodyClass *body, const AfxiMat3 *frame, const double *v,
                               const double gravity[3], const AfxiFreeForce *force, double *out);

#endif
