/* SPDX-License-Identifier: Apache-2.0 */
/* Greedy: one thing at a time is taken out, and stays out if the fault stays; again until nothing more can go. Bodies
 * go first, with all that is attached to them. */
#include "shrink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "affix/io.h"
#include "load/run.h"
#include "support/rigid_reference.h"

typedef struct Search {
    Mechanism *best, *trial;
    Finding finding;
    uint32_t runs, runs_most;
    bool shorter; /* something went in this round */
} Search;

/* What hangs on what is gone goes too. */
static void settle(Mechanism *m) {
    for (uint32_t k = 0; k < m->joint_count; k++) {
        PartJoint *joint = &m->joint[k];
        joint->gone |= m->body[joint->follower].gone || (joint->base != WORLD && m->body[joint->base].gone);
    }
    for (uint32_t k = 0; k < m->drive_count; k++) {
        m->drive[k].gone |= m->joint[m->drive[k].joint].gone;
    }
    for (uint32_t k = 0; k < m->spring_count; k++) {
        PartSpring *spring = &m->spring[k];
        spring->gone |= m->body[spring->a].gone || (spring->b != WORLD && m->body[spring->b].gone);
    }
    for (uint32_t k = 0; k < m->wrench_count; k++) {
        m->wrench[k].gone |= m->body[m->wrench[k].body].gone;
    }
}

/* Keeps the trial if it still has the fault. */
static bool try_it(Search *search) {
    settle(search->trial);
    if (search->runs >= search->runs_most || mechanism_moving(search->trial) == 0) {
        return false;
    }
    search->runs++;
    Finding finding = examine_for(search->trial, search->finding.fault);
    bool same = finding.fault == search->finding.fault;
    if (same) {
        search->finding = finding;
        memcpy(search->best, search->trial, sizeof *search->best);
        search->shorter = true;
    }
    return same;
}

/* Takes one thing out, whose switch is at an offset within a mechanism. */
static void try_without(Search *search, const bool *gone) {
    if (!*gone) {
        size_t at = (size_t)((const char *)gone - (const char *)search->best);
        memcpy(search->trial, search->best, sizeof *search->trial);
        memcpy((char *)search->trial + at, &(bool){true}, sizeof(bool));
        try_it(search);
    }
}

static void take_out(Search *search) {
    const Mechanism *m = search->best;
    for (uint32_t k = m->body_count; k-- > 0;) {
        try_without(search, &m->body[k].gone);
    }
    for (uint32_t k = m->joint_count; k-- > 0;) {
        try_without(search, &m->joint[k].gone);
    }
    for (uint32_t k = m->drive_count; k-- > 0;) {
        try_without(search, &m->drive[k].gone);
    }
    for (uint32_t k = m->spring_count; k-- > 0;) {
        try_without(search, &m->spring[k].gone);
    }
    for (uint32_t k = m->coupling_count; k-- > 0;) {
        try_without(search, &m->coupling[k].gone);
    }
    for (uint32_t k = m->wrench_count; k-- > 0;) {
        try_without(search, &m->wrench[k].gone);
    }
}

/* Simpler ways to be, each tried once in a round: false when it is so already. */
static bool no_contact(Mechanism *m) {
    bool was = m->contact;
    m->contact = false;
    return was;
}

static bool rigid(Mechanism *m) {
    bool was = false;
    for (uint32_t k = 0; k < m->body_count; k++) {
        was |= isfinite(m->body[k].def.young);
        m->body[k].def.young = INFINITY;
    }
    return was;
}

static bool at_rest(Mechanism *m) {
    bool was = false;
    for (uint32_t k = 0; k < m->body_count; k++) {
        AfxBodyDef *def = &m->body[k].def;
        was |= v3_norm(def->linear_velocity) + v3_norm(def->angular_velocity) > 0;
        def->linear_velocity = def->angular_velocity = v3(0, 0, 0);
    }
    return was;
}

static bool undamped(Mechanism *m) {
    bool was = false;
    for (uint32_t k = 0; k < m->body_count; k++) {
        AfxBodyDef *def = &m->body[k].def;
        was |= def->linear_damping + def->angular_damping > 0;
        def->linear_damping = def->angular_damping = 0;
    }
    return was;
}

static bool no_bounce(Mechanism *m) {
    bool was = m->material.restitution > 0;
    m->material.restitution = 0;
    for (uint32_t k = 0; k < m->drive_count; k++) {
        was |= m->drive[k].def.restitution > 0;
        m->drive[k].def.restitution = 0;
    }
    return was;
}

static bool no_ball_springs(Mechanism *m) {
    bool was = false;
    for (uint32_t k = 0; k < m->joint_count; k++) {
        was |= m->joint[k].def.spring.stiffness.x > 0;
        m->joint[k].def.spring = (AfxJointSpring){.rest = {1, 0, 0, 0}};
    }
    return was;
}

static bool bdf2(Mechanism *m) {
    bool was = m->sim.integrator != AFX_BDF2;
    m->sim.integrator = AFX_BDF2;
    return was;
}

static bool fast(Mechanism *m) {
    bool was = m->sim.accuracy != AFX_FAST;
    m->sim.accuracy = AFX_FAST;
    return was;
}

static void simplify(Search *search) {
    static bool (*const ways[])(Mechanism *) = {no_contact, rigid,           at_rest, undamped,
                                                no_bounce,  no_ball_springs, bdf2,    fast};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        memcpy(search->trial, search->best, sizeof *search->trial);
        if (ways[k](search->trial)) {
            try_it(search);
        }
    }
}

Finding shrink(Mechanism *mechanism, Finding finding, uint32_t runs_most, uint32_t *out_runs) {
    Search search = {.best = mechanism, .trial = malloc(sizeof *mechanism), .finding = finding, .runs_most = runs_most};
    if (search.trial) {
        do {
            search.shorter = false;
            take_out(&search);
            simplify(&search);
        } while (search.shorter && search.runs < runs_most);
        free(search.trial);
    }
    *out_runs = search.runs;
    return search.finding;
}

bool write_scene(const Mechanism *mechanism, const Finding *finding, const char *folder, char *out_text, size_t size) {
    char path[400];
    AfxError error;
    AfxScene *scene = mechanism_scene(mechanism, &error);
    snprintf(path, sizeof path, "%s/seed-%llu-%s.json", folder, (unsigned long long)mechanism->seed,
             fault_name(finding->fault));
    bool fine = scene && afx_scene_save(scene, path, &error) == AFX_OK;
    afx_scene_destroy(scene);
    snprintf(out_text, size, "affix run %s --integrator %s --rho %.17g --accuracy %s --dt %g --steps %u", path,
             afxi_integrator_name(mechanism->sim.integrator), mechanism->sim.rho,
             mechanism->sim.accuracy == AFX_FAST ? "fast" : "accurate", mechanism->sim.dt, mechanism->steps);
    return fine;
}
