/* SPDX-License-Identifier: Apache-2.0 */
/* Random scenes of many joints. Joints are placed between their bodies as these stand, so that all hold. */
#include "random_graph.h"

#define BODIES_MOST 256u

typedef struct Builder {
    Rig rig;
    AfxBodyId body[BODIES_MOST];
    AfxVec3 at[BODIES_MOST];
    uint32_t count;
    AfxJointId hinge[BODIES_MOST];
    uint32_t hinge_count;
    double young;
    uint64_t *seed;
} Builder;

static uint32_t pick(Builder *b, uint32_t low, uint32_t high) {
    return low + (uint32_t)((high - low + 1) * random_unit(b->seed));
}

static uint32_t add_body(Builder *b, AfxVec3 at) {
    AfxBodyDef def = rigid_def(0.5 + random_unit(b->seed), 0.02 + 0.02 * random_unit(b->seed), 0.03, 0.04);
    assert_true(b->count < BODIES_MOST);
    def.young = b->young;
    def.pose = (AfxPose){at, random_quat(b->seed)};
    b->at[b->count] = at;
    b->body[b->count] = rig_body(&b->rig, &def);
    return b->count++;
}

static uint32_t add_fixed(Builder *b, AfxVec3 at) {
    AfxBodyDef def = afx_default_body();
    def.kind = AFX_BODY_FIXED;
    def.pose = (AfxPose){at, random_quat(b->seed)};
    b->at[b->count] = at;
    b->body[b->count] = rig_body(&b->rig, &def);
    return b->count++;
}

/* A joint of that kind in the middle of two bodies, or near one to the world (base UINT32_MAX). */
static AfxJointId join(Builder *b, AfxJointKind kind, uint32_t base, uint32_t follower) {
    AfxVec3 other = base == UINT32_MAX ? v3_add(b->at[follower], random_vec3(b->seed, 0.5)) : b->at[base];
    AfxPose frame = {v3_scale(0.5, v3_add(other, b->at[follower])), random_quat(b->seed)};
    AfxBodyId from = base == UINT32_MAX ? afx_world() : b->body[base];
    AfxJointId joint = rig_joint(&b->rig, kind, from, b->body[follower], frame);
    if (kind == AFX_JOINT_REVOLUTE && b->hinge_count < BODIES_MOST) {
        b->hinge[b->hinge_count++] = joint;
    }
    return joint;
}

static AfxJointKind any_kind(Builder *b) {
    static const AfxJointKind kinds[] = {AFX_JOINT_SPHERICAL, AFX_JOINT_REVOLUTE,   AFX_JOINT_UNIVERSAL,
                                         AFX_JOINT_FIXED,     AFX_JOINT_PRISMATIC,  AFX_JOINT_SPHERICAL,
                                         AFX_JOINT_REVOLUTE,  AFX_JOINT_CYLINDRICAL};
    return kinds[pick(b, 0, COUNT(kinds) - 1)];
}

static AfxVec3 beside(Builder *b, uint32_t body) {
    AfxVec3 way = random_vec3(b->seed, 1);
    return v3_add(b->at[body], v3_scale(1 / (0.2 + v3_norm(way)), way));
}

static void add_tree(Builder *b, uint32_t bodies, bool balls) {
    uint32_t first = b->count;
    add_body(b, random_vec3(b->seed, 3));
    if (random_unit(b->seed) < 0.7) {
        join(b, balls ? AFX_JOINT_SPHERICAL : any_kind(b), UINT32_MAX, first);
    }
    for (uint32_t k = 1; k < bodies; k++) {
        uint32_t base = pick(b, first, b->count - 1), body = add_body(b, beside(b, base));
        join(b, balls ? AFX_JOINT_SPHERICAL : any_kind(b), base, body);
    }
}

static void add_chain(Builder *b, uint32_t links, int ends) {
    AfxVec3 at = random_vec3(b->seed, 5);
    uint32_t first = b->count;
    for (uint32_t k = 0; k < links; k++) {
        at = v3_add(at, v3(0.3, 0.1 * random_unit(b->seed), 0.1 * random_unit(b->seed)));
        add_body(b, at);
        if (k) {
            join(b, AFX_JOINT_SPHERICAL, b->count - 2, b->count - 1);
        }
    }
    if (ends > 0) {
        join(b, AFX_JOINT_SPHERICAL, UINT32_MAX, first);
    }
    if (ends > 1) {
        join(b, AFX_JOINT_SPHERICAL, UINT32_MAX, b->count - 1);
    }
}

