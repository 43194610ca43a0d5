/* SPDX-License-Identifier: Apache-2.0 */
/* Convex hulls: whatever the points, the result is closed, a sphere by Euler's formula, faces outward, has only corners
 * of the cloud and every point inside; and for known bodies the right volume and corners. */
#include "math/hull.h"
#include "math/inertia.h"
#include "tests.h"

#include <stdlib.h>

typedef struct Cloud {
    uint32_t count, triangle_count;
    double *points;
    uint32_t *triangles;
} Cloud;

static Cloud make_cloud(uint32_t count) {
    return (Cloud){count, 0, calloc(3 * (size_t)count + 1, sizeof(double)),
                   calloc(6 * (size_t)count + 1, sizeof(uint32_t))};
}

static void drop_cloud(Cloud *c) {
    free(c->points);
    free(c->triangles);
}

static AfxVec3 point(const Cloud *c, uint32_t k) {
    return vec3_load(c->points + 3 * (size_t)k);
}

static AfxiHullResult wrap(Cloud *c) {
    size_t size = afxi_hull_workspace(c->count);
    void *work = malloc(size + 1);
    AfxiHullResult r = afxi_hull(c->points, c->count, c->triangles, 2 * c->count, &c->triangle_count, work, size);
    free(work);
    return r;
}

static double signed_volume(const Cloud *c) {
    double sum = 0;
    for (uint32_t t = 0; t < c->triangle_count; t++) {
        const uint32_t *v = c->triangles + 3 * (size_t)t;
        AfxVec3 o = point(c, c->triangles[0]), a = vec3_sub(point(c, v[0]), o);
        sum += vec3_dot(a, vec3_cross(vec3_sub(point(c, v[1]), o), vec3_sub(point(c, v[2]), o))) / 6;
    }
    return sum;
}

static uint32_t corner_count(const Cloud *c) {
    bool *used = calloc(c->count, sizeof *used);
    uint32_t corners = 0;
    for (uint32_t k = 0; k < 3 * c->triangle_count; k++)
        used[c->triangles[k]] = true;
    for (uint32_t k = 0; k < c->count; k++)
        corners += used[k];
    free(used);
    return corners;
}

static void assert_closed_sphere(const Cloud *c) {
    size_t size = afxi_mesh_closed_workspace(c->triangle_count);
    void *work = malloc(size);
    uint32_t bad;
    assert_int_equal(afxi_mesh_closed(c->triangles, c->triangle_count, c->count, work, size, &bad), AFXI_MESH_OK);
    free(work);
    assert_int_equal(2 * corner_count(c), c->triangle_count + 4); /* V - E + F = 2 with 2 E = 3 F */
}

/* No point stands out of any face by more than the hull allows, about 1e-8 of the size; for small or thin faces more,
 * as their normals tilt by that over their height. */
static void assert_all_inside(const Cloud *c, double size) {
    for (uint32_t t = 0; t < c->triangle_count; t++) {
        const uint32_t *v = c->triangles + 3 * (size_t)t;
        AfxVec3 a = point(c, v[0]), n = vec3_cross(vec3_sub(point(c, v[1]), a), vec3_sub(point(c, v[2]), a));
        double area = vec3_length(n);
        for (uint32_t k = 0; k < c->count; k++)
            assert_true(vec3_dot(n, vec3_sub(point(c, k), a)) <= 1e-8 * size * (area + size * size));
    }
}

static void random_points_are_wrapped(void **state) {
    (void)state;
    uint64_t seed = 41;
    for (int trial = 0; trial < 300; trial++) {
        Cloud c = make_cloud(4 + (uint32_t)(trial * random_unit(&seed)));
        double scale = pow(10, trial % 41 - 20);
        AfxVec3 shift = vec3_scale(100, random_vec3(&seed));
        for (uint32_t k = 0; k < c.count; k++)
            vec3_store(c.points + 3 * k, vec3_scale(scale, vec3_add(shift, random_vec3(&seed))));
        assert_int_equal(wrap(&c), AFXI_HULL_OK);
        assert_closed_sphere(&c);
        assert_all_inside(&c, scale);
        assert_true(signed_volume(&c) > 0);
        drop_cloud(&c);
    }
}

