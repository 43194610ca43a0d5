/* SPDX-License-Identifier: Apache-2.0 */
/* Which scenes are kept in results. */
#ifndef AFXI_OUT_KEPT_SIZE_H
#define AFXI_OUT_KEPT_SIZE_H

#include <stdbool.h>

#include "affix/joint.h"
#include "affix/scene.h"

/** Bodies and joints of a scene that is kept: about 64 MiB of text, which take half a second. Larger ones are found
 * again by the title of the run. */
#define AFXI_KEPT_MOST 400000u

static inline bool afxi_kept_fits(const AfxScene *scene) {
    return (uint64_t)afx_scene_body_count(scene) + afx_scene_joint_count(scene) <= AFXI_KEPT_MOST;
}

#endif
