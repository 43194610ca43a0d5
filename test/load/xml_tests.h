/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of URDF and MJCF share: notices kept as text, loading from a text, pieces of URDF. */
#ifndef AFX_TEST_LOAD_XML_TESTS_H
#define AFX_TEST_LOAD_XML_TESTS_H

#include "tests.h"

/** Notices, a line each: kind, line, element, text. */
typedef struct Told {
    char text[8000];
    uint32_t count[3];
} Told;

static inline void tell(void *user, const AfxNotice *notice) {
    Told *told = user;
    size_t length = strlen(told->text);
    told->count[notice->kind]++;
    snprintf(told->text + length, sizeof told->text - length, "%d %d %s: %s\n", (int)notice->kind, notice->line,
             notice->element, notice->text);
}

static inline AfxStatus load_text(AfxScene *scene, const char *text, const AfxLoadDef *def, AfxError *error) {
    return afx_scene_load_text(scene, text, strlen(text), NULL, def, error);
}

/** A definition for texts of a format; told may be NULL. */
static inline AfxLoadDef text_def(AfxFormat format, Told *told) {
    AfxLoadDef def = afx_default_load();
    def.format = format;
    def.notice = told ? tell : NULL;
    def.notice_user = told;
    return def;
}

/** A text that must load. */
static inline AfxScene *load_good(const char *text, const AfxLoadDef *def) {
    AfxScene *scene = make_scene();
    AfxError error;
    assert_loads(load_text(scene, text, def, &error), &error);
    return scene;
}

/* ---- pieces of URDF ---- */

#define INERTIAL "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
#define LINK(name) "<link name='" name "'>" INERTIAL "</link>\n"
#define JOINT(name, type, parent, child, more) \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" more "</joint>\n"

/* Two point-like masses of 1 kg and 3 kg, 4 m apart along y, the second turned by a quarter about z. */
#define PAIR                                                                                                          \
    "<robot name='r'>" LINK("base") "<link name='a'><inertial><mass value='1'/>"                                      \
                                    "<inertia ixx='0.1' iyy='0.2' izz='0.25' ixy='0.01' ixz='0' iyz='0'/>"            \
                                    "</inertial></link>"                                                              \
                                    "<link name='b'><inertial><origin xyz='1 0 0'/><mass value='3'/>"                 \
                                    "<inertia ixx='0.4' iyy='0.5' izz='0.6' ixy='0.02' ixz='0.03' iyz='0.04'/>"       \
                                    "</inertial></link><link name='tool'/>" JOINT("j", "continuous", "base", "a", "") \
                                        JOINT("w", "fixed", "a", "b",                                                 \
                                              "<origin xyz='0 3 0' rpy='0 0 1.5707963267948966'/>")                   \
                                            JOINT("t", "fixed", "b", "tool", "<origin xyz='0 0 2'/>") "</robot>"

#endif
