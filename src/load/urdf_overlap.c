/* SPDX-License-Identifier: Apache-2.0 */
/* Links that lie in each other as a robot is drawn. URDF does not say which links touch; programs that plan with it
 * leave out such pairs, since the shapes of hands and covers overlap by centimetres. So does this: here they would be
 * pushed apart for ever. What overlaps is found by a model and a sim of the scene, contact and all. */
#include <stdio.h>

#include "affix/model.h"
#include "affix/sim.h"
#include "base/memory.h"
#include "load/urdf.h"

/* Of links of the robot, which are bodies from `first` on. */
static bool exclude(AfxiUrdf *urdf, const AfxOverlap *overlap, uint32_t first, uint32_t *count) {
    AfxScene *scene = urdf->load->scene;
    if (overlap->body_a < first || overlap->body_b < first) {
        return true;
    }
    ++*count;
    return afx_scene_exclude_contact(scene, afx_scene_body(scene, overlap->body_a),
                                     afx_scene_body(scene, overlap->body_b)) == AFX_OK ||
           afxi_load_memory_error(urdf->load, urdf->path, urdf->robot->line);
}

static bool exclude_all(AfxiUrdf *urdf, AfxSim *sim, uint32_t first) {
    const AfxAllocator *allocator = &urdf->load->allocator;
    uint32_t found = 0, count = 0;
    if (afx_sim_overlaps(sim, NULL, 0, &found) != AFX_OK || found == 0) {
        return true;
    }
    AfxOverlap *overlaps = afxi_allocate(allocator, found * sizeof *overlaps);
    bool good = overlaps && afx_sim_overlaps(sim, overlaps, found, &found) == AFX_OK;
    good = good || afxi_load_memory_error(urdf->load, urdf->path, urdf->robot->line);
    for (uint32_t k = 0; k < found && good; k++) {
        good = exclude(urdf, &overlaps[k], first, &count);
    }
    afxi_release(allocator, overlaps, overlaps ? found * sizeof *overlaps : 0);
    char text[120];
    snprintf(text, sizeof text, "%u pairs of links that overlap as they are drawn do not touch each other",
             (unsigned)count);
    return good && (count == 0 || afxi_xml_notice(urdf->load, AFX_NOTICE_CHANGED, urdf->robot, NULL, text));
}

bool afxi_urdf_exclude_overlaps(AfxiUrdf *urdf, uint32_t first) {
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef def = afx_default_sim();
    AfxStatus status = afx_model_create(urdf->load->scene, &model, NULL);
    def.allocator = urdf->load->allocator;
    status = status ? status : afx_sim_create(model, &def, &sim);
    bool good = status == AFX_OK
                    ? exclude_all(urdf, sim, first) /* what makes no model is told where one is made */
                    : status != AFX_E_MEMORY || afxi_load_memory_error(urdf->load, urdf->path, urdf->robot->line);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    return good;
}
