/* SPDX-License-Identifier: Apache-2.0 */
/* Replay pages: what is in them is unpacked here, by other code than the page's, and compared with the run. */
#include <hdf5.h>
#include <zlib.h>

#include "out/look.h"
#include "out/page.h"
#include "out/trajectory.h"
#include "tests.h"

enum { FRAMES = 150, CHUNK = 64 };

enum { DRAWN_FRAMES = 6 };

typedef struct Page {
    char *text; /* the JSON text */
    unsigned char *file;
} Page;

static bool no_viewer(void) {
    size_t size;
    if (!afxi_page_packed(&size)) {
        printf("SKIP: this build has no viewer\n");
        return true;
    }
    return false;
}

static Page page_open(const char *path) {
    static const char begin[] = "<script id=\"affix-data\" type=\"application/json\">";
    size_t size;
    Page page = {.file = file_read(path, &size)};
    assert_non_null(page.file);
    page.file = realloc(page.file, size + 1);
    page.file[size] = '\0';
    char *at = strstr((char *)page.file, begin);
    assert_non_null(at);
    page.text = at + sizeof begin - 1;
    char *end = strstr(page.text, "</script>");
    assert_non_null(end);
    assert_non_null(strstr(end, "</html>"));
    *end = '\0';
    return page;
}

static double number(const Page *page, const char *name, int skip) {
    char key[40];
    snprintf(key, sizeof key, "\"%s\":", name);
    char *at = strstr(page->text, key);
    assert_non_null(at);
    at += strlen(key) + (at[strlen(key)] == '[');
    while (skip-- > 0) {
        at = strchr(at, ',') + 1;
    }
    return strtod(at, NULL);
}

/* Decodes base64 up to the quote and inflates it; *at moves behind. */
static unsigned char *unpack(char **at, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = strcspn(*at, "\""), used = 0;
    unsigned char *packed = malloc(length + 1), *out = malloc(size + 1);
    uint32_t bits = 0, held = 0;
    for (size_t k = 0; k < length && (*at)[k] != '='; k++) {
        bits = bits << 6 | (uint32_t)(strchr(digits, (*at)[k]) - digits);
        held += 6;
        if (held >= 8) {
            held -= 8;
            packed[used++] = (unsigned char)(bits >> held);
        }
    }
    uLongf found = size + 1;
    assert_int_equal(uncompress(out, &found, packed, used), Z_OK);
    assert_int_equal(found, size);
    free(packed);
    *at += length + 1;
    return out;
}

/* What is needed to undo a chunk: the scales of quaternions, and the joints that tell where bodies are. */
typedef struct Guide {
    uint16_t *scales; /* [bodies] */
    struct {
        uint32_t body;
        float there[3], here[3];
    } * ties; /* [bodies] */
    double low[3], step;
} Guide;

static Guide guide_of(const Page *page) {
    Guide guide = {.step = number(page, "step", 0)};
    char *at = strstr(page->text, "\"scales\":\"") + strlen("\"scales\":\"");
    guide.scales = (uint16_t *)(void *)unpack(&at, WORLD_BODIES * sizeof *guide.scales);
    at = strstr(page->text, "\"ties\":\"") + strlen("\"ties\":\"");
    guide.ties = (void *)unpack(&at, WORLD_BODIES * sizeof *guide.ties);
    for (int axis = 0; axis < 3; axis++) {
        guide.low[axis] = number(page, "low", axis);
    }
    return guide;
}

/* A point of a body by its whole numbers. */
static AfxVec3 turned(const int32_t *whole, const float point[3]) {
    double q[4] = {whole[4], whole[5], whole[6], whole[7]};
    double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    AfxQuat turn = {q[3] / size, q[0] / size, q[1] / size, q[2] / size};
    return afx_quat_rotate(turn, (AfxVec3){point[0], point[1], point[2]});
}

