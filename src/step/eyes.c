/* SPDX-License-Identifier: Apache-2.0 */
/* Rays of sensors against all shapes of a model (collide/cast.h), in principal frames: p = A x + t is the state. */
#include "step/eyes.h"

#include "base/memory.h"
#include "collide/cast.h"
#include "model/model.h"

AfxStatus afxi_eyes_create(AfxSim *sim) {
    const AfxiContacts *seen = &sim->model->seen;
    if (!sim->model->robot.looks) {
        return AFX_OK;
    }
    sim->eyes = afxi_allocate(&sim->def.allocator, sizeof *sim->eyes);
    if (!sim->eyes) {
        return AFX_E_MEMORY;
    }
    AfxStatus status =
        afxi_cast_reserve(sim->eyes, &sim->def.allocator, sim->model->shown.bodies, seen->geometry_count);
    for (uint32_t k = 0; k < seen->shape_count && status == AFX_OK; k++) {
        const AfxiContactShape *shape = &seen->shapes[k];
        const AfxiContactPose *pose = &seen->poses[shape->pose];
        AfxiMat3 turn = mat3_load(pose->r);
        status = afxi_cast_add(sim->eyes, shape->body, k, shape->geometry, &seen->geometries[shape->geometry], &turn,
                               vec3_load(pose->t));
    }
    return status;
}

void afxi_eyes_destroy(AfxSim *sim) {
    if (sim->eyes) {
        afxi_cast_destroy(sim->eyes);
        afxi_release(&sim->def.allocator, sim->eyes, sizeof *sim->eyes);
    }
}

void afxi_eyes_open(const AfxSim *sim) {
    for (uint32_t k = 0; sim->eyes && k < sim->model->shown.bodies; k++) {
        const double *q = sim->world.state.q + (size_t)AFXI_AFFINE_WIDTH * k;
        AfxiMat3 a = mat3_load(q);
        afxi_cast_place(sim->eyes, k, &a, vec3_load(q + 9));
    }
    if (sim->eyes) {
        afxi_cast_move(sim->eyes, afx_sim_time(sim));
    }
}

double afxi_eyes_range(const AfxSim *sim, AfxVec3 from, AfxVec3 direction, double reach, uint32_t skip) {
    AfxRayHit hit;
    if (!sim->eyes) {
        return -1;
    }
    afxi_cast_ray(sim->eyes, &(AfxRay){.from = from, .direction = direction, .reach = reach, .skip = skip}, &hit);
    return hit.body == AFX_RAY_NO_BODY ? -1 : hit.distance;
}
