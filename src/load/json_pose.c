/* SPDX-License-Identifier: Apache-2.0 */
/* Poses, rotations and units of a scene file.
 *
 * A rotation is a unit quaternion (w, x, y, z), an axis and an angle, three angles about the axes that "order" names,
 * or the shortest turn of x into a direction. Letters in lower case are axes that stand still, the first letter's turn
 * being made first: "xyz" is R_z R_y R_x, roll, pitch and yaw. Letters in upper case are axes that turn along: "XYZ" is
 * R_x R_y R_z. */
#include <string.h>

#include "affix/joint.h"
#include "load/json.h"
#include "math/vec3.h"

#define DEGREE 0.017453292519943295769237

/* ---- units ---- */

typedef struct Unit {
    const char *names; /* words */
    double sizes[8];   /* of each in SI */
    size_t offset;     /* in AfxiJsonUnits */
} Unit;

#define UNIT(field) offsetof(AfxiJsonUnits, field)

/* In the order of the keys of "units". */
static const Unit unit_table[] = {
    {"m mm cm km in ft", {1, 1e-3, 1e-2, 1e3, 0.0254, 0.3048}, UNIT(length)},
    {"kg g t lb", {1, 1e-3, 1e3, 0.45359237}, UNIT(mass)},
    {"s ms min", {1, 1e-3, 60}, UNIT(time)},
    {"rad deg", {1, DEGREE}, UNIT(angle)},
    {"N mN kN lbf", {1, 1e-3, 1e3, 4.4482216152605}, UNIT(force)},
    {"Nm Nmm Ncm kNm lbf-ft lbf-in", {1, 1e-3, 1e-2, 1e3, 1.3558179483314004, 0.1129848290276167}, UNIT(torque)},
    {"Pa kPa MPa GPa psi", {1, 1e3, 1e6, 1e9, 6894.757293168361}, UNIT(pressure)},
    {"kg/m3 g/cm3", {1, 1e3}, UNIT(density)},
};

bool afxi_json_units(AfxiJsonFile *file, const AfxiJsonNode *node) {
    static const char *const keys[] = {"length", "mass", "time", "angle", "force", "torque", "pressure", "density"};
    bool fine = afxi_json_keys(file, node, "length mass time angle force torque pressure density");
    for (size_t k = 0; k < sizeof unit_table / sizeof unit_table[0] && fine; k++) {
        const AfxiJsonNode *value = afxi_json_get(node, keys[k]);
        uint32_t index = 0;
        if (value && afxi_json_word(file, value, unit_table[k].names, &index)) {
            memcpy((char *)&file->units + unit_table[k].offset, &unit_table[k].sizes[index], sizeof(double));
        }
        fine = file->load->error.status == AFX_OK;
    }
    return fine;
}

/* ---- rotations ---- */

/** One of two keys: an angle in the file's unit, or in degrees. */
static double angle_unit(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *degrees) {
    return afxi_json_get(object, degrees) ? DEGREE : file->units.angle;
}

static bool read_axis_angle(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxQuat *out) {
    AfxVec3 axis = {0, 0, 0};
    double angle = 0;
    bool degrees = afxi_json_get(node, "degrees") != NULL;
    const AfxiJsonNode *unused;
    if (!afxi_json_keys(file, node, degrees ? "axis degrees" : "axis angle") ||
        !afxi_json_need(file, node, degrees ? "degrees" : "angle", &unused) ||
        !afxi_json_vec3(file, node, "axis", 1, &axis) ||
        !afxi_json_number(file, node, degrees ? "degrees" : "angle", angle_unit(file, node, "degrees"), &angle)) {
        return false;
    }
    if (axis.x == 0 && axis.y == 0 && axis.z == 0) {
        return afxi_json_error(file, node, "the axis has length zero", "give the axis to turn about");
    }
    *out = afx_quat_from_axis_angle(axis, angle);
    return true;
}

