/* SPDX-License-Identifier: Apache-2.0 */
/* Scene JSON, what its readers share: the values of a file with their lines, typed readers, units, and the scope that
 * names and places stand in. The language is described in docs/formats.md. */
#ifndef AFXI_LOAD_JSON_H
#define AFXI_LOAD_JSON_H

#include <jansson.h>

#include "load/load.h"
#include "scene/name.h"

#define AFXI_JSON_VERSION 1

/** A value of a file. Values stand in the order of the text, a parent before its children: the first child of a value
 * is the next one, its sibling is `size` further. */
typedef struct AfxiJsonNode {
    const char *key; /* in an object; NULL elsewhere */
    json_t *value;
    uint32_t size;  /* values in it, itself among them */
    uint32_t count; /* children */
    int line;
} AfxiJsonNode;

/** SI units in one unit of the file. */
typedef struct AfxiJsonUnits {
    double length, mass, time, angle, force, torque, pressure, density;
} AfxiJsonUnits;

/** One file. */
typedef struct AfxiJsonFile {
    AfxiLoad *load;
    const char *path;
    json_t *root;
    AfxiJsonNode *nodes; /* [node_count] */
    uint32_t node_count, node_capacity;
    AfxiJsonUnits units;
    AfxiNames material_names; /* of the materials that it describes: numbers of nodes */
    AfxiNames texture_names;  /* of its textures: their numbers in the scene */
    json_t *made;             /* values in place of those of the text */
} AfxiJsonFile;

/** Parses a text; false with the load's error set. Free it in any case. */
bool afxi_json_parse(AfxiJsonFile *file, const AfxiText *text);
void afxi_json_free(AfxiJsonFile *file);

/* ---- looking ---- */

/** The value of a key of an object; NULL when there is none, or `object` is NULL. */
const AfxiJsonNode *afxi_json_get(const AfxiJsonNode *object, const char *key);
/** Child after child: for (child = first(parent); child; child = next(parent, child)). */
const AfxiJsonNode *afxi_json_first(const AfxiJsonNode *parent);
const AfxiJsonNode *afxi_json_next(const AfxiJsonNode *parent, const AfxiJsonNode *child);

/** AFX_E_INPUT at a value. Returns false. */
bool afxi_json_error(const AfxiJsonFile *file, const AfxiJsonNode *node, const char *text, const char *cure);
bool afxi_json_error_as(const AfxiJsonFile *file, AfxStatus status, const AfxiJsonNode *node, const char *text,
                        const char *cure);
/** What the scene's last failed call found, at a value. Returns false. */
bool afxi_json_scene_error(const AfxiJsonFile *file, const AfxiJsonNode *node);
/** A key that has no effect: a notice. */
bool afxi_json_notice(const AfxiJsonFile *file, const AfxiJsonNode *node, const char *text);

/** `node` is an object that has no other keys than those of a list, "name kind mass"; "about" is always one. */
bool afxi_json_keys(const AfxiJsonFile *file, const AfxiJsonNode *node, const char *keys);
/** The value of a key that must be there. */
bool afxi_json_need(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key,
                    const AfxiJsonNode **out_node);
/** The value of a key is an array, or absent (then NULL). */
bool afxi_json_array(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key,
                     const AfxiJsonNode **out_array);

/* ---- typed values: an absent key leaves the output as it is. Numbers are finite and multiplied by `unit`. ---- */

bool afxi_json_number_at(const AfxiJsonFile *file, const AfxiJsonNode *node, double unit, double *out_value);
bool afxi_json_number(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key, double unit,
                      double *value);
/** A number, or the word "infinite". */
bool afxi_json_extended(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key, double unit,
                        double *value);
