/* SPDX-License-Identifier: Apache-2.0 */
/* From a scene and a sim to what acts on bodies and joints. */
#include "dense_inner.h"

#include <math.h>

#include "tests.h"

static uint32_t end_of(DenseElement *element, uint32_t body) {
    for (uint32_t k = 0; k < element->ends; k++) {
        if (element->body[k] == body) {
            return k;
        }
    }
    assert_true(element->ends < DENSE_ENDS_MOST);
    element->body[element->ends] = body;
    return element->ends++;
}

static void add_term(DenseReader *reader, DenseElement *element, uint32_t joint, uint32_t axis, double factor) {
    DenseTerm *term = &element->term[element->term_count++];
    term->joint = &reader->dense->joint[joint];
    term->axis = axis;
    term->factor = factor;
    term->at_a = end_of(element, term->joint->a);
    term->at_b = end_of(element, term->joint->b);
}

static void make_exact(DenseElement *element, double target) {
    element->kind = DENSE_EXACT;
    element->rows = 1;
    element->target = target;
}

static void make_given(DenseElement *element, double force) {
    element->kind = DENSE_GIVEN;
    element->target = force;
}

/* Laws with branches take the one that the sim's state is on; the check afterwards is the caller's. */
static void set_law(DenseReader *reader, const AfxDriveDef *def, const double *n, DenseElement *element) {
    double target = 0, target_rate = 0, x, effort;
    assert_ok(afx_sim_drive_effort(reader->sim, element->drive, &effort));
    if (def->kind < AFX_DRIVE_SPRING) {
        assert_ok(afx_signal_evaluate(&def->target, reader->history->time, &target, &target_rate, NULL));
    }
    assert_ok(afx_sim_joint_coordinate(reader->sim, def->joint.index, def->axis, &x, NULL));
    *element = (DenseElement){.kind = DENSE_LAW,
                              .drive = element->drive,
                              .target = target,
                              .target_rate = target_rate,
                              .stiffness = n[0],
                              .damping = n[1],
                              .effort = n[3]};
    add_term(reader, element, def->joint.index, def->axis, 1);
    switch (def->kind) {
    case AFX_DRIVE_POSITION:
        make_exact(element, target);
        break;
    case AFX_DRIVE_VELOCITY: /* the scenes begin at 0 and have constant rates */
        make_exact(element, target * reader->history->time);
        break;
    case AFX_DRIVE_FORCE:
        make_given(element, target);
        break;
    case AFX_DRIVE_SERVO:
        if (fabs(effort) >= n[3]) {
            make_given(element, copysign(n[3], effort));
        }
        break;
    case AFX_DRIVE_SPRING:
        element->target = n[2];
        element->table[0] = def->spring_table;
        element->table[1] = def->damper_table;
        break;
    case AFX_DRIVE_LIMIT:
        if (x < n[4] + 1e-9 || x > n[5] - 1e-9) {
            make_exact(element, x < n[4] + 1e-9 ? n[4] : n[5]);
        } else {
            make_given(element, 0);
        }
        break;
    case AFX_DRIVE_FRICTION:
        if (fabs(effort) < n[3]) {
            element->kind = DENSE_STICK;
            element->rows = 1;
        } else {
            make_given(element, copysign(n[3], effort));
        }
        break;
    }
}

static void read_drives(DenseReader *reader) {
    for (uint32_t k = 0; k < afx_scene_drive_count(reader->scene); k++) {
        AfxDriveDef def;
        double n[10];
        assert_ok(afx_scene_get_drive(reader->scene, k, &def));
        assert_ok(afx_sim_param(reader->sim, AFX_PARAM_DRIVE, k, n));
        if (afx_sim_joint_active(reader->sim, def.joint.index)) {
            DenseElement *element = dense_add(reader->dense, DENSE_LAW, 0, 0, 0);
            element->drive = k;
            set_law(reader, &def, n, element);
        }
    }
}

static void read_couplings(DenseReader *reader) {
    for (uint32_t k = 0; k < afx_scene_coupling_count(reader->scene); k++) {
        AfxCouplingDef def;
        double n[10];
        assert_ok(afx_scene_get_coupling(reader->scene, k, &def));
        assert_ok(afx_sim_param(reader->sim, AFX_PARAM_COUPLING, k, n));
        assert_true(def.term_count == 2);
        DenseElement *element = dense_add(reader->dense, DENSE_LAW, 0, 0, 0);
        for (uint32_t t = 0; t < 2; t++) {
            add_term(reader, element, def.joint[t].index, def.axis[t], n[t]);
        }
        if (n[9] > 0) {
            element->target = n[8];
            element->stiffness = 1 / n[9];
        } else {
            make_exact(element, n[8]);
        }
    }
}

