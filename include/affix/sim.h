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
    AFX_SDIRK2,   /* for comparison */
    /* For smooth motion of exactly rigid bodies: no contact, limits, friction or joints that break */
    AFX_CONSERVING,  /* energy-momentum method: second order, energy and momentum exact at any step */
    AFX_CONSERVING4, /* the same, composed of five sub-steps to fourth order; no damping */
    AFX_REFERENCE,   /* RATTLE composed of nine sub-steps to sixth order, symplectic; no damping */
    /* In joint coordinates alone, which it chooses by itself (AFX_REDUCED) */
    AFX_RK4,  /* classical Runge-Kutta: fourth order, explicit; for smooth motion without stiff springs */
    AFX_AUTO, /* AFX_RK4 where motion is smooth, AFX_BDF2 in steps where a spring, damper or servo is stiff, a limit is
                 met, joints rub or something touches; the report's AFX_STEP_EXPLICIT says which it was */
    AFX_GAUSS2, /* two-stage Gauss: fourth order, implicit, stable at any stiffness, hardly any damping; AFX_BDF2 in
                   steps where a limit is met, joints rub or something touches */
    AFX_INTEGRATOR_COUNT
} AfxIntegrator;

typedef enum AfxAccuracy {
    AFX_FAST = 0, /* more than one solver iteration only where an impact or a large rotation asks for it */
    AFX_ACCURATE, /* until what iterations leave is a tenth of the integrator's own error: for reactions and energy */
    AFX_CONVERGED /* until the residual of the step's equations is 1e-10 of its scale (afx_sim_residual), whatever that
                     takes: for derivatives, and to compare with */
} AfxAccuracy;

/* What a step solves: formulation, name. Those that end with -paper, -nopolar, -vanilla and -ipc are for comparison
 * with what was published (docs/papers.md), by implicit Euler (AFX_BDF1) of elastic bodies; the first three have ball
 * joints, hinges and fixed joints, and nothing else. */
#define AFX_FORMULATION_TABLE(X)                    \
    X(AFX_AFFIX, "affix")                           \
    X(AFX_MABD_PAPER, "mabd-paper")                 \
    X(AFX_MABD_PAPER_NOPOLAR, "mabd-paper-nopolar") \
    X(AFX_ABD_VANILLA, "abd-vanilla")               \
    X(AFX_REDUCED, "reduced")                       \
    X(AFX_CHOOSE, "auto")                           \
    X(AFX_ABD_IPC, "abd-ipc")

/** AFX_AFFIX is our own. MABD_PAPER takes one Newton step of M-ABD from the old state, or `solves` of them; NOPOLAR
 * does without the polar decomposition. ABD_VANILLA takes Newton steps with the first published energy until they are
 * small. These three give no joint reactions and refuse run-time wrenches, holds and joints that are switched off.
 * REDUCED has rigid trees in joint coordinates (docs/reduced.md): AFX_RK4, AFX_AUTO, AFX_GAUSS2, AFX_BDF2, AFX_BDF1,
 * AFX_ALPHA, AFX_CONSERVING; no holds or switched joints. CHOOSE is REDUCED where that can do all of the model and is
 * cheaper, else AFFIX: afx_sim_formulation says which, and why. ABD_IPC is barrier contact as it was published for
 * affine bodies: their orthogonality energy, coordinates that go along straight lines, friction without memory, no
 * restitution; joints are exact all the same. */
typedef enum AfxFormulation {
#define AFX_FORMULATION_ENUM(formulation, name) formulation,
    AFX_FORMULATION_TABLE(AFX_FORMULATION_ENUM)
#undef AFX_FORMULATION_ENUM
        AFX_FORMULATION_COUNT
} AfxFormulation;

/* How bodies that touch push each other: model, name. */
#define AFX_CONTACT_MODEL_TABLE(X)        \
    X(AFX_CONTACT_COMPLIANT, "compliant") \
    X(AFX_CONTACT_BARRIER, "barrier")

