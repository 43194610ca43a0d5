/* SPDX-License-Identifier: Apache-2.0 */
/* Cells against the dense reference: the step that shows the feature, from the sim's own state before it. */
#include <math.h>
#include <stdio.h>

#include "cell.h"
#include "step/sim.h"
#include "tests.h"

#define STEPS_MOST 200u
#define SOLVES 12u
#define TURN 6.283185307179586

typedef struct Tolerance {
    double state; /* m, and 1 for entries of A */
    double load;  /* of the largest force of a joint */
} Tolerance;

static void remember(const Run *run, DenseHistory *history) {
    size_t bytes = 12 * sizeof(double) * afx_model_body_count(run->model);
    memcpy(history->q[1], history->q[0], sizeof history->q[0]);
    memcpy(history->v[1], history->v[0], sizeof history->v[0]);
    memcpy(history->q[0], afx_sim_coordinates(run->sim), bytes);
    memcpy(history->v[0], afx_sim_velocities(run->sim), bytes);
    if (run->sim->world.state.gap) {
        memcpy(history->gap[0], run->sim->world.state.gap, bytes);
        memcpy(history->gap[1], run->sim->world.state.last_gap, bytes);
    }
}

static void say(Cell *cell, Verdict verdict, double error, const char *text) {
    cell->verdict = verdict;
    cell->error = error;
    snprintf(cell->note, sizeof cell->note, "%s", text);
}

/* Laws with branches: does the reference, solved on the branch that the sim is on, belong on that branch? */
static const char *wrong_branch(const Dense *dense, const AfxScene *scene) {
    for (uint32_t k = 0; k < dense->element_count; k++) {
        const DenseElement *element = &dense->element[k];
        AfxDriveDef def;
        if (element->drive == UINT32_MAX) {
            continue;
        }
        assert_ok(afx_scene_get_drive(scene, element->drive, &def));
        double lambda = element->rows ? dense->solution[element->first_row] : 0, x = dense_value(dense, element);
        double rate = dense_rate(dense, element);
        if (def.kind == AFX_DRIVE_LIMIT && element->rows && (element->target < 0 ? lambda > 0 : lambda < 0)) {
            return "the limit pulls";
        }
        if (def.kind == AFX_DRIVE_LIMIT && !element->rows && (x < def.lower - 1e-9 || x > def.upper + 1e-9)) {
            return "beyond the limit";
        }
        if (def.kind == AFX_DRIVE_FRICTION && element->rows && fabs(lambda) > def.effort) {
            return "sticks above the limit of friction";
        }
        if (def.kind == AFX_DRIVE_FRICTION && !element->rows && element->target * rate > 0) {
            return "friction drives";
        }
    }
    return NULL;
}

/* Coordinates, and what velocities move in a step. */
static double body_error(const Dense *dense, const AfxSim *sim, uint32_t k) {
    const DenseBody *body = &dense->body[k];
    double q[12], error = 0;
    dense_coordinates(dense, k, q);
    for (int e = 0; e < 12 && body->moves; e++) {
        double moved = dense->h_rate * afx_sim_velocities(sim)[12 * (size_t)k + e];
        error = fmax(error, fabs(q[e] - body->q[e]));
        error = fmax(error, fabs(q[e] - body->past[e] - moved));
    }
    return error;
}

static double state_error(const Dense *dense, const AfxSim *sim) {
    double error = 0;
    for (uint32_t k = 0; k + 1 < dense->body_count; k++) {
        error = fmax(error, body_error(dense, sim, k));
    }
    return error;
}

/* Forces of the joints, relative to the largest: the multipliers of their point rows, in the axes of the base. */
static double reaction_error(const Dense *dense, const AfxSim *sim) {
    double most = 1, error = 0;
    for (uint32_t k = 0; k < dense->element_count; k++) {
        const DenseElement *element = &dense->element[k];
        if (element->kind != DENSE_JOINT || element->rows == 0) {
            continue;
        }
        AfxWrench reaction;
        assert_ok(afx_sim_joint_reaction(sim, (uint32_t)(element->joint - dense->joint), &reaction));
        const double got[3] = {reaction.force.x, reaction.force.y, reaction.force.z};
        double q[12], base[9], world[3] = {0, 0, 0};
        dense_coordinates(dense, element->joint->b, q);
        dense_rotation(q, base);
        for (int e = 0; e < 3; e++) {
            for (int axis = 0; axis < 3; axis++) {
                const double *v = element->joint->axes_b + 3 * axis;
                world[e] += got[axis] * (base[e] * v[0] + base[3 + e] * v[1] + base[6 + e] * v[2]);
            }
            double want = -dense->solution[element->first_row + e];
            error = fmax(error, fabs(world[e] - want));
            most = fmax(most, fabs(want));
        }
    }
    return error / most;
}

