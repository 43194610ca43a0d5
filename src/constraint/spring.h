/* SPDX-License-Identifier: Apache-2.0 */
/* Rotational springs of ball joints. */
#ifndef AFXI_CONSTRAINT_SPRING_H
#define AFXI_CONSTRAINT_SPRING_H

#include "base/memory.h"
#include "constraint/rows.h"

/** Workspace in an arena (both passes). */
void afxi_rotational_springs_take(AfxiRows *rows, AfxiArena *arena);
/** Constants of all, and the places of their bodies; anew only when a spring was changed. */
void afxi_rotational_springs_refresh(AfxiRows *rows);
/** Value, compliance and gradients of their rows at the frames. */
void afxi_rotational_springs_linearise(AfxiRows *rows);
/** What springs hold each body by, for h_rate: the stiffest of them, about its softest axis. True when that changed. */
bool afxi_rotational_springs_held(AfxiRows *rows);

#endif
