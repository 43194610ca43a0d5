/* SPDX-License-Identifier: Apache-2.0 */
/* Couplings between joint coordinates, and springs between points of two bodies. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "scene/check.h"
#include "scene/store.h"
#include "scene/table.h"

AfxCouplingDef afx_default_coupling(void) {
    AfxCouplingDef d = {.cookie = AFXI_COOKIE};
    for (int k = 0; k < AFX_COUPLING_TERMS; k++) {
        d.joint[k] = (AfxJointId){UINT32_MAX, 0};
    }
    return d;
}

/** Term k: a coordinate that no earlier term has, times a finite factor. */
static AfxStatus check_term(const AfxScene *scene, const AfxiErrorPlace *place, const AfxCouplingDef *d, uint32_t k) {
    char text[80];
    snprintf(text, sizeof text, "its term #%u's", (unsigned)k);
    AfxStatus status = afxi_check_coordinate(scene, place, d->joint[k], d->axis[k], text);
    snprintf(text, sizeof text, "its term #%u's factor", (unsigned)k);
    status = status ? status : afxi_check_number(place, d->factor[k], text);
    for (uint32_t i = 0; i < k && !status; i++) {
        if (d->joint[i].index == d->joint[k].index && d->axis[i] == d->axis[k]) {
            snprintf(text, sizeof text, "its terms #%u and #%u are of the same coordinate", (unsigned)i, (unsigned)k);
            status = afxi_fail(place, AFX_E_INPUT, text, "add their factors, and give them as one term");
        }
    }
    return status;
}

/** Checks a definition but for its cookie. */
static AfxStatus check_coupling(const AfxScene *scene, const AfxiErrorPlace *place, const AfxCouplingDef *d) {
    if (d->term_count < 1 || d->term_count > AFX_COUPLING_TERMS) {
        return afxi_fail(place, AFX_E_INPUT, "its number of terms is not between 1 and 8",
                         "couple more coordinates with several couplings");
    }
    bool zero = true;
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < d->term_count && !status; k++) {
        status = check_term(scene, place, d, k);
        zero = zero && d->factor[k] == 0;
    }
    if (!status && zero && !d->path_count) {
        status = afxi_fail(place, AFX_E_INPUT, "its factors are all zero", "give at least one that is not");
    }
    status = status ? status : afxi_check_name(place, d->name, &scene->coupling_names, AFXI_NONE);
    status = status ? status : afxi_check_number(place, d->constant, "its constant");
    status = status ? status : afxi_check_amount(place, d->compliance, "its compliance");
    status = status ? status : afxi_check_amount(place, d->inertia, "its inertia");
    if (!status && d->inertia > 0 && (d->compliance > 0 || d->term_count == AFX_COUPLING_TERMS)) {
        status = afxi_fail(place, AFX_E_INPUT, "it has inertia, and compliance or more than seven terms",
                           "put a spring on its coordinate instead of the compliance");
    }
    return status;
}

/** Item k of a path. */
static AfxStatus check_item(const AfxScene *scene, const AfxiErrorPlace *place, const AfxPathItem *item, uint32_t k) {
    char text[80];
    AfxStatus status = AFX_OK;
    bool pulley = item->kind == AFX_PATH_PULLEY,
         round = item->kind == AFX_PATH_SPHERE || item->kind == AFX_PATH_CYLINDER;
    snprintf(text, sizeof text, "item #%u of its path", (unsigned)k);
    if ((unsigned)item->kind > AFX_PATH_PULLEY) {
        return afxi_fail(place, AFX_E_INPUT, "the kind of an item of its path is none", "give one of AfxPathKind");
    }
    if (!pulley && item->body.index != AFXI_NONE) {
        status = afxi_check_body(scene, item->body);
        if (status) {
            return afxi_fail(place, status, "the body of an item of its path is not there", "add that first");
        }
    }
    status = status ? status : afxi_check_vec3(place, item->pose.position, text);
    status = status ? status : afxi_check_vec3(place, item->side, text);
    if (!status && ((round && !(item->radius > 0 && isfinite(item->radius))) ||
                    (pulley && !(item->divisor > 0 && isfinite(item->divisor))))) {
        snprintf(text, sizeof text, "the radius or divisor of item #%u of its path is not above 0", (unsigned)k);
        status = afxi_fail(place, AFX_E_INPUT, text, "give one that is");
    }
    return status;
}

