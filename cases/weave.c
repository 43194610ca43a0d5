/* SPDX-License-Identifier: Apache-2.0 */
/* Nets. With c columns and r rows there are cr nodes and c(r - 1) + (c - 1)r links, c more links in the other direction
 * where the net is a ring; every link has two joints. All links are equally long, whatever rounding makes of the
 * places, so that they share their constants. */
#include "cases/weave.h"
#include "cases/geometry.h"

AfxBodyId afxi_weave_node(const AfxiCaseBuilder *builder, const AfxiWeave *weave, uint32_t first, uint32_t column,
                          uint32_t row) {
    return afx_scene_body(builder->scene, first + column * weave->rows + row);
}

static void add_nodes(AfxiCaseBuilder *builder, const AfxiWeave *weave) {
    AfxShapeDef ball = afx_default_sphere(weave->node_radius);
    AfxBodyDef node = afx_default_body();
    ball.contact_group = weave->contact_group;
    ball.contact_mask = weave->contact_mask;
    node.young = weave->young;
    for (uint32_t i = 0; i < weave->columns; ++i) {
        for (uint32_t j = 0; j < weave->rows && builder->status == AFX_OK; ++j) {
            bool held = weave->held && weave->held(weave->context, i, j);
            node.kind = held ? AFX_BODY_FIXED : AFX_BODY_DYNAMIC;
            node.pose.position = weave->place(weave->context, i, j);
            AfxBodyId id = afxi_case_body(builder, &node);
            afxi_case_shape(builder, id, &ball);
        }
    }
}

static void add_link(AfxiCaseBuilder *builder, const AfxiWeave *weave, uint32_t first, const uint32_t from[2],
                     const uint32_t to[2]) {
    const AfxVec3 end = {weave->pitch / 2 - weave->node_radius, 0, 0};
    AfxVec3 start = weave->place(weave->context, from[0], from[1]);
    AfxVec3 way = afxi_case_sub(weave->place(weave->context, to[0], to[1]), start);
    double length = sqrt(afxi_case_dot(way, way)); /* divided by: exact along the axes */
    AfxVec3 along = {way.x / length, way.y / length, way.z / length};
    AfxPose rim = afx_frame_along(afxi_case_scale(weave->node_radius, along), along);
    AfxPose opposite = {afxi_case_scale(-weave->node_radius, along), rim.rotation};
    AfxPose left = {afxi_case_scale(-1, end), {1, 0, 0, 0}}, right = {end, {1, 0, 0, 0}};
    AfxShapeDef rod = afxi_case_rod(left.position, end, weave->link_radius);
    AfxBodyDef link = afx_default_body();
    rod.contact_group = weave->contact_group;
    rod.contact_mask = weave->contact_mask;
    link.young = weave->young;
    link.pose = (AfxPose){afxi_case_add(start, afxi_case_scale(weave->pitch / 2, along)), rim.rotation};
    AfxBodyId id = afxi_case_body(builder, &link);
    afxi_case_shape(builder, id, &rod);
    AfxBodyId base = afxi_weave_node(builder, weave, first, from[0], from[1]);
    AfxBodyId follower = afxi_weave_node(builder, weave, first, to[0], to[1]);
    afxi_case_joint_between(builder, AFX_JOINT_SPHERICAL, base, rim, id, left);
    afxi_case_joint_between(builder, AFX_JOINT_SPHERICAL, id, right, follower, opposite);
}

uint32_t afxi_weave_add(AfxiCaseBuilder *builder, const AfxiWeave *weave) {
    uint32_t first = builder->status == AFX_OK ? afx_scene_body_count(builder->scene) : 0;
    add_nodes(builder, weave);
    for (uint32_t i = 0; i < weave->columns; ++i) {
        for (uint32_t j = 0; j < weave->rows && builder->status == AFX_OK; ++j) {
            const uint32_t node[2] = {i, j}, beside[2] = {(i + 1) % weave->columns, j}, below[2] = {i, j + 1};
            if (j >= weave->bare && (i + 1 < weave->columns || weave->ring)) {
                add_link(builder, weave, first, node, beside);
            }
            if (j + 1 < weave->rows) {
                add_link(builder, weave, first, node, below);
            }
        }
    }
    return first;
}
