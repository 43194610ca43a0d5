/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of signals. */
#ifndef AFXI_SCENE_MOTION_H
#define AFXI_SCENE_MOTION_H

#include "scene/store.h"

/** Makes a signal's table a copy of its own; what its kind does not use becomes 0. The signal is 0 on failure. */
AfxStatus afxi_signal_copy(const AfxScene *scene, AfxSignal *signal);
void afxi_signal_free(const AfxScene *scene, AfxSignal *signal);
/** Makes the signals' tables copies of their own; what other kinds do not use becomes 0. Nothing is left on failure. */
AfxStatus afxi_motion_copy(const AfxScene *scene, AfxMotion *motion);
void afxi_motion_free(const AfxScene *scene, AfxMotion *motion);

#endif
