/* SPDX-License-Identifier: Apache-2.0 */
/* Mass properties: solids of revolution against quadrature, meshes against closed forms near and far from the origin,
 * sums and moves against each other, and refusals. */
#include "math/inertia.h"
#include "tests.h"

#include <stdlib.h>
#include <string.h>

static void assert_mass_near(AfxMass got, AfxMass want, double tolerance) {
    double size = fmax(want.inertia[0], fmax(want.inertia[1], want.inertia[2]));
    assert_near(got.mass / want.mass, 1, tolerance);
    assert_near(got.volume / want.volume, 1, tolerance);
    for (int k = 0; k < 6; k++)
        assert_near(got.inertia[k] / size, want.inertia[k] / size, tolerance);
}

static void assert_center_near(AfxMass m, AfxVec3 want, double tolerance) {
    assert_near(m.center.x, want.x, tolerance);
    assert_near(m.center.y, want.y, tolerance);
    assert_near(m.center.z, want.z, tolerance);
}

/* Mass properties of a solid of revolution about z, from z = -half to half, with the squared radius at z. A disk of
 * radius r has the second moment pi r^4 / 4 per thickness across. Gauss's 3-point rule on many panels. */
static AfxMass revolve(double (*squared_radius)(double z, double r, double l), double r, double l, double half) {
    static const double node[3] = {-0.7745966692414834, 0, 0.7745966692414834},
                        weight[3] = {5 / 18.0, 8 / 18.0, 5 / 18.0};
    enum { PANELS = 2000 };
    AfxMass m = {0};
    double pi = acos(-1), width = 2 * half / PANELS, second = 0, axial = 0;
    for (int panel = 0; panel < PANELS; panel++)
        for (int k = 0; k < 3; k++) {
            double z = -half + width * (panel + 0.5 + 0.5 * node[k]), rr = squared_radius(z, r, l);
            m.volume += weight[k] * width * pi * rr;
            second += weight[k] * width * pi * rr * rr / 4;
            axial += weight[k] * width * pi * rr * z * z;
        }
    m.mass = m.volume;
    m.inertia[0] = m.inertia[1] = second + axial;
    m.inertia[2] = 2 * second;
    return m;
}

static double capsule_profile(double z, double r, double l) {
    double beyond = fabs(z) - 0.5 * l;
    return beyond <= 0 ? r * r : r * r - beyond * beyond;
}
static double cylinder_profile(double z, double r, double l) {
    (void)z, (void)l;
    return r * r;
}
static double ball_profile(double z, double r, double l) {
    (void)l;
    return r * r - z * z;
}
static double ellipsoid_profile(double z, double r, double l) {
    return r * r * (1 - z * z / (l * l));
}

static AfxMass dense(AfxMass unit, double density) {
    unit.mass *= density;
    for (int k = 0; k < 6; k++)
        unit.inertia[k] *= density;
    return unit;
}

static void solids_of_revolution_match_quadrature(void **state) {
    (void)state;
    /* With these lengths the end of the tube falls on the border of a panel: the profile is a polynomial in each. */
    static const double sizes[][2] = {{0.5, 1}, {0.1, 1.8}, {2, 12}, {1, 0}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        double r = sizes[k][0], l = sizes[k][1], rho = 700;
        assert_mass_near(afxi_mass_capsule(r, l, rho), dense(revolve(capsule_profile, r, l, 0.5 * l + r), rho), 1e-12);
        assert_mass_near(afxi_mass_sphere(r, rho), dense(revolve(ball_profile, r, 0, r), rho), 1e-12);
        if (l == 0)
            continue;
        assert_mass_near(afxi_mass_cylinder(r, l, rho), dense(revolve(cylinder_profile, r, l, 0.5 * l), rho), 1e-12);
        assert_mass_near(afxi_mass_ellipsoid(vec3(r, r, l), rho), dense(revolve(ellipsoid_profile, r, l, l), rho),
                         1e-12);
    }
    assert_mass_near(afxi_mass_capsule(0.3, 0, 5), afxi_mass_sphere(0.3, 5), 1e-15);
}

