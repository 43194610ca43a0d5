/* SPDX-License-Identifier: Apache-2.0 */
/* affix/grad.h: exact derivatives of what a sim comes to, by its parameters, its start and its inputs
 * (docs/gradients.md). Steps are recorded while they are made; then one backward pass gives the derivatives of any sum
 * of quantities by everything, one tangent pass those of everything along a direction. */
#ifndef AFFIX_GRAD_H
#define AFFIX_GRAD_H

#include "affix/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Recorded steps of a sim. */
typedef struct AfxGrad AfxGrad;

typedef struct AfxGradDef {
    uint32_t cookie;
    AfxError
        *error; /* where calls say what cannot be differentiated, and why; may be NULL. It must outlive the AfxGrad */
    uint32_t keep;      /* steps whose solves are kept at once; 0: all. With less than all, passes make the others again
                           from snapshots, to the same bits: less memory, and one or two more runs */
    uint32_t snapshots; /* with `keep`: how many snapshots of the run are kept, at least 2; what lies between two is
                           halved again and again until it is no longer than `keep` */
    bool frames;        /* derivatives by the frames of joints as well (afx_grad_frames); passes take longer */
} AfxGradDef;

/** What can be asked for by name: kind, name, components. */
#define AFX_QUANTITY_TABLE(X)                      \
    X(AFX_QUANTITY_MARKER, "marker", 3)            \
    X(AFX_QUANTITY_MARKER_VELOCITY, "velocity", 3) \
    X(AFX_QUANTITY_JOINT, "joint", 6)              \
    X(AFX_QUANTITY_RATE, "rate", 6)                \
    X(AFX_QUANTITY_REACTION, "reaction", 6)        \
    X(AFX_QUANTITY_EFFORT, "effort", 1)            \
    X(AFX_QUANTITY_SPRING, "spring", 1)            \
    X(AFX_QUANTITY_ENERGY, "energy", 4)

typedef enum AfxQuantityKind {
#define AFX_QUANTITY_ENUM(kind, name, size) kind,
    AFX_QUANTITY_TABLE(AFX_QUANTITY_ENUM)
#undef AFX_QUANTITY_ENUM
        AFX_QUANTITY_KIND_COUNT
} AfxQuantityKind;

/** A number that a sim tells. Component: of a marker x, y, z in the world; of a joint its free axis (value or rate); of
 * a reaction force x, y, z, then torque, as afx_sim_joint_reaction has them; of energy total, kinetic, potential,
 * elastic. Index: the marker, joint, drive (effort) or spring; energy has none. */
typedef struct AfxQuantity {
    AfxQuantityKind kind;
    uint32_t index;
    uint32_t component;
} AfxQuantity;

/** How good the last pass was. */
typedef struct AfxGradReport {
    uint64_t steps;    /* recorded */
    uint64_t entries;  /* solves that were differentiated: stages, sub-steps, starts */
    double residual;   /* largest that was left of a right-hand side, over its size */
    uint64_t doubtful; /* entries with more than 1e-9 left: rows that contradict each other, a singular position, or an
                          objective by multipliers of redundant constraints, which are not unique */
    uint64_t branches; /* changes of branch between steps (limits, saturated drives, friction): derivatives are those of
                          the branches that the steps were on */
} AfxGradReport;

/** Without an error to write to; all steps are kept, or 64 snapshots. */
AFX_API AfxGradDef afx_default_grad(void);
/** Records the steps of a sim from now on: only those made with afx_grad_step. The sim must have been made with
 * AFX_CONVERGED and stay as long; its parameters must not change meanwhile. AFX_E_INPUT: it has something that cannot
 * be differentiated, which the error names with the cure. */
AFX_API AfxStatus afx_grad_create(AfxSim *sim, const AfxGradDef *def, AfxGrad **out_grad);
/** Ends recording and frees what was recorded. NULL is allowed. */
AFX_API void afx_grad_destroy(AfxGrad *grad);
/** A step of the sim, recorded. AFX_E_INPUT: something happened in it that cannot be differentiated (the error names
 * it); the step was made but recording has ended. Otherwise as afx_step. out_report may be NULL. */