static void undo_position(const Guide *guide, const int32_t *frame, uint32_t body, int32_t *guess) {
    uint32_t other = guide->ties[body].body;
    const float *there = guide->ties[body].there;
    if (other == UINT32_MAX) {
        return;
    }
    AfxVec3 point =
        other == UINT32_MAX - 1 ? (AfxVec3){there[0], there[1], there[2]} : turned(frame + 8 * other, there);
    AfxVec3 here = turned(frame + 8 * body, guide->ties[body].here);
    const double to[3] = {point.x, point.y, point.z}, from[3] = {here.x, here.y, here.z};
    for (int axis = 0; axis < 3; axis++) {
        double base = other == UINT32_MAX - 1 ? 0 : guide->low[axis] + guide->step * frame[8 * other + axis];
        double steps = floor((base + to[axis] - from[axis] - guide->low[axis]) / guide->step + 0.5);
        guess[axis] = (int32_t)fmin(fmax(steps, 0), 65535);
    }
}

/* Whole numbers [frames][bodies][8] of a chunk (src/out/replay_code.h says how they are guessed). */
static void undo(const Guide *guide, const unsigned char *planes, uint32_t bodies, uint32_t frames, int32_t *out) {
    static const int order[8] = {4, 5, 6, 7, 0, 1, 2, 3};
    size_t half = 8 * (size_t)bodies * frames, row = 8 * (size_t)bodies;
    for (uint32_t frame = 0; frame < frames; frame++) {
        for (uint32_t body = 0; body < bodies; body++) {
            int32_t *now = out + frame * row + 8 * (size_t)body, guess[8] = {0}, rest[8];
            int largest = frame ? 4 : -1;
            for (int k = 0; k < 8; k++) {
                size_t place = ((size_t)k * bodies + body) * frames + frame;
                uint16_t zigzag = (uint16_t)(planes[place] | planes[half + place] << 8);
                rest[k] = zigzag & 1 ? ~(zigzag >> 1) : zigzag >> 1;
                int32_t last = frame ? now[k - (ptrdiff_t)row] : body ? now[k - 8] : 0;
                guess[k] = frame > 1 && k != 3 ? 2 * last - now[k - 2 * (ptrdiff_t)row] : last;
                largest = frame && k > 4 && abs(last) > abs(now[largest - (ptrdiff_t)row]) ? k : largest;
            }
            for (int n = 0; n < 8; n++) {
                int k = order[n];
                if (k == 0) {
                    undo_position(guide, out + frame * row, body, guess);
                }
                now[k] = k == largest ? 0 : k < 4 ? (uint16_t)(guess[k] + rest[k]) : (int16_t)(guess[k] + rest[k]);
                if (k == 7 && largest > 0) {
                    double left = (double)guide->scales[body] * guide->scales[body];
                    for (int c = 4; c < 8; c++) {
                        left -= (double)now[c] * now[c];
                    }
                    int32_t size = (int32_t)floor(sqrt(fmax(left, 0)) + 0.5);
                    now[largest] = (now[largest - (ptrdiff_t)row] < 0 ? -size : size) + rest[largest];
                }
            }
        }
    }
}

static void run_to(const AfxOutputDef *def, World *world, uint32_t steps, AfxPose *poses, AfxOutput **output) {
    AfxError error = {0};
    if (!*output) {
        assert_fine(afx_output_create(def, world->scene, world->sim, output, &error), &error);
        assert_ok(afx_sim_poses(world->sim, poses));
    }
    for (uint32_t k = 0; k < steps; k++) {
        world_step(world);
        poses += WORLD_BODIES;
        assert_ok(afx_sim_poses(world->sim, poses));
        assert_fine(afx_output_step(*output, world->sim, &world->report, &error), &error);
    }
}

static void compare(const Guide *guide, uint32_t body, const int32_t *whole, const AfxPose *pose, double *worst) {
    double step = guide->step, scale = guide->scales[body];
    const double *p = &pose->position.x;
    const double q[4] = {pose->rotation.x, pose->rotation.y, pose->rotation.z, pose->rotation.w};
    double dot = 0;
    for (int k = 0; k < 3; k++) {
        double off = fabs(guide->low[k] + step * whole[k] - p[k]);
        *worst = fmax(*worst, off / step);
    }
    for (int k = 0; k < 4; k++) {
        dot += q[k] * whole[4 + k];
    }
    for (int k = 0; k < 4; k++) {
        assert_near(whole[4 + k] / scale, dot < 0 ? -q[k] : q[k], 1.001 / scale);
    }
}

