/* SPDX-License-Identifier: Apache-2.0 */
/* Two rods on one crank pin hang together through the crank alone, yet lie in each other at the pin for ever: contact
 * between them would fight the joints. A pin is a set of joints, each of which shares a body with another one at the
 * same point of it, or, of hinges, on the same axis. Points and axes are looked up by the cell of a grid that they are
 * in; its width is no round number, so that points as people write them do not lie between two cells.
 *
 * A body reaches a pin where one of its shapes, a little larger than it is, holds the point, or a stretch of the
 * axis. */
#include "model/pins.h"

#include <math.h>
#include <string.h>

#include "base/forest.h"
#include "base/intern.h"
#include "joint/kind.h"
#include "math/vec3.h"
#include "model/touching.h"
#include "model/tuning.h"

/* A point, or an axis, of a body, in cells. Compared bit by bit: no padding. */
typedef struct Key {
    uint32_t body, is_axis;
    double cell[9]; /* the point; the axis's nearest to the origin, then its direction times itself */
} Key;

typedef struct Search {
    const AfxScene *scene;
    const AfxAllocator *allocator;
    const uint8_t *able;
    AfxiContactFilter filter;
    uint32_t *numbers; /* what follows, in one block */
    size_t size;
    uint32_t *pin;  /* [joints] forest of joints of one pin */
    uint32_t *axis; /* [joints] of those on one axis */
    uint32_t *next; /* [joints] of the same pin, UINT32_MAX for none */
    uint32_t *last; /* [joints] of the pin of each root */
    AfxiIntern keys;
    uint32_t *first; /* [keys] the joint that has it first */
    uint32_t first_capacity;
    AfxiPins *pins;
} Search;

static bool is_hinge(const AfxiSceneJoint *joint) {
    return joint->kind == AFX_JOINT_REVOLUTE || joint->kind == AFX_JOINT_REVOLUTE_POINTS;
}

static bool makes_pin(const AfxiSceneJoint *joint) {
    return !joint->contact && afxi_joint_kind((AfxJointKind)joint->kind)->rows[0].type == AFXI_ROW_POINT;
}

static AfxVec3 axis_of(AfxPose frame) {
    return afx_quat_rotate(frame.rotation, vec3(1, 0, 0));
}

/* ---- which joints are on one pin ---- */

/* Zero, which rounding misses on both sides, is in the middle of a cell. */
static double cell_of(double x) {
    return floor(x / AFXI_PIN_CELL + 0.5) + 0.0;
}

static Key point_key(uint32_t body, AfxVec3 point) {
    Key key = {.body = body, .cell = {cell_of(point.x), cell_of(point.y), cell_of(point.z)}};
    return key;
}

static Key axis_key(uint32_t body, AfxPose frame) {
    AfxVec3 d = axis_of(frame), foot = vec3_mad(frame.position, -vec3_dot(frame.position, d), d);
    Key key = point_key(body, foot);
    const double square[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
    key.is_axis = 1;
    for (int k = 0; k < 6; k++) {
        key.cell[3 + k] = cell_of(square[k]);
    }
    return key;
}

/* Joins a joint to the first one that has the same key. */
static AfxStatus look_up(Search *search, const Key *key, uint32_t joint) {
    uint32_t index, before = search->keys.count;
    AfxStatus status = afxi_intern_growing(search->allocator, &search->keys, key, &index);
    void *first = search->first;
    status = status ? status
                    : afxi_array_reserve(search->allocator, &first, &search->first_capacity, search->keys.count,
                                         sizeof *search->first);
    search->first = first;
    if (status != AFX_OK) {
        return status;
    }
    if (index == before) {
        search->first[index] = joint;
    }
    afxi_forest_join(search->pin, joint, search->first[index]);
    if (key->is_axis) {
        afxi_forest_join(search->axis, joint, search->first[index]);
    }
    return AFX_OK;
}

static AfxStatus join_joints(Search *search) {
    const AfxScene *scene = search->scene;
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        search->pin[k] = search->axis[k] = k;
        search->next[k] = search->last[k] = UINT32_MAX;
    }
    for (uint32_t k = 0; k < scene->joint_count && status == AFX_OK; k++) {
        const AfxiSceneJoint *joint = &scene->joints[k];
        const AfxiSceneFit *fit = afxi_scene_fit(scene, k);
        const AfxPose frame[2] = {fit->base_frame, fit->follower_frame};
        const uint32_t body[2] = {joint->base, joint->follower};
        for (int side = 0; side < 2 && makes_pin(joint) && status == AFX_OK; side++) {
            Key key = point_key(body[side], frame[side].position);
            status = look_up(search, &key, k);
            if (status == AFX_OK && is_hinge(joint)) {
                key = axis_key(body[side], frame[side]);
                status = look_up(search, &key, k);
            }
        }
    }
    for (uint32_t k = 0; k < scene->joint_count && status == AFX_OK; k++) { /* lists, each from its root on */
        uint32_t root = afxi_forest_root(search->pin, k);
        if (root != k) {
            search->next[search->last[root]] = k;
        }
        search->last[root] = k;
    }
    return status;
}

