/* SPDX-License-Identifier: Apache-2.0 */
/* The pulley case at scale: many systems of reeve.h side by side in a square grid, a million links by default. Links
 * that do not divide evenly go to the first ones. */
#include "cases/cases.h"
#include "cases/geometry.h"
#include "cases/reeve.h"
#include "cases/text.h"

#define PITCH 2.5 /* between systems along the axles, in lengths of a link */

enum { LINKS, EACH, LINK, UPPER, ANCHOR, LIFT, FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [LINKS] = {.name = "links",
               .kind = AFXI_CASE_INTEGER,
               .fallback = "1076748",
               .min = 700,
               .max = 1e8,
               .help = "number of links of all chains together, the anchors included"},
    [EACH] = {.name = "each",
              .kind = AFXI_CASE_INTEGER,
              .fallback = "1500",
              .min = 700,
              .max = 1e7,
              .help = "links of a chain, about: there are as many chains as this goes into all links"},
    AFXI_REEVE_PARAMETERS,
};

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    uint32_t links = (uint32_t)args->values[LINKS], each = (uint32_t)args->values[EACH];
    uint32_t count = links / each ? links / each : 1;
    AfxiReeve reeve = {.links = links / count,
                       .link = args->values[LINK],
                       .upper = (uint32_t)args->values[UPPER],
                       .anchor = args->values[ANCHOR],
                       .lift = args->values[LIFT],
                       .young = args->values[YOUNG]};
    AfxStatus status = afxi_reeve_check(&reeve, "case pulley-huge, parameter links", out_error);
    if (status != AFX_OK) {
        return status;
    }
    uint32_t side = (uint32_t)ceil(sqrt(count)); /* of the grid */
    double width = (2.0 * reeve.upper + 1) * 2 * afxi_reeve_curve(&reeve);
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    for (uint32_t k = 0; k < count && builder.status == AFX_OK; ++k) {
        reeve.origin = (AfxVec3){width * (k / side), PITCH * reeve.link * (k % side), 0};
        reeve.links = links / count + (k < links % count);
        reeve.marker = k == 0 ? "anchor" : NULL;
        afxi_reeve_add(&builder, &reeve);
    }
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_pulley_huge = {
    .name = "pulley-huge",
    .summary = "many chains over pulleys: a million links by default",
    .dt = 0.01,
    .time = 0.5,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
