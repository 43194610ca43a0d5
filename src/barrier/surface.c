/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces of shapes. A weight is the share of the shape's area that belongs to a vertex or an edge (a third of each
 * triangle around it), times six and at most 1: the vertices of a face add up to about one whatever its mesh. An edge
 * between two triangles of one plane is left out: a segment meets a flat face with its ends or with the border. */
#include "barrier/surface.h"

#include <stdlib.h>
#include <string.h>

#include "barrier/tuning.h"
#include "base/memory.h"

typedef struct Builder {
    const AfxAllocator *allocator;
    AfxiSurface *to;
    const AfxiContactPose *pose;
    uint32_t shape, body, base; /* first vertex of the shape */
    AfxStatus status;
} Builder;

static void add_vertex(Builder *builder, double x, double y, double z) {
    AfxiSurface *to = builder->to;
    AfxStatus status = afxi_array_reserve(builder->allocator, (void **)&to->vertices, &to->vertex_capacity,
                                          to->vertex_count + 1, sizeof *to->vertices);
    builder->status = builder->status ? builder->status : status;
    if (builder->status != AFX_OK) {
        return;
    }
    const AfxiContactPose *pose = builder->pose;
    AfxiMat3 r = mat3_load(pose->r);
    to->vertices[to->vertex_count++] =
        (AfxiSurfaceVertex){.x = vec3_add(mat3_apply(&r, vec3(x, y, z)), vec3_load(pose->t)),
                            .shape = builder->shape,
                            .body = builder->body};
}

static void add_edge(Builder *builder, uint32_t a, uint32_t b, double weight, bool loose) {
    AfxiSurface *to = builder->to;
    AfxStatus status = afxi_array_reserve(builder->allocator, (void **)&to->edges, &to->edge_capacity,
                                          to->edge_count + 1, sizeof *to->edges);
    builder->status = builder->status ? builder->status : status;
    if (builder->status == AFX_OK) {
        to->edges[to->edge_count++] = (AfxiSurfaceEdge){{a, b}, weight, loose};
    }
}

/* Corners are numbered from the shape's first vertex. */
static void add_triangle(Builder *builder, uint32_t a, uint32_t b, uint32_t c) {
    AfxiSurface *to = builder->to;
    AfxStatus status = afxi_array_reserve(builder->allocator, (void **)&to->triangles, &to->triangle_capacity,
                                          to->triangle_count + 1, sizeof *to->triangles);
    builder->status = builder->status ? builder->status : status;
    if (builder->status == AFX_OK) {
        uint32_t *corner = to->triangles[to->triangle_count++];
        corner[0] = builder->base + a;
        corner[1] = builder->base + b;
        corner[2] = builder->base + c;
    }
}

/* ---- kinds ---- */

