/* SPDX-License-Identifier: Apache-2.0 */
/* Joint coordinates of a pose of the follower's frame in the base's, and the drives that are told them. */
#include "affix/drive.h"

#include <math.h>
#include <string.h>

#include "joint/kind.h"
#include "math/vec3.h"
#include "model/model.h"
#include "step/sim.h"
#include "step/tuning.h"

#define KIND_AXES(kind, name, translations, rotations) {translations, rotations},
static const char *const axes_of[AFX_JOINT_KIND_COUNT][2] = {AFX_JOINT_TABLE(KIND_AXES)};
#undef KIND_AXES

static const AfxVec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

AfxStatus afx_scene_add_joint_drives(AfxScene *scene, const AfxDriveDef *def, AfxDriveId *out_drives) {
    AfxJointDef joint;
    if (!scene || !def || afx_scene_get_joint(scene, def->joint, &joint) != AFX_OK) {
        return AFX_E_ARGUMENT;
    }
    AfxDriveDef own = *def;
    AfxStatus status = AFX_OK;
    for (own.axis = 0; own.axis < afx_joint_axis_count(joint.kind) && status == AFX_OK; own.axis++) {
        AfxDriveId id;
        status = afx_scene_add_drive(scene, &own, &id);
        own.name = NULL;
        if (status == AFX_OK && out_drives) {
            out_drives[own.axis] = id;
        }
    }
    return status;
}

/* Angles about the axes of `word`, one after the other, each as the frame has turned: of up to three of them the set
 * that is nearest to `last`. What is left of the rotation comes back. */
static double angles_of(const char *word, AfxQuat rotation, const double *last, double *out) {
    size_t count = strlen(word);
    AfxVec3 column[3];
    for (int k = 0; k < 3; k++) {
        column[k] = afx_quat_rotate(rotation, unit[k]);
    }
    if (count == 3) { /* Rx(a) Ry(b) Rz(c) */
        double a = atan2(-column[2].y, column[2].z), c = atan2(-column[1].x, column[0].x);
        double across = hypot(column[2].y, column[2].z), b = atan2(column[2].x, across), off[2] = {0, 0};
        const double set[2][3] = {{a, b, c}, {a + AFXI_TWO_PI / 2, AFXI_TWO_PI / 2 - b, c + AFXI_TWO_PI / 2}};
        for (int s = 0; s < 2; s++) {
            for (int k = 0; k < 3; k++) {
                double by = remainder(set[s][k] - last[k], AFXI_TWO_PI);
                off[s] += by * by;
            }
        }
        memcpy(out, set[off[1] < off[0]], 3 * sizeof *out);
    } else if (count == 2) { /* Rx(a) Ry(b) */
        out[0] = atan2(column[1].z, column[1].y);
        out[1] = atan2(column[2].x, column[0].x);
    } else if (count == 1) {
        int axis = word[0] - 'x', next = (axis + 1) % 3, other = (axis + 2) % 3;
        out[0] = atan2(vec3_dot(column[next], unit[other]), vec3_dot(column[next], unit[next]));
    }
    AfxQuat built = {1, 0, 0, 0};
    for (size_t k = 0; k < count; k++) {
        out[k] = last[k] + remainder(out[k] - last[k], AFXI_TWO_PI);
        built = afx_quat_multiply(built, afx_quat_from_axis_angle(unit[word[k] - 'x'], out[k]));
    }
    double left = 0;
    for (int k = 0; k < 3; k++) {
        left = fmax(left, vec3_length(vec3_sub(column[k], afx_quat_rotate(built, unit[k]))));
    }
    return left;
}

/* Rates of these angles for an angular velocity: it is the sum of rates times the axes as they have turned. Near where
 * the first and the last axis are one, a bounded solution. */
static void rates_of(const char *word, const double *angle, AfxVec3 spin, double *out) {
    size_t count = strlen(word);
    AfxQuat turned = {1, 0, 0, 0};
    AfxVec3 axis[3];
    for (size_t k = 0; k < count; k++) {
        axis[k] = afx_quat_rotate(turned, unit[word[k] - 'x']);
        turned = afx_quat_multiply(turned, afx_quat_from_axis_angle(unit[word[k] - 'x'], angle[k]));
    }
    if (count == 3) { /* the second is square to the others */
        double s = vec3_dot(axis[0], axis[2]), d = fmax(AFXI_TARGET_SINGULAR, 1 - s * s);
        double first = vec3_dot(axis[0], spin), last = vec3_dot(axis[2], spin);
        out[0] = (first - s * last) / d;
        out[1] = vec3_dot(axis[1], spin);
        out[2] = (last - s * first) / d;
        return;
    }
    for (size_t k = 0; k < count; k++) {
        out[k] = vec3_dot(axis[k], spin);
    }
}

/* Sets the drives of a joint; how many there are comes back. Without `set` they are only counted. */
static uint32_t tell(AfxSim *sim, uint32_t joint, const double *value, const double *rate, bool set) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < sim->model->drive_count; k++) {
        const AfxiDrive *drive = &sim->model->drives[k];
        bool follows = drive->joint == joint && drive->from_input && drive->axis < 6 &&
                       (drive->kind == AFX_DRIVE_POSITION || drive->kind == AFX_DRIVE_SERVO);
        count += follows;
        if (follows && set) {
            afx_sim_set_drive_target(sim, k, value[drive->axis], rate[drive->axis]);
        }
    }
    return count;
}

AfxStatus afx_sim_set_joint_target(AfxSim *sim, uint32_t joint, AfxPose pose, AfxTwist twist) {
    double value[6] = {0}, rate[6] = {0}, last[6] = {0};
    const double at[3] = {pose.position.x, pose.position.y, pose.position.z};
    const double go[3] = {twist.linear.x, twist.linear.y, twist.linear.z};
    double square = pose.rotation.w * pose.rotation.w + pose.rotation.x * pose.rotation.x +
                    pose.rotation.y * pose.rotation.y + pose.rotation.z * pose.rotation.z;
    double sum = at[0] + at[1] + at[2] + go[0] + go[1] + go[2] + twist.angular.x + twist.angular.y + twist.angular.z;
    if (!sim || joint >= sim->model->shown.joints || !isfinite(sum) || !(fabs(square - 1) < 1e-3) ||
        !tell(sim, joint, value, rate, false)) {
        return AFX_E_ARGUMENT;
    }
    const char *const *axes = axes_of[sim->model->joints[joint].kind];
    size_t slides = strlen(axes[0]), count = slides + strlen(axes[1]);
    double size = 1 / sqrt(square), left = 0;
    AfxQuat rotation = {size * pose.rotation.w, size * pose.rotation.x, size * pose.rotation.y, size * pose.rotation.z};
    for (uint32_t k = 0; k < count; k++) {
        afx_sim_joint_coordinate(sim, joint, k, &last[k], NULL);
    }
    for (int k = 0; k < 3; k++) {
        const char *found = strchr(axes[0], 'x' + k);
        if (found) {
            value[found - axes[0]] = at[k];
            rate[found - axes[0]] = go[k];
        } else {
            left = fmax(left, fabs(at[k]));
        }
    }
    left = fmax(left, angles_of(axes[1], rotation, last + slides, value + slides));
    rates_of(axes[1], value + slides, twist.angular, rate + slides);
    if (!(left <= AFXI_TARGET_OFF)) {
        return AFX_E_INPUT;
    }
    tell(sim, joint, value, rate, true);
    return AFX_OK;
}
