/* SPDX-License-Identifier: Apache-2.0 */
/* The object "robot" of scene JSON: generalised coordinates, controls, keyframes, sites. */
#include "load/save_scene.h"

#include <math.h>

static void save_name(AfxiSave *save, const char *name) {
    if (name) {
        afxi_save_text(save, "name", name);
    }
}

static void save_coordinate(AfxiSave *save, const AfxScene *scene, uint32_t index) {
    static const char *const kinds[] = {"axis", "ball", "free"};
    const AfxiSceneGeneralized *g = scene->generalized + index;
    save_name(save, g->name);
    afxi_save_text(save, "kind", kinds[g->kind]);
    if (g->kind == AFX_GENERALIZED_FREE) {
        afxi_save_whole(save, "body", g->body);
        return;
    }
    afxi_save_whole(save, "joint", g->joint);
    if (g->kind == AFX_GENERALIZED_AXIS) {
        afxi_save_whole(save, "axis", g->axis);
    }
    afxi_save_number_unless(save, "sign", g->sign, 1);
    afxi_save_number_unless(save, "offset", g->offset, 0);
}

static void save_numbers(AfxiSave *save, const char *key, const double *numbers, uint32_t count) {
    if (count) {
        afxi_save_open(save, key, '[');
        for (uint32_t k = 0; k < count; k++) {
            afxi_save_number(save, NULL, numbers[k]);
        }
        afxi_save_close(save, ']');
    }
}

static void save_activation(AfxiSave *save, const AfxActivation *a) {
    afxi_save_open(save, "activation", '{');
    afxi_save_text(save, "kind", afx_activation_name(a->kind));
    save_numbers(save, "time", a->time, 3);
    afxi_save_number_unless(save, "lower", a->lower, -INFINITY);
    afxi_save_number_unless(save, "upper", a->upper, INFINITY);
    afxi_save_number_unless(save, "start", a->start, 0);
    afxi_save_close(save, '}');
}

static void save_muscle(AfxiSave *save, const AfxMuscle *m) {
    afxi_save_open(save, "muscle", '{');
    afxi_save_number(save, "force", m->force);
    afxi_save_number(save, "gear", m->gear);
    afxi_save_number(save, "offset", m->offset);
    save_numbers(save, "length", m->length, 2);
    save_numbers(save, "range", m->range, 2);
    afxi_save_number(save, "lmin", m->lmin);
    afxi_save_number(save, "lmax", m->lmax);
    afxi_save_number(save, "vmax", m->vmax);
    afxi_save_number(save, "fpmax", m->fpmax);
    afxi_save_number(save, "fvmax", m->fvmax);
    afxi_save_close(save, '}');
}

static void save_control(AfxiSave *save, const AfxScene *scene, uint32_t index) {
    const AfxiSceneControl *c = scene->controls + index;
    save_name(save, c->name);
    if (c->drive != AFXI_NONE) {
        afxi_save_whole(save, "drive", c->drive);
    } else if (c->adhesion != AFXI_NONE) {
        afxi_save_whole(save, "adhesion", c->adhesion);
    } else {
        afxi_save_whole(save, "wrench", c->wrench);
        save_numbers(save, "direction", c->direction, 6);
    }
    afxi_save_number_unless(save, "damping", c->damping, 0);
    afxi_save_number_unless(save, "gain", c->gain, 1);
    afxi_save_number_unless(save, "offset", c->offset, 0);
    afxi_save_number_unless(save, "lower", c->lower, -INFINITY);
    afxi_save_number_unless(save, "upper", c->upper, INFINITY);
    afxi_save_number_unless(save, "start", c->start, 0);
    afxi_save_number_unless(save, "gear", c->gear, 1);
    afxi_save_number_unless(save, "length", c->length, 0);
    if (c->actuation && c->actuation->activation.kind != AFX_ACTIVATION_NONE) {
        save_activation(save, &c->actuation->activation);
    }
    if (c->actuation && c->actuation->muscle.force > 0) {
        save_muscle(save, &c->actuation->muscle);
    }
    if (c->actuation && c->actuation->safety.brake.index != AFXI_NONE) {
        const AfxSafety *s = &c->actuation->safety;
        afxi_save_open(save, "safety", '{');
        afxi_save_whole(save, "brake", s->brake.index);
        afxi_save_number_unless(save, "lower", s->lower, -INFINITY);
        afxi_save_number_unless(save, "upper", s->upper, INFINITY);
        afxi_save_number_unless(save, "speed", s->speed, INFINITY);
        afxi_save_number(save, "position_gain", s->position_gain);
        afxi_save_close(save, '}');
    }
}

