/* SPDX-License-Identifier: Apache-2.0 */
/* The broad phase of contact: milliseconds per update, one thread, for a loose pile of 1e5 boxes at rest, settling,
 * falling and with a few fast ones, a line and a layer of boxes, and 1e6 links that only want a few colliders.
 * Beside it, in the same run: everything found anew at each update, the same with scalar kernels, and comparing all
 * with all (on a part of the items, scaled up). Argument: number of boxes in thousands (100). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "contact/broad.h"

static double random_unit(uint64_t *seed) {
    uint64_t z = (*seed += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void *allocate(size_t count, size_t size) {
    void *block = calloc(count + 1, size);
    if (!block) {
        fprintf(stderr, "bench: out of memory\n");
        exit(1);
    }
    return block;
}

/* Boxes of half side `half` about `center`, which go by `shift` at every update and jitter about that. */
typedef struct Scene {
    const char *name;
    uint32_t count;
    AfxiBroadItem *item;     /* [count] */
    double (*center)[3];     /* [count] */
    double (*half)[3];       /* [count] */
    double (*lower)[3];      /* [count] */
    double (*upper)[3];      /* [count] */
    double shift[3], jitter; /* metres per update */
    uint32_t fast_every;     /* one of so many goes 100 times as far; 0: none */
} Scene;

static Scene scene_make(const char *name, uint32_t count) {
    Scene scene = {.name = name, .count = count};
    scene.item = allocate(count, sizeof *scene.item);
    scene.center = allocate(count, sizeof *scene.center);
    scene.half = allocate(count, sizeof *scene.half);
    scene.lower = allocate(count, sizeof *scene.lower);
    scene.upper = allocate(count, sizeof *scene.upper);
    return scene;
}

static void scene_free(Scene *scene) {
    free(scene->item);
    free(scene->center);
    free(scene->half);
    free(scene->lower);
    free(scene->upper);
}

static void move(Scene *scene, uint64_t *seed) {
    for (uint32_t k = 0; k < scene->count; k++) {
        double speed = scene->jitter * (scene->fast_every && k % scene->fast_every == 0 ? 100 : 1);
        bool moves = scene->item[k].moving;
        for (int axis = 0; axis < 3; axis++) {
            if (moves) {
                scene->center[k][axis] += scene->shift[axis] + speed * (2 * random_unit(seed) - 1);
            }
            scene->lower[k][axis] = scene->center[k][axis] - scene->half[k][axis];
            scene->upper[k][axis] = scene->center[k][axis] + scene->half[k][axis];
        }
    }
}

/* Columns of boxes of 0.1 m that overlap about six others each, numbered at random. `size` is the boxes' number along
 * x, y and z, and a floor. */
static Scene pile(const char *name, const uint32_t size[3], double spacing) {
    uint32_t count = size[0] * size[1] * size[2];
    uint64_t seed = 1;
    Scene scene = scene_make(name, count + 1);
    uint32_t *slot = allocate(count, sizeof *slot);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t other = (uint32_t)(random_unit(&seed) * (k + 1));
        slot[k] = slot[other];
        slot[other] = k;
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t at[3] = {slot[k] % size[0], slot[k] / size[0] % size[1], slot[k] / size[0] / size[1]};
        scene.item[k] = (AfxiBroadItem){k, 1, 1, true, false};
        for (int axis = 0; axis < 3; axis++) {
            scene.center[k][axis] = spacing * (at[axis] + 0.3 * random_unit(&seed));
            scene.half[k][axis] = 0.05 * (0.85 + 0.3 * random_unit(&seed));
        }
    }
    scene.item[count] = (AfxiBroadItem){count, 1, 1, false, true};
    scene.half[count][0] = scene.half[count][1] = HUGE_VAL;
    scene.half[count][2] = 0.04;
    free(slot);
    return scene;
}

/* Chains of 0.1 m links over four pillars and a floor. */
static Scene links(uint32_t count) {
    Scene scene = scene_make("1e6 links, 5 colliders", count + 5);
    for (uint32_t k = 0; k < count; k++) {
        scene.item[k] = (AfxiBroadItem){k, 1, 2, true, false};
        uint32_t row = k / 1000;
        scene.center[k][0] = 0.1 * (k % 1000);
        scene.center[k][1] = 0.1 * row;
        scene.center[k][2] = 3;
        scene.half[k][0] = scene.half[k][1] = scene.half[k][2] = 0.06;
    }
    for (uint32_t k = 0; k < 5; k++) {
        scene.item[count + k] = (AfxiBroadItem){count + k, 2, 0, false, k < 3};
        scene.center[count + k][0] = k == 4 ? 0 : 20.0 * k + 10;
        scene.center[count + k][1] = k == 4 ? 0 : 30;
        for (int axis = 0; axis < 3; axis++) {
            scene.half[count + k][axis] = k < 4 ? (axis == 2 ? 10 : 0.5) : axis == 2 ? 0.1 : HUGE_VAL;
        }
    }
    scene.jitter = 1e-4;
    return scene;
}

