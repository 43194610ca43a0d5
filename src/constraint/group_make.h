/* SPDX-License-Identifier: Apache-2.0 */
/* Which joints of a graph go side by side. */
#ifndef AFXI_CONSTRAINT_GROUP_MAKE_H
#define AFXI_CONSTRAINT_GROUP_MAKE_H

#include "base/memory.h"
#include "constraint/rows.h"

/** Makes the groups of a graph in an arena (both passes), once the arrays of its rows are there. */
void afxi_groups_take(AfxiRows *rows, AfxiArena *arena);

#endif
