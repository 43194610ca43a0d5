/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of compiling that are files of their own. */
#ifndef AFXI_MODEL_COMPILE_H
#define AFXI_MODEL_COMPILE_H

#include "model/model.h"

/** Joint `index`: bodies, coordinates, its frame interned. */
AfxStatus afxi_compile_joint_frame(AfxModel *model, const AfxScene *scene, uint32_t index, AfxiIntern *frames);
/** Drives, couplings and springs, after the joints; tables of signals go to *samples, which moves on. */
void afxi_compile_actions(AfxModel *model, const AfxScene *scene, double **samples);
/** Where the turns of joints are counted, after all that acts on them is known. */
void afxi_compile_angles(AfxModel *model);
/** Makes a signal's table the model's own, at *samples, which moves on. */
void afxi_copy_signal(AfxSignal *signal, double **samples);
/** Ball chains, from the compiled joints. */
AfxStatus afxi_compile_chains(AfxModel *model);
void afxi_chains_destroy(AfxModel *model);
/** Marks what is worked on in closed form, before the plan of elimination is made. */
AfxStatus afxi_closed_create(AfxModel *model);
/** Blocks, entries, loops and the plan, from the compiled joints. */
AfxStatus afxi_compile_graph(AfxModel *model);
void afxi_graph_destroy(AfxModel *model);

#endif
