/* SPDX-License-Identifier: Apache-2.0 */
/* Files below 1 MB that would take hours or all memory if they were read as they ask: each is loaded, or refused with
 * its place, the cause and a cure. A child of its own reads each one, so that one that hangs is stopped after much more
 * processor time than any of them takes; memory is counted by the allocator. */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xml_tests.h"

#define SIZE_MOST 1000000u
#define MEMORY_MOST ((size_t)512 * 1024 * 1024) /* of the allocator, peak */
#define SECONDS_MOST 40

typedef struct Text {
    char data[SIZE_MOST];
    size_t size;
} Text;

static void put(Text *text, const char *words) {
    size_t length = strlen(words);
    assert_true(text->size + length <= SIZE_MOST);
    memcpy(text->data + text->size, words, length);
    text->size += length;
}

/** The words `count` times; up to two %d stand for the number. */
__attribute__((format(printf, 2, 0))) static void put_many(Text *text, const char *words, int count) {
    char piece[400];
    for (int k = 0; k < count; k++) {
        snprintf(piece, sizeof piece, words, k, k);
        put(text, piece);
    }
}

/** Points of a sphere, each by `words` with three %g. */
__attribute__((format(printf, 2, 0))) static void put_sphere(Text *text, const char *words, int count) {
    char piece[100];
    for (int k = 0; k < count; k++) {
        double z = 1 - (2.0 * k + 1) / count, r = sqrt(1 - z * z), a = 2.4 * k;
        snprintf(piece, sizeof piece, words, r * cos(a), r * sin(a), z);
        put(text, piece);
    }
}

#define WORLD(inside) "<mujoco><worldbody>" inside "</worldbody></mujoco>"
#define JSON "{\"affix_scene\":1,"
#define BALL "\"shapes\":[{\"kind\":\"sphere\",\"radius\":1}]"

/* ---- XML ---- */

static void attributes_mjcf(Text *t) {
    put(t, "<mujoco><worldbody><geom size='1'");
    put_many(t, " a%d=''", 80000);
    put(t, "/></worldbody></mujoco>");
}

static void attributes_urdf(Text *t) {
    put(t, "<robot name='r'><link name='a'");
    put_many(t, " a%d=''", 80000);
    put(t, "/></robot>");
}

static void elements_urdf(Text *t) {
    put(t, "<robot name='r'><link name='a'/>");
    put_many(t, "<x%d/>", 90000);
    put(t, "</robot>");
}

static void nested(Text *t) {
    put(t, "<mujoco><worldbody>");
    put_many(t, "<body>", 100000);
}

static void entities(Text *t) {
    put(t, "<!DOCTYPE mujoco [<!ENTITY a0 'aaaaaaaaaa'>");
    for (int k = 1; k < 20; k++) {
        put_many(t, k == 1 ? "<!ENTITY a1 '&a0;&a0;&a0;&a0;'>" : "<!ENTITY b%d '&a1;&a1;&a1;'>", 1);
    }
    put(t, "]><mujoco model='&a1;'/>");
}

static void replicate_deep(Text *t) {
    put(t, WORLD("<replicate count='1000'>\n<replicate count='1000'><replicate count='1000'><body><freejoint/>"
                 "<geom size='1'/></body></replicate></replicate></replicate>"));
}

static void replicate_count(Text *t) {
    put(t, WORLD("<replicate count='1000000000'><body/></replicate>"));
}

static void replicate_nothing(Text *t) {
    put(t, WORLD("<replicate count='2147483647'/>"));
}

static void replicate_cameras(Text *t) {
    put(t, "<mujoco><worldbody><replicate count='100000'>");
    put_many(t, "<camera/>", 10000);
    put(t, "</replicate></worldbody></mujoco>");
}

static void replicate_name(Text *t) {
    put(t, "<mujoco><worldbody><replicate count='100000'><body name='");
    put_many(t, "nnnnnnnnnn", 90000);
    put(t, "'/></replicate></worldbody></mujoco>");
}

static void replicate_separator(Text *t) {
    put(t, "<mujoco><worldbody><replicate count='100000' sep='");
    put_many(t, "nnnnnnnnnn", 90000);
    put(t, "'><body/></replicate></worldbody></mujoco>");
}

static void replicate_blanks(Text *t) {
    put(t, "<mujoco><worldbody><replicate count='200000'><body pos='1 ");
    put_many(t, "          ", 90000);
    put(t, "2 3'/></replicate></worldbody></mujoco>");
}

static void replicate_attributes(Text *t) {
    put(t, "<mujoco><worldbody><replicate count='400000'><geom size='1'");
    put_many(t, " a%d=''", 80000);
    put(t, "/></replicate></worldbody></mujoco>");
}

