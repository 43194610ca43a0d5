/* SPDX-License-Identifier: Apache-2.0 */
/* Running MuJoCo's script and loading the same files; what it says of masses. */
#define _XOPEN_SOURCE 700
#include "mujoco.h"

#include <stdlib.h>
#include <unistd.h>

/** The folder of this test binary, which is the build folder. */
static void build_folder(char *out, size_t size) {
    ssize_t length = readlink("/proc/self/exe", out, size - 1);
    assert_true(length > 0);
    out[length] = '\0';
    *strrchr(out, '/') = '\0';
}

FILE *mujoco_start(const char *list, const char *command) {
    char build[1000], shell[4000];
    if (access(MUJOCO_ROOT, R_OK) != 0) {
        print_message("SKIP: " MUJOCO_ROOT " is not there\n");
        return NULL;
    }
    build_folder(build, sizeof build);
    snprintf(shell, sizeof shell, "test/mujoco/install '%s/mujoco'", build);
    if (system(shell) != 0) {
        print_message("SKIP: MuJoCo for node cannot be installed\n");
        return NULL;
    }
    snprintf(shell, sizeof shell, "%s | node test/mujoco/reference.mjs '%s/mujoco' " MUJOCO_ROOT " %s", list, build,
             command);
    FILE *script = popen(shell, "r");
    assert_non_null(script);
    return script;
}

static void count_notice(void *user, const AfxNotice *notice) {
    uint32_t *notices = user;
    notices[notice->kind]++;
}

/** A whole file with a text put behind the first ">" that ends the opening tag of mujoco. */
static char *read_with(const char *path, const char *insert, size_t *out_size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + strlen(insert) + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    char *tag = strstr(text, "<mujoco"), *end = tag ? strchr(tag, '>') : NULL;
    assert_non_null(end);
    memmove(end + 1 + strlen(insert), end + 1, strlen(end + 1));
    memcpy(end + 1, insert, strlen(insert));
    *out_size = (size_t)size + strlen(insert);
    return text;
}

AfxStatus mujoco_load(AfxScene *scene, const char *file, const char *insert, AfxError *error, uint32_t notices[3]) {
    AfxLoadDef def = afx_default_load();
    char path[1000];
    size_t size;
    snprintf(path, sizeof path, MUJOCO_ROOT "/%s", file);
    memset(notices, 0, 3 * sizeof *notices);
    def.format = AFX_FORMAT_MJCF;
    def.allow_outside = true; /* some include their neighbours */
    def.notice = count_notice;
    def.notice_user = notices;
    char *text = read_with(path, insert, &size);
    AfxStatus status = afx_scene_load_text(scene, text, size, path, &def, error);
    free(text);
    return status;
}

bool mujoco_is_helper(const char *name) {
    const char *part = strstr(name, " part ");
    return part && strspn(part + 6, "0123456789") == strlen(part + 6);
}

/** Bodies of the scene that stand for MuJoCo's moving bodies: those that are not helpers. */
static void find_movers(MujocoCase *c) {
    const AfxScene *scene = c->scene;
    for (uint32_t k = 0; k < afx_scene_body_count(scene); k++) {
        AfxBodyDef def;
        assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, k), &def));
        if (def.kind == AFX_BODY_DYNAMIC && !mujoco_is_helper(def.name ? def.name : "")) {
            assert_true(c->mover_count < MUJOCO_BODIES);
            c->movers[c->mover_count++] = k;
        }
    }
}

/** Also counts NaN as wrong. */
void mujoco_compare(MujocoCase *c, const char *what, uint32_t number, double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance) && c->bad++ < 3) {
        print_error("%s: %s %u: %.12g, MuJoCo has %.12g\n", c->file, what, number, got, want);
    }
}

static void compare_body(MujocoCase *c, const char *name, const double want[10]) {
    uint32_t number = c->body_count++;
    AfxMass mass;
    if (!c->scene || number >= c->mover_count) {
        return; /* the count is compared at the end */
    }
    assert_ok(afx_scene_body_mass(c->scene, afx_scene_body(c->scene, c->movers[number]), &mass));
    const char *own = afx_scene_body_name(c->scene, afx_scene_body(c->scene, c->movers[number]));
    if (strcmp(name, own[0] ? own : "-") != 0 && !strchr(own, ' ') && c->bad++ < 3) {
        print_error("%s: body %u is called %s, and %s by MuJoCo\n", c->file, number, own, name);
    }
    double scale = fmax(want[4], fmax(want[5], want[6])), reach = 1 + fabs(want[1]) + fabs(want[2]) + fabs(want[3]);
    mujoco_compare(c, "mass", number, mass.mass, want[0], MUJOCO_TOLERANCE * want[0]);
    if (c->aligned) {
        return;
    }
    mujoco_compare(c, "centre x", number, mass.center.x, want[1], MUJOCO_TOLERANCE * reach);
    mujoco_compare(c, "centre y", number, mass.center.y, want[2], MUJOCO_TOLERANCE * reach);
    mujoco_compare(c, "centre z", number, mass.center.z, want[3], MUJOCO_TOLERANCE * reach);
    for (int k = 0; k < 6; k++) {
        mujoco_compare(c, "inertia", number, mass.inertia[k], want[4 + k], MUJOCO_TOLERANCE * scale);
    }
}

