/* SPDX-License-Identifier: Apache-2.0 */
/* cases/strand.h: a straight string of equal links on ball joints, quick to add by the million. */
#ifndef AFXI_CASES_STRAND_H
#define AFXI_CASES_STRAND_H

#include "cases/builder.h"

typedef struct AfxiStrand {
    uint32_t count;    /* of links, at least 1 */
    double spacing;    /* from joint to joint, m */
    AfxShapeDef shape; /* in the link's frame: half way between its two joints, x along the strand */
    double young;
    AfxVec3 spin; /* all links turn together about the world's origin, rad/s */
} AfxiStrand;

/** A strand of the default link of geometry.h, at rest. */
AfxiStrand afxi_strand_of_links(uint32_t count, double young);
/** Adds a strand from the point of `start` along its x axis. `base` (a body or the world) carries the first joint; the
 * last link is given back. */
AfxBodyId afxi_strand_add(AfxiCaseBuilder *builder, const AfxiStrand *strand, AfxBodyId base, AfxPose start);

#endif