static void compare(const Run *run, const DenseHistory *history, const Tolerance *tolerance, Cell *cell) {
    static Dense dense; /* large */
    dense_read(run->rig.scene, run->sim, history, &run->hold, &dense);
    if (!dense_solve(&dense)) {
        say(cell, VERDICT_BAD, INFINITY, "the reference finds no solution near the sim's");
        dense_free(&dense);
        return;
    }
    double error = state_error(&dense, run->sim), load = reaction_error(&dense, run->sim);
    const char *wrong = wrong_branch(&dense, run->rig.scene);
    if (wrong) {
        say(cell, VERDICT_BAD, error, wrong);
    } else if (!(error <= tolerance->state)) {
        say(cell, VERDICT_BAD, error, "the motion differs");
    } else if (!(load <= tolerance->load)) {
        say(cell, VERDICT_BAD, load, "the joints' forces differ");
    } else {
        say(cell, VERDICT_GOOD, error, "");
    }
    dense_free(&dense);
}

/* The largest error of a body by the better of two references: the integrator's own and another. */
static double better_error(const Run *run, DenseHistory *history, AfxIntegrator other) {
    AfxIntegrator own = afx_sim_integrator(run->sim);
    static Dense dense[2]; /* large */
    double error = 0;
    bool fine = true;
    for (int k = 0; k < 2; k++) {
        history->integrator = k ? other : own;
        history->fitted = history->integrator == AFX_BDF2;
        dense_read(run->rig.scene, run->sim, history, &run->hold, &dense[k]);
        fine &= dense_solve(&dense[k]);
    }
    for (uint32_t k = 0; k + 1 < dense[0].body_count; k++) {
        error = fmax(error, fmin(body_error(&dense[0], run->sim, k), body_error(&dense[1], run->sim, k)));
    }
    dense_free(&dense[0]);
    dense_free(&dense[1]);
    return fine ? error : INFINITY;
}

/* After a strike BDF1 stands in for every method in three steps, in the island that was struck: either is right. */
static void compare_touching(const Run *run, DenseHistory *history, const Tolerance *tolerance, Cell *cell) {
    compare(run, history, tolerance, cell);
    if (cell->verdict == VERDICT_BAD && history->integrator != AFX_BDF1) {
        history->integrator = AFX_BDF1;
        compare(run, history, tolerance, cell);
        double error = cell->verdict == VERDICT_BAD ? better_error(run, history, AFX_BDF1) : INFINITY;
        if (error <= tolerance->state) {
            say(cell, VERDICT_GOOD, error, "");
        }
    }
}

/* Where generalised-alpha gives way to BDF2 it does so component by component: either is right. */
static void compare_turning(const Run *run, DenseHistory *history, const Tolerance *tolerance, Cell *cell) {
    compare(run, history, tolerance, cell);
    double error = cell->verdict == VERDICT_BAD ? better_error(run, history, AFX_BDF2) : INFINITY;
    if (error <= tolerance->state) {
        say(cell, VERDICT_GOOD, error, "");
    }
}

/* The moving base is where its signals say. */
static void check_base(const Run *run) {
    AfxPose pose;
    double turned = 0.2 * sin(TURN * 0.8 * afx_sim_time(run->sim));
    assert_ok(afx_sim_body_pose(run->sim, run->rig.base.index, &pose));
    assert_near(pose.position.x, 0.03 * sin(TURN * 1.2 * afx_sim_time(run->sim)), 1e-14);
    assert_near(2 * acos(fmin(1, fabs(pose.rotation.w))), fabs(turned), 1e-7);
}