static void add_ring(Builder *b, uint32_t bodies, uint32_t tail) {
    uint32_t first = b->count;
    for (uint32_t k = 0; k < bodies; k++) {
        double angle = 2 * PI * k / bodies;
        add_body(b, v3(2 * cos(angle), 2 * sin(angle), 0.3 * random_unit(b->seed)));
        if (k) {
            join(b, any_kind(b), b->count - 2, b->count - 1);
        }
    }
    join(b, AFX_JOINT_SPHERICAL, b->count - 1, first);
    for (uint32_t k = 0; k < tail; k++) {
        uint32_t body = add_body(b, beside(b, b->count - 1));
        join(b, any_kind(b), body - 1, body);
    }
    if (random_unit(b->seed) < 0.5) {
        join(b, AFX_JOINT_SPHERICAL, UINT32_MAX, first);
    }
}

static void add_arms(Builder *b, uint32_t hub, uint32_t arms) {
    for (uint32_t k = 0; k < arms; k++) {
        uint32_t body = add_body(b, beside(b, hub));
        join(b, any_kind(b), hub, body);
        if (k % 7 == 3) {
            uint32_t end = add_body(b, beside(b, body));
            join(b, any_kind(b), body, end);
        }
    }
}

static void add_hubs(Builder *b) {
    uint32_t hub = add_body(b, v3(0, 0, 0));
    add_arms(b, hub, pick(b, 60, 75));
    if (random_unit(b->seed) < 0.5) {
        uint32_t second = add_body(b, v3(4, 0, 0));
        add_arms(b, second, pick(b, 17, 30));
        join(b, random_unit(b->seed) < 0.5 ? AFX_JOINT_REVOLUTE : AFX_JOINT_SPHERICAL, hub, second);
    }
    if (random_unit(b->seed) < 0.5) {
        join(b, AFX_JOINT_SPHERICAL, UINT32_MAX, random_unit(b->seed) < 0.5 ? hub : b->count - 1);
    }
}

static void add_grid(Builder *b, uint32_t wide, uint32_t high) {
    uint32_t first = b->count;
    for (uint32_t y = 0; y < high; y++) {
        for (uint32_t x = 0; x < wide; x++) {
            uint32_t body = add_body(b, v3_add(v3(x, y, 0), random_vec3(b->seed, 0.2)));
            if (x) {
                join(b, AFX_JOINT_SPHERICAL, body - 1, body);
            }
            if (y) {
                join(b, AFX_JOINT_SPHERICAL, body - wide, body);
            }
        }
    }
    join(b, AFX_JOINT_SPHERICAL, UINT32_MAX, first);
}

static void add_spring(Builder *b) {
    AfxSpringDef def = afx_default_spring();
    AfxSpringId id;
    uint32_t x = pick(b, 0, b->count - 1), y = pick(b, 0, b->count - 1);
    def.body_a = b->body[x];
    def.body_b = x == y ? afx_world() : b->body[y];
    def.point_a = random_vec3(b->seed, 0.1);
    def.rest_length = 0.5;
    def.stiffness = 50;
    def.damping = 0.5;
    AfxStatus status = afx_scene_add_spring(b->rig.scene, &def, &id);
    assert_true(status == AFX_OK || status == AFX_E_INPUT); /* between two bodies that stand still */
}

static void add_extras(Builder *b) {
    for (uint32_t k = pick(b, 0, 2); k > 0; k--) {
        add_spring(b);
    }
    if (b->hinge_count >= 2) {
        AfxCouplingDef def = afx_default_coupling();
        AfxCouplingId id;
        def.term_count = b->hinge_count >= 3 ? pick(b, 2, 3) : 2;
        for (uint32_t k = 0; k < def.term_count; k++) {
            def.joint[k] = b->hinge[k];
            def.factor[k] = 0.5 + random_unit(b->seed);
        }
        def.compliance = random_unit(b->seed) < 0.5 ? 0 : 1e-3;
        assert_ok(afx_scene_add_coupling(b->rig.scene, &def, &id));
        AfxDriveDef drive = afx_default_drive(AFX_DRIVE_SPRING);
        AfxDriveId drive_id;
        drive.joint = b->hinge[b->hinge_count - 1];
        drive.stiffness = 3;
        drive.rest = 0.5;
        assert_ok(afx_scene_add_drive(b->rig.scene, &drive, &drive_id));
    }
}

