/* SPDX-License-Identifier: Apache-2.0 */
/* URDF (Unified Robot Description Format, wiki.ros.org/urdf/XML) into a scene: links and joints are read and checked to
 * be a tree, links that are fixed to each other are grouped, groups become bodies, and joints what lies between them.
 * Whatever was not asked for by then is told. */
#include "load/urdf.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "math/inertia.h"
#include "scene/name.h"

static const AfxiXmlReason reasons[] = {
    {"material", NULL, "nothing has this material"},
    {"material", "*", "a material is its colour"},
    {"texture", NULL, "there are no textures"},
    {"transmission", NULL, "it names no joint and actuator that are there"},
    {"transmission", "*", "of a transmission only the reduction counts"},
    {"hardwareInterface", NULL, "motors take efforts"},
    {"actuator", "*", "of an actuator only its name and reduction count"},
    {"gazebo", NULL, "settings of another program"},
    {"ros2_control", NULL, "settings of another program"},
    {"safety_controller", NULL, "its joint has no motor: the limit says no effort"},
    {"calibration", NULL, "reference positions are for the real robot's sensors"},
    {"sensor", NULL, "there are no sensors"},
    {"limit", "velocity", "no drive limits the speed of a joint"},
    {"limit", "*", "this kind of joint has no such limit"},
    {"dynamics", NULL, "this kind of joint has no damping or friction"},
    {"collision", "name", "shapes have no names"},
    {"visual", "name", "shapes have no names"},
    {"robot", "version", "all versions are read alike"},
    {"robot", "*", "it says nothing about the robot"},
};

/* ---- reading ---- */

static bool enter_name(AfxiUrdf *urdf, AfxiNames *names, const AfxiXmlNode *node, const char *name, uint32_t index) {
    if (afxi_names_find(names, name) != UINT32_MAX) {
        return afxi_xml_error(urdf->load, node, "name", "the name is taken already",
                              "give every link and joint its own");
    }
    if (afxi_names_reserve(names, &urdf->load->allocator) != AFX_OK) {
        return afxi_load_memory_error(urdf->load, node->file, node->line);
    }
    afxi_names_add(names, name, index);
    return true;
}

static bool read_links(AfxiUrdf *urdf) {
    uint32_t k = 0;
    for (AfxiXmlNode *node = urdf->robot->first; node; node = node->next) {
        if (afxi_xml_is(node, "link")) {
            AfxiUrdfLink *link = urdf->links + k;
            if (!afxi_urdf_read_link(urdf, node, link) || !enter_name(urdf, &urdf->link_names, node, link->name, k++)) {
                return false;
            }
        }
    }
    return true;
}

/** Hangs a joint between its links. */
static bool enter_joint(AfxiUrdf *urdf, uint32_t index) {
    AfxiUrdfJoint *joint = urdf->joints + index;
    AfxiUrdfLink *parent = urdf->links + joint->parent, *child = urdf->links + joint->child;
    if (child->joint != AFXI_URDF_NONE) {
        char text[160];
        snprintf(text, sizeof text, "its child \"%.50s\" is the child of joint \"%.50s\" already", child->name,
                 urdf->joints[child->joint].name);
        return afxi_xml_error(urdf->load, joint->node, NULL, text, "links of a URDF form a tree; scene JSON has loops");
    }
    child->joint = index;
    joint->next = parent->first;
    parent->first = index;
    return true;
}

static bool read_joints(AfxiUrdf *urdf) {
    uint32_t k = 0;
    for (AfxiXmlNode *node = urdf->robot->first; node; node = node->next) {
        if (afxi_xml_is(node, "joint")) {
            if (!afxi_urdf_read_joint(urdf, node, urdf->joints + k) ||
                !enter_name(urdf, &urdf->joint_names, node, urdf->joints[k].name, k) || !enter_joint(urdf, k)) {
                return false;
            }
            k++;
        }
    }
    return true;
}

static bool read_robot(AfxiUrdf *urdf) {
    for (AfxiXmlNode *node = urdf->robot->first; node; node = node->next) {
        urdf->link_count += afxi_xml_is(node, "link");
        urdf->joint_count += afxi_xml_is(node, "joint");
    }
    if (urdf->link_count == 0) {
        return afxi_xml_error(urdf->load, urdf->robot, NULL, "it has no link", "give it one at least");
    }
    urdf->links = afxi_xml_take(urdf->load, &urdf->arena, urdf->link_count * sizeof *urdf->links);
    urdf->order = urdf->links ? afxi_xml_take(urdf->load, &urdf->arena, urdf->link_count * sizeof *urdf->order) : NULL;
    urdf->joints =
        urdf->order ? afxi_xml_take(urdf->load, &urdf->arena, (urdf->joint_count + 1) * sizeof *urdf->joints) : NULL;
    return urdf->joints && read_links(urdf) && read_joints(urdf) && afxi_urdf_read_mimics(urdf);
}

/* ---- tree ---- */

