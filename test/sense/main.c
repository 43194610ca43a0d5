/* SPDX-License-Identifier: Apache-2.0 */
/* Rays against the definition of each solid: whether a point is inside. Before a hit nothing changes, at the hit it
 * does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "affix/affix.h"
#include "support/allocator.h"
#include "support/check.h"
#include "support/random.h"

enum { KINDS = 8, RAYS = 400 };

static const double corners[] = {-1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, -1, -1, -1, 1, 1, -1, 1, 1, 1, 1, -1, 1, 1};
static const uint32_t faces[] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                 1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};
static const double octahedron[] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};

/* The shapes of this test, in an order that `inside` knows. */
static AfxShapeDef shape_of(int kind) {
    switch (kind) {
    case 0:
        return afx_default_box(1, 0.6, 1.4);
    case 1:
        return afx_default_sphere(0.7);
    case 2:
        return afx_default_capsule(0.4, 1.1);
    case 3:
        return afx_default_cylinder(0.5, 1.2);
    case 4:
        return afx_default_ellipsoid(0.4, 0.9, 0.6);
    case 5:
        return afx_default_convex(octahedron, 6);
    case 6:
        return afx_default_mesh(corners, 8, faces, 12);
    default:
        return afx_default_plane();
    }
}

/* Less than 0 inside, in the shape's own frame. */
static double inside(int kind, AfxVec3 p) {
    double rho = sqrt(p.x * p.x + p.y * p.y), beyond = fmax(fabs(p.z) - 0.55, 0);
    switch (kind) {
    case 0:
        return fmax(fabs(p.x) - 0.5, fmax(fabs(p.y) - 0.3, fabs(p.z) - 0.7));
    case 1:
        return sqrt(rho * rho + p.z * p.z) - 0.7;
    case 2:
        return sqrt(rho * rho + beyond * beyond) - 0.4;
    case 3:
        return fmax(rho - 0.5, fabs(p.z) - 0.6);
    case 4:
        return p.x * p.x / 0.16 + p.y * p.y / 0.81 + p.z * p.z / 0.36 - 1;
    case 5:
        return fabs(p.x) + fabs(p.y) + fabs(p.z) - 1;
    case 6:
        return fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) - 1;
    default:
        return p.z;
    }
}

typedef struct World {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
    AfxCaster *caster;
} World;

static void world_begin(World *world) {
    AfxSceneDef def = afx_default_scene();
    *world = (World){0};
    assert_ok(afx_scene_create(&def, &world->scene));
}

static void world_end(World *world) {
    AfxSimDef def = afx_default_sim();
    AfxCasterDef caster = afx_default_caster();
    assert_ok(afx_model_create(world->scene, &world->model, NULL));
    assert_ok(afx_sim_create(world->model, &def, &world->sim));
    assert_ok(afx_caster_create(&caster, world->scene, &world->caster));
}

static void world_free(World *world) {
    afx_caster_destroy(world->caster);
    afx_sim_destroy(world->sim);
    afx_model_destroy(world->model);
    afx_scene_destroy(world->scene);
}

static uint32_t add(World *world, AfxBodyKind kind, AfxPose pose, AfxShapeDef shape, AfxPose on_body) {
    AfxBodyDef body = afx_default_body();
    AfxBodyId id;
    body.kind = kind;
    body.pose = pose;
    shape.pose = on_body;
    assert_ok(afx_scene_add_body(world->scene, &body, &id));
    assert_ok(afx_scene_add_shape(world->scene, id, &shape));
    return id.index;
}

/* A point of the world in the frame of a shape on a body that is where it is, strained or not. */
typedef struct Local {
    AfxVec3 at[4]; /* origin and axes of the body */
    AfxPose shape;
} Local;