bool afxi_json_whole_at(const AfxiJsonFile *file, const AfxiJsonNode *node, uint32_t most, uint32_t *out_value);
bool afxi_json_boolean(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key, bool *value);
bool afxi_json_text_at(const AfxiJsonFile *file, const AfxiJsonNode *node, const char **out_text);
bool afxi_json_text(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key, const char **text);
/** The number of a word in a list "box sphere capsule". */
bool afxi_json_word(const AfxiJsonFile *file, const AfxiJsonNode *node, const char *words, uint32_t *out_index);
/** Exactly `count` numbers. */
bool afxi_json_numbers_at(const AfxiJsonFile *file, const AfxiJsonNode *node, uint32_t count, double unit,
                          double *out_values);
bool afxi_json_vec3_at(const AfxiJsonFile *file, const AfxiJsonNode *node, double unit, AfxVec3 *out_value);
bool afxi_json_vec3(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key, double unit, AfxVec3 *value);
/** Keys "position" and "rotation" of an object. */
bool afxi_json_pose(const AfxiJsonFile *file, const AfxiJsonNode *object, AfxPose *pose);
/** A rotation in any of its forms. */
bool afxi_json_rotation(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key, AfxQuat *rotation);
/** An object of these two keys alone. */
bool afxi_json_pose_at(const AfxiJsonFile *file, const AfxiJsonNode *node, AfxPose *pose);
/** A signal whose values are in `unit`. Its table, if it has one, is to be freed. */
bool afxi_json_signal_at(const AfxiJsonFile *file, const AfxiJsonNode *node, double unit, AfxSignal *out_signal);
void afxi_json_signal_free(const AfxiJsonFile *file, AfxSignal *signal);
/** Both tables of a spring, where `object` has them, over what is measured in `way`, of forces in `effort`; to be
 * freed.
 */
bool afxi_json_tables(const AfxiJsonFile *file, const AfxiJsonNode *object, double way, double effort,
                      AfxForceTable *spring, AfxForceTable *damper);
void afxi_json_tables_free(const AfxiJsonFile *file, AfxForceTable *spring, AfxForceTable *damper);
/** The work (afxi_load_work) of copying them, as `node` asks. */
bool afxi_json_count_tables(const AfxiJsonFile *file, const AfxForceTable *spring, const AfxForceTable *damper,
                            const AfxiJsonNode *node);
/** The work (afxi_load_work) of copying the table of a signal, and those of a motion, as `node` asks. */
bool afxi_json_count_signal(const AfxiJsonFile *file, const AfxSignal *signal, const AfxiJsonNode *node);
bool afxi_json_count_motion(const AfxiJsonFile *file, const AfxMotion *motion, const AfxiJsonNode *node);

/** Reads the object "units". */
bool afxi_json_units(AfxiJsonFile *file, const AfxiJsonNode *node);

/* ---- parameters, and how a file is run ---- */

/** Reads the object "parameters" of the top, takes the values that the caller or the group around gives, and puts
 * numbers in the place of texts "= 2 * length" and of the parameters in formulas. */
bool afxi_json_parameters(AfxiJsonFile *file, const AfxiJsonNode *top);
/** Reads "run" and "cameras" of the top into load->def->run, for the first file alone. */
bool afxi_json_read_run(const AfxiJsonFile *file, const AfxiJsonNode *top);

/* ---- scope ---- */

#define AFXI_JSON_DIRECTIONS 3
#define AFXI_SUFFIX_SIZE 40 /* of ".9.9.9" with its zero, whatever the numbers */

/** Where the bodies and joints of an instance begin. */
typedef struct AfxiJsonStart {
    uint32_t body, joint;
} AfxiJsonStart;

/** Instances in one to three directions; the first direction runs fastest. */
typedef struct AfxiJsonRepeat {
    uint32_t directions; /* 0: not repeated */
    uint32_t count[AFXI_JSON_DIRECTIONS];
    AfxPose step[AFXI_JSON_DIRECTIONS];
    const AfxiJsonNode *joint[AFXI_JSON_DIRECTIONS]; /* to the previous one; bodies only; NULL: none */
    uint32_t total;
    /* the present instance */
    uint32_t number, index[AFXI_JSON_DIRECTIONS];
    AfxPose power[AFXI_JSON_DIRECTIONS]; /* step to the power of index */
} AfxiJsonRepeat;

