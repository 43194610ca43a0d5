/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the MJCF loader share. A file is read in stages: trees of elements with includes in place and
 * default classes; then bodies, joints, geoms and sites as records in the frames of their bodies; then inertia; then
 * the scene. A file may attach parts of other files, so that settings, classes and assets belong to a *model*, and what
 * is made from it has names with a prefix and, inside replicate, a suffix. */
#ifndef AFXI_LOAD_MJCF_H
#define AFXI_LOAD_MJCF_H

#include "affix/sensor.h"
#include "load/mesh_file.h"
#include "load/xml.h"
#include "math/vec3.h"
#include "scene/name.h"

#define AFXI_MJCF_NONE UINT32_MAX

/* ---- a file ---- */

/** Elements that take their defaults from the same place. */
typedef enum AfxiMjcfGroup {
    AFXI_MJCF_JOINTS,
    AFXI_MJCF_GEOMS,
    AFXI_MJCF_SITES,
    AFXI_MJCF_MESHES,
    AFXI_MJCF_LOOKS,
    AFXI_MJCF_EQUALITIES,
    AFXI_MJCF_TENDONS,
    AFXI_MJCF_ACTUATORS,
    AFXI_MJCF_PAIRS,
    AFXI_MJCF_CAMERAS,
    AFXI_MJCF_OTHERS,
    AFXI_MJCF_GROUP_COUNT
} AfxiMjcfGroup;

typedef struct AfxiMjcfClass AfxiMjcfClass;
struct AfxiMjcfClass {
    const char *name;
    AfxiMjcfClass *next;                      /* of the model */
    AfxiXmlNode *last[AFXI_MJCF_GROUP_COUNT]; /* its element for a group, or its parent's; or NULL */
    uint64_t weight[AFXI_MJCF_GROUP_COUNT];   /* pieces of work of looking through these and what they fall back on */
};

typedef struct AfxiMjcfSettings {
    bool degree, autolimits, balance_inertia, fit_aabb, strip_path;
    char euler[4]; /* three of xyzXYZ */
    double bound_mass, bound_inertia, total_mass;
    int inertia_from_geom; /* 0 false, 1 true, 2 auto */
    double inertia_groups[2];
    const char *mesh_folder, *texture_folder; /* or NULL */
} AfxiMjcfSettings;

typedef struct AfxiMjcfMesh {
    AfxiXmlNode *node;
    AfxiMeshData data;  /* scaled and moved as the asset says */
    bool read, missing; /* missing: there is no data, and shapes of it are left out */
    bool use_known, mass_known;
    AfxiMeshUse use;
    AfxMass mass; /* at density 1, as MuJoCo reckons it; in the mesh's frame */
} AfxiMjcfMesh;

typedef struct AfxiMjcfModel AfxiMjcfModel;
struct AfxiMjcfModel {
    AfxiMjcfModel *next;
    AfxiXmlNode *root;
    const char *name, *path;
    AfxiMjcfSettings settings;
    AfxiMjcfClass *classes, *last_class; /* the first is the root class */
    uint32_t class_count;
    AfxiMjcfClass **class_table; /* [class_capacity], by the numbers in class_names */
    uint32_t class_capacity;
    AfxiNames class_names;
    AfxiMjcfMesh *meshes; /* [mesh_count] */
    uint32_t mesh_count;
    AfxiNames mesh_names, hfield_names, look_names, texture_names;
    AfxiXmlNode **hfields;       /* [hfield_count] */
    AfxiXmlNode **looks;         /* [look_count] materials: colours */
    AfxTextureId *look_textures; /* [look_count] index UINT32_MAX: not made yet; scene 0: none */
    AfxiXmlNode **textures;      /* [texture_count] */
    uint32_t hfield_count, look_count, texture_count;
    bool attached; /* some part of it is in the scene */
};

/** In what surroundings an element is read. */
typedef struct AfxiMjcfScope {
    AfxiMjcfModel *model;
    const char *prefix, *suffix;
    AfxiMjcfClass *childclass; /* or NULL */
} AfxiMjcfScope;

/* ---- records ---- */

