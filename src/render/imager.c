/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of a sim: the triangles of its bodies, where they are now (strain included), into a raster of samples, and
 * from there into pixels. */
#include "render/imager.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "render/tuning.h"

#define SAMPLES_MOST 5u

AfxImagerDef afx_default_imager(void) {
    return (AfxImagerDef){.cookie = AFXI_COOKIE,
                          .allocator = afx_default_allocator(),
                          .width = 64,
                          .height = 64,
                          .samples = 3,
                          .background = AFX_COLOR(226, 231, 237)};
}

static AfxVec3 apply(const AfxiAffine *affine, AfxVec3 x) {
    return vec3_add(mat3_apply(&affine->turn, x), affine->shift);
}

/* a(b(x)) */
static AfxiAffine compose(const AfxiAffine *a, const AfxiAffine *b) {
    return (AfxiAffine){.turn = mat3_multiply(&a->turn, &b->turn), .shift = apply(a, b->shift)};
}

static AfxVec3 from_floats(const float *at) {
    return vec3((double)at[0], (double)at[1], (double)at[2]);
}

static void to_floats(AfxVec3 v, float *out) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

/* ---- what is drawn ---- */

static AfxiAffine place_of(const AfxiWorn *worn) {
    AfxiAffine place = {.turn = mat3_from_quat(worn->pose.rotation), .shift = worn->pose.position};
    for (int k = 0; k < 9; k++) {
        place.turn.m[k] *= worn->scale[k / 3];
    }
    return place;
}

static void measure_part(AfxImager *imager, const AfxiPart *part, const AfxiWorn *worn) {
    const AfxiDrawMesh *mesh = &imager->geometry.meshes[worn->mesh];
    double *radius = &imager->radii[worn->body];
    for (uint32_t k = 0; k < imager->welded[worn->mesh] && !worn->plane; k++) {
        AfxVec3 at = apply(&part->place, from_floats(&mesh->positions[3 * (size_t)k]));
        *radius = fmax(*radius, vec3_length(at));
    }
}

static void make_parts(AfxImager *imager) {
    const AfxiSceneGeometry *geometry = &imager->geometry;
    for (uint32_t k = 0; k < geometry->worn_count; k++) {
        const AfxiWorn *worn = &geometry->worn[k];
        AfxiPart *part = &imager->parts[k];
        double rgb[3];
        afxi_geometry_colour(geometry, worn->colour, rgb);
        part->place = place_of(worn);
        part->mesh = worn->mesh;
        part->surface = (AfxiSurface){.body = (int32_t)worn->body, .flat = !geometry->meshes[worn->mesh].normals};
        part->surface.closed = !part->surface.flat && !worn->plane;
        for (int c = 0; c < 3; c++) {
            part->surface.linear[c] = afxi_linear_of(rgb[c]);
        }
        measure_part(imager, part, worn);
    }
}

static uint32_t hash_of(const float *at) {
    uint32_t bits[3];
    memcpy(bits, at, sizeof bits);
    uint32_t hash = bits[0] * 0x9e3779b1u ^ bits[1] * 0x85ebca77u ^ bits[2] * 0xc2b2ae3du;
    return hash ^ hash >> 15;
}

/* Makes vertices in one place one: files often have three for each triangle, and each would be placed anew in every
 * picture. Those of a mesh with normals stay. How many there are comes back; the mesh keeps its room. */
static AfxStatus weld(const AfxAllocator *allocator, AfxiDrawMesh *mesh, uint32_t *out_count) {
    uint32_t size = 4, count = 0;
    *out_count = mesh->vertex_count;
    while (size < 2 * (uint64_t)mesh->vertex_count && size < UINT32_MAX / 4) {
        size *= 2;
    }
    if (mesh->normals || 2 * (uint64_t)mesh->vertex_count > size) {
        return AFX_OK;
    }
    size_t bytes = ((size_t)size + mesh->vertex_count) * sizeof(uint32_t);
    uint32_t *table = afxi_allocate(allocator, bytes), *place = table + size;
    if (!table) {
        return AFX_E_MEMORY;
    }
    memset(table, 0xff, size * sizeof *table);
    for (uint32_t k = 0; k < mesh->vertex_count; k++) {
        float *at = &mesh->positions[3 * (size_t)k];
        uint32_t slot = hash_of(at) & (size - 1);
        while (table[slot] != UINT32_MAX &&
               memcmp(&mesh->positions[3 * (size_t)table[slot]], at, 3 * sizeof *at) != 0) {
            slot = (slot + 1) & (size - 1);
        }
        if (table[slot] == UINT32_MAX) {
            memmove(&mesh->positions[3 * (size_t)count], at, 3 * sizeof *at);
            table[slot] = count++;
        }
        place[k] = table[slot];
    }
    for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++) {
        mesh->corners[k] = place[mesh->corners[k]];
    }
    afxi_release(allocator, table, bytes);
    *out_count = count;
    return AFX_OK;
}

