/* SPDX-License-Identifier: Apache-2.0 */
/* Why elements and attributes of MJCF have no effect here: told for each that no reader asked for. */
#include "load/mjcf.h"

#define LOOKS "of looks, only colours and textures of geoms and materials are read"
#define SOFT "constraints are exact and not soft"
#define SOLVER "a setting of MuJoCo's own solver"
#define USER "data for other programs"

static const AfxiXmlReason reasons[] = {
    {"visual", NULL, LOOKS},
    {"statistic", NULL, "a setting of MuJoCo's own viewer"},
    {"size", NULL, "memory is taken as it is needed"},
    {"custom", NULL, USER},
    {"extension", NULL, "plugins are not run"},
    {"plugin", NULL, "plugins are not run"},
    {"sensor", NULL, "there are no such sensors"},
    {"keyframe", NULL, "only keyframes of the first file are read"},
    {"key", "*", "a keyframe has qpos, qvel and ctrl here"},
    {"deformable", NULL, "deformable bodies are not read"},
    {"composite", NULL, "composites are not made"},
    {"flexcomp", NULL, "deformable bodies are not read"},
    {"texture", NULL, LOOKS},
    {"material", NULL, LOOKS},
    {"skin", NULL, LOOKS},
    {"model", NULL, "nothing of it is attached"},
    {"camera", NULL, "nobody asked for cameras"},
    {"camera", "*", "cameras have a place, fovy, mode and target here"},
    {"light", NULL, "there are no lights"},
    {"lengthrange", NULL, "ranges of lengths are not computed"},
    {"flex", NULL, "deformable bodies are not read"},
    {"flexvert", NULL, "deformable bodies are not read"},
    {"flexstrain", NULL, "deformable bodies are not read"},
    {"dcmotor", NULL, "no drive has its law of force"},
    {"pid", NULL, "no drive has its law of force"},
    {"orientation", NULL, "no drive has its law of force"},
    {"option", "wind", "there is no air"},
    {"option", "density", "there is no air"},
    {"option", "viscosity", "there is no air"},
    {"option", "timestep", "the step is a setting of the sim"},
    {"option", "integrator", "the method is a setting of the sim"},
    {"option", "*", SOLVER},
    {"flag", "*", SOLVER},
    {"*", "user", USER},
    {"material", "*", LOOKS},
    {"*", "rgba", LOOKS},
    {"*", "material", LOOKS},
    {"*", "width", LOOKS},
    {"*", "group", "it only sorts what is drawn"},
    {"*", "solref", SOFT},
    {"*", "solimp", SOFT},
    {"*", "solmix", SOFT},
    {"*", "solreflimit", SOFT},
    {"*", "solimplimit", SOFT},
    {"*", "solreffriction", SOFT},
    {"*", "solimpfriction", SOFT},
    {"*", "torquescale", SOFT},
    {"joint", "margin", SOFT},
    {"fixed", "margin", SOFT},
    {"spatial", "margin", SOFT},
    {"geom", "surfacevel", "surfaces do not move by themselves"},
    {"geom", "adhesion", "there is no adhesion"},
    {"geom", "fluidshape", "there is no air"},
    {"geom", "fluidcoef", "there is no air"},
    {"site", "size", "a site is a point"},
    {"site", "type", "a site is a point"},
    {"body", "sleep", "bodies do not sleep"},
    {"mesh", "maxhullvert", "hulls keep all their vertices"},
    {"mesh", "*", LOOKS},
    {"hfield", "*", "no geom has it"},
    {"joint", "actuatorgravcomp", "compensation of gravity is a force on the body"},
};

bool afxi_mjcf_tell_unused(AfxiMjcf *m) {
    uint32_t count = sizeof reasons / sizeof reasons[0];
    for (AfxiMjcfModel *model = m->models; model; model = model->next) {
        afxi_mjcf_pass_unreferenced(model);
    }
    if (!afxi_xml_tell_unused(m->load, m->main->root, reasons, count)) {
        return false;
    }
    for (AfxiMjcfModel *model = m->models; model; model = model->next) {
        for (AfxiXmlNode *node = model->root->first; node && model != m->main; node = node->next) {
            /* of a file that is attached in parts, only what was used counts */
            if (node->used && !afxi_xml_tell_unused(m->load, node, reasons, count)) {
                return false;
            }
        }
    }
    return true;
}
