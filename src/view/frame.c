/* SPDX-License-Identifier: Apache-2.0 */
/* Frames: poses, the value that bodies are coloured by, reactions, contacts. How far a joint is off is measured here
 * from where its two frames are: what of their difference the kind of joint does not leave free. */
#include "view/frame.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/vec3.h"

_Static_assert(sizeof(AfxiFrameHead) == 112, "the page reads it byte by byte");

AfxStatus afxi_frame_prepare(const AfxAllocator *allocator, const AfxScene *scene, const AfxSim *sim,
                             AfxiFrameMaker *out_maker) {
    uint32_t bodies = afx_scene_body_count(scene), joints = afx_scene_joint_count(scene);
    *out_maker = (AfxiFrameMaker){.allocator = *allocator, .bodies = bodies, .joints.count = joints};
    out_maker->drives = afx_scene_drive_count(scene);
    out_maker->poses = afxi_allocate(allocator, bodies * sizeof *out_maker->poses);
    out_maker->joints.joints = afxi_allocate(allocator, joints * sizeof *out_maker->joints.joints);
    AfxStatus status = (bodies && !out_maker->poses) || (joints && !out_maker->joints.joints)
                           ? AFX_E_MEMORY
                           : afxi_stiffness_create(allocator, sim, &out_maker->stiffness);
    for (uint32_t k = 0; k < joints && status == AFX_OK; k++) {
        status = afx_scene_get_joint(scene, afx_scene_joint(scene, k), &out_maker->joints.joints[k]);
        out_maker->joints.joints[k].name = NULL;
    }
    if (status != AFX_OK) {
        afxi_frame_release(out_maker);
    }
    return status;
}

void afxi_frame_release(AfxiFrameMaker *maker) {
    afxi_release(&maker->allocator, maker->poses, maker->bodies * sizeof *maker->poses);
    afxi_release(&maker->allocator, maker->joints.joints, maker->joints.count * sizeof *maker->joints.joints);
    afxi_stiffness_destroy(&maker->stiffness);
    *maker = (AfxiFrameMaker){.allocator = maker->allocator};
}

/* Origin and axes of a joint's frame as one of its bodies carries it, strain included. */
static void carry(const AfxSim *sim, AfxBodyId body, uint32_t bodies, const AfxPose *frame, AfxVec3 out[4]) {
    AfxVec3 rest[4] = {frame->position};
    const AfxVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++) {
        rest[k + 1] = vec3_add(frame->position, afx_quat_rotate(frame->rotation, axes[k]));
    }
    if (!body.scene || body.index >= bodies || afx_sim_control_points(sim, body.index, rest, out, NULL) != AFX_OK) {
        memcpy(out, rest, sizeof rest);
    }
    for (int k = 1; k < 4; k++) {
        out[k] = vec3_sub(out[k], out[0]);
    }
}

/* Largest of what a joint should hold and does not, m and rad. */
static double misfit(const AfxiFrameMaker *maker, const AfxSim *sim, const AfxJointDef *joint) {
    static const char *const table[][2] = {
#define ROW(kind, name, translations, rotations) {translations, rotations},
        AFX_JOINT_TABLE(ROW)
#undef ROW
    };
    const char *slides = table[joint->kind][0], *turns = table[joint->kind][1];
    AfxVec3 base[4], other[4];
    carry(sim, joint->base, maker->bodies, &joint->base_frame, base);
    carry(sim, joint->follower, maker->bodies, &joint->follower_frame, other);
    AfxVec3 off = vec3_sub(other[0], base[0]);
    bool link = afx_joint_has_length(joint->kind);
    double worst = link ? fabs(vec3_length(off) - joint->length) : 0;
    if (link && joint->kind != AFX_JOINT_DISTANCE) {
        worst = fmax(worst, fabs(vec3_dot(base[1], off)));
    }
    if (link && joint->kind != AFX_JOINT_REVOLUTE_REVOLUTE) {
        return worst; /* turns any way */
    }
    for (int axis = 0; axis < 3 && !link; axis++) {
        worst = strchr(slides, "xyz"[axis]) ? worst : fmax(worst, fabs(vec3_dot(base[1 + axis], off)));
    }
    for (int a = 0; a < 3 && strlen(turns) < 2; a++) { /* axes that are to stay at right angles */
        bool turning = turns[0] == "xyz"[a];
        for (int b = 0; b < 3 && (turning || !turns[0]); b++) {
            worst = a == b ? worst : fmax(worst, fabs(vec3_dot(base[1 + b], other[1 + a])));
        }
    }
    return worst;
}

static void raise_to(float *records, AfxBodyId body, uint32_t bodies, double value) {
    if (body.scene && body.index < bodies) {
        float *at = &records[AFXI_LOOK_FLOATS * (size_t)body.index + 3];
        *at = fmaxf(*at, (float)value);
    }
}

static void put_values(const AfxiFrameMaker *maker, const AfxSim *sim, uint32_t colour, float *records) {
    const double *velocities = afx_sim_velocities(sim);
    if (colour == AFXI_COLOUR_RESIDUAL) {
        for (uint32_t k = 0; k < maker->joints.count; k++) {
            const AfxJointDef *joint = &maker->joints.joints[k];
            double value = afx_sim_joint_active(sim, k) ? misfit(maker, sim, joint) : 0;
            raise_to(records, joint->base, maker->bodies, value);
            raise_to(records, joint->follower, maker->bodies, value);
        }
    }
    for (uint32_t k = 0; k < maker->bodies; k++) {
        float *at = &records[AFXI_LOOK_FLOATS * (size_t)k + 3];
        const double *v = velocities + 12 * (size_t)k + 9; /* of the centre of mass */
        if (colour == AFXI_COLOUR_STRESS) {
            *at = (float)afxi_stress(&maker->stiffness, sim, k);
        } else if (colour == AFXI_COLOUR_SPEED) {
            *at = (float)sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        }
    }
}