static void read_springs(DenseReader *reader) {
    for (uint32_t k = 0; k < afx_scene_spring_count(reader->scene); k++) {
        AfxSpringDef def;
        double n[10];
        assert_ok(afx_scene_get_spring(reader->scene, k, &def));
        assert_ok(afx_sim_param(reader->sim, AFX_PARAM_SPRING, k, n));
        uint32_t a = dense_body_index(reader, def.body_a), b = dense_body_index(reader, def.body_b);
        DenseElement *element = dense_add(reader->dense, DENSE_SPRING, 2, a, b);
        dense_point_of(reader, a, def.point_a, element->point[0]);
        dense_point_of(reader, b, def.point_b, element->point[1]);
        element->target = n[0];
        element->stiffness = n[1];
        element->damping = n[2];
        element->table[0] = def.spring_table;
        element->table[1] = def.damper_table;
    }
}

/* Forces in world axes; the time is that of the end of the step. */
static void read_wrenches(DenseReader *reader) {
    for (uint32_t k = 0; k < afx_scene_wrench_count(reader->scene); k++) {
        AfxWrenchDef def;
        assert_ok(afx_scene_get_wrench(reader->scene, k, &def));
        DenseElement *element = dense_add(reader->dense, DENSE_HOLD, 1, dense_body_index(reader, def.body), 0);
        dense_point_of(reader, def.body.index, def.point, element->point[0]);
        dense_store(element->push, def.force);
        for (int e = 0; e < 3; e++) {
            double more;
            assert_ok(afx_signal_evaluate(&def.force_signal[e], reader->history->time, &more, NULL, NULL));
            element->push[e] += more;
        }
    }
}

static void read_hold(DenseReader *reader, const DenseHold *hold) {
    if (hold && hold->body != UINT32_MAX) {
        DenseElement *element = dense_add(reader->dense, DENSE_HOLD, 1, hold->body, 0);
        dense_point_of(reader, hold->body, hold->point, element->point[0]);
        dense_store(element->place, hold->target);
        element->stiffness = hold->stiffness;
        element->damping = hold->damping;
    }
}

/* ---- contact: balls and planes ---- */

static bool ball_of(const DenseReader *reader, uint32_t body, AfxShapeDef *shape) {
    AfxBodyId id = afx_scene_body(reader->scene, body);
    return afx_scene_shape_count(reader->scene, id) > 0 && afx_scene_get_shape(reader->scene, id, 0, shape) == AFX_OK &&
           shape->kind == AFX_SHAPE_SPHERE && reader->dense->body[body].moves;
}

static bool tied(const DenseReader *reader, uint32_t a, uint32_t b) {
    for (uint32_t k = 0; k < reader->dense->joint_count; k++) {
        const DenseJoint *joint = &reader->dense->joint[k];
        if ((joint->a == a && joint->b == b) || (joint->a == b && joint->b == a)) {
            return true;
        }
    }
    return false;
}

static void read_contact_of(DenseReader *reader, uint32_t body, const double *numbers) {
    AfxShapeDef shape, other;
    AfxBodyDef def;
    if (!ball_of(reader, body, &shape)) {
        return;
    }
    for (uint32_t k = 0; k < reader->world; k++) {
        AfxBodyId id = afx_scene_body(reader->scene, k);
        assert_ok(afx_scene_get_body(reader->scene, id, &def));
        bool ground = afx_scene_shape_count(reader->scene, id) > 0 &&
                      afx_scene_get_shape(reader->scene, id, 0, &other) == AFX_OK && other.kind == AFX_SHAPE_PLANE;
        bool pair = k > body && ball_of(reader, k, &other) && !tied(reader, body, k) &&
                    ((shape.contact_group & other.contact_mask) | (other.contact_group & shape.contact_mask));
        if (ground || pair) {
            DenseElement *element =
                dense_add(reader->dense, ground ? DENSE_GROUND : DENSE_PAIR, ground ? 1 : 2, body, k);
            dense_point_of(reader, body, shape.pose.position, element->point[0]);
            dense_point_of(reader, k, other.pose.position, element->point[1]);
            dense_store(element->place, def.pose.position);
            dense_store(element->normal, afx_quat_rotate(def.pose.rotation, (AfxVec3){0, 0, 1}));
            element->radius = shape.radius + (pair ? other.radius : 0);
            element->stiffness = numbers[4];
            element->friction = numbers[0];
        }
    }
}

static void read_contacts(DenseReader *reader) {
    double n[16];
    if (!afx_scene_contact(reader->scene) || afx_sim_param(reader->sim, AFX_PARAM_MATERIAL_PAIR, 0, n) != AFX_OK) {
        return;
    }
    for (uint32_t k = 0; k < reader->world; k++) {
        read_contact_of(reader, k, n);
    }
}

void dense_read_laws(DenseReader *reader, const DenseHold *hold) {
    read_drives(reader);
    read_couplings(reader);
    read_springs(reader);
    read_wrenches(reader);
    read_hold(reader, hold);
    read_contacts(reader);
}
