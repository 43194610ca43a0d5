/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of a sim by name:
 *     KIND[:ITEM][.COMPONENT]    of the registry: body.mass:rod, gravity.z, drive:motor.damping
 *     target:DRIVE               of a drive that takes its target from input
 * ITEM is a name, an index, or * for all of them. */
#ifndef AFXI_SWEEP_PARAM_H
#define AFXI_SWEEP_PARAM_H

#include "affix/affix.h"

typedef struct AfxiParamPlace {
    bool target; /* of drives; else `kind` of the registry */
    AfxParamKind kind;
    uint32_t first, count; /* items */
    uint32_t component;
} AfxiParamPlace;

/** Where a parameter is; AFX_E_INPUT, and *out_error tells what there is instead. */
AfxStatus afxi_param_find(const AfxScene *scene, const AfxModel *model, const char *name, AfxiParamPlace *out_place,
                          AfxError *out_error);
/** The name of number `component` of an item of a kind, or NULL: it has one number only, or not so many. */
const char *afxi_param_component(AfxParamKind kind, uint32_t component);
/** AFX_E_ARGUMENT when the value is not allowed. */
AfxStatus afxi_param_put(AfxSim *sim, const AfxiParamPlace *place, double value);
/** Puts the model's default back (not of targets: they are state). */
AfxStatus afxi_param_reset(AfxSim *sim, const AfxiParamPlace *place);

#endif