/** COMPLIANT: contact points that give way a little, at the speed of the usual step. BARRIER: surfaces push before they
 * touch, and no step ends, or passes, where bodies intersect (docs/barrier.md); AFX_BDF1 or AFX_BDF2, and what it
 * cannot do afx_sim_create refuses by name. */
typedef enum AfxContactModel {
#define AFX_CONTACT_MODEL_ENUM(model, name) model,
    AFX_CONTACT_MODEL_TABLE(AFX_CONTACT_MODEL_ENUM)
#undef AFX_CONTACT_MODEL_ENUM
        AFX_CONTACT_MODEL_COUNT
} AfxContactModel;

typedef struct AfxSimDef {
    uint32_t cookie;
    AfxAllocator allocator;
    double dt;                /* s, default 0.01 */
    AfxIntegrator integrator; /* default AFX_BDF2 */
    double rho;               /* AFX_ALPHA: spectral radius in [0, 1], default 0.8 */
    AfxAccuracy accuracy;
    uint32_t solves;               /* solver iterations per step. 0: as accuracy says; else exactly this many */
    uint32_t threads;              /* 0 or 1: the calling thread only */
    AfxTasks tasks;                /* run == NULL: the library's own threads */
    uint32_t lanes;                /* 0: the widest of this machine; 1, 2, 4, 8 */
    AfxFormulation formulation;    /* default AFX_AFFIX */
    AfxError *error;               /* where a failed afx_sim_create says what is wrong; may be NULL */
    AfxContactModel contact_model; /* default AFX_CONTACT_COMPLIANT */
    double contact_gap;            /* m, barrier: surfaces push where they are nearer; 0: 1e-3 of the largest body */
    uint32_t friction_lags;        /* barrier: how often friction follows the normal forces of a step; 0: up to 2 */
    /* What one solver iteration of bodies that touch each other may take; a step that would need more is refused before
       it is solved (AFX_E_LIMIT, afx_sim_crowd). INFINITY: whatever it takes. */
    double flops_most; /* floating-point operations, of which a core does 1e9 to 1e10 a second; 0: 2e11 */
    double bytes_most; /* memory; 0: 8e9 */
    /* Bodies that joints and contacts hold together sleep when all of them have been slower than sleep_speed for
       sleep_time: they stand still and are not solved for until something wakes them (docs/contact.md#sleep). */
    double sleep_speed; /* m/s, of every point of a body; default 0: none sleeps */
    double sleep_time;  /* s; 0: 0.5 */
} AfxSimDef;

/** BDF2, dt = 0.01 s, AFX_FAST, the calling thread, the widest lanes of the machine, the C library's allocator. */
AFX_API AfxSimDef afx_default_sim(void);
/** Bytes that afx_sim_create would allocate: state and workspace, factor included. What contacts, holds and islands of
 * touching bodies take comes on top, as they occur. 0 when the definition is not valid. */
AFX_API uint64_t afx_sim_bytes(const AfxModel *model, const AfxSimDef *def);
/** Makes a sim at the model's start. On failure *out_sim is NULL and there is nothing to free. */
AFX_API AfxStatus afx_sim_create(const AfxModel *model, const AfxSimDef *def, AfxSim **out_sim);
/** Frees a sim. NULL is allowed; the model stays. */
AFX_API void afx_sim_destroy(AfxSim *sim);
/** What its steps solve, and into out_reason [size] (may be NULL), always ended, why: where AFX_CHOOSE has chosen, what
 * REDUCED cannot do or what both would cost. AFX_E_ARGUMENT: a pointer is NULL. */
AFX_API AfxStatus afx_sim_formulation(const AfxSim *sim, AfxFormulation *out_formulation, char *out_reason,
                                      size_t size);
/** The model that the sim was made from. */
AFX_API const AfxModel *afx_sim_model(const AfxSim *sim);