/** What names and places mean: of the file, of a group, of an instance. */
typedef struct AfxiJsonScope AfxiJsonScope;
struct AfxiJsonScope {
    const AfxiJsonScope *outer;    /* names not found here are looked for there; NULL: none */
    char stem[AFXI_NAME_SIZE];     /* of a repeated group: what is before the instance's numbers */
    char prefix[AFXI_NAME_SIZE];   /* before every name */
    char suffix[AFXI_SUFFIX_SIZE]; /* behind every name: instances of a body */
    AfxPose place;                 /* of everything that is given in the world */
    bool placed;                   /* place is not the identity */
    AfxiJsonStart start;           /* numbers as references count from here */
    const AfxiJsonRepeat *repeat;  /* of a group; NULL: not repeated */
    const AfxiJsonStart *starts;   /* [repeat->number + 1] of its instances */
};

/** prefix + name + suffix into out; false with the error set when it is too long. An absent name gives NULL. */
bool afxi_json_name(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *object,
                    char out[AFXI_NAME_SIZE], const char **out_name);
/** A body or, with `world`, the word "world": a name, a number, or {"previous": ...}. *out_absent: it would be in an
 * instance before the first, so what refers to it is left out. */
bool afxi_json_body_ref(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node, bool world,
                        AfxBodyId *out_body, bool *out_absent);
/** A coupling of the same scope whose sum is a coordinate; *out_turns: what its first term's does. */
bool afxi_json_coupling_ref(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                            AfxCouplingId *out_coupling, bool *out_turns);
bool afxi_json_joint_ref(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                         AfxJointId *out_joint, bool *out_absent);

/** What is given in the world, as the scope places it. */
AfxPose afxi_json_place_pose(const AfxiJsonScope *scope, AfxPose pose);
AfxVec3 afxi_json_place_point(const AfxiJsonScope *scope, AfxVec3 point);
AfxVec3 afxi_json_place_vector(const AfxiJsonScope *scope, AfxVec3 vector);

/* ---- instances ---- */

/** The product of the counts, at most UINT64_MAX; 1 for what is no "repeat". */
uint64_t afxi_json_repeat_total(const AfxiJsonNode *node);
/** Reads the key "repeat" of an object; `joints`: of a body. */
bool afxi_json_repeat(const AfxiJsonFile *file, const AfxiJsonNode *object, bool joints, AfxiJsonRepeat *out_repeat);
/** Goes to the next instance. */
void afxi_json_repeat_next(AfxiJsonRepeat *repeat);
/** Instances between one and its neighbour in a direction. */
uint32_t afxi_json_repeat_stride(const AfxiJsonRepeat *repeat, uint32_t direction);
/** Moves a scope's place to the present instance. */
void afxi_json_repeat_place(const AfxiJsonRepeat *repeat, AfxiJsonScope *scope);
/** ".3.1": the numbers of the present instance, or of the one before it in a direction. */
void afxi_json_repeat_suffix(const AfxiJsonRepeat *repeat, char out[AFXI_SUFFIX_SIZE]);

/* ---- what a file holds; each reads one object, or adds nothing and is false with the error set ---- */

bool afxi_json_read_body(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node);
bool afxi_json_read_marker(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                           const AfxBodyId *body);
bool afxi_json_read_wrench(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                           const AfxBodyId *body);
/** `ends`: base and follower, for a joint between instances; NULL: it names them. */
bool afxi_json_read_joint(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                          const AfxBodyId *ends);
/** `joint`: for a drive inside a joint; NULL: it names it. */
bool afxi_json_read_drive(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                          const AfxJointId *joint);
/** Whether a free axis of a kind turns. */
bool afxi_json_axis_turns(AfxJointKind kind, uint32_t axis);
/** Key "axis" of an object: a number, or "tx" ... "rz"; 0 when absent. */
bool afxi_json_axis(const AfxiJsonFile *file, const AfxiJsonNode *object, AfxJointId joint, uint32_t *out_axis,
                    bool *out_turns);
