/* SPDX-License-Identifier: Apache-2.0 */
/* The tape against differences, as numbers and as formulas; the factor against products. */
#include "tests.h"

#include "grad/front.h"
#include "grad/program.h"
#include "grad/tape.h"
#include "grad/vector.h"

enum { INPUTS = 12 };

/* Something of everything; frozen: one factor is a constant of formulas. */
static AfxiVar formula(AfxiTape *tape, const AfxiVar x[INPUTS], bool frozen) {
    AfxiVar r[9], sum = afxi_number(0);
    afxi_tape_rotation(tape, x, r);
    for (int k = 0; k < 9; k++) {
        sum = afxi_tape_linear(tape, 1, sum, 0.3 + 0.1 * k, afxi_tape_multiply(tape, r[k], x[(k + 4) % INPUTS]));
    }
    AfxiVar angle = afxi_tape_arctan(tape, x[9], x[10]), wave = afxi_tape_sine(tape, afxi_tape_cosine(tape, x[11]));
    AfxiVar root = afxi_tape_root(tape, afxi_add(tape, afxi_tape_multiply(tape, x[0], x[0]), afxi_number(2)));
    AfxiVar small = afxi_tape_arcsine(tape, afxi_scale(tape, 0.2, wave));
    small = afxi_subtract(tape, small, afxi_tape_arccosine(tape, afxi_scale(tape, 0.1, x[1])));
    AfxiVar ratio = afxi_divide(tape, angle, root);
    AfxiVar kept = frozen ? afxi_tape_freeze(tape, ratio) : ratio;
    return afxi_add(tape, sum, afxi_tape_multiply(tape, kept, afxi_add(tape, small, x[2])));
}

static void inputs(AfxiTape *tape, const double *at, AfxiVar out[INPUTS]) {
    afxi_tape_clear(tape);
    for (uint32_t k = 0; k < INPUTS; k++) {
        out[k] = afxi_tape_leaf(tape, k, at[k]);
    }
}

static double value_at(AfxiTape *tape, const double *at) {
    AfxiVar x[INPUTS];
    inputs(tape, at, x);
    return formula(tape, x, false).value;
}

static const double place[INPUTS] = {1.1, 0.2, -0.1, -0.3, 0.9, 0.15, 0.2, -0.1, 1.05, 0.7, -0.4, 0.6};

static void test_numbers(void **state) {
    (void)state;
    AfxAllocator allocator = afx_default_allocator();
    AfxiTape tape = {.allocator = &allocator};
    AfxiVar x[INPUTS];
    double found[INPUTS];
    inputs(&tape, place, x);
    AfxiVar y = formula(&tape, x, true);
    afxi_tape_reverse(&tape, y);
    for (int k = 0; k < INPUTS; k++) {
        found[k] = tape.bar[x[k].id];
    }
    afxi_tape_forget(&tape, y);
    for (int k = 0; k < INPUTS; k++) {
        double moved[INPUTS], h = 1e-3, d[3];
        for (int j = 1; j <= 3; j++) {
            memcpy(moved, place, sizeof moved);
            moved[k] = place[k] + j * h;
            d[j - 1] = value_at(&tape, moved);
            moved[k] = place[k] - j * h;
            d[j - 1] = (d[j - 1] - value_at(&tape, moved)) / (2 * j * h);
        }
        assert_true(fabs(1.5 * d[0] - 0.6 * d[1] + 0.1 * d[2] - found[k]) < 1e-11);
    }
    afxi_tape_release(&tape);
}

