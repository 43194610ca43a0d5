/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of this room share. */
#include <dirent.h>
#include <hdf5.h>
#include <unistd.h>

#include "out/page.h"
#include "tests.h"

void assert_near_at(double got, double want, double tolerance, const char *file, int line) {
    if (!(fabs(got - want) <= tolerance)) {
        print_error("%.17g is not %.17g within %g\n", got, want, tolerance);
        _fail(file, line);
    }
}

void assert_same_at(double got, double want, const char *file, int line) {
    if (memcmp(&got, &want, sizeof got) != 0) {
        print_error("%.17g (%a) is not %.17g (%a)\n", got, got, want, want);
        _fail(file, line);
    }
}

void assert_fine_at(AfxStatus status, const AfxError *error, const char *file, int line) {
    if (status != AFX_OK) {
        print_error("%s: %s: %s: %s (%s)\n", afx_status_name(status), error->file, error->element, error->text,
                    error->cure);
        _fail(file, line);
    }
}

int last_kind(void) {
    size_t size;
    return afxi_page_packed(&size) ? AFX_OUTPUT_HTML : AFX_OUTPUT_VTK;
}

static AfxBodyId add_body(AfxScene *scene, const char *name, AfxBodyKind kind, AfxVec3 position, AfxShapeDef shape) {
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    def.name = name;
    def.kind = kind;
    def.pose.position = position;
    def.pose.rotation = afx_quat_from_axis_angle((AfxVec3){1, 2, 3}, kind == AFX_BODY_FIXED ? 0 : 0.1);
    def.angular_velocity = (AfxVec3){kind == AFX_BODY_DYNAMIC && !name ? 3 : 0, 0, 0};
    if (kind == AFX_BODY_KINEMATIC) {
        def.motion.translation[0] = (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, 0.5, 1, 0}};
    }
    assert_ok(afx_scene_add_body(scene, &def, &id));
    shape.pose.position.x = 0.01;
    assert_ok(afx_scene_add_shape(scene, id, &shape));
    return id;
}

static AfxJointId add_joint(AfxScene *scene, const char *name, AfxJointKind kind, AfxBodyId base, AfxBodyId follower,
                            AfxVec3 point) {
    AfxJointDef def = afx_default_joint(kind);
    AfxJointId id;
    def.name = name;
    def.base = base;
    def.follower = follower;
    assert_ok(afx_joint_place(scene, &def, (AfxPose){point, {1, 0, 0, 0}}));
    assert_ok(afx_scene_add_joint(scene, &def, &id));
    return id;
}

static void add_shapes(AfxScene *scene) {
    static const double corners[] = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1};
    static const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const AfxShapeDef shapes[WORLD_SHAPES] = {
        afx_default_box(0.1, 0.2, 0.3),         afx_default_sphere(0.1),
        afx_default_capsule(0.05, 0.2),         afx_default_cylinder(0.05, 0.1),
        afx_default_ellipsoid(0.1, 0.2, 0.3),   afx_default_convex(corners, 4),
        afx_default_mesh(corners, 4, faces, 4),
    };
    for (int k = 0; k < WORLD_SHAPES; k++) {
        add_body(scene, NULL, AFX_BODY_DYNAMIC, (AfxVec3){0, 1 + k, 0}, shapes[k]);
    }
}

