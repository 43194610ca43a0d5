/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong in a scene file is told with its line and path. The text of each case has one mistake. */
#include "tests.h"

typedef struct Case {
    const char *text; /* on lines 2 and 3 of {"affix_scene": 1, ... } */
    int line;
    const char *element, *says;
} Case;

/* Bodies and joints to refer to. */
#define TWO                                                                                                       \
    "\"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\"}], \"joints\": [{\"name\": \"j\", \"kind\": \"revolute\", " \
    "\"base\": \"a\", \"follower\": \"b\"}],\n"

/* Fourteen groups, one in the other: of a path that long the end is told. */
#define G "\"groups\": [{"
#define E "}]"
#define DEEP(text) G G G G G G G G G G G G G G text E E E E E E E E E E E E E E

static const Case cases[] = {
    /* keys */
    {"\"bodys\": []", 2, "bodys", "no key \"bodys\""},
    {"\"bodies\": [{},\n{\"positon\": [0, 0, 0]}]", 3, "bodies[1].positon", "no key \"positon\""},
    {"\"bodies\": [{\"shapes\": [{\"kind\": \"box\",\n\"radius\": 1}]}]", 3, "bodies[0].shapes[0].radius", "no key"},
    {"\"bodies\": [{\"shapes\": [\n{\"kind\": \"box\"}]}]", 3, "bodies[0].shapes[0]", "\"size\" is missing"},
    {"\"bodies\": [{\"shapes\": [{}]}]", 2, "bodies[0].shapes[0]", "\"kind\" is missing"},
    {"\"bodies\": [{\"shapes\": [7]}]", 2, "bodies[0].shapes[0]", "not an object"},
    {"\"bodies\": {}", 2, "bodies", "not an array"},
    {"\"bodies\": [3]", 2, "bodies[0]", "not an object"},
    {"\"gravity\": 9.81", 2, "gravity", "array of 3 numbers"},
    {DEEP("\"bodies\": [{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 2]}]}]"), 2,
     "...].groups[0].groups[0].groups[0].groups[0].groups[0].groups[0].groups[0].groups[0].groups[0].bodies[0].shapes["
     "0].size",
     "array of 3 numbers"},
    {"\"gravity\": [0, 0]", 2, "gravity", "array of 3 numbers"},
    {"\"gravity\": [0, 0,\n\"down\"]", 3, "gravity[2]", "not a number"},
    {"\"units\": {\"length\": \"yard\"}", 2, "units.length", "\"yard\" is not possible"},
    {"\"units\": {\"speed\": \"m/s\"}", 2, "units.speed", "no key"},
    {"\"materials\": []", 2, "materials", "not an object"},
    {"\"materials\": {\"x\": {\"color\": 1}}", 2, "materials.x.color", "not a text"},
    {"\"materials\": {\"x\": {\"colour\": 1}}", 2, "materials.x.colour", "no key"},
    /* values */
    {"\"bodies\": [{\"name\": 3}]", 2, "bodies[0].name", "not a text"},
    {"\"bodies\": [{\"name\": \"\"}]", 2, "bodies[0].name", "empty"},
    {"\"bodies\": [{\"gravity\": \"yes\"}]", 2, "bodies[0].gravity", "neither true nor false"},
    {"\"bodies\": [{\"kind\": \"static\"}]", 2, "bodies[0].kind", "\"static\" is not possible"},
    {"\"bodies\": [{\"young\": \"stiff\"}]", 2, "bodies[0].young", "neither a number nor"},
    {"\"bodies\": [{\"material\": \"wood\"}]", 2, "bodies[0].material", "no such material"},
    {"\"bodies\": [{\"center\": [0, 0, 0]}]", 2, "bodies[0].center", "without an inertia"},
    {"\"bodies\": [{\"motion\": {}}]", 2, "bodies[0].motion", "only a kinematic body"},
    {"\"bodies\": [{\"rotation\": [1, 0, 0]}]", 2, "bodies[0].rotation", "array of 4 numbers"},
    {"\"bodies\": [{\"rotation\": [1, 0, 0, 1]}]", 2, "bodies[0].rotation", "not a unit quaternion"},
    {"\"bodies\": [{\"rotation\": {}}]", 2, "bodies[0].rotation", "no rotation"},
    {"\"bodies\": [{\"rotation\": {\"axis\": [0, 0, 0], \"angle\": 1}}]", 2, "bodies[0].rotation", "length zero"},
    {"\"bodies\": [{\"rotation\": {\"axis\": [0, 0, 1]}}]", 2, "bodies[0].rotation", "\"angle\" is missing"},
    {"\"bodies\": [{\"rotation\": {\"along\": [0, 0, 0]}}]", 2, "bodies[0].rotation", "length zero"},
    {"\"bodies\": [{\"rotation\": {\"euler\": [0, 0, 0], \"order\": \"xxy\"}}]", 2, "bodies[0].rotation.order",
     "no order"},
    {"\"bodies\": [{\"rotation\": {\"euler\": [0, 0, 0], \"order\": \"xYz\"}}]", 2, "bodies[0].rotation.order",
     "no order"},
    {"\"units\": {\"length\": \"km\"}, \"bodies\": [{\"position\": [1e307, 0, 0]}]", 2, "bodies[0].position[0]",
     "too large"},
    {"\"bodies\": [{\"shapes\": [{\"kind\": \"sphere\", \"radius\": 1, \"mass\": 1, \"density\": 1}]}]", 2,
     "bodies[0].shapes[0].mass", "both a mass and a density"},
    {"\"bodies\": [{\"shapes\": [{\"kind\": \"convex\", \"vertices\": [1, 2]}]}]", 2, "shapes[0].vertices", "triples"},
    {"\"bodies\": [{\"shapes\": [{\"kind\": \"convex\", \"vertices\": []}]}]", 2, "shapes[0].vertices", "triples"},
    {"\"bodies\": [{\"shapes\": [{\"kind\": \"mesh\", \"vertices\": [[0, 0, 0]], \"triangles\": [[0, 1]]}]}]", 2,
     "shapes[0].triangles[0]", "no triangle"},
    {"\"bodies\": [{\"shapes\": [{\"kind\": \"mesh\", \"vertices\": [[0, 0, 0]], \"triangles\": [[0, 1, -2]]}]}]", 2,
     "shapes[0].triangles[0][2]", "whole number"},
    {"\"bodies\": [{\"kind\": \"kinematic\", \"motion\": {\"translation\": [1, 2]}}]", 2,
     "bodies[0].motion.translation", "three functions"},
    {"\"bodies\": [{\"kind\": \"kinematic\", \"motion\": {\"angle\": {\"ramp\": 1}}}]", 2, "motion.angle.ramp",
     "no key"},
    {"\"bodies\": [{\"kind\": \"kinematic\", \"motion\": {\"angle\": {}}}]", 2, "motion.angle", "no function of time"},
    {"\"bodies\": [{\"kind\": \"kinematic\", \"motion\": {\"angle\": {\"constant\": 1, \"sine\": {}}}}]", 2,
     "motion.angle", "no function of time"},
    {"\"bodies\": [{\"kind\": \"kinematic\", \"motion\": {\"angle\": {\"polynomial\": [1, 2, 3, 4, 5, 6, 7]}}}]", 2,
     "angle.polynomial", "1 to 6"},
    {"\"bodies\": [{\"kind\": \"kinematic\", \"motion\": {\"angle\": {\"table\": {\"times\": [0, 1], \"values\": "
     "[0]}}}}]",
     2, "angle.table.values", "array of 2 numbers"},
    {"\"bodies\": [{\"kind\": \"kinematic\", \"motion\": {\"angle\": {\"table\": {\"times\": [], \"values\": []}}}}]",
     2, "angle.table.times", "array of times"},
    /* what the scene refuses is told with the line of the thing */
    {"\"bodies\": [{},\n{\"name\": \"x\", \"mass\": -1}]", 3, "body \"x\"", "mass is negative"},
    {"\"bodies\": [{\"name\": \"x\"},\n{\"name\": \"x\"}]", 3, "body \"x\"", "already"},
    {"\"bodies\": [{\"name\": \"x\", \"shapes\": [\n{\"kind\": \"sphere\", \"radius\": 0}]}]", 3,
     "shape #0 of body \"x\"", "radius is not positive"},
    {TWO "\"markers\": [{\"name\": \"m\", \"body\": \"a\"}, {\"name\": \"m\", \"body\": \"a\"}]", 3, "marker \"m\"",
     "already"},
    /* references */
    {TWO "\"joints2\": 1", 3, "joints2", "no key"},
    {"\"joints\": [{\"kind\": \"revolute\", \"follower\":\n\"wheel\"}]", 3, "joints[0].follower", "no body \"wheel\""},
    {"\"joints\": [{\"kind\": \"twist\", \"follower\": \"a\"}]", 2, "joints[0].kind", "\"twist\" is not possible"},
    {"\"joints\": [{\"kind\": \"fixed\"}]", 2, "joints[0]", "\"follower\" is missing"},
    {"\"joints\": [{\"kind\": \"fixed\", \"follower\": 0}]", 2, "joints[0].follower", "no body of this number"},
    {"\"joints\": [{\"kind\": \"fixed\", \"follower\": 0.5}]", 2, "joints[0].follower", "whole number"},
    {"\"joints\": [{\"kind\": \"fixed\", \"follower\": true}]", 2, "joints[0].follower", "not a reference"},
    {"\"joints\": [{\"kind\": \"fixed\", \"follower\": \"world\"}]", 2, "joint #0", "both the world"},
    {"\"bodies\": [{\"name\": \"a\"}], \"joints\": [{\"kind\": \"fixed\", \"follower\": {\"previous\": \"a\"}}]", 2,
     "joints[0].follower", "nothing is repeated"},
    {TWO "\"drives\": [{\"kind\": \"force\", \"joint\": \"k\"}]", 3, "drives[0].joint", "no joint \"k\""},
    {TWO "\"drives\": [{\"kind\": \"force\", \"joint\": \"j\", \"axis\": 1}]", 3, "drives[0].axis",
     "no such free axis"},
    {TWO "\"drives\": [{\"kind\": \"force\", \"joint\": \"j\", \"axis\": \"tx\"}]", 3, "drives[0].axis",
     "no such free axis"},
    {TWO "\"drives\": [{\"kind\": \"force\", \"joint\": \"j\", \"axis\": \"rz\"}]", 3, "drives[0].axis",
     "no such free axis"},
    {TWO "\"drives\": [{\"kind\": \"motor\", \"joint\": \"j\"}]", 3, "drives[0].kind", "not possible"},
    {TWO "\"drives\": [{\"kind\": \"spring\", \"joint\": \"j\", \"stiffness\": -1}]", 3, "drive #0",
     "stiffness is negative"},
    {TWO "\"couplings\": [{\"terms\": []}]", 3, "couplings[0].terms", "1 to 8"},
    {TWO "\"couplings\": [{\"terms\": [{\"joint\": \"j\", \"factor\": 0}]}]", 3, "coupling #0", "all zero"},
    {TWO "\"springs\": [{\"body_a\": \"c\"}]", 3, "springs[0].body_a", "no body \"c\""},
    {TWO "\"springs\": [{\"body_a\": \"a\", \"body_b\": \"b\"}]", 3, "spring #0", ""},
    {TWO "\"wrenches\": [{\"body\": \"world\"}]", 3, "wrenches[0].body", "no body \"world\""},
    {TWO "\"wrenches\": [{\"body\": \"a\", \"frame\": \"local\"}]", 3, "wrenches[0].frame", "not possible"},
    {TWO "\"markers\": [{\"body\": \"a\"}]", 3, "markers[0]", "\"name\" is missing"},
    /* places of joints */
    {"\"bodies\": [{}], \"joints\": [{\"kind\": \"fixed\", \"follower\": 0, \"frame\": {}, \"base_frame\": {}}]", 2,
     "joints[0]", "two ways"},
    {"\"bodies\": [{}], \"joints\": [{\"kind\": \"revolute\", \"follower\": 0, \"base_points\": [[0, 0, 0], [1, 0, "
     "0]]}]",
     2, "joints[0]", "\"follower_points\" is missing"},
    {"\"bodies\": [{}], \"joints\": [{\"kind\": \"revolute\", \"follower\": 0, \"base_points\": [[0, 0, 0]], "
     "\"follower_points\": [[0, 0, 0]]}]",
     2, "joints[0].base_points", "two points"},
    {"\"bodies\": [{}], \"joints\": [{\"kind\": \"universal\", \"follower\": 0, \"cross\": {\"mass\": 1, \"size\": 1}, "
     "\"drives\": [{\"kind\": \"force\"}]}]",
     2, "joints[0].drives", "two joints"},
    /* instances */
    {"\"bodies\": [{\"repeat\": {}}]", 2, "bodies[0].repeat", "\"count\" is missing"},
    {"\"bodies\": [{\"repeat\": {\"count\": 0}}]", 2, "bodies[0].repeat.count", "0 times"},
    {"\"bodies\": [{\"repeat\": {\"count\": 1.5}}]", 2, "bodies[0].repeat.count", "whole number"},
    {"\"bodies\": [{\"repeat\": {\"count\": -3}}]", 2, "bodies[0].repeat.count", "whole number"},
    {"\"bodies\": [{\"repeat\": {\"count\": [1, 2, 3, 4]}}]", 2, "bodies[0].repeat.count", "1 to 3"},
    {"\"bodies\": [{\"repeat\": {\"count\": [2, 2], \"step\": [{}]}}]", 2, "bodies[0].repeat.step", "one entry"},
    {"\"bodies\": [{\"repeat\": {\"count\": [2, 2], \"joint\": {}}}]", 2, "bodies[0].repeat.joint", "one entry"},
    {"\"bodies\": [{\"repeat\": {\"count\": 2, \"joint\": {\"kind\": \"fixed\", \"base\": 0}}}]", 2,
     "repeat.joint.base", "no key"},
    {"\"groups\": [{\"repeat\": {\"count\": 2, \"joint\": {}}}]", 2, "groups[0].repeat.joint", "no key"},
    {"\"groups\": [{\"file\": \"part.json\"}]", 2, "file \"part.json\"", "text in memory cannot name files"},
    {"\"groups\": [{\"file\": 1}]", 2, "groups[0].file", "not a text"},
    {"\"groups\": [{\"repeat\": {\"count\": 2}, \"bodies\": [{}], \"joints\": [{\"kind\": \"fixed\", \"follower\": 0,\n"
     "\"base\": {\"previous\": 1}}]}]",
     3, "joints[0].base.previous", "no body of this number"},
    {"\"groups\": [{\"bodies\": [{\"kind\": \"kinematic\", \"motion\": {\"translation\": [{\"sine\": {\"amplitude\": "
     "1, "
     "\"frequency\": 1}}, 1, 0]}}], \"rotation\": {\"axis\": [1, 1, 1], \"angle\": 1}}]",
     2, "groups[0].bodies[0]", "do not add up"},
};

