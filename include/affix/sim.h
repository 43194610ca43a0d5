/* SPDX-License-Identifier: Apache-2.0 */
/* affix/sim.h: a running simulation of a model: state, workspace, its own parameters; the step; queries.
 *
 * Raw coordinates of a body are q = (A, t), 12 doubles: the columns of A, then t. They map a point x of the
 * body's *principal* frame (afx_model_body_frame) to A x + t in the world. Poses and velocities are those of
 * the body's own frame. */
#ifndef AFFIX_SIM_H
#define AFFIX_SIM_H

#include "affix/params.h"
#include "affix/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AfxSim AfxSim;

typedef enum AfxIntegrator {
    AFX_BDF2 = 0, /* second order, started by one generalised-α step */
    AFX_BDF1,     /* first order, strongly damped */
    AFX_ALPHA,    /* generalised-α with spectral radius rho */
    AFX_SDIRK2    /* for comparison */
} AfxIntegrator;

typedef enum AfxAccuracy {
    AFX_FAST = 0, /* solve again only where a shock or a large turn asks for it */
    AFX_ACCURATE  /* solve until the step's equations are met closely */
} AfxAccuracy;

/* What a step solves: formulation, name. All but the first are for comparison with what was published
 * (docs/papers.md): implicit Euler (AFX_BDF1), elastic bodies, ball joints, hinges and fixed joints, and nothing else.
 */
#define AFX_FORMULATION_TABLE(X)                    \
    X(AFX_AFFIX, "affix")                           \
    X(AFX_MABD_PAPER, "mabd-paper")                 \
    X(AFX_MABD_PAPER_NOPOLAR, "mabd-paper-nopolar") \
    X(AFX_ABD_VANILLA, "abd-vanilla")

/** AFX_AFFIX is our own. MABD_PAPER takes one Newton step of M-ABD from the old state, or `solves` of them; NOPOLAR
 * does without the polar decomposition. ABD_VANILLA takes Newton steps with the first published energy until they are
 * small. These three give no joint reactions and
 * refuse run-time wrenches, holds and joints that are switched off. */
typedef enum AfxFormulation {
#define AFX_FORMULATION_ENUM(formulation, name) formulation,
    AFX_FORMULATION_TABLE(AFX_FORMULATION_ENUM)
#undef AFX_FORMULATION_ENUM
        AFX_FORMULATION_COUNT
} AfxFormulation;

typedef struct AfxSimDef {
    uint32_t cookie;
    AfxAllocator allocator;
    double dt;                /* s, default 0.01 */
    AfxIntegrator integrator; /* default AFX_BDF2 */
    double rho;               /* AFX_ALPHA: spectral radius in [0, 1], default 0.8 */
    AfxAccuracy accuracy;
    uint32_t solves;            /* 0: as accuracy says; else exactly this many per step */
    uint32_t threads;           /* 0 or 1: the calling thread only */
    AfxTasks tasks;             /* run == NULL: the library's own threads */
    uint32_t lanes;             /* 0: the widest of this machine; 1, 2, 4, 8 */
    AfxFormulation formulation; /* default AFX_AFFIX */
    AfxError *error;            /* where a failed afx_sim_create says what is wrong; may be NULL */
} AfxSimDef;

AFX_API AfxSimDef afx_default_sim(void);
/** Bytes that afx_sim_create would allocate: state and workspace, factor included. 0 when the definition is not valid.
 */
AFX_API uint64_t afx_sim_bytes(const AfxModel *model, const AfxSimDef *def);
/** Makes a sim at the model's start. On failure *out_sim is NULL and there is nothing to free. */
AFX_API AfxStatus afx_sim_create(const AfxModel *model, const AfxSimDef *def, AfxSim **out_sim);
AFX_API void afx_sim_destroy(AfxSim *sim);
AFX_API const AfxModel *afx_sim_model(const AfxSim *sim);

/* ---- the step ---- */