static void box_and_general_ellipsoid_have_their_textbook_values(void **state) {
    (void)state;
    AfxMass box = afxi_mass_box(vec3(1, 2, 3), 0.5);
    AfxMass want = {.mass = 24, .inertia = {24 * 13 / 3.0, 24 * 10 / 3.0, 24 * 5 / 3.0, 0, 0, 0}, .volume = 48};
    assert_mass_near(box, want, 1e-15);
    AfxMass egg = afxi_mass_ellipsoid(vec3(1, 2, 3), 0.5);
    double m = 0.5 * 8 * acos(-1);
    want = (AfxMass){.mass = m, .inertia = {m * 13 / 5.0, m * 10 / 5.0, m * 5 / 5.0, 0, 0, 0}, .volume = 2 * m};
    assert_mass_near(egg, want, 1e-15);
}

/* Corners of a box, numbered by bits x, y, z. */
static const uint32_t box_triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

static void box_vertices(AfxVec3 half, AfxPose pose, double out[24]) {
    for (int k = 0; k < 8; k++) {
        AfxVec3 corner = vec3(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
        vec3_store(out + 3 * k, afx_pose_apply(pose, corner));
    }
}

static void reverse(const uint32_t *triangles, uint32_t *out, uint32_t count) {
    for (uint32_t t = 0; t < count; t++) {
        out[3 * t] = triangles[3 * t];
        out[3 * t + 1] = triangles[3 * t + 2];
        out[3 * t + 2] = triangles[3 * t + 1];
    }
}

static void a_box_mesh_is_a_box(void **state) {
    (void)state;
    uint64_t seed = 31;
    for (int trial = 0; trial < 500; trial++) {
        AfxVec3 half = vec3(0.1 + random_unit(&seed), 0.1 + random_unit(&seed), 0.01 + random_unit(&seed));
        AfxPose pose = {vec3_scale(3, random_vec3(&seed)), random_quat(&seed)};
        double v[24];
        uint32_t inward[36];
        box_vertices(half, pose, v);
        reverse(box_triangles, inward, 12);
        AfxMass want = afxi_mass_transform(afxi_mass_box(half, 2.5), pose), got;
        assert_int_equal(afxi_mass_mesh(v, 8, box_triangles, 12, 2.5, &got).code, AFXI_MESH_OK);
        assert_mass_near(got, want, 2e-13);
        assert_center_near(got, pose.position, 4e-15);
        assert_int_equal(afxi_mass_mesh(v, 8, inward, 12, 2.5, &got).code, AFXI_MESH_OK);
        assert_mass_near(got, want, 2e-13);
        assert_center_near(got, pose.position, 4e-15);
    }
}

/* A box a million sizes away at places that doubles hold exactly: not a digit may go. */
static void distance_from_the_origin_costs_no_digits(void **state) {
    (void)state;
    AfxPose far = {{0x1p20, -0x1p21, 0x1p22}, {1, 0, 0, 0}};
    AfxVec3 half = vec3(0.5, 0.25, 0.125);
    double v[24];
    AfxMass got;
    box_vertices(half, far, v);
    assert_int_equal(afxi_mass_mesh(v, 8, box_triangles, 12, 1000, &got).code, AFXI_MESH_OK);
    assert_mass_near(got, afxi_mass_box(half, 1000), 1e-15);
    assert_center_near(got, far.position, 0);
}

/* Second moments of a tetrahedron about its centroid: V / 20 times the sum over its corners of x x^T (there). */
static void a_tetrahedron_far_away(void **state) {
    (void)state;
    static const uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    AfxVec3 c = vec3(1e5 + 0.25, 1e5 + 0.25, 0.25 - 1e5);
    double v[12] = {1e5, 1e5, -1e5, 1e5 + 1, 1e5, -1e5, 1e5, 1e5 + 1, -1e5, 1e5, 1e5, 1 - 1e5};
    AfxMass got;
    assert_int_equal(afxi_mass_mesh(v, 4, triangles, 4, 6, &got).code, AFXI_MESH_OK);
    assert_near(got.mass, 1, 1e-15);
    assert_center_near(got, c, 2e-11);
    /* Corners relative to the centroid have squares 3 (1/4)^2 + (3/4)^2 = 3/4 and products 2 (-3/16) + 2/16 = -1/4. */
    AfxMass want = {.mass = 1, .volume = 1 / 6.0, .inertia = {1.5 / 20, 1.5 / 20, 1.5 / 20, 0.0125, 0.0125, 0.0125}};
    assert_mass_near(got, want, 1e-14);
}

/* A sphere of latitude and longitude triangles, mapped to an ellipsoid. Returns the triangle count. */
static uint32_t tessellate(AfxVec3 axes, AfxPose pose, uint32_t rings, uint32_t around, double *v, uint32_t *t) {
    double pi = acos(-1);
    uint32_t last = 1 + (rings - 1) * around, count = 0;
    for (uint32_t i = 0; i <= rings; i++)
        for (uint32_t j = 0; j < (i == 0 || i == rings ? 1 : around); j++) {
            double polar = pi * i / rings, turn = 2 * pi * j / around;
            AfxVec3 x = vec3(axes.x * sin(polar) * cos(turn), axes.y * sin(polar) * sin(turn), axes.z * cos(polar));
            uint32_t id = i == 0 ? 0 : i == rings ? last : 1 + (i - 1) * around + j;
            vec3_store(v + 3 * id, afx_pose_apply(pose, x));
        }
    for (uint32_t i = 0; i < rings; i++)
        for (uint32_t j = 0; j < around; j++) {
            uint32_t k = (j + 1) % around, up = 1 + (i - 1) * around, down = 1 + i * around;
            uint32_t lower[3] = {i == 0 ? 0 : up + j, down + j, down + k}, upper[3] = {up + j, down + k, up + k};
            upper[1] = i == rings - 1 ? last : upper[1];
            for (int c = 0; i < rings - 1 && c < 3; c++)
                t[3 * count + (uint32_t)c] = lower[c];
            count += i < rings - 1;
            for (int c = 0; i > 0 && c < 3; c++)
                t[3 * count + (uint32_t)c] = upper[c];
            count += i > 0;
        }
    return count;
}

enum {
    RINGS = 64,
    AROUND = 128,
    ELLIPSOID_VERTICES = 2 + (RINGS - 1) * AROUND,
    ELLIPSOID_TRIANGLES = 2 * RINGS * AROUND
};

/* The error of tessellation falls fourfold with each halving; what Richardson's extrapolation leaves is of fourth
 * order. */
static void a_tessellated_ellipsoid_converges_to_the_solid(void **state) {
    (void)state;
    double *v = calloc(3 * ELLIPSOID_VERTICES, sizeof *v);
    uint32_t *t = calloc(3 * ELLIPSOID_TRIANGLES, sizeof *t);
    AfxVec3 axes = vec3(0.5, 1, 1.5);
    AfxPose pose = {{10, -20, 30}, afx_quat_from_axis_angle(vec3(1, 2, 3), 0.9)};
    AfxMass want = afxi_mass_transform(afxi_mass_ellipsoid(axes, 3), pose), fine, coarse;
    uint32_t count = tessellate(axes, pose, RINGS / 2, AROUND / 2, v, t);
    assert_int_equal(afxi_mass_mesh(v, ELLIPSOID_VERTICES, t, count, 3, &coarse).code, AFXI_MESH_OK);
    count = tessellate(axes, pose, RINGS, AROUND, v, t);
    assert_int_equal(afxi_mass_mesh(v, ELLIPSOID_VERTICES, t, count, 3, &fine).code, AFXI_MESH_OK);
    assert_mass_near(fine, want, 5e-3);
    assert_center_near(fine, pose.position, 1e-13);
    fine.mass += (fine.mass - coarse.mass) / 3;
    fine.volume += (fine.volume - coarse.volume) / 3;
    for (int k = 0; k < 6; k++)
        fine.inertia[k] += (fine.inertia[k] - coarse.inertia[k]) / 3;
    assert_mass_near(fine, want, 1e-5);
    free(v);
    free(t);
}

/* A heavy ball on a long thin spike: the shift from the middle of the box to the centroid must not cancel. The two
 * parts' meshes, joined as one, against their sum. */
static void two_pieces_in_one_mesh_add_up(void **state) {
    (void)state;
    AfxPose near = {{0.125, 0, 0}, {1, 0, 0, 0}}, far = {{64, 0, 0}, {1, 0, 0, 0}};
    AfxVec3 big = vec3(0.125, 0.125, 0.125), tiny = vec3(0x1p-20, 0x1p-20, 0x1p-20);
    double v[48];
    uint32_t t[72];
    box_vertices(big, near, v);
    box_vertices(tiny, far, v + 24);
    for (int k = 0; k < 36; k++) {
        t[k] = box_triangles[k];
        t[36 + k] = 8 + box_triangles[k];
    }
    AfxMass want = afxi_mass_add(afxi_mass_transform(afxi_mass_box(big, 1), near),
                                 afxi_mass_transform(afxi_mass_box(tiny, 1), far)),
            got;
    assert_int_equal(afxi_mass_mesh(v, 16, t, 24, 1, &got).code, AFXI_MESH_OK);
    assert_mass_near(got, want, 1e-14);
    assert_center_near(got, want.center, 1e-14);
}

static void meshes_of_any_scale(void **state) {
    (void)state;
    for (int exponent = -60; exponent <= 60; exponent += 5) {
        double s = pow(10, exponent), v[24];
        AfxVec3 half = vec3(s, 2 * s, 3 * s);
        AfxMass got;
        box_vertices(half, afx_pose_identity(), v);
        assert_int_equal(afxi_mass_mesh(v, 8, box_triangles, 12, 1, &got).code, AFXI_MESH_OK);
        assert_mass_near(got, afxi_mass_box(half, 1), 1e-14);
    }
    double v[24];
    AfxMass got;
    box_vertices(vec3(1e200, 1e200, 1e200), afx_pose_identity(), v);
    assert_int_equal(afxi_mass_mesh(v, 8, box_triangles, 12, 1, &got).code, AFXI_MESH_NOT_FINITE);
}

static void meshes_that_are_refused(void **state) {
    (void)state;
    double v[24];
    uint32_t t[36];
    AfxMass out = {.mass = -7};
    AfxiMeshResult r;
    memcpy(t, box_triangles, sizeof t);
    box_vertices(vec3(1, 1, 1), afx_pose_identity(), v);
    t[3 * 7 + 1] = 8;
    r = afxi_mass_mesh(v, 8, t, 12, 1, &out);
    assert_true(r.code == AFXI_MESH_INDEX && r.triangle == 7);
    t[3 * 7 + 1] = box_triangles[3 * 7 + 1];
    v[3 * 5 + 2] = NAN; /* vertex 5 is first used by triangle 2 */
    r = afxi_mass_mesh(v, 8, t, 12, 1, &out);
    assert_true(r.code == AFXI_MESH_NOT_FINITE && r.triangle == 2);
    assert_int_equal(afxi_mass_mesh(v, 8, t, 0, 1, &out).code, AFXI_MESH_NO_VOLUME);
    AfxPose tilted = {{3, 4, 5}, afx_quat_from_axis_angle(vec3(1, 2, 3), 0.9)};
    box_vertices(vec3(1, 1, 0), tilted, v);
    assert_int_equal(afxi_mass_mesh(v, 8, t, 12, 1, &out).code, AFXI_MESH_NO_VOLUME);
    box_vertices(vec3(0, 0, 0), tilted, v);
    assert_int_equal(afxi_mass_mesh(v, 8, t, 12, 1, &out).code, AFXI_MESH_NO_VOLUME);
    assert_true(out.mass == -7);
}

/* Four points in a plane, as a tetrahedron: its volume is all rounding, the more the farther away. */
static void flat_meshes_have_no_volume(void **state) {
    (void)state;
    static const uint32_t t[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    uint64_t seed = 32;
    for (int trial = 0; trial < 2000; trial++) {
        AfxPose pose = {vec3_scale(pow(10, trial % 8), random_vec3(&seed)), random_quat(&seed)};
        double v[12];
        AfxMass out;
        for (int k = 0; k < 4; k++)
            vec3_store(v + 3 * k, afx_pose_apply(pose, vec3(random_signed(&seed), random_signed(&seed), 0)));
        assert_int_equal(afxi_mass_mesh(v, 4, t, 4, 1, &out).code, AFXI_MESH_NO_VOLUME);
    }
}

/* Boxes of the given half extents at x = 1, 2, 3 in one mesh, the second turned inside out. */
static AfxiMeshCode three_boxes(AfxVec3 a, AfxVec3 b, AfxVec3 c) {
    double v[72];
    uint32_t t[108];
    AfxMass out;
    AfxVec3 half[3] = {a, b, c};
    for (uint32_t n = 0; n < 3; n++) {
        box_vertices(half[n], (AfxPose){{1 + n, 0, 0}, {1, 0, 0, 0}}, v + 24 * n);
        memcpy(t + 36 * n, box_triangles, sizeof box_triangles);
        if (n == 1)
            reverse(box_triangles, t + 36, 12);
        for (uint32_t k = 0; k < 36; k++)
            t[36 * n + k] += 8 * n;
    }
    return afxi_mass_mesh(v, 24, t, 36, 1, &out).code;
}

static void signed_pieces_that_make_no_solid_are_refused(void **state) {
    (void)state;
    /* Volumes 2, -2.5, 1 (times 0.4): positive in sum and in all moments, but with the centroid at x = 0. */
    AfxVec3 a = vec3(0.1, 1, 1), b = vec3(0.3125, 0.8, 0.5), c = vec3(0.05, 1, 1);
    assert_int_equal(three_boxes(a, b, c), AFXI_MESH_INCONSISTENT);
    /* Volumes 2, -1, 2 with a wide second one: the centroid stays inside, the moment across is negative. */
    assert_int_equal(three_boxes(vec3(0.4, 0.5, 1), vec3(0.01, 5, 2), vec3(0.4, 0.5, 1)), AFXI_MESH_INCONSISTENT);
    /* A box with a bubble in it is a solid. */
    assert_int_equal(three_boxes(vec3(1.5, 1, 1), vec3(0.1, 0.5, 0.5), vec3(0.4, 1, 1)), AFXI_MESH_OK);
}

/* A plate a millionth as thick as wide is a solid all the same. */
static void thin_meshes_are_solids(void **state) {
    (void)state;
    AfxVec3 half = vec3(1, 1, 1e-6);
    AfxPose tilted = {{3, 4, 5}, afx_quat_from_axis_angle(vec3(1, 2, 3), 0.9)};
    double v[24];
    AfxMass got;
    box_vertices(half, tilted, v);
    assert_int_equal(afxi_mass_mesh(v, 8, box_triangles, 12, 1, &got).code, AFXI_MESH_OK);
    assert_mass_near(got, afxi_mass_transform(afxi_mass_box(half, 1), tilted), 1e-8);
}

static AfxiMeshCode closed(const uint32_t *t, uint32_t count, uint32_t vertices, uint32_t *out_bad) {
    size_t size = afxi_mesh_closed_workspace(count);
    void *work = malloc(size);
    AfxiMeshCode code = afxi_mesh_closed(t, count, vertices, work, size, out_bad);
    free(work);
    return code;
}

static void closed_meshes_are_told_from_open_ones(void **state) {
    (void)state;
    uint32_t t[39], bad = 99;
    memcpy(t, box_triangles, sizeof box_triangles);
    assert_int_equal(closed(t, 12, 8, &bad), AFXI_MESH_OK);
    reverse(box_triangles, t, 12);
    assert_int_equal(closed(t, 12, 8, &bad), AFXI_MESH_OK);
    memcpy(t, box_triangles, sizeof box_triangles);
    assert_int_equal(closed(t, 11, 8, &bad), AFXI_MESH_NOT_CLOSED);
    memcpy(t + 36, t, 3 * sizeof *t); /* triangle 0 twice */
    assert_int_equal(closed(t, 13, 8, &bad), AFXI_MESH_NOT_CLOSED);
    assert_int_equal(bad, 12);
    for (uint32_t k = 0; k < 12; k++) { /* any one reversed */
        memcpy(t, box_triangles, sizeof box_triangles);
        reverse(box_triangles + 3 * k, t + 3 * k, 1);
        assert_int_equal(closed(t, 12, 8, &bad), AFXI_MESH_NOT_CLOSED);
    }
    assert_int_equal(closed(box_triangles, 12, 7, &bad), AFXI_MESH_INDEX);
    assert_int_equal(bad, 2); /* the first to name vertex 7 */
}

/* The slot that a hash without a key gives an edge; what a file can be made to fill. */
static uint64_t known_slot(uint32_t from, uint32_t to) {
    uint64_t h = (((uint64_t)from << 32) | to) * 0x9E3779B97F4A7C15u;
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93u;
    return (h ^ (h >> 32)) & 8191;
}

static void a_file_cannot_make_edges_meet(void **state) {
    (void)state;
    enum { COUNT = 1000, SLOTS = 8192 };
    static uint32_t triangles[3 * COUNT], work[SLOTS];
    uint32_t from = 0, to = 0, run = 0, longest = 0, bad;
    for (uint32_t t = 0; t < COUNT; t++) {
        do {
            to = to + 1 < 8000 ? to + 1 : (from++, from + 1);
        } while (known_slot(from, to));
        const uint32_t corners[3] = {from, to, 8000 + t};
        memcpy(triangles + 3 * t, corners, sizeof corners);
    }
    assert_int_equal(afxi_mesh_closed_workspace(COUNT), sizeof work);
    assert_int_equal(afxi_mesh_closed(triangles, COUNT, 8000 + COUNT, work, sizeof work, &bad), AFXI_MESH_NOT_CLOSED);
    for (uint32_t k = 0; k < SLOTS; k++) {
        run = work[k] != UINT32_MAX ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    assert_true(longest < 200); /* 3,000 edges in 8,192 slots: 30 or so */
}

static void closed_refuses_what_it_cannot_judge(void **state) {
    (void)state;
    uint32_t t[36], bad = 99, work[128];
    memcpy(t, box_triangles, sizeof t);
    assert_true(afxi_mesh_closed_workspace(12) <= sizeof work);
    assert_int_equal(afxi_mesh_closed(t, 12, 8, work, afxi_mesh_closed_workspace(12) - 1, &bad), AFXI_MESH_WORKSPACE);
    assert_int_equal(afxi_mesh_closed(t, 0, 8, work, sizeof work, &bad), AFXI_MESH_NO_VOLUME);
    t[3 * 4 + 2] = t[3 * 4];
    assert_int_equal(afxi_mesh_closed(t, 12, 8, work, sizeof work, &bad), AFXI_MESH_REPEATED);
    assert_int_equal(bad, 4);
    t[3 * 4 + 2] = UINT32_MAX;
    assert_int_equal(afxi_mesh_closed(t, 12, 8, work, sizeof work, &bad), AFXI_MESH_INDEX);
    assert_int_equal(bad, 4);
}

static void a_large_closed_mesh(void **state) {
    (void)state;
    double *v = calloc(3 * ELLIPSOID_VERTICES, sizeof *v);
    uint32_t *t = calloc(3 * ELLIPSOID_TRIANGLES, sizeof *t), bad = 0;
    uint32_t count = tessellate(vec3(1, 1, 1), afx_pose_identity(), RINGS, AROUND, v, t);
    assert_int_equal(closed(t, count, ELLIPSOID_VERTICES, &bad), AFXI_MESH_OK);
    uint32_t kept = t[3 * 1000];
    t[3 * 1000] = t[3 * 5000];
    assert_int_equal(closed(t, count, ELLIPSOID_VERTICES, &bad), AFXI_MESH_NOT_CLOSED);
    t[3 * 1000] = kept;
    memmove(t + 3 * 1000, t + 3 * 1001, (count - 1001) * 3 * sizeof *t);
    assert_int_equal(closed(t, count - 1, ELLIPSOID_VERTICES, &bad), AFXI_MESH_NOT_CLOSED);
    free(v);
    free(t);
}

/* A box cut into two boxes: their sum is the whole, wherever and however turned. */
static void the_parts_of_a_box_add_up_to_it(void **state) {
    (void)state;
    uint64_t seed = 33;
    for (int trial = 0; trial < 1000; trial++) {
        double cut = random_unit(&seed);
        AfxPose pose = {random_vec3(&seed), random_quat(&seed)};
        AfxMass left = afxi_mass_box(vec3(cut, 2, 3), 5), right = afxi_mass_box(vec3(1 - cut, 2, 3), 5);
        left.center.x = cut - 1;
        right.center.x = cut;
        AfxMass want = afxi_mass_transform(afxi_mass_box(vec3(1, 2, 3), 5), pose);
        AfxMass sum = afxi_mass_add(afxi_mass_transform(left, pose), afxi_mass_transform(right, pose));
        assert_mass_near(sum, want, 4e-15);
        assert_center_near(sum, pose.position, 2e-15);
    }
}

static void adding_nothing_changes_nothing(void **state) {
    (void)state;
    AfxPose pose = {{1, 2, 3}, {0.8, 0, 0.6, 0}};
    AfxMass m = afxi_mass_transform(afxi_mass_box(vec3(1, 2, 3), 5), pose), none = {0};
    AfxMass left = afxi_mass_add(none, m), right = afxi_mass_add(m, none), nothing = afxi_mass_add(none, none);
    assert_memory_equal(&left, &m, sizeof m);
    assert_memory_equal(&right, &m, sizeof m);
    assert_memory_equal(&nothing, &none, sizeof none);
    AfxMass unknown = {.mass = 2};
    assert_true(afxi_mass_add(m, unknown).volume == 0 && afxi_mass_add(unknown, m).volume == 0);
}

static void second_moments_of_a_turned_box(void **state) {
    (void)state;
    uint64_t seed = 34;
    for (int trial = 0; trial < 1000; trial++) {
        AfxVec3 half = vec3(0.1 + random_unit(&seed), 0.1 + random_unit(&seed), trial % 2 ? 1e-9 : 1);
        AfxMass own = afxi_mass_box(half, 2);
        AfxMass m = afxi_mass_transform(own, (AfxPose){{0, 0, 0}, random_quat(&seed)});
        double s[3], sum = 0, product = 1;
        AfxiMat3 axes;
        assert_int_equal(afxi_second_moments(&m, s, &axes), AFXI_MASS_OK);
        assert_near(rotation_error(&axes), 0, 4e-15);
        AfxiMat3 back = mat3_transpose(&axes), tensor = {{0}};
        for (int k = 0; k < 3; k++)
            tensor.m[4 * k] = s[0] + s[1] + s[2] - s[k];
        tensor = mat3_multiply(&tensor, &back);
        tensor = mat3_multiply(&axes, &tensor);
        AfxiMat3 want = {{m.inertia[0], m.inertia[3], m.inertia[4], m.inertia[3], m.inertia[1], m.inertia[5],
                          m.inertia[4], m.inertia[5], m.inertia[2]}};
        double size = fmax(want.m[0], fmax(want.m[4], want.m[8]));
        assert_near(mat3_difference(&tensor, &want) / size, 0, 5e-15);
        for (int k = 0; k < 3; k++) {
            sum += s[k];
            product *= s[k] / own.mass * 3;
        }
        assert_near(sum / (own.mass / 3 * vec3_dot(half, half)), 1, 1e-14);
        if (trial % 2 == 0)
            assert_near(product / pow(half.x * half.y * half.z, 2), 1, 1e-12);
    }
}

static AfxiMassResult judge(double mass, double xx, double yy, double zz, double xy, double s[3]) {
    AfxMass m = {.mass = mass, .inertia = {xx, yy, zz, xy, 0, 0}};
    AfxiMat3 axes;
    return afxi_second_moments(&m, s, &axes);
}

static void second_moments_judge_the_inertia(void **state) {
    (void)state;
    double s[3];
    assert_int_equal(judge(1, 1, 2, 3, 0, s), AFXI_MASS_OK); /* a plate */
    assert_true(s[0] == 2 && s[1] == 1 && s[2] == 0);
    assert_int_equal(judge(1, 1, 2, 3 + 1e-10, 0, s), AFXI_MASS_OK);
    assert_true(s[2] == 0);
    assert_int_equal(judge(1, 1, 2, 3 + 1e-7, 0, s), AFXI_MASS_TRIANGLE);
    assert_int_equal(judge(1, 1, 2, 4, 0, s), AFXI_MASS_TRIANGLE);
    assert_int_equal(judge(1, 0, 0, 0, 0, s), AFXI_MASS_OK); /* a point */
    assert_true(s[0] == 0 && s[1] == 0 && s[2] == 0);
    assert_int_equal(judge(1, 1, 1, 0, 0, s), AFXI_MASS_OK); /* a rod */
    assert_true(s[0] == 0 && s[1] == 0 && s[2] == 1);
    assert_int_equal(judge(1, 1, 1, -0.1, 0, s), AFXI_MASS_NEGATIVE);
    assert_int_equal(judge(1, -1, -1, -1, 0, s), AFXI_MASS_NEGATIVE);
    assert_int_equal(judge(1, 1, 1, 1, 1.5, s), AFXI_MASS_NEGATIVE); /* principal 2.5, -0.5, 1 */
    assert_int_equal(judge(-1, 1, 1, 1, 0, s), AFXI_MASS_NEGATIVE);
    assert_int_equal(judge(1, NAN, 1, 1, 0, s), AFXI_MASS_NOT_FINITE);
    assert_int_equal(judge(1, 1, 1, 1, INFINITY, s), AFXI_MASS_NOT_FINITE);
    assert_int_equal(judge(INFINITY, 1, 1, 1, 0, s), AFXI_MASS_NOT_FINITE);
}

int run_inertia_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_of_revolution_match_quadrature),
        cmocka_unit_test(box_and_general_ellipsoid_have_their_textbook_values),
        cmocka_unit_test(a_box_mesh_is_a_box),
        cmocka_unit_test(distance_from_the_origin_costs_no_digits),
        cmocka_unit_test(a_tetrahedron_far_away),
        cmocka_unit_test(a_tessellated_ellipsoid_converges_to_the_solid),
        cmocka_unit_test(two_pieces_in_one_mesh_add_up),
        cmocka_unit_test(meshes_of_any_scale),
        cmocka_unit_test(meshes_that_are_refused),
        cmocka_unit_test(flat_meshes_have_no_volume),
        cmocka_unit_test(signed_pieces_that_make_no_solid_are_refused),
        cmocka_unit_test(thin_meshes_are_solids),
        cmocka_unit_test(closed_meshes_are_told_from_open_ones),
        cmocka_unit_test(a_file_cannot_make_edges_meet),
        cmocka_unit_test(closed_refuses_what_it_cannot_judge),
        cmocka_unit_test(a_large_closed_mesh),
        cmocka_unit_test(the_parts_of_a_box_add_up_to_it),
        cmocka_unit_test(adding_nothing_changes_nothing),
        cmocka_unit_test(second_moments_of_a_turned_box),
        cmocka_unit_test(second_moments_judge_the_inertia),
    };
    return cmocka_run_group_tests_name("mass and inertia", tests, NULL, NULL);
}