static void mistakes_are_told_with_line_and_path(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxLoadDef def = afx_default_load();
    def.format = AFX_FORMAT_JSON;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[1200];
        AfxError error;
        int length = snprintf(text, sizeof text, "{\"affix_scene\": 1,\n%s}", cases[k].text);
        AfxStatus status = afx_scene_load_text(scene, text, (size_t)length, NULL, &def, &error);
        if (status != AFX_E_INPUT) {
            print_error("%s: %s\n", afx_status_name(status), text);
        }
        assert_error(&error, AFX_E_INPUT, cases[k].line, cases[k].element, cases[k].says);
        assert_int_equal(status, AFX_E_INPUT);
        assert_string_equal(error.file, "(text)");
        assert_empty(scene);
    }
    afx_scene_destroy(scene);
}

static void what_may_have_been_meant_is_said(void **state) {
    (void)state;
    static const struct {
        const char *text, *cure;
    } slips[] = {
        {"\"bodys\": []", "did you mean \"bodies\"? give one of: affix_scene, units"},
        {"\"bodies\": [{\"knid\": \"fixed\"}]", "did you mean \"kind\"? give one of: name, kind"},
        {"\"bodies\": [{\"kind\": \"fxied\"}]", "did you mean \"fixed\"? give one of: dynamic, fixed"},
        {"\"bodies\": [{\"kind\": \"fixed\", \"shapes\": [{\"kind\": \"shpere\"}]}]", "did you mean \"sphere\"?"},
        {"\"bodies\": [{\"kind\": \"fixed\", \"name\": \"upper arm\"}], \"markers\": [{\"name\": \"m\", \"body\": "
         "\"uper arm\"}]",
         "did you mean \"upper arm\"?"},
        {"\"joints\": [{\"kind\": \"revolut\", \"follower\": 0}]", "did you mean \"revolute\"?"},
        {"\"drives\": [{\"kind\": \"position\", \"joint\": \"elbow\"}], \"bodies\": [{\"name\": \"a\", \"kind\": "
         "\"fixed\"}], \"joints\": [{\"name\": \"elbows\", \"kind\": \"hinge\", \"follower\": \"a\"}]",
         "did you mean \"elbows\"?"},
        /* nothing is near */
        {"\"quite another\": 1", "give one of: affix_scene"},
        {"\"bodies\": [{\"kind\": \"fixed\", \"name\": \"arm\"}], \"markers\": [{\"name\": \"m\", \"body\": \"foot\"}]",
         "check the spelling"},
    };
    for (size_t k = 0; k < sizeof slips / sizeof slips[0]; k++) {
        char text[600];
        AfxScene *scene = make_scene();
        AfxLoadDef def = afx_default_load();
        AfxError error;
        def.format = AFX_FORMAT_JSON;
        int length = snprintf(text, sizeof text, "{\"affix_scene\": 1, %s}", slips[k].text);
        assert_int_equal(afx_scene_load_text(scene, text, (size_t)length, NULL, &def, &error), AFX_E_INPUT);
        if (strncmp(error.cure, slips[k].cure, strlen(slips[k].cure)) != 0) {
            print_error("%s\n%s: %s (%s)\n", text, error.element, error.text, error.cure);
            fail();
        }
        afx_scene_destroy(scene);
    }
}