/* ---- what of it a body reaches ---- */

/* The box around a shape in its own frame; a plane and what lies below a height field have no end. The inner radius
 * comes back. */
static double box_around(const AfxScene *scene, const AfxiSceneShape *shape, double lower[3], double upper[3]) {
    const double *size = shape->size;
    double half[3] = {size[0], size[1], size[2]};
    if (shape->kind == AFX_SHAPE_SPHERE) {
        half[1] = half[2] = size[0];
    } else if (shape->kind == AFX_SHAPE_CAPSULE || shape->kind == AFX_SHAPE_CYLINDER) {
        half[1] = size[0];
        half[2] = size[1] / 2 + (shape->kind == AFX_SHAPE_CAPSULE ? size[0] : 0);
    }
    for (int k = 0; k < 3; k++) {
        lower[k] = -half[k];
        upper[k] = half[k];
    }
    if (shape->kind == AFX_SHAPE_CONVEX || shape->kind == AFX_SHAPE_MESH) {
        const AfxiSceneMesh *mesh = &scene->meshes[shape->mesh];
        for (uint32_t v = 0; v < 3 * mesh->vertex_count; v++) {
            lower[v % 3] = v < 3 ? mesh->vertices[v] : fmin(lower[v % 3], mesh->vertices[v]);
            upper[v % 3] = v < 3 ? mesh->vertices[v] : fmax(upper[v % 3], mesh->vertices[v]);
        }
    } else if (shape->kind == AFX_SHAPE_PLANE || shape->kind == AFX_SHAPE_HEIGHT_FIELD) {
        for (int k = 0; k < 3; k++) {
            lower[k] = -INFINITY;
            upper[k] = k < 2 ? INFINITY : 0;
        }
        const AfxiSceneMesh *mesh = shape->kind == AFX_SHAPE_PLANE ? NULL : &scene->meshes[shape->mesh];
        for (uint32_t v = 0; mesh && v < mesh->columns * mesh->rows; v++) {
            upper[2] = v ? fmax(upper[2], mesh->heights[v]) : mesh->heights[v];
        }
        return 0;
    }
    return fmin(upper[0] - lower[0], fmin(upper[1] - lower[1], upper[2] - lower[2])) / 2;
}

/* The stretch of a line p + s d that is in a box. */
static bool clip_box(const double lower[3], const double upper[3], const double p[3], const double d[3], double *low,
                     double *high) {
    *low = -INFINITY;
    *high = INFINITY;
    for (int k = 0; k < 3; k++) {
        if (fabs(d[k]) < AFXI_ON_AXIS) {
            if (p[k] < lower[k] || p[k] > upper[k]) {
                return false;
            }
            continue;
        }
        double a = (lower[k] - p[k]) / d[k], b = (upper[k] - p[k]) / d[k];
        *low = fmax(*low, fmin(a, b));
        *high = fmin(*high, fmax(a, b));
    }
    return *low <= *high;
}

