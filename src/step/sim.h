/* SPDX-License-Identifier: Apache-2.0 */
/* A sim: state (one block, a snapshot is a copy of it), workspace, and its own parameters where it has them. */
#ifndef AFXI_STEP_SIM_H
#define AFXI_STEP_SIM_H

#include "affix/sim.h"
#include "body/free.h"
#include "model/model.h"

/* Bodies per task: small enough to share out, large enough to amortise the call. A multiple of every lane count. */
#define AFXI_GRAIN 1024u

/** Head of the state block; the arrays follow at fixed offsets. */
typedef struct AfxiStateHead {
    uint64_t magic, model_hash;
    uint32_t integrator;
    uint32_t has_history; /* the multistep arrays belong to the current q, v */
    double rho, dt;
    double base_time; /* time = base_time + base_steps dt */
    uint64_t base_steps, steps;
} AfxiStateHead;

/** Where a kinematic body is told to be by run-time input. */
typedef struct AfxiTarget {
    double q[12], v[12]; /* at the end of the next step */
    uint64_t active;
} AfxiTarget;

/** Run-time input and parameters a sim may own; each part is NULL until it is first set. */
typedef struct AfxiOwn {
    double *params; /* laid out as the model's */
    AfxiClasses classes;
    double *constants;
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

    const double *params; /* the model's or own */
    const AfxiClasses *classes;
    double *constants; /* [classes][AFXI_FREE_SIZE] for `scale` */
    AfxiScale scale;   /* {0, 0}: not yet computed */
    bool damped, classes_stale;
    AfxiOwn own;

    uint32_t *plain, *forced; /* dynamic bodies without and with forces */
    uint32_t plain_count, forced_count;
    AfxiFreeForce *forces;    /* [forced_count] */
    AfxWrench *body_wrenches; /* [bodies], or NULL */
    size_t body_wrench_bytes, force_bytes;
    AfxiFreeOutcome *outcomes; /* [parts] */
};

/** One solve of an integrator's step. */
typedef struct AfxiStagePlan {
    AfxiStageWeights weights;
    AfxiFreeMode mode;
    double fraction; /* of dt, where the stage ends */
} AfxiStagePlan;

/** Number of stages of a step. */
uint32_t afxi_integrator_stages(AfxIntegrator integrator);
/** Whether the method needs accelerations or history at its start. */
bool afxi_integrator_has_history(AfxIntegrator integrator);
/** Stage `stage` of a step; `starting` when there is no history yet. */
AfxiStagePlan afxi_integrator_plan(AfxIntegrator integrator, double rho, double dt, uint32_t stage, bool starting);

/** Consistent accelerations into x2 (and x3 for generalised-α). */
void afxi_start(AfxSim *sim);
/** Moves kinematic bodies to `fraction` of the coming step; `last` when that is its end. */
void afxi_input_kinematic(AfxSim *sim, double fraction, bool last);
/** Lists bodies with and without forces and fills the forces from wrenches. */
AfxStatus afxi_input_forces(AfxSim *sim);
/** Interns the classes anew when parameters changed. */
void afxi_classes_refresh(AfxSim *sim);
/** Makes sure that the constants fit the classes and the scale. */
void afxi_constants_refresh(AfxSim *sim, AfxiScale scale);
/** The history no longer belongs to the state. */
void afxi_history_drop(AfxSim *sim);
/** Class of a body. */
const AfxiBodyClass *afxi_sim_class(const AfxSim *sim, uint32_t body);

/** Pose and twist of the body's own frame to raw coordinates and back. */
void afxi_raw_from_pose(const AfxiFrame *frame, AfxPose pose, AfxTwist twist, double *out_q, double *out_v);
AfxPose afxi_pose_from_raw(const AfxiFrame *frame, const double *q);
AfxTwist afxi_twist_from_raw(const AfxiFrame *frame, const double *q, const double *v);

#endif
