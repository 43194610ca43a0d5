/* SPDX-License-Identifier: Apache-2.0 */
#include "support/random.h"
#include "support/rigid_reference.h"

double random_unit(uint64_t *seed) {
    uint64_t z = (*seed += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

AfxVec3 random_vec3(uint64_t *seed, double size) {
    double x = random_unit(seed), y = random_unit(seed), z = random_unit(seed);
    return v3(size * (2 * x - 1), size * (2 * y - 1), size * (2 * z - 1));
}

AfxQuat random_quat(uint64_t *seed) {
    AfxVec3 axis = random_vec3(seed, 1);
    return q_about(v3_norm(axis) > 0.1 ? axis : v3(0, 0, 1), 6 * random_unit(seed));
}

AfxPose random_pose(uint64_t *seed, double size) {
    AfxVec3 position = random_vec3(seed, size);
    return (AfxPose){position, random_quat(seed)};
}
