/* SPDX-License-Identifier: Apache-2.0 */
/* affix optimise: parameters with which quantities come to given values, by Levenberg's and Marquardt's method with
 * exact derivatives. With r the misses and J their derivatives by parameters over their scales s,
 *     (J^T J + mu I) d = -J^T r,   p += s d;
 * a step that brings the misses down is taken and mu falls, else mu rises. */
#include "cli/command.h"
#include "cli/gradient.h"

#include "cases/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64u /* parameters: the normal equations are dense */
#define SMALL 1e-10

enum {
    OPTION_SOURCE = CLI_OPTION_FIRST,
    OPTION_GRADIENT = OPTION_SOURCE + CLI_SOURCE_OPTION_COUNT,
    OPTION_TO = OPTION_GRADIENT + CLI_GRADIENT_OPTION_COUNT,
    OPTION_ITERATIONS
};

static const CliOption options[] = {
    CLI_OPTIONS_STANDARD,
    CLI_OPTIONS_SOURCE(OPTION_SOURCE),
    CLI_OPTIONS_GRADIENT(OPTION_GRADIENT),
    [OPTION_TO] = {"to", "X,...", "what the quantities are to come to, one number each"},
    [OPTION_ITERATIONS] = {"iterations", "N", "at most so many runs with derivatives (default 50)"},
};

#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

typedef struct Search {
    CliGradient gradient;
    double *to;      /* [objectives] */
    double *by;      /* [objectives][numbers] */
    double *scale;   /* [numbers] */
    double *old;     /* [numbers] */
    double *matrix;  /* [numbers][numbers] */
    double *step;    /* [numbers] */
    double mu, cost; /* half the sum of squares of misses */
    uint64_t runs, most;
} Search;

static bool read_targets(const char *text, Search *search) {
    uint32_t count = 0;
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL, ++count) {
        char number[64];
        snprintf(number, sizeof(number), "%.*s", (int)strcspn(at, ","), at);
        if (count >= search->gradient.objective_count || !afxi_case_number(number, &search->to[count])) {
            break;
        }
    }
    if (count != search->gradient.objective_count || !text) {
        cli_error("--to", "one number for each quantity of --of: --to 1.5,0", "%u quantities, %u values",
                  (unsigned)search->gradient.objective_count, (unsigned)count);
        return false;
    }
    return true;
}

/* All objectives with their derivatives. */
static int evaluate(Search *search, double *out_cost) {
    CliGradient *gradient = &search->gradient;
    int code = CLI_EXIT_FINE;
    *out_cost = 0;
    for (uint32_t k = 0; k < gradient->objective_count && code == CLI_EXIT_FINE; ++k) {
        CliObjective *objective = &gradient->objectives[k];
        code = cli_gradient_evaluate(gradient, objective, search->by + (size_t)k * gradient->number_count);
        double miss = objective->value - search->to[k];
        *out_cost += 0.5 * miss * miss;
    }
    ++search->runs;
    return code;
}

/* (J^T J + mu I) d = -J^T r by Cholesky's method; the matrix is definite. */
static void solve(Search *search) {
    const CliGradient *gradient = &search->gradient;
    uint32_t n = gradient->number_count;
    double *a = search->matrix, *d = search->step;
    for (uint32_t i = 0; i < n; ++i) {
        d[i] = 0;
        for (uint32_t j = 0; j <= i; ++j) {
            a[i * n + j] = i == j ? search->mu : 0;
        }
        for (uint32_t k = 0; k < gradient->objective_count; ++k) {
            const double *row = search->by + (size_t)k * n;
            d[i] -= row[i] * search->scale[i] * (gradient->objectives[k].value - search->to[k]);
            for (uint32_t j = 0; j <= i; ++j) {
                a[i * n + j] += row[i] * search->scale[i] * row[j] * search->scale[j];
            }
        }
    }
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t j = 0; j <= i; ++j) {
            double sum = a[i * n + j];
            for (uint32_t k = 0; k < j; ++k) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = i == j ? sqrt(fmax(sum, 1e-300)) : sum / a[j * n + j];
        }
        for (uint32_t k = 0; k < i; ++k) {
            d[i] -= a[i * n + k] * d[k];
        }
        d[i] /= a[i * n + i];
    }
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = i + 1; k < n; ++k) {
            d[i] -= a[k * n + i] * d[k];
        }
        d[i] /= a[i * n + i];
    }
}

/* One step that brings the misses down, with a larger mu where it has to be; false: there is none. */
static bool improve(Search *search, int *out_code) {
    CliGradient *gradient = &search->gradient;
    for (int attempt = 0; attempt < 20 && search->runs < search->most; ++attempt) {
        double cost = 0;
        bool fine = true;
        solve(search);
        for (uint32_t k = 0; k < gradient->number_count; ++k) {
            search->old[k] = gradient->numbers[k].value;
            gradient->numbers[k].value += search->scale[k] * search->step[k];
        }
        for (uint32_t k = 0; k < gradient->objective_count; ++k) { /* without derivatives first: it may not go well */
            double value = cli_gradient_value(gradient, &gradient->objectives[k], NULL, 0),
                   miss = value - search->to[k];
            fine = fine && isfinite(value);
            cost += 0.5 * miss * miss;
        }
        if (fine && cost < search->cost) {
            search->mu *= 0.2;
            *out_code = evaluate(search, &search->cost);
            return *out_code == CLI_EXIT_FINE;
        }
        for (uint32_t k = 0; k < gradient->number_count; ++k) {
            gradient->numbers[k].value = search->old[k];
        }
        search->mu *= 5;
    }
    return false;
}

