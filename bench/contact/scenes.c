/* SPDX-License-Identifier: Apache-2.0 */
#include "scenes.h"

#include <math.h>

#include "cases/builder.h"
#include "cases/geometry.h"
#include "cases/random.h"

static AfxiCaseBuilder begin(double friction) {
    AfxSceneDef def = afx_default_scene();
    AfxiCaseBuilder builder = afxi_case_begin(&def, (AfxVec3){0, 0, -9.81});
    afxi_case_touch(&builder, friction);
    return builder;
}

static AfxBodyId add(AfxiCaseBuilder *builder, AfxPose pose, const AfxShapeDef *shape) {
    AfxBodyDef body = afx_default_body();
    body.pose = pose;
    AfxBodyId id = afxi_case_body(builder, &body);
    afxi_case_shape(builder, id, shape);
    return id;
}

static AfxPose at(double x, double y, double z) {
    AfxPose pose = afx_pose_identity();
    pose.position = (AfxVec3){x, y, z};
    return pose;
}

AfxStatus bench_wall(uint32_t size, AfxScene **out, AfxError *error) {
    AfxiCaseBuilder builder = begin(0.5);
    AfxShapeDef brick = afx_default_box(0.4, BENCH_WALL_LEAST, BENCH_WALL_LEAST);
    AfxShapeDef half = afx_default_box(0.2, BENCH_WALL_LEAST, BENCH_WALL_LEAST);
    afxi_case_ground(&builder, afx_pose_identity());
    for (uint32_t row = 0; row < size; row++) {
        for (uint32_t column = 0; column < size - row % 2; column++) {
            add(&builder, at(0.4 * column + (row % 2 ? 0.2 : 0), 0, BENCH_WALL_LEAST * (row + 0.5)), &brick);
        }
        for (int side = 0; row % 2 && side < 2; side++) {
            add(&builder, at(side ? 0.4 * size - 0.3 : -0.1, 0, BENCH_WALL_LEAST * (row + 0.5)), &half);
        }
    }
    return afxi_case_end(&builder, out, error);
}

/* Four walls about a square of the given width, and a floor. */
static void add_pit(AfxiCaseBuilder *builder, double width) {
    AfxBodyDef body = afx_default_body();
    body.kind = AFX_BODY_FIXED;
    afxi_case_ground(builder, afx_pose_identity());
    for (int side = 0; side < 4; side++) {
        double sign = side % 2 ? 1 : -1, middle = sign * (0.5 * width + 0.5);
        AfxShapeDef wall =
            side < 2 ? afx_default_box(1, width + 2, 4 * width) : afx_default_box(width + 2, 1, 4 * width);
        body.pose = side < 2 ? at(middle, 0, 0) : at(0, middle, 0);
        afxi_case_shape(builder, afxi_case_body(builder, &body), &wall);
    }
}

static AfxStatus pile(uint32_t size, bool round, AfxScene **out, AfxError *error) {
    AfxiCaseBuilder builder = begin(0.5);
    AfxiCaseRandom random = {7};
    double pitch = 0.45;
    add_pit(&builder, size * 0.3);
    for (uint32_t k = 0; k < size * size * size; k++) {
        double x = 0.3 * (k % size + 0.5 - 0.5 * size), y = 0.3 * (k / size % size + 0.5 - 0.5 * size);
        double edge[3], z = 0.3 + pitch * (k / (size * size));
        for (int e = 0; e < 3; e++) {
            edge[e] = afxi_case_random_number(&random, BENCH_PILE_LEAST, 0.28) / (round ? 1 : 1.45);
        }
        edge[0] = fmax(edge[0], round ? 0 : BENCH_PILE_LEAST);
        AfxShapeDef shape = round ? afx_default_sphere(0.5 * edge[0]) : afx_default_box(edge[0], edge[1], edge[2]);
        AfxPose pose = at(x, y, z);
        pose.rotation = afxi_case_random_rotation(&random);
        add(&builder, pose, &shape);
    }
    return afxi_case_end(&builder, out, error);
}

AfxStatus bench_boxes(uint32_t size, AfxScene **out, AfxError *error) {
    return pile(size, false, out, error);
}

AfxStatus bench_spheres(uint32_t size, AfxScene **out, AfxError *error) {
    return pile(size, true, out, error);
}

/* A hinge with a servo and limits that turns `follower` about an axis through a point of the world. */
static void add_servo(AfxiCaseBuilder *builder, AfxBodyId base, AfxBodyId follower, AfxVec3 point, AfxVec3 axis) {
    AfxDriveDef servo = afx_default_drive(AFX_DRIVE_SERVO), limit = afx_default_drive(AFX_DRIVE_LIMIT);
    AfxDriveDef friction = afx_default_drive(AFX_DRIVE_FRICTION);
    AfxPose frame = afx_frame_along(point, axis);
    servo.joint = limit.joint = friction.joint = afxi_case_joint_at(builder, AFX_JOINT_REVOLUTE, base, follower, frame);
    servo.from_input = true;
    servo.stiffness = 60;
    servo.damping = 1.5;
    servo.effort = 35;
    limit.lower = -0.9;
    limit.upper = 0.9;
    friction.effort = 0.2;
    afxi_case_drive(builder, &servo);
    afxi_case_drive(builder, &limit);
    afxi_case_drive(builder, &friction);
}

