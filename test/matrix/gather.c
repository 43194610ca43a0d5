/* SPDX-License-Identifier: Apache-2.0 */
#include "gather.h"

#include "tests.h"

#define MATERIALS_MOST 8u
#define BITS 32u

typedef struct Copy {
    AfxScene *to;
    const AfxScene *from;
    AfxVec3 shift;
    AfxMaterialId material[MATERIALS_MOST];
    uint32_t bit[BITS]; /* that each bit of groups and masks has become; 0: not used yet */
    uint32_t *bits;
    uint32_t body, joint;
} Copy;

static const AfxVec3 common_gravity = {0, 0, -9.81};

static AfxVec3 moved(const Copy *copy, AfxVec3 point) {
    return (AfxVec3){point.x + copy->shift.x, point.y + copy->shift.y, point.z + copy->shift.z};
}

static AfxBodyId body_of(const Copy *copy, AfxBodyId body) {
    return body.index == UINT32_MAX ? body : afx_scene_body(copy->to, copy->body + body.index);
}

static AfxJointId joint_of(const Copy *copy, AfxJointId joint) {
    return afx_scene_joint(copy->to, copy->joint + joint.index);
}

AfxScene *gather_begin(void) {
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    def.gravity = common_gravity;
    assert_ok(afx_scene_create(&def, &scene));
    assert_ok(afx_scene_set_contact(scene, false));
    return scene;
}

static void copy_materials(Copy *copy) {
    uint32_t count = afx_scene_material_count(copy->from), pairs = afx_scene_material_pair_count(copy->from);
    AfxMaterialDef def;
    assert_true(count <= MATERIALS_MOST);
    for (uint32_t k = 0; k < count; k++) {
        assert_ok(afx_scene_get_material(copy->from, afx_scene_material(copy->from, k), &def));
        def.name = NULL;
        assert_ok(afx_scene_add_material(copy->to, &def, &copy->material[k]));
    }
    for (uint32_t k = 0; k < pairs; k++) {
        AfxMaterialId a, b;
        assert_ok(afx_scene_get_material_pair(copy->from, k, &a, &b, &def));
        assert_ok(afx_scene_set_material_pair(copy->to, copy->material[a.index], copy->material[b.index], &def));
    }
}

/* Bits that no other part has; none where the scene has no contact. */
static uint32_t own_bits(Copy *copy, uint32_t bits) {
    uint32_t own = 0;
    for (uint32_t k = 0; k < BITS && afx_scene_contact(copy->from); k++) {
        if (bits & (1u << k)) {
            if (!copy->bit[k]) {
                assert_true(*copy->bits < BITS);
                copy->bit[k] = 1u << (*copy->bits)++;
            }
            own |= copy->bit[k];
        }
    }
    return own;
}

static void copy_shapes(Copy *copy, AfxBodyId from, AfxBodyId to) {
    uint32_t count = afx_scene_shape_count(copy->from, from);
    for (uint32_t k = 0; k < count; k++) {
        AfxShapeDef def;
        assert_ok(afx_scene_get_shape(copy->from, from, k, &def));
        def.material = copy->material[def.material.index];
        def.contact_group = own_bits(copy, def.contact_group);
        def.contact_mask = own_bits(copy, def.contact_mask);
        assert_ok(afx_scene_add_shape(copy->to, to, &def));
    }
}

/* What gravity there was, as a force at the centre of mass. */
static void add_weight(const Copy *copy, AfxBodyId body, AfxVec3 gravity) {
    AfxWrenchDef def = afx_default_wrench();
    AfxWrenchId id;
    AfxMass mass;
    assert_ok(afx_scene_body_mass(copy->to, body, &mass));
    def.body = body;
    def.point = mass.center;
    def.force = (AfxVec3){mass.mass * gravity.x, mass.mass * gravity.y, mass.mass * gravity.z};
    assert_ok(afx_scene_add_wrench(copy->to, &def, &id));
}

static void copy_body(Copy *copy, uint32_t index) {
    AfxVec3 gravity = afx_scene_gravity(copy->from);
    bool other = memcmp(&gravity, &common_gravity, sizeof gravity) != 0;
    AfxBodyId from = afx_scene_body(copy->from, index), to;
    AfxBodyDef def;
    assert_ok(afx_scene_get_body(copy->from, from, &def));
    bool heavy =
        def.kind == AFX_BODY_DYNAMIC && def.gravity && other && (gravity.x != 0 || gravity.y != 0 || gravity.z != 0);
    def.name = NULL;
    def.pose.position = moved(copy, def.pose.position);
    def.gravity &= !other;
    assert_ok(afx_scene_add_body(copy->to, &def, &to));
    copy_shapes(copy, from, to);
    if (heavy) {
        add_weight(copy, to, gravity);
    }
}

static void copy_joint(Copy *copy, uint32_t index) {
    AfxJointDef def;
    AfxJointId id;
    assert_ok(afx_scene_get_joint(copy->from, afx_scene_joint(copy->from, index), &def));
    if (def.base.index == UINT32_MAX) {
        def.base_frame.position = moved(copy, def.base_frame.position);
    }
    if (def.follower.index == UINT32_MAX) {
        def.follower_frame.position = moved(copy, def.follower_frame.position);
    }
    def.base = body_of(copy, def.base);
    def.follower = body_of(copy, def.follower);
    def.name = NULL;
    assert_ok(afx_scene_add_joint(copy->to, &def, &id));
}

static void copy_drive(Copy *copy, uint32_t index) {
    AfxDriveDef def;
    AfxDriveId id;
    assert_ok(afx_scene_get_drive(copy->from, index, &def));
    def.joint = joint_of(copy, def.joint);
    def.name = NULL;
    assert_ok(afx_scene_add_drive(copy->to, &def, &id));
}