static void replicate_references(Text *t) {
    put(t, "<mujoco><worldbody><replicate count='30000'><body><joint name='j'/><geom size='1'/></body></replicate>"
           "</worldbody><actuator>");
    put_many(t, "<motor joint='j'/>", 30000);
    put(t, "</actuator></mujoco>");
}

static void attach_itself(Text *t) {
    put(t, WORLD("<body name='a'><attach body='a' prefix='x'/><attach body='a' prefix='y'/></body>"));
}

static void attach_doubling(Text *t) {
    put(t, "<mujoco><worldbody><body name='b0'/>");
    for (int k = 1; k < 60; k++) {
        char piece[200];
        snprintf(piece, sizeof piece,
                 "<body name='b%d'><attach body='b%d' prefix='l%d'/><attach body='b%d' prefix='r%d'/></body>", k, k - 1,
                 k, k - 1, k);
        put(t, piece);
    }
    put(t, "</worldbody></mujoco>");
}

static void attach_far(Text *t) {
    put(t, "<mujoco><worldbody>");
    put_many(t, "<body/>", 60000);
    put(t, "<body name='x'/>");
    put_many(t, "<attach body='x' prefix='a%d'/>", 12000);
    put(t, "</worldbody></mujoco>");
}

static void classes(Text *t) {
    put(t, "<mujoco><default>");
    put_many(t, "<default class='c%d'/>", 40000);
    put(t, "</default></mujoco>");
}

static void class_used(Text *t) {
    put(t, "<mujoco><default>");
    put_many(t, "<default class='c%d'/>", 15000);
    put(t, "</default><worldbody>");
    put_many(t, "<geom size='1' class='c14999'/>", 15000);
    put(t, "</worldbody></mujoco>");
}

static void class_long(Text *t) {
    put(t, "<mujoco><default>");
    put_many(t, "<geom size='1'/>", 20000);
    put(t, "<default class='c'/></default><worldbody>");
    put_many(t, "<geom class='c'/>", 25000);
    put(t, "</worldbody></mujoco>");
}

static void mesh_used(Text *t) {
    put(t, "<mujoco><asset><mesh name='m' vertex='");
    put_sphere(t, "%.3f %.3f %.3f ", 20000);
    put(t, "'/></asset><worldbody>");
    put_many(t, "<geom type='mesh' mesh='m'/>", 15000);
    put(t, "</worldbody></mujoco>");
}

static void mesh_replicated(Text *t) {
    put(t, "<mujoco><asset><mesh name='m' vertex='");
    put_sphere(t, "%.3f %.3f %.3f ", 20000);
    put(t, "'/></asset><worldbody><replicate count='100000'><geom type='mesh' "
           "mesh='m'/></replicate></worldbody></mujoco>");
}

static void height_fields(Text *t) {
    put(t, "<mujoco><asset><hfield name='h' nrow='300' ncol='300' size='1 1 1 1' elevation='");
    put_many(t, "1 ", 90000);
    put(t, "'/></asset><worldbody>");
    put_many(t, "<geom type='hfield' hfield='h'/>", 20000);
    put(t, "</worldbody></mujoco>");
}

static void composite(Text *t) {
    put(t, WORLD("<composite type='grid' count='10000 10000 1' spacing='1'><geom size='1'/></composite>"
                 "<flexcomp type='grid' count='10000 10000 10000' spacing='1 1 1' name='f'/>"));
}

static void number_long(Text *t) {
    put(t, "<mujoco><worldbody><geom size='");
    put_many(t, "1111111111", 90000);
    put(t, "'/></worldbody></mujoco>");
}

static void number_large(Text *t) {
    put(t, WORLD("<geom size='1e400'/>"));
}

static void not_utf8(Text *t) {
    put(t, WORLD("<body name='\xff\xfe\x80'/>"));
}

static void circle(Text *t) {
    put(t, "<robot name='r'><link name='root'/>");
    put_many(t, "<link name='l%d'/>", 7000);
    put_many(t, "<joint name='k%d' type='fixed'><parent link='l%d'/><child link='l0'/></joint>", 1);
    for (int k = 1; k < 7000; k++) {
        char piece[200];
        snprintf(piece, sizeof piece, "<joint name='j%d' type='fixed'><parent link='l%d'/><child link='l%d'/></joint>",
                 k, k - 1, k);
        put(t, piece);
    }
    put(t, "</robot>");
}

/* ---- scene JSON ---- */

