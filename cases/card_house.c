/* SPDX-License-Identifier: Apache-2.0 */
/* A house of cards: leaning pairs, a card across each two of them, and the next level on these. It stands by friction
 * alone. The pieces start a little apart, so that barrier contact can begin with it. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define LENGTH 1.0 /* m, of a leaning card */
#define WIDTH 0.7
#define THICK 0.02
#define LEAN (25 * AFXI_CASE_DEGREE)
#define APART 4e-4 /* m, at the start */
#define DENSITY 700.0

enum { LEVELS, FRICTION, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [LEVELS] =
        {.name = "levels", .kind = AFXI_CASE_INTEGER, .fallback = "3", .min = 1, .max = 40, .help = "of the house"},
    [FRICTION] = AFXI_CASE_FRICTION("0.5"),
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

/* A card of this length along z at a place, turned about y. */
static AfxBodyId add_card(AfxiCaseBuilder *builder, double length, double x, double z, double angle, double young) {
    AfxShapeDef box = afx_default_box(THICK, WIDTH, length);
    AfxBodyDef body = afx_default_body();
    box.density = DENSITY;
    body.young = young;
    body.pose.position = (AfxVec3){x, 0, z};
    body.pose.rotation = afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, angle);
    AfxBodyId card = afxi_case_body(builder, &body);
    afxi_case_shape(builder, card, &box);
    return card;
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    uint32_t levels = (uint32_t)args->values[LEVELS];
    double young = args->values[YOUNG], sine = sin(LEAN), cosine = cos(LEAN);
    double rise = LENGTH * cosine + THICK * sine;                            /* of a pair */
    double reach = 0.5 * APART + 0.5 * LENGTH * sine + 0.5 * THICK * cosine; /* from its middle to a card's */
    double pitch = 2 * (LENGTH * sine + THICK * cosine) + 0.02;              /* from pair to pair */
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, args->values[FRICTION]);
    afxi_case_ground(&builder, afx_pose_identity());
    AfxBodyId top = {0};
    for (uint32_t level = 0; level < levels; ++level) {
        double floor = level * (rise + THICK + 2 * APART), z = floor + APART + 0.5 * rise;
        uint32_t pairs = levels - level;
        for (uint32_t k = 0; k < pairs; ++k) {
            double x = pitch * (k - 0.5 * (pairs - 1));
            top = add_card(&builder, LENGTH, x - reach, z, LEAN, young);
            add_card(&builder, LENGTH, x + reach, z, -LEAN, young);
            if (k + 1 < pairs) {
                add_card(&builder, pitch - 4 * APART, x + 0.5 * pitch, floor + rise + 2 * APART + 0.5 * THICK,
                         0.5 * AFXI_CASE_PI, young);
            }
        }
    }
    afxi_case_marker(&builder, top, "top", (AfxVec3){0, 0, 0.5 * LENGTH});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_card_house = {
    .name = "card-house",
    .summary = "a house of cards that stands by friction alone; for barrier contact",
    .dt = 0.01,
    .time = 2,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
