/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures against rays that are cast here, by definitions of the shapes alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "affix/affix.h"
#include "affix/image.h"
#include "render/imager.h"
#include "support/allocator.h"
#include "support/check.h"
#include "support/random.h"

enum { EDGE = 64, PIXELS = EDGE * EDGE, BOXES = 6 };

/* A plane, boxes at random poses, a sphere. */
typedef struct World {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
    AfxPose pose[BOXES + 1];
    AfxVec3 half[BOXES];
    double radius;
    AfxImager *imager;
    unsigned char color[3 * PIXELS];
    float depth[PIXELS];
    int32_t body[PIXELS];
} World;

static AfxBodyId add(AfxScene *scene, const char *name, AfxBodyKind kind, AfxPose pose, const AfxShapeDef *shape) {
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    def.name = name;
    def.kind = kind;
    def.pose = pose;
    assert_ok(afx_scene_add_body(scene, &def, &id));
    if (shape) {
        assert_ok(afx_scene_add_shape(scene, id, shape));
    }
    return id;
}

static void world_make(World *world, uint64_t seed, uint32_t samples) {
    *world = (World){.radius = 0.4};
    AfxSceneDef scene = afx_default_scene();
    AfxSimDef sim = afx_default_sim();
    AfxImagerDef def = afx_default_imager();
    AfxShapeDef plane = afx_default_plane(), ball = afx_default_sphere(world->radius);
    assert_ok(afx_scene_create(&scene, &world->scene));
    add(world->scene, "ground", AFX_BODY_FIXED, afx_pose_identity(), &plane);
    for (int k = 0; k < BOXES; k++) {
        char name[16];
        snprintf(name, sizeof name, "box%d", k);
        world->half[k] = (AfxVec3){0.1 + 0.4 * random_unit(&seed), 0.1 + 0.4 * random_unit(&seed), 0.3};
        world->pose[k] = random_pose(&seed, 1);
        world->pose[k].position.z += 1.2;
        AfxShapeDef box = afx_default_box(2 * world->half[k].x, 2 * world->half[k].y, 2 * world->half[k].z);
        box.color = AFX_COLOR(40 * k, 100, 200);
        add(world->scene, name, AFX_BODY_DYNAMIC, world->pose[k], &box);
    }
    world->pose[BOXES] = (AfxPose){.position = {0.3, 0.2, 1}, .rotation = {1, 0, 0, 0}};
    add(world->scene, "ball", AFX_BODY_DYNAMIC, world->pose[BOXES], &ball);
    AfxPose far = {.position = {2000, 0, 0}, .rotation = {1, 0, 0, 0}}; /* the plane is drawn large */
    add(world->scene, "far", AFX_BODY_FIXED, far, NULL);
    assert_ok(afx_model_create(world->scene, &world->model, NULL));
    assert_ok(afx_sim_create(world->model, &sim, &world->sim));
    def.width = def.height = EDGE;
    def.samples = samples;
    assert_ok(afx_imager_create(&def, world->scene, &world->imager, NULL));
}

static void world_free(World *world) {
    afx_imager_destroy(world->imager);
    afx_sim_destroy(world->sim);
    afx_model_destroy(world->model);
    afx_scene_destroy(world->scene);
}

static void world_draw(World *world, const AfxView *view) {
    AfxImage image = {.color = world->color, .depth = world->depth, .body = world->body};
    assert_ok(afx_imager_draw(world->imager, world->sim, view, &image));
}

/* Where a ray p + t d enters a box of the frame, or a negative number. */
static double ray_box(const AfxPose *pose, AfxVec3 half, AfxVec3 p, AfxVec3 d) {
    AfxPose back = afx_pose_invert(*pose);
    AfxVec3 from = afx_pose_apply(back, p), way = afx_quat_rotate(back.rotation, d);
    const double o[3] = {from.x, from.y, from.z}, v[3] = {way.x, way.y, way.z}, h[3] = {half.x, half.y, half.z};
    double in = -INFINITY, out = INFINITY;
    for (int k = 0; k < 3; k++) {
        double a = (-h[k] - o[k]) / v[k], b = (h[k] - o[k]) / v[k];
        in = fmax(in, fmin(a, b));
        out = fmin(out, fmax(a, b));
    }
    return in <= out ? in : -1;
}

