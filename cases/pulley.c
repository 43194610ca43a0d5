/* SPDX-License-Identifier: Apache-2.0 */
/* A chain over pulleys that lifts a heavy anchor and lets it fall: see reeve.h. */
#include "cases/cases.h"
#include "cases/reeve.h"
#include "cases/text.h"

enum { LINKS, UPPER, ANCHOR, LIFT, SWAY, FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [LINKS] = {.name = "links",
               .kind = AFXI_CASE_INTEGER,
               .fallback = "1500",
               .min = 100,
               .max = 1e7,
               .help = "number of links, the anchor included"},
    [UPPER] = {.name = "upper",
               .kind = AFXI_CASE_INTEGER,
               .fallback = "4",
               .min = 1,
               .max = 1e5,
               .help = "pulleys of the upper row; the lower one has one less"},
    [ANCHOR] = {.name = "anchor",
                .kind = AFXI_CASE_NUMBER,
                .fallback = "1000",
                .min = 1,
                .max = 1e6,
                .help = "mass of the anchor, in masses of a link"},
    [LIFT] = {.name = "lift",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "1.5",
              .min = 0,
              .max = 100,
              .help = "what the hand draws in before it lets go, m"},
    [SWAY] = {.name = "sway",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "0.3",
              .min = 0,
              .max = 10,
              .help = "how far it moves to either side meanwhile, m"},
    [FRICTION] = {.name = "friction",
                  .kind = AFXI_CASE_NUMBER,
                  .fallback = "0.05",
                  .min = 0,
                  .max = 10,
                  .help = "coefficient of friction"},
    [YOUNG] = AFXI_CASE_YOUNG("1e8"),
};

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxiReeve reeve = {.links = (uint32_t)args->values[LINKS],
                       .upper = (uint32_t)args->values[UPPER],
                       .anchor = args->values[ANCHOR],
                       .lift = args->values[LIFT],
                       .sway = args->values[SWAY],
                       .young = args->values[YOUNG],
                       .marker = "anchor"};
    double height = afxi_reeve_height(&reeve);
    if (height < 2 * AFXI_REEVE_FLANGE + reeve.lift) {
        return afxi_case_error(out_error, AFX_E_INPUT, "case pulley, parameter links", "give more links or less pulleys",
                               "%u links reach over %u upper pulleys only if the rows are %.3g m apart", reeve.links,
                               reeve.upper, height);
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