static void repeat_count(Text *t) {
    put(t, JSON "\"bodies\":[{" BALL ",\"repeat\":{\"count\":1000000000}}]}");
}

static void repeat_ten_million(Text *t) {
    put(t, JSON "\"bodies\":[{" BALL ",\"repeat\":{\"count\":10000000}}]}");
}

static void groups(Text *t) {
    put(t, JSON "\"groups\":[");
    put_many(t, "{\"repeat\":{\"count\":1000},\"groups\":[", 20);
    put_many(t, "]}", 20);
    put(t, "]}");
}

static void groups_side_by_side(Text *t) {
    put(t, JSON "\"groups\":[{}");
    put_many(t, ",{\"repeat\":{\"count\":10000}}", 30000);
    put(t, "]}");
}

static void deep_values(Text *t) {
    put(t, JSON "\"x\":");
    put_many(t, "[", 500000);
}

static void keys(Text *t) {
    put(t, JSON "\"bodies\":[{\"kind\":\"fixed\"");
    put_many(t, ",\"k%d\":0", 80000);
    put(t, "}]}");
}

static void materials(Text *t) {
    put(t, JSON "\"materials\":{\"a\":{}");
    put_many(t, ",\"k%d\":{}", 40000);
    put(t, "},\"bodies\":[{}");
    put_many(t, ",{\"kind\":\"fixed\",\"material\":\"k39999\"}", 11000);
    put(t, "]}");
}

static void table_repeated(Text *t) {
    put(t, JSON
        "\"bodies\":[{\"kind\":\"kinematic\",\"repeat\":{\"count\":900000},\"motion\":{\"translation\":[{\"table\":"
        "{\"times\":[-1");
    put_many(t, ",%d", 60000);
    put(t, "],\"values\":[0");
    put_many(t, ",0", 60000);
    put(t, "]}},0,0]}}]}");
}

static void convex_repeated(Text *t) {
    put(t, JSON "\"bodies\":[{\"kind\":\"fixed\",\"repeat\":{\"count\":900000},\"shapes\":[{\"kind\":\"convex\","
                "\"vertices\":[");
    put_sphere(t, "[%.3f,%.3f,%.3f],", 30000);
    put(t, "[0,0,0]]}]}]}");
}

static void convex_in_groups(Text *t) {
    put(t, JSON
        "\"groups\":[{\"repeat\":{\"count\":900000},\"bodies\":[{\"kind\":\"fixed\",\"shapes\":[{\"kind\":\"convex\","
        "\"vertices\":[");
    put_sphere(t, "[%.3f,%.3f,%.3f],", 30000);
    put(t, "[0,0,0]]}]}]}]}");
}

/* All joints are at the one point where all bodies are. */
static void one_pin(Text *t) {
    put(t, JSON "\"bodies\":[{\"name\":\"c\"," BALL "}");
    put_many(t, ",{\"name\":\"b%d\"," BALL "}", 8000);
    put(t, "],\"joints\":[{\"kind\":\"fixed\",\"base\":\"c\",\"follower\":\"b0\"}");
    put_many(t, ",{\"kind\":\"fixed\",\"base\":\"c\",\"follower\":\"b%d\"}", 8000);
    put(t, "]}");
}

static void json_large(Text *t) {
    put(t, JSON "\"gravity\":[1e400,0,0]}");
}

static void json_not_utf8(Text *t) {
    put(t, JSON "\"about\":\"\xff\xfe\x80\"}");
}