/* All points of a sphere are corners. */
static void ten_thousand_points_on_a_sphere(void **state) {
    (void)state;
    uint64_t seed = 42;
    Cloud c = make_cloud(10000);
    for (uint32_t k = 0; k < c.count; k++) {
        AfxQuat q = random_quat(&seed);
        vec3_store(c.points + 3 * k, afx_quat_rotate(q, vec3(0, 0, 2)));
    }
    assert_int_equal(wrap(&c), AFXI_HULL_OK);
    assert_closed_sphere(&c);
    assert_int_equal(corner_count(&c), 10000);
    assert_near(signed_volume(&c) / (32 * acos(-1) / 3), 1, 2e-3);
    drop_cloud(&c);
}

/* A prism over a regular polygon: two flat sides with all points in their rims. */
static void a_prism_of_a_thousand_corners(void **state) {
    (void)state;
    enum { SIDES = 500 };
    Cloud c = make_cloud(2 * SIDES);
    double turn = 2 * acos(-1) / SIDES;
    for (uint32_t k = 0; k < c.count; k++)
        vec3_store(c.points + 3 * k, vec3(cos(turn * k), sin(turn * k), k < SIDES ? 0 : 3));
    assert_int_equal(wrap(&c), AFXI_HULL_OK);
    assert_closed_sphere(&c);
    assert_int_equal(corner_count(&c), 2 * SIDES);
    assert_near(signed_volume(&c), 3 * SIDES / 2.0 * sin(turn), 1e-12);
    drop_cloud(&c);
}

/* A grid of points in a cube with every point twice, in random order: most lie in its faces and edges. */
static void a_cube_full_of_coplanar_points(void **state) {
    (void)state;
    enum { SIDE = 11, TOTAL = 2 * SIDE * SIDE * SIDE };
    uint64_t seed = 47;
    Cloud c = make_cloud(TOTAL);
    for (int trial = 0; trial < 40; trial++) {
        bool turned = trial % 2;
        AfxPose pose = {{5, 6, 7}, turned ? random_quat(&seed) : (AfxQuat){1, 0, 0, 0}};
        for (uint32_t k = 0; k < TOTAL; k++) {
            uint32_t n = k % (TOTAL / 2), other = (uint32_t)((k + 1) * random_unit(&seed));
            AfxVec3 p = vec3(n % SIDE / 10.0, n / SIDE % SIDE / 10.0, n / (SIDE * SIDE) / 10.0);
            vec3_store(c.points + 3 * k, point(&c, other));
            vec3_store(c.points + 3 * other, afx_pose_apply(pose, p));
        }
        assert_int_equal(wrap(&c), AFXI_HULL_OK);
        assert_closed_sphere(&c);
        assert_all_inside(&c, 1);
        assert_near(signed_volume(&c), 1, 1e-7);
        assert_true(corner_count(&c) < 8 + 24); /* a few points in its edges may be corners too */
    }
    drop_cloud(&c);
}

/* The largest side of any point over any face, unnormalised, and the least area of a face: exact for small integers. */
static double worst_side(const Cloud *c, double *out_least_area) {
    double worst = -INFINITY;
    *out_least_area = INFINITY;
    for (uint32_t t = 0; t < c->triangle_count; t++) {
        const uint32_t *v = c->triangles + 3 * (size_t)t;
        AfxVec3 a = point(c, v[0]), n = vec3_cross(vec3_sub(point(c, v[1]), a), vec3_sub(point(c, v[2]), a));
        *out_least_area = fmin(*out_least_area, vec3_length(n));
        for (uint32_t k = 0; k < c->count; k++)
            worst = fmax(worst, vec3_dot(n, vec3_sub(point(c, k), a)));
    }
    return worst;
}

/* Points from a grid of few places an axis: everything coincides and is in line and in plane with everything. Integers
 * are exact in the hull's own grid; integers over 3, in every other trial, are not. */
