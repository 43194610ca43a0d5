/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes are placed by the bodies' poses after every step, and every pair that the rules of affix/contact.h allow is
 * measured. Two round shapes passed through each other when their axes, whose ends go straight from one step to the
 * next, came closer than half of the sum of their radii. For a polytope it is enough that none moves by half of its
 * thickness in a step: it is then seen inside of what it goes through. */
#include "crowd.h"
#include "scale.h"
#include "support/check.h"
#include "support/rigid_reference.h"
#include "support/sim.h"
#include "tests.h"

#include <stdlib.h>
#include <string.h>

static AfxVec3 placed(AfxPose pose, AfxVec3 point) {
    return v3_add(pose.position, q_rotate(pose.rotation, point));
}

static void *room(size_t count, size_t size) {
    void *block = calloc(count + 1, size);
    assert_non_null(block);
    return block;
}

/* ---- shapes ---- */

/* The sphere about the middle of a hull's vertices. */
static void bound_hull(CrowdShape *shape) {
    const ApartHull *hull = &shape->hull;
    for (uint32_t k = 0; k < hull->point_count; ++k) {
        shape->centre = v3_add(shape->centre, v3_scale(1.0 / hull->point_count, hull->points[k]));
    }
    for (uint32_t k = 0; k < hull->point_count; ++k) {
        shape->size = fmax(shape->size, v3_distance(shape->centre, hull->points[k]));
    }
}

