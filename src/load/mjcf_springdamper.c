/* SPDX-License-Identifier: Apache-2.0 */
/* What hangs on the mass matrix of a tree of bodies: springdamper, and the inverse weights that soft contact goes by.
 * springdamper gives a joint's spring and damper by a time constant T and a damping ratio r:
 *     damping = 2 I / T,    stiffness = I / (T r)^2,    I = 1 / (M^-1)_jj,
 * with M the mass matrix of the tree of bodies at the start, which is made here for trees that need it. Of a joint with
 * several coordinates the mean of (M^-1)_jj counts. With (w, v) the twist that a coordinate gives to what it moves
 * (turning w, velocity v of the point at the world's origin), c, m, I_c the centre, mass and tensor of what both
 * coordinates move, M_ij = (w_i x c + v_i) . m (w_j x c + v_j) + w_i . I_c w_j. */
#include <math.h>

#include "base/memory.h"
#include "load/mjcf.h"

/* Coordinates of a tree: beyond that the inverse would take long. */
#define MOST 600u

typedef struct Freedom {
    uint32_t joint, body;
    AfxVec3 turn, velocity;
} Freedom;

/** Adds the coordinates of a joint; returns how many there are then. */
static uint32_t add_freedoms(const AfxiMjcf *m, uint32_t index, Freedom *list, uint32_t count) {
    static const AfxVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const AfxiMjcfJoint *joint = m->joints + index;
    const AfxiMjcfBody *body = m->bodies + joint->body;
    AfxVec3 point = afx_pose_apply(body->world, joint->type == AFXI_MJCF_FREE ? vec3(0, 0, 0) : joint->point);
    AfxVec3 axis = afx_quat_rotate(body->world.rotation, joint->direction);
    Freedom one = {.joint = index, .body = joint->body};
    if (joint->type == AFXI_MJCF_SLIDE) {
        one.velocity = axis;
        list[count++] = one;
    } else if (joint->type == AFXI_MJCF_HINGE) {
        one.turn = axis;
        one.velocity = vec3_cross(point, axis);
        list[count++] = one;
    }
    for (int k = 0; joint->type == AFXI_MJCF_FREE && k < 3; k++) {
        list[count++] = (Freedom){index, joint->body, vec3(0, 0, 0), axes[k]};
    }
    for (int k = 0; joint->type <= AFXI_MJCF_BALL && k < 3; k++) {
        list[count++] = (Freedom){index, joint->body, axes[k], vec3_cross(point, axes[k])};
    }
    return count;
}

static bool moves(const AfxiMjcf *m, uint32_t mover, uint32_t body) {
    while (body > mover) { /* parents come before their children */
        body = m->bodies[body].parent;
    }
    return body == mover;
}

static double matrix_entry(const AfxiMjcf *m, const Freedom *a, const Freedom *b) {
    uint32_t deep = a->body > b->body ? a->body : b->body, other = a->body > b->body ? b->body : a->body;
    if (!moves(m, other, deep)) {
        return 0;
    }
    const AfxMass *mass = &m->bodies[deep].subtree;
    const double *i = mass->inertia;
    AfxVec3 va = vec3_add(vec3_cross(a->turn, mass->center), a->velocity), w = b->turn;
    AfxVec3 vb = vec3_add(vec3_cross(b->turn, mass->center), b->velocity);
    AfxVec3 spin = vec3(i[0] * w.x + i[3] * w.y + i[4] * w.z, i[3] * w.x + i[1] * w.y + i[5] * w.z,
                        i[4] * w.x + i[5] * w.y + i[2] * w.z);
    return mass->mass * vec3_dot(va, vb) + vec3_dot(a->turn, spin);
}

/** Cholesky factor of the lower triangle of a[n][n] in place; false when it is not positive definite. */
static bool factor(double *a, size_t n) {
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; k++) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if (i == j && !(sum > 0)) {
                return false;
            }
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    }
    return true;
}

/** (M^-1)_jj: the squared length of the solution of L y = e_j. */
static double inverse_entry(const double *l, size_t n, size_t j, double *y) {
    double sum = 0;
    for (size_t i = j; i < n; i++) {
        double value = i == j ? 1 : 0;
        for (size_t k = j; k < i; k++) {
            value -= l[i * n + k] * y[k];
        }
        y[i] = value / l[i * n + i];
        sum += y[i] * y[i];
    }
    return sum;
}

/** Stiffness and damping of the joints of one tree from its factored mass matrix. */
static void set_springs(AfxiMjcf *m, const Freedom *list, const double *l, uint32_t n, double *y) {
    for (uint32_t k = 0; k < n;) {
        AfxiMjcfJoint *joint = m->joints + list[k].joint;
        uint32_t first = k;
        double mean = 0;
        while (k < n && list[k].joint == list[first].joint) {
            k++;
        }
        double time = joint->spring[0], ratio = joint->spring[1];
        if (!(time > 0 && ratio > 0)) {
            continue;
        }
        for (uint32_t j = first; j < k; j++) {
            mean += inverse_entry(l, n, j, y) / (k - first);
        }
        joint->stiffness = 1 / (mean * time * time * ratio * ratio);
        joint->damping = 2 / (mean * time);
    }
}

