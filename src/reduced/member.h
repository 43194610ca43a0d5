/* SPDX-License-Identifier: Apache-2.0 */
/* Which bodies move by joints and couplings: what islands are told apart by. */
#ifndef AFXI_REDUCED_MEMBER_H
#define AFXI_REDUCED_MEMBER_H

#include "model/model.h"

/** Whether a body is solved for: it neither stands still nor moves as told. */
bool afxi_reduced_moves(const AfxModel *model, uint32_t body);
/** The body that a joint moves: its follower, or the base of one that stands still. */
uint32_t afxi_reduced_mover(const AfxModel *model, uint32_t joint);
/** The joint of a coupling whose island it is of: the first that something moves by, or, where there is none, the
 * first. */
uint32_t afxi_reduced_coupled_joint(const AfxModel *model, uint32_t coupling);

#endif
