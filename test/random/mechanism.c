/* SPDX-License-Identifier: Apache-2.0 */
/* A mechanism as a scene, and what can be said of it beforehand. */
#include "mechanism.h"

#include <stdio.h>
#include <string.h>

static const char *const feature_names[] = {
#define FEATURE_NAME(feature, name, text) name,
    FEATURE_TABLE(FEATURE_NAME)
#undef FEATURE_NAME
};

const char *feature_name(Feature feature) {
    return (unsigned)feature < FEATURE_COUNT ? feature_names[feature] : "unknown";
}

Feature feature_find(const char *name) {
    uint32_t k = 0;
    while (k < FEATURE_COUNT && strcmp(feature_names[k], name) != 0) {
        k++;
    }
    return (Feature)k;
}

/* ---- the scene ---- */

/* Ids of what is not gone; those of the rest are never used. */
typedef struct Ids {
    AfxBodyId body[BODIES_MOST];
    AfxJointId joint[JOINTS_MOST];
} Ids;

static AfxBodyId body_id(const Ids *ids, uint32_t body) {
    return body == WORLD ? afx_world() : ids->body[body];
}

static AfxStatus add_bodies(const Mechanism *m, AfxScene *scene, Ids *ids) {
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < m->body_count && status == AFX_OK; k++) {
        AfxBodyDef def = m->body[k].def;
        AfxShapeDef shape = m->body[k].shape;
        char name[16];
        if (m->body[k].gone) {
            continue;
        }
        snprintf(name, sizeof name, "b%u", k);
        def.name = name;
        status = afx_scene_add_body(scene, &def, &ids->body[k]);
        if (status == AFX_OK && shape.cookie) {
            shape.material = afx_scene_material(scene, 0);
            status = afx_scene_add_shape(scene, ids->body[k], &shape);
        }
    }
    return status;
}

static AfxStatus add_joints(const Mechanism *m, AfxScene *scene, Ids *ids) {
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < m->joint_count && status == AFX_OK; k++) {
        const PartJoint *joint = &m->joint[k];
        AfxJointDef def = joint->def;
        char name[16];
        if (joint->gone) {
            continue;
        }
        snprintf(name, sizeof name, "j%u", k);
        def.name = name;
        def.base = body_id(ids, joint->base);
        def.follower = body_id(ids, joint->follower);
        status = afx_scene_add_joint(scene, &def, &ids->joint[k]);
    }
    for (uint32_t k = 0; k < m->drive_count && status == AFX_OK; k++) {
        AfxDriveDef def = m->drive[k].def;
        AfxDriveId id;
        char name[16];
        if (!acts(m, &m->drive[k])) {
            continue;
        }
        snprintf(name, sizeof name, "d%u", k);
        def.name = name;
        def.joint = ids->joint[m->drive[k].joint];
        status = afx_scene_add_drive(scene, &def, &id);
    }
    return status;
}

/* A coupling keeps the terms whose joints are there, and its constant follows. */
static AfxStatus add_coupling(const Mechanism *m, const PartCoupling *coupling, AfxScene *scene, const Ids *ids) {
    AfxCouplingDef def = coupling->def;
    AfxCouplingId id;
    def.term_count = 0;
    def.constant = 0;
    for (uint32_t k = 0; k < coupling->def.term_count; k++) {
        const PartJoint *joint = &m->joint[coupling->joint[k]];
        if (joint->gone) {
            continue;
        }
        def.joint[def.term_count] = ids->joint[coupling->joint[k]];
        def.axis[def.term_count] = coupling->def.axis[k];
        def.factor[def.term_count++] = coupling->def.factor[k];
        def.constant += coupling->def.factor[k] * joint->coordinate[coupling->def.axis[k]];
    }
    return def.term_count && !coupling->gone ? afx_scene_add_coupling(scene, &def, &id) : AFX_OK;
}

static AfxStatus add_rest(const Mechanism *m, AfxScene *scene, const Ids *ids) {
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < m->spring_count && status == AFX_OK; k++) {
        AfxSpringDef def = m->spring[k].def;
        AfxSpringId id;
        if (!m->spring[k].gone) {
            def.body_a = body_id(ids, m->spring[k].a);
            def.body_b = body_id(ids, m->spring[k].b);
            status = afx_scene_add_spring(scene, &def, &id);
        }
    }
    for (uint32_t k = 0; k < m->coupling_count && status == AFX_OK; k++) {
        status = add_coupling(m, &m->coupling[k], scene, ids);
    }
    for (uint32_t k = 0; k < m->wrench_count && status == AFX_OK; k++) {
        AfxWrenchDef def = m->wrench[k].def;
        AfxWrenchId id;
        if (!m->wrench[k].gone) {
            def.body = ids->body[m->wrench[k].body];
            status = afx_scene_add_wrench(scene, &def, &id);
        }
    }
    for (uint32_t k = 0; k < m->exclusion_count && status == AFX_OK; k++) {
        const uint32_t *pair = m->exclusion[k];
        if (!m->body[pair[0]].gone && !m->body[pair[1]].gone) {
            status = afx_scene_exclude_contact(scene, ids->body[pair[0]], ids->body[pair[1]]);
        }
    }
    return status;
}

