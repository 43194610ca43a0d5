/* SPDX-License-Identifier: Apache-2.0 */
/* cases/animated.h: parts of animated figures: limbs on driven hinges, shells, and dyads of a rod and a rocker, which
 * close a loop and leave the freedom as it is. Places are in the world, where the figure stands at the start; from
 * there it moves by cosines, at rest at first. */
#ifndef AFXI_CASES_ANIMATED_H
#define AFXI_CASES_ANIMATED_H

#include "cases/builder.h"
#include "cases/geometry.h"

/** A limb: from its pivot to its tip, turning about an axis. */
typedef struct AfxiLimb {
    AfxBodyId body;
    AfxVec3 pivot, tip, axis;
} AfxiLimb;

/** What the rod of a dyad hangs on. All close a loop: of hinges alone in a plane, three constraints of which repeat
 * others; with a ball at the rocker, one; with a ball at the input and a cross at the rocker, none. */
typedef enum AfxiDyad { AFXI_DYAD_PLANE, AFXI_DYAD_BALL, AFXI_DYAD_SPACE } AfxiDyad;

/** How a limb moves: amplitude (1 - cos(2 pi frequency t)), rad and Hz; no drive where the amplitude is 0. */
typedef struct AfxiSway {
    double amplitude, frequency;
} AfxiSway;

/** A rod from one point to another, of that mass (kg). */
AfxBodyId afxi_limb_rod(AfxiCaseBuilder *builder, AfxVec3 from, AfxVec3 to, double mass, double young);
/** A rod on a hinge of `base` about `axis` at `pivot`, driven. */
AfxiLimb afxi_limb_turning(AfxiCaseBuilder *builder, AfxBodyId base, AfxVec3 pivot, AfxVec3 tip, AfxVec3 axis,
                           double mass, AfxiSway sway, double young);
/** A rod that is fixed to `base`. */
AfxBodyId afxi_limb_shell(AfxiCaseBuilder *builder, AfxBodyId base, AfxVec3 from, AfxVec3 to, double mass,
                          double young);
/** A rod from `from` on `input` to the tip of a rocker on a hinge of `base` at `pivot` about `axis`. */
AfxiLimb afxi_limb_dyad(AfxiCaseBuilder *builder, AfxiDyad kind, AfxBodyId input, AfxVec3 from, AfxBodyId base,
                        AfxVec3 pivot, AfxVec3 tip, AfxVec3 axis, double mass, double young);
/** A dyad beside a limb on `base`: its rocker goes along with the limb; in space about an axis that leans. */
AfxiLimb afxi_limb_beside(AfxiCaseBuilder *builder, AfxiDyad kind, const AfxiLimb *limb, AfxBodyId base, double mass,
                          double young);

#endif