typedef struct AfxiMjcfBody {
    AfxiXmlNode *node; /* NULL for the world */
    const AfxiMjcfModel *model;
    const char *name; /* "" when it has none */
    uint32_t parent;
    uint32_t first_joint, last_joint, first_geom, last_geom;
    AfxPose pose;  /* in its parent's frame */
    AfxPose world; /* as the file is drawn */
    AfxPose start; /* where the scene starts */
    bool mocap, has_inertial;
    bool apart; /* a part of the world that is excluded from touching something: a fixed body of its own */
    double gravcomp;
    AfxMass mass;     /* own, in its frame */
    AfxMass subtree;  /* of it and its descendants, in world axes as drawn */
    uint32_t group;   /* the body that it moves with */
    AfxPose in_group; /* its frame in that body's */
    AfxMass sum;      /* of its group, in its frame; for group == itself */
    double weight;    /* 1/kg: mean acceleration of its centre by a unit force there, as drawn; 0: it stands still */
    AfxBodyId
        id; /* for group == itself, and where apart; of the world: the fixed body, or afx_world() while there is none */
} AfxiMjcfBody;

typedef enum AfxiMjcfJointType {
    AFXI_MJCF_FREE = 0,
    AFXI_MJCF_BALL,
    AFXI_MJCF_SLIDE,
    AFXI_MJCF_HINGE
} AfxiMjcfJointType;

/** A joint. Its coordinate q is sign * c + offset, with c free axis `axis` of joint `id` of the scene. */
typedef struct AfxiMjcfJoint {
    AfxiXmlNode *node;
    AfxiMjcfScope scope;
    const char *name; /* "" when it has none */
    uint32_t body, next;
    AfxiMjcfJointType type;
    AfxVec3 point, direction; /* in the body's frame; unit */
    double ref, lower, upper, stiffness, springref, damping, friction, armature;
    double force_most; /* of its actuators; INFINITY for any */
    double spring[2];  /* springdamper: time constant and damping ratio; 0: not given */
    bool limited;
    bool made;
    AfxJointId id;
    uint32_t axis;
    double sign, offset;
    double start[7]; /* its coordinate where the scene starts; of a ball a quaternion, of a free joint place and that */
    double inertia;  /* what the joint moves when it moves alone, as drawn: kg or kg m^2, with armature */
    double acceleration; /* size of the accelerations of all coordinates of its tree by a unit force along it */
} AfxiMjcfJoint;

typedef enum AfxiMjcfGeomType {
    AFXI_MJCF_PLANE = 0,
    AFXI_MJCF_HFIELD,
    AFXI_MJCF_SPHERE,
    AFXI_MJCF_CAPSULE,
    AFXI_MJCF_ELLIPSOID,
    AFXI_MJCF_CYLINDER,
    AFXI_MJCF_BOX,
    AFXI_MJCF_MESH,
    AFXI_MJCF_SDF
} AfxiMjcfGeomType;

/** What a geom brings to a contact. */
typedef struct AfxiMjcfSurface {
    double friction[3]; /* sliding, torsional, rolling */
    int condim;         /* 1: no friction; 3: sliding; 4: and torsional; 6: and rolling */
    int priority;
    double solref[2], solimp[5], solmix;
    double margin, gap;
    double weight; /* inverse weight of what is pushed, 1/kg; 0: it stands still */
} AfxiMjcfSurface;

/** A surface as a material of the scene; [0] is MuJoCo's own, and the scene's default. */
typedef struct AfxiMjcfMaterial {
    AfxiMjcfSurface surface;
    bool own; /* of one geom alone */
    AfxMaterialId id;
} AfxiMjcfMaterial;

/** Two geoms that touch by name, and how; or two bodies that do not. */
typedef struct AfxiMjcfPair {
    AfxiXmlNode *node;
    uint32_t a, b;
    bool exclude;            /* of bodies */
    bool numbers;            /* it says how */
    AfxiMjcfSurface surface; /* of a pair of geoms */
} AfxiMjcfPair;