/* The same for an ellipsoid. */
static bool clip_ellipsoid(const double half[3], const double p[3], const double d[3], double *low, double *high) {
    double pp = -1, pd = 0, dd = 0;
    for (int k = 0; k < 3; k++) {
        double x = p[k] / half[k], u = d[k] / half[k];
        pp += x * x;
        pd += x * u;
        dd += u * u;
    }
    double root = pd * pd - pp * dd;
    if (root < 0) {
        return false;
    }
    *low = (-pd - sqrt(root)) / dd;
    *high = (-pd + sqrt(root)) / dd;
    return true;
}

/* Widens low .. high to all that the shapes of a body hold of the axis of a frame; false: nothing. */
static bool reach(const Search *search, uint32_t body, AfxPose frame, double *low, double *high) {
    const AfxScene *scene = search->scene;
    *low = INFINITY;
    *high = -INFINITY;
    for (uint32_t s = scene->bodies[body].first_shape; s != AFXI_NONE; s = scene->uses[s].next) {
        const AfxiSceneShape *shape = afxi_scene_shape(scene, s);
        if (!afxi_contact_able(&search->filter, shape)) {
            continue;
        }
        AfxPose local = afx_pose_compose(afx_pose_invert(shape->pose), frame);
        double p[3], d[3], lower[3], upper[3], from, to;
        double slack = AFXI_PIN_SLACK * box_around(scene, shape, lower, upper);
        vec3_store(p, local.position);
        vec3_store(d, axis_of(local));
        for (int k = 0; k < 3; k++) {
            lower[k] -= slack;
            upper[k] += slack;
        }
        bool round = shape->kind == AFX_SHAPE_SPHERE || shape->kind == AFX_SHAPE_ELLIPSOID;
        if (round ? clip_ellipsoid(upper, p, d, &from, &to) : clip_box(lower, upper, p, d, &from, &to)) {
            *low = fmin(*low, from);
            *high = fmax(*high, to);
        }
    }
    return *low <= *high;
}

static AfxPose world_frame(const AfxScene *scene, uint32_t joint) {
    uint32_t base = scene->joints[joint].base;
    AfxPose frame = afxi_scene_fit(scene, joint)->base_frame;
    return base == AFXI_NONE ? frame : afx_pose_compose(scene->bodies[base].pose, frame);
}

static AfxStatus add_end(Search *search, uint32_t pin, uint32_t joint, uint32_t body, AfxPose frame, bool line) {
    AfxiPins *pins = search->pins;
    AfxiPinEnd end = {.pin = pin, .body = body};
    if (body == AFXI_NONE || !search->able[body] || !reach(search, body, frame, &end.low, &end.high)) {
        return AFX_OK;
    }
    if (line) { /* from the point of the first joint on, along its axis */
        AfxPose whole = world_frame(search->scene, pin), own = world_frame(search->scene, joint);
        AfxVec3 d = axis_of(whole);
        double at = vec3_dot(vec3_sub(own.position, whole.position), d), low = end.low, high = end.high;
        bool same = vec3_dot(d, axis_of(own)) >= 0;
        end.low = at + (same ? low : -high);
        end.high = at + (same ? high : -low);
    } else if (end.low > 0 || end.high < 0) {
        return AFX_OK;
    } else {
        end.low = end.high = 0;
    }
    void *ends = pins->end;
    AfxStatus status =
        afxi_array_reserve(search->allocator, &ends, &pins->capacity, pins->count + 1, sizeof *pins->end);
    pins->end = ends;
    if (status == AFX_OK) {
        pins->end[pins->count++] = end;
    }
    return status;
}

