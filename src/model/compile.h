/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of compiling that are files of their own. */
#ifndef AFXI_MODEL_COMPILE_H
#define AFXI_MODEL_COMPILE_H

#include "model/model.h"
#include "scene/scene.h"

/** Joint `index`: bodies, coordinates, its frame interned. */
AfxStatus afxi_compile_joint_frame(AfxModel *model, const AfxScene *scene, uint32_t index, AfxiIntern *frames);
/** Drives, couplings and springs, after the joints; tables of signals go to *samples, which moves on. */
void afxi_compile_actions(AfxModel *model, const AfxScene *scene, double **samples);
/** Where the turns of joints are counted, after all that acts on them is known. */
void afxi_compile_angles(AfxModel *model);
/** Ball chains, from the compiled joints. */
AfxStatus afxi_compile_chains(AfxModel *model);
void afxi_chains_destroy(AfxModel *model);
/** Marks what is worked on in closed form, before the plan of elimination is made. */
AfxStatus afxi_closed_create(const AfxModel *model, AfxiGraph *graph);
/** Plans the elimination of a forest from the leaves; bodies that its kernels cannot take are closed no longer. */
AfxStatus afxi_climb_create(const AfxModel *model, AfxiGraph *graph);
/** The graphs of all components, from the compiled joints (graph.c). */
AfxStatus afxi_compile_graphs(AfxModel *model);
void afxi_graphs_destroy(AfxModel *model);

/** All groups and all masks that shapes of a scene have. */
typedef struct AfxiContactFilter {
    uint32_t groups, masks;
} AfxiContactFilter;

AfxiContactFilter afxi_contact_filter(const AfxScene *scene);
/** Whether a shape could touch any of that filter. */
bool afxi_contact_able(const AfxiContactFilter *filter, const AfxiSceneShape *shape);
/** Which bodies may touch, before anything else is compiled: counts of shapes and materials, excluded pairs. */
AfxStatus afxi_compile_touching(AfxModel *model, const AfxScene *scene);
/** The shapes, after the bodies. */
AfxStatus afxi_compile_contacts(AfxModel *model, const AfxScene *scene);
void afxi_contacts_destroy(AfxModel *model);

#endif