typedef struct AfxiMjcfGeom {
    AfxiXmlNode *node;
    AfxiMjcfModel *model;
    const char *name;
    uint32_t body, next;
    AfxiMjcfGeomType type;
    AfxPose pose; /* in the body's frame */
    double size[3];
    uint32_t mesh;       /* of its model, or NONE */
    AfxiXmlNode *hfield; /* its asset, or NULL */
    uint32_t contype, conaffinity;
    AfxiMjcfSurface surface;
    uint32_t material; /* into materials; NONE until they are made */
    uint32_t color;    /* as in AfxShapeDef */
    AfxTextureId texture;
    bool paired;      /* a pair has numbers for it: its material is its own */
    AfxBodyId holder; /* the body of the scene that has its shape */
    uint32_t part;    /* which of its shapes; NONE: it has none */
    bool shell;
    double group, density, amount; /* amount: the mass that the file gives, or NAN */
} AfxiMjcfGeom;

typedef struct AfxiMjcfSite {
    AfxiXmlNode *node;
    const char *name;
    uint32_t body;
    AfxPose pose;
} AfxiMjcfSite;

typedef struct AfxiMjcfCamera {
    AfxiXmlNode *node;
    AfxiMjcfScope scope;
    const char *name; /* "" when it has none */
    uint32_t body;
    AfxPose pose; /* in the body's frame */
} AfxiMjcfCamera;

#define AFXI_MJCF_TERMS (AFX_COUPLING_TERMS - 1)

/** What a spatial tendon goes by, in the frame of its body. */
typedef struct AfxiMjcfItem {
    uint32_t body;
    AfxPathItem of;
} AfxiMjcfItem;

/** A tendon: fixed ones are a sum of joint coordinates, spatial ones a path (mjcf_path.c). */
typedef struct AfxiMjcfTendon {
    AfxiXmlNode *node;
    AfxiMjcfScope scope;
    const char *name;
    bool fixed;
    bool usable;         /* up to AFXI_MJCF_TERMS joints that slide or turn about one axis change its length */
    AfxiMjcfItem *items; /* [item_count] of a spatial one */
    uint32_t item_count;
    uint32_t count;
    uint32_t joint[AFXI_MJCF_TERMS];
    double factor[AFXI_MJCF_TERMS];
    double drawn, start; /* its length as the file is drawn, and where the scene starts */
    double inertia;      /* the least that one of its joints moves along it */
    bool made; /* its length is gear * c + offset, c free axis `axis` of joint `id` of the scene, or of `coupling` */
    AfxJointId id;
    AfxCouplingId coupling; /* index UINT32_MAX: of the joint */
    uint32_t axis;
    double gear, offset;
} AfxiMjcfTendon;

/* Types of gain and bias; those of a higher number are laws that no drive has. */
enum { AFXI_MJCF_GAIN_FIXED, AFXI_MJCF_GAIN_MUSCLE, AFXI_MJCF_GAIN_AFFINE, AFXI_MJCF_GAIN_FOREIGN };
enum { AFXI_MJCF_BIAS_NONE, AFXI_MJCF_BIAS_AFFINE, AFXI_MJCF_BIAS_MUSCLE };

/** What a class and the elements in it have said of an actuator so far. All is kept as MuJoCo keeps it, also what has
 * no meaning as long as a type is as it is; bias[2] above 0 is a damping ratio when gain and bias are those of a
 * position servo. */
typedef struct AfxiMjcfLaw {
    int dynamics; /* AfxActivationKind, or above */
    int gain_type, bias_type;
    double gain[10], bias[10], time[10];
    double ratio; /* in the end: damping ratio; 0: bias[2] holds */
} AfxiMjcfLaw;

/** Parts of a file that refer to bodies, joints and sites by name: told again for every attachment of it. */
typedef struct AfxiMjcfInstance {
    AfxiMjcfScope scope;
    bool attached; /* what refers to parts that were not attached is left out */
} AfxiMjcfInstance;

/* flags of option/flag */
typedef struct AfxiMjcfFlags {
    bool equality, limit, friction, spring, damper, actuation, contact, filterparent;
} AfxiMjcfFlags;

