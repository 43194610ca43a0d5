/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of OBJ and STL: a box in every way of writing it has the box's mass properties; what is malformed is refused
 * with the line or the byte where it is. */
#include "tests.h"

#include <stdlib.h>

#include "load/mesh_file.h"
#include "math/inertia.h"
#include "support/allocator.h"

/* A box of 1 x 2 x 3 with a corner at the origin. */
#define OBJ_VERTICES "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 0 0 3\nv 1 0 3\nv 1 2 3\nv 0 2 3\n"

static AfxLoadDef definition;

static AfxiLoad begin(void) {
    definition = afx_default_load();
    return (AfxiLoad){.def = &definition, .allocator = afx_default_allocator()};
}

static bool parse(AfxiLoad *load, AfxiMeshFormat format, const char *data, size_t size, AfxiMeshData *mesh) {
    AfxiText text = {.data = malloc(size + 1), .size = size, .room = size + 1};
    assert_non_null(text.data);
    memcpy(text.data, data, size);
    text.data[size] = '\0';
    bool good = afxi_mesh_file_parse(load, format, &text, "box", mesh);
    free(text.data);
    assert_int_equal(good, load->error.status == AFX_OK);
    return good;
}

/** Mass 6, centre (0.5, 1, 1.5), inertia m (b^2 + c^2) / 12. */
static void assert_box(const AfxiMeshData *mesh) {
    AfxMass mass;
    assert_int_equal(mesh->vertex_count, 8);
    assert_int_equal(mesh->triangle_count, 12);
    assert_int_equal(
        afxi_mass_mesh(mesh->vertices, mesh->vertex_count, mesh->triangles, mesh->triangle_count, 1, &mass).code,
        AFXI_MESH_OK);
    assert_near(mass.mass, 6, 1e-12);
    assert_vec3(mass.center, 0.5, 1, 1.5, 1e-12);
    assert_near(mass.inertia[0], 6.5, 1e-12);
    assert_near(mass.inertia[1], 5, 1e-12);
    assert_near(mass.inertia[2], 2.5, 1e-12);
}

static void assert_obj_box(const char *faces) {
    AfxiLoad load = begin();
    AfxiMeshData mesh;
    AfxiMeshUse use;
    char text[1000];
    snprintf(text, sizeof text, "# a box\r\no box\n%s%s", OBJ_VERTICES, faces);
    assert_true(parse(&load, AFXI_MESH_FILE_OBJ, text, strlen(text), &mesh));
    assert_box(&mesh);
    assert_true(afxi_mesh_use(&load, &mesh, "box", &use));
    assert_int_equal(use, AFXI_MESH_USE_SOLID);
    afxi_mesh_free_data(&load, &mesh);
}

static void obj_has_many_ways_to_write_a_face(void **state) {
    (void)state;
    assert_obj_box("f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    assert_obj_box("f -8 -5 -6 -7\nf 5 6 7 8\nf 1/1 2/2 6/3 5/4\nf 2//1 3//1 7//1 6//1\nf 3/1/1 4/2/1 8/3/1 7/4/1\n"
                   "f 4 1 5 8\n");
    assert_obj_box("usemtl red\ns off\nf 1 4 3 2\nvn 0 0 1\nf 5 6 \\\n7 8\nvt 0 0\nf 1 2 6 5\n\tf 2 3 7 6 \n"
                   "f 3 4 8 7\r\nf 4 1 5 8");
}

static void obj_faults_name_the_line(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int line;
        const char *says;
    } faults[] = {
        {"v 0 0\n", 1, "three numbers"},
        {"v 0 0 x\n", 1, "finite number"},
        {"\nv 0 0 1e999\n", 2, "finite number"},
        {"v 0 0 nan\n", 1, "finite number"},
        {"v 0 0 0\nf 1 1 2\n", 2, "names vertex 2, and 1"},
        {"v 0 0 0\nf 1 1 0\n", 2, "names vertex 0"},
        {"v 0 0 0\nf 1 1 -2\n", 2, "names vertex -2"},
        {"v 0 0 0\nf 1 1 99999999999999999999\n", 2, "names vertex"},
        {"v 0 0 0\nf 1 1\n", 2, "fewer than three"},
        {"v 0 0 0\nf 1 1 a\n", 2, "corner that is not"},
        {"v 0 0 0\nf 1 1 1x\n", 2, "corner that is not"},
        {"# nothing\n", 2, "no vertex"},
        {"", 1, "no vertex"},
    };
    for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++) {
        AfxiLoad load = begin();
        AfxiMeshData mesh;
        assert_false(parse(&load, AFXI_MESH_FILE_OBJ, faults[k].text, strlen(faults[k].text), &mesh));
        assert_error(&load.error, AFX_E_INPUT, faults[k].line, "OBJ", faults[k].says);
        assert_null(mesh.vertices);
    }
    AfxiLoad load = begin();
    AfxiMeshData mesh;
    assert_false(parse(&load, AFXI_MESH_FILE_OBJ, "v 0 0 0\no a\0b\n", 13, &mesh));
    assert_error(&load.error, AFX_E_INPUT, 2, "OBJ", "zero byte");
}

