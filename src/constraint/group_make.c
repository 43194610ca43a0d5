/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of joints: which go side by side. */
#include "constraint/group_make.h"

/* What goes side by side: joints by kind, those that closed forms leave first, and coordinates by kind, axis and the
 * law of their drives. */
#define KINDS 20
#define LAWS 8          /* AFX_DRIVE_..., AFXI_LAW_TABLES */
#define SORTS_OF_ROWS 8 /* AFXI_GROUP_... */
#define SORTS (KINDS * LAWS * (SORTS_OF_ROWS + 1))
_Static_assert(AFX_JOINT_KIND_COUNT <= KINDS, "a sort for each kind");
_Static_assert(AFXI_LAW_TABLES < LAWS, "a sort for each law");

typedef struct Maker {
    AfxiRows *rows;
    uint32_t count[SORTS]; /* lanes */
    uint32_t group[SORTS]; /* the next group of a sort, once they are counted */
    uint32_t filled[SORTS];
    uint32_t grounds;
} Maker;

/* Whether closed forms leave a block (model/closed_form.c). */
static bool is_general(const AfxiGraph *graph, const AfxiGraphBlock *block) {
    bool general = !block->closed_form || !graph->closed_form.raw;
    for (uint32_t e = block->first_entry; !general && e < block->first_entry + block->entry_count; e++) {
        general = !graph->closed_form.body[graph->entry[e].dof.index];
    }
    return general;
}

static uint32_t kind_of(const Maker *maker, const AfxiGraphBlock *block) {
    return maker->rows->world->model->joints[block->index].kind;
}

/* By the model alone: what a sim takes is asked for before there is one. */
static bool has_tables(const AfxiRows *rows, uint32_t row) {
    const AfxModel *model = rows->world->model;
    const AfxiGraphRow *source = &rows->graph->row[row];
    bool drive = source->source == AFXI_SOURCE_DRIVE, spring = source->source == AFXI_SOURCE_SPRING;
    if (!model->table_count || (!drive && !spring)) {
        return false;
    }
    const AfxiTables *tables = (drive ? model->drive_tables : model->spring_tables) + source->index;
    return tables->spring_count + tables->damper_count > 0;
}

static uint32_t law_of(const AfxiRows *rows, uint32_t row) {
    uint32_t kind = rows->world->model->drives[rows->graph->row[row].index].kind;
    return has_tables(rows, row) ? AFXI_LAW_TABLES : kind;
}

/* Sorts in the order of groups: joints that are general, their coordinates, other joints. */
static uint32_t sort_of(const Maker *maker, const AfxiGraphBlock *block, uint32_t rows, uint32_t first, bool general) {
    uint32_t place = rows != AFXI_GROUP_OWN ? 1 + rows : general ? 0 : SORTS_OF_ROWS;
    uint32_t law = rows < AFXI_GROUP_SCREW ? law_of(maker->rows, block->first_row + first) : 0;
    return KINDS * (LAWS * place + law) + kind_of(maker, block);
}

static size_t kept_of(const AfxiJointKind *kind, uint32_t rows) {
    bool point = kind->row_count >= 3 && kind->rows[0].type == AFXI_ROW_POINT;
    size_t numbers = rows == AFXI_GROUP_OWN ? 0 : AFXI_KEPT_ROW;
    for (uint32_t r = point ? 3 : 0; rows == AFXI_GROUP_OWN && r < kind->row_count; r++) {
        numbers += kind->rows[r].type == AFXI_ROW_ALIGN ? AFXI_KEPT_ALIGN : AFXI_KEPT_ROW;
    }
    return AFXI_GROUP_LANES * (numbers + (rows == AFXI_GROUP_OWN && point ? AFXI_KEPT_POINT : 0));
}

/* Whether a drive acts on an angle of three free rotations: they go row by row (joint/axis.h). */
static bool is_odd(const AfxiRows *rows, const AfxiGraphRow *row) {
    if (row->source != AFXI_SOURCE_DRIVE) {
        return false;
    }
    const AfxiDrive *drive = &rows->world->model->drives[row->index];
    const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)rows->world->model->joints[drive->joint].kind);
    uint8_t type = afxi_axis_of(kind, drive->axis).type;
    return type != AFXI_AXIS_TRANSLATION && type != AFXI_AXIS_ROTATION;
}

/* Calls `add` for the rows of a joint that go together: `rows` of the kind or a coordinate, from row `first` of the
 * block on. */
typedef void Add(Maker *maker, const AfxiGraphBlock *block, uint32_t rows, uint32_t first, bool general);