static void set_box(CrowdShape *shape, const AfxShapeDef *def) {
    AfxVec3 corners[8], half = def->half_extents;
    for (int k = 0; k < 8; ++k) {
        AfxVec3 corner = {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
        corners[k] = placed(def->pose, corner);
    }
    shape->kind = CROWD_HULL;
    shape->hull = apart_hull(corners, 8);
    bound_hull(shape);
}

static void set_convex(CrowdShape *shape, const AfxShapeDef *def) {
    AfxVec3 points[APART_POINTS];
    assert_true(def->vertex_count <= APART_POINTS);
    for (uint32_t k = 0; k < def->vertex_count; ++k) {
        const double *vertex = &def->vertices[(size_t)3 * k];
        points[k] = placed(def->pose, v3(vertex[0], vertex[1], vertex[2]));
    }
    shape->kind = CROWD_HULL;
    shape->hull = apart_hull(points, def->vertex_count);
    bound_hull(shape);
}

static void set_round(CrowdShape *shape, const AfxShapeDef *def) {
    double half = def->kind == AFX_SHAPE_CAPSULE ? def->length / 2 : 0;
    shape->kind = CROWD_ROUND;
    shape->radius = def->radius;
    shape->size = def->radius + half;
    shape->centre = def->pose.position;
    shape->segment.ends[0] = placed(def->pose, v3(0, 0, -half));
    shape->segment.ends[1] = placed(def->pose, v3(0, 0, half));
}

static CrowdShape shape_of(uint32_t body, const AfxShapeDef *def) {
    CrowdShape shape = {.body = body, .group = def->contact_group, .mask = def->contact_mask};
    if (def->kind == AFX_SHAPE_BOX) {
        set_box(&shape, def);
    } else if (def->kind == AFX_SHAPE_CONVEX) {
        set_convex(&shape, def);
    } else if (def->kind == AFX_SHAPE_PLANE) {
        shape.kind = CROWD_PLANE;
        shape.centre = def->pose.position;
        shape.up = q_rotate(def->pose.rotation, v3(0, 0, 1));
    } else {
        assert_true(def->kind == AFX_SHAPE_SPHERE || def->kind == AFX_SHAPE_CAPSULE);
        set_round(&shape, def);
    }
    return shape;
}

static CrowdShape shape_placed(const CrowdShape *own, AfxPose pose) {
    CrowdShape shape = *own;
    shape.centre = placed(pose, own->centre);
    if (own->kind == CROWD_PLANE) {
        shape.up = q_rotate(pose.rotation, own->up);
    } else if (own->kind == CROWD_HULL) {
        shape.hull = apart_hull_placed(&own->hull, pose);
    } else {
        shape.segment.ends[0] = placed(pose, own->segment.ends[0]);
        shape.segment.ends[1] = placed(pose, own->segment.ends[1]);
    }
    return shape;
}

static void read_shapes(Crowd *crowd) {
    uint32_t count = 0;
    for (uint32_t body = 0; body < crowd->body_count; ++body) {
        count += afx_scene_shape_count(crowd->scene, afx_scene_body(crowd->scene, body));
    }
    crowd->own = room(count, sizeof(CrowdShape));
    crowd->before = room(count, sizeof(CrowdShape));
    crowd->after = room(count, sizeof(CrowdShape));
    for (uint32_t body = 0; body < crowd->body_count; ++body) {
        AfxBodyId id = afx_scene_body(crowd->scene, body);
        for (uint32_t k = 0; k < afx_scene_shape_count(crowd->scene, id); ++k) {
            AfxShapeDef def;
            assert_ok(afx_scene_get_shape(crowd->scene, id, k, &def));
            if (!def.visual) {
                crowd->own[crowd->shape_count++] = shape_of(body, &def);
            }
        }
    }
}

/* ---- pairs ---- */

/* [bodies * bodies]: whether a joint or an exclusion keeps two bodies from touching. */
static bool *read_ties(const Crowd *crowd) {
    uint32_t count = crowd->body_count;
    bool *tied = room((size_t)count * count, sizeof(bool));
    for (uint32_t k = 0; k < afx_scene_joint_count(crowd->scene); ++k) {
        AfxJointDef joint;
        assert_ok(afx_scene_get_joint(crowd->scene, afx_scene_joint(crowd->scene, k), &joint));
        if (!joint.contact && joint.base.index < count && joint.follower.index < count) {
            tied[(size_t)joint.base.index * count + joint.follower.index] = true;
            tied[(size_t)joint.follower.index * count + joint.base.index] = true;
        }
    }
    for (uint32_t k = 0; k < afx_scene_exclusion_count(crowd->scene); ++k) {
        AfxBodyId a, b;
        assert_ok(afx_scene_get_exclusion(crowd->scene, k, &a, &b));
        tied[(size_t)a.index * count + b.index] = true;
        tied[(size_t)b.index * count + a.index] = true;
    }
    return tied;
}

static bool may_touch(const Crowd *crowd, const bool *tied, const CrowdShape *a, const CrowdShape *b) {
    return a->body != b->body && ((a->group & b->mask) || (b->group & a->mask)) &&
           (afx_model_body_kind(crowd->model, a->body) == AFX_BODY_DYNAMIC ||
            afx_model_body_kind(crowd->model, b->body) == AFX_BODY_DYNAMIC) &&
           !tied[(size_t)a->body * crowd->body_count + b->body];
}

static void read_pairs(Crowd *crowd) {
    bool *tied = read_ties(crowd);
    for (int pass = 0; pass < 2; ++pass) { /* counts, then keeps */
        crowd->pairs = pass ? room(crowd->pair_count, sizeof(CrowdPair)) : NULL;
        crowd->pair_count = 0;
        for (uint32_t a = 0; a < crowd->shape_count; ++a) {
            for (uint32_t b = 0; b < a; ++b) {
                if (!may_touch(crowd, tied, &crowd->own[a], &crowd->own[b])) {
                    continue;
                }
                if (pass) {
                    bool plane = crowd->own[a].kind == CROWD_PLANE;
                    crowd->pairs[crowd->pair_count] = plane ? (CrowdPair){b, a} : (CrowdPair){a, b};
                }
                crowd->pair_count++;
            }
        }
    }
    free(tied);
}

/* ---- steps ---- */

static void place_shapes(Crowd *crowd) {
    assert_ok(afx_sim_poses(crowd->sim, crowd->poses));
    assert_true(sim_finite(crowd->sim));
    for (uint32_t k = 0; k < crowd->shape_count; ++k) {
        crowd->after[k] = shape_placed(&crowd->own[k], crowd->poses[crowd->own[k].body]);
    }
}

/* How far the lowest point of a shape is below a plane. */
static double below(const CrowdShape *shape, const CrowdShape *plane) {
    uint32_t count = shape->kind == CROWD_ROUND ? 2 : shape->hull.point_count;
    const AfxVec3 *points = shape->kind == CROWD_ROUND ? shape->segment.ends : shape->hull.points;
    double lowest = INFINITY;
    for (uint32_t k = 0; k < count; ++k) {
        lowest = fmin(lowest, v3_dot(plane->up, v3_sub(points[k], plane->centre)));
    }
    return shape->radius - lowest;
}

static double depth_of(const CrowdShape *a, const CrowdShape *b) {
    if (b->kind == CROWD_PLANE) {
        return below(a, b);
    }
    if (v3_distance(a->centre, b->centre) > a->size + b->size) {
        return -INFINITY;
    }
    assert_true(a->kind == b->kind); /* a capsule never meets a box in these cases */
    return a->kind == CROWD_HULL ? apart_depth(&a->hull, &b->hull)
                                 : a->radius + b->radius - apart_segments(&a->segment, &b->segment);
}

static bool pair_passed(const Crowd *crowd, CrowdPair pair) {
    const CrowdShape *a[2] = {&crowd->before[pair.a], &crowd->after[pair.a]};
    const CrowdShape *b[2] = {&crowd->before[pair.b], &crowd->after[pair.b]};
    if (a[0]->kind != CROWD_ROUND || b[0]->kind != CROWD_ROUND) {
        return false;
    }
    AfxVec3 way = v3_sub(v3_sub(a[1]->centre, b[1]->centre), v3_sub(a[0]->centre, b[0]->centre));
    if (v3_distance(a[0]->centre, b[0]->centre) > a[0]->size + b[0]->size + v3_norm(way)) {
        return false;
    }
    return apart_pass((ApartSegment[2]){a[0]->segment, b[0]->segment}, (ApartSegment[2]){a[1]->segment, b[1]->segment},
                      0.5 * (a[0]->radius + b[0]->radius));
}

static void check_hulls(const Crowd *crowd) {
    for (uint32_t k = 0; k < crowd->shape_count; ++k) {
        const ApartHull *before = &crowd->before[k].hull, *after = &crowd->after[k].hull;
        for (uint32_t j = 0; crowd->own[k].kind == CROWD_HULL && j < before->point_count; ++j) {
            assert_below(v3_distance(before->points[j], after->points[j]), 0.5 * apart_thickness(after));
        }
    }
}

static void keep_worst(CrowdWorst *worst, double value, const Crowd *crowd, CrowdPair pair) {
    if (!(value <= worst->value)) {
        *worst = (CrowdWorst){value, crowd->own[pair.a].body, crowd->own[pair.b].body, afx_sim_time(crowd->sim)};
    }
}

static void look(Crowd *crowd, bool stepped) {
    for (uint32_t k = 0; k < crowd->pair_count; ++k) {
        CrowdPair pair = crowd->pairs[k];
        keep_worst(&crowd->depth, depth_of(&crowd->after[pair.a], &crowd->after[pair.b]), crowd, pair);
        if (stepped && pair_passed(crowd, pair)) {
            keep_worst(&crowd->passed, 1, crowd, pair);
        }
    }
}

Crowd crowd_start(const char *name, const char *arguments) {
    Crowd crowd = {.scene = scale_scene(name, arguments), .depth = {.value = -INFINITY}};
    AfxSimDef def = afx_default_sim();
    def.dt = afxi_case_find(name)->dt;
    sim_start(crowd.scene, &crowd.model, &crowd.sim, &def);
    assert_true(afx_scene_contact(crowd.scene));
    crowd.body_count = afx_scene_body_count(crowd.scene);
    crowd.poses = room(crowd.body_count, sizeof(AfxPose));
    crowd.poses_before = room(crowd.body_count, sizeof(AfxPose));
    read_shapes(&crowd);
    read_pairs(&crowd);
    place_shapes(&crowd);
    look(&crowd, false);
    crowd_energy_start(&crowd);
    return crowd;
}

AfxStepReport crowd_step(Crowd *crowd) {
    AfxStepReport report;
    CrowdShape *shapes = crowd->before;
    crowd->before = crowd->after;
    crowd->after = shapes;
    memcpy(crowd->poses_before, crowd->poses, crowd->body_count * sizeof(AfxPose));
    assert_ok(afx_step(crowd->sim, &report));
    place_shapes(crowd);
    look(crowd, true);
    check_hulls(crowd);
    crowd_energy_step(crowd);
    return report;
}

void crowd_finish(Crowd *crowd) {
    free(crowd->own);
    free(crowd->before);
    free(crowd->after);
    free(crowd->pairs);
    free(crowd->poses);
    free(crowd->poses_before);
    free(crowd->efforts);
    free(crowd->values);
    free(crowd->forces);
    afx_sim_destroy(crowd->sim);
    afx_model_destroy(crowd->model);
    afx_scene_destroy(crowd->scene);
}
