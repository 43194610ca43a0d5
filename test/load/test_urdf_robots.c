/* SPDX-License-Identifier: Apache-2.0 */
/* The example robots of ../shared/data/urdf against an independent reading of the same files (urdf_reference.py):
 * masses, centres and tensors of what is fixed together, kinds and limits of joints, and where every link is in a
 * random posture. Those that must not load fail for the reason listed here. */
#include "tests.h"

#include <glob.h>
#include <stdlib.h>

#define FOLDER "../shared/data/urdf/"
#define TOLERANCE 1e-9

/* Files that are wrong in themselves: what the error says of them. */
static const struct {
    const char *file, *element, *text;
} broken[] = {
    {"alex_psyonic_hands.urdf", "mimic", "there is no joint \"index_q1\""},
    {"bluevolta_bravo7_gripper.urdf", "bravo_finger2_link", "has mass"},
    {"bravo7_gripper.urdf", "bravo_finger2_link", "has mass"},
    {"falcon_bravo7_gripper.urdf", "bravo_finger2_link", "has mass"},
    {"romeo.urdf", "RThumb1Link", "has mass"},
};

typedef struct Robot {
    AfxScene *scene; /* NULL: this file is not looked at further */
    AfxModel *model;
    AfxSim *sim;
    double *values; /* [coordinates] */
    uint32_t bodies, joints;
    char changed[2000]; /* elements whose inertia was mended */
} Robot;

typedef struct Count {
    uint32_t loaded, refused, bodies, joints, links;
    double worst;
} Count;

static void note(void *user, const AfxNotice *notice) {
    Robot *robot = user;
    if (notice->kind == AFX_NOTICE_CHANGED) {
        size_t length = strlen(robot->changed);
        snprintf(robot->changed + length, sizeof robot->changed - length, "%s\n", notice->element);
    }
    assert_true(notice->line > 0);
    assert_true(notice->text[0]);
}

static void load_robot(Robot *robot, const char *path, Count *count) {
    AfxLoadDef def = afx_default_load();
    AfxError error;
    *robot = (Robot){.scene = make_scene()};
    def.notice = note;
    def.notice_user = robot;
    AfxStatus status = afx_scene_load(robot->scene, path, &def, &error);
    for (size_t k = 0; k < sizeof broken / sizeof broken[0]; k++) {
        if (strcmp(strrchr(path, '/') + 1, broken[k].file) == 0) {
            assert_error(&error, AFX_E_INPUT, error.line, broken[k].element, broken[k].text);
            assert_true(error.line > 0);
            assert_empty(robot->scene);
            afx_scene_destroy(robot->scene);
            robot->scene = NULL;
            count->refused++;
            return;
        }
    }
    assert_loads(status, &error);
    assert_ok(afx_scene_set_contact(robot->scene, false)); /* only joints are looked at */
    assert_ok(afx_model_create(robot->scene, &robot->model, &error));
    AfxSimDef sim = afx_default_sim();
    assert_ok(afx_sim_create(robot->model, &sim, &robot->sim));
    robot->values = calloc(afx_model_coordinate_count(robot->model) + 1, sizeof(double));
    assert_non_null(robot->values);
    count->loaded++;
}

static void end_robot(Robot *robot, Count *count) {
    if (!robot->scene) {
        return;
    }
    assert_int_equal(afx_scene_body_count(robot->scene), robot->bodies);
    assert_int_equal(afx_scene_joint_count(robot->scene), robot->joints);
    count->bodies += robot->bodies;
    count->joints += robot->joints;
    free(robot->values);
    afx_sim_destroy(robot->sim);
    afx_model_destroy(robot->model);
    afx_scene_destroy(robot->scene);
    *robot = (Robot){0};
}

static void check_body(Robot *robot, const char *name, const double want[10]) {
    AfxBodyId body;
    AfxMass mass;
    char element[300];
    assert_ok(afx_scene_find_body(robot->scene, name, &body));
    if (robot->bodies++ == 0) { /* the root stands still and has no use for mass */
        AfxBodyDef def;
        assert_ok(afx_scene_get_body(robot->scene, body, &def));
        assert_int_equal(def.kind, AFX_BODY_FIXED);
        return;
    }
    assert_ok(afx_scene_body_mass(robot->scene, body, &mass));
    assert_near(mass.mass, want[0], TOLERANCE * want[0]);
    assert_vec3(mass.center, want[1], want[2], want[3], TOLERANCE);
    snprintf(element, sizeof element, "link \"%s\"\n", name);
    double largest = fmax(want[4], fmax(want[5], want[6]));
    for (int k = 0; k < 6 && !strstr(robot->changed, element); k++) {
        assert_near(mass.inertia[k], want[4 + k], TOLERANCE * largest + 1e-15);
    }
}

