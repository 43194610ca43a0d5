/* SPDX-License-Identifier: Apache-2.0 */
/* Sensors of a scene. */
#include "scene/sensor.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "scene/check.h"
#include "scene/robot.h"
#include "scene/store.h"

/* Contacts that one sensor can tell of. */
#define CONTACT_SLOTS_MOST 1000u

static const struct {
    const char *name;
    uint32_t size;
    char on;
} kinds[AFX_SENSOR_KIND_COUNT] = {
#define ROW(kind, name, size, on) [kind] = {name, size, on},
    AFX_SENSOR_TABLE(ROW)
#undef ROW
};

char afxi_sensor_on(AfxSensorKind kind) {
    return kinds[kind].on;
}

uint32_t afx_sensor_size(AfxSensorKind kind) {
    return (unsigned)kind < AFX_SENSOR_KIND_COUNT ? kinds[kind].size : 0;
}

const char *afx_sensor_name(AfxSensorKind kind) {
    return (unsigned)kind < AFX_SENSOR_KIND_COUNT ? kinds[kind].name : "unknown";
}

uint32_t afxi_sensor_numbers(AfxSensorKind kind, uint32_t data, uint32_t slots, uint32_t reduce) {
    static const uint32_t sizes[] = {1, 3, 3, 1, 3, 3, 3}; /* in the order of AFX_CONTACT_DATA_... */
    uint32_t sum = 0;
    for (uint32_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        sum += data & (1u << k) ? sizes[k] : 0;
    }
    return kind != AFX_SENSOR_CONTACT ? afx_sensor_size(kind) : reduce == AFX_CONTACT_REDUCE_NET ? sum : slots * sum;
}

uint32_t afx_sensor_numbers(const AfxSensorDef *def) {
    return def ? afxi_sensor_numbers(def->kind, def->data, def->slots, (uint32_t)def->reduce) : 0;
}

AfxSensorDef afx_default_sensor(AfxSensorKind kind) {
    return (AfxSensorDef){.cookie = AFXI_COOKIE,
                          .kind = kind,
                          .reference = UINT32_MAX,
                          .part = {UINT32_MAX, UINT32_MAX},
                          .slots = 1,
                          .data = AFX_CONTACT_DATA_FOUND,
                          .inside = UINT32_MAX};
}

/** Whether the object is there; generalised coordinates of a scene that adds none are the model's to check. */
static bool is_there(const AfxScene *scene, const AfxSensorDef *d) {
    switch (afxi_sensor_on(d->kind)) {
    case 's':
        return d->object < scene->site_count;
    case 'u':
        return d->object < scene->control_count;
    case 'c':
        return d->object < scene->coupling_count;
    case 'b':
        return d->object < scene->body_count;
    case 'k':
        return d->object == UINT32_MAX || d->object < scene->body_count;
    case 'q':
        return scene->generalized_count == 0 || d->object < scene->generalized_count;
    default:
        return d->object == 0;
    }
}

static bool can_refer(AfxSensorKind kind) {
    return kind >= AFX_SENSOR_FRAME_POSITION && kind <= AFX_SENSOR_FRAME_ANGULAR_VELOCITY;
}

/** Whether the second thing that it is on is there, of kinds that have one. */
static bool has_second(const AfxScene *scene, const AfxSensorDef *d) {
    bool camera = d->kind == AFX_SENSOR_CAMERA_PROJECTION;
    if (camera || d->kind == AFX_SENSOR_INSIDE) {
        const AfxVec3 *f = &d->field;
        return d->reference < scene->site_count && (!camera || (f->x > 0 && f->x < 3.1 && f->y > 0 && f->z > 0)) &&
               (camera || d->zone);
    }
    return afxi_sensor_on(d->kind) != 'b' || (d->reference < scene->body_count && d->reference != d->object);
}

/** Whether what it has beside its object fits its kind. */
static bool is_complete(const AfxScene *scene, const AfxSensorDef *d) {
    bool zoned = d->kind == AFX_SENSOR_TOUCH || d->kind == AFX_SENSOR_INSIDE ||
                 (d->kind == AFX_SENSOR_CONTACT && d->inside < scene->site_count);
    bool zone = d->zone == 0 || (zoned && afxi_zone_has_kind(d->zone));
    for (int k = 0; d->zone && k < 3; k++) {
        zone = zone && d->zone_size[k] >= 0 && isfinite(d->zone_size[k]);
    }
    if (d->kind == AFX_SENSOR_CONTACT) {
        return zone && (d->reference == UINT32_MAX || d->reference < scene->body_count) &&
               (d->inside == UINT32_MAX || d->zone);
    }
    bool two =
        d->kind == AFX_SENSOR_INSIDE || d->kind == AFX_SENSOR_CAMERA_PROJECTION || afxi_sensor_on(d->kind) == 'b';
    return zone && (two ? has_second(scene, d)
                        : d->reference == UINT32_MAX || (can_refer(d->kind) && d->reference < scene->site_count));
}

/** Whether the shapes that it is on are there, of kinds between two bodies. */
static bool has_parts(const AfxScene *scene, const AfxSensorDef *d) {
    const uint32_t bodies[2] = {d->object, d->reference};
    char on = afxi_sensor_on(d->kind);
    for (int k = 0; (on == 'b' || on == 'k') && k < 2; k++) {
        if (bodies[k] != UINT32_MAX && d->part[k] != UINT32_MAX && d->part[k] >= scene->bodies[bodies[k]].shape_count) {
            return false;
        }
    }
    return true;
}