/* The box's triangles as corners 0 .. 7, bits of which say x, y, z. */
static const unsigned char corners[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                             {1, 3, 7}, {1, 7, 5}, {3, 2, 6}, {3, 6, 7}, {2, 0, 4}, {2, 4, 6}};

static void put_float(char *out, float value) {
    memcpy(out, &value, sizeof value);
}

static size_t binary_box(char out[84 + 12 * 50]) {
    memset(out, 0, 84 + 12 * 50);
    memcpy(out, "solid in name only", 18);
    out[80] = 12;
    for (int t = 0; t < 12; t++) {
        for (int c = 0; c < 3; c++) {
            char *at = out + 84 + 50 * t + 12 + 12 * c;
            put_float(at, corners[t][c] & 1 ? 1.0f : c == 1 ? -0.0f : 0.0f); /* zeros of either sign are one place */
            put_float(at + 4, corners[t][c] & 2 ? 2.0f : 0.0f);
            put_float(at + 8, corners[t][c] & 4 ? 3.0f : 0.0f);
        }
    }
    return 84 + 12 * 50;
}

static size_t ascii_box(char *out, size_t size) {
    size_t used = (size_t)snprintf(out, size, "solid a vertex of a box\n");
    for (int t = 0; t < 12; t++) {
        used += (size_t)snprintf(out + used, size - used, "facet normal 0 0 0\n outer loop\n");
        for (int c = 0; c < 3; c++) {
            used += (size_t)snprintf(out + used, size - used, "  vertex %d %d %d\n", corners[t][c] & 1,
                                     corners[t][c] & 2, corners[t][c] & 4 ? 3 : 0);
        }
        used += (size_t)snprintf(out + used, size - used, " endloop\nendfacet\n");
    }
    return used + (size_t)snprintf(out + used, size - used, "endsolid\n");
}

static void stl_of_both_sorts_is_a_box(void **state) {
    (void)state;
    char binary[84 + 12 * 50], text[4000];
    AfxiLoad load = begin();
    AfxiMeshData mesh;
    assert_true(parse(&load, AFXI_MESH_FILE_STL, binary, binary_box(binary), &mesh));
    assert_box(&mesh);
    afxi_mesh_free_data(&load, &mesh);
    assert_true(parse(&load, AFXI_MESH_FILE_STL, text, ascii_box(text, sizeof text), &mesh));
    assert_box(&mesh);
    afxi_mesh_free_data(&load, &mesh);
}

static void stl_faults_name_byte_or_line(void **state) {
    (void)state;
    char binary[84 + 12 * 50];
    AfxiMeshData mesh;
    AfxiLoad load = begin();
    size_t size = binary_box(binary);
    memset(binary, 'x', 5);
    assert_false(parse(&load, AFXI_MESH_FILE_STL, binary, size - 1, &mesh));
    assert_error(&load.error, AFX_E_INPUT, 0, "STL", "12 triangles, which is a file of 684 bytes; it has 683");
    load = begin();
    memset(binary + 80, 0xff, 4);
    assert_false(parse(&load, AFXI_MESH_FILE_STL, binary, size, &mesh));
    assert_error(&load.error, AFX_E_INPUT, 0, "STL", "4294967295 triangles");
    load = begin();
    assert_false(parse(&load, AFXI_MESH_FILE_STL, binary, 20, &mesh));
    assert_error(&load.error, AFX_E_INPUT, 0, "STL", "shorter");
    load = begin();
    size = binary_box(binary);
    put_float(binary + 84 + 50 + 12, INFINITY);
    assert_false(parse(&load, AFXI_MESH_FILE_STL, binary, size, &mesh));
    assert_error(&load.error, AFX_E_INPUT, 0, "STL", "byte 146 is not finite");
    static const struct {
        const char *text;
        int line;
        const char *says;
    } faults[] = {
        {"solid\nfacet\nvertex 1 2\nendfacet", 4, "three finite numbers"},
        {"solid\nvertex 1 2 x3\n", 2, "three finite numbers"},
        {"solid\nvertex 1 2 3\nendfacet\n", 3, "does not have three"},
        {"solid\nvertex 1 2 3\n", 3, "not complete"},
        {"solid\n", 0, "no triangle"},
    };
    for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++) {
        load = begin();
        assert_false(parse(&load, AFXI_MESH_FILE_STL, faults[k].text, strlen(faults[k].text), &mesh));
        assert_error(&load.error, AFX_E_INPUT, faults[k].line, "STL", faults[k].says);
    }
}

