/* SPDX-License-Identifier: Apache-2.0 */
/* Triangles are cut at the near plane, projected, and filled sample by sample within the box around them. */
#include "render/raster.h"

#include <math.h>
#include <string.h>

#include "render/tuning.h"

float afxi_linear_of(double screen) {
    return (float)pow(screen, AFXI_SCREEN_GAMMA);
}

void afxi_raster_start(AfxiRaster *raster) {
    for (int k = 0; k <= AFXI_SHADES; k++) {
        raster->shades[k] = (unsigned char)lround(255 * pow((double)k / AFXI_SHADES, 1 / AFXI_SCREEN_GAMMA));
    }
}

void afxi_raster_clear(AfxiRaster *raster, const unsigned char background[3]) {
    size_t count = (size_t)raster->width * raster->height;
    memset(raster->closeness, 0, count * sizeof *raster->closeness);
    memset(raster->body, 0xff, count * sizeof *raster->body);
    for (size_t k = 0; k < count; k++) {
        memcpy(&raster->color[3 * k], background, 3);
    }
}

static float dot(const float *a, const float *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Light from the sky, from one side, and a little from the camera. `normal` need not be a unit; it is turned towards
 * the camera, so that surfaces without a thickness are lit on both sides. */
static float light_on(const AfxiRaster *raster, const float normal[3], const float ray[3]) {
    float length = sqrtf(dot(normal, normal));
    if (!(length > 0)) {
        return AFXI_LIGHT_AMBIENT;
    }
    float facing = dot(normal, ray);
    float scale = (facing > 0 ? -1.0f : 1.0f) / length;
    float side = scale * dot(normal, raster->light), sky = scale * dot(normal, raster->up);
    float head = fabsf(facing) / (length * sqrtf(dot(ray, ray)));
    float light = AFXI_LIGHT_AMBIENT + AFXI_LIGHT_SKY * (0.5f + 0.5f * sky) + AFXI_LIGHT_HEAD * head;
    return light + (side > 0 ? AFXI_LIGHT_SIDE * side : 0);
}

static void shade(const AfxiRaster *raster, const AfxiSurface *surface, const float normal[3], uint32_t x, uint32_t y,
                  unsigned char out[3]) {
    const float ray[3] = {((float)x + 0.5f - 0.5f * (float)raster->width) / (float)raster->focal,
                          (0.5f * (float)raster->height - 0.5f - (float)y) / (float)raster->focal, 1};
    float light = light_on(raster, normal, ray);
    for (int c = 0; c < 3; c++) {
        float value = fminf(light * surface->linear[c], 1);
        out[c] = raster->shades[(int)(AFXI_SHADES * value)];
    }
}

static double least_of(double a, double b, double c) {
    double least = a < b ? a : b;
    return least < c ? least : c;
}

static double most_of(double a, double b, double c) {
    double most = a > b ? a : b;
    return most > c ? most : c;
}

/* The first sample of 0 to size - 1 whose middle is not before `from`; size when there is none. */
static int first_from(double from, uint32_t size) {
    if (!(from > 0)) {
        return 0;
    }
    int k = from < (double)size ? (int)from : (int)size;
    return k + (from > k + 0.5);
}

/* The last sample whose middle is not behind `to`; -1 when there is none. */
static int last_to(double to, uint32_t size) {
    if (!(to >= 0.5)) {
        return -1;
    }
    if (to >= (double)size) {
        return (int)size - 1;
    }
    int k = (int)to;
    return k - (to < k + 0.5);
}

/* w[k] is the share of corner k at a sample: linear, the edges are where one is 0. */
typedef struct Plane {
    double at, x, y;
} Plane;

static Plane share_of(const AfxiCorner *from, const AfxiCorner *to, double area) {
    Plane plane = {.x = (from->y - to->y) / area, .y = (to->x - from->x) / area};
    plane.at = -(plane.x * from->x + plane.y * from->y);
    return plane;
}

/* A triangle that is filled: the shares of its corners, and its own normal where it is flat. */
typedef struct Fill {
    const AfxiSurface *surface;
    const AfxiCorner *corner[3];
    Plane share[3];
    float normal[3];
} Fill;

/* The normal at a sample with these shares: linear over the triangle itself, so over the picture when divided by z. */
static void normal_at(const AfxiRaster *raster, const Fill *fill, const double w[3], float out[3]) {
    if (fill->surface->flat) {
        memcpy(out, fill->normal, sizeof fill->normal);
        return;
    }
    float own[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        float share = (float)w[k] * fill->corner[k]->closeness;
        for (int axis = 0; axis < 3; axis++) {
            own[axis] += share * fill->corner[k]->normal[axis];
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = raster->turn[axis] * own[0] + raster->turn[3 + axis] * own[1] + raster->turn[6 + axis] * own[2];
    }
}

static void fill_row(AfxiRaster *raster, const Fill *fill, int y, int low, int high) {
    double row[3];
    for (int k = 0; k < 3; k++) {
        row[k] = fill->share[k].at + fill->share[k].y * (y + 0.5);
    }
    for (int x = low; x <= high; x++) {
        double w[3];
        for (int k = 0; k < 3; k++) {
            w[k] = row[k] + fill->share[k].x * (x + 0.5);
        }
        if (w[0] < 0 || w[1] < 0 || w[2] < 0) {
            continue;
        }
        float closeness = 0, normal[3];
        for (int k = 0; k < 3; k++) {
            closeness += (float)w[k] * fill->corner[k]->closeness;
        }
        size_t at = (size_t)y * raster->width + (size_t)x;
        if (closeness > raster->closeness[at]) {
            raster->closeness[at] = closeness;
            raster->body[at] = fill->surface->body;
            normal_at(raster, fill, w, normal);
            shade(raster, fill->surface, normal, (uint32_t)x, (uint32_t)y, &raster->color[3 * at]);
        }
    }
}

static void flatten(const AfxiCorner *a, const AfxiCorner *b, const AfxiCorner *c, float out[3]) {
    for (int k = 0; k < 3; k++) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        out[k] = (float)((b->at[u] - a->at[u]) * (c->at[v] - a->at[v]) - (b->at[v] - a->at[v]) * (c->at[u] - a->at[u]));
    }
}

static void fill_triangle(AfxiRaster *raster, const AfxiSurface *surface, const AfxiCorner *a, const AfxiCorner *b,
                          const AfxiCorner *c) {
    double area = (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
    /* y runs down in the picture: what looks at the camera has a negative area there. First, for it is half of all */
    if (!(area < 0) && (surface->closed || !(area > 0))) {
        return;
    }
    int top = first_from(least_of(a->y, b->y, c->y), raster->height);
    int bottom = last_to(most_of(a->y, b->y, c->y), raster->height);
    if (top > bottom) {
        return; /* between samples: most triangles of fine meshes in small pictures */
    }
    int left = first_from(least_of(a->x, b->x, c->x), raster->width);
    int right = last_to(most_of(a->x, b->x, c->x), raster->width);
    if (left > right) {
        return;
    }
    Fill fill = {.surface = surface,
                 .corner = {a, b, c},
                 .share = {share_of(b, c, area), share_of(c, a, area), share_of(a, b, area)}};
    if (surface->flat) {
        flatten(a, b, c, fill.normal);
    }
    for (int y = top; y <= bottom; y++) {
        fill_row(raster, &fill, y, left, right);
    }
}

void afxi_raster_project(const AfxiRaster *raster, AfxiCorner *corner) {
    corner->closeness = 0;
    if (corner->at[2] >= raster->near) {
        double closeness = 1 / corner->at[2];
        corner->x = 0.5 * raster->width + raster->focal * corner->at[0] * closeness;
        corner->y = 0.5 * raster->height - raster->focal * corner->at[1] * closeness;
        corner->closeness = (float)closeness;
    }
}

/* The point of an edge at the near plane. */
static AfxiCorner cut(const AfxiRaster *raster, const AfxiCorner *in, const AfxiCorner *out) {
    double share = (raster->near - in->at[2]) / (out->at[2] - in->at[2]);
    AfxiCorner corner;
    for (int axis = 0; axis < 3; axis++) {
        corner.at[axis] = in->at[axis] + share * (out->at[axis] - in->at[axis]);
        corner.normal[axis] = in->normal[axis] + (float)share * (out->normal[axis] - in->normal[axis]);
    }
    corner.at[2] = raster->near;
    afxi_raster_project(raster, &corner);
    return corner;
}

/* Some corners are before the near plane: what is behind it has up to four. */
static void fill_part(AfxiRaster *raster, const AfxiSurface *surface, const AfxiCorner *const corners[3]) {
    AfxiCorner part[4];
    uint32_t count = 0;
    for (int k = 0; k < 3; k++) {
        const AfxiCorner *now = corners[k], *next = corners[(k + 1) % 3];
        if (now->closeness > 0) {
            part[count++] = *now;
        }
        if ((now->closeness > 0) != (next->closeness > 0)) {
            part[count++] = now->closeness > 0 ? cut(raster, now, next) : cut(raster, next, now);
        }
    }
    for (uint32_t k = 2; k < count; k++) {
        fill_triangle(raster, surface, &part[0], &part[k - 1], &part[k]);
    }
}

void afxi_raster_triangle(AfxiRaster *raster, const AfxiSurface *surface, const AfxiCorner *a, const AfxiCorner *b,
                          const AfxiCorner *c) {
    if (a->closeness > 0 && b->closeness > 0 && c->closeness > 0) {
        fill_triangle(raster, surface, a, b, c);
    } else {
        fill_part(raster, surface, (const AfxiCorner *const[3]){a, b, c});
    }
}