static void copy_coupling(Copy *copy, uint32_t index) {
    AfxCouplingDef def;
    AfxCouplingId id;
    assert_ok(afx_scene_get_coupling(copy->from, index, &def));
    for (uint32_t k = 0; k < def.term_count; k++) {
        def.joint[k] = joint_of(copy, def.joint[k]);
    }
    def.name = NULL;
    assert_ok(afx_scene_add_coupling(copy->to, &def, &id));
}

static void copy_spring(Copy *copy, uint32_t index) {
    AfxSpringDef def;
    AfxSpringId id;
    assert_ok(afx_scene_get_spring(copy->from, index, &def));
    def.point_a = def.body_a.index == UINT32_MAX ? moved(copy, def.point_a) : def.point_a;
    def.point_b = def.body_b.index == UINT32_MAX ? moved(copy, def.point_b) : def.point_b;
    def.body_a = body_of(copy, def.body_a);
    def.body_b = body_of(copy, def.body_b);
    def.name = NULL;
    assert_ok(afx_scene_add_spring(copy->to, &def, &id));
}

static void copy_rest(Copy *copy) {
    uint32_t wrenches = afx_scene_wrench_count(copy->from), exclusions = afx_scene_exclusion_count(copy->from);
    for (uint32_t k = 0; k < wrenches; k++) {
        AfxWrenchDef def;
        AfxWrenchId id;
        assert_ok(afx_scene_get_wrench(copy->from, k, &def));
        def.body = body_of(copy, def.body);
        assert_ok(afx_scene_add_wrench(copy->to, &def, &id));
    }
    for (uint32_t k = 0; k < exclusions; k++) {
        AfxBodyId a, b;
        assert_ok(afx_scene_get_exclusion(copy->from, k, &a, &b));
        assert_ok(afx_scene_exclude_contact(copy->to, body_of(copy, a), body_of(copy, b)));
    }
}

GatherPart gather_add(AfxScene *to, const AfxScene *from, AfxVec3 shift, uint32_t *bit) {
    Copy copy = {.to = to, .from = from, .shift = shift, .bits = bit};
    GatherPart part = {.body = afx_scene_body_count(to),
                       .bodies = afx_scene_body_count(from),
                       .joint = afx_scene_joint_count(to),
                       .joints = afx_scene_joint_count(from),
                       .drive = afx_scene_drive_count(to),
                       .drives = afx_scene_drive_count(from)};
    copy.body = part.body;
    copy.joint = part.joint;
    if (afx_scene_contact(from)) {
        assert_ok(afx_scene_set_contact(to, true));
    }
    copy_materials(&copy);
    for (uint32_t k = 0; k < part.bodies; k++) {
        copy_body(&copy, k);
    }
    for (uint32_t k = 0; k < part.joints; k++) {
        copy_joint(&copy, k);
    }
    for (uint32_t k = 0; k < part.drives; k++) {
        copy_drive(&copy, k);
    }
    for (uint32_t k = 0; k < afx_scene_coupling_count(from); k++) {
        copy_coupling(&copy, k);
    }
    for (uint32_t k = 0; k < afx_scene_spring_count(from); k++) {
        copy_spring(&copy, k);
    }
    copy_rest(&copy);
    return part;
}

/* ---- what can be asked ---- */

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash ^= word + 0x9e3779b97f4a7c15ull;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ull;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebull;
    return hash ^ (hash >> 31);
}

static uint64_t mix_numbers(uint64_t hash, const double *values, size_t count) {
    for (size_t k = 0; k < count; k++) {
        uint64_t word;
        memcpy(&word, values + k, sizeof word);
        hash = mix(hash, word);
    }
    return hash;
}

/* The order in which contacts are listed is not a value: their hashes are added. */
static uint64_t mix_contacts(const AfxSim *sim, const GatherPart *part, uint64_t hash) {
    uint64_t sum = 0, count = 0;
    for (uint32_t k = 0; k < afx_sim_contact_count(sim); k++) {
        AfxContact at;
        assert_ok(afx_sim_contact(sim, k, &at));
        if (at.body_a - part->body < part->bodies) {
            const double numbers[] = {at.point.x,    at.point.y,  at.point.z,  at.normal.x,   at.normal.y,
                                      at.normal.z,   at.depth,    at.force,    at.friction.x, at.friction.y,
                                      at.friction.z, at.moment.x, at.moment.y, at.moment.z};
            uint64_t one = mix(mix(at.body_a - part->body, at.body_b - part->body), at.sliding);
            assert_true(at.body_b - part->body < part->bodies);
            sum += mix_numbers(one, numbers, COUNT(numbers));
            count++;
        }
    }
    return mix(mix(hash, sum), count);
}

uint64_t gather_hash(const AfxSim *sim, const GatherPart *part, uint64_t hash) {
    size_t from = (size_t)12 * part->body, count = (size_t)12 * part->bodies;
    hash = mix_numbers(hash, afx_sim_coordinates(sim) + from, count);
    hash = mix_numbers(hash, afx_sim_velocities(sim) + from, count);
    for (uint32_t k = part->joint; k < part->joint + part->joints; k++) {
        AfxWrench reaction;
        assert_ok(afx_sim_joint_reaction(sim, k, &reaction));
        hash = mix_numbers(hash, &reaction.force.x, 3);
        hash = mix_numbers(hash, &reaction.torque.x, 3);
    }
    for (uint32_t k = part->drive; k < part->drive + part->drives; k++) {
        double effort;
        assert_ok(afx_sim_drive_effort(sim, k, &effort));
        hash = mix_numbers(hash, &effort, 1);
    }
    return mix_contacts(sim, part, hash);
}