typedef struct AfxiMjcf {
    AfxiLoad *load;
    AfxiXmlArena arena;
    AfxiMjcfModel *models, *main;
    AfxiMjcfFlags on;
    AfxVec3 gravity, magnetic;
    bool elliptic; /* cone */
    double impratio, timestep;
    AfxiMjcfBody *bodies; /* [0] is the world */
    AfxiMjcfJoint *joints;
    AfxiMjcfGeom *geoms;
    AfxiMjcfSite *sites;
    AfxiMjcfCamera *cameras;
    uint32_t camera_count, camera_capacity;
    AfxiMjcfTendon *tendons;
    AfxiMjcfMaterial *materials;
    AfxiMjcfPair *pairs;
    AfxiMjcfInstance *instances;
    const char **suffixes; /* of replicate, each once */
    uint32_t body_count, body_capacity, joint_count, joint_capacity, geom_count, geom_capacity, site_count,
        site_capacity, tendon_count, tendon_capacity, material_count, material_capacity, pair_count, pair_capacity,
        instance_count, instance_capacity, suffix_count, suffix_capacity;
    AfxiNames body_names, joint_names, geom_names, site_names, tendon_names, suffix_names;
    uint64_t copies; /* of replicate and attach */
    uint32_t depth, depth_most;
    bool has_world_body;
    bool drawn;                /* free joints start as the file is drawn */
    AfxiXmlNode *start_key;    /* the keyframe that the scene starts at, or NULL */
    uint32_t actuator_count;   /* of the file, those without a control included */
    uint32_t *control_place;   /* [controls] which of these actuators each is of */
    uint32_t control_capacity; /* of control_place */
} AfxiMjcf;

/* ---- mjcf_name.c: memory and names ---- */

/** Room for one more in an array; checks items_most. */
bool afxi_mjcf_grow(AfxiMjcf *m, void **array, uint32_t *capacity, uint32_t count, size_t item_size, const char *what,
                    const AfxiXmlNode *node);
/** prefix + name + suffix; "" for no name; NULL after an error. */
const char *afxi_mjcf_name(AfxiMjcf *m, const AfxiMjcfScope *scope, const char *name);
/** `NAME what`, or "" when the name is empty; NULL after an error. */
const char *afxi_mjcf_label(AfxiMjcf *m, const char *name, const char *what);
/** Enters the name of a new thing; an empty one is not entered. */
bool afxi_mjcf_enter(AfxiMjcf *m, AfxiNames *names, const AfxiXmlNode *node, const char *name, uint32_t index);
/** What an attribute refers to, or NONE. */
uint32_t afxi_mjcf_lookup(const AfxiMjcfScope *scope, const AfxiNames *names, const char *name);
/** A scene call that failed. Returns false. */
bool afxi_mjcf_scene_error(AfxiMjcf *m, const AfxiXmlNode *node);

/* ---- mjcf_file.c: files, includes, attached models; mjcf_default.c: classes; mjcf_compiler.c: settings ---- */

/** Parses a file, puts its includes in place, and reads its classes, settings and list of assets. */
bool afxi_mjcf_open(AfxiMjcf *m, const AfxiText *text, const char *path, const AfxiXmlNode *from,
                    AfxiMjcfModel **out_model);
/** The model that an attach element means. */
bool afxi_mjcf_find_model(AfxiMjcf *m, AfxiMjcfModel *asker, AfxiXmlNode *attach, AfxiMjcfModel **out_model);
bool afxi_mjcf_read_classes(AfxiMjcf *m, AfxiMjcfModel *model);
/** A class by name, NULL when there is none. */
AfxiMjcfClass *afxi_mjcf_class(const AfxiMjcfModel *model, const char *name);
/** Gives an element the defaults of its class. */
bool afxi_mjcf_use_class(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxiMjcfGroup group);
/** Marks classes that no element has, and meshes that no geom has, as told. */
void afxi_mjcf_pass_unreferenced(AfxiMjcfModel *model);
bool afxi_mjcf_read_settings(AfxiMjcf *m, AfxiMjcfModel *model);
bool afxi_mjcf_read_options(AfxiMjcf *m);

/* ---- mjcf_pose.c ---- */