AfxScene *mechanism_scene(const Mechanism *mechanism, AfxError *out_error) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    Ids ids = {0};
    def.gravity = mechanism->gravity;
    AfxStatus status = afx_scene_create(&def, &scene);
    if (status == AFX_OK) {
        status = afx_scene_set_contact(scene, mechanism->contact);
    }
    if (status == AFX_OK) {
        status = afx_scene_set_material(scene, afx_scene_material(scene, 0), &mechanism->material);
    }
    if (status == AFX_OK) {
        status = add_bodies(mechanism, scene, &ids);
    }
    if (status == AFX_OK) {
        status = add_joints(mechanism, scene, &ids);
    }
    if (status == AFX_OK) {
        status = add_rest(mechanism, scene, &ids);
    }
    if (status != AFX_OK) {
        *out_error = scene ? *afx_scene_error(scene) : (AfxError){.status = status};
        afx_scene_destroy(scene);
        return NULL;
    }
    return scene;
}

/* ---- what is known of it ---- */

uint32_t mechanism_moving(const Mechanism *mechanism) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < mechanism->body_count; k++) {
        count += !mechanism->body[k].gone && mechanism->body[k].def.kind == AFX_BODY_DYNAMIC;
    }
    return count;
}

bool mechanism_conserves(const Mechanism *mechanism) {
    AfxIntegrator integrator = mechanism->sim.integrator;
    return integrator == AFX_CONSERVING || integrator == AFX_CONSERVING4 || integrator == AFX_REFERENCE;
}

static bool constant(const AfxSignal *signal) {
    return signal->kind == AFX_SIGNAL_CONSTANT;
}

/* Whether a drive can only take energy, or gives back what it took. */
static bool drive_passive(const AfxDriveDef *def) {
    switch (def->kind) {
    case AFX_DRIVE_POSITION:
    case AFX_DRIVE_FORCE:
        return constant(&def->target); /* a constant force has a potential */
    case AFX_DRIVE_VELOCITY:
        return constant(&def->target) && def->target.coefficients[0] == 0;
    case AFX_DRIVE_SERVO:
        return constant(&def->target) && isinf(def->effort);
    default:
        return true;
    }
}

bool mechanism_passive(const Mechanism *mechanism) {
    bool passive = true;
    for (uint32_t k = 0; k < mechanism->drive_count; k++) {
        passive &= !acts(mechanism, &mechanism->drive[k]) || drive_passive(&mechanism->drive[k].def);
    }
    for (uint32_t k = 0; k < mechanism->wrench_count; k++) {
        passive &= mechanism->wrench[k].gone;
    }
    for (uint32_t k = 0; k < mechanism->body_count; k++) {
        passive &= mechanism->body[k].gone || mechanism->body[k].def.kind != AFX_BODY_KINEMATIC;
    }
    return passive;
}

bool mechanism_may_be_infeasible(const Mechanism *mechanism) {
    uint32_t exact = 0;
    bool bound = mechanism->contact; /* what is pressed against the ground by an exact drive */
    for (uint32_t k = 0; k < mechanism->drive_count; k++) {
        AfxDriveKind kind = mechanism->drive[k].def.kind;
        if (acts(mechanism, &mechanism->drive[k])) {
            exact += kind == AFX_DRIVE_POSITION || kind == AFX_DRIVE_VELOCITY;
            bound |= kind == AFX_DRIVE_LIMIT;
        }
    }
    for (uint32_t k = 0; k < mechanism->coupling_count; k++) {
        exact += !mechanism->coupling[k].gone && mechanism->coupling[k].def.compliance == 0;
    }
    for (uint32_t k = 0; k < mechanism->body_count; k++) {
        exact += !mechanism->body[k].gone && mechanism->body[k].def.kind == AFX_BODY_KINEMATIC;
    }
    for (uint32_t k = 0; k < mechanism->joint_count; k++) {
        bound |= !mechanism->joint[k].gone && mechanism->joint[k].closes;
    }
    return exact && (bound || exact > 1);
}

bool mechanism_smooth(const Mechanism *mechanism) {
    bool smooth = !mechanism->contact;
    for (uint32_t k = 0; k < mechanism->drive_count; k++) {
        const PartDrive *drive = &mechanism->drive[k];
        bool rough = drive->def.kind == AFX_DRIVE_LIMIT || drive->def.kind == AFX_DRIVE_FRICTION ||
                     (drive->def.kind == AFX_DRIVE_SERVO && isfinite(drive->def.effort));
        smooth &= !acts(mechanism, drive) || !rough;
    }
    return smooth;
}
