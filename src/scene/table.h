/* SPDX-License-Identifier: Apache-2.0 */
/* Checking and storing the tables of springs. */
#ifndef AFXI_SCENE_TABLE_H
#define AFXI_SCENE_TABLE_H

#include "scene/check.h"

/** Both tables of a spring are valid, and that of its damper never drives. */
AfxStatus afxi_check_tables(const AfxiErrorPlace *place, const AfxForceTable *spring, const AfxForceTable *damper);
/** Makes both the scene's own; on failure neither is. */
AfxStatus afxi_tables_copy(const AfxScene *scene, AfxForceTable *spring, AfxForceTable *damper);
void afxi_tables_free(const AfxScene *scene, AfxForceTable *spring, AfxForceTable *damper);

#endif
