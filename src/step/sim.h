/* SPDX-License-Identifier: Apache-2.0 */
/* A sim: its world (state, input, parameters), what solves it, and its own parameters where it has them. Only this room
 * knows it: all others are given what they need. */
#ifndef AFXI_STEP_SIM_H
#define AFXI_STEP_SIM_H

#include "affix/sim.h"
#include "formulation/formulation.h"
#include "solve/solver.h"

#define AFXI_STATE_MAGIC UINT64_C(0x35656d7473786661) /* layout version of the state block */

/** Parameters a sim may own; each part is NULL until it is first set. */
typedef struct AfxiOwn {
    double *params; /* laid out as the model's */
    AfxiClasses classes;
    AfxiClassTable table;
    void *raw;
    size_t raw_size;
} AfxiOwn;

struct AfxSim {
    const AfxModel *model;
    AfxSimDef def;
    AfxiWorld world;
    AfxiSolver solver;
    const AfxiFormulationKind *formulation;
    char reason[384];          /* why AFX_CHOOSE has taken it; empty: it was asked for */
    void *work;                /* of the formulation */
    struct AfxiVerify *verify; /* NULL: steps are not verified */
    bool changed_method;       /* in the last step a component began to go by another method (state/turning.h) */
    bool settled;              /* the last step began by putting a posture right that was set */
    const struct AfxiStageWatch *watch; /* NULL: nobody else looks at stages (step/verify.h) */
    struct AfxiBook *book;              /* NULL: no energy book is kept */
    struct AfxiPathWork *paths;         /* NULL: no coupling has a path */
    struct AfxiCast *eyes;              /* NULL: no sensor casts a ray */
    struct AfxiWeights *weights;        /* NULL: multipliers come as the solver leaves them */
    struct AfxiDynamics *dynamics;      /* of queries in joint coordinates; NULL: none has been asked */
    AfxiOwn own;
    uint8_t *late; /* [bodies] are done in smaller steps than others */
    uint32_t
        *group;     /* [bodies] in a step that is done in parts: first component of what the whole step held together */
    uint8_t *waits; /* [bodies] did not settle in the whole step: whether they were done in smaller ones since */
    void *before;   /* the state block at the beginning of the step, where one may be refused; NULL: nothing can touch,
                       and nothing is held */
    size_t body_wrench_bytes;
    AfxWrench *wrenches_given; /* [bodies] from outside; NULL: no control adheres, and they are world.body_wrenches */
    double *saved_apart;       /* saved_q, saved_v, saved_rest of a sim that had none; NULL: they are in its block */
    void *before_apart;        /* the same for `before` */
    AfxiPointList still;       /* contacts of bodies that sleep, as they were when these fell asleep */
    AfxiPointList told; /* while a step runs, the contacts of the one before it: they are told again if it fails */
    double depth;       /* deepest contact after the last step, m */
    bool breakable;     /* a breaking load was set on this sim */
    bool classes_stale, assembled;
    bool stepping;          /* a step of it is under way in afx_step_many */
    AfxJointGap *start_gap; /* [start_gap_count] joints that the start violated before it was repaired */
    uint32_t start_gap_count, start_gap_capacity;
    double *start_lambda; /* multipliers of the start, laid out as those of the state; NULL: not asked for, or past */
    void *raw;
    size_t raw_size;
};

/** The default formulation: co-rotated affine bodies, which the solver solves (step.c). `work` is the sim. */
extern const AfxiFormulationKind afxi_formulation_affine;
/** As afx_sim_create, with a formulation that need not be one of the table. */
AfxStatus afxi_sim_create(const AfxModel *model, const AfxSimDef *def, const AfxiFormulationKind *formulation,
                          AfxSim **out_sim);
/** Whether the history of links is blank: it is not touched before their first step writes it, which is memory, and
 * time to get it. */
static inline bool sim_blank_history(const AfxSim *sim) {
    return sim->model->chains.link_count && sim->def.integrator != AFX_ALPHA && !sim->world.state.head->has_history;
}

/** Whether the formulation of a sim can do something: AFXI_FORMULATION_... */
static inline bool sim_can(const AfxSim *sim, uint32_t what) {
    return (sim->formulation->can & what) == what;
}

/** The multipliers that queries tell: those of the last step, or of the start. */
static inline const double *afxi_shown_multipliers(const AfxSim *sim) {
    return sim->start_lambda && sim->world.state.head->steps == 0 ? sim->start_lambda : sim->world.state.lambda;
}

/** Copies the state block, with the history in its place there. */
void afxi_sim_keep(const AfxSim *sim, void *to);
/** Makes such a copy the state again. */
void afxi_sim_bring_back(AfxSim *sim, const void *from);
/** Bytes of saved_q, saved_v and saved_rest of the state. */
size_t afxi_sim_saved_size(const AfxSim *sim);
/** Forgets what was made from a state that has been replaced by another one. */
void afxi_sim_replaced(AfxSim *sim);

#endif