bool afxi_zone_has_kind(uint32_t zone) {
    return zone == 1 + AFX_SHAPE_BOX || zone == 1 + AFX_SHAPE_SPHERE || zone == 1 + AFX_SHAPE_CAPSULE ||
           zone == 1 + AFX_SHAPE_CYLINDER || zone == 1 + AFX_SHAPE_ELLIPSOID;
}

AfxStatus afx_scene_add_sensor(AfxScene *scene, const AfxSensorDef *def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "sensor", NULL, scene->sensor_count, AFXI_NONE};
    if (!def) {
        return afxi_fail_null(&place, "def");
    }
    AfxStatus status = afxi_check_cookie(&place, def->cookie, "afx_default_sensor");
    if (status) {
        return status;
    }
    place.name = def->name;
    if ((unsigned)def->kind >= AFX_SENSOR_KIND_COUNT) {
        return afxi_fail(&place, AFX_E_INPUT, "its kind is none that there is", "give one of AFX_SENSOR_TABLE");
    }
    if (!is_there(scene, def)) {
        return afxi_fail(&place, AFX_E_INPUT,
                         "the site, coordinate, control, coupling or body that it is on is not there",
                         "add that first, and give its number");
    }
    if (!is_complete(scene, def)) {
        return afxi_fail(&place, AFX_E_INPUT, "its reference or zone is none that a sensor of its kind can have",
                         "references are sites, of frames but accelerations; zones of touch and insidesite; "
                         "camprojection has a field of "
                         "view and a picture, distance a second body");
    }
    if (!has_parts(scene, def)) {
        return afxi_fail(&place, AFX_E_INPUT, "its part is a shape that the body does not have",
                         "shapes of a body are counted from 0; add them before the sensor");
    }
    if (def->kind == AFX_SENSOR_CONTACT && (def->slots == 0 || def->slots > CONTACT_SLOTS_MOST || def->data == 0 ||
                                            def->data >= 128 || (unsigned)def->reduce > AFX_CONTACT_REDUCE_NET)) {
        return afxi_fail(&place, AFX_E_INPUT, "it tells of no contact, or nothing of it",
                         "give 1 to 1000 slots, AFX_CONTACT_DATA_... and one of AfxContactReduce");
    }
    status = afxi_check_amount(&place, def->cutoff, "its cutoff");
    status = status ? status : afxi_check_vec3(&place, def->field, "its field");
    status = status ? status : afxi_check_amount(&place, def->noise, "its noise");
    status = status ? status : afxi_check_name(&place, def->name, &scene->sensor_names, AFXI_NONE);
    if (status) {
        return status;
    }
    status = afxi_robot_reserve(scene, (void **)&scene->sensors, &scene->sensor_capacity, scene->sensor_count + 1,
                                sizeof *scene->sensors, &scene->sensor_names, def->name);
    if (status) {
        return afxi_fail_memory(&place, status);
    }
    AfxiSceneSensor *sensor = scene->sensors + scene->sensor_count++;
    *sensor = (AfxiSceneSensor){.name = afxi_name_enter(scene, &scene->sensor_names, def->name, place.index),
                                .cutoff = def->cutoff,
                                .noise = def->noise,
                                .object = def->object,
                                .reference = def->reference,
                                .kind = (uint8_t)def->kind,
                                .zone = (uint8_t)def->zone,
                                .slots = def->slots,
                                .data = (uint8_t)def->data,
                                .reduce = (uint8_t)def->reduce,
                                .inside = def->inside,
                                .subtree = {def->subtree[0] != 0, def->subtree[1] != 0},
                                .field = def->field};
    memcpy(sensor->zone_size, def->zone_size, sizeof sensor->zone_size);
    memcpy(sensor->part, def->part, sizeof sensor->part);
    return AFX_OK;
}

uint32_t afx_scene_sensor_count(const AfxScene *scene) {
    return scene ? scene->sensor_count : 0;
}

AfxStatus afx_scene_get_sensor(const AfxScene *scene, uint32_t index, AfxSensorDef *out_def) {
    if (!scene || !out_def || index >= scene->sensor_count) {
        return AFX_E_ARGUMENT;
    }
    const AfxiSceneSensor *sensor = scene->sensors + index;
    *out_def = afx_default_sensor((AfxSensorKind)sensor->kind);
    out_def->name = sensor->name;
    out_def->object = sensor->object;
    out_def->cutoff = sensor->cutoff;
    out_def->noise = sensor->noise;
    out_def->reference = sensor->reference;
    out_def->zone = sensor->zone;
    memcpy(out_def->zone_size, sensor->zone_size, sizeof sensor->zone_size);
    memcpy(out_def->part, sensor->part, sizeof sensor->part);
    out_def->field = sensor->field;
    out_def->slots = sensor->slots;
    out_def->data = sensor->data;
    out_def->reduce = sensor->reduce;
    out_def->inside = sensor->inside;
    out_def->subtree[0] = sensor->subtree[0];
    out_def->subtree[1] = sensor->subtree[1];
    return AFX_OK;
}

void afxi_sensors_release(AfxScene *scene) {
    afxi_release(&scene->allocator, scene->sensors, scene->sensor_capacity * sizeof *scene->sensors);
    afxi_names_free(&scene->sensor_names, &scene->allocator);
}
