/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of joints are called, and their coordinates. */
#include "affix/joint.h"

uint32_t afx_joint_axis_count(AfxJointKind kind) {
    static const uint8_t counts[AFX_JOINT_KIND_COUNT] = {
#define COUNT(kind, name, translations, rotations) sizeof(translations) - 1 + sizeof(rotations) - 1,
        AFX_JOINT_TABLE(COUNT)
#undef COUNT
    };
    return (unsigned)kind < AFX_JOINT_KIND_COUNT ? counts[kind] : 0;
}

const char *afx_joint_kind_name(AfxJointKind kind) {
    static const char *const names[AFX_JOINT_KIND_COUNT] = {
#define NAME(kind, name, translations, rotations) name,
        AFX_JOINT_TABLE(NAME)
#undef NAME
    };
    return (unsigned)kind < AFX_JOINT_KIND_COUNT ? names[kind] : "unknown";
}
