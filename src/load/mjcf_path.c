/* SPDX-License-Identifier: Apache-2.0 */
/* Spatial tendons as paths of couplings: sites, spheres and cylinders that they wrap around, pulleys; which joints
 * change their length, by how much, and between which bounds. */
#include <math.h>
#include <string.h>

#include "load/mjcf.h"
#include "math/path.h"

/* rad or m, by which a coordinate is moved to see what that changes. */
#define NUDGE 1e-6
/* Samples of a coordinate's range, and rounds over all of them, in the search for the longest and the shortest path. */
#define SAMPLES 9
#define ROUNDS 4

/* ---- items ---- */

static bool read_site(AfxiMjcf *m, AfxiMjcfTendon *t, AfxiXmlNode *child, AfxiMjcfItem *item) {
    const char *name;
    if (!afxi_xml_need(m->load, child, "site", &name)) {
        return false;
    }
    uint32_t index = afxi_mjcf_lookup(&t->scope, &m->site_names, name);
    if (index == AFXI_MJCF_NONE) {
        return afxi_xml_error(m->load, child, "site", "there is no site of this name", "check the spelling");
    }
    item->body = m->sites[index].body;
    item->of.kind = AFX_PATH_POINT;
    item->of.pose = m->sites[index].pose;
    return true;
}

/** A geom to wrap around; the side site must be outside of it, on the same body. */
static bool read_geom(AfxiMjcf *m, AfxiMjcfTendon *t, AfxiXmlNode *child, AfxiMjcfItem *item) {
    const char *name, *side = afxi_xml_text(child, "sidesite");
    if (!afxi_xml_need(m->load, child, "geom", &name)) {
        return false;
    }
    uint32_t index = afxi_mjcf_lookup(&t->scope, &m->geom_names, name);
    uint32_t site = side ? afxi_mjcf_lookup(&t->scope, &m->site_names, side) : AFXI_MJCF_NONE;
    if (index == AFXI_MJCF_NONE || (side && site == AFXI_MJCF_NONE)) {
        return afxi_xml_error(m->load, child, "geom", "there is no geom or site of this name", "check the spelling");
    }
    const AfxiMjcfGeom *geom = m->geoms + index;
    if (geom->type != AFXI_MJCF_SPHERE && geom->type != AFXI_MJCF_CYLINDER) {
        return afxi_xml_error(m->load, child, "geom", "tendons wrap around spheres and cylinders only", "name another");
    }
    item->body = geom->body;
    item->of.kind = geom->type == AFXI_MJCF_SPHERE ? AFX_PATH_SPHERE : AFX_PATH_CYLINDER;
    item->of.pose = geom->pose;
    item->of.radius = geom->size[0];
    if (!side) {
        return true;
    }
    AfxPose from = afx_pose_invert(m->bodies[geom->body].world), place = m->bodies[m->sites[site].body].world;
    item->of.sided = true;
    item->of.side = afx_pose_apply(from, afx_pose_apply(place, m->sites[site].pose.position));
    bool apart = m->bodies[geom->body].group != m->bodies[m->sites[site].body].group;
    return !apart || afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, child, "sidesite",
                                     "the side goes along with the geom, as it is drawn");
}

static bool read_item(AfxiMjcf *m, AfxiMjcfTendon *t, AfxiXmlNode *child, AfxiMjcfItem *item) {
    *item = (AfxiMjcfItem){.of = {.pose = afx_pose_identity(), .divisor = 1}};
    child->used = true;
    if (afxi_xml_is(child, "site")) {
        return read_site(m, t, child, item);
    }
    if (afxi_xml_is(child, "geom")) {
        return read_geom(m, t, child, item);
    }
    item->of.kind = AFX_PATH_PULLEY;
    if (!afxi_xml_number(m->load, child, "divisor", &item->of.divisor)) {
        return false;
    }
    return item->of.divisor > 0 ||
           afxi_xml_error(m->load, child, "divisor", "it is not above 0", "give a number above 0");
}

/* ---- lengths ---- */

static AfxiStop stop_of(const AfxiMjcf *m, const AfxiMjcfItem *item, bool drawn) {
    static const AfxiStopKind kinds[] = {AFXI_STOP_POINT, AFXI_STOP_SPHERE, AFXI_STOP_CYLINDER, AFXI_STOP_PULLEY};
    AfxPose body = drawn ? m->bodies[item->body].world : m->bodies[item->body].start;
    return (AfxiStop){.kind = kinds[item->of.kind],
                      .pose = afx_pose_compose(body, item->of.pose),
                      .radius = item->of.radius,
                      .divisor = item->of.divisor,
                      .sided = item->of.sided,
                      .side = afx_pose_apply(body, item->of.side)};
}

/** The length as drawn, or where the bodies start. */
static double length_of(const AfxiMjcf *m, const AfxiMjcfTendon *t, bool drawn) {
    AfxiStop stops[AFX_PATH_ITEMS];
    AfxiStretch stretches[2 * AFX_PATH_ITEMS];
    uint32_t count;
    for (uint32_t k = 0; k < t->item_count; k++) {
        stops[k] = stop_of(m, &t->items[k], drawn);
    }
    return afxi_path_length(stops, t->item_count, stretches, &count);
}

/** The length where the joints of the tendon are at q [count]; bodies start where they did afterwards. */
static double length_at(AfxiMjcf *m, const AfxiMjcfTendon *t, const double *q) {
    double kept[AFXI_MJCF_TERMS];
    for (uint32_t k = 0; k < t->count; k++) {
        kept[k] = m->joints[t->joint[k]].start[0];
        m->joints[t->joint[k]].start[0] = q[k];
    }
    afxi_mjcf_place(m);
    double length = length_of(m, t, false);
    for (uint32_t k = 0; k < t->count; k++) {
        m->joints[t->joint[k]].start[0] = kept[k];
    }
    afxi_mjcf_place(m);
    return length;
}

