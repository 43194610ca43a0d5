/* SPDX-License-Identifier: Apache-2.0 */
/* affix/sim.h: a running simulation of a model: state, workspace, its own parameters; the step; queries.
 *
 * Raw coordinates of a body are q = (A, t), 12 doubles: the columns of A, then t. They map a point x of the
 * body's *principal* frame (afx_model_body_frame) to A x + t in the world. Poses and velocities are those of
 * the body's own frame. */
#ifndef AFFIX_SIM_H
#define AFFIX_SIM_H

#include "affix/params.h"

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

typedef struct AfxSimDef {
    uint32_t cookie;
    AfxAllocator allocator;
    double dt;                /* s, default 0.01 */
    AfxIntegrator integrator; /* default AFX_BDF2 */
    double rho;               /* AFX_ALPHA: spectral radius in [0, 1], default 0.8 */
    AfxAccuracy accuracy;
    uint32_t solves;  /* 0: as accuracy says; else exactly this many per step */
    uint32_t threads; /* 0 or 1: the calling thread only */
    AfxTasks tasks;   /* run == NULL: the library's own threads */
    uint32_t lanes;   /* 0: the widest of this machine; 1, 2, 4, 8 */
} AfxSimDef;

AFX_API AfxSimDef afx_default_sim(void);
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
    AFX_STEP_FAILED = 1 << 4            /* not finite: `body` names where; the state before the step was kept */
} AfxStepFlag;

typedef enum AfxStage {
    AFX_STAGE_INPUT = 0, /* prescribed motion, wrenches */
    AFX_STAGE_START,     /* consistent accelerations at a (re)start */
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
    uint32_t body;         /* with AFX_STEP_FAILED: the body; else UINT32_MAX */
    uint64_t step;         /* number of the step just tried, from 1 */
    double time;           /* after the step */
    double stage_seconds[AFX_STAGE_COUNT];
} AfxStepReport;

/** Advances by dt. AFX_E_NUMERIC when the state would not be finite: the state before the step is kept. Neither
 * allocates nor frees. out_report may be NULL. */
AFX_API AfxStatus afx_step(AfxSim *sim, AfxStepReport *out_report);

AFX_API double afx_sim_time(const AfxSim *sim);
AFX_API double afx_sim_dt(const AfxSim *sim);
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

/* ---- inputs ---- */

/** Replaces wrench `wrench` of the scene, in its own frame. */
AFX_API AfxStatus afx_sim_set_wrench(AfxSim *sim, uint32_t wrench, AfxWrench value);
AFX_API AfxStatus afx_sim_wrench(const AfxSim *sim, uint32_t wrench, AfxWrench *out_value);
/** Run-time forces and torques about the centres of mass, world axes, [bodies]; NULL removes them. */
AFX_API AfxStatus afx_sim_set_body_wrenches(AfxSim *sim, const AfxWrench *wrenches);
/** Where a kinematic body is to be at the end of the next step, and its velocity there. Overrides its motion
 * from then on; the target holds until it is set again. */
AFX_API AfxStatus afx_sim_set_body_target(AfxSim *sim, uint32_t body, AfxPose pose, AfxTwist twist);
/** Sets item `index` of a parameter kind; checked at once. */
AFX_API AfxStatus afx_sim_set_param(AfxSim *sim, AfxParamKind kind, uint32_t index, const double *values);
AFX_API AfxStatus afx_sim_param(const AfxSim *sim, AfxParamKind kind, uint32_t index, double *out_values);

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

/** Energy of the moving bodies. */
AFX_API AfxStatus afx_sim_energy(const AfxSim *sim, AfxEnergy *out_energy);
/** Momentum of the moving bodies. */
AFX_API AfxStatus afx_sim_momentum(const AfxSim *sim, AfxMomentum *out_momentum);

/* ---- snapshots ---- */

/** Bytes of a snapshot. */
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
