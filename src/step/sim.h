/* SPDX-License-Identifier: Apache-2.0 */
/* A sim: state (one block, a snapshot is a copy of it), workspace, and its own parameters where it has them. */
#ifndef AFXI_STEP_SIM_H
#define AFXI_STEP_SIM_H

#include "affix/sim.h"
#include "body/free.h"
#include "dual/chain.h"
#include "dual/motion.h"
#include "dual/system.h"
#include "formulation/published.h"
#include "model/model.h"

/* Bodies per task: small enough to share out, large enough to amortise the call. A multiple of every lane count. */
#define AFXI_GRAIN 1024u

/** Head of the state block; the arrays follow at fixed offsets. */
typedef struct AfxiStateHead {
    uint64_t magic, model_hash;
    uint32_t integrator;
    uint32_t has_history;    /* the multistep arrays belong to the current q, v */
    uint32_t shock;          /* steps that BDF1 still does after something struck */
    uint32_t contact_points; /* that a snapshot remembers after the state */
    double rho, dt;
    double base_time; /* time = base_time + base_steps dt */
    uint64_t base_steps, steps;
} AfxiStateHead;

/** Where a kinematic body is told to be by run-time input. */
typedef struct AfxiTarget {
    double q[12], v[12];             /* at the end of the next step */
    double begin_q[12], begin_v[12]; /* where it was at the beginning of this one */
    uint64_t active;
} AfxiTarget;

/** The bodies of the joint whose rows were looked at last. */
typedef struct AfxiRowCache {
    AfxiPairState state;
    uint32_t joint, place; /* UINT32_MAX: of none */
} AfxiRowCache;

/** What the jointed bodies of a sim need between prediction and acceptance; arrays are by body of the graph. */
typedef struct AfxiJointed {
    AfxiSystem system;
    AfxiMat3 *frame;            /* R_k */
    AfxVec3 *origin;            /* t_k */
    double *at;                 /* [bodies][12] where rows are linearised: (R_k, t_k) at first, then the last result */
    double *qhat, *qv, *target; /* [bodies][12] of the stage */
    double *next;               /* [bodies][12] the new q */
    double *gamma, *gamma_next; /* geometric stiffness used, and that of the new multipliers */
    double *stiffness;          /* [bodies][6] exact twist stiffness of the last multipliers */
    double *second;             /* [bodies][12] stiffness of closed bodies: AfxiBodiesWork */
    double *error, *excess;     /* [bodies] of closed ones: how far a solve may be off, and the energy of that */
    double *turned;             /* [bodies][3] w of the solve before */
    double *strain;             /* [bodies][9] that the last solve means */
    double *share;              /* [2 * bodies] sums by component */
    double *turn;               /* [bodies] |w| */
    double *held;               /* [bodies] what its springs hold a body by; for `held_scale` */
    double held_scale;
    double *kept;    /* [rows] multipliers that stay as they are while the rows are met; of limits, also rates */
    uint32_t *tied;  /* [bodies] a forest of those that joints hold together, when a limit is struck */
    uint8_t *jolted; /* [bodies] its roots whose velocities jump */
    double *base_acceleration; /* [rows] share of bodies that are not solved for in a row's acceleration, at a start */
    double *measured, *rate;   /* [rows] what each measures at delta = 0, and the constant part of its rate */
    double *shift;             /* [rows] change of each from the frames to where it was linearised */
    double *drive_target;      /* [drives][2] target and rate of the stage */
    uint8_t *changes;          /* [drives] of branch in this step */
    uint8_t *branch_begin;     /* [drives] branch at its beginning */
    double h_rate;             /* of the stage */
    AfxiRowCache *cache;       /* [1] */
    double *direction;         /* [rows][3] frozen directions of alignments */
    AfxiTurnEnds *turn_ends;   /* [springs of ball joints] */
    double *constants;         /* [classes][AFXI_CHAIN_SIZE] for `scale` */
    AfxiScale scale;
    AfxiMotion motion; /* of the stage, where its passes are wide */
    const AfxiMotionKernel *motion_kernel;
    double *turn_constants; /* [springs of ball joints][AFXI_TURN_CONSTANTS] */
    AfxiTurnKernel *turn_kernel;
    uint64_t iterations; /* of AFX_SOLVER_CG, or sweeps of AFX_SOLVER_GS, in all steps */
    bool rows_fresh;     /* constant numbers of closed joints' rows are in place */
    bool rates;          /* rates of plain joints' rows are wanted */
    bool starting;       /* rows are wanted for accelerations */
} AfxiJointed;

/** What decides whether the solves of a stage are enough. */
typedef struct AfxiSettling {
    double turn_tolerance, row_tolerance, row_tolerance_singular;
    double turn_near;                    /* error from which on it is enough to meet the rows */
    double turn_most;                    /* by which the last solve may turn a body */
    double turn_before, residual_before; /* of the last solve */
    bool turning;                        /* only turns that are not small yet speak against the last solve */
    bool unmet;                          /* the last solve would do but for its rows */
} AfxiSettling;