/** Lever arms where the scene starts, and what the joints move along the tendon. */
static void measure(AfxiMjcf *m, AfxiMjcfTendon *t) {
    double q[AFXI_MJCF_TERMS];
    for (uint32_t k = 0; k < t->count; k++) {
        q[k] = m->joints[t->joint[k]].start[0];
    }
    for (uint32_t k = 0; k < t->count; k++) {
        double at = q[k];
        q[k] = at + NUDGE;
        double more = length_at(m, t, q);
        q[k] = at - NUDGE;
        t->factor[k] = (more - length_at(m, t, q)) / (2 * NUDGE);
        q[k] = at;
        double inertia = m->joints[t->joint[k]].inertia / fmax(t->factor[k] * t->factor[k], NUDGE);
        t->inertia = k == 0 ? inertia : fmin(t->inertia, inertia);
    }
}

/** The farthest that one coordinate after the other takes the length, upwards or downwards, from q. */
static double farthest(AfxiMjcf *m, const AfxiMjcfTendon *t, double *q, double sign) {
    double best = sign * length_at(m, t, q);
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t k = 0; k < t->count; k++) {
            const AfxiMjcfJoint *joint = m->joints + t->joint[k];
            double kept = q[k];
            for (int s = 0; s < SAMPLES; s++) {
                q[k] = joint->lower + (joint->upper - joint->lower) * s / (SAMPLES - 1);
                double length = sign * length_at(m, t, q);
                kept = length > best ? q[k] : kept;
                best = fmax(best, length);
            }
            q[k] = kept;
        }
    }
    return sign * best;
}

bool afxi_mjcf_path_range(AfxiMjcf *m, const AfxiMjcfTendon *t, double out_range[2]) {
    out_range[0] = out_range[1] = 0;
    for (uint32_t k = 0; k < t->count; k++) {
        if (!m->joints[t->joint[k]].limited) {
            return true;
        }
    }
    uint64_t work = 2 * ROUNDS * SAMPLES * (uint64_t)t->count * (m->body_count + t->item_count);
    if (!afxi_load_work(m->load, work, t->node->file, t->node->line)) {
        return false;
    }
    for (int end = 0; end < 2; end++) {
        double q[AFXI_MJCF_TERMS];
        for (uint32_t k = 0; k < t->count; k++) {
            q[k] = m->joints[t->joint[k]].start[0];
        }
        out_range[end] = farthest(m, t, q, end ? 1 : -1);
    }
    return true;
}

/* ---- joints ---- */

static bool carries(const AfxiMjcf *m, uint32_t body, uint32_t item) {
    while (item > body) {
        item = m->bodies[item].parent;
    }
    return item == body;
}

/** The joints that change the length: those that carry some of its items and not all. */
static void find_joints(const AfxiMjcf *m, AfxiMjcfTendon *t) {
    t->usable = true;
    for (uint32_t b = 1; b < m->body_count; b++) {
        uint32_t on = 0, all = 0;
        for (uint32_t k = 0; k < t->item_count; k++) {
            bool real = t->items[k].of.kind != AFX_PATH_PULLEY;
            all += real;
            on += real && carries(m, b, t->items[k].body);
        }
        for (uint32_t j = m->bodies[b].first_joint; j != AFXI_MJCF_NONE && on > 0 && on < all; j = m->joints[j].next) {
            bool one = m->joints[j].type == AFXI_MJCF_HINGE || m->joints[j].type == AFXI_MJCF_SLIDE;
            t->usable = t->usable && one && m->joints[j].made && t->count < AFXI_MJCF_TERMS;
            if (t->usable) {
                t->joint[t->count++] = j;
            }
        }
    }
    t->usable = t->usable && t->count > 0;
}

bool afxi_mjcf_read_path(AfxiMjcf *m, AfxiMjcfTendon *t) {
    uint32_t count = 0;
    for (AfxiXmlNode *child = t->node->first; child; child = child->next) {
        count += afxi_xml_is(child, "site") || afxi_xml_is(child, "geom") || afxi_xml_is(child, "pulley");
    }
    if (count > AFX_PATH_ITEMS) {
        return afxi_xml_error(m->load, t->node, NULL, "a tendon goes by at most 256 items", "leave some out");
    }
    t->items = afxi_xml_take(m->load, &m->arena, (count + 1) * sizeof *t->items);
    if (!t->items || !afxi_load_work(m->load, (uint64_t)(count + 1) * m->body_count, t->node->file, t->node->line)) {
        return false;
    }
    for (AfxiXmlNode *child = t->node->first; child; child = child->next) {
        bool part = afxi_xml_is(child, "site") || afxi_xml_is(child, "geom") || afxi_xml_is(child, "pulley");
        if (part && !read_item(m, t, child, &t->items[t->item_count++])) {
            return false;
        }
    }
    find_joints(m, t);
    t->drawn = length_of(m, t, true);
    t->start = length_of(m, t, false);
    if (t->usable) {
        measure(m, t);
    }
    return true;
}

/** Items as the scene has them, in items [item_count]. */
void afxi_mjcf_path_items(const AfxiMjcf *m, const AfxiMjcfTendon *t, AfxPathItem *items) {
    for (uint32_t k = 0; k < t->item_count; k++) {
        AfxPose side = {t->items[k].of.side, {1, 0, 0, 0}};
        items[k] = t->items[k].of;
        items[k].body = afxi_mjcf_end(m, t->items[k].body, &items[k].pose);
        afxi_mjcf_end(m, t->items[k].body, &side);
        items[k].side = side.position;
    }
}