static AfxVec3 local_point(const Local *local, AfxVec3 p) {
    const AfxVec3 *at = local->at;
    AfxVec3 a = {at[1].x - at[0].x, at[1].y - at[0].y, at[1].z - at[0].z};
    AfxVec3 b = {at[2].x - at[0].x, at[2].y - at[0].y, at[2].z - at[0].z};
    AfxVec3 c = {at[3].x - at[0].x, at[3].y - at[0].y, at[3].z - at[0].z};
    AfxVec3 d = {p.x - at[0].x, p.y - at[0].y, p.z - at[0].z};
#define DET(u, v, w) (u.x * (v.y * w.z - v.z * w.y) - u.y * (v.x * w.z - v.z * w.x) + u.z * (v.x * w.y - v.y * w.x))
    double all = DET(a, b, c);
    AfxVec3 x = {DET(d, b, c) / all, DET(a, d, c) / all, DET(a, b, d) / all}; /* Cramer's rule */
#undef DET
    return afx_pose_apply(afx_pose_invert(local->shape), x);
}

static AfxVec3 along(const AfxRay *ray, double s) {
    const AfxVec3 *d = &ray->direction;
    double scale = s / sqrt(d->x * d->x + d->y * d->y + d->z * d->z);
    return (AfxVec3){ray->from.x + scale * d->x, ray->from.y + scale * d->y, ray->from.z + scale * d->z};
}

/* The side of the surface does not change before the hit, and does at it; the normal points to what is outside. */
static void check_ray(int kind, const Local *local, const AfxRay *ray, const AfxRayHit *hit) {
    double reach = fmin(hit->distance, 12), first = inside(kind, local_point(local, along(ray, 0)));
    for (int k = 1; k < 60; k++) {
        double here = inside(kind, local_point(local, along(ray, reach * (k - 0.5) / 60)));
        assert_true((here < 0) == (first < 0) || fabs(here) < 1e-9);
    }
    if (isinf(hit->distance)) {
        assert_int_equal(hit->body, AFX_RAY_NO_BODY);
        return;
    }
    assert_int_equal(hit->body, 0);
    assert_vec3(hit->point, along(ray, hit->distance), 1e-12);
    assert_near(inside(kind, local_point(local, hit->point)), 0, 1e-9);
    assert_near(hit->normal.x * hit->normal.x + hit->normal.y * hit->normal.y + hit->normal.z * hit->normal.z, 1,
                1e-12);
    AfxVec3 p = hit->point, n = hit->normal;
    AfxVec3 out = {p.x + 1e-6 * n.x, p.y + 1e-6 * n.y, p.z + 1e-6 * n.z};
    assert_true(inside(kind, local_point(local, out)) > 0);
    double towards = ray->direction.x * n.x + ray->direction.y * n.y + ray->direction.z * n.z;
    assert_true(towards == 0 || (towards > 0) == (first < 0));
}

static void rays_end_at_the_surface(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int kind = 0; kind < KINDS; kind++) {
        World world;
        Local local = {.shape = random_pose(&seed, 0.5)};
        const AfxVec3 rest[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        bool plane = kind == KINDS - 1;
        world_begin(&world);
        AfxPose place = random_pose(&seed, 1);
        add(&world, plane ? AFX_BODY_FIXED : AFX_BODY_DYNAMIC, place, shape_of(kind), local.shape);
        world_end(&world);
        assert_ok(afx_sim_control_points(world.sim, 0, rest, local.at, NULL));
        if (kind % 2 == 0) { /* strained: longer along one axis, sheared along another */
            local.at[1].x += 0.2;
            local.at[2].z += 0.15;
            assert_ok(afx_sim_set_control_points(world.sim, 0, rest, local.at, NULL));
        }
        int hits = 0, from_inside = 0;
        for (int k = 0; k < RAYS; k++) {
            AfxRay ray = afx_default_ray(random_vec3(&seed, 3), random_vec3(&seed, 2));
            if (k % 4 == 0) { /* towards it, or from within */
                ray.direction =
                    (AfxVec3){local.at[0].x - ray.from.x, local.at[0].y - ray.from.y, local.at[0].z - ray.from.z};
            } else if (k % 4 == 1) {
                AfxVec3 near = random_vec3(&seed, 0.5);
                ray.from = (AfxVec3){local.at[0].x + near.x, local.at[0].y + near.y, local.at[0].z + near.z};
            }
            AfxRayHit hit;
            assert_ok(afx_caster_cast(world.caster, world.sim, &ray, 1, &hit));
            check_ray(kind, &local, &ray, &hit);
            hits += !isinf(hit.distance);
            from_inside += inside(kind, local_point(&local, ray.from)) < 0;
        }
        assert_true(hits > RAYS / 8 && from_inside > 5);
        world_free(&world);
    }
}

