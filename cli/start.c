/* SPDX-License-Identifier: Apache-2.0 */
/* What does not fit at the start, for reading and as JSON. */
#include "cli/start.h"

#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>

#define PRINTED 8u /* lines of each kind */
#define NAME_ROOM 160

int cli_misfits_find(AfxSim *sim, const CliNames *names, CliMisfits *out_misfits) {
    AfxError error = {0};
    *out_misfits = (CliMisfits){.gap_count = afx_sim_start_gap_count(sim)};
    for (uint32_t k = 0; k < out_misfits->gap_count && k < CLI_START_LISTED; ++k) {
        afx_sim_start_gap(sim, k, &out_misfits->gaps[k]);
    }
    if (out_misfits->gap_count && afx_sim_check_joints(sim, &error) != AFX_OK) {
        uint32_t joint;
        if (sscanf(error.element, "joint %" SCNu32, &joint) == 1) {
            cli_names_joint(names, joint, error.element, sizeof(error.element));
        }
        return cli_error_from(&error);
    }
    out_misfits->intersect =
        afx_sim_intersections(sim, out_misfits->overlaps, CLI_START_LISTED, &out_misfits->overlap_count) == AFX_OK;
    if (!out_misfits->intersect &&
        afx_sim_overlaps(sim, out_misfits->overlaps, CLI_START_LISTED, &out_misfits->overlap_count) != AFX_OK) {
        out_misfits->overlap_count = 0; /* the first step will say so */
    }
    return CLI_EXIT_FINE;
}

static uint32_t listed(uint32_t count, uint32_t most) {
    return count < most ? count : most;
}

static void print_more(uint32_t count) {
    if (count > PRINTED) {
        printf("    and %" PRIu32 " more\n", count - PRINTED);
    }
}

void cli_misfits_print(const CliMisfits *misfits, const CliNames *names) {
    char one[NAME_ROOM], other[NAME_ROOM];
    if (misfits->overlap_count) {
        puts(misfits->intersect
                 ? "  note: bodies intersect at the start, which barrier contact cannot begin with (move "
                   "them apart, or exclude the pair from contact):"
                 : "  note: bodies overlap at the start and come apart slowly (move them apart, or "
                   "exclude the pair from contact):");
    }
    for (uint32_t k = 0; k < listed(misfits->overlap_count, PRINTED); ++k) {
        const AfxOverlap *overlap = &misfits->overlaps[k];
        cli_names_body(names, overlap->body_a, one, sizeof(one));
        cli_names_body(names, overlap->body_b, other, sizeof(other));
        printf("    %s and %s: %.3g m\n", one, other, overlap->depth);
    }
    print_more(misfits->overlap_count);
    if (misfits->gap_count) {
        puts("  note: joints do not meet at the start, which is assembled by moving bodies, and by straining elastic "
             "ones:");
    }
    for (uint32_t k = 0; k < listed(misfits->gap_count, PRINTED); ++k) {
        const AfxJointGap *gap = &misfits->gaps[k];
        cli_names_joint(names, gap->joint, one, sizeof(one));
        printf("    %s: %.3g m, %.3g rad apart\n", one, gap->distance, gap->angle);
    }
    print_more(misfits->gap_count);
}

void cli_misfits_write(const CliMisfits *misfits, const CliNames *names, CliJson *json) {
    char text[NAME_ROOM];
    cli_json_array(json, "overlaps");
    for (uint32_t k = 0; k < listed(misfits->overlap_count, CLI_START_LISTED); ++k) {
        const AfxOverlap *overlap = &misfits->overlaps[k];
        cli_json_object(json, NULL);
        cli_names_body(names, overlap->body_a, text, sizeof(text));
        cli_json_text(json, "a", text);
        cli_names_body(names, overlap->body_b, text, sizeof(text));
        cli_json_text(json, "b", text);
        cli_json_number(json, "depth", overlap->depth);
        cli_json_close(json);
    }
    cli_json_close(json);
    cli_json_integer(json, "overlap_count", misfits->overlap_count);
    cli_json_array(json, "open_joints");
    for (uint32_t k = 0; k < listed(misfits->gap_count, CLI_START_LISTED); ++k) {
        const AfxJointGap *gap = &misfits->gaps[k];
        cli_json_object(json, NULL);
        cli_names_joint(names, gap->joint, text, sizeof(text));
        cli_json_text(json, "joint", text);
        cli_json_number(json, "distance", gap->distance);
        cli_json_number(json, "angle", gap->angle);
        cli_json_close(json);
    }
    cli_json_close(json);
    cli_json_integer(json, "open_joint_count", misfits->gap_count);
}
