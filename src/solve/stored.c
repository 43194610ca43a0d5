/* SPDX-License-Identifier: Apache-2.0 */
/* Springs of all kinds hold k (x - rest)²/2 and what their tables add up to; a compliant coupling x²/(2 c); the spring
 * of a ball joint theta . k theta/2, theta the turn out of its rest orientation. */
#include "solve/stored.h"

#include "joint/law.h"
#include "joint/rotational_spring.h"
#include "math/table.h"
#include "model/params.h"
#include "solve/equation.h"
#include "solve/residual_rows.h"

static const double *numbers_of(const AfxiResidualStage *stage, AfxParamKind kind, uint32_t index) {
    return afxi_param_const(stage->model, stage->params, kind, index);
}

static double energy_at(const AfxiResidualStage *stage, const AfxiGraphRow *source, double x) {
    const double *numbers;
    AfxiSpringTables tables;
    switch ((AfxiRowSource)source->source) {
    case AFXI_SOURCE_DRIVE:
        numbers = numbers_of(stage, AFX_PARAM_DRIVE, source->index);
        x -= numbers[AFXI_DRIVE_REST];
        afxi_drive_tables(stage->model, stage->params, source->index, &tables);
        return 0.5 * numbers[AFXI_DRIVE_STIFFNESS] * x * x + x * afxi_table_mean(&tables.spring, 0, x);
    case AFXI_SOURCE_COUPLING:
        numbers = numbers_of(stage, AFX_PARAM_COUPLING, source->index);
        return numbers[AFX_COUPLING_TERMS + 1] > 0 ? 0.5 * x * x / numbers[AFX_COUPLING_TERMS + 1] : 0;
    case AFXI_SOURCE_SPRING:
        numbers = numbers_of(stage, AFX_PARAM_SPRING, source->index);
        afxi_spring_tables(stage->model, stage->params, source->index, &tables);
        x -= numbers[0];
        return 0.5 * numbers[1] * x * x + x * afxi_table_mean(&tables.spring, 0, x);
    default:
        return 0;
    }
}

static bool holds_energy(const AfxiResidualStage *stage, const AfxiGraph *graph, const AfxiGraphRow *source) {
    const AfxiGraphBlock *block = &graph->block[source->block];
    bool drive = source->source == AFXI_SOURCE_DRIVE && stage->model->drives[source->index].kind == AFX_DRIVE_SPRING &&
                 (block->type != AFXI_BLOCK_JOINT || stage->joint_active[block->index]);
    return drive || source->source == AFXI_SOURCE_COUPLING || source->source == AFXI_SOURCE_SPRING;
}

double afxi_stored_row(const AfxiResidualStage *stage, const AfxiGraph *graph, uint32_t row) {
    const AfxiGraphRow *source = &graph->row[row];
    AfxiEquation equation;
    if (!holds_energy(stage, graph, source)) {
        return 0;
    }
    afxi_equation_of_row(stage, graph, row, &equation);
    return energy_at(stage, source, equation.value);
}

double afxi_stored_ball(const AfxiResidualStage *stage, uint32_t joint) {
    uint32_t spring = stage->model->joints[joint].rotational_spring;
    if (spring == UINT32_MAX || !stage->joint_active[joint]) {
        return 0;
    }
    const double *stiffness = numbers_of(stage, AFX_PARAM_JOINT_SPRING, spring);
    AfxVec3 turn = afxi_residual_spring_turn(stage, joint);
    return 0.5 * (stiffness[0] * turn.x * turn.x + stiffness[1] * turn.y * turn.y + stiffness[2] * turn.z * turn.z);
}
