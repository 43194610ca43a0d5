/* SPDX-License-Identifier: Apache-2.0 */
/* The table of formulations: what a step solves. A sim has one, chosen when it is made, and afx_step calls it.
 *
 * All formulations share the model, the parameters, the input and the public state: raw q and v, [bodies][12], from
 * which poses, twists, markers, joint coordinates and contact shapes are told. A step leaves them there whatever its
 * own coordinates are; x2 and x3, of the same size, are its own, and so are `state_size` bytes more. All of that is in
 * a snapshot. Where q or v are edited, `refresh` is called, and the next step goes on from the raw state. */
#ifndef AFXI_FORMULATION_FORMULATION_H
#define AFXI_FORMULATION_FORMULATION_H

#include "state/world.h"

struct AfxiCollide;

/* What a formulation can do at run time; whoever asks for more gets AFX_E_ARGUMENT. */
enum {
    AFXI_FORMULATION_HOLDS = 1 << 0,    /* points that are held */
    AFXI_FORMULATION_WRENCHES = 1 << 1, /* wrenches on bodies */
    AFXI_FORMULATION_SWITCHES = 1 << 2, /* joints that are switched off */
    AFXI_FORMULATION_VERIFIED = 1 << 3, /* the oracle (solve/residual.h) evaluates its equations */
};

typedef struct AfxiFormulationKind {
    const char *name;
    uint32_t can;
    /** What it cannot do of a model, by name: AFX_E_INPUT or AFX_E_LIMIT, with the reason in def->error. NULL: all. */
    AfxStatus (*refuse)(const AfxModel *model, const AfxSimDef *def);
    /** Bytes of state of its own, at state.own, zero at first. NULL: none. */
    size_t (*state_size)(const AfxModel *model);
    /** Its workspace for a sim whose world has model and definition, but no state yet. `owner` is the sim, for a
     * formulation that step/ itself implements. On failure there is nothing to destroy, and world->def.error says why.
     */
    AfxStatus (*create)(void *owner, AfxiWorld *world, void **out_work);
    /** Where contact points of the sim are found, once there is a state; NULL: nothing can touch. NULL: it does not
     * ask. */
    AfxStatus (*attach)(void *work, struct AfxiCollide *collide);
    /** `work` may be NULL. */
    void (*destroy)(void *work);
    /** Parameters, dt or the state were edited: nothing that is kept from earlier steps fits. */
    void (*refresh)(void *work);
    /** One step of length dt: q, v and what belongs to them move on, or are put back. The report has the step's number
     * and flags that all share; solves, residual, seconds and where it failed are added. */
    AfxStatus (*step)(void *work, AfxStepReport *report);
    /** One step of each of several sims, of any models; each has the bits of `step`. NULL: they go one by one. */
    void (*step_many)(void *const *works, uint32_t count, AfxStepReport *const *reports, AfxStatus *out_statuses);
    /** The load that a joint carries, as afx_sim_joint_reaction tells it. NULL: it is not known. */
    void (*reaction)(const void *work, uint32_t joint, AfxWrench *out_reaction);
    /** As afx_sim_intersections. NULL: not known. */
    AfxStatus (*intersections)(void *work, AfxOverlap *out_intersections, uint32_t capacity, uint32_t *out_count);
    /** Contacts of its own, as afx_sim_contact tells them. NULL: those of the solver. */
    uint32_t (*contact_count)(const void *work);
    void (*contact)(const void *work, uint32_t index, AfxContact *out_contact);
} AfxiFormulationKind;

/** The published ones, for comparison (published.h). */
extern const AfxiFormulationKind afxi_formulation_mabd_paper, afxi_formulation_mabd_paper_nopolar,
    afxi_formulation_abd_vanilla;

#endif
