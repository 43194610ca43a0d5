/* SPDX-License-Identifier: Apache-2.0 */
#include "step/sensor_more.h"

#include <math.h>
#include <string.h>

#include "affix/sensor.h"
#include "collide/cast.h"
#include "contact/ray.h"
#include "joint/law.h"
#include "math/polar.h"
#include "model/model.h"
#include "step/joint_query.h"
#include "step/tuning.h"

/* ---- limits ---- */

double afxi_sensor_limit(const AfxSim *sim, const AfxiSensor *sensor) {
    const AfxModel *model = sim->model;
    bool tendon = sensor->kind >= AFX_SENSOR_TENDON_LIMIT_POSITION;
    const AfxiCoupling *coupling = tendon ? &model->couplings[sensor->object] : NULL;
    const AfxGeneralized *g = tendon ? NULL : &model->robot.generalized[sensor->object].shown;
    uint32_t joint = tendon ? coupling->joint[coupling->term_count - 1] : g->joint; /* the last is that of the block */
    uint32_t axis = tendon ? coupling->axis[coupling->term_count - 1] : g->axis;
    AfxSensorKind kind = (AfxSensorKind)(tendon ? sensor->kind - 3 : sensor->kind);
    if (tendon && joint < model->shown.joints) {
        return 0; /* it holds its sum, which has no limit */
    }
    const AfxiJoint *source = &model->joints[joint];
    for (uint32_t d = 0; d < source->drive_count; d++) {
        uint32_t drive = model->drive_order[source->first_drive + d];
        double effort = 0, value, rate;
        if (model->drives[drive].kind != AFX_DRIVE_LIMIT || model->drives[drive].axis != axis ||
            afx_sim_drive_effort(sim, drive, &effort) != AFX_OK || effort == 0) {
            continue;
        }
        const double *numbers = afxi_world_param(&sim->world, AFX_PARAM_DRIVE, drive);
        afxi_joint_coordinate(sim, joint, axis, &value, &rate);
        return kind == AFX_SENSOR_JOINT_LIMIT_FORCE      ? fabs(effort)
               : kind == AFX_SENSOR_JOINT_LIMIT_VELOCITY ? copysign(1, effort) * rate
               : effort > 0                              ? value - numbers[AFXI_DRIVE_LOWER]
                                                         : numbers[AFXI_DRIVE_UPPER] - value;
    }
    return 0;
}

/* ---- places seen from frames ---- */

AfxiGeometry afxi_sensor_zone(const AfxiSensor *sensor) {
    const double *size = sensor->zone_size;
    AfxiGeometry g = {.radius = size[0], .half_length = size[1] / 2, .half = {size[0], size[1], size[2]}};
    switch (sensor->zone - 1) {
    case AFX_SHAPE_BOX:
        g.kind = AFXI_GEOMETRY_BOX;
        break;
    case AFX_SHAPE_SPHERE:
        g.kind = AFXI_GEOMETRY_SPHERE;
        break;
    case AFX_SHAPE_CAPSULE:
        g.kind = AFXI_GEOMETRY_CAPSULE;
        break;
    case AFX_SHAPE_CYLINDER:
        g.kind = AFXI_GEOMETRY_CYLINDER;
        break;
    default:
        g.kind = AFXI_GEOMETRY_ELLIPSOID;
    }
    return g;
}

bool afxi_sensor_zone_has(const AfxiSensor *sensor, AfxVec3 x) {
    AfxiGeometry zone = afxi_sensor_zone(sensor);
    const double *s = sensor->zone_size;
    switch (zone.kind) {
    case AFXI_GEOMETRY_BOX:
        return fabs(x.x) <= s[0] && fabs(x.y) <= s[1] && fabs(x.z) <= s[2];
    case AFXI_GEOMETRY_SPHERE:
        return vec3_length(x) <= s[0];
    case AFXI_GEOMETRY_CAPSULE:
        return hypot(hypot(x.x, x.y), fmax(fabs(x.z) - zone.half_length, 0)) <= s[0];
    case AFXI_GEOMETRY_CYLINDER:
        return hypot(x.x, x.y) <= s[0] && fabs(x.z) <= zone.half_length;
    default:
        return hypot(hypot(x.x / s[0], x.y / s[1]), x.z / s[2]) <= 1;
    }
}