typedef enum AfxStepFlag {
    AFX_STEP_RESTARTED = 1 << 0,        /* a multistep method was (re)started: first step, edited state or new dt */
    AFX_STEP_CAPPED = 1 << 1,           /* the solve cap was reached before the tolerance: refine dt */
    AFX_STEP_INERTIA_FLOOR = 1 << 2,    /* a body has a floored rotary inertia (afx_model_body_floored) */
    AFX_STEP_ROTATION_RESCUED = 1 << 3, /* a badly stretched or inverted body needed the robust rotation */
    AFX_STEP_FAILED = 1 << 4,           /* no finite, settled state: `body` names where; the state is as before */
    AFX_STEP_REGULARISED = 1 << 5,      /* loops: redundant rows share their load by a small compliance */
    AFX_STEP_HALVED = 1 << 6,           /* the step was done in smaller ones */
    AFX_STEP_IMPACT = 1 << 7,           /* a coordinate reached its limit and bounced or stopped */
    AFX_STEP_BROKEN = 1 << 8,           /* a joint broke and is switched off */
    AFX_STEP_ASSEMBLED = 1 << 9,        /* first step: the start violated joints and was repaired */
    AFX_STEP_LOOSE = 1 << 10,           /* rows hold only to `residual`: redundant ones at a singular position */
    AFX_STEP_UNCONVERGED = 1 << 11,     /* AFX_SOLVER_GS stopped at its cap of sweeps: rows hold only to `residual` */
    AFX_STEP_CONTACT_ROUGH = 1 << 12,   /* contact forces are not those of the laws: the cap of solves was reached */
    AFX_STEP_LIGHT = 1 << 13            /* rotations beyond the tolerance were left to bodies that hold no energy */
} AfxStepFlag;

typedef enum AfxStage {
    AFX_STAGE_INPUT = 0, /* prescribed motion, wrenches */
    AFX_STAGE_START,     /* consistent accelerations at a (re)start */
    AFX_STAGE_CONTACT,   /* which points touch */
    AFX_STAGE_JOINTS,    /* jointed bodies */
    AFX_STAGE_FREE,      /* bodies without joints */
    AFX_STAGE_CHECK,     /* checks and roll-back */
    AFX_STAGE_COUNT
} AfxStage;

typedef struct AfxStepReport {
    uint32_t flags;        /* AfxStepFlag bits */
    uint32_t solves;       /* largest number of solves any body needed */
    double solves_mean;    /* per moving body */
    double rotation_error; /* largest remaining rotation of a body away from its frame, rad */
    double residual;       /* largest joint row, absolute */
    uint32_t contacts;     /* points that touch */
    double depth;          /* deepest penetration, m */
    uint32_t body;         /* with AFX_STEP_FAILED: the body; else UINT32_MAX */
    uint64_t step;         /* number of the step just tried, from 1 */
    double time;           /* after the step */
    double stage_seconds[AFX_STAGE_COUNT];
} AfxStepReport;

/** Advances by dt. AFX_E_NUMERIC when the state would not be finite: the state before the step is kept.
 * AFX_E_MEMORY: there was none for contacts, and the step has not happened. After the first steps it allocates nothing
 * unless more comes to touch. out_report may be NULL. */
AFX_API AfxStatus afx_step(AfxSim *sim, AfxStepReport *out_report);

/** What a residual was found at; AfxResidual says which one of its kind. */
typedef enum AfxElement {
    AFX_ELEMENT_NONE = 0,
    AFX_ELEMENT_BODY, /* rigidity */
    AFX_ELEMENT_JOINT,
    AFX_ELEMENT_DRIVE,
    AFX_ELEMENT_COUPLING,
    AFX_ELEMENT_SPRING,
    AFX_ELEMENT_CONTACT /* the index is that of one of its bodies */
} AfxElement;

/** How far the last step is from meeting its equations: the largest over its stages, with what it was found at (index
 * UINT32_MAX: all are 0). They are evaluated from the result and its multipliers alone, by code that shares nothing
 * with the solver (docs/step.md#9-the-residual-of-a-step). */
