/* SPDX-License-Identifier: Apache-2.0 */
/* What a trajectory says of the run that wrote it. */
#ifndef AFXI_OUT_TRAJECTORY_H
#define AFXI_OUT_TRAJECTORY_H

#include "affix/base.h"

/** The case or file with its parameters, [size] characters at most, and the hash of its model. */
AfxStatus afxi_trajectory_title(const char *path, char *out_title, size_t size, uint64_t *out_hash,
                                AfxError *out_error);

#endif
