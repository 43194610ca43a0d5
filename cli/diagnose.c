/* SPDX-License-Identifier: Apache-2.0 */
/* Causes are looked for in the order in which they hide each other: what is refused, joints that fit nowhere, bodies
 * that are inside each other, a run that has come apart; and at last whether a shorter step would get through, which is
 * tried rather than advised. */
#include "cli/diagnose.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define JOINTS_MOST 400u /* so many are left out one at a time to find the one that does not fit */
#define SHORTER 10.0     /* the trial's step is so many times shorter */
#define DEEP 0.02        /* of the scene's size: an overlap that a start should not have */
#define FAR 1.0          /* of the scene's size, in one step: a body that is lost */
#define TURN 6.28        /* rad in one step: the same */

/* What a trial needs: the state that failed, to go back to. */
typedef struct Trial {
    AfxSim *sim;
    void *state;
    size_t size;
} Trial;

static bool trial_begin(CliRun *run, Trial *trial) {
    *trial = (Trial){.sim = run->sim, .size = afx_sim_snapshot_size(run->sim)};
    trial->state = malloc(trial->size);
    return trial->state && afx_sim_snapshot(trial->sim, trial->state, trial->size) == AFX_OK;
}

static void tell(CliDiagnosis *out, const char *cure, const char *text, ...) {
    va_list list;
    va_start(list, text);
    vsnprintf(out->text, sizeof(out->text), text, list);
    va_end(list);
    snprintf(out->cure, sizeof(out->cure), "%s", cure);
}

/* ---- refused ---- */

/* " and so many MB", or nothing where that was not counted. */
static const char *memory_text(const AfxCrowd *crowd, char *text, size_t size) {
    snprintf(text, size, " and %.4g MB", 1e-6 * crowd->bytes);
    return crowd->bytes > 0 ? text : "";
}

static bool was_refused(CliRun *run, CliDiagnosis *out) {
    char text[32];
    if (run->status == AFX_E_MEMORY) {
        snprintf(out->element, sizeof(out->element), "memory");
        tell(out, "free some memory, use a smaller scene, or one with fewer contacts",
             "out of memory in step %" PRIu64 ", with %" PRIu32 " contacts; the run has taken %.4g MB",
             run->failure.step, afx_sim_contact_count(run->sim), 1e-6 * (double)run->memory.peak);
    } else if (run->status == AFX_E_LIMIT && run->failure.body != UINT32_MAX) {
        cli_names_body(&run->names, run->failure.body, out->element, sizeof(out->element));
        AfxCrowd crowd = {0};
        afx_sim_crowd(run->sim, &crowd);
        tell(out,
             "draw the bodies around it apart (affix check lists overlaps), use fewer, or allow more "
             "(--flops-most, --bytes-most)",
             "step %" PRIu64 " was refused: this body touches %" PRIu32 " others in a crowd of %" PRIu32
             " bodies, a solver iteration of which would take %.2g flops%s",
             run->failure.step, crowd.touching, crowd.bodies, crowd.flops, memory_text(&crowd, text, sizeof(text)));
    } else if (run->status != AFX_E_NUMERIC) {
        snprintf(out->element, sizeof(out->element), "step");
        tell(out, run->status == AFX_E_LIMIT ? "use a smaller scene, or one with fewer contacts" : "",
             "step %" PRIu64 " was refused: %s", run->failure.step, afx_status_text(run->status));
    }
    return run->status != AFX_E_NUMERIC;
}

/* ---- joints that fit nowhere ---- */

/* Whether the joints can be met from the state that failed; without joint `without` where it is one. */
static bool fits(const Trial *trial, uint32_t without, double *out_residual) {
    bool restored = afx_sim_restore(trial->sim, trial->state, trial->size) == AFX_OK;
    if (restored && without != UINT32_MAX) {
        restored = afx_sim_set_joint_active(trial->sim, without, false) == AFX_OK;
    }
    *out_residual = 0;
    return restored && afx_sim_assemble(trial->sim, out_residual) == AFX_OK;
}