static double ray_ball(AfxVec3 c, double r, AfxVec3 p, AfxVec3 d) {
    AfxVec3 o = {p.x - c.x, p.y - c.y, p.z - c.z};
    double a = d.x * d.x + d.y * d.y + d.z * d.z, b = o.x * d.x + o.y * d.y + o.z * d.z;
    double root = b * b - a * (o.x * o.x + o.y * o.y + o.z * o.z - r * r);
    return root > 0 ? (-b - sqrt(root)) / a : -1;
}

/* The ray of a pixel's centre, of length 1 along the direction of view. */
static AfxVec3 ray_of(const AfxView *view, int pixel) {
    double scale = tan(0.5 * view->field_of_view) / (0.5 * EDGE);
    AfxVec3 local = {(pixel % EDGE + 0.5 - 0.5 * EDGE) * scale, (0.5 * EDGE - pixel / EDGE - 0.5) * scale, -1};
    return afx_quat_rotate(view->pose.rotation, local);
}

/* How far from the ball's centre a pixel says that its surface is. */
static double ball_radius(const World *world, const AfxView *view, int pixel) {
    AfxVec3 d = ray_of(view, pixel), p = view->pose.position, c = world->pose[BOXES].position;
    double t = (double)world->depth[pixel];
    return sqrt(pow(p.x + t * d.x - c.x, 2) + pow(p.y + t * d.y - c.y, 2) + pow(p.z + t * d.z - c.z, 2));
}

/* The nearest thing on a pixel's ray. */
static int32_t cast(const World *world, const AfxView *view, int pixel, double *out_depth) {
    AfxVec3 d = ray_of(view, pixel), p = view->pose.position;
    int32_t body = -1;
    double nearest = INFINITY;
    for (int k = -1; k <= BOXES; k++) {
        double t = k < 0        ? -p.z / d.z
                   : k == BOXES ? ray_ball(world->pose[BOXES].position, world->radius, p, d)
                                : ray_box(&world->pose[k], world->half[k], p, d);
        if (t > 0 && t < nearest) {
            nearest = t;
            body = k + 1;
        }
    }
    *out_depth = nearest;
    return body;
}

/* Pixels that see another body than their ray does, or another depth. */
static void compare(const World *world, const AfxView *view, int *out_bodies, int *out_depths) {
    *out_bodies = *out_depths = 0;
    for (int k = 0; k < PIXELS; k++) {
        double want;
        int32_t body = cast(world, view, k, &want);
        if (body == 0 && want > 500) {
            continue; /* near the horizon, where the square that stands for the plane may have ended */
        }
        if (body != world->body[k]) {
            (*out_bodies)++;
        } else if (body < 0) {
            *out_depths += !isinf(world->depth[k]);
        } else if (body == BOXES + 1) { /* it has 32 sides: what is seen lies on it to a few per mille */
            *out_depths += !(fabs(ball_radius(world, view, k) - world->radius) < 0.01 * world->radius);
        } else {
            *out_depths += !(fabs((double)world->depth[k] - want) < 2e-4 * want);
        }
    }
}

static void pictures_are_what_rays_see(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        World world;
        world_make(&world, seed, seed % 2 ? 1 : 3);
        uint64_t random = 100 + seed;
        AfxVec3 from = random_vec3(&random, 3);
        from.z = 1.6 + fabs(from.z);
        from.x += from.x > 0 ? 2 : -2;
        AfxView view = afx_view_look(from, (AfxVec3){0, 0, 1}, (AfxVec3){0, 0, 1}, 0.7 + 0.05 * (double)seed);
        world_draw(&world, &view);
        int bodies, depths;
        compare(&world, &view, &bodies, &depths);
        assert_true(bodies <= PIXELS / 100); /* on edges, where rays and rounding differ, and around the ball */
        assert_int_equal(depths, 0);
        world_free(&world);
    }
}

