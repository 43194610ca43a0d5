/* SPDX-License-Identifier: Apache-2.0 */
/* Who may touch whom. */
#ifndef AFXI_MODEL_TOUCHING_H
#define AFXI_MODEL_TOUCHING_H

#include "model/model.h"
#include "scene/scene.h"

/** All groups and all masks that shapes of a scene have. */
typedef struct AfxiContactFilter {
    uint32_t groups, masks;
} AfxiContactFilter;

AfxiContactFilter afxi_contact_filter(const AfxScene *scene);
/** Whether a shape could touch any of that filter. */
bool afxi_contact_able(const AfxiContactFilter *filter, const AfxiSceneShape *shape);
/** Which bodies may touch, before anything else is compiled: counts of shapes and materials, excluded pairs.
 * AFX_E_LIMIT says why. */
AfxStatus afxi_compile_touching(AfxModel *model, const AfxScene *scene, AfxError *out_error);
/** Whether a pair of bodies is among the excluded ones, in either order. */
bool afxi_contacts_excluded(const AfxiContacts *contacts, uint32_t a, uint32_t b);

#endif