static void add_parts(Builder *b) {
    for (uint32_t k = 0; k < 3; k++) {
        add_tree(b, pick(b, 1, 8), false);
        add_body(b, random_vec3(b->seed, 5));
        add_chain(b, pick(b, 8, 12), (int)k);
    }
    add_ring(b, pick(b, 4, 6), 0);
    add_fixed(b, random_vec3(b->seed, 5));
}

Rig random_graph(GraphForm form, bool extras, uint64_t *seed) {
    static Builder b; /* large */
    memset(&b, 0, sizeof b);
    b.seed = seed;
    b.rig = rig_make(v3(1, -2, -9.81));
    b.young = form == GRAPH_RING || form == GRAPH_MESH || form == GRAPH_PARTS ? 1e5 : INFINITY;
    switch (form) {
    case GRAPH_RING:
        add_ring(&b, pick(&b, 4, 12), pick(&b, 0, 4));
        break;
    case GRAPH_HUB:
        add_hubs(&b);
        break;
    case GRAPH_GRID:
        add_grid(&b, pick(&b, 2, 5), pick(&b, 2, 5));
        break;
    case GRAPH_PARTS:
        add_parts(&b);
        break;
    case GRAPH_BALLS:
        for (uint32_t k = pick(&b, 1, 3); k > 0; k--) {
            add_chain(&b, pick(&b, 8, 40), (int)pick(&b, 0, 2));
        }
        break;
    default:
        add_tree(&b, pick(&b, 5, 25), false);
        if (form == GRAPH_TREE) {
            uint32_t fixed = add_fixed(&b, beside(&b, 0));
            uint32_t body = add_body(&b, beside(&b, fixed));
            join(&b, any_kind(&b), fixed, body);
        }
        for (uint32_t k = form == GRAPH_MESH ? pick(&b, 1, 4) : 0; k > 0; k--) {
            join(&b, AFX_JOINT_SPHERICAL, pick(&b, 0, b.count / 2 - 1), pick(&b, b.count / 2, b.count - 1));
        }
    }
    if (extras) {
        add_extras(&b);
    }
    return b.rig;
}

/* Coordinates of one joint hold together, or one of them is locked. */
static void couple_within(Builder *b, AfxJointId joint, uint32_t axes, uint32_t trial) {
    AfxCouplingDef def = afx_default_coupling();
    AfxCouplingId id;
    def.term_count = 1 + trial % axes;
    for (uint32_t k = 0; k < def.term_count; k++) {
        def.joint[k] = joint;
        def.axis[k] = (trial + k) % axes;
        def.factor[k] = (k % 2 ? -1 : 1) * (0.3 + random_unit(b->seed));
    }
    def.compliance = trial % 3 == 2 ? 1e-3 : 0;
    assert_ok(afx_scene_add_coupling(b->rig.scene, &def, &id));
}

Rig random_coupled_tree(uint64_t *seed) {
    static const struct {
        AfxJointKind kind;
        uint32_t axes;
    } kinds[] = {{AFX_JOINT_CYLINDRICAL, 2}, {AFX_JOINT_UNIVERSAL, 2}, {AFX_JOINT_PLANAR, 3},
                 {AFX_JOINT_RECTANGULAR, 2}, {AFX_JOINT_CARTESIAN, 3}, {AFX_JOINT_PIN_IN_SLOT, 2}};
    static Builder b; /* large */
    memset(&b, 0, sizeof b);
    b.seed = seed;
    b.rig = rig_make(v3(1, -2, -9.81));
    b.young = random_unit(seed) < 0.5 ? INFINITY : 1e5;
    uint32_t bodies = pick(&b, 3, 9), shift = pick(&b, 0, COUNT(kinds) - 1);
    for (uint32_t k = 0; k < bodies; k++) {
        uint32_t base = k ? pick(&b, 0, b.count - 1) : UINT32_MAX, sort = (k + shift) % COUNT(kinds);
        uint32_t body = add_body(&b, k ? beside(&b, base) : v3(0, 0, 0));
        couple_within(&b, join(&b, kinds[sort].kind, base, body), kinds[sort].axes, k + shift);
    }
    return b.rig;
}

AfxModel *graph_model(const Rig *rig, AfxSolver solver) {
    AfxModelDef def = afx_default_model();
    AfxModel *model = NULL;
    AfxError error;
    def.solver = solver;
    AfxStatus status = afx_model_create_with(rig->scene, &def, &model, &error);
    if (solver == AFX_SOLVER_TREE && status == AFX_E_INPUT) {
        assert_non_null(strstr(error.text, "loops"));
        assert_null(model);
        return NULL;
    }
    assert_ok(status);
    return model;
}
