/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of joints are called, and their coordinates. */
#include "affix/joint.h"

#include <string.h>

uint32_t afx_joint_axis_count(AfxJointKind kind) {
    static const uint8_t counts[AFX_JOINT_KIND_COUNT] = {
#define COUNT(kind, name, translations, rotations) sizeof(translations) - 1 + sizeof(rotations) - 1,
        AFX_JOINT_TABLE(COUNT)
#undef COUNT
    };
    return (unsigned)kind < AFX_JOINT_KIND_COUNT ? counts[kind] : 0;
}

bool afx_joint_has_length(AfxJointKind kind) {
    return kind == AFX_JOINT_DISTANCE || kind == AFX_JOINT_REVOLUTE_SPHERICAL || kind == AFX_JOINT_REVOLUTE_REVOLUTE;
}

const char *afx_joint_kind_name(AfxJointKind kind) {
    static const char *const names[AFX_JOINT_KIND_COUNT] = {
#define NAME(kind, name, translations, rotations) name,
        AFX_JOINT_TABLE(NAME)
#undef NAME
    };
    return (unsigned)kind < AFX_JOINT_KIND_COUNT ? names[kind] : "unknown";
}

AfxStatus afx_joint_kind_find(const char *name, AfxJointKind *out_kind) {
    static const struct {
        const char *name;
        AfxJointKind kind;
    } names[] = {
#define BY_NAME(kind, name, translations, rotations) {name, kind},
#define BY_ALIAS(alias, kind) {alias, kind},
        AFX_JOINT_TABLE(BY_NAME) AFX_JOINT_ALIAS_TABLE(BY_ALIAS)
#undef BY_NAME
#undef BY_ALIAS
    };
    for (size_t k = 0; name && out_kind && k < sizeof names / sizeof names[0]; k++) {
        if (strcmp(names[k].name, name) == 0) {
            *out_kind = names[k].kind;
            return AFX_OK;
        }
    }
    return AFX_E_ARGUMENT;
}