static AfxStatus weld_all(AfxImager *imager) {
    uint32_t meshes = imager->geometry.mesh_count;
    AfxStatus status = AFX_OK;
    imager->welded = afxi_allocate(&imager->allocator, meshes * sizeof *imager->welded);
    if (meshes && !imager->welded) {
        return AFX_E_MEMORY;
    }
    for (uint32_t k = 0; k < meshes && status == AFX_OK; k++) {
        status = weld(&imager->allocator, &imager->geometry.meshes[k], &imager->welded[k]);
        imager->corner_count = imager->welded[k] > imager->corner_count ? imager->welded[k] : imager->corner_count;
    }
    return status;
}

static AfxStatus reserve(AfxImager *imager, const AfxScene *scene) {
    const AfxAllocator *allocator = &imager->allocator;
    AfxStatus status = afxi_geometry_create(allocator, scene, &imager->geometry);
    status = status ? status : weld_all(imager);
    if (status != AFX_OK) {
        return status;
    }
    const AfxImagerDef *def = &imager->def;
    AfxiRaster *raster = &imager->raster;
    raster->width = def->width * def->samples;
    raster->height = def->height * def->samples;
    imager->sample_count = (size_t)raster->width * raster->height;
    imager->bodies = afx_scene_body_count(scene);
    uint32_t worn = imager->geometry.worn_count;
    imager->parts = afxi_allocate(allocator, worn * sizeof *imager->parts);
    imager->corners = afxi_allocate(allocator, imager->corner_count * sizeof *imager->corners);
    imager->radii = afxi_allocate(allocator, imager->bodies * sizeof *imager->radii);
    raster->closeness = afxi_allocate(allocator, imager->sample_count * sizeof *raster->closeness);
    raster->body = afxi_allocate(allocator, imager->sample_count * sizeof *raster->body);
    raster->color = afxi_allocate(allocator, imager->sample_count * 3);
    bool complete = raster->closeness && raster->body && raster->color && (imager->parts || !worn) &&
                    (imager->corners || !imager->corner_count) && (imager->radii || !imager->bodies);
    return complete ? AFX_OK : AFX_E_MEMORY;
}

static AfxStatus check_def(const AfxImagerDef *def, AfxError *out_error) {
    if (def->cookie != AFXI_COOKIE) {
        return afxi_error(out_error, AFX_E_ARGUMENT, "imager", "the definition was not made by afx_default_imager",
                          "take a default definition and edit it");
    }
    if (def->width < 1 || def->height < 1 || def->width > AFX_IMAGE_EDGE || def->height > AFX_IMAGE_EDGE) {
        return afxi_error_at(out_error, AFX_E_ARGUMENT, "a picture cannot have this size", "take 1 to 4096 pixels",
                             "imager of %u x %u pixels", def->width, def->height);
    }
    if (def->samples % 2 == 0 || def->samples > SAMPLES_MOST) {
        return afxi_error_at(out_error, AFX_E_ARGUMENT, "samples along a pixel's edge are 1, 3 or 5",
                             "take one of these", "imager with %u samples", def->samples);
    }
    return AFX_OK;
}

AfxStatus afx_imager_create(const AfxImagerDef *def, const AfxScene *scene, AfxImager **out_imager,
                            AfxError *out_error) {
    if (out_imager) {
        *out_imager = NULL;
    }
    if (!def || !scene || !out_imager) {
        return afxi_error(out_error, AFX_E_ARGUMENT, "imager", afx_status_text(AFX_E_ARGUMENT), "");
    }
    AfxStatus status = check_def(def, out_error);
    if (status != AFX_OK) {
        return status;
    }
    AfxImager *imager = afxi_allocate(&def->allocator, sizeof *imager);
    status = AFX_E_MEMORY;
    if (imager) {
        imager->allocator = imager->geometry.allocator = def->allocator;
        imager->def = *def;
        imager->up = afxi_scene_up(scene);
        status = reserve(imager, scene);
    }
    if (status != AFX_OK) {
        afx_imager_destroy(imager);
        return afxi_error(out_error, status, "imager", afx_status_text(status), "take a smaller picture");
    }
    make_parts(imager);
    afxi_raster_start(&imager->raster);
    *out_imager = imager;
    return AFX_OK;
}

