/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of couplings. A length does not change when all moves as one, so that what a joint changes of it is what the
 * items beyond it do when only these move: those that other joints hold together with its follower. */
#include "model/robot_paths.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* All that stands still is one place, behind the bodies. */
static uint32_t place_of(const AfxModel *model, uint32_t body) {
    return body == AFXI_WORLD || model->kind[body] == AFX_BODY_FIXED ? model->shown.bodies : body;
}

/* Marks all places that joints other than `without` hold together with `from`. */
static void spread(const AfxModel *model, uint32_t without, uint32_t from, uint8_t *marked) {
    memset(marked, 0, (size_t)model->shown.bodies + 1);
    marked[from] = 1;
    for (bool any = true; any;) {
        any = false;
        for (uint32_t k = 0; k < model->shown.joints; k++) {
            uint32_t a = place_of(model, model->joints[k].base), b = place_of(model, model->joints[k].follower);
            if (k != without && marked[a] != marked[b]) {
                marked[a] = marked[b] = 1;
                any = true;
            }
        }
    }
}

static AfxStatus split(const AfxModel *model, const AfxiSceneCoupling *coupling, uint32_t term, AfxiPathItem *items,
                       uint8_t *marked, uint32_t index, AfxError *out_error) {
    const AfxiJoint *joint = &model->joints[coupling->joint[term]];
    spread(model, coupling->joint[term], place_of(model, joint->follower), marked);
    if (marked[place_of(model, joint->base)]) {
        char element[80];
        snprintf(element, sizeof element, "coupling %u", index);
        return afxi_error(out_error, AFX_E_INPUT, element, "a loop goes around a joint that its path goes over",
                          "name joints of the tree only");
    }
    for (uint32_t k = 0; k < coupling->path_count; k++) {
        items[k].beyond |= (uint32_t)marked[place_of(model, items[k].body)] << term;
    }
    return AFX_OK;
}

AfxStatus afxi_robot_paths(AfxModel *model, const AfxScene *scene, AfxError *out_error) {
    AfxiRobot *robot = &model->robot;
    uint32_t item = 0;
    size_t bytes = (size_t)model->shown.bodies + 1;
    uint8_t *marked = afxi_allocate(&model->allocator, bytes);
    AfxStatus status = marked ? AFX_OK : AFX_E_MEMORY;
    for (uint32_t k = 0; k < scene->coupling_count && status == AFX_OK; k++) {
        const AfxiSceneCoupling *coupling = scene->couplings + k;
        AfxiPathItem *items = robot->path_item + item;
        for (uint32_t i = 0; i < coupling->path_count; i++) {
            uint32_t body = coupling->path[i].kind == AFX_PATH_PULLEY ? AFXI_WORLD : coupling->path[i].body.index;
            items[i] = (AfxiPathItem){coupling->path[i], body, 0};
        }
        for (uint32_t term = 0; coupling->path_count && term < coupling->term_count && status == AFX_OK; term++) {
            status = split(model, coupling, term, items, marked, k, out_error);
        }
        if (coupling->path_count) {
            robot->path[robot->path_count++] = (AfxiPath){k, item, coupling->path_count};
            robot->path_most = coupling->path_count > robot->path_most ? coupling->path_count : robot->path_most;
            item += coupling->path_count;
        }
    }
    afxi_release(&model->allocator, marked, bytes);
    return status;
}