static void put_reactions(const AfxiFrameMaker *maker, const AfxSim *sim, AfxiBytes *bytes) {
    uint32_t count = maker->joints.count;
    if (count == 0 || count > UINT32_MAX / (AFXI_LOOK_REACTION * sizeof(float))) {
        return;
    }
    uint32_t size = count * (uint32_t)(AFXI_LOOK_REACTION * sizeof(float));
    afxi_bytes_add(bytes, "REAC", 4);
    afxi_bytes_add(bytes, &size, sizeof size);
    float *at = afxi_bytes_extend(bytes, size);
    for (uint32_t k = 0; k < count && at; k++, at += AFXI_LOOK_REACTION) {
        afxi_look_reaction(sim, k, &maker->joints.joints[k], maker->poses, maker->bodies, at);
    }
}

static void put_efforts(const AfxiFrameMaker *maker, const AfxSim *sim, AfxiBytes *bytes) {
    uint32_t size = maker->drives * (uint32_t)sizeof(float);
    if (maker->drives == 0 || maker->drives > UINT32_MAX / sizeof(float)) {
        return;
    }
    afxi_bytes_add(bytes, "EFFO", 4);
    afxi_bytes_add(bytes, &size, sizeof size);
    float *at = afxi_bytes_extend(bytes, size);
    for (uint32_t k = 0; k < maker->drives && at; k++) {
        double effort = 0;
        afx_sim_drive_effort(sim, k, &effort);
        at[k] = (float)effort;
    }
}

static void put_contacts(const AfxiFrameMaker *maker, const AfxSim *sim, AfxiBytes *bytes) {
    if (maker->contacts) {
        uint32_t all = (uint32_t)maker->contacts->size;
        afxi_bytes_add(bytes, "CONT", 4);
        afxi_bytes_add(bytes, &all, sizeof all);
        afxi_bytes_add(bytes, maker->contacts->data, all);
        return;
    }
    uint32_t touching = afxi_look_touching(sim);
    uint32_t count = touching < AFXI_FRAME_CONTACTS ? touching : AFXI_FRAME_CONTACTS;
    uint32_t size = count * (uint32_t)(AFXI_LOOK_CONTACT * sizeof(float));
    afxi_bytes_add(bytes, "CONT", 4);
    afxi_bytes_add(bytes, &size, sizeof size);
    float *at = count ? afxi_bytes_extend(bytes, size) : NULL;
    if (at) {
        afxi_look_contacts(sim, touching, count, at);
    }
}

static void put_book(const AfxSim *sim, AfxiBytes *bytes) {
    double book[AFXI_LOOK_BOOK];
    uint32_t size = sizeof(float) * AFXI_LOOK_BOOK;
    if (!afxi_look_book(sim, book)) {
        return;
    }
    afxi_bytes_add(bytes, "BOOK", 4);
    afxi_bytes_add(bytes, &size, sizeof size);
    float *at = afxi_bytes_extend(bytes, size);
    for (int k = 0; at && k < AFXI_LOOK_BOOK; k++) {
        at[k] = (float)book[k];
    }
}

static void put_drawing(const AfxiBytes *drawing, AfxiBytes *bytes) {
    uint32_t size = (uint32_t)(drawing->size + 3) / 4 * 4; /* what follows has floats */
    afxi_bytes_add(bytes, "DRAW", 4);
    afxi_bytes_add(bytes, &size, sizeof size);
    afxi_bytes_add(bytes, drawing->data, drawing->size);
    afxi_bytes_align(bytes, 4);
}

AfxiBlob *afxi_frame_make(AfxiFrameMaker *maker, const AfxSim *sim, const AfxiFrameHead *head, AfxiFrameParts parts) {
    AfxiBytes bytes = afxi_bytes_begin(&maker->allocator);
    AfxiFrameHead full = *head;
    AfxEnergy energy = {0};
    afx_sim_energy(sim, &energy);
    memcpy(full.magic, "AFXF", 4);
    full.bodies = maker->bodies;
    full.time = afx_sim_time(sim);
    full.energy[0] = energy.kinetic;
    full.energy[1] = energy.potential;
    full.energy[2] = energy.elastic;
    full.energy[3] = energy.total;
    afxi_bytes_add(&bytes, &full, sizeof full);
    if (maker->bodies) {
        float *records = afxi_bytes_extend(&bytes, maker->bodies * AFXI_LOOK_FLOATS * sizeof(float));
        if (records) {
            afxi_look_poses(sim, maker->poses, records);
            put_values(maker, sim, head->colour, records);
        }
    }
    if (parts.reactions) {
        put_reactions(maker, sim, &bytes);
        put_efforts(maker, sim, &bytes);
    }
    if (parts.contacts) {
        put_contacts(maker, sim, &bytes);
    }
    if (parts.book) {
        put_book(sim, &bytes);
    }
    if (maker->drawing && maker->drawing->size) {
        put_drawing(maker->drawing, &bytes);
    }
    return afxi_blob_create(&bytes);
}