static int read_numbers(const char *text, double *out, int most) {
    int count = 0;
    char *end;
    for (double x = strtod(text, &end); end != text && count < most; x = strtod(text, &end)) {
        out[count++] = x;
        text = end;
    }
    return count;
}

static void read_joint(MujocoCase *c, const char *line) {
    char name[256], type[20];
    uint32_t body;
    int at = 0;
    double n[2] = {NAN, NAN};
    assert_int_equal(sscanf(line, "joint %255s %19s %u %n", name, type, &body, &at), 3);
    read_numbers(line + at, n, 2);
    assert_true(c->joint_count < MUJOCO_JOINTS && body < MUJOCO_BODIES);
    c->free[body] = c->free[body] || strcmp(type, "free") == 0;
    c->joints[c->joint_count++] =
        (MujocoJoint){.turns = strcmp(type, "hinge") == 0, .body = body, .value = n[0], .start = n[1]};
}

static AfxVec3 read_vec3(const char *text) {
    double n[3];
    assert_int_equal(read_numbers(text, n, 3), 3);
    return (AfxVec3){n[0], n[1], n[2]};
}

/** A line that belongs to the model that was begun. */
static void read_line(MujocoCase *c, const char *line) {
    char name[256];
    double n[10];
    int at = 0;
    if (strncmp(line, "refused", 7) == 0) {
        c->refused = true;
    } else if (strcmp(line, "deformable") == 0) {
        c->deformable = true;
    } else if (strncmp(line, "joint ", 6) == 0) {
        read_joint(c, line);
    } else if (strncmp(line, "place ", 6) == 0) {
        assert_int_equal(read_numbers(line + 6, n, 7), 7);
        assert_true(c->place_count < MUJOCO_BODIES);
        c->places[c->place_count++] = (AfxPose){{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}};
    } else if (strncmp(line, "body ", 5) == 0) {
        assert_int_equal(sscanf(line, "body %255s %n", name, &at), 1);
        assert_int_equal(read_numbers(line + at, n, 10), 10);
        compare_body(c, name, n);
    } else if (strncmp(line, "site ", 5) == 0) {
        assert_int_equal(sscanf(line, "site %99s %n", name, &at), 1);
        assert_true(c->site_count < MUJOCO_SITES);
        snprintf(c->site_names[c->site_count], sizeof c->site_names[0], "%.99s", name);
        c->sites[c->site_count++] = read_vec3(line + at);
    } else if (strncmp(line, "after ", 6) == 0) {
        assert_true(c->after_count < MUJOCO_BODIES);
        c->after[c->after_count++] = read_vec3(line + 6);
    } else if (strncmp(line, "error ", 6) == 0) {
        c->after_error = strtod(line + 6, NULL);
    }
}

static void begin_case(MujocoCase *c, const char *file, const char *insert) {
    memset(c, 0, sizeof *c);
    snprintf(c->file, sizeof c->file, "%.299s", file);
    c->aligned = strcmp(c->file, "mujoco/test/user/testdata/freejoint.xml") == 0;
    c->scene = make_scene();
    c->status = mujoco_load(c->scene, file, insert, &c->error, c->notices);
    if (c->status == AFX_OK) {
        find_movers(c);
    }
}

bool mujoco_next(FILE *script, const char *insert, MujocoCase *c) {
    static char line[4000];
    while (fgets(line, sizeof line, script)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "model ", 6) == 0) {
            begin_case(c, line + 6, insert);
        } else if (strcmp(line, "end") == 0) {
            return true;
        } else {
            read_line(c, line);
        }
        if (c->refused) {
            return true;
        }
    }
    return false;
}

void mujoco_drop(MujocoCase *c) {
    afx_scene_destroy(c->scene);
    c->scene = NULL;
}