static void test_poses(void **state) {
    (void)state;
    if (no_viewer()) {
        return;
    }
    World world;
    AfxError error = {0};
    AfxOutput *output = NULL;
    AfxOutputDef def = afx_default_output(AFX_OUTPUT_HTML);
    AfxPose *poses = calloc(FRAMES * WORLD_BODIES, sizeof *poses);
    def.path = scratch("a.html");
    def.title = "a </script> title";
    world_make(&world, NULL, NULL);
    run_to(&def, &world, FRAMES - 1, poses, &output);
    assert_int_equal(afx_output_frames(output), FRAMES);
    assert_fine(afx_output_close(output, &error), &error);
    Page page = page_open(def.path);
    assert_near(number(&page, "frames", 0), FRAMES, 0);
    assert_near(number(&page, "bodies", 0), WORLD_BODIES, 0);
    assert_near(number(&page, "chunk", 0), CHUNK, 0);
    char *at = strstr(page.text, "\"chunks\":[") + strlen("\"chunks\":[");
    double worst = 0;
    Guide guide = guide_of(&page);
    for (uint32_t first = 0; first < FRAMES; first += CHUNK) {
        uint32_t count = FRAMES - first < CHUNK ? FRAMES - first : CHUNK;
        at = strchr(at, '"') + 1;
        unsigned char *planes = unpack(&at, 16 * WORLD_BODIES * (size_t)count);
        int32_t *whole = calloc(8 * WORLD_BODIES * (size_t)count, sizeof *whole);
        undo(&guide, planes, WORLD_BODIES, count, whole);
        for (uint32_t k = 0; k < count * WORLD_BODIES; k++) {
            compare(&guide, k % WORLD_BODIES, whole + 8 * k, &poses[first * WORLD_BODIES + k], &worst);
        }
        free(whole);
        free(planes);
    }
    free(guide.scales);
    free(guide.ties);
    assert_true(worst > 0.1 && worst < 2.01); /* of a step: two where a joint tells it, and what float numbers lose */
    free(page.file);
    free(poses);
    world_free(&world);
}

/* A run that was stopped and gone on with gives the same page, but for the times that steps took. */
static void test_resume(void **state) {
    (void)state;
    if (no_viewer()) {
        return;
    }
    World world;
    AfxError error = {0};
    AfxPose *poses = calloc(FRAMES * WORLD_BODIES, sizeof *poses);
    char *chunks[2];
    Page pages[2];
    for (int cut = 0; cut < 2; cut++) {
        AfxOutput *output = NULL;
        AfxOutputDef def = afx_default_output(AFX_OUTPUT_HTML);
        def.path = scratch(cut ? "b.html" : "a.html");
        world_make(&world, NULL, NULL);
        run_to(&def, &world, 70, poses, &output);
        if (cut) {
            const void *mark;
            size_t size;
            assert_fine(afx_output_mark(output, &mark, &size, &error), &error);
            void *kept = malloc(size);
            memcpy(kept, mark, size);
            for (int k = 0; k < 5; k++) { /* too far */
                assert_fine(afx_output_step(output, world.sim, &world.report, &error), &error);
            }
            assert_fine(afx_output_close(output, &error), &error);
            assert_fine(afx_output_resume(&def, world.scene, world.sim, kept, size, &output, &error), &error);
            free(kept);
        }
        run_to(&def, &world, 20, poses, &output);
        assert_fine(afx_output_close(output, &error), &error);
        world_free(&world);
        pages[cut] = page_open(def.path);
        chunks[cut] = strstr(pages[cut].text, "\"chunks\":");
    }
    assert_string_equal(chunks[0], chunks[1]);
    free(pages[0].file);
    free(pages[1].file);
    free(poses);
}

