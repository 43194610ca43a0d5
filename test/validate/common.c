/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases/cases.h"

Rig rig_run(const char *name, const char *argument, uint32_t steps) {
    Rig rig = {0};
    AfxSceneDef def = afx_default_scene();
    AfxSimDef sim = afx_default_sim();
    AfxiCaseArguments args;
    AfxError error = {0};
    assert_ok(afxi_case_arguments(afxi_case_find(name), argument ? 1 : 0, &argument, &args, &error));
    assert_ok(afxi_case_build(&args, &def, &rig.scene, &error));
    assert_ok(afx_model_create(rig.scene, &rig.model, &error));
    assert_ok(afx_sim_create(rig.model, &sim, &rig.sim));
    for (uint32_t k = 0; k < steps; k++) {
        assert_ok(afx_step(rig.sim, NULL));
    }
    return rig;
}

void rig_free(Rig *rig) {
    afx_sim_destroy(rig->sim);
    afx_model_destroy(rig->model);
    afx_scene_destroy(rig->scene);
    *rig = (Rig){0};
}

bool is_noticed(void (*call)(void *context), void *context) {
    int silent[2], status = 0;
    assert_int_equal(pipe(silent), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(silent[1], STDERR_FILENO);
        signal(SIGABRT, SIG_DFL); /* cmocka has a handler of its own */
        call(context);
        _exit(0);
    }
    close(silent[0]);
    close(silent[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}
