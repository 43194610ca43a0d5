/* SPDX-License-Identifier: Apache-2.0 */
/* Contact sensors of MJCF: what the two sides are, and what is told of their contacts. */
#include <string.h>

#include "affix/sensor.h"
#include "load/mjcf.h"

/** The words of `data`, in MuJoCo's order. */
static bool read_data(AfxiMjcf *m, AfxiXmlNode *node, uint32_t *out_data) {
    static const char *const words[] = {"found", "force", "torque", "dist", "pos", "normal", "tangent"};
    const char *at = afxi_xml_text(node, "data");
    for (uint32_t data = 0; at && *at; *out_data = data) {
        size_t length = strcspn(at += strspn(at, " \t\n"), " \t\n"), k = 0;
        while (k < 7 && (strlen(words[k]) != length || strncmp(at, words[k], length) != 0)) {
            k++;
        }
        if (length && k == 7) {
            return afxi_xml_error(m->load, node, "data", "it tells something that no contact has",
                                  "give words of found, force, torque, dist, pos, normal and tangent");
        }
        data |= length ? 1u << k : 0;
        at += length;
    }
    return true;
}

/** One side of a contact sensor; *out_there is false where nothing of it can touch. */
static bool find_side(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, int side, AfxSensorDef *def,
                      bool *out_there) {
    static const char *const names[2][3] = {{"geom1", "body1", "subtree1"}, {"geom2", "body2", "subtree2"}};
    const char *geom = afxi_xml_text(node, names[side][0]), *body = afxi_xml_text(node, names[side][1]);
    const char *subtree = afxi_xml_text(node, names[side][2]), *name = geom ? geom : body ? body : subtree;
    uint32_t *end = side ? &def->reference : &def->object;
    *end = UINT32_MAX;
    if (!name) {
        return true;
    }
    uint32_t index = afxi_mjcf_lookup(scope, geom ? &m->geom_names : &m->body_names, name);
    if (index == AFXI_MJCF_NONE) {
        return afxi_xml_error(m->load, node,
                              names[side][geom   ? 0
                                          : body ? 1
                                                 : 2],
                              "there is no geom or body of this name", "check the spelling");
    }
    if (subtree && index == 0) {
        return true; /* everything */
    }
    AfxBodyId id = geom ? m->geoms[index].holder : m->bodies[m->bodies[index].group].id;
    *out_there = *out_there && id.index != UINT32_MAX && (!geom || m->geoms[index].part != AFXI_MJCF_NONE);
    *end = id.index;
    def->part[side] = geom ? m->geoms[index].part : UINT32_MAX;
    def->subtree[side] = subtree != NULL;
    return geom || m->bodies[index].group == index || index == 0 ||
           afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, node, names[side][1], "all that is fixed to the body counts");
}

bool afxi_mjcf_sensor_contacts(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxSensorDef *def,
                               bool *out_there) {
    static const char *const reduce[] = {"none", "mindist", "maxforce", "netforce", NULL};
    const char *site = afxi_xml_text(node, "site");
    int how = 0, slots = 1;
    bool placed = true;
    if (!afxi_xml_word(m->load, node, "reduce", reduce, &how) || !afxi_xml_integer(m->load, node, "num", &slots) ||
        !read_data(m, node, &def->data) || !find_side(m, scope, node, 0, def, out_there) ||
        !find_side(m, scope, node, 1, def, out_there)) {
        return false;
    }
    def->reduce = (uint32_t)how;
    def->slots = slots > 0 ? (uint32_t)slots : 0;
    if (site && (!afxi_mjcf_sensor_frame(m, scope, node, "site", site, &def->inside, &placed) ||
                 !afxi_mjcf_sensor_zone(m, scope, node, def))) {
        return false;
    }
    *out_there = *out_there && (!site || def->zone);
    return true;
}
