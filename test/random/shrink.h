/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest mechanism that still has a fault. */
#ifndef AFX_TEST_RANDOM_SHRINK_H
#define AFX_TEST_RANDOM_SHRINK_H

#include "examine.h"

/** Takes out of a mechanism what can be taken out while it still has the fault, as often as something can. The finding
 * is that of what is left; runs counts the mechanisms that were tried, up to about `runs_most`. */
Finding shrink(Mechanism *mechanism, Finding finding, uint32_t runs_most, uint32_t *out_runs);
/** Writes the scene to FOLDER/seed-N-FAULT.json, and the command that runs it to the text; false when that fails. */
bool write_scene(const Mechanism *mechanism, const Finding *finding, const char *folder, char *out_text, size_t size);

#endif
