/* SPDX-License-Identifier: Apache-2.0 */
/* Mass properties of shapes and bodies in the body's frame. Simple shapes are integrated anew each time, which is
 * cheaper than to remember; meshes are scaled from density 1. */
#include "scene/mass.h"

#include "math/inertia.h"

#include "scene/check.h"

/** Mass properties at density 1, in the shape's frame. */
static AfxMass unit_mass(const AfxScene *scene, const AfxiSceneShape *shape) {
    const double *size = shape->size;
    switch ((AfxShapeKind)shape->kind) {
    case AFX_SHAPE_BOX:
        return afxi_mass_box(vec3_load(size), 1);
    case AFX_SHAPE_SPHERE:
        return afxi_mass_sphere(size[0], 1);
    case AFX_SHAPE_CAPSULE:
        return afxi_mass_capsule(size[0], size[1], 1);
    case AFX_SHAPE_CYLINDER:
        return afxi_mass_cylinder(size[0], size[1], 1);
    case AFX_SHAPE_ELLIPSOID:
        return afxi_mass_ellipsoid(vec3_load(size), 1);
    case AFX_SHAPE_CONVEX:
    case AFX_SHAPE_MESH:
        return scene->meshes[shape->mesh].unit;
    case AFX_SHAPE_PLANE:
    case AFX_SHAPE_HEIGHT_FIELD:
        break;
    }
    return (AfxMass){0};
}

/** The same matter with another mass. */
static void rescale(AfxMass *m, double mass) {
    double factor = mass / m->mass;
    m->mass = mass;
    for (int k = 0; k < 6; k++) {
        m->inertia[k] *= factor;
    }
}

bool afxi_scene_shape_weighs(const AfxScene *scene, const AfxiSceneShape *shape) {
    return !shape->visual && shape->kind != AFX_SHAPE_PLANE && shape->kind != AFX_SHAPE_HEIGHT_FIELD &&
           (shape->mesh == AFXI_NONE || scene->meshes[shape->mesh].solid);
}

AfxMass afxi_scene_shape_mass(const AfxScene *scene, const AfxiSceneShape *s) {
    if (!afxi_scene_shape_weighs(scene, s)) {
        return (AfxMass){0};
    }
    AfxMass m = unit_mass(scene, s);
    rescale(&m, s->mass > 0 ? s->mass : s->density * m.volume);
    return afxi_mass_transform(m, s->pose);
}

static AfxMass given_mass(const AfxScene *scene, uint32_t body) {
    const AfxiSceneMatter *matter = afxi_scene_matter(scene, body);
    AfxMass m = {.mass = matter->mass, .center = matter->center};
    for (int k = 0; k < 6; k++) {
        m.inertia[k] = matter->inertia[k];
    }
    for (uint32_t s = scene->bodies[body].first_shape; s != AFXI_NONE; s = scene->uses[s].next) {
        const AfxiSceneShape *shape = afxi_scene_shape(scene, s);
        if (afxi_scene_shape_weighs(scene, shape)) {
            m.volume += unit_mass(scene, shape).volume;
        }
    }
    return m;
}

AfxStatus afxi_scene_body_mass(const AfxScene *scene, uint32_t body, AfxMass *out_mass, AfxError *out_error) {
    const AfxiSceneMatter *matter = afxi_scene_matter(scene, body);
    AfxiErrorPlace place = afxi_body_place(scene, body);
    place.error = out_error;
    if (matter->mass_source == AFX_MASS_GIVEN) {
        *out_mass = given_mass(scene, body);
        return AFX_OK;
    }
    AfxMass sum = {0};
    bool weighs = false;
    for (uint32_t s = scene->bodies[body].first_shape; s != AFXI_NONE; s = scene->uses[s].next) {
        const AfxiSceneShape *shape = afxi_scene_shape(scene, s);
        sum = afxi_mass_add(sum, afxi_scene_shape_mass(scene, shape));
        weighs = weighs || afxi_scene_shape_weighs(scene, shape);
    }
    if (weighs) {
        if (matter->mass > 0) {
            rescale(&sum, matter->mass);
        }
        AfxStatus status = afxi_check_mass_range(&place, &sum);
        if (status) {
            return status;
        }
    } else if (matter->kind == AFX_BODY_DYNAMIC) {
        return afxi_fail(&place, AFX_E_INPUT, "it has no mass",
                         "add a shape that is not visual, or give mass, center and inertia");
    }
    *out_mass = sum;
    return AFX_OK;
}

AfxStatus afx_scene_body_mass(const AfxScene *scene, AfxBodyId body, AfxMass *out_mass) {
    if (!scene) {
        return AFX_E_ARGUMENT;
    }
    AfxStatus status = afxi_check_body(scene, body);
    if (status) {
        return status;
    }
    if (!out_mass) {
        AfxiErrorPlace place = afxi_body_place(scene, body.index);
        return afxi_fail_null(&place, "out_mass");
    }
    return afxi_scene_body_mass(scene, body.index, out_mass, scene->error);
}
