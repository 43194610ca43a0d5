/* SPDX-License-Identifier: Apache-2.0 */
/* The backbone of a protein unfolds at a hinge (M-ABD 2026, Fig. 22). Bond lengths and angles are ideal (N-CA 1.458,
 * CA-C 1.525, C-N 1.329 A; N-CA-C 111, CA-C-N 117.2, C-N-CA 121.7 degrees; the peptide bond trans: Engh and Huber 1991,
 * Acta Cryst. A47), so that two rigid links a residue are left, the peptide plane and the alpha carbon, on hinges about
 * N-CA and CA-C whose angles are the dihedral angles phi and psi. An angstrom is drawn as a centimetre.
 *
 * Helices and strands are drawn by seed. A region in the middle opens over a few keyframes, of which the case is told
 * no more than where the alpha carbons are: fitting all dihedral angles to these markers (affix/kinematics.h) gives the
 * keyframes, and servos lead the chain from one to the next. */
#include <string.h>

#include "cases/builder.h"
#include "cases/cases.h"
#include "cases/random.h"

#define ANGSTROM 0.01
#define DEGREE 0.017453292519943295
#define FRAMES 5     /* keyframes behind the start */
#define OPENING 0.25 /* rad in all that an angle of the region changes by */
#define REGION 6     /* residues that open */
#define MOVES 1e-7   /* rad: what changes by less stays */

enum { LINKS, SEED, STIFFNESS, SECONDS, YOUNG };

static const AfxiCaseParameter parameters[] = {
    [LINKS] = {.name = "links",
               .kind = AFXI_CASE_INTEGER,
               .fallback = "200",
               .min = 40,
               .max = 1e6,
               .help = "rigid links, two a residue; 14000 in the figure"},
    [SEED] = AFXI_CASE_SEED,
    [STIFFNESS] = {.name = "stiffness",
                   .kind = AFXI_CASE_NUMBER,
                   .fallback = "2e4",
                   .min = 1e-6,
                   .max = 1e12,
                   .help = "of the servos, Nm/rad"},
    [SECONDS] = {.name = "seconds",
                 .kind = AFXI_CASE_NUMBER,
                 .fallback = "2",
                 .min = 1e-3,
                 .max = 1e6,
                 .help = "for all keyframes"},
    [YOUNG] = AFXI_CASE_YOUNG("inf"),
};

/* What is common to all links: where joints are, in the frames of both kinds. Both have CA at their origin and the bond
 * that they turn about along x. */
typedef struct Geometry {
    AfxPose phi_on_plane;  /* at the next CA, x along N-CA, y where C is seen along it */
    AfxPose psi_on_carbon; /* at CA, x along CA-C, y where N is seen along it */
    AfxVec3 middle;        /* of the plane */
} Geometry;

static AfxQuat about_z(double angle) {
    return afx_quat_from_axis_angle((AfxVec3){0, 0, 1}, angle);
}

static Geometry geometry(void) {
    double at_c = (180 - 117.2) * DEGREE, at_n = (180 - 121.7) * DEGREE, at_ca = (180 - 111) * DEGREE;
    AfxVec3 n = {1.525 + 1.329 * cos(at_c), 1.329 * sin(at_c), 0};
    AfxVec3 next = {n.x + 1.458 * cos(at_c - at_n), n.y + 1.458 * sin(at_c - at_n), 0};
    AfxQuat half = afx_quat_from_axis_angle((AfxVec3){1, 0, 0}, 3.141592653589793);
    Geometry out;
    /* seen along N-CA, C of the plane lies on the side that the chain turned away from: at -y of a frame turned there
     */
    out.phi_on_plane = (AfxPose){{ANGSTROM * next.x, ANGSTROM * next.y, 0}, about_z(at_c - at_n)};
    out.phi_on_plane.rotation = afx_quat_multiply(out.phi_on_plane.rotation, half);
    out.psi_on_carbon = (AfxPose){{0, 0, 0}, about_z(at_ca)}; /* N lies at y here */
    out.middle = (AfxVec3){ANGSTROM * next.x / 2, ANGSTROM * next.y / 2, 0};
    return out;
}

/* ---- dihedral angles ---- */