/** pos and one of quat, axisangle, xyaxes, zaxis, euler. */
bool afxi_mjcf_pose(AfxiMjcf *m, const AfxiMjcfModel *model, AfxiXmlNode *node, AfxPose *out_pose);
/** The orientation only; what is not there leaves it as it is. */
bool afxi_mjcf_rotation(AfxiMjcf *m, const AfxiMjcfModel *model, AfxiXmlNode *node, AfxQuat *rotation);
AfxQuat afxi_mjcf_euler(const AfxiMjcfModel *model, const double angles[3]);
/** The shortest turn of z into v, which is not zero. */
AfxQuat afxi_mjcf_turn_z(AfxVec3 v);
/** fromto: the middle and the turn of z into from - to, half the length; *out_there says whether there is one. */
bool afxi_mjcf_fromto(AfxiMjcf *m, AfxiXmlNode *node, AfxPose *pose, double *out_half, bool *out_there);
/** limited and range, in the units of the file. */
bool afxi_mjcf_limits(AfxiMjcf *m, const AfxiMjcfModel *model, AfxiXmlNode *node, const char *limited,
                      const char *range, double out_range[2], bool *out_limited);
/** Degrees to radians where the file has degrees. */
double afxi_mjcf_angle(const AfxiMjcfModel *model, double angle);

/* ---- mjcf_tree.c: the bodies; mjcf_joint.c, mjcf_geom.c: what is in them ---- */

bool afxi_mjcf_read_tree(AfxiMjcf *m);
bool afxi_mjcf_read_joint(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, uint32_t body, AfxPose frame);
bool afxi_mjcf_read_geom(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, uint32_t body, AfxPose frame);
bool afxi_mjcf_read_site(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, uint32_t body, AfxPose frame);
/** Cameras, where the caller wants to know how the file is run (mjcf_camera.c). */
bool afxi_mjcf_read_camera(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, uint32_t body, AfxPose frame);
bool afxi_mjcf_add_cameras(AfxiMjcf *m);
/** Mass properties of a geom, in the body's frame. */
bool afxi_mjcf_weigh_geom(AfxiMjcf *m, const AfxiMjcfGeom *geom, AfxMass *out_mass);
/** Sizes of geoms that are fitted to meshes. */
bool afxi_mjcf_fit_geoms(AfxiMjcf *m);
/** Shapes of all geoms, on the bodies of the scene. */
bool afxi_mjcf_add_shapes(AfxiMjcf *m);

/* ---- mjcf_surface.c; mjcf_contact.c: the section ---- */

/** What two surfaces give: that of higher priority, or the larger frictions and the mean of the softnesses. */
AfxiMjcfSurface afxi_mjcf_combine(const AfxiMjcfSurface *a, const AfxiMjcfSurface *b);
/** A surface as a material of the scene. */
AfxMaterialDef afxi_mjcf_material(const AfxiMjcf *m, const AfxiMjcfSurface *surface);
/** The surface of a geom that says nothing. */
AfxiMjcfSurface afxi_mjcf_plain_surface(void);
/** solref and solimp. */
bool afxi_mjcf_read_softness(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfSurface *surface);
/** Friction is not negative, condim is one that there is. */
bool afxi_mjcf_check_surface(AfxiMjcf *m, AfxiXmlNode *node, const AfxiMjcfSurface *surface);
/** The texture of a material, made when it is asked for first; {0, 0} where it has none. */
bool afxi_mjcf_texture(AfxiMjcf *m, AfxiMjcfModel *model, uint32_t look, AfxTextureId *out_texture);
/** The path of an asset's file in out[AFXI_PATH_SIZE]: from the folder of the model's first file or, where there is no
 * such file, from that of the included file that names it; `folder` (may be NULL) is what the compiler element says. */
bool afxi_mjcf_asset_path(AfxiMjcf *m, const AfxiMjcfModel *model, const AfxiXmlNode *node, const char *folder,
                          const char *file, char *out);
/** Whether a geom could collide: it is not for looks only. */
bool afxi_mjcf_touches(const AfxiMjcfGeom *geom);
/** The section contact, and materials of all surfaces, before shapes. */
bool afxi_mjcf_add_materials(AfxiMjcf *m);
/** Bodies that do not touch, after shapes. */
bool afxi_mjcf_add_exclusions(AfxiMjcf *m);

/* ---- mjcf_mesh.c ---- */