/** Three different or returning axes, all of one case. */
static bool is_order(const char *order) {
    return strlen(order) == 3 && (strspn(order, "xyz") == 3 || strspn(order, "XYZ") == 3) && order[0] != order[1] &&
           order[1] != order[2];
}

static bool read_euler(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxQuat *out) {
    bool degrees = afxi_json_get(node, "euler_degrees") != NULL;
    const char *order = "xyz";
    const AfxiJsonNode *angles_node;
    double angles[3];
    if (!afxi_json_keys(file, node, degrees ? "euler_degrees order" : "euler order") ||
        !afxi_json_need(file, node, degrees ? "euler_degrees" : "euler", &angles_node) ||
        !afxi_json_numbers_at(file, angles_node, 3, angle_unit(file, node, "euler_degrees"), angles) ||
        !afxi_json_text(file, node, "order", &order)) {
        return false;
    }
    if (!is_order(order)) {
        return afxi_json_error(file, afxi_json_get(node, "order"), "this is no order of axes",
                               "give three of x, y, z (axes that stand still) or of X, Y, Z (that turn along)");
    }
    AfxQuat q = {1, 0, 0, 0};
    bool fixed = order[0] >= 'x';
    for (int k = 0; k < 3; k++) {
        int axis = order[k] - (fixed ? 'x' : 'X');
        AfxQuat turn = afx_quat_from_axis_angle(vec3(axis == 0, axis == 1, axis == 2), angles[k]);
        q = fixed ? afx_quat_multiply(turn, q) : afx_quat_multiply(q, turn);
    }
    *out = q;
    return true;
}

static bool read_along(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxQuat *out) {
    AfxVec3 axis = {0, 0, 0};
    if (!afxi_json_keys(file, node, "along") || !afxi_json_vec3(file, node, "along", 1, &axis)) {
        return false;
    }
    if (axis.x == 0 && axis.y == 0 && axis.z == 0) {
        return afxi_json_error(file, node, "the direction has length zero", "give where the x axis is to point");
    }
    *out = afx_frame_along(vec3(0, 0, 0), axis).rotation;
    return true;
}

static bool read_rotation(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxQuat *out) {
    if (json_is_array(node->value)) {
        double q[4];
        if (!afxi_json_numbers_at(file, node, 4, 1, q)) {
            return false;
        }
        *out = (AfxQuat){q[0], q[1], q[2], q[3]};
        return true;
    }
    if (afxi_json_get(node, "axis")) {
        return read_axis_angle(file, node, out);
    }
    if (afxi_json_get(node, "along")) {
        return read_along(file, node, out);
    }
    if (afxi_json_get(node, "euler") || afxi_json_get(node, "euler_degrees")) {
        return read_euler(file, node, out);
    }
    return afxi_json_error(file, node, "this is no rotation",
                           "give [w, x, y, z], or an object with axis and angle or degrees, with euler or "
                           "euler_degrees, or with along");
}

/** Rotations are compared with others and composed before the scene sees them: what it would refuse is refused here. */
static bool check_unit(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxQuat *q) {
    double square = q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z;
    return fabs(square - 1) <= 2e-3 || afxi_json_error(file, node, "this is not a unit quaternion",
                                                       "divide (w, x, y, z) by its length; the order is w first");
}

bool afxi_json_rotation(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key, AfxQuat *rotation) {
    const AfxiJsonNode *node = afxi_json_get(object, key);
    return !node || (read_rotation(file, node, rotation) && check_unit(file, node, rotation));
}

bool afxi_json_pose(const AfxiJsonFile *file, const AfxiJsonNode *object, AfxPose *pose) {
    return afxi_json_vec3(file, object, "position", file->units.length, &pose->position) &&
           afxi_json_rotation(file, object, "rotation", &pose->rotation);
}

bool afxi_json_pose_at(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxPose *pose) {
    return afxi_json_keys(file, node, "position rotation") && afxi_json_pose(file, node, pose);
}