/* ---- the step ---- */

typedef enum AfxStepFlag {
    AFX_STEP_RESTARTED = 1 << 0,        /* a multistep method was (re)started: first step, edited state or new dt */
    AFX_STEP_CAPPED = 1 << 1,           /* the cap of solver iterations was reached before the tolerance */
    AFX_STEP_INERTIA_FLOOR = 1 << 2,    /* a body has a floored moment of inertia (afx_model_body_floored) */
    AFX_STEP_ROTATION_RESCUED = 1 << 3, /* a badly strained or inverted body needed the robust rotation */
    AFX_STEP_FAILED = 1 << 4,           /* no finite, converged state: `body` names where; the state is as before */
    AFX_STEP_REGULARISED = 1 << 5,      /* redundant constraints share their load by a small compliance */
    AFX_STEP_SUBSTEPPED = 1 << 6,       /* the step was cut into sub-steps */
    AFX_STEP_IMPACT = 1 << 7,           /* a coordinate reached its limit and bounced or stopped */
    AFX_STEP_BROKEN = 1 << 8,           /* a joint broke and is switched off */
    AFX_STEP_ASSEMBLED = 1 << 9,      /* the start, or a posture that was set, violated constraints and was assembled */
    AFX_STEP_LOOSE = 1 << 10,         /* redundant constraints at a singular position hold only to `violation` */
    AFX_STEP_UNCONVERGED = 1 << 11,   /* AFX_SOLVER_GS reached its cap of sweeps: constraints hold to `violation` */
    AFX_STEP_CONTACT_ROUGH = 1 << 12, /* contact forces did not converge within the cap of solver iterations */
    AFX_STEP_ENERGY_ACCEPTED = 1 << 13, /* energy-based acceptance: rotation errors left hold next to no energy */
    AFX_STEP_CONTACT_DROPPED = 1 << 14, /* a body touches what is not solved for at more points than can carry load:
                                           64 constraint equations a body, 21 points with friction */
    AFX_STEP_SINGULAR_ANGLES = 1 << 15, /* drives act on angles of `joint` that are about to lose their meaning */
    AFX_STEP_ENERGY = 1 << 16,    /* an energy book is kept, and by it the integrator has made energy from nothing */
    AFX_STEP_TURNS_FAR = 1 << 17, /* with AFX_STEP_FAILED: `body` turns by more than 1 rad in a step: dt is too long */
    AFX_STEP_BLOCKED = 1 << 18,   /* with AFX_STEP_FAILED, barrier contact: what is told to move `body` is in the way of
                                     another, and can neither yield nor pass */
    AFX_STEP_INTERSECTS = 1 << 19, /* with AFX_STEP_FAILED, barrier contact: the state before the step intersects
                                      (afx_sim_intersections says where) */
    AFX_STEP_TURNS_FAST = 1 << 20, /* AFX_ALPHA went by BDF2 where bodies turn too far for it (docs/step.md) */
    AFX_STEP_EXPLICIT = 1 << 21,   /* AFX_AUTO: this step went by AFX_RK4 */
    AFX_STEP_HALVED = AFX_STEP_SUBSTEPPED,    /* deprecated name */
    AFX_STEP_LIGHT = AFX_STEP_ENERGY_ACCEPTED /* deprecated name */
} AfxStepFlag;

typedef enum AfxStage {
    AFX_STAGE_INPUT = 0, /* prescribed motion, wrenches */
    AFX_STAGE_START,     /* consistent accelerations at a (re)start */
    AFX_STAGE_CONTACT,   /* collision detection */
    AFX_STAGE_JOINTS,    /* islands: bodies that joints, contacts or holds act on */
    AFX_STAGE_FREE,      /* bodies that nothing holds or touches */
    AFX_STAGE_CHECK,     /* checks and roll-back */
    AFX_STAGE_COUNT
} AfxStage;

