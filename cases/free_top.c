/* SPDX-License-Identifier: Apache-2.0 */
/* A free rigid body with inertia (1, 2, 3) at ω = (0.01, 5, 0.01): it flips every 5.025929138 s, by Jacobi's elliptic
 * functions. Its second moment along z is zero: a plate without thickness. */
#include "cases/builder.h"
#include "cases/cases.h"

enum { OMEGA, KICK, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [OMEGA] = {.name = "omega",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "5",
               .min = -1e4,
               .max = 1e4,
               .help = "angular velocity about y, the intermediate axis, rad/s"},
    [KICK] = {.name = "kick",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "0.01",
              .min = -1e4,
              .max = 1e4,
              .help = "angular velocity about x and about z, rad/s"},
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxBodyDef body = afx_default_body();
    body.name = "top";
    body.mass_source = AFX_MASS_GIVEN;
    body.mass = 1;
    for (int k = 0; k < 3; ++k) {
        body.inertia[k] = 1 + k;
    }
    body.angular_velocity = (AfxVec3){args->values[KICK], args->values[OMEGA], args->values[KICK]};
    body.young = args->values[YOUNG];

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, 0});
    AfxBodyId id = afxi_case_body(&builder, &body);
    afxi_case_marker(&builder, id, "axis", (AfxVec3){0, 1, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_free_top = {
    .name = "free-top",
    .summary = "a free top with inertia (1, 2, 3): flips every 5.025929 s",
    .dt = 0.001,
    .time = 20,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