void afxi_sensor_seen(const AfxSim *sim, const AfxiSensor *sensor, double *out) {
    AfxPose site = afx_pose_identity(), from = site;
    afx_sim_site(sim, sensor->object, &site, NULL);
    afx_sim_site(sim, sensor->reference, &from, NULL);
    AfxVec3 x = afx_pose_apply(afx_pose_invert(from), site.position);
    if (sensor->kind == AFX_SENSOR_INSIDE) {
        *out = afxi_sensor_zone_has(sensor, x);
        return;
    }
    double focal = 0.5 * sensor->field.z / tan(0.5 * sensor->field.x); /* in rows of the picture */
    double ahead = fabs(x.z) < AFXI_CAMERA_NEAR ? -AFXI_CAMERA_NEAR : x.z;
    out[0] = 0.5 * sensor->field.y - focal * x.x / ahead;
    out[1] = 0.5 * sensor->field.z + focal * x.y / ahead;
}

/* ---- distances ---- */

static AfxiPlace place_of(const AfxSim *sim, const AfxiCastItem *item) {
    const double *q = sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * item->body;
    AfxiMat3 a = mat3_load(q), frame = afxi_rotation_part(&a, NULL), turn = mat3_multiply(&frame, &item->turn);
    AfxiPlace place;
    memcpy(place.r, turn.m, sizeof place.r);
    vec3_store(place.t, vec3_add(vec3_load(q + 9), mat3_apply(&frame, item->shift)));
    return place;
}

/* Which shape of a body a sensor means. */
static uint32_t part_of(const AfxiSensor *sensor, int side) {
    return (uint32_t)sensor->zone_size[side];
}

/* The next shape of a body, from item *at on, that a sensor means. */
static const AfxiCastItem *next_of(const AfxiCast *cast, uint32_t body, uint32_t part, uint32_t *at) {
    for (uint32_t own = 0, k = 0; k < cast->item_count; k++) {
        if (cast->items[k].body == body) {
            bool meant = part == UINT32_MAX || part == own;
            own++;
            if (k >= *at && meant) {
                *at = k + 1;
                return &cast->items[k];
            }
        }
    }
    return NULL;
}

void afxi_sensor_apart(const AfxSim *sim, const AfxiSensor *sensor, double *out) {
    const AfxiCast *cast = sim->eyes;
    AfxiTouch best = {.gap = sensor->cutoff}, touch[AFXI_TOUCH_MAX];
    const AfxiCastItem *a, *b;
    for (uint32_t first = 0; cast && (a = next_of(cast, sensor->object, part_of(sensor, 0), &first)) != NULL;) {
        AfxiPlace place_a = place_of(sim, a);
        for (uint32_t second = 0; (b = next_of(cast, sensor->reference, part_of(sensor, 1), &second)) != NULL;) {
            AfxiPlace place_b = place_of(sim, b);
            uint32_t count = afxi_touch(&cast->geometries[a->geometry], &place_a, &cast->geometries[b->geometry],
                                        &place_b, sensor->cutoff, touch);
            for (uint32_t k = 0; k < count; k++) {
                best = touch[k].gap < best.gap ? touch[k] : best;
            }
        }
    }
    AfxVec3 way = vec3_sub(vec3_load(best.point_b), vec3_load(best.point_a));
    double length = vec3_length(way);
    if (sensor->kind == AFX_SENSOR_DISTANCE) {
        *out = best.gap;
    } else if (sensor->kind == AFX_SENSOR_NORMAL) {
        vec3_store(out, vec3_scale(length > 0 ? 1 / length : 0, way));
    } else {
        memcpy(out, best.point_a, sizeof best.point_a);
        memcpy(out + 3, best.point_b, sizeof best.point_b);
    }
}