typedef struct AfxStepReport {
    uint32_t flags; /* AfxStepFlag bits */
    /* Of each union the second name is deprecated. */
    union {
        uint32_t iterations; /* solver iterations: the most that any body needed */
        uint32_t solves;
    };
    union {
        double iterations_mean; /* per moving body */
        double solves_mean;
    };
    double rotation_error; /* largest remaining rotation of a body away from its frame, rad */
    union {
        double violation; /* largest constraint violation of a joint, m or rad */
        double residual;
    };
    uint32_t contacts; /* contact points that push */
    union {
        double penetration; /* deepest, m */
        double depth;
    };
    uint32_t body; /* with AFX_STEP_FAILED: the body; else UINT32_MAX */
    uint64_t step; /* number of the step just tried, from 1 */
    double time;   /* after the step */
    double stage_seconds[AFX_STAGE_COUNT];
    uint32_t joint;    /* with AFX_STEP_SINGULAR_ANGLES: the joint; else UINT32_MAX */
    double gap_least;  /* barrier contact: least gap of two surfaces, m; infinite: none are near; else 0 */
    uint32_t ccd_cuts; /* ... solver iterations that collision detection cut short */
    uint32_t lags;     /* ... how often friction took new normal forces */
    uint32_t asleep;   /* bodies that sleep after the step */
} AfxStepReport;

/** Advances by dt. AFX_E_NUMERIC when the state would not be finite or the constraints cannot be met: the state before
 * the step is kept. AFX_E_INPUT: AFX_CONSERVING and its like, with a parameter that asks for what they cannot do.
 * AFX_E_MEMORY, AFX_E_LIMIT: too much for the contacts of a crowd (`body`); the step has not happened. Steps without
 * contact allocate nothing after the first ones; with it, memory grows with its points. out_report may be NULL. */
AFX_API AfxStatus afx_step(AfxSim *sim, AfxStepReport *out_report);
/** One step of each of `count` sims, with the bits of afx_step. Sims of one model in joint coordinates that are next to
 * each other go side by side in vector lanes (docs/reduced.md), each with parameters, input and contact of its own;
 * several threads can do so at once with sims of their own. Reports and statuses [count] may be NULL. A sim whose step
 * fails is as afx_step leaves it, and the others go on; the first status other than AFX_OK comes back. AFX_E_ARGUMENT
 * for a sim that is NULL or there twice. */
AFX_API AfxStatus afx_step_many(AfxSim *const *sims, uint32_t count, AfxStepReport *out_reports,
                                AfxStatus *out_statuses);

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
    double constraint; /* violation of an exact or compliant constraint: m, rad or 1 */
    double law;        /* force that is not that of its law, over the bodies' forces; coordinate beyond a limit */
    double friction;   /* the same for friction of contacts, whose limits a step follows only so far */
    uint32_t body;     /* of `force` */
    uint32_t constraint_index, law_index;
    uint32_t friction_body; /* one of the two */
    AfxElement constraint_element, law_element;
    uint32_t stages; /* that were evaluated */
    bool complete;   /* false: out of memory for some contacts */
} AfxResidual;

/** Evaluates the equations of every step from now on, or no longer. It takes memory, and a microsecond or two for a
 * body with its joints; nothing when off. AFX_E_ARGUMENT for formulations other than AFX_AFFIX. */
AFX_API AfxStatus afx_sim_set_verify(AfxSim *sim, bool on);
/** Of the last step. AFX_E_ARGUMENT when steps are not verified. */
AFX_API AfxStatus afx_sim_residual(const AfxSim *sim, AfxResidual *out_residual);