static void add_box(Builder *builder, const double half[3]) {
    static const uint8_t corner[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                          {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (int k = 0; k < 8; k++) {
        add_vertex(builder, k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]);
    }
    for (int k = 0; k < 12; k++) {
        add_triangle(builder, corner[k][0], corner[k][1], corner[k][2]);
    }
}

static void add_cylinder(Builder *builder, double radius, double length) {
    const uint32_t n = AFXI_CYLINDER_SIDES;
    for (uint32_t k = 0; k < 2 * n; k++) {
        double angle = AFXI_TWO_PI * (k % n) / n;
        add_vertex(builder, radius * cos(angle), radius * sin(angle), k < n ? -0.5 * length : 0.5 * length);
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t next = (k + 1) % n;
        add_triangle(builder, k, next, n + next);
        add_triangle(builder, k, n + next, n + k);
        if (k > 0 && k + 1 < n) {
            add_triangle(builder, 0, k + 1, k);
            add_triangle(builder, n, n + k, n + k + 1);
        }
    }
}

static void add_field(Builder *builder, const AfxiContactGeometry *g) {
    for (uint32_t row = 0; row < g->rows; row++) {
        for (uint32_t column = 0; column < g->columns; column++) {
            add_vertex(builder, g->size[0] * (2.0 * column / (g->columns - 1) - 1),
                       g->size[1] * (2.0 * row / (g->rows - 1) - 1), g->heights[(size_t)row * g->columns + column]);
        }
    }
    for (uint32_t row = 0; row + 1 < g->rows; row++) {
        for (uint32_t column = 0; column + 1 < g->columns; column++) {
            uint32_t at = row * g->columns + column;
            add_triangle(builder, at, at + 1, at + g->columns + 1);
            add_triangle(builder, at, at + g->columns + 1, at + g->columns);
        }
    }
}

static void add_triangles(Builder *builder, const AfxiContactGeometry *g) {
    for (uint32_t k = 0; k < g->vertex_count; k++) {
        add_vertex(builder, g->vertices[3 * (size_t)k], g->vertices[3 * (size_t)k + 1], g->vertices[3 * (size_t)k + 2]);
    }
    for (uint32_t k = 0; k < g->triangle_count; k++) {
        const uint32_t *corner = g->triangles + 3 * (size_t)k;
        add_triangle(builder, corner[0], corner[1], corner[2]);
    }
}

static void add_kind(Builder *builder, const AfxiContactGeometry *g, AfxiSurfaceShape *shape) {
    AfxiMat3 r = mat3_load(builder->pose->r);
    switch (g->kind) {
    case AFX_SHAPE_PLANE:
        shape->plane = true;
        shape->point = vec3_load(builder->pose->t);
        shape->normal = mat3_column(&r, 2);
        break;
    case AFX_SHAPE_SPHERE:
        shape->radius = g->size[0];
        add_vertex(builder, 0, 0, 0);
        break;
    case AFX_SHAPE_CAPSULE:
        shape->radius = g->size[0];
        add_vertex(builder, 0, 0, -0.5 * g->size[1]);
        add_vertex(builder, 0, 0, 0.5 * g->size[1]);
        add_edge(builder, builder->base, builder->base + 1, 1, true);
        break;
    case AFX_SHAPE_BOX:
        add_box(builder, g->size);
        break;
    case AFX_SHAPE_CYLINDER:
        add_cylinder(builder, g->size[0], g->size[1]);
        break;
    case AFX_SHAPE_HEIGHT_FIELD:
        add_field(builder, g);
        break;
    default:
        add_triangles(builder, g);
        break;
    }
}

/* ---- edges of triangles, and weights ---- */

/* A side of a triangle, its ends in rising order. */
typedef struct Side {
    uint32_t low, high, triangle;
} Side;

static int compare_sides(const void *a, const void *b) {
    const Side *p = a, *q = b;
    if (p->low != q->low) {
        return p->low < q->low ? -1 : 1;
    }
    if (p->high != q->high) {
        return p->high < q->high ? -1 : 1;
    }
    return p->triangle < q->triangle ? -1 : p->triangle > q->triangle;
}

/* Twice the area, along the normal. */
static AfxVec3 normal_of(const AfxiSurface *surface, uint32_t triangle) {
    const uint32_t *v = surface->triangles[triangle];
    AfxVec3 a = surface->vertices[v[0]].x;
    return vec3_cross(vec3_sub(surface->vertices[v[1]].x, a), vec3_sub(surface->vertices[v[2]].x, a));
}

/* Sides first .. end are those of one edge. */
static void add_side(Builder *builder, const Side *sides, uint32_t first, uint32_t end) {
    double area = 0;
    AfxVec3 n = normal_of(builder->to, sides[first].triangle);
    bool flat = end - first == 2;
    for (uint32_t k = first; k < end; k++) {
        AfxVec3 other = normal_of(builder->to, sides[k].triangle);
        double size = vec3_length(n) * vec3_length(other);
        area += vec3_length(other) / 6;
        flat = flat && vec3_dot(n, other) > 0 && vec3_length(vec3_cross(n, other)) < AFXI_FLAT * size;
    }
    if (!flat) {
        add_edge(builder, sides[first].low, sides[first].high, area, false);
    }
}

static void add_edges(Builder *builder, const AfxiSurfaceShape *shape) {
    const AfxiSurface *to = builder->to;
    uint32_t count = 3 * shape->triangle_count;
    Side *sides = count ? afxi_allocate(builder->allocator, count * sizeof *sides) : NULL;
    builder->status = count && !sides ? AFX_E_MEMORY : builder->status;
    for (uint32_t k = 0; sides && k < count; k++) {
        const uint32_t *v = to->triangles[shape->first_triangle + k / 3];
        uint32_t a = v[k % 3], b = v[(k + 1) % 3];
        sides[k] = (Side){a < b ? a : b, a < b ? b : a, shape->first_triangle + k / 3};
    }
    if (sides) {
        qsort(sides, count, sizeof *sides, compare_sides);
    }
    for (uint32_t k = 0, end; sides && k < count; k = end) {
        for (end = k + 1; end < count && sides[end].low == sides[k].low && sides[end].high == sides[k].high; end++) {
        }
        add_side(builder, sides, k, end);
    }
    afxi_release(builder->allocator, sides, count * sizeof *sides);
}

static void weigh(AfxiSurface *surface, AfxiSurfaceShape *shape) {
    double area = 0;
    for (uint32_t k = 0; k < shape->triangle_count; k++) {
        const uint32_t *v = surface->triangles[shape->first_triangle + k];
        double own = 0.5 * vec3_length(normal_of(surface, shape->first_triangle + k));
        area += own;
        for (int c = 0; c < 3; c++) {
            surface->vertices[v[c]].weight += own / 3;
        }
    }
    for (uint32_t k = shape->first_vertex; k < shape->first_vertex + shape->vertex_count; k++) {
        AfxiSurfaceVertex *vertex = &surface->vertices[k];
        vertex->weight = area > 0 ? fmin(1, 6 * vertex->weight / area) : 1;
        shape->extent = fmax(shape->extent, vec3_length(vertex->x));
    }
    for (uint32_t k = shape->first_edge; k < shape->first_edge + shape->edge_count; k++) {
        AfxiSurfaceEdge *edge = &surface->edges[k];
        edge->weight = edge->loose ? 1 : fmin(1, 6 * edge->weight / area);
    }
}

AfxStatus afxi_surface_create(const AfxAllocator *allocator, const AfxModel *model, AfxiSurface *out) {
    const AfxiContacts *contacts = &model->contacts;
    Builder builder = {.allocator = allocator, .to = out};
    *out = (AfxiSurface){0};
    AfxStatus status = afxi_array_reserve(allocator, (void **)&out->shapes, &out->shape_capacity,
                                          contacts->shape_count + 1, sizeof *out->shapes);
    for (uint32_t k = 0; status == AFX_OK && k < contacts->shape_count; k++) {
        const AfxiContactShape *source = &contacts->shapes[k];
        AfxiSurfaceShape *shape = &out->shapes[out->shape_count++];
        *shape = (AfxiSurfaceShape){.body = source->body,
                                    .first_vertex = out->vertex_count,
                                    .first_edge = out->edge_count,
                                    .first_triangle = out->triangle_count,
                                    .moving = model->kind[source->body] == AFX_BODY_DYNAMIC};
        builder.pose = &contacts->poses[source->pose];
        builder.shape = k;
        builder.body = source->body;
        builder.base = out->vertex_count;
        add_kind(&builder, &contacts->geometries[source->geometry], shape);
        shape->triangle_count = out->triangle_count - shape->first_triangle;
        if (builder.status == AFX_OK) {
            add_edges(&builder, shape);
        }
        status = builder.status;
        shape->vertex_count = out->vertex_count - shape->first_vertex;
        shape->edge_count = out->edge_count - shape->first_edge;
        if (status == AFX_OK) {
            weigh(out, shape);
            out->size = shape->moving ? fmax(out->size, 2 * (shape->extent + shape->radius)) : out->size;
        }
    }
    return status;
}

void afxi_surface_destroy(const AfxAllocator *allocator, AfxiSurface *surface) {
    afxi_release(allocator, surface->shapes, surface->shape_capacity * sizeof *surface->shapes);
    afxi_release(allocator, surface->vertices, surface->vertex_capacity * sizeof *surface->vertices);
    afxi_release(allocator, surface->edges, surface->edge_capacity * sizeof *surface->edges);
    afxi_release(allocator, surface->triangles, surface->triangle_capacity * sizeof *surface->triangles);
}