typedef struct AfxResidual {
    double force;      /* forces on a body that do not balance, over the sum of their sizes */
    double constraint; /* constraint that is not met, or compliant one: m, rad or 1 */
    double law;        /* force that is not that of its law, over the bodies' forces; coordinate beyond a limit */
    double friction;   /* the same for friction of contacts, whose limits a step follows only so far */
    uint32_t body;     /* of `force` */
    uint32_t constraint_index, law_index;
    uint32_t friction_body; /* one of the two */
    AfxElement constraint_element, law_element;
    uint32_t stages; /* that were evaluated */
    bool complete;   /* false: there was no memory for all contacts */
} AfxResidual;

/** Evaluates the equations of every step from now on, or no longer. It takes memory, and a microsecond or two for a
 * body with its joints; nothing when off. AFX_E_ARGUMENT for formulations other than AFX_AFFIX. */
AFX_API AfxStatus afx_sim_set_verify(AfxSim *sim, bool on);
/** Of the last step. AFX_E_ARGUMENT when steps are not verified. */
AFX_API AfxStatus afx_sim_residual(const AfxSim *sim, AfxResidual *out_residual);

AFX_API double afx_sim_time(const AfxSim *sim);
AFX_API double afx_sim_dt(const AfxSim *sim);
AFX_API AfxIntegrator afx_sim_integrator(const AfxSim *sim);
/** Changes the step; a multistep method restarts and the next report says so. */
AFX_API AfxStatus afx_sim_set_dt(AfxSim *sim, double dt);
AFX_API uint32_t afx_sim_lanes(const AfxSim *sim);
AFX_API const char *afx_sim_instruction_set(const AfxSim *sim);
AFX_API uint32_t afx_sim_threads(const AfxSim *sim);

/* ---- state ---- */

/** Raw coordinates [bodies][12] at a stable address. */
AFX_API const double *afx_sim_coordinates(const AfxSim *sim);
/** Raw velocities [bodies][12] at a stable address. */
AFX_API const double *afx_sim_velocities(const AfxSim *sim);
/** Replaces raw coordinates and velocities ([bodies][12] each; either may be NULL to keep); a multistep method
 * restarts. */
AFX_API AfxStatus afx_sim_set_state(AfxSim *sim, const double *coordinates, const double *velocities);

AFX_API AfxStatus afx_sim_body_pose(const AfxSim *sim, uint32_t body, AfxPose *out_pose);
/** Places a body; its velocity stays. A multistep method restarts. */
AFX_API AfxStatus afx_sim_set_body_pose(AfxSim *sim, uint32_t body, AfxPose pose);
/** Poses of all bodies, [bodies]. */
AFX_API AfxStatus afx_sim_poses(const AfxSim *sim, AfxPose *out_poses);
/** Places all bodies, [bodies]. */
AFX_API AfxStatus afx_sim_set_poses(AfxSim *sim, const AfxPose *poses);
AFX_API AfxStatus afx_sim_body_twist(const AfxSim *sim, uint32_t body, AfxTwist *out_twist);
AFX_API AfxStatus afx_sim_set_body_twist(AfxSim *sim, uint32_t body, AfxTwist twist);
AFX_API AfxStatus afx_sim_twists(const AfxSim *sim, AfxTwist *out_twists);
AFX_API AfxStatus afx_sim_set_twists(AfxSim *sim, const AfxTwist *twists);
/** World position and velocity of a marker (either output may be NULL). */
AFX_API AfxStatus afx_sim_marker(const AfxSim *sim, uint32_t marker, AfxVec3 *out_position, AfxVec3 *out_velocity);
/** World positions and velocities of four points `rest` of a body's own frame, exact for a strained body too (either
 * output may be NULL). The points may be any. */
AFX_API AfxStatus afx_sim_control_points(const AfxSim *sim, uint32_t body, const AfxVec3 rest[4],
                                         AfxVec3 out_positions[4], AfxVec3 out_velocities[4]);
/** Sets a body's raw coordinates and velocities, strain included, by where four points of its own frame are in the
 * world and how they move (either may be NULL to keep). AFX_E_ARGUMENT when the points `rest` do not span a volume or a
 * number is not finite. A multistep method restarts. */
AFX_API AfxStatus afx_sim_set_control_points(AfxSim *sim, uint32_t body, const AfxVec3 rest[4],
                                             const AfxVec3 positions[4], const AfxVec3 velocities[4]);

