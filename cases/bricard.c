/* SPDX-License-Identifier: Apache-2.0 */
/* Benchmark A04 of the IFToMM library: Bricard's mechanism. Five rods of 1 m, 1 kg, 0.1 m square on the edges of a
 * cube, six hinges, one loop through the ground: by counting it could not move, but it has one degree of freedom.
 * Released at rest; y is up. The third node: P3(1) = (0.274481319265, -0.886707938735, -0.462330002687),
 * P3(10) = (0.999730987304, -0.999999963826, -0.000268976512). */
#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/geometry.h"

#define NODES 6

enum { YOUNG };

static const AfxiCaseParameter parameters[] = {
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

static const AfxVec3 nodes[NODES] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
static const AfxVec3 axes[NODES] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    AfxShapeDef box = afx_default_box(1, 0.1, 0.1);
    box.mass = 1;
    AfxBodyId before = afx_world();
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, -9.81, 0});
    for (int k = 0; k < NODES; ++k) {
        AfxBodyId after = afx_world();
        if (k + 1 < NODES) {
            AfxBodyDef rod = afx_default_body();
            rod.young = args->values[YOUNG];
            rod.pose = afx_frame_along(afxi_case_middle(nodes[k], nodes[k + 1]), afxi_case_sub(nodes[k + 1], nodes[k]));
            after = afxi_case_body(&builder, &rod);
            afxi_case_shape(&builder, after, &box);
        }
        afxi_case_joint_at(&builder, AFX_JOINT_REVOLUTE, before, after, afx_frame_along(nodes[k], axes[k]));
        if (k == 2) {
            afxi_case_marker(&builder, after, "P3", (AfxVec3){-0.5, 0, 0});
        }
        before = after;
    }
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_bricard = {
    .name = "bricard",
    .summary = "benchmark A04: Bricard's overconstrained loop of five rods",
    .dt = 0.001,
    .time = 10,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