static void add_robot(AfxiCaseBuilder *builder, double x0, double y0) {
    const double up = 0.34;
    AfxShapeDef trunk = afx_default_box(0.38, 0.1, 0.11), hip = afx_default_box(0.06, 0.05, 0.06);
    AfxBodyId body = add(builder, at(x0, y0, up), &trunk);
    for (int leg = 0; leg < 4; leg++) {
        double x = x0 + (leg < 2 ? 0.19 : -0.19), side = leg % 2 ? 1 : -1, y = y0 + side * 0.09;
        AfxShapeDef thigh = afxi_case_rod((AfxVec3){-0.08, 0, 0}, (AfxVec3){0.08, 0, 0}, BENCH_ROBOT_LEAST / 2);
        AfxVec3 knee = {x - 0.1, y + side * 0.06, up - 0.16}, foot = {x, y + side * 0.06, BENCH_ROBOT_LEAST / 2};
        AfxVec3 top = {x, y + side * 0.06, up};
        AfxBodyId a = add(builder, at(x, y, up), &hip);
        AfxBodyId b = add(builder, afx_frame_along(afxi_case_middle(top, knee), afxi_case_sub(knee, top)), &thigh);
        AfxBodyId c = add(builder, afx_frame_along(afxi_case_middle(knee, foot), afxi_case_sub(foot, knee)), &thigh);
        add_servo(builder, body, a, (AfxVec3){x, y, up}, (AfxVec3){1, 0, 0});
        add_servo(builder, a, b, top, (AfxVec3){0, 1, 0});
        add_servo(builder, b, c, knee, (AfxVec3){0, 1, 0});
    }
}

AfxStatus bench_robots(uint32_t size, AfxScene **out, AfxError *error) {
    AfxiCaseBuilder builder = begin(0.8);
    afxi_case_ground(&builder, afx_pose_identity());
    for (uint32_t k = 0; k < size; k++) {
        add_robot(&builder, 1.5 * (k % 10), 1.5 * (k / 10));
    }
    return afxi_case_end(&builder, out, error);
}

/* A limb of two capsules that points from the trunk: a ball, and a hinge with limits. */
static void add_limb(AfxiCaseBuilder *builder, AfxBodyId trunk, AfxVec3 from, AfxVec3 along, double length) {
    AfxShapeDef rod =
        afxi_case_rod((AfxVec3){-0.35 * length, 0, 0}, (AfxVec3){0.35 * length, 0, 0}, BENCH_FIGURE_LEAST / 2);
    AfxBodyId part[3] = {trunk};
    for (int k = 0; k < 2; k++) {
        AfxVec3 middle = afxi_case_add(from, afxi_case_scale(length * (k + 0.5), along));
        AfxPose joint =
            afx_frame_along(afxi_case_add(from, afxi_case_scale(length * k, along)), k ? (AfxVec3){0, 1, 0} : along);
        part[k + 1] = add(builder, afx_frame_along(middle, along), &rod);
        if (k == 0) {
            afxi_case_springy_ball(builder, part[0], part[1], joint, 5, 5, 0.02);
            continue;
        }
        AfxDriveDef limit = afx_default_drive(AFX_DRIVE_LIMIT);
        limit.joint = afxi_case_joint_at(builder, AFX_JOINT_REVOLUTE, part[1], part[2], joint);
        limit.lower = -0.1;
        limit.upper = 2;
        afxi_case_drive(builder, &limit);
    }
}

AfxStatus bench_figures(uint32_t size, AfxScene **out, AfxError *error) {
    static const AfxVec3 socket[5] = {{0.1, 0, -0.25}, {-0.1, 0, -0.25}, {0.2, 0, 0.2}, {-0.2, 0, 0.2}, {0, 0, 0.3}};
    static const AfxVec3 along[5] = {{0, 0, -1}, {0, 0, -1}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}};
    static const double length[5] = {0.35, 0.35, 0.25, 0.25, 0.15};
    AfxiCaseBuilder builder = begin(0.4);
    AfxiCaseRandom random = {3};
    AfxShapeDef chest = afx_default_box(0.3, 0.2, 0.5);
    afxi_case_ground(&builder, afx_pose_identity());
    for (uint32_t k = 0; k < size; k++) {
        double x = 1.6 * (k % 5) + afxi_case_random_number(&random, -0.1, 0.1);
        double y = 0.5 * (k / 5 % 5) + afxi_case_random_number(&random, -0.1, 0.1), z = 1.2 + 1.7 * (k / 25);
        AfxBodyId trunk = add(&builder, at(x, y, z), &chest);
        for (int limb = 0; limb < 5; limb++) {
            AfxVec3 from = afxi_case_add((AfxVec3){x, y, z}, socket[limb]);
            add_limb(&builder, trunk, from, along[limb], length[limb]);
        }
    }
    return afxi_case_end(&builder, out, error);
}

AfxStatus bench_crowd(uint32_t size, AfxScene **out, AfxError *error) {
    AfxiCaseBuilder builder = begin(0.5);
    AfxiCaseRandom random = {5};
    AfxShapeDef box = afx_default_box(0.3, 0.3, 0.3);
    afxi_case_ground(&builder, afx_pose_identity());
    for (uint32_t k = 0; k < size; k++) {
        AfxPose pose = at(0.01 * (k % 3), 0.01 * (k % 5), 1 + 0.001 * k);
        pose.rotation = afxi_case_random_rotation(&random);
        add(&builder, pose, &box);
    }
    return afxi_case_end(&builder, out, error);
}