static void run_until_shown(Feature feature, Run *run, DenseHistory *history, const Tolerance *tolerance, Cell *cell) {
    say(cell, VERDICT_UNREACHED, 0, "did not happen");
    for (uint32_t step = 0; step < STEPS_MOST && cell->verdict == VERDICT_UNREACHED; step++) {
        remember(run, history);
        AfxStatus status = run_step(feature, run);
        if (status != AFX_OK || (run->report.flags & (AFX_STEP_HALVED | AFX_STEP_FAILED))) {
            say(cell, VERDICT_FAILED, 0, status == AFX_OK ? "done in parts" : "step failed");
        } else if (run_shows(feature, run)) {
            AfxIntegrator own = afx_sim_integrator(run->sim);
            history->time = afx_sim_time(run->sim);
            history->integrator = run->turning ? AFX_BDF2 : own;
            history->fitted = history->integrator == AFX_BDF2;
            bool touches = feature >= FEATURE_GROUND && feature <= FEATURE_PAIR;
            if (touches) {
                compare_touching(run, history, tolerance, cell);
            } else if (run->turning) {
                compare_turning(run, history, tolerance, cell);
            } else {
                compare(run, history, tolerance, cell);
            }
        }
    }
    if (feature == FEATURE_KINEMATIC) {
        check_base(run);
    }
}

static void try_run(Engine engine, Feature feature, const RunOptions *options, const Tolerance *tolerance, Cell *cell) {
    Run run;
    AfxError error;
    if (!run_start(engine, feature, options, &run, &error)) {
        say(cell, VERDICT_REFUSED, 0, error.text);
        assert_true(error.text[0] && error.cure[0]);
        run_end(&run);
        return;
    }
    static DenseHistory history;
    memset(&history, 0, sizeof history);
    history.integrator = options->integrator;
    history.fitted = options->integrator == AFX_BDF2;
    history.dt = options->dt;
    run_until_shown(feature, &run, &history, tolerance, cell);
    run_end(&run);
}

/* The tolerance of solves that have converged; and of `accurate`, which stops before. Points and normals of a contact
 * with friction or of a pair are those of where the bodies were expected; the limit of friction is met to a thousandth;
 * springs of balls do not see strain. */
static Tolerance tolerance_of(Feature feature, bool converged) {
    Tolerance tight[FEATURE_COUNT] = {
        [FEATURE_GRIP] = {1e-7, 1e-3},
        [FEATURE_SLIDE] = {1e-8, 1e-3},
        [FEATURE_PAIR] = {1e-6, 1e-3},
        [FEATURE_BALL_SPRING] = {1e-8, 1e-6},
    };
    if (!converged) {
        return (Tolerance){1e-5, 0.1};
    }
    return tight[feature].state > 0 ? tight[feature] : (Tolerance){1e-12, 1e-9};
}

static void try_cell(Engine engine, Feature feature, Cell *cell) {
    static const AfxIntegrator integrators[] = {AFX_BDF1, AFX_BDF2, AFX_ALPHA};
    for (size_t k = 0; k < (SANITIZED ? 1 : 2 * COUNT(integrators)); k++) {
        bool converged = k < COUNT(integrators);
        size_t which = k % COUNT(integrators);
        RunOptions options = {
            .integrator = integrators[which], .accuracy = AFX_ACCURATE, .dt = 0.005, .solves = converged ? SOLVES : 0};
        Tolerance tolerance = tolerance_of(feature, converged);
        Cell one = {0};
        try_run(engine, feature, &options, &tolerance, &one);
        if (cell->verdict > VERDICT_GOOD) {
            continue;
        }
        double error = converged ? fmax(one.error, cell->error) : cell->error;
        *cell = one;
        cell->error = one.verdict == VERDICT_GOOD ? error : one.error;
        if (one.verdict != VERDICT_GOOD) {
            snprintf(cell->note, sizeof cell->note, "%s, %s: %.150s", integrator_name(options.integrator),
                     converged ? "converged" : "accurate", one.note);
        }
    }
}

/* What a mechanism has nothing for. */
static bool makes_no_sense(Engine engine, Feature feature) {
    return (feature == FEATURE_BALL_SPRING && (engine == ENGINE_FREE || engine == ENGINE_HINGES)) ||
           (feature == FEATURE_BROKEN && engine == ENGINE_FREE);
}

static void cells_agree_with_the_reference(void **state) {
    (void)state;
    uint32_t wrong = 0;
    for (int feature = 0; feature <= FEATURE_BROKEN; feature++) {
        for (int engine = 0; engine < ENGINE_COUNT; engine++) {
            if (!makes_no_sense((Engine)engine, (Feature)feature)) {
                try_cell((Engine)engine, (Feature)feature, &cells[feature][engine]);
                wrong += cell_counts((Engine)engine, (Feature)feature);
            }
        }
    }
    assert_int_equal(wrong, 0);
}

int run_reference_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_agree_with_the_reference),
    };
    return cmocka_run_group_tests_name("reference", tests, NULL, NULL);
}
