/* SPDX-License-Identifier: Apache-2.0 */
/* A scene in MuJoCo's posture. Joints of the scene are in the order of MuJoCo's, one or several of these to each. */
#include "mujoco.h"

#include <stdlib.h>

/** The next joint of the scene that is not a helper. */
static uint32_t next_joint(const AfxScene *scene, uint32_t from) {
    while (from < afx_scene_joint_count(scene) &&
           mujoco_is_helper(afx_scene_joint_name(scene, afx_scene_joint(scene, from)))) {
        from++;
    }
    return from;
}

static int compare_sizes(const void *a, const void *b) {
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

/** Angles that differ by whole turns are the same posture. */
static double unwound(double got, double want, bool turns) {
    return turns ? got - 6.283185307179586 * round((got - want) / 6.283185307179586) : got;
}

/** Compares what the joints of one body read, from `first` of MuJoCo's on; returns the scene's next joint. */
static uint32_t compare_joints(MujocoCase *c, MujocoRig *rig, uint32_t first, uint32_t count, bool chain,
                               uint32_t joint) {
    AfxJointDef def;
    const MujocoJoint *j = c->joints + first;
    joint = next_joint(c->scene, joint);
    if (joint >= afx_scene_joint_count(c->scene)) {
        mujoco_compare(c, "joint", first, -1, 0, 0);
        return joint;
    }
    assert_ok(afx_scene_get_joint(c->scene, afx_scene_joint(c->scene, joint), &def));
    uint32_t axes = afx_joint_axis_count(def.kind), at = afx_model_joint_coordinate(rig->model, joint);
    if (axes == 1) { /* alone, or in a chain of joints: read as in the file */
        double got = unwound(rig->values[at], j->value, j->turns);
        if (count == 1 && !chain) { /* where parts between joints are, MuJoCo does not say */
            mujoco_compare(c, "coordinate", first, got, j->value, MUJOCO_TOLERANCE);
        }
        rig->values[at] = j->value;
        return count == 1 ? joint + 1 : compare_joints(c, rig, first + 1, count - 1, true, joint + 1);
    }
    double got[6], want[6];
    uint32_t numbers = 0;
    for (uint32_t k = 0; k < count; k++) { /* composed: the same numbers but for sign and order */
        if (!isnan(j[k].value)) {
            want[numbers++] = j[k].value - j[k].start;
        }
    }
    if (numbers == axes) {
        memcpy(got, rig->values + at, axes * sizeof *got);
        qsort(got, axes, sizeof *got, compare_sizes);
        qsort(want, axes, sizeof *want, compare_sizes);
        for (uint32_t k = 0; k < axes; k++) {
            mujoco_compare(c, "composed coordinate", first, fabs(got[k]), fabs(want[k]), MUJOCO_TOLERANCE);
        }
    }
    return joint + 1;
}

/** Coordinates of helpers follow from those of the joints that they are coupled to. */
static void follow_couplings(const MujocoCase *c, MujocoRig *rig) {
    for (uint32_t k = 0; k < afx_scene_coupling_count(c->scene); k++) {
        AfxCouplingDef def;
        assert_ok(afx_scene_get_coupling(c->scene, k, &def));
        uint32_t last = def.term_count - 1;
        if (!def.name || !mujoco_is_helper(def.name)) {
            continue;
        }
        double sum = -def.constant;
        for (uint32_t t = 0; t < last; t++) {
            sum +=
                def.factor[t] * rig->values[afx_model_joint_coordinate(rig->model, def.joint[t].index) + def.axis[t]];
        }
        rig->values[afx_model_joint_coordinate(rig->model, def.joint[last].index)] = -sum / def.factor[last];
    }
}

static void make_sim(MujocoRig *rig) {
    AfxSimDef def = afx_default_sim();
    def.accuracy = AFX_ACCURATE;
    assert_ok(afx_sim_create(rig->model, &def, &rig->sim));
}

/** Reads all joint coordinates where MuJoCo's bodies are. */
static void read_joints(MujocoCase *c, MujocoRig *rig) {
    make_sim(rig);
    for (uint32_t k = 0; k < c->body_count; k++) {
        assert_ok(afx_sim_set_body_pose(rig->sim, c->movers[k], c->places[k]));
    }
    assert_ok(afx_sim_joint_coordinates(rig->sim, rig->values));
    uint32_t joint = 0;
    for (uint32_t k = 0; k < c->joint_count;) {
        uint32_t count = 1;
        while (k + count < c->joint_count && c->joints[k + count].body == c->joints[k].body) {
            count++;
        }
        if (!c->free[c->joints[k].body]) {
            joint = compare_joints(c, rig, k, count, false, joint);
        }
        k += count;
    }
    follow_couplings(c, rig);
    afx_sim_destroy(rig->sim);
}

/** Places the bodies by the coordinates and compares. */
static void place_bodies(MujocoCase *c, MujocoRig *rig) {
    double residual = NAN;
    make_sim(rig);
    for (uint32_t k = 0; k < c->body_count; k++) {
        if (c->free[k]) {
            assert_ok(afx_sim_set_body_pose(rig->sim, c->movers[k], c->places[k]));
        }
    }
    if (afx_sim_set_joint_coordinates(rig->sim, rig->values, &residual) != AFX_OK) {
        mujoco_compare(c, "placing: residual", 0, residual, 0, 0);
        return;
    }
    for (uint32_t k = 0; k < c->body_count; k++) {
        AfxPose got, want = c->places[k];
        assert_ok(afx_sim_body_pose(rig->sim, c->movers[k], &got));
        double dot = got.rotation.w * want.rotation.w + got.rotation.x * want.rotation.x +
                     got.rotation.y * want.rotation.y + got.rotation.z * want.rotation.z;
        mujoco_compare(c, "place x", k, got.position.x, want.position.x, MUJOCO_TOLERANCE);
        mujoco_compare(c, "place y", k, got.position.y, want.position.y, MUJOCO_TOLERANCE);
        mujoco_compare(c, "place z", k, got.position.z, want.position.z, MUJOCO_TOLERANCE);
        mujoco_compare(c, "turn", k, fabs(dot), 1, 1e-15 + MUJOCO_TOLERANCE * MUJOCO_TOLERANCE * 1e3);
        c->worst = fmax(c->worst, fabs(got.position.x - want.position.x));
        c->worst = fmax(c->worst, fabs(got.position.y - want.position.y));
        c->worst = fmax(c->worst, fabs(got.position.z - want.position.z));
    }
    for (uint32_t s = 0, k = 0; s < afx_scene_marker_count(c->scene) && k < c->site_count; s++) {
        const char *name;
        AfxBodyId body;
        AfxVec3 point, got;
        assert_ok(afx_scene_get_marker(c->scene, s, &name, &body, &point));
        if (strcmp(name, c->site_names[k]) == 0) {
            assert_ok(afx_sim_marker(rig->sim, s, &got, NULL));
            mujoco_compare(c, "site x", k, got.x, c->sites[k].x, MUJOCO_TOLERANCE);
            mujoco_compare(c, "site y", k, got.y, c->sites[k].y, MUJOCO_TOLERANCE);
            mujoco_compare(c, "site z", k, got.z, c->sites[k].z, MUJOCO_TOLERANCE);
            k++;
            c->site_checks++;
        }
    }
}

void mujoco_place(MujocoCase *c, MujocoRig *rig) {
    AfxError error;
    *rig = (MujocoRig){0};
    assert_ok(afx_scene_set_contact(c->scene, false)); /* only joints are looked at */
    if (afx_model_create(c->scene, &rig->model, &error) != AFX_OK) {
        print_error("%s: %s: %s\n", c->file, error.element, error.text);
        c->bad++;
        return;
    }
    rig->values = calloc(afx_model_coordinate_count(rig->model) + 1, sizeof(double));
    assert_non_null(rig->values);
    read_joints(c, rig);
    place_bodies(c, rig);
}

void mujoco_free(MujocoRig *rig) {
    free(rig->values);
    afx_sim_destroy(rig->sim);
    afx_model_destroy(rig->model);
    *rig = (MujocoRig){0};
}
