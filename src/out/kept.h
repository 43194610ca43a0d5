/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes in results, so that a result needs nothing else: scene JSON with how it is run, in trajectories as it is, in
 * snapshots as a zlib stream. */
#ifndef AFXI_OUT_KEPT_H
#define AFXI_OUT_KEPT_H

#include "affix/io.h"
#include "out/bytes.h"

/** The part of a snapshot. */
#define AFXI_KEPT_PART "scene"

/** Adds a scene to *bytes as the part of a snapshot; nothing where JSON cannot hold it. `run` may be NULL. */
AfxStatus afxi_kept_pack(AfxiBytes *bytes, const AfxScene *scene, const AfxRunDef *run);

/** What a file is by its first bytes. */
typedef enum AfxiResultKind { AFXI_RESULT_NONE, AFXI_RESULT_TRAJECTORY, AFXI_RESULT_SNAPSHOT } AfxiResultKind;
AfxiResultKind afxi_result_kind(const char *path);

#endif
