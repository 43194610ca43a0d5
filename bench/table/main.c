/* SPDX-License-Identifier: Apache-2.0 */
/* bench_table [--quick] [--no-curves] [FOLDER]: prints the table of benchmarks, and writes it to FOLDER/table.md and
 * the curves over the number of bodies to FOLDER/scaling.csv (default build/bench). One thread. */
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static FILE *open_in(const char *folder, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        bench_fail("cannot write %s: %s", path, strerror(errno));
    }
    return file;
}

static void make_folder(const char *folder) {
    char path[512];
    snprintf(path, sizeof path, "%s", folder);
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash) {
            *slash = '\0';
        }
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            bench_fail("cannot make the folder %s: %s", path, strerror(errno));
        }
        if (!slash) {
            return;
        }
        *slash = '/';
    }
}

/* A BLAS with threads reads its settings when it is loaded, so they have to be there before the program begins. */
static void one_thread(char **argv) {
    if (!getenv("OPENBLAS_NUM_THREADS") || !getenv("OMP_NUM_THREADS")) {
        if (setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0 && setenv("OMP_NUM_THREADS", "1", 1) == 0) {
            execv("/proc/self/exe", argv);
        }
    }
}

static void processor(char *out_name, size_t size) {
    char line[256];
    FILE *info = fopen("/proc/cpuinfo", "r");
    snprintf(out_name, size, "unknown processor");
    while (info && fgets(line, sizeof line, info)) {
        char *colon = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (colon) {
            colon[strcspn(colon, "\n")] = '\0';
            snprintf(out_name, size, "%s", colon + 2);
            break;
        }
    }
    if (info) {
        fclose(info);
    }
}

/* What the figures depend on. */
static void conditions(BenchTable *table) {
    char name[128], text[600], date[32];
    struct utsname system;
    time_t now = time(NULL);
    struct tm utc;
    processor(name, sizeof name);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
    snprintf(text, sizeof text,
             "%s, %ld cores, %s; compiler %s; %s%s. One thread, BDF2, dt = 10 ms, default settings unless the row says "
             "otherwise. Times are processor time of that thread. Ratios are of medians of rounds that alternate; in "
             "brackets, of the shortest rounds.\n\n",
             name, sysconf(_SC_NPROCESSORS_ONLN), uname(&system) == 0 ? system.sysname : "unknown system", __VERSION__,
             date, table->quick ? "; a quick run with smaller sizes" : "");
    fputs(text, stdout);
    fputs(text, table->file);
}

int main(int argc, char **argv) {
    const char *folder = "build/bench";
    bool quick = false, curves = true;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--quick") == 0) {
            quick = true;
        } else if (strcmp(argv[k], "--no-curves") == 0) {
            curves = false;
        } else if (argv[k][0] == '-' || (k + 1 < argc && argv[k + 1][0] != '-')) {
            fprintf(stderr, "usage: bench_table [--quick] [--no-curves] [FOLDER]\n");
            return 2;
        } else {
            folder = argv[k];
        }
    }
    one_thread(argv);
    make_folder(folder);
    BenchTable table = {.file = open_in(folder, "table.md"), .quick = quick};
    conditions(&table);
    bench_head(&table);
    bench_rows_chains(&table);
    bench_rows_graph(&table);
    bench_rows_free(&table);
    bench_rows_lanes(&table);
    char text[100];
    snprintf(text, sizeof text, "\n%u of %u goals are met.\n", (unsigned)table.met, (unsigned)table.goals);
    fputs(text, stdout);
    fputs(text, table.file);
    fflush(stdout);
    if (fclose(table.file) != 0) {
        bench_fail("cannot write the table: %s", strerror(errno));
    }
    if (curves) {
        FILE *file = open_in(folder, "scaling.csv");
        bench_scaling(file, quick);
        if (fclose(file) != 0) {
            bench_fail("cannot write the curves: %s", strerror(errno));
        }
    }
    return 0;
}
