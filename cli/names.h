/* SPDX-License-Identifier: Apache-2.0 */
/* cli/names.h: the names of a scene's bodies, joints and markers, kept so that the scene can be freed before the run.
 */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include "affix/joint.h"
#include "affix/scene.h"

typedef struct CliName {
    uint32_t index;
    const char *text;
} CliName;

typedef struct CliNames {
    char *text;       /* all names one after the other */
    CliName *bodies;  /* [body_count], those with a name, by rising index */
    CliName *joints;  /* [joint_count], the same */
    CliName *markers; /* [marker_count], every marker */
    uint32_t body_count, joint_count, marker_count;
} CliNames;

/** False when there is no memory. */
bool cli_names_create(const AfxScene *scene, CliNames *out_names);
void cli_names_destroy(CliNames *names);
/** The name of a body, or NULL. */
const char *cli_names_text(const CliNames *names, uint32_t body);
/** `body "wheel"` or `body 17`. */
void cli_names_body(const CliNames *names, uint32_t body, char *out_text, size_t size);
void cli_names_joint(const CliNames *names, uint32_t joint, char *out_text, size_t size);

#endif
