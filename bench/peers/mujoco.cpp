/* SPDX-License-Identifier: Apache-2.0 */
/* peer_mujoco: MuJoCo, joint coordinates of the tree, constraints and contacts solved by Newton's method (mjcf.cpp).
 * MuJoCo starts a simulation anew when it has blown up: that is a failure here. */
#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

#include "mjcf.h"

namespace {

struct Engine {
    mjModel *model;
    mjData *data;
    const PeerScene *scene;
    uint32_t substeps;
    std::vector<int> id; /* of MuJoCo, per body */
};

void stop(const char *message) {
    peer_fail("mujoco: %s", message);
}

void be_quiet(const char *) {
}

void *create(const PeerScene *scene, const PeerOptions *options) {
    mju_user_error = stop;
    mju_user_warning = be_quiet;
    char path[] = "/tmp/peer_mujoco_XXXXXX.xml", message[500] = "";
    int descriptor = mkstemps(path, 4);
    std::string text = peer_mjcf(scene, options);
    if (descriptor < 0 || write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        peer_fail("mujoco: no temporary file");
    }
    close(descriptor);
    mjModel *model = mj_loadXML(path, nullptr, message, sizeof message);
    unlink(path);
    mjData *data = model ? mj_makeData(model) : nullptr;
    for (char *at = message; *at; at++) {
        *at = *at == '\n' ? ' ' : *at;
    }
    if (!data) {
        peer_fail("mujoco: %s", model ? "no memory" : message);
    }
    Engine *engine = new Engine{model, data, scene, options->substeps, {}};
    for (uint32_t k = 0; k < scene->body_count; k++) {
        engine->id.push_back(mj_name2id(model, mjOBJ_BODY, ("b" + std::to_string(k)).c_str()));
    }
    for (const PeerSpeed &speed : peer_mjcf_speeds(scene)) {
        data->qvel[model->jnt_dofadr[model->body_jntadr[engine->id[speed.body]]]] = speed.rate;
    }
    return engine;
}

bool step(void *context) {
    Engine *engine = static_cast<Engine *>(context);
    for (uint32_t k = 0; k < engine->substeps; k++) {
        mj_step(engine->model, engine->data);
    }
    const mjWarningStat *warning = engine->data->warning;
    return warning[mjWARN_CONTACTFULL].number == 0 && warning[mjWARN_CNSTRFULL].number == 0 &&
           warning[mjWARN_BADQACC].number == 0 && warning[mjWARN_BADQVEL].number == 0 &&
           warning[mjWARN_BADQPOS].number == 0;
}

void read(void *context, PeerState *out) {
    Engine *engine = static_cast<Engine *>(context);
    mj_kinematics(engine->model, engine->data);
    mj_comPos(engine->model, engine->data);
    mj_comVel(engine->model, engine->data);
    for (uint32_t k = 0; k < engine->scene->body_count; k++) {
        int id = engine->id[k];
        if (engine->scene->bodies[k].fixed) {
            continue; /* stays where it was */
        }
        mjtNum velocity[6]; /* angular, linear */
        mj_objectVelocity(engine->model, engine->data, mjOBJ_BODY, id, velocity, 0);
        for (int i = 0; i < 3; i++) {
            out[k].position[i] = engine->data->xipos[3 * id + i];
            out[k].angular[i] = velocity[i];
            out[k].linear[i] = velocity[3 + i];
        }
        for (int i = 0; i < 4; i++) {
            out[k].rotation[i] = engine->data->xquat[4 * id + i];
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    PeerEngine engine = {"mujoco", mj_versionString(), create, step, read, nullptr, nullptr, nullptr, nullptr};
    return peer_main(argc, argv, &engine);
}