static AfxStatus check_path(const AfxScene *scene, const AfxiErrorPlace *place, const AfxCouplingDef *d) {
    if (d->path_count == 0) {
        return AFX_OK;
    }
    if (!d->path || d->path_count > AFX_PATH_ITEMS || !(d->inertia > 0)) {
        return afxi_fail(place, AFX_E_INPUT, "its path has no items or more than 256, or no inertia",
                         "give 1 to 256 items, and an inertia");
    }
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < d->path_count && !status; k++) {
        status = check_item(scene, place, &d->path[k], k);
    }
    return status;
}

static AfxStatus reserve_coupling(AfxScene *scene, const char *name) {
    void *couplings = scene->couplings;
    AfxStatus status = afxi_array_reserve(&scene->allocator, &couplings, &scene->coupling_capacity,
                                          scene->coupling_count + 1, sizeof *scene->couplings);
    scene->couplings = couplings;
    return status ? status : afxi_name_reserve(scene, &scene->coupling_names, name);
}

static void enter_coupling(AfxScene *scene, const AfxCouplingDef *d, AfxPathItem *path) {
    uint32_t index = scene->coupling_count++;
    AfxiSceneCoupling *coupling = scene->couplings + index;
    *coupling = (AfxiSceneCoupling){.name = afxi_name_enter(scene, &scene->coupling_names, d->name, index),
                                    .constant = d->constant,
                                    .compliance = d->compliance,
                                    .inertia = d->inertia,
                                    .term_count = (uint8_t)d->term_count,
                                    .path = path,
                                    .path_count = d->path_count};
    for (uint32_t k = 0; k < d->term_count; k++) {
        coupling->joint[k] = d->joint[k].index;
        coupling->axis[k] = (uint8_t)d->axis[k];
        coupling->factor[k] = d->factor[k];
    }
}

AfxStatus afx_scene_add_coupling(AfxScene *scene, const AfxCouplingDef *def, AfxCouplingId *out_coupling) {
    if (out_coupling) {
        *out_coupling = (AfxCouplingId){UINT32_MAX, 0};
    }
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "coupling", NULL, scene->coupling_count, AFXI_NONE};
    if (!def || !out_coupling) {
        return afxi_fail_null(&place, def ? "out_coupling" : "def");
    }
    AfxStatus status = afxi_check_cookie(&place, def->cookie, "afx_default_coupling");
    if (status) {
        return status;
    }
    place.name = def->name;
    status = check_coupling(scene, &place, def);
    status = status ? status : check_path(scene, &place, def);
    if (status) {
        return status;
    }
    AfxPathItem *path = NULL;
    status = reserve_coupling(scene, def->name);
    if (!status && def->path_count) {
        path = afxi_duplicate(&scene->allocator, def->path, def->path_count * sizeof *path);
        status = path ? AFX_OK : AFX_E_MEMORY;
    }
    if (status) {
        return afxi_fail_memory(&place, status);
    }
    enter_coupling(scene, def, path);
    *out_coupling = (AfxCouplingId){place.index, scene->id};
    return AFX_OK;
}

uint32_t afx_scene_coupling_count(const AfxScene *scene) {
    return scene ? scene->coupling_count : 0;
}

AfxStatus afx_scene_get_coupling(const AfxScene *scene, uint32_t index, AfxCouplingDef *out_def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "coupling", NULL, index, AFXI_NONE};
    if (!out_def) {
        return afxi_fail_null(&place, "out_def");
    }
    if (index >= scene->coupling_count) {
        return afxi_fail(&place, AFX_E_ARGUMENT, "there is no such coupling", "count with afx_scene_coupling_count");
    }
    const AfxiSceneCoupling *coupling = scene->couplings + index;
    AfxCouplingDef d = afx_default_coupling();
    d.name = coupling->name;
    d.term_count = coupling->term_count;
    for (uint32_t k = 0; k < d.term_count; k++) {
        d.joint[k] = (AfxJointId){coupling->joint[k], scene->id};
        d.axis[k] = coupling->axis[k];
        d.factor[k] = coupling->factor[k];
    }
    d.constant = coupling->constant;
    d.compliance = coupling->compliance;
    d.inertia = coupling->inertia;
    d.path = coupling->path;
    d.path_count = coupling->path_count;
    *out_def = d;
    return AFX_OK;
}

AfxSpringDef afx_default_spring(void) {
    return (AfxSpringDef){.cookie = AFXI_COOKIE, .body_a = afx_world(), .body_b = afx_world()};
}