/** Simulated time, s. */
AFX_API double afx_sim_time(const AfxSim *sim);
/** Time step, s. */
AFX_API double afx_sim_dt(const AfxSim *sim);
/** The integrator that the sim was made with. */
AFX_API AfxIntegrator afx_sim_integrator(const AfxSim *sim);
/** Changes the step; a multistep method restarts and the next report says so. */
AFX_API AfxStatus afx_sim_set_dt(AfxSim *sim, double dt);
/** Vector lanes that the sim's kernels use: 1, 2, 4 or 8. Results do not depend on it. */
AFX_API uint32_t afx_sim_lanes(const AfxSim *sim);
/** The instruction set of the kernels: "base", "avx2" or "avx512". It is the processor's, or the lesser one that the
 * environment variable AFFIX_INSTRUCTION_SET names when the first sim of a process is made. Results depend on whether
 * there is fused multiply-add ("base" has none), in the last bits. */
AFX_API const char *afx_sim_instruction_set(const AfxSim *sim);
/** Threads that a step may use. Results do not depend on it. */
AFX_API uint32_t afx_sim_threads(const AfxSim *sim);

/* ---- state ---- */

/** Raw coordinates [bodies][12] at a stable address. */
AFX_API const double *afx_sim_coordinates(const AfxSim *sim);
/** Raw velocities [bodies][12] at a stable address. */
AFX_API const double *afx_sim_velocities(const AfxSim *sim);
/** Replaces raw coordinates and velocities ([bodies][12] each; either may be NULL to keep); a multistep method
 * restarts. */
AFX_API AfxStatus afx_sim_set_state(AfxSim *sim, const double *coordinates, const double *velocities);

/** Pose of a body's own frame in the world; of a strained body the rotation is the nearest one. */
AFX_API AfxStatus afx_sim_body_pose(const AfxSim *sim, uint32_t body, AfxPose *out_pose);
/** Places a body; its velocity stays. A multistep method restarts. */
AFX_API AfxStatus afx_sim_set_body_pose(AfxSim *sim, uint32_t body, AfxPose pose);
/** Poses of all bodies, [bodies]. */
AFX_API AfxStatus afx_sim_poses(const AfxSim *sim, AfxPose *out_poses);
/** Places all bodies, [bodies]. */
AFX_API AfxStatus afx_sim_set_poses(AfxSim *sim, const AfxPose *poses);
/** Velocity of a body's own frame: of its origin, and angular, world axes. */
AFX_API AfxStatus afx_sim_body_twist(const AfxSim *sim, uint32_t body, AfxTwist *out_twist);
/** Sets the velocity of a body; its pose stays. A multistep method restarts. */
AFX_API AfxStatus afx_sim_set_body_twist(AfxSim *sim, uint32_t body, AfxTwist twist);
/** Velocities of all bodies, [bodies]. */
AFX_API AfxStatus afx_sim_twists(const AfxSim *sim, AfxTwist *out_twists);
/** Sets the velocities of all bodies, [bodies]. A multistep method restarts. */
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
/** Reads wrench `wrench` of the scene as the sim has it now. */
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
 * solver's system, so any stiffness is stable at any step, and joint constraints stay exact: a mouse joint. A body has
 * one hold: calling again changes it, to move the target for example; where a step is cut into sub-steps, the target
 * moves evenly through them. AFX_E_LIMIT when
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
/** Reads item `index` of a parameter kind: the sim's own value, or the model's default. */
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
 * far as the joints allow) and closes loops. *out_residual (may be NULL) is the constraint violation that is
 * left; AFX_E_NUMERIC when loops cannot be closed. */
AFX_API AfxStatus afx_sim_set_joint_coordinates(AfxSim *sim, const double *values, double *out_residual);
/** Repairs positions and velocities that violate the joints by the least motion. A start that is off by more than
 * rounding is repaired by afx_sim_create already; the first report says so. */
AFX_API AfxStatus afx_sim_assemble(AfxSim *sim, double *out_residual);
/** A joint whose two frames do not meet: how far apart they are along what it holds. */
typedef struct AfxJointGap {
    uint32_t joint;
    double distance; /* m */
    double angle;    /* rad */
} AfxJointGap;

