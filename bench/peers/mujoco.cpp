/* SPDX-License-Identifier: Apache-2.0 */
/* peer_mujoco: MuJoCo, joint coordinates of the tree; joints that close loops are `connect` constraints, as stiff as
 * the step allows (time constant 2 h, impedance 0.9999), solved by Newton's method. Variants: implicit (velocities
 * implicit in Coriolis forces) and rk4. Contacts are off. MuJoCo starts a simulation anew when it has blown up: that is
 * a failure here. */
#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

#include "peer.h"

namespace {

struct Engine {
    mjModel *model;
    mjData *data;
    const PeerScene *scene;
    std::vector<int> id; /* of MuJoCo, per body */
};

/* Joints that hold a child: breadth first from what stands still, which keeps the tree flat. The world is the last. */
struct Tree {
    std::vector<std::vector<uint32_t>> children; /* joints, per body */
    std::vector<char> used;                      /* per joint */
};

std::string numbers(const double *v, int count) {
    std::string text;
    char buffer[40];
    for (int k = 0; k < count; k++) {
        std::snprintf(buffer, sizeof buffer, "%s%.17g", k ? " " : "", v[k]);
        text += buffer;
    }
    return text;
}

/* Position and rotation of a child in its parent's frame (parent < 0: the world). */
std::string relative_pose(const PeerScene *scene, int parent, const PeerBody &body) {
    double position[3], rotation[4];
    std::memcpy(position, body.position, sizeof position);
    std::memcpy(rotation, body.rotation, sizeof rotation);
    if (parent >= 0) {
        const PeerBody &base = scene->bodies[parent];
        mjtNum inverse[4];
        mju_negQuat(inverse, base.rotation);
        for (int k = 0; k < 3; k++) {
            position[k] -= base.position[k];
        }
        mjtNum turned[3];
        mju_rotVecQuat(turned, position, inverse);
        std::memcpy(position, turned, sizeof position);
        mju_mulQuat(rotation, inverse, body.rotation);
    }
    return "pos=\"" + numbers(position, 3) + "\" quat=\"" + numbers(rotation, 4) + "\"";
}

/* Opens a body's element; `joint` is NULL for a fixed one. */
std::string open_body(const PeerScene *scene, int parent, int child, const PeerJoint *joint) {
    const PeerBody &body = scene->bodies[child];
    std::string text = "<body name=\"b" + std::to_string(child) + "\" " + relative_pose(scene, parent, body) + ">";
    if (joint) {
        text += "<joint type=\"ball\" pos=\"" + numbers(joint->b == child ? joint->on_b : joint->on_a, 3) + "\"/>";
    }
    return text + "<inertial pos=\"0 0 0\" mass=\"" + numbers(&body.mass, 1) + "\" diaginertia=\"" +
           numbers(body.inertia, 3) + "\"/>\n";
}

Tree find_tree(const PeerScene *scene) {
    uint32_t world = scene->body_count;
    std::vector<std::vector<uint32_t>> joints_of(world + 1);
    std::vector<char> seen(world + 1, 0);
    std::vector<uint32_t> queue{world};
    Tree tree{std::vector<std::vector<uint32_t>>(world + 1), std::vector<char>(scene->joint_count, 0)};
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        joints_of[scene->joints[k].a < 0 ? world : scene->joints[k].a].push_back(k);
        joints_of[scene->joints[k].b].push_back(k);
    }
    seen[world] = 1;
    for (uint32_t k = 0; k < world; k++) {
        if (scene->bodies[k].fixed) {
            seen[k] = 1;
            queue.push_back(k);
        }
    }
    for (size_t at = 0; at < queue.size(); at++) {
        for (uint32_t k : joints_of[queue[at]]) {
            uint32_t a = scene->joints[k].a < 0 ? world : scene->joints[k].a, b = scene->joints[k].b;
            uint32_t other = a == queue[at] ? b : a;
            if (!seen[other]) {
                tree.children[queue[at]].push_back(k);
                tree.used[k] = seen[other] = 1;
                queue.push_back(other);
            }
        }
    }
    return tree;
}