static void scale_mirrors_and_use_is_told(void **state) {
    (void)state;
    char text[4000];
    AfxiLoad load = begin();
    AfxiMeshData mesh;
    AfxiMeshUse use;
    AfxMass mass;
    size_t size = ascii_box(text, sizeof text);
    assert_true(parse(&load, AFXI_MESH_FILE_STL, text, size, &mesh));
    afxi_mesh_scale(&mesh, (AfxVec3){-2, 1, 1});
    assert_int_equal(
        afxi_mass_mesh(mesh.vertices, mesh.vertex_count, mesh.triangles, mesh.triangle_count, 1, &mass).code,
        AFXI_MESH_OK);
    assert_near(mass.mass, 12, 1e-12);
    assert_near(mass.center.x, -1, 1e-12);
    const uint32_t *v = mesh.triangles; /* the first triangle faces down still */
    const double *a = mesh.vertices + 3 * v[0], *b = mesh.vertices + 3 * v[1], *c = mesh.vertices + 3 * v[2];
    assert_true((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) < 0);
    mesh.triangle_count--; /* open */
    assert_true(afxi_mesh_use(&load, &mesh, "box", &use));
    assert_int_equal(use, AFXI_MESH_USE_CONVEX);
    mesh.vertex_count = 4; /* flat */
    mesh.triangle_count = 0;
    mesh.vertices[2] = mesh.vertices[5] = mesh.vertices[8] = mesh.vertices[11] = 0;
    assert_true(afxi_mesh_use(&load, &mesh, "box", &use));
    assert_int_equal(use, AFXI_MESH_USE_NONE);
    afxi_mesh_free_data(&load, &mesh);
    load.error = (AfxError){0};
    definition.items_most = 7;
    assert_false(parse(&load, AFXI_MESH_FILE_OBJ, OBJ_VERTICES, strlen(OBJ_VERTICES), &mesh));
    assert_error(&load.error, AFX_E_LIMIT, 8, "mesh", "too many vertices");
}

/** Flips bytes at random: any answer will do, but for a crash or a leak; allocations fail here and there, too. */
static void damaged_files_do_no_harm(void **state) {
    (void)state;
    char text[4000], binary[84 + 12 * 50], obj[1000];
    const char *sources[3] = {text, binary, obj};
    size_t sizes[3] = {ascii_box(text, sizeof text), binary_box(binary), 0};
    sizes[2] = (size_t)snprintf(obj, sizeof obj, "%sf 1 4 3 2\nf 5/1 6/2 -2/3 -1\nf 2//1 3//1 7//1\n", OBJ_VERTICES);
    uint64_t seed = 1;
    for (int round = 0; round < 3000; round++) {
        char copy[4001];
        int which = round % 3;
        size_t size = sizes[which];
        memcpy(copy, sources[which], size);
        for (int k = 0; k < 1 + round % 4; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            copy[(seed >> 33) % size] = (char)(seed >> 20);
        }
        TestAllocator counts = {.fail_at = round % 5 == 0 ? 1 + (uint64_t)round % 7 : 0};
        AfxiLoad load = begin();
        AfxiMeshData mesh;
        AfxiMeshUse use;
        load.allocator = test_allocator(&counts);
        if (parse(&load, which == 2 ? AFXI_MESH_FILE_OBJ : AFXI_MESH_FILE_STL, copy, size, &mesh)) {
            afxi_mesh_use(&load, &mesh, "damaged", &use);
            afxi_mesh_free_data(&load, &mesh);
        }
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.errors, 0);
    }
}

int run_mesh_file_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_has_many_ways_to_write_a_face), cmocka_unit_test(obj_faults_name_the_line),
        cmocka_unit_test(stl_of_both_sorts_is_a_box),        cmocka_unit_test(stl_faults_name_byte_or_line),
        cmocka_unit_test(scale_mirrors_and_use_is_told),     cmocka_unit_test(damaged_files_do_no_harm),
    };
    return cmocka_run_group_tests_name("mesh files", tests, NULL, NULL);
}
