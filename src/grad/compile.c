/* SPDX-License-Identifier: Apache-2.0 */
/* From a tape to a program: what results need is marked from behind, then numbered from the front, where what has been
 * there already is not put down twice. */
#include <string.h>

#include "grad/program.h"

#define NONE UINT32_MAX

typedef struct Compile {
    AfxiTape *tape;
    AfxiProgramTerm *term; /* values are nodes of the tape, NONE: none */
    uint32_t term_count, term_capacity;
    uint32_t *place;       /* [nodes] value of the program; NONE: not needed */
    uint32_t *table;       /* [table_size] steps by hash, NONE: free */
    uint32_t *origin;      /* [nodes] node that a step came from */
    AfxiProgramNode *node; /* [steps] */
    uint32_t *packed;      /* [steps + 1] value of the packed program */
    uint32_t *run;         /* [steps + 1] the same in runs */
    uint32_t nodes, table_size, steps, linear;
    size_t bytes;
    bool values; /* results are wanted */
    bool failed;
} Compile;

static void put_term(Compile *compile, AfxiProgramTerm term) {
    compile->failed =
        compile->failed || afxi_array_reserve(compile->tape->allocator, (void **)&compile->term,
                                              &compile->term_capacity, compile->term_count + 1, sizeof term) != AFX_OK;
    if (!compile->failed) {
        compile->term[compile->term_count++] = term;
    }
}

/* A multiple of something is that, with a factor. */
static AfxiProgramTerm term_of(const AfxiTape *tape, uint32_t row, uint32_t slot, AfxiVar y) {
    AfxiProgramTerm term = {row, slot, y.id, 1};
    if (afxi_is_number(y)) {
        term.by = y.value;
    }
    while (term.value != NONE && tape->node[term.value].op == AFXI_TAPE_LINEAR) {
        const AfxiTapeNode *node = &tape->node[term.value];
        bool multiple = node->c == 0 && (node->a == AFXI_CONSTANT) != (node->b == AFXI_CONSTANT);
        if (!multiple) {
            break;
        }
        term.by *= node->a == AFXI_CONSTANT ? node->db : node->da;
        term.value = node->a == AFXI_CONSTANT ? node->b : node->a;
    }
    return term;
}

/* The derivatives of a result by its leaves. */
static void derive(Compile *compile, const AfxiProgramResult *result, uint32_t slots) {
    AfxiTape *tape = compile->tape;
    afxi_tape_derive(tape, result->y);
    for (uint32_t k = 0; !afxi_is_number(result->y) && !tape->failed && k <= result->y.id; k++) {
        AfxiVar form = tape->form[k];
        bool none = afxi_is_number(form) && form.value == 0;
        if (tape->node[k].op == AFXI_TAPE_LEAF && tape->node[k].slot < slots && !none) {
            put_term(compile, term_of(tape, result->row, tape->node[k].slot, form));
        }
    }
}

/* The same as numbers, of a tape that will not be evaluated again. */
static void differentiate(Compile *compile, const AfxiProgramResult *result, uint32_t slots) {
    AfxiTape *tape = compile->tape;
    afxi_tape_reverse(tape, result->y);
    for (uint32_t k = 0; !afxi_is_number(result->y) && !tape->failed && k <= result->y.id; k++) {
        if (tape->node[k].op == AFXI_TAPE_LEAF && tape->node[k].slot < slots && tape->bar[k] != 0) {
            put_term(compile, (AfxiProgramTerm){result->row, tape->node[k].slot, NONE, tape->bar[k]});
        }
    }
    afxi_tape_forget(tape, result->y);
}

/* ---- what is needed ---- */

static void need(Compile *compile, uint32_t node) {
    if (node != NONE) {
        compile->place[node] = 0;
    }
}

static void need_operands(Compile *compile, uint32_t index) {
    const AfxiTapeNode *node = &compile->tape->node[index];
    if (node->op == AFXI_TAPE_ROTATION || node->op == AFXI_TAPE_TURN) {
        const AfxiTapeRotation *group = &compile->tape->rotation[node->slot];
        need(compile, group->first);
        for (int k = 0; k < 9; k++) {
            need(compile, group->in[k]);
        }
    } else if (node->op != AFXI_TAPE_SPUN) {
        need(compile, node->a);
        need(compile, node->b);
    }
}