/* ---- inputs ---- */

/** Replaces wrench `wrench` of the scene, in its own frame. */
AFX_API AfxStatus afx_sim_set_wrench(AfxSim *sim, uint32_t wrench, AfxWrench value);
AFX_API AfxStatus afx_sim_wrench(const AfxSim *sim, uint32_t wrench, AfxWrench *out_value);
/** Run-time forces and torques about the centres of mass, world axes, [bodies]; NULL removes them. */
AFX_API AfxStatus afx_sim_set_body_wrenches(AfxSim *sim, const AfxWrench *wrenches);
/** Where a kinematic body is to be at the end of the next step, and its velocity there. Overrides its motion
 * from then on; the target holds until it is set again. */
AFX_API AfxStatus afx_sim_set_body_target(AfxSim *sim, uint32_t body, AfxPose pose, AfxTwist twist);
/* Bodies that can be held at once. */
#define AFX_HOLDS_MOST 16
/** Holds a point of a dynamic body (in its own frame) by a spring and a damper between it and `target` (world): the
 * force on it is stiffness (target - p) - damping p', N/m and N s/m, as at the end of the step. Both are part of the
 * solve, so any stiffness is stable at any step, and joints stay exact. A body has one hold: calling again changes it,
 * to move the target for example; where a step is done in parts, the target moves evenly through them. AFX_E_LIMIT when
 * AFX_HOLDS_MOST others are held; may need memory when a body is taken. Like wrenches, holds are input: a snapshot does
 * not have them, and restoring one leaves them as they are. */
AFX_API AfxStatus afx_sim_hold(AfxSim *sim, uint32_t body, AfxVec3 point, AfxVec3 target, double stiffness,
                               double damping);
/** Lets go of a body. AFX_E_ARGUMENT when it is not held. */
AFX_API AfxStatus afx_sim_release(AfxSim *sim, uint32_t body);
/** Force that the hold of a body put on it, at the point, at the end of the last step; world axes. AFX_E_ARGUMENT when
 * it is not held. */
AFX_API AfxStatus afx_sim_hold_force(const AfxSim *sim, uint32_t body, AfxVec3 *out_force);
/** Sets item `index` of a parameter kind; checked at once. */
AFX_API AfxStatus afx_sim_set_param(AfxSim *sim, AfxParamKind kind, uint32_t index, const double *values);
AFX_API AfxStatus afx_sim_param(const AfxSim *sim, AfxParamKind kind, uint32_t index, double *out_values);

/* ---- joints ---- */

/** Value and rate of free axis `axis` of a joint (m or rad, turns counted; either output may be NULL). */
AFX_API AfxStatus afx_sim_joint_coordinate(const AfxSim *sim, uint32_t joint, uint32_t axis, double *out_value,
                                           double *out_rate);
/** Sets one coordinate and keeps the others: see afx_sim_set_joint_coordinates. Allocates while it runs. */
AFX_API AfxStatus afx_sim_set_joint_coordinate(AfxSim *sim, uint32_t joint, uint32_t axis, double value,
                                               double *out_residual);
/** All joint coordinates, [afx_model_coordinate_count], joint by joint. */
AFX_API AfxStatus afx_sim_joint_coordinates(const AfxSim *sim, double *out_values);
/** Places the jointed bodies by joint coordinates (forward kinematics from what stands still; velocities are kept as
 * far as the joints allow) and closes loops. *out_residual (may be NULL) is how far the rows are off then;
 * AFX_E_NUMERIC when loops cannot be closed. */
AFX_API AfxStatus afx_sim_set_joint_coordinates(AfxSim *sim, const double *values, double *out_residual);
/** Repairs positions and velocities that violate the joints by the least motion. A start that is off by more than
 * rounding is repaired by afx_sim_create already; the first report says so. */
AFX_API AfxStatus afx_sim_assemble(AfxSim *sim, double *out_residual);
/** Force and torque that the joint puts on the follower, in the joint's axes as the base carries them, from the
 * multipliers of the last step. The torque is about the joint's point on the follower. */
