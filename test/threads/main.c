/* SPDX-License-Identifier: Apache-2.0 */
/* Threads, for the thread sanitizer to look at and for the bits to be the same: contacts found and solved by several
 * threads of one sim, and many sims of one model, each in a thread of its own. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "affix/affix.h"
#include "cases/cases.h"
#include "support/check.h"

enum { STEPS = SANITIZED ? 6 : 25, SIMS = SANITIZED ? 4 : 8, WORKERS = 3 };

static const struct {
    const char *name, *argument;
} scenes[] = {
    {"ragdolls", "count=2"}, {"net-cylinder", "k=6"}, {"falling-joints", "pairs=12"}, {"stack", NULL},
    {"tree", "links=90"},    {"net", "k=8"},          {"chains", "links=60"},
};
#define SCENES (sizeof scenes / sizeof scenes[0])

static AfxModel *make_model(size_t k) {
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxSceneDef def = afx_default_scene();
    AfxiCaseArguments args;
    AfxError error = {0};
    AfxStatus status = afxi_case_arguments(afxi_case_find(scenes[k].name), scenes[k].argument ? 1 : 0,
                                           &scenes[k].argument, &args, &error);
    status = status ? status : afxi_case_build(&args, &def, &scene, &error);
    status = status ? status : afx_model_create(scene, &model, &error);
    if (status != AFX_OK) {
        fail_msg("%s: %s: %s", scenes[k].name, error.element, error.text);
    }
    afx_scene_destroy(scene);
    return model;
}

static uint64_t hash_of(const AfxSim *sim) {
    const unsigned char *bytes[] = {(const void *)afx_sim_coordinates(sim), (const void *)afx_sim_velocities(sim)};
    size_t size = 12 * sizeof(double) * (size_t)afx_model_body_count(afx_sim_model(sim));
    uint64_t hash = 0xcbf29ce484222325ull;
    for (int part = 0; part < 2; part++) {
        for (size_t k = 0; k < size; k++) {
            hash = (hash ^ bytes[part][k]) * 0x100000001b3ull;
        }
    }
    return hash;
}

/* ---- a pool ---- */

typedef struct Pool {
    pthread_mutex_t mutex;
    pthread_cond_t change;
    pthread_t workers[WORKERS];
    void (*call)(void *context, uint32_t k);
    void *context;
    uint32_t next, count, busy; /* parts begun, all parts, parts begun and not done */
    bool stopping;
} Pool;

/* Takes parts until there is none left. With the mutex held. */
static void take_parts(Pool *pool) {
    while (pool->next < pool->count) {
        uint32_t part = pool->next++;
        pool->busy++;
        pthread_mutex_unlock(&pool->mutex);
        pool->call(pool->context, part);
        pthread_mutex_lock(&pool->mutex);
        pool->busy--;
    }
    pthread_cond_broadcast(&pool->change);
}

static void *help(void *user) {
    Pool *pool = user;
    pthread_mutex_lock(&pool->mutex);
    while (!pool->stopping) {
        if (pool->next < pool->count) {
            take_parts(pool);
        } else {
            pthread_cond_wait(&pool->change, &pool->mutex);
        }
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static void run_parts(void *user, uint32_t count, void (*call)(void *context, uint32_t k), void *context) {
    Pool *pool = user;
    pthread_mutex_lock(&pool->mutex);
    pool->call = call;
    pool->context = context;
    pool->next = 0;
    pool->count = count;
    pthread_cond_broadcast(&pool->change);
    take_parts(pool);
    while (pool->busy > 0) {
        pthread_cond_wait(&pool->change, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
}

static void pool_begin(Pool *pool) {
    memset(pool, 0, sizeof *pool);
    assert_int_equal(pthread_mutex_init(&pool->mutex, NULL), 0);
    assert_int_equal(pthread_cond_init(&pool->change, NULL), 0);
    for (int k = 0; k < WORKERS; k++) {
        assert_int_equal(pthread_create(&pool->workers[k], NULL, help, pool), 0);
    }
}

static void pool_end(Pool *pool) {
    pthread_mutex_lock(&pool->mutex);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->change);
    pthread_mutex_unlock(&pool->mutex);
    for (int k = 0; k < WORKERS; k++) {
        pthread_join(pool->workers[k], NULL);
    }
    pthread_cond_destroy(&pool->change);
    pthread_mutex_destroy(&pool->mutex);
}

/* ---- runs ---- */

/* A run, by so many threads of the library, or of a pool (may be NULL); 0 where a step failed. */
static uint64_t run_sim(const AfxModel *model, uint32_t threads, Pool *pool, double dt) {
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    def.threads = threads;
    def.dt = dt;
    if (pool) {
        def.tasks = (AfxTasks){run_parts, pool};
    }
    AfxStatus status = afx_sim_create(model, &def, &sim);
    for (int n = 0; n < STEPS && status == AFX_OK; n++) {
        status = afx_step(sim, NULL);
    }
    uint64_t hash = status == AFX_OK ? hash_of(sim) : 0;
    afx_sim_destroy(sim);
    return hash;
}

static void several_threads_of_one_sim(void **state) {
    (void)state;
    Pool pool;
    pool_begin(&pool);
    for (size_t k = 0; k < SCENES; k++) {
        AfxModel *model = make_model(k);
        double dt = afxi_case_find(scenes[k].name)->dt;
        uint64_t want = run_sim(model, 1, NULL, dt);
        assert_true(want != 0);
        assert_true(run_sim(model, WORKERS + 1, &pool, dt) == want);
        if (!SANITIZED) {
            assert_true(run_sim(model, 2, NULL, dt) == want);
            assert_true(run_sim(model, 4, NULL, dt) == want);
        }
        afx_model_destroy(model);
    }
    pool_end(&pool);
}

typedef struct Job {
    const AfxModel *model;
    double dt;
    uint64_t hash;
} Job;

static void *work(void *user) {
    Job *job = user;
    job->hash = run_sim(job->model, 1, NULL, job->dt);
    return NULL;
}

static void many_sims_of_one_model(void **state) {
    (void)state;
    for (size_t k = 0; k < SCENES; k++) {
        AfxModel *model = make_model(k);
        double dt = afxi_case_find(scenes[k].name)->dt;
        uint64_t want = run_sim(model, 1, NULL, dt);
        pthread_t threads[SIMS];
        Job jobs[SIMS];
        for (int n = 0; n < SIMS; n++) {
            jobs[n] = (Job){model, dt, 0};
            assert_int_equal(pthread_create(&threads[n], NULL, work, &jobs[n]), 0);
        }
        for (int n = 0; n < SIMS; n++) {
            pthread_join(threads[n], NULL);
        }
        for (int n = 0; n < SIMS; n++) {
            assert_true(jobs[n].hash == want);
        }
        afx_model_destroy(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(several_threads_of_one_sim),
                                       cmocka_unit_test(many_sims_of_one_model)};
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
