/* SPDX-License-Identifier: Apache-2.0 */
/* Contact of an MJCF file. Surfaces become materials, equal ones one material; between two of them MuJoCo takes the one
 * of higher priority, or the larger of each number: that is set for every pair where the scene would take another.
 * Pairs that are named touch whatever their bits: a bit that nothing else has is given to both. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/mjcf.h"

/* Materials of which all pairs are set; beyond, the scene's own rule holds. */
#define PAIRED_MOST 128u

bool afxi_mjcf_touches(const AfxiMjcfGeom *geom) {
    return geom->contype != 0 || geom->conaffinity != 0;
}

/* ---- the section ---- */

static const char *const ends[2][2] = {{"geom1", "geom2"}, {"body1", "body2"}};

static uint32_t find(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, bool bodies, int k) {
    const char *name = afxi_xml_text(node, ends[bodies][k]);
    return name ? afxi_mjcf_lookup(scope, bodies ? &m->body_names : &m->geom_names, name) : AFXI_MJCF_NONE;
}

static bool known(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node) {
    bool bodies = afxi_xml_is(node, "exclude");
    return find(m, scope, node, bodies, 0) != AFXI_MJCF_NONE && find(m, scope, node, bodies, 1) != AFXI_MJCF_NONE;
}

static bool need_end(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, bool bodies, int k,
                     uint32_t *out_index) {
    const char *name;
    if (!afxi_xml_need(m->load, node, ends[bodies][k], &name)) {
        return false;
    }
    *out_index = find(m, scope, node, bodies, k);
    char text[100];
    snprintf(text, sizeof text, "there is no %s \"%.60s\"", bodies ? "body" : "geom", name);
    return *out_index != AFXI_MJCF_NONE || afxi_xml_error(m->load, node, ends[bodies][k], text, "check the spelling");
}

/** Numbers of a pair, from its geoms where it has none. Friction has two for sliding, one, and two for rolling. */
static bool read_surface(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfPair *pair) {
    double f[5] = {0};
    uint32_t count;
    pair->surface = afxi_mjcf_combine(&m->geoms[pair->a].surface, &m->geoms[pair->b].surface);
    pair->numbers = afxi_xml_has(node, "friction") || afxi_xml_has(node, "condim") || afxi_xml_has(node, "solref") ||
                    afxi_xml_has(node, "solimp") || afxi_xml_has(node, "margin") || afxi_xml_has(node, "gap");
    if (!afxi_xml_numbers(m->load, node, "friction", 1, 5, f, &count) ||
        !afxi_xml_integer(m->load, node, "condim", &pair->surface.condim) ||
        !afxi_mjcf_read_softness(m, node, &pair->surface)) {
        return false;
    }
    double *own = pair->surface.friction;
    own[0] = count > 0 ? f[0] : own[0];
    own[1] = count > 2 ? f[2] : own[1];
    own[2] = count > 3 ? f[3] : own[2];
    if (((count > 1 && f[0] != f[1]) || (count > 4 && f[3] != f[4])) &&
        !afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, node, "friction",
                         "friction is the same in all directions: the first of two numbers counts")) {
        return false;
    }
    return afxi_mjcf_check_surface(m, node, &pair->surface);
}

static bool read(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node) {
    AfxiMjcfPair pair = {.node = node, .exclude = afxi_xml_is(node, "exclude")};
    if (!pair.exclude && !afxi_xml_is(node, "pair")) {
        return true; /* told at the end */
    }
    node->used = true;
    afxi_xml_text(node, "name");
    if ((!pair.exclude && !afxi_mjcf_use_class(m, scope, node, AFXI_MJCF_PAIRS)) ||
        !need_end(m, scope, node, pair.exclude, 0, &pair.a) || !need_end(m, scope, node, pair.exclude, 1, &pair.b) ||
        (!pair.exclude && !read_surface(m, node, &pair))) {
        return false;
    }
    void *array = m->pairs;
    bool good = afxi_mjcf_grow(m, &array, &m->pair_capacity, m->pair_count, sizeof pair, "pairs", node);
    m->pairs = array;
    if (good) {
        m->pairs[m->pair_count++] = pair;
    }
    return good;
}

/* ---- pairs that are named ---- */

/** The least bit that no geom has; 0 when there is none left. */
static uint32_t free_bit(const AfxiMjcf *m) {
    uint32_t used = 0;
    for (uint32_t k = 0; k < m->geom_count; k++) {
        used |= m->geoms[k].contype | m->geoms[k].conaffinity;
    }
    return ~used & (used + 1);
}

static bool tell_pair(AfxiMjcf *m, const AfxiMjcfPair *pair, const char *text) {
    return afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, pair->node, NULL, text);
}