static void joints_have_their_everyday_names_too(void **state) {
    (void)state;
    static const struct {
        const char *name;
        AfxJointKind kind;
    } names[] = {
        {"revolute", AFX_JOINT_REVOLUTE},   {"hinge", AFX_JOINT_REVOLUTE},
        {"prismatic", AFX_JOINT_PRISMATIC}, {"slide", AFX_JOINT_PRISMATIC},
        {"ball", AFX_JOINT_SPHERICAL},      {"spherical", AFX_JOINT_SPHERICAL},
        {"distance", AFX_JOINT_DISTANCE},   {"rod", AFX_JOINT_DISTANCE},
        {"fixed", AFX_JOINT_FIXED},         {"revolute-points", AFX_JOINT_REVOLUTE_POINTS},
    };
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char text[500];
        AfxJointDef joint;
        snprintf(
            text, sizeof text,
            "{\"affix_scene\": 1, \"bodies\": [{\"mass\": 1, \"inertia\": [1, 1, 1, 0, 0, 0], \"young\": \"%s\"}], "
            "\"joints\": [{\"kind\": \"%s\", \"follower\": 0, \"length\": 1, \"base_points\": [[0, 0, 0]%s], "
            "\"follower_points\": [[0, 0, 1]%s]}]}",
            k % 2 ? "inf" : "infinite", names[k].name, k == 4 || k == 5 ? "" : ", [1, 0, 0]",
            k == 4 || k == 5 ? "" : ", [1, 0, 1]");
        AfxScene *scene = load_json(text);
        AfxBodyDef body;
        assert_ok(afx_scene_get_joint(scene, afx_scene_joint(scene, 0), &joint));
        assert_int_equal(joint.kind, names[k].kind);
        assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, 0), &body));
        assert_true(isinf(body.young));
        afx_scene_destroy(scene);
    }
}