static int search_for(Search *search) {
    CliGradient *gradient = &search->gradient;
    double size = 0;
    for (uint32_t k = 0; k < gradient->objective_count; ++k) {
        size += 0.5 * search->to[k] * search->to[k];
    }
    int code = evaluate(search, &search->cost);
    double first = search->cost, largest = 0;
    for (size_t k = 0; k < (size_t)gradient->objective_count * gradient->number_count; ++k) {
        double by = search->by[k] * search->scale[k % gradient->number_count];
        largest = fmax(largest, by * by);
    }
    search->mu = 1e-3 * fmax(largest, 1e-300);
    while (code == CLI_EXIT_FINE && search->cost > SMALL * SMALL * (size + first) && search->runs < search->most &&
           improve(search, &code)) {
        if (!gradient->json) {
            printf("  run %llu: misses %.6e\n", (unsigned long long)search->runs, sqrt(2 * search->cost));
        }
    }
    return code;
}

static void tell(const Search *search) {
    const CliGradient *gradient = &search->gradient;
    if (!gradient->json) {
        for (uint32_t k = 0; k < gradient->objective_count; ++k) {
            printf("%s = %.12g (to %.12g)\n", gradient->objectives[k].name, gradient->objectives[k].value,
                   search->to[k]);
        }
        for (uint32_t k = 0; k < gradient->number_count; ++k) {
            printf("  %s=%.17g\n", gradient->numbers[k].name, gradient->numbers[k].value);
        }
        return;
    }
    CliJson json = cli_json_begin(stdout, 2);
    cli_json_object(&json, NULL);
    cli_json_integer(&json, "runs", search->runs);
    cli_json_number(&json, "miss", sqrt(2 * search->cost));
    cli_json_object(&json, "quantities");
    for (uint32_t k = 0; k < gradient->objective_count; ++k) {
        cli_json_number(&json, gradient->objectives[k].name, gradient->objectives[k].value);
    }
    cli_json_close(&json);
    cli_json_object(&json, "parameters");
    for (uint32_t k = 0; k < gradient->number_count; ++k) {
        cli_json_number(&json, gradient->numbers[k].name, gradient->numbers[k].value);
    }
    cli_json_close(&json);
    cli_json_close(&json);
    cli_json_end(&json);
}

static int start(CliArguments *given, Search *search) {
    CliGradient *gradient = &search->gradient;
    uint32_t n = gradient->number_count, m = gradient->objective_count;
    if (n > MOST) {
        cli_error("--wrt", "name fewer of them", "%u parameters are more than %u", (unsigned)n, MOST);
        return CLI_EXIT_USAGE;
    }
    double *block = calloc((size_t)m * (n + 1) + 3 * (size_t)n + (size_t)n * n + 1, sizeof(*block));
    if (!block) {
        cli_error("memory", NULL, "%s", afx_status_text(AFX_E_MEMORY));
        return CLI_EXIT_SYSTEM;
    }
    search->to = block;
    search->by = block + m;
    search->scale = search->by + (size_t)m * n;
    search->old = search->scale + n;
    search->step = search->old + n;
    search->matrix = search->step + n;
    for (uint32_t k = 0; k < n; ++k) {
        search->scale[k] = gradient->numbers[k].value != 0 ? fabs(gradient->numbers[k].value) : 1;
    }
    int code = read_targets(given->values[OPTION_TO], search) ? search_for(search) : CLI_EXIT_USAGE;
    if (code == CLI_EXIT_FINE) {
        tell(search);
    }
    free(block);
    return code;
}

static int run(CliArguments *given) {
    Search search = {.most = 50};
    const char *most = given->values[OPTION_ITERATIONS];
    if (most && !cli_option_integer("iterations", most, 1, 1000000, &search.most)) {
        return CLI_EXIT_USAGE;
    }
    int code = cli_gradient_create(given, "optimise", OPTION_SOURCE, OPTION_GRADIENT, &search.gradient);
    code = code == CLI_EXIT_FINE ? start(given, &search) : code;
    cli_gradient_destroy(&search.gradient);
    return code;
}

const CliCommand cli_command_optimise = {
    .name = "optimise",
    .help = "find parameters with which quantities come to given values",
    .usage = "<case|file> [name=value ...] --of QUANTITY@TIME,... --to X,... --wrt PARAMETERS [options]",
    .about = "Least squares with exact derivatives (Levenberg, Marquardt):\n"
             "affix optimise pendulum --time 0.5 --of joint:0@end --to 1 --wrt gravity.z",
    .options = options,
    .option_count = OPTION_COUNT,
    .scene = true,
    .numeric = true,
    .run = run,
};