/* Helix, strand or coil, a few residues each; angle 2 r is phi of residue r, 2 r + 1 its psi. */
static void draw_fold(double *out, uint32_t joints, uint64_t seed) {
    static const double kinds[3][2] = {{-57, -47}, {-120, 130}, {-75, 140}};
    AfxiCaseRandom random = {seed};
    uint32_t left = 0, kind = 0;
    for (uint32_t k = 0; k < joints; k++) {
        if (k % 2 == 0 && left-- == 0) {
            kind = afxi_case_random_index(&random, 3);
            left = kind == 0 ? 8 + afxi_case_random_index(&random, 12) : 3 + afxi_case_random_index(&random, 5);
        }
        out[k] = DEGREE * (kinds[kind][k % 2] + afxi_case_random_number(&random, -8, 8));
    }
}

static void open_region(const double *from, uint32_t joints, double share, double *out) {
    uint32_t first = joints / 4 * 2, last = first + 2 * REGION < joints ? first + 2 * REGION : joints;
    memcpy(out, from, joints * sizeof *out);
    for (uint32_t k = first; k < last; k++) {
        out[k] += share * OPENING * (k % 2 ? -1 : 1);
    }
}

/* ---- the chain ---- */

typedef struct Chain {
    uint32_t joints;
    double *angle;          /* [joints] of the start */
    double *key;            /* [FRAMES][joints] found by fitting */
    AfxVec3 *carbon;        /* [FRAMES][markers] where alpha carbons are seen */
    AfxJointId *joint;      /* [joints] */
    AfxFrameTarget *target; /* [markers] */
    double *scratch;        /* [joints] */
    uint32_t markers;
} Chain;

static AfxBodyId add_link(AfxiCaseBuilder *builder, AfxPose pose, bool plane, const Geometry *g, double young) {
    AfxBodyDef body = afx_default_body();
    AfxShapeDef shape = plane ? afx_default_box(0.03, 0.008, 0.004) : afx_default_sphere(0.008);
    double length = sqrt(pose.rotation.w * pose.rotation.w + pose.rotation.x * pose.rotation.x +
                         pose.rotation.y * pose.rotation.y + pose.rotation.z * pose.rotation.z);
    pose.rotation = (AfxQuat){pose.rotation.w / length, pose.rotation.x / length, pose.rotation.y / length,
                              pose.rotation.z / length};
    body.pose = pose;
    body.young = young;
    shape.mass = plane ? 0.03 : 0.013; /* a gramme for an atomic mass unit of a backbone's atoms */
    shape.pose.position = plane ? g->middle : (AfxVec3){0, 0, 0};
    AfxBodyId id = afxi_case_body(builder, &body);
    afxi_case_shape(builder, id, &shape);
    return id;
}

/* Links in turn from a plane that is held; a site on every alpha carbon. */
static void add_chain(AfxiCaseBuilder *builder, Chain *chain, double young) {
    const Geometry g = geometry();
    AfxPose at = afx_pose_identity(), here = afx_pose_identity();
    AfxBodyId last = add_link(builder, at, true, &g, young);
    afxi_case_joint_between(builder, AFX_JOINT_FIXED, afx_world(), at, last, here);
    chain->markers = 0;
    for (uint32_t k = 0; k < chain->joints; k++) {
        bool carbon = k % 2 == 0;
        const AfxPose *on = carbon ? &g.phi_on_plane : &g.psi_on_carbon;
        AfxPose turn = {{0, 0, 0}, afx_quat_from_axis_angle((AfxVec3){1, 0, 0}, chain->angle[k])};
        at = afx_pose_compose(afx_pose_compose(at, *on), turn);
        AfxBodyId link = add_link(builder, at, !carbon, &g, young);
        chain->joint[k] = afxi_case_joint_between(builder, AFX_JOINT_REVOLUTE, last, *on, link, here);
        if (carbon && builder->status == AFX_OK) {
            AfxSiteId site;
            builder->status = afx_scene_add_site(builder->scene, link, NULL, here, &site);
            chain->markers++;
        }
        last = link;
    }
    afxi_case_marker(builder, last, "end", (AfxVec3){0, 0, 0});
}

/* ---- keyframes ---- */

/* What is seen of the motion, and the angles that fit it. */
static AfxStatus fit(AfxSim *sim, Chain *chain) {
    AfxStatus status = AFX_OK;
    AfxReachDef def = afx_default_reach();
    for (uint32_t f = 0; f < FRAMES && status == AFX_OK; f++) {
        open_region(chain->angle, chain->joints, (f + 1.0) / FRAMES, chain->scratch);
        status = afx_sim_set_qpos(sim, chain->scratch);
        for (uint32_t m = 0; m < chain->markers && status == AFX_OK; m++) {
            AfxPose pose;
            status = afx_sim_site(sim, m, &pose, NULL);
            chain->carbon[f * chain->markers + m] = pose.position;
        }
    }
    for (uint32_t m = 0; m < chain->markers; m++) {
        chain->target[m] = afx_default_frame_target(m, afx_pose_identity());
        chain->target[m].rotation_weight = 0;
    }
    def.targets = chain->target;
    def.target_count = chain->markers;
    def.tolerance = 1e-6;
    status = status ? status : afx_sim_set_qpos(sim, chain->angle);
    return status ? status : afx_sim_fit(sim, &def, FRAMES, chain->carbon, chain->key, NULL);
}