/* The bodies that hang from `root` (-1: the world), without recursion: chains are deep. */
void add_branch(const PeerScene *scene, const Tree &tree, int root, std::string *out) {
    struct Level {
        int body;
        size_t next;
    };
    std::vector<Level> stack{{root, 0}};
    while (!stack.empty()) {
        int at = stack.back().body;
        const std::vector<uint32_t> &joints = tree.children[at < 0 ? scene->body_count : at];
        if (stack.back().next == joints.size()) {
            stack.pop_back();
            *out += at < 0 ? "" : "</body>\n";
            continue;
        }
        const PeerJoint &joint = scene->joints[joints[stack.back().next++]];
        int other = joint.a == at ? joint.b : joint.a;
        *out += open_body(scene, at, other, &joint);
        stack.push_back({other, 0});
    }
}

std::string describe(const PeerScene *scene, const PeerOptions *options) {
    Tree tree = find_tree(scene);
    const char *integrator = std::strcmp(options->variant, "rk4") == 0 ? "RK4" : "implicit";
    double stiff[2] = {2 * options->h, 1};
    std::string text = "<mujoco><compiler inertiafromgeom=\"false\"/><option timestep=\"" + numbers(&options->h, 1) +
                       "\" integrator=\"" + integrator + "\" gravity=\"" + numbers(scene->gravity, 3) +
                       "\" solver=\"Newton\"><flag contact=\"disable\"/></option>\n<worldbody>\n";
    add_branch(scene, tree, -1, &text);
    for (uint32_t k = 0; k < scene->body_count; k++) {
        if (scene->bodies[k].fixed) {
            text += open_body(scene, -1, static_cast<int>(k), nullptr);
            add_branch(scene, tree, static_cast<int>(k), &text);
        }
    }
    text += "</worldbody>\n<equality>\n";
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        const PeerJoint &joint = scene->joints[k];
        bool still = joint.a >= 0 && scene->bodies[joint.a].fixed && scene->bodies[joint.b].fixed;
        if (!tree.used[k] && !still) {
            text += "<connect body1=\"b" + std::to_string(joint.b) + "\" ";
            text += joint.a >= 0 ? "body2=\"b" + std::to_string(joint.a) + "\" " : "";
            text += "anchor=\"" + numbers(joint.on_b, 3) + "\" solref=\"" + numbers(stiff, 2) +
                    "\" solimp=\"0.9999 0.9999 0.001\"/>\n";
        }
    }
    return text + "</equality></mujoco>\n";
}

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
    std::string text = describe(scene, options);
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
    Engine *engine = new Engine{model, data, scene, {}};
    for (uint32_t k = 0; k < scene->body_count; k++) {
        engine->id.push_back(mj_name2id(model, mjOBJ_BODY, ("b" + std::to_string(k)).c_str()));
    }
    return engine;
}

bool step(void *context) {
    Engine *engine = static_cast<Engine *>(context);
    mj_step(engine->model, engine->data);
    const mjWarningStat *warning = engine->data->warning;
    return warning[mjWARN_BADQACC].number == 0 && warning[mjWARN_BADQVEL].number == 0 &&
           warning[mjWARN_BADQPOS].number == 0;
}

void read(void *context, PeerState *out) {
    Engine *engine = static_cast<Engine *>(context);
    mj_kinematics(engine->model, engine->data);
    mj_comPos(engine->model, engine->data);
    mj_comVel(engine->model, engine->data);
    for (uint32_t k = 0; k < engine->scene->body_count; k++) {
        int id = engine->id[k];
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
    PeerEngine engine = {"mujoco", mj_versionString(), create, step, read, nullptr};
    return peer_main(argc, argv, &engine);
}