/** Checks a definition but for its cookie. */
static AfxStatus check_spring(const AfxScene *scene, const AfxiErrorPlace *place, const AfxSpringDef *d) {
    AfxStatus status = afxi_check_ends(scene, place, d->body_a, d->body_b, "its body a", "its body b");
    status = status ? status : afxi_check_name(place, d->name, &scene->spring_names, AFXI_NONE);
    status = status ? status : afxi_check_vec3(place, d->point_a, "its point a");
    status = status ? status : afxi_check_vec3(place, d->point_b, "its point b");
    status = status ? status : afxi_check_amount(place, d->rest_length, "its rest length");
    status = status ? status : afxi_check_amount(place, d->stiffness, "its stiffness");
    status = status ? status : afxi_check_amount(place, d->damping, "its damping");
    status = status ? status : afxi_check_tables(place, &d->spring_table, &d->damper_table);
    if (!status && d->stiffness == 0 && d->damping == 0 && !d->spring_table.count && !d->damper_table.count) {
        status = afxi_fail(place, AFX_E_INPUT, "its stiffness and its damping are both zero",
                           "give a stiffness above 0 N/m, a damping above 0 Ns/m, or a table");
    }
    return status;
}

static AfxStatus reserve_spring(AfxScene *scene, const char *name) {
    void *springs = scene->springs;
    AfxStatus status = afxi_array_reserve(&scene->allocator, &springs, &scene->spring_capacity, scene->spring_count + 1,
                                          sizeof *scene->springs);
    scene->springs = springs;
    return status ? status : afxi_name_reserve(scene, &scene->spring_names, name);
}

AfxStatus afx_scene_add_spring(AfxScene *scene, const AfxSpringDef *def, AfxSpringId *out_spring) {
    if (out_spring) {
        *out_spring = (AfxSpringId){UINT32_MAX, 0};
    }
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    uint32_t index = scene->spring_count;
    AfxiErrorPlace place = {scene->error, "spring", NULL, index, AFXI_NONE};
    if (!def || !out_spring) {
        return afxi_fail_null(&place, def ? "out_spring" : "def");
    }
    AfxStatus status = afxi_check_cookie(&place, def->cookie, "afx_default_spring");
    if (status) {
        return status;
    }
    place.name = def->name;
    status = check_spring(scene, &place, def);
    if (status) {
        return status;
    }
    AfxForceTable spring = def->spring_table, damper = def->damper_table;
    status = reserve_spring(scene, def->name);
    status = status ? status : afxi_tables_copy(scene, &spring, &damper);
    if (status) {
        return afxi_fail_memory(&place, status);
    }
    scene->springs[index] = (AfxiSceneSpring){.name = afxi_name_enter(scene, &scene->spring_names, def->name, index),
                                              .point_a = def->point_a,
                                              .point_b = def->point_b,
                                              .rest_length = def->rest_length,
                                              .stiffness = def->stiffness,
                                              .damping = def->damping,
                                              .spring_table = spring,
                                              .damper_table = damper,
                                              .body_a = def->body_a.index,
                                              .body_b = def->body_b.index};
    scene->spring_count++;
    *out_spring = (AfxSpringId){index, scene->id};
    return AFX_OK;
}

uint32_t afx_scene_spring_count(const AfxScene *scene) {
    return scene ? scene->spring_count : 0;
}

AfxStatus afx_scene_get_spring(const AfxScene *scene, uint32_t index, AfxSpringDef *out_def) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxiErrorPlace place = {scene->error, "spring", NULL, index, AFXI_NONE};
    if (!out_def) {
        return afxi_fail_null(&place, "out_def");
    }
    if (index >= scene->spring_count) {
        return afxi_fail(&place, AFX_E_ARGUMENT, "there is no such spring", "count with afx_scene_spring_count");
    }
    const AfxiSceneSpring *spring = scene->springs + index;
    AfxSpringDef d = afx_default_spring();
    d.name = spring->name;
    d.body_a = afxi_scene_end(scene, spring->body_a);
    d.body_b = afxi_scene_end(scene, spring->body_b);
    d.point_a = spring->point_a;
    d.point_b = spring->point_b;
    d.rest_length = spring->rest_length;
    d.stiffness = spring->stiffness;
    d.damping = spring->damping;
    d.spring_table = spring->spring_table;
    d.damper_table = spring->damper_table;
    *out_def = d;
    return AFX_OK;
}