enum { TOUCH_STEPS = 80 };

/* A box that falls on a plane and stays: contacts of every frame, as the page has them, against the sim's. */
static void check_touches(const Page *page, const float *want, const uint32_t *want_counts) {
    char *at = strstr(page->text, "\"touches\":[");
    double step = number(page, "step", 0), normal = number(page, "normal", 0), force = number(page, "force", 0);
    assert_non_null(at);
    at += strlen("\"touches\":[");
    for (uint32_t first = 0; first <= TOUCH_STEPS; first += CHUNK) {
        uint32_t frames = TOUCH_STEPS + 1 - first < CHUNK ? TOUCH_STEPS + 1 - first : CHUNK, total = 0, place = 0;
        for (uint32_t k = 0; k < frames; k++) {
            total += want_counts[first + k];
        }
        at = strchr(at, '"') + 1;
        unsigned char *bytes = unpack(&at, 8 * (size_t)frames + 20 * (size_t)total), *planes = bytes + 8 * frames;
        for (uint32_t k = 0; k < frames; k++) {
            uint32_t count;
            float scale;
            memcpy(&count, bytes + 4 * k, sizeof count);
            memcpy(&scale, bytes + 4 * (frames + k), sizeof scale);
            assert_int_equal(count, want_counts[first + k]);
            for (uint32_t component = 0; component < 10; component++) {
                uint16_t now = 0;
                for (uint32_t n = 0; n < count; n++) {
                    size_t byte = (size_t)component * total + place + n;
                    uint16_t zigzag = (uint16_t)(planes[byte] | planes[10 * (size_t)total + byte] << 8);
                    now = (uint16_t)(now + (zigzag & 1 ? ~(zigzag >> 1) : zigzag >> 1));
                    double unit = component < 3 ? step : component < 6 ? 1 / normal : scale / force;
                    double value =
                        component < 3 ? number(page, "low", (int)component) + step * now : unit * (int16_t)now;
                    assert_near(value, want[80 * (size_t)(first + k) + 10 * n + component], 0.51 * unit + 1e-6);
                }
            }
            place += count;
        }
        free(bytes);
    }
}

/* Column 12 of 28 of the numbers: why the step with most solver iterations had more than one. */
static void check_reasons(const Page *page, const double *want) {
    char *at = strstr(page->text, "\"numbers\":\"");
    bool any = false;
    assert_non_null(at);
    at += strlen("\"numbers\":\"");
    unsigned char *bytes = unpack(&at, (TOUCH_STEPS + 1) * 28 * sizeof(double));
    for (uint32_t k = 0; k <= TOUCH_STEPS; k++) {
        double reason;
        memcpy(&reason, bytes + (11 * (size_t)(TOUCH_STEPS + 1) + k) * sizeof reason, sizeof reason);
        assert_same(reason, want[k]);
        any |= reason != AFX_TRACE_FINE;
    }
    assert_true(any);
    free(bytes);
}