static AfxStatus find_keyframes(const AfxSceneDef *def, Chain *chain) {
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, 0});
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef settings = afx_default_sim();
    add_chain(&builder, chain, INFINITY);
    AfxStatus status = afxi_case_end(&builder, &scene, NULL);
    status = status ? status : afx_model_create(scene, &model, NULL);
    settings.allocator = def->allocator;
    status = status ? status : afx_sim_create(model, &settings, &sim);
    status = status ? status : fit(sim, chain);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
    return status;
}

/* ---- the scene ---- */

static void add_servos(AfxiCaseBuilder *builder, const Chain *chain, double stiffness, double seconds) {
    double times[FRAMES + 1], values[FRAMES + 1];
    for (uint32_t k = 0; k < chain->joints; k++) {
        AfxDriveDef servo = afx_default_drive(AFX_DRIVE_SERVO);
        bool moves = false;
        values[0] = chain->angle[k];
        times[0] = 0;
        for (uint32_t f = 0; f < FRAMES; f++) {
            times[f + 1] = seconds * (f + 1) / FRAMES;
            values[f + 1] = chain->key[(size_t)f * chain->joints + k];
            moves = moves || fabs(values[f + 1] - values[0]) > MOVES;
        }
        servo.joint = chain->joint[k];
        servo.stiffness = stiffness;
        servo.damping = 0.05 * stiffness;
        servo.target =
            moves ? (AfxSignal){.kind = AFX_SIGNAL_TABLE, .times = times, .values = values, .sample_count = FRAMES + 1}
                  : (AfxSignal){.kind = AFX_SIGNAL_CONSTANT, .coefficients = {values[0]}};
        afxi_case_drive(builder, &servo);
    }
}

/* Everything of a chain in one block. */
static size_t lay_out(Chain *chain, char *block) {
    size_t n = chain->joints, m = (n + 1) / 2, used = 0;
    struct {
        void **to;
        size_t bytes;
    } parts[] = {{(void **)&chain->carbon, FRAMES * m * sizeof *chain->carbon},
                 {(void **)&chain->target, m * sizeof *chain->target},
                 {(void **)&chain->angle, n * sizeof *chain->angle},
                 {(void **)&chain->key, FRAMES * n * sizeof *chain->key},
                 {(void **)&chain->scratch, n * sizeof *chain->scratch},
                 {(void **)&chain->joint, n * sizeof *chain->joint}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (block) {
            *parts[k].to = block + used;
        }
        used += (parts[k].bytes + 15) / 16 * 16;
    }
    return used;
}

static AfxStatus build(const AfxiCaseArguments *args, const AfxSceneDef *def, AfxScene **out_scene,
                       AfxError *out_error) {
    Chain chain = {.joints = (uint32_t)args->values[LINKS] - 1};
    AfxAllocator memory = def->allocator.reallocate ? def->allocator : afx_default_allocator();
    size_t bytes = lay_out(&chain, NULL);
    char *block = memory.reallocate(memory.user, NULL, 0, bytes);
    AfxiCaseBuilder builder = afxi_case_begin(def, (AfxVec3){0, 0, 0});
    if (block && builder.status == AFX_OK) {
        lay_out(&chain, block);
        draw_fold(chain.angle, chain.joints, (uint64_t)args->values[SEED]);
        builder.status = find_keyframes(def, &chain);
    } else if (builder.status == AFX_OK) {
        builder.status = AFX_E_MEMORY;
    }
    if (builder.status == AFX_OK) {
        add_chain(&builder, &chain, args->values[YOUNG]);
        add_servos(&builder, &chain, args->values[STIFFNESS], args->values[SECONDS]);
    }
    if (block) {
        memory.reallocate(memory.user, block, bytes, 0);
    }
    return afxi_case_end(&builder, out_scene, out_error);
}

const AfxiCase afxi_case_protein = {
    .name = "protein",
    .summary = "a protein's backbone of ideal geometry opens at a hinge, from keyframes fitted to markers",
    .dt = 0.005,
    .time = 2.5,
    AFXI_CASE_PARAMETERS(parameters),
    .build = build,
};
