/* SPDX-License-Identifier: Apache-2.0 */
/* Joints, drives, couplings and springs: frames turned into principal axes and interned, numbers into the parameters.
 */
#include "model/joints.h"

#include <string.h>

#include "base/memory.h"
#include "joint/axis.h"
#include "joint/law.h"
#include "joint/rotational_spring.h"
#include "math/signal.h"
#include "math/vec3.h"
#include "model/model.h"
#include "model/params.h"
#include "scene/scene.h"

static uint32_t frame_of(const AfxModel *model, uint32_t body) {
    return body == AFXI_WORLD ? UINT32_MAX : model->frame_of[body];
}

/* Whether a joint sits between its bodies just as the one before it: then its frames are the same. */
static bool sits_alike(const AfxModel *model, const AfxScene *scene, uint32_t index) {
    const AfxiSceneJoint *joint = &scene->joints[index], *before = joint - 1;
    return index > 0 && joint->fit == before->fit &&
           frame_of(model, joint->follower) == frame_of(model, before->follower) &&
           frame_of(model, joint->base) == frame_of(model, before->base);
}

AfxStatus afxi_compile_joint_frame(AfxModel *model, const AfxScene *scene, uint32_t index, AfxiIntern *frames) {
    const AfxiSceneJoint *source = &scene->joints[index];
    const AfxiSceneFit *fit = afxi_scene_fit(scene, index);
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)source->kind);
    uint32_t interned = index ? model->joints[index - 1].frame : 0;
    if (!sits_alike(model, scene, index)) {
        AfxiJointFrame frame;
        afxi_principal_pose(model, source->follower, fit->follower_frame, &frame.point_a, &frame.axes_a);
        afxi_principal_pose(model, source->base, fit->base_frame, &frame.point_b, &frame.axes_b);
        AfxStatus status = afxi_intern_growing(&model->allocator, frames, &frame, &interned);
        if (status != AFX_OK) {
            return status;
        }
    }
    model->joints[index] = (AfxiJoint){
        .base = source->base,
        .follower = source->follower,
        .frame = interned,
        .row = UINT32_MAX,
        .slot = UINT32_MAX,
        .rotational_spring = source->spring,
        .angle = UINT32_MAX,
        .coordinate = model->coordinate_count,
        .kind = source->kind,
        .active = source->active,
        .counted =
            source->kind != AFX_JOINT_SPHERICAL && source->kind != AFX_JOINT_SLOT && source->kind != AFX_JOINT_FREE,
    };
    model->coordinate_count += kind->axis_count;
    *afxi_param(model, model->params, AFX_PARAM_JOINT_LENGTH, index) = fit->length > 0 ? fit->length : 1;
    *afxi_param(model, model->params, AFX_PARAM_JOINT_PITCH, index) = fit->pitch;
    afxi_param(model, model->params, AFX_PARAM_JOINT_BREAK, index)[0] = fit->break_force;
    afxi_param(model, model->params, AFX_PARAM_JOINT_BREAK, index)[1] = fit->break_torque;
    model->breakable |= fit->break_force > 0 || fit->break_torque > 0;
    if (source->spring != AFXI_NONE) {
        const AfxJointSpring *spring = &scene->joint_springs[source->spring];
        double *numbers = afxi_param(model, model->params, AFX_PARAM_JOINT_SPRING, source->spring);
        const double rest[4] = {spring->rest.w, spring->rest.x, spring->rest.y, spring->rest.z};
        model->rotational_spring_joint[source->spring] = index;
        vec3_store(numbers + AFXI_ROTATIONAL_SPRING_STIFFNESS, spring->stiffness);
        vec3_store(numbers + AFXI_ROTATIONAL_SPRING_DAMPING, spring->damping);
        memcpy(numbers + AFXI_ROTATIONAL_SPRING_REST, rest, sizeof rest);
    }
    return AFX_OK;
}

static AfxiSpring compile_spring(const AfxModel *model, const AfxiSceneSpring *source) {
    AfxiSpring spring = {.body_a = source->body_a, .body_b = source->body_b, .row = UINT32_MAX};
    AfxiMat3 unused;
    AfxPose at = afx_pose_identity();
    at.position = source->point_a;
    afxi_principal_pose(model, source->body_a, at, &spring.point_a, &unused);
    at.position = source->point_b;
    afxi_principal_pose(model, source->body_b, at, &spring.point_b, &unused);
    return spring;
}

/* Whether drives of a coordinate have one gradient, whatever they make of it. */
static bool folds(const AfxiJoint *joint, const AfxiDrive *drive) {
    AfxiAxisType type = (AfxiAxisType)afxi_axis_of(afxi_joint_kind((AfxJointKind)joint->kind), drive->axis).type;
    return type == AFXI_AXIS_TRANSLATION || type == AFXI_AXIS_ROTATION;
}