bool afxi_json_read_coupling(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node);
bool afxi_json_read_spring(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node);
/** What a shape has when it does not say. */
typedef struct AfxiJsonLook {
    uint32_t color;
    AfxTextureId texture;
} AfxiJsonLook;
/** `density`, `material`, `look`: what the shape has when it names none. */
bool afxi_json_read_shape(const AfxiJsonFile *file, const AfxiJsonNode *node, double density, AfxMaterialId material,
                          AfxiJsonLook look, AfxBodyId body);
/** Key "color" of an object, "#rrggbb", else that of its material; absent keys leave it as it is. */
bool afxi_json_color(const AfxiJsonFile *file, const AfxiJsonNode *object, uint32_t *color);
bool afxi_json_color_at(const AfxiJsonFile *file, const AfxiJsonNode *node, uint32_t *out_color);
/** Key "texture" likewise: the name of one that the file describes. */
bool afxi_json_texture(const AfxiJsonFile *file, const AfxiJsonNode *object, AfxTextureId *texture);
/** The textures at the top of a file. */
bool afxi_json_read_textures(AfxiJsonFile *file, const AfxiJsonNode *top);
/** The material that key "material" of an object names; absent keys leave the numbers as they are. */
bool afxi_json_material(const AfxiJsonFile *file, const AfxiJsonNode *object, double *density, double *young,
                        double *poisson);
/** The description of a material, or NULL. */
const AfxiJsonNode *afxi_json_find_material(const AfxiJsonFile *file, const char *name);
/** How an object looks: its own `key`, or that of its material; NULL: neither. */
const AfxiJsonNode *afxi_json_look(const AfxiJsonFile *file, const AfxiJsonNode *object, const char *key);
/** The same material for contact: the scene's, or the default one when it has no number for contact. */
bool afxi_json_surface(const AfxiJsonFile *file, const AfxiJsonNode *object, AfxMaterialId *material);
/** The contact switch, materials and their pairs, at the top of a file. */
bool afxi_json_read_contact(AfxiJsonFile *file, const AfxiJsonNode *top);
bool afxi_json_read_exclusion(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node);
/** The object "robot" at the top of a file. */
bool afxi_json_read_robot(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *top);
/** Bodies, groups, joints and the rest of a file or group. */
bool afxi_json_read_block(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node);
/** Whether everything that a file makes is within items_most. */
bool afxi_json_count_block(const AfxiJsonFile *file, const AfxiJsonNode *node);

/** Adds the materials of `from` to the scene where it has no equal ones; what each has become goes to
 * out_materials[materials of from]. `node` is what asks for it. */
bool afxi_json_copy_materials(const AfxiJsonFile *file, const AfxiJsonNode *node, const AfxScene *from,
                              AfxMaterialId *out_materials);
/** Adds all else of `from` to the scene, as the scope places and names it. */
bool afxi_json_copy_scene(const AfxiJsonFile *file, const AfxiJsonScope *scope, const AfxiJsonNode *node,
                          const AfxScene *from, const AfxMaterialId *materials);
#define AFXI_JSON_UNTURNED_WRENCH "the signals of a wrench in world axes cannot be turned with the group"
#define AFXI_JSON_UNTURNED_WRENCH_CURE "give them in the body's axes, or place the group without turning it"
/** Turns a motion with the scope's place; false when the signals cannot be turned. */
bool afxi_json_place_motion(const AfxiJsonScope *scope, AfxMotion *motion);
/** The same for signals along three axes. */
bool afxi_json_place_signals(const AfxiJsonScope *scope, AfxSignal signals[3]);

#endif