/** Number of joints that the start of the model violates by more than rounding, before afx_sim_create repaired it. */
AFX_API uint32_t afx_sim_start_gap_count(const AfxSim *sim);
/** Joint `index` of those, in the order of joints, as the model has it; AFX_E_ARGUMENT when out of range. */
AFX_API AfxStatus afx_sim_start_gap(const AfxSim *sim, uint32_t index, AfxJointGap *out_gap);
/** How far a joint is violated in the present state; 0 while it is switched off. */
AFX_API AfxStatus afx_sim_joint_gap(const AfxSim *sim, uint32_t joint, AfxJointGap *out_gap);
/** AFX_E_NUMERIC when joints are open in the present state, as they are after a start that could not be assembled: by
 * more than a millionth of the model's size where all bodies are exactly rigid (steps will fail), by more than a
 * thousandth where elastic ones would be strained until the joints meet. The error (which may be NULL) names the joint
 * that misses by most, and by how much. */
AFX_API AfxStatus afx_sim_check_joints(const AfxSim *sim, AfxError *out_error);
/** Before the first step: computes reactions, efforts and spring forces of the start, those of its consistent
 * accelerations with everything as it is now, contacts left out. Until the first step, or until the state is changed,
 * the queries below tell them; without this call they tell 0. Changes nothing of the motion, not even its last bits.
 * Allocates while it runs. After the first step it does nothing. */
AFX_API AfxStatus afx_sim_start_reactions(AfxSim *sim);
/** Force and torque that the joint puts on the follower, in the joint's axes as the base carries them, from the
 * multipliers of the last step. The torque is about the joint's point on the follower. */
AFX_API AfxStatus afx_sim_joint_reaction(const AfxSim *sim, uint32_t joint, AfxWrench *out_reaction);
/** Switches a joint on or off (weld, unweld). */
AFX_API AfxStatus afx_sim_set_joint_active(AfxSim *sim, uint32_t joint, bool active);
/** Whether a joint is switched on; a joint that broke is not. */
AFX_API bool afx_sim_joint_active(const AfxSim *sim, uint32_t joint);

/** Target and rate, at the end of the next step, of a drive that takes them from input; in between they are
 * interpolated from the last ones. A velocity drive's target is the velocity. */
AFX_API AfxStatus afx_sim_set_drive_target(AfxSim *sim, uint32_t drive, double value, double rate);
/** Torque that the spring of a ball joint put on the follower in the last step, in the joint's axes as the base carries
 * them. AFX_E_ARGUMENT for a joint without one. */
AFX_API AfxStatus afx_sim_joint_spring_torque(const AfxSim *sim, uint32_t joint, AfxVec3 *out_torque);
/** Force (N) or torque (Nm) that a drive put along its axis in the last step, positive where it pushes the coordinate
 * up.
 */
AFX_API AfxStatus afx_sim_drive_effort(const AfxSim *sim, uint32_t drive, double *out_effort);
/** Force of a spring between two points in the last step, damping included, N; positive when it pulls. */
AFX_API AfxStatus afx_sim_spring_force(const AfxSim *sim, uint32_t spring, double *out_force);

/* ---- queries ---- */

typedef struct AfxEnergy {
    double kinetic, potential, elastic, total; /* J; potential of gravity, zero at the origin */
} AfxEnergy;