static void each_of_block(Maker *maker, const AfxiGraphBlock *block, Add *add) {
    const AfxiGraph *graph = maker->rows->graph;
    bool general = is_general(graph, block);
    if (block->type != AFXI_BLOCK_JOINT || (!general && graph->recursion.on)) {
        return;
    }
    add(maker, block, AFXI_GROUP_OWN, 0, general);
    for (uint32_t r = 0; r < block->row_count; r++) {
        const AfxiGraphRow *row = &graph->row[block->first_row + r];
        if (row->source == AFXI_SOURCE_SCREW) {
            add(maker, block, AFXI_GROUP_SCREW, r, general);
        } else if (row->source == AFXI_SOURCE_DRIVE && !is_odd(maker->rows, row)) {
            add(maker, block, maker->rows->world->model->drives[row->index].axis, r, general);
        }
    }
}

static void count_lane(Maker *maker, const AfxiGraphBlock *block, uint32_t rows, uint32_t first, bool general) {
    maker->count[sort_of(maker, block, rows, first, general)]++;
    maker->grounds += rows == AFXI_GROUP_OWN && block->entry_count == 1;
}

/* The number behind the bodies of what is not solved for. Joints of one ground mostly follow one another, and rows of
 * one joint always do: there is at most one for each joint. */
static uint32_t ground_of(AfxiRows *rows, uint32_t body) {
    AfxiRowGroups *groups = &rows->groups;
    uint32_t k = groups->ground_count;
    if (k == 0 || groups->ground[k - 1] != body) {
        groups->ground[groups->ground_count++] = body;
        k = groups->ground_count;
    }
    return rows->graph->body_count + k - 1;
}

static void fill_side(const Maker *maker, const AfxiGraphBlock *block, uint32_t first, int side, AfxiRowGroup *group,
                      uint32_t lane) {
    const AfxiGraph *graph = maker->rows->graph;
    const AfxiJoint *joint = &maker->rows->world->model->joints[block->index];
    uint32_t body = side ? joint->base : joint->follower;
    group->entry[side][lane] = UINT32_MAX;
    for (uint32_t e = block->first_entry; e < block->first_entry + block->entry_count; e++) {
        if (graph->body[graph->entry[e].dof.index] == body) {
            group->entry[side][lane] = e;
            group->place[side][lane] = graph->entry[e].dof.index;
            group->gradient[side][lane] = graph->entry[e].jacobian + (size_t)AFXI_AFFINE_WIDTH * first;
        }
    }
    if (group->entry[side][lane] == UINT32_MAX) {
        group->grounded = true;
        group->place[side][lane] = ground_of(maker->rows, body);
        group->gradient[side][lane] = 0;
    }
}

static void fill_lane(Maker *maker, const AfxiGraphBlock *block, uint32_t rows, uint32_t first, bool general) {
    const AfxiGraph *graph = maker->rows->graph;
    uint32_t sort = sort_of(maker, block, rows, first, general), lane = maker->filled[sort]++ % AFXI_GROUP_LANES;
    maker->group[sort] += lane == 0 && maker->filled[sort] > 1;
    AfxiRowGroup *group = &maker->rows->groups.group[maker->group[sort]];
    group->joint[lane] = block->index;
    group->row[lane] = block->first_row + first;
    group->drive[lane] = graph->row[block->first_row + first].index; /* of a drive */
    group->lanes = (uint8_t)(lane + 1);
    fill_side(maker, block, first, 0, group, lane);
    fill_side(maker, block, first, 1, group, lane);
}

/* Lanes that are empty repeat the last one, which any number of lanes takes together with them. */
static void pad(AfxiRowGroup *group) {
    const uint32_t last = group->lanes - 1u;
    for (uint32_t lane = group->lanes; lane < AFXI_GROUP_LANES; lane++) {
        group->joint[lane] = group->joint[last];
        group->row[lane] = group->row[last];
        group->drive[lane] = group->drive[last];
        for (int side = 0; side < 2; side++) {
            group->place[side][lane] = group->place[side][last];
            group->entry[side][lane] = group->entry[side][last];
            group->gradient[side][lane] = group->gradient[side][last];
        }
    }
}

/* Kinds, rows and places of what is kept, sort by sort; their numbers come back in the groups. */
static size_t lay_out(Maker *maker) {
    AfxiRowGroups *groups = &maker->rows->groups;
    size_t kept = 0;
    groups->count = groups->general_count = groups->own_count = 0;
    for (uint32_t sort = 0; sort < SORTS; sort++) {
        uint32_t place = sort / KINDS / LAWS, law = sort / KINDS % LAWS;
        uint32_t rows = place == 0 || place == SORTS_OF_ROWS ? AFXI_GROUP_OWN : place - 1;
        uint32_t count = (maker->count[sort] + AFXI_GROUP_LANES - 1) / AFXI_GROUP_LANES;
        maker->group[sort] = groups->count;
        for (uint32_t k = 0; k < count; k++) {
            const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)(sort % KINDS));
            if (groups->group) {
                groups->group[groups->count] =
                    (AfxiRowGroup){.kind = kind, .rows = (uint8_t)rows, .law = (uint8_t)law, .kept = kept};
            }
            kept += kept_of(kind, rows);
            groups->count++;
        }
        groups->own_count = place == 0 ? groups->count : groups->own_count;
        groups->general_count = place < SORTS_OF_ROWS ? groups->count : groups->general_count;
    }
    return kept;
}

