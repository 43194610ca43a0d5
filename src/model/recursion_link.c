/* SPDX-License-Identifier: Apache-2.0 */
/* The joints of bodies that go side by side, and what kernels need of them. */
#include "model/recursion_walk.h"

static uint32_t message_of(const AfxiRecursion *recursion, uint32_t body) {
    return AFXI_RECURSION_LANES * recursion->job[recursion->place[body] / AFXI_RECURSION_LANES].message +
           recursion->place[body] % AFXI_RECURSION_LANES;
}

/* The body farthest from the root that a change of a flywheel changes. */
static uint32_t carrier_of(const AfxiGraph *graph, const AfxiWalk *walk, const AfxiGraphBlock *coupling) {
    const AfxiGraphBlock *joint = &graph->block[graph->row[coupling->carrier].block];
    uint32_t best = graph->entry[joint->first_entry].dof.index;
    for (uint32_t e = joint->first_entry; e < joint->first_entry + joint->entry_count; e++) {
        uint32_t body = graph->entry[e].dof.index;
        best = walk->depth[body] > walk->depth[best] ? body : best;
    }
    return best;
}

void afxi_link_joint(AfxiGraph *graph, const AfxiWalk *walk, const AfxiRecursionJob *job, AfxiRecursionJoint *joint,
                     uint32_t lane, uint32_t place) {
    AfxiRecursion *recursion = &graph->recursion;
    uint32_t body = job->body[lane], other = afxi_walk_across(graph, place),
             block = graph->entry[graph->body_entry[place]].block;
    uint32_t closed_form = walk->joint[block];
    if (lane >= job->lanes) {
        /* Lanes that are empty do as the last one does: kernels of fewer lanes take a job in chunks, and what such a
         * lane repeats has to be in its own chunk, or sums of that one would be added to twice. */
        const uint32_t last = job->lanes - 1;
        joint->other[lane] = joint->other[last];
        joint->message[lane] = joint->message[last];
        joint->place[lane] = joint->place[last];
        joint->rotational_spring[lane] = joint->rotational_spring[last];
        joint->row[lane] = joint->row[last];
        joint->reach[lane] = joint->reach[last];
        joint->sign[lane] = joint->sign[last];
        return;
    }
    joint->place[lane] = place;
    joint->rotational_spring[lane] = graph->block[block].rotational_spring;
    joint->other[lane] = graph->block[block].flywheel ? carrier_of(graph, walk, &graph->block[block]) : other;
    joint->row[lane] = graph->block[block].first_row;
    joint->reach[lane] = graph->closed_form.lever ? graph->closed_form.lever[place].point[0] : 0;
    joint->sign[lane] = graph->closed_form.lever ? graph->closed_form.lever[place].sign : 0;
    joint->message[lane] = other == AFXI_WALK_NONE || place == walk->parent[body] ? 0 : message_of(recursion, other);
    if (other == AFXI_WALK_NONE && (job->rows || job->high_degree)) {
        const AfxiClosedFormJoint *own = &graph->closed_form.joint[closed_form];
        bool follower = own->b == body;
        joint->other[lane] = follower ? own->a : own->b;
        joint->message[lane] = AFXI_WALK_GROUND + recursion->ground_count;
        recursion->ground[recursion->ground_count++] = (AfxiRecursionGround){closed_form, follower};
    }
}

/* Of the rows of a joint in one lane, what follows from its kind. */
static void link_rows(const AfxiGraph *graph, const AfxiWalk *walk, uint32_t place, uint32_t lane,
                      AfxiGeneralJoint *to) {
    const AfxModel *model = walk->model;
    const AfxiGraphBlock *block = afxi_walk_block(graph, place);
    if (block->flywheel) { /* towards the root: what it has of the carried body is its gradient */
        to->still = false;
        to->hard = 0;
        return;
    }
    const AfxiJoint *joint = &model->joints[block->index];
    const AfxiJointFrame *frame = (const AfxiJointFrame *)model->joint_frames.items + joint->frame;
    bool follower = joint->follower == graph->body[graph->entry[graph->body_entry[place]].dof.index];
    double point[3];
    vec3_store(point, follower ? frame->point_a : frame->point_b);
    to->sign[lane] = follower ? 1 : -1;
    for (int k = 0; k < 3; k++) {
        to->point[k][lane] = follower ? point[k] : -point[k];
    }
    for (uint32_t r = to->points; r < afxi_walk_rows(block); r++) {
        to->still &= afxi_walk_turns_only(model, graph, block->first_row + r);
    }
    uint8_t hard = afxi_walk_joint_kind(model, block)->row_count;
    to->hard = hard < to->hard ? hard : to->hard;
}

