/* SPDX-License-Identifier: Apache-2.0 */
/* A study as it was read: scene, run settings, what varies, what is recorded, and what is to become small. */
#ifndef AFXI_SWEEP_STUDY_H
#define AFXI_SWEEP_STUDY_H

#include "affix/io.h"
#include "affix/out.h"
#include "cases/cases.h"
#include "sweep/file_case.h"
#include "sweep/param.h"
#include "sweep/sweep.h"

#define AFXI_RUNS_MOST 1000000000u

typedef enum AfxiDesignKind {
    AFXI_DESIGN_GRID = 0, /* all combinations, the last of `vary` fastest */
    AFXI_DESIGN_RANDOM,   /* independent */
    AFXI_DESIGN_SOBOL,    /* evenly spread, digitally shifted by the seed */
    AFXI_DESIGN_LIST,     /* points in the study */
    AFXI_DESIGN_CSV,      /* points in a table, columns by name */
    AFXI_DESIGN_COUNT
} AfxiDesignKind;

typedef enum AfxiMethod {
    AFXI_METHOD_NONE = 0,
    AFXI_METHOD_CMA,
    AFXI_METHOD_CROSS_ENTROPY,
    AFXI_METHOD_GAUSS_NEWTON,
    AFXI_METHOD_LBFGS,
    AFXI_METHOD_COUNT
} AfxiMethod;

typedef enum AfxiReduction {
    AFXI_REDUCE_END = 0,
    AFXI_REDUCE_START,
    AFXI_REDUCE_MIN,
    AFXI_REDUCE_MAX,
    AFXI_REDUCE_PEAK, /* largest magnitude */
    AFXI_REDUCE_MEAN,
    AFXI_REDUCE_RMS,
    AFXI_REDUCE_INTEGRAL, /* over time, by trapezoids */
    AFXI_REDUCE_COUNT
} AfxiReduction;

/** Something that is set or varied: a parameter of the case or scene file, or one of the sim. */
typedef struct AfxiVary {
    char *name;
    const AfxiCaseParameter *parameter; /* of the case or file; NULL: of the sim */
    double *values;                     /* [count] where they are listed; else NULL */
    double from, to;                    /* range; mean and standard deviation where it is normal */
    double start;                       /* of an optimiser; NaN: the middle */
    uint32_t count;                     /* of values, or of steps in the range; 1 for what is set */
    bool log, normal;
} AfxiVary;

/** A record: one name, which can stand for several columns. */
typedef struct AfxiRecord {
    AfxiReduction reduction;
    char *column;          /* as AfxProbe takes it */
    uint32_t first, count; /* columns of the probe, and values of a run */
} AfxiRecord;

/** A term of the objective: weight |x - target|^power. */
typedef struct AfxiTerm {
    uint32_t record;
    double weight, target, power;
} AfxiTerm;

typedef struct AfxiOptimiserDef {
    AfxiMethod method;
    uint32_t population; /* 0: by the number of parameters */
    uint32_t rounds;     /* at most */
    double sigma;        /* of the range, at the start */
    double tolerance;    /* of the objective's relative change */
    double step;         /* of finite differences, of the range */
    uint64_t seed;
} AfxiOptimiserDef;

/** A scene, compiled, and where its parameters are. Shared by threads when it is that of the study itself. */
typedef struct AfxiBuilt {
    AfxScene *scene;
    AfxModel *model;
    AfxiParamPlace *places; /* [set_count + vary_count]; unused where it is a parameter of the case */
} AfxiBuilt;

struct AfxiStudy {
    char *path, *folder;         /* of the study file */
    char *label;                 /* of the scene: the case or the path, as it was given */
    char *scene_path;            /* of a scene file; NULL: a case */
    AfxiFileCase *file;          /* of one with parameters; NULL: it has none */
    AfxiCaseArguments arguments; /* of the case, or of the file */
    AfxLoadDef load;
    AfxRunDef usual; /* how a scene file is run, by itself */
    AfxModelDef model;
    AfxSimDef sim;
    uint64_t steps;
    bool rigid;
    AfxiVary *set; /* [set_count] */
    uint32_t set_count;
    AfxiVary *vary; /* [vary_count] */
    uint32_t vary_count;
    bool rebuilds; /* a parameter of the case varies */
    AfxiDesignKind design;
    uint64_t run_count, seed; /* of a design */
    double *points;           /* [run_count][vary_count] of a list or table */
    AfxiRecord *records;      /* [record_count] */
    uint32_t record_count;
    char *columns;         /* of the probe: all records, then the series */
    uint32_t column_count; /* of the records */
    bool every_step;       /* some record needs all states */
    char *series;          /* columns with commas; NULL: none */
    uint64_t series_every;
    uint32_t series_width, series_frames;
    AfxiTerm *terms; /* [term_count] */
    uint32_t term_count;
    bool maximise;
    AfxiOptimiserDef optimiser;
    AfxiBuilt base;
    char **value_names; /* [value_count] */
    uint32_t value_count;
    uint64_t hash;      /* of scene, settings and records: results of equal hashes belong together */
    uint64_t base_hash; /* of scene, settings and what is set */
};

/** Compiles the scene of the study with these arguments of the case. */
AfxStatus afxi_study_build(const AfxiStudy *study, const AfxiCaseArguments *arguments, AfxiBuilt *out_built,
                           AfxError *out_error);
void afxi_built_destroy(AfxiBuilt *built);
/** Arguments of the case for a point. */
AfxStatus afxi_study_arguments(const AfxiStudy *study, const double *point, AfxiCaseArguments *out_arguments,
                               AfxError *out_error);
/** The parameters at a point of the unit cube, for optimisers. */
void afxi_study_from_unit(const AfxiStudy *study, const double *unit, double *out_point);
/** The id of a run: a hash of scene, settings and parameters. */
uint64_t afxi_study_id(const AfxiStudy *study, const double *point);
/** The objective, from values [column_count]. */
double afxi_study_objective(const AfxiStudy *study, const double *values);
/** The residual of a term: its square is the term. */
double afxi_study_residual(const AfxiStudy *study, uint32_t term, const double *values);
/** Text of a parameter's value: a number, or the name of a choice. */
void afxi_study_format(const AfxiVary *vary, double value, char *out_text, size_t size);

/** A 64-bit hash of bytes. */
uint64_t afxi_sweep_hash(uint64_t hash, const void *bytes, size_t size);
#define AFXI_SWEEP_HASH 0xcbf29ce484222325ull

extern const char *const afxi_design_names[AFXI_DESIGN_COUNT + 1];
extern const char *const afxi_method_names[AFXI_METHOD_COUNT + 1];
extern const char *const afxi_reduction_names[AFXI_REDUCE_COUNT + 1];

#endif
