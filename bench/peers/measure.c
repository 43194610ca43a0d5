/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps of joints and energy, from poses and velocities alone; and the small geometry that drivers share. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

void peer_rotate(const double q[4], const double v[3], double out[3]) {
    double t[3] = {2 * (q[2] * v[2] - q[3] * v[1]), 2 * (q[3] * v[0] - q[1] * v[2]), 2 * (q[1] * v[1] - q[2] * v[0])};
    double r[3] = {v[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1], v[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2],
                   v[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0]};
    memcpy(out, r, sizeof r);
}

void peer_multiply(const double p[4], const double q[4], double out[4]) {
    double r[4] = {
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3], p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1], p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
    memcpy(out, r, sizeof r);
}

PeerPose peer_compose(const PeerPose *a, const PeerPose *b) {
    PeerPose out;
    peer_rotate(a->rotation, b->position, out.position);
    peer_multiply(a->rotation, b->rotation, out.rotation);
    for (int k = 0; k < 3; k++) {
        out.position[k] += a->position[k];
    }
    return out;
}

PeerPose peer_inverse(const PeerPose *pose) {
    const double *q = pose->rotation;
    PeerPose out = {{-pose->position[0], -pose->position[1], -pose->position[2]}, {q[0], -q[1], -q[2], -q[3]}};
    peer_rotate(out.rotation, out.position, out.position);
    return out;
}

PeerPose peer_body_pose(const PeerScene *scene, int32_t body) {
    PeerPose pose = {{0, 0, 0}, {1, 0, 0, 0}};
    if (body >= 0) {
        memcpy(pose.position, scene->bodies[body].position, sizeof pose.position);
        memcpy(pose.rotation, scene->bodies[body].rotation, sizeof pose.rotation);
    }
    return pose;
}

void peer_point(const PeerState *states, int32_t body, const double point[3], double out[3]) {
    if (body < 0) {
        memcpy(out, point, 3 * sizeof *out);
        return;
    }
    peer_rotate(states[body].rotation, point, out);
    for (int k = 0; k < 3; k++) {
        out[k] += states[body].position[k];
    }
}

/* ---- gaps ---- */

static PeerFrame frame_of(const PeerState *states, int32_t body, const PeerPose *local) {
    PeerFrame frame;
    peer_point(states, body, local->position, frame.origin);
    for (int k = 0; k < 3; k++) {
        double unit[3] = {k == 0, k == 1, k == 2};
        peer_rotate(local->rotation, unit, frame.axis[k]);
        if (body >= 0) {
            peer_rotate(states[body].rotation, frame.axis[k], frame.axis[k]);
        }
    }
    return frame;
}

static double length(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double at_reach(const double d[3], const PeerFrame *a, const PeerFrame *b, int axis) {
    double e[3];
    for (int k = 0; k < 3; k++) {
        e[k] = d[k] + PEER_REACH * (b->axis[axis][k] - a->axis[axis][k]);
    }
    return length(e);
}

double peer_joint_gap(const PeerJoint *joint, const PeerFrame *a, const PeerFrame *b) {
    double d[3] = {b->origin[0] - a->origin[0], b->origin[1] - a->origin[1], b->origin[2] - a->origin[2]};
    if (joint->kind == PEER_SLIDE) {
        double along = dot(d, a->axis[0]) / dot(a->axis[0], a->axis[0]);
        for (int k = 0; k < 3; k++) {
            d[k] -= along * a->axis[0][k];
        }
    }
    double gap = length(d);
    if (joint->kind == PEER_HINGE) {
        gap = fmax(gap, at_reach(d, a, b, 0));
    } else if (joint->kind == PEER_UNIVERSAL) {
        gap = fmax(gap, PEER_REACH * fabs(dot(a->axis[0], b->axis[1])));
    } else if (joint->kind == PEER_SLIDE) {
        gap = fmax(gap, fmax(at_reach(d, a, b, 0), fmax(at_reach(d, a, b, 1), at_reach(d, a, b, 2))));
    }
    return isnan(d[0] + d[1] + d[2]) ? NAN : gap;
}

double peer_largest_gap(const PeerScene *scene, const PeerState *states) {
    double most = 0;
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        const PeerJoint *joint = &scene->joints[k];
        PeerFrame a = frame_of(states, joint->a, &joint->on_a), b = frame_of(states, joint->b, &joint->on_b);
        double gap = peer_joint_gap(joint, &a, &b);
        if (isnan(gap)) {
            return gap;
        }
        most = fmax(most, gap);
    }
    return most;
}

/* ---- energy ---- */

void peer_energy(const PeerScene *scene, const PeerState *states, double *out_kinetic, double *out_potential) {
    *out_kinetic = *out_potential = 0;
    for (uint32_t k = 0; k < scene->body_count; k++) {
        const PeerBody *body = &scene->bodies[k];
        const PeerState *state = &states[k];
        if (body->fixed) {
            continue;
        }
        double inverse[4] = {state->rotation[0], -state->rotation[1], -state->rotation[2], -state->rotation[3]}, w[3];
        peer_rotate(inverse, state->angular, w);
        for (int i = 0; i < 3; i++) {
            *out_kinetic += 0.5 * (body->mass * state->linear[i] * state->linear[i] + body->inertia[i] * w[i] * w[i]);
            *out_potential -= body->mass * scene->gravity[i] * state->position[i];
        }
    }
}
