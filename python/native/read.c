/* SPDX-License-Identifier: Apache-2.0 */
/* Bulk reads: a kind of result of a whole sim, or of all sims of a batch, into one array of doubles. Structs of the
 * interface that hold nothing but doubles are written as such. */
#include "native.h"

#include <string.h>

_Static_assert(sizeof(AfxPose) == 7 * sizeof(double), "a pose is seven doubles");
_Static_assert(sizeof(AfxTwist) == 6 * sizeof(double), "a twist is six doubles");
_Static_assert(sizeof(AfxWrench) == 6 * sizeof(double), "a wrench is six doubles");
_Static_assert(sizeof(AfxVec3) == 3 * sizeof(double), "a vector is three doubles");
_Static_assert(sizeof(AfxEnergy) == 4 * sizeof(double), "an energy is four doubles");

static uint32_t drive_count(const AfxModel *model) {
    AfxParamInfo info = {0};
    return afx_model_param_info(model, AFX_PARAM_DRIVE, &info) == AFX_OK ? info.count : 0;
}

uint64_t afxi_py_read_size(const AfxModel *model, AfxiPyWhat what) {
    uint64_t bodies = afx_model_body_count(model);
    switch (what) {
    case AFXI_PY_Q:
    case AFXI_PY_V:
        return 12 * bodies;
    case AFXI_PY_POSES:
        return 7 * bodies;
    case AFXI_PY_TWISTS:
    case AFXI_PY_CONTACTS:
        return 6 * bodies;
    case AFXI_PY_JOINTS:
    case AFXI_PY_RATES:
        return afx_model_coordinate_count(model);
    case AFXI_PY_REACTIONS:
        return 6 * (uint64_t)afx_model_joint_count(model);
    case AFXI_PY_EFFORTS:
        return drive_count(model);
    case AFXI_PY_MARKERS:
        return 6 * (uint64_t)afx_model_marker_count(model);
    case AFXI_PY_ENERGY:
        return 4;
    case AFXI_PY_TIME:
        return 1;
    case AFXI_PY_WHAT_COUNT:
        break;
    }
    return 0;
}

void afxi_py_joint_first(const AfxModel *model, int64_t *out_first) {
    uint32_t joints = afx_model_joint_count(model);
    for (uint32_t k = 0; k < joints; k++) {
        out_first[k] = afx_model_joint_coordinate(model, k);
    }
    out_first[joints] = afx_model_coordinate_count(model);
}

static AfxStatus read_rates(const AfxSim *sim, double *out_rates) {
    const AfxModel *model = afx_sim_model(sim);
    uint32_t joints = afx_model_joint_count(model), coordinates = afx_model_coordinate_count(model);
    AfxStatus status = AFX_OK;
    for (uint32_t joint = 0; joint < joints && status == AFX_OK; joint++) {
        uint32_t first = afx_model_joint_coordinate(model, joint);
        uint32_t end = joint + 1 < joints ? afx_model_joint_coordinate(model, joint + 1) : coordinates;
        for (uint32_t k = first; k < end && status == AFX_OK; k++) {
            status = afx_sim_joint_coordinate(sim, joint, k - first, NULL, out_rates + k);
        }
    }
    return status;
}

static AfxStatus read_reactions(const AfxSim *sim, double *out_values) {
    uint32_t count = afx_model_joint_count(afx_sim_model(sim));
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
        AfxWrench reaction;
        status = afx_sim_joint_reaction(sim, k, &reaction);
        memcpy(out_values + 6 * (size_t)k, &reaction, sizeof reaction);
    }
    return status;
}

static AfxStatus read_efforts(const AfxSim *sim, double *out_values) {
    uint32_t count = drive_count(afx_sim_model(sim));
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
        status = afx_sim_drive_effort(sim, k, out_values + k);
    }
    return status;
}

