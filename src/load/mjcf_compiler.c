/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of the compiler element, which say how a file is to be read, and of option, which say what acts. */
#include <string.h>

#include "load/mjcf.h"

static const char *const booleans[] = {"false", "true", NULL};

static bool read_boolean(AfxiMjcf *m, AfxiXmlNode *node, const char *name, bool *value) {
    int number = *value;
    if (!afxi_xml_word(m->load, node, name, booleans, &number)) {
        return false;
    }
    *value = number != 0;
    return true;
}

static bool read_euler(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfSettings *s) {
    const char *text = afxi_xml_text(node, "eulerseq");
    if (!text) {
        return true;
    }
    if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3) {
        return afxi_xml_error(m->load, node, "eulerseq", "it is not three of x, y, z, X, Y, Z", "give such a text");
    }
    memcpy(s->euler, text, 4);
    return true;
}

static bool read_words(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfSettings *s) {
    static const char *const angles[] = {"radian", "degree", NULL}, *const coordinates[] = {"local", NULL};
    static const char *const sources[] = {"false", "true", "auto", NULL};
    int degree = s->degree, coordinate = 0;
    if (!afxi_xml_word(m->load, node, "angle", angles, &degree) ||
        !afxi_xml_word(m->load, node, "coordinate", coordinates, &coordinate) ||
        !afxi_xml_word(m->load, node, "inertiafromgeom", sources, &s->inertia_from_geom)) {
        return false;
    }
    s->degree = degree == 1;
    return read_boolean(m, node, "autolimits", &s->autolimits) &&
           read_boolean(m, node, "balanceinertia", &s->balance_inertia) &&
           read_boolean(m, node, "fitaabb", &s->fit_aabb) && read_boolean(m, node, "strippath", &s->strip_path) &&
           read_euler(m, node, s);
}

/** Attributes that change nothing here: bodies that stand still against each other are one anyway, a free body's frame
 * may lie anywhere in it, and threads are not used. */
static void pass_over(AfxiXmlNode *node) {
    static const char *const names[] = {"fusestatic",   "alignfree",     "usethread",
                                        "saveinertial", "discardvisual", "conflict"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        afxi_xml_text(node, names[k]);
    }
}

bool afxi_mjcf_read_settings(AfxiMjcf *m, AfxiMjcfModel *model) {
    AfxiMjcfSettings *s = &model->settings;
    *s = (AfxiMjcfSettings){.degree = true,
                            .autolimits = true,
                            .euler = "xyz",
                            .total_mass = -1,
                            .inertia_from_geom = 2,
                            .inertia_groups = {0, 5}};
    for (AfxiXmlNode *node = model->root->first; node; node = node->next) {
        if (!afxi_xml_is(node, "compiler")) {
            continue;
        }
        node->used = true;
        if (!read_words(m, node, s) || !afxi_xml_number(m->load, node, "boundmass", &s->bound_mass) ||
            !afxi_xml_number(m->load, node, "boundinertia", &s->bound_inertia) ||
            !afxi_xml_number(m->load, node, "settotalmass", &s->total_mass) ||
            !afxi_xml_numbers(m->load, node, "inertiagrouprange", 2, 2, s->inertia_groups, NULL)) {
            return false;
        }
        const char *assets = afxi_xml_text(node, "assetdir"), *meshes = afxi_xml_text(node, "meshdir");
        const char *textures = afxi_xml_text(node, "texturedir");
        s->texture_folder = textures ? textures : assets ? assets : s->texture_folder;
        s->mesh_folder = meshes ? meshes : assets ? assets : s->mesh_folder;
        pass_over(node);
    }
    return true;
}

/* ---- option ---- */

static bool read_flags(AfxiMjcf *m, AfxiXmlNode *node) {
    static const char *const words[] = {"disable", "enable", NULL};
    bool gravity = true, constraint = true;
    struct {
        const char *name;
        bool *value;
    } const flags[] = {
        {"constraint", &constraint},
        {"equality", &m->on.equality},
        {"frictionloss", &m->on.friction},
        {"limit", &m->on.limit},
        {"spring", &m->on.spring},
        {"damper", &m->on.damper},
        {"gravity", &gravity},
        {"actuation", &m->on.actuation},
        {"contact", &m->on.contact},
        {"filterparent", &m->on.filterparent},
    };
    for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++) {
        int value = *flags[k].value;
        if (!afxi_xml_word(m->load, node, flags[k].name, words, &value)) {
            return false;
        }
        *flags[k].value = value == 1;
    }
    if (!gravity) {
        m->gravity = vec3(0, 0, 0);
    }
    if (!constraint) {
        m->on.equality = m->on.friction = m->on.limit = m->on.contact = false;
    }
    int passive = 1; /* spring and damper together, in older files */
    if (!afxi_xml_word(m->load, node, "passive", words, &passive)) {
        return false;
    }
    m->on.spring = m->on.spring && passive;
    m->on.damper = m->on.damper && passive;
    return true;
}

/** What MuJoCo's softness of contact depends on; cones are round here in any case. */
static bool read_contact_options(AfxiMjcf *m, AfxiXmlNode *node) {
    static const char *const cones[] = {"pyramidal", "elliptic", NULL};
    int cone = m->elliptic;
    const char *step = afxi_xml_peek(node, "timestep"); /* which is told: it sets no step here */
    if (!afxi_xml_word(m->load, node, "cone", cones, &cone) ||
        !afxi_xml_number(m->load, node, "impratio", &m->impratio)) {
        return false;
    }
    double value;
    m->timestep = step && afxi_xml_scan_number(&step, &value) && value > 0 ? value : m->timestep;
    m->elliptic = cone != 0;
    return m->impratio > 0 || afxi_xml_error(m->load, node, "impratio", "it is not positive", "give a number above 0");
}

bool afxi_mjcf_read_options(AfxiMjcf *m) {
    m->on = (AfxiMjcfFlags){true, true, true, true, true, true, true, true};
    m->gravity = vec3(0, 0, -9.81);
    m->magnetic = vec3(0, -0.5, 0);
    m->impratio = 1;
    m->timestep = 0.002;
    AfxiXmlNode *flags = NULL;
    for (AfxiXmlNode *node = m->main->root->first; node; node = node->next) {
        if (!afxi_xml_is(node, "option")) {
            continue;
        }
        node->used = true;
        if (!afxi_xml_vec3(m->load, node, "gravity", &m->gravity) ||
            !afxi_xml_vec3(m->load, node, "magnetic", &m->magnetic) || !read_contact_options(m, node)) {
            return false;
        }
        for (AfxiXmlNode *child = node->first; child; child = child->next) {
            if (afxi_xml_is(child, "flag")) {
                flags = child;
                flags->used = true;
                if (!read_flags(m, flags)) {
                    return false;
                }
            }
        }
    }
    return afx_scene_set_gravity(m->load->scene, m->gravity) == AFX_OK || afxi_mjcf_scene_error(m, flags);
}
