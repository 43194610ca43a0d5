/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of shapes over a stage, and the pairs of shapes whose boxes meet. */
#ifndef AFXI_COLLIDE_BOX_H
#define AFXI_COLLIDE_BOX_H

#include "collide/collide.h"

/** Clusters of the shapes of a world, and what their bounds are made from. */
AfxStatus afxi_collide_cluster(AfxiCollide *collide);
/** Finds the pairs over a stage of length dt. `look` [bodies] as in afxi_collide_find: boxes of others stay. */
AfxStatus afxi_collide_pairs(AfxiCollide *collide, double dt, const uint8_t *look);

#endif