static void check_joint(Robot *robot, const char *name, const char *type, double lower, double upper) {
    AfxJointId id;
    AfxJointDef def;
    bool found = false;
    assert_ok(afx_scene_find_joint(robot->scene, name, &id));
    assert_ok(afx_scene_get_joint(robot->scene, id, &def));
    assert_int_equal(def.kind, strcmp(type, "prismatic") == 0 ? AFX_JOINT_PRISMATIC : AFX_JOINT_REVOLUTE);
    for (uint32_t k = 0; k < afx_scene_drive_count(robot->scene); k++) {
        AfxDriveDef drive;
        assert_ok(afx_scene_get_drive(robot->scene, k, &drive));
        if (drive.kind == AFX_DRIVE_LIMIT && drive.joint.index == id.index) {
            assert_near(drive.lower, lower, 0);
            assert_near(drive.upper, upper, 0);
            found = true;
        }
    }
    assert_int_equal(found, isfinite(lower));
    robot->joints++;
}

static void set_value(const Robot *robot, const char *name, double value) {
    AfxJointId id;
    assert_ok(afx_scene_find_joint(robot->scene, name, &id));
    robot->values[afx_model_joint_coordinate(robot->model, id.index)] = value;
}

/** Position, and rotation where the link is a body of its own. */
static void check_link(const Robot *robot, const char *name, const double want[12], Count *count) {
    AfxBodyId body;
    AfxVec3 at = {0, 0, 0};
    AfxPose pose;
    if (afx_scene_find_body(robot->scene, name, &body) == AFX_OK) {
        assert_ok(afx_sim_body_pose(robot->sim, body.index, &pose));
        at = pose.position;
        const AfxVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (int k = 0; k < 3; k++) {
            AfxVec3 column = afx_quat_rotate(pose.rotation, axes[k]);
            assert_vec3(column, want[3 + k], want[6 + k], want[9 + k], TOLERANCE);
        }
    } else {
        const char *marker = "";
        uint32_t k = 0;
        AfxVec3 point;
        while (strcmp(marker, name) != 0) {
            assert_ok(afx_scene_get_marker(robot->scene, k++, &marker, &body, &point));
        }
        assert_ok(afx_sim_marker(robot->sim, k - 1, &at, NULL));
    }
    assert_vec3(at, want[0], want[1], want[2], TOLERANCE);
    double off = fmax(fabs(at.x - want[0]), fmax(fabs(at.y - want[1]), fabs(at.z - want[2])));
    count->worst = fmax(count->worst, off);
    count->links++;
}

/** The numbers in a line, at most `most`. */
static int read_numbers(const char *text, double *out, int most) {
    int count = 0;
    char *end;
    for (double x = strtod(text, &end); end != text && count < most; x = strtod(text, &end)) {
        out[count++] = x;
        text = end;
    }
    return count;
}

static void check_line(Robot *robot, char *line, Count *count, bool *placed) {
    char what[20], name[256], type[20];
    double numbers[12];
    int at = 0;
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "file ", 5) == 0) {
        load_robot(robot, line + 5, count);
        *placed = false;
    } else if (strcmp(line, "end") == 0) {
        end_robot(robot, count);
    } else if (!robot->scene) {
        return;
    } else if (strncmp(line, "joint ", 6) == 0) {
        assert_int_equal(sscanf(line, "%19s %255s %19s %n", what, name, type, &at), 3);
        assert_int_equal(read_numbers(line + at, numbers, 2), 2);
        check_joint(robot, name, type, numbers[0], numbers[1]);
    } else {
        assert_int_equal(sscanf(line, "%19s %255s %n", what, name, &at), 2);
        int found = read_numbers(line + at, numbers, 12);
        if (strcmp(what, "body") == 0) {
            assert_int_equal(found, 10);
            check_body(robot, name, numbers);
        } else if (strcmp(what, "coordinate") == 0) {
            assert_int_equal(found, 1);
            set_value(robot, name, numbers[0]);
        } else {
            double residual;
            assert_string_equal(what, "link");
            assert_int_equal(found, 12);
            if (!*placed) {
                assert_ok(afx_sim_set_joint_coordinates(robot->sim, robot->values, &residual));
                *placed = true;
            }
            check_link(robot, name, numbers, count);
        }
    }
}

static void example_robots_agree_with_another_reading(void **state) {
    (void)state;
    glob_t files;
    if (glob(FOLDER "*/*.urdf", 0, NULL, &files) != 0) {
        print_message("SKIP: " FOLDER " is not there\n");
        return;
    }
    FILE *reference = popen("exec python3 test/load/urdf_reference.py " FOLDER "*/*.urdf", "r");
    assert_non_null(reference);
    Robot robot = {0};
    Count count = {0};
    bool placed = false;
    char line[2000];
    while (fgets(line, sizeof line, reference)) {
        check_line(&robot, line, &count, &placed);
    }
    int code = pclose(reference);
    if (code != 0 && count.loaded + count.refused == 0) {
        print_message("SKIP: python3 is not there\n");
    } else {
        assert_int_equal(code, 0);
        assert_int_equal(count.loaded + count.refused, files.gl_pathc);
        assert_int_equal(count.refused, sizeof broken / sizeof broken[0]);
        print_message("URDF: %u robots load (%u bodies, %u joints), %u are refused; %u links within %.1e m\n",
                      count.loaded, count.bodies, count.joints, count.refused, count.links, count.worst);
    }
    globfree(&files);
}

int run_urdf_robots_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(example_robots_agree_with_another_reading)};
    return cmocka_run_group_tests_name("urdf robots", tests, NULL, NULL);
}