static bool fits_nowhere(CliRun *run, const Trial *trial, CliDiagnosis *out) {
    double residual, other;
    uint32_t joints = afx_model_joint_count(run->model), culprit = UINT32_MAX, culprits = 0;
    if (joints == 0 || fits(trial, UINT32_MAX, &residual)) {
        return false;
    }
    for (uint32_t k = 0; k < joints && joints <= JOINTS_MOST; ++k) {
        if (afx_sim_joint_active(run->sim, k) && fits(trial, k, &other)) {
            culprit = culprits++ == 0 ? k : culprit;
        }
    }
    if (culprits) {
        cli_names_joint(&run->names, culprit, out->element, sizeof(out->element));
    } else {
        snprintf(out->element, sizeof(out->element), "joints");
    }
    char others[60] = "";
    if (culprits > 1) {
        snprintf(others, sizeof(others), ", and without any one of %" PRIu32 " others", culprits - 1);
    }
    tell(out, "check the frames of its ends and the lengths in between; no time step helps",
         "the joints cannot be assembled at time %.10g s: the least constraint violation is %.3g m or rad%s%s",
         afx_sim_time(run->sim), residual, culprits ? "; without this joint they can" : "", others);
    return true;
}

/* ---- bodies inside each other ---- */

static bool are_deep(CliRun *run, CliDiagnosis *out) {
    AfxContact contact, deepest = {.depth = 0};
    uint32_t count = afx_sim_contact_count(run->sim);
    for (uint32_t k = 0; k < count; ++k) {
        if (afx_sim_contact(run->sim, k, &contact) == AFX_OK && contact.depth > deepest.depth) {
            deepest = contact;
        }
    }
    if (!(deepest.depth > DEEP * afx_model_size(run->model))) {
        return false;
    }
    char other[160];
    cli_names_body(&run->names, deepest.body_a, out->element, sizeof(out->element));
    cli_names_body(&run->names, deepest.body_b, other, sizeof(other));
    tell(out,
         run->failure.step <= 1 ? "move them apart at the start, or exclude the pair from contact"
                                : "move them apart at the start, slow them down, or give them thicker shapes",
         "excessive penetration: %.3g m into %s at step %" PRIu64, deepest.depth, other, run->failure.step);
    return true;
}

/* ---- a run that has come apart ---- */

/* How a body moves in a step, in sizes of the scene and in turns; without squares, which would overflow. */
typedef struct Pace {
    uint32_t body;
    double speed, spin; /* largest component, m/s and rad/s */
    double pace;        /* the larger of both, in one step */
} Pace;