static void what_is_no_json_is_told_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int line;
        const char *says;
    } texts[] = {
        {"", 1, ""},
        {"\n\n{", 3, ""},
        {"{\"affix_scene\": 1,\n\"a\": 1,\n\"a\": 2}", 3, "duplicate object key"},
        {"{\"affix_scene\": 1,\n\"bodies\": [{\"mass\": 1,\n \"mass\": 2}]}", 3, "duplicate object key"},
        {"{\"affix_scene\": 1}\n}", 2, "end of file"},
        {"{\"affix_scene\": NaN}", 1, "invalid token"},
        {"{\"affix_scene\": 1,\n\"gravity\": [0, 0, 1e999]}", 2, "overflow"},
        {"{\"affix_scene\": 1, // no comments\n}", 1, ""},
        {"{\"a\": \"\xff\"}", 1, "unable to decode"},
        {"{\"a\": \"\\u0000\"}", 1, "\\u0000"},
        {"[1 2]", 1, ""},
        {"{\"a\" 1}", 1, ""},
    };
    AfxScene *scene = make_scene();
    AfxLoadDef def = afx_default_load();
    def.format = AFX_FORMAT_JSON;
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        AfxError error;
        AfxStatus status = afx_scene_load_text(scene, texts[k].text, strlen(texts[k].text), "f.json", &def, &error);
        assert_int_equal(status, AFX_E_INPUT);
        assert_error(&error, AFX_E_INPUT, texts[k].line, "column", texts[k].says);
        assert_string_equal(error.file, "f.json");
    }
    char zero[] = "{\"affix_scene\": 1}\0";
    assert_int_equal(afx_scene_load_text(scene, zero, sizeof zero, NULL, &def, NULL), AFX_E_INPUT);
    afx_scene_destroy(scene);
}

