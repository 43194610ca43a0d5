/* SPDX-License-Identifier: Apache-2.0 */
/* A chain over pulleys that lifts a heavy anchor and lets it fall: see reeve.h. */
#include "cases/cases.h"
#include "cases/reeve.h"

enum { LINKS, LINK, UPPER, ANCHOR, LIFT, SWAY, FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [LINKS] = {.name = "links",
               .kind = AFXI_CASE_INTEGER,
               .fallback = "1500",
               .min = 700,
               .max = 1e7,
               .help = "number of links, the anchor included"},
    [SWAY] = {.name = "sway",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "4",
              .min = 0,
              .max = 100,
              .help = "how far it moves to either side meanwhile, in lengths of a link"},
    AFXI_REEVE_PARAMETERS,
};

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxiReeve reeve = {.links = (uint32_t)args->values[LINKS],
                       .link = args->values[LINK],
                       .upper = (uint32_t)args->values[UPPER],
                       .anchor = args->values[ANCHOR],
                       .lift = args->values[LIFT],
                       .sway = args->values[SWAY],
                       .young = args->values[YOUNG],
                       .marker = "anchor"};
    AfxStatus status = afxi_reeve_check(&reeve, "case pulley, parameter links", out_error);
    if (status != AFX_OK) {
        return status;
    }
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    afxi_reeve_add(&builder, &reeve);
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_pulley = {
    .name = "pulley",
    .summary = "a chain over pulleys lifts a heavy anchor and lets it fall",
    .dt = 0.01,
    .time = 5.5,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