/** |L^-1 J|² of the velocity along an axis that the coordinates give to a point of a body. */
static double mobility(const AfxiMjcf *m, const Freedom *list, const double *l, uint32_t n, uint32_t body, AfxVec3 axis,
                       double *y) {
    AfxVec3 point = afx_pose_apply(m->bodies[body].world, m->bodies[body].mass.center);
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        AfxVec3 v = vec3_add(list[i].velocity, vec3_cross(list[i].turn, point));
        double value = moves(m, list[i].body, body) ? vec3_dot(axis, v) : 0;
        for (uint32_t k = 0; k < i; k++) {
            value -= l[(size_t)i * n + k] * y[k];
        }
        y[i] = value / l[(size_t)i * n + i];
        sum += y[i] * y[i];
    }
    return sum;
}

/** L^T x = y in place; the length of x. */
static double solve_back(const double *l, size_t n, double *y) {
    double sum = 0;
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) {
            y[i] -= l[k * n + i] * y[k];
        }
        y[i] /= l[i * n + i];
        sum += y[i] * y[i];
    }
    return sqrt(sum);
}

/** |M^-1 e_j|. */
static double response(const double *l, size_t n, size_t j, double *y) {
    inverse_entry(l, n, j, y);
    for (size_t i = 0; i < j; i++) {
        y[i] = 0;
    }
    return solve_back(l, n, y);
}

/** Inverse weights of the bodies of a tree. */
static void set_weights(AfxiMjcf *m, const Freedom *list, const double *l, uint32_t n, uint32_t begin, uint32_t end,
                        double *y) {
    for (uint32_t b = begin; b < end; b++) {
        m->bodies[b].weight =
            (mobility(m, list, l, n, b, vec3(1, 0, 0), y) + mobility(m, list, l, n, b, vec3(0, 1, 0), y) +
             mobility(m, list, l, n, b, vec3(0, 0, 1), y)) /
            3;
    }
}

/** M^-1 J as a whole: L L^T y = J in place; its length. */
static double solve_both(const double *l, size_t n, double *y) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            y[i] -= l[i * n + k] * y[k];
        }
        y[i] /= l[i * n + i];
    }
    return solve_back(l, n, y);
}

/** |M^-1 J| of a tendon on the coordinates of one tree. */
static double tendon_response(const AfxiMjcfTendon *t, const Freedom *list, const double *l, uint32_t n, double *y) {
    for (uint32_t i = 0; i < n; i++) {
        y[i] = 0;
        for (uint32_t k = 0; k < t->count; k++) {
            y[i] += list[i].joint == t->joint[k] ? t->factor[k] : 0;
        }
    }
    return solve_both(l, n, y);
}

/** Springs, weights and responses of a tree; of a tendon alone where one is given. */
static bool solve_tree(AfxiMjcf *m, uint32_t begin, uint32_t end, const AfxiMjcfTendon *tendon, double *out_response) {
    Freedom list[MOST];
    uint32_t n = 0;
    AfxiXmlNode *node = NULL;
    for (uint32_t b = begin; b < end; b++) {
        for (uint32_t k = m->bodies[b].first_joint; k != AFXI_MJCF_NONE && n + 6 <= MOST; k = m->joints[k].next) {
            n = add_freedoms(m, k, list, n);
            node = m->joints[k].spring[0] > 0 && m->joints[k].spring[1] > 0 ? m->joints[k].node : node;
        }
    }
    if (n == 0) {
        return true;
    }
    if (n + 6 > MOST) {
        return !node || afxi_xml_notice(m->load, AFX_NOTICE_IGNORED, node, "springdamper",
                                        "the tree of bodies has too many coordinates");
    }
    size_t size = ((size_t)n * n + n) * sizeof(double);
    double *a = afxi_allocate(&m->load->allocator, size);
    if (!a) {
        return afxi_load_memory_error(m->load, m->main->root->file, 0);
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            a[(size_t)i * n + j] =
                matrix_entry(m, list + i, list + j) + (i == j ? m->joints[list[i].joint].armature : 0);
        }
    }
    bool good = factor(a, n);
    if (good && tendon) {
        *out_response = hypot(*out_response, tendon_response(tendon, list, a, n, a + (size_t)n * n));
    } else if (good) {
        set_springs(m, list, a, n, a + (size_t)n * n);
        for (uint32_t k = 0; k < n; k++) {
            m->joints[list[k].joint].acceleration = response(a, n, k, a + (size_t)n * n);
        }
        set_weights(m, list, a, n, begin, end, a + (size_t)n * n);
    }
    afxi_release(&m->load->allocator, a, size);
    return good || !node || tendon ||
           afxi_xml_error(m->load, node, "springdamper", "what the joint moves has no inertia", "give it mass");
}

static bool solve_trees(AfxiMjcf *m, const AfxiMjcfTendon *tendon, double *out_response) {
    uint32_t begin = 1;
    while (begin < m->body_count) { /* a tree is a row of bodies that begins with a child of the world */
        uint32_t end = begin + 1;
        while (end < m->body_count && m->bodies[end].parent != 0) {
            end++;
        }
        if (!solve_tree(m, begin, end, tendon, out_response)) {
            return false;
        }
        begin = end;
    }
    return true;
}

bool afxi_mjcf_set_springs(AfxiMjcf *m) {
    double unused = 0;
    return solve_trees(m, NULL, &unused);
}

bool afxi_mjcf_response(AfxiMjcf *m, const AfxiMjcfTendon *tendon, double *out_response) {
    *out_response = 0;
    return solve_trees(m, tendon, out_response);
}
