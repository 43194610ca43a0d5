/* SPDX-License-Identifier: Apache-2.0 */
/* What a trajectory says of the run that wrote it. */
#ifndef AFXI_OUT_TRAJECTORY_H
#define AFXI_OUT_TRAJECTORY_H

#include "out/drawings.h"

/** The case or file with its parameters, [size] characters at most, and the hash of its model. */
AfxStatus afxi_trajectory_title(const char *path, char *out_title, size_t size, uint64_t *out_hash,
                                AfxError *out_error);
/** The drawings that its frames show, and changes of them by frame (AfxiDrawingChange): both empty where there are
 * none, and the caller's to free. AFX_E_INPUT when they are damaged; then there is nothing to free. */
AfxStatus afxi_trajectory_drawings(const char *path, const AfxAllocator *allocator, AfxiDrawings *out_list,
                                   AfxiBytes *out_changes, AfxError *out_error);

#endif
