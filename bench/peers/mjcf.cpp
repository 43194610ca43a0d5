/* SPDX-License-Identifier: Apache-2.0 */
/* A scene as MJCF: the tree of joints as nested bodies; joints that close loops are `connect` constraints, as stiff as
 * the step allows (time constant two steps, impedance 0.9999), a hinge as two of them; contacts are as
 * soft as MuJoCo's own (stiffer ones blew up), with an elliptic friction cone, as its makers advise against slip.
 * Variants: rk4, implicit, euler; --substeps divide h. */
#include <cstdio>
#include <cstring>
#include <vector>

#include "mjcf.h"

namespace {

std::string numbers(const double *v, int count) {
    std::string text;
    char buffer[40];
    for (int k = 0; k < count; k++) {
        std::snprintf(buffer, sizeof buffer, "%s%.17g", k ? " " : "", v[k]);
        text += buffer;
    }
    return text;
}

std::string pose_text(const PeerPose &pose) {
    return "pos=\"" + numbers(pose.position, 3) + "\" quat=\"" + numbers(pose.rotation, 4) + "\"";
}

double step_of(const PeerOptions *options) {
    return options->h / options->substeps;
}

std::string stiffness(const PeerOptions *options) {
    double stiff[2] = {2 * step_of(options), 1};
    return " solref=\"" + numbers(stiff, 2) + "\" solimp=\"0.9999 0.9999 0.001\"";
}

struct Text {
    const PeerScene *scene;
    const PeerOptions *options;
    PeerTree tree;
    std::vector<std::vector<uint32_t>> children; /* branches, per body; the world is the last */
    std::string body;
};

std::string geom_text(const Text &text, const PeerShape &shape) {
    static const char *const names[] = {"sphere", "capsule", "box", "plane"};
    double size[3] = {shape.size[0], shape.size[1], shape.size[2]}, plane[3] = {0, 0, 1};
    double friction[3] = {text.scene->friction, 0, 0};
    char bits[80];
    std::snprintf(bits, sizeof bits, " contype=\"%u\" conaffinity=\"%u\" condim=\"3\"", shape.group, shape.mask);
    return std::string("<geom type=\"") + names[shape.kind] + "\" size=\"" +
           numbers(shape.kind == PEER_PLANE ? plane : size, 3) + "\" " + pose_text(shape.pose) + bits + " friction=\"" +
           numbers(friction, 3) + "\"/>";
}

std::string joint_text(const PeerJoint &joint, const PeerPose &frame) {
    const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    double axis[3];
    std::string at = "pos=\"" + numbers(frame.position, 3) + "\"";
    peer_rotate(frame.rotation, x, axis);
    std::string along = " axis=\"" + numbers(axis, 3) + "\"";
    if (joint.kind == PEER_BALL) {
        return "<joint type=\"ball\" " + at + "/>";
    }
    if (joint.kind == PEER_HINGE) {
        return "<joint type=\"hinge\" " + at + along + "/>";
    }
    if (joint.kind == PEER_SLIDE) {
        const double range[2] = {joint.lower, joint.upper};
        std::string stops = joint.lower < joint.upper ? " limited=\"true\" range=\"" + numbers(range, 2) + "\"" : "";
        return "<joint type=\"slide\" " + at + along + stops + "/>";
    }
    peer_rotate(frame.rotation, y, axis);
    return "<joint type=\"hinge\" " + at + along + "/><joint type=\"hinge\" " + at + " axis=\"" + numbers(axis, 3) +
           "\"/>";
}

/* Opens a body's element; `branch` is NULL for a fixed one. */
void open_body(Text *text, int child, const PeerBranch *branch) {
    const PeerScene *scene = text->scene;
    const PeerBody &body = scene->bodies[child];
    PeerPose pose = peer_body_pose(scene, child);
    if (branch && branch->parent >= 0) {
        PeerPose parent = peer_body_pose(scene, branch->parent), inverse = peer_inverse(&parent);
        pose = peer_compose(&inverse, &pose);
    }
    text->body += "<body name=\"b" + std::to_string(child) + "\" " + pose_text(pose) + ">";
    if (branch && branch->joint >= 0) {
        const PeerJoint &joint = scene->joints[branch->joint];
        text->body += joint_text(joint, branch->from_a ? joint.on_b : joint.on_a);
    } else if (branch) {
        text->body += "<freejoint/>";
    }
    if (branch) {
        text->body += "<inertial pos=\"0 0 0\" mass=\"" + numbers(&body.mass, 1) + "\" diaginertia=\"" +
                      numbers(body.inertia, 3) + "\"/>";
    }
    for (uint32_t k = 0; k < body.shape_count; k++) {
        text->body += geom_text(*text, scene->shapes[body.first_shape + k]);
    }
    text->body += "\n";
}

/* The bodies that hang from `root` (-1: the world), without recursion: chains are deep. */
void add_branch(Text *text, int root) {
    struct Level {
        int body;
        size_t next;
    };
    std::vector<Level> stack{{root, 0}};
    while (!stack.empty()) {
        int at = stack.back().body;
        const std::vector<uint32_t> &branches = text->children[at < 0 ? text->scene->body_count : at];
        if (stack.back().next == branches.size()) {
            stack.pop_back();
            text->body += at < 0 ? "" : "</body>\n";
            continue;
        }
        const PeerBranch &branch = text->tree.branches[branches[stack.back().next++]];
        open_body(text, branch.child, &branch);
        stack.push_back({branch.child, 0});
    }
}

std::string loop_text(const Text &text, const PeerJoint &joint) {
    double on_a[2][3], on_b[2][3];
    std::string out;
    int count = peer_loop_points(&joint, on_a, on_b);
    for (int k = 0; k < count; k++) {
        out += "<connect body1=\"b" + std::to_string(joint.b) + "\" ";
        out += joint.a >= 0 ? "body2=\"b" + std::to_string(joint.a) + "\" " : "";
        out += "anchor=\"" + numbers(on_b[k], 3) + "\"" + stiffness(text.options) + "/>\n";
    }
    return out;
}

} // namespace