static void the_version_must_be_known(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxLoadDef def = afx_default_load();
    AfxError error;
    def.format = AFX_FORMAT_JSON;
    assert_int_equal(afx_scene_load_text(scene, "{}", 2, NULL, &def, &error), AFX_E_INPUT);
    assert_error(&error, AFX_E_INPUT, 1, "scene", "\"affix_scene\" is missing");
    const char *next = "{\"affix_scene\": 2}";
    assert_int_equal(afx_scene_load_text(scene, next, strlen(next), NULL, &def, &error), AFX_E_VERSION);
    assert_int_equal(afx_scene_load_text(scene, "[]", 2, NULL, &def, &error), AFX_E_INPUT);
    assert_error(&error, AFX_E_INPUT, 1, "scene", "not an object");
    afx_scene_destroy(scene);
}

/* A failed load puts gravity back and leaves nothing of what was read before the mistake. */
static void a_failed_load_leaves_the_scene_as_it_was(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    assert_ok(afx_scene_set_gravity(scene, (AfxVec3){1, 2, 3}));
    AfxLoadDef def = afx_default_load();
    AfxError error;
    def.format = AFX_FORMAT_JSON;
    const char *text =
        "{\"affix_scene\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": "
        "[1, 1, 1, 0, 0, 0]}], \"joints\": [{\"kind\": \"fixed\", \"follower\": \"a\"}], \"markers\": [{}]}";
    assert_int_equal(afx_scene_load_text(scene, text, strlen(text), NULL, &def, &error), AFX_E_INPUT);
    assert_empty(scene);
    assert_vec3(afx_scene_gravity(scene), 1, 2, 3, 0);
    char good[400];
    snprintf(good, sizeof good, "%.*s}", (int)(strstr(text, ", \"markers\"") - text), text);
    assert_loads(afx_scene_load_text(scene, good, strlen(good), NULL, &def, &error), &error);
    assert_int_equal(afx_scene_body_count(scene), 1);
    assert_vec3(afx_scene_gravity(scene), 0, 0, 0, 0);
    afx_scene_destroy(scene);
}

