/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room, and scenes for them. */
#ifndef AFX_TEST_SCENE_TESTS_H
#define AFX_TEST_SCENE_TESTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "affix/joint.h"

/** Each runs one group and returns the number of failed tests. */
int run_signal_tests(void);
int run_body_tests(void);
int run_body_check_tests(void);
int run_name_tests(void);
int run_shape_tests(void);
int run_shape_check_tests(void);
int run_texture_tests(void);
int run_attach_tests(void);
int run_frame_tests(void);
int run_joint_tests(void);
int run_drive_tests(void);
int run_coupling_tests(void);
int run_control_tests(void);
int run_contact_tests(void);
int run_shared_tests(void);
int run_memory_tests(void);

/** |got - want| <= tolerance, and not NaN. */
#define assert_near(got, want, tolerance) assert_near_at((got), (want), (tolerance), __FILE__, __LINE__)

static inline void assert_near_at(double got, double want, double tolerance, const char *file, int line) {
    if (fabs(got - want) <= tolerance) {
        return;
    }
    print_error("%.17g is not %.17g within %g\n", got, want, tolerance);
    _fail(file, line);
}

#define assert_ok(call) assert_int_equal((call), AFX_OK)

/** The scene's last error has this status and element, and `text` is part of its text; it has a cure. */
#define assert_error(scene, status, element, text) \
    assert_error_at((scene), (status), (element), (text), __FILE__, __LINE__)

static inline void assert_error_at(const AfxScene *scene, AfxStatus status, const char *element, const char *text,
                                   const char *file, int line) {
    const AfxError *e = afx_scene_error(scene);
    if (e->status == status && strcmp(e->element, element) == 0 && strstr(e->text, text) && e->cure[0]) {
        return;
    }
    print_error("%s, %s: %s (cure: %s)\n  is not\n%s, %s: ...%s...\n", afx_status_name(e->status), e->element, e->text,
                e->cure, afx_status_name(status), element, text);
    _fail(file, line);
}

static inline AfxScene *make_scene(void) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    assert_ok(afx_scene_create(&def, &scene));
    assert_non_null(scene);
    return scene;
}

/** A default dynamic body; name may be NULL. */
static inline AfxBodyId add_body(AfxScene *scene, const char *name) {
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    def.name = name;
    assert_ok(afx_scene_add_body(scene, &def, &id));
    return id;
}

/** A default joint of a kind from the world to a body; name may be NULL. */
static inline AfxJointId add_joint(AfxScene *scene, const char *name, AfxJointKind kind, AfxBodyId follower) {
    AfxJointDef def = afx_default_joint(kind);
    AfxJointId id;
    def.name = name;
    def.follower = follower;
    def.length = 1;
    assert_ok(afx_scene_add_joint(scene, &def, &id));
    return id;
}

static inline void assert_body_id(AfxBodyId got, AfxBodyId want) {
    assert_int_equal(got.index, want.index);
    assert_int_equal(got.scene, want.scene);
}

static inline void assert_vec3(AfxVec3 got, double x, double y, double z, double tolerance) {
    assert_near(got.x, x, tolerance);
    assert_near(got.y, y, tolerance);
    assert_near(got.z, z, tolerance);
}

/** Equal, but for the sign of the quaternion. */
static inline void assert_pose(AfxPose got, AfxPose want, double tolerance) {
    assert_vec3(got.position, want.position.x, want.position.y, want.position.z, tolerance);
    AfxQuat g = got.rotation, w = want.rotation;
    double sign = g.w * w.w + g.x * w.x + g.y * w.y + g.z * w.z < 0 ? -1 : 1;
    assert_near(g.w, sign * w.w, tolerance);
    assert_vec3((AfxVec3){g.x, g.y, g.z}, sign * w.x, sign * w.y, sign * w.z, tolerance);
}

static inline void assert_inertia(const double got[6], double xx, double yy, double zz, double xy, double xz, double yz,
                                  double tolerance) {
    double want[6] = {xx, yy, zz, xy, xz, yz};
    for (int k = 0; k < 6; k++) {
        assert_near(got[k], want[k], tolerance);
    }
}

/* The corners of the box [-hx, hx] x ... and its twelve triangles, counter-clockwise seen from outside. */
static inline void box_vertices(double out[24], double hx, double hy, double hz) {
    for (int k = 0; k < 8; k++) {
        out[3 * k] = k & 1 ? hx : -hx;
        out[3 * k + 1] = k & 2 ? hy : -hy;
        out[3 * k + 2] = k & 4 ? hz : -hz;
    }
}

static const uint32_t box_triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

#endif
