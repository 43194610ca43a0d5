/* SPDX-License-Identifier: Apache-2.0 */
/* Values from a tape of bytes, and what a sequence of calls keeps alive. */
#ifndef AFX_FUZZ_TAPE_H
#define AFX_FUZZ_TAPE_H

#include "harness.h"

#include <math.h>

#define BODIES_MOST 24u

typedef struct Tape {
    const uint8_t *p, *end;
} Tape;

static inline unsigned byte(Tape *tape) {
    return tape->p < tape->end ? *tape->p++ : 0;
}

/** Mostly tame numbers; now and then one that must be refused. */
static inline double number(Tape *tape) {
    static const double special[] = {0,     -0.0,      NAN,  INFINITY, -INFINITY, 1e308,  -1e308, 1e-308,
                                     1e-12, 123456789, -1e9, 5e-324,   1e150,     1e-150, 3.5,    -1};
    unsigned sort = byte(tape);
    return sort < 224 ? ((int)sort - 112) / 16.0 : special[sort % 16];
}

static inline AfxVec3 vector(Tape *tape) {
    double x = number(tape), y = number(tape), z = number(tape);
    return (AfxVec3){x, y, z};
}

static inline AfxPose pose(Tape *tape) {
    AfxPose p = {vector(tape), {1, 0, 0, 0}};
    unsigned sort = byte(tape);
    if (sort % 4 == 1) {
        AfxVec3 axis = vector(tape);
        p.rotation = afx_quat_from_axis_angle(axis, number(tape));
    } else if (sort % 16 == 2) {
        p.rotation = (AfxQuat){number(tape), number(tape), number(tape), number(tape)};
    }
    return p;
}

static inline AfxSignal signal(Tape *tape) {
    static double times[4], values[4]; /* copied by every call that takes a signal */
    AfxSignal s = {.kind = (AfxSignalKind)(byte(tape) % 5)};
    for (int k = 0; k < AFX_SIGNAL_COEFFICIENTS; k++) {
        s.coefficients[k] = number(tape);
    }
    s.sample_count = byte(tape) % 5;
    for (uint32_t k = 0; k < 4; k++) {
        times[k] = byte(tape) % 8 ? 0.01 * k : number(tape);
        values[k] = number(tape);
    }
    s.times = byte(tape) % 32 ? times : NULL;
    s.values = values;
    return s;
}

static const char *name(Tape *tape) {
    static const char *const names[] = {NULL, "", "a", "b", "c", "d", "world", "\xff"};
    return names[byte(tape) % 8];
}

typedef struct World {
    FuzzMemory memory;
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
    int steps;
} World;

static inline AfxBodyId body(World *world, Tape *tape) {
    uint32_t count = afx_scene_body_count(world->scene);
    unsigned k = byte(tape);
    if (k == 255) {
        return (AfxBodyId){k, k};
    }
    return k % 8 == 7 || count == 0 ? afx_world() : afx_scene_body(world->scene, k % count);
}

static inline AfxJointId joint(World *world, Tape *tape) {
    uint32_t count = afx_scene_joint_count(world->scene);
    unsigned k = byte(tape);
    return k == 255 || count == 0 ? (AfxJointId){k, 1} : afx_scene_joint(world->scene, k % count);
}

#endif
