/* SPDX-License-Identifier: Apache-2.0 */
#undef AFXI_ASSERTIONS
#define AFXI_ASSERTIONS 1
#define afxi_model_validate validate_model_here
#define afxi_graph_validate validate_graph_here
#include "model/validate.c"

#include "tests.h"

static AfxModel *model;

static void validate(void *fault) {
    if (fault) {
        ((void (*)(AfxiGraph *))fault)(&model->graph[0]);
    }
    validate_model_here(model);
}

static void entry_of_no_body(AfxiGraph *graph) {
    graph->entry[1].dof.index = graph->body_count;
}

static void entry_of_another_block(AfxiGraph *graph) {
    graph->entry[1].block++;
}

static void rows_overlap(AfxiGraph *graph) {
    graph->block[1].first_row--;
}

static void row_of_another_block(AfxiGraph *graph) {
    graph->row[3].block++;
}

static void gradients_overlap(AfxiGraph *graph) {
    graph->entry[1].jacobian--;
}

static void list_of_another_body(AfxiGraph *graph) {
    uint32_t entry = graph->body_entry[0];
    graph->body_entry[0] = graph->body_entry[graph->entry_count - 1];
    graph->body_entry[graph->entry_count - 1] = entry;
}

static void loop_not_counted(AfxiGraph *graph) {
    graph->loop_rows++;
}

static void part_too_long(AfxiGraph *graph) {
    graph->part[graph->part_count].first_row--;
}

static void body_of_another_graph(AfxiGraph *graph) {
    model->graph_of[graph->body[0]] = UINT32_MAX;
}

static void other_root(AfxiGraph *graph) {
    model->root[graph->body[graph->body_count - 1]] = graph->body[graph->body_count - 1];
    model->root[graph->body[0]] = graph->body[graph->body_count - 1];
    model->graph_of[graph->body[graph->body_count - 1]] = 99;
}

static void faults_are_noticed(void **unused) {
    (void)unused;
    void (*const faults[])(AfxiGraph *) = {
        entry_of_no_body,     entry_of_another_block, rows_overlap,  row_of_another_block,  gradients_overlap,
        list_of_another_body, loop_not_counted,       part_too_long, body_of_another_graph, other_root};
    Rig rig = rig_run("four-bar", NULL, 0);
    model = rig.model;
    assert_true(model->graph_count == 1 && model->graph[0].loop_rows > 0);
    assert_false(is_noticed(validate, NULL));
    for (size_t k = 0; k < COUNT(faults); k++) {
        assert_true(is_noticed(validate, (void *)faults[k]));
    }
    rig_free(&rig);
}

static void break_link(void *which) {
    if (which == model) {
        model->chains.link_of[model->chains.link[0].body]++;
    } else if (which == &model->chains) {
        model->chains.chain[0].first_slot++;
    }
    validate_model_here(model);
}

static void chains_are_looked_at(void **unused) {
    (void)unused;
    Rig rig = rig_run("chain", "n=12", 0);
    model = rig.model;
    assert_int_equal(model->chains.chain_count, 1);
    assert_false(is_noticed(break_link, NULL));
    assert_true(is_noticed(break_link, model));
    assert_true(is_noticed(break_link, &model->chains));
    rig_free(&rig);
}

int run_model_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_noticed),
        cmocka_unit_test(chains_are_looked_at),
    };
    return cmocka_run_group_tests_name("validate: model", tests, NULL, NULL);
}
