/* SPDX-License-Identifier: Apache-2.0 */
/* Instances: "repeat": {"count": n, "step": pose}, or arrays of up to three for a grid. Instance (i, j, k) is moved by
 * step_2^k step_1^j step_0^i. A step that does not turn is multiplied, so that the last of a million instances is where
 * it should be; one that turns is composed again and again. */
#include <stdio.h>

#include "load/json.h"
#include "math/vec3.h"

uint64_t afxi_json_repeat_total(const AfxiJsonNode *node) {
    const AfxiJsonNode *count = afxi_json_get(node, "count");
    bool many = count && json_is_array(count->value);
    uint64_t total = 1;
    for (const AfxiJsonNode *one = many ? afxi_json_first(count) : count; one;
         one = many ? afxi_json_next(count, one) : NULL) {
        double value = json_number_value(one->value);
        uint64_t factor = value >= 1 && value <= UINT32_MAX ? (uint64_t)value : value > UINT32_MAX ? UINT32_MAX : 1;
        total = total > UINT64_MAX / factor ? UINT64_MAX : total * factor;
    }
    return total;
}

static bool read_direction(const AfxiJsonFile *file, const AfxiJsonNode *count, const AfxiJsonNode *step,
                           const AfxiJsonNode *joint, AfxiJsonRepeat *out) {
    uint32_t d = out->directions++;
    out->step[d] = out->power[d] = afx_pose_identity();
    if (!afxi_json_whole_at(file, count, UINT32_MAX - 1, &out->count[d]) ||
        (step && !afxi_json_pose_at(file, step, &out->step[d]))) {
        return false;
    }
    if (out->count[d] == 0) {
        return afxi_json_error(file, count, "it is repeated 0 times", "give a count of 1 or more, or take it away");
    }
    out->joint[d] = joint && !json_is_null(joint->value) ? joint : NULL;
    return true;
}

/** Arrays of equal length, one entry for each direction. */
static bool read_directions(const AfxiJsonFile *file, const AfxiJsonNode *count, const AfxiJsonNode *step,
                            const AfxiJsonNode *joint, AfxiJsonRepeat *out) {
    if (count->count < 1 || count->count > AFXI_JSON_DIRECTIONS) {
        return afxi_json_error(file, count, "these are not 1 to 3 directions", "give 1 to 3 counts");
    }
    if ((step && (!json_is_array(step->value) || step->count != count->count)) ||
        (joint && (!json_is_array(joint->value) || joint->count != count->count))) {
        return afxi_json_error(file,
                               step && step->count != count->count ? step
                               : joint                             ? joint
                                                                   : step,
                               "this has not one entry for each count", "give arrays of equal length");
    }
    const AfxiJsonNode *next_count = afxi_json_first(count), *next_step = afxi_json_first(step);
    const AfxiJsonNode *next_joint = afxi_json_first(joint);
    bool fine = true;
    while (next_count && fine) {
        fine = read_direction(file, next_count, next_step, next_joint, out);
        next_count = afxi_json_next(count, next_count);
        next_step = next_step ? afxi_json_next(step, next_step) : NULL;
        next_joint = next_joint ? afxi_json_next(joint, next_joint) : NULL;
    }
    return fine;
}

bool afxi_json_repeat(const AfxiJsonFile *file, const AfxiJsonNode *object, bool joints, AfxiJsonRepeat *out_repeat) {
    const AfxiJsonNode *node = afxi_json_get(object, "repeat"), *count;
    *out_repeat = (AfxiJsonRepeat){.total = 1};
    if (!node) {
        return true;
    }
    if (!afxi_json_keys(file, node, joints ? "count step joint" : "count step") ||
        !afxi_json_need(file, node, "count", &count)) {
        return false;
    }
    const AfxiJsonNode *step = afxi_json_get(node, "step"), *joint = afxi_json_get(node, "joint");
    if (json_is_array(count->value) ? !read_directions(file, count, step, joint, out_repeat)
                                    : !read_direction(file, count, step, joint, out_repeat)) {
        return false;
    }
    uint64_t total = afxi_json_repeat_total(node);
    if (total > file->load->def->items_most) {
        return afxi_load_items(file->load, total, "instances", file->path, node->line);
    }
    out_repeat->total = (uint32_t)total;
    return true;
}

static bool has_rotation(AfxPose pose) {
    return pose.rotation.w != 1 || pose.rotation.x != 0 || pose.rotation.y != 0 || pose.rotation.z != 0;
}

void afxi_json_repeat_next(AfxiJsonRepeat *repeat) {
    repeat->number++;
    for (uint32_t d = 0; d < repeat->directions; d++) {
        repeat->index[d]++;
        if (repeat->index[d] < repeat->count[d]) {
            AfxPose *power = &repeat->power[d], step = repeat->step[d];
            if (has_rotation(step)) {
                *power = afx_pose_compose(*power, step);
            } else {
                power->position = vec3_scale(repeat->index[d], step.position);
            }
            return;
        }
        repeat->index[d] = 0;
        repeat->power[d] = afx_pose_identity();
    }
}

uint32_t afxi_json_repeat_stride(const AfxiJsonRepeat *repeat, uint32_t direction) {
    uint32_t stride = 1;
    for (uint32_t d = 0; d < direction; d++) {
        stride *= repeat->count[d];
    }
    return stride;
}

void afxi_json_repeat_place(const AfxiJsonRepeat *repeat, AfxiJsonScope *scope) {
    if (repeat->number == 0) { /* the first one stays where it was given, to the last bit */
        return;
    }
    for (uint32_t d = repeat->directions; d-- > 0;) {
        scope->place = scope->placed ? afx_pose_compose(scope->place, repeat->power[d]) : repeat->power[d];
        scope->placed = true;
    }
}

void afxi_json_repeat_suffix(const AfxiJsonRepeat *repeat, char out[AFXI_SUFFIX_SIZE]) {
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t d = 0; d < repeat->directions; d++) {
        used += (size_t)snprintf(out + used, AFXI_SUFFIX_SIZE - used, ".%lu", (unsigned long)repeat->index[d]);
    }
}
