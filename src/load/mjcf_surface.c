/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces of geoms: what they bring to a contact, what two of them give, and that as a material of the scene. */
#include <math.h>

#include "load/mjcf.h"

AfxiMjcfSurface afxi_mjcf_plain_surface(void) {
    return (AfxiMjcfSurface){.friction = {1, 0.005, 0.0001},
                             .condim = 3,
                             .solref = {0.02, 1},
                             .solimp = {0.9, 0.95, 0.001, 0.5, 2},
                             .solmix = 1};
}

bool afxi_mjcf_read_softness(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfSurface *surface) {
    return afxi_xml_numbers(m->load, node, "solref", 1, 2, surface->solref, NULL) &&
           afxi_xml_numbers(m->load, node, "solimp", 1, 5, surface->solimp, NULL) &&
           afxi_xml_number(m->load, node, "margin", &surface->margin) &&
           afxi_xml_number(m->load, node, "gap", &surface->gap);
}

bool afxi_mjcf_check_surface(AfxiMjcf *m, AfxiXmlNode *node, const AfxiMjcfSurface *surface) {
    const double *f = surface->friction;
    int dimension = surface->condim;
    if (f[0] < 0 || f[1] < 0 || f[2] < 0) {
        return afxi_xml_error(m->load, node, "friction", "a coefficient is negative", "give 0 or more");
    }
    return dimension == 1 || dimension == 3 || dimension == 4 || dimension == 6 ||
           afxi_xml_error(m->load, node, "condim", "it is not 1, 3, 4 or 6", "give one of these");
}

/* MuJoCo's least sliding friction, and its bounds of impedance and of the width and the middle of its course. */
#define FRICTION_LEAST 1e-5
#define IMPEDANCE_LEAST 1e-4
#define WIDTH_LEAST 1e-15
#define POWER_MOST 100

/** MuJoCo's soft contact as stiffness, damping and impedance. Its normal force f is such that R f is the acceleration
 * that solref asks for, -b v - k d r, with R = (1 - d)/d w and w the sum of the inverse weights; the edges of a
 * pyramid, of which there are 2 (condim - 1), have 2 mu²/impratio (1 + mu²) R in its place. Friction f below its limit
 * is such that R/impratio f is -b v, (1 + mu²) R/impratio for pyramids: it creeps. */
static void soften(const AfxiMjcf *m, const AfxiMjcfSurface *s, AfxMaterialDef *def) {
    double weight = s->weight, mu = fmax(s->friction[0], FRICTION_LEAST),
           last = fmin(fmax(s->solimp[1], IMPEDANCE_LEAST), 1 - IMPEDANCE_LEAST);
    double k = -s->solref[0], b = -s->solref[1];
    if (s->solref[0] > 0) {
        double time = fmax(s->solref[0], 2 * m->timestep), ratio = s->solref[1];
        k = 1 / (time * time * ratio * ratio);
        b = 2 / time;
    }
    if (s->condim > 1 && !m->elliptic) {
        weight *= mu * mu * (1 + mu * mu) / m->impratio / (s->condim - 1);
    }
    double grip = m->impratio * b / (last * s->weight) / (m->elliptic ? 1 : 1 + mu * mu);
    k /= last * last * weight;
    b /= last * weight;
    if (!(weight > 0) || !(k > 0) || !isfinite(k) || !(b >= 0) || !isfinite(b)) {
        return; /* what stands still, or has no law: as stiff as can be */
    }
    def->stiffness = k;
    def->damping = b;
    def->friction_damping = isfinite(grip) ? grip : 0;
    def->impedance[0] = fmin(fmax(s->solimp[0], IMPEDANCE_LEAST), last);
    def->impedance[1] = last;
    def->impedance[2] = fmax(s->solimp[2], WIDTH_LEAST);
    def->impedance[3] = fmin(fmax(s->solimp[3], IMPEDANCE_LEAST), 1 - IMPEDANCE_LEAST);
    def->impedance[4] = fmin(fmax(s->solimp[4], 1), POWER_MOST);
}

AfxMaterialDef afxi_mjcf_material(const AfxiMjcf *m, const AfxiMjcfSurface *s) {
    AfxMaterialDef def = afx_default_material();
    soften(m, s, &def);
    def.margin = fmax(s->margin - s->gap, 0); /* where its force begins: a gap only makes MuJoCo look farther */
    def.friction = s->condim >= 3 ? s->friction[0] : 0;
    def.torsional_friction = s->condim >= 4 ? s->friction[1] : 0;
    def.rolling_friction = s->condim >= 6 ? s->friction[2] : 0;
    return def;
}

AfxiMjcfSurface afxi_mjcf_combine(const AfxiMjcfSurface *a, const AfxiMjcfSurface *b) {
    AfxiMjcfSurface both = a->priority >= b->priority ? *a : *b;
    both.weight = a->weight + b->weight;
    both.margin = a->margin + b->margin; /* as MuJoCo 3 has it; older ones took the larger */
    both.gap = a->gap + b->gap;
    if (a->priority != b->priority) {
        return both;
    }
    double sum = a->solmix + b->solmix, share = sum > 0 ? a->solmix / sum : 0.5;
    for (int k = 0; k < 2; k++) {
        both.solref[k] = a->solref[0] > 0 && b->solref[0] > 0 ? share * a->solref[k] + (1 - share) * b->solref[k]
                                                              : fmin(a->solref[k], b->solref[k]);
    }
    for (int k = 0; k < 5; k++) {
        both.solimp[k] = share * a->solimp[k] + (1 - share) * b->solimp[k];
    }
    for (int k = 0; k < 3; k++) {
        both.friction[k] = fmax(a->friction[k], b->friction[k]);
    }
    both.condim = a->condim > b->condim ? a->condim : b->condim;
    return both;
}