static void mark(Compile *compile, const AfxiProgramResult *result, uint32_t count) {
    const AfxiTape *tape = compile->tape;
    for (uint32_t k = 0; k < compile->nodes; k++) {
        compile->place[k] = NONE;
    }
    for (uint32_t k = 0; compile->values && k < count; k++) {
        need(compile, result[k].y.id);
    }
    for (uint32_t k = 0; k < compile->term_count; k++) {
        need(compile, compile->term[k].value);
    }
    for (uint32_t k = 0; k < tape->guard_count; k++) {
        need(compile, tape->guard[k].node);
    }
    for (uint32_t k = compile->nodes; k-- > 0;) {
        if (compile->place[k] != NONE) {
            need_operands(compile, k);
        }
    }
}

/* ---- numbers ---- */

static uint32_t value_of(const Compile *compile, uint32_t node) {
    return node == NONE ? 0 : compile->place[node];
}

static AfxiProgramNode step_of(const Compile *compile, uint32_t index) {
    const AfxiTapeNode *node = &compile->tape->node[index];
    bool linear = node->op == AFXI_TAPE_LINEAR, ends = node->op == AFXI_TAPE_SPUN;
    uint32_t a = ends ? 0 : value_of(compile, node->a), b = ends ? 0 : value_of(compile, node->b);
    bool swap = node->op == AFXI_TAPE_PRODUCT && b < a;
    return (AfxiProgramNode){.da = linear ? node->da : 0,
                             .db = linear ? node->db : 0,
                             .c = linear ? node->c : 0,
                             .a = swap ? b : a,
                             .b = swap ? a : b,
                             .op = ends ? AFXI_TAPE_LEAF : node->op,
                             .slot = node->slot,
                             .entry = ends ? 0 : node->entry};
}

static uint64_t hash_of(const AfxiProgramNode *step) {
    uint64_t bits[3], hash = UINT64_C(14695981039346656037);
    memcpy(bits, &step->da, sizeof bits);
    const uint64_t all[7] = {bits[0],  bits[1],    bits[2],    (uint64_t)step->a << 32 | step->b,
                             step->op, step->slot, step->entry};
    for (int k = 0; k < 7; k++) {
        hash = (hash ^ all[k]) * UINT64_C(1099511628211);
        hash ^= hash >> 29;
    }
    return hash;
}

static bool same(const AfxiProgramNode *a, const AfxiProgramNode *b) {
    return a->da == b->da && a->db == b->db && a->c == b->c && a->a == b->a && a->b == b->b && a->op == b->op &&
           a->slot == b->slot && a->entry == b->entry;
}

/* Numbers the steps; `step`, where it is there, gets them. */
static void number(Compile *compile, AfxiProgramNode *step) {
    compile->steps = 0;
    for (uint32_t k = 0; k < compile->table_size; k++) {
        compile->table[k] = NONE;
    }
    for (uint32_t k = 0; k < compile->nodes; k++) {
        uint32_t op = compile->tape->node[k].op;
        if (compile->place[k] == NONE) {
            continue;
        }
        if (compile->term_count && (op == AFXI_TAPE_FROZEN || op == AFXI_TAPE_STILL)) { /* only values are asked for */
            compile->place[k] = compile->place[compile->tape->node[k].a];
            continue;
        }
        AfxiProgramNode own = step_of(compile, k);
        uint32_t at = (uint32_t)hash_of(&own) & (compile->table_size - 1);
        while (compile->table[at] != NONE) {
            AfxiProgramNode other = step_of(compile, compile->origin[compile->table[at]]);
            if (same(&own, &other)) {
                break;
            }
            at = (at + 1) & (compile->table_size - 1);
        }
        if (compile->table[at] == NONE) {
            compile->origin[compile->steps] = k;
            compile->table[at] = compile->steps++;
        }
        compile->place[k] = compile->table[at] + 1;
        if (step) {
            step[compile->table[at]] = own;
        }
    }
}