static void save_keyframe(AfxiSave *save, const AfxScene *scene, uint32_t index) {
    const AfxiSceneKeyframe *k = scene->keyframes + index;
    save_name(save, k->name);
    afxi_save_number_unless(save, "time", k->time, 0);
    save_numbers(save, "qpos", k->numbers, k->qpos_count);
    save_numbers(save, "qvel", k->numbers + k->qpos_count, k->qvel_count);
    save_numbers(save, "ctrl", k->numbers + k->qpos_count + k->qvel_count, k->ctrl_count);
}

static void save_site(AfxiSave *save, const AfxScene *scene, uint32_t index) {
    const AfxiSceneSite *site = scene->sites + index;
    save_name(save, site->name);
    afxi_save_whole(save, "body", site->body);
    afxi_save_pose(save, site->pose);
}

static void save_contact_sensor(AfxiSave *save, const AfxiSceneSensor *sensor) {
    static const char *const reduce[] = {"none", "deepest", "strongest", "net"};
    afxi_save_whole(save, "slots", sensor->slots);
    afxi_save_whole(save, "data", sensor->data);
    afxi_save_text(save, "reduce", reduce[sensor->reduce]);
    if (sensor->subtree[0] || sensor->subtree[1]) {
        afxi_save_open(save, "subtree", '[');
        afxi_save_whole(save, NULL, sensor->subtree[0]);
        afxi_save_whole(save, NULL, sensor->subtree[1]);
        afxi_save_close(save, ']');
    }
    if (sensor->inside != UINT32_MAX) {
        afxi_save_whole(save, "inside", sensor->inside);
    }
}

static void save_sensor(AfxiSave *save, const AfxScene *scene, uint32_t index) {
    const AfxiSceneSensor *sensor = scene->sensors + index;
    save_name(save, sensor->name);
    afxi_save_text(save, "kind", afx_sensor_name((AfxSensorKind)sensor->kind));
    if (sensor->object != UINT32_MAX) {
        afxi_save_whole(save, "object", sensor->object);
    }
    afxi_save_number_unless(save, "cutoff", sensor->cutoff, 0);
    afxi_save_number_unless(save, "noise", sensor->noise, 0);
    if (sensor->reference != UINT32_MAX) {
        afxi_save_whole(save, "reference", sensor->reference);
    }
    if (sensor->zone) {
        static const char *const kinds[] = {"box", "sphere", "capsule", "cylinder", "ellipsoid"};
        afxi_save_text(save, "zone", kinds[sensor->zone - 1]);
        save_numbers(save, "zone_size", sensor->zone_size, 3);
    }
    if (sensor->part[0] != UINT32_MAX || sensor->part[1] != UINT32_MAX) {
        afxi_save_open(save, "part", '[');
        for (int k = 0; k < 2; k++) {
            if (sensor->part[k] == UINT32_MAX) {
                afxi_save_key(save, NULL);
                afxi_save_raw(save, "null");
            } else {
                afxi_save_whole(save, NULL, sensor->part[k]);
            }
        }
        afxi_save_close(save, ']');
    }
    afxi_save_vec3_unless_zero(save, "field", sensor->field);
    if (sensor->kind == AFX_SENSOR_CONTACT) {
        save_contact_sensor(save, sensor);
    }
}

void afxi_save_robot(AfxiSave *save, const AfxScene *scene) {
    const struct {
        const char *key;
        uint32_t count;
        void (*write)(AfxiSave *save, const AfxScene *scene, uint32_t index);
    } lists[] = {{"coordinates", scene->generalized_count, save_coordinate},
                 {"controls", scene->control_count, save_control},
                 {"keyframes", scene->keyframe_count, save_keyframe},
                 {"sites", scene->site_count, save_site},
                 {"sensors", scene->sensor_count, save_sensor}};
    if (!(scene->generalized_count || scene->control_count || scene->keyframe_count || scene->site_count ||
          scene->sensor_count)) {
        return;
    }
    afxi_save_open(save, "robot", '{');
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        if (lists[k].count == 0) {
            continue;
        }
        afxi_save_open(save, lists[k].key, '[');
        for (uint32_t index = 0; index < lists[k].count && !save->failure && !save->bad_text; index++) {
            afxi_save_open(save, NULL, '{');
            lists[k].write(save, scene, index);
            afxi_save_close(save, '}');
        }
        afxi_save_close(save, ']');
    }
    afxi_save_close(save, '}');
}