/** What the ball chains of a sim need during a stage. */
typedef struct AfxiChainWork {
    AfxiChainVariant variant;
    AfxiChainPiece *piece;  /* [spans] */
    AfxiSettling *settling; /* [chains] */
    AfxiChainGroup *group;  /* [group_count], at most spans */
    uint32_t group_count;
    void *scratch; /* [parts][scratch_size] */
    size_t scratch_size;
    double *constants;  /* [classes][AFXI_CHAIN_SIZE] */
    double *tentative;  /* [bodies][12] results of stages that are not done in place */
    bool ready;         /* the pieces are condensed for the step that comes ... */
    uint64_t ready_for; /* ... if it is of this kind: a hash of all that goes into it but the state */
} AfxiChainWork;

/** Run-time input and parameters a sim may own; each part is NULL until it is first set. */
typedef struct AfxiOwn {
    double *params; /* laid out as the model's */
    AfxiClasses classes;
    double *constants, *chain_constants, *jointed_constants;
    void *raw;
    size_t raw_size;
} AfxiOwn;

struct AfxSim {
    const AfxModel *model;
    AfxSimDef def;
    AfxiFreeVariant variant;
    void *raw;
    size_t raw_size;

    AfxiStateHead *state;
    size_t state_size;
    double *q, *v;                   /* [bodies][12] */
    double *x2, *x3;                 /* [bodies][12] history: previous q, v; generalised-α: a and q'' */
    double *previous_q, *previous_v; /* [bodies][12] state before the step: x2, x3, or apart for generalised-α */
    AfxiTarget *targets;             /* [kinematic] */
    double *home_x2, *home_x3; /* where x2, x3 stand in the state block; they change places with saved_q, saved_v */
    double *lambda;            /* [rows], then [slots][3] of ball chains: multipliers of the last step */
    double *home_lambda;       /* where they stand in the state block; they change places with those of the solver */
    double *angle;             /* [coordinates] joint coordinates, turns counted */
    uint8_t *joint_active;     /* [joints] */
    uint8_t *drive_branch;     /* [drives] AfxiBranch */
    uint8_t *curved;           /* [bodies of the graph], then [links]: predicted along a parabola */
    uint8_t *regularise;       /* redundant rows were met in a step */
    double *drive_travel;      /* [drives] position that a velocity drive has reached */
    double *drive_input;       /* [drives][4] target and rate at the beginning and the end of the step */
    AfxiJointed jointed;
    AfxiChainWork chains;
    struct AfxiContactWork *contacts; /* NULL: nothing can touch */
    struct AfxiHolds *holds;          /* NULL: nothing has been held yet */
    struct AfxiBeside *graded;        /* NULL: the graph of the model has what is needed */
    uint32_t joints_off;              /* joints that are switched off */
    bool breakable;                   /* a breaking load was set on this sim */
    AfxiPublished *published;         /* NULL: our own formulation */

    const double *params; /* the model's or own */
    const AfxiClasses *classes;
    double *constants; /* [classes][AFXI_FREE_SIZE] for `scale` */
    AfxiScale scale;   /* {0, 0}: not yet computed */
    bool damped, rods, classes_stale, assembled;
    AfxiOwn own;

    double *saved_q, *saved_v; /* [bodies][12] state before the step while it is cut into smaller ones, and while it is
                                  done where it would be lost; NULL: no joints */

    uint32_t *plain, *forced; /* moving bodies without joints, without and with forces */
    uint32_t plain_count, forced_count;
    uint32_t *force_slot;  /* [bodies] place in forces, or UINT32_MAX */
    AfxiFreeForce *forces; /* [force_count] first those of `forced`, in its order */
    uint32_t force_count;
    AfxWrench *body_wrenches; /* [bodies], or NULL */
    size_t body_wrench_bytes, force_bytes;
    AfxiFreeOutcome *outcomes; /* [parts] */
};

/** One solve of an integrator's step. */
typedef struct AfxiStagePlan {
    AfxiStageWeights weights;
    AfxiFreeMode mode;
    double fraction; /* of dt, where the stage ends */
    double predict;  /* s, from the state in q, v to the stage's end */
} AfxiStagePlan;

/** Number of stages of a step. */
uint32_t afxi_integrator_stages(AfxIntegrator integrator);
/** Whether the method needs accelerations or history at its start. */
bool afxi_integrator_has_history(AfxIntegrator integrator);
/** Stage `stage` of a step; `starting` when there is no history yet. */
AfxiStagePlan afxi_integrator_plan(AfxIntegrator integrator, double rho, double dt, uint32_t stage, bool starting);
/** A first step that needs no accelerations, for forces too stiff for those: BDF1, which leaves what a method with
 * history goes on with. Of one step, its first order costs nothing. */
AfxiStagePlan afxi_integrator_plan_gentle(AfxIntegrator integrator, double dt);