/* ---- the program ---- */

static void take(AfxiProgram *program, AfxiArena *arena, bool terms, uint32_t linear) {
    program->step = afxi_arena_take(arena, program->count, sizeof *program->step);
    program->constant = afxi_arena_take(arena, 3 * (size_t)linear, sizeof(double));
    program->value = afxi_arena_take(arena, (size_t)program->count + 1, sizeof(double));
    program->bar = afxi_arena_take(arena, terms ? 0 : (size_t)program->count + 1, sizeof(double));
    program->result = afxi_arena_take(arena, program->result_count, sizeof *program->result);
    program->term = afxi_arena_take(arena, program->term_count, sizeof *program->term);
    program->guard = afxi_arena_take(arena, program->guard_count, sizeof *program->guard);
    program->turn = afxi_arena_take(arena, program->turn_count, sizeof *program->turn);
}

/* The value of a node in the packed program. */
static uint32_t packed_of(const Compile *compile, uint32_t node) {
    return compile->packed[value_of(compile, node)];
}

/* The same, where it has gone in the end. */
static uint32_t final_of(const Compile *compile, uint32_t node) {
    return compile->run[packed_of(compile, node)];
}

/* packed [steps + 1] <- how often each value is used; inputs of rotations stay values of their own. */
static void count_uses(const Compile *compile, const AfxiProgramResult *result, uint32_t count) {
    const AfxiTape *tape = compile->tape;
    uint32_t *uses = compile->packed;
    memset(uses, 0, ((size_t)compile->steps + 1) * sizeof *uses);
    for (uint32_t k = 0; k < compile->steps; k++) {
        uses[compile->node[k].a]++;
        uses[compile->node[k].b]++;
    }
    for (uint32_t k = 0; compile->values && k < count; k++) {
        uses[value_of(compile, result[k].y.id)] += 2;
    }
    for (uint32_t k = 0; k < compile->term_count; k++) {
        uses[value_of(compile, compile->term[k].value)] += 2;
    }
    for (uint32_t k = 0; k < tape->guard_count; k++) {
        uses[value_of(compile, tape->guard[k].node)] += 2;
    }
    for (uint32_t k = 0; k < tape->rotation_count; k++) {
        for (int j = 0; j < 9; j++) {
            uint32_t in = tape->rotation[k].in[j];
            uses[in == NONE || compile->place[in] == NONE ? 0 : compile->place[in]] += 2;
        }
    }
}

static AfxStatus fill(AfxiProgram *program, Compile *compile, const AfxiProgramResult *result) {
    const AfxiTape *tape = compile->tape;
    program->value[0] = 0;
    count_uses(compile, result, program->result_count);
    afxi_program_pack(compile->node, compile->steps, compile->packed, program->step, program->constant,
                      &compile->linear);
    for (uint32_t k = 0; k < program->turn_count; k++) {
        for (int j = 0; j < 9; j++) {
            uint32_t in = tape->rotation[k].in[j];
            program->turn[k].in[j] = in == NONE || compile->place[in] == NONE ? 0 : packed_of(compile, in);
            program->turn[k].fixed.m[j] = tape->rotation[k].a.m[j];
        }
    }
    AfxStatus status = afxi_program_schedule(tape->allocator, program->step, program->count, program->turn,
                                             program->turn_count, compile->run);
    if (status != AFX_OK) {
        return status;
    }
    for (uint32_t k = 0; k < program->result_count; k++) {
        program->result[k] =
            (AfxiProgramTerm){result[k].row, 0, compile->values ? final_of(compile, result[k].y.id) : 0,
                              afxi_is_number(result[k].y) ? result[k].y.value : 1};
    }
    for (uint32_t k = 0; k < program->term_count; k++) {
        program->term[k] = compile->term[k];
        program->term[k].value = final_of(compile, compile->term[k].value);
    }
    for (uint32_t k = 0; k < program->guard_count; k++) {
        program->guard[k] = tape->guard[k];
        program->guard[k].node = final_of(compile, tape->guard[k].node);
    }
    for (uint32_t k = 0; k < program->turn_count; k++) {
        for (int j = 0; j < 9; j++) {
            program->turn[k].in[j] = compile->run[program->turn[k].in[j]];
        }
    }
    program->again = !tape->volatile_numbers;
    return AFX_OK;
}