AFX_API AfxStatus afx_grad_step(AfxGrad *grad, AfxStepReport *out_report);
/** Number of steps that were recorded. */
AFX_API uint64_t afx_grad_steps(const AfxGrad *grad);

/** The value of a quantity in the present state of the sim. AFX_E_ARGUMENT when there is none such. */
AFX_API AfxStatus afx_grad_value(AfxGrad *grad, AfxQuantity quantity, double *out_value);
/** Adds `weight` times a quantity, as it is now (after the last recorded step), to the objective. To sum over time,
 * call it between steps. */
AFX_API AfxStatus afx_grad_seed(AfxGrad *grad, AfxQuantity quantity, double weight);
/** The same with derivatives of an objective of your own by raw coordinates and velocities [bodies][12] now; either may
 * be NULL. */
AFX_API AfxStatus afx_grad_seed_state(AfxGrad *grad, const double *coordinates, const double *velocities);
/** Forgets the objective. Recorded steps stay. */
AFX_API void afx_grad_clear(AfxGrad *grad);

/** Derivatives of the objective by everything, from the last step to the first. */
AFX_API AfxStatus afx_grad_backward(AfxGrad *grad);
/** By the parameters: laid out as the registry (afx_model_params); NULL before a backward pass. */
AFX_API const double *afx_grad_params(const AfxGrad *grad);
/** By the frames of joints in their bodies, [joints][2][6]: base_frame, then follower_frame, by a small turn of its
 * axes (rad, about the axes of the body, the frame's origin stays) and by a shift of its origin (m, along the axes of
 * the body; of the world, along its own). A change of one frame alone opens the joint at the start, which then moves:
 * it is changes of both, or with the start, that mean something. NULL before a backward pass, and where
 * AfxGradDef.frames was not set. */
AFX_API const double *afx_grad_frames(const AfxGrad *grad);
/** By raw coordinates and velocities [bodies][12] where recording began (either output may be NULL). Of a rigid body
 * only changes that keep it rigid mean anything, of joints only those that keep them closed. */
AFX_API AfxStatus afx_grad_state(const AfxGrad *grad, const double **out_coordinates, const double **out_velocities);
/** By a constant that is added to the targets of drives, and to their rates: [drives][2]. */
AFX_API const double *afx_grad_targets(const AfxGrad *grad);
/** By what afx_sim_set_drive_target told before step `step` (from 0): [drives][2]. Zero for drives that do not take
 * their targets from input. */
AFX_API const double *afx_grad_inputs(const AfxGrad *grad, uint64_t step);
/** By run-time wrenches (afx_sim_set_body_wrenches) before step `step`: [bodies][6], force first. NULL where there were
 * none. */
AFX_API const double *afx_grad_wrenches(const AfxGrad *grad, uint64_t step);

/** Derivatives of the state after the last step along a direction: changes of parameters [registry], of coordinates
 * and velocities [bodies][12] where recording began, each of which may be NULL for none. Outputs [bodies][12] may be
 * NULL. */
AFX_API AfxStatus afx_grad_tangent(AfxGrad *grad, const double *params, const double *coordinates,
                                   const double *velocities, double *out_coordinates, double *out_velocities);
/** The last step as a linear map: A [24 bodies][24 bodies] of raw coordinates and velocities after it by those before
 * it, B [24 bodies][2 drives] by targets and rates, both row by row; either may be NULL. What the method remembers
 * besides (history) is kept as it was. */
AFX_API AfxStatus afx_grad_jacobian(AfxGrad *grad, double *out_a, double *out_b);
/** How good the last pass was. */
AFX_API AfxStatus afx_grad_report(const AfxGrad *grad, AfxGradReport *out_report);

#ifdef __cplusplus
}
#endif
#endif