/* Drives in the order of their joints; on one joint, those that act on a coordinate first come before others. */
static void order_drives(AfxModel *model) {
    for (uint32_t k = 0; k < model->drive_count; k++) {
        model->joints[model->drives[k].joint].drive_count++;
    }
    uint32_t first = 0;
    for (uint32_t k = 0; k < model->joint_count; k++) {
        model->joints[k].first_drive = first;
        first += model->joints[k].drive_count;
        model->joints[k].drive_count = 0;
    }
    for (uint32_t k = 0; k < model->drive_count; k++) {
        AfxiDrive *drive = &model->drives[k];
        AfxiJoint *joint = &model->joints[drive->joint];
        drive->folded = joint->acted >> drive->axis & 1u && folds(joint, drive);
        joint->acted = (uint16_t)(joint->acted | 1u << drive->axis);
        joint->counted = true;
    }
    for (int folded = 0; folded < 2; folded++) {
        for (uint32_t k = 0; k < model->drive_count; k++) {
            AfxiJoint *joint = &model->joints[model->drives[k].joint];
            if (model->drives[k].folded == folded) {
                model->drive_order[joint->first_drive + joint->drive_count++] = k;
            }
        }
    }
}

uint32_t afxi_count_tables(const AfxScene *scene) {
    uint64_t count = 0;
    for (uint32_t k = 0; k < scene->drive_count; k++) {
        count += (uint64_t)scene->drives[k].spring_table.count + scene->drives[k].damper_table.count;
    }
    for (uint32_t k = 0; k < scene->spring_count; k++) {
        count += (uint64_t)scene->springs[k].spring_table.count + scene->springs[k].damper_table.count;
    }
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX; /* more than any machine has room for */
}

/* Samples of a table behind those that are there. */
static void put_table(AfxModel *model, const AfxForceTable *table, bool damps, uint32_t *at) {
    for (uint32_t k = 0; k < table->count; k++) {
        model->table_position[*at] = table->positions[k];
        model->table_damps[*at] = damps;
        *afxi_param(model, model->params, AFX_PARAM_TABLE, (*at)++) = table->forces[k];
    }
}

static AfxiTables compile_tables(AfxModel *model, const AfxForceTable *spring, const AfxForceTable *damper,
                                 uint32_t *at) {
    AfxiTables tables = {*at, spring->count, *at + spring->count, damper->count};
    put_table(model, spring, false, at);
    put_table(model, damper, true, at);
    return tables;
}

static void compile_all_tables(AfxModel *model, const AfxScene *scene) {
    uint32_t at = 0;
    for (uint32_t k = 0; k < scene->drive_count; k++) {
        model->drive_tables[k] =
            compile_tables(model, &scene->drives[k].spring_table, &scene->drives[k].damper_table, &at);
    }
    for (uint32_t k = 0; k < scene->spring_count; k++) {
        model->spring_tables[k] =
            compile_tables(model, &scene->springs[k].spring_table, &scene->springs[k].damper_table, &at);
    }
}

void afxi_compile_actions(AfxModel *model, const AfxScene *scene, double **samples) {
    for (uint32_t k = 0; k < scene->drive_count; k++) {
        const AfxiSceneDrive *source = &scene->drives[k];
        const double numbers[AFXI_DRIVE_SIZE] = {source->stiffness,   source->damping,     source->rest,
                                                 source->effort,      source->lower,       source->upper,
                                                 source->restitution, source->coefficient, source->radius};
        model->drives[k] = (AfxiDrive){source->joint,      UINT32_MAX, source->axis,  source->kind,
                                       source->from_input, false,      source->target};
        afxi_signal_copy_table(&model->drives[k].target, samples);
        memcpy(afxi_param(model, model->params, AFX_PARAM_DRIVE, k), numbers, sizeof numbers);
    }
    order_drives(model);
    for (uint32_t k = 0; k < scene->coupling_count; k++) {
        const AfxiSceneCoupling *source = &scene->couplings[k];
        AfxiCoupling *coupling = &model->couplings[k];
        double *numbers = afxi_param(model, model->params, AFX_PARAM_COUPLING, k);
        coupling->term_count = source->term_count;
        for (uint32_t term = 0; term < source->term_count; term++) {
            AfxiJoint *joint = &model->joints[source->joint[term]];
            joint->acted = (uint16_t)(joint->acted | 1u << source->axis[term]);
            joint->counted = true;
        }
        memcpy(coupling->joint, source->joint, sizeof coupling->joint);
        memcpy(coupling->axis, source->axis, sizeof coupling->axis);
        memcpy(numbers, source->factor, sizeof source->factor);
        numbers[AFX_COUPLING_TERMS] = source->constant;
        numbers[AFX_COUPLING_TERMS + 1] = source->compliance;
    }
    for (uint32_t k = 0; k < scene->spring_count; k++) {
        const AfxiSceneSpring *source = &scene->springs[k];
        double *numbers = afxi_param(model, model->params, AFX_PARAM_SPRING, k);
        model->springs[k] = compile_spring(model, source);
        numbers[0] = source->rest_length;
        numbers[1] = source->stiffness;
        numbers[2] = source->damping;
    }
    if (model->table_count) {
        compile_all_tables(model, scene);
    }
}

void afxi_compile_angles(AfxModel *model) {
    for (uint32_t k = 0; k < model->joint_count; k++) {
        AfxiJoint *joint = &model->joints[k];
        uint32_t places = afxi_axis_places(afxi_joint_kind((AfxJointKind)joint->kind));
        if (joint->counted && places) {
            joint->angle = model->angle_count;
            model->angle_count += places;
        }
    }
}