void afx_imager_destroy(AfxImager *imager) {
    if (!imager) {
        return;
    }
    AfxAllocator allocator = imager->allocator;
    AfxiRaster *raster = &imager->raster;
    afxi_release(&allocator, imager->parts, imager->geometry.worn_count * sizeof *imager->parts);
    afxi_release(&allocator, imager->corners, imager->corner_count * sizeof *imager->corners);
    afxi_release(&allocator, imager->welded, imager->geometry.mesh_count * sizeof *imager->welded);
    afxi_release(&allocator, imager->radii, imager->bodies * sizeof *imager->radii);
    afxi_release(&allocator, raster->closeness, imager->sample_count * sizeof *raster->closeness);
    afxi_release(&allocator, raster->body, imager->sample_count * sizeof *raster->body);
    afxi_release(&allocator, raster->color, imager->sample_count * 3);
    afxi_geometry_destroy(&imager->geometry);
    afxi_release(&allocator, imager, sizeof *imager);
}

/* ---- a picture ---- */

/* From the world to the axes of the raster: right, up, along the direction of view. */
static AfxiAffine camera_of(const AfxView *view) {
    AfxPose back = afx_pose_invert(view->pose);
    AfxiAffine camera = {.turn = mat3_from_quat(back.rotation), .shift = back.position};
    for (int k = 2; k < 9; k += 3) {
        camera.turn.m[k] = -camera.turn.m[k];
    }
    camera.shift.z = -camera.shift.z;
    return camera;
}

static AfxStatus body_affine(const AfxSim *sim, uint32_t body, AfxiAffine *out_affine) {
    static const AfxVec3 rest[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    AfxVec3 at[4];
    AfxStatus status = afx_sim_control_points(sim, body, rest, at, NULL);
    if (status == AFX_OK) {
        out_affine->turn = mat3_from_columns(vec3_sub(at[1], at[0]), vec3_sub(at[2], at[0]), vec3_sub(at[3], at[0]));
        out_affine->shift = at[0];
    }
    return status;
}

/* Normals go by the cofactors of the matrix: right under any stretch, but for their length and sign, which light does
 * not ask for. */
static AfxiMat3 normals_of(const AfxiMat3 *m) {
    AfxVec3 a = mat3_column(m, 0), b = mat3_column(m, 1), c = mat3_column(m, 2);
    return mat3_from_columns(vec3_cross(b, c), vec3_cross(c, a), vec3_cross(a, b));
}

static void place_corners(AfxImager *imager, uint32_t index, const AfxiAffine *to_camera) {
    const AfxiDrawMesh *mesh = &imager->geometry.meshes[index];
    AfxiMat3 normals = normals_of(&to_camera->turn);
    for (int k = 0; k < 9; k++) {
        imager->raster.turn[k] = (float)normals.m[k];
    }
    for (uint32_t k = 0; k < imager->welded[index]; k++) {
        AfxiCorner *corner = &imager->corners[k];
        vec3_store(corner->at, apply(to_camera, from_floats(&mesh->positions[3 * (size_t)k])));
        afxi_raster_project(&imager->raster, corner);
        if (mesh->normals) {
            memcpy(corner->normal, &mesh->normals[3 * (size_t)k], sizeof corner->normal);
        }
    }
}

static void draw_part(AfxImager *imager, const AfxiPart *part, const AfxiAffine *body_to_camera) {
    const AfxiDrawMesh *mesh = &imager->geometry.meshes[part->mesh];
    AfxiAffine to_camera = compose(body_to_camera, &part->place);
    place_corners(imager, part->mesh, &to_camera);
    for (uint32_t k = 0; k < mesh->triangle_count; k++) {
        const uint32_t *three = &mesh->corners[3 * (size_t)k];
        afxi_raster_triangle(&imager->raster, &part->surface, &imager->corners[three[0]], &imager->corners[three[1]],
                             &imager->corners[three[2]]);
    }
}

static AfxStatus draw_parts(AfxImager *imager, const AfxSim *sim, const AfxiAffine *camera) {
    AfxiAffine body, to_camera = *camera;
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < imager->geometry.worn_count && status == AFX_OK; k++) {
        const AfxiPart *part = &imager->parts[k];
        if (k == 0 || part->surface.body != part[-1].surface.body) {
            status = body_affine(sim, (uint32_t)part->surface.body, &body);
            to_camera = status == AFX_OK ? compose(camera, &body) : to_camera;
        }
        if (status == AFX_OK) {
            draw_part(imager, part, &to_camera);
        }
    }
    return status;
}

