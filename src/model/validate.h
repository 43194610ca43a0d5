/* SPDX-License-Identifier: Apache-2.0 */
/* What holds of a compiled model and of every graph, those of islands as well, stated by AFXI_ASSERT. */
#ifndef AFXI_MODEL_VALIDATE_H
#define AFXI_MODEL_VALIDATE_H

#include "model/model.h"

/** Blocks, rows and entries follow one another and point at each other; lists of bodies, parts and loops fit to them.
 */
void afxi_graph_validate(const AfxiGraph *graph);
/** Every body that is solved for is in one graph, one chain or alone; rows and slots of joints are there. */
void afxi_model_validate(const AfxModel *model);

#endif