/* Of a general job, what its kernels need besides. */
static void link_general(AfxiGraph *graph, const AfxiWalk *walk, const AfxiRecursionJob *job,
                         const AfxiRecursionJoint *joint, bool towards, AfxiGeneralJoint *to) {
    const AfxiRecursion *recursion = &graph->recursion;
    const AfxiGraphBlock *block = afxi_walk_block(graph, joint->place[0]);
    to->rows = (uint8_t)afxi_walk_rows(block);
    to->points = afxi_walk_has_point(walk->model, block) ? 3 : 0;
    to->beyond = (uint8_t)afxi_walk_beyond(graph, joint->place[0]);
    to->plain = block->leading > block->plain ? block->plain : 0;
    to->still = true;
    to->hard = UINT8_MAX;
    for (uint32_t l = 0; l < AFXI_RECURSION_LANES; l++) {
        link_rows(graph, walk, joint->place[l], l, to);
    }
    for (uint32_t l = 0; l < AFXI_RECURSION_LANES; l++) {
        to->jacobian[l] = graph->entry[graph->body_entry[joint->place[l]]].jacobian;
        to->row[l] = joint->row[l];
        to->left[l] = 0;
        if (!towards && to->beyond == AFXI_BEYOND_GENERAL) {
            uint32_t place = recursion->place[joint->other[l]];
            const AfxiRecursionJob *other = &recursion->job[place / AFXI_RECURSION_LANES];
            to->left[l] =
                other->forward +
                AFXI_RECURSION_LANES * (size_t)afxi_general_layout(other->inner, other->size, other->stored).left +
                place % AFXI_RECURSION_LANES;
        }
    }
    to->aligned = to->left[0] % AFXI_RECURSION_LANES == 0 && job->lanes == AFXI_RECURSION_LANES;
    for (uint32_t l = 0; l < AFXI_RECURSION_LANES; l++) {
        to->aligned &= to->left[l] == to->left[0] + l;
    }
}

/* Joints of the bodies of a general job, and the numbers of their rows. */
void afxi_link_bodies(AfxiGraph *graph, const AfxiWalk *walk, AfxiRecursionJob *job) {
    AfxiRecursion *recursion = &graph->recursion;
    uint32_t place[AFXI_BODY_ROWS_MOST], count = job->children + job->rooted;
    for (uint32_t l = 0; l < AFXI_RECURSION_LANES; l++) {
        afxi_walk_list_joints(graph, walk, job->body[l], place);
        for (uint32_t k = 0; k < count; k++) {
            afxi_link_joint(graph, walk, job, &recursion->joint[job->first_joint + k], l, place[k]);
        }
    }
    job->first_general = recursion->general_count;
    bool alike = job->rooted && job->children <= AFXI_GENERAL_CHILDREN, six = alike;
    for (uint32_t k = 0; k < count; k++) {
        AfxiGeneralJoint *joint = &recursion->general[recursion->general_count++];
        link_general(graph, walk, job, &recursion->joint[job->first_joint + k], k == job->children, joint);
        joint->first = job->size;
        joint->stored = job->stored;
        job->size = (uint8_t)(job->size + joint->rows);
        job->stored = (uint8_t)(job->stored + joint->rows - joint->points);
        job->inner = k < job->children ? job->size : job->inner;
        alike &= joint->points && joint->still && joint->rows == recursion->general[job->first_general].rows;
        six &= !joint->points && joint->rows == 6;
    }
    uint32_t rest = alike ? recursion->general[job->first_general].rows - 3u : AFXI_GENERAL_SIX;
    job->rest = (uint8_t)(rest <= AFXI_GENERAL_REST ? rest : six ? AFXI_GENERAL_SIX : AFXI_GENERAL_SIX + 1u);
}