static AfxStatus read_markers(const AfxSim *sim, double *out_values) {
    uint32_t count = afx_model_marker_count(afx_sim_model(sim));
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
        AfxVec3 both[2];
        status = afx_sim_marker(sim, k, &both[0], &both[1]);
        memcpy(out_values + 6 * (size_t)k, both, sizeof both);
    }
    return status;
}

static void add_contact(double *wrench, const double center[3], const AfxContact *contact, double sign) {
    AfxVec3 p = contact->point, n = contact->normal, f = contact->friction, m = contact->moment;
    double at[3] = {p.x - center[0], p.y - center[1], p.z - center[2]};
    double force[3] = {sign * (contact->force * n.x + f.x), sign * (contact->force * n.y + f.y),
                       sign * (contact->force * n.z + f.z)};
    const double moment[3] = {sign * m.x, sign * m.y, sign * m.z};
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3, last = (k + 2) % 3;
        wrench[k] += force[k];
        wrench[3 + k] += at[next] * force[last] - at[last] * force[next] + moment[k];
    }
}

/* Contact by contact, not body by body: afx_sim_body_contact goes through all contacts for each. */
static AfxStatus read_contact_forces(const AfxSim *sim, double *out_values) {
    const double *q = afx_sim_coordinates(sim);
    uint32_t count = afx_sim_contact_count(sim);
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
        AfxContact contact;
        status = afx_sim_contact(sim, k, &contact);
        if (status == AFX_OK) {
            size_t a = contact.body_a, b = contact.body_b;
            add_contact(out_values + 6 * a, q + 12 * a + 9, &contact, 1);
            add_contact(out_values + 6 * b, q + 12 * b + 9, &contact, -1);
        }
    }
    return status;
}

AfxStatus afxi_py_contacts(const AfxSim *sim, uint32_t count, AfxContact *out_contacts) {
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
        status = afx_sim_contact(sim, k, &out_contacts[k]);
    }
    return status;
}

AfxStatus afxi_py_read(const AfxSim *sim, AfxiPyWhat what, double *out_values) {
    size_t bytes = (size_t)afxi_py_read_size(afx_sim_model(sim), what) * sizeof(double);
    switch (what) {
    case AFXI_PY_Q:
        memcpy(out_values, afx_sim_coordinates(sim), bytes);
        return AFX_OK;
    case AFXI_PY_V:
        memcpy(out_values, afx_sim_velocities(sim), bytes);
        return AFX_OK;
    case AFXI_PY_POSES:
        return afx_sim_poses(sim, (AfxPose *)out_values);
    case AFXI_PY_TWISTS:
        return afx_sim_twists(sim, (AfxTwist *)out_values);
    case AFXI_PY_JOINTS:
        return afx_sim_joint_coordinates(sim, out_values);
    case AFXI_PY_RATES:
        return read_rates(sim, out_values);
    case AFXI_PY_REACTIONS:
        return read_reactions(sim, out_values);
    case AFXI_PY_EFFORTS:
        return read_efforts(sim, out_values);
    case AFXI_PY_MARKERS:
        return read_markers(sim, out_values);
    case AFXI_PY_CONTACTS:
        memset(out_values, 0, bytes);
        return read_contact_forces(sim, out_values);
    case AFXI_PY_ENERGY:
        return afx_sim_energy(sim, (AfxEnergy *)out_values);
    case AFXI_PY_TIME:
        *out_values = afx_sim_time(sim);
        return AFX_OK;
    case AFXI_PY_WHAT_COUNT:
        break;
    }
    return AFX_E_ARGUMENT;
}

AfxStatus afxi_py_batch_read(AfxiPyRun *const *runs, uint32_t count, AfxiPyWhat what, double *out_values) {
    AfxStatus status = AFX_OK;
    for (uint32_t k = 0; k < count && status == AFX_OK; k++) {
        uint64_t size = afxi_py_read_size(afx_sim_model(runs[k]->sim), what);
        status = afxi_py_read(runs[k]->sim, what, out_values + k * size);
    }
    return status;
}