static void test_contacts(void **state) {
    (void)state;
    if (no_viewer()) {
        return;
    }
    AfxSceneDef scene_def = afx_default_scene();
    AfxSimDef sim_def = afx_default_sim();
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
    AfxOutput *output;
    AfxError error = {0};
    AfxStepReport report;
    AfxBodyDef ground = afx_default_body(), block = afx_default_body();
    AfxShapeDef plane = afx_default_plane(), box = afx_default_box(0.4, 0.4, 0.2);
    AfxBodyId id;
    assert_ok(afx_scene_create(&scene_def, &scene));
    ground.kind = AFX_BODY_FIXED;
    assert_ok(afx_scene_add_body(scene, &ground, &id));
    assert_ok(afx_scene_add_shape(scene, id, &plane));
    block.pose.position.z = 0.3;
    block.linear_velocity.x = 1;
    assert_ok(afx_scene_add_body(scene, &block, &id));
    assert_ok(afx_scene_add_shape(scene, id, &box));
    assert_fine(afx_model_create(scene, &model, &error), &error);
    assert_ok(afx_sim_create(model, &sim_def, &sim));
    AfxOutputDef def = afx_default_output(AFX_OUTPUT_HTML);
    def.path = scratch("touch.html");
    assert_fine(afx_output_create(&def, scene, sim, &output, &error), &error);
    float *want = calloc((TOUCH_STEPS + 1) * 80, sizeof *want);
    uint32_t counts[TOUCH_STEPS + 1] = {0}, most = 0;
    double reasons[TOUCH_STEPS + 1] = {0};
    assert_ok(afx_sim_trace(sim, 1000));
    for (int k = 1; k <= TOUCH_STEPS; k++) {
        assert_ok(afx_step(sim, &report));
        assert_fine(afx_output_step(output, sim, &report, &error), &error);
        reasons[k] = afx_sim_trace_reason(sim);
        counts[k] = afxi_look_touching(sim);
        assert_true(counts[k] <= 8);
        most = counts[k] > most ? counts[k] : most;
        afxi_look_contacts(sim, counts[k], counts[k], want + 80 * k);
    }
    assert_int_equal(counts[0], 0);
    assert_int_equal(most, 4); /* the corners */
    assert_fine(afx_output_close(output, &error), &error);
    Page page = page_open(def.path);
    check_touches(&page, want, counts);
    check_reasons(&page, reasons);
    const float *last = want + 80 * TOUCH_STEPS; /* it lies: the corners carry its weight */
    double weight = 0;
    for (uint32_t k = 0; k < counts[TOUCH_STEPS]; k++) {
        weight += last[10 * k + 6];
    }
    assert_near(weight, 9.81 * 0.4 * 0.4 * 0.2 * 1000, 0.01 * weight);
    afxi_look_contacts(sim, counts[TOUCH_STEPS], 2, want); /* of four, the second and the last */
    assert_memory_equal(want, last + 10, 10 * sizeof *want);
    assert_memory_equal(want + 10, last + 30, 10 * sizeof *want);
    free(want);
    free(page.file);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

/* Stress of a body that is stretched along one axis: E = diag((s² - 1) / 2, 0, 0), so von Mises' stress is
 * 2 mu (s² - 1) / 2. And what only turns has none. */
static void test_stress(void **state) {
    (void)state;
    World world;
    AfxAllocator allocator = afx_default_allocator();
    AfxiStiffness stiffness;
    const double stretch = 1.02, young = 1e9, poisson = 0.3;
    world_make(&world, NULL, NULL);
    assert_ok(afxi_stiffness_create(&allocator, world.sim, &stiffness));
    assert_near(afxi_stress(&stiffness, world.sim, 1), 0, 1e-3 * young * 1e-9);
    const AfxVec3 rest[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const AfxVec3 stretched[4] = {{5, 0, 0}, {5, stretch, 0}, {4, 0, 0}, {5, 0, 1}}; /* and turned */
    assert_ok(afx_sim_set_control_points(world.sim, 1, rest, stretched, NULL));
    double want = young / (1 + poisson) * (stretch * stretch - 1) / 2;
    assert_near(afxi_stress(&stiffness, world.sim, 1), want, 1e-5 * want);
    afxi_stiffness_destroy(&stiffness);
    world_free(&world);
}

/* Drawings: those of a run that goes on from a mark too, each once, and which one a frame shows. */
static void check_drawings(const char *path, const double *want) {
    Page page = page_open(path);
    char *at = strstr(page.text, "\"numbers\":\"") + strlen("\"numbers\":\"");
    unsigned char *numbers = unpack(&at, DRAWN_FRAMES * 28 * sizeof(double));
    for (size_t k = 0; k < DRAWN_FRAMES; k++) {
        double shown;
        memcpy(&shown, numbers + (27 * DRAWN_FRAMES + k) * sizeof shown, sizeof shown);
        assert_same(shown, want[k]);
    }
    at = strstr(page.text, "\"drawings\":\"");
    assert_non_null(at);
    at += strlen("\"drawings\":\"");
    uint32_t head[3], item[3];
    float from[6];
    const size_t first = 4 + 2 * 36 + 5, second = 4 + 36;
    unsigned char *bytes = unpack(&at, 12 + first + second);
    memcpy(head, bytes, sizeof head);
    assert_true(head[0] == 2 && head[1] == first && head[2] == second);
    memcpy(item, bytes + 12 + 4 + 36, sizeof item); /* the text, which is the second item */
    memcpy(from, bytes + 12 + 4 + 36 + 12, sizeof from);
    assert_true(item[0] == 3 && item[1] == 5 && item[2] == AFX_COLOR(1, 2, 3) && from[2] == 3);
    assert_memory_equal(bytes + 12 + 4 + 72, "Hello", 5);
    free(bytes);
    free(numbers);
    free(page.file);
}

static void draw(AfxOutput *output, uint32_t frame) {
    AfxDrawing *drawing = NULL;
    AfxError error = {0};
    assert_ok(afx_drawing_create(NULL, &drawing));
    if (frame < 3) {
        assert_ok(afx_drawing_line(drawing, (AfxVec3){0, 0, 0}, (AfxVec3){1, 0, 0}, 0));
        assert_ok(afx_drawing_text(drawing, (AfxVec3){1, 2, 3}, "Hello", AFX_COLOR(1, 2, 3)));
    } else if (frame < 5) {
        assert_ok(afx_drawing_arrow(drawing, (AfxVec3){0, 0, 0}, (AfxVec3){1, 0, 0}, 0));
    }
    assert_fine(afx_output_draw(output, drawing, &error), &error);
    afx_drawing_destroy(drawing);
}

/* The same in a trajectory: each drawing once, and from which frame on it is shown. */
static void check_recorded(const char *path) {
    const AfxAllocator allocator = afx_default_allocator();
    static const AfxiDrawingChange want[] = {{1, 1}, {3, 2}, {5, 0}};
    const size_t first = 4 + 2 * 36 + 5, second = 4 + 36;
    AfxiDrawings list;
    AfxiBytes changes;
    AfxError error = {0};
    assert_fine(afxi_trajectory_drawings(path, &allocator, &list, &changes, &error), &error);
    assert_int_equal(afxi_drawings_count(&list), 2);
    assert_int_equal(list.data.size, first + second);
    assert_memory_equal(list.data.data + 4 + 72, "Hello", 5);
    assert_int_equal(changes.size, sizeof want);
    assert_memory_equal(changes.data, want, sizeof want);
    afxi_drawings_destroy(&list);
    afxi_bytes_destroy(&changes);
}

/* Draws into an output of DRAWN_FRAMES frames; with `cut`, it is closed after the third and goes on from its mark. */
static void record_drawings(const AfxOutputDef *def, bool cut) {
    World world;
    AfxOutput *output = NULL;
    AfxError error = {0};
    world_make(&world, NULL, NULL);
    assert_fine(afx_output_create(def, world.scene, world.sim, &output, &error), &error);
    for (uint32_t frame = 1; frame < DRAWN_FRAMES; frame++) {
        draw(output, frame);
        world_step(&world);
        assert_fine(afx_output_step(output, world.sim, &world.report, &error), &error);
        if (cut && frame == 3) {
            const void *mark;
            size_t size;
            assert_fine(afx_output_mark(output, &mark, &size, &error), &error);
            void *kept = malloc(size);
            memcpy(kept, mark, size);
            draw(output, 1); /* what comes after the mark is forgotten */
            afx_output_close(output, NULL);
            assert_fine(afx_output_resume(def, world.scene, world.sim, kept, size, &output, &error), &error);
            free(kept);
        }
    }
    assert_fine(afx_output_close(output, &error), &error);
    world_free(&world);
}

static void test_drawings(void **state) {
    (void)state;
    static const double want[DRAWN_FRAMES] = {0, 1, 1, 2, 2, 0};
    AfxOutputDef page = afx_default_output(AFX_OUTPUT_HTML), file = afx_default_output(AFX_OUTPUT_HDF5);
    page.path = scratch("drawn.html");
    for (int cut = 0; cut < 2 && !no_viewer(); cut++) {
        record_drawings(&page, cut);
        check_drawings(page.path, want);
    }
    file.path = scratch("drawn.h5");
    for (uint32_t chunk = 0; chunk < 4; chunk++) { /* the mark falls into a chunk, and between two */
        file.chunk = chunk;
        record_drawings(&file, false);
        check_recorded(file.path);
        record_drawings(&file, true);
        check_recorded(file.path);
    }
}

/* Drawings of a file that somebody wrote into are refused. */
static void test_damaged_drawings(void **state) {
    (void)state;
    static const char *const names[] = {"drawings/data", "drawings/sizes", "drawings/changes"};
    const AfxAllocator allocator = afx_default_allocator();
    AfxOutputDef def = afx_default_output(AFX_OUTPUT_HDF5);
    def.path = scratch("drawn.h5");
    for (int k = 0; k < 3; k++) {
        AfxiDrawings list;
        AfxiBytes changes;
        AfxError error = {0};
        record_drawings(&def, false);
        hid_t file = H5Fopen(def.path, H5F_ACC_RDWR, H5P_DEFAULT), data = H5Dopen2(file, names[k], H5P_DEFAULT);
        uint64_t numbers[256] = {9, 9, 9};
        assert_true(data >= 0 && H5Sget_simple_extent_npoints(H5Dget_space(data)) <= 256);
        assert_true(H5Dwrite(data, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
        assert_true(H5Dclose(data) >= 0 && H5Fclose(file) >= 0);
        assert_int_equal(afxi_trajectory_drawings(def.path, &allocator, &list, &changes, &error), AFX_E_INPUT);
        assert_non_null(strstr(error.text, "drawings are damaged"));
    }
}

static void test_drawing_limits(void **state) {
    (void)state;
    AfxDrawing *drawing = NULL;
    char text[AFX_DRAWING_TEXT + 1];
    memset(text, 'x', sizeof text);
    text[AFX_DRAWING_TEXT] = '\0';
    assert_ok(afx_drawing_create(NULL, &drawing));
    assert_int_equal(afx_drawing_point(drawing, (AfxVec3){NAN, 0, 0}, 0), AFX_E_INPUT);
    assert_int_equal(afx_drawing_point(drawing, (AfxVec3){1e300, 0, 0}, 0), AFX_E_INPUT);
    assert_int_equal(afx_drawing_text(drawing, (AfxVec3){0, 0, 0}, text, 0), AFX_E_LIMIT);
    assert_int_equal(afx_drawing_text(drawing, (AfxVec3){0, 0, 0}, NULL, 0), AFX_E_ARGUMENT);
    assert_int_equal(afx_drawing_line(NULL, (AfxVec3){0, 0, 0}, (AfxVec3){0, 0, 0}, 0), AFX_E_ARGUMENT);
    assert_int_equal(afx_drawing_count(drawing), 0);
    for (uint32_t k = 0; k < AFX_DRAWING_ITEMS; k++) {
        assert_ok(afx_drawing_point(drawing, (AfxVec3){0, 0, 0}, 0));
    }
    assert_int_equal(afx_drawing_point(drawing, (AfxVec3){0, 0, 0}, 0), AFX_E_LIMIT);
    assert_ok(afx_drawing_clear(drawing));
    assert_int_equal(afx_drawing_count(drawing), 0);
    assert_int_equal(afx_drawing_clear(NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_output_draw(NULL, drawing, NULL), AFX_E_ARGUMENT);
    afx_drawing_destroy(drawing);
    afx_drawing_destroy(NULL);
}

int run_replay_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_poses, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_resume, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_contacts, scratch_setup, scratch_teardown),
        cmocka_unit_test(test_stress),
        cmocka_unit_test_setup_teardown(test_drawings, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_damaged_drawings, scratch_setup, scratch_teardown),
        cmocka_unit_test(test_drawing_limits),
    };
    return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