/* Comparing all with all, for some of the items; seconds for all of them. */
static double brute_force(const Scene *scene, double margin) {
    uint32_t some = scene->count < 200 ? scene->count : 200, found = 0;
    double start = afxi_clock();
    for (uint32_t k = 0; k < some; k++) {
        uint32_t a = (uint32_t)((uint64_t)k * scene->count / some);
        for (uint32_t b = a + 1; b < scene->count; b++) {
            bool apart = false;
            for (int axis = 0; axis < 3; axis++) {
                apart |= scene->lower[a][axis] - margin > scene->upper[b][axis] + margin ||
                         scene->lower[b][axis] - margin > scene->upper[a][axis] + margin;
            }
            found += !apart;
        }
    }
    double time = (afxi_clock() - start) * scene->count / some;
    return found == UINT32_MAX ? 0 : time; /* the pairs are used */
}

static int compare(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

enum { KEPT, ANEW, SCALAR, WAYS, UPDATES = 41 };

static void run(Scene scene) {
    double margin = 0.002, times[WAYS][UPDATES], mean = 0, worst = 0;
    uint64_t seed = 7;
    uint32_t pairs = 0;
    AfxiBroad *broad[WAYS];
    for (int way = 0; way < WAYS; way++) {
        AfxiBroadDef def = {.allocator = afx_default_allocator(),
                            .items = scene.item,
                            .count = scene.count,
                            .margin = margin,
                            .lanes = way == SCALAR ? 1 : 0};
        if (afxi_broad_create(&def, &broad[way]) != AFX_OK) {
            fprintf(stderr, "bench: no broad phase\n");
            exit(1);
        }
    }
    for (int step = 0; step < UPDATES; step++) {
        move(&scene, &seed);
        for (int way = 0; way < WAYS; way++) {
            if (way != KEPT) {
                afxi_broad_reset(broad[way]);
            }
            double start = afxi_clock();
            if (afxi_broad_update(broad[way], scene.lower, scene.upper, NULL, 1) != AFX_OK) {
                fprintf(stderr, "bench: update failed\n");
                exit(1);
            }
            times[way][step] = 1e3 * (afxi_clock() - start);
        }
        if (step) {
            mean += times[KEPT][step] / (UPDATES - 1);
            worst = times[KEPT][step] > worst ? times[KEPT][step] : worst;
        }
    }
    afxi_broad_pairs(broad[KEPT], &pairs);
    for (int way = 0; way < WAYS; way++) {
        qsort(times[way], UPDATES, sizeof times[way][0], compare);
        afxi_broad_destroy(broad[way]);
    }
    double kept = times[KEPT][UPDATES / 2], anew = times[ANEW][UPDATES / 2], scalar = times[SCALAR][UPDATES / 2];
    printf("%-26s %8u %8u %8.2f %8.2f %8.2f %8.2f %8.2f %10.0f\n", scene.name, scene.count, pairs, kept, mean, worst,
           anew, scalar, 1e3 * brute_force(&scene, margin));
    scene_free(&scene);
}

int main(int count, char **arguments) {
    uint32_t boxes = 1000 * (uint32_t)(count > 1 ? atoi(arguments[1]) : 100);
    uint32_t side = (uint32_t)cbrt(boxes), flat = (uint32_t)sqrt(boxes);
    const uint32_t cube[3] = {side, side, boxes / side / side}, line[3] = {boxes, 1, 1}, layer[3] = {flat, flat, 1};
    printf("%-26s %8s %8s %8s %8s %8s %8s %8s %10s\n", "ms per update", "items", "pairs", "median", "mean", "worst",
           "anew", "scalar", "all-all");
    Scene rest = pile("pile at rest", cube, 0.1);
    rest.jitter = 1e-5;
    run(rest);
    Scene settling = pile("pile settling 1 mm", cube, 0.1);
    settling.jitter = 1e-3;
    run(settling);
    Scene fast = pile("pile, 1 % fast", cube, 0.1);
    fast.jitter = 1e-4;
    fast.fast_every = 100;
    run(fast);
    Scene falling = pile("pile falling 5 mm", cube, 0.1);
    falling.jitter = 1e-4;
    falling.shift[2] = -5e-3;
    run(falling);
    Scene row = pile("line", line, 0.09);
    row.jitter = 1e-4;
    run(row);
    Scene sheet = pile("layer", layer, 0.09);
    sheet.jitter = 1e-4;
    run(sheet);
    run(links(1000000));
    return 0;
}