/* Work in a step on the moving bodies, J: entry of AfxEnergyBook, what does it. */
#define AFX_ENERGY_WORK_TABLE(X)                                                           \
    X(position_drives, "drives that tell a position")                                      \
    X(velocity_drives, "drives that tell a velocity")                                      \
    X(force_drives, "drives that push with a force")                                       \
    X(servos, "servos")                                                                    \
    X(limits, "limits of joints")                                                          \
    X(joint_friction, "friction in joints")                                                \
    X(dampers, "dampers of springs, and the medium that bodies move in")                   \
    X(contact_normal, "normal forces of contacts, stored and dissipated together")         \
    X(contact_friction, "friction of contacts, rolling and torsional too")                 \
    X(impacts, "velocities that jump: bounces of contacts and limits")                     \
    X(holds, "points that are held")                                                       \
    X(wrenches, "wrenches of the scene and of bodies")                                     \
    X(kinematic, "kinematic bodies, through joints and contacts, and surfaces that drift") \
    X(integrator, "the integrator: what the others leave; dissipation where negative, gain where positive")

/** Where the energy went in a step, or since the book was opened. The works add up to `change`, by definition: the
 * integrator's is what the others leave over. Works are evaluated from the states and multipliers at the ends of a step
 * (docs/step.md#11-the-energy-book). */
typedef struct AfxEnergyBook {
    double kinetic, potential, elastic, springs; /* J, stored at the end; springs: of all kinds, compliant couplings too
                                                  */
    double change;                               /* of their sum */
#define AFX_ENERGY_WORK_FIELD(name, text) double name;
    AFX_ENERGY_WORK_TABLE(AFX_ENERGY_WORK_FIELD)
#undef AFX_ENERGY_WORK_FIELD
} AfxEnergyBook;

/** Keeps an energy book from now on, or no longer. While it is kept, AFX_STEP_ENERGY tells of steps by which the
 * integrator has made more than 5 % of the largest energy in motion, strain and springs so far, and of the work of all
 * else; what it dissipates in between counts against that. It takes memory, and less than a microsecond a body for each
 * step; nothing when off. AFX_E_ARGUMENT for formulations other than AFX_AFFIX, and for integrators that conserve. */
AFX_API AfxStatus afx_sim_set_energy_book(AfxSim *sim, bool on);
/** The book of the last step, and of all since it was opened (either may be NULL). A step that failed has works of 0.
 * What changes a state from outside is in neither. AFX_E_ARGUMENT when there is no book. */
AFX_API AfxStatus afx_sim_energy_book(const AfxSim *sim, AfxEnergyBook *out_step, AfxEnergyBook *out_total);

typedef struct AfxMomentum {
    double mass;
    AfxVec3 center;  /* centre of mass */
    AfxVec3 linear;  /* kg m/s */
    AfxVec3 angular; /* about the world's origin, kg m²/s */
} AfxMomentum;

/** Degrees of freedom (six for every moving body less the rank of the exact constraints' Jacobian) and redundant
 * constraints in the present state. AFX_E_LIMIT when there are loops and more than 2,500 constraint equations.
 * Allocates while it runs. */
AFX_API AfxStatus afx_sim_mobility(AfxSim *sim, int64_t *out_freedom, uint32_t *out_redundant);
/** Energy of the moving bodies. */
AFX_API AfxStatus afx_sim_energy(const AfxSim *sim, AfxEnergy *out_energy);
/** Momentum of the moving bodies. */
AFX_API AfxStatus afx_sim_momentum(const AfxSim *sim, AfxMomentum *out_momentum);

/* ---- contacts ---- */

/** A contact point of two bodies, at the end of the last step. */
typedef struct AfxContact {
    uint32_t body_a, body_b;   /* bodies; a is dynamic */
    uint32_t shape_a, shape_b; /* shapes of the model that can collide, in their order */
    AfxVec3 point;             /* on a, world */
    AfxVec3 normal;            /* unit, from b towards a */
    double depth;              /* penetration, m, positive where they overlap */
    double force;              /* N, that pushes a along the normal; 0: near, but no contact */
    AfxVec3 friction;          /* N, on a, in the plane of contact */
    AfxVec3 moment;            /* Nm, on a, of rolling and torsional friction */
    bool sliding;              /* friction is at its limit */
} AfxContact;