/* The ground goes on below and behind the camera: triangles are cut at the near plane. */
static void the_ground_reaches_behind_the_camera(void **state) {
    (void)state;
    World world;
    world_make(&world, 5, 1);
    AfxView view = afx_view_look((AfxVec3){6, 0.1, 0.5}, (AfxVec3){20, 0.3, 0.4}, (AfxVec3){0, 0, 1}, 1.2);
    world_draw(&world, &view);
    int bodies, depths;
    compare(&world, &view, &bodies, &depths);
    assert_int_equal(bodies, 0);
    assert_int_equal(depths, 0);
    assert_int_equal(world.body[0], -1);
    assert_int_equal(world.body[PIXELS - 1], 0);
    world_free(&world);
}

static void strained_bodies_are_drawn_strained(void **state) {
    (void)state;
    World world;
    world_make(&world, 7, 1);
    const AfxVec3 rest[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const AfxVec3 now[4] = {{50, 0, 5}, {51.5, 0, 5}, {50, 1, 5}, {50, 0, 6}}; /* half as long again along x */
    assert_ok(afx_sim_set_control_points(world.sim, 1, rest, now, NULL));
    AfxView view = afx_view_look((AfxVec3){60, 0, 5}, (AfxVec3){50, 0, 5}, (AfxVec3){0, 0, 1}, 0.3);
    world_draw(&world, &view);
    size_t middle = PIXELS / 2 + EDGE / 2;
    assert_int_equal(world.body[middle], 1);
    assert_near((double)world.depth[middle], 10 - 1.5 * world.half[0].x, 1e-4);
    world_free(&world);
}

static void cameras_follow(void **state) {
    (void)state;
    World world;
    world_make(&world, 3, 1);
    AfxCamera camera = {.name = "c", .position = {4, 0, 1}, .target = {0.3, 0.2, 1}, .follow = "ball"};
    AfxView before, after;
    assert_ok(afx_camera_view(&camera, world.scene, world.sim, &before));
    AfxPose pose = world.pose[BOXES];
    pose.position = (AfxVec3){0.3, 7.2, 3};
    assert_ok(afx_sim_set_body_pose(world.sim, BOXES + 1, pose));
    assert_ok(afx_camera_view(&camera, world.scene, world.sim, &after));
    assert_vec3(after.pose.position, ((AfxVec3){4, 7, 3}), 1e-12);
    world_draw(&world, &after);
    size_t middle = PIXELS / 2 + EDGE / 2;
    assert_int_equal(world.body[middle], BOXES + 1);
    snprintf(camera.follow, sizeof camera.follow, "nobody");
    assert_int_equal(afx_camera_view(&camera, world.scene, world.sim, &after), AFX_E_ARGUMENT);
    assert_ok(afx_imager_overview(world.imager, world.sim, &after));
    world_draw(&world, &after);
    int seen[BOXES + 3] = {0};
    for (int k = 0; k < PIXELS; k++) {
        seen[world.body[k] + 1]++;
    }
    for (int body = 1; body <= BOXES + 1; body++) {
        assert_true(seen[body + 1] > 0);
    }
    world_free(&world);
}

/* A pixel half covered has half of both colours; one on a face has the face's alone. */
static void samples_are_averaged(void **state) {
    (void)state;
    World one, many;
    world_make(&one, 9, 1);
    world_make(&many, 9, 5);
    AfxView view = afx_view_look((AfxVec3){5, 2, 3}, (AfxVec3){0, 0, 1}, (AfxVec3){0, 0, 1}, 0.6);
    world_draw(&one, &view);
    world_draw(&many, &view);
    assert_memory_equal(one.body, many.body, sizeof one.body);
    int colors = 0, different = 0;
    for (int k = 0; k < PIXELS; k++) {
        colors += one.body[k] > 0;
        different += memcmp(&one.color[3 * k], &many.color[3 * k], 3) != 0;
    }
    assert_true(colors > 100 && different > 20 && different < PIXELS / 2);
    world_free(&one);
    world_free(&many);
}

static void saved_pictures_are_png(void **state) {
    (void)state;
    char path[] = "/tmp/affix_image_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    unsigned char color[3 * 5 * 3], file[512], rows[16 * 3];
    for (size_t k = 0; k < sizeof color; k++) {
        color[k] = (unsigned char)(7 * k);
    }
    assert_ok(afx_image_save(color, 5, 3, path, NULL));
    FILE *stream = fopen(path, "rb");
    size_t size = fread(file, 1, sizeof file, stream);
    fclose(stream);
    unlink(path);
    assert_memory_equal(file, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\5\0\0\0\3\10\2\0\0\0", 29);
    assert_memory_equal(&file[37], "IDAT", 4);
    uLong packed = file[36] + 256u * file[35];
    uLongf unpacked = sizeof rows;
    assert_int_equal(uncompress(rows, &unpacked, &file[41], packed), Z_OK);
    assert_int_equal(unpacked, sizeof rows);
    for (size_t y = 0; y < 3; y++) {
        assert_int_equal(rows[16 * y], 0);
        assert_memory_equal(&rows[16 * y + 1], &color[15 * y], 15);
    }
    uLong sum = crc32(0, &file[37], 4 + (uInt)packed);
    const unsigned char *told = &file[41 + packed];
    assert_int_equal(sum, (uLong)told[0] << 24 | told[1] << 16 | told[2] << 8 | told[3]);
    assert_memory_equal(&file[size - 12], "\0\0\0\0IEND", 8);
    AfxError error = {0};
    assert_int_not_equal(afx_image_save(color, 5, 3, "/nowhere/x.png", &error), AFX_OK);
    assert_int_equal(afx_image_save(color, 0, 3, path, &error), AFX_E_ARGUMENT);
}

static void bad_calls_are_refused(void **state) {
    (void)state;
    World world;
    world_make(&world, 2, 1);
    AfxImagerDef def = afx_default_imager();
    AfxImager *imager = NULL;
    AfxError error = {0};
    def.samples = 2;
    assert_int_equal(afx_imager_create(&def, world.scene, &imager, &error), AFX_E_ARGUMENT);
    assert_non_null(strstr(error.element, "2 samples"));
    def.samples = 1;
    def.width = AFX_IMAGE_EDGE + 1;
    assert_int_equal(afx_imager_create(&def, world.scene, &imager, &error), AFX_E_ARGUMENT);
    def = (AfxImagerDef){0};
    assert_int_equal(afx_imager_create(&def, world.scene, &imager, &error), AFX_E_ARGUMENT);
    assert_null(imager);
    AfxView view = afx_view_look((AfxVec3){0, 0, 9}, (AfxVec3){0, 0, 0}, (AfxVec3){0, 0, 1}, 0.5); /* straight down */
    AfxImage image = {.body = world.body};
    assert_ok(afx_imager_draw(world.imager, world.sim, &view, &image));
    view.field_of_view = 4;
    assert_int_equal(afx_imager_draw(world.imager, world.sim, &view, &image), AFX_E_ARGUMENT);
    view.field_of_view = 1;
    view.pose.rotation.w = NAN;
    assert_int_equal(afx_imager_draw(world.imager, world.sim, &view, &image), AFX_E_ARGUMENT);
    afx_imager_destroy(NULL);
    world_free(&world);
}

static void no_memory_is_told(void **state) {
    (void)state;
    World world;
    world_make(&world, 2, 1);
    TestAllocator counts = {0};
    AfxImagerDef def = afx_default_imager();
    def.allocator = test_allocator(&counts);
    AfxImager *imager = NULL;
    AfxStatus status = AFX_E_MEMORY;
    uint64_t at = 0;
    while (status == AFX_E_MEMORY && at < 1000) {
        counts = (TestAllocator){.fail_at = ++at};
        status = afx_imager_create(&def, world.scene, &imager, NULL);
        assert_true(status == AFX_OK || (!imager && counts.live == 0));
    }
    assert_int_equal(status, AFX_OK);
    assert_true(at > 8);
    uint64_t calls = counts.calls;
    AfxView view = afx_view_look((AfxVec3){5, 2, 3}, (AfxVec3){0, 0, 1}, (AfxVec3){0, 0, 1}, 0.6);
    assert_ok(afx_imager_draw(imager, world.sim, &view, &(AfxImage){.depth = world.depth}));
    assert_int_equal(counts.calls, calls); /* a picture allocates nothing */
    afx_imager_destroy(imager);
    assert_int_equal(counts.live, 0);
    world_free(&world);
}

static const AfxVec3 brick = {0.5, 0.3, 0.2};
static const AfxPose brick_pose = {{0.1, -0.2, 0.4}, {0.8, 0.36, 0.48, 0}};

/* A brick as a mesh: its 8 corners, or three vertices for each of its 12 triangles. */
static void brick_make(World *world, bool split) {
    static const uint32_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    static const uint32_t corner[6] = {0, 1, 2, 0, 2, 3};
    double vertices[3 * 36];
    uint32_t triangles[36], count = split ? 36 : 8;
    for (uint32_t k = 0; k < 36; k++) {
        uint32_t of = faces[k / 6][corner[k % 6]];
        triangles[k] = split ? k : of;
        of = split ? of : k;
        vertices[3 * k] = of & 1 ? brick.x : -brick.x;
        vertices[3 * k + 1] = of & 2 ? brick.y : -brick.y;
        vertices[3 * k + 2] = of & 4 ? brick.z : -brick.z;
    }
    *world = (World){0};
    AfxSceneDef scene = afx_default_scene();
    AfxSimDef sim = afx_default_sim();
    AfxShapeDef mesh = afx_default_mesh(vertices, count, triangles, 12);
    assert_ok(afx_scene_create(&scene, &world->scene));
    add(world->scene, "brick", AFX_BODY_FIXED, brick_pose, &mesh);
    assert_ok(afx_model_create(world->scene, &world->model, NULL));
    assert_ok(afx_sim_create(world->model, &sim, &world->sim));
}

/* Vertices in one place are one, and the picture is what rays see, to the bit that of the brick with 8 corners; as soon
 * as there is memory for it. */
static void vertices_in_one_place_are_one(void **state) {
    (void)state;
    static World world[2];
    AfxView view = afx_view_look((AfxVec3){2, 1, 1.5}, brick_pose.position, (AfxVec3){0, 0, 1}, 0.6);
    for (int split = 0; split < 2; split++) {
        World *own = &world[split];
        TestAllocator counts = {0};
        AfxImagerDef def = afx_default_imager();
        AfxStatus status = AFX_E_MEMORY;
        brick_make(own, split);
        def.allocator = test_allocator(&counts);
        def.width = def.height = EDGE;
        def.samples = 1;
        for (uint64_t at = 1; status == AFX_E_MEMORY && at < 1000; at++) {
            counts = (TestAllocator){.fail_at = at};
            status = afx_imager_create(&def, own->scene, &own->imager, NULL);
            assert_true(status == AFX_OK || (!own->imager && counts.live == 0 && counts.errors == 0));
        }
        assert_ok(status);
        assert_int_equal(own->imager->corner_count, 8);
        world_draw(own, &view);
        int hits = 0, others = 0;
        for (int k = 0; k < PIXELS; k++) {
            double t = ray_box(&brick_pose, brick, view.pose.position, ray_of(&view, k));
            if (own->body[k] == 0 && t > 0) {
                assert_near((double)own->depth[k], t, 1e-5);
                hits++;
            }
            others += (own->body[k] == 0) != (t > 0);
        }
        assert_true(hits > PIXELS / 10 && others <= PIXELS / 100); /* on edges, where rays and rounding differ */
        afx_imager_destroy(own->imager);
        own->imager = NULL;
        assert_int_equal(counts.live, 0);
    }
    assert_memory_equal(world[0].color, world[1].color, sizeof world[0].color);
    assert_memory_equal(world[0].depth, world[1].depth, sizeof world[0].depth);
    assert_memory_equal(world[0].body, world[1].body, sizeof world[0].body);
    world_free(&world[0]);
    world_free(&world[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_what_rays_see),
        cmocka_unit_test(the_ground_reaches_behind_the_camera),
        cmocka_unit_test(strained_bodies_are_drawn_strained),
        cmocka_unit_test(cameras_follow),
        cmocka_unit_test(samples_are_averaged),
        cmocka_unit_test(saved_pictures_are_png),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(no_memory_is_told),
        cmocka_unit_test(vertices_in_one_place_are_one),
    };
    return cmocka_run_group_tests_name("render", tests, NULL, NULL);
}