bool afxi_mjcf_list_assets(AfxiMjcf *m, AfxiMjcfModel *model);
/** Reads a mesh's data unless that was done; `need` makes a missing file an error. */
bool afxi_mjcf_read_mesh(AfxiMjcf *m, AfxiMjcfModel *model, AfxiMjcfMesh *mesh, bool need);
/** A copy of a mesh that was read, with the triangles of its hull; the caller frees it. */
bool afxi_mjcf_hull_mesh(AfxiMjcf *m, const AfxiMjcfMesh *mesh, AfxiMeshData *out_hull);
/** Mass properties of a mesh at density 1: its field `mass`. */
bool afxi_mjcf_weigh_mesh(AfxiMjcf *m, AfxiMjcfModel *model, AfxiMjcfMesh *mesh);

/* ---- mjcf_inertia.c ---- */

bool afxi_mjcf_read_inertial(AfxiMjcf *m, const AfxiMjcfModel *model, AfxiXmlNode *node, AfxiMjcfBody *body);
/** Masses of all bodies, bounded and balanced as the settings say; then groups, subtrees. */
bool afxi_mjcf_weigh_bodies(AfxiMjcf *m);

/** Springs and dampers that are given by a time constant and a ratio (mjcf_springdamper.c). */
bool afxi_mjcf_set_springs(AfxiMjcf *m);

/* ---- mjcf_start.c ---- */

/** Where the scene starts. */
bool afxi_mjcf_find_start(AfxiMjcf *m);
/** The pose of a body in its parent's frame, at the start, when only its first `count` joints have moved. */
AfxPose afxi_mjcf_moved(const AfxiMjcf *m, uint32_t body, uint32_t count);
/** Puts all bodies where their joints start. */
void afxi_mjcf_place(AfxiMjcf *m);

/* ---- into the scene: mjcf_body.c, mjcf_compose.c, mjcf_chain.c, mjcf_drive.c ---- */

bool afxi_mjcf_add_bodies(AfxiMjcf *m);
/** A body for shapes and markers of the world. */
bool afxi_mjcf_world_body(AfxiMjcf *m, AfxBodyId *out_body);
/** Makes a body that stands still with the world, and has geoms, a fixed body of its own. */
bool afxi_mjcf_set_apart(AfxiMjcf *m, uint32_t body);
/** The body of a record for joints, which may be the world, and its frame there. */
AfxBodyId afxi_mjcf_end(const AfxiMjcf *m, uint32_t body, AfxPose *frame);

/** How the joints of a body become one joint of the scene. */
typedef struct AfxiMjcfPlan {
    AfxJointKind kind;
    bool reversed;    /* the body is the base and its parent the follower */
    AfxPose frame;    /* in the body's frame, at the start */
    uint32_t axis[6]; /* per joint, in the order of the file */
    double sign[6];   /* c = sign * (q - ref) */
    uint32_t held;    /* bits of axes of the kind that no joint has: held at 0 */
} AfxiMjcfPlan;

/** Fills a plan for joints [count] of a body; false when they are no kind of the scene's. */
bool afxi_mjcf_compose(const AfxiMjcfJoint *const joints[], uint32_t count, AfxiMjcfPlan *out_plan);
bool afxi_mjcf_add_joints(AfxiMjcf *m);
/** What acts on a joint by itself: limit, spring, damper, friction, armature. */
bool afxi_mjcf_add_passive(AfxiMjcf *m, AfxiMjcfJoint *joint);
/** Adds a drive called `NAME what`, or NAME when what is NULL. */
bool afxi_mjcf_add_drive(AfxiMjcf *m, const AfxiXmlNode *node, AfxDriveDef *def, const char *name, const char *what);
/** `NAME what`, or `KIND INDEX what` for what has no name; NULL after an error. */
const char *afxi_mjcf_helper_name(AfxiMjcf *m, const char *name, const char *kind, uint32_t index, const char *what);

/* ---- what refers to bodies, joints and sites ---- */