/* Gradients as formulas have the values of those as numbers, and can be differentiated again. */
static void test_formulas(void **state) {
    (void)state;
    AfxAllocator allocator = afx_default_allocator();
    AfxiTape tape = {.allocator = &allocator};
    AfxiVar x[3], g[3], dot[3];
    afxi_tape_clear(&tape);
    for (uint32_t k = 0; k < 3; k++) {
        x[k] = afxi_tape_leaf(&tape, k, 0.3 + 0.4 * k);
        dot[k] = afxi_tape_leaf(&tape, 3 + k, 1.5 - k);
    }
    /* y = atan2(x0 x1, x2) + sqrt(x1) / x2, and a frozen factor */
    AfxiVar y = afxi_tape_arctan(&tape, afxi_tape_multiply(&tape, x[0], x[1]), x[2]);
    y = afxi_add(&tape, y, afxi_divide(&tape, afxi_tape_root(&tape, x[1]), x[2]));
    y = afxi_tape_multiply(&tape, y, afxi_tape_freeze(&tape, x[0]));
    afxi_tape_gradient(&tape, y, x, 3, g);
    AfxiVar rate = afxi_tape_rate(&tape, y, x, dot, 3);
    double sum = 0, a = 0.3, b = 0.7, c = 1.1, s = (a * b) * (a * b) + c * c;
    const double expected[3] = {a * b * c / s, a * (a * c / s + 0.5 / (sqrt(b) * c)),
                                a * (-a * b / s - sqrt(b) / (c * c))};
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(g[k].value - expected[k]) < 1e-14);
        sum += expected[k] * dot[k].value;
    }
    assert_true(fabs(rate.value - sum) < 1e-14);
    afxi_tape_reverse(&tape, g[0]); /* d/dx0 of x0 x1 x2 / s, where the first x0 is the frozen one */
    assert_true(fabs(tape.bar[x[0].id] - (b * c / s - 2 * a * a * b * b * b * c / (s * s))) < 1e-14);
    afxi_tape_forget(&tape, g[0]);
    afxi_tape_release(&tape);
}

/* A program gives values and derivatives at other numbers, as long as its branch holds. */
static void test_program(void **state) {
    (void)state;
    AfxAllocator allocator = afx_default_allocator();
    AfxiTape tape = {.allocator = &allocator};
    AfxiProgram program = {0};
    double at[2] = {0.5, 3}, other[2] = {0.7, -2}, beyond[2] = {1.5, 3};
    AfxiVar x = afxi_tape_leaf(&tape, 0, at[0]), y = afxi_tape_leaf(&tape, 1, at[1]);
    bool inside = afxi_tape_between(&tape, x, 0, 1);
    AfxiVar z = inside ? afxi_tape_multiply(&tape, afxi_tape_multiply(&tape, x, x), y) : y;
    AfxiProgramResult result = {7, z};
    assert_int_equal(afxi_program_make(&program, &tape, &result, 1, 2, true), AFX_OK);
    assert_true(program.again && program.term_count == 2);
    assert_true(afxi_program_evaluate(&program, other));
    assert_true(fabs(afxi_program_term(&program, &program.result[0]) - 0.49 * -2) < 1e-15);
    for (uint32_t k = 0; k < 2; k++) {
        double expected = program.term[k].slot == 0 ? 2 * 0.7 * -2 : 0.49;
        assert_true(fabs(afxi_program_term(&program, &program.term[k]) - expected) < 1e-15);
    }
    assert_false(afxi_program_evaluate(&program, beyond));
    afxi_program_release(&program);
    afxi_tape_release(&tape);
}

enum { N = 40 };

static void check_factor(const AfxiGradFactor *factor, double dense[N][N], const double *b) {
    double x[N];
    for (int transposed = 0; transposed < 2; transposed++) {
        afxi_grad_factor_solve(factor, transposed, b, x);
        for (int r = 0; r < N; r++) {
            double sum = -b[r];
            for (int c = 0; c < N; c++) {
                sum += (transposed ? dense[c][r] : dense[r][c]) * x[c];
            }
            assert_true(fabs(sum) < 1e-11);
        }
    }
}

enum { BLOCKS = 14 };

/* A comb of blocks of one to five unknowns, each with the next one and the next but two, as fronts of many shapes. */
typedef struct Comb {
    uint32_t size[BLOCKS], order[BLOCKS], start[2 * BLOCKS + 1], member[4 * BLOCKS];
    uint32_t unknown[N], block[N]; /* in what order unknowns stand in blocks; of which block one is */
    AfxiBlockGraph graph;
} Comb;

