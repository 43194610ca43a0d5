/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots with changed bytes: a restore refuses them, or the sim goes on soundly. The input is a list of edits of a
 * good snapshot: position (4 bytes), operation (1), value (1). */
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A crank, a slider, a broken and a switched joint, drives of every kind, a coupling, a spring, a kinematic body. */
static const char text[] =
    "{\"affix_scene\": 1, \"bodies\": ["
    "{\"name\": \"a\", \"shapes\": [{\"kind\": \"box\", \"size\": [1, 0.1, 0.1]}]},"
    "{\"name\": \"b\", \"position\": [1, 0, 0], \"shapes\": [{\"kind\": \"box\", \"size\": [1, 0.1, 0.1]}]},"
    "{\"name\": \"c\", \"position\": [2, 0, 0], \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.1}]},"
    "{\"name\": \"d\", \"position\": [0, 3, 0], \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.1}]},"
    "{\"name\": \"k\", \"position\": [0, 5, 0], \"kind\": \"kinematic\", \"motion\": {\"angle\": {\"polynomial\": [0, "
    "1]}}}],"
    "\"joints\": ["
    "{\"name\": \"p\", \"kind\": \"revolute\", \"follower\": \"a\", \"frame\": {\"position\": [-0.5, 0, 0], "
    "\"rotation\": {\"along\": [0, "
    "1, 0]}}, \"drives\": [{\"kind\": \"servo\", \"stiffness\": 10, \"damping\": 1, \"effort\": 2, \"target\": 1}, "
    "{\"kind\": "
    "\"friction\", \"effort\": 0.1}, {\"kind\": \"limit\", \"lower\": -0.5, \"upper\": 0.5, \"restitution\": 0.5}]},"
    "{\"name\": \"q\", \"kind\": \"revolute\", \"base\": \"a\", \"follower\": \"b\", \"frame\": {\"position\": [0.5, "
    "0, 0], \"rotation\": "
    "{\"along\": [0, 1, 0]}}, \"drives\": [{\"kind\": \"spring\", \"stiffness\": 1}]},"
    "{\"name\": \"s\", \"kind\": \"slot\", \"follower\": \"c\", \"frame\": {\"position\": [2, 0, 0]}},"
    "{\"name\": \"w\", \"kind\": \"fixed\", \"base\": \"b\", \"follower\": \"c\", \"break_force\": 30, \"frame\": "
    "{\"position\": [1.5, 0, 0]}},"
    "{\"name\": \"z\", \"kind\": \"spherical\", \"base\": \"k\", \"follower\": \"d\", \"frame\": {\"position\": [0, 4, "
    "0]}},"
    "{\"name\": \"off\", \"kind\": \"fixed\", \"base\": \"c\", \"follower\": \"d\", \"active\": false, \"frame\": {}},"
    "{\"name\": \"v\", \"kind\": \"cylindrical\", \"follower\": \"d\", \"active\": false, \"drives\": [{\"kind\": "
    "\"velocity\", \"axis\": 1, "
    "\"target\": 1}, {\"kind\": \"force\", \"axis\": 0, \"from_input\": true}]}],"
    "\"couplings\": [{\"terms\": [{\"joint\": \"p\"}, {\"joint\": \"q\", \"factor\": -1}], \"compliance\": 1e-3}],"
    "\"springs\": [{\"body_a\": \"c\", \"body_b\": \"d\", \"stiffness\": 1}]}";

/** The sim, and a snapshot from the middle of a run; made once for each integrator. */
typedef struct Good {
    AfxSim *sim;
    unsigned char *snapshot, *edited;
    size_t size;
} Good;

static Good make_good(const AfxModel *model, AfxIntegrator integrator) {
    AfxSimDef def = afx_default_sim();
    Good good = {0};
    def.integrator = integrator;
    fuzz_expect(afx_sim_create(model, &def, &good.sim) == AFX_OK, "no sim");
    for (int step = 0; step < 5; step++) {
        fuzz_expect(afx_step(good.sim, NULL) == AFX_OK, "the good run fails");
    }
    good.size = afx_sim_snapshot_size(good.sim);
    good.snapshot = malloc(good.size);
    good.edited = malloc(good.size);
    fuzz_expect(good.snapshot && good.edited, "no memory");
    fuzz_expect(afx_sim_snapshot(good.sim, good.snapshot, good.size) == AFX_OK, "no snapshot");
    return good;
}

static const Good *good_of(unsigned which) {
    static Good goods[4];
    if (!goods[0].sim) {
        AfxSceneDef scene_def = afx_default_scene();
        AfxLoadDef def = afx_default_load();
        AfxScene *scene = NULL;
        AfxModel *model = NULL;
        def.format = AFX_FORMAT_JSON;
        fuzz_expect(afx_scene_create(&scene_def, &scene) == AFX_OK, "no scene");
        fuzz_expect(afx_scene_load_text(scene, text, sizeof text - 1, NULL, &def, NULL) == AFX_OK, "no mechanism");
        fuzz_expect(afx_model_create(scene, &model, NULL) == AFX_OK, "no model");
        afx_scene_destroy(scene);
        for (int k = 0; k < 4; k++) {
            goods[k] = make_good(model, (AfxIntegrator)k);
        }
    }
    return &goods[which % 4];
}

static void edit(const Good *good, const uint8_t *data, size_t size) {
    static const double numbers[8] = {0, -1, 1e-300, 1e300, 1e8, INFINITY, -INFINITY, NAN};
    memcpy(good->edited, good->snapshot, good->size);
    for (; size >= 6; data += 6, size -= 6) {
        uint32_t position;
        memcpy(&position, data, sizeof position);
        unsigned char *byte = good->edited + position % good->size;
        switch (data[4] % 4) {
        case 0:
            *byte = data[5];
            break;
        case 1:
            *byte ^= data[5];
            break;
        case 2: /* a whole number */
            memcpy(good->edited + position % (good->size / 8) * 8, &numbers[data[5] % 8], 8);
            break;
        default:
            *byte = (unsigned char)(*byte + data[5]);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) {
        return 0;
    }
    const Good *good = good_of(data[0]);
    edit(good, data + 2, size - 2);
    size_t length = data[1] % 4 == 3 ? good->size - 1 - data[1] : good->size;
    if (afx_sim_restore(good->sim, good->edited, length) == AFX_OK) {
        AfxStatus status = afx_step(good->sim, NULL);
        fuzz_expect(status != AFX_OK || fuzz_finite(good->sim), "a step that says it is fine left a state that is not");
        AfxEnergy energy;
        AfxWrench reaction;
        int64_t freedom;
        uint32_t redundant;
        (void)afx_sim_energy(good->sim, &energy);
        (void)afx_sim_joint_reaction(good->sim, 0, &reaction);
        (void)afx_sim_mobility(good->sim, &freedom, &redundant);
    }
    fuzz_expect(afx_sim_restore(good->sim, good->snapshot, good->size) == AFX_OK, "a good snapshot is refused");
    return 0;
}
