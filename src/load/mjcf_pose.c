/* SPDX-License-Identifier: Apache-2.0 */
/* Positions, orientations in all their ways of writing, fromto, and limits. */
#include <math.h>

#include "load/mjcf.h"

#define DEGREE 0.017453292519943295

/* Vectors shorter than this have no direction (MuJoCo's mjMINVAL). */
#define SHORT 1e-15

double afxi_mjcf_angle(const AfxiMjcfModel *model, double angle) {
    return model->settings.degree ? angle * DEGREE : angle;
}

AfxQuat afxi_mjcf_euler(const AfxiMjcfModel *model, const double angles[3]) {
    static const AfxVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    AfxQuat turn = {1, 0, 0, 0};
    for (int k = 0; k < 3; k++) {
        char letter = model->settings.euler[k];
        bool fixed = letter < 'a'; /* X, Y, Z stand still; x, y, z turn with the frame */
        AfxQuat part = afx_quat_from_axis_angle(axes[letter - (fixed ? 'X' : 'x')], afxi_mjcf_angle(model, angles[k]));
        turn = fixed ? afx_quat_multiply(part, turn) : afx_quat_multiply(turn, part);
    }
    return turn;
}

AfxQuat afxi_mjcf_turn_z(AfxVec3 v) {
    v = vec3_scale(1 / vec3_length(v), v);
    AfxVec3 axis = vec3(-v.y, v.x, 0); /* z x v */
    double sine = hypot(v.x, v.y);
    return afx_quat_from_axis_angle(sine < 1e-10 ? vec3(1, 0, 0) : axis, atan2(sine, v.z));
}

static bool read_axes(AfxiMjcf *m, AfxiXmlNode *node, const double numbers[6], AfxQuat *rotation) {
    AfxVec3 x = vec3_load(numbers), y = vec3_load(numbers + 3);
    double length = vec3_length(x);
    if (length < SHORT) {
        return afxi_xml_error(m->load, node, "xyaxes", "its x axis has no direction", "give two axes");
    }
    x = vec3_scale(1 / length, x);
    y = vec3_mad(y, -vec3_dot(x, y), x);
    length = vec3_length(y);
    if (length < SHORT) {
        return afxi_xml_error(m->load, node, "xyaxes", "its axes are parallel", "give two axes across each other");
    }
    y = vec3_scale(1 / length, y);
    AfxiMat3 matrix = mat3_from_columns(x, y, vec3_cross(x, y));
    *rotation = afxi_quat_from_mat3(&matrix);
    return true;
}

bool afxi_mjcf_rotation(AfxiMjcf *m, const AfxiMjcfModel *model, AfxiXmlNode *node, AfxQuat *rotation) {
    double n[6];
    uint32_t count;
    if (!afxi_xml_numbers(m->load, node, "quat", 4, 4, n, &count)) {
        return false;
    }
    if (count) {
        *rotation = (AfxQuat){n[0], n[1], n[2], n[3]};
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + n[3] * n[3]);
        if (length < SHORT || !isfinite(length)) {
            return afxi_xml_error(m->load, node, "quat", "its length is zero", "give a quaternion of length 1");
        }
        *rotation = afxi_quat_normalized(*rotation);
    }
    if (!afxi_xml_numbers(m->load, node, "axisangle", 4, 4, n, &count)) {
        return false;
    }
    if (count && vec3_length(vec3_load(n)) < SHORT) {
        return afxi_xml_error(m->load, node, "axisangle", "its axis has no direction", "give an axis");
    }
    if (count) {
        *rotation = afx_quat_from_axis_angle(vec3_load(n), afxi_mjcf_angle(model, n[3]));
    }
    if (!afxi_xml_numbers(m->load, node, "xyaxes", 6, 6, n, &count) || (count && !read_axes(m, node, n, rotation))) {
        return false;
    }
    if (!afxi_xml_numbers(m->load, node, "zaxis", 3, 3, n, &count)) {
        return false;
    }
    if (count && vec3_length(vec3_load(n)) < SHORT) {
        return afxi_xml_error(m->load, node, "zaxis", "it has no direction", "give an axis");
    }
    if (count) {
        *rotation = afxi_mjcf_turn_z(vec3_load(n));
    }
    if (!afxi_xml_numbers(m->load, node, "euler", 3, 3, n, &count)) {
        return false;
    }
    if (count) {
        *rotation = afxi_mjcf_euler(model, n);
    }
    return true;
}

bool afxi_mjcf_pose(AfxiMjcf *m, const AfxiMjcfModel *model, AfxiXmlNode *node, AfxPose *out_pose) {
    *out_pose = afx_pose_identity();
    return afxi_xml_vec3(m->load, node, "pos", &out_pose->position) &&
           afxi_mjcf_rotation(m, model, node, &out_pose->rotation);
}

bool afxi_mjcf_fromto(AfxiMjcf *m, AfxiXmlNode *node, AfxPose *pose, double *out_half, bool *out_there) {
    double n[6];
    uint32_t count;
    *out_there = false;
    if (!afxi_xml_numbers(m->load, node, "fromto", 6, 6, n, &count)) {
        return false;
    }
    if (count == 0) {
        return true;
    }
    AfxVec3 from = vec3_load(n), to = vec3_load(n + 3), along = vec3_sub(from, to);
    *out_half = vec3_length(along) / 2;
    if (*out_half < SHORT) {
        return afxi_xml_error(m->load, node, "fromto", "its two points are the same", "give two points");
    }
    pose->position = vec3_scale(0.5, vec3_add(from, to));
    pose->rotation = afxi_mjcf_turn_z(along);
    *out_there = true;
    return true;
}

bool afxi_mjcf_limits(AfxiMjcf *m, const AfxiMjcfModel *model, AfxiXmlNode *node, const char *limited,
                      const char *range, double out_range[2], bool *out_limited) {
    static const char *const words[] = {"false", "true", "auto", NULL};
    int choice = 2;
    uint32_t count;
    out_range[0] = out_range[1] = 0;
    if (!afxi_xml_word(m->load, node, limited, words, &choice) ||
        !afxi_xml_numbers(m->load, node, range, 2, 2, out_range, &count)) {
        return false;
    }
    if (choice == 2 && count > 0 && !model->settings.autolimits && out_range[0] < out_range[1]) {
        return afxi_xml_error(m->load, node, range, "there is a range, but nothing says whether it limits",
                              "give limited, or set autolimits");
    }
    *out_limited = choice == 1 || (choice == 2 && out_range[0] < out_range[1]);
    if (*out_limited && !(out_range[0] < out_range[1])) {
        return afxi_xml_error(m->load, node, range, "its first number is not below its second", "give low < high");
    }
    return true;
}