std::string peer_mjcf(const PeerScene *scene, const PeerOptions *options) {
    Text text{scene, options, peer_tree(scene), {}, ""};
    double h = step_of(options);
    const char *integrator = std::strcmp(options->variant, "rk4") == 0     ? "RK4"
                             : std::strcmp(options->variant, "euler") == 0 ? "Euler"
                                                                           : "implicit";
    std::string out = "<mujoco><compiler inertiafromgeom=\"false\" angle=\"radian\"/>"
                      "<option timestep=\"" +
                      numbers(&h, 1) + "\" integrator=\"" + integrator + "\" gravity=\"" + numbers(scene->gravity, 3) +
                      "\" solver=\"Newton\" cone=\"elliptic\">" +
                      (scene->shape_count ? "" : "<flag contact=\"disable\"/>") + "</option>\n<worldbody>\n";
    std::string loops, apart;
    text.children.resize(scene->body_count + 1);
    for (uint32_t k = 0; k < text.tree.count; k++) {
        int parent = text.tree.branches[k].parent;
        text.children[parent < 0 ? scene->body_count : parent].push_back(k);
    }
    add_branch(&text, -1);
    for (uint32_t k = 0; k < scene->body_count; k++) {
        if (scene->bodies[k].fixed) {
            open_body(&text, static_cast<int>(k), nullptr);
            add_branch(&text, static_cast<int>(k));
        }
    }
    for (uint32_t k = 0; k < scene->joint_count; k++) {
        const PeerJoint &joint = scene->joints[k];
        if (!text.tree.used[k] && !peer_joint_stands(scene, &joint)) {
            loops += loop_text(text, joint);
        }
        if (scene->shape_count && joint.a >= 0) {
            apart += "<exclude body1=\"b" + std::to_string(joint.a) + "\" body2=\"b" + std::to_string(joint.b) + "\"/>";
        }
    }
    return out + text.body + "</worldbody>\n<contact>" + apart + "</contact>\n<equality>\n" + loops +
           "</equality></mujoco>\n";
}

std::vector<PeerSpeed> peer_mjcf_speeds(const PeerScene *scene) {
    PeerTree tree = peer_tree(scene);
    std::vector<PeerSpeed> out;
    for (uint32_t k = 0; k < tree.count; k++) {
        const PeerBranch &branch = tree.branches[k];
        const PeerBody &body = scene->bodies[branch.child];
        double rate = branch.joint < 0 ? 0 : peer_branch_rate(scene, &branch);
        for (int i = 0; i < 3 && branch.joint < 0; i++) {
            if (body.linear[i] != 0 || body.angular[i] != 0) {
                peer_fail("mujoco: a body that floats freely must be at rest at the start");
            }
        }
        if (rate != 0) {
            out.push_back({branch.child, rate});
        }
    }
    return out;
}