typedef struct Notices {
    int count;
    char text[4][200];
    int line[4];
} Notices;

static void take_notice(void *user, const AfxNotice *notice) {
    Notices *notices = user;
    if (notices->count < 4) {
        snprintf(notices->text[notices->count], 200, "%s: %s", notice->element, notice->text);
        notices->line[notices->count] = notice->line;
    }
    notices->count++;
}

static void what_has_no_effect_is_told(void **state) {
    (void)state;
    AfxScene *scene = make_scene();
    AfxLoadDef def = afx_default_load();
    Notices notices = {0};
    AfxError error;
    def.format = AFX_FORMAT_JSON;
    def.notice = take_notice;
    def.notice_user = &notices;
    const char *text = "{\"affix_scene\": 1, \"bodies\": [{\"name\": \"a\"}], \"joints\": [\n"
                       "{\"kind\": \"revolute\", \"follower\": \"a\", \"length\": 1,\n"
                       "\"drives\": [{\"kind\": \"force\", \"restitution\": 1},\n"
                       "{\"kind\": \"limit\", \"target\": 1}]}]}";
    assert_loads(afx_scene_load_text(scene, text, strlen(text), NULL, &def, &error), &error);
    assert_int_equal(notices.count, 3);
    assert_string_equal(notices.text[0], "joints[0].length: this kind of joint does not use it");
    assert_int_equal(notices.line[0], 2);
    assert_string_equal(notices.text[1], "joints[0].drives[0].restitution: this kind of drive does not use it");
    assert_int_equal(notices.line[1], 3);
    assert_string_equal(notices.text[2], "joints[0].drives[1].target: this kind of drive has no target");
    assert_int_equal(notices.line[2], 4);
    afx_scene_clear(scene);
    def.strict = true;
    assert_int_equal(afx_scene_load_text(scene, text, strlen(text), NULL, &def, &error), AFX_E_INPUT);
    assert_error(&error, AFX_E_INPUT, 2, "joints[0].length", "does not use it");
    afx_scene_destroy(scene);
}

int run_json_error_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_told_with_line_and_path),
        cmocka_unit_test(what_may_have_been_meant_is_said),
        cmocka_unit_test(joints_have_their_everyday_names_too),
        cmocka_unit_test(what_is_no_json_is_told_with_its_line),
        cmocka_unit_test(the_version_must_be_known),
        cmocka_unit_test(a_failed_load_leaves_the_scene_as_it_was),
        cmocka_unit_test(what_has_no_effect_is_told),
    };
    return cmocka_run_group_tests_name("JSON: mistakes", tests, NULL, NULL);
}