static const struct Hostile {
    const char *name;
    void (*write)(Text *text);
    AfxFormat format;
    AfxStatus status;
    const char *says; /* of the error; of the model, where the file is loaded */
} hostile[] = {
    {"80,000 attributes, MJCF", attributes_mjcf, AFX_FORMAT_MJCF, AFX_OK, ""},
    {"80,000 attributes, URDF", attributes_urdf, AFX_FORMAT_URDF, AFX_OK, ""},
    {"90,000 unknown elements", elements_urdf, AFX_FORMAT_URDF, AFX_OK, ""},
    {"elements in elements", nested, AFX_FORMAT_MJCF, AFX_E_LIMIT, "nested too deeply"},
    {"entities of entities", entities, AFX_FORMAT_MJCF, AFX_E_INPUT, "declares an entity"},
    {"replicate in replicate", replicate_deep, AFX_FORMAT_MJCF, AFX_E_LIMIT, "it makes 4001001000 elements"},
    {"replicate 1e9", replicate_count, AFX_FORMAT_MJCF, AFX_E_LIMIT, "it makes 2000000000 elements"},
    {"replicate nothing", replicate_nothing, AFX_FORMAT_MJCF, AFX_E_LIMIT, "it makes 2147483647 elements"},
    {"replicate what is ignored", replicate_cameras, AFX_FORMAT_MJCF, AFX_E_LIMIT, "elements"},
    {"replicate a long name", replicate_name, AFX_FORMAT_MJCF, AFX_E_LIMIT, "longer than 255 bytes"},
    {"replicate with a long separator", replicate_separator, AFX_FORMAT_MJCF, AFX_E_INPUT, "longer than 255 bytes"},
    {"replicate a long value", replicate_blanks, AFX_FORMAT_MJCF, AFX_E_LIMIT, "again and again"},
    {"replicate attributes", replicate_attributes, AFX_FORMAT_MJCF, AFX_E_LIMIT, "again and again"},
    {"references times copies", replicate_references, AFX_FORMAT_MJCF, AFX_E_LIMIT, "controls"},
    {"attached to itself", attach_itself, AFX_FORMAT_MJCF, AFX_E_LIMIT, "nested too deeply"},
    {"attached twice, 60 times", attach_doubling, AFX_FORMAT_MJCF, AFX_E_LIMIT, ""},
    {"attached from far", attach_far, AFX_FORMAT_MJCF, AFX_E_LIMIT, "again and again"},
    {"40,000 classes", classes, AFX_FORMAT_MJCF, AFX_OK, ""},
    {"the last class", class_used, AFX_FORMAT_MJCF, AFX_OK, ""},
    {"a class of many elements", class_long, AFX_FORMAT_MJCF, AFX_E_LIMIT, "again and again"},
    {"a mesh 15,000 times", mesh_used, AFX_FORMAT_MJCF, AFX_E_LIMIT, "again and again"},
    {"a mesh replicated", mesh_replicated, AFX_FORMAT_MJCF, AFX_E_LIMIT, "again and again"},
    {"height fields", height_fields, AFX_FORMAT_MJCF, AFX_E_LIMIT, "again and again"},
    {"composite and flexcomp", composite, AFX_FORMAT_MJCF, AFX_OK, ""},
    {"a number of 900,000 digits", number_long, AFX_FORMAT_MJCF, AFX_E_INPUT, "finite numbers"},
    {"1e400", number_large, AFX_FORMAT_MJCF, AFX_E_INPUT, "finite numbers"},
    {"not UTF-8", not_utf8, AFX_FORMAT_MJCF, AFX_E_INPUT, "not well-formed"},
    {"a circle of links", circle, AFX_FORMAT_URDF, AFX_E_INPUT, "its own descendants"},
    {"repeat 1e9", repeat_count, AFX_FORMAT_JSON, AFX_E_LIMIT, "it makes 1000000000 bodies"},
    {"repeat 1e7", repeat_ten_million, AFX_FORMAT_JSON, AFX_E_LIMIT, "it makes 10000000 bodies"},
    {"groups in groups", groups, AFX_FORMAT_JSON, AFX_E_LIMIT, "instances"},
    {"groups beside groups", groups_side_by_side, AFX_FORMAT_JSON, AFX_E_LIMIT, "instances"},
    {"values in values", deep_values, AFX_FORMAT_JSON, AFX_E_LIMIT, "nested too deep"},
    {"80,000 keys", keys, AFX_FORMAT_JSON, AFX_E_INPUT, "there is no key"},
    {"40,000 materials", materials, AFX_FORMAT_JSON, AFX_OK, ""},
    {"a table repeated", table_repeated, AFX_FORMAT_JSON, AFX_E_LIMIT, "again and again"},
    {"a hull repeated", convex_repeated, AFX_FORMAT_JSON, AFX_E_LIMIT, "again and again"},
    {"a hull in groups", convex_in_groups, AFX_FORMAT_JSON, AFX_E_LIMIT, "again and again"},
    {"8,000 bodies on one pin", one_pin, AFX_FORMAT_JSON, AFX_OK, "too many bodies meet on one pin"},
    {"1e400 in JSON", json_large, AFX_FORMAT_JSON, AFX_E_INPUT, "overflow"},
    {"not UTF-8 in JSON", json_not_utf8, AFX_FORMAT_JSON, AFX_E_INPUT, "decode"},
};

/** Whether a scene that was loaded makes a model, or is refused by one, with little memory. */
static bool compiles(const struct Hostile *file, AfxScene *scene, const TestAllocator *counts) {
    AfxModel *model = NULL;
    AfxError error = {0};
    AfxStatus status = afx_model_create(scene, &model, &error);
    afx_model_destroy(model);
    bool good = counts->peak < MEMORY_MOST && (status == AFX_OK || (strstr(error.text, file->says) && error.cure[0]));
    if (!good || (status == AFX_OK && file->says[0])) {
        print_error("model of %s: %s, %zu MB, %s: %s (%s)\n", file->name, afx_status_name(status), counts->peak >> 20,
                    error.element, error.text, error.cure);
        return false;
    }
    return true;
}