/* All that reaches one pin. */
static AfxStatus add_pin(Search *search, uint32_t pin) {
    const AfxScene *scene = search->scene;
    bool line = true;
    AfxStatus status = AFX_OK;
    for (uint32_t k = pin; k != UINT32_MAX; k = search->next[k]) {
        line &= is_hinge(&scene->joints[k]) && afxi_forest_root(search->axis, k) == afxi_forest_root(search->axis, pin);
    }
    for (uint32_t k = pin; k != UINT32_MAX && status == AFX_OK; k = search->next[k]) {
        const AfxiSceneFit *fit = afxi_scene_fit(scene, k);
        status = add_end(search, pin, k, scene->joints[k].base, fit->base_frame, line);
        status = status ? status : add_end(search, pin, k, scene->joints[k].follower, fit->follower_frame, line);
    }
    return status;
}

/* ---- in order ---- */

static bool before(const AfxiPinEnd *a, const AfxiPinEnd *b) {
    if (a->pin != b->pin) {
        return a->pin < b->pin;
    }
    return a->low != b->low ? a->low < b->low : a->body < b->body;
}

/* Moves an end down in a heap with the last one on top. */
static void sink(AfxiPinEnd *end, uint32_t at, uint32_t count) {
    for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && before(&end[child], &end[child + 1]);
        if (!before(&end[at], &end[child])) {
            return;
        }
        AfxiPinEnd own = end[at];
        end[at] = end[child];
        end[child] = own;
        at = child;
    }
}

static void sort_ends(AfxiPins *pins) {
    for (uint32_t k = pins->count / 2; k-- > 0;) {
        sink(pins->end, k, pins->count);
    }
    for (uint32_t last = pins->count; last-- > 1;) {
        AfxiPinEnd own = pins->end[0];
        pins->end[0] = pins->end[last];
        pins->end[last] = own;
        sink(pins->end, 0, last);
    }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < pins->count; k++) { /* many joints of a body may be on a pin: it is there once */
        const AfxiPinEnd *own = &pins->end[k], *last = &pins->end[kept ? kept - 1 : 0];
        bool again = kept && own->pin == last->pin && own->body == last->body && own->low == last->low &&
                     own->high == last->high;
        if (!again) {
            pins->end[kept++] = *own;
        }
    }
    pins->count = kept;
}

AfxStatus afxi_pins_find(const AfxScene *scene, const AfxAllocator *allocator, const uint8_t *able,
                         AfxiPins *out_pins) {
    size_t joints = scene->joint_count;
    Search search = {.scene = scene,
                     .allocator = allocator,
                     .able = able,
                     .filter = afxi_contact_filter(scene),
                     .size = 4 * joints * sizeof(uint32_t),
                     .keys = {.item_size = sizeof(Key)},
                     .pins = out_pins};
    *out_pins = (AfxiPins){0};
    if (joints < 2) {
        return AFX_OK;
    }
    search.numbers = afxi_allocate(allocator, search.size);
    if (!search.numbers) {
        return AFX_E_MEMORY;
    }
    search.pin = search.numbers;
    search.axis = search.pin + joints;
    search.next = search.axis + joints;
    search.last = search.next + joints;
    AfxStatus status = join_joints(&search);
    for (uint32_t k = 0; k < joints && status == AFX_OK; k++) {
        if (search.pin[k] == k && search.next[k] != UINT32_MAX) {
            status = add_pin(&search, k);
        }
    }
    sort_ends(out_pins);
    afxi_intern_release(allocator, &search.keys);
    afxi_release(allocator, search.first, search.first_capacity * sizeof *search.first);
    afxi_release(allocator, search.numbers, search.size);
    return status;
}

void afxi_pins_release(const AfxAllocator *allocator, AfxiPins *pins) {
    afxi_release(allocator, pins->end, pins->capacity * sizeof *pins->end);
    *pins = (AfxiPins){0};
}

bool afxi_pins_meet(const AfxiPinEnd *a, const AfxiPinEnd *b) {
    return a->pin == b->pin && a->low <= b->high && b->low <= a->high;
}