static void fill(Maker *maker) {
    const AfxiGraph *graph = maker->rows->graph;
    AfxiRowGroups *groups = &maker->rows->groups;
    uint32_t singles = 0, odds = 0, tables = 0;
    for (uint32_t b = 0; b < graph->joint_blocks; b++) {
        each_of_block(maker, &graph->block[b], fill_lane);
        if (graph->block[b].type != AFXI_BLOCK_JOINT) {
            groups->single[singles++] = b;
        }
    }
    for (uint32_t row = 0; row < graph->joint_rows; row++) {
        if (is_odd(maker->rows, &graph->row[row])) {
            groups->odd[odds++] = row;
        }
        if (has_tables(maker->rows, row)) {
            groups->table[tables++] = row;
        }
    }
    AfxiFramePacker packer = {.kernel = groups->kernel, .next = groups->frames};
    for (uint32_t k = 0; k < groups->count; k++) {
        const AfxiJointFrame *frame[AFXI_GROUP_LANES];
        pad(&groups->group[k]);
        for (int l = 0; l < AFXI_GROUP_LANES; l++) {
            frame[l] = afxi_world_joint_frame(maker->rows->world, groups->group[k].joint[l]);
        }
        groups->group[k].frames = afxi_frames_pack(&packer, frame);
    }
}

/* Whether the lever arms of a group's rows are those of points in bodies, or of directions. */
static bool is_steady(const AfxiRowGroup *group) {
    bool steady = group->rows == AFXI_GROUP_OWN;
    for (uint32_t r = 0; steady && r < group->kind->row_count; r++) {
        uint8_t type = group->kind->rows[r].type;
        steady = type == AFXI_ROW_POINT || type == AFXI_ROW_ALIGN || type == AFXI_ROW_DIRECTION;
    }
    return steady;
}

void afxi_groups_take(AfxiRows *rows, AfxiArena *arena) {
    const AfxiGraph *graph = rows->graph;
    AfxiRowGroups *groups = &rows->groups;
    Maker maker = {.rows = rows};
    *groups = (AfxiRowGroups){.kernel = afxi_group_kernel(rows->world->def.lanes)};
    for (uint32_t b = 0; b < graph->joint_blocks; b++) {
        const AfxiGraphBlock *block = &graph->block[b];
        each_of_block(&maker, block, count_lane);
        groups->single_count += block->type != AFXI_BLOCK_JOINT;
        if (!graph->recursion.on || is_general(graph, block)) {
            groups->entry_count = block->first_entry + block->entry_count; /* in rising order */
        }
    }
    for (uint32_t row = 0; row < graph->joint_rows; row++) {
        groups->odd_count += is_odd(rows, &graph->row[row]);
        groups->table_count += has_tables(rows, row);
    }
    size_t kept = lay_out(&maker);
    groups->group = afxi_arena_take(arena, groups->count, sizeof *groups->group);
    groups->result = afxi_arena_take(arena, groups->count, sizeof *groups->result);
    groups->kept = afxi_arena_take(arena, kept, sizeof(double));
    groups->frames = afxi_arena_take(arena, afxi_frames_size(rows->world->model, groups->count), sizeof(double));
    groups->share = afxi_arena_take(arena, (size_t)AFXI_SHARE * groups->entry_count, sizeof(double));
    groups->single = afxi_arena_take(arena, groups->single_count, sizeof *groups->single);
    groups->odd = afxi_arena_take(arena, groups->odd_count, sizeof *groups->odd);
    groups->table = afxi_arena_take(arena, groups->table_count, sizeof *groups->table);
    groups->ground = afxi_arena_take(arena, maker.grounds, sizeof *groups->ground);
    groups->ground_q = afxi_arena_take(arena, (size_t)AFXI_AFFINE_WIDTH * maker.grounds, sizeof(double));
    groups->ground_v = afxi_arena_take(arena, (size_t)AFXI_AFFINE_WIDTH * maker.grounds, sizeof(double));
    if (arena->base) {
        lay_out(&maker);
        fill(&maker);
        groups->steady = graph->block_count == graph->joint_blocks && !groups->single_count && !groups->odd_count;
        for (uint32_t k = 0; k < groups->count; k++) {
            groups->steady &= is_steady(&groups->group[k]);
        }
    }
}