/** What the child finds: 0 for all well. */
static int judge(const struct Hostile *file, const Text *text) {
    TestAllocator counts = {0};
    AfxSceneDef scene_def = afx_default_scene();
    AfxLoadDef def = text_def(file->format, NULL);
    AfxScene *scene;
    AfxError error = {0};
    scene_def.allocator = test_allocator(&counts);
    if (afx_scene_create(&scene_def, &scene) != AFX_OK) {
        return 1;
    }
    AfxStatus status = afx_scene_load_text(scene, text->data, text->size, NULL, &def, &error);
    bool good = status == file->status && counts.peak < MEMORY_MOST &&
                (status == AFX_OK || (strstr(error.text, file->says) && error.cure[0]));
    if (!good) {
        print_error("%s: %s, %zu MB, %s:%d %s: %s (%s)\n", file->name, afx_status_name(status), counts.peak >> 20,
                    error.file, error.line, error.element, error.text, error.cure);
    }
    good = good && (status != AFX_OK || compiles(file, scene, &counts));
    afx_scene_destroy(scene);
    return good && counts.live == 0 ? 0 : 1;
}

static void each_is_loaded_or_refused(void **state) {
    (void)state;
    static Text text;
    int failures = 0;
    for (size_t k = 0; k < sizeof hostile / sizeof hostile[0]; k++) {
        text.size = 0;
        hostile[k].write(&text);
        fflush(stdout);
        fflush(stderr);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            const struct rlimit limit = {SECONDS_MOST, SECONDS_MOST};
            setrlimit(RLIMIT_CPU, &limit);
            int bad = judge(hostile + k, &text);
            fflush(stderr);
            _exit(bad);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status)) {
            print_error("%s: stopped by signal %d\n", hostile[k].name, WTERMSIG(status));
        }
        failures += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    assert_int_equal(failures, 0);
}

/* ---- limits are the caller's, and what is written out is within them ---- */

static void a_caller_may_raise_the_limit(void **state) {
    (void)state;
    static const char text[] = WORLD("<replicate count='300'><body><freejoint/><geom size='1'/></body></replicate>");
    AfxLoadDef def = text_def(AFX_FORMAT_MJCF, NULL);
    AfxScene *scene = make_scene();
    AfxError error;
    def.items_most = 1199; /* each copy, its body, joint and geom */
    assert_int_equal(load_text(scene, text, &def, &error), AFX_E_LIMIT);
    assert_error(&error, AFX_E_LIMIT, 1, "scene", "it makes 1200 elements");
    assert_non_null(strstr(error.cure, "--limit-items"));
    def.items_most = 1200;
    assert_loads(load_text(scene, text, &def, &error), &error);
    assert_int_equal(afx_scene_body_count(scene), 300);
    afx_scene_destroy(scene);
}

static void files_read_again_count(void **state) {
    (void)state;
    static Text part, top;
    static char text[SIZE_MOST + 1];
    char folder[256], path[400];
    AfxLoadDef def = afx_default_load();
    AfxScene *scene = make_scene();
    AfxError error;
    part.size = top.size = 0;
    put(&part, JSON "\"about\":\"");
    put_many(&part, "xxxxxxxxxx", 90000);
    put(&part, "\"}");
    put(&top, JSON "\"groups\":[{}");
    put_many(&top, ",{\"file\":\"part.json\"}", 200);
    put(&top, "]}");
    make_folder(folder, sizeof folder);
    memcpy(text, part.data, part.size);
    write_file(folder, "part.json", text);
    memset(text, 0, sizeof text);
    memcpy(text, top.data, top.size);
    write_file(folder, "top.json", text);
    snprintf(path, sizeof path, "%s/top.json", folder);
    assert_int_equal(afx_scene_load(scene, path, &def, &error), AFX_E_LIMIT);
    assert_error(&error, AFX_E_LIMIT, 1, "scene", "again and again");
    assert_empty(scene);
    afx_scene_destroy(scene);
    remove_folder(folder);
}

int run_hostile_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_loaded_or_refused),
        cmocka_unit_test(a_caller_may_raise_the_limit),
        cmocka_unit_test(files_read_again_count),
    };
    return cmocka_run_group_tests_name("hostile files", tests, NULL, NULL);
}
