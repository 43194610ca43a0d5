/* SPDX-License-Identifier: Apache-2.0 */
/* The residuals of `affix run --verify`. */
#include "cli/verify.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const names_of[CLI_VERIFIED_COUNT] = {"force", "constraint", "law", "friction"};

AfxStatus cli_verify_begin(CliVerify *verify, AfxSim *sim) {
    uint32_t count;
    *verify = (CliVerify){.on = true, .complete = true};
    verify->surfaces = afx_sim_intersections(sim, NULL, 0, &count) == AFX_OK;
    return verify->surfaces ? AFX_OK : afx_sim_set_verify(sim, true);
}

static void keep(CliWorst *worst, double value, uint64_t step, AfxElement element, uint32_t index) {
    if (value > worst->value) {
        *worst = (CliWorst){value, step, element, index};
    }
}

/* Whether bodies intersect after a step. */
static AfxStatus look(CliVerify *verify, AfxSim *sim, uint64_t step) {
    uint32_t count;
    AfxStatus status = afx_sim_intersections(sim, NULL, 0, &count);
    verify->steps++;
    verify->first = verify->intersecting == 0 && count ? step : verify->first;
    verify->intersecting += count > 0;
    return status;
}

AfxStatus cli_verify_step(CliVerify *verify, AfxSim *sim, uint64_t step) {
    AfxResidual found;
    if (verify->surfaces) {
        return look(verify, sim, step);
    }
    AfxStatus status = afx_sim_residual(sim, &found);
    if (status != AFX_OK) {
        return status;
    }
    if (verify->count == verify->capacity) {
        size_t capacity = verify->capacity ? 2 * verify->capacity : 1024;
        double *each = realloc(verify->each, capacity * CLI_VERIFIED_COUNT * sizeof *each);
        if (!each) {
            return AFX_E_MEMORY;
        }
        verify->each = each;
        verify->capacity = capacity;
    }
    double *own = verify->each + CLI_VERIFIED_COUNT * verify->count++;
    own[CLI_VERIFIED_FORCE] = found.force;
    own[CLI_VERIFIED_CONSTRAINT] = found.constraint;
    own[CLI_VERIFIED_LAW] = found.law;
    own[CLI_VERIFIED_FRICTION] = found.friction;
    verify->complete = verify->complete && found.complete;
    keep(&verify->worst[CLI_VERIFIED_FORCE], found.force, step, AFX_ELEMENT_BODY, found.body);
    keep(&verify->worst[CLI_VERIFIED_CONSTRAINT], found.constraint, step, found.constraint_element,
         found.constraint_index);
    keep(&verify->worst[CLI_VERIFIED_FRICTION], found.friction, step, AFX_ELEMENT_CONTACT, found.friction_body);
    keep(&verify->worst[CLI_VERIFIED_LAW], found.law, step, found.law_element, found.law_index);
    return AFX_OK;
}

/* `joint 3`, `body "wheel"`, `contact of body 4` */
static void describe(const CliNames *names, const CliWorst *worst, char *out_text, size_t size) {
    static const char *const kinds[] = {
        [AFX_ELEMENT_NONE] = "nothing",   [AFX_ELEMENT_BODY] = "body",         [AFX_ELEMENT_JOINT] = "joint",
        [AFX_ELEMENT_DRIVE] = "drive",    [AFX_ELEMENT_COUPLING] = "coupling", [AFX_ELEMENT_SPRING] = "spring",
        [AFX_ELEMENT_CONTACT] = "contact"};
    char body[120];
    if (worst->element == AFX_ELEMENT_BODY || worst->element == AFX_ELEMENT_CONTACT) {
        cli_names_body(names, worst->index, body, sizeof(body));
        snprintf(out_text, size, worst->element == AFX_ELEMENT_BODY ? "%s" : "contact of %s", body);
    } else if (worst->element == AFX_ELEMENT_NONE) {
        snprintf(out_text, size, "%s", kinds[worst->element]);
    } else {
        snprintf(out_text, size, "%s %u", kinds[worst->element], worst->index);
    }
}

void cli_verify_print(const CliVerify *verify, const CliNames *names) {
    if (verify->surfaces) {
        printf("  steps with intersections: %" PRIu64 " of %" PRIu64, verify->intersecting, verify->steps);
        if (verify->intersecting) {
            printf(", the first is step %" PRIu64, verify->first);
        }
        putchar('\n');
        return;
    }
    printf("  largest residual of a step's equations:\n");
    for (int k = 0; verify->on && k < CLI_VERIFIED_COUNT; ++k) {
        char where[160];
        describe(names, &verify->worst[k], where, sizeof(where));
        printf("    %-10s  %.2e", names_of[k], verify->worst[k].value);
        if (verify->worst[k].value > 0) {
            printf("  %s, step %" PRIu64, where, verify->worst[k].step);
        }
        putchar('\n');
    }
    if (!verify->complete) {
        puts("  note: out of memory: not all contacts were verified");
    }
}

void cli_verify_write(const CliVerify *verify, const CliNames *names, CliJson *json) {
    cli_json_object(json, "verify");
    if (verify->surfaces) {
        cli_json_integer(json, "steps", verify->steps);
        cli_json_integer(json, "intersecting", verify->intersecting);
        cli_json_close(json);
        return;
    }
    for (int k = 0; k < CLI_VERIFIED_COUNT; ++k) {
        char where[160];
        describe(names, &verify->worst[k], where, sizeof(where));
        cli_json_object(json, names_of[k]);
        cli_json_number(json, "max", verify->worst[k].value);
        cli_json_text(json, "at", where);
        cli_json_integer(json, "step", verify->worst[k].step);
        cli_json_array(json, "steps");
        for (size_t step = 0; step < verify->count; ++step) {
            cli_json_number(json, NULL, verify->each[CLI_VERIFIED_COUNT * step + (size_t)k]);
        }
        cli_json_close(json);
        cli_json_close(json);
    }
    cli_json_boolean(json, "complete", verify->complete);
    cli_json_close(json);
}

void cli_verify_destroy(CliVerify *verify) {
    free(verify->each);
    *verify = (CliVerify){0};
}