/** Lets two geoms touch whose bits do not agree; *bit [geoms] is what the first of pairs was given, 0 for nothing. */
static bool let_touch(AfxiMjcf *m, const AfxiMjcfPair *pair, uint32_t *bits) {
    AfxiMjcfGeom *a = m->geoms + pair->a, *b = m->geoms + pair->b;
    const AfxiMjcfBody *body_a = m->bodies + a->body, *body_b = m->bodies + b->body;
    uint32_t group_a = body_a->group, group_b = body_b->group;
    if (group_a == group_b) {
        return tell_pair(m, pair, "both geoms are parts of one body");
    }
    if (m->on.filterparent && ((group_a && m->bodies[m->bodies[group_b].parent].group == group_a) ||
                               (group_b && m->bodies[m->bodies[group_a].parent].group == group_b))) {
        return tell_pair(m, pair, "a joint is between the bodies of these geoms, so that they do not collide");
    }
    if ((a->contype & b->conaffinity) || (b->contype & a->conaffinity)) {
        return true;
    }
    if (bits[pair->a] == 0) {
        bits[pair->a] = free_bit(m);
        if (bits[pair->a] == 0) {
            return tell_pair(m, pair, "too many geoms are paired by name: no bit is left for it");
        }
        a->contype |= bits[pair->a];
    }
    b->conaffinity |= bits[pair->a];
    return true;
}

static bool let_pairs_touch(AfxiMjcf *m) {
    uint32_t *bits = afxi_xml_take(m->load, &m->arena, (m->geom_count + (size_t)1) * sizeof *bits);
    for (uint32_t k = 0; bits && k < m->pair_count; k++) {
        const AfxiMjcfPair *pair = m->pairs + k;
        if (pair->exclude) {
            continue;
        }
        m->geoms[pair->a].paired |= pair->numbers;
        m->geoms[pair->b].paired |= pair->numbers;
        if (!let_touch(m, pair, bits)) {
            return false;
        }
    }
    return bits != NULL;
}

/* ---- materials ---- */

static bool equal_surfaces(const AfxiMjcfSurface *a, const AfxiMjcfSurface *b) {
    return a->friction[0] == b->friction[0] && a->friction[1] == b->friction[1] && a->friction[2] == b->friction[2] &&
           a->condim == b->condim && a->priority == b->priority && a->weight == b->weight && a->solmix == b->solmix &&
           a->margin == b->margin && a->gap == b->gap && memcmp(a->solref, b->solref, sizeof a->solref) == 0 &&
           memcmp(a->solimp, b->solimp, sizeof a->solimp) == 0;
}

static bool add_material(AfxiMjcf *m, const AfxiXmlNode *node, const AfxiMjcfSurface *surface, bool own) {
    AfxScene *scene = m->load->scene;
    AfxMaterialDef def = afxi_mjcf_material(m, surface);
    AfxiMjcfMaterial material = {.surface = *surface, .own = own, .id = afx_scene_material(scene, 0)};
    void *array = m->materials;
    bool good = afxi_mjcf_grow(m, &array, &m->material_capacity, m->material_count, sizeof material, "materials", node);
    m->materials = array;
    if (!good) {
        return false;
    }
    AfxStatus status = m->material_count == 0 ? afx_scene_set_material(scene, material.id, &def)
                                              : afx_scene_add_material(scene, &def, &material.id);
    m->materials[m->material_count++] = material;
    return status == AFX_OK || afxi_mjcf_scene_error(m, node);
}

/** The material of a geom: one with the same surface, unless it is paired by name. */
static bool use_material(AfxiMjcf *m, AfxiMjcfGeom *geom) {
    geom->material = 0;
    while (
        !geom->paired && geom->material < m->material_count &&
        (m->materials[geom->material].own || !equal_surfaces(&m->materials[geom->material].surface, &geom->surface))) {
        geom->material++;
    }
    if (!geom->paired && geom->material < m->material_count) {
        return true;
    }
    if (m->material_count == AFX_MATERIALS_MOST) {
        geom->material = 0;
        return afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, geom->node, "friction",
                               "too many surfaces differ: it has the default one");
    }
    geom->material = m->material_count;
    return add_material(m, geom->node, &geom->surface, geom->paired);
}

static bool set_pair(AfxiMjcf *m, const AfxiXmlNode *node, uint32_t a, uint32_t b, const AfxiMjcfSurface *surface) {
    AfxMaterialDef def = afxi_mjcf_material(m, surface);
    return afx_scene_set_material_pair(m->load->scene, m->materials[a].id, m->materials[b].id, &def) == AFX_OK ||
           afxi_mjcf_scene_error(m, node);
}

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b));
}

