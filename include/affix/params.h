/* SPDX-License-Identifier: Apache-2.0 */
/* affix/params.h: every number of a model in one block of doubles, described by one registry. The model owns
 * the defaults; a sim owns a copy from its first afx_sim_set_param on. */
#ifndef AFFIX_PARAMS_H
#define AFFIX_PARAMS_H

#include "affix/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* kind, name, doubles per item */
#define AFX_PARAM_TABLE(X)                                       \
    X(AFX_PARAM_GRAVITY, "gravity", 3)                           \
    X(AFX_PARAM_BODY_MASS, "body.mass", 1)                       \
    X(AFX_PARAM_BODY_SECOND_MOMENTS, "body.second_moments", 3)   \
    X(AFX_PARAM_BODY_VOLUME, "body.volume", 1)                   \
    X(AFX_PARAM_BODY_YOUNG, "body.young", 1)                     \
    X(AFX_PARAM_BODY_POISSON, "body.poisson", 1)                 \
    X(AFX_PARAM_BODY_LINEAR_DAMPING, "body.linear_damping", 1)   \
    X(AFX_PARAM_BODY_ANGULAR_DAMPING, "body.angular_damping", 1) \
    X(AFX_PARAM_BODY_GRAVITY, "body.gravity", 1)                 \
    X(AFX_PARAM_JOINT_LENGTH, "joint.length", 1)                 \
    X(AFX_PARAM_JOINT_PITCH, "joint.pitch", 1)                   \
    X(AFX_PARAM_JOINT_BREAK, "joint.break", 2)                   \
    X(AFX_PARAM_JOINT_SPRING, "joint.spring", 10)                \
    X(AFX_PARAM_DRIVE, "drive", 9)                               \
    X(AFX_PARAM_COUPLING, "coupling", 10)                        \
    X(AFX_PARAM_SPRING, "spring", 3)                             \
    X(AFX_PARAM_MATERIAL_PAIR, "material.pair", 13)              \
    X(AFX_PARAM_MARKER_POINT, "marker.point", 3)                 \
    X(AFX_PARAM_WRENCH_POINT, "wrench.point", 3)                 \
    X(AFX_PARAM_WRENCH, "wrench", 6)                             \
    X(AFX_PARAM_TABLE, "table", 1)                               \
    X(AFX_PARAM_JOINT_ARMATURE, "joint.armature", 1)

typedef enum AfxParamKind {
#define AFX_PARAM_ENUM(kind, name, size) kind,
    AFX_PARAM_TABLE(AFX_PARAM_ENUM)
#undef AFX_PARAM_ENUM
        AFX_PARAM_KIND_COUNT
} AfxParamKind;

/* Doubles of the largest item: room for an item of any kind (afx_sim_param). */
#define AFX_PARAM_SIZE_MOST 13

/** One row of the registry: `count` items of `size` doubles, from `offset` of the block on. Points are in the
 * body's frame; second moments are those of the principal axes, in the order of afx_model_body_frame. A drive is
 * (stiffness, damping, rest, effort, lower, upper, restitution, coefficient, radius); a coupling its eight factors,
 * constant and compliance; a spring (rest length, stiffness, damping); joint.break is (force, torque), 0 for never; a
 * material.pair is what holds between the materials a <= b, at index b (b + 1) / 2 + a: (friction, restitution, rolling
 * friction, torsional friction, stiffness, damping, the five of the impedance, friction damping, margin). There are
 * none where nothing can collide. A table is the force of one
 * sample of a spring's tables (afx_model_drive_table, afx_model_spring_table); that of a damper never drives.
 * joint.armature has an item for every free axis whose armature is not 0 in the scene (afx_model_joint_armature), above
 * 0. */
typedef struct AfxParamInfo {
    const char *name;
    AfxParamKind kind;
    uint32_t count;
    uint32_t size;
    size_t offset;
} AfxParamInfo;

/** The registry row of a kind. */
AFX_API AfxStatus afx_model_param_info(const AfxModel *model, AfxParamKind kind, AfxParamInfo *out_info);
/** The default block and its length in doubles. */
AFX_API const double *afx_model_params(const AfxModel *model, size_t *out_length);

#ifdef __cplusplus
}
#endif
#endif
