/* SPDX-License-Identifier: Apache-2.0 */
/* What every room below the step sees of a sim: model, settings, parameters, state and input. Only the step itself
 * changes which of them there are; the solver writes the state alone, and that only when all of a stage is accepted. */
#ifndef AFXI_STATE_WORLD_H
#define AFXI_STATE_WORLD_H

#include "body/free.h"
#include "model/params.h"
#include "state/state.h"
#include "state/trace.h"

struct AfxiHolds;
struct AfxiAngleGroup;

typedef struct AfxiWorld {
    const AfxModel *model;
    AfxSimDef def;
    AfxiState state;

    const double *params; /* the model's or the sim's own */
    const AfxiClasses *classes;
    uint32_t classes_version; /* counts changes of what bodies are made of */
    uint32_t params_version;  /* counts changes of any parameter */
    uint32_t springs_version; /* ... of what springs of ball joints are */
    uint32_t forces_version;  /* ... of wrenches */
    uint32_t joints_version;  /* ... of which joints are switched on */

    uint32_t *plain, *forced; /* moving bodies without joints, without and with forces */
    uint32_t plain_count, forced_count;
    uint32_t *force_slot;  /* [bodies] place in forces, or UINT32_MAX */
    AfxiFreeForce *forces; /* [force_count] first those of `forced`, in its order */
    uint32_t force_count;
    size_t force_bytes;
    double force_time;        /* s, at which signals of wrenches were taken */
    AfxWrench *body_wrenches; /* [bodies], or NULL */

    struct AfxiAngleGroup *angle_group; /* [angle_group_count] joints whose turns are counted, side by side */
    double *angle_frames;               /* joint frames of these */
    uint32_t *angle_ball;               /* [angle_ball_count] those that go one by one */
    uint32_t angle_group_count, angle_ball_count;

    double *drive_target;   /* [drives][2] target and rate of the stage */
    uint32_t *drive_moving; /* [drive_moving_count] drives whose targets change */
    uint32_t drive_moving_count;
    uint8_t *drive_changes; /* [drives] of branch in this step */
    uint8_t *branch_begin;  /* [drives] branch at its beginning */
    uint8_t *branch_part;   /* [drives] the same for the present part of the step */
    double *jump_from;   /* [bodies][12] velocities of a run before a pass of an impact, where something can strike */
    double *limit_rate;  /* [drives] rate that an impact gives to a limit which is met; NaN: it leaves it free */
    uint8_t *limit_came; /* [drives] the impact has seen it come at its end */
    uint32_t joints_off; /* joints that are switched off */
    struct AfxiHolds *holds; /* NULL: nothing has been held yet */
    AfxiTrace *trace;        /* NULL: off */
} AfxiWorld;

/** Class of a body. */
static inline const AfxiBodyClass *afxi_world_class(const AfxiWorld *world, uint32_t body) {
    return (const AfxiBodyClass *)world->classes->intern.items + world->classes->of[body];
}

/** Both frames of a joint. */
static inline const AfxiJointFrame *afxi_world_joint_frame(const AfxiWorld *world, uint32_t joint) {
    return (const AfxiJointFrame *)world->model->joint_frames.items + world->model->joints[joint].frame;
}

/** Item `index` of a kind of parameters. */
static inline const double *afxi_world_param(const AfxiWorld *world, AfxParamKind kind, uint32_t index) {
    return afxi_param_const(world->model, world->params, kind, index);
}

#endif