static bool agree(const AfxMaterialDef *a, const AfxMaterialDef *b) {
    bool same = a->friction == b->friction && a->rolling_friction == b->rolling_friction &&
                a->torsional_friction == b->torsional_friction && near(a->stiffness, b->stiffness) &&
                near(a->damping, b->damping) && near(a->friction_damping, b->friction_damping) &&
                a->margin == b->margin;
    for (int k = 0; k < 5; k++) {
        same = same && near(a->impedance[k], b->impedance[k]);
    }
    return same;
}

/** MuJoCo's rule, wherever the scene's gives something else. */
static bool set_rule(AfxiMjcf *m) {
    if (m->material_count > PAIRED_MOST) {
        return afxi_xml_notice(
            m->load, AFX_NOTICE_CHANGED, m->main->root, NULL,
            "many surfaces differ: friction between two of them is the geometric mean, softness that of both");
    }
    for (uint32_t b = 0; b < m->material_count; b++) {
        for (uint32_t a = 0; a <= b; a++) {
            AfxMaterialDef first = afxi_mjcf_material(m, &m->materials[a].surface),
                           second = afxi_mjcf_material(m, &m->materials[b].surface);
            AfxMaterialDef by_scene = afx_material_combine(&first, &second);
            AfxiMjcfSurface both = afxi_mjcf_combine(&m->materials[a].surface, &m->materials[b].surface);
            AfxMaterialDef want = afxi_mjcf_material(m, &both);
            if (!agree(&want, &by_scene) && !set_pair(m, NULL, a, b, &both)) {
                return false;
            }
        }
    }
    return true;
}

bool afxi_mjcf_add_materials(AfxiMjcf *m) {
    const AfxiMjcfReader reader = {"contact", known, read};
    AfxiMjcfSurface plain = afxi_mjcf_plain_surface();
    afx_scene_set_contact(m->load->scene, afx_scene_contact(m->load->scene) && m->on.contact);
    for (uint32_t k = 0; k < m->geom_count; k++) {
        m->geoms[k].surface.weight = m->bodies[m->geoms[k].body].weight;
    }
    if (!afxi_mjcf_each(m, &reader) || !let_pairs_touch(m) || !add_material(m, NULL, &plain, false)) {
        return false;
    }
    for (uint32_t k = 0; k < m->geom_count; k++) {
        if (afxi_mjcf_touches(m->geoms + k) && !use_material(m, m->geoms + k)) {
            return false;
        }
    }
    if (!set_rule(m)) {
        return false;
    }
    for (uint32_t k = 0; k < m->pair_count; k++) {
        const AfxiMjcfPair *pair = m->pairs + k;
        if (pair->exclude || !pair->numbers) {
            continue;
        }
        uint32_t a = m->geoms[pair->a].material, b = m->geoms[pair->b].material;
        if (a != AFXI_MJCF_NONE && b != AFXI_MJCF_NONE && !set_pair(m, pair->node, a, b, &pair->surface)) {
            return false;
        }
    }
    /* parts of the world that are excluded, before their shapes are made */
    for (uint32_t k = 0; k < m->pair_count; k++) {
        if (m->pairs[k].exclude && !(afxi_mjcf_set_apart(m, m->pairs[k].a) && afxi_mjcf_set_apart(m, m->pairs[k].b))) {
            return false;
        }
    }
    return true;
}

/* ---- exclusions ---- */

/** The body of the scene that stands for a body in exclusions; false when it has no shapes. */
static bool excluded_body(const AfxiMjcf *m, uint32_t body, AfxBodyId *out_id) {
    const AfxiMjcfBody *record = m->bodies + body;
    *out_id = record->apart ? record->id : m->bodies[record->group].id;
    return record->apart || record->group != 0 || m->has_world_body;
}

static bool exclude(AfxiMjcf *m, const AfxiMjcfPair *pair) {
    const AfxiMjcfBody *a = m->bodies + pair->a, *b = m->bodies + pair->b;
    AfxBodyId first, second;
    if (a->group == b->group || !excluded_body(m, pair->a, &first) || !excluded_body(m, pair->b, &second)) {
        return true; /* they cannot touch */
    }
    bool merged = (a->group != pair->a && a->group != 0) || (b->group != pair->b && b->group != 0);
    if (merged && !afxi_xml_notice(m->load, AFX_NOTICE_CHANGED, pair->node, NULL,
                                   "it holds for all bodies that are fixed to the ones that it names")) {
        return false;
    }
    return afx_scene_exclude_contact(m->load->scene, first, second) == AFX_OK || afxi_mjcf_scene_error(m, pair->node);
}

bool afxi_mjcf_add_exclusions(AfxiMjcf *m) {
    for (uint32_t k = 0; k < m->pair_count; k++) {
        if (m->pairs[k].exclude && !exclude(m, m->pairs + k)) {
            return false;
        }
    }
    return true;
}
