/* SPDX-License-Identifier: Apache-2.0 */
/* cli/verify.h: how well the steps of a run meet their equations, as an independent evaluation finds them. */
#ifndef CLI_VERIFY_H
#define CLI_VERIFY_H

#include "affix/sim.h"
#include "cli/json.h"
#include "cli/names.h"

/** The largest of a step. */
typedef enum CliVerified {
    CLI_VERIFIED_FORCE,
    CLI_VERIFIED_CONSTRAINT,
    CLI_VERIFIED_LAW,
    CLI_VERIFIED_FRICTION,
    CLI_VERIFIED_COUNT
} CliVerified;

/** The largest of all steps of one of them, and where it was. */
typedef struct CliWorst {
    double value;
    uint64_t step;
    AfxElement element;
    uint32_t index;
} CliWorst;

typedef struct CliVerify {
    bool on, complete;
    bool surfaces;                       /* barrier contact: steps are looked at for intersections instead */
    uint64_t steps, intersecting, first; /* that were looked at, that intersect, and the first of those */
    CliWorst worst[CLI_VERIFIED_COUNT];
    double *each; /* [count][CLI_VERIFIED_COUNT] every step of this run */
    size_t count, capacity;
} CliVerify;

/** Steps of the sim are verified from now on. */
AfxStatus cli_verify_begin(CliVerify *verify, AfxSim *sim);
/** After a step that went through; AFX_E_MEMORY when there is none for it. */
AfxStatus cli_verify_step(CliVerify *verify, AfxSim *sim, uint64_t step);
void cli_verify_print(const CliVerify *verify, const CliNames *names);
void cli_verify_write(const CliVerify *verify, const CliNames *names, CliJson *json);
void cli_verify_destroy(CliVerify *verify);

#endif
