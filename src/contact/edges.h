/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours of triangles across their edges. */
#ifndef AFXI_CONTACT_EDGES_H
#define AFXI_CONTACT_EDGES_H

#include "affix/base.h"

/** Bytes that afxi_edges needs, aligned as uint32_t. SIZE_MAX if no size can hold them. */
size_t afxi_edges_workspace(uint32_t triangle_count);
/** across [3 * count]: the triangle beyond the edge from corner k to k + 1, or UINT32_MAX: a border, or an edge that
 * more than two triangles share. */
void afxi_edges(const uint32_t *triangles, uint32_t count, uint32_t *across, uint32_t *workspace);

#endif
