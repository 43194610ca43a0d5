/* SPDX-License-Identifier: Apache-2.0 */
/* Chains at scale: so many links in total, in one chain or in many, released at rest from the horizontal. The chains
 * lie along x, side by side in y, each pinned to the world at x = 0; links that do not divide evenly go to the first
 * ones. While the links have turned little, what the pin does dies out by 2 - sqrt(3) or so from link to link: the rest
 * of a long chain falls freely. */
#include "cases/cases.h"
#include "cases/geometry.h"
#include "cases/strand.h"
#include "cases/text.h"

#define PITCH 0.1 /* m between chains; five times the links' diameter */

enum { COUNT, LINKS, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [COUNT] =
        {.name = "count", .kind = AFXI_CASE_INTEGER, .fallback = "1", .min = 1, .max = 1e8, .help = "number of chains"},
    [LINKS] = {.name = "links",
               .kind = AFXI_CASE_INTEGER,
               .fallback = "1076748",
               .min = 1,
               .max = 1e8,
               .help = "number of links of all chains together, at least one for each"},
    [YOUNG] = AFXI_CASE_YOUNG("1e8"),
};

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    uint32_t count = (uint32_t)args->values[COUNT], links = (uint32_t)args->values[LINKS];
    if (count > links) {
        return afxi_case_error(out_error, AFX_E_INPUT, "case chains, parameter count",
                               "give at least as many links as chains", "%u chains cannot share %u links", count,
                               links);
    }
    AfxBodyId tip = afx_world();
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    for (uint32_t k = 0; k < count && builder.status == AFX_OK; ++k) {
        AfxiStrand strand = afxi_strand_of_links(links / count + (k < links % count), args->values[YOUNG]);
        AfxPose start = {{0, PITCH * k, 0}, {1, 0, 0, 0}};
        AfxBodyId last = afxi_strand_add(&builder, &strand, afx_world(), start);
        tip = k == 0 ? last : tip;
    }
    afxi_case_marker(&builder, tip, "tip", (AfxVec3){AFXI_CASE_LINK_LENGTH / 2, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_chains = {
    .name = "chains",
    .summary = "long chains, or many, side by side: a million links by default",
    .dt = 0.01,
    .time = 1,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