/* Mean colour of a pixel's samples. */
static void mean_color(const AfxiRaster *raster, size_t first, uint32_t n, unsigned char out[3]) {
    uint32_t sum[3] = {0, 0, 0};
    for (uint32_t row = 0; row < n; row++) {
        const unsigned char *at = &raster->color[3 * (first + (size_t)row * raster->width)];
        for (uint32_t k = 0; k < 3 * n; k++) {
            sum[k % 3] += at[k];
        }
    }
    for (int c = 0; c < 3; c++) {
        out[c] = (unsigned char)((sum[c] + n * n / 2) / (n * n));
    }
}

/* Depth and body of a pixel are those of its middle sample. */
static void resolve(const AfxImager *imager, const AfxImage *image) {
    const AfxiRaster *raster = &imager->raster;
    uint32_t n = imager->def.samples, width = imager->def.width;
    size_t count = (size_t)width * imager->def.height;
    for (size_t pixel = 0; pixel < count; pixel++) {
        size_t first = pixel / width * n * raster->width + pixel % width * n;
        size_t middle = first + (size_t)(n / 2) * raster->width + n / 2;
        if (image->color) {
            mean_color(raster, first, n, &image->color[3 * pixel]);
        }
        if (image->depth) {
            image->depth[pixel] = raster->closeness[middle] > 0 ? 1 / raster->closeness[middle] : INFINITY;
        }
        if (image->body) {
            image->body[pixel] = raster->body[middle];
        }
    }
}

/* The light comes from above, from the left and from behind the camera. */
static void set_lights(AfxImager *imager, const AfxiAffine *camera) {
    AfxVec3 up = mat3_apply(&camera->turn, imager->up);
    AfxVec3 light = vec3_add(up, vec3(-0.5, 0, -0.7));
    double length = vec3_length(light);
    to_floats(up, imager->raster.up);
    to_floats(length > 0 ? vec3_scale(1 / length, light) : up, imager->raster.light);
}

/* Distance from the camera to the far side of what is seen. */
static double reach_of(const AfxImager *imager, const AfxSim *sim, AfxVec3 from) {
    double most = 0;
    for (uint32_t k = 0; k < imager->bodies; k++) {
        AfxPose pose;
        if (afx_sim_body_pose(sim, k, &pose) == AFX_OK) {
            most = fmax(most, vec3_length(vec3_sub(pose.position, from)) + imager->radii[k]);
        }
    }
    return most > 0 ? most : 1;
}

static bool is_view(const AfxView *view) {
    const AfxQuat *q = &view->pose.rotation;
    double norm = q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z;
    return vec3_finite(view->pose.position) && fabs(norm - 1) < 1e-6 && view->field_of_view > 0 &&
           view->field_of_view < 0.5 * AFXI_TWO_PI;
}

AfxStatus afx_imager_draw(AfxImager *imager, const AfxSim *sim, const AfxView *view, const AfxImage *image) {
    if (!imager || !sim || !view || !image || !is_view(view) ||
        afx_model_body_count(afx_sim_model(sim)) != imager->bodies) {
        return AFX_E_ARGUMENT;
    }
    uint32_t color = imager->def.background;
    const unsigned char background[3] = {color >> 16 & 255u, color >> 8 & 255u, color & 255u};
    AfxiRaster *raster = &imager->raster;
    AfxiAffine camera = camera_of(view);
    raster->focal = 0.5 * raster->height / tan(0.5 * view->field_of_view);
    raster->near = AFXI_NEAR_SHARE * reach_of(imager, sim, view->pose.position);
    set_lights(imager, &camera);
    afxi_raster_clear(raster, background);
    AfxStatus status = draw_parts(imager, sim, &camera);
    if (status == AFX_OK) {
        resolve(imager, image);
    }
    return status;
}