static void points_of_a_coarse_grid(void **state) {
    (void)state;
    uint64_t seed = 43;
    int wrapped = 0, flat = 0;
    for (int trial = 0; trial < 20000; trial++) {
        Cloud c = make_cloud(4 + (uint32_t)(30 * random_unit(&seed)));
        int places = 2 + trial % 4;
        double unit = trial % 3 ? 1 / 3.0 : 1;
        for (uint32_t k = 0; k < 3 * c.count; k++)
            c.points[k] = unit * floor(places * random_unit(&seed));
        if (wrap(&c) == AFXI_HULL_OK) {
            double least_area, worst = worst_side(&c, &least_area);
            wrapped++;
            assert_closed_sphere(&c);
            assert_true(worst < 1e-7);
            assert_true(signed_volume(&c) > 0.166 * unit * unit * unit); /* integer corners span at least a sixth */
            if (unit == 1)
                assert_true(worst == 0 && least_area >= 1);
        } else {
            flat++;
        }
        drop_cloud(&c);
    }
    assert_true(wrapped > 15000 && flat > 100);
}

/* The same with noise of a few units of the hull's own grid: faces that are flat but for the noise. */
static void points_of_a_noisy_grid(void **state) {
    (void)state;
    uint64_t seed = 48;
    for (int trial = 0; trial < 20000; trial++) {
        Cloud c = make_cloud(8 + (uint32_t)(20 * random_unit(&seed)));
        int places = 2 + trial % 5;
        double noise = places * pow(10, -9.5 + 2 * random_unit(&seed));
        AfxQuat q = trial % 3 ? random_quat(&seed) : (AfxQuat){1, 0, 0, 0};
        for (uint32_t k = 0; k < c.count; k++) {
            AfxVec3 p = vec3_scale(places, vec3(random_unit(&seed), random_unit(&seed), random_unit(&seed)));
            p = vec3_mad(vec3(floor(p.x), floor(p.y), floor(p.z)), noise, random_vec3(&seed));
            vec3_store(c.points + 3 * k, afx_quat_rotate(q, p));
        }
        if (wrap(&c) == AFXI_HULL_OK) {
            assert_closed_sphere(&c);
            assert_all_inside(&c, places);
        }
        drop_cloud(&c);
    }
}

/* A grid cloud is refused as flat only when it is: all tetrahedra of its points are flat. */
static void flat_means_flat(void **state) {
    (void)state;
    uint64_t seed = 44;
    for (int trial = 0; trial < 5000; trial++) {
        Cloud c = make_cloud(4 + (uint32_t)(4 * random_unit(&seed)));
        for (uint32_t k = 0; k < 3 * c.count; k++)
            c.points[k] = floor(3 * random_unit(&seed));
        double most = 0;
        for (uint32_t i = 0; i < c.count; i++)
            for (uint32_t j = i + 1; j < c.count; j++)
                for (uint32_t k = j + 1; k < c.count; k++)
                    for (uint32_t l = k + 1; l < c.count; l++) {
                        AfxVec3 o = point(&c, i), u = vec3_sub(point(&c, j), o), v = vec3_sub(point(&c, k), o);
                        most = fmax(most, fabs(vec3_dot(vec3_cross(u, v), vec3_sub(point(&c, l), o))));
                    }
        assert_int_equal(wrap(&c), most > 0 ? AFXI_HULL_OK : AFXI_HULL_DEGENERATE);
        drop_cloud(&c);
    }
}

static void degenerate_clouds_are_refused(void **state) {
    (void)state;
    uint64_t seed = 45;
    AfxQuat tilt = afx_quat_from_axis_angle(vec3(1, 2, 3), 0.9);
    for (int dimension = 0; dimension < 3; dimension++)
        for (int tilted = 0; tilted < 2; tilted++) {
            Cloud c = make_cloud(100);
            for (uint32_t k = 0; k < c.count; k++) {
                AfxVec3 p = random_vec3(&seed);
                p = vec3(dimension > 0 ? p.x : 0.5, dimension > 1 ? p.y : 0.25, 0.125);
                vec3_store(c.points + 3 * k, tilted ? afx_quat_rotate(tilt, p) : p);
            }
            assert_int_equal(wrap(&c), AFXI_HULL_DEGENERATE);
            assert_int_equal(c.triangle_count, 0);
            drop_cloud(&c);
        }
    for (uint32_t count = 0; count < 4; count++) {
        Cloud c = make_cloud(count);
        for (uint32_t k = 0; k < count; k++)
            vec3_store(c.points + 3 * k, random_vec3(&seed));
        assert_int_equal(wrap(&c), AFXI_HULL_DEGENERATE);
        drop_cloud(&c);
    }
}

