/* SPDX-License-Identifier: Apache-2.0 */
/* Contact sensors, as MuJoCo has them: which contacts match two sides, some of them, and what is told of each. The
 * force of the first side on the second is told in the axes (n, t, n x t) of the contact, n from the first side to the
 * second. */
#include "step/sensor_contact.h"

#include <math.h>
#include <string.h>

#include "affix/sensor.h"
#include "math/vec3.h"
#include "model/model.h"
#include "step/sensor_more.h"

/* A contact as a sensor sees it. */
typedef struct Seen {
    AfxVec3 normal, point, force, torque; /* on the second side, world axes */
    double distance, strength;
} Seen;

/* ---- matching ---- */

/* What carries a body: the other end of the joint that forward kinematics places it by; AFXI_WORLD: nothing. */
static uint32_t carrier_of(const AfxModel *model, uint32_t body) {
    for (uint32_t k = 0; k < model->robot.step_count; k++) {
        const AfxiPlaceStep *step = &model->robot.step[k];
        if (step->body == body && step->joint != UINT32_MAX) {
            const AfxiJoint *joint = &model->joints[step->joint];
            return joint->base == body ? joint->follower : joint->base;
        }
    }
    return AFXI_WORLD;
}

static bool side_matches(const AfxModel *model, const AfxiSensor *sensor, int side, uint32_t body, uint32_t shape) {
    uint32_t wanted = side ? sensor->reference : sensor->object;
    if (wanted == UINT32_MAX) {
        return true;
    }
    if (sensor->shape[side] != UINT32_MAX) {
        return shape == sensor->shape[side];
    }
    for (uint32_t way = 0; sensor->subtree[side] && body != wanted && body != AFXI_WORLD && way < model->body_count;
         way++) {
        body = carrier_of(model, body);
    }
    return body == wanted;
}

static bool is_inside(const AfxSim *sim, const AfxiSensor *sensor, AfxVec3 point) {
    AfxPose site = afx_pose_identity();
    if (sensor->inside == UINT32_MAX) {
        return true;
    }
    afx_sim_site(sim, sensor->inside, &site, NULL);
    return afxi_sensor_zone_has(sensor, afx_pose_apply(afx_pose_invert(site), point));
}

/* Whether a contact is meant, and how it is seen. */
static bool see(const AfxSim *sim, const AfxiSensor *sensor, uint32_t index, Seen *out) {
    AfxContact c;
    afx_sim_contact(sim, index, &c);
    const AfxModel *model = sim->model;
    bool straight =
        side_matches(model, sensor, 0, c.body_b, c.shape_b) && side_matches(model, sensor, 1, c.body_a, c.shape_a);
    bool swapped = !straight && side_matches(model, sensor, 0, c.body_a, c.shape_a) &&
                   side_matches(model, sensor, 1, c.body_b, c.shape_b);
    if (!(c.force > 0) || !(straight || swapped)) {
        return false;
    }
    double sign = straight ? 1 : -1; /* forces of a contact are those on its a */
    AfxVec3 force = vec3_mad(c.friction, c.force, c.normal);
    *out = (Seen){.normal = vec3_scale(sign, c.normal),
                  .point = vec3_mad(c.point, 0.5 * c.depth, c.normal), /* between the surfaces */
                  .force = vec3_scale(sign, force),
                  .torque = vec3_scale(sign, c.moment),
                  .distance = -c.depth,
                  .strength = vec3_length(force)};
    return is_inside(sim, sensor, out->point);
}

/* ---- telling ---- */

static AfxVec3 tangent_of(AfxVec3 n) {
    AfxVec3 other = fabs(n.y) < 0.5 ? vec3(0, 1, 0) : vec3(0, 0, 1);
    AfxVec3 t = vec3_mad(other, -vec3_dot(n, other), n);
    return vec3_scale(1 / vec3_length(t), t);
}

static double *put(double *out, bool wanted, AfxVec3 v) {
    if (wanted) {
        vec3_store(out, v);
    }
    return out + (wanted ? 3 : 0);
}

