/* SPDX-License-Identifier: Apache-2.0 */
/* What a model tells of its structure and of what solving it takes. */
#include "model/contacts.h"
#include "model/model.h"
#include "sparse/plan.h"

const char *afx_solver_name(AfxSolver solver) {
    static const char *const names[] = {
#define NAME(solver, name) name,
        AFX_SOLVER_TABLE(NAME)
#undef NAME
    };
    return (int)solver >= 0 && solver < AFX_SOLVER_COUNT ? names[solver] : "unknown";
}

const char *afx_structure_name(AfxStructure structure) {
    static const char *const names[] = {
#define NAME(structure, name) name,
        AFX_STRUCTURE_TABLE(NAME)
#undef NAME
    };
    return (int)structure >= 0 && structure < AFX_STRUCTURE_COUNT ? names[structure] : "unknown";
}

uint32_t afx_model_component_count(const AfxModel *model) {
    uint32_t count = model ? model->chains.chain_count : 0;
    for (uint32_t k = 0; model && k < model->graph_count; k++) {
        count += model->graph[k].component_count;
    }
    return count;
}

/* Joints of a ball chain: at its ends there may be none. */
static uint32_t chain_joints(const AfxiChains *chains, const AfxiChain *chain) {
    const uint32_t *slot = chains->slot_joint + chain->first_slot;
    return chain->link_count - 1 + (slot[0] != UINT32_MAX) + (slot[chain->link_count] != UINT32_MAX);
}

AfxStatus afx_model_component(const AfxModel *model, uint32_t index, AfxComponent *out_component) {
    if (!out_component || index >= afx_model_component_count(model)) {
        return AFX_E_ARGUMENT;
    }
    if (index >= model->chains.chain_count) {
        index -= model->chains.chain_count;
        const AfxiGraph *graph = model->graph;
        for (; index >= graph->component_count; graph++) {
            index -= graph->component_count;
        }
        *out_component = graph->component[index];
        return AFX_OK;
    }
    const AfxiChain *chain = &model->chains.chain[index];
    uint32_t joints = chain_joints(&model->chains, chain);
    *out_component = (AfxComponent){
        AFX_STRUCTURE_CHAIN, AFX_SOLVER_CHAIN, chain->link_count, joints, 3 * joints, 0,
    };
    return AFX_OK;
}

/* Eliminating the rows of the joints away from the root, body by body; the flops of a dense factor's columns. */
static double recursion_flops(const AfxiGraph *graph) {
    double flops = 0;
    for (uint32_t k = 0; graph->recursion.on && k < graph->recursion.job_count; k++) {
        const AfxiRecursionJob *job = &graph->recursion.job[k];
        uint32_t rows = job->high_degree ? 3 : job->rows, inner = rows ? rows * job->children : job->inner;
        uint32_t size = rows ? inner + rows * job->rooted : job->size;
        for (uint32_t row = 0; row < inner; row++) {
            flops += (double)job->lanes * (size - row) * (size - row);
        }
    }
    return flops;
}

static uint64_t table_bytes(const AfxiIntern *table) {
    return (uint64_t)table->count * table->item_size;
}

AfxStatus afx_model_costs(const AfxModel *model, AfxModelCosts *out_costs) {
    if (!model || !out_costs) {
        return AFX_E_ARGUMENT;
    }
    const AfxiChains *chains = &model->chains;
    *out_costs = (AfxModelCosts){
        .model_bytes = sizeof *model + model->raw_size + table_bytes(&model->frames) +
                       table_bytes(&model->classes.intern) + table_bytes(&model->joint_frames) + chains->raw_size +
                       model->phase.raw_size + model->robot.raw_size + chains->shape_bytes +
                       afxi_contacts_bytes(&model->contacts),
    };
    for (uint32_t k = 0; k < model->graph_count; k++) {
        const AfxiGraph *graph = &model->graph[k];
        out_costs->flops += graph->plan.flops + recursion_flops(graph);
        out_costs->model_bytes += sizeof *graph + graph->raw_size + graph->closed_form.raw_size +
                                  graph->recursion.raw_size + graph->spots_raw_size +
                                  afxi_block_plan_bytes(&graph->plan);
        out_costs->factor_bytes +=
            ((uint64_t)graph->plan.value_length + graph->plan.work_length + graph->recursion.forward_length) *
            sizeof(double);
    }
    for (uint32_t c = 0; c < chains->chain_count; c++) { /* columns of a block-tridiagonal matrix of 3 x 3 blocks */
        uint32_t joints = chain_joints(chains, &chains->chain[c]);
        out_costs->flops += (joints - 1.0) * (4 * 4 + 5 * 5 + 6 * 6) + (1 * 1 + 2 * 2 + 3 * 3);
    }
    return AFX_OK;
}