AFX_API AfxStatus afx_sim_joint_reaction(const AfxSim *sim, uint32_t joint, AfxWrench *out_reaction);
/** Switches a joint on or off (weld, unweld). */
AFX_API AfxStatus afx_sim_set_joint_active(AfxSim *sim, uint32_t joint, bool active);
AFX_API bool afx_sim_joint_active(const AfxSim *sim, uint32_t joint);

/** Target and rate, at the end of the next step, of a drive that takes them from input; in between they are
 * interpolated from the last ones. A velocity drive's target is the velocity. */
AFX_API AfxStatus afx_sim_set_drive_target(AfxSim *sim, uint32_t drive, double value, double rate);
/** Force or torque that a drive put along its axis in the last step. */
/** Torque that the spring of a ball joint put on the follower in the last step, in the joint's axes as the base carries
 * them. AFX_E_ARGUMENT for a joint without one. */
AFX_API AfxStatus afx_sim_joint_spring_torque(const AfxSim *sim, uint32_t joint, AfxVec3 *out_torque);
AFX_API AfxStatus afx_sim_drive_effort(const AfxSim *sim, uint32_t drive, double *out_effort);

/* ---- queries ---- */

typedef struct AfxEnergy {
    double kinetic, potential, elastic, total; /* J; potential of gravity, zero at the origin */
} AfxEnergy;

typedef struct AfxMomentum {
    double mass;
    AfxVec3 center;  /* centre of mass */
    AfxVec3 linear;  /* kg m/s */
    AfxVec3 angular; /* about the world's origin, kg m²/s */
} AfxMomentum;

/** Degrees of freedom (six for every moving body less the rank of the exact rows) and redundant rows in the present
 * state. AFX_E_LIMIT when there are loops and more than 2,500 rows. Allocates while it runs. */
AFX_API AfxStatus afx_sim_mobility(AfxSim *sim, int64_t *out_freedom, uint32_t *out_redundant);
/** Energy of the moving bodies. */
AFX_API AfxStatus afx_sim_energy(const AfxSim *sim, AfxEnergy *out_energy);
/** Momentum of the moving bodies. */
AFX_API AfxStatus afx_sim_momentum(const AfxSim *sim, AfxMomentum *out_momentum);

/* ---- contacts ---- */

/** A point where two bodies touch, at the end of the last step. */
typedef struct AfxContact {
    uint32_t body_a, body_b;   /* bodies; a is dynamic */
    uint32_t shape_a, shape_b; /* shapes of the model that can touch, in their order */
    AfxVec3 point;             /* on a, world */
    AfxVec3 normal;            /* unit, from b towards a */
    double depth;              /* m, positive where they overlap */
    double force;              /* N, that pushes a along the normal; 0: they are near, but do not touch */
    AfxVec3 friction;          /* N, on a, in the plane of contact */
    AfxVec3 moment;            /* Nm, on a, of rolling and torsional friction */
    bool sliding;              /* friction is at its limit */
} AfxContact;

/** Number of points that touch or nearly do; 0 when contact is off. */
AFX_API uint32_t afx_sim_contact_count(const AfxSim *sim);
AFX_API AfxStatus afx_sim_contact(const AfxSim *sim, uint32_t index, AfxContact *out_contact);
/** Force and torque about its centre of mass that all contacts together put on a body, world axes. */
AFX_API AfxStatus afx_sim_body_contact(const AfxSim *sim, uint32_t body, AfxWrench *out_wrench);

/* ---- snapshots ---- */

/** Bytes of a snapshot now: with contacts, they depend on how many points touch. */
AFX_API size_t afx_sim_snapshot_size(const AfxSim *sim);
/** Copies the state into buffer (at least afx_sim_snapshot_size bytes). */
AFX_API AfxStatus afx_sim_snapshot(const AfxSim *sim, void *buffer, size_t size);
/** Puts a snapshot back: the run then continues bit for bit as it did. AFX_E_VERSION when it is from another
 * model or integrator. */
AFX_API AfxStatus afx_sim_restore(AfxSim *sim, const void *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