/** Number of contact points, those that are only near and carry no force included; 0 when contact is off. */
AFX_API uint32_t afx_sim_contact_count(const AfxSim *sim);
/** Contact point `index`; AFX_E_ARGUMENT when out of range. */
AFX_API AfxStatus afx_sim_contact(const AfxSim *sim, uint32_t index, AfxContact *out_contact);
/** Force and torque about its centre of mass that all contacts together put on a body, world axes. */
AFX_API AfxStatus afx_sim_body_contact(const AfxSim *sim, uint32_t body, AfxWrench *out_wrench);

/** Two bodies that lie in each other. */
typedef struct AfxOverlap {
    uint32_t body_a, body_b; /* a < b */
    double depth;            /* m, of the shapes that lie deepest */
} AfxOverlap;

/** Pairs of bodies that may collide and lie in each other in the present state by more than a thousandth of the radius
 * of the largest ball inside the smaller shape, by rising numbers: the first `capacity` of them go to out_overlaps
 * (which may be NULL for 0), and *out_count is how many there are. Changes nothing of the motion; may allocate. */
AFX_API AfxStatus afx_sim_overlaps(AfxSim *sim, AfxOverlap *out_overlaps, uint32_t capacity, uint32_t *out_count);

/** Bodies that touch each other, directly or through others, and are too many to be solved together. */
typedef struct AfxCrowd {
    uint32_t body;     /* of all of them the one that touches most others */
    uint32_t touching; /* pairs of shapes by which it does */
    uint32_t bodies;   /* all of them */
    double flops;      /* of a solver iteration: an estimate where bodies touch so many others that none was planned */
    double bytes;      /* that it would take; 0: not counted */
} AfxCrowd;

/** Why the last step was refused with AFX_E_LIMIT: what solving it would have taken more than AfxSimDef.flops_most or
 * bytes_most. bodies = 0: no step was, or the last one was not. */
AFX_API AfxStatus afx_sim_crowd(const AfxSim *sim, AfxCrowd *out_crowd);

/** Whether a body sleeps (AfxSimDef.sleep_speed): its velocity is 0, and the next step moves it only if something wakes
 * it. Contact points and forces of what sleeps are those of its last step awake. */
AFX_API bool afx_sim_asleep(const AfxSim *sim, uint32_t body);
/** Wakes a body and all that sleeps with it; UINT32_MAX: all bodies. Whatever sets input, parameters, forces, gravity,
 * holds or the state wakes what it concerns by itself. */
AFX_API AfxStatus afx_sim_wake(AfxSim *sim, uint32_t body);

/** Pairs of bodies that may collide and whose surfaces intersect in the present state, by rising numbers, as
 * afx_sim_overlaps tells them: a test of its own (sides of triangles through triangles, distances of what is round),
 * which shares nothing with what keeps barrier contact free of intersections. depth is that of round shapes and planes,
 * and 0 between others. AFX_E_ARGUMENT for sims without barrier contact. Changes nothing of the motion; allocates while
 * it runs. */
AFX_API AfxStatus afx_sim_intersections(AfxSim *sim, AfxOverlap *out_intersections, uint32_t capacity,
                                        uint32_t *out_count);

/* ---- snapshots ---- */

/** Bytes of a snapshot now: with contacts, they depend on how many points there are. */
AFX_API size_t afx_sim_snapshot_size(const AfxSim *sim);
/** Copies the state into buffer (at least afx_sim_snapshot_size bytes). */
AFX_API AfxStatus afx_sim_snapshot(const AfxSim *sim, void *buffer, size_t size);
/** Puts a snapshot back: the run then continues bit for bit as it did. AFX_E_VERSION when it is from another
 * model or integrator, AFX_E_INPUT when it holds what no step could have left: numbers that are not finite, flags that
 * there are not, shapes that there are not. What is refused changes nothing. */
AFX_API AfxStatus afx_sim_restore(AfxSim *sim, const void *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
