/* SPDX-License-Identifier: Apache-2.0 */
/* The degrees of freedom that users see, and those of the trees. Users see the generalised velocities of the model
 * (qvel) in their order, and behind them what these do not tell; not the blocks that tendons move, which hang on
 * nothing else and stand still here. With u of the tree and w of the users, u = T w,   u' = T w' + T' w,   forces of
 * users = T^T forces of the tree, where T has blocks of one (the same number, or its negative) and of three: the axes
 * of an angular velocity, or three rates of Cardan angles. */
#ifndef AFXI_STEP_DYNAMICS_DOFS_H
#define AFXI_STEP_DYNAMICS_DOFS_H

#include "reduced/tree.h"
#include "step/sim.h"

/** A block of T. */
typedef struct AfxiDofBlock {
    uint32_t first;      /* of the tree's own, `count` in all */
    uint32_t shown[3];   /* what users see of them */
    uint32_t cardan;     /* joint whose angles they are; AFXI_TREE_NONE: T does not change */
    uint8_t count;       /* 1 or 3 */
    AfxiMat3 t, inverse; /* of one: t.m[0] */
    AfxVec3 turn;        /* T' w */
} AfxiDofBlock;

typedef struct AfxiDofs {
    AfxiDofBlock *block; /* [block_count] */
    uint32_t block_count, count, own_count;
    uint32_t *shown; /* [own_count] by the tree's own; AFXI_TREE_NONE: of blocks that tendons move, which nobody sees */
    uint32_t *own;   /* [count] by what users see */
    uint32_t *qvel;  /* [count] place in qvel, by what users see; UINT32_MAX: none */
} AfxiDofs;

/** Memory for it, in an arena. */
void afxi_dofs_layout(AfxiDofs *dofs, const AfxiTree *tree, AfxiArena *arena);
/** Which are which. */
void afxi_dofs_make(AfxiDofs *dofs, const AfxiTree *tree);
/** T, its inverse and its rate at the state of the sim; u are the tree's own velocities. AFX_E_NUMERIC where Cardan
 * angles are lost. */
AfxStatus afxi_dofs_update(AfxiDofs *dofs, const AfxSim *sim, const AfxiTree *tree, const double *u);

/** Velocities of the tree from those of users, and back. With `turning`, accelerations. In and out differ. */
void afxi_dofs_motion_in(const AfxiDofs *dofs, const double *shown, bool turning, double *out_own);
void afxi_dofs_motion_out(const AfxiDofs *dofs, const double *own, bool turning, double *out_shown);
/** Forces, and rows of Jacobians. */
void afxi_dofs_force_in(const AfxiDofs *dofs, const double *shown, double *out_own);
void afxi_dofs_force_out(const AfxiDofs *dofs, const double *own, double *out_shown);

#endif