static void fill(AfxScene *scene) {
    AfxMarkerId marker;
    AfxDriveId drive;
    AfxShapeDef rod = afx_default_capsule(0.03, 0.3);
    AfxBodyId ground = add_body(scene, "ground", AFX_BODY_FIXED, (AfxVec3){0, 0, 0}, afx_default_box(1, 1, 0.1));
    AfxBodyId arm = add_body(scene, "arm", AFX_BODY_DYNAMIC, (AfxVec3){0.2, 0, 1}, rod);
    AfxBodyId fore = add_body(scene, "fore.arm", AFX_BODY_DYNAMIC, (AfxVec3){0.6, 0, 1}, rod);
    add_body(scene, "cart", AFX_BODY_KINEMATIC, (AfxVec3){-1, 0, 0}, afx_default_box(0.2, 0.2, 0.2));
    add_shapes(scene);
    add_joint(scene, "shoulder", AFX_JOINT_SPHERICAL, ground, arm, (AfxVec3){0, 0, 1});
    AfxJointId elbow = add_joint(scene, "elbow", AFX_JOINT_REVOLUTE, arm, fore, (AfxVec3){0.4, 0, 1});
    AfxDriveDef servo = afx_default_drive(AFX_DRIVE_SERVO);
    servo.name = "motor";
    servo.joint = elbow;
    servo.stiffness = 5;
    servo.damping = 0.2;
    servo.target = (AfxSignal){.kind = AFX_SIGNAL_CONSTANT, .coefficients = {0.5}};
    assert_ok(afx_scene_add_drive(scene, &servo, &drive));
    assert_ok(afx_scene_add_marker(scene, fore, "tip", (AfxVec3){0.2, 0, 0}, &marker));
}

void world_make(World *world, const AfxAllocator *allocator, const AfxSimDef *sim) {
    AfxSceneDef def = afx_default_scene();
    AfxSimDef sim_def = sim ? *sim : afx_default_sim();
    AfxError error = {0};
    if (allocator) {
        def.allocator = sim_def.allocator = *allocator;
    }
    *world = (World){0};
    assert_ok(afx_scene_create(&def, &world->scene));
    assert_ok(afx_scene_set_contact(world->scene, false)); /* bodies overlap as they like */
    fill(world->scene);
    assert_fine(afx_model_create(world->scene, &world->model, &error), &error);
    assert_ok(afx_sim_create(world->model, &sim_def, &world->sim));
}

void world_free(World *world) {
    afx_sim_destroy(world->sim);
    afx_model_destroy(world->model);
    afx_scene_destroy(world->scene);
}

void world_step(World *world) {
    assert_ok(afx_step(world->sim, &world->report));
}

static char folder[200];
static hsize_t open_before;

/* Everything that HDF5 has open. */
static hsize_t count_open(void) {
    static const H5I_type_t types[] = {H5I_FILE,    H5I_GROUP, H5I_DATATYPE, H5I_DATASPACE,
                                       H5I_DATASET, H5I_ATTR,  H5I_VFL,      H5I_GENPROP_LST};
    hsize_t sum = 0;
    for (size_t k = 0; k < COUNT(types); k++) {
        hsize_t count = 0;
        H5Inmembers(types[k], &count);
        sum += count;
    }
    return sum;
}

void scratch_begin(void) {
    const char *root = getenv("TMPDIR"); /* else in memory where there is such a folder: syncing to a disk takes long */
    snprintf(folder, sizeof folder, "%s/affix-out-XXXXXX",
             root                            ? root
             : access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                             : "/tmp");
    assert_non_null(mkdtemp(folder));
    open_before = H5open() >= 0 ? count_open() : 0;
}

const char *scratch(const char *name) {
    static char paths[4][480];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

void scratch_end(void) {
    assert_int_equal(count_open(), open_before); /* nothing of HDF5 leaks */
    DIR *list = opendir(folder);
    assert_non_null(list);
    for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            assert_int_equal(unlink(scratch(entry->d_name)), 0);
        }
    }
    closedir(list);
    assert_int_equal(rmdir(folder), 0);
}

int scratch_setup(void **state) {
    (void)state;
    scratch_begin();
    return 0;
}

int scratch_teardown(void **state) {
    (void)state;
    scratch_end();
    return 0;
}

unsigned char *file_read(const char *path, size_t *out_size) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    rewind(file);
    unsigned char *data = malloc((size_t)size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, (size_t)size, file), size);
    data[size] = 0;
    fclose(file);
    *out_size = (size_t)size;
    return data;
}

void file_write(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void assert_same_files(const char *a, const char *b) {
    size_t size_a = 0, size_b = 0;
    unsigned char *data_a = file_read(a, &size_a), *data_b = file_read(b, &size_b);
    assert_non_null(data_a);
    assert_non_null(data_b);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(data_a, data_b, size_a);
    free(data_a);
    free(data_b);
}
