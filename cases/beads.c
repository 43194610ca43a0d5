/* SPDX-License-Identifier: Apache-2.0 */
/* Ball chains on a grid of hooks: spherical beads of 5 mm radius, 12 mm apart, with a ball joint half way between
 * neighbours and one at the hook. Each chain is released straight and at rest, `angle` away from the vertical; the
 * direction it leans in turns with its hook, once round over the width of the grid, so that a wave goes through. */
#include "cases/cases.h"
#include "cases/geometry.h"
#include "cases/strand.h"

#define RADIUS 0.005
#define SPACING 0.012
#define PITCH 0.1 /* m between hooks */

enum { CHAINS, BEADS, ANGLE, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [CHAINS] = {.name = "chains",
                .kind = AFXI_CASE_INTEGER,
                .fallback = "2500",
                .min = 1,
                .max = 1e8,
                .help = "number of chains"},
    [BEADS] = {.name = "beads",
               .kind = AFXI_CASE_INTEGER,
               .fallback = "40",
               .min = 1,
               .max = 1e8,
               .help = "beads of each chain"},
    [ANGLE] = {.name = "angle",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "60",
               .min = 0,
               .max = 180,
               .help = "of the chains from hanging straight down, degrees"},
    [YOUNG] = AFXI_CASE_YOUNG("1e8"),
};

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxStatus status =
        afxi_case_check_bodies("case beads, parameter beads", args->values[CHAINS] * args->values[BEADS], out_error);
    if (status != AFX_OK) {
        return status;
    }
    uint32_t chains = (uint32_t)args->values[CHAINS];
    uint32_t columns = (uint32_t)ceil(sqrt(chains));
    double angle = args->values[ANGLE] * AFXI_CASE_DEGREE;
    AfxiStrand strand = {.count = (uint32_t)args->values[BEADS],
                         .spacing = SPACING,
                         .shape = afx_default_sphere(RADIUS),
                         .young = args->values[YOUNG]};
    AfxBodyId tip = afx_world();
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    for (uint32_t k = 0; k < chains && builder.status == AFX_OK; ++k) {
        uint32_t row = k / columns, column = k % columns;
        double turn = 2 * AFXI_CASE_PI * (row + column) / columns;
        AfxVec3 hook = {PITCH * column, PITCH * row, 0};
        AfxVec3 along = {sin(angle) * cos(turn), sin(angle) * sin(turn), -cos(angle)};
        AfxBodyId last = afxi_strand_add(&builder, &strand, afx_world(), afx_frame_along(hook, along));
        tip = k == 0 ? last : tip;
    }
    afxi_case_marker(&builder, tip, "tip", (AfxVec3){SPACING / 2, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_beads = {
    .name = "beads",
    .summary = "thousands of short ball chains on a grid of hooks, let go in a wave",
    .dt = 0.01,
    .time = 5,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