static double largest(AfxVec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

/* The body that moves fastest. */
static Pace fastest(const CliRun *run, double dt) {
    Pace found = {.body = UINT32_MAX};
    for (uint32_t k = 0; k < afx_model_body_count(run->model); ++k) {
        AfxTwist twist;
        if (afx_sim_body_twist(run->sim, k, &twist) != AFX_OK) {
            continue;
        }
        double speed = largest(twist.linear), spin = largest(twist.angular);
        double pace = fmax(speed * dt / (FAR * afx_model_size(run->model)), spin * dt / TURN);
        if (pace > found.pace) {
            found = (Pace){k, speed, spin, pace};
        }
    }
    return found;
}

/* Whether a shorter step gets through from where the run failed. */
static bool shorter_helps(const CliRun *run, const Trial *trial, double dt) {
    AfxStepReport report;
    return afx_sim_restore(run->sim, trial->state, trial->size) == AFX_OK && afx_sim_set_dt(run->sim, dt) == AFX_OK &&
           afx_step(run->sim, &report) == AFX_OK;
}

static void say_step(CliRun *run, const Trial *trial, CliDiagnosis *out) {
    double dt = afx_sim_dt(run->sim);
    Pace fast = fastest(run, dt);
    uint32_t body = run->failure.body != UINT32_MAX ? run->failure.body : fast.body;
    bool angles = run->failure.flags & AFX_STEP_SINGULAR_ANGLES && run->failure.joint != UINT32_MAX;
    bool far = run->failure.flags & AFX_STEP_TURNS_FAR;
    bool lost = fast.pace > 1 && !angles, tied = afx_model_joint_count(run->model) > 0;
    bool singular = tied && (run->redundant > 0 || (run->failure.flags & AFX_STEP_LOOSE));
    if (body != UINT32_MAX) {
        cli_names_body(&run->names, lost ? fast.body : body, out->element, sizeof(out->element));
    } else {
        snprintf(out->element, sizeof(out->element), "step");
    }
    char cure[200];
    if (shorter_helps(run, trial, dt / SHORTER)) {
        snprintf(cure, sizeof(cure), "use a smaller --dt: %g gets through this step", dt / SHORTER);
    } else if (lost) {
        snprintf(cure, sizeof(cure),
                 "it went wrong earlier: look at the run's energy, and at masses, stiffnesses and forces");
    } else if (singular) {
        snprintf(cure, sizeof(cure),
                 "a smaller --dt does not help here: take out redundant joints, or avoid the position where the "
                 "mechanism is singular");
    } else {
        snprintf(cure, sizeof(cure),
                 "a smaller --dt does not help here: look for extreme masses, stiffnesses, forces or targets");
    }
    if (angles) {
        cli_names_joint(&run->names, run->failure.joint, out->element, sizeof(out->element));
        tell(out, "give its drives other axes (swing and twist have no such place), or limit the middle angle",
             "step %" PRIu64 " did not converge: drives act on angles of this joint that have lost their meaning, near "
             "a middle angle of 90 degrees or a swing of 180",
             run->failure.step);
    } else if (far && !lost) {
        tell(out, cure, "step %" PRIu64 " did not converge: in it this body turns by more than a radian",
             run->failure.step);
    } else if (lost) {
        tell(out, cure,
             "the solver diverged: before step %" PRIu64 " it moves at %.3g m/s and %.3g rad/s, with a dt of %g s",
             run->failure.step, fast.speed, fast.spin, dt);
    } else if (singular) {
        tell(out, cure,
             "step %" PRIu64 " did not converge: the joints are singular there (%" PRIu32 " redundant constraints)",
             run->failure.step, run->redundant);
    } else {
        tell(out, cure, "step %" PRIu64 " %s", run->failure.step,
             tied ? "did not converge: its joint or contact constraints are not met" : "did not give a finite state");
    }
}

/* Barrier contact: a state that it cannot begin with, or something that is told to move and cannot. */
static bool is_barred(CliRun *run, CliDiagnosis *out) {
    uint32_t flags = run->failure.flags, body = run->failure.body, count = 0;
    AfxOverlap first;
    char one[120], other[120];
    if (body != UINT32_MAX) {
        cli_names_body(&run->names, body, out->element, sizeof(out->element));
    }
    if (flags & AFX_STEP_INTERSECTS) {
        const char *cure = "leave a gap between them, or exclude the pair from contact";
        if (afx_sim_intersections(run->sim, &first, 1, &count) == AFX_OK && count) {
            cli_names_body(&run->names, first.body_a, one, sizeof(one));
            cli_names_body(&run->names, first.body_b, other, sizeof(other));
            tell(out, cure, "%s and %s intersect before step %" PRIu64 " (%" PRIu32 " pairs in all)", one, other,
                 run->failure.step, count);
        } else {
            tell(out, cure, "it touches another body before step %" PRIu64 ": barrier contact needs a gap",
                 run->failure.step);
        }
    } else if (flags & AFX_STEP_BLOCKED) {
        tell(out, "let it yield (a servo with an effort), or move what is in its way",
             "step %" PRIu64 " is blocked: what is told to move is stopped by what cannot yield", run->failure.step);
    }
    return flags & (AFX_STEP_INTERSECTS | AFX_STEP_BLOCKED);
}

void cli_diagnose(CliRun *run, CliDiagnosis *out_diagnosis) {
    *out_diagnosis = (CliDiagnosis){.element = "step"};
    if (was_refused(run, out_diagnosis) || is_barred(run, out_diagnosis)) {
        return;
    }
    Trial trial;
    if (!trial_begin(run, &trial)) {
        tell(out_diagnosis, "", "step %" PRIu64 " failed, and there is not enough memory to find out why",
             run->failure.step);
    } else if (!are_deep(run, out_diagnosis) && !fits_nowhere(run, &trial, out_diagnosis)) {
        afx_sim_restore(run->sim, trial.state, trial.size);
        say_step(run, &trial, out_diagnosis);
    }
    free(trial.state);
}