bool afxi_mjcf_add_equalities(AfxiMjcf *m);
bool afxi_mjcf_add_tendons(AfxiMjcf *m);
/** Gives a usable tendon a coordinate, unless it has one. */
bool afxi_mjcf_tendon_coordinate(AfxiMjcf *m, AfxiMjcfTendon *tendon);
/** Its length as a sum of coordinates of joints: the coupling that a coordinate of its own hangs on. */
AfxCouplingDef afxi_mjcf_tendon_sum(const AfxiMjcf *m, const AfxiMjcfTendon *t);
bool afxi_mjcf_add_actuators(AfxiMjcf *m);
/** The range of a control. That of a force drive (or NULL) bounds its effort too, for those who set its input
 * themselves. */
bool afxi_mjcf_limit_control(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxControlDef *control,
                             AfxDriveDef *drive);
/** What pulls at the contacts of a body (mjcf_actuator_at.c). */
bool afxi_mjcf_add_adhesion(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const AfxiMjcfLaw *law);
/** Motors at sites; *out_done is false for what is none. */
bool afxi_mjcf_read_thrust(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const AfxiMjcfLaw *law,
                           bool *out_done);
/* ---- mjcf_path.c ---- */
/** Items, joints and lengths of a spatial tendon. */
bool afxi_mjcf_read_path(AfxiMjcf *m, AfxiMjcfTendon *tendon);
/** Items as the scene has them, into items [item_count]. */
void afxi_mjcf_path_items(const AfxiMjcf *m, const AfxiMjcfTendon *tendon, AfxPathItem *items);
/** Between which lengths the limits of its joints let it be; 0, 0 where one has none. */
bool afxi_mjcf_path_range(AfxiMjcf *m, const AfxiMjcfTendon *tendon, double out_range[2]);
/** The size of the accelerations of all coordinates by a unit force along a tendon (mjcf_springdamper.c); 0: not known.
 */
bool afxi_mjcf_response(AfxiMjcf *m, const AfxiMjcfTendon *tendon, double *out_response);
/* ---- mjcf_law.c ---- */
/** The law of an actuator that has its class. */
bool afxi_mjcf_read_law(AfxiMjcf *m, AfxiXmlNode *node, AfxiMjcfLaw *out_law);
bool afxi_mjcf_law_is_linear(const AfxiMjcfLaw *law);
bool afxi_mjcf_law_is_muscle(const AfxiMjcfLaw *law);
bool afxi_mjcf_law_is_damper(const AfxiMjcfLaw *law);
/** The activation of its control. */
bool afxi_mjcf_activate(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const AfxiMjcfLaw *law,
                        AfxActivation *out);
/** Generalised coordinates in the order of MuJoCo's, sites, and bodies that are parts of others, as frames. */
bool afxi_mjcf_add_coordinates(AfxiMjcf *m);
/** A control for the actuator that is being read; its start is what the keyframe says that the scene starts at. */
bool afxi_mjcf_add_control(AfxiMjcf *m, const AfxiXmlNode *node, AfxControlDef *def);
/** Sensors, after controls. */
bool afxi_mjcf_add_sensors(AfxiMjcf *m);
/** A site of the scene for a frame by the type and the name of what has it; *out_there is false for types that have
 * none here. */
bool afxi_mjcf_sensor_frame(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, const char *type,
                            const char *name, uint32_t *out_site, bool *out_there);
/** The volume of the site of a sensor. */
bool afxi_mjcf_sensor_zone(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxSensorDef *def);
/** What a contact sensor is on (mjcf_sensor_contact.c); *out_there is false where nothing of it can touch. */
bool afxi_mjcf_sensor_contacts(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node, AfxSensorDef *def,
                               bool *out_there);
/** All keyframes whose numbers fit, after controls. */
bool afxi_mjcf_add_keyframes(AfxiMjcf *m);
/** Reads every child of the sections of one name, of all instances; once for each suffix when the names that it refers
 * to exist only inside replicate. `known` says whether all of them exist. */
typedef struct AfxiMjcfReader {
    const char *section;
    bool (*known)(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node);
    bool (*read)(AfxiMjcf *m, const AfxiMjcfScope *scope, AfxiXmlNode *node);
} AfxiMjcfReader;
bool afxi_mjcf_each(AfxiMjcf *m, const AfxiMjcfReader *reader);

/* ---- mjcf_reason.c ---- */

/** Tells all that was not used. */
bool afxi_mjcf_tell_unused(AfxiMjcf *m);

#endif
