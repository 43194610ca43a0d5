/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds that alternate, and rows on the terminal and in table.md. */
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void step_subject(void *context, uint32_t count) {
    bench_steps(context, count);
}

BenchSide bench_side(BenchSubject *subject, uint32_t steps) {
    return (BenchSide){.prepare = bench_rewind, .run = step_subject, .context = subject, .count = steps};
}

void bench_alternate(BenchSide *sides, uint32_t count, uint32_t rounds) {
    rounds = rounds < BENCH_ROUNDS ? rounds : BENCH_ROUNDS;
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t k = 0; k < count; k++) {
            if (sides[k].prepare) {
                sides[k].prepare(sides[k].context);
            }
            double begin = bench_seconds();
            sides[k].run(sides[k].context, sides[k].count);
            sides[k].time[round] = (bench_seconds() - begin) / sides[k].count;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        qsort(sides[k].time, rounds, sizeof sides[k].time[0], compare);
        sides[k].median = 0.5 * (sides[k].time[(rounds - 1) / 2] + sides[k].time[rounds / 2]);
        sides[k].least = sides[k].time[0];
    }
}

BenchRow bench_row(const char *name, const BenchSubject *subject, const BenchSide *side) {
    BenchRow row = {.bodies = subject->bodies,
                    .median = side->median,
                    .least = side->least,
                    .solves = bench_solves(subject),
                    .solves_most = subject->solves_most,
                    .halved = subject->steps ? (double)subject->halved / (double)subject->steps : 0,
                    .residual = subject->residual,
                    .bytes = bench_bytes(subject),
                    .published = ""};
    snprintf(row.name, sizeof row.name, "%s", name);
    return row;
}

void bench_goal(BenchRow *row, const char *what, double value, double limit, bool at_least) {
    if (row->goal_count < BENCH_GOALS) {
        row->goal[row->goal_count++] = (BenchGoal){what, value, limit, at_least};
    }
}

/* Three digits, without an exponent where that is readable; `at` gets the text. */
static const char *number(double value, char *at, size_t size) {
    int digits = value == 0 || !isfinite(value) ? 0 : 2 - (int)floor(log10(fabs(value)));
    if (digits > 6) {
        snprintf(at, size, "%.1e", value);
    } else {
        snprintf(at, size, "%.*f", digits > 0 ? digits : 0, value);
    }
    return at;
}

static bool met(const BenchGoal *goal) {
    return goal->at_least ? goal->value >= goal->limit : goal->value <= goal->limit;
}

static void goals_text(const BenchRow *row, char *out_text, size_t size) {
    char value[24], limit[24];
    snprintf(out_text, size, "%s", row->smaller && row->goal_count > 0 ? "not for this size" : "");
    for (uint32_t k = 0; k < row->goal_count && !row->smaller; k++) {
        const BenchGoal *goal = &row->goal[k];
        size_t used = strlen(out_text);
        snprintf(out_text + used, size - used, "%s%s %s (%s %s): %s", k ? "; " : "", goal->what,
                 number(goal->value, value, sizeof value), goal->at_least ? "at least" : "at most",
                 number(goal->limit, limit, sizeof limit), met(goal) ? "yes" : "**no**");
    }
}

/* Thousands apart, as in 1,076,748. */
static const char *thousands(uint32_t value, char *at, size_t size) {
    if (value >= 1000000) {
        snprintf(at, size, "%u,%03u,%03u", (unsigned)(value / 1000000), (unsigned)(value / 1000 % 1000),
                 (unsigned)(value % 1000));
    } else if (value >= 1000) {
        snprintf(at, size, "%u,%03u", (unsigned)(value / 1000), (unsigned)(value % 1000));
    } else {
        snprintf(at, size, "%u", (unsigned)value);
    }
    return at;
}

static void both(BenchTable *table, const char *text) {
    fputs(text, stdout);
    fputs(text, table->file);
    fflush(stdout);
}

void bench_head(BenchTable *table) {
    both(table, "| case | bodies | ms/step, median (least) | iterations/step (most) | max violation | B/body | and | "
                "published | "
                "goals: met? |\n"
                "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
}

void bench_print(BenchTable *table, const BenchRow *row) {
    char line[1400], goals[480], parts[80] = "", bodies[24], median[24], least[24], bytes[24];
    goals_text(row, goals, sizeof goals);
    if (row->halved > 0) {
        snprintf(parts, sizeof parts, "%s%.0f %% of the steps done in smaller ones", row->more[0] ? "; " : "",
                 100 * row->halved);
    }
    snprintf(line, sizeof line, "| %s | %s | %s (%s) | %.2f (%u) | %.1e | %s | %s%s | %s | %s |\n", row->name,
             thousands(row->bodies, bodies, sizeof bodies), number(1e3 * row->median, median, sizeof median),
             number(1e3 * row->least, least, sizeof least), row->solves, (unsigned)row->solves_most, row->residual,
             thousands((uint32_t)lrint(row->bytes), bytes, sizeof bytes), row->more, parts, row->published, goals);
    both(table, line);
    table->rows++;
    for (uint32_t k = 0; k < row->goal_count && !row->smaller; k++) {
        table->goals++;
        table->met += met(&row->goal[k]);
    }
}