/* What `data` says of one; the place behind it comes back. */
static double *tell(const AfxiSensor *sensor, uint32_t found, const Seen *seen, AfxVec3 normal, AfxVec3 tangent,
                    double *out) {
    uint32_t data = sensor->data;
    AfxVec3 other = vec3_cross(normal, tangent);
    if (data & AFX_CONTACT_DATA_FOUND) {
        *out++ = found;
    }
    out = put(out, data & AFX_CONTACT_DATA_FORCE,
              vec3(vec3_dot(normal, seen->force), vec3_dot(tangent, seen->force), vec3_dot(other, seen->force)));
    out = put(out, data & AFX_CONTACT_DATA_TORQUE,
              vec3(vec3_dot(normal, seen->torque), vec3_dot(tangent, seen->torque), vec3_dot(other, seen->torque)));
    if (data & AFX_CONTACT_DATA_DISTANCE) {
        *out++ = seen->distance;
    }
    out = put(out, data & AFX_CONTACT_DATA_POINT, seen->point);
    out = put(out, data & AFX_CONTACT_DATA_NORMAL, normal);
    return put(out, data & AFX_CONTACT_DATA_TANGENT, tangent);
}

/* Whether a contact goes before another. */
static bool goes_before(const AfxiSensor *sensor, const Seen *a, const Seen *b) {
    return sensor->reduce == AFX_CONTACT_REDUCE_DEEPEST     ? a->distance < b->distance
           : sensor->reduce == AFX_CONTACT_REDUCE_STRONGEST ? a->strength > b->strength
                                                            : false;
}

/* One for all: force and torque about the centre of what pushes. */
static void tell_net(const AfxSim *sim, const AfxiSensor *sensor, uint32_t found, double *out) {
    Seen seen, net = {0};
    double sum = 0;
    for (uint32_t k = 0; k < afx_sim_contact_count(sim); k++) {
        if (see(sim, sensor, k, &seen)) {
            net.force = vec3_add(net.force, seen.force);
            net.point = vec3_mad(net.point, seen.strength, seen.point);
            sum += seen.strength;
        }
    }
    net.point = vec3_scale(1 / sum, net.point);
    for (uint32_t k = 0; k < afx_sim_contact_count(sim); k++) {
        if (see(sim, sensor, k, &seen)) {
            AfxVec3 turn = vec3_cross(vec3_sub(seen.point, net.point), seen.force);
            net.torque = vec3_add(net.torque, vec3_add(turn, seen.torque));
        }
    }
    tell(sensor, found, &net, vec3(1, 0, 0), vec3(0, 1, 0), out);
}

/* The contact that goes `place`-th among those that match: as many go before it, of equals those of lower number. */
static bool is_at(const AfxSim *sim, const AfxiSensor *sensor, uint32_t index, const Seen *own, uint32_t place) {
    uint32_t before = 0;
    Seen seen;
    for (uint32_t k = 0; k < afx_sim_contact_count(sim) && before <= place; k++) {
        if (k != index && see(sim, sensor, k, &seen)) {
            before += goes_before(sensor, &seen, own) || (k < index && !goes_before(sensor, own, &seen));
        }
    }
    return before == place;
}

void afxi_sensor_contact(const AfxSim *sim, const AfxiSensor *sensor, double *out) {
    uint32_t found = 0, count = afx_sim_contact_count(sim);
    Seen seen;
    memset(out, 0, sensor->size * sizeof *out);
    for (uint32_t k = 0; k < count; k++) {
        found += see(sim, sensor, k, &seen);
    }
    if (found && sensor->reduce == AFX_CONTACT_REDUCE_NET) {
        tell_net(sim, sensor, found, out);
        return;
    }
    for (uint32_t place = 0; place < found && place < sensor->slots; place++) {
        for (uint32_t k = 0; k < count; k++) {
            if (see(sim, sensor, k, &seen) && is_at(sim, sensor, k, &seen, place)) {
                out = tell(sensor, found, &seen, seen.normal, tangent_of(seen.normal), out);
                break;
            }
        }
    }
}
