/* SPDX-License-Identifier: Apache-2.0 */
/* n free bodies of eight shapes, at random places in a box with room for all of them, with random orientations and
 * velocities. Bodies do not touch each other; they fall when gravity is on. */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/random.h"

#define SPACING 0.5 /* m; the box would hold a cubic grid of the bodies so far apart */
#define PRESETS 8

enum { COUNT, SEED, SPEED, SPIN, GRAVITY, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [COUNT] =
        {.name = "n", .kind = AFXI_CASE_INTEGER, .fallback = "1000", .min = 1, .max = 1e8, .help = "number of bodies"},
    [SEED] = AFXI_CASE_SEED,
    [SPEED] = {.name = "speed",
               .kind = AFXI_CASE_NUMBER,
               .fallback = "1",
               .min = 0,
               .max = 1e6,
               .help = "largest velocity, m/s"},
    [SPIN] = {.name = "spin",
              .kind = AFXI_CASE_NUMBER,
              .fallback = "10",
              .min = 0,
              .max = 1e6,
              .help = "largest angular velocity, rad/s"},
    [GRAVITY] = {.name = "gravity",
                 .kind = AFXI_CASE_INTEGER,
                 .fallback = "1",
                 .min = 0,
                 .max = 1,
                 .help = "1: 9.81 m/s² along -z; 0: none"},
    [YOUNG] = AFXI_CASE_YOUNG("1e9"),
};

static void make_presets(AfxShapeDef presets[PRESETS]) {
    presets[0] = afx_default_box(0.1, 0.2, 0.3);
    presets[1] = afx_default_box(0.2, 0.2, 0.2);
    presets[2] = afx_default_box(0.3, 0.3, 0.01);
    presets[3] = afx_default_sphere(0.1);
    presets[4] = afx_default_capsule(0.05, 0.2);
    presets[5] = afx_default_cylinder(0.1, 0.1);
    presets[6] = afx_default_cylinder(0.01, 0.4);
    presets[7] = afx_default_ellipsoid(0.05, 0.1, 0.15);
}

/* The smallest k with k³ >= count. */
static uint32_t cube_edge(uint32_t count) {
    uint64_t k = 1;
    while (k * k * k < count) {
        ++k;
    }
    return (uint32_t)k;
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxShapeDef presets[PRESETS];
    make_presets(presets);
    uint32_t count = (uint32_t)args->values[COUNT];
    double half = SPACING / 2 * cube_edge(count);
    AfxiCaseRandom random = {(uint64_t)args->values[SEED]};
    AfxBodyDef body = afx_default_body();
    body.young = args->values[YOUNG];
    AfxBodyId first = {0, 0};

    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, args->values[GRAVITY] != 0 ? -9.81 : 0.0});
    for (uint32_t k = 0; k < count && builder.status == AFX_OK; ++k) {
        body.pose.position.x = afxi_case_random_number(&random, -half, half);
        body.pose.position.y = afxi_case_random_number(&random, -half, half);
        body.pose.position.z = afxi_case_random_number(&random, -half, half);
        body.pose.rotation = afxi_case_random_rotation(&random);
        body.linear_velocity = afxi_case_random_in_ball(&random, args->values[SPEED]);
        body.angular_velocity = afxi_case_random_in_ball(&random, args->values[SPIN]);
        AfxBodyId id = afxi_case_body(&builder, &body);
        afxi_case_shape(&builder, id, &presets[afxi_case_random_index(&random, PRESETS)]);
        first = k == 0 ? id : first;
    }
    afxi_case_marker(&builder, first, "first", (AfxVec3){0.05, 0, 0});
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_tumbling = {
    .name = "tumbling",
    .summary = "n bodies of eight shapes at random, tumbling freely: for speed, and for equal bits",
    .dt = 0.01,
    .time = 1,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