static void the_nearest_body_that_is_not_skipped(void **state) {
    (void)state;
    World world;
    world_begin(&world);
    AfxPose at = afx_pose_identity();
    for (int k = 0; k < 3; k++) {
        at.position.x = 5 - 2 * k; /* the last one is nearest */
        add(&world, AFX_BODY_DYNAMIC, at, afx_default_sphere(0.5), afx_pose_identity());
    }
    AfxShapeDef look = afx_default_box(0.2, 9, 9);
    look.visual = true;
    at.position.x = 0.3;
    AfxBodyDef body = afx_default_body();
    AfxBodyId id;
    body.kind = AFX_BODY_FIXED;
    body.pose = at;
    assert_ok(afx_scene_add_body(world.scene, &body, &id));
    assert_ok(afx_scene_add_shape(world.scene, id, &look));
    assert_ok(afx_scene_set_contact(world.scene, false)); /* it does not matter */
    world_end(&world);
    AfxRay rays[4];
    AfxRayHit hits[4];
    for (int k = 0; k < 4; k++) {
        rays[k] = afx_default_ray((AfxVec3){-1, 0, 0}, (AfxVec3){3, 0, 0});
    }
    rays[1].skip = 2;
    rays[2].reach = 1.4;
    rays[3].direction.x = -1;
    assert_ok(afx_caster_cast(world.caster, world.sim, rays, 4, hits));
    assert_int_equal(hits[0].body, 2);
    assert_near(hits[0].distance, 1.5, 1e-12);
    assert_int_equal(hits[1].body, 1);
    assert_near(hits[1].distance, 3.5, 1e-12);
    assert_int_equal(hits[2].body, AFX_RAY_NO_BODY);
    assert_true(isinf(hits[2].distance) && isinf(hits[3].distance));
    AfxCasterDef def = afx_default_caster();
    AfxCaster *looks = NULL;
    def.visual = true;
    assert_ok(afx_caster_create(&def, world.scene, &looks));
    assert_ok(afx_caster_cast(looks, world.sim, rays, 1, hits));
    assert_int_equal(hits[0].body, 3);
    assert_near(hits[0].distance, 1.2, 1e-12);
    afx_caster_destroy(looks);
    world_free(&world);
}

/* A field of heights is met where its triangles are, and a mesh whose vertices move where it is by now. */
static void fields_and_moving_meshes(void **state) {
    (void)state;
    World world;
    double heights[6 * 5], frames[2 * 24];
    for (int k = 0; k < 30; k++) {
        heights[k] = 0.3 * (k % 6) + 0.1 * (k / 6.0 - k % 6 / 6.0); /* plane: every triangle lies in it */
    }
    for (int k = 0; k < 24; k++) {
        frames[k] = corners[k];
        frames[24 + k] = corners[k] + (k % 3 == 2 ? 2 : 0);
    }
    world_begin(&world);
    add(&world, AFX_BODY_FIXED, afx_pose_identity(), afx_default_height_field(10, 8, heights, 6, 5),
        afx_pose_identity());
    AfxShapeDef mesh = afx_default_mesh(corners, 8, faces, 12);
    mesh.vertex_frames = frames;
    mesh.frame_count = 2;
    mesh.frame_rate = 10;
    AfxPose aside = afx_pose_identity();
    aside.position.x = 20;
    add(&world, AFX_BODY_FIXED, aside, mesh, afx_pose_identity());
    aside.position.x = 40;
    add(&world, AFX_BODY_DYNAMIC, aside, afx_default_sphere(0.1), afx_pose_identity());
    world_end(&world);
    uint64_t seed = 3;
    for (int k = 0; k < 50; k++) {
        double x = 9.9 * (random_unit(&seed) - 0.5), y = 7.9 * (random_unit(&seed) - 0.5);
        AfxRay ray = afx_default_ray((AfxVec3){x, y, 7}, (AfxVec3){0, 0, -1});
        AfxRayHit hit;
        assert_ok(afx_caster_cast(world.caster, world.sim, &ray, 1, &hit));
        double column = (x + 5) / 2, row = (y + 4) / 2;
        assert_near(hit.point.z, 0.3 * column + 0.1 * row, 1e-12);
    }
    AfxRay ray = afx_default_ray((AfxVec3){20.3, 0.1, 9}, (AfxVec3){0, 0, -1});
    AfxRayHit hit;
    AfxStepReport report;
    assert_ok(afx_caster_cast(world.caster, world.sim, &ray, 1, &hit));
    assert_near(hit.point.z, 1, 1e-12);
    while (afx_sim_time(world.sim) < 0.05 - 1e-9) {
        assert_ok(afx_step(world.sim, &report));
    }
    assert_ok(afx_caster_cast(world.caster, world.sim, &ray, 1, &hit));
    assert_near(hit.point.z, 1 + 2 * 10 * afx_sim_time(world.sim), 1e-9);
    assert_int_equal(hit.body, 1);
    world_free(&world);
}