static void make_comb(Comb *comb) {
    uint32_t cliques = 0, total = 0, at = 0;
    for (uint32_t k = 0; k < BLOCKS; k++) {
        comb->size[k] = k + 1 < BLOCKS ? 1 + (k * k) % 5 : N - at;
        comb->order[k] = (5 * k + 3) % BLOCKS;
        for (uint32_t c = 0; c < comb->size[k]; c++, at++) {
            comb->unknown[at] = (11 * at + 5) % N;
            comb->block[comb->unknown[at]] = k;
        }
        for (uint32_t with = k + 1; with <= k + 3; with += 2) {
            comb->start[cliques++] = total;
            comb->member[total++] = k;
            comb->member[total++] = with < BLOCKS ? with : k;
        }
    }
    comb->start[cliques] = total;
    comb->graph = (AfxiBlockGraph){.count = BLOCKS,
                                   .size = comb->size,
                                   .clique_count = cliques,
                                   .clique_start = comb->start,
                                   .member = comb->member};
}

/* Without a diagonal where a block has several unknowns: pivots must be looked for. */
static void fill_comb(const Comb *comb, uint64_t *seed, AfxiGradColumns *matrix, double shift[N], double dense[N][N]) {
    uint32_t count = 0;
    for (uint32_t c = 0; c < N; c++) {
        matrix->start[c] = count;
        shift[c] = comb->size[comb->block[c]] == 1 ? 1 : 1e-10;
        for (uint32_t r = 0; r < N; r++) {
            uint32_t a = comb->block[r], b = comb->block[c], apart = a > b ? a - b : b - a;
            if (r != c && (apart == 0 || apart == 1 || apart == 3)) {
                dense[r][c] = matrix->value[count] = (2 * random_unit(seed) - 1) * (apart ? 0.2 : 1);
                matrix->row[count++] = r;
            }
        }
        dense[c][c] = shift[c];
    }
    matrix->start[N] = count;
}

static void test_factor(void **state) {
    (void)state;
    AfxAllocator allocator = afx_default_allocator();
    AfxiGradFactor factor = {.allocator = &allocator};
    AfxiGradColumns matrix = {0};
    Comb comb;
    double dense[N][N] = {{0}}, b[N], shift[N] = {0};
    uint64_t seed = 5;
    make_comb(&comb);
    assert_int_equal(afxi_grad_columns_reserve(&allocator, &matrix, N, N * N), AFX_OK);
    fill_comb(&comb, &seed, &matrix, shift, dense);
    for (uint32_t k = 0; k < N; k++) {
        b[k] = 2 * random_unit(&seed) - 1;
    }
    assert_int_equal(afxi_grad_factor_plan(&factor, &comb.graph, comb.order, comb.unknown, &matrix, N), AFX_OK);
    assert_true(factor.count > 3 && factor.count < BLOCKS);
    assert_int_equal(afxi_grad_factor(&factor, &matrix, shift), AFX_OK);
    check_factor(&factor, dense, b);
    for (uint32_t c = 0; c < N; c++) { /* other numbers in the same places */
        for (uint32_t p = matrix.start[c]; p < matrix.start[c + 1]; p++) {
            matrix.value[p] *= 0.9 + 0.2 * random_unit(&seed);
            dense[matrix.row[p]][c] = matrix.value[p];
        }
    }
    assert_int_equal(afxi_grad_factor(&factor, &matrix, shift), AFX_OK);
    check_factor(&factor, dense, b);
    memset(matrix.value, 0, matrix.start[N] * sizeof *matrix.value);
    memset(shift, 0, sizeof shift);
    assert_int_equal(afxi_grad_factor(&factor, &matrix, shift), AFX_E_NUMERIC);
    afxi_grad_columns_release(&allocator, &matrix);
    afxi_grad_factor_release(&factor);
}

int run_grad_tape_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_formulas),
                                       cmocka_unit_test(test_program), cmocka_unit_test(test_factor)};
    return cmocka_run_group_tests_name("grad tape", tests, NULL, NULL);
}