/** Bodies of the joint graph: workspace in an arena (both passes). */
void afxi_jointed_take(AfxSim *sim, AfxiArena *arena);
/** Consistent accelerations and multipliers of the jointed bodies. */
void afxi_jointed_start(AfxSim *sim);

/** What came of the solves of one stage. */
typedef struct AfxiJointedOutcome {
    uint32_t solves;
    uint64_t body_solves; /* summed over bodies */
    double rotation_error, residual;
    bool accepted, finite, regularised, loose, light, unconverged;
    bool strayed; /* bodies came to lie elsewhere than expected: points of touch must be looked for there */
    uint32_t failed_body;
} AfxiJointedOutcome;

AfxiSettling afxi_settling_begin(const AfxSim *sim, double h_squared);
/** Whether solve number `solve` is enough, by the largest first-solve error, rotation and row residual of the bodies.
 */
bool afxi_settling_done(AfxiSettling *settling, uint32_t solve, double first_error, double turn, double residual,
                        bool jump);
/** Whether a row residual must be reported. */
bool afxi_settling_loose(const AfxSim *sim, double residual);

/** qhat and qv of a body in a stage. */
void afxi_stage_past(const AfxSim *sim, const AfxiStagePlan *plan, uint32_t body, double qhat[12], double qv[12]);
/** A matrix whose rotation is the one nearest to the target in the metric of the mass: for a rigid body that nothing
 * touches one solve from there is exact. Thin bodies get `predicted`. */
AfxiMat3 afxi_free_frame(const AfxiBodyClass *class, const double *target, const AfxiMat3 *predicted);
/** Puts the accepted result of a stage into the state. */
void afxi_commit_body(AfxSim *sim, const AfxiStagePlan *plan, uint32_t body, const double next[12],
                      const double qhat[12], const double qv[12]);
/** Ball chains: workspace in an arena (both passes). */
void afxi_chains_take(AfxSim *sim, AfxiArena *arena);

/** How well the points of a stage fit to where a solve put the bodies. */
typedef enum AfxiFit {
    AFXI_FIT,         /* to what is found there */
    AFXI_FIT_STRAYED, /* others are found there */
    AFXI_FIT_SUNK     /* and shapes lie too deep, and deeper than before */
} AfxiFit;

/** Solves one stage of the jointed bodies; the state changes only when it is accepted. Where points of touch fit worse
 * than `allowed`, it asks for them to be looked for again, and then has changed nothing. */
void afxi_jointed_stage(AfxSim *sim, const AfxiStagePlan *plan, AfxiFit allowed, AfxiJointedOutcome *out);

/** Consistent accelerations into x2 (and x3 for generalised-α). */
void afxi_start(AfxSim *sim);
/** Marks where kinematic bodies are at the beginning of a step. */
void afxi_input_begin(AfxSim *sim);
/** Moves kinematic bodies to `fraction` of the step. With `keep`, where they were goes into previous_q, previous_v. */
void afxi_input_kinematic(AfxSim *sim, double fraction, bool keep);
/** Second derivative of a kinematic body's raw coordinates at the present time; 0 where run-time targets lead it. */
void afxi_input_acceleration(const AfxSim *sim, uint32_t body, double out[12]);
/** Lists bodies with and without forces, and makes room for the forces. The sim is unchanged on failure. */
AfxStatus afxi_input_lists(AfxSim *sim, bool all_forced);
/** Fills the forces from wrenches. */
void afxi_input_forces(AfxSim *sim);
/** Interns the classes anew when parameters changed. */
void afxi_classes_refresh(AfxSim *sim);
/** Makes sure that the constants fit the classes and the scale. */
void afxi_constants_refresh(AfxSim *sim, AfxiScale scale);
/** x2, x3 change places with saved_q, saved_v, which hold the state before the step: it becomes the history. */
void afxi_history_swap(AfxSim *sim);
/** The solver's multipliers become those of the state, and the other way round. */
void afxi_multipliers_swap(AfxSim *sim);
/** The history no longer belongs to the state. */
void afxi_history_drop(AfxSim *sim);
/** Class of a body. */
const AfxiBodyClass *afxi_sim_class(const AfxSim *sim, uint32_t body);

/** Both bodies of a joint at the present state. */
AfxiPairState afxi_joint_state(const AfxSim *sim, uint32_t joint);
const AfxiJointFrame *afxi_joint_frame(const AfxSim *sim, uint32_t joint);
/** Counts the turns of all joint angles on from the last state. */
void afxi_angles_follow(AfxSim *sim);

/** Pose and twist of the body's own frame to raw coordinates and back. */
void afxi_raw_from_pose(const AfxiFrame *frame, AfxPose pose, AfxTwist twist, double *out_q, double *out_v);
/** Finite, and the rotation of unit length within 1e-3. */
bool afxi_pose_valid(AfxPose pose);
AfxPose afxi_pose_from_raw(const AfxiFrame *frame, const double *q);
AfxTwist afxi_twist_from_raw(const AfxiFrame *frame, const double *q, const double *v);

#endif