static bool find_root(AfxiUrdf *urdf, uint32_t *out_root) {
    *out_root = AFXI_URDF_NONE;
    for (uint32_t k = 0; k < urdf->link_count; k++) {
        if (urdf->links[k].joint != AFXI_URDF_NONE) {
            continue;
        }
        if (*out_root != AFXI_URDF_NONE) {
            char text[160];
            snprintf(text, sizeof text, "it and link \"%.60s\" are both no child of any joint",
                     urdf->links[*out_root].name);
            return afxi_xml_error(urdf->load, urdf->links[k].node, NULL, text, "join all links to one root");
        }
        *out_root = k;
    }
    return *out_root != AFXI_URDF_NONE ||
           afxi_xml_error(urdf->load, urdf->robot, NULL, "every link is the child of a joint: there is no root",
                          "open the loop");
}

/** Order from the root outward, and poses at the start. */
static bool order_links(AfxiUrdf *urdf) {
    uint32_t count = 0, done = 0;
    if (!find_root(urdf, &urdf->order[0])) {
        return false;
    }
    urdf->links[urdf->order[count++]].world = afx_pose_identity();
    while (done < count) {
        const AfxiUrdfLink *parent = urdf->links + urdf->order[done++];
        for (uint32_t j = parent->first; j != AFXI_URDF_NONE; j = urdf->joints[j].next) {
            AfxiUrdfLink *child = urdf->links + urdf->joints[j].child;
            child->world =
                afx_pose_compose(parent->world, afxi_urdf_joint_pose(urdf->joints + j, urdf->joints[j].start));
            urdf->order[count++] = urdf->joints[j].child;
        }
    }
    for (uint32_t k = 0; count < urdf->link_count && k < urdf->link_count; k++) {
        uint32_t at = k; /* a link that was not reached has a loop above it */
        for (uint32_t step = 0; step <= urdf->link_count && urdf->links[at].joint != AFXI_URDF_NONE; step++) {
            at = urdf->joints[urdf->links[at].joint].parent;
        }
        if (urdf->links[at].joint != AFXI_URDF_NONE) {
            return afxi_xml_error(urdf->load, urdf->links[at].node, NULL, "it is among its own descendants",
                                  "open the loop");
        }
    }
    return true;
}

/** Which links form a body. Links without mass cannot be bodies of their own even when fixed ones are kept. */
static void group_links(AfxiUrdf *urdf) {
    for (uint32_t k = 0; k < urdf->link_count; k++) {
        uint32_t index = urdf->order[k];
        AfxiUrdfLink *link = urdf->links + index;
        const AfxiUrdfJoint *joint = k ? urdf->joints + link->joint : NULL;
        link->group = index;
        link->in_body = afx_pose_identity();
        if (joint && joint->kind == AFXI_URDF_FIXED) {
            const AfxiUrdfLink *parent = urdf->links + joint->parent;
            bool to_world = parent->group == urdf->order[0] && urdf->load->def->fixed_base;
            bool parent_empty = urdf->links[parent->group].sum.mass == 0 && !to_world;
            if (!urdf->load->def->keep_fixed || link->mass.mass == 0 || parent_empty) {
                link->group = parent->group;
                link->in_body = afx_pose_compose(parent->in_body, joint->origin);
            }
        }
        AfxiUrdfLink *group = urdf->links + link->group;
        group->sum = afxi_mass_add(group->sum, afxi_mass_transform(link->mass, link->in_body));
    }
}

static bool load_robot(AfxiUrdf *urdf, const AfxiText *text) {
    if (!afxi_xml_parse_values(urdf->load, &urdf->arena, text, urdf->path, &urdf->robot)) {
        return false;
    }
    if (!afxi_xml_is(urdf->robot, "robot")) {
        return afxi_xml_error(urdf->load, urdf->robot, NULL, "the first element is not robot", "give a URDF file");
    }
    urdf->robot->used = true;
    afxi_xml_text(urdf->robot, "name"); /* a scene has no name; nothing is lost */
    if (!read_robot(urdf) || !afxi_urdf_find_starts(urdf) || !order_links(urdf)) {
        return false;
    }
    group_links(urdf);
    uint32_t first = afx_scene_body_count(urdf->load->scene);
    return afxi_urdf_add_bodies(urdf) && afxi_urdf_add_joints(urdf) && afxi_urdf_exclude_overlaps(urdf, first) &&
           afxi_xml_tell_unused(urdf->load, urdf->robot, reasons, sizeof reasons / sizeof reasons[0]);
}

bool afxi_load_urdf(AfxiLoad *load, const AfxiText *text, const char *path) {
    AfxiUrdf urdf = {.load = load, .path = path};
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    bool good = load_robot(&urdf, text);
    uselocale(before);
    freelocale(plain);
    afxi_names_free(&urdf.link_names, &load->allocator);
    afxi_names_free(&urdf.joint_names, &load->allocator);
    afxi_xml_free(load, &urdf.arena);
    return good;
}