static void thin_but_solid_clouds_are_wrapped(void **state) {
    (void)state;
    uint64_t seed = 46;
    AfxQuat tilt = afx_quat_from_axis_angle(vec3(1, 2, 3), 0.9);
    Cloud c = make_cloud(16);
    for (int tilted = 0; tilted < 2; tilted++) {
        for (uint32_t k = 0; k < c.count; k++) {
            AfxVec3 p = vec3(k & 1, (k >> 1) & 1, 1e-5 * ((k >> 2) & 1));
            p = k < 8 ? p : vec3(random_unit(&seed), random_unit(&seed), 0.5e-5);
            vec3_store(c.points + 3 * k, tilted ? afx_quat_rotate(tilt, p) : p);
        }
        assert_int_equal(wrap(&c), AFXI_HULL_OK);
        assert_closed_sphere(&c);
        assert_near(signed_volume(&c), 1e-5, 1e-13);
        assert_int_equal(corner_count(&c), 8);
    }
    drop_cloud(&c);
}

static void what_does_not_fit_is_told(void **state) {
    (void)state;
    double points[24];
    uint32_t triangles[36], count;
    for (int k = 0; k < 8; k++)
        vec3_store(points + 3 * k, vec3(k & 1, (k >> 1) & 1, (k >> 2) & 1));
    size_t size = afxi_hull_workspace(8);
    void *work = malloc(size);
    assert_int_equal(afxi_hull(points, 8, triangles, 11, &count, work, size), AFXI_HULL_CAPACITY);
    assert_int_equal(count, 12);
    assert_int_equal(afxi_hull(points, 8, triangles, 12, &count, work, size), AFXI_HULL_OK);
    assert_int_equal(count, 12);
    assert_int_equal(afxi_hull(points, 8, triangles, 12, &count, work, size - 1), AFXI_HULL_CAPACITY);
    points[7] = INFINITY;
    assert_int_equal(afxi_hull(points, 8, triangles, 12, &count, work, size), AFXI_HULL_NOT_FINITE);
    assert_true(afxi_hull_workspace(UINT32_MAX) == SIZE_MAX);
    free(work);
}

/* Coordinates as large and as small as doubles go. */
static void the_ends_of_the_range(void **state) {
    (void)state;
    static const double sizes[] = {1e-300, 1e300, 1.7e308};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        Cloud c = make_cloud(9);
        for (uint32_t k = 0; k < 24; k++)
            c.points[k] = (k / 3) >> (k % 3) & 1 ? sizes[s] : -sizes[s];
        assert_int_equal(wrap(&c), AFXI_HULL_OK);
        assert_closed_sphere(&c);
        assert_int_equal(c.triangle_count, 12);
        drop_cloud(&c);
    }
}

int run_hull_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_points_are_wrapped),
        cmocka_unit_test(ten_thousand_points_on_a_sphere),
        cmocka_unit_test(a_prism_of_a_thousand_corners),
        cmocka_unit_test(a_cube_full_of_coplanar_points),
        cmocka_unit_test(points_of_a_coarse_grid),
        cmocka_unit_test(points_of_a_noisy_grid),
        cmocka_unit_test(flat_means_flat),
        cmocka_unit_test(degenerate_clouds_are_refused),
        cmocka_unit_test(thin_but_solid_clouds_are_wrapped),
        cmocka_unit_test(what_does_not_fit_is_told),
        cmocka_unit_test(the_ends_of_the_range),
    };
    return cmocka_run_group_tests_name("convex hull", tests, NULL, NULL);
}