static void bad_rays_and_no_memory(void **state) {
    (void)state;
    World world, other;
    world_begin(&world);
    add(&world, AFX_BODY_DYNAMIC, afx_pose_identity(), afx_default_mesh(corners, 8, faces, 12), afx_pose_identity());
    add(&world, AFX_BODY_DYNAMIC, afx_pose_identity(), afx_default_convex(octahedron, 6), afx_pose_identity());
    world_end(&world);
    world_begin(&other);
    world_end(&other);
    AfxRayHit hit;
    AfxRay ray = afx_default_ray((AfxVec3){0, 0, 0}, (AfxVec3){0, 0, 0});
    assert_int_equal(afx_caster_cast(world.caster, world.sim, &ray, 1, &hit), AFX_E_ARGUMENT);
    ray.direction.x = NAN;
    assert_int_equal(afx_caster_cast(world.caster, world.sim, &ray, 1, &hit), AFX_E_ARGUMENT);
    ray = afx_default_ray((AfxVec3){0, 0, 0}, (AfxVec3){0, 0, 1});
    assert_int_equal(afx_caster_cast(world.caster, other.sim, &ray, 1, &hit), AFX_E_ARGUMENT);
    assert_ok(afx_caster_cast(other.caster, other.sim, &ray, 1, &hit));
    ray.reach = -1;
    assert_int_equal(afx_caster_cast(world.caster, world.sim, &ray, 1, &hit), AFX_E_ARGUMENT);
    TestAllocator counts = {0};
    AfxCasterDef def = afx_default_caster();
    def.allocator = test_allocator(&counts);
    AfxStatus status = AFX_E_MEMORY;
    AfxCaster *caster = NULL;
    assert_int_equal(afx_caster_create(&(AfxCasterDef){0}, world.scene, &caster), AFX_E_ARGUMENT);
    uint64_t at = 0;
    while (status == AFX_E_MEMORY && at < 100) {
        counts = (TestAllocator){.fail_at = ++at};
        status = afx_caster_create(&def, world.scene, &caster);
        assert_true(status == AFX_OK || (!caster && counts.live == 0));
    }
    assert_int_equal(status, AFX_OK);
    assert_true(at > 8);
    uint64_t calls = counts.calls;
    ray.reach = 5;
    assert_ok(afx_caster_cast(caster, world.sim, &ray, 1, &hit));
    assert_near(hit.distance, 1, 1e-12); /* from within both: the way out of the nearer surface */
    assert_int_equal(counts.calls, calls);
    afx_caster_destroy(caster);
    assert_int_equal(counts.live, 0);
    afx_caster_destroy(NULL);
    world_free(&world);
    world_free(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_end_at_the_surface),
        cmocka_unit_test(the_nearest_body_that_is_not_skipped),
        cmocka_unit_test(fields_and_moving_meshes),
        cmocka_unit_test(bad_rays_and_no_memory),
    };
    return cmocka_run_group_tests_name("sense", tests, NULL, NULL);
}