/* Numbers all steps, in memory of its own. */
static AfxStatus number_all(Compile *compile, const AfxiProgramResult *result, uint32_t count, void **out_raw,
                            size_t *out_size) {
    AfxiArena arena = {0};
    mark(compile, result, count);
    number(compile, NULL);
    for (int pass = 0; pass < 2; pass++) {
        compile->node = afxi_arena_take(&arena, (size_t)compile->steps + 1, sizeof *compile->node);
        compile->packed = afxi_arena_take(&arena, (size_t)compile->steps + 1, sizeof *compile->packed);
        compile->run = afxi_arena_take(&arena, (size_t)compile->steps + 1, sizeof *compile->run);
        if (pass == 0) {
            arena.base = arena.overflow
                             ? NULL
                             : afxi_allocate_aligned(compile->tape->allocator, arena.used + 1, out_raw, out_size);
            arena.used = 0;
        }
        if (!arena.base) {
            return AFX_E_MEMORY;
        }
    }
    mark(compile, result, count);
    number(compile, compile->node);
    count_uses(compile, result, count);
    return AFX_OK;
}

static AfxStatus build(AfxiProgram *program, Compile *compile, const AfxiProgramResult *result, uint32_t count,
                       bool terms) {
    const AfxAllocator *allocator = compile->tape->allocator;
    AfxiArena arena = {0};
    void *raw = NULL;
    size_t raw_size = 0;
    AfxStatus status = number_all(compile, result, count, &raw, &raw_size);
    *program = (AfxiProgram){.allocator = allocator,
                             .result_count = count,
                             .term_count = compile->term_count,
                             .guard_count = compile->tape->guard_count,
                             .turn_count = compile->tape->rotation_count};
    if (status == AFX_OK) {
        program->count =
            afxi_program_pack(compile->node, compile->steps, compile->packed, NULL, NULL, &compile->linear);
        take(program, &arena, terms, compile->linear);
        arena.base =
            arena.overflow ? NULL : afxi_allocate_aligned(allocator, arena.used + 1, &program->raw, &program->raw_size);
        arena.used = 0;
    }
    if (arena.base) {
        take(program, &arena, terms, compile->linear);
        status = fill(program, compile, result);
    } else {
        status = AFX_E_MEMORY;
    }
    if (status != AFX_OK) {
        afxi_release(allocator, program->raw, program->raw_size);
        *program = (AfxiProgram){.allocator = allocator};
    }
    afxi_release(allocator, raw, raw_size);
    return status;
}

AfxStatus afxi_program_make(AfxiProgram *program, AfxiTape *tape, const AfxiProgramResult *result, uint32_t count,
                            uint32_t slots, bool values) {
    Compile compile = {.tape = tape, .table_size = 2, .values = values || !slots};
    AfxStatus status = AFX_E_MEMORY;
    program->allocator = tape->allocator;
    afxi_program_release(program);
    for (uint32_t k = 0; slots && k < count; k++) {
        if (tape->volatile_numbers) {
            differentiate(&compile, &result[k], slots);
        } else {
            derive(&compile, &result[k], slots);
        }
    }
    compile.nodes = tape->count;
    while (compile.table_size < 2 * compile.nodes) {
        compile.table_size *= 2;
    }
    compile.bytes = (2 * (size_t)compile.nodes + compile.table_size) * sizeof(uint32_t);
    compile.place = compile.failed || tape->failed ? NULL : afxi_allocate(tape->allocator, compile.bytes);
    if (compile.place) {
        compile.origin = compile.place + compile.nodes;
        compile.table = compile.origin + compile.nodes;
        status = build(program, &compile, result, count, slots > 0);
        afxi_release(tape->allocator, compile.place, compile.bytes);
    }
    afxi_release(tape->allocator, compile.term, compile.term_capacity * sizeof *compile.term);
    tape->failed = tape->failed && status == AFX_OK;
    return status;
}
